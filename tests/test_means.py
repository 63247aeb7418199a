"""Means of many plans at once against the whole answer of each: every field of the plan, mixed shapes, any numbers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.exact import evaluate, lower_means, means
from analyzer.plan import Plan, PlanError, Step, Target, Turn
from tests.plans import ACS, CASES, TURNS, A, B, line

PAIRS = [pair for twins in CASES.values() for pair in twins]


def singly(plans, targets, acs):
    return np.array([evaluate(plan, target, acs, pmf=False).dpr for plan, target in zip(plans, targets, strict=True)])


def shifted(plan, bonus, threat_from):
    """A plan of the same shape with other numbers."""

    def other(attack):
        return attack and replace(attack, bonus=attack.bonus + bonus, check=replace(attack.check, threat_from=threat_from))

    return Plan(turns=tuple(Turn(steps=tuple(replace(step, variants=tuple(map(other, step.variants))) for step in turn.steps)) for turn in plan.turns))


def test_every_field_at_once():
    plans, targets = zip(*PAIRS, strict=True)
    acs = range(-5, 45)
    np.testing.assert_allclose(means(plans, targets, acs), singly(plans, targets, acs), rtol=1e-12, atol=0)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    chosen=st.lists(st.tuples(st.sampled_from(PAIRS), st.integers(-9, 9), st.integers(10, 21)), min_size=1, max_size=6),
    acs=st.lists(st.integers(-30, 60), min_size=1, max_size=4),
)
def test_any_plans(chosen, acs):
    plans, targets = [shifted(plan, bonus, threat) for (plan, _), bonus, threat in chosen], [target for (_, target), _, _ in chosen]
    np.testing.assert_allclose(means(plans, targets, acs), singly(plans, targets, acs), rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["steps", "degree 3 its own", "skipped keeps the state", "turns of other sizes"])
def test_plans_of_one_shape_beside_another_shape(name):
    """Enough plans for several chunks, in an order that mixes shapes."""
    target = Target(ac=(12,))
    plans = [shifted(plan, k % 7, 15 + k % 5) for k in range(300) for plan in (TURNS[name][0], TURNS["empty round"][0], line(Step(variants=(B,))))]
    np.testing.assert_allclose(means(plans, target, ACS * 5), singly(plans, [target] * len(plans), ACS * 5), rtol=1e-12, atol=0)


def test_defences_follow_the_sweep_or_stay():
    """Each plan sweeps the defence of its own first attack; others follow by the same difference or stay."""
    first, second, still = (Step(variants=(replace(A, defence=d),)) for d in range(3))
    plans = [line(first, second, still), line(second, first, still), line(still, second, first), line(still, still, still)]
    target = Target(ac=(15, 12, 5), follows_sweep=(True, True, False))
    found = means(plans, target, range(40))
    np.testing.assert_allclose(found, singly(plans, [target] * 4, range(40)), rtol=1e-12, atol=0)
    assert (found[3] == found[3, 0]).all()
    assert found[0, 15] != found[1, 15]


def test_lowered_once_and_asked_again():
    plan, target = PAIRS[0]
    lowered = lower_means([plan, plan], target)
    assert lowered.dpr(range(10, 20)).shape == (2, 10)
    assert lowered.dpr([12])[1, 0] == lowered.dpr(range(10, 20))[0, 2]
    assert lowered.dpr([]).shape == (2, 0)
    assert means([], target, [12]).shape == (0, 1)


def test_refusals_name_what_is_wrong():
    plan, target = PAIRS[0]
    with pytest.raises(ValueError, match="target must be one Target or 2, one per plan; got 1"):
        means([plan, plan], [target], [12])
    with pytest.raises(TypeError, match="acs must be a sequence of integers"):
        means([plan], target, [1.5])
    with pytest.raises(PlanError, match=r"defence of 'first' must be below 1.*got 1"):
        means([line(Step(variants=(replace(A, defence=1),)))], target, [12])
