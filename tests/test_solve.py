"""Solve: the least that reaches a goal against plain search, goals out of reach, hit points, creatures, twins and the command."""

import csv
import io
import json
from fractions import Fraction
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from typer.testing import CliRunner

from analyzer import sheet, solve, statblock
from analyzer.asking.seats import seats
from analyzer.cli import app
from analyzer.examples import example
from analyzer.sweeps import spans
from analyzer.workings.measures import Dpr
from analyzer.workings.solving import Knob, Turned, knobs
from analyzer.workings.variations import attack

CREATURES = [{"name": "imp", "ac": 14, "hp": 9, "weight": 3}, {"name": "ogre", "ac": 22, "hp": "4d8+6", "dr": 4}]
run = CliRunner().invoke


def mean(ac, *, bonus=9, dice=(1, 6), flat=3, threat=19, extra=0):
    """Mean damage of two attacks at +bonus and 5 less, x2 criticals, naturals on both rolls, extra d6 once."""
    total = Fraction(0)
    for plus in (bonus, bonus - 5):
        hits = [face for face in range(1, 21) if face == 20 or (face > 1 and face + plus >= ac)]
        chance = Fraction(len(hits), 20)
        critical = Fraction(sum(face >= threat for face in hits), 20) * chance
        weapon = dice[0] * Fraction(dice[1] + 1, 2) + flat
        total += (chance + critical) * weapon + chance * extra * Fraction(7, 2)
    return total


@pytest.fixture
def sword():
    return statblock("+9/+4", "1d6+3", critical="19-20/x2", system="srd35", name="sword")


def first(values, wanted):
    return next((n for n, value in values if value >= wanted), None)


@pytest.mark.parametrize("goal", [1.0, 3.7, 8.0, 13.0])
def test_the_least_attack_and_damage_are_those_of_a_plain_search(sword, goal):
    shift = solve(sword, "5:35", dpr=goal).set_index("ac")
    points = solve(sword, "5:35", dpr=goal, vary="damage").set_index("ac")
    dice = solve(sword, "5:35", dpr=goal, vary="extra").set_index("ac")
    for ac in range(5, 36):
        least = first(((n, mean(ac, bonus=9 + n)) for n in range(-100, 101)), goal)
        found = shift.loc[ac, "least"]
        assert (None if np.isnan(found) else found) == least, ac
        assert dice.loc[ac, "least"] == first(((n, mean(ac, extra=n)) for n in range(101)), goal)
        if goal > 2 * float(mean(ac, flat=-2)):  # below, the minimum of a hit makes plain means wrong
            assert points.loc[ac, "least"] == first(((n, mean(ac, flat=3 + n)) for n in range(-3, 200)), goal)
        if least is not None and least > -100:
            assert shift.loc[ac, "reached"] == pytest.approx(float(mean(ac, bonus=9 + least)), rel=1e-12)
            assert shift.loc[ac, "below"] == pytest.approx(float(mean(ac, bonus=8 + least)), rel=1e-12)
            assert shift.loc[ac, "below"] < goal <= shift.loc[ac, "reached"]


def test_the_smallest_threat_range(sword):
    answer = solve(sword, "10:25", vary="threat", dpr=10).set_index("ac")
    for ac in range(10, 26):
        lowest = first(((face, mean(ac, threat=face)) for face in range(20, 1, -1)), 10)
        found = answer.loc[ac, "least"]
        assert (None if np.isnan(found) else found) == lowest, ac
    keen = sheet("srd35", bab=5, abilities={"strength": 10}, weapon={"damage": "1d8", "critical": "20", "keen": True}, name="keen")
    (row,) = solve(keen, 10, vary="threat", dpr=5.0).itertuples()
    assert row.answer == "17-20 (13-20 as played)"


def test_nothing_reaches_what_natural_twenties_and_ones_cap(sword):
    answer = solve(sword, 20, dpr=100)
    assert answer["least"].tolist() == [None]
    assert answer["most"].iloc[0] == pytest.approx(float(mean(-200)), rel=1e-12)
    assert answer.notes == (
        "sword: no attack reaches DPR 100 (AC 20); 13.59 was the most",
        "looked at: attack from -100 to +100",
    )
    assert "at AC 30 to 31" in solve(sword, "30:31", dpr=100).notes[0]
    assert solve(sword, 20, dpr=100, vary="threat").notes[1] == "looked at: threat from 20 to 2-20"
    assert solve(sword, 60, target={"reduction": {"physical": "immune"}}, dpr=1, vary="extra").notes[1] == "looked at: extra from 0 to 100"


