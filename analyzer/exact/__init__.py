"""The exact engine: probabilities in closed form, distributions by convolution of non-negative numbers."""

from analyzer.exact.means import LoweredMeans, lower_means, means
from analyzer.exact.reach import reach
from analyzer.exact.results import AttackResult, Round
from analyzer.exact.rounds import evaluate

__all__ = ["AttackResult", "LoweredMeans", "Round", "evaluate", "lower_means", "means", "reach"]
