"""The best NumPy that could be written for the reference round, two ways; both keep to blocks that stay in the cache and roll damage dice only for hits.

`play` has dice as fair as the kernel's and its tallies (see `numpy_tools`). `play_light` has 16-bit dice and counts no more than totals, hits and criticals;
a chance on its d20 is off by less than 1.6e-5, a face of its d6 by less than 1/1365 of itself, which moves the mean round by less than 0.001.

Smaller and larger blocks are slower. Left out by the measured cost of their parts: boolean indexing (six times an index array), sums of dice looked up in a
table, every die of every attack under a mask. Left out as too unfair: a d6 out of a byte, two d6 out of 16 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import SFC64

from benchmarks.numpy_tools import BLOCK, Dice, Tally, confirmed, confirming, first, firsts, needed
from benchmarks.reference import BONUSES, EXTRA_DICE, HIGHEST, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT, Counts


def play(ac: int, trials: int, seed: int, *, bonuses: Sequence[int] = BONUSES, extra_dice: int = EXTRA_DICE) -> Counts:
    """The counts of ``trials`` rounds, whole blocks; other attacks and more dice when asked for."""
    dice = Dice(seed)
    stack = slice(0, len(bonuses))
    tally = Tally(len(bonuses), len(bonuses) * (HIGHEST + (extra_dice - EXTRA_DICE) * 6))
    hit, threat, confirm = firsts(needed(ac + 1, bonuses)), first(THREAT_FROM), confirming(ac + 1, bonuses, naturals=False)
    for _ in range(blocks(trials)):
        word = dice.attacks(len(bonuses))
        spots = np.flatnonzero(word >= hit)
        # The floors of 1 on the weapon and of 0 after the reduction never bind here, and a sum of d6 is one whatever each is for.
        damage = dice.sums(WEAPON_DICE + extra_dice, 6, len(spots), WEAPON_FLAT - REDUCTION)
        criticals = confirmed(word.ravel().take(spots), spots, threat, confirm)
        damage[criticals] += dice.sums(WEAPON_DICE, 6, len(criticals), WEAPON_FLAT)
        tally.hits(stack, spots, damage, criticals)
        tally.end_block()
    tally.close()
    return Counts(histogram=tally.histogram, hits=tally.counts[:, 0], criticals=tally.counts[:, 1])


def play_light(ac: int, trials: int, seed: int) -> Counts:
    """The counts of ``trials`` rounds, whole blocks, nothing else."""
    raw = SFC64(seed).random_raw
    hit, threat, confirm = _coarse(needed(ac + 1, BONUSES)), _coarse([THREAT_FROM])[0], _coarse(needed(ac + 1, BONUSES, lowest=1, highest=21))
    shift = BLOCK.bit_length() - 1
    edges = np.arange(len(BONUSES) + 1) << shift
    size = len(BONUSES) * HIGHEST + 1
    histogram, hits, criticals = np.zeros(size, np.int64), np.zeros(len(BONUSES), np.int64), np.zeros(len(BONUSES), np.int64)
    damage = np.zeros((len(BONUSES), BLOCK), np.uint16)

    def words(n: int):
        return raw((n + 3) // 4).view(np.uint16)[:n]

    def sums(count: int, n: int, plus: int):
        total = np.full(n, count + plus, np.uint16)
        for _ in range(count):
            face = words(n)
            face &= np.uint16(8191)
            face *= np.uint16(6)
            face >>= np.uint16(13)
            total += face
        return total

    for _ in range(blocks(trials)):
        word = words(len(BONUSES) * BLOCK).reshape(-1, BLOCK)
        spots = np.flatnonzero(word >= hit[:, None])
        dealt = sums(WEAPON_DICE + EXTRA_DICE, len(spots), WEAPON_FLAT - REDUCTION)
        threats = np.flatnonzero(word.ravel().take(spots) >= threat)
        critical = threats.compress(words(len(threats)) >= confirm.take(spots.take(threats) >> shift))
        dealt[critical] += sums(WEAPON_DICE, len(critical), WEAPON_FLAT)
        damage.fill(0)
        damage.reshape(-1)[spots] = dealt
        histogram += np.bincount(np.add.reduce(damage, axis=0, dtype=np.uint16).astype(np.intp), minlength=size)
        hits += np.diff(spots.searchsorted(edges))
        criticals += np.diff(spots.take(critical).searchsorted(edges))
    return Counts(histogram=histogram, hits=hits, criticals=criticals)


def blocks(trials: int) -> int:
    """How many blocks that is."""
    if trials % BLOCK:
        raise ValueError(f"trials must be whole blocks of {BLOCK}; got {trials}")
    return trials // BLOCK


def _coarse(faces: Sequence[int]):
    """Lowest 16-bit words of some d20 faces."""
    return np.array([min(-(-(face - 1) * 2**16 // 20), 2**16 - 1) for face in faces], dtype=np.uint16)
