"""Attribution: which part of the damage comes from where, and what the target's defences cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from analyzer.asking.parameters import Choice
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Faced, Seat, Simulation, seats
from analyzer.asking.twins import Twins
from analyzer.exact.shares import shares
from analyzer.plan import CRITICAL, HIT, MISS, Plan, Target
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats, Integers
from analyzer.records import Record
from analyzer.workings.dissect import always_hitting, damage_types, of_types, plain_criticals, weapons_alone

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
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
_PART, _TOTAL, _COST = "deals", "total", "costs"
#: Builds that the notes speak of.
_TOLD = 6
_DEGREES = (0, MISS, HIT, CRITICAL)

#: The same round otherwise: what is left of the plan, and what the target is spared.
Variant = Callable[[Plan, Target], tuple[Plan, Target]]
#: A variant by its name, or the damage types that are left.
Name = str | tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Term:
    """Damage of a variant of the round, added or taken off: of one attack or all, at some final degrees."""

    variant: Name
    sign: int = 1
    step: int | None = None
    degrees: tuple[int, ...] = _DEGREES


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    kind: str
    part: str
    terms: tuple[_Term, ...]
    #: attacks at these degrees are what it is made of, for how often it comes up
    degrees: tuple[int, ...] = (HIT, CRITICAL)


_WHOLE = "as it is"
_PLAIN, _BARE = "criticals as hits", "weapons alone"
_VARIANTS: dict[str, Variant] = {
    _WHOLE: lambda plan, target: (plan, target),
    _PLAIN: lambda plan, target: (plain_criticals(plan), target),
    _BARE: lambda plan, target: (weapons_alone(plain_criticals(plan)), target),
    "reduction": lambda plan, target: (plan, target.but(reductions=((),) * len(target.reductions))),
    "misses": lambda plan, target: (always_hitting(plan), target),
    "miss chance": lambda plan, target: (plan, target.but(miss=(0, 100))),
    "immunity to criticals": lambda plan, target: (plan, target.but(immune_critical=False)),
    "immunity to precision damage": lambda plan, target: (plan, target.but(immune_precision=False)),
    "fortification": lambda plan, target: (plan, target.but(negate=(0, 100))),
}
#: Defences that cost something, where a target has them; every target is missed.
_DEFENCES: dict[str, Callable[[Target], bool]] = {
    "misses": lambda _: True,
    "reduction": lambda target: any(target.reductions),
    "miss chance": lambda target: target.miss[0] > 0,
    "immunity to criticals": lambda target: target.immune_critical,
    "immunity to precision damage": lambda target: target.immune_precision,
    "fortification": lambda target: target.negate[0] > 0,
}
_SOURCES = (
    _Row(kind=_PART, part="ordinary hits, weapon", terms=(_Term(variant=_BARE, degrees=(HIT,)),), degrees=(HIT,)),
    _Row(kind=_PART, part="criticals, as a hit", terms=(_Term(variant=_BARE, degrees=(CRITICAL,)),), degrees=(CRITICAL,)),
    _Row(
        kind=_PART,
        part="criticals, what they add",
        terms=(_Term(variant=_WHOLE, degrees=(CRITICAL,)), _Term(variant=_PLAIN, sign=-1, degrees=(CRITICAL,))),
        degrees=(CRITICAL,),
    ),
    _Row(
        kind=_PART,
        part="extra dice",
        terms=(_Term(variant=_PLAIN, degrees=(HIT, CRITICAL)), _Term(variant=_BARE, sign=-1, degrees=(HIT, CRITICAL))),
    ),
    _Row(kind=_PART, part="misses", terms=(_Term(variant=_WHOLE, degrees=(0, MISS)),), degrees=(0, MISS)),
)


def _parts(frame: pd.DataFrame, kind: str) -> dict[str, tuple[str, float]]:
    """The colour and opacity of each part or cost."""
    from analyzer.pictures.drawing import COLOURS  # noqa: PLC0415 - matplotlib costs start-up time

    names = dict.fromkeys(frame["part"][frame["kind"] == kind])
    colours = COLOURS if kind == _PART else COLOURS[::-1]
    return {str(name): (colours[i % len(colours)], (1.0, 0.6, 0.35)[i // len(colours) % 3]) for i, name in enumerate(names)}


def _bars(frame: pd.DataFrame) -> Figure:
    """A bar per build and target, cut into the parts; beside it a bar for each thing that costs."""
    from analyzer.pictures.drawing import BAR, Picture, faces, tidy, written  # noqa: PLC0415 - matplotlib costs start-up time

    several = "against" in frame
    groups = [rows for _, rows in frame.groupby(["build", "against" if several else "ac"], sort=False, dropna=False)]
    names = [written(str(rows["build"].iloc[0])) + (f"\n{faces(rows)[0]}" if several else "") for rows in groups]
    drawing = Picture(figsize=(11.5, 2.4 + 0.62 * len(groups)), layout="constrained")
    axes = drawing.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    for panel, kind, label in ((axes[0], _PART, "damage points per round"), (axes[1], _COST, "damage points per round lost, each for itself")):
        parts = _parts(frame, kind)
        for at, rows in enumerate(groups):
            (_stack if kind == _PART else _side_by_side)(panel, at, rows[rows["kind"] == kind], parts)
        panel.set_xlabel(label)
        _key(panel, parts)
    axes[0].set_yticks(range(len(groups)), names, fontsize="small")
    axes[0].set_ylim(len(groups) - 0.4, -0.6)
    tidy(*axes)
    if "points_mc" in frame:
        drawing.supxlabel(f"points: simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors", fontsize="small", color="0.3")
    return drawing


def _key(panel: Axes, parts: Mapping[str, tuple[str, float]]) -> None:
    """A legend above a panel."""
    from analyzer.pictures.drawing import written  # noqa: PLC0415 - matplotlib costs start-up time

    for part, (colour, alpha) in parts.items():
        panel.fill_between([], [], color=colour, alpha=alpha, linewidth=0.0, label=written(part))
    panel.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2 if len(parts) <= 6 else 3, frameon=False, fontsize="small")


def _stack(panel: Axes, at: int, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    left = 0.0
    for row in rows.to_dict("records"):
        colour, alpha = parts[row["part"]]
        panel.barh(at, row["points"], left=left, color=colour, alpha=alpha, height=0.7)
        _point(panel, at, row, left)
        left += row["points"]


def _side_by_side(panel: Axes, at: int, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    high = 0.8 / len(parts)
    for row in rows.to_dict("records"):
        colour, alpha = parts[row["part"]]
        where = at + high * (list(parts).index(row["part"]) - (len(parts) - 1) / 2)
        panel.barh(where, row["points"], color=colour, alpha=alpha, height=0.9 * high)
        _point(panel, where, row, 0.0)


def _point(panel: Axes, at: float, row: Mapping[Any, Any], left: float) -> None:
    """What was simulated, at the end of its bar."""
    from analyzer.pictures.drawing import BAR  # noqa: PLC0415 - matplotlib costs start-up time

    if "points_mc" in row:
        error = BAR * row["points_se"] if row["points_se"] == row["points_se"] and row["points_se"] else 0.0
        panel.errorbar([left + row["points_mc"]], [at], xerr=[error], fmt="o", color="black", markersize=3, capsize=2, linewidth=0.8)


def _areas(frame: pd.DataFrame) -> Figure:
    """A panel per build: the parts over armor class, one on the other."""
    from analyzer.pictures.drawing import BAR, Picture, tidy, whole_ticks, written  # noqa: PLC0415 - matplotlib costs start-up time

    builds = list(frame.groupby("build", sort=False))
    parts = _parts(frame, _PART)
    wide = 1 if len(builds) == 1 else 2 if len(builds) <= 4 else 4
    high = -(-len(builds) // wide)
    drawing = Picture(figsize=(max(9.0, 3.4 * wide), 1.4 + (4.4 if high == 1 else 2.9) * high), layout="constrained")
    panels = drawing.subplots(high, wide, sharex=True, sharey=True, squeeze=False).ravel()
    for panel, (build, rows) in zip(panels, builds, strict=False):
        table = rows.pivot_table(index="ac", columns="part", values="points", sort=False).fillna(0.0)
        shown = [part for part in parts if part in table]
        panel.stackplot(table.index, *(table[part] for part in shown), colors=[(parts[part][0], parts[part][1]) for part in shown], linewidth=0.0)
        total = rows[rows["kind"] == _TOTAL]
        panel.plot(total["ac"], total["points"], color="black", linewidth=1.2)
        if "points_mc" in rows:
            errors = BAR * total["points_se"].astype(float).fillna(0.0)
            panel.errorbar(total["ac"], total["points_mc"], yerr=errors, fmt="o", color="black", markersize=3, capsize=2, linewidth=0.8)
        panel.set_title(written(str(build)), fontsize="medium" if wide <= 2 else "small", loc="left")
    for panel in panels[len(builds) :]:
        panel.set_axis_off()
    tidy(*panels[: len(builds)])
    whole_ticks(panels[0])
    panels[0].set_xlim(frame["ac"].min(), frame["ac"].max())
    panels[0].set_ylim(bottom=0.0)
    for panel in panels[max(0, len(builds) - wide) : len(builds)]:
        panel.set_xlabel("armor class (AC)")
        panel.tick_params(labelbottom=True)
    drawing.supylabel("damage points per round (DPR)", fontsize="medium")
    told = f"DPR, points: simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors" if "points_mc" in frame else "DPR"
    handles = [panels[0].fill_between([], [], color=colour, alpha=alpha, linewidth=0.0, label=written(part)) for part, (colour, alpha) in parts.items()]
    handles += panels[0].plot([], [], color="black", linewidth=1.2, label=told)
    drawing.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize="small")
    return drawing


def _draw(frame: pd.DataFrame) -> Figure:
    return _bars(frame) if "against" in frame or len(set(frame["ac"])) == 1 else _areas(frame)


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
    an immunity or fortification, or if every attack that missed had been an ordinary hit (miss chance included), less the DPR.

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
        rows = _rows(seat, by)
        seen = None if how is None else _simulated(seat, rows, how)
        records += _records(seat, rows, seen, trials, twins)
    return Found.of(records, _notes(records), twins, how)


def _rows(seat: Seat, by: str) -> tuple[_Row, ...]:
    """What is asked of a build: parts, the total, and the defences that some target has."""
    parts: tuple[_Row, ...] = _SOURCES
    if by == "attack":
        longest = max((faced.plan for faced in seat.faced), key=lambda plan: len(plan.steps))
        parts = tuple(
            _Row(kind=_PART, part=_named(longest, step, seat.build.name), terms=(_Term(variant=_WHOLE, step=step),)) for step in range(len(longest.steps))
        )
    elif by == "type":
        types = tuple(dict.fromkeys(kind for faced in seat.faced for kind in damage_types(faced.plan)))
        parts = tuple(_Row(kind=_PART, part=kind, terms=_adding(types[: i + 1])) for i, kind in enumerate(types))
    costs = (
        _Row(kind=_COST, part=name, terms=(_Term(variant=name), _Term(variant=_WHOLE, sign=-1)), degrees=(0, MISS) if name == "misses" else (HIT, CRITICAL))
        for name, has in _DEFENCES.items()
        if any(has(faced.target) for faced in seat.faced)
    )
    return (*parts, _Row(kind=_TOTAL, part="DPR", terms=(_Term(variant=_WHOLE),)), *costs)


def _named(plan: Plan, step: int, build: str) -> str:
    """An attack by its number, its weapon where that is not what the build is called, and its bonus."""
    attack = next((variant for variant in plan.steps[step].variants if variant is not None), None)
    label = "" if attack is None or attack.label in ("attack", build) else f"{attack.label} "
    return f"attack {step + 1}" if attack is None else f"attack {step + 1}: {label}{attack.bonus:+d}"


def _adding(types: tuple[str, ...]) -> tuple[_Term, ...]:
    """What the last of some types adds to those before it."""
    return (_Term(variant=types), *((_Term(variant=types[:-1], sign=-1),) if len(types) > 1 else ()))


def _variant(name: Name, faced: Faced) -> tuple[Plan, Target]:
    if isinstance(name, str):
        return _VARIANTS[name](faced.plan, faced.target)
    return of_types(faced.plan, name), faced.target


def _used(rows: Sequence[_Row]) -> tuple[Name, ...]:
    return tuple(dict.fromkeys(term.variant for row in rows for term in row.terms))


def _exactly(seat: Seat, rows: Sequence[_Row]) -> tuple[Floats, Floats]:
    """Damage points of every row and foe, and expected attacks per round it is made of, each (n_foe, n_row)."""

    def found(faced: Faced) -> tuple[Floats, Floats]:
        made = {name: shares(*_variant(name, faced), faced.acs) for name in _used(rows)}
        points = np.stack([sum((term.sign * _selected(made[term.variant].mean, term) for term in row.terms), np.zeros(len(faced.acs))) for row in rows], axis=1)
        often = np.stack([made[_WHOLE].chance[:, :, list(row.degrees)].sum(axis=(1, 2)) for row in rows], axis=1)
        return points, often

    parts = [(faced, found(faced)) for faced in seat.faced]
    return seat.collected((faced, points) for faced, (points, _) in parts), seat.collected((faced, often) for faced, (_, often) in parts)


def _selected(mean: Floats, term: _Term) -> Floats:
    """Of the means (n_ac, n_steps, 4) what a term counts, (n_ac,)."""
    steps = mean if term.step is None else mean[:, term.step : term.step + 1]
    chosen: Floats = steps[:, :, list(term.degrees)].sum(axis=(1, 2))
    return chosen


def _simulated(seat: Seat, rows: Sequence[_Row], how: Simulation) -> tuple[Floats, Floats]:
    """Mean and standard error of every row and foe, each (n_foe, n_row): round by round the difference of variants that share their dice."""
    with ThreadPoolExecutor(how.workers) as pool:
        found = list(pool.map(lambda foe: _played(seat, foe, rows, how.trials, seat.seed(how.seed, foe)), range(len(seat.field.foes))))
    return np.array([mean for mean, _ in found]), np.array([error for _, error in found])


def _played(seat: Seat, foe: int, rows: Sequence[_Row], trials: int, seed: int) -> tuple[list[float], list[float]]:
    from analyzer.montecarlo import fights  # noqa: PLC0415 - Numba costs start-up time

    faced, ac = seat.before(foe)
    names = _used(rows)
    sides = [_variant(name, faced) for name in names]
    sums, squares = [0] * len(rows), [0] * len(rows)
    for chunk in zip(*(fights((plan,), met, ac, trials=trials, seed=seed, rounds=1, attacks=True) for plan, met in sides), strict=True):
        fought = dict(zip(names, (next(rounds) for rounds in chunk), strict=True))
        for i, row in enumerate(rows):
            values = sum((term.sign * _dealt(fought[term.variant], term) for term in row.terms), np.zeros(1, dtype=np.int64))
            sums[i] += int(values.sum())
            squares[i] += int(values @ values)
    means = [total / trials for total in sums]
    return means, [sqrt(max(square / trials - mean**2, 0.0) / trials) for square, mean in zip(squares, means, strict=True)]


def _dealt(fought: FoughtRound, term: _Term) -> Integers:
    """Of every trial what a term counts."""
    damage, degree = (array if term.step is None else array[:, term.step : term.step + 1] for array in (fought.damage, fought.degree))
    chosen: Integers = (damage if term.degrees == _DEGREES else damage * np.isin(degree, term.degrees)).sum(axis=1)
    return chosen


def _records(seat: Seat, rows: Sequence[_Row], seen: tuple[Floats, Floats] | None, trials: int, twins: Twins) -> Iterator[Record]:
    """The records of a build; parts that are nothing before every foe are left out."""
    exact, made = _exactly(seat, rows)
    points, often = seat.mixed(exact), seat.mixed(made)
    shown = [i for i, row in enumerate(rows) if row.kind != _PART or exact[:, i].any() or (seen is not None and seen[0][:, i].any())]
    total = next(i for i, row in enumerate(rows) if row.kind == _TOTAL)
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
        parts, costs = ([row for row in first if row["kind"] == kind and row["share"] is not None] for kind in (_PART, _COST))
        if parts and costs:
            most, dearest = (max(some, key=lambda row: float(row["points"] or 0.0)) for some in (parts, costs))
            dear = f"the largest cost {dearest['part']} ({_percent(dearest)})"
            yield f"{build} {at}: {_total(first):.2f} DPR; the largest part is {most['part']} ({_percent(most)}), {dear}."
    if len(builds) > _TOLD:
        yield f"{len(builds) - _TOLD} more builds: their rows say the same of them."
    yield "The parts add up to the DPR. Costs do not add up: each is what the DPR would gain if that one defence, or every miss, were away."


def _percent(row: Record) -> str:
    return f"{100.0 * float(row['share'] or 0.0):.1f} %"


def _total(rows: Sequence[Record]) -> float:
    return next(float(row["points"] or 0.0) for row in rows if row["kind"] == _TOTAL)
