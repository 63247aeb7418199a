"""Parity: the damage of a weapon by what is varied, turn length and foe, beside that of a reference, and which value brings the two closest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Literal, cast

import numpy as np

from analyzer.asking.seats import Seat, Simulation, child_seed
from analyzer.dice import DiceSum, NotationError, parse_dice
from analyzer.exact import Round
from analyzer.plan import HIT
from analyzer.pmf import Floats
from analyzer.records import Value
from analyzer.scenario import Build
from analyzer.workings.armoury import Weapon

#: Values tried when none are given.
VALUES: dict[str, tuple[int, ...]] = {"ap": tuple(range(-10, 1)), "damage": tuple(range(-10, 11)), "attack": tuple(range(-10, 11))}
DICE = "1d4,1d6,1d8,1d10,1d12,2d4,2d6,2d8"
#: What may be varied.
Vary = Literal["ap", "dice", "damage", "attack"]
#: Decimals of a distance that are no rounding.
_DIGITS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A weapon with something changed; what is None or 0 stays as it is."""

    ap: int | None = None
    dice: DiceSum | None = None
    attack: int = 0
    damage: int = 0

    def value(self, vary: Vary) -> Value:
        """What is varied, as a record shows it."""
        return str(self.dice) if vary == "dice" else getattr(self, vary)


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """What weapons are compared over: turn lengths, each counting as much as another (none: turns as they stand), and foes with their weights."""

    turns: tuple[int, ...]
    #: (n_foe,) sums to 1
    weights: Floats

    def mean(self, table: Floats) -> Floats:
        """The mean over turn lengths and foes of (..., n_turn, n_foe)."""
        out: Floats = table.mean(axis=-2) @ self.weights
        return out


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A weapon in several settings.

    Parameters
    ----------
    weapon, settings
        What attacks.
    seats
        It before the foes in each setting, with the longest turn.
    turns : (n_setting, n_turn, n_foe) float64, damage points per round
        Mean of the whole turn.
    attacks : (n_setting, n_attack, n_foe) float64, damage points per round
        Mean of each attack of the longest turn.
    """

    weapon: Weapon
    settings: tuple[Setting, ...]
    seats: tuple[Seat, ...]
    turns: Floats
    attacks: Floats

    def dice(self, setting: int) -> DiceSum | None:
        """The dice of a hit's first damage roll in a setting, without flat points; None where there are none, or no notation for them."""
        for step in self.seats[setting].faced[0].plan.steps:
            for attack in filter(None, step.variants):
                rolls = [roll for packet in attack.on[HIT] for part in packet.parts for roll in part.rolls]
                with suppress(NotationError):
                    return DiceSum(dice=rolls[0].dice) if rolls and rolls[0].dice else None
        return None

    def build(self, setting: int, attacks: int | None) -> Build:
        """The weapon in one setting with a turn of some attacks."""
        chosen = self.settings[setting]
        return self.weapon.but(attacks=attacks, ap=chosen.ap, dice=chosen.dice, attack=chosen.attack, damage=chosen.damage)


def line(weapon: Weapon, seat: Seat, settings: Sequence[Setting], over: Range) -> Line:
    """The exact figures of a weapon in every setting. What an attack is worth does not depend on later ones, so the longest turn holds the shorter ones."""
    longest = max(over.turns) if over.turns else None
    made = Line(weapon=weapon, settings=tuple(settings), seats=(), turns=np.zeros(0), attacks=np.zeros(0))
    seats = tuple(seat.changed(made.build(i, longest)) for i in range(len(settings)))
    attacks = np.array([one.gathered(lambda _, found: _by_attack(found)).T for one in seats])
    whole = attacks.sum(axis=1, keepdims=True)
    turns = attacks.cumsum(axis=1)[:, [turn - 1 for turn in over.turns]] if over.turns else whole
    return Line(weapon=weapon, settings=tuple(settings), seats=seats, turns=turns, attacks=attacks)


def _by_attack(found: Round) -> Floats:
    """The mean of every attack, (n_ac, n_attack)."""
    out: Floats = np.array([attack.mean for attack in found.attacks]).reshape(len(found.attacks), len(found.acs)).T
    return out


