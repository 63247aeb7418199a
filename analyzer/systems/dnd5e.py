"""The rules of D&D 5e, of 2014 and of 2024: advantage, criticals that double the dice, styles, riders once per turn, resistance that halves.

Switches, each with the rule it rests on (default first):

``edition = "2014" | "2024"``
    Great weapon fighting rerolls a 1 or 2 on a damage die once; in ``2024`` a 1 or 2 counts as 3. Savage attacker helps melee weapons; in ``2024`` any weapon
    (a sheet tells them apart). Nothing else here differs: -5/+10 (``power``) is of the feats of 2014, grazing of the weapons of 2024, either where it is asked.
``critical_range_hits = false | true``
    A natural 20 hits whatever the AC; a 19 in a wider critical range is a critical when its total hits. ``true``: the whole range hits, as at some tables.
``reroll_scope = "weapon" | "all"``
    Great weapon fighting speaks of a damage die *for an attack with the weapon*: official advice reads the weapon's own dice. ``all``: smite, sneak attack and
    every other die of the attack too, as in some video games.
``take_better = "roll" | "die"``
    Savage attacker rolls the weapon's dice twice and uses either *total*. ``die``: each die is the better of two, as in some video games.

An attack hits when its total meets or beats AC; a natural 1 misses. Advantage and disadvantage, of the build or as the target ``grants``, cancel; elven
accuracy is advantage with three dice, on a sheet not with Strength or Constitution; lucky rerolls one die that shows 1. A critical rolls every die of the
attack twice and counts modifiers once; ``critical_extra`` is added once. ``once_per_turn`` (sneak attack) and savage attacker come with the first hit of the
turn, a ``smite`` with the first hit, the first critical or every hit: states of the turn. A smite, and in 2014 savage attacker, needs a melee weapon where a
sheet says what is one. ``graze`` is dealt on a miss, a natural 1 too. Untyped damage has the weapon's type: sneak attack with a rapier is piercing.

In this order on the damage of one type in one attack: immunity, ``reduction`` in points, resistance (half, rounded down), vulnerability (double). ``physical``
is every type of weapon damage, each by itself; only where ``reduction.physical`` takes points off their sum, the sum is what is halved or doubled.

What a weapon says (``advantage``, ``critical``, ``graze``, ``great_weapon_fighting``, ``minimum_die``, ``power``) wins over what the build says of all of them.
No key says, because a plan cannot: saving throws and half damage on them, damage over time, dice rolled again or spent after a roll is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from analyzer import plan
from analyzer.dice import PHYSICAL, Damage, DiceSum, parse_critical
from analyzer.plan import CRITICAL, HIT, Attack, Check, Die, Packets, Plan
from analyzer.rulekit.abilities import Ability, AbilityKeys
from analyzer.rulekit.advantage import MODES, Advantage, Granted, combined
from analyzer.rulekit.fields import AttackDice, Between, Bonus, Bonuses, Count, DamageList, Items, Name, Range, WeaponDamage
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.lowering import blow, facing, part
from analyzer.rulekit.models import Model, Named, StatblockKeys, WeaponLine, arsenal, exactly_one, left_out
from analyzer.rulekit.problems import Path, Problem, ProblemError
from analyzer.rulekit.resistances import EFFECTS, ResistingTarget
from analyzer.rulekit.riders import Spent, Strike, with_riders
from analyzer.rulekit.system import System

COVER = {"none": 0, "half": 2, "three-quarters": 5}
#: What happens once in a turn.
ONCE, SMITE, SAVAGE = "once per turn", "smite", "savage attacker"


#: A year may be written as a number.
Edition = Annotated[Literal["2014", "2024"], BeforeValidator(lambda year: str(year) if type(year) is int else year)]


class Dnd5eRules(Model):
    """The switches of D&D 5e."""

    edition: Edition = Field(default="2014", description="whose great weapon fighting and savage attacker are played")
    critical_range_hits: bool = Field(default=False, description="whether every natural roll in the critical range hits, or a 20 alone")
    reroll_scope: Literal["weapon", "all"] = Field(default="weapon", description="the damage dice great weapon fighting helps: the weapon's, or all")
    take_better: Literal["roll", "die"] = Field(default="roll", description="savage attacker takes the better of two weapon rolls, or each die's better of two")


class Dnd5eTarget(ResistingTarget):
    """A target: its armor class, its cover, and the damage it resists."""

    ac: Bonus | None = Field(default=None, description="armor class, without cover")
    cover: Literal["none", "half", "three-quarters"] = Field(default="none", description="half: +2 to AC; three-quarters: +5")
    grants: Granted = Field(default="none", description="what attacks against it have, beside what the build has")


class _Manner(Model):
    """How attacks are made: said of a weapon, or of the build and then of every weapon that says nothing."""

    advantage: Advantage | None = Field(default=None, description="default none; elven accuracy: advantage with three dice")
    critical: Range | None = Field(default=None, description="natural rolls that are a critical when they hit, such as '19-20'; default 20")
    graze: Count | None = Field(default=None, description="points of the weapon's type dealt on a miss; default 0")
    great_weapon_fighting: bool | None = Field(default=None, description="the fighting style for melee weapons in two hands; on a sheet only they have it")
    minimum_die: Annotated[int, Between(1, 100)] | None = Field(default=None, description="the least each die of the weapon counts; default 1")
    power: bool | None = Field(default=None, description="-5 to attacks and +10 to damage: the 2014 feats for heavy and for ranged weapons")
    critical_extra: DamageList = Field(default=(), description="damage added once on a critical, not doubled")


class _TurnKeys(_Manner):
    """What a build has beside its weapons."""

    lucky: bool = Field(default=False, description="one d20 that shows 1 is rerolled, once per attack")
    attack_dice: Annotated[tuple[AttackDice, ...], Items(alone=True)] = Field(default=(), description="dice added to attack rolls: '1d4' bless, '-1d4' bane")
    savage_attacker: bool = Field(default=False, description="the first hit of the turn rolls the weapon's damage twice and takes the better")
    once_per_turn: DamageList = Field(default=(), description="damage of the first hit of the turn, such as '3d6 precision' for sneak attack")
    smite: DamageList = Field(default=(), description="damage such as '2d8 radiant'; see smite_on")
    smite_on: Literal["first hit", "critical", "every hit"] = Field(default="first hit", description="the hits that smite; critical: the first one of the turn")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """No occasion without a smite."""
        yield from super().presence(keys)
        if "smite_on" in keys and "smite" not in keys:
            yield left_out("smite_on", "without smite", "it alone")


class Dnd5eWeaponLine(WeaponLine, _Manner):
    """One weapon of a statblock."""


class Dnd5eStatblock(StatblockKeys, _TurnKeys):
    """Final numbers: attack bonuses and damage, before power."""

    shared: ClassVar[frozenset[str]] = frozenset({"name", "extra", *_TurnKeys.model_fields})

    weapons: Annotated[tuple[Dnd5eWeaponLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)


class Dnd5eWeapon(Named, _Manner):
    """A weapon of a sheet."""

    damage: WeaponDamage = Field(description="the weapon's own dice, such as '1d8 piercing'")
    kind: Literal["melee", "ranged", "thrown"] = Field(default="melee", description="how it attacks")
    finesse: bool = Field(default=False, description="Strength or Dexterity, whichever is higher")
    ability: Literal["strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma"] | None = Field(
        default=None, description="the ability it attacks with, instead of Strength, or Dexterity when ranged"
    )
    magic: Bonus = Field(default=0, description="bonus of a magic weapon to attack and damage")
    proficient: bool = Field(default=True, description="the character is proficient with it")
    hand: Literal["main", "off", "two"] = Field(default="main", description="the hand or hands that hold it")
    attacks: Annotated[int, Between(0, 64)] = Field(default=1, description="attacks made with it in the turn")
    extra: DamageList = Field(default=(), description="damage added after the weapon's")


class Dnd5eSheet(AbilityKeys, _TurnKeys):
    """A character the bonuses and damage are derived from."""

    name: Name | None = Field(default=None, description="the name shown")
    proficiency_bonus: Bonus = Field(description="added to attacks with weapons one is proficient with, an integer such as 3")
    fighting_styles: Annotated[tuple[Literal["archery", "dueling", "great weapon fighting", "two-weapon fighting"], ...], Items(alone=True)] = Field(
        default=(), description="archery, dueling, great weapon fighting, two-weapon fighting"
    )
    attack_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every attack")
    damage_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every weapon damage roll")
    extra: DamageList = Field(default=(), description="damage added after every weapon's")
    weapon: Dnd5eWeapon | None = Field(default=None, description="the weapon, a table such as { damage = '1d8' }")
    weapons: Annotated[tuple[Dnd5eWeapon, ...], Items()] | None = Field(
        default=None, description="several weapons: all attacks with the first, then with the second, ..."
    )

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One way to give weapons."""
        yield from super().presence(keys)
        yield from exactly_one(cls, keys, "weapon", "weapons")

    def another(self) -> dict[str, Any]:
        """One more attack with the first weapon."""
        first, *rest = (weapon for _, weapon in arsenal(self.weapon, self.weapons))
        more = first.but(attacks=first.attacks + 1)
        return {"weapon": more} if self.weapon is not None else {"weapons": (more, *rest)}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Use:
    """A weapon as it is used: its numbers final, ``riders`` what its hits may spend with the degree that does."""

    section: str
    bonuses: tuple[int, ...]
    damage: Damage
    check: Check
    extra: tuple[Damage, ...]
    critical_extra: tuple[Damage, ...]
    graze: int
    style: bool
    minimum_die: int
    smite: tuple[Damage, ...]
    riders: Mapping[str, int]


