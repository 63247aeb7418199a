"""Simulation: sides played by the kernel on any number of workers, piece by piece, and added up."""

from __future__ import annotations

import hashlib
import pickle
import sys
import zlib
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer import plan as plan_module
from analyzer.montecarlo import kernel as k
from analyzer.montecarlo import pool
from analyzer.montecarlo.ledger import Enough, Ledger, Piece, Progress, Result
from analyzer.montecarlo.lower import Lowered, lower, lower_sweep
from analyzer.montecarlo.tally import Tally, empty_arrays, freeze
from analyzer.montecarlo.warm import start_warm
from analyzer.plan import Plan, Target, sweep

#: Trials of one kernel call.
CHUNK = 2**17
BLOCK = 8192
MAX_TRIALS = 2**40
#: How long a piece of work should take, here and where it has to be sent.
SECONDS, SECONDS_AWAY = 0.1, 0.5
#: ACs from which one pass over a whole sweep is quicker than one for each; measured, it breaks even at 2 to 3.
SWEPT = 4
#: Sides whose programs a process keeps.
KEPT = 64

#: Bytes of a fingerprint.
_FINGERPRINT = 16

#: The ways into the kernel: rounds against one armor class, and against a whole sweep.
ENTRIES = (k.run_blocks, k.sweep_blocks)
for _entry in ENTRIES:
    start_warm(_entry)


def key_of(seed: int) -> np.uint64:
    """The 64-bit key of the counter-based generator: the first 8 bytes of the BLAKE2b hash of the seed's decimal digits.

    Raises
    ------
    ValueError
        A negative seed.
    """
    if seed < 0:
        raise ValueError(f"seed must be a non-negative integer; got {seed}")
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def check_trials(trials: int) -> None:
    """Refuse a number of trials that is not 1 to 2**40."""
    if not 1 <= trials <= MAX_TRIALS:
        raise ValueError(f"trials must be 1 to {MAX_TRIALS}; got {trials}")


def compiled(*, sweeps: bool = True) -> bool:
    """Whether the kernel is compiled in this process or on disk, so that a simulation starts at once; that of whole sweeps too, if they are asked about."""
    return all(_compiled(function) for function in (ENTRIES if sweeps else ENTRIES[:1]))


