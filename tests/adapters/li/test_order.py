"""Order of time for engines and agents that call no synthesizer of ours."""

from __future__ import annotations

import copy
import pickle

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from chronotope.llama_index import ChronologicalPostprocessor, DiachronicRetriever, TimeAnnotator, retriever_tool
from chronotope.metadata import MetadataKeys


def found(nodes: list[TextNode], order: str = "gadcbef") -> list[NodeWithScore]:
    by_id = {node.node_id: node for node in nodes}
    return [NodeWithScore(node=by_id[name], score=1.0 - row / 10) for row, name in enumerate(order)]


def ids(items: list[NodeWithScore]) -> str:
    return "".join(item.node.node_id for item in items)


def test_nodes_are_put_in_order_of_time_as_copies(nodes: list[TextNode]) -> None:
    given = found(nodes)
    before = [item.model_dump() for item in given]
    ordered = ChronologicalPostprocessor().postprocess_nodes(given)
    assert ids(ordered) == "abcdefg"
    assert {item.node.node_id: item.score for item in ordered} == {item.node.node_id: item.score for item in given}
    ordered[0].node.metadata.clear()
    assert [item.model_dump() for item in given] == before


def test_the_order_is_a_choice() -> None:
    nodes = [
        TextNode(
            id_=name,
            text=f"In {told}.",
            start_char_idx=place,
            end_char_idx=place + 1,
            metadata={"published": written},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id="chapter")},
        )
        for name, told, written, place in [("x", "1805", "1812", 200), ("y", "1801", "1815", 100), ("z", "1803", "1811", 0)]
    ]
    given = found(TimeAnnotator()(nodes), "xyz")
    orders = {
        order: ids(ChronologicalPostprocessor(order=order).postprocess_nodes(given))
        for order in ("events", "published", "source", "score")
    }
    assert orders == {"events": "yzx", "published": "zxy", "source": "zyx", "score": "xyz"}


def test_offsets_and_ids_are_kept() -> None:
    node = TextNode(text="In 1801.", id_="n", start_char_idx=7, end_char_idx=15)
    (item,) = ChronologicalPostprocessor().postprocess_nodes([NodeWithScore(node=node, score=1.0)])
    assert isinstance(item.node, TextNode)
    assert (item.node.node_id, item.node.start_char_idx, item.node.end_char_idx) == ("n", 7, 15)


def test_undated_nodes_come_last_and_nodes_without_a_score_are_fine(nodes: list[TextNode]) -> None:
    given = [NodeWithScore(node=TextNode(text="No date.", id_="u")), *found(nodes, "db")]
    ordered = ChronologicalPostprocessor().postprocess_nodes(given)
    assert ids(ordered) == "bdu"
    assert ordered[-1].score is None


async def test_async_gives_what_sync_gives(nodes: list[TextNode]) -> None:
    ordered = await ChronologicalPostprocessor().apostprocess_nodes(found(nodes), QueryBundle("q"))
    assert ids(ordered) == "abcdefg"


def test_it_round_trips_pickles_and_copies() -> None:
    made = ChronologicalPostprocessor(order="source", keys=MetadataKeys(times="when"), date="day")
    for twin in (ChronologicalPostprocessor.from_dict(made.to_dict()), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert twin.to_dict() == made.to_dict()
    assert made.class_name() == "ChronologicalPostprocessor"


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        ChronologicalPostprocessor(order="random")


async def test_a_tools_text_shows_dates_in_order_of_time(retriever: DiachronicRetriever) -> None:
    tool = retriever_tool(retriever, name="flights")
    assert tool.metadata.name == "flights"
    for output in (
        tool.call(input="Who orbits the Earth between 1961 and 1962?"),
        await tool.acall(input="Who orbits the Earth in 1961 or 1962?"),
    ):
        text = str(output.content)
        assert text.index("1961-04-12") < text.index("1962-02-20")
        assert "time_start" not in text


def test_a_tool_on_any_retriever_shows_the_apps_own_dates(nodes_with: object) -> None:
    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return [NodeWithScore(node=TextNode(text="Text.", metadata={"published_at": "2011-03-04"}), score=1.0)]

    output = retriever_tool(Fixed(), date="published_at").call(input="?")
    assert "published: 2011-03-04" in str(output.content)


async def test_a_tool_that_finds_nothing_says_so(retriever: DiachronicRetriever) -> None:
    tool = retriever_tool(retriever)
    for output in (tool.call(input="What happened in 1903?"), await tool.acall(input="What happened in 1903?")):
        assert "Nothing was found" in str(output.content)


def test_returned_nodes_hide_numbers_from_models_and_all_times_from_embedders(nodes: list[TextNode]) -> None:
    (item,) = ChronologicalPostprocessor().postprocess_nodes(found(TimeAnnotator()(nodes), "d"))
    assert "1969-07-20" in item.node.get_content(MetadataMode.LLM)
    assert "time_" not in item.node.get_content(MetadataMode.EMBED)


def test_a_node_of_several_times_stands_where_it_first_tells_of_the_asked_one() -> None:
    nodes = [
        TextNode(id_="often", text="Both.", metadata={"time_intervals": "1950; 1973"}),
        TextNode(id_="once", text="One.", metadata={"time_intervals": "1972"}),
    ]
    given = [NodeWithScore(node=node, score=1.0) for node in nodes]
    asked = ChronologicalPostprocessor().postprocess_nodes(given, query_str="What happened between 1971 and 1975?")
    assert [item.node.node_id for item in asked] == ["once", "often"]
    assert [item.node.node_id for item in ChronologicalPostprocessor().postprocess_nodes(given)] == ["often", "once"]
