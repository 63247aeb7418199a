"""Fights to the death, simulated: hit points rolled, rounds fought until nothing is left of them, and when that was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo.fights import FoughtRound, fights
from analyzer.montecarlo.points import hit_points
from analyzer.plan import Die, Plan, Target

#: Rounds after which what still lives is left alone.
MAX_ROUNDS = 500


@dataclass(kw_only=True, slots=True, eq=False)
class Deaths:
    """What was counted over ``trials`` fights; sums are Python integers."""

    trials: int
    #: per round (n_steps,) fights in which the target died by this attack
    died: list[NDArray[np.int64]] = field(default_factory=list)
    #: sums over the fights that ended of the round of death, of the points wasted and of the points lost, and of their products with each other
    sums: list[int] = field(default_factory=lambda: [0, 0, 0])
    products: list[list[int]] = field(default_factory=lambda: [[0, 0, 0] for _ in range(3)])

    @property
    def unfinished(self) -> int:
        """Fights in which the target lived on."""
        return self.trials - sum(int(one.sum()) for one in self.died)

    def by(self, number: int, attack: int | None = None) -> int:
        """Fights in which the target was dead by the end of a round, or of an attack of it; both counted from 1."""
        before = sum(int(one.sum()) for one in self.died[: number - 1])
        return before + (int(self.died[number - 1][:attack].sum()) if number <= len(self.died) else 0)

    def covariance(self, a: int, b: int) -> float:
        """Sample covariance of two of the sums' figures, every fight having ended."""
        n = self.trials
        return (n * self.products[a][b] - self.sums[a] * self.sums[b]) / (n * (n - 1)) if n > 1 else 0.0

    def add(self, figures: Sequence[NDArray[np.int64]]) -> None:
        """The rounds, points wasted and points lost of some fights that ended."""
        for a, one in enumerate(figures):
            self.sums[a] += int(one.sum())
            for b, other in enumerate(figures):
                self.products[a][b] += int(np.dot(one, other))


def deaths(
    plans: Sequence[Plan],
    target: Target | Sequence[Target],
    ac: int | Sequence[int],
    *,
    dice: Sequence[Die],
    flat: int,
    regeneration: int,
    trials: int,
    seed: int,
    hp_seed: int,
) -> Deaths:
    """Simulated fights until the target is dead.

    Parameters
    ----------
    plans, target, ac, trials, seed
        As `fights` takes them.
    dice, flat
        Hit points, rolled once a fight; below 1 they are 1.
    regeneration : int
        Points that a target gets back at the end of each round, up to what it had; not once dead.
    hp_seed : int
        Seed of the dice of hit points.
    """
    out = Deaths(trials=trials)
    rng = np.random.default_rng(hp_seed)
    for rounds in fights(plans, target, ac, trials=trials, seed=seed, rounds=MAX_ROUNDS, attacks=True):
        standing: _Standing | None = None
        for fought in rounds:
            standing = standing or _Standing.new(hit_points(dice, flat, len(fought.total), rng), regeneration)
            standing.fight(out, fought)
            if not standing.living.size:
                break
    return out


@dataclass(kw_only=True, slots=True, eq=False)
class _Standing:
    """The fights that go on; int64 arrays, an entry per fight."""

    full: NDArray[np.int64]
    left: NDArray[np.int64]
    healed: NDArray[np.int64]
    #: which fights go on
    living: NDArray[np.int64]
    regeneration: int

    @classmethod
    def new(cls, full: NDArray[np.int64], regeneration: int) -> _Standing:
        """Fights that begin."""
        return cls(full=full, left=full.copy(), healed=np.zeros_like(full), living=np.arange(len(full)), regeneration=regeneration)

    def fight(self, out: Deaths, fought: FoughtRound) -> None:
        """Count a round."""
        if fought.round == len(out.died):
            out.died.append(np.zeros(fought.damage.shape[1], np.int64))
        so_far = fought.damage[self.living].cumsum(axis=1)
        over = so_far >= self.left[self.living, np.newaxis]
        ends = over.any(axis=1)
        attack, dead = over[ends].argmax(axis=1) if ends.any() else np.zeros(0, np.int64), self.living[ends]
        out.died[fought.round] += np.bincount(attack, minlength=fought.damage.shape[1])
        wasted = so_far[ends, attack] - self.left[dead]
        out.add((np.full(dead.size, fought.round + 1, np.int64), wasted, self.full[dead] + self.healed[dead]))
        on = self.living = self.living[~ends]
        if so_far.shape[1]:
            self.left[on] -= so_far[~ends, -1]
        back = np.minimum(self.regeneration, self.full[on] - self.left[on])
        self.left[on] += back
        self.healed[on] += back
