"""Variations: a build with one thing changed in every game, and why some builds cannot have it."""

import pytest

from analyzer import loads, sheet, statblock
from analyzer.exact import evaluate
from analyzer.examples import example, names
from analyzer.plan import Roll
from analyzer.workings.variations import UnvariedError, another, attack, damage, die_step, extra, milder, multiplier, standard, threat, threat_from, traded


def attacks(build):
    return [made for step in build.derive().plan.steps for made in step.variants if made is not None]


def rolls(attack, degree=2):
    return [roll for packet in attack.on[degree] for part in packet.parts for roll in part.rolls]


def dice(roll: Roll):
    return [(die.count, die.sides) for die in roll.dice]


def axe(system="srd35", **keys):
    return statblock("+10/+5", "1d12+7", system=system, name="axe", **keys)


def test_attack_and_damage_shift_every_attack():
    changed = attacks(traded(-2, 4).of(axe()))
    assert [one.bonus for one in changed] == [8, 3]
    assert [rolls(one)[0].flat for one in changed] == [11, 11]
    assert [one.bonus for one in attacks(attack().of(axe()))] == [11, 6]
    assert [rolls(one)[0].flat for one in attacks(damage(-1).of(axe()))] == [6, 6]


@pytest.mark.parametrize(
    ("before", "after"),
    [("1d4", [(1, 6)]), ("2d6+3", [(2, 8)]), ("1d10", [(1, 12)]), ("1d12", [(2, 6)]), ("2d12", [(4, 6)]), ("1d3+1d8", [(1, 4), (1, 10)]), ("1d2", [(1, 3)])],
)
def test_a_die_step_is_one_size_up(before, after):
    (roll,) = rolls(attacks(die_step().of(statblock("+5", before)))[0])
    assert dice(roll) == after


def test_a_reroll_stays_with_its_die():
    die = attacks(die_step().of(statblock("+5", "1d8r2", system="dnd5e")))[0].on[2][0].parts[0].rolls[0].dice[0]
    assert (die.sides, die.reroll_to) == (10, 2)


def test_dice_of_no_known_size_do_not_grow():
    with pytest.raises(UnvariedError, match="no weapon dice from d2 to d12, but d20"):
        die_step().of(statblock("+5", "1d20"))
    with pytest.raises(UnvariedError, match="but none"):
        die_step().of(statblock("+5", "8"))


def test_the_die_step_of_a_core_weapon_is_that_of_its_critical_too():
    build = example("core-goobelthorp").builds[1]  # shortsword 1d6 and 1d6 more, longsword 1d8, critical 2d8
    before, after = attacks(build), attacks(die_step().of(build))
    assert [[dice(r) for r in rolls(one, 3)] for one in before][:2] == [[[(1, 6)], [(1, 6)]], [[(2, 8)]]]
    assert [[dice(r) for r in rolls(one, 3)] for one in after][:2] == [[[(1, 8)], [(1, 8)]], [[(2, 10)]]]


def test_threat_and_multiplier():
    sword = axe(critical="19-20/x2")
    assert {one.check.threat_from for one in attacks(threat().of(sword))} == {18}
    assert {one.check.threat_from for one in attacks(threat_from(15).of(sword))} == {15}
    assert rolls(attacks(multiplier().of(sword))[0], 3)[0].times == 3
    keen = sheet("srd35", bab=5, abilities={"strength": 10}, weapon={"damage": "1d8", "critical": "19-20", "keen": True})
    assert attacks(keen)[0].check.threat_from == 17
    assert attacks(threat().of(keen))[0].check.threat_from == 15


def test_a_range_without_multiplier_may_be_that_of_all_weapons():
    both = loads(
        'system = "dnd5e"\n[[build]]\nname = "two"\ncritical = "19-20"\nweapons = [{ attack = "+5", damage = "1d6" }, '
        '{ attack = "+5", damage = "1d8", critical = "18-20" }]'
    ).builds[0]
    assert [one.check.threat_from for one in attacks(both)] == [19, 18]
    assert [one.check.threat_from for one in attacks(threat().of(both))] == [18, 17]


def test_criticals_that_have_no_range_or_multiplier():
    for system in ("core", "starfinder", "pathfinder2"):
        with pytest.raises(UnvariedError, match=f"no threat range in {system}"):
            threat().of(axe(system))
    for system in ("core", "starfinder", "pathfinder2", "dnd5e"):
        with pytest.raises(UnvariedError, match=f"no critical multiplier in {system}"):
            multiplier().of(axe(system))
    with pytest.raises(UnvariedError, match="no weapon that scores criticals"):
        threat().of(axe(critical="none"))
    with pytest.raises(UnvariedError, match="no face left to widen 1-20/x2 by"):
        threat().of(axe(critical="1-20/x2"))


