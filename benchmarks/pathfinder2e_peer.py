"""The peer of those who play Pathfinder 2: three Strikes of a greatpick by `pathfinder2e_stats`, rolled and added up by its own functions.

No weakness and no resistance: it reads them in another order than we do (see tests/test_pathfinder2e_stats.py).
"""

from __future__ import annotations

import numpy as np
import pathfinder2e_stats as peer
import xarray as xr

from benchmarks.reference import Counts

BONUSES = (20, 15, 10)
AC = 25
#: Fatal d12: a critical rolls d12s, doubles them and adds one.
DICE, SIDES, FLAT, FATAL, FIRE = 2, 10, 8, 12, 6
HIGHEST = len(BONUSES) * (2 * (DICE * FATAL + FLAT + FIRE) + FATAL)
#: Its weapons, as our game's statblock says them.
STATBLOCK = {"attack": "/".join(f"{bonus:+d}" for bonus in BONUSES), "damage": f"{DICE}d{SIDES}+{FLAT} piercing", "extra": [f"1d{FIRE} fire"]}


def play(trials: int, seed: int) -> Counts:
    """The counts of ``trials`` rounds, in calls of its own usual size at most."""
    peer.seed(seed)
    before = peer.get_config()["roll_size"]
    peer.set_config(roll_size=trials)
    try:
        strikes = {"strike"}
        bonus = xr.DataArray(list(BONUSES), dims=["strike"])
        rolled = peer.check(bonus, DC=AC, independent_dims=strikes)
        weapon = peer.Damage("piercing", DICE, SIDES, FLAT, fatal=FATAL) + peer.Damage("fire", 1, FIRE)
        dealt = peer.damage(rolled, weapon, independent_dims=strikes).direct_damage.sum("damage_type")
        total, outcome = dealt.sum("strike").to_numpy(), rolled.outcome.transpose("roll", "strike").to_numpy()
    finally:
        peer.set_config(roll_size=before)
    return Counts(
        histogram=np.bincount(total, minlength=HIGHEST + 1), hits=np.count_nonzero(outcome >= 1, axis=0), criticals=np.count_nonzero(outcome == 2, axis=0)
    )