def test_a_goal_that_is_already_reached_by_far_is_called_so():
    sneak = statblock("+9", "1d6", extra=["1d4 fire"], system="srd35", name="b")
    (row,) = solve(sneak, 15, dpr=1, vary="damage").itertuples()
    assert (row.answer, row.least) == ("already reached", -100)
    assert row.below is None
    swept = solve(sneak, "10:12", dpr=0.01)  # a natural 20 is enough, however low the bonus
    assert swept.notes == ("b: DPR 0.01 is already reached at AC 10 to 12",)
    assert solve(sneak, 15, dpr=0.01).notes == ("b: DPR 0.01 is already reached (AC 15)",)
    assert solve(sneak, 15, dpr=0.01, vary="extra")["answer"].tolist() == ["already reached"]


def test_a_chance_to_kill_and_the_hit_points_that_have_it():
    """2d4+1 on 11 or more without criticals, two rounds: enumerated."""
    build = statblock("+0", "2d4+1", critical="none", system="srd35", name="b")
    blows = [(0, 16), *((a + b + 1, 1) for a, b in product(range(1, 5), repeat=2))]
    sums = [(x + y, p * q) for (x, p), (y, q) in product(blows, repeat=2)]
    chance = {points: Fraction(sum(weight for total, weight in sums if total >= points), 1024) for points in range(1, 20)}
    for wanted in (0.1, 0.25, 0.5, 0.75):
        (row,) = solve(build, 11, vary="hp", kill=wanted, rounds=2).itertuples()
        assert row.least == max(points for points in chance if chance[points] >= wanted)
        assert row.reached == pytest.approx(float(chance[row.least]), rel=1e-12)
        assert row.more == pytest.approx(float(chance[row.least + 1]), rel=1e-12)
        assert not hasattr(row, "below")
    assert solve(build, 11, vary="hp", kill=0.8, rounds=2)["least"].tolist() == [None]
    (row,) = solve(build, 11, kill="25%", rounds=2, hp=9, vary="damage").itertuples()
    for points in (row.least, row.least - 1):
        blows = [(0, 16), *((max(a + b + 1 + points, 1), 1) for a, b in product(range(1, 5), repeat=2))]
        reaching = Fraction(sum(p * q for (x, p), (y, q) in product(blows, repeat=2) if x + y >= 9), 1024)
        assert (reaching >= Fraction(1, 4)) == (points == row.least)


def test_another_builds_dpr(sword):
    maul = statblock("+7/+2", "2d6+6", critical="x3", system="srd35", name="maul")
    answer = solve([sword, maul], "10:30", match="maul")
    assert set(answer["build"]) == {"sword"}
    assert set(answer["goal"]) == {"DPR of maul"}
    own = dict(zip(range(10, 31), Dpr().exact(seats([maul], "10:30")[0]), strict=True))
    for row in answer.itertuples():
        assert row.wanted == pytest.approx(own[row.ac], rel=1e-12)
        found = None if np.isnan(row.least) else row.least
        assert found == first(((n, float(mean(row.ac, bonus=9 + n)) * (1 + 1e-12)) for n in range(-100, 101)), row.wanted)
    assert "maul: the highest DPR takes +0 (first attack +7) at AC 10 to 12" in solve([sword, maul], "10:12").notes
    both = solve([sword, maul], 20)
    assert both["goal"].tolist() == ["the highest DPR"] * 2
    assert both[both["build"] == "maul"]["least"].tolist() == [0]


def test_creatures_are_solved_on_the_weighted_figure(sword):
    answer = solve(sword, against=CREATURES, dpr=9, vary="damage").set_index("against")
    whole = [(n, (3 * Dpr().exact(seats([sword.but(damage=n, name="b")], None, against=CREATURES)[0])) @ [0.25, 1 / 12]) for n in range(12)]
    assert answer.loc["all, weighted", "least"] == first(whole, 9)
    points = solve(sword, against=CREATURES, kill=0.5, rounds=2, vary="hp").set_index("against")
    assert points.loc["ogre", "least"] < points.loc["all, weighted", "least"] <= points.loc["imp", "least"]
    assert points.loc["imp", "now"] > 0.5


