"""Attack-sequence probability for tabletop and CRPG combat: every answer twice, exactly and by Monte Carlo at dice level."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.analyses.compare import compare
    from analyzer.analyses.curve import curve
    from analyzer.analyses.rules import rules
    from analyzer.analyses.sample import sample
    from analyzer.analyses.trace import trace
    from analyzer.answer import Answer
    from analyzer.examples import example
    from analyzer.scenario import Build, Scenario, ScenarioError, load, loads, schema, sheet, statblock, target

#: What the top level offers, each from the room it lives in; loaded when first used, so that `import analyzer` stays quick.
_ROOMS = {
    "Answer": "answer",
    "Build": "scenario",
    "Scenario": "scenario",
    "example": "examples",
    "ScenarioError": "scenario",
    "load": "scenario",
    "loads": "scenario",
    "schema": "scenario",
    "sheet": "scenario",
    "statblock": "scenario",
    "target": "scenario",
}

__all__ = [  # noqa: RUF022 - in the order a reader meets them
    "load",
    "loads",
    "example",
    "statblock",
    "sheet",
    "target",
    "Build",
    "Scenario",
    "ScenarioError",
    "Answer",
    "compare",
    "curve",
    "sample",
    "trace",
    "rules",
    "schema",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the room holds
    """A name of the public interface, from its room."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow to import, and hardly ever asked for

        return version("attack-analyzer")
    if name in _ROOMS:
        return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    analyses = import_module(f"{__name__}.analyses")
    if name not in analyses.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return analyses.ask(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module(f"{__name__}.analyses").names()})
