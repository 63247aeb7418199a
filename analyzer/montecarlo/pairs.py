"""Pairs: two sides played with the same dice, so that their difference has less noise than either."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.lower import Lowered, lower
from analyzer.montecarlo.simulate import BLOCK, CHUNK, check_trials, key_of, nothing_recorded
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Plan, Target


@dataclass(frozen=True, kw_only=True, slots=True)
class PairTally:
    """Sums over the rounds of two sides, round by round with common dice; Python integers."""

    trials: int
    first: int
    second: int
    #: sum of the squared differences of the rounds' damage, and of their products
    squares: int
    products: int

    @property
    def difference(self) -> float:
        """Mean damage points per round of the first side less the second's."""
        return (self.first - self.second) / self.trials

    @property
    def standard_error(self) -> float | None:
        """The paired standard error of the difference; None when it never varied."""
        spread = self.trials * self.squares - (self.first - self.second) ** 2
        return sqrt(spread / (self.trials - 1)) / self.trials if spread > 0 and self.trials > 1 else None


def _totals(side: Lowered, seed: int, first: int, trials: int) -> NDArray[np.int64]:
    total = np.zeros(trials, np.int64)
    k.run(side.program, key_of(seed), first, trials, min(BLOCK, trials), 0, empty_arrays(side), nothing_recorded()._replace(total=total))
    return total


def paired(first: tuple[Plan, Target], second: tuple[Plan, Target], *, trials: int, seed: int) -> PairTally:
    """Two sides over the same rounds of a seed.

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
    sides = [lower(plan, target, target.ac) for plan, target in (first, second)]
    sums = [0, 0, 0, 0]
    for start in range(0, trials, CHUNK):
        a, b = (_totals(side, seed, start, min(CHUNK, trials - start)) for side in sides)
        for i, value in enumerate((a.sum(), b.sum(), np.dot(a - b, a - b), np.dot(a, b))):
            sums[i] += int(value)
    return PairTally(trials=trials, first=sums[0], second=sums[1], squares=sums[2], products=sums[3])
