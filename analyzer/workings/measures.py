"""Measures: what questions change builds for, DPR or the chance to kill in some rounds, of a seat exactly and of two seats on common dice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Protocol

import numpy as np

from analyzer.asking.foes import HitPoints
from analyzer.asking.seats import Faced, Seat, Simulation, child_seed
from analyzer.asking.twins import Twins
from analyzer.exact import evaluate
from analyzer.exact.reaching import at_least, reached, summed
from analyzer.pmf import Floats
from analyzer.records import Record

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import PairTally


class Measure(Protocol):
    """A figure of a seat that is better when it is higher."""

    def exact(self, seat: Seat) -> Floats:
        """The figure before every foe, (n_foe,) float64."""

    def occurring(self, seat: Seat) -> Floats:
        """The chance that one trial's value is not 0, (n_foe,)."""

    def pair(self, first: Seat, second: Seat, foe: int, *, trials: int, seed: int) -> PairTally:
        """The figure of two seats before one foe, simulated with common dice."""


@dataclass(frozen=True, slots=True)
class Dpr:
    """Mean damage points per round, of the build as it stands."""

    def exact(self, seat: Seat) -> Floats:
        """The means, (n_foe,) damage points per round."""
        return seat.gathered(lambda _, found: found.dpr)

    def occurring(self, seat: Seat) -> Floats:
        """The chances of any damage, (n_foe,)."""
        return seat.gathered(lambda _, found: 1.0 - found.no_damage)

    def pair(self, first: Seat, second: Seat, foe: int, *, trials: int, seed: int) -> PairTally:
        """The damage of rounds."""
        from analyzer.montecarlo import paired  # noqa: PLC0415 - Numba costs start-up time

        return paired(first.side(foe), second.side(foe), trials=trials, seed=first.seed(seed, foe))


@dataclass(frozen=True, slots=True)
class Kills:
    """The chance that the damage of the first rounds reaches the foe's hit points, nothing healing; listed rounds are played where the seats have them."""

    rounds: int

    def exact(self, seat: Seat) -> Floats:
        """The chances, (n_foe,).

        Raises
        ------
        ValueError
            A foe without hit points, or too many totals.
        """
        return seat.collected((faced, self._chances(seat, faced)) for faced in seat.faced)

    def tails(self, seat: Seat, most: int) -> Floats:
        """Chances that the damage of the rounds is at least 0, 1, ... ``most``, (n_foe, most + 1)."""
        return seat.collected((faced, at_least(self._sums(faced, most))) for faced in seat.faced)

    def occurring(self, seat: Seat) -> Floats:
        """The chances themselves."""
        return self.exact(seat)

    def pair(self, first: Seat, second: Seat, foe: int, *, trials: int, seed: int) -> PairTally:
        """The kills of fights; equal hit points are rolled alike for both."""
        from analyzer.montecarlo import paired_kills  # noqa: PLC0415 - Numba costs start-up time

        dice = first.seed(seed, foe)
        sides = []
        for seat in (first, second):
            faced, _ = seat.before(foe)
            points = _points(seat, foe)
            sides.append((faced.plans, faced.targets, faced.met(foe), (points.dice, points.flat)))
        return paired_kills(sides[0], sides[1], rounds=self.rounds, trials=trials, seed=dice, points_seed=child_seed(dice, 1))

    def _chances(self, seat: Seat, faced: Faced) -> Floats:
        points = [_points(seat, foe).pmf for foe in faced.foes]
        tails = at_least(self._sums(faced, max(pmf.high for pmf in points)))
        return np.concatenate([reached(tails[i : i + 1], pmf) for i, pmf in enumerate(points)])

    def _sums(self, faced: Faced, most: int) -> Floats:
        single = [evaluate(plan, target, acs).distribution for plan, target, acs in faced.course[: self.rounds]]
        every = [single[min(k, len(single) - 1)] for k in range(self.rounds)]
        return summed(every, min(most, 1 + sum(one.shape[1] - 1 for one in every)))


def played(measure: Measure, first: Seat, second: Seat, how: Simulation, foes: Iterable[int] | None = None) -> dict[int, PairTally]:
    """A tally of two seats on common dice for every foe, or for some."""
    listed = range(len(first.field.foes)) if foes is None else list(foes)

    def play(foe: int) -> PairTally:
        return measure.pair(first, second, foe, trials=how.trials, seed=how.seed)

    if how.workers == 1 or len(listed) == 1:
        return {foe: play(foe) for foe in listed}
    with ThreadPoolExecutor(how.workers) as pool:
        return dict(zip(listed, pool.map(play, listed), strict=True))


def difference(
    twins: Twins, where: str, name: str, *, exact: float, apart: Floats, weights: Iterable[tuple[int, float]], pairs: Mapping[int, PairTally]
) -> Record:
    """The columns of a weighted difference of two seats: exact, and beside it the paired simulation with its paired standard error.

    ``apart`` are the foes' exact differences, (n_foe,); a foe that differs in too few trials for the normal law keeps the figure from being judged.
    """
    shares = list(weights)
    found = sum(weight * pairs[foe].difference for foe, weight in shares)
    error = sqrt(sum((weight * (pairs[foe].standard_error or 0.0)) ** 2 for foe, weight in shares))
    counts = [pairs[foe].apart for foe, _ in shares if pairs[foe].apart or apart[foe]]
    trials = next(iter(pairs.values())).trials
    return twins.estimate(where, name, exact=exact, found=found, error=error or None, trials=trials, occurrences=min(counts, default=None))


def level(
    twins: Twins,
    where: str,
    name: str,
    *,
    exact: float,
    occurring: Floats,
    weights: Iterable[tuple[int, float]],
    pairs: Mapping[int, PairTally],
    second: bool = False,
    chance: bool = False,
) -> Record:
    """The columns of a weighted figure of one of two seats, the first unless ``second``; ``chance`` where it counts trials."""
    shares, place = list(weights), int(second)
    trials = next(iter(pairs.values())).trials
    if chance and len(shares) == 1:
        tally = pairs[shares[0][0]]
        return twins.chance(where, name, exact=exact, count=tally.second if second else tally.first, trials=trials)
    found = sum(weight * pairs[foe].means[place] for foe, weight in shares)
    error = sqrt(sum((weight * (pairs[foe].standard_errors[place] or 0.0)) ** 2 for foe, weight in shares))
    often = [trials * float(min(occurring[foe], 1.0 - occurring[foe]) if chance else occurring[foe]) for foe, _ in shares if occurring[foe]]
    return twins.estimate(where, name, exact=exact, found=found, error=error or None, trials=trials, occurrences=min(often, default=None))


def _points(seat: Seat, foe: int) -> HitPoints:
    points = seat.hp[foe]
    if points is None:
        name = seat.field.foes[foe].name
        raise ValueError(f"hp must be given, or be the target's own, for a chance to kill; got none{'' if name is None else f' for {name!r}'}")
    return points
