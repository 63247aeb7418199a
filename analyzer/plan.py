"""The plan: what both engines compute, in plain integers, with no game left in it.

A game's system lowers a build and a target to a `Plan` and a `Target`; the exact and the Monte Carlo engine read nothing else. The docstrings of this
file are therefore the definition of every number the package prints.

One attack is resolved in this order, in both engines:

1. *Check*: ``dice`` d20 are rolled. With ``reroll_ones`` the first of them that shows 1 is rolled again, once. The highest (``best``) or the lowest is
   kept: the *face*. Then the ``extra`` dice. ``total = face + bonus + extra``, plus ``add_on_1`` on a face of 1 and ``add_on_20`` on a face of 20.
2. *Degree*: 0 critical miss, 1 miss, 2 hit, 3 critical (see `Critical`). A face of at most ``auto_miss_to`` is degree 0 whatever the total; a face of at
   least ``auto_hit_from`` is at least degree 2.
3. *Confirmation*, with `Critical.CONFIRM` and a hit whose face is at least ``threat_from``: the whole check is rolled again with ``confirm_bonus``; the
   attack becomes degree 3 when that total meets the defence (with ``confirm_naturals`` its face may fail or succeed automatically).
4. *Immunity to criticals*: 3 becomes 2.
5. *Negation* (fortification): when the degree is 3, or the packets dealt at the degree so far hold precision damage, one die of ``negate[1]`` faces; at most
   ``negate[0]`` makes 3 a 2 and drops precision damage from this attack.
6. *Miss chance*, at degree 2 or 3: a die of ``miss[1]`` faces, up to ``miss_rolls`` of them while they show at most ``miss[0]``; when all do, degree 1.
7. ``take_hit``: 0 and 1 become 2.
8. *Landing*, for an area attack below degree 2 that scatters: d8, then d4.
9. *Packets* of the degree (of degree 2 for an area attack below it), in order: each part's rolls, dice in order; the part's minimum; the target's
   reductions in order; never below 0; keep.
10. *Next state*, by the degree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:  # NumPy costs start-up time, and what only reads and explains build files does without
    import numpy as np
    from numpy.typing import NDArray

#: Most totals one round may have for an exact distribution; also the most one attack may deal.
MAX_TOTAL = 2**17
MAX_SIDES = 1000
MAX_DICE = 1000
MAX_STATES = 16
MAX_STEPS = 256
#: Landings of an area attack: on the mark, then 8 directions x 4 distances.
LANDINGS = 33

MISS = 1
HIT = 2
CRITICAL = 3
DEGREES = 4


class PlanError(ValueError):
    """A plan that cannot be computed: names the field, what it must be and what it was."""


def _check(condition: bool, name: str, what: str, value: object) -> None:
    if not condition:
        raise PlanError(f"{name} must be {what}; got {value!r}")


class Critical(IntEnum):
    """How an attack becomes a critical (degree 3)."""

    #: Never.
    NONE = 0
    #: A hit whose face is at least ``threat_from``.
    NATURAL = 1
    #: As NATURAL, and the total meets the defence.
    MEETS = 2
    #: As NATURAL, and a second check meets the defence.
    CONFIRM = 3
    #: By margin: 3 when the total is ``margin`` or more above what meets the defence, 0 when it is ``margin`` or more below; with ``natural_shift`` a face
    #: of 20 is one degree better and a face of 1 one degree worse.
    MARGIN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Die:
    """``count`` equal dice that are added (``sign`` 1) or subtracted (-1).

    Each of them: the highest of ``best_of`` candidates; a candidate that shows at most ``reroll_to`` is rolled again once and the new face stands; a face
    below ``at_least`` counts as ``at_least``.
    """

    sides: int
    count: int = 1
    reroll_to: int = 0
    at_least: int = 1
    best_of: int = 1
    sign: int = 1

    def __post_init__(self) -> None:
        _check(1 <= self.sides <= MAX_SIDES, "sides", f"1 to {MAX_SIDES}", self.sides)
        _check(0 <= self.count <= MAX_DICE, "count", f"0 to {MAX_DICE}", self.count)
        _check(0 <= self.reroll_to < self.sides, "reroll_to", f"0 to {self.sides - 1} on a d{self.sides}", self.reroll_to)
        _check(1 <= self.at_least <= self.sides, "at_least", f"1 to {self.sides} on a d{self.sides}", self.at_least)
        _check(1 <= self.best_of <= 4, "best_of", "1 to 4", self.best_of)
        _check(self.sign in (-1, 1), "sign", "1 or -1", self.sign)

    @property
    def lowest(self) -> int:
        """The lowest sum of these dice."""
        return self.at_least * self.count if self.sign > 0 else -self.sides * self.count

    @property
    def highest(self) -> int:
        """The highest sum of these dice."""
        return self.sides * self.count if self.sign > 0 else -self.at_least * self.count


@dataclass(frozen=True, kw_only=True, slots=True)
class Roll:
    """One damage roll: ``scale`` x the sum over ``times`` rolls of the best of ``best_of`` of ``max(dice + flat, minimum)``.

    ``times`` rolls the dice again (a d20 critical), ``scale`` multiplies one roll (a doubled total). ``minimum`` None means none. ``precision`` damage is
    left out, its dice unrolled, when the target is immune to it or has negated it.
    """

    dice: tuple[Die, ...] = ()
    flat: int = 0
    minimum: int | None = None
    best_of: int = 1
    times: int = 1
    scale: int = 1
    precision: bool = False

    def __post_init__(self) -> None:
        _check(1 <= self.best_of <= 4, "best_of", "1 to 4", self.best_of)
        _check(0 <= self.times <= 100, "times", "0 to 100", self.times)
        _check(0 <= self.scale <= 100, "scale", "0 to 100", self.scale)
        _check(abs(self.flat) <= MAX_TOTAL, "flat", f"-{MAX_TOTAL} to {MAX_TOTAL}", self.flat)

    @property
    def lowest(self) -> int:
        """The lowest value of this roll."""
        return self._total(sum(d.lowest for d in self.dice))

    @property
    def highest(self) -> int:
        """The highest value of this roll."""
        return self._total(sum(d.highest for d in self.dice))

    def _total(self, dice: int) -> int:
        one = dice + self.flat
        return self.scale * self.times * (one if self.minimum is None else max(one, self.minimum))


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Damage of one type in a packet: the sum of its rolls, at least ``minimum`` (precision included), before reductions.

    By default no part is below 0, so that a penalty on one type of damage does not eat into another.
    """

    type: str
    rolls: tuple[Roll, ...]
    minimum: int = 0
    #: the lowest and highest value, with or without the precision rolls; worked out once, because every attack with this part asks
    lowest: int = field(init=False, repr=False, compare=False)
    highest: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(abs(self.minimum) <= MAX_TOTAL, "minimum", f"-{MAX_TOTAL} to {MAX_TOTAL}", self.minimum)
        low = sum(min(r.lowest, 0) if r.precision else r.lowest for r in self.rolls)
        high = sum(max(r.highest, 0) if r.precision else r.highest for r in self.rolls)
        object.__setattr__(self, "lowest", max(low, self.minimum))
        object.__setattr__(self, "highest", max(high, self.minimum))


