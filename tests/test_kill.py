"""Kill: the state machine over hit points against plain enumerations, its laws, its simulated twin, and the command."""

import io
import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import analyzer
from analyzer.asking.foes import hit_points
from analyzer.cli import app
from analyzer.exact import fights, march, prospects, strike
from analyzer.exact.strikes import MAX_REACH
from analyzer.montecarlo.points import hit_points as rolled
from analyzer.pictures.drawing import looks
from analyzer.plan import Attack, Check, Critical, Die, Packet, Part, Plan, Roll, Step, Target, Turn
from analyzer.pmf import PMF
from analyzer.workings import campaigns

GOLDEN = [0.001252, 0.094775, 0.391460, 0.694013, 0.875252, 0.956122, 0.986133, 0.995956, 0.998892, 0.999711, 0.999928, 0.999982]
TABLE = [
    {"name": "rat", "ac": 11, "hp": 5, "weight": 3},
    {"name": "ogre", "ac": 16, "hp": "4d8+11", "weight": 1},
    {"name": "knight", "ac": 20, "hp": 40, "dr": 3, "weight": 2},
]


def golden():
    build = analyzer.statblock("+20/+15/+10/+5", "2d6+15", critical="19-20/x2", extra=["5d6"], system="srd35", name="fighter")
    return build, analyzer.target("srd35", ac=28, hp=150, reduction={"physical": 5})


def two_blades():
    """Two attacks; the first that hits deals a d3 more. Needs 11; a natural 20 doubles all dice."""
    check = Check(critical=Critical.NATURAL)

    def made(*dice):
        hit = (Packet(parts=(Part(type="a", rolls=(Roll(dice=dice, flat=1),)),)),)
        twice = (Packet(parts=(Part(type="a", rolls=(Roll(dice=dice, times=2), Roll(flat=1))),)),)
        return Attack(label="blade", bonus=0, check=check, on=((), (), hit, twice))

    rich, poor = made(Die(sides=2), Die(sides=3)), made(Die(sides=2))
    step = Step(variants=(rich, poor), next=((0, 0, 1, 1), (1, 1, 1, 1)))
    return Plan(turns=(Turn(steps=(step, step)),)), Target(ac=(11,))


def outcomes(state):
    """(chance, damage, state afterwards) of one attack of `two_blades`, by counting."""
    found = [(Fraction(10, 20), 0, state)]
    pairs = [(a, b) for a in (1, 2) for b in ((1, 2, 3) if state == 0 else (0,))]
    for a, b in pairs:
        found.append((Fraction(9, 20) / len(pairs), a + b + 1, 1))
        for c, d in pairs:
            found.append((Fraction(1, 20) / len(pairs) ** 2, a + b + c + d + 1, 1))
    return found


def enumerated(points, regeneration, rounds):
    """Chance to die at each attack, points wasted and points lost over some rounds: every path of fractions, hit points and state joined."""
    alive, died, waste, taken = {points: Fraction(1)}, [], Fraction(0), Fraction(points)
    for _ in range(rounds):
        held = {(left, 0): p for left, p in alive.items()}
        for _ in range(2):
            after, dead = {}, Fraction(0)
            for (left, state), p in held.items():
                for chance, damage, goal in outcomes(state):
                    if damage >= left:
                        dead += p * chance
                        waste += p * chance * (damage - left)
                    else:
                        key = (left - damage, goal)
                        after[key] = after.get(key, Fraction(0)) + p * chance
            died.append(dead)
            held = after
        alive = {}
        for (left, _), p in held.items():
            now = min(points, left + regeneration)
            taken += p * (now - left)
            alive[now] = alive.get(now, Fraction(0)) + p
    return died, waste, taken, sum(alive.values())


@pytest.mark.parametrize(("points", "regeneration"), [(1, 0), (7, 0), (12, 0), (12, 1), (9, 3)])
def test_a_fight_is_its_enumeration(points, regeneration):
    plan, target = two_blades()
    strikes = (strike(plan, target, (11,), points),)
    rounds = 9
    died, *_ = enumerated(points, regeneration, rounds)
    found = np.concatenate(list(islice(march(strikes, 0, PMF.point(points), regeneration), rounds)))
    np.testing.assert_allclose(found, [float(p) for p in died], rtol=1e-12)


