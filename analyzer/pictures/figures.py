"""Figures: a DataFrame of records in, a matplotlib Figure out; no pyplot state, no global style, no file written."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from analyzer.pictures.drawing import COLOURS, SIMULATED, Picture, bars, by_build, legend, looks, mark, points, shorts, tidy, whole_ticks, written
from analyzer.workings.leads import Landmarks

_UNMARKED = Landmarks()
#: Most creatures that a figure shows.
_MOST_ROWS = 60


def figure_of(frame: pd.DataFrame, *, marks: Landmarks = _UNMARKED) -> Picture:
    """The figure of rows of `analyzer.curve` or `analyzer.compare`: over armor classes, by creature, or over the levels of builds that have several.

    Its second panel shows differences where they were asked for, else hits.
    """
    figure = "difference" if "difference" in frame else "hits"
    if "against" not in frame:
        return sweep_figure(frame, figure=figure, marks=marks)
    if "level" in frame and len(set(frame["level"].dropna())) > 1:
        return level_figure(frame, figure=figure, marks=marks)
    return creature_figure(frame, figure=figure)


def sweep_figure(frame: pd.DataFrame, *, figure: str = "hits", marks: Landmarks = _UNMARKED) -> Picture:
    """DPR and expected hits (or another figure) by armor class: exact as lines, simulation as points with error bars.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.curve` or `analyzer.compare`, per round.
    figure : {"hits", "crits", "any_hit", "any_crit", "no_damage"}
        What the second panel shows.
    marks : Landmarks
        Where the lead changes, and the target's own armor class.

    Returns
    -------
    Figure
        Two panels over armor class and, with a simulation, a third: the difference of the engines in standard errors. With a single armor class, a bar a build.
    """
    _check(figure, _labels(frame))
    if len(set(frame["ac"])) == 1:
        return _single(frame, figure)
    return _panels(frame, "ac", "armor class (AC)", figure, marks)


def level_figure(frame: pd.DataFrame, *, figure: str = "hits", marks: Landmarks = _UNMARKED) -> Picture:
    """DPR and expected hits (or another figure) by level, a line per series of builds, each before all creatures of its level weighed.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.curve` or `analyzer.compare` before a table of creatures, of builds with levels.
    figure, marks
        As in `sweep_figure`.
    """
    _check(figure, _labels(frame))
    whole = frame[frame["level"].notna()].drop_duplicates("build")  # the first row of a build weighs all its creatures
    rows = whole.assign(build=whole["series"], level=whole["level"].astype(int)).sort_values("level", kind="stable")
    drawing = _panels(rows, "level", "level", figure, marks)
    drawing.axes[0].set_ylabel("DPR (damage points per round),\ncreatures of the level weighed")
    return drawing


def lead_figure(frame: pd.DataFrame) -> Picture:
    """Who leads where: DPR, how far each build is ahead of the best of the others, and a bar where it leads.

    Parameters
    ----------
    frame : DataFrame
        A row per build and armor class of `analyzer.crossovers`, with ``flip`` (where the lead changes) and ``own`` (1 at the target's own armor class); or per
        build and creature.
    """
    if "against" in frame:
        return creature_figure(frame, figure="difference")
    named = looks(frame["build"])
    simulated = "dpr_mc" in frame
    drawing = Picture(figsize=(9.0, 7.2 + 0.22 * len(named)), layout="constrained")
    axes = drawing.subplots(3, 1, sharex=True, height_ratios=[3.0, 2.2, 0.35 + 0.22 * len(named)])
    for name, rows, look in by_build(frame):
        for panel, column in ((axes[0], "dpr"), (axes[1], "difference")):
            panel.plot(rows["ac"], rows[column], color=look.colour, linestyle=look.dashes, linewidth=1.4, label=name)
            points(panel, rows["ac"], rows, column, look)
        ahead = rows.loc[rows["place"] == 1, "ac"]
        place = list(named).index(name)
        axes[2].broken_barh([(ac - 0.5, 1.0) for ac in ahead], (place - 0.35, 0.7), color=look.colour)
    axes[0].set_ylabel("DPR (damage points per round)")
    axes[0].set_ylim(bottom=0.0)
    axes[1].set_ylabel("ahead of the best other\nbuild (points per round)")
    axes[1].axhline(0.0, color="0.4", linewidth=0.8)
    axes[2].set_yticks(range(len(named)), list(map(written, shorts(list(named), 26))), fontsize="small")
    axes[2].set_ylim(len(named) - 0.5, -0.5)
    axes[2].set_ylabel("leads")
    axes[2].set_xlabel("armor class (AC)")
    whole_ticks(axes[2])
    axes[2].set_xlim(frame["ac"].min() - 0.5, frame["ac"].max() + 0.5)
    tidy(*axes)
    marks = Landmarks(flips=tuple(sorted(set(frame["flip"].dropna()))), own=tuple(sorted(set(frame.loc[frame["own"] == 1, "ac"]))))
    exact = f"lines: exact, points: {SIMULATED} (differences: paired)" if simulated else "exact"
    axes[0].set_title("\n".join(filter(None, (exact, mark(axes, marks)))), fontsize="medium", color="0.3", loc="left")
    legend(drawing, named)
    return drawing


def creature_figure(frame: pd.DataFrame, *, figure: str = "hits") -> Picture:
    """DPR and expected hits (or another figure) before each creature and all of them weighed, a marker a build; simulated points with error bars.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.curve` or `analyzer.compare` before a table of creatures.
    figure
        As in `sweep_figure`.
    """
    labels_of = _labels(frame)
    _check(figure, labels_of)
    names = list(dict.fromkeys(frame["against"]))[:_MOST_ROWS]
    shown = frame[frame["against"].isin(names)]
    labels = [_creature(name, shown.loc[shown["against"] == name, "ac"]) for name in names]
    drawing = Picture(figsize=(10.0, 1.9 + 0.42 * len(names)), layout="constrained")
    axes = drawing.subplots(1, 2, sharey=True, width_ratios=[3.0, 2.0])
    builds = looks(shown["build"])
    step = 0.7 / max(len(builds), 1)
    for panel, column, label in ((axes[0], "dpr", "DPR (damage points per round)"), (axes[1], figure, labels_of[figure])):
        for k, (name, look) in enumerate(builds.items()):
            rows = shown[shown["build"] == name]
            y = rows["against"].map({one: i for i, one in enumerate(names)}) + step * (k - (len(builds) - 1) / 2.0)
            panel.barh(y, rows[column], height=0.85 * step, color=look.colour, alpha=0.45)
            bars(panel, rows, column, y, fmt=look.marker, color=look.colour, capsize=2)
        panel.set_xlabel(label)
        if column not in _DIFFERENCE:
            panel.set_xlim(left=0.0)
    tidy(*axes)
    axes[0].set_yticks(range(len(names)), labels)
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    handles = [Patch(color=look.colour, alpha=0.45, label=written(name)) for name, look in builds.items()]
    drawing.legend(handles=handles, loc="outside upper center", ncols=min(2, len(handles)), frameon=False)
    more = len(set(frame["against"])) - len(names)
    caption = _caption(frame).replace("lines", "bars") + (f"; {more} more creatures not shown" if more else "")
    axes[0].set_title(caption, fontsize="medium", color="0.3", loc="left")
    return drawing


def _creature(name: str, acs: pd.Series[float]) -> str:
    """A creature's name with its armor class, those of several defences that builds aim at being told apart."""
    known = sorted(set(acs.dropna().astype(int)))
    return written(str(name)) + (f", AC {'/'.join(map(str, known))}" if known else "")


def _labels(frame: pd.DataFrame) -> dict[str, str]:
    """The figures a second panel may show."""
    return _LABELS | (_DIFFERENCE if "difference" in frame else {})


def _from_zero(panel: Axes, column: str) -> None:
    """The axis begins at zero; of a difference, zero is a line."""
    if column in _DIFFERENCE:
        panel.axhline(0.0, color="0.4", linewidth=0.8)
    else:
        panel.set_ylim(bottom=0.0)


def _check(figure: str, known: Mapping[str, str]) -> None:
    if figure not in known:
        raise ValueError(f"figure must be one of {', '.join(map(repr, known))}; got {figure!r}")


def _panels(frame: pd.DataFrame, x: str, label: str, figure: str, marks: Landmarks) -> Picture:
    simulated = "dpr_mc" in frame
    drawing = Picture(figsize=(9.0, 8.4 if simulated else 7.0), layout="constrained")
    ratios = [3.0, 2.0, 1.0] if simulated else [3.0, 2.0]
    axes = drawing.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
    _lines(axes[0], frame, x, "dpr")
    axes[0].set_ylabel("DPR (damage points per round)")
    _lines(axes[1], frame, x, figure)
    axes[1].set_ylabel(_labels(frame)[figure])
    for panel, column in zip(axes[:2], ("dpr", figure), strict=True):
        _from_zero(panel, column)
    if simulated:
        _differences(axes[2], frame, x)
    tidy(*axes)
    axes[-1].set_xlabel(label)
    whole_ticks(axes[-1])
    axes[-1].set_xlim(frame[x].min() - 0.5, frame[x].max() + 0.5)
    legend(drawing, looks(frame["build"]), alone=True)
    caption = "\n".join(filter(None, (_caption(frame), mark(axes, marks))))
    axes[0].set_title(caption, fontsize="medium", color="0.3", loc="left")
    return drawing


_LABELS = {
    "hits": "expected hits per round",
    "crits": "expected criticals per round",
    "any_hit": "chance of at least one hit",
    "any_crit": "chance of at least one critical",
    "no_damage": "chance of no damage",
}
_DIFFERENCE = {"difference": "difference of DPR\n(points per round)"}


def _caption(frame: pd.DataFrame) -> str:
    if "dpr_mc" not in frame:
        return "exact"
    trials = getattr(frame, "trials", None)
    rounds = f", {trials:,} rounds a point" if trials else ""
    if "trials" in frame:
        fewest, most = frame["trials"].min(), frame["trials"].max()
        rounds = f", {fewest:,} to {most:,} rounds a point" if fewest < most else rounds
    return f"lines: exact, points: {SIMULATED}{rounds}"


def _lines(axes: Axes, frame: pd.DataFrame, x: str, column: str) -> None:
    for _, rows, look in by_build(frame):
        axes.plot(rows[x], rows[column], **look.line(linewidth=1.4, marker=None if f"{column}_mc" in frame else look.marker))
        points(axes, rows[x], rows, column, look)


def _differences(axes: Axes, frame: pd.DataFrame, x: str) -> None:
    for _, rows, look in by_build(frame):
        axes.plot(rows[x], rows["dpr_z"].astype(float), color=look.colour, marker=look.marker, markersize=3, linestyle="none")
    axes.axhline(0.0, color="0.4", linewidth=0.8)
    axes.axhspan(-2.0, 2.0, color="0.93", zorder=0)
    largest = float(frame["dpr_z"].astype(float).abs().max() or 0.0)
    limit = max(4.0, 1.1 * largest)
    axes.set_ylim(-limit, limit)
    axes.set_ylabel("engines apart\n(standard errors)" if "difference" in frame else "DPR difference\n(standard errors)")


def _single(frame: pd.DataFrame, figure: str) -> Picture:
    """One armor class: a bar a build for the exact figures, a point with its error bar for the simulated ones."""
    names = frame["build"].tolist()
    drawing = Picture(figsize=(10.0, 1.9 + 0.5 * len(names)), layout="constrained")
    axes = drawing.subplots(1, 2, sharey=True)
    rows = range(len(names))
    colours = [colour for _, colour in zip(names, cycle(COLOURS), strict=False)]
    for panel, column, label in ((axes[0], "dpr", "DPR (damage points per round)"), (axes[1], figure, _labels(frame)[figure])):
        panel.barh(rows, frame[column], color=colours, alpha=0.45, height=0.6)
        bars(panel, frame, column, rows)
        panel.set_xlabel(label)
        if column not in _DIFFERENCE:
            panel.set_xlim(left=0.0)
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(list(rows), list(map(written, names)))
    axes[0].invert_yaxis()
    drawing.suptitle(f"AC {frame['ac'].iloc[0]} \N{EN DASH} {_caption(frame).replace('lines', 'bars')}", fontsize="medium", color="0.3")
    return drawing
