"""Laws every game obeys, over random statblocks, switches and targets of every system there is; and the extremes with their values."""

from functools import cache
from itertools import pairwise
from typing import Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import ScenarioError, compare, curve, sheet, statblock
from analyzer.systems import systems

SYSTEMS = sorted(systems())
ACS = (-100, *range(-5, 45, 3), 1000)
#: What a criticals' key may hold; a game that has the key draws those it accepts.
CRITICAL_KEYS = {
    "critical": ["20/x2", "19-20/x2", "18-20/x3", "15-20", "x4", "20/x1", "2-20/x2", "20", "18-20", "2-20", "none"],
    "critical_extra": [(), ("1d10",), ("1d4 fire", "2")],
    "multipliers": [(), (2,), (2, 3)],
    "critical_adds": ["1d6", "2 fire"],
    "critical_effect": ["burn", "severe wound"],
}
#: Rounding of sums of chances and damages.
NEAR = 1e-9


def switches(rules):
    """Every switch at some value."""
    values = {key: st.booleans() if field.annotation is bool else st.sampled_from(get_args(field.annotation)) for key, field in rules.model_fields.items()}
    return st.fixed_dictionaries({}, optional=values)


@cache
def accepted(system, key):
    """The values of a criticals' key that a statblock of the game takes: none where it has no such key."""
    return [value for value in CRITICAL_KEYS[key] if key in systems()[system].Statblock.model_fields and takes(system, key, value)]


def takes(system, key, value):
    """Whether a statblock of the game may say this."""
    try:
        statblock("+5", "1d6", system=system, **{key: value})
    except ScenarioError:
        return False
    return True


@st.composite
def rounds(draw, system, lowest_damage=-4):
    """A statblock of the game with the keys of a target to go with it."""
    game = systems()[system]
    keys = {key: draw(st.sampled_from(values)) for key in CRITICAL_KEYS if (values := accepted(system, key)) and draw(st.booleans())}
    build = statblock(
        draw(st.lists(st.integers(-10, 35), min_size=1, max_size=4)),
        f"{draw(st.integers(0, 3))}d{draw(st.sampled_from([2, 4, 6, 12]))}{draw(st.integers(lowest_damage, 12)):+d}",
        extra=draw(st.sampled_from([(), ("1d6",), ("1d6 fire", "2d4 precision"), ("3 cold",)])),
        name="b",
        system=system,
        rules=draw(switches(game.Rules)),
        **keys,
    )
    target = {
        "miss_chance": draw(st.sampled_from([0, 0, 20, 50])),
        "reduction": draw(st.sampled_from([{}, {"physical": 5}, {"all": 3}, {"fire": "immune", "physical": 2}])),
        "immune": draw(st.sampled_from([(), ("critical",), ("precision",)])),
    }
    return build, target


every_system = pytest.mark.parametrize("system", SYSTEMS)
few = settings(max_examples=60, deadline=None)


def falls(values, tolerance=NEAR):
    """Whether no value is above the one before it."""
    return all(later <= earlier + tolerance for earlier, later in pairwise(values))


def test_switches_are_drawn_from_their_own_values():
    """The strategy knows the two kinds of switches there are; a third would need it to learn."""
    for game in systems().values():
        for field in game.Rules.model_fields.values():
            assert field.annotation is bool or get_origin(field.annotation) is Literal


@every_system
def test_every_criticals_key_of_a_game_is_drawn_with_more_than_one_value(system):
    """A game that takes none of the values of a key it has, or one alone, needs others of its own form among them."""
    for key in CRITICAL_KEYS.keys() & systems()[system].Statblock.model_fields.keys():
        assert len(accepted(system, key)) > 1, key


@every_system
@few
@given(data=st.data())
def test_chances_are_chances_and_the_distribution_is_one(system, data):
    build, target = data.draw(rounds(system))
    frame = curve(build, ACS, target=target)
    by_attack = curve(build, ACS, target=target, by="attack")
    for column in ("any_hit", "any_crit", "no_damage"):
        assert frame[column].between(0, 1).all()
    for column in ("hit_chance", "threat_chance", "crit_chance"):
        assert by_attack[column].between(0, 1).all()
    assert (frame.filter(regex="^any_").to_numpy() <= 1).all()
    assert np.abs(frame.pmf.sum(axis=1) - 1).max() < 1e-12
    assert (frame.pmf >= 0).all()
    totals = np.arange(frame.pmf.shape[1])
    assert frame.pmf @ totals == pytest.approx(frame["dpr"].to_numpy(), rel=1e-9, abs=NEAR)
    assert np.sqrt(np.maximum(frame.pmf @ totals**2.0 - (frame.pmf @ totals) ** 2, 0)) == pytest.approx(frame["sd"].to_numpy(), rel=1e-6, abs=1e-4)
    assert frame.pmf[:, 0] == pytest.approx(frame["no_damage"].to_numpy(), rel=1e-9, abs=1e-12)


