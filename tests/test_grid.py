"""Grid: every design equal to its build asked alone, the best first, written whole, and quick because bonuses are looked up."""

import csv
import json
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import product
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, curve, grid, loads, statblock
from analyzer.asking.seats import seats
from analyzer.cli import app
from analyzer.examples import example, names
from analyzer.workings.cells import _shifts, chunks
from analyzer.workings.designs import designs, shift

ROWS = [{"name": "ogre", "ac": 16, "dr": 5, "weight": 3}, {"name": "imp", "ac": 20}, {"name": "shade", "ac": 14, "miss_chance": 50}]


@pytest.fixture
def falchion():
    return statblock("+12/+7", "2d4+6", critical="18-20/x2", extra=["1d6 fire"], system="srd35", name="falchion")


def every(builds, ac=None, *, vary=("attack=-2:2", "damage=-4:4"), top=None, **more):
    """All designs as they are numbered, unless some are asked for."""
    return grid(builds, ac, vary=vary, top=top, **more)


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_every_cell_is_that_of_the_build_alone(falchion):
    vary = {"attack": [-3, 0, 4], "damage": ["2d4+6", "1d12+7", 3], "critical": ["18-20/x2", "x4"], "rules.minimum": ["hit", "roll"]}
    answer = every(falchion, "5:30", vary=vary, target={"reduction": {"physical": 5}}, figures="all")
    assert len(answer) == 3 * 3 * 2 * 2 * 26
    for place, (attack, damage, critical, minimum) in enumerate(product(*vary.values())):
        build = falchion.but(attack=attack).but(damage=damage).but(critical=critical, rules={"minimum": minimum}, name="one")
        alone = curve(build, "5:30", target={"reduction": {"physical": 5}})
        rows = answer[answer["design"] == place]
        assert rows["ac"].tolist() == alone["ac"].tolist()
        assert (rows[["attack", "damage", "critical"]].drop_duplicates().to_numpy() == np.array([[attack, damage, critical]], dtype=object)).all()
        for figure in ("dpr", "sd", "hits", "crits", "any_hit", "any_crit", "no_damage"):
            np.testing.assert_allclose(rows[figure], alone[figure], rtol=1e-12, atol=1e-15)
    means = every(falchion, "5:30", vary=vary, target={"reduction": {"physical": 5}})
    np.testing.assert_allclose(means["dpr"], answer["dpr"], rtol=1e-12)


@pytest.mark.parametrize("name", names())
def test_an_attack_shift_is_found_in_every_game_and_right(name):
    """A reaction, an area, a second weapon: where attack bonuses can be shifted they are looked up, and the figures are those of the build itself."""
    scenario = example(name)
    build = scenario.builds[0]
    answer = every(build, "12:16", vary={"attack": [0, -2, 3]}, target=scenario.target)
    for delta in (0, -2, 3):
        alone = curve(build.but(attack=delta, name="x"), "12:16", target=scenario.target)
        np.testing.assert_allclose(answer[answer["attack"] == delta]["dpr"], alone["dpr"], rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-8, 8), min_size=1, max_size=4, unique=True), st.lists(st.integers(-5, 9), min_size=1, max_size=3, unique=True), st.booleans())
def test_any_shifts(attacks, damages, zipped):
    build = statblock("+6/+1", "1d8+3", critical="19-20/x2", name="sword")
    if zipped:
        attacks = (attacks * 3)[: len(damages)]
    answer = every(build, "14:17", vary={"attack": attacks, "damage": damages}, zipped=zipped)
    for place, (attack, damage) in enumerate(zip(attacks, damages, strict=True) if zipped else product(attacks, damages)):
        alone = curve(build.but(attack=attack, damage=damage, name="x"), "14:17")
        np.testing.assert_allclose(answer[answer["design"] == place]["dpr"], alone["dpr"], rtol=1e-12)


