"""Tables for people: records in, a rich Table out; rounding happens only here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from analyzer.question import Column, Question
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
_NARROW = "more figures: a wider terminal, or --format csv"
_PLAIN = {"name": "name", "id": "id", "summary": "summary", "system": "game"}


def _number(value: Value, digits: int) -> str:
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


def rounds(records: Sequence[Record], console: Console) -> Table:
    """Rounds by armor class, the builds of each one under the other, the highest DPR starred.

    Figures that do not fit the console's width are left out, the last ones first.
    """
    simulated = any("dpr_mc" in record for record in records)
    effects = dict.fromkeys(key for record in records for key in record if key.startswith("any_") and not _is_beside(key, record))
    extra = tuple((key, key.replace("_", " "), 4) for key in effects if key not in ("any_hit", "any_crit"))
    figures = (*(_ROUND if simulated else _ROUND_EXACT), *extra)
    return _fitting(figures, console, lambda shown: _rounds(records, shown, simulated, whole=shown == figures))


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


def _rounds(records: Sequence[Record], figures: Figures, simulated: bool, *, whole: bool) -> Table:
    several = len({record["build"] for record in records}) > 1
    notes = ["* highest DPR at this AC"] if several else []
    notes += ["hits and criticals: expected numbers per round"] if len(figures) > 2 else []
    notes += [] if whole else [_NARROW]
    table = _table(caption="; ".join(notes))
    table.add_column("AC", justify="right", no_wrap=True)
    table.add_column("build", max_width=LONGEST_NAME)
    told = _add_trials(table, records)
    _add_figures(table, figures, simulated)
    ordered = sorted(records, key=lambda record: int(record["ac"] or 0))
    for ac, group in groupby(ordered, key=lambda record: record["ac"]):
        rows = list(group)
        best = max(float(row["dpr"] or 0.0) for row in rows)
        for i, row in enumerate(rows):
            winner = several and float(row["dpr"] or 0.0) == best
            name = Text(f"{'* ' if winner else '  ' if several else ''}{row['build']}", style="bold" if winner else "")
            table.add_row(str(ac) if i == 0 else "", name, *_trials(row, told), *_cells(row, figures, simulated), end_section=several and i == len(rows) - 1)
    return table


def attacks(records: Sequence[Record], console: Console) -> Table:
    """Attacks one under the other, by build and armor class; figures that do not fit are left out as in `rounds`."""
    simulated = any("mean_mc" in record for record in records)
    figures = (*_ATTACK, ("effect_chance", "effect", 4)) if any("effect" in record for record in records) else _ATTACK
    return _fitting(figures, console, lambda shown: _attacks(records, shown, simulated, whole=shown == figures))


def _attacks(records: Sequence[Record], figures: Figures, simulated: bool, *, whole: bool) -> Table:
    table = _table(caption="; ".join(["mean: damage points per round from this attack", *([] if whole else [_NARROW])]))
    table.add_column("build", max_width=LONGEST_NAME)
    for heading in ("AC", "attack", "bonus"):
        table.add_column(heading, justify="right", no_wrap=True)
    told = _add_trials(table, records)
    _add_figures(table, figures, simulated)
    for (build, ac), group in groupby(records, key=lambda record: (record["build"], record["ac"])):
        rows = list(group)
        for i, row in enumerate(rows):
            bonus = "" if row["bonus"] is None else f"{row['bonus']:+d}"
            head = (str(build), str(ac)) if i == 0 else ("", "")
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
    table = _table(caption="; ".join(filter(None, [asked.caption, "" if whole else _NARROW])))
    simulated = {column.key for column in columns if any(f"{column.key}_mc" in record for record in records)}
    for column in columns:
        text = any(isinstance(record.get(column.key), str) for record in records)
        table.add_column(column.heading, justify="left" if text else "right", no_wrap=not text, max_width=LONGEST_NAME if text else None)
        if column.key in simulated:
            table.add_column("simulated \N{PLUS-MINUS SIGN}SE", justify="right", no_wrap=True, style="cyan")
    before: tuple[Value, ...] = ()
    for i, record in enumerate(records):
        group = tuple(record.get(key) for key in asked.grouped)
        following = tuple(records[i + 1].get(key) for key in asked.grouped) if i + 1 < len(records) else group
        cells: list[str] = []
        for column in columns:
            repeated = column.key in asked.grouped and group == before
            cells.append("" if repeated else _cell(record.get(column.key), column))
            if column.key in simulated:
                cells.append(_simulated_cell(record, column))
        table.add_row(*cells, end_section=bool(asked.grouped) and following != group)
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
