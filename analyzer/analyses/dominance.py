"""Dominance: how often one build out-damages another, not only by how much on average."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Real, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, child_seed, seats
from analyzer.asking.twins import Twins
from analyzer.exact.ahead import apart, dominating, lead
from analyzer.playing import Builds, Opponent
from analyzer.pmf import PMF, Integers
from analyzer.records import Record
from analyzer.sweeps import spans

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="other", heading="other"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="rounds", heading="rounds"),
    Column(key="more", heading="build ahead", digits=4),
    Column(key="tie", heading="tie", digits=4),
    Column(key="less", heading="other ahead", digits=4),
    Column(key="difference", heading="mean difference", digits=2, signed=True),
    Column(key="noticed_after", heading="rounds to notice"),
    Column(key="verdict", heading="dominates"),
)
_NEITHER, _EQUAL = "neither", "equal"
#: Pairs that the notes speak of.
_TOLD = 6


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.odds import odds_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return odds_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "other"))
def dominance(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    rounds: Annotated[int, Whole(low=1, high=100)] = 1,
    confidence: Annotated[float, Real(low=0.5, high=0.9999, percent=True)] = 0.95,
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """How often one build out-damages another, whether it dominates, and after how many rounds a table would notice.

    The two attack the same target with dice of their own. Of a table of creatures, each round is against one drawn by weight, the same for both.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    rounds : int
        Rounds whose damage is added up before it is compared.
    confidence : float
        How sure a table wants to be that the better one is ahead, such as 0.95 or 95%.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per pair of builds (of one level, where builds have levels) and target. ``more``, ``tie``, ``less``: chances 0..1 that the damage of ``build``
        over the ``rounds`` is above, equal to, below that of ``other``. ``difference``: its mean, damage points over the rounds. ``noticed_after``: the
        smallest number of rounds from which the one with the higher mean is ahead with the confidence, None when the means are equal; ``noticed_by``: whether
        it was found exactly or, where that is too much work, by the normal law. ``verdict``: which one dominates to first order, that is, has at every
        number of points a chance to deal at least as many in a round that is no lower, and somewhere higher; or "neither", or "equal".

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, fewer than two builds to compare, or too many totals.
    """
    taken = seats(builds, ac, target=target, against=against)
    pairs = [(i, j) for i, j in combinations(range(len(taken)), 2) if _comparable(taken[i], taken[j])]
    if not pairs:
        alike = " of one level that meet the same creatures" if len(taken) > 1 else ""
        raise ValueError(f"builds must be two at least{alike}; got {len(taken)}")
    single = [seat.gathered(lambda _, found: found.distribution, pmf=True) for seat in taken]
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    seen = {} if how is None else _simulated(taken, pairs, rounds, how)
    records: list[Record] = []
    for i, j in pairs:
        first, second = taken[i], taken[j]
        differences = [PMF(0, a) + PMF(0, b).negate() for a, b in zip(single[i], single[j], strict=True)]
        wholes = zip(first.mixed(single[i]), first.mixed(single[j]), strict=True)
        for mix, (one, two) in enumerate(wholes):
            difference = PMF.mix((weight, differences[foe]) for foe, weight in first.field.mixes[mix].weights)
            head = first.head(mix)
            record: Record = {"system": head.pop("system"), "build": head.pop("build"), "other": second.build.name, **head, "rounds": rounds}
            where = f"{first.build.name} and {second.build.name}, {first.face(mix)}"
            record |= _chances(difference, rounds, where, seen.get((i, j, mix)), twins)
            found = lead([difference], confidence)
            record["noticed_after"] = None if found is None else found.rounds
            record["noticed_by"] = None if found is None else "exact" if found.exact else "normal law"
            side = dominating(one, two)
            record["verdict"] = _NEITHER if side is None else (_EQUAL, first.build.name, second.build.name)[side]
            records.append(record)
    return Found.of(records, _notes(records, confidence), twins, how)


def _comparable(first: Seat, second: Seat) -> bool:
    """Whether two builds meet the same foes, and are of one level where they have levels."""
    levels = {first.build.level, second.build.level} - {None}
    return len(levels) < 2 and first.field.mixes == second.field.mixes


def _chances(difference: PMF, rounds: int, where: str, seen: _Counts | None, twins: Twins) -> Record:
    """The chances of a pair to be ahead over the rounds and its mean difference, beside what was simulated."""
    more, tie, less = apart(difference.repeat(rounds))
    mean = difference.mean * rounds
    if seen is None:
        return {"more": more, "tie": tie, "less": less, "difference": mean}
    record: Record = {}
    trials = seen.trials
    for name, exact, count in (("more", more, seen.more), ("tie", tie, seen.tie), ("less", less, trials - seen.more - seen.tie)):
        record |= twins.chance(where, name, exact=exact, count=count, trials=trials)
    found = seen.sum / trials
    error = sqrt(max(seen.squares / trials - found**2, 0.0) / trials)
    spread = sqrt(difference.variance * rounds)
    return record | twins.mean(where, "difference", exact=mean, sd=spread, found=found, error=error, trials=trials, occurring=1.0 - tie)


@dataclass(slots=True)
class _Counts:
    """What was counted of one pair: fights, those in which the first is ahead, those that tie, and the sums of the difference and of its square."""

    trials: int = 0
    more: int = 0
    tie: int = 0
    sum: int = 0
    squares: int = 0

    def add(self, difference: Integers) -> None:
        self.trials += len(difference)
        self.more += int(np.count_nonzero(difference > 0))
        self.tie += int(np.count_nonzero(difference == 0))
        self.sum += int(difference.sum())
        self.squares += int(difference @ difference)


def _simulated(taken: Sequence[Seat], pairs: Sequence[tuple[int, int]], rounds: int, how: Simulation) -> dict[tuple[int, int, int], _Counts]:
    """What was counted of every pair and mix."""
    jobs = []
    for mixes in dict.fromkeys(taken[i].field.mixes for i, _ in pairs):
        group = [(i, j) for i, j in pairs if taken[i].field.mixes == mixes]
        jobs += [(group, mix) for mix in range(len(mixes))]

    def play(job: tuple[list[tuple[int, int]], int]) -> dict[tuple[int, int, int], _Counts]:
        group, mix = job
        counts = {(i, j, mix): _Counts() for i, j in group}
        for totals in _sums({i: taken[i] for pair in group for i in pair}, mix, rounds, how):
            for (i, j, _), count in counts.items():
                count.add(totals[i] - totals[j])
        return counts

    with ThreadPoolExecutor(how.workers) as pool:
        return {key: count for counts in pool.map(play, jobs) for key, count in counts.items()}


def _sums(group: dict[int, Seat], mix: int, rounds: int, how: Simulation) -> Iterator[dict[int, Integers]]:
    """Damage over the rounds of every build of a group, chunk by chunk of trials: dice of its own each, the creatures of each round drawn once for all."""
    from analyzer.montecarlo import fights  # noqa: PLC0415 - Numba costs start-up time

    weights = next(iter(group.values())).field.mixes[mix].weights
    rng = np.random.default_rng([how.seed, mix])
    played = {}
    for number, seat in group.items():
        for foe, _ in weights:
            faced, ac = seat.before(foe)
            played[number, foe] = fights((faced.plan,), faced.target, ac, trials=how.trials, seed=child_seed(seat.seed(how.seed, foe), number), rounds=rounds)
    for chunk in zip(*played.values(), strict=True):
        sums: dict[int, Integers] = {}
        for parts in zip(*chunk, strict=True):
            drawn = rng.choice(len(weights), size=len(parts[0].total), p=[weight for _, weight in weights]) if len(weights) > 1 else None
            for k, number in enumerate(group):
                totals = [part.total for part in parts[k * len(weights) : (k + 1) * len(weights)]]
                met = totals[0] if drawn is None else np.stack(totals)[drawn, np.arange(len(drawn))]
                sums[number] = sums.get(number, 0) + met
        yield sums


def _notes(records: Sequence[Record], confidence: float) -> Iterator[str]:
    """What the rows come to, in sentences."""
    pairs = dict.fromkeys((str(record["build"]), str(record["other"])) for record in records)
    for pair in list(pairs)[:_TOLD]:
        rows = [record for record in records if (record["build"], record["other"]) == pair]
        said = []
        for name, ahead, behind in ((pair[0], "more", "less"), (pair[1], "less", "more")):
            said += _said(f"{name} is ahead more often", [row for row in rows if float(row[ahead] or 0.0) > float(row[behind] or 0.0)])
            said += _said(f"{name} dominates", [row for row in rows if row["verdict"] == name])
        if said:
            yield f"{'; '.join(said)}."
    if len(pairs) > _TOLD:
        yield f"{len(pairs) - _TOLD} more pairs: their rows say the same of them."
    yield "Dominates: at every number of points, its chance to deal at least as many in a round is no lower, and somewhere higher."
    yield f"Rounds to notice: from so many on the one with the higher mean is ahead with a chance of {100 * confidence:g} % at least."
    if any(record["noticed_by"] == "normal law" for record in records):
        yield "Rounds to notice beyond what exact sums reach are by the normal law (noticed_by in json and csv)."


def _said(what: str, rows: Iterable[Record]) -> list[str]:
    """A sentence about some rows, by their armor classes or names; none about none."""
    listed = list(rows)
    names = [str(row["against"]) for row in listed if "against" in row]
    acs = [int(row["ac"] or 0) for row in listed if "against" not in row]
    where = f"against {', '.join(names)}" if names else f"at AC {spans(acs)}"
    return [f"{what} {where}"] if listed else []
