"""What a user of the core writes, for type checkers alone: nothing here is ever run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date
from typing import assert_type

import chronotope
from chronotope import (
    Answer,
    CalendarSettings,
    ChatEndpoint,
    Document,
    EmbeddingEndpoint,
    Extraction,
    Hit,
    Issue,
    MetadataKeys,
    Passage,
    QueryScope,
    ReplyCache,
    RerankEndpoint,
    Runner,
    Spent,
    Step,
    TimeExpression,
    TimeInterval,
    find_expressions,
    parse_scope,
    scope,
)
from chronotope.defaults import LocalEmbedder, LocalReranker, default_embedder
from chronotope.diachronic import (
    PRESETS,
    AnnotateSettings,
    Asking,
    Coverage,
    DiachronicIndex,
    IndexWriter,
    Ingested,
    PassageStore,
    PushdownPolicy,
    Retrieval,
    RetrievalSettings,
    StoreAnswers,
    StoreRecord,
    UserStore,
    Window,
    annotate,
    answer,
    answer_messages,
    build_index,
    check_citations,
    chronological,
    evidence_within,
    ingest,
    query_variants,
    render_context,
    retrieve,
    retrieve_from_store,
    retrieve_pushed,
    retrieve_scoped,
    select_evidence,
    timeline_answer,
    when,
)
from chronotope.metadata import read_date, read_intervals, read_times, write_times
from chronotope.models import ChatModel, Embedder, Message, Reply, Reranker, Schema, StreamingChat
from chronotope.notes import log_issues
from chronotope.prompts import with_schema_text
from chronotope.questions import ScopedQuestion, ScopeMode
from chronotope.records import Evidence
from chronotope.steps import call, embed, gather
from chronotope.temporal import Grain, IntervalIndex, Today
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat
from chronotope.text import is_blank, split_passages


def times(text: str, today: Today, day: date) -> None:
    interval = TimeInterval.parse("1961/1968")
    assert_type(interval, TimeInterval)
    assert_type(interval.overlaps(TimeInterval.unit(0, Grain.DAY)), bool)
    assert_type(find_expressions(text, today=day), list[TimeExpression])
    asked = parse_scope(text, today=today, settings=CalendarSettings(week_start="sunday"))
    assert_type(asked, QueryScope)
    assert_type(asked.times, tuple[TimeInterval, ...])
    assert_type(read_intervals(["1961", interval]), tuple[TimeInterval, ...])
    assert_type(read_date(1961), TimeInterval)
    IntervalIndex().add(0, asked.times)
    _ = chronotope.__version__


def metadata(keys: MetadataKeys, found: Passage) -> None:
    assert_type(keys.with_date("filed"), MetadataKeys)
    flat = write_times(found.times, published=found.published, keys=keys)
    assert_type(read_times(flat, keys=keys).times, tuple[TimeInterval, ...])
    assert_type(keys.has_numbers(flat), bool)


class Own:
    """A chat model of one's own fits the protocol by its methods alone."""

    model_id = "own"

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        told = messages if schema is None else with_schema_text(messages, schema)
        return Reply(told[-1].content)

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        return self.chat(messages, schema=schema)

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        yield from (message.content for message in messages)

    async def astream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        for message in messages:
            yield message.content


def models() -> None:
    chats: list[ChatModel] = [Own(), ChatEndpoint("http://localhost:8000/v1", "qwen"), ScriptedChat(["Yes."])]
    embedders: list[Embedder] = [
        EmbeddingEndpoint("http://localhost:8000/v1", "e5"),
        LocalEmbedder(),
        HashEmbedder(),
        default_embedder(),
    ]
    rerankers: list[Reranker] = [RerankEndpoint("http://localhost:8000/v1", "bge"), LocalReranker(), OverlapReranker()]
    streaming: StreamingChat = Own()
    for chat, embedder, reranker in zip(chats, embedders, rerankers, strict=False):
        runner = Runner(chat, embedder, reranker, cache=ReplyCache("replies.db"), concurrency=4)
        assert_type(runner.spent, Spent)
    _ = list(streaming.stream([Message("user", "When?")]))


