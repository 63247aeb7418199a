"""Playing builds over a sweep: derive each one's plan, ask the exact engine, and simulate the same rounds when asked to."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from analyzer.exact import evaluate
from analyzer.plan import Plan, Target, swept_defence
from analyzer.precision import Precision
from analyzer.records import Played, figure_names, seen
from analyzer.rulekit.models import TargetKeys
from analyzer.scenario import Build, Scenario, ScenarioError
from analyzer.scenario import target as target_of
from analyzer.sweeps import DEFAULT, parse_acs

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally

_LOG = logging.getLogger(__name__)

Builds = Build | Scenario | Iterable[Build]
Opponent = TargetKeys | Mapping[str, Any] | None
Sweep = int | str | Iterable[int]
#: Rounds simulated per build and AC when nothing else is asked for.
TRIALS = 1_000_000
#: Most rounds simulated per build and AC for a precision, when no other limit is given.
MOST_TRIALS = 2**32
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
    derived = ((build, build.derive(faced, at)) for build, faced in listed(builds, target))
    return tuple(Lowered(build=build, plan=made.plan, target=made.target) for build, made in derived)


def kept(builds: Builds) -> Builds:
    """The builds, those of an iterator held so that they can be gone through again."""
    return builds if isinstance(builds, Build | Scenario | str) or not isinstance(builds, Iterable) else tuple(builds)


def listed(builds: Builds, target: Opponent = None) -> tuple[tuple[Build, TargetKeys | None], ...]:
    """Every build with the target of its game that it faces; errors are those of `lowered`."""
    if isinstance(builds, Build):
        given: tuple[Build, ...] = (builds,)
    elif isinstance(builds, Scenario):
        given = builds.builds
        target = builds.target if target is None else target
    else:
        given = tuple(builds) if isinstance(builds, Iterable) and not isinstance(builds, str) else (builds,)
    wrong = [build for build in given if not isinstance(build, Build)]
    if wrong:
        raise TypeError(f"builds must be a Build, a Scenario or Builds, as load, statblock and sheet give; got {type(wrong[0]).__name__}")
    if not 1 <= len(given) <= MAX_BUILDS:
        raise ValueError(f"builds must be 1 to {MAX_BUILDS}; got {len(given)}")
    names = [build.name for build in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"builds must have different names; got {', '.join(map(repr, twice))} twice")
    return tuple((build, target_of(build.system, **target) if isinstance(target, Mapping) else target) for build in given)


def own_acs(builds: Builds, target: Opponent = None) -> dict[str, int]:
    """The armor class each build's first attack meets at the target as it stands, by the build's name; none where nobody said anything about it."""
    out: dict[str, int] = {}
    for build, faced in listed(builds, target):
        own = None if faced is None else first_ac(build, faced)
        if faced is None or own is None:
            continue
        try:
            blank = first_ac(build, type(faced)())
        except ScenarioError:  # a build that only some targets can be attacked with
            blank = None
        if "ac" in faced.given() or own != blank:
            out[build.name] = own
    return out


def first_ac(build: Build, target: TargetKeys | None) -> int | None:
    """The armor class that a build's first attack aims at; None where it aims at none that follows a sweep."""
    made = build.derive(target)
    first = swept_defence(made.plan, made.target)
    return None if first is None else made.target.ac[first]


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
    if isinstance(value, bool) or not isinstance(value, int | SupportsIndex):
        raise TypeError(f"{name} must be a whole number; got {value!r}")
    return index(value)


def chosen_seed(seed: int | None) -> int:
    """The seed, or one drawn from the operating system when there is none."""
    return secrets.randbits(32) if seed is None else whole("seed", seed)


def announce_compiling(*, sweeps: bool = True) -> None:
    """Say so when the next simulation, of a whole sweep or of rounds against one armor class, has to wait for the kernel to be compiled."""
    from analyzer.montecarlo import compiled  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

    if not compiled(sweeps=sweeps):
        _LOG.warning("Compiling the simulation kernel, once: about 20 seconds.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Every build over a sweep by both engines."""

    played: tuple[Played, ...]
    #: whether the simulation was interrupted; builds it had not come to are left out
    partial: bool
    #: (build, AC) that were simulated as often as allowed without reaching the precision asked for
    missed: tuple[tuple[str, int], ...]

    @property
    def trials(self) -> tuple[int, int]:
        """Fewest and most rounds of a build at an AC."""
        numbers = [tally.trials for one in self.played for tally in one.tallies or ()]
        return min(numbers, default=0), max(numbers, default=0)


def twice(
    builds: Builds,
    ac: Sweep = DEFAULT,
    target: Opponent = None,
    *,
    trials: int | None = None,
    precision: Precision | None = None,
    seed: int,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Every build over a sweep by both engines, until the trials or the precision is reached; see `analyzer.montecarlo.simulate_sides` for the rest.

    Raises
    ------
    ScenarioError, ValueError, TypeError
        What cannot be played, a parameter out of range, or a figure that some build does not have.
    KeyboardInterrupt
        When it is interrupted before anything was simulated.
    """
    from analyzer.montecarlo import simulate_sides  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

    most = (TRIALS if precision is None else MOST_TRIALS) if trials is None else whole("trials", trials)
    threads = whole("workers", workers)
    acs = parse_acs(ac)
    sides = lowered(builds, target)
    exact = [Played(system=one.build.system, build=one.build.name, exact=evaluate(one.plan, one.target, acs), precision=precision) for one in sides]
    if precision is not None:
        check_figures(exact, precision.of)
    announce_compiling()

    def enough(side: int, at: int, tally: Tally) -> bool:
        asked = () if precision is None else seen(exact[side].exact, acs.index(at), tally, precision.of)
        return precision is None or all(found is not None and precision.reached(found) for found in asked)

    found = simulate_sides(
        [(one.plan, one.target, acs) for one in sides],
        trials=most,
        seed=seed,
        enough=None if precision is None else enough,
        workers=threads,
        executor=executor,
        progress=progress,
    )
    played = []
    for one, tallies in zip(exact, found.tallies, strict=True):
        whole_sweep = tuple(tally for tally in tallies if tally is not None)
        if len(whole_sweep) == len(acs):
            played.append(replace(one, tallies=whole_sweep, partial=found.partial))
    if not played:
        raise KeyboardInterrupt
    missed = tuple((exact[side].build, at) for side, at in found.missed)
    if found.partial:
        _LOG.warning("Interrupted: the figures are of the rounds played so far.")
    if missed:
        few = "; ".join(f"{name}, AC {at}" for name, at in missed[:5])
        more = f" and {len(missed) - 5} more" if len(missed) > 5 else ""
        _LOG.warning("The precision was not reached within %s rounds: %s%s.", f"{most:,}", few, more)
    return Run(played=tuple(played), partial=found.partial, missed=missed)


def check_figures(played: Iterable[Played], of: Iterable[str]) -> None:
    """Refuse a figure that some build does not have.

    Raises
    ------
    ValueError
        With the figures there are.
    """
    for one in played:
        known = figure_names(one.exact)
        for name in of:
            if name not in known:
                raise ValueError(f"of must be figures of every build: {', '.join(known)}; got {name!r}, which {one.build!r} does not have")
            if name == "no_damage" and one.exact.pmf is None:
                raise ValueError(one.exact.pmf_refused)
