"""Spreads: distributions of damage of a build before the foes of a question, weighed into mixes, the simulated ones beside the exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.asking.seats import Faced, Seat, Simulation
from analyzer.asking.twins import Twins
from analyzer.exact import Split, joint_attacks, joint_totals, over_rounds
from analyzer.pmf import Floats
from analyzer.records import Record

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Histograms

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Quantiles are met within the rounding of a sum of chances.
_ROUNDING = 1e-12


class Asked(NamedTuple):
    """What is asked of every distribution."""

    rounds: int
    by: str
    at_least: tuple[int, ...]
    rider: str | None
    observed: int | None

    @property
    def attacks(self) -> bool:
        """Whether attacks are asked for, not rounds."""
        return self.by.startswith("attack")


class Part(NamedTuple):
    """A distribution of a seat: what it is of, by foe, and, where it was simulated, its trials by total and foe, (2, n_totals) int64 each."""

    #: columns that say which attack of which round it is
    at: tuple[tuple[str, int], ...]
    exact: Split
    counts: list[NDArray[np.int64]] | None


def parts_of(seat: Seat, asked: Asked, how: Simulation | None) -> Iterator[Part]:
    """The distributions of a seat: one of the rounds together, or one of each attack of each round that is like no other."""
    listed = [[_exact(faced, number, asked) for number in range(min(asked.rounds, len(faced.plans)))] for faced in seat.faced]
    seen = None if how is None else _simulated(seat, asked, how)
    if not asked.attacks:
        summed = [over_rounds([one for (one,) in rounds], asked.rounds) for rounds in listed]
        yield Part((("rounds", asked.rounds),), _gathered(seat, summed), None if seen is None else [one.total for one in seen])
        return
    for number, rounds in enumerate(zip(*listed, strict=True)):
        for attack in range(min(map(len, rounds))):
            counts = None if seen is None else [one.attacks[number, attack] for one in seen]
            yield Part((("round", number + 1), ("attack", attack + 1)), _gathered(seat, [one[attack] for one in rounds]), counts)


def _exact(faced: Faced, number: int, asked: Asked) -> Sequence[Split]:
    plan, target, acs = faced.course[number]
    if asked.attacks:
        return joint_attacks(plan, target, acs, asked.rider)
    return (joint_totals(plan, target, acs, asked.rider),)


def _gathered(seat: Seat, found: Sequence[Split]) -> Split:
    """Rows of several passes in the order of the foes."""
    parts = [seat.collected(zip(seat.faced, rows, strict=True)) for rows in zip(*found, strict=True)]
    wide = max(part.shape[1] for part in parts)
    return Split(*(np.pad(part, ((0, 0), (0, wide - part.shape[1]))) for part in parts))


def _simulated(seat: Seat, asked: Asked, how: Simulation) -> list[Histograms]:
    """The simulated rounds of every foe, some foes at a time."""
    from analyzer.montecarlo import histograms  # noqa: PLC0415 - Numba costs start-up time

    def play(foe: int) -> Histograms:
        faced, _ = seat.before(foe)
        rounds = min(asked.rounds, len(faced.plans)) if asked.attacks else asked.rounds
        dice = seat.seed(how.seed, foe)
        return histograms(faced.plans, faced.targets, faced.met(foe), trials=how.trials, seed=dice, rounds=rounds, rider=asked.rider, attacks=asked.attacks)

    with ThreadPoolExecutor(how.workers) as pool:
        return list(pool.map(play, range(len(seat.field.foes))))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Spread:
    """The figures of one distribution of a mix."""

    head: Record
    where: str
    #: chances of the totals, without the rider and with it
    exact: Split
    #: shares of each foe's trials by total, with its weight and its number of trials
    seen: list[tuple[float, NDArray[np.int64], int]] | None
    twins: Twins

    @classmethod
    def of(cls, seat: Seat, mix: int, part: Part, twins: Twins) -> Spread:
        """Those of a part."""
        weights = seat.field.mixes[mix].weights
        row = np.array([weight for _, weight in weights])
        foes = [foe for foe, _ in weights]
        told = seat.where(mix) + "".join(f", {name} {number}" for name, number in part.at if name != "rounds")
        seen = None if part.counts is None else [(weight, part.counts[foe], int(part.counts[foe].sum())) for foe, weight in weights]
        exact = Split(*(row @ rows[foes] for rows in part.exact))
        if seen is not None and len(seen) == 1:
            twins.distribution(told, exact=exact[0] + exact[1], counts=seen[0][1].sum(axis=0))
        return cls(head=seat.head(mix) | dict(part.at), where=told, exact=exact, seen=seen, twins=twins)

    @property
    def pmf(self) -> Floats:
        """Chances of the totals, (n_totals,) float64."""
        return self.exact.without + self.exact.together

    def _chance(self, name: str, low: int, high: int | None, *, together: bool = False) -> Record:
        """The chance of a total from ``low`` to below ``high``."""
        p = self.exact.together if together else self.pmf
        some = slice(1, 2) if together else slice(None)
        return self._columns(name, float(p[low:high].sum()), [int(found[some, low:high].sum()) for _, found, _ in self.seen or ()])

    def _columns(self, name: str, chance: float, counts: Sequence[int], at: str = "") -> Record:
        """The columns of a chance, seen so many times in the trials of each foe."""
        exact, where = min(1.0, chance), f"{self.where}{at}"
        if self.seen is None:
            return {name: exact}
        seen = [(weight, count, trials) for (weight, _, trials), count in zip(self.seen, counts, strict=True)]
        return self.twins.chances(where, name, exact=exact, seen=seen)

    def _mean(self, exact: float, sd: float) -> Record:
        if self.seen is None:
            return {"mean": exact}
        found, variance = 0.0, 0.0
        for weight, counts, trials in self.seen:
            total = np.arange(counts.shape[1])
            mean = float(counts.sum(axis=0) @ total) / trials
            found += weight * mean
            variance += weight**2 * float(counts.sum(axis=0) @ (total - mean) ** 2) / max(1, trials - 1) / trials
        trials = self.seen[0][2]
        if len(self.seen) == 1:
            occurring = 1.0 - float(self.pmf[0])
            return self.twins.mean(self.where, "mean", exact=exact, sd=sd, found=found, error=sqrt(variance), trials=trials, occurring=occurring)
        return self.twins.estimate(self.where, "mean", exact=exact, found=found, error=sqrt(variance), trials=trials)

    def summary(self, asked: Asked) -> Record:
        """The record of what the distribution comes to."""
        p = self.pmf
        total = np.arange(len(p))
        mean = float(p @ total)
        sd = sqrt(float(p @ (total - mean) ** 2))
        record = self.head | self._mean(mean, sd) | {"sd": sd} | self._chance("no_damage", 0, 1)
        record |= {f"q{round(100 * share)}": self.quantile(share) for share in SHARES}
        for least in asked.at_least:
            record |= self._chance(f"at_least_{least}", least, None)
            if asked.rider is not None:
                record |= self._chance(f"at_least_{least}_together", least, None, together=True)
        if asked.rider is not None:
            record["together_with"] = asked.rider
        if asked.observed is not None:
            record["observed"] = asked.observed
            record |= self._chance("observed_at_most", 0, asked.observed + 1) | self._chance("observed_at_least", asked.observed, None)
        return record

    def marks(self, asked: Asked) -> Record:
        """What was asked for of the distribution, for its figure: chances to deal at least so much, and what was observed."""
        marked: Record = {f"at_least_{least}": min(1.0, float(self.pmf[least:].sum())) for least in asked.at_least}
        return marked if asked.observed is None else marked | {"observed": asked.observed}

    def totals(self, asked: Asked) -> Iterator[Record]:
        """A record per total that can come up."""
        whole: list[tuple[str, Callable[[NDArray[Any]], NDArray[Any]]]] = [("chance", _same), ("at_most", np.cumsum), ("at_least", _upwards)]
        joint = [("chance_together", _same), ("at_least_together", _upwards)] if asked.rider is not None else []
        p = self.pmf
        counted = [found.sum(axis=0) for _, found, _ in self.seen or ()], [found[1] for _, found, _ in self.seen or ()]
        columns = [(name, view(p), [view(_wide(one, len(p))) for one in counted[0]]) for name, view in whole]
        columns += [(name, view(self.exact.together), [view(_wide(one, len(p))) for one in counted[1]]) for name, view in joint]
        for total in np.flatnonzero(p).tolist():
            record = self.head | {"total": total}
            if asked.rider is not None:
                record["together_with"] = asked.rider
            for name, exact, counts in columns:
                record |= self._columns(name, float(exact[total]), [int(count[total]) for count in counts], f", total {total}")
            yield record

    def aside(self) -> Spread:
        """The same, judged by nobody."""
        return replace(self, twins=Twins())

    def quantile(self, share: float) -> int:
        """The least total that this share does not exceed."""
        return int(np.argmax(np.cumsum(self.pmf) >= share - _ROUNDING))

    def note(self, asked: Asked) -> str | None:
        """What it comes to, in a sentence."""
        if asked.attacks and asked.observed is None:
            return None
        what = "attacks" if asked.attacks else "rounds" if asked.rounds == 1 else f"runs of {asked.rounds} rounds"
        if asked.observed is None:
            return f"{self.where}: half of all {what} deal {self.quantile(0.25)} to {self.quantile(0.75)} points"
        known = np.flatnonzero(self.pmf)
        if asked.observed not in known:
            return f"{self.where}: {asked.observed} points cannot come up: the totals of {what} are {known[0]} to {known[-1]}"
        less, more = float(self.pmf[: asked.observed + 1].sum()), float(self.pmf[asked.observed :].sum())
        luck = "bad luck" if less < 0.25 and less < more else "good luck" if more < 0.25 and more < less else "nothing unusual"
        return f"{self.where}: {asked.observed} points are {luck}; {_percent(less)} of all {what} deal that or less, {_percent(more)} that or more"


def _percent(chance: float) -> str:
    return f"{min(100.0, 100.0 * chance):.3g} %"


def _same(values: NDArray[Any]) -> NDArray[Any]:
    return values


def _upwards(values: NDArray[Any]) -> NDArray[Any]:
    """The sum of each value and all after it."""
    return values[::-1].cumsum()[::-1]


def _wide(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Counts of at least so many totals: the highest are seldom rolled."""
    return np.pad(counts, (0, max(0, size - len(counts))))
