"""What a model says in each stage, as small values: tolerant of how numbers and words are written, strict about what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field

__all__ = [
    "EventsReply",
    "Index",
    "Level",
    "LiteReply",
    "SegmentReply",
    "SegmentsReply",
    "ThreadReply",
    "ThreadsReply",
    "TurningPointReply",
    "Words",
]


def _number(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A sentence number without the marks that models copy with it; `true` is none, though Python takes it for 1."""
    if isinstance(value, bool):
        raise ValueError("a sentence number is due, not true or false")  # noqa: TRY004 - pydantic takes a ValueError
    return value.strip(" []()#.") if isinstance(value, str) else value


def _words(value: Any) -> Any:  # noqa: ANN401 - JSON
    """One line of text; an object in its place gives its values, a number its digits, nothing an empty text."""
    if isinstance(value, Mapping):
        return " ".join(str(_words(part)) for part in value.values())
    if isinstance(value, list):
        return " ".join(str(_words(part)) for part in value)
    return " ".join(str(value).split()) if value is not None else ""


def _level(value: Any) -> Any:  # noqa: ANN401 - JSON
    return value.strip(" []").lower() if isinstance(value, str) else value


def _several(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A list where a model wrote null or a single value."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


Index: TypeAlias = Annotated[int, BeforeValidator(_number)]
Words: TypeAlias = Annotated[str, BeforeValidator(_words)]
Level: TypeAlias = Annotated[Literal["extradiegetic", "intradiegetic", "metadiegetic"], BeforeValidator(_level)]


class EventsReply(BaseModel):
    """Stage 1: what happens."""

    events: list[Words] = Field(description="each: sentence numbers, then who does what, at most 10 words")


class ThreadReply(BaseModel):
    """One line of action."""

    name: Words = Field(description="its action, at most 8 words")
    level: Level = "intradiegetic"
    sentences: Words = Field("", description="where it is told, such as 1-20, 35-40")
    shifts: Annotated[list[Words], BeforeValidator(_several)] = Field(
        default_factory=list, description="each: sentence number, then the change of time, place or view, at most 6 words"
    )


class ThreadsReply(BaseModel):
    """Stage 2: how the events hang together."""

    threads: list[ThreadReply]


class TurningPointReply(BaseModel):
    """A sentence at which the story turns."""

    type: Words = Field(description="such as opportunity, reversal, recognition, time_shift")
    sentence: Index
    what: Words = Field("", description="at most 8 words")


class SegmentReply(BaseModel):
    """One block of the story."""

    subtitle: Words = Field("", description="the core of it, at most 10 words")
    from_idx: Index
    to_idx: Index
    context_idx: Annotated[list[Index], BeforeValidator(_several)] = Field(
        default_factory=list, description="sentences outside the block that a reader needs; usually none, at most 5"
    )


class SegmentsReply(BaseModel):
    """Stage 3: where the story turns, and the blocks between."""

    turning_points: list[TurningPointReply] = Field(default_factory=list)
    segments: list[SegmentReply]


class LiteReply(BaseModel):
    """All stages in one reply, as a distilled model gives it."""

    events: list[Words] = Field(default_factory=list, description="each: sentence numbers, then who does what, at most 10 words")
    threads: list[ThreadReply] = Field(default_factory=list)
    turning_points: list[TurningPointReply] = Field(default_factory=list)
    segments: list[SegmentReply]
