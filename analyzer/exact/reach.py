"""Reach: the armor classes between which a round changes; below and above them it is the same at every one."""

from __future__ import annotations

from analyzer.exact.check import check_table
from analyzer.plan import Attack, Plan, Target, swept_defence


def reach(plan: Plan, target: Target) -> tuple[int, int] | None:
    """The lowest and highest value of the swept defence that must be looked at.

    At and below the first every total meets its defence by whatever margin counts, at and above the second none does, so that only natural rolls decide: a
    round is the same at all of them.

    Returns
    -------
    (low, high) or None
        Both inclusive; None when no attack aims at a defence that follows a sweep.
    """
    first = swept_defence(plan, target)
    if first is None:
        return None
    made = [attack for step in plan.steps for attack in step.variants if attack is not None and target.follows_sweep[attack.defence]]
    bounds = [_bounds(attack, target.ac[attack.defence] - target.ac[first]) for attack in made]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _bounds(attack: Attack, above: int) -> tuple[int, int]:
    """The bounds of one attack, whose defence is ``above`` the swept one: those of the table of its chances, which is constant beyond its ends."""
    table = check_table(attack.check)
    low = table.low + attack.bonus - (0 if attack.check.ties_hit else 1) - above
    return low, low + len(table.threat) - 1
