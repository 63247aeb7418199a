"""Holds the dnd5e referee to fractions worked by hand from the published rules and the key page."""

from fractions import Fraction

import pytest

from .dnd5e import Referee, attack_d20s, lowest_critical
from .harness import Outcome, ReplayError, enumerate_rounds, replay


def statblock(attack="+5", damage="5", target=None, rules=None, **keys):
    return Referee({"rules": rules or {}, "target": target or {"ac": 15}, "build": [{"name": "A", "attack": attack, "damage": damage, **keys}]})


def sheet(*weapons, target=None, rules=None, **keys):
    weapons = [{"name": "sword", "damage": "10", **weapon} for weapon in weapons or [{}]]
    build = {"name": "A", "proficiency_bonus": 3, "modifiers": {"strength": 4, "dexterity": 2}, "weapons": weapons, **keys}
    return Referee({"rules": rules or {}, "target": target or {"ac": 0}, "build": [build]})


def degree_chances(referee):
    chances = [Fraction()] * 4
    for outcome, chance in enumerate_rounds(referee.play).items():
        chances[outcome.degrees[0]] += chance
    assert sum(chances) == 1
    return chances


def mean(referee):
    return sum(chance * outcome.total for outcome, chance in enumerate_rounds(referee.play).items())


def total(referee, *dice):
    return replay(referee.play, dice).total


def hit_points(damage="5", kind_target=None, **keys):
    """Points of a sure ordinary hit (natural 10) without damage dice."""
    return total(statblock("+50", damage, target={"ac": 10, **(kind_target or {})}, **keys), (20, 10))


# To hit


def test_total_meets_ac():
    # +5 against 15: 10..20 hit, the 20 of them is a critical
    assert degree_chances(statblock()) == [Fraction(1, 20), Fraction(8, 20), Fraction(10, 20), Fraction(1, 20)]


@pytest.mark.parametrize(("ac", "chances"), [(100, [1, 18, 0, 1]), (-100, [1, 0, 18, 1])])
def test_naturals_decide(ac, chances):
    assert degree_chances(statblock(target={"ac": ac})) == [Fraction(part, 20) for part in chances]


@pytest.mark.parametrize(("text", "face"), [("20", 20), ("19-20", 19), ("18-20", 18), (19, 19), ("none", 21)])
def test_critical_notation(text, face):
    assert lowest_critical(text) == face


def test_critical_has_no_multiplier():
    with pytest.raises(ValueError, match="like 19-20"):
        lowest_critical("19-20/x2")


@pytest.mark.parametrize(
    ("range_hits", "chances"),
    [(False, [1, 17, 0, 2]), (True, [1, 16, 0, 3])],
)
def test_a_wide_range_is_critical_where_it_hits(range_hits, chances):
    # +5 against 24 needs a 19: the 18 of 18-20 misses, unless the whole range hits
    referee = statblock(target={"ac": 24}, critical="18-20", rules={"critical_range_hits": range_hits})
    assert degree_chances(referee) == [Fraction(part, 20) for part in chances]


def test_no_critical_still_hits_on_20():
    assert degree_chances(statblock(target={"ac": 100}, critical="none")) == [Fraction(1, 20), Fraction(18, 20), Fraction(1, 20), 0]


@pytest.mark.parametrize(
    ("advantage", "chances"),
    [
        # best of two, 10 needed: both 1; both below 10 (9/20)^2 less that; a 20 among two 1 - (19/20)^2
        ("advantage", [Fraction(1, 400), Fraction(80, 400), Fraction(280, 400), Fraction(39, 400)]),
        ("disadvantage", [Fraction(39, 400), Fraction(240, 400), Fraction(120, 400), Fraction(1, 400)]),
        ("elven accuracy", [Fraction(1, 8000), Fraction(728, 8000), Fraction(6859 - 729, 8000), Fraction(8000 - 6859, 8000)]),
    ],
)
def test_several_d20(advantage, chances):
    assert degree_chances(statblock(advantage=advantage)) == chances