def nearest(query: str, texts: Sequence[str]) -> Step[str]:
    (asked,) = yield from embed([query], kind="query")
    vectors = yield from embed(texts)
    counts = yield from gather([call(lambda: 1, one) for _ in texts])
    assert_type(counts, list[int])
    return texts[int((vectors @ asked).argmax())]


async def one() -> int:
    return 1


def indexing(runner: Runner, embedder: Embedder, document: Document) -> DiachronicIndex:
    passages = [passage for passage in split_passages(document, max_tokens=200) if not is_blank(passage.text)]
    dated = runner.run(annotate(passages, settings=AnnotateSettings(mode="auto")))
    assert_type(dated, Extraction[Passage])
    log_issues("passages were dated", dated.issues)
    index = runner.run(build_index(dated.items, embedder_id=embedder.model_id))
    done = runner.run(ingest(passages, IndexWriter(index), annotation=None))
    assert_type(done, Ingested)
    assert_type(runner.run(nearest("a", ["b"])), str)
    index.save("folder")
    return DiachronicIndex.load("folder", embedder_id=embedder.model_id)


async def asking(runner: Runner, index: DiachronicIndex, question: str, mode: ScopeMode) -> None:
    found = runner.run(retrieve(index, question, settings=PRESETS["ta_rag"], today="2020-01-01", scope_mode=mode))
    assert_type(found, Retrieval)
    assert_type(found.hits, tuple[Hit, ...])
    assert_type(found.coverage, Coverage | None)
    assert_type(found.issues, tuple[Issue, ...])
    assert_type(await runner.arun(retrieve_scoped(index, found.scope, settings=RetrievalSettings(k=3))), Retrieval)
    own = Asking.of("default", 5, date(2020, 1, 1), times=["2011-03/2013", TimeInterval.parse("2015")], undated="include")
    assert_type(runner.run(own.retrieve(index, question)), Retrieval)
    assert_type(runner.run(own.scope(question, times="1961")), ScopedQuestion)
    assert_type(runner.run(scope(question, mode="rules")), ScopedQuestion)
    assert_type(query_variants("Who led it?", found.scope.times, 3), list[str])


def answering(runner: Runner, question: str, found: Retrieval) -> None:
    assert_type(runner.run(answer(question, found, budget_tokens=2_000, order="published")), Answer)
    assert_type(timeline_answer(found), Answer)
    evidence = select_evidence(found.hits, within=found.scope.times)
    assert_type(evidence, tuple[Evidence, ...])
    assert_type(evidence_within(500, found.hits), Extraction[Evidence])
    assert_type(chronological(found.hits, order="source"), list[Hit])
    assert_type(answer_messages(question, evidence, asked=found.scope), list[Message])
    assert_type(check_citations(render_context(evidence) + when(evidence[0].passage), evidence), tuple[Issue, ...])


class Shelf:
    """A store of one's own, for one question at a time."""

    unable = ""
    may_miss = True

    def __init__(self, keys: MetadataKeys) -> None:
        self.policy, self.answers = PushdownPolicy("auto", "shelf"), StoreAnswers(keys)

    def opened(self, question: str) -> Step[Shelf]:
        yield from call(lambda: question, one)
        return self

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        return self.answers.hits([StoreRecord(Passage(query), {}, 0.5)][:limit])

    async def asearch(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        return self.search(query, limit, window)


def stores(runner: Runner, question: str) -> None:
    plain: PassageStore = Shelf(MetadataKeys())
    store: UserStore = Shelf(MetadataKeys())
    assert_type(runner.run(retrieve_from_store(plain, question, pushdown=False)), Retrieval)
    assert_type(runner.run(retrieve_pushed(store, parse_scope(question))), Retrieval)
    assert_type(runner.run(Asking().retrieve(store, question)), Retrieval)
