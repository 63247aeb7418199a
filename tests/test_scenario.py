"""Build files and keyword builds: what is read, what is refused and in which words, and what a variation changes."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import scenario as module
from analyzer.rulekit.problems import Problem, ProblemError, dotted, key, shown, suggestion
from analyzer.scenario import Build, Scenario, ScenarioError, load, loads, rules_from_strings, schema, sheet, statblock, target
from analyzer.systems import systems

BAD = Path(__file__).parent / "bad"
EXPECTED: dict[str, list[str]] = json.loads((BAD / "expected.json").read_text(encoding="utf-8").replace("{systems}", ", ".join(systems())))
GUARD = '[[build]]\nname = "guard"\nattack = "+5/+0"\ndamage = "1d8+3"\n'


def bonuses(build: Build) -> list[int]:
    return [a.bonus for step in build.derive().plan.steps for a in step.variants if a is not None]


def flat(build: Build, degree: int = 2) -> int:
    (attack, *_) = (a for step in build.derive().plan.steps for a in step.variants if a is not None)
    return attack.on[degree][0].parts[0].rolls[0].flat


# -- malformed files -------------------------------------------------------------------------------------------------------------------------------------


def test_every_malformed_file_has_its_messages():
    assert {path.stem for path in BAD.glob("*.toml")} == set(EXPECTED)
    assert len(EXPECTED) >= 20


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_malformed_file(name):
    """All problems at once, each in the expected words."""
    expected = [line.replace("{systems}", ", ".join(systems())) for line in EXPECTED[name]]
    with pytest.raises(ScenarioError) as caught:
        loads((BAD / f"{name}.toml").read_text(encoding="utf-8"), source=f"{name}.toml")
    assert list(caught.value.problems) == expected
    assert str(caught.value).splitlines() == expected


@pytest.mark.parametrize("line", [line for lines in EXPECTED.values() for line in lines])
def test_messages_keep_the_house_wording(line):
    """``PATH: NAME must be WHAT; got VALUE``, or what would be known, and no word of a library's."""
    assert re.search(r" must [a-z]", line)
    assert re.search(r"; (got|did you mean|known:) ?", line) or "at most 131072" in line
    assert not re.search(r"pydantic|validation|Input should|value_error|type=|Traceback|Extra inputs|NoneType|dict\b|tuple", line)


def test_files_that_cannot_be_read(tmp_path):
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'system = "d20" # f\xfcr\n')
    for path, words in [
        (tmp_path / "none.toml", "file must exist; got no such file"),
        (tmp_path, "file must be a build file; got a directory"),
        (latin, "file must be text in UTF-8; got byte 0xfc at position 18"),
        ("a\0b", "file must be a path"),
    ]:
        with pytest.raises(ScenarioError, match=words) as caught:
            load(path)
        assert len(caught.value.problems) == 1


def test_deep_nesting_is_refused():
    with pytest.raises(ScenarioError, match="file must be TOML"):
        loads("a = " + "[" * 100_000)


def problems_of(make: Callable[[], object]) -> tuple[str, ...]:
    """The problems of a build file or keywords, none when they are read."""
    try:
        make()
    except ScenarioError as error:
        return error.problems or ("an error without problems",)
    return ()


@given(st.text())
def test_any_text_is_read_or_refused(text):
    assert all("must" in line for line in problems_of(lambda: loads(text)))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["1d6", "+5", "tower"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["damage", "name", "kind", "bonus", "at", "use", "x y"]), inner, max_size=3),
    max_leaves=6,
)


VALUES.validate()  # now: in a new checkout Hypothesis first makes its tables of letters, and would hold the seconds against the first value drawn


@given(data=st.data(), system=st.sampled_from(sorted(systems())))
def test_any_keywords_are_read_or_refused(data, system):
    game = module.get_game(system)
    for make, model in ((lambda **keys: sheet(system, **keys), game.Sheet), (lambda **keys: target(system, **keys), game.Target)):
        keys = data.draw(st.dictionaries(st.sampled_from([*model.model_fields, "nonsense"]), VALUES, max_size=4))
        assert all("must" in line for line in problems_of(partial(make, **keys)))


