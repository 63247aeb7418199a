"""Holds the 3.5 referee to fractions worked by hand from the SRD and the page of keys."""

from fractions import Fraction

import pytest

from .family35 import ladder, read_critical
from .harness import Outcome, ReplayError, enumerate_rounds, replay
from .srd35 import Referee


def statblock(attack="+10", damage="5", target=None, rules=None, **keys):
    return Referee({"rules": rules or {}, "target": target or {"ac": 20}, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]})


def sheet(weapon=None, target=None, rules=None, **keys):
    weapon = {"name": "sword", "damage": "10", **(weapon or {})}
    return Referee({"rules": rules or {}, "target": {"ac": 20, **(target or {})}, "build": [{"name": "A", "bab": 10, "weapon": weapon, **keys}]})


def pair(off=None, main=None, **keys):
    """Bonuses of a pair of weapons of a fighter with +10."""
    weapons = [{"name": "m", "damage": "10", **(main or {})}, {"name": "o", "damage": "10", "hand": "off", **(off or {})}]
    return Referee({"target": {"ac": 20}, "build": [{"name": "A", "bab": 10, "weapons": weapons, **keys}]}).attack_bonuses


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


def hit_damage(referee):
    """Damage of a plain hit whose weapon has no dice."""
    return points(referee, (20, 19))


# To hit


def test_a_tie_hits_and_confirms():
    # +10 against 20: 10..20 are 11 faces; of these the 20 threatens, and 11 faces confirm
    assert degree_chances(statblock()) == [Fraction(1, 20), Fraction(8, 20), Fraction(10, 20) + Fraction(9, 400), Fraction(11, 400)]


@pytest.mark.parametrize(("ac", "confirmed"), [(100, Fraction(1, 20)), (-100, Fraction(19, 20))])
def test_naturals_hold_on_the_critical_roll_too(ac, confirmed):
    assert degree_chances(statblock(target={"ac": ac}))[3] == Fraction(1, 20) * confirmed


def test_a_threat_must_hit():
    # 15-20 with 18 needed: 3 faces threaten, 3 confirm
    assert degree_chances(statblock(target={"ac": 28}, critical="15-20"))[3] == Fraction(9, 400)


def test_confirm_bonus_counts_on_the_critical_roll_only():
    # 20 needed 10: with +4 a 6 confirms, 15 faces
    chances = degree_chances(statblock(confirm_bonus=4))
    assert chances[3] == Fraction(15, 400)
    assert chances[2] + chances[3] == Fraction(11, 20)


def test_confirmation_may_be_automatic():
    assert degree_chances(statblock(rules={"confirmation": "auto"}, critical="19-20"))[3] == Fraction(2, 20)
    assert points(statblock(rules={"confirmation": "auto"}), (20, 20)) == 10


def test_a_natural_20_may_count_as_30():
    rules = {"natural_20": "30"}
    # +10 against 40: only the 20 (as 30) reaches it, and only a 20 confirms; against 41 nothing does
    # ruling "degree 0 is only an automatic miss": nothing is automatic here, so a 1 is a miss like any other
    assert degree_chances(statblock(target={"ac": 40}, rules=rules)) == [0, Fraction(19, 20), Fraction(19, 400), Fraction(1, 400)]
    assert degree_chances(statblock(target={"ac": 41}, rules=rules)) == [0, 1, 0, 0]
    # a 1 is -10: against 0 it hits and confirms
    assert degree_chances(statblock(target={"ac": 0}, rules=rules)) == [0, 0, Fraction(19, 20), Fraction(1, 20)]


def test_critical_none_never_threatens():
    assert degree_chances(statblock(critical="none")) == [Fraction(1, 20), Fraction(8, 20), Fraction(11, 20), 0]
    assert read_critical("none")[0] == 21
    assert read_critical("19–20/×3") == (19, 3)


def test_immunity_to_criticals_keeps_the_critical_roll():
    referee = statblock(target={"ac": 20, "immune": ["critical"]})
    assert replay(referee.play, [(20, 20), (20, 20)]) == Outcome(5, (2,))
    assert degree_chances(referee)[2:] == [Fraction(11, 20), 0]


# Fortification and miss chance


def test_fortification_of_criticals():
    # 3/4 of the 11/400 criticals become hits
    plain, strong = degree_chances(statblock()), degree_chances(statblock(target={"ac": 20, "fortification": 75}))
    assert strong[3] == plain[3] / 4
    assert strong[2] == plain[2] + plain[3] * Fraction(3, 4)


