"""The peer most people write: every die of every attack as one int64 array, whole arrays at a time."""

from __future__ import annotations

import numpy as np

from benchmarks.reference import BONUSES, EXTRA_DICE, HIGHEST, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT, Counts


def play(ac: int, trials: int, seed: int) -> Counts:
    """The counts of ``trials`` rounds."""
    rng = np.random.default_rng(seed)
    shape = (trials, len(BONUSES))
    bonus = np.array(BONUSES)
    die = rng.integers(1, 21, size=shape)
    confirmation = rng.integers(1, 21, size=shape)
    weapon = np.maximum(rng.integers(1, 7, size=(*shape, WEAPON_DICE)).sum(axis=-1) + WEAPON_FLAT, 1)
    again = np.maximum(rng.integers(1, 7, size=(*shape, WEAPON_DICE)).sum(axis=-1) + WEAPON_FLAT, 1)
    extra = rng.integers(1, 7, size=(*shape, EXTRA_DICE)).sum(axis=-1)
    hit = ((die + bonus > ac) | (die == 20)) & (die != 1)
    critical = hit & (die >= THREAT_FROM) & (confirmation + bonus > ac)
    rolled = weapon + np.where(critical, again, 0) + extra
    damage = np.where(hit, np.maximum(rolled - REDUCTION, 0), 0)
    return Counts(
        histogram=np.bincount(damage.sum(axis=1), minlength=len(BONUSES) * HIGHEST + 1),
        hits=np.count_nonzero(hit, axis=0),
        criticals=np.count_nonzero(critical, axis=0),
    )
