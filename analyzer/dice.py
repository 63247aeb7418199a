"""The notation people paste - dice, typed damage, attack lists, critical ranges - read into values and printed back in one canonical form.

Every value round-trips: ``parse(str(value)) == value``. Typographic minus signs, dashes and unusual spaces are read as their plain cousins; digits are
ASCII only, because a digit that looks like another one would silently change a result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import SupportsIndex

from analyzer.plan import MAX_DICE, MAX_SIDES, Die

MAX_TEXT = 1000
MAX_TERMS = 32
#: Most points a dice sum may reach, counted as count x sides summed plus the flat number's size.
MAX_SUM = 10_000
MAX_ATTACKS = 64
MAX_BONUS = 1000
MAX_MULTIPLIER = 20
MAX_TYPE = 40
#: ``threat_from`` of a weapon that never scores a critical.
NEVER = 21
PHYSICAL = "physical"

_DICE = "dice and numbers such as '2d6+15'"
_DAMAGE = "dice, then perhaps a type and 'precision', such as '2d6+15' or '3d6 fire precision'"
_ATTACKS = "attack bonuses such as '+20/+15'"
_CRITICAL = "a range and a multiplier such as '19-20/x2', 'x3' or 'none'"
_TYPE = f"a word of at most {MAX_TYPE} small letters such as 'fire' or 'cold-iron'"

#: Hyphens, dashes, the minus sign and their small and fullwidth forms; the fullwidth plus.
_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-") | {"\uff0b": "+"})
_TERM = re.compile(r" ?([+-]?) ?(?:(\d*) ?d ?(\d+|%)(?: ?r ?(\d+))?|(\d+)) ?(?=[+-]|$)", re.ASCII | re.IGNORECASE)
_CHUNK = re.compile(r" ?[+-]? ?([^+-]*)")
#: The space between the dice and the words: not the one in '2 d6' or '2d6 r2'.
_WORDS_BEGIN = re.compile(r"(?<=[0-9%]) (?![dr] ?[0-9%])(?=[^\W\d_])", re.IGNORECASE)
#: The end of 'sneak attack', and 'damage' as the last word.
_IGNORED = re.compile(r"(?<!\S)(?:(?<=sneak )attack(?!\S)|damage$)")
_PRECISION = ("precision", "sneak")
_BONUS = re.compile(r"([+-]?) ?(\d+)", re.ASCII)
_RANGE = re.compile(r"(\d+)(?: ?- ?(\d+))?(?:((?: ?/ ?x?| ?x) ?(\d+)))?|x ?(\d+)", re.ASCII | re.IGNORECASE)


class NotationError(ValueError):
    """Text that is not understood or out of bounds: names the field, what it must be and what it was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DiceSum:
    """Dice, added or subtracted, plus a flat number; prints as ``2d6+15``.

    Beyond the bounds, or with dice the notation cannot write (``at_least``, ``best_of``), a `NotationError`.
    """

    dice: tuple[Die, ...] = ()
    flat: int = 0

    def __post_init__(self) -> None:
        fault = _fault(self.dice, self.flat)
        if fault:
            raise NotationError(f"dice sum must be {fault}; got {len(self.dice)} kinds of dice and {_digits(self.flat)}")
        if any(d.at_least != 1 or d.best_of != 1 for d in self.dice):
            raise NotationError(f"dice must be plain or with a reroll, as in '2d6r2'; got {self.dice!r}")

    @property
    def lowest(self) -> int:
        """The lowest value of this sum."""
        return sum(d.lowest for d in self.dice) + self.flat

    @property
    def highest(self) -> int:
        """The highest value of this sum."""
        return sum(d.highest for d in self.dice) + self.flat

    def plus(self, flat: int) -> DiceSum:
        """The sum with ``flat`` added."""
        return replace(self, flat=self.flat + flat)

    def __str__(self) -> str:
        if not self.dice:
            return str(self.flat)
        terms = [f"{'+' if d.sign > 0 else '-'}{d.count}d{d.sides}{f'r{d.reroll_to}' if d.reroll_to else ''}" for d in self.dice]
        return "".join(terms).removeprefix("+") + (f"{self.flat:+d}" if self.flat else "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Damage:
    """A dice sum with its damage type (one word, lower case), and whether it is precision damage; prints as ``3d6 fire precision``."""

    sum: DiceSum
    type: str = PHYSICAL
    precision: bool = False

    def __post_init__(self) -> None:
        if not _is_type(self.type):
            raise _refuse("type", _TYPE, self.type)

    def __str__(self) -> str:
        return f"{self.sum}{'' if self.type == PHYSICAL else f' {self.type}'}{' precision' if self.precision else ''}"


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticalRange:
    """The lowest face that threatens a critical (`NEVER`: none does) and the multiplier; prints as ``17-20/x2``, ``20/x3`` or ``none``."""

    threat_from: int = 20
    multiplier: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.threat_from <= NEVER:
            raise NotationError(f"threat_from must be 1 to {NEVER} (never); got {_digits(self.threat_from)}")
        if not 1 <= self.multiplier <= MAX_MULTIPLIER:
            raise NotationError(f"multiplier must be 1 to {MAX_MULTIPLIER}; got {_digits(self.multiplier)}")

    def __str__(self) -> str:
        if self.threat_from == NEVER:
            return "none"
        return f"{'' if self.threat_from == 20 else f'{self.threat_from}-'}20/x{self.multiplier}"


def parse_dice(text: str | int, name: str = "damage") -> DiceSum:
    """The dice sum written as ``2d6+15``, ``d8``, ``1d6+1d4-1``, ``2d6r2`` (reroll once what shows 2 or less), ``d%`` or ``8``.

    Parameters
    ----------
    text
        The notation, or a whole number.
    name
        The field the error message names.

    Raises
    ------
    NotationError
        When the text is not understood or beyond the bounds; the message says which part.
    TypeError
        When ``text`` is neither text nor a whole number.
    """
    source = _text(text, name, _DICE)
    return _sum(_clean(source), source, name, _DICE)


def parse_damage(text: str | int, name: str = "damage") -> Damage:
    """The damage written as a dice sum and, in any order, a type and ``precision`` (or ``sneak``, ``sneak attack``): ``3d6 fire precision``.

    Parameters and errors are those of `parse_dice`. The word ``damage`` at the end is ignored.
    """
    source = _text(text, name, _DAMAGE)
    dice, *words = _WORDS_BEGIN.split(_clean(source), maxsplit=1)
    total = _sum(dice, source, name, _DAMAGE)
    marks = _IGNORED.sub("", " ".join(words).lower()).split()
    types = [mark for mark in marks if mark not in _PRECISION]
    for word in types:
        if not _is_type(word):
            raise _refuse(name, _DAMAGE, source, word)
    if len(types) > 1:
        raise _refuse(name, "of one type, each type an entry of its own such as '1d6 fire'", source, types[1])
    return Damage(sum=total, type=types[0] if types else PHYSICAL, precision=len(marks) > len(types))


def parse_attacks(text: str | int | Sequence[int], name: str = "attack") -> tuple[int, ...]:
    """The attack bonuses written as ``+20/+15/+10/+5``, ``16/11`` or ``+20, +15``.

    Parameters
    ----------
    text
        The notation, one whole number, or a sequence of them; an empty sequence is no attack, empty text is an error.
    name
        The field the error message names.

    Returns
    -------
    tuple of int
        At most 64 bonuses, each -1000 to 1000, in the order of the attacks.

    Raises
    ------
    NotationError
        When the text is not understood or beyond the bounds; the message says which part.
    TypeError
        When ``text`` or one of its items is of another type.
    """
    if isinstance(text, Sequence) and not isinstance(text, str | bytes | bytearray):
        if len(text) > MAX_ATTACKS:
            raise NotationError(f"{name} must be at most {MAX_ATTACKS} attacks; got {len(text)}")
        return tuple(_integer(item, name, _ATTACKS, MAX_BONUS) for item in text)
    if not isinstance(text, str):
        return (_integer(text, name, _ATTACKS, MAX_BONUS),)
    source = _text(text, name, _ATTACKS)
    parts = [part.strip() for part in re.split("[/,]", _clean(source))]
    bonuses = []
    for part in parts:
        found = _BONUS.fullmatch(part)
        if not found:
            raise _refuse(name, _ATTACKS, source, part)
        bonus = int(found[1] + found[2])
        if abs(bonus) > MAX_BONUS:
            raise _refuse(name, f"bonuses from -{MAX_BONUS} to {MAX_BONUS} such as '+20/+15'", source, part)
        bonuses.append(bonus)
    if len(bonuses) > MAX_ATTACKS:
        raise NotationError(f"{name} must be at most {MAX_ATTACKS} attacks; got {len(bonuses)}")
    return tuple(bonuses)


def format_attacks(attacks: Sequence[int]) -> str:
    """The attack bonuses as text such as ``+20/+15``; empty text, which `parse_attacks` refuses, when there are none."""
    return "/".join(f"{bonus:+d}" for bonus in attacks)


def parse_critical(text: str | int, name: str = "critical") -> CriticalRange:
    """The critical range written as ``19-20/x2``, ``x3`` (on 20), ``15-20`` (x2), ``18-20 x2``, ``19-20/2``, ``20`` or ``none``.

    Parameters and errors are those of `parse_dice`.
    """
    source = _text(text, name, _CRITICAL)
    plain = re.sub("[×✕✖*]", "x", _clean(source))
    if plain.lower() == "none":
        return CriticalRange(threat_from=NEVER)
    found = _RANGE.fullmatch(plain)
    if not found:
        raise _refuse(name, _CRITICAL, source)
    start, end, multiplied, behind, alone = found.groups()
    if start and not (1 <= int(start) <= 20 and int(end or start) == 20):
        raise _refuse(name, "a range from 1 to 20 that ends in 20 such as '19-20'", source, plain.removesuffix(multiplied or ""))
    multiplier = int(behind or alone or 2)
    if not 1 <= multiplier <= MAX_MULTIPLIER:
        raise _refuse(name, f"a multiplier from x1 to x{MAX_MULTIPLIER} such as '19-20/x2'", source, (multiplied or plain).strip(" /"))
    return CriticalRange(threat_from=int(start or 20), multiplier=multiplier)


def _sum(plain: str, source: str, name: str, what: str) -> DiceSum:
    """The dice sum in the cleaned text ``plain``, part of ``source``; ``what`` says what a reader should have written."""
    dice: list[Die] = []
    flat = terms = place = 0
    while place < len(plain) or not terms:
        found = _TERM.match(plain, place)
        chunk = _CHUNK.match(plain, place)
        part = (chunk[1].strip() if chunk else "") or plain[place:].strip()
        if not found:
            raise _refuse(name, what, source, part)
        sign, count, sides, reroll, number = found.groups()
        if number:
            flat += int(sign + number)
        else:
            dice.append(_die(-1 if sign == "-" else 1, int(count or 1), 100 if sides == "%" else int(sides), int(reroll or 0), (name, source, part)))
        terms += 1
        place = found.end()
    fault = f"at most {MAX_TERMS} terms" if terms > MAX_TERMS else _fault(tuple(dice), flat)
    if fault:
        raise _refuse(name, fault, source)
    return DiceSum(dice=tuple(dice), flat=flat)


def _die(sign: int, count: int, sides: int, reroll: int, where: tuple[str, str, str]) -> Die:
    name, source, part = where
    if count > MAX_DICE or not 1 <= sides <= MAX_SIDES:
        raise _refuse(name, f"0 to {MAX_DICE} dice of 1 to {MAX_SIDES} sides a term such as '2d6'", source, part)
    if reroll >= sides:
        raise _refuse(name, f"dice that reroll at most {sides - 1} on a d{sides}, as in '{count}d{sides}r{sides - 1}'", source, part)
    return Die(sides=sides, count=count, reroll_to=reroll, sign=sign)


def _fault(dice: tuple[Die, ...], flat: int) -> str | None:
    """What a sum of these must be when it is beyond the bounds, else None."""
    if len(dice) + (flat != 0) > MAX_TERMS:
        return f"at most {MAX_TERMS} terms"
    if sum(d.count * d.sides for d in dice) + abs(flat) > MAX_SUM:
        return f"at most {MAX_SUM} points, dice at their highest and the number added up"
    return None


def _is_type(word: str) -> bool:
    reserved = word in (*_PRECISION, "attack", "damage")
    return len(word) <= MAX_TYPE and word == word.lower() and not reserved and all(part.isalpha() for part in word.split("-"))


def _clean(text: str) -> str:
    """The text with plain signs and single plain spaces."""
    return " ".join(text.translate(_SIGNS).split())


def _text(value: object, name: str, what: str) -> str:
    """The value as text short enough to be read: digits that long would take time to become a number."""
    if not isinstance(value, str):
        return str(_integer(value, name, what, MAX_SUM))
    if len(value) > MAX_TEXT:
        raise NotationError(f"{name} must be at most {MAX_TEXT} characters; got {len(value)}")
    return value


def _integer(value: object, name: str, what: str, limit: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | SupportsIndex):
        raise TypeError(f"{name} must be {what}, or a whole number; got a value of type {type(value).__name__}")
    number = index(value)
    if abs(number) > limit:
        raise NotationError(f"{name} must be -{limit} to {limit}; got {_digits(number)}")
    return number


def _digits(number: int) -> str:
    """The number, or its size where its digits would fill a page (Python refuses to write them out)."""
    return str(number) if number.bit_length() <= 64 else f"an integer of {number.bit_length()} bits"


def _quote(text: str) -> str:
    return repr(text if len(text) <= 100 else f"{text[:97]}...")


def _refuse(name: str, what: str, source: str, part: str = "") -> NotationError:
    """The error for ``source``, pointing at ``part`` where that is less than the whole."""
    got = f"{_quote(part)} in {_quote(source)}" if part and part != _clean(source) else _quote(source)
    return NotationError(f"{name} must be {what}; got {got}")
