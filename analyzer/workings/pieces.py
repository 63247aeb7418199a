"""Pieces: what the damage of a round is cut into, and what defences cost, each a sum of what is dealt by variants of the round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from analyzer.asking.seats import Faced, Seat
from analyzer.plan import CRITICAL, HIT, MISS, Plan, Reduction, Target
from analyzer.workings.dissect import always_hitting, damage_types, of_types, plain_criticals, weapons_alone

#: What a piece is: a part of the damage, all of it, or what a defence costs.
PART, TOTAL, COST = "deals", "total", "costs"
DEGREES = (0, MISS, HIT, CRITICAL)

#: The same round otherwise: what is left of the plan, and what the target is spared.
Variant = Callable[[Plan, Target], tuple[Plan, Target]]
#: A variant by its name, or the damage types that are left.
Name = str | tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """Damage of a variant of the round, added or taken off: of one attack or all, at some final degrees."""

    variant: Name
    sign: int = 1
    step: int | None = None
    degrees: tuple[int, ...] = DEGREES


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A row of the answer: the terms it is the sum of."""

    kind: str
    part: str
    terms: tuple[Term, ...]
    #: attacks at these degrees are what it is made of, for how often it comes up
    degrees: tuple[int, ...] = (HIT, CRITICAL)


#: What a target does to damage: takes off, adds to, multiplies. One rule of a game may do several.
REDUCTION, WEAKNESS, VULNERABILITY = "reduction", "weakness", "vulnerability"


def _unreduced(one: Reduction) -> Reduction:
    return replace(one, subtract=0, keep=(1, 1) if one.keep[0] < one.keep[1] else one.keep)


def _unmultiplied(one: Reduction) -> Reduction:
    return replace(one, keep=(1, 1) if one.keep[0] > one.keep[1] else one.keep)


def _spared(target: Target, change: Callable[[Reduction], Reduction]) -> Target:
    """The target whose creatures reduce damage otherwise; what does nothing any more is left out."""
    changed = (tuple(map(change, own)) for own in target.reductions)
    return target.but(reductions=tuple(tuple(one for one in own if one.add or one.subtract or one.keep != (1, 1)) for own in changed))


def _has(target: Target, what: Callable[[Reduction], bool]) -> bool:
    return any(what(one) for own in target.reductions for one in own)


WHOLE = "as it is"
_PLAIN, _BARE = "criticals as hits", "weapons alone"
_VARIANTS: dict[str, Variant] = {
    WHOLE: lambda plan, target: (plan, target),
    _PLAIN: lambda plan, target: (plain_criticals(plan), target),
    _BARE: lambda plan, target: (weapons_alone(plain_criticals(plan)), target),
    REDUCTION: lambda plan, target: (plan, _spared(target, _unreduced)),
    WEAKNESS: lambda plan, target: (plan, _spared(target, lambda one: replace(one, add=0))),
    VULNERABILITY: lambda plan, target: (plan, _spared(target, _unmultiplied)),
    "misses": lambda plan, target: (always_hitting(plan), target),
    "miss chance": lambda plan, target: (plan, target.but(miss=(0, 100))),
    "immunity to criticals": lambda plan, target: (plan, target.but(immune_critical=False)),
    "immunity to precision damage": lambda plan, target: (plan, target.but(immune_precision=False)),
    "fortification": lambda plan, target: (plan, target.but(negate=(0, 100))),
}
#: What costs something, or for a weakness adds, where a target has it; every target is missed.
_DEFENCES: dict[str, Callable[[Target], bool]] = {
    "misses": lambda _: True,
    REDUCTION: lambda target: _has(target, lambda one: one.subtract > 0 or one.keep[0] < one.keep[1]),
    WEAKNESS: lambda target: _has(target, lambda one: one.add > 0),
    VULNERABILITY: lambda target: _has(target, lambda one: one.keep[0] > one.keep[1]),
    "miss chance": lambda target: target.miss[0] > 0,
    "immunity to criticals": lambda target: target.immune_critical,
    "immunity to precision damage": lambda target: target.immune_precision,
    "fortification": lambda target: target.negate[0] > 0,
}
_SOURCES = (
    Piece(kind=PART, part="ordinary hits, weapon", terms=(Term(variant=_BARE, degrees=(HIT,)),), degrees=(HIT,)),
    Piece(kind=PART, part="criticals, as a hit", terms=(Term(variant=_BARE, degrees=(CRITICAL,)),), degrees=(CRITICAL,)),
    Piece(
        kind=PART,
        part="criticals, what they add",
        terms=(Term(variant=WHOLE, degrees=(CRITICAL,)), Term(variant=_PLAIN, sign=-1, degrees=(CRITICAL,))),
        degrees=(CRITICAL,),
    ),
    Piece(
        kind=PART,
        part="extra dice",
        terms=(Term(variant=_PLAIN, degrees=(HIT, CRITICAL)), Term(variant=_BARE, sign=-1, degrees=(HIT, CRITICAL))),
    ),
    Piece(kind=PART, part="misses", terms=(Term(variant=WHOLE, degrees=(0, MISS)),), degrees=(0, MISS)),
)


def pieces(seat: Seat, by: str) -> tuple[Piece, ...]:
    """What is asked of a build: parts, the total, and the defences that some target has."""
    parts: tuple[Piece, ...] = _SOURCES
    if by == "attack":
        longest = max((faced.plan for faced in seat.faced), key=lambda plan: len(plan.steps))
        parts = tuple(
            Piece(kind=PART, part=_named(longest, step, seat.build.name), terms=(Term(variant=WHOLE, step=step),)) for step in range(len(longest.steps))
        )
    elif by == "type":
        types = tuple(dict.fromkeys(kind for faced in seat.faced for kind in damage_types(faced.plan)))
        parts = tuple(Piece(kind=PART, part=kind, terms=_adding(types[: i + 1])) for i, kind in enumerate(types))
    costs = (
        Piece(kind=COST, part=name, terms=(Term(variant=name), Term(variant=WHOLE, sign=-1)), degrees=(0, MISS) if name == "misses" else (HIT, CRITICAL))
        for name, has in _DEFENCES.items()
        if any(has(faced.target) for faced in seat.faced)
    )
    return (*parts, Piece(kind=TOTAL, part="DPR", terms=(Term(variant=WHOLE),)), *costs)


def _named(plan: Plan, step: int, build: str) -> str:
    """An attack by its number, its weapon where that is not what the build is called, and its bonus."""
    attack = next((variant for variant in plan.steps[step].variants if variant is not None), None)
    label = "" if attack is None or attack.label in ("attack", build) else f"{attack.label} "
    return f"attack {step + 1}" if attack is None else f"attack {step + 1}: {label}{attack.bonus:+d}"


def _adding(types: tuple[str, ...]) -> tuple[Term, ...]:
    """What the last of some types adds to those before it."""
    return (Term(variant=types), *((Term(variant=types[:-1], sign=-1),) if len(types) > 1 else ()))


def variant(name: Name, faced: Faced) -> tuple[Plan, Target]:
    """A plan and a target with what makes the variant."""
    if isinstance(name, str):
        return _VARIANTS[name](faced.plan, faced.target)
    return of_types(faced.plan, name), faced.target


def used(rows: Sequence[Piece]) -> tuple[Name, ...]:
    """The variants that some pieces are made of."""
    return tuple(dict.fromkeys(term.variant for row in rows for term in row.terms))
