"""The build files and tables of creatures that come with the package, by name; the first comment line of a build file is its summary."""

from __future__ import annotations

from importlib.resources import files

from analyzer.rulekit.problems import ScenarioError, suggestion
from analyzer.scenario import Scenario, loads

#: What is played when no build file is given.
DEFAULT = "d20-builds"
_SUFFIX = ".toml"
#: The ending of a table of creatures; it belongs to its name.
TABLE = ".csv"


def names() -> list[str]:
    """The names of the examples, in order."""
    return sorted(entry.name.removesuffix(_SUFFIX) for entry in files(__name__).iterdir() if entry.name.endswith(_SUFFIX))


def tables() -> list[str]:
    """The names of the tables of creatures, in order, such as ``srd35-creatures.csv``."""
    return sorted(entry.name for entry in files(__name__).iterdir() if entry.name.endswith(TABLE))


def table(name: str) -> str:
    """The text of a table of creatures.

    Raises
    ------
    ScenarioError
        When there is no such table; the message lists the known ones.
    """
    if name not in tables():
        raise ScenarioError([f"table of creatures must be one of {', '.join(tables())}; got {name!r}"])
    return (files(__name__) / name).read_text(encoding="utf-8")


def text(name: str) -> str:
    """The build file of an example.

    Raises
    ------
    ScenarioError
        When there is no such example; the message lists the known ones, or the closest.
    """
    if name not in names():
        tail = suggestion(name, names())
        raise ScenarioError([f"example must be one of {', '.join(names())}; got {name!r}{f'; {tail}' if tail.startswith('did') else ''}"])
    return (files(__name__) / f"{name}{_SUFFIX}").read_text(encoding="utf-8")


def example(name: str = DEFAULT) -> Scenario:
    """The scenario of an example; errors are those of `text`."""
    return loads(text(name), source=name)


def summary(name: str) -> str:
    """What an example shows, in a line."""
    return text(name).splitlines()[0].removeprefix("#").strip()


def system(name: str) -> str:
    """The id of the game an example plays."""
    import tomllib  # noqa: PLC0415 - costs start-up time, and only a list of the examples asks for it

    return str(tomllib.loads(text(name))["system"])
