"""Compare: the exact figures beside the simulated ones, with errors and a verdict on whether they agree."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from analyzer.playing import TRIALS, Builds, Opponent, Sweep, chosen_seed, twice
from analyzer.records import Detail, Played, Record, detailed, figures
from analyzer.sweeps import DEFAULT
from analyzer.verdict import Verdict, judge

if TYPE_CHECKING:
    from analyzer.answer import Answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What a comparison found: flat records, the verdict over them, and what repeats the run."""

    records: list[Record]
    verdict: Verdict
    seed: int
    trials: int
    played: tuple[Played, ...]


def comparison(
    builds: Builds,
    ac: Sweep = DEFAULT,
    *,
    target: Opponent = None,
    trials: int = TRIALS,
    seed: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    by: Detail = "round",
    everything: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """The answer of `compare` without pandas; with ``everything`` the verdict is over rounds and attacks, whatever is shown."""
    drawn = chosen_seed(seed)
    played = twice(builds, ac, target, trials=trials, seed=drawn, workers=workers, executor=executor, progress=progress)
    rounds, attacks = (True, True) if everything else (by == "round", by == "attack")
    verdict = judge(chain.from_iterable(figures(one, rounds=rounds, attacks=attacks) for one in played))
    return Comparison(records=detailed(played, by), verdict=verdict, seed=drawn, trials=trials, played=played)


def compare(
    builds: Builds,
    ac: Sweep = DEFAULT,
    *,
    target: Opponent = None,
    trials: int = TRIALS,
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
    trials : int
        Simulated rounds per build and AC.
    seed : int, optional
        Any non-negative integer; drawn from the operating system when omitted, and kept in the answer.
    workers : int
        Threads; the figures are the same for any number.
    executor : Executor, optional
        Where to run instead of threads of this process.
    by : {"round", "attack"}
        A row per round, or per attack.
    progress : callable, optional
        Called with the number of rounds just simulated.

    Returns
    -------
    Answer
        The columns of `curve`, each simulated figure followed by ``_mc`` (the simulation), ``_se`` (its standard error, null when it saw no variation) and
        ``_z`` (the difference in exact standard errors); ``answer.verdict`` says whether the engines agree, ``answer.seed`` repeats the run.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a parameter out of range.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without
    from analyzer.figures import sweep_figure  # noqa: PLC0415 - matplotlib likewise

    found = comparison(builds, ac, target=target, trials=trials, seed=seed, workers=workers, executor=executor, by=by, progress=progress)
    return answer(
        found.records,
        played=found.played,
        verdict=found.verdict,
        seed=found.seed,
        trials=found.trials,
        draw=sweep_figure if by == "round" else None,
    )
