"""What a character brings to any weapon in hand: ability, size and skill to the attack roll, Strength to the damage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analyzer.rulekit.abilities import Ability
from analyzer.rulekit.combatant import SIZE_MODIFIERS
from analyzer.rulekit.ledger import Term
from analyzer.rulekit.martial import HANDS, MartialSheet, MartialWeapon


def wielder_terms(sheet: MartialSheet, weapon: MartialWeapon) -> Iterator[Term]:
    """The terms of an attack bonus that rest on no feat but weapon finesse: ability, size, enhancement, proficiency with weapon and armor."""
    strength = sheet.ability(Ability.STRENGTH, "melee attacks add Strength")
    dexterity = sheet.ability(Ability.DEXTERITY, f"{weapon.kind} attacks add Dexterity")
    if weapon.kind != "melee":
        yield dexterity
    elif "weapon finesse" in sheet.feats and (weapon.light or weapon.finesse) and dexterity.value > strength.value:
        yield replace(dexterity, rule="weapon finesse with a light or fitting weapon, and Dexterity is higher than Strength")
    else:
        yield strength
    yield Term(f"size ({sheet.size})", SIZE_MODIFIERS[sheet.size], "size modifier")
    yield Term("enhancement", weapon.enhancement, "enhancement bonus of the weapon")
    if not weapon.proficient:
        yield Term("not proficient", -4, "-4 with a weapon one is not proficient in")
    if not sheet.armor.proficient:
        yield Term("armor check penalty", sheet.armor.check_penalty, "deducted when wearing armor one is not proficient in")


def strength_damage(sheet: MartialSheet, weapon: MartialWeapon, limit: int | None = None) -> Iterator[Term]:
    """What Strength adds to a damage roll: a bonus by the hand, a penalty once in full; at range only with a ``limit``, and up to it."""
    whole = sheet.ability(Ability.STRENGTH, "melee and thrown weapons add Strength; a penalty applies once in full, whatever the hand")
    hand = "main" if weapon.hand == "two" and weapon.light else weapon.hand
    if weapon.kind == "ranged":
        if limit is not None:
            yield Term(whole.name, min(whole.value, limit), f"a Strength bonus up to the {limit} this weapon is made for, a penalty in full")
    elif hand == "main" or whole.value < 0:
        yield whole
    else:
        n, d = HANDS[hand]
        words = "off-hand weapons add half of Strength" if hand == "off" else "two-handed weapons, unless light, add one and a half times Strength"
        yield Term(f"{whole.name} ({whole.value:+d} x {n}/{d})", whole.value * n // d, f"{words}, rounded down")
