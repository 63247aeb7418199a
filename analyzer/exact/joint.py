"""Totals joint with a rider: the distribution of damage, split by whether something else happened on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyzer.exact.rows import add_rows, convolve_rows
from analyzer.exact.swings import Swing, branches, dealt_by, highest, swings_of
from analyzer.plan import CRITICAL, HIT, MAX_TOTAL, Plan, PlanError, Target, sweep
from analyzer.pmf import Floats

#: Riders every game has; any other name is that of a critical effect.
RIDERS = ("hit", "crit")


class Split(NamedTuple):
    """Chances of the totals 0, 1, ... without the rider and with it, each (..., n_totals) float64."""

    without: Floats
    together: Floats

    @property
    def whole(self) -> Floats:
        """Chances of the totals, whatever the rider."""
        return add_rows(self.without, self.together)

    def then(self, other: Split) -> Split:
        """The sum of independent parts, with the rider when either has it; a row each."""
        without = convolve_rows(self.without, other.without)
        together = add_rows(convolve_rows(self.together, other.whole), convolve_rows(self.without, other.together))
        return Split(without, together)


def effects(plan: Plan) -> tuple[str, ...]:
    """The critical effects that attacks of a plan may have."""
    named = (attack.effect for step in plan.steps for attack in step.variants if attack is not None)
    return tuple(sorted({effect for effect in named if effect is not None}))


def joint_totals(plan: Plan, target: Target, acs: Sequence[int], rider: str | None = None) -> Split:
    """A round's total damage, joint with at least one hit, critical or critical effect, (n_ac, n_totals).

    Raises
    ------
    PlanError
        When there are too many totals, or the plan and the target do not go together.
    """
    swings = swings_of(plan, target, sweep(plan, target, acs))
    n_totals = 1 + highest(plan.turns, swings)
    if n_totals > MAX_TOTAL:
        raise PlanError(f"the exact distribution of a round must have at most {MAX_TOTAL} totals; got {n_totals}")
    nothing = np.zeros((len(acs), 1))
    whole = Split(np.ones((len(acs), 1)), nothing)
    for turn in plan.turns:
        held = {0: whole}
        for step in turn.steps:
            after: dict[int, Split] = {}
            for state, before in held.items():
                for goal, swing, rows in branches(step, swings, state):
                    moved = before if swing is None else before.then(_split(swing, rows, rider))
                    after[goal] = Split(*map(add_rows, after[goal], moved)) if goal in after else moved
            held = after
        whole = Split(nothing, nothing)
        for one in held.values():
            whole = Split(*map(add_rows, whole, one))
    return whole


def joint_attacks(plan: Plan, target: Target, acs: Sequence[int], rider: str | None = None) -> tuple[Split, ...]:
    """The damage of each attack of a round, joint with its own hit, critical or critical effect; one that is skipped deals 0. Errors as in `joint_totals`."""
    swings = swings_of(plan, target, sweep(plan, target, acs))
    out = []
    nothing = np.zeros((len(acs), 1))
    for turn in plan.turns:
        held = {0: np.ones(len(acs))}
        for step in turn.steps:
            dealt = Split(nothing, nothing)
            after: dict[int, Floats] = {}
            for state, mass in held.items():
                for goal, swing, rows in branches(step, swings, state):
                    made = Split(np.ones((len(acs), 1)), nothing) if swing is None else _split(swing, rows, rider)
                    weighed = Split(*(mass[:, np.newaxis] * part for part in made))
                    dealt = Split(*map(add_rows, dealt, weighed))
                    after[goal] = after.get(goal, 0.0) + weighed.without.sum(axis=1) + weighed.together.sum(axis=1)
            held = after
            out.append(dealt)
    return tuple(out)


def over_rounds(listed: Sequence[Split], rounds: int) -> Split:
    """The sum of some rounds, the last of those listed repeating: by squaring, a row each.

    Raises
    ------
    PlanError
        When the sum has too many totals.
    """
    first, repeated = listed[: min(rounds, len(listed) - 1)], rounds - min(rounds, len(listed) - 1)
    wide = 1 + sum(one.whole.shape[1] - 1 for one in first) + repeated * (listed[-1].whole.shape[1] - 1)
    if wide > MAX_TOTAL:
        raise PlanError(f"rounds must be few enough for at most {MAX_TOTAL} totals; got {rounds} with {wide}")
    ones = np.ones((len(listed[0].without), 1))
    total = Split(ones, np.zeros_like(ones))
    for one in first:
        total = total.then(one)
    square = listed[-1]
    while repeated:
        if repeated & 1:
            total = total.then(square)
        repeated >>= 1
        if repeated:
            square = square.then(square)
    return total


def _rides(swing: Swing, row: int, rider: str | None) -> bool:
    """Whether an outcome of an attack brings the rider."""
    degree = swing.outcomes.degree[row]
    return degree >= HIT if rider == "hit" else degree == CRITICAL and rider in ("crit", swing.attack.effect) if rider is not None else False


def _split(swing: Swing, rows: Sequence[int], rider: str | None) -> Split:
    """The damage of an attack on some of its outcomes."""
    parts = []
    for wanted in (False, True):
        some = [row for row in rows if _rides(swing, row, rider) is wanted]
        parts.append(dealt_by(swing, some) if some else np.zeros((swing.chance.shape[1], 1)))
    return Split(*parts)
