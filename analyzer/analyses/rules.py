"""Rules: which rule differs where, read off the games themselves.

What a game does is read off the plan it makes of one plain statblock, and what may be switched off its ``[rules]``; nothing here is
written down by hand, so the table cannot say anything but what is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

from analyzer.plan import CRITICAL, HIT, Attack, Check, Critical, Roll
from analyzer.records import Record
from analyzer.scenario import statblock
from analyzer.systems import systems

if TYPE_CHECKING:
    from analyzer.answer import Answer
    from analyzer.rulekit.system import AnySystem

_CRITICALS = {
    Critical.NONE: "never",
    Critical.NATURAL: "die in range",
    Critical.MEETS: "die in range, total meets AC",
}


def records() -> list[Record]:
    """The answer of `rules` as flat records, without pandas."""
    return [
        {"system": game.id, "rule": rule, "value": value, "choices": choices, "about": about}
        for game in systems().values()
        for rule, value, choices, about in (*_played(game.id), *_switches(game))
    ]


def rules() -> Answer:
    """What every game does where they differ, and what each lets you switch.

    Returns
    -------
    Answer
        A row per game and rule: ``system``, ``rule``, ``value`` (what is played by default), ``choices`` (what the switch may be set to, or None where it is no
        switch) and ``about``. ``answer.pivot(index="rule", columns="system", values="value")`` sets the games side by side.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

    return answer(records())


def _attack(system: str, damage: str = "1d6+1", extra: tuple[str, ...] = ("1d6",), **keys: Any) -> Attack:  # noqa: ANN401 - keys of the game's statblock
    """The attack of a plain statblock: a bonus, a weapon roll, extra dice."""
    build = statblock("+5", damage, extra=extra, system=system, name="plain", **keys)
    (attack,) = (a for step in build.derive().plan.steps for a in step.variants[:1] if a is not None)
    return attack


def _played(system: str) -> Iterator[tuple[str, str, None, str]]:
    attack = _attack(system)
    check = attack.check
    yield "a total equal to AC", "hits" if check.ties_hit else "misses", None, "the attack roll"
    yield "natural 20", _natural(check, 20), None, "the attack roll"
    yield "natural 1", _natural(check, 1), None, "the attack roll"
    yield "critical", _critical(check), None, "what makes a hit critical"
    yield "weapon on a critical", _multiplied(_rolls(attack, HIT)[0], _rolls(attack, CRITICAL)[0]), None, "1d6+1 without further rules"
    yield "extra dice on a critical", _multiplied(_rolls(attack, HIT)[-1], _rolls(attack, CRITICAL)[-1]), None, "1d6 more"
    yield "multipliers x2 and x3", _stacked(system), None, "weapon rolls when a x2 is critical with x3"
    yield "least damage of a hit", _least(system), None, "of a weapon roll that would be below 0, before reductions"


def _natural(check: Check, face: int) -> str:
    automatic = face >= check.auto_hit_from if face == 20 else face <= check.auto_miss_to
    if automatic:
        return "hits" if face == 20 else "misses"
    if check.natural_shift:
        return "one degree better" if face == 20 else "one degree worse"
    return "counts by its total"


def _critical(check: Check) -> str:
    if check.critical is not Critical.CONFIRM:
        return f"total {check.margin} above AC" if check.critical is Critical.MARGIN else _CRITICALS[check.critical]
    return f"die in range, second roll hits{'; its natural 20 and 1 decide' if check.confirm_naturals else ' by its total'}"


def _rolls(attack: Attack, degree: int) -> list[Roll]:
    return [roll for packet in attack.on[degree] for part in packet.parts for roll in part.rolls]


def _multiplied(hit: Roll, critical: Roll) -> str:
    """How a roll of a critical differs from the same roll of a hit."""
    if critical.times != hit.times:
        return f"rolled {critical.times} times"
    if critical.scale != hit.scale:
        return f"one roll, times {critical.scale}"
    dice = [sum(die.count for die in roll.dice) for roll in (hit, critical)]
    if dice[0] != dice[1]:
        return f"{dice[1] // dice[0]} times the dice" + (", modifiers once" if critical.flat == hit.flat != 0 else "")
    return "as on a hit"


def _stacked(system: str) -> str:
    if "multipliers" not in systems()[system].Statblock.model_fields:
        return "-"
    return f"{_rolls(_attack(system, critical='x3', multipliers=[2]), CRITICAL)[0].times} rolls"


def _least(system: str) -> str:
    attack = _attack(system, damage="1d6-9", extra=())
    hit, critical = (sum(part.lowest for packet in attack.on[degree] for part in packet.parts) for degree in (HIT, CRITICAL))
    return str(hit) if hit == 0 else f"{hit} a roll" if critical > hit else f"{hit} in all"


def _switches(game: AnySystem) -> Iterator[tuple[str, str, str, str]]:
    for key, field in game.Rules.model_fields.items():
        choices = ("true", "false") if field.annotation is bool else tuple(map(str, get_args(field.annotation)))
        default = str(field.default).lower() if field.annotation is bool else str(field.default)
        yield key, default, " | ".join(choices), field.description or ""
