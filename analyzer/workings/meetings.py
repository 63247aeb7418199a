"""Meetings: builds before the creatures of a table, every figure of a round by one or both engines, all of them weighed and one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analyzer.asking.bestiary import Against
from analyzer.asking.seats import Seat, seats
from analyzer.playing import MOST_TRIALS, TRIALS, Builds, Opponent, announce_compiling, check_figures
from analyzer.pmf import Floats
from analyzer.precision import Precision
from analyzer.records import Detail, Played, Record, Simulable, attack_figures, columns, round_figures, seen
from analyzer.verdict import Figure
from analyzer.workings.weighing import Met, distribution, judged, same, spread, weighed

if TYPE_CHECKING:  # importing it at run time would import Numba, which the exact path does without
    from analyzer.montecarlo import Tally

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Meeting:
    """A build before every creature of its table."""

    seat: Seat
    #: (n_foe,)
    met: tuple[Met, ...]
    precision: Precision | None = None
    #: whether the simulation was interrupted: what it has nothing of is left out
    partial: bool = False

    @property
    def simulated(self) -> bool:
        """Whether any creature was met by the simulation."""
        return any(one.tally is not None for one in self.met)

    @property
    def mixes(self) -> tuple[int, ...]:
        """The mixes told: all, then each; a single creature is told once, by its name."""
        shown = range(1 if len(self.met) == 1 else 0, len(self.seat.field.mixes))
        return tuple(mix for mix in shown if not self.partial or all(one.tally is not None for _, one in self.weighed(mix)))

    def weighed(self, mix: int) -> list[tuple[float, Met]]:
        """The creatures of a mix with their weights."""
        return [(weight, self.met[foe]) for foe, weight in self.seat.field.mixes[mix].weights]

    def where(self, mix: int) -> str:
        """Build and creature, for messages."""
        return self.seat.where(mix)

    @property
    def dpr(self) -> Floats:
        """(n_mix,) damage points per round, weighed."""
        return self.seat.mixed(np.array([one.exact.dpr[one.place] for one in self.met]))

    def pmf(self) -> tuple[list[Floats], str | None]:
        """The distribution of a round of every mix told, or why there is none."""
        refused = next((one.exact.pmf_refused for one in self.met if one.exact.pmf is None), None)
        rows = [one.exact.pmf[one.place] for one in self.met if one.exact.pmf is not None]
        if refused is not None:
            return [], refused
        longest = max(map(len, rows), default=1)
        every = self.seat.mixed(np.array([np.pad(row, (0, longest - len(row))) for row in rows]))
        return [every[mix] for mix in self.mixes], None

    def records(self, by: Detail) -> Iterator[Record]:
        """The records of the mixes, per round or per attack."""
        for mix in self.mixes:
            head = self._head(mix)
            parts = self.weighed(mix)
            if by == "round":
                found = self._columns(parts, [round_figures(one.exact, one.place, one.tally) for _, one in parts])
                first = {key: found.pop(key) for key in list(found) if key == "dpr" or key.startswith("dpr_")}
                sd = spread([(weight, one.exact.dpr[one.place], one.exact.sd[one.place]) for weight, one in parts])
                yield head | first | {"sd": sd} | found
                continue
            for k in range(self._attacks):
                made = [one.exact.attacks[k] for _, one in parts]
                bonuses, effects = {one.bonus for one in made}, {one.effect for one in made}
                row: Record = head | {"attack": k + 1, "bonus": bonuses.pop() if len(bonuses) == 1 else None}
                row |= self._columns(parts, [attack_figures(one.exact, one.place, k, one.tally) for _, one in parts])
                yield row | ({"effect": effects.pop()} if len(effects) == 1 and None not in effects else {})

    def figures(self, *, rounds: bool, attacks: bool) -> Iterator[Figure]:
        """Every simulated figure of the mixes with its p, and one chi-square of the totals per creature."""
        for mix in self.mixes:
            parts = self.weighed(mix)
            lists = [("", [round_figures(one.exact, one.place, one.tally) for _, one in parts])] if rounds else []
            if attacks:
                lists += [(f" of attack {k + 1}", [attack_figures(one.exact, one.place, k, one.tally) for _, one in parts]) for k in range(self._attacks)]
            for which, listed in lists:
                for group in same(listed):
                    yield Figure(name=f"{group[0].name}{which} of {self.where(mix)}", p=judged(parts, group))
            ((_, one), *more) = parts
            if not more:
                yield Figure(name=f"distribution of {self.where(mix)}", p=distribution(one))

    @property
    def _attacks(self) -> int:
        """How many attacks every creature is met with."""
        return min((len(one.exact.attacks) for one in self.met), default=0)

    def _head(self, mix: int) -> Record:
        head = self.seat.head(mix)
        if self.seat.build.level is not None:
            head["series"] = self.seat.build.series
        tallies = [one.tally for _, one in self.weighed(mix) if one.tally is not None]
        return head | ({"trials": min(tally.trials for tally in tallies)} if tallies and (self.partial or self.precision is not None) else {})

    def _columns(self, parts: list[tuple[float, Met]], listed: list[list[Simulable]]) -> Record:
        if len(parts) == 1:
            return columns(listed[0], parts[0][1].tally, self.precision)
        out: Record = {}
        for group in same(listed):
            out |= weighed(parts, group)
        return out


def meetings(builds: Builds, against: Against, *, ac: object = None, target: Opponent = None) -> tuple[Meeting, ...]:
    """Every build before the creatures of a table, by the exact engine.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or an armor class or target beside the table.
    """
    taken = seats(builds, None if ac is None else 0, target=target, against=against)
    return tuple(_exactly(seat) for seat in taken)


def _exactly(seat: Seat) -> Meeting:
    met: dict[int, Met] = {}
    for faced, found in seat.rounds(pmf=True):
        met |= {foe: Met(exact=found, place=place) for place, foe in enumerate(faced.foes)}
    return Meeting(seat=seat, met=tuple(met[foe] for foe in range(len(seat.field.foes))))


def simulated(
    listed: Sequence[Meeting],
    *,
    trials: int | None = None,
    precision: Precision | None = None,
    seed: int,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Meeting, ...]:
    """The meetings with a simulation beside each creature: all builds meet it on the same dice, each creature brings dice of its own.

    Raises
    ------
    ValueError
        A parameter out of range, or a figure that some build does not have.
    KeyboardInterrupt
        Interrupted before any creature was met.
    """
    most = (TRIALS if precision is None else MOST_TRIALS) if trials is None else trials
    if precision is not None:
        check_figures((Played(system=m.seat.build.system, build=m.seat.build.name, exact=one.exact) for m in listed for one in m.met), precision.of)
    announce_compiling()
    found: list[list[Met]] = [list(meeting.met) for meeting in listed]
    partial, missed = False, []
    for foe in range(max(len(meeting.met) for meeting in listed)):
        who = [i for i, meeting in enumerate(listed) if foe < len(meeting.met)]
        tallies, partial, short = _met(
            [(listed[i].seat, found[i][foe]) for i in who], foe, most, precision, seed=seed, workers=workers, executor=executor, progress=progress
        )
        for i, tally in zip(who, tallies, strict=True):
            found[i][foe] = replace(found[i][foe], tally=tally)
        missed += [f"{listed[who[side]].seat.build.name}, {listed[who[side]].seat.field.foes[foe].name}" for side in short]
        if partial:
            break
    if partial:
        if not any(one.tally is not None for row in found for one in row):
            raise KeyboardInterrupt
        _LOG.warning("Interrupted: the figures are of the rounds played so far.")
    if missed:
        more = f" and {len(missed) - 5} more" if len(missed) > 5 else ""
        _LOG.warning("The precision was not reached within %s rounds: %s%s.", f"{most:,}", "; ".join(missed[:5]), more)
    return tuple(replace(meeting, met=tuple(row), precision=precision, partial=partial) for meeting, row in zip(listed, found, strict=True))


def _met(
    who: Sequence[tuple[Seat, Met]],
    foe: int,
    most: int,
    precision: Precision | None,
    *,
    seed: int,
    workers: int,
    executor: Executor | None,
    progress: Callable[[int], None] | None,
) -> tuple[list[Tally | None], bool, list[int]]:
    """Tallies of several builds before one creature, whether they were cut short, and which did not reach the precision."""
    from analyzer.montecarlo import simulate_sides  # noqa: PLC0415 - Numba costs start-up time and the exact path does without

    def enough(side: int, _ac: int, tally: Tally) -> bool:
        one = who[side][1]
        of: Collection[str] = () if precision is None else precision.of
        return precision is None or all(figure is not None and precision.reached(figure) for figure in seen(one.exact, one.place, tally, of))

    sides = []
    for seat, _ in who:
        faced, ac = seat.before(foe)
        sides.append((faced.plan, faced.target, (ac,)))
    played = simulate_sides(
        sides,
        trials=most,
        seed=who[0][0].seed(seed, foe),
        enough=None if precision is None else enough,
        workers=workers,
        executor=executor,
        progress=progress,
    )
    return [row[0] for row in played.tallies], played.partial, [side for side, _ in played.missed]
