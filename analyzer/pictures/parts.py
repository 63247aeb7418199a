"""The figure of where damage comes from: the parts of each build on one another, and what costs beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from analyzer.pictures.drawing import BAR, COLOURS, SIMULATED, Picture, beside, errors, faces, panels, short, sweep_axis, tidy, written
from analyzer.workings.pieces import COST, PART, TOTAL

_DPR = "DPR (damage points per round)"
_LOST = "DPR lost, each for itself"
#: Longest name beside or above a panel.
_LONGEST = 44


def parts_figure(frame: pd.DataFrame) -> Picture:
    """Where damage comes from, and what costs.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.attribution`.
    """
    return _bars(frame) if "against" in frame or len(set(frame["ac"])) == 1 else _areas(frame)


def _parts(frame: pd.DataFrame, kind: str) -> dict[str, tuple[str, float]]:
    """The colour and opacity of each part or cost."""
    names = dict.fromkeys(frame["part"][frame["kind"] == kind])
    colours = COLOURS if kind == PART else COLOURS[::-1]
    return {str(name): (colours[i % len(colours)], (1.0, 0.6, 0.35)[i // len(colours) % 3]) for i, name in enumerate(names)}


def _bars(frame: pd.DataFrame) -> Picture:
    """A bar per build and target, cut into the parts; beside it a bar for each thing that costs."""
    several = "against" in frame
    groups = [rows for _, rows in frame.groupby(["build", "against" if several else "ac"], sort=False, dropna=False)]
    names = [f"{written(short(str(rows['build'].iloc[0]), _LONGEST))}\n{faces(rows)[0]}" for rows in groups]
    drawing = Picture(figsize=(11.5, 2.4 + 0.62 * len(groups)), layout="constrained")
    axes = drawing.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    for panel, kind, label in ((axes[0], PART, _DPR), (axes[1], COST, _LOST)):
        parts = _parts(frame, kind)
        for at, rows in enumerate(groups):
            (_stack if kind == PART else _side_by_side)(panel, at, rows[rows["kind"] == kind], parts)
        panel.set_xlabel(label)
        _key(panel, parts)
    axes[0].set_yticks(range(len(groups)), names, fontsize="small")
    axes[0].set_ylim(len(groups) - 0.4, -0.6)
    tidy(*axes)
    if "points_mc" in frame:
        drawing.supxlabel(f"points: {SIMULATED}", fontsize="small", color="0.3")
    return drawing


def _key(panel: Axes, parts: Mapping[str, tuple[str, float]]) -> None:
    """A legend above a panel."""
    for part, (colour, alpha) in parts.items():
        panel.fill_between([], [], color=colour, alpha=alpha, linewidth=0.0, label=written(part))
    panel.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2 if len(parts) <= 6 else 3, frameon=False, fontsize="small")


def _stack(panel: Axes, at: int, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    left = 0.0
    for row in rows.to_dict("records"):
        colour, alpha = parts[row["part"]]
        panel.barh(at, row["points"], left=left, color=colour, alpha=alpha, height=0.7)
        _point(panel, at, row, left)
        left += row["points"]


def _side_by_side(panel: Axes, at: int, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    high = 0.8 / len(parts)
    for row in rows.to_dict("records"):
        colour, alpha = parts[row["part"]]
        where = at + high * (list(parts).index(row["part"]) - (len(parts) - 1) / 2)
        panel.barh(where, row["points"], color=colour, alpha=alpha, height=0.9 * high)
        _point(panel, where, row, 0.0)


def _point(panel: Axes, at: float, row: Mapping[Any, Any], left: float) -> None:
    """What was simulated, at the end of its bar."""
    if "points_mc" in row:
        error = BAR * row["points_se"] if row["points_se"] == row["points_se"] and row["points_se"] else 0.0
        panel.errorbar([left + row["points_mc"]], [at], xerr=[error], fmt="o", color="black", markersize=3, capsize=2, linewidth=0.8)


def _areas(frame: pd.DataFrame) -> Picture:
    """A panel per build: the parts over armor class, one on the other; below them what costs, a line each."""
    builds = [(str(name), rows) for name, rows in frame.groupby("build", sort=False)]
    wide = beside(len(builds))
    high = -(-len(builds) // wide)
    tall = (4.4 if high == 1 else 2.9) * high + 0.7
    drawing = Picture(figsize=(max(9.0, 3.4 * wide), 1.65 * tall), layout="constrained")
    upper, lower = drawing.subfigures(2, 1, squeeze=False, height_ratios=(1.0, 0.65)).ravel()
    for room, kind, label in ((upper, PART, _DPR), (lower, COST, _LOST)):
        drawn = panels(room, len(builds), wide, sharex=True, sharey=True)
        parts = _parts(frame, kind)
        for panel, (build, rows) in zip(drawn, builds, strict=True):
            (_stacked if kind == PART else _lines)(panel, rows, parts)
            panel.set_title(written(short(build, _LONGEST)), fontsize="medium" if wide <= 2 else "small", loc="left")
        sweep_axis(drawn, wide, frame["ac"])
        room.supylabel(label, fontsize="medium")
        handles: list[Artist] = [
            drawn[0].fill_between([], [], color=colour, alpha=alpha, linewidth=0.0, label=written(part)) for part, (colour, alpha) in parts.items()
        ]
        if kind == PART:
            drawn[0].set_ylim(bottom=0.0)
            handles += drawn[0].plot([], [], color="black", linewidth=1.2, label=f"DPR, points: {SIMULATED}" if "points_mc" in frame else "DPR")
        room.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize="small")
    return drawing


def _stacked(panel: Axes, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    """The parts of a build over armor class, and their sum."""
    table = rows[rows["kind"] == PART].pivot_table(index="ac", columns="part", values="points", sort=False).fillna(0.0)
    shown = [part for part in parts if part in table]
    panel.stackplot(table.index, *(table[part] for part in shown), colors=[(parts[part][0], parts[part][1]) for part in shown], linewidth=0.0)
    total = rows[rows["kind"] == TOTAL]
    panel.plot(total["ac"], total["points"], color="black", linewidth=1.2)
    _points(panel, total, "black")


def _lines(panel: Axes, rows: pd.DataFrame, parts: Mapping[str, tuple[str, float]]) -> None:
    """What costs a build over armor class."""
    panel.axhline(0.0, color="0.4", linewidth=0.8)
    for part, one in rows[rows["kind"] == COST].groupby("part", sort=False):
        colour, alpha = parts[str(part)]
        panel.plot(one["ac"], one["points"], color=colour, alpha=alpha, linewidth=1.8)
        _points(panel, one, colour)


def _points(panel: Axes, rows: pd.DataFrame, colour: str) -> None:
    """What was simulated over armor class."""
    if "points_mc" in rows:
        panel.errorbar(rows["ac"], rows["points_mc"], yerr=errors(rows, "points"), fmt="o", color=colour, markersize=3, capsize=2, linewidth=0.8)
