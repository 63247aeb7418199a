"""The Monte Carlo engine: the reference at two ACs on one thread, fresh seeds each round, beside what people write by hand; then the other games."""

from itertools import count
from math import sqrt

import numpy as np
import pytest

import analyzer
from analyzer import examples
from analyzer.exact import evaluate
from analyzer.montecarlo import simulate
from benchmarks import numba_scalar, numpy_naive
from benchmarks.reference import BONUSES, Counts

KERNEL = "analyzer, kernel with all tallies"
#: Each peer with its rounds per call; arrays are quickest while they stay in the processor's cache.
PEERS = {
    "NumPy, int64 arrays of 2^13 rounds": (numpy_naive.play, 2**13),
    "NumPy, int64 arrays of 2^20 rounds": (numpy_naive.play, 2**20),
    "Numba, scalar with `np.random`": (numba_scalar.play, 2**20),
}
TRIALS = 2**21
#: One build of each other game, with the AC it is played at.
GAMES = {"core-goobelthorp": ("Kaflimbo", 15), "starfinder-soldier": ("rifle and pistol, full attack", 20)}
SEEDS = count(1)


def kernel(plan, target, ac, trials, seed):
    (tally,) = simulate(plan, target, (ac,), trials=trials, seed=seed)
    return Counts(histogram=tally.histogram, hits=tally.counts[:, 2:].sum(axis=1), criticals=tally.counts[:, 3])


def holds(counts, trials, exact):
    """Every figure within 6 standard errors of the exact one."""
    k = np.arange(len(counts.histogram))
    assert counts.histogram.sum() == trials
    assert abs(counts.histogram @ k / trials - exact.dpr[0]) <= 6 * exact.sd[0] / sqrt(trials)
    chances = [(counts.histogram[0], exact.no_damage[0])]
    chances += [(hits, attack.hit[0]) for hits, attack in zip(counts.hits, exact.attacks, strict=True)]
    chances += [(criticals, attack.crit[0]) for criticals, attack in zip(counts.criticals, exact.attacks, strict=True)]
    for seen, chance in chances:
        assert abs(seen / trials - chance) <= 6 * sqrt(chance * (1 - chance) / trials)


@pytest.mark.parametrize("ac", [28, 15])
@pytest.mark.parametrize("method", [KERNEL, *PEERS])
def test_results_are_equal(reference, method, ac):
    exact = evaluate(*reference, (ac,))
    trials = 2**18
    counts = kernel(*reference, ac, trials, 1) if method == KERNEL else PEERS[method][0](ac, trials, 1)
    holds(counts, trials, exact)


def group(ac):
    return f"Simulation: the reference at AC {ac}, one thread"


@pytest.mark.parametrize("ac", [28, 15])
def test_kernel(measure, reference, ac):
    counts = measure(
        kernel,
        lambda: (*reference, ac, TRIALS, next(SEEDS)),
        group=group(ac),
        method=KERNEL,
        work=TRIALS * len(BONUSES),
        unit="attack",
        rounds=20,
        base=True,
    )
    assert counts.histogram.sum() == TRIALS


@pytest.mark.parametrize("ac", [28, 15])
@pytest.mark.parametrize("method", PEERS)
def test_peer(measure, method, ac):
    play, trials = PEERS[method]
    counts = measure(
        play,
        lambda: (ac, trials, next(SEEDS)),
        group=group(ac),
        method=method,
        work=trials * len(BONUSES),
        unit="attack",
        rounds=max(5, 2**18 // trials),
    )
    assert counts.histogram.sum() == trials


GAMES_GROUP = "Simulation: the kernel on each game, one thread"


def test_d20(measure, reference):
    measure(
        kernel,
        lambda: (*reference, 28, TRIALS, next(SEEDS)),
        group=GAMES_GROUP,
        method="d20: the reference, AC 28",
        work=TRIALS * len(BONUSES),
        unit="attack",
        rounds=10,
        base=True,
    )


@pytest.mark.parametrize("name", GAMES)
def test_other_games(measure, name):
    scenario = analyzer.loads(examples.text(name), source=name)
    wanted, ac = GAMES[name]
    (build,) = (b for b in scenario.builds if b.name == wanted)
    derived = build.derive(scenario.target)
    plan, target = derived.plan, derived.target
    holds(kernel(plan, target, ac, 2**18, 1), 2**18, evaluate(plan, target, (ac,)))
    measure(
        kernel,
        lambda: (plan, target, ac, TRIALS, next(SEEDS)),
        group=GAMES_GROUP,
        method=f"{scenario.system}: {name}, {wanted}, AC {ac}",
        work=TRIALS * len(list(plan.steps)),
        unit="attack",
        rounds=10,
    )
