"""Armoury: turns made of what a build has at hand, and weapons as things that are compared and changed one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.dice import DiceSum
from analyzer.plan import PlanError, swept_defence
from analyzer.rulekit.hand import Hand
from analyzer.rulekit.models import TargetKeys
from analyzer.rulekit.problems import ProblemError, ScenarioError
from analyzer.scenario import Build, get_game

#: Rolls on which an unpenalised attack hits over the armor classes of interest: hit chances of 75 % to 25 %.
EASY, HARD = 6, 16


def hand_of(build: Build) -> Hand | None:
    """What the attacks of a build's turn may be made with in any order; None where its game fixes the order, or no attack makes a later one harder."""
    return get_game(build.system).hand(build.model)


def taking(build: Build, hand: Hand, names: Sequence[str], *, alone: bool = False) -> Build:
    """The build with a turn of attacks with these, in order; ``alone`` leaves out whatever else its round holds."""
    return build.but(name=build.name, **hand.taking(names, alone))


def contested(builds: Iterable[tuple[Build, TargetKeys | None]]) -> tuple[int, ...]:
    """The armor classes that the first attacks of builds hit on a roll of 6 to one of 16: for a bonus of +4, 10 to 20."""
    bonuses = [bonus for build, target in builds for bonus in _first_bonus(build, target)]
    return tuple(range(min(bonuses, default=0) + EASY, max(bonuses, default=0) + HARD + 1))


def _first_bonus(build: Build, target: TargetKeys | None) -> list[int]:
    made = build.derive(target)
    first = swept_defence(made.plan, made.target)
    return [attack.bonus for step in made.plan.steps for attack in step.variants if attack is not None and attack.defence == first][:1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Weapon:
    """A weapon of an armoury: what a build has at hand and attacks with alone, or, where its game fixes the turn, the build as it stands."""

    name: str
    build: Build
    hand: Hand | None
    #: its name in the hand
    use: str

    @property
    def ap(self) -> int | None:
        """The attack penalty (AP) an attack with it leaves for those after it, or None."""
        return None if self.hand is None else self.hand.ap.get(self.use)

    def but(self, *, attacks: int | None = None, ap: int | None = None, dice: DiceSum | None = None, attack: int = 0, damage: int = 0) -> Build:
        """The build that attacks with this weapon alone.

        Parameters
        ----------
        attacks : int, optional
            Attacks of its turn, where the game does not fix them; as many as it has if left out.
        ap : int, optional
            Another attack penalty.
        dice : DiceSum, optional
            Other dice of the weapon.
        attack, damage : int
            Points added to every attack bonus, and to every weapon damage roll.

        Raises
        ------
        ScenarioError
            When the build cannot be changed like that.
        """
        game, made = get_game(self.build.system), self.build
        try:
            if dice is not None:
                made = made.but(name=self.name, **game.diced(made.model, self.use if self.hand else None, dice))
            made = made.but(name=self.name, **{key: shift for key, shift in (("attack", attack), ("damage", damage)) if shift})
            hand = game.hand(made.model)
            if hand is not None and hand.with_ap is not None and ap is not None:
                made = made.but(name=self.name, **hand.with_ap(self.use, ap))
                hand = game.hand(made.model)
            return made if hand is None else taking(made, hand, (self.use,) * (max(1, self.turn) if attacks is None else attacks), alone=True)
        except (ProblemError, PlanError) as error:
            raise ScenarioError([f"build ({self.name}): {error}"]) from error

    @property
    def turn(self) -> int:
        """Attacks of the own turn."""
        return 0 if self.hand is None else len(self.hand.turn)


def weapons(builds: Iterable[Build]) -> tuple[Weapon, ...]:
    """The weapons of builds: whatever each has at hand, called by its own name where that is enough, and a build with one by the build's."""
    found: list[tuple[Build, Hand | None, str]] = []
    for build in builds:
        hand = hand_of(build)
        found += [(build, None, build.name)] if hand is None else [(build, hand, name) for name in hand.names]
    of = [build.name for build, _, _ in found]
    uses = [use for _, _, use in found]
    out = []
    for build, hand, use in found:
        name = build.name if of.count(build.name) == 1 else use if uses.count(use) == 1 and use not in of else f"{build.name}: {use}"
        out.append(Weapon(name=name, build=build, hand=hand, use=use))
    return tuple(out)
