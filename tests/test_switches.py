"""Every switch of every game at every value: the engines agree on the examples played under it, at ten million rounds."""

from typing import get_args

import pytest

from analyzer import examples, loads
from analyzer.analyses.compare import comparison
from analyzer.systems import systems

SETTINGS = [
    (game.id, key, value)
    for game in systems().values()
    for key, field in game.Rules.model_fields.items()
    for value in ((True, False) if field.annotation is bool else get_args(field.annotation))
]


def played_under(system, key, value):
    """The examples of a game with one switch set."""
    for name in examples.names():
        if examples.system(name) == system:
            yield loads(examples.text(name), source=name).but(rules={key: value})


def agrees(system, key, value, trials):
    for scenario in played_under(system, key, value):
        found = comparison(scenario, (12, 22), trials=trials, seed=6, workers=2, everything=True)
        assert found.verdict.agree, f"{scenario.source} under {key} = {value}: {found.verdict}"


@pytest.mark.parametrize(("system", "key", "value"), SETTINGS)
def test_engines_agree_under_every_switch(system, key, value):
    agrees(system, key, value, 100_000)


@pytest.mark.slow
@pytest.mark.parametrize(("system", "key", "value"), SETTINGS)
def test_engines_agree_under_every_switch_at_ten_million_rounds(system, key, value):
    agrees(system, key, value, 10_000_000)
