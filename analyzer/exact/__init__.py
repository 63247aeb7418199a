"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.rounds import AttackResult, Round, evaluate

__all__ = ["AttackResult", "Round", "evaluate"]
