"""The Starfinder rules of text 002: EAC and KAC, a natural 20 that needs the total to be a critical, damage rolled twice, range increments, scatter.

Switches, each with the clause it rests on (default first):

``ties = "hit" | "miss"``
    A total that *meets* or exceeds EAC or KAC succeeds, and with a natural 20 is a critical. ``miss``: a total equal to it does not meet it.
``natural_1 = "miss" | "total"``
    The text says nothing of a natural 1; the published rule makes it a miss. ``total``: it counts by its total.
``minimum = "roll" | "none"``
    The text states no minimum; as published, each weapon damage roll is at least 1. ``none``: it may be 0, damage below 0 counting as 0.
``area_critical = false | true``
    An attack at a grid intersection is a ranged attack against AC 5, and what it is aimed at is no creature: no critical. ``true``: a natural 20 whose total
    meets AC 5 is one.
``launcher_scatter = false | true``
    Scatter is told of thrown weapons (grenades among them). ``true``: a missed explosive that is not thrown scatters too.

A critical rolls every damage entry twice, extra damage included; what a weapon adds on criticals only is rolled once. A creature is caught in a blast when any
of its squares is. All that are caught take the same damage roll.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from analyzer import plan
from analyzer.dice import Damage
from analyzer.plan import Area, Attack, Check, Ground, Packets, Plan
from analyzer.rulekit import grid
from analyzer.rulekit.abilities import Ability, AbilityKeys
from analyzer.rulekit.fields import Between, Bonus, Bonuses, DamageList, Feet, Items, Name, Pair, Penalty, ReductionTable, WeaponDamage
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.lowering import blow, facing, part, turn
from analyzer.rulekit.models import Model, Named, StatblockKeys, TargetKeys, WeaponLine, arsenal, exactly_one, left_out, must_be_given, raise_any
from analyzer.rulekit.problems import Path, Problem, shown
from analyzer.rulekit.system import System

EAC, KAC, INTERSECTION = 0, 1, 2
INTERSECTION_AC = 5
ENERGY = frozenset({"acid", "cold", "electricity", "fire", "sonic"})
Against = Literal["kac", "eac"]
Square = Annotated[tuple[int, int], Pair(1000)]
_CRITICAL_EXTRA = "damage added once on a critical"
_EFFECT = "the weapon's critical effect, counted when a critical is scored"


class StarfinderRules(Model):
    """The switches of the Starfinder text."""

    ties: Literal["hit", "miss"] = Field(default="hit", description="whether a total equal to EAC or KAC meets it")
    natural_1: Literal["miss", "total"] = Field(default="miss", description="whether a natural 1 always misses, or counts by its total")
    minimum: Literal["roll", "none"] = Field(default="roll", description="whether each weapon damage roll is at least 1")
    area_critical: bool = Field(default=False, description="whether an attack at a grid intersection can be a critical")
    launcher_scatter: bool = Field(default=False, description="whether a missed explosive that is not thrown scatters")


class Creature(Model):
    """A creature near the intersection an area weapon aims at."""

    at: Square = Field(description="its lower left square relative to the intersection: [x, y] spans x to x+1 and y to y+1")
    size: Annotated[int, Between(1, 20)] = Field(default=1, description="squares a side")
    reduction: ReductionTable | None = Field(default=None, description="points off the damage of a type; default: the target's")


class StarfinderTarget(TargetKeys):
    """A target: its armor classes, its distance, and for area weapons who stands where."""

    ac: Bonus | None = Field(default=None, description="both EAC and KAC")
    eac: Bonus | None = Field(default=None, description="energy armor class")
    kac: Bonus | None = Field(default=None, description="kinetic armor class")
    distance: Feet = Field(default=5, description="feet to the target or the intersection; 5 is adjacent")
    line_of_effect: bool = Field(default=True, description="a clear line to the target")
    creatures: Annotated[tuple[Creature, ...], Items()] = Field(default=(Creature(at=(0, 0)),), description="who stands where, for area weapons")
    thrower: Annotated[tuple[int, int], Pair(100_000, nonzero=True)] | None = Field(
        default=None, description="where the throw comes from, in squares relative to the intersection; default [0, -distance/5]"
    )

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One number for both armor classes, or each."""
        yield from super().presence(keys)
        if "ac" in keys:
            yield from (left_out(k, "when ac is given (it is both EAC and KAC)", "both") for k in ("eac", "kac") if k in keys)

    def place(self) -> dict[str, Any]:
        """Distance, line of effect and thrower, and where the creatures stand and how large they are, without their reductions."""
        given = self.given()
        keys = {key: given[key] for key in ("distance", "line_of_effect", "thrower") if key in given}
        return keys | ({"creatures": [{"at": c.at, "size": c.size} for c in self.creatures]} if "creatures" in given else {})

    @model_validator(mode="after")
    def _someone(self) -> Self:
        if not 1 <= len(self.creatures) <= 100:
            raise_any([Problem(("creatures",), f"creatures must be 1 to 100 tables; got {len(self.creatures)}")])
        return self


