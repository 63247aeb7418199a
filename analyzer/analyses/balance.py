"""Balance: which attack penalty, or dice, damage or attack bonus, makes one weapon match another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Annotated, cast

import numpy as np

from analyzer.asking.parameters import Choice, Numbers, Real, Text
from analyzer.asking.question import AcOrOwn, AgainstTable, Column, Found, Seed, Trials, Workers, question
from analyzer.asking.seats import Simulation, seats
from analyzer.playing import Builds, Opponent, listed
from analyzer.records import Record
from analyzer.scenario import Scenario
from analyzer.sweeps import spans
from analyzer.workings.armoury import Weapon, contested, weapons
from analyzer.workings.bench import Bench, alike, quotient
from analyzer.workings.parity import Range, Setting, Vary, line
from analyzer.workings.parity import settings as tried
from analyzer.workings.parity import weights as foe_weights

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: What varies: its key in records and its heading.
_KEYS: dict[Vary, tuple[str, str]] = {
    "ap": ("ap", "AP"),
    "dice": ("dice", "dice"),
    "damage": ("damage_shift", "damage added"),
    "attack": ("attack_shift", "attack bonus added"),
}
_COLUMNS = (
    Column(key="weapon", heading="weapon"),
    Column(key="turns", heading="attacks"),
    Column(key="dice", heading="dice"),
    Column(key="ap", heading="AP"),
    Column(key="damage_shift", heading="damage added", signed=True),
    Column(key="attack_shift", heading="attack bonus added", signed=True),
    Column(key="ratio_now", heading="ratio now"),
    *(Column(key=f"best_{key}", heading=f"best {heading}", signed=key.endswith("shift")) for key, heading in _KEYS.values()),
    Column(key="best", heading="best"),
    Column(key="attacks", heading="attacks"),
    Column(key="attack", heading="attack"),
    Column(key="against", heading="target"),
    Column(key="ac", heading="AC"),
    Column(key="dpr", heading="DPR"),
    Column(key="reference_dpr", heading="reference DPR"),
    Column(key="ratio", heading="ratio"),
    Column(key="lowest", heading="lowest"),
    Column(key="lowest_at", heading="at"),
    Column(key="highest", heading="highest"),
    Column(key="highest_at", heading="at"),
)
_TURNS = (1, 2, 3, 4)
#: Most settings of all weapons together.
_MAX_SETTINGS = 5000


def _draw(frame: pd.DataFrame) -> Figure:
    from analyzer.pictures.ratios import attack_curves, ratio_maps, ratio_ranges  # noqa: PLC0415 - matplotlib costs start-up time

    reference = str(frame["reference"].iloc[0])
    if "value" in frame:
        return ratio_maps(frame, rows=str(frame["rows"].iloc[0]), unit="damage", reference=reference)
    if "attack" in frame:
        return attack_curves(frame.assign(panel=_names(frame)))
    return ratio_ranges(frame, _names(frame), unit="damage", reference=reference)


def _names(frame: pd.DataFrame) -> list[str]:
    """Each row's weapon with what was changed of it: ``dagger, 1d6, AP -2``."""
    shown = {"dice": "{}", "ap": "AP {}", "damage_shift": "damage {:+d}", "attack_shift": "attack bonus {:+d}"}
    parts = [[str(weapon)] for weapon in frame["weapon"]]
    for key, text in shown.items():
        if key in frame:
            for part, value in zip(parts, frame[key], strict=True):
                part.extend([] if value is None or value != value else [text.format(value if key == "dice" else int(value))])  # noqa: PLR0124 - NaN is no value
    return [", ".join(part) for part in parts]


