"""The figure of an area attack: a map of the squares it may catch, and where it may land."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from analyzer.pictures.drawing import COLOURS, Picture, beside, panels, written

#: Panels of one figure.
_PANELS = 12
#: What a creature and the mark are drawn in.
_BLUE = COLOURS[0]


def blasts_figure(frame: pd.DataFrame) -> Picture:
    """A map per attack and target: each square by its chance to be caught, a spot wherever the attack may land, the group, the thrower's side.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.scatter` per square.
    """
    several = "against" in frame
    maps = list(frame.groupby(["build", "attack", *(["against"] if several else [])], sort=False))[:_PANELS]
    wide = beside(len(maps))
    high = -(-len(maps) // wide)
    side = 7.6 if wide == 1 else 5.4 if wide == 2 else 3.8
    drawing = Picture(figsize=(side * wide + 1.2, (side + 0.4) * high + 0.7), layout="constrained")
    drawn = panels(drawing, len(maps), wide)
    reach = max(abs(frame["x"] + 0.5).max(), abs(frame["y"] + 0.5).max()) + 0.5
    chances = frame["caught"][frame["caught"] > 0.0]
    # Most squares are caught by a few landings out of 33 or not at all: on a linear scale they would all look alike.
    scale = LogNorm(vmin=min(0.5, chances.min()) if len(chances) else 0.5, vmax=1.0)
    for panel, (names, rows) in zip(drawn, maps, strict=True):
        shades = _map(panel, rows, scale, told=wide == 1 and reach <= 9)
        panel.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        title = ", ".join(written(str(name)) for name in dict.fromkeys(names))
        panel.set_title(f"{title}\n{_landings_told(rows)}", loc="left", fontsize="medium" if wide <= 2 else "x-small")
    drawing.colorbar(shades, ax=drawing.axes, label="chance that a square is caught (logarithmic)", shrink=0.7, format=lambda value, _: f"{100 * value:g} %")
    handles, labels = drawn[0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside upper left", ncols=4, frameon=False, fontsize="small")
    drawing.supxlabel("squares from the intersection aimed at", fontsize="medium")
    return drawing


def _landings_told(rows: pd.DataFrame) -> str:
    """How likely the mark and the other places are."""
    aimed = (rows["x"] == 0) & (rows["y"] == 0)
    others = rows["lands"][~aimed & (rows["lands"] > 0.0)]
    elsewhere = f", each of {len(others)} others {100 * others.max():.2g} %" if len(others) and others.max() - others.min() < 1e-9 else ""
    return f"on the mark {100 * rows['lands'][aimed].max():.3g} %{elsewhere}"


def _map(panel: Axes, rows: pd.DataFrame, scale: Normalize, *, told: bool) -> AxesImage:
    """One map; what its colours stand for."""
    low, bottom = int(rows["x"].min()), int(rows["y"].min())
    shades = np.zeros((int(rows["y"].max()) - bottom + 1, int(rows["x"].max()) - low + 1))
    shades[rows["y"] - bottom, rows["x"] - low] = rows["caught"]
    edges = (low, low + shades.shape[1], bottom, bottom + shades.shape[0])
    shown = panel.imshow(np.ma.masked_equal(shades, 0.0), origin="lower", extent=edges, norm=scale, cmap="YlOrRd", alpha=0.85)
    for row in rows[rows["caught"] > 0.0].to_dict("records") if told else ():
        panel.text(
            row["x"] + 0.5,
            row["y"] + 0.42,
            f"{100 * row['caught']:.2g}",
            ha="center",
            va="center",
            fontsize="x-small",
            color="white" if row["caught"] > 0.3 else "0.15",
        )
    for number, squares in rows.dropna(subset=["creature"]).groupby("creature"):
        _creature(panel, squares, f"{number:.0f}")
    lands = rows[(rows["lands"] > 0) & ~((rows["x"] == 0) & (rows["y"] == 0))]
    panel.scatter(lands["x"], lands["y"], s=14, color="black", label="a miss lands", zorder=4)
    panel.plot([0], [0], marker="X", color=_BLUE, markeredgecolor="white", markersize=12, linestyle="none", label="mark", zorder=5)
    panel.plot([], [], marker="s", color=_BLUE, markerfacecolor="none", markersize=9, linestyle="none", label="creature")
    _thrower(panel, rows)
    panel.grid(visible=True, color="0.85", linewidth=0.5)
    panel.set_axisbelow(True)
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.yaxis.set_major_locator(MaxNLocator(integer=True))
    return shown


def _creature(panel: Axes, squares: pd.DataFrame, number: str) -> None:
    """The outline of a creature and its number."""
    x, y = squares["x"].min(), squares["y"].min()
    width, height = squares["x"].max() - x + 1, squares["y"].max() - y + 1
    panel.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=_BLUE, linewidth=2.0, zorder=3))
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
    panel.text(x + 0.08, y + height - 0.08, number, ha="left", va="top", fontsize="x-small", color=_BLUE, weight="bold", bbox=box, zorder=3)


def _thrower(panel: Axes, rows: pd.DataFrame) -> None:
    """An arrow from the thrower's side, at the edge of the map."""
    x, y = rows["thrower_x"].iloc[0], rows["thrower_y"].iloc[0]
    if x is None or x != x or (x == 0 and y == 0):  # noqa: PLR0124 - NaN is no place
        return
    far = max(abs(x), abs(y))
    reach = max(abs(rows["x"]).max(), abs(rows["y"]).max()) * 1.0
    panel.annotate(
        "", xy=(0.72 * reach * x / far, 0.72 * reach * y / far), xytext=(reach * x / far, reach * y / far), arrowprops={"arrowstyle": "-|>", "lw": 2}
    )
    panel.plot([], [], color="black", marker=">", linestyle="solid", label="thrown from here")
