"""Scatter: where an area attack lands, which squares it catches, and what it does to a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Choice
from analyzer.asking.question import AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.plan import LANDINGS, Ground
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.records import Record, decimals
from analyzer.workings.blasts import Mixed, Throw, placed, thrown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="against", heading="target"),
    Column(key="attack", heading="attack"),
    Column(key="ac", heading="AC"),
    Column(key="creature", heading="creature"),
    Column(key="direction", heading="d8"),
    Column(key="distance", heading="d4"),
    Column(key="x", heading="x"),
    Column(key="y", heading="y"),
    Column(key="size", heading="squares a side"),
    Column(key="on_mark", heading="on the mark", digits=4),
    Column(key="lands", heading="lands there", digits=4),
    Column(key="caught", heading="chance caught", digits=4),
    Column(key="creatures", heading="creatures caught", digits=3),
    Column(key="nobody", heading="nobody", digits=4),
    Column(key="damage", heading="damage", digits=3),
    Column(key="sd", heading="SD", digits=2),
    Column(key="sd_apart", heading="SD, own rolls", digits=2),
)
#: Builds that the notes speak of.
_TOLD = 6
_TABLE = (
    "Creatures of the table stand where the target's group does, at its distance; the table gives their defences and reductions. "
    "A miss chance counts for nothing: the attack is aimed at an intersection."
)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.blasts import blasts_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return blasts_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="starfinder-grenade", grouped=("build", "against", "attack", "ac"))
def scatter(
    builds: Builds,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    by: Annotated[str, Choice(("group", "creature", "landing", "square"))] = "group",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Where an area attack lands, whom it catches, and the damage to a group that shares one roll.

    One throw of every attack with an area, at the intersection and the group that the target places. Squares are named by their lower left corner ``(x, y)``
    relative to the intersection aimed at, ``y`` up. All that are caught share one damage roll: the mean is that of a roll for each, the deviation larger.

    Creatures of a table stand where the target's group stands, all of one kind: the group, its sizes, the distance and the thrower are the target's unless the
    table has columns for them; defences and reductions are the table's. A miss chance counts for nothing, because the attack is aimed at an intersection.

    Parameters
    ----------
    {builds}
    {target}
    {against}
    by : {"group", "creature", "landing", "square"}
        A row for the whole group, per creature, per place where it may land, or per square that it may catch.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        Rows per build, target and attack. By group: ``on_mark`` and ``nobody``, chances 0..1 to land on the mark and to catch no one; ``creatures``, the
        expected number caught; ``damage``, mean points to all together, ``sd`` its deviation, ``sd_apart`` that with a roll for each creature. By creature:
        ``caught``, the chance; ``damage`` and ``sd``. By landing: the d8 and the d4 (0: on the mark), ``lands``, the chance; ``creatures`` caught and mean
        ``damage`` there. By square: ``caught``, the chance; ``lands``, that the attack lands on its lower left corner; ``creature``, who stands there.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or builds without an attack that has an area on a grid.
    """
    taken = seats(builds, None, target=target, against=against, stand=placed)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    found = [throw for seat in taken for throw in thrown(seat, how)]
    if not found:
        names = ", ".join(repr(seat.build.name) for seat in taken)
        raise ValueError(f"builds must have an attack with an area on a grid, such as a grenade; got {names} without one")
    rows: Mapping[str, Callable[[Mixed], Iterator[Record]]] = {"group": _group, "creature": _creatures, "landing": _landings, "square": _squares}
    records: list[Record] = []
    picture: list[Record] = []
    for throw in found:
        for mix in range(len(throw.seat.field.mixes)):
            head = _head(throw, mix)
            records += [head | row for row in rows[by](_mixed(throw, mix, twins))]
            picture += [head | row for row in _squares(_mixed(throw, mix, Twins()))]
    without = [seat.build.name for seat in taken if all(throw.seat is not seat for throw in found)]
    notes = (*_notes(found, without), *(() if against is None else (_TABLE,)), *standing_note(taken))
    return Found.of(records, notes, twins, how, drawn=partial(list, picture))


def _head(throw: Throw, mix: int) -> Record:
    """The first columns; the armor class is that of the intersection, which no sweep moves."""
    head = throw.seat.head(mix)
    acs = {throw.acs[foe] for foe, _ in throw.seat.field.mixes[mix].weights}
    return head | {"ac": acs.pop() if len(acs) == 1 else None, "attack": throw.label}


def _mixed(throw: Throw, mix: int, twins: Twins) -> Mixed:
    """A mix of the foes of a throw, as it is called in a verdict: by its build, its weapon where that is not what the build is called, and what it faces."""
    build = throw.seat.build.name
    faced = [f"against {name}"] if (name := throw.seat.faces(mix).get("against")) is not None else []
    where = ", ".join([build, *([throw.label] if throw.label not in (build, "attack") else []), *faced])
    return Mixed(throw=throw, weights=throw.seat.field.mixes[mix].weights, where=where, twins=twins)


