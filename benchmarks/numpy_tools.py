"""What the best NumPy that could be written is made of: dice out of raw words, and a tally that keeps what the kernel keeps.

Everything is played in blocks of `BLOCK` rounds that stay in the processor's cache. A *spot* is a place in a stack of attacks, flat: attack x `BLOCK` + round.
Attacks whose damage is alike are played as one stack, so that a block costs few calls.

Bias: a d20 (and what shares its word) is compared as a 32-bit word, so any chance is off by less than 2**-32 x the faces that share it, 8,000 at most. Damage
dice share a word of 28 to 31 bits while their faces' product is at most 1,500: a combination is off by less than 1,500 / 2**28 = 5.6e-6 of itself. Dice of 2, 4
and 8 faces are exact. The kernel's own bound is 2.4e-6, so the dice are as good.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

import numpy as np
from numpy.random import SFC64
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
Spots = NDArray[np.intp]

BLOCK: Final = 2**14
_SHIFT: Final = BLOCK.bit_length() - 1
#: Blocks whose totals are counted at a time.
_RUN: Final = 4
_WORD: Final = 2**32
_TWENTY: Final = np.uint32(20)
_SHARED: Final = 1500


def first(face: int, sides: int = 20) -> np.uint32:
    """The lowest word that shows ``face`` or more; above every face a word that comes up once in 2**32."""
    return np.uint32(min(-(-(face - 1) * _WORD // sides), _WORD - 1))


def firsts(faces: Sequence[int]) -> U32:
    """(n_attacks, 1) lowest words of a stack of attacks."""
    return np.array([first(face) for face in faces], dtype=np.uint32)[:, None]


def needed(ac: int, bonuses: Sequence[int], *, lowest: int = 2, highest: int = 20) -> list[int]:
    """The face each attack needs to meet ``ac``, between the faces that decide by themselves."""
    return [min(max(ac - bonus, lowest), highest) for bonus in bonuses]


def confirming(ac: int, bonuses: Sequence[int], *, naturals: bool = True) -> U32:
    """(n_attacks,) lowest words of the second d20 that confirm."""
    return firsts(needed(ac, bonuses) if naturals else needed(ac, bonuses, lowest=1, highest=21)).ravel()


@cache
def pairs(kind: str) -> NDArray[np.uint8]:
    """Sums of two d6 damage dice, by what all their d6 showed.

    ``floor`` (36,): each is at least 3. ``best`` (1296,): each the better of two, at least 3. ``reroll`` (1296,): each rolled again when it shows 1 or 2.
    """
    faces = range(1, 7)
    if kind == "floor":
        return np.array([max(a, 3) + max(b, 3) for a, b in product(faces, repeat=2)], dtype=np.uint8)
    read = {"reroll": lambda a, b: b if a <= 2 else a, "best": lambda a, b: max(a, b, 3)}[kind]
    return np.array([read(a, b) + read(c, d) for a, b, c, d in product(faces, repeat=4)], dtype=np.uint8)


class Dice:
    """Dice out of the raw words of NumPy's quickest generator."""

    def __init__(self, seed: int) -> None:
        self._raw = SFC64(seed).random_raw

    def words(self, n: int) -> U32:
        """(n,) random words."""
        return self._raw((n + 1) // 2).view(np.uint32)[:n]

    def attacks(self, n: int) -> U32:
        """(n, BLOCK) words: the d20s of a stack of attacks."""
        return self.words(n * BLOCK).reshape(n, BLOCK)

    def sums(self, count: int, sides: int, n: int, plus: int = 0) -> U32:
        """(n,) sums of dice and a number."""
        bits = (sides - 1).bit_length()
        exact = sides == 2**bits
        room = np.uint32(32 - bits)
        mask, m = np.uint32(sides - 1 if exact else 2 ** (32 - bits) - 1), np.uint32(sides)
        per_word = 1
        while (bits * (per_word + 1) <= 32) if exact else (sides ** (per_word + 1) <= _SHARED):
            per_word += 1
        total = face = None
        left = count
        while left:
            word = self.words(n)
            if not exact:
                word >>= np.uint32(bits)
            now = min(per_word, left)
            left -= now
            for k in range(now):
                if exact:
                    if k:
                        word >>= np.uint32(bits)
                    face = np.bitwise_and(word, mask, out=face)
                else:
                    if k:
                        word &= mask
                    word *= m
                    face = np.right_shift(word, room, out=face)
                if total is None:
                    total, face = face, None
                else:
                    total += face
        assert total is not None
        total += np.uint32(count + plus)
        return total

    def pairs(self, kind: str, n: int) -> U32:
        """(n,) sums of two d6 read in some way, see `pairs`: all their d6 out of one word, looked up."""
        table = pairs(kind)
        word = self.words(n).astype(np.uint64)
        word *= np.uint64(len(table))
        word >>= np.uint64(32)
        return table.take(word.view(np.int64)).astype(np.uint32)

    def kept(self, n: int, miss: int, *, twice: bool = False) -> NDArray[np.bool_]:
        """(n,) whether a d100 shows more than ``miss``; with ``twice`` it may be rolled again."""
        word = self.words(n)
        least = first(miss + 1, 100)
        found = word >= least
        if twice:
            word *= np.uint32(100)
            found |= word >= least
        return found


def again(word: U32) -> U32:
    """The next d20 of words that have shown one: what is left of them."""
    return word * _TWENTY


def confirmed(word: U32, spots: Spots, threat: np.uint32, least: U32) -> Spots:
    """Which of some hits are critical: their d20 threatens and the next one confirms; ``least`` has a word per attack."""
    threats = np.flatnonzero(word >= threat)
    second = again(word.take(threats))
    return threats.compress(second >= least.take(spots.take(threats) >> _SHIFT))


class Tally:
    """Totals, hits x criticals, and per attack the hits and criticals with the sums of their damage and of its square."""

    def __init__(self, attacks: int, highest: int) -> None:
        self._size = highest + 1
        # A cell holds damage + size x (hit + (attacks + 1) x critical); the sum over the attacks of a round is then the bin of its total, hits and criticals.
        self._hit, self._critical = np.uint32(self._size), np.uint32(self._size * (attacks + 1))
        self._cells = np.zeros((attacks, BLOCK), np.uint32)
        self._bins = np.zeros((_RUN, BLOCK), np.intp)
        self._filled = 0
        self._counted = np.zeros(self._size * (attacks + 1) ** 2, np.int64)
        #: (n_attacks, 2) all hits, and the criticals among them; damage as float64, exact below 2**53
        self.counts = np.zeros((attacks, 2), np.int64)
        self.sums = np.zeros((attacks, 2))
        self.squares = np.zeros((attacks, 2))

    @property
    def histogram(self) -> NDArray[np.int64]:
        """(n_totals,) rounds by total damage."""
        return self._counted.reshape(-1, self._size).sum(axis=0)

    def hits(self, stack: slice, spots: Spots, damage: U32, criticals: Spots | None = None) -> None:
        """Hits of a stack of attacks, spots rising; ``criticals``: which of them are, rising."""
        code = damage + self._hit
        self._note(stack, spots, damage, 0)
        if criticals is not None:
            code[criticals] += self._critical
            self._note(stack, spots.take(criticals), damage.take(criticals), 1)
        self._cells[stack].reshape(-1)[spots] = code

    def misses(self, stack: slice, spots: Spots, damage: U32 | np.uint32) -> None:
        """Damage of misses; it counts for the totals alone."""
        self._cells[stack].reshape(-1)[spots] = damage

    def _note(self, stack: slice, spots: Spots, damage: U32, column: int) -> None:
        edges = spots.searchsorted(np.arange(stack.stop - stack.start + 1) << _SHIFT).tolist()
        exact = damage.astype(np.float64)
        for attack, begin, end in zip(range(stack.start, stack.stop), edges, edges[1:], strict=False):
            part = exact[begin:end]
            self.counts[attack, column] += end - begin
            self.sums[attack, column] += part.sum()
            self.squares[attack, column] += np.einsum("i,i", part, part)

    def end_block(self) -> None:
        """Add the block's rounds up."""
        self._bins[self._filled] = np.add.reduce(self._cells, axis=0, dtype=np.uint32)
        self._cells.fill(0)
        self._filled += 1
        if self._filled == _RUN:
            self.close()

    def close(self) -> None:
        """Count what is left; call it once at the end."""
        self._counted += np.bincount(self._bins[: self._filled].ravel(), minlength=len(self._counted))
        self._filled = 0
