"""The tables every game's build files share: strict, closed to unknown keys, frozen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from threading import RLock
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from analyzer.rulekit.fields import Attacks, Between, DamageList, Items, Name, Percent, ReductionTable, WeaponDamage
from analyzer.rulekit.problems import Problem, ProblemError, from_validation

AnyModel = TypeVar("AnyModel", bound="Model")
W = TypeVar("W", bound="Named")

_BUILDING = RLock()


class Model(BaseModel):
    """A table of a build file: no unknown keys, no conversions, no changes."""

    # Built when first used: most models of a game are of no use to a command, and building one costs start-up time.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:  # noqa: ANN401 - pydantic's own
        """Build what validates the table: one thread at a time, and without a look at what the caller's variables are called.

        Later releases of pydantic see to the first themselves; the second would keep those variables alive.
        """
        with _BUILDING:
            return super().model_rebuild(**options | {"_parent_namespace_depth": 0})

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """The problems of which keys are written and which not, found although a value is wrong; ``keys`` are those written."""
        yield from ()

    @model_validator(mode="wrap")
    @classmethod
    def _all_at_once(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - whatever the file holds
        found = tuple(cls.presence(frozenset(k for k, v in data.items() if v is not None))) if isinstance(data, Mapping) else ()
        try:
            made = handler(data)
        except ValidationError as error:
            if not found:
                raise
            raise ProblemError((*from_validation(error, cls, data), *found)) from error
        raise_any(found)
        return made

    def given(self) -> dict[str, Any]:
        """The keys that were written, with their values as read."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def but(self, **changes: object) -> Self:
        """The table with some keys changed, checked again."""
        return type(self).model_validate(self.given() | changes)

    def another(self) -> dict[str, Any]:
        """The keys that change when the round has one attack more; none where the game does not say how."""
        return {}

    def milder(self, points: int) -> dict[str, Any]:
        """The keys that change when every attack penalty within a turn is ``points`` milder; none in games without such a penalty."""
        return {}


class TargetKeys(Model):
    """What every game's target may have."""

    miss_chance: Percent = Field(default=0, description="percent of the hits that miss after all, rolled on d100")
    reduction: ReductionTable = Field(
        default_factory=dict,
        description="points off the damage of a type in one attack, or 'immune'; 'physical': the sum of all physical damage; 'all': last, off what is left",
    )
    immune: Annotated[tuple[Literal["critical", "precision"], ...], Items(alone=True)] = Field(
        default=(), description="'critical': criticals become ordinary hits; 'precision': precision damage is not rolled"
    )
    hp: Annotated[int, Between(1, 1_000_000)] | None = Field(default=None, description="hit points")

    def place(self) -> dict[str, Any]:
        """The keys that say where things are, as they are written; none in games without a grid."""
        return {}


class Named(Model):
    """What has a name."""

    name: Name | None = Field(default=None, description="the name shown")


class Swing(Named):
    """What a statblock and each of its weapons have in common."""

    extra: DamageList = Field(default=(), description="damage added after the weapon's, such as sneak attack or fire dice")


class WeaponLine(Swing):
    """One weapon of a statblock."""

    attack: Attacks = Field(description="final attack bonuses, one per attack, such as '+20/+15'")
    damage: WeaponDamage = Field(description="the weapon's damage, such as '2d6+15 slashing'")


Line = TypeVar("Line", bound=WeaponLine)


class StatblockKeys(Swing):
    """Numbers people already have: one weapon's, or ``weapons``.

    Subclasses say in ``shared`` which keys may stand beside ``weapons`` and then hold for each of them.
    """

    shared: ClassVar[frozenset[str]] = frozenset({"name", "extra"})

    attack: Attacks | None = Field(default=None, description="final attack bonuses, one per attack, such as '+20/+15'")
    damage: WeaponDamage | None = Field(default=None, description="the weapon's damage, such as '2d6+15 slashing'")
    weapons: Annotated[tuple[Any, ...], Items()] | None = Field(default=None, description="several weapons: all attacks of the first, then of the second, ...")

    @classmethod
    def presence(cls, keys: frozenset[str]) -> Iterator[Problem]:
        """Attack and damage, or weapons with the keys they share."""
        yield from super().presence(keys)
        if "weapons" in keys:
            apart = sorted((keys & cls.model_fields.keys()) - cls.shared - {"weapons"})
            yield from (Problem((k,), f"{k} must be a key of each weapon when there are weapons; got it beside them") for k in apart)
        else:
            yield from (must_be_given(cls, k) for k in ("attack", "damage") if k not in keys)

    def another(self) -> dict[str, Any]:
        """One more attack with the first weapon: where attacks are counted one more, else its first attack once more, right after itself."""
        if self.weapons is not None:
            first, *rest = self.weapons
            return {"weapons": (first.but(attack=(*first.attack[:1], *first.attack)), *rest)}
        bonuses = self.attack or ()
        if len(bonuses) == 1 and "attacks" in type(self).model_fields:
            counted: int | None = getattr(self, "attacks")  # noqa: B009 - a key only some games have
            return {"attacks": 2 if counted is None else counted + 1}
        return {"attack": (*bonuses[:1], *bonuses)}

    def lines(self, kind: type[Line]) -> tuple[Line, ...]:
        """Each weapon, with the keys shared by all left to the caller; without ``weapons`` the statblock is its only weapon."""
        if self.weapons is not None:
            return titled(self.weapons)
        return (kind.model_validate({k: v for k, v in self.given().items() if k in kind.model_fields and (k not in self.shared or k == "name")}),)


def must_be_given(model: type[BaseModel], key: str, instead: str = "") -> Problem:
    """The problem that ``key`` is absent, and ``instead`` of it too."""
    about = (model.model_fields[key].description or "").rstrip(".")
    return Problem((key,), f"{key} must be given{f' ({about})' if about else ''}{f', or {instead}' if instead else ''}; got nothing")


def exactly_one(model: type[BaseModel], keys: frozenset[str], first: str, second: str) -> Iterator[Problem]:
    """The problem that of two keys of a sheet none is written, or both are."""
    if not keys & {first, second}:
        yield must_be_given(model, first, f"{second}, or attack and damage for a statblock")
    elif {first, second} <= keys:
        yield left_out(second, f"when {first} is given", "both")


def left_out(key: str, when: str, got: str) -> Problem:
    """The problem that a key is written where it says nothing."""
    return Problem((key,), f"{key} must be left out {when}; got {got}")


def raise_any(problems: Iterable[Problem]) -> None:
    """Raise all the problems there are, or none."""
    found = tuple(problems)
    if found:
        raise ProblemError(found)


def arsenal(weapon: W | None, weapons: tuple[W, ...] | None) -> tuple[tuple[tuple[str | int, ...], W], ...]:
    """The weapons of a sheet in order, each with its key path, `titled` where there are several."""
    if weapon is not None:
        return ((("weapon",), weapon),)
    return tuple((("weapons", i), w) for i, w in enumerate(titled(weapons or ())))


def titled(weapons: tuple[W, ...]) -> tuple[W, ...]:
    """The weapons, those without a name being called by their place so that an explanation can tell them apart."""
    return tuple(w if w.name else w.model_copy(update={"name": f"weapon {i}"}) for i, w in enumerate(weapons, 1))