class Dnd5e(System[Dnd5eRules, Dnd5eTarget, Dnd5eStatblock, Dnd5eSheet]):
    """The rules of D&D 5e."""

    id = "dnd5e"
    name = "D&D 5e"
    summary = "meet or beat AC, advantage, natural 20 hits and is a critical that doubles the dice, sneak attack and smite once per turn, resistance halves"
    Rules = Dnd5eRules
    Target = Dnd5eTarget
    Statblock = Dnd5eStatblock
    Sheet = Dnd5eSheet

    def from_statblock(self, build: Dnd5eStatblock, rules: Dnd5eRules, target: Dnd5eTarget, ledger: Ledger) -> Plan:
        """The plan of a statblock: one turn."""
        uses = []
        for line in build.lines(Dnd5eWeaponLine):
            section = line.name or "attack"
            attack, damage = _power(line, build)
            given = [[Term("given", bonus, "final bonus of the statblock"), *attack] for bonus in line.attack]
            bonuses = tuple(ledger.total(section, f"attack {i}", terms) for i, terms in enumerate(given, 1))
            dice = ledger.damage(section, "damage", line.damage.sum, damage, "weapon damage of the statblock")
            check = _check(line, build, rules, target, ledger, section=section)
            style = _own(line, build, "great_weapon_fighting", default=False)
            uses.append(_use(line, build, rules, ledger, bonuses=bonuses, dice=dice, check=check, style=style))
        return _turn(uses, build, rules)

    def from_sheet(self, build: Dnd5eSheet, rules: Dnd5eRules, target: Dnd5eTarget, ledger: Ledger) -> Plan:
        """The plan of a sheet: one turn, all attacks with the first weapon, then with the second."""
        uses = []
        weapons = arsenal(build.weapon, build.weapons)
        for path, weapon in weapons:
            section = weapon.name or "attack"
            ability, melee = _ability(build, weapon), weapon.kind == "melee"
            if _own(weapon, build, "power", default=False) and weapon.kind != "ranged" and weapon.hand != "two":
                text = "power must be false unless the weapon is ranged or held in both hands, as the feats ask; got true"
                raise ProblemError([Problem((*path, "power"), text)])
            attack, damage = _power(weapon, build)
            bonus = ledger.total(section, "attack bonus", [*_attack_terms(build, weapon, ability), *attack])
            ledger.note(section, "attacks", weapon.attacks, "attacks with this weapon in the turn")
            terms = [*_damage_terms(build, weapon, ability, alone=len(weapons) == 1), *damage]
            dice = ledger.damage(section, "damage", weapon.damage.sum, terms, f"{weapon.damage.sum} of the weapon with the modifiers above")
            check = _check(weapon, build, rules, target, ledger, section=section, keen=ability not in (Ability.STRENGTH, Ability.CONSTITUTION))
            style = _own(weapon, build, "great_weapon_fighting", default="great weapon fighting" in build.fighting_styles)
            style = style and melee and weapon.hand == "two"
            uses.append(_use(weapon, build, rules, ledger, bonuses=(bonus,) * weapon.attacks, dice=dice, check=check, style=style, melee=melee))
        return _turn(uses, build, rules)

    def facing(self, rules: Dnd5eRules, target: Dnd5eTarget, ledger: Ledger) -> plan.Target:
        """The target, its AC with cover, its reductions before its resistances."""
        given = Term("base", 10, "no AC is given: 10") if target.ac is None else Term("given", target.ac, "armor class as a number")
        ac = ledger.total("target", "AC", [given, Term("cover", COVER[target.cover], f"{target.cover} cover")], signed=False)
        ledger.note("target", "an attack hits with", "AC or more", "a natural 20 hits and a natural 1 misses whatever the total")
        return facing(target, (ac,), ledger).but(reductions=(target.resisted(ledger),))

    def reduction_tables(self, target: Dnd5eTarget) -> tuple[tuple[Path, Mapping[str, int | str]], ...]:
        """The table of reductions, and the types that are resisted and the like."""
        lists = ((key, dict.fromkeys(getattr(target, key), 0)) for key in EFFECTS)
        return ((("reduction",), target.reduction), *(((key,), table) for key, table in lists))


