"""How the games that descend from the 3.5 rules turn a sheet and a target into attacks; a game adds what is its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from analyzer import plan
from analyzer.dice import NEVER, CriticalRange, Damage
from analyzer.plan import Attack, Check, Part, Plan, Roll
from analyzer.rulekit.abilities import Ability
from analyzer.rulekit.armor import armor_class
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.lowering import blow, facing, part, roll, turn
from analyzer.rulekit.martial import attack_bonuses, base_attacks, damage_dice, off_hand_attacks
from analyzer.rulekit.models import raise_any
from analyzer.rulekit.problems import Path, Problem
from analyzer.rulekit.srd import SrdLine, SrdRules, SrdSheet, SrdStatblock, SrdTarget, SrdWeapon
from analyzer.rulekit.swings import explain_extra, swings
from analyzer.rulekit.system import System

#: What each way to one more attack does to every attack of the round.
EXTRA_ATTACKS = {"haste": 1, "rapid shot": -2, "flurry": -2}

R = TypeVar("R", bound=SrdRules)
S = TypeVar("S", bound=SrdSheet)


class SrdGame(System[R, SrdTarget, SrdStatblock, S]):
    """A game of the family: it names its models and overrides what it does in its own way."""

    def attack_terms(self, build: S, weapon: SrdWeapon) -> Iterator[Term]:
        """What the game adds to every attack with a weapon."""
        yield from ()

    def first_attack_terms(self, build: S, weapon: SrdWeapon) -> Iterator[Term]:
        """What it adds to the first attack of the round."""
        yield from ()

    def damage_terms(self, build: S, weapon: SrdWeapon) -> Iterator[Term]:
        """What it adds to a weapon damage roll."""
        yield from ()

    def confirm_bonus(self, build: S, weapon: SrdWeapon) -> int:
        """The bonus to the critical roll."""
        return 0

    def increment(self, build: S, weapon: SrdWeapon) -> int | None:
        """The range increment in feet."""
        return weapon.range

    def range_penalty(self, build: S) -> int:
        """The penalty of one increment."""
        return -2

    def bases(self, build: S, weapon: SrdWeapon, *, first: bool) -> tuple[Term, ...]:
        """The base attack bonus of each attack with a weapon; ``first`` is the first weapon of the sheet."""
        return bases(build, weapon, first=first)

    def attacks(self, build: S, line: SrdLine, rules: R, ledger: Ledger, *, first: bool) -> list[Attack]:
        """The attacks with a weapon whose numbers are final."""
        return swing(line, rules, ledger)

    def from_statblock(self, build: SrdStatblock, rules: R, target: SrdTarget, ledger: Ledger) -> Plan:
        """The plan of a statblock."""
        return Plan(turns=(turn(attack for line in swings(build, SrdLine, ledger) for attack in swing(line, rules, ledger)),))

    def from_sheet(self, build: S, rules: R, target: SrdTarget, ledger: Ledger) -> Plan:
        """The plan of a sheet: all attacks of the first weapon, then of the second."""
        raise_any(p for path, weapon in build.arms for p in out_of_range(path, weapon, target, self.increment(build, weapon)))
        attacks: list[Attack] = []
        for place, (_, weapon) in enumerate(build.arms):
            first = place == 0
            line = self._line(build, weapon, rules, target, ledger, first=first)
            attacks += self.attacks(build, line, rules, ledger, first=first)
        return Plan(turns=(turn(attacks),))

    def facing(self, rules: R, target: SrdTarget, ledger: Ledger) -> plan.Target:
        """The target, its armor class derived or as given, with fortification."""
        return faced(target, rules, ledger)

    def met(self, build: SrdStatblock | S, made: Plan, target: SrdTarget, faced: plan.Target, ledger: Ledger) -> plan.Target:
        """The target as a sheet's Blind-Fight meets it."""
        return met(build, target, faced, ledger) if isinstance(build, SrdSheet) else faced

    def _line(self, build: S, weapon: SrdWeapon, rules: R, target: SrdTarget, ledger: Ledger, *, first: bool) -> SrdLine:
        """The final numbers of one weapon."""
        section = weapon.name or "attack"
        away = range_terms(weapon, target, rules, increment=self.increment(build, weapon), each=self.range_penalty(build))
        bonuses = attack_bonuses(
            build,
            weapon,
            section,
            ledger,
            bases=self.bases(build, weapon, first=first),
            more=[*attack_terms(build, weapon, target), *self.attack_terms(build, weapon), *away],
            first=[*self.first_attack_terms(build, weapon)] if first else (),
        )
        more = [*damage_terms(build, weapon, target), *self.damage_terms(build, weapon)]
        return SrdLine.model_construct(
            name=weapon.name,
            attack=bonuses,
            damage=Damage(sum=damage_dice(build, weapon, section, ledger, more=more), type=weapon.damage.type),
            critical=widened(build, weapon, rules, section, ledger),
            confirm_bonus=self.confirm_bonus(build, weapon),
            multipliers=build.multipliers,
            extra=(*weapon.extra, *build.extra),
            critical_extra=(*weapon.critical_extra, *build.critical_extra),
        )


