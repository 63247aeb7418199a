"""Reaching: the chance that the damage of some rounds adds up to so many points, when nothing heals between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyzer.pmf import PMF, Floats


def summed(rounds: Sequence[Floats], most: int) -> Floats:
    """Distributions of the sum of independent rounds, all that is ``most`` or more counted as ``most``.

    Parameters
    ----------
    rounds : sequence of (n_ac, n_totals) float64, chance 0..1
        The distribution of each round's total from 0.
    most : int
        The largest sum that is told from smaller ones.

    Returns
    -------
    (n_ac, most + 1) float64, chance 0..1
        Only sums and products of chances, so that small tails keep their digits.
    """
    out = np.zeros((len(rounds[0]), most + 1))
    # Rounds that repeat are one array, and armor classes that are all out of reach have one distribution: neither is worked out again.
    single = list({id(one): one for one in rounds}.values())
    order = [next(i for i, other in enumerate(single) if other is one) for one in rounds]
    known: dict[tuple[bytes, ...], Floats] = {}
    for row, chances in enumerate(out):
        key = tuple(one[row].tobytes() for one in single)
        if key not in known:
            known[key] = _sum([np.trim_zeros(_capped(one[row], most), "b") for one in single], order, most)
        chances[: len(known[key])] = known[key]
    return out


def _sum(single: Sequence[Floats], order: Sequence[int], most: int) -> Floats:
    """The distribution of one sum, of rounds in the order they are played."""
    held = np.ones(1)
    for i in order:
        held = _capped(np.convolve(held, single[i]), most)
    return held


def at_least(distribution: Floats) -> Floats:
    """Chances of at least 0, 1, ... along the last axis."""
    out: Floats = np.minimum(np.cumsum(distribution[..., ::-1], axis=-1)[..., ::-1], 1.0)
    return out


def reached(tails: Floats, points: PMF) -> Floats:
    """Chance that a sum is at least as high as some points, fixed or rolled.

    Parameters
    ----------
    tails : (n_ac, n) float64, chance 0..1
        What `at_least` says of sums that never reach n; of `summed`, as far as it goes.
    points : PMF
        The points.

    Returns
    -------
    (n_ac,) float64, chance 0..1
    """
    within = points.values < tails.shape[1]
    out: Floats = np.minimum(tails[:, points.values[within]] @ points.p[within], 1.0)
    return out


def _capped(chances: Floats, most: int) -> Floats:
    if len(chances) <= most + 1:
        return chances
    return np.concatenate((chances[:most], [chances[most:].sum()]))
