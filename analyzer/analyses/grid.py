"""Grid: every design that a template and lists of values come to, the best of them first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from analyzer.asking.parameters import Choice, Keyed, Text, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.columns import Columns, joined, table_file
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats, Integers
from analyzer.workings.cells import FIGURES, Chunk, chunks
from analyzer.workings.designs import Designs, Vary, designs
from analyzer.workings.means import means

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="design", heading="design"),
    Column(key="what", heading="values"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="dpr", heading="DPR", digits=3),
    Column(key="sd", heading="SD", digits=2),
    Column(key="hits", heading="hits", digits=4),
    Column(key="crits", heading="criticals", digits=4),
    Column(key="any_hit", heading="any hit", digits=4),
    Column(key="any_crit", heading="any critical", digits=4),
    Column(key="no_damage", heading="no damage", digits=5),
)
#: Most designs that are simulated.
MAX_SIMULATED = 1000
#: What is varied when nothing is asked for.
EXAMPLE = ("attack=-2:2", "damage=-4:4")


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.designs import designs_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return designs_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "design", "what"))
def grid(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    vary: Annotated[Vary, Keyed()] = EXAMPLE,
    zipped: bool = False,
    target: Opponent = None,
    against: AgainstTable = None,
    figures: Annotated[str, Choice(("dpr", "all"))] = "dpr",
    top: Annotated[int | None, Whole(low=1, high=1_000_000)] = 10,
    by: Annotated[str, Choice(FIGURES)] = "dpr",
    lowest: bool = False,
    out: Annotated[str | PathLike[str] | None, Text(metavar="FILE.parquet|csv")] = None,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
    simulate: bool = False,
    trials: Trials = 100_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Every design of a template, the best first.

    Parameters
    ----------
    {builds}
    {ac}
    vary : mapping, or texts
        Values for keys of every build: attack=0:5 shifts every attack bonus, damage=2d6+7,1d12+7 replaces, rules.ties=hit,miss switches. Every combination; an
        example if left out.
    zipped : bool
        Take the first value of every key together, then the second, instead of every combination.
    {target}
    {against}
    figures : {"dpr", "all"}
        Mean damage alone, which is quick, or every figure of a round.
    top : int, optional
        Only so many designs, the best first, by the figure below: its mean over the ACs, or its weighted answer. None is all of them as they are numbered.
    by : str
        The figure that ranks designs.
    lowest : bool
        The lowest is best.
    out : path, optional
        Write every design into this file, chunk by chunk, whatever is answered.
    executor : Executor, optional
        Where to work, instead of this process.
    progress : callable, optional
        Called with the number of cells (designs times ACs or creatures) just finished.
    {simulate}
    {trials}
    {seed}
    workers : int
        Processes that plan and work out the designs, and threads of the simulation; changes no figure.

    Returns
    -------
    Answer
        A row per template, design and AC or creature: ``design`` (its number, from 0), ``what`` (its values in words), a column per key,
        ``dpr`` in damage points per round, and with all figures those of `curve`.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played or written, or more designs than can be simulated.
    """
    templates = seats(builds, ac, target=target, against=against)
    planned = [designs(seat.build, vary, zipped=zipped) for seat in templates]
    means = figures == "dpr" and by == "dpr"
    names = FIGURES[:1] if means else FIGURES
    rank = _Rank(figure=names.index(by), top=top, lowest=lowest)
    best: list[Chunk] = []
    with _pool(executor, workers) as pool, table_file(out) as write:
        for made, seat in zip(planned, templates, strict=True):
            found: Chunk | None = None
            for chunk in chunks(made, seat, means=means, executor=pool, progress=progress):
                if write is not None:
                    write(_columns(made, seat, chunk, names))
                found = rank.kept(found, chunk, seat)
            if found is not None:
                best.append(found)
    order, best = rank.shown(best, templates)
    parts = [_columns(made, seat, chunk, names) for made, seat, chunk in zip(planned, templates, best, strict=True)]
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    if how is not None:
        count = len(order)
        if count > MAX_SIMULATED:
            raise ValueError(f"top must leave at most {MAX_SIMULATED} designs to simulate; got {count}")
        pieces = zip(planned, templates, best, parts, strict=True)
        parts = [part.beside(_simulated(made, seat, chunk, twins, how)) for made, seat, chunk, part in pieces]
    n_mix = len(templates[0].field.mixes)
    records = joined(parts).take((order[:, np.newaxis] * n_mix + np.arange(n_mix)).reshape(-1))
    told = (
        ", ".join(f"{len(held)} values of {key}" for key, held in planned[0].varied)
        if zipped
        else " x ".join(f"{len(held)} values of {key}" for key, held in planned[0].varied)
    )
    each = f" for each of {len(planned)} builds" if len(planned) > 1 else ""
    notes = [f"{sum(made.count for made in planned):,} designs: {told}{', zipped' if zipped else ''}{each}"]
    if top is not None:
        notes.append(f"the {len(order)} with the {'lowest' if lowest else 'highest'} {by}, the best being {records[0]['build']}: {records[0]['what']}")
    if out is not None:
        notes.append(f"all of them are in {out}")
    return Found.of(records, [*notes, *standing_note(templates)], twins, how)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rank:
    """Which designs are kept, and in which order: all of them as they are numbered, or the best first."""

    figure: int
    top: int | None
    lowest: bool

    def _score(self, chunk: Chunk, seat: Seat) -> Floats:
        """Lower is better."""
        found = chunk.figures[:, :, self.figure]
        score = found.mean(axis=1) if seat.field.swept else found[:, 0]
        return score if self.lowest else -score

    def kept(self, best: Chunk | None, chunk: Chunk, seat: Seat) -> Chunk:
        """What is kept of a template's designs."""
        numbers = chunk.designs if best is None else np.concatenate((best.designs, chunk.designs))
        found = chunk.figures if best is None else np.concatenate((best.figures, chunk.figures))
        both = Chunk(designs=numbers, figures=found)
        order = np.argsort(numbers, kind="stable") if self.top is None else np.lexsort((numbers, self._score(both, seat)))[: self.top]
        return Chunk(designs=numbers[order], figures=found[order])

    def shown(self, best: Sequence[Chunk], templates: Sequence[Seat]) -> tuple[Integers, list[Chunk]]:
        """The designs shown of all templates, and their order when they stand one template after the other."""
        scores = np.concatenate([self._score(chunk, seat) for chunk, seat in zip(best, templates, strict=True)])
        if self.top is None:
            return np.arange(len(scores)), list(best)
        chosen = np.argsort(scores, kind="stable")[: self.top]
        held = np.sort(chosen)
        bounds = np.cumsum([0, *(len(chunk.designs) for chunk in best)])
        mine = [held[(held >= low) & (held < high)] - low for low, high in pairwise(bounds.tolist())]
        trimmed = [Chunk(designs=chunk.designs[some], figures=chunk.figures[some]) for chunk, some in zip(best, mine, strict=True)]
        return np.searchsorted(held, chosen), trimmed


