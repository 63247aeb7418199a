"""The exact peer: the reference round as `icepool` dice over many ACs, written two ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import icepool
import numpy as np
from numpy.typing import NDArray

from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT


def by_rolling(acs: Iterable[int]) -> list[icepool.Die]:
    """The damage of a round at each AC, as `icepool` is usually written: a function of the die rolled, mapped over the die."""
    d20 = icepool.d(20)
    hit, critical = damage(WEAPON_DICE, WEAPON_FLAT)

    def attack(need: int) -> icepool.Die:
        def swing(face: int) -> icepool.Die | int:
            if face == 1 or (face != 20 and face < need):
                return 0
            if face < THREAT_FROM:
                return hit
            return icepool.map(lambda second: critical if second >= need else hit, d20)

        return icepool.map(swing, d20)

    return _rounds(acs, attack)


def by_counting(acs: Iterable[int]) -> list[icepool.Die]:
    """The same at its best: outcomes counted in 400ths (the attack die, then the critical die), and each needed face worked out once."""
    hit, critical = damage(WEAPON_DICE, WEAPON_FLAT)

    @cache
    def attack(need: int) -> icepool.Die:
        return icepool.Die([0, hit, critical], times=chances(need, THREAT_FROM))

    return _rounds(acs, attack)


def table(dice: Iterable[icepool.Die], n_totals: int) -> NDArray[np.float64]:
    """(n_ac, n_totals) chances of the totals of some rounds."""
    rows = list(dice)
    chances = np.zeros((len(rows), n_totals))
    for row, die in zip(chances, rows, strict=True):
        for total, quantity in zip(die.outcomes(), die.quantities(), strict=True):
            row[total] = quantity / die.denominator()
    return chances


def chances(need: int, threat_from: int) -> list[int]:
    """How many of 400 pairs of the attack die and the critical die miss, hit and hit critically."""
    hitting = {face for face in range(2, 21) if face >= need} | {20}
    threats = sum(face >= threat_from for face in hitting)
    criticals = threats * sum(face >= need for face in range(1, 21))
    hits = 20 * len(hitting) - criticals
    return [400 - hits - criticals, hits, criticals]


def damage(weapon_dice: int, flat: int) -> tuple[icepool.Die, icepool.Die]:
    """The damage of a hit and of a critical."""
    d6 = icepool.d(6)
    weapon = (weapon_dice @ d6 + flat).map(lambda x: max(x, 1))
    extra = EXTRA_DICE @ d6
    return (weapon + extra - REDUCTION).map(lambda x: max(x, 0)), (2 @ weapon + extra - REDUCTION).map(lambda x: max(x, 0))


def _rounds(acs: Iterable[int], attack: Callable[[int], icepool.Die]) -> list[icepool.Die]:
    found = []
    for ac in acs:
        first, second, third, fourth = (attack(ac + 1 - bonus) for bonus in BONUSES)
        found.append(first + second + third + fourth)
    return found
