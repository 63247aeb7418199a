"""The `pathfinder2` game against the peer package pathfinder2e_stats: chances of all degrees and mean damage of random Strikes, within its noise.

Where the two read the rules differently the Strikes stay away: it takes resistance off before it adds weakness to the same type, and makes every damage entry
at least 1 on its own.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from scipy.stats import binom, norm

from analyzer.exact import evaluate
from analyzer.scenario import statblock, target

peer = pytest.importorskip("pathfinder2e_stats")

STRIKES = 200


def strikes(count: int) -> list[dict[str, Any]]:
    """Random Strikes and targets, the same every time."""
    rng = Random(20_261)
    return [
        {
            "bonus": rng.randint(-5, 30),
            "ac": rng.randint(8, 40),
            "dice": rng.randint(1, 4),
            "sides": rng.choice([4, 6, 8]),
            "flat": rng.randint(0, 15),
            "fortune": rng.choice(["none", "none", "fortune", "misfortune"]),
            "deadly": rng.choice([0, 0, 6, 8, 10, 12]),
            "fatal": rng.choice([0, 0, 0, 10, 12]),
            "fire": rng.choice([0, 0, 1, 2]),
            "splash": rng.choice([0, 0, 1, 3]),
            "piercing is": rng.choice(["none", "weakness", "resistance", "immune"]),
            "fire is": rng.choice(["none", "weakness", "resistance", "immune"]),
            "points": rng.randint(1, 12),
        }
        for _ in range(count)
    ]


def by_kind(strike: dict[str, Any], kind: str) -> dict[str, int]:
    return {name: strike["points"] for name in ("piercing", "fire") if strike[f"{name} is"] == kind}


def ours(strike: dict[str, Any]) -> tuple[list[float], float, float]:
    """Exact chances of the four degrees, mean and SD of the damage."""
    more = {key: f"d{strike[key]}" for key in ("deadly", "fatal") if strike[key]}
    build = statblock(
        strike["bonus"],
        f"{strike['dice']}d{strike['sides']}+{strike['flat']} piercing",
        system="pathfinder2",
        striking=strike["dice"] - 1,
        fortune=strike["fortune"],
        extra=[f"{strike['fire']}d6 fire"] if strike["fire"] else [],
        **({"splash": f"{strike['splash']} fire"} if strike["splash"] else {}),
        **more,
    )
    faced = target(
        "pathfinder2",
        ac=strike["ac"],
        weakness=by_kind(strike, "weakness"),
        resistance=by_kind(strike, "resistance"),
        immune=list(by_kind(strike, "immune")),
    )
    derived = build.derive(faced)
    found = evaluate(derived.plan, derived.target, [strike["ac"]])
    return found.attacks[0].degrees[0].tolist(), float(found.dpr[0]), float(found.sd[0])


def theirs(strike: dict[str, Any]) -> tuple[list[int], float]:
    """How often each degree was rolled, and the mean damage to the target."""
    rolled = peer.check(strike["bonus"], DC=strike["ac"], fortune=strike["fortune"] == "fortune", misfortune=strike["fortune"] == "misfortune")
    spec = peer.Damage("piercing", strike["dice"], strike["sides"], strike["flat"], deadly=strike["deadly"], fatal=strike["fatal"])
    if strike["fire"]:
        spec = spec + peer.Damage("fire", strike["fire"], 6)
    if strike["splash"]:
        spec = spec + peer.Damage("fire", 0, 0, strike["splash"], splash=True)
    hurt = peer.damage(
        rolled, spec, weaknesses=by_kind(strike, "weakness"), resistances=by_kind(strike, "resistance"), immunities=list(by_kind(strike, "immune"))
    )
    outcome = rolled.outcome.values
    return [int((outcome == degree).sum()) for degree in (-1, 0, 1, 2)], float(hurt.direct_damage.sum("damage_type").mean())


def chance_p(count: int, rolls: int, chance: float) -> float:
    """Two-sided: twice the smaller tail."""
    return min(1.0, 2 * min(float(binom.cdf(count, rolls, chance)), float(binom.sf(count - 1, rolls, chance))))


def mean_p(found: float, rolls: int, mean: float, sd: float) -> float:
    return float(found == pytest.approx(mean)) if sd < 1e-9 else 2 * float(norm.sf(abs(found - mean) / (sd / rolls**0.5)))


@pytest.fixture
def peer_rolls():
    """Sets how many rolls the peer makes, and sets it back."""
    before = peer.get_config()["roll_size"]
    yield lambda rolls: peer.set_config(roll_size=rolls)
    peer.set_config(roll_size=before)


def smallest_p(made: list[dict[str, Any]], seed: int) -> float:
    """The smallest p of the four degrees and the mean of each Strike."""
    peer.seed(seed)
    found = [1.0]
    for strike in made:
        degrees, mean, sd = ours(strike)
        counts, peer_mean = theirs(strike)
        rolls = sum(counts)
        found += [mean_p(peer_mean, rolls, mean, sd), *(chance_p(count, rolls, chance) for count, chance in zip(counts, degrees, strict=True))]
    return min(found)


@pytest.mark.filterwarnings("default")  # the peer's own use of xarray and pandas is not ours to judge
@pytest.mark.parametrize("rolls", [3_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_random_strikes_agree_with_the_peer(peer_rolls, rolls):
    peer_rolls(rolls)
    assert smallest_p(strikes(STRIKES), seed=7) > 1e-6 / (5 * STRIKES)


@pytest.mark.filterwarnings("default")
def test_a_wrong_rule_is_noticed(monkeypatch):
    """Without the shift of natural 20 and 1 the same comparison fails by far."""
    plain = statblock
    monkeypatch.setitem(globals(), "statblock", lambda *args, **keys: plain(*args, **keys, rules={"natural_shift": False}))
    assert smallest_p(strikes(3), seed=7) < 1e-100
