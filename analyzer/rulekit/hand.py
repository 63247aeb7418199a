"""What is at hand: the things the attacks of a turn may be made with, in any order, where each attack makes those after it harder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: The keys of a build that change, with their new values.
Changes = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hand:
    """A turn whose attacks may be made in any order.

    What an attack is worth may depend on what it is made with, on its place in the turn, and on which attacks came before it, but neither on the order of
    those nor on what they rolled.
    """

    #: what may attack, in the order of the build
    names: tuple[str, ...]
    #: what the attacks of the own turn are made with, in order
    turn: tuple[str, ...]
    #: the changes by which the own turn is attacks with these, in order; with True the round holds nothing else
    taking: Callable[[Sequence[str], bool], Changes]
    #: the attack penalty (AP) that an attack with each leaves for those after it; empty where that is no number of the weapon
    ap: Mapping[str, int] = field(default_factory=dict)
    #: the changes by which one of them has another AP
    with_ap: Callable[[str, int], Changes] | None = None
