"""Rounds and levels of a build: what is read, what is refused and in which words, what a variation changes, and what each round is played with."""

import json

import pytest
from typer.testing import CliRunner

import analyzer
from analyzer import ScenarioError, loads, sheet, statblock, target
from analyzer.asking.seats import seats
from analyzer.cli import app
from analyzer.plan import sweep, swept_defence
from analyzer.systems import systems

HEAD = 'system = "srd35"\n[target]\nac = 20\n'
GUARD = '[[build]]\nname = "guard"\nattack = "+5/+0"\ndamage = "1d8+3"\n'
TORCH = """
system = "pathfinder2"
[target]
ac = 20
weakness = { fire = 5 }
resistance = { slashing = 3 }
[[build]]
name = "torch, then axe"
attack = "+12"
damage = "1d12+4 slashing"
rounds = [{ damage = "1d6+4 fire" }, {}]
"""
LASER = """
system = "starfinder"
[target]
eac = 15
kac = 18
[[build]]
name = "laser, then sword"
attack = "+9"
damage = "2d8 slashing"
rounds = [{ damage = "1d8 fire", against = "eac" }, {}]
"""


def bonuses(build):
    return [[attack.bonus for step in derived.plan.steps for attack in step.variants] for derived in build.course()]


def problems(body):
    with pytest.raises(ScenarioError) as caught:
        loads(HEAD + body)
    return caught.value.problems


def test_a_file_with_rounds_and_levels():
    young, old, plain = loads(f"{HEAD}{GUARD}level = 3\nrounds = [{{ attack = '+9' }}, {{}}]\n{GUARD}level = 4\n{GUARD.replace('guard', 'other')}").builds
    assert (young.name, old.name, plain.name) == ("guard (level 3)", "guard (level 4)", "other")
    assert (young.series, old.series, plain.series) == ("guard", "guard", "other")
    assert (young.level, old.level, plain.level) == (3, 4, None)
    assert [sorted(listed.keys) for listed in young.rounds] == [["attack"], []]
    assert bonuses(young) == [[9], [5, 0]]
    assert bonuses(plain) == [[5, 0]]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("rounds = 3", ".rounds: rounds must be a list of 1 to 100 tables, each what a round does differently; got 3"),
        ("rounds = []", ".rounds: rounds must be a list of 1 to 100 tables, each what a round does differently; got an empty list"),
        (f"rounds = [{'{},' * 101}]", ".rounds: rounds must be a list of 1 to 100 tables, each what a round does differently; got [a table"),
        ("rounds = [1]", ".rounds[0]: rounds[0] must be a table of what this round does differently; got 1"),
        ("rounds = [{}, { name = 'x' }]", ".rounds[1].name: name must be left out of a round; got it"),
        ("rounds = [{ rounds = [] }]", ".rounds[0].rounds: rounds must be left out of a round; got it"),
        ("rounds = [{ level = 3 }]", ".rounds[0].level: level must be left out of a round; got it"),
        ("rounds = [{ damgae = '1d8' }]", ".rounds[0].damgae: damgae must be a known key; did you mean 'damage'?"),
        ("level = 'x'", ".level: level must be a whole number from 0 to 100; got 'x'"),
        ("level = true", ".level: level must be a whole number from 0 to 100; got true"),
        ("level = 101", ".level: level must be a whole number from 0 to 100; got 101"),
    ],
)
def test_what_is_refused(keys, words):
    (problem,) = problems(GUARD + keys)
    assert problem.startswith(f"build[0] (guard){words}")


def test_all_problems_of_all_rounds_at_once():
    found = problems(f"{GUARD}rounds = [{{ attack = 'x' }}, {{}}, {{ critical = '99' }}]\nlevel = -1")
    assert [problem.partition(":")[0] for problem in found] == [
        "build[0] (guard).level",
        "build[0] (guard).rounds[0].attack",
        "build[0] (guard).rounds[2].critical",
    ]


def test_two_of_one_name_and_level():
    assert problems(f"{GUARD}level = 3\n{GUARD}level = 3") == (
        "build[1] (guard).name: name must be unlike the other builds'; got 'guard', the name of build[0]",
    )


def test_a_round_that_does_not_go_with_the_target_is_named():
    rifle, pistol = ({"damage": "1d8", "kind": "ranged", "range": feet} for feet in (100, 60))
    build = sheet("starfinder", name="sniper", bab=3, weapon=rifle, rounds=[{}, {"weapon": pistol}])
    with pytest.raises(ScenarioError, match=r"build \(sniper\)\.rounds\[1\]\.weapon\.range: range must allow"):
        build.course(target("starfinder", distance=601))


def test_variations():
    build = statblock("+5/+0", "1d8+3", system="srd35", name="guard", rounds=[{"attack": "+9"}, {}], level=4)
    assert bonuses(build.but(attack=+1)) == [[10], [6, 1]]
    assert bonuses(build.but(attack=(7,))) == [[9], [7]]
    assert build.but(attack=+1).level == 4
    assert build.but(level=7).level == 7
    assert build.but(level=7).name == "guard (level 7)"
    assert bonuses(build.but(level=7)) == bonuses(build)
    assert bonuses(build.but(rounds=[{}, {"attack": "+2"}])) == [[5, 0], [2]]
    assert build.but(rounds=[{}]).level == 4
    assert build.but(attack=+1).series == build.but(attack=+1).name


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": -1}, "level: level must be a whole number from 0 to 100; got -1"),
        ({"rounds": [{"x": 1}]}, "rounds[0].x: x must be a known key"),
        ({"rounds": []}, "rounds: rounds must be a list of 1 to 100 tables"),
    ],
)
def test_variations_that_are_refused(changes, words):
    with pytest.raises(ScenarioError) as caught:
        statblock("+5/+0", "1d8+3", name="guard").but(**changes)
    assert caught.value.problems[0].startswith(words)


