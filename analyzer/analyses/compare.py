"""Compare: the exact figures beside the simulated ones, with errors and a verdict on whether they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from analyzer.playing import Builds, Opponent, Run, Sweep, chosen_seed, twice
from analyzer.precision import CONFIDENCE, Precision, precision_of
from analyzer.records import Detail, Played, Record, detailed, figures
from analyzer.sweeps import DEFAULT
from analyzer.verdict import Verdict, judge

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
    verdict: Verdict
    seed: int
    run: Run
    #: what the simulation was to reach, if not a number of rounds
    precision: Precision | None

    @property
    def played(self) -> tuple[Played, ...]:
        """Every build by both engines."""
        return self.run.played

    @property
    def partial(self) -> bool:
        """Whether the simulation was interrupted."""
        return self.run.partial

    @property
    def trials(self) -> int:
        """Rounds per build and AC; the most, where they differ."""
        return self.run.trials[1]


def comparison(
    builds: Builds,
    ac: Sweep = DEFAULT,
    *,
    target: Opponent = None,
    trials: int | None = None,
    precision: float | str | None = None,
    confidence: float | str = CONFIDENCE,
    of: str | Iterable[str] = FIGURE,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    by: Detail = "round",
    everything: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """The answer of `compare` without pandas; with ``everything`` the verdict is over rounds and attacks, whatever is shown."""
    drawn = chosen_seed(seed)
    if precision is None and (confidence, of) != (CONFIDENCE, FIGURE):
        raise ValueError(f"precision must be given where confidence or of are; got confidence {confidence!r} of {of!r} alone")
    wanted = None if precision is None else precision_of(precision, confidence, of)
    run = twice(builds, ac, target, trials=trials, precision=wanted, seed=drawn, workers=workers, executor=executor, progress=progress)
    rounds, attacks = (True, True) if everything else (by == "round", by == "attack")
    verdict = judge(chain.from_iterable(figures(one, rounds=rounds, attacks=attacks) for one in run.played))
    return Comparison(records=detailed(run.played, by), verdict=verdict, seed=drawn, run=run, precision=wanted)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.figures import sweep_figure  # noqa: PLC0415 - matplotlib costs start-up time, and not every answer is drawn

    return sweep_figure(frame)


def compare(
    builds: Builds,
    ac: Sweep = DEFAULT,
    *,
    target: Opponent = None,
    trials: int | None = None,
    precision: float | str | None = None,
    confidence: float | str = CONFIDENCE,
    of: str | Iterable[str] = FIGURE,
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
    ac : int, str or iterable of int
        ``28``, ``"10:40"`` (inclusive) or numbers: the defence the first attack aims at.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
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
        With a precision, also ``trials`` and, for the figures it is of, ``_low`` and ``_high`` (the interval).
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
        trials=trials,
        precision=precision,
        confidence=confidence,
        of=of,
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
        draw=_draw if by == "round" else None,
    )
