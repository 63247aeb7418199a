"""How the pieces of a build and a target become those of a plan: damage entries packets, attacks a turn, tables of reductions the list applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer import plan
from analyzer.dice import Damage
from analyzer.plan import Attack, Die, Packets, Part, Reduction, Roll, Step, Turn
from analyzer.rulekit.damage_types import PHYSICAL
from analyzer.rulekit.ledger import Ledger
from analyzer.rulekit.models import TargetKeys


def part(damage: Damage, *, times: int = 1, each: int | None = None, floor: int = 0, best_of: int = 1, dice: tuple[Die, ...] | None = None) -> Part:
    """The part of one damage entry: its `roll`, the sum of all its rolls at least ``floor``.

    No entry is below 0, so that a penalty on one does not eat into another.
    """
    return Part(type=damage.type, rolls=(roll(damage, times=times, each=each, best_of=best_of, dice=dice),), minimum=floor)


def roll(damage: Damage, *, times: int = 1, each: int | None = None, best_of: int = 1, dice: tuple[Die, ...] | None = None) -> Roll:
    """One damage entry rolled ``times`` times, each roll the best of ``best_of`` and at least ``each``; ``dice`` replaces its own where a rule changes them."""
    own = damage.sum.dice if dice is None else dice
    return Roll(dice=own, flat=damage.sum.flat, minimum=each, best_of=best_of, times=times, precision=damage.precision)


def blow(parts: Iterable[Part]) -> Packets:
    """One packet of the parts in written order: reductions run once on their sum."""
    return (plan.Packet(parts=tuple(parts)),)


def turn(attacks: Iterable[Attack]) -> Turn:
    """The attacks in order, none depending on another."""
    return Turn(steps=tuple(Step(variants=(attack,)) for attack in attacks))


def dealt(made: plan.Plan) -> frozenset[str]:
    """The damage types a plan deals at any degree."""
    return frozenset(p.type for step in made.steps for a in step.variants if a for packets in a.on for packet in packets for p in packet.parts)


def reductions(table: Mapping[str, int | str]) -> tuple[Reduction, ...]:
    """A reduction per entry: single types first, then ``physical`` on the sum of all physical damage, then ``all`` on what is left."""
    return tuple(_reduction(name, table[name]) for name in _in_order(table))


def _in_order(table: Mapping[str, int | str]) -> list[str]:
    last = {"physical": 1, "all": 2}
    return sorted(table, key=lambda name: last.get(name, 0))


def _reduction(type: str, points: int | str) -> Reduction:
    types = None if type == "all" else PHYSICAL if type == "physical" else frozenset({type})
    if isinstance(points, str):
        return Reduction(types=types, keep=(0, 1))
    return Reduction(types=types, subtract=points)


def facing(
    target: TargetKeys,
    ac: tuple[int, ...],
    ledger: Ledger,
    *,
    follows_sweep: tuple[bool, ...] | None = None,
    creatures: tuple[Mapping[str, int | str], ...] | None = None,
) -> plan.Target:
    """The plan's target: its defences, and what every game's target has, explained.

    Parameters
    ----------
    target
        The keys every game's target has.
    ac
        A number per defence.
    ledger
        Where the explanation goes.
    follows_sweep
        Whether each defence follows a sweep; default: all do.
    creatures
        A table of reductions per creature; default: the target's alone.
    """
    if target.miss_chance:
        ledger.note("target", "miss chance", f"{target.miss_chance} %", "rolled once a hit and its critical are known")
    for kind in target.immune:
        ledger.note("target", "immune", kind, "a critical becomes an ordinary hit" if kind == "critical" else "precision damage is not rolled")
    tables = (target.reduction,) if creatures is None else creatures
    for i, table in enumerate(tables, 1):
        who = f"reduction of creature {i}" if len(tables) > 1 else "reduction"
        for name in _in_order(table):
            ledger.note("target", f"{who}: {name}", table[name], "off the damage of one attack after everything is added up, never below 0")
    return plan.Target(
        ac=ac,
        follows_sweep=follows_sweep or (True,) * len(ac),
        hp=target.hp,
        miss=(target.miss_chance, 100),
        immune_critical="critical" in target.immune,
        immune_precision="precision" in target.immune,
        reductions=tuple(map(reductions, tables)),
    )
