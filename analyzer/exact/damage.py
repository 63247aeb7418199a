"""Damage of one attack at one degree: step 9 of the plan, on whole distributions, never on means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol, Self, TypeVar

import numpy as np

from analyzer.exact.defender import Defender
from analyzer.plan import HIT, LANDINGS, Area, Packet, Packets, Part, PlanError, Reduction, Roll
from analyzer.pmf import NOTHING, PMF, Integers, add_up, dice_pmf, weigh

#: Most joint part sums enumerated when creatures with different reductions share one roll.
MAX_JOINT = 2**22

Reductions = tuple[Reduction, ...]
#: Alternatives out of the 32 scattered landings, each with the reductions of every creature caught and how many have them.
Hurt = tuple[tuple[int, tuple[tuple[Reductions, int], ...]], ...]


class _Addable(Protocol):
    def __add__(self, other: Self, /) -> Self: ...


_Amount = TypeVar("_Amount", bound=_Addable)


@dataclass(frozen=True, slots=True, eq=False)
class Damage:
    """The damage of an attack: alternatives, each a weight and the independent PMFs of its packets.

    ``mean`` (points), ``variance``, ``none`` (chance of 0 points) and ``highest`` need no convolution over packets; `damage_pmf` does it.
    """

    alternatives: tuple[tuple[float, tuple[PMF, ...]], ...]
    mean: float
    variance: float
    none: float
    highest: int

    @classmethod
    def of(cls, alternatives: tuple[tuple[float, tuple[PMF, ...]], ...]) -> Self:
        """Damage with its moments worked out."""
        means, spreads, nones, highs = zip(*(_packets_together(packets) for _, packets in alternatives), strict=True)
        weights = [weight for weight, _ in alternatives]
        # From the first, so that a sure amount stays exact.
        mean = means[0] + sum(weight * (one - means[0]) for weight, one in zip(weights, means, strict=True))
        return cls(
            alternatives=alternatives,
            mean=mean,
            variance=sum(weight * (spread + (one - mean) ** 2) for weight, one, spread in zip(weights, means, spreads, strict=True)),
            none=sum(weight * none for weight, none in zip(weights, nones, strict=True)),
            highest=max(highs),
        )


def _packets_together(packets: tuple[PMF, ...]) -> tuple[float, float, float, int]:
    """Mean, variance, the chance of 0 and the highest of independent packets."""
    mean, variance, none, high = 0.0, 0.0, 1.0, 0
    for one in packets:
        middle, spread = one.moments()
        mean, variance, none, high = mean + middle, variance + spread, none * one.chance(0), high + one.high
    return mean, variance, none, high


@lru_cache(maxsize=256)
def damage_pmf(damage: Damage) -> PMF:
    """The distribution of an attack's damage in points."""
    (weight, packets), *others = damage.alternatives
    return PMF.mix((weight, add_up(packets)) for weight, packets in damage.alternatives) if others or weight != 1 else add_up(packets)


def damage(packets: Packets, area: Area | None, degree: int, precision: bool, target: Defender) -> Damage:
    """The damage of ``packets``, dealt at a final ``degree`` with or without their precision rolls."""
    return _damage(packets, precision and not target.immune_precision, _landings(area, degree, target))


def _landings(area: Area | None, degree: int, target: Defender) -> Hurt:
    """Who is hurt by an attack of a final ``degree``, and how likely."""
    if area is None or (degree < HIT and not area.scatters):
        return ((LANDINGS - 1, ((target.reductions[0], 1),)),)
    rows = area.caught[:1] * (LANDINGS - 1) if degree >= HIT else area.caught[1:]
    kind = [target.reductions.index(reductions) for reductions in target.reductions]
    hurt = Counter(tuple(sorted(Counter(k for k, caught in zip(kind, row, strict=False) if caught).items())) for row in rows)
    return tuple((count, tuple((target.reductions[k], number) for k, number in creatures)) for creatures, count in hurt.items())


@lru_cache(maxsize=512)
def _damage(packets: Packets, precision: bool, landings: Hurt) -> Damage:
    return Damage.of(tuple((count / (LANDINGS - 1), tuple(packet_pmf(packet, precision, creatures) for packet in packets)) for count, creatures in landings))


