"""Means alone, of many plans over a sweep: a grid of designs, worked out as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.attack import DAMAGE, MASS, MEAN, Blow
from analyzer.exact.layout import Layout, Ways, first_need, layout, whole_numbers
from analyzer.plan import Attack, Plan, Target, swept_defence
from analyzer.pmf import Floats, Integers

#: Look-ups worked on at once, so that they stay in the cache.
_CHUNK = 2**14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Alike:
    """Plans of one shape: the same steps, states and ways between them; only the numbers differ.

    Parameters
    ----------
    turns
        The shape: per turn and step its `Ways`.
    where : (n_plan,) int64
        The places of these plans among all.
    follows, shift, first, last : (n_blow, n_plan, 1) int64
        An attack reads the tables at ``follows * ac + shift``, no lower than ``first`` and no higher than ``last``.
    mass, dealt : (n_column,) float64
        By need, a table per distinct blow side by side: its chance (0..1), and chance x mean damage points.
    """

    turns: tuple[tuple[Ways, ...], ...]
    where: Integers
    follows: Integers
    shift: Integers
    first: Integers
    last: Integers
    mass: Floats
    dealt: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoweredMeans:
    """Plans whose numbers are gathered in arrays, ready for any sweep; made by `lower_means`."""

    n_plans: int
    _groups: tuple[_Alike, ...]

    def dpr(self, acs: Sequence[int]) -> Floats:
        """Mean damage of every plan at every AC.

        Parameters
        ----------
        acs : (n_ac,) integers
            Values of each plan's swept defence (see `analyzer.plan.sweep`).

        Returns
        -------
        (n_plans, n_ac) float64, damage points per round

        Raises
        ------
        TypeError
            When ``acs`` are no integers.
        """
        values = whole_numbers(acs)
        found = np.zeros((self.n_plans, len(values)))
        for group in self._groups:
            size = max(1, _CHUNK // max(1, len(group.shift) * len(values)))
            for start in range(0, len(group.where), size):
                some = slice(start, start + size)
                found[group.where[some]] = _played(group, some, values)
        return found


def means(plans: Sequence[Plan], target: Target | Sequence[Target], acs: Sequence[int]) -> Floats:
    """Mean damage of many plans over a sweep, equal to ``evaluate(plan, target, acs).dpr`` of each.

    What an attack deals on average depends on AC only through what it needs; plans that differ in numbers alone are looked up together, and plans of another
    shape are a group of their own. To ask more than once, keep what `lower_means` returns.

    Parameters
    ----------
    plans : (n_plans,) Plan
        What attacks.
    target : Target, or one per plan
        What is attacked.
    acs : (n_ac,) integers
        Values of each plan's swept defence (see `analyzer.plan.sweep`).

    Returns
    -------
    (n_plans, n_ac) float64, damage points per round

    Raises
    ------
    PlanError
        When a target lacks a defence or a creature of its plan, or one attack's damage is too large to compute.
    TypeError
        When ``acs`` are no integers.
    ValueError
        When there are not as many targets as plans.
    """
    return lower_means(plans, target).dpr(acs)


def lower_means(plans: Sequence[Plan], target: Target | Sequence[Target]) -> LoweredMeans:
    """The numbers of many plans in arrays; parameters and errors are those of `means`."""
    targets = [target] * len(plans) if isinstance(target, Target) else list(target)
    if len(targets) != len(plans):
        raise ValueError(f"target must be one Target or {len(plans)}, one per plan; got {len(targets)}")
    shapes: dict[tuple[tuple[Ways, ...], ...], list[int]] = {}
    made = []
    for place, (plan, one) in enumerate(zip(plans, targets, strict=True)):
        made.append(layout(plan, one))
        shapes.setdefault(made[-1].turns, []).append(place)
    groups = (_alike([(place, plans[place], targets[place], made[place]) for place in places]) for places in shapes.values())
    return LoweredMeans(n_plans=len(plans), _groups=tuple(groups))


def _alike(members: Sequence[tuple[int, Plan, Target, Layout]]) -> _Alike:
    """The arrays of plans of one shape."""
    tables: dict[int, tuple[Blow, int]] = {}
    width = 0
    readings = []
    for _, plan, target, made in members:
        for one in made.blows:
            if id(one) not in tables:
                tables[id(one)] = one, width
                width += one.table.shape[1]
        readings.append([_reading(attack, one, tables[id(one)][1], plan, target) for attack, one in zip(made.attacks, made.blows, strict=True)])
    follows, shift, first, last = np.array(readings, dtype=np.int64).reshape(len(members), -1, 4).transpose(2, 1, 0).copy()[..., np.newaxis]
    mass = np.concatenate([np.zeros(0), *(one.table[MASS] for one, _ in tables.values())])
    mean = np.concatenate([np.zeros(0), *(one.table[MEAN][DAMAGE] for one, _ in tables.values())])
    return _Alike(
        turns=members[0][3].turns,
        where=np.array([place for place, *_ in members]),
        follows=follows,
        shift=shift,
        first=first,
        last=last,
        mass=mass,
        dealt=mass * mean,
    )


def _reading(attack: Attack, made: Blow, column: int, plan: Plan, target: Target) -> tuple[int, int, int, int]:
    """Where an attack reads a table that starts at ``column``: follows, shift, first and last column."""
    follows = target.follows_sweep[attack.defence]
    swept = swept_defence(plan, target)
    still = target.ac[attack.defence] - (target.ac[swept] if follows and swept is not None else 0)
    return int(follows), still + column - first_need(attack, made), column, column + made.table.shape[1] - 1


def _played(group: _Alike, some: slice, acs: Integers) -> Floats:
    """Mean damage of some plans, (n_plan, n_ac) float64."""
    where = group.follows[:, some] * acs
    where += group.shift[:, some]
    np.maximum(where, group.first[:, some], out=where)
    np.minimum(where, group.last[:, some], out=where)
    dealt = group.dealt.take(where)
    if all(len(ways) == 1 for turn in group.turns for ways in turn):
        alone: Floats = dealt.sum(axis=0)
        return alone
    chance = group.mass.take(where)
    total = np.zeros(where.shape[1:])
    for turn in group.turns:
        held = {0: np.ones_like(total)}
        for ways in turn:
            after: dict[int, Floats] = {}
            for state, before in held.items():
                for goal, place in ways[state]:
                    if place is not None:
                        total += before * dealt[place]
                    moved = before if place is None else before * chance[place]
                    after[goal] = after[goal] + moved if goal in after else moved
            held = after
    return total
