"""What chains that answer from documents share: inputs of the right form, and the reader's part of a reply that reasons first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableGenerator

from chronotope.final_part import FinalPart
from chronotope.text import is_blank

__all__ = ["ReaderPart", "answer_text", "check_inputs", "check_model"]


def check_inputs(inputs: object, documents: str) -> None:
    """Whether an input is a question with documents.

    Args:
        inputs: what a chain was given.
        documents: key of the documents.

    Raises:
        TypeError: it is no mapping.
        ValueError: the question or the documents are missing.
    """
    form = f'{{"input": question, "{documents}": documents}}'
    if not isinstance(inputs, Mapping):
        raise TypeError(f"the chain takes {form}, not {type(inputs).__name__}")
    for key in ("input", documents):
        if key not in inputs:
            raise ValueError(f"the input has no key {key!r}; the chain takes {form}")


def answer_text(inputs: Mapping[str, Any], name: str) -> str:
    """The answer that is to be checked.

    Args:
        inputs: what a check was given.
        name: key of the answer.

    Raises:
        TypeError: it is no mapping.
        ValueError: there is no answer.
    """
    if not isinstance(inputs, Mapping):
        raise TypeError(f"a check takes what stands behind a chain, with its {name!r}, not {type(inputs).__name__}")
    if name not in inputs:
        raise ValueError(f"the input has no key {name!r}; the check stands behind RunnablePassthrough.assign({name}=…)")
    return str(inputs[name])


def check_model(llm: object, chain: str) -> None:
    """Whether something else was given where a chain takes its model.

    Args:
        llm: what was given.
        chain: name of the function that makes the chain.

    Raises:
        TypeError: it is a retriever.
    """
    if isinstance(llm, BaseRetriever):
        raise TypeError(
            f"{chain} takes a model, not a retriever; the retriever stands before it: "
            f"create_retrieval_chain(retriever, {chain}(llm))"
        )


@dataclass(frozen=True)
class ReaderPart:
    """The answer out of a streamed reply; every run has a state of its own.

    Args:
        instead: what stands in place of an empty answer.
        marked: whether the prompt asks for the marker; else only thoughts are held back.
    """

    instead: Callable[[], str]
    marked: bool

    def as_runnable(self) -> Runnable[str, str]:
        """The end of a chain."""
        return RunnableGenerator(self.transform, self.atransform, name="answer_of_reply")

    def transform(self, pieces: Iterator[str]) -> Iterator[str]:
        """The pieces of the answer as they come."""
        final = FinalPart(marked=self.marked)
        yield from final.over(pieces)
        if is_blank(final.text):
            yield self.instead()

    async def atransform(self, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
        """The same, awaited."""
        final = FinalPart(marked=self.marked)
        async for piece in final.aover(pieces):
            yield piece
        if is_blank(final.text):
            yield self.instead()
