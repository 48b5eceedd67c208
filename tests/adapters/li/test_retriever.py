"""DiachronicRetriever on its own embedded index."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, PromptTemplate, Settings
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import IndexNode, MetadataMode, NodeWithScore, QueryBundle, TextNode

from chronotope.errors import StoreMismatchError
from chronotope.llama_index import ChronotopeEmbedding, DiachronicRetriever, TimedQuery
from chronotope.testing import HashEmbedder, ScriptedChat

SIXTIES = "Who orbits the Earth between 1961 and 1969?"


def ids(found: list[NodeWithScore]) -> list[str]:
    return [item.node.node_id for item in found]


def test_only_passages_about_the_asked_time_come_back_best_first(retriever: DiachronicRetriever) -> None:
    found = retriever.retrieve(SIXTIES)
    assert set(ids(found)) <= {"a", "b", "c", "d"}
    assert {"a", "b"} <= set(ids(found))
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(type(score) is float for score in scores)


def test_the_report_tells_scope_coverage_and_issues(retriever: DiachronicRetriever) -> None:
    report = retriever.retrieve_with_report(SIXTIES)
    assert [str(time) for time in report.scope.times] == ["1961/1969"]
    assert report.coverage is not None
    assert "1961" not in report.scope.core
    assert [hit.passage.id for hit in report.hits] == ids(retriever.retrieve(SIXTIES))


async def test_async_gives_what_sync_gives(retriever: DiachronicRetriever) -> None:
    sync, awaited = retriever.retrieve(SIXTIES), await retriever.aretrieve(SIXTIES)
    assert [(item.node.node_id, item.score) for item in sync] == [(item.node.node_id, item.score) for item in awaited]
    assert (await retriever.aretrieve_with_report(SIXTIES)).hits == retriever.retrieve_with_report(SIXTIES).hits


async def test_the_sync_form_works_inside_a_running_loop(retriever: DiachronicRetriever) -> None:
    assert ids(retriever.retrieve(SIXTIES))


class SlowEmbedder(HashEmbedder):
    """Takes its time, politely."""

    async def aembed(self, texts: Any, *, kind: Any = "passage") -> Any:
        await asyncio.sleep(0.2)
        return self.embed(texts, kind=kind)


async def test_the_loop_stays_free_while_a_question_is_embedded(nodes: list[TextNode]) -> None:
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=SlowEmbedder(64))
    asked = asyncio.create_task(retriever.aretrieve(SIXTIES))
    beats = 0
    while not asked.done():
        await asyncio.sleep(0.005)
        beats += 1
    assert beats > 10


def test_the_same_question_gives_the_same_answer(retriever: DiachronicRetriever) -> None:
    first = retriever.retrieve(SIXTIES)
    assert all(retriever.retrieve(SIXTIES) == first for _ in range(3))


@pytest.mark.parametrize("asked", ["\ninput is Who orbits the Earth between 1961 and 1969?\n", f"{SIXTIES}\n\n", f"  {SIXTIES}"])
def test_a_question_wrapped_by_a_tool_is_understood(retriever: DiachronicRetriever, asked: str) -> None:
    assert ids(retriever.retrieve(asked)) == ids(retriever.retrieve(SIXTIES))


def test_an_empty_question_finds_nothing_and_says_why(retriever: DiachronicRetriever) -> None:
    report = retriever.retrieve_with_report("  \n")
    assert (report.hits, [issue.kind for issue in report.issues]) == ((), ["blank_question"])


def test_a_time_given_beside_the_words_wins_over_them(retriever: DiachronicRetriever) -> None:
    assert ids(retriever.retrieve(TimedQuery("What happened in 1961?", times=["1998"]))) == ["g"]
    assert set(ids(retriever.retrieve(TimedQuery("What happened?", times=["1961", "1998"])))) == {"a", "g"}


def test_a_time_given_to_the_retriever_holds_for_every_question(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, times="1981/1998")
    assert set(ids(retriever.retrieve("What happened in 1961?"))) == {"f", "g"}


def test_a_query_bundle_is_understood_by_its_words(retriever: DiachronicRetriever) -> None:
    assert ids(retriever.retrieve(QueryBundle(SIXTIES))) == ids(retriever.retrieve(SIXTIES))


def test_last_year_counts_from_the_given_day_only(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    known = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, today="1962-06-01")
    assert ids(known.retrieve("What happened last year?")) == ["a"]
    unknown = DiachronicRetriever.from_nodes(nodes, embed_model=embedding)
    assert "unresolved_time" in {issue.kind for issue in unknown.retrieve_with_report("What happened last year?").issues}


def test_an_empty_window_says_so_and_is_not_filled_from_elsewhere(
    retriever: DiachronicRetriever, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="chronotope"):
        assert retriever.retrieve("What happened in 1903?") == []
    assert [(record.levelno, "empty_window" in record.message) for record in caplog.records] == [(logging.INFO, True)]


DATES = ["2019-06-01", "2021-03-04T05:06:07", datetime(2021, 5, 1), datetime(2021, 6, 1, tzinfo=UTC), "not-a-date"]  # noqa: DTZ001


def test_one_bad_date_concerns_only_its_own_node(embedding: ChronotopeEmbedding) -> None:
    nodes = [
        TextNode(text=f"Report number {row}.", id_=str(row), metadata={"published_at": date}) for row, date in enumerate(DATES)
    ]
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, date="published_at")
    assert set(ids(retriever.retrieve("Which report came in 2021?"))) == {"1", "2", "3"}
    assert [issue.source_id for issue in retriever.issues if issue.kind == "bad_date"] == ["4"]


@pytest.mark.parametrize(("undated", "found"), [("exclude", {"new"}), ("include", {"new", "bare"}), ("backfill", {"new", "bare"})])
def test_nodes_without_dates_follow_the_policy(embedding: ChronotopeEmbedding, undated: str, found: set[str]) -> None:
    nodes = [
        TextNode(text="Old report.", id_="old", metadata={"published": "2019"}),
        TextNode(text="New report.", id_="new", metadata={"published": "2021"}),
        TextNode(text="A report.", id_="bare"),
    ]
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, undated=undated)
    assert set(ids(retriever.retrieve("Which report came in 2021?"))) == found


def test_returned_nodes_show_their_time_to_a_model_and_are_nobodys_but_the_callers(
    retriever: DiachronicRetriever, nodes: list[TextNode]
) -> None:
    before = [node.model_dump() for node in nodes]
    (item,) = retriever.retrieve("What was launched in 1998?")
    assert "1998-11-20" in item.node.get_content(MetadataMode.LLM)
    assert "time_start" not in item.node.get_content(MetadataMode.LLM)
    assert item.node.ref_doc_id == "doc-g"
    item.node.metadata.clear()
    assert retriever.retrieve("What was launched in 1998?")[0].node.metadata["title"] == "Report g"
    assert [node.model_dump() for node in nodes] == before


def test_blank_nodes_are_left_out_and_counted(embedding: ChronotopeEmbedding, nodes: list[TextNode]) -> None:
    blanks = [TextNode(text=text) for text in ("", "  \n\t", "\ufeff")]
    retriever = DiachronicRetriever.from_nodes([*blanks, *nodes], embed_model=embedding)
    assert len(retriever.index) == len(nodes)
    assert sum(issue.kind == "blank" for issue in retriever.issues) == 3


def test_nothing_but_blanks_is_an_empty_index_and_not_an_error(embedding: ChronotopeEmbedding) -> None:
    retriever = DiachronicRetriever.from_nodes([TextNode(text=" ")], embed_model=embedding)
    assert [issue.kind for issue in retriever.retrieve_with_report(SIXTIES).issues] == ["empty_index"]


class CountingEmbedder(HashEmbedder):
    """Counts what it embeds."""

    count = 0

    def embed(self, texts: Any, *, kind: Any = "passage") -> Any:
        self.count += len(texts)
        return super().embed(texts, kind=kind)


def test_inserting_known_nodes_again_embeds_and_adds_nothing(nodes: list[TextNode]) -> None:
    embedder = CountingEmbedder(64)
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedder)
    embedded = embedder.count
    assert retriever.insert_nodes(nodes) == 0
    assert (embedder.count, len(retriever.index)) == (embedded, len(nodes))


def test_a_document_split_again_into_nodes_with_new_ids_adds_only_what_changed() -> None:
    embedder = CountingEmbedder(64)
    sentences = [f"Sentence number {row} tells of the year {1900 + row}." for row in range(30)]
    splitter = SentenceSplitter(chunk_size=40, chunk_overlap=0)

    def document(parts: list[str]) -> Document:
        return Document(text=" ".join(parts), id_="book")

    retriever = DiachronicRetriever.from_documents([document(sentences)], node_parser=splitter, embed_model=embedder)
    size, embedded = len(retriever.index), embedder.count
    assert retriever.insert_nodes(splitter([document(sentences)])) == 0
    assert embedder.count == embedded
    added = retriever.insert_nodes(splitter([document([*sentences[:-1], "The last one now tells of the year 1999."])]))
    assert 0 < added <= 2 < size


async def test_nodes_are_inserted_without_blocking_too(retriever: DiachronicRetriever) -> None:
    assert await retriever.ainsert_nodes([TextNode(text="The telescope is launched on 24 April 1990.", id_="h")]) == 1
    assert ids(await retriever.aretrieve("What was launched in 1990?")) == ["h"]


def test_a_deleted_document_leaves_no_ghost_after_the_next_insert(retriever: DiachronicRetriever, tmp_path: Path) -> None:
    assert retriever.delete_ref_doc("doc-d") == 1
    retriever.insert_nodes([TextNode(text="Apollo 12 lands on the Moon on 19 November 1969.", id_="h")])
    assert ids(retriever.retrieve("Who landed on the Moon in 1969?")) == ["h"]
    retriever.save(tmp_path / "saved")
    assert b"Apollo 11" not in b"".join(file.read_bytes() for file in (tmp_path / "saved").rglob("*") if file.is_file())
    assert retriever.delete_nodes(["h", "nobody"]) == 1
    assert retriever.retrieve("Who landed on the Moon in 1969?") == []


def test_issues_about_a_deleted_document_go_with_it(embedding: ChronotopeEmbedding) -> None:
    bad = Document(text="A report.", id_="bad", metadata={"published": "not-a-date"})
    retriever = DiachronicRetriever.from_nodes([bad], embed_model=embedding)
    assert "bad" in {issue.source_id for issue in retriever.issues}
    retriever.delete_ref_doc("bad")
    assert retriever.issues == ()


def test_an_embedder_that_fails_half_way_leaves_the_index_as_it_was(nodes: list[TextNode]) -> None:
    class Failing(HashEmbedder):
        broken = False

        def embed(self, texts: Any, *, kind: Any = "passage") -> Any:
            if self.broken:
                raise ConnectionError("gone")
            return super().embed(texts, kind=kind)

    embedder = Failing(64)
    retriever = DiachronicRetriever.from_nodes(nodes[:3], embed_model=embedder)
    embedder.broken = True
    with pytest.raises(ConnectionError):
        retriever.insert_nodes(nodes)
    assert len(retriever.index) == 3
    embedder.broken = False
    assert retriever.insert_nodes(nodes) == len(nodes) - 3


def test_a_saved_retriever_answers_the_same_after_loading(
    retriever: DiachronicRetriever, embedding: ChronotopeEmbedding, tmp_path: Path
) -> None:
    retriever.save(tmp_path / "saved")
    loaded = DiachronicRetriever.load(tmp_path / "saved", embed_model=embedding, k=3)
    assert loaded.retrieve(SIXTIES) == retriever.retrieve(SIXTIES)
    assert loaded.insert_nodes([TextNode(text="A new one in 2001.", id_="new")]) == 1


def test_another_embedder_is_refused_on_loading(retriever: DiachronicRetriever, tmp_path: Path) -> None:
    retriever.save(tmp_path / "saved")
    with pytest.raises(StoreMismatchError):
        DiachronicRetriever.load(tmp_path / "saved", embed_model=HashEmbedder(8))


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_it_pickles_and_copies(retriever: DiachronicRetriever, clone: Callable[[Any], Any]) -> None:
    assert clone(retriever).retrieve(SIXTIES) == retriever.retrieve(SIXTIES)


def test_documents_are_cut_with_exact_offsets(embedding: ChronotopeEmbedding) -> None:
    text = "The mill was built in 1801. " + "It ground corn for the whole valley. " * 60 + "It burned down in 1866."
    document = Document(text=text, id_="mill", metadata={"title": "The mill"})
    retriever = DiachronicRetriever.from_documents([document], embed_model=embedding)
    (item,) = retriever.retrieve("What burned in 1866?")
    assert isinstance(item.node, TextNode)
    assert text[item.node.start_char_idx : item.node.end_char_idx] == item.node.text
    assert (item.node.ref_doc_id, item.node.metadata["title"]) == ("mill", "The mill")


def test_a_models_reading_of_a_question_is_used_where_rules_fail(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    chat = ScriptedChat([{"core": "What flew?", "intervals": [{"start": "1981", "end": "1981"}]}])
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, llm=chat)
    assert ids(retriever.retrieve("What flew after Reagan became president?")) == ["f"]
    assert len(chat.calls) == 1
    assert retriever.spent.calls == 1


def test_the_prompt_about_questions_is_shown_and_replaced(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    chat = ScriptedChat([{"core": "What flew?", "intervals": [{"start": "1981", "end": "1981"}]}])
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=embedding, llm=chat)
    assert set(retriever.get_prompts()["scope_prompt"].template_vars) == {"query_str", "today"}
    retriever.update_prompts({"scope_prompt": PromptTemplate('When? {query_str} Answer like {"core": ""}.')})
    retriever.retrieve("What flew after Reagan became president?")
    sent = chat.calls[0].messages[-1].content
    assert sent.startswith("When? ")
    assert 'Answer like {"core": ""}.' in sent


def test_the_frameworks_own_embedding_models_serve_too(nodes: list[TextNode]) -> None:
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=MockEmbedding(8), lexical=1.0)
    assert retriever.index.embedder_id == "MockEmbedding/unknown"
    assert ids(retriever.retrieve("What was launched in 1998?")) == ["g"]


def test_settings_of_the_framework_are_never_used_without_being_asked(
    nodes: list[TextNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    def alarm(*_: object) -> None:
        raise AssertionError("the framework's default model was resolved")

    monkeypatch.setattr(type(Settings), "embed_model", property(alarm))
    monkeypatch.setattr(type(Settings), "llm", property(alarm))
    retriever = DiachronicRetriever.from_nodes(nodes, embed_model=HashEmbedder(16))
    assert retriever.retrieve(SIXTIES)


def test_misspelt_settings_are_refused(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    with pytest.raises(TypeError, match="time_filtr"):
        DiachronicRetriever.from_nodes(nodes, embed_model=embedding, time_filtr="off")
    with pytest.raises(ValueError, match="preset"):
        DiachronicRetriever.from_nodes(nodes, embed_model=embedding, preset="best")
    with pytest.raises(ValueError, match="time_filter"):
        DiachronicRetriever.from_nodes(nodes, embed_model=embedding, time_filter="hard")


def test_an_index_node_leads_to_what_it_points_at(embedding: ChronotopeEmbedding) -> None:
    whole = TextNode(text="The whole story of the flight.", id_="whole")
    pointer = IndexNode(text="A flight on 12 April 1961.", index_id="i", obj=whole, id_="pointer")
    retriever = DiachronicRetriever.from_nodes([pointer], embed_model=embedding)
    assert ids(retriever.retrieve("Who flew in 1961?")) == ["whole"]


def test_its_repr_tells_size_span_and_k(retriever: DiachronicRetriever) -> None:
    assert "7 passages" in repr(retriever)
    assert "k=3" in repr(retriever)


def test_a_corpus_with_undated_nodes_warns_of_nothing(embedding: ChronotopeEmbedding, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        DiachronicRetriever.from_nodes(
            [TextNode(text="Water boils."), TextNode(text="Last week it rained.")], embed_model=embedding
        )
    assert not caplog.records
