"""The reference round in plain numbers, for the peers, and what a simulation of it must have counted to be compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BONUSES = (20, 15, 10, 5)
#: Lowest face that threatens a critical.
THREAT_FROM = 17
#: Two d6 and 15; five d6 that a critical does not multiply; 5 taken off each hit.
WEAPON_DICE, WEAPON_FLAT = 2, 15
EXTRA_DICE = 5
REDUCTION = 5
#: One attack's highest damage: a critical with every die at 6.
HIGHEST = 2 * (WEAPON_DICE * 6 + WEAPON_FLAT) + EXTRA_DICE * 6 - REDUCTION


class Counts(NamedTuple):
    """What was counted over some rounds; int64."""

    #: (n_totals,) rounds by total damage
    histogram: NDArray[np.int64]
    #: (n_attacks,) hits, criticals included, and criticals
    hits: NDArray[np.int64]
    criticals: NDArray[np.int64]
