"""A pool of workers: pieces of work handed out a few at a time, collected as they end, and run again when a worker is lost."""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

P = TypeVar("P")
R = TypeVar("R")
Taken_contra = TypeVar("Taken_contra", contravariant=True)

_LOG = logging.getLogger(__name__)

#: How often a piece is run again after its worker was lost.
TRIES = 3
#: Pieces under way for each that can run at a time.
AHEAD = 4
#: Seconds without any result after which the calling thread takes over pieces itself, whatever has become of the workers.
PATIENCE = 30.0
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
        Where to run instead. A piece whose worker was lost runs there again, at most `TRIES` times; when the executor itself is gone, or gives no sign of life
        for `PATIENCE` seconds, the rest runs here.

    Raises
    ------
    Exception
        What ``work`` raises, or the loss of a piece that lost every worker it was given to.
    """
    left: deque[tuple[P, int]] = deque()
    if executor is not None:
        crew = _Crew(executor, work, source, window=AHEAD * width(executor, workers), patience=PATIENCE)
        crew.run()
        left = crew.left
        if not left:
            return
        _LOG.warning("The workers are gone: the rest is simulated here.")
    if workers == 1:
        while (piece := left.popleft()[0] if left else source.take()) is not None:
            source.put(piece, work(piece))
        return
    pool = ThreadPoolExecutor(workers)
    try:
        _Crew(pool, work, source, window=2 * workers, left=left).run()
    finally:
        pool.shutdown(cancel_futures=True)


class _Crew(Generic[P, R]):
    """The workers of an executor, with at most ``window`` pieces under way, so that memory does not grow with their number.

    ``left`` are pieces to begin with and, afterwards, those that are left because the executor is gone; each with the tries it has had.
    """

    def __init__(
        self,
        executor: Executor,
        work: Callable[[P], R],
        source: Source[P, R],
        *,
        window: int,
        patience: float | None = None,
        left: deque[tuple[P, int]] | None = None,
    ) -> None:
        self.executor, self.work, self.source = executor, work, source
        self.window, self.patience = window, patience
        self.left: deque[tuple[P, int]] = deque() if left is None else left
        self._under_way: dict[Future[R], tuple[P, int]] = {}
        self._gone = False
        self._silent = False

    def run(self) -> None:
        """Do all there is to do, or what the executor does before it is gone."""
        try:
            while True:
                while not self._gone and len(self._under_way) < self.window and self._give():
                    pass
                if not self._under_way:
                    return
                ended, _ = wait(self._under_way, timeout=0.0 if self._silent else self.patience, return_when=FIRST_COMPLETED)
                for future in ended:
                    self._collect(future)
                if ended:
                    self._silent = False
                else:
                    self._take_over()
        except BaseException:
            for future in self._under_way:
                future.cancel()
            raise

    def _give(self) -> bool:
        """Hand out a piece, if there is one."""
        if self.left:
            piece, tries = self.left.popleft()
        else:
            taken, tries = self.source.take(), 0
            if taken is None:
                return False
            piece = taken
        try:
            self._under_way[self.executor.submit(_attempt, self.work, piece, tries)] = piece, tries
        except Exception as error:
            if not _is_gone(error):
                raise
            self.left.append((piece, tries))
            self._gone = True
        return True

    def _collect(self, future: Future[R]) -> None:
        """Pass on what a piece came to, or keep it to be run again."""
        piece, tries = self._under_way.pop(future)
        try:
            result = future.result()
        except Exception as error:
            if not _is_lost(error) or (tries == TRIES and not _is_gone(error)):
                raise
            _LOG.info("A worker was lost (%r): its piece of work runs again.", error)
            self.left.append((piece, tries + 1))
            self._gone |= isinstance(error, BrokenExecutor) or tries == TRIES
        else:
            self.source.put(piece, result)

    def _take_over(self) -> None:
        """Do the piece that has been under way for longest in this thread."""
        if not self._silent:
            _LOG.warning("No worker has answered for %g seconds: simulating here until one does.", self.patience)
        self._silent = True
        future = next(iter(self._under_way))
        piece, _ = self._under_way.pop(future)
        future.cancel()
        self.source.put(piece, self.work(piece))


def _attempt(work: Callable[[P], R], piece: P, _tries: int) -> R:
    """The work on a piece. The count keeps a cluster, which knows calls by their arguments, from taking the failed try for the next one."""
    return work(piece)


def _is_gone(error: BaseException) -> bool:
    """Whether an error may mean that the executor runs nothing any more."""
    return isinstance(error, BrokenExecutor | CancelledError) or _is_of_dask(error, "ClosedClientError", "CommClosedError")


def _is_lost(error: BaseException) -> bool:
    """Whether a piece failed because what ran it is gone, and not because of what it did."""
    return _is_gone(error) or _is_of_dask(error, "KilledWorker")


def _is_of_dask(error: BaseException, *names: str) -> bool:
    """Whether an error is one of Dask's, which is not imported to find out."""
    return "distributed" in sys.modules and any(cls.__name__ in names and cls.__module__.partition(".")[0] == "distributed" for cls in type(error).__mro__)
