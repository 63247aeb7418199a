"""Balance: ratios against fractions, the best value against a search written here, the search for dice and penalties, twins, the command, the figures."""

import csv
import io
import json
from fractions import Fraction
from itertools import product
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, balance, curve, sheet, statblock
from analyzer.cli import app
from analyzer.dice import parse_dice
from analyzer.exact.windows import Offer, closest
from analyzer.workings.armoury import weapons

#: Mean of a hit of the example's weapons, whose criticals deal twice the dice, and their AP.
ARMOURY = {
    "longsword": (Fraction(9, 2), -3),
    "dagger": (Fraction(5, 2), -1),
    "shortsword": (Fraction(7, 2), -2),
    "war hammer": (Fraction(11, 2), -4),
    "claymore": (Fraction(7), -4),
    "flail": (Fraction(5), -3),
}


def armoury(*names):
    scenario = analyzer.example("core-armoury")
    return [build for build in scenario.builds if build.name in (names or ARMOURY)]


def turn(mean, ap, attacks, ac, bonus=4):
    """The mean of a turn from the rule text: meet or beat AC, 20 a critical of twice the dice, 1 a miss, AP added after each attack."""
    faces = [sum(face + bonus + n * ap >= ac for face in range(2, 20)) for n in range(attacks)]
    return sum((hits * mean + 2 * mean) / Fraction(20) for hits in faces)


def nearest(weapon, candidates, cells, criterion="worst"):
    """The AP that is closest by the documented criterion, by hand; ``cells`` are (attacks, AC, weight)."""
    reference = {cell: turn(*ARMOURY["longsword"], cell[0], cell[1]) for cell in cells}

    def keys(ap):
        apart = [(abs(log(turn(ARMOURY[weapon][0], ap, n, ac) / reference[n, ac, w])), w) for n, ac, w in cells]
        worst, mean = round(max(one for one, w in apart if w), 12), round(sum(one * w for one, w in apart) / sum(w for _, w in apart), 12)
        return (*((worst, mean) if criterion == "worst" else (mean, worst)), abs(ap - ARMOURY[weapon][1]))

    return min(candidates, key=keys)


@pytest.mark.parametrize("criterion", ["worst", "mean"])
@pytest.mark.parametrize(("attacks", "weights"), [("1:4", None), ("2:3", "1,2,3,2,1,0,0"), (3, None)])
def test_the_whole_armoury_by_hand(attacks, weights, criterion):
    found = balance(armoury(), "12:18", attacks=attacks, weights=weights, criterion=criterion, reference="longsword")
    turns = {"1:4": range(1, 5), "2:3": range(2, 4), 3: [3]}[attacks]
    heavy = [1] * 7 if weights is None else [int(w) for w in weights.split(",")]
    cells = [(n, ac, w) for n in turns for ac, w in zip(range(12, 19), heavy, strict=True)]
    assert found["weapon"].tolist() == list(ARMOURY)[1:]
    for row in found.to_dict("records"):
        mean, ap = ARMOURY[row["weapon"]]
        assert row["ap"] == ap
        assert row["best_ap"] == nearest(row["weapon"], range(-10, 1), cells, criterion)
        dpr = sum(turn(mean, row["best_ap"], n, ac) * w for n, ac, w in cells) / sum(w for *_, w in cells)
        standard = sum(turn(*ARMOURY["longsword"], n, ac) * w for n, ac, w in cells) / sum(w for *_, w in cells)
        assert row["dpr"] == pytest.approx(float(dpr), rel=1e-12)
        assert row["reference_dpr"] == pytest.approx(float(standard), rel=1e-12)
        assert row["ratio"] == pytest.approx(float(dpr / standard), rel=1e-12)
        now = sum(turn(mean, ap, n, ac) * w for n, ac, w in cells) / sum(w for *_, w in cells)
        assert row["ratio_now"] == pytest.approx(float(now / standard), rel=1e-12)
        ratios = [turn(mean, row["best_ap"], n, ac) / turn(*ARMOURY["longsword"], n, ac) for n, ac, w in cells if w]
        assert row["lowest"] == pytest.approx(float(min(ratios)), rel=1e-12)
        assert row["highest"] == pytest.approx(float(max(ratios)), rel=1e-12)


