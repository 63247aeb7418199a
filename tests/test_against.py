"""Curve and compare before tables of creatures and over levels, and paired differences."""

import csv
import io
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, compare, curve, example, examples, loads, statblock
from analyzer.analyses.compare import comparison
from analyzer.asking.seats import seats
from analyzer.cli import app
from analyzer.montecarlo import paired, paired_sides
from analyzer.montecarlo.ledger import Ledger
from analyzer.plan import sweep
from analyzer.workings.meetings import meetings, simulated

FOES = [
    {"name": "orc", "ac": 13, "hp": "2d8+4", "weight": 3},
    {"name": "ogre", "ac": 16, "dr": 3, "weight": 2},
    {"name": "ghost", "ac": 16, "miss_chance": 50, "weight": 0},
    {"name": "knight", "ac": 24, "dr": 5, "immune": "critical", "weight": 1},
]
SHARES = {"orc": 3 / 6, "ogre": 2 / 6, "ghost": 0.0, "knight": 1 / 6}
KEYS = {"ogre": {"reduction": {"physical": 3}}, "ghost": {"miss_chance": 50}, "knight": {"reduction": {"physical": 5}, "immune": ["critical"]}, "orc": {}}
MEANS = ["dpr", "hits", "crits", "any_hit", "any_crit", "no_damage"]


@pytest.fixture
def duel():
    return [
        statblock("+9/+4", "2d6+6", critical="19-20/x2", name="sword", system="srd35"),
        statblock("+10", "1d12+9", critical="x3", extra=["1d6 fire"], name="axe", system="srd35"),
    ]


