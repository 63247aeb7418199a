"""Build files of the games that descend from the 3.5 rules: what their switches, targets, statblocks and sheets share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from analyzer.rulekit.armor import ArmoredTarget
from analyzer.rulekit.fields import Between, Bonus, Count, Feet, Items, OtherBonuses, Percent
from analyzer.rulekit.martial import MartialSheet, MartialWeapon
from analyzer.rulekit.models import Model, StatblockKeys, arsenal, left_out, raise_any
from analyzer.rulekit.problems import Path, Problem, shown
from analyzer.rulekit.swings import MULTIPLIERS, Multipliers, SwingLine, SwingStatblock

#: Feats both games know in the same words.
SharedFeat = Literal[
    "weapon focus", "greater weapon focus", "weapon specialization", "greater weapon specialization", "weapon finesse", "improved critical",
    "point blank shot", "far shot", "two-weapon fighting", "improved two-weapon fighting", "greater two-weapon fighting", "rapid shot", "blind-fight",
]  # fmt: skip
Range = Literal["full", "beyond"]
_CONFIRM = "bonus to the critical roll"


class SrdRules(Model):
    """The switches both games have."""

    minimum: Literal["hit", "roll"] = Field(default="hit", description="whether a hit as a whole deals at least 1, or each of its weapon rolls does")
    confirmation: Literal["roll", "auto"] = Field(default="roll", description="whether a threat needs a critical roll; 'auto', a house rule: it does not")
    natural_20: Literal["hit", "30"] = Field(
        default="hit", description="whether natural 20 and 1 are automatic; '30', a variant: they count as 30 and -10, and nothing is automatic"
    )
    range: Range = Field(default="full", description="whether the range penalty counts full increments, or those and fractions beyond the first")
    keen_stacks: bool = Field(default=False, description="whether keen and Improved Critical both widen the threat range")


class SrdTarget(ArmoredTarget):
    """A target: ``ac`` as a number, or the parts of its armor class; beside either, cover, fortification and distance."""

    other: OtherBonuses = Field(default_factory=dict, description="bonuses to AC that always count, such as { luck = 1, insight = 1 }; they add up")
    cover: bool = Field(default=False, description="has cover: +4 to AC, also to one given as a number")
    fortification: Percent = Field(default=0, description="percent of the criticals and of the precision damage that come to nothing")
    distance: Feet = Field(default=5, description="feet to the target, for what is thrown or shot")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """A number or parts."""
        yield from super().presence(keys)
        if {"ac", "other"} <= keys:
            yield left_out("other", "when ac is a number", "both")


class SrdLine(SwingLine):
    """One weapon with final numbers."""

    confirm_bonus: Bonus = Field(default=0, description=_CONFIRM)


class SrdStatblock(SwingStatblock):
    """Final numbers: attack bonuses, damage, critical."""

    confirm_bonus: Bonus = Field(default=0, description=_CONFIRM)
    weapons: Annotated[tuple[SrdLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)


class SrdWeapon(MartialWeapon):
    """A weapon of a sheet."""

    keen: bool = Field(default=False, description="its threat range is doubled")
    range: Annotated[int, Between(1, 100_000)] | None = Field(default=None, description="range increment in feet; not for melee")
    maximum_range: Annotated[int, Between(1, 1_000_000)] | None = Field(default=None, description="feet; default 10 range increments, 5 for thrown weapons")
    strength_limit: Count | None = Field(default=None, description="strength rating of a composite bow: the most Strength adds to its damage")
    bow: bool = Field(default=False, description="a bow that is not composite: a Strength penalty counts against its damage")

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        no = {"melee": ("range", "maximum_range", "strength_limit", "bow"), "thrown": ("strength_limit", "bow"), "ranged": ()}[self.kind]
        given = {k: getattr(self, k) for k in no}
        raise_any(left_out(k, f"with kind {self.kind!r}", shown(value)) for k, value in given.items() if value is not None and value is not False)
        if self.bow and self.strength_limit is not None:
            raise_any([left_out("strength_limit", "with bow = true (a bow that is not composite)", "both")])
        return self


class SrdSheet(MartialSheet):
    """A character the bonuses and damage are derived from."""

    multipliers: Multipliers = Field(default=(), description=MULTIPLIERS)
    extra_attacks: Annotated[tuple[Literal["haste", "rapid shot", "flurry"], ...], Items()] = Field(
        default=(), description="one more attack each, at the highest base attack bonus with the first weapon, right after its first attack"
    )
    weapon: SrdWeapon | None = Field(default=None, description=MartialSheet.model_fields["weapon"].description)
    weapons: Annotated[tuple[SrdWeapon, ...], Items()] | None = Field(default=None, description=MartialSheet.model_fields["weapons"].description)

    @property
    def arms(self) -> tuple[tuple[Path, SrdWeapon], ...]:
        """The weapons that attack in this round, in order, each with its key path."""
        return arsenal(self.weapon, self.weapons)

    def has(self, feat: str, weapon: SrdWeapon) -> bool:
        """Whether a feat about one weapon is about this one."""
        return feat in self.feats and weapon.focus is not False

    @model_validator(mode="after")
    def _extra_attacks(self) -> Self:
        found = [
            Problem(("extra_attacks", i), f"extra_attacks[{i}] must be listed once; got {name!r} again")
            for i, name in enumerate(self.extra_attacks)
            if name in self.extra_attacks[:i]
        ]
        if "rapid shot" in self.extra_attacks:
            if "rapid shot" not in self.feats:
                found.append(Problem(("feats",), "feats must have 'rapid shot' for the extra attack of that name; got none"))
            if self.arms and self.arms[0][1].kind == "melee":
                found.append(Problem(("extra_attacks",), "extra_attacks must be without 'rapid shot' when the first weapon is for melee; got 'rapid shot'"))
        raise_any(found)
        return self