# -- the attack bonus ------------------------------------------------------------------------------------------------------------------------------------


def bases(sheet: SrdSheet, weapon: SrdWeapon, *, first: bool) -> tuple[Term, ...]:
    """The base attack bonus of each attack with a weapon, extra attacks included with the first weapon of the sheet."""
    listed = base_attacks(sheet, weapon)
    if weapon.hand == "off" and weapon.base_attacks is None:
        listed = off_hand_attacks(sheet)
    if first and listed:
        highest = max(base.value for base in listed)
        more = (Term(f"base attack bonus, {name}", highest, "one more attack at the highest base attack bonus") for name in sheet.extra_attacks)
        listed = (listed[0], *more, *listed[1:])
    return listed


def attack_terms(sheet: SrdSheet, weapon: SrdWeapon, target: SrdTarget) -> Iterator[Term]:
    """What both games add to every attack with a weapon, range apart."""
    if sheet.has("greater weapon focus", weapon):
        yield Term("greater weapon focus", 1, "+1 more with a weapon one has the feat for")
    if _point_blank(sheet, weapon, target):
        yield Term("point blank shot", 1, "+1 to attacks with thrown and ranged weapons within 30 feet")
    yield from _two_weapons(sheet, weapon)
    for name in sheet.extra_attacks:
        yield Term(name, EXTRA_ATTACKS[name], "on every attack of the round")
    if weapon.strength_limit is not None and sheet.ability(Ability.STRENGTH, "").value < weapon.strength_limit:
        yield Term("composite bow", -2, f"Strength below the bow's rating of {weapon.strength_limit:+d}")


def damage_terms(sheet: SrdSheet, weapon: SrdWeapon, target: SrdTarget) -> Iterator[Term]:
    """What both games add to a weapon damage roll."""
    if weapon.kind == "ranged":
        strength = sheet.ability(Ability.STRENGTH, "a composite bow adds Strength up to its rating")
        if strength.value > 0:
            yield Term(strength.name, min(strength.value, weapon.strength_limit or 0), strength.rule)
        elif weapon.bow:
            yield Term(strength.name, strength.value, "a Strength penalty counts with a bow that is not composite")
    for feat in ("weapon specialization", "greater weapon specialization"):
        if sheet.has(feat, weapon):
            yield Term(feat, 2, "+2 with a weapon one has the feat for")
    if _point_blank(sheet, weapon, target):
        yield Term("point blank shot", 1, "+1 to damage with thrown and ranged weapons within 30 feet")


def _point_blank(sheet: SrdSheet, weapon: SrdWeapon, target: SrdTarget) -> bool:
    return "point blank shot" in sheet.feats and weapon.kind != "melee" and target.distance <= 30


