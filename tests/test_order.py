"""Order: the dynamic programme against every order enumerated in fractions, ties, worst orders, creatures, the simulated twin, the command and the figure."""

import csv
import io
import json
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import curve, order, sheet, statblock
from analyzer.cli import app
from analyzer.exact.orders import Worths, multisets, ranked
from analyzer.workings import armoury

#: Name, AP, mean of a hit, mean of a critical of the two weapons of the text's Kaflimbo, as the example dresses them.
KAFLIMBO = {"shortsword": (-2, Fraction(7, 2), Fraction(7)), "longsword": (-3, Fraction(9, 2), Fraction(9))}


def kaflimbo():
    return next(build for build in analyzer.example("core-goobelthorp").builds if build.name == "Kaflimbo")


def worth(attacks, arms, bonus, ac):
    """The mean of a turn from the rule text: meet or beat AC, 20 a critical, 1 a miss, each AP added after its attack."""
    total, penalty = Fraction(0), 0
    for name in attacks:
        ap, hit, critical = arms[name]
        hits = sum(face + bonus + penalty >= ac for face in range(2, 20))
        total += (hits * hit + critical) / Fraction(20)
        penalty += ap
    return total


def spelled(attacks):
    runs = []
    for name in attacks:
        if runs and runs[-1][0] == name:
            runs[-1][1] += 1
        else:
            runs.append([name, 1])
    return ", ".join(name if times == 1 else f"{name} x{times}" for name, times in runs)


@pytest.mark.parametrize("attacks", [1, 2, 4, 5])
def test_every_order_of_two_weapons_in_fractions(attacks):
    for row in order(kaflimbo(), "6:26", attacks=attacks).to_dict("records"):
        every = {turn: worth(turn, KAFLIMBO, 4, row["ac"]) for turn in product(KAFLIMBO, repeat=attacks)}
        best, worst = max(every.values()), min(every.values())
        assert row["best_dpr"] == pytest.approx(float(best), rel=1e-12)
        assert row["worst_dpr"] == pytest.approx(float(worst), rel=1e-12)
        assert row["matters"] == pytest.approx(float(best - worst), abs=1e-12)
        good = {spelled(turn): turn for turn, value in every.items() if value == best}
        assert row["best"] in good
        assert row["equal"] == len(good)
        named = row["also"].split("; ") if isinstance(row["also"], str) else []
        told = [name for name in named if not name.endswith(" more")]
        assert set(told) < set(good)
        assert len(told) == min(3, len(good) - 1)
        assert row["worst"] in {spelled(turn) for turn, value in every.items() if value == worst}
        same = {worth(turn, KAFLIMBO, 4, row["ac"]) for turn in permutations(good[row["best"]])}
        assert row["order_alone"] == pytest.approx(float(best - min(same)), abs=1e-12)


def test_the_listed_attacks_in_another_order():
    """shortsword, longsword, shortsword, longsword of the text: light weapons first until nothing but a 20 hits."""
    for row in order(kaflimbo(), "8:24", choose="own").to_dict("records"):
        every = {turn: worth(turn, KAFLIMBO, 4, row["ac"]) for turn in permutations(("shortsword", "longsword") * 2)}
        assert row["own_dpr"] == pytest.approx(float(worth(("shortsword", "longsword") * 2, KAFLIMBO, 4, row["ac"])), rel=1e-12)
        assert row["best_dpr"] == pytest.approx(float(max(every.values())), rel=1e-12)
        assert row["worst_dpr"] == pytest.approx(float(min(every.values())), rel=1e-12)
        assert row["order_alone"] == pytest.approx(row["matters"], abs=1e-12)
        assert row["equal"] == sum(value == max(every.values()) for value in every.values())


def test_of_equal_orders_the_listed_one_is_named():
    """At an AC that only a natural 20 hits, every order of the listed attacks is as good as the listed one."""
    (row,) = order(kaflimbo(), 60, choose="own").to_dict("records")
    assert row["best"] == row["own"] == "shortsword, longsword, shortsword, longsword"
    assert row["equal"] == 6
    assert row["also"].endswith("2 more")
    assert row["matters"] == pytest.approx(0.0, abs=1e-12)


def test_figures_are_those_of_the_rounds():
    """The best order, played as a build of its own, deals what `order` says."""
    (row,) = order(kaflimbo(), 16).to_dict("records")
    assert row["best"] == "shortsword x2, longsword x2"
    played = kaflimbo().but(turn=["shortsword", "shortsword", "longsword", "longsword"])
    assert row["best_dpr"] == pytest.approx(curve(played, 16)["dpr"].iloc[0], rel=1e-12)
    assert row["own_dpr"] == pytest.approx(curve(kaflimbo(), 16)["dpr"].iloc[0], rel=1e-12)