@every_system
@few
@given(data=st.data())
def test_what_is_part_of_something_is_not_more(system, data):
    build, target = data.draw(rounds(system))
    frame = curve(build, ACS, target=target)
    by_attack = curve(build, ACS, target=target, by="attack")
    sums = by_attack.groupby("ac", sort=False)[["hit_chance", "crit_chance", "mean"]].sum()
    assert (by_attack["crit_chance"] <= by_attack["threat_chance"] + NEAR).all()
    assert (by_attack["crit_chance"] <= by_attack["hit_chance"] + NEAR).all()
    if not target["miss_chance"]:
        assert (by_attack["threat_chance"] <= by_attack["hit_chance"] + NEAR).all()
    assert (frame["any_hit"] <= frame["hits"] + NEAR).all()
    assert (frame["any_crit"] <= frame["crits"] + NEAR).all()
    assert (frame["crits"] <= frame["hits"] + NEAR).all()
    assert (frame["no_damage"] >= 1 - frame["any_hit"] - NEAR).all()
    assert frame["hits"].to_numpy() == pytest.approx(sums["hit_chance"].to_numpy(), abs=NEAR)
    assert frame["crits"].to_numpy() == pytest.approx(sums["crit_chance"].to_numpy(), abs=NEAR)
    assert frame["dpr"].to_numpy() == pytest.approx(sums["mean"].to_numpy(), rel=1e-9, abs=NEAR)


@every_system
@few
@given(data=st.data())
def test_more_armor_never_hurts_the_target(system, data):
    """Damage bonuses are 0 or more: where a minimum of 1 holds for a whole hit, a critical of a penalized weapon can be the weaker blow."""
    build, target = data.draw(rounds(system, lowest_damage=0))
    acs = range(-10, 50)
    frame = curve(build, acs, target=target)
    assert falls(frame["dpr"])
    assert falls(frame["hits"])
    assert falls(frame["any_hit"])
    for _, rows in curve(build, acs, target=target, by="attack").groupby("attack"):
        assert falls(rows["hit_chance"])
        assert falls(rows["mean"])


@every_system
@few
@given(data=st.data())
def test_a_point_more_never_hurts_the_attacker(system, data):
    build, target = data.draw(rounds(system))
    plain = curve(build, ACS, target=target)
    assert (curve(build.but(damage=+1), ACS, target=target)["dpr"] >= plain["dpr"] - NEAR).all()
    higher = curve(build.but(attack=+1), ACS, target=target, by="attack")
    assert (higher["hit_chance"] >= curve(build, ACS, target=target, by="attack")["hit_chance"] - NEAR).all()


@every_system
@few
@given(data=st.data())
def test_a_point_of_attack_is_a_point_of_armor(system, data):
    build, target = data.draw(rounds(system))
    acs = np.arange(5, 30)
    figures = ["dpr", "sd", "hits", "crits", "any_hit", "any_crit", "no_damage"]
    moved = curve(build.but(attack=+7), acs + 7, target=target)
    assert moved[figures].to_numpy() == pytest.approx(curve(build, acs, target=target)[figures].to_numpy(), rel=1e-12, abs=1e-12)


@every_system
@few
@given(data=st.data())
def test_protection_protects(system, data):
    build, target = data.draw(rounds(system))
    dpr = curve(build, ACS, target=target)["dpr"]
    for more in ({"miss_chance": min(target["miss_chance"] + 30, 100)}, {"reduction": {**target["reduction"], "all": 20}}, {"immune": ("precision",)}):
        if more.get("immune") and target["immune"]:
            continue
        assert (curve(build, ACS, target=target | more)["dpr"] <= dpr + NEAR).all()


@every_system
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_the_simulation_agrees_whatever_is_played(system, data):
    build, target = data.draw(rounds(system))
    for by in ("round", "attack"):
        verdict = compare(build, (-100, 12, 20, 28, 1000), target=target, trials=20_000, seed=1, by=by).verdict
        assert verdict.agree, verdict


# -- extremes ------------------------------------------------------------------------------------------------------------------------------------------

#: Games whose natural 20 hits and natural 1 misses, and at default switches the chance that an attack no other die can make is a critical.
HOPELESS = {"d20": 0.0, "core": 0.05, "starfinder": 0.0}
#: What a critical adds to a weapon's damage, at default.
DOUBLING = {"d20": 1, "core": 0, "starfinder": 1}
natural = pytest.mark.parametrize("system", HOPELESS)