def test_a_row_per_turn_length_and_none_matters_for_one_attack():
    found = balance(armoury("longsword", "claymore"), "10:20", by="turn").set_index("turns")
    for attacks in (1, 2, 3, 4):
        row = found.loc[str(attacks)]
        assert row["best_ap"] == nearest("claymore", range(-10, 1), [(attacks, ac, 1) for ac in range(10, 21)])
    assert found.loc["1", "best_ap"] == -4  # AP changes nothing: it stays
    assert found.loc["1", "ratio"] == pytest.approx(14 / 9, rel=1e-12)


def test_every_cell_by_hand():
    found = balance(armoury("longsword", "flail"), "11:19", by="cell", values="-5:0", attacks="1:3")
    assert len(found) == 6 * 3 * 9
    for row in found.to_dict("records"):
        dpr, standard = turn(Fraction(5), row["ap"], row["attacks"], row["ac"]), turn(Fraction(9, 2), -3, row["attacks"], row["ac"])
        assert row["dpr"] == pytest.approx(float(dpr), rel=1e-12)
        assert row["ratio"] == pytest.approx(float(dpr / standard), rel=1e-12)
    best = nearest("flail", range(-5, 1), [(n, ac, 1) for n in (1, 2, 3) for ac in range(11, 20)])
    assert set(found.query("best")["ap"]) == {best}


def test_what_the_nth_attack_adds():
    found = balance(armoury("longsword", "claymore"), "10:20", by="attack", attacks="1:4")
    for row in found.to_dict("records"):
        mean = ARMOURY[row["weapon"]][0]
        added = turn(mean, row["ap"], row["attack"], row["ac"]) - turn(mean, row["ap"], row["attack"] - 1, row["ac"])
        assert row["dpr"] == pytest.approx(float(added), rel=1e-12)
    assert set(found.query("weapon == 'claymore'")["ap"]) == {-4, nearest("claymore", range(-10, 1), [(n, ac, 1) for n in range(1, 5) for ac in range(10, 21)])}


def test_of_a_sheet_every_weapon_at_hand_fights_alone():
    """Kaflimbo's two swords, his own reactions and the other sword left out, are those of statblocks."""
    kaflimbo = next(build for build in analyzer.example("core-goobelthorp").builds if build.name == "Kaflimbo").but(reactions=[["longsword"]])
    found = balance(kaflimbo, "10:20", reference="longsword", attacks="2:4")
    apart = balance(armoury("longsword", "shortsword"), "10:20", attacks="2:4")
    assert found["best_ap"].tolist() == apart["best_ap"].tolist()
    assert found["ratio"].tolist() == pytest.approx(apart["ratio"].tolist(), rel=1e-12)


def test_equal_weapons_need_no_change():
    """A law: a copy of the reference is at ratio 1 with its own AP, whatever the range."""
    twin = armoury("longsword")[0].but(name="copy")
    (row,) = balance([*armoury("longsword"), twin]).to_dict("records")
    assert (row["best_ap"], row["ratio"], row["lowest"], row["highest"]) == (-3, 1.0, 1.0, 1.0)


@settings(max_examples=20, deadline=None)
@given(low=st.integers(-8, 0), ac=st.integers(5, 30), attacks=st.integers(1, 5), bonus=st.integers(0, 8))
def test_a_milder_penalty_never_hurts(low, ac, attacks, bonus):
    one, other = (statblock(bonus, "1d8", system="core", name=name, ap=-3) for name in ("one", "other"))
    found = balance([one, other], ac, attacks=attacks, values=range(low, 1), by="cell")
    assert (np.diff(found["ratio"]) >= -1e-12).all()


def test_dice_damage_and_attack_are_the_builds_of_but():
    long, flail = armoury("longsword", "flail")
    dice = balance([long, flail], "12:18", vary="dice", dice="1d6,2d4,1d12", attacks=3, by="cell")
    for text, doubled in (("1d6", "2d6"), ("2d4", "4d4"), ("1d12", "2d12")):
        other = flail.but(damage=f"{text} bludgeoning", on_critical=f"{doubled} bludgeoning", name="other")
        assert dice.query("dice == @text")["dpr"].tolist() == pytest.approx(curve(other, "12:18")["dpr"].tolist(), rel=1e-12)
    for vary, key in (("damage", "damage_shift"), ("attack", "attack_shift")):
        found = balance([long, flail], "12:18", vary=vary, values="-2:2", attacks=3, by="cell")
        for shift in range(-2, 3):
            other = flail.but(**{vary: shift}, name="other")
            assert found[found[key] == shift]["dpr"].tolist() == pytest.approx(curve(other, "12:18")["dpr"].tolist(), rel=1e-12)


