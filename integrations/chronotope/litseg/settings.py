"""How a text is segmented, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from chronotope.litseg.candidates import Headings
from chronotope.litseg.replies import EventsReply, LiteReply, SegmentsReply, ThreadsReply
from chronotope.litseg.rules import RuleSettings
from chronotope.litseg.stages import EVENTS, LITE, SEGMENTS, THREADS
from chronotope.prompts import Prompt

__all__ = ["DEFAULTS", "SegmentMode", "SegmentSettings"]

SegmentMode: TypeAlias = Literal["full", "lite", "rules"]
_RULES: Final = RuleSettings()
_READ_AT_ONCE: Final = 6_000  # words


@dataclass(frozen=True, kw_only=True)
class SegmentSettings:
    """How a text is segmented.

    Args:
        mode: `full` asks a model in three stages, `lite` in one, `rules` asks none.
        headings: a pattern that matches whole heading lines, or the offsets at which units start; None finds headings.
        max_words: largest stretch that is segmented at once, in words; a longer unit is cut first. None means 6,000 for a model,
            which has to read it at once, and no limit for `rules`.
        attempts: how often a model may answer a stage.
        length: what a model is told of the usual size: a segment seldom needs more sentences. No limit; meaning decides.
        rules: lengths and weights of the mode `rules`.
        events_prompt: replaces the prompt of the first stage of `full`.
        threads_prompt: replaces that of the second.
        segments_prompt: replaces that of the third.
        lite_prompt: replaces the only prompt of `lite`.

    Raises:
        ValueError: there is no such mode, a number is below 1, or a prompt does not show the chapter.
    """

    mode: SegmentMode = "rules"
    headings: Headings | None = None
    max_words: int | None = None
    attempts: int = 3
    length: int = 40
    rules: RuleSettings = _RULES
    events_prompt: Prompt[EventsReply] = EVENTS
    threads_prompt: Prompt[ThreadsReply] = THREADS
    segments_prompt: Prompt[SegmentsReply] = SEGMENTS
    lite_prompt: Prompt[LiteReply] = LITE

    def __post_init__(self) -> None:
        if self.mode not in get_args(SegmentMode):
            raise ValueError(f"mode must be one of {', '.join(get_args(SegmentMode))}, not {self.mode!r}")
        for name in ("max_words", "attempts", "length"):
            if not _is_positive(getattr(self, name)) and (name, getattr(self, name)) != ("max_words", None):
                raise ValueError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}")
        for name in ("events_prompt", "threads_prompt", "segments_prompt", "lite_prompt"):
            if "chapter" not in getattr(self, name).variables:
                raise ValueError(f"{name} does not show the text: it lacks $chapter")

    @property
    def most_words(self) -> int | None:
        """Largest size of a candidate in words; None for no limit."""
        return _READ_AT_ONCE if self.max_words is None and self.mode != "rules" else self.max_words


def _is_positive(value: Any) -> bool:  # noqa: ANN401 - whatever a caller gave
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


DEFAULTS: Final = SegmentSettings()
