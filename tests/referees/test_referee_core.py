"""The `core` referee against the text's worked examples and fractions worked by hand."""

from fractions import Fraction

import pytest

from tests.referees.core import Referee
from tests.referees.harness import enumerate_rounds, replay


def block(target=None, rules=None, **keys):
    return {"system": "core", "rules": rules or {}, "target": {"ac": 15, **(target or {})}, "build": [{"name": "b", **keys}]}


def mean(data, **given):
    return sum(outcome.total * chance for outcome, chance in enumerate_rounds(Referee(data, **given).play).items())


def chance(data, wanted):
    return sum(chance for outcome, chance in enumerate_rounds(Referee(data).play).items() if wanted(outcome))


def weapons(**aps):
    return {name: {"on_hit": "1d6", **({} if ap is None else {"ap": ap})} for name, ap in aps.items()}


EXAMPLES = [
    ({"claymore": -4}, ["claymore"] * 3, [0, -4, -8]),
    ({"short": -2, "long": -3}, ["short", "long", "short", {"use": "long", "off_hand": True}], [0, -2, -5, -7]),
    ({"hammer": -4, "dagger": -1}, ["hammer"] * 3, [0, -4, -8]),
    ({"long": None, "dagger": -1}, ["long", "dagger", "long"], [0, -3, -4]),
]


@pytest.mark.parametrize(("aps", "turn", "penalties"), EXAMPLES)
def test_worked_examples_of_the_text(aps, turn, penalties):
    referee = Referee(block(weapons=weapons(**aps), turn=turn))
    assert referee.penalties == penalties
    assert referee.attack_bonuses == penalties


def test_bonus_is_proficiency_named_and_penalty():
    sheet = {"proficiency_bonus": 4, "attack_bonuses": {"aim": 1, "bless": 2}, "turn": ["a", "b", "bite", "arrow"]}
    means = {"weapons": {"a": {"on_hit": "1d4"}, "b": {"on_hit": "1d4", "proficient": False, "ap": -1}}}
    referee = Referee(block(**sheet, **means, body_parts={"bite": {"on_hit": "1d4", "ap": -2}}, missiles={"arrow": {"on_hit": "1d4"}}))
    assert referee.attack_bonuses == [7, 3 - 3, 7 - 4, 7 - 6]


def test_missile_and_body_part_default_to_minus_three():
    means = {"body_parts": {"bite": {"on_hit": "1d4"}}, "missiles": {"arrow": {"on_hit": "1d4"}}}
    assert Referee(block(**means, turn=["arrow", "bite", "arrow"])).penalties == [0, -3, -6]


@pytest.mark.parametrize(("reset", "penalties"), [("every turn", [0, -3, 0, -3, 0]), ("own turn", [0, -3, -6, -9, -10])])
def test_reactions(reset, penalties):
    sheet = {"weapons": weapons(long=-3, dagger=-1), "turn": ["long", "long"], "reactions": [["long", "dagger"], ["dagger"]]}
    assert Referee(block(rules={"ap_reset": reset}, **sheet)).penalties == penalties


def test_statblock_penalties():
    assert Referee(block(attack="+3", damage="1d6", attacks=3, ap=-4)).attack_bonuses == [3, -1, -5]
    assert Referee(block(attack="+3", damage="1d6", attacks=2)).penalties == [0, -3]
    listed = Referee(block(attack="+3/-1/-5", damage="1d6"))
    assert listed.attack_bonuses == [3, -1, -5]


def test_statblock_weapons_share_the_turn():
    two = [{"name": "a", "attack": "+3", "damage": "1d6", "attacks": 2, "ap": -2}, {"name": "b", "attack": "+5", "damage": "1d8"}]
    assert Referee(block(weapons=two)).penalties == [0, -2, -4]
    assert Referee(block(weapons=two)).attack_bonuses == [3, 1, 1]


# +9 against 15: 6..19 hit (14 of 20), 20 is critical (1 of 20)
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, Fraction(15, 20) * Fraction(9, 2)),
        ({"on_critical": "2d8"}, Fraction(14, 20) * Fraction(9, 2) + Fraction(1, 20) * 9),
        ({"critical_adds": "1d6"}, Fraction(14, 20) * Fraction(9, 2) + Fraction(1, 20) * 8),
        ({"critical_adds": "1d6", "extra": ["1d4"]}, Fraction(14, 20) * 7 + Fraction(1, 20) * Fraction(21, 2)),
        ({"on_critical": "2d8", "extra": ["1d4"]}, Fraction(14, 20) * 7 + Fraction(1, 20) * Fraction(23, 2)),
    ],
)
def test_what_a_critical_does(keys, expected):
    assert mean(block(attack="+9", damage="1d8", **keys)) == expected


def test_dice_of_a_critical_come_in_protocol_order():
    adds = Referee(block({"miss_chance": 10}, attack="+0", damage="1d8", critical_adds="1d6", extra=["1d4"]))
    assert replay(adds.play, [(20, 20), (100, 11), (8, 5), (6, 4), (4, 3)]) == (12, (3,))
    replaces = Referee(block(attack="+0", damage="1d8", on_critical="2d10", extra=["1d4"]))
    assert replay(replaces.play, [(20, 20), (10, 5), (10, 4), (4, 3)]) == (12, (3,))


@pytest.mark.parametrize(("rules", "hits"), [({}, Fraction(15, 20)), ({"ties": "hit"}, Fraction(15, 20)), ({"ties": "miss"}, Fraction(14, 20))])
def test_meeting_the_armor_class(rules, hits):
    assert chance(block(rules=rules, attack="+9", damage="1d8"), lambda o: o.degrees[0] >= 2) == hits


