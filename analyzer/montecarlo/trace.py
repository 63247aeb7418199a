"""Single trials, die by die: the kernel's own dice written down as it plays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.lower import Lowered
from analyzer.montecarlo.simulate import BLOCK, MAX_TRIALS, key_of, program_of
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Plan, Target, sweep


class Purpose(IntEnum):
    """What a die was rolled for."""

    ATTACK = k.FOR_ATTACK
    ATTACK_REROLL = k.FOR_ATTACK_REROLL
    EXTRA = k.FOR_EXTRA
    CONFIRM = k.FOR_CONFIRM
    CONFIRM_REROLL = k.FOR_CONFIRM_REROLL
    CONFIRM_EXTRA = k.FOR_CONFIRM_EXTRA
    NEGATE = k.FOR_NEGATE
    MISS = k.FOR_MISS
    DIRECTION = k.FOR_DIRECTION
    DISTANCE = k.FOR_DISTANCE
    DAMAGE = k.FOR_DAMAGE
    REROLL = k.FOR_REROLL


class TracedDie(NamedTuple):
    """One die of a trial: the step of the round it belongs to (from 0), what it was for, and what it showed."""

    step: int
    purpose: Purpose
    sides: int
    face: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """Consecutive trials as the kernel played them.

    ``log[trial, :log_length[trial]]`` are the dice of a trial in order, columns step, purpose, roll (row of the program's rolls, -1 for other dice), sides,
    face. A degree of -1 is a skipped step.
    """

    first: int
    #: (n_trials,) damage points
    total: NDArray[np.int64]
    #: (n_trials, n_steps)
    degree: NDArray[np.int64]
    damage: NDArray[np.int64]
    #: (n_trials, most_dice, 5)
    log: NDArray[np.int32]
    log_length: NDArray[np.int64]

    def dice(self, row: int) -> list[TracedDie]:
        """The dice of a row's trial in the order they were rolled."""
        rows = self.log[row, : self.log_length[row]].tolist()
        return [TracedDie(step, Purpose(purpose), sides, face) for step, purpose, _roll, sides, face in rows]


def record(plan: Plan, target: Target, ac: int | None, *, first: int, trials: int, seed: int, dice: bool = True) -> Recorded:
    """Trials ``first`` to ``first + trials - 1`` of a seed, the same ones a simulation of that seed plays.

    Parameters
    ----------
    plan, target
        What is played against what.
    ac : int, optional
        The swept defence; None takes the target's own numbers.
    first, trials : int
        Which trials; memory grows with their number.
    seed : int
        Any non-negative integer.
    dice : bool
        Whether every die is written down, or only totals, degrees and damage.

    Raises
    ------
    ValueError
        Trials or seed out of range.
    """
    if not (first >= 0 and trials >= 1 and first + trials <= MAX_TRIALS):
        raise ValueError(f"trials must be a range within 0 to {MAX_TRIALS - 1}; got {first} to {first + trials - 1}")
    lowered = program_of(plan, target, target.ac if ac is None else tuple(int(d) for d in sweep(plan, target, [ac])[0]))
    recorder = _recorder(lowered, trials, dice=dice)
    k.run(lowered.program, key_of(seed), first, trials, min(BLOCK, trials), 0, empty_arrays(lowered), recorder)
    return Recorded(
        first=first,
        total=recorder.total,
        degree=recorder.degree,
        damage=recorder.damage,
        log=recorder.log,
        log_length=recorder.log_length,
    )


def _recorder(lowered: Lowered, trials: int, *, dice: bool) -> k.Recorder:
    rows = trials if dice else 0
    return k.Recorder(
        total=np.zeros(trials, np.int64),
        degree=np.full((trials, lowered.n_steps), -1, np.int64),
        damage=np.zeros((trials, lowered.n_steps), np.int64),
        log=np.zeros((rows, lowered.most_dice + 1, 5), np.int32),
        log_length=np.zeros(rows, np.int64),
    )
