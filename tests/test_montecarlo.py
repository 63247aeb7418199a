"""The kernel: reference vectors, replays of its own dice, chi-square against the exact engine, and the same bytes for any way of running it."""

import hashlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import chain
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from analyzer.exact import evaluate
from analyzer.montecarlo import Purpose, kernel, paired, record, simulate
from analyzer.montecarlo.kernel import WORD_FACES, Tallies, philox_words, run_sweep
from analyzer.montecarlo.lower import lower, lower_sweep
from analyzer.montecarlo.simulate import key_of
from analyzer.montecarlo.tally import empty_arrays
from analyzer.plan import Area, Attack, Check, Critical, Die, Plan, PlanError, Step, Target, Turn, sweep
from analyzer.records import Played, figures
from analyzer.verdict import distribution_p, judge
from tests.plan_interpreter import play_steps
from tests.plans import CASES, PLAIN, TWO, bomb, line, one, packet
from tests.referees.harness import replay
from tests.test_exact import plans, targets

HARSH = Target(ac=(12,), miss=(20, 100), miss_rolls=2, negate=(25, 100))


def whole(**check):
    """Four different attacks, with precision, several words of dice, states and effects: something of everything."""
    rich = ((), (packet(Die(sides=4)),), (packet(Die(sides=6, count=7, reroll_to=2)), packet(Die(sides=8, count=3), precision=True)), ())
    on = (rich[0], rich[1], rich[2], (packet(Die(sides=12, count=2), flat=5, times=3),))
    first = Attack(label="a", bonus=4, check=Check(critical=Critical.CONFIRM, threat_from=17, **check), on=on, effect="bleed")
    second = replace(first, bonus=-1, check=Check(dice=2, reroll_ones=True, extra=(Die(sides=4),), critical=Critical.NATURAL))
    flip = ((0, 0, 1, 1), (1, 1, 0, 1))
    return line(Step(variants=(first, second), next=flip), Step(variants=(second, None), next=flip), Step(variants=(None, first)))


def words(key, trial, block):
    return [f"{w:08x}" for w in philox_words(np.uint64(key), np.uint64(trial), np.uint64(block))]