@pytest.mark.parametrize(
    ("advantage", "grants", "dice"),
    [
        ("none", "none", (1, True)),
        ("none", "advantage", (2, True)),
        ("none", "disadvantage", (2, False)),
        ("advantage", "advantage", (2, True)),
        ("advantage", "disadvantage", (1, True)),
        ("disadvantage", "advantage", (1, True)),
        ("disadvantage", "disadvantage", (2, False)),
        ("elven accuracy", "disadvantage", (1, True)),
        ("elven accuracy", "advantage", (3, True)),
    ],
)
def test_advantage_and_disadvantage_cancel(advantage, grants, dice):
    assert attack_d20s(advantage, grants) == dice
    assert degree_chances(statblock(advantage=advantage, target={"ac": 15, "grants": grants}))[0] == (
        Fraction(1, 20 ** dice[0]) if dice[1] else 1 - Fraction(19, 20) ** dice[0]
    )


def test_lucky_rerolls_a_1():
    # a 1 stays a 1 in 1/400; every other face gains 1/400
    assert degree_chances(statblock(lucky=True)) == [Fraction(1, 400), Fraction(8 * 21, 400), Fraction(10 * 21, 400), Fraction(21, 400)]


def test_lucky_rerolls_one_die_of_advantage():
    referee = statblock(lucky=True, advantage="advantage")
    assert replay(referee.play, [(20, 1), (20, 1), (20, 1)]) == Outcome(0, (0,))
    assert replay(referee.play, [(20, 3), (20, 1), (20, 12)]) == Outcome(5, (2,))
    assert replay(referee.play, [(20, 3), (20, 4)]) == Outcome(0, (1,))
    assert degree_chances(referee)[0] == Fraction(1, 8000)  # both dice 1 and the reroll too


def test_lucky_with_disadvantage():
    # natural 1: both 1 (whatever the reroll, the other stays), or exactly one and its reroll 1
    assert degree_chances(statblock(lucky=True, advantage="disadvantage"))[0] == Fraction(1, 400) + Fraction(38, 400) * Fraction(1, 20)


def test_bless_and_bane():
    # d20+5+d4 against 15: d4 of 1..4 needs 9..6; hits 12+13+14+15 of 80
    chances = degree_chances(statblock(attack_dice=["1d4"]))
    assert chances[2] + chances[3] == Fraction(54, 80)
    chances = degree_chances(statblock(attack_dice=["-1d4"]))  # needs 11..14: 10+9+8+7
    assert chances[2] + chances[3] == Fraction(34, 80)


def test_attack_dice_come_after_the_lucky_reroll_and_always():
    referee = statblock(lucky=True, attack_dice=["1d4", "-1d6"], damage="d8", target={"ac": 15, "miss_chance": 50})
    assert replay(referee.play, [(20, 1), (20, 1), (4, 4), (6, 1)]) == Outcome(0, (0,))
    assert replay(referee.play, [(20, 9), (4, 4), (6, 1), (100, 51), (8, 7)]) == Outcome(7, (2,))
    assert replay(referee.play, [(20, 9), (4, 2), (6, 3)]) == Outcome(0, (1,))
    assert replay(referee.play, [(20, 20), (4, 1), (6, 6), (100, 50)]) == Outcome(0, (1,))


@pytest.mark.parametrize(("cover", "ac"), [("none", 15), ("half", 17), ("three-quarters", 20)])
def test_cover(cover, ac):
    assert statblock(target={"ac": 15, "cover": cover}).armor_class == ac


def test_ac_defaults_to_10_and_may_come_from_outside():
    build = [{"name": "A", "attack": "+1/+2", "damage": "1"}]
    assert Referee({"build": build}).armor_class == 10
    assert Referee({"target": {"ac": 5, "cover": "half"}, "build": build}, 0, 18).armor_class == 18


def test_miss_chance():
    plain, missed = degree_chances(statblock()), degree_chances(statblock(target={"ac": 15, "miss_chance": 20}))
    assert missed[2:] == [plain[2] * Fraction(4, 5), plain[3] * Fraction(4, 5)]