def _own(weapon: _Manner, build: _TurnKeys, key: str, default: Any) -> Any:  # noqa: ANN401 - the key's own type
    """What the weapon says, else what the build says of all its weapons, else the default."""
    return next((value for value in (getattr(weapon, key), getattr(build, key)) if value is not None), default)


def _power(weapon: _Manner, build: _TurnKeys) -> tuple[list[Term], list[Term]]:
    """The terms of -5/+10 to attack and to damage."""
    if not _own(weapon, build, "power", default=False):
        return [], []
    rule = "great weapon master or sharpshooter of 2014: -5 to attack rolls, +10 to damage"
    return [Term("power", -5, rule)], [Term("power", 10, rule)]


def _ability(build: Dnd5eSheet, weapon: Dnd5eWeapon) -> Ability:
    if weapon.ability is not None:
        return Ability(weapon.ability)
    strength, dexterity = (build.ability(ability, "").value for ability in (Ability.STRENGTH, Ability.DEXTERITY))
    agile = dexterity >= strength if weapon.finesse else weapon.kind == "ranged"
    return Ability.DEXTERITY if agile else Ability.STRENGTH


def _attack_terms(build: Dnd5eSheet, weapon: Dnd5eWeapon, ability: Ability) -> Iterator[Term]:
    how = "the weapon's own choice" if weapon.ability else "the higher with finesse" if weapon.finesse else f"{weapon.kind} attacks"
    yield build.ability(ability, f"{how}: {ability.title()}")
    if weapon.proficient:
        yield Term("proficiency bonus", build.proficiency_bonus, "added with weapons one is proficient with")
    yield Term("magic", weapon.magic, "magic weapon: bonus to attack and damage")
    if "archery" in build.fighting_styles and weapon.kind == "ranged":
        yield Term("archery", 2, "fighting style: +2 to attacks with ranged weapons")
    yield from named(build.attack_bonuses, "named bonus")