@pytest.mark.parametrize(("points", "regeneration"), [(1, 0), (7, 0), (12, 0), (12, 1), (9, 3), (9, 7)])
def test_what_a_fight_comes_to_is_its_enumeration(points, regeneration):
    """Means over all rounds, from the enumeration of so many that what is left is nothing."""
    plan, target = two_blades()
    (found,) = prospects((strike(plan, target, (11,), points),), [0], [PMF.point(points)], regeneration)
    held = enumerated_floats(points, regeneration)
    assert found.ever == pytest.approx(1.0, rel=1e-12)
    assert (found.rounds, found.waste, found.taken) == pytest.approx(held, rel=1e-8 if regeneration else 1e-11)


def enumerated_floats(points, regeneration):
    """As `enumerated`, in floats and for as long as it takes."""
    alive, mean, waste, taken = {points: 1.0}, 0.0, 0.0, float(points)
    table = {state: [(float(p), damage, goal) for p, damage, goal in outcomes(state)] for state in (0, 1)}
    for _ in range(4000):
        mean += sum(alive.values())
        held = {(left, 0): p for left, p in alive.items()}
        for _ in range(2):
            after = {}
            for (left, state), p in held.items():
                for chance, damage, goal in table[state]:
                    if damage >= left:
                        waste += p * chance * (damage - left)
                    else:
                        after[left - damage, goal] = after.get((left - damage, goal), 0.0) + p * chance
            held = after
        alive = {}
        for (left, _), p in held.items():
            now = min(points, left + regeneration)
            taken += p * (now - left)
            alive[now] = alive.get(now, 0.0) + p
        if sum(alive.values()) < 1e-17:
            break
    assert sum(alive.values()) < 1e-12
    return mean, waste, taken


def test_golden():
    build, target = golden()
    by_round = analyzer.kill(build, target=target, by="round")
    assert by_round["dead"].tolist() == pytest.approx(GOLDEN, abs=5e-7)
    assert by_round["rounds"].tolist() == list(range(1, 13))
    (row,) = analyzer.kill(build, target=target).to_dict("records")
    assert [row[f"dead_{n}"] for n in range(1, 13)] == by_round["dead"].tolist()
    assert (row["median_rounds"], row["rounds_90"], row["hp"]) == (4, 6, 150)
    longer = analyzer.kill(build, target=target, by="round", rounds=60)["dead"]
    assert row["mean_rounds"] == pytest.approx(1 + sum(1 - longer), rel=1e-12)
    assert row["effective_dpr"] == pytest.approx(150 / row["mean_rounds"], rel=1e-12)


def test_attacks_end_in_rounds():
    build, target = golden()
    rounds, attacks = (analyzer.kill(build, "20:30", target=target, by=by, rounds=5) for by in ("round", "attack"))
    last = attacks[attacks["attack"] == 4]
    np.testing.assert_allclose(last["dead"], rounds["dead"], rtol=1e-12)
    assert (attacks.groupby("ac")["dead"].diff().dropna() >= 0).all()


def test_hit_points_rolled_are_weighed():
    build, target = golden()
    mixed = analyzer.kill(build, target=target, hp="2d4+20", rounds=4).iloc[0]
    chances = {2: 1, 3: 2, 4: 3, 5: 4, 6: 3, 7: 2, 8: 1}
    fixed = {points: analyzer.kill(build, target=target, hp=20 + points, rounds=4).iloc[0] for points in chances}
    for name in ("mean_rounds", "overkill", "dead_1", "dead_4"):
        assert mixed[name] == pytest.approx(sum(weight * fixed[points][name] for points, weight in chances.items()) / 16, rel=1e-12)
    assert mixed["hp"] == "2d4+20"
    assert mixed["effective_dpr"] == pytest.approx(25 / mixed["mean_rounds"], rel=1e-12)


