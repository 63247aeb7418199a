"""The results as one figure."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import test_reference, test_sweep
from benchmarks.bars import game_ratios
from benchmarks.ours import KERNEL
from benchmarks.results import Results

_OURS, _PEER, _GRID = "#1f5fa8", "#9aa5b1", "#e3e7eb"
_SHORT = {
    KERNEL: "analyzer",
    test_reference.BEST: "NumPy at its best",
    test_reference.LIGHT: "NumPy at its best,\ntotals alone",
    test_reference.SCALAR: "Numba, scalar",
    test_reference.NAIVE: "NumPy, int64",
    test_reference.NAIVE_SMALL: "NumPy, int64, small",
    test_reference.WORD: "one raw word each",
}
_LINES = {KERNEL: _OURS, test_reference.BEST: "#d1811a", test_reference.SCALAR: "#5f9e3a", test_reference.NAIVE: "#8b5fb0"}


def figure(results: Results) -> Figure:
    """Throughput by method and by game, time by rounds, threads, attacks and dice."""
    drawn = Figure(figsize=(13, 10.5), layout="constrained")
    methods, rounds, games, threads, attacks, dice = drawn.subplots(3, 2, height_ratios=(1, 1.25, 1)).ravel()
    _methods(methods, results)
    _lines(rounds, results, test_reference.TIME, "rounds", "Time, reference at AC 28", seconds=True)
    _games(games, results)
    _threads(threads, results)
    _lines(attacks, results, test_reference.ATTACKS, "attacks a round", "Throughput by attacks a round")
    _lines(dice, results, test_reference.DICE, "extra d6 on each hit", "Throughput by dice")
    return drawn


def _clean(axes: Axes, title: str, grid: str) -> None:
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color=_GRID)
    axes.set_axisbelow(True)


def _methods(axes: Axes, results: Results) -> None:
    group = results.groups()[test_reference.group(28)]
    ordered = sorted((bench for bench in group if bench.method != test_reference.WORD), key=lambda bench: bench.rate)
    rates = [bench.rate / 1e6 for bench in ordered]
    bars = axes.barh([_SHORT[bench.method] for bench in ordered], rates, color=[_OURS if bench.method == KERNEL else _PEER for bench in ordered])
    axes.bar_label(bars, [f"{rate:.3g}" for rate in rates], padding=3, fontsize=9)
    axes.set_xlabel("million attacks per second")
    axes.margins(x=0.12)
    _clean(axes, "Reference at AC 28, one thread", "x")


def _games(axes: Axes, results: Results) -> None:
    ratios = dict(sorted(game_ratios(results).items(), key=lambda item: item[1]))
    bars = axes.barh(list(ratios), list(ratios.values()), color=[_OURS if ratio >= 1 else _PEER for ratio in ratios.values()])
    axes.bar_label(bars, [f"{ratio:.2f}" for ratio in ratios.values()], padding=3, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.axvline(2, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlabel("times the rate of NumPy at its best (dashed: the bar)")
    _clean(axes, "Every game and option, one thread", "x")


def _threads(axes: Axes, results: Results) -> None:
    (line,) = ([(bench.at, bench.rate / 1e6) for bench in benches] for benches in _by_axis(results))
    bars = axes.bar([str(at) for at, _ in line], [rate for _, rate in line], width=0.5, color=_OURS)
    axes.bar_label(bars, [f"{rate:.3g}" for _, rate in line], padding=3, fontsize=9)
    axes.set_ylabel("million attacks per second")
    axes.set_xlabel("threads")
    axes.margins(y=0.12)
    _clean(axes, "Threads, reference at AC 28", "y")


def _by_axis(results: Results):
    lines = results.lines(test_sweep.THREADS)
    return [[bench for benches in lines.values() for bench in benches]]


def _lines(axes: Axes, results: Results, group: str, along: str, title: str, *, seconds: bool = False) -> None:
    for method, benches in results.lines(group).items():
        values = [bench.seconds if seconds else bench.rate / 1e6 for bench in benches]
        axes.plot([bench.at for bench in benches], values, marker="o", markersize=4, color=_LINES[method], label=_SHORT[method])
    axes.set_xlabel(along)
    if seconds:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylabel("seconds")
    else:
        axes.set_ylim(bottom=0)
        axes.set_ylabel("million attacks per second")
        axes.set_xticks(sorted({bench.at for benches in results.lines(group).values() for bench in benches}))
    axes.legend(frameon=False, fontsize=9)
    _clean(axes, title, "both" if seconds else "y")