@contextmanager
def _pool(executor: Executor | None, workers: int) -> Iterator[Executor | None]:
    """The executor given, or processes when there are to be several, or nothing."""
    if executor is not None or workers == 1:
        yield executor
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield pool


def _columns(made: Designs, seat: Seat, chunk: Chunk, names: tuple[str, ...]) -> Columns:
    """The records of some designs as columns."""
    n_design, n_mix, _ = chunk.figures.shape
    places = made.places()[chunk.designs]
    out: dict[str, Any] = {"system": seat.build.system, "build": seat.build.name, "design": np.repeat(chunk.designs, n_mix)}
    out["what"] = np.repeat(np.array([made.name(row) for row in places.tolist()], dtype=object), n_mix)
    for k, (key, values) in enumerate(made.varied):
        held = np.empty(len(values), dtype=object)
        held[:] = list(values)
        whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
        out[key] = np.repeat((held.astype(np.int64) if whole else held)[places[:, k]], n_mix)
    heads = [seat.faces(mix) for mix in range(n_mix)]
    for key in heads[0]:
        told = [head[key] for head in heads]
        column = np.array(told, dtype=np.int64 if all(isinstance(value, int) for value in told) else object)
        out[key] = np.tile(column, n_design)
    for i, name in enumerate(names):
        out[name] = chunk.figures[:, :, i].reshape(-1)
    return Columns(out, n_design * n_mix)


def _simulated(made: Designs, seat: Seat, best: Chunk, twins: Twins, how: Simulation) -> dict[str, list[Any]]:
    """What the simulation says of the mean damage of some designs."""
    places = made.places()
    beside: dict[str, list[Any]] = {"dpr_mc": [], "dpr_se": [], "dpr_z": []}
    for row, number in enumerate(best.designs.tolist()):
        played = means(seat.changed(made.build(places[number])), how)
        for mix in range(len(seat.field.mixes)):
            found, error, _ = played.seen(mix)
            exact = float(best.figures[row, mix, 0])
            where = f"{seat.build.name}: {made.name(places[number])}, {seat.face(mix)}"
            record = twins.estimate(where, "dpr", exact=exact, found=found, error=error, trials=how.trials)
            for key, column in beside.items():
                column.append(record[key])
    return beside