class StarfinderWeaponLine(WeaponLine):
    """One weapon of a statblock."""

    against: Against = Field(default="kac", description="the armor class it attacks")
    critical_effect: Name | None = Field(default=None, description=_EFFECT)
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)


class StarfinderStatblock(StatblockKeys):
    """Final numbers: attack bonuses, damage, the armor class attacked."""

    shared = frozenset({"name", "extra", "critical_extra"})

    against: Against = Field(default="kac", description="the armor class it attacks")
    critical_effect: Name | None = Field(default=None, description=_EFFECT)
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)
    weapons: Annotated[tuple[StarfinderWeaponLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)


class StarfinderWeapon(Named):
    """A weapon of a sheet."""

    damage: WeaponDamage = Field(description="the weapon's own dice, such as '1d8 fire'")
    kind: Literal["melee", "ranged", "thrown", "grenade"] = Field(default="melee", description="how it attacks")
    against: Against | None = Field(default=None, description="the armor class it attacks; default: eac with acid, cold, electricity, fire or sonic, else kac")
    range: Annotated[int, Between(1, 100_000)] | None = Field(default=None, description="range increment in feet; not for melee")
    maximum_range: Annotated[int, Between(1, 1_000_000)] | None = Field(
        default=None, description="feet; default 10 range increments, 5 for thrown weapons and grenades"
    )
    reach: Annotated[int, Between(0, 1000)] | None = Field(default=None, description="feet a melee weapon reaches; default 5, adjacent")
    critical_effect: Name | None = Field(default=None, description=_EFFECT)
    radius: Annotated[int, Between(5, 500)] | None = Field(default=None, description="feet of its blast: an explosive, or a thrown weapon with an area")
    extra: DamageList = Field(default=(), description="damage added after the weapon's")
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)
    proficient: bool = Field(default=True, description="the character is proficient with it; -4 when not")

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        no, yes = (("range", "maximum_range", "radius"), ()) if self.kind == "melee" else (("reach",), ("range",))
        raise_any(
            [
                *(left_out(k, f"with kind {self.kind!r}", shown(getattr(self, k))) for k in no if getattr(self, k) is not None),
                *(must_be_given(type(self), k) for k in (*yes, *(("radius",) if self.kind == "grenade" else ())) if getattr(self, k) is None),
            ]
        )
        return self

    @property
    def defence(self) -> int:
        """The defence it attacks."""
        if self.radius is not None:
            return INTERSECTION
        against = self.against or ("eac" if self.damage.type in ENERGY else "kac")
        return EAC if against == "eac" else KAC

    @property
    def furthest(self) -> int:
        """Its maximum range in feet."""
        return self.maximum_range or (self.range or 0) * (10 if self.kind == "ranged" else 5)


