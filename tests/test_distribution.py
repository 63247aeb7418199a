"""Distribution: totals and riders against plain enumerations, sums of rounds, its simulated twin, and the command."""

import io
import json
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import analyzer
from analyzer.cli import app
from analyzer.exact import Split, joint_totals, over_rounds
from analyzer.workings import spreads

TABLE = [{"name": "rat", "ac": 11, "hp": 5, "weight": 3}, {"name": "knight", "ac": 20, "hp": 40, "dr": 3, "weight": 1}]


def sneak():
    return analyzer.statblock("+8/+8", "1d4+4", once_per_turn=["3d6"], critical="20", system="dnd5e", name="sneak")


def axe(**keys):
    return analyzer.statblock("+6/+1", "1d4+1", critical="19-20/x2", system="srd35", name="axe", **keys)


def test_once_a_turn():
    """The case that a recipe for the mean gets wrong."""
    (row,) = analyzer.distribution(sneak(), 16, at_least=30).to_dict("records")
    assert row["no_damage"] == pytest.approx(0.1225, rel=1e-12)
    assert row["sd"] == pytest.approx(8.886013940457216, rel=1e-12)
    assert row["at_least_30"] == pytest.approx(0.06741320323551633, rel=1e-12)


def test_once_a_turn_by_the_command(tmp_path):
    text = 'system = "dnd5e"\n[target]\nac = 16\n[[build]]\nname = "x"\nattack = "+8/+8"\ndamage = "1d4+4"\nonce_per_turn = ["3d6"]\n'
    file = tmp_path / "x.toml"
    file.write_text(text, encoding="utf-8")
    (row,) = json.loads(CliRunner().invoke(app, ["distribution", str(file), "--at-least", "30", "--format", "json"]).stdout)
    assert (row["no_damage"], row["sd"], row["at_least_30"]) == pytest.approx((0.1225, 8.886013940457216, 0.06741320323551633), rel=1e-12)


def enumerated():
    """(damage, hits, criticals) of a round of `axe` at AC 15 with their chances: ties hit, criticals confirmed, 1 and 20 decide."""
    one = []
    for bonus in (6, 1):
        hitting = [face for face in range(2, 21) if face + bonus >= 15 or face == 20]
        confirmed = Fraction(len(hitting), 20)
        threats = Fraction(sum(face >= 19 for face in hitting), 20)
        crit = threats * confirmed
        hit = Fraction(len(hitting), 20) - crit
        found = [(1 - hit - crit, 0, 0, 0)]
        found += [(hit / 4, a + 1, 1, 0) for a in range(1, 5)]
        found += [(crit / 16, a + b + 2, 1, 1) for a, b in product(range(1, 5), repeat=2)]
        one.append(found)
    joint = {}
    for (p, d, h, c), (q, e, i, k) in product(*one):
        key = (d + e, h + i, c + k)
        joint[key] = joint.get(key, Fraction(0)) + p * q
    return joint, one


def test_totals_are_their_enumeration():
    joint, _ = enumerated()
    found = analyzer.distribution(axe(), 15, by="total", together_with="crit").set_index("total")
    for total, row in found.iterrows():
        assert row["chance"] == pytest.approx(float(sum(p for (d, _, _), p in joint.items() if d == total)), rel=1e-12)
        assert row["at_most"] == pytest.approx(float(sum(p for (d, _, _), p in joint.items() if d <= total)), rel=1e-12)
        assert row["at_least"] == pytest.approx(float(sum(p for (d, _, _), p in joint.items() if d >= total)), rel=1e-12)
        assert row["at_least_together"] == pytest.approx(float(sum(p for (d, _, c), p in joint.items() if d >= total and c)), rel=1e-12)
    assert set(found.index) == {d for d, _, _ in joint}


@pytest.mark.parametrize(("rider", "place"), [("hit", 1), ("crit", 2)])
def test_riders_are_joint(rider, place):
    joint, _ = enumerated()
    (row,) = analyzer.distribution(axe(), 15, at_least=[0, 5, 9], together_with=rider).to_dict("records")
    for least in (0, 5, 9):
        wanted = sum(p for key, p in joint.items() if key[0] >= least and key[place])
        assert row[f"at_least_{least}_together"] == pytest.approx(float(wanted), rel=1e-12)
    assert row["together_with"] == rider


