"""The 32-bit words of the kernel in the orders in which its dice meet them: `python -m benchmarks.randomness.streams ORDER BITS` writes them for ever.

Nothing is generated here: the words come from the kernel's own `_fill`, under `key_of` of a seed, at the slots that `lower` gave the reference scenario.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

import analyzer
from analyzer.montecarlo import kernel as k
from analyzer.montecarlo.lower import Lowered, lower
from analyzer.montecarlo.simulate import key_of

Words = NDArray[np.uint32]

SEED = 0
SEEDS = range(16)
#: Trials of one pass.
TRIALS = 2**14
#: What the digest of a stream covers.
DIGEST_WORDS = 2**20

ORDERS = {
    "trials": "the attack word of the first attack (d20 and confirmation) in trials 0, 1, 2, ... of seed 0",
    "round": "all words of a round in the order of their slots, trial after trial, of seed 0",
    "seeds": "the attack word of the first attack in trial 0 of seeds 0 to 15, then in trial 1 of seeds 0 to 15, ...",
}
#: Generators that are not ours, to tell a finding about the kernel's words from one about a battery or about the bits.
OTHERS = {
    "control": "a bad generator, x -> 69069 x mod 2^32, that the batteries must find",
    "sfc64": "NumPy's SFC64, 32 bits at a time",
}
BITS = {
    "word": "the word itself, which the first die reads",
    "rest": "what a d20 leaves of the word, (word * 20) mod 2^32, which the second die reads (its two lowest bits are 0 by construction)",
    "filled": "the rest with its two lowest bits, always 0, filled by NumPy's SFC64: 30 bits of the kernel's, for tests that read more",
}


def reference() -> Lowered:
    """The reference scenario as the kernel plays it."""
    build = analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="17-20/x2", extra=["5d6"], system="d20", name="reference")
    derived = build.derive(analyzer.target(system="d20", ac=28, reduction={"physical": 5}))
    return lower(derived.plan, derived.target, derived.target.ac)


def _filled(key: np.uint64, first: int, slot: int) -> Words:
    """(4, TRIALS) words of the Philox block that holds a slot."""
    words = np.empty((4, TRIALS), np.uint32)
    fill: Any = k._fill
    fill(words, key, np.uint64(first), slot // 4, TRIALS)
    return words


def control() -> Iterator[Words]:
    """The words of the bad generator."""
    powers = np.cumprod(np.full(TRIALS, 69069, np.uint32), dtype=np.uint32)
    last = np.uint32(1)
    while True:
        piece = powers * last
        last = piece[-1]
        yield piece


def sfc64() -> Iterator[Words]:
    """The words of NumPy's generator."""
    rng = np.random.Generator(np.random.SFC64(0))
    while True:
        yield rng.integers(0, 2**32, TRIALS, dtype=np.uint32)


def words(order: str) -> Iterator[Words]:
    """Pieces of a stream without end."""
    if order in OTHERS:
        yield from control() if order == "control" else sfc64()
    lowered = reference()
    attack = int(lowered.program.attacks[0, k.A_CHECK_SLOT])
    for first in count(0, TRIALS):
        if order == "trials":
            yield _filled(key_of(SEED), first, attack)[attack % 4]
        elif order == "round":
            blocks = [_filled(key_of(SEED), first, slot) for slot in range(0, lowered.slots, 4)]
            yield np.concatenate(blocks)[: lowered.slots].T.ravel()
        elif order == "seeds":
            yield np.stack([_filled(key_of(seed), first, attack)[attack % 4] for seed in SEEDS], axis=1).ravel()
        else:
            raise ValueError(f"the order must be one of {', '.join([*ORDERS, *OTHERS])}; got {order}")


def stream(order: str, bits: str) -> Iterator[Words]:
    """Pieces of a stream of words, or of what a d20 leaves of them."""
    if bits not in BITS:
        raise ValueError(f"the bits must be one of {', '.join(BITS)}; got {bits}")
    fill = np.random.Generator(np.random.SFC64(1))
    for piece in words(order):
        if bits == "word":
            yield piece
        elif bits == "rest":
            yield piece * np.uint32(20)
        else:
            yield piece * np.uint32(20) | fill.integers(0, 4, len(piece), dtype=np.uint32)


def digest(order: str, bits: str) -> str:
    """SHA-256 of the first words of a stream: a log is about today's kernel while it names today's digest."""
    found, left = hashlib.sha256(), DIGEST_WORDS
    for piece in stream(order, bits):
        found.update(piece[:left].astype("<u4").tobytes())
        left -= min(left, len(piece))
        if not left:
            break
    return found.hexdigest()


def main() -> None:
    """Write a stream to standard output until nobody reads it."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: python -m benchmarks.randomness.streams {'|'.join([*ORDERS, *OTHERS])} {'|'.join(BITS)}")
    try:
        for piece in stream(sys.argv[1], sys.argv[2]):
            sys.stdout.buffer.write(piece.astype("<u4", copy=False).tobytes())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
