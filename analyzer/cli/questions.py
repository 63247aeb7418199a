"""The commands of the questions, made of what each question says of itself: load, check, one call, write."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from analyzer import analyses
from analyzer.asking.parameters import Keyed, Many
from analyzer.asking.question import Found, Parameter, Question, question_of
from analyzer.cli import options as o
from analyzer.cli import tables
from analyzer.cli.app import DISAGREE
from analyzer.cli.output import Format, check_picture, console, emit, message, progress, save

#: What every question takes beside its own parameters.
_FIRST: dict[str, tuple[Any, Any]] = {"file": (o.FileArgument, None)}
_LAST: dict[str, tuple[Any, Any]] = {
    "form": (o.FormatOption, "table"),
    "plot": (o.PlotOption, None),
    "build": (o.BuildsOption, None),
    "rule": (o.RuleOption, None),
}


def app_of(name: str) -> typer.Typer:
    """What has the command of a question, for `analyzer.cli.app` to take it from."""
    app = typer.Typer()
    asked = question_of(analyses.ask(name))
    app.command(name=name, help=analyses.questions()[name])(_command(asked))
    return app


def _command(asked: Question) -> Callable[..., None]:
    """The function Typer reads the command off."""

    def command(**given: Any) -> None:  # noqa: ANN401 - what Typer read
        _play(asked, given)

    options = {**_FIRST, **{parameter.name: _option(parameter) for parameter in asked.parameters}, **_LAST}
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what Typer reads
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default) for name, (hint, default) in options.items()]
    )
    command.__annotations__ = {name: hint for name, (hint, _) in options.items()}
    return command


def _option(parameter: Parameter) -> tuple[Any, Any]:
    """The annotation and default of an option; numbers come as text, so that what is wrong with them is said in the words of the question."""
    flag = f"--{parameter.name.replace('_', '-')}"
    text = parameter.help.replace("[", "\\[")
    if parameter.kind is None:
        return Annotated[bool, typer.Option(flag, help=text)], False
    if isinstance(parameter.kind, Many | Keyed):
        return Annotated[list[str] | None, typer.Option(flag, metavar=parameter.kind.metavar, help=f"{text} Repeatable.")], None
    return Annotated[str | None, typer.Option(flag, metavar=parameter.kind.metavar, help=text)], None


def _play(asked: Question, given: dict[str, Any]) -> None:
    form, plot, file = o.format_of(given["form"]), given["plot"], given["file"]
    check_picture(plot)
    values: dict[str, Any] = {}
    for parameter in asked.parameters:
        value = given[parameter.name]
        if parameter.kind is None:
            values[parameter.name] = value
        elif value is not None and value != []:
            values[parameter.name] = parameter.kind.check(value, f"--{parameter.name.replace('_', '-')}")
    if values.get("simulate") and "workers" not in values and any(parameter.name == "workers" for parameter in asked.parameters):
        values["workers"] = o.workers_of(None)
    loaded = o.picked(o.scenario_of(file or asked.example, given["rule"]), given["build"])
    with progress(None) if asked.progress else nullcontext() as advance:
        told = {"progress": advance} if asked.progress else {}
        found = asked.find(loaded, **values, **told)
    _show(asked, found, form)
    if file is None:
        message(f"No build file given: playing the example {asked.example!r} ('analyzer examples {asked.example} > my.toml' makes it yours).")
    if plot is not None:
        _draw(asked, found, plot)
    if found.verdict is not None:
        message(f"{found.trials:,} simulated of each, seed {found.seed}")
        message(str(found.verdict))
        for name in found.verdict.disagreements[:20]:
            message(f"  disagrees: {name}")
        if not found.verdict.agree:
            raise typer.Exit(DISAGREE)


def _show(asked: Question, found: Found, form: Format) -> None:
    """The records, and in a table for people what they come to."""
    grid = found.grid
    if grid is None:
        emit(found.records, form, lambda records, screen: tables.answer(records, asked, screen))
    else:
        emit(found.records, form, lambda _, screen: tables.grid(grid, screen))
    if form is Format.TABLE:
        for note in found.notes:
            console().print(note, soft_wrap=True)


def _draw(asked: Question, found: Found, plot: Path) -> None:
    from analyzer.answer import answer  # noqa: PLC0415 - pandas and matplotlib cost start-up time

    save(asked.draw(answer(found.records if found.drawn is None else found.drawn())), plot)
