"""Crossovers: every flip of a ranking, ties by name, and the cases that people published."""

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, example, statblock
from analyzer.cli import app
from analyzer.exact import evaluate, reach
from analyzer.playing import own_acs
from analyzer.workings import differences
from analyzer.workings.leads import TIE, best_other, difference, flips, leading, stretches, sweep_note, table_note
from tests.plans import CASES
from tests.test_exact import plans, targets

PUBLISHED = {case["id"]: case for case in json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))}
FOES = [{"name": "orc", "ac": 11, "weight": 3}, {"name": "ogre", "ac": 16, "dr": 2, "weight": 2}, {"name": "wisp", "ac": 31}]


def two_swords(first=8, second=8):
    return statblock(
        None,
        None,
        weapons=[
            {"name": "long", "attack": f"+{first}", "damage": "1d8+2", "critical": "19-20/x2"},
            {"name": "short", "attack": f"+{second}", "damage": "1d6+1", "critical": "19-20/x2"},
        ],
        name="pair",
        system="srd35",
    )


def one_sword(**keys):
    return statblock("+10", "2d6+3", critical="19-20/x2", name="great", system="srd35", **keys)


def many(n):
    return [statblock(f"+{4 + 2 * i}", f"{9 - i}d6", name=f"build {i}", system="srd35") for i in range(n)]


def mean_by_faces(bonus, dice, flat, ac, threat=19, multiplier=2):
    """Mean damage of a 3.5 attack, face by face in fractions."""
    total = Fraction(0)
    damage = sum((Fraction(sides + 1, 2) for sides in dice), Fraction(flat))
    meets = [face == 20 or (face != 1 and face + bonus >= ac) for face in range(1, 21)]
    confirmed = Fraction(sum(meets), 20)
    for face, hit in enumerate(meets, 1):
        if hit:
            rolls = 1 + (multiplier - 1) * confirmed if face >= threat else 1
            total += Fraction(1, 20) * rolls * damage
    return total


# -- the golden case -----------------------------------------------------------------------------------------------------------------------------------


def test_the_pair_wins_on_both_sides():
    found = analyzer.crossovers([one_sword(), two_swords()])
    told = found[["build", "from_ac", "to_ac"]].astype(object).where(found[["build", "from_ac", "to_ac"]].notna(), None).to_numpy().tolist()
    assert told == [["pair", None, 11], ["great", 12, 29], ["pair", 30, None]]
    assert found.notes == ("pair leads at AC 11 and below, 30 and above; great leads at AC 12-29.",)
    assert found["tied"].isna().all()
    case = PUBLISHED["D01"]["exact"]
    assert (case["pair_wins_at_low_ac_up_to"], case["pair_wins_again_from_ac"]) == ("11", "30")


@pytest.mark.parametrize("ac", [10, 11, 12, 20, 28, 29, 30])
def test_the_published_figures(ac):
    exact = PUBLISHED["D01"]["exact"]
    found = analyzer.crossovers([one_sword(), two_swords()], ac, by="ac").set_index("build")["dpr"]
    assert found["great"] == pytest.approx(float(Fraction(exact[f"ac{ac}_two_hand"])), rel=1e-12)
    assert found["pair"] == pytest.approx(float(Fraction(exact[f"ac{ac}_pair"])), rel=1e-12)


def test_every_flip_is_that_of_fractions():
    """The same race in fractions, attack by attack and face by face."""
    acs = range(-5, 46)
    great = [mean_by_faces(10, [6, 6], 3, ac) for ac in acs]
    pair = [mean_by_faces(8, [8], 2, ac) + mean_by_faces(8, [6], 1, ac) for ac in acs]
    found = analyzer.crossovers([one_sword(), two_swords()], acs, by="ac")
    rows = found[found["build"] == "great"]
    assert rows["ac"].tolist() == list(acs)
    for place, apart, a, b in zip(rows["place"], rows["difference"], great, pair, strict=True):
        assert place == (1 if a >= b else 2)
        assert apart == pytest.approx(float(a - b), rel=1e-9, abs=1e-12)
    for row in analyzer.crossovers([one_sword(), two_swords()]).to_dict("records"):
        low = -5 if np.isnan(row["from_ac"]) else int(row["from_ac"])
        high = 45 if np.isnan(row["to_ac"]) else int(row["to_ac"])
        leads = [(b - a if row["build"] == "pair" else a - b, ac) for ac, a, b in zip(acs, great, pair, strict=True) if low <= ac <= high]
        assert all(lead > 0 for lead, _ in leads)
        assert row["least"] == pytest.approx(float(min(leads)[0]), rel=1e-9)
        assert row["most"] == pytest.approx(float(max(leads)[0]), rel=1e-9)
        assert {ac: lead for lead, ac in leads}[int(row["most_ac"])] == max(leads)[0]


