"""The Monte Carlo engine on the reference beside what people write by hand: one thread, fresh seeds each round, by CPU time."""

from time import process_time

import numpy as np
import pytest
from numpy.random import SFC64

from analyzer.exact import evaluate
from benchmarks import numba_scalar, numpy_best, numpy_naive, ours
from benchmarks.ours import KERNEL, SEEDS
from benchmarks.reference import BONUSES, EXTRA_DICE

pytestmark = pytest.mark.benchmark(timer=process_time)

BEST = "NumPy at its best: the kernel's tallies, dice as fair"
LIGHT = "NumPy at its best: totals, hits and criticals alone, 16-bit dice"
SCALAR = "Numba, scalar with `np.random`"
NAIVE, NAIVE_SMALL = "NumPy, int64 arrays of 2^20 rounds", "NumPy, int64 arrays of 2^13 rounds"
WORD = "one raw word an attack and nothing else, `SFC64.random_raw(1_000_000)`"
#: Each peer with its rounds per call and how often it is called; arrays are quickest while they stay in the processor's cache.
PEERS = {
    BEST: (numpy_best.play, 2**19, 25),
    LIGHT: (numpy_best.play_light, 2**19, 25),
    SCALAR: (numba_scalar.play, 2**19, 15),
    NAIVE_SMALL: (numpy_naive.play, 2**13, 40),
    NAIVE: (numpy_naive.play, 2**20, 5),
}
TRIALS = 2**20


def group(ac: int) -> str:
    return f"Simulation: the reference at AC {ac}, one thread"


@pytest.mark.parametrize("ac", [28, 15])
@pytest.mark.parametrize("method", [KERNEL, *PEERS])
def test_results_are_equal(reference, method, ac):
    trials = 2**18
    found = ours.counts(*reference, ac, trials, 1) if method == KERNEL else PEERS[method][0](ac, trials, 1)
    ours.holds(found, trials, evaluate(*reference, (ac,)))


@pytest.mark.parametrize("ac", [28, 15])
@pytest.mark.parametrize("method", [KERNEL, *PEERS])
def test_method(measure, size, reference, method, ac):
    play, trials, rounds = PEERS.get(method, (None, TRIALS, 25))
    trials = size(trials)
    if play is None:
        called, fresh = ours.counts, lambda: (*reference, ac, trials, next(SEEDS))
    else:
        called, fresh = play, lambda: (ac, trials, next(SEEDS))
    found = measure(
        called, fresh, group=group(ac), method=method, work=trials * len(BONUSES), unit="attack", rounds=rounds, base=method == KERNEL
    )  # fmt: skip
    assert found.histogram.sum() == trials


def test_raw_words(measure):
    """The unit: what any simulation by NumPy's generators pays at least."""
    found = measure(
        lambda bits: bits.random_raw(1_000_000),
        lambda: (SFC64(next(SEEDS)),),
        group=group(28),
        method=WORD,
        work=1_000_000,
        unit="attack",
        rounds=25,
    )
    assert found.dtype == np.uint64


TIME = "Time by rounds, the reference at AC 28, one thread"
#: The most rounds a method is asked for.
MOST = {KERNEL: 10**8, BEST: 10**7, SCALAR: 10**7, NAIVE: 10**6}


@pytest.mark.parametrize("power", [4, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("method", MOST)
def test_time_by_rounds(measure, size, reference, request, method, power):
    rounds = 10**power
    if rounds > MOST[method] and not (method == KERNEL and request.config.getoption("--big")):
        pytest.skip("more than this method is asked for")
    if method == BEST:
        rounds = -(-rounds // numpy_best.BLOCK) * numpy_best.BLOCK
    rounds = size(rounds)
    if method == KERNEL:
        called, fresh = ours.counts, lambda: (*reference, 28, rounds, next(SEEDS))
    else:
        called, fresh = PEERS[method][0], lambda: (28, rounds, next(SEEDS))
    measure(
        called, fresh, group=TIME, method=method, work=rounds, unit="round", rounds=5 if power < 8 else 1, base=method == KERNEL and power == 4, at=rounds
    )  # fmt: skip


ATTACKS, DICE = "Throughput by attacks a round, AC 28, one thread", "Throughput by unmultiplied d6 on each hit, AC 28, one thread"
SHAPES = [(ATTACKS, n) for n in (1, 2, 4, 8, 16)] + [(DICE, n) for n in (0, 5, 10, 20, 40)]


@pytest.mark.parametrize(("shape", "n"), SHAPES, ids=str)
@pytest.mark.parametrize("method", [KERNEL, BEST])
def test_more_attacks_or_dice(measure, size, target, shape, n, method):
    bonuses = (BONUSES * 4)[:n] if shape == ATTACKS else BONUSES
    extra_dice = n if shape == DICE else EXTRA_DICE
    derived = ours.reference_build(bonuses, extra_dice).derive(target)
    mine = (derived.plan, derived.target)
    trials = size(2**18 if n < 16 else 2**17)

    def peer(ac, rounds, seed):
        return numpy_best.play(ac, rounds, seed, bonuses=bonuses, extra_dice=extra_dice)

    ours.holds(ours.counts(*mine, 28, 2**16, 1) if method == KERNEL else peer(28, 2**16, 1), 2**16, evaluate(*mine, (28,)))
    called, before = (ours.counts, mine) if method == KERNEL else (peer, ())
    measure(
        called,
        lambda: (*before, 28, trials, next(SEEDS)),
        group=shape,
        method=method,
        work=trials * len(bonuses),
        unit="attack",
        rounds=9,
        base=method == KERNEL and n == (len(BONUSES) if shape == ATTACKS else EXTRA_DICE),
        at=n,
    )
