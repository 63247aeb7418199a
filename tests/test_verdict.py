"""The verdict: p values by hand and by SciPy's own tests, what is judged and what is not, and how large the family is."""

from math import erfc, sqrt

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, norm

from analyzer import compare, loads, statblock
from analyzer.exact import evaluate
from analyzer.records import figures
from analyzer.verdict import ALPHA, BIN_EXPECTS, MEAN_TRIALS, Figure, chance_p, distribution_p, judge, mean_p

# -- a family ------------------------------------------------------------------------------------------------------------------------------------------


def test_the_threshold_is_shared_by_the_whole_family():
    """Ten figures: 1e-7 each, figures that could not be judged counted too."""
    family = [Figure(name="low", p=0.9e-7), *(Figure(name=f"f{i}", p=0.5) for i in range(7)), *(Figure(name=f"n{i}", p=None) for i in range(2))]
    verdict = judge(family)
    assert (verdict.tests, verdict.judged) == (10, 8)
    assert verdict.threshold == pytest.approx(1e-7)
    assert not verdict.agree
    assert verdict.disagreements == ("low",)
    assert judge([*family, *(Figure(name=f"m{i}", p=None) for i in range(2))]).agree


def test_disagreements_come_worst_first():
    verdict = judge([Figure(name="b", p=1e-9), Figure(name="fine", p=0.2), Figure(name="a", p=0.0)])
    assert verdict.disagreements == ("a", "b")
    assert (verdict.figure, verdict.smallest_p) == ("a", 0.0)
    assert "DISAGREE" in str(verdict)
    assert "3 figures" in str(verdict)
    assert "smallest p = 0 (a)" in str(verdict)


def test_a_p_at_the_threshold_agrees():
    assert judge([Figure(name="a", p=ALPHA)]).agree
    assert not judge([Figure(name="a", p=np.nextafter(ALPHA, 0))]).agree


@pytest.mark.parametrize("family", [[], [Figure(name="a", p=None)]])
def test_nothing_to_judge(family):
    verdict = judge(family)
    assert verdict.agree
    assert (verdict.judged, verdict.smallest_p) == (0, 1.0)
    assert "nothing to judge" in str(verdict)


def test_figures_of_one_name_are_each_judged():
    assert judge([Figure(name="a", p=0.0), Figure(name="a", p=0.0)]).disagreements == ("a", "a")


# -- chances -------------------------------------------------------------------------------------------------------------------------------------------


def test_chance_by_hand():
    """Two fair coins, no head: 1/4 below, doubled. Three of four with chance 1/4: 13/256 above, doubled."""
    assert chance_p(0, 2, 0.5) == pytest.approx(0.5)
    assert chance_p(3, 4, 0.25) == pytest.approx(2 * 13 / 256)
    assert chance_p(1, 2, 0.5) == 1.0


@pytest.mark.parametrize("chance", [1e-4, 0.05, 0.5, 0.65, 0.999])
@pytest.mark.parametrize("z", [-5, -1, 0, 2, 6])
def test_chance_is_the_exact_binomial(chance, z):
    """SciPy's exact test defines two sides by likelihood; twice the smaller tail is its size, give or take a factor of two, and never over 1."""
    trials = 100_000
    count = min(max(round(trials * chance + z * sqrt(trials * chance * (1 - chance))), 0), trials)
    reference = binomtest(count, trials, chance).pvalue
    assert reference / 2.5 <= chance_p(count, trials, chance) <= min(1.0, 2.5 * reference)


@pytest.mark.parametrize(("chance", "right"), [(0.0, 0), (1.0, 1000)])
def test_a_sure_chance_disagrees_at_the_first_contrary_trial(chance, right):
    assert chance_p(right, 1000, chance) == 1.0
    assert chance_p(abs(right - 1), 1000, chance) == 0.0


@pytest.mark.parametrize("count", [0, 1000])
def test_a_chance_never_or_always_seen(count):
    """0.3 ** 1000 and 0.7 ** 1000, doubled."""
    assert chance_p(count, 1000, 0.3) == pytest.approx(2 * (0.3 if count else 0.7) ** 1000, rel=1e-9)


