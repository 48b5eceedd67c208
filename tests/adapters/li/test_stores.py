"""DiachronicRetriever on indexes that belong to the app: push-down where it works, the same hits where it does not."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilters, VectorStoreQuery, VectorStoreQueryResult

from chronotope.llama_index import ChronotopeEmbedding, DiachronicRetriever, TimeAnnotator, TimedQuery
from chronotope.llama_index.stores import VectorIndexStore
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import HashEmbedder

MANY = [(f"n{row}", f"{1900 + row}-05", f"The bridge was repaired in {1900 + row}; work {row}.") for row in range(100)]
WINDOW = TimedQuery("What was repaired at the bridge?", times=["1930/1939", "1950"])


class Watched(SimpleVectorStore):
    """Remembers the filters that it was asked to apply."""

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        object.__setattr__(self, "asked", [])

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        self.asked.append(query.filters)  # type: ignore[attr-defined]
        return super().query(query, **kwargs)


class NoComparison(Watched):
    """Knows equality only."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if query.filters is not None and any(item.operator != FilterOperator.EQ for item in query.filters.filters):
            raise NotImplementedError("only == is supported")
        return super().query(query, **kwargs)


class Swallowing(Watched):
    """Takes any filter and finds nothing."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if query.filters is not None:
            return VectorStoreQueryResult(nodes=[], similarities=[], ids=[])
        return super().query(query, **kwargs)


class Empty(Watched):
    """Finds nothing at all."""

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return VectorStoreQueryResult(nodes=[], similarities=[], ids=[])


def index_on(store: Any, nodes: list[TextNode], embedding: ChronotopeEmbedding) -> VectorStoreIndex:
    return VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=embedding)


@pytest.fixture
def dated(nodes_with: Callable[..., list[TextNode]]) -> list[TextNode]:
    return TimeAnnotator()(nodes_with(MANY))


def brute_force(nodes: list[TextNode], k: int) -> list[str]:
    """Every node in the asked time, by similarity to the question's core."""
    times = [TimeInterval.parse(time) for time in WINDOW.times]
    embedder = HashEmbedder(256)
    (asked,) = embedder.embed([WINDOW.query_str], kind="query")
    inside = [n for n in nodes if any(TimeInterval.parse(n.metadata["time_intervals"]).overlaps(time) for time in times)]
    scored = {node.node_id: float(embedder.embed([node.get_content("embed")])[0] @ asked) for node in inside}
    return sorted(scored, key=lambda name: -scored[name])[:k]


def faiss_store() -> Any:
    faiss = pytest.importorskip("faiss")
    return pytest.importorskip("llama_index.vector_stores.faiss").FaissVectorStore(faiss_index=faiss.IndexFlatL2(256))


def faiss_inner_product() -> Any:
    faiss = pytest.importorskip("faiss")
    return pytest.importorskip("llama_index.vector_stores.faiss").FaissVectorStore(faiss_index=faiss.IndexFlatIP(256))


