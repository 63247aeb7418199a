"""The ledger of a run: which rounds are still to be played, what the others came to, and which armor classes have had enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from analyzer.montecarlo.tally import Tally

#: Trials before which no run stops, and the fewest and most of one piece.
FIRST_CHECK = 2**16
SMALLEST, LARGEST = 2**14, 2**26
#: Trials of the first piece of a side, whose speed is not known yet.
UNTIMED = 2**16

#: Whether a side (by its place) has been played enough at an AC, judged by its tally; asked at the checkpoints only.
Enough = Callable[[int, int, Tally], bool]
#: Called with the number of rounds just finished.
Progress = Callable[[int], None]


def checkpoints() -> Iterator[int]:
    """Numbers of trials at which a run may stop: 2**16, and from there alternately a half and a third more (so doubling at every second)."""
    for doubling in count():
        yield FIRST_CHECK << doubling
        yield FIRST_CHECK * 3 // 2 << doubling


class Piece(NamedTuple):
    """Some consecutive trials of one side at some ACs: small enough to be sent anywhere."""

    #: the fingerprint of what plays it, then the plan and target, pickled and compressed
    program: bytes
    acs: tuple[int, ...]
    seed: int
    first: int
    trials: int
    block: int
    #: the side's place among those of the run
    side: int


class Result(NamedTuple):
    """What a piece came to: a tally per AC, and how long it took."""

    tallies: tuple[Tally, ...]
    seconds: float


@dataclass(kw_only=True, slots=True)
class _Side:
    """What is known of one side so far."""

    place: int
    program: bytes
    #: ACs still played, all of them to the same number of trials
    open: tuple[int, ...]
    checks: Iterator[int]
    #: trials of the last checkpoint, up to which pieces are given out, and of the next checkpoint
    since: int = 0
    given: int = 0
    until: int = 0
    under_way: int = 0
    #: trials per second of one piece
    pace: float | None = None
    tallies: dict[int, Tally] = field(default_factory=dict)


class Ledger:
    """A source of pieces for `pool.run`: sides advance together, so that a run cut short knows as much of each.

    Parameters
    ----------
    sides : sequence of (bytes, ACs)
        Programs and the values of the swept defence each is played at.
    trials : int
        Most trials of a side at an AC.
    seed, block
        Handed on to the pieces.
    enough : callable, optional
        When an AC needs no further trials; without it every one is played ``trials`` times.
    width : int
        Pieces that can run at a time.
    seconds : float
        How long a piece should take.
    progress : callable, optional
        Called with the number of rounds just finished.
    """

    def __init__(
        self,
        sides: Sequence[tuple[bytes, Sequence[int]]],
        *,
        trials: int,
        seed: int,
        block: int,
        enough: Enough | None = None,
        width: int = 1,
        seconds: float = 0.1,
        progress: Progress | None = None,
    ) -> None:
        self.trials, self.seed, self.block, self.enough = trials, seed, block, enough
        self.width, self.seconds, self.progress = width, seconds, progress
        #: (side, AC) that reached the most trials before they had enough
        self.missed: list[tuple[int, int]] = []
        self._sides = [_Side(place=place, program=program, open=tuple(dict.fromkeys(acs)), checks=checkpoints()) for place, (program, acs) in enumerate(sides)]
        for side in self._sides:
            side.until = self._next_check(side)

    def take(self) -> Piece | None:
        """The next piece, of the side that is furthest behind; None while all wait for results, or when nothing is left to play."""
        waiting = [side for side in self._sides if side.open and side.given < side.until]
        if not waiting:
            return None
        side = min(waiting, key=lambda one: one.given)
        trials = min(self._size(side, len(waiting)), side.until - side.given)
        piece = Piece(side.program, side.open, self.seed, side.given, trials, self.block, side.place)
        side.given += trials
        side.under_way += 1
        return piece

    def put(self, piece: Piece, result: Result) -> None:
        """Add what a piece came to; at a checkpoint, close the ACs that have had enough."""
        side = self._sides[piece.side]
        side.pace = piece.trials / max(result.seconds, 1e-6)
        for ac, tally in zip(piece.acs, result.tallies, strict=True):
            before = side.tallies.get(ac)
            side.tallies[ac] = tally if before is None else before + tally
        if self.progress is not None:
            self.progress(piece.trials * len(piece.acs))
        side.under_way -= 1
        if side.given == side.until and side.under_way == 0:
            self._check(side)

    def tallies(self, place: int) -> dict[int, Tally]:
        """What is known of a side, by AC."""
        return self._sides[place].tallies

    def _check(self, side: _Side) -> None:
        enough = self.enough
        unmet = () if enough is None else tuple(ac for ac in side.open if not enough(side.place, ac, side.tallies[ac]))
        if side.until == self.trials:
            self.missed += [(side.place, ac) for ac in unmet]
            side.open = ()
        else:
            side.open = unmet
            side.since, side.until = side.until, self._next_check(side)

    def _next_check(self, side: _Side) -> int:
        return self.trials if self.enough is None else min(next(side.checks), self.trials)

    def _size(self, side: _Side, waiting: int) -> int:
        """Trials of a side's next piece: about `seconds` long, and never so large that workers would have none. Changes no figure."""
        timed = UNTIMED if side.pace is None else int(self.seconds * side.pace)
        share = (side.until - side.since) * waiting // (2 * self.width) if self.width > 1 else LARGEST
        return 1 << max(SMALLEST, min(timed, share, LARGEST)).bit_length() - 1
