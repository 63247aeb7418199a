"""Advantage and disadvantage: how many d20 are rolled and which of them counts."""

from __future__ import annotations

from typing import Literal

Granted = Literal["none", "advantage", "disadvantage"]
Advantage = Literal["none", "advantage", "disadvantage", "elven accuracy"]

#: The number of d20, and whether the highest counts. Elven accuracy is advantage with three dice.
MODES: dict[Advantage, tuple[int, bool]] = {"none": (1, True), "advantage": (2, True), "disadvantage": (2, False), "elven accuracy": (3, True)}


def combined(own: Advantage, granted: Granted) -> Advantage:
    """What an attack has from two sides: however many of each, one of both cancels all.

    Examples
    --------
    >>> combined("elven accuracy", "advantage"), combined("elven accuracy", "disadvantage"), combined("none", "advantage")
    ('elven accuracy', 'none', 'advantage')
    """
    if "none" in (own, granted):
        return granted if own == "none" else own
    return own if (own == "disadvantage") == (granted == "disadvantage") else "none"
