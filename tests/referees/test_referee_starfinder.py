"""The `starfinder` referee against the text's example and fractions worked by hand."""

from fractions import Fraction

import pytest

from tests.referees.harness import enumerate_rounds, replay
from tests.referees.starfinder import Referee, range_penalty


def block(target=None, rules=None, **keys):
    return {"system": "starfinder", "rules": rules or {}, "target": target or {"ac": 15}, "build": [{"name": "b", **keys}]}


def grenade(target=None, rules=None, dexterity=0, strength=0, kind="grenade", damage="1d6 fire", radius=5, **keys):
    weapon = {"name": "g", "damage": damage, "kind": kind, "range": 20, "radius": radius, **keys}
    sheet = {"bab": 0, "modifiers": {"strength": strength, "dexterity": dexterity}, "weapon": weapon}
    return block({"ac": 15, "distance": 20, **(target or {})}, rules, **sheet)


def mean(data, **given):
    return sum(outcome.total * chance for outcome, chance in enumerate_rounds(Referee(data, **given).play).items())


def chance(data, wanted):
    return sum(chance for outcome, chance in enumerate_rounds(Referee(data).play).items() if wanted(outcome))


@pytest.mark.parametrize(("ac", "expected"), [(22, Fraction(975, 1000)), (23, Fraction(65, 100)), (24, Fraction(325, 1000))])
def test_natural_20_is_critical_only_when_it_meets(ac, expected):
    # 1d8+2 is 6.5: 19 and a critical 20 at 22; the critical 20 alone at 23; a plain 20 at 24
    data = block(attack="+3", damage="1d8+2")
    assert mean(data, ac=ac) == expected
    data["target"] = {"kac": ac, "eac": 5}
    assert mean(data) == expected


@pytest.mark.parametrize(("ac", "expected"), [(22, Fraction(65, 100)), (23, Fraction(325, 1000))])
def test_ties_that_miss_are_no_critical_either(ac, expected):
    assert mean(block(rules={"ties": "miss"}, attack="+3", damage="1d8+2"), ac=ac) == expected


def test_critical_rolls_everything_twice_but_critical_extra():
    play = Referee(block(attack="+20", damage="1d8+2", extra=["1d6 fire", "2d4"], critical_extra=["1d10"])).play
    dice = [(20, 20), (8, 1), (8, 8), (6, 2), (6, 3), (4, 1), (4, 2), (4, 3), (4, 4), (10, 9)]
    assert replay(play, dice) == (1 + 2 + 8 + 2 + 2 + 3 + 10 + 9, (3,))
    assert replay(play, [(20, 19), (8, 1), (6, 2), (4, 1), (4, 2)]) == (3 + 2 + 3, (2,))


def test_extras_of_weapon_then_build():
    weapon = {"name": "w", "damage": "1d8", "extra": ["1d6"], "critical_extra": ["1d10"]}
    play = Referee(block(bab=20, weapon=weapon, extra=["1d4"], critical_extra=["1d12"])).play
    assert replay(play, [(20, 20), (8, 1), (8, 1), (6, 1), (6, 1), (4, 1), (4, 1), (10, 1), (12, 1)]) == (8, (3,))


def test_immune_to_criticals_and_precision():
    data = block({"ac": 15, "immune": ["critical", "precision"]}, attack="+20", damage="1d8", extra=["2d6 precision"], critical_extra=["1d10"])
    assert replay(Referee(data).play, [(20, 20), (8, 5)]) == (5, (2,))


@pytest.mark.parametrize(("switch", "hits"), [("miss", Fraction(19, 20)), ("total", Fraction(1))])
def test_natural_1(switch, hits):
    data = block({"ac": 5}, {"natural_1": switch}, attack="+10", damage="1d4")
    assert chance(data, lambda o: o.degrees[0] >= 2) == hits


def test_natural_1_by_total_can_still_miss():
    data = block({"ac": 15}, {"natural_1": "total"}, attack="+10", damage="1d4")
    assert chance(data, lambda o: o.degrees == (1,)) == Fraction(4, 20)
    assert chance(block({"ac": 15}, attack="+10", damage="1d4"), lambda o: o.degrees == (0,)) == Fraction(1, 20)


