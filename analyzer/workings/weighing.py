"""Weighing: a figure of several creatures made one, exactly, as simulated, and for the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import TYPE_CHECKING

from analyzer.exact import Round
from analyzer.records import Record, Simulable, beside
from analyzer.records import judged as alone
from analyzer.verdict import MEAN_OCCURRENCES, MEAN_TRIALS, distribution_p

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally


@dataclass(frozen=True, kw_only=True, slots=True)
class Met:
    """A creature as a build meets it: the exact round it is in, its place there, and its tally where it was simulated."""

    exact: Round
    place: int
    tally: Tally | None = None

    @property
    def trials(self) -> int:
        """How many rounds were simulated."""
        return 0 if self.tally is None else self.tally.trials


def same(listed: Sequence[Sequence[Simulable]]) -> Iterator[list[Simulable]]:
    """The figures of several creatures that are called the same, in the order of the first."""
    named = [{figure.name: figure for figure in figures} for figures in listed]
    return ([one[name] for one in named] for name in named[0] if all(name in one for one in named))


def spread(parts: Iterable[tuple[float, float, float]]) -> float:
    """Standard deviation of a round before a creature drawn by the weights, from (weight, mean, standard deviation) of each."""
    listed = [(float(weight), float(mean), float(sd)) for weight, mean, sd in parts]
    middle = sum(weight * mean for weight, mean, _ in listed)
    return sqrt(sum(weight * (sd * sd + (mean - middle) ** 2) for weight, mean, sd in listed))


def weighed(parts: Sequence[tuple[float, Met]], group: Sequence[Simulable]) -> Record:
    """The columns of a figure weighed over creatures whose dice are independent."""
    name = group[0].name
    exact = sum(weight * figure.exact for (weight, _), figure in zip(parts, group, strict=True))
    single = [figure.columns(one.tally.trials) for (_, one), figure in zip(parts, group, strict=True) if one.tally is not None]
    if len(single) < len(group) or any(f"{name}_mc" not in one for one in single):
        return {name: exact}
    weights = [weight for weight, _ in parts]
    found = sum(weight * float(one[f"{name}_mc"] or 0.0) for weight, one in zip(weights, single, strict=True))
    error = sqrt(sum((weight * float(one[f"{name}_se"] or 0.0)) ** 2 for weight, one in zip(weights, single, strict=True)))
    return {name: exact, **beside(name, found, error or None, exact, _exact_error(parts, group))}


def _exact_error(parts: Sequence[tuple[float, Met]], group: Sequence[Simulable]) -> float:
    """The standard error that the exact deviations give a weighed figure."""
    return sqrt(sum((weight * figure.spread) ** 2 / one.tally.trials for (weight, one), figure in zip(parts, group, strict=True) if one.tally is not None))


def judged(parts: Sequence[tuple[float, Met]], group: Sequence[Simulable]) -> float | None:
    """The p of a figure: of a single creature by itself, of several by the normal law where there is enough of it."""
    if len(parts) == 1:
        tally = parts[0][1].tally
        return None if tally is None else alone(group[0], tally)
    found = weighed(parts, group)
    name = group[0].name
    if f"{name}_mc" not in found:
        return None
    off = abs(float(found[f"{name}_mc"] or 0.0) - float(found[name] or 0.0))
    error = _exact_error(parts, group)
    if error <= 0.0:
        return 1.0 if off <= 1e-9 * max(1.0, abs(float(found[name] or 0.0))) else 0.0
    trials = [one.tally.trials for _, one in parts if one.tally is not None]
    often = sum(n * figure.often for n, figure in zip(trials, group, strict=True))
    return erfc(off / error / sqrt(2.0)) if min(trials) >= MEAN_TRIALS and often >= MEAN_OCCURRENCES else None


def distribution(one: Met) -> float | None:
    """The chi-square p of a creature's totals; None where they cannot be judged."""
    if one.tally is None or one.tally.histogram is None or one.exact.pmf is None:
        return None
    return distribution_p(one.tally.histogram, one.exact.pmf[one.place])
