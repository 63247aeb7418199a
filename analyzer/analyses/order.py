"""Order: in which order to attack with what is at hand, where every attack makes those after it harder."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from analyzer.asking.parameters import Choice as OneOf
from analyzer.asking.parameters import Whole
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Simulation, seats, standing
from analyzer.asking.twins import Twins
from analyzer.playing import Builds, Opponent, listed
from analyzer.records import Record, facing
from analyzer.scenario import Scenario
from analyzer.workings.armoury import contested, hand_of
from analyzer.workings.sequences import Choice, Sequences, sequences

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


_COLUMNS = (
    Column(key="build", heading="build"),
    Column(key="level", heading="level"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="best", heading="best order"),
    Column(key="best_dpr", heading="its DPR"),
    Column(key="also", heading="just as good"),
    Column(key="own_dpr", heading="as listed"),
    Column(key="matters", heading="best - worst"),
    Column(key="order_alone", heading="by order alone"),
    Column(key="worst_dpr", heading="worst DPR"),
)


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.orders import orders_figure  # noqa: PLC0415 - matplotlib costs start-up time

    return orders_figure(frame)


@question(columns=_COLUMNS, draw=_draw, example="core-goobelthorp", grouped=("build", "level"))
def order(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    attacks: Annotated[int | None, Whole(low=1, high=64)] = None,
    choose: Annotated[str, OneOf(("any", "own"))] = "any",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Best order of the weapons at hand for a turn of several attacks under an attack penalty.

    Every order is considered: an attack's mean depends on what it is made with and on which attacks came before it, not on their order, so the best way to a
    multiset of attacks is all that a best turn needs of it (`analyzer.exact.orders`). Against a table of creatures the order is the best against their mix.

    Parameters
    ----------
    {builds}
    ac : int, str or iterable of int, optional
        Armor classes: ``28``, ``"10:20"`` (inclusive) or numbers; if left out those a first attack hits on a roll of 6 to one of 16.
    {target}
    {against}
    attacks : int, optional
        Attacks of the turn; as many as the build lists if left out. With more or fewer than it lists there is no order of its own to compare.
    choose : {"any", "own"}
        "any": every attack with anything at hand, as often as wanted; "own": the listed attacks in another order.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        A row per build and AC or creature: ``best`` order and ``best_dpr`` (damage points per round), ``equal`` (how many orders are as good, it included)
        with some of the others in ``also``, ``own_dpr`` of the listed order, ``worst`` and ``worst_dpr``, ``matters`` (best less worst) and ``order_alone``
        (best less the worst order of the same attacks). Simulated, ``matters`` is a mean difference on common dice with its paired standard error.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played; builds whose game fixes the order or gives it no weight; too many attacks.
    """
    pairs = listed(builds, target)
    free = [pair for pair in pairs if hand_of(pair[0]) is not None]
    fixed = ", ".join(f"{build.name!r} of {build.system}" for build, _ in pairs if hand_of(build) is None)
    if not free:
        raise ValueError(
            f"builds must have attacks whose order is free and matters, each making those after it harder, as in core and pathfinder2; got {fixed}"
        )
    if choose == "own" and attacks is not None:
        raise ValueError(f"attacks must be left out with choose 'own', which takes the listed ones; got {attacks}")
    asked = replace(builds, builds=tuple(build for build, _ in free)) if isinstance(builds, Scenario) else [build for build, _ in free]
    twins, how = Twins(), Simulation.asked(simulate, trials=trials, seed=seed, workers=workers)
    records: list[Record] = []
    notes = [f"not asked of {fixed}: the order is fixed or changes nothing"] if fixed else []
    for seat in seats(asked, contested(free) if ac is None and against is None else ac, target=target, against=against):
        turn = sequences(seat, attacks, own=choose == "own")
        rows = [_record(turn, choice) for choice in turn.choices()]
        if how is not None:
            rows = [_beside(turn, choice, row, twins, how) for choice, row in zip(turn.choices(), rows, strict=True)]
        records += rows
        notes.append(_note(turn, rows))
    return Found.of(records, [*notes, *standing(build for build, _ in free)], twins, how)


def _record(turn: Sequences, choice: Choice) -> Record:
    best, worst = turn.best.value(choice.mix), turn.worst.value(choice.mix)
    equal = turn.best.count(choice.mix)
    more = equal - 1 - len(choice.also)
    return turn.seat.head(choice.mix) | {
        "attacks": len(choice.best),
        "best": turn.spelled(choice.best),
        "best_dpr": best,
        "equal": equal,
        "also": "; ".join([*map(turn.spelled, choice.also), *([f"{more} more"] if more > 0 else [])]) or None,
        "own": None if turn.own is None else turn.spelled(turn.own),
        "own_dpr": None if turn.own is None else turn.worth(turn.own, choice.mix),
        "worst": turn.spelled(choice.worst),
        "worst_dpr": worst,
        "matters": best - worst,
        "order_alone": best - turn.reordered(choice.best, choice.mix),
    }


def _beside(turn: Sequences, choice: Choice, record: Record, twins: Twins, how: Simulation) -> Record:
    """The record with what simulated rounds of these orders say."""
    where = turn.seat.where(choice.mix)
    out: Record = {}
    for key, value in record.items():
        out[key] = value
        order = {"best_dpr": choice.best, "own_dpr": turn.own, "worst_dpr": choice.worst}.get(key)
        if order is not None and isinstance(value, float):
            found, error, often = turn.simulated(order, choice.mix, how)
            out |= twins.estimate(where, key, exact=value, found=found, error=error, trials=how.trials, occurrences=often)
        elif key == "matters" and isinstance(value, float):
            apart = turn.apart(choice.best, choice.worst, choice.mix, how)
            out |= twins.estimate(where, key, exact=value, found=apart.found, error=apart.error, trials=how.trials)
    return out


def _note(turn: Sequences, rows: list[Record]) -> str:
    """Which order is best where, and how much it matters, in a sentence."""
    name = turn.seat.build.name
    if len(turn.hand.names) == 1:
        return f"{name}: {turn.hand.names[0]} is all there is at hand, so there is one order"
    if "against" in rows[0]:
        where = f"{rows[0]['best']} against them all"
    else:
        spans = [(best, [row["ac"] for row in run]) for best, run in groupby(rows, key=lambda row: row["best"])]
        where = "; ".join(f"{best} at AC {acs[0]}{f' to {acs[-1]}' if len(acs) > 1 else ''}" for best, acs in spans)
    most = max(rows, key=lambda row: float(row["order_alone"] or 0.0))
    if float(most["order_alone"] or 0.0) < 1e-9:
        return f"{name}: best is {where}; the order of the same attacks changes nothing"
    return f"{name}: best is {where}; the order of the same attacks matters most at {facing(most)}, {most['order_alone']:.2f} damage points per round"
