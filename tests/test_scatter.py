"""Scatter: landings, squares, catches and damage of a blast, against a walk over all dice worked from the rule text, and against the dice."""

import json
from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer.cli import app
from analyzer.exact.blast import blast
from analyzer.plan import Area, Ground, PlanError
from analyzer.workings import blasts

GROUP = [{"at": [0, 0]}, {"at": [-1, 0], "reduction": {"fire": 2}}, {"at": [1, 2], "size": 2}]
TARGET = {"distance": 30, "creatures": GROUP}


def grenade(name="grenade", damage="1d6 fire", radius=10, bab=0, **more):
    weapon = {"name": "grenade", "damage": damage, "kind": "grenade", "range": 30, "radius": radius}
    return analyzer.sheet("starfinder", bab=bab, name=name, weapon=weapon | more)


BOMB = grenade()
#: Clockwise from south, where this thrower stands: 1 on the d8 falls short, that is, toward the thrower.
CLOCKWISE = [(0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1)]


def squares_away(x, y):
    """Squares from an intersection to the far corner of a square, every second diagonal double."""
    across, up = max(x + 1, -x), max(y + 1, -y)
    return max(across, up) + min(across, up) // 2


def worked(bonus=0, radius=10):
    """Every outcome of a throw at AC 5 in fractions: (chance, place, damage to each creature with one roll for all, by the roll)."""
    hits = Fraction(sum(face == 20 or (face > 1 and face + bonus >= 5) for face in range(1, 21)), 20)
    places = [((0, 0), hits)]
    places += [((x * n, y * n), (1 - hits) / 32) for x, y in CLOCKWISE for n in range(1, 5)]
    for (dx, dy), chance in places:
        caught = [
            any(5 * squares_away(c["at"][0] + i - dx, c["at"][1] + j - dy) <= radius for i, j in product(range(c.get("size", 1)), repeat=2)) for c in GROUP
        ]
        yield chance, (dx, dy), caught


def moments(pairs):
    """Mean and deviation of values with chances."""
    pairs = list(pairs)
    mean = sum(p * x for p, x in pairs)
    return float(mean), sqrt(sum(p * (x - mean) ** 2 for p, x in pairs))


def dealt(caught, roll):
    return [max(0, shown - cut) if hit else 0 for hit, shown, cut in zip(caught, roll, (0, 2, 0), strict=True)]


