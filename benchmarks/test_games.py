"""Every game's example beside the reference scenario in one run: dice rolled per second, so that nothing a game needs leaves the vectorised kernel."""

import pytest

from analyzer import example, examples
from analyzer.montecarlo import record
from analyzer.montecarlo.lower import lower
from analyzer.montecarlo.simulate import BLOCK, Job, play

TRIALS = 500_000


def job(plan, target, seed):
    return Job(lowered=lower(plan, target, target.ac), seed=seed, first=0, trials=TRIALS, block=BLOCK)


def dice_per_round(plan, target):
    """Expected dice of a round, by the kernel's own log."""
    return float(record(plan, target, None, first=0, trials=4000, seed=1).log_length.mean())


@pytest.mark.parametrize("name", ["reference", *examples.names()])
def test_dice_of_an_example(measure, reference, name):
    if name == "reference":
        sides = [reference]
    else:
        scenario = example(name)
        sides = [(made.plan, made.target) for made in (build.derive(scenario.target) for build in scenario.builds)]
    seeds = iter(range(10**9))

    def fresh():
        seed = next(seeds)
        return ([job(plan, target, seed) for plan, target in sides],)

    def run(jobs):
        return [play(one) for one in jobs]

    assert all(tally.trials == TRIALS for tally in run(*fresh()))
    measure(
        run,
        fresh,
        group="Dice rolled by every example, one thread (attacks per second x dice actually rolled per attack)",
        method="d20 reference scenario" if name == "reference" else name,
        work=round(TRIALS * sum(dice_per_round(*side) for side in sides)),
        unit="roll",
        rounds=7,
        base=name == "reference",
    )
