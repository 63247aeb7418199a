"""The three games: hand-worked numbers for each clause of their texts, and a contract every discovered game keeps."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from analyzer import curve, examples
from analyzer.plan import Attack, Critical, Packets
from analyzer.rulekit import grid
from analyzer.rulekit.combatant import SIZE_MODIFIERS
from analyzer.rulekit.system import Derivation
from analyzer.scenario import Build, ScenarioError, load, loads, schema, sheet, statblock, target
from analyzer.systems import get, systems
from analyzer.systems.starfinder import caught_squares, range_penalty, scatter_displacements


def attacks(derived: Derivation) -> list[Attack]:
    return [attack for step in derived.plan.steps for attack in step.variants if attack is not None]


def bonuses(build: Build, **keys: Any) -> list[int]:
    return [a.bonus for a in attacks(build.derive(target(build.system, **keys)))]


def written(packets: Packets) -> list[str]:
    """Each part of a single packet as text: type, times, dice, minimum of a roll, minimum of the part."""
    (packet,) = packets
    out = []
    for part in packet.parts:
        (roll,) = part.rolls
        dice = "+".join(f"{d.count}d{d.sides}" for d in roll.dice)
        text = f"{roll.times}x({dice or 0}{roll.flat:+d})" + (f">={roll.minimum}" if roll.minimum is not None else "")
        out.append(text + (f" sum>={part.minimum}" if part.minimum else "") + f" {part.type}" + (" precision" if roll.precision else ""))
    return out


def fighter(**keys: Any) -> Build:
    return sheet(**({"bab": 6, "abilities": {"strength": 18}, "weapon": {"damage": "1d8"}} | keys))


# -- d20: the attacker's swing ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bab", "ladder"),
    [(0, [0]), (-2, [-2]), (1, [1]), (5, [5]), (6, [6, 1]), (11, [11, 6, 1]), (16, [16, 11, 6, 1]), (20, [20, 15, 10, 5]), (30, [30, 25, 20, 15])],
)
def test_d20_later_attacks_are_five_lower_while_at_plus_one(bab, ladder):
    assert bonuses(sheet(bab=bab, weapon={"damage": "1d8"})) == ladder


def test_d20_explicit_lists_win():
    assert bonuses(sheet(bab=6, base_attacks="+9/+9", weapon={"damage": "1d8"})) == [9, 9]
    assert bonuses(sheet(bab=6, base_attacks="+9/+9", weapon={"damage": "1d8", "base_attacks": "+4"})) == [4]


@pytest.mark.parametrize(
    ("keys", "bonus"),
    [
        ({}, 4),
        ({"weapon": {"damage": "1d8", "kind": "ranged"}}, 0),
        ({"weapon": {"damage": "1d8", "kind": "thrown"}}, 0),
        ({"modifiers": {"dexterity": 5}, "weapon": {"damage": "1d8", "kind": "thrown"}}, 5),
        ({"modifiers": {"dexterity": 5}, "weapon": {"damage": "1d8", "light": True}}, 4),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"]}, 4),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"], "weapon": {"damage": "1d8", "light": True}}, 5),
        ({"modifiers": {"dexterity": 5}, "feats": ["weapon finesse"], "weapon": {"damage": "1d8", "finesse": True}}, 5),
        ({"modifiers": {"dexterity": 3}, "feats": ["weapon finesse"], "weapon": {"damage": "1d8", "light": True}}, 4),
        ({"feats": ["weapon focus"]}, 5),
        ({"feats": ["weapon focus"], "weapon": {"damage": "1d8", "focus": False}}, 4),
        ({"weapon": {"damage": "1d8", "proficient": False}}, 0),
        ({"weapon": {"damage": "1d8", "enhancement": 3}}, 7),
        ({"armor": {"check_penalty": -6}}, 4),
        ({"armor": {"check_penalty": -6, "proficient": False}}, -2),
        ({"attack_bonuses": {"bless": 1, "prone": -4}}, 1),
        ({"abilities": {"strength": 7}}, -2),
        *(({"size": size}, 4 + modifier) for size, modifier in SIZE_MODIFIERS.items()),
    ],
)
def test_d20_attack_bonus(keys, bonus):
    assert bonuses(fighter(bab=0, **keys)) == [bonus]


def test_d20_sizes():
    assert list(SIZE_MODIFIERS.values()) == [8, 4, 2, 1, 0, -1, -2, -4, -8]


# -- d20: the defender's armor ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "ac"),
    [
        ({}, 10),
        ({"ac": 28}, 28),
        ({"armor": {"bonus": 8, "enhancement": 1}}, 19),
        ({"armor": [{"bonus": 8}, {"bonus": 5, "enhancement": 1}]}, 18),
        ({"armor": [{"bonus": 5}, {"bonus": 4, "enhancement": 2}]}, 16),
        ({"shield": {"bonus": 2, "enhancement": 1}}, 13),
        ({"dexterity": 18}, 14),
        ({"dexterity": 7}, 8),
        ({"dexterity_modifier": 4, "armor": {"bonus": 8, "max_dexterity": 1}}, 19),
        ({"dexterity_modifier": -2, "armor": {"bonus": 8, "max_dexterity": 1}}, 16),
        ({"dexterity_modifier": 4, "armor": [{"bonus": 8, "max_dexterity": 3}, {"bonus": 1, "max_dexterity": 2}]}, 20),
        ({"size": "tiny"}, 12),
        ({"size": "colossal"}, 2),
        ({"deflection": [1, 3, 2]}, 13),
        ({"deflection": 2}, 12),
        ({"natural": 3}, 13),
        ({"natural": {"bonus": 3, "enhancement": 2}}, 15),
        ({"natural": [3, {"bonus": 1, "enhancement": 1}]}, 13),
        ({"dodge": [1, 1, 4]}, 16),
        (
            {
                "armor": {"bonus": 8, "enhancement": 1},
                "shield": {"bonus": 2},
                "natural": 3,
                "dexterity_modifier": 2,
                "deflection": 1,
                "dodge": 1,
                "touch": True,
            },
            14,
        ),
        ({"dexterity_modifier": 4, "armor": {"bonus": 8, "max_dexterity": 1}, "touch": True}, 11),
        ({"dexterity_modifier": 4, "dodge": 2, "flat_footed": True}, 10),
        ({"dexterity_modifier": -2, "flat_footed": True}, 10),
        ({"dexterity_modifier": 4, "dodge": 2, "flat_footed": True, "uncanny_dodge": True}, 14),
        ({"dexterity_modifier": 4, "natural": 5, "deflection": 1, "flat_footed": True, "touch": True}, 11),
    ],
)
def test_d20_armor_class(keys, ac):
    assert fighter().derive(target(**keys)).target.ac == (ac,)


def test_d20_flat_footed_keeps_a_penalty_by_switch():
    kept = {"flat_footed_penalty": "kept"}
    assert fighter(rules=kept).derive(target(dexterity_modifier=-2, flat_footed=True)).target.ac == (8,)
    assert fighter(rules=kept).derive(target(dexterity_modifier=2, flat_footed=True)).target.ac == (10,)


# -- d20: the impact and damage --------------------------------------------------------------------------------------------------------------------------


def test_d20_must_exceed_and_confirms_by_total():
    check = attacks(statblock("+5", "1d8", critical="17-20/x2").derive())[0].check
    assert (check.ties_hit, check.auto_miss_to, check.auto_hit_from, check.threat_from) == (False, 1, 20, 17)
    assert (check.critical, check.confirm_naturals, check.confirm_bonus) == (Critical.CONFIRM, False, 0)
    turned = attacks(statblock("+5", "1d8", rules={"ties": "hit", "confirm_naturals": True}).derive())[0].check
    assert (turned.ties_hit, turned.confirm_naturals, turned.threat_from) == (True, True, 20)
    assert attacks(statblock("+5", "1d8", critical="none").derive())[0].check.threat_from == 21


@pytest.mark.parametrize(
    ("strength", "weapon", "flat"),
    [
        (18, {}, 4),
        (18, {"hand": "off"}, 2),
        (18, {"hand": "two"}, 6),
        (16, {"hand": "off"}, 1),
        (16, {"hand": "two"}, 4),
        (18, {"hand": "two", "light": True}, 4),
        (18, {"hand": "off", "light": True}, 2),
        (18, {"kind": "thrown"}, 4),
        (18, {"kind": "ranged"}, 0),
        (6, {}, -2),
        (6, {"hand": "off"}, -2),
        (6, {"hand": "two"}, -2),
        (6, {"kind": "ranged"}, 0),
        (18, {"enhancement": 2}, 6),
    ],
)
def test_d20_damage_modifiers(strength, weapon, flat):
    build = fighter(abilities={"strength": strength}, weapon={"damage": "1d8", **weapon})
    assert written(attacks(build.derive())[0].on[2]) == [f"1x(1d8{flat:+d})>=1 physical"]


@pytest.mark.parametrize(("hand", "flat"), [("main", -3), ("off", -2), ("two", -5)])
def test_d20_strength_penalty_scaled_by_switch(hand, flat):
    build = fighter(modifiers={"strength": -3}, abilities={}, weapon={"damage": "1d8", "hand": hand}, rules={"strength_penalty": "scaled"})
    assert written(attacks(build.derive())[0].on[2]) == [f"1x(1d8{flat:+d})>=1 physical"]


def test_d20_named_damage_is_part_of_the_roll_and_extra_is_not_multiplied():
    build = fighter(
        damage_bonuses={"bless": 1},
        extra=["5d6 sneak", "1d6 fire"],
        critical_extra=["1d10"],
        weapon={"damage": "2d4+1 slashing", "critical": "18-20/x3", "extra": ["1d4 acid"], "critical_extra": ["1d12 cold"]},
    )
    one = attacks(build.derive())[0]
    extras = ["1x(1d4+0) acid", "1x(5d6+0) physical precision", "1x(1d6+0) fire"]
    assert written(one.on[2]) == ["1x(2d4+6)>=1 slashing", *extras]
    assert written(one.on[3]) == ["3x(2d4+6)>=1 slashing", *extras, "1x(1d12+0) cold", "1x(1d10+0) physical"]
    assert one.on[0] == one.on[1] == ()


def test_d20_text_examples_of_multiplying():
    five = attacks(statblock("+5", "1d6", multipliers=[3]).derive())[0]
    assert written(five.on[2]) == ["3x(1d6+0)>=1 physical"]
    assert written(five.on[3]) == ["5x(1d6+0)>=1 physical"]
    sneak = attacks(statblock("+5", "1d8", extra=["1d6 sneak"]).derive())[0]
    assert written(sneak.on[3]) == ["2x(1d8+0)>=1 physical", "1x(1d6+0) physical precision"]
    two = attacks(statblock("+5", "1d6", critical="x3", multipliers=[3, 2]).derive())[0]
    assert (written(two.on[2]), written(two.on[3])) == (["5x(1d6+0)>=1 physical"], ["8x(1d6+0)>=1 physical"])


def test_d20_minimum_by_roll_or_by_hit():
    assert written(attacks(statblock("+5", "1d4-6").derive())[0].on[3]) == ["2x(1d4-6)>=1 physical"]
    assert written(attacks(statblock("+5", "1d4-6", rules={"minimum": "hit"}).derive())[0].on[3]) == ["2x(1d4-6) sum>=1 physical"]


def test_d20_several_weapons_one_after_the_other():
    build = statblock("+1", "1d4").but(attack=[5, 4], name="x")
    assert bonuses(build) == [5, 4]
    scenario = loads(
        'system = "d20"\n[[build]]\nextra = "1d6"\nweapons = [{ name = "a", attack = "+5/+0", damage = "1d8" }, { attack = "+3", damage = "1d4" }]\n'
    )
    made = attacks(scenario.builds[0].derive())
    assert [(a.label, a.bonus) for a in made] == [("a", 5), ("a", 0), ("weapon 2", 3)]
    assert written(made[2].on[2]) == ["1x(1d4+0)>=1 physical", "1x(1d6+0) physical"]
    assert bonuses(sheet(bab=6, weapons=[{"damage": "1d8"}, {"damage": "1d4", "base_attacks": "+6"}])) == [6, 1, 6]


# -- every game: the target ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", list(systems()))
def test_reductions_run_from_types_to_physical_to_all(system):
    derived = statblock("+5", "1d8", system=system).derive(target(system, reduction={"all": 2, "physical": 5, "fire": "immune", "slashing": 3}))
    fire, slashing, physical, everything = derived.target.reductions[0]
    assert (fire.types, fire.keep, fire(9)) == (frozenset({"fire"}), (0, 1), 0)
    assert (slashing.types, slashing.subtract) == (frozenset({"slashing"}), 3)
    assert (physical.types, physical.subtract) == (frozenset({"physical", "slashing", "piercing", "bludgeoning"}), 5)
    assert (everything.types, everything.subtract) == (None, 2)


@pytest.mark.parametrize("system", list(systems()))
def test_target_keys_of_every_game(system):
    faced = statblock("+5", "1d8", system=system).derive(target(system, miss_chance=20, immune=["critical", "precision"], hp=30)).target
    assert (faced.miss, faced.immune_precision, faced.hp) == ((20, 100), True, 30)
    plain = statblock("+5", "1d8", system=system).derive().target
    assert (plain.ac[0], plain.miss, plain.immune_critical, plain.immune_precision, plain.hp, plain.reductions) == (10, (0, 100), False, False, None, ((),))


@pytest.mark.parametrize("system", list(systems()))
def test_a_critical_deals_the_immune_no_more_weapon_damage_than_a_hit(system):
    """Whether it is a critical still is the game's own matter."""
    (row,) = curve(statblock("+15", "1d8", system=system), 15, target={"immune": ("critical",)}).to_dict("records")
    assert row["dpr"] == pytest.approx(4.5 * row["hits"], rel=1e-12)


