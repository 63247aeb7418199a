"""D&D 3.5 by its System Reference Document: meeting AC hits, naturals decide the critical roll too, multipliers add as 1 + the sum of (m - 1).

Switches, each with the rule it rests on (default first):

``minimum = "hit" | "roll"``
    Penalties that bring a hit below 1 point leave it at 1. That is said of the hit, so it comes after multiplication and with the precision damage that
    joined the weapon's. ``roll``: each weapon roll of a multiplied hit is at least 1, as some tables play it.
``confirmation = "roll" | "auto"``
    A threat is followed by a critical roll with the modifiers of the attack. ``auto``: a house rule, every threat is a critical.
``natural_20 = "hit" | "30"``
    A natural 20 always hits and a natural 1 always misses, on the critical roll too. ``30``: a variant, they count as 30 and -10 and nothing is automatic.
``range = "full" | "beyond"``
    Each full range increment of distance costs 2, so a 100-foot bow has -2 at 100 feet. ``beyond``: each increment, or fraction of one, after the first
    does, so it has none at 100 feet and -2 at 101.
``keen_stacks = false | true``
    Effects that widen a threat range do not stack: keen and Improved Critical double it once. ``true``: both do, and it is three times as wide (3.0).

A weapon's damage roll holds everything that is multiplied. Precision damage of the weapon's type is added to it once; other extra damage stands apart, each
entry with its type, so that damage reduction never touches energy. Fortification is rolled once an attack, for the critical and the precision damage together.
Power Attack takes up to the base attack bonus from every melee attack and adds as much (twice in two hands, nothing to a light weapon). The off hand attacks
once, more often by its feats; an extra attack is made with the first weapon. Flurry costs 2: what a monk's level gives back is a named bonus. Blind-Fight is
for melee alone, uncanny dodge keeps dodge bonuses with Dexterity, and a composite bow too strong for its archer costs 2.

A plan cannot say, and this game therefore does not play: ongoing damage, saves, and criticals that are confirmed against another armor class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from analyzer.rulekit.fields import Count, Items
from analyzer.rulekit.ledger import Term
from analyzer.rulekit.martial import base_attack
from analyzer.rulekit.models import raise_any
from analyzer.rulekit.problems import Problem
from analyzer.rulekit.srd import SharedFeat, SrdRules, SrdSheet, SrdStatblock, SrdTarget, SrdWeapon
from analyzer.rulekit.srd_game import SrdGame


class Srd35Rules(SrdRules):
    """The switches of the 3.5 rules."""


class Srd35Target(SrdTarget):
    """A target: ``ac`` as a number, or the parts of its armor class."""


class Srd35Statblock(SrdStatblock):
    """Final numbers: attack bonuses, damage, critical."""


class Srd35Sheet(SrdSheet):
    """A character the bonuses and damage are derived from."""

    feats: Annotated[tuple[Literal[SharedFeat, "power critical"], ...], Items()] = Field(
        default=(), description="feats that matter here; one about a weapon is about every weapon without focus = false"
    )
    power_attack: Count = Field(default=0, description="points of Power Attack, up to the base attack bonus")

    @model_validator(mode="after")
    def _power(self) -> Self:
        most = max(0, base_attack(self))
        if self.power_attack > most:
            raise_any([Problem.of(("power_attack",), f"0 to the base attack bonus, {most}", self.power_attack)])
        return self


class Srd35(SrdGame[Srd35Rules, Srd35Sheet]):
    """The 3.5 rules."""

    id = "srd35"
    name = "D&D 3.5"
    summary = "Meeting AC hits, naturals hold on the critical roll, multipliers add as 1 + (m - 1), 1 point at least a hit, Power Attack point by point"
    Rules = Srd35Rules
    Target = Srd35Target
    Statblock = Srd35Statblock
    Sheet = Srd35Sheet

    def attack_terms(self, build: Srd35Sheet, weapon: SrdWeapon) -> Iterator[Term]:
        """Power Attack."""
        if weapon.kind == "melee":
            yield Term("power attack", -build.power_attack, "taken from every melee attack")

    def damage_terms(self, build: Srd35Sheet, weapon: SrdWeapon) -> Iterator[Term]:
        """Power Attack."""
        if weapon.kind == "melee" and not weapon.light:
            times, words = (2, "twice the points in two hands") if weapon.hand == "two" else (1, "the points in one hand")
            yield Term("power attack", times * build.power_attack, f"{words}, none with a light weapon")

    def confirm_bonus(self, build: Srd35Sheet, weapon: SrdWeapon) -> int:
        """Power Critical."""
        return 4 if build.has("power critical", weapon) else 0

    def increment(self, build: Srd35Sheet, weapon: SrdWeapon) -> int | None:
        """The range increment: Far Shot makes it half again as long, twice as long for what is thrown."""
        if weapon.range is None or "far shot" not in build.feats:
            return weapon.range
        return weapon.range * 2 if weapon.kind == "thrown" else weapon.range * 3 // 2


SYSTEM = Srd35()
