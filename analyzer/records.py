"""Flat records of a round and of its attacks: the exact figures, and beside them what a simulation found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.exact import Round
from analyzer.precision import Averaged, Occurred, Precision, Seen
from analyzer.verdict import Figure, chance_p, distribution_p, mean_p

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally

Value = str | int | float | None
Record = dict[str, Value]
Detail = Literal["round", "attack"]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Chance:
    """A chance per round or attack: its exact value and how often the simulation saw it."""

    name: str
    exact: float
    count: int | None

    def columns(self, trials: int) -> Record:
        if self.count is None:
            return {self.name: self.exact}
        found = self.count / trials
        se = sqrt(found * (1.0 - found) / trials) or None
        return {self.name: self.exact, **beside(self.name, found, se, self.exact, self.spread / sqrt(trials))}

    @property
    def spread(self) -> float:
        """Exact standard deviation in a round."""
        return sqrt(max(self.exact * (1.0 - self.exact), 0.0))

    @property
    def often(self) -> float:
        """Chance of the rarer outcome."""
        return min(self.exact, 1.0 - self.exact)

    def p(self, trials: int) -> float | None:
        return chance_p(self.count or 0, trials, self.exact)

    def seen(self, trials: int) -> Seen | None:
        return None if self.count is None else Occurred(count=self.count, trials=trials)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Mean:
    """A mean per round: its exact value and SD, the chance that it is not zero, and the simulation's integer sums.

    Where the simulation kept them apart, ``counts`` are its rounds by value; else ``nonzero`` says how many of them had any.
    """

    name: str
    exact: float
    sd: float
    occurring: float
    sums: tuple[int, int] | None
    counts: NDArray[np.int64] | None = None
    nonzero: int = 0

    def columns(self, trials: int) -> Record:
        if self.sums is None:
            return {self.name: self.exact}
        total, squares = self.sums
        se = sqrt(_sample_variance(trials, total, squares) / trials) or None
        return {self.name: self.exact, **beside(self.name, total / trials, se, self.exact, self.sd / sqrt(trials))}

    @property
    def spread(self) -> float:
        """Exact standard deviation in a round."""
        return self.sd

    @property
    def often(self) -> float:
        """Chance that it is not zero."""
        return self.occurring

    def p(self, trials: int) -> float | None:
        total = self.sums[0] if self.sums else 0
        return mean_p(total / trials, trials, self.exact, self.sd, self.occurring)

    def seen(self, trials: int) -> Seen | None:
        if self.sums is None:
            return None
        total, squares = self.sums
        return Averaged(
            trials=trials,
            value=total / trials,
            variance=_sample_variance(trials, total, squares),
            effective=float(self.nonzero) if self.counts is None else _effective(self.counts),
            range=inf if self.counts is None else float(len(self.counts) - 1),
        )


Simulable = _Chance | _Mean


def _sample_variance(trials: int, total: int, squares: int) -> float:
    """Sample variance (divisor n - 1) from integer sums, without cancellation; 0 for a single trial."""
    return (trials * squares - total * total) / (trials * (trials - 1)) if trials > 1 else 0.0


def beside(name: str, found: float, se: float | None, exact: float, exact_se: float) -> Record:
    """What stands beside a figure: the simulation, its standard error, and the difference in exact standard errors."""
    return {f"{name}_mc": found, f"{name}_se": se, f"{name}_z": (found - exact) / exact_se if exact_se > 0.0 else None}


def _weighted(counts: NDArray[np.int64]) -> tuple[int, int]:
    """Sum and sum of squares of the index of an array of counts."""
    k = np.arange(len(counts), dtype=np.int64)
    return int(counts @ k), int(counts @ (k * k))


def _effective(counts: NDArray[np.int64]) -> float:
    """Rounds divided by the kurtosis of their values; 0 when nothing varied."""
    values = np.arange(len(counts), dtype=np.float64)
    trials = counts.sum()
    apart = values - np.sum(values * counts) / trials
    fourth = np.sum(counts * apart**4)
    return float(np.sum(counts * apart**2) ** 2 / fourth) if fourth > 0.0 else 0.0


def round_figures(exact: Round, i: int, tally: Tally | None) -> list[Simulable]:
    """The figures of one AC's round, in the order they are shown."""
    by_hits = None if tally is None else tally.table.sum(axis=1)
    by_crits = None if tally is None else tally.table.sum(axis=0)
    any_hit, any_crit = float(exact.any_hit[i]), float(exact.any_crit[i])
    none = float(exact.no_damage[i])
    zeros = None if tally is None or tally.histogram is None else int(tally.histogram[0])
    figures: list[Simulable] = [
        _Mean(
            name="dpr",
            exact=float(exact.dpr[i]),
            sd=float(exact.sd[i]),
            occurring=1.0 - none,
            sums=None if tally is None else (tally.total, tally.total_squares),
            counts=None if tally is None else tally.histogram,
            nonzero=0 if by_hits is None else int(by_hits[1:].sum()),
        ),
        _Mean(
            name="hits",
            exact=float(exact.hits[i]),
            sd=float(exact.hits_sd[i]),
            occurring=any_hit,
            sums=None if by_hits is None else _weighted(by_hits),
            counts=by_hits,
        ),
        _Mean(
            name="crits",
            exact=float(exact.crits[i]),
            sd=float(exact.crits_sd[i]),
            occurring=any_crit,
            sums=None if by_crits is None else _weighted(by_crits),
            counts=by_crits,
        ),
        _Chance(name="any_hit", exact=any_hit, count=None if by_hits is None else int(by_hits[1:].sum())),
        _Chance(name="any_crit", exact=any_crit, count=None if by_crits is None else int(by_crits[1:].sum())),
        _Chance(name="no_damage", exact=none, count=zeros),
    ]
    for effect, chance in exact.effects.items():
        count = None if tally is None else tally.any_effect[effect]
        figures.append(_Chance(name=_any_effect(effect), exact=float(chance[i]), count=count))
    return figures


