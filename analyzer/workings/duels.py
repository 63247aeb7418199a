"""Duels: pairs of builds that attack the same foes with dice of their own, simulated round by round, and how often which is ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from analyzer.asking.seats import Seat, Simulation, child_seed
from analyzer.pmf import Integers


@dataclass(slots=True)
class Counts:
    """What was counted of one pair: fights, those in which the first is ahead, those that tie, and the sums of the difference and of its square."""

    trials: int = 0
    more: int = 0
    tie: int = 0
    sum: int = 0
    squares: int = 0

    def add(self, difference: Integers) -> None:
        """Count some fights, by how far the first is ahead in each."""
        self.trials += len(difference)
        self.more += int(np.count_nonzero(difference > 0))
        self.tie += int(np.count_nonzero(difference == 0))
        self.sum += int(difference.sum())
        self.squares += int(difference @ difference)


def simulated(taken: Sequence[Seat], pairs: Sequence[tuple[int, int]], rounds: int, how: Simulation) -> dict[tuple[int, int, int], Counts]:
    """What was counted of every pair of builds and mix of foes, by their places."""
    jobs = []
    for mixes in dict.fromkeys(taken[i].field.mixes for i, _ in pairs):
        group = [(i, j) for i, j in pairs if taken[i].field.mixes == mixes]
        jobs += [(group, mix) for mix in range(len(mixes))]

    def play(job: tuple[list[tuple[int, int]], int]) -> dict[tuple[int, int, int], Counts]:
        group, mix = job
        counts = {(i, j, mix): Counts() for i, j in group}
        for totals in _sums({i: taken[i] for pair in group for i in pair}, mix, rounds, how):
            for (i, j, _), count in counts.items():
                count.add(totals[i] - totals[j])
        return counts

    with ThreadPoolExecutor(how.workers) as pool:
        return {key: count for counts in pool.map(play, jobs) for key, count in counts.items()}


def _sums(group: dict[int, Seat], mix: int, rounds: int, how: Simulation) -> Iterator[dict[int, Integers]]:
    """Damage over the rounds of every build of a group, chunk by chunk of trials: dice of its own each, the creatures of each round drawn once for all."""
    from analyzer.montecarlo import fights  # noqa: PLC0415 - Numba costs start-up time

    weights = next(iter(group.values())).field.mixes[mix].weights
    rng = np.random.default_rng([how.seed, mix])
    played = {}
    for number, seat in group.items():
        for foe, _ in weights:
            faced, _ = seat.before(foe)
            dice = child_seed(seat.seed(how.seed, foe), number)
            played[number, foe] = fights(faced.plans, faced.targets, faced.met(foe), trials=how.trials, seed=dice, rounds=rounds)
    for chunk in zip(*played.values(), strict=True):
        sums: dict[int, Integers] = {}
        for parts in zip(*chunk, strict=True):
            drawn = rng.choice(len(weights), size=len(parts[0].total), p=[weight for _, weight in weights]) if len(weights) > 1 else None
            for k, number in enumerate(group):
                totals = [part.total for part in parts[k * len(weights) : (k + 1) * len(weights)]]
                met = totals[0] if drawn is None else np.stack(totals)[drawn, np.arange(len(drawn))]
                sums[number] = sums.get(number, 0) + met
        yield sums
