"""The core rules of text 001: meet or beat AC = 10 + AV, natural 20 is a critical, an attack penalty that grows within a turn, shields, taking the hit.

Switches, each with the clause it rests on (default first):

``ties = "hit" | "miss"``
    An attack roll *equal to* or greater than AC hits. ``miss``: it must be greater.
``ap_reset = "every turn" | "own turn"``
    Multiple attacks: the penalty goes back to 0 at the end of each turn, not just one's own, so a reaction in another's turn starts without. ``own turn``:
    reactions go on with the penalty the creature's own turn has left.

Attack penalty: an attack is made with the penalty the attacks before it in the turn have left, and then adds the AP of what it was made with (-3 where none is
stated). *One point milder* means AP + 1. Off-hand attack only allows a further attack; it changes no number.

Taking the hit: a creature that is up may let an attack hit that would miss, a natural 1 too; criticals stay as rolled.

Equipment: a creature has two arms. Buckler: its arm holds and uses any item. Large shield: its arm holds any item, only small ones attack or block. Tower
shield: its arm holds only small items, which neither attack nor block. A two-handed item is held in both arms and must satisfy both. Body parts and missiles
need no arm. A shield itself always blocks.

In a statblock the numbers are final. ``attacks`` and ``ap`` make a list of one weapon's bonuses; with several weapons the penalty would run on from one to
the next, so a statblock with ``weapons`` gives each attack's final bonus, and a sheet works it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from analyzer import plan
from analyzer.dice import Damage, DiceSum
from analyzer.plan import Attack, Check, Packets, Plan, Turn
from analyzer.rulekit.arms import Arm, Held, forbidden, held
from analyzer.rulekit.fields import Between, Bonus, Bonuses, DamageList, Damages, Items, Name, Penalty, Short, Takes, WeaponDamage
from analyzer.rulekit.hand import Changes, Hand
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.lowering import blow, facing, part, turn
from analyzer.rulekit.models import Model, StatblockKeys, TargetKeys, WeaponLine, left_out, raise_any
from analyzer.rulekit.problems import Path, Problem, dotted, shown, suggestion
from analyzer.rulekit.redicing import multiple, rediced
from analyzer.rulekit.system import System, stronger

DEFAULT_AP = -3
#: The tables of a sheet that hold what attacks.
_KINDS = ("weapons", "body_parts", "missiles")
_ON_CRITICAL = "the whole damage of a critical, instead of the ordinary damage"
_CRITICAL_ADDS = "damage a critical adds to the ordinary damage"


class CoreRules(Model):
    """The switches of the core text."""

    ties: Literal["hit", "miss"] = Field(default="hit", description="whether a total equal to AC hits; the text: equal or greater hits")
    ap_reset: Literal["every turn", "own turn"] = Field(default="every turn", description="when the attack penalty goes back to 0")


class CoreTarget(TargetKeys):
    """A target: its armor class or armor value, and whether it takes hits."""

    ac: Bonus | None = Field(default=None, description="armor class")
    av: Bonus | None = Field(default=None, description="armor value; AC = 10 + AV")
    up: bool = Field(default=True, description="the target is up")
    takes_hit: Takes = Field(default="none", description="attacks the target lets hit: 'none', 'all', or their numbers in the round, from 1")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """AC or AV."""
        yield from super().presence(keys)
        if {"ac", "av"} <= keys:
            yield left_out("av", "when ac is given", "both")

    @model_validator(mode="after")
    def _can_take(self) -> Self:
        if not self.up and self.takes_hit not in ("none", ()):
            why = "only a creature that is up can take the hit"
            raise_any([Problem(("takes_hit",), f"takes_hit must be 'none' when the target is not up ({why}); got {shown(self.takes_hit)}")])
        return self

    def takes(self, number: int) -> bool:
        """Whether the target lets attack ``number`` of the round hit."""
        return self.takes_hit == "all" or (self.takes_hit != "none" and number in self.takes_hit)


class CriticalKeys(Model):
    """What a critical does; with neither key it changes nothing."""

    on_critical: Damages | None = Field(default=None, description=_ON_CRITICAL)
    critical_adds: Damages | None = Field(default=None, description=_CRITICAL_ADDS)

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One way to say what a critical does."""
        yield from super().presence(keys)
        if {"on_critical", "critical_adds"} <= keys:
            yield left_out("critical_adds", "when on_critical is given (it is the whole effect of a critical)", "both")


