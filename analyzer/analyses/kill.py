"""Kill: how soon the target is dead, how sure that is, and how much damage is wasted on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from analyzer.exact import Prospects, march, prospects, strike
from analyzer.foes import HitPoints
from analyzer.parameters import Choice, Whole
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.question import AcOrOwn, AgainstTable, Column, Found, Hp, Seed, Trials, Workers, question
from analyzer.records import Record
from analyzer.seats import Seat, child_seed, seats
from analyzer.twins import Twins

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.montecarlo import Deaths

#: Rounds among which the median and the 90 % round are looked for.
MOST_ROUNDS = 10_000
_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="hp", heading="HP"),
    Column(key="rounds", heading="round"),
    Column(key="attack", heading="attack"),
    Column(key="dead", heading="dead by then", digits=2, percent=True),
    Column(key="mean_rounds", heading="mean rounds", digits=3),
    Column(key="median_rounds", heading="median"),
    Column(key="rounds_90", heading="90 % by"),
    Column(key="overkill", heading="overkill", digits=2),
    Column(key="effective_dpr", heading="effective DPR", digits=3),
    *(Column(key=f"dead_{n}", heading="dead by round 1" if n == 1 else f"by {n}", digits=1, percent=True) for n in range(1, 6)),
)
_CAPTION = "overkill: points of the killing attack beyond the last hit point; effective DPR: points that counted, per round until dead"


class _Fights(NamedTuple):
    """One build's fights, weighed into mixes."""

    seat: Seat
    #: per round (n_mix, n_steps): dead by this attack
    dead: list[Floats]
    #: per mix what the foes' fights come to: (weight, prospects)
    prospects: list[list[tuple[float, Prospects]]]
    #: rounds by which half, and nine tenths, of the fights are over
    quantiles: list[list[int | None]]


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.deaths import deaths_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return deaths_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", caption=_CAPTION)
def kill(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    hp: Hp = None,
    regeneration: Annotated[int, Whole(low=0, high=10_000)] = 0,
    rounds: Annotated[int, Whole(low=1, high=1000)] = 12,
    by: Annotated[Literal["summary", "round", "attack"], Choice(("summary", "round", "attack"))] = "summary",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """How many rounds it takes to kill the target, the chance that it is dead by each round or attack, and what is wasted.

    A fight plays the listed rounds of a build, the last repeating, until the target is dead; attacks after that are not made.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    {hp}
    regeneration : int
        Points the target gets back at the end of each round, up to what it had; not once dead.
    rounds : int
        Rounds of the curve.
    by : str
        A row per build and target (``summary``), per round, or per attack.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        ``summary``: ``mean_rounds``, ``median_rounds``, ``rounds_90`` (by when half and nine tenths of the fights are over), ``overkill`` (mean points of the
        killing attack beyond the last hit point), ``effective_dpr`` (points that counted per round until dead), ``dead_1``, ``dead_2`` ... (chance 0..1);
        None where the target may never die. Else ``dead`` by the end of ``rounds``, or of ``attack`` in it.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a target without hit points.
    """
    fought = [_fought(seat, regeneration, rounds) for seat in seats(builds, ac, target=target, against=against, hp=hp, course=True)]
    twins = Twins()
    records: list[Record] = []
    for one in fought:
        seen = _simulated(one.seat, regeneration, trials, seed or 0) if simulate else None
        for mix in range(len(one.seat.field.mixes)):
            head = one.seat.head(mix) | {"hp": _hp(one.seat, mix)}
            records += _records(one, mix, head, rounds, by, None if seen is None else _Seen(one.seat, mix, seen, twins))
    return Found(
        records=records,
        notes=tuple(_notes(fought, regeneration)),
        verdict=twins.verdict() if simulate else None,
        seed=seed,
        trials=trials if simulate else None,
    )


def _fought(seat: Seat, regeneration: int, rounds: int) -> _Fights:
    """A build's fights with every foe, followed until nine tenths of those of every mix are over."""
    n_foe = len(seat.field.foes)
    marches: list[Iterator[Floats]] = [iter(())] * n_foe
    ends: dict[int, Prospects] = {}
    for faced in seat.faced:
        points = [_points(seat, foe).pmf for foe in faced.foes]
        strikes = [strike(plan, faced.target, faced.acs, max(pmf.high for pmf in points)) for plan in faced.plans]
        places = range(len(faced.foes))
        for foe, place, pmf, found in zip(faced.foes, places, points, prospects(strikes, places, points, regeneration), strict=True):
            marches[foe], ends[foe] = march(strikes, place, pmf, regeneration), found
    reachable = seat.mixed(np.array([ends[foe].ever for foe in range(n_foe)]))
    dead: list[Floats] = []
    sums = np.zeros(len(seat.field.mixes))
    quantiles: list[list[int | None]] = [[None, None] for _ in sums]
    for number in count(1):
        new = seat.mixed(_even([next(one) for one in marches]))
        by_attack = sums[:, np.newaxis] + new.cumsum(axis=1)
        sums = sums + new.sum(axis=1)
        if number <= rounds:
            dead.append(np.minimum(by_attack, 1.0))
        for found, so_far in zip(quantiles, sums.tolist(), strict=True):
            for i, share in enumerate((0.5, 0.9)):
                found[i] = number if found[i] is None and so_far >= share else found[i]
        waiting = any(whole > 0.9 and found[1] is None for whole, found in zip(reachable.tolist(), quantiles, strict=True))
        if number >= rounds and (number >= MOST_ROUNDS or not waiting):
            break
    weighed = [[(weight, ends[foe]) for foe, weight in mix.weights] for mix in seat.field.mixes]
    return _Fights(seat, dead, weighed, quantiles)


def _points(seat: Seat, foe: int) -> HitPoints:
    points = seat.hp[foe]
    if points is None:
        who = seat.field.foes[foe].name or "the target"
        raise ValueError(f"hp must be given, with the question, in the target or in every row of the table; got none for {who} against {seat.build.name!r}")
    return points


def _even(rows: Sequence[Floats]) -> Floats:
    """Rows of one length: foes may be met with different numbers of attacks."""
    wide = max(1, *(len(row) for row in rows))
    return np.array([np.pad(row, (0, wide - len(row))) for row in rows])


def _hp(seat: Seat, mix: int) -> str | int | None:
    """The hit points of a mix as they were written; None where its foes have different ones."""
    written = {_points(seat, foe).text for foe, _ in seat.field.mixes[mix].weights}
    text = written.pop() if len(written) == 1 else None
    return int(text) if text is not None and text.isdigit() else text


def _weighed(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """The weighted mean; None when one is."""
    known = [(weight, value) for weight, value in parts if value is not None]
    return sum(weight * value for weight, value in known) if len(known) == len(parts) else None


def _records(one: _Fights, mix: int, head: Record, rounds: int, by: str, seen: _Seen | None) -> Iterator[Record]:
    if by == "attack":
        for number in range(1, rounds + 1):
            for attack, chance in enumerate(one.dead[number - 1][mix].tolist(), 1):
                at: Record = {"rounds": number, "attack": attack}
                yield head | at | ({"dead": chance} if seen is None else seen.dead("dead", number, attack, chance))
        return
    curve = [float(row[mix, -1]) for row in one.dead]
    if by == "round":
        for number, chance in enumerate(curve, 1):
            yield head | {"rounds": number} | ({"dead": chance} if seen is None else seen.dead("dead", number, None, chance))
        return
    ends = one.prospects[mix]
    mean = _weighed([(weight, end.rounds) for weight, end in ends])
    taken = _weighed([(weight, end.taken) for weight, end in ends])
    wasted, ever = _weighed([(weight, end.waste) for weight, end in ends]), sum(weight * end.ever for weight, end in ends)
    found: list[tuple[str, float | None]] = [
        ("mean_rounds", mean),
        ("overkill", wasted / ever if wasted is not None and ever > 0 else None),
        ("effective_dpr", taken / mean if taken is not None and mean else None),
    ]
    record = head
    for name, exact in found:
        record |= {name: exact} if seen is None or exact is None else seen.figure(name, exact)
        if name == "mean_rounds":
            record |= dict(zip(("median_rounds", "rounds_90"), one.quantiles[mix], strict=True))
    for number, chance in enumerate(curve, 1):
        name = f"dead_{number}"
        record |= {name: chance} if seen is None else seen.dead(name, number, None, chance)
    yield record


class _Seen(NamedTuple):
    """The simulated fights of a mix."""

    seat: Seat
    mix: int
    deaths: list[Deaths]
    twins: Twins

    @property
    def where(self) -> str:
        """What the fights are called in a verdict."""
        faces = self.seat.faces(self.mix)
        return f"{self.seat.build.name}, {faces.get('against', 'AC ' + str(faces['ac']))}"

    def dead(self, name: str, number: int, attack: int | None, exact: float) -> Record:
        """The chance to be dead by a round, or by an attack of it."""
        weights = self.seat.field.mixes[self.mix].weights
        counts = {foe: self.deaths[foe].by(number, attack) for foe, _ in weights}
        told = self.where if name != "dead" else f"{self.where}, round {number}{'' if attack is None else f', attack {attack}'}"
        if len(weights) == 1:
            foe = weights[0][0]
            return self.twins.chance(told, name, exact=exact, count=counts[foe], trials=self.deaths[foe].trials)
        trials = self.deaths[weights[0][0]].trials
        shares = [(weight, counts[foe] / trials) for foe, weight in weights]
        error = sqrt(sum(weight**2 * share * (1.0 - share) / trials for weight, share in shares))
        often = trials * min(exact, 1.0 - exact)
        return self.twins.estimate(told, name, exact=exact, found=sum(w * share for w, share in shares), error=error, trials=trials, occurrences=often)

    def figure(self, name: str, exact: float) -> Record:
        """A mean over whole fights, or the ratio of two; without a twin where some fight went on for too long."""
        parts = [(weight, self.deaths[foe]) for foe, weight in self.seat.field.mixes[self.mix].weights]
        if any(one.unfinished for _, one in parts):
            return {name: exact}
        rounds, wasted, taken = (sum(weight * one.sums[i] / one.trials for weight, one in parts) for i in range(3))
        if name == "effective_dpr":
            found = taken / rounds
            variance = sum(
                w**2 * (one.covariance(2, 2) - 2.0 * found * one.covariance(0, 2) + found**2 * one.covariance(0, 0)) / one.trials for w, one in parts
            )
            error = sqrt(max(variance, 0.0)) / rounds
        else:
            i = 0 if name == "mean_rounds" else 1
            found = rounds if i == 0 else wasted
            error = sqrt(sum(w**2 * one.covariance(i, i) / one.trials for w, one in parts))
        return self.twins.estimate(self.where, name, exact=exact, found=found, error=error, trials=parts[0][1].trials)


def _simulated(seat: Seat, regeneration: int, trials: int, seed: int) -> list[Deaths]:
    """Every foe's fights."""
    from analyzer.montecarlo import deaths  # noqa: PLC0415 - Numba costs start-up time

    out: dict[int, Deaths] = {}
    for faced in seat.faced:
        for foe, ac in zip(faced.foes, faced.acs, strict=True):
            dice, hp = seat.seed(seed, foe), _points(seat, foe)
            out[foe] = deaths(
                faced.plans,
                faced.target,
                ac,
                dice=hp.dice,
                flat=hp.flat,
                regeneration=regeneration,
                trials=trials,
                seed=dice,
                hp_seed=child_seed(dice, 0),
            )
    return [out[foe] for foe in range(len(out))]


def _notes(fought: Sequence[_Fights], regeneration: int) -> Iterator[str]:
    """Who kills soonest where, and who may never."""
    field = fought[0].seat.field
    if len(fought) > 1:
        mixes = range(len(field.mixes)) if field.swept else range(1)
        soonest = [(mix, _soonest(fought, mix)) for mix in mixes]
        told = []
        for name, run in groupby(soonest, key=lambda pair: pair[1]):
            if name is not None:
                acs = [fought[0].seat.faces(mix)["ac"] for mix, _ in run]
                span = "" if len(mixes) == 1 else f" at AC {acs[0]}" if len(acs) == 1 else f" at AC {acs[0]} to {acs[-1]}"
                told.append(f"{name}{span}")
        if told:
            yield f"kills soonest on average: {', '.join(told)}"
    for one in fought:
        never = [mix for mix in range(len(one.prospects)) if any(end.rounds is None for _, end in one.prospects[mix])]
        if never:
            why = "it deals too little" if not regeneration else f"regeneration {regeneration} gives back too much"
            what = ", ".join(str(face.get("against", f"AC {face['ac']}")) for face in map(one.seat.faces, never))
            yield f"{one.seat.build.name} may never kill, or too late to tell ({what}): {why}"


def _soonest(fought: Sequence[_Fights], mix: int) -> str | None:
    """The build with the fewest rounds on average, if any has a mean."""
    means = [(_weighed([(weight, end.rounds) for weight, end in one.prospects[mix]]), one.seat.build.name) for one in fought]
    return min(((mean, name) for mean, name in means if mean is not None), default=(0.0, None))[1]
