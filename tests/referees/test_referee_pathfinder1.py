"""Holds the Pathfinder referee to fractions worked by hand from its rules and the page of keys."""

from fractions import Fraction

import pytest

from .harness import Outcome, enumerate_rounds, replay
from .pathfinder1 import Referee


def statblock(attack="+10", damage="5", target=None, rules=None, **keys):
    return Referee({"rules": rules or {}, "target": target or {"ac": 20}, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]})


def sheet(weapon=None, target=None, rules=None, **keys):
    weapon = {"name": "sword", "damage": "10", **(weapon or {})}
    return Referee({"rules": rules or {}, "target": {"ac": 20, **(target or {})}, "build": [{"name": "A", "bab": 10, "weapon": weapon, **keys}]})


def pair(**keys):
    weapons = [{"name": "m", "damage": "10"}, {"name": "o", "damage": "10", "hand": "off", "light": True}]
    return Referee({"target": {"ac": 20}, "build": [{"name": "A", "bab": 10, "weapons": weapons, **keys}]})


def bow(damage="1d8+2", target=None, **keys):
    """Archer with one shot at +10, loosing two arrows."""
    weapon = {"name": "bow", "damage": damage, "kind": "ranged", "critical": "x3", "base_attacks": "+10"}
    build = {"name": "A", "bab": 10, "weapon": weapon, "manyshot": True, "feats": ["manyshot"], **keys}
    return Referee({"target": {"ac": 20, **(target or {})}, "build": [build]})


def degree_chances(referee):
    chances = [Fraction()] * 4
    for outcome, chance in enumerate_rounds(referee.play).items():
        chances[outcome.degrees[0]] += chance
    assert sum(chances) == 1
    return chances


def mean(referee):
    return sum(chance * outcome.total for outcome, chance in enumerate_rounds(referee.play).items())


def points(referee, *dice):
    return replay(referee.play, dice).total


# What it has of 3.5


def test_a_tie_hits_and_naturals_hold():
    assert degree_chances(statblock()) == [Fraction(1, 20), Fraction(8, 20), Fraction(10, 20) + Fraction(9, 400), Fraction(11, 400)]
    assert degree_chances(statblock(target={"ac": 100})) == [Fraction(1, 20), Fraction(18, 20), Fraction(19, 400), Fraction(1, 400)]


def test_naturals_switch():
    chances = degree_chances(statblock(target={"ac": 40}, rules={"natural_20": "30"}))
    # ruling "degree 0 is only an automatic miss": nothing is automatic here
    assert chances == [0, Fraction(19, 20), Fraction(19, 400), Fraction(1, 400)]
    assert degree_chances(statblock(target={"ac": 41}, rules={"natural_20": "30"})) == [0, 1, 0, 0]


def test_confirmation_switch():
    assert degree_chances(statblock(rules={"confirmation": "auto"}))[3] == Fraction(1, 20)


@pytest.mark.parametrize(("minimum", "average"), [("hit", Fraction(11, 20)), ("roll", Fraction(11, 20) + Fraction(11, 400))])
def test_minimum_switch(minimum, average):
    # a weapon that deals nothing: 1 a hit, or 1 for each of the two rolls of a critical
    assert mean(statblock(damage="0", rules={"minimum": minimum})) == average


@pytest.mark.parametrize(("stacks", "faces"), [(False, 4), (True, 6)])
def test_keen_switch(stacks, faces):
    referee = sheet({"critical": "19-20", "keen": True}, feats=["improved critical"], rules={"keen_stacks": stacks}, base_attacks="+10", target={"ac": 12})
    assert degree_chances(referee)[3] == Fraction(faces, 20) * Fraction(19, 20)


def test_multipliers_add():
    assert points(statblock(damage="7", multipliers=[3], critical="x3"), (20, 20), (20, 20)) == 35


