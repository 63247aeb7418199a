"""The figure of a goal: what it takes to reach it, and the figure that is reached."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analyzer.pictures.drawing import (
    COLOURS,
    MANY,
    Look,
    Picture,
    bars,
    build_names,
    firsts,
    legend,
    looks,
    points,
    swept,
    tidy,
    whole_heights,
    whole_ticks,
    written,
)
from analyzer.workings.solving import ALREADY

#: What a goal is measured in.
_UNITS = {"dpr": "DPR (damage points per round)", "kill": "chance that the target is dead"}
#: What the answer of a sweep is, along the axis of its figure.
_ANSWERS = {
    "attack": "least change of the\nattack bonus that reaches it",
    "damage": "least change of the\ndamage that reaches it",
    "threat": "highest first face\nof a threat that reaches it",
    "extra": "fewest dice\nthat reach it",
    "hp": "most hit points\nthat are reached",
}


def goals_figure(frame: pd.DataFrame) -> Picture:
    """What it takes to reach a goal over armor class, and the figure reached; bars for a single one or creatures.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.solve`.
    """
    if not swept(frame):
        return _bars(frame)
    named = looks(frame["build"])
    drawing = Picture(figsize=(10.0, 6.4), layout="constrained")
    answers, figures = drawing.subplots(2, 1, sharex=True)
    for build, look in named.items():
        rows = frame[frame["build"] == build]
        _answers(answers, rows, look)
        figures.plot(rows["ac"], rows["reached"].astype(float), **look.line(marker="none" if "reached_mc" in rows else look.marker))
        points(figures, rows["ac"], rows, "reached", look)
        figures.plot(rows["ac"], rows["now"].astype(float), color=look.colour, linewidth=0.9, linestyle=(0, (1, 1.5)))
        figures.plot(rows["ac"], rows["wanted"], color="0.6", linewidth=2.5, alpha=0.6, zorder=0)
    if answers.get_legend_handles_labels()[1]:
        key = Line2D([], [], color="0.3", marker="v", linestyle="none", label=f"{ALREADY}, whatever is taken away")
        answers.legend(handles=[key], loc="best", frameon=False, fontsize="small")
    answers.set_ylabel(_ANSWERS[str(frame["vary"].iloc[0])])
    figures.set_ylabel(f"{_unit(frame)}\nreached (line),\nwanted (grey), now (dots)")
    figures.set_xlabel("armor class (AC)")
    whole_ticks(figures)
    whole_heights(answers)
    tidy(answers, figures)
    legend(drawing, named, titled=answers)
    return drawing


def _answers(axes: Axes, rows: pd.DataFrame, look: Look) -> None:
    """What it takes; where the goal is reached already, however far down, a mark on the floor instead, so that the others still show."""
    least = rows["least"].astype(float)
    far = (rows["answer"] == ALREADY) & (least < 0.0)
    axes.plot(rows["ac"], least.mask(far), **look.line())
    if far.any():
        axes.plot(rows["ac"][far], np.full(int(far.sum()), 0.02), "v", color=look.colour, markersize=6, transform=axes.get_xaxis_transform(), label=ALREADY)


def _unit(frame: pd.DataFrame) -> str:
    return _UNITS["kill" if "dead by" in str(frame["goal"].iloc[0]) else "dpr"]


def _bars(frame: pd.DataFrame) -> Picture:
    """A bar per build and target as it stands, a mark where it gets to, a line where it was to get; the weighted answers alone where there are many."""
    shown = frame if len(frame) <= MANY else firsts(frame)
    drawing = Picture(figsize=(9.5, 1.6 + 0.62 * len(shown)), layout="constrained")
    axes = drawing.subplots()
    rows = np.arange(len(shown))
    reached, now = shown["reached"].astype(float), shown["now"].astype(float)
    axes.barh(rows, now, height=0.5, color=COLOURS[5], label="as it stands")
    axes.plot(reached, rows, "D", color=COLOURS[0], markersize=7, label="reached")
    bars(axes, shown, "reached", rows, fmt="|", markersize=14, label="simulated")
    axes.vlines(shown["wanted"], rows - 0.36, rows + 0.36, color=COLOURS[1], linewidth=2.0, label="wanted")
    right = np.fmax(np.fmax(reached, now), shown["wanted"])
    for row, (x, answer) in enumerate(zip(right, shown["answer"], strict=True)):
        axes.annotate(f"  {written('none reaches it' if pd.isna(answer) else str(answer))}", (x, row), va="center", fontsize="small")
    axes.set_yticks(list(rows), build_names(shown), fontsize="small")
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.45 * float(right.max()) or 1.0)
    if _unit(frame) == _UNITS["kill"]:
        axes.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_xlabel(_unit(frame))
    tidy(axes)
    drawing.legend(loc="outside upper center", ncols=4, frameon=False)
    return drawing
