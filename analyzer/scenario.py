"""Builds and build files: from TOML or keyword arguments to validated models, and from those to a plan.

Everything that is wrong with a file is found in one pass and raised as one `ScenarioError`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from analyzer.dice import CriticalRange, NotationError
from analyzer.rulekit.fields import plain
from analyzer.rulekit.models import Model, TargetKeys
from analyzer.rulekit.problems import Path as KeyPath
from analyzer.rulekit.problems import Problem, ProblemError, ScenarioError, shown, unknown_key
from analyzer.rulekit.reading import line, section, typos
from analyzer.rulekit.system import AnySystem, Derivation
from analyzer.systems import get, hint, systems

__all__ = ["Build", "Scenario", "ScenarioError", "get_game", "load", "loads", "rules_from_strings", "schema", "sheet", "statblock", "target"]

DEFAULT_SYSTEM = "d20"
_TOP = ("system", "rules", "target", "build")
#: Most builds in one file.
MAX_BUILDS = 1000
_SWITCH_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """One build: a statblock or sheet of a game, with the switches it is played by.

    ``model`` is the validated statblock or sheet, ``rules`` the validated switches, both of the game ``system``.
    """

    name: str
    system: str
    model: Model
    rules: Model

    def derive(self, target: TargetKeys | None = None, ac: int | None = None) -> Derivation:
        """The plan of this build against a target, with every number explained.

        Parameters
        ----------
        target
            A target of the same game, from `target` or a file; None is one about which nothing is said.
        ac
            Replaces the defence the first attack aims at; the others that follow a sweep move by the same difference.

        Raises
        ------
        ScenarioError
            When build and target do not go together.
        TypeError
            When the target belongs to another game.
        """
        game = get(self.system)
        faced = game.Target() if target is None else target
        if not isinstance(faced, game.Target):
            raise TypeError(f"target must be a target of {self.system}, as target(system={self.system!r}, ...) gives; got {type(target).__name__}")
        try:
            return game.derive(self.model, self.rules, faced, None if ac is None else index(ac))
        except ProblemError as error:
            raise ScenarioError(line(p, self.name) for p in error.problems) from error

    def but(self, **changes: Any) -> Build:  # noqa: ANN401 - any key of the build's model
        """A variation of this build.

        Parameters
        ----------
        **changes
            ``attack`` and ``damage`` as integers shift every attack bonus and every weapon damage roll; any other value, and any other key of the statblock
            or sheet, replaces what was there. ``rules`` is a table of switches to change. ``name`` names the variation; without it the name tells the changes.

        Raises
        ------
        ScenarioError
            When a key or value is not one the build may have.

        Examples
        --------
        >>> statblock("+20/+15", "2d6+15", name="greatsword").but(attack=+1).name
        'greatsword (attack +1)'
        """
        told = [f"{k} {v:+d}" if _is_shift(k, v) else f"{k} {plain(v)}" for k, v in changes.items() if k not in ("name", "rules")]
        told += [f"{k} {plain(v)}" for k, v in dict(changes.get("rules") or {}).items()]
        name = changes.get("name") or (f"{self.name} ({', '.join(told)})" if told else self.name)
        rules = changes.pop("rules", None)
        game = get(self.system)
        shifts = {k: index(changes.pop(k)) for k in ("attack", "damage") if _is_shift(k, changes.get(k))}
        base = self.model.given()
        try:
            moved = game.shifted(self.model, shifts.get("attack", 0), shifts.get("damage", 0)) if shifts else {}
        except NotationError as error:
            raise ScenarioError([str(error)]) from error
        model = _valid(type(self.model), base | moved | changes, game)
        return Build(name=name, system=self.system, model=model, rules=_valid(game.Rules, self.rules.given() | rules, game) if rules else self.rules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """A build file: its game, its switches, its target and its builds; ``source`` is where it came from."""

    system: str
    rules: Model
    target: TargetKeys
    builds: tuple[Build, ...]
    source: str

    def but(self, *, rules: Mapping[str, object]) -> Scenario:
        """The scenario with some switches changed for all its builds."""
        game = get(self.system)
        changed = _valid(game.Rules, self.rules.given() | dict(rules), game)
        return replace(self, rules=changed, builds=tuple(replace(b, rules=changed) for b in self.builds))


def load(path: str | Path) -> Scenario:
    """The scenario in a build file.

    Raises
    ------
    ScenarioError
        When the file cannot be read or anything in it is wrong; its ``problems`` are all of them.
    """
    source = str(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise ScenarioError([f"{source}: file must exist; got no such file"]) from error
    except IsADirectoryError as error:
        raise ScenarioError([f"{source}: file must be a build file; got a directory"]) from error
    except OSError as error:
        raise ScenarioError([f"{source}: file must be readable; got {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise ScenarioError([f"{source}: file must be text in UTF-8; got byte 0x{error.object[error.start]:02x} at position {error.start}"]) from error
    except ValueError as error:
        raise ScenarioError([f"{source!r}: file must be a path; got {error}"]) from error
    return loads(text, source=source)


def loads(text: str, source: str = "text") -> Scenario:
    """The scenario in the text of a build file; errors are those of `load`."""
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise ScenarioError([f"{source}: file must be TOML with a few levels of tables; got values nested too deep"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError([f"{source}: file must be TOML; got {_lower(str(error))}"]) from error
    except ValueError as error:
        raise ScenarioError([f"{source}: file must be TOML with numbers of a few digits; got a number too long to read"]) from error
    found = [unknown_key((k,), _TOP) for k in data if k not in _TOP]
    game = _game(data, found)
    if game is None:
        raise ScenarioError(line(p) for p in found)
    rules = section(game.Rules, data.get("rules", {}), ("rules",), found)
    target = section(game.Target, data.get("target", {}), ("target",), found)
    builds = _builds(data, game, rules, found)
    lines = dict.fromkeys(line(p, _name_at(p.path, data)) for p in (*found, *_together(game, rules, target, builds)))
    if lines or rules is None or target is None:
        raise ScenarioError(lines)
    return Scenario(system=game.id, rules=rules, target=target, builds=tuple(b for b in builds if b is not None), source=source)


def statblock(
    attack: str | int | Iterable[int],
    damage: str | int,
    *,
    critical: str | int | None = None,
    extra: str | Iterable[str] = (),
    name: str | None = None,
    system: str = DEFAULT_SYSTEM,
    rules: Mapping[str, object] | None = None,
    **more: Any,  # noqa: ANN401 - any key of the game's statblock
) -> Build:
    """A build from numbers people already have.

    Parameters
    ----------
    attack
        Final attack bonuses, such as ``"+20/+15"``.
    damage
        The weapon's damage, such as ``"2d6+15"``.
    critical
        Threat range and multiplier, such as ``"17-20/x2"``.
    extra
        Damage added after the weapon's, such as ``["5d6", "1d6 fire"]``.
    name
        The name shown; default: the attacks and damage.
    system
        The game's id.
    rules
        The game's switches, such as ``{"ties": "hit"}``.
    **more
        Further keys of the game's statblock.

    Returns
    -------
    Build

    Raises
    ------
    ScenarioError
        When a key or value is wrong; all of them at once.

    Examples
    --------
    >>> statblock("+20/+15", "2d6+15", critical="17-20/x2", extra=["5d6"]).name
    '+20/+15 2d6+15'
    """
    keys = {"attack": list(attack) if isinstance(attack, Iterable) and not isinstance(attack, str) else attack, "damage": damage, **more}
    if critical is not None:
        keys["critical"] = critical
    if extra:
        keys["extra"] = extra if isinstance(extra, str) else list(extra)
    return _build(get_game(system), keys, name, rules, sheet=False)


def sheet(system: str = DEFAULT_SYSTEM, rules: Mapping[str, object] | None = None, **keys: Any) -> Build:  # noqa: ANN401 - any key of the game's sheet
    """A build from a character sheet: the keys of a sheet in a build file as keyword arguments.

    Raises
    ------
    ScenarioError
        When a key or value is wrong; all of them at once.

    Examples
    --------
    >>> sheet(bab=6, abilities={"strength": 18}, weapon={"damage": "1d8"}, name="guard").derive().plan.steps[0].variants[0].bonus
    10
    """
    return _build(get_game(system), keys, keys.get("name"), rules, sheet=True)


def target(system: str = DEFAULT_SYSTEM, **keys: Any) -> TargetKeys:  # noqa: ANN401 - any key of the game's target
    """A target: the keys of ``[target]`` as keyword arguments.

    Raises
    ------
    ScenarioError
        When a key or value is wrong; all of them at once.

    Examples
    --------
    >>> target(ac=28, reduction={"physical": 5}).reduction
    {'physical': 5}
    """
    game = get_game(system)
    made: TargetKeys = _valid(game.Target, keys, game)
    _raise([p for path, table in game.reduction_tables(made) for p in typos(path, table, frozenset(), every=False)])
    return made


def get_game(system: str) -> AnySystem:
    """The game with this id, or a `ScenarioError` that lists the known ones."""
    try:
        return get(system)
    except ValueError as error:
        raise ScenarioError([str(error)]) from error


def rules_from_strings(pairs: Mapping[str, str], system: str = DEFAULT_SYSTEM) -> dict[str, object]:
    """The values of switches written as words, as after ``--rule``: ``on``, ``off``, ``true``, ``false``, ``yes``, ``no`` where a switch is on or off.

    Raises
    ------
    ScenarioError
        When a switch is unknown or may not have that value.

    Examples
    --------
    >>> rules_from_strings({"ties": "hit", "confirm_naturals": "on"})
    {'ties': 'hit', 'confirm_naturals': True}
    """
    game = get_game(system)
    values: dict[str, object] = {key: _SWITCH_WORDS.get(word.lower(), word) if _is_boolean(game, key) else word for key, word in pairs.items()}
    _valid(game.Rules, values, game)
    return values


class _Defaults(GenerateJsonSchema):
    """Writes a default of the dice notation as a build file would."""

    def encode_default(self, dft: Any) -> Any:  # noqa: ANN401 - any default
        """The default as JSON."""
        return str(dft) if isinstance(dft, CriticalRange) else super().encode_default(dft)


def schema() -> dict[str, Any]:
    """The JSON Schema of a build file: one alternative per game, told apart by ``system``."""
    games = systems()
    models: list[type[BaseModel]] = [model for game in games.values() for model in (game.Rules, game.Target, game.Statblock, game.Sheet)]
    refs, definitions = models_json_schema([(model, "validation") for model in models], schema_generator=_Defaults)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Build file of analyzer",
        "type": "object",
        "required": ["system", "build"],
        "properties": {"system": {"enum": list(games), "description": "the game"}},
        "oneOf": [
            {
                "title": game.name,
                "description": game.summary,
                "additionalProperties": False,
                "properties": {
                    "system": {"const": game.id},
                    "rules": refs[game.Rules, "validation"],
                    "target": refs[game.Target, "validation"],
                    "build": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MAX_BUILDS,
                        "items": {"anyOf": [refs[game.Statblock, "validation"], refs[game.Sheet, "validation"]]},
                    },
                },
            }
            for game in games.values()
        ],
        **{key: value for key, value in definitions.items() if key == "$defs"},
    }


def _build(game: AnySystem, keys: dict[str, Any], name: str | None, rules: Mapping[str, object] | None, *, sheet: bool) -> Build:
    found: list[Problem] = []
    switches = section(game.Rules, dict(rules or {}), ("rules",), found)
    named = keys | ({"name": name} if name is not None else {})
    model = section(game.Sheet if sheet else game.Statblock, named, (), found, game=game)
    _raise(found)
    if model is None or switches is None:
        raise ScenarioError([])
    return Build(name=name or _default_name(model), system=game.id, model=model, rules=switches)


def _default_name(model: Model) -> str:
    """The attacks and damage of a statblock, or the weapons of a sheet."""
    numbers = model.model_dump(include={"attack", "damage"}, exclude_none=True)
    return " ".join(map(str, numbers.values())) or "sheet"


def _game(data: Mapping[str, Any], found: list[Problem]) -> AnySystem | None:
    """The file's game, or None with the problem noted."""
    wanted = data.get("system")
    if isinstance(wanted, str) and wanted in systems():
        return get(wanted)
    given = f"got {shown(wanted)}{hint(wanted)}" if "system" in data else "got nothing"
    found.append(Problem(("system",), f"system must be one of {', '.join(systems())}; {given}"))
    return None


