"""One offer of each thing, all as close together as can be: the narrowest window of scores that holds one of every group, no good being taken twice."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """Something a group may take: a good, at a score above 0."""

    group: int
    good: Hashable
    score: float
    #: whether the group has this good now, and keeps it where that costs nothing
    own: bool = False


def closest(offers: Sequence[Offer], groups: int, centre: float) -> tuple[int, ...] | None:
    """The offers, one of each group and no good twice, whose highest score divided by the lowest is smallest.

    Windows of scores that begin at each offer are widened until the groups can be matched to goods within them; where the next one begins later, it ends no
    earlier, so that every window is looked at once. A matching is found by augmenting paths.

    Parameters
    ----------
    offers : sequence of Offer
        What there is.
    groups : int
        How many groups there are, numbered from 0.
    centre : float
        Within the narrowest window, of the offers of a good to a group the one closest to this is taken.

    Returns
    -------
    tuple of int or None
        The place of the chosen offer of each group; None when no choice gives every group a good of its own.
    """
    ranked = sorted(range(len(offers)), key=lambda i: offers[i].score)
    best: tuple[float, int, int] | None = None
    end = 0
    for start, first in enumerate(ranked):
        end = max(end, start + 1)
        while (found := _matched(offers, ranked[start:end], groups, centre)) is None and end < len(ranked):
            end += 1
        if found is None:
            break
        spread = offers[ranked[end - 1]].score / offers[first].score
        if best is None or spread < best[0]:
            best = spread, start, end
    return None if best is None else _matched(offers, ranked[best[1] : best[2]], groups, centre)


def _matched(offers: Sequence[Offer], held: Sequence[int], groups: int, centre: float) -> tuple[int, ...] | None:
    """An offer for each group among those held, no good twice."""
    choices: list[dict[Hashable, int]] = [{} for _ in range(groups)]
    for place in sorted(held, key=lambda place: (not offers[place].own, abs(log(offers[place].score / centre)))):
        choices[offers[place].group].setdefault(offers[place].good, place)
    taken: dict[Hashable, int] = {}

    def seek(group: int, tried: set[Hashable]) -> bool:
        for good in choices[group]:
            if good not in tried:
                tried.add(good)
                if good not in taken or seek(taken[good], tried):
                    taken[good] = group
                    return True
        return False

    if not all(seek(group, set()) for group in range(groups)):
        return None
    goods = {group: good for good, group in taken.items()}
    return tuple(choices[group][goods[group]] for group in range(groups))
