"""Other dice for a weapon: its flat points stay, and what a critical deals in multiples of its dice follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from analyzer.dice import Damage, DiceSum
from analyzer.plan import Die


def rediced(damage: Damage, dice: DiceSum, times: int = 1) -> Damage:
    """The damage entry with other dice, ``times`` of each, beside the flat points it had."""
    grown = tuple(replace(die, count=die.count * times) for die in dice.dice)
    return replace(damage, sum=DiceSum(dice=grown, flat=damage.sum.flat + times * dice.flat))


def multiple(critical: Damage, hit: Damage) -> int | None:
    """How many times the dice of a hit are those of a critical; None when they are no multiple."""
    own, dealt = _counted(hit), _counted(critical)
    times = sum(dealt.values()) // (sum(own.values()) or 1)
    return times if dealt == Counter({die: count * times for die, count in own.items()}) else None


def _counted(damage: Damage) -> Counter[Die]:
    """How many of each die."""
    found: Counter[Die] = Counter()
    for die in damage.sum.dice:
        found[replace(die, count=1)] += die.count
    return found