def test_adamantine_makes_a_critical_a_hit():
    referee = statblock(damage="1d6", smite=["1d8"], smite_on="critical", critical_extra=["1d10"], target={"ac": 15, "immune": ["critical"]})
    assert replay(referee.play, [(20, 20), (6, 4)]) == Outcome(4, (2,))


# Damage


def test_critical_doubles_dice_and_not_modifiers():
    # 11 of 20 hit, one of them a critical: 3.5 + 3, and 7 + 3
    assert mean(statblock(damage="1d6+3")) == Fraction(10, 20) * Fraction(13, 2) + Fraction(1, 20) * 10


def test_critical_dice_are_thrown_kind_by_kind():
    referee = statblock(damage="1d8+1d6+1", extra=["1d4"], once_per_turn=["1d3"], smite=["1d12"], critical_extra=["1d10"])
    weapon = [(8, 1), (8, 1), (6, 1), (6, 1)]
    assert total(referee, (20, 20), *weapon, (4, 1), (4, 1), (3, 1), (3, 1), (12, 1), (12, 1), (10, 1)) == 12
    assert total(referee, (20, 19), (8, 1), (6, 1), (4, 1), (3, 1), (12, 1)) == 6


def test_great_weapon_fighting_2014():
    # d6: 3..6 at 1/6 each, 1 and 2 rerolled: 18/6 + 2/6 * 7/2 = 25/6
    assert mean(statblock("+50", "1d6", great_weapon_fighting=True, critical="none")) == Fraction(19, 20) * Fraction(25, 6)
    # 2d6 critical-free; each die its own reroll, straight after it
    referee = statblock(damage="2d6", great_weapon_fighting=True)
    assert total(referee, (20, 15), (6, 2), (6, 1), (6, 6)) == 7


def test_great_weapon_fighting_2024():
    # d6 reads 3 3 3 4 5 6
    referee = statblock("+50", "1d6", great_weapon_fighting=True, critical="none", rules={"edition": "2024"})
    assert mean(referee) == Fraction(19, 20) * 4


@pytest.mark.parametrize(("edition", "scope", "gain"), [("2014", "weapon", 0), ("2014", "all", 1), ("2024", "weapon", 0), ("2024", "all", 1)])
def test_scope_of_great_weapon_fighting(edition, scope, gain):
    # smite d4: plain 5/2; rerolling 1, 2: (3 + 4)/4 + 2/4 * 5/2 = 3; as 3: (3 + 3 + 3 + 4)/4 = 13/4
    smite = {("2014", 1): Fraction(3), ("2024", 1): Fraction(13, 4)}.get((edition, gain), Fraction(5, 2))
    referee = statblock("+50", "0", smite=["1d4"], great_weapon_fighting=True, critical="none", rules={"edition": edition, "reroll_scope": scope})
    assert mean(referee) == Fraction(19, 20) * smite


def test_reroll_of_the_notation_is_not_stacked():
    referee = statblock(damage="1d6r1", great_weapon_fighting=True)
    assert total(referee, (20, 15), (6, 2), (6, 1)) == 1


def test_minimum_die_is_for_weapon_dice():
    # d4 of at least 3: 3 3 3 4; extra d4 untouched
    referee = statblock("+50", "1d4", extra=["1d4"], minimum_die=3, critical="none")
    assert mean(referee) == Fraction(19, 20) * (Fraction(13, 4) + Fraction(5, 2))


@pytest.mark.parametrize("better", ["roll", "die"])
def test_take_better_of_one_die(better):
    # best of two d6: 161/36; a whole roll of one die is the same die
    referee = statblock("+50", "1d6", savage_attacker=True, critical="none", rules={"take_better": better})
    assert mean(referee) == Fraction(19, 20) * Fraction(161, 36)


@pytest.mark.parametrize(("better", "points"), [("roll", Fraction(54, 16)), ("die", Fraction(7, 2))])
def test_take_better_by_roll_or_by_die(better, points):
    # 2d2: whole rolls 2 3 4 at 1 2 1 of 4, best of two: 2 at 1/16, 3 at 8/16, 4 at 7/16: 54/16
    # per die: 2 in 3/4, so 2 * 7/4 = 7/2
    referee = statblock("+50", "2d2", savage_attacker=True, critical="none", rules={"take_better": better})
    assert mean(referee) == Fraction(19, 20) * points


