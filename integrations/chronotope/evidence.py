"""Evidence in order of time: chosen by score, cut to the token budget, then told from first to last (TA-RAG section 4.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from chronotope.records import Evidence, Extraction, Hit, Issue, Passage
from chronotope.temporal.interval import TimeInterval
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Order", "check_citations", "chronological", "evidence_within", "render_context", "select_evidence", "when"]

Order: TypeAlias = Literal["events", "published", "source", "score"]
_CITATION = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")


def when(passage: Passage) -> str:
    """The passage's times in plain words: events first, then when it was written; empty when neither is known.

    >>> from chronotope.temporal.interval import TimeInterval
    >>> when(Passage("…", times=(TimeInterval.parse("1969-07"),), published=TimeInterval.parse("1969-08")))
    'in July 1969; written in August 1969'
    """
    parts = ["timeless"] if passage.static else [time.phrase() for time in passage.times]
    if passage.published and passage.times != (passage.published,):
        parts.append(f"written {passage.published.phrase()}")
    return "; ".join(parts)


def chronological(hits: Iterable[Hit], *, order: Order = "events", within: Sequence[TimeInterval] = ()) -> list[Hit]:
    """The hits in the asked order; ties keep document order, undated ones come last.

    Args:
        hits: in any order.
        order: by the time of the `events` (by the date of writing where none is known), by the date `published`, by place in the
            `source`, or by `score`.
        within: the asked times; a passage then stands at the first of its told times inside them.

    Raises:
        ValueError: the order is none of these.
    """
    if order not in ("events", "published", "source", "score"):
        raise ValueError(f"order must be events, published, source or score, not {order!r}")
    return sorted(hits, key=lambda hit: _order_key(hit, order, within))


def _order_key(hit: Hit, order: Order, within: Sequence[TimeInterval]) -> tuple[object, ...]:
    passage = hit.passage
    place = (passage.source_id, passage.char_start if passage.char_start is not None else 0)
    if order == "score":
        return (-hit.score, *place)
    if order == "source":
        return place
    published = (passage.published,) if passage.published else ()
    known = (published or passage.times) if order == "published" else (passage.times or published)
    told = known if order == "published" else passage.told_times
    times = tuple(time for time in told if any(time.overlaps(asked) for asked in within)) or known
    first = min((time.envelope for time in times), default=None)
    return (first is None, first or (0, 0), *place)


def select_evidence(
    hits: Sequence[Hit],
    *,
    budget_tokens: int = 3_000,
    order: Order = "events",
    within: Sequence[TimeInterval] = (),
    count: TokenCounter = count_tokens,
) -> tuple[Evidence, ...]:
    """The best hits that fit the budget, numbered from 1 in the asked order.

    Args:
        hits: best first or in any order; the score decides who stays.
        budget_tokens: tokens that the evidence may take in all; the best hit always stays.
        order: how the kept ones are put in line.
        within: the asked times, see `chronological`.
        count: how tokens are counted.

    Source: TA-RAG section 4.4.
    """
    kept: list[Hit] = []
    left = budget_tokens
    for hit in sorted(hits, key=lambda hit: -hit.score):
        cost = count(hit.passage.text) + count(when(hit.passage)) + 6
        if cost <= left or not kept:
            kept.append(hit)
            left -= cost
    ordered = chronological(kept, order=order, within=within)
    return tuple(Evidence(number, hit.passage, when(hit.passage), hit.score) for number, hit in enumerate(ordered, 1))


def evidence_within(
    budget_tokens: int, hits: Sequence[Hit], *, order: Order = "events", within: Sequence[TimeInterval] = ()
) -> Extraction[Evidence]:
    """What `select_evidence` chooses, with an issue that says how many hits did not fit.

    Args:
        budget_tokens: tokens that the evidence may take in all.
        hits: best first or in any order.
        order: how the kept ones are put in line.
        within: the asked times, see `chronological`.
    """
    kept = select_evidence(hits, budget_tokens=budget_tokens, order=order, within=within)
    left_out = len(hits) - len(kept)
    told = f"{left_out} of {len(hits)} passages did not fit into {budget_tokens} tokens"
    return Extraction(kept, (Issue("over_budget", told),) if left_out else ())


def render_context(evidence: Iterable[Evidence]) -> str:
    """The evidence as text for a model: number, time, passage."""
    return "\n\n".join(f"[{item.number}] ({item.when or 'undated'})\n{item.passage.text.strip()}" for item in evidence)


def check_citations(text: str, evidence: Sequence[Evidence]) -> tuple[Issue, ...]:
    """An issue for every cited number that no evidence has, and one when nothing is cited at all.

    >>> [issue.kind for issue in check_citations("In 1969 [7].", [])]
    ['unknown_citation']
    """
    cited = {int(number) for group in _CITATION.findall(text) for number in re.split(r"\D+", group)}
    known = {item.number for item in evidence}
    wrong = tuple(
        Issue("unknown_citation", f"the answer cites [{number}], but the evidence ends at [{len(known)}]")
        for number in sorted(cited - known)
    )
    if evidence and text.strip() and not cited:
        return (Issue("no_citation", "the answer cites none of the passages"),)
    return wrong
