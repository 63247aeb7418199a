"""The Monte Carlo engine: every die of every round rolled, never a chance from the exact engine."""

from analyzer.montecarlo.deaths import Deaths, deaths
from analyzer.montecarlo.fights import FoughtRound, fights
from analyzer.montecarlo.pairs import PairTally, paired, paired_kills, paired_sides
from analyzer.montecarlo.simulate import Simulated, compiled, simulate, simulate_sides
from analyzer.montecarlo.tally import Tally
from analyzer.montecarlo.throws import Throws, throws
from analyzer.montecarlo.totals import Histograms, histograms
from analyzer.montecarlo.trace import Purpose, Recorded, TracedDie, record

__all__ = [
    "Deaths",
    "FoughtRound",
    "Histograms",
    "PairTally",
    "Purpose",
    "Recorded",
    "Simulated",
    "Tally",
    "Throws",
    "TracedDie",
    "compiled",
    "deaths",
    "fights",
    "histograms",
    "paired",
    "paired_kills",
    "paired_sides",
    "record",
    "simulate",
    "simulate_sides",
    "throws",
]
