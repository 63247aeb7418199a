"""Referee of Neverwinter Nights 1, after its manual and the community's wiki."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .family35 import (
    CRITICAL,
    HIT,
    MISS,
    NATURAL_MISS,
    NEVER,
    SIZE,
    ability,
    best,
    capped_dexterity,
    common_attack,
    feats_of,
    full_bab,
    kind_of,
    ladder,
    listed,
    read_critical,
    strength_damage,
    total,
    weapon_feats,
)
from .harness import Outcome
from .notation import PHYSICAL, Damage, bonuses, damage, damages

if TYPE_CHECKING:
    from .harness import Roll

DODGE_LIMIT = 20


def defender_ac(target: dict[str, Any]) -> int:
    """Armor class of a target, a number or its parts."""
    if "ac" in target:
        return int(target["ac"])
    ac = 10 + SIZE[str(target.get("size", "medium")).lower()] + best(target.get("deflection"))
    if not target.get("touch", False):
        ac += best(target.get("armor")) + best(target.get("shield")) + best(target.get("natural"))  # the best of each sort
    dexterity = capped_dexterity(target)
    if not target.get("flat_footed", False):
        return ac + dexterity + min(DODGE_LIMIT, total(target.get("dodge")))  # dodge bonuses stack up to +20
    # flat-footed: no dodge bonus, and a Dexterity bonus only with uncanny dodge, which saves nothing else here
    return ac + (dexterity if target.get("uncanny_dodge", False) else min(dexterity, 0))


def lowered(points: int, amount: Any, percent: bool) -> int:
    """Points left when an amount, a percentage or everything is taken off; a share is rounded down, whether it is taken off or added."""
    if amount == "immune":
        return 0
    if percent:
        share = points * abs(amount) // 100
        return int(points - share if amount > 0 else points + share)
    return int(max(0, points - amount))


def after_defences(parts: list[tuple[str, int]], target: dict[str, Any]) -> int:
    """What is left of an attack's typed damage: first percent immunity, then resistance, then reduction.

    Each acts on single types, then on all physical damage together, then on everything together.
    """
    sums: dict[frozenset[str], int] = {}  # what was lowered together is one sum from there on
    for kind, points in parts:
        sums[frozenset({kind})] = sums.get(frozenset({kind}), 0) + points
    for layer in ("immunity", "resistance", "reduction"):
        table = target.get(layer, {})
        for name in sorted(table, key=lambda name: (name == "all", name == "physical")):
            whole = frozenset(PHYSICAL) if name == "physical" else frozenset().union(*sums) if name == "all" else frozenset({name})
            if any(kinds & whole and kinds - whole for kinds in sums):
                raise ValueError(f"{layer} of {name} has no meaning after it was lowered together with other damage")
            met = [kinds for kinds in sums if kinds <= whole]
            if met:
                points = sum(sums.pop(kinds) for kinds in met)
                sums[frozenset().union(*met)] = lowered(points, table[name], layer == "immunity")
    return sum(sums.values())


@dataclass(frozen=True)
class Attack:
    """One attack: how it aims and what its hit rolls."""

    bonus: int
    threat_from: int
    multiplier: int
    weapon: Damage
    bonus_damage: tuple[Damage, ...]
    extra: tuple[Damage, ...]
    critical_extra: tuple[Damage, ...]
    overwhelming: bool
    second_look: bool  # blind-fight


class Referee:
    """Plays rounds of one build against its target, or against an AC given from outside."""

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        rules = data.get("rules", {})
        self._threat_naturals: bool = rules.get("threat_naturals", False)
        self._free_step: int = 5 if rules.get("free_attacks", "full") == "ladder" else 0
        self._target: dict[str, Any] = data.get("target", {})
        self._immune: set[str] = set(self._target.get("immune", []))
        if "critical" in self._immune and rules.get("critical_immunity_covers_sneak", True):
            self._immune.add("precision")  # who is immune to critical hits is immune to sneak attacks
        self._concealment: int = max(self._target.get("concealment", 0), self._target.get("miss_chance", 0))
        self.armor_class: int = defender_ac(self._target) if ac is None else ac
        self._attacks = self._read_build(data["build"][build])
        self.attack_bonuses: list[int] = [attack.bonus for attack in self._attacks]

    def _read_build(self, build: dict[str, Any]) -> list[Attack]:
        weapons = build.get("weapons") or [build.get("weapon", build)]
        return [attack for weapon in weapons for attack in self._weapon_attacks(build, weapons, weapon)]

    def _weapon_attacks(self, build: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> list[Attack]:
        holders = [weapon] if weapon is build else [weapon, build]
        threat_from, multiplier = read_critical(weapon.get("critical", build.get("critical", "20/x2")))
        hit = damage(weapon["damage"])
        if "attack" in weapon:
            totals = bonuses(weapon["attack"])
        else:
            totals = self._sheet_bonuses(build, weapons, weapon)
            about = weapon_feats(build, weapon)
            power = build.get("power_attack", 0) if kind_of(weapon) == "melee" else 0
            strength = strength_damage(build, weapon)
            if kind_of(weapon) == "ranged":
                # a bow takes Strength up to what it is made for, and a penalty in full; what has no such key takes none
                strength = min(ability(build, "strength"), weapon["mighty"]) if "mighty" in weapon else 0
            more = strength + total(build.get("damage_bonuses")) + weapon.get("enhancement", 0) + power
            more += 2 * ("weapon specialization" in about) + 4 * ("epic weapon specialization" in about)
            hit = hit.plus(more)
            # keen and Improved Critical each add the weapon's own width again; Ki Critical adds two faces
            width = (NEVER - threat_from) * (1 + bool(weapon.get("keen", False)) + ("improved critical" in about))
            if width:
                threat_from = NEVER - width - 2 * bool(weapon.get("ki_critical", False))
            multiplier += bool(weapon.get("increased_multiplier", False))
        attack = Attack(
            0,
            threat_from,
            multiplier,
            hit,
            tuple(entry for holder in holders for entry in damages(holder.get("bonus_damage"))),
            tuple(entry for holder in holders for entry in damages(holder.get("extra"))),
            tuple(entry for holder in holders for entry in damages(holder.get("critical_extra"))),
            weapon.get("overwhelming_critical", False),
            # here the feat is for every kind of attack
            build.get("blind_fight", False) or "blind fight" in feats_of(build),
        )
        return [replace(attack, bonus=bonus) for bonus in totals]

    def _sheet_bonuses(self, sheet: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> list[int]:
        """Attack bonuses of a weapon's attacks in order."""
        feats, about = feats_of(sheet), weapon_feats(sheet, weapon)
        modifier = common_attack(sheet, weapon) + ("weapon focus" in about) + 2 * ("epic weapon focus" in about)
        if kind_of(weapon) == "melee":
            modifier -= sheet.get("power_attack", 0)  # Power Attack: -5 for +5, improved -10 for +10
        free = listed(sheet.get("extra_attacks"))
        modifier -= 2 * ("flurry" in free) + 2 * ("rapid shot" in free)  # both tax the whole round
        if "base_attacks" in weapon:
            bases = bonuses(weapon["base_attacks"])
        elif weapon.get("hand") == "off":
            # one attack at full bonus, a second at -5 with the improved feat
            bases = [full_bab(sheet) - step for step in ((0, 5) if "improved two weapon fighting" in feats else (0,))]
        elif "base_attacks" in sheet:
            bases = bonuses(sheet["base_attacks"])
        else:
            # a monk's bare hands and kama come again at -3, six times at most; all else at -5, four times
            monk = sheet.get("monk", False) and kind_of(weapon) == "melee"
            bases = ladder(sheet["bab"], 3, 6) if monk else ladder(sheet["bab"])
        hands = self._two_weapons(weapons, weapon, feats)
        totals = [base + modifier + hands for base in bases]
        if weapon is next((other for other in weapons if other.get("hand") != "off"), weapons[0]):
            # the main hand's bonus attacks follow its own at the full bonus (switch: each 5 lower); the price of two weapons is not theirs
            totals += [max(bases) + modifier - self._free_step * n for n in range(len(free))]
        return totals

    @staticmethod
    def _two_weapons(weapons: list[dict[str, Any]], weapon: dict[str, Any], feats: set[str]) -> int:
        """Penalty of a weapon in each hand: -6/-10, ambidexterity saves the off hand 4, the feat and a light off hand save 2 each."""
        off_hands = [other for other in weapons if other.get("hand") == "off"]
        hand = weapon.get("hand", "main")
        if not off_hands or hand == "two" or kind_of(weapon) == "ranged":
            return 0
        penalty = -6
        if hand == "off" and "ambidexterity" not in feats:
            penalty = -10
        return penalty + 2 * ("two weapon fighting" in feats) + 2 * all(other.get("light", False) for other in off_hands)

    def play(self, roll: Roll) -> Outcome:
        """Outcome of one round whose dice `roll` hands over."""
        points = 0
        degrees: list[int] = []
        for attack in self._attacks:
            degree = self._degree(attack, roll)
            degrees.append(degree)
            if degree >= HIT:
                points += self._damage(attack, degree == CRITICAL, roll)
        return Outcome(points, tuple(degrees))

    def _succeeds(self, face: int, bonus: int, naturals: bool) -> bool:
        if naturals and face in (1, 20):
            return face == 20  # 20 hits and 1 misses whatever the bonus
        return face + bonus >= self.armor_class

    def _degree(self, attack: Attack, roll: Roll) -> int:
        face = roll(20)
        if not self._succeeds(face, attack.bonus, True):
            return NATURAL_MISS if face == 1 else MISS
        # the threat roll has the same bonus and, unless the switch says so, nothing automatic
        critical = face >= attack.threat_from and self._succeeds(roll(20), attack.bonus, self._threat_naturals)
        # blind fight: a hit that concealment spoils is rolled for once more
        if self._concealment > 0 and all(roll(100) <= self._concealment for _ in range(2 if attack.second_look else 1)):
            return MISS
        return CRITICAL if critical and "critical" not in self._immune else HIT

    def _damage(self, attack: Attack, critical: bool, roll: Roll) -> int:
        times = attack.multiplier if critical else 1
        parts: list[tuple[str, int]] = []
        if self._lands(attack.weapon):
            # the weapon with all it adds is rolled again for each multiple; in all it deals at least 1 before defences
            parts.append((attack.weapon.kind, max(1, sum(attack.weapon.roll(roll) for _ in range(times)))))
        # item damage is multiplied too; sneak attacks are not, nor are massive criticals
        multiplied = [(entry, times) for entry in attack.bonus_damage]
        once = [(entry, 1) for entry in attack.extra + (attack.critical_extra if critical else ())]
        parts += [(entry.kind, max(0, sum(entry.roll(roll) for _ in range(n)))) for entry, n in multiplied + once if self._lands(entry)]
        if critical and attack.overwhelming:
            # Overwhelming Critical: a d6 of the weapon's damage for each multiple above the first
            parts.append((attack.weapon.kind, sum(roll(6) for _ in range(attack.multiplier - 1))))
        return after_defences(parts, self._target)

    def _lands(self, entry: Damage) -> bool:
        return not (entry.precision and "precision" in self._immune)
