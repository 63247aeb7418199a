"""Throws: one area attack after the other, each with the place where it landed, and the damage as it is and as it would be with a roll for every creature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo.fights import CHUNK, fights
from analyzer.montecarlo.trace import Purpose, record
from analyzer.plan import DEGREES, HIT, Attack, Check, Critical, Plan, Step, Target, Turn

#: A throw that landed nowhere.
NOWHERE = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Throws:
    """Consecutive throws."""

    #: (n_trials,) landing, 0 being the mark, `NOWHERE` a miss that lands nowhere
    landing: NDArray[np.int64]
    #: (n_trials,) damage points to all that were caught, who share one roll
    total: NDArray[np.int64]
    #: (n_trials, n_creature) damage points to each creature, with dice of its own
    each: NDArray[np.int64]


def throws(attack: Attack, target: Target, ac: int, *, trials: int, seed: int, seeds: Sequence[int]) -> Iterator[Throws]:
    """Simulated throws in chunks of trials.

    Parameters
    ----------
    attack : Attack
        An attack with an area.
    target, ac
        What is attacked, at this value of the swept defence.
    trials : int
        Throws.
    seed : int
        Of the throws and of the roll that all share.
    seeds : sequence of int
        Of each creature's own rolls.

    Raises
    ------
    ValueError
        Trials or a seed out of range.
    """
    if attack.area is None:
        raise ValueError(f"area of {attack.label!r} must be given; got none")
    caught = np.array([*attack.area.caught, (0,) * len(attack.area.caught[0])])
    dealing = np.array([attack.deals(degree) for degree in range(DEGREES)])
    own = {
        (creature, int(dealt)): fights((_sure(attack, int(dealt)),), _alone(target, creature), ac, trials=trials, seed=seeds[creature], rounds=1)
        for creature in range(caught.shape[1])
        for dealt in set(dealing)
        if attack.on[dealt]
    }
    for first in range(0, trials, CHUNK):
        size = min(CHUNK, trials - first)
        thrown = record(_once(attack), target, ac, first=first, trials=size, seed=seed)
        degree = thrown.degree[:, 0]
        landing = np.where(degree >= HIT, 0, NOWHERE)
        if attack.area.scatters:
            landing = np.where(degree >= HIT, 0, 4 * _shown(thrown.log, Purpose.DIRECTION) + _shown(thrown.log, Purpose.DISTANCE) - 4)
        each = np.zeros((size, caught.shape[1]), dtype=np.int64)
        for (creature, dealt), chunks in own.items():
            hurt = caught[landing, creature] if dealt >= HIT else creature == 0  # a miss that does not scatter meets the creature aimed at
            each[:, creature] += next(next(chunks)).total * hurt * (dealing[degree] == dealt)
        yield Throws(landing=landing, total=thrown.total, each=each)


def _shown(log: NDArray[np.int32], purpose: Purpose) -> NDArray[np.int64]:
    """The face of the die of a purpose in every trial; 0 where none was rolled."""
    found: NDArray[np.int64] = np.where(log[:, :, 1] == purpose, log[:, :, 4], 0).sum(axis=1, dtype=np.int64)
    return found


def _once(attack: Attack) -> Plan:
    return Plan(turns=(Turn(steps=(Step(variants=(attack,)),)),))


def _sure(attack: Attack, degree: int) -> Plan:
    """The damage of a degree, for certain, to one creature."""
    check = Check(auto_miss_to=0, auto_hit_from=1, critical=Critical.NONE)
    return _once(Attack(label=attack.label, bonus=0, check=check, defence=attack.defence, on=((), (), attack.on[degree], ())))


def _alone(target: Target, creature: int) -> Target:
    """One creature of the group, that cannot be missed."""
    return target.but(miss=(0, 100), negate=(0, 100), reductions=(target.reductions[creature],))
