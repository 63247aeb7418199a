"""Holds the d20 referee to fractions worked by hand from the rule text and the decisions."""

import tomllib
from fractions import Fraction

import pytest

from .d20 import Damage, Dice, Referee, ladder, read_bonuses, read_critical, read_damage
from .harness import LimitError, Outcome, ReplayError, enumerate_rounds, replay


def statblock(attack="+10", damage="5", target=None, rules=None, **keys):
    return Referee(
        {"system": "d20", "rules": rules or {}, "target": target or {"ac": 20}, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]}
    )


def sheet(weapon=None, rules=None, **keys):
    weapon = {"name": "sword", "damage": "10", **(weapon or {})}
    return Referee({"rules": rules or {}, "target": {"ac": 0}, "build": [{"name": "A", "bab": 1, "weapon": weapon, **keys}]})


def degree_chances(referee):
    """Chance of degrees 0..3 of a round with one attack."""
    chances = [Fraction()] * 4
    for outcome, chance in enumerate_rounds(referee.play).items():
        chances[outcome.degrees[0]] += chance
    assert sum(chances) == 1
    return chances


def mean(referee):
    return sum(chance * outcome.total for outcome, chance in enumerate_rounds(referee.play).items())


def total(referee, *dice):
    return replay(referee.play, dice).total


def armor_class(rules=None, **target):
    return Referee({"rules": rules or {}, "target": target, "build": [{"name": "A", "attack": 0, "damage": "1"}]}).armor_class


# To hit


@pytest.mark.parametrize(("ties", "hits"), [("miss", 9), ("hit", 10)])
def test_total_must_exceed_ac(ties, hits):
    # +10 against 21: an 11 ties, 12..20 exceed
    chances = degree_chances(statblock(target={"ac": 21}, rules={"ties": ties}))
    assert chances[0] == Fraction(1, 20)
    assert chances[1] == Fraction(19 - hits, 20)
    assert chances[2] + chances[3] == Fraction(hits, 20)
    assert chances[3] == Fraction(1, 20) * Fraction(hits, 20)


def test_natural_20_hits_and_its_critical_roll_counts_by_total():
    assert degree_chances(statblock(target={"ac": 100})) == [Fraction(1, 20), Fraction(18, 20), Fraction(1, 20), 0]


def test_natural_1_misses():
    assert degree_chances(statblock(target={"ac": -100})) == [Fraction(1, 20), 0, Fraction(18, 20), Fraction(1, 20)]


@pytest.mark.parametrize(("ac", "confirmed"), [(100, Fraction(1, 20)), (-100, Fraction(19, 20))])
def test_confirm_naturals_decide_the_critical_roll(ac, confirmed):
    assert degree_chances(statblock(target={"ac": ac}, rules={"confirm_naturals": True}))[3] == Fraction(1, 20) * confirmed


def test_wide_range_threatens_only_where_the_attack_succeeds():
    # 15-20 with 18 needed: 18, 19, 20 hit and threaten, each confirmed by 18..20
    chances = degree_chances(statblock(target={"ac": 27}, critical="15-20"))
    assert chances[3] == Fraction(3, 20) * Fraction(3, 20)
    assert chances[2] == Fraction(3, 20) * Fraction(17, 20)


def test_threat_range_begins_at_its_lower_end():
    # +10 against 20 hits on 11..20; 19 and 20 threaten
    assert degree_chances(statblock(critical="19-20/x2"))[3] == Fraction(2, 20) * Fraction(10, 20)


def test_every_attack_has_its_own_bonus():
    # 16/11 against 20: needs 5 (16 faces), needs 10 (11 faces); 5 points each, doubled by criticals of a 20
    assert mean(statblock("16/11")) == 5 * (Fraction(16, 20) + Fraction(11, 20) + Fraction(1, 20) * (Fraction(16, 20) + Fraction(11, 20)))


@pytest.mark.parametrize(("chance", "kept"), [(20, Fraction(4, 5)), (50, Fraction(1, 2)), (100, 0)])
def test_miss_chance_makes_hits_and_criticals_misses(chance, kept):
    plain, missed = degree_chances(statblock()), degree_chances(statblock(target={"ac": 20, "miss_chance": chance}))
    assert missed[0] == Fraction(1, 20)
    assert missed[2:] == [plain[2] * kept, plain[3] * kept]