def test_dice_keep_flat_points_and_what_a_critical_makes_of_them():
    build = sheet(
        "core",
        name="guard",
        proficiency_bonus=4,
        body_parts={
            "fist": {"on_hit": "1d4+2", "critical_adds": "2d4+1", "ap": -1},
            "kick": {"on_hit": "1d6", "on_critical": "3d6+5"},
            "bite": {"on_hit": "1d6", "on_critical": "1d8"},
        },
        turn=["fist"],
    )
    fist, kick, bite = weapons([build])
    changed = fist.but(dice=parse_dice("2d6"), attacks=2).model.body_parts["fist"]
    assert (str(changed.on_hit), str(changed.critical_adds)) == ("2d6+2", "4d6+1")
    changed = kick.but(dice=parse_dice("1d8+1"), attacks=2).model.body_parts["kick"]
    assert (str(changed.on_hit), str(changed.on_critical)) == ("1d8+1", "3d8+8")
    with pytest.raises(ScenarioError, match="on_critical must be a multiple of the dice of a hit, 1d6, for these to vary; got 1d8"):
        bite.but(dice=parse_dice("1d4"))


def test_other_games_vary_attack_or_damage():
    scenario = analyzer.example("d20-builds")
    found = balance(scenario, "20:30", vary="damage", values="-3:3")
    falchion, greatsword = scenario.builds
    means = {shift: curve(greatsword.but(damage=shift), "20:30", target=scenario.target)["dpr"].to_numpy() for shift in range(-3, 4)}
    standard = curve(falchion, "20:30", target=scenario.target)["dpr"].to_numpy()
    assert found["best_damage_shift"].iloc[0] == min(means, key=lambda shift: np.abs(np.log(means[shift] / standard)).max())
    assert balance(scenario, 25)["best_attack_shift"].notna().all()
    assert balance(analyzer.example("dnd5e-martials"), 16, vary="damage")["ratio"].notna().all()
    with pytest.raises(ValueError, match=r"vary must be 'dice', 'damage' or 'attack' for 'falchion' of d20, which has no attack penalty \(AP\).*; got 'ap'"):
        balance(scenario, vary="ap")
    with pytest.raises(ValueError, match=r"attacks must be those of the build where its game or file fixes the turn.*got 3 and 'falchion'"):
        balance(scenario, attacks=3)


def test_creatures_are_weighed():
    beasts = [{"name": "goblin", "ac": 12, "weight": 5}, {"name": "knight", "ac": 18, "dr": 2, "weight": 3}, {"name": "ghost", "ac": 40, "weight": 0}]
    long, flail = armoury("longsword", "flail")
    found = balance([long, flail], against=beasts, attacks=3, by="cell", values="-4:-2")
    assert found["against"].tolist()[:4] == ["all, weighted", "goblin", "knight", "ghost"]
    for ap in (-4, -3, -2):
        rows = found.query("ap == @ap").set_index("against")["dpr"]
        alone = [curve(flail.but(ap=ap), ac, target={"reduction": {"physical": dr}})["dpr"].iloc[0] for ac, dr in ((12, 0), (18, 2))]
        assert rows["goblin"] == pytest.approx(alone[0], rel=1e-12)
        assert rows["knight"] == pytest.approx(alone[1], rel=1e-12)
        assert rows["all, weighted"] == pytest.approx((5 * alone[0] + 3 * alone[1]) / 8, rel=1e-12)
    (row,) = balance([long, flail], against=beasts, attacks=3).to_dict("records")
    assert "ghost" not in row["lowest_at"] + row["highest_at"]  # it counts nothing
    (immune,) = balance([long, flail], target={"reduction": {"slashing": "immune"}}, ac=14).to_dict("records")
    assert immune["ratio"] is None


