"""Three Strikes of a greatpick by our `pathfinder2` game and by `pathfinder2e_stats`, equal work of its own rules; one thread, by CPU time."""

from time import process_time

import pytest

import analyzer
from analyzer.exact import evaluate
from benchmarks import ours, pathfinder2e_peer
from benchmarks.ours import KERNEL, SEEDS

pytestmark = [pytest.mark.benchmark(timer=process_time), pytest.mark.filterwarnings("default")]

GROUP = "Simulation: Pathfinder 2, three Strikes of a greatpick, one thread"
#: The peer with its rounds per call.
PEERS = {"pathfinder2e_stats, 10^5 rounds a call (its own size)": 100_000, "pathfinder2e_stats, 10^4 rounds a call": 10_000}


@pytest.fixture(scope="module")
def strikes():
    numbers = dict(pathfinder2e_peer.STATBLOCK)
    build = analyzer.statblock(
        numbers.pop("attack"), numbers.pop("damage"), system="pathfinder2", striking=pathfinder2e_peer.DICE - 1, fatal=f"d{pathfinder2e_peer.FATAL}", **numbers
    )
    derived = build.derive(analyzer.target("pathfinder2", ac=pathfinder2e_peer.AC))
    return derived.plan, derived.target


@pytest.mark.parametrize("method", [KERNEL, *PEERS])
def test_results_are_equal(strikes, method):
    trials = PEERS.get(method, 100_000)
    found = ours.counts(*strikes, pathfinder2e_peer.AC, trials, 1) if method == KERNEL else pathfinder2e_peer.play(trials, 1)
    ours.holds(found, trials, evaluate(*strikes, (pathfinder2e_peer.AC,)))


@pytest.mark.parametrize("method", [KERNEL, *PEERS])
def test_method(measure, size, strikes, method):
    trials = size(PEERS.get(method, 2**19))
    if method == KERNEL:
        called, fresh = ours.counts, lambda: (*strikes, pathfinder2e_peer.AC, trials, next(SEEDS))
    else:
        called, fresh = pathfinder2e_peer.play, lambda: (trials, next(SEEDS))
    found = measure(
        called, fresh, group=GROUP, method=method, work=trials * len(pathfinder2e_peer.BONUSES), unit="attack", rounds=15, base=method == KERNEL
    )  # fmt: skip
    assert found.histogram.sum() == trials
