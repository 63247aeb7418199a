"""What is measured: our side of every comparison, by the public interface, and the check that comes before a clock is started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import sqrt

import numpy as np

import analyzer
from analyzer.exact import Round
from analyzer.montecarlo import Tally, simulate
from analyzer.plan import Plan, Target
from analyzer.rulekit.models import TargetKeys
from analyzer.scenario import Build
from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, THREAT_FROM, WEAPON_DICE, WEAPON_FLAT, Counts

#: A seed nobody has used in this process.
SEEDS: Iterator[int] = count(1)
KERNEL = "analyzer, kernel with all tallies"


def reference_build(bonuses: Sequence[int] = BONUSES, extra_dice: int = EXTRA_DICE) -> Build:
    """The reference build, with other attacks or more dice when asked for."""
    return analyzer.statblock(
        "/".join(f"{bonus:+d}" for bonus in bonuses),
        f"{WEAPON_DICE}d6+{WEAPON_FLAT}",
        critical=f"{THREAT_FROM}-20/x2",
        extra=[f"{extra_dice}d6"] if extra_dice else [],
        system="d20",
        name="reference",
    )


def reference_target() -> TargetKeys:
    """Who is attacked in the reference."""
    return analyzer.target(system="d20", ac=28, reduction={"physical": REDUCTION})


def tally(plan: Plan, target: Target, ac: int, trials: int, seed: int) -> Tally:
    """The kernel's tally of one AC on one thread."""
    (found,) = simulate(plan, target, (ac,), trials=trials, seed=seed)
    return found


def counts(plan: Plan, target: Target, ac: int, trials: int, seed: int) -> Counts:
    """The same as the peers count."""
    found = tally(plan, target, ac, trials, seed)
    if found.histogram is None:
        raise LookupError("a benchmark must have few enough totals to keep apart")
    return Counts(histogram=found.histogram, hits=found.counts[:, 2:].sum(axis=1), criticals=found.counts[:, 3])


def holds(found: Counts, trials: int, exact: Round) -> None:
    """Every figure within 6 standard errors of the exact one; a peer's coarse dice may be off by 1e-4 as well."""
    k = np.arange(len(found.histogram))
    assert found.histogram.sum() == trials
    assert abs(found.histogram @ k / trials - exact.dpr[0]) <= 6 * exact.sd[0] / sqrt(trials)
    chances = [(found.histogram[0], exact.no_damage[0])]
    chances += [(hits, attack.hit[0]) for hits, attack in zip(found.hits, exact.attacks, strict=True)]
    chances += [(criticals, attack.crit[0]) for criticals, attack in zip(found.criticals, exact.attacks, strict=True)]
    for seen, chance in chances:
        assert abs(seen / trials - chance) <= 6 * sqrt(max(chance * (1 - chance), 0) / trials) + 1e-4
