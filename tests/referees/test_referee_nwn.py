"""Holds the Neverwinter Nights referee to fractions worked by hand from its rules and the page of keys."""

from fractions import Fraction

import pytest

from .harness import Outcome, enumerate_rounds, replay
from .nwn import Referee


def statblock(attack="+10", damage="5", target=None, rules=None, **keys):
    target = {"ac": 20, **(target or {})}
    return Referee({"rules": rules or {}, "target": target, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]})


def sheet(weapon=None, target=None, rules=None, **keys):
    weapon = {"name": "sword", "damage": "10", **(weapon or {})}
    return Referee({"rules": rules or {}, "target": {"ac": 20, **(target or {})}, "build": [{"name": "A", "bab": 10, "weapon": weapon, **keys}]})


def pair(off=None, **keys):
    weapons = [{"name": "m", "damage": "10"}, {"name": "o", "damage": "10", "hand": "off", **(off or {})}]
    return Referee({"target": {"ac": 20}, "build": [{"name": "A", "bab": 10, "weapons": weapons, **keys}]})


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


def armor_class(**target):
    return Referee({"target": target, "build": [{"name": "A", "attack": 0, "damage": "1"}]}).armor_class


# To hit


def test_a_tie_hits():
    # 10 needed: 11 faces hit, 11 faces confirm the 20
    assert degree_chances(statblock()) == [Fraction(1, 20), Fraction(8, 20), Fraction(10, 20) + Fraction(9, 400), Fraction(11, 400)]


def test_the_threat_roll_has_nothing_automatic():
    assert degree_chances(statblock(target={"ac": 100})) == [Fraction(1, 20), Fraction(18, 20), Fraction(1, 20), 0]
    assert degree_chances(statblock(target={"ac": -100})) == [Fraction(1, 20), 0, Fraction(18, 20), Fraction(1, 20)]


@pytest.mark.parametrize(("ac", "confirmed"), [(100, Fraction(1, 20)), (-100, Fraction(19, 20))])
def test_threat_naturals_switch(ac, confirmed):
    assert degree_chances(statblock(target={"ac": ac}, rules={"threat_naturals": True}))[3] == Fraction(1, 20) * confirmed


def test_a_threat_must_hit():
    assert degree_chances(statblock(target={"ac": 28}, critical="15-20"))[3] == Fraction(9, 400)


@pytest.mark.parametrize("key", ["concealment", "miss_chance"])
def test_concealment(key):
    plain, hidden = degree_chances(statblock()), degree_chances(statblock(target={key: 20}))
    assert hidden[2:] == [plain[2] * Fraction(4, 5), plain[3] * Fraction(4, 5)]
    assert replay(statblock(target={key: 20}).play, [(20, 20), (20, 20), (100, 20)]) == Outcome(0, (1,))


@pytest.mark.parametrize("kind", ["melee", "ranged"])
def test_blind_fight_squares_concealment(kind):
    referee = sheet({"kind": kind, "base_attacks": "+10"}, target={"concealment": 50}, feats=["blind-fight"])
    assert sum(degree_chances(referee)[2:]) == Fraction(11, 20) * Fraction(3, 4)
    # ruling "a second d100 only when the first one missed"; a statblock has a key of its own
    known = statblock(target={"concealment": 50}, blind_fight=True)
    assert replay(known.play, [(20, 19), (100, 51)]).degrees == replay(known.play, [(20, 19), (100, 50), (100, 51)]).degrees == (2,)


def test_immunity_to_criticals():
    referee = statblock(target={"immune": ["critical"]}, critical_extra=["9"], overwhelming_critical=True)
    assert replay(referee.play, [(20, 20), (20, 20)]) == Outcome(5, (2,))


@pytest.mark.parametrize(("covers", "dice", "left"), [(True, [], 5), (False, [(6, 4)], 9)])
def test_immunity_to_criticals_covers_sneak_attacks(covers, dice, left):
    # ruling: switch critical_immunity_covers_sneak; the feat's text has whatever is immune to critical hits immune to sneak attacks
    rules = {} if covers else {"critical_immunity_covers_sneak": False}
    referee = statblock(target={"immune": ["critical"]}, extra=["1d6 sneak"], rules=rules)
    assert points(referee, (20, 19), *dice) == left


