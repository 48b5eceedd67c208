"""The retriever over its own index."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import ConfigurableField
from pydantic import ValidationError

from chronotope.diachronic import RetrievalSettings
from chronotope.errors import StoreMismatchError, TimeExpressionError
from chronotope.langchain import DiachronicRetriever
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import HashEmbedder, OverlapReranker

FORTIES = "What happened to the harbour bridge in the 1940s?"


def test_only_documents_of_the_asked_time_come_back_with_scores_and_dates(retriever, dates):
    found = retriever.invoke(FORTIES)
    assert sorted(dates(found)) == ["1944-03-09", "1947-08-01"]
    assert [d.metadata["relevance_score"] for d in found] == sorted((d.metadata["relevance_score"] for d in found), reverse=True)


async def test_awaited_retrieval_gives_the_same_and_takes_the_same_arguments(retriever):
    assert await retriever.ainvoke(FORTIES) == retriever.invoke(FORTIES)
    assert await retriever.ainvoke(FORTIES, k=1) == retriever.invoke(FORTIES, k=1)
    assert len(await retriever.ainvoke(FORTIES, k=1)) == 1
    assert await retriever.ainvoke(FORTIES, times="1961") == retriever.invoke(FORTIES, times="1961")


def test_batch_and_abatch_keep_the_order_of_the_questions(retriever, dates):
    questions = [f"What happened to the bridge in {year}?" for year in (1932, 1961, 1988)]
    expected = [["1932-05-14"], ["1961-06-30"], ["1988-09-12"]]
    assert [dates(found) for found in retriever.batch(questions, config={"max_concurrency": 2})] == expected
    assert [dates(found) for found in asyncio.run(retriever.abatch(questions, config={"max_concurrency": 2}))] == expected


async def test_the_blocking_call_works_inside_a_running_loop(retriever):
    assert retriever.invoke(FORTIES) == await retriever.ainvoke(FORTIES)


def test_awaited_calls_work_in_one_event_loop_after_the_other(retriever):
    assert asyncio.run(retriever.ainvoke(FORTIES)) == asyncio.run(retriever.ainvoke(FORTIES))


async def test_awaited_retrieval_leaves_the_loop_free(documents):
    class Slow(Embeddings):
        def embed_documents(self, texts):
            return HashEmbedder().embed(texts).tolist()

        def embed_query(self, text):
            time.sleep(0.15)
            return self.embed_documents([text])[0]

    retriever = await DiachronicRetriever.afrom_documents(documents, embeddings=Slow(), date="filed")
    beats = 0

    async def heart():
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    beating = asyncio.create_task(heart())
    assert len(await retriever.ainvoke(FORTIES)) == 2
    beating.cancel()
    assert beats >= 5


def test_the_interval_may_come_with_the_call_or_with_the_retriever(documents, embeddings, retriever, dates):
    fixed = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", times="1930/1939")
    assert sorted(dates(fixed.invoke(FORTIES))) == ["1932-05-14", "1938-11-02"]
    both = fixed.invoke(FORTIES, times=[TimeInterval.parse("1975"), "1988"])
    assert sorted(dates(both)) == sorted(dates(retriever.invoke("the bridge in 1975 and 1988"))) == ["1975-01-01", "1988-09-12"]
    with pytest.raises(TimeExpressionError):
        retriever.invoke(FORTIES, times="someday")


def test_a_report_says_how_the_question_was_understood(retriever):
    report = retriever.retrieve_with_report(FORTIES)
    assert [str(time) for time in report.scope.times] == ["194X"]
    assert "1940s" not in report.scope.core
    assert report.coverage is not None
    assert asyncio.run(retriever.aretrieve_with_report(FORTIES)) == report


def test_an_empty_window_says_so_and_is_not_filled_from_elsewhere(retriever):
    report = retriever.retrieve_with_report("What happened to the bridge in 1850?")
    assert not report.hits
    assert report.issues


def test_a_relative_time_needs_a_today_and_is_reported_without_one(documents, embeddings, retriever, dates):
    question = "What happened to the bridge last year?"
    assert retriever.retrieve_with_report(question).issues
    told = DiachronicRetriever.from_documents(
        documents, embeddings=embeddings, date="filed", today=TimeInterval.parse("1976-05-01")
    )
    assert dates(told.invoke(question)) == ["1975-01-01"]


def test_the_documents_given_are_not_changed(documents, embeddings):
    before = copy.deepcopy(documents)
    DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed").invoke(FORTIES)[0].metadata["page"] = -1
    assert documents == before


def test_changing_what_came_back_does_not_change_the_index(retriever):
    retriever.invoke(FORTIES)[0].metadata.clear()
    assert retriever.invoke(FORTIES)[0].metadata["filed"]


@pytest.mark.parametrize("make", [DiachronicRetriever.from_documents, DiachronicRetriever.load])
def test_a_misspelt_argument_is_refused_before_any_work(make, documents, tmp_path, retriever, embeddings):
    retriever.save(tmp_path / "index")
    with pytest.raises(ValidationError, match="top_k"):
        make(tmp_path / "index" if make == DiachronicRetriever.load else documents, embeddings=embeddings, top_k=3)


@pytest.mark.parametrize(
    "options", [{"k": 0}, {"preset": "best"}, {"pushdown": "maybe"}, {"max_concurrency": 0}, {"annotate": "magic"}]
)
def test_an_impossible_value_is_refused(options, documents, embeddings):
    with pytest.raises(ValidationError):
        DiachronicRetriever.from_documents(documents, embeddings=embeddings, **options)


def test_a_retriever_needs_exactly_one_place_to_look(retriever, filled_store):
    for places in (
        {},
        {"index": retriever.index, "store": filled_store, "embedder": retriever.embedder},
        {"index": retriever.index},
    ):
        with pytest.raises(ValidationError):
            DiachronicRetriever(**places)
    with pytest.raises(StoreMismatchError, match="hash-8"):
        DiachronicRetriever(index=retriever.index, embedder=HashEmbedder(8))


def test_settings_replace_the_preset_and_k_replaces_theirs(documents, embeddings):
    settings = RetrievalSettings(k=2, lexical=0.0)
    assert (
        len(DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", settings=settings).invoke("bridge"))
        == 2
    )
    own = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", settings=settings, k=4)
    assert len(own.invoke("bridge")) == 4


def test_configurable_fields_keep_the_index(retriever):
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"), times=ConfigurableField(id="times"))
    assert len(configurable.invoke("the bridge", config={"configurable": {"k": 1}})) == 1
    assert len(configurable.invoke("the bridge", config={"configurable": {"times": "1930/1949"}})) == 4


def test_with_config_with_retry_with_fallbacks_and_bind_work(retriever):
    assert len(retriever.with_config(tags=["x"]).invoke(FORTIES)) == 2
    assert len(retriever.with_retry().invoke(FORTIES)) == 2
    assert len(retriever.with_fallbacks([retriever]).invoke(FORTIES)) == 2
    assert len(retriever.bind(k=1).invoke(FORTIES)) == 1
    assert len(retriever.model_copy(update={"k": 1}).invoke(FORTIES)) == 1


def test_it_can_be_pickled_and_copied_deeply(retriever):
    for again in (pickle.loads(pickle.dumps(retriever)), copy.deepcopy(retriever)):
        assert again.invoke(FORTIES) == retriever.invoke(FORTIES)
        again.delete([d.id for d in again.invoke(FORTIES)])
    assert len(retriever.invoke(FORTIES)) == 2


def test_it_can_be_sent_to_a_worker_process(retriever):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(retriever.invoke, FORTIES).result() == retriever.invoke(FORTIES)


def test_save_and_load_give_the_same_answers(retriever, embeddings, tmp_path):
    retriever.save(tmp_path / "index")
    again = DiachronicRetriever.load(tmp_path / "index", embeddings=embeddings, k=1)
    assert again.invoke(FORTIES) == retriever.invoke(FORTIES, k=1)
    with pytest.raises(StoreMismatchError):
        DiachronicRetriever.load(tmp_path / "index", embeddings=HashEmbedder(8))


def test_adding_the_same_documents_again_writes_nothing(documents, retriever, monkeypatch):
    calls = []
    monkeypatch.setattr(HashEmbedder, "embed", lambda self, texts, *, kind="passage": calls.append(texts))
    ids = retriever.add_documents(documents)
    assert len(ids) == len(set(ids)) == len(retriever.index) == 8
    assert not calls


async def test_documents_can_be_added_awaited(retriever):
    ids = await retriever.aadd_documents([Document("The bridge was closed in May 2005.")])
    assert [d.id for d in retriever.invoke("the bridge in 2005")] == ids


def test_what_is_deleted_leaves_no_ghost(retriever):
    found = retriever.invoke("The bridge in 1988")
    retriever.delete([found[0].id])
    assert not retriever.invoke("The bridge in 1988")
    retriever.add_documents([Document("A ferry ran in 1990.")])
    assert found[0].id not in {d.id for d in retriever.invoke("The harbour bridge was painted green", k=20)}


def test_one_bad_date_leaves_the_others_filtered_and_is_counted(embeddings, dates):
    documents = [
        Document(f"Shop number {n} closed.", metadata={"at": at}) for n, at in enumerate(("2024-01-01", "not-a-date", "2024-02-01"))
    ]
    retriever = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="at")
    assert [issue.kind for issue in retriever.issues].count("bad_date") == 1
    assert dates(retriever.invoke("Which shop closed after mid-January 2024?")) == ["2024-02-01"]


def test_dates_of_every_type_are_filtered_alike(embeddings):
    aware = datetime(2024, 1, 1, tzinfo=UTC)
    stamps = ["2024-01-01T00:00:00", aware.replace(tzinfo=None), aware, "2024-01-01", 20240101]
    documents = [Document(f"Shop number {n} closed.", metadata={"at": at}) for n, at in enumerate(stamps)]
    retriever = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="at")
    assert len(retriever.invoke("Which shop closed on 1 January 2024?")) == len(stamps)
    assert not retriever.invoke("Which shop closed in 2023?")


def test_undated_documents_follow_the_policy(embeddings):
    documents = [Document("Sales rose in 2019."), Document("Sales rose in 2021."), Document("Sales rise and fall.")]
    counts = {}
    for undated in ("exclude", "include", "backfill"):
        settings = RetrievalSettings(undated=undated)
        retriever = DiachronicRetriever.from_documents(documents, embeddings=embeddings, settings=settings)
        counts[undated] = len(retriever.invoke("sales in 2021"))
    assert counts == {"exclude": 1, "include": 2, "backfill": 2}


def test_blank_documents_are_left_out_and_counted(embeddings):
    retriever = DiachronicRetriever.from_documents(
        [Document(""), Document(" \ufeff"), Document("In 1999 it rained.")], embeddings=embeddings
    )
    assert len(retriever.index) == 1
    assert any(issue.kind == "blank" for issue in retriever.issues)
    assert not DiachronicRetriever.from_documents([], embeddings=embeddings).invoke("anything in 1999?")


def test_a_failed_embedding_adds_nothing_and_a_retry_gives_the_same_as_one_run(documents, embeddings):
    class Failing(HashEmbedder):
        fails = True

        def embed(self, texts, *, kind="passage"):
            if self.fails:
                raise ConnectionError("the server is gone")
            return super().embed(texts, kind=kind)

    embedder = Failing()
    retriever = DiachronicRetriever.from_documents([], embeddings=embedder, date="filed")
    with pytest.raises(ConnectionError):
        retriever.add_documents(documents)
    assert len(retriever.index) == 0
    embedder.fails = False
    retriever.add_documents(documents)
    assert len(retriever.index) == 8


def test_a_model_is_asked_only_about_what_rules_cannot_place(documents, embeddings, dates):
    reply = '{"core": "What happened to the bridge?", "intervals": [{"start": "1944", "end": "1947"}]}'
    model = FakeListChatModel(responses=[reply])
    retriever = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", llm=model)
    assert sorted(dates(retriever.invoke("What happened to the bridge after the mayor fled?"))) == ["1944-03-09", "1947-08-01"]
    silent = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", llm=FakeListChatModel(responses=[]))
    assert silent.invoke(FORTIES)


def test_a_reranker_scores_the_best_again(documents, embeddings):
    settings = RetrievalSettings(rerank=8, k=1)
    retriever = DiachronicRetriever.from_documents(
        documents, embeddings=embeddings, date="filed", settings=settings, reranker=OverlapReranker()
    )
    assert "painted green" in retriever.invoke("the bridge painted green").pop().page_content


def test_its_text_form_names_what_it_searches(retriever, filled_store):
    assert repr(retriever) == str(retriever)
    assert "8 passages" in repr(retriever)
    assert "InMemoryVectorStore" in repr(DiachronicRetriever.from_vector_store(filled_store))


def test_the_local_model_is_loaded_only_when_no_embeddings_are_given(documents, monkeypatch):
    import chronotope.defaults

    monkeypatch.setattr(chronotope.defaults, "default_embedder", lambda: HashEmbedder(16))
    assert DiachronicRetriever.from_documents(documents, date="filed").embedder.model_id == "hash-16"


def test_a_blank_question_finds_nothing_and_says_so(retriever, filled_store):
    for place in (retriever, DiachronicRetriever.from_vector_store(filled_store)):
        report = place.retrieve_with_report(" \n")
        assert (report.hits, [issue.kind for issue in report.issues]) == ((), ["blank_question"])


def test_a_corpus_with_undated_documents_warns_of_nothing(embeddings, caplog):
    with caplog.at_level(logging.WARNING, "chronotope"):
        DiachronicRetriever.from_documents([Document("Water boils."), Document("Last week it rained.")], embeddings=embeddings)
    assert not caplog.records
