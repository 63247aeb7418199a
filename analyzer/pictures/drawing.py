"""What figures are made of: a Figure that shows itself, colours, markers, and the look of a panel; no pyplot state, no global style."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, Literal, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analyzer.workings.leads import Landmarks

Dashes = Literal["solid"] | tuple[float, tuple[float, ...]]
#: Eight colours that stay apart for colour-blind readers (Okabe & Ito, "Color Universal Design", 2008), yellow darkened to stand on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#8C7B00")
#: Markers and dash patterns, so that a curve under another still shows. No two of the three lists have lengths with a common factor: a colour meets the same
#: dashes again after 40 builds, and both the same marker after 360.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
DASHES: tuple[Dashes, ...] = ("solid", (0, (5, 2)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)))
#: Half-length of the error bars, in standard errors.
BAR = 2.0
#: What simulated points are called.
SIMULATED = f"simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors"
#: A grey line that is there to be compared with.
DASHED: Dashes = (0, (4, 3))
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

    def line(self, **other: Any) -> dict[str, Any]:  # noqa: ANN401 - what matplotlib takes
        """How its curve is plotted, but for what is otherwise."""
        return {"color": self.colour, "linestyle": self.dashes, "marker": self.marker, "markersize": 4, "markerfacecolor": "white"} | other


def by_build(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, Look]]:
    """Each build's name, rows and look."""
    named = looks(frame["build"])
    for name, rows in frame.groupby("build", sort=False):
        yield str(name), rows, named[str(name)]


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


def firsts(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table's first target, all creatures weighed, alone."""
    rows: pd.DataFrame = frame[frame["against"] == frame["against"].iloc[0]]
    return rows


def along(rows: pd.DataFrame) -> pd.Series[Any]:
    """Where a build's rows stand along an axis: at their armor classes, or a creature after the other."""
    return rows["ac"] if "against" not in rows else pd.Series(range(len(rows)), index=rows.index)


def foe_axis(axes: Axes, rows: pd.DataFrame) -> None:
    """The horizontal axis of `along`, for the rows of a build."""
    if "against" in rows:
        axes.set_xticks(range(len(rows)), faces(rows), rotation=40, ha="right", fontsize="small")
    else:
        axes.set_xlabel("armor class (AC)")
        if len(rows) > 1:
            whole_ticks(axes)
        else:
            axes.set_xticks(list(rows["ac"]))


def panels(drawing: Figure | SubFigure, number: int, wide: int, **shared: Any) -> list[Axes]:  # noqa: ANN401 - what `subplots` takes
    """So many panels in rows of ``wide``; what is left of the last row stays empty."""
    drawn = list(drawing.subplots(-(-number // wide), wide, squeeze=False, **shared).ravel())
    for spare in drawn[number:]:
        spare.set_axis_off()
    return drawn[:number]


def beside(number: int) -> int:
    """How many of so many small panels stand beside each other."""
    return 1 if number == 1 else 2 if number <= 4 else 4


def below(drawn: Sequence[Axes], wide: int, label: str) -> None:
    """Name the horizontal axis of the panels in rows of ``wide`` that have none under them."""
    for panel in drawn[max(0, len(drawn) - wide) :]:
        panel.set_xlabel(label)
        panel.tick_params(labelbottom=True)


def sweep_axis(drawn: Sequence[Axes], wide: int, acs: pd.Series[Any]) -> None:
    """Armor classes along panels in rows of ``wide`` that share their axes and are filled from end to end."""
    tidy(*drawn)
    whole_ticks(drawn[0])
    drawn[0].set_xlim(acs.min(), acs.max())
    below(drawn, wide, "armor class (AC)")


def short(name: str, most: int) -> str:
    """A name that fits where there is room for ``most`` letters: cut in its middle, for names tell themselves apart at their ends."""
    if len(name) <= most:
        return name
    back = (most - 1) // 2
    return f"{name[: most - 1 - back]}\N{HORIZONTAL ELLIPSIS}{name[len(name) - back :]}"


def shorts(names: Sequence[str], most: int) -> list[str]:
    """Names that fit where there is room for ``most`` letters, those that would be cut alike shown from where they differ on."""
    out = [short(name, most) for name in names]
    for text in set(out):
        alike = [i for i, other in enumerate(out) if other == text]
        start = next((k for k, letters in enumerate(zip(*(names[i] for i in alike), strict=False)) if len(set(letters)) > 1), min(len(names[i]) for i in alike))
        if len({names[i] for i in alike}) > 1:
            for i in alike:
                head = names[i][: most // 3]
                end = names[i][start : start + most - len(head) - 2]
                more = "" if start + len(end) == len(names[i]) else "\N{HORIZONTAL ELLIPSIS}"
                out[i] = f"{head}\N{HORIZONTAL ELLIPSIS}{end}{more}"
    return out


def say_few(axes: Axes, title: str, shown: int, number: int, what: str) -> None:
    """The title of the first panel of a row, and above it that there are more than are drawn."""
    more = f"{shown} of {number} {what}: from the first to the last, evenly apart\n" if shown < number else ""
    axes.set_title(f"{more}{title}", fontsize="medium", color="0.3", loc="left")


def whole_heights(axes: Axes) -> None:
    """Whole numbers along the vertical axis."""
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def build_names(frame: pd.DataFrame) -> list[str]:
    """Each row's build and, under it, what it faces."""
    return [written(f"{build}\n{faced}") for build, faced in zip(frame["build"], faces(frame), strict=True)]


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


def legend(drawing: Figure, named: dict[str, Look], *, columns: int = 2, alone: bool = False, titled: Axes | None = None) -> None:
    """The key of a figure above its panels; none for a single name, unless it is to stand ``alone``, but a title of the panel where one is given."""
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.dashes, marker=look.marker, markerfacecolor="white", label=written(name))
        for name, look in named.items()
    ]
    if titled is not None and len(named) == 1:
        titled.set_title(written(next(iter(named))), fontsize="medium")
    if alone or len(keys) > 1:
        drawing.legend(handles=keys, loc="outside upper center", ncols=min(columns, len(keys)), frameon=False)


def errors(frame: pd.DataFrame, column: str) -> pd.Series[Any]:
    """The half-lengths of a simulated column's error bars."""
    return BAR * frame[f"{column}_se"].astype(float).fillna(0.0)


def bars(axes: Axes, frame: pd.DataFrame, column: str, heights: Any, **other: Any) -> None:  # noqa: ANN401 - places along an axis, and what matplotlib takes
    """What a simulation found of a column of lying bars, with error bars; nothing where it was not simulated."""
    if f"{column}_mc" in frame:
        style: dict[str, Any] = {"color": "black", "fmt": "o", "markersize": 4, "capsize": 3, "markerfacecolor": "white"} | other
        axes.errorbar(frame[f"{column}_mc"].astype(float), heights, xerr=errors(frame, column), **style)


def points(axes: Axes, x: pd.Series[Any] | range, frame: pd.DataFrame, column: str, look: Look) -> None:
    """What a simulation found of a column, with error bars of two standard errors; nothing where it was not simulated."""
    if f"{column}_mc" not in frame:
        return
    style: dict[str, Any] = {"color": look.colour, "fmt": look.marker, "markersize": 4, "capsize": 2, "linewidth": 1.0, "markerfacecolor": "white"}
    axes.errorbar(x, frame[f"{column}_mc"].astype(float), yerr=errors(frame, column), **style)
