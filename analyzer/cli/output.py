"""Writing answers: a table for people, JSON or CSV for programs on stdout; everything else on stderr."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

if TYPE_CHECKING:  # what is written brings itself along
    from matplotlib.figure import Figure

    from analyzer.records import Record, Value

#: Columns of a table that does not go to a terminal.
WIDTH = 140
#: Kinds of picture, by ending.
PICTURES = ("png", "svg", "pdf")


class Format(StrEnum):
    """How records are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class Screen(Console):
    """A console that leaves a closed pipe to the command line: rich would exit with 1, which here says that the engines disagree."""

    def on_broken_pipe(self) -> None:
        """Say so."""
        raise BrokenPipeError


def console() -> Console:
    """Stdout for tables; wide when it is not a terminal."""
    return Screen(markup=False, emoji=False, highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def message(text: str) -> None:
    """Write a line for the reader on stderr."""
    print(text, file=sys.stderr)  # noqa: T201 - the one place that writes messages


def emit(records: Sequence[Record], form: Format, table: Callable[[Sequence[Record], Console], RenderableType]) -> None:
    """Write records to stdout in the form asked for."""
    if form is Format.TABLE:
        screen = console()
        screen.print(table(records, screen))
    elif form is Format.JSON:
        rows = ",\n".join(as_json({key: _plain(value) for key, value in record.items()}) for record in records)
        sys.stdout.write(f"[\n{rows}\n]\n" if records else "[]\n")
    else:
        columns = list(dict.fromkeys(key for record in records for key in record))
        out = io.StringIO()
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        sys.stdout.write(out.getvalue())


def as_json(value: object, indent: int | None = None) -> str:
    """JSON that stdout can write: letters it has no code for are escaped the way JSON does it."""
    return json.dumps(value, indent=indent, ensure_ascii=(sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8")


def _plain(value: Value) -> Value:
    return None if isinstance(value, float) and not isfinite(value) else value


def check_picture(path: Path | None) -> None:
    """Refuse a picture that could not be written, before the work is done."""
    if path is None:
        return
    if path.suffix.lower().lstrip(".") not in PICTURES:
        raise ValueError(f"--plot must be a file ending in .{', .'.join(PICTURES)}; got {str(path)!r}")
    if path.is_dir():
        raise ValueError(f"--plot must be a file; got the folder {str(path)!r}")
    if not path.parent.is_dir():
        raise ValueError(f"--plot must be in a folder that exists; got {str(path)!r}")


def save(figure: Figure, path: Path) -> None:
    """Write a picture whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
        try:
            figure.savefig(name, dpi=150)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise ValueError(f"--plot must be a file that can be written; got {str(path)!r}: {error.strerror or error}") from error
    message(f"Wrote {path}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def progress(total: int | None) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on stderr while something long runs; nothing when stderr is no terminal. Without a total it says how far it has come."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - costs start-up time, and most commands have no bar

    share = (TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn()) if total else (TextColumn("{task.completed:,} rounds"),)
    columns = (TextColumn("simulating"), BarColumn(), *share)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("simulating", total=total)
        yield lambda trials: bar.advance(task, trials)
