"""Chances of the degrees of one attack: steps 1 to 7 of the plan in closed form, tabulated over what the check needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analyzer.exact.defender import Defender
from analyzer.plan import CRITICAL, DEGREES, HIT, MISS, Check, Critical
from analyzer.pmf import PMF, Floats, Integers, dice_pmf

FACES = np.arange(1, 21)
#: How often each face comes up on one plain die.
_EVENLY = np.ones(20)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckTable:
    """Chances by *need*, the least sum of face, extra and add-ons that meets the defence; constant below and above the tabulated needs.

    Parameters
    ----------
    low
        The need of the first column.
    degrees : (4, n_need) float64, chance 0..1
        Degrees after confirmation (step 3).
    threat : (n_need,) float64, chance 0..1
        Hits whose face is in the threat range, before confirmation; where nothing confirms, criticals.
    """

    low: int
    degrees: Floats
    threat: Floats


def face_counts(check: Check) -> Floats:
    """How often each face 1..20 is kept: dice, the reroll of the first 1, best or worst.

    Returns
    -------
    (20,) float64, whole counts out of 20 to the number of dice rolled
    """
    n = check.dice
    if n == 1 and not check.reroll_ones:
        return _EVENLY
    # Counts of "the kept face is at most f" (best) or "at least f" (worst, mirrored): m(f) faces of a die qualify, o(f) of them are a 1.
    m = FACES if check.best else 21 - FACES
    ones = 1 if check.best else (FACES == 1).astype(np.int64)
    if check.reroll_ones:
        upto = 20 * (m - ones) ** n
        for first in range(n):  # the dice before it are no 1, it shows 1 and is rolled again, the rest are free
            upto = upto + (m - ones) ** first * m * m ** (n - 1 - first)
    else:
        upto = m**n
    return (np.diff(upto, prepend=0) if check.best else -np.diff(upto, append=0)).astype(np.float64)


@lru_cache(maxsize=1024)
def check_table(check: Check) -> CheckTable:
    """Chances of a check's degrees for every need: steps 1 to 3."""
    extra = dice_pmf(check.extra)
    reach = max(check.margin if check.critical == Critical.MARGIN else 0, abs(check.confirm_bonus) if check.critical == Critical.CONFIRM else 0)
    low = 1 + check.add_on_1 + extra.low - reach
    need = np.arange(low, 20 + check.add_on_20 + extra.high + reach + 2)
    shown = FACES.copy()
    shown[0] += check.add_on_1
    shown[19] += check.add_on_20
    # (20, n_need): what the extra dice must show.
    wanted = need - shown[:, np.newaxis]
    counts = face_counts(check)
    total = 20 ** (check.dice + check.reroll_ones)
    found = np.zeros((DEGREES + 1, *wanted.shape))
    degrees, threat = found[:DEGREES], found[DEGREES]
    _by_total(check, extra, wanted, degrees)
    threatens = slice(check.threat_from - 1, None)
    if check.critical == Critical.CONFIRM:
        threat[threatens] = degrees[HIT, threatens]
        confirmed, failed = _confirmation(check, extra, wanted, counts, total)
        degrees[CRITICAL, threatens] = degrees[HIT, threatens] * confirmed
        degrees[HIT, threatens] *= failed
    elif check.critical == Critical.NATURAL:
        degrees[CRITICAL, threatens] = degrees[HIT, threatens]
        degrees[HIT, threatens] = 0
    elif check.critical == Critical.MEETS:
        first = max(check.threat_from - 1, check.auto_miss_to)
        automatic = slice(max(first, check.auto_hit_from - 1), None)
        degrees[CRITICAL, first:] = _at_least(extra, wanted[first:])
        degrees[HIT, first:] = 0
        degrees[HIT, automatic] = _below(extra, wanted[automatic])
    if check.critical != Critical.CONFIRM:
        threat[:] = degrees[CRITICAL]
    table = counts @ found / total
    return CheckTable(low=low, degrees=table[:DEGREES], threat=table[DEGREES])