@pytest.mark.parametrize(("hp", "regeneration"), [("1d4+60", 0), ("1d4+60", 4), ("1d12+60", 7)])
def test_rolled_hit_points_with_regeneration_are_fights_apart(hp, regeneration):
    build, target = golden()
    mixed = analyzer.kill(build, target=target, hp=hp, regeneration=regeneration).iloc[0]
    fixed = [analyzer.kill(build, target=target, hp=hp, regeneration=regeneration).iloc[0] for hp in range(61, 61 + int(hp[2 : hp.index("+")]))]
    for name in ("mean_rounds", "overkill", "dead_3"):
        assert mixed[name] == pytest.approx(np.mean([row[name] for row in fixed]), rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(points=st.integers(1, 60), more=st.integers(0, 20), regeneration=st.integers(0, 8), bonus=st.integers(0, 15))
def test_laws(points, more, regeneration, bonus):
    build = analyzer.statblock([bonus, bonus - 5], "1d6+2", critical="19-20/x2", name="x")
    plan, target = (getattr(build.derive(), part) for part in ("plan", "target"))
    strikes = (strike(plan, target, (15,), points + more),)

    def curve(hp, back):
        return np.cumsum([dead.sum() for dead in islice(march(strikes, 0, PMF.point(hp), back), 12)])

    plain, tougher, healing = curve(points, 0), curve(points + more, 0), curve(points, regeneration)
    assert (np.diff(plain) >= 0).all()
    assert (tougher <= plain + 1e-12).all()
    assert (healing <= plain + 1e-12).all()
    (ends,) = prospects(strikes, [0], [PMF.point(points)], 0)
    (healed,) = prospects(strikes, [0], [PMF.point(points)], regeneration)
    assert ends.taken == points
    assert healed.rounds is None or healed.rounds >= ends.rounds * (1 - 1e-9)


def test_the_last_listed_round_repeats():
    build, target = golden()
    listed = build.but(rounds=[{"attack": "+30", "damage": "4d6+30"}, {}], name="listed")
    first = analyzer.distribution(build.but(attack=(30,), damage="4d6+30", name="first"), target=target, by="total")
    after = {hp: analyzer.kill(build, target=target, hp=hp, rounds=3).iloc[0] for hp in range(1, 61)}
    alive = [(60 - total, p) for total, p in zip(first["total"], first["chance"], strict=True) if total < 60]
    found = analyzer.kill(listed, target=target, hp=60, rounds=4).iloc[0]
    assert found["dead_1"] == pytest.approx(1 - sum(p for _, p in alive), rel=1e-12)
    for n in (1, 2, 3):
        assert found[f"dead_{n + 1}"] == pytest.approx(found["dead_1"] + sum(p * after[left][f"dead_{n}"] for left, p in alive), rel=1e-12)
    assert found["mean_rounds"] == pytest.approx(1 + sum(p * after[left]["mean_rounds"] for left, p in alive), rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"regeneration": 30}, "regeneration 30 gives back too much"),
        ({"target": analyzer.target(ac=15, hp=30, reduction={"physical": 50})}, "it deals too little"),
    ],
)
def test_who_may_never_die_is_said(changes, why):
    answer = analyzer.kill(analyzer.statblock("+5", "1d6+3", name="dagger"), hp=30, **changes)
    (row,) = answer.to_dict("records")
    for name in ("mean_rounds", "effective_dpr", "median_rounds", "rounds_90", "overkill"):
        assert row[name] is None or math.isnan(row[name])
    assert row["dead_12"] == 0.0
    assert any(why in note and "may never kill" in note for note in answer.notes)


def test_an_opening_that_kills_or_nothing_does():
    build = analyzer.statblock("+30", "20", rounds=[{}, {"damage": "0"}], name="alchemist")
    target = analyzer.target(ac=11, hp=15, reduction={"physical": 2})
    (row,) = analyzer.kill(build, target=target).to_dict("records")
    assert row["dead_1"] == row["dead_12"] == pytest.approx(0.95)
    assert row["mean_rounds"] is None or math.isnan(row["mean_rounds"])
    assert (row["median_rounds"], row["rounds_90"], row["overkill"]) == (1, 1, pytest.approx(3 + 20 * 0.05 / 0.95))


