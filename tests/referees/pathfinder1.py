"""Referee of Pathfinder, first edition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .family35 import Attack, Family35, feats_of, full_bab, kind_of


class Referee(Family35):
    """Plays rounds by the Pathfinder rules: 3.5 with its own power, range, Vital Strike and Manyshot."""

    RANGE = "beyond"
    FAR_SHOT_STEP = -1  # Far Shot halves the penalty

    def _power(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> tuple[int, int]:
        melee = kind_of(weapon) == "melee"
        if not sheet.get("power_attack" if melee else "deadly_aim", False):
            return 0, 0
        points = 1 + max(0, full_bab(sheet)) // 4  # -1 for +2, and as much again at +4 and every 4 after it
        if melee and weapon.get("hand") == "off":
            return -points, points  # Power Attack: half in the off hand
        if melee and two_handed(weapon):
            return -points, 3 * points  # half as much again in two hands
        return -points, 2 * points  # Deadly Aim has no hands

    def _confirm_feat(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        return 4 if "critical focus" in feats_of(sheet) else 0  # of every weapon

    def _increment(self, weapon: dict[str, Any], feats: set[str]) -> int:
        return int(weapon["range"])

    def _read_build(self, build: dict[str, Any]) -> list[Attack]:
        if build.get("vital_strike", 0) and "weapons" in build:
            # Vital Strike is a single attack: other weapons, the other hand's with its price too, are left aside
            build = {**build, "weapons": build["weapons"][:1]}
        return super()._read_build(build)

    def _finish(self, build: dict[str, Any], weapons: list[dict[str, Any]], attacks: list[list[Attack]]) -> list[Attack]:
        vital, many = build.get("vital_strike", 0), build.get("manyshot", False)
        if vital:
            if build.get("extra_attacks") or many:
                raise ValueError("vital_strike is the only attack of its round")
            # one attack at the highest bonus
            highest = max(attacks[0], key=lambda attack: attack.bonus)
            attacks = [[replace(highest, vital=vital)]]
        first = attacks[0][0]
        if "furious focus" in feats_of(build) and two_handed(weapons[0]) and kind_of(weapons[0]) == "melee":
            # Furious Focus: the turn's first attack, when it is two-handed, does not pay for Power Attack
            first = replace(first, bonus=first.bonus - self._power(build, weapons[0])[0])
        if many:
            if "attack" not in weapons[0] and ("manyshot" not in feats_of(build) or kind_of(weapons[0]) != "ranged"):
                raise ValueError("manyshot needs its feat and a bow first")
            first = replace(first, two_arrows=True)  # Manyshot: the first attack looses two arrows
        attacks[0][0] = first
        return [attack for of_weapon in attacks for attack in of_weapon]


def two_handed(weapon: dict[str, Any]) -> bool:
    """Is this a weapon in two hands that is not a light one."""
    return weapon.get("hand") == "two" and not weapon.get("light", False)
