"""The rules of Pathfinder 2, which Starfinder 2 shares for its attacks: four degrees of success, a multiple attack penalty, one damage roll doubled.

Switches, each with the rule it rests on (default first):

``critical_doubling = "double" | "dice"``
    A critical deals the damage of a hit twice: dice and modifiers are rolled and added up once, then the sum is doubled. ``dice``: the variant that rolls
    twice as many dice and doubles the modifiers; its mean is the same and its spread smaller.
``natural_shift = true | false``
    Meeting AC succeeds, 10 more is a critical success, missing it by 10 or more a critical failure; then a natural 20 makes the degree one better and a
    natural 1 one worse, never beyond the four: a 20 can still miss and a 1 still hit. ``false``: the total alone counts.
``minimum = "hit" | "none"``
    Penalties cannot bring the damage of a hit below 1: what a hit or a critical deals is at least 1 in all before the target's weaknesses and resistances.
    ``none``: it may be 0. No single entry is below 0 either way.

Damage: an entry without a type of its own, precision damage among them, is of the weapon's type. A critical doubles the weapon's damage and ``extra``, sneak
attack too. What only a critical adds is not doubled: fatal turns the weapon's dice into larger ones (these are doubled) and adds one; deadly adds one die, two
with a greater and three with a major striking rune; ``critical_extra``. Splash is dealt on a failure too, but not on a critical failure, and never doubled.

Target: each damage type is an instance of its own. Immunity to it comes first, then the highest weakness, then the highest resistance that applies, one to
``physical`` or ``all`` on every such type separately. (Since the errata of 2026 the target uses such a resistance against one type it chooses: write that
type.) ``reduction``, which every game has, comes after. Against a target immune to criticals a critical success is one still: its damage is not doubled, but
what only a critical adds is dealt, fatal's larger dice too.

The flat check against a concealed (DC 5) or hidden (DC 11) target is rolled once the attack has hit. Failed, it leaves the target untouched; the plan could
only call it a failure, which ``splash`` and ``miss_damage`` would hurt, so these are refused together. Not expressible either, and refused: persistent
damage. Saves, area fire and damage of two Strikes added up before resistances have no key here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from analyzer import plan
from analyzer.dice import PHYSICAL as UNTYPED
from analyzer.dice import Damage, DiceSum
from analyzer.plan import Attack, Check, Packets, Part, Plan
from analyzer.rulekit.abilities import Ability, AbilityKeys
from analyzer.rulekit.fields import Between, Bonus, Bonuses, Count, DamageList, Damages, Feet, Items, Name, ReductionTable, Text, WeaponDamage
from analyzer.rulekit.hand import Hand
from analyzer.rulekit.instances import InstanceKeys, suffered
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.lowering import blow, dealt, facing, part, turn
from analyzer.rulekit.models import Model, Named, StatblockKeys, WeaponLine, arsenal, exactly_one, left_out, must_be_given, raise_any
from analyzer.rulekit.problems import Path, Problem, suggestion
from analyzer.rulekit.system import System

RANKS = {"untrained": 0, "trained": 2, "expert": 4, "master": 6, "legendary": 8}
COVER = {"none": 0, "lesser": 1, "standard": 2, "greater": 4}
#: Furthest range increment.
INCREMENTS = 6
Rank = Literal["untrained", "trained", "expert", "master", "legendary"]
Rune = Annotated[int, Between(0, 3)]
OneDie = Annotated[str, Text(r"d(?:1000|[1-9]\d{0,2})", "a die such as 'd10'")]
_LASTING = ("persistent", "bleed")


class Pathfinder2Rules(Model):
    """The switches of Pathfinder 2."""

    critical_doubling: Literal["double", "dice"] = Field(default="double", description="whether a critical doubles one roll, or rolls twice as many dice")
    natural_shift: bool = Field(default=True, description="whether a natural 20 or 1 makes the degree one better or worse")
    minimum: Literal["hit", "none"] = Field(default="hit", description="whether a hit deals at least 1 before weaknesses and resistances")


class Pathfinder2Target(InstanceKeys):
    """A target: its AC, what helps or hinders against it, and what damage it takes."""

    ac: Bonus | None = Field(default=None, description="armor class")
    off_guard: bool = Field(default=False, description="off-guard: -2 to AC")
    cover: Literal["none", "lesser", "standard", "greater"] = Field(default="none", description="cover: +1, +2 or +4 to AC")
    concealed: bool = Field(default=False, description="concealed: a flat check of DC 5 or the attack has no effect")
    hidden: bool = Field(default=False, description="hidden: a flat check of DC 11 or the attack has no effect")
    distance: Feet = Field(default=5, description="feet to the target; 5 is adjacent")

    @model_validator(mode="after")
    def _one_chance(self) -> Self:
        if self.miss_chance and (self.concealed or self.hidden):
            raise_any([left_out("miss_chance", "when the target is concealed or hidden (the flat check is the chance)", "both")])
        return self


class StrikeKeys(Model):
    """What a weapon's hits, failures and criticals deal beside its damage."""

    striking: Rune = Field(default=0, description="striking rune: 1 striking, 2 greater (two deadly dice), 3 major (three)")
    deadly: OneDie | None = Field(default=None, description="the die deadly adds on a critical, such as 'd8'")
    fatal: OneDie | None = Field(default=None, description="the size of the weapon's dice on a critical, such as 'd10', and of the one added")
    critical_extra: DamageList = Field(default=(), description="damage added on a critical, not doubled")
    splash: Damages | None = Field(default=None, description="splash damage, such as '2 fire'; on a failure too, never doubled")
    miss_damage: Count = Field(default=0, description="points of the weapon's type dealt on a failure")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        damage: Damage | None = getattr(self, "damage", None)
        found = list(_lasting(self))
        if damage is not None and self.fatal is not None and len(damage.sum.dice) != 1:
            found.append(Problem(("damage",), f"damage must be of one kind of dice with fatal, which are the ones that grow; got '{damage}'"))
        raise_any(found)
        return self


