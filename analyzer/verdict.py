"""The verdict: do the exact and the simulated figures agree, as one test over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

#: Chance that two engines which agree are called apart, over the whole family of figures.
ALPHA = 1e-6
#: Fewest trials from which a mean is judged, and fewest expected trials in which it is not zero. A rare count's upper tail at p = 1e-9 is 1.5 times the
#: normal law's with 10,000 of them (Poisson), and 4.8 times with 400; below, its chance is judged instead, exactly.
MEAN_TRIALS = 100_000
MEAN_OCCURRENCES = 10_000
#: Fewest expected trials of a bin of the chi-square test.
BIN_EXPECTS = 400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One simulated figure beside its exact value; ``p`` is None when it is not judged."""

    name: str
    p: float | None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Verdict:
    """The outcome of one family of tests (Bonferroni: shared dice are allowed)."""

    #: figures in the family, and those that could be judged
    tests: int
    judged: int
    smallest_p: float
    #: the figure with the smallest p
    figure: str
    #: every figure below the threshold, worst first
    disagreements: tuple[str, ...]

    @property
    def threshold(self) -> float:
        """The p below which a figure disagrees."""
        return ALPHA / max(self.tests, 1)

    @property
    def agree(self) -> bool:
        """Whether no figure is below the threshold."""
        return not self.disagreements

    def __repr__(self) -> str:
        word = "agree" if self.agree else "DISAGREE"
        return (
            f"The two engines {word}: {self.tests} figures compared, smallest p = {self.smallest_p:.2g} ({self.figure}); "
            f"p < {self.threshold:.1g} would be a disagreement"
        )


def judge(figures: Iterable[Figure]) -> Verdict:
    """The verdict over a family of figures."""
    family = list(figures)
    judged = sorted((f.p, f.name) for f in family if f.p is not None)
    threshold = ALPHA / max(len(family), 1)
    smallest, name = judged[0] if judged else (1.0, "nothing to judge")
    return Verdict(
        tests=len(family),
        judged=len(judged),
        smallest_p=smallest,
        figure=name,
        disagreements=tuple(name for p, name in judged if p < threshold),
    )


def chance_p(count: int, trials: int, chance: float) -> float:
    """Exact two-sided binomial p of ``count`` in ``trials``: twice the smaller tail; 0 when the chance is 0 or 1 and a trial says otherwise."""
    from scipy.special import betainc, betaincc  # noqa: PLC0415 - scipy costs start-up time and the exact path does without

    if chance <= 0.0 or chance >= 1.0:
        return 1.0 if count == (trials if chance >= 1.0 else 0) else 0.0
    # The tails as incomplete beta functions: scipy's binomial ones know no more than 2**31 trials.
    below = float(betaincc(count + 1, trials - count, chance)) if count < trials else 1.0
    above = float(betainc(count, trials - count + 1, chance)) if count > 0 else 1.0
    return min(1.0, 2.0 * min(below, above))


def mean_p(mean: float, trials: int, exact: float, sd: float, occurring: float) -> float | None:
    """Two-sided p of a simulated mean by the exact SD.

    None when the trials, or those in which the figure is expected not to be zero (chance ``occurring``), are too few. A figure that
    does not vary must be equal.
    """
    if sd <= 0.0:
        return 1.0 if abs(mean - exact) <= 1e-9 * max(1.0, abs(exact)) else 0.0
    if trials < MEAN_TRIALS or trials * occurring < MEAN_OCCURRENCES:
        return None
    return erfc(abs(mean - exact) / sd * sqrt(trials) / sqrt(2.0))


def distribution_p(histogram: NDArray[np.int64], pmf: NDArray[np.float64]) -> float | None:
    """Chi-square p of a histogram of totals against an exact distribution.

    Neighbouring totals are merged until each bin expects at least `BIN_EXPECTS`; None with fewer than two bins. A total that cannot occur gives 0.
    """
    from scipy.special import chdtrc  # noqa: PLC0415 - scipy costs start-up time and the exact path does without

    size = max(len(histogram), len(pmf))
    observed = np.zeros(size)
    observed[: len(histogram)] = histogram
    expected = np.zeros(size)
    expected[: len(pmf)] = pmf * histogram.sum()
    if np.any(observed[expected == 0.0] > 0):
        return 0.0
    edges = [0]
    room = 0.0
    for total, weight in enumerate(expected.tolist(), start=1):
        room += weight
        if room >= BIN_EXPECTS:
            edges.append(total)
            room = 0.0
    edges[-1] = size
    bins = len(edges) - 1
    if bins < 2:
        return None
    found = np.add.reduceat(observed, edges[:-1])
    wanted = np.add.reduceat(expected, edges[:-1])
    return float(chdtrc(bins - 1, float(np.sum((found - wanted) ** 2 / wanted))))
