"""Time annotation of documents."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import time
from datetime import UTC, datetime

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from chronotope.langchain import TimeAnnotator
from chronotope.metadata import MetadataKeys
from chronotope.testing import ScriptedChat

LETTERS = [
    Document("We moved in on 3 May 1851.", metadata={"at": datetime(1851, 6, 1, tzinfo=UTC), "by": {"name": "Ann"}}),
    Document("   "),
    Document("Last year the harvest was poor.", metadata={"at": "1852-09-30"}),
    Document("Water boils at a hundred degrees."),
]


def test_documents_come_back_in_order_with_times_and_without_blanks():
    annotated, issues = TimeAnnotator(date="at").annotate(LETTERS)
    assert [document.metadata.get("time_intervals") for document in annotated] == ["1851-05-03", "1851", None]
    assert [document.metadata.get("published") for document in annotated[:2]] == ["1851-06-01T00:00:00", "1852-09-30"]
    assert {"blank", "undated"} <= {issue.kind for issue in issues}


def test_the_documents_given_stay_as_they_were():
    before = copy.deepcopy(LETTERS)
    TimeAnnotator(date="at").transform_documents(LETTERS)[0].metadata["by"]["name"] = "Eve"
    assert before == LETTERS


def test_annotated_metadata_is_plain_json():
    for document in TimeAnnotator(date="at").transform_documents(LETTERS):
        assert json.loads(json.dumps(document.metadata)) == document.metadata


async def test_awaited_annotation_gives_the_same():
    annotator = TimeAnnotator(date="at")
    assert await annotator.atransform_documents(LETTERS) == annotator.transform_documents(LETTERS)
    assert await annotator.aannotate(LETTERS) == annotator.annotate(LETTERS)


def test_times_that_are_there_already_are_kept():
    known = Document("In 1999 it rained.", metadata={"time_intervals": "1888"})
    assert TimeAnnotator().transform_documents([known])[0].metadata["time_intervals"] == "1888"
    once = TimeAnnotator(date="at").transform_documents(LETTERS)
    assert TimeAnnotator(date="at").transform_documents(once) == once


def test_keys_can_be_renamed():
    keys = MetadataKeys(times="when", start="when_from", end="when_to")
    assert TimeAnnotator(keys=keys).transform_documents(LETTERS[:1])[0].metadata["when"] == "1851-05-03"


def test_chunks_of_one_source_share_its_dateline_only_when_the_key_is_named():
    texts = ("Kaluga, 12 October 1903\n\nDear friend,", "Last month it rained.")
    chunks = [Document(text, metadata={"source": "a"}) for text in texts]
    together = TimeAnnotator(source_key="source").transform_documents(chunks)
    apart = TimeAnnotator().transform_documents(chunks)
    assert together[1].metadata["time_intervals"] == "1903-09"
    assert "time_intervals" not in apart[1].metadata


def test_a_model_is_asked_only_where_rules_do_not_suffice():
    chat = ScriptedChat(lambda messages: {"published": None, "abstract": "", "events": []})
    TimeAnnotator(mode="auto", llm=chat, date="at").transform_documents(LETTERS[:1])
    assert not chat.calls
    TimeAnnotator(mode="llm", llm=chat, date="at").transform_documents(LETTERS[:1])
    assert chat.calls


def test_a_mode_that_asks_a_model_needs_one():
    with pytest.raises(ValueError, match="give llm="):
        TimeAnnotator(mode="llm")


def test_a_misspelt_argument_is_refused():
    with pytest.raises(TypeError, match="calender"):
        TimeAnnotator(calender=None)


def test_a_loader_can_split_with_it():
    class Letters(BaseLoader):
        def lazy_load(self):
            yield from LETTERS

    assert len(Letters().load_and_split(TimeAnnotator(date="at"))) == 3


def test_it_takes_part_in_a_chain():
    assert len((RunnableLambda(lambda _: LETTERS) | RunnableLambda(TimeAnnotator(date="at").transform_documents)).invoke(None)) == 3


def test_it_can_be_pickled_and_compared():
    annotator = TimeAnnotator(date="at")
    assert pickle.loads(pickle.dumps(annotator)) == annotator == copy.deepcopy(annotator)


def test_annotated_documents_pass_the_record_manager_and_a_second_time_nothing_is_written(embeddings):
    manager = InMemoryRecordManager("letters")
    manager.create_schema()
    store = InMemoryVectorStore(embeddings)
    documents = TimeAnnotator(date="at").transform_documents(LETTERS)
    first, second = (index(documents, manager, store, cleanup=None, key_encoder="sha256") for _ in range(2))
    assert (first["num_added"], second["num_added"]) == (3, 0)


def test_annotated_documents_survive_a_dump_of_the_store(embeddings, tmp_path):
    store = InMemoryVectorStore(embeddings)
    store.add_documents(TimeAnnotator(date="at").transform_documents(LETTERS))
    store.dump(str(tmp_path / "store.json"))
    again = InMemoryVectorStore.load(str(tmp_path / "store.json"), embeddings)
    assert again.similarity_search("moved", k=1)[0].metadata["time_intervals"] == "1851-05-03"


def test_no_more_model_calls_are_under_way_than_allowed():
    under_way, peak = [0], [0]

    def answer(messages):
        under_way[0] += 1
        peak[0] = max(peak[0], under_way[0])
        time.sleep(0.02)
        under_way[0] -= 1
        return '{"published": null, "abstract": "", "events": []}'

    notes = [Document(f"Note {n} of some day.") for n in range(6)]
    TimeAnnotator(mode="llm", llm=RunnableLambda(answer), max_concurrency=2).transform_documents(notes)
    assert peak == [2]


def test_a_refused_reply_becomes_an_issue_and_rules_alone_date_the_document():
    model = FakeListChatModel(responses=["I would rather not."])
    annotated, issues = TimeAnnotator(mode="llm", llm=model).annotate([Document("It rained on 3 May 1851.")])
    assert annotated[0].metadata["time_intervals"] == "1851-05-03"
    assert any(issue.kind == "reply_refused" for issue in issues)


async def test_awaited_annotation_leaves_the_loop_free():
    class Slow:
        model_id = "slow"

        async def achat(self, messages, *, schema=None):
            await asyncio.sleep(0.1)
            return ScriptedChat([{"published": None, "abstract": "", "events": []}]).chat(messages)

        def chat(self, messages, *, schema=None):
            time.sleep(0.1)
            raise AssertionError("the awaited path must not use the blocking call")

    beats = 0

    async def heart():
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    beating = asyncio.create_task(heart())
    await TimeAnnotator(mode="llm", llm=Slow()).atransform_documents(LETTERS[:1])
    beating.cancel()
    assert beats >= 5
