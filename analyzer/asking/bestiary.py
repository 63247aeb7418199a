"""A table of creatures, from a CSV file or rows, read into foes; everything that is wrong with it found in one pass."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from math import isfinite
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any

from analyzer import examples
from analyzer.asking.foes import Field, Foe, HitPoints, bestiary, hit_points
from analyzer.dice import PHYSICAL
from analyzer.rulekit.problems import ScenarioError, shown, suggestion
from analyzer.scenario import get_game
from analyzer.scenario import target as target_of

#: A file, or rows that hold what a file's would.
Against = str | PathLike[str] | Iterable[Mapping[str, Any]] | None

MAX_FOES = 10_000
#: Columns of a table that no game's target has, or that are read otherwise than its.
_OWN = ("name", "weight", "level", "dr", "hp")


def held(against: Against) -> Against:
    """The table to be read as often as wanted: rows of an iterator are kept."""
    return against if against is None or isinstance(against, str | PathLike) else list(against)


def read(against: Against, system: str) -> Field:
    """The field of a table of creatures.

    Parameters
    ----------
    against : path or iterable of mappings
        A CSV file with a header (or the name of one of `analyzer.examples.tables`), or rows as mappings. ``name``; ``weight`` (how often one meets it, 1
        when left out); ``hp`` (a number or dice such as ``12d8+36``); ``dr`` (points off physical damage); ``level``; and any key of the game's target, such
        as ``ac``, ``eac``, ``kac``, ``miss_chance``.
    system
        The game whose targets they are.

    Raises
    ------
    ScenarioError
        Everything that is wrong with the table.
    """
    rows, source = _rows(against)
    problems: list[str] = []
    foes = [foe for i, row in enumerate(rows) if (foe := _foe(row, f"{source}, row {i + 1}", system, problems)) is not None]
    if not problems and not 1 <= len(foes) <= MAX_FOES:
        problems.append(f"{source}: a table of creatures must have 1 to {MAX_FOES} rows; got {len(foes)}")
    names = [foe.name for foe in foes]
    problems += [f"{source}: name must be unlike the other rows' of its level; got {name!r} twice" for name in _twice(foes)]
    if not problems and sum(foe.weight for foe in foes) <= 0:
        problems.append(f"{source}: weight must be above 0 in one row at least; got {shown([0] * len(names))}")
    levels = {foe.level is None for foe in foes}
    if len(levels) > 1:
        problems.append(f"{source}: level must be given in every row or in none; got some")
    if problems:
        raise ScenarioError(problems)
    return bestiary(foes)


def _twice(foes: Iterable[Foe]) -> list[str | None]:
    seen: set[tuple[str | None, int | None]] = set()
    out = []
    for foe in foes:
        if (foe.name, foe.level) in seen:
            out.append(foe.name)
        seen.add((foe.name, foe.level))
    return out


def _rows(against: Against) -> tuple[list[Mapping[str, Any]], str]:
    if not isinstance(against, str | PathLike):
        rows = list(against or ())
        if any(not isinstance(row, Mapping) for row in rows):
            raise TypeError("against must be a CSV file or rows as mappings of column to value; got rows of another type")
        return rows, "against"
    source = str(against)
    try:
        shipped = source in examples.tables() and not Path(against).exists()
        text = examples.table(source) if shipped else Path(against).read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise ScenarioError([f"{source}: file must exist, or be one of {', '.join(examples.tables())}; got no such file"]) from error
    except (OSError, ValueError) as error:
        raise ScenarioError([f"{source}: file must be a readable CSV file in UTF-8; got {getattr(error, 'strerror', None) or error}"]) from error
    reader = csv.DictReader(StringIO(text), skipinitialspace=True)
    listed: list[Mapping[str, Any]] = []
    for number, row in enumerate(reader, 1):
        if None in row:
            raise ScenarioError([f"{source}, row {number}: a row must have as many cells as the header; got more"])
        listed.append({(column or "").strip(): (cell or "").strip() for column, cell in row.items()})
    return listed, source


def _foe(row: Mapping[str, Any], where: str, system: str, problems: list[str]) -> Foe | None:
    before = len(problems)
    game = get_game(system)
    known = [*_OWN, *(key for key in game.Target.model_fields if key not in _OWN)]
    given = {str(key): _value(value) for key, value in row.items() if value is not None and value != "" and value == value}  # noqa: PLR0124 - NaN is no value
    problems += [f"{where}, {key}: {key} must be a known column; {suggestion(str(key), known)}" for key in row if key not in known]
    name = given.get("name")
    if name is None:
        problems.append(f"{where}, name: name must be given (what the creature is called); got nothing")
    keys = {key: value for key, value in given.items() if key in known and key not in _OWN}
    if "dr" in given:
        points = _whole(given["dr"], "dr", 10_000, where, problems)
        keys["reduction"] = {PHYSICAL: points or 0}
    hp = _hp(given.get("hp"), where, problems)
    weight = given.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not isfinite(weight) or weight < 0:
        problems.append(f"{where}, weight: weight must be a number from 0; got {shown(weight)}")
        weight = 1.0
    level = None if given.get("level") is None else _whole(given["level"], "level", 100, where, problems)
    if len(problems) == before:
        try:
            target_of(system, **keys)
        except ScenarioError as error:
            problems += [f"{where}, {problem}" for problem in error.problems]
    if len(problems) > before:
        return None
    return Foe(name=str(name), keys=tuple(keys.items()), hp=hp, weight=float(weight), level=level)


def _value(cell: Any) -> Any:  # noqa: ANN401 - a cell of a file, or whatever a caller's row holds
    """A cell as a number where it is one."""
    if isinstance(cell, float) and cell.is_integer():  # as pandas writes a whole number in a column with gaps
        return int(cell)
    if not isinstance(cell, str):
        return index(cell) if hasattr(cell, "__index__") and not isinstance(cell, bool) else cell
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(cell.lower(), cell)


def _whole(value: Any, name: str, high: int, where: str, problems: list[str]) -> int | None:  # noqa: ANN401 - a cell
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or not 0 <= value <= high:
        problems.append(f"{where}, {name}: {name} must be a whole number from 0 to {high}; got {shown(value)}")
        return None
    return int(value)


def _hp(value: Any, where: str, problems: list[str]) -> HitPoints | None:  # noqa: ANN401 - a cell
    if value is None:
        return None
    try:
        return hit_points(int(value) if isinstance(value, float) and value.is_integer() else value)
    except (ValueError, TypeError) as error:
        problems.append(f"{where}, hp: {error}")
        return None
