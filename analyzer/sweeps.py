"""Reading a sweep, of armor classes or of anything else: a number, ``10:40``, or any numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The sweep shown when none is asked for.
DEFAULT = "10:40"
LOWEST, HIGHEST = -1000, 1000

#: A dash between two numbers is a range, as people write it; before a number it is a sign.
_DASH = re.compile(r"(\d)\s*[-:\N{EN DASH}\N{EM DASH}]\s*(\d)", re.ASCII)
_RANGE = re.compile(r"([+-]?\d{1,18})(?::([+-]?\d{1,18}))?", re.ASCII)


def parse_acs(ac: int | str | Iterable[int] = DEFAULT) -> tuple[int, ...]:
    """The armor classes of a sweep, in order: `parse_numbers` of ``ac``, each -1000 to 1000."""
    return parse_numbers(ac, "ac", "armor class", LOWEST, HIGHEST)


def parse_numbers(given: int | str | Iterable[int], name: str, what: str, low: int, high: int) -> tuple[int, ...]:
    """Whole numbers in order, each once.

    Parameters
    ----------
    given : int, str or iterable of int
        ``28``, ``"28"``, ``"10:40"`` (inclusive), ``"10-40"``, ``"15,20,25:30"`` or the numbers themselves.
    name, what
        The parameter and what one number is, for messages.
    low, high
        The bounds of each number.

    Raises
    ------
    ValueError
        Anything else, with what would be right.
    TypeError
        A number that is no whole one.
    """
    if isinstance(given, str):
        plain = _DASH.sub(r"\1:\2", given).replace("\N{MINUS SIGN}", "-")
        values = tuple(value for part in plain.split(",") for value in _part(part.strip(), given, name, low, high))
    elif isinstance(given, Iterable):
        values = tuple(given)
    else:
        values = (given,)
    if not values:
        raise ValueError(f"{name} must be at least one {what}; got {given!r}")
    for value in values:
        if isinstance(value, bool) or (not isinstance(value, int) and not hasattr(value, "__index__")):
            raise TypeError(f"{name} must be a whole number; got {value!r}")
        if not low <= int(value) <= high:
            raise ValueError(f"{name} must be {low} to {high}; got {value}")
    return tuple(dict.fromkeys(int(value) for value in values))


def _part(part: str, whole: str, name: str, low: int, high: int) -> Iterable[int]:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise ValueError(f"{name} must be a number such as 28 or a range such as 10:40; got {whole!r}")
    first = int(match[1])
    last = first if match[2] is None else int(match[2])
    if last < first:
        raise ValueError(f"{name} must be a range from low to high; got {part!r}")
    if not low <= first <= last <= high:
        raise ValueError(f"{name} must be {low} to {high}; got {part!r}")
    return range(first, last + 1)


def spans(numbers: Iterable[int]) -> str:
    """Whole numbers in order with runs drawn together.

    Examples
    --------
    >>> spans([15, 16, 17, 20, 22, 23])
    '15 to 17, 20, 22 to 23'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in runs)


def few(number: int, most: int = 3) -> tuple[int, ...]:
    """Places of a few among so many, evenly apart from the first to the last."""
    return tuple(dict.fromkeys(round(i * (number - 1) / (most - 1)) for i in range(most)))
