"""Solve: how little more it takes to reach a DPR, a chance to kill, or another build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from analyzer.asking.parameters import Choice, Real, Text, Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Hp, Seed, Trials, Workers, question
from analyzer.asking.seats import Seat, Simulation, seats, standing_note
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent
from analyzer.pmf import Floats
from analyzer.records import Record, facing
from analyzer.sweeps import spans
from analyzer.workings.measures import Dpr, Kills, Measure, difference, level, played
from analyzer.workings.solving import ALREADY, Knob, Solved, knobs, toughest, turned

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.montecarlo import PairTally

_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="goal", heading="goal"),
    Column(key="vary", heading="varied"),
    Column(key="answer", heading="answer"),
    Column(key="wanted", heading="wanted", digits=4),
    Column(key="now", heading="as it stands", digits=4),
    Column(key="reached", heading="reached", digits=4),
    Column(key="below", heading="a step less", digits=4),
    Column(key="more", heading="a point more", digits=4),
)
_HP, _EXTRA = "hp", "extra"
#: The goals as Python and the command line name them.
_GIVEN = "dpr, kill or match (--dpr, --kill, --match)"


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.goals import goals_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return goals_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="d20-builds", grouped=("build", "level", "goal", "vary"))
def solve(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    vary: Annotated[str, Choice(("attack", "damage", "threat", "extra", "hp"))] = "attack",
    dpr: Annotated[float | None, Real(low=0.001, high=100_000.0)] = None,
    kill: Annotated[float | None, Real(low=1e-9, high=1.0, percent=True)] = None,
    rounds: Annotated[int | None, Whole(low=1, high=100)] = None,
    match: Annotated[str | None, Text(metavar="NAME")] = None,
    hp: Hp = None,
    die: Annotated[str | None, Text(metavar="1dN")] = None,
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Smallest attack bonus, damage, threat range or dice, or the most hit points, that reaches a goal.

    Without a goal each build is to reach the one with the highest DPR, before a table with levels that of its level.

    Parameters
    ----------
    {builds}
    {ac}
    {target}
    {against}
    vary : str
        What is turned: every ``attack`` bonus (-100 to +100), every weapon ``damage`` roll (-100 to +1000), the written ``threat`` range of every weapon (20 to
        2-20), ``extra`` dice (0 to 100), or the target's ``hp`` (the most with which it still dies, for a chance to kill).
    dpr : float, optional
        Goal: mean damage points per round.
    kill : float, optional
        Goal: the chance that the target is dead after the rounds, nothing healing.
    rounds : int, optional
        Rounds for the chance to kill.
    match : str, optional
        Goal: the DPR of this build; before a table with levels, of the build of this name that has the level of the one that is to reach it.
    {hp}
    die : str, optional
        The die that ``extra`` adds, such as ``1d8 fire``; ``1d6`` if left out.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per build and target: the ``goal``, what is ``wanted``, the figure ``now``, the ``answer`` in words and as a number (``least``: the change, the
        lowest face, the number of dice, or the hit points; None where nothing in the range reaches the goal; where the lowest place looked at does, the answer
        is that it is already reached), the figure ``reached``, the one a step ``below`` (with one hit point ``more`` where those are varied), their difference
        ``step``, and ``most``, the highest figure that was found on the way. Simulated figures of the two are of the same dice; the step has the standard error
        of the paired difference.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, goals that do not go together, or unknown hit points.
    """
    asked = _asked(dpr=dpr, kill=kill, rounds=rounds, match=match, vary=vary, hp=hp)
    if die is not None and vary != _EXTRA:
        raise ValueError(f"die must be given with vary 'extra' alone (--die with --vary extra); got {die!r} and vary {vary!r}")
    knob = knobs(die or "1d6").get(vary)
    taken = seats(builds, ac, target=target, against=against, hp=hp, course=kill is not None)
    goals = _goals(taken, asked, match)
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    alone = [] if match is not None else [seat.build.name for seat in taken if all(seat is not other for other, _ in goals)]
    notes = [f"left out: {', '.join(alone)} (no other build of the level)"] if alone else []
    for seat, (goal, wanted) in goals:
        solved = toughest(seat, asked.measure, wanted) if knob is None else turned(seat, asked.measure, knob, wanted)
        rows = [
            {**seat.head(mix), "goal": goal, "wanted": float(wanted[mix]), "vary": vary, **_row(solved, asked, mix, twins, how)} for mix in range(len(wanted))
        ]
        records += rows
        notes += _findings(rows, vary)
    if any(record["least"] is None for record in records):
        notes.append("looked at: " + ("1 hit point and up" if knob is None else f"{vary} {_span(knob)}"))
    return Found.of(records, [*notes, *standing_note(taken)], twins, how)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """The goal as it was asked."""

    measure: Measure
    words: str
    #: the figure, or None where it is another build's
    height: float | None
    vary: str

    @property
    def chance(self) -> bool:
        """Whether the figure counts trials."""
        return isinstance(self.measure, Kills)


