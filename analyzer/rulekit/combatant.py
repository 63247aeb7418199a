"""Body size and the ladder of attacks: tables the games that descend from the d20 rules share."""

from __future__ import annotations

from typing import Literal

Size = Literal["fine", "diminutive", "tiny", "small", "medium", "large", "huge", "gargantuan", "colossal"]
#: The size modifier to attacks and to AC.
SIZE_MODIFIERS: dict[Size, int] = {
    "fine": 8, "diminutive": 4, "tiny": 2, "small": 1, "medium": 0, "large": -1, "huge": -2, "gargantuan": -4, "colossal": -8,
}  # fmt: skip


def iteratives(bab: int, step: int = 5, most: int = 4) -> tuple[int, ...]:
    """The base attack bonuses of a round: ``bab``, then each ``step`` lower while at +1 or better, at most ``most``; always at least one."""
    return tuple(bab - step * i for i in range(most) if i == 0 or bab - step * i >= 1)
