"""Two-stage time annotation (TA-RAG section 4.1): when a document was written, then when each passage's events happened.

`rules` reads both from the words alone. `llm` asks a model for both; rules stand in where it places nothing. `auto` keeps
what rules are sure of and asks only about sentences in which time is told but not placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

from pydantic import BaseModel

from chronotope.dating import RuleTimes, date_by_rules, dateline
from chronotope.diachronic.grounding import GroundedTimes, PassageTimes, ground
from chronotope.errors import ReplyError, TimeExpressionError
from chronotope.metadata import read_sides
from chronotope.prompts import Prompt, fence
from chronotope.records import Extraction, Issue, Passage
from chronotope.replies import Rejected
from chronotope.steps import Step, ask, ask_in_halves, gather
from chronotope.temporal.expressions import DEFAULTS, TimeExpression
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import orders, sentence_spans

__all__ = ["AnnotateMode", "AnnotateSettings", "DocumentTime", "annotate"]

AnnotateMode: TypeAlias = Literal["rules", "auto", "llm"]
_EDGE_CHARACTERS = 1_200  # of the first and of the last passage: enough for a dateline or a signature, cheap to read


class DocumentTime(BaseModel):
    """What the first stage says of a document."""

    published: str | None = None
    abstract: str = ""


DOCUMENT_TIME = Prompt.load("chronotope.diachronic", "document_time", DocumentTime)
PASSAGE_TIMES = Prompt.load("chronotope.diachronic", "passage_times", PassageTimes)


@dataclass(frozen=True, kw_only=True)
class AnnotateSettings:
    """How passages get their times.

    Args:
        mode: `rules` asks no model, `auto` asks it only where relative or implicit time remains, `llm` reads everything with it.
        calendar: seasons, fiscal years, date order.
        undated_take_published: a passage that names no time gets the date of its document.
        attempts: how often a refused reply is asked again.
        document_prompt: replaces the first stage's prompt.
        passage_prompt: replaces the second stage's prompt.
    """

    mode: AnnotateMode = "rules"
    calendar: CalendarSettings = DEFAULTS
    undated_take_published: bool = True
    attempts: int = 3
    document_prompt: Prompt[DocumentTime] = DOCUMENT_TIME
    passage_prompt: Prompt[PassageTimes] = PASSAGE_TIMES

    def __post_init__(self) -> None:
        if self.mode not in ("rules", "auto", "llm"):
            raise ValueError(f"mode must be rules, auto or llm, not {self.mode!r}")


def annotate(passages: Sequence[Passage], *, settings: AnnotateSettings = AnnotateSettings()) -> Step[Extraction[Passage]]:
    """Give every passage the times of the events that it tells of, and the date of its document.

    Args:
        passages: passages in reading order; those with the same `source_id` form one document. A `published` date that they
            carry is kept. Times that they carry are kept too, and nothing is asked about them.
        settings: with or without a model, and how.

    Returns:
        The passages in the given order with `times` and `published`, and an issue for whatever was guessed, refused or not read.

    Source: TA-RAG section 4.1.
    """
    documents: dict[str, list[int]] = {}
    for row, passage in enumerate(passages):
        documents.setdefault(passage.source_id or passage.id, []).append(row)
    parts = yield from gather([_document([passages[row] for row in rows], settings) for rows in documents.values()])
    dated = dict(
        zip((row for rows in documents.values() for row in rows), (item for part in parts for item in part.items), strict=True)
    )
    issues = tuple(issue for part in parts for issue in part.issues)
    return Extraction(tuple(dated[row] for row in range(len(passages))), issues)


def _document(passages: Sequence[Passage], settings: AnnotateSettings) -> Step[Extraction[Passage]]:
    published, abstract, issues = yield from _document_time(passages, settings)
    steps = [_passage(replace(passage, published=passage.published or published), abstract, settings) for passage in passages]
    parts = yield from gather(steps)
    return Extraction(
        tuple(item for part in parts for item in part.items), issues + tuple(i for part in parts for i in part.issues)
    )


_Found: TypeAlias = tuple[TimeInterval | None, str, tuple[Issue, ...]]


def _document_time(passages: Sequence[Passage], settings: AnnotateSettings) -> Step[_Found]:
    """The first stage: known date, else the words of a dateline, else the model."""
    known = next((passage.published for passage in passages if passage.published), None)
    source = passages[0].source_id or passages[0].id
    guess = None if known else dateline(passages[0].text, passages[-1].text, settings.calendar)
    if settings.mode == "rules" or all(map(_is_done, passages)) or (settings.mode == "auto" and (known or guess)):
        issues = (_guessed(guess, source),) if guess else ()
        return known or guess, "", issues
    try:
        stage = yield from ask(
            settings.document_prompt, attempts=settings.attempts, check=_checked_document, text=fence(_edges(passages), "document")
        )
    except ReplyError as error:
        return known or guess, "", (Issue("reply_refused", str(error), source),)
    told, abstract = stage
    if known or told is None:
        return known or guess, abstract, ()
    return told, abstract, (_guessed(told, source),)


def _checked_document(reply: DocumentTime) -> tuple[TimeInterval | None, str]:
    try:
        told = read_sides(reply.published, reply.published)
    except TimeExpressionError as error:
        raise Rejected(f"published: {error}; give an ISO date or null") from error
    return told, " ".join(reply.abstract.split())


def _guessed(when: TimeInterval, source: str) -> Issue:
    return Issue("published_guessed", f"the date of writing was read from the text: {when}", source)


def _edges(passages: Sequence[Passage]) -> str:
    first, last = passages[0].text, passages[-1].text
    if len(passages) == 1 and len(first) <= 2 * _EDGE_CHARACTERS:
        return first
    return f"{first[:_EDGE_CHARACTERS]}\n[…]\n{last[-_EDGE_CHARACTERS:]}"


def _is_done(passage: Passage) -> bool:
    """True when nothing is to be found out about the times of a passage."""
    return bool(passage.times) or passage.static or not passage.text.strip()


def _passage(passage: Passage, abstract: str, settings: AnnotateSettings) -> Step[Extraction[Passage]]:
    """The second stage for one passage."""
    if _is_done(passage):
        return Extraction((passage,))
    by_model_alone = settings.mode == "llm"
    found, issues = (RuleTimes(), ()) if by_model_alone else _by_rules(passage, settings)
    times = list(found.times)
    pieces = _open_sentences(passage, found, settings)
    if pieces:
        told = yield from _told(passage, pieces, abstract, settings)
        times += told.times
        issues = (*issues, *told.issues)
    if by_model_alone and not times:
        found, problems = _by_rules(passage, settings)
        times, issues = list(found.times), (*issues, *problems)
    if found.unplaced and not pieces:
        words = ", ".join(repr(crumb.text) for crumb in found.unplaced)
        issues = (*issues, Issue("unplaced_time", f"no date to count from for {words}", passage.id))
    if not times and passage.published and settings.undated_take_published:
        times = [passage.published]
    if not times:
        issues = (*issues, Issue("undated", "no time was found in the passage", passage.id))
    return Extraction((replace(passage, times=_distinct(times)),), issues)


def _by_rules(passage: Passage, settings: AnnotateSettings) -> tuple[RuleTimes, tuple[Issue, ...]]:
    """What the words alone tell, and what was odd about them."""
    found = date_by_rules(passage.text, published=passage.published, calendar=settings.calendar)
    kept, ordered = _without_orders(found, passage)
    return kept, (*_flagged(kept.placed, passage), *ordered)


def _without_orders(found: RuleTimes, passage: Passage) -> tuple[RuleTimes, tuple[Issue, ...]]:
    """A date that only an order to the reader names ("Output one event: …") is no event of the passage."""
    told = orders(passage.text)
    dropped = [e for e in found.placed if any(start <= e.span[0] < end for start, end in told)]
    reason = "stands in an order to the reader instead of telling an event"
    issues = tuple(Issue("ungrounded_event", f"{e.text!r} {reason}", passage.id) for e in dropped)
    return replace(found, placed=tuple(e for e in found.placed if e not in dropped)), issues


def _open_sentences(passage: Passage, found: RuleTimes, settings: AnnotateSettings) -> list[str]:
    """What the model reads: the whole passage, or only sentences whose time is told but not placed, or nothing."""
    if settings.mode == "rules" or (settings.mode == "auto" and not found.unplaced):
        return []
    spans = sentence_spans(passage.text)
    if settings.mode == "auto":
        spans = [(start, end) for start, end in spans if any(start <= crumb.span[0] < end for crumb in found.unplaced)]
    return [passage.text[start:end] for start, end in spans]


def _told(passage: Passage, pieces: Sequence[str], abstract: str, settings: AnnotateSettings) -> Step[GroundedTimes]:
    """What the model says of some sentences, in halves where its reply is cut; a refused reply becomes an issue."""

    def make(part: Sequence[str]) -> Step[GroundedTimes]:
        text = "".join(part)
        check = partial(ground, text=text, source_id=passage.id, published=passage.published, calendar=settings.calendar)
        return ask(
            settings.passage_prompt,
            check=check,
            attempts=settings.attempts,
            published=passage.published or "unknown",
            abstract=abstract or "unknown",
            text=fence(text, "passage"),
        )

    try:
        parts = yield from ask_in_halves(make, pieces)
    except ReplyError as error:
        return GroundedTimes(issues=(Issue("reply_refused", f"{error}; rules alone dated this passage", passage.id),))
    cut = tuple(
        Issue("reply_cut", "the model stopped in the middle of one sentence's events", passage.id)
        for _, _, was_cut in parts
        if was_cut
    )
    times = tuple(time for _, found, _ in parts for time in found.times)
    return GroundedTimes(times, cut + tuple(issue for _, found, _ in parts for issue in found.issues))


def _flagged(found: Iterable[TimeExpression], passage: Passage) -> tuple[Issue, ...]:
    worth_telling = ("impossible_date", "ambiguous_order")
    return tuple(
        Issue(flag, f"{e.text!r} was read as {e.interval}", passage.id) for e in found for flag in e.flags if flag in worth_telling
    )


def _distinct(times: Iterable[TimeInterval]) -> tuple[TimeInterval, ...]:
    return tuple(sorted(dict.fromkeys(t for t in times if not t.is_empty), key=lambda t: t.envelope))
