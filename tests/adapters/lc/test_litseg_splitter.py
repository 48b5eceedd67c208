"""LitSegTextSplitter: segments as LangChain documents, exact to the character."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from chronotope.cache import ReplyCache
from chronotope.errors import StoreError
from chronotope.langchain import LitSegTextSplitter, SegmentChildSplitter, reading_documents
from chronotope.langchain.pieces import findable
from chronotope.litseg import RuleSettings, SegmentSettings, segment
from chronotope.records import Document as Source
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, ScriptedChat
from chronotope.text import clean, is_blank
from support_litseg import STORIES
from support_stories import CUT, POEM, SHORT, STORY, cutter

RULES = SegmentSettings(rules=SHORT)
STORY_BY = Document(STORY, id="story", metadata={"title": "The Lock", "tags": ["flood"]})


def short(**options):
    return LitSegTextSplitter(settings=RULES, **options)


def modelled(**options):
    return LitSegTextSplitter(llm=ScriptedChat(cutter), mode="lite", **options)


def exact(text, documents):
    return all(text[d.metadata["char_start"] : d.metadata["char_end"]] == d.page_content for d in documents)


def wholes(documents):
    return [document for document in documents if "doc_id" not in document.metadata]


@pytest.mark.parametrize("splitter", [short(), modelled()], ids=["rules", "model"])
def test_documents_are_slices_of_their_text_and_together_give_it_back(splitter):
    documents = splitter.split_documents([STORY_BY])
    assert len(documents) > 3
    assert exact(STORY, documents)
    assert "".join(document.page_content for document in documents) == STORY
    assert splitter.split_text(STORY) == [document.page_content for document in documents]


@settings(max_examples=60, deadline=None)
@given(text=STORIES)
def test_whatever_the_text_slices_are_exact_and_split_text_gives_it_back_to_the_byte(text):
    splitter = short(children=True)
    documents = splitter.create_documents([text])
    assert exact(clean(text), documents)
    assert len({document.id for document in documents}) == len(documents)
    joined = "".join(splitter.split_text(text))
    assert joined in text
    assert joined == "" if is_blank(clean(text)) else joined.strip() == text[text.index(joined) :].strip()


def test_verse_keeps_its_layout_and_a_repeated_stanza_its_own_place():
    documents = short(add_start_index=True).create_documents([POEM])
    assert "".join(document.page_content for document in documents) == POEM
    assert [document.metadata["start_index"] for document in documents] == [0, len(documents[0].page_content)]


def test_texts_that_a_search_would_find_too_early_join_the_one_before():
    text = "A. B. A. A. C."
    assert findable(text, [(0, 3), (3, 6), (6, 9), (9, 12), (12, 14)]) == [(0, 3), (3, 6), (6, 9), (9, 12), (12, 14)]
    assert findable("A. A. A. B.", [(0, 6), (6, 9), (9, 11)]) == [(0, 9), (9, 11)]
    assert findable("A. B. A. B.", [(6, 9), (9, 11)]) == [(6, 11)]
    assert findable("x", []) == []


def test_blank_documents_give_nothing_and_do_not_stop_the_others(caplog):
    batch = [Document(text) for text in ("", "  \n\t", "\ufeff", STORY)]
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        documents = short().split_documents(batch)
    assert "".join(document.page_content for document in documents) == STORY
    assert "3 of 4 documents hold no text" in caplog.text
    assert short().split_text(" \n") == short().split_documents([]) == short().create_documents([]) == []


def test_lone_surrogates_and_nul_bytes_do_no_harm_and_offsets_stay():
    text = STORY + "\nHe wrote \udc97 twice.\x00 Then\x0c he left.\n"
    documents = short(children=True).create_documents([text])
    assert exact(clean(text), documents)
    assert all(document.page_content.encode() for document in documents)
    assert "".join(short().split_text(text)) == text


def test_the_documents_given_stay_as_they_were():
    before = copy.deepcopy(STORY_BY)
    short(children=True).split_documents([STORY_BY])[0].metadata["tags"].append("changed")
    assert before == STORY_BY


def test_metadata_tells_what_the_core_tells_and_that_of_the_document_comes_along():
    core = Runner(ScriptedChat(cutter)).run(segment(Source(STORY, id="story"), settings=SegmentSettings(mode="lite"))).items
    documents = modelled().split_documents([STORY_BY])
    assert [document.id for document in documents] == [part.id for part in core]
    for document, part in zip(documents, core, strict=True):
        assert document.metadata.items() >= {**part.metadata, "title": "The Lock", "source_id": "story"}.items()
        assert json.loads(json.dumps(document.metadata)) == document.metadata
    assert documents[1].metadata["subtitle"] == "The flood comes"
    assert [document.metadata.get("next_id") for document in documents] == [*(document.id for document in documents[1:]), None]


def test_ids_are_the_same_on_every_run_and_differ_between_documents():
    twins = [Document(STORY, metadata={"page": page}) for page in (1, 2)]
    first, again = ([document.id for document in short().split_documents(twins)] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(first)


def test_metadatas_belong_to_their_texts_and_start_indices_are_exact():
    documents = short(add_start_index=True).create_documents([STORY, POEM], [{"n": 1}, {"n": 2}])
    for document in documents:
        text = {1: STORY, 2: POEM}[document.metadata["n"]]
        assert text[document.metadata["start_index"] :].startswith(document.page_content)
    assert "start_index" not in short().create_documents([STORY])[0].metadata
    with pytest.raises(ValueError, match="there are 2 texts and 1 metadatas"):
        short().create_documents([STORY, POEM], [{"n": 1}])


def test_chunks_of_another_splitter_keep_counting_from_the_original():
    chunks = RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=60, add_start_index=True).split_documents([STORY_BY])
    documents = short(children=True, add_start_index=True).split_documents(chunks)
    assert len(chunks) > 2
    assert exact(STORY, documents)
    assert all(document.metadata["start_index"] == document.metadata["char_start"] for document in documents)
    assert all(document.metadata["title"] == "The Lock" for document in documents)


def test_segments_can_be_cut_again_and_still_know_their_place():
    coarse = LitSegTextSplitter().split_documents([STORY_BY])
    fine = short().split_documents(coarse)
    assert len(fine) > len(coarse)
    assert exact(STORY, fine)
    assert {document.metadata["source_id"] for document in fine} == {"story"}


def test_context_of_a_chunk_is_placed_in_the_original():
    chunk = Document(STORY, metadata={"char_start": 15, "char_end": 15 + len(STORY), "source_id": "story"})
    told = modelled().split_documents([chunk])[1].metadata
    text = "A first page.\n\n" + STORY
    spans = [tuple(map(int, span.split("-"))) for span in told["context"].split("; ")]
    assert "\n\n".join(text[start:end].strip() for start, end in spans) == told["context_before"]


@pytest.mark.parametrize("place", [{"start_index": -1}, {"char_start": 0, "char_end": 3}, {"start_index": "7"}])
def test_a_chunk_that_does_not_know_its_place_gives_no_offsets_rather_than_wrong_ones(place):
    chunks = [Document(STORY, metadata={**place, "source_id": "story", "chunk": n}) for n in (1, 2)]
    documents = short(add_start_index=True).split_documents(chunks)
    assert not any({"char_start", "char_end", "start_index", "context"} & document.metadata.keys() for document in documents)
    assert len({document.id for document in documents}) == len(documents)


def test_the_page_content_is_the_slice_or_what_a_reader_gets():
    core = Runner(ScriptedChat(cutter)).run(segment(Source(STORY, id="story"), settings=SegmentSettings(mode="lite"))).items
    shown, main = modelled(text="shown").split_documents([STORY_BY]), modelled().split_documents([STORY_BY])
    assert [document.page_content for document in shown] == [part.shown() for part in core]
    assert modelled(text="shown").split_text(STORY) == [part.shown() for part in core]
    assert [(d.id, d.metadata["char_start"]) for d in shown] == [(d.id, d.metadata["char_start"]) for d in main]


def test_stored_slices_become_what_a_reader_gets_behind_a_retriever(embeddings):
    main, shown = modelled().split_documents([STORY_BY]), modelled(text="shown").split_documents([STORY_BY])
    before = copy.deepcopy(main)
    store = InMemoryVectorStore(embeddings)
    store.add_documents(main)
    chain = store.as_retriever(search_kwargs={"k": 2}) | RunnableLambda(reading_documents)
    wanted = {document.id: document.page_content.strip() for document in shown}
    found = chain.invoke("The flood comes to the lock of Ada")
    assert [document.page_content.strip() for document in found] == [wanted[document.id] for document in found]
    assert main == before
    framed = [document for document in main if document.metadata.get("subtitle")]
    assert reading_documents(reading_documents(framed)) == reading_documents(framed) != framed
    loose = [Document("As it was. ")]
    assert reading_documents(loose) == loose


async def test_awaited_splitting_gives_the_same():
    for splitter in (short(children=True), modelled(children=True)):
        wanted = splitter.transform_documents([STORY_BY])
        assert await splitter.atransform_documents([STORY_BY]) == wanted
        assert (await splitter.asegment([STORY_BY]))[0] == splitter.segment([STORY_BY])[0] == wanted
        assert await splitter.awith_children([STORY_BY]) == splitter.with_children([STORY_BY])


async def test_awaited_splitting_leaves_the_loop_free():
    class Slow(ScriptedChat):
        async def achat(self, messages, *, schema=None):
            await asyncio.sleep(0.2)
            return self.chat(messages, schema=schema)

    beats = 0

    async def heart():
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    beating = asyncio.create_task(heart())
    await LitSegTextSplitter(llm=Slow(cutter), mode="lite").atransform_documents([STORY_BY])
    beating.cancel()
    assert beats >= 5


def test_what_was_repaired_is_logged_and_returned(caplog):
    documents, issues = modelled(attempts=1).segment([STORY_BY])
    assert {issue.source_id for issue in issues} == {"story"}
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        modelled(attempts=1).split_documents([STORY_BY])
    assert f"{len(documents)} documents were made" in caplog.text


def test_any_runnable_answers_and_calls_are_counted_and_estimated():
    three = [Document("Ann came. She knocked. Nobody opened.")]
    reply = {**CUT, "segments": [{**part, "to_idx": min(part["to_idx"], 3)} for part in CUT["segments"]]}
    splitter = LitSegTextSplitter(llm=FakeListChatModel(responses=[json.dumps(reply)]), mode="lite")
    assert splitter.estimate(three).calls == 1
    assert splitter.spent.calls == 0
    assert [document.metadata["subtitle"] for document in splitter.split_documents(three)] == [
        "A keeper and {her} book",
        "The flood comes",
    ]
    assert splitter.spent.calls == 1
    full = LitSegTextSplitter(llm=ScriptedChat(cutter))
    assert full.estimate(three).calls == 3
    assert short().estimate(three).calls == 0


def test_a_config_reaches_the_model(recorder):
    model = FakeListChatModel(responses=[json.dumps(CUT)])
    LitSegTextSplitter(llm=model, mode="lite", attempts=1).segment([STORY_BY], config={"callbacks": [recorder]})
    assert len(recorder.of("chat")) == 3


def test_a_cache_spares_the_model_what_it_has_answered_before(tmp_path):
    chats = [ScriptedChat(cutter), ScriptedChat(cutter)]
    with ReplyCache(tmp_path / "replies") as cache:
        made = [LitSegTextSplitter(llm=chat, cache=cache).split_documents([STORY_BY]) for chat in chats]
    assert made[0] == made[1]
    assert len(chats[1].calls) < len(chats[0].calls)


def test_the_path_of_a_cache_will_do_and_its_folder_is_made(tmp_path):
    path = tmp_path / "new" / "replies.sqlite"
    chats = [ScriptedChat(cutter) for _ in range(3)]
    made = [
        LitSegTextSplitter(llm=chat, cache=cache).split_documents([STORY_BY])
        for chat, cache in zip(chats, (path, str(path), ReplyCache(path)), strict=True)
    ]
    assert path.is_file()
    assert made[0] == made[1] == made[2]
    assert len(chats[0].calls) > len(chats[1].calls) == len(chats[2].calls)
    with pytest.raises(StoreError, match="cannot be opened as a cache"):
        LitSegTextSplitter(cache=tmp_path)
    with pytest.raises(StoreError, match="cannot be opened as a cache"):
        LitSegTextSplitter(cache=path / "below_a_file.sqlite")


def test_rules_can_compare_vectors(embeddings):
    from dataclasses import replace

    rules = SegmentSettings(rules=replace(SHORT, cohesion="embedding"))
    splitter = LitSegTextSplitter(settings=rules, embeddings=embeddings)
    assert "".join(splitter.split_text(STORY)) == STORY
    assert splitter.estimate([STORY_BY]).embedded > 0
    assert LitSegTextSplitter(settings=rules, embeddings=HashEmbedder()).split_text(STORY) == splitter.split_text(STORY)


def test_a_loader_and_a_chain_can_split_with_it():
    class Shelf(BaseLoader):
        def lazy_load(self):
            yield STORY_BY

    wanted = short().split_documents([STORY_BY])
    assert Shelf().load_and_split(short()) == wanted
    assert RunnableLambda(short().split_documents).invoke([STORY_BY]) == wanted


def test_documents_pass_the_record_manager_and_a_second_time_nothing_is_written(embeddings):
    manager = InMemoryRecordManager("stories")
    manager.create_schema()
    store = InMemoryVectorStore(embeddings)
    documents = short().split_documents([STORY_BY])
    first, second = (index(documents, manager, store, cleanup=None, key_encoder="sha256") for _ in range(2))
    assert (first["num_added"], second["num_added"]) == (len(documents), 0)


def test_a_story_that_was_changed_replaces_its_old_documents_under_incremental_cleanup(embeddings):
    manager = InMemoryRecordManager("stories")
    manager.create_schema()
    store = InMemoryVectorStore(embeddings)

    def stored(text):
        documents = short(children=True).split_documents([Document(text, metadata={"source": "lock"})])
        done = index(documents, manager, store, cleanup="incremental", source_id_key="source", key_encoder="sha256")
        return len(documents), done

    size, first = stored(STORY)
    assert first["num_added"] == len(store.store) == size
    larger, second = stored(STORY + "\n\nNobody read it.")
    assert len(store.store) == larger
    assert second["num_deleted"] == size - second["num_skipped"]


def test_documents_survive_a_dump_of_the_store(embeddings, tmp_path):
    store = InMemoryVectorStore(embeddings)
    documents = modelled(children=True).split_documents([STORY_BY])
    store.add_documents(documents)
    store.dump(str(tmp_path / "store.json"))
    again = InMemoryVectorStore.load(str(tmp_path / "store.json"), embeddings)
    assert again.get_by_ids([document.id for document in documents]) == documents


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"mode": "full"}, ValueError, "give llm=, or use mode='rules'"),
        ({"settings": SegmentSettings(mode="lite")}, ValueError, "give llm=, or use mode='rules'"),
        ({"mode": "deep"}, ValueError, "mode must be one of"),
        ({"llm": "gpt-4"}, TypeError, "not str"),
        ({"embeddings": "small"}, TypeError, "not str"),
        ({"settings": "rules"}, TypeError, "settings must be SegmentSettings(…), not 'rules'; a mode is given as mode="),
        ({"settings": SHORT}, TypeError, "give RuleSettings(length=120, longest=400) as rules="),
        ({"rules": "strict"}, TypeError, "rules must be RuleSettings"),
        ({"child_tokens": "a"}, TypeError, "child_tokens must be a whole number of at least 1, not 'a'"),
        ({"child_tokens": True}, TypeError, "child_tokens must be a whole number"),
        ({"max_concurrency": 0}, ValueError, "max_concurrency must be at least 1, not 0"),
        ({"max_concurrency": "many"}, TypeError, "max_concurrency must be a whole number"),
        ({"cache": 5}, TypeError, "cache must be a path or a ReplyCache, not 5"),
        ({"cache": ""}, ValueError, "the path of a cache is empty"),
        ({"text": "all"}, ValueError, "text must be one of main, shown, not 'all'"),
        ({"child_tokens": 0}, ValueError, "child_tokens must be at least 1"),
        ({"max_word": 5}, TypeError, "there is no option 'max_word'; did you mean 'max_words'?"),
        ({"concurrency": 4}, TypeError, "did you mean 'max_concurrency'?"),
        ({"cache_path": "x"}, TypeError, "did you mean 'cache'?"),
        ({"length": 30}, TypeError, "write settings=SegmentSettings(length=…)"),
        (
            {"chunk_size": 512, "chunk_overlap": 0},
            TypeError,
            "no chunk_size: segments follow the story; rules=RuleSettings(length=…)",
        ),
        ({"chunk_overlap": 50}, TypeError, "there is no chunk_overlap: segments follow the story"),
        ({"max_words": 0}, ValueError, "max_words must be a whole number"),
    ],
)
def test_what_cannot_be_is_refused_when_the_splitter_is_made(options, error, said):
    with pytest.raises(error, match=re.escape(said)):
        LitSegTextSplitter(**options)


def test_each_splitter_names_its_own_options():
    with pytest.raises(TypeError, match="there is no length_function: segments follow the story"):
        LitSegTextSplitter(length_function=len)
    with pytest.raises(TypeError, match="did you mean 'max_tokens'"):
        SegmentChildSplitter(child_tokens=50)


def test_something_that_is_no_document_is_refused_by_name():
    class Document:  # as that of another framework
        pass

    with pytest.raises(TypeError, match="not str"):
        short().split_documents([STORY])
    for wrong in (STORY, STORY_BY, None):
        with pytest.raises(TypeError, match="documents must be a list of LangChain documents"):
            short().split_documents(wrong)
    with pytest.raises(TypeError, match=rf"LangChain documents, such as Document\(…\), not {__name__}\..*Document"):
        short().transform_documents([Document()])
    for wrong in (["x"], STORY_BY, "x"):
        with pytest.raises(TypeError, match="LangChain documents"):
            reading_documents(wrong)
    with pytest.raises(TypeError, match="a list of LangChain documents"):
        SegmentChildSplitter().split_documents(STORY_BY)


@pytest.mark.parametrize("splitter", [short(), SegmentChildSplitter()], ids=["segments", "children"])
def test_one_text_in_place_of_a_list_and_a_path_in_place_of_a_text_are_refused(splitter):
    with pytest.raises(TypeError, match=re.escape("texts must be a list of texts, such as [text]")):
        splitter.create_documents(STORY)
    for ask in (splitter.split_text, lambda path: splitter.create_documents([path])):
        with pytest.raises(TypeError, match=re.escape("read_text(encoding='utf-8')")):
            ask(Path("book.txt"))
    with pytest.raises(TypeError, match="metadatas must be a list"):
        splitter.create_documents([STORY], {"n": 1})
    with pytest.raises(TypeError, match="a text must be a str, not bytes"):
        splitter.split_text(b"It rained.")


def test_a_text_that_is_the_name_of_a_file_is_cut_with_a_warning(tmp_path, caplog):
    book = tmp_path / "book.txt"
    book.write_text(STORY)
    documents, issues = short().segment([Document(str(book)), STORY_BY, Document(str(tmp_path / "other.txt"))])
    assert documents[0].page_content == str(book)
    assert [issue.kind for issue in issues] == ["file_name"]
    with caplog.at_level(logging.WARNING, logger="chronotope"):
        assert short().split_text(f"{book}\n") == [f"{book}\n"]
    assert f"'{book}' names a file" in caplog.text


def test_settings_hold_unless_said_otherwise():
    given = SegmentSettings(mode="lite", max_words=900, rules=SHORT)
    splitter = LitSegTextSplitter(llm=ScriptedChat(cutter), settings=given, attempts=1, headings="PART .*")
    assert (splitter.settings.mode, splitter.settings.max_words, splitter.settings.rules) == ("lite", 900, SHORT)
    assert (splitter.settings.attempts, splitter.settings.headings) == (1, "PART .*")
    assert LitSegTextSplitter(llm=ScriptedChat(cutter)).settings.mode == "full"
    assert LitSegTextSplitter().settings == SegmentSettings()
    assert LitSegTextSplitter(rules=SHORT).settings == RULES
    assert LitSegTextSplitter(rules=SHORT, settings=SegmentSettings(rules=RuleSettings(length=900))).settings == RULES


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, "full"),
        ({"settings": SegmentSettings(max_words=500)}, "full"),
        ({"settings": SegmentSettings(mode="lite")}, "lite"),
        ({"settings": SegmentSettings(mode="lite"), "mode": "full"}, "full"),
        ({"settings": SegmentSettings(max_words=500), "mode": "rules"}, "rules"),
    ],
)
def test_a_model_that_is_given_is_asked_unless_another_mode_was_said(options, mode):
    assert LitSegTextSplitter(llm=ScriptedChat(cutter), **options).settings.mode == mode


def test_it_can_be_pickled_and_copied_and_tells_what_it_is():
    for twin in (pickle.loads(pickle.dumps(short(children=True))), copy.deepcopy(short(children=True))):
        assert twin.split_documents([STORY_BY]) == short(children=True).split_documents([STORY_BY])
    assert repr(LitSegTextSplitter()) == "LitSegTextSplitter(mode='rules')"
    assert repr(short()) == "LitSegTextSplitter(mode='rules', rules=RuleSettings(length=120, longest=400))"
    told = repr(modelled(headings="PART .*", max_words=900, text="shown", children=True, child_tokens=40))
    assert told.startswith("LitSegTextSplitter(mode='lite', llm='scripted")
    assert told.endswith(", headings='PART .*', max_words=900, text='shown', children=True, child_tokens=40)")