def distance(first: Floats, second: Floats) -> Floats:
    """How far two figures are apart: the size of the logarithm of their ratio, 0 where both are 0 and infinite where one is."""
    both = (first <= 0.0) & (second <= 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Floats = np.where(both, 0.0, np.abs(np.log(first) - np.log(second)))
    return out


def nearest(table: Floats, reference: Floats, over: Range, criterion: str, unlike: Sequence[int]) -> int:
    """The setting whose damage, (n_setting, n_turn, n_foe), is closest to a reference's, (n_turn, n_foe).

    "worst" goes by the largest `distance` among the turn lengths and the foes that count, then by their weighted mean; "mean" by the mean, then the largest.
    Of equally close settings it is the one least ``unlike`` what the weapon is now.
    """
    counts = over.weights > 0.0
    apart = distance(table, reference)[:, :, counts]
    largest = np.round(apart.max(axis=(1, 2)), _DIGITS)
    mean = np.round(apart.mean(axis=1) @ over.weights[counts], _DIGITS)
    keys = (largest, mean) if criterion == "worst" else (mean, largest)
    return int(np.lexsort((unlike, keys[1], keys[0]))[0])


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """What simulated rounds say of a setting: (n_turn, n_foe) means, their standard errors, and rounds expected to deal any damage."""

    means: Floats
    errors: Floats
    often: Floats

    def mean(self, over: Range) -> tuple[float, float, float]:
        """The mean over turn lengths and foes with its standard error, all having dice of their own."""
        error = np.sqrt((self.errors**2).mean(axis=0) / len(self.errors) @ over.weights**2)
        return float(over.mean(self.means)), float(error), float(over.mean(self.often))

    def turns(self, turns: slice) -> Sample:
        """What it says of some turn lengths, by their places."""
        return Sample(means=self.means[turns], errors=self.errors[turns], often=self.often[turns])

    def mix(self, seat: Seat, turn: int, mix: int) -> tuple[float, float, float]:
        """The mean of one turn length against a mix with its standard error."""
        return float(seat.mixed(self.means[turn])[mix]), float(seat.errors(self.errors[turn])[mix]), float(seat.mixed(self.often[turn])[mix])


def sampled(one: Line, setting: int, over: Range, how: Simulation, *, apart: bool) -> Sample:
    """Simulated rounds of a setting, each turn length with dice of its own, and with ``apart`` each armor class of a sweep too."""
    means, errors, often = [], [], []
    for turn in over.turns or (None,):
        seat = one.seats[setting].changed(one.build(setting, turn))
        tallies = seat.tallies(trials=how.trials, seed=child_seed(how.seed, turn or 0), workers=how.workers, apart=apart)
        means.append([tally.mean for tally in tallies])
        errors.append([tally.standard_error for tally in tallies])
        often.append(how.trials * seat.gathered(lambda _, found: 1.0 - found.no_damage))
    return Sample(means=np.array(means), errors=np.array(errors), often=np.array(often))


def sampled_attacks(one: Line, setting: int, how: Simulation) -> Sample:
    """Simulated attacks of the longest turn in a setting, (n_attack, n_foe)."""
    seat = one.seats[setting]
    tallies = seat.tallies(trials=how.trials, seed=how.seed, workers=how.workers)
    sums = np.array([[sum(by_degree) for by_degree in tally.sums.tolist()] for tally in tallies], dtype=np.float64).T
    squares = np.array([[sum(by_degree) for by_degree in tally.squares.tolist()] for tally in tallies], dtype=np.float64).T
    errors = np.sqrt(np.maximum(squares - sums**2 / how.trials, 0.0) / max(1, how.trials - 1) / how.trials)
    hits = how.trials * seat.gathered(lambda _, found: np.array([attack.hit for attack in found.attacks]).T).T
    return Sample(means=sums / how.trials, errors=errors, often=hits)


def ratio(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float] | None:
    """The ratio of two independent estimates with its standard error by the delta method; None where the second is 0."""
    (a, a_error), (b, b_error) = first, second
    if b <= 0.0:
        return None
    return a / b, float(np.hypot(a_error / b, a * b_error / b**2))


def weights(seat: Seat, given: object) -> Floats:
    """What each foe counts, (n_foe,) summing to 1."""
    foes = len(seat.field.foes)
    if not seat.field.swept:
        if given is not None:
            raise ValueError(f"weights must be left out with against, whose table has its own; got {given!r}")
        return cast("Floats", seat.field.weights[0])
    if given is None:
        return np.full(foes, 1.0 / foes)
    try:
        read = np.array([float(one) for one in (given.split(",") if isinstance(given, str) else cast("Sequence[float]", given))])
    except (TypeError, ValueError) as error:
        raise ValueError(f"weights must be numbers from 0 such as 1,2,3,2,1; got {given!r}") from error
    if len(read) != foes or not np.isfinite(read).all() or (read < 0.0).any() or read.sum() <= 0.0:
        raise ValueError(f"weights must be {foes} numbers from 0, one per armor class and one above 0; got {given!r}")
    return cast("Floats", read / read.sum())


def settings(weapon: Weapon, vary: Vary, values: tuple[int, ...] | None, dice: object, *, searched: bool) -> tuple[Setting, ...]:
    """What is tried with a weapon."""
    if dice is not None and vary != "dice" and not searched:
        raise ValueError(f"dice must be left out unless they vary or with within; got {dice!r} and vary {vary!r}")
    if searched:
        grown: list[DiceSum | None] = list(_dice(dice)) if dice is not None else [None]
        return tuple(Setting(ap=ap, dice=one) for one, ap in product(grown, values or VALUES["ap"]))
    if vary == "dice":
        if values is not None:
            raise ValueError(f"values must be left out with vary 'dice', whose values are dice; got {', '.join(map(str, values))}")
        return tuple(Setting(dice=one) for one in _dice(DICE if dice is None else dice))
    made: dict[str, Callable[[int], Setting]] = {
        "ap": lambda value: Setting(ap=value),
        "damage": lambda value: Setting(damage=value),
        "attack": lambda value: Setting(attack=value),
    }
    return tuple(made[vary](value) for value in values or VALUES[vary])


def _dice(given: object) -> tuple[DiceSum, ...]:
    texts = given.split(",") if isinstance(given, str) else list(cast("Sequence[str]", given))
    try:
        return tuple(dict.fromkeys(parse_dice(text, "dice") for text in texts))
    except (NotationError, TypeError) as error:
        raise ValueError(f"dice must be dice such as 1d6,1d8,2d4; got {given!r}") from error
