"""Weights: exact differences against enumeration in fractions, saturation as zero, kill chances, twins, creatures and the command."""

import csv
import io
import json
from fractions import Fraction
from importlib import import_module

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import loads, statblock, weights
from analyzer.cli import app
from analyzer.examples import example

CREATURES = [{"name": "imp", "ac": 14, "hp": "2d6", "weight": 3}, {"name": "ogre", "ac": 19, "hp": 22, "dr": 2}]
run = CliRunner().invoke


def mean(ac, *, bonuses=(9, 4), sides=6, flat=3, threat=19, multiplier=2, extra=0):
    """Mean damage of a D&D 3.5 round in fractions: naturals hold on both rolls, extra dice come once."""
    total = Fraction(0)
    for bonus in bonuses:
        hits = [face for face in range(1, 21) if face == 20 or (face > 1 and face + bonus >= ac)]
        chance = Fraction(len(hits), 20)
        critical = Fraction(sum(face >= threat for face in hits), 20) * chance
        weapon = Fraction(sides + 1, 2) + flat
        total += chance * (weapon + extra * Fraction(7, 2)) + critical * (multiplier - 1) * weapon
    return total


CHANGES = {
    "+1 damage": {"flat": 4},
    "+1 attack": {"bonuses": (10, 5)},
    "+1 die step": {"sides": 8},
    "+1 threat": {"threat": 18},
    "+1 multiplier": {"multiplier": 3},
    "+1d6 extra": {"extra": 1},
    "one more attack": {"bonuses": (9, 9, 4)},
}


@pytest.fixture
def sword():
    return statblock("+9/+4", "1d6+3", critical="19-20/x2", system="srd35", name="sword")


def test_every_gain_is_a_difference_of_fractions(sword):
    answer = weights(sword, "1:45")
    assert set(answer["change"]) == set(CHANGES)
    for row in answer.itertuples():
        base = mean(row.ac)
        gain = mean(row.ac, **CHANGES[row.change]) - base
        assert row.dpr == pytest.approx(float(base), rel=1e-12)
        assert row.gain == pytest.approx(float(gain), rel=1e-11, abs=0)
        assert row.worth == pytest.approx(float(gain / (mean(row.ac, flat=4) - base)), rel=1e-11, abs=0)
    assert any(note.startswith("left out: AP 1 milder") for note in answer.notes)


def test_saturation_is_zero_and_not_noise(sword):
    answer = weights(sword, "1:60")
    attack = answer[answer["change"] == "+1 attack"].set_index("ac")["gain"]
    nothing = [ac for ac in attack.index if mean(ac, bonuses=(10, 5)) == mean(ac)]
    assert nothing == [1, 2, 3, 4, 5, 6, *range(30, 61)]
    assert all(attack[ac] == 0.0 for ac in nothing)
    assert (attack.drop(nothing) > 0).all()
    assert any("it does nothing at AC 1 to 6, 30 to 60" in note for note in answer.notes)


def test_where_a_point_of_damage_is_nothing_there_is_no_measure(sword):
    answer = weights(sword, 15, target={"reduction": {"physical": "immune"}})
    assert (answer["gain"] == 0.0).all()
    assert answer["worth"].isna().all()


def test_penalties_of_core():
    """Two attacks at +4 and +0, four points a hit: AP one milder is one of twenty faces of the second, by AC."""
    answer = weights(statblock("+4", "4", system="core", attacks=2, ap=-4, name="b"), "2:30").set_index(["change", "ac"])["gain"]
    for ac in range(2, 31):
        faces = {bonus: min(max(21 + bonus - ac, 1), 19) for bonus in (-8, -4, 0, 1, 4)}
        assert answer["AP 1 milder", ac] == pytest.approx((faces[1] - faces[0]) / 5, rel=1e-11)
        assert answer["one more attack", ac] == pytest.approx(faces[-4] / 5, rel=1e-11)
    assert {change for change, _ in answer.index} == {"+1 damage", "+1 attack", "+1d6 extra", "one more attack", "AP 1 milder"}


