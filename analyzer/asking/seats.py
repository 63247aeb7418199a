"""Seats: a build before the foes of a question, played by the exact engine or in simulated rounds, and mixed by their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.asking.bestiary import Against, read, rows_of
from analyzer.asking.foes import Field, Foe, HitPoints, acs, hit_points
from analyzer.exact import Round, evaluate
from analyzer.plan import Plan, Target, sweep, swept_defence
from analyzer.playing import Builds, Opponent, Sweep, announce_compiling, listed
from analyzer.pmf import Floats
from analyzer.records import Record, facing
from analyzer.rulekit.models import TargetKeys
from analyzer.rulekit.problems import ScenarioError
from analyzer.scenario import Build
from analyzer.sweeps import parse_acs

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally

#: What a foe of a table becomes before the scenario's target.
Stand = Callable[[Foe, TargetKeys | None], Foe]


@dataclass(frozen=True, kw_only=True, slots=True)
class Faced:
    """Foes that differ by nothing but armor class, as one pass of an engine takes them."""

    #: which foes of the field, (n_ac,)
    foes: tuple[int, ...]
    #: a plan per listed round of the build, the last repeating; a single one without ``rounds``
    plans: tuple[Plan, ...]
    #: the target as each of those rounds meets it, a type of damage or a feat making a difference
    targets: tuple[Target, ...]
    acs: tuple[int, ...]
    #: what the defence that each of those rounds aims at first is above the one that ``acs`` are of
    shifts: tuple[int, ...]

    @property
    def plan(self) -> Plan:
        """The plan of the build as it stands; of a course, of the round that repeats."""
        return self.plans[-1]

    @property
    def target(self) -> Target:
        """The target as that plan meets it."""
        return self.targets[-1]

    @property
    def course(self) -> tuple[tuple[Plan, Target, tuple[int, ...]], ...]:
        """What each round is played with: a plan, a target and values of the defence it sweeps."""
        shifted = (tuple(ac + shift for ac in self.acs) for shift in self.shifts)
        return tuple(zip(self.plans, self.targets, shifted, strict=True))

    def met(self, foe: int) -> tuple[int, ...]:
        """The value of the defence that each round sweeps, before one of the foes."""
        ac = self.acs[self.foes.index(foe)]
        return tuple(ac + shift for shift in self.shifts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """How long a question simulates, with which seed, on how many threads."""

    trials: int
    seed: int
    workers: int = 1

    @classmethod
    def asked(cls, simulate: bool, *, trials: int, seed: int | None, workers: int) -> Simulation | None:
        """That of a question's parameters; None where it does not simulate. A question that does has a seed, drawn if need be."""
        return cls(trials=trials, seed=seed or 0, workers=workers) if simulate else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """One build before a field of foes."""

    build: Build
    field: Field
    faced: tuple[Faced, ...]
    #: hit points of each foe, None where nobody says
    hp: tuple[HitPoints | None, ...]
    #: the question's own target, where its foes have none, and whether the listed rounds are played
    opponent: TargetKeys | None = None
    course: bool = False

    def changed(self, build: Build) -> Seat:
        """Another build before the same foes with the same hit points; errors are those of `seats`."""
        return replace(_seat(build, self.field, self.opponent, None, course=self.course), hp=self.hp)

    def head(self, mix: int) -> Record:
        """The first columns of a record of a mix: game, build, its level where it has one, and what it faces."""
        named: Record = {"system": self.build.system, "build": self.build.name}
        if self.build.level is not None:
            named["level"] = self.build.level
        return named | self.faces(mix)

    def faces(self, mix: int) -> Record:
        """What a mix is called in a record: its armor class or its name; a creature's armor class beside it."""
        head: Record = dict(self.field.mixes[mix].head)
        if "against" in head:
            weights = self.field.mixes[mix].weights
            head["ac"] = self.ac(weights[0][0]) if len(weights) == 1 else None
        elif head.get("ac") is None:
            head["ac"] = self.ac(mix)
        return head

    def face(self, mix: int) -> str:
        """A mix in words: its creature, or its armor class."""
        return facing(self.faces(mix))

    def where(self, mix: int) -> str:
        """The build and what it faces, as a figure of theirs is called in a verdict."""
        return f"{self.build.name}, {self.face(mix)}"

    def ac(self, foe: int) -> int:
        """The defence that the first attack aims at, of one foe."""
        return self.before(foe)[1]

    def before(self, foe: int) -> tuple[Faced, int]:
        """What the build is before one foe, and the foe's armor class."""
        faced = next(faced for faced in self.faced if foe in faced.foes)
        return faced, faced.acs[faced.foes.index(foe)]

    def side(self, foe: int) -> tuple[Plan, Target]:
        """The plan of the build as it stands, and one foe with its own defences."""
        faced, ac = self.before(foe)
        defences = sweep(faced.plan, faced.target, [ac])[0]
        return faced.plan, faced.target.but(ac=tuple(int(one) for one in defences))

    def rounds(self, *, pmf: bool = False) -> Iterator[tuple[Faced, Round]]:
        """The exact round of the build as it stands before every foe, a pass each for those that differ by armor class alone."""
        return ((faced, evaluate(faced.plan, faced.target, faced.acs, pmf=pmf)) for faced in self.faced)

    def gathered(self, pick: Callable[[Faced, Round], Floats], *, pmf: bool = False) -> Floats:
        """A figure of every foe's exact round, (n_foe, ...) float64; ``pick`` gives (n_ac, ...) of a pass, rows of a shorter one being filled with zeros."""
        return self.collected((faced, pick(faced, found)) for faced, found in self.rounds(pmf=pmf))

    def collected(self, parts: Iterator[tuple[Faced, Floats]]) -> Floats:
        """Rows of several passes, each (n_ac, ...), in the order of the foes, (n_foe, ...); shorter ones are filled with zeros."""
        found = list(parts)
        shape = tuple(max(sizes) for sizes in zip(*(rows.shape[1:] for _, rows in found), strict=True))
        out = np.zeros((len(self.field.foes), *shape))
        for faced, rows in found:
            place: Any = (list(faced.foes), *(slice(0, n) for n in rows.shape[1:]))
            out[place] = rows
        return out

    def mixed(self, values: Floats) -> Floats:
        """Figures of the foes, (n_foe, ...), weighed into those of the mixes, (n_mix, ...): right for means, chances and distributions."""
        out: Floats = np.tensordot(self.field.weights, values, axes=1)
        return out

    def errors(self, errors: Floats) -> Floats:
        """Standard errors of the foes' figures, (n_foe, ...), made into those of the mixes, (n_mix, ...): the foes of a table roll dice of their own."""
        out: Floats = np.sqrt(np.tensordot(self.field.weights**2, errors**2, axes=1))
        return out

    def seed(self, seed: int, foe: int) -> int:
        """The seed of a foe's dice: shared by the armor classes of a sweep, and by all builds before one foe; apart for the foes of a table."""
        return seed if self.field.swept else child_seed(seed, foe)

    def tallies(self, *, trials: int, seed: int, workers: int = 1, apart: bool = False) -> list[Tally]:
        """A tally of simulated rounds of the build as it stands for every foe; ``apart`` gives the armor classes of a sweep dice of their own too."""
        from analyzer.montecarlo import simulate  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

        out: list[Tally | None] = [None] * len(self.field.foes)
        for faced in self.faced:
            if self.field.swept and not apart:
                announce_compiling()
                found = simulate(faced.plan, faced.target, faced.acs, trials=trials, seed=seed, workers=workers)
            else:
                found = tuple(
                    simulate(faced.plan, faced.target, [ac], trials=trials, seed=child_seed(seed, foe), workers=workers)[0]
                    for foe, ac in zip(faced.foes, faced.acs, strict=True)
                )
            for foe, tally in zip(faced.foes, found, strict=True):
                out[foe] = tally
        return [tally for tally in out if tally is not None]


