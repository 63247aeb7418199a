"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.results import AttackResult, Round
from analyzer.exact.rounds import evaluate

__all__ = ["AttackResult", "Round", "evaluate"]
