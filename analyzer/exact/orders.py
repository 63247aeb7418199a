"""The best and the worst order of attacks, exactly, when an attack is worth what it is made with and which attacks came before it, in whatever order.

Then a turn is worth a sum of one term per attack, and two orders of the same attacks are worth the same to everything after them. So of all the orders that
lead to the same multiset only the best can begin a best turn of a given end, and only the worst a worst one (Bellman's principle): a dynamic programme over
multisets finds what the enumeration of all orders finds, with ``C(n + k, k)`` states for ``n`` attacks with ``k`` things instead of ``k**n`` orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import inf

import numpy as np

from analyzer.pmf import Floats

#: How often each thing has been attacked with.
Multiset = tuple[int, ...]
#: Relative difference of two sums that is their rounding.
_ROUNDING = 1e-12


def multisets(limits: Multiset, length: int) -> list[list[Multiset]]:
    """The multisets of 0, 1, ... ``length`` attacks in which nothing comes up more often than its limit."""
    levels: list[list[Multiset]] = [[(0,) * len(limits)]]
    for _ in range(length):
        after = {more: None for state in levels[-1] for _, more in following(state, limits)}
        levels.append(list(after))
    return levels


def following(state: Multiset, limits: Multiset) -> Iterator[tuple[int, Multiset]]:
    """Each thing that may be attacked with next, and the multiset afterwards."""
    for i, limit in enumerate(limits):
        if state[i] < limit:
            yield i, (*state[:i], state[i] + 1, *state[i + 1 :])


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Worths:
    """What attacks are worth.

    Parameters
    ----------
    limits
        How often each thing may come up.
    length
        Attacks of a turn.
    attack : mapping of (multiset before, thing) to (n_column,) float64
        An attack's mean damage.
    ending : mapping of multiset to (n_column,) float64
        What a turn that has come to it is worth beside its attacks.
    """

    limits: Multiset
    length: int
    attack: Mapping[tuple[Multiset, int], Floats]
    ending: Mapping[Multiset, Floats]

    def of(self, order: tuple[int, ...]) -> Floats:
        """What one order is worth, (n_column,) float64."""
        state = (0,) * len(self.limits)
        total: Floats = np.zeros_like(next(iter(self.ending.values())))
        for i in order:
            total = total + self.attack[state, i]
            state = (*state[:i], state[i] + 1, *state[i + 1 :])
        return total + self.ending[state]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Ranking:
    """The orders that are worth most, or least with ``sign`` -1."""

    worths: Worths
    sign: int
    #: what the best order that comes to a multiset is worth, ending excluded, (n_column,) float64
    reached: Mapping[Multiset, Floats]

    def value(self, column: int) -> float:
        """What the best order is worth."""
        return max((self.sign * self.at(state, column) for state in self.worths.ending), default=-inf) * self.sign

    def at(self, state: Multiset, column: int) -> float:
        """What the best order of the attacks of one multiset is worth."""
        return float(self.reached[state][column] + self.worths.ending[state][column])

    def count(self, column: int) -> int:
        """How many orders are worth the same as the best, up to rounding."""
        ways: dict[Multiset, int] = {}

        def reaching(state: Multiset) -> int:
            if state not in ways:
                ways[state] = sum(reaching(before) for before, _ in self._before(state, column)) if any(state) else 1
            return ways[state]

        return sum(reaching(state) for state in self._ends(column))

    def orders(self, column: int, most: int) -> tuple[tuple[int, ...], ...]:
        """Some of the best orders."""
        return tuple(islice((order for state in self._ends(column) for order in self._orders(state, column)), most))

    def _orders(self, state: Multiset, column: int) -> Iterator[tuple[int, ...]]:
        if not any(state):
            yield ()
        for before, i in self._before(state, column):
            yield from ((*order, i) for order in self._orders(before, column))

    def _before(self, state: Multiset, column: int) -> Iterator[tuple[Multiset, int]]:
        """The multisets from which a best order comes to this one, with the attack that does."""
        best = float(self.reached[state][column])
        for i, times in enumerate(state):
            if times:
                before = (*state[:i], times - 1, *state[i + 1 :])
                if _same(float(self.reached[before][column] + self.worths.attack[before, i][column]), best):
                    yield before, i

    def _ends(self, column: int) -> list[Multiset]:
        best = self.value(column)
        return [state for state in self.worths.ending if _same(self.at(state, column), best)]


def ranked(worths: Worths, *, best: bool = True) -> Ranking:
    """The orders that are worth most, or least, in every column."""
    sign = 1 if best else -1
    columns = next(iter(worths.ending.values()))
    reached: dict[Multiset, Floats] = {(0,) * len(worths.limits): np.zeros_like(columns)}
    better = np.maximum if best else np.minimum
    for level in multisets(worths.limits, worths.length)[:-1]:
        for state in level:
            for i, more in following(state, worths.limits):
                worth = reached[state] + worths.attack[state, i]
                reached[more] = better(reached[more], worth) if more in reached else worth
    return Ranking(worths=worths, sign=sign, reached=reached)


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _ROUNDING * max(1.0, abs(a), abs(b))
