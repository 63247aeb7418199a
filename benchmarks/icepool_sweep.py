"""The exact peer: the reference round as `icepool` dice, one die a round, each attack worked out once per face it needs."""

from __future__ import annotations

from collections.abc import Iterable

import icepool
import numpy as np
from numpy.typing import NDArray

from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT


def rounds(acs: Iterable[int]) -> list[icepool.Die]:
    """The damage of a round at each AC, everything built here."""
    d6 = icepool.d(6)
    weapon = WEAPON_DICE @ d6 + WEAPON_FLAT
    extra = EXTRA_DICE @ d6
    hit, critical = ((rolled + extra - REDUCTION).map(lambda x: max(x, 0)) for rolled in (weapon, 2 @ weapon))
    attacks: dict[int, icepool.Die] = {}
    found = []
    for ac in acs:
        total = icepool.Die([0])
        for bonus in BONUSES:
            need = ac + 1 - bonus
            if need not in attacks:
                attacks[need] = _attack(need, hit, critical)
            total = total + attacks[need]
        found.append(total)
    return found


def _attack(need: int, hit: icepool.Die, critical: icepool.Die) -> icepool.Die:
    """One attack that needs a face; chances in 400ths: the attack die, then the critical die."""
    hitting = {face for face in range(2, 21) if face >= need} | {20}
    threats = sum(face >= THREAT_FROM for face in hitting)
    confirming = sum(face >= need for face in range(1, 21))
    criticals = threats * confirming
    hits = 20 * len(hitting) - criticals
    return icepool.Die([0, hit, critical], times=[400 - hits - criticals, hits, criticals])


def table(dice: Iterable[icepool.Die], n_totals: int) -> NDArray[np.float64]:
    """(n_ac, n_totals) chances of the totals of some rounds."""
    rows = list(dice)
    chances = np.zeros((len(rows), n_totals))
    for row, die in zip(chances, rows, strict=True):
        for total, quantity in zip(die.outcomes(), die.quantities(), strict=True):
            row[total] = quantity / die.denominator()
    return chances
