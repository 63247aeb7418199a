"""Trade: Power Attack and its like against published cases and enumeration, ties, creatures, twins and the command."""

import csv
import io
import json
from fractions import Fraction
from importlib import import_module

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from analyzer import statblock, trade
from analyzer.analyses.trade import Step
from analyzer.cli import app

CREATURES = [{"name": "imp", "ac": 14, "weight": 3}, {"name": "ogre", "ac": 22, "dr": 4}]
run = CliRunner().invoke


@pytest.fixture
def axe():
    return statblock("+10", "1d12+7", critical="none", system="srd35", name="axe")


def hit(ac, bonus):
    return Fraction(min(max(21 + bonus - ac, 1), 19), 20)


def by_setting(answer):
    return dict(zip(answer["setting"], answer["dpr"], strict=True))


def test_the_published_power_attack_case(axe):
    """D04: settings 0 to 5 at ratio 2 against AC 20."""
    answer = trade(axe, 20, ratio=2, by="setting")
    exact = {0: "297/40", 1: "31/4", 2: "63/8", 3: "39/5", 4: "301/40", 5: "141/20"}
    assert by_setting(answer) == pytest.approx({setting: float(Fraction(value)) for setting, value in exact.items()}, rel=1e-12)
    assert answer[answer["best"]]["setting"].tolist() == [2]
    (row,) = trade(axe, 20).itertuples()
    assert (row.setting, row.trade, row.ties) == (2, "-2/+4", None)
    assert (row.dpr, row.none, row.all) == pytest.approx((7.875, 7.425, 7.05), rel=1e-12)
    assert (row.gain, row.over_all) == pytest.approx((0.45, 0.825), rel=1e-11)
    (row,) = trade(axe.but(critical="20/x3", name="x3"), 20).itertuples()
    assert row.setting == 2
    assert row.dpr == pytest.approx(float(Fraction(693, 80)), rel=1e-12)


@pytest.mark.parametrize(("need", "off", "on"), [(6, "45/4", "25/2"), (8, "39/4", "10"), (9, "9", "35/4")])
def test_the_published_minus_five_plus_ten_switch(need, off, on):
    """J04: 15 points a hit, what is rolled to hit being known."""
    answer = trade(statblock("+0", "15", system="dnd5e"), need, step="-5/+10", by="setting")
    assert by_setting(answer) == pytest.approx({0: float(Fraction(off)), 5: float(Fraction(on))}, rel=1e-12)


def test_the_published_break_even_has_two_sides():
    """J06: 1d12+3 at +5: on up to AC 16, and again from AC 24, where only natural 20s hit."""
    answer = trade(statblock("+5", "1d12+3", system="dnd5e", name="b"), "8:30", step="-5/+10")
    taken = answer[answer["setting"] == 5]["ac"].tolist()
    assert taken == [*range(8, 17), *range(24, 31)]
    assert answer.notes == ("b: best is -5/+10 at AC 8 to 16, none at AC 17 to 23, -5/+10 at AC 24 to 30",)


@pytest.mark.parametrize(("ratio", "damage"), [(1, [0, 1, 2, 3, 4, 5]), (1.5, [0, 1, 3, 4, 6, 7]), (2, [0, 2, 4, 6, 8, 10]), (3, [0, 3, 6, 9, 12, 15])])
def test_every_setting_at_every_ac(axe, ratio, damage):
    """Against enumeration; halves of a ratio of 1.5 are rounded down."""
    answer = trade(axe, "5:40", ratio=ratio, by="setting")
    assert answer["trade"].tolist()[1:6] == [f"-{n}/+{damage[n]}" for n in range(1, 6)]
    best = trade(axe, "5:40", ratio=ratio).set_index("ac")
    for ac, rows in answer.groupby("ac"):
        wanted = [hit(ac, 10 - n) * (Fraction(27, 2) + up) for n, up in enumerate(damage)]
        assert rows["dpr"].tolist() == pytest.approx([float(w) for w in wanted], rel=1e-12)
        first = min(n for n in range(6) if wanted[n] == max(wanted))
        assert best.loc[ac, "setting"] == first
        others = [n for n in range(6) if wanted[n] == max(wanted) and n != first]
        assert best["ties"].fillna("").loc[ac] == ", ".join(f"-{n}/+{damage[n]}" for n in others)


def test_settings_as_good_are_named():
    """Ten points a hit on 10 of 20 faces are as much as twenty on 5."""
    (row,) = trade(statblock("+0", "10", critical="none", system="srd35"), 11, step="-5/+10", most=1).itertuples()
    assert (row.setting, row.ties) == (0, "-5/+10")
    assert row.gain == 0.0
    assert row.over_all == 0.0


def test_the_weighted_best_is_that_of_the_weighted_figure(axe):
    """Not the mean of the creatures' best settings: 3 imps to an ogre whose damage reduction makes damage worth more."""
    answer = trade(axe, against=CREATURES, by="setting", most=6).set_index(["against", "setting"])["dpr"]
    whole = [(3 * answer["imp", n] + answer["ogre", n]) / 4 for n in range(7)]
    found = trade(axe, against=CREATURES, most=6).set_index("against")
    assert found.loc["all, weighted", "setting"] == max(range(7), key=whole.__getitem__)
    assert found.loc["all, weighted", "dpr"] == pytest.approx(max(whole), rel=1e-12)
    assert found.loc["ogre", "dpr"] == pytest.approx(max(float(hit(22, 10 - n) * (Fraction(27, 2) + 2 * n - 4)) for n in range(7)), rel=1e-12)