def test_take_better_order_and_once_per_turn():
    rolls = statblock("+5/+5", "2d6+1", savage_attacker=True)
    assert total(rolls, (20, 15), (6, 1), (6, 2), (6, 3), (6, 4), (20, 15), (6, 1), (6, 1)) == 8 + 3
    # first die 3 or 1, second die 2 or 6
    dice = statblock("+5/+5", "2d6", savage_attacker=True, rules={"take_better": "die"})
    assert total(dice, (20, 2), (20, 15), (6, 3), (6, 1), (6, 2), (6, 6)) == 9
    # rerolls happen inside each candidate
    both = statblock(damage="1d6", savage_attacker=True, great_weapon_fighting=True, rules={"take_better": "die"})
    assert total(both, (20, 15), (6, 1), (6, 2), (6, 2), (6, 5)) == 5
    # a critical's four dice are the roll
    assert total(statblock(damage="2d6", savage_attacker=True), (20, 20), *[(6, 2)] * 4, *[(6, 1)] * 4) == 8


@pytest.mark.parametrize(("edition", "kind", "dice"), [("2014", "melee", 2), ("2014", "ranged", 1), ("2014", "thrown", 1), ("2024", "ranged", 2)])
def test_savage_attacker_is_melee_in_2014(edition, kind, dice):
    referee = sheet({"damage": "1d6", "kind": kind}, savage_attacker=True, modifiers={}, rules={"edition": edition})
    assert total(referee, (20, 15), *[(6, 3)] * dice) == 3


@pytest.mark.parametrize("rules", [{}, {"edition": "2024", "take_better": "die"}])
def test_dice_taken_off_have_no_style(rules):
    """A reduced creature's 1d4 less: no damage die of the weapon, and no feature the fighter would use on it."""
    referee = statblock(damage="3-1d4", great_weapon_fighting=True, minimum_die=3, rules=rules)
    assert total(referee, (20, 15), (4, 1)) == 2
    savage = statblock(damage="1d6-1d4", savage_attacker=True, rules={"take_better": "die"})
    assert total(savage, (20, 15), (6, 3), (6, 5), (4, 2)) == 3


@pytest.mark.parametrize(("kind", "points"), [("melee", 13), ("ranged", 10), ("thrown", 10)])
def test_a_smite_is_of_melee_hits(kind, points):
    """Published: divine smite comes with a hit of a melee weapon."""
    assert total(sheet({"kind": kind}, modifiers={}, smite=["3 radiant"]), (20, 10)) == points


@pytest.mark.parametrize(("weapon", "dice"), [({}, 2), ({"ability": "constitution"}, 2), ({"ability": "charisma"}, 3), ({"kind": "ranged"}, 3)])
def test_elven_accuracy_is_not_of_strength(weapon, dice):
    assert total(sheet(weapon, modifiers={}, advantage="elven accuracy"), *[(20, 10)] * dice) == 10
    assert total(sheet({"finesse": True}, modifiers={"strength": 1, "dexterity": 1}, advantage="elven accuracy"), *[(20, 10)] * 3) == 11


def test_power_is_minus_5_plus_10():
    # +5-5 against 15 needs 15: 6 faces, 15 points (no dice to double)
    referee = statblock(power=True)
    assert referee.attack_bonuses == [0]
    assert mean(referee) == 15 * Fraction(6, 20)


def test_once_per_turn_falls_on_the_first_hit():
    # two attacks at 11/20: 5 points each, 10 once if any hits
    assert mean(statblock("+5/+5", once_per_turn=["10 precision"])) == 2 * 5 * Fraction(11, 20) + 10 * (1 - Fraction(9, 20) ** 2)


@pytest.mark.parametrize(
    ("smite_on", "points"),
    [
        ("first hit", 10 * (1 - Fraction(9, 20) ** 2)),
        ("critical", 10 * (1 - Fraction(19, 20) ** 2)),
        ("every hit", 10 * 2 * Fraction(11, 20)),
    ],
)
def test_smite(smite_on, points):
    assert mean(statblock("+5/+5", "0", smite=["10 radiant"], smite_on=smite_on)) == points


