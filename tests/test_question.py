"""A question is one file: dropped beside the others it is a function, a command, a table and a figure."""

import inspect
import json
from textwrap import dedent

import pytest
from typer.testing import CliRunner

import analyzer
from analyzer import analyses, statblock
from analyzer.asking.question import question_of
from analyzer.cli import app

QUESTION = '''
"""Doubled: what twice the damage of a round would be."""

from typing import Annotated

from analyzer.asking.parameters import Choice, Many, Real, Whole
from analyzer.playing import Builds, Opponent
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, question
from analyzer.asking.seats import seats
from analyzer.asking.twins import Twins


def _draw(frame):
    from analyzer.pictures.drawing import Picture, tidy

    drawing = Picture()
    axes = drawing.subplots()
    axes.plot(range(len(frame)), frame["doubled"])
    tidy(axes)
    return drawing


@question(
    columns=(Column(key="build", heading="build"), Column(key="ac", heading="AC"), Column(key="doubled", heading="twice DPR", digits=1)),
    draw=_draw, example="srd35-warriors", caption="twice is a lot",
)
def doubled(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    times: Annotated[int, Whole(low=1, high=9)] = 2,
    shares: Annotated[tuple[float, ...], Many(of=Real(low=0.0, high=1.0))] = (1.0,),
    how: Annotated[str, Choice(("sum", "mean"))] = "sum",
    off: bool = False,
    simulate: bool = False,
    trials: Trials = 100_000,
    seed: Seed = None,
) -> Found:
    """Twice the damage of a round.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    times : int
        How often.
    shares : sequence of float
        Parts of it.
    how : {"sum", "mean"}
        What is done.
    off : bool
        Nothing at all.
    {simulate}
    {trials}
    {seed}
    """
    twins = Twins()
    records = []
    for seat in seats(builds, ac, target=target, against=against):
        exact = seat.mixed(seat.gathered(lambda _, one: one.dpr))
        for mix in range(len(seat.field.mixes)):
            value = times * sum(shares) * float(exact[mix]) * (not off)
            record = seat.head(mix) | {"doubled": value}
            if simulate:
                (tally,) = seat.tallies(trials=trials, seed=seed)
                record |= twins.estimate("here", "doubled", exact=value, found=times * tally.total / trials, error=0.1, trials=trials)
            records.append(record)
    return Found(records=records, notes=("Twice is twice.",), verdict=twins.verdict() if simulate else None, seed=seed, trials=trials if simulate else None)
'''


@pytest.fixture
def doubled(tmp_path, monkeypatch):
    (tmp_path / "doubled.py").write_text(dedent(QUESTION), encoding="utf-8")
    monkeypatch.setattr(analyses, "__path__", [*analyses.__path__, str(tmp_path)])
    analyses.names.cache_clear()
    analyses.questions.cache_clear()
    yield analyzer.doubled
    analyses.names.cache_clear()
    analyses.questions.cache_clear()


@pytest.fixture
def sword():
    return statblock("+8/+3", "1d8+3", critical="19-20/x2", name="sword")


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_in_python(doubled, sword):
    answer = doubled(sword, 18, times="3", shares=[0.5, "0.5"])
    assert answer.loc[0, "doubled"] == pytest.approx(3 * analyzer.curve(sword, 18).dpr[0])
    assert answer.notes == ("Twice is twice.",)
    assert "Twice is twice." in answer._repr_html_()
    assert answer.figure().axes
    assert "doubled" in dir(analyzer)


def test_its_help_is_its_docstring(doubled):
    assert "{" not in inspect.getdoc(doubled).replace('{"sum", "mean"}', "")
    assert "builds : Build, Scenario or iterable of Build" in inspect.getdoc(doubled)
    assert "A table of creatures to face instead" in doubled.__doc__
    assert list(inspect.signature(doubled).parameters)[:3] == ["builds", "ac", "target"]
    helps = {one.name: one.help for one in question_of(doubled).parameters}
    assert helps["times"] == "How often."
    assert helps["off"] == "Nothing at all."
    assert all(helps.values())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"times": 0}, "times must be a whole number from 1 to 9; got 0"),
        ({"how": "x"}, "how must be one of 'sum', 'mean'; got 'x'"),
        ({"shares": [2.0]}, "shares must be a number from 0 to 1; got 2.0"),
        ({"trials": None, "simulate": True}, "trials must be given; got None"),
        ({"trials": 10}, "trials must be given with simulate (--simulate), which rolls the dice; got it alone"),
        ({"off": 1}, "off must be true or false; got 1"),
    ],
)
def test_it_checks_what_it_is_given(doubled, sword, given, told):
    with pytest.raises((ValueError, TypeError)) as caught:
        doubled(sword, 18, **given)
    assert str(caught.value) == told


def test_on_the_command_line(doubled, tmp_path):
    assert "What twice the damage of a round would be." in run("--help").output
    shown = run("doubled", "--ac", "20")
    assert shown.exit_code == 0, shown.output
    assert "twice DPR" in shown.stdout
    assert "twice is a lot" in shown.stdout
    assert "Twice is twice." in shown.stdout
    assert "'srd35-warriors'" in shown.stderr
    records = json.loads(run("doubled", "d20-builds", "--ac", "20,21", "--format", "json", "--build", "falchion").stdout)
    assert [record["ac"] for record in records] == [20, 21]
    csv = run("doubled", "d20-builds", "--ac", "20", "--format", "csv", "--times", "3", "--shares", "0.5", "--shares", "0.5", "--off").stdout.splitlines()
    assert csv[0] == "system,build,ac,doubled"
    assert csv[1].endswith(",0.0")
    picture = tmp_path / "doubled.png"
    assert run("doubled", "--plot", picture).exit_code == 0
    assert picture.stat().st_size > 1000


def test_bad_input_ends_with_2(doubled):
    for arguments, told in (
        (("--times", "x"), "--times must be a whole number from 1 to 9; got 'x'"),
        (("--how", "x"), "--how must be one of 'sum', 'mean'; got 'x'"),
        (("--against", "none.csv"), "none.csv: file must exist, or be one of "),
        (("--build", "nobody"), "--build must be one of "),
    ):
        refused = run("doubled", *arguments)
        assert refused.exit_code == 2
        assert f"error: {told}" in refused.stderr


def test_simulated_it_tells_its_seed_and_verdict(doubled, sword):
    answer = doubled(sword, 18, simulate=True, seed=5)
    assert answer.seed == 5
    assert answer.verdict.agree
    assert doubled(sword, 18, simulate=True).seed is not None
    shown = run("doubled", "d20-builds", "--build", "falchion", "--ac", "20", "--simulate", "--trials", "1e5", "--seed", "3")
    assert "100,000 simulated of each, seed 3" in shown.stderr
    assert "The two engines agree" in shown.stderr
