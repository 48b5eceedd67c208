"""What chains that answer from documents share: inputs of the right form, and the reader's part of a reply that reasons first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableGenerator

from chronotope.final_part import FinalPart
from chronotope.records import Issue
from chronotope.text import is_blank

__all__ = ["ReaderPart", "ReplyText", "answer_text", "check_inputs", "check_model", "reply_issues"]


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
    answer = inputs[name]
    return answer if isinstance(answer, str) else str(answer)


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


class ReplyText(str):
    """An answer that knows what its reply said beside it; pieces that it is joined with become such a text, too.

    Args:
        text: the answer.
        marked: False when the reply did not mark its answer.
        is_answer: False when the reply says that the sources do not tell it.
    """

    marked: bool
    is_answer: bool

    def __new__(cls, text: str = "", *, marked: bool = True, is_answer: bool = True) -> ReplyText:
        """The text."""
        made = super().__new__(cls, text)
        made.marked, made.is_answer = marked, is_answer
        return made

    def __add__(self, other: str) -> ReplyText:
        return self._like(str.__add__(self, other))

    def __radd__(self, other: str) -> ReplyText:
        return self._like(str.__add__(other, self))

    def _like(self, text: str) -> ReplyText:
        return ReplyText(text, marked=self.marked, is_answer=self.is_answer)


def reply_issues(answer: object) -> tuple[Issue, ...]:
    """What the reply behind an answer had to say, as far as the answer still knows it."""
    unmarked = isinstance(answer, ReplyText) and not answer.marked
    told = Issue("unmarked_answer", "the reply did not mark its answer and is shown whole; it may hold reasoning")
    return (told,) if unmarked else ()


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
        yield from self._last(final)

    async def atransform(self, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
        """The same, awaited."""
        final = FinalPart(marked=self.marked)
        async for piece in final.aover(pieces):
            yield piece
        for piece in self._last(final):
            yield piece

    def _last(self, final: FinalPart) -> Iterator[str]:
        """What takes the place of an empty answer, or an empty piece that carries what the reply said beside its answer."""
        unmarked = self.marked and not final.has_marker
        if is_blank(final.text):
            yield self.instead()
        elif unmarked or not final.is_answer:
            yield ReplyText(marked=not unmarked, is_answer=final.is_answer)
