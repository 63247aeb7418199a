"""Swings: every attack of a plan outcome by outcome against a sweep, for what must know more of a round than its moments and its total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.attack import Outcomes, outcomes
from analyzer.exact.defender import Defender
from analyzer.exact.layout import check_attack
from analyzer.exact.rows import dealt_rows
from analyzer.plan import Attack, Check, Plan, Step, Target, Turn
from analyzer.pmf import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Swing:
    """An attack against a sweep.

    Parameters
    ----------
    attack
        What is swung.
    outcomes
        Their degrees and damages.
    chance : (n_outcome, n_ac) float64, chance 0..1
        Of each outcome.
    """

    attack: Attack
    outcomes: Outcomes
    chance: Floats


#: The swing of every attack of a plan by the attack's ``id``: hashing an attack walks all its dice.
Swings = Mapping[int, Swing]


def columns(check: Check, low: int, width: int, bonus: int, defence: Integers) -> Integers:
    """Columns of a table by need, the first of which is for ``low``, for an attack of ``bonus`` against each ``defence``, (n_ac,) int64."""
    need = defence + (0 if check.ties_hit else 1) - bonus
    return np.minimum(np.maximum(need - low, 0), width - 1)


def swing(attack: Attack, target: Target, defences: Integers) -> Swing:
    """An attack against ``defences``, (n_ac, n_defences) int64.

    Raises
    ------
    PlanError
        When the target lacks the defence aimed at, or reductions for a creature of the area.
    """
    check_attack(attack, target)
    found = outcomes(attack.check, attack.on, attack.area, attack.area is not None and attack.area.scatters, Defender.of(target))
    where = columns(attack.check, found.low, found.chance.shape[1], attack.bonus, defences[:, attack.defence])
    return Swing(attack=attack, outcomes=found, chance=found.chance.take(where, axis=1))


def swings_of(plan: Plan, target: Target, defences: Integers) -> Swings:
    """Every attack of a plan against ``defences``, (n_ac, n_defences) int64; errors are those of `swing`."""
    made = {id(attack): attack for step in plan.steps for attack in step.variants if attack is not None}
    return {key: swing(attack, target, defences) for key, attack in made.items()}


def branches(step: Step, swings: Swings, state: int) -> Iterator[tuple[int, Swing | None, list[int]]]:
    """Where a state can go: the state afterwards, the attack (None when it is skipped) and the outcomes that lead there."""
    attack = step.variants[state]
    if attack is None:
        yield state, None, []
        return
    made = swings[id(attack)]
    goals: dict[int, list[int]] = {}
    for row, degree in enumerate(made.outcomes.degree):
        goals.setdefault(step.after(state, degree), []).append(row)
    for goal, rows in goals.items():
        yield goal, made, rows


def highest(turns: Sequence[Turn], swings: Swings) -> int:
    """The highest total of a round."""
    total = 0
    for turn in turns:
        reach = {0: 0}
        for step in turn.steps:
            after: dict[int, int] = {}
            for state, most in reach.items():
                for goal, made, rows in branches(step, swings, state):
                    more = max((made.outcomes.damage[row].highest for row in rows), default=0) if made else 0
                    after[goal] = max(after.get(goal, 0), most + more)
            reach = after
        total += max(reach.values())
    return total


def dealt_by(made: Swing, rows: Sequence[int]) -> Floats:
    """Chances of each total of one attack on some of its outcomes, (n_ac, n_total) float64."""
    return dealt_rows([made.outcomes.damage[row] for row in rows], made.chance[rows])
