"""TestU01 on the kernel's words, one log a stream: `python -m benchmarks.randomness.campaign small|crush|big [ORDER BITS [TEST...]]`.

Without a stream the six of words and rests are run, one after the other; with test numbers, only those of the battery. `install.sh` first.
SmallCrush takes seconds a stream, Crush about a quarter of an hour, BigCrush hours.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np

from benchmarks.randomness import streams

HERE = Path(__file__).parent
LOGS = HERE / "logs"
BATTERIES = {"small": "SmallCrush", "crush": "Crush", "big": "BigCrush"}
#: Nearer to 0 or 1 than this a p-value is suspect, as TestU01 has it.
SUSPECT = 1e-3


def run(battery: str, order: str, bits: str, *numbers: str) -> str:
    """Run one battery, or some of its tests, on one stream and write its log; the closing line of the log."""
    began = time.perf_counter()
    program = [sys.executable, "-m", "benchmarks.randomness.streams", order, bits]
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=HERE.parent.parent) as producer:  # noqa: S603 - our own program
        tests = [str(HERE / "battery"), battery, f"{order}-{bits}", *numbers]
        found = subprocess.run(tests, stdin=producer.stdout, capture_output=True, text=True, check=False)  # noqa: S603 - as above
        producer.kill()
    if found.returncode:
        sys.exit(f"{' '.join(tests)} ended with {found.returncode}: {found.stderr}")
    head = {
        "Command": f"python -m benchmarks.randomness.campaign {' '.join([battery, order, bits, *numbers])}",
        "Battery": f"{BATTERIES[battery]} of TestU01",
        "Order": (streams.ORDERS | streams.OTHERS)[order],
        "Bits": streams.BITS[bits],
        "Digest": f"{streams.digest(order, bits)} (SHA-256 of the first {streams.DIGEST_WORDS} words)",
        "Machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}",
        "Seconds": f"{time.perf_counter() - began:.0f}",
    }
    LOGS.mkdir(exist_ok=True)
    text = "".join(f"{name}: {value}\n" for name, value in head.items()) + "\n" + found.stdout.strip() + "\n"
    (LOGS / f"{'-'.join([battery, order, bits, *numbers])}.txt").write_text(text, encoding="utf-8")
    return text.splitlines()[-1]


def theirs(stream: str) -> bool:
    """Whether a log is about a generator that is not ours."""
    return any(part in streams.OTHERS for part in stream.split("-"))


def summary() -> str:
    """What was run and what came of it, read off the logs."""
    rows = ["| battery | stream | statistics | outside 0.001 to 0.999 | beyond 1e-10 (failures) | nearest to 0 or 1 | words read |"]
    rows += ["|---|---|--:|---|--:|--:|--:|"]
    sums = [0, 0, 0]
    for log in sorted(LOGS.glob("*.txt"), key=lambda log: ([*BATTERIES].index(log.stem.split("-")[0]), log.stem.count("-"), theirs(log.stem), log.stem)):
        battery, stream = log.stem.split("-", 1)
        text = log.read_text(encoding="utf-8")
        found = [line.rsplit(maxsplit=1) for line in text.split("All p-values:\n")[1].split("\n\n")[0].splitlines()]
        outside = [f"{name.strip()} {float(p):.3g}" for name, p in found if not SUSPECT <= float(p) <= 1 - SUSPECT]
        read, count, suspect, failed, nearest = re.findall(r": ([0-9.e-]+)", text.split("All p-values:")[1])
        told = f"{suspect} of them" if theirs(stream) else ", ".join(outside) or "none"
        rows.append(f"| {BATTERIES[battery]} | {stream} | {count} | {told} | {failed} | {nearest} | {float(read):.3g} |")
        if not theirs(stream) and stream.count("-") == 1:
            sums = [a + int(b) for a, b in zip(sums, (count, suspect, failed), strict=True)]
    expected = f"{sums[1]} suspect where {2 * SUSPECT * sums[0]:.1f} are expected by chance"
    rows += ["", f"The kernel's streams in whole batteries: {sums[0]} statistics, {expected}, {sums[2]} failures; ../README.md says of what."]
    return "\n".join(["# What TestU01 said", "", "Written by `benchmarks.randomness.campaign` from the logs beside it.", "", *rows, ""])


def main() -> None:
    """Run the chosen battery on the chosen streams."""
    battery, chosen = sys.argv[1:2], sys.argv[2:]
    if len(battery) != 1 or battery[0] not in BATTERIES or len(chosen) == 1:
        sys.exit(f"usage: python -m benchmarks.randomness.campaign {'|'.join(BATTERIES)} [ORDER BITS [TEST...]]")
    for which in [chosen] if chosen else [[order, bits] for order in streams.ORDERS for bits in ("word", "rest")]:
        sys.stdout.write(f"{BATTERIES[battery[0]]}, {' '.join(which)}: {run(battery[0], *which)}\n")
        sys.stdout.flush()
        (LOGS / "README.md").write_text(summary(), encoding="utf-8")


if __name__ == "__main__":
    main()