def test_fortification_of_sneak_attacks():
    # 5 always on 11/20, 4 more by precision for the lucky quarter; a critical: 5 more, one roll for both
    referee = statblock(extra=["4 precision"], target={"ac": 20, "fortification": 75})
    assert mean(referee) == 5 * Fraction(11, 20) + 4 * Fraction(11, 20) / 4 + 5 * Fraction(11, 400) / 4
    assert points(referee, (20, 20), (20, 20), (100, 75)) == 5
    assert points(referee, (20, 20), (20, 20), (100, 76)) == 14


def test_fortification_is_rolled_even_where_it_decides_nothing():
    full = statblock(extra=["1d6 precision"], target={"ac": 20, "fortification": 100, "immune": ["precision"]})
    assert points(full, (20, 19), (100, 100)) == 5
    none = statblock(extra=["1d6 precision"], target={"ac": 20, "fortification": 0})
    assert points(none, (20, 19), (6, 3)) == 8
    # a critical refused by immunity is no critical, and a plain hit has nothing vital
    immune = statblock(target={"ac": 20, "fortification": 25, "immune": ["critical"]})
    assert points(immune, (20, 20), (20, 20)) == 5


def test_order_is_critical_fortification_miss_chance_damage():
    target = {"ac": 20, "fortification": 25, "miss_chance": 20}
    referee = statblock(damage="1d4", extra=["1d6 precision"], critical_extra=["1d10"], target=target)
    assert replay(referee.play, [(20, 20), (20, 20), (100, 26), (100, 21), (4, 1), (4, 2), (6, 3), (10, 4)]) == Outcome(10, (3,))
    assert replay(referee.play, [(20, 20), (20, 20), (100, 25), (100, 21), (4, 1)]) == Outcome(1, (2,))
    assert replay(referee.play, [(20, 20), (20, 20), (100, 26), (100, 20)]) == Outcome(0, (1,))


def test_blind_fight_squares_the_miss_chance_in_melee():
    melee = sheet(target={"miss_chance": 50}, feats=["Blind-Fight"], base_attacks="+10")
    # 11/20 hits, three quarters of them land
    assert sum(degree_chances(melee)[2:]) == Fraction(11, 20) * Fraction(3, 4)
    assert replay(melee.play, [(20, 19), (100, 50), (100, 51)]).degrees == (2,)
    # ruling "a second d100 only when the first one missed"
    assert replay(melee.play, [(20, 19), (100, 51)]).degrees == (2,)
    assert replay(melee.play, [(20, 19), (100, 50), (100, 50)]).degrees == (1,)
    bow = sheet({"kind": "ranged"}, target={"miss_chance": 50}, feats=["Blind-Fight"], base_attacks="+10")
    assert sum(degree_chances(bow)[2:]) == Fraction(11, 20) / 2


# Damage


@pytest.mark.parametrize(("multipliers", "critical", "ordinary", "crit"), [([3], "x2", 3, 4), ([3], "x3", 3, 5), ([2, 2], "x2", 3, 4), ([], "x3", 1, 3)])
def test_multipliers_add_one_less_than_themselves(multipliers, critical, ordinary, crit):
    referee = statblock(damage="7", multipliers=multipliers, critical=critical)
    assert points(referee, (20, 19)) == 7 * ordinary
    assert points(referee, (20, 20), (20, 20)) == 7 * crit
    assert mean(referee) == 7 * (ordinary * Fraction(11, 20) + (crit - ordinary) * Fraction(11, 400))


def test_a_hit_deals_at_least_one_after_multiplication_and_precision():
    referee = statblock(damage="1d4-3", extra=["1d2 precision"])
    assert points(referee, (20, 20), (20, 20), (4, 1), (4, 4), (2, 1)) == 1  # -2 + 1 + 1 = 0
    assert points(referee, (20, 20), (20, 20), (4, 2), (4, 4), (2, 2)) == 2  # -1 + 1 + 2
    # d4 - 3 on a hit alone: 1, 1, 1, 1
    assert mean(statblock(damage="1d4-3", critical="none")) == Fraction(11, 20)


def test_the_minimum_may_be_of_each_roll():
    referee = statblock(damage="1d4-3", extra=["1d2 precision"], rules={"minimum": "roll"})
    assert points(referee, (20, 20), (20, 20), (4, 1), (4, 4), (2, 1)) == 3
    # 11/20 hits of 1 with 3/2 precision, 11/400 criticals with one more
    assert mean(referee) == Fraction(5, 2) * Fraction(11, 20) + Fraction(11, 400)


