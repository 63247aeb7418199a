"""Means of a grid of designs over 41 ACs, beside plain NumPy and `icepool` a build at a time; by CPU time."""

from time import process_time

import numpy as np
import pytest

from analyzer.exact import evaluate, lower_means, means
from analyzer.exact.layout import layout
from benchmarks.design_grid import GRID, by_icepool, by_numpy

pytestmark = pytest.mark.benchmark(timer=process_time)

ACS = tuple(range(10, 51))
GROUP = f"Means alone: {len(GRID):,} builds of more than 1,000 different damages over 41 ACs, a cell per build and AC"
LOWERED, NUMPY, ICEPOOL = "analyzer, plans in arrays", "NumPy, expressions over attacks and ACs per build", "icepool, each needed face once a build"
#: Each peer with the part of the grid that it is given.
PEERS = {NUMPY: (by_numpy, GRID), ICEPOOL: (by_icepool, GRID[1::240])}


@pytest.fixture(scope="module")
def plans(target):
    """The plans of the grid, each with its target."""
    derived = [design.build().derive(target) for design in GRID]
    return [one.plan for one in derived], [one.target for one in derived]


def test_results_are_equal(plans):
    found = means(*plans, ACS)
    np.testing.assert_allclose(found, by_numpy(GRID, ACS), rtol=1e-12)
    np.testing.assert_allclose(found[1::240], by_icepool(GRID[1::240], ACS), rtol=1e-12)
    for k in range(1, len(GRID), 240):
        np.testing.assert_allclose(found[k], evaluate(plans[0][k], plans[1][k], ACS).dpr, rtol=1e-12)


def test_the_grid_is_as_large_as_said(plans):
    blows = [blow for plan, target in zip(*plans, strict=True) for blow in layout(plan, target).blows]
    assert len({(one.mean, one.variance) for blow in blows for one in blow.damage if one.highest}) > 1000


def test_lowered(measure, plans):
    lowered = lower_means(*plans)
    measure(lowered.dpr, lambda: (ACS,), group=GROUP, method=LOWERED, work=len(GRID) * len(ACS), unit="cell", rounds=50, base=True)


def test_from_plans(measure, plans, forget):
    """Every distribution of damage built inside the timer."""

    def fresh():
        forget()
        return (*plans, ACS)

    measure(means, fresh, group=GROUP, method="analyzer, from plans", work=len(GRID) * len(ACS), unit="cell", rounds=3)


@pytest.mark.parametrize("method", PEERS)
def test_peer(measure, method):
    play, designs = PEERS[method]
    measure(play, lambda: (designs, ACS), group=GROUP, method=method, work=len(designs) * len(ACS), unit="cell", rounds=5)