def test_minimum_per_weapon_roll():
    # 1d4-3 is 0, 0, 0, 1 without a minimum, and 1 each time with it, twice on the critical
    target = {"ac": 5}
    assert mean(block(target, attack="+10", damage="1d4-3")) == Fraction(18, 20) * 1 + Fraction(1, 20) * 2
    # none: a critical is the sum of two such rolls, -4..2, above 0 only as 1 (3, 4 and 4, 3) or 2 (4, 4)
    assert mean(block(target, {"minimum": "none"}, attack="+10", damage="1d4-3")) == Fraction(18, 20) * Fraction(1, 4) + Fraction(1, 20) * Fraction(
        1 * 2 + 2 * 1, 16
    )


def test_minimum_is_the_weapon_rolls_alone():
    play = Referee(block(attack="+20", damage="1d4-3", extra=["1d4-3"])).play
    # 1 for the weapon, 0 for the extra damage: no entry is below 0
    assert replay(play, [(20, 10), (4, 1), (4, 2)]) == (1, (2,))


def test_minimum_comes_before_reductions():
    assert mean(block({"ac": 5, "reduction": {"physical": 1}}, attack="+10", damage="1d4-9")) == Fraction(1, 20) * 1


def test_miss_chance():
    data = block({"ac": 15, "miss_chance": 50}, attack="+4", damage="1d8")
    # 11..19 hit, 20 is critical
    assert mean(data) == Fraction(1, 2) * (Fraction(9, 20) * Fraction(9, 2) + Fraction(1, 20) * 9)
    assert replay(Referee(data).play, [(20, 20), (100, 50)]) == (0, (1,))
    assert replay(Referee(data).play, [(20, 20), (100, 51), (8, 3), (8, 4)]) == (7, (3,))


@pytest.mark.parametrize(("distance", "penalty"), [(0, 0), (120, 0), (121, -2), (240, -2), (241, -4), (1200, -18)])
def test_range_penalty(distance, penalty):
    assert range_penalty(distance, 120) == penalty
    weapon = {"name": "rifle", "damage": "1d8", "kind": "ranged", "range": 120}
    assert Referee(block({"ac": 15, "distance": distance}, bab=6, weapon=weapon)).attack_bonuses == [6 + penalty]


# Strength 18 is +4, Dexterity 13 is +1
@pytest.mark.parametrize(("kind", "bonus", "flat"), [("melee", 9, 4), ("ranged", 6, 0), ("thrown", 9, 4), ("grenade", 9, 0)])
def test_abilities(kind, bonus, flat):
    weapon = {"name": "w", "damage": "1d8", "kind": kind, **({} if kind == "melee" else {"range": 20}), **({"radius": 5} if kind == "grenade" else {})}
    referee = Referee(block(bab=5, abilities={"strength": 18, "dexterity": 13}, weapon=weapon))
    assert referee.attack_bonuses == [bonus]
    assert replay(referee.play, [(20, 15), (8, 3)]) == (3 + flat, (2,))


def test_named_bonuses_and_proficiency():
    weapon = {"name": "w", "damage": "1d8", "proficient": False}
    referee = Referee(block(bab=5, modifiers={"strength": -2}, attack_bonuses={"a": 1, "b": 2}, damage_bonuses={"a": 3}, weapon=weapon))
    assert referee.attack_bonuses == [5 - 2 + 3 - 4]
    assert replay(referee.play, [(20, 19), (8, 3)]) == (3 - 2 + 3, (2,))


def test_full_attack_goes_round_the_weapons():
    two = [{"name": "a", "damage": "1d8", "proficient": False}, {"name": "b", "damage": "1d4"}]
    assert Referee(block(bab=10, weapons=two)).attack_bonuses == [6]
    assert Referee(block(bab=10, weapons=two, full_attack=True)).attack_bonuses == [2, 6]
    cyclic = Referee(block(bab=10, weapons=two, full_attack=True, attacks=3, full_attack_penalty=-6))
    assert cyclic.attack_bonuses == [0, 4, 0]
    assert replay(cyclic.play, [(20, 19), (8, 5), (20, 19), (4, 2), (20, 2)]) == (7, (2, 2, 1))


