"""What only a fresh process can tell: start-up, compile time, memory, what an import brings along."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parent.parent

_REFERENCE = """
import analyzer
from analyzer.montecarlo import record, simulate
made = analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], system="d20").derive(
    analyzer.target(system="d20", ac=28, reduction={"physical": 5}))
"""
_CLI = "from analyzer.cli import main; main()"
DPR = ("dpr", "+20/+15/+10/+5", "2d6+15", "--crit", "17-20/x2", "--extra", "5d6", "--dr", "5", "--ac", "28")
SIMULATION = _REFERENCE + "simulate(made.plan, made.target, (28,), trials=1000, seed=1)\n"
QUESTION = """
import analyzer
build = analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], system="d20")
analyzer.compare(build, 28, target={"ac": 28, "reduction": {"physical": 5}}, trials=1000, seed=1)
"""
#: Everything the kernel module compiles for a user: a single AC, a sweep, a trace.
KERNELS = (
    _REFERENCE
    + """
simulate(made.plan, made.target, (28,), trials=1000, seed=1)
simulate(made.plan, made.target, tuple(range(28, 36)), trials=1000, seed=1)
record(made.plan, made.target, None, first=0, trials=10, seed=1)
"""
)
#: The high-water mark of the process itself: getrusage would answer with that of the process that started it, where that was higher.
MEMORY = """
import analyzer
build = analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], system="d20")
analyzer.compare(build, 28, target={{"ac": 28, "reduction": {{"physical": 5}}}}, trials={rounds}, seed=1, workers=2)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""
HEAVY = ("numba", "pandas", "matplotlib", "scipy")
#: An installation leaves bytecode beside every module. Where Python was told to write none, a checkout would be compiled again at every start.
_AS_INSTALLED = {"PYTHONDONTWRITEBYTECODE": ""}


class Cost(NamedTuple):
    """What a process took, in seconds."""

    wall: float
    cpu: float


def python(code: str, *arguments: str, environment: Mapping[str, str] | None = None) -> tuple[Cost, str]:
    """Runs code in a fresh interpreter at the root of the repository; what it cost and what it printed.

    Raises
    ------
    RuntimeError
        It failed; its errors.
    """
    started = perf_counter()
    before = os.times()
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, **_AS_INSTALLED, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = perf_counter() - started, os.times()
    if done.returncode:
        raise RuntimeError(f"a fresh process must end well; got {done.returncode}: {done.stderr[-2000:]}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(wall=wall, cpu=spent), done.stdout


def medians(commands: Mapping[str, Sequence[str]], times: int) -> dict[str, Cost]:
    """Median costs of some commands, which take turns so that all meet the same moods of the machine; the first turn does not count."""
    spent: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(times + 1):
        for name, (code, *arguments) in commands.items():
            cost, _ = python(code, *arguments)
            if turn:
                spent[name].append(cost)
    return {name: Cost(wall=median(c.wall for c in costs), cpu=median(c.cpu for c in costs)) for name, costs in spent.items()}


NUMBA, FIRST, ASKED = "`import numpy, numba`", "`analyzer.montecarlo.simulate`, first call", "`analyzer.compare`, first call"
TYPER, HELP, ANSWER = "`import typer, rich, pydantic`", "`analyzer --help`", "`analyzer dpr` (exact)"
STARTS: dict[str, tuple[str, ...]] = {
    NUMBA: ("import numpy, numba",),
    FIRST: (SIMULATION,),
    ASKED: (QUESTION,),
    TYPER: ("import typer, rich, pydantic",),
    HELP: (_CLI, "--help"),
    ANSWER: (_CLI, *DPR),
}


def cold() -> Cost:
    """What it takes to compile every kernel into an empty cache, beyond running them out of a full one."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"NUMBA_CACHE_DIR": folder}
        empty, _ = python(KERNELS, environment=environment)
        full, _ = python(KERNELS, environment=environment)
    return Cost(wall=empty.wall - full.wall, cpu=empty.cpu - full.cpu)


def peak_memory(rounds: int) -> int:
    """Peak resident memory of a whole process that asks for so many rounds, in bytes."""
    _, printed = python(MEMORY.format(rounds=rounds))
    return int(printed.split()[-1]) * 1024


def heavy_imports() -> list[str]:
    """Which of the heavy packages `import analyzer` brings along."""
    _, printed = python(f"import sys, analyzer; print(*(name for name in {HEAVY!r} if name in sys.modules))")
    return printed.split()
