"""Questions to a story, in LangChain's form: fields that say how they are matched, and what may be given with each call."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Never, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from pydantic import Field, field_validator

from chronotope.langchain.fact_documents import fact_document
from chronotope.langchain.retrieving import ModelledRetriever, check_call, question_text, whole_number
from chronotope.metadata import Times
from chronotope.notes import log_search
from chronotope.slices.documents.from_passages import found_hits
from chronotope.slices.documents.reading import earlier, reader_graph_of
from chronotope.slices.graph import StoryGraph
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.retrieve.asking import SliceAsking, checked_chapter
from chronotope.slices.retrieve.retrieval_settings import ScopeUse, SliceSettings, SliceWeights, Untold
from chronotope.slices.retrieve.retrieve import SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.steps import Step

__all__ = ["AskedStory"]

_WITH_A_CALL = ("k", "reader_at", "scope", "times")
_SETTINGS = tuple(item.name for item in fields(SliceSettings) if item.name not in ("k", "passages"))


class AskedStory(ModelledRetriever[SliceRetrieval]):
    """A retriever over a story index; `SliceRetriever` says what the fields mean."""

    index: StoryIndex
    k: int | None = Field(default=None, ge=1)
    passages: int = Field(default=0, ge=0)
    reader_at: int | None = None
    settings: SliceSettings | None = None
    scope: ScopeUse | None = None
    unplaced: Untold | None = None
    untimed: Untold | None = None
    paths: int | None = None
    weights: SliceWeights | None = None
    rerank: int | None = None

    @field_validator("reader_at", mode="before")
    @classmethod
    def _no_flag(cls, given: object) -> object:
        """What is text in a form may be a number; a flag is none."""
        return checked_chapter(given) if isinstance(given, bool) else given

    def for_reader(self, reader_at: int | None) -> Self:
        """The same over the same story, for a reader of so many chapters; for retrievers and tools that hand on words alone.

        Neither a call nor another `for_reader` takes the result beyond that chapter, and it does not tell what was reported while
        documents and facts were added, which may speak of later ones.

        Args:
            reader_at: last chapter that the reader knows, if it is not behind the one of this retriever; None changes nothing.

        Raises:
            TypeError: it is no chapter.
        """
        known = earlier(self.reader_at, checked_chapter(reader_at))
        return self.model_copy(update={"reader_at": known} | ({} if known is None else {"issues": (), "uncertain": ()}))

    @property
    def graph(self) -> StoryGraph:
        """The story graph: slices, places, who is who, and `graph.networkx`; of what is told to the reader where there is one."""
        return reader_graph_of(self.index, self.reader_at)

    def retrieve_with_report(
        self,
        question: str,
        *,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        config: RunnableConfig | None = None,
    ) -> SliceRetrieval:
        """Retrieve, and say how the question was understood, what was found and how, and what each constraint costs.

        Args:
            question: a question in plain words.
            k: number of facts, when not the retriever's.
            times: asked story time, when not that of the question.
            reader_at: last chapter that the reader knows; of this one and the retriever's, the earlier counts.
            scope: what the question asks for, in place of what its words say.
            config: passed on with every model call.
        """
        step = self._asked(question, k, times, reader_at, scope)
        return self._told(question, self._runner(config).run(step))

    async def aretrieve_with_report(
        self,
        question: str,
        *,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        config: RunnableConfig | None = None,
    ) -> SliceRetrieval:
        """The same, awaited."""
        step = self._asked(question, k, times, reader_at, scope)
        return self._told(question, await self._runner(config).arun(step))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        **unknown: Never,
    ) -> list[Document]:
        check_call(unknown, _WITH_A_CALL)
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        return self._documents(self.retrieve_with_report(query, k=k, times=times, reader_at=reader_at, scope=scope, config=config))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        **unknown: Never,
    ) -> list[Document]:
        check_call(unknown, _WITH_A_CALL)
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        found = await self.aretrieve_with_report(query, k=k, times=times, reader_at=reader_at, scope=scope, config=config)
        return self._documents(found)

    def _search(self, question: str, k: int | None, times: Times | None) -> Step[SliceRetrieval]:
        return self._asked(question, k, times, None, None)

    def _asked(
        self, question: str, k: int | None, times: Times | None, reader_at: int | None, scope: StoryScope | None
    ) -> Step[SliceRetrieval]:
        known = earlier(self.reader_at, checked_chapter(reader_at))
        return self._asking(k).retrieve(self.index, question_text(question), scope=scope, reader_at=known, times=times)

    def _told(self, question: str, found: SliceRetrieval) -> SliceRetrieval:
        log_search(question, len(found.trace), found.issues)
        return found

    def _asking(self, k: int | None = None) -> SliceAsking:
        given = {name: value for name in _SETTINGS if (value := getattr(self, name)) is not None}
        return SliceAsking.of(
            self.k if whole_number(k) is None else k,
            self.today,
            has_chat=self.llm is not None and self.scope_mode != "rules",
            settings=self.settings,
            calendar=self.calendar,
            reader_at=self.reader_at,
            times=self.times,
            passages=self.passages,
            **given,
        )

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:  # noqa: ANN401 - the framework's
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = type(self.index).__name__
        if self.embedder is not None:
            params["ls_embedding_model"] = self.embedder.model_id
        return params

    def _documents(self, found: SliceRetrieval) -> list[Document]:
        return [fact_document(hit, keys=self.keys) for hit in found_hits(found, passages=self.passages > 0)]
