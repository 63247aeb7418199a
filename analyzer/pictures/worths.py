"""The figure of what changes are worth: the damage each gains, over armor class or a point per build."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.pictures.drawing import Look, Picture, bars, below, faces, firsts, legend, looks, panels, points, swept, tidy, whole_ticks, written


def worths_figure(frame: pd.DataFrame) -> Picture:
    """What each change gains over armor class, a panel per build; a point per build for a single target or all creatures weighed.

    Where the chance to kill was weighed too, what that gains stands beside what the damage does.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.weights`.
    """
    builds = list(dict.fromkeys(frame["build"]))
    if not swept(frame):
        return _points(frame)
    named = looks(frame["change"])
    gains = _gains(frame)
    columns = 1 if len(builds) == len(gains) == 1 else 2
    shown = [(build, column) for build in builds for column in gains]
    rows = -(-len(shown) // columns)
    drawing = Picture(figsize=(10.0, 1.2 + (4.4 if rows == 1 else 3.0) * rows), layout="constrained")
    drawn = panels(drawing, len(shown), columns, sharex=True, sharey="col" if len(gains) > 1 else True)
    for place, (panel, (build, column)) in enumerate(zip(drawn, shown, strict=True)):
        _lines(panel, frame[frame["build"] == build], column, named)
        panel.set_title(written(build), fontsize="medium")
        if place % columns == 0 or len(gains) > 1:
            panel.set_ylabel(gains[column])
    tidy(*drawn)
    below(drawn, columns, "armor class (AC)")
    legend(drawing, named, columns=4)
    return drawing


def _gains(frame: pd.DataFrame) -> dict[str, str]:
    """The columns of what is gained, each with the name of its axis."""
    gains = {"gain": "DPR gained\n(damage points per round)"}
    if "dead_gain" in frame:
        gains["dead_gain"] = f"chance gained to be\ndead by round {int(frame['kill_by'].iloc[0])}"
    return gains


def _lines(panel: Axes, frame: pd.DataFrame, column: str, named: dict[str, Look]) -> None:
    simulated = f"{column}_mc" in frame
    for change, rows in frame.groupby("change", sort=False):
        look = named[str(change)]
        gained = rows[column].astype(float)
        panel.plot(rows["ac"], gained, **look.line(linewidth=1.4, markersize=3, marker=None if simulated else look.marker))
        points(panel, rows["ac"], rows, column, look)
    whole_ticks(panel)


def _points(frame: pd.DataFrame) -> Picture:
    """One target, or the weighted answer over all creatures: a row per change, a point per build, from no gain at all."""
    shown = firsts(frame) if "against" in frame else frame
    named = looks(shown["build"])
    changes = list(dict.fromkeys(shown["change"]))
    gains = _gains(shown)
    drawing = Picture(figsize=(9.0 if len(gains) == 1 else 12.0, 1.4 + len(changes) * (0.34 + 0.11 * len(named))), layout="constrained")
    drawn = panels(drawing, len(gains), len(gains), sharey=True)
    for axes, (column, label) in zip(drawn, gains.items(), strict=True):
        _row(axes, shown, column, changes, named)
        axes.set_xlabel(f"{label}, {faces(shown)[0]}")
    drawn[0].set_yticks(range(len(changes)), changes)
    drawn[0].invert_yaxis()
    tidy(*drawn)
    legend(drawing, named, titled=drawn[0])
    return drawing


def _row(axes: Axes, shown: pd.DataFrame, column: str, changes: list[str], named: dict[str, Look]) -> None:
    for place, (build, look) in enumerate(named.items()):
        rows = shown[shown["build"] == build]
        gained = rows[column].astype(float)
        heights = [changes.index(change) + 0.7 * ((place + 0.5) / len(named) - 0.5) for change in rows["change"]]
        axes.hlines(heights, 0.0, gained, color=look.colour, linewidth=1.2, alpha=0.5)
        axes.plot(gained, heights, color=look.colour, marker=look.marker, linestyle="none", markersize=6)
        bars(axes, rows, column, heights, fmt="none", capsize=4, linewidth=1.0)
    axes.axvline(0.0, color="0.4", linewidth=0.8)
