"""Solving: the smallest change of a build that lifts a figure to a height, before every mix of foes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from analyzer.asking.foes import MAX_HP, hit_points
from analyzer.asking.seats import Seat
from analyzer.dice import parse_damage
from analyzer.plan import Attack
from analyzer.pmf import Floats
from analyzer.workings.leads import TIE
from analyzer.workings.measures import Kills, Measure
from analyzer.workings.variations import UnvariedError, Variation, attack, damage, extra, threat_from

#: Points of attack and of damage that are looked at, up and down, and dice that are added at most.
ATTACK, LEAST_DAMAGE, MOST_DAMAGE, DICE = 100, -100, 1000, 100
#: What is said of a goal that the lowest place looked at reaches too.
ALREADY = "already reached"


@dataclass(frozen=True, kw_only=True, slots=True)
class Knob:
    """One thing of a build that can be turned in whole steps; a higher place is meant to be a higher figure."""

    word: str
    #: lowest and highest place, and the one that leaves a build as it is; None where every place replaces what the build has
    low: int
    high: int
    rest: int | None
    made: Callable[[int], Variation]
    #: what a place is called
    value: Callable[[int], int]
    told: Callable[[int, Seat], str]
    #: whether more can never be worse: damage added to every hit moves the whole distribution up, through floors and reductions too
    monotone: bool


def knobs(die: str) -> dict[str, Knob]:
    """The knobs by their words; ``die`` is what one step of ``extra`` adds, such as ``1d6 fire``."""
    one = parse_damage(die, "die")
    if len(one.sum.dice) != 1 or one.sum.flat or one.sum.dice[0].count != 1 or one.sum.dice[0].sign < 0:
        raise ValueError(f"die must be one die, such as '1d6' or '1d8 fire'; got {die!r}")
    kind = str(one).removeprefix("1")

    def first(seat: Seat) -> Attack | None:
        return next((made for step in seat.faced[0].plan.steps for made in step.variants if made is not None), None)

    def by_attack(place: int, seat: Seat) -> str:
        made = first(seat)
        return f"{place:+d}" if made is None else f"{place:+d} (first attack {made.bonus:+d})"

    def by_threat(place: int, seat: Seat) -> str:
        made, lowest = first(seat), 21 - place
        written = f"{lowest}-20" if lowest < 20 else "20"
        played = lowest if made is None else made.check.threat_from
        return written if played == lowest else f"{written} ({played}-20 as played)"

    return {
        "attack": Knob(word="attack", low=-ATTACK, high=ATTACK, rest=0, made=attack, value=lambda n: n, told=by_attack, monotone=False),
        "damage": Knob(word="damage", low=LEAST_DAMAGE, high=MOST_DAMAGE, rest=0, made=damage, value=lambda n: n, told=lambda n, _: f"{n:+d}", monotone=True),
        "threat": Knob(word="threat", low=1, high=19, rest=None, made=lambda n: threat_from(21 - n), value=lambda n: 21 - n, told=by_threat, monotone=False),
        "extra": Knob(
            word="extra",
            low=0,
            high=DICE,
            rest=0,
            made=lambda n: extra(f"{n}{kind}"),
            value=lambda n: n,
            told=lambda n, _: f"+{n}{kind}",
            monotone=True,
        ),
    }


@dataclass(slots=True)
class Turned:
    """A build with one knob turned, each place worked out once for all foes; places a build cannot take end its range."""

    seat: Seat
    measure: Measure
    knob: Knob
    low: int = field(init=False)
    high: int = field(init=False)
    _seats: dict[int, Seat] = field(default_factory=dict)
    _single: dict[int, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.low, self.high = self.knob.low, self.knob.high
        middle = self.knob.low if self.knob.rest is None else self.knob.rest
        self.at(middle)  # raises where the build has no such knob at all
        self.low, self.high = self._end(middle, self.low), self._end(middle, self.high)

    def at(self, place: int) -> Seat:
        """The build at a place, before the foes.

        Raises
        ------
        UnvariedError
            Where it cannot be.
        """
        if place not in self._seats:
            self._seats[place] = self.seat if place == self.knob.rest else self.seat.changed(self.knob.made(place).of(self.seat.build))
        return self._seats[place]

    def single(self, place: int) -> Floats:
        """The figure at a place before every foe, (n_foe,)."""
        if place not in self._single:
            self._single[place] = self.measure.exact(self.at(place))
        return self._single[place]

    def mixed(self, place: int) -> Floats:
        """The figure at a place of every mix, (n_mix,)."""
        return self.seat.mixed(self.single(place))

    def smallest(self, wanted: Floats) -> list[int | None]:
        """The lowest place of every mix whose figure is what is wanted or more; None where no place is.

        Parameters
        ----------
        wanted : (n_mix,) float64
            What the figure is to reach.
        """
        goal = wanted * (1.0 - TIE)
        if self.knob.monotone:
            found = [self._bisected(mix, goal[mix]) for mix in range(len(goal))]
            if self._rising():
                return found
        every = np.array([self.mixed(place) for place in range(self.low, self.high + 1)])
        reached = every >= goal
        return [self.low + int(np.argmax(column)) if column.any() else None for column in reached.T]

    def best(self) -> Floats:
        """The highest figure of every mix at a place that was worked out, (n_mix,); of all places where they were gone through."""
        out: Floats = np.max([self.mixed(place) for place in self._single], axis=0)
        return out

    def _bisected(self, mix: int, goal: float) -> int | None:
        """By steps that double from the build as it stands, then by halves, so that far places are worked out only where they are needed."""
        start = self.low if self.knob.rest is None else self.knob.rest
        step = 1
        if self.mixed(start)[mix] >= goal:
            over = start
            while (under := max(over - step, self.low - 1)) >= self.low and self.mixed(under)[mix] >= goal:
                over, step = under, 2 * step
        else:
            under = start
            while (over := min(under + step, self.high)) > under and self.mixed(over)[mix] < goal:
                under, step = over, 2 * step
            if over == under:
                return None
        while over - under > 1:
            middle = (under + over) // 2
            under, over = (under, middle) if self.mixed(middle)[mix] >= goal else (middle, over)
        return over

    def _rising(self) -> bool:
        """Whether the figures worked out never fall, which a bisection takes for granted."""
        every = np.array([self.mixed(place) for place in sorted(self._single)])
        return bool(np.all(every[1:] >= every[:-1] * (1.0 - TIE)))

    def _end(self, middle: int, end: int) -> int:
        """The farthest place toward an end that the build can take."""
        if self._can(end):
            return end
        good, bad = middle, end
        while abs(bad - good) > 1:
            half = (good + bad) // 2
            good, bad = (half, bad) if self._can(half) else (good, half)
        return good

    def _can(self, place: int) -> bool:
        try:
            self.at(place)
        except UnvariedError:
            return False
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Solution:
    """What reaches a goal before one mix: as a number and in words, with the build there and one step below, None where the range begins."""

    least: int
    words: str
    seat: Seat
    single: Floats
    below: Seat | None
    below_single: Floats | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Solved:
    """The solution for one build before every mix."""

    seat: Seat
    now: Floats
    #: None where nothing reaches the goal
    solutions: tuple[Solution | None, ...]
    most: Floats


def turned(seat: Seat, measure: Measure, knob: Knob, wanted: Floats) -> Solved:
    """The lowest place of a knob before every mix, ``wanted`` being (n_mix,).

    Raises
    ------
    ValueError
        When the build has no such knob.
    """
    try:
        build = Turned(seat, measure, knob)
    except UnvariedError as error:
        raise ValueError(f"vary must be something that {seat.build.name!r} has; got {knob.word!r}: {error}") from error
    solutions: list[Solution | None] = []
    for place in build.smallest(wanted):
        if place is None:
            solutions.append(None)
            continue
        lower = place - 1 if place > build.low else None
        solutions.append(
            Solution(
                least=knob.value(place),
                words=ALREADY if lower is None and knob.rest is not None else knob.told(place, build.at(place)),
                seat=build.at(place),
                single=build.single(place),
                below=None if lower is None else build.at(lower),
                below_single=None if lower is None else build.single(lower),
            )
        )
    return Solved(seat=seat, now=seat.mixed(measure.exact(seat)), solutions=tuple(solutions), most=build.best())


def toughest(seat: Seat, measure: Measure, wanted: Floats) -> Solved:
    """The most hit points with which every mix still dies with the chance wanted."""
    if not isinstance(measure, Kills):
        raise TypeError("hit points are varied for a chance to kill alone")
    tails = measure.tails(seat, MAX_HP - 1)
    mixed = seat.mixed(tails)
    known = all(points is not None for points in seat.hp)
    solutions: list[Solution | None] = []
    for tail, goal in zip(mixed, wanted, strict=True):
        most = int(np.flatnonzero(tail >= goal * (1.0 - TIE))[-1])
        fixed = [replace(seat, hp=(hit_points(points),) * len(seat.hp)) for points in (max(most, 1), most + 1)]
        single = [measure.exact(one) for one in fixed]
        solution = Solution(least=most, words=f"{most} hit points", seat=fixed[0], single=single[0], below=fixed[1], below_single=single[1])
        solutions.append(solution if most else None)
    now = seat.mixed(measure.exact(seat)) if known else np.full(len(mixed), np.nan)
    return Solved(seat=seat, now=now, solutions=tuple(solutions), most=mixed[:, 1])
