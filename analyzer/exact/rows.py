"""Rows: distributions over a sweep as tables, a row per AC and a column per total, added and convolved row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np

from analyzer.exact.damage import Damage, damage_pmf
from analyzer.pmf import Floats


def dealt_rows(damages: Sequence[Damage], chances: Floats) -> Floats:
    """Chances of each total of one attack, (n_ac, n_total) float64, from those of its damages, (n_damage, n_ac) or more rows."""
    p = np.zeros((chances.shape[1], 1 + max(dealt.highest for dealt in damages)))
    for dealt, chance in zip(damages, chances, strict=False):
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
