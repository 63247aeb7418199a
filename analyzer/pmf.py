"""An integer-valued probability mass function whose every operation adds and multiplies non-negative numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analyzer.plan import Die, PlanError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Widest support of one PMF.
MAX_SUPPORT = 2**20
#: Largest value of one PMF, far inside int64.
MAX_VALUE = 2**40

#: How a frozen value fills itself.
_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False, init=False)
class PMF:
    """Probabilities of the integers ``low, low + 1, ...``; zeros at both ends are trimmed and the array is read-only.

    Nothing subtracts, so a probability keeps a relative accuracy of about 1e-14 down to 1e-290, far tails included.

    Parameters
    ----------
    low
        The value of the first entry.
    p : (n,) float64, chance 0..1
        Chances of ``low + arange(n)``.

    Raises
    ------
    PlanError
        When the support is wider than `MAX_SUPPORT`.
    """

    low: int
    p: Floats

    def __init__(self, low: int, p: Floats) -> None:
        if p[0] == 0 or p[-1] == 0 or p.size > MAX_SUPPORT:
            low, p = _trimmed(low, p)
        p = p.view()
        p.setflags(write=False)
        _set(self, "low", low)
        _set(self, "p", p)

    @classmethod
    def point(cls, value: int) -> Self:
        """The sure value."""
        return cls(value, np.ones(1))

    @classmethod
    def mix(cls, parts: Iterable[tuple[float, PMF]]) -> Self:
        """The mixture of PMFs, each with its weight."""
        weighted = [(weight, part) for weight, part in parts if weight > 0]
        low, high = min(part.low for _, part in weighted), max(part.high for _, part in weighted)
        _check_span(high - low + 1)
        p = np.zeros(high - low + 1)
        for weight, part in weighted:
            p[part.low - low : part.high - low + 1] += weight * part.p
        return cls(low, p)

    @property
    def high(self) -> int:
        """The highest value."""
        return self.low + self.p.size - 1

    @property
    def values(self) -> Integers:
        """The values, (n,) int64."""
        return np.arange(self.low, self.low + self.p.size, dtype=np.int64)

    @property
    def mean(self) -> float:
        """The mean; exact for a sure value."""
        return self.moments()[0]

    @property
    def variance(self) -> float:
        """The variance, summed about the mean; exactly 0 for a sure value."""
        return self.moments()[1]

    def moments(self) -> tuple[float, float]:
        """Mean and variance in one go."""
        steps = np.arange(self.p.size, dtype=np.float64)
        total = self.p.sum()
        offset = float(self.p @ steps / total)
        steps -= offset
        steps *= steps
        return self.low + offset, float(self.p @ steps / total)

    def chance(self, value: int) -> float:
        """The chance of one value."""
        return float(self.p[value - self.low]) if self.low <= value <= self.high else 0.0

    def tail(self, value: int) -> float:
        """The chance of at least ``value``."""
        return float(self.p[max(0, value - self.low) :].sum())

    def __add__(self, other: PMF) -> PMF:
        """The sum of two independent variables: direct convolution, because an FFT loses the tails to cancellation."""
        if self.p.size == 1 and self.p[0] == 1:
            return other.shift(self.low)
        if other.p.size == 1 and other.p[0] == 1:
            return self.shift(other.low)
        _check_span(self.p.size + other.p.size - 1)
        return PMF(self.low + other.low, np.convolve(self.p, other.p))

    def repeat(self, n: int) -> PMF:
        """The sum of ``n`` independent copies, by squaring."""
        _check_span((self.p.size - 1) * n + 1)
        total, square = None, self
        while n:
            if n & 1:
                total = square if total is None else total + square
            n >>= 1
            if n:
                square = square + square
        return NOTHING if total is None else total

    def map(self, function: Callable[[Integers], Integers]) -> PMF:
        """The distribution of ``function`` of the value; ``function`` takes and returns an int64 array."""
        return weigh(function(self.values), self.p)

    def floor(self, minimum: int | None) -> PMF:
        """The distribution of the value, at least ``minimum`` (None: no floor)."""
        if minimum is None or minimum <= self.low:
            return self
        if minimum >= self.high:
            return PMF.point(minimum)
        cut = minimum - self.low
        return PMF(minimum, np.concatenate(([self.p[: cut + 1].sum()], self.p[cut + 1 :])))

    def scale(self, factor: int) -> PMF:
        """The distribution of ``factor`` times the value, ``factor`` 0 or more."""
        if factor == 1:
            return self
        if factor == 0:
            return NOTHING
        _check_span((self.p.size - 1) * factor + 1)
        p = np.zeros((self.p.size - 1) * factor + 1)
        p[::factor] = self.p
        return PMF(self.low * factor, p)

    def shift(self, amount: int) -> PMF:
        """The distribution of the value plus ``amount``."""
        return PMF(self.low + amount, self.p) if amount else self

    def negate(self) -> PMF:
        """The distribution of minus the value."""
        return PMF(-self.high, self.p[::-1])

    def best_of(self, n: int) -> PMF:
        """The distribution of the highest of ``n`` independent copies.

        ``F(k)**n - F(k-1)**n`` cancels where p is small; the same number is ``p(k)`` times the sum over i of ``F(k)**i * F(k-1)**(n-1-i)``.
        """
        if n == 1:
            return self
        upto = np.cumsum(self.p)
        below = np.concatenate(([0.0], upto[:-1]))
        terms: Floats = sum((upto**i * below ** (n - 1 - i) for i in range(n)), start=np.zeros_like(upto))
        return PMF(self.low, self.p * terms)


#: The sure value 0.
NOTHING = PMF.point(0)


def weigh(values: Integers, weights: Floats) -> PMF:
    """The distribution of ``values`` that occur with chances ``weights``: equal values are added up."""
    low, high = int(values.min()), int(values.max())
    _check_span(high - low + 1)
    if max(high, -low) > MAX_VALUE:
        raise PlanError(f"damage must be at most {MAX_VALUE}; got {max(high, -low)}")
    return PMF(low, np.bincount((values - low).ravel(), weights=weights.ravel()).astype(np.float64))


@lru_cache(maxsize=1024)
def die_pmf(die: Die) -> PMF:
    """The sum of a `Die`: candidates rerolled once, floored, the best kept, then ``count`` of them added or subtracted."""
    p = np.full(die.sides, 1 / die.sides)
    if die.reroll_to:
        faces = np.arange(1, die.sides + 1)
        p = ((faces > die.reroll_to) * die.sides + die.reroll_to) / die.sides**2
    one = PMF(1, p).floor(die.at_least).best_of(die.best_of)
    return (one if die.sign > 0 else one.negate()).repeat(die.count)


def dice_pmf(dice: Iterable[Die]) -> PMF:
    """The sum of several dice."""
    return add_up(die_pmf(die) for die in dice)


def add_up(terms: Iterable[PMF]) -> PMF:
    """The sum of independent variables; of none, `NOTHING`."""
    total = None
    for term in terms:
        total = term if total is None else total + term
    return NOTHING if total is None else total


def _trimmed(low: int, p: Floats) -> tuple[int, Floats]:
    """Chances without the zeros at both ends."""
    _check_span(p.size)
    held = np.flatnonzero(p)
    if held.size == 0:
        raise PlanError("p must be chances with one above 0 at least; got zeros")
    return low + int(held[0]), p[held[0] : held[-1] + 1]


def _check_span(span: int) -> None:
    if span > MAX_SUPPORT:
        raise PlanError(f"damage must be spread over at most {MAX_SUPPORT} totals; got {span}")
