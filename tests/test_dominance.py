"""Dominance: chances to be ahead, first-order dominance and the rounds to notice, against enumeration and against the dice."""

import json
from fractions import Fraction
from itertools import product
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from typer.testing import CliRunner

import analyzer
from analyzer.analyses import dominance as room
from analyzer.cli import app
from analyzer.exact import ahead
from analyzer.pmf import PMF

SABRE = analyzer.statblock("+3/-2", "1d4", critical="19-20/x2", name="sabre")
MAUL = analyzer.statblock("+3", "1d6+1", critical="20/x3", name="maul")
CREATURES = [{"name": "ogre", "ac": 16, "weight": 5}, {"name": "golem", "ac": 21, "dr": 2, "weight": 3}]
EIGHT = [analyzer.statblock("+9/+4", f"1d8+{k}", name=f"build {k}") for k in range(8)]


def swing(bonus, ac, sides, flat, threat, multiplier, reduction=0):
    """Damage of one attack of the d20 text in fractions, from its dice: a total above AC hits, 20 and 1 decide, a second roll confirms."""
    out = {}
    dice = Fraction(1, sides)

    def add(points, chance):
        out[points] = out.get(points, 0) + chance

    confirms = Fraction(sum(face + bonus > ac for face in range(1, 21)), 20)
    for face in range(1, 21):
        hits = face == 20 or (face > 1 and face + bonus > ac)
        if not hits:
            add(0, Fraction(1, 20))
            continue
        sure = confirms if face >= threat else Fraction(0)
        for shown in range(1, sides + 1):
            add(max(0, shown + flat - reduction), Fraction(1, 20) * (1 - sure) * dice)
        for many in product(range(1, sides + 1), repeat=multiplier):
            add(max(0, sum(many) + multiplier * flat - reduction), Fraction(1, 20) * sure * dice**multiplier)
    return out


def both(a, b, sign=1):
    out = {}
    for (x, p), (y, q) in product(a.items(), b.items()):
        out[x + sign * y] = out.get(x + sign * y, 0) + p * q
    return out


def sabre(ac, reduction=0):
    return both(swing(3, ac, 4, 0, 19, 2, reduction), swing(-2, ac, 4, 0, 19, 2, reduction))


def maul(ac, reduction=0):
    return swing(3, ac, 6, 1, 20, 3, reduction)


def sides_of(difference):
    return [float(sum(p for x, p in difference.items() if test(x))) for test in (lambda x: x > 0, lambda x: x == 0, lambda x: x < 0)]


def shares(row):
    return [row["more"], row["tie"], row["less"]]