@pytest.mark.parametrize("percent", [25, 50, 75])
def test_fortification_is_any_percentage(percent):
    referee = statblock(target={"ac": 20, "fortification": percent})
    assert degree_chances(referee)[3] == Fraction(11, 400) * Fraction(100 - percent, 100)


def test_defender():
    def armor_class(**target):
        return Referee({"target": target, "build": [{"name": "A", "attack": 0, "damage": "1"}]}).armor_class

    worn = {"armor": {"bonus": 5, "max_dexterity": 3}, "dexterity_modifier": 4, "dodge": 1, "other": [1, 2]}
    assert armor_class(**worn) == 22
    assert armor_class(**worn, flat_footed=True) == 18
    assert armor_class(**worn, flat_footed=True, uncanny_dodge=True, cover=True) == 26


# Power Attack and its kin


@pytest.mark.parametrize(("bab", "step"), [(1, 1), (3, 1), (4, 2), (10, 3), (20, 6)])
def test_power_attack_grows_every_four(bab, step):
    referee = sheet(bab=bab, base_attacks=f"+{bab}", power_attack=True)
    assert referee.attack_bonuses == [bab - step]
    assert points(sheet(bab=bab, base_attacks="+30", power_attack=True), (20, 19)) == 10 + 2 * step


@pytest.mark.parametrize(
    ("weapon", "extra"), [({}, 6), ({"light": True}, 6), ({"hand": "two"}, 9), ({"hand": "two", "light": True}, 6), ({"hand": "off", "light": True}, 3)]
)
def test_power_attack_by_hand(weapon, extra):
    assert points(sheet({"base_attacks": "+30", **weapon}, power_attack=True), (20, 19)) == 10 + extra


def test_power_attack_is_for_melee_and_deadly_aim_for_the_rest():
    for kind in ("ranged", "thrown"):
        assert sheet({"kind": kind}, power_attack=True).attack_bonuses == [10, 5]
        referee = sheet({"kind": kind}, deadly_aim=True)
        assert referee.attack_bonuses == [7, 2]
        assert points(referee, (20, 19), (20, 1)) == 16
    assert sheet(deadly_aim=True).attack_bonuses == [10, 5]


def test_furious_focus():
    keys = {"power_attack": True, "feats": ["furious focus"]}
    assert sheet({"hand": "two"}, **keys).attack_bonuses == [10, 2]
    assert sheet({"hand": "two"}, extra_attacks=["haste"], **keys).attack_bonuses == [11, 8, 3]
    assert sheet(**keys).attack_bonuses == [7, 2]
    assert sheet({"hand": "two"}, feats=["furious focus"]).attack_bonuses == [10, 5]
    # it holds on the critical roll: 10 needed against 20, 11 faces
    assert degree_chances(sheet({"hand": "two", "base_attacks": "+10"}, **keys))[3] == Fraction(11, 400)


def test_critical_focus_is_of_every_weapon():
    # 10 needed, 6 confirms; power critical is of another game
    assert degree_chances(sheet({"focus": False}, feats=["critical focus"], base_attacks="+10"))[3] == Fraction(15, 400)
    assert degree_chances(sheet(feats=["power critical"], base_attacks="+10"))[3] == Fraction(11, 400)


# Range


@pytest.mark.parametrize(
    ("distance", "switch", "feats", "penalty"),
    [
        (100, None, [], 0),
        (101, None, [], -2),
        (200, None, [], -2),
        (201, None, [], -4),
        (100, "full", [], -2),
        (201, None, ["far shot"], -2),
        (201, "full", ["far shot"], -2),
    ],
)
def test_range_is_counted_beyond_the_first_increment(distance, switch, feats, penalty):
    rules = {"range": switch} if switch else {}
    assert sheet({"kind": "ranged", "range": 100}, target={"distance": distance}, rules=rules, feats=feats).attack_bonuses[0] == 10 + penalty


def test_far_shot_does_not_carry_farther():
    with pytest.raises(ValueError, match="distance"):
        sheet({"kind": "thrown", "range": 10}, target={"distance": 51}, feats=["far shot"])


