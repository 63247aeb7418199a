"""How busy other processes keep the machine while something is measured."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter

_STAT = Path("/proc/stat")


class Mood:
    """Remembers when it was made."""

    def __init__(self) -> None:
        self._began, self._busy, self._own = perf_counter(), _busy(), _own()

    def others(self) -> float | None:
        """How many cores other processes have used since then; None where the system does not tell."""
        busy = _busy()
        if busy is None or self._busy is None:
            return None
        return max(0.0, busy - self._busy - (_own() - self._own)) / (perf_counter() - self._began)


def _busy() -> float | None:
    """Seconds the machine's cores have worked, or were lent to another machine."""
    if not _STAT.exists():
        return None
    user, nice, system, _idle, _waiting, irq, soft, stolen = (int(n) for n in _STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9])
    return (user + nice + system + irq + soft + stolen) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    times = os.times()
    return times.user + times.system
