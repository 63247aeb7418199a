"""The figure of a fight to the death: the chance that the target is dead, round by round, and how long it takes by what is faced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter, ScalarFormatter

from analyzer.pictures.drawing import BAR, Look, Picture, faces, legend, looks, points, say_few, tidy, whole_ticks, written
from analyzer.sweeps import few

#: Targets whose curves stand beside each other.
_CURVES = 3


class _Curve(NamedTuple):
    """The chance to be dead after some rounds, or parts of rounds; columns ``x``, ``dead`` and, where simulated, ``dead_mc``, ``dead_se``."""

    build: str
    frame: pd.DataFrame


def deaths_figure(frame: pd.DataFrame) -> Picture:
    """Chances to be dead by each round: of everyone a table holds and, below, how long each creature takes; or of a few armor classes of a sweep.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.kill`, whatever they are by.
    """
    named = looks(frame["build"])
    names = list(dict.fromkeys(faces(frame)))
    several = len(names) > 1 and "mean_rounds" in frame and ("against" in frame or len(names) > _CURVES)
    shown = names[:1] if "against" in frame else [names[i] for i in few(len(names), _CURVES)]
    creatures = len(names) if several and "against" in frame else 0
    heights = [3.4, *([0.8 + 0.3 * creatures if creatures else 3.0] if several else [])]
    drawing = Picture(figsize=(9.0, sum(heights) + 0.8 + 0.12 * len(named)), layout="constrained")
    layout: list[Any] = [[f"curve {i}" for i in range(len(shown))], *([["length"] * len(shown)] if several else [])]
    panels = drawing.subplot_mosaic(layout, height_ratios=heights)
    for i, name in enumerate(shown):
        rows = frame[[face == name for face in faces(frame)]]
        _curves(panels[f"curve {i}"], rows, named)
        number = len(names) if i == 0 and "against" not in frame else len(shown)
        say_few(panels[f"curve {i}"], f"{name}{_points(rows)}", len(shown), number, "armor classes")
        if i:
            panels[f"curve {i}"].tick_params(labelleft=False)
    simulated = "dead_mc" in frame or "dead_1_mc" in frame
    told = f"\n(points: simulated \N{PLUS-MINUS SIGN}{BAR:g} SE)" if simulated else ""
    panels["curve 0"].set_ylabel(f"chance that the target is dead{told}")
    if creatures:
        _by_creature(panels["length"], frame, named)
    elif several:
        _by_ac(panels["length"], frame, named)
    tidy(*panels.values())
    legend(drawing, named)
    return drawing


def _points(frame: pd.DataFrame) -> str:
    """The hit points of one target, where all builds meet it with the same."""
    known = {str(points) for points in frame["hp"] if points is not None}
    return f", {known.pop()} HP" if len(known) == 1 and frame["hp"].notna().all() else ""


def _curves(axes: Axes, frame: pd.DataFrame, named: dict[str, Look]) -> None:
    for build, curve in _of(frame):
        look = named[build]
        axes.step(np.append(0.0, curve["x"]), np.append(0.0, curve["dead"]), where="post", color=look.colour, linestyle=look.dashes)
        points(axes, curve["x"], curve, "dead", look)
        if "dead_mc" not in curve:
            axes.plot(curve["x"], curve["dead"], color=look.colour, marker=look.marker, markersize=4, linestyle="none", markerfacecolor="white")
    for share in (0.5, 0.9):
        axes.axhline(share, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set_ylim(0.0, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlim(left=0.0)
    axes.set_xlabel("rounds fought")
    whole_ticks(axes)


def _of(frame: pd.DataFrame) -> Iterator[_Curve]:
    """The curve of every build before one target."""
    for build, rows in frame.groupby("build", sort=False):
        if "dead" in rows:
            found = rows.assign(x=rows["rounds"].astype(float))
            if "attack" in rows:
                found["x"] = rows["rounds"] - 1 + rows["attack"] / rows.groupby("rounds")["attack"].transform("max")
        else:
            numbers = [int(key.removeprefix("dead_")) for key in map(str, rows) if key.removeprefix("dead_").isdigit()]
            kinds = [kind for kind in ("", "_mc", "_se") if f"dead_1{kind}" in rows]
            found = pd.DataFrame({f"dead{kind}": [rows[f"dead_{n}{kind}"].iloc[0] for n in numbers] for kind in kinds}).assign(x=numbers)
        yield _Curve(str(build), found)


def _by_ac(axes: Axes, frame: pd.DataFrame, named: dict[str, Look]) -> None:
    for build, rows in frame.groupby("build", sort=False):
        look = named[str(build)]
        axes.plot(rows["ac"], rows["mean_rounds"].astype(float), color=look.colour, linestyle=look.dashes)
        points(axes, rows["ac"], rows, "mean_rounds", look)
    known = frame["mean_rounds"].astype(float).dropna()
    if len(known) and known.max() > 20 * known.min():
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlabel("armor class (AC)")
    axes.set_ylabel("mean rounds to kill")
    whole_ticks(axes)


def _by_creature(axes: Axes, frame: pd.DataFrame, named: dict[str, Look]) -> None:
    creatures = list(dict.fromkeys(map(str, frame["against"])))
    for build, rows in frame.groupby("build", sort=False):
        look = named[str(build)]
        places = [creatures.index(str(name)) for name in rows["against"]]
        axes.plot(rows["mean_rounds"].astype(float), places, color=look.colour, marker=look.marker, linestyle="none", markerfacecolor="white")
    axes.set_yticks(range(len(creatures)), [written(name) for name in creatures], fontsize="small" if len(creatures) <= 40 else "xx-small")
    axes.invert_yaxis()
    axes.set_xlim(left=0.0)
    axes.set_xlabel("mean rounds to kill")
