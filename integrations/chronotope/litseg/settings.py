"""How a text is segmented, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from chronotope.litseg.changed import changed
from chronotope.litseg.headings import Headings, checked_headings
from chronotope.litseg.replies import EventsReply, LiteReply, SegmentsReply, ThreadsReply
from chronotope.litseg.rules import RuleSettings
from chronotope.litseg.stages import EVENTS, LITE, SEGMENTS, THREADS
from chronotope.prompts import Prompt

__all__ = ["DEFAULTS", "Fallback", "SegmentMode", "SegmentSettings"]

SegmentMode: TypeAlias = Literal["full", "lite", "rules"]
Fallback: TypeAlias = Literal["rules", "whole"]
_RULES: Final = RuleSettings()
_PROMPTS: Final = ("events_prompt", "threads_prompt", "segments_prompt", "lite_prompt")
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
        fallback: what becomes of a unit of which no segment of the model was usable: `rules` cut it, or it stays `whole`, as in the
            paper.
        rules: lengths and weights of the mode `rules`, and of the fallback, which compares words and asks no embedder.
        events_prompt: replaces the prompt of the first stage of `full`.
        threads_prompt: replaces that of the second.
        segments_prompt: replaces that of the third.
        lite_prompt: replaces the only prompt of `lite`.

    Raises:
        ValueError: there is no such mode or fallback, a number is below 1, a prompt does not show the chapter, or the headings are
            empty, no regular expression, negative or do not rise.
        TypeError: `headings`, `rules` or a prompt is something else.

    >>> SegmentSettings(mode="lite", max_words=3_000)
    SegmentSettings(mode='lite', max_words=3000)
    """

    mode: SegmentMode = "rules"
    headings: Headings | None = None
    max_words: int | None = None
    attempts: int = 3
    length: int = 40
    fallback: Fallback = "rules"
    rules: RuleSettings = _RULES
    events_prompt: Prompt[EventsReply] = EVENTS
    threads_prompt: Prompt[ThreadsReply] = THREADS
    segments_prompt: Prompt[SegmentsReply] = SEGMENTS
    lite_prompt: Prompt[LiteReply] = LITE

    def __post_init__(self) -> None:
        for name, allowed in (("mode", get_args(SegmentMode)), ("fallback", get_args(Fallback))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for name in ("max_words", "attempts", "length"):
            if not _is_positive(getattr(self, name)) and (name, getattr(self, name)) != ("max_words", None):
                raise ValueError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}")
        if not isinstance(self.rules, RuleSettings):
            raise TypeError(f"rules must be RuleSettings, such as RuleSettings(length=1_800), not {self.rules!r}")
        for name in _PROMPTS:
            prompt = getattr(self, name)
            if not isinstance(prompt, Prompt):
                raise TypeError(f"{name} must be a Prompt, not {type(prompt).__name__}; Prompt.with_text changes the words of one")
            if "chapter" not in prompt.variables:
                raise ValueError(f"{name} does not show the text: it lacks $chapter")
        object.__setattr__(self, "headings", checked_headings(self.headings))

    @property
    def most_words(self) -> int | None:
        """Largest size of a candidate in words; None for no limit."""
        return _READ_AT_ONCE if self.max_words is None and self.mode != "rules" else self.max_words

    def __repr__(self) -> str:
        """What differs from the defaults; prompts by name and version."""
        return changed(self)


def _is_positive(value: Any) -> bool:  # noqa: ANN401 - whatever a caller gave
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


DEFAULTS: Final = SegmentSettings()