def test_extra_that_is_not_precision_does_not_help_the_minimum():
    assert points(statblock(damage="-4", extra=["3 fire"]), (20, 19)) == 4
    assert points(statblock(damage="-4", extra=["3 fire precision"]), (20, 19)) == 4
    assert points(statblock(damage="-4", extra=["3 precision"]), (20, 19)) == 1
    assert points(statblock(damage="5", extra=["-3 fire"]), (20, 19)) == 5


def test_dice_go_weapon_pool_extra_critical_extra():
    referee = statblock(damage="1d4 slashing", extra=["1d3 fire", "1d6 precision", "1d2 slashing precision", "1d12 cold precision"], critical_extra=["1d10"])
    dice = [(4, 1), (4, 1), (6, 1), (2, 1), (3, 1), (12, 1), (10, 1)]
    assert points(referee, (20, 20), (20, 20), *dice) == 7


def test_a_rerolled_die_is_followed_by_its_reroll():
    assert points(statblock(damage="2d6r2"), (20, 19), (6, 2), (6, 1), (6, 3)) == 4


def test_physical_reduction_spares_energy():
    target = {"ac": 20, "reduction": {"physical": 10, "fire": 1}}
    assert points(statblock(damage="6 slashing", extra=["5 fire", "3"], target=target), (20, 19)) == 4
    # precision joins the weapon: 6 + 5 - 10
    assert points(statblock(damage="6 slashing", extra=["5 precision"], target=target), (20, 19)) == 1
    # what a hit deals at least comes before what is taken off
    assert points(statblock(damage="0", target=target), (20, 19)) == 0


def test_precision_is_not_rolled_against_the_immune():
    assert points(statblock(extra=["1d6 precision"], target={"ac": 20, "immune": ["precision"]}), (20, 19)) == 5


def test_statblock_weapons_attack_in_turn():
    weapons = [{"name": "a", "attack": "+10/+5", "damage": "3"}, {"name": "b", "attack": "+8", "damage": "4", "critical": "x3"}]
    referee = Referee({"target": {"ac": 20}, "build": [{"name": "A", "weapons": weapons, "extra": ["1"]}]})
    assert referee.attack_bonuses == [10, 5, 8]
    # needs 10, 15, 12: 11, 6, 9 faces; each critical adds one 3 or two 4s
    faces = Fraction(11, 20), Fraction(6, 20), Fraction(9, 20)
    assert mean(referee) == 4 * (faces[0] + faces[1]) + 5 * faces[2] + (3 * (faces[0] + faces[1]) + 8 * faces[2]) / 20


# The attacker's sheet


def test_ladder():
    assert [ladder(bab) for bab in (-1, 0, 5, 6, 21)] == [[-1], [0], [5], [6, 1], [21, 16, 11, 6]]
    assert sheet().attack_bonuses == [10, 5]
    assert sheet(base_attacks="+10").attack_bonuses == [10]
    assert sheet({"base_attacks": "+7/+7"}, base_attacks="+10").attack_bonuses == [7, 7]


def test_attack_bonus_sums_its_parts():
    keys = {"abilities": {"strength": 17}, "size": "small", "attack_bonuses": {"bless": 1}, "armor": {"check_penalty": -3, "proficient": False}}
    # 10 + 3 Str + 1 size + 1 bless - 3 armor - 4 weapon + 2 enhancement
    assert sheet({"enhancement": 2, "proficient": False}, **keys).attack_bonuses == [10, 5]


def test_weapon_feats():
    feats = ["Weapon Focus", "Greater Weapon Focus", "weapon specialization", "greater_weapon_specialization"]
    referee = sheet(feats=feats)
    assert referee.attack_bonuses == [12, 7]
    assert points(referee, (20, 19), (20, 1)) == 14
    other = sheet({"focus": False}, feats=feats)
    assert other.attack_bonuses == [10, 5]
    assert points(other, (20, 19), (20, 1)) == 10
    # ruling "focus = true gives the +1 of weapon focus even when the feat is not listed"
    assert sheet({"focus": True}).attack_bonuses == sheet({"focus": True}, feats=["weapon focus"]).attack_bonuses == [11, 6]


