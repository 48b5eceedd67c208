"""The retriever over stores that belong to the app."""

from __future__ import annotations

import copy
import logging
import math
from datetime import UTC, datetime

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from pydantic import ValidationError

from chronotope.langchain import ChronotopeEmbeddings, DiachronicRetriever, TimeAnnotator
from chronotope.langchain.stores import StorePassages, known_store
from chronotope.testing import HashEmbedder

FORTIES = "What happened to the harbour bridge in the 1940s?"
NAIVE = datetime(2024, 1, 1)  # noqa: DTZ001 - what apps store
EXPECTED = ["1944-03-09", "1947-08-01"]


class ListStore(VectorStore):
    """A store with a filter language of its own: subclasses say what a value may be and which operators there are."""

    operators = ("$lte", "$gte")
    value_type: tuple = ()

    def __init__(self, documents):
        self.documents = list(documents)
        self.limits = []
        self.filters = []

    @classmethod
    def from_texts(cls, texts, embedding, metadatas=None, **kwargs):
        raise NotImplementedError

    def similarity_search(self, query, k=4, filter=None, **kwargs):  # noqa: A002 - the framework's name
        self.limits.append(k)
        self.filters.append(filter)
        kept = [document for document in self.documents if filter is None or self.passes(document.metadata, filter)]
        asked = HashEmbedder().embed([query])[0]
        return sorted(kept, key=lambda document: -float(HashEmbedder().embed([document.page_content])[0] @ asked))[:k]

    def passes(self, metadata, told):
        tests = [(key, operator, value) for key, parts in told.items() for operator, value in parts.items()]
        return all(self.holds(metadata.get(key), operator, value) for key, operator, value in tests)

    def holds(self, stored, operator, value):
        if operator not in self.operators or isinstance(value, bool) or not isinstance(value, self.value_type):
            raise ValueError(f"cannot compare {operator} {value!r}")
        if not isinstance(stored, self.value_type):
            return False
        return stored == value if operator == "$eq" else stored <= value if operator == "$lte" else stored >= value


class NumberStore(ListStore):
    value_type = (int, float)


class TextStore(ListStore):
    value_type = (str,)


class IsoDateStore(ListStore):
    value_type = (str,)

    def holds(self, stored, operator, value):
        datetime.fromisoformat(value)
        return super().holds(stored, operator, value)


class EqualityStore(ListStore):
    operators = ("$eq",)
    value_type = (str, int)


class BareStore(ListStore):
    def similarity_search(self, query, k=4, **kwargs):
        if kwargs:
            raise TypeError(f"unexpected arguments {sorted(kwargs)}")
        return super().similarity_search(query, k)


STORES = [NumberStore, TextStore, IsoDateStore, EqualityStore, BareStore]


def numbers(lo, hi):
    return {"time_start": {"$lte": hi}, "time_end": {"$gte": lo}}


def iso(seconds):
    return datetime.fromtimestamp(max(min(seconds, 4e9), -4e9), UTC).date().isoformat()


@pytest.fixture
def annotated(documents):
    return TimeAnnotator(date="filed").transform_documents(documents)


@pytest.mark.parametrize("kind", STORES)
def test_a_store_without_a_known_filter_is_filtered_here_with_a_warning(kind, annotated, caplog, dates):
    retriever = DiachronicRetriever.from_vector_store(kind(annotated))
    with caplog.at_level(logging.WARNING, "chronotope"):
        report = retriever.retrieve_with_report(FORTIES)
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED
    assert any(issue.kind == "filtered_here" for issue in report.issues)
    assert "filter_builder" in caplog.text


@pytest.mark.parametrize("kind", STORES)
def test_a_filter_that_the_store_refuses_is_replaced_by_filtering_here(kind, annotated, dates):
    retriever = DiachronicRetriever.from_vector_store(kind(annotated), filter_builder=numbers)
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED
    refused = any(issue.kind == "filtered_here" for issue in retriever.retrieve_with_report(FORTIES).issues)
    assert refused == (kind is not NumberStore)


@pytest.mark.parametrize("kind", [TextStore, EqualityStore, BareStore])
def test_with_pushdown_demanded_a_refusal_is_an_error(kind, annotated):
    with pytest.raises((ValueError, TypeError)):
        DiachronicRetriever.from_vector_store(kind(annotated), filter_builder=numbers, pushdown=True).invoke(FORTIES)


@pytest.mark.parametrize("kind", STORES)
def test_without_pushdown_no_filter_is_sent_and_nothing_is_warned_of(kind, annotated, caplog, dates):
    store = kind(annotated)
    with caplog.at_level(logging.WARNING, "chronotope"):
        assert sorted(dates(DiachronicRetriever.from_vector_store(store, pushdown=False).invoke(FORTIES))) == EXPECTED
    assert not caplog.records
    assert store.filters == [None] * len(store.filters)


