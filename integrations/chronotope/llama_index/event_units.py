"""Event units as LlamaIndex nodes: documents in, sentences that tell one event each out (DyG-RAG section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from llama_index.core.schema import BaseNode
from pydantic import Field, SkipValidation, field_serializer, model_validator

from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.events.extract.proposals import MISSED_EVENTS, WINDOW_EVENTS
from chronotope.events.extract.settings import ExtractMode
from chronotope.llama_index.event_nodes import EventSources, read_sources
from chronotope.llama_index.parsers import Made, ParserRun, ReadingNodeParser
from chronotope.llama_index.portable import prompt_from_text
from chronotope.metadata import MetadataKeys
from chronotope.naming.rule_names import EntityFinder
from chronotope.prompts import Prompt
from chronotope.records import Extraction
from chronotope.temporal.settings import CalendarSettings

__all__ = ["EventUnitNodeParser"]


class EventUnitNodeParser(ReadingNodeParser):
    """Makes a node of every event and lasting state that documents tell of: one sentence, with its times and who takes part.

    Pronouns are replaced where it is sure whom they mean, so that a node can be read alone; its offsets are those of the sentence
    in the document. Chunks of another parser are read together where they come from one document, and know their place in it. Nodes
    go into any index; behind its retriever, a `TimeCoTSynthesizer` puts them on a timeline.

    Args:
        llm: a LlamaIndex model or an endpoint of chronotope; its name and settings are part of cache keys, its credentials are not.
        mode: `rules` asks no model, `llm` asks one about each window; when absent, `llm` with a model, else `rules`.
        keys: where times are read and written.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing, from which "last month" is counted.
        window_tokens: size of a window in tokens.
        overlap_tokens: tokens that a window repeats of the one before.
        min_score: criteria of information that an event must meet, 0 to 4.
        entities: finds names in a text, such as `SpacyNames`; None finds them by rules.
        second_pass: ask once more for what the first reading of a window missed.
        title_key: metadata key of a document's title.
        calendar: seasons, fiscal years, date order.
        prompts: texts of prompt files in place of ours, under `window_events` or `missed_events`.
        attempts: how often a refused reply is asked again.
        include_metadata: nodes inherit the metadata of their document.
        include_prev_next_rel: nodes know the one before and the one after in their document.
        id_func: names a node from its number and the document; by default ids are the same on every run. Not in cache keys.
        concurrency: model calls under way at once.
        cache_path: a file that keeps accepted replies, so that an interrupted run goes on where it stopped.
        show_progress: show a bar on standard error.
        version: raise it to make pipeline caches forget.

    Raises:
        ValueError: the mode needs a model and there is none, or a setting has a value that is not allowed.
        TypeError: `llm` cannot answer.
        PromptError: a prompt's text is no prompt.

    Source: DyG-RAG, section 3.3.

    >>> from llama_index.core import Document
    >>> letter = Document(text="Ann Lee moved to Turin in May 1931. In 1935 Ann Lee left it.", id_="letter")
    >>> [(node.text, node.metadata["time_intervals"]) for node in EventUnitNodeParser()([letter])]
    [('Ann Lee moved to Turin in May 1931.', '1931-05'), ('In 1935 Ann Lee left it.', '1935')]
    """

    model_mode: ClassVar[str] = "llm"
    own_prompts: ClassVar[Mapping[str, Prompt[Any]]] = {"window_events": WINDOW_EVENTS, "missed_events": MISSED_EVENTS}
    told_fields: ClassVar[tuple[str, ...]] = ("second_pass", "entities")
    given_again: ClassVar[tuple[str, ...]] = ("llm", "entities")

    mode: ExtractMode | None = None
    keys: MetadataKeys = Field(default_factory=MetadataKeys)
    date: str | None = None
    window_tokens: int = 1_200
    overlap_tokens: int = 64
    min_score: int = 1
    entities: SkipValidation[EntityFinder | None] = None
    second_pass: bool = False
    title_key: str = "title"
    calendar: CalendarSettings = Field(default_factory=CalendarSettings)

    @model_validator(mode="after")
    def _check(self) -> EventUnitNodeParser:
        self._settings()
        return self

    @field_serializer("entities")
    def _dump_entities(self, entities: EntityFinder | None) -> dict[str, Any] | None:
        return None if entities is None else {"model_id": repr(entities)}

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeEventUnitNodeParser"

    def extract(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The nodes, and an issue for whatever was dropped, guessed, refused or left without a time.

        Args:
            documents: documents, or chunks of them; blank ones give no nodes.
            show_progress: show a bar on standard error.
        """
        return self._read(documents, show_progress=show_progress)

    async def aextract(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        return await self._aread(documents, show_progress=show_progress)

    def _reading(self, documents: Sequence[BaseNode]) -> ParserRun[Extraction[EventUnit]]:
        sources = read_sources(documents, self.keys.with_date(self.date))
        return ParserRun(extract_events(sources.passages, settings=self._settings()), lambda found: self._nodes(sources, found))

    def _nodes(self, sources: EventSources, found: Extraction[EventUnit]) -> Made:
        nodes = sources.nodes(
            found.items,
            keys=self.keys.with_date(self.date),
            include_metadata=self.include_metadata,
            linked=self.include_prev_next_rel,
            id_func=self.id_func,
        )
        return nodes, (*sources.issues, *found.issues)

    def _settings(self) -> ExtractSettings:
        return ExtractSettings(
            mode=self.mode or "rules",
            window_tokens=self.window_tokens,
            overlap_tokens=self.overlap_tokens,
            calendar=self.calendar,
            min_score=self.min_score,
            entities=self.entities,
            second_pass=self.second_pass,
            attempts=self.attempts,
            title_key=self.title_key,
            prompt=prompt_from_text(self.prompts["window_events"], WINDOW_EVENTS),
            missed_prompt=prompt_from_text(self.prompts["missed_events"], MISSED_EVENTS),
        )
