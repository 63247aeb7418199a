"""One round exactly: its moments and chances, and the distribution of its total."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analyzer.exact.attack import CRITICALS, DAMAGE, HITS
from analyzer.exact.layout import Layout, layout, look_up, whole_numbers
from analyzer.exact.results import Round
from analyzer.exact.totals import by_multisets, by_states, highest
from analyzer.exact.turns import play
from analyzer.plan import MAX_TOTAL, Plan, Target, sweep
from analyzer.pmf import Floats


def evaluate(plan: Plan, target: Target, acs: Sequence[int], *, pmf: bool = True) -> Round:
    """The exact result of a round against a sweep of ACs, all in one pass.

    Parameters
    ----------
    plan, target
        What is attacked with what.
    acs : (n_ac,) integers
        Values of the swept defence (see `analyzer.plan.sweep`).
    pmf
        Whether to work out the distribution of the total; means, deviations and chances come always.

    Returns
    -------
    Round

    Raises
    ------
    PlanError
        When the target lacks a defence or a creature of the plan, or one attack's damage is too large to compute.
    TypeError
        When ``acs`` are no integers.
    """
    values = whole_numbers(acs)
    made = layout(plan, target)
    rows = look_up(made, sweep(plan, target, acs))
    names = sorted({attack.effect for attack in made.attacks if attack.effect is not None})
    whole, attacks = play(plan, made, rows, names)
    mean, sd = whole.mean, np.sqrt(whole.spread / whole.mass)
    any_hit, any_crit, *effects = np.minimum(whole.some[1:], 1)
    distribution, refused = _distribution(made, rows) if pmf else (None, None)
    return Round(
        acs=values,
        dpr=mean[DAMAGE],
        sd=sd[DAMAGE],
        hits=mean[HITS],
        hits_sd=sd[HITS],
        crits=mean[CRITICALS],
        crits_sd=sd[CRITICALS],
        any_hit=any_hit,
        any_crit=any_crit,
        # Where nothing ever deals damage this is sure, whatever the rounding of the sum.
        no_damage=np.where(mean[DAMAGE] == 0, 1.0, np.minimum(whole.none[DAMAGE], 1)),
        effects=dict(zip(names, effects, strict=True)),
        pmf=distribution,
        pmf_refused=refused,
        attacks=attacks,
    )


def _distribution(made: Layout, rows: Floats) -> tuple[Floats | None, str | None]:
    """The PMF of the total, or why it is refused."""
    n_totals = 1 + highest(made)
    if n_totals > MAX_TOTAL:
        return None, f"the exact distribution of a round must have at most {MAX_TOTAL} totals; got {n_totals}"
    found = by_multisets(made, rows, n_totals)
    return by_states(made, rows, n_totals) if found is None else found, None
