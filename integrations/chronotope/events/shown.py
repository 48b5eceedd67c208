"""What an answer is given to rest on: events on a timeline and passages beside it, within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from chronotope.events.timeline import Timeline
from chronotope.evidence import select_evidence
from chronotope.prompts import fence
from chronotope.records import Evidence, Hit, Issue
from chronotope.temporal.interval import TimeInterval
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Shown", "check_marks", "shown_within"]

_GROUP = re.compile(
    r"[\[【]\s*((?:events?|passages?)?\s*#?\s*P?\d{1,4}(?:\s*(?:[,;–-]|and|&)\s*(?:events?\s*|passages?\s*)?#?\s*P?\d{1,4})*)\s*[\]】]",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?")
_ONE = re.compile(r"(P?)(\d+)(?:\s*[–-]\s*P?(\d+))?", re.IGNORECASE)
_LONGEST_RANGE = 100


@dataclass(frozen=True)
class Shown:
    """Events and passages as an answer cites them.

    Args:
        timeline: the events, numbered from 1.
        passages: the passages, numbered apart from P1.
        issues: how many did not fit.
    """

    timeline: Timeline = field(default_factory=Timeline)
    passages: tuple[Evidence, ...] = ()
    issues: tuple[Issue, ...] = ()

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The events in order of time, then the passages."""
        events = (Evidence(entry.number, entry.event.passage(), entry.when, entry.score) for entry in self.timeline.entries)
        return (*events, *self.passages)

    def render_timeline(self) -> str:
        """The timeline as data for a prompt, its static facts apart."""
        groups = (
            ("Static facts:", self.timeline.static),
            ("", self.timeline.dated),
            ("Without a time:", self.timeline.undated),
        )
        parts = ["\n".join([*filter(None, [title]), *(entry.render() for entry in group)]) for title, group in groups if group]
        return fence("\n\n".join(parts) or "(no events)", "timeline")

    def render_by_score(self) -> str:
        """The events as bare sentences, best first, under the numbers they have: what a plain prompt gets."""
        ranked = sorted(self.timeline.entries, key=lambda entry: (-entry.score, entry.number))
        lines = [f"[{entry.number}] ({entry.when}) {' '.join(entry.event.text.split())}" for entry in ranked]
        return fence("\n".join(lines) or "(none)", "sentences")

    def render_passages(self) -> str:
        """The passages as data for a prompt."""
        blocks = [f"[{item.mark}] ({item.when or 'undated'})\n{item.passage.text.strip()}" for item in self.passages]
        return fence("\n\n".join(blocks) or "(none)", "passages")


def shown_within(
    budget_tokens: int,
    timeline: Timeline,
    passages: Sequence[Hit] = (),
    *,
    passage_share: float = 0.5,
    within: Sequence[TimeInterval] = (),
    count: TokenCounter = count_tokens,
) -> Shown:
    """Choose events and passages by score; what the events leave of the budget goes to the passages.

    Args:
        budget_tokens: tokens that events and passages may take together.
        timeline: the events with their scores.
        passages: what they were taken from, with scores.
        passage_share: share of the budget that is kept for passages, from 0 (no passages) to 1 (no events).
        within: the asked times; a passage stands at the first of its times inside them.
        count: how tokens are counted.

    Raises:
        ValueError: the share is not from 0 to 1, or the budget is below 1.
    """
    if not 0 <= passage_share <= 1:
        raise ValueError(f"passage_share must be from 0 to 1, not {passage_share!r}")
    if budget_tokens < 1:
        raise ValueError(f"budget_tokens must be at least 1, not {budget_tokens!r}")
    for_passages = int(budget_tokens * passage_share) if passages else 0
    kept = timeline.within(budget_tokens - for_passages, count=count)
    if not len(kept) and len(timeline) and passage_share < 1:
        best = max(timeline.entries, key=lambda entry: entry.score)
        kept = timeline.only([best.event.id])  # a budget too small for anything still gets an answer
    left = budget_tokens - count(kept.render()) if len(kept) else budget_tokens
    beside = _passages_within(left, passages, within, count, needed=not len(kept)) if passages and passage_share > 0 else ()
    issues = []
    if lost := len(timeline) - len(kept):
        issues.append(Issue("over_budget", f"{lost} of {len(timeline)} events did not fit into {budget_tokens} tokens"))
    if passage_share > 0 and (lost := len(passages) - len(beside)):
        issues.append(Issue("over_budget", f"{lost} of {len(passages)} passages did not fit into {budget_tokens} tokens"))
    return Shown(kept, beside, tuple(issues))


def _passages_within(
    budget_tokens: int, passages: Sequence[Hit], within: Sequence[TimeInterval], count: TokenCounter, *, needed: bool
) -> tuple[Evidence, ...]:
    """Those that fit, numbered apart; the best one in any case only where there is nothing else to show."""
    kept = select_evidence(passages, budget_tokens=max(0, budget_tokens), within=within, count=count)
    if len(kept) == 1 and not needed and count(kept[0].passage.text) > budget_tokens:
        return ()
    return tuple(replace(item, series="P") for item in kept)


def check_marks(text: str, shown: Shown) -> tuple[Issue, ...]:
    """An issue for every event or passage that an answer cites and that was not shown, and one when it cites nothing at all.

    >>> [issue.message for issue in check_marks("She left in 1940 [7, P2].", Shown())]
    ['the answer cites [7], but there are 0 events', 'the answer cites [P2], but there are 0 passages']
    """
    cited = list(dict.fromkeys(_cited(text)))
    counts = {"": ("events", len(shown.timeline)), "P": ("passages", len(shown.passages))}
    wrong = tuple(
        Issue("unknown_citation", f"the answer cites [{series}{number}], but there are {counts[series][1]} {counts[series][0]}")
        for series, number in cited
        if not 1 <= number <= counts[series][1]
    )
    if not cited and shown.evidence and text.strip():
        return (Issue("no_citation", "the answer cites none of the events and passages"),)
    return wrong


def _cited(text: str) -> Iterator[tuple[str, int]]:
    """Series and number of everything that a text cites; a time in brackets cites nothing."""
    for group in _GROUP.finditer(text):
        if _DATE.fullmatch(group[1].strip()):
            continue
        for series, first, last in _ONE.findall(group[1]):
            low, high = int(first), int(last or first)
            yield from ((series.upper(), number) for number in range(low, min(high, low + _LONGEST_RANGE) + 1))