# -- core ------------------------------------------------------------------------------------------------------------------------------------------------

SWORDS = {
    "longsword": {"on_hit": "1d8"},
    "shortsword": {"on_hit": "1d6", "ap": -2, "small": True},
    "dagger": {"on_hit": "1d4", "ap": -1, "small": True},
    "claymore": {"on_hit": "2d6", "ap": -4, "hands": 2},
    "hammer": {"on_hit": "1d10", "ap": -4},
}


def creature(turn: list[Any], arms: dict[str, Any] | None = None, **keys: Any) -> Build:
    held = {"right": {"holds": "longsword"}, "left": {"holds": "dagger"}} if arms is None else arms
    return sheet("core", **({"proficiency_bonus": 0, "weapons": SWORDS, "arms": held, "turn": turn} | keys))


@pytest.mark.parametrize(
    ("turn", "right", "left", "penalties"),
    [
        (["claymore"] * 3, {"holds": "claymore"}, {"holds": "claymore"}, [0, -4, -8]),
        (["shortsword", "longsword", "shortsword", {"use": "longsword", "off_hand": True}], {"holds": "longsword"}, {"holds": "shortsword"}, [0, -2, -5, -7]),
        (["hammer"] * 3, {"holds": "hammer"}, {"holds": "dagger", "shield": "tower"}, [0, -4, -8]),
        (["longsword", "dagger", "dagger"], {"holds": "longsword"}, {"holds": "dagger", "shield": "buckler"}, [0, -3, -4]),
        (["longsword", "dagger", "longsword"], {"holds": "longsword"}, {"holds": "dagger", "shield": "buckler"}, [0, -3, -4]),
    ],
)
def test_core_worked_examples(turn, right, left, penalties):
    assert bonuses(creature(turn, {"right": right, "left": left})) == penalties


