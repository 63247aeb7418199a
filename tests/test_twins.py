"""Twins: the columns beside an exact figure, and a verdict that notices a wrong one."""

from math import sqrt

import pytest

from analyzer.asking.twins import Twins

TRIALS = 1_000_000


def test_a_chance_has_its_count_beside_it():
    twins = Twins()
    record = twins.chance("here", "hit", exact=0.25, count=250_500, trials=TRIALS)
    assert record["hit"] == 0.25
    assert record["hit_mc"] == 0.2505
    assert record["hit_se"] == pytest.approx(sqrt(0.2505 * 0.7495 / TRIALS))
    assert record["hit_z"] == pytest.approx(0.0005 / sqrt(0.25 * 0.75 / TRIALS))
    assert twins.verdict().agree
    assert twins.verdict().tests == 1


def test_a_wrong_figure_of_each_kind_is_noticed():
    for wrong in (
        lambda twins: twins.chance("here", "hit", exact=0.25, count=260_000, trials=TRIALS),
        lambda twins: twins.chance("here", "hit", exact=0.0, count=1, trials=TRIALS),
        lambda twins: twins.mean("here", "dpr", exact=10.0, sd=5.0, found=10.1, error=0.005, trials=TRIALS),
        lambda twins: twins.estimate("here", "ratio", exact=1.0, found=1.1, error=0.005, trials=TRIALS),
    ):
        twins = Twins()
        twins.chance("there", "hit", exact=0.5, count=500_000, trials=TRIALS)
        wrong(twins)
        assert not twins.verdict().agree
        assert len(twins.verdict().disagreements) == 1


def test_what_cannot_be_judged_is_counted_and_passed_over():
    twins = Twins()
    few = twins.estimate("here", "ratio", exact=1.0, found=2.0, error=0.1, trials=1000)
    rare = twins.estimate("here", "ratio", exact=1.0, found=2.0, error=0.1, trials=TRIALS, occurrences=50)
    still = twins.estimate("here", "ratio", exact=1.0, found=1.0, error=0.0, trials=TRIALS)
    assert few["ratio_z"] == pytest.approx(10.0)
    assert rare["ratio_se"] == 0.1
    assert still["ratio_se"] is None
    assert (twins.verdict().tests, twins.verdict().judged) == (3, 1)
    assert twins.verdict().agree
