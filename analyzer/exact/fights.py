"""A fight to the death exactly: a Markov chain of the hit points left, round after round, and what it comes to in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.exact.strikes import Strike
from analyzer.plan import PlanError
from analyzer.pmf import PMF, Floats

#: Most hit points, summed over what may be rolled, of a fight with regeneration: each number rolled is a fight of its own.
MAX_ENTRIES = 2**20
#: Rounds after which a fight with regeneration is given up.
MAX_ROUNDS = 10_000
#: A fight with regeneration has ended when its chance to go on is below `OVER`, or what may still come is known: the ratios of `_going_on` agree to a share
#: `KNOWN` of what dies, or to `ROUNDING`, beyond which floats do not tell them apart (who dies is summed without cancellation and keeps its digits).
OVER, KNOWN, ROUNDING = 1e-15, 1e-9, 1e-15
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
    chains, number = _chains(hp, regeneration), 0
    while True:
        one = strikes[min(number, len(strikes) - 1)]
        # Taken damage runs the other way than hit points left.
        yield sum((one.kills[at, :, : chain.size] @ chain[::-1] for chain in chains), start=np.zeros(one.kills.shape[1]))
        chains = [_after(chain, one.damage[at], regeneration) for chain in chains]
        number += 1


def prospects(strikes: Sequence[Strike], at: Sequence[int], hp: Sequence[PMF], regeneration: int = 0) -> tuple[Prospects, ...]:
    """What the fights of several foes come to: each at one of the ACs of the strikes, with its hit points; the rest as in `march`."""
    if regeneration:
        return tuple(_regenerating(strikes, place, points, regeneration) for place, points in zip(at, hp, strict=True))
    rounds = _renewed(strikes[-1], np.ones_like(strikes[-1].waste))
    waste = _renewed(strikes[-1], strikes[-1].waste)
    return tuple(_wearing(strikes, place, points, rounds[place], waste[place]) for place, points in zip(at, hp, strict=True))


def _chains(hp: PMF, regeneration: int) -> list[Floats]:
    """Chances of the damage taken so far, below the hit points; without regeneration those of all rolled hit points are one, of the hit points left."""
    if not regeneration:
        return [np.concatenate((hp.p[::-1], np.zeros(hp.low - 1)))]
    held = [(int(points), float(chance)) for points, chance in zip(hp.values, hp.p, strict=True) if chance > 0]
    if sum(points for points, _ in held) > MAX_ENTRIES:
        raise PlanError(f"hp must be at most {MAX_ENTRIES} in sum over what may be rolled, with regeneration; got {sum(points for points, _ in held)}")
    return [np.concatenate(([chance], np.zeros(points - 1))) for points, chance in held]


def _after(chain: Floats, damage: Floats, regeneration: int) -> Floats:
    """The damage taken of those that live after a round."""
    return _healed(np.convolve(chain, damage[: chain.size])[: chain.size], regeneration)


def _healed(hurt: Floats, regeneration: int) -> Floats:
    if not regeneration:
        return hurt
    healed = np.zeros_like(hurt)
    healed[0] = hurt[: regeneration + 1].sum()
    healed[1 : max(1, hurt.size - regeneration)] = hurt[regeneration + 1 :]
    return healed


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
    (chain,) = _chains(hp, 0)
    lived, wasted, ever = 0.0, 0.0, 0.0
    for one in strikes[:-1]:
        left = chain[::-1]
        lived += float(chain.sum())
        wasted += float(one.waste[at, : chain.size] @ left)
        ever += float((one.kills[at, :, : chain.size] @ left).sum())
        chain = _after(chain, one.damage[at], 0)
    if strikes[-1].some[at] == 0.0 and chain.any():
        return Prospects(ever=ever, rounds=None, waste=wasted, taken=None)
    left = chain[::-1]
    return Prospects(ever=1.0, rounds=lived + float(rounds[: chain.size] @ left), waste=wasted + float(waste[: chain.size] @ left), taken=hp.mean)


def _regenerating(strikes: Sequence[Strike], at: int, hp: PMF, regeneration: int) -> Prospects:
    found = [_recovering(strikes, at, chain, regeneration) for chain in _chains(hp, regeneration)]
    return Prospects(
        ever=min(1.0, sum(one.ever for one in found)),
        rounds=_sum([one.rounds for one in found]),
        waste=_sum([one.waste for one in found]),
        taken=_sum([one.taken for one in found]),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None when one is."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _recovering(strikes: Sequence[Strike], at: int, chain: Floats, regeneration: int) -> Prospects:
    """The share of a fight that one number of hit points has, all figures weighed with its chance.

    Once the last round repeats, the chances of those alive shrink by factors between the least and the greatest ratio of a chance to the same one before; both
    hold for ever after (Collatz, 1942), and bound what is still to come between two geometric series.
    """
    last, repeats = strikes[-1], len(strikes) - 1
    sure = chain.size <= last.most or regeneration < last.most
    heals = np.minimum(np.arange(chain.size), regeneration)
    # Chance of a round, of a death in it, points wasted and points lost; what it is healed by it loses again.
    sums = np.array([0.0, 0.0, 0.0, float(chain.sum()) * chain.size])
    for number in range(MAX_ROUNDS):
        one = strikes[min(number, repeats)]
        left, hurt = chain[::-1], np.convolve(chain, one.damage[at, : chain.size])[: chain.size]
        after = _healed(hurt, regeneration)
        round_ = np.array([chain.sum(), (one.kills[at, :, : chain.size] @ left).sum(), one.waste[at, : chain.size] @ left, heals @ hurt])
        sums += round_
        alive = float(after.sum())
        going_on = _going_on(chain, after, float(round_[1])) if sure and number >= repeats else None
        if alive <= OVER * sums[1] or going_on is not None:
            rounds, ever, waste, taken = (sums + round_ * (going_on or 0.0)).tolist()
            return Prospects(ever=ever, rounds=rounds, waste=waste, taken=taken)
        if not sure and number >= repeats and not after[1:].any():
            break
        chain = after
    return Prospects(ever=float(sums[1]) + (alive if sure else 0.0), rounds=None, waste=None if sure else float(sums[2]), taken=None)


def _going_on(before: Floats, after: Floats, kills: float) -> float | None:
    """How many more rounds like this one are still to come, or None as long as that is not known."""
    held = before > _TINY
    if kills <= 0.0 or (after[~held] > _TINY).any():
        return None
    ratios = after[held] / before[held]
    # One less the ratio, told by who dies: it does not cancel.
    dies = kills / float(before.sum())
    return float(after.sum()) / kills if ratios.max() - ratios.min() <= max(KNOWN * dies, ROUNDING) else None