# Damage


def test_a_critical_rolls_weapon_and_item_damage_again_and_the_rest_once():
    referee = statblock(damage="1d4", critical="x3", bonus_damage=["1d6 fire"], extra=["1d8 precision"], critical_extra=["1d10"], overwhelming_critical=True)
    assert points(referee, (20, 19), (4, 1), (6, 1), (8, 1)) == 3
    dice = [(4, 1)] * 3 + [(6, 1)] * 3 + [(8, 1), (10, 1), (6, 1), (6, 1)]
    assert points(referee, (20, 20), (20, 20), *dice) == 10


def test_average_of_a_critical():
    # a hit 5 + 2; a critical adds the same again, 3 for the massive critical, 7/2 for the overwhelming one
    referee = statblock(bonus_damage=["2 cold"], critical_extra=["3"], overwhelming_critical=True)
    assert mean(referee) == 7 * Fraction(11, 20) + (7 + 3 + Fraction(7, 2)) * Fraction(11, 400)


def test_a_hit_deals_one_of_its_weapon():
    referee = statblock(damage="1d4-4", bonus_damage=["1 fire"])
    # 1 + 1 on a hit; the whole pool of a critical is 1, the fire 2
    assert mean(referee) == 2 * Fraction(11, 20) + Fraction(11, 400)
    assert points(statblock(damage="1d4-2"), (20, 20), (20, 20), (4, 1), (4, 4)) == 1


def test_no_entry_is_negative_by_itself():
    # ruling "no damage entry is below 0 by itself": the fire of a critical is one entry of two rolls, -1 + 2
    referee = statblock(bonus_damage=["1d4-2 fire"], extra=["-9"])
    assert points(referee, (20, 20), (20, 20), (4, 1), (4, 4)) == 10 + 1
    assert points(referee, (20, 19), (4, 1)) == 5


def test_sneak_attack_is_not_rolled_against_the_immune():
    assert points(statblock(extra=["3d6 sneak"], target={"immune": ["precision"]}), (20, 19)) == 5


@pytest.mark.parametrize(
    ("defences", "left"),
    [
        ({"immunity": {"fire": 50}}, 7 + 19 - 3),
        ({"immunity": {"slashing": 10}}, 18 + 7),  # a tenth of 19, rounded down
        ({"immunity": {"slashing": 5}}, 19 + 7),  # less than a point is nothing
        ({"immunity": {"physical": 25}}, 15 + 7),
        ({"immunity": {"slashing": 10, "physical": 25}}, 14 + 7),  # 18, then 4 more
        ({"resistance": {"fire": 5}}, 19 + 2),
        ({"immunity": {"fire": 50}, "resistance": {"fire": 5}}, 19),  # 4 left, then nothing
        ({"reduction": {"physical": 5}}, 14 + 7),
        ({"immunity": {"physical": 25}, "resistance": {"slashing": 5}, "reduction": {"physical": 5, "all": 1}}, 5 + 7 - 1),
        ({"reduction": {"fire": "immune"}}, 19),
        ({"immunity": {"fire": 100, "slashing": 100}}, 0),
        # keys as in nwn.py: a negative percentage adds its share, rounded down too; "all" is a key of each layer
        ({"immunity": {"fire": -50}}, 19 + 10),
        ({"immunity": {"all": 40}}, 16),
        ({"immunity": {"fire": 50}, "resistance": {"all": 5}, "reduction": {"all": 1}}, 17),
    ],
)
def test_immunity_then_resistance_then_reduction(defences, left):
    assert points(statblock(damage="19 slashing", bonus_damage=["7 fire"], target=defences), (20, 19)) == left


def test_defences_meet_the_sum_of_a_type():
    # 2 x 7 fire of a critical: half is 7, not 2 x 4
    assert points(statblock(damage="1", bonus_damage=["7 fire"], target={"immunity": {"fire": 50}}), (20, 20), (20, 20)) == 9
    # slashing 5 and piercing 5 are 10 physical points: 25% is 2
    two = statblock(damage="5 slashing", bonus_damage=["5 piercing"], target={"immunity": {"physical": 25}, "reduction": {"physical": 3}})
    assert points(two, (20, 19)) == 5
    for first, later in (("physical", "piercing"), ("all", "piercing"), ("all", "physical")):
        odd = statblock(damage="5 slashing", bonus_damage=["5 piercing", "1 fire"], target={"immunity": {first: 25}, "resistance": {later: 3}})
        with pytest.raises(ValueError, match="resistance"):
            points(odd, (20, 19))