def child_seed(seed: int, number: int) -> int:
    """A seed of its own for a numbered part of a run."""
    return int.from_bytes(blake2b(f"{seed}/{number}".encode(), digest_size=8).digest(), "little")


def seats(
    builds: Builds,
    ac: Sweep | None,
    *,
    target: Opponent = None,
    against: Against = None,
    hp: str | int | None = None,
    course: bool = False,
    stand: Stand | None = None,
) -> tuple[Seat, ...]:
    """Every build before the foes of a question.

    Parameters
    ----------
    builds : Build, Scenario or iterable of Build
        What attacks; a scenario brings its target.
    ac : int, str, iterable of int or None
        Armor classes; None is the target's own. Not with ``against``.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's. Not with ``against``.
    against : path or rows, optional
        A table of creatures, instead of a target and armor classes (see `analyzer.asking.bestiary.read`).
    hp : str or int, optional
        Hit points of every foe, instead of their own.
    course : bool
        Whether the listed rounds of a build are played; else the build as it stands.
    stand : callable, optional
        What a foe of the table becomes before the scenario's target.

    Raises
    ------
    ScenarioError, ValueError, TypeError
        What cannot be played, or a parameter that does not go with another.
    """
    given = None if hp is None else hit_points(hp)
    if against is not None and (ac is not None or target is not None):
        raise ValueError("against must be given without ac and target: the table has both; got them beside it")
    rows = None if against is None else rows_of(against)  # an iterator is read once for every game
    out = []
    for build, opponent in listed(builds, target):
        swept = None if rows is not None else acs((None,) if ac is None else parse_acs(ac))
        field = swept or read(rows, build.system).at(build.level, build.name)
        if swept is None and stand is not None:
            field = replace(field, foes=tuple(stand(foe, opponent) for foe in field.foes))
        out.append(_seat(build, field, opponent, given, course=course))
    return tuple(out)


