"""Referee of dnd5e (D&D 5e, 2014 and 2024): one turn played die by die, read from the published rules and the key page only."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .harness import Outcome, Roll
from .notation import PHYSICAL, Damage, Dice, bonuses, damage, damages

if TYPE_CHECKING:
    from collections.abc import Iterable

NATURAL_MISS, MISS, HIT, CRITICAL = range(4)
COVER = {"none": 0, "half": 2, "three quarters": 5}
NEVER = 21  # lowest critical face of a weapon without criticals


@dataclass(frozen=True)
class Attack:
    """One attack of the turn."""

    bonus: int
    attack_dice: tuple[Damage, ...]  # bless and bane: dice on the attack roll
    d20s: int
    best: bool  # of several d20: the highest counts, else the lowest
    lucky: bool
    critical_from: int
    weapon: Damage
    extra: tuple[Damage, ...]
    once_per_turn: tuple[Damage, ...]
    smite: tuple[Damage, ...]
    smite_on: str
    critical_extra: tuple[Damage, ...]
    great_weapon: bool
    minimum_die: int
    savage: bool
    graze: int


def plain(text: object) -> str:
    """Lower-case words with spaces only."""
    return re.sub("[_-]", " ", str(text).lower()).strip()


def lowest_critical(text: object) -> int:
    """Lowest critical face of `19-20`, `20` or `none`; 5e has no multiplier."""
    if plain(text) == "none":
        return NEVER
    match = re.fullmatch(r"(\d+)(?:\s*[-–−]\s*20)?", str(text).strip())
    if not match:
        raise ValueError(f"critical must be like 19-20; got {text!r}")
    return int(match[1])


def ability_modifier(sheet: dict[str, Any], ability: str) -> int:
    """Modifier of an ability, given as one or as a score; 0 when not given."""
    given: int | None = sheet.get("modifiers", {}).get(ability)
    return given if given is not None else (sheet.get("abilities", {}).get(ability, 10) - 10) // 2


def weapon_ability(sheet: dict[str, Any], weapon: dict[str, Any]) -> str:
    """Ability behind a weapon's attack and damage rolls."""
    if "ability" in weapon:
        return str(weapon["ability"])
    if weapon.get("finesse", False):  # finesse: the wielder picks, so the better; elven accuracy speaks for Dex when both are equal
        return max("dexterity", "strength", key=lambda ability: ability_modifier(sheet, ability))
    # Dex for ranged weapons; a thrown melee weapon keeps the ability of its melee attack
    return "dexterity" if weapon.get("kind") == "ranged" else "strength"


def attack_d20s(advantage: str, grants: str) -> tuple[int, bool]:
    """How many d20 are rolled, and whether the best of them counts."""
    has_advantage = advantage in ("advantage", "elven accuracy") or grants == "advantage"
    if has_advantage == ("disadvantage" in (advantage, grants)):
        return 1, True  # neither, or both: they cancel, whatever their number
    if not has_advantage:
        return 2, False
    return (3 if advantage == "elven accuracy" else 2), True  # elven accuracy: with advantage one die more, best of three


def matches(kind: str, names: Iterable[str]) -> bool:
    """Whether a list of types covers a type; `physical` covers the weapon types and untyped damage."""
    return kind in names or (kind in PHYSICAL and "physical" in names)