def test_overwhelming_criticals_are_of_the_weapons_type():
    # ruling: its dice have the weapon's type
    referee = statblock(damage="5 slashing", overwhelming_critical=True, target={"resistance": {"slashing": 12}})
    assert points(referee, (20, 20), (20, 20), (6, 6)) == 4


# The attacker's sheet


@pytest.mark.parametrize(
    ("critical", "weapon", "keys", "faces"),
    [
        ("19-20", {}, {}, 2),
        ("19-20", {"keen": True}, {}, 4),
        ("19-20", {"keen": True}, {"feats": ["improved critical"]}, 6),
        ("18-20", {"keen": True}, {"feats": ["improved critical"]}, 9),
        ("20", {"keen": True}, {"feats": ["improved critical"]}, 3),
        ("18-20", {"keen": True, "ki_critical": True}, {"feats": ["improved critical"]}, 11),
        ("20", {"focus": False}, {"feats": ["improved critical"]}, 1),
    ],
)
def test_threat_ranges_stack(critical, weapon, keys, faces):
    referee = sheet({"critical": critical, "base_attacks": "+10", **weapon}, target={"ac": 12}, **keys)
    # 2 needed: 19 faces confirm
    assert degree_chances(referee)[3] == Fraction(faces, 20) * Fraction(19, 20)


def test_increased_multiplier():
    referee = sheet({"base_attacks": "+10", "increased_multiplier": True})
    assert points(referee, (20, 20), (20, 20)) == 30
    assert mean(referee) == 10 * Fraction(11, 20) + 20 * Fraction(11, 400)


def test_the_off_hand_has_its_own_multiplier():
    referee = pair({"critical": "x4", "damage": "1"}, base_attacks="+10")
    assert points(referee, (20, 20), (20, 20), (20, 20), (20, 20)) == 24


def test_ladders():
    assert sheet(bab=20).attack_bonuses == [20, 15, 10, 5]
    assert sheet(bab=16, monk=True).attack_bonuses == [16, 13, 10, 7, 4, 1]
    assert sheet(bab=20, monk=True).attack_bonuses == [20, 17, 14, 11, 8, 5]
    assert sheet(bab=8, monk=True).attack_bonuses == [8, 5, 2]
    assert sheet({"kind": "ranged"}, bab=8, monk=True).attack_bonuses == [8, 3]
    assert len(sheet(base_attacks="/".join(["+20"] * 15)).attack_bonuses) == 15


@pytest.mark.parametrize(
    ("light", "feats", "main", "off"),
    [
        (False, [], -6, -10),
        (True, [], -4, -8),
        (False, ["ambidexterity"], -6, -6),
        (False, ["two-weapon fighting"], -4, -8),
        (True, ["two-weapon fighting"], -2, -6),
        (True, ["ambidexterity"], -4, -4),
        (False, ["ambidexterity", "two-weapon fighting"], -4, -4),
        (True, ["ambidexterity", "two-weapon fighting"], -2, -2),
    ],
)
def test_two_weapons(light, feats, main, off):
    assert pair({"light": light}, feats=feats).attack_bonuses == [10 + main, 5 + main, 10 + off]


def test_improved_two_weapon_fighting():
    feats = ["ambidexterity", "two-weapon fighting", "improved two-weapon fighting"]
    assert pair({"light": True}, feats=feats).attack_bonuses == [8, 3, 8, 3]
    assert pair({"light": True, "base_attacks": "+10/+10/+10"}, feats=feats).attack_bonuses == [8, 3, 8, 8, 8]


