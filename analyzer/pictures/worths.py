"""The figure of what changes are worth: the damage each gains, over armor class or a point per build."""

from __future__ import annotations

from typing import Literal

import pandas as pd
from matplotlib.axes import Axes

from analyzer.pictures.drawing import Look, Picture, bars, below, faces, firsts, legend, looks, panels, points, swept, tidy, whole_ticks, written

#: Heights at which the bent scale of the figure is labelled.
_TICKS = (0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)


def worths_figure(frame: pd.DataFrame) -> Picture:
    """What each change gains over armor class, a panel per build; a point per build for a single target or all creatures weighed.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.weights`.
    """
    builds = list(dict.fromkeys(frame["build"]))
    if not swept(frame):
        return _points(frame)
    named = looks(frame["change"])
    columns = 1 if len(builds) == 1 else 2
    rows = -(-len(builds) // columns)
    drawing = Picture(figsize=(10.0, 1.2 + (4.4 if rows == 1 else 3.0) * rows), layout="constrained")
    drawn = panels(drawing, len(builds), columns, sharex=True, sharey=True)
    for panel, build in zip(drawn, builds, strict=True):
        _lines(panel, frame[frame["build"] == build], named)
        panel.set_title(written(build), fontsize="medium")
    tidy(*drawn)
    below(drawn, columns, "armor class (AC)")
    for panel in drawn[::columns]:
        panel.set_ylabel("DPR gained (damage points per round)")
    legend(drawing, named, columns=4)
    return drawing


def _lines(panel: Axes, frame: pd.DataFrame, named: dict[str, Look]) -> None:
    for change, rows in frame.groupby("change", sort=False):
        look = named[str(change)]
        panel.plot(rows["ac"], rows["gain"], **look.line(linewidth=1.4, markersize=3, marker=None if "gain_mc" in rows else look.marker))
        points(panel, rows["ac"], rows, "gain", look)
    panel.set_yscale("symlog", linthresh=1.0)
    _label(panel, "y", frame)
    whole_ticks(panel)


def _label(panel: Axes, axis: Literal["x", "y"], frame: pd.DataFrame) -> None:
    """Plain numbers on a scale that is straight up to 1 and logarithmic above, so that a whole attack and a point of damage both show."""
    most, least = float(frame["gain"].max()), float(frame["gain"].min())
    ticks = [tick for tick in _TICKS if tick <= max(1.0, 1.05 * most)]
    negative = [-tick for tick in _TICKS[1:] if -tick >= 1.05 * least]
    which = panel.xaxis if axis == "x" else panel.yaxis
    which.set_ticks([*negative, *ticks], [f"{tick:g}" for tick in (*negative, *ticks)])
    which.set_ticks([], minor=True)


def _points(frame: pd.DataFrame) -> Picture:
    """One target, or the weighted answer over all creatures: a row per change, a point per build."""
    shown = firsts(frame) if "against" in frame else frame
    named = looks(shown["build"])
    changes = list(dict.fromkeys(shown["change"]))
    drawing = Picture(figsize=(9.0, 1.4 + len(changes) * (0.34 + 0.11 * len(named))), layout="constrained")
    axes = drawing.subplots()
    for place, (build, look) in enumerate(named.items()):
        rows = shown[shown["build"] == build]
        heights = [changes.index(change) + 0.7 * ((place + 0.5) / len(named) - 0.5) for change in rows["change"]]
        axes.hlines(heights, 0.0, rows["gain"], color=look.colour, linewidth=1.2, alpha=0.5)
        axes.plot(rows["gain"], heights, color=look.colour, marker=look.marker, linestyle="none", markersize=6)
        bars(axes, rows, "gain", heights, fmt="none", capsize=4, linewidth=1.0)
    axes.set_yticks(range(len(changes)), changes)
    axes.invert_yaxis()
    axes.set_xscale("symlog", linthresh=1.0)
    _label(axes, "x", shown)
    low, high = min(0.0, float(shown["gain"].min())), max(0.1, float(shown["gain"].max()))
    axes.set_xlim(1.15 * low - 0.02, 1.15 * high)
    axes.axvline(0.0, color="0.4", linewidth=0.8)
    axes.set_xlabel(f"DPR gained (damage points per round), {faces(shown)[0]}")
    tidy(axes)
    legend(drawing, named, titled=axes)
    return drawing
