"""Pairs: sides played with the same dice, so that the difference of two has less noise than either."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo import pool
from analyzer.montecarlo.lower import Lowered, lower
from analyzer.montecarlo.simulate import BLOCK, check_trials, key_of, nothing_recorded
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Plan, Target

#: Trials whose totals are held for every side at a time, and trials of one piece of work.
CHUNK = 2**15
PIECE = 2**18


@dataclass(frozen=True, kw_only=True, slots=True)
class PairTally:
    """Sums over the rounds of two sides, round by round with common dice; Python integers."""

    trials: int
    first: int
    second: int
    #: sum of the squared differences of the rounds' damage, and of their products
    squares: int
    products: int
    #: rounds in which the two differ
    unequal: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(
            trials=self.trials + other.trials,
            first=self.first + other.first,
            second=self.second + other.second,
            squares=self.squares + other.squares,
            products=self.products + other.products,
            unequal=self.unequal + other.unequal,
        )

    @property
    def difference(self) -> float:
        """Mean damage points per round of the first side less the second's."""
        return (self.first - self.second) / self.trials

    @property
    def standard_error(self) -> float | None:
        """The paired standard error of the difference; None when it never varied."""
        spread = self.trials * self.squares - (self.first - self.second) ** 2
        return sqrt(spread / (self.trials - 1)) / self.trials if spread > 0 and self.trials > 1 else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Piece:
    """Some consecutive trials of several sides."""

    sides: tuple[tuple[Plan, Target], ...]
    pairs: tuple[tuple[int, int], ...]
    seed: int
    first: int
    trials: int


class _Pieces:
    """Hands out the trials of some sides piece by piece, and adds up what they come to."""

    def __init__(self, sides: Sequence[tuple[Plan, Target]], pairs: Sequence[tuple[int, int]], *, trials: int, seed: int) -> None:
        self._left = deque(
            _Piece(sides=tuple(sides), pairs=tuple(pairs), seed=seed, first=first, trials=min(PIECE, trials - first)) for first in range(0, trials, PIECE)
        )
        self.sums: tuple[PairTally, ...] | None = None

    def take(self) -> _Piece | None:
        """The next piece."""
        return self._left.popleft() if self._left else None

    def put(self, _piece: _Piece, result: tuple[PairTally, ...]) -> None:
        """Add what a piece came to: integers, so that the order does not matter."""
        self.sums = result if self.sums is None else tuple(a + b for a, b in zip(self.sums, result, strict=True))


def _totals(side: Lowered, seed: int, first: int, trials: int) -> NDArray[np.int64]:
    total = np.zeros(trials, np.int64)
    k.run(side.program, key_of(seed), first, trials, min(BLOCK, trials), 0, empty_arrays(side), nothing_recorded()._replace(total=total))
    return total


def _perform(piece: _Piece) -> tuple[PairTally, ...]:
    """What a piece comes to, a tally per pair. Picklable, so that any executor can run it."""
    sides = [lower(plan, target, target.ac) for plan, target in piece.sides]
    sums = [[0] * 5 for _ in piece.pairs]
    # Squares of totals stay below 2**63 within one chunk.
    chunk = max(1, min(CHUNK, 2**62 // max(1, *(side.highest for side in sides)) ** 2))
    for start in range(piece.first, piece.first + piece.trials, chunk):
        size = min(chunk, piece.first + piece.trials - start)
        totals = [_totals(side, piece.seed, start, size) for side in sides]
        for row, (i, j) in zip(sums, piece.pairs, strict=True):
            a, b = totals[i], totals[j]
            apart = a - b
            for place, value in enumerate((a.sum(), b.sum(), np.dot(apart, apart), np.dot(a, b), np.count_nonzero(apart))):
                row[place] += int(value)
    return tuple(
        PairTally(trials=piece.trials, first=first, second=second, squares=squares, products=products, unequal=unequal)
        for first, second, squares, products, unequal in sums
    )


def paired_sides(
    sides: Sequence[tuple[Plan, Target]],
    pairs: Sequence[tuple[int, int]],
    *,
    trials: int,
    seed: int,
    workers: int = 1,
    executor: Executor | None = None,
) -> tuple[PairTally, ...]:
    """Several sides over the same rounds of a seed, and the sums of some pairs of them; the same for any number of workers.

    Parameters
    ----------
    sides : sequence of (Plan, Target)
        What is played against what, each at its target's own defences.
    pairs : sequence of (int, int)
        Numbers of two sides each.
    trials : int
        Rounds.
    seed : int
        Any non-negative integer; the rounds are those that `simulate` plays.
    workers : int
        Threads.
    executor : Executor, optional
        Where to run instead.

    Raises
    ------
    ValueError
        Trials or seed out of range.
    """
    check_trials(trials)
    key_of(seed)
    if not pairs:
        return ()
    pieces = _Pieces(sides, pairs, trials=trials, seed=seed)
    pool.run(_perform, pieces, workers=workers, executor=executor)
    return pieces.sums or ()


def paired(first: tuple[Plan, Target], second: tuple[Plan, Target], *, trials: int, seed: int, workers: int = 1) -> PairTally:
    """Two sides over the same rounds of a seed: `paired_sides` of them alone."""
    return paired_sides((first, second), ((0, 1),), trials=trials, seed=seed, workers=workers)[0]
