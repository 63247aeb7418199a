"""How a plan hangs together: per step and state the blows that are struck and where each leads; and all blows against a sweep in one look-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.attack import DAMAGES, Blow, blow, outcomes
from analyzer.exact.defender import Defender
from analyzer.plan import Attack, Plan, PlanError, Step, Target
from analyzer.pmf import Floats, Integers

#: Per state, where it can go: the state afterwards and the place of the blow that leads there, None when the step is skipped.
Ways = tuple[tuple[tuple[int, int | None], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """The blows of a plan in the order of its steps.

    Parameters
    ----------
    turns
        Per turn and step its `Ways`; blows are numbered through the plan.
    attacks, blows : (n_blow,)
        The attack of each blow, and its table.
    """

    turns: tuple[tuple[Ways, ...], ...]
    attacks: tuple[Attack, ...]
    blows: tuple[Blow, ...]


def layout(plan: Plan, target: Target) -> Layout:
    """The blows of a plan.

    Raises
    ------
    PlanError
        When the target lacks a defence aimed at, or reductions for a creature of an area.
    """
    defender = Defender.of(target)
    attacks: list[Attack] = []
    blows: list[Blow] = []

    def ways(step: Step) -> Ways:
        placed: dict[tuple[int, tuple[int, ...]], int] = {}
        found: list[tuple[tuple[int, int | None], ...]] = []
        for state, attack in enumerate(step.variants):
            if attack is None:
                found.append(((state, None),))
                continue
            branches: list[tuple[int, int | None]] = []
            for goal, made, rows in _branches(step, state, attack, target, defender):
                place = placed.setdefault((id(attack), rows), len(blows))
                if place == len(blows):
                    attacks.append(attack)
                    blows.append(made)
                branches.append((goal, place))
            found.append(tuple(branches))
        return tuple(found)

    turns = tuple(tuple(map(ways, turn.steps)) for turn in plan.turns)
    return Layout(turns=turns, attacks=tuple(attacks), blows=tuple(blows))


def _branches(step: Step, state: int, attack: Attack, target: Target, defender: Defender) -> list[tuple[int, Blow, tuple[int, ...]]]:
    """The states an attack made in ``state`` can lead to, each with the blow on the outcomes that do."""
    check_attack(attack, target)
    found = outcomes(attack.check, attack.on, attack.area, attack.area is not None and attack.area.scatters, defender)
    if not step.next:
        rows = tuple(range(len(found.degree)))
        return [(state, blow(found, rows), rows)]
    goals: dict[int, list[int]] = {}
    for row, degree in enumerate(found.degree):
        goals.setdefault(step.after(state, degree), []).append(row)
    return [(goal, blow(found, tuple(chosen)), tuple(chosen)) for goal, chosen in goals.items()]


def check_attack(attack: Attack, target: Target) -> None:
    """Refuse an attack on a defence or a creature that the target lacks, with a `PlanError`."""
    if attack.defence >= len(target.ac):
        raise PlanError(f"defence of {attack.label!r} must be below {len(target.ac)}, the target's number of defences; got {attack.defence}")
    creatures = 1 if attack.area is None else len(attack.area.caught[0])
    if creatures > len(target.reductions):
        raise PlanError(f"reductions must be {creatures} tuples, one per creature of {attack.label!r}; got {len(target.reductions)}")


def look_up(made: Layout, defences: Integers) -> Floats:
    """Every blow against a sweep.

    Parameters
    ----------
    made
        A layout.
    defences : (n_ac, n_defences) int64

    Returns
    -------
    (DAMAGES + n_damage, n_blow, n_ac) float64
        Rows as in `Blow`; beyond a blow's own damages 0.
    """
    table, first, last = side_by_side(made.blows)
    if not made.blows:
        return np.zeros((DAMAGES, 0, len(defences)))
    needs = np.array([first_need(attack, one) for attack, one in zip(made.attacks, made.blows, strict=True)])
    aimed = defences.T[[attack.defence for attack in made.attacks]]
    where = aimed + (first - needs)[:, np.newaxis]
    np.maximum(where, first[:, np.newaxis], out=where)
    np.minimum(where, last[:, np.newaxis], out=where)
    rows: Floats = table.take(where, axis=1)
    return rows


def whole_numbers(acs: Sequence[int]) -> Integers:
    """Armor classes as an array.

    Raises
    ------
    TypeError
        When they are no integers.
    """
    values = np.asarray(acs)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise TypeError(f"acs must be a sequence of integers; got {acs!r}")
    return values.astype(np.int64)


def first_need(attack: Attack, made: Blow) -> int:
    """The defence at which an attack needs what the first column of its blow says."""
    return made.low + attack.bonus - (0 if attack.check.ties_hit else 1)


def side_by_side(blows: Sequence[Blow]) -> tuple[Floats, Integers, Integers]:
    """The tables of some blows as one, (n_row, n_column) float64, and the first and last column of each, (n_blow,) int64."""
    if len({id(one) for one in blows}) == 1:
        table = blows[0].table
        return table, np.zeros(len(blows), dtype=np.int64), np.full(len(blows), table.shape[1] - 1)
    places: dict[int, int] = {}
    width = 0
    for one in blows:
        if id(one) not in places:
            places[id(one)] = width
            width += one.table.shape[1]
    first = np.array([places[id(one)] for one in blows], dtype=np.int64)
    last = first + np.array([one.table.shape[1] - 1 for one in blows], dtype=np.int64)
    table = np.zeros((max((len(one.table) for one in blows), default=DAMAGES), width))
    for one in blows:
        place = places[id(one)]
        table[: len(one.table), place : place + one.table.shape[1]] = one.table
    return table, first, last
