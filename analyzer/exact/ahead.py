"""Which of two sums of damage is ahead: distributions of differences, and the number of rounds from which the better one leads with a given confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from analyzer.pmf import NOTHING, PMF, Floats, Integers, add_up

#: Most points of the grid on which a sum of rounds is followed exactly, and most products of it; beyond either the normal law answers.
MAX_GRID = 2**22
MAX_PRODUCTS = 2**26
#: Differences of cumulative chances, relative to the smaller tail, that are rounding.
ROUNDING = 1e-9
#: Chances of a frequency that no longer count.
_NOTHING = 1e-18
#: Numbers of rounds looked at together, and frequencies of a cell of the grid.
_BLOCK = 64
_CELL = 32

Waves = NDArray[np.complex128]


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


def over(rounds: Sequence[PMF], number: int) -> PMF:
    """The sum of so many independent rounds, the last of those listed repeating."""
    before = rounds[: min(number, len(rounds)) - 1]
    return add_up([*before, rounds[len(before)].repeat(number - len(before))])


def lead(rounds: Sequence[PMF], confidence: float) -> Lead | None:
    """The number of rounds from which the sum of independent differences is on the side that is ahead in the long run with the confidence.

    It is the smallest number such that the chance to be ahead is at least ``confidence`` there and for every larger number looked at, up to twice as many at
    least: chances may fall back, where ties are likely after an even number of rounds. Found exactly on the characteristic function (absolute error about
    1e-13) as long as the sums fit into `MAX_GRID` points and the work into `MAX_PRODUCTS`; beyond that it is what the normal law says.

    Parameters
    ----------
    rounds : sequence of PMF
        Damage of one side less the other's, round by round from the first; the last of them repeats.
    confidence : float, 0..1

    Returns
    -------
    Lead or None
        None when the mean difference of the round that repeats is 0.
    """
    mean, spread = rounds[-1].mean, sqrt(rounds[-1].variance)
    if abs(mean) <= ROUNDING * max(1.0, spread):
        return None
    sided = rounds if mean > 0 else [one.negate() for one in rounds]
    sums = [sided[0]]
    for one in sided[1:-1]:
        sums.append(sums[-1] + one)
    first, repeats = (sums[-1], sided[-1]) if len(sided) > 1 else (NOTHING, sided[-1])
    listed = len(sided) - 1
    normal = _by_normal_law(first, repeats, confidence)
    horizon = max(_BLOCK, 1 << ceil(log2(2 * normal)))
    below = _last_below(first, repeats, confidence, horizon)
    while below is not None and below > 0:  # still below in the upper half: look further
        horizon *= 2
        below = _last_below(first, repeats, confidence, horizon)
    while below == 0 and horizon > 1:
        horizon //= 2
        below = _last_below(first, repeats, confidence, horizon)
    if below is None:
        return Lead(listed + normal, exact=False)
    if below > 0 or listed == 0:
        return Lead(listed + below + 1, exact=True)
    short = (number for number in range(listed, 0, -1) if apart(sums[number - 1])[0] < confidence - 1e-12)
    return Lead(1 + next(short, 0), exact=True)


def _by_normal_law(first: PMF, repeats: PMF, confidence: float) -> int:
    """How many repeated rounds, 1 at least, after a first sum: those at which the mean is so many deviations above 0."""
    sure = NormalDist().inv_cdf(confidence) if confidence > 0.5 else 0.0
    (begun, varied), (mean, variance) = first.moments(), repeats.moments()
    # mean * n + begun = sure * sqrt(varied + variance * n), squared: the larger root
    half = (sure**2 * variance - 2.0 * mean * begun) / (2.0 * mean**2)
    inside = half**2 - (begun**2 - sure**2 * varied) / mean**2
    return max(1, ceil(half + sqrt(inside))) if inside > 0 else 1


def _last_below(first: PMF, repeats: PMF, confidence: float, high: int) -> int | None:
    """The last number of repeated rounds in ``high // 2 + 1 .. high`` after which the chance of a sum above 0 is below the confidence; 0: none.

    None is too much work.
    """
    least, highest = high // 2 + 1, high * max(repeats.high, 0) + max(first.high, 0)
    size = 1 << ceil(log2(highest - high * min(repeats.low, 0) - min(first.low, 0) + 2))
    if size > MAX_GRID:
        return None
    kept, wave = _waves(repeats, size, _NOTHING ** (2.0 / least))
    if kept.size * (high - least + 1) > MAX_PRODUCTS:
        return None
    phase = np.asarray(kept * (2.0 * np.pi / size), dtype=np.float64)
    weight = _above(phase, highest, size) * np.where((kept == 0) | (kept == size // 2), 1.0, 2.0)
    if first.p.size > 1 or first.low:
        weight *= np.conj(np.fft.rfft(first.p, size)[kept]) * np.exp(1j * (phase * first.low))
    block = min(_BLOCK, high - least + 1)
    steps = np.ones((block, kept.size), dtype=np.complex128)
    done, back = 1, wave
    while done < block:
        np.multiply(steps[:done], back, out=steps[done : 2 * done])
        done, back = 2 * done, back * back
    start = high - block + 1
    power = wave**start * weight
    while True:
        counts: Integers = np.arange(start, start + block)
        # The real part of a product is the inner product of a number with the conjugate of the other. No matrix product: a small one is slowed tenfold by the
        # threads of a library that finds the other cores busy.
        chances = np.einsum("nk,k->n", steps.view(np.float64), np.conj(power).view(np.float64))
        short = counts[chances < confidence - 1e-12]
        if short.size:
            return int(short[-1])
        if start == least:
            return 0
        start, power = start - block, power / back


def _waves(pmf: PMF, size: int, least: float) -> tuple[Integers, Waves]:
    """The frequencies, of 0 to half of a grid of ``size`` points, whose squared characteristic function is at least so large, and its values there.

    The square's second derivative is at most twice the variance, which bounds it between every `_CELL`-th frequency and the next; the frequencies of cells that
    may hold a large one are worked out one by one.
    """
    wide, listed = size // _CELL, None
    if wide >= 2 * pmf.p.size:
        coarse = np.fft.rfft(pmf.p, wide)
        square = coarse.real**2 + coarse.imag**2
        room = (2.0 * np.pi / wide) ** 2 * pmf.variance / 4.0
        cells = np.flatnonzero(np.maximum(square, np.append(square[1:], 0.0)) + room >= least)
        if cells.size * _CELL * pmf.p.size <= 2 * size:
            listed, wave = (cells[:, np.newaxis] * _CELL + np.arange(_CELL)).ravel(), _in_cells(pmf.p, cells, size).ravel()
            listed, wave = listed[listed <= size // 2], wave[listed <= size // 2]
    if listed is None:
        listed, wave = np.arange(size // 2 + 1), np.conj(np.fft.rfft(pmf.p, size))
    large = wave.real**2 + wave.imag**2 >= least
    kept = listed[large]
    return kept, wave[large] * np.exp(1j * (kept * (2.0 * np.pi / size) * pmf.low))


def _in_cells(p: Floats, cells: Integers, size: int) -> Waves:
    """The sums of ``p`` times the unit numbers of every frequency of some cells, (n_cells, `_CELL`): a turn of the cell times one inside it."""
    points, wide = np.arange(p.size), size // _CELL
    of_cell = p * np.exp((2j * np.pi / wide) * (cells[:, np.newaxis] * points % wide))
    inside = np.exp((-2j * np.pi / size) * (np.arange(_CELL)[:, np.newaxis] * points % size))
    # real and imaginary part of each product as inner products of real numbers, which come a register at a time
    parts = np.stack([inside, 1j * inside], axis=1).reshape(2 * _CELL, p.size)
    sums = np.einsum("cx,fx->cf", of_cell.view(np.float64), parts.view(np.float64))
    return np.ascontiguousarray(sums).view(np.complex128)


def _above(phase: Floats, highest: int, size: int) -> Waves:
    """What each frequency of the characteristic function counts for the sums 1 to ``highest``: a geometric series."""
    turn = np.exp(-1j * phase)
    series: Waves = np.full(phase.size, complex(highest))
    moving = phase > 0
    series[moving] = turn[moving] * (1 - np.exp(-1j * (phase[moving] * highest))) / (1 - turn[moving])
    series /= size
    return series
