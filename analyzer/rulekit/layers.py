"""Layers of protection that damage passes one after another: percent of a type, then points, each layer acting on what the one before has left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Annotated

from analyzer.plan import Reduction
from analyzer.rulekit.fields import Between, DamageType
from analyzer.rulekit.lowering import reductions
from analyzer.rulekit.problems import Problem

#: Percent off the damage of a type, or of ``physical`` or ``all``; a negative number is percent more.
PercentTable = dict[DamageType, Annotated[int, Between(-100, 100)]]
#: A layer by its key in the build file, with its table.
Layer = tuple[str, Mapping[str, int | str]]


def percent_off(table: Mapping[str, int]) -> tuple[Reduction, ...]:
    """A reduction per entry, in the order of `reductions`: ``percent`` of the damage is taken off, or added when it is negative, that share rounded down.

    Examples
    --------
    >>> ten, = percent_off({"fire": 10})
    >>> ten(9), ten(19), ten(20)
    (9, 18, 18)
    """
    made = [replace(_named(name), keep=(100 - percent, 100), up=percent > 0) for name, percent in table.items()]
    return tuple(sorted(made, key=_breadth))


def inseparable(layers: Sequence[Layer]) -> Iterator[Problem]:
    """The problems of a later layer that names a part of what an earlier one lowers as a whole: a plan keeps what was lowered together in one sum."""
    for i, (layer, table) in enumerate(layers):
        for name in table:
            wholes = ((earlier, whole) for earlier, before in layers[:i] for whole in before if _splits(_named(name), _named(whole)))
            for earlier, whole in islice(wholes, 1):
                what = f"left out of {layer} when {earlier}, which comes first, names {whole}: its damage is one sum from there on"
                yield Problem((layer, name), f"{name} must be {what}; got both")


def _named(name: str) -> Reduction:
    """The reduction of no points with the types an entry of a table stands for."""
    (found,) = reductions({name: 0})
    return found


def _breadth(reduction: Reduction) -> float:
    return inf if reduction.types is None else len(reduction.types)


def _splits(later: Reduction, earlier: Reduction) -> bool:
    """Whether the later one covers some, but not all, of what the earlier one covers."""
    if later.types is None:
        return False
    return earlier.types is None or (bool(later.types & earlier.types) and not earlier.types <= later.types)