def test_miss_chance_is_rolled_after_the_critical_roll_and_before_damage():
    referee = statblock(damage="d4", target={"ac": 20, "miss_chance": 20})
    assert replay(referee.play, [(20, 20), (20, 20), (100, 20)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 20), (20, 20), (100, 21), (4, 3), (4, 1)]) == Outcome(4, (3,))
    assert replay(referee.play, [(20, 2)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 1)]) == Outcome(0, (0,))


# Damage


def test_critical_rolls_the_weapon_again_with_its_modifiers():
    # 2d6 of a x2 critical: both dice, both modifiers
    table = enumerate_rounds(statblock(damage="d6+3").play)
    critical = {outcome.total: chance for outcome, chance in table.items() if outcome.degrees == (3,)}
    assert min(critical) == 8
    assert max(critical) == 18
    assert critical[8] == Fraction(1, 20) * Fraction(10, 20) * Fraction(1, 36)
    assert critical[13] == Fraction(1, 20) * Fraction(10, 20) * Fraction(6, 36)


def test_multipliers_are_summed():
    # the text's example: x2 and x3 on d6 is 5d6, not 6d6
    referee = statblock(damage="d6", multipliers=[3])
    assert total(referee, (20, 20), (20, 20), *[(6, 2)] * 5) == 10
    assert total(referee, (20, 20), (20, 2), *[(6, 2)] * 3) == 6
    assert mean(referee) == Fraction(7, 2) * (3 * Fraction(10, 20) + 2 * Fraction(1, 20) * Fraction(10, 20))


def test_sneak_dice_are_rolled_once():
    # the text's example: 2d8+d6
    referee = statblock(damage="d8", extra=["d6 sneak"], critical_extra=["1d10"])
    assert total(referee, (20, 20), (20, 20), (8, 1), (8, 2), (6, 4), (10, 9)) == 16
    assert total(referee, (20, 15), (8, 1), (6, 4)) == 5


def test_dice_order_is_weapon_rolls_then_extra_then_critical_extra():
    weapon = {"name": "w", "attack": "+10", "damage": "1d4+2d6", "critical": "x3", "extra": ["d3"], "critical_extra": ["d2"]}
    referee = Referee({"target": {"ac": 20}, "build": [{"name": "A", "weapons": [weapon], "extra": ["d12"], "critical_extra": ["d10"]}]})
    rolls = [(4, 1), (6, 1), (6, 1)] * 3
    assert total(referee, (20, 20), (20, 20), *rolls, (3, 1), (12, 1), (2, 1), (10, 1)) == 13


@pytest.mark.parametrize(("minimum", "points"), [("roll", 3), ("hit", 1)])
def test_minimum_is_per_weapon_roll_or_per_hit(minimum, points):
    referee = statblock(damage="d4-5", critical="x3", rules={"minimum": minimum})
    assert total(referee, (20, 20), (20, 20), (4, 2), (4, 3), (4, 4)) == points
    assert total(referee, (20, 19), (4, 4)) == 1


def test_minimum_of_the_hit_lets_rolls_make_up_for_each_other():
    dice = (20, 20), (20, 20), (4, 1), (4, 4)
    assert total(statblock(damage="d4-2"), *dice) == 3
    assert total(statblock(damage="d4-2", rules={"minimum": "hit"}), *dice) == 1


def test_extra_dice_come_after_the_minimum():
    assert total(statblock(damage="d4-5", extra=["d6"]), (20, 19), (4, 1), (6, 3)) == 4


def test_damage_reduction_reaches_zero():
    assert total(statblock(damage="d4", target={"ac": 20, "reduction": {"physical": 5}}), (20, 19), (4, 4)) == 0


def test_reduction_acts_on_the_sum_of_an_attack_not_on_each_roll():
    referee = statblock(damage="d4", extra=["d6"], target={"ac": 20, "reduction": {"physical": 5}})
    assert total(referee, (20, 20), (20, 20), (4, 2), (4, 2), (6, 4)) == 3


@pytest.mark.parametrize(
    ("reduction", "points"),
    [
        ({"fire": "immune"}, 14),
        ({"fire": 4}, 16),
        ({"fire": 9}, 14),
        ({"slashing": 3}, 17),
        ({"slashing": 12}, 10),
        ({"physical": 5}, 15),
        ({"slashing": 12, "physical": 2}, 8),
        ({"physical": "immune"}, 6),
        ({"cold": 5}, 20),
        ({"all": 2}, 18),
        ({"all": 2, "fire": 9, "physical": 13}, 0),
        ({"all": "immune"}, 0),
    ],
)
def test_reductions_by_type_then_physical_then_all(reduction, points):
    # 10 slashing, 4 of untyped physical, 6 fire
    assert total(statblock(damage="10 slashing", extra=["4", "6 fire"], target={"ac": 20, "reduction": reduction}), (20, 19)) == points


