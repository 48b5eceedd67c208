"""LangChain models as chronotope's, and the other way round."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from chronotope.models import ChatModel, Embedder, EmbedKind, Message, Reply, Reranker, Schema, Vectors
from chronotope.prompts import with_schema_text
from chronotope.wrapping import scores_by_place, unit_rows

__all__ = [
    "AnyChat",
    "AnyEmbeddings",
    "AnyReranker",
    "ChronotopeEmbeddings",
    "LangChainChat",
    "LangChainEmbedder",
    "LangChainReranker",
    "as_chat",
    "as_embedder",
    "as_reranker",
    "as_runnable",
]

AnyChat: TypeAlias = Runnable[Any, Any] | ChatModel
AnyEmbeddings: TypeAlias = Embeddings | Embedder
AnyReranker: TypeAlias = BaseDocumentCompressor | Reranker

Model = TypeVar("Model")
_TURNS = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
_ROLES = {"system": "system", "ai": "assistant"}
_CUT = {"length", "max_tokens"}


@dataclass(frozen=True)
class LangChainChat:
    """Any LangChain runnable that answers messages, as a chat model of chronotope.

    The reply schema is written into the prompt and the raw text is kept, since bound and composed runnables have no structured
    output and those that have it raise or return nothing on a reply that could have been repaired.

    Args:
        runnable: a chat model, a text model, a bound model, or a chain that ends in a message or a text.
        model_id: the name in cache keys; read from the runnable when empty.
        config: passed on with every call, such as `{"callbacks": run_manager.get_child()}`.
    """

    runnable: Runnable[Any, Any]
    model_id: str = ""
    config: RunnableConfig | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "model_id", self.model_id or _name(self.runnable))

    def with_config(self, config: RunnableConfig | None) -> LangChainChat:
        """The same model with another config for its calls."""
        return replace(self, config=config)

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """Answer, as JSON under `schema` when one is given.

        Raises:
            TypeError: the runnable gave neither a message nor a text.
        """
        return _reply(self.runnable.invoke(_turns(messages, schema), self.config))

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The same, awaited."""
        return _reply(await self.runnable.ainvoke(_turns(messages, schema), self.config))


@dataclass(frozen=True)
class LangChainEmbedder:
    """LangChain embeddings as an embedder of chronotope; vectors are brought to length 1.

    Args:
        embeddings: any `Embeddings`; documents and queries go to its two methods.
        model_id: the name saved with an index; read from the embeddings when empty.
    """

    embeddings: Embeddings
    model_id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "model_id", self.model_id or _name(self.embeddings))

    @property
    def width(self) -> int | None:
        """None: LangChain embeddings do not say before a call."""
        return None

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """Vectors of shape (len(texts), width), float32, each of length 1."""
        if kind == "query":
            return unit_rows([self.embeddings.embed_query(text) for text in texts])
        return unit_rows(self.embeddings.embed_documents(list(texts)))

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited."""
        if kind == "query":
            return unit_rows(await asyncio.gather(*(self.embeddings.aembed_query(text) for text in texts)))
        return unit_rows(await self.embeddings.aembed_documents(list(texts)))


@dataclass(frozen=True)
class LangChainReranker:
    """A LangChain document compressor that orders documents (a cross-encoder, a hosted reranker), as a reranker of chronotope.

    Args:
        compressor: gives documents back best first, with or without `relevance_score`; those it drops come last.
        model_id: the name in cache keys; read from the compressor when empty.
    """

    compressor: BaseDocumentCompressor
    model_id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "model_id", self.model_id or _name(self.compressor))

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, higher is better, in the order of the texts."""
        return _scores(self.compressor.compress_documents(_numbered(texts), query), len(texts))

    async def arank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The same, awaited."""
        return _scores(await self.compressor.acompress_documents(_numbered(texts), query), len(texts))


class ChronotopeEmbeddings(Embeddings):
    """An embedder of chronotope (local, endpoint, or your own) as LangChain embeddings, for any vector store.

    Args:
        embedder: what makes the vectors; the small local model of the extra `local` when absent.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = as_embedder(embedder)

    def __repr__(self) -> str:
        return f"ChronotopeEmbeddings({self.embedder.model_id!r})"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return self.embedder.embed(texts, kind="passage").tolist() if texts else []

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        vector: list[float] = self.embedder.embed([text], kind="query")[0].tolist()
        return vector

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """The same as `embed_documents`, awaited."""
        return (await self.embedder.aembed(texts, kind="passage")).tolist() if texts else []

    async def aembed_query(self, text: str) -> list[float]:
        """The same as `embed_query`, awaited."""
        vector: list[float] = (await self.embedder.aembed([text], kind="query"))[0].tolist()
        return vector


