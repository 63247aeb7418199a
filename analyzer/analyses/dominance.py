"""Dominance: how often one build out-damages another, not only by how much on average."""

from __future__ import annotations

from itertools import combinations
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.parameters import Real, Whole
from analyzer.playing import Builds, Opponent
from analyzer.pmf import PMF, Floats
from analyzer.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.records import Record
from analyzer.seats import Seat, child_seed, seats
from analyzer.twins import Twins

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="other", heading="against"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="rounds", heading="rounds"),
    Column(key="more", heading="deals more", digits=4),
    Column(key="tie", heading="tie", digits=4),
    Column(key="less", heading="deals less", digits=4),
    Column(key="difference", heading="mean difference", digits=2, signed=True),
    Column(key="noticed_after", heading="noticed after"),
    Column(key="verdict", heading="first-order dominance"),
)
#: Differences of two cumulative chances that are rounding.
_ROUNDING = 1e-12


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.drawing import Picture, faces, tidy, written  # noqa: PLC0415 - matplotlib costs start-up time

    drawing = Picture(figsize=(9.0, 1.8 + 0.5 * len(frame)), layout="constrained")
    axes = drawing.subplots()
    rows = range(len(frame))
    left = np.zeros(len(frame))
    for column, colour, label in (("more", "#0072B2", "first deals more"), ("tie", "0.8", "equal"), ("less", "#D55E00", "second deals more")):
        axes.barh(rows, frame[column], left=left, color=colour, height=0.65, label=label)
        left = left + frame[column].to_numpy()
    pairs = zip(frame["build"], frame["other"], faces(frame), strict=True)
    axes.set_yticks(list(rows), [written(f"{first}\nagainst {second}, {at}") for first, second, at in pairs], fontsize="small")
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.0)
    rounds = frame["rounds"].iloc[0]
    axes.set_xlabel(f"chance, over {rounds} round{'s' if rounds > 1 else ''}")
    axes.axvline(0.5, color="0.3", linewidth=0.8, linestyle=(0, (4, 3)))
    tidy(axes)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "other"))
