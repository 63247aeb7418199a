"""Figures: a DataFrame of records in, a matplotlib Figure out; no pyplot state, no global style, no file written."""

from __future__ import annotations

from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analyzer.drawing import BAR, COLOURS, Picture, by_build, tidy, written


def sweep_figure(frame: pd.DataFrame, *, figure: str = "hits") -> Picture:
    """DPR and expected hits (or another figure) by armor class: exact as lines, simulation as points with error bars.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.curve` or `analyzer.compare`, per round.
    figure : {"hits", "crits", "any_hit", "any_crit", "no_damage"}
        What the second panel shows.

    Returns
    -------
    Figure
        Two panels over armor class and, with a simulation, a third: the difference of the engines in standard errors. With a single armor class, a bar a build.
    """
    if figure not in _LABELS:
        raise ValueError(f"figure must be one of {', '.join(map(repr, _LABELS))}; got {figure!r}")
    if len(set(frame["ac"])) == 1:
        return _single(frame, figure)
    simulated = "dpr_mc" in frame
    drawing = Picture(figsize=(9.0, 8.4 if simulated else 7.0), layout="constrained")
    ratios = [3.0, 2.0, 1.0] if simulated else [3.0, 2.0]
    axes = drawing.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
    _lines(axes[0], frame, "dpr")
    axes[0].set_ylabel("DPR (damage points per round)")
    _lines(axes[1], frame, figure)
    axes[1].set_ylabel(_LABELS[figure])
    for panel in axes[:2]:
        panel.set_ylim(bottom=0.0)
    if simulated:
        _differences(axes[2], frame)
    tidy(*axes)
    axes[-1].set_xlabel("armor class (AC)")
    axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes[-1].set_xlim(frame["ac"].min() - 0.5, frame["ac"].max() + 0.5)
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.dashes, marker=look.marker, markerfacecolor="white", label=written(name))
        for name, _, look in by_build(frame)
    ]
    drawing.legend(handles=keys, loc="outside upper center", ncols=min(2, len(keys)), frameon=False)
    axes[0].set_title(_caption(frame), fontsize="medium", color="0.3", loc="left")
    return drawing


_LABELS = {
    "hits": "expected hits per round",
    "crits": "expected criticals per round",
    "any_hit": "chance of at least one hit",
    "any_crit": "chance of at least one critical",
    "no_damage": "chance of no damage",
}


def _caption(frame: pd.DataFrame) -> str:
    if "dpr_mc" not in frame:
        return "exact"
    trials = getattr(frame, "trials", None)
    rounds = f", {trials:,} rounds a point" if trials else ""
    if "trials" in frame:
        fewest, most = frame["trials"].min(), frame["trials"].max()
        rounds = f", {fewest:,} to {most:,} rounds a point" if fewest < most else rounds
    return f"lines: exact, points: simulated \N{PLUS-MINUS SIGN}{BAR:g} standard errors{rounds}"


def _lines(axes: Axes, frame: pd.DataFrame, column: str) -> None:
    simulated = f"{column}_mc" in frame
    for _, rows, look in by_build(frame):
        marker = None if simulated else look.marker
        axes.plot(rows["ac"], rows[column], color=look.colour, linestyle=look.dashes, linewidth=1.4, marker=marker, markersize=4, markerfacecolor="white")
        if simulated:
            errors = BAR * rows[f"{column}_se"].astype(float).fillna(0.0)
            axes.errorbar(
                rows["ac"],
                rows[f"{column}_mc"],
                yerr=errors,
                color=look.colour,
                fmt=look.marker,
                markersize=4,
                capsize=2,
                linewidth=1.0,
                markerfacecolor="white",
            )


def _differences(axes: Axes, frame: pd.DataFrame) -> None:
    for _, rows, look in by_build(frame):
        axes.plot(rows["ac"], rows["dpr_z"].astype(float), color=look.colour, marker=look.marker, markersize=3, linestyle="none")
    axes.axhline(0.0, color="0.4", linewidth=0.8)
    axes.axhspan(-2.0, 2.0, color="0.93", zorder=0)
    largest = float(frame["dpr_z"].astype(float).abs().max() or 0.0)
    limit = max(4.0, 1.1 * largest)
    axes.set_ylim(-limit, limit)
    axes.set_ylabel("DPR difference\n(standard errors)")


def _single(frame: pd.DataFrame, figure: str) -> Picture:
    """One armor class: a bar a build for the exact figures, a point with its error bar for the simulated ones."""
    names = frame["build"].tolist()
    drawing = Picture(figsize=(10.0, 1.9 + 0.5 * len(names)), layout="constrained")
    axes = drawing.subplots(1, 2, sharey=True)
    rows = range(len(names))
    colours = [colour for _, colour in zip(names, cycle(COLOURS), strict=False)]
    for panel, column, label in ((axes[0], "dpr", "DPR (damage points per round)"), (axes[1], figure, _LABELS[figure])):
        panel.barh(rows, frame[column], color=colours, alpha=0.45, height=0.6)
        if f"{column}_mc" in frame:
            errors = BAR * frame[f"{column}_se"].astype(float).fillna(0.0)
            panel.errorbar(frame[f"{column}_mc"], rows, xerr=errors, fmt="o", color="black", markersize=4, capsize=3, markerfacecolor="white")
        panel.set_xlabel(label)
        panel.set_xlim(left=0.0)
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(list(rows), list(map(written, names)))
    axes[0].invert_yaxis()
    drawing.suptitle(f"AC {frame['ac'].iloc[0]} \N{EN DASH} {_caption(frame).replace('lines', 'bars')}", fontsize="medium", color="0.3")
    return drawing
