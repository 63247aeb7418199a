"""A turn is a state machine, and what depends on earlier attacks is joint with its state: the moments of a round and the result of each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from analyzer.exact.attack import COUNTS, CRITICALS, DAMAGE, DEGREE, MASS, MEAN, NONE, SOME, SPREAD, THREAT
from analyzer.exact.layout import Layout, Ways
from analyzer.exact.moments import Moments, either, pool, start, together
from analyzer.exact.results import AttackResult
from analyzer.plan import CRITICAL, DEGREES, HIT, Plan, Step
from analyzer.pmf import Floats


def play(plan: Plan, made: Layout, rows: Floats, names: Sequence[str]) -> tuple[Moments, tuple[AttackResult, ...]]:
    """The moments of the whole round and the result of each step.

    Parameters
    ----------
    plan, made
        A plan and its layout.
    rows : (n_row, n_blow, n_ac) float64
        The blows against a sweep.
    names
        The effects that are events beside damage, a hit and a critical.
    """
    blows = _moments(made, rows, names)
    rounds: list[Moments] = []
    results: list[AttackResult] = []
    for turn, ways in zip(plan.turns, made.turns, strict=True):
        if turn.states == 1:
            places = [branches[0][0][1] for branches in ways]
            struck = [place for place in places if place is not None]
            if struck:
                rounds.append(together(blows.at(slice(struck[0], struck[-1] + 1))))
            results += _sure(turn.steps, places, rows)
        else:
            after, found = _walked(turn.steps, ways, made, rows, blows)
            rounds.append(after)
            results += found
    if not rounds:
        rounds.append(start(COUNTS, COUNTS + len(names), rows.shape[2]))
    return reduce(Moments.then, rounds), tuple(results)


def _moments(made: Layout, rows: Floats, names: Sequence[str]) -> Moments:
    """The moments of every blow, fields (..., n_blow, n_ac)."""
    none, some = rows[NONE], rows[SOME]
    if names:
        named = np.array([[attack.effect == name for attack in made.attacks] for name in names])[:, :, np.newaxis]
        none = np.concatenate((none, np.where(named, none[CRITICALS], rows[MASS])))
        some = np.concatenate((some, np.where(named, some[CRITICALS], 0.0)))
    return Moments(rows[MASS], rows[MEAN], rows[SPREAD], none, some)


def _sure(steps: Sequence[Step], places: Sequence[int | None], rows: Floats) -> Iterator[AttackResult]:
    """The results of steps that know one state: those of their only blow."""
    nothing = np.zeros((DEGREES, rows.shape[2]))
    deviation = np.sqrt(rows[SPREAD][DAMAGE])
    hit = rows[DEGREE][HIT] + rows[DEGREE][CRITICAL]
    for step, place in zip(steps, places, strict=True):
        if place is None:
            zero = nothing[0]
            yield _result(step, degrees=nothing, hit=zero, threat=zero, mean=zero, mean_sd=zero, effect_chance=zero)
        else:
            degrees = rows[DEGREE, place]
            effect = nothing[0] if step.variants[0] is None or step.variants[0].effect is None else degrees[CRITICAL]
            yield _result(
                step,
                degrees=degrees,
                hit=hit[place],
                threat=rows[THREAT, place],
                mean=rows[MEAN.start + DAMAGE, place],
                mean_sd=deviation[place],
                effect_chance=effect,
            )


def _walked(steps: Sequence[Step], turn: Sequence[Ways], made: Layout, rows: Floats, blows: Moments) -> tuple[Moments, list[AttackResult]]:
    """The moments of a turn of several states, and the results of its steps."""
    results: list[AttackResult] = []
    held = {0: start(COUNTS, len(blows.none), rows.shape[2])}
    for step, ways in zip(steps, turn, strict=True):
        goals: dict[int, list[Moments]] = {}
        struck: list[tuple[int, Floats]] = []
        skipped = np.zeros(rows.shape[2])
        for state, before in held.items():
            for goal, place in ways[state]:
                if place is None:
                    goals.setdefault(goal, []).append(before)
                    skipped = skipped + before.mass
                else:
                    goals.setdefault(goal, []).append(before.then(blows.at(place)))
                    struck.append((place, before.mass))
        results.append(_over_states(step, struck, skipped, made, rows))
        held = {goal: either(branches) for goal, branches in goals.items()}
    return either(list(held.values())), results


def _over_states(step: Step, struck: Sequence[tuple[int, Floats]], skipped: Floats, made: Layout, rows: Floats) -> AttackResult:
    """The result of a step over the blows it may come to, each with the chance of the state before."""
    places = [place for place, _ in struck]
    reached = np.array([chance for _, chance in struck]).reshape(len(struck), len(skipped))
    found = rows[:, places]
    degrees = (found[DEGREE] * reached).sum(axis=1)
    threat = (found[THREAT] * reached).sum(axis=0)
    effect = _first(step)[2]
    named = [effect is not None and made.attacks[place].effect == effect for place in places]
    effects = (found[DEGREE][CRITICAL] * reached)[named].sum(axis=0)
    # A skipped step is an attack for no damage.
    mass = np.concatenate((found[MASS] * reached, [skipped]))
    mean, spread = (np.concatenate((one, [np.zeros_like(skipped)]))[:, np.newaxis] for one in (found[MEAN][DAMAGE], found[SPREAD][DAMAGE] * reached))
    total, (middle,), (apart,) = pool(mass, mean, spread)
    return _result(
        step,
        degrees=degrees,
        hit=degrees[HIT] + degrees[CRITICAL],
        threat=threat,
        mean=middle,
        mean_sd=np.sqrt(apart / total),
        effect_chance=effects,
    )


def _result(step: Step, *, degrees: Floats, hit: Floats, threat: Floats, mean: Floats, mean_sd: Floats, effect_chance: Floats) -> AttackResult:
    label, bonus, effect = _first(step)
    return AttackResult(
        label=label,
        bonus=bonus,
        effect=effect,
        hit=hit,
        threat=threat,
        crit=degrees[CRITICAL],
        mean=mean,
        mean_sd=mean_sd,
        effect_chance=effect_chance,
        degrees=degrees.T,
    )


def _first(step: Step) -> tuple[str, int, str | None]:
    """Label, bonus and effect of the attack made in the first state that makes one."""
    for attack in step.variants:
        if attack is not None:
            return attack.label, attack.bonus, attack.effect
    return "", 0, None
