"""Attribution: which part of the damage comes from where, and what the target's defences cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Choice
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Faced, Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.exact.shares import shares
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats, Integers
from analyzer.records import Record, decimals
from analyzer.workings.pieces import COST, DEGREES, PART, TOTAL, WHOLE, Piece, Term, pieces, used, variant

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.montecarlo import FoughtRound

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="kind", heading=""),
    Column(key="part", heading="of what"),
    Column(key="points", heading="damage per round"),
    Column(key="share", heading="of DPR", digits=1, percent=True),
)
#: Builds that the notes speak of.
_TOLD = 6


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.parts import parts_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return parts_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "level", "against", "ac", "kind"))
def attribution(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    by: Annotated[str, Choice(("source", "attack", "type"))] = "source",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Which part of the DPR comes from hits, criticals, extra dice, each attack or damage type, and what misses and reduction cost.

    The parts add up to the DPR exactly. By source, every attack is counted by what it came to: an ordinary hit, a critical, a miss. *Extra dice* are all that a
    hit deals beside the weapon's own damage (every further entry, and precision damage), on hits and criticals, counted by what they add after reductions. The
    rest of a *hit* is the weapon's. A *critical* is cut into what the same weapon would have dealt as an ordinary hit, and what being a critical adds to the
    whole blow: multiplied damage, more extra dice. *Misses* deal damage where a blast scatters or a rule says so. By type, damage types are counted in written
    order, each by what it adds after reductions to those before it; where each is reduced for itself, that is what is left of it.

    What *costs* is a difference, of each defence for itself, and adds up to nothing: the DPR without the target's reductions, without its miss chance, without
    an immunity or fortification, or if every attack that missed had been an ordinary hit (miss chance included), less the DPR. A weakness or vulnerability is
    below 0: it adds to the DPR. The listed rounds of a build are not played: it attacks as it stands.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    by : {"source", "attack", "type"}
        What the damage is split by.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        Rows per build and target, ``part`` by ``part``. ``kind`` is "deals", "total" (the DPR) or "costs"; ``points`` are damage points per round; ``share`` is
        the part of the DPR, 0..1, None where the DPR is 0.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played.
    """
    taken = seats(builds, ac, target=target, against=against)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    for seat in taken:
        rows = pieces(seat, by)
        seen = None if how is None else _simulated(seat, rows, how)
        records += _records(seat, rows, seen, trials, twins)
    return Found.of(records, (*_notes(records), *standing_note(taken)), twins, how)


def _exactly(seat: Seat, rows: Sequence[Piece]) -> tuple[Floats, Floats]:
    """Damage points of every row and foe, and expected attacks per round it is made of, each (n_foe, n_row)."""

    def found(faced: Faced) -> tuple[Floats, Floats]:
        made = {name: shares(*variant(name, faced), faced.acs) for name in used(rows)}
        points = np.stack([sum((term.sign * _selected(made[term.variant].mean, term) for term in row.terms), np.zeros(len(faced.acs))) for row in rows], axis=1)
        often = np.stack([made[WHOLE].chance[:, :, list(row.degrees)].sum(axis=(1, 2)) for row in rows], axis=1)
        return points, often

    parts = [(faced, found(faced)) for faced in seat.faced]
    return seat.collected((faced, points) for faced, (points, _) in parts), seat.collected((faced, often) for faced, (_, often) in parts)


def _selected(mean: Floats, term: Term) -> Floats:
    """Of the means (n_ac, n_steps, 4) what a term counts, (n_ac,)."""
    steps = mean if term.step is None else mean[:, term.step : term.step + 1]
    chosen: Floats = steps[:, :, list(term.degrees)].sum(axis=(1, 2))
    return chosen


def _simulated(seat: Seat, rows: Sequence[Piece], how: Simulation) -> tuple[Floats, Floats]:
    """Mean and standard error of every row and foe, each (n_foe, n_row): round by round the difference of variants that share their dice."""
    with ThreadPoolExecutor(how.workers) as pool:
        found = list(pool.map(lambda foe: _played(seat, foe, rows, how.trials, seat.seed(how.seed, foe)), range(len(seat.field.foes))))
    return np.array([mean for mean, _ in found]), np.array([error for _, error in found])


