"""Variations: a build with one thing changed by the game's own keys, each named, or the reason why a build cannot have it.

A variation changes the build as it stands and every listed round. Whatever a game makes of the changed keys counts: a keen weapon whose written threat range
is one face wider threatens on two more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from analyzer.dice import MAX_MULTIPLIER, NEVER, CriticalRange, Damage, DiceSum, NotationError, parse_critical, parse_damage
from analyzer.plan import Die
from analyzer.rulekit.models import Model
from analyzer.rulekit.problems import ProblemError, from_validation
from analyzer.scenario import Build, ScenarioError, get_game

#: Weapon dice from the smallest to the largest; past the last, each becomes two d6.
SIZES = (2, 3, 4, 6, 8, 10, 12)
#: Keys under which games keep the dice of a weapon.
_WEAPON_DICE = ("damage", "on_hit", "on_critical", "critical_adds")
_CRITICAL = "critical"

#: The keys of a model that change; a `ValueError` says why none can.
Keys = Callable[[str, Model], Mapping[str, Any]]
#: The keys of one weapon that change, given the model that holds it.
_Weapon = Callable[[Model, Model], Mapping[str, Any]]


class UnvariedError(ValueError):
    """Why a build cannot have a variation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Variation:
    """One change of a build."""

    #: a word for records
    key: str
    #: what it is called in tables and figures
    label: str
    keys: Keys

    def of(self, build: Build) -> Build:
        """The build with the change, its name telling it.

        Raises
        ------
        UnvariedError
            When the build cannot have it, with the reason.
        """
        try:
            model = _changed(build.system, build.model, self.keys)
            rounds = tuple(replace(one, model=_changed(build.system, one.model, self.keys)) for one in build.rounds)
        except UnvariedError:
            raise
        except (ProblemError, ScenarioError, NotationError) as error:
            raise UnvariedError(str(error).splitlines()[0]) from error
        return replace(build, name=f"{build.name} ({self.label})", model=model, rounds=rounds)


def attack(points: int = 1) -> Variation:
    """Every attack bonus ``points`` higher."""
    return Variation(key="attack", label=f"{points:+d} attack", keys=lambda system, model: get_game(system).shifted(model, points, 0))


def damage(points: int = 1) -> Variation:
    """Every weapon damage roll ``points`` higher."""
    return Variation(key="damage", label=f"{points:+d} damage", keys=lambda system, model: get_game(system).shifted(model, 0, points))


def traded(attack: int, damage: int) -> Variation:
    """Every attack bonus and every weapon damage roll shifted."""
    return Variation(key="trade", label=f"{attack:+d}/{damage:+d}", keys=lambda system, model: get_game(system).shifted(model, attack, damage))


def die_step() -> Variation:
    """Every weapon die one size larger: d2, d3, d4, d6, d8, d10, d12, then two d6."""

    def keys(system: str, model: Model) -> Mapping[str, Any]:
        dice = [die for _, entry in _weapon_damage(model) for die in entry.sum.dice]
        if not any(die.sides in SIZES for die in dice):
            held = ", ".join(dict.fromkeys(f"d{die.sides}" for die in dice)) or "none"
            raise UnvariedError(f"no weapon dice from d{SIZES[0]} to d{SIZES[-1]}, but {held}")
        return _weapons(model, lambda weapon, _: {key: replace(entry, sum=_larger(entry.sum)) for key, entry in _own_damage(weapon)})

    return Variation(key="die", label="+1 die step", keys=keys)


def threat(faces: int = 1) -> Variation:
    """Every written threat range ``faces`` wider."""
    return Variation(key="threat", label=f"{faces:+d} threat", keys=lambda system, model: _critical(system, model, lambda old: _wider(old, faces)))


def threat_from(lowest: int) -> Variation:
    """Every written threat range from ``lowest`` to 20."""
    words = f"threat {lowest}-20" if lowest < 20 else "threat 20"
    return Variation(key="threat", label=words, keys=lambda system, model: _critical(system, model, lambda old: replace(old, threat_from=lowest)))


def multiplier() -> Variation:
    """Every critical multiplier one higher."""

    def keys(system: str, model: Model) -> Mapping[str, Any]:
        if not any(isinstance(getattr(weapon, _CRITICAL, None), CriticalRange) for weapon, _ in _held(model)):
            raise UnvariedError(f"no critical multiplier in {system}")
        return _critical(system, model, lambda old: replace(old, multiplier=min(old.multiplier + 1, MAX_MULTIPLIER)))

    return Variation(key="multiplier", label="+1 multiplier", keys=keys)


def extra(dice: str = "1d6") -> Variation:
    """Damage added to every hit, of the type of the first weapon where no other is written."""
    given = parse_damage(dice, "extra")

    def keys(system: str, model: Model) -> Mapping[str, Any]:
        if "extra" not in type(model).model_fields:
            raise UnvariedError(f"no key for extra damage in this build of {system}")
        first = next((entry for _, entry in _weapon_damage(model)), given)
        entries: tuple[Damage, ...] = getattr(model, "extra")  # noqa: B009 - a key that not every model has
        return {"extra": (*entries, given if given != replace(given, type=Damage(sum=given.sum).type) else replace(given, type=first.type))}

    return Variation(key="extra", label=f"+{given} extra", keys=keys)


