"""The exact engine against the plan's interpreter, enumerated over all dice in fractions: every field of the plan, then whole stories."""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from analyzer.exact import evaluate, rounds, totals
from analyzer.plan import (
    LANDINGS,
    MAX_TOTAL,
    Area,
    Attack,
    Check,
    Critical,
    Die,
    Packet,
    Part,
    Plan,
    PlanError,
    Reduction,
    Roll,
    Step,
    Target,
    Turn,
    sweep,
)
from tests.plan_interpreter import first_degree, play_steps, roll_check
from tests.plans import ACS, CASES, CATCHES, CONFIRM, D2, D3, D4, MARGIN, NATURAL, PLAIN, TURNS, TWO, A, bomb, cut, line, one, packet
from tests.referees.harness import LimitError, enumerate_rounds

# --- the comparison -------------------------------------------------------------------------------------------------------------------------------------


def made(plan, degrees):
    """The attack of every step, given the degrees."""
    attacks = []
    left = iter(degrees)
    for turn in plan.turns:
        state = 0
        for step in turn.steps:
            degree = next(left)
            attacks.append(step.variants[state])
            if degree is not None and step.next:
                state = step.next[state][degree]
    return attacks


def moments(outcomes, value):
    mean = sum(p * value(o) for o, p in outcomes.items())
    return float(mean), sqrt(sum(p * (value(o) - mean) ** 2 for o, p in outcomes.items()))


def chance(outcomes, event):
    return float(sum((p for o, p in outcomes.items() if event(o)), Fraction()))


def threat_given(attack, ac):
    """The threat chance of an attack, from the check alone."""
    check = attack.check
    need = ac if check.ties_hit else ac + 1

    def hits(face, total):
        return face > check.auto_miss_to and (total >= need or face >= check.auto_hit_from)

    rolls = enumerate_rounds(lambda roll: roll_check(check, attack.bonus, roll))
    if check.critical == Critical.MARGIN:
        return enumerate_rounds(lambda roll: first_degree(check, attack.bonus, ac, roll)).get(3, 0)
    return sum(
        p
        for (face, total), p in rolls.items()
        if check.critical != Critical.NONE and hits(face, total) and face >= check.threat_from and (check.critical != Critical.MEETS or total >= need)
    )


def close(got, want):
    """Equal at 1e-12; exactly 0 when it is impossible or does not vary."""
    assert got == pytest.approx(want, rel=1e-12, abs=0 if want == 0 else 1e-14)


def hold(plan, target, acs=ACS, limit=150_000):
    """Hold every field of the engine's answer to the enumeration."""
    result = evaluate(plan, target, acs)
    assert result.acs.tolist() == list(acs)
    assert result.pmf_refused is None
    for k, defences in enumerate(sweep(plan, target, acs).tolist()):
        outcomes = enumerate_rounds(lambda roll, d=defences: play_steps(plan, target, d, roll), limit)
        totals_ = {}
        for (damages, _), p in outcomes.items():
            totals_[sum(damages)] = totals_.get(sum(damages), 0) + p
        pmf = result.pmf[k]
        assert {t: p for t, p in enumerate(pmf) if p} == pytest.approx({t: float(p) for t, p in totals_.items()}, rel=1e-12)
        assert abs(pmf.sum() - 1) < 1e-12
        for mean, sd, value in (
            (result.dpr, result.sd, lambda o: sum(o[0])),
            (result.hits, result.hits_sd, lambda o: sum(d in (2, 3) for d in o[1])),
            (result.crits, result.crits_sd, lambda o: sum(d == 3 for d in o[1])),
        ):
            want = moments(outcomes, value)
            close(mean[k], want[0])
            close(sd[k], want[1])
        close(result.any_hit[k], chance(outcomes, lambda o: {2, 3} & set(o[1])))
        close(result.any_crit[k], chance(outcomes, lambda o: 3 in o[1]))
        close(result.no_damage[k], chance(outcomes, lambda o: sum(o[0]) == 0))
        for name, chances in result.effects.items():
            close(chances[k], chance(outcomes, lambda o, n=name: any(d == 3 and a.effect == n for a, d in zip(made(plan, o[1]), o[1], strict=True))))
        hold_attacks(plan, result, k, defences, outcomes)
    return result


