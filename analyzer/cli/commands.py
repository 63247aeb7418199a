"""The commands, each: load, check, one call, write."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from analyzer import examples as shipped
from analyzer import scenario, systems
from analyzer.analyses import compare as comparing
from analyzer.analyses import curve as curving
from analyzer.cli import options as o
from analyzer.cli import tables
from analyzer.cli.app import DISAGREE, Notation, app
from analyzer.cli.output import Format, check_picture, console, emit, message, progress, save
from analyzer.records import Record, detailed
from analyzer.scenario import Scenario
from analyzer.sweeps import parse_acs


def _table_of(by: str) -> Callable[[Sequence[Record], Console], Table]:
    return tables.rounds if by == "round" else tables.attacks


def _simulated(loaded: Scenario, ac: str, *, trials: str, seed: str | None, workers: int | None, by: str, everything: bool) -> comparing.Comparison:
    rounds = o.whole_number(trials, "--trials", 1)
    with progress(rounds * len(loaded.builds) * len(parse_acs(ac))) as advance:
        return comparing.comparison(
            loaded,
            ac,
            trials=rounds,
            seed=o.seed_of(seed),
            workers=o.workers_of(workers),
            by=o.detail_of(by),
            everything=everything,
            progress=advance,
        )


def _closing(found: comparing.Comparison) -> None:
    message(f"{found.trials:,} rounds per build and AC, seed {found.seed}")
    message(str(found.verdict))
    for name in found.verdict.disagreements[:20]:
        message(f"  disagrees: {name}")


@app.command()
def compare(
    file: o.FileArgument = None,
    ac: o.AcOption = o.SWEEP,
    trials: o.TrialsOption = "1_000_000",
    seed: o.SeedOption = None,
    workers: o.WorkersOption = None,
    form: o.FormatOption = Format.TABLE,
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Compare builds at every AC: exact figures beside simulated ones, with errors and a verdict. Without FILE, an example."""
    check_picture(plot)
    loaded = o.scenario_of(file, rule)
    if file is None:
        message(f"No build file given: playing the example {shipped.DEFAULT!r} ('analyzer examples {shipped.DEFAULT} > my.toml' makes it yours).")
    found = _simulated(loaded, ac, trials=trials, seed=seed, workers=workers, by=by, everything=False)
    emit(found.records, form, _table_of(by))
    _closing(found)
    if plot is not None:
        _draw(detailed(found.played, "round"), plot, found.trials)
    if not found.verdict.agree:
        raise typer.Exit(DISAGREE)