def test_core_proficiency_and_named_bonuses():
    known = {"bite": {"on_hit": "1d6"}, "claw": {"on_hit": "1d4", "proficient": False}}
    assert bonuses(creature(["bite", "claw"], body_parts=known, proficiency_bonus=4, attack_bonuses={"aim": 1, "hurt": -2})) == [3, -4]


def test_core_reactions_are_turns_of_their_own():
    fresh = creature(["longsword", "longsword"], reactions=[["longsword", "dagger"], ["dagger"]])
    assert [[a.bonus for s in t.steps for a in s.variants if a] for t in fresh.derive().plan.turns] == [[0, -3], [0, -3], [0]]
    kept = fresh.but(rules={"ap_reset": "own turn"})
    assert [[a.bonus for s in t.steps for a in s.variants if a] for t in kept.derive().plan.turns] == [[0, -3], [-6, -9], [-10]]


def test_core_check_and_criticals():
    missiles = {"a": {"on_hit": "1d8", "on_critical": "3d8"}, "b": {"on_hit": "1d8", "critical_adds": "1d6 fire"}, "c": {"on_hit": "1d8"}}
    build = creature(["a", "b", "c"], missiles=missiles)
    a, b, c = attacks(build.but(extra=["1d4"]).derive())
    assert (a.check.ties_hit, a.check.critical, a.check.threat_from, a.check.auto_miss_to, a.check.take_hit) == (True, Critical.NATURAL, 20, 1, False)
    assert written(a.on[2]) == ["1x(1d8+0) physical", "1x(1d4+0) physical"]
    assert written(a.on[3]) == ["1x(3d8+0) physical", "1x(1d4+0) physical"]
    assert written(b.on[3]) == ["1x(1d8+0) physical", "1x(1d6+0) fire", "1x(1d4+0) physical"]
    assert c.on[3] == c.on[2]
    assert not attacks(build.but(rules={"ties": "miss"}).derive())[0].check.ties_hit