def hold_attacks(plan, result, k, defences, outcomes):
    assert len(result.attacks) == len(plan.steps)
    for i, (step, attack) in enumerate(zip(plan.steps, result.attacks, strict=True)):
        first = next((a for a in step.variants if a is not None), None)
        assert (attack.label, attack.bonus, attack.effect) == ((first.label, first.bonus, first.effect) if first else ("", 0, None))
        mean, sd = moments(outcomes, lambda o, i=i: o[0][i])
        close(attack.mean[k], mean)
        close(attack.mean_sd[k], sd)
        for degree in range(4):
            close(attack.degrees[k, degree], chance(outcomes, lambda o, i=i, d=degree: o[1][i] == d))
        close(attack.hit[k], chance(outcomes, lambda o, i=i: o[1][i] in (2, 3)))
        close(attack.crit[k], chance(outcomes, lambda o, i=i: o[1][i] == 3))
        met = {}
        for (_, degrees), p in outcomes.items():
            variant = made(plan, degrees)[i]
            met[variant] = met.get(variant, 0) + p
        close(attack.threat[k], float(sum((p * threat_given(a, defences[a.defence]) for a, p in met.items() if a is not None), Fraction())))
        named = chance(outcomes, lambda o, i=i, name=attack.effect: o[1][i] == 3 and name is not None and made(plan, o[1])[i].effect == name)
        close(attack.effect_chance[k], named)


def everything(result):
    """All numbers of a result, to tell two apart."""
    pieces = [result.pmf, result.dpr, result.sd, *result.effects.values()]
    for attack in result.attacks:
        pieces += [attack.degrees, attack.threat, attack.mean, attack.mean_sd, attack.effect_chance, np.array(attack.bonus)]
    return sorted(result.effects), [np.round(np.asarray(p), 9).tolist() for p in pieces]


# --- every field ----------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_field(name):
    with_it, without = CASES[name]
    small = (12, 22) if name in TURNS or name in CATCHES or "dice" in name or "confirm" in name or "best" in name else ACS
    result = hold(*with_it, small)
    assert everything(result) != everything(evaluate(*without, small))


@pytest.mark.parametrize("degree", range(4))
def test_each_degree_deals_its_packets(degree):
    check = {"critical": MARGIN, "margin": 4}
    on = tuple((packet(D3, flat=5),) if d == degree else () for d in range(4))
    assert everything(hold(*one(on=on, **check))) != everything(evaluate(*one(on=((),) * 4, **check), ACS))


def test_defences_follow_the_sweep_or_stay():
    step = Step(variants=(A,)), Step(variants=(replace(A, defence=1),)), Step(variants=(replace(A, defence=2),))
    fixed = hold(line(*step), Target(ac=(15, 12, 5), follows_sweep=(True, True, False)), (15, 25), limit=10**5)
    assert fixed.attacks[2].hit[0] == fixed.attacks[2].hit[1]
    assert fixed.attacks[1].hit[0] > fixed.attacks[1].hit[1]
    unswept = evaluate(line(step[2]), Target(ac=(15, 12, 5), follows_sweep=(True, True, False)), (1, 99))
    assert unswept.dpr[0] == unswept.dpr[1]


# --- stories --------------------------------------------------------------------------------------------------------------------------------------------


def test_once_per_turn_is_joint():
    def strike(sneak):
        def dealt(times):
            rolls = [Roll(dice=(Die(sides=4, count=times),), flat=4)] + [Roll(dice=(Die(sides=6, count=3 * times),), precision=True)] * sneak
            return (Packet(parts=(Part(type="slashing", rolls=tuple(rolls)),)),)

        return Attack(label="stab", bonus=8, check=Check(critical=NATURAL), on=((), (), dealt(1), dealt(2)))

    step = Step(variants=(strike(1), strike(0)), next=((0, 0, 1, 1), (1, 1, 1, 1)))
    result = evaluate(line(step, step), Target(ac=(16,)), [16])
    assert result.no_damage[0] == pytest.approx(0.1225, rel=1e-14)
    assert result.pmf[0, 0] == pytest.approx(0.1225, rel=1e-14)
    assert result.sd[0] == pytest.approx(8.886013940457216, rel=1e-14)
    assert result.pmf[0, 30:].sum() == pytest.approx(0.06741320323551633, rel=1e-13)