@pytest.mark.parametrize("block", PUBLISHED["B18"]["input"]["blocks"], ids=lambda block: block["prefix"])
def test_published_ties_of_flat_bonuses(block):
    """Falchion against other weapons at equal bonuses: a tie by name at the published one, the falchion ahead one point later."""
    exact, a, b = PUBLISHED["B18"]["exact"], block["params"]["a"], block["params"]["b"]
    tie = int(exact[f"{block['prefix']}tie_x"])
    for flat, leaders in ((tie - 1, "b"), (tie, "a and b"), (tie + 1, "a")):
        builds = [
            statblock("+20", f"{one['dice'][0][0]}d{one['dice'][0][1]}+{flat}", critical=f"{one['threat']}-20/x{one['mult']}", name=name, system="srd35")
            for name, one in (("a", a), ("b", b))
        ]
        found = analyzer.crossovers(builds, "2:24" if min(a["threat"], b["threat"]) > 15 else "2:21")
        assert found.notes[0].startswith(f"{leaders} ")
        assert found["build"].tolist() == [leaders[0]]
        assert found["tied"].tolist() == (["b"] if leaders == "a and b" else [None])
        if leaders == "a and b":
            assert found["least"].isna().all()


def test_great_weapon_master_pays_at_both_ends():
    """Case J06, by its own formulas: -5/+10 on 1d12+3 at +5 pays at AC 16 and below, and again from AC 24."""
    builds = [
        statblock("+5", "1d12+3", critical="none", name="off", system="dnd5e"),
        statblock("+0", "1d12+13", critical="none", name="on", system="dnd5e"),
    ]
    rows = analyzer.crossovers(builds, by="leader").to_dict("records")
    assert [row["build"] for row in rows] == ["on", "off", "on"]
    assert (rows[0]["to_ac"], rows[2]["from_ac"]) == (16.0, 24.0)


# -- leads ---------------------------------------------------------------------------------------------------------------------------------------------


def test_ties_are_rounding_only():
    values = np.array([[1.0, 1.0, 0.0, 3.0], [1.0 + 1e-15, 1.0 + 1e-9, 0.0, 2.0]])
    assert leading(values).tolist() == [[True, False, True, True], [True, True, True, False]]
    assert difference(1.0, 1.0 + 1e-15) == 0.0
    assert difference(1.0 + 1e-9, 1.0) == pytest.approx(1e-9)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=9, max_size=9), min_size=2, max_size=5))
def test_stretches_cover_all_and_are_right(rows):
    values = np.array(rows, dtype=float)
    found = stretches(values)
    assert [place for one in found for place in range(one.first, one.last + 1)] == list(range(9))
    for one in found:
        for place in range(one.first, one.last + 1):
            assert one.leaders == tuple(np.flatnonzero(values[:, place] == values[:, place].max()))
    assert all(a.leaders != b.leaders for a, b in pairwise(found))
    assert all(values[best_other(values)[i, k], k] == max(values[j, k] for j in range(len(rows)) if j != i) for i in range(len(rows)) for k in range(9))
    marks = flips(found, range(9))
    assert list(marks) == sorted(set(marks))
    assert (not marks) == (len(found) == 1)


