"""Referee of pathfinder2 (Pathfinder 2 / Starfinder 2): one turn played die by die, read from the published rules and the key page only."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .harness import Outcome, Roll
from .notation import PHYSICAL, Damage, Dice, after_reductions, bonuses, damage, damages

CRITICAL_FAILURE, FAILURE, SUCCESS, CRITICAL_SUCCESS = range(4)
PROFICIENCY = {"trained": 2, "expert": 4, "master": 6, "legendary": 8}
COVER = {"none": 0, "lesser": 1, "standard": 2, "greater": 4}


@dataclass(frozen=True)
class Strike:
    """One strike of the turn."""

    bonus: int
    fortune: str
    weapon: Damage
    extra: tuple[Damage, ...]
    fatal: int  # sides, 0: not fatal
    deadly: Dice | None
    critical_extra: tuple[Damage, ...]
    splash: Damage | None
    miss_damage: Damage | None


def ability_modifier(sheet: dict[str, Any], ability: str) -> int:
    """Modifier of an attribute, given as one or as a score; 0 when not given."""
    given: int | None = sheet.get("modifiers", {}).get(ability)
    return given if given is not None else (sheet.get("abilities", {}).get(ability, 10) - 10) // 2


def multiple_attack_penalty(strikes_before: int, agile: bool) -> int:
    """Second strike of the turn -5, every later one -10; -4 and -8 with an agile weapon."""
    return -(4 if agile else 5) * min(strikes_before, 2)


def range_penalty(distance: int, increment: int) -> int:
    """-2 for each increment beyond the first; six increments at most."""
    beyond = max(0, (distance - 1) // increment)
    if beyond > 5:
        raise ValueError(f"distance must be at most six range increments of {increment}; got {distance}")
    return -2 * beyond


def sides(text: object) -> int:
    """Sides of a die such as `d8`."""
    return int(re.fullmatch(r"1?d(\d+)", str(text).lower().strip())[1])


def highest(kind: str, table: dict[str, int]) -> int:
    """The one entry of several that counts for a type: the highest of its own, `physical` and `all`."""
    names = [kind, "all", *(["physical"] if kind in PHYSICAL else [])]
    return max((table[name] for name in names if name in table), default=0)


class Referee:
    """Plays turns of one build of a parsed build file against its target, or against an AC given from outside."""

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        rules = data.get("rules", {})
        self._twice_the_dice: bool = rules.get("critical_doubling", "double") == "dice"
        self._natural_shift: bool = rules.get("natural_shift", True)
        self._minimum: bool = rules.get("minimum", "hit") == "hit"
        target = self._target = data.get("target", {})
        self._immune: list[str] = target.get("immune", [])
        # Off-guard: -2 AC; cover adds to AC; an AC given from outside is final
        base = target.get("ac", 10) - 2 * target.get("off_guard", False) + COVER[target.get("cover", "none")]
        self.armor_class: int = base if ac is None else ac
        self._strikes = self._read_build(data["build"][build])
        self.attack_bonuses: list[int] = [strike.bonus for strike in self._strikes]

    def play(self, roll: Roll) -> Outcome:
        """Outcome of one turn whose dice `roll` hands over."""
        total = 0
        degrees: list[int] = []
        for strike in self._strikes:
            degree, affected = self._degree(strike, roll)
            degrees.append(degree)  # a critical success against one immune to criticals is one still, for all but the doubling
            if affected:
                total += self._defended(self._damage(strike, degree, roll))
        return Outcome(total, tuple(degrees))

    # Reading

    def _read_build(self, build: dict[str, Any]) -> list[Strike]:
        weapons = build.get("weapons") or [build.get("weapon", build)]
        strikes: list[Strike] = []
        for weapon in self._order(build, weapons):
            keys = {**build, **weapon}  # what a weapon does not say, its build says
            agile = keys.get("agile", False)
            if "attack" not in weapon:
                penalty = multiple_attack_penalty(len(strikes), agile)
                strikes.append(self._read_weapon(build, weapon, self._sheet_bonus(build, weapon) + penalty))
                continue
            numbers = bonuses(weapon["attack"])
            if len(numbers) == 1 and "weapons" not in build:  # a list, and what each of several weapons has, is final
                numbers = [numbers[0] + multiple_attack_penalty(before, agile) for before in range(keys.get("attacks", 1))]
            strikes += [self._read_weapon(build, weapon, number) for number in numbers]
        return strikes

    @staticmethod
    def _order(build: dict[str, Any], weapons: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The weapons in the order of their strikes; a statblock's weapon holds its strikes itself."""
        if "strikes" in build:
            named = {weapon["name"]: weapon for weapon in weapons}
            return [named[name] for name in build["strikes"]]
        return [weapon for weapon in weapons for _ in range(1 if "attack" in weapon else {**build, **weapon}.get("attacks", 1))]

    def _read_weapon(self, build: dict[str, Any], weapon: dict[str, Any], bonus: int) -> Strike:
        keys = {**build, **weapon}
        holders = [weapon] if weapon is build else [weapon, build]
        swing = damage(weapon["damage"])
        striking = keys.get("striking", 0)
        if "attack" not in weapon:
            # Striking runes: one to three weapon dice more, where the weapon has one
            dice = tuple(replace(dice, count=dice.count + striking) for dice in swing.dice)
            swing = replace(swing, dice=dice, flat=swing.flat + self._sheet_damage(build, weapon))
        if "range" in keys and keys.get("kind") != "melee":
            bonus += range_penalty(self._target.get("distance", 5), keys["range"])

        def typed(entry: Damage) -> Damage:
            # There is no damage without a type: what names none, precision damage too, is more of the weapon's
            return replace(entry, kind=swing.kind) if entry.kind == "physical" else entry

        def points(key: str) -> Damage | None:
            """Splash or miss damage: of the weapon's type unless it names one."""
            if not keys.get(key):
                return None
            return typed(damage(keys[key]))

        return Strike(
            bonus,
            keys.get("fortune", "none"),
            swing,
            tuple(typed(entry) for holder in holders for entry in damages(holder.get("extra"))),
            sides(keys["fatal"]) if "fatal" in keys else 0,
            # Deadly: one die; two with a greater striking rune, three with a major one
            Dice(1, max(1, striking), sides(keys["deadly"]), 0) if "deadly" in keys else None,
            tuple(typed(entry) for holder in holders for entry in damages(holder.get("critical_extra"))),
            points("splash"),
            points("miss_damage"),
        )

    @staticmethod
    def _sheet_bonus(sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        """Attack roll: attribute, proficiency, potency rune, named bonuses."""
        strength, dexterity = ability_modifier(sheet, "strength"), ability_modifier(sheet, "dexterity")
        modifier = dexterity  # ranged attacks, thrown weapons too, aim with Dex
        if weapon.get("kind", "melee") == "melee":
            modifier = max(strength, dexterity) if weapon.get("finesse", False) else strength
        rank = weapon.get("proficiency", sheet.get("proficiency", "trained"))
        trained = 0 if rank == "untrained" else sheet.get("level", 1) + PROFICIENCY[rank]  # the untrained add nothing, not even their level
        return int(modifier + trained + weapon.get("potency", 0) + sum(sheet.get("attack_bonuses", {}).values()))

    @staticmethod
    def _sheet_damage(sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        """Damage roll: Str, weapon specialization, named bonuses."""
        strength = ability_modifier(sheet, "strength")
        added = 0  # a ranged weapon adds no attribute
        kind = weapon.get("kind", "melee")
        if kind == "melee" or (kind == "thrown" and "splash" not in weapon):  # a thrown weapon with splash leaves Str out
            added = strength
        elif weapon.get("propulsive", False):
            added = strength // 2 if strength > 0 else strength  # propulsive: half a positive modifier, all of a negative one
        return int(added + weapon.get("specialization", sheet.get("specialization", 0)) + sum(sheet.get("damage_bonuses", {}).values()))

    # Attack roll

    def _degree(self, strike: Strike, roll: Roll) -> tuple[int, bool]:
        """Degree of success, and whether the strike does anything to the target."""
        dice = [roll(20) for _ in range(1 if strike.fortune == "none" else 2)]
        natural = min(dice) if strike.fortune == "misfortune" else max(dice)
        margin = natural + strike.bonus - self.armor_class
        # Ten or more over AC is a critical success, ten or more under it a critical failure
        degree = CRITICAL_SUCCESS if margin >= 10 else SUCCESS if margin >= 0 else FAILURE if margin > -10 else CRITICAL_FAILURE
        if self._natural_shift:  # a natural 20 is one degree better, a natural 1 one worse; there is nothing past the ends
            degree = min(max(degree + (natural == 20) - (natural == 1), CRITICAL_FAILURE), CRITICAL_SUCCESS)
        # A failure that would still deal splash or miss damage needs the flat check as a success does
        if degree <= FAILURE and (degree == CRITICAL_FAILURE or (strike.splash is None and strike.miss_damage is None)):
            return degree, False
        if not self._perceived(roll):
            return FAILURE, False  # the target is not affected at all, by splash neither
        # The miss chance every game has (Common) is no flat check: only a hit rolls it, and misses, which is a failure like any other
        miss_chance = self._target.get("miss_chance", 0)
        if degree >= SUCCESS and miss_chance > 0 and roll(100) <= miss_chance:
            degree = FAILURE
        return degree, True

    def _perceived(self, roll: Roll) -> bool:
        # Flat check: DC 5 against the concealed, DC 11 against the hidden, the harder of the two alone
        if not (self._target.get("hidden", False) or self._target.get("concealed", False)):
            return True
        return roll(20) >= (11 if self._target.get("hidden", False) else 5)

    # Damage

    def _damage(self, strike: Strike, degree: int, roll: Roll) -> list[tuple[str, int]]:
        """Typed damage of a strike, every entry 0 or more."""
        parts: list[tuple[str, int]] = []
        critical = degree == CRITICAL_SUCCESS
        # Immunity to criticals takes the doubling only: deadly, fatal and other gains of a critical stay
        doubled = critical and "critical" not in self._immune

        def deal(entry: Damage | None, *, double: bool = False) -> None:
            if entry is None or (entry.precision and "precision" in self._immune):
                return
            factor = 2 if double else 1
            if double and self._twice_the_dice:  # twice the dice and twice the modifiers
                entry, factor = replace(entry, dice=tuple(replace(dice, count=2 * dice.count) for dice in entry.dice), flat=2 * entry.flat), 1
            parts.append((entry.kind, factor * max(0, entry.roll(roll))))  # else one roll, doubled

        def more_weapon(dice: Dice) -> None:
            deal(replace(strike.weapon, dice=(dice,), flat=0))

        if degree >= SUCCESS:
            weapon = strike.weapon
            if critical and strike.fatal:  # Fatal: the weapon dice grow to its size
                weapon = replace(weapon, dice=tuple(replace(dice, sides=strike.fatal) for dice in weapon.dice))
            deal(weapon, double=doubled)
            for entry in strike.extra:
                deal(entry, double=doubled)
        else:
            deal(strike.miss_damage)
        if critical:  # what only a critical brings is not doubled
            if strike.fatal:
                more_weapon(Dice(1, 1, strike.fatal, 0))
            if strike.deadly is not None:
                more_weapon(strike.deadly)
            for entry in strike.critical_extra:
                deal(entry)
        deal(strike.splash)  # Splash: on success and failure alike, never doubled
        if self._minimum and degree >= SUCCESS and parts and sum(points for _, points in parts) == 0:
            parts.append((strike.weapon.kind, 1))  # penalties leave a hit 1 point
        return parts

    def _defended(self, parts: list[tuple[str, int]]) -> int:
        """What the target takes of one strike: immunities, weaknesses, resistances, each on the sum of a type."""
        sums: dict[str, int] = {}
        for kind, points in parts:
            if kind not in self._immune and not (kind in PHYSICAL and "physical" in self._immune):
                sums[kind] = sums.get(kind, 0) + points
        # Each type is an instance of damage: of several weaknesses or resistances that fit it only the highest, a wide one (physical, all) for each type
        for kind, points in sums.items():
            if points > 0:  # no damage of the type, no weakness
                sums[kind] += highest(kind, self._target.get("weakness", {}))
        left = [(kind, max(0, points - highest(kind, self._target.get("resistance", {})))) for kind, points in sums.items()]
        return after_reductions(left, self._target.get("reduction", {}))
