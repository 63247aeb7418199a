"""What holds for every question, whichever there are: help, records, table, figure, creatures, other games, and agreement with its simulation."""

import inspect
import json
from functools import cache
from math import isfinite

import pandas as pd
import pytest
from typer.testing import CliRunner

from analyzer import analyses, scenario
from analyzer.answer import answer
from analyzer.asking.question import question_of
from analyzer.cli import app
from analyzer.examples import example, names

QUESTIONS = tuple(analyses.questions())
#: Where a question must be told something of a creature, it is told here.
CREATURES = [{"name": "brute", "ac": 15, "hp": 40, "dr": 3, "weight": 3}, {"name": "imp", "ac": 21, "hp": "4d8+4"}]


@cache
def asked(name):
    return question_of(analyses.ask(name))


@cache
def found(name):
    return asked(name).find(example(asked(name).example))


def has(name, parameter):
    return any(one.name == parameter for one in asked(name).parameters)


def played_or_refused(name, file):
    """What a question finds of an example, or what it says is wrong with it."""
    try:
        return asked(name).find(example(file))
    except scenario.ScenarioError as error:
        return list(error.problems)
    except ValueError as error:
        return [str(error)]


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.mark.parametrize("name", QUESTIONS)
class TestQuestion:
    def test_its_help_says_everything(self, name):
        function = analyses.ask(name)
        assert all(parameter.help for parameter in asked(name).parameters)
        for section in ("Parameters\n", "Returns\n", "Raises\n"):
            assert section in inspect.getdoc(function)
        assert "{" not in inspect.getdoc(function).replace("{", "", inspect.getdoc(function).count(' : {"'))
        assert 10 < len(analyses.questions()[name]) < 110
        assert has(name, "simulate")
        assert has(name, "against")

    def test_records_are_flat_and_whole(self, name):
        records = found(name).records
        assert len(records) > 0
        for record in records:
            assert next(iter(record)) == "system"
            for key, value in record.items():
                assert value is None or isinstance(value, str | int | float | bool), key
                assert not isinstance(value, float) or isfinite(value), key
        json.dumps(list(records), allow_nan=False)

    def test_its_columns_are_records(self, name):
        keys = {key for record in found(name).records for key in record}
        shown = [column for column in asked(name).columns if column.key in keys]
        assert len(shown) >= 3
        assert all(len(column.heading) < 32 for column in shown)

    def test_the_command_without_a_file(self, name):
        shown = run(name)
        assert shown.exit_code == 0, shown.output
        assert max(map(len, shown.stdout.splitlines())) <= 320
        assert f"playing the example {asked(name).example!r}" in shown.stderr
        written = run(name, "--format", "json")
        assert len(json.loads(written.stdout)) == len(found(name).records)

    def test_the_figure_is_drawn(self, name):
        told = found(name)
        drawing = asked(name).draw(answer(told.records if told.drawn is None else told.drawn()))
        drawing.canvas.draw()
        assert any(panel.get_title() or panel.get_xlabel() or panel.get_ylabel() for panel in drawing.axes)

    def test_against_creatures(self, name):
        loaded = example(asked(name).example)
        records = list(asked(name).find(loaded, against=CREATURES).records)
        facing = list(dict.fromkeys(record.get("against") for record in records if record.get("against") is not None))
        if facing:
            assert facing[0] == "all, weighted"
            assert len(facing) in (1, 3)
        else:  # it ranges over them
            assert any("imp" in str(value) for record in records for value in record.values())

    @pytest.mark.slow
    def test_it_agrees_with_its_simulation(self, name):
        told = asked(name).find(example(asked(name).example), simulate=True, seed=20, trials=200_000)
        assert told.seed == 20
        assert told.verdict is not None
        assert told.verdict.judged > 0
        assert told.verdict.agree, told.verdict
        simulated = {key for record in told.records for key in record if key.endswith("_mc")}
        assert simulated
        assert {key.removesuffix("_mc") for key in simulated} <= {key for record in told.records for key in record}

    @pytest.mark.slow
    @pytest.mark.parametrize("file", names())
    def test_every_game_plays_it_or_says_why_not(self, name, file):
        told = played_or_refused(name, file)
        if isinstance(told, list):
            assert all(" must " in problem and "; " in problem for problem in told), told
        else:
            frame = pd.DataFrame(list(told.records))
            assert len(frame)
            assert set(frame["system"]) == {example(file).system}
