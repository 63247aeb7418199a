"""An area attack exactly: where it lands, whom it catches, and the damage to a group that shares one roll or has a roll each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from analyzer.exact.check import after_target, check_table
from analyzer.exact.damage import Reductions, packet_pmf
from analyzer.exact.defender import Defender
from analyzer.exact.layout import check_attack
from analyzer.exact.swings import columns
from analyzer.plan import DEGREES, HIT, LANDINGS, Area, Attack, Packets, PlanError, Target
from analyzer.pmf import Floats, Integers


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Blast:
    """One area attack at one target.

    Parameters
    ----------
    landing : (33,) float64, chance 0..1
        That it lands there, 0 being on the mark; less than 1 in all where a miss lands nowhere.
    caught : (n_creature,) float64, chance 0..1
    number : (n_creature + 1,) float64, chance 0..1
        Of so many creatures caught.
    creature : (n_creature, 2) float64
        Mean damage points to each creature, and mean of their square.
    total : (3,) float64
        Damage points to the whole group: mean, mean square with one roll for all, mean square with a roll for each.
    dealt : (33,) float64, damage points
        To the group when it lands there.
    """

    landing: Floats
    caught: Floats
    number: Floats
    creature: Floats
    total: Floats
    dealt: Floats


@dataclass(frozen=True, slots=True)
class _Case:
    """An outcome: its chance, the landing (-1: nowhere), who is hurt, and the packets."""

    chance: float
    landing: int
    hurt: tuple[int, ...]
    packets: Packets
    precision: bool


def blast(attack: Attack, target: Target, defences: Integers) -> Blast:
    """The figures of an area attack against ``defences``, (n_defences,) int64.

    Raises
    ------
    PlanError
        When it has no area, or the target lacks a defence or a creature.
    """
    if attack.area is None:
        raise PlanError(f"area of {attack.label!r} must be given; got none")
    check_attack(attack, target)
    rows = np.array(attack.area.caught)
    creatures = rows.shape[1]
    landing, dealt = np.zeros(LANDINGS), np.zeros(LANDINGS)
    creature, total = np.zeros((creatures, 2)), np.zeros(3)
    for case in _cases(attack, attack.area, target, int(defences[attack.defence])):
        each = [_moments(case, [target.reductions[c]]) for c in case.hurt]
        mean = sum(one for one, _ in each)
        _, variance = _moments(case, [target.reductions[c] for c in case.hurt])
        for c, (one, spread) in zip(case.hurt, each, strict=True):
            creature[c] += case.chance * np.array((one, spread + one * one))
        total += case.chance * np.array((mean, variance + mean * mean, sum(spread for _, spread in each) + mean * mean))
        if case.landing >= 0:
            landing[case.landing] += case.chance
            dealt[case.landing] += case.chance * mean
    number = np.bincount(rows.sum(axis=1), weights=landing, minlength=creatures + 1).astype(np.float64)
    if not attack.area.scatters:
        number[0] += max(0.0, 1.0 - landing.sum())
    dealt = np.divide(dealt, landing, out=np.zeros_like(dealt), where=landing > 0)
    return Blast(landing=landing, caught=landing @ rows, number=number, creature=creature, total=total, dealt=dealt)


def _cases(attack: Attack, area: Area, target: Target, defence: int) -> Iterator[_Case]:
    """Every outcome that has a chance: degree, precision dropped or not, and landing."""
    dealt = [attack.on[attack.deals(degree)] for degree in range(DEGREES)]
    holds = tuple(any(packet.precision for packet in packets) for packets in dealt)
    chances = after_target(attack.check, holds, Defender.of(target))
    column = int(columns(attack.check, check_table(attack.check).low, chances.shape[2], attack.bonus, np.array(defence)))
    for degree, dropped in product(range(DEGREES), (0, 1)):
        chance = float(chances[degree, dropped, column])
        precision = holds[degree] and not dropped and not target.immune_precision
        if chance == 0.0:
            continue
        if degree < HIT and not area.scatters:
            yield _Case(chance, -1, (0,) if dealt[degree] else (), dealt[degree], precision)
            continue
        places = range(1) if degree >= HIT else range(1, LANDINGS)
        for place in places:
            hurt = tuple(c for c, caught in enumerate(area.caught[place]) if caught)
            yield _Case(chance / len(places), place, hurt, dealt[degree], precision)


def _moments(case: _Case, reductions: Sequence[Reductions]) -> tuple[float, float]:
    """Mean and variance of the damage to creatures of these reductions that share the roll."""
    counted = tuple(Counter(reductions).items())
    found = [packet_pmf(packet, case.precision, counted) for packet in case.packets]
    return sum(pmf.mean for pmf in found), sum(pmf.variance for pmf in found)