def test_reduction_is_taken_from_each_attack():
    assert total(statblock("+10/+5", damage="7", target={"ac": 12, "reduction": {"all": 5}}), (20, 19), (20, 19)) == 4


def test_immunity_to_criticals_keeps_the_critical_roll():
    referee = statblock(damage="d4", critical_extra=["d10"], target={"ac": 20, "immune": ["critical"]})
    assert replay(referee.play, [(20, 20), (20, 20), (4, 3)]) == Outcome(3, (2,))
    assert degree_chances(referee) == [Fraction(1, 20), Fraction(9, 20), Fraction(10, 20), 0]


def test_precision_damage_is_not_rolled_against_the_immune():
    referee = statblock(damage="d4", extra=["5d6 precision", "d8 fire", "3d6 fire sneak"], target={"ac": 20, "immune": ["precision"]})
    assert total(referee, (20, 19), (4, 3), (8, 2)) == 5


def test_low_dice_are_rerolled_once():
    assert total(statblock(damage="2d6r2"), (20, 19), (6, 2), (6, 1), (6, 3)) == 4
    # 3..6 stand (18), 1 and 2 become a fresh 3 1/2 each: (18 + 7) / 6 = 25/6
    assert mean(statblock(damage="d6r2")) == Fraction(25, 6) * (Fraction(10, 20) + Fraction(1, 20) * Fraction(10, 20))


# Sheets


@pytest.mark.parametrize(
    ("strength", "weapon", "penalty", "points"),
    [
        (5, {}, "full", 15),
        (5, {"hand": "off"}, "full", 12),
        (5, {"hand": "two"}, "full", 17),
        (5, {"hand": "two", "light": True}, "full", 15),
        (5, {"kind": "thrown"}, "full", 15),
        (5, {"kind": "thrown", "hand": "off"}, "full", 12),
        (5, {"kind": "ranged"}, "full", 10),
        (-3, {"kind": "ranged"}, "full", 10),
        (-3, {"hand": "off"}, "full", 7),
        (-3, {"hand": "two"}, "full", 7),
        (-3, {"hand": "off"}, "scaled", 8),
        (-3, {"hand": "two"}, "scaled", 5),
        (-3, {}, "scaled", 7),
    ],
)
def test_strength_in_damage(strength, weapon, penalty, points):
    referee = sheet(weapon, rules={"strength_penalty": penalty}, modifiers={"strength": strength})
    assert total(referee, (20, 19)) == points


def test_named_and_enhancement_bonuses_are_part_of_the_weapon_roll():
    referee = sheet({"enhancement": 2, "damage": "d8", "critical": "x3"}, damage_bonuses={"bless": 1, "rage": 2})
    assert total(referee, (20, 20), (20, 20), (8, 1), (8, 2), (8, 3)) == 6 + 3 * 5


@pytest.mark.parametrize(
    ("keys", "weapon", "bonuses"),
    [
        ({}, {}, [1]),
        ({"abilities": {"strength": 18}}, {}, [5]),
        ({"abilities": {"strength": 7}}, {}, [-1]),  # (7 - 10) / 2 rounded down is -2
        ({"abilities": {"strength": 18, "dexterity": 14}}, {"kind": "ranged"}, [3]),
        ({"abilities": {"strength": 18, "dexterity": 14}}, {"kind": "thrown"}, [3]),
        ({"modifiers": {"dexterity": 4}}, {"light": True}, [1]),  # no feat
        ({"modifiers": {"dexterity": 4}, "feats": ["weapon finesse"]}, {}, [1]),  # not a fitting weapon
        ({"modifiers": {"dexterity": 4}, "feats": ["weapon finesse"]}, {"light": True}, [5]),
        ({"modifiers": {"dexterity": 4}, "feats": ["weapon finesse"]}, {"finesse": True}, [5]),
        ({"modifiers": {"strength": 3, "dexterity": 2}, "feats": ["weapon finesse"]}, {"light": True}, [4]),  # Str is higher
        ({"size": "small"}, {}, [2]),
        ({"size": "colossal"}, {}, [-7]),
        ({"feats": ["weapon focus"]}, {}, [2]),
        ({"feats": ["weapon focus"]}, {"focus": False}, [1]),
        ({}, {"proficient": False}, [-3]),
        ({"armor": {"check_penalty": -3, "proficient": False}}, {}, [-2]),
        ({"armor": {"check_penalty": -3, "proficient": True}}, {}, [1]),
        ({"armor": {"check_penalty": -3}}, {}, [1]),
        ({"attack_bonuses": {"bless": 1, "charge": 2}}, {"enhancement": 3}, [7]),
        ({"bab": 11}, {}, [11, 6, 1]),
        ({"bab": 11, "base_attacks": "+5/+5"}, {}, [5, 5]),
        ({"bab": 11, "base_attacks": "+5/+5"}, {"base_attacks": "+2"}, [2]),
    ],
)
def test_attack_bonus_of_a_sheet(keys, weapon, bonuses):
    assert sheet(weapon, **keys).attack_bonuses == bonuses