def test_it_comes_on_top_of_what_a_build_does(axe):
    two = statblock("+10/+5", "1d12+7", critical="x3", extra=["1d6 fire"], system="pathfinder1")
    alone = trade(two, 20, most=3, by="setting")
    for row in alone.itertuples():
        again = trade(two.but(attack=-row.setting, damage=2 * row.setting, name="b"), 20, most=1).iloc[0]
        assert again["none"] == pytest.approx(row.dpr, rel=1e-12)


def test_the_simulation_agrees_and_is_paired(axe):
    answer = trade(axe, "15:24", simulate=True, trials=100_000, seed=4)
    assert answer.verdict.agree
    assert (answer["setting"] == 0).any()
    same = answer[answer["gain"] == 0.0]
    assert same["gain_mc"].isna().all()
    assert (answer[answer["gain"] > 0.0]["gain_se"] < 0.06).all()
    weighted = trade(axe, against=CREATURES, by="setting", simulate=True, trials=100_000, seed=4)
    assert weighted.verdict.agree
    assert weighted.verdict.tests == 15


def test_a_wrong_gain_is_noticed(axe, monkeypatch):
    module = import_module("analyzer.analyses.trade")
    true = module.gained
    monkeypatch.setattr(module, "gained", lambda new, old: true(new, old) + 0.3)
    answer = trade(axe, 12, simulate=True, trials=100_000, seed=4)
    assert not answer.verdict.agree
    assert "-5/+10 and none of axe, AC 12" in answer.verdict.disagreements[0]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"ratio": 2, "step": "-5/+10"}, "ratio must be left out when step is given; got 2 and '-5/\\+10'"),
        ({"ratio": 0}, "ratio must be a number from 0.01 to 100; got 0"),
        ({"step": "5/10"}, "step must be attack given up and damage gained, such as '-5/\\+10'; got '5/10'"),
        ({"step": "-0/+10"}, "step must be"),
        ({"step": (5, 10)}, "step must be"),
        ({"most": 0}, "most must be a whole number from 1 to 50; got 0"),
        ({"by": "attack"}, "by must be one of 'target', 'setting'; got 'attack'"),
    ],
)
def test_what_is_refused(axe, keys, message):
    with pytest.raises(ValueError, match=message):
        trade(axe, 20, **keys)


def test_a_step_may_be_typed_with_other_signs():
    assert Step().check(" \N{MINUS SIGN}1 / 2 ", "step") == "-1/+2"


def test_figures_of_one_and_of_eight_builds():
    builds = [statblock(f"+{9 + i}/+4", "1d6+3", system="srd35", name=f"_b${i}") for i in range(8)]
    for taken, keys in ((builds[:1], {"ac": "15:16"}), (builds, {"ac": "15:16"}), (builds[:1], {"against": CREATURES}), (builds, {"ac": 15, "by": "setting"})):
        assert isinstance(trade(taken, most=2, **keys).figure(), Figure)
    for by in ("target", "setting"):
        trade(builds[:1], 15, by=by, simulate=True, trials=1000, seed=1).figure().canvas.draw()
    many = [{"name": f"c{i}", "ac": 10 + i} for i in range(30)]
    assert len(trade(builds, against=many, most=1).figure().axes[0].get_yticks()) == 8


def test_the_lowest_panel_has_a_key_of_its_own_where_its_dashes_mean_something_else():
    builds = [statblock(f"+{9 + i}/+4", "1d6+3", system="srd35", name=f"b{i}") for i in range(8)]
    few, many = (trade(builds[:number], "15:20").figure().axes for number in (3, 8))
    assert [text.get_text() for text in few[2].get_legend().get_texts()] == ["best setting", "none", "all"]
    assert many[2].get_legend() is None
    assert few[2].get_xlabel() == "armor class (AC)"


def test_the_command(tmp_path):
    shown = run(app, ["trade", "--build", "greataxe, one blow", "--ac", "18:30"])
    assert shown.exit_code == 0
    assert "best is -3/+6 at AC 18 to 19" in " ".join(shown.stdout.split())
    picture = tmp_path / "t.png"
    rows = json.loads(run(app, ["trade", "--format", "json", "--plot", str(picture)]).stdout)
    assert len(rows) == 3 * 31
    assert list(rows[0])[:3] == ["system", "build", "ac"]
    assert rows[0]["ties"] is None
    assert picture.stat().st_size > 1000
    found = list(csv.DictReader(io.StringIO(run(app, ["trade", "--step", "-5/+10", "--ac", "20", "--by", "setting", "--format", "csv"]).stdout)))
    assert [row["trade"] for row in found[:2]] == ["none", "-5/+10"]
    wrong = run(app, ["trade", "--step", "-5"])
    assert wrong.exit_code == 2
    assert "--step must be attack given up and damage gained" in wrong.stderr
