"""The ledger: every number of a plan is the sum the ledger made of named terms, so that what is explained is what is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.dice import DiceSum


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an explanation: the number ``value`` of ``name``, and the rule it rests on."""

    section: str
    name: str
    value: str
    rule: str


@dataclass(frozen=True, slots=True)
class Term:
    """One number of a sum, with its name and its rule."""

    name: str
    value: int
    rule: str


def named(bonuses: Mapping[str, int], rule: str) -> tuple[Term, ...]:
    """A term for each named bonus of a build file."""
    return tuple(Term(name, value, rule) for name, value in bonuses.items())


class Ledger:
    """Collects the lines of one derivation while it makes the sums."""

    def __init__(self) -> None:
        self._lines: list[Line] = []

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines written so far, in order."""
        return tuple(self._lines)

    def note(self, section: str, name: str, value: object, rule: str) -> None:
        """Write a line that is no sum."""
        self._lines.append(Line(section, name, str(value), rule))

    def total(self, section: str, name: str, terms: Iterable[Term], rule: str = "", *, signed: bool = True) -> int:
        """The sum of the terms, each written on a line of its own (later zeros are left out), then the sum; a single term and its sum share a line."""
        listed = _visible(terms)
        if len(listed) > 1:
            self._write(section, name, listed)
            rule = rule or "sum of the lines above"
        else:
            rule = "; ".join(filter(None, (*(f"{term.name}: {term.rule}" for term in listed), rule)))
        value = sum(term.value for term in listed)
        self._lines.append(Line(section, name, f"{value:+d}" if signed else str(value), rule))
        return value

    def damage(self, section: str, name: str, dice: DiceSum, terms: Iterable[Term], rule: str) -> DiceSum:
        """The dice with the terms added to their flat number, each term written on a line of its own, then the dice sum."""
        listed = [term for term in terms if term.value]
        self._write(section, name, listed)
        result = dice.plus(sum(term.value for term in listed))
        self._lines.append(Line(section, name, str(result), rule))
        return result

    def _write(self, section: str, name: str, terms: Iterable[Term]) -> None:
        self._lines.extend(Line(section, f"{name}: {term.name}", f"{term.value:+d}", term.rule) for term in terms)


def _visible(terms: Iterable[Term]) -> list[Term]:
    """The first term, and those of the others that are not zero."""
    return [term for i, term in enumerate(terms) if term.value or not i]