def test_riders_over_rounds():
    """At least one critical in three rounds, by going through every three."""
    joint, _ = enumerated()
    flat = {}
    for (d, _, c), p in joint.items():
        flat[d, c > 0] = flat.get((d, c > 0), Fraction(0)) + p
    wanted = Fraction(0)
    for trio in product(flat.items(), repeat=3):
        if sum(d for (d, _), _ in trio) >= 12 and any(c for (_, c), _ in trio):
            wanted += trio[0][1] * trio[1][1] * trio[2][1]
    (row,) = analyzer.distribution(axe(), 15, rounds=3, at_least=12, together_with="crit").to_dict("records")
    assert row["at_least_12_together"] == pytest.approx(float(wanted), rel=1e-12)


def test_attacks_are_their_enumeration():
    _, one = enumerated()
    found = analyzer.distribution(axe(), 15, by="attack-total")
    assert found[["round", "attack"]].drop_duplicates().to_numpy().tolist() == [[1, 1], [1, 2]]
    for attack, listed in enumerate(one, 1):
        rows = found[found["attack"] == attack].set_index("total")["chance"]
        for total in rows.index:
            assert rows[total] == pytest.approx(float(sum(p for p, d, _, _ in listed if d == total)), rel=1e-12)


def test_an_attack_that_depends_on_the_first():
    first, second = analyzer.distribution(sneak(), 16, by="attack").to_dict("records")
    # 0.6 hit, 0.05 critical; the second has the extra dice only when the first missed.
    assert first["mean"] == pytest.approx(0.6 * (6.5 + 10.5) + 0.05 * (9 + 21), rel=1e-12)
    assert second["mean"] == pytest.approx(0.6 * 6.5 + 0.05 * 9 + 0.35 * (0.6 * 10.5 + 0.05 * 21), rel=1e-12)


def test_summary_is_what_the_totals_say():
    totals = analyzer.distribution(axe(), 15, by="total", rounds=2)
    (row,) = analyzer.distribution(axe(), 15, rounds=2, observed=6).to_dict("records")
    p, total = totals["chance"].to_numpy(), totals["total"].to_numpy()
    assert row["mean"] == pytest.approx(p @ total, rel=1e-12)
    assert row["sd"] == pytest.approx(np.sqrt(p @ (total - p @ total) ** 2), rel=1e-12)
    for share in (5, 25, 50, 75, 95):
        assert row[f"q{share}"] == total[np.argmax(totals["at_most"] >= share / 100)]
    assert row["observed_at_most"] == pytest.approx(p[total <= 6].sum(), rel=1e-12)
    assert row["observed_at_least"] == pytest.approx(p[total >= 6].sum(), rel=1e-12)


def test_rounds_are_convolved_as_listed():
    def pmf(build, **keys):
        found = analyzer.distribution(build, 15, by="total", **keys)
        return np.bincount(found["total"], weights=found["chance"])

    plain, opening = pmf(axe()), pmf(axe().but(attack=(11,), damage="2d4+2", name="opening"))
    listed = axe(rounds=[{"attack": "+11", "damage": "2d4+2"}, {}])
    np.testing.assert_allclose(pmf(listed, rounds=1), opening, rtol=1e-12)
    np.testing.assert_allclose(pmf(listed, rounds=3), np.convolve(opening, np.convolve(plain, plain)), rtol=1e-11)
    by_attack = analyzer.distribution(listed, 15, by="attack", rounds=5)
    assert by_attack[["round", "attack"]].to_numpy().tolist() == [[1, 1], [2, 1], [2, 2]]


@settings(max_examples=25, deadline=None)
@given(bonus=st.integers(0, 12), rounds=st.integers(1, 6), least=st.integers(0, 40))
def test_laws(bonus, rounds, least):
    build = analyzer.statblock([bonus, bonus - 5], "1d6+1", critical="19-20/x2", name="x")
    derived = build.derive()
    found = over_rounds([joint_totals(derived.plan, derived.target, (15,), "crit")], rounds)
    assert found.whole.sum() == pytest.approx(1, abs=1e-12)
    assert found.together.sum() == pytest.approx(1 - (1 - joint_totals(derived.plan, derived.target, (15,), "crit").together.sum()) ** rounds, rel=1e-11)
    assert (found.together <= found.whole).all()
    assert found.together[:, least:].sum() <= found.whole[:, least:].sum()


def test_nothing_is_lost_by_squaring():
    one = Split(np.array([[0.5, 0.2]]), np.array([[0.0, 0.1, 0.2]]))
    five = over_rounds([one], 5)
    slow = one
    for _ in range(4):
        slow = slow.then(one)
    np.testing.assert_allclose(five.together, slow.together, rtol=1e-13)


