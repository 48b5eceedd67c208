"""Trust in a model's events: their words and names must stand in the text, and dates that rules read there win over the model's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chronotope.errors import TimeExpressionError
from chronotope.events.extract.aliases import Aliases
from chronotope.events.extract.merging import Candidate
from chronotope.events.extract.proposals import ProposedEvent, ProposedEvents
from chronotope.events.extract.rules import Reading
from chronotope.metadata import read_sides
from chronotope.naming.rule_names import plain_name
from chronotope.records import Issue
from chronotope.temporal.calendar import to_seconds
from chronotope.temporal.interval import TimeInterval
from chronotope.text import is_quoted

__all__ = ["Found", "candidate", "ground"]

_WIDEST = 3  # neighbouring sentences that one quotation may run through
_EARLIEST, _LATEST = to_seconds(-4_000), to_seconds(2_200)
_UNESCAPED = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"})
_PRONOUN = re.compile(r"(?:I|he|she|it|they|we|you|him|her|them|his|hers|its|their|us|who|this|that)", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """What stands of a model's replies: events, each with the number of a sentence that tells it, and what was odd."""

    events: tuple[tuple[int, ProposedEvent], ...] = ()
    issues: tuple[Issue, ...] = ()

    def __add__(self, other: Found) -> Found:
        return Found(self.events + other.events, self.issues + other.issues)


def ground(reply: ProposedEvents, shown: Mapping[int, Reading], title: str, source_id: str) -> Found:
    """Keep the events whose quotation stands in the sentences shown, and of each the names and time words that stand there too.

    Args:
        reply: what the model answered.
        shown: the sentences that it saw, by number, in order.
        title: the title that it saw.
        source_id: what to call the source in an issue.
    """
    events: list[tuple[int, ProposedEvent]] = []
    issues: list[Issue] = []
    text = "\n".join([title, *(reading.words for reading in shown.values())])
    for event in reply.events:
        rows = _rows(event, shown)
        kept = [row for row in rows if shown[row].is_event]
        if not kept:
            why = "gives orders to the reader or is a heading" if rows else "does not stand in the text"
            issues.append(Issue("ungrounded_event", f"{event.quote!r} {why}", source_id))
            continue
        grounded, odd = _grounded(event, text, source_id)
        issues += odd
        events += [(row, grounded) for row in kept]
    return Found(tuple(events), tuple(issues))


def _rows(event: ProposedEvent, shown: Mapping[int, Reading]) -> tuple[int, ...]:
    r"""The sentence that holds a quotation, the one with its time words first; else the few that it runs through.

    A model that copies C:\new into JSON says a new line and "ew", so that is tried as well.
    """
    return _holding(event.quote, event.time, shown) or _holding(event.quote.translate(_UNESCAPED), event.time, shown)


def _holding(quote: str, time: str | None, shown: Mapping[int, Reading]) -> tuple[int, ...]:
    numbers = list(shown)
    for width in range(1, _WIDEST + 1):
        found = []
        for first in range(len(numbers) - width + 1):
            rows = tuple(numbers[first : first + width])
            if is_quoted(quote, " ".join(shown[row].words for row in rows)):
                found.append(rows)
        if found:
            return next((rows for rows in found if time and is_quoted(time, shown[rows[0]].words)), found[0])
    return ()


def _grounded(event: ProposedEvent, text: str, source_id: str) -> tuple[ProposedEvent, list[Issue]]:
    names = [name for name in event.entities if name.strip() and not _PRONOUN.fullmatch(name.strip())]
    kept = [name for name in names if is_quoted(name, text)]
    issues = [Issue("ungrounded_entity", f"{name!r} does not stand in the text", source_id) for name in names if name not in kept]
    time = event.time if event.time and is_quoted(event.time, text) else None
    return event.model_copy(update={"entities": kept, "time": time}), issues


def candidate(
    reading: Reading, number: int, events: Sequence[ProposedEvent], aliases: Aliases, source_id: str
) -> tuple[Candidate, list[Issue]]:
    """The event of one sentence, from all that a model said of it.

    Args:
        reading: the sentence as rules read it.
        number: its place among the sentences of the source.
        events: what the model said, grounded.
        aliases: forms of the names of the source.
        source_id: what to call the source in an issue.
    """
    by_rules = Candidate.of(reading, number)
    issues: list[Issue] = []
    told = [time for event in events if (time := _sides(event, source_id, issues)) is not None]
    names = [plain_name(name) for event in events for name in event.entities]
    entities = tuple(dict.fromkeys([*map(aliases, names), *([reading.resolved.meant] if reading.resolved.meant else [])]))
    entities = entities if names else by_rules.entities
    times, extra = by_rules.times, by_rules.told
    if times:
        wrong = [time for time in told if not any(_agree(time, own) for own in times)]
        issues += [_disagreement(time, times, reading, source_id) for time in wrong]
    elif told:
        times = _believed(told, events, reading, source_id, issues)
        extra = (*extra, ("time_basis", "model"), ("confidence", "low")) if times else extra
    score = reading.score(entities, times)
    return Candidate(reading=reading, number=number, entities=entities, times=times, score=score, told=extra), issues


def _sides(event: ProposedEvent, source_id: str, issues: list[Issue]) -> TimeInterval | None:
    try:
        return read_sides(event.start, event.end)
    except TimeExpressionError as error:
        issues.append(Issue("bad_date", f"{event.quote!r}: {error}; the model's date is left out", source_id))
        return None


def _agree(one: TimeInterval, other: TimeInterval) -> bool:
    return one.contains(other) or other.contains(one)


def _disagreement(time: TimeInterval, own: Sequence[TimeInterval], reading: Reading, source_id: str) -> Issue:
    words = " ".join(reading.words.split())[:120]
    return Issue("model_disagrees", f"{words!r} tells {'; '.join(map(str, own))}, the model said {time}; the words win", source_id)


def _believed(
    told: Sequence[TimeInterval], events: Sequence[ProposedEvent], reading: Reading, source_id: str, issues: list[Issue]
) -> tuple[TimeInterval, ...]:
    """The model's dates where rules have none: they need words of the text that tell a time, and must be possible."""
    words = next((event.time for event in events if event.time), None)
    if words is None:
        issues.append(Issue("ungrounded_time", f"no words of the text tell {'; '.join(map(str, told))}; left undated", source_id))
        return ()
    likely = [time for time in told if _is_likely(time, reading.piece.published)]
    issues += [
        Issue("unlikely_time", f"the model read {words!r} as {time}; left out", source_id) for time in told if time not in likely
    ]
    issues += [Issue("model_dated", f"the model alone read {words!r} as {time}", source_id) for time in likely]
    return tuple(sorted(set(likely), key=lambda time: time.envelope))


def _is_likely(time: TimeInterval, published: TimeInterval | None) -> bool:
    """False for a date no history has, and for one that lies wholly after the date of writing."""
    sides = [side for side in (time.start, time.end) if side is not None]
    late = published is not None and published.end is not None and time.start is not None and time.start >= published.end
    return all(_EARLIEST <= side <= _LATEST for side in sides) and not late
