"""Both engines against the blind referees: the exact one over all dice in fractions, the kernel by replaying its own dice."""

import tomllib
from collections import defaultdict
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from analyzer import examples, loads
from analyzer.exact import evaluate
from analyzer.montecarlo import record
from analyzer.systems import systems
from tests.referees.harness import enumerate_rounds, replay

SMALL = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "small").glob("*.toml"))}


def referee(text, build, ac=None):
    data = tomllib.loads(text)
    return import_module(f"tests.referees.{data['system']}").Referee(data, build, ac)


def builds(text):
    return range(len(tomllib.loads(text)["build"]))


def compare_exactly(text, build, ac, judge=None):
    """Hold the exact engine to the referee's tree of all dice: the distribution of totals, and each attack's degrees."""
    scenario = loads(text)
    derived = scenario.builds[build].derive(scenario.target, ac)
    found = evaluate(derived.plan, derived.target, [derived.target.ac[0]] if ac is None else [ac])
    if ac is None:
        found = evaluate(derived.plan, derived.target.but(follows_sweep=tuple(False for _ in derived.target.ac)), [0])
    totals = defaultdict(Fraction)
    degrees = np.zeros((len(found.attacks), 4))
    for outcome, chance in enumerate_rounds((judge or referee(text, build, ac)).play).items():
        totals[outcome.total] += chance
        for k, degree in enumerate(outcome.degrees):
            degrees[k, degree] += float(chance)
    assert found.pmf is not None
    pmf = found.pmf[0]
    assert sum(totals.values()) == 1
    assert max(totals) < len(pmf)
    assert pmf.tolist() == pytest.approx([float(totals[total]) for total in range(len(pmf))], rel=1e-12, abs=1e-15)
    for k, attack in enumerate(found.attacks):
        assert attack.degrees[0].tolist() == pytest.approx(degrees[k].tolist(), rel=1e-12, abs=1e-15)


def compare_traces(text, build, *, trials, seed, judge=None, ac=None):
    """Replay traced trials through the referee: the same dice in the same order, the same degrees, the same total."""
    scenario = loads(text)
    derived = scenario.builds[build].derive(scenario.target, ac)
    found = record(derived.plan, derived.target, None, first=0, trials=trials, seed=seed)
    judge = judge or referee(text, build, ac)
    for row in range(trials):
        outcome = replay(judge.play, [(die.sides, die.face) for die in found.dice(row)])
        assert outcome.total == found.total[row]
        assert list(outcome.degrees) == found.degree[row].tolist()


@pytest.mark.parametrize("name", SMALL)
def test_exact_engine_is_the_referee(name):
    for build in builds(SMALL[name]):
        compare_exactly(SMALL[name], build, 13)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_exact_engine_is_the_referee_easy_hard_and_by_default(name):
    for build in builds(SMALL[name]):
        for ac in (None, 4, 30):
            compare_exactly(SMALL[name], build, ac)


def test_small_cases_cover_every_system():
    assert {tomllib.loads(text)["system"] for text in SMALL.values()} == set(systems())


@pytest.mark.parametrize("name", SMALL)
def test_small_traces_replay(name):
    for build in builds(SMALL[name]):
        compare_traces(SMALL[name], build, trials=500, seed=2)


@pytest.mark.parametrize("name", examples.names())
def test_traces_of_examples_replay(name):
    text = examples.text(name)
    for build in builds(text):
        for ac in (None, 12, 25):
            compare_traces(text, build, trials=700, seed=build, ac=ac)


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.names())
def test_hundred_thousand_traces_of_each_example_replay(name):
    text = examples.text(name)
    for build in builds(text):
        for first in range(10):
            compare_traces(text, build, trials=100_000 // 10, seed=1000 + first)


def wrong_armor(text):
    """A referee that plays against an AC one higher."""
    return referee(text, 0, tomllib.loads(text)["target"]["ac"] + 1)


def wrong_reduction(text):
    data = tomllib.loads(text)
    data["target"] = data.get("target", {}) | {"reduction": {"all": 1}}
    return import_module(f"tests.referees.{data['system']}").Referee(data, 0, None)


def wrong_bonus(text):
    """A referee that forgets the second attack's penalty: it plays the first bonus twice."""
    data = tomllib.loads(text)
    first = str(data["build"][0]["attack"]).split("/")[0]
    data["build"][0]["attack"] = f"{first}/{first}"
    return import_module(f"tests.referees.{data['system']}").Referee(data, 0, None)


PLAIN = """
system = "{system}"
[target]
ac = 14
[[build]]
name = "b"
attack = "+5/+0"
damage = "1d3+1"
"""


@pytest.mark.parametrize("system", sorted(systems()))
@pytest.mark.parametrize("breaks", [wrong_armor, wrong_reduction, wrong_bonus])
def test_a_wrong_referee_is_noticed_by_both_engines(system, breaks):
    text = PLAIN.format(system=system)
    compare_exactly(text, 0, None)
    compare_traces(text, 0, trials=2000, seed=4)
    with pytest.raises(AssertionError):
        compare_exactly(text, 0, None, judge=breaks(text))
    with pytest.raises(AssertionError):
        compare_traces(text, 0, trials=2000, seed=4, judge=breaks(text))
