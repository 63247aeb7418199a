"""Points rolled beside the kernel: dice as the plan writes them, and hit points of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from analyzer.plan import Die


def rolled(dice: Iterable[Die], trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Sums of real dice, (n_trials,), each as `analyzer.plan.Die` says; die by die, so that many take no more memory than one."""
    total = np.zeros(trials, np.int64)
    for die in dice:
        for _ in range(die.count):
            faces = rng.integers(1, die.sides + 1, size=(trials, die.best_of))
            again = rng.integers(1, die.sides + 1, size=(trials, die.best_of))
            faces = np.where(faces <= die.reroll_to, again, faces)
            total += die.sign * np.maximum(faces, die.at_least).max(axis=1)
    return total


def hit_points(dice: Iterable[Die], flat: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Dice and a flat number rolled ``trials`` times, at least 1, (n_trials,)."""
    return np.maximum(flat + rolled(dice, trials, rng), 1)
