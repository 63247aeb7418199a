"""Ability scores, their modifiers, and the keys in which a sheet gives them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from analyzer.rulekit.fields import Between
from analyzer.rulekit.ledger import Term
from analyzer.rulekit.models import Model, raise_any
from analyzer.rulekit.problems import Problem

Score = Annotated[int, Between(0, 200)]
Modifier = Annotated[int, Between(-100, 100)]


class Ability(StrEnum):
    """The six abilities."""

    STRENGTH = "strength"
    DEXTERITY = "dexterity"
    CONSTITUTION = "constitution"
    INTELLIGENCE = "intelligence"
    WISDOM = "wisdom"
    CHARISMA = "charisma"


class Scores(Model):
    """Ability scores; the modifier is half of what a score is above 10, rounded down."""

    strength: Score | None = Field(default=None, description="Strength score")
    dexterity: Score | None = Field(default=None, description="Dexterity score")
    constitution: Score | None = Field(default=None, description="Constitution score")
    intelligence: Score | None = Field(default=None, description="Intelligence score")
    wisdom: Score | None = Field(default=None, description="Wisdom score")
    charisma: Score | None = Field(default=None, description="Charisma score")


class Modifiers(Model):
    """Ability modifiers, where they are known without the scores."""

    strength: Modifier | None = Field(default=None, description="Strength modifier")
    dexterity: Modifier | None = Field(default=None, description="Dexterity modifier")
    constitution: Modifier | None = Field(default=None, description="Constitution modifier")
    intelligence: Modifier | None = Field(default=None, description="Intelligence modifier")
    wisdom: Modifier | None = Field(default=None, description="Wisdom modifier")
    charisma: Modifier | None = Field(default=None, description="Charisma modifier")


class AbilityKeys(Model):
    """The keys ``abilities`` (scores) and ``modifiers``, one of the two per ability; an ability in neither has modifier 0."""

    abilities: Scores = Field(default_factory=Scores, description="ability scores, such as { strength = 18 }")
    modifiers: Modifiers = Field(default_factory=Modifiers, description="ability modifiers instead of scores, such as { strength = 4 }")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        both = [a for a in Ability if getattr(self.abilities, a) is not None and getattr(self.modifiers, a) is not None]
        raise_any(Problem(("modifiers", a.value), f"{a} must be given once, as a score or as a modifier; got both") for a in both)
        return self

    def ability(self, ability: Ability, rule: str) -> Term:
        """The modifier of an ability as a term of a sum."""
        name = f"{ability.title()} modifier"
        score, given = getattr(self.abilities, ability), getattr(self.modifiers, ability)
        if score is not None:
            return Term(f"{name} (score {score})", modifier(score), rule)
        return Term(name, given or 0, rule)


def modifier(score: int) -> int:
    """The modifier of an ability score."""
    return (score - 10) // 2