def _builds(data: Mapping[str, Any], game: AnySystem, rules: Model | None, found: list[Problem]) -> list[Build | None]:
    """The builds of a file in order, None for one with problems."""
    tables = data.get("build")
    if not isinstance(tables, list) or not tables:
        got = "got nothing" if tables is None else f"got {shown(tables)}"
        found.append(Problem(("build",), f"build must be one or more tables, each under [[build]]; {got}"))
        return []
    if len(tables) > MAX_BUILDS:
        found.append(Problem(("build",), f"build must be at most {MAX_BUILDS} tables; got {len(tables)}"))
        return []
    builds: list[Build | None] = []
    names: dict[str, int] = {}
    for i, table in enumerate(tables):
        kind = game.Statblock if _is_statblock(table) else game.Sheet
        model = section(kind, table, ("build", i), found, game=game)
        written = table.get("name") if isinstance(table, Mapping) else None
        name = written if isinstance(written, str) else f"build {i + 1}"
        if name in names:
            found.append(Problem(("build", i, "name"), f"name must be unlike the other builds'; got {name!r}, the name of build[{names[name]}]"))
        names.setdefault(name, i)
        builds.append(None if model is None or rules is None else Build(name=name, system=game.id, model=model, rules=rules))
    return builds


def _is_statblock(table: object) -> bool:
    if not isinstance(table, Mapping):
        return False
    weapons = table.get("weapons")
    return "attack" in table or (isinstance(weapons, list) and any(isinstance(w, Mapping) and "attack" in w for w in weapons))