@pytest.mark.parametrize(
    ("points", "regeneration", "rounds", "waste"), [(30, 5, 690.9980622905205, 0.7371521767980537), (30, 8, 1198781356.252178, 0.42220437930871074)]
)
def test_a_fight_of_a_billion_rounds(points, regeneration, rounds, waste):
    """The means were solved for in fractions from `outcomes`: a linear equation for each number of hit points left."""
    plan, target = two_blades()
    (found,) = prospects((strike(plan, target, (11,), points),), [0], [PMF.point(points)], regeneration)
    assert (found.ever, found.rounds, found.waste) == pytest.approx((1.0, rounds, waste), rel=1e-9)


def test_a_fight_that_is_not_followed_to_its_end(monkeypatch):
    """What is not known is None, and not what was found so far."""
    monkeypatch.setattr(fights, "MAX_ROUNDS", 3)
    plan, target = two_blades()
    (found,) = prospects((strike(plan, target, (11,), 30),), [0], [PMF.point(30)], 8)
    assert (found.rounds, found.waste, found.taken) == (None, None, None)
    assert found.ever == pytest.approx(1.0)


def test_what_no_roll_can_hit_is_never_killed():
    """A round that could deal something at another armor class deals nothing at this one."""
    plan, target = two_blades()
    check = Check(auto_hit_from=21)
    (made,) = {replace(attack, check=check) for attack in plan.steps[0].variants[:1]}
    plan = Plan(turns=(Turn(steps=(Step(variants=(made,)),)),))
    for regeneration in (0, 2):
        near, far = prospects((strike(plan, target, (11, 40), 9),), [0, 1], [PMF.point(9)] * 2, regeneration)
        assert near.ever == pytest.approx(1.0)
        assert (far.ever, far.rounds, far.waste) == (0.0, None, 0.0)


def test_an_area_says_whose_hit_points_they_are():
    notes = {
        build.name: analyzer.kill(build, target=scenario.target, hp=30).notes
        for scenario in [analyzer.example("starfinder-grenade")]
        for build in scenario.builds
    }
    assert any("hurts several creatures at once" in note for found in notes.values() for note in found)
    build, target = golden()
    assert not analyzer.kill(build, target=target).notes


def test_rounds_beyond_a_thousand_are_not_looked_for():
    (row,) = analyzer.kill(analyzer.statblock("+0", "1", name="needle"), 25, hp=60).to_dict("records")
    assert row["median_rounds"] is None or math.isnan(row["median_rounds"]) or row["median_rounds"] > 1000
    assert row["mean_rounds"] == pytest.approx(60 / 0.05)


def test_a_table_of_creatures_is_weighed():
    build, _ = golden()
    answer = analyzer.kill(build, against=TABLE)
    assert answer["against"].tolist() == ["all, weighted", "rat", "ogre", "knight"]
    every, *each = answer.to_dict("records")
    for name in ("mean_rounds", "overkill", "dead_1", "dead_3"):
        assert every[name] == pytest.approx(sum(w * row[name] for w, row in zip((3, 1, 2), each, strict=True)) / 6, rel=1e-12)
    assert every["effective_dpr"] == pytest.approx((3 * 5 + 29 + 2 * 40) / 6 / every["mean_rounds"], rel=1e-12)
    alone = analyzer.kill(build, 20, target=analyzer.target("srd35", reduction={"physical": 3}), hp=40).iloc[0]
    assert each[2]["mean_rounds"] == pytest.approx(alone["mean_rounds"], rel=1e-12)


@pytest.mark.parametrize("by", ["summary", "attack"])
def test_the_twin_agrees(by):
    build, target = golden()
    answer = analyzer.kill(build, 27, target=target, hp="6d8+40", regeneration=5, by=by, rounds=4, simulate=True, trials=100_000, seed=5)
    assert answer.verdict.agree
    assert answer.verdict.judged >= 7
    assert {"dead_2_mc", "mean_rounds_mc", "overkill_se", "effective_dpr_z"} <= set(answer) or "dead_mc" in answer


def test_the_twin_agrees_about_a_table():
    build, _ = golden()
    answer = analyzer.kill(build, against=TABLE, rounds=3, simulate=True, trials=100_000, seed=6)
    assert answer.verdict.agree
    assert answer["mean_rounds_mc"].notna().all()


