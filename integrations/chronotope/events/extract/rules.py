"""Sentences of a source with all that rules can tell of them: times, names, subject, whom their pronouns mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from chronotope.events.extract.aliases import Aliases, Mentions
from chronotope.events.extract.coreference import Clause, Resolved, Topic, is_biography, resolve, subject_of
from chronotope.events.extract.score import information_score
from chronotope.events.extract.settings import ExtractSettings
from chronotope.events.extract.sources import Piece, Source
from chronotope.events.extract.time_stack import TimeStack, Told, best_times
from chronotope.naming.rule_names import EntityFinder, Name, RuleNames, has_noun_behind
from chronotope.naming.statements import is_chinese, is_heading, is_item, is_timeless, tells_event
from chronotope.records import Issue
from chronotope.temporal.expressions import Unresolved
from chronotope.temporal.interval import TimeInterval
from chronotope.text import Span, orders, paragraph_spans, sentence_spans, trimmed

__all__ = ["Reading", "SourceReading", "read_source"]

_TOKEN_CHARACTERS = 4
_OPENING = 5  # sentences in which a document says what it is about
_SHOWN = 5
_ARTICLE = re.compile(r"\b(?:[Tt]he|[Aa]n?)\s\Z")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One sentence as rules read it.

    Args:
        piece: the stretch of the source that it stands in.
        span: its place in the text of that piece.
        paragraph: number of its paragraph, counted through the source.
        words: the sentence as it stands.
        resolved: the sentence with its first pronoun replaced, where that is sure.
        entities: names in their forms for the source, with what the pronoun means.
        subject: the name that is its subject, or None.
        told: the times in it; spans index the piece.
        context: the most recent date before it in its paragraph.
        aliases: which names were read as longer ones, and why.
        is_event: False for headings, and for orders to the reader.
    """

    piece: Piece
    span: Span
    paragraph: int
    words: str
    resolved: Resolved
    entities: tuple[str, ...] = ()
    subject: str | None = None
    told: tuple[Told, ...] = ()
    context: TimeInterval | None = None
    aliases: tuple[str, ...] = ()
    is_event: bool = True

    @property
    def times(self) -> tuple[TimeInterval, ...]:
        """When it was; empty when the sentence does not say."""
        return best_times(self.told)

    @property
    def is_static(self) -> bool:
        """True for a fact outside time."""
        return not self.told and is_timeless(self.words, about_name=self.subject is not None)

    def score(self, entities: Sequence[str], times: Sequence[TimeInterval]) -> int:
        """The information score with the given names and times."""
        spans = [(one.span[0] - self.span[0], one.span[1] - self.span[0]) for one in self.told]
        return information_score(
            self.words,
            entities=entities,
            times=times,
            told=spans,
            change=tells_event(self.words) or (bool(times) and is_chinese(self.words)),
        )


@dataclass(frozen=True)
class SourceReading:
    """All sentences of a source in reading order, what its names are read as, and what was odd."""

    readings: tuple[Reading, ...] = ()
    aliases: Aliases = field(default_factory=Aliases)
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True)
class _Line:
    """A sentence before anything is read from it."""

    piece: int
    span: Span
    paragraph: int
    words: str
    names: tuple[Name, ...]
    is_event: bool


def read_source(source: Source, settings: ExtractSettings) -> SourceReading:
    """Read every sentence of a source by rules.

    Args:
        source: a document, or passages of one.
        settings: calendar, window, and what finds names.
    """
    issues: list[Issue] = []
    lines = list(_lines(source, settings.entities, issues))
    mentions = Mentions()
    for line in lines:
        mentions.read(line.words, line.names)
    aliases = Aliases.of(mentions, source.subject if is_biography(line.words for line in lines) else "", source.subject)
    known = {*aliases.forms.values()}
    clauses = [subject_of(line.words, _meant(line, aliases)) for line in lines]
    clauses = [replace(clause, doubtful=mentions.is_doubtful(clause.subject, known)) for clause in clauses]
    topic = _topic(source, lines, clauses)
    times = _times(source, lines, settings, issues)
    readings, before = [], None
    for place, (line, clause, (told, context)) in enumerate(zip(lines, clauses, times, strict=True)):
        new = place == 0 or lines[place - 1].paragraph != line.paragraph
        reading, before = _read(source.pieces[line.piece], line, clause, None if new else before, topic, aliases, told, context)
        readings.append(reading)
    return SourceReading(tuple(readings), aliases, tuple(issues))


def _lines(source: Source, finder: EntityFinder | None, issues: list[Issue]) -> Iterator[_Line]:
    """The sentences of all pieces, each once where pieces overlap."""
    rules = RuleNames.of(*(piece.text for piece in source.pieces), source.title)
    paragraph, covered = -1, -1
    for number, piece in enumerate(source.pieces):
        told = orders(piece.text)
        issues += [_order(piece.text[start:end], source.id) for start, end in told]
        forbidden = set(told)
        for sentences in _paragraphs(piece.text):
            paragraph += 1
            alone = len(sentences) == 1
            kept = [
                (span, whole)
                for whole in sentences
                if (span := trimmed(piece.text, whole)) and (piece.start is None or piece.start + span[1] > covered)
            ]
            names = _named(piece.text, [span for span, _ in kept], finder, rules)
            for (span, whole), found in zip(kept, names, strict=True):
                words = piece.text[slice(*span)]
                is_event = whole not in forbidden and not ((alone or is_item(words)) and is_heading(words))
                yield _Line(number, span, paragraph, words, tuple(found), is_event)
        if piece.start is not None:
            covered = max(covered, piece.start + len(piece.text))