@lru_cache(maxsize=512)
def packet_pmf(packet: Packet, precision: bool, creatures: tuple[tuple[Reductions, int], ...]) -> PMF:
    """The summed damage of one packet to all ``creatures``, which share one roll.

    Parameters
    ----------
    packet
        Rolled once.
    precision
        Whether its precision rolls count.
    creatures
        Reductions, and how many creatures have them; none caught is 0 damage.

    Raises
    ------
    PlanError
        When different reductions act on more than `MAX_JOINT` joint part sums.
    """
    if not creatures:
        return NOTHING
    parts = [(part.type, part_pmf(part, precision)) for part in packet.parts]
    if len(creatures) == 1:
        (reductions, count) = creatures[0]
        groups = [(frozenset((kind,)), pmf) for kind, pmf in parts]
        reduced = _through([(frozenset(), NOTHING), *groups], reductions, _reduced)
        kept = reduced.floor(0) if packet.keep == (1, 1) else reduced.map(partial(_keep, packet.keep))
        return kept.scale(count)
    return _shared(parts, packet.keep, creatures)


def _shared(parts: Sequence[tuple[str, PMF]], keep: tuple[int, int], creatures: tuple[tuple[Reductions, int], ...]) -> PMF:
    """Summed damage to creatures of different reductions: the joint of the part sums, parts that no reduction tells apart taken as one."""
    alike: dict[tuple[bool, ...], tuple[frozenset[str], PMF]] = {}
    for kind, pmf in parts:
        signature = tuple(r.covers(kind) for reductions, _ in creatures for r in reductions)
        types, so_far = alike.get(signature, (frozenset(), NOTHING))
        alike[signature] = (types | {kind}, so_far + pmf)
    joint = int(np.prod([float(pmf.p.size) for _, pmf in alike.values()]))
    if joint > MAX_JOINT:
        raise PlanError(f"an area attack on creatures of different reductions must have at most {MAX_JOINT} joint part sums; got {joint}")
    axes = np.ix_(*(pmf.values for _, pmf in alike.values()))
    chances = np.ix_(*(pmf.p for _, pmf in alike.values()))
    groups = [(types, axis) for (types, _), axis in zip(alike.values(), axes, strict=True)]
    total = np.zeros((1,) * len(axes), dtype=np.int64)
    for reductions, count in creatures:
        reduced = _through([(frozenset(), np.zeros_like(total)), *groups], reductions, _reduce)
        total = total + count * _keep(keep, reduced)
    weight = np.ones_like(total, dtype=np.float64)
    for chance in chances:
        weight = weight * chance
    return weigh(np.broadcast_to(total, weight.shape), weight)


def _through(
    groups: Sequence[tuple[frozenset[str], _Amount]],
    reductions: Reductions,
    reduce: Callable[[Reduction, _Amount], _Amount],
) -> _Amount:
    """The sum of the parts after the reductions, each of which merges what it covers; amounts are PMFs or arrays of joint values."""
    left = list(groups)
    for reduction in reductions:
        covered = [group for group in left if any(map(reduction.covers, group[0]))]
        if covered:
            left = [group for group in left if not any(map(reduction.covers, group[0]))]
            types: frozenset[str] = frozenset().union(*(group[0] for group in covered))
            left.append((types, reduce(reduction, _sum([amount for _, amount in covered]))))
    return _sum([amount for _, amount in left])


def _sum(amounts: Sequence[_Amount]) -> _Amount:
    total = amounts[0]
    for amount in amounts[1:]:
        total = total + amount
    return total


def _reduced(reduction: Reduction, x: PMF) -> PMF:
    change = reduction.add - reduction.subtract
    if reduction.keep == (1, 1) and (change <= 0 or x.low > 0):
        return x.shift(change).floor(0)
    return x.map(partial(_reduce, reduction))


def _reduce(reduction: Reduction, x: Integers) -> Integers:
    n, d = reduction.keep
    kept = -(-x * n // d) if reduction.up else x * n // d
    return np.where(x > 0, np.maximum(kept + (reduction.add - reduction.subtract), 0), 0)


def _keep(keep: tuple[int, int], x: Integers) -> Integers:
    return np.maximum(x, 0) * keep[0] // keep[1]


def part_pmf(part: Part, precision: bool) -> PMF:
    """The distribution of a part's sum before reductions, with or without its precision rolls."""
    return add_up(roll_pmf(roll) for roll in part.rolls if precision or not roll.precision).floor(part.minimum)


@lru_cache(maxsize=512)
def roll_pmf(roll: Roll) -> PMF:
    """The distribution of one damage roll."""
    if roll.times == 0 or roll.scale == 0:
        return NOTHING
    return dice_pmf(roll.dice).shift(roll.flat).floor(roll.minimum).best_of(roll.best_of).repeat(roll.times).scale(roll.scale)