# Known answers of Philox4x32-10 published with the Random123 library (Salmon et al. 2011).
@pytest.mark.parametrize(
    ("key", "trial", "block", "answer"),
    [
        (0, 0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (2**64 - 1, 2**64 - 1, 2**64 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E, "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_reference_vectors(key, trial, block, answer):
    assert words(key, trial, block) == answer.split()


def follow(plan, target, ac, *, trials=400, seed=5):
    """Replay traced trials through the interpreter: the same dice asked for, the same damage and degree of every step."""
    defences = [int(d) for d in sweep(plan, target, [ac])[0]]
    found = record(plan, target, ac, first=10**9, trials=trials, seed=seed)
    for row in range(trials):
        dice = [(die.sides, die.face) for die in found.dice(row)]
        damages, degrees = replay(lambda roll: play_steps(plan, target, defences, roll), dice)
        assert found.damage[row].tolist() == list(damages)
        assert found.degree[row].tolist() == [-1 if d is None else d for d in degrees]
        assert found.total[row] == sum(damages)


def agreement(plan, target, acs, *, trials=200_000, seed=11):
    exact = evaluate(plan, target, acs)
    played = Played(system="s", build="b", exact=exact, tallies=simulate(plan, target, acs, trials=trials, seed=seed))
    return judge(figures(played, rounds=True, attacks=True))


@pytest.mark.parametrize("name", CASES)
def test_field(name):
    for plan, target in CASES[name]:
        for ac in (11, 22):
            follow(plan, target, ac, trials=150)
        verdict = agreement(plan, target, (11, 22), trials=120_000)
        assert verdict.agree, verdict


@pytest.mark.parametrize("target", [Target(ac=(12,)), HARSH, replace(HARSH, miss_rolls=4, immune_critical=True)])
@pytest.mark.parametrize("bonus", [0, 9])
def test_something_of_everything(target, bonus):
    plan = whole(confirm_bonus=bonus)
    follow(plan, target, 14)
    verdict = agreement(plan, target, (2, 14, 25))
    assert verdict.agree, verdict


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=plans, target=targets)
def test_any_plan(plan, target):
    follow(plan, target, 12, trials=60)


def test_a_wrong_interpreter_is_noticed():
    plan, target = one(on=PLAIN)
    with pytest.raises(AssertionError):
        follow(plan, replace(target, immune_critical=True), 12) or follow(replace_check(plan, ties_hit=False), target, 13, trials=1) or wrong(plan, target)


def replace_check(plan, **changes):
    steps = tuple(replace(s, variants=tuple(a and replace(a, check=replace(a.check, **changes)) for a in s.variants)) for s in plan.steps)
    return Plan(turns=(Turn(steps=steps),))


def wrong(plan, target):
    """Dice of one plan replayed through another whose ties miss."""
    found = record(plan, target, 12, first=0, trials=200, seed=1)
    other = replace_check(plan, ties_hit=False)
    for row in range(200):
        dice = [(die.sides, die.face) for die in found.dice(row)]
        damages, _ = replay(lambda roll: play_steps(other, target, (12,), roll), dice)
        assert found.damage[row].tolist() == list(damages)


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("block", [64, 1000, 4096])
def test_same_bytes_for_any_threads_and_blocks(workers, block):
    plan = whole()
    alone = simulate(plan, HARSH, (10, 20), trials=300_001, seed=99)
    again = simulate(plan, HARSH, (10, 20), trials=300_001, seed=99, workers=workers, block=block)
    assert [bytes(t) for t in alone] == [bytes(t) for t in again]


@pytest.mark.slow
def test_same_bytes_from_processes():
    plan = whole()
    alone = simulate(plan, HARSH, (10, 20), trials=500_000, seed=99)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        again = simulate(plan, HARSH, (10, 20), trials=500_000, seed=99, executor=pool)
    assert [bytes(t) for t in alone] == [bytes(t) for t in again]


def test_seeds_differ_and_repeat():
    plan, target = one()
    runs = {bytes(simulate(plan, target, (12,), trials=1000, seed=seed)[0]) for seed in (0, 1, 2, 2**64, 2**200)}
    assert len(runs) == 5
    assert bytes(simulate(plan, target, (12,), trials=1000, seed=2**200)[0]) in runs


def test_a_sweep_shares_its_dice():
    plan, target = one(on=PLAIN)
    both = simulate(plan, target, (12, 13), trials=5000, seed=3)
    assert bytes(both[1]) == bytes(simulate(plan, target, (13,), trials=5000, seed=3)[0])
    assert both[0].counts[0, 2:].sum() > both[1].counts[0, 2:].sum()


def swept(plan, target, acs, *, trials, seed, block=1000):
    """The arrays of a sweep in one pass, or None when the plan does not allow it."""
    made = lower_sweep(plan, target, sweep(plan, target, acs).tolist())
    if made is None:
        return None
    lowered, rows = made
    arrays = Tallies(*(np.zeros((len(acs), *a.shape), a.dtype) for a in empty_arrays(lowered)))
    run_sweep(lowered.program, rows, key_of(seed), 0, trials, block, 0, arrays)
    return arrays


@pytest.mark.parametrize("name", [*CASES, "whole"])
def test_a_sweep_in_one_pass_is_a_run_per_ac(name):
    acs = (-5, 2, 11, 12, 20, 22, 23, 40)
    for plan, target in CASES.get(name, ((whole(), HARSH),)):
        found = swept(plan, target, acs, trials=5000, seed=13)
        if found is None:
            continue
        for i, ac in enumerate(acs):
            (tally,) = simulate(plan, target, (ac,), trials=5000, seed=13)
            assert tally.histogram is not None
            assert found.histogram[i].tolist() == tally.histogram.tolist()
            assert found.table[i].tolist() == tally.table.tolist()
            assert found.counts[i].tolist() == tally.counts.tolist()
            assert found.sums[i].tolist() == tally.sums.tolist()
            assert found.squares[i].tolist() == tally.squares.tolist()
            assert found.threats[i].tolist() == tally.threats.tolist()
            assert found.totals[i].tolist() == [tally.total, tally.total_squares]


def test_most_plans_are_swept_in_one_pass():
    plans_of_fields = [pair for twins in CASES.values() for pair in twins]
    passed = [lower_sweep(plan, target, [target.ac]) is not None for plan, target in plans_of_fields]
    assert sum(passed) > 0.7 * len(passed)
    assert lower_sweep(whole(), HARSH, [HARSH.ac]) is None


def test_a_trace_is_the_simulation():
    plan = whole()
    tally = simulate(plan, HARSH, (14,), trials=3000, seed=8)[0]
    found = record(plan, HARSH, 14, first=0, trials=3000, seed=8)
    assert tally.total == found.total.sum()
    assert tally.histogram is not None
    assert tally.histogram.tolist() == np.bincount(found.total, minlength=len(tally.histogram)).tolist()
    silent = record(plan, HARSH, 14, first=0, trials=3000, seed=8, dice=False)
    assert silent.total.tolist() == found.total.tolist()
    hits = [(row >= 2).sum() for row in found.degree]
    crits = [(row == 3).sum() for row in found.degree]
    assert tally.table.sum() == 3000
    assert all(tally.table[h, c] >= 1 for h, c in zip(hits, crits, strict=True))


def test_common_dice_make_a_difference_sharper():
    one_handed, target = one(on=PLAIN)
    better = replace_check(one_handed, ties_hit=True, threat_from=19, critical=Critical.NATURAL)
    pair = paired((better, target), (one_handed, target), trials=200_000, seed=5)
    totals = [record(plan, target, None, first=0, trials=200_000, seed=5, dice=False).total for plan in (better, one_handed)]
    difference = totals[0] - totals[1]
    assert pair.difference == difference.mean()
    assert pair.products == int(np.dot(*totals))
    assert pair.standard_error == pytest.approx(difference.std(ddof=1) / 200_000**0.5, rel=1e-12)
    assert pair.standard_error < 0.5 * (totals[0].var() + totals[1].var()) ** 0.5 / 200_000**0.5
    exact = evaluate(better, target, (12,)).dpr[0] - evaluate(one_handed, target, (12,)).dpr[0]
    assert abs(pair.difference - exact) < 6 * pair.standard_error
    assert paired((better, target), (better, target), trials=100, seed=5).standard_error is None


def test_progress_counts_every_trial():
    plan, target = one()
    done = []
    simulate(plan, target, (12, 13), trials=300_000, seed=3, workers=2, progress=done.append)
    assert sum(done) == 600_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials": 0}, "trials must be 1 to"),
        ({"workers": 0}, "workers must be 1 to 1024; got 0"),
        ({"block": 0}, "block must be 1 to"),
        ({"seed": -1}, "seed must be a non-negative integer; got -1"),
    ],
)
def test_bad_parameters(changes, message):
    plan, target = one()
    with pytest.raises(ValueError, match=message):
        simulate(plan, target, (12,), **({"trials": 10, "seed": 1} | changes))


def test_a_blast_needs_its_creatures():
    plan, target = bomb(TWO)
    area = next(a.area for s in plan.steps for a in s.variants if a is not None)
    assert isinstance(area, Area)
    with pytest.raises(PlanError, match="reductions must be"):
        lower(plan, replace(target, reductions=((),)), target.ac)


def test_every_die_is_fair_in_its_word():
    """Dice of 2 to 100 faces, alone and sharing words: chi-square over all faces, and over neighbouring pairs."""
    for sides in (2, 3, 4, 6, 7, 8, 10, 12, 20, 97, 100):
        plan, target = one(on=((), (), (packet(Die(sides=sides, count=4)),), ()), auto_hit_from=2)
        found = record(plan, target, -100, first=0, trials=40_000, seed=sides)
        rolled = [[d.face for d in found.dice(row) if d.purpose is Purpose.DAMAGE] for row in range(40_000)]
        faces = np.array([dice for dice in rolled if dice]) - 1
        assert faces.min() == 0
        assert faces.max() == sides - 1
        p = distribution_p(np.bincount(faces.ravel(), minlength=sides), np.full(sides, 1 / sides))
        assert p is None or p > 1e-6
        pairs = np.bincount((faces[:, :-1] * sides + faces[:, 1:]).ravel(), minlength=sides * sides)
        p = distribution_p(pairs, np.full(sides * sides, 1 / sides**2))
        assert p is None or p > 1e-6


def test_attack_and_confirmation_are_independent():
    plan, target = one(critical=Critical.CONFIRM, threat_from=1, auto_hit_from=2)
    found = record(plan, target, -100, first=0, trials=60_000, seed=17)
    counts = np.zeros(400, np.int64)
    for row in range(60_000):
        dice = {die.purpose: die.face for die in found.dice(row)}
        if Purpose.CONFIRM in dice:
            counts[(dice[Purpose.ATTACK] - 1) * 20 + dice[Purpose.CONFIRM] - 1] += 1
    assert not counts[:20].any()
    p = distribution_p(counts[20:], np.full(380, 1 / 380))
    assert p is not None
    assert p > 1e-6


def test_dice_that_share_a_word_stay_within_its_faces():
    assert WORD_FACES * 10**5 < 2**32, "the bias of a combination of dice stays below 1 / 10^5 of its chance"


def test_no_attacks():
    tally = simulate(Plan(turns=()), Target(ac=(10,)), (10,), trials=1000, seed=1)[0]
    assert tally.total == 0
    assert tally.histogram is not None
    assert tally.histogram.tolist() == [1000]
    assert tally.table.tolist() == [[1000]]


def test_more_totals_than_are_kept_apart():
    big = one(on=((), (), (packet(Die(sides=1000, count=50)),), ()), auto_hit_from=2)
    plan = Plan(turns=tuple(chain.from_iterable([big[0].turns] * 3)))
    tally = simulate(plan, big[1], (-100,), trials=200_000, seed=1)[0]
    assert tally.histogram is None
    exact = evaluate(plan, big[1], (-100,))
    assert abs(tally.total / 200_000 - exact.dpr[0]) < 6 * exact.sd[0] / 200_000**0.5


def listed(keys, low, high):
    """What the kernel lists of some keys."""
    buffer, out = np.zeros(len(keys) + kernel.ROOM, np.int32), np.zeros(len(keys) + kernel.ROOM, np.int32)
    buffer[: len(keys)] = keys
    return out[: kernel._select(buffer, low, high, out, len(keys))]


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100, 8191])
def test_a_list_holds_what_it_should_in_order(n):
    rng = np.random.default_rng(n)
    keys = rng.integers(-1, 4, n).astype(np.int32) * 2**24 + np.arange(n, dtype=np.int32)
    for low, high in ((0, 1), (0, 4), (2, 3), (2, 4), (3, 4)):
        wanted = keys[(keys >= low * 2**24) & (keys < high * 2**24)]
        assert listed(keys, low * 2**24, high * 2**24).tolist() == wanted.tolist()


