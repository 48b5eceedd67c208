"""LitSegNodeParser: segments as nodes, exact to the character, with a text for the index and one for the reader."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.node_parser import LangchainNodeParser, SentenceSplitter
from llama_index.core.schema import MetadataMode, NodeRelationship, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from chronotope.litseg import SegmentSettings, segment
from chronotope.llama_index import ChronotopeEmbedding, DiachronicRetriever, LitSegNodeParser, TimeAnnotator
from chronotope.records import Document as Source
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, ScriptedChat
from chronotope.text import clean, is_blank
from support_litseg import STORIES, in_stages
from support_stories import CUT, POEM, SHORT, STORY, cutter

STORY_BY = Document(text=STORY, id_="story", metadata={"title": "The Lock", "path": "/a"}, excluded_llm_metadata_keys=["path"])


def short(**options: Any) -> LitSegNodeParser:
    return LitSegNodeParser(rules=SHORT, **options)


def modelled(**options: Any) -> LitSegNodeParser:
    return LitSegNodeParser(llm=ScriptedChat(cutter), mode="lite", **options)


def places(nodes: Any) -> list[tuple[int, int]]:
    return [(node.start_char_idx, node.end_char_idx) for node in nodes]


def by_paragraph(text: str) -> str:
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text)


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("parser", [short(), modelled()], ids=["rules", "model"])
def test_nodes_are_slices_of_their_document_and_together_give_it_back(parser: LitSegNodeParser) -> None:
    nodes = parser([STORY_BY])
    assert len(nodes) > 3
    assert [STORY[start:end] for start, end in places(nodes)] == [node.text for node in nodes]
    assert "".join(node.text for node in nodes) == STORY


def test_verse_keeps_its_layout_and_a_repeated_stanza_its_own_place() -> None:
    nodes = LitSegNodeParser(rules=SHORT)([Document(text=POEM)])
    assert len(nodes) == 2
    assert "".join(node.text for node in nodes) == POEM
    assert places(nodes) == [(0, nodes[1].start_char_idx), (nodes[1].start_char_idx, len(POEM))]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=STORIES)
def test_whatever_the_text_nodes_are_slices_with_ids_of_their_own(text: str) -> None:
    document = Document(text=text, id_="any")
    nodes = LitSegNodeParser(rules=SHORT, children=True)([document])
    assert [clean(text)[start:end] for start, end in places(nodes)] == [node.text for node in nodes]
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert bool(nodes) is not is_blank(clean(text))


def test_blank_documents_give_nothing_and_do_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    batch = [Document(text=text) for text in ("", "  \n\t", "\ufeff", STORY)]
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        nodes = short()(batch)
    assert "".join(node.text for node in nodes) == STORY
    assert "3 blank" in caplog.text
    assert {issue.source_id for issue in short().segment(batch)[1]} == {document.id_ for document in batch[:3]}
    assert short()([]) == []


def test_lone_surrogates_and_nul_bytes_do_no_harm_and_offsets_stay() -> None:
    text = STORY + "\nHe wrote \udc97 twice.\x00 Then\x0c he left.\n"
    nodes = short(children=True)([Document(text=text)])
    assert all(clean(text)[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
    assert all(node.text.encode("utf-8") and node.hash for node in nodes)


def test_ids_are_those_of_the_core_and_the_same_on_every_run() -> None:
    found = Runner().run(segment(Source(STORY, id="story"), settings=SegmentSettings(rules=SHORT))).items
    first, again = short()([STORY_BY]), short()([STORY_BY.model_copy(update={"metadata": {}})])
    assert [node.node_id for node in first] == [node.node_id for node in again] == [part.id for part in found]


def test_two_documents_with_the_same_text_stay_two() -> None:
    nodes = short()([Document(text=STORY, id_="a"), Document(text=STORY, id_="b")])
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert [node.ref_doc_id for node in nodes] == ["a"] * (len(nodes) // 2) + ["b"] * (len(nodes) // 2)


def test_an_id_function_gets_the_number_and_the_document() -> None:
    nodes = short(id_func=lambda number, document: f"{document.node_id}-{number}", children=True)([STORY_BY])
    segments = [node for node in nodes if node.parent_node is None]
    assert [node.node_id for node in segments] == [f"story-{number}" for number in range(len(segments))]
    assert {node.parent_node.node_id for node in nodes if node.parent_node} == {node.node_id for node in segments}


def test_nodes_know_their_source_and_their_neighbours_in_the_same_document() -> None:
    nodes = short()([STORY_BY, Document(text=STORY, id_="other")])
    for one, two in itertools.pairwise(nodes):
        same = one.ref_doc_id == two.ref_doc_id
        assert (one.next_node and one.next_node.node_id) == (two.node_id if same else None)
        assert (two.prev_node and two.prev_node.node_id) == (one.node_id if same else None)
    assert nodes[0].source_node.metadata == STORY_BY.metadata
    assert NodeRelationship.NEXT not in short(include_prev_next_rel=False)([STORY_BY])[0].relationships


def test_metadata_is_flat_and_that_of_the_document_comes_along_as_a_copy() -> None:
    document = Document(text=STORY, metadata={"title": "The Lock", "tags": ["flood"], "subtitle": "A tale"})
    nodes = modelled()([document])
    nodes[0].metadata["tags"].append("changed")
    assert document.metadata == {"title": "The Lock", "tags": ["flood"], "subtitle": "A tale"}
    assert nodes[1].metadata["tags"] == ["flood"]
    told = nodes[1].metadata
    assert (told["title"], told["subtitle"], told["chapter"]) == ("The Lock", "The flood comes", "CHAPTER I. The Lock-Keeper")
    assert told["chapter_number"] == 1
    assert told["turning_points"] == "setback"
    first, last = map(int, told["context"].split("; ")[0].split("-"))
    assert STORY[first:last].strip() == told["context_before"].split("\n\n")[0]
    assert "title" not in modelled(include_metadata=False)([document])[0].metadata
    assert short()([document])[0].metadata["subtitle"] == "A tale"


DOCUMENTS = {
    "without metadata": {},
    "with visible metadata": {"metadata": {"title": "The Lock"}},
    "with hidden metadata": {"metadata": {"path": "/a"}, "excluded_llm_metadata_keys": ["path"]},
    "hidden from the index": {"metadata": {"path": "/a"}, "excluded_embed_metadata_keys": ["path"]},
    "with braces": {"metadata": {"{odd}": "{value} {0}", "title": "T"}},
    "with the same keys": {"metadata": {"subtitle": "A tale", "context_after": "Nothing.", "chapter": "none"}},
    "with a template": {"metadata": {"title": "T"}, "text_template": "<{metadata_str}>\n{content}"},
}


@pytest.mark.parametrize("options", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_index_sees_the_slice_alone_and_the_reader_what_the_core_would_show(options: dict[str, Any]) -> None:
    document = Document(text=STORY, id_="story", **options)
    core = Runner(ScriptedChat(cutter)).run(segment(Source(STORY, id="story"), settings=SegmentSettings(mode="lite"))).items
    nodes = modelled()([document])
    assert [node.get_content(MetadataMode.EMBED) for node in nodes] == [node.text for node in nodes]
    for node, part in zip(nodes, core, strict=True):
        told = node.get_content(MetadataMode.LLM)
        assert by_paragraph(told).endswith(by_paragraph(part.shown()))
        assert ("The Lock" in told.split(part.subtitle)[0]) is (options.get("metadata") == {"title": "The Lock"})
    assert {"A keeper and {her} book", "The flood comes"} == {part.subtitle for part in core if part.subtitle}


@pytest.mark.parametrize("options", DOCUMENTS.values(), ids=DOCUMENTS)
@pytest.mark.parametrize(("index", "reader"), [("main", "main"), ("shown", "shown"), ("shown", "main")])
def test_both_texts_are_settings(options: dict[str, Any], index: Any, reader: Any) -> None:
    core = Runner(ScriptedChat(cutter)).run(segment(Source(STORY), settings=SegmentSettings(mode="lite"))).items
    nodes = modelled(index_text=index, reader_text=reader)([Document(text=STORY, **options)])
    for mode, wanted in ((MetadataMode.EMBED, index), (MetadataMode.LLM, reader)):
        for node, part in zip(nodes, core, strict=True):
            told, inner = in_one_line(node.get_content(mode)), part.shown() if wanted == "shown" else part.text
            assert told.endswith(in_one_line(inner))
            assert told.count(in_one_line(part.text)) == 1
            assert wanted == "shown" or not part.subtitle or f"{part.subtitle} " not in told


def test_a_node_with_a_frame_at_one_side_only_shows_that_side() -> None:
    def spoken(*context: int) -> str:
        reply = {"segments": [{"subtitle": "", "from_idx": 2, "to_idx": 2, "context_idx": list(context)}], "turning_points": []}
        whole = [{"subtitle": "", "from_idx": a, "to_idx": b, "context_idx": []} for a, b in ((1, 1), (3, 3))]
        reply["segments"] = [whole[0], *reply["segments"], whole[1]]
        parser = LitSegNodeParser(llm=ScriptedChat(in_stages(reply)), mode="lite")
        nodes = parser([Document(text="Ann came. She knocked. Nobody opened.")])
        return next(node for node in nodes if "knocked" in node.text).get_content(MetadataMode.LLM)

    assert spoken(1).split("\n\n") == ["Ann came.", "She knocked."]
    assert [part.strip() for part in spoken(3).split("\n\n")] == ["She knocked.", "Nobody opened."]
    assert spoken().strip() == "She knocked."


def test_both_texts_survive_a_store_that_is_saved_and_reloaded(tmp_path: Any) -> None:
    nodes = modelled(children=True)([STORY_BY])
    store = SimpleDocumentStore()
    store.add_documents(nodes)
    store.persist(str(tmp_path / "docstore.json"))
    loaded = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    for node in nodes:
        twin = loaded.get_node(node.node_id)
        assert type(twin) is type(node)
        assert twin.model_dump() == node.model_dump()
        assert all(twin.get_content(mode) == node.get_content(mode) for mode in MetadataMode)


def test_times_added_later_reach_the_reader_and_not_the_index() -> None:
    nodes = TimeAnnotator()(modelled()([Document(text=STORY.replace("in May", "in May 1902"))]))
    dated = next(node for node in nodes if "1902" in node.text)
    assert "1902-05" in dated.get_content(MetadataMode.LLM)
    assert all(node.get_content(MetadataMode.EMBED) == node.text for node in nodes)


@pytest.mark.parametrize("overlap", [0, 30])
def test_chained_after_a_splitter_offsets_count_in_the_original(overlap: int) -> None:
    document = Document(text=STORY * 3, id_="story", metadata={"title": "T", "x": 1}, excluded_embed_metadata_keys=["x"])
    chunks = SentenceSplitter(chunk_size=160, chunk_overlap=overlap)([document])
    assert len(chunks) > 3
    nodes = short(children=True)(chunks)
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert all(node.ref_doc_id == "story" for node in nodes)
    assert all(document.text[start:end] == node.text for node, (start, end) in zip(nodes, places(nodes), strict=True))
    assert all(node.metadata["title"] == "T" and "x" in node.excluded_embed_metadata_keys for node in nodes)
    again = short(children=True)(SentenceSplitter(chunk_size=160, chunk_overlap=overlap)([document]))
    assert [node.node_id for node in again] == [node.node_id for node in nodes]


def test_context_sentences_of_a_chunk_are_placed_in_the_original() -> None:
    document = Document(text="A first page.\n\n" + STORY, id_="story")
    chunk = TextNode(text=STORY, start_char_idx=15, end_char_idx=15 + len(STORY))
    chunk.relationships = {NodeRelationship.SOURCE: document.as_related_node_info()}
    node = modelled()([chunk])[1]
    spans = [tuple(map(int, span.split("-"))) for span in node.metadata["context"].split("; ")]
    told = node.get_content(MetadataMode.LLM)
    assert spans
    assert all(document.text[start:end].strip() in told for start, end in spans)


def test_a_stretch_that_overlapping_chunks_give_twice_comes_once() -> None:
    source = Document(text=STORY, id_="story").as_related_node_info()
    chunk = TextNode(text=STORY[:300], start_char_idx=0, end_char_idx=300, relationships={NodeRelationship.SOURCE: source})
    nodes, issues = short().segment([chunk, chunk.model_copy(update={"id_": "again"})])
    assert [node.node_id for node in nodes] == [node.node_id for node in short()([chunk])]
    assert {issue.kind for issue in issues} == {"segment_dropped"}
    assert len(issues) == len(nodes)


def test_a_chunk_that_does_not_know_its_place_gives_nodes_without_offsets_rather_than_wrong_ones() -> None:
    source = Document(text="Before. " + STORY, id_="story").as_related_node_info()
    lost = TextNode(text=STORY, relationships={NodeRelationship.SOURCE: source})
    rewritten = TextNode(text=STORY, start_char_idx=8, end_char_idx=20, relationships={NodeRelationship.SOURCE: source})
    nodes = short()([lost, rewritten])
    assert set(places(nodes)) == {(None, None)}
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert all(node.ref_doc_id == "story" and "context" not in node.metadata for node in nodes)


def test_main_ranges_that_overlap_stay_exact() -> None:
    ranges = [{"subtitle": name, "from_idx": a, "to_idx": b, "context_idx": []} for name, a, b in (("One", 1, 2), ("Two", 2, 3))]
    chat = ScriptedChat([{"turning_points": [], "segments": ranges}])
    text = "Ann came. She knocked. Nobody opened."
    nodes = LitSegNodeParser(llm=chat, mode="lite", children=True)([Document(text=text)])
    assert [text[start:end] for start, end in places(nodes)] == [node.text for node in nodes]
    assert [node.text.strip() for node in nodes[:2]] == ["Ann came. She knocked.", "She knocked. Nobody opened."]
    assert len({node.node_id for node in nodes}) == 4


def test_a_retriever_over_segments_gives_back_both_texts() -> None:
    parser = modelled()
    retriever = DiachronicRetriever.from_documents([STORY_BY], node_parser=parser, embed_model=HashEmbedder(), k=2)
    wanted = {node.node_id: node.get_content(MetadataMode.LLM) for node in parser([STORY_BY])}
    found = retriever.retrieve("Who rings the bell when the flood comes?")
    assert [item.node.get_content(MetadataMode.LLM) for item in found] == [wanted[item.node.node_id] for item in found]
    assert all(item.node.get_content(MetadataMode.EMBED) == item.node.text for item in found)


def test_a_node_without_a_document_counts_as_one() -> None:
    nodes = short()([TextNode(text=STORY, id_="loose")])
    assert all(STORY[start:end] == node.text for node, (start, end) in zip(nodes, places(nodes), strict=True))
    assert {node.ref_doc_id for node in nodes} == {"loose"}


def test_it_cuts_for_an_index_and_as_the_parser_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core import Settings

    embedding = ChronotopeEmbedding(HashEmbedder())
    index = VectorStoreIndex.from_documents([STORY_BY], transformations=[short()], embed_model=embedding)
    monkeypatch.setattr(Settings, "_node_parser", short())
    monkeypatch.setattr(Settings, "_transformations", None)
    by_settings = VectorStoreIndex.from_documents([STORY_BY], embed_model=embedding)
    found = [{node.text for node in each.docstore.docs.values()} for each in (index, by_settings)]
    assert found[0] == found[1] == {node.text for node in short()([STORY_BY])}


async def test_async_gives_what_sync_gives() -> None:
    for parser in (short(children=True), modelled(children=True)):
        wanted = [node.model_dump() for node in parser.get_nodes_from_documents([STORY_BY])]
        assert [node.model_dump() for node in await parser.aget_nodes_from_documents([STORY_BY])] == wanted
        assert [node.model_dump() for node in await parser.acall([STORY_BY])] == wanted


async def test_the_sync_form_works_inside_a_running_loop() -> None:
    assert "".join(node.text for node in modelled()([STORY_BY])) == STORY


async def test_the_loop_stays_free_while_a_model_is_asked() -> None:
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.005)
            beats += 1

    class Slow(ScriptedChat):
        async def achat(self, messages: Any, *, schema: Any = None) -> Any:
            await asyncio.sleep(0.2)
            return self.chat(messages, schema=schema)

    pulse = asyncio.create_task(heart())
    await LitSegNodeParser(llm=Slow(cutter), mode="lite").acall([STORY_BY])
    pulse.cancel()
    assert beats > 10


def test_what_was_repaired_is_logged_and_returned(caplog: pytest.LogCaptureFixture) -> None:
    nodes, issues = modelled(attempts=1).segment([STORY_BY])
    assert {issue.source_id for issue in issues} == {"story"}
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        assert len(modelled(attempts=1)([STORY_BY])) == len(nodes)
    assert f"{len(nodes)} nodes were made" in caplog.text


def test_three_calls_a_chapter_in_full_one_in_lite_and_the_account_tells_them() -> None:
    reply = {**CUT, "segments": [{**part, "to_idx": min(part["to_idx"], 3)} for part in CUT["segments"]]}
    three = Document(text="Ann came. She knocked. Nobody opened.")
    for mode, calls in (("full", 3), ("lite", 1)):
        parser = LitSegNodeParser(llm=ScriptedChat(in_stages(reply)), mode=mode)
        assert parser.estimate([three]).calls == calls
        assert parser.spent.calls == 0
        parser([three])
        assert parser.spent.calls == calls
        assert abs(parser.spent.prompt_tokens - parser.estimate([three]).prompt_tokens) < 0.2 * parser.spent.prompt_tokens
    assert LitSegNodeParser().estimate([three]).calls == 0


def test_rules_can_compare_vectors() -> None:
    class Counting(HashEmbedder):
        asked = 0

        def embed(self, texts: Any, *, kind: Any = "passage") -> Any:
            Counting.asked += len(texts)
            return super().embed(texts, kind=kind)

    from dataclasses import replace

    parser = LitSegNodeParser(rules=replace(SHORT, cohesion="embedding"), embed_model=ChronotopeEmbedding(Counting()))
    assert "".join(node.text for node in parser([STORY_BY])) == STORY
    assert Counting.asked > 0


def test_in_the_wrapper_of_a_langchain_splitter_offsets_are_exact_too() -> None:
    splitters = pytest.importorskip("chronotope.langchain")
    for text in (STORY, POEM * 3, "第四句。第五句。\n\nTwo  words.\n\n" * 4):
        document = Document(text=text, id_="story")
        nodes = LangchainNodeParser(splitters.LitSegTextSplitter(settings=SegmentSettings(rules=SHORT)))([document])
        assert "".join(node.text for node in nodes) == text
        starts = [sum(len(node.text) for node in nodes[:place]) for place in range(len(nodes))]
        assert [node.start_char_idx for node in nodes] == starts
