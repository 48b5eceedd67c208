"""A retriever as a tool for agents, which see text and nothing else: so every passage is printed with its date."""

from __future__ import annotations

from functools import wraps
from typing import Any, Literal

from langchain_core.callbacks import Callbacks
from langchain_core.prompts import BasePromptTemplate, PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool, create_retriever_tool

__all__ = ["DATED_DOCUMENT", "NOTHING_FOUND", "retriever_tool"]

DATED_DOCUMENT = PromptTemplate.from_template("[{date}] {page_content}")
NOTHING_FOUND = "No passage was found for this question and the time it asks about."


def retriever_tool(
    retriever: BaseRetriever,
    name: str,
    description: str,
    *,
    document_prompt: BasePromptTemplate[str] = DATED_DOCUMENT,
    document_separator: str = "\n\n",
    response_format: Literal["content", "content_and_artifact"] = "content",
    nothing_found: str = NOTHING_FOUND,
) -> StructuredTool:
    """A tool that looks a question up and shows each passage with its date.

    Args:
        retriever: one whose documents have a `date`: ours, or any other behind `ChronologicalCompressor`.
        name: how the agent calls the tool.
        description: when the agent should use it; say that questions may name times.
        document_prompt: how a document is printed.
        document_separator: what stands between documents.
        response_format: `content_and_artifact` keeps the documents beside the text.
        nothing_found: what the agent reads instead of an empty text, which it might take for a failure.
    """
    tool = create_retriever_tool(
        retriever,
        name,
        description,
        document_prompt=document_prompt,
        document_separator=document_separator,
        response_format=response_format,
    )
    return _never_empty(tool, nothing_found)


def _never_empty(tool: StructuredTool, said: str) -> StructuredTool:
    look_up, alook_up = tool.func, tool.coroutine
    if look_up is None or alook_up is None:
        raise TypeError("a retriever tool has a function and its awaited twin")

    @wraps(look_up)
    def func(query: str, callbacks: Callbacks = None) -> Any:  # noqa: ANN401 - text, or text with documents
        return _or(look_up(query, callbacks=callbacks), said)

    @wraps(alook_up)
    async def afunc(query: str, callbacks: Callbacks = None) -> Any:  # noqa: ANN401
        return _or(await alook_up(query, callbacks=callbacks), said)

    return tool.model_copy(update={"func": func, "coroutine": afunc})


def _or(found: Any, said: str) -> Any:  # noqa: ANN401
    if isinstance(found, tuple):
        content, documents = found
        return content or said, documents
    return found or said
