"""How questions are put to a story, as one value, and the one step from a question to its slice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from chronotope.metadata import Times, read_intervals
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.question.ask import story_scope_by
from chronotope.slices.retrieve.retrieval_settings import SliceSettings, checked_settings
from chronotope.slices.retrieve.retrieve import SliceRetrieval, retrieve_slice
from chronotope.slices.scope import StoryScope
from chronotope.steps import Step
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["SliceAsking"]

_SETTINGS: Final = SliceSettings()


@dataclass(frozen=True, kw_only=True)
class SliceAsking:
    """How questions are understood and matched with a story.

    Args:
        settings: how to match.
        today: the day that "last year" counts from.
        calendar: seasons, fiscal years, date order.
        ask: whether a model may help with what rules cannot place.
        reader_at: last chapter that the reader knows, of every question; None for all.
        times: story time asked of every question, whatever its words say; for stories with dates.
    """

    settings: SliceSettings = _SETTINGS
    today: Today = None
    calendar: CalendarSettings = DEFAULTS
    ask: bool = False
    reader_at: int | None = None
    times: tuple[TimeInterval, ...] = ()

    @classmethod
    def of(
        cls,
        k: int | None = None,
        today: Today = None,
        *,
        has_chat: bool = False,
        settings: SliceSettings | None = None,
        calendar: CalendarSettings | None = None,
        reader_at: int | None = None,
        times: Times | None = None,
        **changes: Any,  # noqa: ANN401 - fields of SliceSettings
    ) -> SliceAsking:
        """Options as users give them, in keywords.

        Args:
            k: number of facts; None takes that of the settings.
            today: the day that "last year" counts from.
            has_chat: whether there is a model, which then helps with questions.
            settings: in place of the defaults.
            calendar: seasons, fiscal years, date order.
            reader_at: last chapter that the reader knows.
            times: asked of every question: EDTF text such as `1931-05/1932`, an interval, or several.
            changes: fields of `SliceSettings` that differ.

        Raises:
            ValueError: a setting has a value that is not allowed.
            TypeError: there is no such setting, or `reader_at` is no chapter.
            TimeExpressionError: a given time is no interval.

        >>> SliceAsking.of(5, passages=2).settings.k
        5
        """
        counted = changes if k is None else {"k": k, **changes}
        return cls(
            settings=replace(checked_settings(settings or _SETTINGS), **counted),
            today=today,
            calendar=calendar or DEFAULTS,
            ask=has_chat,
            reader_at=checked_chapter(reader_at),
            times=read_intervals(times),
        )

    def retrieve(
        self,
        index: StoryIndex,
        question: str,
        *,
        scope: StoryScope | None = None,
        reader_at: int | None = None,
        times: Times | None = None,
    ) -> Step[SliceRetrieval]:
        """Understand a question and retrieve the facts and passages of its slice.

        Args:
            index: the story.
            question: a question in plain words.
            scope: what it asks for, in place of what its words say.
            reader_at: last chapter that the reader of this question knows, in place of that of every question.
            times: story time asked by this question alone.

        Raises:
            ValueError: times are given and the story has no dates.
            TypeError: `scope` is something else, or `reader_at` is no chapter.
        """
        if not isinstance(scope, StoryScope | None):
            raise TypeError(f"the scope of one question must be a StoryScope, not {scope!r}; 'cut' and the like are settings")
        last = self.reader_at if reader_at is None else checked_chapter(reader_at)
        given = read_intervals(times) or self.times
        if given and scope is None:
            if index.graph.axis.kind != "dates":
                raise ValueError(
                    "times are dates, and this story knows only the order of its chapters; ask by chapter, or in words"
                )
            scope = yield from story_scope_by(index.reader(last), question, today=self.today, calendar=self.calendar, ask=self.ask)
            scope = replace(scope, story=given, read_by="given")
        found = yield from retrieve_slice(
            index,
            question,
            scope=scope,
            reader_at=last,
            settings=self.settings,
            today=self.today,
            calendar=self.calendar,
            ask=self.ask,
        )
        return found


def checked_chapter(given: object) -> int | None:
    """The number of a chapter, or None.

    Raises:
        TypeError: it is something else.
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise TypeError(f"reader_at must be the number of a chapter, such as reader_at=17, not {given!r}")
