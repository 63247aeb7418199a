"""Throws of area attacks by a build before the foes of a question: computed, counted, and weighed into figures with their twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from analyzer.asking.foes import Foe
from analyzer.asking.seats import Faced, Seat, Simulation, child_seed
from analyzer.asking.twins import Twins
from analyzer.exact.blast import Blast, blast
from analyzer.plan import LANDINGS, Attack, Ground, Plan, sweep
from analyzer.pmf import Floats
from analyzer.records import Record
from analyzer.rulekit.models import TargetKeys

MISS_CHANCE = "miss_chance"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Counted:
    """What was counted of the throws at one foe."""

    trials: int
    #: (33,) throws by landing, and damage of those: sum and sum of squares
    landing: Floats
    dealt: Floats
    #: mean powers 1 to 4 of the damage: (n_creature, 4) to each, (4,) to all with one roll, (4,) to all with a roll each
    each: Floats
    shared: Floats
    apart: Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Throw:
    """One area attack of a build before every foe: the ground, what was computed and what was counted."""

    seat: Seat
    label: str
    acs: tuple[int, ...]
    grounds: tuple[Ground, ...]
    caught: tuple[Floats, ...]
    exact: tuple[Blast, ...]
    counted: tuple[Counted, ...] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Mixed:
    """A mix of foes: figures of each are weighed into one, beside what was simulated."""

    throw: Throw
    weights: tuple[tuple[int, float], ...]
    where: str
    twins: Twins

    def weigh(self, values: Sequence[float]) -> float:
        """The mean of a figure of every foe of the mix, in its order."""
        return float(sum(weight * value for (_, weight), value in zip(self.weights, values, strict=True)))

    def exact(self) -> list[Blast]:
        """What was computed of every foe of the mix."""
        return [self.throw.exact[foe] for foe, _ in self.weights]

    def grounds(self) -> list[Ground]:
        """The ground of every foe of the mix."""
        return [self.throw.grounds[foe] for foe, _ in self.weights]

    def caught(self) -> list[Floats]:
        """Who is caught where, (33, n_creature), of every foe of the mix."""
        return [self.throw.caught[foe] for foe, _ in self.weights]

    def seen(self) -> list[Counted]:
        """What was counted of every foe of the mix."""
        return [] if self.throw.counted is None else [self.throw.counted[foe] for foe, _ in self.weights]

    def chance(self, name: str, exact: Sequence[float], counts: Sequence[float]) -> Record:
        """The columns of a chance."""
        seen, value = self.seen(), min(1.0, self.weigh(exact))
        if not seen:
            return {name: value}
        parts = [(weight, int(count), one.trials) for (_, weight), count, one in zip(self.weights, counts, seen, strict=True)]
        return self.twins.chances(self.where, name, exact=value, seen=parts)

    def mean(self, name: str, exact: Sequence[float], found: Sequence[float], variances: Sequence[float], occurring: float) -> Record:
        """The columns of a mean, given the variance of one throw."""
        value, seen = self.weigh(exact), self.seen()
        if not seen:
            return {name: value}
        error = sqrt(sum(weight**2 * max(variance, 0.0) for (_, weight), variance in zip(self.weights, variances, strict=True)) / seen[0].trials)
        trials = seen[0].trials
        return self.twins.estimate(self.where, name, exact=value, found=self.weigh(found), error=error, trials=trials, occurrences=trials * occurring)

    def damage(self, moments: Sequence[Floats], powers: Sequence[Floats], occurring: float) -> Record:
        """The columns of a mean damage and its deviation, given exact first and second moments and simulated mean powers 1 to 4."""
        found = [float(power[0]) for power in powers]
        record = self.mean("damage", [float(one[0]) for one in moments], found, [float(p[1] - p[0] ** 2) for p in powers], occurring)
        return record | self.spread("sd", moments, powers, occurring)

    def spread(self, name: str, moments: Sequence[Floats], powers: Sequence[Floats], occurring: float) -> Record:
        """The columns of a standard deviation.

        The simulated one's error is that of the mean of ``x**2 - 2 m x`` (m: the mean), divided by twice the deviation.
        """
        value = sqrt(max(self.weigh([float(one[1]) for one in moments]) - self.weigh([float(one[0]) for one in moments]) ** 2, 0.0))
        seen = self.seen()
        if not seen:
            return {name: value}
        m, trials = self.weigh([float(power[0]) for power in powers]), seen[0].trials
        found = sqrt(max(self.weigh([float(power[1]) for power in powers]) - m * m, 0.0))
        influence = [float(p[3] - 4 * m * p[2] + 4 * m * m * p[1] - (p[1] - 2 * m * p[0]) ** 2) for p in powers]
        error = sqrt(sum(weight**2 * max(one, 0.0) for (_, weight), one in zip(self.weights, influence, strict=True)) / trials)
        error = error / (2.0 * found) if found > 0.0 else 0.0
        return self.twins.estimate(self.where, name, exact=value, found=found, error=error, trials=trials, occurrences=trials * occurring)

    def given(self, place: int, share: Sequence[float]) -> Record:
        """The columns of the mean damage where it lands at a place, each foe having a share in that."""
        value = self.weigh([part * float(one.dealt[place]) for part, one in zip(share, self.exact(), strict=True)])
        seen = self.seen()
        if not seen:
            return {"damage": value}
        sums = [(float(one.landing[place]), *map(float, one.dealt[place])) for one in seen]
        means = [total / count if count else 0.0 for count, total, _ in sums]
        errors = [max(squares / count - mean**2, 0.0) / count if count else 0.0 for (count, _, squares), mean in zip(sums, means, strict=True)]
        parts = [weight * part for (_, weight), part in zip(self.weights, share, strict=True)]
        found = sum(part * mean for part, mean in zip(parts, means, strict=True))
        error = sqrt(sum(part**2 * one for part, one in zip(parts, errors, strict=True)))
        return self.twins.estimate(
            self.where, "damage", exact=value, found=found, error=error, trials=seen[0].trials, occurrences=min(count for count, _, _ in sums)
        )


def placed(foe: Foe, opponent: TargetKeys | None) -> Foe:
    """A creature of a table where the target of the build file stands: its group, its distance and its thrower, unless the table has its own.

    A miss chance is left out: the attack is aimed at an intersection.
    """
    keys = ({} if opponent is None else opponent.place()) | dict(foe.keys or ())
    return replace(foe, keys=tuple((key, value) for key, value in keys.items() if key != MISS_CHANCE))


def thrown(seat: Seat, how: Simulation | None) -> Iterator[Throw]:
    """Every area attack of a build whose game says where things are, each of several alike once.

    Parameters
    ----------
    seat : Seat
        The build before its foes.
    how : Simulation, optional
        How it is simulated, if it is.
    """
    done: list[list[Attack]] = []
    for step in range(max(len(faced.plan.steps) for faced in seat.faced)):
        attacks = [_area_attack(faced.plan, step) for faced in seat.faced]
        made = [attack for attack in attacks if attack is not None]
        if len(made) == len(attacks) and made not in done:
            done.append(made)
            yield _throw(seat, made, how)


def _area_attack(plan: Plan, step: int) -> Attack | None:
    """The area attack of a step, in the first state that makes one."""
    variants = plan.steps[step].variants if step < len(plan.steps) else ()
    return next((attack for attack in variants if attack is not None and attack.area is not None and attack.area.ground is not None), None)


def _throw(seat: Seat, attacks: Sequence[Attack], how: Simulation | None) -> Throw:
    """One attack, which may differ from foe to foe by its bonus or its ground."""
    exact: dict[int, Blast] = {}
    acs: dict[int, int] = {}
    where: dict[int, tuple[Faced, Attack]] = {}
    for faced, attack in zip(seat.faced, attacks, strict=True):
        defences = sweep(faced.plan, faced.target, faced.acs)
        for row, foe in enumerate(faced.foes):
            exact[foe] = blast(attack, faced.target, defences[row])
            acs[foe] = int(defences[row, attack.defence])
            where[foe] = (faced, attack)
    foes = range(len(seat.field.foes))
    counted = None
    if how is not None:
        with ThreadPoolExecutor(how.workers) as pool:
            counted = tuple(pool.map(lambda foe: _count(*where[foe], acs[foe], how.trials, seat.seed(how.seed, foe)), foes))
    areas = [where[foe][1].area for foe in foes]
    return Throw(
        seat=seat,
        label=attacks[0].label,
        acs=tuple(acs[foe] for foe in foes),
        grounds=tuple(area.ground for area in areas if area is not None and area.ground is not None),
        caught=tuple(np.array(area.caught) for area in areas if area is not None),
        exact=tuple(exact[foe] for foe in foes),
        counted=counted,
    )


def _count(faced: Faced, attack: Attack, defence: int, trials: int, seed: int) -> Counted:
    """Throws at one foe, counted."""
    from analyzer.montecarlo import throws  # noqa: PLC0415 - Numba costs start-up time

    creatures = 0 if attack.area is None else len(attack.area.caught[0])
    landing, dealt = np.zeros(LANDINGS), np.zeros((LANDINGS, 2))
    sums = np.zeros((creatures + 2, 4))
    alone = faced.target.but(ac=(defence,) * len(faced.target.ac), follows_sweep=(True,) * len(faced.target.ac))
    for chunk in throws(attack, alone, defence, trials=trials, seed=seed, seeds=[child_seed(seed, 1 + creature) for creature in range(creatures)]):
        landed = chunk.landing >= 0
        landing += np.bincount(chunk.landing[landed], minlength=LANDINGS)
        for power in (1, 2):
            dealt[:, power - 1] += np.bincount(chunk.landing[landed], weights=chunk.total[landed].astype(np.float64) ** power, minlength=LANDINGS)
        values = np.vstack([chunk.each.T, chunk.total, chunk.each.sum(axis=1)]).astype(np.float64)
        for power in range(4):
            sums[:, power] += (values ** (power + 1)).sum(axis=1)
    sums /= trials
    return Counted(trials=trials, landing=landing, dealt=dealt, each=sums[:creatures], shared=sums[creatures], apart=sums[creatures + 1])
