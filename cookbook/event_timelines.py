"""Answer questions from events on a timeline: before and after, in LlamaIndex and in LangChain, over two firms and their people.

    python cookbook/event_timelines.py                                    # no model needed
    python cookbook/event_timelines.py --question "Who led Corvane-Marrable in 1911?" --timeline timeline.html --graph graph.html
    python cookbook/event_timelines.py --base-url http://localhost:8000/v1 --model my-model

Needs: pip install "chronotope[all]". The histories in data/two_glassworks.jsonl are cut into passages for a plain vector app, and
into events for the same app with three parts changed: parser, retriever, synthesizer. With an endpoint a model finds the events and
reasons over their timeline. Accepted replies and vectors are kept in `.chronotope/`, so that an interrupted run goes on where
it stopped. `--timeline` and `--graph` write what the last question brought as pages for the browser.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from langchain_core.documents import Document as LangChainDocument
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core import VectorStoreIndex
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from openai import APIError

from chronotope import Answer, ChatEndpoint, Document, Passage, ReplyCache, Runner, TimeInterval
from chronotope.defaults import default_embedder
from chronotope.endpoint import describe_failure
from chronotope.errors import ChronotopeError
from chronotope.events import (
    EventIndex,
    EventRetrieval,
    ExtractSettings,
    build_event_index,
    events_answer,
    extract_events,
    retrieve_events,
    timeline_answer,
)
from chronotope.langchain import ChronotopeEmbeddings, EventUnitTransformer, time_cot_chain
from chronotope.langchain import EventGraphRetriever as LangChainEventRetriever
from chronotope.llama_index import ChronotopeEmbedding, EventGraphRetriever, EventUnitNodeParser, TimeCoTSynthesizer
from chronotope.models import Embedder, EmbedKind, Message, Vectors
from chronotope.steps import embed
from chronotope.text import paragraph_spans
from chronotope.tokens import count_tokens
from chronotope.views import event_graph_view, timeline_view

HISTORIES = Path(__file__).parent / "data" / "two_glassworks.jsonl"
QUESTIONS = {  # with words of every sentence that an answer needs
    "When did the Corvane Glassworks burn?": (
        "On the night of 9 November 1896",
        "On 11 November 1896, as old hands",
    ),  # sources disagree
    "What happened at the Corvane Glassworks between 1896 and 1904?": (
        "fire destroyed the grinding hall",
        "The new works on Quarry Street opened",
        "decided against the Corvane Glassworks",
        "The strike at the Corvane Glassworks began",
    ),
    "Where did Anton Brusk work after the strike ended?": (
        "ran the grinding room of the Marrable",
        "was the foreman of the grinding hall",
    ),
    "Who headed Corvane-Marrable after the merger was announced?": (
        "Helene Corvane headed Corvane-Marrable",
        "Samuel Dray headed Corvane-Marrable",
        "Matilda Oyen headed Corvane-Marrable",
    ),
    "Who led Corvane-Marrable in 1911?": ("Samuel Dray headed Corvane-Marrable from 2 January 1908 to 30 June 1913",),
}
PASSAGES = 3  # that the plain app reads: about as many tokens as a timeline of ten events


@dataclass(frozen=True)
class Kept:
    """An embedder whose vectors stay in the cache, so that the second framework and the next run embed no text again."""

    embedder: Embedder
    cache: ReplyCache

    @property
    def model_id(self) -> str:
        return self.embedder.model_id

    @property
    def width(self) -> int | None:
        return self.embedder.width

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        return Runner(embedder=self.embedder, cache=self.cache).run(embed(texts, kind=kind))

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        return await Runner(embedder=self.embedder, cache=self.cache).arun(embed(texts, kind=kind))


def load_histories(path: Path) -> list[Document]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Document(row["text"], id=row["id"], metadata={"title": row["title"]}, published=TimeInterval.parse(row["published"]))
        for row in rows
    ]


def paragraphs(document: Document) -> list[Passage]:
    """The passages of the plain app."""
    return [
        Passage(document.text[start:end], source_id=document.id, char_start=start, char_end=end, metadata=document.metadata)
        for start, end in paragraph_spans(document.text)
    ]


# --- Before: the frameworks' own vector indexes over passages.


def plain_llama_index(passages: Sequence[Passage], embedder: Embedder) -> VectorStoreIndex:
    nodes = [TextNode(text=passage.text, metadata=dict(passage.metadata)) for passage in passages]
    return VectorStoreIndex(nodes, embed_model=ChronotopeEmbedding(embedder))


def plain_langchain(passages: Sequence[Passage], embedder: Embedder) -> InMemoryVectorStore:
    documents = [LangChainDocument(passage.text, metadata=dict(passage.metadata)) for passage in passages]
    return InMemoryVectorStore.from_documents(documents, ChronotopeEmbeddings(embedder))


def plain_answer(chat: ChatEndpoint | None, question: str, passages: Sequence[str]) -> str:
    """What a plain app asks its model."""
    if chat is None:
        return "(no model: the passages alone)"
    context = "\n\n".join(passages)
    return chat.chat([Message("user", f"Context:\n{context}\n\nAnswer from the context alone: {question}")]).text.strip()


# --- After: parser, retriever and synthesizer changed.


def events_in_llama_index(
    documents: Sequence[Document], chat: ChatEndpoint | None, embedder: Embedder, cache: ReplyCache
) -> RetrieverQueryEngine:
    given = [
        LlamaIndexDocument(
            text=document.text, id_=document.id, metadata={**document.metadata, "published": str(document.published)}
        )
        for document in documents
    ]
    events = EventUnitNodeParser(llm=chat, cache_path=cache.path).get_nodes_from_documents(given)
    retriever = EventGraphRetriever.from_nodes(events, embed_model=embedder, cache=cache)
    return RetrieverQueryEngine(retriever, response_synthesizer=TimeCoTSynthesizer(chat))


def events_in_langchain(
    documents: Sequence[Document], chat: ChatEndpoint | None, embedder: Embedder, cache: ReplyCache
) -> Runnable[str, dict[str, object]]:
    given = [
        LangChainDocument(document.text, id=document.id, metadata={**document.metadata, "published": str(document.published)})
        for document in documents
    ]
    events = EventUnitTransformer(llm=chat, cache=cache).transform_documents(given)
    retriever = LangChainEventRetriever.from_documents(list(events), embeddings=embedder, cache=cache)
    return {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=time_cot_chain(chat))


# --- The same by hand, for the pages.


def events_by_hand(
    documents: Sequence[Document], passages: Sequence[Passage], chat: ChatEndpoint | None, runner: Runner
) -> EventIndex:
    """Events, their graph, and the passages that they were cut from."""
    settings = ExtractSettings(mode="llm" if chat else "rules")
    if chat is not None:
        print(f"estimate: {runner.estimate(extract_events(documents, settings=settings))}")
    found = runner.run(extract_events(documents, settings=settings))
    for issue in found.issues:
        print(f"note: {issue}")
    if not found.items:
        raise ChronotopeError("no event was found in the documents")
    assert runner.embedder is not None
    return runner.run(build_event_index(found.items, passages, embedder_id=runner.embedder.model_id))


def show(name: str, texts: Sequence[str], answer: str, needed: Sequence[str]) -> None:
    told = [" ".join(text.split()) for text in texts]
    held = sum(any(words in text for text in told) for words in needed)
    share = f", {held} of {len(needed)} needed sentences" if needed else ""
    print(f"\n  {name}: {count_tokens(' '.join(told))} tokens{share}")
    print("\n".join(f"    {line}" for line in answer.splitlines()))


def show_understood(found: EventRetrieval) -> None:
    times = ", ".join(time.phrase() for time in found.scope.times) or "any time"
    print(f"  asked of: {times}")
    for read in found.clauses:
        if read.event is not None:
            print(f"  {read.clause.text!r} is {read.event.text!r}")
    for issue in found.issues:
        print(f"  note: {issue}")


def write_pages(
    index: EventIndex, question: str, found: EventRetrieval, answer: Answer, timeline: Path | None, graph: Path | None
) -> None:
    """What a question brought, along time and as a graph; the events that the answer cites are marked."""
    if timeline:
        cited = [item.passage.id for item in answer.evidence if f"[{item.mark}]" in answer.text]
        page = timeline_view(found, passages=index.passages, cited=cited)  # under the numbers of the answer
        print(f"\nThe timeline is in {page.save(timeline)}: open it in a browser.")
    if graph:
        seeds = [one.event.id for one in found.trace if one.is_seed]
        visits = {one.event.id: one.visits for one in found.trace if one.visits}
        numbers = {entry.event.id: entry.number for entry in found.timeline.entries}
        page = event_graph_view(index, around=seeds, visits=visits, title=question, passages=index.passages, numbers=numbers)
        print(f"The event graph is in {page.save(graph)}: open it in a browser.")


def run(options: argparse.Namespace) -> None:
    documents = load_histories(HISTORIES)
    chat = ChatEndpoint(options.base_url, options.model, api_key=options.api_key) if options.base_url else None
    options.cache.mkdir(parents=True, exist_ok=True)
    cache = ReplyCache(options.cache / "event_timelines.sqlite")
    embedder = Kept(default_embedder(), cache)
    runner = Runner(chat, embedder=embedder, cache=cache, progress=sys.stderr.isatty())
    passages = [passage for document in documents for passage in paragraphs(document)]

    index = events_by_hand(documents, passages, chat, runner)  # the frameworks' own parts find the model's replies in the cache
    print(index)
    before = plain_llama_index(passages, embedder).as_retriever(similarity_top_k=PASSAGES)
    before_too = plain_langchain(passages, embedder)
    engine, chain = events_in_llama_index(documents, chat, embedder, cache), events_in_langchain(documents, chat, embedder, cache)

    questions: Mapping[str, Sequence[str]] = dict.fromkeys(options.question or (), ()) or QUESTIONS
    for question, needed in questions.items():
        found = runner.run(retrieve_events(index, question))
        print(f"\n■ {question}")
        show_understood(found)
        texts = [hit.node.get_content() for hit in before.retrieve(question)]
        show("before, LlamaIndex", texts, plain_answer(chat, question, texts), needed)
        texts = [item.page_content for item in before_too.similarity_search(question, k=PASSAGES)]
        show("before, LangChain", texts, plain_answer(chat, question, texts), needed)
        answer = str(engine.query(question))
        show("after, LlamaIndex", answer.splitlines()[1:], answer, needed if chat is None else ())
        answer = str(chain.invoke(question)["answer"])
        show("after, LangChain", answer.splitlines()[1:], answer, needed if chat is None else ())
    if options.timeline or options.graph:
        answered = runner.run(events_answer(question, found)) if chat else timeline_answer(found)
        print(f"\n  on the pages, by number:\n{answered.text}")
        write_pages(index, question, found, answered, options.timeline, options.graph)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--question", action="append", help="ask this; may be given several times")
    parser.add_argument("--timeline", type=Path, help="write the timeline of the last question to this file")
    parser.add_argument("--graph", type=Path, help="write the event graph around the last question to this file")
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument("--api-key", default=os.environ.get("OPENAI_API_KEY"), help="OPENAI_API_KEY when absent")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"), help="folder in which replies and vectors are kept")
    options = parser.parse_args()
    for page in (options.timeline, options.graph):
        if page and not page.parent.is_dir():
            parser.error(f"there is no folder {page.parent} for {page.name}")
    if options.base_url and not options.model:
        parser.error("--base-url needs --model: which model shall answer?")
    try:
        run(options)
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except APIError as error:
        print(f"error: {describe_failure(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
