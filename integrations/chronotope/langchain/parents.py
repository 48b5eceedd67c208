"""Around a segment in LangChain: small pieces of it for retrievers that follow a child to its parent, and its text for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Never

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chronotope.langchain.pieces import Writer, as_documents, checked_documents, checked_text, findable, read_given
from chronotope.litseg.children import CHILD_TOKENS, children
from chronotope.litseg.options import whole_number
from chronotope.litseg.reading import AFTER, BEFORE, GAP, SUBTITLE, reading_text
from chronotope.notes import unknown_option
from chronotope.records import Document as Source

__all__ = ["SegmentChildSplitter", "reading_documents"]


class SegmentChildSplitter(TextSplitter):
    r"""Cuts segments into paragraphs, short ones joined and long ones cut between sentences.

    The `child_splitter` of a `ParentDocumentRetriever` whose `parent_splitter` is a `LitSegTextSplitter`. Offsets of the pieces
    count in the text that the segment was cut from.

    Args:
        max_tokens: largest size of a piece in tokens.
        add_start_index: write `start_index` as other splitters do.

    Raises:
        TypeError: there is no such option, or `max_tokens` is no number.
        ValueError: `max_tokens` is below 1.

    >>> SegmentChildSplitter(max_tokens=5).split_text("She knocked.\n\nNobody came.")
    ['She knocked.', 'Nobody came.']
    """

    def __init__(self, *, max_tokens: int = CHILD_TOKENS, add_start_index: bool = False, **unknown: Never) -> None:
        for name in unknown:
            raise TypeError(unknown_option(name, ("max_tokens", "add_start_index")))
        super().__init__(chunk_overlap=0, strip_whitespace=False, add_start_index=add_start_index)
        self.max_tokens = whole_number("max_tokens", max_tokens)
        self._writer = Writer(start_index=add_start_index)

    def __repr__(self) -> str:
        return f"SegmentChildSplitter(max_tokens={self.max_tokens})"

    def split_text(self, text: str) -> list[str]:
        """The texts of the pieces, exactly as they stand, without the white space around them.

        Args:
            text: any text; a blank one gives nothing.
        """
        pieces = children(Source(checked_text(text)), max_tokens=self.max_tokens)
        spans = [(piece.char_start or 0, piece.char_end or 0) for piece in pieces]
        return [text[start:end] for start, end in findable(text, spans)]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """The pieces of texts as documents.

        Args:
            texts: any texts.
            metadatas: the metadata of each.
        """
        return self.split_documents(as_documents(texts, metadatas))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The pieces of documents, with their metadata except the context sentences."""
        return [piece for given in read_given(documents)[0] for piece in self._writer.pieces(given, max_tokens=self.max_tokens)]


def reading_documents(documents: Sequence[Document]) -> list[Document]:
    """Retrieved segments as a reader gets them: copies with the subtitle on top and the context sentences around the text.

    Works in a chain behind a retriever. Documents that have no frame, or have it in their text already, come back as they are.

    Args:
        documents: segments that were stored with their slice as text, among any others.

    >>> found = Document("She knocked.", metadata={"subtitle": "A visit"})
    >>> reading_documents([found])[0].page_content.splitlines()
    ['A visit', '', 'She knocked.']
    """
    return [_framed(document) for document in checked_documents(documents)]


def _framed(document: Document) -> Document:
    text, told = document.page_content, document.metadata
    above = GAP.join(str(told[key]) for key in (SUBTITLE, BEFORE) if told.get(key))
    done = text.startswith(above) if above else text.endswith(str(told.get(AFTER) or ""))
    return document if done else document.model_copy(update={"page_content": reading_text(text, told)})
