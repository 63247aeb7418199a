"""One table of a build file read as a model of a game, and its problems written out as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from analyzer.rulekit.damage_types import KNOWN_TYPES
from analyzer.rulekit.problems import Path, Problem, dotted, from_validation, suggestion
from analyzer.rulekit.system import AnySystem


def section(model: type[Any], data: object, path: Path, found: list[Problem], game: AnySystem | None = None) -> Any:  # noqa: ANN401 - the model's own type
    """The table validated as ``model``, or None with its problems noted."""
    if not isinstance(data, Mapping):
        found.append(Problem.of(path, "a table", data))
        return None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found += [p.below(path) for p in _mixed(from_validation(error, model, data), model, game)]
        return None


def _mixed(found: Iterable[Problem], model: type[Any], game: AnySystem | None) -> Iterator[Problem]:
    """The problems, with a key that belongs to the other kind of build called that."""
    for problem in found:
        name = str(problem.path[-1]) if problem.path else ""
        if game is None or len(problem.path) != 1 or "a known key" not in problem.text:
            yield problem
        elif issubclass(model, game.Sheet) and name in game.Statblock.model_fields:
            yield Problem(problem.path, f"{name} must be left out of a sheet (without attack it is a sheet); got a key of a statblock")
        elif issubclass(model, game.Statblock) and name in game.Sheet.model_fields:
            yield Problem(problem.path, f"{name} must be left out of a statblock (with attack it is a statblock); got a key of a sheet")
        else:
            yield problem


def typos(path: Path, table: Mapping[str, object], dealt: Iterable[str], *, every: bool) -> Iterator[Problem]:
    """The reductions of a type nobody knows and no build deals; without ``every``, as long as builds are not known, only those much like a known one."""
    known = sorted({*KNOWN_TYPES, *dealt, "all"})
    for name in table:
        if name not in known and (every or get_close_matches(name, known, cutoff=0.75)):
            yield Problem((*path, name), f"{name} must be a damage type that is known or that a build deals; {suggestion(name, known)}")


def line(problem: Problem, name: str | None = None) -> str:
    """A problem as one line: ``build[0] (falchion).weapon.damage: damage must be ...; got ...``, ``name`` being that of the build it is in."""
    path = problem.path
    if name is None or path[:1] == ("target",):
        where = dotted(path)
    elif path[:1] == ("build",) and len(path) > 1:
        where = ".".join(filter(None, (f"{dotted(path[:2])} ({name})", dotted(path[2:]))))
    else:
        where = ".".join(filter(None, (f"build ({name})", dotted(path))))
    return f"{where}: {problem.text}" if where else problem.text
