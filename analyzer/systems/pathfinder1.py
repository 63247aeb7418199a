"""Pathfinder's first edition: the 3.5 rules with its own Power Attack, Vital Strike, Manyshot, and no range penalty within the first increment.

Switches, each with the rule it rests on (default first):

``minimum = "hit" | "roll"``
    Penalties that bring a hit below 1 point leave it at 1 (nonlethal). That is said of the hit, so it comes after multiplication and with the precision
    damage that joined the weapon's. ``roll``: each weapon roll of a multiplied hit is at least 1, as some tables play it.
``confirmation = "roll" | "auto"``
    A threat is followed by a confirmation roll with the modifiers of the attack. ``auto``: a house rule, every threat is a critical.
``natural_20 = "hit" | "30"``
    A natural 20 always hits and a natural 1 always misses, on the confirmation roll too. ``30``: a variant, they count as 30 and -10, nothing is automatic.
``range = "beyond" | "full"``
    The penalty counts each full increment, or fraction of one, *beyond* the first: a 100-foot bow has none at 100 feet and -2 at 101. ``full``: it counts
    full increments, -2 at 100 feet, as 3.5 does.
``keen_stacks = false | true``
    Keen and Improved Critical do not stack: the threat range is doubled once. ``true``: both double it, and it is three times as wide.

Power Attack and Deadly Aim take 1, and 1 more for every 4 points of base attack bonus, and add twice that to damage; Power Attack half as much again in two
hands and half of it in the off hand, light weapons too. Furious Focus spares the round's first attack that penalty when it is made in two hands.
Vital Strike is one attack whose weapon dice, without modifiers, are rolled once to three times more and never multiplied. Manyshot looses two arrows with one
attack roll: two packets, damage reduction on each; critical and precision damage are the first's alone, any other damage bonus is on both. An attack action has
no second weapon and no extra attacks, so Vital Strike leaves both out. Far Shot costs 1 an increment. Deadly Aim's damage is dealt whatever armor class
is attacked: leave the key out against touch AC, where only firearms have it. A weapon in two hands leaves no off hand to attack with (Paizo's rules FAQ on
armor spikes and gauntlets), but for an off-hand weapon that needs no hand, such as a barbazu beard; which weapons those are is the table's business: both are
played with the penalties of two weapons, and a file that should not have the pair is not refused. Everything else is as in 3.5, in words of this game where
it has its own.

A plan cannot say, and this game therefore does not play: misfires, ongoing damage such as bleed, saves, and Vital Strike beside Manyshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from analyzer.plan import Attack, Packets, Roll
from analyzer.rulekit.fields import Between, Items
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.lowering import blow, part
from analyzer.rulekit.martial import base_attack
from analyzer.rulekit.models import left_out, raise_any
from analyzer.rulekit.problems import Path, Problem
from analyzer.rulekit.srd import Range, SharedFeat, SrdLine, SrdRules, SrdSheet, SrdStatblock, SrdTarget, SrdWeapon
from analyzer.rulekit.srd_game import SrdGame, swing, weapon_part


class Pathfinder1Rules(SrdRules):
    """The switches of Pathfinder."""

    range: Range = Field(default="beyond", description=SrdRules.model_fields["range"].description)


class Pathfinder1Target(SrdTarget):
    """A target: ``ac`` as a number, or the parts of its armor class."""


class Pathfinder1Statblock(SrdStatblock):
    """Final numbers: attack bonuses, damage, critical."""


class Pathfinder1Sheet(SrdSheet):
    """A character the bonuses and damage are derived from."""

    feats: Annotated[tuple[Literal[SharedFeat, "critical focus", "furious focus", "manyshot"], ...], Items()] = Field(
        default=(), description="feats that matter here; one about a weapon is about every weapon without focus = false"
    )
    power_attack: bool = Field(default=False, description="uses Power Attack with melee weapons")
    deadly_aim: bool = Field(default=False, description="uses Deadly Aim with thrown and ranged weapons")
    vital_strike: Annotated[int, Between(0, 3)] = Field(default=0, description="times the weapon dice are rolled again, once, in the round's only attack")
    manyshot: bool = Field(default=False, description="the first attack of the first weapon, a bow, looses two arrows")

    @property
    def arms(self) -> tuple[tuple[Path, SrdWeapon], ...]:
        """The weapons that attack in this round: with Vital Strike the first alone."""
        return super().arms[:1] if self.vital_strike else super().arms

    @property
    def power(self) -> int:
        """The points of Power Attack and Deadly Aim."""
        return 1 + max(0, base_attack(self)) // 4

    @model_validator(mode="after")
    def _one_action(self) -> Self:
        found = []
        if self.vital_strike and self.extra_attacks:
            found.append(left_out("extra_attacks", "with vital_strike (it is the round's only attack)", "both"))
        if self.vital_strike and self.manyshot:
            found.append(left_out("manyshot", "with vital_strike (it belongs to a full attack)", "both"))
        if self.manyshot and "manyshot" not in self.feats:
            found.append(Problem(("feats",), "feats must have 'manyshot' for the second arrow; got none"))
        if self.manyshot and self.arms and self.arms[0][1].kind != "ranged":
            found.append(Problem(("manyshot",), f"manyshot must be false unless the first weapon is a bow; got one of kind {self.arms[0][1].kind!r}"))
        raise_any(found)
        return self


class Pathfinder1(SrdGame[Pathfinder1Rules, Pathfinder1Sheet]):
    """Pathfinder's first edition."""

    id = "pathfinder1"
    name = "Pathfinder 1"
    summary = "As 3.5, with Power Attack by base attack bonus, Vital Strike, Manyshot, Furious Focus, and range penalties beyond the first increment only"
    Rules = Pathfinder1Rules
    Target = Pathfinder1Target
    Statblock = Pathfinder1Statblock
    Sheet = Pathfinder1Sheet

    def attack_terms(self, build: Pathfinder1Sheet, weapon: SrdWeapon) -> Iterator[Term]:
        """Power Attack and Deadly Aim."""
        feat = _aim(build, weapon)
        if feat:
            yield Term(feat, -build.power, f"1, and 1 more for every 4 points of base attack bonus {base_attack(build):+d}")

    def first_attack_terms(self, build: Pathfinder1Sheet, weapon: SrdWeapon) -> Iterator[Term]:
        """Furious Focus."""
        if "furious focus" in build.feats and build.power_attack and weapon.kind == "melee" and _two_handed(weapon):
            yield Term("furious focus", build.power, "no penalty of Power Attack on the round's first attack, made in two hands")

    def damage_terms(self, build: Pathfinder1Sheet, weapon: SrdWeapon) -> Iterator[Term]:
        """Power Attack and Deadly Aim."""
        feat = _aim(build, weapon)
        if feat == "power attack" and _two_handed(weapon):
            yield Term(feat, 3 * build.power, "twice the penalty and half as much again in two hands")
        elif feat == "power attack" and weapon.hand == "off":
            yield Term(feat, build.power, "twice the penalty, halved in the off hand")
        elif feat:
            yield Term(feat, 2 * build.power, "twice the penalty")

    def confirm_bonus(self, build: Pathfinder1Sheet, weapon: SrdWeapon) -> int:
        """Critical Focus."""
        return 4 if "critical focus" in build.feats else 0

    def range_penalty(self, build: Pathfinder1Sheet) -> int:
        """The penalty of one increment: Far Shot halves it."""
        return -1 if "far shot" in build.feats else -2

    def bases(self, build: Pathfinder1Sheet, weapon: SrdWeapon, *, first: bool) -> tuple[Term, ...]:
        """The base attack bonus of each attack: with Vital Strike the highest alone."""
        listed = super().bases(build, weapon, first=first)
        return (max(listed, key=lambda base: base.value),) if build.vital_strike and listed else listed

    def attacks(self, build: Pathfinder1Sheet, line: SrdLine, rules: Pathfinder1Rules, ledger: Ledger, *, first: bool) -> list[Attack]:
        """The attacks with a weapon, Vital Strike's dice or Manyshot's second arrow in the first of them."""
        section = line.name or "attack"
        if first and build.vital_strike:
            dice = replace(line.damage, sum=line.damage.sum.plus(-line.damage.sum.flat))
            ledger.note(section, "vital strike", f"{build.vital_strike} x {dice}", "the weapon dice again, without modifiers, not multiplied")
            return swing(line, rules, ledger, (Roll(dice=dice.sum.dice, times=build.vital_strike),))
        made = swing(line, rules, ledger)
        if first and build.manyshot and made:
            second = _second_arrow(line, rules)
            ledger.note(section, "manyshot", line.damage, "a second arrow on the first attack: no critical or precision damage, reductions apart")
            _, _, hit, critical = made[0].on
            made[0] = replace(made[0], on=((), (), hit + second, critical + second))
        return made


def _aim(build: Pathfinder1Sheet, weapon: SrdWeapon) -> str | None:
    """The feat in use that trades attack bonus for damage with this weapon."""
    if weapon.kind == "melee":
        return "power attack" if build.power_attack else None
    return "deadly aim" if build.deadly_aim else None


def _two_handed(weapon: SrdWeapon) -> bool:
    return weapon.hand == "two" and not weapon.light


def _second_arrow(line: SrdLine, rules: Pathfinder1Rules) -> Packets:
    """One weapon roll and the extra damage that is not precision damage."""
    return blow([weapon_part(line, 1, rules, precision=False), *(part(entry) for entry in line.extra if not entry.precision)])


SYSTEM = Pathfinder1()
