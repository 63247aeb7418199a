"""The kinds of values a build file holds; each states once its range, its error and its JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Annotated, Any, SupportsIndex

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from analyzer.dice import (
    MAX_BONUS,
    MAX_SUM,
    MAX_TYPE,
    NEVER,
    CriticalRange,
    Damage,
    DiceSum,
    NotationError,
    format_attacks,
    parse_attacks,
    parse_critical,
    parse_damage,
    parse_dice,
)
from analyzer.rulekit.damage_types import meant
from analyzer.rulekit.problems import shown


def _wrong(what: str) -> PydanticCustomError:
    """The error that a value must be ``what``; `problems` adds the name and the value."""
    return PydanticCustomError("house", "{what}", {"what": what})


@dataclass(frozen=True, slots=True)
class Between:
    """An integer from ``low`` to ``high``, in steps of ``step`` counted from 0."""

    low: int
    high: int
    step: int = 1

    @property
    def what(self) -> str:
        """The range in words."""
        return f"{'an integer' if self.step == 1 else f'a multiple of {self.step}'} from {self.low} to {self.high}"

    def __call__(self, value: object) -> int:
        """The value, checked."""
        if isinstance(value, bool) or not isinstance(value, int | SupportsIndex) or not self.low <= index(value) <= self.high or index(value) % self.step:
            raise _wrong(self.what)
        return index(value)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "integer", "minimum": self.low, "maximum": self.high} | ({"multipleOf": self.step} if self.step > 1 else {})


@dataclass(frozen=True, slots=True)
class Text:
    """Text that matches ``pattern``, which in words is ``what``."""

    pattern: str
    what: str

    def __call__(self, value: object) -> str:
        """The value, checked."""
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            raise _wrong(self.what)
        return value

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class Notation:
    """A value read by a parser of `analyzer.dice` and written back by ``printer``; one that is read already passes."""

    parser: Callable[[Any], Any]
    printer: Callable[[Any], str]
    ready: type
    forms: tuple[str, ...]
    example: str

    def __call__(self, value: object) -> object:
        """The value, read."""
        if isinstance(value, self.ready):
            return value
        try:
            return self.parser(value)
        except ValueError as error:
            raise PydanticCustomError("notation", "{text}", {"text": str(error)}) from error
        except TypeError as error:
            raise _wrong(str(error).split(" must be ", 1)[-1].rsplit("; got ", 1)[0]) from error

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(self.printer))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": list(self.forms), "examples": [self.example]} | ({"items": {"type": "integer"}} if "array" in self.forms else {})


@dataclass(frozen=True, slots=True)
class Items:
    """A list kept as a tuple; with ``alone`` one value may stand for a list of one."""

    alone: bool = False

    def __call__(self, value: object) -> object:
        """The value as a tuple where it may be one."""
        if isinstance(value, list):
            return tuple(value)
        return (value,) if self.alone and not isinstance(value, tuple) else value

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        many = handler(schema)
        return {"anyOf": [many["items"], many]} if self.alone else many


@dataclass(frozen=True, slots=True)
class Short:
    """A table that may be written short, as the value of its one key ``key`` (of JSON type ``form``) alone."""

    key: str
    form: str

    def __call__(self, value: object) -> object:
        """The value as a table where it is written short."""
        short = isinstance(value, str) if self.form == "string" else isinstance(value, int) and not isinstance(value, bool)
        if not short and not isinstance(value, Mapping | BaseModel):
            raise _wrong(f"{'text' if self.form == 'string' else 'an integer'} or a table")
        return {self.key: value} if short else value

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": self.form}, handler(schema)]}


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A table of named numbers for which one number, or a list of them, may stand; these are called ``name``."""

    name: str
    each: Between

    def __call__(self, value: object) -> object:
        """The value as a table where it is written without names."""
        if isinstance(value, Mapping):
            return value
        numbers = value if isinstance(value, list | tuple) else (value,)
        try:
            read = [self.each(number) for number in numbers]
        except PydanticCustomError as error:
            raise _wrong(f"{self.each.what}, a list of them, or a table of named ones") from error
        return {self.name: read[0]} if len(read) == 1 else {f"{self.name} {i}": number for i, number in enumerate(read, 1)}

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        number = {"type": "integer", "minimum": self.each.low, "maximum": self.each.high}
        return {"anyOf": [number, {"type": "array", "items": number}, handler(schema)]}


@dataclass(frozen=True, slots=True)
class Points:
    """Points that are taken off damage, or ``"immune"``."""

    def __call__(self, value: object) -> int | str:
        """The value, checked."""
        if value == "immune":
            return "immune"
        if isinstance(value, bool) or not isinstance(value, int | SupportsIndex) or not 0 <= index(value) <= MAX_SUM:
            raise _wrong(f'points from 0 to {MAX_SUM} or "immune"')
        return index(value)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_SUM}, {"const": "immune"}]}


