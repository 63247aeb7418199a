"""Playing builds over a sweep: derive each one's plan, ask the exact engine, and simulate the same rounds when asked to."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from operator import index
from typing import Any, SupportsIndex

from analyzer.exact import evaluate
from analyzer.plan import Plan, Target
from analyzer.records import Played
from analyzer.rulekit.models import TargetKeys
from analyzer.scenario import Build, Scenario
from analyzer.scenario import target as target_of
from analyzer.sweeps import DEFAULT, parse_acs

_LOG = logging.getLogger(__name__)

Builds = Build | Scenario | Iterable[Build]
Opponent = TargetKeys | Mapping[str, Any] | None
Sweep = int | str | Iterable[int]
#: Rounds simulated per build and AC when nothing else is asked for.
TRIALS = 1_000_000
MAX_BUILDS = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Lowered:
    """A build with the plan and target it comes to."""

    build: Build
    plan: Plan
    target: Target


def lowered(builds: Builds, target: Opponent = None, ac: int | None = None) -> tuple[Lowered, ...]:
    """Every build with its plan and target.

    Parameters
    ----------
    builds : Build, Scenario or iterable of Build
        What attacks; a scenario brings its target.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    ac : int, optional
        Replaces the defence the first attack aims at.

    Raises
    ------
    ScenarioError
        A build or target that cannot be played.
    ValueError
        No builds, or two of one name.
    TypeError
        Something that is no build.
    """
    at = None if ac is None else whole("ac", ac)
    if isinstance(builds, Build):
        listed: tuple[Build, ...] = (builds,)
    elif isinstance(builds, Scenario):
        listed = builds.builds
        target = builds.target if target is None else target
    else:
        listed = tuple(builds) if isinstance(builds, Iterable) and not isinstance(builds, str) else (builds,)
    wrong = [build for build in listed if not isinstance(build, Build)]
    if wrong:
        raise TypeError(f"builds must be a Build, a Scenario or Builds, as load, statblock and sheet give; got {type(wrong[0]).__name__}")
    if not 1 <= len(listed) <= MAX_BUILDS:
        raise ValueError(f"builds must be 1 to {MAX_BUILDS}; got {len(listed)}")
    names = [build.name for build in listed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"builds must have different names; got {', '.join(map(repr, twice))} twice")
    derived = ((build, build.derive(target_of(build.system, **target) if isinstance(target, Mapping) else target, at)) for build in listed)
    return tuple(Lowered(build=build, plan=made.plan, target=made.target) for build, made in derived)


def exactly(builds: Builds, ac: Sweep = DEFAULT, target: Opponent = None) -> tuple[Played, ...]:
    """Every build over a sweep by the exact engine."""
    acs = parse_acs(ac)
    return tuple(Played(system=one.build.system, build=one.build.name, exact=evaluate(one.plan, one.target, acs)) for one in lowered(builds, target))


def whole(name: str, value: SupportsIndex) -> int:
    """The number as an int.

    Raises
    ------
    TypeError
        When it is a fraction, text or a truth value.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be a whole number; got {value!r}")
    return index(value)


def chosen_seed(seed: int | None) -> int:
    """The seed, or one drawn from the operating system when there is none."""
    return secrets.randbits(32) if seed is None else whole("seed", seed)


def twice(
    builds: Builds,
    ac: Sweep = DEFAULT,
    target: Opponent = None,
    *,
    trials: int = TRIALS,
    seed: int,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Played, ...]:
    """Every build over a sweep by both engines; see `analyzer.montecarlo.simulate` for the parameters."""
    from analyzer.montecarlo import compiled, simulate  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

    rounds, threads = whole("trials", trials), whole("workers", workers)
    if not compiled():
        _LOG.warning("Compiling the simulation kernel, once: about 20 seconds.")
    acs = parse_acs(ac)
    played = []
    for one in lowered(builds, target):
        exact = Played(system=one.build.system, build=one.build.name, exact=evaluate(one.plan, one.target, acs))
        tallies = simulate(one.plan, one.target, acs, trials=rounds, seed=seed, workers=threads, executor=executor, progress=progress)
        played.append(replace(exact, tallies=tallies))
    return tuple(played)
