"""Holds the pathfinder2 referee to fractions worked by hand from the published rules and the key page."""

from fractions import Fraction

import pytest

from .harness import Outcome, ReplayError, enumerate_rounds, replay
from .pathfinder2 import Referee, multiple_attack_penalty, range_penalty


def statblock(attack="+10", damage="5", target=None, rules=None, **keys):
    return Referee({"rules": rules or {}, "target": {"ac": 20, **(target or {})}, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]})


def sheet(*weapons, target=None, **keys):
    weapons = [{"name": "sword", "damage": "1d8 slashing", **weapon} for weapon in weapons or [{}]]
    build = {"name": "A", "level": 5, "proficiency": "expert", "modifiers": {"strength": 4, "dexterity": 3}, "weapons": weapons, **keys}
    return Referee({"target": {"ac": 20, **(target or {})}, "build": [build]})


def degree_chances(referee):
    chances = [Fraction()] * 4
    for outcome, chance in enumerate_rounds(referee.play).items():
        chances[outcome.degrees[0]] += chance
    assert sum(chances) == 1
    return chances


def twentieths(*parts):
    return [Fraction(part, 20) for part in parts]


def mean(referee):
    return sum(chance * outcome.total for outcome, chance in enumerate_rounds(referee.play).items())


def total(referee, *dice):
    return replay(referee.play, dice).total


# Degrees


@pytest.mark.parametrize(
    ("bonus", "ac", "chances"),
    [
        (10, 20, (1, 8, 10, 1)),  # 1 is 9 short and falls to 0; 10..19 hit; 20 is exactly 10 over
        (10, 15, (1, 3, 10, 6)),  # 5 needed, 15 for the critical
        (10, 21, (1, 9, 9, 1)),  # 20 is 9 over: success, raised
        (0, 20, (10, 9, 0, 1)),  # 10 and less are 10 short; a 20 succeeds, raised
        (1, 40, (19, 1, 0, 0)),  # a 20 is 19 short: critical failure, raised to a failure
        (9, 30, (11, 8, 1, 0)),  # a 20 is 1 short: failure, raised to a success
        (40, 10, (0, 0, 1, 19)),  # a 1 is 31 over: critical success, lowered to a success
        (19, 20, (0, 1, 9, 10)),  # a 1 just hits, lowered to a failure; 11 is 10 over
    ],
)
def test_four_degrees(bonus, ac, chances):
    assert degree_chances(statblock(bonus, target={"ac": ac})) == twentieths(*chances)


@pytest.mark.parametrize(("bonus", "ac", "chances"), [(1, 40, (20, 0, 0, 0)), (40, 10, (0, 0, 0, 20)), (9, 20, (1, 9, 10, 0))])
def test_naturals_may_count_as_their_total(bonus, ac, chances):
    assert degree_chances(statblock(bonus, target={"ac": ac}, rules={"natural_shift": False})) == twentieths(*chances)


@pytest.mark.parametrize(
    ("fortune", "chances"),
    [
        # best of two: 1; at most 9 (81 - 1); at most 19 (361 - 81); the rest
        ("fortune", (1, 80, 280, 39)),
        ("misfortune", (39, 240, 120, 1)),
    ],
)
def test_fortune_and_misfortune(fortune, chances):
    assert degree_chances(statblock(fortune=fortune)) == [Fraction(part, 400) for part in chances]


@pytest.mark.parametrize(("agile", "bonuses"), [(False, [10, 5, 0, 0]), (True, [10, 6, 2, 2])])
def test_multiple_attack_penalty(agile, bonuses):
    assert statblock(attacks=4, agile=agile).attack_bonuses == bonuses
    assert [10 + multiple_attack_penalty(before, agile) for before in range(4)] == bonuses


def test_explicit_bonuses_are_final():
    assert statblock("+10/+6/-1", agile=True).attack_bonuses == [10, 6, -1]


def test_the_bonuses_of_several_weapons_are_final():
    """The Common page: a statblock's numbers are final, one per attack; only `attacks` with one number asks for the penalty."""
    weapons = [{"name": "jaws", "attack": "+15", "damage": "1"}, {"name": "claw", "attack": "+11/+7", "damage": "1"}]
    assert Referee({"target": {"ac": 10}, "build": [{"name": "A", "weapons": weapons}]}).attack_bonuses == [15, 11, 7]


# Armor class, flat checks, range


@pytest.mark.parametrize(
    ("target", "ac"),
    [
        ({}, 20),
        ({"off_guard": True}, 18),
        ({"cover": "lesser"}, 21),
        ({"cover": "standard"}, 22),
        ({"cover": "greater"}, 24),
        ({"cover": "greater", "off_guard": True}, 22),
    ],
)
def test_armor_class(target, ac):
    assert statblock(target=target).armor_class == ac


