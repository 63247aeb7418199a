"""Neverwinter Nights: hand-worked numbers for each clause and switch, on derived plans and on what the engines make of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from analyzer import curve, examples
from analyzer.plan import Attack, Critical, Packets, Reduction
from analyzer.rulekit.layers import inseparable, percent_off
from analyzer.rulekit.system import Derivation
from analyzer.scenario import Build, ScenarioError, loads, sheet, statblock, target
from tests.test_montecarlo import agreement, follow

SINGLE: dict[str, Any] = {"weapon": {"damage": "1d8"}}
SCENARIOS = {name: loads(examples.text(name), source=name) for name in examples.names() if name.startswith("nwn")}


def attacks(derived: Derivation) -> list[Attack]:
    return [attack for step in derived.plan.steps for attack in step.variants if attack is not None]


def bonuses(build: Build) -> list[int]:
    return [a.bonus for a in attacks(build.derive())]


def written(packets: Packets) -> list[str]:
    (packet,) = packets
    out = []
    for part in packet.parts:
        (roll,) = part.rolls
        dice = "+".join(f"{d.count}d{d.sides}" for d in roll.dice)
        floor = f">={part.minimum} " if part.minimum else ""
        out.append(f"{roll.times}x({dice or 0}{roll.flat:+d}) {floor}{part.type}{' precision' if roll.precision else ''}")
    return out


def hero(rules: dict[str, Any] | None = None, **keys: Any) -> Build:
    arms = {} if "weapons" in keys else SINGLE
    return sheet("nwn", rules=rules, **({"bab": 6, "modifiers": {"strength": 3, "dexterity": 1}} | arms | keys))


def hit(text: str, **more: Any) -> Build:
    """A statblock that always hits but on a natural 1."""
    return statblock("+100", text, system="nwn", name="x", **({"critical": "none"} | more))


def faced(**keys: Any) -> Any:
    return target("nwn", **({"ac": 10} | keys))


def damage_of_a_hit(build: Build, **keys: Any) -> dict[int, Fraction]:
    """The distribution of the damage of a single attack that hits 19 times in 20."""
    (row,) = curve(build, 10, target=faced(**keys)).pmf
    chances = {x: Fraction(p * 20 / 19).limit_denominator(10**4) for x, p in enumerate(row) if x and p}
    chances[0] = 1 - sum(chances.values())
    return chances if chances[0] else {x: p for x, p in chances.items() if x}


# -- the attack roll and the threat roll -----------------------------------------------------------------------------------------------------------------


def test_only_the_attack_roll_knows_naturals():
    (one,) = attacks(statblock("+5", "1d8", system="nwn", critical="19-20/x2").derive())
    assert (one.check.ties_hit, one.check.auto_miss_to, one.check.auto_hit_from, one.check.threat_from) == (True, 1, 20, 19)
    assert (one.check.critical, one.check.confirm_naturals) == (Critical.CONFIRM, False)
    (turned,) = attacks(statblock("+5", "1d8", system="nwn", rules={"threat_naturals": True}).derive())
    assert turned.check.confirm_naturals


@pytest.mark.parametrize(
    ("bonus", "ac", "critical", "crit"),
    [
        (10, 11, "19-20/x2", "1/10"),  # the threat roll reaches 11 with a 1: every threat is a critical
        (9, 11, "19-20/x2", "19/200"),  # it needs a 2
        (0, 20, "18-20/x2", "1/400"),  # only a 20 hits, and only a 20 confirms
        (0, 21, "20/x2", "0"),  # a natural 20 hits; no threat roll reaches 21
    ],
)
def test_chance_of_a_critical(bonus, ac, critical, crit):
    (found,) = curve(statblock(bonus, 1, system="nwn", critical=critical), ac, by="attack").to_dict("records")
    assert found["crit_chance"] == pytest.approx(float(Fraction(crit)), rel=1e-12, abs=0)


# -- what a critical multiplies --------------------------------------------------------------------------------------------------------------------------


def test_item_damage_is_rolled_again_and_the_rest_is_not():
    build = statblock(
        "+5",
        "2d4+3 slashing",
        system="nwn",
        critical="20/x4",
        bonus_damage=["1d6 fire", "2 cold"],
        extra=["5d6 sneak"],
        critical_extra=["1d10"],
        overwhelming_critical=True,
    )
    (one,) = attacks(build.derive())
    assert one.on[:2] == ((), ())
    assert written(one.on[2]) == ["1x(2d4+3) >=1 slashing", "1x(1d6+0) fire", "1x(0+2) cold", "1x(5d6+0) physical precision"]
    assert written(one.on[3]) == [
        "4x(2d4+3) >=1 slashing", "4x(1d6+0) fire", "4x(0+2) cold", "1x(5d6+0) physical precision", "1x(1d10+0) physical", "1x(3d6+0) slashing",
    ]  # fmt: skip


def test_overwhelming_critical_of_a_multiplier_of_one_adds_nothing():
    (one,) = attacks(statblock("+5", "1d8", system="nwn", critical="20/x1", overwhelming_critical=True).derive())
    assert one.on[3] == one.on[2]


def test_a_hit_deals_at_least_one_point_with_the_weapon():
    """A critical of two rolls of 1d4 - 2: ten of the sixteen sums are 1 or less and count as 1; the fire comes on top."""
    build = hit("1d4-2", critical="2-20/x2", extra=["1 fire"])
    assert damage_of_a_hit(build) == {2: Fraction(10, 16), 3: Fraction(3, 16), 4: Fraction(2, 16), 5: Fraction(1, 16)}


def test_threat_ranges_stack():
    def threat(weapon, **keys):
        (one,) = attacks(hero(bab=1, weapon={"damage": "1d8"} | weapon, **keys).derive())
        return one.check.threat_from, one.on[3][0].parts[0].rolls[0].times

    improved = {"feats": ["improved critical"]}
    assert threat({"critical": "19-20/x2"}) == (19, 2)
    assert threat({"critical": "19-20/x2", "keen": True}) == (17, 2)
    assert threat({"critical": "19-20/x2", "keen": True}, **improved) == (15, 2)
    assert threat({"critical": "18-20/x2", "keen": True, "ki_critical": True, "increased_multiplier": True}, **improved) == (10, 3)
    assert threat({"critical": "20/x4", "keen": True}, **improved) == (18, 4)
    assert threat({"critical": "19-20/x2", "focus": False}, **improved) == (19, 2)
    assert threat({"critical": "none", "keen": True, "ki_critical": True}, **improved) == (21, 2)
    assert threat({"critical": "10-20/x2", "keen": True}, **improved) == (1, 2)


# -- attacks of a round ----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bab", "ladder"), [(0, [3]), (5, [8]), (6, [9, 4]), (16, [19, 14, 9, 4]), (30, [33, 28, 23, 18])])
def test_ladder(bab, ladder):
    assert bonuses(hero(bab=bab)) == ladder


@pytest.mark.parametrize(("bab", "ladder"), [(3, [3]), (4, [4, 1]), (8, [8, 5, 2]), (16, [16, 13, 10, 7, 4, 1]), (25, [25, 22, 19, 16, 13, 10])])
def test_ladder_of_a_monk(bab, ladder):
    assert bonuses(hero(bab=bab, monk=True, modifiers={})) == ladder
    assert bonuses(hero(bab=8, monk=True, modifiers={}, weapon={"damage": "1d6", "kind": "ranged"})) == [8, 3]
    assert bonuses(hero(bab=8, monk=True, base_attacks="+8", modifiers={})) == [8]


def test_free_attacks_at_full_bonus_or_on_a_ladder():
    build = hero(bab=16, base_attacks="+16/+11/+6", modifiers={}, extra_attacks=["haste", "flurry"])
    assert bonuses(build) == [14, 9, 4, 14, 14]
    assert bonuses(build.but(rules={"free_attacks": "ladder"})) == [14, 9, 4, 14, 9]
    assert bonuses(hero(bab=8, monk=True, modifiers={}, extra_attacks=["haste", "divine power"], rules={"free_attacks": "ladder"})) == [8, 5, 2, 8, 3]
    assert bonuses(hero(base_attacks=[], modifiers={}, extra_attacks=["haste"])) == [6]


def test_fifteen_attacks_and_more():
    build = hero(base_attacks=list(range(40, 20, -1)), extra_attacks=["haste"] * 8)
    assert len(bonuses(build)) == 28


@pytest.mark.parametrize(
    ("feats", "light", "main", "off"),
    [
        ([], False, -6, -10),
        ([], True, -4, -8),
        (["ambidexterity"], False, -6, -6),
        (["two-weapon fighting"], False, -4, -8),
        (["two-weapon fighting"], True, -2, -6),
        (["ambidexterity"], True, -4, -4),
        (["ambidexterity", "two-weapon fighting"], False, -4, -4),
        (["ambidexterity", "two-weapon fighting"], True, -2, -2),
    ],
)
def test_two_weapons(feats, light, main, off):
    """The table of dual-wielding; free attacks are without these penalties, and come between the hands."""
    pair = [{"name": "m", "damage": "1d8"}, {"name": "o", "damage": "1d6", "hand": "off", "light": light}]
    build = hero(bab=6, modifiers={}, feats=feats, weapons=pair, extra_attacks=["haste"])
    assert [(a.label, a.bonus) for a in attacks(build.derive())] == [("m", 6 + main), ("m", 1 + main), ("m", 6), ("o", 6 + off)]
    improved = build.but(feats=[*feats, "improved two-weapon fighting"])
    assert bonuses(improved)[3:] == [6 + off, 1 + off]
    # a list stands for the ladder of the main hand; the off hand's one attack is at bab, and without one at the highest of the list
    assert bonuses(build.but(base_attacks="+9/+9/+2"))[-1] == 6 + off
    assert bonuses(build.but(bab=None, base_attacks="+9/+9/+2"))[-1] == 9 + off


def test_a_bow_beside_an_off_hand_has_no_penalty():
    pair = [{"damage": "1d8", "kind": "ranged"}, {"damage": "1d6", "hand": "off"}]
    assert bonuses(hero(bab=1, modifiers={}, weapons=pair)) == [1, -9]


@pytest.mark.parametrize(
    ("keys", "bonus"),
    [
        ({}, 3),
        ({"weapon": {"damage": "1d8", "kind": "ranged"}}, 1),
        ({"weapon": {"damage": "1d8", "kind": "thrown"}}, 1),
        ({"modifiers": {"dexterity": 5}, "weapon": {"damage": "1d4", "light": True}}, 0),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"], "weapon": {"damage": "1d4", "light": True}}, 5),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"], "weapon": {"damage": "1d6", "finesse": True}}, 5),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"]}, 0),
        ({"feats": ["weapon finesse"], "weapon": {"damage": "1d4", "light": True}}, 3),
        ({"feats": ["weapon focus"]}, 4),
        ({"feats": ["weapon focus", "epic weapon focus"]}, 6),
        ({"feats": ["weapon focus", "epic weapon focus"], "weapon": {"damage": "1d8", "focus": False}}, 3),
        ({"weapon": {"damage": "1d8", "focus": True, "enhancement": 2}}, 6),
        ({"weapon": {"damage": "1d8", "proficient": False}, "armor": {"check_penalty": -2, "proficient": False}}, -3),
        ({"power_attack": 5}, -2),
        ({"power_attack": 10}, -7),
        ({"power_attack": 5, "weapon": {"damage": "1d8", "kind": "ranged"}}, 1),
        ({"size": "small", "attack_bonuses": {"bless": 1}}, 5),
    ],
)
def test_attack_bonus(keys, bonus):
    assert bonuses(hero(**({"bab": 0} | keys))) == [bonus]


@pytest.mark.parametrize(("mode", "weapon"), [("flurry", {}), ("rapid shot", {"kind": "ranged"})])
def test_combat_modes_cost_two_on_every_attack(mode, weapon):
    plain = bonuses(hero(weapon={"damage": "1d8"} | weapon))
    assert bonuses(hero(weapon={"damage": "1d8"} | weapon, extra_attacks=[mode])) == [b - 2 for b in (*plain, plain[0])]
    assert bonuses(hero(weapon={"damage": "1d8"} | weapon, extra_attacks=["haste"])) == [*plain, plain[0]]


@pytest.mark.parametrize(
    ("keys", "weapon", "flat"),
    [
        ({}, {}, 3),
        ({}, {"hand": "off"}, 1),
        ({}, {"hand": "two"}, 4),
        ({}, {"hand": "two", "light": True}, 3),
        ({}, {"kind": "thrown"}, 3),
        ({}, {"kind": "ranged"}, 0),
        ({}, {"kind": "ranged", "mighty": 0}, 0),
        ({}, {"kind": "ranged", "mighty": 2}, 2),
        ({}, {"kind": "ranged", "mighty": 5}, 3),
        ({"modifiers": {"strength": -2}}, {}, -2),
        ({"modifiers": {"strength": -2}}, {"hand": "off"}, -2),
        ({"modifiers": {"strength": -2}}, {"hand": "two"}, -2),
        ({"modifiers": {"strength": -2}}, {"kind": "ranged"}, 0),
        ({"modifiers": {"strength": -2}}, {"kind": "ranged", "mighty": 0}, -2),
        ({"feats": ["weapon specialization"]}, {"enhancement": 1}, 6),
        ({"feats": ["weapon specialization", "epic weapon specialization"]}, {}, 9),
        ({"feats": ["weapon specialization", "epic weapon specialization"]}, {"focus": False}, 3),
        ({"power_attack": 5}, {"hand": "two"}, 9),
        ({"power_attack": 10}, {}, 13),
        ({"power_attack": 5}, {"kind": "thrown"}, 3),
        ({"damage_bonuses": {"prayer": 1}}, {}, 4),
    ],
)
def test_damage_modifiers(keys, weapon, flat):
    (one, *_) = attacks(hero(**keys, weapon={"damage": "1d8"} | weapon).derive())
    assert written(one.on[2]) == [f"1x(1d8{flat:+d}) >=1 physical"]


def test_entries_of_weapon_and_sheet_in_order():
    weapon = {"damage": "1d8", "bonus_damage": ["1 fire"], "extra": ["1 acid"], "critical_extra": ["1 cold"], "overwhelming_critical": True}
    (one, *_) = attacks(hero(weapon=weapon, bonus_damage=["2 fire"], extra=["2 acid"], critical_extra=["2 cold"]).derive())
    assert [text.split(")")[0][2:] for text in written(one.on[3])] == ["(1d8+3", "(0+1", "(0+2", "(0+1", "(0+2", "(0+1", "(0+2", "(1d6+0"]
    assert [part.type for part in one.on[3][0].parts] == ["physical", "fire", "fire", "acid", "acid", "cold", "cold", "physical"]


# -- the target ------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "ac"),
    [
        ({}, 10),
        ({"ac": 30, "immunity": {"fire": 50}, "concealment": 10}, 30),
        ({"dodge": [15, 3]}, 28),
        ({"dodge": [15, 3, 4]}, 30),
        ({"dodge": [15, 9], "flat_footed": True, "uncanny_dodge": True, "dexterity_modifier": 2}, 12),
        ({"dexterity_modifier": 2, "flat_footed": True}, 10),
        ({"dexterity_modifier": -2, "flat_footed": True}, 8),
        ({"armor": {"bonus": 8, "enhancement": 2, "max_dexterity": 1}, "dexterity": 16, "deflection": [2, 5], "natural": [1, 3]}, 29),
        ({"armor": {"bonus": 8}, "shield": {"bonus": 3}, "natural": 2, "deflection": 1, "dexterity_modifier": 2, "touch": True}, 13),
    ],
)
def test_armor_class(keys, ac):
    assert hero().derive(target("nwn", **keys)).target.ac == (ac,)


def test_concealment_and_blind_fight():
    plain, trained = hit("1"), hit("1", blind_fight=True)
    assert plain.derive(faced(concealment=30, miss_chance=20)).target.miss == (30, 100)
    assert plain.derive(faced(concealment=10, miss_chance=20)).target.miss == (20, 100)
    assert (plain.derive(faced(concealment=30)).target.miss_rolls, trained.derive(faced(concealment=30)).target.miss_rolls) == (1, 2)
    assert hero(feats=["blind-fight"]).derive(faced(concealment=30)).target.miss_rolls == 2
    assert trained.derive(faced()).target == plain.derive(faced()).target
    answers = curve([plain.but(name="a"), trained.but(name="b")], 10, target=faced(concealment=30))
    assert answers["hits"].tolist() == pytest.approx([0.95 * 0.7, 0.95 * 0.91], rel=1e-12)


def test_immunity_to_criticals_covers_sneak_attacks():
    build = hit("1", critical="2-20/x2", extra=["3 sneak", "4 fire"])
    assert damage_of_a_hit(build, immune=["critical"]) == {5: 1}
    assert damage_of_a_hit(build.but(rules={"critical_immunity_covers_sneak": False}), immune=["critical"]) == {8: 1}
    assert damage_of_a_hit(build, immune=["precision"]) == {6: 1}
    assert damage_of_a_hit(build) == {9: 1}


def test_percent_is_rounded_down_and_what_is_left_up():
    (ten,) = percent_off({"slashing": 10})
    assert [ten(x) for x in (0, 1, 9, 10, 11, 19, 20, 109, 110)] == [0, 1, 9, 9, 10, 18, 18, 99, 99]
    (more,) = percent_off({"cold": -25})
    assert [more(x) for x in (0, 1, 3, 4, 7, 8)] == [0, 1, 3, 5, 8, 10]
    (whole,) = percent_off({"fire": 100})
    (none,) = percent_off({"fire": 0})
    assert (whole(77), none(77)) == (0, 77)
    assert [r.types and sorted(r.types) for r in percent_off({"all": 1, "physical": 2, "fire": 3})] == [
        ["fire"],
        ["bludgeoning", "physical", "piercing", "slashing"],
        None,
    ]


def test_layers_run_from_immunity_over_resistance_to_reduction():
    derived = hit("1").derive(faced(reduction={"all": 1, "physical": 2}, resistance={"fire": "immune", "slashing": 4}, immunity={"slashing": 50}))
    first, second, third, fourth, fifth = derived.target.reductions[0]
    assert first == Reduction(types=frozenset({"slashing"}), keep=(50, 100), up=True)
    assert {(r.types, r.keep, r.subtract) for r in (second, third)} == {(frozenset({"fire"}), (0, 1), 0), (frozenset({"slashing"}), (1, 1), 4)}
    assert (fourth.subtract, fifth.types) == (2, None)


@pytest.mark.parametrize(
    ("damage", "extra", "left"),
    [
        ("21 slashing", [], 21 - 10 - 5 - 3),
        ("21 piercing", [], 21 - 3),
        ("8 slashing", ["2 piercing"], 0),  # 8 - 4 - 4 of slashing, and 2 of piercing: the soak of 3 is on both
        ("8 slashing", ["9 piercing"], 6),
        ("1", ["7 fire"], 7 - 3 + 0),
        ("1", ["7 cold"], 7 + 1),
        ("1", ["3 sneak", "6 acid"], (1 + 3 - 3) + 6),
    ],
)
def test_layers_worked(damage, extra, left):
    layers = {"immunity": {"slashing": 50, "fire": 50, "cold": -25}, "resistance": {"slashing": 5}, "reduction": {"physical": 3}}
    assert damage_of_a_hit(hit(damage, extra=extra), **layers) == {left: 1}


def test_layers_a_plan_cannot_tell_apart_are_refused():
    assert not list(inseparable([("a", {"fire": 1, "slashing": 1}), ("b", {"slashing": 1, "physical": 1}), ("c", {"physical": 1, "all": 1})]))
    (problem,) = inseparable([("a", {"physical": 1}), ("b", {"slashing": 1, "fire": 1})])
    assert problem.path == ("b", "slashing")
    with pytest.raises(ScenarioError, match="slashing must be left out of reduction when resistance, which comes first, names physical"):
        faced(resistance={"physical": 5}, reduction={"slashing": 5})


# -- both engines ----------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENARIOS)
def test_examples_replay_and_agree(name):
    scenario = SCENARIOS[name]
    for build in scenario.builds:
        derived = build.derive(scenario.target)
        for ac in (14, derived.target.ac[0]):
            follow(derived.plan, derived.target, ac, trials=150)
        verdict = agreement(derived.plan, derived.target, (14, derived.target.ac[0]), trials=100_000)
        assert verdict.agree, verdict


def test_explained_with_the_rule():
    derived = hero(bab=16, extra_attacks=["haste", "flurry"], rules={"free_attacks": "ladder"}).derive(faced(concealment=20, immunity={"fire": 10}))
    lines = {line.name: (line.value, line.rule) for line in derived.lines}
    assert lines["free attack 2 (flurry)"][0] == "+12"
    assert "switch free_attacks" in lines["free attack 2 (flurry): base attack bonus"][1]
    assert lines["immunity: fire"][0] == "10 %"
    assert "by its total alone" in lines["critical"][1]
    assert {line.value for line in hero().derive(target("nwn", dodge=[15, 9])).lines if line.name == "dodge"} == {"20"}
