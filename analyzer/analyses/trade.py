"""Trade: how much attack to give up for damage, the best setting at every armor class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from analyzer.asking.parameters import Choice, Real, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.records import Record
from analyzer.sweeps import DEFAULT, spans
from analyzer.workings.leads import TIE
from analyzer.workings.leads import difference as gained
from analyzer.workings.measures import Dpr, difference, played
from analyzer.workings.variations import UnvariedError, traded

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="trade", heading="trade"),
    Column(key="best", heading="best"),
    Column(key="dpr", heading="DPR"),
    Column(key="none", heading="DPR with none"),
    Column(key="all", heading="DPR with all"),
    Column(key="gain", heading="gain over none", signed=True),
    Column(key="over_all", heading="gain over all", signed=True),
    Column(key="ties", heading="as good"),
)
_STEP = re.compile(r"\s*-(\d{1,3})\s*/\s*\+?(\d{1,4})\s*", re.ASCII)
#: Settings of a ratio when nothing says how many.
_POINTS = 5


@dataclass(frozen=True, slots=True)
class Step:
    """A parameter such as ``-5/+10``: the attack that is given up at once and the damage it brings."""

    metavar: str = "-X/+Y"

    def check(self, value: Any, name: str) -> str:  # noqa: ANN401 - whatever a caller passes
        """The step with plain signs."""
        found = _STEP.fullmatch(value.replace("\N{MINUS SIGN}", "-")) if isinstance(value, str) else None
        if found is None or not 1 <= int(found[1]) <= 100 or not 1 <= int(found[2]) <= 1000:
            raise ValueError(f"{name} must be attack given up and damage gained, such as '-5/+10'; got {value!r}")
        return f"-{int(found[1])}/+{int(found[2])}"


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.trades import trades_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return trades_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="srd35-power-attack", grouped=("build", "level"))
def trade(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    ratio: Annotated[float | None, Real(low=0.01, high=100.0)] = None,
    step: Annotated[str | None, Step()] = None,
    most: Annotated[int | None, Whole(low=1, high=50)] = None,
    by: Annotated[str, Choice(("target", "setting"))] = "target",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Best trade of attack for damage at every armor class: Power Attack and its like.

    Parameters
    ----------
    {builds}
    ac : int, str or iterable of int, optional
        Armor class the first attack aims at: ``28``, ``"10:40"`` (inclusive) or numbers; 10:40 if left out.
    {target}
    {against}
    ratio : float, optional
        Damage for each point of attack given up, halves rounded down: 2 if neither this nor a step is given.
    step : str, optional
        Attack and damage traded at once, such as ``-5/+10``, instead of a ratio.
    most : int, optional
        Most points (5 if left out) or steps (1) that may be traded.
    by : str
        A row per ``target`` with its best setting, or one per ``setting``.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per build and target: the best ``setting`` (attack points given up; the smallest of several as good) as ``trade``, its ``dpr``, the DPR with
        ``none`` and with ``all``, ``gain`` over none and ``over_all`` (damage points per round), and ``ties``: the other settings as good, None where there are
        none. By setting: each with its ``dpr``, its ``gain`` over none and whether it is ``best``. Simulated gains are of the same dice, with the standard
        error of the paired difference. The trade comes on top of what the build does already.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a ratio beside a step.
    """
    if ratio is not None and step is not None:
        raise ValueError(f"ratio must be left out when step is given; got {ratio:g} and {step!r}")
    offers = _offers(2.0 if ratio is None else ratio, step, most)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    notes: list[str] = []
    taken = seats(builds, DEFAULT if ac is None and against is None else ac, target=target, against=against)
    for seat in taken:
        offered = _Offered.made(seat, offers)
        notes += offered.finding()
        make = offered.by_setting if by == "setting" else offered.by_target
        records += make(twins, how)
    return Found.of(records, [*notes, *standing_note(taken)], twins, how)