@pytest.mark.parametrize("trials", [10**7, 2**31 + 7, 10**12, 2**40])
@pytest.mark.parametrize("chance", [0.05, 0.6])
@pytest.mark.parametrize("z", [-6, -3, 3, 6])
def test_chances_are_judged_at_any_number_of_trials(trials, chance, z):
    """The normal law is near at 10^7 trials, and beyond 2**31 a p is still a p."""
    count = round(trials * chance + z * sqrt(trials * chance * (1 - chance)))
    assert chance_p(count, trials, chance) == pytest.approx(2 * norm.sf(abs(z)), rel=0.1)


# -- means ---------------------------------------------------------------------------------------------------------------------------------------------


def test_mean_by_hand():
    """Three standard errors off: SD 2 over 160,000 trials is 0.005."""
    assert mean_p(10.015, 160_000, 10.0, 2.0, 1.0) == pytest.approx(erfc(3 / sqrt(2)))
    assert mean_p(9.985, 160_000, 10.0, 2.0, 1.0) == pytest.approx(2 * norm.sf(3))
    assert mean_p(10.0, 160_000, 10.0, 2.0, 1.0) == 1.0


def test_means_are_judged_from_a_hundred_thousand_trials():
    assert mean_p(50.0, MEAN_TRIALS - 1, 10.0, 2.0, 1.0) is None
    assert mean_p(50.0, MEAN_TRIALS, 10.0, 2.0, 1.0) == 0.0
    assert MEAN_TRIALS == 100_000


def test_a_mean_that_is_seldom_anything_is_not_judged():
    """A natural 20 confirmed by a natural 20 and then fog: the normal law is not its law."""
    assert mean_p(1.0, 10**6, 0.0003, 0.02, 0.0099) is None
    assert mean_p(1.0, 10**6, 0.0003, 0.02, 0.0101) == 0.0


def test_a_mean_that_does_not_vary_must_be_equal_at_any_number_of_trials():
    assert mean_p(7.0, 1, 7.000000000000001, 0.0, 1.0) == 1.0
    assert mean_p(7.5, 1, 7.0, 0.0, 1.0) == 0.0


# -- distributions -------------------------------------------------------------------------------------------------------------------------------------


def test_distribution_by_hand():
    """A fair coin 1,000 times, 530 heads: chi-square (30^2 + 30^2) / 500 = 3.6 with one degree of freedom, which is a normal beyond sqrt(3.6)."""
    p = distribution_p(np.array([470, 530]), np.array([0.5, 0.5]))
    assert p == pytest.approx(2 * norm.sf(sqrt(3.6)))


def test_an_impossible_total_gives_0():
    assert distribution_p(np.array([5000, 4999, 1]), np.array([0.5, 0.5])) == 0.0
    assert distribution_p(np.array([5000, 1, 4999]), np.array([0.5, 0.0, 0.5])) == 0.0
    assert distribution_p(np.array([1, 0]), np.array([0.0, 1.0])) == 0.0


def test_an_impossible_total_is_found_though_nothing_else_is_judged():
    assert distribution_p(np.array([0, 3]), np.array([1.0])) == 0.0


def test_fewer_than_two_bins_are_not_judged():
    assert distribution_p(np.array([600, 199]), np.array([0.75, 0.25])) is None
    assert distribution_p(np.array([799]), np.array([1.0])) is None
    assert distribution_p(np.array([400, 400]), np.array([0.5, 0.5])) == pytest.approx(1.0)
    assert BIN_EXPECTS == 400


def test_neighbours_are_merged_until_each_bin_expects_enough():
    """Four totals of 250, 250, 250, 250 make two bins of 500; a surplus within a bin is not seen, one between them is."""
    quarters = np.full(4, 0.25)
    assert distribution_p(np.array([500, 0, 0, 500]), quarters) == pytest.approx(1.0)
    assert distribution_p(np.array([300, 300, 200, 200]), quarters) == pytest.approx(2 * norm.sf(sqrt(2 * 100**2 / 500)))


