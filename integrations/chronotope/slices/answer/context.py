"""What an answer is given to rest on: facts of a slice, then passages of the text, within a budget of tokens.

Paths between the entities of the question come first, each whole or not at all: half a chain proves nothing, so a chain must not be
cut by the budget. Then come the neighbours of those entities, then the rest by score. Passages get their share of the budget and
what the facts leave of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from chronotope.evidence import when
from chronotope.prompts import fence
from chronotope.records import Evidence, Hit, Issue, Passage
from chronotope.slices.answer.chosen import Chosen, choose_lines
from chronotope.slices.answer.coordinates import coordinates, statement, validity
from chronotope.slices.retrieve.slicing import asked_paths
from chronotope.tokens import TokenCounter, count_tokens

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.graph import Path, StoryGraph
    from chronotope.slices.retrieve.retrieve import SliceRetrieval

__all__ = ["LineOrder", "SliceContext", "shown_fact", "slice_context"]

LineOrder: TypeAlias = Literal["rank", "telling", "story"]
PASSAGES: Final = "P"
OUTSIDE: Final = "outside what is asked"
_DOUBT: Final = "low confidence"
_FENCES: Final = re.compile(r"<(\s*/?\s*(?:facts|passages|question|scope)\b)", re.IGNORECASE)
_LEAST: Final = 200  # characters of a text that are shown in any case
_PER_TOKEN: Final = 3
_WIDEST: Final = 999  # the number that costs are counted with


@dataclass(frozen=True)
class SliceContext:
    """Facts and passages as an answer cites them.

    Args:
        evidence: the facts, numbered from 1, then the passages, from P1. The text of a fact is the words that tell it; its
            coordinates are `when`, its statement is in the metadata.
        issues: what did not fit.
    """

    evidence: tuple[Evidence, ...] = ()
    issues: tuple[Issue, ...] = ()

    @property
    def facts(self) -> tuple[Evidence, ...]:
        """The facts alone."""
        return tuple(item for item in self.evidence if item.series != PASSAGES)

    @property
    def passages(self) -> tuple[Evidence, ...]:
        """The passages alone."""
        return tuple(item for item in self.evidence if item.series == PASSAGES)

    @cached_property
    def text(self) -> str:
        """All of it as a reader and a model see it: a line for each fact, a block for each passage."""
        return "\n\n".join(filter(None, ("\n".join(map(rendered, self.facts)), "\n\n".join(map(rendered, self.passages)))))

    def render_facts(self) -> str:
        """The facts as data for a prompt."""
        return fence(_untagged("\n".join(map(rendered, self.facts))) or "(none)", "facts")

    def render_passages(self) -> str:
        """The passages as data for a prompt."""
        return fence(_untagged("\n\n".join(map(rendered, self.passages))) or "(none)", "passages")


def _untagged(text: str) -> str:
    """A text that opens and closes none of the fences of the prompt: facts in a passage are no facts."""
    return _FENCES.sub(r"&lt;\1", text)


def rendered(item: Evidence) -> str:
    """One line of evidence: number, statement, coordinates, and the words that may be copied."""
    text = item.passage.text.strip()
    told = f" ({item.when})" if item.when else ""
    if item.series == PASSAGES:
        return f"[{item.mark}]{told} {text}"
    said = str(item.passage.metadata.get("statement") or "")
    quote = " ".join(text.split())
    return f"[{item.mark}] {said}{told}: “{quote}”" if said and said != quote else f"[{item.mark}] {quote}{told}"


def shown_fact(fact: Fact, graph: StoryGraph, *, in_scope: bool = True) -> Passage:
    """A fact as a passage, with its statement and coordinates in its metadata as a line shows them.

    Args:
        fact: a fact of the graph.
        graph: its graph, by whose names entities are called.
        in_scope: False for a fact outside the chapters, time or places that are asked for; its coordinates say so.

    Raises:
        KeyError: the fact is not in the graph.
    """
    passage = fact.passage()
    told = [coordinates(fact, graph, compact=True), validity(fact, graph)]
    told += [_DOUBT] * (fact.confidence == "low") + [OUTSIDE] * (not in_scope)
    more = {"statement": statement(fact, graph), "coordinates": "; ".join(filter(None, told))}
    text = passage.text if fact.quote else more["statement"]
    return replace(passage, text=text, metadata={**passage.metadata, **more})


def slice_context(
    retrieval: SliceRetrieval,
    *,
    budget_tokens: int = 3_000,
    passage_share: float = 0.5,
    order: LineOrder = "rank",
    first: Collection[str] = (),
    count: TokenCounter = count_tokens,
) -> SliceContext:
    """Choose what to show of what was found, and number it to be cited; the best line or its beginning however small the budget.

    Args:
        retrieval: what `retrieve_slice` found.
        budget_tokens: tokens that facts and passages may take together, at least 1.
        passage_share: share of the budget kept for passages, from 0 (no passages) to 1 (no facts). Without passages, facts get all.
        order: how the chosen facts are listed: by `rank`, the chains first, in the order of `telling`, or in that of the `story`.
        first: ids of facts that come before all others.
        count: how tokens are counted.

    Returns:
        The context. Everything that did not fit is counted in its issues, of kind `over_budget`; a path that was cut is told apart.

    Raises:
        ValueError: the share, the budget or the order is none of these.

    Source: NS-ST-GraphRAG, figure 6 (4).
    """
    if not 0 <= passage_share <= 1:
        raise ValueError(f"passage_share must be from 0 to 1, not {passage_share!r}")
    if budget_tokens < 1:
        raise ValueError(f"budget_tokens must be at least 1, not {budget_tokens!r}")
    if order not in get_args(LineOrder):
        raise ValueError(f"order must be one of {', '.join(get_args(LineOrder))}, not {order!r}")
    choice = _Choice(retrieval, budget_tokens, passage_share if retrieval.passages else 0.0, count)
    return choice.made(order, first)


class _Choice:
    """What could be shown of a retrieval, what each line costs, and the choice among it."""

    def __init__(self, retrieval: SliceRetrieval, budget: int, share: float, count: TokenCounter) -> None:
        self._cut = 0  # characters of a text that had to be cut
        self._budget, self._share, self._count, self._graph = budget, share, count, retrieval.slice.graph
        ranked = sorted(retrieval.trace, key=lambda found: (not found.in_scope, -found.score)) if share < 1 else []
        self._outside = {found.fact.id for found in ranked if not found.in_scope}
        self._scores = {found.fact.id: found.score for found in ranked}
        self._facts = {found.fact.id: found.fact for found in ranked}
        has_paths = any(found.role == "path" for found in ranked)
        self._chains = [self._chain(path) for path in asked_paths(retrieval.slice, retrieval.scope.entities)] if has_paths else []
        near = [found.fact.id for found in ranked if found.role != "words"]
        self._others = list(dict.fromkeys((*near, *self._scores)))
        self._lines = {name: self._line(fact) for name, fact in self._facts.items()}
        hits = sorted(retrieval.passages, key=lambda hit: -hit.score) if share else []
        self._blocks = {hit.passage.id: _block(hit) for hit in reversed(hits)}
        self._best_blocks = list(dict.fromkeys(hit.passage.id for hit in hits))

    def made(self, order: LineOrder, first: Collection[str]) -> SliceContext:
        """The context: lines within their part of the budget, passages within theirs and what the lines left."""
        own = int(self._budget * self._share)
        first = [name for name in first if name in self._lines]
        lines = choose_lines(self._budget - own, self._costs(self._lines), first=first, chains=self._chains, others=self._others)
        blocks = choose_lines(own + lines.left, self._costs(self._blocks), others=self._best_blocks)
        if not lines.groups and not blocks.groups:
            best = first[:1] or list(self._scores)[:1]
            lines = replace(lines, groups=tuple((name,) for name in best))
            blocks = replace(blocks, groups=() if best else tuple((name,) for name in self._best_blocks[:1]))
            self._shorten(best[0] if best else blocks.names[0] if blocks.names else "")
        return self._fitted(lines, blocks, order)

    def _shorten(self, name: str) -> None:
        """Cut the text of the one line that is shown though it does not fit: it may be a whole chapter."""
        most = max(_LEAST, self._budget * _PER_TOKEN)
        for items in (self._lines, self._blocks):
            item = items.get(name)
            if item is not None and len(item.passage.text) > most:
                items[name] = replace(item, passage=replace(item.passage, text=f"{item.passage.text[:most].rstrip()} …"))
                self._cut = len(item.passage.text)

    def _fitted(self, lines: Chosen, blocks: Chosen, order: LineOrder) -> SliceContext:
        """The context without what its text as a whole leaves no room for: tokens of a text are not quite those of its lines."""
        while True:
            context = self._numbered(lines, blocks, order)
            if len(lines.groups) + len(blocks.groups) <= 1 or self._count(context.text) <= self._budget:
                return replace(context, issues=tuple(self._lost(lines, blocks)))
            if blocks.groups:
                blocks = blocks.fewer()
            else:
                lines = lines.fewer()

    def _numbered(self, lines: Chosen, blocks: Chosen, order: LineOrder) -> SliceContext:
        facts = [self._facts[name] for name in lines.names]
        if order != "rank":
            facts.sort(key=_telling_order if order == "telling" else self._story_order)
        passages = sorted((self._blocks[name] for name in blocks.names), key=lambda item: _text_order(item.passage))
        numbered = [replace(self._lines[fact.id], number=number) for number, fact in enumerate(facts, 1)]
        numbered += [replace(item, number=number) for number, item in enumerate(passages, 1)]
        return SliceContext(tuple(numbered))

    def _lost(self, lines: Chosen, blocks: Chosen) -> Iterator[Issue]:
        if self._cut:
            yield Issue(
                "over_budget", f"the one text that is shown, of {self._cut:,} characters, was cut to fit {self._budget} tokens"
            )
        shown = set(lines.names)
        cut = sum(not shown.issuperset(chain) for chain in self._chains)
        counts = (
            (cut, len(self._chains), "paths between the entities of the question"),
            (len(self._lines) - len(shown), len(self._lines), "facts"),
            (len(self._blocks) - len(blocks.names), len(self._blocks), "passages"),
        )
        for lost, whole, what in counts:
            if lost:
                yield Issue("over_budget", f"{lost} of {whole} {what} did not fit into {self._budget} tokens")

    def _costs(self, items: Mapping[str, Evidence]) -> dict[str, int]:
        return {name: self._count(rendered(item) + ("\n\n" if item.series else "\n")) for name, item in items.items()}

    def _line(self, fact: Fact) -> Evidence:
        passage = shown_fact(fact, self._graph, in_scope=fact.id not in self._outside)
        return Evidence(_WIDEST, passage, str(passage.metadata["coordinates"]), self._scores.get(fact.id, 0.0))

    def _chain(self, path: Path) -> tuple[str, ...]:
        """The facts of a path, for each edge the one that scores best; one that was not found by itself is added."""
        return tuple(self._best_of(edge.facts) for edge in path.edges)

    def _best_of(self, ids: Iterable[str]) -> str:
        best = max(ids, key=lambda name: self._scores.get(name, -inf))
        if best not in self._facts:
            self._facts[best], self._scores[best] = self._graph.fact(best), 0.0
        return best

    def _story_order(self, fact: Fact) -> tuple[object, ...]:
        times = self._graph.when(fact)
        first = min((-inf if time.start is None else time.start for time in times), default=inf)
        return (first, *_telling_order(fact))


def _block(hit: Hit) -> Evidence:
    return Evidence(_WIDEST, hit.passage, _standing(hit.passage), hit.score, series=PASSAGES)


def _standing(passage: Passage) -> str:
    """Where a passage stands: its chapter, and its times where it has any."""
    chapter = passage.metadata.get("chapter")
    return "; ".join(filter(None, (f"chapter {chapter}" if isinstance(chapter, int) else "", when(passage))))


def _telling_order(fact: Fact) -> tuple[object, ...]:
    return (inf if fact.chapter is None else fact.chapter, fact.source_id, fact.char_start or 0)


def _text_order(passage: Passage) -> tuple[object, ...]:
    chapter = passage.metadata.get("chapter")
    return (chapter if isinstance(chapter, int) else inf, passage.source_id, passage.char_start or 0)
