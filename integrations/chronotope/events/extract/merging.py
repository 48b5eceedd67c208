"""From readings to event units: one for each sentence, one for neighbours that go on about the same subject at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chronotope.events.event import EventUnit
from chronotope.events.extract.rules import Reading
from chronotope.records import Scalar
from chronotope.temporal.interval import TimeInterval
from chronotope.text import Span

__all__ = ["Candidate", "joined", "unit"]

_MOST_CHARACTERS = 400
_MOST_SENTENCES = 3
_CERTAIN = ("words", "paragraph", "published")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An event about to become a unit.

    Args:
        reading: the sentence that tells it.
        number: its place among the sentences of the source.
        entities: who or what takes part.
        times: when it was.
        score: the information score.
        told: more about it for its metadata.
    """

    reading: Reading
    number: int
    entities: tuple[str, ...]
    times: tuple[TimeInterval, ...]
    score: int
    told: tuple[tuple[str, Scalar], ...] = ()

    @classmethod
    def of(cls, reading: Reading, number: int) -> Candidate:
        """What rules alone make of a sentence."""
        entities, times = reading.entities, reading.times
        return cls(
            reading=reading,
            number=number,
            entities=entities,
            times=times,
            score=reading.score(entities, times),
            told=_basis(reading),
        )

    def with_told(self, key: str, value: Scalar) -> Candidate:
        """The same with one more thing in its metadata."""
        return replace(self, told=(*self.told, (key, value)))


def _basis(reading: Reading) -> tuple[tuple[str, Scalar], ...]:
    """What its times count from, where that is not their own words; and that they are unsure, where the date stands far off."""
    counted = [one.basis for one in reading.told if one.basis != "words"]
    if not counted:
        return ()
    unsure = any(basis not in _CERTAIN for basis in counted)
    return (("time_basis", counted[-1]), *((("confidence", "low"),) if unsure else ()))


def joined(candidates: Iterable[Candidate]) -> list[tuple[Candidate, ...]]:
    """Candidates in order, neighbours together where they have one subject and exactly the same times.

    Source: DyG-RAG, section 3.3, "Sentence Selection and Merging".
    """
    groups: list[tuple[Candidate, ...]] = []
    for candidate in candidates:
        if groups and _goes_on(groups[-1], candidate):
            groups[-1] = (*groups[-1], candidate)
        else:
            groups.append((candidate,))
    return groups


def _goes_on(group: Sequence[Candidate], candidate: Candidate) -> bool:
    first, last, new = group[0].reading, group[-1], candidate.reading
    return (
        bool(candidate.times)
        and candidate.times == last.times
        and candidate.number == last.number + 1
        and new.piece is last.reading.piece
        and new.paragraph == last.reading.paragraph
        and new.subject is not None
        and new.subject == last.reading.subject
        and len(group) < _MOST_SENTENCES
        and new.span[1] - first.span[0] <= _MOST_CHARACTERS
    )


def unit(group: Sequence[Candidate], source_id: str) -> EventUnit:
    """The event unit of one candidate, or of several that go together.

    Args:
        group: candidates in order, of one paragraph.
        source_id: id of the document.
    """
    first = group[0].reading
    entities = tuple(dict.fromkeys(name for candidate in group for name in candidate.entities))
    start, end = _place(first, group[-1].reading)
    return EventUnit(
        text=" ".join(" ".join(candidate.reading.resolved.text.split()) for candidate in group),
        source_id=source_id,
        char_start=start,
        char_end=end,
        times=group[0].times,
        static=len(group) == 1 and not group[0].times and first.is_static,
        entities=entities,
        score=max(candidate.score for candidate in group),
        metadata={**first.piece.metadata, **_told(group)},
    )


def _place(first: Reading, last: Reading) -> Span | tuple[None, None]:
    if first.piece.start is None:
        return None, None
    return first.piece.start + first.span[0], first.piece.start + last.span[1]


def _told(group: Sequence[Candidate]) -> dict[str, Scalar]:
    """Flat metadata: the date of writing, the date before an undated event, which pronoun means whom, which names were joined."""
    first = group[0].reading
    told: dict[str, Scalar] = {}
    if first.piece.published is not None:
        told["published"] = str(first.piece.published)
    if not group[0].times and not first.is_static and first.context is not None:
        told["context_time"] = str(first.context)
    resolved = [f"{one.pronoun} = {one.meant}" for candidate in group if (one := candidate.reading.resolved).meant and one.sure]
    if resolved:
        told["resolved"] = "; ".join(resolved)
    evidence = dict.fromkeys(part for candidate in group for part in _evidence(candidate.reading))
    if evidence:
        told["entity_evidence"] = "; ".join(evidence)
    for candidate in group:
        told |= dict(candidate.told)
    return told


def _evidence(reading: Reading) -> list[str]:
    """Why names were read as other names, and whom a pronoun that stays is likely to mean."""
    one = reading.resolved
    likely = [f"{one.pronoun} = {one.meant} (likely, the title)"] if one.meant and not one.sure else []
    return [*reading.aliases, *likely]
