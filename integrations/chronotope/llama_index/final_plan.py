"""A plan whose answer stands at the end of a reply that reasons first: only that part reaches the reader, also when it streams."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from dataclasses import dataclass

from chronotope.final_part import FinalPart
from chronotope.llama_index.answering import Plan
from chronotope.records import Issue

__all__ = ["FinalPlan"]


@dataclass
class FinalPlan(Plan):
    """A plan for a reply with a marker.

    Args:
        marked: whether the prompt asks for the marker; else only thoughts are held back.
    """

    marked: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._final = FinalPart(marked=self.marked)
        self.report["marks"] = [item.mark for item in self.evidence]

    def checked(self, text: str) -> str:
        """The reader's part of a reply, or what stands in place of an empty one."""
        return super().checked(text if self._final.text else self._final.whole(text))

    def wrong(self, text: str) -> tuple[Issue, ...]:
        """What a careful reader should know of an answer."""
        unmarked = self.marked and not self._final.has_marker
        told = Issue("unmarked_answer", "the reply did not mark its answer and is shown whole; it may hold reasoning")
        return (*self.doubts(text, is_answer=self._final.is_answer), *([told] if unmarked else []))

    @abstractmethod
    def doubts(self, text: str, *, is_answer: bool) -> tuple[Issue, ...]:
        """What is wrong with the citations of an answer.

        Args:
            text: the answer.
            is_answer: False when the reply says that the sources do not tell it.
        """

    def watched(self, pieces: Iterator[str]) -> Generator[str, None, None]:
        """The pieces of the answer as they come, without the reasoning before it."""
        yield from super().watched(self._final.over(pieces))

    async def awatched(self, pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
        """The same, awaited."""
        async for piece in super().awatched(self._final.aover(pieces)):
            yield piece
