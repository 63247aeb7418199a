"""Dice notation and reductions, read once for the `core` and `starfinder` referees (schema, section Common)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PHYSICAL = ("physical", "slashing", "piercing", "bludgeoning")
_TERM = re.compile(r"\s*([+-]?)\s*(?:(\d*)d(\d+)(?:r(\d+))?|(\d+))")
_MINUS = str.maketrans("−–", "--")


@dataclass(frozen=True)
class Dice:
    """`count` dice of one kind inside a damage expression."""

    sign: int
    count: int
    sides: int
    reroll: int

    def roll(self, roll: Callable[[int], int]) -> int:
        """The sum of the dice, each die that shows `reroll` or less thrown once more, directly after itself."""
        total = 0
        for _ in range(self.count):
            face = roll(self.sides)
            if face <= self.reroll:
                face = roll(self.sides)
            total += face
        return self.sign * total


@dataclass(frozen=True)
class Damage:
    """A damage expression: dice in written order, a flat part, a type, precision or not."""

    dice: tuple[Dice, ...]
    flat: int
    kind: str
    precision: bool

    def plus(self, points: int) -> Damage:
        """The same expression with `points` more on each roll."""
        return replace(self, flat=self.flat + points)

    def roll(self, roll: Callable[[int], int]) -> int:
        """One roll of the whole expression, no floor."""
        return self.flat + sum(dice.roll(roll) for dice in self.dice)


def damage(text: object) -> Damage:
    """The expression that a text such as `2d6r2+15 fire precision` stands for."""
    left = str(text).lower().translate(_MINUS)
    dice: list[Dice] = []
    flat = at = 0
    while match := _TERM.match(left, at):
        sign = -1 if match[1] == "-" else 1
        if match[3]:
            dice.append(Dice(sign, int(match[2] or 1), int(match[3]), int(match[4] or 0)))
        else:
            flat += sign * int(match[5])
        at = match.end()
    words = left[at:].split()
    kinds = [word for word in words if word not in ("precision", "sneak")]
    # Common: without a type word the damage is physical
    return Damage(tuple(dice), flat, kinds[0] if kinds else "physical", len(kinds) < len(words))


def damages(texts: object) -> tuple[Damage, ...]:
    """A list of expressions; a single one and none at all are lists too."""
    if texts is None:
        return ()
    return tuple(damage(text) for text in (texts if isinstance(texts, list | tuple) else [texts]))


def bonuses(text: object) -> list[int]:
    """The numbers of `+20/+15/-2`."""
    return [int(part.replace(" ", "")) for part in str(text).translate(_MINUS).split("/")]


def after_reductions(parts: Iterable[tuple[str, int]], reduction: Mapping[str, Any]) -> int:
    """What is left of one attack's typed damage, never below 0."""

    def cut(points: int, kind: str) -> int:
        if kind not in reduction:
            return points
        return 0 if reduction[kind] == "immune" else max(0, points - reduction[kind])

    sums: dict[str, int] = {}
    for kind, points in parts:  # Common: a reduction meets the attack's sum, not each roll
        sums[kind] = sums.get(kind, 0) + points
    # Common: single types first, "physical" over what is left of all physical types, "all" over the rest
    sums = {kind: points if kind == "physical" else cut(points, kind) for kind, points in sums.items()}
    physical = [sums.pop(kind) for kind in PHYSICAL if kind in sums]
    total = sum(sums.values()) + (cut(sum(physical), "physical") if physical else 0)
    return max(0, cut(total, "all"))
