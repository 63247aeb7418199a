"""A pool of workers: pieces of work handed out a few at a time, collected as they end, and run again when a worker is lost."""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

P = TypeVar("P")
R = TypeVar("R")
Taken_contra = TypeVar("Taken_contra", contravariant=True)

_LOG = logging.getLogger(__name__)

#: How often a piece is run again after its worker was lost.
TRIES = 3
#: Pieces under way for each that can run at a time.
AHEAD = 4
#: Taken for the workers of an executor that does not tell how many it has.
WIDTH = 16


class Source(Protocol[P, Taken_contra]):
    """Where pieces come from and results go to; asked by one thread only."""

    def take(self) -> P | None:
        """The next piece; None while there is none, or no more."""

    def put(self, piece: P, result: Taken_contra) -> None:
        """Receive the result of a piece, in any order. May make new pieces available."""


def width(executor: Executor | None, workers: int) -> int:
    """Pieces that can run at a time, as far as is known."""
    # The pools of the standard library say it by this name only; others are taken to be wide.
    told = None if executor is None else getattr(executor, "_max_workers", WIDTH)
    return max(workers, told) if isinstance(told, int) else workers


def run(work: Callable[[P], R], source: Source[P, R], *, workers: int, executor: Executor | None = None) -> None:
    """Do all the work of a source.

    Parameters
    ----------
    work : callable
        What is done to a piece. It is picklable, and repeating it does no harm.
    source : Source
        Gives pieces and takes results.
    workers : int
        Threads of this process; with one the calling thread does it all.
    executor : Executor, optional
        Where to run instead. A piece whose worker was lost runs there again, at most `TRIES` times; when the executor itself is gone, the rest runs here.

    Raises
    ------
    Exception
        What ``work`` raises, or the loss of a piece that lost every worker it was given to.
    """
    left: deque[P] = deque()
    if executor is not None:
        left = _drain(executor, work, source, left, AHEAD * width(executor, workers))
        if not left:
            return
        _LOG.warning("The workers are gone: the rest is simulated here.")
    if workers == 1:
        while (piece := left.popleft() if left else source.take()) is not None:
            source.put(piece, work(piece))
        return
    pool = ThreadPoolExecutor(workers)
    try:
        _drain(pool, work, source, left, 2 * workers)
    finally:
        pool.shutdown(cancel_futures=True)


def _drain(pool: Executor, work: Callable[[P], R], source: Source[P, R], first: deque[P], window: int) -> deque[P]:
    """Run pieces with at most ``window`` of them under way, so that memory does not grow with their number; returns those left when the pool is gone."""
    again = deque((piece, 0) for piece in first)
    under_way: dict[Future[R], tuple[P, int]] = {}
    gone = False
    try:
        while True:
            while not gone and len(under_way) < window:
                given = again.popleft() if again else _first_try(source)
                if given is None:
                    break
                piece, tries = given
                try:
                    under_way[pool.submit(_attempt, work, piece, tries)] = piece, tries
                except Exception as error:
                    if not _gone(error):
                        raise
                    again.append((piece, tries))
                    gone = True
            if not under_way:
                return deque(piece for piece, _ in again)
            ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in ended:
                piece, tries = under_way.pop(future)
                try:
                    result = future.result()
                except Exception as error:
                    if not _is_lost(error) or (tries == TRIES and not _gone(error)):
                        raise
                    _LOG.info("A worker was lost (%r): its piece of work runs again.", error)
                    again.append((piece, tries + 1))
                    gone |= isinstance(error, BrokenExecutor) or (_gone(error) and tries == TRIES)
                else:
                    source.put(piece, result)
    except BaseException:
        for future in under_way:
            future.cancel()
        raise


def _first_try(source: Source[P, R]) -> tuple[P, int] | None:
    piece = source.take()
    return None if piece is None else (piece, 0)


def _attempt(work: Callable[[P], R], piece: P, _tries: int) -> R:
    """The work on a piece. The count keeps a cluster, which knows calls by their arguments, from taking the failed try for the next one."""
    return work(piece)


def _gone(error: BaseException) -> bool:
    """Whether an error may mean that the executor runs nothing any more."""
    return isinstance(error, BrokenExecutor | CancelledError) or _is_of_dask(error, "ClosedClientError", "CommClosedError")


def _is_lost(error: BaseException) -> bool:
    """Whether a piece failed because what ran it is gone, and not because of what it did."""
    return _gone(error) or _is_of_dask(error, "KilledWorker")


def _is_of_dask(error: BaseException, *names: str) -> bool:
    """Whether an error is one of Dask's, which is not imported to find out."""
    return "distributed" in sys.modules and any(cls.__name__ in names and cls.__module__.partition(".")[0] == "distributed" for cls in type(error).__mro__)