def standing_note(taken: Sequence[Seat]) -> tuple[str, ...]:
    """A sentence about builds whose listed rounds a question does not play; none where there are no such builds."""
    return standing(seat.build for seat in taken if not seat.course)


def standing(builds: Iterable[Build]) -> tuple[str, ...]:
    """That sentence of builds that are all played as they stand."""
    names = list(dict.fromkeys(build.name for build in builds if build.rounds))
    if not names:
        return ()
    stands = "it stands, not its" if len(names) == 1 else "they stand, not their"
    return (f"plays {', '.join(names)} as {stands} listed rounds",)


def _seat(build: Build, field: Field, opponent: TargetKeys | None, hp: HitPoints | None, *, course: bool) -> Seat:
    passes: dict[tuple[tuple[Plan, ...], tuple[Target, ...], tuple[int, ...]], list[tuple[int, int]]] = {}
    points: list[HitPoints | None] = []
    key: tuple[tuple[Plan, ...], tuple[Target, ...], tuple[int, ...]] | None = None
    for number, foe in enumerate(field.foes):
        met = foe.target(build.system) if foe.keys is not None else opponent
        # A sweep changes the armor class alone: what was derived for the first one holds for all.
        if key is None or not field.swept:
            try:
                derived = build.course(met) if course else (build.derive(met),)
            except ScenarioError as error:
                raise ScenarioError([f"against {foe.name!r}: {problem}" for problem in error.problems] if foe.name else error.problems) from error
            key, own = _leveled([(one.plan, one.target) for one in derived])
        passes.setdefault(key, []).append((number, own if foe.ac is None else foe.ac))
        said = None if met is None or met.hp is None else hit_points(met.hp)
        points.append(hp or foe.hp or said)
    faced = tuple(
        Faced(foes=tuple(n for n, _ in where), plans=plans, targets=targets, acs=tuple(ac for _, ac in where), shifts=shifts)
        for (plans, targets, shifts), where in passes.items()
    )
    return Seat(build=build, field=field, faced=faced, hp=tuple(points), opponent=opponent, course=course)


def _leveled(rounds: Sequence[tuple[Plan, Target]]) -> tuple[tuple[tuple[Plan, ...], tuple[Target, ...], tuple[int, ...]], int]:
    """The plans, the targets brought to one level, and the shifts of `Faced`, with the armor class that the targets had.

    It is the defence that the last round which aims at one sweeps; a round that aims at another sweeps that one by the same difference.
    """
    aims = [swept_defence(plan, target) for plan, target in rounds]
    plans, targets = tuple(plan for plan, _ in rounds), tuple(target for _, target in rounds)
    first = next((aim for aim in reversed(aims) if aim is not None), None)
    if first is None:
        return (plans, targets, (0,) * len(rounds)), targets[-1].ac[0]
    own = targets[-1].ac[first]
    targets = tuple(_at_zero(target, own) for target in targets)
    shifts = tuple(0 if aim is None else target.ac[aim] for aim, target in zip(aims, targets, strict=True))
    return (plans, targets, shifts), own


def _at_zero(target: Target, first: int) -> Target:
    """The target with every defence that follows a sweep lowered until the swept one is 0, so that creatures alike but for armor class are one pass."""
    return target.but(ac=tuple(ac - first if follows else ac for ac, follows in zip(target.ac, target.follows_sweep, strict=True)), hp=None)
