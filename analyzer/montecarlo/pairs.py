"""Pairs: sides played with the same dice, so that the difference of two has less noise than either."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo import pool
from analyzer.montecarlo.fights import fights
from analyzer.montecarlo.lower import Lowered
from analyzer.montecarlo.points import hit_points
from analyzer.montecarlo.simulate import BLOCK, check_trials, key_of, program_of
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Die, Plan, Target

Totals = NDArray[np.int64]
#: A plan per round, the last repeating; what is attacked, at which value of the swept defence, one for all rounds or each; its hit points as dice and a
#: number, at least 1.
Fight = tuple[Sequence[Plan], Target | Sequence[Target], int | Sequence[int], tuple[Sequence[Die], int]]
#: Trials whose totals are held for every side at a time, and trials of one piece of work.
CHUNK = 2**15
PIECE = 2**18


@dataclass(frozen=True, slots=True)
class PairTally:
    """Sums over the trials of two sides, trial by trial with common dice; Python integers."""

    trials: int
    first: int
    second: int
    #: sum of the squared differences of the trials' values, and of their products
    squares: int
    products: int
    #: sum of the squares of the first side
    first_squares: int
    #: trials in which the two differ
    apart: int

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def difference(self) -> float:
        """Mean of the first side less the second's: damage points per round, or chance."""
        return (self.first - self.second) / self.trials

    @property
    def standard_error(self) -> float | None:
        """The paired standard error of the difference; None when it never varied."""
        return self._error(self.first - self.second, self.squares)

    @property
    def means(self) -> tuple[float, float]:
        """The mean of each side."""
        return self.first / self.trials, self.second / self.trials

    @property
    def standard_errors(self) -> tuple[float | None, float | None]:
        """The standard error of each side's mean; None where it never varied."""
        second_squares = self.squares + 2 * self.products - self.first_squares
        return self._error(self.first, self.first_squares), self._error(self.second, second_squares)

    def _error(self, total: int, squares: int) -> float | None:
        spread = self.trials * squares - total**2
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


def _totals(side: Lowered, seed: int, first: int, trials: int) -> Totals:
    total = np.zeros(trials, np.int64)
    k.run(side.program, key_of(seed), first, trials, min(BLOCK, trials), 0, empty_arrays(side), k.nothing_recorded()._replace(total=total))
    return total


def _perform(piece: _Piece) -> tuple[PairTally, ...]:
    """What a piece comes to, a tally per pair. Picklable, so that any executor can run it."""
    sides = [program_of(plan, target, target.ac) for plan, target in piece.sides]
    # Squares of totals stay below 2**63 within one chunk.
    chunk = max(1, min(CHUNK, 2**62 // max(1, *(side.highest for side in sides)) ** 2))
    sums: list[PairTally] = []
    for start in range(piece.first, piece.first + piece.trials, chunk):
        size = min(chunk, piece.first + piece.trials - start)
        totals = [_totals(side, piece.seed, start, size) for side in sides]
        found = [_tallied(totals[i], totals[j]) for i, j in piece.pairs]
        sums = [a + b for a, b in zip(sums, found, strict=True)] if sums else found
    return tuple(sums)


def _tallied(a: Totals, b: Totals) -> PairTally:
    apart = a - b
    sums = (a.sum(), b.sum(), np.dot(apart, apart), np.dot(a, b), np.dot(a, a), np.count_nonzero(apart))
    return PairTally(len(a), *map(int, sums))


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


def paired_kills(first: Fight, second: Fight, *, rounds: int, trials: int, seed: int, points_seed: int) -> PairTally:
    """Whether the damage of some rounds reaches the target's hit points, 1 or 0, for two sides over the same fights of a seed.

    Parameters
    ----------
    first, second : (plans, target, ac, (dice, int))
        Who fights what with how many hit points; both sides roll the same dice for them.
    rounds : int
        Rounds of a fight.
    trials : int
        Fights.
    seed, points_seed : int
        Any non-negative integers, of the fight's dice and of those of the hit points.

    Raises
    ------
    ValueError
        Trials or seed out of range.
    """
    check_trials(trials)
    sides = (first, second)

    def values() -> Iterator[tuple[Totals, ...]]:
        rngs = [np.random.Generator(np.random.Philox(points_seed)) for _ in sides]
        played = [fights(plans, target, ac, trials=trials, seed=seed, rounds=rounds) for plans, target, ac, _ in sides]
        for chunks in zip(*played, strict=True):
            found = []
            for chunk, rng, (_, _, _, (dice, flat)) in zip(chunks, rngs, sides, strict=True):
                total = sum((one.total for one in chunk), start=np.zeros(1, np.int64))
                found.append((total >= hit_points(dice, flat, len(total), rng)).astype(np.int64))
            yield tuple(found)

    sums: PairTally | None = None
    for a, b in values():
        one = _tallied(a, b)
        sums = one if sums is None else sums + one
    return sums or PairTally(0, 0, 0, 0, 0, 0, 0)
