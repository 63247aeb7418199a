"""Stopping at a precision: what may be asked for, intervals by SciPy's own, when a run stops, and how often its interval holds the exact figure."""

from concurrent.futures import ThreadPoolExecutor
from math import inf, nan, sqrt

import numpy as np
import pytest
from scipy.stats import binomtest, kurtosis, norm

from analyzer import compare, curve, loads, statblock
from analyzer.montecarlo.ledger import FIRST_CHECK, checkpoints
from analyzer.playing import twice
from analyzer.precision import LEAST, SPENT, Averaged, Occurred, precision_of
from analyzer.records import round_records, seen
from tests.test_answers import DUEL

#: Chance that a test of the coverage fails although it is as promised.
ALPHA = 1e-6
LOOKS = [number for number, _ in zip(checkpoints(), range(40), strict=False)]


@pytest.fixture
def sword():
    return statblock("+8/+3", "1d8+3", critical="19-20/x2", name="sword")


# -- what may be asked for -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "width", "relative"),
    [(0.05, 0.05, False), ("0.05", 0.05, False), ("0.1%", 0.001, True), (" 5 % ", 0.05, True), ("1e-3", 0.001, False), (1, 1.0, False), (".5%", 0.005, True)],
)
def test_ways_to_write_a_precision(given, width, relative):
    wanted = precision_of(given, "99%", "dpr")
    assert wanted.width == pytest.approx(width)
    assert (wanted.relative, wanted.confidence, wanted.of) == (relative, 0.99, ("dpr",))
    assert str(wanted).endswith("of dpr at 99 % confidence")


@pytest.mark.parametrize("precision", [0, -1, 0.0, "0", "0%", "", "%", "x", "1 percent", "1e", ".", "-1%", "nan", nan, inf, "inf", "1e999", "1%%"])
def test_no_precision(precision, sword):
    with pytest.raises(ValueError, match=r"precision must be a half-width above 0 such as 0\.05, or a relative one such as '0\.1%'; got "):
        compare(sword, 18, precision=precision)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": True}, TypeError, "precision must be .*; got True"),
        ({"precision": [1]}, TypeError, r"precision must be .*; got \[1\]"),
        ({"precision": 1, "confidence": 99}, ValueError, "confidence must be 0.5 to 0.999999, or a percentage such as '99%'; got 99"),
        ({"precision": 1, "confidence": "x"}, ValueError, "confidence must be .*; got 'x'"),
        ({"precision": 1, "confidence": 1.0}, ValueError, "confidence must be .*; got 1.0"),
        ({"precision": 1, "of": ()}, ValueError, r"of must be at least one figure such as 'dpr' or 'any_crit'; got \(\)"),
        ({"precision": 1, "of": "any_burn"}, ValueError, "of must be figures of every build: dpr, hits, .*, crit_chance, .*; got 'any_burn', which 'sword'"),
        ({"of": "hits"}, ValueError, "precision must be given where confidence or of are; got confidence 0.99 of 'hits' alone"),
        ({"confidence": 0.9}, ValueError, "precision must be given where confidence or of are"),
        ({"precision": 1, "trials": 0}, ValueError, "trials must be 1 to 1099511627776; got 0"),
    ],
)
def test_refused(options, error, message, sword):
    with pytest.raises(error, match=message):
        compare(sword, 18, **options)


# -- intervals -----------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "trials"), [(0, 100), (1, 100), (250, 100_000), (50, 100), (100, 100), (2**33, 2**35)])
def test_the_interval_of_a_chance_is_wilsons(count, trials):
    level = 1 - SPENT * 0.01
    found = Occurred(count=count, trials=trials).interval(precision_of(1).z)
    if trials < 2**31:
        by_scipy = binomtest(count, trials).proportion_ci(level, method="wilson")
        assert found == pytest.approx((by_scipy.low, by_scipy.high), rel=1e-9, abs=1e-15)
    assert found[0] <= count / trials <= found[1]