@pytest.mark.parametrize("make", [Watched, NoComparison, Swallowing, faiss_store, faiss_inner_product])
async def test_every_store_gives_what_brute_force_gives(make: Any, dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    retriever = DiachronicRetriever.from_index(index_on(make(), dated, embedding), k=11, coverage=False)
    expected = brute_force(dated, 11)
    for _ in range(2):
        found = retriever.retrieve(WINDOW)
        assert {item.node.node_id for item in found} == set(expected)
        scores = [item.score for item in found]
        assert scores == sorted(scores, reverse=True)
        assert all(type(score) is float for score in scores)
        assert [n.node.node_id for n in await retriever.aretrieve(WINDOW)] == [n.node.node_id for n in found]


@pytest.mark.parametrize("make", [Watched, faiss_store])
def test_the_best_of_the_window_come_first(make: Any, dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    query = TimedQuery("work 34", times=["1930/1939"])
    found = DiachronicRetriever.from_index(index_on(make(), dated, embedding), k=3, coverage=False).retrieve(query)
    assert found[0].node.node_id == "n34"


def test_times_are_pushed_down_as_whole_numbers(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    store = Watched()
    DiachronicRetriever.from_index(index_on(store, dated, embedding), k=3, pushdown=True).retrieve(WINDOW)
    filters = [asked for asked in store.asked if isinstance(asked, MetadataFilters)]
    assert filters
    assert all(type(item.value) is int for asked in filters for item in asked.filters)


def test_the_question_is_embedded_once_for_all_windows(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    index = index_on(Watched(), dated, embedding)
    calls: list[str] = []
    embed = embedding.embedder.embed
    embedding.embedder.embed = lambda texts, **options: calls.extend(texts) or embed(texts, **options)
    DiachronicRetriever.from_index(index, k=3).retrieve(WINDOW)
    assert calls == [WINDOW.query_str]


def test_a_store_that_cannot_compare_is_told_once_and_then_left_alone(
    dated: list[TextNode], embedding: ChronotopeEmbedding, caplog: pytest.LogCaptureFixture
) -> None:
    retriever = DiachronicRetriever.from_index(index_on(NoComparison(), dated, embedding), k=3)
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        retriever.retrieve(WINDOW)
        retriever.retrieve(WINDOW)
    warnings = [record.message for record in caplog.records if "filtered here instead" in record.message]
    assert len(warnings) == 1
    assert "only == is supported" in warnings[0]


def test_a_store_that_filters_everything_away_is_found_out(
    dated: list[TextNode], embedding: ChronotopeEmbedding, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        DiachronicRetriever.from_index(index_on(Swallowing(), dated, embedding), k=3).retrieve(WINDOW)
    assert "loses records" in caplog.text


def test_errors_of_the_store_come_through_when_pushdown_is_demanded(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    retriever = DiachronicRetriever.from_index(index_on(NoComparison(), dated, embedding), pushdown=True)
    with pytest.raises(NotImplementedError, match="only == is supported"):
        retriever.retrieve(WINDOW)


def test_nothing_is_pushed_down_when_it_is_forbidden(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    store = Watched()
    found = DiachronicRetriever.from_index(index_on(store, dated, embedding), k=3, pushdown=False).retrieve(WINDOW)
    assert len(found) == 3
    assert store.asked
    assert all(asked is None for asked in store.asked)


def test_a_store_that_finds_nothing_gives_an_empty_result_with_a_reason(
    dated: list[TextNode], embedding: ChronotopeEmbedding
) -> None:
    report = DiachronicRetriever.from_index(index_on(Empty(), dated, embedding)).retrieve_with_report(WINDOW)
    assert report.hits == ()
    assert "empty_window" in {issue.kind for issue in report.issues}


def test_nodes_that_have_only_the_apps_own_date_are_found_without_ingesting_again(
    nodes_with: Callable[..., list[TextNode]], embedding: ChronotopeEmbedding
) -> None:
    index = index_on(Watched(), nodes_with(MANY, key="published_at"), embedding)
    found = DiachronicRetriever.from_index(index, date="published_at", k=20).retrieve(WINDOW)
    assert {item.node.node_id for item in found} == {*(f"n{row}" for row in range(30, 40)), "n50"}


def test_one_bad_date_concerns_only_its_own_node(nodes_with: Callable[..., list[TextNode]], embedding: ChronotopeEmbedding) -> None:
    nodes = nodes_with(MANY, key="published_at")
    nodes[35].metadata["published_at"] = "not-a-date"
    found = DiachronicRetriever.from_index(index_on(Watched(), nodes, embedding), date="published_at", k=20).retrieve(WINDOW)
    assert "n35" not in {item.node.node_id for item in found}
    assert len(found) == 10


def test_without_a_time_in_the_question_the_plain_ranking_comes_back(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    index = index_on(Watched(), dated, embedding)
    asked = "Which bridge was repaired?"
    plain = index.as_retriever(similarity_top_k=5).retrieve(asked)
    ours = DiachronicRetriever.from_index(index, k=5).retrieve(asked)
    assert [item.score for item in ours] == pytest.approx([item.score for item in plain])


def test_an_index_that_was_saved_and_reloaded_is_searched_the_same(
    dated: list[TextNode], embedding: ChronotopeEmbedding, tmp_path: Path
) -> None:
    index = VectorStoreIndex(dated, embed_model=embedding)
    before = DiachronicRetriever.from_index(index, k=5).retrieve(WINDOW)
    index.storage_context.persist(str(tmp_path))
    loaded = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), embed_model=embedding)
    after = DiachronicRetriever.from_index(loaded, k=5).retrieve(WINDOW)
    assert [item.node.node_id for item in after] == [item.node.node_id for item in before]
    assert [item.node.metadata for item in after] == [item.node.metadata for item in before]


def test_an_empty_question_does_not_reach_the_store(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    assert DiachronicRetriever.from_index(index_on(SimpleVectorStore(), dated, embedding)).retrieve("") == []


def test_inserting_and_saving_are_left_to_the_app(dated: list[TextNode], embedding: ChronotopeEmbedding, tmp_path: Path) -> None:
    retriever = DiachronicRetriever.from_index(index_on(SimpleVectorStore(), dated, embedding))
    for act in (lambda: retriever.insert_nodes(dated), lambda: retriever.delete_ref_doc("d"), lambda: retriever.save(tmp_path)):
        with pytest.raises(TypeError, match="belong to the app"):
            act()


def test_its_repr_tells_what_was_learnt_about_the_store(dated: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    retriever = DiachronicRetriever.from_index(index_on(Watched(), dated, embedding))
    assert "not tried yet" in repr(retriever)
    retriever.retrieve(WINDOW)
    assert isinstance(retriever.source, VectorIndexStore)
    assert "push-down works" in repr(retriever)
