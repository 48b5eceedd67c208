"""The unit that DyG-RAG retrieves: one sentence that tells one event or state, when it was, and who or what took part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from chronotope.records import Passage, Scalar, content_id
from chronotope.temporal.interval import TimeInterval

__all__ = ["EventUnit"]

_BEST_SCORE = 4


@dataclass(frozen=True, kw_only=True)
class EventUnit:
    """A self-contained sentence about one event or stable state (a Dynamic Event Unit).

    Args:
        text: the sentence.
        id: a stable name; a hash of source, place, times and text when empty.
        source_id: id of the document.
        char_start: first character of the source sentence in the document, or None when unknown.
        char_end: first character after it.
        times: when it happened or held; empty for facts outside time and where nothing tells when.
        static: True for facts outside time; an event with `times` is none.
        entities: canonical names of who or what takes part; blank ones are dropped, the rest kept sorted and each once.
        score: how many of the four criteria of information it meets, 0 to 4.
        metadata: everything else, flat JSON scalars.

    Raises:
        ValueError: the score is not 0 to 4, or the characters do not form a span.

    Source: DyG-RAG, section 3.3, definition 1.

    >>> moved = EventUnit(text="Ann Lee moved to Turin.", times=(TimeInterval.parse("1931-05"),), entities=("Turin", "Ann Lee"))
    >>> moved.entities, moved.static
    (('Ann Lee', 'Turin'), False)
    """

    text: str
    id: str = ""
    source_id: str = ""
    char_start: int | None = None
    char_end: int | None = None
    times: tuple[TimeInterval, ...] = ()
    static: bool = False
    entities: tuple[str, ...] = ()
    score: int = 0
    metadata: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "times", tuple(self.times))
        object.__setattr__(self, "static", self.static and not self.times)
        object.__setattr__(self, "entities", tuple(sorted({name.strip() for name in self.entities} - {""})))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        if not self.id:
            when = "; ".join(map(str, self.times))
            object.__setattr__(self, "id", content_id("event", self.source_id, self.char_start, self.char_end, when, self.text))

    def _check(self) -> None:
        if not 0 <= self.score <= _BEST_SCORE:
            raise ValueError(f"a score counts criteria that are met, 0 to {_BEST_SCORE}, not {self.score}")
        if isinstance(cast("object", self.entities), str):
            raise TypeError(f"entities are a tuple of names, not one text: {self.entities!r}")
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError(f"give both char_start and char_end, or neither, not {self.char_start} and {self.char_end}")
        if self.char_start is not None and self.char_end is not None and not 0 <= self.char_start <= self.char_end:
            raise ValueError(f"characters {self.char_start} to {self.char_end} are no span of a text")

    @property
    def is_undated(self) -> bool:
        """True when nothing tells when it was, though it is no fact outside time."""
        return not self.times and not self.static

    def passage(self) -> Passage:
        """The event as a passage; its entities and its score are metadata."""
        told: dict[str, Scalar] = {"entities": "; ".join(self.entities)} if self.entities else {}
        return Passage(
            self.text,
            id=self.id,
            source_id=self.source_id,
            char_start=self.char_start,
            char_end=self.char_end,
            times=self.times,
            static=self.static,
            metadata={**self.metadata, **told, "score": self.score},
        )

    def to_json(self) -> dict[str, object]:
        """The event as JSON values; `from_json` is the inverse."""
        flat = {name: getattr(self, name) for name in ("text", "id", "source_id", "char_start", "char_end", "static", "score")}
        lists = {"times": [str(time) for time in self.times], "entities": list(self.entities)}
        return {**flat, **lists, "metadata": dict(self.metadata)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> EventUnit:
        """Read what `to_json` wrote."""
        return cls(**{**saved, "times": tuple(map(TimeInterval.parse, saved["times"])), "entities": tuple(saved["entities"])})

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, ({name: getattr(self, name) for name in self.__dataclass_fields__} | {"metadata": dict(self.metadata)},)


def _rebuilt(fields: dict[str, Any]) -> EventUnit:
    return EventUnit(**fields)
