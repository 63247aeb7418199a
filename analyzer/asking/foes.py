"""Foes: what a question is asked against, a sweep of armor classes or a table of creatures, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.dice import NotationError, parse_dice
from analyzer.plan import Die, PlanError
from analyzer.pmf import PMF, Floats, dice_pmf
from analyzer.rulekit.models import TargetKeys
from analyzer.rulekit.problems import shown
from analyzer.scenario import target as target_of

MAX_HP = 1_000_000
#: What all creatures together are called.
EVERYONE = "all, weighted"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class HitPoints:
    """Hit points as they were written: their distribution, and the dice and flat points that are rolled, at least 1."""

    text: str
    pmf: PMF
    dice: tuple[Die, ...] = ()
    flat: int = 0


def hit_points(value: str | int, most: int = MAX_HP) -> HitPoints:
    """Hit points as a number or dice: ``150`` or ``12d8+36``; a roll below 1 counts as 1.

    Raises
    ------
    ValueError
        Anything else, or more than ``most``.
    """
    wrong = f"hp must be hit points from 1 to {most}, or dice such as '12d8+36'; got {shown(value)}"
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(wrong)
    number = str(value).strip()
    rolled: tuple[Die, ...] = ()
    flat = 0
    try:
        if number.isascii() and number.isdigit() and len(number) <= 7:
            flat = int(number)
        else:
            dice = parse_dice(value, "hp")
            rolled, flat = dice.dice, dice.flat
        pmf = dice_pmf(rolled).shift(flat)
    except (NotationError, PlanError) as error:
        raise ValueError(wrong) from error
    if not 1 <= pmf.high <= most:
        raise ValueError(wrong)
    return HitPoints(text=number, pmf=pmf.floor(1), dice=rolled, flat=flat)


@dataclass(frozen=True, kw_only=True, slots=True)
class Foe:
    """One opponent: its name, or the armor class a sweep gives it; the keys of its target; its hit points; what it counts; its level."""

    name: str | None = None
    ac: int | None = None
    keys: tuple[tuple[str, Any], ...] | None = None
    hp: HitPoints | None = None
    weight: float = 1.0
    level: int | None = None

    def target(self, system: str) -> TargetKeys | None:
        """Its target in a game; None when the question's own target stands."""
        return None if self.keys is None else target_of(system, **dict(self.keys))


@dataclass(frozen=True, kw_only=True, slots=True)
class Mix:
    """A column of an answer: one foe, or several weighed together."""

    #: what a record says of it: ``{"ac": 28}`` or ``{"against": "ogre"}``
    head: tuple[tuple[str, str | int | None], ...]
    #: foe number and weight; weights sum to 1
    weights: tuple[tuple[int, float], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """What a question is asked against: foes, and the mixes of them that it answers for."""

    foes: tuple[Foe, ...]
    mixes: tuple[Mix, ...]

    @property
    def weights(self) -> Floats:
        """(n_mix, n_foe) float64, each row summing to 1."""
        out = np.zeros((len(self.mixes), len(self.foes)))
        for row, mix in zip(out, self.mixes, strict=True):
            for foe, weight in mix.weights:
                row[foe] = weight
        return out

    @property
    def swept(self) -> bool:
        """Whether this is a sweep of armor classes."""
        return all(foe.name is None for foe in self.foes)

    def at(self, level: int | None, who: str) -> Field:
        """The foes a build of a level meets: those of its level, where the table has levels.

        Raises
        ------
        ValueError
            When the table has levels and the build none, or one that is not in the table.
        """
        levels = sorted({foe.level for foe in self.foes if foe.level is not None})
        if not levels:
            return self
        if level not in levels:
            raise ValueError(f"level of {who!r} must be one of the table's: {', '.join(map(str, levels))}; got {'none' if level is None else level}")
        return bestiary(foe for foe in self.foes if foe.level == level)


def acs(values: Iterable[int | None]) -> Field:
    """A field of bare armor classes, each a mix by itself; None is the target's own."""
    listed = list(values)
    foes = tuple(Foe(ac=ac) for ac in listed)
    return Field(foes=foes, mixes=tuple(Mix(head=(("ac", ac),), weights=((i, 1.0),)) for i, ac in enumerate(listed)))


def bestiary(foes: Iterable[Foe]) -> Field:
    """A field of creatures: all of them weighed together, then each by itself."""
    listed = tuple(foes)
    whole = sum(foe.weight for foe in listed)
    every = Mix(head=(("against", EVERYONE),), weights=tuple((i, foe.weight / whole) for i, foe in enumerate(listed) if foe.weight > 0))
    return Field(foes=listed, mixes=(every, *(Mix(head=(("against", foe.name),), weights=((i, 1.0),)) for i, foe in enumerate(listed))))