def another() -> Variation:
    """One attack more, where and as the game would make it."""

    def keys(system: str, model: Model) -> Mapping[str, Any]:
        changes = model.another()
        if not changes:
            raise UnvariedError("no place for another attack in the round")
        return changes

    return Variation(key="another", label="one more attack", keys=keys)


def milder(points: int = 1) -> Variation:
    """Every attack penalty within a turn ``points`` milder."""

    def keys(system: str, model: Model) -> Mapping[str, Any]:
        changes = model.milder(points)
        if not changes:
            raise UnvariedError("no attack penalty that grows within the turn")
        return changes

    return Variation(key="ap", label=f"AP {points} milder", keys=keys)


def standard() -> tuple[Variation, ...]:
    """The variations that builds are commonly weighed by, one point of damage first."""
    return (damage(), attack(), die_step(), threat(), multiplier(), extra(), another(), milder())


# -- what a variation changes --------------------------------------------------------------------------------------------------------------------------------


def _changed(system: str, model: Model, keys: Keys) -> Model:
    changes = dict(keys(system, model))
    try:
        return model.but(**changes)
    except ValidationError as error:
        raise ProblemError(from_validation(error, type(model), model.given() | changes)) from error


def _held(model: Model) -> Iterator[tuple[Model, Model]]:
    """Every table that holds the dice of a weapon, the model itself or one inside, with the model."""
    if next(_own_damage(model), None) is not None:
        yield model, model
    for value in model.given().values():
        inside = (value,) if isinstance(value, Model) else value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
        for table in inside:
            if isinstance(table, Model) and next(_own_damage(table), None) is not None:
                yield table, model


def _own_damage(table: Model) -> Iterator[tuple[str, Damage]]:
    for key in _WEAPON_DICE:
        value = getattr(table, key, None)
        if isinstance(value, Damage):
            yield key, value


def _weapon_damage(model: Model) -> Iterator[tuple[str, Damage]]:
    return (entry for weapon, _ in _held(model) for entry in _own_damage(weapon))


def _weapons(model: Model, change: _Weapon) -> dict[str, Any]:
    """The keys of a model that change when each of its weapons does."""
    held = {id(weapon) for weapon, _ in _held(model)}
    changes = dict(change(model, model)) if id(model) in held else {}

    def changed(table: Any) -> Any:  # noqa: ANN401 - whatever a key holds
        return table.but(**change(table, model)) if id(table) in held else table

    for key, value in model.given().items():
        if isinstance(value, Model) and id(value) in held:
            changes[key] = changed(value)
        elif isinstance(value, tuple) and any(id(one) in held for one in value):
            changes[key] = tuple(map(changed, value))
        elif isinstance(value, Mapping) and any(id(one) in held for one in value.values()):
            changes[key] = {name: changed(one) for name, one in value.items()}
    return changes


def _critical(system: str, model: Model, change: Callable[[CriticalRange], CriticalRange]) -> dict[str, Any]:
    """The keys that change when each weapon's threat range or multiplier does; a range without multiplier may be that of all weapons."""
    if not any(_CRITICAL in type(weapon).model_fields for weapon, _ in _held(model)):
        raise UnvariedError(f"no threat range in {system}")

    def keys(weapon: Model, holder: Model) -> Mapping[str, Any]:
        written = getattr(weapon, _CRITICAL, None)
        if isinstance(written, CriticalRange):
            return {_CRITICAL: change(written)} if written.threat_from != NEVER else {}
        old = parse_critical(written or getattr(holder, _CRITICAL, None) or "20")
        lowest = change(old).threat_from
        return {} if old.threat_from == NEVER else {_CRITICAL: f"{lowest}-20" if lowest < 20 else "20"}

    changes = _weapons(model, keys)
    if all(getattr(weapon, _CRITICAL, None) == CriticalRange(threat_from=NEVER) for weapon, _ in _held(model)):
        raise UnvariedError("no weapon that scores criticals")
    return changes


def _wider(old: CriticalRange, faces: int) -> CriticalRange:
    if old.threat_from - faces < 1:
        raise UnvariedError(f"no face left to widen {old} by")
    return replace(old, threat_from=old.threat_from - faces)


def _larger(dice: DiceSum) -> DiceSum:
    """The sum with each die of a known size one size larger."""
    return replace(dice, dice=tuple(_next(die) for die in dice.dice))


def _next(die: Die) -> Die:
    if die.sides not in SIZES:
        return die
    place = SIZES.index(die.sides) + 1
    return replace(die, sides=SIZES[place]) if place < len(SIZES) else replace(die, sides=6, count=2 * die.count, reroll_to=min(die.reroll_to, 5))