def test_finesse_is_the_better_of_two():
    modifiers = {"strength": 2, "dexterity": 4}
    for weapon, bonus in (({"light": True}, 14), ({"finesse": True}, 14), ({}, 12)):
        assert sheet(weapon, feats=["weapon finesse"], modifiers=modifiers).attack_bonuses[0] == bonus
    assert sheet({"light": True}, feats=["weapon finesse"], modifiers={"strength": 4, "dexterity": -1}).attack_bonuses[0] == 14
    assert sheet({"kind": "thrown"}, modifiers=modifiers).attack_bonuses[0] == 14


@pytest.mark.parametrize(
    ("strength", "weapon", "extra"),
    [
        (5, {}, 5),
        (5, {"hand": "off"}, 2),
        (5, {"hand": "two"}, 7),
        (5, {"hand": "two", "light": True}, 5),
        (-3, {"hand": "off"}, -3),
        (-3, {"hand": "two"}, -3),
        (5, {"kind": "thrown"}, 5),
        (5, {"kind": "ranged"}, 0),
        (-3, {"kind": "ranged"}, 0),
        (5, {"kind": "ranged", "bow": True}, 0),
        (-3, {"kind": "ranged", "bow": True}, -3),
        (5, {"kind": "ranged", "strength_limit": 3}, 3),
        (2, {"kind": "ranged", "bow": True, "strength_limit": 3}, 2),
        (-3, {"kind": "ranged", "bow": True, "strength_limit": 0}, 0),
    ],
)
def test_strength_to_damage(strength, weapon, extra):
    assert hit_damage(sheet({"base_attacks": "+30", **weapon}, modifiers={"strength": strength})) == 10 + extra


def test_a_bow_too_strong_costs_two():
    assert sheet({"kind": "ranged", "strength_limit": 3}, modifiers={"strength": 2}).attack_bonuses[0] == 8
    assert sheet({"kind": "ranged", "strength_limit": 2}, modifiers={"strength": 2}).attack_bonuses[0] == 10


@pytest.mark.parametrize(
    ("weapon", "attack", "extra"),
    [({}, 6, 4), ({"hand": "two"}, 6, 8), ({"light": True}, 6, 0), ({"light": True, "hand": "two"}, 6, 0), ({"kind": "thrown"}, 10, 0)],
)
def test_power_attack(weapon, attack, extra):
    referee = sheet(weapon, power_attack=4, base_attacks="+10", target={"ac": 10})
    assert referee.attack_bonuses == [attack]
    assert hit_damage(referee) == 10 + extra
    with pytest.raises(ValueError, match="power_attack"):
        sheet(power_attack=11)


def test_power_critical_confirms_more():
    # needs 10: with +4 a 6 confirms
    assert degree_chances(sheet(feats=["power critical"], base_attacks="+10"))[3] == Fraction(15, 400)
    assert degree_chances(sheet({"focus": False}, feats=["power critical"], base_attacks="+10"))[3] == Fraction(11, 400)


@pytest.mark.parametrize(
    ("critical", "keen", "feats", "stacks", "faces"),
    [
        ("20", True, [], False, 2),
        ("19-20", True, [], False, 4),
        ("18-20", False, ["improved critical"], False, 6),
        ("18-20", True, ["improved critical"], False, 6),
        ("18-20", True, ["improved critical"], True, 9),
        ("18-20", True, [], True, 6),
        ("none", True, ["improved critical"], True, 0),
    ],
)
def test_wider_threat_ranges(critical, keen, feats, stacks, faces):
    referee = sheet({"critical": critical, "keen": keen}, feats=feats, rules={"keen_stacks": stacks}, base_attacks="+10", target={"ac": 12})
    # 2 needed: 19 faces confirm
    assert degree_chances(referee)[3] == Fraction(faces, 20) * Fraction(19, 20)


def test_two_weapons():
    assert pair() == [4, -1, 0]
    assert pair({"light": True}) == [6, 1, 2]
    assert pair(feats=["Two-Weapon Fighting"]) == [6, 1, 6]
    assert pair({"light": True}, feats=["two-weapon fighting"]) == [8, 3, 8]
    all_feats = ["two-weapon fighting", "improved two-weapon fighting", "greater two-weapon fighting"]
    assert pair({"light": True}, feats=all_feats) == [8, 3, 8, 3, -2]
    assert pair(feats=["greater two-weapon fighting"]) == [4, -1, 0, -10]
    assert pair({"base_attacks": "+10/+10"}) == [4, -1, 0, 0]
    assert pair(main={"kind": "ranged"}) == [10, 5, 0]
    # a hand crossbow in each hand: as with two light weapons
    assert pair({"kind": "ranged", "light": True}, {"kind": "ranged"}) == [6, 1, 2]


