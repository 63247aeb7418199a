"""Runs every benchmark and writes what they found as a page and a figure: `python -m benchmarks.report`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import pytest

from benchmarks import bars, fresh, test_games
from benchmarks.bars import Fresh
from benchmarks.figure import figure
from benchmarks.numpy_games import GAMES
from benchmarks.ours import KERNEL
from benchmarks.results import Bench, Results, shown

FOLDER = Path(__file__).parent
_MET = {True: "yes", False: "**no**", None: "?"}
LIBRARIES = ("numpy", "numba", "icepool", "dyce", "pathfinder2e_stats", "pytest-benchmark")

HEAD = """# Benchmarks

Written by `python -m benchmarks.report`. Everything below comes from one run in one process (start-up and memory from processes it starts); results were
checked against the exact engine before they were timed, kernels were compiled, every round had a fresh seed. *Time* is for the same amount of work, in times
of the bold row of the same table, by the quickest of the rounds. What runs on one thread is timed by CPU time, which other processes disturb less. Absolute
numbers belong to the machine and its mood; the ratios travel better.

![The results as a figure](results.png)

The peers are in this folder: [naive NumPy](numpy_naive.py), [NumPy at its best](numpy_best.py) for the reference, [for every game](numpy_games.py), and
[what both are made of](numpy_tools.py), [scalar Numba](numba_scalar.py), [pathfinder2e_stats](pathfinder2e_peer.py), [icepool](icepool_sweep.py) and
[a fight by it](icepool_fight.py), [dyce](dyce_sweep.py). *NumPy at its best* is written by hand for one build each: it knows which floors never bind and
which dice cannot matter, plays attacks alike as one stack, and rolls as fair dice as the kernel. It keeps totals, hits x criticals, and counts, sums and
squares of hits and criticals; the kernel also tells misses from critical misses and counts threats. Its dice are one stream: they depend on the size of a
block and can be neither split over threads nor shared between ACs. The naive peers and `play_light` count totals, hits and criticals alone.
"""


def measured(path: Path, *, big: bool) -> Results:
    """What pytest-benchmark found; exits with pytest's code when a benchmark fails."""
    code = pytest.main([str(FOLDER), "-q", "-p", "no:randomly", "--benchmark-quiet", f"--benchmark-json={path}", *(["--big"] if big else [])])
    if code:
        raise SystemExit(int(code))
    return Results.read(path)


def fresh_processes(*, big: bool) -> Fresh:
    """What fresh processes tell."""
    return Fresh(
        starts=fresh.medians(fresh.STARTS, times=9),
        cold=fresh.cold(),
        memory={rounds: fresh.peak_memory(rounds) for rounds in (10**6, 10**8, *((10**9,) if big else ()))},
        heavy=fresh.heavy_imports(),
    )


def page(results: Results, found: Fresh, load: tuple[float, float], minutes: float) -> str:
    """The results as Markdown."""
    rest = {group: benches for group, benches in results.groups().items() if group != test_games.GROUP}
    tables = ("\n".join(table(group, benches)) for group, benches in rest.items())
    return "\n".join((HEAD, *machine(results, load, minutes), "", *asked(results, found), *games(results), *started(found), *tables))


def machine(results: Results, load: tuple[float, float], minutes: float) -> Iterator[str]:
    """Where, with what and on which commit it ran."""
    info, commit = results.machine, results.commit
    changed = ", with uncommitted changes" if commit.get("dirty") else ""
    yield f"- Machine: {info['cpu'].get('brand_raw', info['processor'])}, {info['cpu'].get('count', '?')} cores, {info['system']} {info['machine']}"
    yield f"- Versions: Python {info['python_version']}, " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    yield f"- Commit: {commit['id']}{changed}"
    yield f"- Date: {results.date[:10]}, {minutes:.1f} minutes; load average {load[0]:.1f} before, {load[1]:.1f} after"


def asked(results: Results, found: Fresh) -> Iterator[str]:
    """The bars."""
    yield "## The bars\n"
    yield "| bar | measured | met |"
    yield "|---|---|:-:|"
    for bar in bars.bars(results, found):
        yield f"| {bar.asked} | {bar.measured} | {_MET[bar.met]} |"
    yield ""


def games(results: Results) -> Iterator[str]:
    """The kernel beside NumPy, a row per game and build."""
    yield f"## {test_games.GROUP}\n"
    yield "NumPy at its best does the same work, [written by hand](numpy_games.py).\n"
    yield "| example: build | what it needs | analyzer, attacks per second | NumPy | ratio |"
    yield "|---|---|--:|--:|--:|"
    for name, ratio in sorted(bars.game_ratios(results).items(), key=lambda item: -item[1]):
        rates = (shown(results.one(test_games.GROUP, f"{name} | {method}").rate) for method in (KERNEL, test_games.NUMPY))
        yield f"| {name} | {GAMES[name].mechanism} | {' | '.join(rates)} | {ratio:.2f}x |"
    yield ""


def started(found: Fresh) -> Iterator[str]:
    """Start-up, in seconds."""
    yield "## Fresh processes: medians of nine, taking turns\n"
    yield "| process | CPU | wall |"
    yield "|---|--:|--:|"
    for name, cost in found.starts.items():
        yield f"| {name} | {cost.cpu:.2f} s | {cost.wall:.2f} s |"
    yield f"| every kernel into an empty cache, once | {found.cold.cpu:.1f} s | {found.cold.wall:.1f} s |"
    yield ""


def table(group: str, benches: list[Bench]) -> Iterator[str]:
    """One group, quickest first, or along its axis."""
    (base,) = (bench for bench in benches if bench.base)
    placed = all(bench.at is not None for bench in benches)
    yield f"## {group}\n"
    yield f"| method | time | {base.unit}s per second |"
    yield "|---|--:|--:|"
    for bench in sorted(benches, key=lambda one: (one.at or 0, -one.rate) if placed else -one.rate):
        name = f"{bench.method}, {bench.at:,}" if placed else bench.method
        told = f"**{name}** | 1" if bench is base else f"{name} | {base.rate / bench.rate:.3g}x"
        yield f"| {told} | {shown(bench.rate)} |"
    yield ""


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER / "RESULTS.md", help="where the page goes, results.png beside it (default: %(default)s)")
    parser.add_argument("--big", action="store_true", help="10^9 rounds too, about a minute more")
    arguments = parser.parse_args()
    output: Path = arguments.output
    before, started_at = os.getloadavg()[0], perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        results = measured(Path(folder) / "benchmarks.json", big=arguments.big)
    found = fresh_processes(big=arguments.big)
    text = page(results, found, (before, os.getloadavg()[0]), (perf_counter() - started_at) / 60)
    output.write_text(text, encoding="utf-8")
    figure(results).savefig(output.with_name("results.png"), dpi=110)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