@natural
@pytest.mark.parametrize(("bonus", "ac"), [(5, 1000), (-50, 10), (-1000, 1000)])
def test_out_of_reach_only_a_natural_20_hits(system, bonus, ac):
    (row,) = curve(statblock(bonus, "1d6", system=system), ac, by="attack").to_dict("records")
    assert row["hit_chance"] == pytest.approx(0.05, rel=1e-12)
    assert row["crit_chance"] == pytest.approx(HOPELESS[system], rel=1e-12)
    assert row["mean"] == pytest.approx(0.05 * 3.5, rel=1e-12)


@natural
@pytest.mark.parametrize(("bonus", "ac"), [(5, -100), (200, 10), (1000, -1000)])
def test_sure_of_it_only_a_natural_1_misses(system, bonus, ac):
    """The critical roll of d20 counts by its total only: it cannot fail here, not even on a 1."""
    (row,) = curve(statblock(bonus, "1d6", system=system), ac, by="attack").to_dict("records")
    assert row["hit_chance"] == pytest.approx(0.95, rel=1e-12)
    assert row["crit_chance"] == pytest.approx(0.05, rel=1e-12)


@every_system
def test_reduction_beyond_all_damage(system):
    frame = compare(statblock("+10/+5", "2d6+3", extra=["1d6 fire"], system=system), "10:12", target={"reduction": {"all": 10_000}}, trials=5000, seed=1)
    assert (frame["dpr"] == 0).all()
    assert (frame["sd"] == 0).all()
    assert (frame["no_damage"] == 1).all()
    assert (frame["dpr_mc"] == 0).all()
    assert (frame["no_damage_mc"] == 1).all()
    assert frame[["dpr_z", "no_damage_z", "no_damage_se"]].isna().all().all()
    assert (frame["hits"] > 0.5).all()
    assert frame.pmf == pytest.approx(np.ones((3, 1)), abs=1e-12)
    assert frame.verdict.agree


@natural
def test_a_weapon_without_dice(system):
    """Five points a hit, and as many again on a critical where the game doubles."""
    frame = compare(statblock("+10", "5", system=system), 15, trials=100_000, seed=1)
    (row,) = frame.to_dict("records")
    assert row["dpr"] == pytest.approx(5 * (row["hits"] + DOUBLING[system] * row["crits"]), rel=1e-12)
    assert set(np.flatnonzero(frame.pmf[0])) == {0, 5, 5 * (1 + DOUBLING[system])}
    assert frame.verdict.agree


@natural
def test_a_weapon_that_deals_nothing(system):
    """A damage of 0 is 1 where each roll is at least 1, and 0 in the core rules."""
    (row,) = curve(statblock("+10", "0", system=system), 15).to_dict("records")
    assert row["dpr"] == pytest.approx(0 if system == "core" else row["hits"] + row["crits"], rel=1e-12)


@every_system
def test_nothing_but_fog(system):
    frame = compare(statblock("+10", "1d6", system=system), 15, target={"miss_chance": 100}, trials=5000, seed=1)
    assert (frame[["dpr", "sd", "hits", "crits", "any_hit", "any_crit"]] == 0).all().all()
    assert frame.verdict.agree
    assert frame.pmf.tolist() == [[1.0]]


def test_rounds_without_attacks():
    idle = [sheet("core", proficiency_bonus=2, name="idle"), statblock("+5", "1d6", attacks=0, system="core", name="none")]
    idle_starfinder = sheet("starfinder", bab=2, full_attack=True, attacks=0, weapon={"damage": "1d6"}, name="dazed")
    for builds in (idle, idle_starfinder):
        frame = compare(builds, (-100, 1000), trials=1000, seed=1)
        assert (frame[["dpr", "sd", "hits", "crits", "any_hit", "any_crit", "dpr_mc"]] == 0).all().all()
        assert (frame[["no_damage", "no_damage_mc"]] == 1).all().all()
        assert frame.verdict.agree


@every_system
def test_a_long_round(system):
    """64 attacks: the distribution is still one and the chances still chances."""
    frame = compare(statblock([10] * 64, "1d6", system=system), 20, trials=20_000, seed=1)
    (row,) = frame.to_dict("records")
    one = curve(statblock("+10", "1d6", system=system), 20).to_dict("records")[0]
    assert row["dpr"] == pytest.approx(64 * one["dpr"], rel=1e-12)
    assert row["sd"] == pytest.approx(8 * one["sd"], rel=1e-12)
    assert row["any_hit"] == pytest.approx(1 - (1 - one["any_hit"]) ** 64, rel=1e-12)
    assert frame.pmf.sum() == pytest.approx(1, abs=1e-12)
    assert frame.verdict.agree