def test_problems_of_a_derivation_name_the_build():
    build = sheet("starfinder", name="sniper", bab=3, weapon={"damage": "1d8", "kind": "ranged", "range": 60})
    with pytest.raises(ScenarioError, match=r"build \(sniper\)\.weapon\.range: range must allow"):
        build.derive(target("starfinder", distance=601))
    with pytest.raises(ScenarioError, match=r"ac: ac must be -10000 to 10000"):
        build.derive(ac=10**6)


def test_a_target_of_another_game_is_refused():
    with pytest.raises(TypeError, match="target must be a target of core"):
        statblock("+3", "1d6", system="core").derive(target("d20"))


# -- what is read ----------------------------------------------------------------------------------------------------------------------------------------


def test_a_file_has_its_parts(tmp_path):
    path = tmp_path / "my.toml"
    text = (
        '\ufeffsystem = "d20"\n[rules]\nties = "hit"\n[target]\nac = 28\nreduction = { physical = 5 }\n'
        + GUARD
        + "[[build]]\nbab = 6\nweapon = { damage = 3 }\n"
    )
    path.write_text(text, encoding="utf-8")
    found = load(path)
    assert isinstance(found, Scenario)
    assert (found.system, found.source, [b.name for b in found.builds]) == ("d20", str(path), ["guard", "build 2"])
    assert [type(b.model).__name__ for b in found.builds] == ["D20Statblock", "D20Sheet"]
    assert all(b.rules == found.rules for b in found.builds)
    assert found.builds[0].derive(found.target).target.ac == (28,)
    assert found.builds[0].derive(found.target, ac=np.int64(31)).target.ac == (31,)


def test_a_round_without_attacks():
    for build in (statblock([], "1d8"), sheet(bab=3, weapons=[]), sheet("core", proficiency_bonus=2), statblock("+3", "1d6", system="core", attacks=0)):
        assert build.derive().plan.steps == ()


def test_weapons_without_dice_and_numbers_as_numbers():
    build = statblock(5, 3, critical="19-20")
    assert (build.name, bonuses(build), flat(build)) == ("+5 3", [5], 3)


def test_no_ac_is_said():
    for build in (statblock("+5", "1d8"), statblock("+5", "1d8", system="core"), statblock("+5", "1d8", system="starfinder")):
        assert any(line.section == "target" and re.search(r"\bno (AC|EAC)", line.rule) for line in build.derive().lines)


def test_names():
    assert statblock("+20/+15", "2d6+15").name == "+20/+15 2d6+15"
    assert statblock("+20", "1d6", name="x").name == "x"
    assert sheet(bab=1, weapon={"damage": "1d8"}).name == "sheet"


@pytest.mark.parametrize(("extra", "what"), [(True, "got true"), (False, "got false"), (2.5, "got 2.5"), (["1d6", True], r"extra\[1\] must be .*got true")])
def test_extra_damage_that_is_none_is_refused(extra, what):
    with pytest.raises(ScenarioError, match=rf"^extra.*{what}$"):
        statblock("+20", "1d6", extra=extra)


@pytest.mark.parametrize("extra", [(), [], "", iter(()), np.array([], dtype=str)])
def test_no_extra_damage_is_as_if_left_out(extra):
    assert "extra" not in statblock("+20", "1d6", extra=extra).model.given()


def test_extra_damage_may_come_in_any_sequence():
    assert statblock("+20", "1d6", extra=np.array(["1d6", "2 fire"])) == statblock("+20", "1d6", extra=iter(["1d6", "2 fire"]))