def test_only_a_shift_of_every_attack_is_one(falchion):
    plan = falchion.derive().plan
    assert shift(plan, falchion.but(attack=-4).derive().plan) == -4
    assert shift(plan, falchion.but(attack="+13/+7").derive().plan) is None
    assert shift(plan, falchion.but(attack="+12").derive().plan) is None
    assert shift(plan, falchion.but(damage=1).derive().plan) is None
    assert shift(plan, falchion.but(critical="x4").derive().plan) is None
    made = designs(falchion, {"damage": [0, 1], "attack": [0, 1, 2]})
    assert _shifts(made, made.places(), None) == {1: [0, 1, 2]}


def test_shifts_that_do_not_add_up_are_not_taken(falchion):
    """Two keys that both replace the bonuses: alone each is a shift, together the later one wins."""
    made = designs(falchion, {"attack": ["+12/+7", "+14/+9"], "weapons": [None, None]})
    assert made.count == 4
    sheet = loads('system = "srd35"\n[[build]]\nname = "s"\nbab = 6\nabilities = { strength = 18 }\nweapon = { damage = "1d8" }\n').builds[0]
    both = designs(sheet, {"abilities.strength": [18, 20], "bab": [6, 7]})
    answer = every(sheet, 18, vary={"abilities.strength": [18, 20], "bab": [6, 7]})
    for place, (strength, bab) in enumerate(product([18, 20], [6, 7])):
        alone = curve(sheet.but(abilities={"strength": strength}, bab=bab, name="x"), 18)
        assert answer[answer["design"] == place]["dpr"].iloc[0] == pytest.approx(alone["dpr"].iloc[0], rel=1e-12)
    assert both.name([1, 0]) == "abilities.strength +20, bab +6"


def test_the_best_come_first(falchion):
    everything = every(falchion, "15:20", vary={"attack": range(4), "damage": range(4)})
    score = everything.groupby("design")["dpr"].mean().sort_values(ascending=False)
    assert every(falchion, "15:20", vary={"attack": range(4), "damage": range(4)}, top=3)["design"].drop_duplicates().tolist() == score.index[:3].tolist()
    assert len(grid(falchion, 18, vary={"attack": range(4), "damage": range(4)})) == 10
    assert grid(falchion, 18, vary={"attack": "0:3", "damage": "1d6,2"}).equals(grid(falchion, 18, vary=["attack=0:3", "damage=1d6,2"]))
    worst = every(falchion, "15:20", vary={"attack": range(4), "damage": range(4)}, top=2, lowest=True)
    assert worst["design"].drop_duplicates().tolist() == score.index[::-1][:2].tolist()
    steady = every(falchion, 18, vary={"attack": range(4), "damage": range(4)}, top=1, by="no_damage", lowest=True)
    assert steady["attack"].iloc[0] == 3
    assert "no_damage" in steady
    assert "the 1 with the lowest no_damage, the best being falchion: attack +3, damage +0" in steady.notes


def test_several_templates_are_ranked_together(falchion):
    other = falchion.but(damage="1d12+9", name="axe")
    apart = pd.concat([every(build, "15:20", vary={"attack": range(4)}) for build in (falchion, other)])
    pd.testing.assert_frame_equal(every([falchion, other], "15:20", vary={"attack": range(4)}), apart.reset_index(drop=True), check_dtype=False)
    score = apart.groupby(["build", "design"])["dpr"].mean().sort_values(ascending=False)
    best = every([falchion, other], "15:20", vary={"attack": range(4)}, top=3)
    assert list(best[["build", "design"]].drop_duplicates().itertuples(index=False, name=None)) == score.index[:3].tolist()
    simulated = every([falchion, other], 18, vary={"attack": range(4)}, top=3, simulate=True, seed=2)
    assert simulated.verdict.agree
    assert (simulated["dpr_z"].abs() < 5).all()