def _played(seat: Seat, foe: int, rows: Sequence[Piece], trials: int, seed: int) -> tuple[list[float], list[float]]:
    from analyzer.montecarlo import fights  # noqa: PLC0415 - Numba costs start-up time

    faced, ac = seat.before(foe)
    names = used(rows)
    sides = [variant(name, faced) for name in names]
    sums, squares = [0] * len(rows), [0] * len(rows)
    for chunk in zip(*(fights((plan,), met, ac, trials=trials, seed=seed, rounds=1, attacks=True) for plan, met in sides), strict=True):
        fought = dict(zip(names, (next(rounds) for rounds in chunk), strict=True))
        for i, row in enumerate(rows):
            values = sum((term.sign * _dealt(fought[term.variant], term) for term in row.terms), np.zeros(1, dtype=np.int64))
            sums[i] += int(values.sum())
            squares[i] += int(values @ values)
    means = [total / trials for total in sums]
    return means, [sqrt(max(square / trials - mean**2, 0.0) / trials) for square, mean in zip(squares, means, strict=True)]


def _dealt(fought: FoughtRound, term: Term) -> Integers:
    """Of every trial what a term counts."""
    damage, degree = (array if term.step is None else array[:, term.step : term.step + 1] for array in (fought.damage, fought.degree))
    chosen: Integers = (damage if term.degrees == DEGREES else damage * np.isin(degree, term.degrees)).sum(axis=1)
    return chosen


def _records(seat: Seat, rows: Sequence[Piece], seen: tuple[Floats, Floats] | None, trials: int, twins: Twins) -> Iterator[Record]:
    """The records of a build; parts that are nothing before every foe are left out."""
    exact, made = _exactly(seat, rows)
    points, often = seat.mixed(exact), seat.mixed(made)
    shown = [i for i, row in enumerate(rows) if row.kind != PART or exact[:, i].any() or (seen is not None and seen[0][:, i].any())]
    total = next(i for i, row in enumerate(rows) if row.kind == TOTAL)
    means, errors = (None, None) if seen is None else (seat.mixed(seen[0]), seat.errors(seen[1]))
    for mix in range(len(seat.field.mixes)):
        head = seat.head(mix)
        for i in shown:
            value, whole = float(points[mix, i]), float(points[mix, total])
            record: Record = head | {"kind": rows[i].kind, "part": rows[i].part}
            if means is None or errors is None:
                record["points"] = value
            else:
                found, error, occurring = float(means[mix, i]), float(errors[mix, i]), float(often[mix, i])
                record |= twins.estimate(
                    f"{rows[i].part} of {seat.where(mix)}", "points", exact=value, found=found, error=error, trials=trials, occurrences=trials * occurring
                )
            record["share"] = value / whole if whole > 0.0 else None
            yield record


def _notes(records: Sequence[Record]) -> Iterator[str]:
    """What the rows come to: of each build the largest part and the largest cost, before the first foe."""
    builds = dict.fromkeys(record["build"] for record in records)
    for build in list(builds)[:_TOLD]:
        rows = [record for record in records if record["build"] == build]
        first = [row for row in rows if all(row.get(key) == rows[0].get(key) for key in ("against", "ac"))]
        at = f"against {first[0]['against']}" if "against" in first[0] else f"at AC {first[0]['ac']}"
        parts, costs = ([row for row in first if row["kind"] == kind and row["share"] is not None] for kind in (PART, COST))
        if parts and costs:
            most, dearest = (max(some, key=lambda row: float(row["points"] or 0.0)) for some in (parts, costs))
            dear = f"the largest cost {dearest['part']} ({_percent(dearest)})"
            yield f"{build} {at}: {decimals(_total(first), 2)} DPR; the largest part is {most['part']} ({_percent(most)}), {dear}."
    if len(builds) > _TOLD:
        yield f"{len(builds) - _TOLD} more builds: their rows say the same of them."
    yield "The parts add up to the DPR. Costs do not add up: each is what the DPR would gain if that one defence, or every miss, were away."
    gains = dict.fromkeys(str(record["part"]) for record in records if record["kind"] == COST and float(record["points"] or 0.0) < 0.0)
    if gains:
        yield f"Below 0: {' and '.join(gains)} add{'s' if len(gains) == 1 else ''} to the DPR."


def _percent(row: Record) -> str:
    return f"{decimals(100.0 * float(row['share'] or 0.0), 1)} %"


def _total(rows: Sequence[Record]) -> float:
    return next(float(row["points"] or 0.0) for row in rows if row["kind"] == TOTAL)
