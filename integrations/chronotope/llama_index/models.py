"""Models in both directions: LlamaIndex's where chronotope asks for one, chronotope's embedders where LlamaIndex asks for one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.generic_utils import messages_to_prompt as generic_messages_to_prompt
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, MessageRole
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import Field, model_validator

from chronotope.defaults import default_embedder
from chronotope.models import ChatModel, Embedder, EmbedKind, Message, Reply, Reranker, Schema, Vectors
from chronotope.prompts import with_schema_text
from chronotope.records import content_id
from chronotope.wrapping import scores_by_place, unit_rows

__all__ = [
    "AnyChat",
    "AnyEmbedder",
    "AnyReranker",
    "ChronotopeEmbedding",
    "LlamaIndexChat",
    "LlamaIndexEmbedder",
    "LlamaIndexReranker",
    "as_chat",
    "as_embedder",
    "as_reranker",
]

AnyChat: TypeAlias = LLM | ChatModel
AnyEmbedder: TypeAlias = BaseEmbedding | Embedder
AnyReranker: TypeAlias = BaseNodePostprocessor | Reranker

_ANSWER_CHANGERS = ("temperature", "max_tokens", "system_prompt", "additional_kwargs")
_CUT = {"length", "max_tokens", "MAX_TOKENS"}


class LlamaIndexChat:
    """A LlamaIndex `LLM` as a chat model: chat or completion as its metadata says, its async methods for async work.

    Args:
        llm: any LlamaIndex language model; its system prompt and its way to turn messages into a prompt are kept.
    """

    def __init__(self, llm: LLM) -> None:
        self.llm = llm

    @property
    def model_id(self) -> str:
        """Class and model name, and a hash of the settings that change answers; no key or address is in it."""
        settings = content_id(*(getattr(self.llm, name, None) for name in _ANSWER_CHANGERS))
        return f"{self.llm.class_name()}/{self.llm.metadata.model_name}/{settings[:8]}"

    @property
    def window(self) -> int:
        """Tokens that a prompt may have so that the answer still fits, as the model's metadata says."""
        metadata = self.llm.metadata
        return metadata.context_window - max(metadata.num_output, 0)

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """Answer; a schema is told in words, since LlamaIndex's structured helpers change the prompts given to them."""
        turns = self._turns(messages, schema)
        return _reply(self.llm.chat(turns) if self._chats else self.llm.complete(self._prompt(turns), formatted=True))

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The same, awaited."""
        turns = self._turns(messages, schema)
        return _reply(await (self.llm.achat(turns) if self._chats else self.llm.acomplete(self._prompt(turns), formatted=True)))

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Answer piece by piece."""
        turns = self._turns(messages, None)
        parts: Iterator[Any] = iter(
            self.llm.stream_chat(turns) if self._chats else self.llm.stream_complete(self._prompt(turns), formatted=True)
        )
        for part in parts:
            yield part.delta or ""

    async def astream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        """The same, awaited."""
        turns = self._turns(messages, None)
        parts: Any = await (
            self.llm.astream_chat(turns) if self._chats else self.llm.astream_complete(self._prompt(turns), formatted=True)
        )
        async for part in parts:
            yield part.delta or ""

    @property
    def _chats(self) -> bool:
        return bool(self.llm.metadata.is_chat_model)

    def _turns(self, messages: Sequence[Message], schema: Schema | None) -> list[ChatMessage]:
        told = messages if schema is None else with_schema_text(messages, schema)
        turns = [ChatMessage(role=MessageRole(message.role), content=message.content) for message in told]
        if self.llm.system_prompt:
            turns.insert(0, ChatMessage(role=MessageRole.SYSTEM, content=self.llm.system_prompt))
        return turns

    def _prompt(self, turns: Sequence[ChatMessage]) -> str:
        # Declared optional, and always set by the time a model is made.
        to_prompt = self.llm.messages_to_prompt or generic_messages_to_prompt
        prompt = to_prompt(turns)
        return self.llm.query_wrapper_prompt.format(query_str=prompt) if self.llm.query_wrapper_prompt else prompt


def _reply(response: ChatResponse | CompletionResponse) -> Reply:
    text = response.message.content if isinstance(response, ChatResponse) else response.text
    raw = response.raw
    reasons = {str(_at(raw, *path)) for path in (("choices", 0, "finish_reason"), ("stop_reason",), ("done_reason",))}
    tokens = [_at(raw, "usage", name) for name in ("prompt_tokens", "completion_tokens")]
    return Reply(text or "", truncated=bool(reasons & _CUT), prompt_tokens=tokens[0], completion_tokens=tokens[1])


def _at(raw: Any, *path: str | int) -> Any:  # noqa: ANN401 - providers give objects or dicts, each its own
    for step in path:
        if isinstance(raw, Mapping):
            raw = raw.get(step)
        elif isinstance(step, int):
            raw = raw[step] if isinstance(raw, Sequence) and len(raw) > step else None
        else:
            raw = getattr(raw, step, None)
    return raw


