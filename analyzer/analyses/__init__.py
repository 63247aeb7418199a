"""The questions: one file each, one function, one tidy DataFrame, one figure, one command. A file here with a function of its name is found."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


@cache
def names() -> tuple[str, ...]:
    """The names of the questions, in order."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


@cache
def questions() -> dict[str, str]:
    """The names of those made by `analyzer.asking.question.question`, each with what its file says of itself in the first line.

    The files are read, not imported: with what they need they cost start-up time, and a list of commands asks for none of it.
    """
    found: dict[str, str] = {}
    for module in iter_modules(__path__):
        spec: Any = module.module_finder.find_spec(module.name, None)
        source = spec.loader.get_source(module.name)
        if "\n@question(" in source:
            found[module.name] = _summary(source)
    return dict(sorted(found.items()))


def _summary(source: str) -> str:
    """The first line of a file's docstring, without the name before it."""
    line = inspect.cleandoc(source).lstrip('"').partition("\n")[0].removesuffix('"""').strip()
    text = line.partition(": ")[2] or line
    return text[:1].upper() + text[1:]


def ask(name: str) -> Any:  # noqa: ANN401 - a question's own signature
    """The function that asks a question."""
    return getattr(import_module(f"{__name__}.{name}"), name)
