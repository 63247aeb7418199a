"""How the pieces of a build and a target become those of a plan: damage entries packets, attacks a turn, tables of reductions the list applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer import plan
from analyzer.dice import Damage
from analyzer.plan import Attack, Packets, Part, Reduction, Roll, Step, Turn
from analyzer.rulekit.models import TargetKeys

PHYSICAL = frozenset({"physical", "slashing", "piercing", "bludgeoning"})
#: Types a file may name in a reduction although no build deals them.
KNOWN_TYPES = PHYSICAL | {
    "acid", "cold", "electricity", "fire", "sonic", "force", "lightning", "thunder", "poison", "psychic", "necrotic", "radiant",
    "magical", "divine", "positive", "negative", "holy", "unholy", "good", "evil", "lawful", "chaotic", "mental", "bleed", "spirit", "vitality", "void",
}  # fmt: skip


def part(damage: Damage, *, times: int = 1, each: int | None = None, floor: int = 0) -> Part:
    """The part of one damage entry rolled ``times`` times, each roll at least ``each`` and their sum at least ``floor``.

    No entry is below 0, so that a penalty on one does not eat into another.
    """
    roll = Roll(dice=damage.sum.dice, flat=damage.sum.flat, minimum=each, times=times, precision=damage.precision)
    return Part(type=damage.type, rolls=(roll,), minimum=floor)


def blow(parts: Iterable[Part]) -> Packets:
    """One packet of the parts in written order: reductions run once on their sum."""
    return (plan.Packet(parts=tuple(parts)),)


def turn(attacks: Iterable[Attack]) -> Turn:
    """The attacks in order, none depending on another."""
    return Turn(steps=tuple(Step(variants=(attack,)) for attack in attacks))


def reductions(table: Mapping[str, int | str]) -> tuple[Reduction, ...]:
    """A reduction per entry: single types first, then ``physical`` on the sum of all physical damage, then ``all`` on what is left."""
    last = {"physical": 1, "all": 2}
    ordered = sorted(table, key=lambda name: last.get(name, 0))
    return tuple(_reduction(name, table[name]) for name in ordered)


def _reduction(type: str, points: int | str) -> Reduction:
    types = None if type == "all" else PHYSICAL if type == "physical" else frozenset({type})
    if isinstance(points, str):
        return Reduction(types=types, keep=(0, 1))
    return Reduction(types=types, subtract=points)


def facing(
    target: TargetKeys, ac: tuple[int, ...], *, follows_sweep: tuple[bool, ...] | None = None, creatures: tuple[tuple[Reduction, ...], ...] | None = None
) -> plan.Target:
    """The plan's target: its defences, and what every game's target has."""
    return plan.Target(
        ac=ac,
        follows_sweep=follows_sweep or (True,) * len(ac),
        hp=target.hp,
        miss=(target.miss_chance, 100),
        immune_critical="critical" in target.immune,
        immune_precision="precision" in target.immune,
        reductions=creatures or (reductions(target.reduction),),
    )
