"""Pathfinder 2: hand-worked numbers for each clause of its rules, on plans and on exact results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyzer import examples
from analyzer.exact import Round, evaluate
from analyzer.plan import Attack, Critical, Packets
from analyzer.scenario import Build, ScenarioError, loads, sheet, statblock, target
from analyzer.systems.pathfinder2 import attack_penalty, range_penalty
from tests.test_montecarlo import follow

GAME = "pathfinder2"
SMALL = sorted((Path(__file__).parent / "small").glob(f"{GAME}-*.toml"))
TOTAL = {"natural_shift": False}
#: A bonus and rules by which every attack is a critical.
CRITICAL: dict[str, Any] = {"attack": "+100", "rules": TOTAL}


def strike(attack: str = "+5", damage: str = "1d8", **keys: Any) -> Build:
    return statblock(attack, damage, system=GAME, name="x", **keys)


def character(**keys: Any) -> Build:
    weapon = {} if "weapons" in keys else {"weapon": {"damage": "1d8 slashing"}}
    return sheet(GAME, **({"level": 5, "name": "x"} | weapon | keys))


def attacks(build: Build, **keys: Any) -> list[Attack]:
    steps = build.derive(target(GAME, **keys)).plan.steps
    return [a for step in steps for a in step.variants if a is not None]


def first(build: Build, **keys: Any) -> Attack:
    return attacks(build, **keys)[0]


def played(build: Build, **keys: Any) -> Round:
    derived = build.derive(target(GAME, **keys))
    return evaluate(derived.plan, derived.target, [derived.target.ac[0]])


def mean(build: Build, **keys: Any) -> float:
    return float(played(build, **keys).dpr[0])


def of_hit(damage: str, *, immune: tuple[str, ...] = (), rules: dict[str, Any] | None = None, extra: Any = (), **keys: Any) -> float:
    """The mean damage of a hit."""
    return mean(strike("+100", damage, extra=extra, rules=TOTAL | (rules or {})), immune=["critical", *immune], **keys)


def degrees(build: Build, **keys: Any) -> list[float]:
    found: list[float] = played(build, **keys).attacks[0].degrees[0].tolist()
    return found


def twentieths(*counts: int, of: int = 20) -> Any:
    return pytest.approx([n / of for n in counts], rel=1e-12)


def written(packets: Packets) -> list[str]:
    """Each part of a single packet as text: scale, dice, minimum of the part, type."""
    (packet,) = packets
    out = []
    for part in packet.parts:
        (roll,) = part.rolls
        dice = "+".join(f"{d.count}d{d.sides}" for d in roll.dice)
        text = f"{roll.scale}x({dice or 0}{roll.flat:+d})" + (f">={part.minimum}" if part.minimum else "")
        out.append(f"{text} {part.type}" + (" precision" if roll.precision else ""))
    return out


# -- the check -------------------------------------------------------------------------------------------------------------------------------------------


def test_check():
    check = first(strike()).check
    assert (check.dice, check.ties_hit, check.auto_miss_to, check.auto_hit_from) == (1, True, 0, 21)
    assert (check.critical, check.margin, check.natural_shift) == (Critical.MARGIN, 10, True)
    assert not first(strike(rules=TOTAL)).check.natural_shift


@pytest.mark.parametrize(
    ("bonus", "ac", "counts"),
    [
        (10, 20, (1, 8, 10, 1)),  # 10 of 20 meets AC; a 20 totals 30 and a 1 totals 11
        (9, 20, (1, 9, 9, 1)),  # a 1 totals 10: a critical failure by the margin already; a 20 totals 29, a hit made a critical
        (8, 20, (2, 9, 8, 1)),
        (20, 20, (0, 1, 8, 11)),  # a 1 totals 21: a hit made a miss; 10 to 20 total 30 or more
        (30, 20, (0, 0, 1, 19)),  # a 1 totals 31: a critical made a hit
        (60, 20, (0, 0, 1, 19)),  # nothing is better than a critical
        (0, 20, (10, 9, 0, 1)),  # a 20 just hits, and is a critical
        (-1, 20, (11, 8, 1, 0)),  # a 20 totals 19: a miss made a hit
        (-9, 20, (19, 0, 1, 0)),  # a 20 totals 11: a miss made a hit
        (-10, 20, (19, 1, 0, 0)),  # a 20 totals 10: a critical failure made a miss
        (-60, 20, (19, 1, 0, 0)),
    ],
)
def test_degrees_by_margin_and_natural(bonus, ac, counts):
    assert degrees(strike(f"{bonus:+d}"), ac=ac) == twentieths(*counts)


@pytest.mark.parametrize(("bonus", "counts"), [(10, (0, 9, 10, 1)), (30, (0, 0, 0, 20)), (-1, (11, 9, 0, 0)), (-60, (20, 0, 0, 0))])
def test_degrees_by_the_total_alone(bonus, counts):
    assert degrees(strike(f"{bonus:+d}", rules=TOTAL), ac=20) == twentieths(*counts)


def test_fortune_and_misfortune():
    """+10 against AC 20: the better of two d20 is a 20 in 39 of 400 pairs, 10 or more in 319, a 1 in one."""
    assert degrees(strike("+10", fortune="fortune"), ac=20) == twentieths(1, 80, 280, 39, of=400)
    assert degrees(strike("+10", fortune="misfortune"), ac=20) == twentieths(39, 240, 120, 1, of=400)
    assert {a.check.dice for a in attacks(character(fortune="misfortune", attacks=2))} == {2}


# -- the multiple attack penalty -------------------------------------------------------------------------------------------------------------------------


def test_attack_penalty():
    assert [attack_penalty(n) for n in range(5)] == [0, -5, -10, -10, -10]
    assert [attack_penalty(n, agile=True) for n in range(5)] == [0, -4, -8, -8, -8]


@pytest.mark.parametrize(
    ("keys", "bonuses"),
    [
        ({}, [12]),
        ({"attacks": 4}, [12, 7, 2, 2]),
        ({"attacks": 3, "agile": True}, [12, 8, 4]),
        ({"attacks": 0}, []),
        ({"attack": "+12/+9/+6"}, [12, 9, 6]),
    ],
)
def test_strikes_of_a_statblock(keys, bonuses):
    assert [a.bonus for a in attacks(strike(**({"attack": "+12"} | keys)))] == bonuses


def test_bonuses_of_several_weapons_are_final():
    text = (
        f'system = "{GAME}"\n[[build]]\nextra = "1 fire"\nweapons = [{{ name = "a", attack = "+9/+4", damage = "1d8" }}, {{ attack = "+3", damage = "1d4" }}]'
    )
    made = attacks(loads(text).builds[0])
    assert [(a.label, a.bonus) for a in made] == [("a", 9), ("a", 4), ("weapon 2", 3)]
    assert written(made[2].on[2]) == ["1x(1d4+0) physical", "1x(0+1) fire"]


def test_strikes_of_a_sheet_count_all_weapons():
    weapons = [{"name": "sword", "damage": "1d8"}, {"name": "fist", "damage": "1d4", "agile": True}]
    named = character(weapons=weapons, strikes=["fist", "sword", "fist", "fist"])
    assert [(a.label, a.bonus) for a in attacks(named)] == [("fist", 7), ("sword", 2), ("fist", -1), ("fist", -1)]
    assert [(a.label, a.bonus) for a in attacks(character(weapons=weapons))] == [("sword", 7), ("fist", 3)]
    assert [a.bonus for a in attacks(character(attacks=3))] == [7, 2, -3]
    assert attacks(character(weapons=weapons, strikes=[])) == []


# -- damage ----------------------------------------------------------------------------------------------------------------------------------------------


def test_a_critical_doubles_one_roll():
    """2 x (1d8+4): mean 17 and variance 4 x 63/12 = 21; two dice and 8 have the same mean and half of that variance."""
    one = first(strike(damage="1d8+4 slashing", extra=["1d6 fire", "2d6 precision"]))
    extra = ["1x(1d6+0) fire", "1x(2d6+0) slashing precision"]
    assert written(one.on[2]) == ["1x(1d8+4) slashing", *extra]
    assert written(one.on[3]) == ["2x(1d8+4) slashing", "2x(1d6+0) fire", "2x(2d6+0) slashing precision"]
    assert one.on[0] == one.on[1] == ()
    for doubling, variance in (("double", 21), ("dice", 10.5)):
        found = played(strike("+100", "1d8+4", rules=TOTAL | {"critical_doubling": doubling}))
        assert (found.dpr[0], found.sd[0] ** 2) == (pytest.approx(17, rel=1e-12), pytest.approx(variance, rel=1e-12))
    turned = first(strike(damage="1d8-1d4+1", extra=["1d6+1 fire"], rules={"critical_doubling": "dice"}))
    assert written(turned.on[3]) == ["1x(2d8+2d4+2) physical", "1x(2d6+2) fire"]
    assert [d.sign for d in turned.on[3][0].parts[0].rolls[0].dice] == [1, -1]


@pytest.mark.parametrize(("striking", "dice"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_deadly(striking, dice):
    one = first(strike(damage="2d6+3 piercing", deadly="d8", striking=striking, critical_extra=["1d4 fire", "1"]))
    assert written(one.on[2]) == ["1x(2d6+3)>=1 piercing"]
    assert written(one.on[3]) == ["2x(2d6+3) piercing", f"1x({dice}d8+0) piercing", "1x(1d4+0) fire", "1x(0+1) piercing"]
    derived = first(character(weapon={"damage": "1d6 piercing", "deadly": "d8", "striking": striking}))
    assert written(derived.on[3]) == [f"2x({1 + striking}d6+0) piercing", f"1x({dice}d8+0) piercing"]


def test_fatal():
    """2d6+4 with fatal d10: 2 x (2d10+4) + 1d10 = 30 + 5.5."""
    one = first(strike(damage="2d6+4", fatal="d10", deadly="d8"))
    assert written(one.on[2]) == ["1x(2d6+4)>=1 physical"]
    assert written(one.on[3]) == ["2x(2d10+4) physical", "1x(1d10+0) physical", "1x(1d8+0) physical"]
    assert mean(strike(damage="2d6+4", fatal="d10", **CRITICAL)) == pytest.approx(35.5, rel=1e-12)
    dice = first(strike(damage="2d6+4", fatal="d10", rules={"critical_doubling": "dice"}))
    assert written(dice.on[3]) == ["1x(4d10+8) physical", "1x(1d10+0) physical"]


def test_splash_and_damage_of_a_failure():
    one = first(strike(damage="1d6 fire", splash=2, miss_damage=3))
    assert one.on[0] == ()
    assert written(one.on[1]) == ["1x(0+3) fire", "1x(0+2) fire"]
    assert written(one.on[2]) == ["1x(1d6+0) fire", "1x(0+2) fire"]
    assert written(one.on[3]) == ["2x(1d6+0) fire", "1x(0+2) fire"]
    assert written(first(strike(damage="1d6", splash="1d4 acid")).on[1]) == ["1x(1d4+0) acid"]
    # splash and direct damage meet weakness and resistance together: 1 + 2 - 2 on a hit, 2 - 2 on a failure
    assert mean(strike("+100", "1 acid", splash=2, rules=TOTAL), resistance={"acid": 2}, immune="critical") == pytest.approx(1, rel=1e-12)
    assert mean(strike("+0", "1 acid", splash=2, rules=TOTAL), ac=20, resistance={"acid": 2}) == pytest.approx(1 / 20, rel=1e-12)


def test_minimum():
    assert written(first(strike(damage="1d4-6")).on[3]) == ["2x(1d4-6)>=1 physical"]
    assert written(first(strike(damage="1d4-6", rules={"minimum": "none"})).on[3]) == ["2x(1d4-6) physical"]
    assert mean(strike(damage="1d4-6", **CRITICAL)) == pytest.approx(1, rel=1e-12)
    assert of_hit("1d4-6") == pytest.approx(1, rel=1e-12)
    assert of_hit("1d4-6", rules={"minimum": "none"}) == 0
    # in all: fire that is always dealt is enough, fire that is never dealt is not
    assert written(first(strike(damage="1d4-6", extra=["1d6 fire"])).on[2]) == ["1x(1d4-6) physical", "1x(1d6+0) fire"]
    assert written(first(strike(damage="1d4-6", extra=["0 fire"])).on[2]) == ["1x(1d4-6)>=1 physical", "1x(0+0) fire"]
    sneak = strike(damage="1d4-6", extra=["1d6 precision"])
    assert written(first(sneak).on[2]) == ["1x(1d4-6) physical", "1x(1d6+0) physical precision"]
    assert written(first(sneak, immune=["precision"]).on[2])[0] == "1x(1d4-6)>=1 physical"
    assert of_hit("1d4-6", extra=["1d6 precision"], immune=("precision",)) == pytest.approx(1, rel=1e-12)


def test_a_minimum_that_a_plan_cannot_say_is_refused():
    unsure = strike(damage="1d4-2", extra=["1d4-2 fire"])
    with pytest.raises(ScenarioError, match=r"extra: extra must be damage that is never 0, or always, .*minimum = 'none'\); got 0 to 2 fire"):
        unsure.derive()
    assert of_hit("1d4-2", extra=["1d4-2 fire"], rules={"minimum": "none"}) == pytest.approx(1.5, rel=1e-12)
    first(strike(damage="1d4", extra=["1d4-2 fire"]))


# -- the target ------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "ac"),
    [
        ({}, 10),
        ({"ac": 21}, 21),
        ({"ac": 21, "off_guard": True}, 19),
        ({"ac": 21, "cover": "lesser"}, 22),
        ({"ac": 21, "cover": "standard"}, 23),
        ({"ac": 21, "cover": "greater", "off_guard": True}, 23),
    ],
)
def test_armor_class(keys, ac):
    assert strike().derive(target(GAME, **keys)).target.ac == (ac,)


def test_flat_checks():
    faced = {name: strike().derive(target(GAME, **dict.fromkeys(name.split(), True))).target.miss for name in ("concealed", "hidden", "concealed hidden")}
    assert faced == {"concealed": (4, 20), "hidden": (10, 20), "concealed hidden": (10, 20)}
    assert of_hit("5", concealed=True) == pytest.approx(4, rel=1e-12)
    assert of_hit("5", hidden=True) == pytest.approx(2.5, rel=1e-12)
    for keys in ({"splash": 1}, {"miss_damage": 1}):
        with pytest.raises(ScenarioError, match=r"^target\.concealed: concealed must be false with splash or miss_damage: .*got concealed = true"):
            strike(**keys).derive(target(GAME, concealed=True))
        strike(**keys).derive(target(GAME, miss_chance=20))


def test_resistance_to_all_is_taken_off_each_type():
    """The rules' own example: 7 slashing and 4 fire against resistance 5 to all damage leave 2."""
    assert of_hit("7 slashing", extra=["4 fire"], resistance={"all": 5}) == pytest.approx(2, rel=1e-12)
    assert of_hit("7 slashing", extra=["4 fire", "9 piercing"], resistance={"physical": 5}) == pytest.approx(10, rel=1e-12)
    assert of_hit("7 slashing", extra=["9 eldritch"], resistance={"all": 5}) == pytest.approx(6, rel=1e-12)


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ({}, 18),
        ({"weakness": {"fire": 5}}, 23),
        ({"weakness": {"cold": 5}}, 18),
        ({"weakness": {"fire": 5}, "resistance": {"fire": 8}}, 15),
        ({"weakness": {"fire": 5}, "resistance": {"fire": 20}}, 12),
        ({"resistance": {"slashing": 5}}, 13),
        ({"resistance": {"slashing": 1, "physical": 4, "all": 2}}, 8 + 4),
        ({"weakness": {"slashing": 1, "physical": 3}}, 21),
        ({"immune": ["fire"], "weakness": {"fire": 9}}, 12),
        ({"immune": ["physical"]}, 6),
        ({"immune": ["precision"], "resistance": {"slashing": 5}}, 5 + 6),
        ({"immune": ["precision"], "resistance": {"slashing": 9}}, 1 + 6),
        ({"resistance": {"slashing": 2}, "reduction": {"physical": 3, "all": 1}}, 7 + 6 - 1),
    ],
)
def test_immunity_weakness_resistance(keys, left):
    """7 slashing, 2 precision and 3 without a type that slash too, and 6 fire: what is of one type is one sum, here 12 and 6."""
    keys = keys | {"immune": tuple(keys.get("immune", ()))}
    assert of_hit("7 slashing", extra=["2 precision", "6 fire", "3"], **keys) == pytest.approx(left, rel=1e-12)


