"""Surface: two numbers at once are the same as one after the other; dials of builds and targets; the map and its table."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, curve, example, examples, statblock, surface
from analyzer.asking import seats
from analyzer.cli import app
from analyzer.workings.dials import KNOWN, dial

FOES = [{"name": "orc", "ac": 13, "weight": 3}, {"name": "knight", "ac": 24, "dr": 5}]


@pytest.fixture
def duel():
    return [
        statblock("+10", "2d6+3", critical="19-20/x2", name="great", system="srd35"),
        statblock("+8/+8", "1d8+2", critical="19-20/x2", name="pair", system="srd35"),
    ]


def run(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def brute(flat, dice, reduction):
    """Mean damage of a hit after reduction, every face by itself; a hit deals 1 at least before it."""
    faces = np.array(np.meshgrid(*[np.arange(1, sides + 1) for sides in dice])).reshape(len(dice), -1).sum(axis=0) + flat
    return np.maximum(np.maximum(faces, 1) - reduction, 0).mean()


# -- figures -------------------------------------------------------------------------------------------------------------------------------------------


def test_every_cell_is_a_curve_of_its_own(duel):
    found = surface(duel, x="ac=12:30", y="dr=0:9:3", target={"miss_chance": 20, "reduction": {"physical": 2, "fire": 5}})
    assert list(found) == ["system", "build", "ac", "dr", "dpr", "than", "difference", "winner"]
    assert len(found) == 2 * 19 * 4
    for reduction in (0, 3, 6, 9):
        alone = curve(duel, "12:30", target={"miss_chance": 20, "reduction": {"physical": reduction, "fire": 5}})
        rows = found[found["dr"] == reduction]
        assert rows["dpr"].to_numpy() == pytest.approx(alone["dpr"].to_numpy(), rel=1e-12)


def test_reduction_by_hand():
    build = statblock("+10", "2d6+3", critical="none", name="great", system="srd35")
    found = surface(build, x="dr=0:12", y="miss_chance=0,30", ac=15).set_index(["dr", "miss_chance"])["dpr"]
    for reduction in range(13):
        for miss in (0, 30):
            assert found[reduction, miss] == pytest.approx(0.8 * (1 - miss / 100) * brute(3, [6, 6], reduction), rel=1e-12)


@pytest.mark.parametrize("system", ["d20", "srd35", "pathfinder1", "nwn", "dnd5e", "pathfinder2", "starfinder", "core"])
def test_dials_of_every_game(system):
    build = statblock("+9", "2d6+3", name="one", system=system)
    found = surface(build, x="attack=-2:2", y="damage=-2:4:3", ac=17).set_index(["attack", "damage"])["dpr"]
    for attack in (-2, 0, 2):
        for damage in (-2, 1, 4):
            turned = statblock(f"+{9 + attack}", f"2d6+{3 + damage}", name="one", system=system)
            assert found[attack, damage] == pytest.approx(curve(turned, 17)["dpr"].iloc[0], rel=1e-12)
    swapped = surface(build, x="damage=-2:4:3", y="attack=-2:2", ac=17).set_index(["attack", "damage"])["dpr"]
    assert swapped.sort_index().equals(found.sort_index())
    extra = surface(build, x="extra=0:2", y="ac=15,17").set_index(["extra", "ac"])["dpr"]
    more = statblock("+9", "2d6+3", extra=["2d6"], name="one", system=system)
    assert extra[2, 17] == pytest.approx(curve(more, 17)["dpr"].iloc[0], rel=1e-12)
    assert extra[0, 15] == pytest.approx(curve(build, 15)["dpr"].iloc[0], rel=1e-12)


def test_keys_of_the_game_are_dials():
    scenario = example("srd35-warriors")
    (warrior, *_) = scenario.builds
    found = surface(warrior, x="power_attack=0:6:2", y="fortification=0,50", target=scenario.target).set_index(["power_attack", "fortification"])["dpr"]
    for power in (0, 2, 4, 6):
        for negated in (0, 50):
            target = scenario.target.but(fortification=negated)
            own = warrior.derive(target).target.ac[0]
            assert found[power, negated] == pytest.approx(curve(warrior.but(power_attack=power), own, target=target)["dpr"].iloc[0], rel=1e-12)


def test_who_leads(duel):
    found = surface(duel, x="ac=8:34", y="dr=0:3")
    assert found.notes[0].startswith("DR 0: pair leads at AC 8-")
    dpr = found.pivot_table(index=["dr", "ac"], columns="build", values="dpr")
    for row in found.to_dict("records"):
        here = dpr.loc[row["dr"], row["ac"]]
        assert row["winner"] == here.idxmax()
        assert row["difference"] == pytest.approx(2 * row["dpr"] - here.sum(), rel=1e-9)
    counts = found[found["build"] == "great"]["winner"].value_counts()
    assert found.notes[2] == f"Pairs of numbers, by who leads: pair {counts['pair']}, great {counts['great']}."


def test_ties_are_named(duel):
    weak = statblock("+1", "1d4", name="weak", system="srd35")
    found = surface([duel[0], duel[0].but(name="twin"), weak], x="ac=15:16", y="dr=0:1")
    assert set(found["winner"]) == {"great = twin"}
    assert (found[found["build"] != "weak"]["difference"] == 0.0).all()
    figure = found.figure()
    assert "a tie" in [text.get_text() for text in figure.legends[0].get_texts()]
    figure.canvas.draw()


def test_simulated_beside_exact(duel):
    found = surface(duel, x="ac=15:18", y="dr=0:4:2", simulate=True, trials=100_000, seed=3)
    assert found.verdict.agree
    assert found.verdict.tests == 2 * 2 * 12
    great, pair = (found[found["build"] == name].reset_index(drop=True) for name in ("great", "pair"))
    assert great["difference_mc"].to_numpy() == pytest.approx((great["dpr_mc"] - pair["dpr_mc"]).to_numpy(), abs=1e-9)
    for reduction in (0, 2, 4):
        alone = analyzer.compare(duel, "15:18", target={"reduction": {"physical": reduction}}, trials=100_000, seed=3)
        assert found[found["dr"] == reduction]["dpr_mc"].tolist() == alone["dpr_mc"].tolist()


def test_a_wrong_cell_is_found(duel, monkeypatch):
    whole = seats.evaluate
    monkeypatch.setattr(seats, "evaluate", lambda plan, target, acs, **more: whole(plan, target, [ac - (ac == 17) for ac in acs], **more))
    found = surface(duel, x="ac=15:18", y="dr=0:1", simulate=True, trials=100_000, seed=3)
    assert {"dpr of great, AC 17, ac 17, dr 0", "dpr of pair, AC 17, ac 17, dr 1"} <= set(found.verdict.disagreements)
    assert not any("ac 16" in name for name in found.verdict.disagreements)


def test_against_a_table(duel):
    found = surface(duel, x="attack=-1:1", y="extra=0:1", against=iter(FOES))
    assert list(dict.fromkeys(found["against"])) == ["all, weighted", "orc", "knight"]
    assert found["against"].iloc[:12].tolist() == ["all, weighted"] * 12
    rows = found.set_index(["build", "against", "attack", "extra"])["dpr"]
    for build in duel:
        turned = build.but(attack=+1, extra=["1d6"], name=build.name)
        alone = curve(turned, against=FOES).set_index("against")["dpr"]
        for name in ("all, weighted", "orc", "knight"):
            assert rows[build.name, name, 1, 1] == pytest.approx(alone[name], rel=1e-12)
    assert isinstance(found.figure(), Figure)


# -- dials ---------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "name", "steps"),
    [
        ("attack", "attack", tuple(range(-5, 6))),
        ("dr=0:20:5", "dr", (0, 5, 10, 15, 20)),
        ("dr=0,5,20", "dr", (0, 5, 20)),
        ("attack=-2:2", "attack", (-2, -1, 0, 1, 2)),
        ("attack=\N{MINUS SIGN}2:2:2", "attack", (-2, 0, 2)),
        ("miss-chance=20", "miss_chance", (20,)),
        (" ac = 12 ", "ac", (12,)),
        (("bab", range(3)), "bab", (0, 1, 2)),
    ],
)
def test_how_dials_are_written(given, name, steps):
    found = dial(given, "x")
    assert (found.name, found.steps) == (name, steps)


def test_every_known_dial_has_values():
    assert all(dial(name, "x").steps for name in KNOWN)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": "bab"}, "x must be given with its values, such as 'bab=0:10'; got 'bab'"),
        ({"x": "3"}, "x must be a number to turn such as 'ac', 'dr=0:20:5' or 'attack=-2:4'; got '3'"),
        ({"y": "dr=a"}, "y must be a number such as 28 or a range such as 10:40; got 'a'"),
        ({"y": "dr=0:9:0"}, "y must have steps of 1 at least; got 'dr=0:9:0'"),
        ({"x": "dr", "y": "dr"}, "x and y must be two numbers; got 'dr' twice"),
        ({"y": "dpr=1:2"}, "y must be a number of the builds or the target; got 'dpr'"),
        ({"y": "wisdom=1:2"}, "a dial must be one of ac, attack, damage, distance, dr, extra, fortification, "),
        ({"y": "name=1:2"}, "a dial must be one of ac, attack, damage, distance, dr, extra, fortification, "),
        ({"ac": 12}, "ac must be left out where x or y is 'ac'"),
        ({"x": "attack", "ac": "12:13"}, "ac must be one armor class where neither x nor y is 'ac'; got 2"),
        ({"x": "ac=-1000:1000", "y": "damage=0:99"}, "x and y must have at most 200,000 pairs of values"),
        ({"x": "ac", "against": FOES}, "x must be a number of the builds before a table of creatures"),
        ({"y": "miss_chance=200"}, "miss_chance must be"),
        ({"y": "fortification=0:300:50", "target": {"ac": 3}}, "fortification must be"),
    ],
)
def test_refusals(duel, options, message):
    with pytest.raises((ValueError, ScenarioError), match=message):
        surface(duel, **options)


def test_a_key_of_another_type_is_refused(duel):
    with pytest.raises((ValueError, ScenarioError), match="critical must be"):
        surface(duel, y="critical=1:2")


# -- faces ---------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [("ac=10:20", "dr=0:4:2"), ("ac=15", "dr=0:4"), ("attack=-1:1", "damage=0")])
@pytest.mark.parametrize("n", [1, 2, 8])
def test_figure(n, axes):
    builds = [statblock(f"+{4 + 2 * i}", f"{9 - i}d6", name=f"$build {i}_", system="srd35") for i in range(n)]
    figure = surface(builds, x=axes[0], y=axes[1]).figure()
    assert len(figure.axes) == (2 if n == 1 else 3)
    assert len(figure.legends) == (n > 1)
    figure.canvas.draw()


def test_the_command(tmp_path):
    table = run("surface", "srd35-weapons", "--x", "ac=10:12", "--y", "dr=0:2", "--plot", tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000
    lines = [line.split() for line in table.stdout.splitlines()]
    assert ["10", "11", "12"] in lines
    assert ["0", "B", "1.04", "B", "0.44", "A", "0.17"] in lines
    assert "A: greatsword, B: longsword and short sword" in " ".join(table.stdout.split())
    assert "DR 0: longsword and short sword leads at AC 10-11; greatsword leads at AC 12." in table.stdout
    alone = run("surface", "srd35-weapons", "--build", "greatsword", "--y", "damage=0:2")
    assert "every 2nd value shown; --format csv has all" in " ".join(alone.stdout.split())
    rows = json.loads(run("surface", "--x", "ac=10:12", "--format", "json").stdout)
    assert len(rows) == 2 * 3 * 16
    assert {"system", "build", "ac", "dr", "dpr", "than", "difference", "winner"} == set(rows[0])
    simulated = run("surface", "--x", "ac=10:12", "--y", "dr=0", "--simulate", "--trials", "1000", "--seed", "1")
    assert "--format csv has the simulated figures too" in " ".join(simulated.stdout.split())
    assert "The two engines agree" in simulated.stderr
    assert "x must be given with its values" in run("surface", "--x", "bab", code=2).stderr
    assert max(map(len, run("surface").stdout.splitlines()[:12])) <= 140
    assert "srd35-weapons" in examples.names()


def test_an_unknown_dial_is_answered_with_the_builds_own():
    run = CliRunner().invoke
    wrong = run(app, ["surface", "srd35-power-attack", "--x", "power_attack=0:5"])
    assert wrong.exit_code == 2
    assert "or of the keys of the build 'greataxe, one blow': confirm_bonus; got 'power_attack'" in wrong.stderr
    with pytest.raises(ValueError, match="the keys of the build 'two-handed': bab, power_attack; got 'wisdom'"):
        surface(example("srd35-warriors").builds[0].but(name="two-handed"), x="wisdom=0:5")
    with pytest.raises(ValueError, match="for the build 'rogue' has no whole numbers; got 'wisdom'"):
        surface(statblock("+5", "1d6", name="rogue", system="nwn"), x="wisdom=0:5")
    assert "power_attack" not in surface.__doc__


def test_ties_and_small_leads_in_the_table(tmp_path):
    rows = "\n".join(f'[[build]]\nname = "{name}"\nattack = "+5"\ndamage = "{damage}"' for name, damage in (("one", "1d8"), ("two", "1d8")))
    file = tmp_path / "same.toml"
    file.write_text(f'system = "srd35"\n[target]\nac = 15\n{rows}\n', encoding="utf-8")
    ties = CliRunner().invoke(app, ["surface", str(file), "--x", "ac=10:40", "--y", "dr=0:2"], env={"COLUMNS": "100"}).stdout
    assert "\N{HORIZONTAL ELLIPSIS}" not in ties
    assert " = " in ties
    file.write_text(file.read_text(encoding="utf-8").replace('"+5"\ndamage = "1d8"', '"+5"\ndamage = "1d8"\ncritical = "none"', 1), encoding="utf-8")
    small = CliRunner().invoke(app, ["surface", str(file), "--x", "dr=15", "--y", "attack=0"]).stdout
    assert "B <0.01" in small


def test_listed_rounds_that_are_not_played_are_said():
    charge = statblock("+5", "2d6", name="lancer", system="srd35", rounds=[{"damage": "4d6"}, {}])
    assert surface(charge, x="ac=10:12", y="dr=0").notes == ("plays lancer as it stands, not its listed rounds",)
