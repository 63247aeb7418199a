"""Builds and build files: from TOML or keyword arguments to validated models, and from those to a plan.

Everything that is wrong with a file is found in one pass and raised as one `ScenarioError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import Any

from analyzer.dice import NotationError
from analyzer.rulekit.buildfile import read, unknown_keys
from analyzer.rulekit.course import LEVEL, ROUNDS, Course, ListedRound, course
from analyzer.rulekit.fields import plain
from analyzer.rulekit.models import Model, TargetKeys
from analyzer.rulekit.problems import Path as KeyPath
from analyzer.rulekit.problems import Problem, ProblemError, ScenarioError, shown
from analyzer.rulekit.reading import line, section, typos
from analyzer.rulekit.schema import file_schema
from analyzer.rulekit.system import AnySystem, Derivation
from analyzer.systems import get, hint, systems

__all__ = ["Build", "Scenario", "ScenarioError", "get_game", "load", "loads", "rules_from_strings", "schema", "sheet", "statblock", "target"]

DEFAULT_SYSTEM = "d20"
_SWITCH_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Build:
    """One build: a statblock or sheet of a game, with the switches it is played by.

    ``model`` is the validated statblock or sheet, ``rules`` the validated switches, both of the game ``system``. ``rounds`` are the rounds of a fight that
    differ, the last repeating; a question about one round plays the build as it stands. Builds of one ``series`` are one character at different levels.
    """

    name: str
    system: str
    model: Model
    rules: Model
    level: int | None = None
    rounds: tuple[ListedRound, ...] = ()
    series: str = ""

    def __repr__(self) -> str:
        return f"<Build {self.name!r} of {self.system}>"

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
        return self._derived((), self.model, target, ac)

    def course(self, target: TargetKeys | None = None, ac: int | None = None) -> tuple[Derivation, ...]:
        """The plans of a fight, one per listed round, the last repeating; of a build without ``rounds`` the one of `derive`. Parameters and errors are its."""
        if not self.rounds:
            return (self.derive(target, ac),)
        return tuple(self._derived((ROUNDS, j), listed.model, target, ac) for j, listed in enumerate(self.rounds))

    def _derived(self, path: KeyPath, model: Model, target: TargetKeys | None, ac: int | None) -> Derivation:
        game = get(self.system)
        faced = game.Target() if target is None else target
        if not isinstance(faced, game.Target):
            raise TypeError(f"target must be a target of {self.system}, as target(system={self.system!r}, ...) gives; got {type(target).__name__}")
        try:
            return game.derive(model, self.rules, faced, None if ac is None else index(ac))
        except ProblemError as error:
            raise ScenarioError(line(p if p.path[:1] == ("target",) else p.below(path), self.name) for p in error.problems) from error

    def but(self, **changes: Any) -> Build:  # noqa: ANN401 - any key of the build's model
        """A variation of this build.

        Parameters
        ----------
        **changes
            ``attack`` and ``damage`` as integers shift every attack bonus and every weapon damage roll; any other value, and any other key of the statblock
            or sheet, replaces what was there. ``rules`` is a table of switches to change, ``level`` and ``rounds`` replace those. ``name`` names the variation;
            without it the name tells the changes. Listed rounds change too, but for the keys they give themselves.

        Raises
        ------
        ScenarioError
            When a key or value is not one the build may have.

        Examples
        --------
        >>> statblock("+20/+15", "2d6+15", name="greatsword").but(attack=+1).name
        'greatsword (attack +1)'
        """
        told = [f"{k} {v:+d}" if _is_shift(k, v) else f"{k} {plain(v)}" for k, v in changes.items() if k not in ("name", "rules", ROUNDS)]
        told += [f"{k} {plain(v)}" for k, v in dict(changes.get("rules") or {}).items()]
        name = changes.get("name") or (f"{self.name} ({', '.join(told)})" if told else self.name)
        rules = changes.pop("rules", None)
        game = get(self.system)
        kind = type(self.model)
        shifts = {k: index(changes.pop(k)) for k in ("attack", "damage") if _is_shift(k, changes.get(k))}
        timing = {k: changes.pop(k) for k in (LEVEL, ROUNDS) if k in changes and (k == ROUNDS or k not in kind.model_fields)}
        switches = _valid(game.Rules, self.rules.given() | rules, game) if rules else self.rules
        changed = replace(self, name=name, series=name, rules=switches, model=_changed(game, self.model, shifts, changes))
        listed = [
            ListedRound(model=_changed(game, one.model, shifts, {k: v for k, v in changes.items() if k not in one.keys}), keys=one.keys) for one in self.rounds
        ]
        own = getattr(changed.model, LEVEL) if LEVEL in kind.model_fields else self.level
        changed = replace(changed, rounds=tuple(listed), level=own)
        if not timing:
            return changed
        made = _course(game, kind, changed.model.given() | {LEVEL: self.level} | timing if LEVEL not in kind.model_fields else changed.model.given() | timing)
        return replace(changed, level=made.level, rounds=made.rounds if ROUNDS in timing else changed.rounds)


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
    import tomllib  # noqa: PLC0415 - costs start-up time, and a build in one line does without

    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise ScenarioError([f"{source}: file must be TOML with a few levels of tables; got values nested too deep"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError([f"{source}: file must be TOML; got {_lower(str(error))}"]) from error
    except ValueError as error:
        raise ScenarioError([f"{source}: file must be TOML with numbers of a few digits; got a number too long to read"]) from error
    game = _game(data)
    found = read(data, game)
    names = [name for name, _ in found.builds]
    builds = tuple(_named(name, game.id, made, found.rules, alone=names.count(name) == 1) for name, made in found.builds)
    return Scenario(system=game.id, rules=found.rules, target=found.target, builds=builds, source=source)


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
    keys = {"attack": _listed(attack), "damage": damage, **more}
    if critical is not None:
        keys["critical"] = critical
    entries = _listed(extra)
    if entries not in ([], "", None):
        keys["extra"] = entries
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
    for key in pairs:
        owners = [] if key in game.Rules.model_fields else [one.id for one in systems().values() if key in one.Rules.model_fields]
        if owners:
            raise ScenarioError([f"{key} must be a switch of {system}: {', '.join(game.Rules.model_fields) or 'it has none'}; got one of {', '.join(owners)}"])
    values: dict[str, object] = {key: _SWITCH_WORDS.get(word.lower(), word) if _is_boolean(game, key) else word for key, word in pairs.items()}
    _valid(game.Rules, values, game)
    return values


def schema() -> dict[str, Any]:
    """The JSON Schema of a build file: one alternative per game, told apart by ``system``."""
    return file_schema(systems().values())


def _build(game: AnySystem, keys: dict[str, Any], name: str | None, rules: Mapping[str, object] | None, *, sheet: bool) -> Build:
    found: list[Problem] = []
    switches = section(game.Rules, dict(rules or {}), ("rules",), found)
    named = keys | ({"name": name} if name is not None else {})
    made = course(game.Sheet if sheet else game.Statblock, named, (), found, game)
    _raise(found)
    if made is None or switches is None:
        raise ScenarioError([])
    return _named(name or _default_name(made.model), game.id, made, switches, alone=True)


def _named(name: str, system: str, made: Course, rules: Model, *, alone: bool) -> Build:
    """The build of a course; of several that share a name, the one of a level says so."""
    shown = name if alone else f"{name} (level {made.level})"
    return Build(name=shown, system=system, model=made.model, rules=rules, level=made.level, rounds=made.rounds, series=name)


def _course(game: AnySystem, kind: type[Any], data: Mapping[str, Any]) -> Course:
    found: list[Problem] = []
    made = course(kind, data, (), found, game)
    _raise(found)
    if made is None:
        raise ScenarioError([])
    return made


def _changed(game: AnySystem, model: Model, shifts: Mapping[str, int], changes: Mapping[str, Any]) -> Model:
    """The model with every attack bonus and weapon damage roll shifted, then some keys replaced."""
    try:
        moved = game.shifted(model, shifts.get("attack", 0), shifts.get("damage", 0)) if shifts else {}
    except NotationError as error:
        raise ScenarioError([str(error)]) from error
    except ProblemError as error:
        raise ScenarioError(line(p) for p in error.problems) from error
    made: Model = _valid(type(model), {**model.given(), **moved, **changes}, game)
    return made


def _default_name(model: Model) -> str:
    """The attacks and damage of a statblock, or the weapons of a sheet."""
    numbers = model.model_dump(include={"attack", "damage"}, exclude_none=True)
    return " ".join(map(str, numbers.values())) or "sheet"


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever a caller passes; the model says what it must be
    """Anything that can be gone through as a list, anything else as it is."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def _game(data: Mapping[str, Any]) -> AnySystem:
    """The file's game."""
    wanted = data.get("system")
    if isinstance(wanted, str):
        with suppress(ValueError):
            return get(wanted)
    given = f"got {shown(wanted)}{hint(wanted)}" if "system" in data else "got nothing"
    unknown = Problem(("system",), f"system must be one of {', '.join(systems())}; {given}")
    raise ScenarioError(line(p) for p in (*unknown_keys(data), unknown))


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


def _is_shift(key: str, value: object) -> bool:
    return key in ("attack", "damage") and hasattr(value, "__index__") and not isinstance(value, bool)


def _is_boolean(game: AnySystem, key: str) -> bool:
    field = game.Rules.model_fields.get(key)
    return field is not None and field.annotation is bool


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
