"""Facts of a story on LangChain documents."""

from __future__ import annotations

import pickle

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.vectorstores import InMemoryVectorStore

from chronotope.errors import OntologyError
from chronotope.langchain import ChronotopeEmbeddings, LitSegTextSplitter, StoryFactTransformer
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts
from chronotope.slices.extract import FactSettings
from chronotope.testing import HashEmbedder, ScriptedChat
from support_told_story import CHAPTERS, FACTS, STORY, WEDDING, proposal

STATEMENTS = {fact.statement for fact in FACTS}


def texts():
    return [Document(STORY, id="story", metadata={"title": "The mill", "nested": {"a": [1]}})]


def facts_of(document):
    return StoredFacts.from_text(document.metadata[FACTS_KEY]).facts


def statements(documents):
    return {fact.statement for document in documents for fact in facts_of(document)}


def test_the_same_documents_come_out_with_the_facts_that_they_tell():
    given = [*texts(), Document(" ", id="blank")]
    before = [document.model_dump_json() for document in given]
    made, issues = StoryFactTransformer().extract(given)
    made[0].metadata["more"] = 1
    assert [document.model_dump_json() for document in given] == before
    assert [(document.id, document.page_content) for document in made] == [
        (document.id, document.page_content) for document in given
    ]
    assert statements(made) == STATEMENTS
    assert all(STORY[fact.char_start : fact.char_end] == fact.quote for fact in facts_of(made[0]))
    assert [issue.kind for issue in issues] == ["blank"]


@pytest.mark.parametrize(
    "documents",
    [
        [Document(text, metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)],
        LitSegTextSplitter().split_documents(texts()),
    ],
    ids=["numbers", "segments"],
)
def test_chapters_are_those_of_the_metadata_or_of_the_headings(documents):
    made = StoryFactTransformer().transform_documents(documents)
    told = {fact.statement: fact.chapter for document in made for fact in facts_of(document)}
    assert (told["Ann Lee — married to — Tom Rask"], told["Tom Rask — died"]) == (2, 3)


async def test_awaited_and_as_a_splitter_it_gives_the_same():
    assert statements(await StoryFactTransformer().atransform_documents(texts())) == STATEMENTS
    assert statements(StoryFactTransformer().split_documents(iter(texts()))) == STATEMENTS


def test_documents_that_were_read_are_not_read_again():
    read = StoryFactTransformer().transform_documents(texts())
    chat = ScriptedChat([])
    assert StoryFactTransformer(llm=chat).transform_documents(read) == read
    assert chat.calls == []


async def test_a_model_reads_each_window_and_what_was_kept_out_is_told():
    right = proposal(WEDDING, "Ann Lee", "married_to", "Tom Rask")
    wrong = proposal(WEDDING, "Ann Lee", "parent_of", "Ann Lee")
    chapter = [Document(CHAPTERS[1], metadata={"chapter": 2})]
    transformer = StoryFactTransformer(llm=ScriptedChat(lambda _: {"facts": [right, wrong]}), settings=FactSettings(repairs=0))
    assert transformer.estimate(chapter).calls >= 1
    for made, issues in (transformer.extract(chapter), await transformer.aextract(chapter)):
        assert statements(made) == {"Ann Lee — married to — Tom Rask"}
        assert [issue.kind for issue in issues] == ["uncertain_fact"]
    assert transformer.spent.calls == 2
    (kept_out,) = transformer.facts(chapter).uncertain
    assert kept_out.verdict.violations


def test_a_model_of_the_framework_is_asked():
    reply = '{"facts": [{"subject": "Ann Lee", "relation": "married_to", "object": "Tom Rask", "quote": "' + WEDDING + '"}]}'
    model = GenericFakeChatModel(messages=iter([AIMessage(reply)]))
    made = StoryFactTransformer(llm=model).transform_documents([Document(CHAPTERS[1], metadata={"chapter": 2})])
    assert statements(made) == {"Ann Lee — married to — Tom Rask"}


def test_documents_with_facts_go_through_a_store_and_its_file(tmp_path):
    store = InMemoryVectorStore(ChronotopeEmbeddings(HashEmbedder()))
    store.add_documents(StoryFactTransformer().transform_documents(texts()))
    store.dump(str(tmp_path / "store"))
    again = InMemoryVectorStore.load(str(tmp_path / "store"), ChronotopeEmbeddings(HashEmbedder()))
    assert statements(again.similarity_search("Ann Lee")) == STATEMENTS


def test_it_tells_what_it_is_and_survives_pickle():
    transformer = StoryFactTransformer(ontology="household", settings=FactSettings(repairs=1))
    assert repr(transformer) == "<StoryFactTransformer, mode='rules', ontology='household', repairs=1>"
    assert statements(pickle.loads(pickle.dumps(transformer)).transform_documents(texts())) >= STATEMENTS


def test_what_cannot_be_is_refused_when_it_is_made():
    with pytest.raises(ValueError, match="llm="):
        StoryFactTransformer(mode="llm")
    with pytest.raises(OntologyError, match="did you mean 'household'"):
        StoryFactTransformer(ontology="houshold")
    with pytest.raises(TypeError, match="not one str"):
        StoryFactTransformer().transform_documents(STORY)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"mode": "rule"}, ValueError, "mode must be one of rules, llm"),
        ({"settings": "rules"}, TypeError, "settings must be FactSettings"),
        ({"ontology": 5}, TypeError, "ontology must be the name of one"),
    ],
)
def test_an_option_of_another_kind_is_an_error_that_shows_the_right_one(options, error, told):
    with pytest.raises(error, match=told):
        StoryFactTransformer(**options)


def test_facts_of_documents_that_were_read_before_are_those_that_they_carry():
    parts = [Document(text, id=f"part {number}", metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)]
    reader = StoryFactTransformer()
    fresh = reader.facts(parts)
    again = reader.facts(reader.transform_documents(parts))
    assert again.items
    assert again.items == fresh.items
    assert dict(again.axis.chapters) == dict(fresh.axis.chapters)
    assert {one.name for one in again.entities} == {one.name for one in fresh.entities}


def test_facts_of_some_read_before_and_some_new_documents_are_all_there():
    parts = [Document(text, id=f"part {number}", metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)]
    reader = StoryFactTransformer()
    mixed = reader.facts([*reader.transform_documents(parts[:2]), *parts[2:]])
    assert {fact.statement for fact in mixed.items} == {fact.statement for fact in reader.facts(parts).items}
    assert [fact.chapter for fact in mixed.items] == sorted(fact.chapter for fact in mixed.items)