def _asked(*, dpr: float | None, kill: float | None, rounds: int | None, match: str | None, vary: str, hp: object) -> _Asked:
    given = [name for name, value in (("dpr", dpr), ("kill", kill), ("match", match)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"goal must be one of {_GIVEN}; got {' and '.join(given)}")
    if (kill is None) != (rounds is None):
        raise ValueError(f"rounds must be given with kill, and with it alone (--rounds with --kill); got {rounds} and kill {kill}")
    if vary == _HP and (kill is None or hp is not None):
        raise ValueError(f"vary must be 'hp' only for a goal of kill (--kill), without hp (--hp); got {'hp beside it' if kill is not None else 'another goal'}")
    if kill is not None and rounds is not None:
        return _Asked(measure=Kills(rounds), words=f"{100.0 * kill:g}% dead by round {rounds}", height=kill, vary=vary)
    if hp is not None:
        raise ValueError(f"hp must be given for a goal of kill alone (--hp with --kill); got {hp!r}")
    return _Asked(measure=Dpr(), words=f"DPR {dpr:g}" if dpr is not None else "", height=dpr, vary=vary)


def _goals(taken: Sequence[Seat], asked: _Asked, match: str | None) -> list[tuple[Seat, tuple[str, Floats]]]:
    """Every build that is to reach something, and what."""
    if asked.height is not None:
        return [(seat, (asked.words, np.full(len(seat.field.mixes), asked.height))) for seat in taken]
    found = [pair for level, group in _levels(taken).items() for pair in _matched(level, group, asked, match)]
    if not found:
        raise ValueError(f"goal must be given for a build by itself: {_GIVEN}; got {'none' if match is None else 'the build itself'}")
    order = {id(seat): place for place, seat in enumerate(taken)}
    return sorted(found, key=lambda pair: order[id(pair[0])])


def _levels(taken: Sequence[Seat]) -> dict[int | None, list[Seat]]:
    """The builds that meet the same foes: those of a level before a table with levels, else all."""
    out: dict[int | None, list[Seat]] = {}
    for seat in taken:
        out.setdefault(seat.field.foes[0].level, []).append(seat)
    return out


def _matched(level: int | None, group: Sequence[Seat], asked: _Asked, match: str | None) -> list[tuple[Seat, tuple[str, Floats]]]:
    """Builds before the same foes, each to reach the best of them or the one of a name; nothing where there is no other."""
    named = [seat for seat in group if seat.build.name == match] or [seat for seat in group if level is not None and seat.build.series == match]
    if match is not None and len(named) != 1:
        where = "" if level is None else f" at level {level}, as at every other"
        known = dict.fromkeys(name for seat in group for name in (seat.build.name, *(() if level is None else (seat.build.series,))))
        raise ValueError(f"match must be the name of a build{where}: {', '.join(map(repr, known))}; got {match!r}")
    if len(group) < 2:
        return []
    figures = {id(seat): seat.mixed(asked.measure.exact(seat)) for seat in group}
    if match is None:
        words = "the highest DPR" if level is None else f"the highest DPR of level {level}"
        return [(seat, (words, np.max(list(figures.values()), axis=0))) for seat in group]
    return [(seat, (f"DPR of {named[0].build.name}", figures[id(named[0])])) for seat in group if seat is not named[0]]


def _row(solved: Solved, asked: _Asked, mix: int, twins: Twins, how: Simulation | None) -> Record:
    """What was found for one mix."""
    solution, now = solved.solutions[mix], float(solved.now[mix])
    return {
        "now": None if np.isnan(now) else now,
        "least": None if solution is None else solution.least,
        "answer": None if solution is None else solution.words,
        **_figures(solved, asked, mix, twins, how),
        "most": float(solved.most[mix]),
    }


def _figures(solved: Solved, asked: _Asked, mix: int, twins: Twins, how: Simulation | None) -> Record:
    """The figure reached, the one a step short of it, and the step, each beside its simulated twin."""
    solution, weights = solved.solutions[mix], solved.seat.field.mixes[mix].weights
    short = "more" if asked.vary == _HP else "below"
    names = ("reached", short, "step")
    beside: Record = {f"{name}{suffix}": None for name in names for suffix in ("", *(("_mc", "_se", "_z") if how else ()))}
    if solution is None:
        return beside
    share = solved.seat.field.weights[mix]
    reached = float(share @ solution.single)
    exact: Record = {"reached": reached}
    if solution.below is not None and solution.below_single is not None:
        below = float(share @ solution.below_single)
        exact |= {short: below, "step": reached - below}
    if how is None:
        return beside | exact
    measure, foes = asked.measure, [foe for foe, _ in weights]
    other = solution.seat if solution.below is None else solution.below
    pairs: Mapping[int, PairTally] = played(measure, solution.seat, other, how, foes)
    told, occurring = solution.seat.where(mix), measure.occurring(solution.seat)
    out = beside | level(twins, told, "reached", exact=reached, occurring=occurring, weights=weights, pairs=pairs, chance=asked.chance)
    if solution.below is None or solution.below_single is None:
        return out
    lower = solution.below.where(mix)
    occurring = measure.occurring(solution.below)
    out |= level(twins, lower, short, exact=below, occurring=occurring, weights=weights, pairs=pairs, second=True, chance=asked.chance)
    apart = solution.single - solution.below_single
    step = f"{told} and one {'more' if asked.vary == _HP else 'less'}"
    return out | difference(twins, step, "step", exact=reached - below, apart=apart, weights=weights, pairs=pairs)


def _findings(rows: Sequence[Record], vary: str) -> Iterator[str]:
    """What it takes in a sentence, and where nothing does."""
    build = rows[0]["build"]
    if "against" in rows[0] or len(rows) == 1:
        only = rows[0]
        if only["least"] is None:
            yield f"{build}: no {vary} reaches {only['goal']} ({facing(only)}); {round(float(only['most'] or 0.0), 9):.4g} was the most"
        else:
            said = f"{only['answer']} {'still gives' if vary == _HP else 'is the least for'} {only['goal']}"
            already = f"{only['goal']} is {ALREADY}"
            yield f"{build}: {already if only['answer'] == ALREADY else said} ({facing(only)})"
        return
    reached = sorted(((int(row["least"] or 0), row) for row in rows if row["least"] is not None and row["answer"] != ALREADY), key=lambda pair: pair[0])
    if reached:
        (low, first), (high, last) = reached[0], reached[-1]
        least, most = (f"{row['answer']} (AC {row['ac']})" for row in (first, last))
        everywhere = f"{first['answer']} at AC {spans(int(row['ac'] or 0) for _, row in reached)}"
        yield f"{build}: {rows[0]['goal']} takes {everywhere if low == high else f'from {least} to {most}'}"
    already_at = [int(row["ac"] or 0) for row in rows if row["answer"] == ALREADY]
    if already_at:
        yield f"{build}: {rows[0]['goal']} is {ALREADY} at AC {spans(already_at)}"
    never = [int(row["ac"] or 0) for row in rows if row["least"] is None]
    if never:
        yield f"{build}: no {vary} reaches {rows[0]['goal']} at AC {spans(never)}"


def _span(knob: Knob) -> str:
    if knob.word == "threat":
        return f"from {21 - knob.low} to {21 - knob.high}-20"
    return f"from {knob.low} to {knob.high}" if knob.low == 0 else f"from {knob.low:+d} to {knob.high:+d}"