def test_before_a_table_with_levels_a_build_is_matched_with_those_of_its_level():
    """The goal of a level is the best of that level, by name or not, however the builds are ordered."""
    curve = example("srd35-levels")
    table = "srd35-levels.csv"
    own = {seat.build.name: float(seat.mixed(Dpr().exact(seat))[0]) for seat in seats(curve, None, against=table)}
    levels = {build.name: build.level for build in curve.builds}
    best = solve(reversed(curve.builds), against=table)
    whole = best[best["against"] == "all, weighted"]
    assert len(whole) == len(own) == 10
    for row in whole.itertuples():
        assert row.wanted == pytest.approx(max(own[name] for name in own if levels[name] == levels[row.build]), rel=1e-12)
        assert row.level == levels[row.build]
        assert row.goal == f"the highest DPR of level {row.level}"
    matched = solve(curve, against=table, match="rogue")
    for row in matched[matched["against"] == "all, weighted"].itertuples():
        other = next(build.name for build in curve.builds if build.series == "rogue" and build.level == row.level)
        assert (row.wanted, row.goal) == (pytest.approx(own[other], rel=1e-12), f"DPR of {other}")
    with pytest.raises(ValueError, match=r"match must be the name of a build at level 5, as at every other: .*'fighter', .*; got 'fighter \(level 1\)'"):
        solve(curve, against=table, match="fighter (level 1)")
    with pytest.raises(ValueError, match="goal must be given for a build by itself: dpr, kill or match \\(--dpr, --kill, --match\\); got none"):
        solve(curve.builds[:5], against=table)
    few = solve(curve.builds[:6], against=table)
    assert set(few["level"]) == {1}
    assert few.notes[0] == "left out: fighter (level 5), fighter (level 9), fighter (level 13), fighter (level 17) (no other build of the level)"


@settings(max_examples=15, deadline=None)
@given(st.integers(-3, 12), st.integers(5, 35), st.integers(2, 12), st.floats(0.2, 20.0))
def test_one_step_less_never_reaches_it(bonus, ac, sides, goal):
    build = statblock(f"+{bonus}" if bonus >= 0 else str(bonus), f"2d{sides}+1", critical="19-20/x2", name="b")
    for vary in ("attack", "damage", "threat", "extra"):
        (row,) = solve(build, ac, dpr=goal, vary=vary).itertuples()
        if row.least is None:
            assert row.most < goal
        else:
            assert row.reached >= goal * (1 - 1e-12)
            assert row.below is None or row.below < goal


def test_a_figure_that_falls_is_gone_through_place_by_place():
    """A bisection would miss the only places that reach the goal; a knob whose figures fall is not trusted."""
    build = statblock("+0", "1d6", name="b")
    (seat,) = seats(build, 15)
    heights = {n: 5.0 if n in (6, 7) else 1.0 for n in range(9)}

    class Falling:
        def exact(self, seat):
            number = 0 if seat.build.name == "b" else int(seat.build.name.partition("(+")[2].partition(" ")[0])
            return np.array([heights[number]])

    knob = Knob(word="attack", low=0, high=8, rest=0, made=attack, value=lambda n: n, told=lambda n, _: str(n), monotone=True)
    assert Turned(seat, Falling(), knob).smallest(np.array([5.0])) == [6]
    heights = {n: float(n) for n in range(9)}
    assert Turned(seat, Falling(), knob).smallest(np.array([4.5])) == [5]
    assert Turned(seat, Falling(), knob).smallest(np.array([9.0])) == [None]


def test_the_range_ends_where_the_notation_does(sword):
    (seat,) = seats(statblock("+950", "1d6"), 1000)
    turned = Turned(seat, Dpr(), knobs("1d6")["attack"])
    assert (turned.low, turned.high) == (-100, 50)


def test_the_simulation_agrees_and_is_paired(sword):
    answer = solve(sword, "15:17", dpr=8, simulate=True, trials=100_000, seed=6)
    assert answer.verdict.agree
    assert answer.verdict.tests == 9
    assert (answer["step_se"] < 0.8 * np.hypot(answer["reached_se"], answer["below_se"])).all()
    kills = solve(sword, against=CREATURES, kill=0.5, rounds=3, simulate=True, trials=100_000, seed=6)
    assert kills.verdict.agree
    assert (kills["reached_mc"].notna() == kills["least"].notna()).all()
    assert kills["least"].notna().sum() >= 2
    points = solve(sword, 16, vary="hp", kill=0.5, rounds=3, simulate=True, trials=100_000, seed=6)
    assert points.verdict.agree
    never = solve(sword, 16, dpr=500, simulate=True, trials=1000, seed=6)
    assert never["reached_mc"].tolist() == [None]


