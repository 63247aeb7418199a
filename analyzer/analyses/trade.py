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
from analyzer.asking.seats import Seat, Simulation, seats
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.records import Record
from analyzer.sweeps import DEFAULT, runs
from analyzer.workings.measures import ROUNDING, Dpr, difference, gained, played
from analyzer.workings.variations import UnvariedError, traded

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = (
    Column(key="build", heading="build"),
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
#: Builds of a sweep whose three lines each still stay apart.
CROWDED = 4
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
    from analyzer.pictures.drawing import Picture, legend, looks, swept, tidy, whole_heights, written  # noqa: PLC0415 - matplotlib costs start-up time

    if "best" in frame:
        return _draw_settings(frame)
    named = looks(frame["build"])
    if not swept(frame):
        return _draw_single(frame)
    drawing = Picture(figsize=(10.0, 7.4), layout="constrained")
    settings, gains, damage = drawing.subplots(3, 1, sharex=True, height_ratios=(2, 2, 3))
    for build, look in named.items():
        _sweep(settings, gains, damage, frame[frame["build"] == build], look, whole=len(named) <= CROWDED)
    settings.set_ylabel("best setting\n(attack given up)")
    gains.set_ylabel("gain over none\n(points per round)")
    damage.set_ylabel(f"DPR (damage points per round)\n{'best (line), none (dots), all (dashes)' if len(named) <= CROWDED else 'at the best setting'}")
    damage.set_xlabel("armor class")
    damage.set_ylim(bottom=0.0)
    whole_heights(settings)
    tidy(settings, gains, damage)
    if len(named) == 1:
        settings.set_title(written(next(iter(named))), fontsize="medium")
    legend(drawing, named)
    return drawing


def _sweep(settings: Axes, gains: Axes, damage: Axes, rows: pd.DataFrame, look: Any, *, whole: bool) -> None:  # noqa: ANN401 - a Look; drawing is imported late
    from analyzer.pictures.drawing import points, whole_ticks  # noqa: PLC0415 - matplotlib costs start-up time

    settings.step(rows["ac"], rows["setting"], where="mid", color=look.colour, linewidth=1.6, linestyle=look.dashes)
    gains.plot(rows["ac"], rows["gain"], color=look.colour, linewidth=1.4, linestyle=look.dashes)
    points(gains, rows["ac"], rows, "gain", look)
    damage.plot(rows["ac"], rows["dpr"], color=look.colour, marker=look.marker, markersize=4, markerfacecolor="white", linewidth=1.4)
    if whole:
        damage.plot(rows["ac"], rows["none"], color=look.colour, linewidth=1.0, linestyle=(0, (1, 1.5)))
        damage.plot(rows["ac"], rows["all"], color=look.colour, linewidth=1.0, linestyle=(0, (5, 2)))
    whole_ticks(damage)


def _draw_single(frame: pd.DataFrame) -> Figure:
    """A group of three bars per build and target: none, all, best; of many creatures the weighted answer alone."""
    from analyzer.pictures.drawing import BAR, COLOURS, MANY, Picture, faces, tidy, written  # noqa: PLC0415 - matplotlib costs start-up time

    if len(frame) > MANY:
        frame = frame[frame["against"] == frame["against"].iloc[0]]
    drawing = Picture(figsize=(11.0, 1.6 + 0.8 * len(frame)), layout="constrained")
    axes, gains = drawing.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    places = np.arange(len(frame))
    shades = ((-0.26, "none", "0.75", "none"), (0.0, "all", COLOURS[5], "all"), (0.26, "dpr", COLOURS[0], "best"))
    for offset, column, colour, label in shades:
        axes.barh(places + offset, frame[column], height=0.24, color=colour, label=label)
    for row, (trade, dpr) in enumerate(zip(frame["trade"], frame["dpr"], strict=True)):
        axes.annotate(f" {trade}", (dpr, row + 0.26), va="center", fontsize="small")
    gains.barh(places, frame["gain"], height=0.5, color=COLOURS[0], alpha=0.45)
    if "gain_mc" in frame:
        errors = BAR * frame["gain_se"].astype(float).fillna(0.0)
        gains.errorbar(frame["gain_mc"].astype(float), places, xerr=errors, fmt="o", color="black", markersize=4, capsize=3, markerfacecolor="white")
    names = [written(f"{build}\n{faced}") for build, faced in zip(frame["build"], faces(frame), strict=True)]
    axes.set_yticks(places, names, fontsize="small")
    axes.set_ylim(len(frame) - 0.5, -0.5)
    axes.margins(x=0.14)
    axes.set_xlabel("DPR (damage points per round)")
    gains.set_xlabel("gain of the best over none (points per round)")
    tidy(axes, gains)
    drawing.legend(loc="outside upper center", ncols=3, frameon=False)
    return drawing


def _draw_settings(frame: pd.DataFrame) -> Figure:
    """DPR over the setting, or where it was simulated the gain: a line per build and target, at most as many as stay apart."""
    from analyzer.pictures.drawing import COLOURS, Picture, faces, legend, looks, points, tidy, whole_ticks, written  # noqa: PLC0415 - matplotlib costs start-up time

    told = frame.assign(line=[f"{build}, {faced}" for build, faced in zip(frame["build"], faces(frame), strict=True)])
    named = looks(list(dict.fromkeys(told["line"]))[: len(COLOURS)])
    column = "gain" if "gain_mc" in frame else "dpr"
    drawing = Picture(figsize=(9.0, 5.6), layout="constrained")
    axes = drawing.subplots()
    for line, look in named.items():
        rows = told[told["line"] == line]
        axes.plot(rows["setting"], rows[column], color=look.colour, linestyle=look.dashes, marker=look.marker, markersize=4, markerfacecolor="white")
        best = rows[rows["best"]]
        axes.plot(best["setting"], best[column], color=look.colour, marker=look.marker, markersize=9, linestyle="none")
        points(axes, rows["setting"], rows, column, look)
    axes.set_xlabel("setting (attack given up); the best is filled")
    axes.set_ylabel("gain over none (damage points per round)" if column == "gain" else "DPR (damage points per round)")
    if len(named) == 1:
        axes.set_title(written(next(iter(named))), fontsize="medium")
    whole_ticks(axes)
    tidy(axes)
    legend(drawing, named)
    return drawing


@question(columns=_COLUMNS, draw=_draw, example="srd35-power-attack", grouped=("build",))
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
    for seat in seats(builds, DEFAULT if ac is None and against is None else ac, target=target, against=against):
        offered = _Offered.made(seat, offers)
        notes += offered.finding()
        make = offered.by_setting if by == "setting" else offered.by_target
        records += make(twins, how)
    return Found.of(records, notes, twins, how)


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
        return tuple(np.flatnonzero(dpr >= dpr.max() * (1.0 - ROUNDING)).tolist())

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
        parts = [f"{self.name(setting)} at AC {runs(run)}" for setting, run in _runs(best, acs)]
        yield f"{seat.build.name}: best is {', '.join(parts)}"


def _runs(best: Sequence[int], acs: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Neighbouring armor classes with one best setting."""
    held: list[int] = []
    for i, ac in enumerate(acs):
        held.append(ac)
        if i + 1 == len(acs) or best[i + 1] != best[i]:
            yield best[i], held
            held = []
