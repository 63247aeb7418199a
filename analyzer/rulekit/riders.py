"""Riders: what happens once in a turn, on the first attack that does well enough, as the states of the turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from analyzer.plan import DEGREES, Attack, Step, Turn

Spent = frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Strike:
    """An attack that depends on which riders the turn has spent.

    ``spends`` names the riders it may spend, each with the lowest degree that does; ``made`` is the attack once some of those are spent.
    """

    made: Callable[[Spent], Attack]
    spends: Mapping[str, int]


def with_riders(strikes: Sequence[Strike]) -> Turn:
    """The strikes in order; state 0 is a turn that has spent nothing, each other state a set of spent riders that can come up."""
    states: list[Spent] = [frozenset()]
    for state in states:  # grows while it is read
        for strike in strikes:
            states += [after for after in dict.fromkeys(_after(strike, state)) if after not in states]
    return Turn(steps=tuple(_step(strike, states) for strike in strikes))


def _after(strike: Strike, state: Spent) -> tuple[Spent, ...]:
    """What is spent after each degree."""
    return tuple(state | {rider for rider, least in strike.spends.items() if degree >= least} for degree in range(DEGREES))


def _step(strike: Strike, states: Sequence[Spent]) -> Step:
    known = [state.intersection(strike.spends) for state in states]
    attacks = {spent: strike.made(spent) for spent in dict.fromkeys(known)}
    moves = [tuple(map(states.index, _after(strike, state))) for state in states]
    return Step(
        variants=tuple(attacks[spent] for spent in known),
        next=tuple((a, b, c, d) for a, b, c, d in moves) if len(states) > 1 else (),
    )
