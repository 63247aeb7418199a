"""The peer of those who know Numba: one loop over rounds and attacks, `np.random` for each die, only the dice that matter."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.reference import BONUSES, EXTRA_DICE, HIGHEST, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT, Counts


def play(ac: int, trials: int, seed: int) -> Counts:
    """The counts of ``trials`` rounds."""
    return Counts(*_play(np.array(BONUSES), ac, trials, seed))


@njit
def _weapon():
    rolled = WEAPON_FLAT
    for _ in range(WEAPON_DICE):
        rolled += np.random.randint(1, 7)  # noqa: NPY002 - Numba's own generator is what is compared
    return max(rolled, 1)


@njit
def _play(bonuses, ac, trials, seed):
    np.random.seed(seed)  # noqa: NPY002
    n = len(bonuses)
    histogram = np.zeros(n * HIGHEST + 1, np.int64)
    hits = np.zeros(n, np.int64)
    criticals = np.zeros(n, np.int64)
    for _ in range(trials):
        total = 0
        for k in range(n):
            die = np.random.randint(1, 21)  # noqa: NPY002
            if die == 1 or (die != 20 and die + bonuses[k] <= ac):
                continue
            hits[k] += 1
            damage = _weapon()
            if die >= THREAT_FROM and np.random.randint(1, 21) + bonuses[k] > ac:  # noqa: NPY002
                criticals[k] += 1
                damage += _weapon()
            for _ in range(EXTRA_DICE):
                damage += np.random.randint(1, 7)  # noqa: NPY002
            total += max(damage - REDUCTION, 0)
        histogram[total] += 1
    return histogram, hits, criticals