def test_a_filter_builder_may_speak_iso_dates(documents, dates):
    store = IsoDateStore(documents)
    builder = lambda lo, hi: {"filed": {"$lte": iso(hi), "$gte": iso(lo)}}
    retriever = DiachronicRetriever.from_vector_store(store, date="filed", filter_builder=builder, pushdown=True)
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED
    assert all(store.filters)


def test_a_filter_builder_gets_whole_numbers(annotated):
    seen = []

    def build(lo, hi):
        seen.append((lo, hi))
        return numbers(lo, hi)

    DiachronicRetriever.from_vector_store(NumberStore(annotated), filter_builder=build).invoke("the bridge before 1950")
    assert seen
    assert all(type(side) is int for window in seen for side in window)


def test_places_are_filled_by_fetching_more_when_most_records_lie_elsewhere(dates):
    crowd = [Document(f"The harbour bridge, note {n}.", metadata={"at": "1999-01-01"}) for n in range(300)]
    wanted = [Document(f"The bridge of the harbour, in a note about tar and rope: {n}.", metadata={"at": "1944"}) for n in range(3)]
    store = BareStore(TimeAnnotator(date="at").transform_documents([*crowd, *wanted]))
    found = DiachronicRetriever.from_vector_store(store, k=3, pushdown=False).invoke("The harbour bridge in 1944")
    assert dates(found) == ["1944"] * 3
    assert len(store.limits) > 1


def test_the_frameworks_own_store_filters_itself(filled_store, caplog):
    with caplog.at_level(logging.WARNING, "chronotope"):
        report = DiachronicRetriever.from_vector_store(filled_store).retrieve_with_report(FORTIES)
    assert sorted(str(hit.passage.times[0]) for hit in report.hits) == EXPECTED
    assert not caplog.records
    assert 0 < report.hits[0].score <= 1


def test_a_store_with_dates_of_the_apps_own_need_not_be_annotated(documents, embeddings, dates):
    store = InMemoryVectorStore(embeddings)
    store.add_documents(documents)
    retriever = DiachronicRetriever.from_vector_store(store, date="filed")
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED


def test_a_filter_on_numbers_that_are_not_there_does_not_end_in_silence(documents, dates):
    store = NumberStore(documents)
    retriever = DiachronicRetriever.from_vector_store(store, date="filed", filter_builder=numbers)
    report = retriever.retrieve_with_report(FORTIES)
    assert len(report.hits) == 2
    assert any("time_start" in issue.message for issue in report.issues)


def test_an_empty_window_of_numbered_records_is_believed_after_one_look(annotated):
    store = NumberStore(annotated)
    report = DiachronicRetriever.from_vector_store(store, filter_builder=numbers).retrieve_with_report("the bridge in 1850")
    assert [issue.kind for issue in report.issues] == ["empty_window"]
    assert store.filters.count(None) == 1


def test_a_store_outlives_the_retriever(filled_store, dates):
    first = DiachronicRetriever.from_vector_store(filled_store)
    first.add_documents([Document("The harbour bridge was sold.", metadata={"published": "1943-04-05"})])
    del first
    assert "1943-04-05" in dates(DiachronicRetriever.from_vector_store(filled_store).invoke(FORTIES))


@pytest.mark.parametrize("value", ["2024-01-01T00:00:00", NAIVE, NAIVE.replace(tzinfo=UTC)])
def test_a_store_may_hold_dates_of_any_type(value, embeddings):
    store = InMemoryVectorStore(embeddings)
    store.add_documents([Document("A shop closed.", metadata={"at": at}) for at in (value, "2019")])
    assert len(DiachronicRetriever.from_vector_store(store, date="at").invoke("Which shop closed in 2024?")) == 1


def test_one_bad_date_in_a_store_is_an_issue_and_the_others_are_filtered(embeddings):
    store = InMemoryVectorStore(embeddings)
    store.add_documents([Document("A shop closed.", metadata={"at": at}) for at in ("2024-01-02", "not-a-date", "2024-02-01")])
    retriever = DiachronicRetriever.from_vector_store(store, date="at", pushdown=False)
    report = retriever.retrieve_with_report("shops after mid-January 2024")
    assert [str(hit.passage.published) for hit in report.hits] == ["2024-02-01"]
    assert [issue.kind for issue in report.issues].count("bad_date") == 1


def test_adding_twice_leaves_one_copy_and_deleting_leaves_none(filled_store):
    retriever = DiachronicRetriever.from_vector_store(filled_store, k=20)
    size = len(filled_store.store)
    note = [Document("A crane fell in May 1950.")]
    ids = retriever.add_documents(note)
    assert retriever.add_documents(note) == ids
    assert len(filled_store.store) == size + 1
    retriever.delete(ids)
    assert len(filled_store.store) == size
    assert not retriever.invoke("the crane in 1950")


