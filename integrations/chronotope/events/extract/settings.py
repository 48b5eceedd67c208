"""How event units are extracted, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from chronotope.events.extract.proposals import MISSED_EVENTS, WINDOW_EVENTS, ProposedEvents
from chronotope.naming.rule_names import EntityFinder
from chronotope.prompts import Prompt
from chronotope.temporal.settings import CalendarSettings

__all__ = ["DEFAULTS", "ExtractMode", "ExtractSettings"]

ExtractMode: TypeAlias = Literal["rules", "llm"]
_CALENDAR: Final = CalendarSettings()
_BEST_SCORE = 4


@dataclass(frozen=True, kw_only=True)
class ExtractSettings:
    """How event units are extracted.

    Args:
        mode: `rules` asks no model; `llm` lets one say which events a window tells of, and still computes times by rules.
        window_tokens: size of a window in tokens; also how near a date must stand to be sure of what counts from it.
        overlap_tokens: tokens that a window repeats of the one before, in whole sentences.
        calendar: seasons, fiscal years, date order.
        min_score: criteria of information that an event must meet, 0 to 4.
        entities: finds names in a text, such as `SpacyNames`; None finds them by rules.
        second_pass: ask once more for what the first reading of a window missed.
        attempts: how often a refused reply is asked again.
        title_key: metadata key that holds the title of a document.
        prompt: replaces the prompt of the first reading.
        missed_prompt: replaces that of the second.

    Raises:
        ValueError: there is no such mode, a number is out of range, or a prompt does not show the text.

    Source: DyG-RAG, section 3.3; window and overlap from its section 4.
    """

    mode: ExtractMode = "rules"
    window_tokens: int = 1_200
    overlap_tokens: int = 64
    calendar: CalendarSettings = _CALENDAR
    min_score: int = 1
    entities: EntityFinder | None = None
    second_pass: bool = False
    attempts: int = 3
    title_key: str = "title"
    prompt: Prompt[ProposedEvents] = WINDOW_EVENTS
    missed_prompt: Prompt[ProposedEvents] = MISSED_EVENTS

    def __post_init__(self) -> None:
        if self.mode not in get_args(ExtractMode):
            raise ValueError(f"mode must be one of {', '.join(get_args(ExtractMode))}, not {self.mode!r}")
        for name, least in (("window_tokens", 1), ("attempts", 1), ("overlap_tokens", 0), ("min_score", 0)):
            if not _is_whole(getattr(self, name), least):
                raise ValueError(f"{name} must be a whole number of at least {least}, not {getattr(self, name)!r}")
        if self.overlap_tokens >= self.window_tokens:
            raise ValueError(f"overlap_tokens must be below window_tokens={self.window_tokens}, not {self.overlap_tokens}")
        if self.min_score > _BEST_SCORE:
            raise ValueError(f"min_score counts criteria, 0 to {_BEST_SCORE}, not {self.min_score}")
        if self.entities is not None and not callable(self.entities):
            raise ValueError(f"entities must be callable with a text, not {self.entities!r}")
        for name in ("prompt", "missed_prompt"):
            if "text" not in getattr(self, name).variables:
                raise ValueError(f"{name} does not show the text: it lacks $text")


def _is_whole(value: Any, least: int) -> bool:  # noqa: ANN401 - whatever a caller gave
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


DEFAULTS: Final = ExtractSettings()
