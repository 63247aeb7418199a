"""Where a round's damage comes from: the mean of every attack at every degree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.swings import branches, swings_of
from analyzer.plan import DEGREES, Plan, Target, sweep
from analyzer.pmf import Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Shares:
    """A round cut up by attack and final degree.

    Parameters
    ----------
    mean : (n_ac, n_steps, 4) float64, damage points per round
        What each attack deals at each degree, weighted with how often it comes to it: the sum is the round's DPR.
    chance : (n_ac, n_steps, 4) float64, chance 0..1
        How often each attack is made and comes to each degree.
    """

    mean: Floats
    chance: Floats


def shares(plan: Plan, target: Target, acs: Sequence[int]) -> Shares:
    """The shares of every attack and degree in a round, over a sweep of ACs.

    Raises
    ------
    PlanError
        When the target lacks a defence or a creature of the plan, or one attack's damage is too large to compute.
    """
    defences = sweep(plan, target, acs)
    swings = swings_of(plan, target, defences)
    mean, chance = (np.zeros((len(plan.steps), DEGREES, len(acs))) for _ in range(2))
    number = 0
    for turn in plan.turns:
        held = {0: np.ones(len(acs))}
        for step in turn.steps:
            after: dict[int, Floats] = {}
            for state, mass in held.items():
                for goal, swung, rows in branches(step, swings, state):
                    moved = mass
                    if swung is not None:
                        reached = mass * swung.chance[rows]
                        moved = reached.sum(axis=0)
                        for row, often in zip(rows, reached, strict=True):
                            chance[number, swung.outcomes.degree[row]] += often
                            mean[number, swung.outcomes.degree[row]] += often * swung.outcomes.damage[row].mean
                    after[goal] = after[goal] + moved if goal in after else moved
            held = after
            number += 1
    return Shares(mean=np.moveaxis(mean, 2, 0), chance=np.moveaxis(chance, 2, 0))
