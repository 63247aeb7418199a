"""The figure of a distribution: how likely each total is, as bars, and at most each total, as steps; a column per target or attack."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from analyzer.pictures.drawing import BAR, DASHED, Look, Picture, faces, legend, looks, points, say_few, tidy, whole_ticks
from analyzer.sweeps import few

#: Columns of panels; bars of a panel; simulated points of a curve; the share of totals that is left out at the far end.
_PANELS, _BARS, _POINTS, _TAIL = 3, 40, 25, 1e-3
#: Most builds whose bars are filled.
_FILLED = 3
#: How a mark is written over curves.
_TEXT: dict[str, Any] = {"fontsize": "small", "color": "0.2", "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1.0}}


def totals_figure(frame: pd.DataFrame) -> Picture:
    """Chances of totals, a wide range of them gathered into equal bars (no damage apart), above the chances to deal at most so much.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.distribution` per total.
    """
    named = looks(frame["build"])
    labels = pd.Series(_labels(frame), index=frame.index)
    names = list(dict.fromkeys(labels))
    shown = [names[i] for i in few(len(names), _PANELS)]
    number = int(frame["of"].iloc[0]) if "of" in frame else len(names)
    drawing = Picture(figsize=(max(8.0, 4.2 * len(shown)), 7.0 + 0.12 * len(named)), layout="constrained")
    axes = drawing.subplots(2, len(shown), sharex="col", sharey="row", squeeze=False)
    ends = [int(frame["total"][(labels == name) & (frame["at_least"] >= _TAIL)].max()) for name in shown]
    width = max(1, -(-max(ends) // _BARS))
    tops = []
    for i, (column, name, last) in enumerate(zip(axes.T, shown, ends, strict=True)):
        rows = frame[labels == name]
        tops.append(_bars(column[0], rows, named, width))
        _steps(column[1], rows, named, last)
        say_few(column[0], name, len(shown), len(shown) if i else number, _kind(frame))
        column[1].set_xlabel(f"damage points{_over(frame)}")
        column[1].set_xlim(0.5 - 1.5 * width, _marks(column, rows, last) + width)
    high, none = max(top for top, _ in tops), [zeros for _, zeros in tops]
    cut = high > 0.0 and max(map(max, none)) > 2.0 * high
    axes[0, 0].set_ylim(0.0, 1.15 * (high if cut else max(high, *map(max, none))))
    for panel, zeros in zip(axes[0] if cut else (), none, strict=cut):
        _say_none(panel, zeros, width)
    axes[0, 0].set_ylabel("chance" if width == 1 else f"chance ({width} totals a bar, 0 apart)")
    axes[1, 0].set_ylabel("chance of at most so much" + (f"\n(points: simulated \N{PLUS-MINUS SIGN}{BAR:g} SE)" if "at_most_mc" in frame else ""))
    tidy(*axes.flat)
    legend(drawing, named)
    return drawing


def _labels(frame: pd.DataFrame) -> list[str]:
    """What each row's panel is called."""
    named = faces(frame)
    if "attack" not in frame:
        return named
    several = len(set(frame["round"])) > 1
    rows = zip(named, frame["round"], frame["attack"], strict=True)
    return [f"{name}, {f'round {number}, ' if several else ''}attack {attack}" for name, number, attack in rows]


def _kind(frame: pd.DataFrame) -> str:
    return "attacks" if "attack" in frame else "targets" if "against" in frame else "armor classes"


def _marks(column: Sequence[Axes], rows: pd.DataFrame, last: int) -> int:
    """Lines where a total was asked for or observed, through the panels of a target; how far these then reach, at least to ``last``."""
    asked = [(int(key.removeprefix("at_least_")), key) for key in map(str, rows) if re.fullmatch(r"at_least_\d+", key)]
    asked += [(int(rows["observed"].iloc[0]), "observed")] if "observed" in rows else []
    highest, low, beyond = int(rows["total"].max()), column[-1], []
    for total, key in asked:
        observed = key == "observed"
        text = f"{total} observed" if observed else f"at least {total}"
        if not observed and len(set(rows["build"])) == 1:
            text += f": {100.0 * float(rows[key].iloc[0]):.3g} %"
        if total > highest:
            beyond.append(f"{text} \N{RIGHTWARDS ARROW}")
            continue
        last = max(last, total)
        at = total if observed else total - 0.5
        for panel in column:
            panel.axvline(at, color="0.25", linewidth=1.2, linestyle=DASHED if observed else (0, (1, 2)))
        low.text(at, 0.03, text, transform=low.get_xaxis_transform(), rotation=90, ha="right", va="bottom", **_TEXT)
    if beyond:
        low.text(0.99, 0.03, "\n".join(beyond), transform=low.transAxes, ha="right", va="bottom", **_TEXT)
    return last


def _over(frame: pd.DataFrame) -> str:
    rounds = int(frame["rounds"].iloc[0]) if "rounds" in frame else 1
    return " of the attack" if "attack" in frame else " per round" if rounds == 1 else f" over {rounds} rounds"


def _bars(axes: Axes, frame: pd.DataFrame, named: dict[str, Look], width: int) -> tuple[float, list[float]]:
    """Draw them; the highest one but that of no damage, and those of no damage."""
    number = len(set(frame["build"]))
    high, none = 0.0, []
    for build, rows in frame.groupby("build", sort=False):
        look = named[str(build)]
        heights = np.bincount(-(-rows["total"].to_numpy() // width), weights=rows["chance"])
        edges = (np.arange(len(heights) + 1) - 1) * width + 0.5
        if number <= _FILLED:
            axes.stairs(heights, edges, color=look.colour, fill=True, alpha=0.85 if number == 1 else 0.12)
        if number > 1:
            axes.stairs(heights, edges, color=look.colour, linestyle=look.dashes, linewidth=1.4)
        high = max(high, float(heights[1:].max(initial=0.0)))
        none.append(float(heights[0]))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    return high, none


def _say_none(axes: Axes, none: list[float], width: int) -> None:
    """How high the bars of no damage are, where they leave the panel."""
    low, high = f"{min(none):.0%}", f"{max(none):.0%}"
    text = f"no damage: {low if low == high else f'{low} to {high}'}"
    axes.annotate(text, (0.5 + 0.3 * width, 0.95), xycoords=("data", "axes fraction"), fontsize="small", color="0.3", va="top")


def _steps(axes: Axes, frame: pd.DataFrame, named: dict[str, Look], last: int) -> None:
    for build, rows in frame.groupby("build", sort=False):
        look = named[str(build)]
        totals = [-1.0, *rows["total"], max(last, int(rows["total"].max())) + 1.0]
        axes.step(totals, [0.0, *rows["at_most"], 1.0], where="post", color=look.colour, linestyle=look.dashes)
        some = rows[rows["total"] <= last]
        some = some.iloc[:: max(1, len(some) // _POINTS)]
        points(axes, some["total"], some, "at_most", look)
    axes.set_ylim(0.0, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    whole_ticks(axes)