def test_ac_defaults_to_10_and_may_come_from_outside():
    build = [{"name": "A", "attack": "+1", "damage": "1"}]
    assert Referee({"build": build}).armor_class == 10
    assert Referee({"target": {"ac": 5, "off_guard": True}, "build": build}, ac=18).armor_class == 18


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ({"concealed": True}, Fraction(16, 20)),
        ({"hidden": True}, Fraction(10, 20)),
        ({"concealed": True, "hidden": True}, Fraction(10, 20)),
        ({"miss_chance": 30}, Fraction(7, 10)),
    ],
)
def test_flat_checks(target, kept):
    chances = degree_chances(statblock(target=target))
    assert chances[0] == Fraction(1, 20)
    assert chances[2:] == [Fraction(10, 20) * kept, Fraction(1, 20) * kept]


def test_flat_check_comes_between_hit_and_damage():
    referee = statblock(damage="1d6", target={"concealed": True})
    assert replay(referee.play, [(20, 15), (20, 5), (6, 3)]) == Outcome(3, (2,))
    assert replay(referee.play, [(20, 15), (20, 4)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 9)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 1)]) == Outcome(0, (0,))


def test_a_failed_flat_check_stops_splash_and_miss_damage():
    # splash 2 on failure (8 faces), success (10) and critical (1); each needs 5 or more
    assert mean(statblock(damage="0", splash=2, rules={"minimum": "none"}, target={"concealed": True})) == 2 * Fraction(19, 20) * Fraction(16, 20)
    referee = statblock(miss_damage=3, target={"hidden": True})
    assert replay(referee.play, [(20, 9), (20, 11)]) == Outcome(3, (1,))
    assert replay(referee.play, [(20, 9), (20, 10)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 15), (20, 10)]) == Outcome(0, (1,))


def test_a_miss_chance_makes_a_hit_a_failure():
    """The Common page: the attack misses, so that splash and miss damage are dealt; an attack that failed does not roll it."""
    referee = statblock(splash=2, miss_damage=3, target={"miss_chance": 10})
    assert replay(referee.play, [(20, 15), (100, 10)]) == Outcome(5, (1,))
    assert replay(referee.play, [(20, 15), (100, 11)]) == Outcome(7, (2,))
    assert replay(referee.play, [(20, 9)]) == Outcome(5, (1,))


@pytest.mark.parametrize(("distance", "penalty"), [(5, 0), (60, 0), (61, -2), (120, -2), (121, -4), (360, -10)])
def test_range(distance, penalty):
    assert range_penalty(distance, 60) == penalty
    assert statblock(range=60, target={"distance": distance}).attack_bonuses == [10 + penalty]


def test_six_increments_at_most():
    with pytest.raises(ValueError, match="six range increments"):
        statblock(range=60, target={"distance": 361})


# Damage


def test_critical_doubles_one_roll():
    table = enumerate_rounds(statblock(damage="1d6+1", extra=["1d4 fire"]).play)
    # (d6 + 1 + d4) twice: even totals 6..22; 6 needs 1 and 1
    assert {outcome.total for outcome in table if outcome.degrees == (3,)} == set(range(6, 23, 2))
    assert table[Outcome(6, (3,))] == Fraction(1, 20) * Fraction(1, 24)
    assert mean(statblock(damage="1d6+1", extra=["1d4 fire"])) == 7 * (Fraction(10, 20) + 2 * Fraction(1, 20))


def test_critical_may_double_the_dice():
    referee = statblock(damage="1d6+1d4+1", extra=["1d8"], rules={"critical_doubling": "dice"})
    assert total(referee, (20, 20), (6, 1), (6, 2), (4, 3), (4, 4), (8, 5), (8, 6)) == 1 + 2 + 3 + 4 + 2 + 5 + 6
    assert total(referee, (20, 15), (6, 1), (4, 3), (8, 5)) == 10
    # same mean as one roll doubled, other spread
    plain = statblock(damage="1d6", rules={"critical_doubling": "dice"})
    assert mean(plain) == Fraction(7, 2) * Fraction(12, 20)
    assert enumerate_rounds(plain.play)[Outcome(2, (3,))] == Fraction(1, 20) * Fraction(1, 36)


