"""D&D 5e: hand-worked numbers for each clause of its rules, on derived plans and on what `analyzer` answers."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import analyzer
from analyzer import examples, loads
from analyzer.plan import Attack, Critical, Die
from analyzer.rulekit.advantage import combined
from analyzer.scenario import Build, ScenarioError, sheet, statblock, target
from tests.test_montecarlo import follow


def block(attack: str = "+5", damage: str = "1d8+3 slashing", **keys: Any) -> Build:
    return statblock(attack, damage, system="dnd5e", **keys)


def hero(weapon: dict[str, Any] | None = None, **keys: Any) -> Build:
    held = {} if "weapons" in keys else {"weapon": {"damage": "1d8 slashing"} | (weapon or {})}
    return sheet("dnd5e", **({"proficiency_bonus": 3, "modifiers": {"strength": 4, "dexterity": 2}} | held | keys))


def facing(**keys: Any) -> Any:
    return target("dnd5e", **keys)


def first(build: Build, **keys: Any) -> Attack:
    attack = build.derive(facing(**keys)).plan.steps[0].variants[0]
    assert attack is not None
    return attack


def written(attack: Attack, degree: int) -> list[str]:
    """Each part of what is dealt at a degree: dice with their rerolls and floors, flat number, type."""
    out = []
    for part in attack.on[degree][0].parts if attack.on[degree] else ():
        (roll,) = part.rolls
        dice = "".join(f"{'+' if d.sign > 0 else '-'}{d.count}d{d.sides}{_changes(d)}" for d in roll.dice)
        better = f" best of {roll.best_of}" if roll.best_of > 1 else ""
        out.append(f"{dice.removeprefix('+') or 0}{roll.flat:+d} {part.type}{better}{' precision' if roll.precision else ''}")
    return out


def _changes(die: Die) -> str:
    return f"{f'r{die.reroll_to}' if die.reroll_to else ''}{f'>={die.at_least}' if die.at_least > 1 else ''}{f'b{die.best_of}' if die.best_of > 1 else ''}"


def attack_of(build: Build, ac: int, **keys: Any) -> dict[str, float]:
    return dict(analyzer.curve(build, ac, target=facing(**keys), by="attack").iloc[0])


def dpr(build: Build, ac: int, **keys: Any) -> float:
    return float(analyzer.curve(build, ac, target=facing(**keys)).dpr.iloc[0])


def near(fraction: Any) -> Any:
    return pytest.approx(float(fraction), rel=1e-12, abs=1e-15)


# -- the attack roll -------------------------------------------------------------------------------------------------------------------------------------


def test_the_check():
    check = first(block()).check
    assert (check.dice, check.ties_hit, check.auto_miss_to, check.auto_hit_from, check.threat_from, check.critical) == (1, True, 1, 20, 20, Critical.NATURAL)


@pytest.mark.parametrize(
    ("critical", "rules", "ac", "hit", "crit"),
    [
        (None, {}, 16, Fraction(10, 20), Fraction(1, 20)),
        (None, {}, 1, Fraction(19, 20), Fraction(1, 20)),
        (None, {}, 40, Fraction(1, 20), Fraction(1, 20)),
        ("19-20", {}, 16, Fraction(10, 20), Fraction(2, 20)),
        ("19-20", {}, 24, Fraction(2, 20), Fraction(2, 20)),
        ("19-20", {}, 25, Fraction(1, 20), Fraction(1, 20)),
        ("18-20", {}, 24, Fraction(2, 20), Fraction(2, 20)),
        ("18-20", {"critical_range_hits": True}, 25, Fraction(3, 20), Fraction(3, 20)),
        ("1-20", {"critical_range_hits": True}, 40, Fraction(19, 20), Fraction(19, 20)),
        ("none", {}, 40, Fraction(1, 20), 0),
        ("none", {"critical_range_hits": True}, 40, Fraction(1, 20), 0),
        (20, {"critical_range_hits": True}, 40, Fraction(1, 20), Fraction(1, 20)),
    ],
)
def test_a_range_is_critical_when_it_hits_or_hits_by_switch(critical, rules, ac, hit, crit):
    found = attack_of(block(critical=critical, rules=rules), ac)
    assert (found["hit_chance"], found["crit_chance"]) == (near(hit), near(crit))


@pytest.mark.parametrize(
    ("own", "granted", "result"),
    [
        ("none", "none", "none"),
        ("none", "advantage", "advantage"),
        ("none", "disadvantage", "disadvantage"),
        ("advantage", "none", "advantage"),
        ("advantage", "advantage", "advantage"),
        ("advantage", "disadvantage", "none"),
        ("disadvantage", "none", "disadvantage"),
        ("disadvantage", "advantage", "none"),
        ("disadvantage", "disadvantage", "disadvantage"),
        ("elven accuracy", "none", "elven accuracy"),
        ("elven accuracy", "advantage", "elven accuracy"),
        ("elven accuracy", "disadvantage", "none"),
    ],
)
def test_advantage_of_two_sides(own, granted, result):
    """Need 11 of 20: 1/2 with one die, 3/4 with the better of two, 1/4 with the worse, 7/8 with the best of three."""
    assert combined(own, granted) == result
    chance = {"none": Fraction(1, 2), "advantage": Fraction(3, 4), "disadvantage": Fraction(1, 4), "elven accuracy": Fraction(7, 8)}[result]
    assert attack_of(block(advantage=own), 16, grants=granted)["hit_chance"] == near(chance)


def test_critical_chances_with_more_dice():
    assert attack_of(block(advantage="advantage"), 30)["crit_chance"] == near(Fraction(39, 400))
    assert attack_of(block(advantage="disadvantage"), 10)["crit_chance"] == near(Fraction(1, 400))
    assert attack_of(block(advantage="elven accuracy", critical="19-20"), 10)["crit_chance"] == near(1 - Fraction(18, 20) ** 3)


def test_lucky_rerolls_one_die_once():
    """Need 11. One die: 1/2 + 1/20 * 1/2. Advantage: 300 of 400 pairs hit; of the others 19 hold a 1, which rerolled hits in half."""
    assert attack_of(block(lucky=True), 16)["hit_chance"] == near(Fraction(1, 2) + Fraction(1, 40))
    assert attack_of(block(lucky=True, advantage="advantage"), 16)["hit_chance"] == near(Fraction(300, 400) + Fraction(19, 400) / 2)
    # Disadvantage: both dice at 11 or more, or the 1 beside one of these ten (20 pairs) rerolled to one.
    assert attack_of(block(lucky=True, advantage="disadvantage"), 16)["hit_chance"] == near(Fraction(100, 400) + Fraction(20, 400) / 2)
    assert attack_of(block(lucky=True), 2)["hit_chance"] == near(1 - Fraction(1, 400))


def test_bless_and_bane():
    """+5 with 1d4 vs AC 16: a face f needs 11 - f of the d4, so faces 7 to 10 hit with 1, 2, 3 and 4 of 4, and 11 to 20 always."""
    assert attack_of(block(attack_dice="1d4"), 16)["hit_chance"] == near(Fraction(10, 20) + Fraction(1 + 2 + 3 + 4, 80))
    assert attack_of(block(attack_dice=["-1d4"]), 16)["hit_chance"] == near(Fraction(10, 20) - Fraction(1 + 2 + 3 + 4, 80))
    assert attack_of(block("-1", attack_dice=["1d4"]), 30)["hit_chance"] == near(Fraction(1, 20))
    assert attack_of(block("+20", attack_dice=["-1d4"]), 3)["hit_chance"] == near(Fraction(19, 20))


@pytest.mark.parametrize(("cover", "ac"), [("none", 15), ("half", 17), ("three-quarters", 20)])
def test_cover(cover, ac):
    derived = block().derive(facing(ac=15, cover=cover))
    assert derived.target.ac == (ac,)
    assert block().derive(facing(cover=cover)).target.ac == (ac - 5,)
    assert block().derive(facing(ac=15, cover=cover), ac=12).target.ac == (12,)


def test_power():
    """-5/+10: with +5 vs AC 16, 13.5 points with 1/20 more dice become 1d8+13 at need 16."""
    build = block(critical="none")
    assert dpr(build, 16) == near(Fraction(1, 2) * Fraction(15, 2))
    assert dpr(build.but(power=True), 16) == near(Fraction(1, 4) * Fraction(35, 2))
    assert (first(build.but(power=True)).bonus, written(first(build.but(power=True)), 2)) == (0, ["1d8+13 slashing"])
    assert any(line.name == "attack 1: power" and line.value == "-5" for line in build.but(power=True).derive().lines)


# -- damage ----------------------------------------------------------------------------------------------------------------------------------------------


def test_a_critical_doubles_the_dice_of_the_attack():
    build = block(
        damage="1d8+1d4+3 slashing", extra=["1d6", "1d4+2 fire"], once_per_turn=["3d6 precision"], smite=["2d8 radiant"], critical_extra=["1d8", "1d10 cold"]
    )
    one = first(build)
    assert written(one, 2) == ["1d8+1d4+3 slashing", "1d6+0 slashing", "1d4+2 fire", "3d6+0 slashing precision", "2d8+0 radiant"]
    doubled = ["2d8+2d4+3 slashing", "2d6+0 slashing", "2d4+2 fire", "6d6+0 slashing precision", "4d8+0 radiant"]
    assert written(one, 3) == [*doubled, "1d8+0 slashing", "1d10+0 cold"]
    assert one.on[0] == one.on[1] == ()


def test_damage_worked_by_hand():
    """+5 vs AC 16, 1d8+3: 9 faces of 15/2 and a critical of 12."""
    assert dpr(block(), 16) == near(Fraction(9, 20) * Fraction(15, 2) + Fraction(1, 20) * 12)
    assert dpr(block(critical_extra="1d8"), 16) == near(Fraction(9, 20) * Fraction(15, 2) + Fraction(1, 20) * Fraction(33, 2))
    assert dpr(block(), 16, immune=["critical"]) == near(Fraction(10, 20) * Fraction(15, 2))


def test_untyped_damage_has_the_weapons_type():
    build = block("+30", "1d4 piercing", critical="none", extra=["4"], once_per_turn=["2 precision"])
    assert written(first(build), 2) == ["1d4+0 piercing", "0+4 piercing", "0+2 piercing precision"]
    # Half of 7, 8, 9 and 10 is 3, 4, 4 and 5: one sum, halved once.
    assert dpr(build, 10, resistance="piercing") == near(Fraction(19, 20) * 4)
    assert written(first(block(damage="1d4", extra=["4", "1 fire"])), 2) == ["1d4+0 physical", "0+4 physical", "0+1 fire"]


def test_no_entry_is_below_zero():
    build = block("+30", "1d4-3", critical="none", extra=["2 fire", "1d2-2 cold"])
    assert dpr(build, 10) == near(Fraction(19, 20) * (Fraction(1, 4) + 2))


def test_graze_is_dealt_on_every_miss():
    build = block(damage="10 slashing", critical="none", graze=3)
    assert dpr(build, 16) == near(Fraction(10, 20) * 10 + Fraction(10, 20) * 3)
    assert dpr(build, 16, resistance=["slashing"]) == near(Fraction(10, 20) * 5 + Fraction(10, 20) * 1)
    assert dpr(build, 16, miss_chance=50) == near(Fraction(5, 20) * 10 + Fraction(15, 20) * 3)
    assert written(first(build), 0) == written(first(build), 1) == ["0+3 slashing"]


@pytest.mark.parametrize(
    ("edition", "scope", "weapon", "other", "mean"),
    [
        ("2014", "weapon", "2d6r2+4 slashing", "1d8+0 slashing", Fraction(25, 3) + 4 + Fraction(9, 2)),
        ("2014", "all", "2d6r2+4 slashing", "1d8r2+0 slashing", Fraction(25, 3) + 4 + Fraction(21, 4)),
        ("2024", "weapon", "2d6>=3+4 slashing", "1d8+0 slashing", Fraction(8) + 4 + Fraction(9, 2)),
        ("2024", "all", "2d6>=3+4 slashing", "1d8>=3+0 slashing", Fraction(8) + 4 + Fraction(39, 8)),
    ],
)
def test_great_weapon_fighting(edition, scope, weapon, other, mean):
    """A rerolled d6 is worth 25/6, a d8 21/4; with 1 and 2 counted as 3 they are worth 4 and 39/8."""
    build = block("+30", "2d6+4 slashing", critical="none", great_weapon_fighting=True, extra="1d8", rules={"edition": edition, "reroll_scope": scope})
    assert written(first(build), 2) == [weapon, other]
    assert dpr(build, 10) == near(Fraction(19, 20) * mean)
    assert written(first(build.but(great_weapon_fighting=False)), 2) == ["2d6+4 slashing", "1d8+0 slashing"]


def test_styles_keep_what_the_notation_says_and_leave_penalty_dice():
    assert written(first(block(damage="1d6r1-1d4", great_weapon_fighting=True)), 3) == ["2d6r2-2d4+0 physical"]
    assert written(first(block(damage="1d6r3", great_weapon_fighting=True)), 2) == ["1d6r3+0 physical"]
    assert written(first(block(damage="1d6", great_weapon_fighting=True, minimum_die=2)), 2) == ["1d6r2>=2+0 physical"]
    assert written(first(block(damage="1d6", great_weapon_fighting=True, minimum_die=4, rules={"edition": "2024"})), 2) == ["1d6>=4+0 physical"]


def test_minimum_die():
    """A d6 that counts as 2 at least is worth 22/6, of the weapon alone."""
    assert dpr(block("+30", "1d6", critical="none", minimum_die=2, extra="1d6 fire"), 10) == near(Fraction(19, 20) * (Fraction(22, 6) + Fraction(7, 2)))


# -- once per turn ---------------------------------------------------------------------------------------------------------------------------------------


def test_sneak_attack_is_joint_with_the_hits_before():
    """The case of the design: two attacks +8 vs AC 16, 1d4+4, 3d6 once per turn."""
    build = block("+8/+8", "1d4+4", once_per_turn="3d6")
    found = analyzer.curve(build, 16)
    pmf = found.pmf[0]
    assert pmf[0] == near(Fraction(49, 400))
    assert pmf[0] == near(0.1225)
    assert found.sd.iloc[0] == near(8.886013940457216)
    assert pmf[30:].sum() == near(0.06741320323551633)
    assert found.no_damage.iloc[0] == near(0.1225)


def test_sneak_attack_comes_with_the_first_hit_whichever_it_is():
    """Need 11 twice, 1 point and 6 once per turn: the round deals 7 points with the first hit and 1 with the second."""
    build = block("+5/+5", "1", critical="none", once_per_turn="6")
    assert dpr(build, 16) == near(2 * Fraction(1, 2) + Fraction(3, 4) * 6)
    by_attack = analyzer.curve(build, 16, by="attack")
    assert by_attack["mean"].tolist() == [near(Fraction(1, 2) * 7), near(Fraction(1, 2) * 1 + Fraction(1, 4) * 6)]
    assert analyzer.curve(build, 16).pmf[0].tolist() == pytest.approx([1 / 4, 0, 0, 0, 0, 0, 0, 1 / 2, 1 / 4], abs=1e-15)
    assert build.derive().plan.turns[0].states == 2


@pytest.mark.parametrize(
    ("smite_on", "mean", "states"),
    [
        ("first hit", 1 + Fraction(3, 4) * 6, 2),
        ("every hit", 1 + 2 * Fraction(1, 2) * 6, 1),
        ("critical", 1 + (1 - Fraction(19, 20) ** 2) * 6, 2),
    ],
)
def test_smite_occasions(smite_on, mean, states):
    build = block("+5/+5", "1", smite="6 radiant", smite_on=smite_on)
    assert dpr(build, 16) == near(mean)
    assert build.derive().plan.turns[0].states == states


def test_a_critical_smite_doubles_its_dice_and_waits_for_the_first_critical():
    one = first(block(damage="1", smite="2d8 radiant", smite_on="critical"))
    assert (written(one, 2), written(one, 3)) == (["0+1 physical"], ["0+1 physical", "4d8+0 radiant"])
    assert dpr(block("+5", "1", smite="6 radiant", smite_on="critical"), 16, immune=["critical"]) == near(Fraction(1, 2))


@pytest.mark.parametrize(
    ("better", "hit", "critical", "gain"),
    [("roll", "2d6+3 slashing best of 2", "4d6+3 slashing best of 2", Fraction(889, 648)), ("die", "2d6b2+3 slashing", "4d6b2+3 slashing", Fraction(35, 18))],
)
def test_savage_attacker_once_per_turn(better, hit, critical, gain):
    build = block("+5/+5", "2d6+3 slashing", savage_attacker=True, extra="1d4", rules={"take_better": better})
    step = build.derive().plan.steps[0]
    fresh, used = step.variants
    assert fresh is not None
    assert used is not None
    assert (written(fresh, 2), written(fresh, 3)) == ([hit, "1d4+0 slashing"], [critical, "2d4+0 slashing"])
    assert (written(used, 2), written(used, 3)) == (["2d6+3 slashing", "1d4+0 slashing"], ["4d6+3 slashing", "2d4+0 slashing"])
    plain = build.but(critical="none")
    assert dpr(plain, 16) - dpr(plain.but(savage_attacker=False), 16) == pytest.approx(float(Fraction(3, 4) * gain), rel=1e-11)


def test_savage_attacker_with_great_weapon_fighting():
    """Two rerolled d3s: each shows 1 and 2 with 2/9 and 3 with 5/9; of the better, 3 has 65/81, 2 at most 16/81, 1 4/81."""
    build = block("+30", "1d3", critical="none", savage_attacker=True, great_weapon_fighting=True)
    assert dpr(build, 10) == near(Fraction(19, 20) * (3 - Fraction(16 + 4, 81)))


def test_riders_together_are_a_product_of_what_can_come_up():
    keys: dict[str, Any] = {"once_per_turn": "2d6", "smite": "2d8 radiant", "savage_attacker": True}
    assert block("+5/+5", **keys).derive().plan.turns[0].states == 2
    mixed = block("+5/+5", **keys, smite_on="critical").derive().plan
    assert mixed.turns[0].states == 3
    # Nothing spent: a miss keeps it, a hit spends two riders, a critical all three; after a hit only a critical changes more.
    assert mixed.steps[0].next[0] == (0, 0, 1, 2)
    assert mixed.steps[0].next[1:] == ((1, 1, 1, 2), (2, 2, 2, 2))
    sword_and_bow = hero(
        weapons=[{"name": "bow", "damage": "1d8", "kind": "ranged"}, {"name": "sword", "damage": "1d8"}, {"name": "axe", "damage": "1d6", "hand": "off"}],
        **keys,
        smite_on="critical",
    )
    assert sword_and_bow.derive().plan.turns[0].states == 4
    follow(sword_and_bow.derive().plan, sword_and_bow.derive().target, 14, trials=150)


def test_all_riders_by_hand():
    """One point weapons at need 11 and 16: the first hit adds 10, the first critical 100, each once."""
    build = block("+5/+0", "1", once_per_turn="10", smite="100 radiant", smite_on="critical")
    pmf = analyzer.curve(build, 16).pmf[0]
    miss, hit, critical = (Fraction(10, 20), Fraction(15, 20)), (Fraction(9, 20), Fraction(4, 20)), Fraction(1, 20)
    expected = {
        0: miss[0] * miss[1],
        11: hit[0] * miss[1] + miss[0] * hit[1],
        111: critical * miss[1] + miss[0] * critical,
        12: hit[0] * hit[1],
        112: hit[0] * critical + critical * (hit[1] + critical),
    }
    assert {total: float(p) for total, p in enumerate(pmf) if p} == {total: near(p) for total, p in expected.items()}


# -- the target ------------------------------------------------------------------------------------------------------------------------------------------


def taken(damage: list[str], **keys: Any) -> int:
    """The points a sure hit of constant damage comes to."""
    head, *extra = damage
    pmf = analyzer.curve(block("+30", head, critical="none", extra=extra), 10, target=facing(**keys)).pmf[0]
    return max(total for total, p in enumerate(pmf) if p)


@pytest.mark.parametrize(
    ("damage", "keys", "points"),
    [
        (["7 fire"], {"resistance": ["fire"]}, 3),
        (["7 fire"], {"vulnerability": ["fire"]}, 14),
        (["7 fire"], {"immunity": ["fire"]}, 0),
        (["7 fire"], {"resistance": ["fire"], "vulnerability": ["fire"]}, 6),
        (["7 fire"], {"immunity": ["fire"], "vulnerability": ["fire"]}, 0),
        (["7 fire"], {"resistance": ["cold"]}, 7),
        (["8 fire"], {"reduction": {"fire": 3}, "resistance": ["fire"]}, 2),
        (["8 fire"], {"reduction": {"fire": 3}, "vulnerability": ["fire"]}, 10),
        (["8 fire", "4 fire"], {"reduction": {"fire": 3}, "resistance": ["fire"]}, 4),
        (["3 slashing", "3 piercing"], {"resistance": ["physical"]}, 2),
        (["3 slashing", "3 piercing"], {"resistance": ["piercing"]}, 4),
        (["3", "3 fire"], {"resistance": ["physical"]}, 4),
        (["3", "3 piercing"], {"immunity": ["physical"]}, 0),
        (["3 slashing", "3 piercing"], {"resistance": ["physical"], "reduction": {"physical": 1}}, 2),
        (["5 slashing", "4 piercing"], {"resistance": ["physical"], "reduction": {"physical": 2, "slashing": 1}}, 3),
        (["5 slashing", "4 piercing"], {"resistance": ["bludgeoning", "physical"], "vulnerability": ["physical"], "reduction": {"physical": 2}}, 6),
        (["5 slashing", "4 fire"], {"resistance": ["fire"], "reduction": {"physical": 2}}, 5),
        (["5 slashing", "4 piercing"], {"immunity": ["piercing"], "reduction": {"physical": 2}}, 3),
        (["5 slashing", "4 fire"], {"immunity": ["fire"], "reduction": {"all": 2}}, 3),
    ],
)
def test_immunity_then_points_then_half_then_double(damage, keys, points):
    assert taken(damage, **keys) == points


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"resistance": "slashing", "reduction": {"physical": 3}}, "resistance must hold all of 'physical' or none of it"),
        ({"vulnerability": ["slashing"], "reduction": {"physical": 3}}, "vulnerability must hold all of 'physical' or none of it"),
        ({"resistance": ["fire"], "reduction": {"all": 3}}, "resistance must be left out when reduction.all takes points off all damage"),
        ({"immunity": ["all"]}, r"immunity\[0\] must be one damage type, or 'physical' for weapon damage; got 'all'"),
        ({"resistance": ["fir"]}, "did you mean 'fire'"),
    ],
)
def test_what_no_sum_can_say_is_refused(keys, words):
    with pytest.raises(ScenarioError, match=words):
        facing(**keys)


# -- sheets ----------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weapon", "keys", "bonus", "flat"),
    [
        ({}, {}, 7, 4),
        ({"kind": "ranged"}, {}, 5, 2),
        ({"kind": "thrown"}, {}, 7, 4),
        ({"finesse": True}, {}, 7, 4),
        ({"finesse": True}, {"modifiers": {"strength": 1, "dexterity": 5}}, 8, 5),
        ({"finesse": True, "kind": "thrown"}, {"modifiers": {"strength": 1, "dexterity": 5}}, 8, 5),
        ({"kind": "ranged", "finesse": True}, {}, 7, 4),
        ({"ability": "charisma"}, {"abilities": {"charisma": 17}}, 6, 3),
        ({"magic": 2}, {}, 9, 6),
        ({"proficient": False}, {}, 4, 4),
        ({"hand": "off"}, {}, 7, 0),
        ({"hand": "off"}, {"modifiers": {"strength": -1}}, 2, -1),
        ({"hand": "off"}, {"fighting_styles": ["two-weapon fighting"]}, 7, 4),
        ({"kind": "ranged"}, {"fighting_styles": ["archery"]}, 7, 2),
        ({"kind": "thrown"}, {"fighting_styles": ["archery"]}, 7, 4),
        ({}, {"fighting_styles": "dueling"}, 7, 6),
        ({"hand": "two"}, {"fighting_styles": ["dueling"]}, 7, 4),
        ({"kind": "ranged"}, {"fighting_styles": ["dueling"]}, 5, 2),
        ({}, {"weapons": [{"damage": "1d8"}, {"damage": "1d4", "hand": "off"}], "fighting_styles": ["dueling"]}, 7, 4),
        ({}, {"attack_bonuses": {"aim": 1}, "damage_bonuses": {"rage": 2}}, 8, 6),
        ({"hand": "two"}, {"power": True}, 2, 14),
        ({"power": False}, {"power": True}, 7, 4),
        ({}, {"abilities": {"strength": 19}, "modifiers": {}}, 7, 4),
    ],
)
def test_sheet_bonus_and_damage(weapon, keys, bonus, flat):
    one = first(hero(weapon, **keys))
    assert (one.bonus, one.on[2][0].parts[0].rolls[0].flat) == (bonus, flat)


@pytest.mark.parametrize("weapon", [{}, {"finesse": True}, {"kind": "thrown"}])
def test_power_is_for_heavy_and_ranged_weapons(weapon):
    with pytest.raises(ScenarioError, match="power must be false unless the weapon is ranged or held in both hands"):
        hero(weapon, power=True).derive()
    hero({"kind": "ranged"}, power=True).derive()


def test_attacks_of_each_weapon():
    build = hero(weapons=[{"name": "a", "damage": "1d8", "attacks": 2}, {"name": "b", "damage": "1d4"}, {"name": "c", "damage": "1d4", "attacks": 0}])
    assert [step.variants[0].label for step in build.derive().plan.steps if step.variants[0]] == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("weapon", "dice"),
    [
        ({"hand": "two"}, "1d8r2"),
        ({"hand": "main"}, "1d8"),
        ({"hand": "two", "kind": "ranged"}, "1d8"),
        ({"hand": "two", "great_weapon_fighting": False}, "1d8"),
    ],
)
def test_the_style_needs_a_melee_weapon_in_two_hands(weapon, dice):
    assert written(first(hero(weapon, fighting_styles=["great weapon fighting"])), 2)[0].startswith(dice + "+")
    assert written(first(hero({"great_weapon_fighting": True} | weapon)), 2)[0].startswith(dice + "+")


def test_elven_accuracy_is_not_for_strength():
    build = hero({"damage": "1d8"}, advantage="elven accuracy")
    assert first(build).check.dice == 2
    assert first(build.but(weapon={"damage": "1d8", "finesse": True}, modifiers={"dexterity": 3})).check.dice == 3
    assert first(build.but(weapon={"damage": "1d8", "finesse": True}, modifiers={"strength": 3, "dexterity": 3})).check.dice == 3
    assert first(build.but(weapon={"damage": "1d8", "ability": "constitution"})).check.dice == 2
    assert first(build.but(weapon={"damage": "1d8", "ability": "wisdom"})).check.dice == 3


@pytest.mark.parametrize(
    ("kind", "edition", "savage", "smites"),
    [("melee", "2014", 2, True), ("melee", "2024", 2, True), ("thrown", "2014", 1, False), ("ranged", "2014", 1, False), ("ranged", "2024", 2, False)],
)
def test_melee_alone_smites_and_of_old_was_savage(kind, edition, savage, smites):
    one = first(hero({"kind": kind}, savage_attacker=True, smite="1d8 radiant", rules={"edition": edition}))
    weapon, *more = one.on[2][0].parts
    assert (weapon.rolls[0].best_of, [part.type for part in more]) == (savage, ["radiant"] if smites else [])


def test_a_weapon_says_more_than_the_build():
    keys: dict[str, Any] = {"critical": "19-20", "graze": 2, "advantage": "advantage", "minimum_die": 2, "great_weapon_fighting": True}
    own = {"critical": "20", "graze": 0, "advantage": "none", "minimum_die": 1, "great_weapon_fighting": False, "power": True}
    text = (
        'system = "dnd5e"\n[[build]]\ncritical = "19-20"\ngraze = 2\nadvantage = "advantage"\nminimum_die = 2\ngreat_weapon_fighting = true\nextra = "1 fire"\n'
    )
    text += 'weapons = [{ attack = "+5", damage = "1d6" },\n{ attack = "+5", damage = "1d6", extra = "1 cold", critical = "20", graze = 0, advantage = "none", '
    text += "minimum_die = 1, great_weapon_fighting = false, power = true }]\n"
    first_line, second_line = (step.variants[0] for step in loads(text).builds[0].derive().plan.steps)
    sheet_lines = hero(weapons=[{"damage": "1d6"}, {"damage": "1d6", "hand": "two"} | own], **keys).derive().plan.steps
    for a, b in ((first_line, second_line), (sheet_lines[0].variants[0], sheet_lines[1].variants[0])):
        assert (a.check.threat_from, a.check.dice, written(a, 1)) == (19, 2, ["0+2 physical"])
        assert (b.check.threat_from, b.check.dice, written(b, 1)) == (20, 1, [])
        assert a.on[2][0].parts[0].rolls[0].dice[0].at_least == 2
        assert b.on[2][0].parts[0].rolls[0].dice[0] == Die(sides=6)
    assert written(first_line, 2) == ["1d6r2>=2+0 physical", "0+1 fire"]
    assert written(second_line, 2) == ["1d6+10 physical", "0+1 cold", "0+1 fire"]


# -- as a whole ------------------------------------------------------------------------------------------------------------------------------------------


def test_more_is_never_less():
    """A law per option: none of these makes a round worse."""
    base = block("+6/+6", "2d6+3 slashing", extra="1d6")
    better: list[dict[str, Any]] = [
        {"advantage": "advantage"}, {"advantage": "elven accuracy"}, {"lucky": True}, {"attack_dice": "1d4"}, {"critical": "19-20"}, {"graze": 3},
        {"great_weapon_fighting": True}, {"minimum_die": 3}, {"savage_attacker": True}, {"once_per_turn": "1d6"}, {"smite": "1d8"}, {"critical_extra": "1d6"},
        {"rules": {"critical_range_hits": True}},
    ]  # fmt: skip
    table = analyzer.curve(base, "5:30").dpr
    for change in better:
        assert (analyzer.curve(base.but(**change), "5:30").dpr >= table - 1e-12).all(), change


@pytest.mark.parametrize("name", [n for n in examples.names() if n.startswith("dnd5e")])
def test_examples_replay_through_the_plan(name):
    scenario = loads(examples.text(name))
    for build in scenario.builds:
        derived = build.derive(scenario.target)
        follow(derived.plan, derived.target, derived.target.ac[0], trials=300)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "small").glob("dnd5e*.toml")), ids=lambda path: path.stem)
def test_small_files_replay_through_the_plan(path):
    scenario = loads(path.read_text())
    for build in scenario.builds:
        derived = build.derive(scenario.target)
        follow(derived.plan, derived.target, derived.target.ac[0], trials=60)


def test_the_engines_agree_under_every_switch():
    scenario = loads(examples.text("dnd5e-switches"))
    for key, values in (
        ("edition", ("2014", "2024")),
        ("critical_range_hits", (False, True)),
        ("reroll_scope", ("weapon", "all")),
        ("take_better", ("roll", "die")),
    ):
        for value in values:
            found = analyzer.compare(scenario.but(rules={key: value}), [16, 21], trials=100_000, seed=5)
            assert found.verdict.agree, found.verdict


def test_sd_of_a_flat_attack():
    """10 points at 1/2: SD 5."""
    assert analyzer.curve(block(damage="10", critical="none"), 16).sd.iloc[0] == near(sqrt(25))