def test_core_statblock_penalties():
    assert bonuses(statblock("+3", "1d6", system="core")) == [3]
    assert bonuses(statblock("+3", "1d6", system="core", attacks=3)) == [3, 0, -3]
    assert bonuses(statblock("+3", "1d6", system="core", attacks=3, ap=-4)) == [3, -1, -5]
    assert bonuses(statblock("+3/-1/-5", "1d6", system="core")) == [3, -1, -5]
    assert bonuses(statblock("+3", "1d6", system="core", attacks=0)) == []


def test_core_armor_value():
    assert statblock("+3", "1d6", system="core").derive(target("core", av=4)).target.ac == (14,)
    assert statblock("+3", "1d6", system="core").derive(target("core", ac=17)).target.ac == (17,)


@pytest.mark.parametrize(("takes", "expected"), [("none", [False] * 3), ("all", [True] * 3), ([1, 3], [True, False, True]), ([], [False] * 3)])
def test_core_taking_the_hit_counts_over_the_round(takes, expected):
    build = creature(["longsword", "longsword"], reactions=[["dagger"]])
    assert [a.check.take_hit for a in attacks(build.derive(target("core", takes_hit=takes)))] == expected


@pytest.mark.parametrize(
    ("turn", "right", "left", "message"),
    [
        (["dagger"], {}, {"holds": "dagger", "shield": "tower"}, "got 'dagger': the arm 'left' that holds it has a tower shield"),
        ([], {}, {"holds": "longsword", "shield": "tower"}, "small equipment in the arm 'left' with the tower shield; got 'longsword'"),
        (["longsword"], {}, {"holds": "longsword", "shield": "large"}, "got 'longsword': the arm 'left' that holds it has a large shield"),
        (["claymore"], {"holds": "claymore"}, {"holds": "claymore", "shield": "large"}, "got 'claymore': the arm 'left' that holds it has a large shield"),
        ([], {}, {"holds": "claymore"}, "holds must name 'claymore' in both arms"),
        (["hammer"], {}, {}, "got 'hammer': no arm holds it"),
    ],
)
def test_core_impossible_equipment(turn, right, left, message):
    with pytest.raises(ScenarioError, match=message):
        creature(turn, {"right": right, "left": left})