@pytest.mark.parametrize(("striking", "dice"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_deadly_dice_are_not_doubled(striking, dice):
    referee = statblock(damage="1d6", deadly="d8", striking=striking)
    assert total(referee, (20, 20), (6, 3), *[(8, 5)] * dice) == 6 + 5 * dice
    assert total(referee, (20, 15), (6, 3)) == 3


def test_fatal_grows_the_dice_and_adds_one():
    referee = statblock(damage="2d8+4", fatal="d12", striking=1)
    # (2d12 + 4) twice and a d12 once: 2 * 17 + 13/2; a hit 2d8 + 4 = 13
    assert mean(referee) == Fraction(10, 20) * 13 + Fraction(1, 20) * (34 + Fraction(13, 2))
    assert total(referee, (20, 20), (12, 1), (12, 2), (12, 3)) == 14 + 3
    twice = statblock(damage="1d8", fatal="d12", rules={"critical_doubling": "dice"})
    assert total(twice, (20, 20), (12, 1), (12, 2), (12, 3)) == 6


def test_dice_order():
    referee = statblock(damage="1d6", extra=["1d4"], fatal="d10", deadly="d8", critical_extra=["1d3"], splash="1d2 fire")
    assert total(referee, (20, 20), (10, 1), (4, 1), (10, 1), (8, 1), (3, 1), (2, 1)) == 2 + 2 + 1 + 1 + 1 + 1
    assert total(referee, (20, 10), (6, 1), (4, 1), (2, 1)) == 3
    assert total(referee, (20, 9), (2, 2)) == 2


def test_splash_is_dealt_unless_critically_failed():
    # 4 points on 10 hits, 8 on the critical, 2 splash on everything but the natural 1
    assert mean(statblock(damage="4 fire", splash=2)) == Fraction(10 * 4 + 8 + 19 * 2, 20)


def test_miss_damage_is_for_failures_only():
    assert mean(statblock(damage="4", miss_damage=3)) == Fraction(10 * 4 + 8 + 8 * 3, 20)


@pytest.mark.parametrize(("minimum", "points"), [("hit", 1), ("none", 0)])
def test_minimum_of_a_hit(minimum, points):
    referee = statblock(damage="1d4-5", rules={"minimum": minimum})
    assert total(referee, (20, 15), (4, 2)) == points
    assert total(referee, (20, 20), (4, 2)) == points
    assert total(referee, (20, 9)) == 0
    # other damage is damage of the hit, and the point comes before resistances
    assert total(statblock(damage="1-5", extra=["2 fire"], rules={"minimum": minimum}), (20, 15)) == 2
    assert total(statblock(damage="1-5", rules={"minimum": minimum}, target={"resistance": {"physical": 1}}), (20, 15)) == 0


# The target's types


@pytest.mark.parametrize(
    ("target", "points"),
    [
        ({}, 7 + 4),
        ({"resistance": {"physical": 5}}, 2 + 4),
        ({"resistance": {"slashing": 3, "physical": 5}}, 2 + 4),
        ({"resistance": {"all": 5}}, 2),  # the published example: 7 slashing and 4 fire
        ({"weakness": {"fire": 5}}, 7 + 9),
        ({"weakness": {"slashing": 3, "physical": 5}}, 12 + 4),
        ({"weakness": {"cold": 5}}, 11),
        ({"weakness": {"fire": 5}, "resistance": {"fire": 10}}, 7),
        ({"weakness": {"fire": 5}, "resistance": {"fire": 3}}, 7 + 6),
        ({"immune": ["fire"], "weakness": {"fire": 5}}, 7),
        ({"immune": ["physical"]}, 4),
        ({"reduction": {"all": 3}}, 8),
    ],
)
def test_types(target, points):
    assert total(statblock(damage="7 slashing", extra=["4 fire"], target=target), (20, 15)) == points


def test_weakness_comes_after_doubling_and_once():
    # weapon 3, extra 2, splash 1, all fire: doubled 10, splash 1, weakness 5 once
    referee = statblock(damage="3 fire", extra=["2 fire"], splash=1, target={"weakness": {"fire": 5}})
    assert total(referee, (20, 20)) == 16
    assert total(referee, (20, 15)) == 11
    assert total(referee, (20, 9)) == 6
    assert total(referee, (20, 1)) == 0


def test_each_type_is_an_instance_of_its_own():
    # 3 slashing and 2 piercing: a weakness to physical damage for each of them, a resistance to all off each
    both = {"damage": "3 slashing", "extra": ["2 piercing"]}
    assert total(statblock(**both, target={"weakness": {"physical": 5}}), (20, 15)) == 8 + 7
    assert total(statblock(**both, target={"weakness": {"physical": 5, "slashing": 1}, "resistance": {"all": 4}}), (20, 15)) == 4 + 3


def test_damage_without_a_type_is_of_the_weapons():
    assert total(statblock(damage="3 fire", extra=["2"], target={"resistance": {"fire": 4}}), (20, 15)) == 1
    assert total(statblock(damage="3 fire", extra=["2"], critical_extra=["1"], target={"immune": ["physical"]}), (20, 20)) == 11


def test_splash_joins_its_type_before_resistance():
    assert total(statblock(damage="3 fire", splash=2, target={"resistance": {"fire": 4}}), (20, 15)) == 1
    assert total(statblock(damage="3", splash="2 acid", target={"resistance": {"acid": 4}}), (20, 15)) == 3


def test_precision_is_doubled_and_of_the_weapons_type():
    referee = statblock(damage="4 piercing", extra=["1d6 precision"], target={"resistance": {"piercing": 3}})
    assert total(referee, (20, 15), (6, 5)) == 6
    assert total(referee, (20, 20), (6, 5)) == 15


def test_precision_is_not_rolled_against_the_immune():
    assert total(statblock(extra=["1d6 precision"], target={"immune": ["precision"]}), (20, 20)) == 10


def test_immunity_to_criticals_takes_the_doubling_only():
    # Player Core 408 and the ruling: normal damage instead of double, the other effects stay, and the degree is 3
    referee = statblock(damage="1d6+2", deadly="d8", critical_extra=["1"], target={"immune": ["critical"]})
    assert replay(referee.play, [(20, 20), (6, 4), (8, 5)]) == Outcome(12, (3,))
    # 11 hits of 11/2, and on the 20 a d8 and 1 more
    assert mean(referee) == Fraction(11, 20) * Fraction(11, 2) + Fraction(1, 20) * Fraction(11, 2)


# Sheet


@pytest.mark.parametrize(
    ("weapon", "bonus", "points"),
    [
        ({}, 13, 1 + 4),  # 4 Str + 5 level + 4 expert
        ({"potency": 2}, 15, 5),
        ({"finesse": True}, 13, 5),
        ({"kind": "ranged"}, 12, 1),
        ({"kind": "ranged", "propulsive": True}, 12, 1 + 2),
        ({"kind": "thrown", "range": 20}, 12, 5),
        ({"kind": "thrown", "splash": 1}, 12, 1 + 1),  # published: a thrown weapon with splash leaves Str out, no other
        ({"splash": 1}, 13, 1 + 4 + 1),
        ({"kind": "ranged", "propulsive": True, "splash": 1}, 12, 1 + 2 + 1),
        ({"specialization": 3}, 13, 8),
        ({"range": 2, "kind": "melee"}, 13, 5),
    ],
)
def test_sheet_numbers(weapon, bonus, points):
    referee = sheet(weapon)
    assert referee.attack_bonuses == [bonus]
    assert total(referee, (20, 10), (8, 1)) == points


@pytest.mark.parametrize(("rank", "bonus"), [("untrained", 4), ("trained", 11), ("expert", 13), ("master", 15), ("legendary", 17)])
def test_proficiency(rank, bonus):
    assert sheet(proficiency=rank).attack_bonuses == [bonus]


def test_finesse_takes_the_better_and_a_penalty_is_not_halved():
    weapons = [{"finesse": True}, {"kind": "ranged", "propulsive": True}]
    referee = sheet(*weapons, modifiers={}, abilities={"strength": 7, "dexterity": 16})
    assert referee.attack_bonuses == [12, 12 - 5]
    assert total(referee, (20, 10), (8, 5), (20, 13), (8, 5)) == 3 + 3


def test_striking_adds_weapon_dice():
    referee = sheet({"striking": 2, "deadly": "d10"})
    # d20 17 + 13 = 30 is a critical success: (3d8 + 4) twice, 2d10
    assert total(referee, (20, 17), *[(8, 2)] * 3, (10, 1), (10, 1)) == 22
    assert mean(sheet({"striking": 1}, target={"ac": 23})) == 13 * (Fraction(10, 20) + 2 * Fraction(1, 20))


def test_a_weapon_without_dice_gains_none():
    assert total(sheet({"damage": "2 slashing", "striking": 2}), (20, 10)) == 6


def test_strikes_are_made_in_the_order_named():
    weapons = [{"name": "sword"}, {"name": "fist", "damage": "1d4", "agile": True, "finesse": True}]
    assert sheet(*weapons, strikes=["sword", "fist", "sword", "fist"]).attack_bonuses == [13, 13 - 4, 13 - 10, 13 - 8]
    assert sheet(*weapons).attack_bonuses == [13, 9]
    assert sheet({"attacks": 3}).attack_bonuses == [13, 8, 3]


def test_named_bonuses_and_range():
    weapon = {"kind": "ranged", "range": 60}
    referee = sheet(weapon, attack_bonuses={"inspire": 1}, damage_bonuses={"inspire": 2}, target={"distance": 130})
    assert referee.attack_bonuses == [12 + 1 - 4]
    assert total(referee, (20, 15), (8, 3)) == 5


def test_no_other_dice():
    with pytest.raises(ReplayError):
        replay(statblock().play, [(20, 15), (20, 15)])