def _damage_terms(build: Dnd5eSheet, weapon: Dnd5eWeapon, ability: Ability, *, alone: bool) -> Iterator[Term]:
    term = build.ability(ability, "the ability of the attack is added to damage")
    if weapon.hand != "off" or term.value < 0 or "two-weapon fighting" in build.fighting_styles:
        yield term
    yield Term("magic", weapon.magic, "magic weapon: bonus to attack and damage")
    if "dueling" in build.fighting_styles and weapon.kind == "melee" and weapon.hand == "main" and alone:
        yield Term("dueling", 2, "fighting style: +2 with a melee weapon in one hand and no other weapon")
    yield from named(build.damage_bonuses, "named bonus, part of the weapon roll")


def _check(weapon: _Manner, build: _TurnKeys, rules: Dnd5eRules, target: Dnd5eTarget, ledger: Ledger, *, section: str, keen: bool = True) -> Check:
    """How the d20 is rolled, explained; with ``keen`` the attack's ability is one elven accuracy speaks of."""
    own: Advantage = _own(weapon, build, "advantage", default="none")
    if own == "elven accuracy" and not keen:
        own = "advantage"
    dice, best = MODES[combined(own, target.grants)]
    rolled = "one" if dice == 1 else f"the {'highest' if best else 'lowest'} of {dice}"
    ledger.note(section, "d20 rolled", rolled, f"of the build: {own}; granted by the target: {target.grants}; advantage and disadvantage cancel")
    critical = _own(weapon, build, "critical", default="20")
    first = parse_critical(critical).threat_from
    hits = "hits whatever the total and" if rules.critical_range_hits else "when it hits"
    ledger.note(section, "critical", critical, f"such a natural roll {hits} is a critical: every die is rolled twice, modifiers count once")
    if build.lucky:
        ledger.note(section, "lucky", "yes", "one d20 that shows 1 is rerolled once")
    for entry in build.attack_dice:
        ledger.note(section, "dice added to the attack roll", entry, "added to every attack roll")
    return Check(
        dice=dice,
        best=best,
        reroll_ones=build.lucky,
        extra=tuple(die for entry in build.attack_dice for die in entry.dice),
        auto_hit_from=max(2, min(first, 20)) if rules.critical_range_hits else 20,
        threat_from=first,
        critical=plan.Critical.NATURAL,
    )


