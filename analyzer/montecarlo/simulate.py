"""Simulation: trials cut into chunks, played by the kernel on any number of workers, and added up."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.lower import Lowered, lower
from analyzer.montecarlo.tally import Tally, empty_arrays, freeze
from analyzer.plan import Plan, Target, sweep

#: Trials of one kernel call.
CHUNK = 2**17
BLOCK = 8192
MAX_TRIALS = 2**40

Progress = Callable[[int], None]


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


def compiled() -> bool:
    """Whether the kernel is compiled in this process or on disk, so that a simulation starts at once."""
    index = f"kernel.run-{k.run.py_func.__code__.co_firstlineno}.py{sys.version_info.major}{sys.version_info.minor}*.nbi"
    return bool(k.run.signatures) or any(Path(k.run.stats.cache_path or ".").glob(index))


def nothing_recorded() -> k.Recorder:
    """A recorder that writes nothing down."""
    return k.Recorder(
        total=np.zeros(0, np.int64),
        degree=np.zeros((0, 0), np.int64),
        damage=np.zeros((0, 0), np.int64),
        log=np.zeros((0, 0, 5), np.int32),
        log_length=np.zeros(0, np.int64),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One piece of work: some consecutive trials of one program."""

    lowered: Lowered
    seed: int
    first: int
    trials: int
    block: int


def play(job: Job) -> Tally:
    """The tally of one job. Picklable, so that any executor can run it."""
    arrays = empty_arrays(job.lowered)
    # Totals and their squares stay below 2**63 within one kernel call.
    most = max(1, 2**62 // max(1, job.lowered.highest) ** 2)
    result: Tally | None = None
    for first in range(job.first, job.first + job.trials, most):
        trials = min(most, job.first + job.trials - first)
        k.run(job.lowered.program, key_of(job.seed), first, trials, min(job.block, trials), 0, arrays, nothing_recorded())
        if trials < job.trials:
            part = freeze(job.lowered, trials, arrays)
            result = part if result is None else result + part
            arrays = empty_arrays(job.lowered)
    return freeze(job.lowered, job.trials, arrays) if result is None else result


def _jobs(lowered: Sequence[Lowered], trials: int, seed: int, block: int) -> Iterator[tuple[int, Job]]:
    for index, program in enumerate(lowered):
        for first in range(0, trials, CHUNK):
            yield index, Job(lowered=program, seed=seed, first=first, trials=min(CHUNK, trials - first), block=block)


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
    """Tallies of simulated rounds, one per AC; the same bytes for a seed whatever the workers, the executor or the block.

    Parameters
    ----------
    plan, target
        What is played against what.
    acs : (n_ac,) integers
        Values of the swept defence; every AC sees the same dice (common random numbers).
    trials : int
        Rounds per AC, 1 to 2**40.
    seed : int
        Any non-negative integer.
    workers : int
        Threads; the kernel releases the GIL.
    block : int
        Trials the kernel holds at a time; changes speed only.
    executor : Executor, optional
        Where to run instead of threads of this process.
    progress : callable, optional
        Called with the number of rounds just finished.

    Raises
    ------
    ValueError
        ``trials``, ``workers``, ``block`` or ``seed`` out of range.
    """
    check_trials(trials)
    for name, value, high in (("workers", workers, 1024), ("block", block, 2**20)):
        if not 1 <= value <= high:
            raise ValueError(f"{name} must be 1 to {high}; got {value}")
    key_of(seed)
    lowered = [lower(plan, target, [int(d) for d in row]) for row in sweep(plan, target, acs)]
    totals: list[Tally | None] = [None] * len(lowered)

    def collect(index: int, tally: Tally) -> None:
        before = totals[index]
        totals[index] = tally if before is None else before + tally
        if progress is not None:
            progress(tally.trials)

    jobs = _jobs(lowered, trials, seed, block)
    if executor is None and workers == 1:
        for index, job in jobs:
            collect(index, play(job))
    elif executor is None:
        with ThreadPoolExecutor(workers) as pool:
            _drain(pool, jobs, collect, 2 * workers)
    else:
        _drain(executor, jobs, collect, 4 * workers)
    return tuple(t for t in totals if t is not None)


def _drain(pool: Executor, jobs: Iterator[tuple[int, Job]], collect: Callable[[int, Tally], None], window: int) -> None:
    """Run jobs with at most ``window`` of them under way, so that memory does not grow with the number of trials."""
    waiting: list[tuple[int, Future[Tally]]] = []
    for index, job in jobs:
        waiting.append((index, pool.submit(play, job)))
        if len(waiting) >= window:
            done, future = waiting.pop(0)
            collect(done, future.result())
    for done, future in waiting:
        collect(done, future.result())