class Referee:
    """Plays turns of one build of a parsed build file against its target, or against an AC given from outside."""

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        rules = data.get("rules", {})
        self._edition_2024: bool = str(rules.get("edition", "2014")) == "2024"
        self._range_hits: bool = rules.get("critical_range_hits", False)
        self._style_on_all: bool = rules.get("reroll_scope", "weapon") == "all"
        self._take_better: str = rules.get("take_better", "roll")
        self._target = data.get("target", {})
        # Cover: +2 behind half, +5 behind three quarters; an AC given from outside is final
        self.armor_class: int = self._target.get("ac", 10) + COVER[plain(self._target.get("cover", "none"))] if ac is None else ac
        self._attacks = self._read_build(data["build"][build])
        self.attack_bonuses: list[int] = [attack.bonus for attack in self._attacks]

    def play(self, roll: Roll) -> Outcome:
        """Outcome of one turn whose dice `roll` hands over."""
        total = 0
        degrees: list[int] = []
        unspent = {"savage", "once", "smite"}  # what the turn still has of its once-per-turn features
        for attack in self._attacks:
            degree = self._degree(attack, roll)
            degrees.append(degree)
            if degree >= HIT:
                total += self._defended(self._damage(attack, degree == CRITICAL, unspent, roll))
            else:
                # Graze: a miss, a natural 1 too, still deals points of the weapon's type; no dice, nothing doubled
                total += self._defended([(attack.weapon.kind, max(0, attack.graze))])
        return Outcome(total, tuple(degrees))

    # Reading

    def _read_build(self, build: dict[str, Any]) -> list[Attack]:
        """All attacks of the first weapon, then all of the second, and so on."""
        weapons = build.get("weapons") or [build.get("weapon", build)]
        styles = {plain(style) for style in build.get("fighting_styles", [])}
        return [attack for weapon in weapons for attack in self._read_weapon(build, weapon, styles, alone=len(weapons) == 1)]

    def _read_weapon(self, build: dict[str, Any], weapon: dict[str, Any], styles: set[str], *, alone: bool) -> list[Attack]:
        keys = {**build, **weapon}  # what a weapon does not say, its build says
        holders = [weapon] if weapon is build else [weapon, build]
        kind, hand = keys.get("kind", "melee"), keys.get("hand", "main")
        swing = damage(weapon["damage"])
        great_weapon = keys.get("great_weapon_fighting", "great weapon fighting" in styles)
        if "attack" in weapon:
            numbers = bonuses(weapon["attack"])
        else:
            numbers = [self._sheet_bonus(build, weapon, styles)] * weapon.get("attacks", 1)
            swing = swing.plus(self._sheet_damage(build, weapon, styles, alone=alone))
            # Great weapon fighting: a melee weapon held in two hands, and a sheet tells which that is
            great_weapon = great_weapon and kind == "melee" and hand == "two"
        if keys.get("power", False):  # Sharpshooter and great weapon master of 2014: -5 to hit, +10 damage
            numbers, swing = [number - 5 for number in numbers], swing.plus(10)

        def collected(key: str) -> tuple[Damage, ...]:
            entries = (entry for holder in holders for entry in damages(holder.get(key)))
            # Damage without a type of its own, sneak attack among it, deals the damage type of the weapon
            return tuple(replace(e, kind=swing.kind) if e.kind == "physical" else e for e in entries)

        advantage = plain(keys.get("advantage", "none"))
        if advantage == "elven accuracy" and "attack" not in weapon and weapon_ability(build, weapon) in ("strength", "constitution"):
            advantage = "advantage"  # Elven accuracy: not for attacks by Strength or Constitution
        d20s, best = attack_d20s(advantage, plain(self._target.get("grants", "none")))
        rest = Attack(
            0,
            collected("attack_dice"),
            d20s,
            best,
            keys.get("lucky", False),
            lowest_critical(keys.get("critical", "20")),
            swing,
            collected("extra"),
            collected("once_per_turn"),
            collected("smite") if kind == "melee" else (),  # Divine smite: hits with a melee weapon
            plain(keys.get("smite_on", "first hit")),
            collected("critical_extra"),
            great_weapon,
            keys.get("minimum_die", 0),
            # Savage attacker: melee weapon attacks in 2014, any weapon in 2024
            keys.get("savage_attacker", False) and (self._edition_2024 or kind == "melee"),
            keys.get("graze", 0),
        )
        return [Attack(**{**rest.__dict__, "bonus": number}) for number in numbers]

    @staticmethod
    def _sheet_bonus(sheet: dict[str, Any], weapon: dict[str, Any], styles: set[str]) -> int:
        """Attack roll: ability, proficiency bonus when proficient, magic, named bonuses."""
        number = ability_modifier(sheet, weapon_ability(sheet, weapon)) + weapon.get("magic", 0) + sum(sheet.get("attack_bonuses", {}).values())
        if weapon.get("proficient", True):
            number += sheet.get("proficiency_bonus", 0)
        if "archery" in styles and weapon.get("kind") == "ranged":
            number += 2  # Archery: ranged weapons, not thrown melee weapons
        return int(number)

    @staticmethod
    def _sheet_damage(sheet: dict[str, Any], weapon: dict[str, Any], styles: set[str], *, alone: bool) -> int:
        """Damage roll: ability, magic, named bonuses."""
        ability = ability_modifier(sheet, weapon_ability(sheet, weapon))
        hand = weapon.get("hand", "main")
        if hand == "off" and "two weapon fighting" not in styles:
            ability = min(ability, 0)  # Off hand: a positive modifier stays out, a negative one does not
        number = ability + weapon.get("magic", 0) + sum(sheet.get("damage_bonuses", {}).values())
        if "dueling" in styles and alone and weapon.get("kind", "melee") == "melee" and hand == "main":
            number += 2  # Dueling: one melee weapon in one hand, no other weapon; an off-hand attack needs another in the main hand
        return int(number)

    # Attack roll

    def _degree(self, attack: Attack, roll: Roll) -> int:
        dice = [roll(20) for _ in range(attack.d20s)]
        if attack.lucky and 1 in dice:
            dice[dice.index(1)] = roll(20)  # Lucky halfling: one die that shows 1 is rolled again, once
        natural = max(dice) if attack.best else min(dice)
        # Bless and bane are part of every attack roll, so thrown even when the natural face decides
        total = natural + attack.bonus + sum(die.roll(roll) for die in attack.attack_dice)
        if natural == 1:
            return NATURAL_MISS  # a natural 1 misses whatever the total
        in_range = natural >= attack.critical_from
        # A natural 20 always hits; of a wider range only the totals that meet AC do, unless the switch lets the whole range hit
        if natural != 20 and total < self.armor_class and not (in_range and self._range_hits):
            return MISS
        miss_chance = self._target.get("miss_chance", 0)
        if miss_chance > 0 and roll(100) <= miss_chance:
            return MISS
        # Adamantine armor and the like make a critical an ordinary hit
        return CRITICAL if in_range and "critical" not in self._target.get("immune", []) else HIT

    # Damage

    def _damage(self, attack: Attack, critical: bool, unspent: set[str], roll: Roll) -> list[tuple[str, int]]:
        """Typed damage of a hit, every entry 0 or more; takes what it uses out of `unspent`."""
        parts: list[tuple[str, int]] = []
        times = 2 if critical else 1  # Critical: every damage die of the attack twice, modifiers once

        def deal(entry: Damage, times: int, *, weapon: bool = False, better: str = "") -> None:
            if entry.precision and "precision" in self._target.get("immune", []):
                return
            styled = attack.great_weapon and (weapon or self._style_on_all)
            # Great weapon fighting: 2014 rolls a 1 or 2 again, once; 2024 reads a 1 or 2 as 3
            again = 2 if styled and not self._edition_2024 else 0
            least = max(3 if styled and self._edition_2024 else 0, attack.minimum_die if weapon else 0)
            parts.append((entry.kind, max(0, rolled(entry, times, again, least, better, roll))))

        better = ""
        if attack.savage and "savage" in unspent:  # Savage attacker: the first hit of the turn, weapon dice only
            unspent.remove("savage")
            better = self._take_better
        deal(attack.weapon, times, weapon=True, better=better)
        for entry in attack.extra:
            deal(entry, times)
        if attack.once_per_turn and "once" in unspent:  # Sneak attack: the first hit of the turn
            unspent.remove("once")
            for entry in attack.once_per_turn:
                deal(entry, times)
        if attack.smite and (attack.smite_on == "every hit" or ("smite" in unspent and (critical or attack.smite_on == "first hit"))):
            unspent.discard("smite")
            for entry in attack.smite:
                deal(entry, times)  # Smite dice are dice of the attack: doubled too
        for entry in attack.critical_extra if critical else ():
            deal(entry, 1)  # dice that only a critical brings are not doubled
        return parts

    def _defended(self, parts: list[tuple[str, int]]) -> int:
        """What the target takes of one attack: immunity, flat reductions, resistance, vulnerability, each on the sum of a type."""
        reduction = self._target.get("reduction", {})

        def cut(points: int, key: str) -> int:
            left = reduction.get(key, 0)
            return 0 if left == "immune" else max(0, points - left)

        sums: dict[str, int] = {}
        for kind, points in parts:
            if not matches(kind, self.listed("immunity")):  # points off damage are not spent on what deals none
                sums[kind] = sums.get(kind, 0) + points
        sums = {kind: points if kind == "physical" else cut(points, kind) for kind, points in sums.items()}
        if "physical" in reduction:  # one number taken off all weapon damage leaves one sum, which is halved or doubled as one
            together = sum(sums.pop(kind, 0) for kind in PHYSICAL)
            sums["physical"] = cut(together, "physical")
        total = 0
        for kind, points in sums.items():
            # Resistance and vulnerability come after every other modifier, in this order; halves round down
            halved = points // 2 if matches(kind, self.listed("resistance")) else points
            total += halved * 2 if matches(kind, self.listed("vulnerability")) else halved
        return cut(total, "all")  # points off everything leave no types to halve or double: the game refuses these together

    def listed(self, key: str) -> list[str]:
        """The damage types of a list of the target; one may stand for a list of one."""
        types = self._target.get(key, [])
        return [types] if isinstance(types, str) else types


def rolled(entry: Damage, times: int, again: int, least: int, better: str, roll: Roll) -> int:
    """Points of an entry: each die of it `times` as often, faces up to `again` rolled once more, faces below `least` read as `least`.

    `better`: "roll" keeps the better of two whole rolls, "die" of two throws of each die. Dice taken off damage (a reduced creature's 1d4 less) are no damage
    dice of the attack, and every one of these features says "can": none touches them.
    """

    def face(dice: Dice) -> int:
        shown = roll(dice.sides)
        if shown <= max(dice.reroll, again if dice.sign > 0 else 0):
            shown = roll(dice.sides)  # once; the second face stands, which one it may be
        return max(shown, least) if dice.sign > 0 else shown

    def whole(throws: int) -> int:
        total = entry.flat
        for dice in entry.dice:
            for _ in range(dice.count * times):
                total += dice.sign * max(face(dice) for _ in range(throws if dice.sign > 0 else 1))
        return total

    if better == "roll":
        return max(whole(1), whole(1))
    return whole(2 if better == "die" else 1)
