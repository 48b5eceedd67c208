"""What a model says of each window of a story; where no reply is acceptable, rules stand in."""

from __future__ import annotations

from collections.abc import Sequence

from chronotope.errors import ReplyError
from chronotope.prompts import fence
from chronotope.records import Issue
from chronotope.slices.extract.grounding import Ground, WindowReading, ground
from chronotope.slices.extract.guide import guide
from chronotope.slices.extract.patterns import Patterns
from chronotope.slices.extract.proposals import StoryProposals
from chronotope.slices.extract.quoting import stands_in
from chronotope.slices.extract.settings import FactSettings
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Entity
from chronotope.steps import Step, ask, ask_in_halves, gather

__all__ = ["read_windows"]

_EXPECTED = 500  # tokens of a usual reply


def read_windows(
    windows: Sequence[Window], *, known: Ground, patterns: Patterns, settings: FactSettings
) -> Step[list[WindowReading]]:
    """One reading a window, in order.

    Args:
        windows: all of them.
        known: names that count wherever they stand.
        patterns: what reads a window to which no reply was acceptable.
        settings: prompt, attempts, cast.
    """
    readings = yield from gather([_read(window, known, patterns, settings) for window in windows])
    return readings


def _read(window: Window, known: Ground, patterns: Patterns, settings: FactSettings) -> Step[WindowReading]:
    source = window.chapter.source_id
    try:
        parts = yield from ask_in_halves(lambda sentences: _asked(window.part(sentences), known, settings), window.sentences())
    except ReplyError as error:
        told = f"{window.place}: {error}; rules alone read them"
        return patterns.read(window) + WindowReading(issues=(Issue("reply_refused", told, source),))
    cut = [
        Issue("reply_cut", "the model stopped in the middle of one sentence's facts", source) for *_, was_cut in parts if was_cut
    ]
    return sum((part for _, part, _ in parts), WindowReading(issues=tuple(cut)))


def _asked(window: Window, known: Ground, settings: FactSettings) -> Step[WindowReading]:
    def check(reply: StoryProposals) -> WindowReading:
        return ground(reply, window, known)

    return ask(
        settings.prompt,
        check=check,
        attempts=settings.attempts,
        expected=_EXPECTED,
        guide=guide(settings.known),
        chapter=window.chapter.number,
        known=_names(settings.cast, window.text),
        text=fence(window.text, "text"),
    )


def _names(cast: Sequence[Entity], text: str) -> str:
    """Who of the cast is named in a window, on a line of its own; nothing where nobody is."""
    named = [entity for entity in cast if any(stands_in(name, text) for name in entity.names)]
    shown = [f"{entity.name} ({', '.join(filter(None, (entity.type, *entity.aliases)))})".replace(" ()", "") for entity in named]
    return f"Known names: {'; '.join(shown)}\n" if shown else ""