def test_against_a_table_the_weighted_answer_ranks(falchion):
    vary = {"attack": [0, 2], "damage": ["2d4+6", "1d6+9"]}
    answer = every(falchion, against=ROWS, vary=vary, top=4)
    weighted = answer[answer["against"] == "all, weighted"]
    assert weighted["dpr"].is_monotonic_decreasing
    for place, (attack, damage) in enumerate(product(*vary.values())):
        (seat,) = seats(falchion.but(attack=attack).but(damage=damage, name="x"), None, against=ROWS)
        np.testing.assert_allclose(answer[answer["design"] == place]["dpr"], seat.mixed(seat.gathered(lambda _, one: one.dpr)), rtol=1e-12)


def test_anywhere_the_same(falchion):
    vary = {"attack": range(3), "damage": [f"{n}d6+{k}" for n in (1, 2) for k in range(300)]}
    alone = every(falchion, "15:17", vary=vary)
    with ThreadPoolExecutor(2) as pool:
        pd.testing.assert_frame_equal(every(falchion, "15:17", vary=vary, executor=pool), alone)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        pd.testing.assert_frame_equal(every(falchion, "15:17", vary=vary, executor=pool), alone)


def test_it_tells_how_far_it_has_come(falchion):
    told = []
    every(falchion, "15:17", vary={"attack": range(3), "damage": [f"1d6+{k}" for k in range(600)]}, progress=told.append)
    assert len(told) == 2
    assert sum(told) == 3 * 600 * 3


def test_into_a_file(falchion, tmp_path):
    vary = {"attack": range(3), "damage": ["1d6", 2, "2d6+1"]}
    everything = every(falchion, "15:17", vary=vary)
    answer = every(falchion, "15:17", vary=vary, out=tmp_path / "grid.csv")
    assert len(answer) == 9 * 3
    rows = list(csv.DictReader((tmp_path / "grid.csv").read_text().splitlines()))
    assert sorted(float(row["dpr"]) for row in rows) == sorted(everything["dpr"])
    assert list(rows[0]) == ["system", "build", "design", "what", "attack", "damage", "ac", "dpr"]
    pytest.importorskip("pyarrow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas and pyarrow of different ages warn each other
        every(falchion, "15:17", vary=vary, out=str(tmp_path / "grid.parquet"))
        back = pd.read_parquet(tmp_path / "grid.parquet").sort_values(["design", "ac"], ignore_index=True)
    np.testing.assert_allclose(back["dpr"], everything["dpr"], rtol=1e-12)
    assert back["attack"].dtype == np.int64
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_file_is_written_whole_or_not_at_all(falchion, tmp_path, monkeypatch):
    old = tmp_path / "grid.csv"
    old.write_text("mine")

    def broken(*_, **__):
        yield from ()
        raise ValueError("broken")

    monkeypatch.setattr("analyzer.analyses.grid.chunks", broken)
    with pytest.raises(ValueError, match=r"^broken$"):
        every(falchion, 15, vary={"attack": [1]}, out=old)
    assert old.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["grid.csv"]


def test_it_agrees_with_its_simulation(falchion):
    answer = every(falchion, "18:20", vary={"attack": [0, 2], "damage": [0, 5]}, simulate=True, seed=1, top=3)
    assert answer.verdict.agree
    assert answer.verdict.tests == 9
    assert (answer["dpr_z"].abs() < 4.5).all()
    many = every(falchion, against=ROWS, vary={"attack": [0, 2]}, simulate=True, seed=1)
    assert many.verdict.agree


def test_a_wrong_cell_is_noticed_by_the_simulation(falchion, monkeypatch):
    def wrong(*arguments, **keys):
        for chunk in chunks(*arguments, **keys):
            chunk.figures[0, 0, 0] *= 1.02
            yield chunk

    monkeypatch.setattr("analyzer.analyses.grid.chunks", wrong)
    assert not every(falchion, "18:20", vary={"attack": [0, 2]}, simulate=True, trials=400_000, seed=1).verdict.agree


@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ({}, "vary must be keys with values such as attack=0:5; got none"),
        ({"attack": []}, "vary must be 1 to 100000 values a key; got 0 of attack"),
        ("attack", "vary must be KEY=VALUES such as attack=0:5 or damage=2d6+7,1d12+7; got 'attack'"),
        ({"attack": range(4000), "damage": range(4000)}, "vary must come to at most 10,000,000 designs; got 16,000,000"),
    ],
)
def test_what_cannot_be_varied(falchion, vary, told):
    with pytest.raises(ValueError, match=f"^{told.replace('+', '.').replace('*', '.')}$"):
        every(falchion, vary=vary)


