"""The commands, each: load, check, one call, write.

A question is imported by the command that asks it: with its engines it costs start-up time, and so every command pays for its own alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from analyzer import examples as shipped
from analyzer import scenario, systems
from analyzer.cli import options as o
from analyzer.cli import tables
from analyzer.cli.app import DISAGREE, INTERRUPTED, Notation
from analyzer.cli.cluster import executor_of
from analyzer.cli.output import Format, as_json, check_picture, console, emit, message, progress, save
from analyzer.dice import MAX_SUM
from analyzer.sweeps import parse_acs

if TYPE_CHECKING:
    from analyzer.analyses import compare as comparing
    from analyzer.records import Detail, Record
    from analyzer.workings.ranking import Ranking

app = typer.Typer()
#: What ``--system`` takes besides the id of a game.
EVERY = "all"
#: Rounds of a verification per build and AC.
VERIFY_TRIALS = 10_000_000


def app_of(_name: str) -> typer.Typer:
    """What has the commands of this module, for `analyzer.cli.app` to take one from."""
    return app


def _show(records: Sequence[Record], form: Format, by: Detail, ranking: Ranking) -> None:
    """The records of a curve or comparison, and who leads where."""
    own = ranking.marks.own

    def table(rows: Sequence[Record], screen: Console) -> Table:
        return tables.rounds(rows, screen, own=own) if by == "round" else tables.attacks(rows, screen)

    emit(records, form, table)
    if form is Format.TABLE:
        for note in ranking.notes:
            console().print(note, soft_wrap=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """What both simulating commands ask for, as it was written."""

    file: str | None
    rule: list[str] | None
    ac: str | None
    trials: str | None
    precision: str | None
    confidence: str | None
    of: list[str] | None
    seed: str | None
    workers: str | None
    scheduler: str | None
    against: str | None = None
    differences: str | None = None


def _simulated(asked: _Asked, *, trials: int, by: Detail, everything: bool) -> comparing.Comparison:
    from analyzer.analyses import compare as comparing  # noqa: PLC0415 - start-up time
    from analyzer.precision import CONFIDENCE  # noqa: PLC0415 - start-up time
    from analyzer.workings.differences import reference_of  # noqa: PLC0415 - start-up time

    given = None if asked.trials is None else o.whole_number(asked.trials, "--trials", 1, o.MAX_TRIALS)
    rounds = trials if given is None and asked.precision is None else given
    drawn, threads = o.seed_of(asked.seed), o.workers_of(asked.workers)
    acs = None if asked.ac is None and asked.against is not None else parse_acs(o.SWEEP if asked.ac is None else asked.ac)
    loaded = o.scenario_of(asked.file, asked.rule)
    total = None if rounds is None or acs is None or asked.precision is not None else rounds * len(loaded.builds) * len(acs)
    with executor_of(asked.scheduler) as (executor, slots), progress(total) as advance:
        found = comparing.comparison(
            loaded,
            acs,
            against=asked.against,
            trials=rounds,
            precision=asked.precision,
            confidence=CONFIDENCE if asked.confidence is None else asked.confidence,
            of=asked.of or comparing.FIGURE,
            differences=reference_of(asked.differences),
            seed=drawn,
            workers=threads if executor is None else max(1, min(slots, o.MAX_WORKERS)),
            executor=executor,
            by=by,
            everything=everything,
            progress=advance,
        )
    if asked.file is None:
        message(f"No build file given: playing the example {shipped.DEFAULT!r} ('analyzer examples {shipped.DEFAULT} > my.toml' makes it yours).")
    return found


def _closing(found: comparing.Comparison) -> None:
    rounds = f"{found.trials:,}" if found.fewest == found.trials else f"{found.fewest:,} to {found.trials:,}"
    cut = "partial answer, " if found.partial else ""
    wanted = "" if found.precision is None else f", {found.precision}"
    message(f"{cut}{rounds} rounds per build and {'creature' if found.met else 'AC'}, seed {found.seed}{wanted}")
    message(str(found.verdict))
    for name in found.verdict.disagreements[:20]:
        message(f"  disagrees: {name}")


def _exit(found: comparing.Comparison) -> None:
    if found.partial:
        raise typer.Exit(INTERRUPTED)
    if not found.verdict.agree:
        raise typer.Exit(DISAGREE)


@app.command()
def compare(
    file: o.FileArgument = None,
    ac: o.SweepOption = None,
    against: o.AgainstOption = None,
    trials: o.TrialsOption = None,
    precision: o.PrecisionOption = None,
    confidence: o.ConfidenceOption = None,
    of: o.OfOption = None,
    differences: o.DifferencesOption = None,
    seed: o.SeedOption = None,
    workers: o.WorkersOption = None,
    scheduler: o.SchedulerOption = None,
    form: o.FormatOption = "table",
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Compare builds at every AC: exact figures beside simulated ones, with errors and a verdict. Without FILE, an example."""
    from analyzer.playing import TRIALS  # noqa: PLC0415 - start-up time

    check_picture(plot)
    written, detail = o.format_of(form), o.detail_of(by)
    asked = _Asked(
        file=file,
        rule=rule,
        ac=ac,
        trials=trials,
        precision=precision,
        confidence=confidence,
        of=of,
        seed=seed,
        workers=workers,
        scheduler=scheduler,
        against=against,
        differences=differences,
    )
    found = _simulated(asked, trials=TRIALS, by=detail, everything=False)
    _show(found.records, written, detail, found.ranking)
    _closing(found)
    if plot is not None:
        _draw(found.rounds, plot, found.ranking, found.trials)
    _exit(found)


