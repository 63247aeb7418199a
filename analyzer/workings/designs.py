"""Designs: a template and lists of values for its keys, every combination or row by row, planned no more often than they differ in kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from analyzer.plan import Attack, Plan, Step
from analyzer.pmf import Integers
from analyzer.rulekit.models import Model
from analyzer.rulekit.problems import ScenarioError, shown
from analyzer.scenario import Build

#: Values for keys, as a mapping or as ``KEY=V,V`` texts.
Vary = Mapping[str, Iterable[Any]] | str | Iterable[str]

MAX_DESIGNS = 10_000_000
#: Most values of one key.
MAX_VALUES = 100_000
_RANGE = re.compile(r"([+-]?\d{1,6}):([+-]?\d{1,6})", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,9}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Designs:
    """A template and the values of each key; every combination, the last key changing fastest, or with ``zipped`` the first of each, the second, ..."""

    template: Build
    varied: tuple[tuple[str, tuple[Any, ...]], ...]
    zipped: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that vary."""
        return tuple(key for key, _ in self.varied)

    @property
    def count(self) -> int:
        """How many designs there are."""
        sizes = [len(values) for _, values in self.varied]
        return sizes[0] if self.zipped else prod(sizes)

    def places(self) -> Integers:
        """Which value of each key every design has, (n_design, n_key) int64."""
        sizes = [len(values) for _, values in self.varied]
        if self.zipped:
            return np.tile(np.arange(sizes[0])[:, np.newaxis], (1, len(sizes)))
        return np.stack(np.unravel_index(np.arange(self.count), sizes), axis=1)

    def build(self, places: Sequence[int]) -> Build:
        """One design, by the place of its value of every key.

        Raises
        ------
        ScenarioError
            When the template may not have such a key or value.
        """
        build = self.template
        for (key, values), place in zip(self.varied, places, strict=True):
            build = changed(build, key, values[place])
        return replace(build, name=self.template.name)

    def name(self, places: Sequence[int]) -> str:
        """What tells a design apart: its keys and values."""
        return ", ".join(f"{key} {_told(values[place])}" for (key, values), place in zip(self.varied, places, strict=True))


def designs(template: Build, vary: Vary, *, zipped: bool = False) -> Designs:
    """The designs of a template.

    Parameters
    ----------
    template
        What every design has in common.
    vary : mapping, or texts
        ``{"attack": range(6), "damage": ["2d6+7", "1d12+7"]}`` or ``"attack=0:5"``, ``"damage=2d6+7,1d12+7"``. Whole numbers shift every attack bonus or
        weapon damage roll, anything else replaces the key; ``weapon.damage`` is a key of a table, ``rules.ties`` a switch.
    zipped
        Whether the first values of all keys are one design, the second values another.

    Raises
    ------
    ScenarioError
        A key or value that the template may not have; every one of them.
    ValueError
        No keys, no values, too many, or zipped keys of different lengths.
    """
    given = dict(vary) if isinstance(vary, Mapping) else dict(_read(text) for text in ([vary] if isinstance(vary, str) else vary))
    listed = tuple((key, _read(f"{key}={values}")[1] if isinstance(values, str) else tuple(values)) for key, values in given.items())
    if not listed:
        raise ValueError("vary must be keys with values such as attack=0:5; got none")
    for key, values in listed:
        if not 1 <= len(values) <= MAX_VALUES:
            raise ValueError(f"vary must be 1 to {MAX_VALUES} values a key; got {len(values)} of {key}")
    lengths = {len(values) for _, values in listed}
    if zipped and len(lengths) > 1:
        raise ValueError(f"vary must be as many values of each key when they are zipped; got {', '.join(f'{len(v)} of {k}' for k, v in listed)}")
    made = Designs(template=template, varied=listed, zipped=zipped)
    if made.count > MAX_DESIGNS:
        raise ValueError(f"vary must come to at most {MAX_DESIGNS:,} designs; got {made.count:,}")
    problems: list[str] = []
    for key, values in listed:
        for value in values:
            try:
                changed(template, key, value)
            except ScenarioError as error:
                problems += [f"{key} = {_told(value)}: {problem}" for problem in error.problems]
    if problems:
        raise ScenarioError(dict.fromkeys(problems))
    return made


def changed(build: Build, key: str, value: Any) -> Build:  # noqa: ANN401 - any value a build file may hold
    """The build with one key changed; ``weapons.0.damage`` reaches into tables and lists."""
    top, *below = key.split(".")
    if top == "rules" and len(below) == 1:
        return build.but(name=build.name, rules={below[0]: value})
    if not below:
        return build.but(name=build.name, **{top: value})
    table = build.model.given()
    if top not in table:
        raise ScenarioError([f"{key} must be a key of the template; got a build without {top}"])
    return build.but(name=build.name, **{top: _within(table[top], below, value, key)})


def _within(held: Any, path: Sequence[str], value: Any, key: str) -> Any:  # noqa: ANN401 - a part of a model
    if not path:
        return value
    step, *rest = path
    if isinstance(held, Sequence) and not isinstance(held, str):
        if not step.isdigit() or int(step) >= len(held):
            raise ScenarioError([f"{key} must name an entry from 0 to {len(held) - 1}; got {step!r}"])
        return [_within(one, rest, value, key) if i == int(step) else _plain(one) for i, one in enumerate(held)]
    if not isinstance(held, Model | Mapping):
        raise ScenarioError([f"{key} must be a key of a table; got {shown(held)} before {step!r}"])
    table = _plain(held)
    return {**table, step: _within(table.get(step), rest, value, key)}


def _plain(held: Any) -> Any:  # noqa: ANN401 - a part of a model
    return held.given() if isinstance(held, Model) else held


def _told(value: Any) -> str:  # noqa: ANN401 - any value
    return f"{value:+d}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _read(text: str) -> tuple[str, tuple[Any, ...]]:
    key, sign, values = (part.strip() for part in text.partition("="))
    if not (key and sign and values):
        raise ValueError(f"vary must be KEY=VALUES such as attack=0:5 or damage=2d6+7,1d12+7; got {text!r}")
    return key, tuple(value for part in values.split(",") for value in _values(part.strip()))


def _values(text: str) -> Iterable[Any]:
    text = text.replace("\N{MINUS SIGN}", "-")
    found = _RANGE.fullmatch(text)
    if found:
        return range(int(found[1]), int(found[2]) + 1)
    if _NUMBER.fullmatch(text):
        return (int(text),)
    return ({"true": True, "false": False}.get(text.lower(), text),)


def shift(plan: Plan, other: Plan) -> int | None:
    """How much higher every attack bonus of ``other`` is, when that is all it differs by; else None."""
    deltas: set[int] = set()
    if len(plan.turns) != len(other.turns) or any(len(a.steps) != len(b.steps) for a, b in zip(plan.turns, other.turns, strict=True)):
        return None
    for one, two in zip(plan.steps, other.steps, strict=True):
        if one.next != two.next or len(one.variants) != len(two.variants) or not _same(one, two, deltas):
            return None
    return (deltas or {0}).pop() if len(deltas) <= 1 else None


def _same(one: Step, two: Step, deltas: set[int]) -> bool:
    for a, b in zip(one.variants, two.variants, strict=True):
        if (a is None) != (b is None):
            return False
        if a is not None and b is not None:
            deltas.add(b.bonus - a.bonus)
            if _bare(a) != _bare(b):
                return False
    return True


def _bare(attack: Attack) -> tuple[object, ...]:
    return attack.check, attack.defence, attack.on, attack.effect, attack.area
