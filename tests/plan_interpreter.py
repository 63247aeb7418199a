"""The docstring of `analyzer.plan` read once more, one die at a time, with none of the engines' code."""

from analyzer.plan import Attack, Check, Critical, Die, Packet, Part, Plan, Roll, Target


def play(plan: Plan, target: Target, defences, roll):
    """Total damage and the final degree of every step (None: skipped) of one round; ``roll(sides)`` hands over the next die."""
    damages, degrees = play_steps(plan, target, defences, roll)
    return sum(damages), degrees


def play_steps(plan: Plan, target: Target, defences, roll):
    """Damage and final degree of every step (0 and None: skipped) of one round."""
    damages, degrees = [], []
    for turn in plan.turns:
        state = 0
        for step in turn.steps:
            attack = step.variants[state]
            if attack is None:
                damages.append(0)
                degrees.append(None)
                continue
            degree, damage = strike(attack, target, defences[attack.defence], roll)
            damages.append(damage)
            degrees.append(degree)
            if step.next:
                state = step.next[state][degree]
    return tuple(damages), tuple(degrees)


def strike(attack: Attack, target: Target, ac: int, roll):
    """Final degree and damage to all creatures of one attack."""
    check = attack.check
    degree = first_degree(check, attack.bonus, ac, roll)
    if degree == 3 and target.immune_critical:
        degree = 2
    dropped = target.immune_precision
    at_stake = degree == 3 or any(packet.precision for packet in packets_at(attack, degree))
    if at_stake and target.negate[0] > 0 and roll(target.negate[1]) <= target.negate[0]:
        dropped = True
        degree = 2 if degree == 3 else degree
    if degree >= 2 and target.miss[0] > 0 and missed(target, roll):
        degree = 1
    if check.take_hit and degree < 2:
        degree = 2

    caught = [0]
    if attack.area is not None:
        if degree >= 2:
            caught = [i for i, c in enumerate(attack.area.caught[0]) if c]
        elif attack.area.scatters:
            direction, distance = roll(8), roll(4)
            row = attack.area.caught[1 + 4 * (direction - 1) + (distance - 1)]
            caught = [i for i, c in enumerate(row) if c]
    damage = 0
    for packet in packets_at(attack, degree):
        sums = [(part.type, roll_part(part, dropped, roll)) for part in packet.parts]
        damage += sum(suffer(packet, sums, target.reductions[creature]) for creature in caught)
    return degree, damage


def packets_at(attack: Attack, degree: int) -> tuple[Packet, ...]:
    if attack.area is not None and attack.area.scatters and degree < 2:
        return attack.on[2]
    return attack.on[degree]


def missed(target: Target, roll) -> bool:
    return all(roll(target.miss[1]) <= target.miss[0] for _ in range(target.miss_rolls))


def roll_check(check: Check, bonus: int, roll):
    """Face and total."""
    dice = [roll(20) for _ in range(check.dice)]
    if check.reroll_ones and 1 in dice:
        dice[dice.index(1)] = roll(20)
    face = max(dice) if check.best else min(dice)
    total = face + bonus + sum(roll_die(die, roll) for die in check.extra)
    if face == 1:
        total += check.add_on_1
    if face == 20:
        total += check.add_on_20
    return face, total


def first_degree(check: Check, bonus: int, ac: int, roll) -> int:
    """Degree after confirmation."""
    face, total = roll_check(check, bonus, roll)
    enough = ac if check.ties_hit else ac + 1
    meets = total >= enough
    degree = 2 if meets else 1
    if check.critical == Critical.MARGIN:
        if total >= enough + check.margin:
            degree = 3
        elif total <= enough - check.margin:
            degree = 0
        if check.natural_shift and face == 20:
            degree = min(3, degree + 1)
        if check.natural_shift and face == 1:
            degree = max(0, degree - 1)
    if face <= check.auto_miss_to:
        return 0
    if face >= check.auto_hit_from:
        degree = max(degree, 2)
    if degree == 2 and face >= check.threat_from:
        if check.critical == Critical.NATURAL or (check.critical == Critical.MEETS and meets):
            return 3
        if check.critical == Critical.CONFIRM:
            second, total = roll_check(check, bonus + check.confirm_bonus, roll)
            confirmed = total >= enough
            if check.confirm_naturals and second <= check.auto_miss_to:
                confirmed = False
            if check.confirm_naturals and second >= check.auto_hit_from:
                confirmed = True
            return 3 if confirmed else 2
    return degree


def roll_die(die: Die, roll) -> int:
    total = 0
    for _ in range(die.count):
        candidates = []
        for _ in range(die.best_of):
            face = roll(die.sides)
            if face <= die.reroll_to:
                face = roll(die.sides)
            candidates.append(max(face, die.at_least))
        total += max(candidates)
    return die.sign * total


def roll_damage(roll_: Roll, roll) -> int:
    total = 0
    for _ in range(roll_.times):
        tries = []
        for _ in range(roll_.best_of):
            one = sum(roll_die(die, roll) for die in roll_.dice) + roll_.flat
            tries.append(one if roll_.minimum is None else max(one, roll_.minimum))
        total += max(tries)
    return roll_.scale * total


def roll_part(part: Part, dropped: bool, roll) -> int:
    total = sum(roll_damage(r, roll) for r in part.rolls if not (dropped and r.precision))
    return max(total, part.minimum)


def suffer(packet: Packet, sums, reductions) -> int:
    """What is left of a packet's part sums for one creature."""
    piles = [({kind}, amount) for kind, amount in sums]
    for reduction in reductions:
        covered = [pile for pile in piles if reduction.types is None or pile[0] & reduction.types]
        if not covered:
            continue
        x = sum(amount for _, amount in covered)
        if x > 0:
            n, d = reduction.keep
            whole, rest = divmod(x * n, d)
            if reduction.up and rest:
                whole += 1
            left = max(0, whole + reduction.add - reduction.subtract)
        else:
            left = 0
        piles = [pile for pile in piles if pile not in covered]
        piles.append((set().union(*(types for types, _ in covered)), left))
    n, d = packet.keep
    return max(0, sum(amount for _, amount in piles)) * n // d
