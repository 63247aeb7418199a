"""Runs every benchmark in one process and writes the ratios as a page: `python -m benchmarks.report`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
LIBRARIES = ("numpy", "numba", "icepool", "pytest-benchmark")

HEAD = """# Benchmarks

Written by `python -m benchmarks.report`. Everything below comes from one run in one process; results were checked equal before they were timed.
*Time* is for the same amount of work, in times of the bold row of the same table, by the quickest of the rounds. Absolute numbers belong to the machine and
its mood; the ratios travel better. In the simulations the peers count less than the kernel does (totals, hits and criticals; no sums per attack and degree),
which favours them.
"""


def measured(path: Path) -> dict[str, Any]:
    """What pytest-benchmark found, as its JSON; exits with pytest's code when a benchmark fails."""
    code = pytest.main([str(FOLDER), "-q", "-p", "no:randomly", "--benchmark-quiet", f"--benchmark-json={path}"])
    if code:
        raise SystemExit(int(code))
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def page(data: dict[str, Any]) -> str:
    """The results as Markdown."""
    benches = sorted(data["benchmarks"], key=lambda bench: bench["group"])
    tables = ("\n".join(table(group, list(members))) for group, members in groupby(benches, key=lambda bench: bench["group"]))
    return "\n".join((HEAD, *machine(data), "", *tables))


def machine(data: dict[str, Any]) -> Iterator[str]:
    """Where, with what and on which commit it ran."""
    info, commit = data["machine_info"], data["commit_info"]
    changed = ", with uncommitted changes" if commit.get("dirty") else ""
    yield f"- Machine: {info['cpu'].get('brand_raw', info['processor'])}, {info['cpu'].get('count', '?')} cores, {info['system']} {info['machine']}"
    yield f"- Versions: Python {info['python_version']}, " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    yield f"- Commit: {commit['id']}{changed}"
    yield f"- Date: {data['datetime'][:10]}"


def table(group: str, benches: list[dict[str, Any]]) -> Iterator[str]:
    """One group, quickest first."""
    (base,) = (bench for bench in benches if bench["extra_info"]["base"])
    unit = base["extra_info"]["unit"]
    yield f"## {group}\n"
    yield f"| method | time | {unit}s per second |"
    yield "|---|--:|--:|"
    for bench in sorted(benches, key=rate, reverse=True):
        name = bench["extra_info"]["method"]
        told = f"**{name}** | 1" if bench is base else f"{name} | {rate(base) / rate(bench):.3g}x"
        yield f"| {told} | {shown(rate(bench))} |"
    yield ""


def rate(bench: dict[str, Any]) -> float:
    """Units of work per second in the quickest round."""
    return float(bench["extra_info"]["work"] / bench["stats"]["min"])


def shown(number: float) -> str:
    """A rate in three digits: 171 M, 52.1 k, 233."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER / "RESULTS.md", help="where the page goes (default: %(default)s)")
    output: Path = parser.parse_args().output
    with tempfile.TemporaryDirectory() as folder:
        text = page(measured(Path(folder) / "benchmarks.json"))
    output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
