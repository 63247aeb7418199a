"""Trace: one simulated round die by die, as a game's combat log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from analyzer.montecarlo import Purpose, TracedDie, record
from analyzer.plan import Attack, Plan
from analyzer.playing import Opponent, lowered, whole
from analyzer.records import Record
from analyzer.scenario import Build, Scenario

_DEGREES = {-1: "not made", 0: "critical miss", 1: "miss", 2: "hit", 3: "critical"}
_WORDS = {
    Purpose.ATTACK: "attack roll",
    Purpose.ATTACK_REROLL: "attack roll, rerolled",
    Purpose.EXTRA: "added to the attack roll",
    Purpose.CONFIRM: "critical roll",
    Purpose.CONFIRM_REROLL: "critical roll, rerolled",
    Purpose.CONFIRM_EXTRA: "added to the critical roll",
    Purpose.NEGATE: "negates criticals and precision",
    Purpose.MISS: "miss chance",
    Purpose.DIRECTION: "scatter direction",
    Purpose.DISTANCE: "scatter distance",
    Purpose.DAMAGE: "damage",
    Purpose.REROLL: "damage, rerolled",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One round of a build as the simulation played it."""

    system: str
    build: str
    seed: int
    trial: int
    plan: Plan
    #: the number of each defence
    defences: tuple[int, ...]
    dice: tuple[TracedDie, ...]
    #: final degree (-1 not made) and damage points of each step
    degrees: tuple[int, ...]
    damage: tuple[int, ...]
    total: int


def trace(build: Build | Scenario, ac: int | None = None, *, target: Opponent = None, trial: int = 0, seed: int = 0) -> Trace:
    """One round of a simulation, with every die in order.

    Parameters
    ----------
    build : Build or Scenario of one build
        What attacks.
    ac : int, optional
        The defence the first attack aims at; the target's own when omitted.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    trial : int
        The round's number, from 0.
    seed : int
        The simulation's seed.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played, or a trial or seed out of range.
    """
    listed = lowered(build, target, ac)
    if len(listed) != 1:
        raise ValueError(f"build must be a single build; got {len(listed)}")
    (one,) = listed
    number, drawn = whole("trial", trial), whole("seed", seed)
    found = record(one.plan, one.target, None, first=number, trials=1, seed=drawn)
    return Trace(
        system=one.build.system,
        build=one.build.name,
        seed=drawn,
        trial=number,
        plan=one.plan,
        defences=one.target.ac,
        dice=tuple(found.dice(0)),
        degrees=tuple(found.degree[0].tolist()),
        damage=tuple(found.damage[0].tolist()),
        total=int(found.total[0]),
    )


def records(log: Trace) -> list[Record]:
    """The dice of a trace as flat records, in order."""
    return [
        {"system": log.system, "build": log.build, "trial": log.trial, "attack": d.step + 1, "purpose": _WORDS[d.purpose], "sides": d.sides, "face": d.face}
        for d in log.dice
    ]


def lines(log: Trace) -> Iterator[str]:
    """A trace as text, an attack a paragraph."""
    yield f"{log.build}: round {log.trial} of seed {log.seed}"
    dice = {step: list(rolled) for step, rolled in groupby(log.dice, key=lambda d: d.step)}
    for k, step in enumerate(log.plan.steps):
        made = [attack for attack in step.variants if attack is not None]
        if log.degrees[k] < 0 or not made:
            yield f"  {k + 1}. not made"
            continue
        yield f"  {k + 1}. {_heading(made, log.defences)}: {_DEGREES[log.degrees[k]]}, {log.damage[k]} damage"
        for purpose, rolled in groupby(dice.get(k, []), key=lambda d: d.purpose):
            faces = list(rolled)
            yield f"       {_WORDS[purpose]}: {_faces(purpose, faces, made)}"
    yield f"  {log.total} damage in the round"


def _heading(made: list[Attack], defences: tuple[int, ...]) -> str:
    bonuses = "/".join(dict.fromkeys(f"{attack.bonus:+d}" for attack in made))
    return f"{made[0].label} ({bonuses}) against {defences[made[0].defence]}"


def _faces(purpose: Purpose, dice: list[TracedDie], made: list[Attack]) -> str:
    text = " ".join(f"d{die.sides} {die.face}" for die in dice)
    check = made[0].check
    plain = len(made) == 1 and len(dice) == 1 and not check.extra and check.dice == 1 and not check.reroll_ones
    if plain and purpose in (Purpose.ATTACK, Purpose.CONFIRM):
        face = dice[0].face
        natural = check.add_on_1 * (face == 1) + check.add_on_20 * (face == 20)
        bonus = made[0].bonus + natural + (check.confirm_bonus if purpose is Purpose.CONFIRM else 0)
        return f"{text} {bonus:+d} = {face + bonus}"
    return text
