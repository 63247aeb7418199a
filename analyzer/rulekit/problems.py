"""What is wrong with a build file: each problem with its key path, in the house wording ``NAME must be WHAT; got VALUE``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

#: Keys and list positions from the top of the file, or of the build, down to a value.
Path = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 80
#: What a value of the wrong shape must be, by pydantic's name of the error.
_SHAPES = {
    "model_type": "a table",
    "dict_type": "a table",
    "tuple_type": "a list",
    "list_type": "a list",
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "an integer",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where (``path``) and the sentence that says what would be right."""

    path: Path
    text: str

    @classmethod
    def of(cls, path: Path, what: str, got: object) -> Problem:
        """The problem that the value ``got`` at ``path`` is not ``what``."""
        return cls(path, f"{key(path)} must be {what}; got {shown(got)}")

    def below(self, prefix: Path) -> Problem:
        """The problem with its path continued upwards."""
        return Problem((*prefix, *self.path), self.text)


class ProblemError(ValueError):
    """One or more problems, found after every value was read: values that do not go together."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{dotted(p.path)}: {p.text}" if p.path else p.text for p in self.problems))


class ScenarioError(ValueError):
    """What is wrong with a build file or its keywords: ``problems`` has a line for each, with its key path."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def key(path: Path) -> str:
    """The last key of a path with its list positions: ``extra[0]``."""
    start = max((i for i, step in enumerate(path) if isinstance(step, str)), default=0)
    return dotted(path[start:])


def dotted(path: Path) -> str:
    """A path as TOML writes it: ``weapons[0].damage``, with quotes round a key that needs them."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += ("." if text else "") + (step if _PLAIN.fullmatch(step) else shown(step))
    return text


def shown(value: object) -> str:
    """A value as the reader of a TOML file knows it, cut where it would fill a page."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple) and not value:
        return "an empty list"
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, list | tuple):
        text = f"[{', '.join(map(shown, value[:8]))}{', ...' if len(value) > 8 else ''}]"
    elif isinstance(value, str | int | float):
        text = repr(value[:_LONGEST] if isinstance(value, str) else value)
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known word it resembles, or all of them."""
    names = list(known)
    close = get_close_matches(word.lower(), names, n=1) or [n for n in names if len(word) >= 3 and n.startswith(word.lower())][:1]
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(names)}" if names else "none are known here"


def unknown_key(path: Path, known: Iterable[str]) -> Problem:
    """The problem that the last key of ``path`` is not one of the ``known``."""
    return Problem(path, f"{key(path)} must be a known key; {suggestion(str(path[-1]), known)}")


def from_validation(error: ValidationError, model: type[BaseModel], data: object) -> tuple[Problem, ...]:
    """Every problem of a failed validation of ``data`` as ``model``, with paths as the file has them and no word of pydantic's."""
    return tuple(problem for found in error.errors(include_url=False) for problem in _rewritten(found, model, data))


def _rewritten(found: Mapping[str, Any], model: type[BaseModel], data: object) -> Iterator[Problem]:
    path = _as_written(found["loc"], data)
    kind, context = found["type"], found.get("ctx", {})
    inner = context.get("error")
    if isinstance(inner, ProblemError):
        yield from (problem.below(path) for problem in inner.problems)
    elif kind == "extra_forbidden":
        owner = _model_at(model, found["loc"][:-1])
        yield unknown_key(path, owner.model_fields if owner else ())
    elif kind == "missing":
        owner = _model_at(model, found["loc"][:-1])
        field = owner.model_fields.get(str(found["loc"][-1])) if owner else None
        about = f" ({field.description.rstrip('.')})" if field and field.description else ""
        yield Problem(path, f"{key(path)} must be given{about}; got nothing")
    elif kind == "notation":
        yield Problem(path, f"{key(path)} must be {context['text'].split(' must be ', 1)[-1]}")
    elif kind == "literal_error":
        expected, got = context["expected"], found["input"]
        choices = re.findall(r"'([^']*)'", expected)
        close = get_close_matches(got.lower(), choices, n=1) if isinstance(got, str) else []
        tail = f"; did you mean {close[0]!r}?" if close else ""
        yield Problem(path, f"{key(path)} must be {expected}; got {shown(got)}{tail}")
    else:
        yield Problem.of(path, found["msg"] if kind == "house" else _SHAPES.get(kind, f"right ({found['msg']})"), found["input"])


def _as_written(loc: Sequence[str | int], data: object) -> Path:
    """The path of a value in the file: without the list position of a value given alone where a list may stand."""
    path: list[str | int] = []
    for step in loc:
        if step == "[key]" or (isinstance(step, int) and not isinstance(data, list | tuple)):
            continue
        path.append(step)
        if isinstance(step, int):
            data = data[step] if isinstance(data, list | tuple) and step < len(data) else None
        else:
            data = data.get(step) if isinstance(data, Mapping) else getattr(data, step, None)
    return tuple(path)


def _model_at(model: type[BaseModel], loc: Sequence[str | int]) -> type[BaseModel] | None:
    """The model of the table at ``loc``, or None when the path leaves the models."""
    at: Any = model
    for step in loc:
        if isinstance(at, type) and issubclass(at, BaseModel):
            field = at.model_fields.get(str(step))
            at = field.annotation if field else None
        else:
            at = _item(at)
        at = _bare(at)
    return at if isinstance(at, type) and issubclass(at, BaseModel) else None


def _bare(annotation: Any) -> Any:  # noqa: ANN401 - any annotation a field may have
    """The annotation without ``Annotated`` and without ``| None``."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        rest = [a for a in get_args(annotation) if a is not type(None)]
        return _bare(rest[0]) if len(rest) == 1 else None
    return annotation


def _item(annotation: Any) -> Any:  # noqa: ANN401 - any annotation a field may have
    """What a tuple or a table of names holds."""
    arguments = get_args(annotation)
    if get_origin(annotation) is dict:
        return arguments[1]
    return arguments[0] if arguments else None