def _use(
    weapon: Dnd5eWeaponLine | Dnd5eWeapon,
    build: Dnd5eStatblock | Dnd5eSheet,
    rules: Dnd5eRules,
    ledger: Ledger,
    *,
    bonuses: tuple[int, ...],
    dice: DiceSum,
    check: Check,
    style: bool,
    melee: bool = True,
) -> _Use:
    """The weapon with what rides on its hits, explained."""
    section = weapon.name or "attack"
    use = _Use(
        section=section,
        bonuses=bonuses,
        damage=replace(weapon.damage, sum=dice),
        check=check,
        extra=(*weapon.extra, *build.extra),
        critical_extra=(*weapon.critical_extra, *build.critical_extra),
        graze=_own(weapon, build, "graze", default=0),
        style=style,
        minimum_die=_own(weapon, build, "minimum_die", default=1),
        smite=build.smite if melee else (),
        riders={
            **({ONCE: HIT} if build.once_per_turn else {}),
            **({SMITE: CRITICAL if build.smite_on == "critical" else HIT} if build.smite and melee and build.smite_on != "every hit" else {}),
            **({SAVAGE: HIT} if build.savage_attacker and (melee or rules.edition == "2024") else {}),
        },
    )
    scope = "the weapon's dice" if rules.reroll_scope == "weapon" else "every damage die"
    how = "a 1 or 2 is rerolled once" if rules.edition == "2014" else "a 1 or 2 counts as 3"
    better = "the better of two weapon rolls" if rules.take_better == "roll" else "each weapon die the better of two"
    notes = [
        *(("extra damage", entry, "on every hit") for entry in use.extra),
        *(("once per turn", entry, "on the first hit of the turn") for entry in build.once_per_turn),
        *(("smite", entry, f"on the {build.smite_on}" if SMITE in use.riders else "on every hit") for entry in use.smite),
        *(("extra damage of a critical", entry, "once, not doubled") for entry in use.critical_extra),
        *([("great weapon fighting", scope, f"{how} (rules of {rules.edition})")] if style else []),
        *([("minimum die", use.minimum_die, "each die of the weapon counts as at least this")] if use.minimum_die > 1 else []),
        *([("savage attacker", "first hit", f"the first hit of the turn takes {better}")] if SAVAGE in use.riders else []),
        *([("graze", use.graze, "dealt on a miss, of the weapon's type, never doubled")] if use.graze else []),
    ]
    for name, value, rule in notes:
        ledger.note(section, name, value, rule)
    return use