@pytest.mark.parametrize(
    ("bab", "attacks"), [(-2, [-2]), (0, [0]), (5, [5]), (6, [6, 1]), (10, [10, 5]), (16, [16, 11, 6, 1]), (20, [20, 15, 10, 5]), (30, [30, 25, 20, 15])]
)
def test_later_attacks_are_5_lower(bab, attacks):
    assert ladder(bab) == attacks


def test_all_attacks_of_the_first_weapon_come_first():
    data = tomllib.loads(
        """
        system = "d20"
        [target]
        ac = 15
        [[build]]
        name = "Two blades"
        bab = 6
        modifiers = { strength = 3 }
        extra = ["1d6 precision"]
        weapons = [
            { name = "longsword", damage = "1d8", critical = "19-20/x2" },
            { name = "dagger", damage = "1d4", hand = "off", light = true, base_attacks = "+4" },
        ]
        [[build]]
        name = "Numbers"
        weapons = [{ name = "bite", attack = "+9/+4", damage = "2d6+3" }, { name = "claw", attack = "-1", damage = "1d4", extra = ["1d6 fire"] }]
        """
    )
    assert Referee(data).attack_bonuses == [9, 4, 7]
    assert Referee(data, build=1).attack_bonuses == [9, 4, -1]
    assert total(Referee(data), (20, 10), (8, 5), (6, 1), (20, 2), (20, 12), (4, 2), (6, 6)) == 5 + 3 + 1 + 2 + 1 + 6


# The defender


@pytest.mark.parametrize(
    ("target", "ac"),
    [
        ({}, 10),
        ({"ac": 28}, 28),
        ({"armor": {"bonus": 8, "enhancement": 1, "max_dexterity": 1}, "dexterity": 18}, 20),
        ({"armor": {"bonus": 8, "max_dexterity": 1}, "dexterity_modifier": -2}, 16),
        ({"armor": [{"bonus": 8, "max_dexterity": 1}, {"bonus": 4, "enhancement": 5, "max_dexterity": 6}], "dexterity": 18}, 20),
        ({"shield": {"bonus": 2, "enhancement": 1}}, 13),
        ({"shield": [{"bonus": 2}, {"bonus": 1}]}, 12),
        ({"size": "tiny"}, 12),
        ({"size": "huge"}, 8),
        ({"deflection": [1, 3, 2]}, 13),
        ({"natural": 4}, 14),
        ({"natural": {"bonus": 3, "enhancement": 1}}, 14),
        ({"dodge": [1, 1, 2]}, 14),
        ({"dodge": 1, "deflection": 2}, 13),
        ({"dexterity": 9}, 9),
    ],
)
def test_armor_class_of_parts(target, ac):
    assert armor_class(**target) == ac


FULL = {
    "armor": {"bonus": 4, "enhancement": 1, "max_dexterity": 2},
    "shield": {"bonus": 2},
    "dexterity": 18,
    "size": "small",
    "deflection": 1,
    "natural": 3,
    "dodge": [1, 1],
}


@pytest.mark.parametrize(
    ("keys", "ac"),
    [
        ({}, 26),
        ({"touch": True}, 16),  # 10 + 2 Dex + 1 size + 1 deflection + 2 dodge
        ({"flat_footed": True}, 22),
        ({"flat_footed": True, "uncanny_dodge": True}, 24),  # Dex stays, dodge does not
        ({"uncanny_dodge": True}, 26),
        ({"touch": True, "flat_footed": True}, 12),
        ({"touch": True, "flat_footed": True, "uncanny_dodge": True}, 14),
    ],
)
def test_touch_and_flat_footed(keys, ac):
    assert armor_class(**FULL, **keys) == ac


