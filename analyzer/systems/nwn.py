"""Neverwinter Nights 1 (with the Enhanced Edition): third-edition combat as the game engine plays it, percent immunities and free attacks included.

Switches, each with the rule it rests on (default first):

``threat_naturals = false | true``
    The threat roll is a second attack roll with the same bonus, but only the first roll knows an automatic hit on 20 and an automatic miss on 1: against a
    low AC every threat is a critical, against a high one none is. ``true``: the threat roll knows them too, as at a third-edition table.
``free_attacks = "full" | "ladder"``
    Attacks from haste, flurry and the like come at the full attack bonus. ``ladder``: the second of them is 5 lower, the third 10, as the game has counted
    since patch 1.68 (reported as a fault, Beamdog/nwn-issues 524).
``critical_immunity_covers_sneak = true | false``
    What is immune to critical hits takes no sneak attack damage either, as the feat's text says. ``false``: sneak immunity is ``"precision"`` alone, as on
    servers that keep the two apart.

A total of AC or more hits. A critical rolls the weapon's damage, modifiers and item bonus damage (``bonus_damage``) once per multiplier; sneak attacks and
other ``extra`` damage, massive criticals (``critical_extra``) and the (multiplier - 1)d6 of Overwhelming Critical are rolled once, the last of the weapon's
damage type. A hit deals at least 1 point with the weapon, its rolls added up, before the target's protections: first ``immunity`` (percent, the share taken
off rounded down; negative: vulnerable), then ``resistance``, then ``reduction``, each on the sum of that type in the attack. ``physical`` acts on the sum of
all physical damage; a later layer that names one type of it again is refused, because the plan keeps what was lowered together in one sum. Keen and Improved
Critical each add the weapon's own range (19-20 becomes 15-20 with both), Ki Critical two faces more.

The round is: the attacks of the main hand, the free ones, those of the off hand; a file that lists the off hand first begins with it. Penalties for two
weapons are on the attacks of both hands, not on free ones. A monk's ladder of 3 is that of melee attacks with the main hand. Dodge bonuses count up to 20;
flat-footed, uncanny dodge keeps Dexterity, not dodge.

Not played: parry, epic dodge and deflected arrows (rolls of the defender), finite soak, on-hit saves, the limits of magical bonuses and of 15 attacks a round,
and the old fault by which the off hand's bonus damage takes the main weapon's multiplier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from analyzer import plan
from analyzer.dice import NEVER, CriticalRange, Damage, DiceSum
from analyzer.plan import Attack, Check, Die, Packets, Plan
from analyzer.rulekit.abilities import Ability
from analyzer.rulekit.armor import ArmoredTarget, armor_class
from analyzer.rulekit.combatant import iteratives
from analyzer.rulekit.fields import Between, Count, Critical, DamageList, Items, Percent, ReductionTable
from analyzer.rulekit.layers import PercentTable, inseparable, percent_off
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.lowering import blow, facing, part, reductions, turn
from analyzer.rulekit.martial import MartialSheet, MartialWeapon, base_attack, base_attacks, common_bonus, damage_dice, off_hand_attacks
from analyzer.rulekit.models import Model, StatblockKeys, WeaponLine, arsenal, left_out, raise_any
from analyzer.rulekit.problems import Path, Problem
from analyzer.rulekit.system import System

MOST_DODGE = 20
MOST_FREE = 8
Feat = Literal[
    "weapon focus", "epic weapon focus", "weapon specialization", "epic weapon specialization", "weapon finesse", "improved critical",
    "ambidexterity", "two-weapon fighting", "improved two-weapon fighting", "blind-fight",
]  # fmt: skip
Free = Literal["haste", "blinding speed", "flurry", "rapid shot", "divine power", "cleave", "circle kick", "attack of opportunity", "other"]
_CRITICAL = "threat range and multiplier, such as '19-20/x2'"
_CRITICAL_EXTRA = "massive criticals: damage added once on a critical, not multiplied"
_BONUS_DAMAGE = "item bonus damage, such as ['1d6 fire', '2 cold']: a critical rolls it again like the weapon's"
_OVERWHELMING = "overwhelming critical: (multiplier - 1)d6 more on a critical"
_BLIND_FIGHT = "the attacker has blind-fight: a miss by concealment is rolled a second time"


class NwnRules(Model):
    """The switches of Neverwinter Nights."""

    threat_naturals: bool = Field(default=False, description="whether a natural 20 or 1 decides the threat roll too")
    free_attacks: Literal["full", "ladder"] = Field(default="full", description="whether each free attack is at full bonus, or 5 lower than the one before")
    critical_immunity_covers_sneak: bool = Field(default=True, description="whether immunity to critical hits is immunity to sneak attacks too")


class NwnTarget(ArmoredTarget):
    """A target: ``ac`` as a number or its parts, concealment, and the three layers of protection."""

    concealment: Percent = Field(default=0, description="percent of the hits that miss after all; of concealment and miss chance the higher counts")
    immunity: PercentTable = Field(default_factory=dict, description="percent off the damage of a type, first; negative: percent more (vulnerability)")
    resistance: ReductionTable = Field(default_factory=dict, description="points off the damage of a type, after immunity")

    @model_validator(mode="after")
    def _layers(self) -> Self:
        raise_any(inseparable([("immunity", self.immunity), ("resistance", self.resistance), ("reduction", self.reduction)]))
        return self


class NwnWeaponLine(WeaponLine):
    """One weapon of a statblock."""

    critical: Critical = Field(default=CriticalRange(), description=_CRITICAL)
    bonus_damage: DamageList = Field(default=(), description=_BONUS_DAMAGE)
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)
    overwhelming_critical: bool = Field(default=False, description=_OVERWHELMING)


class NwnStatblock(StatblockKeys):
    """Final numbers: attack bonuses, damage, critical."""

    shared: ClassVar[frozenset[str]] = frozenset({"name", "extra", "bonus_damage", "critical_extra", "blind_fight"})

    critical: Critical = Field(default=CriticalRange(), description=_CRITICAL)
    bonus_damage: DamageList = Field(default=(), description=_BONUS_DAMAGE)
    critical_extra: DamageList = Field(default=(), description=_CRITICAL_EXTRA)
    overwhelming_critical: bool = Field(default=False, description=_OVERWHELMING)
    blind_fight: bool = Field(default=False, description=_BLIND_FIGHT)
    weapons: Annotated[tuple[NwnWeaponLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)


class NwnWeapon(MartialWeapon):
    """A weapon of a sheet."""

    keen: bool = Field(default=False, description="keen: its own threat range once more")
    ki_critical: bool = Field(default=False, description="weapon of choice with ki critical: two more faces threaten")
    increased_multiplier: bool = Field(default=False, description="weapon of choice with increased multiplier: its critical multiplier is 1 higher")
    overwhelming_critical: bool = Field(default=False, description=_OVERWHELMING)
    bonus_damage: DamageList = Field(default=(), description=_BONUS_DAMAGE)
    mighty: Count | None = Field(default=None, description="ranged: the Strength bonus its damage takes; every bow is at least mighty 0 and takes a penalty")

    @model_validator(mode="after")
    def _bow(self) -> Self:
        raise_any([left_out("mighty", f"with kind {self.kind!r}", str(self.mighty))] if self.mighty is not None and self.kind != "ranged" else [])
        return self


class NwnSheet(MartialSheet):
    """A character the bonuses and damage are derived from."""

    feats: Annotated[tuple[Feat, ...], Items()] = Field(default=(), description="feats that matter here; one of a weapon holds for all without focus = false")
    monk: bool = Field(default=False, description="unarmed or with kamas: the ladder of the main hand goes down by 3, at most six attacks")
    power_attack: Annotated[int, Between(0, 10, 5)] = Field(default=0, description="power attack 5 or improved power attack 10, for melee weapons")
    extra_attacks: Annotated[tuple[Free, ...], Items()] = Field(default=(), description="free attacks with the main weapon, such as ['haste', 'flurry']")
    bonus_damage: DamageList = Field(default=(), description="bonus damage of every weapon: a critical rolls it again")
    weapon: NwnWeapon | None = Field(default=None, description=MartialSheet.model_fields["weapon"].description)
    weapons: Annotated[tuple[NwnWeapon, ...], Items()] | None = Field(default=None, description=MartialSheet.model_fields["weapons"].description)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        raise_any(_impossible(self))
        return self

    def ladder(self, weapon: NwnWeapon) -> tuple[Term, ...]:
        """That of a monk goes down by 3."""
        return _bases(self, weapon)


def _main(weapons: tuple[tuple[Path, NwnWeapon], ...]) -> NwnWeapon | None:
    """The weapon free attacks are made with: the first that is not in the off hand."""
    return min((w for _, w in weapons), key=lambda w: w.hand == "off", default=None)


def _impossible(sheet: NwnSheet) -> Iterator[Problem]:
    weapons = arsenal(sheet.weapon, sheet.weapons)
    if len(sheet.extra_attacks) > MOST_FREE:
        yield Problem(("extra_attacks",), f"extra_attacks must be at most {MOST_FREE} attacks; got {len(sheet.extra_attacks)}")
    modes = [name for name in sheet.extra_attacks if name in ("flurry", "rapid shot")] + ["power_attack"] * (sheet.power_attack > 0)
    if len(modes) > 1:
        yield Problem(("extra_attacks",), f"extra_attacks must go with one combat mode: flurry, rapid shot or power_attack; got {' and '.join(modes)}")
    main = _main(weapons)
    for mode, kinds in (("flurry", ("melee",)), ("rapid shot", ("ranged", "thrown"))):
        if mode in sheet.extra_attacks and main is not None and main.kind not in kinds:
            yield Problem(("extra_attacks",), f"extra_attacks must be free of {mode} unless the main weapon's kind is {' or '.join(kinds)}; got {main.kind}")
    if any(w.hand == "off" for _, w in weapons):
        for path, _ in ((p, w) for p, w in weapons if w.hand == "two"):
            yield Problem((*path, "hand"), "hand must be 'main' beside a weapon in the off hand (nobody fights with two when one takes both); got 'two'")


class Nwn(System[NwnRules, NwnTarget, NwnStatblock, NwnSheet]):
    """Neverwinter Nights 1."""

    id = "nwn"
    name = "Neverwinter Nights"
    summary = "Threat roll without naturals, keen and Improved Critical stack, item damage multiplied, free attacks, percent immunity first"
    Rules = NwnRules
    Target = NwnTarget
    Statblock = NwnStatblock
    Sheet = NwnSheet

    def from_statblock(self, build: NwnStatblock, rules: NwnRules, target: NwnTarget, ledger: Ledger) -> Plan:
        """The plan of a statblock."""
        attacks: list[Attack] = []
        for line in build.lines(NwnWeaponLine):
            section = line.name or "attack"
            for i, bonus in enumerate(line.attack, 1):
                ledger.total(section, f"attack {i}", [Term("given", bonus, "final bonus of the statblock")])
            ledger.note(section, "damage", line.damage, "weapon damage of the statblock")
            shared = {key: (*getattr(line, key), *getattr(build, key)) for key in ("bonus_damage", "extra", "critical_extra")}
            attacks += _attacks(line.model_copy(update=shared), rules, ledger)
        return Plan(turns=(turn(attacks),))

    def from_sheet(self, build: NwnSheet, rules: NwnRules, target: NwnTarget, ledger: Ledger) -> Plan:
        """The plan of a sheet: weapon after weapon, the free attacks after those of the main one."""
        weapons = arsenal(build.weapon, build.weapons)
        main = _main(weapons)
        attacks: list[Attack] = []
        for _, weapon in weapons:
            section = weapon.name or "attack"
            dice = damage_dice(build, weapon, section, ledger, more=_damage_terms(build, weapon))
            line = NwnWeaponLine.model_construct(
                name=weapon.name,
                attack=_bonuses(build, weapon, section, rules, ledger, free=weapon is main),
                damage=Damage(sum=dice, type=weapon.damage.type),
                critical=_critical(build, weapon, section, ledger),
                bonus_damage=(*weapon.bonus_damage, *build.bonus_damage),
                extra=(*weapon.extra, *build.extra),
                critical_extra=(*weapon.critical_extra, *build.critical_extra),
                overwhelming_critical=weapon.overwhelming_critical,
            )
            attacks += _attacks(line, rules, ledger)
        return Plan(turns=(turn(attacks),))

    def facing(self, rules: NwnRules, target: NwnTarget, ledger: Ledger) -> plan.Target:
        """The target, its armor class derived or as given, and its layers of protection in the order of the game."""
        parts: dict[str, Any] = {key: value for key, value in target.given().items() if key in ArmoredTarget.model_fields}
        if sum(target.dodge) > MOST_DODGE:
            ledger.note("target", "dodge", MOST_DODGE, f"dodge bonuses add up to +{MOST_DODGE} at most; {sum(target.dodge)} are given")
            parts["dodge"] = (MOST_DODGE,)
        ac = armor_class(ArmoredTarget.model_validate(parts), ledger, penalty_kept=True)
        ledger.note("target", "an attack hits with", "AC or more", "a natural 20 of the attack roll hits and a natural 1 misses whatever the total")
        for name, percent in target.immunity.items():
            ledger.note("target", f"immunity: {name}", f"{percent} %", "first, off the damage of one attack, the share rounded down (negative: more damage)")
        for name, points in target.resistance.items():
            ledger.note("target", f"resistance: {name}", points, "second, off the damage of one attack that immunity has left")
        missed = max(target.concealment, target.miss_chance)
        faced = facing(target.model_copy(update={"miss_chance": missed}), (ac,), ledger)
        covered = rules.critical_immunity_covers_sneak and faced.immune_critical
        if covered:
            ledger.note("target", "immune", "sneak attacks", "what is immune to critical hits is immune to sneak attacks (critical_immunity_covers_sneak)")
        layers = (*percent_off(target.immunity), *reductions(target.resistance), *faced.reductions[0])
        return faced.but(immune_precision=faced.immune_precision or covered, reductions=(layers,))

    def met(self, build: NwnStatblock | NwnSheet, made: Plan, target: NwnTarget, faced: plan.Target, ledger: Ledger) -> plan.Target:
        """The target as this build meets it: the attacker's blind-fight is a second roll of the target's concealment."""
        blind_fight = build.blind_fight if isinstance(build, NwnStatblock) else "blind-fight" in build.feats
        if not blind_fight or not faced.miss[0]:
            return faced
        ledger.note("target", "miss chance rolls", 2, "blind-fight: a miss by concealment is rolled once more, and misses when both do")
        return faced.but(miss_rolls=2)

    def reduction_tables(self, target: NwnTarget) -> tuple[tuple[Path, dict[str, Any]], ...]:
        """The three layers of protection."""
        return (("immunity",), target.immunity), (("resistance",), target.resistance), (("reduction",), target.reduction)


def _has(sheet: NwnSheet, weapon: NwnWeapon, feat: Feat) -> bool:
    """Whether a feat about one weapon holds for this one."""
    return feat in sheet.feats and weapon.focus is not False


def _bonuses(sheet: NwnSheet, weapon: NwnWeapon, section: str, rules: NwnRules, ledger: Ledger, *, free: bool) -> tuple[int, ...]:
    """The attack bonus of each attack with a weapon, in order, ``free`` attacks after its own."""
    common = common_bonus(sheet, weapon, section, ledger, more=_attack_terms(sheet, weapon))
    pair = list(_two_weapons(sheet, weapon))
    bases = _bases(sheet, weapon)
    made = [ledger.total(section, f"attack {i}", [base, common, *pair]) for i, base in enumerate(bases, 1)]
    full, lower = max((base.value for base in bases), default=base_attack(sheet)), 5 if rules.free_attacks == "ladder" else 0
    how = "a free attack each at full bonus" if not lower else "free attacks from full bonus, each 5 lower (switch free_attacks)"
    for i, name in enumerate(sheet.extra_attacks if free else ()):
        terms = [Term("base attack bonus", full - lower * i, f"{how}, without penalties for two weapons"), common]
        made.append(ledger.total(section, f"free attack {i + 1} ({name})", terms))
    return tuple(made)


def _bases(sheet: NwnSheet, weapon: NwnWeapon) -> tuple[Term, ...]:
    """The base attack bonus of each attack with a weapon, free attacks apart."""
    if weapon.base_attacks is None and weapon.hand == "off":
        return off_hand_attacks(sheet)
    if sheet.monk and weapon.kind == "melee" and weapon.base_attacks is None and sheet.base_attacks is None:
        bab = base_attack(sheet)
        rule = f"from {bab:+d}, unarmed or with a kama: each later attack 3 lower while at +1 or better, at most six"
        return tuple(Term("base attack bonus", base, rule) for base in iteratives(bab, 3, 6))
    return base_attacks(sheet, weapon)


def _two_weapons(sheet: NwnSheet, weapon: NwnWeapon) -> Iterator[Term]:
    second = [w for _, w in arsenal(sheet.weapon, sheet.weapons) if w.hand == "off"]
    if not second or weapon.kind == "ranged":
        return
    yield Term("two weapons", -10 if weapon.hand == "off" else -6, "-6 with the main hand and -10 with the off hand")
    if all(w.light for w in second):
        yield Term("light weapon in the off hand", 2, "2 less of both penalties")
    if "two-weapon fighting" in sheet.feats:
        yield Term("two-weapon fighting", 2, "2 less of both penalties")
    if "ambidexterity" in sheet.feats and weapon.hand == "off":
        yield Term("ambidexterity", 4, "4 less of the off hand's penalty")


def _attack_terms(sheet: NwnSheet, weapon: NwnWeapon) -> Iterator[Term]:
    if _has(sheet, weapon, "epic weapon focus"):
        yield Term("epic weapon focus", 2, "+2 more with the chosen weapon")
    for mode in ("flurry", "rapid shot"):
        if mode in sheet.extra_attacks:
            yield Term(mode, -2, "-2 on every attack of the round")
    if weapon.kind == "melee":
        yield Term("power attack", -sheet.power_attack, "off melee attack rolls")


def _damage_terms(sheet: NwnSheet, weapon: NwnWeapon) -> Iterator[Term]:
    if weapon.mighty is not None:
        strength = sheet.ability(Ability.STRENGTH, f"a bonus up to the {weapon.mighty} this weapon is made for, a penalty in full")
        yield Term(strength.name, min(strength.value, weapon.mighty), strength.rule)
    if _has(sheet, weapon, "weapon specialization"):
        yield Term("weapon specialization", 2, "+2 with the chosen weapon")
    if _has(sheet, weapon, "epic weapon specialization"):
        yield Term("epic weapon specialization", 4, "+4 more with the chosen weapon")
    if weapon.kind == "melee":
        yield Term("power attack", sheet.power_attack, "what is taken off melee attack rolls, whatever the hand")


def _critical(sheet: NwnSheet, weapon: NwnWeapon, section: str, ledger: Ledger) -> CriticalRange:
    """The weapon's threat range and multiplier with all that widens and raises them."""
    own = NEVER - weapon.critical.threat_from
    faces = [Term("the weapon", own, f"threatens on {weapon.critical}"), Term("keen", own * weapon.keen, "its own range once more")]
    faces.append(Term("improved critical", own * _has(sheet, weapon, "improved critical"), "its own range once more; stacks with keen"))
    faces.append(Term("ki critical", 2 * (weapon.ki_critical and own > 0), "two more faces with the weapon of choice"))
    wide = ledger.total(section, "faces that threaten", faces, signed=False)
    times = [Term("the weapon", weapon.critical.multiplier, f"multiplies by {weapon.critical}")]
    times.append(Term("increased multiplier", int(weapon.increased_multiplier), "1 more with the weapon of choice"))
    return CriticalRange(threat_from=max(1, NEVER - wide), multiplier=ledger.total(section, "critical multiplier", times, signed=False))


