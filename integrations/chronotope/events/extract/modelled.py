"""Events that a model finds in windows of a source: it proposes words of the text, and rules say when that was."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from chronotope.errors import ReplyError
from chronotope.events.extract.grounding import Found, candidate, ground
from chronotope.events.extract.merging import Candidate
from chronotope.events.extract.proposals import ProposedEvent, ProposedEvents
from chronotope.events.extract.rules import SourceReading
from chronotope.events.extract.settings import ExtractSettings
from chronotope.events.extract.sources import Piece, Source
from chronotope.prompts import Prompt, fence
from chronotope.records import Issue
from chronotope.steps import Step, ask, ask_in_halves, gather
from chronotope.text import window_spans

__all__ = ["propose"]


@dataclass(frozen=True)
class _Window:
    """Sentences of one piece that are shown at once, by their numbers among those of the source."""

    piece: Piece
    rows: tuple[int, ...]


@dataclass(frozen=True)
class _Outcome:
    """What came of a window; refused when no reply to it was acceptable."""

    found: Found
    refused: bool = False


def propose(source: Source, reading: SourceReading, settings: ExtractSettings) -> Step[tuple[list[Candidate], tuple[Issue, ...]]]:
    """Ask a model which sentences of a source tell events.

    Args:
        source: the source.
        reading: its sentences as rules read them.
        settings: windows, prompts, attempts.

    Returns:
        Candidates in source order, one a sentence, and issues. Where no reply to a window was acceptable, rules stand in.
    """
    windows = _windows(reading, settings)
    outcomes = yield from gather([_of_window(window, source, reading, settings) for window in windows])
    proposed: dict[int, list[ProposedEvent]] = {}
    for outcome in outcomes:
        for row, event in outcome.found.events:
            proposed.setdefault(row, []).append(event)
    pairs = zip(windows, outcomes, strict=True)
    refused = {row for window, outcome in pairs if outcome.refused for row in window.rows if reading.readings[row].is_event}
    issues = [issue for outcome in outcomes for issue in outcome.found.issues]
    candidates = []
    for row in sorted({*proposed, *refused}):
        if row in proposed:
            made, odd = candidate(reading.readings[row], row, proposed[row], reading.aliases, source.id)
            issues += odd
        else:
            made = Candidate.of(reading.readings[row], row).with_told("extracted_by", "rules")
        candidates.append(made)
    return candidates, tuple(issues)


def _windows(reading: SourceReading, settings: ExtractSettings) -> list[_Window]:
    """Windows of whole sentences over each piece; those without anything to read are left out."""
    windows = []
    numbered = enumerate(reading.readings)
    for _, part in groupby(numbered, key=lambda pair: id(pair[1].piece)):
        rows = list(part)
        piece, starts, first = rows[0][1].piece, [one.span[0] for _, one in rows], rows[0][0]
        for start, end in window_spans(piece.text, max_tokens=settings.window_tokens, overlap=settings.overlap_tokens):
            inside = range(first + bisect_left(starts, start), first + bisect_left(starts, end))
            if any(reading.readings[row].is_event for row in inside):
                windows.append(_Window(piece, tuple(inside)))
    return windows


def _of_window(window: _Window, source: Source, reading: SourceReading, settings: ExtractSettings) -> Step[_Outcome]:
    """Both readings of a window; a refused reply becomes an issue that names the characters."""
    try:
        found = yield from _asked(settings.prompt, window, source, reading, settings, "")
    except ReplyError as error:
        return _Outcome(Found(issues=(_refused(error, window, source, reading, "rules alone read them"),)), refused=True)
    if not settings.second_pass:
        return _Outcome(found)
    quotes = fence("\n".join(dict.fromkeys(event.quote for _, event in found.events)) or "nothing", "found")
    try:
        missed = yield from _asked(settings.missed_prompt, window, source, reading, settings, quotes)
    except ReplyError as error:
        missed = Found(issues=(_refused(error, window, source, reading, "what the first reading missed stays missed"),))
    return _Outcome(found + missed)


def _refused(error: ReplyError, window: _Window, source: Source, reading: SourceReading, then: str) -> Issue:
    start, end = (
        reading.readings[row].span[side] + (window.piece.start or 0) for row, side in ((window.rows[0], 0), (window.rows[-1], 1))
    )
    return Issue("reply_refused", f"characters {start} to {end}: {error}; {then}", source.id)


def _asked(
    prompt: Prompt[ProposedEvents], window: _Window, source: Source, reading: SourceReading, settings: ExtractSettings, found: str
) -> Step[Found]:
    """What a model says of a window, in halves where its reply is cut."""

    def make(rows: Sequence[int]) -> Step[Found]:
        text = window.piece.text[reading.readings[rows[0]].span[0] : reading.readings[rows[-1]].span[1]]
        shown = {row: reading.readings[row] for row in rows}
        given: dict[str, Any] = {
            "title": source.title or "unknown",
            "published": window.piece.published or "unknown",
            "found": found,
        }
        check = partial(ground, shown=shown, title=source.title, source_id=source.id)
        return ask(prompt, check=check, attempts=settings.attempts, text=fence(text, "text"), **given)

    parts = yield from ask_in_halves(make, window.rows)
    cut = [
        Issue("reply_cut", "the model stopped in the middle of one sentence's events", source.id)
        for *_, was_cut in parts
        if was_cut
    ]
    return sum((part for _, part, _ in parts), Found(issues=tuple(cut)))