EQUIPMENT = st.fixed_dictionaries({"dice": st.sampled_from(["1d4", "1d6+1", "1d8", "2d6"]), "ap": st.integers(-6, 0), "proficient": st.booleans()})


@settings(max_examples=25, deadline=None)
@given(
    parts=st.lists(EQUIPMENT, min_size=1, max_size=3),
    attacks=st.integers(1, 4),
    ac=st.integers(8, 24),
    takes=st.sampled_from(["none", "all", (1,), (2, 3)]),
    reset=st.sampled_from(["every turn", "own turn"]),
    damage_reduction=st.integers(0, 3),
)
def test_the_programme_finds_what_enumeration_finds(parts, attacks, ac, takes, reset, damage_reduction):
    """Any equipment, hits that are taken, reactions that go on with the penalty: the best of all orders, each played by itself."""
    body = {f"part {i}": {"on_hit": part["dice"], "ap": part["ap"], "proficient": part["proficient"]} for i, part in enumerate(parts)}
    build = sheet("core", rules={"ap_reset": reset}, name="beast", proficiency_bonus=5, body_parts=body, turn=["part 0"], reactions=[["part 0"]])
    target = {"takes_hit": takes, "reduction": {"physical": damage_reduction}}
    (row,) = order(build, ac, attacks=attacks, target=target).to_dict("records")
    every = [curve(build.but(turn=turn), ac, target=target)["dpr"].iloc[0] for turn in product(body, repeat=attacks)]
    assert row["best_dpr"] == pytest.approx(max(every), rel=1e-12)
    assert row["worst_dpr"] == pytest.approx(min(every), rel=1e-12)
    assert row["equal"] == sum(value == pytest.approx(max(every), rel=1e-11) for value in every)


def test_worths_of_any_kind_are_ranked_as_by_enumeration():
    """The bare programme on random worths, an ending and limits among them."""
    rng = np.random.default_rng(5)
    limits, length = (2, 3, 1), 5
    levels = multisets(limits, length)
    attack = {
        (state, i): rng.integers(0, 4, size=3).astype(float) for level in levels[:-1] for state in level for i in range(len(limits)) if state[i] < limits[i]
    }
    worths = Worths(limits=limits, length=length, attack=attack, ending={state: rng.integers(0, 3, size=3).astype(float) for state in levels[-1]})
    every = [turn for turn in product(range(3), repeat=length) if all(turn.count(i) <= limit for i, limit in enumerate(limits))]
    values = np.array([worths.of(turn) for turn in every])
    for best, pick in ((True, np.max), (False, np.min)):
        ranking = ranked(worths, best=best)
        for column in range(3):
            extreme = pick(values[:, column])
            assert ranking.value(column) == extreme
            assert ranking.count(column) == (values[:, column] == extreme).sum()
            assert sorted(ranking.orders(column, 10_000)) == sorted(turn for turn, value in zip(every, values[:, column], strict=True) if value == extreme)


def test_shields_and_hands_say_what_is_at_hand():
    names = {build.name: armoury.hand_of(build).names for build in analyzer.example("core-goobelthorp").builds}
    assert names["Tizzy Snomblom"] == ("war-hammer",)  # the tower shield's arm may hold the dagger, not attack with it
    assert names["Flaxer Gogo"] == ("longsword", "dagger")


def test_another_game_with_a_penalty():
    """Pathfinder 2: -5 and -10 after other Strikes, -4 and -8 with the agile blade."""
    scenario = analyzer.example("pathfinder2-strikers")
    ranger = scenario.builds[2]
    found = order(ranger, "22:36", target=scenario.target)
    for row in found.to_dict("records"):
        every = [curve(ranger.but(strikes=turn), row["ac"], target=scenario.target)["dpr"].iloc[0] for turn in product(("longsword", "shortsword"), repeat=3)]
        assert row["best_dpr"] == pytest.approx(max(every), rel=1e-12)
        assert row["worst_dpr"] == pytest.approx(min(every), rel=1e-12)