def _order(words: str, source: str) -> Issue:
    return Issue("ungrounded_event", f"{words.strip()[:200]!r} gives orders to the reader instead of telling an event", source)


def _paragraphs(text: str) -> Iterator[list[Span]]:
    """The sentences of each paragraph."""
    borders = [start for start, _ in paragraph_spans(text)]
    group: list[Span] = []
    number = -1
    for span in sentence_spans(text):
        own = bisect_right(borders, span[0])
        if group and own != number:
            yield group
            group = []
        number = own
        group.append(span)
    if group:
        yield group


def _named(text: str, spans: Sequence[Span], finder: EntityFinder | None, rules: RuleNames) -> list[list[Name]]:
    """The names of each sentence of a paragraph; spans count from its beginning."""
    if finder is None:
        return [rules(text[start:end]) for start, end in spans]
    found: list[list[Name]] = [[] for _ in spans]
    if not spans:
        return found
    first, starts = spans[0][0], [start for start, _ in spans]
    for (start, end), name in finder(text[first : spans[-1][1]]):
        place = bisect_right(starts, first + start) - 1
        if name.strip():
            found[place].append(((first + start - starts[place], first + end - starts[place]), " ".join(name.split())))
    return found


def _topic(source: Source, lines: Sequence[_Line], clauses: Sequence[Clause]) -> Topic:
    opening = [place for place, line in enumerate(lines[: 4 * _OPENING]) if line.is_event][:_OPENING]
    definition = next((lines[place].words for place in opening if clauses[place].subject == source.subject), "")
    return Topic.of(source.subject, (line.words for line in lines), definition=definition)


def _meant(line: _Line, aliases: Aliases) -> list[Name]:
    """The names of a sentence in the form that stands for each."""
    return [(span, name if _describes(line.words, span) else aliases(name)) for span, name in line.names]


def _describes(words: str, span: Span) -> bool:
    """True for the name in "the Oyen lens", which is not the person's."""
    start, end = span
    article = " " not in words[start:end] and _ARTICLE.search(words, max(0, start - 5), start)
    return bool(article) and has_noun_behind(words, end, surely=False)


_Timed = tuple[tuple[Told, ...], TimeInterval | None]


def _times(source: Source, lines: Sequence[_Line], settings: ExtractSettings, issues: list[Issue]) -> list[_Timed]:
    """The times of each sentence, and the date before it in its paragraph."""
    timed: list[_Timed] = [((), None)] * len(lines)
    lost: list[Unresolved] = []
    stack: TimeStack | None = None
    window = settings.window_tokens * _TOKEN_CHARACTERS
    for rows in _by_paragraph(lines):
        piece = source.pieces[lines[rows[0]].piece]
        stack = stack or TimeStack(published=piece.published, calendar=settings.calendar, window=window)
        told, open_crumbs = stack.read(piece.text, [lines[row].span for row in rows], at=piece.start or 0)
        lost += open_crumbs
        issues += [
            _odd(one, flag, source.id) for one in told for flag in one.flags if flag in ("impossible_date", "ambiguous_order")
        ]
        starts, context = [lines[row].span[0] for row in rows], None
        own: list[list[Told]] = [[] for _ in rows]
        for one in told:
            own[max(0, bisect_right(starts, one.span[0]) - 1)].append(one)
        for row, found in zip(rows, own, strict=True):
            timed[row] = (tuple(found), context)
            context = next((one.time for one in reversed(found) if "excluded" not in one.flags), context)
    if lost:
        shown = ", ".join(repr(crumb.text) for crumb in lost[:_SHOWN])
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        issues.append(Issue("unplaced_time", f"no date to count from for {shown}{more}", source.id))
    return timed


def _odd(one: Told, flag: str, source: str) -> Issue:
    return Issue(flag, f"the words at character {one.span[0]} were read as {one.time}", source)


def _by_paragraph(lines: Sequence[_Line]) -> Iterator[list[int]]:
    """Rows of each paragraph, without those that tell no event: a date that only an order names is none."""
    rows: list[int] = []
    for row, line in enumerate(lines):
        if rows and lines[rows[0]].paragraph != line.paragraph:
            yield rows
            rows = []
        if line.is_event:
            rows.append(row)
    if rows:
        yield rows


def _read(
    piece: Piece,
    line: _Line,
    clause: Clause,
    before: Clause | None,
    topic: Topic,
    aliases: Aliases,
    told: tuple[Told, ...],
    context: TimeInterval | None,
) -> tuple[Reading, Clause]:
    """One sentence, and what it leaves behind for the next."""
    resolved = resolve(line.words, before, topic, first_name=line.names[0][0][0] if line.names else None)
    meant = resolved.meant or (topic.name if topic.is_meant(line.words) else None)
    owned = resolved.pronoun in ("His", "Her", "Its", "Their")
    subject = clause.subject or (None if owned or not resolved.sure else meant)
    entities = dict.fromkeys([*(name for _, name in _meant(line, aliases)), *([meant] if meant else [])])
    reading = Reading(
        piece=piece,
        span=line.span,
        paragraph=line.paragraph,
        words=line.words,
        resolved=resolved,
        entities=tuple(entities),
        subject=subject,
        told=told,
        context=context,
        aliases=aliases.told([name for span, name in line.names if not _describes(line.words, span)]),
        is_event=line.is_event,
    )
    return reading, replace(clause, subject=subject)