class LlamaIndexEmbedder:
    """A LlamaIndex `BaseEmbedding` as an embedder: questions by its query method, passages in batches, vectors of length 1.

    Args:
        embed_model: any LlamaIndex embedding model.
    """

    def __init__(self, embed_model: BaseEmbedding) -> None:
        self.embed_model = embed_model

    @property
    def model_id(self) -> str:
        """Class and model name."""
        return f"{self.embed_model.class_name()}/{self.embed_model.model_name}"

    @property
    def width(self) -> int | None:
        """None: LlamaIndex does not tell it before a call."""
        return None

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """One unit vector a text."""
        if kind == "query":
            return unit_rows([self.embed_model.get_query_embedding(text) for text in texts])
        return unit_rows(self.embed_model.get_text_embedding_batch(list(texts)))

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited; a model without async code of its own works in a thread, so that the event loop stays free."""
        if kind == "query":
            return unit_rows(await asyncio.gather(*map(self.embed_model.aget_query_embedding, texts)))
        if not _embeds_async(self.embed_model):
            return await asyncio.to_thread(self.embed, texts, kind=kind)
        return unit_rows(await self.embed_model.aget_text_embedding_batch(list(texts)))


def _embeds_async(model: BaseEmbedding) -> bool:
    names = ("_aget_text_embedding", "_aget_text_embeddings")
    return any(getattr(type(model), name) is not getattr(BaseEmbedding, name) for name in names)


class ChronotopeEmbedding(BaseEmbedding):
    """Any chronotope embedder as a LlamaIndex embedding model, for LlamaIndex's own indexes.

    Args:
        embedder: what embeds; the embedded default model when absent. It is not part of `to_dict`, its name is.

    Raises:
        ValueError: a `model_name` is given (by `from_dict`, for example) that is not the embedder's.
    """

    embedder: Any = Field(default_factory=default_embedder, exclude=True)

    def __init__(self, embedder: Embedder | None = None, **data: Any) -> None:  # noqa: ANN401 - fields of BaseEmbedding
        super().__init__(**(data if embedder is None else {"embedder": embedder, **data}))

    @model_validator(mode="after")
    def _name_it(self) -> ChronotopeEmbedding:
        if self.model_name not in ("unknown", self.embedder.model_id):
            raise ValueError(f"embedding model {self.model_name!r} was asked for, the embedder is {self.embedder.model_id!r}")
        # Past pydantic's own assignment, which would validate again and come back here.
        self.__dict__["model_name"] = self.embedder.model_id
        return self

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._rows(self.embedder.embed([query], kind="query"))[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._rows(await self.embedder.aembed([query], kind="query"))[0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._rows(self.embedder.embed(texts))

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self._aget_text_embeddings([text]))[0]

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._rows(await self.embedder.aembed(texts))

    @staticmethod
    def _rows(vectors: Vectors) -> list[list[float]]:
        rows: list[list[float]] = vectors.tolist()
        return rows


class LlamaIndexReranker:
    """A LlamaIndex reranking postprocessor as a reranker.

    Args:
        postprocessor: sets the score of each node; texts that it leaves out (its `top_n`) rank behind all others.
    """

    def __init__(self, postprocessor: BaseNodePostprocessor) -> None:
        self.postprocessor = postprocessor

    @property
    def model_id(self) -> str:
        """Class and model name."""
        return f"{self.postprocessor.class_name()}/{getattr(self.postprocessor, 'model', '')}"

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text."""
        return _scores(self.postprocessor.postprocess_nodes(_numbered(texts), query_str=query), len(texts))

    async def arank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """The same, awaited."""
        return _scores(await self.postprocessor.apostprocess_nodes(_numbered(texts), query_str=query), len(texts))


def _numbered(texts: Sequence[str]) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(id_=str(row), text=text), score=0.0) for row, text in enumerate(texts)]


def _scores(ranked: Sequence[NodeWithScore], count: int) -> list[float]:
    return scores_by_place([(int(found.node.node_id), found.score) for found in ranked], count)


def as_chat(llm: AnyChat | None) -> ChatModel | None:
    """A LlamaIndex model wrapped, a chronotope model as it is.

    Raises:
        TypeError: it cannot answer.
    """
    if isinstance(llm, LLM):
        return LlamaIndexChat(llm)
    if llm is None or isinstance(llm, ChatModel):
        return llm
    raise TypeError(f"llm must be a LlamaIndex LLM or a ChatEndpoint, not {_shown(llm)}; leave it out to use no model")


def as_embedder(embed_model: AnyEmbedder | None) -> Embedder:
    """A LlamaIndex model wrapped, a chronotope embedder as it is; None is the embedded default, never the framework's.

    Raises:
        TypeError: it cannot embed.
    """
    if embed_model is None:
        return default_embedder()
    if isinstance(embed_model, ChronotopeEmbedding):
        inner: Embedder = embed_model.embedder
        return inner
    if isinstance(embed_model, BaseEmbedding):
        return LlamaIndexEmbedder(embed_model)
    if isinstance(embed_model, Embedder):
        return embed_model
    raise TypeError(
        f"embed_model must be a LlamaIndex embedding model or an embedder of chronotope, not {_shown(embed_model)}; "
        "leave it out for the small local one"
    )


def as_reranker(reranker: AnyReranker | None) -> Reranker | None:
    """A LlamaIndex postprocessor wrapped, a chronotope reranker as it is.

    Raises:
        TypeError: it cannot rank.
    """
    if isinstance(reranker, BaseNodePostprocessor):
        return LlamaIndexReranker(reranker)
    if reranker is None or isinstance(reranker, Reranker):
        return reranker
    raise TypeError(f"reranker must be a LlamaIndex postprocessor or a reranker of chronotope, not {_shown(reranker)}")


def _shown(given: object) -> str:
    return repr(given) if isinstance(given, str) else f"a {type(given).__name__}"
