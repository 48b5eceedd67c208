"""Why a question was answered wrongly: the one stage that lost the answer (NS-ST-GraphRAG, figure 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args

from chronotope.records import Evidence, Hit
from chronotope.slices.answer.context import SliceContext
from chronotope.slices.diagnose.evidence_parts import Part, Span, Telling, has_part
from chronotope.slices.diagnose.matching import says
from chronotope.slices.fact import Fact
from chronotope.slices.graph import StoryGraph
from chronotope.slices.retrieve.retrieve import SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.slices.story_time import write_story_time
from chronotope.temporal.interval import Interval, merge

__all__ = ["AnswerTrace", "Category", "Diagnoses", "Diagnosis", "Gold", "Span", "Stage", "diagnose", "diagnose_all"]

Category: TypeAlias = Literal["time", "space", "general"]
Stage: TypeAlias = Literal["parser", "over_rejection", "retrieval", "generation", "none"]


@dataclass(frozen=True, kw_only=True)
class Gold:
    """What is right about a question.

    Args:
        answers: texts of which each is a right answer.
        evidence: every part that the answer needs: ids of facts, quotations, or spans of documents.
        category: what the question is bound to.
        chapters: chapters that it asks about, as intervals of numbers; None where that is not known, () where it asks for none.
        story: story time that it asks about; None and () likewise.
        places: names or ids of places that it asks about; None and () likewise.

    Raises:
        ValueError: no answer, or an unknown category.
    """

    answers: tuple[str, ...]
    evidence: tuple[Part, ...] = ()
    category: Category = "general"
    chapters: tuple[Interval, ...] | None = None
    story: tuple[Interval, ...] | None = None
    places: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if isinstance(cast("object", self.answers), str) or not any(answer.strip() for answer in self.answers):
            raise ValueError(f"answers are a tuple of texts, at least one of them not blank: {self.answers!r}")
        if self.category not in get_args(Category):
            raise ValueError(f"category must be time, space or general, not {self.category!r}")


@dataclass(frozen=True)
class AnswerTrace:
    """What happened to a question on its way to an answer.

    Args:
        scope: how the question was understood.
        facts: all facts of the graph (that of the reader, where one was asked for).
        in_slice: ids of the facts of the slice.
        found: ids of the facts that retrieval ranked.
        passages: passages that retrieval ranked.
        shown: what the model or reader was shown.
        answer: the text of the answer.
        graph: by which names and ids of one place are the same; None takes places by their names.
    """

    scope: StoryScope
    facts: tuple[Fact, ...]
    in_slice: frozenset[str]
    found: frozenset[str]
    passages: tuple[Hit, ...]
    shown: tuple[Evidence, ...]
    answer: str
    graph: StoryGraph | None = field(default=None, repr=False)

    @classmethod
    def of(cls, retrieval: SliceRetrieval, context: SliceContext | Sequence[Evidence], answer: HasText | str) -> AnswerTrace:
        """The trace of an answer.

        Args:
            retrieval: what `retrieve_slice` found.
            context: what was shown: a context, or the evidence of an answer.
            answer: an `Answer`, or its text.
        """
        graph = retrieval.slice.graph
        evidence = context.evidence if isinstance(context, SliceContext) else tuple(context)
        text = answer if isinstance(answer, str) else answer.text
        rows = retrieval.slice.rows.tolist()
        return cls(
            retrieval.scope,
            graph.facts,
            frozenset(graph.facts[row].id for row in rows),
            frozenset(found.fact.id for found in retrieval.trace),
            retrieval.passages,
            evidence,
            text,
            graph,
        )


class HasText(Protocol):
    """Anything with a text, such as an `Answer`."""

    @property
    def text(self) -> str:
        """The text."""
        ...


@dataclass(frozen=True)
class Diagnosis:
    """The stage that lost an answer.

    Args:
        stage: `parser`, the question was understood otherwise than it should be; `over_rejection`, the slice leaves out evidence
            that the graph has; `retrieval`, evidence is not in the graph, was not ranked, or was cut by the budget;
            `generation`, all evidence was shown and the answer is wrong; `none`, the answer is right.
        why: one sentence.
        category: of the question.
        missing: the parts of the evidence that the stage lost.
    """

    stage: Stage
    why: str
    category: Category = "general"
    missing: tuple[Part, ...] = ()

    @property
    def is_right(self) -> bool:
        """True when the answer is right."""
        return self.stage == "none"


def diagnose(trace: AnswerTrace, gold: Gold) -> Diagnosis:
    """Name the one stage that lost the answer; the first of them in the order of the pipeline.

    Args:
        trace: what happened.
        gold: what is right.

    Source: NS-ST-GraphRAG, figure 7.
    """
    return _diagnosed(trace, gold, Telling(trace.facts))


def _diagnosed(trace: AnswerTrace, gold: Gold, telling: Telling) -> Diagnosis:
    if says(trace.answer, gold.answers):
        return Diagnosis("none", "the answer holds a right answer", gold.category)
    misread = _misread(trace, gold)
    if misread:
        return Diagnosis("parser", misread, gold.category)
    parts = [_Part(part, trace, telling) for part in gold.evidence]
    lost = [part for part in parts if not part.is_shown]
    rejected = [part for part in lost if part.facts and not part.facts & trace.in_slice]
    if rejected:
        return _lost("over_rejection", "the slice leaves out {} that the graph has", rejected, gold)
    return _unfound(lost, gold) or Diagnosis("generation", _generated(gold), gold.category)


def _unfound(lost: Sequence[_Part], gold: Gold) -> Diagnosis | None:
    absent = [part for part in lost if not part.facts and not part.is_found]
    if absent:
        return _lost("retrieval", "{} is in no fact of the graph and no passage found", absent, gold)
    unranked = [part for part in lost if not part.is_found]
    if unranked:
        return _lost("retrieval", "{} is in the slice, but was not among what was found", unranked, gold)
    if lost:
        return _lost("retrieval", "{} was found, but cut by the token budget", lost, gold)
    return None


def _generated(gold: Gold) -> str:
    return (
        "all evidence was shown, but the answer is wrong"
        if gold.evidence
        else "the answer is wrong; no evidence is named to look for"
    )


class _Part:
    """How far one part of the evidence came."""

    def __init__(self, part: Part, trace: AnswerTrace, telling: Telling) -> None:
        self.part = part
        self.facts = telling.of(part)
        shown = {item.passage.id for item in trace.shown}
        self.is_shown = bool(self.facts & shown) or any(has_part(part, item.passage.text, item.passage) for item in trace.shown)
        self.is_found = bool(self.facts & trace.found) or any(
            has_part(part, hit.passage.text, hit.passage) for hit in trace.passages
        )


def _lost(stage: Stage, why: str, parts: Sequence[_Part], gold: Gold) -> Diagnosis:
    first = parts[0].part
    named = f"{first.source_id} {first.start}-{first.end}" if isinstance(first, Span) else repr(first)
    more = f" (and {len(parts) - 1} more)" if len(parts) > 1 else ""
    return Diagnosis(stage, why.format(f"evidence {named}{more}"), gold.category, tuple(part.part for part in parts))


def _misread(trace: AnswerTrace, gold: Gold) -> str:
    """What of the question was understood otherwise; empty when all that is known to be right is."""
    scope = trace.scope
    for what, wanted, read in (("chapters", gold.chapters, scope.chapters), ("story time", gold.story, scope.story)):
        if wanted is not None and _merged(wanted) != _merged(read):
            return f"the question asks for {what} {_shown(wanted)}, but was read as {_shown(read)}"
    if gold.places is not None:
        wanted_places, read_places = (
            frozenset(_place(name, trace.graph) for name in names) for names in (gold.places, scope.places)
        )
        if wanted_places != read_places:
            asked, read_as = (", ".join(sorted(names)) or "none" for names in (wanted_places, read_places))
            return f"the question asks for places {asked}, but was read as {read_as}"
    return ""


def _merged(times: Iterable[Interval]) -> list[tuple[int | None, int | None]]:
    return [(time.start, time.end) for time in merge(Interval(time.start, time.end) for time in times)]


def _shown(times: Iterable[Interval]) -> str:
    return "; ".join(map(write_story_time, times)) or "none"


def _place(name: str, graph: StoryGraph | None) -> str:
    return (graph.place_id(name) if graph is not None else None) or name


@dataclass(frozen=True, repr=False)
class Diagnoses:
    """The stages that lost the answers to many questions.

    Args:
        all: one for each question, in the given order.
    """

    all: tuple[Diagnosis, ...]

    @property
    def counts(self) -> Mapping[Category, Mapping[Stage, int]]:
        """How many questions of each category ended in which stage."""
        counted = Counter((item.category, item.stage) for item in self.all)
        return {kind: {stage: counted[kind, stage] for stage in get_args(Stage)} for kind in get_args(Category)}

    def table(self) -> str:
        """The counts as text, with a row for all categories."""
        stages = get_args(Stage)
        rows: list[tuple[str, list[int]]] = [(kind, [row[stage] for stage in stages]) for kind, row in self.counts.items()]
        rows.append(("all", [sum(row[stage] for row in self.counts.values()) for stage in stages]))
        lines: list[tuple[Any, ...]] = [("category", *stages, "questions"), *((kind, *row, sum(row)) for kind, row in rows)]
        widths = [max(len(str(line[at])) for line in lines) for at in range(len(lines[0]))]
        return "\n".join(
            "  ".join([str(line[0]).ljust(widths[0]), *(str(cell).rjust(widths[at]) for at, cell in enumerate(line) if at)])
            for line in lines
        )

    def __repr__(self) -> str:
        return self.table()


def diagnose_all(pairs: Iterable[tuple[AnswerTrace, Gold]]) -> Diagnoses:
    """Diagnose many questions.

    Args:
        pairs: what happened to each question, and what is right about it.
    """
    telling: dict[int, Telling] = {}  # by the tuple of facts, which each of them keeps alive
    found = []
    for trace, gold in pairs:
        known = telling.setdefault(id(trace.facts), Telling(trace.facts))
        found.append(_diagnosed(trace, gold, known))
    return Diagnoses(tuple(found))
