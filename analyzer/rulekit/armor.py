"""Armor class from its parts, with what stacks, what touch attacks pass and what a flat-footed defender loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from analyzer.rulekit.abilities import Modifier, Score, modifier
from analyzer.rulekit.combatant import SIZE_MODIFIERS, Size
from analyzer.rulekit.fields import Bonus, Count, Items, Short
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.models import Model, TargetKeys, left_out
from analyzer.rulekit.problems import Problem


class Piece(Model):
    """A shield or natural armor: its bonus and the enhancement of it."""

    bonus: Count = Field(description="its own bonus to AC")
    enhancement: Bonus = Field(default=0, description="its enhancement bonus")

    @property
    def total(self) -> int:
        """What it adds to AC."""
        return self.bonus + self.enhancement


class Armor(Piece):
    """A suit of armor."""

    max_dexterity: Count | None = Field(default=None, description="the highest Dexterity bonus it allows")


class ArmoredTarget(TargetKeys):
    """A target whose AC is a number, or is derived from its parts."""

    ac: Bonus | None = Field(default=None, description="the armor class, as a number instead of its parts")
    armor: Annotated[tuple[Armor, ...], Items(alone=True)] = Field(default=(), description="armor worn; of several the best counts")
    shield: Annotated[tuple[Piece, ...], Items(alone=True)] = Field(default=(), description="shields held; of several the best counts")
    dexterity: Score | None = Field(default=None, description="Dexterity score")
    dexterity_modifier: Modifier | None = Field(default=None, description="Dexterity modifier instead of the score")
    size: Size = Field(default="medium", description="body size")
    deflection: Annotated[tuple[Count, ...], Items(alone=True)] = Field(default=(), description="deflection bonuses; of several the best counts")
    natural: Annotated[tuple[Annotated[Piece, Short("bonus", "integer")], ...], Items(alone=True)] = Field(
        default=(), description="natural armor; of several the best counts"
    )
    dodge: Annotated[tuple[Count, ...], Items(alone=True)] = Field(default=(), description="dodge bonuses; they add up")
    touch: bool = Field(default=False, description="the attacks are touch attacks")
    flat_footed: bool = Field(default=False, description="the target is unaware or cannot protect itself")
    uncanny_dodge: bool = Field(default=False, description="keeps the Dexterity modifier when flat-footed")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """A number or parts, a score or a modifier."""
        yield from super().presence(keys)
        if "ac" in keys:
            parts = (k for k in ArmoredTarget.model_fields if k in keys and k not in TargetKeys.model_fields and k != "ac")
            yield from (left_out(k, "when ac is a number", "both") for k in parts)
        elif {"dexterity", "dexterity_modifier"} <= keys:
            yield left_out("dexterity_modifier", "when the dexterity score is given", "both")


def armor_class(target: ArmoredTarget, ledger: Ledger, *, penalty_kept: bool, dodge_kept: bool = False, more: Sequence[Term] = ()) -> int:
    """The armor class against this attack, each part with its rule.

    Parameters
    ----------
    target
        The parts, or the number.
    ledger
        Where the explanation goes.
    penalty_kept
        Whether a flat-footed target keeps a *negative* Dexterity modifier.
    dodge_kept
        Whether a flat-footed target whose uncanny dodge keeps Dexterity keeps dodge bonuses with it.
    more
        What a game adds in every case.
    """
    if target.ac is not None:
        return ledger.total("target", "AC", [Term("given", target.ac, "armor class as a number"), *more], signed=False)
    terms = [Term("base", 10, "every AC starts at 10"), *_parts(target, penalty_kept, dodge_kept), *more]
    derived = more or (target.model_fields_set & set(ArmoredTarget.model_fields)) - set(TargetKeys.model_fields)
    return ledger.total("target", "AC", terms, "sum of the lines above" if derived else "no AC is given: the base alone", signed=False)


def _parts(target: ArmoredTarget, penalty_kept: bool, dodge_kept: bool) -> Iterator[Term]:
    worn: tuple[tuple[str, tuple[Piece, ...]], ...] = (("armor", target.armor), ("shield", target.shield), ("natural armor", target.natural))
    for name, pieces in worn:
        if pieces:
            best = max(pieces, key=lambda piece: piece.total)
            if target.touch:
                yield Term(f"{name} ({best.total:+d} passed by)", 0, "a touch attack passes armor, shield and natural armor with their enhancements")
            else:
                yield Term(name, best.bonus, f"{name} does not stack with itself: the best counts")
                yield Term(f"{name} enhancement", best.enhancement, f"enhancement of that {name}")
    yield _dexterity(target, penalty_kept)
    yield Term(f"size ({target.size})", SIZE_MODIFIERS[target.size], "smaller things are harder to hit")
    yield Term("deflection", max(target.deflection, default=0), "deflection does not stack with itself: the best counts")
    lost = target.flat_footed and not (dodge_kept and target.uncanny_dodge)
    yield Term("dodge", 0 if lost else sum(target.dodge), "dodge bonuses stack; a flat-footed defender has none")


def _dexterity(target: ArmoredTarget, penalty_kept: bool) -> Term:
    value = modifier(target.dexterity) if target.dexterity is not None else target.dexterity_modifier or 0
    limits = [a.max_dexterity for a in target.armor if a.max_dexterity is not None]
    if limits and value > min(limits):
        name, rule, value = f"Dexterity modifier ({value:+d})", "not more than the armor worn allows", min(limits)
    else:
        name, rule = "Dexterity modifier", "Dexterity counts towards AC"
    if target.flat_footed and not target.uncanny_dodge and not (penalty_kept and value < 0):
        return Term(name, 0, "flat-footed: the Dexterity modifier does not count")
    if target.flat_footed and value:
        rule = "flat-footed, kept by uncanny dodge" if target.uncanny_dodge else "flat-footed: a penalty stays"
    return Term(name, value, rule)