def test_a_table_of_creatures_is_weighed():
    answer = analyzer.distribution(axe(), against=TABLE, at_least=5)
    every, rat, knight = answer.to_dict("records")
    for name in ("mean", "no_damage", "at_least_5"):
        assert every[name] == pytest.approx(0.75 * rat[name] + 0.25 * knight[name], rel=1e-12)
    assert every["sd"] > 0.75 * rat["sd"] + 0.25 * knight["sd"]
    totals = analyzer.distribution(axe(), against=TABLE, by="total").groupby("against")["chance"].sum()
    np.testing.assert_allclose(totals, 1, rtol=1e-12)


@pytest.mark.parametrize(
    "keys",
    [
        {"ac": "14:16", "at_least": [4, 8], "together_with": "hit", "observed": 3},
        {"ac": 15, "by": "total", "rounds": 3, "together_with": "crit"},
        {"ac": 15, "by": "attack", "at_least": 3, "together_with": "crit"},
        {"against": TABLE, "at_least": [4], "rounds": 2},
    ],
)
def test_the_twin_agrees(keys):
    answer = analyzer.distribution(axe(rounds=[{"attack": "+11"}, {}]), **keys, simulate=True, trials=100_000, seed=11)
    assert answer.verdict.agree
    assert answer.verdict.judged >= 4
    assert not [name for name in answer if name.endswith("_mc") and f"{name[:-3]}_se" not in answer]


def test_effects_are_riders():
    """The kernel tells degrees; which variant of an attack was made, and its effect, follows from them."""
    scenario = analyzer.example("starfinder-soldier")
    answer = analyzer.distribution(scenario, at_least=[0, 20], together_with="burn", simulate=True, trials=100_000, seed=3)
    assert answer.verdict.agree
    curve = analyzer.curve(scenario, sorted(set(answer["ac"])))
    for row in answer.to_dict("records"):
        (burn,) = curve[(curve["build"] == row["build"]) & (curve["ac"] == row["ac"])]["any_burn"].fillna(0.0)
        assert row["at_least_0_together"] == pytest.approx(burn, rel=1e-12)
    assert (answer["at_least_0_together"] > 0).any()


@pytest.mark.parametrize("which", ["without", "together"])
def test_a_wrong_figure_is_noticed(which, monkeypatch):
    def wrong(*given):
        found = joint_totals(*given)
        one = {"without": found.without, "together": found.together}
        one[which] = np.roll(one[which], 1, axis=1)
        return Split(**one)

    monkeypatch.setattr(spreads, "joint_totals", wrong)
    answer = analyzer.distribution(axe(), 15, at_least=5, together_with="crit", simulate=True, trials=100_000, seed=2)
    assert not answer.verdict.agree


def test_luck_is_told():
    (poor,) = analyzer.distribution(axe(), 10, rounds=5, observed=5).notes
    (rich,) = analyzer.distribution(axe(), 10, rounds=5, observed=60).notes
    (plain,) = analyzer.distribution(axe(), 10, rounds=5, observed=26).notes
    assert "5 points are bad luck" in poor
    assert "of all runs of 5 rounds deal that or less" in poor
    assert "60 points are good luck" in rich
    assert "26 points are nothing unusual" in plain


@pytest.mark.parametrize(("observed", "known"), [(999, False), (3, False), (0, True), (6, True)])
def test_a_total_that_cannot_come_up_is_no_luck(observed, known):
    """The axe deals nothing, or 4 at least."""
    one = analyzer.statblock("+5", "1d6+3", critical="none", name="axe", system="srd35")
    (note,) = analyzer.distribution(one, 15, observed=observed).notes
    assert ("cannot come up: the totals of rounds are 0 to 9" in note) is not known
    assert ("luck" in note or "nothing unusual" in note) is known


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"by": "turn"}, "by must be one of 'summary', 'total', 'attack', 'attack-total'; got 'turn'"),
        ({"together_with": "burn"}, "together_with must be one of hit, crit; got 'burn'"),
        ({"at_least": [3, -1]}, "at_least must be a whole number from 0 to 1048576; got -1"),
        ({"observed": "many"}, "observed must be a whole number from 0 to 1048576; got 'many'"),
        ({"rounds": 1001}, "rounds must be a whole number from 1 to 1000; got 1001"),
    ],
)
def test_errors(keys, words):
    with pytest.raises(ValueError, match="must be") as caught:
        analyzer.distribution(axe(), 15, **keys)
    assert words in str(caught.value)


def test_too_many_totals_are_refused():
    with pytest.raises(ValueError, match="rounds must be few enough for at most 131072 totals; got 1000 with"):
        analyzer.distribution(analyzer.statblock("+5", "100d6", name="x"), 15, rounds=1000)


def test_an_answer_can_be_pickled():
    """With the totals that its figure draws."""
    answer = analyzer.distribution(axe(), "10:20", simulate=True, trials=100, seed=1)
    again = pickle.loads(pickle.dumps(answer))
    assert again.equals(answer)
    assert len(again.figure().axes) == 6


