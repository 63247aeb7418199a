"""The fighter's sheet of the games that descend from the d20 rules: base attack, abilities, feats and weapons become bonuses and damage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from analyzer.dice import CriticalRange, DiceSum, format_attacks
from analyzer.rulekit.abilities import Ability, AbilityKeys
from analyzer.rulekit.combatant import SIZE_MODIFIERS, Size, iteratives
from analyzer.rulekit.fields import Attacks, Bonus, Bonuses, Critical, DamageList, Items, Name, Penalty, WeaponDamage
from analyzer.rulekit.ledger import Ledger, Term, named
from analyzer.rulekit.models import Model, Named, arsenal, exactly_one, must_be_given
from analyzer.rulekit.problems import Problem, ProblemError

#: Half the Strength modifier for the off hand, one and a half for two hands, as (n, d).
HANDS = {"main": (1, 1), "off": (1, 2), "two": (3, 2)}


class MartialWeapon(Named):
    """A weapon as it is used."""

    damage: WeaponDamage = Field(description="the weapon's own dice, such as '2d4 slashing'")
    critical: Critical = Field(default=CriticalRange(), description="threat range and multiplier, such as '18-20/x2'")
    kind: Literal["melee", "ranged", "thrown"] = Field(default="melee", description="how it attacks")
    light: bool = Field(default=False, description="a light weapon")
    finesse: bool = Field(default=False, description="weapon finesse applies although it is not light")
    hand: Literal["main", "off", "two"] = Field(default="main", description="the hand or hands that hold it")
    enhancement: Bonus = Field(default=0, description="enhancement bonus to attack and damage")
    proficient: bool = Field(default=True, description="the character is proficient with it")
    focus: bool | None = Field(default=None, description="the weapon focus feat is for this weapon; default: when the feat is listed")
    base_attacks: Attacks | None = Field(default=None, description="this weapon's own base attack bonuses")
    extra: DamageList = Field(default=(), description="damage added after the weapon's, never multiplied")
    critical_extra: DamageList = Field(default=(), description="damage added once on a critical, not multiplied")


class WornArmor(Model):
    """The attacker's armor, as far as it hinders attacks."""

    check_penalty: Penalty = Field(default=0, description="armor check penalty, 0 or negative")
    proficient: bool = Field(default=True, description="the character is proficient with it")


class MartialSheet(AbilityKeys):
    """A character; a game narrows ``weapon``, ``weapons`` and ``feats`` to its own."""

    name: Name | None = Field(default=None, description="the name shown")
    bab: Bonus | None = Field(default=None, description="base attack bonus, an integer such as 11")
    base_attacks: Attacks | None = Field(default=None, description="explicit base attack bonuses, such as '+11/+6/+1', instead of the ladder from bab")
    size: Size = Field(default="medium", description="body size")
    feats: Annotated[tuple[Any, ...], Items()] = Field(default=(), description="feats")
    armor: WornArmor = Field(default_factory=WornArmor, description="the attacker's armor: { check_penalty = -3, proficient = false }")
    attack_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every attack")
    damage_bonuses: Bonuses = Field(default_factory=dict, description="named bonuses to every weapon damage roll")
    extra: DamageList = Field(default=(), description="damage added after every weapon's, such as sneak attack")
    critical_extra: DamageList = Field(default=(), description="damage added once on every critical")
    weapon: Any = Field(default=None, description="the weapon, a table such as { damage = '1d8' }")
    weapons: Any = Field(default=None, description="several weapons: all attacks of the first, then of the second, ...")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """One way to give weapons."""
        yield from super().presence(keys)
        yield from exactly_one(cls, keys, "weapon", "weapons")

    @model_validator(mode="after")
    def _base_attack(self) -> Self:
        if self.bab is None and self.base_attacks is None and any(w.base_attacks is None for _, w in arsenal(self.weapon, self.weapons)):
            raise ProblemError([must_be_given(MartialSheet, "bab", "base_attacks")])
        return self

    def another(self) -> dict[str, Any]:
        """The first attack of the first weapon that is not in the off hand once more, right after itself."""
        held = arsenal(self.weapon, self.weapons)
        place = next((i for i, (_, weapon) in enumerate(held) if weapon.hand != "off"), 0)
        weapon = held[place][1]
        bases = tuple(base.value for base in self.ladder(weapon))
        changed = weapon.but(base_attacks=(*bases[:1], *bases))
        if self.weapon is not None:
            return {"weapon": changed}
        return {"weapons": (*self.weapons[:place], changed, *self.weapons[place + 1 :])}

    def ladder(self, weapon: Any) -> tuple[Term, ...]:  # noqa: ANN401 - a game's own weapon
        """The base attack bonus of each attack with a weapon of the main hand, extra attacks apart."""
        return base_attacks(self, weapon)


def attack_bonuses(
    sheet: MartialSheet,
    weapon: MartialWeapon,
    section: str,
    ledger: Ledger,
    *,
    bases: Sequence[Term] | None = None,
    more: Iterable[Term] = (),
    first: Iterable[Term] = (),
) -> tuple[int, ...]:
    """The attack bonus of each attack with a weapon, in order.

    Parameters
    ----------
    sheet, weapon, section, ledger
        Who attacks with what, and where the explanation goes.
    bases
        The base attack bonus of each attack; default: `base_attacks`.
    more
        What a game adds to every attack with the weapon.
    first
        What it adds to the first of them.
    """
    common = common_bonus(sheet, weapon, section, ledger, more=more)
    listed = base_attacks(sheet, weapon) if bases is None else bases
    return tuple(ledger.total(section, f"attack {i}", [base, common, *(first if i == 1 else ())]) for i, base in enumerate(listed, 1))