def test_chance_to_kill_is_enumerated():
    """Three points a hit on 11 or more, no criticals: nine hit points are three hits."""
    flat = statblock("+0", "3", critical="none", system="dnd5e", name="b")
    answer = weights(flat, 11, kill_by=3, hp=9).set_index("change")
    assert answer.loc["+1 damage", "dead"] == pytest.approx(0.5**3, rel=1e-12)
    assert answer.loc["+1 attack", "dead_gain"] == pytest.approx(0.55**3 - 0.5**3, rel=1e-12)
    assert answer.loc["+1 damage", "dead_gain"] == 0.0  # 4 and 4 are not 9 either
    assert answer["dead_worth"].isna().all()
    two = sum(1 for mask in range(64) if bin(mask).count("1") >= 3) / 64
    assert answer.loc["one more attack", "dead_gain"] == pytest.approx(two - 0.125, rel=1e-12)
    assert set(answer["kill_by"]) == {3}


def test_a_fight_plays_its_listed_rounds_and_a_round_the_build_as_it_stands():
    listed = (
        'system = "dnd5e"\n[target]\nac = 11\nhp = 7\n[[build]]\nname = "b"\nattack = "+0"\ncritical = "none"\ndamage = "3"\nrounds = [{ damage = "5" }, {}]\n'
    )
    answer = weights(loads(listed), kill_by=2).set_index("change")
    assert answer.loc["+1 attack", "dpr"] == pytest.approx(1.5)
    assert answer.loc["+1 attack", "dead"] == pytest.approx(0.25)  # 5 and 3
    assert answer.loc["+1 attack", "dead_gain"] == pytest.approx(0.55**2 - 0.25)
    assert answer.loc["+1 damage", "dead_gain"] == 0.0


def test_creatures_are_weighed(sword):
    answer = weights(sword, against=CREATURES, kill_by=2)
    assert list(dict.fromkeys(answer["against"])) == ["all, weighted", "imp", "ogre"]
    table = answer.set_index(["change", "against"])
    for column in ("dpr", "gain", "dead", "dead_gain"):
        for change in CHANGES:
            whole, imp, ogre = (table.loc[(change, name), column] for name in ("all, weighted", "imp", "ogre"))
            assert whole == pytest.approx((3 * imp + ogre) / 4, rel=1e-10, abs=1e-14)
    assert table.loc[("+1 attack", "imp"), "gain"] == pytest.approx(float(mean(14, bonuses=(10, 5)) - mean(14)), rel=1e-11)


def test_the_simulation_agrees_and_is_paired(sword):
    answer = weights(sword, 16, simulate=True, trials=200_000, seed=5, kill_by=3, hp=30)
    assert answer.verdict.agree
    assert answer.verdict.tests == 2 * len(CHANGES)
    assert answer.verdict.judged > len(CHANGES)
    damage = answer.set_index("change").loc["+1 damage"]
    assert damage["gain_se"] < 0.005  # two independent runs would be ten times as wide
    assert abs(damage["gain_z"]) < 6
    weighted = weights(sword, against=CREATURES, simulate=True, trials=100_000, seed=5)
    assert weighted.verdict.agree
    assert weighted.verdict.tests == 3 * len(CHANGES)


def test_a_wrong_gain_is_noticed(sword, monkeypatch):
    module = import_module("analyzer.analyses.weights")
    true = module.gained
    monkeypatch.setattr(module, "gained", lambda new, old: true(new, old) * 1.05)
    answer = weights(sword, 16, simulate=True, trials=200_000, seed=5)
    assert not answer.verdict.agree
    assert "+1 damage of sword, AC 16" in " ".join(answer.verdict.disagreements)


def test_what_a_doubled_range_makes_of_a_face_is_said():
    answer = weights(example("pathfinder1-hunters"))
    assert any("longbow" in note and "makes 2 faces more threaten" in note for note in answer.notes)
    assert any("one more attack of earth breaker, Vital Strike (it changes nothing about the round)" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kill_by": 3}, "hp must be given"),
        ({"hp": 30}, r"kill_by must be given with hp"),
        ({"kill_by": 0, "hp": 3}, "kill_by must be a whole number from 1 to 100; got 0"),
    ],
)
def test_what_is_refused(sword, keys, message):
    with pytest.raises(ValueError, match=message):
        weights(sword, 15, **keys)


