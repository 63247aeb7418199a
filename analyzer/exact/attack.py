"""What one attack can come to, tabulated over what it needs: chances, moments and damages, for all outcomes or for those that lead to one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analyzer.exact.check import after_target, check_table
from analyzer.exact.damage import Damage, damage
from analyzer.exact.defender import Defender
from analyzer.exact.moments import TINY
from analyzer.plan import CRITICAL, DEGREES, HIT, Area, Check, Packets
from analyzer.pmf import Floats

#: What is counted per round: damage points, hits, criticals.
COUNTS = 3
DAMAGE, HITS, CRITICALS = range(COUNTS)

#: Rows of a `Blow`'s table; from `DAMAGES` on one per damage.
MASS = 0
MEAN, SPREAD, NONE, SOME = (slice(1 + COUNTS * i, 1 + COUNTS * (i + 1)) for i in range(4))
DEGREE = slice(SOME.stop, SOME.stop + DEGREES)
THREAT = DEGREE.stop
DAMAGES = THREAT + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """The outcomes of an attack, independent of bonus and defence: those that are possible at some need.

    Parameters
    ----------
    low
        The need of the first column, as in `CheckTable`.
    chance : (n_outcome, n_need) float64, chance 0..1
    threat : (n_need,) float64, chance 0..1
    degree : (n_outcome,) degrees
    damage : (n_outcome,) `Damage`
    """

    low: int
    chance: Floats
    threat: Floats
    degree: tuple[int, ...]
    damage: tuple[Damage, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blow:
    """An attack on some of its outcomes, by need.

    Parameters
    ----------
    low
        The need of the first column; constant below the first and above the last.
    table : (DAMAGES + n_damage, n_need) float64
        Mass (chance 0..1); mean and spread (variance x mass), mass without and with any, each of damage points, hits and criticals; chances of the four
        degrees; the threat chance of the whole attack, in the blow of its first outcome; the chance of each damage.
    damage : (n_damage,) `Damage`
    highest
        The most damage points.
    """

    low: int
    table: Floats
    damage: tuple[Damage, ...]
    highest: int


@lru_cache(maxsize=512)
def outcomes(check: Check, on: tuple[Packets, ...], area: Area | None, scattered: bool, target: Defender) -> Outcomes:
    """The outcomes of an attack; equal degrees and damages are one, and ``scattered`` ones below degree 2 deal the packets of degree 2."""
    dealt = [on[HIT if scattered and degree < HIT else degree] for degree in range(DEGREES)]
    holds_precision = tuple(any(packet.precision for packet in packets) for packets in dealt)
    by_check = check_table(check)
    chances = after_target(check, holds_precision, target)
    rows: dict[tuple[int, Damage], Floats] = {}
    for degree, possible in enumerate(np.logical_or.reduce(chances, axis=2).tolist()):
        for dropped in (0, 1):
            if possible[dropped]:
                dealing = damage(dealt[degree], area, degree, not dropped and holds_precision[degree], target)
                chance = chances[degree, dropped]
                rows[degree, dealing] = rows[degree, dealing] + chance if (degree, dealing) in rows else chance
    return Outcomes(
        low=by_check.low,
        chance=np.array(list(rows.values())),
        threat=by_check.threat,
        degree=tuple(degree for degree, _ in rows),
        damage=tuple(dealing for _, dealing in rows),
    )


@lru_cache(maxsize=1024)
def blow(found: Outcomes, rows: tuple[int, ...]) -> Blow:
    """An attack on the outcomes ``rows``."""
    degrees, damages = [found.degree[row] for row in rows], [found.damage[row] for row in rows]
    whole = len(rows) == len(found.degree)
    chance = found.chance if whole else found.chance[list(rows)]
    distinct = tuple(dict.fromkeys(damages))
    counted = [_counted(degree, dealt, distinct) for degree, dealt in zip(degrees, damages, strict=True)]
    table: Floats = np.array(counted).T @ chance
    none, some = table[NONE], table[SOME]
    total = np.maximum(none[HITS] + some[HITS], TINY)
    mean = np.array([dealt.mean for dealt in damages])
    table[MEAN.start] = middle = mean[0] + (mean - mean[0]) @ (chance / total)
    distance = mean[:, np.newaxis] - middle
    table[SPREAD.start] += (distance * distance * chance).sum(axis=0)
    table[MEAN.start + HITS : MEAN.stop] = some[HITS:] / total
    table[SPREAD.start + HITS : SPREAD.stop] = some[HITS:] * (none[HITS:] / total)
    if whole:
        table[MASS] = 1  # sure, whatever the rounding of the sum
    if rows[0] == 0:
        table[THREAT] = found.threat
    return Blow(low=found.low, table=table, damage=distinct, highest=max(dealt.highest for dealt in distinct))


def _counted(degree: int, dealt: Damage, distinct: Sequence[Damage]) -> list[float]:
    """What the chance of one outcome adds to the rows of a table; means, and the spread between outcomes, are no such sums."""
    hit, critical = float(degree >= HIT), float(degree == CRITICAL)
    counted = [1.0, 0.0, 0.0, 0.0, dealt.variance, 0.0, 0.0, dealt.none, 1 - hit, 1 - critical, 1 - dealt.none, hit, critical]
    return counted + [float(degree == one) for one in range(DEGREES)] + [0.0] + [float(dealt is one) for one in distinct]
