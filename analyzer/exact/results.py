"""What the exact engine answers: a round and its attacks over a sweep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.pmf import Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackResult:
    """One step of a round over a sweep of ACs, marginal over states; a round in which it is skipped counts as no attack.

    Parameters
    ----------
    label, bonus, effect
        Those of the attack made in the first state that makes one; '', 0 and None when none does.
    hit : (n_ac,) float64, chance 0..1
        Final degree 2 or 3.
    threat : (n_ac,) float64, chance 0..1
        A hit whose face is in the threat range, before confirmation and miss chance; where nothing confirms, a critical before immunity.
    crit : (n_ac,) float64, chance 0..1
        Final degree 3.
    mean, mean_sd : (n_ac,) float64, damage points per round
        Mean and standard deviation.
    effect_chance : (n_ac,) float64, chance 0..1
        Final degree 3 of an attack with this ``effect``.
    degrees : (n_ac, 4) float64, chance 0..1
        Final degrees.
    """

    label: str
    bonus: int
    effect: str | None
    hit: Floats
    threat: Floats
    crit: Floats
    mean: Floats
    mean_sd: Floats
    effect_chance: Floats
    degrees: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Round:
    """A round over a sweep of ACs.

    Parameters
    ----------
    acs : (n_ac,) int64
        Values of the swept defence.
    dpr, sd : (n_ac,) float64, damage points per round
        Mean and standard deviation of the total.
    hits, hits_sd, crits, crits_sd : (n_ac,) float64, per round
        Mean and standard deviation of the numbers of hits (criticals included) and criticals.
    any_hit, any_crit, no_damage : (n_ac,) float64, chance 0..1
        At least one hit, at least one critical, a total of 0.
    effects : dict of (n_ac,) float64, chance 0..1
        Each critical effect at least once.
    pmf : (n_ac, n_totals) float64, chance 0..1, or None
        Chances of the totals 0, 1, ...; None when not asked for or refused.
    pmf_refused
        Why the PMF was refused, naming the limit, or None.
    attacks
        One per step of the plan, in order.
    """

    acs: NDArray[np.int64]
    dpr: Floats
    sd: Floats
    hits: Floats
    hits_sd: Floats
    crits: Floats
    crits_sd: Floats
    any_hit: Floats
    any_crit: Floats
    no_damage: Floats
    effects: dict[str, Floats]
    pmf: Floats | None
    pmf_refused: str | None
    attacks: tuple[AttackResult, ...]

    @property
    def distribution(self) -> Floats:
        """The PMF, which must have been asked for; a `ValueError` says why it was refused."""
        if self.pmf is None:
            raise ValueError(self.pmf_refused)
        return self.pmf