def reference(**check):
    def dealt(times):
        weapon = Part(type="physical", rolls=(Roll(dice=(Die(sides=6, count=2),), flat=15, minimum=1, times=times),))
        return (Packet(parts=(weapon, Part(type="extra", rolls=(Roll(dice=(Die(sides=6, count=5),)),)))),)

    shown = Check(**{"ties_hit": False, "threat_from": 17, "critical": CONFIRM, "confirm_naturals": False} | check)
    steps = [Step(variants=(Attack(label=f"{b:+}", bonus=b, check=shown, on=((), (), dealt(1), dealt(2))),)) for b in (20, 15, 10, 5)]
    return line(*steps), Target(ac=(28,), reductions=((cut("physical", subtract=5),),))


@pytest.mark.parametrize(
    ("check", "dpr", "sd", "last"),
    [
        ({}, 42.35, 31.412285017171225, 0),
        ({"confirm_naturals": True}, 42.405, 31.489021234921438, 0.0025),
        ({"confirm_naturals": True, "ties_hit": True}, 48.295, 32.68657280393077, 0.0025),
    ],
)
def test_reference_scenario(check, dpr, sd, last):
    result = evaluate(*reference(**check), [28])
    assert result.dpr[0] == pytest.approx(dpr, rel=1e-14)
    assert result.sd[0] == pytest.approx(sd, rel=1e-14)
    assert result.attacks[3].crit[0] == pytest.approx(last, rel=1e-14)


def test_reference_scenario_by_attack():
    result = evaluate(*reference(), [28])
    assert result.no_damage[0] == pytest.approx(0.2223, rel=1e-14)
    assert result.hits[0] == pytest.approx(1.1, rel=1e-14)
    assert result.crits[0] == pytest.approx(0.2, rel=1e-14)
    assert [a.hit[0] for a in result.attacks] == pytest.approx([0.6, 0.35, 0.1, 0.05], rel=1e-14)
    assert [a.threat[0] for a in result.attacks] == pytest.approx([0.2, 0.2, 0.1, 0.05], rel=1e-14)
    assert [a.crit[0] for a in result.attacks] == pytest.approx([0.12, 0.07, 0.01, 0], rel=1e-14)


@pytest.mark.parametrize("bonus", [-50, 0, 200])
@pytest.mark.parametrize("critical", Critical)
def test_extreme_needs(bonus, critical):
    plan, target = one(attack={"bonus": bonus}, critical=critical, threat_from=18, extra=(D2,), on=PLAIN)
    hold(plan, target, (-100, -50, 0, 200, 1000))


def test_a_sure_thing_has_no_deviation():
    sure = one(on=((packet(flat=17),),) * 4, auto_miss_to=0, extra=(D3, Die(sides=7, count=3)))[0]
    result = evaluate(Plan(turns=sure.turns * 4), Target(ac=(0,)), [-100, 1000])
    assert result.dpr.tolist() == [68, 68]
    assert result.sd.tolist() == [0, 0]
    assert result.hits_sd[0] == result.crits_sd[0] == 0
    assert result.any_hit[0] == 1
    assert result.no_damage.tolist() == [0, 0]
    assert result.any_crit.tolist() == [0, 0]


def test_nothing_to_hit_with_is_exactly_nothing():
    result = evaluate(*one(auto_hit_from=21, critical=CONFIRM, on=PLAIN), [1000])
    assert (result.any_hit[0], result.any_crit[0], result.no_damage[0], result.hits_sd[0]) == (0, 0, 1, 0)


