"""The reference scenario by the public interface, and what every benchmark notes down for the report."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import analyzer
from analyzer.plan import Plan, Target
from analyzer.scenario import Build


@pytest.fixture(scope="session")
def build() -> Build:
    return analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], system="d20", name="reference")


@pytest.fixture(scope="session")
def target():
    return analyzer.target(system="d20", ac=28, reduction={"physical": 5})


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
    """Times a call with fresh arguments each round and notes what it was: the group, the method, how much work, in which unit."""

    def run(function, fresh, *, group: str, method: str, work: int, unit: str, rounds: int, base: bool = False):
        benchmark.group = group
        benchmark.extra_info.update(method=method, work=work, unit=unit, base=base)
        return benchmark.pedantic(function, setup=lambda: (fresh(), {}), rounds=rounds, warmup_rounds=1)

    return run