def common_bonus(sheet: MartialSheet, weapon: MartialWeapon, section: str, ledger: Ledger, *, more: Iterable[Term] = ()) -> Term:
    """What every attack with a weapon adds to its base attack bonus: ability, size, weapon, proficiency, named bonuses and what ``more`` a game adds."""
    return Term("bonus of every attack", ledger.total(section, "bonus of every attack", [*_attack_terms(sheet, weapon), *more]), "from above")


def damage_dice(sheet: MartialSheet, weapon: MartialWeapon, section: str, ledger: Ledger, *, penalty_full: bool = True, more: Iterable[Term] = ()) -> DiceSum:
    """One weapon damage roll: the dice with Strength, enhancement, named bonuses and what ``more`` a game adds."""
    terms = [
        *_strength_terms(sheet, weapon, penalty_full),
        Term("enhancement", weapon.enhancement, "enhancement bonus of the weapon"),
        *more,
        *named(sheet.damage_bonuses, "named bonus, part of the weapon roll"),
    ]
    return ledger.damage(section, "damage", weapon.damage.sum, terms, f"{weapon.damage.sum} of the weapon with the modifiers above")


def base_attacks(sheet: MartialSheet, weapon: MartialWeapon) -> tuple[Term, ...]:
    """The base attack bonus of each attack with a weapon: its own list, the sheet's, or the ladder."""
    if weapon.base_attacks is not None:
        listed, source = weapon.base_attacks, f"the weapon's own list {format_attacks(weapon.base_attacks)}"
    elif sheet.base_attacks is not None:
        listed, source = sheet.base_attacks, f"the sheet's list {format_attacks(sheet.base_attacks)}"
    else:
        bab = sheet.bab or 0
        listed, source = iteratives(bab), f"from base attack bonus {bab:+d}: each later attack 5 lower while at +1 or better, at most four"
    return tuple(Term("base attack bonus", base, source) for base in listed)


def off_hand_attacks(sheet: MartialSheet) -> tuple[Term, ...]:
    """The base attack bonus of each attack with a weapon in the off hand that has no list of its own."""
    whole = base_attack(sheet)
    attacks = [Term("base attack bonus", whole, "one attack at the whole base attack bonus with the off hand")]
    for feat, lower in (("improved two-weapon fighting", 5), ("greater two-weapon fighting", 10)):
        if feat in sheet.feats:
            attacks.append(Term("base attack bonus", whole - lower, f"{feat}: one more attack, {lower} lower"))
    return tuple(attacks)


def base_attack(sheet: MartialSheet) -> int:
    """The whole base attack bonus; without one, the highest of the sheet's list."""
    return sheet.bab if sheet.bab is not None else max(sheet.base_attacks or (), default=0)


def _attack_terms(sheet: MartialSheet, weapon: MartialWeapon) -> Iterator[Term]:
    strength = sheet.ability(Ability.STRENGTH, "melee attacks add Strength")
    if weapon.kind != "melee":
        yield sheet.ability(Ability.DEXTERITY, f"{weapon.kind} attacks add Dexterity")
    elif "weapon finesse" in sheet.feats and (weapon.light or weapon.finesse):
        dexterity = sheet.ability(Ability.DEXTERITY, "weapon finesse with a light or fitting weapon, and Dexterity is higher than Strength")
        yield dexterity if dexterity.value > strength.value else strength
    else:
        yield strength
    yield Term(f"size ({sheet.size})", SIZE_MODIFIERS[sheet.size], "size modifier")
    if weapon.focus if weapon.focus is not None else "weapon focus" in sheet.feats:
        yield Term("weapon focus", 1, "+1 with a weapon one has the feat for")
    yield Term("enhancement", weapon.enhancement, "enhancement bonus of the weapon")
    if not weapon.proficient:
        yield Term("not proficient", -4, "-4 with a weapon one is not proficient in")
    if not sheet.armor.proficient:
        yield Term("armor check penalty", sheet.armor.check_penalty, "deducted when wearing armor one is not proficient in")
    yield from named(sheet.attack_bonuses, "named bonus")


def _strength_terms(sheet: MartialSheet, weapon: MartialWeapon, penalty_full: bool) -> Iterator[Term]:
    if weapon.kind == "ranged":
        return
    whole = sheet.ability(Ability.STRENGTH, "melee and thrown weapons add Strength")
    hand = "main" if weapon.hand == "two" and weapon.light else weapon.hand
    if hand == "main":
        yield whole
    elif whole.value < 0 and penalty_full:
        yield Term(whole.name, whole.value, "a Strength penalty applies once in full, whatever the hand")
    else:
        n, d = HANDS[hand]
        words = "off-hand weapons add half of Strength" if hand == "off" else "two-handed weapons, unless light, add one and a half times Strength"
        yield Term(f"{whole.name} ({whole.value:+d} x {n}/{d})", whole.value * n // d, f"{words}, rounded down")