OTHER_PROCESSOR = """
import hashlib, pickle, sys
import numpy as np
from analyzer.montecarlo import kernel, simulate
keys, out = np.full(1000 + kernel.ROOM, 5, np.int32), np.zeros(1000 + kernel.ROOM, np.int32)
keys[:1000] = np.random.default_rng(1).integers(-1, 9, 1000)
n = kernel._select(keys, 3, 6, out, 1000)
assert out[:n].tolist() == [k for k in keys[:1000].tolist() if 3 <= k < 6]
code = "".join(kernel._select.inspect_asm().values())
assert "zmm" not in code and "compress" not in code, "this must be the way without AVX-512"
for plan, target in pickle.loads(bytes.fromhex(sys.stdin.read())):
    print(hashlib.sha256(b"".join(bytes(t) for t in simulate(plan, target, (12, 17, 19, 21), trials=5000, seed=9))).hexdigest())
"""


def on_a_plain_processor(sides, tmp_path):
    """Digests of the tallies of some sides, by a kernel compiled for no more than every processor has."""
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESSOR], input=pickle.dumps(sides).hex(), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_lists_on_a_plain_processor(tmp_path):
    assert on_a_plain_processor([], tmp_path) == []


@pytest.mark.slow
def test_the_same_bytes_on_a_plain_processor(tmp_path):
    sides = [one(), bomb(TWO), (whole(), HARSH), *chain.from_iterable(CASES[name] for name in ("extra", "confirm", "keep more", "count"))]
    here = [hashlib.sha256(b"".join(bytes(t) for t in simulate(*side, (12, 17, 19, 21), trials=5000, seed=9))).hexdigest() for side in sides]
    assert on_a_plain_processor(sides, tmp_path) == here


