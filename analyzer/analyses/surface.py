"""Surface: damage per round over two numbers at once, and which build leads where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.bestiary import Against, rows_of
from analyzer.asking.parameters import Text
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Grid, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent, Sweep, listed
from analyzer.records import Record
from analyzer.rulekit.models import TargetKeys
from analyzer.scenario import Build
from analyzer.sweeps import parse_acs
from analyzer.workings.dials import Dial, dial
from analyzer.workings.differences import check_reference, gaps
from analyzer.workings.leads import leading, sweep_note
from analyzer.workings.means import Means, means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="dpr", heading="DPR"),
    Column(key="than", heading="best other"),
    Column(key="difference", heading="difference", signed=True),
    Column(key="winner", heading="leads"),
)
#: Most numbers worked out for one surface: builds x values x values.
MAX_CELLS = 200_000
#: A build and the target of its game.
_Pair = tuple[Build, TargetKeys | None]
#: The values of x and of y at every place of a pass.
_Places = list[tuple[int, int]]
_TAKEN = frozenset(("system", "build", "level", "against", "dpr", "than", "difference", "winner"))


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.surfaces import surface_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return surface_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="srd35-weapons", grouped=("build",))
def surface(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    x: Annotated[str | None, Text(metavar="NAME[=LOW:HIGH[:STEP]]")] = None,
    y: Annotated[str | None, Text(metavar="NAME[=LOW:HIGH[:STEP]]")] = None,
    target: Opponent = None,
    against: AgainstTable = None,
    simulate: bool = False,
    trials: Trials = 100_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Damage per round over two numbers at once, such as AC and damage reduction, and which build leads where.

    Parameters
    ----------
    {builds}
    ac : int, str, optional
        The armor class where neither number is ``ac``; the target's own if left out.
    x, y : str
        The two numbers, each with its values: ``ac=10:40``, ``dr=0:20:5`` (in steps of 5), ``attack=-5:5`` and ``damage=0:10`` (changes of every attack bonus
        and weapon damage roll), ``extra=0:6`` (d6 on every hit), ``miss_chance=0:50:10``, or any whole number among the keys of the target or of the builds, as
        their game and the way they are written have it (an unknown name is answered with those there are). If left out ``ac`` and ``dr``; before a table of
        creatures ``attack`` and ``damage``.
    {target}
    against : path or rows, optional
        A table of creatures to face instead (CSV with name, ac or the game's own defences, hp, dr, weight, level); both numbers must then be the builds'.
    {simulate}
    trials : int
        Simulated rounds of each build at each pair of numbers; 100,000 if left out.
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per build and pair of numbers, those in columns of their names: ``dpr`` (damage points per round) and, with several builds, ``difference`` to the
        best of the others (``than``) and ``winner`` (who leads; of several that tie, all). Simulated differences are played on common dice.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, a number that builds and targets do not have, or too many of them.
    """
    usual = ("ac", "dr") if against is None else ("attack", "damage")
    across, down = dial(usual[0] if x is None else x, "x"), dial(usual[1] if y is None else y, "y")
    pairs = listed(builds, target)
    rows = None if against is None else rows_of(against)
    _check(pairs, across, down, ac, rows)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    found: list[_Cell] = []
    played: list[Seat] = []
    for places, played in _passes(pairs, across, down, ac, rows):
        found += _cells([means(seat, how) for seat in played], places, (across, down), twins)
    found.sort(key=lambda cell: cell.order)
    shown = [cell.record for cell in found]
    whole = [cell.record for cell in found if cell.first]
    return Found.of(
        shown,
        (*_notes([build.name for build, _ in pairs], whole, across, down), *standing_note(played)),
        twins,
        how,
        drawn=partial(list, [{"x_title": across.title, "y_title": down.title, "x": row[across.name], "y": row[down.name]} | row for row in whole]),
        grid=Grid(x=across.name, y=down.name, records=whole),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Cell:
    """A record, where it belongs among the others, and whether its foe is the first: the armor class of a sweep, or all creatures weighed."""

    record: Record
    order: tuple[int, ...]
    first: bool


def _check(pairs: Sequence[_Pair], across: Dial, down: Dial, ac: object, against: Against) -> None:
    if across.name == down.name:
        raise ValueError(f"x and y must be two numbers; got {across.name!r} twice")
    for key, one in (("x", across), ("y", down)):
        if one.name in _TAKEN:
            raise ValueError(f"{key} must be a number of the builds or the target; got {one.name!r}")
        if against is not None and any(one.of_target(build) for build, _ in pairs):
            raise ValueError(f"{key} must be a number of the builds before a table of creatures, which has those of the targets; got {one.name!r}")
    if "ac" in (across.name, down.name) and ac is not None:
        raise ValueError(f"ac must be left out where x or y is 'ac'; got {ac!r} beside it")
    cells = len(pairs) * len(across.steps) * len(down.steps)
    if cells > MAX_CELLS:
        raise ValueError(f"x and y must have at most {MAX_CELLS:,} pairs of values for all builds together; got {cells:,}")


def _passes(pairs: Sequence[_Pair], across: Dial, down: Dial, ac: Sweep | None, against: Against) -> Iterator[tuple[_Places, list[Seat]]]:
    """The builds at every pair of numbers; a sweep of armor classes is one pass."""
    if "ac" in (across.name, down.name):
        swept, other = (across, down) if across.name == "ac" else (down, across)
        for value in other.steps:
            places = [(at, value) if swept is across else (value, at) for at in swept.steps]
            yield places, _seated(pairs, [(other, value)], swept.steps, None)
        return
    acs = None if ac is None else parse_acs(ac)
    if acs is not None and len(acs) != 1:
        raise ValueError(f"ac must be one armor class where neither x nor y is 'ac'; got {len(acs)}")
    for one, two in product(across.steps, down.steps):
        yield [(one, two)], _seated(pairs, [(across, one), (down, two)], acs, against)


def _seated(pairs: Sequence[_Pair], turns: Sequence[tuple[Dial, int]], acs: Sequence[int] | None, against: Against) -> list[Seat]:
    out: list[Seat] = []
    for build, faced in pairs:
        turned, met = build, faced
        for one, value in turns:
            turned, met = one.turned(turned, met, value)
        out += seats(turned, acs, target=met if against is None else None, against=against)
    return out


def _cells(found: Sequence[Means], places: _Places, dials: tuple[Dial, Dial], twins: Twins) -> Iterator[_Cell]:
    """The records of a pass: a place of its sweep, or a creature, and a build."""
    taken = [one.seat for one in found]
    dpr = np.array([one.mixed for one in found])
    several = len(found) > 1
    swept = taken[0].field.swept
    at = [", ".join(f"{one.name} {value}" for one, value in zip(dials, places[mix if swept else 0], strict=True)) for mix in range(dpr.shape[1])]
    apart = []
    if several:
        check_reference("best", taken)
        apart = gaps("best", taken, dpr, found[0].how, twins=twins, where=at)
    ahead = leading(dpr)
    for i, one in enumerate(found):
        for mix in range(dpr.shape[1]):
            place = places[mix if swept else 0]
            record = one.seat.head(mix) | {each.name: value for each, value in zip(dials, place, strict=True)}
            record |= one.columns(mix, twins, f"{one.seat.where(mix)}, {at[mix]}")
            if several:
                record |= apart[i][mix] | {"winner": " = ".join(taken[k].build.name for k in np.flatnonzero(ahead[:, mix]))}
            yield _Cell(record=record, order=(0 if swept else mix, i, place[1], place[0]), first=swept or mix == 0)


def _notes(names: Sequence[str], whole: Sequence[Record], across: Dial, down: Dial) -> tuple[str, ...]:
    """Who leads along the first and the last row of the map, and in how much of it."""
    if len(names) < 2:
        return ()
    out = []
    for value in dict.fromkeys((down.steps[0], down.steps[-1])):
        rows = [[float(row["dpr"] or 0.0) for row in whole if row["build"] == name and row[down.name] == value] for name in names]
        note = sweep_note(names, np.array(rows), across.steps, across.said)
        out.append(f"{down.said} {value}: {note}")
    cells = [str(row["winner"]) for row in whole if row["build"] == names[0]]
    shares = [f"{winner} {cells.count(winner)}" for winner in sorted(set(cells), key=lambda winner: -cells.count(winner))]
    return (*out, f"Pairs of numbers, by who leads: {', '.join(shares)}.")