def test_a_tiny_chance_keeps_its_digits():
    rare = Check(auto_hit_from=21, extra=(Die(sides=100, count=10),), critical=NATURAL)
    attack = Attack(label="a", bonus=0, check=rare, on=PLAIN, effect="doom")
    result = evaluate(line(*[Step(variants=(attack,))] * 3), Target(ac=(0,)), [1020])
    once = 0.05 * 100.0**-10
    for chance_ in (result.any_hit, result.any_crit, result.effects["doom"], result.pmf[:, 1:].sum(axis=1)):
        assert chance_[0] == pytest.approx(3 * once, rel=1e-12)
    assert result.hits_sd[0] == pytest.approx(sqrt(3 * once), rel=1e-12)


# --- sizes ----------------------------------------------------------------------------------------------------------------------------------------------


def big(n, most):
    return line(*[Step(variants=(Attack(label="a", bonus=0, check=Check(), on=((), (), (packet(D4, flat=most - 4),), ())),))] * n)


def test_a_round_too_large_keeps_its_moments():
    refused = evaluate(big(3, 50_000), Target(ac=(11,)), [11])
    assert refused.pmf is None
    assert str(MAX_TOTAL) in refused.pmf_refused
    small = evaluate(big(3, 40), Target(ac=(11,)), [11])
    assert small.pmf is not None
    assert refused.dpr[0] == pytest.approx(small.dpr[0] + 1.5 * (50_000 - 40), rel=1e-14)
    assert evaluate(big(3, 40), Target(ac=(11,)), [11], pmf=False).pmf is None
    assert evaluate(big(1, MAX_TOTAL - 1), Target(ac=(11,)), [11]).pmf.shape == (1, MAX_TOTAL)
    assert evaluate(big(1, MAX_TOTAL), Target(ac=(11,)), [11]).pmf is None


@pytest.mark.parametrize("name", ["degree 3 its own", "skipped keeps the state", "turns of other sizes", "steps"])
@pytest.mark.parametrize(("limit", "most", "way"), [("MAX_MULTISETS", 2, "by_states"), ("MAX_BOX", 0, "_listed"), ("_MAX_CODE", 1, "by_states")])
def test_every_way_to_the_distribution_agrees(name, limit, most, way, monkeypatch):
    """Multisets by their code, the same with codes listed, and PMFs carried per state."""
    calls = []

    def watched(room, function):
        taken = getattr(room, function)
        monkeypatch.setattr(room, function, lambda *given: calls.append(function) or taken(*given))

    watched(totals, "_listed")
    watched(rounds, "by_states")
    plan = Plan(turns=TURNS[name][0].turns * 3)
    monkeypatch.setattr(totals, "MAX_BOX", 2**20)
    first = evaluate(plan, Target(ac=(12,)), ACS)
    assert not calls
    monkeypatch.setattr(totals, limit, most)
    second = evaluate(plan, Target(ac=(12,)), ACS)
    assert set(calls) == {way}
    assert first.pmf.shape == second.pmf.shape
    np.testing.assert_allclose(first.pmf, second.pmf, rtol=1e-12, atol=0)
    points = np.arange(first.pmf.shape[1])
    np.testing.assert_allclose(first.pmf @ points, first.dpr, rtol=1e-12)
    np.testing.assert_allclose((first.pmf * (points - first.dpr[:, None]) ** 2).sum(axis=1), first.sd**2, rtol=1e-11, atol=1e-20)


def test_a_sweep_is_its_acs_one_by_one():
    plan, target = reference()
    whole = evaluate(plan, target, range(10, 51))
    for k, ac in enumerate(whole.acs.tolist()):
        single = evaluate(plan, target, [ac])
        np.testing.assert_allclose(whole.pmf[k], single.pmf[0], rtol=1e-13)
        assert whole.sd[k] == single.sd[0]
    assert evaluate(plan, target, []).pmf.shape[0] == 0


# --- refusals -------------------------------------------------------------------------------------------------------------------------------------------


