"""A sweep beside a single AC, two threads beside one; the threads by wall time, the rest by CPU time."""

from time import perf_counter, process_time

import pytest

from analyzer import example
from analyzer.montecarlo import simulate
from benchmarks import ours
from benchmarks.mood import Mood
from benchmarks.ours import SEEDS
from benchmarks.reference import BONUSES

ACS = tuple(range(10, 41))
SWEEP, STATES = "Sweep: the reference, one thread", "Sweep: once a turn (dnd5e-martials, rogue with two blades), one thread"
THREADS = "Threads: the reference at AC 28"
ONE, ALL = "one AC", f"{len(ACS)} ACs"


@pytest.fixture(scope="module")
def rogue():
    scenario = example("dnd5e-martials")
    (build,) = (b for b in scenario.builds if b.name == "rogue with two blades")
    derived = build.derive(scenario.target)
    return derived.plan, derived.target


@pytest.mark.parametrize("which", ["reference", "rogue"])
def test_a_column_is_the_single_run(request, which):
    plan, target = request.getfixturevalue(which)
    columns = simulate(plan, target, ACS, trials=50_000, seed=3)
    for ac in (10, 18, 28, 40):
        assert bytes(columns[ACS.index(ac)]) == bytes(ours.tally(plan, target, ac, 50_000, 3))


@pytest.mark.benchmark(timer=process_time)
@pytest.mark.parametrize(("which", "group", "ac"), [("reference", SWEEP, 28), ("rogue", STATES, 18)], ids=["reference", "states"])
@pytest.mark.parametrize("method", [ONE, ALL])
def test_sweep(measure, size, request, which, group, ac, method):
    plan, target = request.getfixturevalue(which)
    trials = size(2**19 if which == "reference" else 2**17)
    found = measure(
        lambda seed: simulate(plan, target, (ac,) if method == ONE else ACS, trials=trials, seed=seed),
        lambda: (next(SEEDS),),
        group=group,
        method=method,
        work=trials,
        unit="round",
        rounds=15 if method == ONE else 5,
        base=method == ONE,
    )
    assert all(tally.trials == trials for tally in found)


@pytest.mark.benchmark(timer=perf_counter)
@pytest.mark.parametrize("workers", [1, 2])
def test_threads(measure, benchmark, size, reference, workers):
    # Long enough that starting the threads, which takes a millisecond, is not what is measured.
    trials = size(2**24)
    mood = Mood()
    measure(
        lambda seed: simulate(*reference, (28,), trials=trials, seed=seed, workers=workers),
        lambda: (next(SEEDS),),
        group=THREADS,
        method=f"{workers} thread{'s' * (workers > 1)}",
        work=trials * len(BONUSES),
        unit="attack",
        rounds=30,
        base=workers == 1,
        at=workers,
    )
    benchmark.extra_info["others"] = mood.others()
