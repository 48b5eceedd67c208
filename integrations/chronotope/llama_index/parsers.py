"""What node parsers that may ask a model share: modes, prompts, models that fit dumps and cache keys, runs and what they cost."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from llama_index.core.llms.loading import load_llm
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation, field_serializer, field_validator, model_validator

from chronotope.cache import ReplyCache, cache_file
from chronotope.llama_index.models import AnyChat, as_chat
from chronotope.llama_index.origins import checked_nodes
from chronotope.llama_index.portable import dumped_llm, prompt_as_text, prompt_from_text, runner_for
from chronotope.llama_index.relations import IdFunction
from chronotope.models import Embedder
from chronotope.notes import counted, log_issues, unknown_option
from chronotope.prompts import Prompt
from chronotope.records import Issue, Spent
from chronotope.steps import Estimate, Runner, Step

__all__ = ["Made", "ParserRun", "ReadingNodeParser"]

Made: TypeAlias = tuple[list[BaseNode], tuple[Issue, ...]]
Found = TypeVar("Found")


@dataclass(frozen=True)
class ParserRun(Generic[Found]):
    """What one run of a parser does.

    Args:
        step: the work.
        made: makes nodes and issues of what was found.
    """

    step: Step[Found]
    made: Callable[[Found], Made]


class ReadingNodeParser(NodeParser):
    """A node parser with a mode that asks no model (`rules`) and others that do.

    All that a parser is made of are fields, so that it reaches the worker processes of an `IngestionPipeline` and its cache key.

    Args:
        llm: a LlamaIndex model or an endpoint of chronotope; its name and settings are part of cache keys, its credentials are not.
        prompts: texts of prompt files in place of ours, by name.
        attempts: how often a model may answer.
        id_func: names a node from its number and the document; by default ids are the same on every run. Not in cache keys.
        concurrency: model calls under way at once.
        cache_path: a file that keeps accepted replies, or a `ReplyCache` of one, so that an interrupted run goes on where it
            stopped; made when absent, with its folder.
        show_progress: show a bar on standard error.
        version: raise it to make pipeline caches forget.
    """

    # The input of an error may hold a model with its key.
    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True)
    model_mode: ClassVar[str]
    """The mode that is chosen where there is a model."""
    own_prompts: ClassVar[Mapping[str, Prompt[Any]]]
    """The package's own prompts, by name."""
    told_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that are shown in the printed form where they differ from their defaults."""
    given_again: ClassVar[tuple[str, ...]] = ("llm",)
    """Fields that may hold what LlamaIndex cannot load by name."""

    llm: SkipValidation[AnyChat | None] = None
    mode: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict, validate_default=True)
    attempts: int = 3
    id_func: SkipValidation[IdFunction | None] = Field(default=None, exclude=True)  # type: ignore[assignment]  # None: names stay
    concurrency: int = Field(default=8, ge=1)
    cache_path: SkipValidation[str | Path | ReplyCache | None] = None
    show_progress: bool = False
    version: int = 1
    _spent: Spent = PrivateAttr(default_factory=Spent)

    @model_validator(mode="before")
    @classmethod
    def _choose_mode(cls, data: Any) -> Any:  # noqa: ANN401 - whatever pydantic was given
        if not isinstance(data, dict):
            return data
        for name in data:
            if name not in cls.model_fields:
                raise ValueError(cls._no_such_option(name))
        if data.get("mode") is None:
            data = {**data, "mode": "rules" if data.get("llm") is None else cls.model_mode}
        return data

    @field_validator("cache_path", mode="before")
    @classmethod
    def _path_of_the_cache(cls, given: Any) -> str | None:  # noqa: ANN401
        return cache_file(given)

    @field_validator("prompts")
    @classmethod
    def _with_ours(cls, given: dict[str, str]) -> dict[str, str]:
        """Our own prompts beside the given ones, so that cache keys change with them."""
        for name in given:
            if name not in cls.own_prompts:
                raise ValueError(unknown_option(name, cls.own_prompts))
        return {name: given.get(name) or prompt_as_text(prompt) for name, prompt in cls.own_prompts.items()}

    @model_validator(mode="after")
    def _has_its_model(self) -> Self:
        as_chat(self.llm)
        if self.mode != "rules" and self.llm is None:
            raise ValueError(f"mode={self.mode!r} asks a model: give llm=, or use mode='rules'")
        return self

    @field_serializer("llm")
    def _dump_llm(self, llm: AnyChat | None) -> dict[str, Any] | None:
        return dumped_llm(llm)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        told = [f"mode={self.mode!r}"]
        if self.llm is not None and (chat := as_chat(self.llm)):
            told.append(f"llm={chat.model_id!r}")
        defaults = {name: type(self).model_fields[name].get_default(call_default_factory=True) for name in self.told_fields}
        told += [f"{name}={value!r}" for name in defaults if (value := getattr(self, name)) != defaults[name]]
        return f"{type(self).__name__}({', '.join(told)})"

    @classmethod
    def from_defaults(cls, **options: Any) -> Self:  # noqa: ANN401 - the fields
        """The same as the class itself, under the name that other parsers have."""
        return cls(**options)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: object) -> Self:
        """Undo `to_dict`. A model that LlamaIndex cannot load by name, or that needs a key, is given again.

        Raises:
            ValueError: a model must be given again and was not.
        """
        data = {**data, **kwargs}
        if isinstance(told := data.get("llm"), Mapping) and "class_name" in told:
            data["llm"] = load_llm(dict(told))
        for name in cls.given_again:
            if isinstance(told := data.get(name), Mapping):
                raise ValueError(  # noqa: TRY004 - the value is one of our own dumps
                    f"LlamaIndex cannot load the model {told.get('model_id')!r}: give it again as {name}="
                )
        made: Self = super().from_dict(data)
        return made

    def estimate(self, documents: Sequence[BaseNode]) -> Estimate:
        """What reading the documents would cost in calls and tokens. Nothing is called.

        Args:
            documents: what would be read.
        """
        with self._runner(show_progress=False) as runner:
            return runner.estimate(self._reading(documents).step)

    @property
    def spent(self) -> Spent:
        """What the model cost in the last run of this object; worker processes keep their own account."""
        return self._spent

    def get_nodes_from_documents(
        self,
        documents: Sequence[Document],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ANN401 - the framework's
    ) -> list[BaseNode]:
        """The nodes; what was dropped, repaired or guessed is logged.

        Args:
            documents: documents, or chunks of them.
            show_progress: show a bar on standard error.
            kwargs: of the framework; not used.
        """
        return super().get_nodes_from_documents(checked_nodes(documents), show_progress, **kwargs)

    async def aget_nodes_from_documents(
        self,
        documents: Sequence[Document],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ANN401
    ) -> list[BaseNode]:
        """The same, awaited."""
        return await super().aget_nodes_from_documents(checked_nodes(documents), show_progress, **kwargs)

    @classmethod
    def _no_such_option(cls, name: str) -> str:
        """What to say about an option that does not exist."""
        return unknown_option(name, cls.model_fields)

    @abstractmethod
    def _reading(self, documents: Sequence[BaseNode]) -> ParserRun[Any]:
        """What a run over these documents does."""

    def _embedder(self) -> Embedder | None:
        """What makes vectors, if any are compared."""
        return None

    def _read(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        reading = self._reading(documents)
        with self._runner(show_progress=show_progress) as runner:
            try:
                found = runner.run(reading.step)
            finally:
                self._spent = runner.spent
        return reading.made(found)

    async def _aread(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        if self.mode == "rules":
            return await asyncio.to_thread(self._read, documents, show_progress=show_progress)
        reading = self._reading(documents)
        with self._runner(show_progress=show_progress) as runner:
            try:
                found = await runner.arun(reading.step)
            finally:
                self._spent = runner.spent
        return reading.made(found)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:  # noqa: ANN401, ARG002 - the framework's
        return _logged(*self._read(nodes, show_progress=show_progress))

    async def _aparse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:  # noqa: ANN401, ARG002
        return _logged(*await self._aread(nodes, show_progress=show_progress))

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:  # noqa: ARG002
        """The nodes as they are: the framework would search for each text and put the first place where it finds it."""
        return nodes

    def _runner(self, *, show_progress: bool) -> AbstractContextManager[Runner]:
        return runner_for(
            self.llm,
            embedder=self._embedder(),
            cache_path=cache_file(self.cache_path),
            concurrency=self.concurrency,
            progress=show_progress or self.show_progress,
        )

    def _prompts_as(self, keyword: str = "{}_prompt") -> dict[str, Any]:
        """The prompts as keywords of a settings value."""
        return {keyword.format(name): prompt_from_text(self.prompts[name], ours) for name, ours in self.own_prompts.items()}


def _logged(nodes: list[BaseNode], issues: tuple[Issue, ...]) -> list[BaseNode]:
    log_issues(f"{counted(len(nodes), 'node')} made", issues)
    return nodes
