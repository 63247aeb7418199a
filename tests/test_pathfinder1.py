"""Pathfinder 1: hand-worked numbers for what it does in its own way; what it shares with 3.5 is in `test_srd35`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from analyzer import curve
from analyzer.scenario import Build, ScenarioError, target
from tests.test_srd35 import blow, fighter, flat, is_fraction
from tests.test_systems import attacks, bonuses

SURE = {"natural_20": "30", "confirmation": "auto"}


def hunter(**keys: Any) -> Build:
    return fighter("pathfinder1", **keys)


# -- Power Attack and Deadly Aim -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bab", "points"), [(0, 1), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3), (9, 3), (12, 4), (20, 6), (-5, 1)])
def test_power_attack_by_base_attack_bonus(bab, points):
    build = hunter(bab=bab, modifiers={}, power_attack=True)
    assert (bonuses(build)[0], flat(build)) == (bab - points, 2 * points)
    listed = hunter(bab=None, base_attacks=[bab], modifiers={}, power_attack=True)
    assert (bonuses(listed), flat(listed)) == ([bab - points], 2 * points)


@pytest.mark.parametrize(
    ("weapon", "bonus", "points"),
    [
        ({}, 8, 4 + 4),
        ({"light": True}, 8, 4 + 4),
        ({"hand": "two"}, 8, 6 + 6),
        ({"hand": "two", "light": True}, 8, 4 + 4),
        ({"hand": "off", "base_attacks": "+6"}, 8 - 10, 2 + 2),
        ({"hand": "off", "light": True, "base_attacks": "+6"}, 8 - 8, 2 + 2),
        ({"kind": "thrown"}, 6, 4),
        ({"kind": "ranged"}, 6, 0),
    ],
)
def test_power_attack_by_hand(weapon, bonus, points):
    build = hunter(power_attack=True, weapon=weapon)
    assert (bonuses(build)[0], flat(build)) == (bonus, points)


@pytest.mark.parametrize(
    ("weapon", "bonus", "points"),
    [({}, 10, 4), ({"kind": "thrown"}, 4, 4 + 4), ({"kind": "ranged"}, 4, 4), ({"kind": "thrown", "hand": "two"}, 4, 6 + 4)],
)
def test_deadly_aim(weapon, bonus, points):
    build = hunter(deadly_aim=True, weapon=weapon)
    assert (bonuses(build)[0], flat(build)) == (bonus, points)


def test_furious_focus_spares_the_first_attack_alone():
    two = {"hand": "two"}
    keys = {"bab": 6, "power_attack": True, "feats": ["furious focus"]}
    assert bonuses(hunter(**keys, weapon=two)) == [10, 3]
    assert bonuses(hunter(**keys, weapon=two, extra_attacks=["haste"])) == [11, 9, 4]
    assert bonuses(hunter(**keys)) == [8, 3]
    assert bonuses(hunter(**keys, weapon=two | {"light": True})) == [8, 3]
    assert bonuses(hunter(**(keys | {"power_attack": False}), weapon=two)) == [10, 5]
    assert bonuses(hunter(**keys, weapons=[{"damage": 1, "base_attacks": "+6"}, {"damage": 1, "base_attacks": "+6", "hand": "two"}])) == [8, 8]


def test_critical_focus_is_about_every_weapon():
    build = hunter(feats=["critical focus"], weapon={"focus": False})
    assert attacks(build.derive())[0].check.confirm_bonus == 4


@pytest.mark.parametrize(("rule", "distance", "penalty"), [("beyond", 100, 0), ("beyond", 101, -1), ("beyond", 350, -3), ("full", 100, -1), ("full", 399, -3)])
def test_far_shot_halves_the_penalty(rule, distance, penalty):
    build = hunter(bab=0, modifiers={}, feats=["far shot"], weapon={"kind": "ranged", "range": 100}, rules={"range": rule})
    assert bonuses(build, distance=distance) == [penalty]
    build.derive(target("pathfinder1", distance=1000))
    with pytest.raises(ScenarioError, match="1000 feet at most"):
        build.derive(target("pathfinder1", distance=1001))


# -- Vital Strike ----------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [1, 2, 3])
def test_vital_strike_rolls_the_dice_again_once(more):
    keys = {"bab": 11, "extra": ["1d4 fire", "2d6 sneak"], "weapon": {"damage": "2d6+1 slashing", "critical": "x3", "hand": "two"}}
    build = hunter(vital_strike=more, **keys)
    assert bonuses(build) == [15]
    assert blow(build) == [f"1x(2d6+7) & {more}x(2d6+0) & 1x(2d6+0) precision slashing sum>=1", "1x(1d4+0) fire"]
    assert blow(build, 3) == [f"3x(2d6+7) & {more}x(2d6+0) & 1x(2d6+0) precision slashing sum>=1", "1x(1d4+0) fire"]
    assert blow(build.but(rules={"minimum": "roll"}))[0] == f"1x(2d6+7)>=1 & {more}x(2d6+0) & 1x(2d6+0) precision slashing"
    assert bonuses(hunter(vital_strike=0, **keys)) == [15, 10, 5]


def test_vital_strike_mean():
    """2d6+6, and 2d6 once more: 20 on a hit, 14 + 13 + 13 more on a critical of x3."""
    build = hunter(base_attacks=[50], vital_strike=1, weapon={"damage": "2d6", "critical": "20/x3", "hand": "two"}, rules=SURE)
    assert is_fraction(curve(build, 0).dpr[0], 20 * 20 + 2 * 13, 20)


def test_vital_strike_is_the_only_attack():
    two = [{"damage": "1d8", "base_attacks": "+2/+6"}, {"damage": "1d6", "hand": "off"}]
    assert bonuses(hunter(vital_strike=1, weapons=two)) == [10]
    assert bonuses(hunter(vital_strike=1, weapons=[])) == []
    assert bonuses(hunter(vital_strike=1, power_attack=True, feats=["furious focus"], weapon={"hand": "two"})) == [10]


# -- Manyshot --------------------------------------------------------------------------------------------------------------------------------------------


def archer(**keys: Any) -> Build:
    bow = {"damage": "1d8 piercing", "critical": "x3", "kind": "ranged", "strength_limit": 2}
    return hunter(**({"manyshot": True, "feats": ["manyshot"], "extra": ["3d6 sneak", "1d6 fire"], "critical_extra": "1d10", "weapon": bow} | keys))


def test_manyshot_looses_a_second_arrow_with_the_first_attack():
    build = archer()
    assert bonuses(build) == [6, 1]
    first, second = attacks(build.derive())
    assert [len(packets) for packets in first.on] == [0, 0, 2, 2]
    assert [len(packets) for packets in second.on] == [0, 0, 1, 1]
    assert blow(build) == ["1x(1d8+2) & 1x(3d6+0) precision piercing sum>=1", "1x(1d6+0) fire"]
    assert blow(build, 3) == ["3x(1d8+2) & 1x(3d6+0) precision piercing sum>=1", "1x(1d6+0) fire", "1x(1d10+0) physical"]
    assert blow(build, 2, packet=1) == blow(build, 3, packet=1) == ["1x(1d8+2) piercing sum>=1", "1x(1d6+0) fire"]
    assert blow(build.but(rules={"minimum": "roll"}), packet=1)[0] == "1x(1d8+2)>=1 piercing"
    assert bonuses(archer(base_attacks=[])) == []


def test_manyshot_meets_reduction_twice():
    """Arrows of 3, and 2 of precision on the first: against 2 points 3 and 1, against 4 points 1 and nothing."""
    build = archer(base_attacks=[50], modifiers={}, extra="2 sneak", critical_extra=[], weapon={"damage": 3, "critical": "none", "kind": "ranged"}, rules=SURE)
    assert [curve(build, 0, target={"reduction": {"physical": n}}).dpr[0] for n in (0, 2, 4, 5)] == [8, 4, 1, 0]


def test_fortification_is_rolled_once_for_both_arrows():
    build = archer(base_attacks=[50], modifiers={}, extra="2 sneak", critical_extra=[], weapon={"damage": 3, "critical": "20/x3", "kind": "ranged"}, rules=SURE)
    chance, whole = Fraction(1, 4), Fraction(8 * 20 + 6, 20)
    mean = (1 - chance) * whole + chance * 6
    assert is_fraction(curve(build, 0, target={"fortification": 25}).dpr[0], mean.numerator, mean.denominator)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"vital_strike": 1, "manyshot": True, "feats": ["manyshot"], "weapon": {"kind": "ranged"}}, "manyshot must be left out with vital_strike"),
        ({"vital_strike": 1, "extra_attacks": ["haste"]}, "extra_attacks must be left out with vital_strike"),
        ({"manyshot": True, "weapon": {"kind": "ranged"}}, "feats must have 'manyshot'"),
        ({"manyshot": True, "feats": ["manyshot"]}, "manyshot must be false unless the first weapon is a bow; got one of kind 'melee'"),
        ({"extra_attacks": ["rapid shot"], "weapon": {"kind": "ranged"}}, "feats must have 'rapid shot'"),
        ({"extra_attacks": ["rapid shot"], "feats": ["rapid shot"]}, "when the first weapon is for melee"),
    ],
)
def test_what_does_not_go_together(keys, message):
    with pytest.raises(ScenarioError, match=message):
        hunter(**keys)
