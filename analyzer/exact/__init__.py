"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.fights import Prospects, march, prospects
from analyzer.exact.rounds import AttackResult, Round, evaluate
from analyzer.exact.strikes import Strike, strike

__all__ = ["AttackResult", "Prospects", "Round", "Strike", "evaluate", "march", "prospects", "strike"]