# -- the search ----------------------------------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    offers=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcd"), st.integers(1, 30)), min_size=1, max_size=9),
)
def test_the_narrowest_window_is_that_of_enumeration(offers):
    made = [Offer(group=group, good=good, score=float(score)) for group, good, score in offers]
    narrowest = inf
    for chosen in product(*([i for i, offer in enumerate(made) if offer.group == group] for group in range(3))):
        if len({made[i].good for i in chosen}) == 3:
            scores = [made[i].score for i in chosen]
            narrowest = min(narrowest, max(scores) / min(scores))
    found = closest(made, 3, 10.0)
    assert (found is None) == (narrowest == inf)
    if found is not None:
        assert [made[i].group for i in found] == [0, 1, 2]
        assert len({made[i].good for i in found}) == 3
        scores = [made[i].score for i in found]
        assert max(scores) / min(scores) == narrowest


def test_dice_and_penalties_for_a_whole_list():
    """Every pair within 8 %: three weapons beside the longsword, each with dice of its own; no other choice is narrower."""
    builds = armoury("longsword", "dagger", "flail")
    asked = {"ac": "12:18", "attacks": "2:3", "values": "-6:-1", "dice": "1d6,2d4,1d10,1d8"}
    found = balance(builds, within="8%", **asked)
    cells = list(product((2, 3), range(12, 19)))

    def mean(hit, ap):
        return float(sum(turn(hit, ap, *cell) for cell in cells) / len(cells))

    standard = mean(*ARMOURY["longsword"])
    scores = {(dice, ap): mean(Fraction(hit), ap) for dice, hit in (("1d6", 3.5), ("2d4", 5), ("1d10", 5.5)) for ap in range(-6, 0)}
    narrowest = min(max(standard, *pair) / min(standard, *pair) for a, b in product(scores, repeat=2) if a[0] != b[0] for pair in [(scores[a], scores[b])])
    damages = [*found["dpr"], standard]
    assert max(damages) / min(damages) == pytest.approx(narrowest, rel=1e-12)
    assert len({*found["dice"], "1d8"}) == 3
    for row in found.to_dict("records"):
        assert row["dpr"] == pytest.approx(scores[row["dice"], row["ap"]], rel=1e-12)
    assert f"within {100 * (narrowest - 1):.2f} %" in found.notes[0]
    assert found.notes[0].startswith("every pair") == (narrowest <= 1.08)
    assert balance(builds, within=0, **asked).notes[0].startswith("no choice brings every pair within that; the closest is within")
    with pytest.raises(ValueError, match="dice must be as many dice as there are weapons beside the reference, unlike its own, that deal damage; got 2 for 2"):
        balance(builds, within="5%", **asked | {"dice": "1d8,1d6"})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"reference": "axe"}, "reference must be one of 'longsword', 'dagger'.*; got 'axe'"),
        ({"vary": "luck"}, "vary must be one of 'ap', 'dice', 'damage', 'attack'; got 'luck'"),
        ({"weights": "1,2", "ac": "12:14"}, "weights must be 3 numbers from 0, one per armor class and one above 0; got '1,2'"),
        ({"weights": "1,x", "ac": "12:13"}, "weights must be numbers from 0 such as 1,2,3,2,1; got '1,x'"),
        ({"weights": "0,0", "ac": "12:13"}, "weights must be 2 numbers"),
        ({"weights": "1", "against": [{"name": "goblin", "ac": 12}]}, "weights must be left out with against"),
        ({"dice": "1d6"}, "dice must be left out unless they vary or with within; got '1d6' and vary 'ap'"),
        ({"vary": "dice", "dice": "1d6,d"}, "dice must be dice such as 1d6,1d8,2d4; got '1d6,d'"),
        ({"vary": "dice", "values": "1:3"}, "values must be left out with vary 'dice'"),
        ({"vary": "attack", "within": "5%"}, "vary must be 'ap' with within"),
        ({"values": "1:2"}, "ap must be an integer from -1000 to 0; got 1"),
        ({"values": "-1000:0"}, "values must come to at most 5000 with all weapons and dice; got 5005"),
        ({"attacks": "0:2"}, "attacks must be 1 to 64; got '0:2'"),
    ],
)
def test_what_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        balance(armoury(), **asked)


def test_fewer_than_two_weapons_and_two_games_are_refused():
    with pytest.raises(ValueError, match="builds must be two weapons at least, one of them the reference; got 'dagger'"):
        balance(armoury("dagger"))
    other = statblock(4, "1d6", system="pathfinder2", name="other")
    with pytest.raises(ValueError, match="builds must be of one game and face the same foes; got core, pathfinder2"):
        balance([*armoury("dagger"), other], 14)
    final = statblock("+4/+1", "1d6", system="core", name="final")
    with pytest.raises(ValueError, match=r"attacks must be those of the build.*got nothing and 'final'"):
        balance([*armoury("dagger"), final], 14, vary="damage")


