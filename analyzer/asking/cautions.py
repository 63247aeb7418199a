"""Cautions: what an answer takes for granted that nobody said, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from analyzer.playing import Builds, Opponent, first_ac, listed, own_acs
from analyzer.records import Record
from analyzer.scenario import Scenario


def cautions(builds: Builds, records: Collection[Record], *, target: Opponent = None, ac: Any = None, against: Any = None) -> Iterator[str]:  # noqa: ANN401 - as asked
    """What is told beside an answer of these records.

    Parameters
    ----------
    builds, target, ac, against
        What was asked, as it was given.
    records
        What was found.
    """
    if against is not None:
        if isinstance(builds, Scenario) and builds.target.model_fields_set:
            yield f"the table stands in for the file's target: what [target] says ({', '.join(builds.target.given())}) does not count"
    elif ac is None:
        yield from _unsaid(builds, records, target)


def _unsaid(builds: Builds, records: Collection[Record], target: Opponent) -> Iterator[str]:
    """The builds whose target has no armor class of its own, and the one that the game takes instead."""
    known = own_acs(builds, target)
    unsaid: dict[int, list[str]] = {}
    for build, faced in listed(builds, target):
        taken = None if build.name in known else first_ac(build, faced)
        if taken is not None and {record.get("ac") for record in records if record.get("build") == build.name} == {taken}:
            unsaid.setdefault(taken, []).append(build.name)
    for taken, names in unsaid.items():
        yield f"no armor class is given: {', '.join(names)} {'meets' if len(names) == 1 else 'meet'} AC {taken}, which the game takes where nothing is said"
