"""Twins: what a simulation says beside exact figures, with standard errors, and one verdict over all that was shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import erfc, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from analyzer.pmf import Floats
from analyzer.records import Record, beside
from analyzer.verdict import MEAN_OCCURRENCES, MEAN_TRIALS, Figure, Verdict, chance_p, distribution_p, judge, mean_p


@dataclass(slots=True)
class Twins:
    """Collects the figures of an answer as their columns are made."""

    figures: list[Figure] = field(default_factory=list)

    def chance(self, where: str, name: str, *, exact: float, count: int, trials: int) -> Record:
        """The columns of a chance seen ``count`` times in ``trials`` rounds: exact, ``_mc``, ``_se``, ``_z``; judged by its exact binomial p."""
        self._note(name, where, chance_p(count, trials, exact))
        found = count / trials
        error = sqrt(found * (1.0 - found) / trials) or None
        return {name: exact, **beside(name, found, error, exact, sqrt(max(exact * (1.0 - exact), 0.0) / trials))}

    def chances(self, where: str, name: str, *, exact: float, seen: Sequence[tuple[float, int, int]]) -> Record:
        """The columns of a chance weighed over foes with dice of their own, each with its weight, how often it was ``seen``, and in how many trials."""
        if len(seen) == 1:
            return self.chance(where, name, exact=exact, count=seen[0][1], trials=seen[0][2])
        shares = [(weight, count / trials, trials) for weight, count, trials in seen]
        found = sum(weight * share for weight, share, _ in shares)
        error = sqrt(sum(weight**2 * share * (1.0 - share) / trials for weight, share, trials in shares))
        trials = min(trials for _, _, trials in seen)
        return self.estimate(where, name, exact=exact, found=found, error=error, trials=trials, occurrences=trials * min(exact, 1.0 - exact))

    def mean(self, where: str, name: str, *, exact: float, sd: float, found: float, error: float | None, trials: int, occurring: float = 1.0) -> Record:
        """The columns of the mean of ``trials`` rounds, whose exact standard deviation is ``sd``; ``occurring`` is the chance that a round is not zero.

        ``error`` is the simulation's own standard error, None when it saw no variation.
        """
        self._note(name, where, mean_p(found, trials, exact, sd, occurring))
        return {name: exact, **beside(name, found, error or None, exact, sd / sqrt(trials))}

    def estimate(self, where: str, name: str, *, exact: float, found: float, error: float | None, trials: int, occurrences: float | None = None) -> Record:
        """The columns of a figure made of several simulated ones, such as a weighted mean, a difference or a ratio, judged by its standard error.

        Not judged with too few trials, or with ``occurrences`` below what a normal law needs. A figure that ought to have come up often enough, but was never
        seen to vary, must be equal.
        """
        error = error if error is not None and isfinite(error) and error > 0.0 else None
        few = trials < MEAN_TRIALS or (occurrences is not None and occurrences < MEAN_OCCURRENCES)
        p = None if few or error is None else erfc(abs(found - exact) / error / sqrt(2.0))
        if error is None and abs(found - exact) <= 1e-9 * max(1.0, abs(exact)):
            p = 1.0
        elif error is None and not few and occurrences is not None:
            p = 0.0
        self._note(name, where, p)
        return {name: exact, **beside(name, found, error, exact, error or 0.0)}

    def distribution(self, where: str, *, exact: Floats, counts: NDArray[np.int64]) -> None:
        """Judge a whole distribution, by the chi-square of how often each total was seen; it has no columns."""
        self._note("distribution", where, distribution_p(counts, exact))

    def verdict(self) -> Verdict:
        """Whether the engines agree on all of it."""
        return judge(self.figures)

    def _note(self, name: str, where: str, p: float | None) -> None:
        self.figures.append(Figure(name=f"{name} of {where}", p=p))
