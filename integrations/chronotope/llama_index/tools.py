"""A retriever as an agent's tool: the agent sees text only, so each passage says when it is about."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.tools import RetrieverTool, ToolMetadata, ToolOutput

from chronotope.diachronic import Order
from chronotope.llama_index.postprocessors import ChronologicalPostprocessor
from chronotope.metadata import MetadataKeys

__all__ = ["DatedRetrieverTool", "retriever_tool"]

_DESCRIPTION = (
    "Finds dated passages for a question. Put the time that you mean into the question in plain words, such as "
    "'between 1961 and 1969' or 'in March 2011'; only passages about that time are returned, in order of time, each with its dates."
)
_NOTHING = "Nothing was found for this question and time. Ask about another time, or about no time."


class DatedRetrieverTool(RetrieverTool):
    """A retriever tool that says so when nothing was found, where LlamaIndex's own gives an empty text."""

    def call(self, *args: object, **kwargs: object) -> ToolOutput:
        """What the retriever found, as text."""
        return _explained(super().call(*args, **kwargs))

    async def acall(self, *args: object, **kwargs: object) -> ToolOutput:
        """The same, awaited."""
        return _explained(await super().acall(*args, **kwargs))


def _explained(output: ToolOutput) -> ToolOutput:
    if output.raw_output:
        return output
    return ToolOutput(content=_NOTHING, tool_name=output.tool_name, raw_input=output.raw_input, raw_output=output.raw_output)


def retriever_tool(
    retriever: BaseRetriever,
    *,
    name: str = "dated_passages",
    description: str = _DESCRIPTION,
    order: Order = "events",
    keys: MetadataKeys | None = None,
    date: str | None = None,
    postprocessors: Sequence[BaseNodePostprocessor] = (),
) -> RetrieverTool:
    """A tool for `FunctionAgent` and the like.

    Args:
        retriever: a `DiachronicRetriever`, or any other whose nodes have dates.
        name: what the agent calls it.
        description: when the agent should call it, and how.
        order: how passages are put in line.
        keys: where nodes have their times; those of a `DiachronicRetriever` are its own.
        date: short for `keys=MetadataKeys(date=…)`.
        postprocessors: run before the order is made.
    """
    found = keys or getattr(retriever, "keys", None) or MetadataKeys()
    chain = [*postprocessors, ChronologicalPostprocessor(order=order, keys=found, date=date)]
    return DatedRetrieverTool(retriever, ToolMetadata(name=name, description=description), chain)