class StarfinderSheet(AbilityKeys):
    """A character the bonuses and damage are derived from."""

    name: Name | None = Field(default=None, description="the name shown")
    bab: Bonus = Field(description="base attack bonus, an integer such as 6")
    full_attack: bool = Field(default=False, description="makes several attacks at a penalty")
    attacks: Annotated[int, Between(0, 64)] = Field(default=2, description="attacks in a full attack")
    full_attack_penalty: Penalty = Field(default=-4, description="penalty to each attack of a full attack")
    attack_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every attack")
    damage_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every weapon damage roll")
    extra: DamageList = Field(default=(), description="damage added after every weapon's")
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)
    weapon: StarfinderWeapon | None = Field(default=None, description="the weapon, a table such as { damage = '1d8' }")
    weapons: Annotated[tuple[StarfinderWeapon, ...], Items()] | None = Field(
        default=None, description="several weapons: a full attack takes one after another, again from the first; else the first alone attacks"
    )

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One way to give weapons."""
        yield from super().presence(keys)
        yield from exactly_one(cls, keys, "weapon", "weapons")

    def another(self) -> dict[str, Any]:
        """One more attack in a full attack; a round of a single attack has no place for another."""
        return {"attacks": self.attacks + 1} if self.full_attack else {}


class Starfinder(System[StarfinderRules, StarfinderTarget, StarfinderStatblock, StarfinderSheet]):
    """The Starfinder rules."""

    id = "starfinder"
    name = "Starfinder"
    summary = "EAC and KAC, natural 20 is a critical only when the total meets it, damage rolled twice, range increments, scatter"
    defences = ("EAC", "KAC", "AC of an intersection")
    Rules = StarfinderRules
    Target = StarfinderTarget
    Statblock = StarfinderStatblock
    Sheet = StarfinderSheet

    def from_statblock(self, build: StarfinderStatblock, rules: StarfinderRules, target: StarfinderTarget, ledger: Ledger) -> Plan:
        """The plan of a statblock."""
        attacks: list[Attack] = []
        for line in build.lines(StarfinderWeaponLine):
            section = line.name or "attack"
            ledger.note(section, "attacks against", line.against.upper(), "as the statblock says")
            shared = {key: (*getattr(line, key), *getattr(build, key)) for key in ("extra", "critical_extra")}
            packets = _packets(line.model_copy(update=shared), rules, ledger)
            for i, given in enumerate(line.attack, 1):
                bonus = ledger.total(section, f"attack {i}", [Term("given", given, "final bonus of the statblock")])
                defence = EAC if line.against == "eac" else KAC
                attacks.append(Attack(label=section, bonus=bonus, check=_check(rules), defence=defence, on=packets, effect=line.critical_effect))
        return Plan(turns=(turn(attacks),))

    def from_sheet(self, build: StarfinderSheet, rules: StarfinderRules, target: StarfinderTarget, ledger: Ledger) -> Plan:
        """The plan of a sheet: one attack, or a full attack with one weapon after another."""
        weapons = arsenal(build.weapon, build.weapons)
        count = build.attacks if build.full_attack else 1
        used = weapons[:count]
        raise_any(problem for path, weapon in used for problem in _out_of_reach(path, weapon, target))
        made = [_from_weapon(build, weapon, rules, target, ledger) for _, weapon in used]
        for _, weapon in weapons[count:]:
            ledger.note(
                weapon.name or "weapon", "attacks", "none", f"the round has {count} attack{'s' if count > 1 else ''}; more with full_attack and attacks"
            )
        return Plan(turns=(turn(islice(cycle(made), count)),))

    def facing(self, rules: StarfinderRules, target: StarfinderTarget, ledger: Ledger) -> plan.Target:
        """The target: EAC, KAC, and the AC of a grid intersection."""
        known = {"EAC": target.ac if target.eac is None else target.eac, "KAC": target.ac if target.kac is None else target.kac}
        acs = []
        for (name, value), other in zip(known.items(), reversed(known.values()), strict=True):
            if value is not None:
                term = Term("given", value, "as a number, for both EAC and KAC" if target.ac is not None else "as a number")
            elif other is not None:
                term = Term("the other's", other, f"{name} is not given: the other armor class")
            else:
                term = Term("base", 10, "no EAC or KAC is given: 10")
            acs.append(ledger.total("target", name, [term], signed=False))
        needed = "EAC or KAC, or more" if rules.ties == "hit" else "more than EAC or KAC"
        ones = "a natural 1 misses" if rules.natural_1 == "miss" else "a natural 1 counts by its total"
        ledger.note("target", "an attack hits with", needed, f"a natural 20 hits, and is a critical when the total does so too; {ones}")
        own = tuple(target.reduction if creature.reduction is None else creature.reduction for creature in target.creatures)
        return facing(target, (*acs, INTERSECTION_AC), ledger, follows_sweep=(True, True, False), creatures=own)

    def reduction_tables(self, target: StarfinderTarget) -> tuple[tuple[Path, ReductionTable], ...]:
        """The target's table and those of its creatures."""
        own = ((("creatures", i, "reduction"), c.reduction) for i, c in enumerate(target.creatures) if c.reduction is not None)
        return ((("reduction",), target.reduction), *own)


