"""Facts of a story as a LlamaIndex transformation: for property graphs and for pipelines (NS-ST-GraphRAG)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from llama_index.core.schema import BaseNode
from pydantic import Field, PrivateAttr, SkipValidation, field_serializer, field_validator, model_validator

from chronotope.llama_index.event_nodes import EventSources, read_sources
from chronotope.llama_index.origins import checked_nodes
from chronotope.llama_index.parsers import Made, ParserRun, ReadingNodeParser
from chronotope.llama_index.portable import prompt_from_text
from chronotope.llama_index.property_graph import GRAPH_KEYS, with_graph
from chronotope.metadata import MetadataKeys
from chronotope.naming.rule_names import EntityFinder
from chronotope.opaque import Opaque
from chronotope.prompts import Prompt
from chronotope.slices.documents.given import checked_entities, checked_ontology, kept_out
from chronotope.slices.documents.laying import with_stored
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts, facts_by_passage, has_stored
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.extract.proposals import REPAIR_FACTS, STORY_FACTS
from chronotope.slices.extract.settings import FactMode
from chronotope.slices.fact import Entity
from chronotope.slices.index.saved_ontology import ontology_of, saved_ontology
from chronotope.slices.ontology import Ontology
from chronotope.slices.story_facts import StoryFacts
from chronotope.slices.story_time import AxisKind
from chronotope.temporal.settings import CalendarSettings

__all__ = ["StoryFactExtractor"]


class StoryFactExtractor(ReadingNodeParser):
    """Returns the nodes it is given, as copies that carry the facts that they tell, checked against an ontology.

    A fact is a relation between persons, places and things, with its chapter, its time in the story, its place and the words that
    tell it. The facts of a node are one JSON text under `story_facts`, kept out of embedded text and prompts, which a
    `SliceRetriever` takes as it is. As one of the `kg_extractors` of a `PropertyGraphIndex` it also hands over nodes and relations:
    each fact is a node between its subject and its object, so that a graph store keeps every dated fact. Nodes of one document are
    read together, in the given order; nodes that have `story_facts` are not read again.

    Args:
        llm: a LlamaIndex model or an endpoint of chronotope; its name and settings are part of cache keys, its credentials are not.
        mode: `rules` asks no model, `llm` asks one about each window; when absent, `llm` with a model, else `rules`.
        ontology: what can be so: a shipped one by its name, the path of a file, or an ontology.
        repairs: rounds in which facts that break a hard rule go back to the model; 0 asks never.
        window_tokens: size of a window of a chapter in tokens.
        overlap_tokens: tokens that a window repeats of the one before, in whole sentences.
        axis: `ticks` or `dates`; None takes dates where most chapters are dated.
        calendar: seasons, fiscal years, date order.
        cast: entities that are known beforehand, with their names and types.
        entities: finds names in a text, such as `SpacyNames`, for extraction by rules; None finds them by rules.
        property_graph: also write what a `PropertyGraphIndex` takes; False for stores that take flat metadata alone.
        keys: where dates of writing are read.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
        prompts: texts of prompt files in place of ours, under `story_facts` or `repair_facts`.
        attempts: how often a refused reply is asked again.
        include_metadata: of other node parsers; nodes keep their own metadata in any case.
        include_prev_next_rel: of other node parsers; nodes keep their own relationships in any case.
        id_func: of other node parsers; nodes keep their ids in any case.
        concurrency: model calls under way at once.
        cache_path: a file that keeps accepted replies, so that an interrupted run goes on where it stopped.
        show_progress: show a bar on standard error.
        version: raise it to make pipeline caches forget.

    Raises:
        ValueError: the mode needs a model and there is none, there is no such ontology, or a setting is not allowed.
        TypeError: `llm` cannot answer.
        PromptError: a prompt's text is no prompt.

    Source: NS-ST-GraphRAG, figures 2 and 3.

    >>> from llama_index.core.schema import TextNode
    >>> node, = StoryFactExtractor()([TextNode(text="Ann Lee married Tom Rask.", metadata={"chapter": 3})])
    >>> [(fact.statement, fact.chapter) for fact in StoredFacts.from_text(node.metadata["story_facts"]).facts]
    [('Ann Lee — married to — Tom Rask', 3)]
    """

    model_mode: ClassVar[str] = "llm"
    own_prompts: ClassVar[Mapping[str, Prompt[Any]]] = {"story_facts": STORY_FACTS, "repair_facts": REPAIR_FACTS}
    told_fields: ClassVar[tuple[str, ...]] = ("repairs", "window_tokens", "axis", "property_graph")
    given_again: ClassVar[tuple[str, ...]] = ("llm", "entities")

    mode: FactMode | None = None
    ontology: Annotated[str | Path | Ontology, Opaque] = Field(default="general_fiction", validate_default=True)
    repairs: int = 2
    window_tokens: int = 1_200
    overlap_tokens: int = 0
    axis: AxisKind | None = None
    calendar: CalendarSettings = Field(default_factory=CalendarSettings)
    cast: Annotated[tuple[Entity, ...], Opaque] = ()
    entities: SkipValidation[EntityFinder | None] = None
    property_graph: bool = True
    keys: MetadataKeys = Field(default_factory=MetadataKeys)
    date: str | None = None
    _story: StoryFacts | None = PrivateAttr(default=None)

    @field_validator("ontology", mode="before")
    @classmethod
    def _load_ontology(cls, given: Any) -> Ontology:  # noqa: ANN401 - whatever pydantic was given
        """The ontology itself: a worker process need not have the file, and cache keys change with its contents."""
        if isinstance(given, Mapping):
            if told := ", ".join(given.get("functions") or ()):
                raise ValueError(f"rules that are functions ({told}) are in no dump: give the ontology again as ontology=")
            return ontology_of(given)
        try:
            known = checked_ontology(given)
        except TypeError as problem:
            raise ValueError(str(problem)) from None  # pydantic tells of these alone
        return known if isinstance(known, Ontology) else Ontology.load(known)

    @field_validator("cast", mode="before")
    @classmethod
    def _read_cast(cls, given: Any) -> tuple[Entity, ...]:  # noqa: ANN401
        if isinstance(given, (list, tuple)):
            given = [Entity.from_json(one) if isinstance(one, Mapping) else one for one in given]
        try:
            return checked_entities(given)
        except TypeError as problem:
            raise ValueError(f"cast: {problem}") from None

    @model_validator(mode="after")
    def _check(self) -> StoryFactExtractor:
        self._settings()
        return self

    @field_serializer("ontology")
    def _dump_ontology(self, ontology: Ontology) -> dict[str, Any]:
        return saved_ontology(ontology)

    @field_serializer("cast")
    def _dump_cast(self, cast: tuple[Entity, ...]) -> list[dict[str, Any]]:
        return [entity.to_json() for entity in cast]

    @field_serializer("entities")
    def _dump_entities(self, entities: EntityFinder | None) -> dict[str, Any] | None:
        return None if entities is None else {"model_id": repr(entities)}

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeStoryFactExtractor"

    def extract(self, nodes: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """Copies of the nodes with their facts, and an issue for whatever was dropped, guessed, refused or kept out.

        Args:
            nodes: documents, or chunks of them; blank ones come back without facts.
            show_progress: show a bar on standard error.
        """
        return self._read(nodes, show_progress=show_progress)

    async def aextract(self, nodes: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        return await self._aread(nodes, show_progress=show_progress)

    @property
    def story(self) -> StoryFacts | None:
        """The facts of the last run of this object, those that nodes carried already included; None before the first run.

        The log of facts that were kept out is of the nodes that were read.
        """
        return self._story

    def _reading(self, documents: Sequence[BaseNode]) -> ParserRun[StoryFacts]:
        nodes = checked_nodes(documents)
        sources = read_sources([node for node in nodes if not has_stored(node.metadata)], self._keys)
        step = extract_facts(sources.passages, settings=self._settings())
        return ParserRun(step, lambda found: self._made(nodes, sources, found))

    def _made(self, nodes: Sequence[BaseNode], sources: EventSources, found: StoryFacts) -> Made:
        stored = [StoredFacts.from_text(node.metadata[FACTS_KEY]) for node in nodes if has_stored(node.metadata)]
        self._story = with_stored(found, stored)
        shares = facts_by_passage(found, sources.passages)
        told = {id(origin.node): share for origin, share in zip(sources.origins, shares, strict=True)}
        made = [self._with_facts(node, told.get(id(node))) for node in nodes]
        return made, (*sources.issues, *found.issues, *kept_out(found.uncertain))

    def _with_facts(self, node: BaseNode, share: StoredFacts | None) -> BaseNode:
        """A copy of a node. What was not read has facts of an earlier run, or is blank."""
        stored = share or (StoredFacts.from_text(node.metadata[FACTS_KEY]) if has_stored(node.metadata) else StoredFacts())
        hidden = (FACTS_KEY, *(GRAPH_KEYS if self.property_graph else ()))
        copy = node.model_copy(
            update={
                "metadata": {**node.metadata, FACTS_KEY: stored.to_text()},
                "relationships": dict(node.relationships),
                "excluded_embed_metadata_keys": [*dict.fromkeys((*node.excluded_embed_metadata_keys, *hidden))],
                "excluded_llm_metadata_keys": [*dict.fromkeys((*node.excluded_llm_metadata_keys, *hidden))],
            }
        )
        return with_graph(copy, stored) if self.property_graph else copy

    @property
    def _keys(self) -> MetadataKeys:
        return self.keys.with_date(self.date)

    def _settings(self) -> FactSettings:
        return FactSettings(
            mode=self.mode or "rules",
            ontology=self.ontology,
            repairs=self.repairs,
            window_tokens=self.window_tokens,
            overlap_tokens=self.overlap_tokens,
            attempts=self.attempts,
            axis=self.axis,
            calendar=self.calendar,
            cast=self.cast,
            entities=self.entities,
            prompt=prompt_from_text(self.prompts["story_facts"], STORY_FACTS),
            repair_prompt=prompt_from_text(self.prompts["repair_facts"], REPAIR_FACTS),
        )
