"""Plays a referee: over every face of every die in exact fractions, or over recorded dice."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

Roll = Callable[[int], int]  # roll(sides) hands over the next die, 1..sides


class Outcome(NamedTuple):
    """One round: its damage, and per attack 0 natural miss, 1 miss, 2 hit, 3 critical."""

    total: int
    degrees: tuple[int, ...]


Play = Callable[[Roll], Outcome]


class LimitError(RuntimeError):
    """The tree of dice has more leaves than the caller allows."""


class ReplayError(AssertionError):
    """The referee's dice are not the recorded dice."""


def enumerate_rounds(play: Play, limit: int = 10**6) -> dict[Outcome, Fraction]:
    """Exact chance of every outcome of a round; LimitError when its dice have more than `limit` leaves."""
    sides: list[int] = []
    faces: list[int] = []
    weights: list[int] = [1]  # weights[n]: in how many equally likely ways the first n dice can fall
    position = 0

    def roll(asked: int) -> int:
        nonlocal position
        if position == len(sides):
            if asked < 1:
                raise ValueError(f"sides must be at least 1; got {asked}")
            sides.append(asked)
            faces.append(1)
            weights.append(weights[-1] * asked)
        elif sides[position] != asked:
            raise ReplayError(f"die {position} must have {sides[position]} sides after the same dice; got {asked}")
        position += 1
        return faces[position - 1]

    counts: defaultdict[Outcome, Counter[int]] = defaultdict(Counter)
    for _ in range(limit):
        position = 0
        counts[play(roll)][weights[-1]] += 1
        if position != len(sides):
            raise ReplayError(f"the referee must ask for {len(sides)} dice after the same dice; got {position}")
        while sides and faces[-1] == sides[-1]:
            sides.pop()
            faces.pop()
            weights.pop()
        if not sides:
            return {outcome: sum((Fraction(times, weight) for weight, times in ways.items()), Fraction()) for outcome, ways in counts.items()}
        faces[-1] += 1
    raise LimitError(f"leaves must be at most {limit}; the dice of this round have more")


def replay(play: Play, dice: Sequence[tuple[int, int]]) -> Outcome:
    """Outcome of the round that rolled `dice`, pairs of sides and face; ReplayError unless it is exactly these, in this order."""
    position = 0

    def roll(asked: int) -> int:
        nonlocal position
        if position == len(dice):
            raise ReplayError(f"dice must be at least {position + 1}; got {position}, and the referee asks for a d{asked}")
        sides, face = dice[position]
        if sides != asked:
            raise ReplayError(f"die {position} must be a d{asked}; got a d{sides}")
        if not 1 <= face <= sides:
            raise ReplayError(f"die {position} must show 1..{sides}; got {face}")
        position += 1
        return face

    outcome = play(roll)
    if position != len(dice):
        raise ReplayError(f"dice must be {position}, all that the referee asks for; got {len(dice)}")
    return outcome
