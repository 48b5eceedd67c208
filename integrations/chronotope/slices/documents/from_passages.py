"""What was retrieved as passages with coordinates, as frameworks carry it, and a context for an answer out of such passages."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from chronotope.evidence import when
from chronotope.records import Evidence, Hit, Issue, Passage, Scalar, content_id
from chronotope.slices.answer.asked_for import asked_words
from chronotope.slices.answer.chosen import Chosen, choose_lines
from chronotope.slices.answer.context import PASSAGES, SliceContext, rendered, shown_fact
from chronotope.slices.answer.opening import NO_OPENING, Opening, opening
from chronotope.tokens import TokenCounter, count_tokens

if TYPE_CHECKING:
    from chronotope.slices.retrieve.retrieve import FoundFact, SliceRetrieval

__all__ = ["COORDINATES", "FOUND_KEYS", "asked_of", "context_of", "found_hits", "is_fact", "issues_of", "opening_of"]

COORDINATES: Final = "coordinates"
"""Metadata key of where a fact stands, in words for a reader."""
_STATEMENT, _ASKED, _ROLE, _CHAINS, _REPORT = "statement", "asked_scope", "role", "chains", "slice_report"
FOUND_KEYS: Final = (_ROLE, _ASKED, _CHAINS, _REPORT)
"""Metadata keys that a retriever writes on what it found, for those behind it; no text for readers, models or embedders."""
_WIDEST = 999  # the number that costs are counted with


def found_hits(found: SliceRetrieval, *, passages: bool = False) -> tuple[Hit, ...]:
    """The facts of a retrieval as passages with their coordinates, best first, and the passages behind them.

    What the question asks for, what the search has to say, how an answer begins, and which facts make up a chain between the
    entities of the question, travels along, because whoever answers sees the passages and the question's words alone. Scores never
    rise, so that whoever sorts again keeps the order: a fact scores at least as much as those behind it, a passage at most as much
    as what stands before it.

    Args:
        found: what `retrieve_slice` found.
        passages: the passages too.
    """
    asked, chains, report = asked_words(found), _chains(found), _report(found)
    best = [*accumulate((one.score for one in reversed(found.trace)), max)][::-1]
    hits = []
    for one, score in zip(found.trace, best, strict=True):
        told: dict[str, Scalar] = {
            _ROLE: one.role,
            _ASKED: asked,
            _CHAINS: "; ".join(map(str, chains[one.fact.id])),
            _REPORT: report,
        }
        passage = shown_fact(one.fact, found.slice.graph, in_scope=one.in_scope)
        kept = {key: value for key, value in told.items() if value}
        hits.append(Hit(replace(passage, metadata={**passage.metadata, **kept}), score, one.in_scope))
    shown = [hit if hits or not report else _reporting(hit, report) for hit in found.passages] if passages else []
    falling = accumulate((hit.score for hit in shown), min, initial=hits[-1].score if hits else float("inf"))
    next(falling)
    return (*hits, *(replace(hit, score=score) for hit, score in zip(shown, falling, strict=True)))


def _report(found: SliceRetrieval) -> str:
    """What the search has to say beside its hits, as JSON; empty where it has nothing to say."""
    begins = opening(found)
    if not found.issues and begins == NO_OPENING:
        return ""
    issues = [[issue.kind, issue.message, issue.source_id] for issue in found.issues]
    told = {"question": content_id(found.scope.question.strip()), "issues": issues, "opening": begins.to_json()}
    return json.dumps(told, ensure_ascii=False)


def _reporting(hit: Hit, report: str) -> Hit:
    return replace(hit, passage=replace(hit.passage, metadata={**hit.passage.metadata, _REPORT: report}))


def _chains(found: SliceRetrieval) -> dict[str, list[int]]:
    """The numbers of the paths that each found fact is a step of; a path of which a step was not found counts as none."""
    numbers: dict[str, list[int]] = defaultdict(list)
    known: dict[str, FoundFact] = {one.fact.id: one for one in found.trace}
    if all(one.role != "path" for one in found.trace):
        return numbers
    for number, path in enumerate(found.slice.paths(found.scope.entities), 1):
        steps = [[known[name] for name in edge.facts if name in known] for edge in path.edges]
        if all(steps):
            for step in steps:
                numbers[max(step, key=lambda one: one.score).fact.id].append(number)
    return numbers


def is_fact(passage: Passage) -> bool:
    """True for a passage that is a fact, told from others by its statement."""
    return bool(passage.metadata.get(_STATEMENT))


def asked_of(hits: Sequence[Hit]) -> str:
    """Chapters, time and places that the retriever found in the question; empty when it found none, or did not tell."""
    return next((str(hit.passage.metadata[_ASKED]) for hit in hits if hit.passage.metadata.get(_ASKED)), "")


def issues_of(hits: Iterable[Hit]) -> tuple[Issue, ...]:
    """What the searches that found the hits had to say, each thing once."""
    return tuple(dict.fromkeys(Issue(*one) for report in _reports(hits) for one in report["issues"]))


def opening_of(hits: Sequence[Hit], question: str) -> Opening:
    """What an answer without a model begins with, where the hits were found for this very question.

    Args:
        hits: of one search or of several. Names are told only where each has a fact among them that says so.
        question: as it is to be answered.
    """
    ids, asked = {hit.passage.id for hit in hits}, content_id(question.strip())
    for report in _reports(hits):
        if report["question"] == asked:
            begins = Opening.from_json(report["opening"])
            proved = all(ids & {*facts} for _, facts in begins.parts)
            return begins if proved else replace(begins, parts=())
    return NO_OPENING


def _reports(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """The reports of the searches; what somebody else wrote under the same key is none."""
    texts = dict.fromkeys(str(hit.passage.metadata[_REPORT]) for hit in hits if hit.passage.metadata.get(_REPORT))
    return [told for told in map(_read, texts) if told is not None]


def _read(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(text)
    except ValueError:
        return None
    return told if isinstance(told, dict) and {"question", "issues", "opening"} <= {*told} else None


def context_of(
    hits: Sequence[Hit],
    *,
    budget_tokens: int = 3_000,
    passage_share: float = 0.5,
    first: Iterable[str] = (),
    count: TokenCounter = count_tokens,
) -> SliceContext:
    """Choose what to show of retrieved passages, facts and others, and number it to be cited; the best line in any case.

    Facts that are asked for by name come first, then chains between the entities of the question, each whole or not at all, then
    facts and passages by their score.

    Args:
        hits: facts of a slice, passages of any store, or both.
        budget_tokens: tokens that all of them may take together, at least 1.
        passage_share: share of the budget kept for passages, from 0 (no passages) to 1 (no facts). Where one of both is missing,
            all goes to the other.
        first: ids of facts that come before all others.
        count: how tokens are counted.

    Raises:
        ValueError: the share or the budget is out of its range.
    """
    if not 0 <= passage_share <= 1:
        raise ValueError(f"passage_share must be from 0 to 1, not {passage_share!r}")
    if budget_tokens < 1:
        raise ValueError(f"budget_tokens must be at least 1, not {budget_tokens!r}")
    ranked = sorted(hits, key=lambda hit: -hit.score)
    facts = _by_id(hit for hit in ranked if is_fact(hit.passage))
    others = _by_id(hit for hit in ranked if not is_fact(hit.passage))
    share = passage_share if facts and others else float(not facts)
    facts, others = facts if share < 1 else {}, others if share else {}
    first = [name for name in first if name in facts]
    room = int(budget_tokens * (1 - share))
    lines = choose_lines(room, _costs(facts, count), first=first, chains=_chained(facts), others=facts)
    blocks = choose_lines(int(budget_tokens * share) + (lines.left if share else 0), _costs(others, count), others=others)
    if not lines.groups and not blocks.groups:
        best = [*first, *facts, *others][:1]
        lines, blocks = _only(best, facts), _only(best, others)
    kept = [*_numbered(facts[name] for name in lines.names), *_numbered(others[name] for name in blocks.names)]
    lost = len(facts) + len(others) - len(kept)
    told = f"{lost} of {lost + len(kept)} facts and passages did not fit into {budget_tokens} tokens"
    return SliceContext(tuple(kept), (Issue("over_budget", told),) if lost else ())


def _by_id(hits: Iterable[Hit]) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for hit in hits:
        found.setdefault(hit.passage.id, _evidence(hit))
    return found


def _evidence(hit: Hit) -> Evidence:
    passage = hit.passage
    if is_fact(passage):
        return Evidence(_WIDEST, passage, str(passage.metadata.get(COORDINATES) or _standing(passage)), hit.score)
    return Evidence(_WIDEST, passage, "; ".join(filter(None, (_standing(passage), when(passage)))), hit.score, series=PASSAGES)


def _standing(passage: Passage) -> str:
    """The coordinates of a passage that no story graph has put into words."""
    chapter, place = passage.metadata.get("chapter"), passage.metadata.get("place")
    told = f"chapter {chapter}" if isinstance(chapter, int) else str(chapter or "")
    return "; ".join(filter(None, (told, f"in {place}" if place else "")))


def _chained(facts: Mapping[str, Evidence]) -> list[tuple[str, ...]]:
    chains: dict[str, list[str]] = defaultdict(list)
    for name, item in facts.items():
        for number in filter(None, str(item.passage.metadata.get(_CHAINS) or "").split("; ")):
            chains[number].append(name)
    return [tuple(chains[number]) for number in sorted(chains, key=lambda number: (len(number), number))]


def _costs(items: Mapping[str, Evidence], count: TokenCounter) -> dict[str, int]:
    return {name: count(rendered(item) + "\n\n") for name, item in items.items()}


def _only(names: Iterable[str], known: Mapping[str, Evidence]) -> Chosen:
    return Chosen(groups=tuple((name,) for name in names if name in known))


def _numbered(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [replace(item, number=number) for number, item in enumerate(evidence, 1)]