def _compiled(function: Any) -> bool:  # noqa: ANN401 - Numba's functions have no type
    code = function.py_func.__code__
    index = f"kernel.{code.co_name}-{code.co_firstlineno}.py{sys.version_info.major}{sys.version_info.minor}*.nbi"
    return bool(function.signatures) or any(Path(function.stats.cache_path or ".").glob(index))


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One piece of work: some consecutive trials of one program."""

    lowered: Lowered
    seed: int
    first: int
    trials: int
    block: int
    #: (n_ac, n_rows, 4) the thresholds of every AC of a sweep that is played in one pass
    sweep: NDArray[np.int64] | None = None


def play(job: Job) -> Tally:
    """The tally of one job. Picklable, so that any executor can run it."""
    arrays = empty_arrays(job.lowered)
    # Totals and their squares stay below 2**63 within one kernel call.
    most = max(1, 2**62 // max(1, job.lowered.highest) ** 2)
    result: Tally | None = None
    for first in range(job.first, job.first + job.trials, most):
        trials = min(most, job.first + job.trials - first)
        k.run(job.lowered.program, key_of(job.seed), first, trials, min(job.block, trials), 0, arrays, k.nothing_recorded())
        if trials < job.trials:
            part = freeze(job.lowered, trials, arrays)
            result = part if result is None else result + part
            arrays = empty_arrays(job.lowered)
    return freeze(job.lowered, job.trials, arrays) if result is None else result


def play_sweep(job: Job) -> tuple[Tally, ...]:
    """The tallies of a job's sweep, one per AC: each die is rolled once for all of them, and the tallies are those of a job per AC."""
    rows = np.empty((0, 0, 4), np.int64) if job.sweep is None else job.sweep
    most = max(1, 2**62 // max(1, job.lowered.highest) ** 2)
    result: tuple[Tally, ...] | None = None
    for first in range(job.first, job.first + job.trials, most):
        trials = min(most, job.first + job.trials - first)
        arrays = k.Tallies(*(np.zeros((len(rows), *array.shape), np.int64) for array in empty_arrays(job.lowered)))
        k.run_sweep(job.lowered.program, rows, key_of(job.seed), first, trials, min(job.block, trials), 0, arrays)
        parts = tuple(freeze(job.lowered, trials, k.Tallies(*(array[i] for array in arrays))) for i in range(len(rows)))
        result = parts if result is None else tuple(a + b for a, b in zip(result, parts, strict=True))
    return result or ()


@lru_cache(maxsize=KEPT)
def program_of(plan: Plan, target: Target, defences: tuple[int, ...]) -> Lowered:
    """What `lower` makes of a plan and a target, kept for the next call; its arrays are read only, by everyone."""
    return lower(plan, target, defences)


@cache
def fingerprint() -> bytes:
    """What tells this simulation from that of another version: 16 bytes of the hash of its source."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(plan_module.__file__)]
    return hashlib.blake2b(b"".join(source.read_bytes() for source in sources), digest_size=_FINGERPRINT).digest()


@lru_cache(maxsize=KEPT)
def _programs(program: bytes, acs: tuple[int, ...]) -> tuple[tuple[Lowered, NDArray[np.int64] | None], ...]:
    """The programs of a side, made once by each process that plays it: one for the whole sweep where the plan allows, else one per AC."""
    if program[:_FINGERPRINT] != fingerprint():
        raise ValueError("executor must have workers with the same version of analyzer as this process; got one with another")
    plan, target = pickle.loads(zlib.decompress(program[_FINGERPRINT:]))  # noqa: S301 - packed by `simulate_sides`, and sent by it alone
    defences = [[int(d) for d in row] for row in sweep(plan, target, acs)]
    together = lower_sweep(plan, target, defences) if len(acs) >= SWEPT else None
    return tuple((lower(plan, target, row), None) for row in defences) if together is None else (together,)


def perform(piece: Piece) -> Result:
    """What a piece comes to. Picklable, so that any executor can run it; a piece gives the same tallies wherever and however often it is played."""
    start = perf_counter()
    tallies: list[Tally] = []
    for lowered, rows in _programs(piece.program, piece.acs):
        job = Job(lowered=lowered, seed=piece.seed, first=piece.first, trials=piece.trials, block=piece.block, sweep=rows)
        tallies += (play(job),) if rows is None else play_sweep(job)
    return Result(tuple(tallies), perf_counter() - start)


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """What a run of several sides came to."""

    #: per side a tally per AC, in the order asked for; None where a run cut short has nothing
    tallies: tuple[tuple[Tally | None, ...], ...]
    #: whether the run was interrupted
    partial: bool
    #: (side, AC) that were played as often as allowed before they had enough
    missed: tuple[tuple[int, int], ...]


def simulate_sides(
    sides: Sequence[tuple[Plan, Target, Sequence[int]]],
    *,
    trials: int,
    seed: int,
    enough: Enough | None = None,
    workers: int = 1,
    block: int = BLOCK,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """Tallies of simulated rounds of several sides, in one pool; the same bytes for a seed whatever the workers, the executor or the block.

    An interrupt (Ctrl-C) ends the run with what has been played so far.

    Parameters
    ----------
    sides : sequence of (Plan, Target, (n_ac,) integers)
        What is played against what, at which values of the swept defence; all sides and ACs see the same dice (common random numbers).
    trials : int
        Rounds per side and AC, 1 to 2**40; with ``enough`` the most.
    seed : int
        Any non-negative integer.
    enough : callable, optional
        Given a side's place, an AC and its tally at a checkpoint (2**16 trials, then alternately a half and a third more): whether this AC may stop.
    workers : int
        Threads; the kernel releases the GIL. With an executor, how many pieces it can run at a time, where it does not tell.
    block : int
        Trials the kernel holds at a time; changes speed only.
    executor : Executor, optional
        Where to run instead of threads of this process: a process pool, a Dask ``Client.get_executor()``. What a lost worker had is played again.
    progress : callable, optional
        Called with the number of rounds just finished.

    Raises
    ------
    ValueError
        ``trials``, ``workers``, ``block`` or ``seed`` out of range, or a worker with another version of this package.
    """
    check_trials(trials)
    for name, value, high in (("workers", workers, 1024), ("block", block, 2**20)):
        if not 1 <= value <= high:
            raise ValueError(f"{name} must be 1 to {high}; got {value}")
    key_of(seed)
    packed = [fingerprint() + zlib.compress(pickle.dumps((plan, target))) for plan, target, _ in sides]
    played = [tuple(int(ac) for ac in acs) for _, _, acs in sides]
    ledger = Ledger(
        list(zip(packed, played, strict=True)),
        trials=trials,
        seed=seed,
        block=block,
        enough=enough,
        width=pool.width(executor, workers),
        seconds=SECONDS if executor is None else SECONDS_AWAY,
        progress=progress,
    )
    partial = False
    try:
        pool.run(perform, ledger, workers=workers, executor=executor)
    except KeyboardInterrupt:
        partial = True
    tallies = tuple(tuple(ledger.tallies(place).get(ac) for ac in acs) for place, acs in enumerate(played))
    return Simulated(tallies=tallies, partial=partial, missed=tuple(sorted(ledger.missed)))


def simulate(
    plan: Plan,
    target: Target,
    acs: Sequence[int],
    *,
    trials: int,
    seed: int,
    workers: int = 1,
    block: int = BLOCK,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> tuple[Tally, ...]:
    """Tallies of simulated rounds of one side, one per AC: `simulate_sides` of it alone.

    Raises
    ------
    ValueError
        ``trials``, ``workers``, ``block`` or ``seed`` out of range.
    KeyboardInterrupt
        When it is interrupted.
    """
    found = simulate_sides([(plan, target, acs)], trials=trials, seed=seed, workers=workers, block=block, executor=executor, progress=progress)
    whole = [tally for tally in found.tallies[0] if tally is not None]
    if found.partial:
        raise KeyboardInterrupt
    return tuple(whole)