@question(columns=_COLUMNS, draw=_draw, example="core-armoury", grouped=("weapon",), caption="ratio: damage of the weapon / damage of the reference")
def balance(
    builds: Builds,
    ac: AcOrOwn = None,
    *,
    target: Opponent = None,
    against: AgainstTable = None,
    reference: Annotated[str | None, Text(metavar="NAME")] = None,
    vary: Annotated[str | None, Choice(("ap", "dice", "damage", "attack"))] = None,
    values: Annotated[int | str | Iterable[int] | None, Numbers(low=-1000, high=1000)] = None,
    dice: Annotated[str | Iterable[str] | None, Text(metavar="DICE,DICE")] = None,
    attacks: Annotated[int | str | Iterable[int] | None, Numbers(low=1, high=64, what="number of attacks")] = None,
    weights: Annotated[str | Iterable[float] | None, Text(metavar="W,W,...")] = None,
    criterion: Annotated[str, Choice(("worst", "mean"))] = "worst",
    within: Annotated[float | None, Real(low=0.0, high=10.0, percent=True)] = None,
    by: Annotated[str, Choice(("summary", "turn", "cell", "attack"))] = "summary",
    simulate: bool = False,
    trials: Trials = 1_000_000,
    seed: Seed = None,
    workers: Workers = 1,
) -> Found:
    """Attack penalty, dice, damage or attack bonus at which weapons match a reference over armor classes and turn lengths.

    Every weapon that a build has at hand is one of the armoury; it makes all attacks of its turn, with nothing else in the round. All values are tried.

    Parameters
    ----------
    {builds}
    ac : int, str or iterable of int, optional
        Armor classes: ``28``, ``"10:20"`` (inclusive) or numbers; if left out those a first attack hits on a roll of 6 to one of 16 (AV 0 to 10 for +4).
    {target}
    {against}
    reference : str, optional
        The weapon the others are to match, which stays as it is; the first if left out.
    vary : {"ap", "dice", "damage", "attack"}, optional
        What is changed: the attack penalty, the weapon's dice, points added to damage or to the attack bonus (proficiency).
        If left out "ap" where every weapon has one, else "attack".
    values : int, str or iterable of int, optional
        Values tried: penalties such as ``-8:0``, or points added; -10 to 0, and -10 to 10, if left out.
    dice : str or iterable of str, optional
        Dice tried, such as ``1d6,1d8,2d4``; the weapon's flat points stay, and a critical deals the multiple of them that it did.
    attacks : int, str or iterable of int, optional
        Lengths of the turn, such as ``1:4`` (the default), each counting as much; left out where the game fixes the turn.
    weights : str or iterable of float, optional
        What each armor class counts, in order, such as ``1,2,3,2,1``; all the same if left out. A table of creatures has weights of its own.
    criterion : {"worst", "mean"}
        "worst": the value with the smallest largest distance over turn lengths and foes that count, ties going to the smaller mean distance; "mean": the
        other way round. A distance is the size of the logarithm of the ratio, so that 1/2 is as far from 1 as 2.
    within : float, optional
        Search instead for an AP for each weapon (and with ``dice`` for different dice of those, one each) so that the weighted mean damages of all, the
        reference included, are within this share of one another: ``5%``. The narrowest choice is shown in any case.
    by : {"summary", "turn", "cell", "attack"}
        A row per weapon; per weapon and turn length; per weapon, value, turn length and foe; or per weapon, attack of the longest turn and foe.
    {simulate}
    {trials}
    {seed}
    {workers}

    Returns
    -------
    Answer
        Per weapon its value now with ``ratio_now``, the best value, ``dpr`` and ``reference_dpr`` with it (damage points per round, mean over turn lengths and
        foes), their ``ratio``, and the ``lowest`` and ``highest`` ratio of one turn length and foe with where that is. By attack ``dpr`` is the mean of that
        attack: what the n-th attack adds. Simulated ratios are of independent rounds, their standard error by the delta method.

    Raises
    ------
    ScenarioError, ValueError
        What cannot be played or varied, fewer than two weapons, or an unknown reference.
    """
    pairs = listed(builds, target)
    armoury = weapons(build for build, _ in pairs)
    chosen = _reference(armoury, reference)
    others = tuple(weapon for weapon in armoury if weapon is not chosen)
    varied = _vary(armoury, vary, within)
    turns = _turns(armoury, cast("tuple[int, ...] | None", attacks))
    asked = builds if isinstance(builds, Scenario) else [build for build, _ in pairs]
    places = {seat.build.name: seat for seat in seats(asked, contested(pairs) if ac is None and against is None else ac, target=target, against=against)}
    alike(places)
    over = Range(turns=turns, weights=foe_weights(places[chosen.build.name], weights))
    settings = {weapon.name: tried(weapon, varied, cast("tuple[int, ...] | None", values), dice, searched=within is not None) for weapon in others}
    if sum(map(len, settings.values())) > _MAX_SETTINGS:
        raise ValueError(f"values must come to at most {_MAX_SETTINGS} with all weapons and dice; got {sum(map(len, settings.values()))}")
    bench = Bench(
        reference=line(chosen, places[chosen.build.name], (Setting(),), over),
        lines=tuple(line(weapon, places[weapon.build.name], (*settings[weapon.name], Setting()), over) for weapon in others),
        over=over,
        vary=varied,
        criterion=criterion,
        how=Simulation.asked(simulate, trials=trials, seed=seed, workers=workers),
        apart=by in ("summary", "turn") or within is not None,
    )
    if within is not None:
        records, notes = _searched(bench, within, dice=dice is not None)
        drawn = None
    else:
        rows = {"summary": _summaries, "turn": _by_turn, "cell": _cells, "attack": _attacks}[by]
        records, notes, drawn = list(rows(bench)), list(_notes(bench)), list(_drawn(bench)) if by != "attack" else None
    return Found.of(records, notes, bench.twins, bench.how, drawn=None if drawn is None else partial(list, drawn))


