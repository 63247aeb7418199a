"""Lowering: a plan and a target at one AC become the integer tables the kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.montecarlo import kernel as k
from analyzer.plan import DEGREES, HIT, MAX_TOTAL, Attack, Check, Critical, Die, Packet, Part, Plan, PlanError, Reduction, Roll, Step, Target

#: Slots of words a round may use: 24 bits, shared by the rounds of a fight.
MAX_SLOTS = 2**24
MAX_EFFECTS = 63


@dataclass(frozen=True, kw_only=True, slots=True)
class Lowered:
    """A program with what its tallies and traces must have room for."""

    program: k.Program
    n_steps: int
    #: names of the critical effects, in the order of the tally
    effects: tuple[str, ...]
    #: most damage a round can deal
    highest: int
    #: most dice a round can roll
    most_dice: int
    #: word slots a round uses
    slots: int


def _faces_from(holds: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Lowest face of each row from which a condition holds (21: none). The conditions of a check only turn true as the face rises."""
    return np.where(holds.any(axis=1), holds.argmax(axis=1) + 1, 21)


def thresholds(check: Check, bonus: int, ac: int) -> NDArray[np.int64]:
    """Lowest faces of degree 1, degree 2, a threat and a confirmation.

    Returns
    -------
    (n_sums, 4) int64
        A row for every sum of the check's extra dice from its lowest; 21 where no face does. A threat is what makes degree 3, before confirmation.
    """
    low = sum(d.lowest for d in check.extra)
    high = sum(d.highest for d in check.extra)
    sums = np.arange(low, high + 1)[:, None]
    face = np.arange(1, 21)[None, :]
    natural = np.where(face == 1, check.add_on_1, 0) + np.where(face == 20, check.add_on_20, 0)
    total = face + sums + bonus + natural
    meets_at = ac if check.ties_hit else ac + 1

    hit = total >= meets_at
    degree = np.where(hit, 2, 1)
    if check.critical is Critical.MARGIN:
        degree = np.where(total >= meets_at + check.margin, 3, np.where(hit, 2, np.where(total <= meets_at - check.margin, 0, 1)))
        if check.natural_shift:
            degree = np.clip(degree + (face == 20) - (face == 1), 0, 3)
    degree = np.where(face >= check.auto_hit_from, np.maximum(degree, 2), degree)
    degree = np.where(face <= check.auto_miss_to, 0, degree)

    threat = degree == 3
    if check.critical in (Critical.NATURAL, Critical.MEETS, Critical.CONFIRM):
        threat = (degree >= 2) & (face >= check.threat_from)
        if check.critical is Critical.MEETS:
            threat &= hit
    confirms = total + check.confirm_bonus >= meets_at
    if check.confirm_naturals:
        confirms = (confirms | (face >= check.auto_hit_from)) & (face > check.auto_miss_to)
    return np.stack([_faces_from(np.broadcast_to(x, total.shape)) for x in (degree >= 1, degree >= 2, threat, confirms)], axis=1)


