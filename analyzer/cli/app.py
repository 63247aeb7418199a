"""The command ``analyzer``: its app, and how bad input ends."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from analyzer.cli.output import message
from analyzer.scenario import ScenarioError

#: Exit codes: the engines disagree, bad input, and what a shell reports after Ctrl-C and when the reader of a pipe is gone.
DISAGREE = 1
BAD_INPUT = 2
INTERRUPTED = 128 + 2
PIPE_CLOSED = 128 + 13

#: The minus of a number or of dice: no option begins with it.
_NEGATIVE = re.compile(r"-(?=[\d\sdD])")


class Checked(TyperGroup):
    """Ends on bad input with its message and exit code 2, never with a traceback."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run the command that was asked for."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except ScenarioError as error:
            refuse(*error.problems)
        except BrokenPipeError:
            # What is still buffered has nowhere to go; without this Python would complain about it on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt:
            message("Interrupted: no answer yet.")
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, TypeError, OSError) as error:
            refuse(_said(error))
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


def _said(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()


from analyzer.cli import commands, questions  # noqa: E402, F401 - the commands register themselves with the app above

questions.add_questions()