def test_critical_smite_waits_for_the_critical():
    referee = statblock("+5/+5/+5", "0", smite=["1d8 radiant"], smite_on="critical")
    assert total(referee, (20, 15), (20, 20), (8, 3), (8, 4), (20, 20)) == 7


def test_graze_is_dealt_on_every_miss():
    # 9 of 20 miss for 3, 11 hit for 5
    assert mean(statblock(graze=3)) == 3 * Fraction(9, 20) + 5 * Fraction(11, 20)
    assert replay(statblock(graze=3).play, [(20, 1)]) == Outcome(3, (0,))
    assert replay(statblock(damage="1 fire", graze=3, target={"ac": 15, "resistance": ["fire"]}).play, [(20, 2)]) == Outcome(1, (1,))


def test_no_entry_is_below_0():
    assert hit_points("-4", extra=["3"]) == 3
    assert hit_points("2-5") == 0


def test_precision_is_not_rolled_against_the_immune():
    referee = statblock(damage="1d6", once_per_turn=["3d6 precision"], target={"ac": 15, "immune": ["precision"]})
    assert total(referee, (20, 15), (6, 4)) == 4


# The target's types


@pytest.mark.parametrize(
    ("target", "points"),
    [
        ({}, 7 + 5),
        ({"resistance": ["slashing"]}, 3 + 5),
        ({"resistance": ["fire"]}, 7 + 2),
        ({"resistance": ["physical"]}, 3 + 5),
        ({"vulnerability": ["fire"]}, 7 + 10),
        ({"resistance": ["slashing"], "vulnerability": ["slashing"]}, 6 + 5),
        ({"immunity": ["physical"]}, 5),
        ({"immunity": ["piercing"]}, 12),
        # ruling: what is left of all weapon damage together is halved or doubled as one
        ({"reduction": {"physical": 2}, "resistance": ["physical"]}, 2 + 5),
        ({"reduction": {"slashing": 9}}, 5),
        ({"reduction": {"fire": "immune"}}, 7),
        ({"reduction": {"all": 8}}, 4),
        ({"reduction": {"slashing": 1, "physical": 1, "all": 1}}, 5 + 5 - 1),
        ({"reduction": {"slashing": 1, "physical": 1}, "vulnerability": ["physical"]}, 10 + 5),
        ({"reduction": {"all": 3}, "immunity": ["fire"]}, 7 - 3),
    ],
)
def test_types(target, points):
    assert hit_points("7 slashing", target, extra=["5 fire"]) == points


def test_resistance_halves_the_sum_of_a_type():
    # 3 + 3 fire is 6, halved 3; halved one by one it would be 2
    assert hit_points("3 fire", {"resistance": ["fire"]}, extra=["3 fire"]) == 3


def test_untyped_damage_is_physical_and_each_type_is_halved_apart():
    assert hit_points("5", {"resistance": ["physical"]}) == 2
    assert hit_points("5", {"resistance": ["slashing"]}) == 5
    assert hit_points("5 slashing", {"resistance": ["physical"]}, extra=["5 piercing"]) == 4


def test_points_off_all_weapon_damage_leave_one_sum():
    # ruling on reduction.physical: (5 + 5 - 1) // 2, and what it is immune to takes none of the points
    target = {"reduction": {"physical": 1}, "resistance": ["physical"]}
    assert hit_points("5 slashing", target, extra=["5 piercing"]) == 4
    assert hit_points("5 slashing", {**target, "immunity": ["slashing"]}, extra=["6 piercing"]) == 2


@pytest.mark.parametrize("key", ["extra", "once_per_turn", "smite"])
def test_every_untyped_entry_has_the_weapons_type(key):
    # ruling: 5 + 4 fire is 9, halved 4
    assert hit_points("5 fire", {"resistance": ["fire"]}, **{key: ["4"]}) == 4