def dominance(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    rounds: Annotated[int, Whole(low=1, high=1000)] = 1,
    confidence: Annotated[float, Real(low=0.5, high=0.9999, percent=True)] = 0.95,
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Chance that one build out-damages another, whether it dominates, and when a table would notice.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    rounds : int
        Rounds whose damage is added up before it is compared.
    confidence : float
        How sure a table wants to be that the better one is better.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per pair of builds and target: chances ``more``, ``tie``, ``less`` (0..1), ``difference`` (damage points over the rounds), ``noticed_after``
        (rounds until the sum of one is above the other's with the confidence, by the normal law; None when the means are equal) and ``verdict``.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, fewer than two builds, or too many totals.
    """
    taken = seats(builds, ac, target=target, against=against)
    if len(taken) < 2:
        raise ValueError(f"builds must be two at least to be compared; got {len(taken)}")
    single = [seat.gathered(lambda _, found: _whole_pmf(found), pmf=True) for seat in taken]
    summed = [[_repeated(row, rounds) for row in rows] for rows in single]
    twins = Twins()
    records: list[Record] = []
    for i, j in combinations(range(len(taken)), 2):
        first, second = taken[i], taken[j]
        chances = first.mixed(np.array([_apart(a, b) for a, b in zip(summed[i], summed[j], strict=True)]))
        seen = None if not simulate else _simulated(first, second, rounds, trials, seed or 0)
        one, two = first.mixed(single[i]), second.mixed(single[j])
        for mix in range(len(first.field.mixes)):
            head = first.head(mix)
            record: Record = {"system": head["system"], "build": first.build.name, "other": second.build.name, **first.faces(mix), "rounds": rounds}
            where = f"{first.build.name} and {second.build.name}, {first.faces(mix)}"
            for k, name in enumerate(("more", "tie", "less")):
                exact = float(chances[mix, k])
                if seen is None:
                    record[name] = exact
                else:
                    found = float(first.mixed(seen)[mix, k])
                    error = float(first.errors(np.sqrt(seen * (1.0 - seen) / trials))[mix, k])
                    often = trials * min(exact, 1.0 - exact)
                    record |= twins.estimate(where, name, exact=exact, found=found, error=error, trials=trials, occurrences=often)
            gap, spread = _moments(one[mix], two[mix])
            record["difference"] = gap * rounds
            record["noticed_after"] = _noticed(gap, spread, confidence)
            record["verdict"] = _dominates(one[mix], two[mix], first.build.name, second.build.name)
            records.append(record)
    return Found(
        records=records,
        notes=(f"noticed after: rounds until the better sum is ahead with {confidence:.4g} chance, by the normal law",),
        verdict=twins.verdict() if simulate else None,
        seed=seed,
        trials=trials if simulate else None,
    )


def _whole_pmf(found: object) -> Floats:
    pmf: Floats | None = getattr(found, "pmf", None)
    if pmf is None:
        raise ValueError(getattr(found, "pmf_refused", None) or "pmf must be known; got none")
    return pmf


def _repeated(pmf: Floats, rounds: int) -> Floats:
    """The distribution of the sum of independent rounds, from 0."""
    summed = PMF(0, pmf).repeat(rounds)
    return np.concatenate((np.zeros(summed.low), summed.p))


def _apart(a: Floats, b: Floats) -> Floats:
    """Chances that the first is above, equal, below."""
    n = max(len(a), len(b))
    one, two = np.pad(a, (0, n - len(a))), np.pad(b, (0, n - len(b)))
    below_one, below_two = np.concatenate(([0.0], np.cumsum(one)[:-1])), np.concatenate(([0.0], np.cumsum(two)[:-1]))
    return np.array([one @ below_two, one @ two, two @ below_one])


def _moments(a: Floats, b: Floats) -> tuple[float, float]:
    """Mean of the difference of one round, and its standard deviation."""
    means = [float(p @ np.arange(len(p))) for p in (a, b)]
    variances = [float(p @ (np.arange(len(p)) - mean) ** 2) for p, mean in zip((a, b), means, strict=True)]
    return means[0] - means[1], sqrt(sum(variances))


def _noticed(gap: float, spread: float, confidence: float) -> int | None:
    if abs(gap) <= _ROUNDING * max(1.0, spread):
        return None
    return max(1, ceil((NormalDist().inv_cdf(confidence) * spread / gap) ** 2))


def _dominates(a: Floats, b: Floats, first: str, second: str) -> str:
    """First-order dominance: at every number of points, the chance to deal at least that many."""
    n = max(len(a), len(b))
    apart = np.cumsum(np.pad(a, (0, n - len(a)))) - np.cumsum(np.pad(b, (0, n - len(b))))
    better, worse = bool((apart < -_ROUNDING).any()), bool((apart > _ROUNDING).any())
    if better and worse:
        return "neither"
    return first if better else second if worse else "equal"


def _simulated(first: Seat, second: Seat, rounds: int, trials: int, seed: int) -> Floats:
    """Shares of the fights, independent for the two, in which the first is above, equal, below, (n_foe, 3)."""
    from analyzer.montecarlo import fights  # noqa: PLC0415 - Numba costs start-up time

    out = np.zeros((len(first.field.foes), 3))
    for foe in range(len(first.field.foes)):
        sums = []
        for side, seat in enumerate((first, second)):
            faced = next(faced for faced in seat.faced if foe in faced.foes)
            ac = faced.acs[faced.foes.index(foe)]
            dice = child_seed(seat.seed(seed, foe), side)
            chunks = fights((faced.plan,), faced.target, ac, trials=trials, seed=dice, rounds=rounds)
            sums.append(np.concatenate([sum(one.total for one in chunk) for chunk in chunks]))
        apart = np.sign(sums[0] - sums[1])
        out[foe] = [np.mean(apart > 0), np.mean(apart == 0), np.mean(apart < 0)]
    return out