def _turn(uses: list[_Use], build: _TurnKeys, rules: Dnd5eRules) -> Plan:
    """One turn of all attacks."""
    return Plan(turns=(with_riders([Strike(made=partial(_attack, use, bonus, build, rules), spends=use.riders) for use in uses for bonus in use.bonuses]),))


def _attack(use: _Use, bonus: int, build: _TurnKeys, rules: Dnd5eRules, spent: Spent) -> Attack:
    """An attack once the riders ``spent`` are."""
    graze: Packets = blow([part(Damage(sum=DiceSum(flat=use.graze), type=use.damage.type))]) if use.graze else ()
    hit, critical = (_blow(use, degree, build, rules, spent) for degree in (HIT, CRITICAL))
    return Attack(label=use.section, bonus=bonus, check=use.check, on=(graze, graze, hit, critical))


def _blow(use: _Use, degree: int, build: _TurnKeys, rules: Dnd5eRules, spent: Spent) -> Packets:
    """What a hit or a critical deals: the weapon, extra damage, what comes once per turn, smite, extra damage of a critical."""
    fresh = {rider for rider, least in use.riders.items() if degree >= least} - spent
    times = 2 if degree == CRITICAL else 1
    better = {"roll": 1, "die": 1} | ({rules.take_better: 2} if SAVAGE in fresh else {})
    parts = [part(use.damage, dice=_dice(use, use.damage, rules, times, weapon=True, best_of=better["die"]), best_of=better["roll"])]
    once = build.once_per_turn if ONCE in fresh else ()
    smite = use.smite if SMITE in fresh or SMITE not in use.riders else ()
    for entries, n in (((*use.extra, *once, *smite), times), (use.critical_extra if degree == CRITICAL else (), 1)):
        typed = [replace(entry, type=use.damage.type) if entry.type == PHYSICAL else entry for entry in entries]
        parts += [part(entry, dice=_dice(use, entry, rules, n)) for entry in typed]
    return blow(parts)


def _dice(use: _Use, entry: Damage, rules: Dnd5eRules, times: int, *, weapon: bool = False, best_of: int = 1) -> tuple[Die, ...]:
    """The dice of a damage entry, each rolled ``times`` times, as the fighter rolls them; those taken off damage have no style."""
    style = use.style and (weapon or rules.reroll_scope == "all")
    again = 2 if style and rules.edition == "2014" else 0
    least = max(use.minimum_die if weapon else 1, 3 if style and rules.edition == "2024" else 1)
    dice = [replace(die, count=die.count * times) for die in entry.sum.dice]
    if any(die.sign > 0 and die.sides < max(least, again + 1) for die in dice):
        what = f"dice of at least {max(least, again + 1)} sides with this great weapon fighting or minimum_die"
        raise ProblemError([Problem((), f"damage of {use.section!r} must be {what}; got '{entry.sum}'")])
    return tuple(die if die.sign < 0 else replace(die, reroll_to=max(die.reroll_to, again), at_least=least, best_of=best_of) for die in dice)


SYSTEM = Dnd5e()
