"""Tables for people: records in, a rich Table out; rounding happens only here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # what is shown brings itself along
    from analyzer.asking.question import Column, Grid, Question
    from analyzer.records import Record, Value
    from analyzer.rulekit.ledger import Line

#: What is shown of a round: column, heading, decimals.
_ROUND = (("dpr", "DPR", 3), ("hits", "hits", 4), ("crits", "criticals", 4), ("no_damage", "no damage", 5))
_ROUND_EXACT = (
    *(_ROUND[0], ("sd", "SD", 2), *_ROUND[1:3]),
    *(("any_hit", "any hit", 4), ("any_crit", "any critical", 4), _ROUND[3]),
)
_ATTACK = (("mean", "mean", 3), ("hit_chance", "hit", 4), ("crit_chance", "critical", 4), ("threat_chance", "threat", 4))
Figures = tuple[tuple[str, str, int], ...]
#: Widest build name on one line; longer ones are folded.
LONGEST_NAME = 28
#: Most rows of a table of two numbers.
_MOST_DOWN = 30
_NARROW = "more figures: a wider terminal, or --format csv"
_PLAIN = {"name": "name", "id": "id", "summary": "summary", "system": "game"}


def _number(value: Value, digits: int) -> str:
    """A cell; a number is freed of the last bits first, so that one half way between two is written alike however it was summed."""
    if isinstance(value, float):
        value = round(value, digits + 9)
    return "-" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _both(record: Record, column: str, digits: int) -> tuple[str, str]:
    """The exact cell and the simulated one with its standard error."""
    error = record.get(f"{column}_se")
    simulated = _number(record.get(f"{column}_mc"), digits)
    return _number(record[column], digits), simulated if error is None else f"{simulated} \N{PLUS-MINUS SIGN}{_number(error, digits)}"


def _worst_z(record: Record) -> str:
    scores = [value for key, value in record.items() if key.endswith("_z") and isinstance(value, float)]
    return f"{max(scores, key=abs):+.1f}" if scores else "-"


def _table(title: str | None = None, caption: str | None = None) -> Table:
    return Table(title=title, caption=caption, box=box.SIMPLE_HEAD, title_justify="left", caption_justify="left", pad_edge=False)


def _add_figures(table: Table, figures: Figures, simulated: bool) -> None:
    for _, heading, _ in figures:
        table.add_column(heading, justify="right", no_wrap=True)
        if simulated:
            table.add_column("simulated \N{PLUS-MINUS SIGN}SE", justify="right", no_wrap=True, style="cyan")
    if simulated:
        table.add_column("worst z", justify="right", no_wrap=True)


def _cells(record: Record, figures: Figures, simulated: bool) -> list[str]:
    cells: list[str] = []
    for column, _, digits in figures:
        if column not in record:
            cells += [""] * (1 + simulated)
            continue
        cells += _both(record, column, digits) if simulated else (_number(record[column], digits),)
    return [*cells, _worst_z(record)] if simulated else cells


def rounds(records: Sequence[Record], console: Console, own: Collection[int] = ()) -> Table:
    """Rounds by armor class or creature, the builds of each one under the other, the highest DPR starred; ``own`` are the target's own armor classes.

    Figures that do not fit the console's width are left out, the last ones first.
    """
    simulated = any("dpr_mc" in record for record in records)
    effects = dict.fromkeys(key for record in records for key in record if key.startswith("any_") and not _is_beside(key, record))
    extra = tuple((key, key.replace("_", " "), 4) for key in effects if key not in ("any_hit", "any_crit"))
    figures = (*(_ROUND if simulated else _ROUND_EXACT), *extra)
    if any("difference" in record for record in records):
        figures = (figures[0], ("difference", "difference", 3), *figures[1:])
    return _fitting(figures, console, lambda shown: _rounds(records, shown, simulated, own, whole=shown == figures))


def _is_beside(column: str, record: Record) -> bool:
    """Whether a column is what the simulation says of another."""
    return any(column.endswith(suffix) and column.removesuffix(suffix) in record for suffix in ("_mc", "_se", "_z", "_low", "_high"))


def _add_trials(table: Table, records: Sequence[Record]) -> bool:
    """A column of the rounds simulated, where they differ; whether there is one."""
    told = any("trials" in record for record in records)
    if told:
        table.add_column("rounds", justify="right", no_wrap=True)
    return told


def _trials(record: Record, told: bool) -> list[str]:
    return [f"{record['trials']:,}" if "trials" in record else ""] if told else []


def _fitting(figures: Figures, console: Console, draw: Callable[[Figures], Table]) -> Table:
    """The table with as many figures as the console is wide."""
    for shown in range(len(figures), 1, -1):
        table = draw(figures[:shown])
        if Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= console.width:
            return table
    return draw(figures[:1])


def _rounds(records: Sequence[Record], figures: Figures, simulated: bool, own: Collection[int], *, whole: bool) -> Table:
    several = len({record.get("series", record["build"]) for record in records}) > 1
    compared = any(record.get("than") is not None for record in records)
    creatures = any("against" in record for record in records)
    notes = [f"* highest DPR {'before this creature' if creatures else 'at this AC'}"] if several else []
    notes += ["\u2020 the target's own AC"] if any(record["ac"] in own for record in records) else []
    notes += ["hits and criticals: expected numbers per round"] if len(figures) > 2 + compared else []
    notes += [] if whole else [_NARROW]
    table = _table(caption="; ".join(notes))
    faces = _faces(records)
    for heading, justify in faces.items():
        table.add_column(heading, justify=justify, no_wrap=justify == "right", max_width=LONGEST_NAME if justify == "left" else None)
    table.add_column("build", max_width=LONGEST_NAME)
    if compared:
        table.add_column("compared with", max_width=LONGEST_NAME)
    told = _add_trials(table, records)
    _add_figures(table, figures, simulated)
    from analyzer.workings.leads import TIE  # noqa: PLC0415 - start-up time, with NumPy in it

    for _, rows in _grouped(records):
        best = max(float(row["dpr"] or 0.0) for row in rows)
        for i, row in enumerate(rows):
            winner = several and float(row["dpr"] or 0.0) >= best * (1.0 - TIE)
            name = Text(f"{'* ' if winner else '  ' if several else ''}{row.get('series', row['build'])}", style="bold" if winner else "")
            than = [str(row["than"] or "")] if compared else []
            head = [_face(row, heading, own) if i == 0 else "" for heading in faces]
            table.add_row(*head, name, *than, *_trials(row, told), *_cells(row, figures, simulated), end_section=several and i == len(rows) - 1)
    return table


#: What the rows of a table face: headings, and whether text is to the left.
_Faces = dict[str, Literal["left", "right"]]


def _faces(records: Sequence[Record]) -> _Faces:
    """The first columns of a table per round."""
    out: _Faces = {"level": "right"} if any("level" in record for record in records) else {}
    if any("against" in record for record in records):
        out["target"] = "left"
    return out | {"AC": "right"}


def _face(record: Record, heading: str, own: Collection[int]) -> str:
    value = record.get({"target": "against", "AC": "ac"}.get(heading, heading))
    return "" if value is None else f"{value} \u2020" if heading == "AC" and value in own else str(value)


def _grouped(records: Sequence[Record]) -> Iterator[tuple[object, list[Record]]]:
    """Rows that face the same, together: armor classes in order, creatures as they come, by level."""
    groups: dict[tuple[Value, ...], list[Record]] = {}
    for record in records:
        key = (record.get("level"), record["against"]) if "against" in record else (record["ac"],)
        groups.setdefault(key, []).append(record)
    yield from sorted(groups.items(), key=lambda group: float(group[1][0].get("level") or 0) if "against" in group[1][0] else float(group[1][0]["ac"] or 0))


def attacks(records: Sequence[Record], console: Console) -> Table:
    """Attacks one under the other, by build and armor class; figures that do not fit are left out as in `rounds`."""
    simulated = any("mean_mc" in record for record in records)
    figures = (*_ATTACK, ("effect_chance", "effect", 4)) if any("effect" in record for record in records) else _ATTACK
    return _fitting(figures, console, lambda shown: _attacks(records, shown, simulated, whole=shown == figures))


def _attacks(records: Sequence[Record], figures: Figures, simulated: bool, *, whole: bool) -> Table:
    table = _table(caption="; ".join(["mean: damage points per round from this attack", *([] if whole else [_NARROW])]))
    table.add_column("build", max_width=LONGEST_NAME)
    against = any("against" in record for record in records)
    if against:
        table.add_column("target", max_width=LONGEST_NAME)
    for heading in ("AC", "attack", "bonus"):
        table.add_column(heading, justify="right", no_wrap=True)
    told = _add_trials(table, records)
    _add_figures(table, figures, simulated)
    for _, group in groupby(records, key=lambda record: (record["build"], record.get("against"), record["ac"])):
        rows = list(group)
        for i, row in enumerate(rows):
            bonus = "" if row["bonus"] is None else f"{row['bonus']:+d}"
            names = [str(row["build"]), *([str(row["against"])] if against else []), "" if row["ac"] is None else str(row["ac"])]
            head = names if i == 0 else [""] * len(names)
            table.add_row(*head, str(row["attack"]), bonus, *_trials(row, told), *_cells(row, figures, simulated), end_section=i == len(rows) - 1)
    return table


def answer(records: Sequence[Record], asked: Question, console: Console) -> Table:
    """The records of a question, its columns as it says; the last ones are left out where the console is too narrow."""
    present = dict.fromkeys(key for record in records for key in record)
    shown = [column for listed in asked.columns for column in _numbered(listed, present)]
    named = next((i for i, column in enumerate(shown) if any(isinstance(record.get(column.key), float) for record in records)), len(shown))
    for count in range(len(shown), named, -1):
        table = _answer(records, asked, shown[:count], whole=count == len(shown))
        if Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= console.width:
            return table
    return _answer(records, asked, shown[: named + 1], whole=named + 1 >= len(shown))


def _numbered(column: Column, present: Iterable[str]) -> list[Column]:
    """The columns that a listed one stands for: itself, or with a ``*`` in its key one for every number there is."""
    if "*" not in column.key:
        return [column] if column.key in present else []
    found = (re.fullmatch(column.key.replace("*", r"(\d+)"), key) for key in present)
    return [replace(column, key=key[0], heading=column.heading.replace("*", key[1])) for key in found if key is not None]


def _answer(records: Sequence[Record], asked: Question, columns: Sequence[Column], *, whole: bool) -> Table:
    notes = [column.note for column in columns] + [column.absent for column in columns if any(record.get(column.key) is None for record in records)]
    table = _table(caption="; ".join(dict.fromkeys(filter(None, [asked.caption, *notes, "" if whole else _NARROW]))))
    simulated = {column.key for column in columns if any(f"{column.key}_mc" in record for record in records)}
    for column in columns:
        text = any(isinstance(record.get(column.key), str) for record in records)
        table.add_column(column.heading, justify="left" if text else "right", no_wrap=not text, max_width=LONGEST_NAME if text else None)
        if column.key in simulated:
            table.add_column("simulated \N{PLUS-MINUS SIGN}SE", justify="right", no_wrap=True, style="cyan")
    before: tuple[Value, ...] = ()
    groups = [tuple(record.get(key) for key in asked.grouped) for record in records]
    several = bool(asked.grouped) and any(one == other for one, other in pairwise(groups))
    for i, (record, group) in enumerate(zip(records, groups, strict=True)):
        cells: list[str] = []
        for column in columns:
            repeated = column.key in asked.grouped and group == before
            cells.append("" if repeated else _cell(record.get(column.key), column))
            if column.key in simulated:
                cells.append(_simulated_cell(record, column))
        table.add_row(*cells, end_section=several and groups[i + 1 : i + 2] != [group])
        before = group
    return table


def _cell(value: Value, column: Column) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and column.percent:
        return f"{100.0 * value:{'+' if column.signed else ''}.{column.digits}f} %"
    if column.signed and isinstance(value, int | float):
        return f"{value:+.{column.digits}f}" if isinstance(value, float) else f"{value:+d}"
    return _number(value, column.digits)


def _simulated_cell(record: Record, column: Column) -> str:
    found, error = record.get(f"{column.key}_mc"), record.get(f"{column.key}_se")
    if f"{column.key}_mc" not in record:
        return ""
    text = _cell(found, column)
    return text if error is None else f"{text} \N{PLUS-MINUS SIGN}{_cell(error, replace(column, signed=False))}"


def grid(asked: Grid, console: Console) -> Group:
    """A table of two numbers, thinned out where it does not fit: a build's DPR, or which of several leads and by how much."""
    names = list(dict.fromkeys(str(record["build"]) for record in asked.records))
    across = list(dict.fromkeys(record[asked.x] for record in asked.records))
    down = list(dict.fromkeys(record[asked.y] for record in asked.records))
    cells: dict[tuple[Value, Value], str] = {}
    for record in asked.records:
        place = (record[asked.x], record[asked.y])
        cells[place] = _number(record["dpr"], 2) if len(names) == 1 else cells.get(place) or _leader(record, names)
    widest = max(map(len, (*cells.values(), *map(str, across))), default=1)
    room = max(1, (console.width - 8) // (3 + widest))
    steps = [max(1, -(-len(values) // most)) for values, most in ((across, room), (down, _MOST_DOWN))]
    notes = [f"{asked.x} across, {asked.y} down"]
    notes += ["damage points per round"] if len(names) == 1 else [", ".join(f"{_letter(i)}: {name}" for i, name in enumerate(names))]
    notes += ["who leads, and by how many points of damage per round; = a tie"] if len(names) > 1 else []
    simulated = any("dpr_mc" in record for record in asked.records)
    notes += [f"every {_th(max(steps))} value shown"] if max(steps) > 1 else []
    notes += [f"--format csv has {'all' if max(steps) > 1 else 'the simulated figures too'}"] if simulated or max(steps) > 1 else []
    table = _table()
    table.add_column("", justify="right", no_wrap=True, style="bold")
    for value in across[:: steps[0]]:
        table.add_column(str(value), justify="right", no_wrap=True)
    for value in down[:: steps[1]]:
        table.add_row(str(value), *(cells[one, value] for one in across[:: steps[0]]))
    return Group(table, Text("; ".join(notes), style="italic"))


def _leader(record: Record, names: Sequence[str]) -> str:
    """The letter of a build that leads alone and how far; a tie for all that share it; nothing of the others."""
    winner = str(record["winner"])
    if winner not in names:
        return "="
    if record["build"] != winner:
        return ""
    lead = _number(record["difference"], 2)
    return f"{_letter(names.index(winner))} {'<0.01' if lead == '0.00' else lead}"


def _letter(i: int) -> str:
    return chr(ord("A") + i) if i < 26 else str(i + 1)


def _th(step: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(step, f"{step}th")


def listing(records: Sequence[Record], _console: Console) -> Table:
    """Plain records, a column each."""
    table = _table()
    for column in records[0] if records else ():
        table.add_column(_PLAIN.get(column, column), no_wrap=column in ("id", "name"))
    for record in records:
        table.add_row(*(str(value) for value in record.values()))
    return table


def rules(records: Sequence[Record], _console: Console) -> Group:
    """What the games do, a column each, and what each lets one switch."""
    games = list(dict.fromkeys(str(record["system"]) for record in records))
    played = _table()
    for heading in ("rule", *games):
        played.add_column(heading, overflow="fold")
    switches = _table()
    for heading in ("game", "switch", "default", "choices", "about"):
        switches.add_column(heading, overflow="fold")
    for rule in dict.fromkeys(record["rule"] for record in records if record["choices"] is None):
        values = {record["system"]: str(record["value"]) for record in records if record["rule"] == rule}
        played.add_row(str(rule), *(values.get(game, "-") for game in games), end_section=True)
    for game in games:
        rows = [record for record in records if record["system"] == game and record["choices"] is not None]
        for i, row in enumerate(rows):
            cells = (str(row[key]) for key in ("rule", "value", "choices", "about"))
            switches.add_row(game if i == 0 else "", *cells, end_section=i == len(rows) - 1)
    return Group(played, switches)


def derivation(build: str, lines: Sequence[Line]) -> Table:
    """An explanation: each number with the rule it rests on, by section."""
    table = _table(title=build)
    for heading in ("section", "what", "value", "rule"):
        table.add_column(heading, justify="right" if heading == "value" else "left", overflow="fold")
    for section, group in groupby(lines, key=lambda line: line.section):
        rows = list(group)
        for i, row in enumerate(rows):
            table.add_row(section if i == 0 else "", row.name, row.value, row.rule, end_section=i == len(rows) - 1)
    return table
