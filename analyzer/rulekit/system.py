"""A game: the models of its build files and the way from a build and a target to a plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from analyzer import plan
from analyzer.dice import Damage, DiceSum, NotationError
from analyzer.plan import Plan, PlanError
from analyzer.plan import Target as PlanTarget
from analyzer.rulekit.hand import Changes, Hand
from analyzer.rulekit.ledger import Ledger, Line
from analyzer.rulekit.models import Model, StatblockKeys, TargetKeys
from analyzer.rulekit.problems import Path, Problem, ProblemError
from analyzer.rulekit.redicing import rediced

R = TypeVar("R", bound=Model)
T = TypeVar("T", bound=TargetKeys)
B = TypeVar("B", bound=StatblockKeys)
S = TypeVar("S", bound=Model)

#: The name of the bonus by which `System.shifted` changes a sheet.
VARIATION = "variation"


@dataclass(frozen=True, kw_only=True, slots=True)
class Derivation:
    """What a build and a target come to: the plan, the target, and every number with its rule."""

    plan: Plan
    target: PlanTarget
    lines: tuple[Line, ...]


class System(ABC, Generic[R, T, B, S]):
    """A game. A module of `analyzer.systems`, or the entry point of another package, exposes one as ``SYSTEM``.

    A game names itself, its four models and its defences, and writes three methods: `from_statblock`, `from_sheet` and `facing`. All their numbers come out
    of the ledger they are handed.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    #: One line for lists of games.
    summary: ClassVar[str]
    #: What ``plan.Target.ac`` holds, in order.
    defences: ClassVar[tuple[str, ...]] = ("AC",)
    Rules: type[R]
    Target: type[T]
    Statblock: type[B]
    Sheet: type[S]

    @abstractmethod
    def from_statblock(self, build: B, rules: R, target: T, ledger: Ledger) -> Plan:
        """The plan of a statblock."""

    @abstractmethod
    def from_sheet(self, build: S, rules: R, target: T, ledger: Ledger) -> Plan:
        """The plan of a sheet."""

    @abstractmethod
    def facing(self, rules: R, target: T, ledger: Ledger) -> plan.Target:
        """The target as the plan's attacks meet it."""

    def met(self, build: B | S, made: Plan, target: T, faced: plan.Target, ledger: Ledger) -> plan.Target:
        """The target as this build and its plan meet it: a feat against concealment, a resistance to each type that is dealt. By default as faced."""
        return faced

    def derive(self, build: B | S, rules: R, target: T, ac: int | None = None) -> Derivation:
        """The plan and target of a build, each number explained.

        Parameters
        ----------
        build, rules, target
            Validated models of this game.
        ac
            Replaces the defence the first attack aims at, the others that follow a sweep move by the same difference; None leaves the target as it is.

        Raises
        ------
        ProblemError
            When build and target do not go together (out of range, impossible equipment), or the numbers are beyond the plan's limits.
        """
        ledger = Ledger()
        try:
            if isinstance(build, self.Statblock):
                made = self.from_statblock(build, rules, target, ledger)
            elif isinstance(build, self.Sheet):
                made = self.from_sheet(build, rules, target, ledger)
            else:
                raise TypeError(f"build must be a statblock or sheet of {self.id}; got {type(build).__name__}")
            faced = self.met(build, made, target, self.facing(rules, target, ledger), ledger)
        except (PlanError, NotationError) as error:
            raise ProblemError([Problem((), str(error))]) from error
        if ac is not None:
            faced = self._swept(made, faced, ac, ledger)
        return Derivation(plan=made, target=faced, lines=ledger.lines)

    def _swept(self, made: Plan, faced: plan.Target, ac: int, ledger: Ledger) -> plan.Target:
        """The target with the defence that was given from outside."""
        try:
            new = tuple(int(n) for n in plan.sweep(made, faced, [ac])[0])
            changed = faced.but(ac=new)
        except PlanError as error:
            raise ProblemError([Problem(("ac",), str(error))]) from error
        first = plan.swept_defence(made, faced)
        for i, name in enumerate(self.defences):
            if new[i] != faced.ac[i] or i == first:
                how = "given from outside" if i == first else "moves by the same difference"
                ledger.note("target", name, new[i], f"{how}; replaces {faced.ac[i]}")
        return changed

    def shifted(self, build: B | S, attack: int, damage: int) -> dict[str, Any]:
        """The keys of a build that change when every attack bonus is ``attack`` higher and every weapon damage roll ``damage`` higher."""
        if isinstance(build, StatblockKeys):
            if build.weapons is not None:
                return {"weapons": tuple(weapon.but(**self.shifted_line(weapon, attack, damage)) for weapon in build.weapons)}
            return self.shifted_line(build, attack, damage)
        changes: dict[str, Any] = {}
        for key, shift in (("attack_bonuses", attack), ("damage_bonuses", damage)):
            if shift and key not in type(build).model_fields:
                raise ProblemError([Problem((key,), f"{key} must be a key of the sheet for a shift; got a sheet of {self.id}, which has none")])
            if shift:
                bonuses: Mapping[str, int] = getattr(build, key)
                changes[key] = {**bonuses, VARIATION: bonuses.get(VARIATION, 0) + shift}
        return changes

    def shifted_line(self, line: Any, attack: int, damage: int) -> dict[str, Any]:  # noqa: ANN401 - a statblock or one of its weapons
        """The keys of a statblock, or of one weapon of it, that change with such a shift."""
        changes: dict[str, Any] = {}
        if attack and line.attack is not None:
            changes["attack"] = tuple(bonus + attack for bonus in line.attack)
        if damage and line.damage is not None:
            changes["damage"] = stronger(line.damage, damage)
        return changes

    def hand(self, build: B | S) -> Hand | None:
        """What the attacks of the own turn may be made with in any order; None where the game fixes the order, or no attack makes a later one harder."""
        return None

    def diced(self, build: B | S, weapon: str | None, dice: DiceSum) -> Changes:
        """The keys of a build that change when a weapon has other dice, its flat points staying; by default those of a statblock's only weapon.

        Raises
        ------
        ProblemError
            When the build has no such dice, or a critical's do not follow from them.
        """
        damage = build.damage if isinstance(build, StatblockKeys) else None
        if damage is None:
            raise ProblemError([Problem((), f"damage must be that of a statblock with one weapon for its dice to vary; got another build of {self.id}")])
        return {"damage": rediced(damage, dice)}

    def reduction_tables(self, target: T) -> tuple[tuple[Path, Mapping[str, int | str]], ...]:
        """Each table of reductions in a target, with its key path."""
        return ((("reduction",), target.reduction),)


def stronger(damage: Damage, flat: int) -> Damage:
    """The damage entry with ``flat`` more points."""
    return replace(damage, sum=damage.sum.plus(flat))


AnySystem = System[Any, Any, Any, Any]
