"""Which of two sums of damage is ahead: distributions of differences, and the number of rounds from which the better one leads with a given confidence."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from analyzer.pmf import PMF, Floats, Integers

#: Most points of the grid on which a sum of rounds is followed exactly, and most products of it; beyond either the normal law answers.
MAX_GRID = 2**22
MAX_PRODUCTS = 2**26
#: Differences of cumulative chances, relative to the smaller tail, that are rounding.
ROUNDING = 1e-9
#: Chances of a frequency that no longer count.
_NOTHING = 1e-18
#: Numbers of rounds looked at together.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Lead:
    """Rounds from which a sum is ahead: the number, and whether it was found exactly or by the normal law."""

    rounds: int
    exact: bool


def apart(difference: PMF) -> tuple[float, float, float]:
    """Chances that a difference is above, equal to and below 0."""
    above, below = difference.values > 0, difference.values < 0
    return float(difference.p[above].sum()), difference.chance(0), float(difference.p[below].sum())


def dominating(first: Floats, second: Floats) -> int | None:
    """First-order dominance of two distributions of totals 0, 1, ...: 1 the first's, -1 the second's, 0 they are equal, None neither's.

    One dominates when its chance of at least k points is nowhere lower and somewhere higher. Each chance is compared in the tail that is the smaller, so that
    the far tails count too.
    """
    n = max(len(first), len(second))
    one, two = (np.pad(p, (0, n - len(p))) for p in (first, second))
    least = [np.cumsum(p[::-1])[::-1][1:] for p in (one, two)]
    below = [np.cumsum(p)[:-1] for p in (one, two)]
    upper = least[0] + least[1] < below[0] + below[1]
    more = np.where(upper, least[0] - least[1], below[1] - below[0])
    room = ROUNDING * np.where(upper, np.maximum(*least), np.maximum(*below))
    better, worse = bool((more > room).any()), bool((more < -room).any())
    return None if better and worse else int(better) - int(worse)


def lead(difference: PMF, confidence: float) -> Lead | None:
    """The number of rounds from which the sum of independent differences is on the side of its mean with the confidence.

    It is the smallest number such that the chance to be ahead is at least ``confidence`` there and for every larger number looked at, up to twice as many at
    least: chances may fall back, where ties are likely after an even number of rounds. Found exactly on the characteristic function (absolute error about
    1e-13) as long as the sums fit into `MAX_GRID` points and the work into `MAX_PRODUCTS`; beyond that it is what the normal law says.

    Parameters
    ----------
    difference : PMF
        Damage of one round of one side less the other's.
    confidence : float, 0..1

    Returns
    -------
    Lead or None
        None when the mean difference is 0.
    """
    mean, spread = difference.mean, sqrt(difference.variance)
    if abs(mean) <= ROUNDING * max(1.0, spread):
        return None
    better = difference if mean > 0 else difference.negate()
    normal = max(1, ceil((NormalDist().inv_cdf(confidence) * spread / mean) ** 2)) if confidence > 0.5 else 1
    horizon = max(_BLOCK, 1 << ceil(log2(2 * normal)))
    below = _last_below(better, confidence, horizon)
    while below is not None and below > 0:  # still below in the upper half: look further
        horizon *= 2
        below = _last_below(better, confidence, horizon)
    if below is None:
        return Lead(normal, exact=False)
    while below == 0 and horizon > 1:
        horizon //= 2
        below = _last_below(better, confidence, horizon)
        if below is None:
            return Lead(normal, exact=False)
    return Lead(1 + (below or 0), exact=True)


def _last_below(better: PMF, confidence: float, high: int) -> int | None:
    """The last number of rounds in ``high // 2 + 1 .. high`` after which the chance of a sum above 0 is below the confidence; 0: none, None: too much work."""
    first, highest = high // 2 + 1, high * max(better.high, 0)
    size = 1 << ceil(log2(highest - high * min(better.low, 0) + 2))
    if size > MAX_GRID:
        return None
    wave = np.fft.rfft(better.p, size)
    kept = np.flatnonzero(wave.real**2 + wave.imag**2 >= _NOTHING ** (2.0 / first))
    if kept.size * (high - first + 1) > MAX_PRODUCTS:
        return None
    phase = np.asarray(kept * (2.0 * np.pi / size), dtype=np.float64)
    wave = np.conj(wave[kept]) * np.exp(1j * (phase * better.low))
    weight = _above(phase, highest, size) * np.where((kept == 0) | (kept == size // 2), 1.0, 2.0)
    block = min(_BLOCK, high - first + 1)
    steps = np.cumprod(np.vstack([np.ones_like(wave), np.broadcast_to(wave, (block - 1, wave.size))]), axis=0)
    start = first + (high - first) // block * block
    power, back = wave**start * weight, wave**block
    while start > 0:
        counts: Integers = np.arange(start, start + block)
        # no matrix product: a small one is slowed tenfold by the threads of a library that finds the other cores busy
        chances = np.einsum("nk,k->n", steps, power).real
        short = counts[(chances < confidence - 1e-12) & (counts <= high)]
        if short.size:
            return int(short[-1])
        if start == first:
            break
        start, power = start - block, power / back
    return 0


def _above(phase: Floats, highest: int, size: int) -> NDArray[np.complex128]:
    """What each frequency of the characteristic function counts for the sums 1 to ``highest``: a geometric series."""
    turn = np.exp(-1j * phase)
    series: NDArray[np.complex128] = np.full(phase.size, complex(highest))
    moving = phase > 0
    series[moving] = turn[moving] * (1 - np.exp(-1j * (phase[moving] * highest))) / (1 - turn[moving])
    series /= size
    return series
