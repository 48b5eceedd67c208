"""What a question about a story asks: which chapters, which story time, which places, whom; and how the question was understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from chronotope.records import Issue
from chronotope.temporal.interval import Interval

__all__ = ["Landmark", "ReadBy", "StoryScope"]

ReadBy: TypeAlias = Literal["rules", "model", "given"]


@dataclass(frozen=True, kw_only=True)
class Landmark:
    """An event of the story by which a question or a text places itself: "before the investigation".

    Args:
        text: the words of the question.
        entity: id of the event's entity, or of the fact that tells it.
        interval: when it was.
        side: what of the axis is asked: before it, during it, after it.
    """

    text: str
    entity: str
    interval: Interval
    side: Literal["before", "during", "after"]


@dataclass(frozen=True, kw_only=True)
class StoryScope:
    """A question taken apart.

    Args:
        question: as it was asked.
        core: the question without its phrases of time and chapter.
        chapters: chapters asked about, as intervals of chapter numbers; empty when none are.
        told: chapters of which the question asks what is told in them, whenever it happened; empty when none are.
        story: story time asked about; empty when none is. Disjoint times stay disjoint.
        places: names of places asked about, as ids of the graph.
        entities: ids of the entities that the question names, in its order.
        relations: relations that its words name.
        landmarks: events that its time phrases name.
        reader_at: last chapter that the reader knows; None for all.
        unresolved: time phrases that nothing could place.
        read_by: who understood it.
        issues: what a careful user should know of this reading.
    """

    question: str
    core: str = ""
    chapters: tuple[Interval, ...] = ()
    told: tuple[Interval, ...] = ()
    story: tuple[Interval, ...] = ()
    places: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    reader_at: int | None = None
    unresolved: tuple[str, ...] = ()
    read_by: ReadBy = "rules"
    issues: tuple[Issue, ...] = ()

    @property
    def is_bound(self) -> bool:
        """True when the question asks for a chapter, a time or a place."""
        return bool(self.chapters or self.told or self.story or self.places)
