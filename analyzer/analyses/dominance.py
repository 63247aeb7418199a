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
from analyzer.pmf import PMF, Floats, Integers
from analyzer.records import Record
from analyzer.sweeps import spans

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
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
_SHARES = (("more", "#0072B2", "first ahead"), ("tie", "0.82", "equal"), ("less", "#D55E00", "second ahead"))


def _draw(frame: pd.DataFrame) -> Figure:
    return _bars(frame) if "against" in frame or len(set(frame["ac"])) == 1 else _areas(frame)


def _titled(frame: pd.DataFrame) -> str:
    rounds = int(frame["rounds"].iloc[0])
    return f"chance to be ahead after {rounds} round{'s' if rounds > 1 else ''}"


def _bars(frame: pd.DataFrame) -> Figure:
    """A bar per pair and target, cut into the three chances."""
    from analyzer.pictures.drawing import BAR, Picture, faces, tidy, written  # noqa: PLC0415 - matplotlib costs start-up time

    drawing = Picture(figsize=(9.0, 1.8 + 0.55 * len(frame)), layout="constrained")
    axes = drawing.subplots()
    rows = range(len(frame))
    left = np.zeros(len(frame))
    for column, colour, label in _SHARES:
        axes.barh(rows, frame[column], left=left, color=colour, height=0.7, label=label)
        left = left + frame[column].to_numpy()
    if "more_mc" in frame:
        for column, from_right in (("more_mc", False), ("less_mc", True)):
            errors = BAR * frame[column.replace("_mc", "_se")].astype(float).fillna(0.0)
            axes.errorbar(1.0 - frame[column] if from_right else frame[column], rows, xerr=errors, fmt="o", color="black", markersize=3.5, capsize=3)
    pairs = zip(frame["build"], frame["other"], faces(frame), strict=True)
    axes.set_yticks(list(rows), [f"{written(first)}\nor {written(second)}, {at}" for first, second, at in pairs], fontsize="small")
    axes.set_ylim(len(frame) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel(_titled(frame) + (f"; points: simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors" if "more_mc" in frame else ""))
    axes.axvline(0.5, color="0.2", linewidth=0.8, linestyle=(0, (4, 3)))
    tidy(axes)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


def _areas(frame: pd.DataFrame) -> Figure:
    """A panel per pair: the three chances over armor class."""
    from analyzer.pictures.drawing import Picture, tidy, whole_ticks  # noqa: PLC0415 - matplotlib costs start-up time

    pairs = list(frame.groupby(["build", "other"], sort=False))
    wide = min(len(pairs), 1 if len(pairs) == 1 else 2 if len(pairs) <= 4 else 4)
    high = -(-len(pairs) // wide)
    drawing = Picture(figsize=(9.0 if wide == 1 else 4.4 * wide if wide == 2 else 3.3 * wide, 1.0 + (4.4 if high == 1 else 2.7) * high), layout="constrained")
    panels = drawing.subplots(high, wide, sharex=True, sharey=True, squeeze=False).ravel()
    for panel, ((first, second), rows) in zip(panels, pairs, strict=False):
        _stack(panel, rows, str(first), str(second), small=wide > 2)
    for panel in panels[len(pairs) :]:
        panel.set_axis_off()
    tidy(*panels[: len(pairs)])
    whole_ticks(panels[0])
    panels[0].set_xlim(frame["ac"].min(), frame["ac"].max())
    panels[0].set_ylim(0.0, 1.0)
    for panel in panels[max(0, len(pairs) - wide) : len(pairs)]:
        panel.set_xlabel("armor class (AC)")
        panel.tick_params(labelbottom=True)
    drawing.supylabel(_titled(frame), fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    drawing.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=4, frameon=False)
    return drawing


def _stack(panel: Axes, rows: pd.DataFrame, first: str, second: str, *, small: bool) -> None:
    from analyzer.pictures.drawing import BAR, written  # noqa: PLC0415 - matplotlib costs start-up time

    panel.stackplot(rows["ac"], *(rows[key] for key, _, _ in _SHARES), colors=[colour for _, colour, _ in _SHARES], labels=[text for _, _, text in _SHARES])
    panel.axhline(0.5, color="0.2", linewidth=0.8, linestyle=(0, (4, 3)))
    panel.set_title(f"{written(first)}\nor {written(second)}", fontsize="x-small" if small else "medium", loc="left")
    if "more_mc" in rows:
        for column, from_top in (("more", False), ("less", True)):
            found, errors = rows[f"{column}_mc"], BAR * rows[f"{column}_se"].astype(float).fillna(0.0)
            label = None if from_top else f"simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors"
            panel.errorbar(
                rows["ac"], 1.0 - found if from_top else found, yerr=errors, fmt="o", color="black", markersize=2.5, capsize=2, linewidth=0.8, label=label
            )


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
    single = [seat.gathered(lambda _, found: _whole_pmf(found), pmf=True) for seat in taken]
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
            found = lead(difference, confidence)
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


def _whole_pmf(found: object) -> Floats:
    pmf: Floats | None = getattr(found, "pmf", None)
    if pmf is None:
        raise ValueError(getattr(found, "pmf_refused", None) or "pmf must be known; got none")
    return pmf


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