@dataclass(frozen=True, slots=True)
class Numbers:
    """``"none"``, ``"all"``, or a list of numbers from 1 to ``high``."""

    high: int

    def __call__(self, value: object) -> str | tuple[int, ...]:
        """The value, checked."""
        if isinstance(value, str) and value in ("none", "all"):
            return value
        if not isinstance(value, list | tuple) or any(isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= self.high for n in value):
            raise _wrong(f"'none', 'all' or a list of numbers from 1 to {self.high}")
        return tuple(value)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"enum": ["none", "all"]}, {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": self.high}}]}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two integers ``[x, y]``, each from ``-limit`` to ``limit``; with ``nonzero`` not both 0."""

    limit: int
    nonzero: bool = False

    def __call__(self, value: object) -> tuple[int, int]:
        """The value, checked."""
        fits = isinstance(value, list | tuple) and len(value) == 2 and all(type(n) is int and abs(n) <= self.limit for n in value)
        if not fits or not isinstance(value, list | tuple) or (self.nonzero and not any(value)):
            raise _wrong(f"two integers [x, y] from -{self.limit} to {self.limit}{', not both 0' if self.nonzero else ''}")
        return value[0], value[1]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": -self.limit, "maximum": self.limit}}


def _read_damage(text: Any) -> Damage:  # noqa: ANN401 - whatever the file holds
    damage = parse_damage(text)
    slip = meant(damage.type)
    if slip:
        raise ValueError(f"damage must be of a known type, or of one that is none of them misspelt; got {shown(text)}; did you mean {slip!r}?")
    return damage


def _read_weapon(text: Any) -> Damage:  # noqa: ANN401 - whatever the file holds
    damage = _read_damage(text)
    if damage.precision:
        raise ValueError(f"damage must be the weapon's own dice, precision dice being an entry of extra; got {text!r}")
    return damage


def _read_range(text: Any) -> str:  # noqa: ANN401 - whatever the file holds
    try:
        first = parse_critical(text).threat_from
    except (NotationError, TypeError):
        first = 0
    if not first or (isinstance(text, str) and not set(text.lower()).isdisjoint("x/×✕✖*")):
        raise ValueError(f"critical must be a range that ends in 20 such as '19-20', or 'none', without a multiplier; got {shown(text)}")
    return "none" if first == NEVER else "20" if first == 20 else f"{first}-20"


def _read_attack_dice(text: Any) -> DiceSum:  # noqa: ANN401 - whatever the file holds
    found = parse_dice(text, "attack_dice") if isinstance(text, str) else DiceSum()
    if found.flat or not found.dice:
        raise ValueError(f"attack_dice must be dice alone such as '1d4' or '-1d4', numbers being part of the attack bonus; got {shown(text)}")
    return found


#: A bonus or penalty to a roll; an armor class has the same range.
Bonus = Annotated[int, Between(-MAX_BONUS, MAX_BONUS)]
#: A number that is no penalty.
Count = Annotated[int, Between(0, MAX_BONUS)]
#: Armor check penalties, range penalties and the like, written as they are added.
Penalty = Annotated[int, Between(-MAX_BONUS, 0)]
Percent = Annotated[int, Between(0, 100)]
Multiplier = Annotated[int, Between(1, 20)]
Feet = Annotated[int, Between(0, 100_000)]
Name = Annotated[str, Text(r"\S(?:[^\x00-\x1f\x7f]{0,78}\S)?", "1 to 80 characters on one line, without blanks at its ends")]
DamageType = Annotated[str, Text(rf"[^\W\d_A-Z](?:[^\W\d_A-Z]|-){{0,{MAX_TYPE - 1}}}", "a damage type in small letters such as 'fire'")]
Damages = Annotated[Damage, Notation(_read_damage, str, Damage, ("string", "integer"), "3d6 fire")]
WeaponDamage = Annotated[Damage, Notation(_read_weapon, str, Damage, ("string", "integer"), "2d6+15 slashing")]
Critical = Annotated[CriticalRange, Notation(parse_critical, str, CriticalRange, ("string", "integer"), "19-20/x2")]
#: The natural rolls that are a critical, as text, in games without multipliers.
Range = Annotated[str, Notation(_read_range, str, type(None), ("string", "integer"), "19-20")]
#: Dice added to an attack roll, or taken off it.
AttackDice = Annotated[DiceSum, Notation(_read_attack_dice, str, DiceSum, ("string",), "1d4")]
Attacks = Annotated[tuple[int, ...], Notation(parse_attacks, format_attacks, type(None), ("string", "integer", "array"), "+20/+15/+10/+5")]
DamageList = Annotated[tuple[Damages, ...], Items(alone=True)]
#: Attack numbers of a round.
Takes = Annotated[str | tuple[int, ...], Numbers(256)]
Bonuses = dict[Name, Bonus]
#: Bonuses to one number that need no names.
OtherBonuses = Annotated[dict[Name, Bonus], Unnamed("other", Between(-MAX_BONUS, MAX_BONUS))]
#: Points off the damage of a type, or of ``physical`` or ``all``.
ReductionTable = dict[DamageType, Annotated[int | str, Points()]]


def plain(value: object) -> str:
    """A short text of a changed value, for the name of a varied build."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | Damage | DiceSum | CriticalRange):
        return str(value)
    return "changed" if isinstance(value, Mapping) else " ".join(map(plain, value)) if isinstance(value, list | tuple) else "changed"
