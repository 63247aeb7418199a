"""What the referees of D&D 3.5, Pathfinder 1 and (in parts) Neverwinter Nights share: one round of attacks, die by die."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .harness import Outcome
from .notation import Damage, after_reductions, bonuses, damage, damages

if TYPE_CHECKING:
    from .harness import Roll

SIZE = {"fine": 8, "diminutive": 4, "tiny": 2, "small": 1, "medium": 0, "large": -1, "huge": -2, "gargantuan": -4, "colossal": -8}
NATURAL_MISS, MISS, HIT, CRITICAL = range(4)
NEVER = 21  # first threatening face of a weapon that never threatens


def listed(value: Any) -> list[Any]:
    """A list of none, one or several values."""
    return value if isinstance(value, list) else [] if value is None else [value]


def total(value: Any) -> int:
    """Sum of bonuses that stack: a number, a list, a named table."""
    if isinstance(value, dict):
        return sum(value.values())
    return sum(total(part) if isinstance(part, dict) else part for part in listed(value))


def best(value: Any) -> int:
    """Best of pieces that do not stack: each a number or a bonus with its enhancement."""
    pieces = [piece.get("bonus", 0) + piece.get("enhancement", 0) if isinstance(piece, dict) else piece for piece in listed(value)]
    return max(pieces, default=0)


def read_critical(text: object) -> tuple[int, int]:
    """Lowest threatening face and multiplier of `19-20/x2`, `15-20`, `x3` or `none`."""
    plain = str(text).lower().replace("×", "x").replace("–", "-").replace(" ", "")
    if plain == "none":
        return NEVER, 2
    match = re.fullmatch(r"(?:(\d+)(?:-20)?)?/?(?:x(\d+))?", plain)
    if not match:
        raise ValueError(f"critical must be like 19-20/x2; got {text!r}")
    return int(match[1] or 20), int(match[2] or 2)


def ladder(bab: int, step: int = 5, most: int = 4) -> list[int]:
    """Base attack bonuses of the attacks: each `step` lower while at +1 or better; there is always one."""
    return [bab, *(later for later in (bab - step * n for n in range(1, most)) if later >= 1)]


def feats_of(sheet: dict[str, Any]) -> set[str]:
    """Feats in one spelling: lower case, blanks for hyphens and underscores."""
    return {re.sub("[_-]", " ", str(feat).lower()) for feat in sheet.get("feats", [])}


def weapon_feats(sheet: dict[str, Any], weapon: dict[str, Any]) -> set[str]:
    """Feats that may be about this weapon: none of them when it is not in focus; `focus = true` is Weapon Focus by itself."""
    if not weapon.get("focus", True):
        return set()
    return feats_of(sheet) | ({"weapon focus"} if "focus" in weapon else set())


def kind_of(weapon: dict[str, Any]) -> str:
    """`melee`, `ranged` or `thrown`."""
    return str(weapon.get("kind", "melee"))


def ability(sheet: dict[str, Any], name: str) -> int:
    """Modifier of an ability, given as one or as a score."""
    given: int | None = sheet.get("modifiers", {}).get(name)
    return given if given is not None else (sheet.get("abilities", {}).get(name, 10) - 10) // 2


def full_bab(sheet: dict[str, Any]) -> int:
    """The base attack bonus before any ladder."""
    return int(sheet["bab"]) if "bab" in sheet else max(bonuses(sheet["base_attacks"]))


def common_attack(sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
    """What every game of the family adds to the base attack bonus."""
    strength, dexterity = ability(sheet, "strength"), ability(sheet, "dexterity")
    modifier = dexterity  # anything shot or thrown aims with Dexterity
    if kind_of(weapon) == "melee":
        # Weapon Finesse lets a fitting melee weapon use Dexterity: a choice, so the better of the two
        finesse = "weapon finesse" in feats_of(sheet) and (weapon.get("light", False) or weapon.get("finesse", False))
        modifier = max(strength, dexterity) if finesse else strength
    modifier += SIZE[str(sheet.get("size", "medium")).lower()]
    if not weapon.get("proficient", True):
        modifier -= 4  # unfamiliar weapon
    armor = sheet.get("armor", {})
    if not armor.get("proficient", True):
        modifier += armor.get("check_penalty", 0)  # unfamiliar armor (the page gives the penalty as a number <= 0)
    return int(modifier + total(sheet.get("attack_bonuses")) + weapon.get("enhancement", 0))


def strength_damage(sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
    """What Strength adds to one weapon damage roll."""
    strength = ability(sheet, "strength")
    if kind_of(weapon) == "ranged":
        if "strength_limit" in weapon:
            return max(0, min(strength, int(weapon["strength_limit"])))  # a composite bow: a bonus up to its rating, and no penalty
        return min(strength, 0) if weapon.get("bow", False) else 0  # a plain bow: only a penalty; other launchers: nothing
    if strength < 0:
        return strength  # a penalty counts once and in full, whatever the hand
    hand = weapon.get("hand", "main")
    if hand == "off":
        return strength // 2  # half a bonus in the off hand
    if hand == "two" and not weapon.get("light", False):
        return strength * 3 // 2  # half as much again in two hands, light weapons excepted
    return strength


def capped_dexterity(target: dict[str, Any]) -> int:
    """A defender's Dexterity modifier under the strictest cap of what is worn."""
    dexterity = target.get("dexterity_modifier", (target.get("dexterity", 10) - 10) // 2)
    worn = [piece for piece in (*listed(target.get("armor")), *listed(target.get("shield")), target) if isinstance(piece, dict)]
    return int(min([dexterity, *(piece["max_dexterity"] for piece in worn if "max_dexterity" in piece)]))


def defender_ac(target: dict[str, Any]) -> int:
    """Armor class of a target, a number or a sheet."""
    if "ac" in target:
        return int(target["ac"]) + (4 if target.get("cover", False) else 0)  # cover is where one stands, no part of the number
    ac = 10 + SIZE[str(target.get("size", "medium")).lower()]
    ac += best(target.get("deflection"))  # deflection bonuses do not stack
    ac += total(target.get("other"))  # insight, luck and the like count always
    if target.get("cover", False):
        ac += 4  # cover
    if not target.get("touch", False):
        # a touch passes by armor, shield and natural armor with their enhancements
        ac += best(target.get("armor")) + best(target.get("shield")) + best(target.get("natural"))
    dexterity = capped_dexterity(target)
    if target.get("flat_footed", False) and not target.get("uncanny_dodge", False):
        # caught flat-footed: no Dexterity bonus (a penalty stays); who is denied that bonus is denied dodge bonuses too
        return ac + min(dexterity, 0)
    # uncanny dodge is not denied the Dexterity bonus, and so not the dodge bonuses either
    return ac + dexterity + total(target.get("dodge"))


@dataclass(frozen=True)
class Attack:
    """One attack: how it aims and what its hit rolls."""

    bonus: int
    confirm: int  # added to the critical roll only
    threat_from: int
    multiplier: int
    multipliers: tuple[int, ...]
    weapon: Damage
    extra: tuple[Damage, ...]
    critical_extra: tuple[Damage, ...]
    second_look: bool = False  # Blind-Fight
    vital: int = 0  # how many times more the weapon's dice are rolled
    two_arrows: bool = False


class Family35:
    """Plays rounds of one build against its target, or against an AC given from outside; a game fills in the hooks."""

    RANGE = "full"  # default of the range switch
    FAR_SHOT_STEP = -2  # penalty per increment with Far Shot

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        rules = data.get("rules", {})
        self._minimum: str = rules.get("minimum", "hit")
        self._automatic: bool = rules.get("confirmation", "roll") == "auto"
        self._wide_naturals: bool = str(rules.get("natural_20", "hit")) == "30"
        self._range: str = rules.get("range", self.RANGE)
        self._keen_stacks: bool = rules.get("keen_stacks", False)
        target = data.get("target", {})
        self._distance: int = target.get("distance", 5)
        self._fortification: int = target.get("fortification", 0)
        self._miss_chance: int = target.get("miss_chance", 0)
        self._reduction: dict[str, Any] = target.get("reduction", {})
        self._immune: list[str] = target.get("immune", [])
        self.armor_class: int = defender_ac(target) if ac is None else ac
        self._attacks = self._read_build(data["build"][build])
        self.attack_bonuses: list[int] = [attack.bonus for attack in self._attacks]

    # Hooks of the games

    def _power(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> tuple[int, int]:
        """What attacking with power does to attack and damage."""
        raise NotImplementedError

    def _confirm_feat(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        """What a feat adds to the critical roll."""
        raise NotImplementedError

    def _increment(self, weapon: dict[str, Any], feats: set[str]) -> int:
        """The weapon's range increment in these hands."""
        raise NotImplementedError

    def _finish(self, build: dict[str, Any], weapons: list[dict[str, Any]], attacks: list[list[Attack]]) -> list[Attack]:
        """The round, from the attacks of each weapon."""
        raise NotImplementedError

    # Reading a build

    def _read_build(self, build: dict[str, Any]) -> list[Attack]:
        weapons = build.get("weapons") or [build.get("weapon", build)]
        return self._finish(build, weapons, [self._weapon_attacks(build, weapons, weapon) for weapon in weapons])

    def _weapon_attacks(self, build: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> list[Attack]:
        holders = [weapon] if weapon is build else [weapon, build]  # a flat statblock is its own only weapon
        threat_from, multiplier = read_critical(weapon.get("critical", build.get("critical", "20/x2")))
        hit = damage(weapon["damage"])
        confirm = weapon.get("confirm_bonus", build.get("confirm_bonus", 0))
        if "attack" in weapon:
            totals = bonuses(weapon["attack"])
        else:
            modifier = self._attack_modifier(build, weapons, weapon)
            totals = [base + modifier for base in self._bases(build, weapons, weapon)]
            hit = hit.plus(self._damage_modifier(build, weapon))
            confirm += self._confirm_feat(build, weapon)
            threat_from = self._threat(build, weapon, threat_from)
        attack = Attack(
            0,
            confirm,
            threat_from,
            multiplier,
            tuple(factor for holder in holders for factor in holder.get("multipliers", [])),
            hit,
            tuple(entry for holder in holders for entry in damages(holder.get("extra"))),
            tuple(entry for holder in holders for entry in damages(holder.get("critical_extra"))),
            # Blind-Fight is a melee feat: a shot has no second look
            second_look="blind fight" in feats_of(build) and kind_of(weapon) == "melee",
        )
        return [replace(attack, bonus=bonus) for bonus in totals]

    def _bases(self, sheet: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> list[int]:
        """Base attack bonuses of a weapon's attacks in written order, free attacks included."""
        feats = feats_of(sheet)
        if "base_attacks" in weapon:
            bases = bonuses(weapon["base_attacks"])  # the weapon's own list wins
        elif weapon.get("hand") == "off":
            # the off hand strikes once at full bonus; its improved and greater feats add a strike at -5 and one at -10
            steps = [0, *(step for step, feat in ((5, "improved"), (10, "greater")) if f"{feat} two weapon fighting" in feats)]
            bases = [full_bab(sheet) - step for step in steps]
        elif "base_attacks" in sheet:
            bases = bonuses(sheet["base_attacks"])
        else:
            bases = ladder(sheet["bab"])
        free = listed(sheet.get("extra_attacks"))
        if len(set(free)) < len(free):
            raise ValueError(f"extra_attacks must be given once each; got {free}")
        if weapon is not weapons[0]:
            return bases
        if "rapid shot" in free and ("rapid shot" not in feats or kind_of(weapon) == "melee"):
            raise ValueError("rapid shot needs its feat and a ranged or thrown weapon first")
        # haste, Rapid Shot and flurry: one more attack each at the highest base bonus
        return [bases[0], *[max(bases)] * len(free), *bases[1:]]

    def _attack_modifier(self, sheet: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> int:
        feats, about = feats_of(sheet), weapon_feats(sheet, weapon)
        modifier = common_attack(sheet, weapon) + self._power(sheet, weapon)[0]
        modifier += ("weapon focus" in about) + ("greater weapon focus" in about)  # +1 each
        free = listed(sheet.get("extra_attacks"))
        modifier += ("haste" in free) - 2 * ("rapid shot" in free) - 2 * ("flurry" in free)  # on every attack of the round
        if kind_of(weapon) != "melee":
            modifier += self._point_blank(feats) + self._range_penalty(weapon, feats)
        if kind_of(weapon) == "ranged" and ability(sheet, "strength") < weapon.get("strength_limit", -100):
            modifier -= 2  # a composite bow too strong for its archer
        return int(modifier + self._two_weapons(sheet, weapons, weapon))

    def _two_weapons(self, sheet: dict[str, Any], weapons: list[dict[str, Any]], weapon: dict[str, Any]) -> int:
        """Penalty of fighting with a weapon in each hand: -6/-10, less 2/6 by the feat, less 2/2 by a light off-hand weapon."""
        off_hands = [other for other in weapons if other.get("hand") == "off"]
        hand = weapon.get("hand", "main")
        shots = any(kind_of(other) == "ranged" for other in off_hands)  # a hand crossbow in each hand is two weapons, a bow beside a blade is not
        if not off_hands or hand == "two" or (kind_of(weapon) == "ranged" and not shots):
            return 0
        trained = "two weapon fighting" in feats_of(sheet)
        penalty = -4 if trained else -10 if hand == "off" else -6
        return penalty + (2 if all(other.get("light", False) for other in off_hands) else 0)

    def _point_blank(self, feats: set[str]) -> int:
        return int("point blank shot" in feats and self._distance <= 30)  # +1 to hit and damage up to 30 feet

    def _range_penalty(self, weapon: dict[str, Any], feats: set[str]) -> int:
        if "range" not in weapon:
            return 0
        increment = self._increment(weapon, feats)
        # shots carry ten increments, throws five
        longest = weapon.get("maximum_range", increment * (5 if kind_of(weapon) == "thrown" else 10))
        if self._distance > longest:
            raise ValueError(f"distance must be at most {longest}; got {self._distance}")
        # 3.5: per full increment; Pathfinder: per increment or part of one beyond the first
        steps = self._distance // increment if self._range == "full" else max(0, -(-self._distance // increment) - 1)
        return steps * (self.FAR_SHOT_STEP if "far shot" in feats else -2)

    def _damage_modifier(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        about = weapon_feats(sheet, weapon)
        modifier = strength_damage(sheet, weapon) + total(sheet.get("damage_bonuses")) + weapon.get("enhancement", 0)
        modifier += 2 * ("weapon specialization" in about) + 2 * ("greater weapon specialization" in about)
        if kind_of(weapon) != "melee":
            modifier += self._point_blank(feats_of(sheet))
        return int(modifier + self._power(sheet, weapon)[1])

    def _threat(self, sheet: dict[str, Any], weapon: dict[str, Any], threat_from: int) -> int:
        """Lowest threatening face after keen and Improved Critical: each doubles the range, together they double it once."""
        doublings = int(weapon.get("keen", False)) + ("improved critical" in weapon_feats(sheet, weapon))
        width = NEVER - threat_from
        return NEVER - width * (1 + (doublings if self._keen_stacks else min(doublings, 1)))

    # Playing a round

    def play(self, roll: Roll) -> Outcome:
        """Outcome of one round whose dice `roll` hands over."""
        points = 0
        degrees: list[int] = []
        for attack in self._attacks:
            degree, precise = self._degree(attack, roll)
            degrees.append(degree)
            if degree >= HIT:
                points += self._damage(attack, degree == CRITICAL, precise, roll)
        return Outcome(points, tuple(degrees))

    def _succeeds(self, face: int, bonus: int) -> bool:
        """Does this face hit: 20 always, 1 never, else a total that reaches the AC."""
        if self._wide_naturals:  # variant: 20 counts as 30 and 1 as -10, and the total decides
            return {1: -10, 20: 30}.get(face, face) + bonus >= self.armor_class
        if face in (1, 20):
            return face == 20
        return face + bonus >= self.armor_class

    def _degree(self, attack: Attack, roll: Roll) -> tuple[int, bool]:
        """Degree of an attack, and whether its precision damage finds the vital spots."""
        face = roll(20)
        if not self._succeeds(face, attack.bonus):
            # where nothing is automatic a natural 1 is a miss like any other
            return (NATURAL_MISS if face == 1 and not self._wide_naturals else MISS), False
        # a hit inside the threat range earns a critical roll: the same roll again (house rule: it needs none)
        critical = face >= attack.threat_from and (self._automatic or self._succeeds(roll(20), attack.bonus + attack.confirm))
        critical = critical and "critical" not in self._immune
        precise = True
        # fortification: one roll for whatever is vital in this attack; it turns a critical into a hit and precision into nothing
        vital = critical or any(entry.precision for entry in (attack.weapon, *attack.extra))
        if vital and self._fortification > 0 and roll(100) <= self._fortification:
            critical = precise = False
        if self._miss_chance > 0 and self._concealed(attack.second_look, roll):
            return MISS, False
        return (CRITICAL if critical else HIT), precise

    def _concealed(self, second_look: bool, roll: Roll) -> bool:
        """Does the miss chance spoil the hit; Blind-Fight rolls once more when it does."""
        return all(roll(100) <= self._miss_chance for _ in range(2 if second_look else 1))

    def _damage(self, attack: Attack, critical: bool, precise: bool, roll: Roll) -> int:
        precise = precise and "precision" not in self._immune
        points = after_reductions(self._packet(attack, critical, precise, roll), self._reduction)
        if attack.two_arrows:
            # the second arrow is never critical and carries no precision; what is taken off is taken off each arrow
            plain = replace(attack, multipliers=(), vital=0)
            points += after_reductions(self._packet(plain, False, False, roll), self._reduction)
        return points

    def _packet(self, attack: Attack, critical: bool, precise: bool, roll: Roll) -> list[tuple[str, int]]:
        """Typed damage of one weapon's impact."""
        factors = attack.multipliers + ((attack.multiplier,) if critical else ())
        times = 1 + sum(factor - 1 for factor in factors)  # two doublings are a tripling: each adds one less than itself
        landing = [entry for entry in attack.extra if precise or not entry.precision]
        pooled = [entry for entry in landing if entry.precision and entry.kind in (attack.weapon.kind, "physical")]
        parts: list[tuple[str, int]] = []
        pool: list[int] = []
        if precise or not attack.weapon.precision:
            pool += [attack.weapon.roll(roll) for _ in range(times)]
            if self._minimum == "roll":
                pool = [max(1, points) for points in pool]  # switch: each weapon roll deals at least 1
            # Vital Strike: the dice alone, not multiplied
            pool += [replace(attack.weapon, flat=0).roll(roll) for _ in range(attack.vital)]
        pool += [entry.roll(roll) for entry in pooled]  # precision adds to the weapon's damage, once
        if pool:
            # however small the sum, a hit deals 1 before anything is taken off
            parts.append((attack.weapon.kind, max(1 if self._minimum == "hit" else 0, sum(pool))))
        # the rest keeps its own types: first what every hit adds, then what a critical adds
        apart = [entry for entry in landing if entry not in pooled]
        if critical:
            apart += [entry for entry in attack.critical_extra if precise or not entry.precision]
        parts += [(entry.kind, max(0, entry.roll(roll))) for entry in apart]
        return parts
