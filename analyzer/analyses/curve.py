"""Curve: the exact figures of every build at every armor class, before every creature of a table, or level by level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from analyzer.asking.bestiary import Against
from analyzer.asking.seats import standing
from analyzer.playing import Builds, Opponent, Sweep, exactly, kept, listed, own_acs
from analyzer.records import Detail, Played, Record, check_detail, detailed
from analyzer.sweeps import DEFAULT
from analyzer.workings.leads import Landmarks
from analyzer.workings.meetings import Meeting, meetings
from analyzer.workings.ranking import Ranking, besides, of_meetings, of_sweep

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.answer import Answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """What a curve found: flat records, those per round that its figure is made of, and who leads where."""

    records: list[Record]
    rounds: list[Record]
    ranking: Ranking
    played: tuple[Played, ...] = ()
    met: tuple[Meeting, ...] = ()


def _draw(frame: pd.DataFrame, marks: Landmarks) -> Figure:
    from analyzer.pictures.figures import figure_of  # noqa: PLC0415 - matplotlib costs start-up time, and not every answer is drawn

    return figure_of(frame, marks=marks)


def found(builds: Builds, ac: Sweep | None = None, *, target: Opponent = None, against: Against = None, by: Detail = "round") -> Curve:
    """The answer of `curve` without pandas."""
    check_detail(by)
    if against is not None:
        met = meetings(builds, against, ac=ac, target=target)
        rounds, attacks = ([record for meeting in met for record in meeting.records(detail)] for detail in ("round", "attack"))
        return Curve(
            records=rounds if by == "round" else attacks,
            rounds=rounds,
            ranking=besides(of_meetings(met), standing(meeting.seat.build for meeting in met)),
            met=met,
        )
    given = kept(builds)
    played = exactly(given, DEFAULT if ac is None else ac, target)
    ranking = besides(of_sweep(played, own_acs(given, target)), standing(build for build, _ in listed(given)))
    return Curve(records=detailed(played, by), rounds=detailed(played, "round"), ranking=ranking, played=played)


def curve(builds: Builds, ac: Sweep | None = None, *, target: Opponent = None, against: Against = None, by: Detail = "round") -> Answer:
    """Exact figures of builds over armor classes, or before the creatures of a table.

    Parameters
    ----------
    builds : Build, Scenario or iterable of Build
        What attacks; a scenario brings its target.
    ac : int, str or iterable of int, optional
        ``28``, ``"10:40"`` (inclusive) or numbers: the defence the first attack aims at; ``"10:40"`` if left out.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    against : path or rows, optional
        A table of creatures to face instead: CSV with name, ac (or the game's own defences), hp, dr, weight, level. Where it has levels, each build meets
        the creatures of its own.
    by : {"round", "attack"}
        A row per round, or per attack.

    Returns
    -------
    Answer
        A row per build and AC: ``dpr`` and ``sd`` in damage points per round, ``hits`` and ``crits`` expected numbers per round, ``any_hit``, ``any_crit``,
        ``no_damage`` chances 0..1. By attack: ``bonus``, ``hit_chance``, ``threat_chance``, ``crit_chance`` and ``mean`` in damage points per round. Before
        creatures, a row per build for all of them weighed (``sd`` is that of a round before one drawn by the weights) and for each; builds with levels have
        ``level`` and ``series``, the name they share. ``answer.notes`` says who leads where.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or an ``ac`` that is no sweep.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

    told = found(builds, ac, target=target, against=against, by=by)
    return answer(
        told.records,
        played=told.played,
        pmfs=[meeting.pmf() for meeting in told.met],
        notes=told.ranking.notes,
        draw=partial(_draw, marks=told.ranking.marks) if by == "round" else None,
    )
