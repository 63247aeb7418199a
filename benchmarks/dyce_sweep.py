"""The other exact peer: the reference round as `dyce` histograms over many ACs, each needed face worked out once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce
from math import lcm
from operator import add

import numpy as np
from dyce import H
from numpy.typing import NDArray

from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT


def by_counting(acs: Iterable[int]) -> list[H[int]]:
    """The damage of a round at each AC; outcomes of an attack counted in 400ths (the attack die, then the critical die)."""
    d6 = H(6)
    weapon = (WEAPON_DICE @ d6 + WEAPON_FLAT).apply(lambda x: max(x, 1))
    extra = EXTRA_DICE @ d6
    hit = (weapon + extra - REDUCTION).apply(lambda x: max(x, 0))
    critical = (2 @ weapon + extra - REDUCTION).apply(lambda x: max(x, 0))

    @cache
    def attack(need: int) -> H[int]:
        hitting = {face for face in range(2, 21) if face >= need} | {20}
        threats = sum(face >= THREAT_FROM for face in hitting)
        criticals = threats * sum(face >= need for face in range(1, 21))
        hits = 20 * len(hitting) - criticals
        return _mixed({H({0: 1}): 400 - hits - criticals, hit: hits, critical: criticals})

    return [reduce(add, (attack(ac + 1 - bonus) for bonus in BONUSES)) for ac in acs]


def _mixed(parts: dict[H[int], int]) -> H[int]:
    """One of some histograms, each with its weight."""
    common = lcm(*(part.total for part in parts))
    return H.from_counts(*({x: count * weight * (common // part.total) for x, count in part.items()} for part, weight in parts.items()))


def table(rounds: Iterable[H[int]], n_totals: int) -> NDArray[np.float64]:
    """(n_ac, n_totals) chances of the totals of some rounds."""
    rows = list(rounds)
    chances = np.zeros((len(rows), n_totals))
    for row, histogram in zip(chances, rows, strict=True):
        for total, count in histogram.items():
            row[total] = count / histogram.total
    return chances
