"""A grid of designs, variations of the reference in numbers alone, and its means as plain NumPy and `icepool` work them out, a build at a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import NamedTuple

import icepool
import numpy as np
from numpy.typing import NDArray

import analyzer
from benchmarks.icepool_sweep import chances, damage
from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION

CRITICALS = {15: "15-20/x2", 17: "17-20/x2", 19: "19-20/x2", 20: "20/x2"}


class Design(NamedTuple):
    """The numbers a build of the grid has of its own; no damage of a hit falls to the reduction's or the weapon's floor."""

    dice: int
    flat: int
    threat_from: int

    @property
    def bonuses(self) -> tuple[int, ...]:
        """Attack bonuses, lower for the harder hitters."""
        return tuple(bonus - self.flat // 20 for bonus in BONUSES)

    def build(self) -> analyzer.Build:
        """The build by the public interface."""
        return analyzer.statblock(
            "/".join(f"{bonus:+d}" for bonus in self.bonuses),
            f"{self.dice}d6+{self.flat}",
            critical=CRITICALS[self.threat_from],
            extra=[f"{EXTRA_DICE}d6"],
            system="d20",
            name="design",
        )


#: 2,400 builds; a hit of one and a critical of another may deal the same.
GRID = tuple(Design(*numbers) for numbers in product(range(1, 7), range(6, 106), CRITICALS))


def by_numpy(designs: Iterable[Design], acs: Iterable[int]) -> NDArray[np.float64]:
    """(n_design, n_ac) means: expressions over attacks and ACs for one build after another, with means of dice known by heart."""
    over = np.array(tuple(acs))
    return np.array([_mean(design, over) for design in designs])


def _mean(design: Design, acs: NDArray[np.int64]) -> NDArray[np.float64]:
    room = 20 - acs + np.array(design.bonuses)[:, np.newaxis]
    faces = np.clip(room, 1, 19)
    threats = np.minimum(faces, 21 - design.threat_from)
    criticals = threats * np.clip(room, 0, 20) / 400
    weapon, once = 3.5 * design.dice + design.flat, 3.5 * EXTRA_DICE - REDUCTION
    mean: NDArray[np.float64] = (faces / 20 * (weapon + once) + criticals * weapon).sum(axis=0)
    return mean


def by_icepool(designs: Iterable[Design], acs: Iterable[int]) -> NDArray[np.float64]:
    """The same out of `icepool` dice, each needed face worked out once a build."""
    return np.array([_icepool_mean(design, acs) for design in designs])


def _icepool_mean(design: Design, acs: Iterable[int]) -> list[float]:
    hit, critical = damage(design.dice, design.flat)

    @cache
    def attack(need: int) -> float:
        return float(icepool.Die([0, hit, critical], times=chances(need, design.threat_from)).mean())

    return [sum(attack(ac + 1 - bonus) for bonus in design.bonuses) for ac in acs]