# -- the simulated twin --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["summary", "cell", "attack"])
def test_the_simulated_twin_agrees(by):
    found = balance(armoury("longsword", "flail"), "13:15", attacks="2:3", values="-4:-3", by=by, simulate=True, trials=100_000, seed=6)
    assert found.verdict.agree, found.verdict
    assert found.verdict.judged > 0
    assert found["dpr_se"].notna().all()
    if by != "attack":
        assert (found["ratio_z"].abs() < 5).all()


def test_the_error_of_a_weighted_ratio_is_that_of_runs_apart():
    """The spread of the simulated ratio over forty seeds is the standard error it gives, within what forty can tell."""
    asked = {"ac": "13:15", "attacks": "2:3", "values": -4, "weights": "1,2,1", "simulate": True, "trials": 2000}
    runs = [balance(armoury("longsword", "flail"), seed=seed, **asked).iloc[0] for seed in range(40)]
    spread = np.std([run["ratio_mc"] for run in runs], ddof=1)
    assert 0.7 < spread / np.mean([run["ratio_se"] for run in runs]) < 1.4


def test_the_twin_sees_a_wrong_figure(monkeypatch):
    monkeypatch.setattr("analyzer.workings.parity._by_attack", lambda found: 1.03 * np.array([attack.mean for attack in found.attacks]).T)
    found = balance(armoury("longsword", "flail"), "13:15", attacks="2:3", values=-4, simulate=True, trials=100_000, seed=6)
    assert not found.verdict.agree


# -- faces ---------------------------------------------------------------------------------------------------------------------------------------------


def run(*args):
    result = CliRunner().invoke(app, ["balance", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command(tmp_path):
    table = run("--reference", "longsword", "--values", "-6:0")
    assert "flail: AP -4 comes closest to longsword: 1.019 of its damage in all" in table
    assert "AP changes nothing in a turn of one attack" in table
    records = json.loads(run("--by", "cell", "--build", "longsword", "--build", "flail", "--ac", "14", "--attacks", "2", "--format", "json"))
    assert set(records[0]) == {"system", "reference", "weapon", "ap", "best", "attacks", "ac", "dpr", "reference_dpr", "ratio"}
    rows = list(csv.DictReader(io.StringIO(run("--within", "50%", "--dice", "1d4,1d6,2d4,1d10,2d6", "--format", "csv"))))
    assert len({row["dice"] for row in rows}) == 5
    for i, args in enumerate((["--vary", "dice"], ["--by", "attack"], ["--within", "5%"])):
        picture = tmp_path / f"balance {i}.png"
        run("--ac", "12:16", "--plot", str(picture), *args)
        assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(("count", "panels"), [(1, 4), (8, 8)])
def test_the_figure_draws_for_one_weapon_and_eight(count, panels):
    long = armoury("longsword")[0]
    found = balance([long, *(long.but(ap=-i, name=f"weapon {i}") for i in range(count))], "12:16")
    drawing = found.figure()
    assert isinstance(drawing, Figure)
    assert sum(bool(axes.images) for axes in drawing.axes) == panels
    drawing.canvas.draw()


@pytest.mark.parametrize(
    ("vary", "column", "now", "best"), [("dice", "dice", "2d4", "1d8"), ("damage", "damage_shift", 0, -1), ("attack", "attack_shift", 0, -1)]
)
def test_by_attack_the_weapon_as_it_is_and_at_its_best_are_told_apart(vary, column, now, best):
    found = balance(armoury("longsword", "flail"), 14, vary=vary, by="attack", attacks=3)
    assert set(found.query("weapon == 'flail'")[column]) == {now, best}
    drawing = found.figure()
    assert [bool(axes.lines) for axes in drawing.axes[:3]] == [True, True, True]
    assert all(len(axes.lines) == 3 for axes in drawing.axes[:3])


def test_the_figure_of_a_single_armor_class_and_of_nothing_dealt():
    balance(armoury(), 14).figure().canvas.draw()
    balance(armoury(), 14, target={"reduction": {"all": "immune"}}).figure().canvas.draw()
    balance(armoury(), 14, by="attack", simulate=True, trials=100, seed=1).figure().canvas.draw()
