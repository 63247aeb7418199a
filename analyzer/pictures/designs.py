"""The figure of designs: the damage of the first of them, over armor class, by creature, or as bars."""

from __future__ import annotations

import pandas as pd

from analyzer.pictures.drawing import Picture, along, bars, faces, foe_axis, looks, points, tidy, written


def designs_figure(frame: pd.DataFrame) -> Picture:
    """DPR of the first eight designs.

    Parameters
    ----------
    frame : DataFrame
        Rows of `analyzer.grid`.
    """
    drawing = Picture(figsize=(9.0, 5.6), layout="constrained")
    axes = drawing.subplots()
    several = len(set(frame["build"])) > 1
    called = frame["build"].astype(str) + ": " + frame["what"].astype(str) if several else frame["what"].astype(str)
    named = looks(called.drop_duplicates().head(8).tolist())
    shown = frame[called.isin(named)]
    single = shown.groupby(called[shown.index], sort=False).size().max() == 1
    for i, (what, look) in enumerate(named.items()):
        rows = shown[called[shown.index] == what]
        if single:
            axes.barh([i], rows["dpr"], color=look.colour, alpha=0.5, height=0.6)
            bars(axes, rows, "dpr", [i])
        else:
            axes.plot(along(rows), rows["dpr"], label=written(what), **look.line())
            points(axes, along(rows), rows, "dpr", look)
    best = "" if called.nunique() <= len(named) else f", the first {len(named)} of {called.nunique()}"
    if single:
        axes.set_yticks(range(len(named)), [written(what) for what in named])
        axes.invert_yaxis()
        axes.set_xlabel(f"DPR (damage points per round) against {faces(shown)[0]}")
    else:
        axes.set_ylabel("DPR (damage points per round)")
        axes.legend(frameon=False, title="values")
        foe_axis(axes, shown[called[shown.index] == next(iter(named))])
    axes.set_title(f"{'designs' if several else written('designs of ' + frame['build'].iloc[0])} by DPR{best}", loc="left", fontsize="medium", color="0.3")
    tidy(axes)
    return drawing