@pytest.mark.parametrize("figure", ["rounds", "waste", "taken", "march"])
def test_a_wrong_figure_is_noticed(figure, monkeypatch):
    build, target = golden()
    if figure == "march":
        monkeypatch.setattr(campaigns, "march", lambda *given: (0.97 * dead for dead in march(*given)))
    else:
        monkeypatch.setattr(campaigns, "prospects", lambda *given: tuple(replace(one, **{figure: getattr(one, figure) * 1.02}) for one in prospects(*given)))
    assert not analyzer.kill(build, target=target, simulate=True, trials=100_000, seed=7).verdict.agree


def test_fights_that_go_on_have_no_simulated_mean():
    build = analyzer.statblock("+0", "1", name="needle")
    (row,) = analyzer.kill(build, 25, hp=60, simulate=True, trials=500, seed=1).to_dict("records")
    assert "mean_rounds_mc" not in row
    assert row["mean_rounds"] == pytest.approx(60 / 0.05)


def test_hit_points_are_rolled():
    points = hit_points("3d6r1+1d4-5")
    found = rolled(points.dice, points.flat, 200_000, np.random.default_rng(1))
    assert found.min() == 1
    expected = np.zeros(points.pmf.high + 1)
    expected[points.pmf.low :] = points.pmf.p
    seen = np.bincount(found, minlength=len(expected)) / len(found)
    np.testing.assert_allclose(seen, expected, atol=6 * 0.5 / math.sqrt(len(found)))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "hp must be given, with the question, in the target or in every row of the table; got none for the target against 'axe'"),
        ({"hp": 10, "by": "turn"}, "by must be one of 'summary', 'round', 'attack'; got 'turn'"),
        ({"hp": 10, "regeneration": -1}, "regeneration must be a whole number from 0 to 10000; got -1"),
        ({"hp": 10, "rounds": 0}, "rounds must be a whole number from 1 to 1000; got 0"),
        ({"hp": MAX_REACH + 1}, f"hp must be hit points from 1 to {MAX_REACH}, or dice such as '12d8+36'; got {MAX_REACH + 1}"),
        ({"hp": 2_000_000}, f"hp must be hit points from 1 to {MAX_REACH}, or dice such as '12d8+36'; got 2000000"),
        ({"target": {"hp": MAX_REACH + 1}}, f"hp must be 1 to {MAX_REACH} for an exact fight; got {MAX_REACH + 1}"),
        ({"hp": "1d1000+900", "regeneration": 1}, "hp must be at most 1048576 over all that may be rolled, with regeneration; got"),
        ({"against": [{"name": "rat", "ac": 10}]}, "got none for rat"),
    ],
)
def test_errors(keys, words):
    with pytest.raises(ValueError, match=r"must be") as caught:
        analyzer.kill(analyzer.statblock("+5", "1d8", name="axe"), **keys)
    assert words in str(caught.value)


def test_the_help_names_the_limit_of_an_exact_fight():
    assert f"{MAX_REACH:,}" in analyzer.kill.__doc__


def test_fights_that_are_over_are_not_played_on(monkeypatch):
    """Of a sweep each armor class is followed until nine tenths of its own fights are over, and comes to what it comes to alone."""
    played = {}

    def counted(strikes, at, *given):
        for dead in march(strikes, at, *given):
            played[at] = played.get(at, 0) + 1
            yield dead

    monkeypatch.setattr(campaigns, "march", counted)
    build = analyzer.statblock("+8/+3", "1d8+4", name="axe")
    keys = {"hp": 90, "rounds": 4}
    swept = analyzer.kill(build, (5, 15, 25), **keys)
    assert played == dict(enumerate(swept["rounds_90"]))
    assert played[0] < played[1] < played[2]
    for row in swept.to_dict("records"):
        assert analyzer.kill(build, row["ac"], **keys).iloc[0].to_dict() == row
    played.clear()
    every, _, ox = analyzer.kill(build, against=[{"name": "rat", "ac": 5, "hp": 5}, {"name": "ox", "ac": 25, "hp": 90}], rounds=2)["rounds_90"]
    assert played == {0: every, 1: max(every, ox)}