def _together(game: AnySystem, rules: Model | None, target: TargetKeys | None, builds: list[Build | None]) -> Iterator[Problem]:
    """The problems of builds and target that are each right alone."""
    dealt: set[str] = set()
    every = bool(builds)
    for i, build in enumerate(builds):
        if build is None or rules is None or target is None:
            every = False
            continue
        try:
            derived = game.derive(build.model, rules, target, None)
        except ProblemError as error:
            yield from (p if p.path[:1] == ("target",) else p.below(("build", i)) for p in error.problems)
            every = False
            continue
        dealt |= {part.type for step in derived.plan.steps for a in step.variants if a for packets in a.on for packet in packets for part in packet.parts}
    if target is not None:
        for path, table in game.reduction_tables(target):
            yield from (p.below(("target",)) for p in typos(path, table, dealt, every=every))


def _valid(model: type[Any], data: Mapping[str, Any], game: AnySystem) -> Any:  # noqa: ANN401 - the model's own type
    """The keywords validated as ``model``."""
    found: list[Problem] = []
    made = section(model, data, (), found, game=game)
    _raise(found)
    return made


def _raise(found: Iterable[Problem]) -> None:
    lines = [line(p) for p in found]
    if lines:
        raise ScenarioError(lines)


def _name_at(path: KeyPath, data: Mapping[str, Any]) -> str | None:
    """The name of the build a path of the file leads into."""
    if path[:1] != ("build",) or len(path) < 2 or not isinstance(path[1], int):
        return None
    table = data["build"][path[1]]
    name = table.get("name") if isinstance(table, Mapping) else None
    return name if isinstance(name, str) and name.isprintable() and name.strip() == name and 0 < len(name) <= 80 else None


def _is_shift(key: str, value: object) -> bool:
    return key in ("attack", "damage") and isinstance(value, SupportsIndex) and not isinstance(value, bool)


def _is_boolean(game: AnySystem, key: str) -> bool:
    field = game.Rules.model_fields.get(key)
    return field is not None and field.annotation is bool


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