def test_immunity_to_criticals_takes_the_doubling_only():
    """Player Core 408: normal damage instead of double; the other effects of a critical stay, and it counts as one."""
    build = strike(damage="5", deadly="d8", **CRITICAL)
    assert mean(build) == pytest.approx(14.5, rel=1e-12)
    assert mean(build, immune="critical") == pytest.approx(9.5, rel=1e-12)
    assert degrees(build, immune="critical") == [0, 0, 0, 1]
    for doubling in ("double", "dice"):
        one = strike(damage="1d8+2", fatal="d12", extra=["1"], critical_extra=["2 fire"], rules={"critical_doubling": doubling})
        assert written(first(one, immune="critical").on[3]) == [
            "1x(1d12+2) physical",
            "1x(0+1) physical",
            "1x(1d12+0) physical",
            "1x(0+2) fire",
        ]
    told = {(line.name, line.value): line.rule for line in build.derive(target(GAME, immune="critical")).lines}
    assert "not doubled" in told["weapon damage", "5"]
    assert told["immune", "critical"].startswith("a critical's damage is not doubled")


# -- the sheet -------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "weapon", "bonus"),
    [
        ({}, {}, 7),
        ({"proficiency": "untrained"}, {}, 0),
        ({"proficiency": "expert"}, {}, 9),
        ({"proficiency": "master"}, {}, 11),
        ({"proficiency": "legendary"}, {}, 13),
        ({"proficiency": "legendary"}, {"proficiency": "untrained"}, 0),
        ({"level": 0}, {}, 2),
        ({"abilities": {"strength": 18}}, {}, 11),
        ({"modifiers": {"strength": 4}}, {"kind": "ranged", "range": 60}, 7),
        ({"modifiers": {"dexterity": 4}}, {"kind": "ranged", "range": 60}, 11),
        ({"modifiers": {"dexterity": 4, "strength": 1}}, {"kind": "thrown", "range": 10}, 11),
        ({"modifiers": {"dexterity": 4, "strength": 1}}, {"finesse": True}, 11),
        ({"modifiers": {"dexterity": 1, "strength": 4}}, {"finesse": True}, 11),
        ({"modifiers": {"dexterity": 4}}, {}, 7),
        ({}, {"potency": 2}, 9),
        ({"attack_bonuses": {"heroism": 1, "frightened": -2}}, {"potency": 1}, 7),
    ],
)
def test_attack_bonus(keys, weapon, bonus):
    assert first(character(**keys, weapon={"damage": "1d8"} | weapon)).bonus == bonus