def _two_weapons(sheet: SrdSheet, weapon: SrdWeapon) -> Iterator[Term]:
    """The penalty of fighting with two weapons; what is shot takes part only when the off hand shoots too."""
    off = [w for _, w in sheet.arms if w.hand == "off"]
    kinds = {"melee", "thrown", *(w.kind for w in off)}
    if not off or weapon.kind not in kinds:
        return
    light, feat = all(w.light for w in off), "two-weapon fighting" in sheet.feats
    penalty = -4 if feat else -10 if weapon.hand == "off" else -6
    with_feat = " and the feat" if feat else ""
    hands = "both hands" if weapon.hand == "two" else f"{weapon.hand} hand"
    words = f"{hands}, the off-hand weapon being {'' if light else 'not '}light{with_feat}"
    yield Term("two weapons", penalty + (2 if light else 0), words)


def range_terms(weapon: SrdWeapon, target: SrdTarget, rules: SrdRules, *, increment: int | None, each: int) -> Iterator[Term]:
    """The penalty for the distance: ``each`` per ``increment``, counted as the switch ``range`` says."""
    if increment is None or weapon.kind == "melee":
        return
    away = target.distance
    if rules.range == "full":
        yield Term("range penalty", each * (away // increment), f"{away} feet at an increment of {increment}: {each} for each full increment")
    else:
        words = f"{each} for each increment or fraction of one beyond the first"
        yield Term("range penalty", each * max(0, -(-away // increment) - 1), f"{away} feet at an increment of {increment}: {words}")


def out_of_range(path: Path, weapon: SrdWeapon, target: SrdTarget, increment: int | None) -> Iterator[Problem]:
    """Why the attack cannot be made."""
    furthest = weapon.maximum_range or (increment or 0) * (5 if weapon.kind == "thrown" else 10)
    if weapon.kind != "melee" and 0 < furthest < target.distance:
        how = f"{increment} feet an increment, {furthest} feet at most" if increment else f"{furthest} feet at most"
        yield Problem((*path, "range"), f"range must allow the distance to the target, {target.distance} feet; got {how}: out of range")


# -- the critical and the damage -------------------------------------------------------------------------------------------------------------------------


def widened(sheet: SrdSheet, weapon: SrdWeapon, rules: SrdRules, section: str, ledger: Ledger) -> CriticalRange:
    """The threat range doubled by a keen weapon or Improved Critical: once by both, or, when they stack, by each."""
    critical = weapon.critical
    names = [name for name, has in (("keen", weapon.keen), ("improved critical", sheet.has("improved critical", weapon))) if has]
    times = 1 + (len(names) if rules.keen_stacks else min(1, len(names)))
    if times == 1:
        return critical
    wide = CriticalRange(threat_from=max(1, NEVER - times * (NEVER - critical.threat_from)), multiplier=critical.multiplier)
    ledger.note(section, "threat range", wide, f"{critical} of the weapon; {' and '.join(names)}: {times} times as wide")
    return wide


def swing(line: SrdLine, rules: SrdRules, ledger: Ledger, more: tuple[Roll, ...] = ()) -> list[Attack]:
    """The attacks with one weapon, its numbers being final; ``more`` are rolls that join its damage without being multiplied."""
    section, critical = line.name or "attack", line.critical
    terms = [Term("the hit", 1, "one weapon roll"), *(Term(f"x{m}", m - 1, f"a multiplier of {m} adds {m - 1}") for m in line.multipliers)]
    hit_rolls = ledger.total(section, "weapon rolls of a hit", terms, signed=False)
    terms.append(Term(f"critical x{critical.multiplier}", critical.multiplier - 1, f"a multiplier of {critical.multiplier} adds {critical.multiplier - 1}"))
    critical_rolls = ledger.total(section, "weapon rolls of a critical", terms, "multipliers add, they do not multiply each other", signed=False)
    confirmed = "a critical roll must hit too" if rules.confirmation == "roll" else "no critical roll is made (switch confirmation)"
    ledger.note(section, "critical", critical, f"a hit in this range threatens; {confirmed}")
    if line.confirm_bonus:
        ledger.note(section, "bonus of the critical roll", f"{line.confirm_bonus:+d}", "added to the bonus of the attack")
    explain_extra(line, ledger, "added after multiplication, rolled once; precision damage joins the weapon's, anything else stands apart")
    thirty = rules.natural_20 == "30"
    check = Check(
        auto_miss_to=0 if thirty else 1,
        auto_hit_from=21 if thirty else 20,
        add_on_1=-11 if thirty else 0,
        add_on_20=10 if thirty else 0,
        threat_from=critical.threat_from,
        critical=plan.Critical.CONFIRM if rules.confirmation == "roll" else plan.Critical.NATURAL,
        confirm_bonus=line.confirm_bonus,
    )
    apart = [part(entry) for entry in line.extra if not _joins(entry, line.damage)]
    hit = blow([weapon_part(line, hit_rolls, rules, more), *apart])
    crit = blow([weapon_part(line, critical_rolls, rules, more), *apart, *map(part, line.critical_extra)])
    return [Attack(label=section, bonus=bonus, check=check, on=((), (), hit, crit)) for bonus in line.attack]


def weapon_part(line: SrdLine, times: int, rules: SrdRules, more: Iterable[Roll] = (), *, precision: bool = True) -> Part:
    """The weapon's damage rolled ``times`` times with what joins it, at least 1 as a whole or each roll of it."""
    joined = [roll(entry) for entry in line.extra if precision and _joins(entry, line.damage)]
    weapon = roll(line.damage, times=times, each=1 if rules.minimum == "roll" else None)
    return Part(type=line.damage.type, rolls=(weapon, *more, *joined), minimum=1 if rules.minimum == "hit" else 0)


def _joins(entry: Damage, weapon: Damage) -> bool:
    return entry.precision and entry.type in ("physical", weapon.type)


# -- the target ------------------------------------------------------------------------------------------------------------------------------------------


def faced(target: SrdTarget, rules: SrdRules, ledger: Ledger) -> plan.Target:
    """The target, its armor class derived or as given, with fortification."""
    terms = list(named(target.other, "counts against every attack"))
    if target.cover:
        terms.append(Term("cover", 4, "+4 to AC behind cover"))
    ac = armor_class(target, ledger, penalty_kept=True, dodge_kept=True, more=terms)
    natural = "natural 20 and 1 are automatic, on the critical roll too"
    if rules.natural_20 == "30":
        natural = "a natural 20 counts as 30, a natural 1 as -10, on the critical roll too (switch natural_20)"
    ledger.note("target", "an attack hits with", "AC or more", natural)
    if target.fortification:
        ledger.note("target", "fortification", f"{target.fortification} %", "rolled once an attack: no critical and no precision damage")
    return facing(target, (ac,), ledger).but(negate=(target.fortification, 100))


def met(sheet: SrdSheet, target: SrdTarget, meets: plan.Target, ledger: Ledger) -> plan.Target:
    """The target with the miss chance rolled again by Blind-Fight, which is for melee alone.

    Raises
    ------
    ProblemError
        When melee and other weapons attack in one round: a plan has one number of miss rolls.
    """
    kinds = {weapon.kind == "melee" for _, weapon in sheet.arms}
    if "blind-fight" not in sheet.feats or not target.miss_chance or not kinds:
        return meets
    if len(kinds) == 2:
        when = "when melee and other weapons attack in one round against a miss chance (it is for melee alone)"
        raise_any([Problem(("feats",), f"feats must be without 'blind-fight' {when}; got 'blind-fight'")])
    if True not in kinds:
        ledger.note("target", "blind-fight", "no effect", "it is for melee alone")
        return meets
    ledger.note("target", "blind-fight", "rolled twice", "a melee attack misses by concealment only when both rolls say so")
    return meets.but(miss_rolls=2)
