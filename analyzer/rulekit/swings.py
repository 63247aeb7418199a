"""The statblock of the games whose criticals multiply: threat range, multipliers and extra damage, up to the final numbers of a weapon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field

from analyzer.dice import CriticalRange
from analyzer.rulekit.fields import Critical, DamageList, Items, Multiplier
from analyzer.rulekit.ledger import Ledger, Term
from analyzer.rulekit.models import Model, StatblockKeys, WeaponLine

Multipliers = Annotated[tuple[Multiplier, ...], Items()]
MULTIPLIERS = "extra multipliers of every hit, such as [3] for a x3 charge; they are summed with the critical's"


class CriticalKeys(Model):
    """What a weapon does beyond an ordinary hit."""

    critical: Critical = Field(default=CriticalRange(), description="threat range and multiplier, such as '17-20/x2'")
    critical_extra: DamageList = Field(default=(), description="damage added once on a critical, not multiplied")
    multipliers: Multipliers = Field(default=(), description=MULTIPLIERS)


class SwingLine(CriticalKeys, WeaponLine):
    """One weapon with final numbers."""


class SwingStatblock(CriticalKeys, StatblockKeys):
    """Final numbers: attack bonuses, damage, critical."""

    shared: ClassVar[frozenset[str]] = frozenset({"name", "extra", "critical_extra", "multipliers"})

    weapons: Annotated[tuple[SwingLine, ...], Items()] | None = Field(default=None, description=StatblockKeys.model_fields["weapons"].description)


L = TypeVar("L", bound=SwingLine)


def swings(build: SwingStatblock, kind: type[L], ledger: Ledger) -> Iterator[L]:
    """Each weapon of a statblock with what the statblock adds to all, explained."""
    for line in build.lines(kind):
        section = line.name or "attack"
        for i, bonus in enumerate(line.attack, 1):
            ledger.total(section, f"attack {i}", [Term("given", bonus, "final bonus of the statblock")])
        ledger.note(section, "damage", line.damage, "weapon damage of the statblock")
        shared = {key: (*getattr(line, key), *getattr(build, key)) for key in ("multipliers", "extra", "critical_extra")}
        yield line.model_copy(update=shared)


def explain_extra(line: SwingLine, ledger: Ledger, rule: str = "added after multiplication, rolled once") -> None:
    """Write a line for each entry that is not multiplied."""
    section = line.name or "attack"
    for entry in line.extra:
        ledger.note(section, "extra damage", entry, rule)
    for entry in line.critical_extra:
        ledger.note(section, "extra damage of a critical", entry, "added once on a critical, not multiplied")