def test_every_wrong_value_is_told(falchion):
    with pytest.raises(ScenarioError) as caught:
        every(falchion, vary=["atack=1,2", "damage=2z6,1d8", "weapon.damage=1d8"])
    assert [problem.partition("; ")[0] for problem in caught.value.problems] == [
        "atack = +1: atack: atack must be a known key",
        "atack = +2: atack: atack must be a known key",
        "damage = 2z6: damage: damage must be dice, then perhaps a type and 'precision', such as '2d6+15' or '3d6 fire precision'",
        "weapon.damage = 1d8: weapon.damage must be a key of the template",
    ]
    with pytest.raises(ValueError, match=r"^vary must be as many values of each key when they are zipped; got 2 of attack, 1 of damage$"):
        every(falchion, vary={"attack": [0, 1], "damage": [0]}, zipped=True)
    with pytest.raises(ValueError, match=r"^out must be a file ending in \.parquet or \.csv; got 'x\.txt'$"):
        every(falchion, out="x.txt")
    with pytest.raises(ValueError, match=r"^top must leave at most 1000 designs to simulate; got 1200$"):
        every(falchion, vary={"damage": range(1200)}, simulate=True, ac=18)


def test_reaching_into_tables():
    scenario = loads('system = "srd35"\n[[build]]\nname = "s"\nbab = 6\nabilities = { strength = 18 }\nweapons = [{ damage = "1d8" }]\n')
    answer = every(scenario, 18, vary={"weapons.0.damage": ["1d8", "2d6"]})
    assert answer["dpr"].is_monotonic_increasing
    for wrong, told in (("weapons.1.damage", "must name an entry from 0 to 0; got '1'"), ("bab.x", "must be a key of a table; got 6 before 'x'")):
        with pytest.raises(ScenarioError, match=told):
            every(scenario, 18, vary={wrong: ["1d8"]})


def test_the_command(tmp_path):
    shown = run("grid", "--ac", "20", "--top", "3")
    assert shown.exit_code == 0, shown.output
    assert "90 designs: 5 values of attack x 9 values of damage for each of 2 builds" in shown.stdout
    records = json.loads(run("grid", "--ac", "20,25", "--vary", "attack=0:2", "--format", "json", "--top", "6").stdout)
    assert sorted(record["attack"] for record in records) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    means = [record["dpr"] + other["dpr"] for record, other in zip(records[::2], records[1::2], strict=True)]
    assert means == sorted(means, reverse=True)
    assert {"system", "build", "design", "what", "attack", "ac", "dpr"} == set(records[0])
    picture = tmp_path / "grid.png"
    assert run("grid", "--plot", picture, "--top", "8", "--workers", "2").exit_code == 0
    assert picture.stat().st_size > 10_000
    refused = run("grid", "--vary", "attack")
    assert refused.exit_code == 2
    assert "vary must be KEY=VALUES" in refused.stderr


@pytest.mark.parametrize("ac", [20, "10:40"])
@pytest.mark.parametrize("count", [1, 8, 20])
def test_the_figure(falchion, ac, count):
    drawing = every(falchion, ac, vary={"damage": range(count)}).figure()
    drawing.canvas.draw()
    assert drawing.axes[0].get_xlabel()
    assert analyzer.grid(falchion, against=ROWS, vary={"damage": range(count)}).figure().axes
