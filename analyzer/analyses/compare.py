"""Compare: the exact figures beside the simulated ones, with errors and a verdict on whether they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from analyzer.asking.bestiary import Against
from analyzer.asking.seats import Seat, Simulation, seats, standing
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent, Sweep, chosen_seed, kept, listed, own_acs, twice, whole
from analyzer.pmf import Floats
from analyzer.precision import CONFIDENCE, Precision, precision_of
from analyzer.records import Detail, Played, Record, check_detail, detailed, figures
from analyzer.sweeps import DEFAULT, parse_acs
from analyzer.verdict import Verdict
from analyzer.workings.differences import Reference, check_reference, gaps, reference_of
from analyzer.workings.leads import Landmarks
from analyzer.workings.meetings import Meeting, meetings, simulated
from analyzer.workings.ranking import Ranking, besides, of_meetings, of_sweep

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.answer import Answer


#: The figure whose precision counts, when no other is asked for.
FIGURE = "dpr"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What a comparison found: flat records, the verdict over them, and what repeats the run."""

    records: list[Record]
    #: the records per round, that the figure is made of
    rounds: list[Record]
    ranking: Ranking
    verdict: Verdict
    seed: int
    #: fewest and most rounds of a build at an AC
    fewest: int
    trials: int
    #: what the simulation was to reach, if not a number of rounds
    precision: Precision | None
    #: whether the simulation was interrupted
    partial: bool
    #: every build by both engines, over a sweep or before creatures
    played: tuple[Played, ...] = ()
    met: tuple[Meeting, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """How a comparison is to be simulated."""

    trials: int | None
    precision: Precision | None
    seed: int
    workers: int
    executor: Executor | None
    progress: Callable[[int], None] | None
    by: Detail
    everything: bool
    reference: Reference | None

    @property
    def shown(self) -> tuple[bool, bool]:
        """Whether the verdict is over rounds, and over attacks."""
        return (True, True) if self.everything else (self.by == "round", self.by == "attack")


def comparison(
    builds: Builds,
    ac: Sweep | None = None,
    *,
    target: Opponent = None,
    against: Against = None,
    trials: int | None = None,
    precision: float | str | None = None,
    confidence: float | str = CONFIDENCE,
    of: str | Iterable[str] = FIGURE,
    differences: Reference | bool | None = None,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    by: Detail = "round",
    everything: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """The answer of `compare` without pandas; with ``everything`` the verdict is over rounds and attacks, whatever is shown."""
    drawn = chosen_seed(seed)
    check_detail(by)
    if precision is None and (confidence, of) != (CONFIDENCE, FIGURE):
        raise ValueError(f"precision must be given where confidence or of are; got confidence {confidence!r} of {of!r} alone")
    reference = reference_of(differences)
    if reference is not None and by != "round":
        raise ValueError(f"by must be 'round' where differences are asked for; got {by!r}")
    asked = _Asked(
        trials=None if trials is None else whole("trials", trials),
        precision=None if precision is None else precision_of(precision, confidence, of),
        seed=drawn,
        workers=whole("workers", workers),
        executor=executor,
        progress=progress,
        by=by,
        everything=everything,
        reference=reference,
    )
    if against is None:
        return _over_acs(kept(builds), parse_acs(DEFAULT if ac is None else ac), target, asked)
    return _before(meetings(builds, against, ac=ac, target=target), asked)


def _over_acs(builds: Builds, acs: tuple[int, ...], target: Opponent, asked: _Asked) -> Comparison:
    """A comparison over a sweep of armor classes."""
    taken = () if asked.reference is None else seats(builds, acs, target=target)
    if asked.reference is not None:
        check_reference(asked.reference, taken)
    run = twice(
        builds,
        acs,
        target,
        trials=asked.trials,
        precision=asked.precision,
        seed=asked.seed,
        workers=asked.workers,
        executor=asked.executor,
        progress=asked.progress,
    )
    rounds, attacks = asked.shown
    twins = Twins(list(chain.from_iterable(figures(one, rounds=rounds, attacks=attacks) for one in run.played)))
    shown = detailed(run.played, asked.by)
    if asked.reference is not None and not run.partial:
        most = {k: max(one.tallies[k].trials for one in run.played if one.tallies is not None) for k in range(len(acs))}
        apart = _gaps(asked, taken, np.array([one.exact.dpr for one in run.played]), most, twins)
        shown = [record | gap for record, gap in zip(shown, chain.from_iterable(apart), strict=True)]
    fewest, trials = run.trials
    return Comparison(
        records=shown,
        rounds=shown if asked.by == "round" else detailed(run.played, "round"),
        ranking=besides(of_sweep(run.played, own_acs(builds, target)), standing(build for build, _ in listed(builds))),
        verdict=twins.verdict(),
        seed=asked.seed,
        fewest=fewest,
        trials=trials,
        precision=asked.precision,
        partial=run.partial,
        played=run.played,
    )


def _before(exact: Sequence[Meeting], asked: _Asked) -> Comparison:
    """A comparison before the creatures of a table."""
    if asked.reference is not None:
        check_reference(asked.reference, [meeting.seat for meeting in exact])
    met = simulated(
        exact,
        trials=asked.trials,
        precision=asked.precision,
        seed=asked.seed,
        workers=asked.workers,
        executor=asked.executor,
        progress=asked.progress,
    )
    rounds, attacks = asked.shown
    twins = Twins(list(chain.from_iterable(meeting.figures(rounds=rounds, attacks=attacks) for meeting in met)))
    by_round, by_attack = ([list(meeting.records(detail)) for meeting in met] for detail in ("round", "attack"))
    partial = any(meeting.partial for meeting in met)
    numbers = [one.tally.trials for meeting in met for one in meeting.met if one.tally is not None]
    if asked.reference is not None and not partial:
        most = {foe: max(meeting.met[foe].trials for meeting in met) for foe in range(len(met[0].met))}
        apart = _gaps(asked, [meeting.seat for meeting in met], np.array([meeting.dpr for meeting in met]), most, twins)
        by_round = [
            [record | row[mix] for record, mix in zip(records, meeting.mixes, strict=True)] for meeting, records, row in zip(met, by_round, apart, strict=True)
        ]
    return Comparison(
        records=list(chain.from_iterable(by_round if asked.by == "round" else by_attack)),
        rounds=list(chain.from_iterable(by_round)),
        ranking=besides(of_meetings(met), standing(meeting.seat.build for meeting in met)),
        verdict=twins.verdict(),
        seed=asked.seed,
        fewest=min(numbers),
        trials=max(numbers),
        precision=asked.precision,
        partial=partial,
        met=tuple(met),
    )


def _gaps(asked: _Asked, taken: Sequence[Seat], dpr: Floats, trials: dict[int, int], twins: Twins) -> list[list[Record]]:
    how = Simulation(trials=max(trials.values()), seed=asked.seed, workers=asked.workers)
    return gaps(asked.reference or "best", taken, dpr, how, twins=twins, trials=trials, executor=asked.executor)


def _draw(frame: pd.DataFrame, marks: Landmarks) -> Figure:
    from analyzer.pictures.figures import figure_of  # noqa: PLC0415 - matplotlib costs start-up time, and not every answer is drawn

    return figure_of(frame, marks=marks)


def compare(
    builds: Builds,
    ac: Sweep | None = None,
    *,
    target: Opponent = None,
    against: Against = None,
    trials: int | None = None,
    precision: float | str | None = None,
    confidence: float | str = CONFIDENCE,
    of: str | Iterable[str] = FIGURE,
    differences: Reference | bool | None = None,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    by: Detail = "round",
    progress: Callable[[int], None] | None = None,
) -> Answer:
    """Every figure twice: by exact probability, and by simulated rounds with every die rolled.

    Parameters
    ----------
    builds : Build, Scenario or iterable of Build
        What attacks; a scenario brings its target.
    ac : int, str or iterable of int, optional
        ``28``, ``"10:40"`` (inclusive) or numbers: the defence the first attack aims at; ``"10:40"`` if left out.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    against : path or rows, optional
        A table of creatures to face instead, as in `curve`; each brings dice of its own.
    trials : int, optional
        Simulated rounds per build and AC, a million when nothing is said; with ``precision`` the most, 2**32 when nothing is said.
    precision : float or str, optional
        Simulate each build at each AC until the interval of its figures is this narrow: ``0.05`` is its half-width in the figure's unit, ``"0.1%"`` is
        relative to the figure. Judged at fixed numbers of rounds (65536, then alternately a half and a third more), and never before a chance was seen to
        come up and not to come up 200 times; a log message tells what did not get there within ``trials``.
    confidence : float or str
        Of the interval: how often it holds the exact figure, each figure by itself.
    of : str or iterable of str
        The figures ``precision`` is asked of: columns of the round (``"dpr"``, ``"any_crit"``) or of the attacks (``"crit_chance"``, meaning every one's).
    differences : {"best", "first", "previous"}, optional
        Also what each build's DPR is more than that of the best of the other builds (True says the same), of the first build, or than its own at the armor
        class before. Costs a second simulation, on common dice, of a pass for each build and AC.
    seed : int, optional
        Any non-negative integer; drawn from the operating system when omitted, and kept in the answer.
    workers : int
        Threads; the figures are the same for any number.
    executor : Executor, optional
        Where to run instead of threads of this process: any of `concurrent.futures`, or the ``get_executor()`` of a Dask client. The figures are the same.
    by : {"round", "attack"}
        A row per round, or per attack.
    progress : callable, optional
        Called with the number of rounds just simulated.

    Returns
    -------
    Answer
        The columns of `curve`, each simulated figure followed by ``_mc`` (the simulation), ``_se`` (its standard error, null when it saw no variation) and
        ``_z`` (the difference in exact standard errors); ``answer.verdict`` says whether the engines agree, ``answer.seed`` repeats the run.
        With ``differences``, also ``than`` (what it is compared with), ``difference`` (damage points per round) and its simulated columns: the standard error
        is paired, and ``_z`` is in paired standard errors. With a precision, also ``trials`` and, for the figures it is of, ``_low`` and ``_high`` (the
        interval).
        Interrupted (Ctrl-C), it is what was simulated so far, with ``trials``, and ``answer.partial`` is true.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a parameter out of range.
    KeyboardInterrupt
        Interrupted before anything was simulated.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22 (1927) 209-212: the interval of a chance.
    Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean", Ann. Math. Stat. 36 (1965) 457-462.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

    found = comparison(
        builds,
        ac,
        target=target,
        against=against,
        trials=trials,
        precision=precision,
        confidence=confidence,
        of=of,
        differences=differences,
        seed=seed,
        workers=workers,
        executor=executor,
        by=by,
        progress=progress,
    )
    return answer(
        found.records,
        played=found.played,
        verdict=found.verdict,
        seed=found.seed,
        trials=found.trials,
        partial=found.partial,
        pmfs=[meeting.pmf() for meeting in found.met],
        notes=found.ranking.notes,
        draw=partial(_draw, marks=found.ranking.marks) if by == "round" else None,
    )
