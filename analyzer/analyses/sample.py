"""Sample: simulated rounds one by one, a row each with every die."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.playing import Builds, Opponent, chosen_seed, lowered, whole
from analyzer.records import Record

if TYPE_CHECKING:
    from analyzer.answer import Answer

#: Most rounds of one sample: every die of every one is kept.
MAX_SAMPLE = 1_000_000


def sample(build: Builds, ac: int | None = None, *, target: Opponent = None, trials: int = 1000, seed: int | None = None, first: int = 0) -> Answer:
    """Simulated rounds of one build, a row per round with every die that was rolled.

    Parameters
    ----------
    build : Build or Scenario of one build
        What attacks.
    ac : int, optional
        The defence the first attack aims at; the target's own when omitted.
    target : Target or mapping, optional
        What is attacked, instead of the scenario's.
    trials : int
        Rounds, at most a million.
    seed : int, optional
        Any non-negative integer; drawn from the operating system when omitted, and kept in the answer.
    first : int
        The first round's number; the rounds are those a comparison of this seed simulates.

    Returns
    -------
    Answer
        ``trial``, ``total`` (damage points), then per attack k ``degree_k`` (0 critical miss, 1 miss, 2 hit, 3 critical; -1 not made), ``damage_k`` and
        ``dice_k``: text such as ``attack d20=17, damage d6=3 d6=5``.

    Raises
    ------
    ValueError
        More than one build, or a parameter out of range.
    """
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without
    from analyzer.montecarlo import record  # noqa: PLC0415 - Numba likewise

    trials, first = whole("trials", trials), whole("first", first)
    if not 1 <= trials <= MAX_SAMPLE:
        raise ValueError(f"trials must be 1 to {MAX_SAMPLE}; got {trials}")
    found = lowered(build, target, ac)
    if len(found) != 1:
        raise ValueError(f"build must be a single build; got {len(found)}")
    drawn = chosen_seed(seed)
    (one,) = found
    recorded = record(one.plan, one.target, None, first=first, trials=trials, seed=drawn)
    steps = recorded.degree.shape[1]
    rows: list[Record] = []
    for row in range(trials):
        dice = [""] * steps
        purpose_before: dict[int, str] = {}
        for die in recorded.dice(row):
            word = die.purpose.name.lower().replace("_", " ")
            head = f", {word} " if dice[die.step] else f"{word} "
            dice[die.step] += f"{' ' if purpose_before.get(die.step) == word else head}d{die.sides}={die.face}"
            purpose_before[die.step] = word
        shown: Record = {"trial": first + row, "total": int(recorded.total[row])}
        for k in range(steps):
            shown |= {
                f"degree_{k + 1}": int(recorded.degree[row, k]),
                f"damage_{k + 1}": int(recorded.damage[row, k]),
                f"dice_{k + 1}": dice[k],
            }
        rows.append(shown)
    return answer(rows, seed=drawn, trials=trials)
