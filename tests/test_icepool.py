"""Every damage distribution of the exact engine against icepool, an independent library of exact dice (test only)."""

from fractions import Fraction
from functools import reduce

import pytest

from analyzer import example, examples
from analyzer.exact.damage import damage, damage_pmf
from analyzer.plan import DEGREES
from tests.plans import CASES

icepool = pytest.importorskip("icepool")


def die_of(die):
    one = icepool.d(die.sides)
    if die.reroll_to:
        one = icepool.map(lambda face: icepool.d(die.sides) if face <= die.reroll_to else face, one)
    one = one.map(lambda face: max(face, die.at_least))
    return die.sign * (die.count @ icepool.highest(one, one, keep=1) if die.best_of == 2 else die.count @ one.highest(die.best_of))


def roll_of(roll):
    total = sum((die_of(die) for die in roll.dice if die.count), icepool.Die([0])) + roll.flat
    if roll.minimum is not None:
        total = total.map(lambda points: max(points, roll.minimum))
    return roll.scale * (roll.times @ total.highest(roll.best_of)) if roll.times else icepool.Die([0])


def part_of(part, precision):
    rolls = (roll_of(roll) for roll in part.rolls if precision or not roll.precision)
    return sum(rolls, icepool.Die([0])).map(lambda points: max(points, part.minimum))


def packet_of(packet, precision, reductions):
    """A packet's damage to one creature: parts that are reduced together are independent of the others, so groups may be summed apart."""
    groups = [({part.type}, part_of(part, precision)) for part in packet.parts]
    for reduction in reductions:
        covered = [group for group in groups if any(map(reduction.covers, group[0]))]
        if covered:
            types = set().union(*(kinds for kinds, _ in covered))
            together = sum((points for _, points in covered), icepool.Die([0])).map(reduction)
            groups = [group for group in groups if group not in covered] + [(types, together)]
    n, d = packet.keep
    return sum((points for _, points in groups), icepool.Die([0])).map(lambda points: max(0, points) * n // d)


def hold(plan, target):
    held = 0
    for step in plan.steps:
        for attack in step.variants:
            if attack is None or attack.area is not None:
                continue
            for degree in range(DEGREES):
                for precision in (True, False):
                    dealt = precision and not target.immune_precision
                    packets = attack.on[degree]
                    peer = reduce(lambda x, y: x + y, (packet_of(p, dealt, target.reductions[0]) for p in packets), icepool.Die([0]))
                    found = damage_pmf(damage(packets, None, degree, precision, target))
                    chances = {outcome: Fraction(quantity, peer.denominator()) for outcome, quantity in peer.items()}
                    assert found.low == min(chances)
                    assert found.high == max(chances)
                    expected = [float(chances.get(total, 0)) for total in range(found.low, found.high + 1)]
                    assert found.p.tolist() == pytest.approx(expected, rel=1e-12, abs=0)
                    held += 1
    return held


@pytest.mark.parametrize("name", examples.names())
def test_examples(name):
    scenario = example(name)
    held = 0
    for build in scenario.builds:
        derived = build.derive(scenario.target)
        held += hold(derived.plan, derived.target)
    assert held or "grenade" in name


@pytest.mark.parametrize("name", CASES)
def test_every_field(name):
    for plan, target in CASES[name]:
        hold(plan, target)
