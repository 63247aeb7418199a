"""The JSON Schema of a build file, from the fields that validate it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from analyzer.dice import CriticalRange
from analyzer.rulekit.buildfile import MAX_BUILDS
from analyzer.rulekit.course import LEVEL, MAX_LEVEL, MAX_ROUNDS, ROUNDS
from analyzer.rulekit.system import AnySystem

_ROUNDS = {
    "type": "array",
    "items": {"type": "object"},
    "minItems": 1,
    "maxItems": MAX_ROUNDS,
    "description": "the rounds of a fight that differ, each a table of the keys it changes, {} being the build as it stands; the last repeats",
}
_LEVEL = {"type": "integer", "minimum": 0, "maximum": MAX_LEVEL, "description": "the level at which this build is played, for level curves"}


class _Defaults(GenerateJsonSchema):
    """Writes a default of the dice notation as a build file would."""

    def encode_default(self, dft: Any) -> Any:  # noqa: ANN401 - any default
        """The default as JSON."""
        return str(dft) if isinstance(dft, CriticalRange) else super().encode_default(dft)


def file_schema(systems: Iterable[AnySystem]) -> dict[str, Any]:
    """The JSON Schema of a build file of any of the games, told apart by ``system``."""
    games = list(systems)
    models: list[type[BaseModel]] = [model for game in games for model in (game.Rules, game.Target, game.Statblock, game.Sheet)]
    refs, definitions = models_json_schema([(model, "validation") for model in models], schema_generator=_Defaults)
    for game in games:
        for model in (game.Statblock, game.Sheet):
            properties = definitions["$defs"][refs[model, "validation"]["$ref"].rpartition("/")[2]]["properties"]
            properties[ROUNDS] = _ROUNDS
            properties.setdefault(LEVEL, _LEVEL)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Build file of analyzer",
        "type": "object",
        "required": ["system", "build"],
        "properties": {"system": {"enum": [game.id for game in games], "description": "the game"}},
        "oneOf": [
            {
                "title": game.name,
                "description": game.summary,
                "additionalProperties": False,
                "properties": {
                    "system": {"const": game.id},
                    "rules": refs[game.Rules, "validation"],
                    "target": refs[game.Target, "validation"],
                    "build": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MAX_BUILDS,
                        "items": {"anyOf": [refs[game.Statblock, "validation"], refs[game.Sheet, "validation"]]},
                    },
                },
            }
            for game in games
        ],
        **{key: value for key, value in definitions.items() if key == "$defs"},
    }
