"""Referee of d20: one round played die by die, read from the rule text and the decisions only."""

import re
from typing import Any, NamedTuple

from .harness import Outcome, Roll

SIZE = {"fine": 8, "diminutive": 4, "tiny": 2, "small": 1, "medium": 0, "large": -1, "huge": -2, "gargantuan": -4, "colossal": -8}
PHYSICAL = ("physical", "slashing", "piercing", "bludgeoning")
NATURAL_MISS, MISS, HIT, CRITICAL = range(4)


class Dice(NamedTuple):
    """A term of a dice sum: `number` dice, added or (sign -1) taken off, each rerolled once when it shows `reroll` or less."""

    sign: int
    number: int
    sides: int
    reroll: int


class Damage(NamedTuple):
    """A damage expression: dice in written order, a flat number, a type, and whether it is precision damage."""

    dice: tuple[Dice, ...]
    flat: int
    kind: str
    precision: bool

    def rolled(self, roll: Roll) -> int:
        """Points this roll comes to, before any minimum."""
        points = self.flat
        for sign, number, sides, reroll in self.dice:
            for _ in range(number):
                face = roll(sides)
                if face <= reroll:
                    face = roll(sides)
                points += sign * face
        return points


class Attack(NamedTuple):
    """One attack: its bonus, its threat range and what it rolls when it hits."""

    bonus: int
    threat_from: int
    multiplier: int
    multipliers: tuple[int, ...]
    weapon: Damage
    extra: tuple[Damage, ...]
    critical_extra: tuple[Damage, ...]


def plain(text: object) -> str:
    """Lower-case text with the typographic minus and multiplication signs typed out."""
    return re.sub("[−–]", "-", str(text).lower()).replace("×", "x").strip()


def read_damage(text: object) -> Damage:
    """Damage that an expression such as `2d6r2+1 fire precision` states."""
    tokens = plain(text).split()
    words = [token for token in tokens if token.isalpha()]
    total = re.sub(r"\s*([+-])\s*", r"\1", " ".join(token for token in tokens if not token.isalpha()))
    if not re.fullmatch(r"[+-]?(\d*d\d+(r\d+)?|\d+)([+-](\d*d\d+(r\d+)?|\d+))*", total):
        raise ValueError(f"damage must be a sum of dice; got {text!r}")
    dice: list[Dice] = []
    flat = 0
    for sign, number, sides, reroll, constant in re.findall(r"([+-]?)(?:(\d*)d(\d+)(?:r(\d+))?|(\d+))", total):
        factor = -1 if sign == "-" else 1
        if sides:
            dice.append(Dice(factor, int(number or 1), int(sides), int(reroll or 0)))
        else:
            flat += factor * int(constant)
    kinds = [word for word in words if word not in ("precision", "sneak")]
    if len(kinds) > 1:
        raise ValueError(f"damage must have one type; got {text!r}")
    return Damage(tuple(dice), flat, kinds[0] if kinds else "physical", len(kinds) < len(words))


def read_critical(text: object) -> tuple[int, int]:
    """Lowest threatening die and multiplier that `19-20/x2`, `15-20` or `x3` states."""
    match = re.fullmatch(r"(?:(\d+)(?:\s*-\s*20)?)?\s*/?\s*(?:x\s*(\d+))?", plain(text))
    if not match:
        raise ValueError(f"critical must be like 19-20/x2; got {text!r}")
    return int(match[1] or 20), int(match[2] or 2)


def read_bonuses(text: object) -> list[int]:
    """Bonuses that a list such as `+20/+15` or `-1/-6` states, one per attack."""
    return [int(bonus.replace(" ", "")) for bonus in plain(text).split("/")]


def ladder(bab: int) -> list[int]:
    """Base attack bonuses of the attacks in a round: each later one 5 less while at +1 or better, at most four."""
    return [bab, *(later for later in (bab - 5, bab - 10, bab - 15) if later >= 1)]


def ability_modifier(sheet: dict[str, Any], ability: str) -> int:
    """Modifier of an ability, given as one or as a score; 0 when not given."""
    given: int | None = sheet.get("modifiers", {}).get(ability)
    return given if given is not None else (sheet.get("abilities", {}).get(ability, 10) - 10) // 2