def run(*args, code=0):
    result = CliRunner().invoke(app, ["dominance", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("ac", [12, 20])
@pytest.mark.parametrize("rounds", [1, 2])
def test_chances_are_those_of_an_enumeration(ac, rounds):
    one = both(sabre(ac), maul(ac), -1)
    difference = one if rounds == 1 else both(one, one)
    row = analyzer.dominance([SABRE, MAUL], ac=ac, rounds=rounds).iloc[0]
    assert shares(row) == pytest.approx(sides_of(difference), rel=1e-12)
    assert row["difference"] == pytest.approx(float(sum(x * p for x, p in difference.items())), rel=1e-12)


def test_creatures_are_drawn_by_weight_for_each_round():
    parts = [both(sabre(ac, dr), maul(ac, dr), -1) for ac, dr in ((16, 0), (21, 2))]
    mixed = {x: sum(w * part.get(x, 0) for w, part in zip((Fraction(5, 8), Fraction(3, 8)), parts, strict=True)) for x in set(parts[0]) | set(parts[1])}
    found = analyzer.dominance([SABRE, MAUL], against=CREATURES, rounds=2)
    assert list(found["against"]) == ["all, weighted", "ogre", "golem"]
    for row, part in zip(found.to_dict("records"), (mixed, *parts), strict=True):
        assert shares(row) == pytest.approx(sides_of(both(part, part)), rel=1e-12)


def charging(attack="+5", damage="1d6+3"):
    """A maul whose first round is another."""
    return analyzer.statblock("+3", "1d6+1", critical="20/x3", name="charger", rounds=[{"attack": attack, "damage": damage}, {}])


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_listed_rounds_are_played(rounds):
    """The first round of one build is another round, worked from its own dice."""
    one, two = both(sabre(14), swing(5, 14, 6, 3, 20, 3), -1), both(sabre(14), maul(14), -1)
    difference = one
    for _ in range(rounds - 1):
        difference = both(difference, two)
    row = analyzer.dominance([SABRE, charging()], ac=14, rounds=rounds).iloc[0]
    assert shares(row) == pytest.approx(sides_of(difference), rel=1e-12)
    assert row["difference"] == pytest.approx(float(sum(x * p for x, p in difference.items())), rel=1e-12)


def test_listed_rounds_before_creatures_agree_with_the_dice():
    """A creature is drawn for each round, listed or repeated."""
    found = analyzer.dominance([SABRE, charging()], against=CREATURES, rounds=3, simulate=True, trials=120_000, seed=5)
    assert found.verdict.agree, found.verdict
    assert found.verdict.judged == found.verdict.tests == 4 * len(found)
    assert "The listed rounds of charger are played, the last repeating; rounds to notice count from the first." in found.notes


def test_a_charge_is_noticed_as_soon_as_it_is_ahead_for_good():
    """A charge of thousands of points decides every later sum; without it the two are hard to tell apart."""
    slow = analyzer.dominance([SABRE, MAUL], ac=14, confidence=0.6).iloc[0]["noticed_after"]
    ahead_at_once = analyzer.dominance([SABRE, charging(attack="+30", damage="1d6+3000")], ac=14, confidence=0.6).iloc[0]
    assert slow > 5
    assert ahead_at_once["noticed_after"] == 1
    assert ahead_at_once["more"] < 0.4


def test_dominance_is_asked_of_every_round_played():
    """A first round that deals next to nothing is dominated; the second is not."""
    weak = charging(attack="-20", damage="1d2")
    verdicts = [analyzer.dominance([SABRE, weak], ac=14, rounds=n).iloc[0]["verdict"] for n in (1, 2)]
    assert verdicts == ["sabre", "neither"]
    assert analyzer.dominance([MAUL, charging()], ac=14, rounds=2).iloc[0]["verdict"] == "charger"


def test_the_gap_of_two_d20():
    """A published question (case J14): how far apart two d20 are."""
    die = PMF(1, np.full(20, 0.05))
    gap = die + die.negate()
    assert [gap.chance(k) + gap.chance(-k) * (k > 0) for k in (0, 1, 10, 18, 19)] == pytest.approx([20 / 400, 38 / 400, 20 / 400, 4 / 400, 2 / 400])
    assert ahead.apart(gap) == pytest.approx((19 / 40, 1 / 20, 19 / 40))


def stepwise(difference, confidence, most):
    """The first number of rounds from which on the chance is high enough, by one convolution after the other."""
    total, last = PMF.point(0), 0
    for n in range(1, most + 1):
        total = total + difference
        if ahead.apart(total)[0] < confidence - 1e-12:
            last = n
    assert last < most // 2
    return last + 1


@settings(max_examples=50, deadline=None)
@given(
    st.integers(-4, 0),
    st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(lambda weights: weights[0] and weights[-1]),
    st.sampled_from([0.5, 0.6, 0.8, 0.95, 0.99]),
)
def test_rounds_to_notice_are_those_of_convolutions(low, weights, confidence):
    difference = PMF(low, np.array(weights) / sum(weights))
    if abs(difference.mean) < 0.5:
        return
    better = difference if difference.mean > 0 else difference.negate()
    assert ahead.lead([difference], confidence) == ahead.Lead(stepwise(better, confidence, 400), True)


@pytest.mark.parametrize("size", [2**10, 2**16])
def test_the_large_frequencies_are_those_of_a_transform(size):
    """Lattices too, whose characteristic function is large again and again."""
    rng = np.random.default_rng(3)
    lattice = np.zeros(91)
    lattice[::15] = rng.random(7)
    for p in (rng.random(60), lattice, np.array([0.5, 0.5]), np.array([0.1] + [0.0] * 40 + [0.9])):
        one = PMF(-17, p / p.sum())
        wave = np.conj(np.fft.rfft(one.p, size)) * np.exp(2j * np.pi / size * np.arange(size // 2 + 1) * one.low)
        for least in (1e-4, 0.5, 0.9):
            kept, found = ahead._waves(one, size, least)
            clear = np.abs(np.abs(wave) ** 2 - least) > 1e-12
            assert np.array_equal(np.isin(np.arange(size // 2 + 1), kept)[clear], (np.abs(wave) ** 2 >= least)[clear])
            assert np.abs(found - wave[kept]).max() < 1e-13


@settings(max_examples=30, deadline=None)
@given(st.integers(-3, 0), st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(-30, 30), st.integers(-9, 30), st.sampled_from([0.5, 0.8, 0.95]))
def test_rounds_to_notice_count_from_the_first_listed(low, weights, one, two, confidence):
    repeats = PMF(low, np.array(weights) / sum(weights))
    if abs(repeats.mean) < 0.5:
        return
    listed = [PMF.point(one), PMF(two, np.array([0.4, 0.0, 0.6])), repeats]
    found = ahead.lead(listed, confidence)
    side = 0 if repeats.mean > 0 else 2
    short = [n for n in range(1, 400) if ahead.apart(ahead.over(listed, n))[side] < confidence - 1e-12]
    assert found == ahead.Lead(1 + (short[-1] if short else 0), True)


def test_a_chance_may_fall_back_where_ties_are_likely():
    """Ahead after one round with 0.9, after two with 0.81 (a win and a loss tie): one round is not enough for good."""
    coin = PMF(-1, np.array([0.1, 0.0, 0.9]))
    assert ahead.apart(coin)[0] == pytest.approx(0.9)
    assert ahead.lead([coin], 0.9).rounds == 3


def test_rounds_to_notice_are_the_rounds_after_which_one_is_ahead():
    found = analyzer.dominance([SABRE, MAUL.but(damage=2, name="maul")], ac=14, confidence="90%").iloc[0]
    n = int(found["noticed_after"])
    assert found["noticed_by"] == "exact"
    assert 2 < n <= 100
    chances = [analyzer.dominance([SABRE, MAUL.but(damage=2)], ac=14, rounds=k).iloc[0]["less"] for k in (n - 1, n, n + 1)]
    assert chances[0] < 0.9 <= min(chances[1:])


def test_beyond_the_grid_the_normal_law_answers_and_says_so():
    """A total above 15 needs a face of 11; of the ten that hit one threatens, and is a critical half of the time."""
    found = analyzer.dominance([analyzer.statblock("+5", "50d100"), analyzer.statblock("+5", "50d100+1")], ac=15)
    row = found.iloc[0]
    assert row["noticed_by"] == "normal law"
    assert any("normal law" in note for note in found.notes)
    dice = 50 * (100**2 - 1) / 12
    spread = sum(0.475 * (m * m + dice) + 0.025 * (4 * m * m + 2 * dice) - (0.525 * m) ** 2 for m in (2525, 2526))
    assert row["noticed_after"] == np.ceil(1.6448536269514722**2 * spread / 0.525**2)


def test_equal_means_are_never_noticed():
    row = analyzer.dominance([SABRE, SABRE.but(name="twin")], ac=15).iloc[0]
    assert row["noticed_after"] is None
    assert row["verdict"] == "equal"
    assert isclose(row["more"], row["less"], rel_tol=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "side"),
    [
        ([0.5, 0.5], [0.5, 0.5], 0),
        ([0.4, 0.6], [0.5, 0.5], 1),
        ([0.5, 0.5], [0.4, 0.6], -1),
        ([0.5, 0.0, 0.5], [0.4, 0.6], None),
        ([0.5, 0.5 - 1e-15, 1e-15], [0.5, 0.5], 1),
        ([0.4, 0.6 - 1e-30, 1e-30], [0.4 - 1e-20, 0.6], 1),
        ([0.5, 0.5, 1e-200], [0.6, 0.4, 2e-200], None),
    ],
)
def test_first_order_dominance(first, second, side):
    """Far tails count; what one sum of floats loses against another does not."""
    assert ahead.dominating(np.array(first), np.array(second)) == side


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 30), st.integers(1, 4))
def test_more_damage_dominates(ac, more):
    rows = analyzer.dominance([MAUL, MAUL.but(damage=more, name="heavier")], ac=ac)
    row = rows.iloc[0]
    assert row["verdict"] == "heavier"
    assert row["less"] > row["more"]
    assert sum(shares(row)) == pytest.approx(1.0, abs=1e-12)
    swapped = analyzer.dominance([MAUL.but(damage=more, name="heavier"), MAUL], ac=ac).iloc[0]
    assert shares(swapped) == pytest.approx(shares(row)[::-1], rel=1e-9)
    assert swapped["noticed_after"] == row["noticed_after"]


@pytest.mark.parametrize("faced", [{"ac": "12:14"}, {"against": CREATURES}])
def test_the_dice_agree(faced):
    found = analyzer.dominance([SABRE, MAUL], rounds=2, simulate=True, trials=120_000, seed=5, **faced)
    assert found.verdict.agree, found.verdict
    assert found.verdict.judged == found.verdict.tests == 4 * len(found)
    for name in ("more", "tie", "less", "difference"):
        assert (abs(found[f"{name}_z"]) < 5).all()
    again = analyzer.dominance([SABRE, MAUL], rounds=2, simulate=True, trials=120_000, seed=5, workers=2, **faced)
    assert again.to_csv() == found.to_csv()


def test_a_wrong_figure_is_noticed(monkeypatch):
    monkeypatch.setattr(room, "apart", lambda difference: ahead.apart(difference.shift(1)))
    found = analyzer.dominance([SABRE, MAUL], ac=12, simulate=True, trials=100_000, seed=5)
    assert not found.verdict.agree


def test_figures_of_a_verdict_name_the_pair_and_what_it_faces(monkeypatch):
    named = []
    monkeypatch.setattr(room.Twins, "_note", lambda _, name, where, p: named.append(f"{name} of {where}"))
    for faced in ({"ac": 12}, {"against": CREATURES}):
        analyzer.dominance([SABRE, MAUL], simulate=True, trials=1000, seed=5, **faced)
    assert {"more of sabre and maul, AC 12", "tie of sabre and maul, against ogre"} <= set(named)


def test_builds_of_one_level_are_compared():
    low, high = (analyzer.statblock("+5", "1d8", name=name, level=1) for name in ("a", "b")), (analyzer.statblock("+9", "1d8", name="c", level=9),)
    found = analyzer.dominance([*low, *high], ac=15)
    assert [(row.build, row.other, row.level) for row in found.itertuples()] == [("a", "b", 1)]


@pytest.mark.parametrize(
    ("builds", "given", "message"),
    [
        ([SABRE], {}, "builds must be two at least; got 1"),
        ([SABRE, MAUL], {"rounds": 0}, "rounds must be a whole number from 1 to 100; got 0"),
        ([SABRE, MAUL], {"confidence": 0.2}, r"confidence must be a number from 0\.5 to 0\.9999; got 0\.2"),
        ([SABRE, MAUL], {"against": CREATURES, "ac": 3}, "against must be given without ac and target"),
        ([SABRE, analyzer.statblock([9] * 20, "100d100")], {}, "the exact distribution of a round must have at most 131072 totals"),
    ],
)
def test_refusals(builds, given, message):
    with pytest.raises(ValueError, match=message):
        analyzer.dominance(builds, **({"ac": 15} | given if "against" not in given else given))


def test_levels_apart_are_refused():
    pair = [analyzer.statblock("+5", "1d8", name="a", level=1), analyzer.statblock("+5", "1d8", name="b", level=2)]
    with pytest.raises(ValueError, match="builds must be two at least of one level that meet the same creatures; got 2"):
        analyzer.dominance(pair, ac=15)


def test_command(tmp_path):
    picture = tmp_path / "dominance.png"
    bare = run()
    assert "greatsword is more often ahead of falchion at AC 24." in bare.stdout
    rows = json.loads(run("d20-builds", "--ac", "20:22", "--format", "json", "--plot", picture).stdout)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [(row["system"], row["build"], row["other"], row["ac"]) for row in rows] == [("d20", "falchion", "greatsword", ac) for ac in (20, 21, 22)]
    assert run("--format", "csv").stdout.splitlines()[0].startswith("system,build,other,ac,rounds,more,tie,less,difference,noticed_after")
    assert "error: --confidence must be a number from 0.5 to 0.9999; got '2'" in run("--confidence", 2, code=2).stderr


def test_every_sentence_names_both_builds():
    found = analyzer.dominance([SABRE, MAUL, MAUL.but(damage=2, name="heavier")], ac=14)
    assert found.notes[:3] == (
        "maul is more often ahead of sabre at AC 14.",
        "heavier is more often ahead of sabre at AC 14.",
        "heavier is more often ahead of maul at AC 14; heavier dominates maul at AC 14.",
    )


@pytest.mark.parametrize("faced", [{"ac": 20}, {"ac": "15:25"}, {"against": CREATURES}])
@pytest.mark.parametrize("count", [2, 8])
def test_figure(count, faced, tmp_path):
    figure = analyzer.dominance(EIGHT[:count], **faced).figure()
    assert isinstance(figure, Figure)
    figure.savefig(tmp_path / "figure.png", dpi=30)
    assert len(figure.axes) >= 1


def told(figure):
    return [text.get_text() for key in figure.legends for text in key.get_texts()]


@pytest.mark.parametrize("faced", [{"ac": 20}, {"ac": "19:21"}])
def test_the_figure_names_who_is_ahead(faced):
    assert set(told(analyzer.dominance([SABRE, MAUL], **faced).figure())) == {"sabre ahead", "equal", "maul ahead"}
    figure = analyzer.dominance([SABRE, MAUL, MAUL.but(damage=2, name="heavier")], **faced).figure()
    assert "the first named is ahead" in told(figure)
    if faced["ac"] != 20:
        first, second = figure.axes[1].get_title(loc="left"), figure.axes[1].get_title()
        assert (first.strip(), second) == ("sabre", "or heavier")


def test_figure_of_the_dice(tmp_path):
    for ac in (20, "19:21"):
        analyzer.dominance(EIGHT[:2], ac=ac, simulate=True, trials=1000, seed=1).figure().savefig(tmp_path / "figure.png", dpi=30)
