"""What retrievers of this package share in LangChain: models with one bill and one cap, options that are checked, asked times."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Generic, Never, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation, field_validator, model_validator

from chronotope.langchain.models import AnyChat, AnyReranker, as_chat, as_reranker
from chronotope.metadata import MetadataKeys, Times, read_intervals
from chronotope.models import Embedder
from chronotope.notes import unknown_option
from chronotope.questions import ScopeMode
from chronotope.records import Issue, Spent
from chronotope.steps import Cache, Runner, Step
from chronotope.temporal import CalendarSettings, TimeInterval, Today

__all__ = ["ModelledRetriever", "check_call", "question_text", "whole_number"]


Found = TypeVar("Found")


class ModelledRetriever(BaseRetriever, Generic[Found]):
    """A retriever that may ask models; see its subclasses for what the fields mean."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    embedder: Annotated[Embedder | None, SkipValidation] = None
    llm: Annotated[AnyChat | None, SkipValidation] = None
    reranker: Annotated[AnyReranker | None, SkipValidation] = None
    preset: str = "default"
    today: Annotated[Today, SkipValidation] = None
    calendar: CalendarSettings = CalendarSettings()
    scope_mode: ScopeMode | None = None
    times: Annotated[Times | None, SkipValidation] = None
    keys: MetadataKeys = MetadataKeys()
    date: str | None = None
    source_key: str = "source_id"
    cache: Annotated[Cache | None, SkipValidation] = None
    max_concurrency: int = Field(default=8, ge=1)
    max_calls: int | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    issues: tuple[Issue, ...] = ()
    _account: Runner = PrivateAttr(default_factory=Runner)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, options: Mapping[str, Any]) -> Mapping[str, Any]:
        for name in options:
            if name not in cls.model_fields:
                raise ValueError(unknown_option(name, cls.model_fields))
        return options

    @field_validator("times", mode="before")
    @classmethod
    def _read_times(cls, times: Times | None) -> tuple[TimeInterval, ...]:
        return read_intervals(times)

    @property
    def spent(self) -> Spent:
        """What the models cost so far."""
        return self._account.spent

    def retrieve_with_report(
        self, question: str, *, k: int | None = None, times: Times | None = None, config: RunnableConfig | None = None
    ) -> Found:
        """Retrieve, and say how the question was understood, what was found and how, and what was left out.

        Args:
            question: a question in plain words.
            k: number of documents, when not the retriever's.
            times: asked times, when not those of the question.
            config: passed on with every model call.
        """
        step = self._search(question_text(question), k, times)
        return self._told(question, self._runner(config).run(step))

    async def aretrieve_with_report(
        self, question: str, *, k: int | None = None, times: Times | None = None, config: RunnableConfig | None = None
    ) -> Found:
        """The same, awaited."""
        step = self._search(question_text(question), k, times)
        return self._told(question, await self._runner(config).arun(step))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        **unknown: Never,
    ) -> list[Document]:
        check_call(unknown)
        return self._documents(self.retrieve_with_report(query, k=k, times=times, config={"callbacks": run_manager.get_child()}))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        **unknown: Never,
    ) -> list[Document]:
        check_call(unknown)
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        return self._documents(await self.aretrieve_with_report(query, k=k, times=times, config=config))

    @abstractmethod
    def _search(self, question: str, k: int | None, times: Times | None) -> Step[Found]:
        """From the question to what is found."""

    @abstractmethod
    def _told(self, question: str, found: Found) -> Found:
        """The same, logged."""

    @abstractmethod
    def _documents(self, found: Found) -> list[Document]:
        """What is found, as documents."""

    def _open_account(self) -> None:
        self.keys = self.keys.with_date(self.date)
        self._account = Runner(max_calls=self.max_calls, max_tokens=self.max_tokens)

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        reranker = as_reranker(self.reranker) if self.reranker is not None else None
        runner = Runner(chat, self.embedder, reranker, cache=self.cache, concurrency=self.max_concurrency)
        return runner.charged_to(self._account)  # one bill and one cap, whatever each call is configured with


def check_call(unknown: Mapping[str, object], known: Iterable[str] = ("k", "times")) -> None:
    """Whether something was given with a call that calls do not take.

    Args:
        unknown: what is left of the keywords of a call.
        known: what may be given.

    Raises:
        TypeError: there is something left; the message names the near one.
    """
    for name in unknown:
        raise TypeError(f"with a call, {unknown_option(name, known)}")


def question_text(question: str) -> str:
    """The question.

    Raises:
        TypeError: it is part of something else.
    """
    if not isinstance(question, str):
        raise TypeError(
            f"a question must be a text, not {type(question).__name__}; where it is part of an input, take it out before: "
            'itemgetter("input") | retriever'
        )
    return question


def whole_number(k: int | None) -> int | None:
    """A number of documents, or None.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(k, int | None) or isinstance(k, bool):
        raise TypeError(f"k must be a whole number, not {k!r}")
    return k
