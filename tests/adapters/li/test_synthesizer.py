"""ChronologicalSynthesizer: evidence by score, cut to the budget, told in order of time."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest
from llama_index.core import PromptTemplate, Settings
from llama_index.core.base.response.schema import AsyncStreamingResponse, PydanticResponse, Response, StreamingResponse
from llama_index.core.llms import MockLLM
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from chronotope.errors import PromptError
from chronotope.llama_index import ChronologicalSynthesizer, TimeAnnotator
from chronotope.testing import ScriptedChat

ASKED = "What happened between 1961 and 1972?"


@pytest.fixture
def found(nodes: list[TextNode]) -> list[NodeWithScore]:
    by_id = {node.node_id: node for node in TimeAnnotator()(nodes)}
    return [NodeWithScore(node=by_id[name], score=1.0 - row / 10) for row, name in enumerate("dbeac")]


class Saying(MockLLM):
    """Says one thing."""

    says: str = ""

    def __init__(self, says: str, **options: Any) -> None:
        super().__init__(**options)
        self.says = says

    @property
    def metadata(self) -> Any:
        return super().metadata.model_copy(update={"is_chat_model": True})

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        return super().complete(self.says, formatted, **kwargs)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        return super().stream_complete(self.says, formatted, **kwargs)


def sent(llm: Any) -> str:
    return "\n".join(str(turn.content) for turn in llm.last_chat_messages)


def test_the_model_reads_numbered_dated_passages_in_order_of_time(found: list[NodeWithScore], chat_llm: Any) -> None:
    response = ChronologicalSynthesizer(chat_llm).synthesize(ASKED, found)
    text = sent(chat_llm)
    places = [text.index(name) for name in ("Gagarin", "Glenn", "Leonov", "Apollo 11", "Apollo 17")]
    assert places == sorted(places)
    assert "[1] (on 12 April 1961" in text
    assert "title: Report a" in text
    assert "time_start" not in text
    assert [item.node.node_id for item in response.source_nodes] == list("abcde")
    assert ASKED in text


async def test_async_sends_and_returns_what_sync_does(found: list[NodeWithScore], chat_llm: Any) -> None:
    synthesizer = ChronologicalSynthesizer(chat_llm)
    sync = synthesizer.synthesize(ASKED, found)
    sent_sync = sent(chat_llm)
    awaited = await synthesizer.asynthesize(ASKED, found)
    assert sent(chat_llm) == sent_sync
    assert str(awaited) == str(sync)
    assert awaited.source_nodes == sync.source_nodes


async def test_the_sync_form_works_inside_a_running_loop(found: list[NodeWithScore]) -> None:
    assert str(ChronologicalSynthesizer(Saying("In 1961 [1].")).synthesize(ASKED, found)) == "In 1961 [1]."


async def test_answers_stream_in_both_forms(found: list[NodeWithScore]) -> None:
    synthesizer = ChronologicalSynthesizer(Saying("In 1961 [1]."), streaming=True)
    response = synthesizer.synthesize(ASKED, found)
    assert isinstance(response, StreamingResponse)
    assert "".join(response.response_gen) == "In 1961 [1]."
    awaited = await synthesizer.asynthesize(ASKED, found)
    assert isinstance(awaited, AsyncStreamingResponse)
    assert "".join([piece async for piece in awaited.async_response_gen()]) == "In 1961 [1]."


def test_a_citation_of_nothing_is_reported_in_the_metadata(found: list[NodeWithScore]) -> None:
    response = ChronologicalSynthesizer(Saying("In 1961 [1], and later [9].")).synthesize(ASKED, found)
    assert response.metadata is not None
    report = response.metadata["chronotope"]
    assert [issue.kind for issue in report["issues"]] == ["unknown_citation"]
    assert report["by_model"] is True
    assert report["evidence"] == list("abcde")


def test_a_streams_citations_are_checked_when_it_ends(found: list[NodeWithScore]) -> None:
    response = ChronologicalSynthesizer(Saying("Nobody knows."), streaming=True).synthesize(ASKED, found)
    assert isinstance(response, StreamingResponse)
    assert response.metadata is not None
    issues = response.metadata["chronotope"]["issues"]
    assert issues == []
    list(response.response_gen)
    assert [issue.kind for issue in issues] == ["no_citation"]


def test_the_budget_keeps_the_best_and_says_what_was_left_out(found: list[NodeWithScore], chat_llm: Any) -> None:
    response = ChronologicalSynthesizer(chat_llm, budget_tokens=80).synthesize(ASKED, found)
    report = response.metadata["chronotope"]
    kept = report["evidence"]
    assert 0 < len(kept) < 5
    assert kept == sorted(kept)
    assert "d" in kept
    assert "over_budget" in {issue.kind for issue in report["issues"]}
    assert [item.node.node_id for item in response.source_nodes][: len(kept)] == kept
    assert len(response.source_nodes) == 5


def test_the_models_window_limits_the_budget(found: list[NodeWithScore]) -> None:
    class Narrow(MockLLM):
        @property
        def metadata(self) -> Any:
            return super().metadata.model_copy(update={"context_window": 300, "num_output": 20})

    response = ChronologicalSynthesizer(Narrow()).synthesize(ASKED, found)
    assert "over_budget" in {issue.kind for issue in response.metadata["chronotope"]["issues"]}


@pytest.mark.parametrize(("order", "first"), [("events", "a"), ("score", "d")])
def test_the_order_is_a_choice(found: list[NodeWithScore], order: Any, first: str) -> None:
    response = ChronologicalSynthesizer(Saying("[1]"), order=order).synthesize(ASKED, found)
    assert response.source_nodes[0].node.node_id == first


def test_without_a_model_the_answer_is_a_timeline_that_says_so(found: list[NodeWithScore]) -> None:
    response = ChronologicalSynthesizer().synthesize(ASKED, found)
    lines = str(response).splitlines()
    assert "No model was used" in lines[0]
    assert lines[1].startswith("[1] on 12 April 1961")
    assert response.metadata["chronotope"]["by_model"] is False


async def test_without_a_model_it_streams_too(found: list[NodeWithScore]) -> None:
    synthesizer = ChronologicalSynthesizer(streaming=True)
    text = str(ChronologicalSynthesizer().synthesize(ASKED, found))
    response, awaited = synthesizer.synthesize(ASKED, found), await synthesizer.asynthesize(ASKED, found)
    assert isinstance(response, StreamingResponse)
    assert isinstance(awaited, AsyncStreamingResponse)
    assert "".join(response.response_gen) == text
    assert "".join([piece async for piece in awaited.async_response_gen()]) == text


def test_the_frameworks_default_model_is_never_resolved(found: list[NodeWithScore], monkeypatch: pytest.MonkeyPatch) -> None:
    def alarm(*_: object) -> None:
        raise AssertionError("the framework's default model was resolved")

    monkeypatch.setattr(type(Settings), "llm", property(alarm))
    assert str(ChronologicalSynthesizer().synthesize(ASKED, found))


async def test_no_nodes_give_the_frameworks_empty_response() -> None:
    synthesizer = ChronologicalSynthesizer(MockLLM())
    assert str(synthesizer.synthesize(ASKED, [])) == "Empty Response"
    assert str(await synthesizer.asynthesize(ASKED, [])) == "Empty Response"


@pytest.mark.skipif("empty_response" not in signature(BaseSynthesizer).parameters, reason="older LlamaIndex has no such option")
def test_options_of_the_framework_are_passed_on() -> None:
    assert str(ChronologicalSynthesizer(MockLLM(), empty_response="Nothing there.").synthesize(ASKED, [])) == "Nothing there."


def test_bare_texts_are_answered_in_the_given_order(chat_llm: Any) -> None:
    ChronologicalSynthesizer(chat_llm).get_response(ASKED, ["Zebra.", "Ant."])
    text = sent(chat_llm)
    assert text.index("Zebra") < text.index("Ant.")


async def test_bare_texts_are_answered_in_async_form_too(chat_llm: Any) -> None:
    assert "Ant." in str(await ChronologicalSynthesizer(chat_llm).aget_response(ASKED, ["Zebra.", "Ant."]))


def test_the_prompt_is_shown_and_replaced_in_the_frameworks_form(found: list[NodeWithScore], chat_llm: Any) -> None:
    synthesizer = ChronologicalSynthesizer(chat_llm)
    shown = synthesizer.get_prompts()["answer_prompt"]
    assert set(shown.template_vars) == {"query_str", "time_str", "context_str"}
    synthesizer.update_prompts({"answer_prompt": PromptTemplate('Costs $5 {"a": 1}. Q: {query_str} T: {time_str}\n{context_str}')})
    synthesizer.synthesize(ASKED, found)
    assert sent(chat_llm).startswith(f'Costs $5 {{"a": 1}}. Q: {ASKED} T: ')
    assert "Gagarin" in sent(chat_llm)


def test_a_shown_prompt_put_back_changes_nothing(found: list[NodeWithScore], chat_llm: Any) -> None:
    synthesizer = ChronologicalSynthesizer(chat_llm)
    synthesizer.synthesize(ASKED, found)
    before = sent(chat_llm)
    synthesizer.update_prompts(synthesizer.get_prompts())
    synthesizer.synthesize(ASKED, found)
    assert sent(chat_llm) == before


def test_chat_templates_and_partial_values_are_understood(found: list[NodeWithScore], chat_llm: Any) -> None:
    template = ChatPromptTemplate.from_messages([("system", "Speak {tongue}."), ("user", "{query_str}\n{context_str}")])
    ChronologicalSynthesizer(chat_llm, prompt=template.partial_format(tongue="Latin")).synthesize(ASKED, found)
    assert [turn.role.value for turn in chat_llm.last_chat_messages] == ["system", "user"]
    assert chat_llm.last_chat_messages[0].content == "Speak Latin."


def test_a_prompt_without_a_place_for_the_passages_is_refused() -> None:
    with pytest.raises(PromptError, match="context_str"):
        ChronologicalSynthesizer(MockLLM(), prompt=PromptTemplate("{query_str}"))


def test_a_structured_model_gives_an_object(found: list[NodeWithScore]) -> None:
    class Year(BaseModel):
        year: int

    llm = Saying('{"year": 1961}').as_structured_llm(Year)
    response = ChronologicalSynthesizer(llm).synthesize(ASKED, found)
    assert isinstance(response, PydanticResponse)
    assert response.response == Year(year=1961)


def test_a_query_bundle_is_answered_like_its_words(found: list[NodeWithScore], chat_llm: Any) -> None:
    response = ChronologicalSynthesizer(chat_llm).synthesize(QueryBundle(ASKED), found)
    assert isinstance(response, Response)
    assert ASKED in sent(chat_llm)


def test_the_callers_nodes_are_not_touched(found: list[NodeWithScore]) -> None:
    before = copy.deepcopy(found)
    ChronologicalSynthesizer(Saying("[1]")).synthesize(ASKED, found)
    assert found == before


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_it_pickles_and_copies(found: list[NodeWithScore], clone: Callable[[Any], Any]) -> None:
    for llm in (None, MockLLM(max_tokens=4)):
        made = ChronologicalSynthesizer(llm, budget_tokens=90)
        assert str(clone(made).synthesize(ASKED, found)) == str(made.synthesize(ASKED, found))


async def test_the_loop_stays_free_while_the_model_answers(found: list[NodeWithScore]) -> None:
    class Slow(Saying):
        async def achat(self, messages: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(0.2)
            return await super().achat(messages, **kwargs)

    asked = asyncio.create_task(ChronologicalSynthesizer(Slow("[1]")).asynthesize(ASKED, found))
    beats = 0
    while not asked.done():
        await asyncio.sleep(0.005)
        beats += 1
    assert beats > 10


async def test_a_chat_model_of_chronotope_answers_too(found: list[NodeWithScore]) -> None:
    chat = ScriptedChat(["In 1961 [1]."] * 4)
    synthesizer = ChronologicalSynthesizer(chat)
    response = synthesizer.synthesize(ASKED, found)
    assert str(response) == str(await synthesizer.asynthesize(ASKED, found)) == "In 1961 [1]."
    assert response.metadata["chronotope"] == {"issues": [], "by_model": True, "evidence": list("abcde")}
    assert "[1] (on 12 April 1961" in chat.calls[0].messages[-1].content


async def test_a_model_that_cannot_stream_answers_in_one_piece(found: list[NodeWithScore]) -> None:
    synthesizer = ChronologicalSynthesizer(ScriptedChat(["In 1961 [9]."] * 2), streaming=True)
    response, awaited = synthesizer.synthesize(ASKED, found), await synthesizer.asynthesize(ASKED, found)
    assert isinstance(response, StreamingResponse)
    assert isinstance(awaited, AsyncStreamingResponse)
    assert list(response.response_gen) == ["In 1961 [9]."]
    assert [piece async for piece in awaited.async_response_gen()] == ["In 1961 [9]."]
    assert [issue.kind for issue in response.metadata["chronotope"]["issues"]] == ["unknown_citation"]


REPEATED = [
    TextNode(text="A crew reached the station in 1974.", id_="later", metadata={"time_intervals": "1974"}),
    TextNode(
        text="The mast was raised in 1950. A crew reached it in 1973. Another crew left in 1980.",
        id_="often",
        metadata={"time_intervals": "1950; 1973; 1980"},
    ),
    TextNode(text="A crew left the station in 1972.", id_="first", metadata={"time_intervals": "1972"}),
]
SEVENTIES = "Which crew was at the station between 1971 and 1975?"


@pytest.mark.parametrize("llm", [None, Saying("[1] [2] [3]")])
def test_a_node_of_several_times_stands_where_it_first_tells_of_the_asked_one(llm: Any) -> None:
    nodes = [NodeWithScore(node=node, score=0.5) for node in REPEATED]
    response = ChronologicalSynthesizer(llm).synthesize(SEVENTIES, nodes)
    assert [item.node.node_id for item in response.source_nodes] == ["first", "often", "later"]


def test_the_numbers_of_a_timeline_are_those_of_the_source_nodes() -> None:
    told = [("early", "1961"), ("often", "1950; 1990"), ("mid", "1970")]
    texts = {"early": "It flew in 1961.", "often": "The mast fell in 1990. Rain came in 1950.", "mid": "It flew in 1970."}
    nodes = [
        NodeWithScore(node=TextNode(text=texts[name], id_=name, metadata={"time_intervals": times}), score=0.5)
        for name, times in told
    ]
    response = ChronologicalSynthesizer().synthesize("When did the mast fall?", nodes)
    for number, item in enumerate(response.source_nodes, 1):
        line = next(line for line in str(response).splitlines() if line.startswith(f"[{number}]"))
        assert line.split(": ", 1)[1] in item.node.text
    assert [item.node.node_id for item in response.source_nodes] == ["early", "mid", "often"]
    assert response.metadata["chronotope"]["evidence"] == ["early", "mid", "often"]
