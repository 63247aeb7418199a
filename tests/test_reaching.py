"""Reaching hit points in some rounds, exactly against enumeration, and pairs of fights with common dice."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from analyzer import load, statblock
from analyzer.asking.foes import hit_points
from analyzer.asking.seats import Simulation, seats
from analyzer.dice import parse_dice
from analyzer.exact.reaching import at_least, reached, summed
from analyzer.montecarlo import paired, paired_kills
from analyzer.montecarlo.points import rolled
from analyzer.pmf import PMF, dice_pmf
from analyzer.workings.leads import difference as gained
from analyzer.workings.measures import Dpr, Kills, played

FIRST = {0: Fraction(1, 2), 3: Fraction(1, 3), 7: Fraction(1, 6)}
LATER = {0: Fraction(1, 4), 2: Fraction(3, 4)}


def row(chances):
    out = np.zeros((1, max(chances) + 1))
    for value, chance in chances.items():
        out[0, value] = float(chance)
    return out


@pytest.mark.parametrize("most", [0, 1, 5, 9, 40])
def test_sums_of_rounds_are_those_of_an_enumeration(most):
    found = at_least(summed([row(FIRST), row(LATER), row(LATER)], most))[0]
    every = [(a + b + c, p * q * r) for (a, p), (b, q), (c, r) in product(FIRST.items(), LATER.items(), LATER.items())]
    for points in range(len(found)):
        assert found[points] == pytest.approx(float(sum(p for total, p in every if total >= points)), rel=1e-14)
    assert len(found) == most + 1


def test_rolled_hit_points_are_weighed_by_their_chances():
    tails = at_least(summed([row(FIRST), row(FIRST)], 14))
    pmf = hit_points("1d4+1").pmf
    every = [(a + b, p * q) for (a, p), (b, q) in product(FIRST.items(), repeat=2)]
    wanted = sum(Fraction(1, 4) * sum(p for total, p in every if total >= points) for points in range(2, 6))
    assert reached(tails, pmf)[0] == pytest.approx(float(wanted), rel=1e-14)
    assert reached(tails, PMF.point(1000))[0] == 0.0  # more than can be dealt


def test_what_repeats_is_summed_once(monkeypatch):
    """Armor classes out of reach share one distribution: 30 of them cost what one does, and come to what each would alone."""
    counted = []
    true = np.convolve
    monkeypatch.setattr(np, "convolve", lambda *both: counted.append(1) or true(*both))
    first, later = (np.repeat(row(chances), 30, axis=0) for chances in (FIRST, LATER))
    first[7] = first[7, ::-1]
    found = summed([first, *[later] * 4], 12)
    assert len(counted) == 2 * 5
    assert (found[[0, 29]] == summed([row(FIRST), *[row(LATER)] * 4], 12)).all()
    assert (found[7] == summed([row(FIRST)[:, ::-1], *[row(LATER)] * 4], 12)).all()


def test_small_tails_keep_their_digits():
    rare = np.array([[1 - 1e-6, 1e-6]])
    assert at_least(summed([rare] * 12, 12))[0, 12] == pytest.approx(1e-72, rel=1e-12)


def test_differences_that_are_rounding_are_nothing():
    assert gained(0.1 + 0.2, 0.3) == 0.0
    assert gained(1e-30, 0.0) == 1e-30
    assert gained(2.0, 1.5) == 0.5


def test_rounds_follow_the_list_of_a_build(tmp_path):
    file = tmp_path / "b.toml"
    file.write_text(
        'system = "dnd5e"\n[target]\nac = 1\nhp = 12\n[[build]]\nname = "b"\nattack = "+30"\ncritical = "none"\n'
        'damage = "5"\nrounds = [{ damage = "3" }, {}]\n',
        encoding="utf-8",
    )
    scenario = load(file)
    (listed,) = seats(scenario, None, course=True)
    (plain,) = seats(scenario, None)
    hit = 0.95  # 3 + 5 + 5 reach 12 where every round hits; 5 + 5 + 5 do as well
    assert Kills(3).exact(listed)[0] == pytest.approx(hit**3, rel=1e-12)
    assert Kills(2).exact(plain)[0] == 0.0
    assert Kills(3).tails(plain, 20)[0].tolist() == pytest.approx([1.0, *[1 - 0.05**3] * 5, *[hit**3 + 3 * hit**2 * 0.05] * 5, *[hit**3] * 5, 0.0], rel=1e-12)


def test_hit_points_must_be_known():
    (seat,) = seats(statblock("+5", "1d6"), 15)
    with pytest.raises(ValueError, match="hp must be given, or be the target's own, for a chance to kill; got none"):
        Kills(2).exact(seat)
    (seat,) = seats(statblock("+5", "1d6"), None, against=[{"name": "ghost", "ac": 12}])
    with pytest.raises(ValueError, match="got none for 'ghost'"):
        Kills(2).exact(seat)


def test_too_many_totals_are_refused():
    (seat,) = seats(statblock("/".join(["+5"] * 20), "9999", critical="x2", system="srd35"), 15, hp=10)
    with pytest.raises(ValueError, match="at most 131072 totals"):
        Kills(1).exact(seat)


@pytest.mark.parametrize("text", ["2d6+3", "3d4r1", "1d8-1d4+10"])
def test_rolled_dice_follow_their_distribution(text):
    dice = parse_dice(text)
    totals = rolled(dice.dice, 200_000, np.random.Generator(np.random.Philox(4)))
    pmf = dice_pmf(dice.dice)
    counts = np.bincount(totals - pmf.low, minlength=pmf.p.size)
    assert np.abs(counts - 200_000 * pmf.p).max() < 6 * np.sqrt(50_000)
    assert abs(totals.mean() - pmf.mean) < 6 * np.sqrt(pmf.variance / 200_000)


def test_pairs_of_fights_agree_with_the_exact_chances_and_share_their_dice():
    build = statblock("+8/+3", "2d6+4", critical="19-20/x2", system="srd35", name="one")
    first, second = (seats(one, 20, hp="6d8+5")[0] for one in (build.but(damage=1, name="more"), build))
    kills = Kills(4)
    (tally,) = played(kills, first, second, Simulation(trials=200_000, seed=3)).values()
    for seat, found, error in zip((first, second), tally.means, tally.standard_errors, strict=True):
        assert abs(found - kills.exact(seat)[0]) < 6 * error
    assert abs(tally.difference - (kills.exact(first) - kills.exact(second))[0]) < 6 * tally.standard_error
    assert tally.standard_error < 0.5 * np.hypot(*tally.standard_errors)
    assert tally.apart == tally.squares
    faced = first.faced[0]
    fight = (faced.plans, faced.target, 20, (parse_dice("4d6").dice, 5))
    same = paired_kills(fight, fight, rounds=2, trials=1000, seed=1, points_seed=2)
    assert (same.difference, same.apart, same.standard_error) == (0.0, 0, None)
    tougher = paired_kills(fight, (*fight[:3], (fight[3][0], 6)), rounds=2, trials=1000, seed=1, points_seed=2)
    assert tougher.first > tougher.second
    assert tougher.squares == tougher.first - tougher.second  # with the same dice nobody is killed only by having a point more


def test_a_pair_tells_each_side_apart():
    first, second = (seats(statblock("+5", damage), 15)[0] for damage in ("1d6+1", "2d4"))
    sides = [(seat.faced[0].plan, seat.faced[0].target.but(ac=(15,))) for seat in (first, second)]
    tally = paired(*sides, trials=100_000, seed=8)
    alone = [paired(side, side, trials=100_000, seed=8) for side in sides]
    assert tally.means == (alone[0].means[0], alone[1].means[0])
    assert tally.standard_errors == (alone[0].standard_errors[0], alone[1].standard_errors[0])


def test_workers_change_no_figure():
    first, second = (seats(statblock("+5", damage), "12:20")[0] for damage in ("1d6+1", "2d4"))
    one, two = (played(Dpr(), first, second, Simulation(trials=3000, seed=8, workers=workers)) for workers in (1, 2))
    assert one == two
    with pytest.raises(ValueError, match="trials must be 1 to"):
        played(Dpr(), first, second, Simulation(trials=0, seed=1), [0])
