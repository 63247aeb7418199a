"""Public cases about D&D 5e, by id: numbers people published or argued over, their exact values as fractions, reproduced through `analyzer`.

Inputs and values are those of the collection of public cases, restated there in its own words; ``SOURCES`` says where each was met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

import pytest

import analyzer

SOURCES = {
    "J01": "https://rpg.stackexchange.com/questions/47172/how-much-damage-does-great-weapon-fighting-add-on-average/61778",
    "J03": "https://www.gameslearningsociety.org/wiki/what-is-the-average-of-2d6-with-great-weapon-fighting",
    "J04": "https://www.enworld.org/goto/post?id=6915778",
    "J06": "https://diceplots.com/concepts/great-weapon-master-breakeven",
    "J07": "github dwwaite/dpr_simulator docs/example_5e_barbarian.md",
    "J09": "https://www.dndbeyond.com/forums/dungeons-dragons-discussion/tips-tactics/88619-how-bad-is-the-champion-fighter-subclass?page=9",
    "J11": "github Chris-Slade/dnd-math math.md",
    "J13": "github dwwaite/dpr_simulator src/attackprofile.rs at d4d62c6",
    "J14": "http://nerdovore.com/2017/03",
    "J17": "github matteoferla/DnD-battler#9",
    "J18": "https://bg3.wiki/w/index.php?diff=next&oldid=161206&title=Advantage",
}
#: Cases no game here can express, and why.
NOT_EXPRESSIBLE = {
    "J15": "a total that is exactly AC deals half damage: a plan tells hits apart by degree, and an exact tie is no degree of its own",
}


def build(attack: str, damage: str, **keys: Any) -> Any:
    return analyzer.statblock(attack, damage, system="dnd5e", **keys)


def attack(one: Any, ac: int) -> dict[str, float]:
    """The figures of a build's first attack."""
    return dict(analyzer.curve(one, ac, by="attack").iloc[0])


def dpr(one: Any, ac: int) -> float:
    return float(analyzer.curve(one, ac).dpr.iloc[0])


def damage(dice: str, **keys: Any) -> float:
    """The mean damage of an ordinary hit."""
    found = attack(build("+10", dice, critical="none", **keys), 10)
    return found["mean"] / found["hit_chance"]


def fighting_style(*dice: str) -> dict[str, float]:
    return {f"mean_{d}": damage(d, great_weapon_fighting=True) for d in dice}


def power_at_need() -> dict[str, float]:
    """15 points a hit, the natural roll needed being 6, 8 and 9 without -5/+10; criticals are left out, their dice cancel."""
    off = build("+10", "15", critical="none")
    pairs = {"off": off, "on": off.but(power=True)}
    return {f"need{need}_{word}": dpr(one, 10 + need) for need in (6, 8, 9) for word, one in pairs.items()}


def break_even() -> dict[str, float]:
    """1d12+3 at +5: where -5/+10 wins, and where the difference, a straight line there, crosses zero."""
    off = build("+5", "1d12+3", critical="none")
    acs = range(10, 31)
    gain = dict(zip(acs, analyzer.curve(off.but(power=True), "10:30").dpr - analyzer.curve(off, "10:30").dpr, strict=True))
    last = next(ac for ac in acs if gain[ac] > 0 and gain[ac + 1] < 0)
    again = next(ac for ac in acs if ac > last and gain[ac] > 0)
    return {"highest_ac_where_on_wins": last, "on_wins_again_from_ac": again, "breakeven_ac": last + gain[last] / (gain[last] - gain[last + 1])}


def reckless() -> dict[str, float]:
    """Two or three attacks with advantage; -5/+10 from the numbers without it."""
    axe = build("+7/+7", "1d8+8", advantage="advantage")
    great = build("+7/+7", "2d6+6", advantage="advantage", power=True)
    axes = build("+6/+6/+6", "1d8+5", advantage="advantage")
    glaive = analyzer.loads(
        """
        system = "dnd5e"
        [[build]]
        advantage = "advantage"
        power = true
        weapons = [{ name = "blade", attack = "+6/+6", damage = "1d10+5" }, { name = "butt", attack = "+6", damage = "1d4+5" }]
        """
    ).builds[0]
    builds = {"oneh": axe, "gwm": great, "pam": glaive, "dwtwf": axes}
    return {f"{word}{ac}_mean_total": dpr(one, ac) for word, one in builds.items() for ac in (12, 14, 16, 18, 20)}


def champion() -> dict[str, float]:
    modes = {"normal": "none", "adv": "advantage"}
    found = {
        f"need{need}_{word}": attack(build("+9", "2d6", critical=f"{need}-20", advantage=mode), 10)["crit_chance"]
        for need in (20, 19)
        for word, mode in modes.items()
    }
    return found | {"champ_p_crit": attack(build("+9", "2d6", critical="19-20", advantage="advantage"), 10)["crit_chance"]}