def test_figures_of_one_and_of_eight_builds():
    builds = [statblock(f"+{9 + i}/+4", "1d6+3", name=f"_b${i}") for i in range(8)]
    for keys in ({"ac": "15:16"}, {"ac": 15}, {"against": CREATURES}):
        assert isinstance(weights(builds[:1], **keys).figure(), Figure)
    assert len(weights(builds, "15:16").figure().axes) == 8
    assert len(weights(builds, 15).figure().axes) == 1
    simulated = weights(builds[:1], "15:16", simulate=True, trials=1000, seed=1)
    simulated.figure().canvas.draw()


def test_the_command(tmp_path):
    shown = run(app, ["weights"])
    assert shown.exit_code == 0
    assert "+1.725" in shown.stdout
    assert "falchion: +1 attack is worth 1.88 points of damage (AC 24)" in shown.stdout
    picture = tmp_path / "w.png"
    rows = json.loads(run(app, ["weights", "core-goobelthorp", "--ac", "14:16", "--kill-by", "3", "--format", "json", "--plot", str(picture)]).stdout)
    assert {row["change"] for row in rows} >= {"AP 1 milder", "one more attack"}
    assert picture.stat().st_size > 1000
    found = list(csv.DictReader(io.StringIO(run(app, ["weights", "--build", "falchion", "--format", "csv"]).stdout)))
    assert len(found) == 7
    assert float(found[1]["gain"]) == pytest.approx(3.24)
    assert run(app, ["weights", "--kill-by", "2", "--hp", "x"]).exit_code == 2
    assert analyzer.weights is weights


def test_listed_rounds_are_not_played_for_dpr_and_it_is_said():
    charge = {"damage": "3d8+27"}
    lancer = statblock("+12/+7", "1d8+9", system="srd35", name="lancer", rounds=[charge, {}])
    rider = lancer.but(name="rider")
    told = "plays lancer as it stands, not its listed rounds"
    assert weights(lancer, 18).notes[-1] == told
    assert weights(lancer, 18, hp=40, kill_by=2).notes[-1] == f"DPR: {told}; the chance dead plays those"
    assert analyzer.trade(lancer, 18).notes[-1] == told
    assert analyzer.solve([lancer, rider], 18).notes[-1] == "plays lancer, rider as they stand, not their listed rounds"
    assert not any("listed" in note for note in analyzer.solve(lancer, 18, hp=40, kill=0.5, rounds=2).notes)
    assert not any("listed" in note for note in weights(statblock("+12/+7", "1d8+9", system="srd35", name="plain"), 18).notes)


def test_a_note_rounds_as_the_table_does():
    """0.875 that was summed to a bit less is 0.88 in both."""
    findings = import_module("analyzer.analyses.weights")._findings
    rows = [{"build": "b", "ac": ac, "change": "+1 attack", "gain": 1.0, "worth": worth} for ac, worth in ((10, 0.875 - 1e-15), (11, 1.125 - 1e-15))]
    assert list(findings(rows[:1])) == ["b: +1 attack is worth 0.88 points of damage (AC 10)"]
    assert list(findings(rows)) == ["b: +1 attack is worth from 0.88 (AC 10) to 1.12 points of damage (AC 11)"]


def test_the_scales_of_the_figure_are_straight_and_kills_have_panels_of_their_own():
    builds = example("d20-builds").builds
    for ac in (24, "20:24"):
        for keys, panels in (({}, 1 if ac == 24 else 2), ({"kill_by": 3, "hp": 90}, 2 if ac == 24 else 4)):
            axes = weights(builds, ac, **keys).figure().axes
            assert len(axes) == panels
            assert {(one.get_xscale(), one.get_yscale()) for one in axes} == {("linear", "linear")}
    answer = weights(builds, "20:24", kill_by=3, hp=90)
    rows = answer[(answer["build"] == builds[0].name) & (answer["change"] == "+1 damage")]
    assert answer.figure().axes[1].get_lines()[0].get_ydata().tolist() == rows["dead_gain"].tolist()
    assert answer.figure().axes[1].get_ylabel() == "chance gained to be\ndead by round 3"