@dataclass(frozen=True, kw_only=True, slots=True)
class Packet:
    """One blow, arrow or blast: reductions run once on it, a negative sum counts as 0, then n/d of it is kept, rounded down (``keep = (n, d)``)."""

    parts: tuple[Part, ...]
    keep: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        _check(0 <= self.keep[0] <= 1000 and 1 <= self.keep[1] <= 1000, "keep", "a pair (n, d), 0 <= n and 1 <= d <= 1000", self.keep)

    @property
    def precision(self) -> bool:
        """Whether any of its rolls is precision damage."""
        return any(r.precision for p in self.parts for r in p.rolls)


#: The packets an attack deals at one degree.
Packets = tuple[Packet, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """How the d20 is rolled and read (see the module's steps 1 to 3 and 7)."""

    dice: int = 1
    best: bool = True
    reroll_ones: bool = False
    extra: tuple[Die, ...] = ()
    ties_hit: bool = True
    auto_miss_to: int = 1
    auto_hit_from: int = 20
    add_on_1: int = 0
    add_on_20: int = 0
    threat_from: int = 20
    critical: Critical = Critical.NONE
    confirm_bonus: int = 0
    confirm_naturals: bool = True
    margin: int = 10
    natural_shift: bool = False
    take_hit: bool = False

    def __post_init__(self) -> None:
        _check(1 <= self.dice <= 4, "dice", "1 to 4", self.dice)
        _check(0 <= self.auto_miss_to <= 20, "auto_miss_to", "0 (never) to 20", self.auto_miss_to)
        _check(self.auto_miss_to < self.auto_hit_from <= 21, "auto_hit_from", "above auto_miss_to and at most 21 (never)", self.auto_hit_from)
        _check(-1000 <= self.add_on_1 <= 0, "add_on_1", "-1000 to 0", self.add_on_1)
        _check(0 <= self.add_on_20 <= 1000, "add_on_20", "0 to 1000", self.add_on_20)
        _check(1 <= self.threat_from <= 21, "threat_from", "1 to 21 (never)", self.threat_from)
        _check(abs(self.confirm_bonus) <= 1000, "confirm_bonus", "-1000 to 1000", self.confirm_bonus)
        _check(1 <= self.margin <= 1000, "margin", "1 to 1000", self.margin)
        spread = sum(d.highest - d.lowest for d in self.extra)
        _check(spread <= 1000, "extra", "dice whose sum spans at most 1000", spread)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """The squares an area attack is made on, for maps of it; `Area.caught` is what both engines read.

    A square is named by its lower left corner, ``(x, y)`` with ``y`` up, relative to the intersection aimed at.
    """

    #: (33) the intersection of each landing
    landings: tuple[tuple[int, int], ...]
    #: squares caught by a blast at (0, 0)
    blast: tuple[tuple[int, int], ...]
    #: lower left square of each creature, and its squares a side
    creatures: tuple[tuple[int, int, int], ...]
    #: where the throw comes from
    thrower: tuple[int, int]

    def __post_init__(self) -> None:
        _check(len(self.landings) == LANDINGS, "landings", f"{LANDINGS} intersections", len(self.landings))


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """Who is caught where: ``caught[landing][creature]``, 0 or 1.

    Landing 0 is on the mark; ``1 + 4 * (d8 - 1) + (d4 - 1)`` are the scattered ones. An attack of degree 2 or 3 lands on the mark; below it rolls d8 and d4
    and deals the packets of degree 2 there, unless ``scatters`` is False: then a miss deals what its own degree says, to nobody but creature 0.
    Damage is rolled once and shared by all that are caught, each with reductions of its own.
    """

    caught: tuple[tuple[int, ...], ...]
    scatters: bool = True
    #: where all that is, where the game says so; changes no number
    ground: Ground | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        _check(len(self.caught) == LANDINGS, "caught", f"{LANDINGS} rows", len(self.caught))
        widths = {len(row) for row in self.caught}
        _check(len(widths) == 1 and 0 not in widths, "caught", "rows of one length, a creature each", sorted(widths))
        _check(all(c in (0, 1) for row in self.caught for c in row), "caught", "0 or 1 throughout", "another number")
        placed = widths if self.ground is None else {len(self.ground.creatures)}
        _check(placed == widths, "ground", f"of {min(widths)} creatures, as many as may be caught", sorted(placed))


@dataclass(frozen=True, kw_only=True, slots=True)
class Attack:
    """One attack: its check against one defence, and the packets it deals at each degree.

    ``effect`` names a critical effect, counted when the final degree is 3.
    """

    label: str
    bonus: int
    check: Check
    defence: int = 0
    on: tuple[Packets, Packets, Packets, Packets] = ((), (), (), ())
    effect: str | None = None
    area: Area | None = None

    def __post_init__(self) -> None:
        _check(abs(self.bonus) <= 10_000, "bonus", "-10000 to 10000", self.bonus)
        _check(self.defence >= 0, "defence", "0 or more", self.defence)
        _check(len(self.on) == DEGREES, "on", "packets for each of the four degrees", len(self.on))
        creatures = 1 if self.area is None else len(self.area.caught[0])
        for packets in self.on:
            high = creatures * sum(p.highest for packet in packets for p in packet.parts)
            _check(high <= MAX_TOTAL, f"damage of {self.label!r}", f"at most {MAX_TOTAL} an attack", high)
            low = min((sum(p.lowest for p in packet.parts) for packet in packets), default=0)
            _check(low >= -MAX_TOTAL, f"damage of {self.label!r}", f"at least -{MAX_TOTAL} a packet", low)

    def deals(self, degree: int) -> int:
        """The degree whose packets are dealt at a final ``degree``: degree 2 for a scattered area attack."""
        return HIT if self.area is not None and self.area.scatters and degree < HIT else degree


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One place in a turn: ``variants[state]`` is made, or skipped when None, which leaves the state as it is.

    ``next[state][degree]`` is the state afterwards; an empty ``next`` never changes it.
    """

    variants: tuple[Attack | None, ...]
    next: tuple[tuple[int, int, int, int], ...] = ()

    def __post_init__(self) -> None:
        n = len(self.variants)
        _check(1 <= n <= MAX_STATES, "variants", f"1 to {MAX_STATES} states", n)
        _check(len(self.next) in (0, n), "next", f"empty or {n} rows, as many as variants", len(self.next))
        _check(
            all(len(row) == DEGREES and all(0 <= s < n for s in row) for row in self.next),
            "next",
            f"rows of four states below {n}",
            self.next,
        )

    def after(self, state: int, degree: int) -> int:
        """The state after an attack of ``degree`` made in ``state``."""
        return self.next[state][degree] if self.next else state

    def groups(self) -> Iterator[tuple[Attack, tuple[int, ...]]]:
        """The distinct attacks of this step, each with the states in which it is made."""
        states: dict[Attack, list[int]] = {}
        for state, attack in enumerate(self.variants):
            if attack is not None:
                states.setdefault(attack, []).append(state)
        for attack, where in states.items():
            yield attack, tuple(where)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Steps in order; the state is 0 when the turn begins. All steps know the same number of states."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        counts = {len(s.variants) for s in self.steps}
        _check(len(counts) <= 1, "steps", "steps with one number of states", sorted(counts))

    @property
    def states(self) -> int:
        """The number of states of this turn."""
        return len(self.steps[0].variants) if self.steps else 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """One round: its turns in order (a reaction in another creature's turn is a turn of its own). A round may have no attacks."""

    turns: tuple[Turn, ...]

    def __post_init__(self) -> None:
        n = len(self.steps)
        _check(n <= MAX_STEPS, "steps", f"at most {MAX_STEPS} a round", n)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step of the round in order: attack number ``k`` of a report is ``steps[k - 1]``."""
        return tuple(step for turn in self.turns for step in turn.steps)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reduction:
    """A reduction on the sum x of the parts whose type is in ``types`` (None: all of them).

    x > 0 becomes ``max(0, round(x * n / d) + add - subtract)`` with ``keep = (n, d)``, rounded down or, with ``up``, up; x <= 0 becomes 0. A packet with no
    part of these types is left alone. What is reduced together stays together: a later reduction covers all of it or none.
    """

    types: frozenset[str] | None = None
    keep: tuple[int, int] = (1, 1)
    up: bool = False
    add: int = 0
    subtract: int = 0

    def __post_init__(self) -> None:
        _check(0 <= self.keep[0] <= 1000 and 1 <= self.keep[1] <= 1000, "keep", "a pair (n, d), 0 <= n and 1 <= d <= 1000", self.keep)
        _check(0 <= self.add <= MAX_TOTAL, "add", f"0 to {MAX_TOTAL}", self.add)
        _check(0 <= self.subtract <= MAX_TOTAL, "subtract", f"0 to {MAX_TOTAL}", self.subtract)

    def covers(self, type: str) -> bool:
        """Whether a part of this type is reduced."""
        return self.types is None or type in self.types

    def __call__(self, x: int) -> int:
        """What is left of ``x`` points."""
        if x <= 0:
            return 0
        n, d = self.keep
        kept = -(-x * n // d) if self.up else x * n // d
        return max(0, kept + self.add - self.subtract)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """What is attacked: a number per defence, chances out of (n, d), immunities, and the reductions of each creature.

    ``ac`` and ``follows_sweep`` have an entry per defence; a fixed defence (a grid intersection) does not follow a sweep. Only area attacks reach creatures
    beyond the first.
    """

    ac: tuple[int, ...]
    follows_sweep: tuple[bool, ...] = (True,)
    hp: int | None = None
    miss: tuple[int, int] = (0, 100)
    miss_rolls: int = 1
    negate: tuple[int, int] = (0, 100)
    immune_critical: bool = False
    immune_precision: bool = False
    reductions: tuple[tuple[Reduction, ...], ...] = field(default=((),))

    def __post_init__(self) -> None:
        _check(len(self.ac) >= 1, "ac", "one number per defence", self.ac)
        _check(len(self.follows_sweep) == len(self.ac), "follows_sweep", f"{len(self.ac)} entries, one per defence", self.follows_sweep)
        _check(all(abs(a) <= 10_000 for a in self.ac), "ac", "-10000 to 10000", self.ac)
        for name, (n, d) in (("miss", self.miss), ("negate", self.negate)):
            _check(1 <= d <= MAX_SIDES and 0 <= n <= d, name, f"a pair (n, d), 0 <= n <= d <= {MAX_SIDES}", (n, d))
        _check(1 <= self.miss_rolls <= 4, "miss_rolls", "1 to 4", self.miss_rolls)
        _check(self.hp is None or self.hp >= 1, "hp", "1 or more, or None", self.hp)
        _check(len(self.reductions) >= 1, "reductions", "a tuple per creature", self.reductions)
        for creature in self.reductions:
            for i, first in enumerate(creature):
                for later in creature[i + 1 :]:
                    _check(
                        later.types is None or (first.types is not None and (first.types <= later.types or not first.types & later.types)),
                        "reductions",
                        "listed so that a later one covers all or nothing of an earlier one",
                        (first, later),
                    )

    def but(self, **changes: object) -> Self:
        """The target with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]  # field names are checked by replace itself


def swept_defence(plan: Plan, target: Target) -> int | None:
    """The defence a sweep sets: the first attack's that follows a sweep, or None when no attack aims at one."""
    for step in plan.steps:
        for attack in step.variants:
            if attack is not None and target.follows_sweep[attack.defence]:
                return attack.defence
    return None


def sweep(plan: Plan, target: Target, acs: Sequence[int]) -> NDArray[np.int64]:
    """Defences over a sweep: the swept one takes each value of ``acs``, others that follow move by the same difference, fixed ones stay.

    Parameters
    ----------
    plan, target
        What is attacked with what.
    acs : (n_ac,) integers
        Values of the swept defence.

    Returns
    -------
    (n_ac, n_defences) int64
    """
    import numpy as np  # noqa: PLC0415 - see above

    base = np.asarray(target.ac, dtype=np.int64)
    first = swept_defence(plan, target)
    if first is None:
        return np.tile(base, (len(acs), 1))
    shift = np.asarray(acs, dtype=np.int64) - base[first]
    return base + np.outer(shift, np.asarray(target.follows_sweep, dtype=np.int64))
