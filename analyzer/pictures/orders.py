"""The figure of orders: the damage of the best, the listed and the worst one, and which is best where."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.pictures.drawing import COLOURS, DASHES, Look, Picture, along, by_build, foe_axis, legend, points, tidy, written


def orders_figure(frame: pd.DataFrame) -> Picture:
    """Damage of the best, the listed and the worst order of each build, and which is best where.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.order`.
    """
    builds = list(by_build(frame))
    columns = 1 if len(builds) == 1 else 2
    rows = -(-len(builds) // columns)
    drawing = Picture(figsize=(8.0 if columns == 1 else 13.0, 0.6 + 4.2 * rows), layout="constrained")
    shown = {
        "best order": Look(COLOURS[0], "o", "solid"),
        "as listed": Look(COLOURS[6], "s", DASHES[1]),
        "worst order": Look(COLOURS[1], "^", DASHES[2]),
    }
    parts = drawing.subfigures(rows, columns, squeeze=False)
    for i, (name, found, _) in enumerate(builds):
        part = parts[i // columns][i % columns]
        damage, which = part.subplots(2, 1, sharex=True, height_ratios=(3.0, 0.3 + 0.35 * found["best"].nunique()))
        damage.set_title(written(name), fontsize="medium")
        _lines(damage, found, shown)
        _strip(which, found)
        tidy(damage, which)
    legend(drawing, {label: look for label, look in shown.items() if label != "as listed" or frame["own_dpr"].notna().any()}, columns=3)
    return drawing


def _lines(axes: Axes, found: pd.DataFrame, shown: dict[str, Look]) -> None:
    x = along(found)
    for (label, look), column in zip(shown.items(), ("best_dpr", "own_dpr", "worst_dpr"), strict=True):
        if column in found and found[column].notna().any():
            style = look.dashes if "against" not in found else "none"
            marker = None if f"{column}_mc" in found and "against" not in found and len(found) > 1 else look.marker
            axes.plot(x, found[column], label=label, **look.line(linestyle=style, marker=marker))
            points(axes, x, found, column, look)
    axes.set_ylabel("DPR (damage\npoints per round)")
    axes.set_ylim(0.0, 1.08 * float(found["best_dpr"].max()) or 1.0)


def _strip(axes: Axes, found: pd.DataFrame) -> None:
    """Which order is best where."""
    orders = list(dict.fromkeys(found["best"]))
    places = [orders.index(order) for order in found["best"]]
    axes.scatter(along(found), places, marker="s", s=42, color=COLOURS[0])
    axes.set_yticks(range(len(orders)), [written(order) for order in orders], fontsize="small")
    axes.set_ylim(len(orders) - 0.4, -0.6)
    axes.set_title("which order is best", fontsize="small", loc="left")
    foe_axis(axes, found)
