"""The reference scenario by the public interface, and what every benchmark notes down for the report."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from analyzer.plan import Plan, Target
from analyzer.scenario import Build
from benchmarks import ours


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of the longest runs."""
    parser.addoption("--big", action="store_true", help="10^9 rounds too, about a minute more")


@pytest.fixture(scope="session")
def build() -> Build:
    return ours.reference_build()


@pytest.fixture(scope="session")
def target():
    return ours.reference_target()


@pytest.fixture(scope="session")
def reference(build, target) -> tuple[Plan, Target]:
    """The plan and target both engines read."""
    derived = build.derive(target)
    return derived.plan, derived.target


@pytest.fixture(scope="session")
def forget() -> Callable[[], None]:
    """Empties every cache of the exact engine, so that each round works from the plan up."""
    rooms = [module for name, module in sys.modules.items() if name.startswith("analyzer.exact") or name == "analyzer.pmf"]
    caches = {id(f): f for room in rooms for f in vars(room).values() if hasattr(f, "cache_clear")}
    if not caches:
        raise LookupError("the exact engine must have caches to empty; got none, so this benchmark no longer knows it")

    def clear() -> None:
        for function in caches.values():
            function.cache_clear()

    return clear


@pytest.fixture
def measure(benchmark):
    """Times a call with fresh arguments each round and notes what it was.

    ``group`` and ``method`` name it, ``work`` and ``unit`` say how much it did, ``at`` where it stands on the axis of a figure.
    """

    def run(function, fresh, *, group: str, method: str, work: int, unit: str, rounds: int, base: bool = False, at: int | None = None):
        benchmark.group = group
        benchmark.extra_info.update(method=method, work=work, unit=unit, base=base, at=at)
        return benchmark.pedantic(function, setup=lambda: (fresh(), {}), rounds=rounds, warmup_rounds=1)

    return run


@pytest.fixture
def size(benchmark) -> Callable[[int], int]:
    """How many rounds to play: what is asked for, or a few when nothing is timed."""
    return lambda rounds: min(rounds, 2**14) if benchmark.disabled else rounds
