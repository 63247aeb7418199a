"""One round exactly: a turn is a state machine, and what depends on earlier attacks is joint with its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.exact.attack import CRITICALS, DAMAGE, HITS, Swing, swing
from analyzer.exact.moments import Moments, either, pool, start
from analyzer.exact.totals import Swings, branches, by_multisets, by_states, highest
from analyzer.plan import CRITICAL, DEGREES, HIT, MAX_TOTAL, Plan, Step, Target, sweep
from analyzer.pmf import Floats

_COUNTS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackResult:
    """One step of a round over a sweep of ACs, marginal over states; a round in which it is skipped counts as no attack.

    Parameters
    ----------
    label, bonus, effect
        Those of the attack made in the first state that makes one; '', 0 and None when none does.
    hit : (n_ac,) float64, chance 0..1
        Final degree 2 or 3.
    threat : (n_ac,) float64, chance 0..1
        A hit whose face is in the threat range, before confirmation and miss chance; where nothing confirms, a critical before immunity.
    crit : (n_ac,) float64, chance 0..1
        Final degree 3.
    mean, mean_sd : (n_ac,) float64, damage points per round
        Mean and standard deviation.
    effect_chance : (n_ac,) float64, chance 0..1
        Final degree 3 of an attack with this ``effect``.
    degrees : (n_ac, 4) float64, chance 0..1
        Final degrees.
    """

    label: str
    bonus: int
    effect: str | None
    hit: Floats
    threat: Floats
    crit: Floats
    mean: Floats
    mean_sd: Floats
    effect_chance: Floats
    degrees: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Round:
    """A round over a sweep of ACs.

    Parameters
    ----------
    acs : (n_ac,) int64
        Values of the swept defence.
    dpr, sd : (n_ac,) float64, damage points per round
        Mean and standard deviation of the total.
    hits, hits_sd, crits, crits_sd : (n_ac,) float64, per round
        Mean and standard deviation of the numbers of hits (criticals included) and criticals.
    any_hit, any_crit, no_damage : (n_ac,) float64, chance 0..1
        At least one hit, at least one critical, a total of 0.
    effects : dict of (n_ac,) float64, chance 0..1
        Each critical effect at least once.
    pmf : (n_ac, n_totals) float64, chance 0..1, or None
        Chances of the totals 0, 1, ...; None when not asked for or refused.
    pmf_refused
        Why the PMF was refused, naming the limit, or None.
    attacks
        One per step of the plan, in order.
    """

    acs: NDArray[np.int64]
    dpr: Floats
    sd: Floats
    hits: Floats
    hits_sd: Floats
    crits: Floats
    crits_sd: Floats
    any_hit: Floats
    any_crit: Floats
    no_damage: Floats
    effects: dict[str, Floats]
    pmf: Floats | None
    pmf_refused: str | None
    attacks: tuple[AttackResult, ...]


def evaluate(plan: Plan, target: Target, acs: Sequence[int], *, pmf: bool = True) -> Round:
    """The exact result of a round against a sweep of ACs, all in one pass.

    Parameters
    ----------
    plan, target
        What is attacked with what.
    acs : (n_ac,) integers
        Values of the swept defence (see `analyzer.plan.sweep`).
    pmf
        Whether to work out the distribution of the total; means, deviations and chances come always.

    Returns
    -------
    Round

    Raises
    ------
    PlanError
        When the target lacks a defence or a creature of the plan, or one attack's damage is too large to compute.
    TypeError
        When ``acs`` are no integers.
    """
    values = np.asarray(acs)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise TypeError(f"acs must be a sequence of integers; got {acs!r}")
    defences = sweep(plan, target, acs)
    swings = swings_of(plan, target, defences)
    names = sorted({s.attack.effect for s in swings.values() if s.attack.effect is not None})
    whole, attacks = _play(plan, swings, names, len(values))
    mean, sd = whole.mean, _deviation(whole)
    any_hit, any_crit, *effects = np.minimum(whole.some[1:], 1)
    distribution, refused = _distribution(plan, swings, len(values)) if pmf else (None, None)
    return Round(
        acs=values.astype(np.int64),
        dpr=mean[DAMAGE],
        sd=sd[DAMAGE],
        hits=mean[HITS],
        hits_sd=sd[HITS],
        crits=mean[CRITICALS],
        crits_sd=sd[CRITICALS],
        any_hit=any_hit,
        any_crit=any_crit,
        # Where nothing ever deals damage this is sure, whatever the rounding of the sum.
        no_damage=np.where(whole.mean[DAMAGE] == 0, 1.0, np.minimum(whole.none[DAMAGE], 1)),
        effects=dict(zip(names, effects, strict=True)),
        pmf=distribution,
        pmf_refused=refused,
        attacks=attacks,
    )


def swings_of(plan: Plan, target: Target, defences: NDArray[np.int64]) -> Swings:
    """The outcomes of every attack of a plan against ``defences``, (n_ac, n_defences) int64."""
    made = {id(attack): attack for step in plan.steps for attack in step.variants if attack is not None}
    return {key: swing(attack, target, defences) for key, attack in made.items()}


def _distribution(plan: Plan, swings: Swings, n_ac: int) -> tuple[Floats | None, str | None]:
    """The PMF of the total, or why it is refused."""
    n_totals = 1 + highest(plan.turns, swings)
    if n_totals > MAX_TOTAL:
        return None, f"the exact distribution of a round must have at most {MAX_TOTAL} totals; got {n_totals}"
    found = by_multisets(plan.turns, swings, n_ac, n_totals)
    return by_states(plan.turns, swings, n_ac, n_totals) if found is None else found, None


def _play(plan: Plan, swings: Swings, names: Sequence[str], n_ac: int) -> tuple[Moments, tuple[AttackResult, ...]]:
    """The moments of the whole round and the result of each step."""
    whole = start(_COUNTS, _COUNTS + len(names), n_ac)
    attacks = []
    for turn in plan.turns:
        held = {0: whole}
        for step in turn.steps:
            goals: dict[int, list[Moments]] = {}
            made: list[Moments] = []
            for state, before in held.items():
                for goal, swung, rows in branches(step, swings, state):
                    if swung is None:
                        goals.setdefault(goal, []).append(before)
                    else:
                        blow = _blow(swung, rows, names)
                        goals.setdefault(goal, []).append(before.then(blow))
                        made.append(blow._replace(mass=before.mass * blow.mass, spread=before.mass * blow.spread))
            attacks.append(_result(step, swings, {state: m.mass for state, m in held.items()}, made))
            held = {goal: either(branch) for goal, branch in goals.items()}
        whole = either(list(held.values()))
    return whole, tuple(attacks)


def _blow(swung: Swing, rows: Sequence[int], names: Sequence[str]) -> Moments:
    """The moments of an attack on some of its outcomes."""
    outcomes = swung.outcomes
    chance, mean, variance, none = swung.chance, outcomes.mean, outcomes.variance, outcomes.none
    if len(rows) < len(chance):
        chance, mean, variance, none = chance[rows], mean[rows], variance[rows], none[rows]
    if names:
        named = np.array([name == swung.attack.effect for name in names])[:, np.newaxis]
        none = np.concatenate((none, np.where(named, none[:, CRITICALS, np.newaxis], 1.0)), axis=1)
    weight = chance[:, np.newaxis]
    mass, middle, spread = pool(chance, mean, weight * variance)
    if len(rows) == len(swung.chance):
        mass = np.ones_like(mass)  # all outcomes: sure, whatever the rounding of their sum
    return Moments(mass, middle, spread, (weight * none).sum(axis=0), (weight * (1 - none)).sum(axis=0))


def _result(step: Step, swings: Swings, masses: dict[int, Floats], made: Sequence[Moments]) -> AttackResult:
    """What one step comes to over the states it was reached in."""
    attack = next((variant for variant in step.variants if variant is not None), None)
    effect = None if attack is None else attack.effect
    n_ac = len(next(iter(masses.values())))
    degrees, threat, effect_chance = np.zeros((DEGREES, n_ac)), np.zeros(n_ac), np.zeros(n_ac)
    skipped = np.zeros(n_ac)
    for state, mass in masses.items():
        variant = step.variants[state]
        if variant is None:
            skipped = skipped + mass
            continue
        swung = swings[id(variant)]
        degrees = degrees + mass * swung.degrees
        threat = threat + mass * swung.threat
        if effect is not None and variant.effect == effect:
            effect_chance = effect_chance + mass * swung.degrees[CRITICAL]
    nothing = start(_COUNTS, 0, n_ac)
    total = _total(nothing._replace(mass=skipped), made)
    return AttackResult(
        label="" if attack is None else attack.label,
        bonus=0 if attack is None else attack.bonus,
        effect=effect,
        hit=degrees[HIT] + degrees[CRITICAL],
        threat=threat,
        crit=degrees[CRITICAL],
        mean=total.mean[DAMAGE],
        mean_sd=_deviation(total)[DAMAGE],
        effect_chance=effect_chance,
        degrees=degrees.T,
    )


def _total(skipped: Moments, made: Sequence[Moments]) -> Moments:
    bare = [m._replace(none=skipped.none, some=skipped.some) for m in made]
    return either([skipped, *bare]) if skipped.mass.any() or not bare else either(bare)


def _deviation(moments: Moments) -> Floats:
    """Standard deviations, (n_count, n_ac) float64."""
    deviation: Floats = np.sqrt(moments.spread / moments.mass)
    return deviation
