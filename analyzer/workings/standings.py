"""Standings: how the weapons on a bench stand beside their reference, as records and in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import cast

import numpy as np

from analyzer.records import Record
from analyzer.sweeps import spans
from analyzer.workings.bench import Bench, quotient
from analyzer.workings.parity import Vary

#: What varies: its key in records and its heading.
KEYS: dict[Vary, tuple[str, str]] = {
    "ap": ("ap", "AP"),
    "dice": ("dice", "dice"),
    "damage": ("damage_shift", "damage added"),
    "attack": ("attack_shift", "attack bonus added"),
}


def _heading(bench: Bench, i: int) -> Record:
    return {"system": bench.seat.build.system, "reference": bench.reference.weapon.name, "weapon": bench.lines[i].weapon.name}


def summaries(bench: Bench) -> Iterator[Record]:
    """A row per weapon, all turn lengths together."""
    for i in range(len(bench.lines)):
        yield _summary(bench, i, slice(None))


def by_turn(bench: Bench) -> Iterator[Record]:
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
    one, key = bench.lines[i], KEYS[bench.vary][0]
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


def cells(bench: Bench) -> Iterator[Record]:
    """A row per weapon, value, turn length and mix."""
    key = KEYS[bench.vary][0]
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


def by_attack(bench: Bench) -> Iterator[Record]:
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
            value[KEYS[bench.vary][0]] = one.settings[setting].value(bench.vary)
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


def searched(bench: Bench, within: float, *, dice: bool) -> tuple[list[Record], list[str]]:
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


def sentences(bench: Bench) -> Iterator[str]:
    """What comes closest, in a sentence per weapon."""
    name = bench.reference.weapon.name
    for i, one in enumerate(bench.lines):
        best = bench.best(i)
        found = bench.figures(i, best)
        value, heading = one.settings[best].value(bench.vary), KEYS[bench.vary][1]
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


def pictured(bench: Bench) -> Iterator[Record]:
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
                record: Record = {"reference": bench.reference.weapon.name, "rows": KEYS[bench.vary][1], "panel": panel, "value": value}
                ratio = quotient(float(table[mix, setting, turns].mean()), float(reference[mix, turns].mean()))
                yield record | bench.seat.faces(mix) | {"ratio": ratio, "best": setting == best, "now": now}
