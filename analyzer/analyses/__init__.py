"""The questions: one file each, one function, one tidy DataFrame, one figure, one command. A file here with a function of its name is found."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


@cache
def names() -> tuple[str, ...]:
    """The names of the questions, in order."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def ask(name: str) -> Any:  # noqa: ANN401 - a question's own signature
    """The function that asks a question."""
    return getattr(import_module(f"{__name__}.{name}"), name)
