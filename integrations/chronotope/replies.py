"""Reads what a model wrote into the model of the reply: tolerant of wrapping, strict about content.

A reply may hold reasoning, drafts, fences and prose around the JSON; the last candidate that fits wins. Broken JSON is repaired
with json_repair. Every refusal is one sentence that can be sent back to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.shapes import echoes_schema, reshaped

__all__ = ["Reading", "Rejected", "read_reply"]

M = TypeVar("M", bound=BaseModel)
Json: TypeAlias = Any

# An opening bracket in prose ("{a, b}", "[see above]") is no JSON; what follows a JSON bracket is one of these.
_OPENING: Final = re.compile(r"""\{(?=\s*(?:["'}]|\w+\s*:|\Z))|\[(?=\s*(?:[\[{"'\]\d-]|\Z))""")
_THINKING: Final = re.compile(r"<(/?)(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_MARKS: Final = re.compile(r'\\.|["{}\[\],]', re.DOTALL)
_AFTER_STRING: Final = re.compile(r"\s*(?:[,:}\]]|\Z)")
_DECODER: Final = json.JSONDecoder(strict=False)
_SHOWN_PROBLEMS: Final = 3


class Rejected(ValueError):  # noqa: N818 - read as a verdict: raise Rejected("…")
    """A reply is refused; the message is one sentence that tells the model what to change."""


@dataclass(frozen=True)
class Reading(Generic[M]):
    """What could be read of a reply.

    Args:
        value: the reply as its model.
        cut: True when the reply ended too early and only its complete list items are kept.
    """

    value: M
    cut: bool = False


@dataclass(frozen=True)
class _Candidate:
    """A stretch of the reply that may be its JSON: sound when it parsed as it stood, closed when it did not end too early."""

    start: int
    end: int
    value: Json
    sound: bool = True
    closed: bool = True


def read_reply(text: str, model: type[M], *, truncated: bool = False) -> Reading[M]:
    """Read a reply as an instance of `model`.

    Args:
        text: the reply as it came.
        model: what it must fit.
        truncated: True when the endpoint says that the reply stopped at its length limit.

    Raises:
        Rejected: nothing in the text fits; the message says why in one sentence.

    >>> class Years(BaseModel):
    ...     years: list[int]
    >>> read_reply('<think>{"years": [1]}?</think> Sure! ```json [1914, 1918] ```', Years).value
    Years(years=[1914, 1918])
    >>> read_reply('{"years": [1914, 1918, 19', Years)
    Reading(value=Years(years=[1914, 1918]), cut=True)
    """
    if not text.strip():
        raise Rejected("the reply was empty")
    try:
        candidates = list(_candidates(_after_reasoning(text)))
    except RecursionError as error:
        raise Rejected("the reply is nested too deeply to be read") from error
    return _last_fit(candidates, model, truncated=truncated)


def _last_fit(candidates: list[_Candidate], model: type[M], *, truncated: bool) -> Reading[M]:
    """The last candidate with the right keys, else the last that fits once its shape is mended."""
    refusals: list[Rejected] = []
    for mend in (False, True):
        for candidate in reversed(candidates):
            try:
                value = _fit(candidate.value, model, mend=mend)
            except Rejected as reason:
                refusals.insert(0 if isinstance(candidate.value, dict) and not mend and not refusals else len(refusals), reason)
            else:
                return Reading(value, cut=truncated or not candidate.closed)
    raise refusals[0] if refusals else Rejected("the reply holds no JSON object")


def _fit(value: Json, model: type[M], *, mend: bool) -> M:
    """The value as the model, or the reason why not."""
    if echoes_schema(value, model):
        raise Rejected("the reply repeats the JSON schema instead of filling it in")
    shaped = reshaped(value, model) if mend else value
    if not isinstance(shaped, dict) or (not shaped.keys() & _names(model) and _names(model)):
        raise Rejected(f"the reply must be one JSON object with the keys {', '.join(sorted(_names(model)))}")
    try:
        return model.model_validate(shaped)
    except ValidationError as error:
        raise Rejected(_told(error)) from error


def _names(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields) | {field.alias for field in model.model_fields.values() if field.alias}


def _told(error: ValidationError) -> str:
    """The first problems of a validation as one sentence."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}" for problem in problems[:_SHOWN_PROBLEMS]]
    more = f" (and {len(problems) - len(told)} more)" if len(problems) > len(told) else ""
    return "the reply does not fit its schema: " + "; ".join(told) + more


def _after_reasoning(text: str) -> str:
    """The text without its reasoning; a tag inside sound JSON is data and ends nothing."""
    if not _THINKING.search(text):
        return text
    sound = [candidate for candidate in _candidates(text) if candidate.sound]
    tags = [tag for tag in _THINKING.finditer(text) if not any(found.start < tag.start() < found.end for found in sound)]
    begin = max((tag.end() for tag in tags if tag[1]), default=0)
    end = min((tag.start() for tag in tags if not tag[1] and tag.start() >= begin), default=len(text))
    if end < len(text) and not text[begin:end].strip():
        raise Rejected("the reply ended before its reasoning did; reason less and give the JSON")
    return text[begin:end]


def _candidates(text: str) -> Iterator[_Candidate]:
    """Every outermost JSON value of the text, in order; nothing inside a broken one is taken for an answer of its own."""
    place = 0
    while found := _OPENING.search(text, place):
        start = found.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError:
            candidate = _mended(text, start)
            place = candidate.end
            yield candidate
        else:
            yield _Candidate(start, place, value)


def _mended(text: str, start: int) -> _Candidate:
    """The broken JSON that starts here: repaired as a whole when it closes, else its complete list items."""
    from json_repair import loads  # most replies need no repair

    fence = text.find("\n```", start)
    limit = fence if fence >= 0 else len(text)
    extent = _extent(text, start, limit)
    if extent.end is not None:
        return _Candidate(start, extent.end, loads(text[start : extent.end]), sound=False)
    only_brackets_missing = text[extent.kept - 1] != "[" and not text[extent.kept : limit].strip(" \t\r\n}]")
    return _Candidate(start, limit, loads(text[start : extent.kept] + extent.closers), sound=False, closed=only_brackets_missing)


@dataclass
class _Extent:
    """Where a broken value ends, if it does; else where its last complete list item ends, and the brackets then due."""

    end: int | None
    kept: int
    closers: str


def _extent(text: str, start: int, limit: int) -> _Extent:
    """Walk the brackets of the value that starts here. Only the outer list counts: its last item may hold lists that are cut."""
    due: list[str] = []
    extent, level = _Extent(None, start + 1, "}" if text[start] == "{" else "]"), 0
    for place, char in _structure(text, start, limit):
        if char in "{[":
            due.append("}" if char == "{" else "]")
            level = len(due) if char == "[" and (not level or len(due) < level) else level
        elif char in "}]":
            due.pop()
            if not due:
                return _Extent(place + 1, place + 1, "")
        if due[-1] == "]" and len(due) == level:
            extent = _Extent(None, place + (char != ","), "".join(reversed(due)))
    return extent


def _structure(text: str, start: int, limit: int) -> Iterator[tuple[int, str]]:
    """Brackets and commas outside strings; inside one, a quote ends it only where JSON could go on."""
    quoted = False
    for found in _MARKS.finditer(text, start, limit):
        mark = found[0]
        if mark == '"':
            quoted = not quoted or not _AFTER_STRING.match(text, found.end(), limit)
        elif not quoted and len(mark) == 1:
            yield found.start(), mark
