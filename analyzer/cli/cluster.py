"""Where a command simulates: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

#: Seconds in which a scheduler must answer and have a worker.
PATIENCE = 5
_ADDRESS = re.compile(r"(?:tcp|tls|wss?|ucx)://(?:[^\s/:]+|\[[0-9a-fA-F:.]+\]):\d{1,5}/?")
_WANTED = "--scheduler must be the address of a running Dask scheduler such as tcp://10.0.0.1:8786"


@contextmanager
def executor_of(scheduler: str | None) -> Iterator[tuple[Executor | None, int]]:
    """The executor at an address with the number of pieces it can run at a time; None and 1 without an address.

    Raises
    ------
    ValueError
        When Dask is not installed, or nothing answers there, or it has no workers.
    """
    if scheduler is None:
        yield None, 1
        return
    if not _ADDRESS.fullmatch(scheduler):
        raise ValueError(f"{_WANTED}; got {scheduler!r}")
    try:
        from distributed import Client  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise ValueError(f"--scheduler must be used with Dask installed (python -m pip install 'attack-analyzer[cluster]'); got {scheduler!r}") from error
    try:
        client: Any = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise ValueError(f"{_WANTED}; got {scheduler!r}: {str(error).partition(chr(10))[0] or 'no answer'}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise ValueError(f"--scheduler must be a scheduler that has workers (dask worker {scheduler} starts one); got {scheduler!r} with none") from error
        yield client.get_executor(), sum(client.nthreads().values())
