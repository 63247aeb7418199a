"""Referee of D&D 3.5 as its SRD states it."""

from __future__ import annotations

from typing import Any

from .family35 import Attack, Family35, full_bab, kind_of, weapon_feats


class Referee(Family35):
    """Plays rounds by the 3.5 rules."""

    RANGE = "full"

    def _power(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> tuple[int, int]:
        given = int(sheet.get("power_attack", 0))
        if given and not 0 <= given <= full_bab(sheet):
            raise ValueError(f"power_attack must be 0 to the base attack bonus; got {given}")
        if kind_of(weapon) != "melee":
            return 0, 0
        # Power Attack: what is taken from the attack is added to damage, twice in two hands; a light weapon only pays
        if weapon.get("light", False):
            return -given, 0
        return -given, given * (2 if weapon.get("hand") == "two" else 1)

    def _confirm_feat(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        return 4 if "power critical" in weapon_feats(sheet, weapon) else 0

    def _increment(self, weapon: dict[str, Any], feats: set[str]) -> int:
        # Far Shot: projectiles fly half as far again, throws twice as far
        increment = int(weapon["range"])
        if "far shot" not in feats:
            return increment
        return increment * 2 if kind_of(weapon) == "thrown" else increment * 3 // 2

    def _finish(self, build: dict[str, Any], weapons: list[dict[str, Any]], attacks: list[list[Attack]]) -> list[Attack]:
        return [attack for of_weapon in attacks for attack in of_weapon]
