"""From clauses to stretches of the story's axis, by the landmarks that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from chronotope.errors import TimeExpressionError
from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis
from chronotope.slices.axis.axis import hull, stretch
from chronotope.slices.question.chapters import ChapterPhrase
from chronotope.slices.question.clauses import LENGTH, Clause, Relation
from chronotope.slices.question.landmarks import Fit, LandmarkTable
from chronotope.slices.question.names import Span
from chronotope.slices.question.pieces import Piece
from chronotope.slices.scope import Landmark
from chronotope.temporal.interval import Interval

__all__ = ["Placed", "counted_from", "place_clause", "side_of"]

_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "final": -1}
_ORDINAL = re.compile(r"\b(?P<word>first|second|third|fourth|last|final)\s+", re.IGNORECASE)
_ORDINAL_ZH = re.compile(r"(?:第(?P<number>[一二三四])|(?P<first>[頭头首初])|(?P<last>最[後后]一?|末))[次回遭番]?")
_NUMBERS_ZH = {"一": 0, "二": 1, "三": 2, "四": 3}
_BEFORE_AFTER = re.compile(r"before|after", re.IGNORECASE)
_CUT = re.compile(r"\s+(?=\S)")
_LONGEST = 14  # words of a phrase that are tried
_SIDES: dict[Relation, Literal["before", "during", "after"]] = {
    "before": "before", "until": "before", "during": "during", "while": "during", "since": "after", "after": "after",
}  # fmt: skip


@dataclass
class Placed:
    """What the clauses of a question came to.

    Args:
        pieces: the stretches of the axis.
        landmarks: what they count from.
        unresolved: clauses that name nothing of the graph.
        issues: clauses that fit several, or nothing.
    """

    pieces: list[Piece] = field(default_factory=list)
    landmarks: list[Landmark] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)


def side_of(interval: Interval, relation: Relation, *, lasting: bool = False) -> Interval | None:
    """The stretch of the axis that lies on a side of an event; None where the event has no such side.

    Args:
        interval: when it was.
        relation: `until` and `since` count the event itself in.
        lasting: True for a state: "after she married" counts from when that began.
    """
    if relation in ("during", "while"):
        return interval
    if relation in ("before", "until"):
        edge = interval.start if relation == "before" else interval.end
        return None if edge is None else stretch(None, edge, interval)
    edge = interval.start if relation == "since" or lasting else interval.end
    return None if edge is None else stretch(edge, None, interval)


def place_clause(
    text: str, clause: Clause, table: LandmarkTable, axis: StoryAxis, placed: Placed, *, about: Sequence[str] = ()
) -> None:
    """Find what a clause names and add it to what was placed; `about` are the ids of whom the question names elsewhere."""
    found = _best(clause, table, about)
    if found is None and not clause.sure:
        return
    if found is None:
        words = text[clause.span[0] : clause.span[1]]
        placed.unresolved.append(words)
        placed.issues.append(Issue("unresolved_time", f"no event of the graph fits {words!r}; it limits nothing"))
        return
    fits, span = found
    fits = _ranked(clause.phrase, fits)
    stretches = [(fit, time) for fit in fits if (time := _time(fit, clause, axis)) is not None]
    if not stretches:
        words = text[span[0] : span[1]]
        placed.unresolved.append(words)
        placed.issues.append(Issue("unresolved_time", f"{fits[0].mark.name!r} has no time that {words!r} can count from"))
        return
    distinct = list(dict.fromkeys(time for _, time in stretches))
    if len(distinct) > 1:
        named = ", ".join(repr(name) for name in dict.fromkeys(fit.mark.name for fit, _ in stretches[:5]))
        told = f"{clause.phrase!r} may be any of {len(distinct)} events: {named}; the times of all of them are looked at"
        placed.issues.append(Issue("ambiguous_landmark", told))
    placed.pieces.append(Piece(span, tuple(distinct), clause.excluded))
    marks = {hull(fit.mark.times): fit.mark for fit, _ in reversed(stretches)}  # of equal times the best fit
    for whole, mark in reversed(marks.items()):
        if whole is not None:
            words = text[span[0] : span[1]]
            placed.landmarks.append(Landmark(text=words, entity=mark.id, interval=whole, side=_SIDES[clause.relation]))


def counted_from(text: str, phrase: ChapterPhrase, axis: StoryAxis) -> Piece | None:
    """The time that a length of time before or after a chapter comes to: "ten years before chapter 3"; None where none is told."""
    side = _BEFORE_AFTER.match(text, phrase.span[0])
    length = LENGTH.search(text, 0, phrase.span[0]) if side and phrase.number is not None else None
    if side is None or length is None:
        return None
    try:
        time = axis.read(f"{length['length']} {side[0].lower()} chapter {phrase.number}")
    except TimeExpressionError:
        return None
    return Piece((length.start("length"), phrase.span[1]), (time,))


def _best(clause: Clause, table: LandmarkTable, about: Sequence[str]) -> tuple[list[Fit], Span] | None:
    """The part of a clause that a landmark fits best, the longest of equals, and the span with its cue."""
    states = clause.relation != "during"
    parts = [(round(table.score(phrase, states=states, about=about), 6), phrase, span) for phrase, span in _parts(clause)]
    score, phrase, span = max(parts, key=lambda part: (part[0], part[2][1] - part[2][0]))
    return (table.fits(phrase, states=states, about=about), span) if score else None


def _parts(clause: Clause) -> Iterator[tuple[str, Span]]:
    """The phrase and shorter ones: from its beginning in English, where more may follow, from its end in Chinese."""
    if clause.suffix:
        for start in range(len(clause.phrase) - 1, -1, -1):
            begin = clause.span[0] if start == 0 else clause.start + start
            yield clause.phrase[start:], (begin, clause.span[1])
        return
    cuts = [match.start() for match in _CUT.finditer(clause.phrase)][: _LONGEST - 1]
    for end in [*cuts, len(clause.phrase)]:
        yield clause.phrase[:end], (clause.span[0], clause.start + end)


def _ranked(phrase: str, fits: list[Fit]) -> list[Fit]:
    """Of several the one that "the second" or 第二次 picks, in the order of the story."""
    place = _place(phrase)
    times = list(dict.fromkeys(hull(fit.mark.times) for fit in sorted(fits, key=lambda fit: _begin(fit.mark.times))))
    if place is None or len(times) < 2:
        return fits
    wanted = times[min(place, len(times) - 1)]
    return [fit for fit in fits if hull(fit.mark.times) == wanted]


def _place(phrase: str) -> int | None:
    if found := _ORDINAL.search(phrase):
        return _ORDINALS[found["word"].lower()]
    if found := _ORDINAL_ZH.search(phrase):
        return _NUMBERS_ZH[found["number"]] if found["number"] else 0 if found["first"] else -1
    return None


def _begin(times: Sequence[Interval]) -> float:
    return min((float("-inf") if time.start is None else time.start for time in times), default=float("inf"))


def _time(fit: Fit, clause: Clause, axis: StoryAxis) -> Interval | None:
    whole = hull(fit.mark.times)
    if whole is None:
        return None
    if clause.length:
        return _moved(whole, clause, axis)
    return side_of(whole, clause.relation, lasting=fit.mark.kind == "state")


def _moved(whole: Interval, clause: Clause, axis: StoryAxis) -> Interval | None:
    """`three days before the fire`."""
    name = "\N{WHITE SQUARE}"
    marked = axis.with_landmarks({name: whole})
    words = (
        f"{name}{'前' if clause.relation == 'before' else '後'}{clause.length}"
        if clause.suffix
        else f"{clause.length} {clause.relation} {name}"
    )
    try:
        return marked.read(words)
    except TimeExpressionError:
        return None
