"""The command ``analyzer``: its app, which loads a command when it is asked for, and how bad input ends."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_command_name

import analyzer
from analyzer.cli.index import Entry, entries
from analyzer.cli.output import message

#: Exit codes: the engines disagree, bad input, and what a shell reports after Ctrl-C and when the reader of a pipe is gone.
DISAGREE = 1
BAD_INPUT = 2
INTERRUPTED = 128 + 2
PIPE_CLOSED = 128 + 13

#: The minus of a number or of dice: no option begins with it.
_NEGATIVE = re.compile(r"-(?=[\d\sdD])")


class Listed(TyperCommand):
    """A command as the list of commands shows it, which takes no import of what it does."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__(name, help=entry.help)
        self.entry = entry

    def load(self) -> Any:  # noqa: ANN401 - click's command, which typer has in two places by version
        """The command itself, with its options."""
        registered = import_module(self.entry.module).app_of(self.name).registered_commands
        alone = typer.Typer(add_completion=False)
        alone.registered_commands = [one for one in registered if (one.name or get_command_name(one.callback.__name__)) == self.name]
        return get_command(alone)


class Checked(TyperGroup):
    """Ends on bad input with its message and exit code 2, never with a traceback; loads the one command that is run."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - typer's own
        super().__init__(**attributes)
        self.commands.update({name: Listed(name, entry) for name, entry in entries().items()})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - click's own signature
        """The name, the command and what is left of the arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Listed) else command, rest

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run the command that was asked for."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # What is still buffered has nowhere to go; without this Python would complain about it on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt:
            message("Interrupted: no answer yet.")
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, TypeError, OSError) as error:
            refuse(*_said(error))
        return result


class Notation(TyperCommand):
    """A command whose arguments may begin with a minus sign: ``-1/-6`` is a list of attacks, not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - click's own signature
        """Turn the leading minus of an argument into the typographic one, which the notation reads."""
        taken = [
            arg if _is_option(before) else _NEGATIVE.sub("\N{MINUS SIGN}", arg, count=1) if _NEGATIVE.match(arg) else arg
            for before, arg in zip(["", *args], args, strict=False)
        ]
        return super().parse_args(ctx, taken)


def _is_option(arg: str) -> bool:
    """Whether the argument after this one is its value."""
    return arg.startswith("--") and arg != "--" and "=" not in arg


app = typer.Typer(
    cls=Checked,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Attack-sequence probability for tabletop and CRPG combat, computed twice: by exact probability and by millions of simulated rounds.",
)


def refuse(*problems: str) -> NoReturn:
    """Say what is wrong with the input and exit with 2."""
    for problem in problems:
        message(f"error: {problem}")
    raise typer.Exit(BAD_INPUT)


def _said(error: Exception) -> tuple[str, ...]:
    from analyzer.scenario import ScenarioError  # noqa: PLC0415 - costs start-up time, and only an error asks for it

    if isinstance(error, ScenarioError):
        return error.problems
    if isinstance(error, OSError) and error.filename is not None:
        return (f"{error.filename}: {error.strerror}",)
    return (str(error),)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(analyzer.__version__)  # noqa: T201 - the answer
        raise typer.Exit


@app.callback()
def whole(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")] = False,
) -> None:
    """Attack-sequence probability for tabletop and CRPG combat, computed twice: by exact probability and by millions of simulated rounds."""


def main() -> None:
    """Run the command line."""
    # A command multiplies small matrices only: the threads that OpenBLAS starts when NumPy is imported cost start-up time, and wait for each other on a busy
    # machine. Who asks for them gets them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()
