"""The exact peer of a fight: a round as an `icepool` die, and the number of rounds until its sum takes the last hit point."""

from __future__ import annotations

import icepool

from benchmarks.reference import BONUSES, EXTRA_DICE, REDUCTION, WEAPON_DICE, WEAPON_FLAT

AC, HIT_POINTS, ROUNDS = 28, 150, 12
THREAT_FROM = 19


def damage_of_a_round() -> icepool.Die:
    """The damage of a round, outcomes counted in 400ths (the attack die, then the critical die); ties hit, and 1 and 20 decide on either die."""
    d6 = icepool.d(6)
    weapon, extra = WEAPON_DICE @ d6 + WEAPON_FLAT, EXTRA_DICE @ d6
    hit, critical = weapon + extra - REDUCTION, 2 @ weapon + extra - REDUCTION
    attacks = []
    for bonus in BONUSES:
        hitting = {face for face in range(2, 21) if face + bonus >= AC} | {20}
        criticals = sum(face >= THREAT_FROM for face in hitting) * len(hitting)
        hits = 20 * len(hitting) - criticals
        attacks.append(icepool.Die([0, hit, critical], times=[400 - hits - criticals, hits, criticals]))
    first, second, third, fourth = attacks
    return first + second + third + fourth


def dead_by_round() -> icepool.Die:
    """The round in which the target dies; one more than the last for a target that lives on."""
    return damage_of_a_round().time_to_sum(HIT_POINTS, max_time=ROUNDS, dnf=ROUNDS + 1)


def chances(rounds: icepool.Die) -> list[float]:
    """Chance to be dead by each round."""
    return [float(rounds.probability("<=", number)) for number in range(1, ROUNDS + 1)]