def test_extra_dice_are_of_the_weapons_type_unless_told():
    fire = statblock("+5", "1d6 fire", extra=["1d4 cold"], system="starfinder")
    types = [part.type for packet in attacks(extra().of(fire))[0].on[2] for part in packet.parts]
    assert types.count("fire") == 2
    told = extra("2d8 acid").of(fire)
    assert "acid" in [part.type for packet in attacks(told)[0].on[2] for part in packet.parts]


@pytest.mark.parametrize(
    ("build", "bonuses"),
    [
        (statblock("+10/+5", "1d8", system="d20"), [10, 10, 5]),
        (statblock("+10", "1d8", system="pathfinder2"), [10, 5]),
        (statblock("+10", "1d8", system="pathfinder2", attacks=2), [10, 5, 0]),
        (statblock("+10/+5", "1d8", system="pathfinder2"), [10, 10, 5]),
        (statblock("+4", "1d8", system="core", attacks=2, ap=-4), [4, 0, -4]),
        (sheet("d20", bab=6, weapon={"damage": "1d8"}), [6, 6, 1]),
        (sheet("d20", base_attacks="+7/+3", weapon={"damage": "1d8"}), [7, 7, 3]),
        (sheet("nwn", bab=5, monk=True, weapon={"damage": "1d8"}), [5, 5, 2]),
        (sheet("srd35", bab=6, extra_attacks=["haste"], weapon={"damage": "1d8"}), [7, 7, 7, 2]),
        (sheet("dnd5e", proficiency_bonus=2, weapon={"damage": "1d8"}), [2, 2]),
        (sheet("pathfinder2", level=0, proficiency="untrained", attacks=2, weapon={"damage": "1d8"}), [0, -5, -10]),
        (sheet("starfinder", bab=4, full_attack=True, weapon={"damage": "1d8"}), [0, 0, 0]),
    ],
    ids=str,
)
def test_one_more_attack_is_made_as_the_game_makes_it(build, bonuses):
    assert [one.bonus for one in attacks(another().of(build))] == bonuses


def test_one_more_attack_of_core_comes_last_with_the_penalty_the_turn_has_left():
    flaxer = example("core-goobelthorp").builds[3]  # 0 -3 -4, the dagger's AP being -1
    before = [one.bonus for one in attacks(flaxer)]
    assert [one.bonus for one in attacks(another().of(flaxer))] == [*before, before[-1] - 1]


def test_no_place_for_another_attack():
    with pytest.raises(UnvariedError, match="no place for another attack"):
        another().of(sheet("starfinder", bab=4, weapon={"damage": "1d8"}))


def test_a_milder_penalty_is_one_point_less_for_every_attack_before():
    build = statblock("+4", "1d8", system="core", attacks=3, ap=-4)
    assert [one.bonus for one in attacks(milder().of(build))] == [4, 1, -2]
    assert [one.bonus for one in attacks(milder(9).of(build))] == [4, 4, 4]
    lord = example("core-goobelthorp").builds[0]
    assert [one.bonus for one in attacks(milder().of(lord))] == [4, 1, -2]
    for other in (axe(), statblock("+4/+1", "1d8", system="core")):
        with pytest.raises(UnvariedError, match="no attack penalty that grows"):
            milder().of(other)


def test_every_example_can_have_or_refuses_every_variation_and_none_hurts():
    """More of anything good is never less damage: a law of every game's examples, whatever the keys do."""
    for name in names():
        scenario = example(name)
        for build in scenario.builds:
            before = build.derive(scenario.target)
            base = evaluate(before.plan, before.target, before.target.ac[:1], pmf=False).dpr[0]
            for variation in standard():
                try:
                    made = variation.of(build).derive(scenario.target)
                except UnvariedError:
                    continue
                assert evaluate(made.plan, made.target, made.target.ac[:1], pmf=False).dpr[0] >= base * (1 - 1e-12), (name, build.name, variation.label)


def test_listed_rounds_change_too():
    build = loads('system = "d20"\n[[build]]\nname = "b"\nattack = "+5"\ndamage = "1d6"\nrounds = [{ damage = "2d4+1" }, {}]').builds[0]
    changed = damage(2).of(build)
    assert [str(one.model.damage) for one in changed.rounds] == ["2d4+3", "1d6+2"]
    assert changed.name == "b (+2 damage)"


def test_what_the_notation_cannot_hold_is_refused():
    with pytest.raises(UnvariedError, match="attack must be"):
        attack(2000).of(axe())
