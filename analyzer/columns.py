"""Columns: the records of a large answer held as arrays, and written into a file chunk by chunk."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from analyzer.records import Record

#: Kinds of file, by ending.
TABLES = (".parquet", ".csv")


class Columns(Sequence[Record]):
    """Flat records that are made when they are asked for; ``arrays`` are the columns, a scalar where all records share one value."""

    def __init__(self, arrays: Mapping[str, Any], length: int) -> None:
        self.arrays = dict(arrays)
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return {name: _value(column[place] if isinstance(column, np.ndarray | list) else column) for name, column in self.arrays.items()}

    def beside(self, more: Mapping[str, Any]) -> Columns:
        """The records with more columns."""
        return Columns({**self.arrays, **more}, len(self))

    def take(self, places: NDArray[np.int64]) -> Columns:
        """Some of the records, in that order."""
        return Columns({name: _taken(column, places) for name, column in self.arrays.items()}, len(places))


def joined(parts: Sequence[Columns]) -> Columns:
    """Records of several parts with the same columns, one after the other."""
    if len(parts) == 1:
        return parts[0]
    arrays = {name: np.concatenate([_full(part.arrays[name], len(part)) for part in parts]) for name in parts[0].arrays}
    return Columns(arrays, sum(map(len, parts)))


def _full(column: Any, length: int) -> NDArray[Any]:  # noqa: ANN401 - a column of any kind
    if isinstance(column, np.ndarray):
        return column
    out = np.empty(length, dtype=object)
    out[:] = column
    return out


def _taken(column: Any, places: NDArray[np.int64]) -> Any:  # noqa: ANN401 - a column of any kind
    if isinstance(column, list):
        return [column[place] for place in places.tolist()]
    return column[places] if isinstance(column, np.ndarray) else column


def _value(value: Any) -> Any:  # noqa: ANN401 - an entry of an array
    return value.item() if isinstance(value, np.generic) else value


@contextmanager
def table_file(path: str | os.PathLike[str] | None) -> Iterator[Callable[[Columns], None] | None]:
    """Something to write chunks of records with, which end up in the file whole or not at all; None without a path.

    Raises
    ------
    ValueError
        A path that cannot be written, or Parquet without pyarrow.
    """
    if path is None:
        yield None
        return
    goal = Path(path)
    if goal.suffix.lower() not in TABLES:
        raise ValueError(f"out must be a file ending in {' or '.join(TABLES)}; got {str(path)!r}")
    if goal.is_dir() or not goal.parent.is_dir():
        raise ValueError(f"out must be a file in a folder that exists; got {str(path)!r}")
    try:
        handle, name = tempfile.mkstemp(dir=goal.parent, prefix=f".{goal.name}.", suffix=goal.suffix)
        os.close(handle)
    except OSError as error:
        raise ValueError(f"out must be a file that can be written; got {str(path)!r}: {error.strerror or error}") from error
    part = Path(name)
    try:
        with _parquet(part) if goal.suffix.lower() == ".parquet" else _csv(part) as write:
            yield write
        part.chmod(0o666 & ~_umask())
        part.replace(goal)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def _csv(path: Path) -> Iterator[Callable[[Columns], None]]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer: csv.DictWriter[str] | None = None

        def write(chunk: Columns) -> None:
            nonlocal writer
            if writer is None:
                writer = csv.DictWriter(file, list(chunk.arrays), lineterminator="\n")
                writer.writeheader()
            writer.writerows(chunk)

        yield write


@contextmanager
def _parquet(path: Path) -> Iterator[Callable[[Columns], None]]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ValueError("out must be a .csv file unless pyarrow is installed (python -m pip install 'attack-analyzer[parquet]'); got a .parquet") from error
    opened: Any = None

    def write(chunk: Columns) -> None:
        nonlocal opened
        table = pa.table({name: _arrow(column, len(chunk)) for name, column in chunk.arrays.items()})
        if opened is None:
            opened = pq.ParquetWriter(path, table.schema)
        opened.write_table(table)

    def _arrow(column: Any, length: int) -> Any:  # noqa: ANN401 - an array of any kind
        if not isinstance(column, np.ndarray | list):
            return pa.array([column] * length)
        held = column.tolist() if isinstance(column, np.ndarray) and column.dtype == object else column
        kinds = {type(value) for value in held if value is not None} if isinstance(held, list) else set()
        return pa.array([None if value is None else str(value) for value in held] if len(kinds) > 1 else held)

    try:
        yield write
    finally:
        if opened is not None:
            opened.close()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