def test_extra_attacks():
    assert sheet(extra_attacks=["haste"]).attack_bonuses == [11, 11, 6]
    assert sheet(extra_attacks=["flurry", "haste"]).attack_bonuses == [9, 9, 9, 4]
    assert sheet({"kind": "ranged"}, extra_attacks=["haste", "rapid shot"], feats=["rapid shot"]).attack_bonuses == [9, 9, 9, 4]
    assert pair(extra_attacks=["haste"]) == [5, 5, 0, 1]
    with pytest.raises(ValueError, match="rapid shot"):
        sheet({"kind": "ranged"}, extra_attacks=["rapid shot"])
    with pytest.raises(ValueError, match="rapid shot"):
        sheet(extra_attacks=["rapid shot"], feats=["rapid shot"])
    with pytest.raises(ValueError, match="once"):
        sheet(extra_attacks=["haste", "haste"])


@pytest.mark.parametrize(("distance", "switch", "penalty"), [(99, "full", 0), (100, "full", -2), (250, "full", -4), (100, "beyond", 0), (101, "beyond", -2)])
def test_range_penalty(distance, switch, penalty):
    referee = sheet({"kind": "ranged", "range": 100}, target={"distance": distance}, rules={"range": switch})
    assert referee.attack_bonuses[0] == 10 + penalty


def test_far_shot_and_the_longest_shot():
    def bonus(distance, **weapon):
        return sheet({"kind": "ranged", "range": 15, **weapon}, target={"distance": distance}, feats=["far shot"]).attack_bonuses[0]

    assert (bonus(21), bonus(22)) == (10, 8)  # 22.5, rounded down
    assert (bonus(29, kind="thrown"), bonus(30, kind="thrown")) == (10, 8)
    assert bonus(220) == -10  # ten increments of 22
    for distance, weapon in ((221, {}), (151, {"kind": "thrown"}), (61, {"maximum_range": 60})):
        with pytest.raises(ValueError, match="distance"):
            bonus(distance, **weapon)


@pytest.mark.parametrize(("distance", "more"), [(30, 1), (31, 0)])
def test_point_blank_shot(distance, more):
    referee = sheet({"kind": "thrown"}, target={"distance": distance}, feats=["point blank shot"], base_attacks="+10")
    assert referee.attack_bonuses == [10 + more]
    assert hit_damage(referee) == 10 + more
    assert sheet(feats=["point blank shot"]).attack_bonuses[0] == 10


# The defender


def test_defenders_armor():
    worn = {
        "armor": [{"bonus": 8, "max_dexterity": 1}, {"bonus": 6, "enhancement": 3, "max_dexterity": 2}],
        "shield": {"bonus": 2, "enhancement": 1},
        "natural": {"bonus": 3, "enhancement": 1},
        "dexterity": 18,
        "size": "large",
        "deflection": [1, 2],
        "dodge": [1, 1],
        "other": {"monk": 3, "luck": 1},
    }
    # 10 - 1 size + 9 + 3 + 4 natural + 1 Dex + 2 deflection + 2 dodge + 4 other
    assert armor_class(**worn) == 34
    assert armor_class(**worn, touch=True) == 18
    assert armor_class(**worn, flat_footed=True) == 31
    assert armor_class(**worn, flat_footed=True, uncanny_dodge=True) == 34
    assert armor_class(**worn, cover=True) == 38
    assert armor_class(ac=15, cover=True) == 19  # cover is beside the number
    assert armor_class() == 10


def test_flat_footed_keeps_a_dexterity_penalty():
    assert armor_class(dexterity_modifier=-2, dodge=1) == 9
    assert armor_class(dexterity_modifier=-2, dodge=1, flat_footed=True) == 8


def test_an_ac_given_from_outside_wins():
    referee = Referee({"target": {"ac": 30}, "build": [{"name": "A", "attack": "+10", "damage": "5"}]}, ac=15)
    assert referee.armor_class == 15
    assert sum(degree_chances(referee)[2:]) == Fraction(16, 20)


def test_no_other_dice_are_asked_for():
    with pytest.raises(ReplayError):
        replay(statblock().play, [(20, 19), (20, 5)])