def test_refusals_name_what_is_wrong():
    with pytest.raises(PlanError, match=r"defence of 'a' must be below 1.*got 1"):
        evaluate(line(Step(variants=(A,)), Step(variants=(replace(A, label="a", defence=1),))), Target(ac=(1,)), [10])
    with pytest.raises(PlanError, match=r"reductions must be 3 tuples.*got 1"):
        evaluate(*bomb(TWO, {}), [10])
    with pytest.raises(TypeError, match="acs must be a sequence of integers"):
        evaluate(*one(), [1.5])
    wide = [Part(type=t, rolls=(Roll(dice=(Die(sides=6, count=60),)),)) for t in "abc"]
    vast = bomb(TWO, {"reductions": ((cut("a", subtract=1),), (cut("b", subtract=1),), ())}, ((), (), (Packet(parts=tuple(wide)),), ()))
    with pytest.raises(PlanError, match="joint part sums"):
        evaluate(*vast, [10])


# --- random plans ---------------------------------------------------------------------------------------------------------------------------------------

ints = st.integers
dice = st.builds(Die, sides=ints(1, 3), count=ints(0, 2), best_of=ints(1, 2), sign=st.sampled_from([1, 1, -1]))
rolls = st.builds(
    Roll,
    dice=st.lists(dice, max_size=1).map(tuple),
    flat=ints(-2, 5),
    minimum=st.none() | ints(0, 2),
    times=ints(0, 2),
    scale=ints(0, 2),
    precision=st.booleans(),
)
parts = st.builds(Part, type=st.sampled_from("ab"), rolls=st.lists(rolls, max_size=2).map(tuple), minimum=ints(-4, 2))
keeps = st.sampled_from([(1, 1), (1, 2), (3, 2)])
packets = st.lists(st.builds(Packet, parts=st.lists(parts, max_size=2).map(tuple), keep=keeps), max_size=1).map(tuple)
checks = st.builds(
    Check,
    reroll_ones=st.booleans(),
    ties_hit=st.booleans(),
    auto_miss_to=ints(0, 2),
    auto_hit_from=ints(19, 21),
    threat_from=ints(17, 21),
    critical=st.sampled_from(Critical),
    confirm_bonus=ints(-2, 2),
    confirm_naturals=st.booleans(),
    margin=ints(1, 12),
    natural_shift=st.booleans(),
    take_hit=st.booleans(),
    add_on_1=ints(-9, 0),
    add_on_20=ints(0, 9),
)
areas = st.builds(
    Area,
    caught=st.lists(st.tuples(ints(0, 1), ints(0, 1)), min_size=LANDINGS, max_size=LANDINGS).map(tuple),
    scatters=st.booleans(),
)
attacks = st.builds(
    Attack,
    label=st.just("a"),
    bonus=ints(-2, 8),
    check=checks,
    on=st.tuples(packets, packets, packets, packets),
    effect=st.sampled_from([None, "bleed", "stun"]),
    area=st.none() | areas,
)
nexts = st.tuples(*[st.tuples(*[ints(0, 1)] * 4)] * 2)
steps = st.builds(Step, variants=st.tuples(attacks, st.none() | attacks), next=st.just(()) | nexts)
plans = st.builds(Plan, turns=st.lists(st.builds(Turn, steps=st.lists(steps, max_size=2).map(tuple)), max_size=1).map(tuple))
reductions = st.lists(
    st.builds(Reduction, types=st.just(frozenset("a")), keep=keeps, up=st.booleans(), add=ints(0, 1), subtract=ints(0, 3)), max_size=1
).flatmap(lambda first: st.just(tuple(first)) | st.builds(lambda r: (*first, r), st.builds(Reduction, keep=keeps, subtract=ints(0, 2))))
targets = st.builds(
    Target,
    ac=st.just((10,)),
    miss=st.sampled_from([(0, 100), (1, 2)]),
    negate=st.sampled_from([(0, 100), (1, 2)]),
    immune_critical=st.booleans(),
    immune_precision=st.booleans(),
    reductions=st.tuples(reductions, reductions),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=plans, target=targets, ac=ints(5, 32))
def test_any_plan(plan, target, ac):
    try:
        hold(plan, target, (ac,), limit=5000)
    except LimitError:
        assume(False)
