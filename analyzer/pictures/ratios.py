"""Ratios: how far figures are from those of a reference, as colours over two things that vary, or as a range per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from analyzer.pictures.drawing import COLOURS, DASHED, Picture, along, bars, foe_axis, legend, looks, panels, points, tidy, written

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

#: Ratios marked on a scale.
_TICKS = (0.1, 0.2, 1 / 3, 0.5, 2 / 3, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
#: Least and most that the ends of a scale are from 1.
_LEAST, _MOST = 1.25, 4.0
#: Panels side by side: two of a few, three of more.
_FEW, _MOST_ACROSS = 4, 3
#: Cells of a panel whose ratios are still written into them, and columns whose names are still all written below.
_WRITTEN, _NAMED = 130, 24
#: Share of the scale from which its ends are too dark for black letters.
_DARK = 0.65


def ratio_maps(frame: pd.DataFrame, *, rows: str, reference: str) -> Figure:
    """A heat map per ``panel`` of a frame: what varies down, foes across, the ratio as colour with 1 in the middle.

    Parameters
    ----------
    frame : DataFrame
        ``panel``, ``value`` (what varies), ``against`` or ``ac``, ``ratio`` (None where there is none), ``best`` and ``now`` (rows that are marked).
    rows, reference
        What varies, and what the ratio is to.
    """
    named = list(frame.groupby("panel", sort=False))
    columns = min(2 if len(named) <= _FEW else _MOST_ACROSS, len(named))
    across = -(-len(named) // columns)
    deep = frame["value"].nunique()
    drawing = Picture(figsize=(8.5 if columns == 1 else 6.25 * columns, 1.4 + across * (1.3 + 0.27 * deep)), layout="constrained")
    drawn = panels(drawing, len(named), columns)
    found = frame["ratio"].astype(float)
    far = float(np.exp(np.abs(np.log(found[found > 0.0])).max())) if (found > 0.0).any() else _LEAST
    norm = LogNorm(1.0 / min(max(far, _LEAST), _MOST), min(max(far, _LEAST), _MOST))
    image: AxesImage | None = None
    for axes, (name, panel) in zip(drawn, named, strict=True):
        image = _panel(axes, panel, norm)
        axes.set_title(written(str(name)), fontsize="medium")
        axes.set_ylabel(rows)
    if image is not None:
        bar = drawing.colorbar(image, ax=drawing.axes, extend="both", aspect=35, pad=0.01, shrink=min(1.0, 2.0 / across))
        bar.set_label(f"damage / that of {written(reference)}")
        bar.ax.yaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if norm.vmin <= tick <= norm.vmax]))  # type: ignore[operator]  # set above
        bar.ax.yaxis.set_minor_locator(NullLocator())
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2g}"))
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
    drawing.suptitle(f"Damage as a multiple of that of {written(reference)}; outlined: the best, dotted: as it is", fontsize="medium")
    return drawing


def _panel(axes: Axes, panel: pd.DataFrame, norm: LogNorm) -> AxesImage:
    values, foes = list(dict.fromkeys(panel["value"])), list(dict.fromkeys(_foes(panel)))
    grid = panel["ratio"].astype(float).to_numpy().reshape(len(values), len(foes))
    image = axes.imshow(np.where(grid > 0.0, grid, np.nan), norm=norm, cmap="PuOr", aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(values)), [written(str(value)) for value in values], fontsize="small")
    every = -(-len(foes) // _NAMED)
    turned = "against" in panel
    axes.set_xticks(
        range(0, len(foes), every),
        [written(str(foe)) for foe in foes[::every]],
        fontsize="small",
        rotation=40 if turned else 0,
        ha="right" if turned else "center",
    )
    if not turned:
        axes.set_xlabel("armor class (AC)")
    if grid.size <= _WRITTEN:
        for (row, column), ratio in np.ndenumerate(grid):
            if np.isfinite(ratio):
                dark = ratio > 0.0 and abs(np.log(ratio)) > _DARK * np.log(norm.vmax or 1.0)
                axes.text(column, row, f"{ratio:.2f}", ha="center", va="center", fontsize=7, color="white" if dark else "black")
    for mark, dashes in (("now", "dotted"), ("best", "solid")):
        for row in sorted({values.index(value) for value, marked in zip(panel["value"], panel[mark], strict=True) if marked}):
            axes.add_patch(Rectangle((-0.5, row - 0.5), len(foes), 1, fill=False, edgecolor="black", linewidth=1.8, linestyle=dashes, clip_on=False))
    return image


def _foes(panel: pd.DataFrame) -> pd.Series[str]:
    return panel["against"] if "against" in panel else panel["ac"]


def ratio_ranges(frame: pd.DataFrame, names: list[str], *, reference: str) -> Figure:
    """A row per record: its ``ratio`` to a reference as a point, from ``lowest`` to ``highest`` as a line."""
    drawing = Picture(figsize=(8.5, 1.6 + 0.42 * len(frame)), layout="constrained")
    axes = drawing.subplots()
    rows = range(len(frame))
    axes.hlines(rows, frame["lowest"], frame["highest"], color=COLOURS[0], linewidth=2.0, alpha=0.5, label="lowest to highest")
    axes.plot(frame["ratio"], rows, "o", color=COLOURS[0], label="over the whole range")
    bars(axes, frame, "ratio", rows, fmt="s", color=COLOURS[1], capsize=2, label="simulated")
    axes.axvline(1.0, color="0.3", linewidth=0.8, linestyle=DASHED)
    axes.set_yticks(list(rows), [written(name) for name in names])
    axes.set_ylim(len(frame) - 0.4, -0.6)
    axes.set_xlabel(f"damage / that of {written(reference)}")
    tidy(axes)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


def attack_curves(frame: pd.DataFrame) -> Figure:
    """A panel per weapon and value of it: the mean of each attack of a turn over armor classes or creatures."""
    named = list(frame.groupby("panel", sort=False))
    columns = min(2 if len(named) <= _FEW else _MOST_ACROSS, len(named))
    across = -(-len(named) // columns)
    drawing = Picture(figsize=(7.5 if columns == 1 else 12.5, 1.0 + 3.0 * across), layout="constrained")
    drawn = panels(drawing, len(named), columns, sharey=True)
    shown = looks(f"attack {attack}" for attack in frame["attack"])
    for axes, (name, panel) in zip(drawn, named, strict=True):
        for attack, rows in panel.groupby("attack", sort=False):
            look = shown[f"attack {attack}"]
            style = look.line(linestyle="none" if "against" in rows else look.dashes, marker=None if "dpr_mc" in rows else look.marker)
            axes.plot(along(rows), rows["dpr"], **style)
            points(axes, along(rows), rows, "dpr", look)
        foe_axis(axes, panel.drop_duplicates("against" if "against" in panel else "ac"))
        axes.set_title(written(str(name)), fontsize="medium")
        axes.set_ylabel("damage points of the attack")
        tidy(axes)
    legend(drawing, shown, columns=4)
    return drawing