async def test_awaited_adding_and_retrieval_work_on_a_store(filled_store):
    retriever = DiachronicRetriever.from_vector_store(filled_store)
    ids = await retriever.aadd_documents([Document("A crane fell in May 1950.")])
    assert [d.id for d in await retriever.ainvoke("the crane in 1950")] == ids
    assert await retriever.ainvoke(FORTIES, k=1) == retriever.invoke(FORTIES, k=1)


def test_the_records_of_the_store_are_not_changed(annotated):
    store = ListStore(annotated)
    before = copy.deepcopy(store.documents)
    DiachronicRetriever.from_vector_store(store, pushdown=False).invoke(FORTIES)[0].metadata.clear()
    assert store.documents == before


def test_a_store_cannot_be_saved_through_the_retriever(filled_store, tmp_path):
    with pytest.raises(ValueError, match="keeps them itself"):
        DiachronicRetriever.from_vector_store(filled_store).save(tmp_path)


def test_a_misspelt_argument_is_refused(filled_store):
    with pytest.raises(ValidationError, match="filter_bilder"):
        DiachronicRetriever.from_vector_store(filled_store, filter_bilder=numbers)


def test_search_arguments_of_the_apps_own_reach_every_search(filled_store):
    even = lambda document: document.metadata["page"] % 2 == 0
    found = DiachronicRetriever.from_vector_store(filled_store, search_kwargs={"filter": even}).invoke("the bridge before 1950")
    assert sorted(d.metadata["page"] for d in found) == [0, 2]


class FAISS(ListStore):
    """Like the community's: a callable on the metadata, applied to the first `fetch_k` hits."""

    def similarity_search(self, query, k=4, filter=None, fetch_k=20, **kwargs):  # noqa: A002
        found = super().similarity_search(query, fetch_k)
        return [document for document in found if filter is None or filter(document.metadata)][:k]

    @property
    def index(self):
        return type("Index", (), {"ntotal": len(self.documents)})


class Chroma(ListStore):
    """Like Chroma: conjunctions are spelt out, and scores are distances."""

    value_type = (int,)

    def passes(self, metadata, told):
        assert list(told) == ["$and"]
        return all(super(Chroma, self).passes(metadata, part) for part in told["$and"])

    def similarity_search_with_score(self, query, k=4, filter=None, **kwargs):  # noqa: A002
        return [(document, math.sqrt(rank)) for rank, document in enumerate(self.similarity_search(query, k, filter))]


class PGVectorStore(Chroma):
    pass


class MyChroma(Chroma):
    pass


@pytest.mark.parametrize("kind", [FAISS, Chroma, PGVectorStore, MyChroma])
def test_known_stores_are_recognised_by_name_and_filter_themselves(kind, annotated, dates):
    noise = TimeAnnotator().transform_documents([Document(f"The harbour bridge in the year {year}.") for year in range(1700, 1800)])
    undated = [Document("The harbour bridge stands.")]
    retriever = DiachronicRetriever.from_vector_store(kind([*noise, *undated, *annotated]), pushdown=True)
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED


def test_distances_become_scores_that_fall(annotated):
    scores = [hit.score for hit in StorePassages(Chroma(annotated)).search("the bridge", 4, None)]
    assert scores == sorted(scores, reverse=True)
    assert known_store(ListStore([])) is None


def test_the_question_is_embedded_once_for_all_its_windows(annotated):
    asked = []

    class Counting(ChronotopeEmbeddings):
        def embed_query(self, text):
            asked.append(text)
            return super().embed_query(text)

    store = InMemoryVectorStore(Counting(HashEmbedder()))
    store.add_documents(annotated)
    assert len(DiachronicRetriever.from_vector_store(store).invoke("the harbour bridge from 1930 to 1950")) == 4
    assert len(asked) == 1


def test_records_of_which_only_some_are_numbered_are_all_found(annotated, documents, dates):
    store = NumberStore([*annotated[:3], *documents[3:]])
    retriever = DiachronicRetriever.from_vector_store(store, date="filed", filter_builder=numbers)
    assert sorted(dates(retriever.invoke(FORTIES))) == EXPECTED


def test_the_apps_own_filter_is_never_replaced_in_silence(filled_store):
    even = lambda document: document.metadata["page"] % 2 == 0
    retriever = DiachronicRetriever.from_vector_store(filled_store, search_kwargs={"filter": even}, pushdown=True)
    with pytest.raises(ValueError, match="own filter"):
        retriever.invoke(FORTIES)
