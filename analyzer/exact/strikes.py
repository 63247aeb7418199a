"""A round as it meets hit points: how likely each attack is the one that kills, what it wastes, and what is left, by the hit points left before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.rows import add_rows, convolve_rows, either_row
from analyzer.exact.swings import branches, dealt_by, highest, swings_of
from analyzer.plan import Plan, PlanError, Target, sweep
from analyzer.pmf import Floats

#: Most hit points of an exact fight; a round of it costs their square.
MAX_REACH = 2**15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strike:
    """One round over a sweep of ACs, against 1 to ``reach`` hit points.

    Parameters
    ----------
    damage : (n_ac, n_damage) float64, chance 0..1
        Chances that the round deals 0, 1, ... points, those below ``reach`` alone.
    kills : (n_ac, n_steps, reach) float64, chance 0..1
        Chance that this attack takes the last of 1, 2, ... hit points left when the round begins.
    waste : (n_ac, reach) float64, damage points
        Mean points of the killing attack beyond the last hit point; 0 where nothing kills.
    most : int
        The most points the round can deal.
    """

    damage: Floats
    kills: Floats
    waste: Floats
    most: int

    @property
    def some(self) -> Floats:
        """Chance that the round deals any damage at all, (n_ac,) float64: that of killing what has one hit point."""
        some: Floats = self.kills[:, :, 0].sum(axis=1)
        return some


def strike(plan: Plan, target: Target, acs: Sequence[int], reach: int) -> Strike:
    """A round against up to ``reach`` hit points, over a sweep of ACs.

    An attack kills ``r`` hit points when the attacks before it dealt ``d < r`` and it deals ``r - d`` at least, so that what is asked of every ``r`` at once
    is a convolution of the damage dealt so far, joint with the turn's state, with the tails of the attack's.

    Raises
    ------
    PlanError
        When there are too many hit points, or the plan and the target do not go together.
    """
    if not 1 <= reach <= MAX_REACH:
        raise PlanError(f"hp must be 1 to {MAX_REACH} for an exact fight; got {reach}")
    swings = swings_of(plan, target, sweep(plan, target, acs))
    whole, waste = np.ones((len(acs), 1)), np.zeros((len(acs), reach))
    kills = np.zeros((len(acs), len(plan.steps), reach))
    place = 0
    for turn in plan.turns:
        held = {0: whole}
        for step in turn.steps:
            after: dict[int, Floats] = {}
            for state, before in held.items():
                for goal, swing, rows in branches(step, swings, state):
                    moved = before
                    if swing is not None:
                        dealt = dealt_by(swing, rows)
                        at_least = _tails(dealt)[:, 1:]
                        _pour(kills[:, place], before, at_least)
                        _pour(waste, before, _tails(at_least)[:, 1:])
                        moved = convolve_rows(before, dealt[:, :reach])[:, :reach]
                    after[goal] = add_rows(after[goal], moved) if goal in after else moved
            held = after
            place += 1
        whole = either_row(held.values())
    return Strike(damage=whole, kills=kills, waste=waste, most=highest(plan.turns, swings))


def _tails(rows: Floats) -> Floats:
    """The sum of each entry and all after it."""
    return rows[:, ::-1].cumsum(axis=1)[:, ::-1]


def _pour(into: Floats, before: Floats, rows: Floats) -> None:
    """Add the convolution of both, as far as there is room."""
    if rows.shape[1]:
        found = convolve_rows(before, rows[:, : into.shape[1]])[:, : into.shape[1]]
        into[:, : found.shape[1]] += found
