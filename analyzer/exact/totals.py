"""The distribution of a round's total damage, joint over the states of its turns: two ways to the same numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from analyzer.exact.attack import Swing
from analyzer.exact.damage import Damage, damage_pmf
from analyzer.plan import Step, Turn
from analyzer.pmf import PMF, Floats

#: Most multisets of damages worked with at once, and most entries of their table; beyond either, PMFs are carried from attack to attack.
MAX_MULTISETS = 4096
MAX_ENTRIES = 2**23

#: The outcomes of every attack of a plan by the attack's ``id``: hashing an attack walks all its dice.
Swings = Mapping[int, Swing]


def branches(step: Step, swings: Swings, state: int) -> Iterator[tuple[int, Swing | None, list[int]]]:
    """Where a state can go: the state afterwards, the attack (None when it is skipped) and the outcomes that lead there."""
    attack = step.variants[state]
    if attack is None:
        yield state, None, []
        return
    swing = swings[id(attack)]
    goals: dict[int, list[int]] = {}
    for row, degree in enumerate(swing.outcomes.degree):
        goals.setdefault(step.after(state, degree), []).append(row)
    for goal, rows in goals.items():
        yield goal, swing, rows


def by_damage(swing: Swing, rows: Sequence[int]) -> dict[Damage, Floats]:
    """Each damage among some outcomes with its chances, (n_ac,) float64."""
    chances: dict[Damage, Floats] = {}
    for row in rows:
        dealt = swing.outcomes.damage[row]
        chances[dealt] = chances[dealt] + swing.chance[row] if dealt in chances else swing.chance[row]
    return chances


def highest(turns: Sequence[Turn], swings: Swings) -> int:
    """The highest total of a round."""
    total = 0
    for turn in turns:
        reach = {0: 0}
        for step in turn.steps:
            after: dict[int, int] = {}
            for state, most in reach.items():
                for goal, swing, rows in branches(step, swings, state):
                    more = max((swing.outcomes.damage[row].highest for row in rows), default=0) if swing else 0
                    after[goal] = max(after.get(goal, 0), most + more)
            reach = after
        total += max(reach.values())
    return total


def by_multisets(turns: Sequence[Turn], swings: Swings, n_ac: int, n_totals: int) -> Floats | None:
    """The PMF of the total, (n_ac, n_totals) float64; None when there are too many multisets.

    Which damages come up how often (a multiset, coded as an integer: a digit per damage) has a chance per AC and a PMF that no AC changes: one matrix product.
    """
    most = min(MAX_MULTISETS, MAX_ENTRIES // n_totals)
    base = 1 + sum(len(turn.steps) for turn in turns)
    digits: dict[Damage, int] = {}
    keys, chances = [0], np.ones((1, n_ac))
    for turn in turns:
        held: dict[int, tuple[list[int], Floats]] = {0: (keys, chances)}
        for step in turn.steps:
            pieces: list[tuple[int, list[int], Floats]] = []
            for state, (keys, chances) in held.items():
                for goal, swing, rows in branches(step, swings, state):
                    if swing is None:
                        pieces.append((goal, keys, chances))
                        continue
                    for dealt, chance in by_damage(swing, rows).items():
                        digit = 0 if dealt.highest == 0 else digits.setdefault(dealt, base ** len(digits))
                        pieces.append((goal, [key + digit for key in keys], chances * chance))
            held = _gather(pieces, n_ac)
            if sum(len(keys) for keys, _ in held.values()) > most:
                return None
        keys, chances = _gather([(0, keys, chances) for keys, chances in held.values()], n_ac)[0]
    return chances.T @ _table(keys, digits, n_totals)


def _gather(pieces: Sequence[tuple[int, list[int], Floats]], n_ac: int) -> dict[int, tuple[list[int], Floats]]:
    """Per state the distinct multisets and their chances, (n_multiset, n_ac) float64."""
    places: dict[int, dict[int, int]] = {}
    rows = []
    for goal, keys, _ in pieces:
        place = places.setdefault(goal, {})
        rows.append([place.setdefault(key, len(place)) for key in keys])
    sums = {goal: np.zeros((len(place), n_ac)) for goal, place in places.items()}
    for (goal, _, chances), row in zip(pieces, rows, strict=True):
        sums[goal][row] += chances  # the keys of one piece are distinct
    return {goal: (list(place), sums[goal]) for goal, place in places.items()}


def _table(keys: Sequence[int], digits: Mapping[Damage, int], n_totals: int) -> Floats:
    """The PMF of every multiset, (n_multiset, n_totals) float64, each from the one that lacks one damage."""
    units = list(digits.values())
    single = [damage_pmf(dealt) for dealt in digits]
    known = {0: PMF.point(0)}
    table = np.zeros((len(keys), n_totals))
    for row, key in zip(table, keys, strict=True):
        missing = []
        rest = key
        while rest not in known:
            last = bisect_right(units, rest) - 1
            missing.append((rest, last))
            rest -= units[last]
        for found, last in reversed(missing):
            known[found] = known[found - units[last]] + single[last]
        pmf = known[key]
        row[pmf.low : pmf.high + 1] = pmf.p
    return table


def by_states(turns: Sequence[Turn], swings: Swings, n_ac: int, n_totals: int) -> Floats:
    """The PMF of the total, (n_ac, n_totals) float64, carried from attack to attack per state."""
    whole = np.ones((n_ac, 1))
    for turn in turns:
        held = {0: whole}
        for step in turn.steps:
            after: dict[int, Floats] = {}
            for state, pmf in held.items():
                for goal, swing, rows in branches(step, swings, state):
                    moved = pmf if swing is None else convolve_rows(pmf, dealt_by(swing, rows))
                    after[goal] = add_rows(after[goal], moved) if goal in after else moved
            held = after
        whole = either_row(held.values())
    return add_rows(whole, np.zeros((n_ac, n_totals)))


def dealt_by(swing: Swing, rows: Sequence[int]) -> Floats:
    """Chances of each total of one attack on some of its outcomes, (n_ac, n_total) float64."""
    chances = by_damage(swing, rows)
    p = np.zeros((swing.chance.shape[1], 1 + max(dealt.highest for dealt in chances)))
    for dealt, chance in chances.items():
        pmf = damage_pmf(dealt)
        p[:, pmf.low : pmf.high + 1] += chance[:, np.newaxis] * pmf.p
    return p


def convolve_rows(a: Floats, b: Floats) -> Floats:
    """The convolution of each row of ``a`` with that of ``b``, by direct sums."""
    short, long = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    if a.shape[0] < short.shape[1]:
        return np.array([np.convolve(one, other) for one, other in zip(long, short, strict=True)])
    out = np.zeros((a.shape[0], a.shape[1] + b.shape[1] - 1))
    for column in np.flatnonzero(short.any(axis=0)):
        out[:, column : column + long.shape[1]] += short[:, column, np.newaxis] * long
    return out


def add_rows(a: Floats, b: Floats) -> Floats:
    """The sum of two tables of rows, the narrower one as if it had zeros after it."""
    wide, narrow = (a, b) if a.shape[1] >= b.shape[1] else (b, a)
    total = wide.copy()
    total[:, : narrow.shape[1]] += narrow
    return total


def either_row(tables: Iterable[Floats]) -> Floats:
    """The rows of exclusive branches taken together."""
    return reduce(add_rows, tables)
