"""A fight to the death exactly: a Markov chain of the hit points left, round after round, and what it comes to in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.exact.strikes import Strike
from analyzer.plan import PlanError
from analyzer.pmf import PMF, Floats, Integers

#: Most entries of a fight with regeneration, of which each number of hit points that may be rolled is a chain of its own.
MAX_ENTRIES = 2**20
#: Rounds after which a fight with regeneration is given up.
MAX_ROUNDS = 10_000
#: A fight with regeneration has ended when its chance to go on is below `OVER`, or what may still come is known: the ratios of `_going_on` agree to a share
#: `KNOWN` of what dies, or to `ROUNDING`, beyond which floats do not tell them apart (who dies is summed without cancellation and keeps its digits).
OVER, KNOWN, ROUNDING = 1e-15, 1e-9, 1e-15
#: More chains than these are moved by one matrix product, up to a width of it.
FEW, WIDE = 4, 2048
#: Chances that change no digit of anything, and have few of their own.
_TINY = 1e-290


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospects:
    """What a fight comes to.

    Parameters
    ----------
    ever : float, chance 0..1
        That the target dies at all.
    rounds : float or None
        Mean number of the round in which it dies; None when it may never die, or too late to tell.
    waste : float or None, damage points
        Mean points of the killing attack beyond the last hit point, a fight without one counting 0; None when it comes too late to tell.
    taken : float or None, damage points
        Mean points that the target lost, those that it got back included; None where ``rounds`` is.
    """

    ever: float
    rounds: float | None
    waste: float | None
    taken: float | None


def march(strikes: Sequence[Strike], at: int, hp: PMF, regeneration: int = 0) -> Iterator[Floats]:
    """The rounds of a fight without end: chances that the target dies in this round by each of its attacks, (n_steps,) float64.

    Parameters
    ----------
    strikes : sequence of Strike
        One per round, the last repeating.
    at : int
        Which of their ACs.
    hp : PMF
        Hit points, 1 to the reach of the strikes.
    regeneration : int
        Points that a target gets back at the end of each round, up to what it had; not once dead.
    """
    taken, points = _start(hp, regeneration)
    rounds = [_Played.of(one, at, points, regeneration) for one in strikes]
    number = 0
    while True:
        one = rounds[min(number, len(rounds) - 1)]
        yield np.einsum("kij,ij->k", one.kills, taken)
        taken = one.after(taken)[1]
        number += 1


def prospects(strikes: Sequence[Strike], at: Sequence[int], hp: Sequence[PMF], regeneration: int = 0) -> tuple[Prospects, ...]:
    """What the fights of several foes come to: each at one of the ACs of the strikes, with its hit points; the rest as in `march`."""
    if regeneration:
        return tuple(_regenerating(strikes, place, points, regeneration) for place, points in zip(at, hp, strict=True))
    rounds = _renewed(strikes[-1], np.ones_like(strikes[-1].waste))
    waste = _renewed(strikes[-1], strikes[-1].waste)
    return tuple(_wearing(strikes, place, points, rounds[place], waste[place]) for place, points in zip(at, hp, strict=True))


def _start(hp: PMF, regeneration: int) -> tuple[Floats, Integers]:
    """Chances of the damage taken so far, (n_chain, n_points) float64, and the hit points of each chain.

    With regeneration every number of hit points that may be rolled is a chain of its own, for it says how much can be got back; else only what is left
    matters, and one chain holds them all.
    """
    if not regeneration:
        return np.concatenate((hp.p[::-1], np.zeros(hp.low - 1)))[np.newaxis], np.array([hp.high])
    points = hp.values[hp.p > 0]
    if len(points) * hp.high > MAX_ENTRIES:
        raise PlanError(f"hp must be at most {MAX_ENTRIES} over all that may be rolled, with regeneration; got {len(points) * hp.high}")
    taken = np.zeros((len(points), hp.high))
    taken[:, 0] = hp.p[hp.p > 0]
    return taken, points


class _Played(NamedTuple):
    """A round as some chains of damage taken meet it; taken damage runs the other way than hit points left."""

    #: (n_steps, n_chain, n_points) chances to die by each attack, and (n_chain, n_points) points wasted
    kills: Floats
    waste: Floats
    #: (n_damage,) chances of what the round deals; or the same as a matrix from damage taken to damage taken, for many chains at once
    damage: Floats
    matrix: Floats | None
    #: (n_chain, n_points) what is below the hit points of a chain
    below: NDArray[np.bool_]
    regeneration: int

    @classmethod
    def of(cls, one: Strike, at: int, points: Integers, regeneration: int) -> _Played:
        """That of a strike at one of its ACs."""
        wide = int(points.max())
        left = points[:, np.newaxis] - np.arange(wide)
        below, place = left > 0, np.maximum(left - 1, 0)
        damage, matrix = one.damage[at, :wide], None
        if len(points) > FEW and wide <= WIDE:
            steps = np.arange(wide) - np.arange(wide)[:, np.newaxis]
            reached = (steps >= 0) & (steps < damage.size)
            matrix = np.where(reached, damage[np.where(reached, steps, 0)], 0.0)
        kills, waste = (np.where(below, table[..., place], 0.0) for table in (one.kills[at], one.waste[at]))
        return cls(kills, waste, damage, matrix, below, regeneration)

    def after(self, taken: Floats) -> tuple[Floats, Floats]:
        """The damage taken of those that live after the round, before they get any back and then."""
        wide = taken.shape[1]
        moved = np.array([np.convolve(row, self.damage)[:wide] for row in taken]) if self.matrix is None else taken @ self.matrix
        hurt = np.where(self.below, moved, 0.0)
        if not self.regeneration:
            return hurt, hurt
        healed = np.zeros_like(hurt)
        healed[:, 0] = hurt[:, : self.regeneration + 1].sum(axis=1)
        healed[:, 1 : max(1, wide - self.regeneration)] = hurt[:, self.regeneration + 1 :]
        return hurt, healed


def _renewed(strike: Strike, reward: Floats) -> Floats:
    """What a reward of each round sums to until 1, 2, ... hit points are gone, (n_ac, reach) float64; 0 where nothing is ever dealt.

    Rounds without damage change nothing but the count: what is left of them is ``sum of 1 / some`` and the sum over what the damage leaves, which is known.
    """
    some = strike.some
    every, damage = reward / np.where(some > 0, some, 1.0)[:, np.newaxis], strike.damage / np.where(some > 0, some, 1.0)[:, np.newaxis]
    every[some == 0] = 0.0
    width = damage.shape[1] - 1
    out = np.zeros_like(every)
    for left in range(out.shape[1]):
        reached = min(left, width)
        out[:, left] = every[:, left] + np.einsum("ij,ij->i", damage[:, 1 : reached + 1], out[:, left - reached : left][:, ::-1])
    return out


def _wearing(strikes: Sequence[Strike], at: int, hp: PMF, rounds: Floats, waste: Floats) -> Prospects:
    """A fight in which damage only adds up: the listed rounds one by one, then the last for ever, of which the sums are given by hit points left."""
    taken, points = _start(hp, 0)
    lived, wasted, ever = 0.0, 0.0, 0.0
    for one in (_Played.of(strike, at, points, 0) for strike in strikes[:-1]):
        lived += float(taken.sum())
        wasted += float((one.waste * taken).sum())
        ever += float((one.kills * taken).sum())
        taken = one.after(taken)[0]
    if strikes[-1].some[at] == 0.0 and taken.any():
        return Prospects(ever=ever, rounds=None, waste=wasted, taken=None)
    left = taken[0, ::-1]
    return Prospects(ever=1.0, rounds=lived + float(rounds[: left.size] @ left), waste=wasted + float(waste[: left.size] @ left), taken=hp.mean)


def _regenerating(strikes: Sequence[Strike], at: int, hp: PMF, regeneration: int) -> Prospects:
    """A fight in which the target gets points back.

    Once the last round repeats, the chances of those alive shrink by factors between the least and the greatest ratio of a chance to the same one before; both
    hold for ever after (Collatz, 1942), and bound what is still to come between two geometric series.
    """
    taken, points = _start(hp, regeneration)
    rounds, repeats = [_Played.of(one, at, points, regeneration) for one in strikes], len(strikes) - 1
    # What a round can take at most: it kills in the end what it can kill at once, and what does not get it all back.
    most = int((strikes[-1].kills[at].sum(axis=0) > 0).sum())
    sure = (points <= most) | (regeneration < most)
    heals = np.minimum(np.arange(taken.shape[1]), regeneration)
    # Per chain: rounds begun, deaths, points wasted, points lost; what it gets back it loses again.
    sums = np.array([np.zeros(len(points)), np.zeros(len(points)), np.zeros(len(points)), taken[:, 0] * points])
    known = np.zeros(len(points), np.bool_)
    for number in range(MAX_ROUNDS):
        one = rounds[min(number, repeats)]
        hurt, after = one.after(taken)
        new = np.array([taken.sum(axis=1), np.einsum("kij,ij->i", one.kills, taken), (one.waste * taken).sum(axis=1), hurt @ heals])
        sums[:, ~known] += new[:, ~known]
        going_on = _going_on(taken, after, new[1]) if number >= repeats else np.full(len(points), np.nan)
        over = after.sum(axis=1) <= OVER * sums[1]
        ends = ~known & (over | (sure & np.isfinite(going_on)))
        sums[:, ends] += new[:, ends] * np.where(np.isfinite(going_on[ends]), going_on[ends], 0.0)
        known |= ends
        idle = number >= repeats and not after[~sure, 1:].any()
        if (known | (~sure & idle)).all():
            break
        taken = after
    ever = float(sums[1].sum() + after[~known & sure].sum())
    lived, _, wasted, lost = sums.sum(axis=1).tolist()
    waste = wasted if (known | ~sure).all() else None
    return (
        Prospects(ever=min(1.0, ever), rounds=lived, waste=waste, taken=lost)
        if known.all()
        else Prospects(ever=min(1.0, ever), rounds=None, waste=waste, taken=None)
    )


def _going_on(before: Floats, after: Floats, kills: Floats) -> Floats:
    """How many more rounds like this one are still to come for each chain, not a number as long as that is not known, (n_chain,) float64."""
    held = before > _TINY
    ratios = np.divide(after, before, out=np.zeros_like(after), where=held)
    spread = np.where(held, ratios, -np.inf).max(axis=1) - np.where(held, ratios, np.inf).min(axis=1)
    dies = held.any(axis=1) & (kills > 0) & ~((after > _TINY) & ~held).any(axis=1)
    # One less the ratio, told by who dies: it does not cancel.
    share = np.divide(kills, before.sum(axis=1), out=np.zeros_like(kills), where=dies)
    told = dies & (spread <= np.maximum(KNOWN * share, ROUNDING))
    rounds: Floats = np.divide(after.sum(axis=1), kills, out=np.full_like(kills, np.nan), where=told)
    return rounds
