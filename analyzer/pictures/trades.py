"""The figure of a trade: the best setting, what it gains and its damage, over armor class, by target or by setting."""

from __future__ import annotations

from typing import Any

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
    faces,
    firsts,
    legend,
    looks,
    points,
    swept,
    tidy,
    whole_heights,
    whole_ticks,
)

#: Builds of a sweep whose three lines each still stay apart.
_CROWDED = 4
#: How the damage without a trade and with all of it is drawn.
_NONE, _ALL = (0, (1, 1.5)), (0, (5, 2))


def trades_figure(frame: pd.DataFrame) -> Picture:
    """Best settings over armor class, with what they gain; bars for a single one or creatures; curves over the settings.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.trade`.
    """
    if "best" in frame:
        return _settings(frame)
    named = looks(frame["build"])
    if not swept(frame):
        return _bars(frame)
    drawing = Picture(figsize=(10.0, 7.4), layout="constrained")
    settings, gains, damage = drawing.subplots(3, 1, sharex=True, height_ratios=(2, 2, 3))
    for build, look in named.items():
        _sweep(settings, gains, damage, frame[frame["build"] == build], look, whole=len(named) <= _CROWDED)
    settings.set_ylabel("best setting\n(attack given up)")
    gains.set_ylabel("gain over none\n(points per round)")
    if len(named) <= _CROWDED:
        damage.set_ylabel("DPR (damage points per round)")
        _key(damage)
    else:
        damage.set_ylabel("DPR (damage points per round)\nat the best setting")
    damage.set_xlabel("armor class (AC)")
    damage.set_ylim(bottom=0.0)
    whole_heights(settings)
    tidy(settings, gains, damage)
    legend(drawing, named, titled=settings)
    return drawing


def _key(damage: Axes) -> None:
    """The lines of the lowest panel tell settings apart, not builds, which have their colours and markers there; so it has a key of its own."""
    styles: dict[str, dict[str, Any]] = {
        "best setting": {"linestyle": "solid", "marker": "o", "markersize": 4, "markerfacecolor": "white", "linewidth": 1.4},
        "none": {"linestyle": _NONE, "linewidth": 1.0},
        "all": {"linestyle": _ALL, "linewidth": 1.0},
    }
    keys = [Line2D([], [], color="0.3", label=label, **style) for label, style in styles.items()]
    damage.legend(handles=keys, loc="upper right", frameon=False, title="in this panel", fontsize="small", title_fontsize="small")


def _sweep(settings: Axes, gains: Axes, damage: Axes, rows: pd.DataFrame, look: Look, *, whole: bool) -> None:
    settings.step(rows["ac"], rows["setting"], where="mid", color=look.colour, linewidth=1.6, linestyle=look.dashes)
    gains.plot(rows["ac"], rows["gain"], color=look.colour, linewidth=1.4, linestyle=look.dashes)
    points(gains, rows["ac"], rows, "gain", look)
    damage.plot(rows["ac"], rows["dpr"], **look.line(linestyle="solid", linewidth=1.4))
    if whole:
        damage.plot(rows["ac"], rows["none"], color=look.colour, linewidth=1.0, linestyle=_NONE)
        damage.plot(rows["ac"], rows["all"], color=look.colour, linewidth=1.0, linestyle=_ALL)
    whole_ticks(damage)


def _bars(frame: pd.DataFrame) -> Picture:
    """A group of three bars per build and target: none, all, best; of many creatures the weighted answer alone."""
    if len(frame) > MANY:
        frame = firsts(frame)
    drawing = Picture(figsize=(11.0, 1.6 + 0.8 * len(frame)), layout="constrained")
    axes, gains = drawing.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    places = np.arange(len(frame))
    shades = ((-0.26, "none", "0.75", "none"), (0.0, "all", COLOURS[5], "all"), (0.26, "dpr", COLOURS[0], "best"))
    for offset, column, colour, label in shades:
        axes.barh(places + offset, frame[column], height=0.24, color=colour, label=label)
    for row, (trade, dpr) in enumerate(zip(frame["trade"], frame["dpr"], strict=True)):
        axes.annotate(f" {trade}", (dpr, row + 0.26), va="center", fontsize="small")
    gains.barh(places, frame["gain"], height=0.5, color=COLOURS[0], alpha=0.45)
    bars(gains, frame, "gain", places)
    axes.set_yticks(places, build_names(frame), fontsize="small")
    axes.set_ylim(len(frame) - 0.5, -0.5)
    axes.margins(x=0.14)
    axes.set_xlabel("DPR (damage points per round)")
    gains.set_xlabel("gain of the best over none (points per round)")
    tidy(axes, gains)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


def _settings(frame: pd.DataFrame) -> Picture:
    """DPR over the setting, or where it was simulated the gain: a line per build and target, at most as many as stay apart."""
    told = frame.assign(line=[f"{build}, {faced}" for build, faced in zip(frame["build"], faces(frame), strict=True)])
    named = looks(list(dict.fromkeys(told["line"]))[: len(COLOURS)])
    column = "gain" if "gain_mc" in frame else "dpr"
    drawing = Picture(figsize=(9.0, 5.6), layout="constrained")
    axes = drawing.subplots()
    for line, look in named.items():
        rows = told[told["line"] == line]
        axes.plot(rows["setting"], rows[column], **look.line())
        best = rows[rows["best"]]
        axes.plot(best["setting"], best[column], color=look.colour, marker=look.marker, markersize=9, linestyle="none")
        points(axes, rows["setting"], rows, column, look)
    axes.set_xlabel("setting (attack given up); the best is filled")
    axes.set_ylabel("gain over none (damage points per round)" if column == "gain" else "DPR (damage points per round)")
    whole_ticks(axes)
    tidy(axes)
    legend(drawing, named, titled=axes)
    return drawing
