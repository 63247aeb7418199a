"""How precise a simulation must be: what was asked for, the interval of a figure, and when it is narrow enough."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import NormalDist

#: Chance that an interval holds the exact figure, when nothing else is asked for.
CONFIDENCE = 0.99
LOWEST_CONFIDENCE, HIGHEST_CONFIDENCE = 0.5, 0.999999
#: Fewest times a chance must have come up, and not have come up, before a run stops; for a mean, fewest rounds that count in full.
LEAST = 200
#: Share of the allowed error a single look may use. Looking more than once costs a little: measured over stops at the first checkpoint to the
#: tenth, chances from 0.0025 and means of very rare damage, intervals at the full level cover 98.6 to 99.2 % where 99 % is promised, with this share
#: 98.9 to 99.2 %.
SPENT = 0.9

_WIDTH = re.compile(r"\s*(\d{0,15}\.?\d{0,15}(?:[eE][+-]?\d{1,2})?)\s*(%?)\s*", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Occurred:
    """How often a simulation saw what has a chance."""

    count: int
    trials: int

    @property
    def value(self) -> float:
        """The chance as simulated."""
        return self.count / self.trials

    @property
    def settled(self) -> bool:
        """Whether it came up, and did not come up, often enough for its interval to be valid."""
        return min(self.count, self.trials - self.count) >= LEAST

    def interval(self, z: float) -> tuple[float, float]:
        """The score interval of Wilson (1927), valid at small chances too."""
        n, p = self.trials, self.value
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, min(middle - half, p)), min(1.0, max(middle + half, p))


@dataclass(frozen=True, kw_only=True, slots=True)
class Averaged:
    """What a simulation saw of a mean: the sample's mean and variance, and how many of the rounds count in full."""

    trials: int
    value: float
    variance: float
    #: trials divided by the kurtosis: for a chance as small as p about p times the trials, so that rare large values are not taken for absent ones
    effective: float
    #: how far a single round may be from what was seen when nothing varied; infinite when that is not known
    range: float

    @property
    def settled(self) -> bool:
        """Whether the rounds that make the variance are enough for the normal law, or nothing varied at all."""
        return self.effective >= LEAST or self.variance == 0.0

    def interval(self, z: float) -> tuple[float, float]:
        """The interval by the normal law; when nothing varied, what a value never seen may still add (the rule of three)."""
        if self.variance == 0.0:
            missed = 2.0 * NormalDist().cdf(-z)
            half = self.range * (1.0 - missed ** (1.0 / self.trials)) if self.range else 0.0
        else:
            half = z * sqrt(self.variance / self.trials)
        return self.value - half, self.value + half


Seen = Occurred | Averaged


@dataclass(frozen=True, kw_only=True, slots=True)
class Precision:
    """A half-width, absolute in the figure's unit or relative to the figure, at a confidence level, for some figures each by itself."""

    width: float
    relative: bool
    confidence: float
    of: tuple[str, ...]

    @property
    def z(self) -> float:
        """Standard deviations on either side of an interval."""
        return NormalDist().inv_cdf(1.0 - SPENT * (1.0 - self.confidence) / 2.0)

    def interval(self, seen: Seen) -> tuple[float, float]:
        """The interval of a figure at the confidence level."""
        return seen.interval(self.z)

    def reached(self, seen: Seen) -> bool:
        """Whether a figure is settled and its interval narrow enough."""
        low, high = self.interval(seen)
        return seen.settled and (high - low) / 2.0 <= (self.width * abs(seen.value) if self.relative else self.width)

    def __str__(self) -> str:
        width = f"{self.width * 100:g} %" if self.relative else f"{self.width:g}"
        return f"\N{PLUS-MINUS SIGN}{width} of {', '.join(self.of)} at {self.confidence * 100:g} % confidence"


def precision_of(precision: float | str, confidence: float | str = CONFIDENCE, of: str | Iterable[str] = "dpr") -> Precision:
    """What was asked for, checked.

    Parameters
    ----------
    precision : float or str
        ``0.05`` or ``"0.05"``: the half-width in the figure's unit. ``"0.1%"``: relative to the figure.
    confidence : float or str
        0.5 to 0.999999, or ``"99%"``.
    of : str or iterable of str
        The figures, by their columns; whether a build has them is another question.

    Raises
    ------
    ValueError, TypeError
        Anything else, with what would be right.
    """
    width, relative = _share("precision", precision, "a half-width above 0 such as 0.05, or a relative one such as '0.1%'")
    if not 0.0 < width < inf:
        raise ValueError(f"precision must be a half-width above 0 such as 0.05, or a relative one such as '0.1%'; got {precision!r}")
    level, _ = _share("confidence", confidence, f"{LOWEST_CONFIDENCE} to {HIGHEST_CONFIDENCE}, or a percentage such as '99%'")
    if not LOWEST_CONFIDENCE <= level <= HIGHEST_CONFIDENCE:
        raise ValueError(f"confidence must be {LOWEST_CONFIDENCE} to {HIGHEST_CONFIDENCE}, or a percentage such as '99%'; got {confidence!r}")
    names = (of,) if isinstance(of, str) else tuple(of)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"of must be at least one figure such as 'dpr' or 'any_crit'; got {of!r}")
    return Precision(width=width, relative=relative, confidence=level, of=tuple(dict.fromkeys(names)))


def _share(name: str, given: float | str, what: str) -> tuple[float, bool]:
    """A number, and whether it was written in percent."""
    if isinstance(given, str):
        found = _WIDTH.fullmatch(given)
        try:
            value = float(found[1]) if found else inf
        except ValueError:
            value = inf
        if found is None or not isfinite(value):
            raise ValueError(f"{name} must be {what}; got {given!r}")
        return (value / 100.0, True) if found[2] else (value, False)
    if isinstance(given, bool) or not hasattr(given, "__float__"):
        raise TypeError(f"{name} must be {what}; got {given!r}")
    return float(given), False