@pytest.mark.parametrize(
    ("turn", "right", "left"),
    [
        (["dagger"], {}, {"holds": "dagger", "shield": "large"}),
        (["hammer"], {}, {"holds": "hammer", "shield": "buckler"}),
        (["claymore"], {"holds": "claymore"}, {"holds": "claymore", "shield": "buckler"}),
        ([], {}, {"holds": "longsword", "shield": "large"}),
        ([], {}, {"holds": "dagger", "shield": "tower"}),
    ],
)
def test_core_possible_equipment(turn, right, left):
    creature(turn, {"right": right, "left": left}).derive()


def test_core_explains_what_can_block():
    weapons = {"sword": {"on_hit": "1d8", "blocks": True}, "dagger": {"on_hit": "1d4", "small": True, "blocks": True}}
    lines = creature([], {"right": {"holds": "sword", "shield": "large"}, "left": {"holds": "dagger", "shield": "buckler"}}, weapons=weapons).derive().lines
    blocking = {line.name: line.value for line in lines if line.section == "blocking"}
    assert blocking == {
        "shield (large)": "can block, in the arm right",
        "shield (buckler)": "can block, in the arm left",
        "sword": "cannot block",
        "dagger": "can block",
    }


# -- starfinder ------------------------------------------------------------------------------------------------------------------------------------------


def soldier(weapon: dict[str, Any] | None = None, **keys: Any) -> Build:
    base = {"bab": 5, "modifiers": {"strength": 2, "dexterity": 4}} | ({} if "weapons" in keys else {"weapon": {"damage": "1d8"} | (weapon or {})})
    return sheet("starfinder", **(base | keys))


@pytest.mark.parametrize(("distance", "penalty"), [(0, 0), (120, 0), (121, -2), (240, -2), (241, -4), (1200, -18)])
def test_starfinder_range_penalty(distance, penalty):
    assert range_penalty(distance, 120) == penalty
    assert bonuses(soldier({"kind": "ranged", "range": 120}), distance=distance) == [9 + penalty]


@pytest.mark.parametrize(
    ("weapon", "keys", "message"),
    [
        ({"kind": "ranged", "range": 120}, {"distance": 1201}, "distance to the target, 1201 feet; got 120 feet an increment, 1200 feet at most: out of range"),
        ({"kind": "thrown", "range": 20}, {"distance": 101}, "got 20 feet an increment, 100 feet at most"),
        ({"kind": "grenade", "range": 20, "radius": 10}, {"distance": 101}, "100 feet at most"),
        ({"kind": "ranged", "range": 120, "maximum_range": 600}, {"distance": 601}, "600 feet at most"),
        ({}, {"distance": 10}, "distance to the target, 10 feet; got 5: out of reach"),
        ({"reach": 10}, {"distance": 15}, "15 feet; got 10: out of reach"),
        ({"kind": "ranged", "range": 120}, {"line_of_effect": False}, "no line of effect"),
        ({"kind": "grenade", "range": 20, "radius": 10}, {"miss_chance": 20}, "miss_chance must be 0"),
        ({"kind": "grenade", "range": 20, "radius": 10}, {"distance": 0}, "thrower must be given"),
    ],
)
def test_starfinder_impossible_attacks_say_which(weapon, keys, message):
    with pytest.raises(ScenarioError, match=message):
        soldier(weapon).derive(target("starfinder", **keys))


