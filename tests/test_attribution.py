"""Attribution: parts that add up to the DPR, costs by difference, against fractions worked from the dice and against the dice themselves."""

import json
from fractions import Fraction
from itertools import product

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer import examples
from analyzer.analyses import attribution as room
from analyzer.cli import app
from analyzer.exact.shares import shares

BLADE = analyzer.statblock("+6/+1", "1d4+2 slashing", critical="19-20/x2", extra=["1d6 fire", "1d3 sneak"], critical_extra=["1d2 cold"], name="blade")
CREATURES = [{"name": "ogre", "ac": 12, "weight": 3}, {"name": "golem", "ac": 16, "dr": 3, "weight": 1}]
EIGHT = [analyzer.statblock("+9/+4", f"1d8+{k}", extra=["1d6 fire"], name=f"build {k}") for k in range(8)]


def means(*dice, flat=0, reduction=0):
    """The mean of a sum of dice less a reduction, never below 0."""
    rolls = list(product(*(range(1, sides + 1) for sides in dice)))
    return Fraction(sum(max(0, sum(roll) + flat - reduction) for roll in rolls), len(rolls))


def chances(bonus, ac):
    """Chances of miss, ordinary hit and critical of the d20 text (19-20/x2)."""
    hits = {face for face in range(1, 21) if face == 20 or (face > 1 and face + bonus > ac)}
    confirmed = Fraction(sum(face + bonus > ac for face in range(1, 21)), 20)
    critical = Fraction(len(hits & {19, 20}), 20) * confirmed
    return 1 - Fraction(len(hits), 20), Fraction(len(hits), 20) - critical, critical


def parts(found, kind="deals"):
    return {row.part: row.points for row in found.itertuples() if row.kind == kind}


def dpr(builds, ac, **target):
    return analyzer.curve(builds, ac, target=target or None).dpr.iloc[0]


