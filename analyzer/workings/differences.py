"""Differences of damage per round between builds, or armor classes, played on common dice: paired, so that their standard error is small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from analyzer.asking.seats import Seat, Simulation
from analyzer.asking.twins import Twins
from analyzer.pmf import Floats
from analyzer.records import Record
from analyzer.workings.leads import best_other, difference

#: A seat and one of its foes, by their numbers.
Place = tuple[int, int]
#: What a build's DPR is compared with: the best of the other builds, the first build, or its own at the armor class before.
Reference = Literal["best", "first", "previous"]
REFERENCES: tuple[Reference, ...] = ("best", "first", "previous")


@dataclass(frozen=True, kw_only=True, slots=True)
class Apart:
    """A simulated difference of mean damage points per round, its paired standard error (None when it never varied), and how many rounds it rests on."""

    found: float
    error: float | None
    trials: int
    #: rounds in which the two differ
    unequal: float

    def columns(self, twins: Twins, where: str, name: str, exact: float) -> Record:
        """The columns of the difference beside its exact value; it is judged by its paired standard error."""
        return twins.estimate(where, name, exact=exact, found=self.found, error=self.error, trials=self.trials, occurrences=self.unequal)


def at_foes(
    taken: Sequence[Seat],
    asked: Iterable[tuple[Place, Place]],
    how: Simulation,
    *,
    trials: Mapping[int, int] | None = None,
    executor: Executor | None = None,
) -> dict[tuple[Place, Place], Apart]:
    """The differences of pairs of places.

    Parameters
    ----------
    taken : sequence of Seat
        Builds before the same foes.
    asked : iterable of ((seat, foe), (seat, foe))
        The first less the second.
    how : Simulation
        Its rounds are those of `Seat.tallies`.
    trials : mapping of foe to int, optional
        Rounds of each foe, where they differ; of two foes the more.
    executor : Executor, optional
        Where to run instead of threads.
    """
    from analyzer.montecarlo import paired_sides  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

    batches: dict[tuple[int, ...], dict[tuple[Place, Place], None]] = {}
    for pair in asked:
        (_, f), (_, g) = pair
        batches.setdefault((f,) if f == g else (f, g, pair[0][0]), {})[pair] = None
    out: dict[tuple[Place, Place], Apart] = {}
    for key, pairs in batches.items():
        places = list(dict.fromkeys(place for pair in pairs for place in pair))
        rounds = how.trials if trials is None else max(trials[foe] for foe in key[:2])
        dice = taken[places[0][0]].seed(how.seed, key[0])
        numbers = [(places.index(a), places.index(b)) for a, b in pairs]
        found = paired_sides([taken[i].side(foe) for i, foe in places], numbers, trials=rounds, seed=dice, workers=how.workers, executor=executor)
        for pair, tally in zip(pairs, found, strict=True):
            out[pair] = Apart(found=tally.difference, error=tally.standard_error, trials=rounds, unequal=tally.apart)
    return out


def at_mixes(
    taken: Sequence[Seat],
    asked: Iterable[tuple[int, int, int]],
    how: Simulation,
    *,
    trials: Mapping[int, int] | None = None,
    executor: Executor | None = None,
) -> dict[tuple[int, int, int], Apart]:
    """The differences of (seat, seat, mix), the first less the second, creatures being weighed as the mix says; the rest as in `at_foes`."""
    wanted = list(dict.fromkeys(asked))
    weights = {(i, j, mix): taken[i].field.mixes[mix].weights for i, j, mix in wanted}
    pairs = [((i, foe), (j, foe)) for i, j, mix in wanted for foe, _ in weights[i, j, mix]]
    single = at_foes(taken, pairs, how, trials=trials, executor=executor)
    out = {}
    for i, j, mix in wanted:
        parts = [(weight, single[(i, foe), (j, foe)]) for foe, weight in weights[i, j, mix]]
        error = sqrt(sum((weight * (part.error or 0.0)) ** 2 for weight, part in parts))
        out[i, j, mix] = Apart(
            found=sum(weight * part.found for weight, part in parts),
            error=error or None,
            trials=min(part.trials for _, part in parts),
            unequal=sum(part.unequal for _, part in parts),
        )
    return out


def reference_of(given: object) -> Reference | None:
    """What was asked for: one of `REFERENCES`, True for the best, or nothing.

    Raises
    ------
    ValueError
        Anything else.
    """
    if given is None or given is False:
        return None
    for known in REFERENCES:
        if given == known or (given is True and known == "best"):
            return known
    raise ValueError(f"differences must be one of {', '.join(map(repr, REFERENCES))}; got {given!r}")


def check_reference(reference: Reference, taken: Sequence[Seat]) -> None:
    """Refuse a reference that some builds do not have.

    Raises
    ------
    ValueError
        Fewer than two builds, the armor class before where there is no sweep, or builds before different creatures.
    """
    if reference == "previous" and not taken[0].field.swept:
        raise ValueError("differences must be 'best' or 'first' before a table of creatures; got 'previous'")
    if reference != "previous" and len(taken) < 2:
        raise ValueError(f"builds must be two at least for differences to the {reference}; got {len(taken)}")
    if len({tuple(mix.head for mix in seat.field.mixes) for seat in taken}) > 1:
        levels = sorted({seat.build.level for seat in taken if seat.build.level is not None})
        raise ValueError(f"builds must be of one level for differences before a table with levels; got levels {', '.join(map(str, levels))}")


def gaps(
    reference: Reference,
    taken: Sequence[Seat],
    dpr: Floats,
    how: Simulation | None,
    *,
    twins: Twins,
    trials: Mapping[int, int] | None = None,
    executor: Executor | None = None,
    where: Sequence[str] | None = None,
) -> list[list[Record]]:
    """What each build's DPR is more than its reference, at every mix.

    Parameters
    ----------
    reference
        What it is compared with.
    taken : sequence of Seat
        The builds, before the same foes.
    dpr : (n_build, n_mix) float64
        Damage points per round.
    how : Simulation or None
        The paired simulation; None for none.
    twins
        Takes the figures for the verdict.
    trials, executor
        As in `at_foes`.
    where : (n_mix,) str, optional
        What each mix is called in the verdict, where its armor class or creature does not say enough.

    Returns
    -------
    list of list of records
        By build and mix: ``than`` and ``difference``, both None where there is nothing to compare with, and its simulated columns.

    """
    swept = taken[0].field.swept
    than = _references(reference, dpr)
    apart: dict[tuple[Place, Place], Apart] = {}
    if how is not None and swept:
        apart = at_foes(taken, than.items(), how, trials=trials, executor=executor)
    elif how is not None:
        asked = [(i, j, mix) for (i, mix), (j, _) in than.items()]
        found = at_mixes(taken, asked, how, trials=trials, executor=executor)
        apart = {((i, mix), (j, mix)): one for (i, j, mix), one in found.items()}
    out: list[list[Record]] = [[{"than": None, "difference": None} for _ in row] for row in dpr]
    for (i, k), other in than.items():
        exact = difference(float(dpr[i, k]), float(dpr[other]))
        out[i][k] = _gap(taken, exact, ((i, k), other), apart.get(((i, k), other)), twins=twins, where=where)
    return out


def _references(reference: Reference, dpr: Floats) -> dict[Place, Place]:
    """What each build at each place is compared with, where there is anything."""
    places = [(i, k) for i in range(dpr.shape[0]) for k in range(dpr.shape[1])]
    if reference == "previous":
        return {(i, k): (i, k - 1) for i, k in places if k}
    if reference == "first":
        return {(i, k): (0, k) for i, k in places if i}
    rivals = best_other(dpr)
    return {(i, k): (int(rivals[i, k]), k) for i, k in places}


def _gap(taken: Sequence[Seat], exact: float, pair: tuple[Place, Place], apart: Apart | None, *, twins: Twins, where: Sequence[str] | None) -> Record:
    (i, k), (j, other) = pair
    than = taken[0].face(other) if i == j else taken[j].build.name
    out: Record = {"than": than}
    named = f"{taken[i].build.name} less {than}, {taken[0].face(k) if where is None else where[k]}"
    return out | ({"difference": exact} if apart is None else apart.columns(twins, named, "difference", exact))