def test_naturals_decide_alone():
    assert chance(block(attack="-50", damage="1d8"), lambda o: o.degrees == (3,)) == Fraction(1, 20)
    sure = block(attack="+50", damage="1d8")
    assert chance(sure, lambda o: o.degrees == (0,)) == Fraction(1, 20)
    assert chance(sure, lambda o: o.degrees == (2,)) == Fraction(18, 20)


def test_armor_value_and_given_ac():
    data = block(attack="+9", damage="1d8")
    data["target"] = {"av": 5}
    assert Referee(data).ac == 15
    assert mean(data, ac=20) == Fraction(10, 20) * Fraction(9, 2)


def test_taking_every_hit():
    data = block({"ac": 99, "takes_hit": "all"}, attack="+0", damage="1d4", on_critical="2d4")
    assert mean(data) == Fraction(19, 20) * Fraction(5, 2) + Fraction(1, 20) * 5
    assert replay(Referee(data).play, [(20, 1), (4, 3)]) == (3, (2,))  # a natural 1 too
    assert replay(Referee(data).play, [(20, 20), (4, 3), (4, 4)]) == (7, (3,))  # criticals stay as rolled


def test_taking_some_hits_counts_over_the_round():
    sheet = {"weapons": {"a": {"on_hit": "1d4"}}, "turn": ["a", "a"], "reactions": [["a"]]}
    referee = Referee(block({"ac": 99, "takes_hit": [1, 3]}, **sheet))
    assert replay(referee.play, [(20, 5), (4, 1), (20, 5), (20, 1), (4, 2)]) == (3, (2, 1, 2))


def test_taking_nothing():
    assert mean(block({"ac": 99, "takes_hit": "none"}, attack="+0", damage="1d4")) == Fraction(1, 20) * Fraction(5, 2)


def test_miss_chance():
    data = block({"miss_chance": 20}, attack="+9", damage="1d8")
    assert mean(data) == Fraction(15, 20) * Fraction(4, 5) * Fraction(9, 2)
    assert chance(data, lambda o: o.degrees == (3,)) == Fraction(1, 20) * Fraction(4, 5)
    play = Referee(data).play
    assert replay(play, [(20, 20), (100, 20)]) == (0, (1,))
    assert replay(play, [(20, 2)]) == (0, (1,))  # no percentile dice for a miss


def test_miss_by_miss_chance_may_be_taken():
    play = Referee(block({"miss_chance": 20, "takes_hit": "all"}, attack="+9", damage="1d8", on_critical="5d8")).play
    assert replay(play, [(20, 20), (100, 20), (8, 6)]) == (6, (2,))


def test_damage_is_not_below_zero():
    # 1d4-3 is 0, 0, 0, 1
    assert mean(block(attack="+50", damage="1d4-3")) == Fraction(19, 20) * Fraction(1, 4)
    # no entry takes from another: 1/4 and 5/2 more
    assert mean(block(attack="+50", damage="1d4-3", extra=["1d4"])) == Fraction(19, 20) * Fraction(11, 4)


def test_floor_is_on_each_entry():
    play = Referee(block(attack="+50", damage="1d4-3", extra=["1d6 fire"])).play
    assert replay(play, [(20, 10), (4, 1), (6, 5)]) == (5, (2,))


def test_floor_is_per_attack():
    play = Referee(block(attack="+50/+50", damage="1d4-3")).play
    assert replay(play, [(20, 10), (4, 1), (20, 10), (4, 4)]) == (1, (2, 2))


def test_immunities():
    data = block({"immune": ["critical", "precision"]}, attack="+0", damage="1d8", on_critical="2d8", extra=["3d6 sneak"])
    assert replay(Referee(data).play, [(20, 20), (8, 5)]) == (5, (2,))


@pytest.mark.parametrize(
    ("reduction", "total"),
    [
        ({}, 8 + 4 + 6),
        ({"physical": 5}, 7 + 6),
        ({"slashing": 10}, 4 + 6),
        ({"slashing": 10, "physical": 3}, 1 + 6),
        ({"physical": 50, "all": 2}, 4),
        ({"fire": "immune", "all": 2}, 10),
        ({"physical": "immune", "fire": 7}, 0),
        ({"all": "immune"}, 0),
    ],
)
def test_reductions(reduction, total):
    play = Referee(block({"reduction": reduction}, attack="+50", damage="1d8 slashing", extra=["1d4", "1d6 fire"])).play
    assert replay(play, [(20, 10), (8, 8), (4, 4), (6, 6)]).total == total


def test_reduction_meets_the_sum_of_one_attack():
    # 2d4 less 5: (1+2+3 over 3, 2, 1 of 16 ways) for 6, 7, 8
    assert mean(block({"reduction": {"physical": 5}}, attack="+50", damage="1d4", extra=["1d4"])) == Fraction(19, 20) * Fraction(1 * 3 + 2 * 2 + 3 * 1, 16)


def test_rerolled_dice_follow_at_once():
    play = Referee(block(attack="+50", damage="2d6r2+1")).play
    assert replay(play, [(20, 10), (6, 2), (6, 1), (6, 3)]) == (5, (2,))
    # one 1d6r2: 3, 4, 5, 6 stay, 1 and 2 become 7/2
    assert mean(block(attack="+50", damage="1d6r2")) == Fraction(19, 20) * (Fraction(18, 6) + Fraction(2, 6) * Fraction(7, 2))
