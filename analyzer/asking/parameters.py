"""Parameters of questions: what each may be is said once, and read by Python and by the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from operator import index
from typing import Any, Protocol, SupportsFloat, SupportsIndex

from analyzer.sweeps import parse_numbers

_WHOLE = re.compile(r"([+-]?\d{1,400})(?:e\+?(\d{1,2}))?", re.ASCII | re.IGNORECASE)


class Kind(Protocol):
    """What a parameter may be; stands in its annotation."""

    @property
    def metavar(self) -> str:
        """What the help of the command line shows in its place."""

    def check(self, value: Any, name: str) -> Any:  # noqa: ANN401 - whatever a caller passes
        """The value as the question takes it; a `ValueError` or `TypeError` that says what it must be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    """A whole number in bounds; text such as ``1_000_000`` or ``1e6`` too."""

    low: int
    high: int | None = None
    metavar: str = "N"

    def check(self, value: Any, name: str) -> int:  # noqa: ANN401 - whatever a caller passes
        """The number."""
        number: int | None = None
        if isinstance(value, str):
            found = _WHOLE.fullmatch(value.strip().replace("_", "").replace(",", "").replace("\N{MINUS SIGN}", "-"))
            number = None if found is None else int(found[1]) * 10 ** int(found[2] or 0)
        elif isinstance(value, int | SupportsIndex) and not isinstance(value, bool):
            number = index(value)
        else:
            raise TypeError(f"{name} must be a whole number; got {value!r}")
        if number is None or number < self.low or (self.high is not None and number > self.high):
            limits = f"from {self.low}" if self.high is None else f"from {self.low} to {self.high}"
            raise ValueError(f"{name} must be a whole number {limits}; got {value!r}")
        return number


@dataclass(frozen=True, kw_only=True, slots=True)
class Real:
    """A number in bounds; text such as ``0.5`` or, with ``percent``, ``95%`` too."""

    low: float
    high: float
    percent: bool = False
    metavar: str = "X"

    def check(self, value: Any, name: str) -> float:  # noqa: ANN401 - whatever a caller passes
        """The number."""
        number = float("nan")
        if isinstance(value, str):
            text = value.strip().replace("\N{MINUS SIGN}", "-")
            share = self.percent and text.endswith("%")
            with suppress(ValueError):
                number = float(text[:-1]) / 100.0 if share else float(text)
        elif isinstance(value, SupportsFloat) and not isinstance(value, bool):
            number = float(value)
        else:
            raise TypeError(f"{name} must be a number; got {value!r}")
        if not (isfinite(number) and self.low <= number <= self.high):
            raise ValueError(f"{name} must be a number from {self.low:g} to {self.high:g}; got {value!r}")
        return number


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def metavar(self) -> str:
        """The words."""
        return "|".join(self.words)

    def check(self, value: Any, name: str) -> str:  # noqa: ANN401 - whatever a caller passes
        """The word."""
        if value not in self.words:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, self.words))}; got {value!r}")
        return str(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """Whole numbers in bounds: one, a range such as ``10:40``, or a list."""

    low: int
    high: int
    what: str = "number"
    metavar: str = "N|LOW:HIGH"

    def check(self, value: Any, name: str) -> tuple[int, ...]:  # noqa: ANN401 - whatever a caller passes
        """The numbers in order, each once."""
        return parse_numbers(value, name, self.what, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Any text, or what else the question reads itself."""

    metavar: str = "TEXT"

    def check(self, value: Any, name: str) -> Any:  # noqa: ANN401 - the question reads it
        """The value as it is."""
        return value


@dataclass(frozen=True, kw_only=True, slots=True)
class Many:
    """Several of a kind: an option that may be repeated, or a sequence."""

    of: Kind

    @property
    def metavar(self) -> str:
        """That of one."""
        return self.of.metavar

    def check(self, value: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401 - whatever a caller passes
        """All of them."""
        alone = isinstance(value, str) or not isinstance(value, Iterable)
        return tuple(self.of.check(one, name) for one in ([value] if alone else value))


@dataclass(frozen=True, kw_only=True, slots=True)
class Keyed:
    """Values by key: a mapping, or texts such as ``KEY=VALUES`` that the question reads itself."""

    metavar: str = "KEY=VALUES"

    def check(self, value: Any, name: str) -> Mapping[str, Any] | tuple[str, ...]:  # noqa: ANN401 - whatever a caller passes
        """The mapping, or all the texts."""
        if isinstance(value, Mapping):
            return value
        texts = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"{name} must be a mapping of key to values or texts such as {self.metavar}; got {text!r}")
        return texts
