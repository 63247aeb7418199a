"""Arms, what they hold, and what their shields let them do with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from analyzer.rulekit.fields import Name
from analyzer.rulekit.models import Model
from analyzer.rulekit.problems import Problem, suggestion

Shield = Literal["buckler", "large", "tower"]


class Held(Model):
    """An item that arms hold."""

    hands: Literal[1, 2] = Field(default=1, description="arms that hold it")
    small: bool = Field(default=False, description="small equipment")
    blocks: bool = Field(default=False, description="it has the blocking property")


class Arm(Model):
    """An arm: the item it holds, and its shield."""

    holds: Name | None = Field(default=None, description="the name of a weapon")
    shield: Shield | None = Field(default=None, description="its shield; with a large one only small items attack or block, with a tower shield none")


def held(arms: Mapping[str, Arm], items: Mapping[str, Held]) -> Iterator[Problem]:
    """What the arms cannot hold: unknown items, large ones beside a tower shield, two-handed ones in one arm."""
    for name, arm in arms.items():
        if arm.holds is None:
            continue
        path = ("arms", name, "holds")
        if arm.holds not in items:
            yield Problem(path, f"holds must be the name of a weapon of this build; got {arm.holds!r}; {suggestion(arm.holds, items)}")
        elif arm.shield == "tower" and not items[arm.holds].small:
            yield Problem(path, f"holds must be small equipment in the arm {name!r} with the tower shield; got {arm.holds!r}, which is not small")
    for item in items:
        holders = [name for name, arm in arms.items() if arm.holds == item]
        if items[item].hands == 2 and len(holders) == 1:
            path = ("arms", holders[0], "holds")
            yield Problem(path, f"holds must name {item!r} in both arms (hands = 2: a two-handed item is held in two); got it in the arm {holders[0]!r} alone")


def forbidden(arms: Mapping[str, Arm], items: Mapping[str, Held], name: str) -> str | None:
    """Why an item can neither attack nor block, or None when it can: a two-handed one needs both its arms to allow it, another one of them."""
    reasons = [_forbids(arm, arms[arm].shield, items[name]) for arm in arms if arms[arm].holds == name]
    if not reasons:
        return "no arm holds it"
    allowed = all(r is None for r in reasons) if items[name].hands == 2 else any(r is None for r in reasons)
    return None if allowed else next(r for r in reasons if r)


def _forbids(arm: str, shield: Shield | None, item: Held) -> str | None:
    if shield == "tower":
        return f"the arm {arm!r} that holds it has a tower shield, and no equipment in such an arm can attack or block"
    if shield == "large" and not item.small:
        return f"the arm {arm!r} that holds it has a large shield, and only small equipment in such an arm can attack or block"
    return None
