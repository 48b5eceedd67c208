"""Order of time as a node postprocessor, for chat engines, citation engines and agents: they call no synthesizer of ours."""

from __future__ import annotations

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import Field

from chronotope.diachronic import Order, chronological
from chronotope.llama_index.convert import dated_copy, to_passage
from chronotope.metadata import MetadataKeys
from chronotope.records import Hit
from chronotope.temporal import parse_scope

__all__ = ["ChronologicalPostprocessor"]


class ChronologicalPostprocessor(BaseNodePostprocessor):
    """Puts retrieved nodes in order of time, as copies whose times a language model can read; undated ones come last.

    A node that tells of several times stands where it first tells of the time that the question names, if it names one.

    Args:
        order: by the time of the `events`, by the date `published`, by place in the `source`, or by `score`.
        keys: where nodes have their times.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.

    >>> from llama_index.core.schema import TextNode
    >>> nodes = [NodeWithScore(node=TextNode(text=year, metadata={"year": year}), score=1.0) for year in ("1975", "1961")]
    >>> [item.text for item in ChronologicalPostprocessor(date="year").postprocess_nodes(nodes)]
    ['1961', '1975']
    """

    order: Order = "events"
    keys: MetadataKeys = Field(default_factory=MetadataKeys)
    date: str | None = None

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "ChronologicalPostprocessor"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        keys = self.keys.with_date(self.date)
        passages = [to_passage(item.node, keys=keys)[0] for item in nodes]
        hits = [Hit(passage, item.get_score()) for passage, item in zip(passages, nodes, strict=True)]
        copies = {
            id(hit): NodeWithScore(node=dated_copy(item.node, hit.passage, keys=keys), score=item.score)
            for hit, item in zip(hits, nodes, strict=True)
        }
        asked = parse_scope(query_bundle.query_str).times if query_bundle else ()
        return [copies[id(hit)] for hit in chronological(hits, order=self.order, within=asked)]
