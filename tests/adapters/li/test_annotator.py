"""TimeAnnotator: nodes in, the same nodes with times out, wherever LlamaIndex runs it."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from chronotope.errors import PromptError
from chronotope.llama_index import ChronotopeEmbedding, TimeAnnotator
from chronotope.temporal.settings import CalendarSettings

LETTER = TextNode(text="We moved last week.", id_="letter", metadata={"published": "2014-05-10"})
IMPLICIT = TextNode(text="After the coronation the bridge was opened.", id_="implicit")

DATED = {"events": [{"quote": "After the coronation the bridge was opened", "start": "1902-08", "end": "1902-08"}]}


def test_nodes_come_back_as_copies_with_times_and_the_same_ids_and_texts(nodes: list[TextNode]) -> None:
    before = [node.model_dump() for node in nodes]
    dated = TimeAnnotator()(nodes)
    assert [node.node_id for node in dated] == [node.node_id for node in nodes]
    assert [node.get_content() for node in dated] == [node.get_content() for node in nodes]
    assert dated[3].metadata["time_intervals"] == "1969-07-20"
    assert [node.model_dump() for node in nodes] == before


def test_relative_times_count_from_the_date_of_writing_and_never_from_today() -> None:
    (dated,) = TimeAnnotator()([LETTER])
    assert dated.metadata["time_start"] < dated.metadata["time_end"]
    assert dated.metadata["time_intervals"] == "2014-W18"
    (undated,) = TimeAnnotator()([TextNode(text="We moved last week.")])
    assert "time_intervals" not in undated.metadata


def test_an_apps_own_date_key_is_read() -> None:
    (node,) = TimeAnnotator(date="published_at")([TextNode(text="A quiet day.", metadata={"published_at": "2011-03-04"})])
    assert (node.metadata["time_intervals"], node.metadata["published"]) == ("2011-03-04", "2011-03-04")


def test_blank_nodes_pass_through() -> None:
    blank = TextNode(text=" \n")
    assert TimeAnnotator()([blank, LETTER])[0].metadata == {}


def test_what_could_not_be_read_is_logged_and_returned(caplog: pytest.LogCaptureFixture) -> None:
    bad = TextNode(text="A quiet day.", id_="bad", metadata={"published": "not-a-date"})
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        TimeAnnotator()([bad, LETTER])
    assert "1 bad_date" in caplog.text
    nodes, issues = TimeAnnotator().annotate([bad, LETTER])
    assert "bad_date" in {issue.kind for issue in issues}
    assert "time_intervals" in nodes[1].metadata


async def test_async_gives_what_sync_gives(nodes: list[TextNode]) -> None:
    annotator = TimeAnnotator()
    assert [n.metadata for n in await annotator.acall(nodes)] == [n.metadata for n in annotator(nodes)]


async def test_the_sync_form_works_inside_a_running_loop(nodes: list[TextNode]) -> None:
    assert TimeAnnotator()(nodes)[0].metadata["time_intervals"] == "1961-04-12"


def test_a_model_is_asked_about_what_rules_cannot_place(endpoint: Any, endpoint_llm: Callable[..., Any]) -> None:
    endpoint.reply = DATED
    nodes, _ = TimeAnnotator(mode="llm", llm=endpoint_llm()).annotate([IMPLICIT])
    assert nodes[0].metadata["time_intervals"] == "1902-08"
    assert endpoint.calls >= 1


async def test_the_loop_stays_free_while_a_model_is_asked(endpoint: Any, endpoint_llm: Callable[..., Any]) -> None:
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.005)
            beats += 1

    slow = SlowMock(pause=0.2)
    pulse = asyncio.create_task(heart())
    await TimeAnnotator(mode="llm", llm=slow, attempts=1).acall([IMPLICIT])
    pulse.cancel()
    assert beats > 10


class SlowMock(MockLLM):
    """Waits before it answers."""

    pause: float = 0.1

    def __init__(self, pause: float = 0.1) -> None:
        super().__init__()
        self.pause = pause

    @property
    def metadata(self) -> Any:
        return super().metadata.model_copy(update={"is_chat_model": True})

    async def achat(self, messages: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(self.pause)
        return await super().achat(messages, **kwargs)


def test_a_mode_that_needs_a_model_refuses_to_be_made_without_one() -> None:
    with pytest.raises(ValueError, match="needs llm="):
        TimeAnnotator(mode="llm")


def test_a_prompt_that_is_none_is_refused_when_the_annotator_is_made() -> None:
    with pytest.raises(PromptError):
        TimeAnnotator(passage_prompt="just words")


def test_to_dict_and_from_dict_are_inverse() -> None:
    annotator = TimeAnnotator(
        mode="auto", llm=MockLLM(max_tokens=5), date="day", calendar=CalendarSettings(hemisphere="south"), version=7
    )
    twin = TimeAnnotator.from_dict(annotator.to_dict())
    assert twin.to_dict() == annotator.to_dict()
    assert TimeAnnotator.class_name() == "ChronotopeTimeAnnotator"


def test_credentials_are_in_no_dump_and_no_cache_key(endpoint_llm: Callable[..., Any]) -> None:
    annotator = TimeAnnotator(mode="llm", llm=endpoint_llm())
    assert "sk-secret" not in annotator.to_json()
    assert annotator.to_dict()["llm"]["model"] == "counting"
    assert TimeAnnotator.from_dict(annotator.to_dict(), llm=endpoint_llm()).to_dict() == annotator.to_dict()


def test_cache_keys_change_with_prompt_model_and_version(endpoint_llm: Callable[..., Any]) -> None:
    plain = TimeAnnotator()
    variants = [
        plain,
        TimeAnnotator(version=2),
        TimeAnnotator(date="day"),
        TimeAnnotator(passage_prompt=plain.passage_prompt.replace("version: 1", "version: 1b")),
        TimeAnnotator(mode="llm", llm=endpoint_llm("small")),
        TimeAnnotator(mode="llm", llm=endpoint_llm("large")),
        TimeAnnotator(mode="llm", llm=endpoint_llm("large", temperature=1.0)),
    ]
    hashes = [get_transformation_hash([LETTER], variant) for variant in variants]
    assert len(set(hashes)) == len(hashes)
    assert get_transformation_hash([LETTER], TimeAnnotator()) == hashes[0]


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_it_pickles_and_copies_with_all_it_is_made_of(clone: Callable[[Any], Any]) -> None:
    annotator = TimeAnnotator(mode="auto", llm=MockLLM(max_tokens=5), date="day", version=7)
    twin = clone(annotator)
    assert twin.to_dict() == annotator.to_dict()
    assert twin.llm is not None


def test_a_pipeline_asks_the_model_once_and_then_its_cache(endpoint: Any, endpoint_llm: Callable[..., Any], tmp_path: Path) -> None:
    endpoint.reply = DATED
    pipeline = IngestionPipeline(transformations=[TimeAnnotator(mode="llm", llm=endpoint_llm())], cache=IngestionCache())
    first = pipeline.run(nodes=[IMPLICIT])
    asked = endpoint.calls
    assert asked
    pipeline.persist(str(tmp_path))
    pipeline.load(str(tmp_path))
    assert [node.metadata for node in pipeline.run(nodes=[IMPLICIT])] == [node.metadata for node in first]
    assert endpoint.calls == asked


def test_a_cache_file_spares_the_model_what_it_has_answered_before(
    endpoint: Any, endpoint_llm: Callable[..., Any], tmp_path: Path
) -> None:
    annotator = TimeAnnotator(mode="llm", llm=endpoint_llm(), cache_path=str(tmp_path / "replies.sqlite"))
    first = annotator([IMPLICIT])
    asked = endpoint.calls
    other = IMPLICIT.model_copy(update={"id_": "other"})
    other.set_content("Later on, " + IMPLICIT.text)
    assert [node.metadata for node in annotator([IMPLICIT])] == [node.metadata for node in first]
    assert endpoint.calls == asked == 2
    annotator([IMPLICIT, other])
    assert endpoint.calls == 2 * asked


def test_worker_processes_have_the_model_and_give_the_same_nodes(endpoint: Any, endpoint_llm: Callable[..., Any]) -> None:
    endpoint.reply = DATED
    pipeline = IngestionPipeline(transformations=[TimeAnnotator(mode="llm", llm=endpoint_llm())], disable_cache=True)
    nodes = [IMPLICIT.model_copy(update={"id_": f"n{row}"}) for row in range(4)]
    found = pipeline.run(nodes=nodes, num_workers=2)
    assert [(node.node_id, node.metadata["time_intervals"]) for node in found] == [(f"n{row}", "1902-08") for row in range(4)]
    assert endpoint.calls >= 4


async def test_it_runs_after_a_splitter_in_an_async_pipeline() -> None:
    document = Document(text="The bridge was opened on 4 May 1902. " * 3 + "It fell in 1911.", id_="d")
    pipeline = IngestionPipeline(transformations=[SentenceSplitter(chunk_size=64, chunk_overlap=0), TimeAnnotator()])
    found = await pipeline.arun(documents=[document])
    assert "1911" in found[-1].metadata["time_intervals"]
    assert all(document.text[node.start_char_idx : node.end_char_idx] == node.text for node in found)


def test_annotated_nodes_survive_a_docstore_that_is_saved_and_reloaded(nodes: list[TextNode], tmp_path: Path) -> None:
    dated = TimeAnnotator()(nodes)
    store = SimpleDocumentStore()
    store.add_documents(dated)
    store.persist(str(tmp_path / "docstore.json"))
    loaded = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    assert [loaded.get_node(node.node_id).metadata for node in dated] == [node.metadata for node in dated]


def test_it_is_a_transformation_of_an_index(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    documents = [Document(text=node.text, id_=node.node_id, metadata=node.metadata) for node in nodes]
    index = VectorStoreIndex.from_documents(documents, transformations=[TimeAnnotator()], embed_model=embedding)
    assert all("time_start" in node.metadata for node in index.docstore.docs.values())


def test_annotating_twice_changes_nothing(nodes: list[TextNode]) -> None:
    once = TimeAnnotator()(nodes)
    assert [n.model_dump() for n in TimeAnnotator()(once)] == [n.model_dump() for n in once]
