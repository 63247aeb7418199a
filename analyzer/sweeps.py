"""Reading a sweep of armor classes: a number, ``10:40``, or any numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The sweep shown when none is asked for.
DEFAULT = "10:40"
LOWEST, HIGHEST = -1000, 1000

#: A dash between two numbers is a range, as people write it; before a number it is a sign.
_DASH = re.compile(r"(\d)\s*[-:\N{EN DASH}\N{EM DASH}]\s*(\d)", re.ASCII)
_RANGE = re.compile(r"([+-]?\d{1,5})(?::([+-]?\d{1,5}))?", re.ASCII)


def parse_acs(ac: int | str | Iterable[int] = DEFAULT) -> tuple[int, ...]:
    """The armor classes of a sweep, in order.

    Parameters
    ----------
    ac : int, str or iterable of int
        ``28``, ``"28"``, ``"10:40"`` (inclusive), ``"10-40"``, ``"15,20,25:30"`` or the numbers themselves; each -1000 to 1000.

    Raises
    ------
    ValueError
        Anything else, with what would be right.
    """
    if isinstance(ac, str):
        values = tuple(value for part in _DASH.sub(r"\1:\2", ac).replace("\N{MINUS SIGN}", "-").split(",") for value in _part(part.strip(), ac))
    elif isinstance(ac, Iterable):
        values = tuple(ac)
    else:
        values = (ac,)
    if not values:
        raise ValueError(f"ac must be at least one armor class; got {ac!r}")
    for value in values:
        if isinstance(value, bool) or (not isinstance(value, int) and not hasattr(value, "__index__")):
            raise TypeError(f"ac must be a whole number; got {value!r}")
        if not LOWEST <= int(value) <= HIGHEST:
            raise ValueError(f"ac must be {LOWEST} to {HIGHEST}; got {value}")
    return tuple(dict.fromkeys(int(value) for value in values))


def _part(part: str, whole: str) -> Iterable[int]:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise ValueError(f"ac must be a number such as 28 or a range such as 10:40; got {whole!r}")
    first = int(match[1])
    last = first if match[2] is None else int(match[2])
    if last < first:
        raise ValueError(f"ac must be a range from low to high; got {part!r}")
    if not LOWEST <= first <= last <= HIGHEST:
        raise ValueError(f"ac must be {LOWEST} to {HIGHEST}; got {part!r}")
    return range(first, last + 1)
