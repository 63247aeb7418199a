"""The notation: what is read, what is refused and with which words, and that whatever is read prints back to itself."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analyzer.dice import (
    MAX_ATTACKS,
    MAX_BONUS,
    MAX_SUM,
    MAX_TERMS,
    NEVER,
    CriticalRange,
    Damage,
    DiceSum,
    NotationError,
    format_attacks,
    parse_attacks,
    parse_critical,
    parse_damage,
    parse_dice,
)
from analyzer.plan import Die

PARSERS: list[Callable[[Any], Any]] = [parse_dice, parse_damage, parse_attacks, parse_critical]

DICE = "dice and numbers such as '2d6+15'"
DAMAGE = "dice, then perhaps a type and 'precision', such as '2d6+15' or '3d6 fire precision'"
ATTACKS = "attack bonuses such as '+20/+15'"
CRITICAL = "a range and a multiplier such as '19-20/x2', 'x3' or 'none'"
TERM = "0 to 1000 dice of 1 to 1000 sides a term such as '2d6'"
POINTS = "at most 10000 points, dice at their highest and the number added up"
BONUSES = "bonuses from -1000 to 1000 such as '+20/+15'"
RANGE = "a range from 1 to 20 that ends in 20 such as '19-20'"
MULTIPLIER = "a multiplier from x1 to x20 such as '19-20/x2'"
ONE_TYPE = "of one type, each type an entry of its own such as '1d6 fire'"


@pytest.mark.parametrize(
    ("text", "dice", "flat", "printed"),
    [
        ("2d6+15", (Die(sides=6, count=2),), 15, "2d6+15"),
        ("d8", (Die(sides=8),), 0, "1d8"),
        ("2D6", (Die(sides=6, count=2),), 0, "2d6"),
        ("1d6+1d4-1", (Die(sides=6), Die(sides=4)), -1, "1d6+1d4-1"),
        ("-1d4+10", (Die(sides=4, sign=-1),), 10, "-1d4+10"),
        ("10-1d4", (Die(sides=4, sign=-1),), 10, "-1d4+10"),
        ("+2d6", (Die(sides=6, count=2),), 0, "2d6"),
        ("2d6r2", (Die(sides=6, count=2, reroll_to=2),), 0, "2d6r2"),
        ("2d6R2+3", (Die(sides=6, count=2, reroll_to=2),), 3, "2d6r2+3"),
        ("2d6r0", (Die(sides=6, count=2),), 0, "2d6"),
        ("d%", (Die(sides=100),), 0, "1d100"),
        ("2d% + 1", (Die(sides=100, count=2),), 1, "2d100+1"),
        ("0d6", (Die(sides=6, count=0),), 0, "0d6"),
        ("10d1000", (Die(sides=1000, count=10),), 0, "10d1000"),
        ("1000d10", (Die(sides=10, count=1000),), 0, "1000d10"),
        ("002d06", (Die(sides=6, count=2),), 0, "2d6"),
        ("2d6+0", (Die(sides=6, count=2),), 0, "2d6"),
        ("1+1d6+2", (Die(sides=6),), 3, "1d6+3"),
        ("1d6+1d6", (Die(sides=6), Die(sides=6)), 0, "1d6+1d6"),
        ("8", (), 8, "8"),
        ("+8", (), 8, "8"),
        ("-2", (), -2, "-2"),
        ("0", (), 0, "0"),
        ("-10000", (), -10000, "-10000"),
        (8, (), 8, "8"),
        (-2, (), -2, "-2"),
        (" 2d6 + 15 ", (Die(sides=6, count=2),), 15, "2d6+15"),
        ("2 d 6 r 2 - 1", (Die(sides=6, count=2, reroll_to=2),), -1, "2d6r2-1"),
        ("2d6\t+\n15", (Die(sides=6, count=2),), 15, "2d6+15"),
        ("2d6\u00a0+\u200915", (Die(sides=6, count=2),), 15, "2d6+15"),
        ("2d6\u22121", (Die(sides=6, count=2),), -1, "2d6-1"),
        ("2d6\u20131", (Die(sides=6, count=2),), -1, "2d6-1"),
        ("2d6\u20141", (Die(sides=6, count=2),), -1, "2d6-1"),
        ("2d6\uff0b15", (Die(sides=6, count=2),), 15, "2d6+15"),
    ],
)
def test_dice_are_read(text: str | int, dice: tuple[Die, ...], flat: int, printed: str) -> None:
    found = parse_dice(text)
    assert found == DiceSum(dice=dice, flat=flat)
    assert str(found) == printed
    assert parse_dice(printed) == found


@pytest.mark.parametrize(
    ("text", "must", "got"),
    [
        ("2d", DICE, "'2d'"),
        ("", DICE, "''"),
        ("   ", DICE, "'   '"),
        ("d", DICE, "'d'"),
        ("+", DICE, "'+'"),
        ("fire", DICE, "'fire'"),
        ("2d6+", DICE, "'+' in '2d6+'"),
        ("2d6+foo", DICE, "'foo' in '2d6+foo'"),
        ("2d6+foo-1", DICE, "'foo' in '2d6+foo-1'"),
        ("2d6 + 1d - 1", DICE, "'1d' in '2d6 + 1d - 1'"),
        ("2d6+-2", DICE, "'+-2' in '2d6+-2'"),
        ("2d6 4", DICE, "'2d6 4'"),
        ("1+2d6 4", DICE, "'2d6 4' in '1+2d6 4'"),
        ("2d6 fire", DICE, "'2d6 fire'"),
        ("2d6x2", DICE, "'2d6x2'"),
        ("2d6×2", DICE, "'2d6×2'"),
        ("1d6*2+1", DICE, "'1d6*2' in '1d6*2+1'"),
        ("1.5", DICE, "'1.5'"),
        ("1e3", DICE, "'1e3'"),
        ("1_000", DICE, "'1_000'"),
        ("%", DICE, "'%'"),
        ("2d6r", DICE, "'2d6r'"),
        ("2d6r2r1", DICE, "'2d6r2r1'"),
        ("٢d6", DICE, "'٢d6'"),
        ("2d6+٣", DICE, "'٣' in '2d6+٣'"),
        ("２d６", DICE, "'２d６'"),
        ("2d²", DICE, "'2d²'"),
        ("2d6\x00", DICE, r"'2d6\x00'"),
        ("99999999d99999999", TERM, "'99999999d99999999'"),
        ("1d6+1001d6", TERM, "'1001d6' in '1d6+1001d6'"),
        ("1d1001", TERM, "'1d1001'"),
        ("2d0", TERM, "'2d0'"),
        ("2d6r6", "dice that reroll at most 5 on a d6, as in '2d6r5'", "'2d6r6'"),
        ("1+d1r1", "dice that reroll at most 0 on a d1, as in '1d1r0'", "'d1r1' in '1+d1r1'"),
        ("1000d1000", POINTS, "'1000d1000'"),
        ("1000d10+1", POINTS, "'1000d10+1'"),
        ("-1000d10-1", POINTS, "'-1000d10-1'"),
        ("10001", POINTS, "'10001'"),
        ("1" * 60, POINTS, f"'{'1' * 60}'"),
        ("+".join(["1"] * 33), "at most 32 terms", f"'{'+'.join(['1'] * 33)}'"),
        ("9" * 1000, POINTS, f"'{'9' * 97}...'"),
        ("9" * 1001, "at most 1000 characters", "1001"),
        (10_001, "-10000 to 10000", "10001"),
        pytest.param(-(10**5000), "-10000 to 10000", "an integer of 16610 bits", id="huge"),
    ],
)
def test_dice_are_refused(text: str | int, must: str, got: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_dice(text)
    assert str(caught.value) == f"damage must be {must}; got {got}"


@pytest.mark.parametrize(
    ("text", "expected", "printed"),
    [
        ("2d6+15", Damage(sum=parse_dice("2d6+15")), "2d6+15"),
        (8, Damage(sum=DiceSum(flat=8)), "8"),
        ("1d6 fire", Damage(sum=parse_dice("1d6"), type="fire"), "1d6 fire"),
        ("1d6 Cold-Iron", Damage(sum=parse_dice("1d6"), type="cold-iron"), "1d6 cold-iron"),
        ("1d6 cold\u2010iron", Damage(sum=parse_dice("1d6"), type="cold-iron"), "1d6 cold-iron"),
        ("1d6 säure", Damage(sum=parse_dice("1d6"), type="säure"), "1d6 säure"),
        ("5d6 precision", Damage(sum=parse_dice("5d6"), precision=True), "5d6 precision"),
        ("3d6 fire precision", Damage(sum=parse_dice("3d6"), type="fire", precision=True), "3d6 fire precision"),
        ("3d6 precision fire", Damage(sum=parse_dice("3d6"), type="fire", precision=True), "3d6 fire precision"),
        ("5d6 sneak attack", Damage(sum=parse_dice("5d6"), precision=True), "5d6 precision"),
        ("5d6 Sneak", Damage(sum=parse_dice("5d6"), precision=True), "5d6 precision"),
        ("5d6 sneak attack fire damage", Damage(sum=parse_dice("5d6"), type="fire", precision=True), "5d6 fire precision"),
        ("5d6 fire sneak attack", Damage(sum=parse_dice("5d6"), type="fire", precision=True), "5d6 fire precision"),
        ("2d6+3 slashing", Damage(sum=parse_dice("2d6+3"), type="slashing"), "2d6+3 slashing"),
        ("2d6 + 3  slashing", Damage(sum=parse_dice("2d6+3"), type="slashing"), "2d6+3 slashing"),
        ("2d6r2 radiant", Damage(sum=parse_dice("2d6r2"), type="radiant"), "2d6r2 radiant"),
        ("2 d6 r 2 radiant", Damage(sum=parse_dice("2d6r2"), type="radiant"), "2d6r2 radiant"),
        ("d% rust", Damage(sum=parse_dice("d%"), type="rust"), "1d100 rust"),
        ("8 damage", Damage(sum=DiceSum(flat=8)), "8"),
        ("1d6 DAMAGE", Damage(sum=parse_dice("1d6")), "1d6"),
        ("1d6 physical", Damage(sum=parse_dice("1d6")), "1d6"),
        ("-2 cold", Damage(sum=DiceSum(flat=-2), type="cold"), "-2 cold"),
    ],
)
def test_damage_is_read(text: str | int, expected: Damage, printed: str) -> None:
    found = parse_damage(text)
    assert found == expected
    assert str(found) == printed
    assert parse_damage(printed) == found


@pytest.mark.parametrize(
    ("text", "must", "got"),
    [
        ("", DAMAGE, "''"),
        ("fire", DAMAGE, "'fire'"),
        ("fire 1d6", DAMAGE, "'fire 1d6'"),
        ("precision", DAMAGE, "'precision'"),
        ("2d6fire", DAMAGE, "'2d6fire'"),
        ("2d fire", DAMAGE, "'2d fire'"),
        ("2d6+x fire", DAMAGE, "'x fire' in '2d6+x fire'"),
        ("1d6 fire!", DAMAGE, "'fire!' in '1d6 fire!'"),
        ("1d6 fire + 2", DAMAGE, "'+' in '1d6 fire + 2'"),
        ("1d6 cold_iron", DAMAGE, "'cold_iron' in '1d6 cold_iron'"),
        ("1d6 cold-", DAMAGE, "'cold-' in '1d6 cold-'"),
        ("1d6 fire2", DAMAGE, "'fire2' in '1d6 fire2'"),
        ("1d6 attack", DAMAGE, "'attack' in '1d6 attack'"),
        ("1d6 fire attack", DAMAGE, "'attack' in '1d6 fire attack'"),
        ("1d6 damage fire", DAMAGE, "'damage' in '1d6 damage fire'"),
        ("1d6 " + "a" * 41, DAMAGE, f"'{'a' * 41}' in '1d6 {'a' * 41}'"),
        ("1d6 fire cold", ONE_TYPE, "'cold' in '1d6 fire cold'"),
        ("1d6 fire precision cold", ONE_TYPE, "'cold' in '1d6 fire precision cold'"),
        ("2000d6 fire", TERM, "'2000d6' in '2000d6 fire'"),
        ("1000d1000 fire", POINTS, "'1000d1000 fire'"),
        ("1d6 " + "a" * 1000, "at most 1000 characters", "1004"),
    ],
)
def test_damage_is_refused(text: str, must: str, got: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_damage(text)
    assert str(caught.value) == f"damage must be {must}; got {got}"


@pytest.mark.parametrize(
    ("text", "expected", "printed"),
    [
        ("+20/+15/+10/+5", (20, 15, 10, 5), "+20/+15/+10/+5"),
        ("16/11", (16, 11), "+16/+11"),
        ("-1/-6", (-1, -6), "-1/-6"),
        ("\u22121/\u22126", (-1, -6), "-1/-6"),
        ("+20, +15", (20, 15), "+20/+15"),
        ("20,15/10", (20, 15, 10), "+20/+15/+10"),
        (" + 20 / +15 ", (20, 15), "+20/+15"),
        ("0", (0,), "+0"),
        ("-0", (0,), "+0"),
        ("+1000/-1000", (1000, -1000), "+1000/-1000"),
        ("/".join(["+1000"] * 64), (1000,) * 64, "/".join(["+1000"] * 64)),
        (20, (20,), "+20"),
        (-3, (-3,), "-3"),
        ([20, 15], (20, 15), "+20/+15"),
        ((20, 15), (20, 15), "+20/+15"),
        (range(20, 5, -5), (20, 15, 10), "+20/+15/+10"),
        ([], (), ""),
        ((), (), ""),
    ],
)
def test_attacks_are_read(text: Any, expected: tuple[int, ...], printed: str) -> None:
    found = parse_attacks(text)
    assert found == expected
    assert format_attacks(found) == printed


@pytest.mark.parametrize(
    ("text", "must", "got"),
    [
        ("", ATTACKS, "''"),
        (" ", ATTACKS, "' '"),
        ("+20/", ATTACKS, "'+20/'"),
        ("+20//+15", ATTACKS, "'+20//+15'"),
        ("/", ATTACKS, "'/'"),
        ("foo", ATTACKS, "'foo'"),
        ("+20/foo", ATTACKS, "'foo' in '+20/foo'"),
        ("+20 +15", ATTACKS, "'+20 +15'"),
        ("+20/+15 +10", ATTACKS, "'+15 +10' in '+20/+15 +10'"),
        ("--1", ATTACKS, "'--1'"),
        ("1.5", ATTACKS, "'1.5'"),
        ("+٢", ATTACKS, "'+٢'"),
        ("1d20", ATTACKS, "'1d20'"),
        ("+1001", BONUSES, "'+1001'"),
        ("+20/-1001", BONUSES, "'-1001' in '+20/-1001'"),
        ("9" * 1000, BONUSES, f"'{'9' * 97}...'"),
        ("/".join(["1"] * 65), "at most 64 attacks", "65"),
        ([1] * 65, "at most 64 attacks", "65"),
        ([1, 1001], "-1000 to 1000", "1001"),
        (1001, "-1000 to 1000", "1001"),
        pytest.param(10**5000, "-1000 to 1000", "an integer of 16610 bits", id="huge"),
        ("1," * 501, "at most 1000 characters", "1002"),
    ],
)
def test_attacks_are_refused(text: Any, must: str, got: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_attacks(text)
    assert str(caught.value) == f"attack must be {must}; got {got}"


@pytest.mark.parametrize(
    ("text", "threat_from", "multiplier", "printed"),
    [
        ("19-20/x2", 19, 2, "19-20/x2"),
        ("17-20/x2", 17, 2, "17-20/x2"),
        ("x3", 20, 3, "20/x3"),
        ("X3", 20, 3, "20/x3"),
        ("x2", 20, 2, "20/x2"),
        ("×4", 20, 4, "20/x4"),
        ("x 3", 20, 3, "20/x3"),
        ("15-20", 15, 2, "15-20/x2"),
        ("20/x3", 20, 3, "20/x3"),
        ("20 x3", 20, 3, "20/x3"),
        ("20x3", 20, 3, "20/x3"),
        ("20-20/x3", 20, 3, "20/x3"),
        ("19\u201320/\u00d72", 19, 2, "19-20/x2"),
        ("18\u221220", 18, 2, "18-20/x2"),
        ("18-20 x2", 18, 2, "18-20/x2"),
        ("18-20x2", 18, 2, "18-20/x2"),
        (" 18 - 20 / x 2 ", 18, 2, "18-20/x2"),
        ("19-20/2", 19, 2, "19-20/x2"),
        ("19-20/*3", 19, 3, "19-20/x3"),
        ("20", 20, 2, "20/x2"),
        (20, 20, 2, "20/x2"),
        ("1-20/x20", 1, 20, "1-20/x20"),
        ("20/x1", 20, 1, "20/x1"),
        ("none", NEVER, 2, "none"),
        (" None ", NEVER, 2, "none"),
    ],
)
def test_criticals_are_read(text: str, threat_from: int, multiplier: int, printed: str) -> None:
    found = parse_critical(text)
    assert found == CriticalRange(threat_from=threat_from, multiplier=multiplier)
    assert str(found) == printed
    assert parse_critical(printed) == found


@pytest.mark.parametrize(
    ("text", "must", "got"),
    [
        ("", CRITICAL, "''"),
        ("foo", CRITICAL, "'foo'"),
        ("x", CRITICAL, "'x'"),
        ("/x2", CRITICAL, "'/x2'"),
        ("19-", CRITICAL, "'19-'"),
        ("19-20/", CRITICAL, "'19-20/'"),
        ("19-20 2", CRITICAL, "'19-20 2'"),
        ("19-20/x2/x3", CRITICAL, "'19-20/x2/x3'"),
        ("19-20/x-2", CRITICAL, "'19-20/x-2'"),
        ("19-20/x1.5", CRITICAL, "'19-20/x1.5'"),
        ("١٩-20", CRITICAL, "'١٩-20'"),
        ("-20", CRITICAL, "'-20'"),
        ("17-19", RANGE, "'17-19'"),
        ("17-19/x3", RANGE, "'17-19' in '17-19/x3'"),
        ("19", RANGE, "'19'"),
        ("3", RANGE, "'3'"),
        (3, RANGE, "'3'"),
        ("0-20", RANGE, "'0-20'"),
        ("21-20", RANGE, "'21-20'"),
        ("21/x2", RANGE, "'21' in '21/x2'"),
        ("x0", MULTIPLIER, "'x0'"),
        ("x21", MULTIPLIER, "'x21'"),
        ("19-20/x21", MULTIPLIER, "'x21' in '19-20/x21'"),
        ("19-20 / 0", MULTIPLIER, "'0' in '19-20 / 0'"),
        ("x" + "9" * 999, MULTIPLIER, f"'x{'9' * 96}...'"),
        ("x" * 1001, "at most 1000 characters", "1001"),
    ],
)
def test_criticals_are_refused(text: str | int, must: str, got: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_critical(text)
    assert str(caught.value) == f"critical must be {must}; got {got}"


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("value", [None, 1.5, True, b"2d6", {"a": 1}, object()])
def test_other_types_are_type_errors(parse: Callable[[Any], Any], value: object) -> None:
    with pytest.raises(TypeError, match=rf"must be .*, or a whole number; got a value of type {type(value).__name__}$"):
        parse(value)


@pytest.mark.parametrize("item", ["+20", 1.5, None, True, [1]])
def test_attack_items_are_whole_numbers(item: object) -> None:
    with pytest.raises(TypeError, match=rf"^attack must be .*, or a whole number; got a value of type {type(item).__name__}$"):
        parse_attacks([20, item])  # type: ignore[list-item]


@pytest.mark.parametrize("parse", [parse_dice, parse_damage, parse_attacks, parse_critical])
def test_the_message_names_the_field(parse: Callable[..., Any]) -> None:
    with pytest.raises(NotationError, match=r"^build\[0\]\.field must be .*; got '\?'$"):
        parse("?", name="build[0].field")


def test_numpy_integers_are_whole_numbers() -> None:
    np = pytest.importorskip("numpy")
    assert parse_dice(np.int64(8)) == parse_dice(8)
    assert parse_attacks([np.int64(20), 15]) == (20, 15)
    assert all(type(bonus) is int for bonus in parse_attacks([np.int64(20)]))


def test_bounds_of_a_sum() -> None:
    found = parse_dice("2d6r2+1d8-1d4+3")
    assert (found.lowest, found.highest) == (2 + 1 - 4 + 3, 12 + 8 - 1 + 3)
    assert found.plus(-3) == parse_dice("2d6r2+1d8-1d4")
    assert found.plus(0) == found


def test_values_made_by_hand_keep_the_bounds() -> None:
    with pytest.raises(NotationError, match=r"^dice sum must be at most 10000 points.*; got 0 kinds of dice and 10001$"):
        DiceSum(flat=1).plus(MAX_SUM)
    with pytest.raises(NotationError, match=r"an integer of 16610 bits$"):
        DiceSum().plus(10**5000)
    full = DiceSum(dice=(Die(sides=6),) * MAX_TERMS)
    with pytest.raises(NotationError, match=r"^dice sum must be at most 32 terms; got 32 kinds of dice and 1$"):
        full.plus(1)
    for die in (Die(sides=6, at_least=2), Die(sides=6, best_of=2)):
        with pytest.raises(NotationError, match=r"^dice must be plain or with a reroll, as in '2d6r2'; got \(Die\("):
            DiceSum(dice=(die,))
    for word in ("", "Fire", "cold iron", "precision", "sneak", "damage", "a--b", "f1re", "a" * 41):
        with pytest.raises(NotationError, match=r"^type must be a word of at most 40 small letters such as 'fire' or 'cold-iron'; got '"):
            Damage(sum=DiceSum(), type=word)
    with pytest.raises(NotationError, match=r"^threat_from must be 1 to 21 \(never\); got 22$"):
        CriticalRange(threat_from=22)
    with pytest.raises(NotationError, match=r"^multiplier must be 1 to 20; got 0$"):
        CriticalRange(multiplier=0)


def test_hostile_text_is_refused_at_once() -> None:
    hostile = ["9" * 10**6, "1" * 999 + "d", "+" * 1000, "d" * 1000, "1d6+" * 250, " ".join("d" * 500), "1 " * 500, "x" * 1000, "1d6 " + "a-" * 498]
    began = time.perf_counter()
    for text in hostile:
        for parse in PARSERS:
            with pytest.raises(NotationError):
                parse(text)
    assert time.perf_counter() - began < 1


def test_notation_loads_no_heavy_library() -> None:
    code = "import sys, analyzer.dice; print(sorted({'pandas', 'matplotlib', 'numba', 'scipy', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # our own interpreter and text
    assert done.stdout.strip() == "[]"


# --- laws ---


@st.composite
def dice(draw: st.DrawFn) -> Die:
    sides = draw(st.integers(1, 40))
    return Die(sides=sides, count=draw(st.integers(0, 5)), reroll_to=draw(st.integers(0, sides - 1)), sign=draw(st.sampled_from([1, -1])))


sums = st.builds(DiceSum, dice=st.lists(dice(), max_size=MAX_TERMS - 1).map(tuple), flat=st.integers(-3000, 3000))
types = st.sampled_from(["physical", "fire", "cold-iron", "d", "r", "none", "x", "säure"])
damages = st.builds(Damage, sum=sums, type=types, precision=st.booleans())
attacks = st.lists(st.integers(-MAX_BONUS, MAX_BONUS), min_size=1, max_size=MAX_ATTACKS).map(tuple)
criticals = st.builds(CriticalRange, threat_from=st.integers(1, 20), multiplier=st.integers(1, 20)) | st.just(CriticalRange(threat_from=NEVER))


@given(sums)
def test_dice_print_back(value: DiceSum) -> None:
    assert parse_dice(str(value)) == value
    assert value.lowest <= value.highest


@given(damages)
def test_damage_prints_back(value: Damage) -> None:
    assert parse_damage(str(value)) == value


@given(attacks)
def test_attacks_print_back(value: tuple[int, ...]) -> None:
    assert parse_attacks(format_attacks(value)) == value
    assert parse_attacks(value) == value


@given(criticals)
def test_criticals_print_back(value: CriticalRange) -> None:
    assert parse_critical(str(value)) == value


def holds(text: str) -> None:
    """Every parser reads ``text`` within bounds and prints it back to itself, or says in one short line why not."""
    for parse in PARSERS:
        try:
            value = parse(text)
        except NotationError as error:
            message = str(error)
            assert " must be " in message
            assert "; got " in message
            assert len(message) < 2000
            assert message.isprintable()
            continue
        match value:
            case DiceSum() | Damage():
                total = value if isinstance(value, DiceSum) else value.sum
                assert -MAX_SUM <= total.lowest <= total.highest <= MAX_SUM
                assert len(total.dice) <= MAX_TERMS
            case CriticalRange():
                assert 1 <= value.threat_from <= NEVER
                assert 1 <= value.multiplier <= 20
            case _:
                assert 1 <= len(value) <= MAX_ATTACKS
                assert all(abs(bonus) <= MAX_BONUS for bonus in value)
        printed = format_attacks(value) if isinstance(value, tuple) else str(value)
        assert parse(printed) == value


@given(st.text())
@example("\ud800")
@example("1d6 \u0130")
@example("1d6 \u03a3\u03a3")
@example("1d6 \u1e9e")
def test_any_text_is_read_or_refused(text: str) -> None:
    holds(text)


PIECES = ["1", "2", "20", "1000", "99999", "0", "d", "D", "r", "x", "%", "+", "-", "\u2212", "\u2013", "\u00d7", "/", ",", " ", "\u00a0"]
PIECES += ["fire", "cold-iron", "precision", "sneak", "attack", "damage", "none", "٣", "²", "İ", "\n", "\x00"]


@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_any_sentence_of_the_notation_is_read_or_refused(text: str) -> None:
    holds(text)


@given(st.data())
def test_mutated_notation_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(sums.map(str) | damages.map(str) | attacks.map(format_attacks) | criticals.map(str))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + data.draw(st.sampled_from(["", *PIECES]) | st.text(max_size=2)) + text[end:]
    holds(text)