def test_where_flips_are_marked():
    places = [10, 11, 12, 14]
    between = stretches(np.array([[2.0, 2.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0]]))
    assert flips(between, places) == (11.5,)
    on_a_tie = stretches(np.array([[2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0]]))
    assert flips(on_a_tie, places) == (11.0,)
    long_tie = stretches(np.array([[2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 2.0]]))
    assert flips(long_tie, places) == (10.5, 13.0)
    ends_tied = stretches(np.array([[2.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0]]))
    assert flips(ends_tied, places) == (13.0,)


def test_sentences():
    values = np.array([[2.0, 1.0, 1.0, 3.0], [1.0, 1.0, 2.0, 1.0]])
    assert sweep_note(["a", "b"], values, [-3, -2, -1, 4]) == "a leads at AC -3, 4; a and b tie at AC -2; b leads at AC -1."
    assert sweep_note(["a", "b"], values, [1, 2, 3, 4], "level") == "a leads at level 1, 4; a and b tie at level 2; b leads at level 3."
    assert sweep_note(["a", "b"], values[:, :1], [10], open_ended=True) == "a leads everywhere."
    assert sweep_note(["a", "b"], np.array([[2.0, 2.0], [1.0, 1.0]]), [-3, -2]) == "a leads at AC -3 to -2."
    assert sweep_note(["a"], values[:1], [1, 2, 3, 4]) is None
    assert table_note(["a", "b"], np.ones((2, 9)), [f"c{k}" for k in range(9)]) == "a and b tie against c0; c1; c2; c3; c4; c5; 3 more."
    assert table_note(["a"], values[:1], ["x"] * 4) is None


# -- reach ---------------------------------------------------------------------------------------------------------------------------------------------


def same(plan, target, acs):
    found = evaluate(plan, target, acs, pmf=False)
    return all(np.allclose(row, row[0], rtol=1e-12, atol=0.0) for row in (found.dpr, found.sd, found.hits, found.crits))


@pytest.mark.parametrize("name", CASES)
def test_nothing_changes_beyond_the_reach(name):
    (plan, target), _ = CASES[name]
    found = reach(plan, target)
    if found is None:
        assert same(plan, target, (0, 10, 50))
        return
    low, high = found
    assert same(plan, target, (low - 60, low - 7, low - 1, low))
    assert same(plan, target, (high, high + 1, high + 7, high + 60))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(plans, targets)
def test_nothing_changes_beyond_the_reach_of_any_plan(plan, target):
    found = reach(plan, target)
    if found is not None:
        assert same(plan, target, (found[0] - 50, found[0] - 1, found[0]))
        assert same(plan, target, (found[1], found[1] + 1, found[1] + 50))


def test_the_reach_is_no_wider_than_two_either_way():
    """An attack at +10 needs a 2 to a 20 at AC 12 to 30."""
    made = one_sword().derive()
    low, high = reach(made.plan, made.target)
    assert 9 <= low <= 12
    assert 30 <= high <= 33


# -- the question --------------------------------------------------------------------------------------------------------------------------------------


def test_pairs_and_places():
    scenario = example("srd35-warriors")
    pairs = analyzer.crossovers(scenario, by="pair")
    assert list(dict.fromkeys(pairs["pair"])) == [
        "greatsword, Power Attack 4 / two kukris",
        "greatsword, Power Attack 4 / javelins",
        "two kukris / javelins",
    ]
    by_ac = analyzer.crossovers(scenario, "31:34", by="ac")
    dpr = by_ac.pivot_table(index="ac", columns="build", values="dpr")
    for row in by_ac.to_dict("records"):
        others = dpr.loc[row["ac"]].drop(row["build"])
        assert row["other"] == others.idxmax()
        assert row["difference"] == pytest.approx(row["dpr"] - others.max(), rel=1e-12)
        assert row["place"] == 1 + int((others > row["dpr"]).sum())
    last = pairs[pairs["pair"] == "two kukris / javelins"].to_dict("records")
    assert [row["build"] for row in last] == ["two kukris", "javelins", "two kukris"]
    assert (last[1]["from_ac"], last[1]["to_ac"]) == (33.0, 33.0)


def test_a_sweep_in_any_order_is_told_in_order():
    found = analyzer.crossovers([one_sword(), two_swords()], [30, 12, 11, 29])
    assert found[["build", "from_ac", "to_ac"]].to_numpy().tolist() == [["pair", 11, 11], ["great", 12, 29], ["pair", 30, 30]]


