"""Plans with some of their damage left out, so that what a piece of it is worth is a difference of two rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from analyzer.plan import CRITICAL, HIT, MISS, Attack, Packet, Packets, Part, Plan, Step, Turn


def each_attack(plan: Plan, change: Callable[[Attack], Attack]) -> Plan:
    """The plan with every attack changed."""

    def changed(step: Step) -> Step:
        return replace(step, variants=tuple(None if attack is None else change(attack) for attack in step.variants))

    return Plan(turns=tuple(Turn(steps=tuple(map(changed, turn.steps))) for turn in plan.turns))


def always_hitting(plan: Plan) -> Plan:
    """The plan in which every attack that would miss is an ordinary hit, one that concealment would spoil too."""
    return each_attack(plan, lambda attack: replace(attack, check=replace(attack.check, take_hit=True)))


def plain_criticals(plan: Plan) -> Plan:
    """The plan in which a critical deals what an ordinary hit does; it is a critical still, for what follows in the turn."""
    return each_attack(plan, lambda attack: replace(attack, on=(attack.on[0], attack.on[MISS], attack.on[HIT], attack.on[HIT])))


def weapons_alone(plan: Plan) -> Plan:
    """The plan without extra dice: of every packet the first part, which is the weapon's in every game, and of that no precision damage."""

    def weapon(number: int, part: Part) -> Part | None:
        return replace(part, rolls=tuple(roll for roll in part.rolls if not roll.precision)) if number == 0 else None

    return _kept(plan, weapon)


def of_types(plan: Plan, types: Collection[str]) -> Plan:
    """The plan with damage of some types only."""
    return _kept(plan, lambda _, part: part if part.type in types else None)


def damage_types(plan: Plan) -> tuple[str, ...]:
    """The types of damage a plan deals: those of hits in written order, then others."""
    attacks = [attack for step in plan.steps for attack, _ in step.groups()]
    packets = [packet for degree in (HIT, CRITICAL, MISS, 0) for attack in attacks for packet in attack.on[degree]]
    return tuple(dict.fromkeys(part.type for packet in packets for part in packet.parts))


def _kept(plan: Plan, keep: Callable[[int, Part], Part | None]) -> Plan:
    def packet(whole: Packet) -> Packet:
        kept = (keep(number, part) for number, part in enumerate(whole.parts))
        return replace(whole, parts=tuple(part for part in kept if part is not None))

    def packets(listed: Packets) -> Packets:
        return tuple(made for made in map(packet, listed) if made.parts)

    def attack(whole: Attack) -> Attack:
        fumble, miss, hit, critical = map(packets, whole.on)
        return replace(whole, on=(fumble, miss, hit, critical))

    return each_attack(plan, attack)