def _offers(ratio: float, step: str | None, most: int | None) -> tuple[tuple[int, int], ...]:
    """Attack given up and damage gained of each setting, none first."""
    if step is not None:
        down, up = (abs(int(part)) for part in step.split("/"))
        return tuple((n * down, n * up) for n in range((most or 1) + 1))
    share = Fraction(ratio).limit_denominator(1000)
    return tuple((n, n * share.numerator // share.denominator) for n in range((most or _POINTS) + 1))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Offered:
    """A build at every setting."""

    offers: tuple[tuple[int, int], ...]
    seats: tuple[Seat, ...]
    #: DPR before every foe and of every mix, (n_setting, n_foe) and (n_setting, n_mix)
    single: Floats
    mixed: Floats

    @classmethod
    def made(cls, seat: Seat, offers: tuple[tuple[int, int], ...]) -> _Offered:
        try:
            offered = (seat, *(seat.changed(traded(-down, up).of(seat.build)) for down, up in offers[1:]))
        except UnvariedError as error:
            raise ValueError(f"builds must be able to trade attack for damage; got {seat.build.name!r}: {error}") from error
        single = np.array([Dpr().exact(one) for one in offered])
        return cls(offers=offers, seats=offered, single=single, mixed=np.array([seat.mixed(row) for row in single]))

    def best(self, mix: int) -> tuple[int, ...]:
        """The settings with the highest DPR, rounding apart, the mildest first."""
        dpr = self.mixed[:, mix]
        return tuple(np.flatnonzero(dpr >= dpr.max() * (1.0 - TIE)).tolist())

    def name(self, setting: int) -> str:
        down, up = self.offers[setting]
        return f"-{down}/+{up}" if down else "none"

    def by_target(self, twins: Twins, how: Simulation | None) -> Iterator[Record]:
        """A record per target."""
        for mix in range(len(self.seats[0].field.mixes)):
            first, *others = self.best(mix)
            dpr = self.mixed[:, mix]
            yield {
                **self.seats[0].head(mix),
                "setting": self.offers[first][0],
                "trade": self.name(first),
                "dpr": float(dpr[first]),
                "none": float(dpr[0]),
                "all": float(dpr[-1]),
                **self._gain(twins, "gain", (first, 0), mix, how),
                **self._gain(twins, "over_all", (first, len(dpr) - 1), mix, how),
                "ties": ", ".join(map(self.name, others)) or None,
            }

    def by_setting(self, twins: Twins, how: Simulation | None) -> Iterator[Record]:
        """A record per target and setting."""
        for mix in range(len(self.seats[0].field.mixes)):
            best = self.best(mix)
            for setting, (down, _) in enumerate(self.offers):
                yield {
                    **self.seats[0].head(mix),
                    "setting": down,
                    "trade": self.name(setting),
                    "best": setting in best,
                    "dpr": float(self.mixed[setting, mix]),
                    **self._gain(twins, "gain", (setting, 0), mix, how),
                }

    def _gain(self, twins: Twins, name: str, sides: tuple[int, int], mix: int, how: Simulation | None) -> Record:
        """How much better one setting is than another."""
        one, other = sides
        exact = float(gained(self.mixed[one, mix], self.mixed[other, mix]))
        if how is None:
            return {name: exact}
        if one == other:  # a difference of nothing from itself is not simulated
            return {name: exact, f"{name}_mc": None, f"{name}_se": None, f"{name}_z": None}
        weights = self.seats[0].field.mixes[mix].weights
        foes = [foe for foe, _ in weights]
        pairs = played(Dpr(), self.seats[one], self.seats[other], how, foes)
        told = f"{self.name(one)} and {self.name(other)} of {self.seats[0].where(mix)}"
        return difference(twins, told, name, exact=exact, apart=self.single[one] - self.single[other], weights=weights, pairs=pairs)

    def finding(self) -> Iterator[str]:
        """The best setting in a sentence."""
        seat = self.seats[0]
        best = [self.best(mix)[0] for mix in range(len(seat.field.mixes))]
        if not seat.field.swept:
            yield f"{seat.build.name}: {self.name(best[0])} is best against all of them, weighted"
            return
        acs = [seat.ac(foe) for foe in range(len(best))]
        parts = [f"{self.name(setting)} at AC {spans(run)}" for setting, run in _runs(best, acs)]
        yield f"{seat.build.name}: best is {', '.join(parts)}"


def _runs(best: Sequence[int], acs: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Neighbouring armor classes with one best setting."""
    held: list[int] = []
    for i, ac in enumerate(acs):
        held.append(ac)
        if i + 1 == len(acs) or best[i + 1] != best[i]:
            yield best[i], held
            held = []
