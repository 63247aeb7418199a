"""What figures are made of: a Figure that shows itself, colours, markers, and the look of a panel; no pyplot state, no global style."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any, Literal, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analyzer.workings.leads import Landmarks

Dashes = Literal["solid"] | tuple[float, tuple[float, ...]]
#: Eight colours that stay apart for colour-blind readers (Okabe & Ito, "Color Universal Design", 2008), yellow darkened to stand on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#8C7B00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Dash patterns, so that a curve under another still shows.
DASHES: tuple[Dashes, ...] = ("solid", (0, (5, 2)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
#: Half-length of the error bars, in standard errors.
BAR = 2.0

#: Rows of a figure of bars that a page holds.
MANY = 24


class Picture(Figure):
    """A matplotlib Figure that a notebook shows by itself."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=110)
        return out.getvalue()


class Look(NamedTuple):
    """How a build is drawn throughout a figure."""

    colour: str
    marker: str
    dashes: Dashes


def by_build(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, Look]]:
    """Each build's name, rows and look."""
    looks = map(Look, cycle(COLOURS), cycle(MARKERS), cycle(DASHES))
    for (name, rows), look in zip(frame.groupby("build", sort=False), looks, strict=False):
        yield str(name), rows, look


def written(name: str) -> str:
    """A build's name as it is, although matplotlib reads formulas between dollar signs and leaves names that begin with an underscore out of a legend."""
    text = name.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each name, the same in every panel of a figure."""
    return dict(zip(dict.fromkeys(names), map(Look, cycle(COLOURS), cycle(MARKERS), cycle(DASHES)), strict=False))


def faces(frame: pd.DataFrame) -> list[str]:
    """What each row faces, in words: its creature, or its armor class."""
    if "against" in frame:
        return [written(str(name)) for name in frame["against"]]
    return [f"AC {int(ac)}" for ac in frame["ac"]]


def swept(frame: pd.DataFrame) -> bool:
    """Whether a figure has several armor classes to draw along an axis."""
    return "against" not in frame and len(set(frame["ac"])) > 1


def whole_heights(axes: Axes) -> None:
    """Whole numbers along the vertical axis."""
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def tidy(*panels: Axes) -> None:
    """A light grid behind the data, no frame at the top and right."""
    for panel in panels:
        panel.grid(visible=True, color="0.9", linewidth=0.8)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)


def whole_ticks(axes: Axes) -> None:
    """Whole numbers along the horizontal axis."""
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def mark(panels: Iterable[Axes], marks: Landmarks) -> str:
    """Dotted lines where the lead changes and a dashed one at the target's own armor class, through every panel; what they are, for a caption."""
    for panel in panels:
        for at in marks.flips:
            panel.axvline(at, color="0.35", linewidth=0.9, linestyle=(0, (1, 2)), zorder=1.0)
        for at in marks.own:
            panel.axvline(at, color="0.4", linewidth=1.2, linestyle=(0, (6, 3)), zorder=1.0)
    said = ["dotted: the lead changes"] if marks.flips else []
    said += [f"dashed: the target's own AC ({', '.join(map(str, marks.own))})"] if marks.own else []
    return ", ".join(said)


def legend(drawing: Figure, named: dict[str, Look], *, columns: int = 2) -> None:
    """The key of a figure above its panels; none for a single name."""
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.dashes, marker=look.marker, markerfacecolor="white", label=written(name))
        for name, look in named.items()
    ]
    if len(keys) > 1:
        drawing.legend(handles=keys, loc="outside upper center", ncols=min(columns, len(keys)), frameon=False)


def points(axes: Axes, x: pd.Series[Any] | range, frame: pd.DataFrame, column: str, look: Look) -> None:
    """What a simulation found of a column, with error bars of two standard errors; nothing where it was not simulated."""
    if f"{column}_mc" not in frame:
        return
    errors = BAR * frame[f"{column}_se"].astype(float).fillna(0.0)
    axes.errorbar(
        x, frame[f"{column}_mc"].astype(float), yerr=errors, color=look.colour, fmt=look.marker, markersize=4, capsize=2, linewidth=1.0, markerfacecolor="white"
    )