def test_a_wrong_figure_is_noticed(sword, monkeypatch):
    module = import_module("analyzer.workings.measures")
    true = module.Dpr.exact
    monkeypatch.setattr(module.Dpr, "exact", lambda self, seat: true(self, seat) * 1.02)
    answer = solve(sword, 16, dpr=8, simulate=True, trials=100_000, seed=6)
    assert not answer.verdict.agree


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "goal must be given for a build by itself: dpr, kill or match"),
        ({"dpr": 3, "kill": 0.5, "rounds": 2}, "goal must be one of dpr, kill or match \\(--dpr, --kill, --match\\); got dpr and kill"),
        ({"kill": 0.5}, "rounds must be given with kill, and with it alone \\(--rounds with --kill\\); got None"),
        ({"dpr": 3, "rounds": 2}, "rounds must be given with kill, and with it alone .*; got 2"),
        ({"dpr": 3, "hp": 2}, "hp must be given for a goal of kill alone"),
        ({"dpr": 3, "vary": "hp"}, "vary must be 'hp' only for a goal of kill"),
        ({"kill": 0.5, "rounds": 2, "hp": 9, "vary": "hp"}, "vary must be 'hp' only for a goal of kill .--kill., without hp .--hp."),
        ({"kill": 0.5, "rounds": 2}, "hp must be given"),
        ({"match": "nobody"}, "match must be the name of a build: 'sword'; got 'nobody'"),
        ({"match": "sword"}, "goal must be given for a build by itself: .*; got the build itself"),
        ({"dpr": 3, "vary": "damage", "die": "1d8"}, "die must be given with vary 'extra' alone .*; got '1d8' and vary 'damage'"),
        ({"dpr": 3, "vary": "extra", "die": "2d6"}, "die must be one die, such as '1d6' or '1d8 fire'; got '2d6'"),
        ({"dpr": 3, "vary": "luck"}, "vary must be one of 'attack', 'damage', 'threat', 'extra', 'hp'; got 'luck'"),
        ({"dpr": 0}, "dpr must be a number from 0.001"),
    ],
)
def test_what_is_refused(sword, keys, message):
    with pytest.raises(ValueError, match=message):
        solve(sword, 15, **keys)


def test_what_a_game_does_not_have_cannot_be_varied():
    with pytest.raises(ValueError, match="vary must be something that 'Kaflimbo' has; got 'threat': no threat range in core"):
        solve(example("core-goobelthorp").builds[1], 15, dpr=3, vary="threat")


def test_spans_of_numbers():
    assert spans([12, 10, 11, 15]) == "10 to 12, 15"
    assert not spans([])


def test_figures_of_one_and_of_eight_builds():
    builds = [statblock(f"+{9 + i}/+4", "1d6+3", system="srd35", name=f"_b${i}") for i in range(8)]
    for taken, keys in ((builds[:1], {"ac": "15:17"}), (builds, {"ac": "15:17"}), (builds, {"ac": 15}), (builds[:2], {"against": CREATURES})):
        assert isinstance(solve(taken, dpr=12, vary="extra", **keys).figure(), Figure)
    solve(builds[:1], "15:16", dpr=500, simulate=True, trials=1000, seed=1).figure().canvas.draw()
    solve(builds[:1], 15, dpr=8, simulate=True, trials=1000, seed=1).figure().canvas.draw()
    unknown = solve(builds[:1], 15, vary="hp", kill=0.5, rounds=2)
    assert unknown["now"].tolist() == [None]
    unknown.figure().canvas.draw()


def test_a_goal_reached_by_far_does_not_flatten_its_figure():
    answers, figures = solve(example("d20-builds"), "15:40").figure().axes
    assert answers.get_ylim()[0] > -2
    assert [text.get_text() for text in answers.get_legend().get_texts()] == ["already reached, whatever is taken away"]
    marks = [line for line in answers.get_lines() if line.get_label() == "already reached"]
    assert [line.get_xdata().tolist() for line in marks] == [[39, 40]]
    assert figures.get_xlabel() == "armor class (AC)"
    assert solve(example("d20-builds"), "15:20", dpr=30).figure().axes[0].get_legend() is None


def test_what_nothing_reaches_is_called_none_in_its_figure():
    builds = [statblock(f"+{bonus}", "1d6+3", name=f"b{bonus}") for bonus in (2, 9)]
    answer = solve(builds, 15, vary="threat", dpr=5.0)
    assert answer["least"].isna().tolist() == [True, False]
    texts = [text.get_text().strip() for text in answer.figure().axes[0].texts]
    assert texts[0] == "none reaches it"
    assert texts[1] == answer["answer"].iloc[1]


def test_the_command(tmp_path):
    shown = run(app, ["solve"])
    assert shown.exit_code == 0
    assert "falchion: +1 (first attack +20) is the least for the highest DPR (AC 24)" in shown.stdout
    picture = tmp_path / "s.png"
    rows = json.loads(run(app, ["solve", "--kill", "90%", "--rounds", "3", "--vary", "hp", "--format", "json", "--plot", str(picture)]).stdout)
    assert [row["least"] for row in rows] == [56, 61]
    assert rows[0]["goal"] == "90% dead by round 3"
    assert picture.stat().st_size > 1000
    found = list(csv.DictReader(io.StringIO(run(app, ["solve", "--dpr", "40", "--ac", "24", "--vary", "threat", "--format", "csv"]).stdout)))
    assert [row["answer"] for row in found] == ["8-20", "14-20"]
    assert run(app, ["solve", "--kill", "2", "--rounds", "3"]).exit_code == 2