def attack_modifier(sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
    """What a sheet adds to the base attack bonus with a weapon."""
    feats = {re.sub("[_-]", " ", plain(feat)) for feat in sheet.get("feats", [])}
    strength, dexterity = ability_modifier(sheet, "strength"), ability_modifier(sheet, "dexterity")
    finesse = "weapon finesse" in feats and (weapon.get("light", False) or weapon.get("finesse", False))
    # Attacker's swing: Str in melee, or a greater Dex with finesse and a fitting weapon; Dex at range (decision: thrown too)
    modifier = dexterity
    if weapon.get("kind", "melee") == "melee" and not (finesse and dexterity > strength):
        modifier = strength
    modifier += SIZE[plain(sheet.get("size", "medium"))]  # Attacker's swing: size modifier
    if weapon.get("focus", "weapon focus" in feats):
        modifier += 1  # Attacker's swing: +1 with the weapon focus feat for this weapon
    if not weapon.get("proficient", True):
        modifier -= 4  # Attacker's swing: -4 when not proficient in the weapon
    armor = sheet.get("armor", {})
    if not armor.get("proficient", True):
        modifier += armor.get("check_penalty", 0)  # Attacker's swing: armor check penalty in armor one is not proficient in (decision: given as <= 0)
    return int(modifier + sum(sheet.get("attack_bonuses", {}).values()) + weapon.get("enhancement", 0))


def strength_damage(strength: int, weapon: dict[str, Any], penalty: str) -> int:
    """What Strength adds to each weapon damage roll; `penalty` is rule switch `strength_penalty`."""
    if weapon.get("kind", "melee") == "ranged":
        return 0  # Damage: melee and thrown weapons only
    if strength < 0 and penalty == "full":
        return strength  # Decision: a penalty applies once in full, whatever the hand
    hand = weapon.get("hand", "main")
    if hand == "off":
        return strength // 2  # Damage: half in the off hand (decision: halves round down)
    if hand == "two" and not weapon.get("light", False):
        return strength * 3 // 2  # Damage: one and a half in two hands, light weapons excepted
    return strength


def defender_ac(target: dict[str, Any], penalty: str) -> int:
    """Armor class of a target, a number or a sheet; `penalty` is rule switch `flat_footed_penalty`."""
    if "ac" in target:
        return int(target["ac"])
    touch, flat_footed = target.get("touch", False), target.get("flat_footed", False)
    armors, shields = listed(target.get("armor", [])), listed(target.get("shield", []))
    ac = 10 + SIZE[plain(target.get("size", "medium"))]  # Defender's armor: base 10, size modifier
    ac += max(listed(target.get("deflection", [])), default=0)  # Defender's armor: deflection does not stack with itself
    if not touch:  # Touch attacks: no armor, shield, natural armor, nor their enhancements
        natural = target.get("natural", 0)
        ac += protection(armors) + protection(shields)
        ac += protection([natural]) if isinstance(natural, dict) else natural
    dexterity = target.get("dexterity_modifier", (target.get("dexterity", 10) - 10) // 2)
    dexterity = min([dexterity, *(worn["max_dexterity"] for worn in armors if "max_dexterity" in worn)])  # Defender's armor: capped by the armor worn
    if not flat_footed or target.get("uncanny_dodge", False):
        ac += dexterity  # Flat-footed: uncanny dodge retains the Dex modifier
    elif penalty == "kept":
        ac += min(dexterity, 0)
    if not flat_footed:
        ac += sum(listed(target.get("dodge", [])))  # Defender's armor: dodge stacks with itself; Flat-footed: it does not count
    return int(ac)


def listed(value: Any) -> list[Any]:
    """A list of one value or of several."""
    return value if isinstance(value, list) else [value]


def protection(pieces: list[dict[str, Any]]) -> int:
    """Best bonus with its enhancement: armor, shield and natural armor do not stack with themselves."""
    return max((piece.get("bonus", 0) + piece.get("enhancement", 0) for piece in pieces), default=0)


class Referee:
    """Plays rounds of one build of a parsed build file against its target, or against an AC given from outside."""

    def __init__(self, data: dict[str, Any], build: int = 0, ac: int | None = None) -> None:
        rules = data.get("rules", {})
        self._ties_hit: bool = rules.get("ties", "miss") == "hit"
        self._confirm_naturals: bool = rules.get("confirm_naturals", False)
        self._minimum_per_roll: bool = rules.get("minimum", "roll") == "roll"
        self._strength_penalty: str = rules.get("strength_penalty", "full")
        target = data.get("target", {})
        self._miss_chance: int = target.get("miss_chance", 0)
        self._reduction: dict[str, int | str] = target.get("reduction", {})
        self._immune: list[str] = target.get("immune", [])
        self.armor_class: int = defender_ac(target, rules.get("flat_footed_penalty", "dropped")) if ac is None else ac
        self._attacks = self._read_build(data["build"][build])
        self.attack_bonuses: list[int] = [attack.bonus for attack in self._attacks]

    def play(self, roll: Roll) -> Outcome:
        """Outcome of one round whose dice `roll` hands over."""
        total = 0
        degrees: list[int] = []
        for attack in self._attacks:
            degree = self._degree(attack, roll)
            degrees.append(degree)
            if degree >= HIT:
                total += self._damage(attack, degree == CRITICAL, roll)
        return Outcome(total, tuple(degrees))

    def _read_build(self, build: dict[str, Any]) -> list[Attack]:
        """All attacks of the first weapon, then all of the second, and so on."""
        weapons = build.get("weapons") or [build.get("weapon", build)]
        attacks: list[Attack] = []
        for weapon in weapons:
            holders = [weapon] if weapon is build else [weapon, build]  # a flat statblock is its own and only weapon
            damage = read_damage(weapon["damage"])
            if "attack" in weapon:
                bonuses = read_bonuses(weapon["attack"])
            else:
                bonuses = [base + attack_modifier(build, weapon) for base in self._base_attacks(build, weapon)]
                damage = damage._replace(flat=damage.flat + self._damage_modifier(build, weapon))
            threat_from, multiplier = read_critical(weapon.get("critical", build.get("critical", "20/x2")))
            rest = (
                threat_from,
                multiplier,
                tuple(factor for holder in holders for factor in holder.get("multipliers", [])),
                damage,
                tuple(read_damage(text) for holder in holders for text in holder.get("extra", [])),
                tuple(read_damage(text) for holder in holders for text in holder.get("critical_extra", [])),
            )
            attacks += [Attack(bonus, *rest) for bonus in bonuses]
        return attacks

    @staticmethod
    def _base_attacks(sheet: dict[str, Any], weapon: dict[str, Any]) -> list[int]:
        """Base attack bonuses: the weapon's own list wins, then the sheet's, then the ladder."""
        explicit = weapon.get("base_attacks", sheet.get("base_attacks"))
        return ladder(sheet["bab"]) if explicit is None else read_bonuses(explicit)

    def _damage_modifier(self, sheet: dict[str, Any], weapon: dict[str, Any]) -> int:
        """What a sheet adds to each weapon damage roll."""
        strength = strength_damage(ability_modifier(sheet, "strength"), weapon, self._strength_penalty)
        # Decision: named damage bonuses are part of the weapon roll
        return int(strength + sum(sheet.get("damage_bonuses", {}).values()) + weapon.get("enhancement", 0))

    def _exceeds(self, attack_roll: int) -> bool:
        # The impact: the attack roll must exceed AC, so a tie misses
        return attack_roll > self.armor_class or (attack_roll == self.armor_class and self._ties_hit)

    def _degree(self, attack: Attack, roll: Roll) -> int:
        die_a = roll(20)
        if die_a == 1:
            return NATURAL_MISS  # Automatic results: natural 1 fails whatever the modifiers
        if die_a != 20 and not self._exceeds(die_a + attack.bonus):  # Automatic results: natural 20 succeeds
            return MISS
        # Critical hit: a *successful* die inside the threat range earns a critical roll
        critical = die_a >= attack.threat_from and self._confirmed(attack, roll(20))
        if self._miss_chance > 0 and roll(100) <= self._miss_chance:
            return MISS
        return CRITICAL if critical and "critical" not in self._immune else HIT

    def _confirmed(self, attack: Attack, die: int) -> bool:
        # Critical hit: same modifiers, must exceed AC; automatic results are die A's alone, unless the switch says otherwise
        if self._confirm_naturals and die in (1, 20):
            return die == 20
        return self._exceeds(die + attack.bonus)

    def _damage(self, attack: Attack, critical: bool, roll: Roll) -> int:
        # Multiplying damage: multipliers of one hit are summed, each counts whole rolls of the weapon with its modifiers
        factors = attack.multipliers + ((attack.multiplier,) if critical else ())
        sums = {attack.weapon.kind: 0}
        if self._lands(attack.weapon):
            rolls = [attack.weapon.rolled(roll) for _ in range(sum(factors) if factors else 1)]
            # Minimum damage: a modified damage roll is at least 1 (switch: only the sum of the rolls is)
            sums[attack.weapon.kind] = sum(max(1, points) for points in rolls) if self._minimum_per_roll else max(1, sum(rolls))
        # Additional damage: extra rolls are not multiplied
        for extra in attack.extra + (attack.critical_extra if critical else ()):
            if self._lands(extra):
                # Decision: no damage entry is below 0
                sums[extra.kind] = sums.get(extra.kind, 0) + max(0, extra.rolled(roll))
        return self._reduced(sums)

    def _lands(self, damage: Damage) -> bool:
        # Decision: precision damage is not even rolled against the immune
        return not (damage.precision and "precision" in self._immune)

    def _reduced(self, sums: dict[str, int]) -> int:
        # Damage reduction: comes last and can leave 0; order: each type alone, all physical together, everything
        left = {kind: max(0, points) if kind == "physical" else self._less(points, kind) for kind, points in sums.items()}
        physical = self._less(sum(left.pop(kind, 0) for kind in PHYSICAL), "physical")
        return self._less(physical + sum(left.values()), "all")

    def _less(self, points: int, kind: str) -> int:
        reduction = self._reduction.get(kind, 0)
        return 0 if isinstance(reduction, str) else max(0, points - reduction)
