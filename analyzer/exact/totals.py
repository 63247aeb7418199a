"""The distribution of a round's total damage, joint over the states of its turns: two ways to the same numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from analyzer.exact.attack import DAMAGES
from analyzer.exact.damage import Damage, damage_pmf
from analyzer.exact.layout import Layout
from analyzer.exact.rows import add_rows, convolve_rows, dealt_rows, either_row
from analyzer.pmf import Floats, Integers

#: Most multisets of damages, and most entries of their table; beyond either, PMFs are carried from attack to attack.
MAX_MULTISETS = 4096
MAX_ENTRIES = 2**23
#: Up to so many codes, chances stand at their code, come up or not; beyond, codes that come up are listed.
MAX_BOX = 512
#: Codes are int64.
_MAX_CODE = 2**62

#: Codes in order, (n_code,) int64 or None when they are 0, 1, ..., and their chances, (n_code, n_ac) float64.
_Held = tuple[Integers | None, Floats]


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
    if size > _MAX_CODE:
        return None
    limit = min(MAX_MULTISETS, MAX_ENTRIES // n_totals)
    listed = size > MAX_BOX
    moves = [[units.get(dealt, 0) for dealt in one.damage] for one in made.blows]
    whole: _Held = (np.zeros(1, dtype=np.int64) if listed else None, np.ones((1, rows.shape[2])))
    for turn in made.turns:
        held = {0: whole}
        for ways in turn:
            pieces: dict[int, list[tuple[int, _Held]]] = {}
            for state, (codes, chances) in held.items():
                for goal, place in ways[state]:
                    if place is None:
                        pieces.setdefault(goal, []).append((0, (codes, chances)))
                    else:
                        moved = rows[DAMAGES : DAMAGES + len(moves[place]), place, np.newaxis] * chances
                        pieces.setdefault(goal, []).extend((move, (codes, one)) for move, one in zip(moves[place], moved, strict=True))
            held = {goal: _united(branches) for goal, branches in pieces.items()}
            if listed and sum([len(chances) for _, chances in held.values()]) > limit:
                return None
        whole = _united([(0, one) for one in held.values()])
    codes, chances = whole
    live = np.flatnonzero(chances.any(axis=1))
    if len(live) > limit:
        return None
    product: Floats = chances[live].T @ _table((live if codes is None else codes[live]).tolist(), units, n_totals)
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


def _united(pieces: Sequence[tuple[int, _Held]]) -> _Held:
    """Multisets from pieces, each moved by a code."""
    (move, (codes, chances)), *others = pieces
    if not others and move == 0:
        return codes, chances
    if codes is not None:
        return _listed(pieces)
    total = np.zeros((max([move + len(chances) for move, (_, chances) in pieces]), chances.shape[1]))
    for move, (_, chances) in pieces:
        total[move : move + len(chances)] += chances
    return None, total


def _listed(pieces: Sequence[tuple[int, _Held]]) -> _Held:
    """The same where codes are listed."""
    moved = [codes + move for move, (codes, _) in pieces if codes is not None]
    found, places = np.unique(np.concatenate(moved), return_inverse=True)
    total = np.zeros((len(found), pieces[0][1][1].shape[1]))
    first = 0
    for _, (_, chances) in pieces:
        total[places[first : first + len(chances)]] += chances  # the codes of one piece are distinct
        first += len(chances)
    return found, total


def _table(codes: Sequence[int], units: Mapping[Damage, int], n_totals: int) -> Floats:
    """The PMF of every multiset, (n_multiset, n_totals) float64, each from the one that lacks one damage."""
    steps = list(units.values())
    single = [damage_pmf(dealt) for dealt in units]
    reverse = [one.p[::-1] for one in single]
    known = {0: (0, np.ones(1)), **{step: (one.low, one.p) for step, one in zip(steps, single, strict=True)}}

    def pmf(code: int) -> tuple[int, Floats]:
        found = known.get(code)
        if found is None:
            last = bisect_right(steps, code) - 1
            low, p = pmf(code - steps[last])
            found = known[code] = low + single[last].low, np.correlate(p, reverse[last], "full")
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
                    moved = pmf if place is None else convolve_rows(pmf, dealt_rows(made.blows[place].damage, rows[DAMAGES:, place]))
                    after[goal] = add_rows(after[goal], moved) if goal in after else moved
            held = after
        whole = either_row(held.values())
    return add_rows(whole, np.zeros((len(whole), n_totals)))