@pytest.mark.parametrize(
    ("penalty", "dexterity", "uncanny", "ac"), [("dropped", 6, False, 10), ("kept", 6, False, 8), ("dropped", 6, True, 8), ("kept", 18, False, 10)]
)
def test_flat_footed_with_a_dexterity_penalty(penalty, dexterity, uncanny, ac):
    assert armor_class({"flat_footed_penalty": penalty}, dexterity=dexterity, flat_footed=True, uncanny_dodge=uncanny) == ac


def test_an_ac_from_outside_replaces_the_target_s():
    data = {"target": {"ac": 10}, "build": [{"name": "A", "attack": "+0", "damage": "1"}]}
    assert Referee(data, ac=19).armor_class == 19
    assert degree_chances(Referee(data, ac=19))[1] == Fraction(18, 20)


# Reading


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        ("2d6+15", Damage((Dice(1, 2, 6, 0),), 15, "physical", False)),
        ("d8", Damage((Dice(1, 1, 8, 0),), 0, "physical", False)),
        ("1d6+1d4-1", Damage((Dice(1, 1, 6, 0), Dice(1, 1, 4, 0)), -1, "physical", False)),
        ("2d6r2", Damage((Dice(1, 2, 6, 2),), 0, "physical", False)),
        ("1d8 − 1d4 cold", Damage((Dice(1, 1, 8, 0), Dice(-1, 1, 4, 0)), 0, "cold", False)),
        ("1d6 fire", Damage((Dice(1, 1, 6, 0),), 0, "fire", False)),
        ("5d6 precision", Damage((Dice(1, 5, 6, 0),), 0, "physical", True)),
        ("3d6 fire precision", Damage((Dice(1, 3, 6, 0),), 0, "fire", True)),
        ("8", Damage((), 8, "physical", False)),
        (8, Damage((), 8, "physical", False)),
    ],
)
def test_damage_expressions(text, damage):
    assert read_damage(text) == damage


@pytest.mark.parametrize("text", ["", "fire", "2d6 3", "d", "2d6+", "1d6 fire cold"])
def test_unreadable_damage_is_an_error(text):
    with pytest.raises(ValueError, match="damage must"):
        read_damage(text)


@pytest.mark.parametrize(
    ("text", "critical"), [("19-20/x2", (19, 2)), ("x3", (20, 3)), ("15-20", (15, 2)), ("20/x3", (20, 3)), ("20/×4", (20, 4)), ("20", (20, 2))]
)
def test_critical_expressions(text, critical):
    assert read_critical(text) == critical


@pytest.mark.parametrize(("text", "bonuses"), [("+20/+15", [20, 15]), ("16/11", [16, 11]), ("-1/-6", [-1, -6]), ("−1", [-1]), (7, [7])])
def test_attack_lists(text, bonuses):
    assert read_bonuses(text) == bonuses


# The harness


def test_walk_counts_every_leaf_once():
    table = enumerate_rounds(lambda roll: Outcome(roll(2) + roll(3), ()), limit=6)
    assert table == {Outcome(points, ()): Fraction(ways, 6) for points, ways in ((2, 1), (3, 2), (4, 2), (5, 1))}
    assert enumerate_rounds(lambda _: Outcome(7, ())) == {Outcome(7, ()): 1}


def test_walk_stops_at_its_limit():
    with pytest.raises(LimitError, match="at most 5"):
        enumerate_rounds(lambda roll: Outcome(roll(2) + roll(3), ()), limit=5)


def test_walk_follows_dice_that_depend_on_dice():
    table = enumerate_rounds(lambda roll: Outcome(roll(4) if roll(2) == 1 else 0, ()))
    assert table[Outcome(0, ())] == Fraction(1, 2)
    assert table[Outcome(4, ())] == Fraction(1, 8)


@pytest.mark.parametrize("dice", [[], [(20, 15)], [(20, 15), (6, 3)], [(20, 15), (4, 5)], [(20, 15), (4, 0)], [(20, 15), (4, 3), (4, 3)], [(20, 2), (4, 3)]])
def test_replay_refuses_other_dice(dice):
    with pytest.raises(ReplayError):
        replay(statblock(damage="d4").play, dice)