def test_sneak_attack_has_the_weapons_type():
    assert hit_points("5 piercing", {"resistance": ["piercing"]}, once_per_turn=["4 precision"]) == 4


# Sheet


@pytest.mark.parametrize(
    ("weapon", "bonus", "points"),
    [
        ({}, 7, 14),
        ({"proficient": False}, 4, 14),
        ({"magic": 2}, 9, 16),
        ({"kind": "ranged"}, 5, 12),
        ({"kind": "thrown"}, 7, 14),
        ({"finesse": True}, 7, 14),
        ({"ability": "charisma"}, 8, 15),
        ({"hand": "two"}, 7, 14),
        ({"hand": "off"}, 7, 10),
    ],
)
def test_sheet_numbers(weapon, bonus, points):
    referee = sheet(weapon, modifiers={"strength": 4, "dexterity": 2, "charisma": 5})
    assert referee.attack_bonuses == [bonus]
    assert total(referee, (20, 10)) == points


def test_finesse_takes_the_better_and_scores_are_read():
    referee = sheet({"finesse": True}, {"damage": "1", "hand": "off", "attacks": 2}, modifiers={}, abilities={"strength": 9, "dexterity": 18})
    assert referee.attack_bonuses == [7, 2, 2]
    # off hand: the penalty of -1 stays, 1-1 is 0
    assert total(referee, (20, 10), (20, 10), (20, 10)) == 14


@pytest.mark.parametrize(
    ("style", "weapons", "bonuses", "points"),
    [
        ("archery", [{"kind": "ranged"}], [7], 12),
        ("archery", [{"kind": "thrown"}], [7], 14),
        ("dueling", [{}], [7], 16),
        ("dueling", [{"hand": "two"}], [7], 14),
        ("dueling", [{"kind": "ranged"}], [5], 12),
        ("dueling", [{}, {"hand": "off"}], [7, 7], 24),
        ("dueling", [{"hand": "off"}], [7], 10),  # an off-hand attack is made beside another weapon
        ("two-weapon fighting", [{}, {"hand": "off"}], [7, 7], 28),
    ],
)
def test_fighting_styles(style, weapons, bonuses, points):
    referee = sheet(*weapons, fighting_styles=[style])
    assert referee.attack_bonuses == bonuses
    assert total(referee, *[(20, 10)] * len(weapons)) == points


@pytest.mark.parametrize("said", [{"fighting_styles": ["great weapon fighting"]}, {"great_weapon_fighting": True}])
@pytest.mark.parametrize(
    ("weapon", "rerolled"),
    [
        ({"hand": "two"}, True),
        ({"hand": "main"}, False),
        ({"hand": "two", "kind": "ranged"}, False),
        ({"hand": "two", "great_weapon_fighting": False}, False),
    ],
)
def test_great_weapon_style_is_for_two_handed_melee(said, weapon, rerolled):
    referee = sheet({"damage": "1d6", **weapon}, modifiers={}, **said)
    assert total(referee, (20, 10), (6, 1), *[(6, 5)] * rerolled) == (5 if rerolled else 1)


def test_named_bonuses_count_for_every_weapon():
    referee = sheet({}, {"hand": "off"}, attack_bonuses={"oath": 2, "bane": -1}, damage_bonuses={"rage": 3})
    assert referee.attack_bonuses == [8, 8]
    assert total(referee, (20, 10), (20, 10)) == 17 + 13


def test_weapons_of_a_statblock_go_one_after_the_other():
    weapons = [{"name": "a", "attack": "+5/+4", "damage": "1", "critical": "19-20"}, {"name": "b", "attack": "+3", "damage": "2", "extra": ["4"]}]
    referee = Referee({"target": {"ac": 15}, "build": [{"name": "A", "weapons": weapons, "extra": ["8"]}]})
    assert referee.attack_bonuses == [5, 4, 3]
    assert replay(referee.play, [(20, 19), (20, 19), (20, 19)]) == Outcome(9 + 9 + 14, (3, 3, 2))


def test_no_other_dice():
    with pytest.raises(ReplayError):
        replay(statblock().play, [(20, 15), (20, 15)])
