"""The distribution of a round's total damage, joint over the states of its turns: two ways to the same numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from analyzer.exact.attack import DAMAGES
from analyzer.exact.damage import Damage, damage_pmf
from analyzer.exact.layout import Layout
from analyzer.pmf import Floats

#: Most multisets of damages told apart, most that come up, and most entries of their table; beyond any, PMFs are carried from attack to attack.
MAX_CODES = 4096
MAX_MULTISETS = 512
MAX_ENTRIES = 2**23


def highest(made: Layout) -> int:
    """The highest total of a round."""
    most = [one.highest for one in made.blows]
    total = 0
    for turn in made.turns:
        reach = {0: 0}
        for ways in turn:
            after: dict[int, int] = {}
            for state, so_far in reach.items():
                for goal, place in ways[state]:
                    after[goal] = max(after.get(goal, 0), so_far + (0 if place is None else most[place]))
            reach = after
        total += max(reach.values())
    return total


def by_multisets(made: Layout, rows: Floats, n_totals: int) -> Floats | None:
    """The PMF of the total, (n_ac, n_totals) float64; None when there are too many multisets.

    Which damages come up how often (a multiset, coded as an integer: a digit per damage) has a chance per AC and a PMF that no AC changes: one matrix product.
    """
    units, size = _units(made)
    if size > MAX_CODES:
        return None
    steps = [[units.get(dealt, 0) for dealt in one.damage] for one in made.blows]
    chances = np.ones((1, rows.shape[2]))
    for turn in made.turns:
        held = {0: chances}
        for ways in turn:
            pieces: dict[int, list[tuple[int, Floats]]] = {}
            for state, before in held.items():
                for goal, place in ways[state]:
                    if place is None:
                        pieces.setdefault(goal, []).append((0, before))
                    else:
                        weight = rows[DAMAGES : DAMAGES + len(steps[place]), place, np.newaxis]
                        pieces.setdefault(goal, []).extend(zip(steps[place], weight * before, strict=True))
            held = {goal: _united(listed) for goal, listed in pieces.items()}
        chances = _united([(0, one) for one in held.values()])
    codes = np.flatnonzero(chances.any(axis=1))
    if len(codes) > min(MAX_MULTISETS, MAX_ENTRIES // n_totals):
        return None
    product: Floats = chances[codes].T @ _table(codes.tolist(), units, n_totals)
    return product


def _units(made: Layout) -> tuple[dict[Damage, int], int]:
    """What one occurrence of each damage above 0 adds to the code of a multiset, and the number of codes."""
    times: dict[Damage, int] = {}
    for turn in made.turns:
        for ways in turn:
            struck = {place: None for branches in ways for _, place in branches if place is not None}
            for dealt in {dealt: None for place in struck for dealt in made.blows[place].damage}:
                if dealt.highest:
                    times[dealt] = times.get(dealt, 0) + 1
    units = {}
    size = 1
    # A table is built from its highest digits: the narrowest damage costs least to add.
    for dealt in sorted(times, key=_width, reverse=True):
        units[dealt] = size
        size *= times[dealt] + 1
    return units, size


def _width(dealt: Damage) -> int:
    return damage_pmf(dealt).p.size


def _united(pieces: Sequence[tuple[int, Floats]]) -> Floats:
    """Chances of multisets, (n_code, n_ac) float64, from pieces that start at a code."""
    if len(pieces) == 1:
        code, chances = pieces[0]
        return chances if code == 0 else np.concatenate((np.zeros((code, chances.shape[1])), chances))
    total = np.zeros((max([code + len(chances) for code, chances in pieces]), pieces[0][1].shape[1]))
    for code, chances in pieces:
        total[code : code + len(chances)] += chances
    return total


def _table(codes: Sequence[int], units: Mapping[Damage, int], n_totals: int) -> Floats:
    """The PMF of every multiset, (n_multiset, n_totals) float64, each from the one that lacks one damage."""
    steps = list(units.values())
    single = [(pmf.low, pmf.p[::-1]) for pmf in map(damage_pmf, units)]
    known: dict[int, tuple[int, Floats]] = {0: (0, np.ones(1))}

    def pmf(code: int) -> tuple[int, Floats]:
        found = known.get(code)
        if found is None:
            last = bisect_right(steps, code) - 1
            low, p = pmf(code - steps[last])
            more, reverse = single[last]
            found = known[code] = low + more, np.correlate(p, reverse, "full")
        return found

    table = np.zeros((len(codes), n_totals))
    for row, code in zip(table, codes, strict=True):
        low, p = pmf(code)
        row[low : low + p.size] = p
    return table


def by_states(made: Layout, rows: Floats, n_totals: int) -> Floats:
    """The PMF of the total, (n_ac, n_totals) float64, carried from attack to attack per state."""
    whole = np.ones((rows.shape[2], 1))
    for turn in made.turns:
        held = {0: whole}
        for ways in turn:
            after: dict[int, Floats] = {}
            for state, pmf in held.items():
                for goal, place in ways[state]:
                    moved = pmf if place is None else _convolve_rows(pmf, _dealt(made.blows[place].damage, rows[DAMAGES:, place]))
                    after[goal] = _add(after[goal], moved) if goal in after else moved
            held = after
        first, *others = held.values()
        whole = first
        for other in others:
            whole = _add(whole, other)
    return _add(whole, np.zeros((len(whole), n_totals)))


def _dealt(damages: Sequence[Damage], chances: Floats) -> Floats:
    """Chances of each total of one blow, (n_ac, n_total) float64."""
    p = np.zeros((chances.shape[1], 1 + max(dealt.highest for dealt in damages)))
    for dealt, chance in zip(damages, chances, strict=False):
        pmf = damage_pmf(dealt)
        p[:, pmf.low : pmf.high + 1] += chance[:, np.newaxis] * pmf.p
    return p


def _convolve_rows(a: Floats, b: Floats) -> Floats:
    """The convolution of each row of ``a`` with that of ``b``, by direct sums."""
    short, long = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    out = np.zeros((a.shape[0], a.shape[1] + b.shape[1] - 1))
    for column in np.flatnonzero(short.any(axis=0)):
        out[:, column : column + long.shape[1]] += short[:, column, np.newaxis] * long
    return out


def _add(a: Floats, b: Floats) -> Floats:
    wide, narrow = (a, b) if a.shape[1] >= b.shape[1] else (b, a)
    total = wide.copy()
    total[:, : narrow.shape[1]] += narrow
    return total