class _Tables:
    """Rows of the tables as they are collected."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.attacks: list[list[int]] = []
        self.thresholds: list[NDArray[np.int64]] = []
        self.n_thresholds = 0
        self.dice: list[list[int]] = []
        self.rolls: list[list[int]] = []
        self.parts: list[list[int]] = []
        self.packets: list[list[int]] = []
        self.op_starts: list[int] = [0]
        self.ops: list[list[int]] = []
        self.caught: list[int] = []
        self.effects: dict[str, int] = {}
        #: first attack with a check, bonus and defence
        self.readings: dict[tuple[Check, int, int], int] = {}
        self.most_parts = 1

    def add_dice(self, dice: Sequence[Die]) -> tuple[int, int]:
        start = len(self.dice)
        self.dice += [[d.sides, d.count, d.reroll_to, d.at_least, d.best_of, d.sign] for d in dice if d.count]
        return start, len(self.dice)

    def add_roll(self, roll: Roll) -> None:
        start, end = self.add_dice(roll.dice)
        floor = roll.minimum is not None and sum(d.lowest for d in roll.dice) + roll.flat < roll.minimum
        minimum = (roll.minimum or 0) if floor else 0
        precision = roll.precision and self.target.negate[0] > 0
        simple = all(d.reroll_to == 0 and d.at_least == 1 and d.best_of == 1 for d in roll.dice)
        plain = simple and not floor and not precision and roll.best_of == roll.scale == 1
        self.rolls.append([start, end, roll.flat, floor, minimum, roll.best_of, roll.times, roll.scale, precision, plain])

    def add_part(self, part: Part) -> None:
        start = len(self.rolls)
        for roll in part.rolls:
            if not (roll.precision and self.target.immune_precision):
                self.add_roll(roll)
        low = sum(r.lowest for r in part.rolls if not r.precision) + sum(min(0, r.lowest) for r in part.rolls if r.precision)
        self.parts.append([start, len(self.rolls), low < part.minimum, part.minimum])

    def add_packet(self, packet: Packet, kinds: Sequence[Sequence[int]]) -> int:
        """Add a packet for every kind of creature (those with equal reductions); returns the most damage it deals, over all creatures."""
        start = len(self.parts)
        for part in packet.parts:
            self.add_part(part)
        self.packets.append([start, len(self.parts), *packet.keep, len(self.op_starts) - 1])
        self.most_parts = max(self.most_parts, len(packet.parts))
        return sum(self.add_operations(packet, kind[0]) * len(kind) for kind in kinds)

    def add_operations(self, packet: Packet, creature: int) -> int:
        """Merge and reduce the packet's parts for one creature; returns the most damage it takes."""
        register = list(range(len(packet.parts)))
        high = [part.highest for part in packet.parts]
        for reduction in self.target.reductions[creature]:
            covered = sorted({register[i] for i, part in enumerate(packet.parts) if reduction.covers(part.type)})
            if covered:
                self._merge(register, high, covered)
                self.ops.append([1, covered[0], 0, *reduction.keep, reduction.up, reduction.add, reduction.subtract])
                high[covered[0]] = reduction(high[covered[0]])
        rest = sorted(set(register))
        if rest:
            self._merge(register, high, rest)
        self.op_starts.append(len(self.ops))
        n, d = packet.keep
        return max(high[0], 0) * n // d if high else 0

    def _merge(self, register: list[int], high: list[int], covered: list[int]) -> None:
        into = covered[0]
        for other in covered[1:]:
            self.ops.append([0, into, other, 1, 1, 0, 0, 0])
            high[into] += high[other]
        for i, where in enumerate(register):
            if where in covered:
                register[i] = into

    def add_attack(self, attack: Attack, ac: int, slots: tuple[int, int, int]) -> int:
        """Add an attack; returns the most damage it deals."""
        check = attack.check
        rows = thresholds(check, attack.bonus, ac)
        extra = self.add_dice(check.extra)
        kinds, area = [[0]], -1
        if attack.area is not None:
            creatures = len(attack.area.caught[0])
            if creatures > len(self.target.reductions):
                raise PlanError(f"reductions must be {creatures} tuples, one per creature of {attack.label!r}; got {len(self.target.reductions)}")
            area = len(self.caught)
            alike: dict[tuple[Reduction, ...], list[int]] = {}
            for creature in range(creatures):
                alike.setdefault(self.target.reductions[creature], []).append(creature)
            kinds = list(alike.values())
            self.caught += [sum(row[c] for c in kind) for row in attack.area.caught for kind in kinds]
        packets: list[int] = []
        high = 0
        for deals in range(DEGREES):
            start = len(self.packets)
            high = max(high, sum(self.add_packet(p, kinds) for p in attack.on[deals] if p.parts))
            packets += [start, len(self.packets)]
        effect = -1
        if attack.effect is not None:
            effect = self.effects.setdefault(attack.effect, len(self.effects))
        scatters = attack.area is not None and attack.area.scatters
        self.attacks.append(
            [
                *(check.dice, check.best, check.reroll_ones, *extra, sum(d.lowest for d in check.extra), self.n_thresholds),
                *(check.critical is Critical.CONFIRM, check.take_hit, effect, area, len(kinds), scatters),
                *(*slots, self._negatable(attack), scatters or any(attack.on[:HIT]), *packets),
                *(_words(dice) for dice in _damage_dice(attack)),
                not scatters and not any(_damage_dice(attack)[:HIT]),
                self.readings.setdefault((check, attack.bonus, attack.defence), len(self.attacks)),
            ]
        )
        self.thresholds.append(rows)
        self.n_thresholds += len(rows)
        return high

    def _negatable(self, attack: Attack) -> int:
        """Bit mask of the degrees at which negation is rolled."""
        mask = 1 << 3
        for degree in range(DEGREES):
            if any(p.precision for p in attack.on[attack.deals(degree)]):
                mask |= 1 << degree
        return mask


def reported_effect(step: Step) -> str | None:
    """The critical effect counted for a step: that of its attack in the first state, or of the first attack there is."""
    return next((attack.effect for attack in step.variants if attack is not None), None)


def _check_dice(check: Check) -> list[int]:
    """Sides of every die one check may draw."""
    sides = [20] * (check.dice + check.reroll_ones)
    sides += [d.sides for d in check.extra for _ in range(d.count * d.best_of * (2 if d.reroll_to else 1))]
    return sides * 2 if check.critical is Critical.CONFIRM else sides


def _packet_dice(packet: Packet) -> list[int]:
    """Sides of every die a packet may draw."""
    return [
        d.sides
        for part in packet.parts
        for roll in part.rolls
        for _ in range(roll.times * roll.best_of)
        for d in roll.dice
        for _ in range(d.count * d.best_of * (2 if d.reroll_to else 1))
    ]


def _words(sides: list[int]) -> int:
    """Words that dice of these sides take, in the kernel's order."""
    words, faces = 1, 1
    for s in sides:
        if faces * s > k.WORD_FACES:
            words, faces = words + 1, s
        else:
            faces *= s
    return words


