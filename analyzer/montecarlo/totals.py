"""Simulated totals of several rounds and damage of single attacks, kept apart by whether something else happened on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo.fights import FoughtRound, fights
from analyzer.plan import CRITICAL, HIT, Plan, Target

Counts = NDArray[np.int64]


@dataclass(kw_only=True, slots=True, eq=False)
class Histograms:
    """Trials by damage, (2, n_totals) int64 each: those without the rider, and those with it."""

    trials: int
    #: of the rounds together
    total: Counts = field(default_factory=lambda: np.zeros((2, 1), np.int64))
    #: of each attack by round and attack, both from 0
    attacks: dict[tuple[int, int], Counts] = field(default_factory=dict)


def histograms(
    plans: Sequence[Plan],
    target: Target | Sequence[Target],
    ac: int | Sequence[int],
    *,
    trials: int,
    seed: int,
    rounds: int = 1,
    rider: str | None = None,
    attacks: bool = False,
) -> Histograms:
    """Simulated rounds, counted by their damage.

    Parameters
    ----------
    plans, target, ac, trials, seed, rounds
        As `fights` takes them.
    rider : str, optional
        ``hit``, ``crit`` or a critical effect: what is to happen at least once in the rounds, or by the attack.
    attacks : bool
        Whether attacks are counted one by one as well.
    """
    out = Histograms(trials=trials)
    for chunk in fights(plans, target, ac, trials=trials, seed=seed, rounds=rounds, attacks=attacks or rider is not None):
        total, rode = np.zeros(1, np.int64), np.zeros(1, np.bool_)
        for fought in chunk:
            total = total + fought.total
            if rider is not None or attacks:
                rides = _rides(plans[min(fought.round, len(plans) - 1)], fought, rider)
                rode = rode | rides.any(axis=1)
                for step in range(rides.shape[1]) if attacks else ():
                    place = (fought.round, step)
                    out.attacks[place] = _counted(out.attacks.get(place), fought.damage[:, step], rides[:, step])
        out.total = _counted(out.total, total, np.broadcast_to(rode, total.shape))
    return out


def _rides(plan: Plan, fought: FoughtRound, rider: str | None) -> NDArray[np.bool_]:
    """Which attacks brought the rider, (n_trials, n_steps)."""
    degree = fought.degree
    if rider is None:
        return np.zeros(degree.shape, np.bool_)
    if rider in ("hit", "crit"):
        return degree >= (HIT if rider == "hit" else CRITICAL)
    # Which variant was made, and with it the effect, is told by the degrees before it.
    out = np.zeros(degree.shape, np.bool_)
    place = 0
    for turn in plan.turns:
        state = np.zeros(len(degree), np.intp)
        for step in turn.steps:
            named = np.array([attack is not None and attack.effect == rider for attack in step.variants])
            made = np.maximum(degree[:, place], 0)
            out[:, place] = (degree[:, place] == CRITICAL) & named[state]
            after = np.array([[step.after(s, d) if attack is not None else s for d in range(4)] for s, attack in enumerate(step.variants)])
            state = after[state, made]
            place += 1
    return out


def _counted(before: Counts | None, damage: Counts, rides: NDArray[np.bool_]) -> Counts:
    """The counts with some more trials."""
    size = max(1 if before is None else before.shape[1], int(damage.max(initial=0)) + 1)
    out = np.array([np.bincount(damage[~rides], minlength=size), np.bincount(damage[rides], minlength=size)])
    if before is not None:
        out[:, : before.shape[1]] += before
    return out
