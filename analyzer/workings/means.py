"""Means: damage per round of a build before its foes, exactly and, beside it, as simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyzer.asking.seats import Seat, Simulation
from analyzer.asking.twins import Twins
from analyzer.pmf import Floats
from analyzer.records import Record

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Means:
    """Damage points per round of a seat before every foe, and the tallies of a simulation where there was one."""

    seat: Seat
    #: (n_foe,) mean and standard deviation of a round, chance 0..1 that it deals any damage
    dpr: Floats
    sd: Floats
    some: Floats
    tallies: tuple[Tally, ...] | None
    #: what repeats the simulation
    how: Simulation | None

    @property
    def mixed(self) -> Floats:
        """(n_mix,) the means weighed."""
        return self.seat.mixed(self.dpr)

    def seen(self, mix: int) -> tuple[float, float, float]:
        """The simulated mean of a mix, its standard error, and the rounds expected to deal any damage, weighed."""
        tallies = self.tallies or ()
        found = self.seat.mixed(np.array([tally.mean for tally in tallies]))
        errors = self.seat.errors(np.array([tally.standard_error for tally in tallies]))
        often = self.seat.mixed(self.some * np.array([tally.trials for tally in tallies]))
        return float(found[mix]), float(errors[mix]), float(often[mix])

    def columns(self, mix: int, twins: Twins, where: str, name: str = "dpr") -> Record:
        """The columns of the mean of a mix."""
        exact = float(self.mixed[mix])
        if self.tallies is None:
            return {name: exact}
        weights = self.seat.field.mixes[mix].weights
        parts = [(weight, self.tallies[foe], foe) for foe, weight in weights]
        if len(parts) == 1:
            ((_, tally, foe),) = parts
            return twins.mean(
                where,
                name,
                exact=exact,
                sd=float(self.sd[foe]),
                found=tally.mean,
                error=tally.standard_error,
                trials=tally.trials,
                occurring=float(self.some[foe]) or 1.0,
            )
        found, error, _ = self.seen(mix)
        often = sum(tally.trials * float(self.some[foe]) for _, tally, foe in parts)
        return twins.estimate(where, name, exact=exact, found=found, error=error, trials=min(tally.trials for _, tally, _ in parts), occurrences=often)


def means(seat: Seat, how: Simulation | None) -> Means:
    """The means of a seat; with ``how`` each foe is met in simulated rounds too."""
    found = seat.gathered(lambda _, one: np.stack((one.dpr, one.sd, 1.0 - one.no_damage), axis=1))
    return Means(
        seat=seat,
        dpr=found[:, 0],
        sd=found[:, 1],
        some=found[:, 2],
        tallies=None if how is None else tuple(seat.tallies(trials=how.trials, seed=how.seed, workers=how.workers)),
        how=how,
    )
