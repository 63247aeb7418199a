"""The exact engine: the reference over 41 ACs, every distribution built inside the timer, beside `icepool`."""

import numpy as np
import pytest

import analyzer
from analyzer.exact import evaluate
from benchmarks import icepool_sweep

ACS = tuple(range(10, 51))
GROUP = "Exact: the reference over 41 ACs, every distribution built inside the timer"


def test_results_are_equal(reference, forget):
    forget()
    found = evaluate(*reference, ACS)
    np.testing.assert_allclose(found.pmf, icepool_sweep.table(icepool_sweep.rounds(ACS), found.pmf.shape[1]), rtol=1e-12, atol=0)


def test_caches_are_emptied(reference, forget):
    """What is timed starts from nothing: the second call after emptying is as new as the first."""
    from analyzer.exact.damage import packet_pmf  # noqa: PLC0415 - the cache itself is looked at here only

    evaluate(*reference, ACS)
    assert packet_pmf.cache_info().currsize
    forget()
    assert not packet_pmf.cache_info().currsize


@pytest.mark.benchmark
def test_engine(measure, reference, forget):
    def fresh():
        forget()
        return (*reference, ACS)

    found = measure(evaluate, fresh, group=GROUP, method="analyzer, engine", work=len(ACS), unit="AC", rounds=300, base=True)
    assert found.pmf.shape[0] == len(ACS)


@pytest.mark.benchmark
def test_question(measure, build, target, forget):
    """The same as a user asks it, from the build to the DataFrame."""

    def fresh():
        forget()
        return (build, ACS)

    def ask(*arguments):
        return analyzer.curve(*arguments, target=target)

    answer = measure(ask, fresh, group=GROUP, method="analyzer, `curve` with its DataFrame", work=len(ACS), unit="AC", rounds=100)
    assert len(answer) == len(ACS)


@pytest.mark.benchmark
def test_icepool(measure):
    found = measure(icepool_sweep.rounds, lambda: (ACS,), group=GROUP, method="icepool", work=len(ACS), unit="AC", rounds=5)
    assert len(found) == len(ACS)
