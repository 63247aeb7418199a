"""What the benchmarks must show, beside what they showed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from benchmarks import fresh, test_exact, test_fight, test_games, test_grid, test_means, test_pathfinder2e, test_reference, test_sweep
from benchmarks.fresh import Cost
from benchmarks.numpy_games import GAMES
from benchmarks.ours import KERNEL
from benchmarks.results import Results

#: Threads are judged while other processes use less than this of a core.
_QUIET = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Fresh:
    """What fresh processes told."""

    starts: dict[str, Cost]
    cold: Cost
    #: rounds and peak bytes
    memory: dict[int, int]
    heavy: list[str]


@dataclass(frozen=True, slots=True)
class Bar:
    """One line: what is asked, what was measured, whether that meets it (None: cannot be told from this run)."""

    asked: str
    measured: str
    met: bool | None


def game_ratios(results: Results) -> dict[str, float]:
    """The kernel's rate in those of NumPy at its best, by game and build."""
    return {name: results.quicker(test_games.GROUP, f"{name} | {KERNEL}", f"{name} | {test_games.NUMPY}") for name in GAMES}


def bars(results: Results, found: Fresh) -> Iterator[Bar]:
    """Every bar a benchmark can answer, in order."""
    at28, at15 = test_reference.group(28), test_reference.group(15)
    naive = min(results.quicker(at28, KERNEL, peer) for peer in (test_reference.NAIVE, test_reference.NAIVE_SMALL))
    yield Bar("AC 28: >= 20x naive int64 NumPy (aim 35x)", f"{naive:.1f}x the quicker of two sizes", naive >= 20)
    best, light = (results.quicker(at28, KERNEL, peer) for peer in (test_reference.BEST, test_reference.LIGHT))
    yield Bar(
        "AC 28: >= 2.2x the best NumPy (aim 4x)",
        f"{best:.2f}x with the kernel's tallies and fair dice; {light:.2f}x with totals alone and 16-bit dice",
        best >= 2.2,
    )
    scalar = results.quicker(at28, KERNEL, test_reference.SCALAR)
    yield Bar("AC 28: >= 5.5x scalar Numba with `np.random` (aim 10x)", f"{scalar:.1f}x", scalar >= 5.5)
    peer = min(results.quicker(test_pathfinder2e.GROUP, KERNEL, one) for one in test_pathfinder2e.PEERS)
    yield Bar(">= 40x `pathfinder2e_stats` on its own rules (aim 70x)", f"{peer:.0f}x the quicker of two sizes", peer >= 40)
    words = 1 / results.quicker(at28, KERNEL, test_reference.WORD)
    yield Bar("AC 28: an attack <= 3 raw words of SFC64 (aim 1.5)", f"{words:.2f} words", words <= 3)
    slower = results.one(at15, KERNEL).rate / results.one(at28, KERNEL).rate
    yield Bar("AC 15: >= 0.65 of the rate at AC 28", f"{slower:.2f}", slower >= 0.65)
    ratios = game_ratios(results)
    enough = sum(ratio >= 2 for ratio in ratios.values())
    yield Bar(
        "Every other system and option: >= 2x the best NumPy",
        f"{min(ratios.values()):.2f}x to {max(ratios.values()):.2f}x, median {median(ratios.values()):.2f}x; {enough} of {len(ratios)} at 2x",
        enough == len(ratios),
    )
    for group, limit, aim in ((test_sweep.SWEEP, 12, " (aim 6x)"), (test_sweep.STATES, 31, "")):
        times = 1 / results.quicker(group, test_sweep.ALL, test_sweep.ONE)
        what = "31 ACs" + (" with states" if group == test_sweep.STATES else "")
        yield Bar(f"{what}: <= {limit}x a single AC{aim}", f"{times:.1f}x; columns byte-identical to single runs (checked)", times <= limit)
    threads = results.quicker(test_sweep.THREADS, "2 threads", "1 thread")
    others = max(results.one(test_sweep.THREADS, method).others or 0 for method in ("1 thread", "2 threads"))
    told = f"{threads:.2f}x" + (f"; not judged, other processes used {others:.1f} cores meanwhile" if others > _QUIET else "")
    yield Bar("Two threads: >= 1.8x one", told, threads >= 1.8 if others <= _QUIET else None)
    rounds, peak = max(found.memory.items())
    told = ", ".join(f"{bytes_ / 1e6:.0f} MB at 10^{len(str(n)) - 1}" for n, bytes_ in found.memory.items())
    unsaid = "" if rounds >= 10**9 else " (10^9 with `--big`)"
    yield Bar("10^9 rounds: peak RSS of the process < 300 MB", told + unsaid, peak < 300e6)
    starts = found.starts
    first, asked = (starts[name].cpu - starts[fresh.NUMBA].cpu for name in (fresh.FIRST, fresh.ASKED))
    for what, seconds in (("`montecarlo.simulate`", first), ("`analyzer.compare` with its DataFrame", asked)):
        yield Bar(f"Warm first simulation, {what}: <= 0.5 s above `import numpy, numba`", f"{seconds:.2f} s", seconds <= 0.5)
    yield Bar("All kernels cold: <= 20 s", f"{found.cold.cpu:.1f} s of CPU ({found.cold.wall:.1f} s of wall time)", found.cold.cpu <= 20)
    yield Bar("`import analyzer` brings none of " + ", ".join(fresh.HEAVY), ", ".join(found.heavy) or "none", not found.heavy)
    for name, limit in ((fresh.HELP, 3.5), (fresh.ANSWER, 5)):
        times = starts[name].cpu / starts[fresh.TYPER].cpu
        yield Bar(f"{name}: <= {limit}x {fresh.TYPER}", f"{times:.2f}x", times <= limit)
    exact = results.quicker(test_exact.GROUP, test_exact.ENGINE, test_exact.ICEPOOL)
    dyce = results.quicker(test_exact.GROUP, test_exact.ENGINE, test_exact.DYCE)
    yield Bar("Exact, 41 ACs: >= 400x icepool (aim 1,000x)", f"{exact:.0f}x the quicker of two ways; {dyce:.0f}x dyce", exact >= 400)
    cells = results.one(test_means.GROUP, test_means.LOWERED).rate
    plain, dice = (results.quicker(test_means.GROUP, test_means.LOWERED, peer) for peer in (test_means.NUMPY, test_means.ICEPOOL))
    yield Bar(
        "Means alone, plans in arrays: >= 5 M cells (build, AC) a second on one core",
        f"{cells / 1e6:.0f} M; {plain:.0f}x NumPy a build at a time, {dice:,.0f}x icepool",
        cells >= 5e6,
    )
    whole = results.one(test_grid.GROUP, test_grid.GRID).rate
    yield Bar("A grid from builds to DataFrame: >= 0.5 M cells a second", f"{whole / 1e6:.2f} M", whole >= 0.5e6)
    fight = results.quicker(test_fight.GROUP, test_fight.ENGINE, test_fight.ICEPOOL)
    yield Bar("Dead by each of 12 rounds: >= 1,000x icepool's `time_to_sum`", f"{fight:,.0f}x", fight >= 1000)