def _reference(armoury: Sequence[Weapon], name: str | None) -> Weapon:
    known = [weapon.name for weapon in armoury]
    if len(known) < 2:
        raise ValueError(f"builds must be two weapons at least, one of them the reference; got {', '.join(map(repr, known)) or 'none'}")
    if name is not None and name not in known:
        raise ValueError(f"reference must be one of {', '.join(map(repr, known))}; got {name!r}")
    return armoury[0 if name is None else known.index(name)]


def _vary(armoury: Sequence[Weapon], vary: str | None, within: float | None) -> Vary:
    lacking = [weapon for weapon in armoury if weapon.ap is None]
    chosen = vary or ("attack" if lacking and within is None else "ap")
    if chosen == "ap" and lacking:
        without = f"{lacking[0].name!r} of {lacking[0].build.system}, which has no attack penalty (AP) of its own"
        raise ValueError(f"vary must be 'dice', 'damage' or 'attack' for {without}; got 'ap'")
    if within is not None and chosen != "ap":
        raise ValueError(f"vary must be 'ap' with within, which searches dice and AP together; got {chosen!r}")
    return cast("Vary", chosen)


def _turns(armoury: Sequence[Weapon], attacks: tuple[int, ...] | None) -> tuple[int, ...]:
    fixed = [weapon for weapon in armoury if weapon.hand is None]
    if fixed and (attacks is not None or len(fixed) < len(armoury)):
        got = "nothing" if attacks is None else ", ".join(map(str, attacks))
        raise ValueError(f"attacks must be those of the build where its game or file fixes the turn, for every weapon; got {got} and {fixed[0].name!r}")
    return () if fixed else attacks or _TURNS


def _heading(bench: Bench, i: int) -> Record:
    return {"system": bench.seat.build.system, "reference": bench.reference.weapon.name, "weapon": bench.lines[i].weapon.name}


def _summaries(bench: Bench) -> Iterator[Record]:
    """A row per weapon, all turn lengths together."""
    for i in range(len(bench.lines)):
        yield _summary(bench, i, slice(None))


def _by_turn(bench: Bench) -> Iterator[Record]:
    """A row per weapon and turn length."""
    for i in range(len(bench.lines)):
        for turn in range(bench.lines[i].turns.shape[1]):
            yield _summary(bench, i, slice(turn, turn + 1))


