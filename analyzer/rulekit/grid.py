"""The battle grid: where a scattered throw lands, and which squares a blast reaches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: The eight directions of the compass, clockwise from north, ``y`` pointing up.
COMPASS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
FEET_PER_SQUARE = 5

Square = tuple[int, int]


def nearest_direction(x: int, y: int) -> int:
    """The index in `COMPASS` of the direction nearest to ``(x, y)``, which is not ``(0, 0)``.

    The border between a straight and a diagonal direction lies at 22.5 degrees, whose tangent is irrational: whole squares never lie on it.
    """
    wide, narrow = max(abs(x), abs(y)), min(abs(x), abs(y))
    straight = (wide - narrow) ** 2 > 2 * narrow**2
    step = (_sign(x) if not straight or abs(x) > abs(y) else 0, _sign(y) if not straight or abs(y) > abs(x) else 0)
    return COMPASS.index(step)


def displacements(thrower: Square, distances: int = 4) -> tuple[Square, ...]:
    """Where a throw lands, relative to its mark, for each direction die face and then each distance die face.

    Face 1 of the direction die is from the mark back toward the thrower, 2 to 8 follow clockwise.
    """
    back = nearest_direction(*thrower)
    turned = (COMPASS[(back + face) % 8] for face in range(8))
    return tuple((x * n, y * n) for x, y in turned for n in range(1, distances + 1))


def squares_to_far_corner(x: int, y: int) -> int:
    """Squares from the intersection ``(0, 0)`` to the far corner of the square ``[x, x+1] x [y, y+1]``, every second diagonal step counting double."""
    across, up = (n + 1 if n >= 0 else -n for n in (x, y))
    return max(across, up) + min(across, up) // 2


def in_blast(x: int, y: int, radius: int) -> bool:
    """Whether a blast of ``radius`` feet at the intersection ``(0, 0)`` catches the square with its lower left corner at ``(x, y)``."""
    return squares_to_far_corner(x, y) * FEET_PER_SQUARE <= radius


def blast(radius: int) -> frozenset[Square]:
    """The squares, by their lower left corners, that a blast of ``radius`` feet at the intersection ``(0, 0)`` catches."""
    reach = radius // FEET_PER_SQUARE
    return frozenset((x, y) for x in range(-reach, reach) for y in range(-reach, reach) if in_blast(x, y, radius))


def caught(landings: Iterable[Square], creatures: Sequence[tuple[Square, int]], radius: int) -> tuple[tuple[int, ...], ...]:
    """For each landing and each creature (lower left square, squares a side): 1 when any of its squares is caught, else 0."""
    return tuple(tuple(int(_touched(x - dx, y - dy, size, radius)) for (x, y), size in creatures) for dx, dy in landings)


def _touched(x: int, y: int, size: int, radius: int) -> bool:
    return any(in_blast(x + i, y + j, radius) for i in range(size) for j in range(size))


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)
