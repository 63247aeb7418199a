"""Cells of a grid of designs: exact figures of every design before every foe, in chunks, plans that differ by attack bonus alone worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from analyzer.asking.seats import Seat
from analyzer.exact import evaluate, lower_means
from analyzer.plan import Plan, Target
from analyzer.pmf import Floats, Integers
from analyzer.rulekit.models import TargetKeys
from analyzer.workings.designs import Designs, shift

#: Figures of a round, the first of them means alone.
FIGURES = ("dpr", "sd", "hits", "crits", "any_hit", "any_crit", "no_damage")
#: Kinds of design planned in one piece of work.
CHUNK = 512
#: Designs planned in full to see that shifts may be added up.
_CHECKED = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """Some designs with their figures."""

    #: (n_design,) numbers of the designs
    designs: Integers
    #: (n_design, n_mix, n_figure) float64
    figures: Floats


@dataclass(frozen=True, kw_only=True, slots=True)
class _Foes:
    """Foes that differ by armor class alone, as a piece of work takes them: their target, their numbers in the field, and their armor classes."""

    target: TargetKeys | None
    foes: tuple[int, ...]
    acs: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Job:
    """Some kinds of design before all foes, at every armor class that a shift leads to. Picklable, so that any executor can do it."""

    designs: Designs
    #: (n_kind, n_key) places of the values; those of shifting keys are 0
    kinds: Integers
    foes: tuple[_Foes, ...]
    #: lowest and highest shift of the attack bonus
    low: int
    high: int
    means: bool


def chunks(designs: Designs, seat: Seat, *, means: bool, executor: Executor | None = None, progress: Callable[[int], None] | None = None) -> Iterator[Chunk]:
    """Every design before the foes of a seat, which is the template's, a chunk at a time.

    Parameters
    ----------
    designs, seat
        What is played, and before whom; every design meets the template's foes.
    means
        Whether the mean damage alone is worked out, or all of `FIGURES`.
    executor : Executor, optional
        Where the pieces of work are done, instead of here.
    progress : callable, optional
        Called with the number of (design, foe) cells just finished.

    Raises
    ------
    ScenarioError
        A design that cannot be played.
    """
    places = designs.places()
    foes = tuple(_Foes(target=_met(seat, faced.foes[0]), foes=faced.foes, acs=faced.acs) for faced in seat.faced)
    shifts = _shifts(designs, places, foes[0].target)
    added = np.zeros(len(places), np.int64)
    for key, deltas in shifts.items():
        added += np.array(deltas)[places[:, key]]
    kinds, kind = np.unique(np.where(np.isin(np.arange(places.shape[1]), list(shifts)), 0, places), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    order = np.argsort(kind, kind="stable")
    bounds = np.searchsorted(kind[order], np.arange(len(kinds) + 1))
    starts = range(0, len(kinds), CHUNK)
    jobs = [_Job(designs=designs, kinds=kinds[first : first + CHUNK], foes=foes, low=int(added.min()), high=int(added.max()), means=means) for first in starts]
    for first, found in zip(starts, map(_work, jobs) if executor is None else executor.map(_work, jobs), strict=True):
        members = order[bounds[first] : bounds[min(first + CHUNK, len(kinds))]]
        highest = int(added.max())
        cells = np.concatenate([_read(table, one, kind[members] - first, added[members], highest) for one, table in zip(foes, found, strict=True)], axis=1)
        columns = np.argsort([foe for one in foes for foe in one.foes])
        mixed = np.tensordot(cells[:, columns], seat.field.weights, axes=(1, 1)).transpose(0, 2, 1) if not seat.field.swept else cells[:, columns]
        if progress is not None:
            progress(len(members) * len(columns))
        yield Chunk(designs=members, figures=mixed)


def _met(seat: Seat, foe: int) -> TargetKeys | None:
    return seat.opponent if seat.field.foes[foe].keys is None else seat.field.foes[foe].target(seat.build.system)


def _read(table: Floats, foes: _Foes, kind: Integers, added: Integers, high: int) -> Floats:
    """The figures of some designs out of a table by kind and armor class: a higher bonus is a lower armor class."""
    low = min(foes.acs) - high
    where = np.array(foes.acs)[np.newaxis, :] - added[:, np.newaxis] - low
    found: Floats = table[kind[:, np.newaxis], where]
    return found


def _work(job: _Job) -> list[Floats]:
    """Per group of foes the figures of the kinds, (n_kind, n_ac, n_figure) float64, at armor classes from the lowest less the highest shift."""
    builds = [job.designs.build(places) for places in job.kinds]
    out = []
    for foes in job.foes:
        derived = [build.derive(foes.target) for build in builds]
        acs = range(min(foes.acs) - job.high, max(foes.acs) - job.low + 1)
        plans, targets = [one.plan for one in derived], [one.target for one in derived]
        out.append(lower_means(plans, targets).dpr(acs)[..., np.newaxis] if job.means else np.array(list(map(_figures, plans, targets, [acs] * len(plans)))))
    return out


def _figures(plan: Plan, target: Target, acs: Sequence[int]) -> Floats:
    found = evaluate(plan, target, acs, pmf=False)
    return np.stack([getattr(found, name) for name in FIGURES], axis=1)


def _shifts(designs: Designs, places: Integers, target: TargetKeys | None) -> dict[int, list[int]]:
    """The keys that change nothing but every attack bonus alike, each with how much higher it is by value.

    That shifts of several keys add up, and with any value of the others, is seen on designs picked by chance; where one is otherwise, no key is taken for one.
    """
    base = designs.build([0] * len(designs.keys)).derive(target)
    if not all(base.target.follows_sweep[attack.defence] for step in base.plan.steps for attack, _ in step.groups()):
        return {}
    found: dict[int, list[int]] = {}
    for key, (_, values) in enumerate(designs.varied):
        deltas: list[int] = []
        for place in range(len(values)):
            one = designs.build([place if k == key else 0 for k in range(len(designs.keys))]).derive(target)
            delta = shift(base.plan, one.plan) if one.target == base.target else None
            if delta is None:
                break
            deltas.append(delta)
        if len(deltas) == len(values):
            found[key] = deltas
    picked = np.random.default_rng(0).permutation(len(places))[:_CHECKED]
    for row in places[picked].tolist():
        whole = designs.build(row).derive(target).plan
        kind = designs.build([0 if key in found else place for key, place in enumerate(row)]).derive(target).plan
        if shift(kind, whole) != sum(deltas[row[key]] for key, deltas in found.items()):
            return {}
    return found
