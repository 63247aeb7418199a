"""D&D 3.5: hand-worked numbers for each of its rules, on plans and on results."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analyzer import curve, sheet, statblock
from analyzer.plan import Critical, Part
from analyzer.scenario import Build, ScenarioError, target
from tests.test_systems import attacks, bonuses

FAMILY = ("srd35", "pathfinder1")
SMALL = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "small").glob("*.toml")) if path.stem.split("-")[0] in FAMILY}
DARK = {"miss_chance": 20}


def block(attack: Any, damage: Any, system: str = "srd35", **keys: Any) -> Build:
    return statblock(attack, damage, system=system, **keys)


def fighter(system: str = "srd35", **keys: Any) -> Build:
    weapon = {"damage": "1d8"} | keys.pop("weapon", {})
    return sheet(system, **({"bab": 6, "modifiers": {"strength": 4}} | ({} if "weapons" in keys else {"weapon": weapon}) | keys))


def told(part: Part) -> str:
    """A part as text: each roll as times x dice, its own minimum, and the minimum of the part."""
    rolls = []
    for roll in part.rolls:
        dice = "+".join(f"{d.count}d{d.sides}" for d in roll.dice) or "0"
        least = "" if roll.minimum is None else f">={roll.minimum}"
        rolls.append(f"{roll.times}x({dice}{roll.flat:+d}){least}{' precision' if roll.precision else ''}")
    return f"{' & '.join(rolls)} {part.type}" + (f" sum>={part.minimum}" if part.minimum else "")


def blow(build: Build, degree: int = 2, k: int = 0, packet: int = 0) -> list[str]:
    return [told(part) for part in attacks(build.derive())[k].on[degree][packet].parts]


def flat(build: Build, **keys: Any) -> int:
    return attacks(build.derive(target(build.system, **keys)))[0].on[2][0].parts[0].rolls[0].flat


def threat(build: Build) -> int:
    return attacks(build.derive())[0].check.threat_from


def exact(build: Build, ac: int, column: str = "dpr", **keys: Any) -> float:
    return curve(build, ac, target=keys)[column][0]


def is_fraction(value: float, n: int, d: int) -> bool:
    return value == pytest.approx(float(Fraction(n, d)), rel=1e-12)


# -- the attack roll and the critical --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", FAMILY)
def test_meeting_ac_hits_and_naturals_are_automatic(system):
    assert is_fraction(exact(block("+5", "1", system), 15, "any_hit"), 11, 20)
    assert is_fraction(exact(block("+40", "1", system), 15, "any_hit"), 19, 20)
    assert is_fraction(exact(block("-40", "1", system), 15, "any_hit"), 1, 20)


@pytest.mark.parametrize("system", FAMILY)
def test_a_threat_must_hit_and_naturals_decide_the_critical_roll(system):
    only_20 = block("+0", "1", system, critical="19-20/x2")
    assert is_fraction(exact(only_20, 25, "any_crit"), 1, 400)
    sure = block("+40", "1", system, critical="20/x2")
    assert is_fraction(exact(sure, 10, "any_crit"), 19, 400)
    assert is_fraction(exact(block("+5", "1", system, critical="17-20/x2"), 15, "any_crit"), 4 * 11, 400)


@pytest.mark.parametrize("system", FAMILY)
def test_natural_20_counts_as_30_by_switch(system):
    thirty = {"natural_20": "30"}
    assert exact(block("-15", "1", system, rules=thirty), 16, "any_hit") == 0
    assert is_fraction(exact(block("-14", "1", system, rules=thirty), 16, "any_hit"), 1, 20)
    assert is_fraction(exact(block("-14", "1", system, rules=thirty), 16, "any_crit"), 1, 400)
    assert exact(block("+26", "1", system, rules=thirty), 16, "any_hit") == 1
    assert is_fraction(exact(block("+26", "1", system, critical="20", rules=thirty), 16, "any_crit"), 1, 20)
    assert is_fraction(exact(block("+25", "1", system, rules=thirty), 16, "any_hit"), 19, 20)


@pytest.mark.parametrize("system", FAMILY)
def test_confirmation_by_switch_and_its_bonus(system):
    build = block("+5", "1d4", system, critical="19-20/x3", confirm_bonus=4)
    assert is_fraction(exact(build, 15, "any_crit"), 2 * 15, 400)
    auto = build.but(rules={"confirmation": "auto"})
    assert attacks(auto.derive())[0].check.critical is Critical.NATURAL
    assert is_fraction(exact(auto, 15, "any_crit"), 2, 20)
    assert is_fraction(exact(auto, 25, "any_crit"), 1, 20)


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("critical", "keys", "stacks", "lowest"),
    [
        ("18-20/x2", {"keen": True}, False, 15),
        ("19-20/x2", {"keen": True}, False, 17),
        ("20/x3", {"keen": True}, False, 19),
        ("19-20/x2", {}, False, 19),
        ("19-20/x2", {"keen": True, "feat": True}, False, 17),
        ("19-20/x2", {"keen": True, "feat": True}, True, 15),
        ("18-20/x2", {"keen": True, "feat": True}, True, 12),
        ("18-20/x2", {"feat": True}, True, 15),
        ("18-20/x2", {"feat": True, "focus": False}, False, 18),
        ("8-20/x2", {"keen": True}, False, 1),
        ("none", {"keen": True}, False, 21),
    ],
)
def test_threat_ranges(system, critical, keys, stacks, lowest):
    feats = ["improved critical"] if "feat" in keys else []
    weapon = {"critical": critical} | {k: v for k, v in keys.items() if k != "feat"}
    build = fighter(system, feats=feats, weapon=weapon, rules={"keen_stacks": stacks})
    assert threat(build) == lowest


# -- damage ----------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", FAMILY)
def test_multipliers_add_one_less_each(system):
    lance = block("+5", "1d8+2", system, critical="x3", multipliers=[3])
    assert blow(lance) == ["3x(1d8+2) physical sum>=1"]
    assert blow(lance, 3) == ["5x(1d8+2) physical sum>=1"]
    assert blow(block("+5", "1d6", system, critical="x3", multipliers=[2]), 3) == ["4x(1d6+0) physical sum>=1"]
    assert blow(block("+5", "1d6", system, critical="x2", multipliers=[3, 3]), 3) == ["6x(1d6+0) physical sum>=1"]


@pytest.mark.parametrize("system", FAMILY)
def test_precision_joins_the_weapon_and_the_rest_stands_apart(system):
    keys = {"critical": "19-20/x2", "extra": ["1d6 fire", "5d6 sneak", "1d4 slashing precision", "1d3 cold precision"], "critical_extra": "1d10 fire"}
    build = block("+5", "2d6+3 slashing", system, **keys)
    pool = "(2d6+3) & 1x(5d6+0) precision & 1x(1d4+0) precision slashing sum>=1"
    assert blow(build) == [f"1x{pool}", "1x(1d6+0) fire", "1x(1d3+0) precision cold"]
    assert blow(build, 3) == [f"2x{pool}", "1x(1d6+0) fire", "1x(1d3+0) precision cold", "1x(1d10+0) fire"]


@pytest.mark.parametrize("system", FAMILY)
def test_a_hit_deals_at_least_1_as_a_whole_or_by_roll(system):
    weak = block("+40", "1d3-4", system, critical="20/x2", rules={"confirmation": "auto"})
    assert is_fraction(exact(weak, 10), 19, 20)
    by_roll = weak.but(rules={"minimum": "roll"})
    assert blow(by_roll, 3) == ["2x(1d3-4)>=1 physical"]
    assert is_fraction(exact(by_roll, 10), 18 + 2, 20)
    assert is_fraction(exact(weak, 10, reduction={"physical": 1}), 0, 1)
    # 1d2-2 and 1d6: a 1 and a 1 come to 0, so to 1; by roll the weapon is always 1
    rapier = block("+40", "1d2-2", system, extra="1d6 sneak", critical="none")
    assert is_fraction(exact(rapier, 10), 19 * 37, 20 * 12)
    assert is_fraction(exact(rapier.but(rules={"minimum": "roll"}), 10), 19 * 9, 20 * 2)
    assert is_fraction(exact(rapier, 10, immune=["precision"]), 19, 20)


@pytest.mark.parametrize("system", FAMILY)
def test_reduction_covers_precision_and_leaves_energy(system):
    build = block("+40", "4", system, critical="none", extra=["3 sneak", "2 fire"])
    assert is_fraction(exact(build, 10, reduction={"physical": 5}), 19 * 4, 20)
    assert is_fraction(exact(build, 10, reduction={"physical": 50}), 19 * 2, 20)


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(("percent", "mean"), [(0, Fraction(90 + 15)), (25, Fraction(3 * 105 + 45, 4)), (75, Fraction(105 + 3 * 45, 4)), (100, Fraction(45))])
def test_fortification_takes_critical_and_precision_with_one_roll(system, percent, mean):
    """15 faces of 20 hit for 3 and 3 of precision, 5 of them as criticals for 3 more: 105 over all faces; without both, 45."""
    build = block("+40", "3", system, critical="16-20/x2", extra="3 sneak", rules={"confirmation": "auto", "natural_20": "30"})
    assert is_fraction(exact(build.but(attack="+0"), 6, fortification=percent), mean.numerator, mean.denominator * 20)


@pytest.mark.parametrize("system", FAMILY)
def test_fortification_needs_a_critical_or_precision(system):
    plain = block("+0", "3", system, critical="none")
    assert exact(plain, 11, fortification=100) == exact(plain, 11)
    hurt = plain.derive(target(system, fortification=60)).target
    assert hurt.negate == (60, 100)


# -- the sheet's attack ----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("keys", "bonus"),
    [
        ({"feats": ["weapon focus"]}, 11),
        ({"feats": ["weapon focus", "greater weapon focus"]}, 12),
        ({"feats": ["weapon focus", "greater weapon focus"], "weapon": {"focus": False}}, 10),
        ({"feats": ["weapon finesse"], "modifiers": {"strength": 1, "dexterity": 5}, "weapon": {"light": True}}, 11),
        ({"feats": ["weapon finesse"], "modifiers": {"strength": 5, "dexterity": 1}, "weapon": {"light": True}}, 11),
        ({"extra_attacks": ["haste"]}, 11),
        ({"extra_attacks": ["flurry"]}, 8),
        ({"weapon": {"proficient": False, "enhancement": 1}}, 7),
    ],
)
def test_attack_bonus(system, keys, bonus):
    assert bonuses(fighter(system, **keys))[0] == bonus


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("keys", "points"),
    [
        ({}, 4),
        ({"weapon": {"hand": "two"}}, 6),
        ({"weapon": {"hand": "off"}}, 2),
        ({"modifiers": {"strength": -3}, "weapon": {"hand": "two"}}, -3),
        ({"modifiers": {"strength": -3}, "weapon": {"hand": "off"}}, -3),
        ({"feats": ["weapon specialization"]}, 6),
        ({"feats": ["weapon specialization", "greater weapon specialization"]}, 8),
        ({"feats": ["weapon specialization"], "weapon": {"focus": False}}, 4),
        ({"weapon": {"kind": "ranged"}}, 0),
        ({"weapon": {"kind": "ranged", "strength_limit": 3}}, 3),
        ({"weapon": {"kind": "ranged", "strength_limit": 5}}, 4),
        ({"weapon": {"kind": "ranged", "bow": True}}, 0),
        ({"modifiers": {"strength": -2}, "weapon": {"kind": "ranged", "bow": True}}, -2),
        ({"modifiers": {"strength": -2}, "weapon": {"kind": "ranged", "strength_limit": 2}}, 0),
        ({"weapon": {"kind": "thrown", "enhancement": 2}, "damage_bonuses": {"prayer": 1}}, 7),
    ],
)
def test_damage_modifiers(system, keys, points):
    assert flat(fighter(system, **keys), distance=35) == points


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(("rating", "strength", "bonus"), [(3, 4, 6), (4, 4, 6), (5, 4, 4), (0, -1, 4), (0, 0, 6), (1, 0, 4)])
def test_a_bow_too_strong_costs_2(system, rating, strength, bonus):
    assert bonuses(fighter(system, modifiers={"strength": strength}, weapon={"kind": "ranged", "strength_limit": rating}))[0] == bonus


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("feats", "light", "main", "off"),
    [
        ([], False, [4, -1], [0]),
        ([], True, [6, 1], [2]),
        (["two-weapon fighting"], False, [6, 1], [6]),
        (["two-weapon fighting"], True, [8, 3], [8]),
        (["two-weapon fighting", "improved two-weapon fighting"], True, [8, 3], [8, 3]),
        (["two-weapon fighting", "improved two-weapon fighting", "greater two-weapon fighting"], True, [8, 3], [8, 3, -2]),
    ],
)
def test_two_weapons(system, feats, light, main, off):
    weapons = [{"damage": "1d8"}, {"damage": "1d6", "hand": "off", "light": light}]
    assert bonuses(fighter(system, feats=feats, weapons=weapons)) == main + off


@pytest.mark.parametrize("system", FAMILY)
def test_what_takes_part_in_two_weapon_fighting(system):
    off = {"damage": "1d6", "hand": "off", "light": True}
    two = {"damage": "2d6", "hand": "two"}
    assert bonuses(fighter(system, bab=1, weapons=[two, off])) == [5, -3]
    assert bonuses(fighter(system, bab=1, weapons=[{"damage": "1d6", "kind": "ranged"}, off])) == [1, -3]
    assert bonuses(fighter(system, bab=1, weapons=[{"damage": "1d6", "kind": "ranged"}, off | {"kind": "ranged"}])) == [-3, -7]
    assert bonuses(fighter(system, bab=1, weapons=[{"damage": "1d6", "kind": "thrown"}, off | {"base_attacks": "+9/+8"}])) == [-3, 5, 4]
    assert bonuses(sheet(system, base_attacks="+6/+2", weapons=[{"damage": "1d6", "kind": "thrown"}, off])) == [2, -2, -2]


@pytest.mark.parametrize("system", FAMILY)
def test_extra_attacks_follow_the_first_attack_of_the_first_weapon(system):
    assert bonuses(fighter(system, extra_attacks=["haste"])) == [11, 11, 6]
    bow = {"kind": "ranged"}
    assert bonuses(fighter(system, feats=["rapid shot"], extra_attacks=["haste", "rapid shot"], weapon=bow)) == [5, 5, 5, 0]
    assert bonuses(fighter(system, base_attacks="+1/+3", extra_attacks=["flurry"])) == [3, 5, 5]
    assert bonuses(fighter(system, bab=1, extra_attacks=["haste"], weapons=[{"damage": 1}, {"damage": 1}])) == [6, 6, 6]
    assert bonuses(fighter(system, extra_attacks=["haste"], weapons=[])) == []


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(("distance", "bonus", "points"), [(5, 3, 1), (30, 3, 1), (31, 2, 0)])
def test_point_blank_shot(system, distance, bonus, points):
    build = fighter(system, bab=2, modifiers={}, feats=["point blank shot"], weapon={"kind": "ranged"})
    assert (bonuses(build, distance=distance), flat(build, distance=distance)) == ([bonus], points)
    assert bonuses(build.but(weapon={"damage": "1d8"}), distance=5) == [2]


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(("rule", "distance", "penalty"), [
    ("full", 99, 0), ("full", 100, -2), ("full", 199, -2), ("full", 200, -4), ("full", 1000, -20),
    ("beyond", 100, 0), ("beyond", 101, -2), ("beyond", 200, -2), ("beyond", 201, -4), ("beyond", 1000, -18),
])  # fmt: skip
def test_range_by_switch(system, rule, distance, penalty):
    build = fighter(system, bab=0, modifiers={}, weapon={"kind": "ranged", "range": 100}, rules={"range": rule})
    assert bonuses(build, distance=distance) == [penalty]


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("weapon", "furthest"),
    [({"kind": "ranged", "range": 60}, 600), ({"kind": "thrown", "range": 10}, 50), ({"kind": "thrown", "range": 10, "maximum_range": 70}, 70)],
)
def test_maximum_range(system, weapon, furthest):
    fighter(system, weapon=weapon).derive(target(system, distance=furthest))
    with pytest.raises(ScenarioError, match=rf"weapon\.range: range must allow the distance to the target, {furthest + 1} feet; got .*out of range"):
        fighter(system, weapon=weapon).derive(target(system, distance=furthest + 1))


@pytest.mark.parametrize("system", FAMILY)
def test_keys_of_bows_are_for_bows(system):
    with pytest.raises(ScenarioError, match="strength_limit must be left out with kind 'melee'; got 0"):
        fighter(system, weapon={"strength_limit": 0})
    fighter(system, weapon={"bow": False})


def test_defaults_of_the_range_switch():
    bow = {"kind": "ranged", "range": 100}
    assert [bonuses(fighter(system, bab=0, weapon=bow), distance=100) for system in FAMILY] == [[-2], [0]]


# -- the target ------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", FAMILY)
@pytest.mark.parametrize(
    ("keys", "ac"),
    [
        ({"ac": 20, "cover": True}, 24),
        ({"cover": True}, 14),
        ({"cover": True, "touch": True, "flat_footed": True}, 14),
        ({"other": 3}, 13),
        ({"other": [1, 2, -4]}, 9),
        ({"other": {"luck": 1, "insight": 2}, "touch": True, "flat_footed": True}, 13),
        ({"dexterity_modifier": 3, "dodge": 2, "flat_footed": True}, 10),
        ({"dexterity_modifier": -2, "dodge": 2, "flat_footed": True}, 8),
        ({"dexterity_modifier": 3, "dodge": 2, "flat_footed": True, "uncanny_dodge": True}, 15),
        ({"dexterity_modifier": 3, "armor": {"bonus": 5, "max_dexterity": 1}, "flat_footed": True, "uncanny_dodge": True}, 16),
        ({"armor": {"bonus": 5}, "shield": {"bonus": 2}, "natural": 3, "deflection": [1, 4], "dodge": [1, 1], "touch": True}, 16),
        ({"fortification": 25, "distance": 60}, 10),
    ],
)
def test_armor_class(system, keys, ac):
    assert block("+0", "1", system).derive(target(system, **keys)).target.ac == (ac,)


@pytest.mark.parametrize("system", FAMILY)
def test_a_sweep_replaces_cover_too(system):
    assert block("+0", "1", system).derive(target(system, ac=20, cover=True), ac=22).target.ac == (22,)


@pytest.mark.parametrize("system", FAMILY)
def test_blind_fight_is_rolled_twice_in_melee(system):
    def rolls(**keys: Any) -> int:
        return fighter(system, **({"feats": ["blind-fight"]} | keys)).derive(target(system, **DARK)).target.miss_rolls

    assert (rolls(), rolls(feats=[]), rolls(weapon={"kind": "thrown"}), rolls(weapons=[])) == (2, 1, 1, 1)
    sure = fighter(system, base_attacks=[50], feats=["blind-fight"], weapon={"damage": 1, "critical": "none"})
    assert is_fraction(exact(sure, 10, "any_hit", **DARK), 19 * 24, 20 * 25)
    assert is_fraction(exact(sure.but(feats=[]), 10, "any_hit", **DARK), 19 * 4, 20 * 5)
    mixed = fighter(system, feats=["blind-fight"], weapons=[{"damage": 1}, {"damage": 1, "kind": "ranged"}])
    mixed.derive()
    with pytest.raises(ScenarioError, match="feats must be without 'blind-fight'"):
        mixed.derive(target(system, **DARK))


# -- 3.5 alone -------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weapon", "bonus", "points"),
    [
        ({}, 5, 4 + 5),
        ({"hand": "two"}, 5, 6 + 10),
        ({"light": True}, 5, 4),
        ({"light": True, "hand": "two"}, 5, 4),
        ({"kind": "thrown"}, 6, 4),
        ({"kind": "ranged"}, 6, 0),
    ],
)
def test_power_attack_point_by_point(weapon, bonus, points):
    modifiers = {"strength": 4, "dexterity": 0}
    build = fighter(power_attack=5, modifiers=modifiers, weapon=weapon)
    assert (bonuses(build)[0], flat(build)) == (bonus, points)


def test_power_attack_in_the_off_hand():
    weapons = [{"damage": "1d8"}, {"damage": "1d8", "hand": "off"}]
    made = attacks(fighter(bab=5, power_attack=3, weapons=weapons).derive())
    assert [(a.bonus, a.on[2][0].parts[0].rolls[0].flat) for a in made] == [(0, 7), (-4, 5)]


def test_power_attack_up_to_the_base_attack_bonus():
    fighter(bab=6, power_attack=6)
    fighter(bab=None, base_attacks="+4/+7", power_attack=7)
    for bab in (5, 0, -3):
        with pytest.raises(ScenarioError, match=f"power_attack must be 0 to the base attack bonus, {max(0, bab)}; got 6"):
            fighter(bab=bab, power_attack=6)


def test_power_critical():
    build = fighter(feats=["power critical"])
    assert attacks(build.derive())[0].check.confirm_bonus == 4
    assert attacks(build.but(weapon={"damage": 1, "focus": False}).derive())[0].check.confirm_bonus == 0


@pytest.mark.parametrize(("kind", "increment", "distance", "penalty"), [
    ("ranged", 100, 149, 0), ("ranged", 100, 150, -2), ("ranged", 15, 22, -2), ("ranged", 15, 21, 0), ("thrown", 10, 19, 0), ("thrown", 10, 20, -2),
])  # fmt: skip
def test_far_shot_lengthens_increments(kind, increment, distance, penalty):
    build = fighter(bab=0, modifiers={}, feats=["far shot"], weapon={"kind": kind, "range": increment})
    assert bonuses(build, distance=distance) == [penalty]
    longest = increment * 15 if kind == "ranged" else increment * 10
    build.derive(target("srd35", distance=longest - longest % 10))