def test_creatures_and_the_order_that_is_best_against_their_mix():
    beasts = [{"name": "goblin", "ac": 12, "weight": 5}, {"name": "knight", "ac": 20, "dr": 2, "weight": 3}, {"name": "ghost", "ac": 15, "weight": 0}]
    found = order(kaflimbo(), against=beasts).to_dict("records")
    assert [row["against"] for row in found] == ["all, weighted", "goblin", "knight", "ghost"]
    mixed = {}
    for turn in product(KAFLIMBO, repeat=4):
        alone = [curve(kaflimbo().but(turn=turn), ac, target={"reduction": {"physical": dr}})["dpr"].iloc[0] for ac, dr in ((12, 0), (20, 2))]
        mixed[spelled(turn)] = (5 * alone[0] + 3 * alone[1]) / 8
    assert found[0]["best_dpr"] == pytest.approx(max(mixed.values()), rel=1e-12)
    assert mixed[found[0]["best"]] == pytest.approx(found[0]["best_dpr"], rel=1e-12)
    assert found[0]["worst_dpr"] == pytest.approx(min(mixed.values()), rel=1e-12)


def test_builds_whose_order_is_fixed():
    with pytest.raises(ValueError, match=r"builds must have attacks whose order is free and matters.*got 'falchion' of d20, 'greatsword' of d20"):
        order(analyzer.example("d20-builds"))
    final = statblock("+5/+2", "1d6", system="core", name="final")
    found = order([kaflimbo(), final], 14)
    assert set(found["build"]) == {"Kaflimbo"}
    assert "not asked of 'final' of core" in found.notes[0]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"choose": "own", "attacks": 3}, "attacks must be left out with choose 'own'"),
        ({"choose": "most"}, "choose must be one of 'any', 'own'; got 'most'"),
        ({"attacks": 0}, "attacks must be a whole number from 1 to 64; got 0"),
        ({"ac": 14, "against": []}, "against must be given without ac"),
    ],
)
def test_what_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        order(kaflimbo(), **asked)


def test_too_many_cases_are_refused_with_the_limit():
    body = {f"part {i}": {"on_hit": "1d4"} for i in range(6)}
    with pytest.raises(ValueError, match="at most 5000 cases with 6 weapons at hand; got"):
        order(sheet("core", name="hydra", proficiency_bonus=2, body_parts=body, turn=["part 0"]), 12, attacks=12)
    with pytest.raises(ValueError, match="attacks must be given, and something to attack with, for 'idle'"):
        order(sheet("core", name="idle", proficiency_bonus=2, body_parts=body), 12)


def test_the_simulated_twin_agrees_and_sees_a_wrong_figure(monkeypatch):
    asked = {"attacks": 3, "simulate": True, "trials": 150_000, "seed": 11}
    found = order(kaflimbo(), "14:17", **asked)
    assert found.verdict.agree, found.verdict
    assert found.verdict.judged == 12  # best, worst and their difference at each AC
    (row,) = found.query("ac == 16").to_dict("records")
    assert abs(row["matters_z"]) < 5
    assert row["matters_se"] < np.hypot(row["best_dpr_se"], row["worst_dpr_se"])  # common dice
    monkeypatch.setattr(
        "analyzer.workings.sequences._sum", lambda found, first, last: 1.02 * sum(attack.mean for attack in found.attacks[first:last]) + 0 * found.dpr
    )
    assert not order(kaflimbo(), "14:17", **asked).verdict.agree


def test_the_twin_against_creatures():
    beasts = [{"name": "goblin", "ac": 12, "weight": 5}, {"name": "knight", "ac": 19, "weight": 3}]
    found = order(kaflimbo(), against=beasts, simulate=True, trials=100_000, seed=4)
    assert found.verdict.agree, found.verdict
    assert found["own_dpr_se"].notna().all()


def run(*args):
    result = CliRunner().invoke(app, ["order", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command(tmp_path):
    table = run("--build", "Kaflimbo", "--ac", "15:17")
    assert "shortsword x2, longsword x2" in table
    assert "the order of the same attacks matters most at AC 16, 0.30 damage points per round" in table
    records = json.loads(run("core-duel", "--attacks", "2", "--ac", "14", "--format", "json"))
    assert [record["build"] for record in records] == ["duellist", "centaur", "as the statblock says"]
    assert records[0]["own"] == "rapier x2"
    rows = list(csv.DictReader(io.StringIO(run("--ac", "12", "--format", "csv"))))
    assert [row["best"] for row in rows] == ["claymore x3", "longsword x4", "war-hammer x3", "longsword x3"]
    picture = tmp_path / "order.png"
    run("--plot", str(picture))
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("builds", [1, 8])
def test_the_figure_draws_for_one_build_and_eight(builds):
    found = order([kaflimbo().but(name=f"fighter {i}", proficiency_bonus=i) for i in range(builds)], "10:20")
    drawing = found.figure()
    assert isinstance(drawing, Figure)
    assert len(drawing.axes) == 2 * builds
    assert len(drawing.axes[0].lines) == 3
    drawing.canvas.draw()