@pytest.mark.parametrize(
    ("weapon", "bonus", "flat"),
    [
        ({}, 7, 2),
        ({"kind": "ranged", "range": 60}, 9, 0),
        ({"kind": "thrown", "range": 60}, 7, 2),
        ({"kind": "grenade", "range": 60, "radius": 10}, 7, 0),
        ({"proficient": False}, 3, 2),
    ],
)
def test_starfinder_abilities_by_kind(weapon, bonus, flat):
    (one,) = attacks(soldier(weapon).derive())
    assert one.bonus == bonus
    assert written(one.on[2]) == [f"1x(1d8{flat:+d})>=1 physical"]


@pytest.mark.parametrize(
    ("weapon", "defence"),
    [
        ({}, 1),
        ({"damage": "1d8 fire"}, 0),
        ({"damage": "1d8 sonic"}, 0),
        ({"damage": "1d8 slashing"}, 1),
        ({"damage": "1d8 fire", "against": "kac"}, 1),
        ({"against": "eac"}, 0),
        ({"kind": "grenade", "range": 20, "radius": 5, "damage": "1d8 fire"}, 2),
        ({"kind": "ranged", "range": 20, "radius": 5}, 2),
        ({"kind": "thrown", "range": 20, "radius": 5}, 2),
        ({"kind": "thrown", "range": 20}, 1),
    ],
)
def test_starfinder_defence_by_weapon(weapon, defence):
    derived = soldier(weapon).derive(target("starfinder", eac=14, kac=16))
    assert attacks(derived)[0].defence == defence
    assert (derived.target.ac, derived.target.follows_sweep) == ((14, 16, 5), (True, True, False))


def test_starfinder_a_sweep_moves_both_armor_classes():
    faced = target("starfinder", eac=14, kac=16)
    assert soldier().derive(faced, ac=20).target.ac == (18, 20, 5)
    assert soldier({"against": "eac"}).derive(faced, ac=20).target.ac == (20, 22, 5)
    assert soldier({"kind": "grenade", "range": 20, "radius": 5}).derive(faced, ac=20).target.ac == (14, 16, 5)
    assert soldier().derive(target("starfinder", ac=13)).target.ac == (13, 13, 5)


def test_starfinder_check_and_critical():
    (one,) = attacks(soldier({"critical_effect": "bleed", "critical_extra": ["1d4"]}, extra=["2d6 fire"], damage_bonuses={"spec": 3}).derive())
    assert (one.check.ties_hit, one.check.critical, one.check.threat_from, one.check.auto_miss_to, one.check.auto_hit_from) == (True, Critical.MEETS, 20, 1, 20)
    assert one.effect == "bleed"
    assert written(one.on[2]) == ["1x(1d8+5)>=1 physical", "1x(2d6+0) fire"]
    assert written(one.on[3]) == ["2x(1d8+5)>=1 physical", "2x(2d6+0) fire", "1x(1d4+0) physical"]
    (turned,) = attacks(soldier(rules={"ties": "miss", "natural_1": "total", "minimum": "none"}).derive())
    assert (turned.check.ties_hit, turned.check.auto_miss_to) == (False, 0)
    assert written(turned.on[2]) == ["1x(1d8+2) physical"]


def test_starfinder_full_attack_takes_weapons_in_turn():
    two = [{"name": "a", "damage": "1d8"}, {"name": "b", "damage": "1d6", "kind": "ranged", "range": 30}]
    build = soldier(weapons=two)
    assert [(a.label, a.bonus) for a in attacks(build.derive())] == [("a", 7)]
    full = build.but(full_attack=True, attacks=3)
    assert [(a.label, a.bonus) for a in attacks(full.derive())] == [("a", 3), ("b", 5), ("a", 3)]
    assert bonuses(full.but(full_attack_penalty=-6)) == [1, 3, 1]
    assert [a.label for a in attacks(build.but(full_attack=True, attacks=1).derive())] == ["a"]


@pytest.mark.parametrize(
    ("weapon", "rules", "scatters", "critical"),
    [
        ({"kind": "grenade"}, {}, True, Critical.NONE),
        ({"kind": "thrown"}, {}, True, Critical.NONE),
        ({"kind": "ranged"}, {}, False, Critical.NONE),
        ({"kind": "ranged"}, {"launcher_scatter": True}, True, Critical.NONE),
        ({"kind": "grenade"}, {"area_critical": True}, True, Critical.MEETS),
    ],
)
def test_starfinder_area_weapons(weapon, rules, scatters, critical):
    (one,) = attacks(soldier({"range": 20, "radius": 10} | weapon, rules=rules).derive())
    assert one.area is not None
    assert (one.area.scatters, one.check.critical) == (scatters, critical)


def test_scatter_from_the_text():
    """1 falls short toward the thrower, 2 to 8 go round clockwise; 1 and then 2 is two squares in front of the mark."""
    places = scatter_displacements((0, -6))
    assert len(places) == len(set(places)) == 32
    assert places[1] == (0, -2)
    assert places[::4] == ((0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1))
    assert places[4:8] == ((-1, -1), (-2, -2), (-3, -3), (-4, -4))