def run(*args, code=0):
    result = CliRunner().invoke(app, ["scatter", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_the_group_is_that_of_a_walk_over_all_dice():
    row = analyzer.scatter(BOMB, target=TARGET).iloc[0]
    cases = list(worked())
    assert row["ac"] == 5
    assert row["on_mark"] == pytest.approx(float(cases[0][0]))
    assert row["creatures"] == pytest.approx(float(sum(p * sum(caught) for p, _, caught in cases)), rel=1e-12)
    assert row["nobody"] == pytest.approx(float(sum(p for p, _, caught in cases if not any(caught))), rel=1e-12)
    one = moments((p / 6, sum(dealt(caught, [shown] * 3))) for p, _, caught in cases for shown in range(1, 7))
    apart = moments((p / 216, sum(dealt(caught, roll))) for p, _, caught in cases for roll in product(range(1, 7), repeat=3))
    assert (row["damage"], row["sd"]) == pytest.approx(one, rel=1e-12)
    assert (row["damage"], row["sd_apart"]) == pytest.approx(apart, rel=1e-12)
    assert row["sd"] > row["sd_apart"]


def test_creatures_and_landings():
    cases = list(worked())
    for number, row in enumerate(analyzer.scatter(BOMB, target=TARGET, by="creature").itertuples()):
        assert row.creature == number + 1
        assert [row.x, row.y] == GROUP[number]["at"]
        assert row.caught == pytest.approx(float(sum(p for p, _, caught in cases if caught[number])), rel=1e-12)
        own = moments((p / 6, dealt(caught, [shown] * 3)[number]) for p, _, caught in cases for shown in range(1, 7))
        assert (row.damage, row.sd) == pytest.approx(own, rel=1e-12)
    landings = analyzer.scatter(BOMB, target=TARGET, by="landing")
    assert [(row.direction, row.distance) for row in landings.itertuples()] == [(0, 0), *product(range(1, 9), range(1, 5))]
    for row, (chance, place, caught) in zip(landings.itertuples(), cases, strict=True):
        assert (row.x, row.y) == place
        assert row.lands == pytest.approx(float(chance), rel=1e-12)
        assert row.creatures == sum(caught)
        assert row.damage == pytest.approx(sum(sum(dealt(caught, [shown] * 3)) for shown in range(1, 7)) / 6, rel=1e-12)


@pytest.mark.parametrize("radius", [5, 15])
def test_squares(radius):
    found = analyzer.scatter(grenade(radius=radius), target=TARGET, by="square")
    cases = list(worked(radius=radius))
    rows = {(row.x, row.y): row for row in found.itertuples()}
    for x, y in product(range(-9, 10), repeat=2):
        want = sum(p for p, (dx, dy), _ in cases if 5 * squares_away(x - dx, y - dy) <= radius)
        row = rows.get((x, y))
        assert (0.0 if row is None else row.caught) == pytest.approx(float(want), rel=1e-12)
        assert (0.0 if row is None else row.lands) == pytest.approx(float(sum(p for p, place, _ in cases if place == (x, y))), rel=1e-12)
    assert {(row.x, row.y): row.creature for row in found.dropna(subset=["creature"]).itertuples()} == {
        (0, 0): 1,
        (-1, 0): 2,
        **{(1 + i, 2 + j): 3 for i, j in product(range(2), repeat=2)},
    }


def test_what_does_not_scatter_lands_nowhere():
    weapon = {"name": "launcher", "damage": "1d6", "kind": "ranged", "range": 60, "radius": 10}
    launcher = analyzer.sheet("starfinder", bab=0, name="launcher", weapon=weapon)
    row = analyzer.scatter(launcher, target=TARGET).iloc[0]
    assert row["on_mark"] == pytest.approx(0.8)
    assert row["nobody"] == pytest.approx(0.2)
    assert len(analyzer.scatter(launcher, target=TARGET, by="landing")) == 1


def test_the_round_has_the_same_damage():
    scenario = analyzer.example("starfinder-grenade")
    for row in analyzer.scatter(scenario).itertuples():
        if row.build == "launcher and pistol":
            continue
        build = next(build for build in scenario.builds if build.name == row.build)
        round_of_it = analyzer.curve(build, 15, target=scenario.target).iloc[0]
        assert (row.damage, row.sd) == pytest.approx((round_of_it.dpr, round_of_it.sd), rel=1e-12)


@pytest.mark.parametrize("by", ["group", "creature", "landing", "square"])
def test_the_dice_agree(by):
    """The example's criticals, its reductions and its launcher too."""
    found = analyzer.scatter(analyzer.example("starfinder-grenade"), by=by, simulate=True, trials=200_000, seed=4)
    assert found.verdict.agree, found.verdict
    assert found.verdict.judged >= 0.5 * found.verdict.tests
    for column in found.columns:
        if column.endswith("_z"):
            assert (abs(found[column].astype(float).fillna(0.0)) < 5).all(), column


def test_creatures_of_a_table_are_weighed():
    rows = [{"name": "near", "distance": 30, "weight": 2}, {"name": "far", "distance": 90, "thrower": [8, 8]}]
    found = analyzer.scatter(BOMB, against=rows, simulate=True, trials=120_000, seed=4).set_index("against")
    assert found.loc["near", "on_mark"] == pytest.approx(0.8)
    assert found.loc["far", "on_mark"] == pytest.approx(0.6)
    for column in ("on_mark", "creatures", "nobody", "damage"):
        assert found.loc["all, weighted", column] == pytest.approx(2 / 3 * found.loc["near", column] + found.loc["far", column] / 3, rel=1e-12)
    assert found.loc["all, weighted", "sd"] ** 2 + found.loc["all, weighted", "damage"] ** 2 == pytest.approx(
        sum(w * (found.loc[n, "sd"] ** 2 + found.loc[n, "damage"] ** 2) for n, w in (("near", 2 / 3), ("far", 1 / 3)))
    )
    for by in ("group", "creature", "landing", "square"):
        assert analyzer.scatter(BOMB, against=rows, by=by, simulate=True, trials=120_000, seed=4).verdict.agree


def test_creatures_of_a_table_stand_where_the_group_does():
    """The file's group of four at its distance, each creature with the reduction of the table alone."""
    scenario = analyzer.example("starfinder-grenade")
    rows = [{"name": "thug", "ac": 12}, {"name": "walker", "ac": 20, "dr": 5}]
    found = analyzer.scatter(scenario, against=rows).set_index(["build", "against"])
    alone = analyzer.scatter(scenario).set_index("build")
    places = [{"at": c.at, "size": c.size} for c in scenario.target.creatures]
    for name, reduction in (("thug", {}), ("walker", {"physical": 5})):
        want = analyzer.scatter(scenario, target={"distance": 45, "thrower": (2, -9), "creatures": places, "reduction": reduction}).set_index("build")
        for build in want.index:
            for column in ("on_mark", "creatures", "nobody", "damage", "sd", "sd_apart"):
                assert found.loc[(build, name), column] == pytest.approx(want.loc[build, column], rel=1e-12)
            for column in ("on_mark", "creatures", "nobody"):
                assert found.loc[(build, name), column] == pytest.approx(alone.loc[build, column], rel=1e-12)


def test_the_shipped_tables_work_or_name_the_row():
    """A creature's miss chance spoils no blast: it is played as if there were none."""
    scenario = analyzer.example("starfinder-grenade")
    found = analyzer.scatter(scenario, against="starfinder-creatures.csv").set_index(["build", "against"])
    assert found.loc[("frag grenade", "veil assassin"), "damage"] == found.loc[("frag grenade", "dock thug"), "damage"]
    with pytest.raises(ValueError, match=r"srd35-creatures.csv, fortification: fortification must be a known column"):
        analyzer.scatter(scenario, against="srd35-creatures.csv")
    with pytest.raises(ValueError, match=r"against 'veil assassin': target\.miss_chance: miss_chance must be 0 with an area weapon"):
        analyzer.curve(scenario, against="starfinder-creatures.csv")


def test_figures_of_a_verdict_name_the_build_once(monkeypatch):
    named = []
    monkeypatch.setattr(blasts.Twins, "_note", lambda _, name, where, p: named.append(f"{name} of {where}"))
    scenario = analyzer.example("starfinder-grenade")
    analyzer.scatter(scenario.builds, against=[{"name": "thug", "ac": 12}], simulate=True, trials=1000, seed=1)
    assert "on_mark of frag grenade, against thug" in named
    assert "on_mark of launcher and pistol, launcher, against thug" in named
    named.clear()
    analyzer.scatter(scenario, by="creature", simulate=True, trials=1000, seed=1)
    assert "caught of frag grenade, creature 2" in named
    assert len([name for name in named if name.startswith("caught of")]) == len({name for name in named if name.startswith("caught of")})


def test_the_deviation_has_the_error_it_claims():
    """Over many seeds the simulated deviations spread as their standard errors say."""
    runs = [analyzer.scatter(BOMB, target=TARGET, simulate=True, trials=4000, seed=seed).iloc[0] for seed in range(40)]
    for column in ("sd", "sd_apart", "damage"):
        scores = np.array([row[f"{column}_z"] for row in runs], dtype=float)
        assert 0.6 < scores.std() < 1.5
        assert abs(scores.mean()) < 4 / sqrt(len(scores))


@pytest.mark.parametrize("planted", ["landing", "total", "creature"])
def test_a_wrong_figure_is_noticed(planted, monkeypatch):
    def wrong(attack, target, defences):
        found = blast(attack, target, defences)
        if planted == "landing":
            found.landing[0] -= 0.01
            found.landing[5] += 0.01
        elif planted == "total":
            found.total[2] = found.total[1]
        else:
            found.creature[0] *= 1.1
        return found

    monkeypatch.setattr(blasts, "blast", wrong)
    by = {"landing": "landing", "total": "group", "creature": "creature"}[planted]
    assert not analyzer.scatter(BOMB, target=TARGET, by=by, simulate=True, trials=200_000, seed=4).verdict.agree


def test_workers_change_no_figure():
    rows = [{"name": "near", "distance": 30}, {"name": "far", "distance": 90}]
    one, two = (analyzer.scatter(BOMB, against=rows, simulate=True, trials=70_000, seed=4, workers=n) for n in (1, 2))
    assert one.to_csv() == two.to_csv()


def test_alike_throws_are_told_once():
    weapon = {"name": "grenade", "damage": "1d6 fire", "kind": "grenade", "range": 30, "radius": 10}
    twice = analyzer.sheet("starfinder", bab=0, full_attack=True, name="two", weapon=weapon)
    assert len(analyzer.scatter(twice, target=TARGET)) == 1


def test_ground_agrees_with_who_is_caught():
    """The map and the engines' table are made of the same geometry."""
    attack = BOMB.derive(analyzer.target("starfinder", **TARGET)).plan.steps[0].variants[0]
    ground = attack.area.ground
    for (dx, dy), row in zip(ground.landings, attack.area.caught, strict=True):
        reached = {(x + dx, y + dy) for x, y in ground.blast}
        assert row == tuple(int(any((x + i, y + j) in reached for i, j in product(range(size), repeat=2))) for x, y, size in ground.creatures)
    with pytest.raises(PlanError, match="ground must be of 2 creatures, as many as may be caught; got"):
        Area(caught=((1, 0),) * 33, ground=ground)
    with pytest.raises(PlanError, match="landings must be 33 intersections; got 1"):
        Ground(landings=((0, 0),), blast=(), creatures=(), thrower=(0, -1))


def test_refusals():
    with pytest.raises(ValueError, match="builds must have an attack with an area on a grid, such as a grenade; got 'sword' without one"):
        analyzer.scatter(analyzer.statblock("+5", "1d8", name="sword"))
    with pytest.raises(ValueError, match="by must be one of 'group', 'creature', 'landing', 'square'; got 'map'"):
        analyzer.scatter(BOMB, by="map")
    melee = analyzer.sheet("starfinder", bab=1, name="knife", weapon={"name": "knife", "damage": "1d4"})
    assert "Without an area attack: knife." in analyzer.scatter([BOMB, melee]).notes


def test_command(tmp_path):
    picture = tmp_path / "scatter.png"
    assert "frag grenade: lands on the mark with 90.0 %, catches 1.94 of 4 for 9.82 damage in all" in run().stdout
    rows = json.loads(run("starfinder-grenade", "--by", "creature", "--format", "json", "--plot", picture).stdout)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert list(rows[0]) == ["system", "build", "ac", "attack", "creature", "x", "y", "size", "caught", "damage", "sd"]
    assert run("--format", "csv").stdout.startswith("system,build,ac,attack,on_mark,creatures,nobody,damage,sd,sd_apart")
    assert "error: builds must have an attack with an area" in run("d20-builds", code=2).stderr


@pytest.mark.parametrize("count", [1, 8])
def test_figure(count, tmp_path):
    several = [grenade(f"grenade {k}", radius=5 + 5 * (k % 3)) for k in range(count)]
    for by in ("group", "square"):
        figure = analyzer.scatter(several, target=TARGET, by=by).figure()
        assert isinstance(figure, Figure)
        figure.savefig(tmp_path / "figure.png", dpi=30)
        assert len(figure.axes) >= count + 1