class Pathfinder2WeaponLine(WeaponLine, StrikeKeys):
    """One weapon of a statblock, its bonuses final."""


class FortuneKeys(Model):
    """Fortune and misfortune."""

    fortune: Literal["none", "fortune", "misfortune"] = Field(default="none", description="two d20 for each attack: the higher, or the lower counts")


class Pathfinder2Statblock(StatblockKeys, StrikeKeys, FortuneKeys):
    """Final numbers, or the first Strike's bonus with the number of Strikes."""

    shared = frozenset({"name", "extra", "critical_extra", "fortune"})

    attacks: Annotated[int, Between(0, 64)] | None = Field(default=None, description="number of Strikes with the multiple attack penalty; default 1")
    agile: bool = Field(default=False, description="agile: multiple attack penalty -4 and -8 instead of -5 and -10")
    weapons: Annotated[tuple[Pathfinder2WeaponLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """Several weapons list their bonuses."""
        apart = {"attacks", "agile"} & keys if "weapons" in keys else frozenset[str]()
        yield from super().presence(keys - apart)
        yield from (left_out(k, "when there are weapons, each of which lists its final bonuses", "both") for k in sorted(apart))

    @model_validator(mode="after")
    def _one_list(self) -> Self:
        if self.attack is not None and len(self.attack) != 1:
            raise_any(left_out(k, "when attack lists the bonus of each Strike", "both") for k in ("attacks", "agile") if getattr(self, k))
        return self


class Pathfinder2Weapon(Named, StrikeKeys):
    """A weapon of a sheet."""

    damage: WeaponDamage = Field(description="one die of the weapon, such as '1d8 slashing'; a striking rune adds more")
    kind: Literal["melee", "ranged", "thrown"] = Field(default="melee", description="how it attacks")
    finesse: bool = Field(default=False, description="attacks with Dexterity where that is higher than Strength")
    propulsive: bool = Field(default=False, description="a ranged weapon that adds half of a positive Strength modifier to damage, and all of a negative one")
    agile: bool = Field(default=False, description="multiple attack penalty -4 and -8 instead of -5 and -10")
    proficiency: Rank | None = Field(default=None, description="proficiency with this weapon; default: the sheet's")
    potency: Rune = Field(default=0, description="item bonus to attack, of a potency rune or of tracking")
    specialization: Count = Field(default=0, description="points of weapon specialization")
    range: Annotated[int, Between(1, 100_000)] | None = Field(default=None, description="range increment in feet; not for melee")
    reach: Annotated[int, Between(0, 1000)] | None = Field(default=None, description="feet a melee weapon reaches; default 5, adjacent")
    extra: DamageList = Field(default=(), description="damage added after the weapon's, such as a flaming rune's")

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        dice = self.damage.sum.dice
        one = not dice or (len(dice) == 1 and dice[0].count == 1 and dice[0].sign == 1)
        no = ("range", "propulsive") if self.kind == "melee" else ("reach", "finesse") if self.kind == "ranged" else ("reach", "finesse", "propulsive")
        raise_any(
            [
                *(left_out(k, f"with kind {self.kind!r}", str(getattr(self, k)).lower()) for k in no if getattr(self, k) not in (None, False)),
                *([must_be_given(type(self), "range")] if self.kind != "melee" and self.range is None else []),
                *([] if one else [Problem(("damage",), f"damage must be one die such as '1d8', more coming by striking; got '{self.damage}'")]),
            ]
        )
        return self


#: The weapon of a Strike, with its key path.
Used = tuple[Path, Pathfinder2Weapon]


class Pathfinder2Sheet(AbilityKeys, FortuneKeys):
    """A character the bonuses and damage are derived from."""

    name: Name | None = Field(default=None, description="the name shown")
    level: Annotated[int, Between(0, 30)] = Field(description="level, an integer such as 5")
    proficiency: Rank = Field(default="trained", description="proficiency with the weapons")
    attack_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every attack")
    damage_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every weapon damage roll")
    extra: DamageList = Field(default=(), description="damage added after every weapon's, such as sneak attack")
    critical_extra: DamageList = Field(default=(), description="damage added on every critical, not doubled")
    weapon: Pathfinder2Weapon | None = Field(default=None, description="the weapon, a table such as { damage = '1d8 slashing' }")
    weapons: Annotated[tuple[Pathfinder2Weapon, ...], Items()] | None = Field(default=None, description="several weapons, each with a name")
    attacks: Annotated[int, Between(0, 64)] | None = Field(default=None, description="number of Strikes with the only weapon; default 1")
    strikes: Annotated[tuple[Name, ...], Items()] | None = Field(default=None, description="weapons in the order of the Strikes; default: each once")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One way to give weapons, one to say how often they strike."""
        yield from super().presence(keys)
        yield from exactly_one(cls, keys, "weapon", "weapons")
        for other in ("weapons", "strikes"):
            if {"attacks", other} <= keys:
                yield left_out("attacks", f"when {other} is given (strikes says which and how often)", "both")

    @model_validator(mode="after")
    def _known(self) -> Self:
        names = [w.name for _, w in arsenal(self.weapon, self.weapons)]
        known = [name for name in names if name]
        twice = [Problem(("weapons", i, "name"), f"name must be unlike the other weapons'; got {n!r} again") for i, n in enumerate(names) if n in names[:i]]
        wrong = ((i, strike) for i, strike in enumerate(self.strikes or ()) if strike not in known)
        raise_any(
            [
                *_lasting(self),
                *twice,
                *(Problem(("strikes", i), f"strikes[{i}] must name a weapon of this build; got {s!r}; {suggestion(s, known)}") for i, s in wrong),
            ]
        )
        return self

    def another(self) -> dict[str, Any]:
        """The last Strike once more, with the penalty the turn has by then."""
        if self.strikes is None and self.weapon is not None:
            return {"attacks": 2 if self.attacks is None else self.attacks + 1}
        names = tuple(weapon.name or "" for _, weapon in self.used())
        return {"strikes": (*names, *names[-1:])} if names else {}

    def used(self) -> Iterator[Used]:
        """The weapon of each Strike in order, with its key path."""
        weapons = arsenal(self.weapon, self.weapons)
        if self.strikes is not None:
            by_name = {weapon.name: (path, weapon) for path, weapon in weapons}
            yield from (by_name[strike] for strike in self.strikes)
        else:
            yield from weapons * (1 if self.attacks is None else self.attacks)


class Pathfinder2(System[Pathfinder2Rules, Pathfinder2Target, Pathfinder2Statblock, Pathfinder2Sheet]):
    """The Pathfinder 2 rules."""

    id = "pathfinder2"
    name = "Pathfinder 2 and Starfinder 2"
    summary = "four degrees by margins of 10, natural 20 and 1 shift one, multiple attack penalty, one roll doubled, deadly, fatal, weaknesses"
    Rules = Pathfinder2Rules
    Target = Pathfinder2Target
    Statblock = Pathfinder2Statblock
    Sheet = Pathfinder2Sheet

    def from_statblock(self, build: Pathfinder2Statblock, rules: Pathfinder2Rules, target: Pathfinder2Target, ledger: Ledger) -> Plan:
        """The plan of a statblock."""
        attacks: list[Attack] = []
        for n, line in enumerate(build.lines(Pathfinder2WeaponLine)):
            section = line.name or "attack"
            listed = line.attack if len(line.attack) != 1 or build.attacks is None else line.attack * build.attacks
            counted = build.weapons is None and len(line.attack) == 1
            bonuses = [
                ledger.total(section, f"attack {i + 1}", [Term("given", bonus, "bonus of the statblock"), *_multiple(i if counted else 0, build.agile)])
                for i, bonus in enumerate(listed)
            ]
            shared = {key: (*getattr(line, key), *getattr(build, key)) for key in ("extra", "critical_extra")}
            packets = _packets(line.model_copy(update=shared), () if build.weapons is None else ("weapons", n), rules, target, ledger)
            attacks += (Attack(label=section, bonus=bonus, check=_check(build, rules, section, ledger), on=packets) for bonus in bonuses)
        return Plan(turns=(turn(attacks),))

    def from_sheet(self, build: Pathfinder2Sheet, rules: Pathfinder2Rules, target: Pathfinder2Target, ledger: Ledger) -> Plan:
        """The plan of a sheet: its Strikes in order, each with the penalty for those before it."""
        strikes = list(build.used())
        ready: dict[Path, Attack] = {}
        for path, weapon in dict(strikes).items():
            raise_any(_out_of_reach(path, weapon, target))
            ready[path] = _from_weapon(build, (path, weapon), rules, target, ledger)
        attacks = []
        for i, (path, weapon) in enumerate(strikes):
            common = Term("bonus of every attack", ready[path].bonus, "from above")
            bonus = ledger.total(ready[path].label, f"attack {i + 1}", [common, *_multiple(i, weapon.agile)])
            attacks.append(replace(ready[path], bonus=bonus))
        return Plan(turns=(turn(attacks),))

    def facing(self, rules: Pathfinder2Rules, target: Pathfinder2Target, ledger: Ledger) -> plan.Target:
        """The target: AC, flat check, and the immunities that are no damage types."""
        given = Term("given", target.ac, "armor class as a number") if target.ac is not None else Term("base", 10, "no AC is given: 10")
        off_guard = Term("off-guard", -2 if target.off_guard else 0, "-2 against an off-guard target")
        cover = Term(f"{target.cover} cover", COVER[target.cover], "lesser, standard and greater cover give +1, +2 and +4")
        ac = ledger.total("target", "AC", [given, off_guard, cover], signed=False)
        shift = "a natural 20 is one degree better, a natural 1 one worse" if rules.natural_shift else "natural 20 and 1 count by their totals"
        ledger.note("target", "an attack hits with", "AC or more", f"10 more is a critical, 10 less a critical failure; {shift}")
        if "critical" in target.immune:
            ledger.note("target", "immune", "critical", "a critical's damage is not doubled; what fatal, deadly and the like add to it is dealt")
        found = facing(target.general(), (ac,), ledger)
        if not (target.concealed or target.hidden):
            return found
        dc = 11 if target.hidden else 5
        ledger.note("target", "flat check", f"DC {dc}", f"a hit that rolls {dc - 1} or less on a d20 has no effect: the target is {_seen(target)}")
        return found.but(miss=(dc - 1, 20))

    def met(self, build: Pathfinder2Statblock | Pathfinder2Sheet, made: Plan, target: Pathfinder2Target, faced: plan.Target, ledger: Ledger) -> plan.Target:
        """The target with its immunity, weakness and resistance to each type that is dealt."""
        return suffered(target, faced, dealt(made), ledger)

    def hand(self, build: Pathfinder2Statblock | Pathfinder2Sheet) -> Hand | None:
        """The weapons of a sheet by name; what comes on top depends on the number of Strikes before and on whether the weapon is agile."""
        if isinstance(build, Pathfinder2Statblock):
            if build.attack is None or len(build.attack) != 1:
                return None
            name = build.name or "attack"
            return Hand(names=(name,), turn=(name,) * (1 if build.attacks is None else build.attacks), taking=lambda names, _: {"attacks": len(names)})
        turn = tuple(weapon.name or "attack" for _, weapon in build.used())
        names = tuple(weapon.name or "attack" for _, weapon in arsenal(build.weapon, build.weapons))
        if build.weapon is not None:
            return Hand(names=names, turn=turn, taking=lambda names, _: {"attacks": len(names)})
        named = all(weapon.name for weapon in build.weapons or ())
        return Hand(names=names, turn=turn, taking=lambda names, _: {"strikes": tuple(names)}) if named else None

    def reduction_tables(self, target: Pathfinder2Target) -> tuple[tuple[Path, ReductionTable], ...]:
        """Every table or list of damage types in the target."""
        return target.tables()


def attack_penalty(earlier: int, *, agile: bool = False) -> int:
    """The multiple attack penalty of a Strike after ``earlier`` ones in the turn."""
    return -min(earlier, 2) * (4 if agile else 5)


def range_penalty(distance: int, increment: int) -> int:
    """The penalty at ``distance`` feet: -2 for each full ``increment``, or fraction of one, beyond the first."""
    return -2 * max(0, -(-distance // increment) - 1)


def _multiple(earlier: int, agile: bool) -> Iterator[Term]:
    rule = "-4 on the second Strike of a turn and -8 on later ones with an agile weapon" if agile else "-5 on the second Strike of a turn, -10 on later ones"
    yield Term("multiple attack penalty", attack_penalty(earlier, agile=agile), rule)


def _seen(target: Pathfinder2Target) -> str:
    return "hidden" if target.hidden else "concealed"


def _lasting(table: Model) -> Iterator[Problem]:
    """The entries of persistent damage, which is dealt in later rounds."""
    for key in ("damage", "extra", "critical_extra", "splash"):
        value: Any = getattr(table, key, None)
        entries = [((key, i), entry) for i, entry in enumerate(value)] if isinstance(value, tuple) else [((key,), value)] if value is not None else []
        for path, entry in entries:
            if entry.type.split("-")[0] in _LASTING:
                yield Problem.of(path, "damage dealt at once (persistent and bleed damage come in later rounds, beyond a plan of one round)", str(entry))


def _out_of_reach(path: Path, weapon: Pathfinder2Weapon, target: Pathfinder2Target) -> Iterator[Problem]:
    reach, furthest = 5 if weapon.reach is None else weapon.reach, INCREMENTS * (weapon.range or 0)
    if weapon.kind == "melee" and target.distance > reach:
        yield Problem((*path, "reach"), f"reach must be at least the distance to the target, {target.distance} feet; got {reach}: out of reach")
    if weapon.kind != "melee" and target.distance > furthest:
        how = f"{weapon.range} feet an increment, {furthest} feet at most (six increments)"
        yield Problem((*path, "range"), f"range must allow the distance to the target, {target.distance} feet; got {how}: out of range")


def _from_weapon(build: Pathfinder2Sheet, used: Used, rules: Pathfinder2Rules, target: Pathfinder2Target, ledger: Ledger) -> Attack:
    path, weapon = used
    section = weapon.name or "attack"
    bonus = ledger.total(section, "bonus of every attack", _attack_terms(build, weapon, target))
    rolled = replace(weapon.damage.sum, dice=tuple(replace(d, count=d.count + weapon.striking) for d in weapon.damage.sum.dice))
    rule = f"{rolled} with the modifiers above: {weapon.damage.sum} of the weapon and a die more for each grade of striking"
    final: dict[str, Any] = {
        "damage": Damage(sum=ledger.damage(section, "damage", rolled, _damage_terms(build, weapon), rule), type=weapon.damage.type),
        "extra": (*weapon.extra, *build.extra),
        "critical_extra": (*weapon.critical_extra, *build.critical_extra),
    }
    line = Pathfinder2WeaponLine.model_construct(**{key: getattr(weapon, key) for key in ("name", *StrikeKeys.model_fields)} | final)
    return Attack(label=section, bonus=bonus, check=_check(build, rules, section, ledger), on=_packets(line, path, rules, target, ledger))


def _attack_terms(build: Pathfinder2Sheet, weapon: Pathfinder2Weapon, target: Pathfinder2Target) -> Iterator[Term]:
    strength = build.ability(Ability.STRENGTH, "melee attacks add Strength")
    dexterity = build.ability(Ability.DEXTERITY, "finesse, and Dexterity is higher" if weapon.kind == "melee" else "ranged and thrown attacks add Dexterity")
    yield dexterity if weapon.kind != "melee" or (weapon.finesse and dexterity.value > strength.value) else strength
    rank = weapon.proficiency or build.proficiency
    proficiency = RANKS[rank] and build.level + RANKS[rank]
    yield Term(f"proficiency ({rank})", proficiency, "level and 2, 4, 6 or 8 when trained, expert, master or legendary; 0 when untrained")
    yield Term("item bonus", weapon.potency, "of the potency rune or of tracking")
    yield from named(build.attack_bonuses, "named bonus")
    if weapon.range is not None:
        rule = f"{target.distance} feet at an increment of {weapon.range}: -2 for each increment or fraction beyond the first"
        yield Term("range penalty", range_penalty(target.distance, weapon.range), rule)


def _damage_terms(build: Pathfinder2Sheet, weapon: Pathfinder2Weapon) -> Iterator[Term]:
    strength = build.ability(Ability.STRENGTH, "melee and thrown weapons add Strength, those with splash do not")
    if weapon.kind != "ranged" and (weapon.kind == "melee" or weapon.splash is None):
        yield strength
    elif weapon.propulsive:
        yield Term(strength.name, strength.value // 2 if strength.value > 0 else strength.value, "propulsive: half of Strength, all of a penalty")
    yield Term("specialization", weapon.specialization, "weapon specialization")
    yield from named(build.damage_bonuses, "named bonus, part of the weapon roll")


def _check(build: FortuneKeys, rules: Pathfinder2Rules, section: str, ledger: Ledger) -> Check:
    if build.fortune != "none":
        ledger.note(section, "d20", f"two, the {'higher' if build.fortune == 'fortune' else 'lower'} counts", f"{build.fortune}; its face is the natural one")
    return Check(
        dice=1 if build.fortune == "none" else 2,
        best=build.fortune != "misfortune",
        auto_miss_to=0,
        auto_hit_from=21,
        critical=plan.Critical.MARGIN,
        natural_shift=rules.natural_shift,
    )


def _packets(
    line: Pathfinder2WeaponLine, path: Path, rules: Pathfinder2Rules, target: Pathfinder2Target, ledger: Ledger
) -> tuple[Packets, Packets, Packets, Packets]:
    """What each degree deals with damage that is final, explained."""
    section, weapon = line.name or "attack", line.damage
    splash = () if line.splash is None else (_typed(line.splash, weapon.type),)
    extra = [_typed(entry, weapon.type) for entry in line.extra]
    grown = weapon if line.fatal is None else replace(weapon, sum=replace(weapon.sum, dice=(replace(weapon.sum.dice[0], sides=int(line.fatal[1:])),)))
    added = [Damage(sum=DiceSum(dice=(plan.Die(sides=int(line.fatal[1:])),)), type=weapon.type)] if line.fatal else []
    if line.deadly:
        added.append(Damage(sum=DiceSum(dice=(plan.Die(sides=int(line.deadly[1:]), count=max(1, line.striking)),)), type=weapon.type))
    critical = [*added, *(_typed(entry, weapon.type) for entry in line.critical_extra)]
    missed = [*([Damage(sum=DiceSum(flat=line.miss_damage), type=weapon.type)] if line.miss_damage else []), *splash]
    if missed and (target.concealed or target.hidden):
        why = f"with splash or miss_damage: a failed flat check has no effect at all, which is not the failure these count on; got {_seen(target)} = true"
        raise_any([Problem(("target", _seen(target)), f"{_seen(target)} must be false {why}")])
    doubles = "critical" not in target.immune
    how = "one roll, doubled" if rules.critical_doubling == "double" else "twice the dice, modifiers doubled"
    how = how if doubles else "not doubled, the target being immune"
    told = [
        ("weapon damage", [weapon], f"a critical: {how}"),
        ("fatal", [grown] if line.fatal else [], f"the dice of a critical, and one {line.fatal} more that is not doubled"),
        ("deadly", added[-1:] if line.deadly else [], "on a critical, not doubled; two dice with greater striking, three with major"),
        ("extra damage", extra, f"of the weapon's type where it names none; {'doubled by a critical' if doubles else 'not doubled by a critical'}"),
        ("extra damage of a critical", critical[len(added) :], "not doubled"),
        ("damage of a failure", missed, "not on a critical failure; splash is dealt on a hit and a critical too, never doubled"),
    ]
    for name, entries, rule in told:
        for entry in entries:
            ledger.note(section, name, entry, rule)
    hit = _least([*map(part, [weapon, *extra, *splash])], path, rules, target)
    struck = [_twice(entry, rules) if doubles else part(entry) for entry in (grown, *extra)]
    crit = _least([*struck, *map(part, [*critical, *splash])], path, rules, target)
    return (), blow(map(part, missed)) if missed else (), hit, crit


def _typed(entry: Damage, type: str) -> Damage:
    """The entry in the weapon's type where it names none of its own."""
    return replace(entry, type=type) if entry.type == UNTYPED else entry


def _twice(entry: Damage, rules: Pathfinder2Rules) -> Part:
    made = part(entry)
    if rules.critical_doubling == "double":
        return replace(made, rolls=tuple(replace(roll, scale=2) for roll in made.rolls))
    return part(replace(entry, sum=DiceSum(dice=tuple(replace(d, count=2 * d.count) for d in entry.sum.dice), flat=2 * entry.sum.flat)))


def _least(parts: list[Part], path: Path, rules: Pathfinder2Rules, target: Pathfinder2Target) -> Packets:
    """One packet of at least 1 point: the weapon's part, the first, makes up for it unless another entry always deals something."""
    weapon, *others = parts
    told = [p for p in others if not (p.rolls[0].precision and "precision" in target.immune)]
    if rules.minimum == "none" or any(_lowest(p) > 0 for p in told):
        return blow(parts)
    if _lowest(weapon) < 1 and any(p.highest > 0 for p in told):
        got = ", ".join(f"{p.lowest} to {p.highest} {p.type}" for p in told)
        rule = "damage that is never 0, or always, beside a weapon that may deal 0: the minimum of 1 is on their sum"
        raise_any([Problem((*path, "extra"), f"extra must be {rule} (or minimum = 'none'); got {got}")])
    return blow([replace(weapon, minimum=1), *others])


def _lowest(made: Part) -> int:
    return max(0, made.rolls[0].lowest)


SYSTEM = Pathfinder2()
