"""Weights: what one point more of everything is worth, by exact differences and in points of damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Hp, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.records import Record, facing
from analyzer.scenario import ScenarioError
from analyzer.sweeps import spans
from analyzer.workings.leads import difference as gained
from analyzer.workings.measures import Dpr, Kills, Measure, difference, played
from analyzer.workings.variations import UnvariedError, Variation, standard

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="dpr", heading="DPR"),
    Column(key="change", heading="change"),
    Column(key="gain", heading="DPR gained", signed=True),
    Column(key="worth", heading="in points of damage", digits=2),
    Column(key="dead_gain", heading="chance dead gained", digits=3, signed=True, percent=True),
    Column(key="dead_worth", heading="in points of damage", digits=2),
)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.worths import worths_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return worths_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "level", "against", "ac", "dpr"))
def weights(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    kill_by: Annotated[int | None, Whole(low=1, high=100)] = None,
    hp: Hp = None,
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """What +1 attack, +1 damage, a die step, threat, multiplier, +1d6, one more attack and a milder AP are worth.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    kill_by : int, optional
        Weigh the chance that the target is dead after this many rounds too; its hit points must be known.
    {hp}
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per build, target and change: ``dpr`` of the build as it is, ``gain`` (damage points per round, 0 where the change does nothing), ``worth`` (the
        gain divided by that of +1 damage; None where that is 0). With ``kill_by``: ``dead`` (chance as it is), ``dead_gain`` and ``dead_worth``. Simulated
        gains are of the same dice with and without the change; their standard error is that of the paired difference.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or unknown hit points with ``kill_by``.
    """
    measures: list[tuple[str, Measure, bool]] = [("", Dpr(), False)]
    if kill_by is not None:
        measures.append(("dead_", Kills(kill_by), True))
    elif hp is not None:
        raise ValueError("kill_by must be given with hp (by which round is it to be dead?); got none")
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    found: list[list[Record]] = []
    notes: list[str] = []
    for prefix, measure, course in measures:
        weighed = [_weighed(seat) for seat in seats(builds, ac, target=target, against=against, hp=hp, course=course)]
        rows = [row for one in weighed for row in _rows(one, prefix, measure, twins, how)]
        found.append(rows)
        if not prefix:
            notes = [*_findings(rows), *_wider(weighed), *_left_out(weighed), *_standing(weighed, kill_by)]
    records = found[0]
    if kill_by is not None:
        records = _joined(found[0], found[1], kill_by)
        notes.insert(0, f"dead: chance that the damage of {kill_by} round{'s' if kill_by > 1 else ''} reaches the hit points, nothing healing")
    return Found.of(records, notes, twins, how)


@dataclass(slots=True)
class _Weighed:
    """One build's seats, as it is and changed, and the changes it cannot have."""

    seat: Seat
    changed: list[tuple[Variation, Seat]] = field(default_factory=list)
    unvaried: list[tuple[Variation, str]] = field(default_factory=list)


def _weighed(seat: Seat) -> _Weighed:
    out = _Weighed(seat=seat)
    for variation in standard():
        try:
            changed = seat.changed(variation.of(seat.build))
        except (UnvariedError, ScenarioError) as error:
            out.unvaried.append((variation, str(error).splitlines()[0]))
            continue
        if [faced.plans for faced in changed.faced] == [faced.plans for faced in seat.faced]:
            out.unvaried.append((variation, "it changes nothing about the round"))
        else:
            out.changed.append((variation, changed))
    return out


