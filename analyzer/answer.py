"""The answer to a question: a tidy DataFrame that also carries its verdict, its seed and its distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyzer.columns import Columns

if TYPE_CHECKING:  # drawn on demand only
    from matplotlib.figure import Figure

    from analyzer.records import Played, Record
    from analyzer.verdict import Verdict


class Answer(pd.DataFrame):
    """A DataFrame with what else the question found out. Whatever pandas derives from it is a plain DataFrame.

    Attributes
    ----------
    verdict : Verdict or None
        Whether the engines agree; None for an exact answer.
    seed, trials : int or None
        What repeats the simulation: its seed, and its rounds per build and AC (the most, where they differ).
    partial : bool
        Whether the simulation was interrupted.
    notes : tuple of str
        What the figures come to, in sentences.
    """

    _metadata = ["verdict", "seed", "trials", "partial", "notes", "_played", "_pmfs", "_draw"]  # noqa: RUF012 - the name and type pandas asks for

    verdict: Verdict | None
    seed: int | None
    trials: int | None
    partial: bool
    notes: tuple[str, ...]
    _played: tuple[Played, ...]
    _pmfs: tuple[tuple[list[NDArray[np.float64]], str | None], ...]
    _draw: Callable[[pd.DataFrame], Figure] | None

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @property
    def pmf(self) -> NDArray[np.float64]:
        """(n_rounds, n_totals) float64: the exact chance of every total damage of a round, a row per build and AC in the order of the rounds.

        Raises
        ------
        ValueError
            When a round has too many totals for an exact distribution, with the limit, or there is none to this question.
        """
        known = [*self._pmfs, *(([] if played.exact.pmf is None else list(played.exact.pmf), played.exact.pmf_refused) for played in self._played)]
        if not known:
            raise ValueError("pmf must be asked of an answer with exact rounds; got one without")
        for _, refused in known:
            if refused is not None:
                raise ValueError(refused)
        rows = [row for distributions, _ in known for row in distributions]
        out = np.zeros((len(rows), max(map(len, rows), default=1)))
        for i, row in enumerate(rows):
            out[i, : len(row)] = row
        return out

    def figure(self) -> Figure:
        """The answer drawn, as a matplotlib Figure."""
        if self._draw is None:
            raise ValueError("figure must be asked of an answer per round; got one without a drawing")
        return self._draw(self)

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):  # the dice of a sample are long, and none may be cut
            table = pd.DataFrame(self)._repr_html_()  # type: ignore[operator]  # pandas-stubs leave this method out
        cut = "<p>Interrupted: the figures are of the rounds played so far.</p>" if self.partial else ""
        said = "".join(f"<p>{escape(note)}</p>" for note in (*self.notes, *([] if self.verdict is None else [str(self.verdict)])))
        return f"{table}{cut}{said}"


def answer(
    records: Sequence[Record],
    *,
    played: Sequence[Played] = (),
    pmfs: Sequence[tuple[list[NDArray[np.float64]], str | None]] = (),
    verdict: Verdict | None = None,
    seed: int | None = None,
    trials: int | None = None,
    partial: bool = False,
    notes: Sequence[str] = (),
    draw: Callable[[pd.DataFrame], Figure] | None = None,
) -> Answer:
    """An `Answer` of flat records; its distributions are those of ``played``, or ``pmfs`` (or why there is none)."""
    frame: Any = Answer(pd.DataFrame(_series(records)) if isinstance(records, Columns) else pd.DataFrame.from_records(list(records)))
    told = {"verdict": verdict, "seed": seed, "trials": trials, "partial": partial, "notes": tuple(notes), "_draw": draw}
    hidden = {"_played": tuple(played), "_pmfs": tuple(pmfs)}
    for name, value in {**told, **hidden}.items():
        object.__setattr__(frame, name, value)
    return frame  # type: ignore[no-any-return]  # pandas would take a plain attribute for a column


def _series(columns: Columns) -> dict[str, Any]:
    """The columns as pandas takes them without looking at every text."""
    return {name: pd.Series(held, dtype=object) if isinstance(held, np.ndarray) and held.dtype == object else held for name, held in columns.arrays.items()}
