"""Distribution: how likely every total of damage is, of an attack, a round or several, and how unlucky one was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from analyzer.asking.parameters import Choice, Many, Text, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats
from analyzer.asking.twins import Twins
from analyzer.exact import RIDERS, effects
from analyzer.playing import Builds, Opponent
from analyzer.records import Record
from analyzer.sweeps import few
from analyzer.workings.spreads import SHARES, Asked, Spread, parts_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: Most armor classes that are each told in a sentence.
_TOLD = 3
_QUANTILES = "5 % to 95 %: the least total that so many do not exceed"
_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="rounds", heading="rounds"),
    Column(key="round", heading="round"),
    Column(key="attack", heading="attack"),
    Column(key="total", heading="total"),
    Column(key="mean", heading="mean", digits=3),
    Column(key="at_least_*", heading="at least *", digits=3, percent=True),
    Column(key="at_least_*_together", heading="at least * together", digits=3, percent=True),
    Column(key="observed", heading="observed"),
    Column(key="observed_at_most", heading="that or less", digits=2, percent=True),
    Column(key="observed_at_least", heading="that or more", digits=2, percent=True),
    Column(key="sd", heading="SD", digits=2),
    *(Column(key=f"q{round(100 * share)}", heading=f"{share:.0%}", note=_QUANTILES) for share in SHARES),
    Column(key="no_damage", heading="no damage", digits=2, percent=True),
    Column(key="chance", heading="chance", digits=3, percent=True),
    Column(key="at_most", heading="at most", digits=3, percent=True),
    Column(key="at_least", heading="at least", digits=3, percent=True),
    Column(key="chance_together", heading="chance together", digits=3, percent=True),
    Column(key="at_least_together", heading="at least together", digits=3, percent=True),
)
#: What ``by`` may be.
By = Literal["summary", "total", "attack", "attack-total"]


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.totals import totals_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return totals_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds")
def distribution(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    rounds: Annotated[int, Whole(low=1, high=1000)] = 1,
    by: Annotated[By, Choice(("summary", "total", "attack", "attack-total"))] = "summary",
    at_least: Annotated[int | Iterable[int], Many(of=Whole(low=0, high=2**20))] = (),
    together_with: Annotated[str | None, Text(metavar="hit|crit|EFFECT")] = None,
    observed: Annotated[int | None, Whole(low=0, high=2**20)] = None,
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """How likely every total of damage is, what is dealt at least, and how unlucky an observed total was.

    Several rounds are the listed rounds of a build, the last repeating.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    rounds : int
        Rounds whose damage is added up.
    by : str
        A row per build and target (``summary``), per total (``total``), per attack (``attack``), or per attack and total (``attack-total``).
    at_least : int or iterable of int
        Totals whose chance to be reached is told.
    together_with : str, optional
        ``hit``, ``crit`` or a critical effect: how likely a total is together with at least one of them.
    observed : int, optional
        A total that came up at a table: how often there is as little, and as much.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        ``summary`` and ``attack``: ``mean`` (points of all the rounds, or of the attack; of one round it is the ``dpr`` of `analyzer.curve`), ``sd``,
        ``no_damage`` (chance of none, 0..1), ``q5`` ... ``q95`` (the least total that so many do not exceed), ``at_least_30`` and ``at_least_30_together``
        (chances), ``observed_at_most`` and ``observed_at_least``. Else ``chance``, ``at_most`` and ``at_least`` of every ``total`` that can come up.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, a rider that no build has, or too many totals.
    """
    taken = seats(builds, ac, target=target, against=against, course=True)
    asked = Asked(rounds, by, tuple(dict.fromkeys(at_least if isinstance(at_least, Iterable) else (at_least,))), together_with, observed)
    _check_rider(taken, together_with)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    drawn: list[Spread] = []
    names: set[tuple[object, ...]] = set()
    notes: list[str] = []
    for seat in taken:
        parts = list(parts_of(seat, asked, how))
        for mix in range(len(seat.field.mixes)):
            figures = [Spread.of(seat, mix, part, twins) for part in parts]
            for one in figures:
                records += one.totals(asked) if by in ("total", "attack-total") else [one.summary(asked)]
            names |= {(seat.face(mix), *part.at) for part in parts}
            if mix in few(len(seat.field.mixes)):
                drawn += [figures[i].aside() for i in few(len(figures))]
            if mix == 0 or (seat.field.swept and len(seat.field.mixes) <= _TOLD):
                notes += [note for one in figures if (note := one.note(asked))]
    return Found.of(records, notes, twins, how, drawn=partial(_totals, drawn, asked, len(names)))


def _totals(spreads: Sequence[Spread], asked: Asked, number: int) -> list[Record]:
    """The totals of some of a ``number`` of distributions, with what is marked in each."""
    return [record | {"of": number} | marks for one in spreads for marks in [one.marks(asked)] for record in one.totals(asked)]


def _check_rider(taken: Sequence[Seat], rider: str | None) -> None:
    named = {effect for seat in taken for faced in seat.faced for plan in faced.plans for effect in effects(plan)}
    if rider is not None and rider not in {*RIDERS, *named}:
        raise ValueError(f"together_with must be one of {', '.join([*RIDERS, *sorted(named)])}; got {rider!r}")
