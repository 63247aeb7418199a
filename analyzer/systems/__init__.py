"""The games, discovered: every module here, and every entry point of the group ``analyzer.systems``, that exposes ``SYSTEM``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from analyzer.rulekit.problems import suggestion
from analyzer.rulekit.system import AnySystem, System

GROUP = "analyzer.systems"


@cache
def systems() -> MappingProxyType[str, AnySystem]:
    """Every game by its id, the built-in ones first.

    Raises
    ------
    TypeError
        When a module or entry point exposes something other than a `System`.
    ValueError
        When two games have one id.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and a game of this package is found without it

    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__) if not found.name.startswith("_"))
    named = [(module.__name__, module.SYSTEM) for module in modules]
    for point in entry_points(group=GROUP):
        loaded = point.load()
        named.append((point.value, getattr(loaded, "SYSTEM", loaded)))
    table: dict[str, AnySystem] = {}
    for source, system in named:
        if not isinstance(system, System):
            raise TypeError(f"SYSTEM of {source} must be a System; got {type(system).__name__}")
        if system.id in table:
            raise ValueError(f"system id of {source} must be unique; got {system.id!r} again")
        table[system.id] = system
    return MappingProxyType(table)


def get(id: str) -> AnySystem:
    """The game with this id.

    A game whose module here bears its id is found without a look at the others, whose models cost start-up time; so only `systems` tells that another package
    has a game of the same id.

    Raises
    ------
    ValueError
        When there is none; the message lists the known ids, or the closest.
    """
    found = (_own(id) or systems().get(id)) if isinstance(id, str) else None
    if found is None:
        raise ValueError(f"system must be one of {', '.join(systems())}; got {id!r}" + hint(id))
    return found


def _own(id: str) -> AnySystem | None:
    """The game in the module here that bears its id, if there is one."""
    name = f"{__name__}.{id}"
    if not id.isidentifier() or id.startswith("_"):
        return None
    try:
        game = getattr(import_module(name), "SYSTEM", None)
    except ModuleNotFoundError as error:
        if error.name != name:  # the module is there, and something that it imports is not
            raise
        return None
    return game if isinstance(game, System) and game.id == id else None


def hint(id: object) -> str:
    """``; did you mean ...?`` for an unknown id that resembles a known one."""
    tail = suggestion(id, systems()) if isinstance(id, str) else ""
    return f"; {tail}" if tail.startswith("did") else ""