def run(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


# -- exact ---------------------------------------------------------------------------------------------------------------------------------------------


def test_a_creature_is_the_target_it_says(duel):
    found = curve(duel, against=FOES)
    assert list(dict.fromkeys(found["against"])) == ["all, weighted", "orc", "ogre", "ghost", "knight"]
    assert list(found)[:5] == ["system", "build", "against", "ac", "dpr"]
    for foe in FOES:
        alone = curve(duel, foe["ac"], target=KEYS[foe["name"]])
        rows = found[found["against"] == foe["name"]].reset_index(drop=True)
        for name in ("ac", "sd", *MEANS):
            assert rows[name].to_numpy() == pytest.approx(alone[name].to_numpy(), rel=1e-12)


def test_the_weighted_answer_is_a_creature_drawn_by_its_weight(duel):
    found = curve(duel, against=FOES)
    pmf = dict(zip(zip(found["build"], found["against"], strict=True), found.pmf, strict=True))
    for build in ("sword", "axe"):
        rows = found[found["build"] == build].set_index("against")
        for name in MEANS:
            assert rows.loc["all, weighted", name] == pytest.approx(sum(share * rows.loc[foe, name] for foe, share in SHARES.items()), rel=1e-12)
        whole = sum(share * pmf[build, foe] for foe, share in SHARES.items())
        assert pmf[build, "all, weighted"] == pytest.approx(whole, rel=1e-12, abs=1e-300)
        totals = np.arange(len(whole))
        mean = whole @ totals
        assert rows.loc["all, weighted", "dpr"] == pytest.approx(mean, rel=1e-12)
        assert rows.loc["all, weighted", "sd"] == pytest.approx(np.sqrt(whole @ (totals - mean) ** 2), rel=1e-12)


def test_by_attack(duel):
    found = curve(duel, against=FOES, by="attack")
    sword = found[(found["build"] == "sword") & (found["attack"] == 2)].set_index("against")
    assert set(sword["bonus"]) == {4}
    for name in ("hit_chance", "threat_chance", "crit_chance", "mean"):
        assert sword.loc["all, weighted", name] == pytest.approx(sum(share * sword.loc[foe, name] for foe, share in SHARES.items()), rel=1e-12)
    means = found.groupby(["build", "against"])["mean"].sum()
    dpr = curve(duel, against=FOES).set_index(["build", "against"])["dpr"]
    assert means[dpr.index].to_numpy() == pytest.approx(dpr.to_numpy(), rel=1e-12)


def test_a_bonus_that_differs_by_creature_is_none_for_all_of_them():
    build = loads(
        'system = "srd35"\n[[build]]\nname = "bow"\nbab = 6\nabilities = { dexterity = 18 }\n'
        'weapon = { name = "longbow", damage = "1d8 piercing", kind = "ranged", range = 100 }\n'
    )
    found = curve(build, against=[{"name": "near", "ac": 15, "distance": 50}, {"name": "far", "ac": 15, "distance": 250}], by="attack")
    first = found[found["attack"] == 1].set_index("against")["bonus"]
    assert first["near"] - first["far"] == 4
    assert np.isnan(first["all, weighted"])


def test_one_creature_is_told_once_by_its_name(duel):
    found = curve(duel, against=FOES[:1])
    assert found["against"].tolist() == ["orc", "orc"]
    assert len(found.pmf) == 2


@pytest.mark.parametrize("name", ["d20-builds", "core-duel", "starfinder-soldier", "srd35-warriors", "pathfinder1-hunters", "nwn-duelists", "dnd5e-martials"])
def test_every_game(name):
    foes = [{"name": "a", "ac": 15, "weight": 2}, {"name": "b", "ac": 22}]
    if name == "pathfinder1-hunters":
        foes = [foe | {"distance": 30} for foe in foes]
    found = compare(example(name), against=foes, trials=100_000, seed=3)
    assert found.verdict.agree
    assert isinstance(found.figure(), Figure)


# -- simulated -----------------------------------------------------------------------------------------------------------------------------------------


def test_simulated_beside_exact(duel):
    found = compare(duel, against=FOES, trials=100_000, seed=5)
    assert found.verdict.agree
    assert found.verdict.tests == 2 * 5 * 6 + 2 * 4
    exact = curve(duel, against=FOES)
    assert found[list(exact)].equals(exact[list(exact)])
    rows = found[found["build"] == "axe"].set_index("against")
    for name in MEANS:
        parts = [(share, rows.loc[foe]) for foe, share in SHARES.items()]
        assert rows.loc["all, weighted", f"{name}_mc"] == pytest.approx(sum(share * row[f"{name}_mc"] for share, row in parts), rel=1e-12)
        error = np.sqrt(sum((share * np.nan_to_num(row[f"{name}_se"])) ** 2 for share, row in parts))
        assert rows.loc["all, weighted", f"{name}_se"] == pytest.approx(error, rel=1e-12)
    assert (found.filter(like="_z").abs().max() < 6).all()
    assert comparison(duel, against=FOES, trials=100_000, seed=5, by="attack").verdict.agree
    assert len({compare(duel, against=FOES, trials=2000, seed=5, workers=workers).to_json() for workers in (1, 2)}) == 1


def test_a_planted_wrong_creature_is_found(duel, monkeypatch):
    """An ogre whose armor class the exact engine takes for a point lower."""
    met = meetings(duel, FOES)
    honest = simulated(met, trials=100_000, seed=1)
    wrong = meetings(duel, [{**FOES[0], "ac": 12}, *FOES[1:]])
    tallied = [
        replace(meeting, met=tuple(replace(one, tally=seen.tally) for one, seen in zip(meeting.met, true.met, strict=True)))
        for meeting, true in zip(wrong, honest, strict=True)
    ]
    names = [figure.name for meeting in tallied for figure in meeting.figures(rounds=True, attacks=True) if figure.p is not None and figure.p < 1e-9]
    assert "dpr of sword, orc" in names
    assert "dpr of sword, all, weighted" in names
    assert not [name for name in names if "ogre" in name]


def test_precision_before_creatures(duel):
    found = compare(duel, against=FOES, precision=0.1, confidence=0.9, seed=2)
    single = found[found["against"] != "all, weighted"]
    assert ((single["dpr_high"] - single["dpr_low"]) / 2 <= 0.1).all()
    assert single["trials"].min() >= 65_536
    assert found[found["against"] == "all, weighted"]["dpr_low"].isna().all()


def test_interrupted_in_the_second_creature(duel, caplog):
    played = []

    def stop(trials):
        played.append(trials)
        if sum(played) > 2 * 300_000 + 100_000:
            raise KeyboardInterrupt

    found = compare(duel, against=FOES, trials=300_000, seed=2, progress=stop)
    assert found.partial
    assert "all, weighted" not in set(found["against"])
    assert "orc" in set(found["against"])
    assert "Interrupted" in caplog.text


def test_interrupted_before_any_creature(duel, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "take", stop)
    with pytest.raises(KeyboardInterrupt):
        compare(duel, against=FOES, trials=1000, seed=2)


# -- levels --------------------------------------------------------------------------------------------------------------------------------------------


def test_each_build_meets_the_creatures_of_its_level():
    scenario = example("srd35-levels")
    found = curve(scenario, against="srd35-levels.csv")
    foes = list(csv.DictReader(io.StringIO(examples.table("srd35-levels.csv"))))
    for level in (1, 5, 9, 13, 17):
        rows = found[found["level"] == level]
        assert set(rows["against"]) == {"all, weighted", *(foe["name"] for foe in foes if int(foe["level"]) == level)}
        assert set(rows["series"]) == {"fighter", "rogue"}
        assert set(rows["build"]) == {f"fighter (level {level})", f"rogue (level {level})"}
    assert found.notes == ("fighter leads at level 1; rogue leads at level 5-17.",)
    figure = found.figure()
    assert figure.axes[-1].get_xlabel() == "level"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["fighter", "rogue"]
    line = next(line for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 5)
    whole = found[(found["series"] == "fighter") & (found["against"] == "all, weighted")]
    assert list(line.get_ydata()) == whole["dpr"].tolist()
    assert list(line.get_xdata()) == [1, 5, 9, 13, 17]


def test_levels_simulated():
    found = compare(example("srd35-levels"), against="srd35-levels.csv", trials=100_000, seed=1)
    assert found.verdict.agree
    assert len(found.figure().axes) == 3


def test_levels_in_a_table_without_them():
    found = curve(example("srd35-levels"), against=[{"name": "dummy", "ac": 20}])
    assert found["against"].unique().tolist() == ["dummy"]
    assert found["level"].tolist() == [1, 5, 9, 13, 17] * 2
    assert found.figure().axes[-1].get_xlabel() == "level"


# -- differences ---------------------------------------------------------------------------------------------------------------------------------------


def test_differences_to_the_best(duel):
    acs = "12:25"
    found = compare(duel, acs, differences="best", trials=100_000, seed=3)
    assert found.verdict.agree
    sword, axe = (found[found["build"] == name].reset_index(drop=True) for name in ("sword", "axe"))
    assert set(sword["than"]) == {"axe"}
    assert sword["difference"].to_numpy() == pytest.approx((sword["dpr"] - axe["dpr"]).to_numpy(), rel=1e-12)
    assert sword["difference_mc"].to_numpy() == pytest.approx((sword["dpr_mc"] - axe["dpr_mc"]).to_numpy(), abs=1e-9)
    assert (sword["difference_se"] == axe["difference_se"]).all()
    assert (sword["difference_se"] < np.hypot(sword["dpr_se"], axe["dpr_se"])).all()
    assert sword["difference_z"].to_numpy() == pytest.approx(((sword["difference_mc"] - sword["difference"]) / sword["difference_se"]).to_numpy())
    plain = compare(duel, acs, trials=100_000, seed=3)
    assert found[list(plain)].equals(plain[list(plain)])
    assert found.verdict.tests == plain.verdict.tests + 28
    assert compare(duel, acs, differences=True, trials=1000, seed=3).equals(compare(duel, acs, differences="best", trials=1000, seed=3))


def test_differences_to_the_first_and_to_the_ac_before(duel):
    first = compare(duel, "14:16", differences="first", trials=1000, seed=3).to_dict("records")
    assert [row["than"] for row in first][3:] == ["sword"] * 3
    assert not {"sword", "axe"} & {row["than"] for row in first[:3]}
    before = compare(duel, "14:16", differences="previous", trials=100_000, seed=3)
    assert before.verdict.agree
    rows = before[before["build"] == "axe"]
    assert rows["than"].tolist()[1:] == ["AC 14", "AC 15"]
    assert rows[["than", "difference"]].iloc[0].isna().all()
    assert rows["difference"].to_numpy()[1:] == pytest.approx(np.diff(rows["dpr"]), rel=1e-12)
    assert rows["difference_mc"].to_numpy()[1:] == pytest.approx(np.diff(rows["dpr_mc"]), abs=1e-9)
    assert (rows["difference_se"].to_numpy()[1:] < 0.6 * rows["dpr_se"].to_numpy()[1:]).all()


def test_differences_before_creatures(duel):
    found = compare(duel, against=FOES, differences="best", trials=100_000, seed=3)
    assert found.verdict.agree
    sword = found[found["build"] == "sword"].set_index("against")
    parts = [(share, sword.loc[foe]) for foe, share in SHARES.items()]
    assert sword.loc["all, weighted", "difference_mc"] == pytest.approx(sum(share * row["difference_mc"] for share, row in parts), rel=1e-12)
    error = np.sqrt(sum((share * row["difference_se"]) ** 2 for share, row in parts))
    assert sword.loc["all, weighted", "difference_se"] == pytest.approx(error, rel=1e-12)


def test_a_wrong_difference_is_noticed(duel, monkeypatch):
    monkeypatch.setattr("analyzer.workings.differences.difference", lambda one, other: one - other + 0.5)
    found = compare(duel, 16, differences="best", trials=100_000, seed=3)
    assert found.verdict.disagreements[0].startswith("difference of ")


def test_paired_sides_add_up_the_same_for_any_workers(duel):
    sides = []
    for seat in seats(duel, 16):
        faced, ac = seat.before(0)
        sides.append((faced.plan, faced.target.but(ac=tuple(int(d) for d in sweep(faced.plan, faced.target, [ac])[0]))))
    one, two = (paired_sides(sides, [(0, 1), (1, 0)], trials=600_000, seed=9, workers=workers) for workers in (1, 2))
    assert one == two
    assert one[0] == paired(*sides, trials=600_000, seed=9)
    assert (one[0].difference, one[0].apart) == (-one[1].difference, one[1].apart)
    assert paired_sides(sides, [], trials=10, seed=1) == ()


# -- doors ---------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda b: curve(b, 12, against=FOES), "against must be given without ac and target"),
        (lambda b: compare(b, "12:14", against=FOES), "against must be given without ac and target"),
        (lambda b: curve(b, target={"ac": 3}, against=FOES), "against must be given without ac and target"),
        (lambda b: compare(b, 12, differences="worst"), "differences must be one of 'best', 'first', 'previous'; got 'worst'"),
        (lambda b: compare(b[:1], 12, differences="best"), "builds must be two at least for differences to the best; got 1"),
        (lambda b: compare(b, against=FOES, differences="previous"), "differences must be 'best' or 'first' before a table of creatures; got 'previous'"),
        (lambda b: compare(b, 12, differences="best", by="attack"), "by must be 'round' where differences are asked for; got 'attack'"),
        (lambda b: curve(b, against=FOES, by="blow"), "by must be 'round' or 'attack'; got 'blow'"),
        (lambda b: compare(example("srd35-levels"), against="srd35-levels.csv", differences="best"), "builds must be of one level for differences"),
        (lambda b: curve(b, against="srd35-levels.csv"), "level of 'sword' must be one of the table's: 1, 5, 9, 13, 17; got none"),
        (lambda b: curve(b, against="nowhere.csv"), "nowhere.csv: file must exist, or be one of srd35-creatures.csv, "),
        (lambda b: curve(b, against=[{"name": "orc", "armour": 3}]), "armour must be a known column"),
    ],
)
def test_refusals(duel, ask, message):
    with pytest.raises((ValueError, ScenarioError), match=message):
        ask(duel)


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("simulate", [False, True])
def test_figures(n, simulate):
    builds = [statblock(f"+{5 + i}", "1d8+3", name=f"build {i}", system="srd35") for i in range(n)]
    found = compare(builds, against=FOES, trials=500, seed=1) if simulate else curve(builds, against=FOES)
    figure = found.figure()
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["all, weighted", "orc, AC 13", "ogre, AC 16", "ghost, AC 16", "knight, AC 24"]
    assert len(figure.legends[0].get_texts()) == n
    figure.canvas.draw()
    assert isinstance(pickle.loads(pickle.dumps(found))._draw(found), Figure)


