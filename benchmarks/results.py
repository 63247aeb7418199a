"""What one run of the benchmarks found, looked up by group and method."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """One benchmark: how long its quickest round took for how much work."""

    group: str
    method: str
    unit: str
    work: int
    seconds: float
    base: bool
    at: int | None
    #: cores that other processes used meanwhile, where that was noted
    others: float | None

    @property
    def rate(self) -> float:
        """Units of work per second."""
        return self.work / self.seconds


@dataclass(frozen=True, slots=True)
class Results:
    """All of them, with the machine they ran on."""

    benches: tuple[Bench, ...]
    machine: dict[str, Any]
    commit: dict[str, Any]
    date: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """Out of pytest-benchmark's JSON."""
        data = json.loads(path.read_text(encoding="utf-8"))
        benches = tuple(
            Bench(
                group=one["group"],
                method=one["extra_info"]["method"],
                unit=one["extra_info"]["unit"],
                work=one["extra_info"]["work"],
                seconds=one["stats"]["min"],
                base=one["extra_info"]["base"],
                at=one["extra_info"]["at"],
                others=one["extra_info"].get("others"),
            )
            for one in data["benchmarks"]
        )
        return cls(benches, data["machine_info"], data["commit_info"], data["datetime"])

    def groups(self) -> dict[str, list[Bench]]:
        """The benchmarks by group, groups in the order of their names."""
        ordered = sorted(self.benches, key=lambda bench: bench.group)
        return {group: list(members) for group, members in groupby(ordered, key=lambda bench: bench.group)}

    def one(self, group: str, method: str) -> Bench:
        """The benchmark of a method in a group."""
        (found,) = (bench for bench in self.benches if (bench.group, bench.method) == (group, method))
        return found

    def quicker(self, group: str, method: str, than: str) -> float:
        """How many times the rate of another method."""
        return self.one(group, method).rate / self.one(group, than).rate

    def lines(self, group: str) -> dict[str, list[Bench]]:
        """The benchmarks of a group that stand on an axis, by method, in the order of the axis."""
        found: dict[str, list[Bench]] = {}
        for bench in sorted((b for b in self.benches if b.group == group and b.at is not None), key=lambda b: b.at or 0):
            found.setdefault(bench.method, []).append(bench)
        return found


def shown(number: float) -> str:
    """A rate in three digits: 171 M, 52.1 k, 233."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"