def _any_effect(effect: str) -> str:
    """The column of the chance that a critical effect comes up at least once: ``any_burn``."""
    name = f"any_{effect.replace(' ', '_')}"
    return f"{name}_effect" if name in ("any_hit", "any_crit") else name


def attack_figures(exact: Round, i: int, k: int, tally: Tally | None) -> list[Simulable]:
    """The figures of one attack of one AC's round."""
    attack = exact.attacks[k]
    degrees = None if tally is None else tally.counts[k]
    figures: list[Simulable] = [
        _Chance(name="hit_chance", exact=float(attack.hit[i]), count=None if degrees is None else int(degrees[2:].sum())),
        _Chance(name="threat_chance", exact=float(attack.threat[i]), count=None if tally is None else int(tally.threats[k])),
        _Chance(name="crit_chance", exact=float(attack.crit[i]), count=None if degrees is None else int(degrees[3])),
        _Mean(
            name="mean",
            exact=float(attack.mean[i]),
            sd=float(attack.mean_sd[i]),
            occurring=float(attack.hit[i]) or 1.0,
            sums=None if tally is None else (sum(tally.sums[k].tolist()), sum(tally.squares[k].tolist())),
            nonzero=0 if degrees is None else int(degrees[2:].sum()),
        ),
    ]
    if attack.effect is not None:
        count = None if tally is None else int(tally.effects[k])
        figures.append(_Chance(name="effect_chance", exact=float(attack.effect_chance[i]), count=count))
    return figures


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """One build over a sweep: the exact round and, when it was simulated, a tally per AC."""

    system: str
    build: str
    exact: Round
    tallies: tuple[Tally, ...] | None = None
    #: what the simulation was to reach; the figures it is of have an interval
    precision: Precision | None = None
    #: whether the simulation was interrupted
    partial: bool = False

    def tally(self, i: int) -> Tally | None:
        """The tally of the i-th AC."""
        return None if self.tallies is None else self.tallies[i]

    def figures(self, i: int) -> list[Simulable]:
        """The figures of the i-th AC's round."""
        return round_figures(self.exact, i, self.tally(i))

    def attack_figures(self, i: int, k: int) -> list[Simulable]:
        """The figures of the k-th attack at the i-th AC."""
        return attack_figures(self.exact, i, k, self.tally(i))


def figure_names(exact: Round) -> tuple[str, ...]:
    """Every figure of a round and of its attacks, by its column."""
    rounds = [figure.name for figure in round_figures(exact, 0, None)] if len(exact.acs) else []
    attacks = [figure.name for k in range(len(exact.attacks)) for figure in attack_figures(exact, 0, k, None)] if len(exact.acs) else []
    return tuple(dict.fromkeys([*rounds, *attacks]))