class CoreWeaponLine(WeaponLine, CriticalKeys):
    """One weapon of a statblock, its bonuses final."""


class CoreStatblock(StatblockKeys, CriticalKeys):
    """Final numbers, or one bonus with the number of attacks and their attack penalty."""

    attacks: Annotated[int, Between(0, 64)] | None = Field(default=None, description="number of attacks with one bonus; default 1")
    ap: Penalty | None = Field(default=None, description="attack penalty each attack adds for those after it; default -3")
    weapons: Annotated[tuple[CoreWeaponLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)

    def milder(self, points: int) -> dict[str, Any]:
        """The attack penalty of a statblock that counts its attacks."""
        if self.attack is None or len(self.attack) != 1:
            return {}
        ap = DEFAULT_AP if self.ap is None else self.ap
        return {"ap": min(ap + points, 0)} if ap < 0 else {}

    @model_validator(mode="after")
    def _one_list(self) -> Self:
        if self.attack is not None and len(self.attack) != 1:
            raise_any(left_out(k, "when attack lists the bonus of each attack", "both") for k in ("attacks", "ap") if getattr(self, k) is not None)
        return self


class Equipment(CriticalKeys):
    """What an attack is made with: a body part or a missile, or in an arm a weapon."""

    on_hit: WeaponDamage = Field(description="damage of a hit, such as '1d8 slashing'")
    ap: Penalty = Field(default=DEFAULT_AP, description="attack penalty an attack with it adds for those after it")
    proficient: bool = Field(default=True, description="the creature is proficient with it")


class CoreWeapon(Equipment, Held):
    """A weapon or other item that arms hold."""


class Use(Model):
    """An attack of a turn."""

    use: Name = Field(description="the weapon, body part or missile")
    off_hand: bool = Field(default=False, description="made by Off-Hand Attack")


TurnList = Annotated[tuple[Annotated[Use, Short("use", "string")], ...], Items()]


class CoreSheet(Model):
    """A creature: what it has, what its arms hold, and the attacks of its turn."""

    name: Name | None = Field(default=None, description="the name shown")
    proficiency_bonus: Bonus = Field(description="added to attacks one is proficient with, an integer such as 3")
    weapons: dict[Name, CoreWeapon] = Field(default_factory=dict, description="weapons and other items that arms hold, by name")
    body_parts: dict[Name, Equipment] = Field(default_factory=dict, description="body parts that attack, by name")
    missiles: dict[Name, Equipment] = Field(default_factory=dict, description="missiles, by name")
    arms: dict[Name, Arm] = Field(default_factory=dict, description="at most two arms, by name")
    turn: TurnList = Field(default=(), description="the attacks of the own turn in order")
    reactions: Annotated[tuple[TurnList, ...], Items()] = Field(default=(), description="for each reaction: the attacks made in one other creature's turn")
    attack_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every attack")
    extra: DamageList = Field(default=(), description="damage added to every hit and critical")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        raise_any([*_names(self), *held(self.arms, self.weapons), *_attacks_allowed(self)])
        return self

    def another(self) -> dict[str, Any]:
        """The last attack of the own turn once more, with the penalty the turn has left by then."""
        return {"turn": (*self.turn, self.turn[-1])} if self.turn else {}

    def milder(self, points: int) -> dict[str, Any]:
        """The attack penalty of everything an attack can be made with."""
        held = {kind: getattr(self, kind) for kind in ("weapons", "body_parts", "missiles")}
        return {
            kind: {name: item.but(ap=min(item.ap + points, 0)) for name, item in items.items()}
            for kind, items in held.items()
            if any(item.ap < 0 for item in items.values())
        }

    def equipment(self) -> dict[str, Equipment]:
        """Everything an attack can be made with, by name."""
        return {**self.weapons, **self.body_parts, **self.missiles}

    def turns(self) -> Iterator[tuple[Path, tuple[Use, ...]]]:
        """The own turn, then each reaction, with their key paths."""
        yield ("turn",), self.turn
        yield from ((("reactions", i), uses) for i, uses in enumerate(self.reactions))


def _names(sheet: CoreSheet) -> Iterator[Problem]:
    """Names that mean two things, and more arms than two."""
    seen: dict[str, str] = {}
    for kind in _KINDS:
        for name in getattr(sheet, kind):
            if name in seen:
                yield Problem((kind, name), f"{name} must be the name of one thing; got it in {seen[name]} too")
            seen[name] = kind
    if len(sheet.arms) > 2:
        yield Problem(("arms",), f"arms must be at most two; got {len(sheet.arms)}: {', '.join(sheet.arms)}")


def _attacks_allowed(sheet: CoreSheet) -> Iterator[Problem]:
    """Attacks with what is not there, not held, or in an arm whose shield forbids it."""
    known = sheet.equipment()
    for path, uses in sheet.turns():
        for i, entry in enumerate(uses):
            here = (*path, i)
            if entry.use not in known:
                yield Problem(here, f"{dotted(here)} must name a weapon, body part or missile of this build; got {entry.use!r}; {suggestion(entry.use, known)}")
            elif entry.use in sheet.weapons:
                why = forbidden(sheet.arms, sheet.weapons, entry.use)
                if why:
                    yield Problem(here, f"{dotted(here)} must name equipment that can attack; got {entry.use!r}: {why}")


class Core(System[CoreRules, CoreTarget, CoreStatblock, CoreSheet]):
    """The core rules."""

    id = "core"
    name = "Core"
    summary = "meet or beat AC, natural 20 is a critical, cumulative attack penalty (AP) within a turn, taking the hit, shields"
    Rules = CoreRules
    Target = CoreTarget
    Statblock = CoreStatblock
    Sheet = CoreSheet

    def from_statblock(self, build: CoreStatblock, rules: CoreRules, target: CoreTarget, ledger: Ledger) -> Plan:
        """The plan of a statblock: one turn."""
        attacks: list[Attack] = []
        for line in build.lines(CoreWeaponLine):
            section = line.name or "attack"
            packets = _damage(section, line.damage, line, (*line.extra, *build.extra), ledger)
            for i, terms in enumerate(_final(line.attack, build), 1):
                bonus = ledger.total(section, f"attack {i}", terms)
                attacks.append(_attack(section, bonus, _check(len(attacks) + 1, rules, target), packets))
        return Plan(turns=(turn(attacks),))

    def from_sheet(self, build: CoreSheet, rules: CoreRules, target: CoreTarget, ledger: Ledger) -> Plan:
        """The plan of a sheet: the own turn, then a turn for each reaction."""
        used = dict.fromkeys(entry.use for _, uses in build.turns() for entry in uses)
        known = build.equipment()
        damage = {name: _damage(name, known[name].on_hit, known[name], build.extra, ledger) for name in used}
        turns: list[Turn] = []
        number = penalty = 0
        for path, uses in build.turns():
            if path == ("turn",) or rules.ap_reset == "every turn":
                penalty = 0
            attacks = []
            for entry in uses:
                number += 1
                item = known[entry.use]
                section = f"attack {number}: {entry.use}{' (off-hand attack)' if entry.off_hand else ''}{'' if path == ('turn',) else ' (reaction)'}"
                bonus = ledger.total(section, "attack bonus", _terms(build, item, penalty))
                attacks.append(_attack(entry.use, bonus, _check(number, rules, target), damage[entry.use]))
                penalty += item.ap
                ledger.note(section, "attack penalty left", f"{penalty:+d}", f"AP {item.ap:+d} of {entry.use} is added to attacks after it in the turn")
            turns.append(turn(attacks))
        _explain_blocking(build, ledger)
        return Plan(turns=tuple(turns))

    def facing(self, rules: CoreRules, target: CoreTarget, ledger: Ledger) -> plan.Target:
        """The target, its AC as given or 10 + AV."""
        if target.ac is not None:
            terms = [Term("given", target.ac, "armor class as a number")]
        elif target.av is not None:
            terms = [Term("base", 10, "AC = 10 + AV"), Term("armor value", target.av, "AC = 10 + AV")]
        else:
            terms = [Term("base", 10, "no AC or AV is given: AC = 10 + AV, AV 0")]
        ac = ledger.total("target", "AC", terms, signed=False)
        needed = "AC or more" if rules.ties == "hit" else "more than AC"
        ledger.note("target", "an attack hits with", needed, "a natural 20 always hits and is a critical, a natural 1 always misses")
        if target.takes_hit not in ("none", ()):
            which = "every attack" if target.takes_hit == "all" else f"attack {', '.join(map(str, target.takes_hit))} of the round"
            ledger.note("target", "takes the hit of", which, "a creature that is up may let an attack hit; criticals stay as rolled")
        return facing(target, (ac,), ledger)

    def shifted(self, build: CoreStatblock | CoreSheet, attack: int, damage: int) -> dict[str, Any]:
        """The keys that change with a shift; damage shifts what a hit and what a critical deals in full."""
        if isinstance(build, CoreStatblock):
            return super().shifted(build, attack, damage)
        changes: dict[str, Any] = {}
        if attack:
            changes |= super().shifted(build, attack, 0)
        if damage:
            for kind in _KINDS:
                changes[kind] = {name: item.but(**_stronger(item, "on_hit", damage)) for name, item in getattr(build, kind).items()}
        return changes

    def shifted_line(self, line: Any, attack: int, damage: int) -> dict[str, Any]:  # noqa: ANN401 - a statblock or one of its weapons
        """The keys of a statblock or of one weapon of it that change with a shift."""
        return super().shifted_line(line, attack, damage) | (_stronger(line, "damage", damage) if damage and line.damage is not None else {})

    def hand(self, build: CoreStatblock | CoreSheet) -> Hand | None:
        """Everything that can attack, each with its AP; of a statblock its only weapon, unless it lists final bonuses."""
        if isinstance(build, CoreSheet):
            able = {name: item for name, item in build.equipment().items() if name not in build.weapons or not forbidden(build.arms, build.weapons, name)}
            return Hand(
                names=tuple(able),
                turn=tuple(entry.use for entry in build.turn),
                taking=lambda names, alone: {"turn": tuple(names)} | ({"reactions": ()} if alone else {}),
                ap={name: item.ap for name, item in able.items()},
                with_ap=lambda name, ap: _replaced(build, name, ap=ap),
            )
        if build.attack is None or len(build.attack) != 1:
            return None
        name = build.name or "attack"
        return Hand(
            names=(name,),
            turn=(name,) * (1 if build.attacks is None else build.attacks),
            taking=lambda names, _: {"attacks": len(names)},
            ap={name: DEFAULT_AP if build.ap is None else build.ap},
            with_ap=lambda _, ap: {"ap": ap},
        )

    def diced(self, build: CoreStatblock | CoreSheet, weapon: str | None, dice: DiceSum) -> Changes:
        """Other dice of a weapon; a critical that deals a multiple of the weapon's dice deals that multiple of the new ones."""
        if isinstance(build, CoreSheet) and weapon is not None:
            return _replaced(build, weapon, **_rediced(build.equipment()[weapon], "on_hit", dice))
        changes = super().diced(build, weapon, dice)
        return changes | _rediced(build, "damage", dice)


def _replaced(build: CoreSheet, name: str, **changes: object) -> Changes:
    """The table of a sheet in which something has other keys."""
    kind = next(kind for kind in _KINDS if name in getattr(build, kind))
    items = getattr(build, kind)
    return {kind: items | {name: items[name].but(**changes)}}


def _rediced(item: Any, key: str, dice: DiceSum) -> dict[str, Damage]:  # noqa: ANN401 - a statblock or equipment
    """The damage of a hit and of a critical with other dice."""
    hit: Damage = getattr(item, key)
    changes = {key: rediced(hit, dice)}
    for name in ("on_critical", "critical_adds"):
        critical: Damage | None = getattr(item, name)
        if critical is not None:
            times = multiple(critical, hit)
            if times is None:
                raise_any([Problem((name,), f"{name} must be a multiple of the dice of a hit, {hit}, for these to vary; got {critical}")])
            else:
                changes[name] = rediced(critical, dice, times)
    return changes


def _stronger(item: Any, key: str, damage: int) -> dict[str, Damage]:  # noqa: ANN401 - a weapon line or equipment
    """The damage of a hit and the whole damage of a critical, with more points."""
    return {k: stronger(getattr(item, k), damage) for k in (key, "on_critical") if getattr(item, k) is not None}


def _final(attack: tuple[int, ...], build: CoreStatblock) -> Iterator[list[Term]]:
    """The terms of each attack of a statblock's weapon."""
    if len(attack) != 1 or build.weapons is not None:
        yield from ([Term("given", bonus, "final bonus of the statblock")] for bonus in attack)
        return
    ap = DEFAULT_AP if build.ap is None else build.ap
    for i in range(1 if build.attacks is None else build.attacks):
        yield [Term("given", attack[0], "bonus of the first attack"), Term("attack penalty", i * ap, f"{i} attack(s) before it in the turn added AP {ap:+d}")]


def _terms(build: CoreSheet, item: Equipment, penalty: int) -> list[Term]:
    if item.proficient:
        proficiency = Term("proficiency bonus", build.proficiency_bonus, "added when proficient with what is used")
    else:
        proficiency = Term("proficiency bonus (not proficient)", 0, "added only when proficient with what is used")
    return [
        proficiency,
        *named(build.attack_bonuses, "named bonus"),
        Term("attack penalty", penalty, "AP of the attacks before it in the same turn"),
    ]


def _damage(section: str, hit: Damage, keys: CriticalKeys, extra: Iterable[Damage], ledger: Ledger) -> tuple[Packets, Packets]:
    """The packets of a hit and of a critical, explained."""
    extra = tuple(extra)
    ledger.note(section, "damage of a hit", hit, "the ability's On hit")
    if keys.on_critical is not None:
        critical: tuple[Damage, ...] = (keys.on_critical,)
        ledger.note(section, "damage of a critical", keys.on_critical, "On critical hit: natural 20; the whole effect")
    elif keys.critical_adds is not None:
        critical = (hit, keys.critical_adds)
        ledger.note(section, "damage of a critical", f"{hit} and {keys.critical_adds}", "On critical hit: natural 20; added to On hit")
    else:
        critical = (hit,)
        ledger.note(section, "damage of a critical", hit, "no On critical hit is stated: a critical changes nothing")
    for entry in extra:
        ledger.note(section, "extra damage", entry, "added to hits and criticals")
    return blow(map(part, (hit, *extra))), blow(map(part, (*critical, *extra)))


def _attack(label: str, bonus: int, check: Check, packets: tuple[Packets, Packets]) -> Attack:
    return Attack(label=label, bonus=bonus, check=check, on=((), (), *packets))


def _check(number: int, rules: CoreRules, target: CoreTarget) -> Check:
    """The check of attack ``number`` of the round."""
    return Check(ties_hit=rules.ties == "hit", critical=plan.Critical.NATURAL, threat_from=20, take_hit=target.takes(number))


def _explain_blocking(build: CoreSheet, ledger: Ledger) -> None:
    """A line for everything that can block."""
    for name, arm in build.arms.items():
        if arm.shield is not None:
            ledger.note("blocking", f"shield ({arm.shield})", f"can block, in the arm {name}", "a shield always has the blocking property")
    for name, item in build.weapons.items():
        if item.blocks:
            why = forbidden(build.arms, build.weapons, name)
            ledger.note("blocking", name, "cannot block" if why else "can block", why or "it has the blocking property and its arm allows it")


SYSTEM = Core()
