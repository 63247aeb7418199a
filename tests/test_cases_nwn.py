"""Public cases of Neverwinter Nights with exact values: inputs and fractions as in the collection, asked of the public interface.

No game of this package plays A24 (Dungeons & Dragons Online: a ratio instead of a number to reach) and B16 (its two daggers).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import analyzer

REL = 1e-12
NATURALS = {"threat_naturals": True}
PLAIN: dict[str, Any] = {}


def close(fraction: str) -> Any:
    return pytest.approx(float(Fraction(fraction)), rel=REL, abs=0)


def build(attack: Any, damage: str | int, *, rules: dict[str, Any] | None = None, **keys: Any) -> analyzer.Build:
    return analyzer.statblock(attack, damage, system="nwn", rules=rules, name="case", **keys)


# A08, https://nwn.fandom.com/wiki/Attack_roll: the threat roll has no automatic success or failure; with it, the third edition's numbers
A08 = [(10, 11, 19), (0, 25, 19), (0, 20, 18), (0, 21, 20)]
A08_EXACT = [("35", NATURALS, ("19/200", "1/400", "1/400", "1/400")), ("nwn", PLAIN, ("1/10", "0", "1/400", "0"))]


@pytest.mark.parametrize(
    ("bonus", "ac", "threat", "rules", "exact"),
    [
        pytest.param(*attack, rules, exact[i], id=f"A08 {key}_p_crit_{i + 1}")
        for key, rules, exact in A08_EXACT
        for i, attack in enumerate(A08)
    ],
)  # fmt: skip
def test_a08(bonus, ac, threat, rules, exact):
    (found,) = analyzer.curve(build(bonus, 1, critical=f"{threat}-20/x2", rules=rules), ac, by="attack").to_dict("records")
    assert found["crit_chance"] == close(exact)


# A17, http://www.enworld.org/threads/how-big-is-my-katana.328146/page-3: 19-20/x3 and 17-20/x2 tie, with 20 flat points
A17 = [(19, 3, "114/5"), (17, 2, "114/5"), (18, 2, "437/20")]


@pytest.mark.parametrize("rules", [PLAIN, NATURALS], ids=["nwn", "35"])
@pytest.mark.parametrize(("threat", "multiplier", "exact"), [pytest.param(*case, id=f"A17 35_mean_{i}") for i, case in enumerate(A17, 1)])
def test_a17(threat, multiplier, exact, rules):
    (found,) = analyzer.curve(build(0, 20, critical=f"{threat}-20/x{multiplier}", rules=rules), 2).to_dict("records")
    assert found["dpr"] == close(exact)


# B14, Beamdog/nwn-issues 103: a greataxe at x4, without and with the 3d6 of Overwhelming Critical; here every hit is a critical, and 19 of 20 hit
B14 = [("base", False, "4", "48", "26"), ("full", True, "7", "66", "73/2")]


@pytest.mark.parametrize(("overwhelming", "least", "most", "mean"), [pytest.param(*case[1:], id=f"B14 {case[0]}") for case in B14])
def test_b14(overwhelming, least, most, mean):
    found = analyzer.curve(build(100, "1d12", critical="2-20/x4", overwhelming_critical=overwhelming), 10)
    totals = [total for total, chance in enumerate(found.pmf[0]) if total and chance]
    assert (min(totals), max(totals)) == (int(least), int(most))
    assert found["dpr"][0] * 20 / 19 == close(mean)


# C10, https://steamcommunity.com/app/704450/discussions/0/1732088458069291741: damage, immunity %, resistance, reduction
C10 = [(40, 50, 5, 5, 10), (100, 10, 10, 0, 80), (110, 10, 10, 0, 89), (9, 0, 10, 5, 0)]


def left(damage: int, immunity: int, resistance: int, reduction: int) -> int:
    """What is left of the damage of a hit: the one total beside a miss."""
    target = {"immunity": {"slashing": immunity}, "resistance": {"slashing": resistance}, "reduction": {"physical": reduction}}
    (row,) = analyzer.curve(build(100, f"{damage} slashing", critical="none"), 10, target=target).pmf
    (total,) = [total for total, chance in enumerate(row) if total and chance] or [0]
    assert row[total] == close("19/20" if total else "1")
    return total


@pytest.mark.parametrize(("row", "exact"), [pytest.param(row[:4], row[4], id=f"C10 row{i}") for i, row in enumerate(C10, 1)])
def test_c10(row, exact):
    assert left(*row) == exact


def test_c10_first_damage_where_immunity_beats_resist():
    assert next(x for x in range(90, 200) if left(x, 10, 0, 0) < left(x, 0, 10, 0)) == 110


# D10, Beamdog/nwn-issues 524: +16/+11/+6 with flurry and two free attacks against AC 25; the fault is a switch
D10 = [("right", "full", [14, 9, 4, 14, 14], "9/5"), ("bug", "ladder", [14, 9, 4, 14, 9], "31/20")]


@pytest.mark.parametrize(("switch", "bonuses", "exact"), [pytest.param(*case[1:], id=f"D10 expected_hits_{case[0]}") for case in D10])
def test_d10(switch, bonuses, exact):
    derived = analyzer.sheet(
        system="nwn", name="case", rules={"free_attacks": switch}, base_attacks="+16/+11/+6", extra_attacks=["haste", "flurry"], weapon={"damage": "1d6"}
    )
    for one in (derived, build(bonuses, "1d6")):
        by_attack = analyzer.curve(one, 25, by="attack")
        assert by_attack["bonus"].tolist() == bonuses
        assert sum(by_attack["hit_chance"]) == close(exact)
        assert analyzer.curve(one, 25)["hits"][0] == close(exact)