@pytest.mark.parametrize(
    ("thrower", "back"),
    [
        ((0, 1), (0, 1)), ((5, 5), (1, 1)), ((7, 0), (1, 0)), ((3, -3), (1, -1)), ((-2, -2), (-1, -1)), ((-9, 0), (-1, 0)), ((-1, 1), (-1, 1)),
        ((2, 5), (0, 1)), ((3, 7), (1, 1)), ((12, -5), (1, -1)), ((13, -5), (1, 0)), ((-2, -5), (0, -1)), ((-5, 12), (-1, 1)),
        ((29, 70), (1, 1)), ((70, 169), (0, 1)),
    ],
)  # fmt: skip
def test_scatter_off_axis_takes_the_nearest_direction(thrower, back):
    assert scatter_displacements(thrower)[0] == back


def test_blast_shapes():
    assert caught_squares(5) == {(-1, -1), (-1, 0), (0, -1), (0, 0)}
    assert len(caught_squares(10)) == 12
    assert (1, 1) not in caught_squares(10)
    assert (1, 1) in caught_squares(15)
    assert (2, 2) not in caught_squares(15)
    assert (2, 1) not in caught_squares(15)  # 3 across and 2 up: 3 + 1 = 4 squares
    assert (2, 1) in caught_squares(20)
    assert caught_squares(14) == caught_squares(10)
    assert grid.squares_to_far_corner(-3, 2) == grid.squares_to_far_corner(2, 2) == 4


def test_starfinder_who_is_caught_where():
    (one,) = attacks(soldier({"kind": "grenade", "range": 20, "radius": 5}).derive(target("starfinder", creatures=[{"at": [0, 0]}, {"at": [1, 1], "size": 2}])))
    assert one.area is not None
    caught = one.area.caught
    assert caught[0] == (1, 0)
    assert caught[1] == (0, 0)  # a square short, the blast around (0, -1) reaches up to y = 0
    assert caught[1 + 4 * 4] == (1, 0)  # 5 on the d8: a square beyond
    assert caught[1 + 4 * 5] == (1, 1)  # 6 on the d8: (1, 1), the corner of both
    assert caught[1 + 4 * 5 + 3] == (0, 0)  # four squares that way: past both
    assert sum(map(sum, caught)) == 7


def test_starfinder_creatures_have_reductions_of_their_own():
    keys = {"reduction": {"fire": 5}, "creatures": [{"at": [0, 0]}, {"at": [1, 0], "reduction": {}}, {"at": [2, 0], "reduction": {"all": 1}}]}
    own = soldier({"kind": "grenade", "range": 20, "radius": 5}).derive(target("starfinder", **keys)).target.reductions
    assert [[r.subtract for r in creature] for creature in own] == [[5], [], [1]]


# -- the contract of every game, by discovery ------------------------------------------------------------------------------------------------------------

SCENARIOS = {name: loads(examples.text(name), source=name) for name in examples.names()}
BUILDS = [pytest.param(scenario, build, id=f"{name}: {build.name}") for name, scenario in SCENARIOS.items() for build in scenario.builds]


def choices(game: Any) -> list[tuple[str, Any]]:
    return [(key, value) for key, field in game.Rules.model_fields.items() for value in (get_args(field.annotation) or (False, True))]


#: Builds and targets that show the switches no example shows as it stands.
CASES: dict[str, list[tuple[Build, dict[str, Any]]]] = {
    "d20": [
        (fighter(weapon={"damage": "1d8", "hand": "two"}, modifiers={"strength": -3}, abilities={}), {"dexterity": 6, "flat_footed": True}),
    ],
}
SWITCHES = [pytest.param(game, key, value, id=f"{game.id}: {key} = {value}") for game in systems().values() for key, value in choices(game)]


@pytest.mark.parametrize(("game", "key", "value"), SWITCHES)
def test_every_value_of_every_switch_changes_a_plan_and_is_played(game, key, value):
    """Some example or case has another plan or target than under the switch's other values."""
    others = [v for k, v in choices(game) if k == key and v != value]
    played = [(b, s.target) for s in SCENARIOS.values() for b in s.builds if b.system == game.id]
    played += [(b, target(game.id, **keys)) for b, keys in CASES.get(game.id, [])]
    derived = [(b.but(rules={key: value}).derive(t), b.but(rules={key: v}).derive(t)) for b, t in played for v in others]
    assert any((a.plan, a.target) != (b.plan, b.target) for a, b in derived)


