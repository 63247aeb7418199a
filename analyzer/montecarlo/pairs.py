"""Pairs: two sides played with the same dice, so that their difference has less noise than either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.fights import fights
from analyzer.montecarlo.lower import Lowered
from analyzer.montecarlo.simulate import BLOCK, CHUNK, check_trials, key_of, nothing_recorded, program_of
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Die, Plan, Target

Totals = NDArray[np.int64]
#: A plan per round, the last repeating; what is attacked, at which value of the swept defence; its hit points as dice and a number, at least 1.
Fight = tuple[Sequence[Plan], Target, int, tuple[Sequence[Die], int]]


@dataclass(frozen=True, kw_only=True, slots=True)
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


def paired(first: tuple[Plan, Target], second: tuple[Plan, Target], *, trials: int, seed: int) -> PairTally:
    """The damage of two sides over the same rounds of a seed.

    Parameters
    ----------
    first, second : (Plan, Target)
        What is played against what, each at its target's own defences.
    trials : int
        Rounds.
    seed : int
        Any non-negative integer.

    Raises
    ------
    ValueError
        Trials or seed out of range.
    """
    check_trials(trials)
    sides = [program_of(plan, target, target.ac) for plan, target in (first, second)]
    starts = range(0, trials, CHUNK)
    return _tallied(trials, (tuple(_totals(side, seed, start, min(CHUNK, trials - start)) for side in sides) for start in starts))


def paired_kills(first: Fight, second: Fight, *, rounds: int, trials: int, seed: int, points_seed: int) -> PairTally:
    """Whether the damage of some rounds reaches the target's hit points, 1 or 0, for two sides over the same fights of a seed.

    Parameters
    ----------
    first, second : (plans, Target, int, (dice, int))
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
                found.append((total >= np.maximum(rolled(dice, len(total), rng) + flat, 1)).astype(np.int64))
            yield tuple(found)

    return _tallied(trials, values())


def rolled(dice: Iterable[Die], trials: int, rng: np.random.Generator) -> Totals:
    """Sums of real dice, (trials,), each as `analyzer.plan.Die` says."""
    total = np.zeros(trials, np.int64)
    for die in dice:
        shape = (trials, die.count, die.best_of)
        faces = rng.integers(1, die.sides + 1, shape)
        if die.reroll_to:
            faces = np.where(faces <= die.reroll_to, rng.integers(1, die.sides + 1, shape), faces)
        total += die.sign * np.maximum(faces, die.at_least).max(axis=2).sum(axis=1)
    return total


def _totals(side: Lowered, seed: int, first: int, trials: int) -> Totals:
    total = np.zeros(trials, np.int64)
    k.run(side.program, key_of(seed), first, trials, min(BLOCK, trials), 0, empty_arrays(side), nothing_recorded()._replace(total=total))
    return total


def _tallied(trials: int, values: Iterable[tuple[Totals, ...]]) -> PairTally:
    sums = [0] * 6
    for a, b in values:
        for i, value in enumerate((a.sum(), b.sum(), np.dot(a - b, a - b), np.dot(a, b), np.dot(a, a), np.count_nonzero(a - b))):
            sums[i] += int(value)
    first, second, squares, products, first_squares, apart = sums
    return PairTally(trials=trials, first=first, second=second, squares=squares, products=products, first_squares=first_squares, apart=apart)
