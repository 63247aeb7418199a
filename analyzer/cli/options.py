"""Options that several commands share, and how their text is read."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer import examples
from analyzer.cli.output import Format
from analyzer.scenario import Scenario, ScenarioError, load, rules_from_strings
from analyzer.sweeps import DEFAULT, parse_acs

if TYPE_CHECKING:  # a word for it alone, and NumPy would come along
    from analyzer.records import Detail

FileArgument = Annotated[str | None, typer.Argument(metavar="[FILE]", help="A build file, or the name of an example ('analyzer examples' lists them).")]
AcOption = Annotated[
    str,
    typer.Option("--ac", metavar="N|LOW:HIGH", help="Armor class the first attack aims at, cover included: 28, 10:40 or 15,20,25."),
]
SweepOption = Annotated[
    str | None,
    typer.Option("--ac", metavar="N|LOW:HIGH", help=f"Armor class the first attack aims at, cover included: 28, 10:40 or 15,20,25; {DEFAULT} if left out."),
]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="FILE.csv", help="A table of creatures to face instead of a target: name, ac, hp, dr, weight, level (or the name of an example)."
    ),
]
DifferencesOption = Annotated[
    str | None,
    typer.Option(
        "--differences", metavar="best|first|previous", help="Differences of DPR on common dice: to the best other build, the first, or the AC before."
    ),
]
OneAcOption = Annotated[str | None, typer.Option("--ac", metavar="N", help="Armor class the first attack aims at; the target's own if left out.")]
TrialsOption = Annotated[
    str | None,
    typer.Option(
        "--trials", metavar="N", help="Simulated rounds per build and AC, such as 1_000_000 or 1e6 (compare: 1e6, verify: 1e7); with --precision the most."
    ),
]
PrecisionOption = Annotated[
    str | None, typer.Option("--precision", metavar="X|P%", help="Simulate until the interval is this narrow: 0.05 is its half-width, 0.1% relative.")
]
ConfidenceOption = Annotated[
    str | None, typer.Option("--confidence", metavar="P", help="How often the interval of --precision holds the exact figure; 0.99 if left out.")
]
OfOption = Annotated[list[str] | None, typer.Option("--of", metavar="FIGURE", help="A figure --precision is asked of: dpr, any_crit ... Repeatable.")]
SchedulerOption = Annotated[
    str | None, typer.Option("--scheduler", metavar="tcp://HOST:PORT", help="Simulate on the workers of this Dask scheduler. Changes no figure.")
]
SeedOption = Annotated[str | None, typer.Option("--seed", metavar="N", help="Any whole number from 0; drawn and printed if left out.")]
TraceSeedOption = Annotated[str, typer.Option("--seed", metavar="N", help="The simulation's seed.")]
WorkersOption = Annotated[str | None, typer.Option("--workers", metavar="N", help="Threads; one per processor if left out. Changes no figure.")]
FormatOption = Annotated[str, typer.Option("--format", metavar="|".join(Format), help="Table for people, JSON or CSV for programs.")]
PlotOption = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png|svg|pdf", help="Draw the figure into this file.")]
ByOption = Annotated[str, typer.Option("--by", metavar="round|attack", help="A row per round, or per attack.")]
RuleOption = Annotated[list[str] | None, typer.Option("--rule", metavar="KEY=VALUE", help="A switch of \\[rules], such as ties=hit. Repeatable.")]
BuildOption = Annotated[str | None, typer.Option("--build", metavar="NAME", help="Only this build of the file.")]
BuildsOption = Annotated[list[str] | None, typer.Option("--build", metavar="NAME", help="Only this build of the file. Repeatable.")]

SWEEP = DEFAULT
MAX_WORKERS = 1024
MAX_TRIALS = 2**40


def switches_of(options: list[str] | None, system: str) -> dict[str, object]:
    """The switches given as ``--rule KEY=VALUE``."""
    pairs: dict[str, str] = {}
    for option in options or []:
        key, sign, value = (part.strip() for part in option.partition("="))
        if not (sign and key and value):
            raise ValueError(f"--rule must be KEY=VALUE such as ties=hit; got {option!r}")
        pairs[key] = value
    return rules_from_strings(pairs, system)


def scenario_of(file: str | None, rules: list[str] | None, build: str | None = None) -> Scenario:
    """The scenario of a file or an example, with switches set and, if asked for, one build picked."""
    name = examples.DEFAULT if file is None else file
    shipped = name in examples.names() and not Path(name).exists()
    if not shipped and not name.endswith(".toml") and not Path(name or "nothing").exists():
        raise ScenarioError([f"FILE must be a build file, or an example: {', '.join(examples.names())}; got {name!r}"])
    scenario = examples.example(name) if shipped else load(name)
    if rules:
        scenario = scenario.but(rules=switches_of(rules, scenario.system))
    return picked(scenario, None if build is None else [build])


def picked(scenario: Scenario, builds: list[str] | None) -> Scenario:
    """The scenario with only the builds named, in that order; all of them when none is."""
    known = {one.name: one for one in scenario.builds}
    for name in builds or []:
        if name not in known:
            raise ScenarioError([f"--build must be one of {', '.join(map(repr, known))}; got {name!r}"])
    return replace(scenario, builds=tuple(known[name] for name in builds)) if builds else scenario


def whole_number(text: str, name: str, low: int, high: int | None = None) -> int:
    """A whole number from ``low``, to ``high`` or of any size, written 1000000, 1_000_000 or 1e6."""
    found = re.fullmatch(r"(\d{1,400})(?:e(\d{1,2}))?", text.strip().replace("_", "").replace(",", ""), re.ASCII | re.IGNORECASE)
    value = -1 if found is None else int(found[1]) * 10 ** int(found[2] or 0)
    if value < low or (high is not None and value > high):
        limits = f"from {low} such as 1000000 or 1e6" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {limits}; got {text!r}")
    return value


def number_of(text: str | None, name: str, high: int) -> int | None:
    """The number from 0 given, or None."""
    return None if text is None else whole_number(text, name, 0, high)


def seed_of(text: str | None) -> int | None:
    """The seed given, or None."""
    return None if text is None else whole_number(text, "--seed", 0)


def workers_of(workers: str | None) -> int:
    """The threads asked for, or one per processor this process may use."""
    if workers is not None:
        return whole_number(workers, "--workers", 1, MAX_WORKERS)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ac_of(text: str | None) -> int | None:
    """The one armor class given, or None."""
    if text is None:
        return None
    acs = parse_acs(text)
    if len(acs) != 1:
        raise ValueError(f"--ac must be one armor class such as 28; got {text!r}")
    return acs[0]


def format_of(form: str) -> Format:
    """``table``, ``json`` or ``csv``."""
    if form not in list(Format):
        raise ValueError(f"--format must be one of {', '.join(Format)}; got {form!r}")
    return Format(form)


def detail_of(by: str) -> Detail:
    """``round`` or ``attack``."""
    if by == "round":
        return "round"
    if by == "attack":
        return "attack"
    raise ValueError(f"--by must be round or attack; got {by!r}")
