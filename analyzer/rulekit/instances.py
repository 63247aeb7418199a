"""What a target takes of each damage type on its own: nothing when immune, else the highest weakness more and the highest resistance less."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from analyzer import plan
from analyzer.plan import Reduction
from analyzer.rulekit.damage_types import PHYSICAL
from analyzer.rulekit.fields import Count, DamageType, Items, ReductionTable
from analyzer.rulekit.ledger import Ledger
from analyzer.rulekit.models import TargetKeys
from analyzer.rulekit.problems import Path

#: Points by damage type, or by ``physical`` or ``all`` for every such type.
PointTable = dict[DamageType, Count]
#: The immunities that are no damage types.
GENERAL = ("critical", "precision")


class InstanceKeys(TargetKeys):
    """A target with weaknesses, resistances and immunities to damage types."""

    weakness: PointTable = Field(default_factory=dict, description="points added to the damage of a type when any of it is dealt")
    resistance: PointTable = Field(default_factory=dict, description="points off the damage of a type; 'physical' and 'all': off each such type")
    immune: Annotated[tuple[DamageType, ...], Items(alone=True)] = Field(  # type: ignore[assignment]  # damage types beside the two words of every game
        default=(), description="damage types; 'critical': a critical's damage is not doubled; 'precision': precision damage is not rolled"
    )

    def general(self) -> TargetKeys:
        """The target with the one immunity a plan's target has too: to be immune to criticals here only takes their doubling away."""
        return self.model_copy(update={"immune": tuple(kind for kind in self.immune if kind == "precision")})

    def tables(self) -> tuple[tuple[Path, ReductionTable], ...]:
        """Every table or list of damage types, with its key path."""
        immune: ReductionTable = dict.fromkeys((kind for kind in self.immune if kind not in GENERAL), "immune")
        return (("reduction",), self.reduction), (("weakness",), {**self.weakness}), (("resistance",), {**self.resistance}), (("immune",), immune)


def suffered(target: InstanceKeys, faced: plan.Target, types: Iterable[str], ledger: Ledger) -> plan.Target:
    """The target with a reduction of its own for each of the types that are dealt, before those every game has."""
    own = []
    for kind in sorted(types):
        immune = any(_applies(name, kind) for name in target.immune)
        weak, resisted = (0, 0) if immune else (_highest(target.weakness, kind), _highest(target.resistance, kind))
        if immune:
            ledger.note("target", f"immune to {kind}", "all of it", "immunity comes before weakness and resistance")
        if weak:
            ledger.note("target", f"weakness to {kind}", f"{weak:+d}", "added once when any of it is dealt, before resistance; the highest that applies counts")
        if resisted:
            ledger.note("target", f"resistance to {kind}", f"{-resisted:+d}", "off what an attack deals of it, never below 0; the highest that applies counts")
        if immune or weak or resisted:
            own.append(Reduction(types=frozenset({kind}), keep=(0, 1) if immune else (1, 1), add=weak, subtract=resisted))
    return faced.but(reductions=((*own, *faced.reductions[0]),))


def _highest(table: PointTable, kind: str) -> int:
    return max((points for name, points in table.items() if _applies(name, kind)), default=0)


def _applies(name: str, kind: str) -> bool:
    return name in (kind, "all") or (name == "physical" and kind in PHYSICAL)