def _group(mixed: Mixed) -> Iterator[Record]:
    """The whole group."""
    exact, seen = mixed.exact(), mixed.seen()
    numbers = [caught.sum(axis=1) for caught in mixed.caught()]
    shares = [one.landing / one.trials for one in seen]
    hit = mixed.weigh([1.0 - float(one.number[0]) for one in exact])
    record = mixed.chance("on_mark", [float(one.landing[0]) for one in exact], [one.landing[0] for one in seen])
    record |= mixed.mean(
        "creatures",
        [float(one.caught.sum()) for one in exact],
        [float(share @ number) for share, number in zip(shares, numbers, strict=False)],
        [float(share @ number**2 - (share @ number) ** 2) for share, number in zip(shares, numbers, strict=False)],
        hit,
    )
    nobody = [one.trials - float(one.landing[number > 0].sum()) for one, number in zip(seen, numbers, strict=False)]
    record |= mixed.chance("nobody", [float(one.number[0]) for one in exact], nobody)
    record |= mixed.damage([one.total[:2] for one in exact], [one.shared for one in seen], hit)
    yield record | mixed.spread("sd_apart", [one.total[[0, 2]] for one in exact], [one.apart for one in seen], hit)


def _creatures(whole: Mixed) -> Iterator[Record]:
    """Each creature."""
    exact, seen, caught = whole.exact(), whole.seen(), whole.caught()
    for number in range(min(len(one.caught) for one in exact)):
        chances = [float(one.caught[number]) for one in exact]
        places = {ground.creatures[number] for ground in whole.grounds()}
        x, y, size = places.pop() if len(places) == 1 else (None, None, None)
        mixed = replace(whole, where=f"{whole.where}, creature {number + 1}")
        record: Record = {"creature": number + 1, "x": x, "y": y, "size": size}
        record |= mixed.chance("caught", chances, [float(one.landing @ rows[:, number]) for one, rows in zip(seen, caught, strict=False)])
        yield record | mixed.damage([one.creature[number] for one in exact], [one.each[number] for one in seen], mixed.weigh(chances))


def _landings(whole: Mixed) -> Iterator[Record]:
    """Each place where it may land: the d8, the d4."""
    exact, seen = whole.exact(), whole.seen()
    for place in range(LANDINGS):
        lands = [float(one.landing[place]) for one in exact]
        if not any(lands) and not any(one.landing[place] for one in seen):
            continue
        spots = {ground.landings[place] for ground in whole.grounds()}
        x, y = spots.pop() if len(spots) == 1 else (None, None)
        record: Record = {"direction": (place + 3) // 4, "distance": (place - 1) % 4 + 1 if place else 0, "x": x, "y": y}
        told = f"d8 {record['direction']}, d4 {record['distance']}" if place else "on the mark"
        mixed = replace(whole, where=f"{whole.where}, {told}")
        record |= mixed.chance("lands", lands, [one.landing[place] for one in seen])
        often = mixed.weigh(lands)
        share = [chance / often if often > 0.0 else 0.0 for chance in lands]
        record["creatures"] = mixed.weigh([part * float(rows[place].sum()) for part, rows in zip(share, mixed.caught(), strict=True)])
        yield record | mixed.given(place, share)


def _squares(whole: Mixed) -> Iterator[Record]:
    """Each square that may be caught, holds a creature, or has a lower left corner where the attack may land."""
    exact, seen, grounds = whole.exact(), whole.seen(), whole.grounds()
    reached = [_reach(ground) for ground in grounds]
    stands = _standing(grounds)
    lands = [dict(zip(ground.landings, one.landing, strict=True)) for ground, one in zip(grounds, exact, strict=True)]
    squares = set(stands).union(*reached, *lands)
    for x, y in sorted(squares, key=lambda square: (-square[1], square[0])):
        by = [one.get((x, y), np.zeros(LANDINGS)) for one in reached]
        mixed = replace(whole, where=f"{whole.where}, square {x}, {y}")
        record: Record = {"x": x, "y": y, "creature": stands.get((x, y))}
        caught = [float(one.landing @ places) for one, places in zip(exact, by, strict=True)]
        record |= mixed.chance("caught", caught, [float(one.landing @ places) for one, places in zip(seen, by, strict=False)])
        record["lands"] = mixed.weigh([float(one.get((x, y), 0.0)) for one in lands])
        throwers = {ground.thrower for ground in grounds}
        record["thrower_x"], record["thrower_y"] = throwers.pop() if len(throwers) == 1 else (None, None)
        yield record


def _reach(ground: Ground) -> dict[tuple[int, int], Floats]:
    """For every square that some landing catches, which ones do, (33,) 0 or 1."""
    found: dict[tuple[int, int], Floats] = {}
    for place, (dx, dy) in enumerate(ground.landings):
        for x, y in ground.blast:
            found.setdefault((x + dx, y + dy), np.zeros(LANDINGS))[place] = 1.0
    return found


def _standing(grounds: Sequence[Ground]) -> dict[tuple[int, int], int]:
    """Who stands on each square, where all foes of a mix place the group alike."""
    if len({ground.creatures for ground in grounds}) > 1:
        return {}
    placed = enumerate(grounds[0].creatures, 1)
    return {(x + i, y + j): number for number, (x, y, size) in placed for i in range(size) for j in range(size)}


def _notes(found: Sequence[Throw], without: Sequence[str]) -> Iterator[str]:
    """What the throws come to, before the first foe."""
    for throw in found[:_TOLD]:
        row = next(_group(_mixed(throw, 0, Twins())))
        values = {key: float(row[key] or 0.0) for key in ("on_mark", "creatures", "damage", "sd", "sd_apart")}
        group = len(throw.exact[0].caught)
        yield (
            f"{throw.seat.build.name}: lands on the mark with {decimals(100 * values['on_mark'], 1)} %, catches {decimals(values['creatures'], 2)} of {group} "
            f"for {decimals(values['damage'], 2)} damage in all; one roll for everyone makes its SD {decimals(values['sd'], 2)} "
            f"instead of {decimals(values['sd_apart'], 2)}."
        )
    if without:
        yield f"Without an area attack: {', '.join(without)}."