def test_a_chance_is_settled_by_what_was_seen_and_not_seen():
    assert Occurred(count=LEAST, trials=10**6).settled
    assert not Occurred(count=LEAST - 1, trials=10**6).settled
    assert not Occurred(count=10**6 - LEAST + 1, trials=10**6).settled


def test_the_interval_of_a_mean_is_normal(sword):
    run = twice(sword, 18, trials=100_000, seed=1)
    (tally,) = run.played[0].tallies
    (found,) = seen(run.played[0].exact, 0, tally, ("dpr",))
    values = np.repeat(np.arange(len(tally.histogram)), tally.histogram)
    half = norm.ppf(1 - SPENT * 0.01 / 2) * values.std(ddof=1) / sqrt(100_000)
    assert found.interval(precision_of(1).z) == pytest.approx((values.mean() - half, values.mean() + half))
    assert found.effective == pytest.approx(100_000 / kurtosis(values, fisher=False))


def test_a_mean_of_rare_damage_is_settled_like_a_chance(sword):
    """A hit in 20 thousand rounds counts as an occurrence, whatever it deals."""
    run = twice(sword, 18, trials=1000, seed=1)
    (tally,) = run.played[0].tallies
    for count, settled in ((LEAST // 2, False), (2 * LEAST, True)):
        histogram = np.zeros_like(tally.histogram)
        histogram[0], histogram[11] = 2**16 - count, count
        rare = type(tally)(**{name: getattr(tally, name) for name in tally.__slots__} | {"histogram": histogram, "trials": 2**16, "total": 11 * count})
        (found,) = seen(run.played[0].exact, 0, rare, ("dpr",))
        assert found.effective == pytest.approx(count, rel=0.02)
        assert found.settled is settled


def test_what_never_varied_may_still_vary():
    """The rule of three: unseen in n rounds at 99 %, a value is rarer than about 4.7 / n."""
    constant = Averaged(trials=10**5, value=0.0, variance=0.0, effective=0.0, range=50.0)
    low, high = constant.interval(precision_of(1).z)
    assert high == -low == pytest.approx(50 * -np.log(SPENT * 0.01) / 10**5, rel=1e-3)
    assert precision_of(0.01).reached(constant)
    assert not precision_of(0.001).reached(constant)
    assert not precision_of("1%").reached(constant)
    assert precision_of("1%").reached(Averaged(trials=10**5, value=0.0, variance=0.0, effective=0.0, range=0.0))


# -- when a run stops ----------------------------------------------------------------------------------------------------------------------------------


def test_records_of_a_precision(sword):
    (row,) = compare(sword, 18, precision="1%", of=("dpr", "any_crit"), seed=1).to_dict("records")
    assert list(row)[:9] == ["system", "build", "ac", "trials", "dpr", "dpr_mc", "dpr_se", "dpr_z", "dpr_low"]
    for name in ("dpr", "any_crit"):
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        assert low < row[f"{name}_mc"] < high
        assert (high - low) / 2 <= 0.01 * row[f"{name}_mc"]
    assert "hits_low" not in row
    assert row["trials"] in LOOKS


def test_each_round_stops_by_itself(sword):
    found = compare([sword, sword.but(attack=4, name="better")], [10, 20, 27], precision="1%", seed=2)
    assert set(found["trials"]) <= set(LOOKS)
    assert found["trials"].nunique() >= 4
    alone = compare(sword, 20, precision="1%", seed=2)
    assert alone.iloc[0].to_dict() == found.query("build == 'sword' and ac == 20").iloc[0].to_dict()
    fixed = compare(sword, 20, trials=int(alone["trials"][0]), seed=2)
    assert fixed["dpr_mc"][0] == alone["dpr_mc"][0]
    assert found.trials == found["trials"].max()
    assert "rounds a point" in found.figure().axes[0].get_title(loc="left")


def test_same_for_any_workers_and_executor(sword):
    asked = {"ac": "18:28", "precision": 0.02, "of": ["dpr", "any_hit"], "seed": 3}
    wanted = compare(sword, **asked)
    for workers in (2, 5):
        assert compare(sword, **asked, workers=workers).equals(wanted)
    with ThreadPoolExecutor(3) as executor:
        assert compare(sword, **asked, executor=executor).equals(wanted)


def test_never_before_the_first_checkpoint_nor_200_occurrences(sword):
    easy = compare(sword, 18, precision=1000, seed=1)
    assert easy["trials"].tolist() == [FIRST_CHECK]
    rare = compare(sword, 27, precision=1000, of="any_crit", seed=1)
    assert rare["trials"][0] > FIRST_CHECK
    assert rare["any_crit_mc"][0] * rare["trials"][0] >= LEAST
    before = compare(sword, 27, trials=LOOKS[LOOKS.index(rare["trials"][0]) - 1], seed=1)
    assert before["any_crit_mc"][0] * before.trials < LEAST
    sure = compare(sword.but(attack=20, name="sure"), 10, precision=1000, of="any_hit", seed=1)
    assert (1 - sure["any_hit_mc"][0]) * sure["trials"][0] >= LEAST


def test_figures_of_attacks(sword):
    found = compare(sword, 18, precision="3%", of="crit_chance", by="attack", seed=1)
    assert len(found) == 2
    assert found["trials"].nunique() == 1
    assert ((found["crit_chance_high"] - found["crit_chance_low"]) / 2 <= 0.03 * found["crit_chance_mc"]).all()


def test_the_most_rounds_with_a_message(sword, caplog):
    found = compare(loads(DUEL), "15:18", precision="0.1%", trials=100_000, seed=1)
    assert set(found["trials"]) == {100_000}
    assert "The precision was not reached within 100,000 rounds: sword, AC 15; sword, AC 16; sword, AC 17; sword, AC 18; axe, AC 15 and 3 more." in caplog.text
    caplog.clear()
    assert compare(sword, 18, precision=1000, trials=1000, seed=1)["trials"].tolist() == [1000]
    assert caplog.text == ""


def test_no_chance_of_no_damage_where_totals_are_not_kept_apart():
    wide = statblock([5] * 16, "10000", name="wide")
    with pytest.raises(ValueError, match="totals"):
        compare(wide, 10, precision=0.1, of="no_damage")
    assert compare(wide, 10, precision="2%", trials=2**17, seed=1)["trials"][0] in LOOKS


# -- coverage ------------------------------------------------------------------------------------------------------------------------------------------

#: A figure at an AC with the precision it is simulated to; chosen so that a median run passes at least three checkpoints.
COVERED = {
    "DPR at a low AC": ("dpr", 10, "0.25%", "99%"),
    "DPR at a high AC": ("dpr", 27, "1.8%", "99%"),
    "DPR at a high AC, absolute": ("dpr", 27, 0.011, "95%"),
    "a chance of 0.0025": ("any_crit", 27, "10%", "99%"),
    "a chance of 0.0025, absolute": ("any_crit", 27, 0.0002, "95%"),
    "a chance of 0.9": ("no_damage", 27, 0.0015, "99%"),
}


def replications(name, number, first=0):
    """Whether the interval held the exact figure, and the checkpoint it stopped at, for runs of different seeds."""
    figure, ac, precision, confidence = COVERED[name]
    build = statblock("+8/+3", "1d8+3", critical="19-20/x2")
    wanted = precision_of(precision, confidence, figure)
    exact = curve(build, ac)[figure][0]
    held, stops = 0, []
    for seed in range(first, first + number):
        (row,) = round_records(twice(build, ac, precision=wanted, seed=seed).played[0])
        held += row[f"{figure}_low"] <= exact <= row[f"{figure}_high"]
        stops.append(LOOKS.index(row["trials"]) + 1)
    return held, stops, wanted.confidence


@pytest.mark.slow
@pytest.mark.parametrize("name", COVERED)
def test_an_interval_holds_as_often_as_it_says(name):
    held, stops, confidence = replications(name, 2000)
    assert np.median(stops) >= 3
    assert binomtest(held, 2000, confidence).pvalue > ALPHA, f"{held} of 2000"