def test_simulated_with_paired_errors():
    found = analyzer.crossovers([one_sword(), two_swords()], "10:31", by="ac", simulate=True, trials=100_000, seed=4)
    assert found.verdict.agree
    assert found.verdict.tests == 2 * 22 * 2
    rows = found[found["build"] == "great"].reset_index(drop=True)
    other = found[found["build"] == "pair"].reset_index(drop=True)
    assert rows["difference_mc"].to_numpy() == pytest.approx((rows["dpr_mc"] - other["dpr_mc"]).to_numpy(), rel=1e-9)
    assert (rows["difference_z"].abs() < 6).all()
    assert (rows["difference_se"] < 0.9 * np.hypot(rows["dpr_se"], other["dpr_se"])).iloc[:15].all()
    told = analyzer.crossovers([one_sword(), two_swords()], simulate=True, trials=20_000, seed=4)
    assert {"least_mc", "least_se", "least_z", "most_mc"} <= set(told)


def test_a_wrong_difference_is_noticed(monkeypatch):
    exact = differences.difference
    assert exact(2.0, 1.0) == 1.0
    monkeypatch.setattr("analyzer.analyses.crossovers.difference", lambda one, other: exact(one, other) + 0.1)
    found = analyzer.crossovers([one_sword(), two_swords()], "15:16", simulate=True, trials=100_000, seed=4)
    assert not found.verdict.agree
    assert any("less" in name for name in found.verdict.disagreements)


def test_against_a_table():
    found = analyzer.crossovers([one_sword(), two_swords()], against=FOES)
    assert found[["build", "against"]].to_numpy().tolist() == [["great", "all, weighted"], ["pair", "orc"], ["great", "ogre"], ["pair", "wisp"]]
    assert found.notes == ("great leads against all, weighted; ogre; pair leads against orc; wisp.",)
    lines = analyzer.crossovers([one_sword(), two_swords()], against=FOES, by="ac")
    great = lines[lines["build"] == "great"].set_index("against")["difference"]
    assert great["all, weighted"] == pytest.approx((3 * great["orc"] + 2 * great["ogre"] + great["wisp"]) / 6, rel=1e-12)
    simulated = analyzer.crossovers([one_sword(), two_swords()], against=FOES, simulate=True, trials=100_000, seed=1)
    assert simulated.verdict.agree
    assert isinstance(simulated.figure(), Figure)


