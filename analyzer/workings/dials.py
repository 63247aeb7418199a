"""Dials: a number of a build or its target that a question turns, such as attack, damage reduction or any key of the game."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from analyzer.dice import PHYSICAL
from analyzer.rulekit.models import TargetKeys
from analyzer.scenario import Build, get_game
from analyzer.scenario import target as target_of
from analyzer.sweeps import HIGHEST, LOWEST, parse_numbers
from analyzer.workings.variations import extra

#: The dials that every game has, each with its values when none are given.
KNOWN = {"ac": "10:40", "dr": "0:15", "attack": "-5:5", "damage": "-5:10", "extra": "0:6", "miss_chance": "0:50:10"}
#: What the dials of every game are called on an axis.
TITLES = {
    "ac": "armor class (AC)",
    "dr": "damage reduction (points off physical damage)",
    "attack": "change of every attack bonus",
    "damage": "change of every weapon damage roll (points)",
    "extra": "extra dice on every hit (d6 of the weapon's type)",
    "miss_chance": "miss chance (percent)",
}
_STEPPED = re.compile(r"(.+:.+):(\d{1,4})", re.ASCII)
_NAME = re.compile(r"[a-z][a-z_0-9]*", re.ASCII)

Given = str | tuple[str, Iterable[int]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dial:
    """A number and the values it takes."""

    name: str
    steps: tuple[int, ...]

    @property
    def title(self) -> str:
        """What it is called on an axis."""
        return TITLES.get(self.name, self.name.replace("_", " "))

    @property
    def said(self) -> str:
        """What it is called before a value in a sentence."""
        return {"ac": "AC", "dr": "DR"}.get(self.name, self.name.replace("_", " "))

    def of_target(self, build: Build) -> bool:
        """Whether it belongs to what the build attacks; an armor class does."""
        return self.name in ("ac", "dr") or (self.name not in ("attack", "damage", "extra") and self.name in get_game(build.system).Target.model_fields)

    def turned(self, build: Build, target: TargetKeys | None, value: int) -> tuple[Build, TargetKeys | None]:
        """The build and the target with the number at a value; the build keeps its name.

        Raises
        ------
        ScenarioError
            A value that the game refuses.
        ValueError
            A number that neither the build nor the target has.
        """
        if self.name == "ac":
            raise ValueError("a dial must be other than 'ac' to be turned: armor classes are swept; got 'ac'")
        if self.of_target(build):
            game = get_game(build.system)
            faced = game.Target() if target is None else target
            changes: dict[str, Any] = {self.name: value}
            if self.name == "dr":
                others = {key: points for key, points in faced.reduction.items() if key != PHYSICAL}
                changes = {"reduction": others | ({PHYSICAL: value} if value else {})}
            return build, target_of(build.system, **(faced.given() | changes))
        return self._built(build, value), target

    def _built(self, build: Build, value: int) -> Build:
        fields = type(build.model).model_fields
        if self.name in ("attack", "damage"):
            return build.but(name=build.name, **{self.name: value}) if value else build
        if self.name == "extra" and "extra" in fields:
            return replace(extra(f"{value}d6").of(build), name=build.name) if value else build
        if self.name not in fields or self.name == "name":
            # What a number of the target is left at says that it is one; the builds' own may have to be given.
            targets = [key for key, field in get_game(build.system).Target.model_fields.items() if type(field.default) is int]
            numbers = sorted({*KNOWN, *targets})
            own = sorted(key for key, field in fields.items() if _whole(field.annotation))
            more = f", or of the keys of the build {build.name!r}: {', '.join(own)}" if own else f", for the build {build.name!r} has no whole numbers"
            raise ValueError(f"a dial must be one of {', '.join(numbers)}{more}; got {self.name!r}")
        return build.but(name=build.name, **{self.name: value})


def _whole(annotation: object) -> bool:
    """Whether a field holds a whole number, which it may leave out."""
    if get_origin(annotation) is Annotated:
        return _whole(get_args(annotation)[0])
    return annotation is int or (get_origin(annotation) in (Union, UnionType) and any(map(_whole, get_args(annotation))))


def dial(given: Given, name: str) -> Dial:
    """The dial written ``attack``, ``attack=-5:5``, ``dr=0:20:5`` (in steps of 5), ``dr=0,5,10``, or a pair of its name and values.

    Parameters
    ----------
    given
        What was written.
    name
        The parameter, for messages.

    Raises
    ------
    ValueError, TypeError
        Anything else, with what would be right.
    """
    wrong = f"{name} must be a number to turn such as 'ac', 'dr=0:20:5' or 'attack=-2:4'; got {given!r}"
    if isinstance(given, str):
        key, _, numbers = (part.strip() for part in given.partition("="))
        values: str | Iterable[int] = numbers
    elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        key, values = given
    else:
        raise ValueError(wrong)
    key = key.replace("-", "_")
    if not _NAME.fullmatch(key) or (values == "" and key not in KNOWN):
        raise ValueError(wrong if not _NAME.fullmatch(key) else f"{name} must be given with its values, such as '{key}=0:10'; got {given!r}")
    wanted = KNOWN[key] if values == "" else values
    low, high = (LOWEST, HIGHEST) if key == "ac" else (-10_000, 10_000)
    stepped = _STEPPED.fullmatch(wanted.strip()) if isinstance(wanted, str) else None
    if stepped is None:
        return Dial(name=key, steps=tuple(sorted(parse_numbers(wanted, name, "value", low, high))))
    step = int(stepped[2])
    if step < 1:
        raise ValueError(f"{name} must have steps of 1 at least; got {given!r}")
    return Dial(name=key, steps=tuple(sorted(parse_numbers(stepped[1], name, "value", low, high))[::step]))