def test_bonus_attacks_come_at_full_bonus():
    # ruling "main hand, free attacks, off hand; free attacks take no two-weapon penalties"
    assert sheet(extra_attacks=["haste"]).attack_bonuses == [10, 5, 10]
    assert sheet(extra_attacks=["haste", "flurry", "blinding speed"]).attack_bonuses == [8, 3, 8, 8, 8]
    assert sheet({"kind": "ranged"}, extra_attacks=["rapid shot"]).attack_bonuses == [8, 3, 8]
    assert pair(extra_attacks=["haste"]).attack_bonuses == [4, -1, 10, 0]
    # ruling: switch free_attacks
    ladder = sheet(extra_attacks=["haste", "flurry", "blinding speed"], rules={"free_attacks": "ladder"})
    assert ladder.attack_bonuses == [8, 3, 8, 3, -2]
    # written off hand first, the free attacks are still the main hand's
    weapons = [{"damage": "1", "hand": "off"}, {"damage": "2"}]
    build = {"name": "A", "bab": 4, "weapons": weapons, "extra_attacks": ["haste"]}
    assert Referee({"target": {"ac": 20}, "build": [build]}).attack_bonuses == [-6, -2, 4]


@pytest.mark.parametrize(
    ("strength", "weapon", "extra"),
    [
        (5, {}, 5),
        (5, {"hand": "off"}, 2),
        (5, {"hand": "two"}, 7),
        (-3, {"hand": "two"}, -3),
        (-3, {"hand": "off"}, -3),
        (5, {"kind": "ranged"}, 0),
        (-3, {"kind": "ranged"}, 0),
        # keys as in nwn.py
        (5, {"kind": "ranged", "mighty": 2}, 2),
        (-3, {"kind": "ranged", "mighty": 0}, -3),
    ],
)
def test_strength_to_damage(strength, weapon, extra):
    assert points(sheet({"base_attacks": "+30", **weapon}, modifiers={"strength": strength}), (20, 19)) == 10 + extra


@pytest.mark.parametrize(
    ("feats", "attack", "damage"),
    [
        (["weapon focus"], 11, 10),
        (["weapon focus", "epic weapon focus"], 13, 10),
        (["weapon specialization"], 10, 12),
        (["weapon specialization", "epic weapon specialization"], 10, 16),
    ],
)
def test_weapon_feats(feats, attack, damage):
    referee = sheet({"base_attacks": "+10"}, feats=feats)
    assert referee.attack_bonuses == [attack]
    assert points(referee, (20, 19)) == damage
    assert sheet({"base_attacks": "+10", "focus": False}, feats=feats).attack_bonuses == [10]
    assert sheet({"base_attacks": "+10", "focus": True}).attack_bonuses == [11]  # ruling: the feat need not be listed


def test_power_attack_and_enhancement():
    referee = sheet({"base_attacks": "+20", "enhancement": 3}, power_attack=10)
    assert referee.attack_bonuses == [13]
    assert points(referee, (20, 19)) == 23
    assert sheet({"kind": "ranged"}, power_attack=5).attack_bonuses == [10, 5]


def test_finesse():
    keys = {"feats": ["weapon finesse"], "modifiers": {"strength": 1, "dexterity": 4}}
    assert sheet({"light": True}, **keys).attack_bonuses[0] == 14
    assert sheet(**keys).attack_bonuses[0] == 11


# The defender


def test_defenders_armor():
    worn = {
        "armor": {"bonus": 8, "enhancement": 5, "max_dexterity": 1},
        "shield": [2, 3],
        "deflection": [4, 5],
        "natural": 5,
        "dodge": [15, 8],
        "dexterity": 20,
        "size": "small",
    }
    # 10 + 1 + 13 + 3 + 5 + 5 + 20 dodge at most + 1 Dex
    assert armor_class(**worn) == 58
    assert armor_class(**worn, touch=True) == 37
    assert armor_class(**worn, flat_footed=True) == 37
    assert armor_class(**worn, flat_footed=True, uncanny_dodge=True) == 38  # the Dexterity bonus, not the dodge bonus
    assert armor_class(dexterity_modifier=-2, flat_footed=True) == 8


def test_an_ac_given_from_outside_wins():
    referee = Referee({"target": {"ac": 30}, "build": [{"name": "A", "attack": "+10", "damage": "5"}]}, ac=15)
    assert referee.armor_class == 15
    assert sum(degree_chances(referee)[2:]) == Fraction(16, 20)
