"""Ranking: who leads where among builds over a sweep, a table of creatures or levels, in a sentence and in what a figure marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analyzer.records import Played
from analyzer.workings.leads import Landmarks, flips, stretches, sweep_note, table_note
from analyzer.workings.meetings import Meeting


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """Sentences for the reader, and the marks of a figure."""

    notes: tuple[str, ...] = ()
    marks: Landmarks = field(default_factory=Landmarks)


def of_sweep(played: Sequence[Played], own: Mapping[str, int]) -> Ranking:
    """The ranking by DPR over armor classes; ``own`` are those of the target as it stands, by build."""
    if not played or not len(played[0].exact.acs):
        return Ranking()
    order = np.argsort(played[0].exact.acs, kind="stable")
    acs = played[0].exact.acs[order].tolist()
    dpr = np.array([one.exact.dpr[order] for one in played])
    lead = sweep_note([one.build for one in played], dpr, acs)
    marks = Landmarks(flips=flips(stretches(dpr), acs), own=tuple(sorted({ac for ac in own.values() if ac in acs})))
    return Ranking(notes=tuple(note for note in (lead, _own(own, acs)) if note), marks=marks)


def besides(ranking: Ranking, notes: Iterable[str]) -> Ranking:
    """The ranking with more sentences."""
    return replace(ranking, notes=(*ranking.notes, *notes))


def _own(own: Mapping[str, int], acs: Sequence[int]) -> str | None:
    """The sentence of the target's own armor class; None where it is not in the sweep."""
    values = sorted({ac for ac in own.values() if ac in acs})
    if not values:
        return None
    if len(set(own.values())) == 1:
        return f"The target's own AC is {values[0]}."
    told = "; ".join(f"{ac} against {', '.join(name for name, at in own.items() if at == ac)}" for ac in values)
    return f"The target's own AC is {told}."


def of_meetings(listed: Sequence[Meeting]) -> Ranking:
    """The ranking by DPR before creatures; of builds with levels, over those, all creatures of a level weighed."""
    levels = sorted({meeting.seat.build.level for meeting in listed if meeting.seat.build.level is not None})
    if len(levels) > 1:
        return _by_level(listed, levels)
    if len({tuple(mix.head for mix in meeting.seat.field.mixes) for meeting in listed}) != 1:
        return Ranking()
    mixes = list(listed[0].mixes)
    places = [listed[0].seat.face(mix) for mix in mixes]
    note = table_note([meeting.seat.build.name for meeting in listed], np.array([meeting.dpr[mixes] for meeting in listed]), places)
    return Ranking(notes=(note,) if note else ())


def _by_level(listed: Sequence[Meeting], levels: Sequence[int]) -> Ranking:
    """The ranking where every series has a build of every level; none else."""
    found: dict[str, dict[int, float]] = {}
    for meeting in listed:
        if meeting.seat.build.level is not None:
            found.setdefault(meeting.seat.build.series, {})[meeting.seat.build.level] = float(meeting.dpr[0])
    if len(found) < 2 or any(list(levels) != sorted(row) for row in found.values()):
        return Ranking()
    dpr = np.array([[row[level] for level in levels] for row in found.values()])
    note = sweep_note(list(found), dpr, levels, "level")
    return Ranking(notes=(note,) if note else (), marks=Landmarks(flips=flips(stretches(dpr), levels)))