@pytest.mark.parametrize("game", list(systems().values()), ids=list(systems()))
def test_every_game_documents_itself(game):
    assert game.summary
    assert "\n" not in game.summary
    assert get(game.id) is game
    docs = sys.modules[type(game).__module__].__doc__ or ""
    assert all(f"``{key} = " in docs for key in game.Rules.model_fields)
    assert all(type(default) is not float for default in game.Rules().model_dump().values())
    for model in (game.Rules, game.Target, game.Statblock, game.Sheet):
        assert model.model_config["extra"] == "forbid"
        assert model.model_config["frozen"]
        assert all(field.description for field in model.model_fields.values()), model
    assert any(s.system == game.id for s in SCENARIOS.values())


@pytest.mark.parametrize(("scenario", "build"), BUILDS)
def test_examples_are_explained_by_what_is_computed(scenario, build):
    derived = build.derive(scenario.target)
    assert all(line.section and line.name and line.value and line.rule for line in derived.lines)
    totals = {line.value for line in derived.lines if "attack" in line.name and ":" not in line.name}
    assert {f"{a.bonus:+d}" for a in attacks(derived)} <= totals
    for name, ac in zip(get(build.system).defences, derived.target.ac, strict=True):
        assert any(line.section == "target" and line.name == name and line.value == str(ac) for line in derived.lines) or ac == 5


@pytest.mark.parametrize(("scenario", "build"), BUILDS)
def test_examples_take_an_ac_from_outside(scenario, build):
    derived = build.derive(scenario.target, ac=33)
    assert derived.plan == build.derive(scenario.target).plan
    if any(a.defence < 2 for a in attacks(derived)):
        assert 33 in derived.target.ac
        assert any(line.value == "33" and "given from outside" in line.rule for line in derived.lines)


@pytest.mark.parametrize(("scenario", "build"), BUILDS)
def test_examples_vary(scenario, build):
    before = attacks(build.derive(scenario.target))
    better = attacks(build.but(attack=1).derive(scenario.target))
    assert [a.bonus for a in better] == [a.bonus + 1 for a in before]
    stronger = attacks(build.but(damage=2).derive(scenario.target))
    for a, b in zip(before, stronger, strict=True):
        first, more = a.on[2][0].parts[0].rolls[0], b.on[2][0].parts[0].rolls[0]
        assert more.flat == first.flat + 2
        assert a.on[3][0].parts[0].rolls[0].flat + 2 == b.on[3][0].parts[0].rolls[0].flat
    assert build.but(attack=1).but(attack=-1).derive(scenario.target).plan == build.derive(scenario.target).plan


def test_examples_have_a_summary_and_a_default():
    assert examples.DEFAULT in examples.names()
    assert all(0 < len(examples.summary(name)) < 160 for name in examples.names())
    assert [examples.system(name) for name in examples.names()] == [s.system for s in SCENARIOS.values()]
    with pytest.raises(ScenarioError, match="did you mean 'd20-builds'"):
        examples.text("d20-build")


def test_schema_admits_the_examples():
    validation = pytest.importorskip("jsonschema")
    validator = validation.Draft202012Validator(schema())
    validator.check_schema(schema())
    for name in examples.names():
        validator.validate(tomllib.loads(examples.text(name)))
    assert not validator.is_valid({"system": "d20", "build": [{"attack": 5, "damage": 3, "crit": "x3"}]})
    assert not validator.is_valid({"system": "d21", "build": [{"attack": 5, "damage": 3}]})
    assert not validator.is_valid({"system": "d20", "target": {"ac": 5000}, "build": [{"attack": 5, "damage": 3}]})


def test_schema_names_every_game_and_describes_every_key():
    found = schema()
    assert [one["properties"]["system"]["const"] for one in found["oneOf"]] == list(systems())
    for name, table in found["$defs"].items():
        assert table["additionalProperties"] is False, name
        assert all("description" in key or "$ref" in key for key in table["properties"].values()), name


def test_an_unknown_game_lists_the_known():
    with pytest.raises(ValueError, match=r"system must be one of .*d20.*; got 'd21'; did you mean 'd20'"):
        get("d21")


def test_models_of_games_have_names_of_their_own():
    models: list[type[BaseModel]] = [m for g in systems().values() for m in (g.Rules, g.Target, g.Statblock, g.Sheet)]
    assert len({m.__name__ for m in models}) == len(models)


def test_reading_a_build_file_imports_no_heavy_library(tmp_path):
    path = tmp_path / "build.toml"
    path.write_text(examples.text("d20-builds"), encoding="utf-8")
    code = (
        "import sys; from analyzer import scenario, examples\n"
        f"s = scenario.load({str(path)!r}); [b.derive(s.target) for b in s.builds]\n"
        "assert not {'pandas', 'matplotlib', 'scipy', 'numba'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert load(path).source == str(path)