def test_a_long_table_says_what_its_figure_leaves_out(duel):
    figure = curve(duel, against=[{"name": f"rat {i}", "ac": 10 + i % 9} for i in range(100)]).figure()
    assert "41 more creatures not shown" in figure.axes[0].get_title("left")


def test_the_notes_of_a_sweep(duel):
    assert curve(duel, "12:14", target={"ac": 13}).notes[-1] == "The target's own AC is 13."
    assert curve(duel, "12:14", target={"ac": 30}).notes == curve(duel, "12:14").notes
    assert len(curve(duel[0], 12).notes) == 0
    assert curve(iter(duel), "12:14").notes == curve(duel, "12:14").notes


def test_the_commands(tmp_path, duel):
    file = tmp_path / "foes.csv"
    file.write_text("name,ac,dr,weight\norc,13,,3\nogre,16,3,1\n", encoding="utf-8")
    table = run("curve", "srd35-weapons", "--against", file)
    assert "all, weighted" in table.stdout
    assert "greatsword leads against all, weighted; orc; ogre." in table.stdout
    assert "* highest DPR before this creature" in table.stdout
    rows = json.loads(run("curve", "srd35-weapons", "--against", file, "--format", "json").stdout)
    assert [row["ac"] for row in rows[:3]] == [None, 13, 16]
    attacks = run("curve", "srd35-weapons", "--against", file, "--by", "attack")
    assert "ogre" in attacks.stdout
    compared = run("compare", "srd35-weapons", "--against", file, "--trials", "2000", "--seed", "1", "--differences", "best", "--plot", tmp_path / "a.png")
    assert "2,000 rounds per build and creature, seed 1" in compared.stderr
    assert "compared with" in compared.stdout
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert "difference_se" in run("compare", "srd35-weapons", "--ac", "12", "--trials", "100", "--differences", "first", "--format", "csv").stdout
    levels = run("curve", "srd35-levels", "--against", "srd35-levels.csv", "--plot", tmp_path / "b.svg")
    assert "fighter leads at level 1; rogue leads at level 5-17." in levels.stdout
    own = run("curve", "srd35-weapons", "--ac", "19:21").stdout
    assert "20 \u2020" in own
    assert "\u2020 the target's own AC" in own
    assert "The target's own AC is 20." in own
    assert "differences must be one of" in run("compare", "srd35-weapons", "--ac", "12", "--differences", "x", code=2).stderr
    assert "against must be given without ac" in run("curve", "srd35-weapons", "--ac", "12", "--against", file, code=2).stderr


