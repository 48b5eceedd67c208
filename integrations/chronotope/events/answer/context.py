"""What a model is shown: events and passages within one budget, each token where it is likeliest to hold the answer.

An event costs few tokens and holds one sentence; a passage costs more and holds the sentences around it. Scores are read as odds
(an event that scores `temperature` higher is e times likelier to be the evidence), a passage is worth the sum of its events, and
what is worth most per token is taken first. So a small budget is spent on single events, and a larger one on passages in which
several events compete. A passage of which no event is known is worth nothing that could be compared, and comes after the events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from math import exp

from chronotope.events.answer.timeline import Timeline
from chronotope.evidence import chronological, when
from chronotope.records import Hit, Passage
from chronotope.temporal.interval import TimeInterval
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Context", "ContextSettings", "context_within", "passage_block"]

_SAME = 1e-9  # relative difference that is rounding


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """How a budget is shared between events and passages.

    Args:
        passages: share of the budget for passages, from 0 (events alone) to 1 (passages alone); None spends every token where it
            is worth most.
        temperature: difference of scores that makes an event e times likelier; the smaller, the more the best score counts.
        repeat: list the events of a shown passage too where tokens are left. A line tells its time, also where the passage says
            "two years later".

    Raises:
        ValueError: a value is out of its range.
    """

    passages: float | None = None
    temperature: float = 0.15
    repeat: bool = False

    def __post_init__(self) -> None:
        if self.passages is not None and not 0 <= self.passages <= 1:
            raise ValueError(f"passages is a share from 0 to 1, or None, not {self.passages!r}")
        if not self.temperature > 0:
            raise ValueError(f"temperature must be above 0, not {self.temperature!r}")


@dataclass(frozen=True)
class Context:
    """Events and passages that fit a budget.

    Args:
        timeline: the events, numbered from 1.
        passages: the passages in order of time, those of no known time in source order.
    """

    timeline: Timeline = field(default_factory=Timeline)
    passages: tuple[Passage, ...] = ()

    def render(self) -> str:
        """The timeline, then the passages."""
        parts = [self.timeline.render()] if len(self.timeline) else []
        return "\n\n".join([*parts, *(passage_block(number, passage) for number, passage in enumerate(self.passages, 1))])


def passage_block(number: int, passage: Passage) -> str:
    """A passage as it is shown, its time before it where it is known; its letter tells its number from those of events."""
    told = when(passage)
    return f"[P{number}] ({told}) {passage.text.strip()}" if told else f"[P{number}] {passage.text.strip()}"


@dataclass(frozen=True)
class _Offer:
    """An event or a passage that could be shown.

    Args:
        name: its id.
        cost: tokens.
        worth: how likely it holds the evidence, as a share.
        home: the passage that an event stands in.
    """

    name: str
    cost: int
    worth: float
    home: str | None = None


def context_within(
    budget_tokens: int,
    timeline: Timeline,
    passages: Sequence[Hit] = (),
    homes: Mapping[str, str] | None = None,
    *,
    settings: ContextSettings | None = None,
    within: Sequence[TimeInterval] = (),
    count: TokenCounter = count_tokens,
) -> Context:
    """Choose what to show of a timeline and of the passages that came along with it.

    An event is not listed again when the passage that it stands in is shown, unless the settings say so.

    Args:
        budget_tokens: tokens that the rendered context may take.
        timeline: the events, with their scores.
        passages: the passages that may be shown.
        homes: id of the passage that each event stands in, by id of the event.
        settings: how the budget is shared.
        within: the asked times; a passage stands at the first of its times inside them.
        count: how tokens are counted.
    """
    settings = settings if settings is not None else ContextSettings()
    hits = {hit.passage.id: hit for hit in sorted(passages, key=lambda hit: hit.score)}
    shown = {hit.passage.id: hit.passage for hit in sorted(hits.values(), key=lambda hit: -hit.score)}
    events, blocks = _offers(timeline, shown, homes or {}, settings.temperature, count)
    if settings.passages is None:
        lines, kept = _chosen(budget_tokens, events, blocks)
        left = budget_tokens - _cost(events, lines) - _cost(blocks, kept)
    else:
        own = int(budget_tokens * settings.passages)
        _, kept = _chosen(own, [], blocks)
        lines, _ = _chosen(budget_tokens - own, [event for event in events if event.home not in kept], [])
        left = budget_tokens - own - _cost(events, lines)
    if settings.repeat:
        lines |= _chosen(left, [event for event in events if event.home in kept], [])[0]
    ordered = chronological((hits[name] for name in shown if name in kept), within=within)
    return Context(timeline.only(lines), tuple(hit.passage for hit in ordered))


def _cost(offers: Sequence[_Offer], taken: set[str]) -> int:
    return sum(offer.cost for offer in offers if offer.name in taken)


def _offers(
    timeline: Timeline, shown: Mapping[str, Passage], homes: Mapping[str, str], temperature: float, count: TokenCounter
) -> tuple[list[_Offer], list[_Offer]]:
    """Events and passages with what they cost and are worth; among passages worth nothing, those without any event come first."""
    best = max((entry.score for entry in timeline.entries), default=0.0)
    last = 10 ** len(str(max(len(timeline), len(shown)))) - 1
    worth = {entry.event.id: exp((entry.score - best) / temperature) for entry in timeline.entries}
    together: dict[str, float] = defaultdict(float)
    events = []
    for entry in timeline.entries:
        name, home = entry.event.id, homes.get(entry.event.id)
        events.append(_Offer(name, count(replace(entry, number=last).render() + "\n"), worth[name], home))
        if home is not None:
            together[home] += worth[name]
    names = (*(name for name in shown if name not in together), *(name for name in together if name in shown))
    return events, [_Offer(name, count(passage_block(last, shown[name]) + "\n\n"), together[name]) for name in names]


def _chosen(budget: int, events: Sequence[_Offer], blocks: Sequence[_Offer]) -> tuple[set[str], set[str]]:
    """Take what adds most worth per token until nothing fits; a passage takes the place of its events that were taken before."""
    queue = [(-offer.worth / offer.cost, number, offer) for number, offer in enumerate((*events, *blocks))]
    heapify(queue)
    first_block, left = len(events), budget
    taken: dict[str, _Offer] = {}
    kept: set[str] = set()
    while queue:
        rank, number, offer = heappop(queue)
        if number < first_block:
            if offer.home not in kept and offer.cost <= left:
                taken[offer.name] = offer
                left -= offer.cost
            continue
        inside = [event for event in taken.values() if event.home == offer.name]
        cost = max(1, offer.cost - sum(event.cost for event in inside))
        adds = max(0.0, offer.worth - sum(event.worth for event in inside)) / cost
        if adds < -rank * (1 - _SAME):
            heappush(queue, (-adds, number, offer))
        elif cost <= left:
            for event in inside:
                del taken[event.name]
            kept.add(offer.name)
            left -= cost
    return set(taken), kept