@pytest.mark.parametrize(
    ("strength", "weapon", "text"),
    [
        (4, {}, "1x(1d8+4)>=1 physical"),
        (-2, {}, "1x(1d8-2)>=1 physical"),
        (4, {"finesse": True}, "1x(1d8+4)>=1 physical"),
        (4, {"kind": "thrown", "range": 10}, "1x(1d8+4)>=1 physical"),
        (4, {"kind": "ranged", "range": 60}, "1x(1d8+0)>=1 physical"),
        (-2, {"kind": "ranged", "range": 60}, "1x(1d8+0)>=1 physical"),
        (3, {"kind": "ranged", "range": 60, "propulsive": True}, "1x(1d8+1)>=1 physical"),
        (-3, {"kind": "ranged", "range": 60, "propulsive": True}, "1x(1d8-3)>=1 physical"),
        (1, {"specialization": 3, "striking": 2}, "1x(3d8+4)>=1 physical"),
        (0, {"damage": "1 piercing", "striking": 2}, "1x(0+1)>=1 piercing"),
        (0, {"damage": "1d6+1 fire", "striking": 1}, "1x(2d6+1)>=1 fire"),
    ],
)
def test_weapon_damage(strength, weapon, text):
    assert written(first(character(modifiers={"strength": strength, "dexterity": 6}, weapon={"damage": "1d8"} | weapon)).on[2]) == [text]


