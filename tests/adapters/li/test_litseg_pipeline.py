"""LitSegNodeParser where LlamaIndex runs, stores and copies it: pipelines, caches, worker processes, dumps."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, NodeRelationship
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import ValidationError

from chronotope import ChatEndpoint
from chronotope.cache import ReplyCache
from chronotope.errors import PromptError
from chronotope.litseg import RuleSettings, SegmentSettings
from chronotope.litseg.stages import LITE
from chronotope.llama_index import ChronotopeEmbedding, LitSegNodeParser
from chronotope.testing import HashEmbedder, ScriptedChat
from support_http import ModelServer
from support_stories import CUT, SHORT, STORY, cutter

DOCUMENTS = [Document(text=STORY, id_="one"), Document(text=STORY, id_="two"), Document(text=STORY * 2, id_="three")]


class Cutter(MockLLM):
    """A LlamaIndex model that always cuts in the same way; it can be sent to other processes."""

    @property
    def metadata(self) -> Any:
        return super().metadata.model_copy(update={"is_chat_model": True, "model_name": "cutter"})

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        return ChatResponse(message=ChatMessage(role="assistant", content=json.dumps(CUT)))

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        return self.chat(messages, **kwargs)


def told(nodes: Any) -> list[tuple[Any, ...]]:
    return [(n.node_id, n.ref_doc_id, n.text, n.start_char_idx, n.end_char_idx, n.metadata, n.relationships) for n in nodes]


def exact(nodes: Any) -> bool:
    texts = {document.id_: document.text for document in DOCUMENTS}
    return all(texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx] == node.text for node in nodes)


def test_a_pipeline_with_a_cache_cuts_once_and_gives_the_same_again(tmp_path: Path) -> None:
    chat = ScriptedChat(cutter)
    parser = LitSegNodeParser(llm=chat, mode="lite", children=True)
    pipeline = IngestionPipeline(transformations=[parser], cache=IngestionCache())
    first = pipeline.run(documents=DOCUMENTS)
    asked = len(chat.calls)
    pipeline.persist(str(tmp_path))
    again = IngestionPipeline(transformations=[parser], cache=IngestionCache())
    again.load(str(tmp_path))
    assert exact(first)
    assert told(again.run(documents=DOCUMENTS)) == told(first)
    assert len(chat.calls) == asked > 0
    assert told(IngestionPipeline(transformations=[parser], disable_cache=True).run(documents=DOCUMENTS)) == told(first)


def test_upserts_write_nothing_a_second_time_and_replace_only_what_has_changed() -> None:
    store, vectors = SimpleDocumentStore(), SimpleVectorStore()

    def run(*documents: Document) -> list[str]:
        steps = [LitSegNodeParser(rules=SHORT, children=True), MockEmbedding(embed_dim=4)]
        return [
            node.node_id
            for node in IngestionPipeline(transformations=steps, docstore=store, vector_store=vectors).run(documents=documents)
        ]

    first = run(*DOCUMENTS[:2])
    assert run(*DOCUMENTS[:2]) == []
    changed = run(Document(text=STORY + "\n\nNobody read it.", id_="one"), DOCUMENTS[1])
    kept = [name for name in first if vectors.data.text_id_to_ref_doc_id.get(name) == "two"]
    assert 0 < len(kept) < len(first)
    assert set(vectors.data.embedding_dict) == {*kept, *changed}


def test_two_worker_processes_give_what_one_gives() -> None:
    with ModelServer(lambda _body, _number: CUT) as server:
        steps = [LitSegNodeParser(llm=ChatEndpoint(server.url, "m"), mode="lite"), LitSegNodeParser(rules=SHORT, children=True)]
        found = IngestionPipeline(transformations=steps).run(documents=DOCUMENTS, num_workers=2)
        assert len(server.bodies) >= 6
        alone = steps[1](steps[0](DOCUMENTS))
    assert exact(found)
    assert len({node.node_id for node in found}) == len(found)
    assert sorted(told(found), key=str) == sorted(told(alone), key=str)


async def test_a_model_of_the_framework_is_asked_in_both_forms() -> None:
    parser = LitSegNodeParser(llm=Cutter(), mode="lite", attempts=1)
    nodes = parser([DOCUMENTS[0]])
    assert parser.spent.calls == 3
    assert [node.metadata["subtitle"] for node in nodes] == ["A keeper and {her} book", "The flood comes"] * 3
    assert told(await parser.acall([DOCUMENTS[0]])) == told(nodes)


async def test_it_runs_between_other_transformations_in_an_async_pipeline() -> None:
    steps = [SentenceSplitter(chunk_size=160, chunk_overlap=20), LitSegNodeParser(rules=SHORT), ChronotopeEmbedding(HashEmbedder())]
    found = await IngestionPipeline(transformations=steps).arun(documents=DOCUMENTS)
    assert exact(found)
    assert {node.ref_doc_id for node in found} == {"one", "two", "three"}
    assert all(node.embedding for node in found)


def test_a_cache_file_spares_the_model_what_it_has_answered_before(tmp_path: Path) -> None:
    chats = [ScriptedChat(cutter), ScriptedChat(cutter)]
    made = [LitSegNodeParser(llm=chat, mode="full", cache_path=str(tmp_path / "replies"))(DOCUMENTS) for chat in chats]
    assert told(made[0]) == told(made[1])
    assert len(chats[1].calls) < len(chats[0].calls)


def test_to_dict_and_from_dict_are_inverse() -> None:
    parser = LitSegNodeParser(
        llm=MockLLM(max_tokens=5),
        mode="lite",
        headings=re.compile("part .*", re.IGNORECASE),
        rules=RuleSettings(length=700),
        prompts={"lite": "version: 2\n# user\n$chapter $first $last"},
        children=True,
        version=7,
        id_func=lambda number, document: f"{document.node_id}-{number}",
    )
    twin = LitSegNodeParser.from_dict(parser.to_dict())
    assert twin.to_dict() == parser.to_dict()
    assert LitSegNodeParser.from_json(parser.to_json()).to_dict() == parser.to_dict()
    assert (twin.mode, twin.rules, twin.headings) == ("lite", RuleSettings(length=700), "(?i)part .*")
    assert LitSegNodeParser.class_name() == "ChronotopeLitSegNodeParser"


def test_offsets_as_headings_survive_a_dump() -> None:
    parser = LitSegNodeParser(headings=[0, STORY.index("CHAPTER III")])
    twin = LitSegNodeParser.from_json(parser.to_json())
    assert [node.text for node in twin([DOCUMENTS[0]])] == [node.text for node in parser([DOCUMENTS[0]])]
    assert any(node.start_char_idx == STORY.index("CHAPTER III") for node in twin([DOCUMENTS[0]]))


def test_a_model_that_is_not_of_the_framework_is_given_again() -> None:
    endpoint = ChatEndpoint("http://localhost:1/v1", "qwen", api_key="sk-secret")
    parser = LitSegNodeParser(llm=endpoint, embed_model=HashEmbedder())
    dump = parser.to_dict()
    assert "sk-secret" not in str(dump)
    with pytest.raises(ValueError, match="give it again as llm="):
        LitSegNodeParser.from_dict(dump)
    with pytest.raises(ValueError, match="give it again as embed_model="):
        LitSegNodeParser.from_dict(dump, llm=endpoint)
    assert LitSegNodeParser.from_dict(dump, llm=endpoint, embed_model=HashEmbedder()).to_dict() == dump


def test_credentials_are_in_no_dump_and_no_cache_key(endpoint_llm: Callable[..., Any]) -> None:
    parser = LitSegNodeParser(llm=endpoint_llm())
    assert "sk-secret" not in parser.to_json()
    assert parser.to_dict()["llm"]["model"] == "counting"


def test_cache_keys_change_with_what_changes_the_nodes_and_with_nothing_else() -> None:
    variants = [
        LitSegNodeParser(),
        LitSegNodeParser(version=2),
        LitSegNodeParser(rules=SHORT),
        LitSegNodeParser(max_words=500),
        LitSegNodeParser(headings="PART .*"),
        LitSegNodeParser(headings=(0, 90)),
        LitSegNodeParser(children=True),
        LitSegNodeParser(reader_text="main"),
        LitSegNodeParser(prompts={"lite": "version: 2\n# user\n$chapter"}),
        LitSegNodeParser(embed_model=HashEmbedder()),
        LitSegNodeParser(llm=Cutter()),
        LitSegNodeParser(llm=Cutter(max_tokens=5)),
        LitSegNodeParser(llm=Cutter(), mode="lite"),
        LitSegNodeParser(llm=ScriptedChat([])),
    ]
    hashes = [get_transformation_hash(DOCUMENTS, variant) for variant in variants]
    assert len(set(hashes)) == len(hashes)
    used = LitSegNodeParser()
    used(DOCUMENTS)
    assert get_transformation_hash(DOCUMENTS, used) == hashes[0]


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_it_pickles_and_copies_with_all_it_is_made_of(clone: Callable[[Any], Any]) -> None:
    parser = LitSegNodeParser(llm=Cutter(), mode="lite", children=True, headings=re.compile("part", re.IGNORECASE), version=7)
    twin = clone(parser)
    assert twin.to_dict() == parser.to_dict()
    assert (twin.headings, twin.spent) == (parser.headings, parser.spent)


def name_by_number(number: int, document: BaseNode) -> str:
    return f"{document.node_id}/{number}"


def test_an_id_function_reaches_a_copy() -> None:
    twin = pickle.loads(pickle.dumps(LitSegNodeParser(id_func=name_by_number)))
    assert twin([DOCUMENTS[0]])[0].node_id == "one/0"


def test_a_repr_tells_what_matters_in_one_line() -> None:
    assert repr(LitSegNodeParser()) == "LitSegNodeParser(mode='rules')"
    told = str(LitSegNodeParser(llm=Cutter(), children=True))
    assert told.startswith("LitSegNodeParser(mode='full', llm='")
    assert "cutter" in told
    assert told.endswith("children=True)")
    options = {"max_words": 900, "rules": RuleSettings(length=900), "child_tokens": 40, "index_text": "shown"}
    shown = "max_words=900, rules=RuleSettings(length=900), child_tokens=40, index_text='shown'"
    assert repr(LitSegNodeParser(**options)) == f"LitSegNodeParser(mode='rules', {shown})"


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"mode": "full"}, ValidationError, r"mode='full' asks a model: give llm=, or use mode='rules'"),
        ({"mode": "lite"}, ValidationError, "give llm="),
        ({"mode": "deep"}, ValidationError, "'full', 'lite' or 'rules'"),
        ({"llm": "gpt-4"}, TypeError, "not 'gpt-4'"),
        ({"embed_model": "local"}, TypeError, "not 'local'"),
        ({"max_word": 5}, ValidationError, "there is no option 'max_word'; did you mean 'max_words'?"),
        ({"max_concurrency": 5}, ValidationError, "did you mean 'concurrency'"),
        ({"cache": "x"}, ValidationError, "did you mean 'cache_path'"),
        ({"cohesion": "embedding"}, ValidationError, r"write rules=RuleSettings\(cohesion=…\)"),
        ({"lite_prompt": "x"}, ValidationError, r"write settings=SegmentSettings\(lite_prompt=…\)"),
        ({"chunk_size": 512}, ValidationError, r"no chunk_size: segments follow the story; rules=RuleSettings\(length=…\) sets"),
        ({"chunk_overlap": 20}, ValidationError, "no chunk_overlap: segments follow the story"),
        ({"settings": "rules"}, TypeError, "settings must be SegmentSettings.*, not 'rules'; a mode is given as mode="),
        ({"settings": SHORT}, TypeError, r"give RuleSettings\(length=120, longest=400\) as rules="),
        ({"cache_path": 5}, TypeError, "a cache must be a path or a ReplyCache, not 5"),
        ({"cache_path": ""}, ValidationError, "the path of a cache is empty"),
        ({"cache_path": ReplyCache()}, ValidationError, "a cache in memory ends with each run"),
        ({"concurrency": 0}, ValidationError, "concurrency"),
        ({"child_tokens": "a"}, ValidationError, "child_tokens"),
        ({"max_words": 0}, ValidationError, "max_words must be a whole number"),
        ({"prompts": {"lights": "x"}}, ValidationError, "did you mean 'lite'"),
        ({"prompts": {"lite": "just words"}}, PromptError, "version"),
        ({"child_tokens": 0}, ValidationError, "child_tokens"),
        ({"index_text": "all"}, ValidationError, "index_text"),
    ],
)
def test_what_cannot_be_is_refused_when_the_parser_is_made(options: dict[str, Any], error: type, said: str) -> None:
    with pytest.raises(error, match=re.compile(said)):
        LitSegNodeParser(**options)


def test_credentials_are_in_no_refusal() -> None:
    class Keyed(Cutter):
        api_key: str = "sk-secret"

    for options in ({"chunk_size": 512}, {"mode": "deep"}, {"max_words": 0}, {"children": "some"}):
        with pytest.raises(ValidationError) as caught:
            LitSegNodeParser(**options, llm=Keyed())  # type: ignore[arg-type]
        assert "secret" not in str(caught.value)


def test_the_usual_constructor_of_other_parsers_makes_one_and_refuses_their_sizes() -> None:
    assert LitSegNodeParser.from_defaults(children=True).to_dict() == LitSegNodeParser(children=True).to_dict()
    with pytest.raises(ValidationError, match="there is no chunk_size: segments follow the story"):
        LitSegNodeParser.from_defaults(chunk_size=512, chunk_overlap=20)


async def test_something_that_is_no_node_is_refused_by_name() -> None:
    class Document:  # as that of another framework
        pass

    parser: Any = LitSegNodeParser()
    for ask in (parser, parser.segment, parser.get_nodes_from_documents, parser.estimate):
        for wrong in (STORY, DOCUMENTS[0], None):
            with pytest.raises(TypeError, match="nodes must be a list of LlamaIndex nodes"):
                ask(wrong)
        with pytest.raises(TypeError, match=r"nodes must be LlamaIndex nodes, .*, not str"):
            ask([STORY])
        with pytest.raises(TypeError, match=rf"not {__name__}\..*Document"):
            ask([Document()])
    for aask in (parser.acall, parser.asegment, parser.aget_nodes_from_documents):
        with pytest.raises(TypeError, match="nodes must be a list of LlamaIndex nodes"):
            await aask(STORY)


def test_a_generator_of_documents_is_read_as_a_list_is() -> None:
    wanted = LitSegNodeParser()(DOCUMENTS)
    assert told(LitSegNodeParser()(document for document in DOCUMENTS)) == told(wanted) != []  # type: ignore[arg-type]


def test_settings_of_the_core_will_do_and_what_is_said_beside_them_goes_first() -> None:
    said: dict[str, Any] = {"max_words": 500, "headings": (0, 90), "length": 9, "fallback": "whole", "rules": SHORT}
    prompt = LITE.with_text(system="", user="Cut $chapter")
    parser = LitSegNodeParser(settings=SegmentSettings(**said, attempts=2, lite_prompt=prompt), attempts=5)
    assert ({name: getattr(parser, name) for name in said}, parser.attempts) == (said, 5)
    twin = LitSegNodeParser(**said, attempts=5, prompts={"lite": f"version: {LITE.version}\n# user\nCut $chapter\n"})
    assert parser.to_dict() == twin.to_dict()
    assert LitSegNodeParser.from_json(parser.to_json()).to_dict() == parser.to_dict()
    assert get_transformation_hash(DOCUMENTS, parser) == get_transformation_hash(DOCUMENTS, twin)
    assert parser.prompts["events"] == LitSegNodeParser().prompts["events"]


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
def test_a_model_that_is_given_is_asked_unless_another_mode_was_said(options: dict[str, Any], mode: str) -> None:
    assert LitSegNodeParser(llm=Cutter(), **options).mode == mode


def test_a_path_or_a_cache_names_the_file_of_replies_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "replies.sqlite"
    chats = [ScriptedChat(cutter) for _ in range(3)]
    for chat, cache in zip(chats, (path, str(path), ReplyCache(path)), strict=True):
        parser = LitSegNodeParser(llm=chat, cache_path=cache)
        parser([DOCUMENTS[0]])
        assert json.loads(parser.to_json())["cache_path"] == str(path)
        assert pickle.loads(pickle.dumps(parser)).cache_path == str(path)
    assert path.is_file()
    assert len(chats[0].calls) > len(chats[1].calls) == len(chats[2].calls)


def test_a_document_that_is_the_name_of_a_file_is_cut_with_a_warning(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text(STORY)
    nodes, issues = LitSegNodeParser().segment([Document(text=str(book), id_="name"), DOCUMENTS[0]])
    assert nodes[0].get_content() == str(book)
    assert [(issue.kind, issue.source_id) for issue in issues] == [("file_name", "name")]


def test_a_prompt_of_ones_own_is_asked() -> None:
    chat = ScriptedChat(lambda messages: CUT)
    prompt = "version: mine\n# user\n$chapter\nCut it, from $first to $last. Do all three steps for sentences 1 to 2."
    LitSegNodeParser(llm=chat, mode="lite", prompts={"lite": prompt})([DOCUMENTS[0]])
    assert {len(exchange.messages) for exchange in chat.calls if exchange.messages[0].role == "user"} >= {1}
    assert "Cut it, from 1 to" in chat.calls[0].messages[0].content


def test_a_parent_that_another_parser_gave_is_kept() -> None:
    parent = DOCUMENTS[0].as_related_node_info()
    (chunk,) = SentenceSplitter(chunk_size=4_000)([Document(text="One. Two.", id_="short")])
    chunk.relationships[NodeRelationship.PARENT] = parent
    assert all(node.parent_node == parent for node in LitSegNodeParser()([chunk]))
