"""Dominance: how often one build out-damages another, not only by how much on average."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Real, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Faced, Seat, Simulation, seats
from analyzer.asking.twins import Twins
from analyzer.exact import evaluate
from analyzer.exact.ahead import apart, dominating, lead, over
from analyzer.playing import Builds, Opponent
from analyzer.pmf import PMF, Floats
from analyzer.records import Record
from analyzer.sweeps import spans
from analyzer.workings.duels import Counts, simulated

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

    The two attack the same target with dice of their own, in the listed rounds of a build, the last repeating. Of a table of creatures, each round is against
    one drawn by weight, the same for both.

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
        smallest number of rounds, counted from the first listed one, from which the one with the higher mean in the round that repeats is ahead with the
        confidence, None when those means are equal; ``noticed_by``: whether it was found exactly or, where that is too much work, by the normal law.
        ``verdict``: which one dominates to first order, that is, has at every number of points a chance to deal at least as many that is no lower in any of
        the ``rounds``, and somewhere higher; or "neither", or "equal".

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, fewer than two builds to compare, or too many totals.
    """
    taken = seats(builds, ac, target=target, against=against, course=True)
    pairs = [(i, j) for i, j in combinations(range(len(taken)), 2) if _comparable(taken[i], taken[j])]
    if not pairs:
        alike = " of one level that meet the same creatures" if len(taken) > 1 else ""
        raise ValueError(f"builds must be two at least{alike}; got {len(taken)}")
    single = [_listed(seat) for seat in taken]
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    seen = {} if how is None else simulated(taken, pairs, rounds, how)
    records: list[Record] = []
    for i, j in pairs:
        first, second = taken[i], taken[j]
        listed = list(_side_by_side(single[i], single[j]))
        differences = [[PMF(0, a) + PMF(0, b).negate() for a, b in zip(one, two, strict=True)] for one, two in listed]
        for mix in range(len(first.field.mixes)):
            weights = first.field.mixes[mix].weights
            met = [PMF.mix((weight, foes[foe]) for foe, weight in weights) for foes in differences]
            head = first.head(mix)
            record: Record = {"system": head.pop("system"), "build": head.pop("build"), "other": second.build.name, **head, "rounds": rounds}
            where = f"{first.build.name} and {second.build.name}, {'against ' if 'against' in head else ''}{first.face(mix)}"
            record |= _chances(met, rounds, where, seen.get((i, j, mix)), twins)
            found = lead(met, confidence)
            record["noticed_after"] = None if found is None else found.rounds
            record["noticed_by"] = None if found is None else "exact" if found.exact else "normal law"
            side = _in_every_round((dominating(_mixed(one, weights), _mixed(two, weights)) for one, two in listed[:rounds]))
            record["verdict"] = _NEITHER if side is None else (_EQUAL, first.build.name, second.build.name)[side]
            records.append(record)
    courses = [seat.build.name for seat in taken if len(seat.faced[0].plans) > 1]
    return Found.of(records, _notes(records, confidence, courses), twins, how)


def _listed(seat: Seat) -> list[Floats]:
    """Chances of a round's totals before every foe, (n_foe, n_totals), of each listed round."""

    def found(faced: Faced, number: int) -> Floats:
        plan, target, acs = faced.course[number]
        return evaluate(plan, target, acs, pmf=True).distribution

    return [seat.collected((faced, found(faced, number)) for faced in seat.faced) for number in range(len(seat.faced[0].plans))]


def _side_by_side(first: Sequence[Floats], second: Sequence[Floats]) -> Iterator[tuple[Floats, Floats]]:
    """The rounds of two builds, up to the one from which both repeat themselves."""
    for number in range(max(len(first), len(second))):
        yield first[min(number, len(first) - 1)], second[min(number, len(second) - 1)]


def _mixed(totals: Floats, weights: Sequence[tuple[int, float]]) -> Floats:
    """Chances of totals before a foe drawn by weight."""
    mixed: Floats = np.array([weight for _, weight in weights]) @ totals[[foe for foe, _ in weights]]
    return mixed


def _in_every_round(sides: Iterable[int | None]) -> int | None:
    """Who dominates over rounds: whoever does in some and is equal in the others; None: neither."""
    found = set(sides) - {0}
    return 0 if not found else found.pop() if len(found) == 1 else None


def _comparable(first: Seat, second: Seat) -> bool:
    """Whether two builds meet the same foes, and are of one level where they have levels."""
    levels = {first.build.level, second.build.level} - {None}
    return len(levels) < 2 and first.field.mixes == second.field.mixes


def _chances(listed: Sequence[PMF], rounds: int, where: str, seen: Counts | None, twins: Twins) -> Record:
    """The chances of a pair to be ahead over the rounds and its mean difference, beside what was simulated."""
    more, tie, less = apart(over(listed, rounds))
    played = [listed[min(number, len(listed) - 1)].moments() for number in range(rounds)]
    mean = sum(one for one, _ in played)
    if seen is None:
        return {"more": more, "tie": tie, "less": less, "difference": mean}
    record: Record = {}
    trials = seen.trials
    for name, exact, count in (("more", more, seen.more), ("tie", tie, seen.tie), ("less", less, trials - seen.more - seen.tie)):
        record |= twins.chance(where, name, exact=exact, count=count, trials=trials)
    found = seen.sum / trials
    error = sqrt(max(seen.squares / trials - found**2, 0.0) / trials)
    spread = sqrt(sum(variance for _, variance in played))
    return record | twins.mean(where, "difference", exact=mean, sd=spread, found=found, error=error, trials=trials, occurring=1.0 - tie)


def _notes(records: Sequence[Record], confidence: float, courses: Sequence[str]) -> Iterator[str]:
    """What the rows come to, in sentences."""
    pairs = dict.fromkeys((str(record["build"]), str(record["other"])) for record in records)
    for pair in list(pairs)[:_TOLD]:
        rows = [record for record in records if (record["build"], record["other"]) == pair]
        said = []
        for name, other, ahead, behind in ((*pair, "more", "less"), (*pair[::-1], "less", "more")):
            said += _said(f"{name} is more often ahead of {other}", [row for row in rows if float(row[ahead] or 0.0) > float(row[behind] or 0.0)])
            said += _said(f"{name} dominates {other}", [row for row in rows if row["verdict"] == name])
        if said:
            yield f"{'; '.join(said)}."
    if len(pairs) > _TOLD:
        yield f"{len(pairs) - _TOLD} more pairs: their rows say the same of them."
    rounds = int(records[0]["rounds"] or 1)
    of = "a round" if not courses else "the first round" if rounds == 1 else f"each of the {rounds} rounds"
    yield f"Dominates: at every number of points, its chance to deal at least as many in {of} is no lower, and somewhere higher."
    yield f"Rounds to notice: from so many on the one with the higher mean is ahead with a chance of {100 * confidence:g} % at least."
    if courses:
        yield f"The listed rounds of {', '.join(courses)} are played, the last repeating; rounds to notice count from the first."
    if any(record["noticed_by"] == "normal law" for record in records):
        yield "Rounds to notice beyond what exact sums reach are by the normal law (noticed_by in json and csv)."


def _said(what: str, rows: Iterable[Record]) -> list[str]:
    """A sentence about some rows, by their armor classes or names; none about none."""
    listed = list(rows)
    names = [str(row["against"]) for row in listed if "against" in row]
    acs = [int(row["ac"] or 0) for row in listed if "against" not in row]
    where = f"against {', '.join(names)}" if names else f"at AC {spans(acs)}"
    return [f"{what} {where}"] if listed else []
