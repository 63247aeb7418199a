"""The d20 rules of text 000: iterative attacks, a total that must exceed AC, threats confirmed by a critical roll, multipliers summed.

Switches, each with the clause it rests on (default first):

``ties = "miss" | "hit"``
    The impact: an attack is successful when its roll *exceeds* the defender's AC, so a total equal to AC misses. ``hit``: meeting AC is enough.
``confirm_naturals = false | true``
    Critical hit: a second attack roll with the same modifiers must also exceed AC. Automatic success and failure are stated of die A, the swing's die, so
    the critical roll counts by its total. ``true``: its natural 20 confirms and its natural 1 does not.
``minimum = "roll" | "hit"``
    Minimum damage: the modified damage *roll* is at least 1; a critical is further such rolls, each at least 1. ``hit``: only their sum is.
``flat_footed_penalty = "dropped" | "kept"``
    Flat-footed: the Dexterity modifier does not count towards AC, a negative one neither. ``kept``: a penalty stays.
``strength_penalty = "full" | "scaled"``
    Damage: off-hand weapons add half of Strength and two-handed ones one and a half; a penalty is not spoken of and applies once in full. ``scaled``: it
    is halved or enlarged like a bonus, rounded down.

Multiplied damage is rolled again: multipliers on one hit are summed (x2 and x3 are five rolls); extra dice are added after, once; damage reduction is last.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from analyzer import plan
from analyzer.dice import Damage
from analyzer.plan import Attack, Check, Packets, Plan
from analyzer.rulekit.armor import ArmoredTarget, armor_class
from analyzer.rulekit.fields import Items
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.lowering import blow, facing, part, turn
from analyzer.rulekit.martial import MartialSheet, MartialWeapon, attack_bonuses, damage_dice
from analyzer.rulekit.models import Model, arsenal
from analyzer.rulekit.swings import MULTIPLIERS, Multipliers, SwingLine, SwingStatblock, explain_extra, swings
from analyzer.rulekit.system import System


class D20Rules(Model):
    """The switches of the d20 text."""

    ties: Literal["miss", "hit"] = Field(default="miss", description="whether a total equal to AC hits; the text: it must exceed AC")
    confirm_naturals: bool = Field(default=False, description="whether a natural 20 or 1 decides the critical roll; the text speaks of die A only")
    minimum: Literal["roll", "hit"] = Field(default="roll", description="whether each damage roll of a hit is at least 1, or only their sum")
    flat_footed_penalty: Literal["dropped", "kept"] = Field(default="dropped", description="whether a flat-footed target keeps a negative Dexterity modifier")
    strength_penalty: Literal["full", "scaled"] = Field(default="full", description="whether a Strength penalty to damage is halved or enlarged with the hand")


class D20Target(ArmoredTarget):
    """A target: ``ac`` as a number, or the parts of its armor class."""


class D20Statblock(SwingStatblock):
    """Final numbers: attack bonuses, damage, critical."""


class D20Weapon(MartialWeapon):
    """A weapon of a sheet."""


class D20Sheet(MartialSheet):
    """A character the bonuses and damage are derived from."""

    feats: Annotated[tuple[Literal["weapon focus", "weapon finesse"], ...], Items()] = Field(default=(), description="feats that matter here")
    multipliers: Multipliers = Field(default=(), description=MULTIPLIERS)
    weapon: D20Weapon | None = Field(default=None, description=MartialSheet.model_fields["weapon"].description)
    weapons: Annotated[tuple[D20Weapon, ...], Items()] | None = Field(default=None, description=MartialSheet.model_fields["weapons"].description)


class D20(System[D20Rules, D20Target, D20Statblock, D20Sheet]):
    """The d20 rules."""

    id = "d20"
    name = "d20"
    summary = "BAB iteratives, total must exceed AC, confirmed criticals, multipliers summed, extra dice never multiplied"
    Rules = D20Rules
    Target = D20Target
    Statblock = D20Statblock
    Sheet = D20Sheet

    def from_statblock(self, build: D20Statblock, rules: D20Rules, target: D20Target, ledger: Ledger) -> Plan:
        """The plan of a statblock."""
        return Plan(turns=(turn(attack for line in swings(build, SwingLine, ledger) for attack in _attacks(line, rules, ledger)),))

    def from_sheet(self, build: D20Sheet, rules: D20Rules, target: D20Target, ledger: Ledger) -> Plan:
        """The plan of a sheet: all attacks of the first weapon, then of the second."""
        attacks: list[Attack] = []
        for _, weapon in arsenal(build.weapon, build.weapons):
            section = weapon.name or "attack"
            line = SwingLine.model_construct(
                name=weapon.name,
                attack=attack_bonuses(build, weapon, section, ledger),
                damage=Damage(
                    sum=damage_dice(build, weapon, section, ledger, penalty_full=rules.strength_penalty == "full"),
                    type=weapon.damage.type,
                ),
                critical=weapon.critical,
                multipliers=build.multipliers,
                extra=(*weapon.extra, *build.extra),
                critical_extra=(*weapon.critical_extra, *build.critical_extra),
            )
            attacks += _attacks(line, rules, ledger)
        return Plan(turns=(turn(attacks),))

    def facing(self, rules: D20Rules, target: D20Target, ledger: Ledger) -> plan.Target:
        """The target, its armor class derived or as given."""
        ac = armor_class(target, ledger, penalty_kept=rules.flat_footed_penalty == "kept")
        needed = "more than AC" if rules.ties == "miss" else "AC or more"
        ledger.note("target", "an attack hits with", needed, "a natural 20 of the swing's die hits and a natural 1 misses whatever the total")
        return facing(target, (ac,), ledger)


def _attacks(line: SwingLine, rules: D20Rules, ledger: Ledger) -> list[Attack]:
    """The attacks with one weapon, its bonuses and damage being final."""
    section, critical = line.name or "attack", line.critical
    multipliers = [Term(f"multiplier {i}", m, "multiplies every hit") for i, m in enumerate(line.multipliers, 1)]
    once = multipliers or [Term("the hit", 1, "one weapon roll")]
    hit_rolls = ledger.total(section, "weapon rolls of a hit", once, "multipliers are summed", signed=False)
    more = [*multipliers, Term("critical multiplier", critical.multiplier, "additional damage rolls equal to the multiplier")]
    critical_rolls = ledger.total(section, "weapon rolls of a critical", more, "multipliers are summed, not multiplied", signed=False)
    ledger.note(section, "critical", critical, "a successful attack in this range threatens; a critical roll with the same modifiers must also succeed")
    explain_extra(line, ledger)
    check = Check(
        ties_hit=rules.ties == "hit",
        threat_from=critical.threat_from,
        critical=plan.Critical.CONFIRM,
        confirm_naturals=rules.confirm_naturals,
    )
    hit = _blow(line.damage, hit_rolls, line.extra, rules)
    crit = _blow(line.damage, critical_rolls, (*line.extra, *line.critical_extra), rules)
    return [Attack(label=section, bonus=bonus, check=check, on=((), (), hit, crit)) for bonus in line.attack]


def _blow(damage: Damage, times: int, extra: tuple[Damage, ...], rules: D20Rules) -> Packets:
    """The weapon rolled ``times`` times, then each extra entry once."""
    weapon = part(damage, times=times, each=1 if rules.minimum == "roll" else None, floor=1 if rules.minimum == "hit" else 0)
    return blow([weapon, *map(part, extra)])


SYSTEM = D20()