def test_entries_of_a_sheet_in_order():
    flask = {"damage": "1d6 acid", "kind": "thrown", "range": 20, "splash": 1, "extra": ["1d4 fire"], "critical_extra": ["2"]}
    one = first(character(modifiers={"strength": 4}, weapon=flask, extra=["1d6 precision"], critical_extra=["3 cold"], damage_bonuses={"spell": 1}))
    hit = ["1x(1d6+1) acid", "1x(1d4+0) fire", "1x(1d6+0) acid precision"]  # splash weapons add no Strength
    assert written(one.on[2]) == [*hit, "1x(0+1) acid"]
    doubled = [text.replace("1x", "2x", 1) for text in hit]
    assert written(one.on[3]) == [*doubled, "1x(0+2) acid", "1x(0+3) cold", "1x(0+1) acid"]


def test_range_and_reach():
    assert [range_penalty(feet, 30) for feet in (0, 30, 31, 60, 61, 180)] == [0, 0, -2, -2, -4, -10]
    bow = character(weapon={"damage": "1d6", "kind": "ranged", "range": 60})
    assert [first(bow, distance=feet).bonus for feet in (5, 60, 61, 360)] == [7, 7, 5, -3]
    with pytest.raises(ScenarioError, match=r"weapon\.range: range must allow the distance .*361 feet; got 60 feet an increment, 360 feet at most"):
        first(bow, distance=361)
    whip = character(weapon={"damage": "1d4", "reach": 10})
    assert first(whip, distance=10).bonus == 7
    with pytest.raises(ScenarioError, match=r"reach must be at least the distance to the target, 15 feet; got 10: out of reach"):
        first(whip, distance=15)


# -- what is played --------------------------------------------------------------------------------------------------------------------------------------

FILES = [*(pytest.param(path.read_text(encoding="utf-8"), id=path.stem) for path in SMALL)]
FILES += [pytest.param(examples.text(name), id=name) for name in examples.names() if examples.system(name) == GAME]


@pytest.mark.parametrize("text", FILES)
def test_traces_replay_through_the_plan(text):
    scenario = loads(text)
    for build in scenario.builds:
        for ac in (6, 17):
            derived = build.derive(scenario.target, ac)
            follow(derived.plan, derived.target, ac, trials=150)


@pytest.mark.parametrize("name", [name for name in examples.names() if examples.system(name) == GAME])
def test_more_ac_never_helps(name):
    scenario = loads(examples.text(name))
    for build in scenario.builds:
        derived = build.derive(scenario.target)
        found = evaluate(derived.plan, derived.target, range(-10, 50)).dpr
        assert (found[1:] <= found[:-1] + 1e-12).all()