def test_statblock_weapons_one_after_another():
    two = [{"name": "a", "attack": "+5/+0", "damage": "1d8", "against": "eac"}, {"name": "b", "attack": "+3", "damage": "1d4"}]
    referee = Referee(block({"eac": 12, "kac": 15}, weapons=two))
    assert referee.attack_bonuses == [5, 0, 3]
    assert replay(referee.play, [(20, 7), (8, 5), (20, 11), (20, 12), (4, 2)]) == (7, (2, 1, 2))


@pytest.mark.parametrize(
    ("damage", "keys", "total"),
    [("1d6 fire", {}, 3), ("1d6 sonic", {}, 3), ("1d6", {}, 0), ("1d6 slashing", {}, 0), ("1d6 fire", {"against": "kac"}, 0), ("1d6", {"against": "eac"}, 3)],
)
def test_defence_by_damage_type(damage, keys, total):
    referee = Referee(block({"eac": 10, "kac": 11}, bab=0, weapon={"name": "w", "damage": damage, **keys}))
    assert replay(referee.play, [(20, 10), (6, 3)] if total else [(20, 10)]).total == total


def test_given_ac_moves_both_and_leaves_the_intersection():
    two = [{"name": "laser", "damage": "1d6 fire"}, {"name": "club", "damage": "1d6"}]
    assert Referee(block({"eac": 12, "kac": 15}, bab=1, weapons=two, full_attack=True), ac=20).defences == {"eac": 20, "kac": 23, "intersection": 5}
    assert Referee(block({"eac": 12, "kac": 15}, bab=1, weapons=two[::-1], full_attack=True), ac=20).defences == {"eac": 17, "kac": 20, "intersection": 5}
    assert mean(grenade(), ac=40) == mean(grenade())


def test_scatter_of_the_texts_example():
    referee = Referee(grenade())
    assert referee.landing(1, 2) == (0, -2)  # two squares short, toward the thrower in the south
    assert [referee.landing(d8, 3) for d8 in (2, 3, 4, 5)] == [(-3, -3), (-3, 0), (-3, 3), (0, 3)]
    assert [referee.landing(d8, 1) for d8 in (6, 7, 8)] == [(1, 1), (1, 0), (1, -1)]


@pytest.mark.parametrize(
    ("thrower", "short"),
    [
        ([0, 9], (0, 1)),
        ([4, 4], (1, 1)),
        ([7, 0], (1, 0)),
        ([-2, -5], (0, -1)),  # 2/5 is under tan 22.5 deg = 0.41421...
        ([-5, -12], (-1, -1)),  # 5/12 is over it
        ([12, -5], (1, -1)),
        ([5, -2], (1, 0)),
        ([-5, 2], (-1, 0)),
        ([-2, 1], (-1, 1)),
    ],
)
def test_thrower_off_the_axes(thrower, short):
    referee = Referee(grenade({"thrower": thrower}))
    assert referee.landing(1, 1) == short
    x, y = short
    clockwise = (y, -x)  # a quarter turn, as two steps on the d8
    assert referee.landing(3, 1) == clockwise


def test_no_square_is_halfway_between_two_directions():
    assert not [(x, y) for x in range(1, 300) for y in range(x) if (x + y) ** 2 == 2 * x * x]


@pytest.mark.parametrize(("radius", "squares"), [(5, 4), (10, 12), (15, 24), (20, 44)])
def test_blast_shape(radius, squares):
    field = [{"at": [x, y], "size": 1} for x in range(-7, 7) for y in range(-7, 7)]
    referee = Referee(grenade({"creatures": field}, radius=radius))
    assert sum(referee.caught(0, 0)) == squares
    assert sum(referee.caught(2, -1)) == squares
    inside = [tuple(one["at"]) for one, hit in zip(field, referee.caught(0, 0), strict=True) if hit]
    assert sorted(inside) == sorted((-1 - x, y) for x, y in inside) == sorted((y, x) for x, y in inside)