def _rows(one: _Weighed, prefix: str, measure: Measure, twins: Twins, how: Simulation | None) -> Iterator[Record]:
    """A record per target and change."""
    seat = one.seat
    single = measure.exact(seat)
    before = seat.mixed(single)
    after = [(variation, changed, measure.exact(changed)) for variation, changed in one.changed]
    pairs = [{} if how is None else played(measure, changed, seat, how) for _, changed in one.changed]
    damage = [next((gained(seat.mixed(new)[mix], before[mix]) for variation, _, new in after if variation.key == "damage"), 0.0) for mix in range(len(before))]
    for mix in range(len(before)):
        for (variation, _, new), tallies in zip(after, pairs, strict=True):
            gain = float(gained(seat.mixed(new)[mix], before[mix]))
            record: Record = {**seat.head(mix), (f"{prefix[:-1] or 'dpr'}"): float(before[mix]), "change": variation.label}
            if tallies:
                apart: Floats = np.array([gained(a, b) for a, b in zip(new, single, strict=True)])
                told = f"{variation.label} of {seat.where(mix)}"
                record |= difference(twins, told, f"{prefix}gain", exact=gain, apart=apart, weights=seat.field.mixes[mix].weights, pairs=tallies)
            else:
                record[f"{prefix}gain"] = gain
            record[f"{prefix}worth"] = gain / damage[mix] if damage[mix] else None
            yield record


def _joined(rounds: Sequence[Record], fights: Sequence[Record], kill_by: int) -> list[Record]:
    """The records of a round with what the same change does in a fight; None where a listed round cannot have it."""

    def key(row: Record) -> tuple[object, ...]:
        return row["build"], row.get("against"), row["ac"], row["change"]

    told = {key(row): {name: value for name, value in row.items() if name.startswith("dead")} for row in fights}
    blank: Record = dict.fromkeys(name for row in told.values() for name in row)
    return [{**row, **blank, **told.get(key(row), {}), "kill_by": kill_by} for row in rounds]


def _findings(rows: Sequence[Record]) -> Iterator[str]:
    """What a point of attack is worth, a sentence a build."""
    for build in dict.fromkeys(row["build"] for row in rows):
        mine = [row for row in rows if row["build"] == build and row["change"] == "+1 attack"]
        known = [(float(row["worth"]), row) for row in mine if row["worth"] is not None]
        if not known:
            continue
        if "against" in mine[0] or len(mine) == 1:
            yield f"{build}: +1 attack is worth {_points(known[0][0])} points of damage ({facing(known[0][1])})"
            continue
        (low, first), (high, last) = min(known, key=lambda pair: pair[0]), max(known, key=lambda pair: pair[0])
        nothing = [int(row["ac"] or 0) for row in mine if row["gain"] == 0.0]
        tail = f"; it does nothing at AC {spans(nothing)}" if nothing else ""
        yield f"{build}: +1 attack is worth from {_points(low)} ({facing(first)}) to {_points(high)} points of damage ({facing(last)}){tail}"


def _points(worth: float) -> str:
    """Points of damage as the table writes them: freed of the last bits first, so that a half is rounded alike."""
    return f"{round(worth, 11):.2f}"


def _wider(weighed: Sequence[_Weighed]) -> Iterator[str]:
    """Where a build doubles its written threat range, what one written face comes to."""
    for one in weighed:
        for variation, changed in one.changed:
            if variation.key == "threat":
                lowest = [[a.check.threat_from for step in s.faced[0].plan.steps for a in step.variants if a is not None] for s in (one.seat, changed)]
                faces = max((old - new for old, new in zip(*lowest, strict=True)), default=0)
                if faces > 1:
                    yield f"{one.seat.build.name}: {variation.label} of the written range makes {faces} faces more threaten, as the build widens it"


def _standing(weighed: Sequence[_Weighed], kill_by: int | None) -> Iterator[str]:
    """Whose listed rounds the DPR is not of, although the chance to be dead is."""
    for note in standing_note([one.seat for one in weighed]):
        yield note if kill_by is None else f"DPR: {note}; the chance dead plays those"


def _left_out(weighed: Sequence[_Weighed]) -> Iterator[str]:
    """The changes that builds cannot have, each with its reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in weighed:
        for variation, reason in one.unvaried:
            reasons.setdefault((variation.label, reason), []).append(one.seat.build.name)
    said = [f"{label}{'' if len(names) == len(weighed) else ' of ' + ', '.join(names)} ({reason})" for (label, reason), names in reasons.items()]
    if said:
        yield f"left out: {'; '.join(said)}"