def _spelled(lengths: tuple[int, ...]) -> str:
    """Turn lengths in words: ``1 to 4``."""
    if len(lengths) > 2 and lengths == tuple(range(lengths[0], lengths[-1] + 1)):
        return f"{lengths[0]} to {lengths[-1]}"
    return ", ".join(map(str, lengths)) or "as listed"


def _summary(bench: Bench, i: int, turns: slice) -> Record:
    one, key = bench.lines[i], _KEYS[bench.vary][0]
    best = bench.best(i, turns)
    lengths = bench.over.turns[turns]
    over = replace(bench.over, turns=lengths)
    now = quotient(float(over.mean(one.turns[-1, turns])), float(over.mean(bench.reference.turns[0, turns])))
    record = _heading(bench, i) | {"turns": _spelled(lengths)}
    if bench.vary == "ap":
        record["ap"] = one.weapon.ap
    elif bench.vary == "dice":
        held = one.dice(-1)
        record["dice"] = str(held) if held else None
    return record | {"ratio_now": now, f"best_{key}": one.settings[best].value(bench.vary)} | bench.compared(i, best, turns)


def _cells(bench: Bench) -> Iterator[Record]:
    """A row per weapon, value, turn length and mix."""
    key = _KEYS[bench.vary][0]
    standard = bench.mixed(bench.reference.turns)[:, 0]
    for i, one in enumerate(bench.lines):
        table, best = bench.mixed(one.turns), bench.best(i)
        for setting, turn, mix in product(range(len(one.settings) - 1), range(table.shape[2]), range(len(table))):
            record = _heading(bench, i) | {key: one.settings[setting].value(bench.vary), "best": setting == best}
            record |= {"attacks": bench.over.turns[turn] if bench.over.turns else one.attacks.shape[1]} | bench.seat.faces(mix)
            dpr, reference = float(table[mix, setting, turn]), float(standard[mix, turn])
            figures: Record = {"dpr": dpr, "reference_dpr": reference, "ratio": quotient(dpr, reference)}
            mine, its = bench.sample(i, setting), bench.sample(-1, 0)
            if mine is not None and its is not None:
                where = f"{bench.called(i, setting)}, {record['attacks']} attacks, {record.get('against', record['ac'])}"
                figures = bench.beside(where, figures, mine.mix(bench.seat, turn, mix), its.mix(bench.seat, turn, mix))
            yield record | figures


def _attacks(bench: Bench) -> Iterator[Record]:
    """A row per weapon, attack of the longest turn and mix: of the reference, and of each weapon as it is and at its best."""
    lines = [
        (-1, bench.reference, 0),
        *((i, one, setting) for i, one in enumerate(bench.lines) for setting in dict.fromkeys((len(one.settings) - 1, bench.best(i)))),
    ]
    for i, one, setting in lines:
        means = bench.seat.mixed(np.moveaxis(one.attacks[setting], -1, 0))
        value: Record = {"ap": one.weapon.ap if one.settings[setting].ap is None else one.settings[setting].ap} if one.weapon.ap is not None else {}
        if bench.vary == "dice":
            held = one.dice(setting)
            value["dice"] = str(held) if held else None
        elif bench.vary != "ap":
            value[_KEYS[bench.vary][0]] = one.settings[setting].value(bench.vary)
        found = bench.attack_sample(i, setting)
        for attack, mix in product(range(means.shape[1]), range(len(means))):
            head: Record = {"system": bench.seat.build.system, "reference": bench.reference.weapon.name, "weapon": one.weapon.name}
            record = head | value | {"attack": attack + 1} | bench.seat.faces(mix)
            exact = float(means[mix, attack])
            if found is None or bench.how is None:
                yield record | {"dpr": exact}
                continue
            mean, error, often = found.mix(bench.seat, attack, mix)
            where = f"{one.weapon.name}, attack {attack + 1}, {record.get('against', record['ac'])}"
            yield record | bench.twins.estimate(where, "dpr", exact=exact, found=mean, error=error, trials=bench.how.trials, occurrences=often)