def as_chat(llm: AnyChat, config: RunnableConfig | None = None) -> ChatModel:
    """A chat model of chronotope from whatever answers; `config` reaches LangChain runnables only.

    Raises:
        TypeError: it cannot answer.
    """
    if isinstance(llm, LangChainChat):
        return llm.with_config(config)
    if isinstance(llm, Runnable):
        return LangChainChat(llm, config=config)
    return _given(llm, ChatModel, "a language model must be a LangChain runnable or have the methods chat and achat")


def as_embedder(embeddings: AnyEmbeddings | None) -> Embedder:
    """An embedder of chronotope from whatever embeds; embeddings made from an embedder give it back, None the small local one.

    Raises:
        TypeError: it cannot embed.
        MissingExtraError: none is given and the extra `local` is absent.
    """
    if embeddings is None:
        from chronotope.defaults import default_embedder  # loads a model: only for who gives none

        return default_embedder()
    if isinstance(embeddings, ChronotopeEmbeddings):
        return embeddings.embedder
    if isinstance(embeddings, Embeddings):
        return LangChainEmbedder(embeddings)
    return _given(
        embeddings,
        Embedder,
        "embeddings must be LangChain embeddings or have the methods embed and aembed; None takes the small local model",
    )


def as_reranker(reranker: AnyReranker) -> Reranker:
    """A reranker of chronotope from whatever orders texts.

    Raises:
        TypeError: it cannot rank.
    """
    if isinstance(reranker, BaseDocumentCompressor):
        return LangChainReranker(reranker)
    return _given(reranker, Reranker, "a reranker must be a document compressor or have the methods rank and arank")


def as_runnable(llm: AnyChat) -> Runnable[Any, Any]:
    """Something for the end of a chain from whatever answers; a chat model of chronotope answers in one piece."""
    if isinstance(llm, Runnable):
        return llm
    chat = as_chat(llm)
    if isinstance(chat, LangChainChat):
        return chat.runnable

    def answer(prompt: PromptValue) -> str:
        return chat.chat(_messages(prompt)).text

    async def aanswer(prompt: PromptValue) -> str:
        return (await chat.achat(_messages(prompt))).text

    return RunnableLambda(answer, afunc=aanswer, name=chat.model_id)


def _given(model: Model, protocol: type, need: str) -> Model:
    """The model, once it is known to be one: protocols are otherwise found broken only in the middle of a run."""
    if not isinstance(model, protocol):
        raise TypeError(f"{need}, not {type(model).__name__}")
    return model


def _turns(messages: Sequence[Message], schema: Schema | None) -> list[BaseMessage]:
    told = messages if schema is None else with_schema_text(messages, schema)
    return [_TURNS[message.role](content=message.content) for message in told]


def _messages(prompt: PromptValue) -> list[Message]:
    return [Message(_ROLES.get(turn.type, "user"), str(turn.text)) for turn in prompt.to_messages()]  # type: ignore[arg-type]


def _reply(answer: object) -> Reply:
    if isinstance(answer, str):
        return Reply(answer)
    if not isinstance(answer, BaseMessage):
        raise TypeError(f"the language model must answer with a message or a text, not {type(answer).__name__}")
    told = answer.response_metadata
    usage = getattr(answer, "usage_metadata", None) or {}
    cut = bool(_CUT & {told.get("finish_reason"), told.get("stop_reason"), told.get("done_reason")})
    return Reply(str(answer.text), cut, usage.get("input_tokens"), usage.get("output_tokens"))


def _numbered(texts: Sequence[str]) -> list[Document]:
    return [Document(page_content=text, metadata={"place": place}) for place, text in enumerate(texts)]


def _scores(ranked: Sequence[Document], count: int) -> list[float]:
    return scores_by_place([(doc.metadata["place"], doc.metadata.get("relevance_score")) for doc in ranked], count)


def _name(model: object) -> str:
    """Class and model name; a bound or cached model is called like the model in it."""
    inner = getattr(model, "bound", None) or getattr(model, "underlying_embeddings", None)
    if inner is not None:
        return _name(inner)
    told = next((str(name) for key in ("model_name", "model", "model_id", "repo_id") if (name := getattr(model, key, None))), "")
    return f"{type(model).__name__}:{told}" if told else type(model).__name__