def test_what_is_left_over_joins_the_last_bin():
    """1,000 trials: 450, 450 and a tail of 100 that alone would expect too few."""
    found = distribution_p(np.array([450, 350, 200]), np.array([0.45, 0.45, 0.1]))
    assert found == pytest.approx(1.0)
    assert distribution_p(np.array([350, 450, 200]), np.array([0.45, 0.45, 0.1])) == pytest.approx(2 * norm.sf(sqrt(100**2 / 450 + 100**2 / 550)))


def test_histogram_and_pmf_of_unlike_lengths():
    assert distribution_p(np.array([500, 500, 0, 0]), np.array([0.5, 0.5])) == pytest.approx(1.0)
    assert distribution_p(np.array([500, 500]), np.array([0.5, 0.5, 0.0])) == pytest.approx(1.0)


def test_distribution_p_is_uniform_when_the_engines_agree():
    """Over 300 seeds, by Kolmogorov-Smirnov; the histograms are drawn from the exact distribution."""
    derived = statblock("+5/+0", "1d6+2", critical="19-20/x2").derive()
    pmf = evaluate(derived.plan, derived.target, [14]).pmf[0]
    rng = np.random.default_rng(7)
    found = [distribution_p(rng.multinomial(50_000, pmf / pmf.sum()), pmf) for _ in range(300)]
    assert kstest(found, "uniform").pvalue > 1e-3
    assert min(found) > 1e-5


def test_distribution_p_of_the_kernel_is_uniform_over_seeds():
    derived = statblock("+5/+0", "1d6+2", critical="19-20/x2")
    found = []
    for seed in range(60):
        (played,) = compare(derived, 14, trials=20_000, seed=seed)._played
        found.append(distribution_p(played.tally(0).histogram, played.exact.pmf[0]))
    assert kstest(found, "uniform").pvalue > 1e-3


def test_a_shifted_distribution_is_found():
    """A point more on every total: the same shape, elsewhere."""
    pmf = np.full(6, 1 / 6)
    histogram = np.concatenate(([0], np.full(5, 10_000), [10_000]))
    assert distribution_p(histogram, np.concatenate((pmf, [0.0]))) == 0.0
    assert distribution_p(np.array([9000, 10_000, 10_000, 10_000, 10_000, 11_000]), pmf) < 1e-9


# -- the family of a comparison ------------------------------------------------------------------------------------------------------------------------

TWO = """
system = "starfinder"
[[build]]
name = "one attack"
attack = "+5"
damage = "1d6"
[[build]]
name = "two attacks"
attack = "+5/+5"
damage = "1d6"
critical_effect = "burn"
"""


@pytest.mark.parametrize(
    ("by", "per_ac"),
    [
        # dpr, hits, crits, any_hit, any_crit, no_damage and a chi-square; the effect at least once
        ("round", 7 + 8),
        # hit, threat, crit, mean of each of three attacks, two effects and a chi-square a build
        ("attack", 4 + 2 * 5 + 2),
    ],
)
@pytest.mark.parametrize("acs", [[15], [12, 15, 18]])
def test_the_family_is_every_figure_shown_and_a_chi_square_per_build_and_ac(by, per_ac, acs):
    found = compare(loads(TWO), acs, trials=1000, seed=1, by=by)
    assert found.verdict.tests == per_ac * len(acs)
    shown = found.filter(like="_mc").notna().sum().sum()
    assert found.verdict.tests == shown + 2 * len(acs)


def test_verify_judges_rounds_and_attacks():
    (played, _) = compare(loads(TWO), 15, trials=1000, seed=1)._played
    names = [figure.name for figure in figures(played, rounds=True, attacks=True)]
    assert len(names) == 6 + 4 + 1
    assert len(set(names)) == len(names)
    assert "crit_chance of attack 1 of one attack, AC 15" in names
    assert "distribution of one attack, AC 15" in names
