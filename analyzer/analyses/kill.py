"""Kill: how soon the target is dead, how sure that is, and how much damage is wasted on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Literal

from analyzer.asking.foes import hit_points
from analyzer.asking.parameters import Choice, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Hp, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats
from analyzer.asking.twins import Twins
from analyzer.exact import MAX_REACH
from analyzer.plan import Plan
from analyzer.playing import Builds, Opponent
from analyzer.records import Record
from analyzer.workings.campaigns import Fights, Seen, fought, points_of, simulated, weighed

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    import pandas as pd
    from matplotlib.figure import Figure


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
    Column(key="overkill", heading="overkill", digits=2, note="overkill: points of the killing attack beyond the last hit point"),
    Column(key="effective_dpr", heading="effective DPR", digits=3, note="effective DPR: points that counted, per round until dead"),
    *(Column(key=f"dead_{n}", heading="dead by round 1" if n == 1 else f"by {n}", digits=1, percent=True) for n in range(1, 6)),
)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.deaths import deaths_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return deaths_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds")
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
    hp : int or str, optional
        Hit points: a number up to 32,768 or dice such as ``12d8+36``; the target's own if left out.
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
        ``summary``: ``mean_rounds``; ``median_rounds`` and ``rounds_90``, by when half and nine tenths of the fights are over (None beyond 1,000 rounds);
        ``overkill``, mean points of the killing attack beyond the last hit point; ``effective_dpr``, points that counted per round until dead; ``dead_1``,
        ``dead_2`` ..., chances 0..1 to be dead by a round. What depends on a death that may never come is None. Else ``dead`` by the end of ``rounds``, or of
        ``attack`` in it.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a target without hit points.
    """
    if hp is not None:  # seats take more, of which an exact fight would keep too much
        hit_points(hp, MAX_REACH)
    campaigns = [fought(seat, regeneration, rounds) for seat in seats(builds, ac, target=target, against=against, hp=hp, course=True)]
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    for one in campaigns:
        seen = None if how is None else simulated(one.seat, regeneration, how)
        for mix in range(len(one.seat.field.mixes)):
            head = one.seat.head(mix) | {"hp": _hp(one.seat, mix)}
            twin = None if seen is None else Seen(seat=one.seat, mix=mix, deaths=seen, twins=twins)
            curve = [row[mix].tolist() for row in one.dead]
            records += _summary(one, mix, head, curve, twin) if by == "summary" else _curve(head, curve, twin, attacks=by == "attack")
    return Found.of(records, _notes(campaigns, regeneration), twins, how)


def _hp(seat: Seat, mix: int) -> str | int | None:
    """The hit points of a mix as they were written; None where its foes have different ones."""
    written = {points_of(seat, foe).text for foe, _ in seat.field.mixes[mix].weights}
    text = written.pop() if len(written) == 1 else None
    return int(text) if text is not None and text.isdigit() else text


def _curve(head: Record, dead: Sequence[Sequence[float]], seen: Seen | None, *, attacks: bool) -> Iterator[Record]:
    """A record per round, or per attack."""
    for number, row in enumerate(dead, 1):
        for attack, chance in enumerate(row, 1) if attacks else [(None, row[-1])]:
            at: Record = {"rounds": number} if attack is None else {"rounds": number, "attack": attack}
            yield head | at | ({"dead": chance} if seen is None else seen.dead("dead", number, attack, chance))


def _summary(one: Fights, mix: int, head: Record, dead: Sequence[Sequence[float]], seen: Seen | None) -> Iterator[Record]:
    """The record of what the fights come to."""
    ends = one.prospects[mix]
    rounds, taken, wasted = (weighed([(weight, getattr(end, name)) for weight, end in ends]) for name in ("rounds", "taken", "waste"))
    ever = sum(weight * end.ever for weight, end in ends)
    found = {
        "mean_rounds": rounds,
        "overkill": wasted / ever if wasted is not None and ever > 0 else None,
        "effective_dpr": taken / rounds if taken is not None and rounds is not None else None,
    }
    record = head
    for name, exact in found.items():
        record |= {name: exact} if seen is None or exact is None else seen.figure(name, exact)
        if name == "mean_rounds":
            record |= dict(zip(("median_rounds", "rounds_90"), one.quantiles[mix], strict=True))
    for number, row in enumerate(dead, 1):
        name = f"dead_{number}"
        record |= {name: row[-1]} if seen is None else seen.dead(name, number, None, row[-1])
    yield record


def _notes(campaigns: Sequence[Fights], regeneration: int) -> Iterator[str]:
    """Who kills soonest where, and who may never."""
    # Builds of different levels meet different creatures of a table with levels; who kills the easier ones sooner is not said.
    alike: dict[tuple[tuple[str | None, int | None], ...], list[Fights]] = {}
    for one in campaigns:
        alike.setdefault(tuple((foe.name, foe.level) for foe in one.seat.field.foes), []).append(one)
    for rivals in alike.values():
        if told := _ahead(rivals):
            level = rivals[0].seat.field.foes[0].level
            yield f"kills soonest on average{'' if len(alike) == 1 or level is None else f' at level {level}'}: {', '.join(told)}"
    for one in campaigns:
        if any(_crowd(plan) for faced in one.seat.faced for plan in faced.plans):
            yield f"{one.seat.build.name} hurts several creatures at once: their damage is added up, and the hit points are those of all together"
        never = [mix for mix in range(len(one.prospects)) if any(end.rounds is None for _, end in one.prospects[mix])]
        if never:
            why = "it deals too little" if not regeneration else f"regeneration {regeneration} gives back too much"
            what = ", ".join(map(one.seat.face, never))
            yield f"{one.seat.build.name} may never kill, or too late to tell ({what}): {why}"


def _ahead(rivals: Sequence[Fights]) -> list[str]:
    """Who kills the same foes soonest, by stretches of armor classes; nobody where there is no other."""
    seat = rivals[0].seat
    mixes = range(len(seat.field.mixes)) if seat.field.swept else range(1)
    soonest = [(mix, _soonest(rivals, mix)) for mix in mixes] if len(rivals) > 1 else []
    told = []
    for name, run in groupby(soonest, key=lambda pair: pair[1]):
        if name is not None:
            acs = [seat.faces(mix)["ac"] for mix, _ in run]
            span = "" if len(mixes) == 1 else f" at AC {acs[0]}" if len(acs) == 1 else f" at AC {acs[0]} to {acs[-1]}"
            told.append(f"{name}{span}")
    return told


def _crowd(plan: Plan) -> bool:
    """Whether an attack reaches more than one creature."""
    areas = (attack.area for step in plan.steps for attack in step.variants if attack is not None)
    return any(area is not None and len(area.caught[0]) > 1 for area in areas)


def _soonest(campaigns: Sequence[Fights], mix: int) -> str | None:
    """The build with the fewest rounds on average, if any has a mean."""
    means = [(weighed([(weight, end.rounds) for weight, end in one.prospects[mix]]), one.seat.build.name) for one in campaigns]
    return min(((mean, name) for mean, name in means if mean is not None), default=(0.0, None))[1]