def test_blast_moves_and_one_square_of_a_creature_is_enough():
    referee = Referee(grenade({"creatures": [{"at": [2, 0], "size": 1}, {"at": [1, 1], "size": 3}, {"at": [-3, -2], "size": 2}]}))
    assert referee.caught(0, 0) == [False, False, False]
    assert referee.caught(1, 0) == [False, False, False]
    assert referee.caught(2, 1) == [True, True, False]
    assert referee.caught(-1, -1) == [False, False, True]


def test_miss_that_lands_near_still_hurts():
    # +0 against 5: 1..4 miss. The creature at [0, 0] is caught from the mark and from three of 32 landings: N, NE, E by 1.
    data = grenade()
    caught = Fraction(16, 20) + Fraction(4, 20) * Fraction(3, 32)
    assert chance(data, lambda o: o.total > 0) == caught == Fraction(131, 160)
    assert mean(data) == caught * Fraction(7, 2)
    assert chance(data, lambda o: o.degrees == (0,)) == Fraction(1, 20)
    assert chance(data, lambda o: o.degrees == (2,)) == Fraction(16, 20)


def test_dice_of_a_scattering_miss():
    play = Referee(grenade()).play
    assert replay(play, [(20, 1), (8, 6), (4, 1), (6, 5)]) == (5, (0,))
    assert replay(play, [(20, 4), (8, 1), (4, 1), (6, 5)]) == (0, (1,))  # rolled although nobody is there
    assert replay(play, [(20, 5), (6, 5)]) == (5, (2,))


def test_shared_damage_and_reductions_apart():
    creatures = [{"at": [0, 0]}, {"at": [-1, 0], "size": 1, "reduction": {"fire": 3}}, {"at": [0, -1], "reduction": {}}, {"at": [5, 5]}]
    data = grenade({"creatures": creatures, "reduction": {"all": 1}})
    play = Referee(data).play
    assert replay(play, [(20, 9), (6, 2)]) == (1 + 0 + 2, (2,))
    assert replay(play, [(20, 9), (6, 6)]) == (5 + 3 + 6, (2,))
    # over the six faces: (0..5) + (0, 0, 0, 1, 2, 3) + (1..6)
    on_the_mark = sum(outcome.total * chance for outcome, chance in enumerate_rounds(play).items() if outcome.degrees == (2,))
    assert on_the_mark == Fraction(16, 20) * Fraction(15 + 6 + 21, 6)


@pytest.mark.parametrize("area_critical", [False, True])
def test_critical_at_an_intersection(area_critical):
    play = Referee(grenade(rules={"area_critical": area_critical}, critical_extra=["1d4 fire"])).play
    if area_critical:
        assert replay(play, [(20, 20), (6, 2), (6, 3), (4, 1)]) == (6, (3,))
    else:
        assert replay(play, [(20, 20), (6, 2)]) == (2, (2,))


def test_area_critical_has_to_meet_five():
    play = Referee(grenade(rules={"area_critical": True}, strength=-16)).play
    assert replay(play, [(20, 20), (6, 2)]) == (2, (2,))


def test_launcher_scatters_only_by_the_switch():
    launcher = {"kind": "ranged", "dexterity": 0, "radius": 10}
    assert replay(Referee(grenade(**launcher)).play, [(20, 3)]) == (0, (1,))
    scattering = Referee(grenade(rules={"launcher_scatter": True}, **launcher))
    assert replay(scattering.play, [(20, 3), (8, 5), (4, 1), (6, 4)]) == (4, (1,))


def test_thrown_weapon_with_area_and_without():
    area = Referee(grenade(kind="thrown", damage="1d6", strength=2))
    assert replay(area.play, [(20, 3), (6, 4)]) == (6, (2,))
    assert replay(area.play, [(20, 2), (8, 1), (4, 4), (6, 4)]) == (0, (1,))
    single = Referee(grenade(kind="thrown", damage="1d6", strength=2, radius=0))
    assert replay(single.play, [(20, 12)]) == (0, (1,))  # where it falls does no damage
    assert replay(single.play, [(20, 13), (6, 4)]) == (6, (2,))


def test_area_attack_has_its_range_penalty():
    assert Referee(grenade({"distance": 41})).attack_bonuses == [-4]
