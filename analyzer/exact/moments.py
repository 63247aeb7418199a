"""Chance, mean and spread of several counts at once, and the chance that each is still 0: the algebra a turn's states are summed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analyzer.pmf import Floats

#: Less than any chance that keeps its digits, so that nothing can be divided by it.
TINY = 1e-300


class Moments(NamedTuple):
    """What is known of some counts on one branch of a round.

    Every operation adds and multiplies non-negative numbers (means apart), so that a sure count has a spread of exactly 0 and a small chance keeps its digits.

    Parameters
    ----------
    mass : (n_ac,) float64, chance 0..1
        Chance of the branch.
    mean : (n_count, n_ac) float64
        Means on the branch.
    spread : (n_count, n_ac) float64
        Squared distances from the mean, weighted with their chances: variance x mass.
    none, some : (n_event, n_ac) float64, chance 0..1
        Mass on which each event has not happened, and on which it has.
    """

    mass: Floats
    mean: Floats
    spread: Floats
    none: Floats
    some: Floats

    def at(self, place: int | slice) -> Moments:
        """Of several blows, with an axis of them before the last, some."""
        return Moments(*(field[..., place, :] for field in self))

    def then(self, other: Moments) -> Moments:
        """These counts plus independent others."""
        return Moments(
            self.mass * other.mass,
            self.mean + other.mean,
            self.spread * other.mass + self.mass * other.spread,
            self.none * other.none,
            self.none * other.some + self.some * other.mass,
        )


def start(n_count: int, n_event: int, n_ac: int) -> Moments:
    """The sure branch on which nothing has happened."""
    nothing, zero = np.zeros((n_count, n_ac)), np.zeros((n_event, n_ac))
    return Moments(np.ones(n_ac), nothing, nothing, np.ones((n_event, n_ac)), zero)


def together(blows: Moments) -> Moments:
    """Independent counts one after another, each sure to come: fields have an axis of them before the last."""
    none = blows.none.cumprod(axis=1)
    some = blows.some.copy()
    some[:, 1:] *= none[:, :-1]
    return Moments(blows.mass[0], blows.mean.sum(axis=1), blows.spread.sum(axis=1), none[:, -1], some.sum(axis=1))


def either(branches: Sequence[Moments]) -> Moments:
    """Exclusive branches as one."""
    if len(branches) == 1:
        return branches[0]
    mass, mean, spread, none, some = (np.stack(field) for field in zip(*branches, strict=True))
    return Moments(*pool(mass, mean, spread), none.sum(axis=0), some.sum(axis=0))


def pool(mass: Floats, mean: Floats, spread: Floats) -> tuple[Floats, Floats, Floats]:
    """Mass, mean and spread of exclusive branches taken together (Chan, Golub and LeVeque's pairwise update, for many).

    Parameters
    ----------
    mass : (n_branch, n_ac) float64, chance 0..1
    mean, spread : (n_branch, n_count, n_ac) float64
        ``n_ac`` may be 1 in ``mean``.

    Returns
    -------
    tuple of (n_ac,), (n_count, n_ac) and (n_count, n_ac) float64
    """
    total = mass.sum(axis=0)
    share = (mass / np.maximum(total, TINY))[:, np.newaxis]
    middle = mean[0] + ((mean - mean[0]) * share).sum(axis=0)
    distance = mean - middle
    return total, middle, (spread + mass[:, np.newaxis] * (distance * distance)).sum(axis=0)
