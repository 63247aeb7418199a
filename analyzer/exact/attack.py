"""What one attack can come to, against a sweep of defences: each outcome's chance, degree and damage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analyzer.exact.check import after_target, check_table, columns
from analyzer.exact.damage import Damage, damage
from analyzer.plan import CRITICAL, DEGREES, HIT, Area, Attack, Check, Packets, PlanError, Target
from analyzer.pmf import Floats, Integers

#: What is counted per round: damage points, hits, criticals.
DAMAGE, HITS, CRITICALS = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """The outcomes of an attack, independent of bonus and defence.

    Parameters
    ----------
    low, table : (n_outcome + 5, n_need) float64, chance 0..1
        Rows by need, as in `CheckTable`: each outcome, then the four degrees, then the threat.
    degree : (n_outcome,) degrees
    damage : (n_outcome,) `Damage`
    mean, variance : (n_outcome, 3, 1) float64
        Of damage points, hits and criticals.
    none : (n_outcome, 3, 1) float64, chance 0..1
        That there is no damage, no hit, no critical.
    """

    low: int
    table: Floats
    degree: tuple[int, ...]
    damage: tuple[Damage, ...]
    mean: Floats
    variance: Floats
    none: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Swing:
    """An attack and its outcomes against a sweep.

    Parameters
    ----------
    chance : (n_outcome, n_ac) float64, chance 0..1
    degrees : (4, n_ac) float64, chance 0..1
    threat : (n_ac,) float64, chance 0..1
    """

    attack: Attack
    outcomes: Outcomes
    chance: Floats
    degrees: Floats
    threat: Floats


def swing(attack: Attack, target: Target, defences: Integers) -> Swing:
    """The outcomes of an attack against ``defences``, (n_ac, n_defences) int64.

    Raises
    ------
    PlanError
        When the target lacks the defence aimed at, or reductions for a creature of the area.
    """
    if attack.defence >= len(target.ac):
        raise PlanError(f"defence of {attack.label!r} must be below {len(target.ac)}, the target's number of defences; got {attack.defence}")
    creatures = 1 if attack.area is None else len(attack.area.caught[0])
    if creatures > len(target.reductions):
        raise PlanError(f"reductions must be {creatures} tuples, one per creature of {attack.label!r}; got {len(target.reductions)}")
    dealt = tuple(attack.deals(degree) for degree in range(DEGREES))
    outcomes = _outcomes(attack.check, attack.on, dealt, attack.area, target.but(ac=(0,), follows_sweep=(True,), hp=None))
    where = columns(attack.check, outcomes.low, outcomes.table.shape[1], attack.bonus, defences[:, attack.defence])
    rows = outcomes.table.take(where, axis=1)
    n = len(outcomes.degree)
    return Swing(attack=attack, outcomes=outcomes, chance=rows[:n], degrees=rows[n : n + DEGREES], threat=rows[n + DEGREES])


@lru_cache(maxsize=512)
def _outcomes(check: Check, on: tuple[Packets, ...], dealt: tuple[int, ...], area: Area | None, target: Target) -> Outcomes:
    """The outcomes that are possible at some need; equal degrees and damages are one outcome."""
    holds_precision = tuple(any(packet.precision for packet in on[d]) for d in dealt)
    by_check = check_table(check)
    chances = after_target(check, holds_precision, target)
    rows: dict[tuple[int, Damage], Floats] = {}
    for degree in range(DEGREES):
        for dropped in (0, 1):
            chance = chances[degree, dropped]
            if chance.any():
                dealing = damage(on[dealt[degree]], area, degree, not dropped and holds_precision[degree], target)
                rows[degree, dealing] = rows.get((degree, dealing), 0) + chance
    degrees = tuple(degree for degree, _ in rows)
    damages = tuple(dealing for _, dealing in rows)
    mean = [[dealing.mean, degree >= HIT, degree == CRITICAL] for degree, dealing in rows]
    none = [[dealing.none, degree < HIT, degree < CRITICAL] for degree, dealing in rows]
    return Outcomes(
        low=by_check.low,
        table=np.vstack([*rows.values(), chances.sum(axis=1), by_check.threat]),
        degree=degrees,
        damage=damages,
        mean=np.array(mean, dtype=np.float64)[:, :, np.newaxis],
        variance=np.array([[dealing.variance, 0, 0] for dealing in damages])[:, :, np.newaxis],
        none=np.array(none, dtype=np.float64)[:, :, np.newaxis],
    )