def scatter_displacements(thrower: grid.Square) -> tuple[grid.Square, ...]:
    """The 32 equally likely places, in squares relative to the mark, where a missed throw lands: for each d8 face its four d4 faces.

    Parameters
    ----------
    thrower
        Where the throw comes from, in squares relative to the mark, ``y`` pointing up; not ``(0, 0)``.

    References
    ----------
    Text 002, the misdirection of a missed throw: 1 falls short toward the thrower, 2 to 8 go round clockwise, then 1d4 squares.

    Examples
    --------
    A direction of 1 and a distance of 2 is two squares in front of the mark:

    >>> scatter_displacements((0, -6))[1]
    (0, -2)
    """
    return grid.displacements(thrower)


def caught_squares(radius: int) -> frozenset[grid.Square]:
    """The squares, by their lower left corners, that a blast of ``radius`` feet catches around the intersection ``(0, 0)``.

    Examples
    --------
    >>> len(caught_squares(5)), len(caught_squares(10))
    (4, 12)
    """
    return grid.blast(radius)


def range_penalty(distance: int, increment: int) -> int:
    """The penalty of an attack at ``distance`` feet: -2 for each full ``increment``, or fraction of one, beyond the first."""
    return -2 * max(0, -(-distance // increment) - 1)


def _out_of_reach(path: Path, weapon: StarfinderWeapon, target: StarfinderTarget) -> Iterator[Problem]:
    """Why the attack cannot be made."""
    named_as = f" (weapon {weapon.name!r})" if weapon.name else ""
    if weapon.kind == "melee":
        reach = 5 if weapon.reach is None else weapon.reach
        if target.distance > reach:
            yield Problem((*path, "reach"), f"reach must be at least the distance to the target, {target.distance} feet; got {reach}: out of reach")
        return
    if target.distance > weapon.furthest:
        how = f"{weapon.range} feet an increment, {weapon.furthest} feet at most"
        yield Problem((*path, "range"), f"range must allow the distance to the target, {target.distance} feet; got {how}: out of range")
    if not target.line_of_effect:
        yield Problem(("target", "line_of_effect"), f"line_of_effect must be true for a {weapon.kind} attack{named_as}; got false: no line of effect")
    if weapon.radius is not None:
        if target.miss_chance:
            yield Problem(("target", "miss_chance"), f"miss_chance must be 0 with an area weapon{named_as}: it aims at no creature; got {target.miss_chance}")
        if target.thrower is None and target.distance == 0:
            yield Problem(("target", "thrower"), f"thrower must be given when the distance to the intersection is 0{named_as}; got nothing")


def _from_weapon(build: StarfinderSheet, weapon: StarfinderWeapon, rules: StarfinderRules, target: StarfinderTarget, ledger: Ledger) -> Attack:
    section = weapon.name or "attack"
    ledger.note(section, "attacks against", SYSTEM.defences[weapon.defence], _why_defence(weapon))
    bonus = ledger.total(section, "attack bonus", _terms(build, weapon, target))
    dice = ledger.damage(section, "damage", weapon.damage.sum, _damage_terms(build, weapon), f"{weapon.damage.sum} of the weapon with the modifiers above")
    line = StarfinderWeaponLine.model_construct(
        name=weapon.name,
        attack=(bonus,),
        damage=Damage(sum=dice, type=weapon.damage.type),
        extra=(*weapon.extra, *build.extra),
        critical_extra=(*weapon.critical_extra, *build.critical_extra),
    )
    packets = _packets(line, rules, ledger)
    area, check = None, _check(rules)
    if weapon.radius is not None:
        scatters = weapon.kind != "ranged" or rules.launcher_scatter
        area, check = _area(weapon.radius, target, scatters=scatters), _check(rules, critical=rules.area_critical)
        ledger.note(section, "scatters on a miss", "yes" if scatters else "no", "a missed thrown weapon lands 1d4 squares off in a direction of 1d8")
        ledger.note(section, "critical", "possible" if rules.area_critical else "none", "an intersection is aimed at (switch area_critical)")
    return Attack(label=section, bonus=bonus, check=check, defence=weapon.defence, on=packets, effect=weapon.critical_effect, area=area)


def _why_defence(weapon: StarfinderWeapon) -> str:
    if weapon.radius is not None:
        return "an explosive or a thrown weapon with an area aims at a grid intersection, AC 5"
    return "as the weapon says" if weapon.against else f"{weapon.damage.type} damage"


def _terms(build: StarfinderSheet, weapon: StarfinderWeapon, target: StarfinderTarget) -> Iterator[Term]:
    yield Term("base attack bonus", build.bab, "attack rolls add the base attack bonus")
    ability = Ability.DEXTERITY if weapon.kind == "ranged" else Ability.STRENGTH
    yield build.ability(ability, f"{weapon.kind} attacks add {ability.title()}")
    if not weapon.proficient:
        yield Term("not proficient", -4, "-4 with a weapon one is not proficient with")
    yield from named(build.attack_bonuses, "named bonus")
    if weapon.range is not None:
        rule = f"{target.distance} feet at an increment of {weapon.range}: -2 for each increment or fraction beyond the first"
        yield Term("range penalty", range_penalty(target.distance, weapon.range), rule)
    if build.full_attack:
        yield Term("full attack penalty", build.full_attack_penalty, "each attack of a full attack")


def _damage_terms(build: StarfinderSheet, weapon: StarfinderWeapon) -> Iterator[Term]:
    if weapon.kind in ("melee", "thrown"):
        yield build.ability(Ability.STRENGTH, "melee and thrown weapons add Strength to damage")
    yield from named(build.damage_bonuses, "named bonus, part of the weapon roll")


def _packets(line: StarfinderWeaponLine, rules: StarfinderRules, ledger: Ledger) -> tuple[Packets, Packets, Packets, Packets]:
    """What a hit and a critical deal with damage that is final, explained."""
    section = line.name or "attack"
    ledger.note(section, "weapon damage", line.damage, "a critical rolls it twice")
    for entry in line.extra:
        ledger.note(section, "extra damage", entry, "a critical rolls it twice too")
    for entry in line.critical_extra:
        ledger.note(section, "extra damage of a critical", entry, "once, on a critical only")
    each = 1 if rules.minimum == "roll" else None
    hit, critical = ([part(line.damage, times=n, each=each), *(part(entry, times=n) for entry in line.extra)] for n in (1, 2))
    return (), (), blow(hit), blow([*critical, *map(part, line.critical_extra)])


def _check(rules: StarfinderRules, *, critical: bool = True) -> Check:
    return Check(
        ties_hit=rules.ties == "hit",
        auto_miss_to=1 if rules.natural_1 == "miss" else 0,
        critical=plan.Critical.MEETS if critical else plan.Critical.NONE,
    )


def _area(radius: int, target: StarfinderTarget, *, scatters: bool) -> Area:
    """Who is caught on the mark, and at each of the 32 places a miss lands."""
    thrower = target.thrower or (0, -max(1, target.distance // grid.FEET_PER_SQUARE))
    landings = ((0, 0), *scatter_displacements(thrower))
    ground = Ground(
        landings=landings,
        blast=tuple(sorted(caught_squares(radius))),
        creatures=tuple((*c.at, c.size) for c in target.creatures),
        thrower=thrower,
    )
    return Area(caught=grid.caught(landings, [(c.at, c.size) for c in target.creatures], radius), scatters=scatters, ground=ground)


SYSTEM = Starfinder()
