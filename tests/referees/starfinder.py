"""Referee of `starfinder`, written from the rule text 002 and the decisions; it knows nothing of the engines."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.referees.harness import Outcome
from tests.referees.notation import Damage, after_reductions, bonuses, damage, damages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ENERGY = ("acid", "cold", "electricity", "fire", "sonic")
INTERSECTION_AC = 5  # text: what an attack at a grid intersection has to reach
AUTOMATIC_MISS, MISS, HIT, CRITICAL = range(4)
COMPASS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # clockwise from north, y up


@dataclass(frozen=True)
class Strike:
    """One attack of the round as it is about to be rolled."""

    bonus: int
    defence: str  # "eac", "kac", or "intersection"
    weapon: Damage
    extra: tuple[Damage, ...]
    critical_extra: tuple[Damage, ...]
    radius: int = 0  # feet; 0 where no area is hit
    scatters: bool = False


class Referee:
    """One round of a `starfinder` build file, played by hand.

    Parameters: the parsed file, which build of it, an armor class that replaces the one the first attack aims at.
    """

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        self.rules: dict[str, Any] = data.get("rules", {})
        self.target: dict[str, Any] = data.get("target", {})
        self.distance = self.target.get("distance", 5)
        sheet: dict[str, Any] = data["build"][build]
        statblock = "attack" in sheet or any("attack" in weapon for weapon in sheet.get("weapons", []))
        self.strikes = self._from_statblock(sheet) if statblock else self._from_sheet(sheet)
        self.attack_bonuses: list[int] = [strike.bonus for strike in self.strikes]
        self.defences = self._defences(ac)

    def play(self, roll: Callable[[int], int]) -> Outcome:
        """One round with the dice that `roll` hands over."""
        total = 0
        degrees = []
        for strike in self.strikes:
            degree = self._degree(strike, roll)
            degrees.append(degree)
            spot = (0, 0)
            if degree < HIT:
                if not strike.scatters:
                    continue
                spot = self.landing(roll(8), roll(4))
            rolled = self._damage(strike, degree, roll)
            if strike.defence == "intersection":  # decisions: one roll for all who are caught, the reductions of each apart
                for creature, inside in zip(self._creatures(), self.caught(*spot, radius=strike.radius), strict=True):
                    if inside:
                        total += after_reductions(rolled, creature.get("reduction", self._reduction()))
            else:
                total += after_reductions(rolled, self._reduction())
        return Outcome(total, tuple(degrees))

    def landing(self, d8: int, d4: int) -> tuple[int, int]:
        """How far from the mark, in squares (x, y up), a miss with these two dice lands."""
        thrower = self.target.get("thrower", [0, -Fraction(self.distance) / 5])
        # text: 1 falls short, in line with the thrower; the others follow clockwise around the mark
        x, y = COMPASS[(_toward(*thrower) + d8 - 1) % 8]
        return x * d4, y * d4

    def caught(self, dx: int, dy: int, radius: int | None = None) -> list[bool]:
        """Who of the creatures is inside a blast at this displacement (radius in feet; default the first area weapon's)."""
        if radius is None:
            radius = next(strike.radius for strike in self.strikes if strike.radius)
        inside = []
        for creature in self._creatures():
            left, low = creature.get("at", [0, 0])
            size = creature.get("size", 1)
            squares = [(left + i - dx, low + j - dy) for i in range(size) for j in range(size)]
            inside.append(any(_in_blast(x, y, radius) for x, y in squares))  # decisions: one square of it is enough
        return inside

    def _degree(self, strike: Strike, roll: Callable[[int], int]) -> int:
        die = roll(20)
        total, defence = die + strike.bonus, self.defences[strike.defence]
        meets = total > defence if self.rules.get("ties") == "miss" else total >= defence
        if die == 20:  # text: always a hit, a critical one only when the total is good enough as well
            degree = CRITICAL if meets and self._may_be_critical(strike) else HIT
        elif die == 1 and self.rules.get("natural_1", "miss") == "miss":
            degree = AUTOMATIC_MISS
        else:
            degree = HIT if meets else MISS
        miss_chance = self.target.get("miss_chance", 0)
        if degree >= HIT and miss_chance and roll(100) <= miss_chance:
            degree = MISS
        return degree

    def _may_be_critical(self, strike: Strike) -> bool:
        if self._immune("critical"):
            return False
        return strike.defence != "intersection" or self.rules.get("area_critical", False)

    def _damage(self, strike: Strike, degree: int, roll: Callable[[int], int]) -> list[tuple[str, int]]:
        rolled: list[tuple[str, int]] = []
        times = 2 if degree == CRITICAL else 1  # text: everything twice, the additional damage too
        for position, entry in enumerate((strike.weapon, *strike.extra)):
            if self._is_rolled(entry):
                points = 0
                for _ in range(times):
                    one = entry.roll(roll)
                    points += max(1, one) if position == 0 and self.rules.get("minimum", "roll") == "roll" else one
                rolled.append((entry.kind, max(0, points)))  # decision: no damage entry is below 0
        if degree == CRITICAL:  # schema: added once
            rolled += [(entry.kind, max(0, entry.roll(roll))) for entry in strike.critical_extra if self._is_rolled(entry)]
        return rolled

    def _is_rolled(self, entry: Damage) -> bool:
        return not (entry.precision and self._immune("precision"))

    def _immune(self, what: str) -> bool:
        return what in self.target.get("immune", [])

    def _reduction(self) -> dict[str, Any]:
        reduction: dict[str, Any] = self.target.get("reduction", {})
        return reduction

    def _creatures(self) -> Sequence[Mapping[str, Any]]:
        creatures: Sequence[Mapping[str, Any]] = self.target.get("creatures", [{"at": [0, 0], "size": 1}])
        return creatures

    def _defences(self, ac: int | None) -> dict[str, int]:
        both = self.target.get("ac")
        found = {key: self.target.get(key, both) for key in ("eac", "kac")}
        aimed = next((strike.defence for strike in self.strikes if strike.defence != "intersection"), None)
        if ac is not None and aimed:  # section A sweep's AC: the other one keeps its distance
            before = found[aimed]
            shift = 0 if before is None else ac - before
            found = {key: ac if value is None else value + shift for key, value in found.items()}
        known = {key: value for key, value in found.items() if value is not None}
        return {**known, "intersection": INTERSECTION_AC}

    def _from_statblock(self, block: Mapping[str, Any]) -> list[Strike]:
        strikes: list[Strike] = []
        for weapon in block.get("weapons", [block]):
            extra, critical_extra = _extras(weapon, block)
            against = weapon.get("against", "kac")
            strikes += [Strike(bonus, against, damage(weapon["damage"]), extra, critical_extra) for bonus in bonuses(weapon["attack"])]
        return strikes

    def _from_sheet(self, sheet: Mapping[str, Any]) -> list[Strike]:
        weapons = sheet["weapons"] if "weapons" in sheet else [sheet["weapon"]]
        if not sheet.get("full_attack", False):
            return [self._strike(sheet, weapons[0], 0)]
        # schema: weapons take turns, every attack with the penalty
        penalty = sheet.get("full_attack_penalty", -4)
        return [self._strike(sheet, weapons[i % len(weapons)], penalty) for i in range(sheet.get("attacks", 2))]

    def _strike(self, sheet: Mapping[str, Any], weapon: Mapping[str, Any], penalty: int) -> Strike:
        kind = weapon.get("kind", "melee")
        # text: Dexterity aims what is shot, Strength what is swung or thrown, a grenade too
        bonus = sheet.get("bab", 0) + _modifier(sheet, "dexterity" if kind == "ranged" else "strength")
        bonus += sum(sheet.get("attack_bonuses", {}).values()) + penalty
        if not weapon.get("proficient", True):
            bonus -= 4
        if kind != "melee" and "range" in weapon:
            bonus += range_penalty(self.distance, weapon["range"])
        points = sum(sheet.get("damage_bonuses", {}).values())
        if kind in ("melee", "thrown"):  # text: no Strength in the damage of shots and grenades
            points += _modifier(sheet, "strength")
        dice = damage(weapon["damage"])
        radius = weapon.get("radius", 0)
        extra, critical_extra = _extras(weapon, sheet)
        return Strike(
            bonus=bonus,
            defence="intersection" if radius else weapon.get("against", "eac" if dice.kind in ENERGY else "kac"),
            weapon=dice.plus(points),
            extra=extra,
            critical_extra=critical_extra,
            radius=radius,
            # text: thrown things that miss go astray; decisions: what a launcher shoots does not
            scatters=bool(radius) and (kind in ("thrown", "grenade") or self.rules.get("launcher_scatter", False)),
        )


def range_penalty(distance: float, increment: float) -> int:
    """-2 for each increment, begun ones included, beyond the first."""
    increments = -(-Fraction(distance) // Fraction(increment))
    return -2 * max(0, increments - 1)


def _extras(weapon: Mapping[str, Any], build: Mapping[str, Any]) -> tuple[tuple[Damage, ...], tuple[Damage, ...]]:
    owners = [weapon] if weapon is build else [weapon, build]
    extra, critical_extra = (tuple(entry for owner in owners for entry in damages(owner.get(key))) for key in ("extra", "critical_extra"))
    return extra, critical_extra


def _modifier(sheet: Mapping[str, Any], ability: str) -> int:
    if ability in sheet.get("modifiers", {}):
        return int(sheet["modifiers"][ability])
    return int((sheet.get("abilities", {}).get(ability, 10) - 10) // 2)


def _toward(x: float, y: float) -> int:
    """The point of the compass nearest to the thrower, as an index into COMPASS."""
    across, up = abs(Fraction(x)), abs(Fraction(y))
    if not across and not up:
        return 4  # a thrower on the mark: taken to stand south of it
    # A direction is straight while the short leg is under tan(22.5 deg) = sqrt(2) - 1 of the long one. That number is
    # irrational, so squares never tie and "ties clockwise" has nothing to decide.
    diagonal = (across + up) ** 2 > 2 * max(across, up) ** 2
    sign_x = (x > 0) - (x < 0) if diagonal or across > up else 0
    sign_y = (y > 0) - (y < 0) if diagonal or up > across else 0
    return COMPASS.index((sign_x, sign_y))


def _in_blast(x: int, y: int, radius: int) -> bool:
    """Whether the square x..x+1, y..y+1, counted from the landing, is inside: its far corner must be."""
    long, short = sorted((max(abs(x), abs(x + 1)), max(abs(y), abs(y + 1))), reverse=True)
    return 5 * (long + short // 2) <= radius  # every second diagonal step counts double
