"""Chronological order as a LangChain document compressor, for apps whose chain never calls ours."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from chronotope.diachronic import Order, chronological
from chronotope.langchain.convert import to_document, to_hits
from chronotope.metadata import MetadataKeys
from chronotope.temporal import parse_scope

__all__ = ["ChronologicalCompressor"]


class ChronologicalCompressor(BaseDocumentCompressor):
    """Puts retrieved documents in order of time and gives each a `date` that a document prompt can show.

    For `ContextualCompressionRetriever` over any retriever. The documents given are not changed.

    Args:
        order: by the time of the `events`, by the date `published`, by place in the `source`, or by `score`; undated ones last.
        keys: where the times are, or an existing date key: `MetadataKeys(date="published_at")`.
        top_n: keep only so many of the best before putting them in order; None keeps all.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    order: Order = "events"
    keys: MetadataKeys = MetadataKeys()
    top_n: int | None = None

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None) -> list[Document]:  # noqa: ARG002
        """Dated copies in the asked order.

        Args:
            documents: best first; `relevance_score` counts where all have one, else their order.
            query: a document of several times stands where it first tells of the time named here, if one is named.
            callbacks: not used, since nothing is called.
        """
        hits = sorted(to_hits(documents, keys=self.keys), key=lambda hit: -hit.score)[: self.top_n]
        ordered = chronological(hits, order=self.order, within=parse_scope(query).times)
        return [to_document(hit.passage, keys=self.keys) for hit in ordered]