def test_extra_attacks():
    assert sheet(extra_attacks=["haste", "flurry"]).attack_bonuses == [9, 9, 9, 4]
    assert sheet({"kind": "ranged"}, extra_attacks=["rapid shot"], feats=["rapid shot"]).attack_bonuses == [8, 8, 3]


# Vital Strike


def test_vital_strike_rolls_the_dice_more_once():
    referee = sheet({"damage": "2d6"}, vital_strike=2, modifiers={"strength": 3}, extra=["1d4 precision", "1d8 fire"])
    assert referee.attack_bonuses == [13]
    assert points(referee, (20, 19), *[(6, 1)] * 6, (4, 1), (8, 1)) == 6 + 3 + 2
    # on a critical: two rolls with Str, then the four dice once
    assert points(referee, (20, 20), (20, 20), *[(6, 1)] * 8, (4, 1), (8, 1)) == 8 + 6 + 2


def test_vital_strike_average():
    # d4+3: 11/20 hits of 2.5 + 3 and 2.5 more; each critical one weapon roll more
    referee = statblock(attack="+10/+5", damage="1d4+3", vital_strike=1)
    assert mean(referee) == 8 * Fraction(11, 20) + Fraction(11, 2) * Fraction(11, 400)


def test_vital_strike_is_alone():
    assert pair().attack_bonuses == [6, 1, 2]
    assert pair(vital_strike=1).attack_bonuses == [10]  # nor does it pay for the other hand
    with pytest.raises(ValueError, match="vital_strike"):
        sheet(vital_strike=1, extra_attacks=["haste"])


# Manyshot


def test_manyshot_is_one_roll_and_two_arrows():
    # 11/20: 2 x 6.5; on a critical the first arrow alone deals two rolls more
    assert mean(bow()) == 13 * Fraction(11, 20) + 13 * Fraction(11, 400)
    assert replay(bow().play, [(20, 20), (20, 20), (8, 1), (8, 2), (8, 3), (8, 4)]) == Outcome(18, (3,))


def test_manyshot_precision_once_and_other_bonuses_twice():
    referee = bow(extra=["1d6 precision", "1d4 fire"], critical_extra=["1d10"])
    assert points(referee, (20, 19), (8, 1), (6, 2), (4, 3), (8, 4), (4, 1)) == 3 + 2 + 3 + 6 + 1
    assert points(referee, (20, 20), (20, 20), *[(8, 1)] * 3, (6, 1), (4, 1), (10, 1), (8, 1), (4, 1)) == 9 + 3 + 4


def test_manyshot_reduction_counts_twice():
    # each arrow 7 - 5, with fire 3 - 2
    referee = bow(damage="7", extra=["3 fire"], target={"reduction": {"physical": 5, "fire": 2}})
    assert points(referee, (20, 19)) == 6
    assert mean(referee) == 6 * Fraction(11, 20) + 14 * Fraction(11, 400)


def test_manyshot_minimum_is_of_each_arrow():
    assert points(bow(damage="-3", extra=["2 precision"]), (20, 19)) == 2


def test_manyshot_is_the_first_attack_only():
    weapon = {"name": "bow", "damage": "3", "kind": "ranged"}
    build = {"name": "A", "bab": 10, "weapon": weapon, "manyshot": True, "feats": ["manyshot", "rapid shot"], "extra_attacks": ["rapid shot"]}
    referee = Referee({"target": {"ac": 10}, "build": [build]})
    assert referee.attack_bonuses == [8, 8, 3]
    assert points(referee, (20, 19), (20, 19), (20, 19)) == 12


def test_manyshot_needs_its_feat_and_a_bow():
    with pytest.raises(ValueError, match="manyshot"):
        bow(feats=[])
    with pytest.raises(ValueError, match="manyshot"):
        sheet(manyshot=True, feats=["manyshot"])
