"""What a story graph is made of: facts as they are told, each with its coordinates and the words that tell it, and entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast, get_args

from chronotope.records import Passage, Scalar, content_id
from chronotope.slices.story_time import axis_of, read_story_time, write_story_time
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["Confidence", "Entity", "Fact"]

Confidence: TypeAlias = Literal["high", "low"]


@dataclass(frozen=True, kw_only=True)
class Entity:
    """Somebody or something of a story.

    Args:
        name: what it is called.
        id: a name that no other entity has; the name itself when empty. Two bearers of one name need it.
        type: a type of the ontology; empty when unknown.
        aliases: other names.
        metadata: everything else that rules may read, such as `gender`; flat JSON scalars.

    >>> Entity(name="Li Wei", id="Li Wei of the mill", type="person", aliases=("the clerk",)).names
    ('Li Wei', 'the clerk')
    """

    name: str
    id: str = ""
    type: str = ""
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("an entity needs a name")
        if isinstance(cast("object", self.aliases), str):
            raise TypeError(f"aliases are a tuple of names, not one text: {self.aliases!r}")
        object.__setattr__(self, "id", self.id or self.name)
        object.__setattr__(self, "aliases", tuple(dict.fromkeys(name for name in self.aliases if name.strip())))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, then the others."""
        return tuple(dict.fromkeys((self.name, *self.aliases)))

    def to_json(self) -> dict[str, object]:
        """The entity as JSON values; `from_json` is the inverse."""
        return {"name": self.name, "id": self.id, "type": self.type, "aliases": list(self.aliases), "metadata": dict(self.metadata)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Entity:
        """Read what `to_json` wrote."""
        return cls(**{**saved, "aliases": tuple(saved["aliases"])})

    def __reduce__(self) -> tuple[Any, ...]:
        return Entity.from_json, (self.to_json(),)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One statement of a story at one place of its text.

    Args:
        subject: name or id of an entity.
        relation: a relation of the ontology.
        object: name or id of an entity, or a value; empty for a relation that has none, such as a death.
        chapter: number of the chapter that tells it (t_c), None when the source has none.
        story: when it happened or held in the story (t_n), as far as the text says: `TimeInterval`s where the story has a calendar,
            else `Interval`s of ticks. Empty where the text says nothing: then it is so when its chapter plays.
        place: name of the place where it happens (σ), empty when unknown.
        quote: the words that tell it, copied from the source; empty when there are none.
        source_id: id of the document.
        char_start: first character of the quotation in the document, or None when unknown.
        char_end: first character after it.
        confidence: `low` where soft rules doubt it.
        metadata: everything else, flat JSON scalars.
        id: a stable name; a hash of all that is told when empty.

    Raises:
        ValueError: no subject or relation, characters that form no span, or times of both axes.

    Source: NS-ST-GraphRAG, figures 1 and 3.

    >>> fact = Fact(subject="Ann Lee", relation="married_to", object="Tom Rask", chapter=3, quote="Ann and Tom were wed.")
    >>> fact.text, fact.statement
    ('Ann and Tom were wed.', 'Ann Lee — married to — Tom Rask')
    """

    subject: str
    relation: str
    object: str = ""
    chapter: int | None = None
    story: tuple[Interval, ...] = ()
    place: str = ""
    quote: str = ""
    source_id: str = ""
    char_start: int | None = None
    char_end: int | None = None
    confidence: Confidence = "high"
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    id: str = ""

    def __post_init__(self) -> None:
        if isinstance(cast("object", self.story), Interval):
            raise TypeError(f"story is a tuple of intervals, not one: write ({self.story!r},)")
        object.__setattr__(self, "story", tuple(self.story))
        self._check()
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        if not self.id:
            where = (self.chapter, self.place, self.source_id, self.char_start, self.char_end)
            when = "; ".join(map(write_story_time, self.story))
            object.__setattr__(self, "id", content_id("fact", self.subject, self.relation, self.object, *where, when, self.quote))

    def _check(self) -> None:
        for name in ("subject", "relation"):
            if not getattr(self, name).strip():
                raise ValueError(f"a fact needs a {name}: {self.subject!r} {self.relation!r} {self.object!r}")
        if self.confidence not in get_args(Confidence):
            raise ValueError(f"confidence must be high or low, not {self.confidence!r}")
        if len({axis_of(interval) for interval in self.story}) > 1:
            raise ValueError(f"the times of {self.statement!r} lie on two axes: {', '.join(map(write_story_time, self.story))}")
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError(f"give both char_start and char_end, or neither, not {self.char_start} and {self.char_end}")
        if self.char_start is not None and self.char_end is not None and not 0 <= self.char_start <= self.char_end:
            raise ValueError(f"characters {self.char_start} to {self.char_end} are no span of a text")

    @property
    def statement(self) -> str:
        """Subject, relation and object on one line."""
        told = (self.subject, self.relation.replace("_", " "), self.object)
        return " — ".join(part for part in told if part)

    @property
    def text(self) -> str:
        """What is shown to a reader: the words that tell it, or the statement where there are none."""
        return self.quote or self.statement

    def passage(self) -> Passage:
        """The fact as a passage: its words, with its coordinates as metadata."""
        told: dict[str, Scalar] = {"statement": self.statement, "confidence": self.confidence}
        told |= {"entities": "; ".join(name for name in (self.subject, self.object) if name)}
        told |= {"chapter": self.chapter} if self.chapter is not None else {}
        told |= {"story_time": "; ".join(map(write_story_time, self.story))} if self.story else {}
        told |= {"place": self.place} if self.place else {}
        times = tuple(time for time in self.story if isinstance(time, TimeInterval))
        return Passage(
            self.text,
            id=self.id,
            source_id=self.source_id,
            char_start=self.char_start,
            char_end=self.char_end,
            times=times,
            metadata={**self.metadata, **told},
        )

    def to_json(self) -> dict[str, Any]:
        """The fact as JSON values; `from_json` is the inverse."""
        flat = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("story", "metadata")}
        axis = axis_of(self.story[0]) if self.story else "ticks"
        return {**flat, "axis": axis, "story": [write_story_time(time) for time in self.story], "metadata": dict(self.metadata)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Fact:
        """Read what `to_json` wrote."""
        fields = {name: value for name, value in saved.items() if name != "axis"}
        return cls(**{**fields, "story": tuple(read_story_time(text, saved["axis"]) for text in saved["story"])})

    def __reduce__(self) -> tuple[Any, ...]:
        return Fact.from_json, (self.to_json(),)