@app.command()
def curve(
    file: o.FileArgument = None,
    ac: o.AcOption = o.SWEEP,
    form: o.FormatOption = Format.TABLE,
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Show the exact figures of builds at every AC, without a simulation."""
    check_picture(plot)
    loaded = o.scenario_of(file, rule)
    emit(curving.records(loaded, ac, by=o.detail_of(by)), form, _table_of(by))
    if plot is not None:
        _draw(curving.records(loaded, ac), plot)


def _draw(records: list[Record], plot: Path, trials: int | None = None) -> None:
    from analyzer.answer import answer  # noqa: PLC0415 - pandas and matplotlib cost start-up time
    from analyzer.figures import sweep_figure  # noqa: PLC0415

    save(sweep_figure(answer(records, trials=trials)), plot)


@app.command(cls=Notation)
def dpr(
    attack: Annotated[str, typer.Argument(help="Attack bonuses, such as +20/+15/+10/+5 or -1/-6.")],
    damage: Annotated[str, typer.Argument(help="Damage of a hit, such as 2d6+15 or '1d8+3 slashing'.")],
    crit: Annotated[str | None, typer.Option("--crit", metavar="RANGE/xN", help="Threat range and multiplier, such as 17-20/x2 or x3.")] = None,
    extra: Annotated[
        list[str] | None, typer.Option("--extra", metavar="DICE", help="Unmultiplied extra damage, such as 5d6 or '1d6 fire'. Repeatable.")
    ] = None,
    dr: Annotated[int | None, typer.Option("--dr", metavar="N", help="Damage reduction: points off the physical damage of each attack.")] = None,
    ac: o.AcOption = o.SWEEP,
    system: Annotated[str, typer.Option("--system", metavar="ID", help="The game ('analyzer systems' lists them).")] = "d20",
    miss_chance: Annotated[int | None, typer.Option("--miss-chance", metavar="PERCENT", help="Concealment.")] = None,
    immune: Annotated[list[str] | None, typer.Option("--immune", metavar="critical|precision", help="What the target is immune to. Repeatable.")] = None,
    form: o.FormatOption = Format.TABLE,
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Answer in one line: exact DPR, hits and criticals of a list of attacks."""
    check_picture(plot)
    build = scenario.statblock(attack, damage, critical=crit, extra=tuple(extra or ()), system=system, rules=o.switches_of(rule, system))
    keys: dict[str, object] = {"reduction": None if dr is None else {"physical": dr}, "miss_chance": miss_chance, "immune": immune}
    target = scenario.target(system, **{key: value for key, value in keys.items() if value is not None})
    emit(curving.records(build, ac, target=target, by=o.detail_of(by)), form, _table_of(by))
    if plot is not None:
        _draw(curving.records(build, ac, target=target), plot)


@app.command()
def verify(
    file: o.FileArgument = None,
    ac: o.AcOption = o.SWEEP,
    trials: o.TrialsOption = "10_000_000",
    seed: o.SeedOption = None,
    workers: o.WorkersOption = None,
    rule: o.RuleOption = None,
) -> None:
    """Hold the engines against each other: every figure of every round and attack. Exits with 1 when they disagree."""
    loaded = o.scenario_of(file, rule)
    found = _simulated(loaded, ac, trials=trials, seed=seed, workers=workers, by="round", everything=True)
    _closing(found)
    if not found.verdict.agree:
        raise typer.Exit(DISAGREE)


@app.command()
def trace(
    file: o.FileArgument = None,
    trial: Annotated[str, typer.Option("--trial", metavar="K", help="The round's number in the simulation, from 0.")] = "0",
    seed: o.SeedOption = "0",
    ac: o.OneAcOption = None,
    build: o.BuildOption = None,
    form: o.FormatOption = Format.TABLE,
    rule: o.RuleOption = None,
) -> None:
    """Show one simulated round die by die, like a game's combat log."""
    from analyzer.analyses import trace as tracing  # noqa: PLC0415 - Numba costs start-up time

    loaded = o.scenario_of(file, rule, build)
    number, drawn = o.whole_number(trial, "--trial", 0), o.whole_number(seed or "0", "--seed", 0)
    for one in loaded.builds:
        log = tracing.trace(one, ac, target=loaded.target, trial=number, seed=drawn)
        if form is Format.TABLE:
            console().print("\n".join(tracing.lines(log)), markup=False, soft_wrap=True)
        else:
            emit(tracing.records(log), form, tables.listing)


@app.command()
def explain(file: o.FileArgument = None, ac: o.OneAcOption = None, build: o.BuildOption = None, rule: o.RuleOption = None) -> None:
    """Show how every bonus, armor class and damage was derived, each line with its rule."""
    loaded = o.scenario_of(file, rule, build)
    for one in loaded.builds:
        console().print(tables.derivation(one.name, one.derive(loaded.target, ac).lines))


@app.command()
def examples(
    name: Annotated[str | None, typer.Argument(help="Print this example; redirect it into a file to make it yours.")] = None,
    form: o.FormatOption = Format.TABLE,
) -> None:
    """List the build files that come with the package, or print one."""
    if name is None:
        emit([{"name": n, "system": shipped.system(n), "summary": shipped.summary(n)} for n in shipped.names()], form, tables.listing)
    else:
        sys.stdout.write(shipped.text(name))


@app.command(name="systems")
def list_systems(form: o.FormatOption = Format.TABLE) -> None:
    """List the games."""
    emit([{"id": s.id, "name": s.name, "summary": s.summary} for s in systems.systems().values()], form, tables.listing)


@app.command()
def schema() -> None:
    """Print the JSON Schema of build files, for editors."""
    sys.stdout.write(json.dumps(scenario.schema(), indent=2, ensure_ascii=False) + "\n")
