"""The exact engine: the reference over 41 ACs, every distribution built inside the timer, beside `icepool` and `dyce`; by CPU time."""

from time import process_time

import numpy as np
import pytest

import analyzer
from analyzer.exact import evaluate
from analyzer.exact.damage import packet_pmf
from benchmarks import dyce_sweep, icepool_sweep

pytestmark = pytest.mark.benchmark(timer=process_time)

ACS = tuple(range(10, 51))
GROUP = "Exact: distributions of the reference over 41 ACs, everything built inside the timer"
ENGINE, ICEPOOL, DYCE = "analyzer, engine", "icepool, each needed face once", "dyce, each needed face once"
#: Each peer and how its rounds become a table.
PEERS = {
    ICEPOOL: (icepool_sweep.by_counting, icepool_sweep.table),
    "icepool, mapped over the d20": (icepool_sweep.by_rolling, icepool_sweep.table),
    DYCE: (dyce_sweep.by_counting, dyce_sweep.table),
}


@pytest.mark.parametrize("method", PEERS)
def test_results_are_equal(reference, forget, method):
    forget()
    found = evaluate(*reference, ACS)
    play, table = PEERS[method]
    np.testing.assert_allclose(found.pmf, table(play(ACS), found.pmf.shape[1]), rtol=1e-12, atol=0)


def test_caches_are_emptied(reference, forget):
    """What is timed starts from nothing."""
    evaluate(*reference, ACS)
    assert packet_pmf.cache_info().currsize
    forget()
    assert not packet_pmf.cache_info().currsize


def test_engine(measure, reference, forget):
    def fresh():
        forget()
        return (*reference, ACS)

    found = measure(evaluate, fresh, group=GROUP, method=ENGINE, work=len(ACS), unit="AC", rounds=300, base=True)
    assert found.pmf.shape[0] == len(ACS)


def test_engine_asked_again(measure, reference):
    """What a second build with the same damage costs: its distributions are remembered, the round's is not."""
    method = "analyzer, engine, damages known from the last call"
    found = measure(evaluate, lambda: (*reference, ACS), group=GROUP, method=method, work=len(ACS), unit="AC", rounds=300)
    assert found.pmf.shape[0] == len(ACS)


def test_question(measure, build, target, forget):
    """The same as a user asks it, from the build to the DataFrame."""

    def fresh():
        forget()
        return (build, ACS)

    def ask(*arguments):
        return analyzer.curve(*arguments, target=target)

    answer = measure(ask, fresh, group=GROUP, method="analyzer, `curve` from build to DataFrame", work=len(ACS), unit="AC", rounds=100)
    assert len(answer) == len(ACS)


@pytest.mark.parametrize("method", PEERS)
def test_peer(measure, method):
    found = measure(PEERS[method][0], lambda: (ACS,), group=GROUP, method=method, work=len(ACS), unit="AC", rounds=5)
    assert len(found) == len(ACS)
