"""The course of a fight: a build as it stands, its level, and what its listed rounds do differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.rulekit.models import Model
from analyzer.rulekit.problems import Path, Problem
from analyzer.rulekit.reading import section
from analyzer.rulekit.system import AnySystem

#: Keys of a build that belong to no game: they say when it is played, not what. A game whose sheets have a level of their own keeps it.
ROUNDS, LEVEL = "rounds", "level"
MAX_ROUNDS = 100
MAX_LEVEL = 100
#: What a listed round may not change.
_FIXED = ("name", ROUNDS, LEVEL)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedRound:
    """One round of a fight: the whole build of that round, and which of its keys the round gave."""

    model: Model
    keys: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """A build as it stands, its level if it has one, and the rounds that differ; the last of them repeats."""

    model: Model
    level: int | None
    rounds: tuple[ListedRound, ...]

    def models(self) -> Iterator[tuple[Path, Model]]:
        """The build as it stands and every listed round, each with its path below the build."""
        yield (), self.model
        for j, listed in enumerate(self.rounds):
            yield (ROUNDS, j), listed.model


def course(kind: type[Any], data: object, path: Path, found: list[Problem], game: AnySystem) -> Course | None:
    """A table of a build read with its ``rounds`` and ``level``, or None with its problems noted."""
    if not isinstance(data, Mapping):
        section(kind, data, path, found, game=game)
        return None
    own = LEVEL not in kind.model_fields
    model = section(kind, {key: value for key, value in data.items() if key != ROUNDS and not (own and key == LEVEL)}, path, found, game=game)
    problems = len(found)
    level = data.get(LEVEL)
    if own and level is not None and (not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= MAX_LEVEL):
        found.append(Problem.of((*path, LEVEL), f"a whole number from 0 to {MAX_LEVEL}", level))
    listed = data.get(ROUNDS, [])
    if not isinstance(listed, list | tuple) or len(listed) > MAX_ROUNDS or (ROUNDS in data and not listed):
        found.append(Problem.of((*path, ROUNDS), f"a list of 1 to {MAX_ROUNDS} tables, each what a round does differently", listed))
        listed = []
    if model is None:
        return None
    rounds = [_listed(model, table, (*path, ROUNDS, j), found, game) for j, table in enumerate(listed)]
    if len(found) > problems:
        return None
    return Course(model=model, level=level if own else getattr(model, LEVEL), rounds=tuple(one for one in rounds if one is not None))


def _listed(model: Model, table: object, path: Path, found: list[Problem], game: AnySystem) -> ListedRound | None:
    if not isinstance(table, Mapping):
        found.append(Problem.of(path, "a table of what this round does differently", table))
        return None
    fixed = [key for key in table if key in _FIXED]
    found += [Problem((*path, key), f"{key} must be left out of a round; got it") for key in fixed]
    made = None if fixed else section(type(model), model.given() | dict(table), path, found, game=game)
    return None if made is None else ListedRound(model=made, keys=frozenset(table))