# -- shipped tables ------------------------------------------------------------------------------------------------------------------------------------


def test_shipped_tables_are_printed_and_read(tmp_path):
    assert set(examples.tables()) >= {"srd35-creatures.csv", "srd35-levels.csv", "starfinder-creatures.csv"}
    assert not set(examples.tables()) & set(examples.names())
    for name in examples.tables():
        printed = run("examples", name).stdout
        assert printed.startswith("name,")
        (tmp_path / "my.csv").write_text(printed, encoding="utf-8")
        builds = {"srd35-levels.csv": "srd35-levels", "srd35-creatures.csv": "srd35-weapons", "starfinder-creatures.csv": "starfinder-soldier"}[name]
        assert curve(example(builds), against=tmp_path / "my.csv").equals(curve(example(builds), against=name))
    assert "Tables of creatures, for --against: srd35-creatures.csv" in run("examples").stderr
    assert "table of creatures must be one of" in run("examples", "orcs.csv", code=2).stderr


def test_a_file_of_a_shipped_tables_name_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "srd35-creatures.csv").write_text("name,ac\nmine,12\n", encoding="utf-8")
    assert curve(example("srd35-weapons"), against="srd35-creatures.csv")["against"].unique().tolist() == ["mine"]


def test_starfinder_creatures_have_two_defences():
    found = curve(example("starfinder-soldier"), against="starfinder-creatures.csv")
    walker = found[found["against"] == "siege walker"].set_index("build")["ac"]
    assert walker["laser rifle"] == 19
    assert walker["rifle and pistol, full attack"] == 21


def test_every_question_about_one_round_says_that_it_plays_builds_as_they_stand():
    lancer = loads('system = "srd35"\n[target]\nac = 18\n[[build]]\nname = "lancer"\nattack = "+8"\ndamage = "1d8"\nrounds = [{ attack = "+10" }, {}]\n')
    told = "plays lancer as it stands, not its listed rounds"
    for answer in (curve(lancer), analyzer.compare(lancer, 18, trials=1000, seed=1), analyzer.grid(lancer), curve(lancer, against=FOES)):
        assert told in answer.notes
    for answer in (analyzer.kill(lancer, hp=20), analyzer.distribution(lancer)):
        assert told not in answer.notes