def _searched(bench: Bench, within: float, *, dice: bool) -> tuple[list[Record], list[str]]:
    """A row per weapon with the dice and AP chosen for it."""
    found = bench.search(dice=dice)
    if found is None:
        enough = "as many dice as there are weapons beside the reference, unlike its own, that deal damage"
        raise ValueError(f"dice must be {enough}; got {len({one.dice(s) for one in bench.lines for s in range(len(one.settings) - 1)})} for {len(bench.lines)}")
    records = []
    for i, setting in enumerate(found):
        chosen, held = bench.lines[i].settings[setting], bench.lines[i].dice(setting)
        shown: Record = {"dice": str(chosen.dice or held) if chosen.dice or held else None, "ap": chosen.ap}
        records.append(_heading(bench, i) | shown | bench.compared(i, setting))
    damages = [cast("float", record[key]) for record in records for key in ("dpr", "reference_dpr")]
    spread = max(damages) / min(damages) - 1.0
    every = "every pair of weapons is" if spread <= within else "no choice brings every pair within that; the closest is"
    return records, [f"{every} within {100 * spread:.2f} % over the whole range (asked: {100 * within:g} %)"]


def _notes(bench: Bench) -> Iterator[str]:
    """What comes closest, in a sentence per weapon."""
    name = bench.reference.weapon.name
    for i, one in enumerate(bench.lines):
        best = bench.best(i)
        found = bench.figures(i, best)
        value, heading = one.settings[best].value(bench.vary), _KEYS[bench.vary][1]
        shown = f"{value:+d}" if isinstance(value, int) and bench.vary != "ap" else str(value)
        if found["ratio"] is None:
            yield f"{one.weapon.name}: {name} deals nothing, so there is no ratio"
            continue
        edge = " (the last value tried: others may be closer)" if bench.vary != "dice" and best in (0, len(one.settings) - 2) and value != 0 else ""
        yield (
            f"{one.weapon.name}: {heading} {shown} comes closest to {name}{edge}: {found['ratio']:.3f} of its damage in all, "
            f"from {found['lowest']:.3f} ({found['lowest_at']}) to {found['highest']:.3f} ({found['highest_at']})"
        )
    faced = "the creatures as weighed" if not bench.seat.field.swept else f"AC {spans(foe.ac for foe in bench.seat.field.foes if foe.ac is not None)}"
    turns = bench.over.turns
    yield f"figures are means over {faced}{f', turns of {spans(turns)} attacks' if max(turns, default=1) > 1 else ''}"
    if bench.vary == "ap" and 1 in turns:
        yield "AP changes nothing in a turn of one attack"


def _drawn(bench: Bench) -> Iterator[Record]:
    """The ratio of every value and mix: a panel per weapon over all turn lengths, or for a single weapon a panel per turn length."""
    single = len(bench.lines) == 1 and len(bench.over.turns) > 1
    reference = bench.mixed(bench.reference.turns)[:, 0]
    for i, one in enumerate(bench.lines):
        table = bench.mixed(one.turns)
        for turns in [slice(t, t + 1) for t in range(len(bench.over.turns))] if single else [slice(None)]:
            best = bench.best(i, turns)
            panel = f"{one.weapon.name}{f', turn of {bench.over.turns[turns.start]}' if single else ''}: {bench.told(i, best, turns)}"
            for setting, mix in product(range(len(one.settings) - 1), range(len(table))):
                value = one.settings[setting].value(bench.vary)
                now = value == (one.weapon.ap if bench.vary == "ap" else str(one.dice(-1)) if bench.vary == "dice" else 0)
                record: Record = {"reference": bench.reference.weapon.name, "rows": _KEYS[bench.vary][1], "panel": panel, "value": value}
                ratio = quotient(float(table[mix, setting, turns].mean()), float(reference[mix, turns].mean()))
                yield record | bench.seat.faces(mix) | {"ratio": ratio, "best": setting == best, "now": now}