def _attacks(line: NwnWeaponLine, rules: NwnRules, ledger: Ledger) -> list[Attack]:
    """The attacks with one weapon, its bonuses and damage being final."""
    section, critical = line.name or "attack", line.critical
    naturals = "its natural 20 and 1 decide too (switch threat_naturals)" if rules.threat_naturals else "by its total alone"
    ledger.note(section, "critical", critical, f"a hit in this range threatens; a threat roll with the same bonus must hit too, {naturals}")
    for entry in line.bonus_damage:
        ledger.note(section, "bonus damage", entry, f"a critical rolls it {critical.multiplier} times, as the weapon's")
    for entry in line.extra:
        ledger.note(section, "extra damage", entry, "rolled once, on a critical too")
    added = list(line.critical_extra)
    if line.overwhelming_critical and critical.multiplier > 1:
        added.append(Damage(sum=DiceSum(dice=(Die(sides=6, count=critical.multiplier - 1),)), type=line.damage.type))
    for entry in added:
        ledger.note(section, "extra damage of a critical", entry, "massive or overwhelming critical: once, not multiplied")
    check = Check(threat_from=critical.threat_from, critical=plan.Critical.CONFIRM, confirm_naturals=rules.threat_naturals)
    hit, crit = _blow(line, 1, ()), _blow(line, critical.multiplier, tuple(added))
    return [Attack(label=section, bonus=bonus, check=check, on=((), (), hit, crit)) for bonus in line.attack]


def _blow(line: NwnWeaponLine, times: int, added: tuple[Damage, ...]) -> Packets:
    """Weapon and item damage ``times`` times, then what is dealt once."""
    multiplied = [part(line.damage, times=times, floor=1), *(part(entry, times=times) for entry in line.bonus_damage)]
    return blow([*multiplied, *map(part, line.extra), *map(part, added)])


SYSTEM = Nwn()
