"""The bias of the kernel's dice in exact numbers: `python -m benchmarks.randomness.bias` prints the tables of the README.

A face is the high half of ``word * sides`` and the low half is the word of the next die. For dice of a, b, c, ... faces out of one word the faces, read as
digits of a mixed-radix number, are ``word * (a * b * c * ...) // 2**32``: together they are one die of N = a * b * c * ... faces. So everything is a matter of
how often ``word * N // 2**32`` takes each of its N values over all 2**32 words: ``floor(2**32 / N)`` times, and once more for exactly ``2**32 % N`` of them.
Functions take the number of words, so that a test can count them all in a smaller world.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod, sqrt

from analyzer.montecarlo.kernel import WORD_FACES

WORDS = 2**32
ROUNDS = 10**12
#: The dice a round of the reference scenario takes out of its words: check and confirmation; 2d6 + 5d6 of a hit or 4d6 + 5d6 of a critical.
REFERENCE = 4 * [(20, 20), (6,) * 5, (6,) * 4]


def counts(faces: int, words: int = WORDS) -> list[int]:
    """Of how many words each face is made."""
    edges = [-(-words * k // faces) for k in range(faces + 1)]
    return [high - low for low, high in pairwise(edges)]


def deviation(faces: int, words: int = WORDS) -> Fraction:
    """The largest ``|P(face) - 1/faces|``."""
    more = words % faces
    return Fraction(max(more, faces - more) if more else 0, faces * words)


def total_variation(faces: int, words: int = WORDS) -> Fraction:
    """The most by which the chance of any set of faces is off."""
    more = words % faces
    return Fraction(more * (faces - more), faces * words)


def divergence(faces: int, words: int = WORDS) -> Fraction:
    """The chi-square divergence from fair faces: the square of the most by which any figure's mean is off, in SDs of the figure."""
    more = words % faces
    return Fraction(more * (faces - more), words**2)


def mean_bias(dice: Sequence[int], words: int = WORDS) -> Fraction:
    """By how much the mean of the sum of dice that share a word is off; never positive.

    What earlier dice of product A leave is equally often every multiple of gcd(A, words), and the mean of ``rest * sides // words`` over n equidistant
    rests is ``(sides - 1) / 2 - (sides - gcd(sides, n)) / (2 * n)``.
    """
    bias = Fraction(0)
    for k, sides in enumerate(dice):
        rests = words // gcd(prod(dice[:k]), words)
        bias -= Fraction(sides - gcd(sides, rests), 2 * rests)
    return bias


def sd(dice: Iterable[int]) -> float:
    """SD of the sum of fair dice."""
    return sqrt(sum(s * s - 1 for s in dice) / 12)


def above(first: int, second: int, sides: int = 20, words: int = WORDS) -> Fraction:
    """By how much the chance of ``first`` or more on a die and of ``second`` or more on the next die of the word is off."""
    number = counts(sides * sides, words)
    made = sum(sum(number[a * sides + second - 1 : (a + 1) * sides]) for a in range(first - 1, sides))
    return Fraction(made, words) - Fraction((sides + 1 - first) * (sides + 1 - second), sides * sides)


def sums(dice: Sequence[int], words: int = WORDS) -> list[int]:
    """How many words make each sum of dice that share one; entry 0 is the lowest sum."""
    found = [0] * (sum(dice) - len(dice) + 1)
    for combination, count in enumerate(counts(prod(dice), words)):
        rest, total = combination, 0
        for sides in reversed(dice):
            rest, face = divmod(rest, sides)
            total += face
        found[total] += count
    return found


def noncentrality(dice: Sequence[int], words: int = WORDS) -> float:
    """Chi-square divergence of the sum of dice that share a word from that of fair dice."""
    fair = [Fraction(1)]
    for sides in dice:
        fair = [sum(fair[max(0, k - sides + 1) : k + 1], Fraction(0)) / sides for k in range(len(fair) + sides - 1)]
    return float(sum((Fraction(n, words) - p) ** 2 / p for n, p in zip(sums(dice, words), fair, strict=True)))


def most(rounds: int, words_of_a_round: Iterable[Sequence[int]]) -> float:
    """The most by which any figure can be off, in standard errors of that many rounds."""
    chi = prod((1 + divergence(prod(dice)) for dice in words_of_a_round), start=Fraction(1)) - 1
    return sqrt(rounds * float(chi))


def page() -> Iterator[str]:
    """The tables of the README."""
    yield "| over | largest off a face or combination | ... of its own chance | largest off any set of them | largest shift of any mean, in its SD |"
    yield "|---|--:|--:|--:|--:|"
    ranges = {"one die, d2 to d100": range(2, 101), f"dice sharing a word, products 2 to {WORD_FACES}": range(2, WORD_FACES + 1)}
    for name, products in ranges.items():
        worst = [max((f(n), -n) for n in products) for f in (deviation, lambda n: n * deviation(n), total_variation, divergence)]
        *values, chi = [f"{float(w):.4g} (N = {-n})" for w, n in worst[:3]] + [f"{sqrt(worst[3][0]):.4g} (N = {-worst[3][1]})"]
        yield f"| {name} | {' | '.join(values)} | {chi} |"
    yield ""
    yield f"| dice out of one word | mean is off by | SD | ... in standard errors of {ROUNDS:.0e} rounds | what it adds to their chi-square |"
    yield "|---|--:|--:|--:|--:|"
    for name, dice in {
        "d20": (20,),
        "2d6, as in 2d6+15": (6, 6),
        "3d6": (6,) * 3,
        "5d6": (6,) * 5,
        "5d4": (4,) * 5,
        "4d8": (8,) * 4,
        "4d10": (10,) * 4,
        "d12 + d10 + d8": (12, 10, 8),
        "d99": (99,),
        "d100": (100,),
        "2d100": (100, 100),
    }.items():
        bias = float(mean_bias(dice))
        yield f"| {name} | {bias:.3g} | {sd(dice):.4g} | {abs(bias) / sd(dice) * sqrt(ROUNDS):.2g} | {noncentrality(dice) * ROUNDS:.2g} |"
    yield ""
    hit = max(abs(Fraction(sum(counts(20)[face - 1 :]), WORDS) - Fraction(21 - face, 20)) for face in range(1, 21))
    critical = max(abs(above(a, b)) for a in range(1, 21) for b in range(1, 21))
    yield f"- Chance to hit on a d20, whatever face is needed: off by at most {float(hit):.3g}."
    yield f"- Chance to threaten and to confirm (d20 and the next d20 of the word), whatever faces are needed: off by at most {float(critical):.3g}."
    yield f"- Any figure of a round of the reference scenario, after {ROUNDS:.0e} rounds: off by at most {most(ROUNDS, REFERENCE):.2g} standard errors."
    yield f"- Any figure of one word of the worst product, after {ROUNDS:.0e} rounds: off by at most {worst_word():.3g} standard errors."


def worst_word() -> float:
    """The most by which any figure of a single word can be off after `ROUNDS` rounds, in standard errors."""
    return sqrt(ROUNDS * float(max(divergence(n) for n in range(2, WORD_FACES + 1))))


if __name__ == "__main__":
    sys.stdout.writelines(line + "\n" for line in page())
