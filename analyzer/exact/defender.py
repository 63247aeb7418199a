"""What of a target shapes the outcomes of an attack: everything but its defences, which only say what an attack needs, and its hit points."""

from __future__ import annotations

from typing import NamedTuple, Self

from analyzer.plan import Reduction, Target


class Defender(NamedTuple):
    """Fields of a `Target`, by the same names."""

    miss: tuple[int, int]
    miss_rolls: int
    negate: tuple[int, int]
    immune_critical: bool
    immune_precision: bool
    reductions: tuple[tuple[Reduction, ...], ...]

    @classmethod
    def of(cls, target: Target) -> Self:
        """The defender in a target."""
        return cls(target.miss, target.miss_rolls, target.negate, target.immune_critical, target.immune_precision, target.reductions)
