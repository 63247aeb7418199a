"""Referee of `core`, written from the rule text 001 and the decisions; it knows nothing of the engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.referees.harness import Outcome
from tests.referees.notation import Damage, after_reductions, bonuses, damages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFAULT_AP = -3  # text, Multiple Attacks: what counts where no AP is stated, missiles included
AUTOMATIC_MISS, MISS, HIT, CRITICAL = range(4)


@dataclass(frozen=True)
class Strike:
    """One attack of the round as it is about to be rolled."""

    bonus: int
    penalty: int
    on_hit: tuple[Damage, ...]
    on_critical: tuple[Damage, ...]


class Referee:
    """One round of a `core` build file, played by hand.

    Parameters: the parsed file, which build of it, an armor class that replaces the target's.
    """

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        self.rules: dict[str, Any] = data.get("rules", {})
        self.target: dict[str, Any] = data.get("target", {})
        sheet: dict[str, Any] = data["build"][build]
        self.ac = self._armor_class() if ac is None else ac
        statblock = "attack" in sheet or isinstance(sheet.get("weapons"), list)
        self.strikes = self._from_statblock(sheet) if statblock else self._from_sheet(sheet)
        self.penalties: list[int] = [strike.penalty for strike in self.strikes]
        self.attack_bonuses: list[int] = [strike.bonus for strike in self.strikes]

    def play(self, roll: Callable[[int], int]) -> Outcome:
        """One round with the dice that `roll` hands over."""
        total = 0
        degrees = []
        for number, strike in enumerate(self.strikes, start=1):
            degree = self._degree(strike.bonus, number, roll)
            degrees.append(degree)
            if degree >= HIT:
                entries = strike.on_critical if degree == CRITICAL else strike.on_hit
                # Common: precision damage is not rolled against whom it cannot hurt; decision: no damage entry is below 0
                rolled = [(entry.kind, max(0, entry.roll(roll))) for entry in entries if not (entry.precision and self._immune("precision"))]
                total += after_reductions(rolled, self.target.get("reduction", {}))
        return Outcome(total, tuple(degrees))

    def _degree(self, bonus: int, number: int, roll: Callable[[int], int]) -> int:
        die = roll(20)
        reached = die + bonus > self.ac if self.rules.get("ties") == "miss" else die + bonus >= self.ac
        if die == 20:  # text: a 20 on the die hits, and such a hit is the critical one
            degree = HIT if self._immune("critical") else CRITICAL
        elif die == 1:  # text: a 1 on the die misses
            degree = AUTOMATIC_MISS
        else:
            degree = HIT if reached else MISS
        miss_chance = self.target.get("miss_chance", 0)
        if degree >= HIT and miss_chance and roll(100) <= miss_chance:
            degree = MISS
        if degree < HIT and self._takes(number):  # text, Taking the hit: an ordinary hit, whatever the miss
            degree = HIT
        return degree

    def _takes(self, number: int) -> bool:
        takes = self.target.get("takes_hit", "none")
        return number in takes if isinstance(takes, list) else bool(takes == "all")  # only who is up: a valid file sees to that

    def _immune(self, what: str) -> bool:
        return what in self.target.get("immune", [])

    def _armor_class(self) -> int:
        return int(self.target["ac"]) if "ac" in self.target else 10 + int(self.target["av"])  # text: 10 + AV

    def _from_statblock(self, block: Mapping[str, Any]) -> list[Strike]:
        strikes: list[Strike] = []
        accrued = 0
        for weapon in block.get("weapons", [block]):
            shared = () if weapon is block else damages(block.get("extra"))
            numbers = bonuses(weapon["attack"])
            if len(numbers) > 1:  # a written-out list is final: no penalty of ours in it, and no AP to hand on
                strikes += [_strike(weapon, weapon.get("damage"), shared, bonus, 0) for bonus in numbers]
                continue
            for _ in range(weapon.get("attacks", 1)):
                strikes.append(_strike(weapon, weapon.get("damage"), shared, numbers[0] + accrued, accrued))
                accrued += weapon.get("ap", DEFAULT_AP)  # text: what was attacked with burdens the later attacks of the turn
        return strikes

    def _from_sheet(self, sheet: Mapping[str, Any]) -> list[Strike]:
        means = {**sheet.get("missiles", {}), **sheet.get("body_parts", {}), **sheet.get("weapons", {})}
        named = sum(sheet.get("attack_bonuses", {}).values())
        shared = damages(sheet.get("extra"))
        strikes: list[Strike] = []
        accrued = 0
        for turn in [sheet.get("turn", []), *sheet.get("reactions", [])]:
            if self.rules.get("ap_reset", "every turn") == "every turn":
                accrued = 0  # text: gone when a turn ends, another creature's turn too
            for entry in turn:
                used = means[entry if isinstance(entry, str) else entry["use"]]  # an off-hand attack accrues like any other
                # text: the proficiency bonus only with what one is proficient in
                proficiency = sheet.get("proficiency_bonus", 0) if used.get("proficient", True) else 0
                strikes.append(_strike(used, used.get("on_hit"), shared, proficiency + named + accrued, accrued))
                accrued += used.get("ap", DEFAULT_AP)
        return strikes


def _strike(weapon: Mapping[str, Any], on_hit: object, shared: tuple[Damage, ...], bonus: int, penalty: int) -> Strike:
    ordinary = damages(on_hit)
    extra = damages(weapon.get("extra")) + shared
    # text: a critical differs only by what its own section says; decisions: replacing or added, or nothing
    critical = damages(weapon["on_critical"]) if "on_critical" in weapon else ordinary + damages(weapon.get("critical_adds"))
    return Strike(bonus, penalty, ordinary + extra, critical + extra)
