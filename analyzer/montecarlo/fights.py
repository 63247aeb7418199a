"""Fights: rounds simulated one after the other for the same trials, each with dice of its own, and what every attack of them dealt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.lower import MAX_SLOTS, Lowered, lower
from analyzer.montecarlo.simulate import BLOCK, check_trials, key_of
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Plan, Target, sweep

#: Trials handed out at a time, so that memory does not grow with their number.
CHUNK = 2**16


@dataclass(frozen=True, kw_only=True, slots=True)
class FoughtRound:
    """One round of consecutive trials."""

    #: number of the round in the fight, from 0
    round: int
    #: (n_trials,) damage points
    total: NDArray[np.int64]
    #: (n_trials, n_steps) damage points and final degrees (-1: skipped); no columns unless attacks were asked for
    damage: NDArray[np.int64]
    degree: NDArray[np.int64]


def fights(
    plans: Sequence[Plan],
    target: Target | Sequence[Target],
    ac: int | Sequence[int],
    *,
    trials: int,
    seed: int,
    rounds: int | None = None,
    attacks: bool = False,
) -> Iterator[Iterator[FoughtRound]]:
    """Simulated fights in chunks of trials; each chunk hands out its rounds in order, as many as are asked for.

    Parameters
    ----------
    plans : sequence of Plan
        A plan per round, the last repeating.
    target, ac
        What is attacked, at this value of the swept defence; one for all plans, or one for each.
    trials : int
        Fights. The first round of a fight without others is the round that `simulate` plays.
    seed : int
        Any non-negative integer.
    rounds : int, optional
        Most rounds; None goes on for as long as the words of randomness of a trial last.
    attacks : bool
        Whether each attack's damage and degree are handed out, or totals alone.

    Raises
    ------
    ValueError
        Trials or seed out of range.
    """
    check_trials(trials)
    targets = [target] * len(plans) if isinstance(target, Target) else target
    acs = [ac] * len(plans) if isinstance(ac, int) else ac
    met = zip(plans, targets, acs, strict=True)
    programs = [lower(plan, one, [int(d) for d in sweep(plan, one, [at])[0]]) for plan, one, at in met]
    for first in range(0, trials, CHUNK):
        yield _rounds(programs, key_of(seed), first, min(CHUNK, trials - first), rounds, attacks=attacks)


def _rounds(programs: Sequence[Lowered], key: np.uint64, first: int, trials: int, rounds: int | None, *, attacks: bool) -> Iterator[FoughtRound]:
    slot, number = 0, 0
    while rounds is None or number < rounds:
        program = programs[min(number, len(programs) - 1)]
        if slot + program.slots > MAX_SLOTS:
            return
        steps = program.n_steps if attacks else 0
        recorder = k.nothing_recorded()._replace(total=np.zeros(trials, np.int64))
        if attacks:
            recorder = recorder._replace(degree=np.full((trials, steps), -1, np.int64), damage=np.zeros((trials, steps), np.int64))
        k.run(program.program, key, first, trials, min(BLOCK, trials), slot, empty_arrays(program), recorder)
        yield FoughtRound(round=number, total=recorder.total, damage=recorder.damage, degree=recorder.degree)
        slot += -(-program.slots // 4) * 4
        number += 1