def test_the_command(tmp_path):
    run = CliRunner()
    picture, table = tmp_path / "x.png", tmp_path / "foes.csv"
    shown = run.invoke(app, ["distribution", "--at-least", "30", "--at-least", "60", "--together-with", "crit", "--observed", "12", "--plot", str(picture)])
    assert shown.exit_code == 0, shown.output
    for words in ("at least 30", "at least 60 together", "12 points are bad luck"):
        assert words in shown.output
    assert picture.stat().st_size > 10_000
    records = json.loads(run.invoke(app, ["distribution", "d20-builds", "--by", "total", "--format", "json"]).stdout)
    assert set(records[0]) == {"system", "build", "ac", "rounds", "total", "chance", "at_most", "at_least"}
    table.write_text("name,ac\nrat,11\nox,14\n", encoding="utf-8")
    rows = pd.read_csv(io.StringIO(run.invoke(app, ["distribution", "d20-builds", "--against", str(table), "--format", "csv"]).stdout))
    assert rows["against"].tolist() == ["all, weighted", "rat", "ox"] * 2
    simulated = run.invoke(app, ["distribution", "d20-builds", "--simulate", "--trials", "20000", "--seed", "3"])
    assert simulated.exit_code == 0, simulated.output
    assert "simulated" in simulated.output


def test_columns_that_do_not_fit_are_left_out_from_the_end():
    asked = [
        "distribution",
        "d20-builds",
        "--simulate",
        "--trials",
        "1000",
        "--seed",
        "3",
        *(word for x in range(20, 60, 5) for word in ("--at-least", str(x))),
    ]
    shown = CliRunner().invoke(app, asked)
    head = next(line for line in shown.output.splitlines() if "mean" in line)
    assert "at least 20" in head
    assert "no damage" not in head
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown.output


@pytest.mark.parametrize("number", [1, 8])
@pytest.mark.parametrize(("keys", "columns"), [({"ac": 20}, 1), ({"ac": "10:30"}, 3), ({"ac": 20, "by": "attack"}, 2), ({"against": TABLE, "by": "total"}, 3)])
def test_the_figure(number, keys, columns):
    builds = [analyzer.statblock([12 + i, 7], "1d8+5", name=f"build {i}") for i in range(number)]
    figure = analyzer.distribution(builds, **keys).figure()
    figure.canvas.draw()
    assert len(figure.axes) == 2 * columns


@pytest.mark.parametrize("by", ["summary", "total"])
def test_the_figure_marks_what_was_asked(by):
    figure = analyzer.distribution(axe(), 15, at_least=[5, 9000], observed=6, by=by).figure()
    chance = analyzer.distribution(axe(), 15, at_least=5)["at_least_5"].iloc[0]
    for panel in figure.axes:
        assert {4.5, 6.0} <= {float(line.get_xdata()[0]) for line in panel.get_lines()}
    written = [text.get_text() for text in figure.axes[1].texts]
    assert written == [f"at least 5: {100 * chance:.3g} %", "6 observed", "at least 9000: 0 % \N{RIGHTWARDS ARROW}"]
    plain = analyzer.distribution(axe(), 15, by=by).figure()
    assert not plain.axes[1].texts


def test_a_mark_beyond_the_drawn_totals_is_still_drawn():
    one = analyzer.statblock("+5", "1d6+3", critical="none", name="axe", system="srd35")
    plain = analyzer.distribution(one, 35, rounds=8).figure().axes[1].get_xlim()[1]
    marked = analyzer.distribution(one, 35, rounds=8, at_least=70).figure().axes[1].get_xlim()[1]
    assert plain < 70 < marked


def test_the_figure_says_how_many_it_leaves_out():
    titles = [panel.get_title("left") for panel in analyzer.distribution(axe(), "10:20").figure().axes]
    assert titles[0].startswith("3 of 11 armor classes")
    assert titles[1:3] == ["AC 15", "AC 20"]
    whole = analyzer.distribution(axe(), "10:12").figure()
    assert whole.axes[0].get_title("left") == "AC 10"
    named = analyzer.distribution(axe(), "10:20", by="total").figure().axes[0].get_title("left")
    assert named == titles[0]
    assert analyzer.distribution(axe(), against=[*TABLE, {"name": "bat", "ac": 20}]).figure().axes[0].get_title("left").startswith("3 of 4 targets")


def test_notes_are_of_columns_that_are_there():
    run = CliRunner()
    assert "the least total that so many do not exceed" in run.invoke(app, ["distribution"]).stdout
    assert "the least total" not in run.invoke(app, ["distribution", "--by", "attack-total"]).stdout
