"""What a simulation counted: integers only, so that tallies add up to the same bytes in any order."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo.kernel import Tallies
from analyzer.montecarlo.lower import Lowered, histogram_size


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """Counts over ``trials`` rounds of one build at one AC.

    Sums of damage are Python integers and grow without bound; counts are int64 arrays.
    """

    trials: int
    #: (n_totals,) trials by total damage; None when a round has too many totals to keep apart
    histogram: NDArray[np.int64] | None
    #: (n_steps + 1, n_steps + 1) trials by number of hits and of criticals
    table: NDArray[np.int64]
    #: (n_steps, 4) attacks by final degree
    counts: NDArray[np.int64]
    #: (n_steps, 4) damage by final degree: sum and sum of squares over attacks
    sums: NDArray[np.object_]
    squares: NDArray[np.object_]
    #: (n_steps,) threats, and criticals with an effect
    threats: NDArray[np.int64]
    effects: NDArray[np.int64]
    #: trials in which a named effect came up at least once
    any_effect: dict[str, int]
    #: sum and sum of squares of the rounds' damage
    total: int
    total_squares: int

    def __add__(self, other: Self) -> Self:
        histogram = None if self.histogram is None or other.histogram is None else self.histogram + other.histogram
        return type(self)(
            trials=self.trials + other.trials,
            histogram=histogram,
            table=self.table + other.table,
            counts=self.counts + other.counts,
            sums=self.sums + other.sums,
            squares=self.squares + other.squares,
            threats=self.threats + other.threats,
            effects=self.effects + other.effects,
            any_effect={name: count + other.any_effect[name] for name, count in self.any_effect.items()},
            total=self.total + other.total,
            total_squares=self.total_squares + other.total_squares,
        )

    def __bytes__(self) -> bytes:
        arrays = (self.table, self.counts, self.threats, self.effects) + (() if self.histogram is None else (self.histogram,))
        numbers = (self.trials, self.total, self.total_squares, self.sums.tolist(), self.squares.tolist(), sorted(self.any_effect.items()))
        return b"".join(a.astype("<i8").tobytes() for a in arrays) + repr(numbers).encode()

    @property
    def mean(self) -> float:
        """Mean damage points per round."""
        return self.total / self.trials

    @property
    def standard_error(self) -> float:
        """That of the mean, from the sample; 0 when it saw no variation."""
        spread = self.trials * self.total_squares - self.total**2
        return sqrt(spread / (self.trials - 1)) / self.trials if spread > 0 and self.trials > 1 else 0.0


def empty_arrays(lowered: Lowered) -> Tallies:
    """Zeroed int64 arrays for one run of the kernel."""
    n = lowered.n_steps
    return Tallies(
        histogram=np.zeros(histogram_size(lowered), np.int64),
        table=np.zeros((n + 1, n + 1), np.int64),
        counts=np.zeros((n, 4), np.int64),
        sums=np.zeros((n, 4), np.int64),
        squares=np.zeros((n, 4), np.int64),
        threats=np.zeros(n, np.int64),
        effects=np.zeros(n, np.int64),
        any_effect=np.zeros(len(lowered.effects), np.int64),
        totals=np.zeros(2, np.int64),
    )


def freeze(lowered: Lowered, trials: int, arrays: Tallies) -> Tally:
    """A tally of what one run of the kernel counted."""
    return Tally(
        trials=trials,
        histogram=arrays.histogram if histogram_size(lowered) else None,
        table=arrays.table,
        counts=arrays.counts,
        sums=arrays.sums.astype(object),
        squares=arrays.squares.astype(object),
        threats=arrays.threats,
        effects=arrays.effects,
        any_effect={name: int(count) for name, count in zip(lowered.effects, arrays.any_effect, strict=True)},
        total=int(arrays.totals[0]),
        total_squares=int(arrays.totals[1]),
    )
