"""The figure of who is ahead: the chances of a pair of builds, as bars or over armor class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.pictures.drawing import DASHED, SIMULATED, Picture, beside, errors, faces, panels, short, sweep_axis, tidy, written

_FIRST, _SECOND = "#0072B2", "#D55E00"
_SHARES = (("more", _FIRST), ("tie", "0.82"), ("less", _SECOND))
#: Longest name of a legend.
_ROOM = 40


def odds_figure(frame: pd.DataFrame) -> Picture:
    """The chances of each pair to be ahead.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.dominance`.
    """
    return _bars(frame) if "against" in frame or len(set(frame["ac"])) == 1 else _areas(frame)


def _titled(frame: pd.DataFrame) -> str:
    rounds = int(frame["rounds"].iloc[0])
    return f"chance to be ahead after {rounds} round{'s' if rounds > 1 else ''}"


def _told(frame: pd.DataFrame) -> tuple[str, str, str]:
    """What the three chances are called: by name where there is one pair."""
    pairs = frame[["build", "other"]].drop_duplicates()
    if len(pairs) > 1:
        return "the first named is ahead", "equal", "the second named is ahead"
    first, second = (written(short(str(name), _ROOM)) for name in pairs.iloc[0])
    return f"{first} ahead", "equal", f"{second} ahead"


def _bars(frame: pd.DataFrame) -> Picture:
    """A bar per pair and target, cut into the three chances."""
    drawing = Picture(figsize=(9.0, 1.8 + 0.55 * len(frame)), layout="constrained")
    axes = drawing.subplots()
    rows = range(len(frame))
    left = np.zeros(len(frame))
    for (column, colour), label in zip(_SHARES, _told(frame), strict=True):
        axes.barh(rows, frame[column], left=left, color=colour, height=0.7, label=label)
        left = left + frame[column].to_numpy()
    if "more_mc" in frame:
        for column, from_right in (("more", False), ("less", True)):
            found = frame[f"{column}_mc"]
            axes.errorbar(1.0 - found if from_right else found, rows, xerr=errors(frame, column), fmt="o", color="black", markersize=3.5, capsize=3)
    pairs = zip(frame["build"], frame["other"], faces(frame), strict=True)
    axes.set_yticks(list(rows), [f"{written(first)}\nor {written(second)}, {at}" for first, second, at in pairs], fontsize="small")
    axes.set_ylim(len(frame) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel(_titled(frame) + (f"; points: {SIMULATED}" if "more_mc" in frame else ""))
    axes.axvline(0.5, color="0.2", linewidth=0.8, linestyle=DASHED)
    tidy(axes)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


def _areas(frame: pd.DataFrame) -> Picture:
    """A panel per pair: the three chances over armor class."""
    pairs = list(frame.groupby(["build", "other"], sort=False))
    wide = beside(len(pairs))
    high = -(-len(pairs) // wide)
    drawing = Picture(figsize=(9.0 if wide == 1 else 4.4 * wide if wide == 2 else 3.3 * wide, 1.0 + (4.4 if high == 1 else 2.7) * high), layout="constrained")
    drawn = panels(drawing, len(pairs), wide, sharex=True, sharey=True)
    told = _told(frame)
    for panel, ((first, second), rows) in zip(drawn, pairs, strict=True):
        _stack(panel, rows, told)
        if len(pairs) > 1:
            _name(panel, str(first), str(second), small=wide > 2)
    sweep_axis(drawn, wide, frame["ac"])
    drawn[0].set_ylim(0.0, 1.0)
    drawing.supylabel(_titled(frame), fontsize="medium")
    handles, labels = drawn[0].get_legend_handles_labels()
    drawing.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=4, frameon=False)
    return drawing


def _name(panel: Axes, first: str, second: str, *, small: bool) -> None:
    """A title of two lines, each build in the colour of its share: two titles of one panel, which lie on one another."""
    size, most = ("x-small", 28) if small else ("medium", _ROOM)
    panel.set_title(f"{written(short(first, most))}\n ", fontsize=size, loc="left", color=_FIRST)
    panel.set_title(f"or {written(short(second, most))}", fontsize=size, color=_SECOND, x=0.0, ha="left")


def _stack(panel: Axes, rows: pd.DataFrame, told: tuple[str, str, str]) -> None:
    panel.stackplot(rows["ac"], *(rows[key] for key, _ in _SHARES), colors=[colour for _, colour in _SHARES], labels=list(told))
    panel.axhline(0.5, color="0.2", linewidth=0.8, linestyle=DASHED)
    if "more_mc" in rows:
        for column, from_top in (("more", False), ("less", True)):
            found = rows[f"{column}_mc"]
            style: dict[str, Any] = {"fmt": "o", "color": "black", "markersize": 2.5, "capsize": 2, "linewidth": 0.8}
            heights = 1.0 - found if from_top else found
            panel.errorbar(rows["ac"], heights, yerr=errors(rows, column), label=None if from_top else SIMULATED, **style)
