"""Crossovers: every armor class at which the ranking of builds flips, and who leads in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Choice
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.exact import reach
from analyzer.playing import Builds, Opponent, Sweep, kept, own_acs
from analyzer.pmf import Floats
from analyzer.records import Record, Value
from analyzer.sweeps import HIGHEST, LOWEST, parse_acs
from analyzer.workings.differences import Apart, at_mixes
from analyzer.workings.leads import TIE, Stretch, best_other, difference, flips, stretches, sweep_note, table_note
from analyzer.workings.means import Means, means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_LEADS, _ENDLESS = "leads in damage points per round", "AC -: no end"
_COLUMNS = (
    Column(key="pair", heading="pair"),
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="tied", heading="tied with"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="from_ac", heading="from AC", absent=_ENDLESS),
    Column(key="to_ac", heading="to AC", absent=_ENDLESS),
    Column(key="place", heading="place"),
    Column(key="dpr", heading="DPR"),
    Column(key="other", heading="next best"),
    Column(key="difference", heading="difference", signed=True, note=_LEADS),
    Column(key="least", heading="least lead", signed=True, note=_LEADS),
    Column(key="least_ac", heading="at AC"),
    Column(key="most", heading="most lead", signed=True),
    Column(key="most_ac", heading="at AC"),
)
#: Most builds whose pairs are told.
_MOST_PAIRED = 8

#: What a record shows of a simulation too: the mean of (build, place), or how far (build, other build, place) are apart.
_Shown = tuple[int, int] | tuple[int, int, int]
_Row = dict[str, Value | _Shown]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Race:
    """Builds before the same foes."""

    means: tuple[Means, ...]
    #: (n_build, n_place) damage points per round
    dpr: Floats
    #: whether the sweep goes so far that nothing changes beyond it
    open_ended: bool

    @property
    def taken(self) -> list[Seat]:
        return [one.seat for one in self.means]

    @property
    def names(self) -> list[str]:
        return [one.seat.build.name for one in self.means]

    @property
    def swept(self) -> bool:
        return self.means[0].seat.field.swept

    @property
    def places(self) -> range:
        return range(self.dpr.shape[1])

    def ac(self, place: int) -> int:
        return self.means[0].seat.ac(place)

    def at(self, place: int) -> str:
        return self.means[0].seat.face(place)

    def head(self, i: int, place: int | None) -> _Row:
        """Game, build and level, and what it faces at a place."""
        head = self.means[i].seat.head(place or 0)
        return {key: value for key, value in head.items() if place is not None or key not in ("ac", "against")}

    def filled(self, row: _Row, apart: dict[tuple[int, int, int], Apart], twins: Twins) -> Record:
        """A record of a row, its figures worked out, each beside its simulation where there is one."""
        out: Record = {}
        for key, value in row.items():
            if not isinstance(value, tuple):
                out[key] = value
            elif len(value) == 2:
                out |= self.means[value[0]].columns(value[1], twins, f"{self.names[value[0]]}, {self.at(value[1])}", key)
            else:
                i, j, place = value
                exact = difference(float(self.dpr[i, place]), float(self.dpr[j, place]))
                where = f"{self.names[i]} less {self.names[j]}, {self.at(place)}"
                out |= apart[value].columns(twins, where, key, exact) if apart else {key: exact}
        return out


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.figures import lead_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return lead_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="srd35-weapons", grouped=("pair",))
def crossovers(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    by: Annotated[str, Choice(("leader", "pair", "ac"))] = "leader",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Every AC at which the ranking of builds flips, ties named, and who leads in between.

    Parameters
    ----------
    {builds}
    ac : int, str or iterable of int, optional
        Armor classes to look at, such as ``"10:40"``; every one at which anything changes if left out.
    {target}
    {against}
    by : str
        ``leader``: a row for each stretch of armor classes with the same leader; ``pair``: the same for each pair of builds; ``ac``: a row per build and AC.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        By leader or pair: who leads (``build``; ``tied`` are others as high), from where to where (``from_ac``, ``to_ac``; None where there is no end, because
        beyond it natural rolls alone decide), and the least and the most it is ahead of the best that does not lead, in damage points per round, with where
        (``least_ac``, ``most_ac``). By AC: ``dpr``, ``place`` (1 leads; ties share it), and the ``difference`` to the best of the others (``other``). Before a
        table of creatures, a row for each instead of stretches. Figures tie when they differ by no more than rounding (a relative 1e-12). Simulated
        differences are played on common dice: ``_se`` is a paired standard error.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, fewer than two builds, more than 8 for pairs, or builds of different levels before a table with levels.
    """
    builds = kept(builds)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    race = _race(builds, ac, target, against, how)
    count = len(race.means)
    if by == "pair" and count > _MOST_PAIRED:
        raise ValueError(f"builds must be at most {_MOST_PAIRED} to be told in pairs; got {count}")
    groups = [] if by == "ac" else [tuple(range(count))] if by == "leader" else list(combinations(range(count), 2))
    told = [row for group in groups for row in _told(race, group)]
    lines = list(_lines(race))
    asked = [value for row in (*lines, *told) for value in row.values() if isinstance(value, tuple) and len(value) == 3]
    apart = {} if how is None else at_mixes(race.taken, asked, how)
    by_ac = [race.filled(row, apart, twins) for row in lines]
    marks = _marks(race, own_acs(builds, target) if race.swept else {})
    return Found.of(
        by_ac if by == "ac" else [race.filled(row, apart, twins) for row in told],
        (_note(race), *standing_note(race.taken)),
        twins,
        how,
        drawn=partial(list, [record | mark for record, mark in zip(by_ac, marks, strict=True)]),
    )


