"""Resistance that halves, vulnerability that doubles and immunity by damage type, after reductions in points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from analyzer.plan import Reduction
from analyzer.rulekit.damage_types import PHYSICAL
from analyzer.rulekit.fields import DamageType, Items
from analyzer.rulekit.ledger import Ledger
from analyzer.rulekit.lowering import reductions
from analyzer.rulekit.models import TargetKeys, raise_any
from analyzer.rulekit.problems import Problem, shown

Types = Annotated[tuple[DamageType, ...], Items(alone=True)]
#: What is kept of the damage as (n, d), how that is written, and the rule; in the order applied, reductions in points coming after immunity.
EFFECTS = {
    "immunity": ((0, 1), "x0", "nothing is taken of this type"),
    "resistance": ((1, 2), "x1/2", "halved, rounded down, after every reduction in points"),
    "vulnerability": ((2, 1), "x2", "doubled, after resistance"),
}


class ResistingTarget(TargetKeys):
    """A target with damage types it resists; ``physical`` stands for every type of weapon damage, each by itself.

    Points off all weapon damage together leave one sum, which only a resistance to all of it can halve.
    """

    resistance: Types = Field(default=(), description="damage types halved, rounded down, after reductions in points; 'physical': all weapon damage")
    vulnerability: Types = Field(default=(), description="damage types doubled, after resistance; 'physical': all weapon damage")
    immunity: Types = Field(default=(), description="damage types of which nothing is taken; 'physical': all weapon damage")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        raise_any([*_no_types(self), *_divided_sums(self)])
        return self

    def resisted(self, ledger: Ledger) -> tuple[Reduction, ...]:
        """Every reduction in the order it is applied, resistances explained."""
        for key, (_, written, rule) in EFFECTS.items():
            for name in getattr(self, key):
                ledger.note("target", f"{key}: {name}", written, rule)
        if "physical" in self.reduction:
            ledger.note("target", "weapon damage", "one sum", "points are taken off all of it together; what is left is halved or doubled together")
        wide = {name: points for name, points in self.reduction.items() if name in ("physical", "all")}
        single = {name: points for name, points in self.reduction.items() if name not in wide}
        together = PHYSICAL if "physical" in wide else frozenset()
        before: list[Reduction] = []
        after: list[Reduction] = []
        for key, (keep, _, _) in EFFECTS.items():
            types = _each(getattr(self, key))
            apart = types if key == "immunity" else types - together
            kept = [Reduction(types=frozenset({name}), keep=keep) for name in sorted(apart)]
            before += [*kept, *(reductions(single) if key == "immunity" else ())]
            after += [Reduction(types=together, keep=keep)] if types - apart else []
        return (*before, *reductions(wide), *after)


def _each(names: Iterable[str]) -> frozenset[str]:
    """The single types, with ``physical`` written out."""
    return frozenset().union(*(PHYSICAL if name == "physical" else {name} for name in names))


def _no_types(target: ResistingTarget) -> Iterator[Problem]:
    for key in EFFECTS:
        yield from (
            Problem((key, i), f"{key}[{i}] must be one damage type, or 'physical' for weapon damage; got 'all'")
            for i, name in enumerate(getattr(target, key))
            if name == "all"
        )


def _divided_sums(target: ResistingTarget) -> Iterator[Problem]:
    """Points taken off a sum of which only a part is then halved or doubled: nobody says whose points they were."""
    for key in ("resistance", "vulnerability"):
        names = getattr(target, key)
        types = _each(names)
        if types and "all" in target.reduction:
            yield Problem((key,), f"{key} must be left out when reduction.all takes points off all damage together; got {shown(names)}")
        elif "physical" in target.reduction and types & PHYSICAL and not types >= PHYSICAL:
            what = "all of 'physical' or none of it when reduction.physical takes points off its sum"
            yield Problem((key,), f"{key} must hold {what}; got {shown(names)}")