def test_a_share_of_damage_is_the_integer_one():
    rng = np.random.default_rng(3)
    for keep, of in ((1, 2), (2, 3), (90, 100), (5, 4), (1, 7), (999, 1000), (2**29, 2**29 + 1), (1, 2**40)):
        for most in (30, 10**6, 2**30):
            for up, change in ((0, 0), (of - 1, -3), (0, 4)):
                x = rng.integers(-5, most, 500).astype(np.int32)
                found = x.copy()
                kernel._keep_share(found, 500, keep, of, up, change)
                share = [(v * keep + up) // of for v in x.tolist()]
                wanted = [max(s + change, 0) if v > 0 else 0 for v, s in zip(x.tolist(), share, strict=True)]
                if max(wanted) < 2**31:
                    assert found.tolist() == wanted


def test_words_are_compared_as_faces():
    for face in range(1, 21):
        word = int(kernel._lowest(face))
        assert word * 20 >> 32 == face - 1
        assert word == 0 or (word - 1) * 20 >> 32 == face - 2
    for sides in (20, 100, 97):
        for face in range(1, sides + 1):
            word = int(kernel._last_word(face, sides))
            assert word * sides >> 32 == face - 1
            assert word == 2**32 - 1 or (word + 1) * sides >> 32 == face


def test_trials_on_both_sides_of_a_multiple_of_2_to_the_32():
    plan, target = whole(), HARSH
    together = record(plan, target, 14, first=2**32 - 20, trials=40, seed=2)
    alone = [record(plan, target, 14, first=2**32 - 20 + i, trials=1, seed=2) for i in range(40)]
    assert together.total.tolist() == [int(r.total[0]) for r in alone]
    assert [together.dice(i) for i in range(40)] == [r.dice(0) for r in alone]