def test_problems_of_keywords_come_all_at_once():
    with pytest.raises(ScenarioError) as caught:
        statblock("+20/", "2d6++", crit="x3", rules={"tie": "hit"})
    assert [line.split(":")[0] for line in caught.value.problems] == ["rules.tie", "attack", "damage", "crit"]
    with pytest.raises(ScenarioError, match="did you mean 'fire'"):
        target(reduction={"fir": 5})
    with pytest.raises(ScenarioError, match="system must be one of"):
        target("d21")


def test_a_type_only_a_build_deals_may_be_reduced():
    text = 'system = "d20"\n[target]\nreduction = { eldritch = 3 }\n' + GUARD + 'extra = ["1d6 eldritch"]\n'
    assert loads(text).target.reduction == {"eldritch": 3}


# -- variations ------------------------------------------------------------------------------------------------------------------------------------------


def test_but_shifts_and_replaces():
    build = statblock("+20/+15", "2d6+15", name="greatsword")
    assert bonuses(build.but(attack=+1)) == [21, 16]
    assert bonuses(build.but(attack=np.int64(-2))) == [18, 13]
    assert bonuses(build.but(attack="+9")) == [9]
    assert bonuses(build.but(attack=[9, 4])) == [9, 4]
    assert (flat(build.but(damage=2)), flat(build.but(damage="1d4+1")), flat(build.but(damage=-20))) == (17, 1, -5)
    assert build.but(critical="17-20/x3", extra="5d6").derive().plan.steps[0].variants[0].check.threat_from == 17
    assert build.but(rules={"ties": "hit"}).derive().plan.steps[0].variants[0].check.ties_hit
    assert build == statblock("+20/+15", "2d6+15", name="greatsword")


def test_but_tells_its_changes_in_the_name():
    build = statblock("+20", "2d6", name="x")
    assert build.but(attack=1, damage=-2).name == "x (attack +1, damage -2)"
    assert build.but(critical="19-20/x2", rules={"ties": "hit"}).name == "x (critical 19-20/x2, ties hit)"
    assert build.but(attack=1, name="y").name == "y"
    assert build.but().name == "x"
    assert build.but(attack=1).but(attack=1).name == "x (attack +1) (attack +1)"


def test_but_on_sheets():
    build = sheet(bab=6, weapon={"damage": "1d8"}, name="f")
    assert bonuses(build.but(attack=2)) == [8, 3]
    assert bonuses(build.but(attack=2).but(attack=1)) == [9, 4]
    assert bonuses(build.but(bab=1, abilities={"strength": 14})) == [3]
    assert flat(build.but(damage=3)) == 3
    assert flat(build.but(damage_bonuses={"bless": 1}).but(damage=3)) == 4


def test_but_on_several_weapons():
    build = loads('system = "d20"\n[[build]]\nweapons = [{ attack = "+5", damage = "1d8" }, { attack = "+3", damage = "1d4" }]\n').builds[0]
    assert bonuses(build.but(attack=2)) == [7, 5]
    assert [a.on[2][0].parts[0].rolls[0].flat for s in build.but(damage=2).derive().plan.steps for a in s.variants if a] == [2, 2]
    with pytest.raises(ScenarioError, match="attack must be a key of each weapon"):
        build.but(attack="+7")


def test_but_in_core_reaches_criticals():
    whole = statblock("+3", "1d6", system="core", on_critical="2d6")
    assert (flat(whole.but(damage=2)), flat(whole.but(damage=2), 3)) == (2, 2)
    beast = sheet("core", proficiency_bonus=2, body_parts={"bite": {"on_hit": "1d6", "on_critical": "2d6"}}, turn=["bite"])
    assert (flat(beast.but(damage=2)), flat(beast.but(damage=2), 3), bonuses(beast.but(attack=1))) == (2, 2, [3])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"critcal": "x3"}, "critcal must be a known key; did you mean 'critical'?"),
        ({"attack": "x"}, "attack must be attack bonuses"),
        ({"attack": 2000}, "attack must be -1000 to 1000"),
        ({"damage": 20_000}, "at most 10000 points"),
        ({"rules": {"tie": "hit"}}, "tie must be a known key; did you mean 'ties'?"),
        ({"bab": 3}, "bab must be left out of a statblock"),
        ({"name": "two\nlines"}, "name must be 1 to 80 characters"),
        ({"damage": True}, "damage must be dice"),
    ],
)
def test_but_refuses(changes, words):
    with pytest.raises(ScenarioError, match=re.escape(words)):
        statblock("+20", "2d6").but(**changes)


