"""Sequences: the orders of a build's turn before a field of foes, what each is worth exactly, and what simulated rounds say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import comb, isclose

import numpy as np

from analyzer.asking.seats import Seat, Simulation
from analyzer.exact import Round
from analyzer.exact.orders import Multiset, Ranking, Worths, following, multisets, ranked
from analyzer.pmf import Floats
from analyzer.rulekit.hand import Hand
from analyzer.workings.armoury import hand_of, taking
from analyzer.workings.differences import Apart, at_mixes
from analyzer.workings.means import Means, means

#: Most attacks worked out one by one: multisets times what may come next.
MAX_ATTACKS = 5000
#: Orders as good as the best that are looked up.
NAMED = 3

#: What is attacked with, by its place in the hand, in order.
Order = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What is best and worst against one mix."""

    mix: int
    best: Order
    #: some that are as good, at most `NAMED`
    also: tuple[Order, ...]
    worst: Order


@dataclass(frozen=True, kw_only=True, slots=True)
class Sequences:
    """The orders of a build's turn before a field of foes, weighed into mixes."""

    seat: Seat
    hand: Hand
    worths: Worths
    best: Ranking
    worst: Ranking
    #: the listed order, where it has as many attacks
    own: Order | None
    #: seats of orders that were asked for, and what was simulated of them
    played: dict[Order, Seat] = field(default_factory=dict)
    seen: dict[Order, Means] = field(default_factory=dict)

    def spelled(self, order: Order) -> str:
        """An order in words, what is repeated at once written once: ``dagger, longsword x2``."""
        runs = ((self.hand.names[i], len(list(run))) for i, run in groupby(order))
        return ", ".join(name if times == 1 else f"{name} x{times}" for name, times in runs)

    def choices(self) -> Iterator[Choice]:
        """The best and worst order against each mix: of equally good ones the listed one, then the one before, is preferred."""
        before: Order | None = None
        for mix in range(len(self.seat.field.mixes)):
            best, also = self._chosen(mix, [known for known in (self.own, before) if known is not None])
            yield Choice(mix=mix, best=best, also=also, worst=self.worst.orders(mix, 1)[0])
            before = best

    def _chosen(self, mix: int, known: Sequence[Order]) -> tuple[Order, tuple[Order, ...]]:
        top = self.best.value(mix)
        preferred = [order for order in known if isclose(self.worth(order, mix), top, rel_tol=1e-12, abs_tol=1e-12)]
        best, *also = dict.fromkeys([*preferred, *self.best.orders(mix, NAMED + 1)])
        return best, tuple(also[:NAMED])

    def worth(self, order: Order, mix: int) -> float:
        """The mean damage of a round with one order, exactly."""
        return float(self.worths.of(order)[mix])

    def reordered(self, order: Order, mix: int) -> float:
        """What the worst order of the same attacks is worth."""
        return self.worst.at(tuple(order.count(i) for i in range(len(self.hand.names))), mix)

    def simulated(self, order: Order, mix: int, how: Simulation) -> tuple[float, float, float]:
        """Simulated mean damage of an order against a mix, its standard error, and the rounds expected to deal any."""
        if order not in self.seen:
            self.seen[order] = means(self._taking(order), how)
        return self.seen[order].seen(mix)

    def apart(self, first: Order, second: Order, mix: int, how: Simulation) -> Apart:
        """Simulated mean of one order less another on the same dice."""
        return at_mixes((self._taking(first), self._taking(second)), [(0, 1, mix)], how)[0, 1, mix]

    def _taking(self, order: Order) -> Seat:
        if order not in self.played:
            self.played[order] = self.seat.changed(taking(self.seat.build, self.hand, [self.hand.names[i] for i in order]))
        return self.played[order]


def sequences(seat: Seat, attacks: int | None, *, own: bool) -> Sequences:
    """The orders of a build's turn.

    Parameters
    ----------
    seat : Seat
        A build whose game leaves the order free.
    attacks : int or None
        Attacks of the turn; None is as many as it lists.
    own : bool
        Whether only the listed attacks are put in another order; else each may be made with anything at hand.

    Raises
    ------
    ValueError
        No attacks, too many cases, or attacks that depend on what earlier ones rolled.
    """
    hand = hand_of(seat.build)
    if hand is None:
        raise ValueError(f"builds must have attacks whose order is free; got {seat.build.name!r}")
    length, things = len(hand.turn) if attacks is None else attacks, len(hand.names)
    if length == 0 or things == 0:
        raise ValueError(f"attacks must be given, and something to attack with, for {seat.build.name!r}; got a turn without attacks")
    made = things * comb(length - 1 + things, things)
    if made > MAX_ATTACKS:
        raise ValueError(f"attacks must come to at most {MAX_ATTACKS} cases with {things} weapons at hand; got {made} cases of {length} attacks")
    worths = _worths(seat, hand, tuple(hand.turn.count(name) if own else length for name in hand.names), length)
    listed = tuple(hand.names.index(name) for name in hand.turn)
    return Sequences(seat=seat, hand=hand, worths=worths, best=ranked(worths), worst=ranked(worths, best=False), own=listed if len(listed) == length else None)


def _worths(seat: Seat, hand: Hand, limits: Multiset, length: int) -> Worths:
    """What every attack of some order is worth, each from a round of the game's own making, and what comes after the turn."""

    def mixed(names: Sequence[str], first: int, last: int | None) -> Floats:
        found = seat.changed(taking(seat.build, hand, names))
        if any(len(step.variants) > 1 for faced in found.faced for step in faced.plan.steps):
            raise ValueError(f"builds must have attacks that do not depend on what earlier ones rolled; got {seat.build.name!r}")
        return seat.mixed(found.gathered(lambda _, whole: _sum(whole, first, last)))

    levels = multisets(limits, length)
    attack: dict[tuple[Multiset, int], Floats] = {}
    for state in (state for level in levels[:-1] for state in level):
        before = _spread(hand, state)
        for i, _ in following(state, limits):
            attack[state, i] = mixed([*before, hand.names[i]], len(before), len(before) + 1)
    return Worths(limits=limits, length=length, attack=attack, ending={state: mixed(_spread(hand, state), length, None) for state in levels[-1]})


def _spread(hand: Hand, state: Multiset) -> list[str]:
    return [name for name, times in zip(hand.names, state, strict=True) for _ in range(times)]


def _sum(found: Round, first: int, last: int | None) -> Floats:
    """The mean damage of some attacks of a round, (n_ac,) float64."""
    out: Floats = np.sum([attack.mean for attack in found.attacks[first:last]], axis=0) + np.zeros(len(found.acs))
    return out
