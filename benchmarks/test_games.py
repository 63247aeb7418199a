"""Every game and option beside the best NumPy version of the same work, and the dice of every example per second; one thread, by CPU time."""

from dataclasses import MISSING, fields, is_dataclass
from time import process_time

import pytest

from analyzer import example, examples
from analyzer.exact import evaluate
from analyzer.montecarlo import record
from analyzer.plan import swept_defence
from analyzer.systems import systems
from benchmarks import numpy_games, ours
from benchmarks.numpy_games import GAMES
from benchmarks.ours import KERNEL, SEEDS
from benchmarks.reference import Counts

pytestmark = pytest.mark.benchmark(timer=process_time)

#: Examples that are not measured, since they ask nothing of the kernel that another does not.
ALIKE = {
    "core-armoury": "core-goobelthorp",
    "srd35-levels": "srd35-warriors",
    "srd35-power-attack": "srd35-warriors",
    "srd35-weapons": "srd35-warriors",
}
GROUP = "Simulation: every game and option, one thread"
NUMPY = "NumPy at its best"


def lowered(played):
    """Plan, target and AC of a build of an example."""
    scenario = example(played.example)
    (build,) = (b for b in scenario.builds if b.name == played.build)
    derived = build.derive(scenario.target)
    return derived.plan, derived.target, derived.target.ac[swept_defence(derived.plan, derived.target) or 0]


def by_numpy(played, trials, seed):
    """Its tally as the checks want it, attacks in the plan's order."""
    found = numpy_games.play(played, trials, seed)
    order = played.rows or tuple(range(played.attacks))
    at = [order.index(attack) for attack in range(played.attacks)]
    return Counts(histogram=found.histogram, hits=found.counts[at, 0], criticals=found.counts[at, 1])


def test_every_game_and_example_is_there():
    assert {played.example for played in GAMES.values()} | set(ALIKE) == set(examples.names())
    assert {examples.system(played.example) for played in GAMES.values()} == set(systems())


@pytest.mark.parametrize("name", ALIKE)
def test_what_is_left_out_asks_the_kernel_for_nothing_new(name):
    """Its plans use no field of the plan that those of the example it is like leave alone."""
    assert options(name) <= options(ALIKE[name])


def options(name):
    """The fields of plans that an example's builds set to anything but the default, by the class they are of."""
    scenario = examples.example(name)
    found: set[str] = set()
    for build in scenario.builds:
        made = build.derive(scenario.target)
        _walk(made.plan, found)
        _walk(made.target, found)
    return found - {"Plan.turns", "Turn.steps", "Step.variants"}


def _walk(value, found):
    if is_dataclass(value):
        for field in fields(value):
            if field.init and (field.default is MISSING or getattr(value, field.name) != field.default):
                found.add(f"{type(value).__name__}.{field.name}")
                _walk(getattr(value, field.name), found)
    elif isinstance(value, tuple | frozenset):
        for one in value:
            _walk(one, found)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("method", [KERNEL, NUMPY])
def test_results_are_equal(name, method):
    played, trials = GAMES[name], 2**18
    plan, target, ac = lowered(played)
    found = ours.counts(plan, target, ac, trials, 1) if method == KERNEL else by_numpy(played, trials, 1)
    ours.holds(found, trials, evaluate(plan, target, (ac,)))


@pytest.mark.parametrize("method", [KERNEL, NUMPY])
@pytest.mark.parametrize("name", GAMES)
def test_game(measure, size, name, method):
    played, trials = GAMES[name], size(2**18)
    plan, target, ac = lowered(played)
    if method == KERNEL:
        called, fresh = ours.tally, lambda: (plan, target, ac, trials, next(SEEDS))
    else:
        called, fresh = numpy_games.play, lambda: (played, trials, next(SEEDS))
    measure(
        called, fresh, group=GROUP, method=f"{name} | {method}", work=trials * played.attacks, unit="attack", rounds=15, base=name == next(iter(GAMES))
    )  # fmt: skip


ROLLS = "Simulation: dice rolled by every example, one thread (rounds per second x dice of a round)"


@pytest.mark.parametrize("name", ["reference", *examples.names()])
def test_dice_of_an_example(measure, size, reference, name):
    """So that nothing a game needs leaves the vectorised kernel."""
    if name == "reference":
        sides = [reference]
    else:
        scenario = example(name)
        sides = [(made.plan, made.target) for made in (build.derive(scenario.target) for build in scenario.builds)]
    trials = size(2**17)
    dice = sum(float(record(plan, target, None, first=0, trials=4000, seed=1).log_length.mean()) for plan, target in sides)

    def run(seed):
        return [ours.tally(plan, target, target.ac[swept_defence(plan, target) or 0], trials, seed) for plan, target in sides]

    found = measure(
        run, lambda: (next(SEEDS),), group=ROLLS, method=name, work=round(trials * dice), unit="roll", rounds=7, base=name == "reference"
    )  # fmt: skip
    assert all(tally.trials == trials for tally in found)
