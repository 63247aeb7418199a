"""Leads: who is ahead where, every place the ranking flips, and which leads are ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from analyzer.pmf import Floats

#: Two exact figures are equal when they differ by no more than this share of the larger: both are fractions worked out in floating point, and equal ones
#: that are reached by different weapons (the published ties of the tests) come out some 1e-16 apart; the rest is room for longer rounds.
TIE = 1e-12
#: Most creatures that a sentence names.
_MOST_TOLD = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """Neighbouring places with the same leaders: numbers of the first and last place, and of those who lead."""

    first: int
    last: int
    leaders: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Landmarks:
    """What a figure over armor classes marks on its axis."""

    #: where the lead changes: between two armor classes, or on the one where it is tied
    flips: tuple[float, ...] = ()
    #: the armor classes of the target as it stands
    own: tuple[int, ...] = ()


def leading(values: Floats) -> NDArray[np.bool_]:
    """Who has the highest figure at each place, ties counting for all of them: (n, n_place) bool of (n, n_place) figures."""
    best = values.max(axis=0)
    out: NDArray[np.bool_] = best - values <= TIE * np.abs(best)
    return out


def stretches(values: Floats) -> tuple[Stretch, ...]:
    """The places of (n, n_place) figures in order, neighbours with the same leaders together."""
    ahead = leading(values)
    found = [(place, tuple(np.flatnonzero(ahead[:, place]).tolist())) for place in range(values.shape[1])]
    runs = [list(run) for _, run in groupby(found, key=lambda one: one[1])]
    return tuple(Stretch(first=run[0][0], last=run[-1][0], leaders=run[0][1]) for run in runs)


def best_other(values: Floats) -> NDArray[np.int64]:
    """The number of the best of the others, (n, n_place) int64; of equal ones the first."""
    if len(values) < 2:
        raise ValueError(f"figures must be two at least to be compared; got {len(values)}")
    out = np.empty(values.shape, dtype=np.int64)
    for i in range(len(values)):
        others = np.array([j for j in range(len(values)) if j != i])
        out[i] = others[np.argmax(values[others], axis=0)]
    return out


def difference(one: float, other: float) -> float:
    """The difference of two figures, 0 where they tie."""
    return 0.0 if abs(one - other) <= TIE * max(abs(one), abs(other)) else one - other


def flips(found: Sequence[Stretch], places: Sequence[int]) -> tuple[float, ...]:
    """Where the lead changes: half-way between two places, or on a single place that is tied between two leads."""
    out: list[float] = []
    for before, after in pairwise(found):
        if len(after.leaders) > 1 and after.first == after.last and after is not found[-1]:
            out.append(float(places[after.first]))
        elif not (len(before.leaders) > 1 and before.first == before.last and before is not found[0]):
            out.append((places[before.last] + places[after.first]) / 2.0)
    return tuple(out)


def ranges(place: Sequence[int], found: Sequence[Stretch], *, open_ended: bool) -> Callable[[Stretch], str]:
    """How a stretch of a sweep is said: ``12``, ``12-29`` or, where nothing changes beyond the sweep, ``11 and below`` and ``30 and above``."""

    def said(one: Stretch) -> str:
        low, high = place[one.first], place[one.last]
        if open_ended and one is found[0] and one is found[-1]:
            return "every"
        if open_ended and one is found[0]:
            return f"{high} and below"
        if open_ended and one is found[-1]:
            return f"{low} and above"
        return str(low) if low == high else f"{low}-{high}" if low >= 0 else f"{low} to {high}"

    return said


def sentence(names: Sequence[str], found: Sequence[Stretch], said: Callable[[Stretch], str], axis: str) -> str:
    """Who leads where, in one sentence: ``pair leads at AC 11 and below, 30 and above; greatsword at AC 12-29``."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for one in found:
        groups.setdefault(one.leaders, []).append(said(one))
    told = []
    for leaders, where in groups.items():
        who = _listed([names[i] for i in leaders])
        more = [*where[:_MOST_TOLD], f"{len(where) - _MOST_TOLD} more"] if len(where) > _MOST_TOLD + 1 else where
        at = "everywhere" if where == ["every"] else f"at {axis} {', '.join(where)}" if axis else f"against {'; '.join(more)}"
        told.append(f"{who} {'leads' if len(leaders) == 1 else 'tie'} {at}")
    return f"{'; '.join(told)}."


def sweep_note(names: Sequence[str], values: Floats, places: Sequence[int], axis: str = "AC", *, open_ended: bool = False) -> str | None:
    """The sentence of a sweep in order; None where there is nothing to lead or nothing to be led."""
    if len(names) < 2 or not len(places):
        return None
    found = stretches(values)
    return sentence(names, found, ranges(places, found, open_ended=open_ended), axis)


def table_note(names: Sequence[str], values: Floats, places: Sequence[str]) -> str | None:
    """The sentence of a table of creatures, each a place by its name; None where there is nothing to lead."""
    if len(names) < 2:
        return None
    ahead = leading(values)
    found = [Stretch(first=k, last=k, leaders=tuple(np.flatnonzero(ahead[:, k]).tolist())) for k in range(len(places))]
    return sentence(names, found, lambda one: places[one.first], "")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
