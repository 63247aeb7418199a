"""Public cases of Starfinder with exact values, by their id in the collection, through the public interface.

Sources: B07 https://info.hephaistos.online/tactical-rules/combat-basics/damage; H01 https://www.aonsrd.com/WeaponCriticals.aspx?ItemName=Mutation and
https://paizo.com/threads/rzs2uk5c; H05 https://charts.autokey.ca/8bj10w0g/page.php?id=27fca6-starfinder-full-attack-penalty; H06
github.com/foundryvtt-starfinder/foundryvtt-starfinder, issue 1729.
"""

from fractions import Fraction

import pytest

from analyzer import curve, statblock

H01 = {22: ("1/10", "1/20", "39/40"), 23: ("1/20", "1/20", "13/20"), 24: ("1/20", "0", "13/40"), 30: ("1/20", "0", "13/40"), 4: ("19/20", "1/20", "13/2")}
#: Needed roll of the single attack: DPR of a single attack, and of two at -4, in mean damages of one hit.
H05 = {
    2: ("1", "8/5"), 10: ("3/5", "4/5"), 13: ("9/20", "1/2"), 14: ("2/5", "2/5"), 15: ("7/20", "3/10"),
    17: ("1/4", "1/10"), 18: ("1/5", "1/10"), 20: ("1/10", "1/10"), 21: ("1/20", "1/10"), 24: ("1/20", "1/10"),
}  # fmt: skip


def exactly(fraction):
    return pytest.approx(float(Fraction(fraction)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("ac", H01)
def test_h01_a_natural_20_below_ac_hits_without_a_critical(ac):
    (found,) = curve(statblock("+3", "1d8+2", system="starfinder"), ac, by="attack").to_dict("records")
    assert (found["hit_chance"], found["crit_chance"], found["mean"]) == tuple(map(exactly, H01[ac]))


@pytest.mark.parametrize("need", H05)
def test_h05_full_attack_or_single_attack(need):
    single, full = statblock("+0", "10", system="starfinder", name="single"), statblock("-4/-4", "10", system="starfinder", name="full")
    found = curve([single, full], need)["dpr"] / 10
    assert tuple(found) == tuple(map(exactly, H05[need]))


def test_h05_where_the_full_attack_is_better():
    single, full = statblock("+0", "10", system="starfinder", name="single"), statblock("-4/-4", "10", system="starfinder", name="full")
    by_need = curve([single, full], range(2, 27)).pivot(index="ac", columns="build", values="dpr")
    better = by_need.index[by_need["full"] > by_need["single"] + 1e-9]
    assert list(better) == [*range(2, 14), *range(21, 27)]


def test_h06_a_natural_1_misses():
    (found,) = curve(statblock("+15", "1", system="starfinder"), 10, by="attack").to_dict("records")
    assert (found["hit_chance"], found["crit_chance"]) == (exactly("19/20"), exactly("1/20"))


def test_b07_doubling_twice_is_three_rolls():
    """Starfinder has no stacking multipliers of its own; the rule is the one of its family, which `srd35` plays."""
    build = statblock("+30", "1d10+4", critical="none", multipliers=[2, 2], system="srd35")
    (found,) = curve(build, 10, by="attack").to_dict("records")
    assert found["mean"] / found["hit_chance"] == exactly("57/2")