@app.command()
def curve(
    file: o.FileArgument = None,
    ac: o.SweepOption = None,
    against: o.AgainstOption = None,
    form: o.FormatOption = "table",
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Show the exact figures of builds at every AC, without a simulation."""
    from analyzer.analyses import curve as curving  # noqa: PLC0415 - start-up time

    check_picture(plot)
    written, detail = o.format_of(form), o.detail_of(by)
    loaded = o.scenario_of(file, rule)
    found = curving.found(loaded, ac, against=against, by=detail)
    _show(found.records, written, detail, found.ranking)
    if plot is not None:
        _draw(found.rounds, plot, found.ranking)


def _draw(records: list[Record], plot: Path, ranking: Ranking, trials: int | None = None) -> None:
    from analyzer.answer import answer  # noqa: PLC0415 - pandas and matplotlib cost start-up time
    from analyzer.pictures.figures import figure_of  # noqa: PLC0415

    save(figure_of(answer(records, trials=trials), marks=ranking.marks), plot)


@app.command(cls=Notation)
def dpr(
    attack: Annotated[str, typer.Argument(help="Attack bonuses, such as +20/+15/+10/+5 or -1/-6.")],
    damage: Annotated[str, typer.Argument(help="Damage of a hit, such as 2d6+15 or '1d8+3 slashing'.")],
    crit: Annotated[str | None, typer.Option("--crit", metavar="RANGE/xN", help="Threat range and multiplier, such as 17-20/x2 or x3.")] = None,
    extra: Annotated[
        list[str] | None, typer.Option("--extra", metavar="DICE", help="Unmultiplied extra damage, such as 5d6 or '1d6 fire'. Repeatable.")
    ] = None,
    dr: Annotated[str | None, typer.Option("--dr", metavar="N", help="Damage reduction: points off the physical damage of each attack.")] = None,
    ac: o.AcOption = o.SWEEP,
    system: Annotated[str, typer.Option("--system", metavar="ID|all", help="The game ('analyzer systems' lists them), or all of them.")] = "d20",
    miss_chance: Annotated[str | None, typer.Option("--miss-chance", metavar="PERCENT", help="Concealment.")] = None,
    immune: Annotated[list[str] | None, typer.Option("--immune", metavar="critical|precision", help="What the target is immune to. Repeatable.")] = None,
    form: o.FormatOption = "table",
    plot: o.PlotOption = None,
    by: o.ByOption = "round",
    rule: o.RuleOption = None,
) -> None:
    """Answer in one line: exact DPR, hits and criticals of a list of attacks."""
    check_picture(plot)
    written, detail = o.format_of(form), o.detail_of(by)
    points, percent = o.number_of(dr, "--dr", MAX_SUM), o.number_of(miss_chance, "--miss-chance", 100)
    given: dict[str, object] = {"reduction": None if points is None else {"physical": points}, "miss_chance": percent, "immune": immune}
    target = {key: value for key, value in given.items() if value is not None}

    def played(game: str, name: str | None) -> scenario.Build:
        build = scenario.statblock(attack, damage, critical=crit, extra=tuple(extra or ()), system=game, name=name, rules=o.switches_of(rule, game))
        build.derive(scenario.target(game, **target))
        return build

    builds = _in_every_game(played) if system == EVERY else [played(system, None)]
    from analyzer.analyses import curve as curving  # noqa: PLC0415 - start-up time, which bad input does not wait for

    found = curving.found(builds, ac, target=target, by=detail)
    _show(found.records, written, detail, found.ranking)
    if plot is not None:
        _draw(found.rounds, plot, found.ranking)


def _in_every_game(played: Callable[[str, str | None], scenario.Build]) -> list[scenario.Build]:
    """The build of every game that can play it, named by the game; the others are told on stderr, with what they refuse."""
    builds: list[scenario.Build] = []
    refused: list[str] = []
    for game in systems.systems():
        try:
            builds.append(played(game, game))
        except scenario.ScenarioError as error:
            refused.append(f"{game}: {'; '.join(error.problems)}")
    if not builds:
        raise scenario.ScenarioError(refused)
    for line in refused:
        message(f"left out: {line}")
    return builds


@app.command()
def verify(
    file: o.FileArgument = None,
    ac: o.AcOption = o.SWEEP,
    trials: o.TrialsOption = None,
    precision: o.PrecisionOption = None,
    confidence: o.ConfidenceOption = None,
    of: o.OfOption = None,
    seed: o.SeedOption = None,
    workers: o.WorkersOption = None,
    scheduler: o.SchedulerOption = None,
    rule: o.RuleOption = None,
) -> None:
    """Hold the engines against each other: every figure of every round and attack. Exits with 1 when they disagree."""
    asked = _Asked(
        file=file,
        rule=rule,
        ac=ac,
        trials=trials,
        precision=precision,
        confidence=confidence,
        of=of,
        seed=seed,
        workers=workers,
        scheduler=scheduler,
    )
    found = _simulated(asked, trials=VERIFY_TRIALS, by="round", everything=True)
    _closing(found)
    _exit(found)


@app.command()
def trace(
    file: o.FileArgument = None,
    trial: Annotated[str, typer.Option("--trial", metavar="K", help="The round's number in the simulation, from 0.")] = "0",
    seed: o.TraceSeedOption = "0",
    ac: o.OneAcOption = None,
    build: o.BuildOption = None,
    form: o.FormatOption = "table",
    rule: o.RuleOption = None,
) -> None:
    """Show one simulated round die by die, like a game's combat log."""
    from analyzer.analyses import trace as tracing  # noqa: PLC0415 - Numba costs start-up time

    written, at, number = o.format_of(form), o.ac_of(ac), o.whole_number(trial, "--trial", 0, o.MAX_TRIALS - 1)
    drawn = o.whole_number(seed, "--seed", 0)
    loaded = o.scenario_of(file, rule, build)
    logs = [tracing.trace(one, at, target=loaded.target, trial=number, seed=drawn) for one in loaded.builds]
    if written is Format.TABLE:
        console().print("\n".join(line for log in logs for line in tracing.lines(log)), soft_wrap=True)
    else:
        emit([record for log in logs for record in tracing.records(log)], written, tables.listing)


@app.command()
def explain(file: o.FileArgument = None, ac: o.OneAcOption = None, build: o.BuildOption = None, rule: o.RuleOption = None) -> None:
    """Show how every bonus, armor class and damage was derived, each line with its rule; of a build with rounds, in each of them."""
    at = o.ac_of(ac)
    loaded = o.scenario_of(file, rule, build)
    for one in loaded.builds:
        console().print(tables.derivation(one.name, one.derive(loaded.target, at).lines))
        for number, listed in enumerate(one.course(loaded.target, at) if one.rounds else (), 1):
            later = " and later" if number == len(one.rounds) else ""
            console().print(tables.derivation(f"{one.name}, round {number}{later}", listed.lines))


@app.command()
def examples(
    name: Annotated[str | None, typer.Argument(help="Print this example; redirect it into a file to make it yours.")] = None,
    form: o.FormatOption = "table",
) -> None:
    """List the build files that come with the package, or print one, or a table of creatures (NAME.csv)."""
    written = o.format_of(form)
    if name is None:
        emit([{"name": n, "system": shipped.system(n), "summary": shipped.summary(n)} for n in shipped.names()], written, tables.listing)
        if written is Format.TABLE:
            message(f"Tables of creatures, for --against: {', '.join(shipped.tables())} ('analyzer examples {shipped.tables()[0]}' prints one).")
    elif name.endswith(shipped.TABLE):
        sys.stdout.write(shipped.table(name))
    else:
        sys.stdout.write(shipped.text(name))


@app.command(name="systems")
def list_systems(
    form: o.FormatOption = "table",
    rules: Annotated[bool, typer.Option("--rules", help="Show which rule differs where, and every switch of \\[rules].")] = False,
) -> None:
    """List the games, or with --rules what each of them does."""
    if rules:
        from analyzer.analyses import rules as ruling  # noqa: PLC0415 - start-up time

        emit(ruling.records(), o.format_of(form), tables.rules)
        return
    emit([{"id": s.id, "name": s.name, "summary": s.summary} for s in systems.systems().values()], o.format_of(form), tables.listing)


@app.command()
def schema() -> None:
    """Print the JSON Schema of build files, for editors."""
    sys.stdout.write(as_json(scenario.schema(), indent=2) + "\n")