def test_the_targets_own_armor_class():
    assert own_acs(example("srd35-weapons")) == {"greatsword": 20, "longsword and short sword": 20}
    assert own_acs([one_sword()]) == {}
    assert own_acs([one_sword()], {"hp": 30, "reduction": {"physical": 5}}) == {}
    assert own_acs(example("starfinder-soldier"))["laser rifle"] == 18
    assert own_acs(example("starfinder-soldier"))["rifle and pistol, full attack"] == 20


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: analyzer.crossovers([one_sword()]), "builds must be two at least to be compared; got 1"),
        (lambda: analyzer.crossovers(many(9), by="pair"), "builds must be at most 8 to be told in pairs; got 9"),
        (lambda: analyzer.crossovers(many(2), by="flip"), "by must be one of 'leader', 'pair', 'ac'; got 'flip'"),
        (lambda: analyzer.crossovers(many(2), 12, against=FOES), "against must be given without ac and target"),
        (lambda: analyzer.crossovers(example("srd35-levels"), against="srd35-levels.csv"), "builds must be of one level before a table with levels"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


@pytest.mark.parametrize("simulate", [False, True])
@pytest.mark.parametrize("n", [2, 8])
def test_figure(n, simulate):
    figure = analyzer.crossovers(many(n), **({"simulate": True, "trials": 500, "seed": 1} if simulate else {})).figure()
    assert [axes.get_ylabel().partition("\n")[0] for axes in figure.axes] == ["DPR (damage points per round)", "ahead of the best other", "leads"]
    assert len(figure.legends[0].get_texts()) == n
    figure.canvas.draw()


def test_the_figure_marks_flips_and_the_targets_own():
    figure = analyzer.crossovers(example("srd35-weapons")).figure()
    marked = {float(line.get_xdata()[0]) for line in figure.axes[2].get_lines() if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1}
    assert marked == {11.5, 29.5, 20.0}
    curve = analyzer.curve(example("srd35-weapons"), "8:32").figure()
    marked = {float(line.get_xdata()[0]) for line in curve.axes[0].get_lines() if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1}
    assert marked == {11.5, 29.5, 20.0}
    assert "dotted: the lead changes, dashed: the target's own AC (20)" in curve.axes[0].get_title("left")
    sparse = analyzer.crossovers(example("srd35-weapons"), "10,20,40").figure()
    marked = {float(line.get_xdata()[0]) for line in sparse.axes[2].get_lines() if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1}
    assert marked == {15.0, 30.0, 20.0}


def test_the_command(tmp_path):
    run = CliRunner().invoke
    table = run(app, ["crossovers", "srd35-weapons"])
    assert table.exit_code == 0
    assert "longsword and short sword leads at AC 11 and below, 30 and above; greatsword leads at AC 12-29." in table.stdout
    shown = run(app, ["crossovers", "--by", "pair", "--format", "json", "--plot", str(tmp_path / "a.png")])
    assert "playing the example 'srd35-weapons'" in shown.stderr
    rows = json.loads(shown.stdout)
    assert [(row["build"], row["from_ac"], row["to_ac"]) for row in rows] == [
        ("longsword and short sword", None, 11),
        ("greatsword", 12, 29),
        ("longsword and short sword", 30, None),
    ]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert run(app, ["crossovers", "--by", "ac", "--format", "csv", "--ac", "10:11"]).stdout.splitlines()[0].startswith("system,build,ac,place,dpr,")
    against = run(app, ["crossovers", "--against", "srd35-creatures.csv", "--build", "greatsword", "--build", "longsword and short sword"])
    assert "all, weighted" in against.stdout
    wrong = run(app, ["crossovers", "--by", "x"])
    assert wrong.exit_code == 2
    assert "error: --by must be one of 'leader', 'pair', 'ac'; got 'x'" in wrong.stderr


def test_errors_are_the_houses():
    with pytest.raises(ScenarioError, match="file must exist"):
        analyzer.crossovers(many(2), against="nowhere.csv")
    assert TIE < 1e-9


def test_no_end_is_told_where_there_is_none():
    run = CliRunner().invoke
    assert "AC -: no end" in run(app, ["crossovers"]).stdout
    for more in (["--by", "ac"], ["--ac", "10:20"], ["--against", "srd35-creatures.csv"]):
        shown = run(app, ["crossovers", *more])
        assert shown.exit_code == 0, shown.output
        assert "no end" not in shown.stdout
        assert "leads in damage points per round" in shown.stdout


@pytest.mark.parametrize(
    "names",
    [
        [f"a very long descriptive name of build number {i}" for i in range(8)],
        [f"{i}: a very long descriptive name of a build" for i in range(8)],
        [f"the great descriptive name {i} of a build that has one" for i in range(8)],
        ["a very long descriptive name of a build", "a very long descriptive name of a build, hasted", "short"],
    ],
)
def test_long_names_stay_apart(names):
    builds = [statblock(f"+{5 + i}", "1d8+3", name=name, system="srd35") for i, name in enumerate(names)]
    figure = analyzer.crossovers(builds).figure()
    shown = [label.get_text() for label in figure.axes[2].get_yticklabels()]
    assert len(set(shown)) == len(names)
    assert all(len(text) <= 26 for text in shown)


def test_listed_rounds_that_are_not_played_are_said():
    plain, charge = statblock("+5", "1d8", name="plain", system="srd35"), statblock("+5", "2d6", name="lancer", system="srd35", rounds=[{"damage": "4d6"}, {}])
    assert analyzer.crossovers([plain, charge]).notes[-1] == "plays lancer as it stands, not its listed rounds"
    assert len(analyzer.crossovers([plain, plain.but(attack=1)]).notes) == 1
