"""Surfaces: figures over two numbers, a heat map of damage per round or of a lead, and who leads where."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, TwoSlopeNorm
from matplotlib.patches import Patch

from analyzer.pictures.drawing import COLOURS, Picture, shorts, written

_TIE = "0.75"


def surface_figure(frame: pd.DataFrame) -> Picture:
    """DPR over two numbers; of two builds their difference, of more the winner's lead, and beside it who leads where.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.surface`, a row per build and cell, with the numbers in ``x`` and ``y`` and their names in ``x_title`` and ``y_title``.

    Returns
    -------
    Figure
        One panel for a single build, two for several; the black line is where two builds are equal.
    """
    names = list(dict.fromkeys(frame["build"]))
    drawing = Picture(figsize=(7.0 if len(names) == 1 else 12.0, 6.2), layout="constrained")
    if len(names) == 1:
        axes = drawing.subplots()
        cells = _cells(frame, "dpr")
        _heat(drawing, axes, cells, "DPR (damage points per round)")
        _contours(axes, cells)
        _name(axes, frame)
        axes.set_title(written(names[0]), fontsize="medium")
        return drawing
    left, right = drawing.subplots(1, 2, sharey=True)
    if len(names) == 2:
        apart = _cells(frame[frame["build"] == names[0]], "difference")
        limit = float(np.abs(apart.to_numpy()).max()) or 1.0
        _heat(drawing, left, apart, "difference (damage points per round)", colours="RdBu", norm=TwoSlopeNorm(0.0, -limit, limit))
        _equal(left, apart)
        left.set_title(written(f"{' less '.join(shorts(names, 32))} (black: equal)"), fontsize="medium")
    else:
        lead = _cells(frame[frame["difference"] >= 0.0].drop_duplicates(["x", "y"]), "difference")
        _heat(drawing, left, lead, "lead of the best (damage points per round)")
        left.set_title("how far the best is ahead", fontsize="medium")
    _winners(drawing, right, frame, names)
    for axes in (left, right):
        _name(axes, frame)
    right.set_ylabel("")
    return drawing


def _cells(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column by y (down) and x (across)."""
    return frame.pivot_table(index="y", columns="x", values=column, aggfunc="first").astype(float)


def _edges(values: pd.Index[Any]) -> list[float]:
    """The edges of cells around values that need not be evenly apart."""
    at = [float(value) for value in values]
    middles = [(a + b) / 2.0 for a, b in pairwise(at)]
    first = middles[0] - at[0] if middles else 0.5
    last = at[-1] - middles[-1] if middles else 0.5
    return [at[0] - first, *middles, at[-1] + last]


def _heat(drawing: Picture, axes: Axes, cells: pd.DataFrame, label: str, *, colours: str = "viridis", norm: TwoSlopeNorm | None = None) -> None:
    mesh = axes.pcolormesh(_edges(cells.columns), _edges(cells.index), cells.to_numpy(), cmap=colours, norm=norm)
    drawing.colorbar(mesh, ax=axes, label=label, location="bottom", shrink=0.8, pad=0.03)


def _contours(axes: Axes, cells: pd.DataFrame) -> None:
    """Lines of equal damage, where there is a surface to draw them on."""
    if min(cells.shape) >= 2 and len(np.unique(cells.to_numpy())) > 1:
        lines = axes.contour(cells.columns, cells.index, cells.to_numpy(), colors="white", linewidths=0.8)
        axes.clabel(lines, fontsize="x-small")


def _equal(axes: Axes, cells: pd.DataFrame) -> None:
    """The line on which two builds are equal."""
    values = cells.to_numpy()
    if min(values.shape) >= 2 and values.min() < 0.0 < values.max():
        axes.contour(cells.columns, cells.index, values, levels=[0.0], colors="black", linewidths=1.4)


def _winners(drawing: Picture, axes: Axes, frame: pd.DataFrame, names: list[str]) -> None:
    """A colour for each build where it leads alone, grey where several tie."""
    numbers = {name: i for i, name in enumerate(names)}
    one = frame[frame["build"] == names[0]]
    cells = _cells(one.assign(number=[numbers.get(winner, len(names)) for winner in one["winner"]]), "number")
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))] + [_TIE]
    axes.pcolormesh(_edges(cells.columns), _edges(cells.index), cells.to_numpy(), cmap=ListedColormap(colours), vmin=-0.5, vmax=len(names) + 0.5, alpha=0.75)
    seen = {int(number) for number in np.unique(cells.to_numpy())}
    handles = [Patch(color=colours[i], alpha=0.75, label=written(name)) for i, name in enumerate(names)]
    handles += [Patch(color=_TIE, label="a tie")] if len(names) in seen else []
    axes.set_title("who leads", fontsize="medium")
    drawing.legend(handles=handles, loc="outside upper center", ncols=min(2, len(handles)), frameon=False)


def _name(axes: Axes, frame: pd.DataFrame) -> None:
    axes.set_xlabel(str(frame["x_title"].iloc[0]))
    axes.set_ylabel(str(frame["y_title"].iloc[0]))