def seen(exact: Round, i: int, tally: Tally, of: Collection[str]) -> Iterator[Seen | None]:
    """What a tally of the i-th AC says of some figures; a figure of attacks is one of every attack, and None is said of what was not counted."""
    listed = [*round_figures(exact, i, tally), *(figure for k in range(len(exact.attacks)) for figure in attack_figures(exact, i, k, tally))]
    return (figure.seen(tally.trials) for figure in listed if figure.name in of)


def columns(figures: Iterable[Simulable], tally: Tally | None, precision: Precision | None = None) -> Record:
    """The columns of some figures: the exact ones, what a simulation found of each, and the intervals of those a precision is of."""
    record: Record = {}
    for figure in figures:
        record |= figure.columns(1 if tally is None else tally.trials)
        found = figure.seen(tally.trials) if tally is not None and precision is not None and figure.name in precision.of else None
        if precision is not None and found is not None:
            record[f"{figure.name}_low"], record[f"{figure.name}_high"] = precision.interval(found)
    return record


def decimals(value: float, digits: int) -> str:
    """A number in a sentence, freed of the last bits first as it is in a table: one half way between two is written alike however it was summed."""
    return f"{round(value, digits + 9):.{digits}f}"


def facing(record: Record) -> str:
    """What a record faces, in words: its creature, or its armor class."""
    return str(record["against"]) if "against" in record else f"AC {record['ac']}"


def _trials(played: Played, i: int) -> Record:
    """How many rounds an AC was simulated, where that is not one number for the whole run."""
    tally = played.tally(i)
    return {"trials": tally.trials} if tally is not None and (played.partial or played.precision is not None) else {}


def round_records(played: Played) -> Iterator[Record]:
    """A record per AC: damage points and expected numbers per round, chances of at least one."""
    for i, ac in enumerate(played.exact.acs.tolist()):
        found = columns(played.figures(i), played.tally(i), played.precision)
        record: Record = {"system": played.system, "build": played.build, "ac": ac, **_trials(played, i)}
        for name, value in found.items():
            if name == "hits":
                record["sd"] = float(played.exact.sd[i])
            record[name] = value
        yield record


def attack_records(played: Played) -> Iterator[Record]:
    """A record per AC and attack: chances per attack, and its mean damage points per round."""
    for i, ac in enumerate(played.exact.acs.tolist()):
        for k, attack in enumerate(played.exact.attacks):
            head: Record = {"system": played.system, "build": played.build, "ac": ac, "attack": k + 1, "bonus": attack.bonus}
            found = columns(played.attack_figures(i, k), played.tally(i), played.precision)
            if attack.effect is not None:
                found["effect"] = attack.effect
            yield head | _trials(played, i) | found


def check_detail(by: str) -> None:
    """Refuse what is neither per round nor per attack."""
    if by not in ("round", "attack"):
        raise ValueError(f"by must be 'round' or 'attack'; got {by!r}")


def detailed(played: Iterable[Played], by: Detail) -> list[Record]:
    """The records of some builds, per round or per attack."""
    check_detail(by)
    return [record for one in played for record in (round_records if by == "round" else attack_records)(one)]


def figures(played: Played, *, rounds: bool = True, attacks: bool = False) -> Iterator[Figure]:
    """Every simulated figure of a build with its p, and one chi-square of the totals per AC."""
    for i, ac in enumerate(played.exact.acs.tolist()):
        tally = played.tally(i)
        if tally is None:
            continue
        where = f"{played.build}, AC {ac}"
        if rounds:
            for figure in played.figures(i):
                yield Figure(name=f"{figure.name} of {where}", p=judged(figure, tally))
        if attacks:
            for k in range(len(played.exact.attacks)):
                for figure in played.attack_figures(i, k):
                    yield Figure(name=f"{figure.name} of attack {k + 1} of {where}", p=judged(figure, tally))
        p = None
        if tally.histogram is not None and played.exact.pmf is not None:
            p = distribution_p(tally.histogram, played.exact.pmf[i])
        yield Figure(name=f"distribution of {where}", p=p)


def judged(figure: Simulable, tally: Tally) -> float | None:
    """The p of a simulated figure; None when it was not counted, or cannot be judged."""
    if isinstance(figure, _Chance) and figure.count is None:
        return None
    return figure.p(tally.trials)
