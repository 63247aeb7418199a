"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.fights import Prospects, march, prospects
from analyzer.exact.joint import RIDERS, Split, effects, joint_attacks, joint_totals, over_rounds
from analyzer.exact.rounds import AttackResult, Round, evaluate
from analyzer.exact.strikes import Strike, strike

__all__ = [
    "RIDERS",
    "AttackResult",
    "Prospects",
    "Round",
    "Split",
    "Strike",
    "effects",
    "evaluate",
    "joint_attacks",
    "joint_totals",
    "march",
    "over_rounds",
    "prospects",
    "strike",
]
