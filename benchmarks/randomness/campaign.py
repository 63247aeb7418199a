"""TestU01 on the kernel's words, one log a stream: `python -m benchmarks.randomness.campaign small|crush|big [ORDER BITS]`.

Without a stream all six are run, one after the other; ORDER `control` is a bad generator, which must fail. `install.sh` first. SmallCrush takes seconds a
stream, Crush about a quarter of an hour, BigCrush hours.
"""

from __future__ import annotations

import platform
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


def run(battery: str, order: str, bits: str) -> str:
    """Run one battery on one stream and write its log; the closing line of the log."""
    began = time.perf_counter()
    program = [sys.executable, "-m", "benchmarks.randomness.streams", order, bits]
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=HERE.parent.parent) as producer:  # noqa: S603 - our own program
        tests = [str(HERE / "battery"), battery, f"kernel-{order}-{bits}"]
        found = subprocess.run(tests, stdin=producer.stdout, capture_output=True, text=True, check=False)  # noqa: S603 - as above
        producer.kill()
    if found.returncode:
        sys.exit(f"{' '.join(tests)} ended with {found.returncode}: {found.stderr}")
    head = {
        "Command": f"python -m benchmarks.randomness.campaign {battery} {order} {bits}",
        "Battery": f"{BATTERIES[battery]} of TestU01",
        "Order": streams.ORDERS.get(order, "x -> 69069 x mod 2^32, a bad generator that the battery must find"),
        "Bits": streams.BITS[bits],
        "Digest": f"{streams.digest(order, bits)} (SHA-256 of the first {streams.DIGEST_WORDS} words)",
        "Machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}",
        "Seconds": f"{time.perf_counter() - began:.0f}",
    }
    LOGS.mkdir(exist_ok=True)
    text = "".join(f"{name}: {value}\n" for name, value in head.items()) + "\n" + found.stdout.strip() + "\n"
    (LOGS / f"{battery}-{order}-{bits}.txt").write_text(text)
    return text.splitlines()[-1]


def main() -> None:
    """Run the chosen battery on the chosen streams."""
    battery, chosen = sys.argv[1:2], sys.argv[2:]
    if len(battery) != 1 or battery[0] not in BATTERIES or len(chosen) not in {0, 2}:
        sys.exit(f"usage: python -m benchmarks.randomness.campaign {'|'.join(BATTERIES)} [{'|'.join(streams.ORDERS)} {'|'.join(streams.BITS)}]")
    for order, bits in [tuple(chosen)] if chosen else [(o, b) for o in streams.ORDERS for b in streams.BITS]:
        sys.stdout.write(f"{BATTERIES[battery[0]]}, {order}, {bits}: {run(battery[0], order, bits)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