def _race(builds: Builds, ac: Sweep | None, target: Opponent, against: AgainstTable, how: Simulation | None) -> _Race:
    taken = seats(builds, ac, target=target, against=against)
    if len(taken) < 2:
        raise ValueError(f"builds must be two at least to be compared; got {len(taken)}")
    heads = {tuple(mix.head for mix in seat.field.mixes) for seat in taken}
    levels = sorted({seat.build.level for seat in taken if seat.build.level is not None})
    if len(heads) > 1:
        raise ValueError(f"builds must be of one level before a table with levels ('curve' follows them through all); got levels {levels}")
    open_ended = False
    if ac is None and against is None:
        wide = [one for seat in taken for faced in seat.faced if (one := reach(faced.plan, faced.target)) is not None]
        low, high = min((low for low, _ in wide), default=0), max((high for _, high in wide), default=0)
        open_ended = low >= LOWEST and high <= HIGHEST
        taken = seats(builds, range(max(low, LOWEST), min(high, HIGHEST) + 1), target=target)
    elif ac is not None:
        taken = seats(builds, sorted(parse_acs(ac)), target=target)
    found = tuple(means(seat, how) for seat in taken)
    return _Race(means=found, dpr=np.array([one.mixed for one in found]), open_ended=open_ended)


def _stretches(race: _Race, values: Floats) -> tuple[Stretch, ...]:
    """Neighbouring armor classes with the same leaders together; every creature by itself."""
    if race.swept:
        return stretches(values)
    return tuple(Stretch(first=k, last=k, leaders=stretches(values[:, [k]])[0].leaders) for k in race.places)


def _lines(race: _Race) -> Iterator[_Row]:
    """A row per place and build."""
    rivals = best_other(race.dpr)
    for place in race.places:
        column = race.dpr[:, place]
        for i in range(len(race.means)):
            ahead = int(np.count_nonzero(column - column[i] > TIE * np.abs(column)))
            other = int(rivals[i, place])
            yield race.head(i, place) | {"place": 1 + ahead, "dpr": (i, place), "difference": (i, other, place), "other": race.names[other]}


def _told(race: _Race, group: tuple[int, ...]) -> Iterator[_Row]:
    """A row per stretch of a race of some of the builds."""
    values = race.dpr[list(group)]
    found = _stretches(race, values)
    for one in found:
        leaders = [group[i] for i in one.leaders]
        others = [i for i in group if i not in leaders]
        row: _Row = race.head(leaders[0], None if race.swept else one.first)
        if len(group) < len(race.means):
            row["pair"] = " / ".join(race.names[i] for i in group)
        row["tied"] = ", ".join(race.names[i] for i in leaders[1:]) or None
        if race.swept:
            row["from_ac"] = None if race.open_ended and one is found[0] else race.ac(one.first)
            row["to_ac"] = None if race.open_ended and one is found[-1] else race.ac(one.last)
        rows = range(one.first, one.last + 1)
        leads = [(leaders[0], max(others, key=lambda i: float(race.dpr[i, place])), place) for place in rows] if others else []
        sizes = [float(race.dpr[i, place] - race.dpr[j, place]) for i, j, place in leads]
        ends = (
            [leads[next(k for k, size in enumerate(sizes) if abs(size - end) <= TIE * abs(end))] for end in (min(sizes), max(sizes))] if leads else [None, None]
        )
        for key, lead in zip(("least", "most"), ends, strict=True):
            row[key] = lead
            if race.swept:
                row[f"{key}_ac"] = None if lead is None else race.ac(lead[2])
            else:
                row = {("difference" if name == "least" else name): value for name, value in row.items()}
                break
        yield row


def _marks(race: _Race, own: dict[str, int]) -> list[Record]:
    """What the figure marks: on the line of an armor class where the lead flips, and which build's target has it as it stands."""
    places = [race.ac(place) for place in race.places] if race.swept else []
    crossed = flips(stretches(race.dpr), places) if race.swept else ()
    # A flip is told on the first armor class at or above it; no two share one.
    told = {next(ac for ac in places if ac >= flip): flip for flip in crossed}
    return [
        {"flip": told.get(places[place]), "own": int(own.get(name) == places[place])} if race.swept else {"flip": None, "own": 0}
        for place in race.places
        for name in race.names
    ]


def _note(race: _Race) -> str:
    if not race.swept:
        return table_note(race.names, race.dpr, [race.at(place) for place in race.places]) or ""
    return sweep_note(race.names, race.dpr, [race.ac(place) for place in race.places], open_ended=race.open_ended) or ""