def run(*args, code=0):
    result = CliRunner().invoke(app, ["attribution", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def worked(ac, reduction):
    """Every part in fractions: reduction is on the sum of slashing and sneak; fire and cold pass."""
    misses, hits, criticals = (sum(c) for c in zip(*(chances(bonus, ac) for bonus in (6, 1)), strict=True))
    weapon, fire = means(4, flat=2, reduction=reduction), means(6)
    blow = means(4, 3, flat=2, reduction=reduction) + fire
    critical = means(4, 4, 3, flat=4, reduction=reduction) + fire + means(2)
    return {
        "ordinary hits, weapon": hits * weapon,
        "criticals, as a hit": criticals * weapon,
        "criticals, what they add": criticals * (critical - blow),
        "extra dice": (hits + criticals) * (blow - weapon),
    }, misses * blow


@pytest.mark.parametrize(("ac", "reduction"), [(12, 0), (16, 3), (30, 3)])
def test_sources_are_those_worked_by_hand(ac, reduction):
    want, missed = worked(ac, reduction)
    found = analyzer.attribution(BLADE, ac=ac, target={"reduction": {"physical": reduction}} if reduction else None)
    assert parts(found) == {name: pytest.approx(float(points), rel=1e-12) for name, points in want.items() if points}
    total = float(sum(want.values()))
    assert parts(found, "total") == {"DPR": pytest.approx(total, rel=1e-12)}
    costs = parts(found, "costs")
    assert costs["misses"] == pytest.approx(float(missed), rel=1e-12)
    if reduction:
        free, _ = worked(ac, 0)
        assert costs["reduction"] == pytest.approx(float(sum(free.values())) - total, rel=1e-12)
    assert list(found["share"]) == pytest.approx([points / total for points in found["points"]])


def test_types_are_counted_in_written_order_after_reductions():
    _, hits, criticals = (sum(c) for c in zip(*(chances(bonus, 16) for bonus in (6, 1)), strict=True))
    slashing = hits * means(4, flat=2, reduction=3) + criticals * means(4, 4, flat=4, reduction=3)
    both = hits * means(4, 3, flat=2, reduction=3) + criticals * means(4, 4, 3, flat=4, reduction=3)
    fire = (hits + criticals) * means(6, reduction=1)
    found = analyzer.attribution(BLADE, ac=16, by="type", target={"reduction": {"physical": 3, "fire": 1}})
    want = {"slashing": slashing, "fire": fire, "physical": both - slashing, "cold": criticals * means(2)}
    assert parts(found) == {name: pytest.approx(float(points), rel=1e-12) for name, points in want.items()}


@pytest.mark.parametrize("by", ["source", "attack", "type"])
@pytest.mark.parametrize("name", examples.names())
def test_the_parts_of_every_example_add_up(name, by):
    scenario = analyzer.example(name)
    found = analyzer.attribution(scenario, by=by)
    for build in scenario.builds:
        rows = found[found["build"] == build.name]
        own = int(rows["ac"].iloc[0])
        assert sum(parts(rows).values()) == pytest.approx(parts(rows, "total")["DPR"], rel=1e-12)
        assert parts(rows, "total")["DPR"] == pytest.approx(analyzer.curve(build, own, target=scenario.target).dpr.iloc[0], rel=1e-12)
        if by == "attack":
            attacks = analyzer.curve(build, own, target=scenario.target, by="attack")
            dealt = [mean for mean in attacks["mean"] if mean]
            assert list(parts(rows).values()) == pytest.approx(dealt, rel=1e-12)


@pytest.mark.parametrize(
    ("system", "defence", "name"),
    [
        ("srd35", {"miss_chance": 20}, "miss chance"),
        ("srd35", {"fortification": 50}, "fortification"),
        ("srd35", {"immune": ["critical"]}, "immunity to criticals"),
        ("srd35", {"immune": ["precision"]}, "immunity to precision damage"),
        ("srd35", {"reduction": {"physical": 4}}, "reduction"),
    ],
)
def test_a_defence_costs_what_the_dpr_gains_without_it(system, defence, name):
    build = analyzer.statblock("+6/+1", "1d8+2", critical="19-20/x2", extra=["2d6 sneak"], system=system)
    found = analyzer.attribution(build, ac=15, target=defence)
    assert set(parts(found, "costs")) == {name, "misses"}
    assert parts(found, "costs")[name] == pytest.approx(dpr(build, 15) - dpr(build, 15, **defence), rel=1e-12)
    assert parts(found, "costs")[name] > 0.0


def test_what_a_target_does_not_have_costs_nothing():
    assert set(parts(analyzer.attribution(BLADE, ac=15), "costs")) == {"misses"}


def test_damage_of_misses_is_a_part():
    found = parts(analyzer.attribution(analyzer.example("starfinder-grenade")))
    assert found["misses"] > 0.0


def test_creatures_are_weighed():
    found = analyzer.attribution(BLADE, against=CREATURES)
    by_name = {name: rows.set_index(["kind", "part"])["points"] for name, rows in found.groupby("against")}
    assert list(dict.fromkeys(found["against"])) == ["all, weighted", "ogre", "golem"]
    assert list(by_name["all, weighted"]) == pytest.approx(list(0.75 * by_name["ogre"] + 0.25 * by_name["golem"]), rel=1e-12)
    assert by_name["golem"]["costs", "reduction"] > 0.0 == by_name["ogre"]["costs", "reduction"]


@pytest.mark.parametrize("by", ["source", "attack", "type"])
def test_the_dice_agree(by):
    """With a wide threat range, so that criticals are often enough to be judged."""
    keen = BLADE.but(critical="15-20/x2", name="keen")
    for faced in ({"ac": "14:15", "target": {"reduction": {"physical": 3}, "miss_chance": 20}}, {"against": CREATURES}):
        found = analyzer.attribution(keen, by=by, simulate=True, trials=120_000, seed=5, **faced)
        assert found.verdict.agree, found.verdict
        assert found.verdict.judged == found.verdict.tests == len(found)
        assert (abs(found["points_z"].fillna(0.0)) < 5).all()
        assert (found["points_se"].fillna(0.0) < 0.05).all()


def test_workers_change_no_figure():
    one, two = (analyzer.attribution(BLADE, ac="14:15", simulate=True, trials=2000, seed=5, workers=n) for n in (1, 2))
    assert one.to_csv() == two.to_csv()


def test_a_wrong_figure_is_noticed(monkeypatch):
    def wrong(plan, target, acs):
        found = shares(plan, target, acs)
        found.mean[:, :, 3] *= 0.9
        return found

    monkeypatch.setattr(room, "shares", wrong)
    found = analyzer.attribution(BLADE, ac=12, simulate=True, trials=200_000, seed=5)
    assert not found.verdict.agree


def test_a_figure_that_never_comes_up_is_noticed(monkeypatch):
    def wrong(plan, target, acs):
        found = shares(plan, target, acs)
        found.mean[:, :, 0] += 0.5
        return found

    monkeypatch.setattr(room, "shares", wrong)
    found = analyzer.attribution(BLADE, ac=12, simulate=True, trials=200_000, seed=5)
    assert any("misses" in name for name in found.verdict.disagreements)


def test_a_weakness_is_called_so_beside_a_resistance():
    brand = analyzer.statblock("+10", "1d6 fire", system="pathfinder2", name="brand")
    feared = {"weakness": {"fire": 5}, "resistance": {"all": 2}}
    found = analyzer.attribution(brand, ac=14, target=feared)
    whole = dpr(brand, 14, **feared)
    costs = parts(found, "costs")
    assert set(costs) == {"misses", "reduction", "weakness"}
    assert costs["weakness"] == pytest.approx(dpr(brand, 14, resistance={"all": 2}) - whole, rel=1e-12)
    assert costs["reduction"] == pytest.approx(dpr(brand, 14, weakness={"fire": 5}) - whole, rel=1e-12)
    assert costs["weakness"] < 0.0 < costs["reduction"]
    assert "Below 0: weakness adds to the DPR." in found.notes


def test_a_vulnerability_is_called_so():
    brand = analyzer.statblock("+10", "1d6 fire", system="dnd5e", name="brand")
    found = analyzer.attribution(brand, ac=14, target={"vulnerability": ["fire"]})
    costs = parts(found, "costs")
    assert set(costs) == {"misses", "vulnerability"}
    assert costs["vulnerability"] == pytest.approx(dpr(brand, 14) - dpr(brand, 14, vulnerability=["fire"]), rel=1e-12)


def test_listed_rounds_that_are_not_played_are_told():
    lancer = analyzer.statblock("+5", "1d8", name="lancer", rounds=[{"attack": "+7"}, {}])
    assert "plays lancer as it stands, not its listed rounds" in analyzer.attribution(lancer, ac=14).notes


def test_no_damage_has_no_shares():
    harmless = analyzer.statblock("+5", "1d4 fire", name="ember")
    found = analyzer.attribution(harmless, ac=12, target={"reduction": {"fire": "immune"}})
    assert list(found["share"]) == [None] * len(found)


def test_refusals():
    with pytest.raises(ValueError, match="by must be one of 'source', 'attack', 'type'; got 'weapon'"):
        analyzer.attribution(BLADE, ac=12, by="weapon")
    with pytest.raises(ValueError, match="against must be given without ac and target"):
        analyzer.attribution(BLADE, ac=12, against=CREATURES)


def test_command(tmp_path):
    picture = tmp_path / "attribution.png"
    assert "greatsword at AC 24: 34.65 DPR; the largest part is extra dice (45.5 %), the largest cost misses (93.1 %)." in run().stdout
    rows = json.loads(run("d20-builds", "--by", "attack", "--ac", "20:21", "--format", "json", "--plot", picture).stdout)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert list(rows[0]) == ["system", "build", "ac", "kind", "part", "points", "share"]
    assert [row["part"] for row in rows[:3]] == ["attack 1: +19", "attack 2: +14", "attack 3: +9"]
    assert run("--format", "csv").stdout.startswith("system,build,ac,kind,part,points,share")
    assert "error: --by must be one of" in run("--by", "weapon", code=2).stderr


@pytest.mark.parametrize("faced", [{"ac": 20}, {"ac": "15:25"}, {"against": CREATURES}])
@pytest.mark.parametrize("count", [1, 8])
def test_figure(count, faced, tmp_path):
    for by in ("source", "type"):
        figure = analyzer.attribution(EIGHT[:count], by=by, **faced).figure()
        assert isinstance(figure, Figure)
        figure.savefig(tmp_path / "figure.png", dpi=30)


def test_the_figure_of_one_armor_class_names_it():
    figure = analyzer.attribution(EIGHT[:2], ac=20).figure()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["build 0\nAC 20", "build 1\nAC 20"]
    assert figure.axes[0].get_xlabel() == "DPR (damage points per round)"


def test_the_figure_of_a_sweep_has_the_costs():
    found = analyzer.attribution(EIGHT[:2], ac="15:18", target={"reduction": {"physical": 2}})
    figure = found.figure()
    drawn = [list(line.get_ydata()) for line in figure.axes[3].lines]
    for part in ("misses", "reduction"):
        rows = found[(found["build"] == "build 1") & (found["part"] == part)]
        assert list(rows["points"]) in drawn
    assert {text.get_text() for text in figure.subfigs[1].legends[0].get_texts()} == {"misses", "reduction"}


def test_figure_of_the_dice(tmp_path):
    for ac in (20, "19:21"):
        analyzer.attribution(EIGHT[:2], ac=ac, simulate=True, trials=1000, seed=1).figure().savefig(tmp_path / "figure.png", dpi=30)