def test_switches_of_a_whole_file():
    found = loads('system = "d20"\n' + GUARD).but(rules={"ties": "hit"})
    assert found.builds[0].derive().plan.steps[0].variants[0].check.ties_hit
    with pytest.raises(ScenarioError, match="ties must be 'miss' or 'hit'; got 'hits'"):
        found.but(rules={"ties": "hits"})


def test_switches_from_words():
    assert rules_from_strings({"ties": "hit", "confirm_naturals": "on"}) == {"ties": "hit", "confirm_naturals": True}
    assert rules_from_strings({"confirm_naturals": "FALSE"}) == {"confirm_naturals": False}
    assert rules_from_strings({}, "core") == {}
    for pairs, words in [
        ({"confirm_naturals": "maybe"}, "must be true or false"),
        ({"tie": "hit"}, "did you mean 'ties'"),
        ({"ties": "on"}, "'miss' or 'hit'"),
    ]:
        with pytest.raises(ScenarioError, match=words):
            rules_from_strings(pairs)


def test_builds_travel_to_other_processes():
    build = statblock("+20/+15", "2d6+15", extra=["5d6 sneak"])
    assert pickle.loads(pickle.dumps(build)) == build


def test_schema_is_json():
    assert json.loads(json.dumps(schema())) == schema()
    assert schema()["$defs"]["D20Statblock"]["properties"]["critical"]["default"] == "20/x2"


# -- the words of problems -------------------------------------------------------------------------------------------------------------------------------


def test_paths_are_written_as_toml_writes_them():
    assert dotted(("build", 0, "weapons", 1, "extra", 2)) == "build[0].weapons[1].extra[2]"
    assert dotted(("attack_bonuses", "two weapons")) == "attack_bonuses.'two weapons'"
    assert (key(("build", 0, "extra", 1)), key(("target", "ac")), key(("build", 0))) == ("extra[1]", "ac", "build[0]")


def test_values_are_shown_short():
    assert [shown(v) for v in (None, True, {}, [], [1, "a"], 1.5, "x")] == ["nothing", "true", "a table", "an empty list", "[1, 'a']", "1.5", "'x'"]
    assert len(shown("x" * 1000)) <= 80
    assert shown(10**5000).endswith("bits")
    assert shown([10**5000])
    assert shown(list(range(100))).endswith("...]")


def test_suggestions():
    assert suggestion("crit", ["critical", "extra"]) == "did you mean 'critical'?"
    assert suggestion("zzz", ["critical", "extra"]) == "known: critical, extra"
    assert suggestion("zzz", []) == "none are known here"


def test_problem_errors_list_their_problems():
    error = ProblemError([Problem.of(("a", 0), "b", 1), Problem((), "c must be d; got e")])
    assert str(error) == "a[0]: a[0] must be b; got 1\nc must be d; got e"


@pytest.mark.parametrize(("written", "meant"), [("1d8 slahing", "slashing"), ("2d6 fir", "fire"), ("1d6 pierceing", "piercing")])
def test_a_misspelt_damage_type_would_slip_past_a_reduction(written, meant):
    with pytest.raises(ScenarioError, match=f"did you mean '{meant}'"):
        statblock("+5", written)
    with pytest.raises(ScenarioError, match=f"did you mean '{meant}'"):
        statblock("+5", "1d6", extra=[written])


def test_a_damage_type_of_ones_own_is_no_slip():
    assert statblock("+5", "1d8 psionic").derive().plan.steps[0].variants[0].on[2][0].parts[0].type == "psionic"