def test_who_kills_soonest_is_told_of_those_that_meet_the_same():
    notes = analyzer.kill(analyzer.example("srd35-levels"), against="srd35-levels.csv").notes
    told = [note for note in notes if note.startswith("kills soonest")]
    levels = {build.level: [] for build in analyzer.example("srd35-levels").builds}
    for build in analyzer.example("srd35-levels").builds:
        found = analyzer.kill(build, against="srd35-levels.csv").iloc[0]
        levels[build.level].append((found["mean_rounds"], build.name))
    assert told == [f"kills soonest on average at level {level}: {min(means)[1]}" for level, means in levels.items()]
    fighters = [build for build in analyzer.example("srd35-levels").builds if build.name.startswith("fighter")]
    assert not analyzer.kill(fighters, against="srd35-levels.csv").notes
    (note,) = analyzer.kill(fighters, 20, hp=50).notes
    assert note == "kills soonest on average: fighter (level 17)"


def test_notes_are_of_columns_that_are_there():
    run = CliRunner()
    assert "overkill: points of the killing attack" in run.invoke(app, ["kill"]).stdout
    assert "overkill" not in run.invoke(app, ["kill", "--by", "round"]).stdout


def test_the_figure_says_whose_hit_points_and_how_many_it_leaves_out():
    build, target = golden()
    figure = analyzer.kill(build, "10:20", target=target).figure()
    assert [panel.get_title("left").split("\n")[-1] for panel in figure.axes[:3]] == ["AC 10, 150 HP", "AC 15, 150 HP", "AC 20, 150 HP"]
    assert figure.axes[0].get_title("left").startswith("3 of 11 armor classes")
    assert analyzer.kill(build, 20, hp="3d8+9").figure().axes[0].get_title("left") == "AC 20, 3d8+9 HP"
    assert analyzer.kill(build, against=TABLE).figure().axes[0].get_title("left") == "all, weighted"
    assert analyzer.kill(build, against=TABLE, by="round").figure().axes[0].get_title("left") == "all, weighted"


def test_forty_builds_have_curves_of_their_own():
    found = looks([f"build {i}" for i in range(360)])
    assert len(set(found.values())) == 360
    assert len({(look.colour, look.dashes) for look in list(found.values())[:40]}) == 40


def test_the_command(tmp_path):
    run = CliRunner()
    picture, table = tmp_path / "kill.png", tmp_path / "foes.csv"
    shown = run.invoke(app, ["kill", "--plot", str(picture)])
    assert shown.exit_code == 0, shown.output
    assert "mean rounds" in shown.output
    assert "kills soonest on average: greatsword" in shown.output
    assert picture.stat().st_size > 10_000
    written = run.invoke(app, ["kill", "d20-builds", "--ac", "20:22", "--by", "round", "--rounds", "2", "--format", "json"])
    records = json.loads(written.stdout)
    assert len(records) == 2 * 3 * 2
    assert set(records[0]) == {"system", "build", "ac", "hp", "rounds", "dead"}
    table.write_text("name,ac,hp\nrat,11,4\nox,14,3d8+9\n", encoding="utf-8")
    rows = pd.read_csv(io.StringIO(run.invoke(app, ["kill", "d20-builds", "--against", str(table), "--format", "csv"]).stdout))
    assert rows["against"].tolist() == ["all, weighted", "rat", "ox"] * 2
    assert run.invoke(app, ["kill", "--regeneration", "x"]).exit_code == 2


@pytest.mark.parametrize("number", [1, 8])
@pytest.mark.parametrize("keys", [{"ac": 20}, {"ac": "10:30"}, {"ac": 20, "by": "attack"}, {"against": TABLE}, {"ac": 45, "hp": 500, "regeneration": 400}])
def test_the_figure(number, keys):
    builds = [analyzer.statblock([12 + i, 7], "1d8+5", name=f"build {i}") for i in range(number)]
    figure = analyzer.kill(builds, **{"hp": 30, **keys}).figure()
    figure.canvas.draw()
    assert len(figure.axes) == {"10:30": 4}.get(keys.get("ac"), 2 if "against" in keys else 1)


def test_the_figure_shows_the_simulation():
    build, target = golden()
    figure = analyzer.kill(build, target=target, simulate=True, trials=1000, seed=1).figure()
    assert "simulated" in figure.axes[0].get_ylabel()
    assert any(container.has_yerr for container in figure.axes[0].containers)
