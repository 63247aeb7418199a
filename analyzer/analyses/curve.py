"""Curve: the exact figures of every build at every armor class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.playing import Builds, Opponent, Sweep, exactly
from analyzer.records import Detail, Record, detailed
from analyzer.sweeps import DEFAULT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.answer import Answer


def records(builds: Builds, ac: Sweep = DEFAULT, *, target: Opponent = None, by: Detail = "round") -> list[Record]:
    """The answer of `curve` as flat records, without pandas."""
    return detailed(exactly(builds, ac, target), by)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.figures import sweep_figure  # noqa: PLC0415 - matplotlib costs start-up time, and not every answer is drawn

    return sweep_figure(frame)


def curve(builds: Builds, ac: Sweep = DEFAULT, *, target: Opponent = None, by: Detail = "round") -> Answer:
    """Exact figures of builds over a sweep of armor classes.

    Parameters
    ----------
    builds : Build, Scenario or iterable of Build
        What attacks; a scenario brings its target.
    ac : int, str or iterable of int
        ``28``, ``"10:40"`` (inclusive) or numbers: the defence the first attack aims at.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    by : {"round", "attack"}
        A row per round, or per attack.

    Returns
    -------
    Answer
        A row per build and AC: ``dpr`` and ``sd`` in damage points per round, ``hits`` and ``crits`` expected numbers per round, ``any_hit``, ``any_crit``,
        ``no_damage`` chances 0..1. By attack: ``bonus``, ``hit_chance``, ``threat_chance``, ``crit_chance`` and ``mean`` in damage points per round.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or an ``ac`` that is no sweep.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

    played = exactly(builds, ac, target)
    return answer(detailed(played, by), played=played, draw=_draw if by == "round" else None)
