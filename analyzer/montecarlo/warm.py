"""A warm start: the kernel's compiled code taken from Numba's cache without first making Numba ready to compile.

Before Numba looks into its cache it imports everything it could compile with, SciPy's linear algebra among it: half of what the first
simulation of a process takes. Code that is compiled already needs no more than Numba's runtime. Which code is taken is decided as ever, by
Numba; where its cache has none, Numba makes itself ready before it compiles. There is no public switch for this, so it holds for the
releases it was read and tested with; with any other a process starts as Numba lets it.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.runtime.nrt import rtsys

#: Releases of Numba whose `Cache.load_overload` is `refresh`, then `_load_overload`: from 0.60, before 0.69.
_READ = range(60, 69)


def known(version: str) -> bool:
    """Whether this release of Numba is one whose way to its cache is known."""
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    return major == "0" and minor.isdecimal() and int(minor) in _READ


def start_warm(function: Any) -> None:  # noqa: ANN401 - Numba's functions have no type
    """Let a cached function be loaded without making Numba ready to compile."""
    if not known(numba.__version__):
        return
    cache = function._cache

    def load_overload(signature: Any, context: Any) -> Any:  # noqa: ANN401 - Numba's own
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    cache.load_overload = load_overload
