"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.reach import reach
from analyzer.exact.rounds import AttackResult, Round, evaluate

__all__ = ["AttackResult", "Round", "evaluate", "reach"]
