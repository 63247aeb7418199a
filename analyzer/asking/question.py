"""A question: one function of builds, its parameters, the columns of its table, its figure, its command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, get_args, get_origin, get_type_hints

from analyzer.asking.bestiary import rows_of
from analyzer.asking.cautions import cautions
from analyzer.asking.foes import MAX_HP
from analyzer.asking.parameters import Kind, Numbers, Text, Whole
from analyzer.playing import TRIALS, announce_compiling, chosen_seed
from analyzer.records import Record
from analyzer.sweeps import HIGHEST, LOWEST
from analyzer.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.answer import Answer
    from analyzer.asking.seats import Simulation
    from analyzer.asking.twins import Twins

P = ParamSpec("P")

#: Parameters that many questions share: annotate with these, and name them in the docstring as ``{ac}``.
AcOrOwn = Annotated[int | str | Iterable[int] | None, Numbers(low=LOWEST, high=HIGHEST, what="armor class")]
AgainstTable = Annotated[Any, Text(metavar="FILE.csv")]
Hp = Annotated[int | str | None, Text(metavar="N|DICE")]
Trials = Annotated[int, Whole(low=1, high=2**40)]
Seed = Annotated[int | None, Whole(low=0)]
Workers = Annotated[int, Whole(low=1, high=1024)]

#: Parameters that say nothing of an exact answer.
_OF_SIMULATION = ("trials", "seed")
#: Parameters that the command line has no option for: it brings the builds and the target of its file, and a progress bar.
_PYTHON_ONLY = ("builds", "target", "executor", "progress")

_SHARED = {
    "builds": "builds : Build, Scenario or iterable of Build\n    What attacks; a scenario brings its target.",
    "ac": 'ac : int, str or iterable of int, optional\n    Armor class the first attack aims at: ``28``, ``"10:40"`` (inclusive) or numbers.',
    "target": "target : Target or mapping, optional\n    What is attacked, instead of the scenario's.",
    "against": (
        "against : path or rows, optional\n    A table of creatures to face instead: CSV with name, ac (or the game's own defences), hp, dr, weight, level.\n"
        "    The first answer weighs them all, the others are one creature each."
    ),
    "hp": f"hp : int or str, optional\n    Hit points: a number up to {MAX_HP:,} or dice such as ``12d8+36``; the target's own if left out.",
    "simulate": "simulate : bool\n    Put the simulated answer beside the exact one, with its standard error.",
    "trials": f"trials : int\n    Simulated rounds or fights of each; {TRIALS:,} if left out.",
    "seed": "seed : int, optional\n    Any whole number from 0 repeats a simulation; drawn and told if left out.",
    "workers": "workers : int\n    Threads of the simulation; changes no figure.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """How the table for people shows a column: its heading, decimals, and whether a plus is written before positive numbers.

    A ``*`` in the key, and in the heading, stands for a number: ``at_least_*`` for ``at_least_20``, ``at_least_30``, ...
    Under a table that shows the column stands its ``note``, and where a cell of it is empty what that means (``absent``).
    """

    key: str
    heading: str
    digits: int = 3
    signed: bool = False
    percent: bool = False
    note: str = ""
    absent: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """A table of two numbers: which records it is made of, one per build and cell, and their columns across and down.

    The cells of a single build are its ``dpr``; of several, the one that leads (``winner``) and by how much (``difference``).
    """

    x: str
    y: str
    records: list[Record]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a question found: flat records, sentences about them, and, where it simulated, the verdict and what repeats the run."""

    records: Sequence[Record]
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None
    seed: int | None = None
    trials: int | None = None
    #: gives what the figure is drawn from, where that is not the records
    drawn: Callable[[], list[Record]] | None = None
    #: how the table for people is laid out, where it is not the records one under the other
    grid: Grid | None = None

    @classmethod
    def of(
        cls,
        records: Sequence[Record],
        notes: Iterable[str],
        twins: Twins,
        how: Simulation | None,
        *,
        drawn: Callable[[], list[Record]] | None = None,
        grid: Grid | None = None,
    ) -> Found:
        """What was found; where it was simulated (``how``) with the verdict over its twins, and what repeats them."""
        told = cls(records=records, notes=tuple(notes), drawn=drawn, grid=grid)
        return told if how is None else replace(told, verdict=twins.verdict(), seed=how.seed, trials=how.trials)


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """A parameter of a question: its kind (None: a flag), its default and its help."""

    name: str
    kind: Kind | None
    default: Any
    help: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as the command line sees it."""

    name: str
    #: the build file played when none is given
    example: str
    columns: tuple[Column, ...]
    #: columns a table writes once for all rows that share them
    grouped: tuple[str, ...]
    caption: str
    parameters: tuple[Parameter, ...]
    #: whether it tells how far it has come
    progress: bool
    find: Callable[..., Found]
    draw: Callable[[pd.DataFrame], Figure]


def question(
    *,
    columns: Iterable[Column],
    draw: Callable[[pd.DataFrame], Figure],
    example: str,
    grouped: Iterable[str] = ("build",),
    caption: str = "",
) -> Callable[[Callable[P, Found]], Callable[P, Answer]]:
    """Make a question of a function that finds records.

    The function's name is the question's. Its first parameter is ``builds``; every other is annotated with a `Kind` or is a bool; its numpydoc is the help of
    Python and of the command line, shared parameters being written as ``{ac}``. ``seed`` is never None inside when ``simulate`` is true.
    """

    def decorate(find: Callable[P, Found]) -> Callable[P, Answer]:
        find.__doc__ = _filled(find.__doc__ or "")
        signature = inspect.signature(find)
        kinds = _kinds(find)
        helps = _helps(find.__doc__)
        optional = _optional(find)

        def checked(*args: P.args, **kwargs: P.kwargs) -> Found:
            bound = signature.bind(*args, **kwargs)
            alone = [name for name in _OF_SIMULATION if name in bound.arguments and not bound.arguments.get("simulate")]
            if "simulate" in signature.parameters and alone:
                raise ValueError(f"{alone[0]} must be given with simulate (--simulate), which rolls the dice; got it alone")
            bound.apply_defaults()
            given = bound.arguments
            for name, kind in kinds.items():
                if kind is not None and given[name] is not None:
                    given[name] = kind.check(given[name], name)
                elif kind is None and not isinstance(given[name], bool):
                    raise TypeError(f"{name} must be true or false; got {given[name]!r}")
                elif given[name] is None and name not in optional:
                    raise TypeError(f"{name} must be given; got None")
            if given.get("against") is not None:
                given["against"] = rows_of(given["against"])
            if given.get("simulate"):
                given["seed"] = chosen_seed(given["seed"])
                announce_compiling(sweeps=False)
            found = find(*bound.args, **bound.kwargs)
            asked = {name: given[name] for name in ("target", "ac", "against") if name in given}
            return replace(found, notes=(*found.notes, *cautions(given["builds"], found.records, **asked)))

        @wraps(find)
        def ask(*args: P.args, **kwargs: P.kwargs) -> Answer:
            from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

            found = checked(*args, **kwargs)
            drawn = draw if found.drawn is None else partial(_redrawn, draw, found.drawn)
            return answer(found.records, verdict=found.verdict, seed=found.seed, trials=found.trials, notes=found.notes, draw=drawn)

        asked = Question(
            name=find.__name__,
            example=example,
            columns=tuple(columns),
            grouped=tuple(grouped),
            caption=caption,
            parameters=tuple(
                Parameter(name=name, kind=kind, default=signature.parameters[name].default, help=helps.get(name, "")) for name, kind in kinds.items()
            ),
            progress="progress" in signature.parameters,
            find=checked,
            draw=draw,
        )
        ask.__signature__ = signature.replace(return_annotation="Answer")  # type: ignore[attr-defined]  # what `help` shows
        ask.question = asked  # type: ignore[attr-defined]  # read back by `question_of`
        return ask

    return decorate


def _redrawn(draw: Callable[[pd.DataFrame], Figure], drawn: Callable[[], list[Record]], _answer: object) -> Figure:
    """The figure of records that are not those of the answer."""
    from analyzer.answer import answer  # noqa: PLC0415 - pandas costs start-up time and records do without

    return draw(answer(drawn()))


def question_of(function: Callable[..., Any]) -> Question:
    """The question that a decorated function asks."""
    found: Question = function.question  # type: ignore[attr-defined]  # set by `question`
    return found


def _kinds(find: Callable[..., Any]) -> dict[str, Kind | None]:
    """The kind of every parameter that the command line has too; None for a flag."""
    out: dict[str, Kind | None] = {}
    hints: Mapping[str, Any] = get_type_hints(find, include_extras=True)
    for name in inspect.signature(find).parameters:
        if name in _PYTHON_ONLY:
            continue
        hint = hints[name]
        out[name] = get_args(hint)[1] if get_origin(hint) is Annotated else None
        if out[name] is None and hint is not bool:
            raise TypeError(f"{name} of {find.__name__} must be annotated with a kind; got {hint!r}")
    return out


def _optional(find: Callable[..., Any]) -> frozenset[str]:
    """The parameters that may be None."""
    hints: Mapping[str, Any] = get_type_hints(find)
    return frozenset(name for name, hint in hints.items() if type(None) in get_args(hint) or hint is Any)


def _filled(doc: str) -> str:
    """The docstring with the shared parameters written out, indented as they stand."""
    clean = inspect.cleandoc(doc)
    return re.sub(r"^\{(\w+)\}$", lambda found: _SHARED[found[1]], clean, flags=re.MULTILINE)


def _helps(doc: str) -> dict[str, str]:
    """The text of every parameter of a numpydoc section, on one line."""
    section = doc.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    out: dict[str, str] = {}
    names: tuple[str, ...] = ()
    for line in section.splitlines():
        if line.startswith(" "):
            for name in names:
                out[name] = f"{out.get(name, '')} {line.strip()}".strip()
        else:
            names = tuple(name.strip() for name in line.partition(" :")[0].split(","))
    return {name: text.replace("``", "") for name, text in out.items()}
