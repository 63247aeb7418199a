"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.fights import Prospects, march, prospects
from analyzer.exact.joint import RIDERS, Split, effects, joint_attacks, joint_totals, over_rounds
from analyzer.exact.means import LoweredMeans, lower_means, means
from analyzer.exact.reach import reach
from analyzer.exact.results import AttackResult, Round
from analyzer.exact.rounds import evaluate
from analyzer.exact.strikes import MAX_REACH, Strike, strike

__all__ = [
    "MAX_REACH",
    "RIDERS",
    "AttackResult",
    "LoweredMeans",
    "Prospects",
    "Round",
    "Split",
    "Strike",
    "effects",
    "evaluate",
    "joint_attacks",
    "joint_totals",
    "lower_means",
    "march",
    "means",
    "over_rounds",
    "prospects",
    "reach",
    "strike",
]