def _blocks(words: int) -> int:
    """Words rounded up to whole Philox blocks."""
    return -(-words // 4) * 4


def _damage_dice(attack: Attack) -> list[list[int]]:
    """Sides of the dice of each degree's packets, after those of a landing where the attack may scatter."""
    landing = [8, 4] if attack.area is not None and attack.area.scatters else []
    return [[*landing, *(s for packet in packets for s in _packet_dice(packet))] for packets in attack.on]


def lower(plan: Plan, target: Target, defences: Sequence[int]) -> Lowered:
    """Integer tables of a plan against a target whose defences are given.

    Parameters
    ----------
    plan, target
        What is played against what; the target's own ``ac`` is not read.
    defences : (n_defences,) integers
        The number of each defence.

    Raises
    ------
    PlanError
        More words, effects or damage than the kernel's tables hold, or an area whose creatures are not the target's.
    """
    tables = _Tables(target)
    steps = plan.steps
    states = max((turn.states for turn in plan.turns), default=1)
    nexts = np.tile(np.arange(states, dtype=np.int64)[None, :, None], (len(steps), 1, DEGREES))
    begins = np.zeros(len(steps), dtype=np.int64)
    groups: list[list[int]] = []
    check_words = [max((_words(_check_dice(a.check)) for a, _ in step.groups()), default=0) for step in steps]
    damage_words = [_blocks(max((_words(d) for a, _ in step.groups() for d in _damage_dice(a)), default=0)) for step in steps]
    check_slot, slot = 0, _blocks(sum(check_words))
    highest = most_dice = step_index = 0
    for turn in plan.turns:
        begun = False
        for step in turn.steps:
            high = dice = 0
            reported = reported_effect(step)
            for attack, where in step.groups():
                slots = (check_slot, slot, slot + k.RESOLVE_WORDS)
                high = max(high, tables.add_attack(attack, int(defences[attack.defence]), slots))
                dice = max(dice, len(_check_dice(attack.check)) + 1 + target.miss_rolls + max(len(d) for d in _damage_dice(attack)))
                groups.append([step_index, len(tables.attacks) - 1, sum(1 << s for s in where), attack.effect is not None and attack.effect == reported])
            if groups and groups[-1][0] == step_index and not begun:
                begins[step_index] = begun = True
            for state, row in enumerate(step.next):
                nexts[step_index, state] = row
            check_slot += check_words[step_index]
            slot += k.RESOLVE_WORDS + damage_words[step_index]
            highest += high
            most_dice += dice
            step_index += 1
    if slot > MAX_SLOTS:
        raise PlanError(f"plan must use at most {MAX_SLOTS} words of randomness a round; got {slot}")
    if len(tables.effects) > MAX_EFFECTS:
        raise PlanError(f"effect must be one of at most {MAX_EFFECTS} names in a plan; got {len(tables.effects)}")
    if highest > 2**30:
        raise PlanError(f"damage of a round must be at most {2**30}; got {highest}")
    program = k.Program(
        groups=_table(groups, 4),
        next=nexts,
        turn_begins=begins,
        attacks=_table(tables.attacks, k.A_COLUMNS),
        thresholds=np.concatenate(tables.thresholds) if tables.thresholds else np.empty((0, 4), np.int64),
        dice=_table(tables.dice, 6),
        rolls=_table(tables.rolls, 10),
        parts=_table(tables.parts, 4),
        packets=_table(tables.packets, 5),
        op_starts=np.array(tables.op_starts, dtype=np.int64),
        ops=_table(tables.ops, 8),
        caught=np.array(tables.caught, dtype=np.int64),
        target=np.array([*target.miss, target.miss_rolls, *target.negate, target.immune_critical, tables.most_parts, states], dtype=np.int64),
    )
    return Lowered(program=program, n_steps=len(steps), effects=tuple(tables.effects), highest=highest, most_dice=most_dice, slots=slot)


def lower_sweep(plan: Plan, target: Target, defences: Sequence[Sequence[int]]) -> tuple[Lowered, NDArray[np.int64]] | None:
    """One program for several ACs, with the thresholds of each; None when every AC must be played for itself (see `kernel.run_sweep`).

    Parameters
    ----------
    plan, target
        What is played against what.
    defences : (n_ac, n_defences) integers
        The number of each defence at each AC.

    Returns
    -------
    (Lowered, (n_ac, n_rows, 4) int64) or None
    """
    lowered = lower(plan, target, defences[0])
    attacks = [attack for step in plan.steps for attack, _ in step.groups()]
    plain = all(turn.states == 1 for turn in plan.turns) and not lowered.effects and not any(attack.check.extra for attack in attacks)
    if not plain or lowered.n_steps > k.SWEPT_STEPS or lowered.highest > k.SWEPT_TOTAL:
        return None
    rows = [[thresholds(attack.check, attack.bonus, int(row[attack.defence])) for attack in attacks] for row in defences]
    return lowered, np.array(rows, dtype=np.int64).reshape(len(defences), len(attacks), 4)


def _table(rows: list[list[int]], columns: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def histogram_size(lowered: Lowered) -> int:
    """Totals a tally keeps apart; 0 when there are more than an exact distribution may have."""
    return lowered.highest + 1 if lowered.highest < MAX_TOTAL else 0