def _by_total(check: Check, extra: PMF, wanted: Integers, degrees: Floats) -> None:
    """Fill in degrees by total, margin and natural face, (4, 20, n_need), before any threat."""
    if check.critical == Critical.MARGIN:
        degrees[CRITICAL] = _at_least(extra, wanted + check.margin)
        degrees[HIT] = _window(extra, wanted, check.margin)
        degrees[MISS] = _window(extra, wanted - check.margin + 1, check.margin - 1)
        degrees[0] = _below(extra, wanted - check.margin + 1)
        if check.natural_shift:
            worse, better = degrees[:, 0], degrees[:, 19]
            nothing = np.zeros_like(worse[0])
            degrees[:, 0] = np.stack([worse[0] + worse[1], worse[2], worse[3], nothing])
            degrees[:, 19] = np.stack([nothing, better[0], better[1], better[2] + better[3]])
    else:
        degrees[HIT] = _at_least(extra, wanted)
        degrees[MISS] = _below(extra, wanted)
    missed, automatic = _automatic(check)
    if check.critical == Critical.MARGIN:
        degrees[HIT, automatic] += degrees[0, automatic] + degrees[MISS, automatic]
    else:  # with certainty, whatever the rounding of the dice
        degrees[HIT, automatic] = 1
    degrees[:HIT, automatic] = 0
    degrees[:, missed] = 0
    degrees[0, missed] = 1


def _confirmation(check: Check, extra: PMF, wanted: Integers, counts: Floats, total: int) -> tuple[Floats, Floats]:
    """Chances (n_need,) that the second check meets the defence, and that it does not; a face has ``counts`` out of ``total``."""
    second = wanted - check.confirm_bonus
    met, failed = _at_least(extra, second), _below(extra, second)
    if check.confirm_naturals:
        missed, automatic = _automatic(check)
        met[missed], failed[missed] = 0, 1
        met[automatic], failed[automatic] = 1, 0
    return counts @ met / total, counts @ failed / total


def _automatic(check: Check) -> tuple[slice, slice]:
    """Where the faces stand that miss and that hit whatever the total."""
    return slice(check.auto_miss_to), slice(check.auto_hit_from - 1, None)


def _at_least(extra: PMF, wanted: Integers) -> Floats:
    """The chance that the extra dice show at least ``wanted``; exactly 1 and 0 outside their range."""
    if extra.p.size == 1:
        return (wanted <= extra.low).astype(np.float64)
    tail = np.concatenate((np.cumsum(extra.p[::-1])[::-1], [0.0]))
    tail[0] = 1
    return tail[np.clip(wanted - extra.low, 0, extra.p.size)]


def _below(extra: PMF, wanted: Integers) -> Floats:
    """The chance that the extra dice show less than ``wanted``; exactly 0 and 1 outside their range."""
    if extra.p.size == 1:
        return (wanted > extra.low).astype(np.float64)
    head = np.concatenate(([0.0], np.cumsum(extra.p)))
    head[-1] = 1
    return head[np.clip(wanted - extra.low, 0, extra.p.size)]


def _window(extra: PMF, first: Integers, width: int) -> Floats:
    """The chance that the extra dice show ``first`` to ``first + width - 1``, without subtracting tails."""
    if width == 0:
        return np.zeros(first.shape)
    sums = np.concatenate(([0.0], np.convolve(extra.p, np.ones(width)), [0.0]))
    return np.minimum(sums, 1.0)[np.clip(first + width - extra.low, 0, sums.size - 1)]


def after_target(check: Check, holds_precision: tuple[bool, ...], target: Defender) -> Floats:
    """Chances of (final degree, precision dropped) for every need of the `check_table`: steps 4 to 7.

    Parameters
    ----------
    check
        The attack's check.
    holds_precision
        For each degree, whether the packets dealt at it hold precision damage.
    target
        Whose immunity, negation and miss chance count.

    Returns
    -------
    (4, 2, n_need) float64, chance 0..1
    """
    by_check = check_table(check).degrees
    chances = np.zeros((DEGREES, 2, by_check.shape[1]))
    chances[:, 0] = by_check
    if target.immune_critical:
        _move(chances, CRITICAL, HIT)
    n, d = target.negate
    for degree in range(DEGREES):
        if n and (degree == CRITICAL or holds_precision[degree]):
            # At degree 3 what is negated is a hit from here on; degree 2 was dealt with before it and is not negated twice.
            chances[min(degree, HIT), 1] += chances[degree, 0] * (n / d)
            chances[degree, 0] *= (d - n) / d
    n, d = target.miss[0] ** target.miss_rolls, target.miss[1] ** target.miss_rolls
    if n:
        chances[MISS] += (chances[HIT] + chances[CRITICAL]) * (n / d)
        chances[HIT:] *= (d - n) / d
    if check.take_hit:
        _move(chances, 0, HIT)
        _move(chances, MISS, HIT)
    return chances


def _move(chances: Floats, source: int, goal: int) -> None:
    chances[goal] += chances[source]
    chances[source] = 0
