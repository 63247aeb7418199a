"""Fights to the death of a build and the foes of a question: the exact ones weighed into mixes, and the simulated ones beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from analyzer.asking.foes import HitPoints
from analyzer.asking.seats import Seat, Simulation, child_seed
from analyzer.asking.twins import Twins
from analyzer.exact import Prospects, march, prospects, strike
from analyzer.pmf import Floats
from analyzer.records import Record

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Deaths

#: Rounds among which the median and the 90 % round are looked for.
MOST_ROUNDS = 1000
SHARES = (0.5, 0.9)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Fights:
    """One build's fights, weighed into mixes."""

    seat: Seat
    #: per round (n_mix, n_steps): dead by this attack
    dead: list[Floats]
    #: per mix what the foes' fights come to: (weight, prospects)
    prospects: list[list[tuple[float, Prospects]]]
    #: rounds by which half, and nine tenths, of the fights are over
    quantiles: list[list[int | None]]


def fought(seat: Seat, regeneration: int, rounds: int) -> Fights:
    """A build's fights with every foe, by its listed rounds, followed for some rounds and until nine tenths of those of every mix are over.

    Raises
    ------
    PlanError, ValueError
        What cannot be played, a foe without hit points or with too many.
    """
    n_foe = len(seat.field.foes)
    marches: list[Iterator[Floats]] = [iter(())] * n_foe
    ends: dict[int, Prospects] = {}
    for faced in seat.faced:
        points = [points_of(seat, foe).pmf for foe in faced.foes]
        strikes = [strike(plan, target, acs, max(pmf.high for pmf in points)) for plan, target, acs in faced.course]
        places = range(len(faced.foes))
        for foe, place, pmf, found in zip(faced.foes, places, points, prospects(strikes, places, points, regeneration), strict=True):
            marches[foe], ends[foe] = march(strikes, place, pmf, regeneration), found
    dead, quantiles = _followed(seat, marches, seat.mixed(np.array([ends[foe].ever for foe in range(n_foe)])), rounds)
    weights = [[(weight, ends[foe]) for foe, weight in mix.weights] for mix in seat.field.mixes]
    return Fights(seat=seat, dead=dead, prospects=weights, quantiles=quantiles)


def _followed(seat: Seat, marches: Sequence[Iterator[Floats]], ever: Floats, rounds: int) -> tuple[list[Floats], list[list[int | None]]]:
    """Chances to be dead, (n_mix, n_steps) per round, and when half and nine tenths of the fights of each mix are over."""
    dead: list[Floats] = []
    sums = np.zeros(len(ever))
    quantiles: list[list[int | None]] = [[None for _ in SHARES] for _ in ever]
    met = seat.field.weights > 0.0
    going, number = list(range(len(marches))), 0
    while number < rounds or (going and number < MOST_ROUNDS):
        number += 1
        # Beyond the rounds that are shown, fights of which nothing more is asked are not played: the quick ones of a sweep end long before the slow ones.
        played = going if number > rounds else range(len(marches))
        new = seat.mixed(_even([next(marches[foe]) for foe in played], played, len(marches)))
        by_attack = sums[:, np.newaxis] + new.cumsum(axis=1)
        sums = by_attack[:, -1]
        if number <= rounds:
            dead.append(np.minimum(by_attack, 1.0))
        waiting = np.zeros(len(ever), np.bool_)
        for mix, (over, so_far, whole) in enumerate(zip(quantiles, sums.tolist(), ever.tolist(), strict=True)):
            for i, share in enumerate(SHARES):
                if over[i] is None and so_far >= share:
                    over[i] = number
                waiting[mix] |= over[i] is None and whole > share
        going = np.flatnonzero(met[waiting].any(axis=0)).tolist()
    return dead, quantiles


def points_of(seat: Seat, foe: int) -> HitPoints:
    """The hit points of a foe.

    Raises
    ------
    ValueError
        When nobody says.
    """
    points = seat.hp[foe]
    if points is None:
        who = seat.field.foes[foe].name or "the target"
        raise ValueError(f"hp must be given, with the question, in the target or in every row of the table; got none for {who} against {seat.build.name!r}")
    return points


def _even(rows: Sequence[Floats], places: Sequence[int], count: int) -> Floats:
    """Rows at their places among ``count``, the others zeros: foes may be met with different numbers of attacks."""
    out = np.zeros((count, max(1, *map(len, rows))) if rows else (count, 1))
    for place, row in zip(places, rows, strict=True):
        out[place, : len(row)] = row
    return out


def weighed(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """The weighted mean; None when one is."""
    known = [(weight, value) for weight, value in parts if value is not None]
    return sum(weight * value for weight, value in known) if len(known) == len(parts) else None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Seen:
    """The simulated fights of a mix."""

    seat: Seat
    mix: int
    deaths: list[Deaths]
    twins: Twins

    @property
    def where(self) -> str:
        """What the fights are called in a verdict."""
        return self.seat.where(self.mix)

    def dead(self, name: str, number: int, attack: int | None, exact: float) -> Record:
        """The chance to be dead by a round, or by an attack of it."""
        told = self.where if name != "dead" else f"{self.where}, round {number}{'' if attack is None else f', attack {attack}'}"
        parts = [(weight, self.deaths[foe]) for foe, weight in self.seat.field.mixes[self.mix].weights]
        return self.twins.chances(told, name, exact=exact, seen=[(weight, one.by(number, attack), one.trials) for weight, one in parts])

    def figure(self, name: str, exact: float) -> Record:
        """A mean over whole fights, or the ratio of two; without a twin where some fight went on for too long."""
        parts = [(weight, self.deaths[foe]) for foe, weight in self.seat.field.mixes[self.mix].weights]
        if any(one.unfinished for _, one in parts):
            return {name: exact}
        rounds, wasted, taken = (sum(weight * one.sums[i] / one.trials for weight, one in parts) for i in range(3))
        if name == "effective_dpr":
            found = taken / rounds
            variance = sum(
                w**2 * (one.covariance(2, 2) - 2.0 * found * one.covariance(0, 2) + found**2 * one.covariance(0, 0)) / one.trials for w, one in parts
            )
            error = sqrt(max(variance, 0.0)) / rounds
        else:
            i = 0 if name == "mean_rounds" else 1
            found = rounds if i == 0 else wasted
            error = sqrt(sum(w**2 * one.covariance(i, i) / one.trials for w, one in parts))
        return self.twins.estimate(self.where, name, exact=exact, found=found, error=error, trials=parts[0][1].trials)


def simulated(seat: Seat, regeneration: int, how: Simulation) -> list[Deaths]:
    """Every foe's simulated fights, some foes at a time."""
    from analyzer.montecarlo import deaths  # noqa: PLC0415 - Numba costs start-up time

    def fight(foe: int) -> Deaths:
        faced, _ = seat.before(foe)
        dice, hp = seat.seed(how.seed, foe), points_of(seat, foe)
        return deaths(
            faced.plans,
            faced.targets,
            faced.met(foe),
            dice=hp.dice,
            flat=hp.flat,
            regeneration=regeneration,
            trials=how.trials,
            seed=dice,
            hp_seed=child_seed(dice, 0),
        )

    with ThreadPoolExecutor(how.workers) as pool:
        return list(pool.map(fight, range(len(seat.field.foes))))
