"""A whole build file read by the models of its game, everything that is wrong with it found in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.rulekit.course import Course, course
from analyzer.rulekit.lowering import dealt
from analyzer.rulekit.models import Model, TargetKeys
from analyzer.rulekit.problems import Path, Problem, ProblemError, ScenarioError, shown, unknown_key
from analyzer.rulekit.reading import line, section, typos
from analyzer.rulekit.system import AnySystem

TOP = ("system", "rules", "target", "build")
#: Most builds in one file.
MAX_BUILDS = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The validated parts of a build file; each build with its name."""

    rules: Model
    target: TargetKeys
    builds: tuple[tuple[str, Course], ...]


def unknown_keys(data: Mapping[str, Any]) -> list[Problem]:
    """The problems of keys a build file does not have."""
    return [unknown_key((k,), TOP) for k in data if k not in TOP]


def read(data: Mapping[str, Any], game: AnySystem) -> Parts:
    """The parts of a build file of a game.

    Raises
    ------
    ScenarioError
        With every problem there is.
    """
    found = unknown_keys(data)
    rules = section(game.Rules, data.get("rules", {}), ("rules",), found)
    target = section(game.Target, data.get("target", {}), ("target",), found)
    builds = _builds(data, game, found)
    if rules is not None and target is not None:
        found += _together(game, rules, target, builds)
    if found:
        raise ScenarioError(dict.fromkeys(line(p, _name_at(p.path, data)) for p in found))
    return Parts(rules=rules, target=target, builds=tuple((name, made) for name, made in builds if made is not None))


def _builds(data: Mapping[str, Any], game: AnySystem, found: list[Problem]) -> list[tuple[str, Course | None]]:
    """The builds of a file in order with their names, None for one with problems."""
    tables = data.get("build")
    if not isinstance(tables, list) or not tables:
        got = "got nothing" if tables is None else f"got {shown(tables)}"
        found.append(Problem(("build",), f"build must be one or more tables, each under [[build]]; {got}"))
        return []
    if len(tables) > MAX_BUILDS:
        found.append(Problem(("build",), f"build must be at most {MAX_BUILDS} tables; got {len(tables)}"))
        return []
    builds: list[tuple[str, Course | None]] = []
    names: dict[tuple[str, int | None], int] = {}
    for i, table in enumerate(tables):
        kind = game.Statblock if _is_statblock(table) else game.Sheet
        written = table.get("name") if isinstance(table, Mapping) else None
        name = written if isinstance(written, str) else f"build {i + 1}"
        made = course(kind, table, ("build", i), found, game)
        builds.append((name, made))
        called = (name, None if made is None else made.level)
        if called in names:
            found.append(Problem(("build", i, "name"), f"name must be unlike the other builds'; got {name!r}, the name of build[{names[called]}]"))
        names.setdefault(called, i)
    return builds


def _is_statblock(table: object) -> bool:
    if not isinstance(table, Mapping):
        return False
    weapons = table.get("weapons")
    return "attack" in table or (isinstance(weapons, list) and any(isinstance(w, Mapping) and "attack" in w for w in weapons))


def _together(game: AnySystem, rules: Model, target: TargetKeys, builds: list[tuple[str, Course | None]]) -> Iterator[Problem]:
    """The problems of builds and target that are each right alone."""
    types: set[str] = set()
    every = bool(builds)
    for i, (_, made) in enumerate(builds):
        if made is None:
            every = False
            continue
        for path, model in made.models():
            try:
                types |= dealt(game.derive(model, rules, target).plan)
            except ProblemError as error:
                yield from (p if p.path[:1] == ("target",) else p.below(("build", i, *path)) for p in error.problems)
                every = False
    for path, table in game.reduction_tables(target):
        yield from (p.below(("target",)) for p in typos(path, table, types, every=every))


def _name_at(path: Path, data: Mapping[str, Any]) -> str | None:
    """The name of the build a path of the file leads into."""
    if path[:1] != ("build",) or len(path) < 2 or not isinstance(path[1], int):
        return None
    table = data["build"][path[1]]
    name = table.get("name") if isinstance(table, Mapping) else None
    return name if isinstance(name, str) and name.isprintable() and name.strip() == name and 0 < len(name) <= 80 else None
