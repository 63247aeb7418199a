"""The PMF against fractions: far tails to 1e-12 relative, and every operation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from analyzer.plan import Die, PlanError
from analyzer.pmf import MAX_SUPPORT, PMF, die_pmf
from tests.plan_interpreter import roll_die
from tests.referees.harness import enumerate_rounds


def fractions(pmf):
    return {int(v): p for v, p in zip(pmf.values, pmf.p, strict=True) if p}


def ways(sides, count):
    """Ways to throw each sum of ``count`` dice, exact integers from ``count`` on."""
    sums = [1]
    for _ in range(count):
        longer = [0] * (len(sums) + sides - 1)
        for i, w in enumerate(sums):
            for face in range(sides):
                longer[i + face] += w
        sums = longer
    return sums


@pytest.mark.parametrize(("sides", "count"), [(6, 1), (6, 20), (6, 200), (6, 370), (10, 97), (1000, 3)])
def test_every_probability_and_tail_of_many_dice(sides, count):
    pmf = die_pmf(Die(sides=sides, count=count))
    exact = ways(sides, count)
    assert pmf.low == count
    assert pmf.p.size == len(exact)
    tail = 0
    for total in range(sides * count, count - 1, -1):
        tail += exact[total - count]
        for got, want in ((pmf.chance(total), exact[total - count]), (pmf.tail(total), tail)):
            assert abs(Fraction(got) / Fraction(want, sides**count) - 1) < 1e-12


@pytest.mark.parametrize(
    "die",
    [
        Die(sides=6, count=0),
        Die(sides=1, count=3),
        Die(sides=6, reroll_to=2),
        Die(sides=6, count=2, at_least=3),
        Die(sides=4, count=2, best_of=2),
        Die(sides=6, sign=-1, count=2),
        Die(sides=4, count=2, reroll_to=1, at_least=2, best_of=2, sign=-1),
        Die(sides=3, best_of=4, reroll_to=2),
    ],
)
def test_die(die):
    exact = enumerate_rounds(lambda roll: roll_die(die, roll)) if die.count else {0: 1}
    assert fractions(die_pmf(die)) == pytest.approx({v: float(p) for v, p in exact.items()}, rel=1e-12)
    assert (die_pmf(die).low, die_pmf(die).high) == (die.lowest, die.highest)


def test_best_of_keeps_small_chances():
    tiny = PMF(0, np.array([1e-200, 1e-9, 1 - 1e-9 - 1e-17, 1e-17]))
    best = tiny.best_of(4)
    assert best.tail(3) == pytest.approx(4e-17, rel=1e-12)
    assert best.chance(1) == pytest.approx(1e-36, rel=1e-12)


def test_operations():
    d4, d6 = die_pmf(Die(sides=4)), die_pmf(Die(sides=6))
    pairs = list(product(range(1, 5), range(1, 7)))
    assert fractions(d4 + d6) == pytest.approx({s: sum(a + b == s for a, b in pairs) / 24 for s in range(2, 11)})
    assert fractions(d4.map(lambda x: x // 2)) == pytest.approx({0: 0.25, 1: 0.5, 2: 0.25})
    assert fractions(d4.floor(3)) == pytest.approx({3: 0.75, 4: 0.25})
    assert fractions(d4.floor(9)) == {9: 1}
    assert d4.floor(None) is d4
    assert fractions(d4.scale(3)) == pytest.approx({3: 0.25, 6: 0.25, 9: 0.25, 12: 0.25})
    assert fractions(d4.scale(0)) == {0: 1}
    assert fractions(d4.repeat(0)) == {0: 1}
    assert fractions(d4.repeat(3)) == pytest.approx(fractions(d4 + d4 + d4))
    assert fractions(d4.negate().shift(5)) == pytest.approx(fractions(d4))
    assert fractions(PMF.mix([(0.5, d4), (0.5, PMF.point(9)), (0.0, PMF.point(99))])) == pytest.approx({1: 1 / 8, 2: 1 / 8, 3: 1 / 8, 4: 1 / 8, 9: 0.5})
    assert d6.mean == pytest.approx(3.5, rel=1e-15)
    assert d6.variance == pytest.approx(35 / 12, rel=1e-15)
    assert d6.shift(10**9).variance == pytest.approx(35 / 12, rel=1e-15)
    assert (PMF.point(7).mean, PMF.point(7).variance, d4.chance(9), d4.tail(5)) == (7, 0, 0, 0)


def test_values_are_trimmed_and_read_only():
    pmf = PMF(3, np.array([0.0, 0.25, 0.0, 0.75, 0.0]))
    assert (pmf.low, pmf.high, pmf.p.size) == (4, 6, 3)
    with pytest.raises(ValueError, match="read-only"):
        pmf.p[0] = 1
    with pytest.raises(AttributeError):
        pmf.low = 1


def test_what_is_too_wide_is_refused():
    wide = PMF.mix([(0.5, PMF.point(0)), (0.5, PMF.point(MAX_SUPPORT - 1))])
    for refused in (lambda: wide + wide, lambda: wide.repeat(2), lambda: wide.scale(2), lambda: wide.map(lambda x: 2 * x)):
        with pytest.raises(PlanError, match=f"at most {MAX_SUPPORT}"):
            refused()
    with pytest.raises(PlanError, match="at most"):
        PMF.point(1).map(lambda x: x * 2**50)
    with pytest.raises(PlanError, match="chances"):
        PMF(0, np.zeros(3))