def test_a_game_with_a_level_of_its_own_keeps_it():
    build = sheet("pathfinder2", name="a", level=3, modifiers={"strength": 3}, weapon={"damage": "1d6"})
    assert build.level == 3
    assert build.model.level == 3
    assert build.but(level=5).level == 5
    assert build.but(level=5).derive().plan != build.derive().plan


def test_a_round_meets_the_target_as_its_own_damage_does():
    """Weakness and resistance are looked up by the types a round deals."""
    scenario = loads(TORCH)
    first, later = analyzer.distribution(scenario, by="attack", rounds=2)["mean"]
    plain = scenario.builds[0].but(rounds=[{}])
    assert later == analyzer.distribution(plain, target=scenario.target)["mean"][0]
    assert first == analyzer.distribution(plain.but(damage="1d6+4 fire"), target=scenario.target)["mean"][0]


@pytest.mark.parametrize("keys", [{}, {"ac": [20]}])
def test_a_round_aims_at_its_own_defence(keys):
    """The sweep sets the one that the repeating round aims at; the others move by the same difference."""
    scenario = loads(LASER)
    (seat,) = seats(scenario, keys.get("ac"), course=True)
    ((plan, met, acs), (again, same, others)) = seat.faced[0].course
    eac, kac = sweep(plan, met, acs)[0][:2], sweep(again, same, others)[0][:2]
    assert (swept_defence(plan, met), swept_defence(again, same)) == (0, 1)
    assert eac.tolist() == kac.tolist() == ([17, 20] if keys else [15, 18])
    answer = analyzer.kill(scenario, **keys, hp=30, by="round", rounds=3, simulate=True, trials=100_000, seed=1)
    assert answer.verdict.agree
    # A fire round of 1d8 at EAC cannot take 8 points but by its highest roll or a critical.
    need = eac[0] - 9
    hit, crit = (20 - need) / 20, 1 / 20
    (first,) = analyzer.kill(scenario, **keys, hp=8, by="round", rounds=1)["dead"]
    assert first == pytest.approx(hit / 8 + crit * 43 / 64, rel=1e-12)


@pytest.mark.parametrize(("text", "hp"), [("laser", 14), ("torch", 12)])
def test_changes_are_weighed_on_the_rounds_that_are_fought(text, hp):
    """The chance to be dead of `weights` and `solve` is that of `kill`, whatever each round aims at and deals."""
    scenario = loads({"laser": LASER, "torch": TORCH}[text])
    (fought,) = analyzer.kill(scenario, hp=hp, by="round", rounds=2)["dead"][1:]
    found = analyzer.weights(scenario, hp=hp, kill_by=2, simulate=True, trials=100_000, seed=1)
    assert found["dead"].tolist() == pytest.approx([fought] * len(found), rel=1e-12)
    assert found.verdict.agree
    (now,) = analyzer.solve(scenario, hp=hp, kill=0.9, rounds=2, simulate=True, trials=100_000, seed=1)["now"]
    assert now == pytest.approx(fought, rel=1e-12)


def test_creatures_with_several_defences_are_met_at_each():
    rows = [{"name": "bot", "eac": 12, "kac": 19}, {"name": "beast", "eac": 15, "kac": 16}]
    first = analyzer.distribution(loads(LASER).builds, against=rows, by="attack", rounds=2)
    none = first.set_index(["against", "round"])["no_damage"]
    assert none["bot", 1] == pytest.approx((12 - 9 - 1) / 20)
    assert none["bot", 2] == pytest.approx((19 - 9 - 1) / 20)
    assert none["beast", 1] == pytest.approx((15 - 9 - 1) / 20)
    assert none["beast", 2] == pytest.approx((16 - 9 - 1) / 20)


def test_the_schema_has_both():
    definitions = analyzer.schema()["$defs"]
    for game in systems().values():
        for model in (game.Statblock, game.Sheet):
            properties = definitions[model.__name__]["properties"]
            assert properties["rounds"]["maxItems"] == 100
            assert "level" in properties
    assert json.dumps(definitions["D20Statblock"]["properties"]["level"]["maximum"]) == "100"


def test_explain_shows_the_listed_rounds(tmp_path):
    file = tmp_path / "guard.toml"
    file.write_text(f"{HEAD}{GUARD}rounds = [{{ attack = '+9' }}, {{ damage = '2d8' }}, {{}}]\n{GUARD.replace('guard', 'other')}", encoding="utf-8")
    shown = CliRunner().invoke(app, ["explain", str(file), "--ac", "23"])
    assert shown.exit_code == 0, shown.output
    titles = [line.strip() for line in shown.output.splitlines() if line.startswith(("guard", "other")) and "attack" not in line]
    assert titles[:4] == ["guard", "guard, round 1", "guard, round 2", "guard, round 3 and later"]
    assert not [title for title in titles if title.startswith("other, ")]
    assert shown.output.count("+9 ") == 1
    assert "2d8" in shown.output
