"""A fight to the death: chances to be dead by each of 12 rounds, everything built inside the timer, beside `icepool`; by CPU time."""

from itertools import islice
from time import process_time

import numpy as np
import pytest

import analyzer
from analyzer.exact import march, strike
from analyzer.pmf import PMF
from benchmarks import icepool_fight
from benchmarks.icepool_fight import AC, HIT_POINTS, ROUNDS, THREAT_FROM
from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, WEAPON_DICE, WEAPON_FLAT

pytestmark = pytest.mark.benchmark(timer=process_time)

GROUP = f"Exact: dead by each of {ROUNDS} rounds ({HIT_POINTS} HP, AC {AC}), everything built inside the timer"
ENGINE, ICEPOOL = "analyzer, engine (by attack, with overkill)", "icepool, `time_to_sum`"


@pytest.fixture(scope="module")
def fighter():
    weapon = f"{WEAPON_DICE}d6+{WEAPON_FLAT}"
    extra = [f"{EXTRA_DICE}d6"]
    return analyzer.statblock(BONUSES, weapon, critical=f"{THREAT_FROM}-20/x2", extra=extra, system="srd35", name="fighter")


@pytest.fixture(scope="module")
def foe():
    return analyzer.target(system="srd35", ac=AC, reduction={"physical": REDUCTION}, hp=HIT_POINTS)


@pytest.fixture(scope="module")
def side(fighter, foe):
    derived = fighter.derive(foe)
    return derived.plan, derived.target


def fight(plan, target):
    """Chance to be dead by each round."""
    rounds = march((strike(plan, target, (AC,), HIT_POINTS),), 0, PMF.point(HIT_POINTS))
    return np.cumsum([dead.sum() for dead in islice(rounds, ROUNDS)])


def test_results_are_equal(side, forget):
    forget()
    np.testing.assert_allclose(fight(*side), icepool_fight.chances(icepool_fight.dead_by_round()), rtol=1e-12, atol=0)


def test_engine(measure, side, forget):
    def fresh():
        forget()
        return side

    found = measure(fight, fresh, group=GROUP, method=ENGINE, work=1, unit="fight", rounds=300, base=True)
    assert found.shape == (ROUNDS,)


def test_question(measure, fighter, foe, forget):
    """As a user asks it, from the build to the DataFrame, with the mean and the quantiles of the rounds."""

    def fresh():
        forget()
        return (fighter,)

    answer = measure(
        lambda build: analyzer.kill(build, target=foe), fresh, group=GROUP, method="analyzer, `kill` from build to DataFrame", work=1, unit="fight", rounds=100
    )
    assert len(answer) == 1


def test_peer(measure):
    found = measure(icepool_fight.dead_by_round, tuple, group=GROUP, method=ICEPOOL, work=1, unit="fight", rounds=5)
    assert len(found) == ROUNDS + 1
