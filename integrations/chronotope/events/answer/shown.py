"""What an answer is given to rest on: events on a timeline and passages beside it, within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from chronotope.events.answer.context import Context, ContextSettings, context_within, passage_block
from chronotope.events.answer.timeline import Timeline
from chronotope.evidence import when
from chronotope.prompts import fence
from chronotope.records import Evidence, Hit, Issue
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Shown", "check_marks", "lies_outside", "scope_issues", "shown_within", "under_numbers"]

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
        timeline: the events, under the numbers of the timeline that they were chosen from.
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
        return fence("\n\n".join(passage_block(item.number, item.passage) for item in self.passages) or "(none)", "passages")


def shown_within(
    budget_tokens: int,
    timeline: Timeline,
    passages: Sequence[Hit] = (),
    homes: Mapping[str, str] | None = None,
    *,
    passage_share: float | None = None,
    within: Sequence[TimeInterval] = (),
    count: TokenCounter = count_tokens,
) -> Shown:
    """What `context_within` chooses, numbered to be cited; the best event or passage in any case, however small the budget.

    Args:
        budget_tokens: tokens that events and passages may take together.
        timeline: the events with their scores.
        passages: what they were taken from, with scores.
        homes: id of the passage that each event stands in, by id of the event.
        passage_share: share of the budget for passages, from 0 (no passages) to 1 (no events); None spends every token where it is
            worth most. Without passages, all goes to events.
        within: the asked times; a passage stands at the first of its times inside them.
        count: how tokens are counted.

    Raises:
        ValueError: the share is not from 0 to 1, or the budget is below 1.
    """
    if passage_share is not None and not 0 <= passage_share <= 1:
        raise ValueError(f"passage_share must be from 0 to 1, or None, not {passage_share!r}")
    if budget_tokens < 1:
        raise ValueError(f"budget_tokens must be at least 1, not {budget_tokens!r}")
    homes = homes or {}
    share = passage_share if passages else 0.0
    settings = ContextSettings(passages=share, repeat=True)
    chosen = context_within(budget_tokens, timeline, passages, homes, settings=settings, within=within, count=count)
    if not len(chosen.timeline) and not chosen.passages:
        chosen = _best(timeline, passages, share)
    scores = {hit.passage.id: hit.score for hit in sorted(passages, key=lambda hit: hit.score)}
    beside = tuple(Evidence(n, one, when(one), scores[one.id], series="P") for n, one in enumerate(chosen.passages, 1))
    told = {entry.event.id for entry in chosen.timeline.entries}
    seen = {passage.id for passage in chosen.passages}
    untold = sum(entry.event.id not in told and homes.get(entry.event.id) not in seen for entry in timeline.entries)
    unseen = len(scores) - len(seen) if share != 0 else 0
    lost = ((untold, len(timeline), "events"), (unseen, len(scores), "passages"))
    issues = (f"{part} of {whole} {what} did not fit into {budget_tokens} tokens" for part, whole, what in lost if part)
    return Shown(under_numbers(timeline, told), beside, tuple(Issue("over_budget", message) for message in issues))


def under_numbers(timeline: Timeline, ids: Collection[str]) -> Timeline:
    """These events of a timeline, under the numbers that they have there: an answer, a page and a report then cite alike."""
    groups = (timeline.static, timeline.dated, timeline.undated)
    return Timeline(*(tuple(entry for entry in group if entry.event.id in ids) for group in groups))


def scope_issues(asked: QueryScope, timeline: Timeline) -> tuple[Issue, ...]:
    """What a reader should know of the asked time: that no event lies in it, or that part of the question was not placed.

    Args:
        asked: the question, as far as its time is known.
        timeline: all events that were found for it.
    """
    left = [
        Issue("unresolved_clause" if one.reason == "event" else "unresolved_time", f"{one.text!r} is not placed; it limits nothing")
        for one in asked.unresolved
    ]
    if lies_outside(timeline, asked.times):
        wanted = ", ".join(map(str, asked.times))
        left.append(Issue("empty_window", f"no event that was found lies in {wanted}"))
    return tuple(left)


def lies_outside(timeline: Timeline, within: Sequence[TimeInterval]) -> bool:
    """True when a time is asked and no event of the timeline overlaps it, nor the hint of an undated one.

    "Until 1907" does not reach back beyond the first moment that any event tells of.
    """
    times = [time for entry in timeline.entries for time in entry.event.times or filter(None, [entry.placed])]
    first = min((side for time in times if (side := time.end if time.start is None else time.start) is not None), default=None)

    def inside(time: TimeInterval, asked: TimeInterval) -> bool:
        before_all = first is not None and asked.end is not None and asked.end <= first
        return time.overlaps(asked) and not (time.start is None and before_all)

    return bool(within) and len(timeline) > 0 and not any(inside(time, asked) for time in times for asked in within)


def _best(timeline: Timeline, passages: Sequence[Hit], share: float | None) -> Context:
    """The best event alone, or the best passage where there is none or none is wanted."""
    if len(timeline) and share != 1:
        return Context(timeline.only([max(timeline.entries, key=lambda entry: entry.score).event.id]))
    best = max(passages, key=lambda hit: hit.score, default=None) if share != 0 else None
    return Context(passages=(best.passage,) if best else ())


def check_marks(text: str, shown: Shown) -> tuple[Issue, ...]:
    """An issue for every event or passage that an answer cites and that was not shown, and one when it cites nothing at all.

    >>> [issue.message for issue in check_marks("She left in 1940 [7, P2].", Shown())]
    ['the answer cites [7], which is none of the 0 events', 'the answer cites [P2], which is none of the 0 passages']
    """
    cited = list(dict.fromkeys(_cited(text)))
    counts = {"": ("events", len(shown.timeline)), "P": ("passages", len(shown.passages))}
    known = {"": {entry.number for entry in shown.timeline.entries}, "P": {item.number for item in shown.passages}}
    wrong = tuple(
        Issue(
            "unknown_citation", f"the answer cites [{series}{number}], which is none of the {counts[series][1]} {counts[series][0]}"
        )
        for series, number in cited
        if number not in known[series]
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