def mean_face() -> dict[str, float]:
    """The mean of a d20 is the sum of its chances to show at least 1, 2, ... 20: hit chances at bonus 0."""
    found = {}
    for word, mode in {"adv": "advantage", "dis": "disadvantage"}.items():
        found[f"mean_{word}"] = 1 + float(analyzer.curve(build("+0", "1", advantage=mode), "2:20", by="attack").hit_chance.sum())
    return found


def natural_one() -> dict[str, float]:
    found = attack(build("+7", "1"), 8)
    return {"p_hit": found["hit_chance"], "p_crit": found["crit_chance"]}


def gap() -> dict[str, float]:
    """The gap of two d20 as a damage roll, 1d20 - 1d20, moved up by 20 so that no total is cut off."""
    pmf = analyzer.curve(build("+10", "1d20-1d20+20", critical="none"), 10).pmf[0] / 0.95
    return {f"P_diff{d}": float(pmf[20 + d] + pmf[20 - d]) / (1 if d else 2) for d in (19, 18, 10, 1, 0)}


def printed_averages() -> dict[str, float]:
    return {dice: floor(damage(dice) + 1e-9) for dice in ("4d12+10", "1d4")}


def savage() -> dict[str, float]:
    """What the better of two is worth over one roll."""

    def gain(dice: str, better: str) -> float:
        return damage(dice, savage_attacker=True, rules={"take_better": better}) - damage(dice)

    whole = {f"d{sides}": gain(f"1d{sides}", "roll") for sides in (4, 6, 8, 10, 12)}
    return whole | {"2d6_per_die": gain("2d6", "die"), "2d6_whole_roll": gain("2d6", "roll")}


CASES: dict[str, tuple[Callable[[], Mapping[str, float]], dict[str, str]]] = {
    "J01": (
        lambda: fighting_style("d4", "d6", "d8", "d10", "d12", "2d6", "2d4", "2d8"),
        {
            "mean_d4": "3", "mean_d6": "25/6", "mean_d8": "21/4", "mean_d10": "63/10", "mean_d12": "22/3",
            "mean_2d6": "25/3", "mean_2d4": "6", "mean_2d8": "21/2",
        },
    ),
    "J03": (lambda: fighting_style("d6", "2d6"), {"mean_d6": "25/6", "mean_2d6": "25/3"}),
    "J04": (power_at_need, {"need6_off": "45/4", "need6_on": "25/2", "need8_off": "39/4", "need8_on": "10", "need9_off": "9", "need9_on": "35/4"}),
    "J06": (break_even, {"highest_ac_where_on_wins": "16", "on_wins_again_from_ac": "24", "breakeven_ac": "65/4"}),
    "J07": (
        reckless,
        {
            "oneh12_mean_total": "9951/400", "oneh14_mean_total": "9451/400", "oneh16_mean_total": "8751/400", "oneh18_mean_total": "7851/400",
            "oneh20_mean_total": "6751/400", "gwm12_mean_total": "761/20", "gwm14_mean_total": "669/20", "gwm16_mean_total": "2793/100",
            "gwm18_mean_total": "2149/100", "gwm20_mean_total": "1413/100", "pam12_mean_total": "36153/800", "pam14_mean_total": "6201/160",
            "pam16_mean_total": "24921/800", "pam18_mean_total": "17901/800", "pam20_mean_total": "1989/160", "dwtwf12_mean_total": "5607/200",
            "dwtwf14_mean_total": "1053/40", "dwtwf16_mean_total": "4809/200", "dwtwf18_mean_total": "4239/200", "dwtwf20_mean_total": "711/40",
        },
    ),
    "J09": (champion, {"need20_normal": "1/20", "need20_adv": "39/400", "need19_normal": "1/10", "need19_adv": "19/100", "champ_p_crit": "19/100"}),
    "J11": (mean_face, {"mean_adv": "553/40", "mean_dis": "287/40"}),
    "J13": (natural_one, {"p_hit": "19/20", "p_crit": "1/20"}),
    "J14": (gap, {"P_diff19": "1/200", "P_diff18": "1/100", "P_diff10": "1/20", "P_diff1": "19/200", "P_diff0": "1/20"}),
    "J17": (printed_averages, {"4d12+10": "36", "1d4": "2"}),
    "J18": (
        savage,
        {"d4": "5/8", "d6": "35/36", "d8": "21/16", "d10": "33/20", "d12": "143/72", "2d6_per_die": "35/18", "2d6_whole_roll": "889/648"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_public_case(case):
    figures, exact = CASES[case]
    assert figures() == {key: pytest.approx(float(Fraction(value)), rel=1e-12) for key, value in exact.items()}


def test_every_case_has_its_source_or_its_reason():
    assert CASES.keys() == SOURCES.keys()
    assert not CASES.keys() & NOT_EXPRESSIBLE.keys()
