"""What users of the two adapters write, for type checkers alone: nothing here is ever run."""

from __future__ import annotations

from datetime import date
from typing import Any, assert_type

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.tools import StructuredTool
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import TextSplitter
from llama_index.core import PropertyGraphIndex, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.indices.property_graph import BasePGRetriever
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, NodeWithScore, TextNode
from llama_index.core.tools import RetrieverTool

import chronotope.langchain as lc
import chronotope.llama_index as li
from chronotope import ChatEndpoint, Extraction, Hit, Issue, MetadataKeys, Passage, ReplyCache, Spent, TimeInterval
from chronotope.diachronic import Asking, DiachronicIndex, Retrieval, RetrievalSettings
from chronotope.events import EventIndex, EventRetrieval, ExtractSettings, GraphSettings
from chronotope.litseg import RuleSettings, SegmentSettings
from chronotope.models import ChatModel, Embedder, Reranker
from chronotope.slices.axis import StoryAxis
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import StoryGraph
from chronotope.slices.ontology import Ontology
from chronotope.slices.retrieve.retrieve import SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Estimate
from chronotope.testing import HashEmbedder


def llama_index_models(llm: LLM, embedding: BaseEmbedding, postprocessor: BaseNodePostprocessor) -> None:
    chat: ChatModel = li.LlamaIndexChat(llm)
    embedder: Embedder = li.LlamaIndexEmbedder(embedding)
    reranker: Reranker = li.LlamaIndexReranker(postprocessor)
    theirs: BaseEmbedding = li.ChronotopeEmbedding(HashEmbedder())
    _ = (chat, embedder, reranker, theirs, li.ChronotopeEmbedding(), li.ChronotopeEmbedding(embedder=HashEmbedder()))


def llama_index_ingestion(nodes: list[BaseNode], llm: LLM) -> None:
    annotator = li.TimeAnnotator(mode="auto", llm=llm, date="published_at", cache_path="replies.db")
    assert_type(annotator(nodes), list[BaseNode])
    assert_type(annotator.annotate(nodes), tuple[list[BaseNode], tuple[Issue, ...]])
    _ = IngestionPipeline(transformations=[annotator])


async def llama_index_segments(documents: list[BaseNode], llm: LLM) -> None:
    parser = li.LitSegNodeParser(llm=llm, mode="lite", headings="PART .*", children=True, cache_path="replies.db")
    assert_type(parser(documents), list[BaseNode])
    assert_type(parser.segment(documents), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(await parser.asegment(documents, show_progress=True), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(parser.estimate(documents), Estimate)
    assert_type(parser.spent, Spent)
    _ = li.LitSegNodeParser(llm=ChatEndpoint("http://localhost:8000/v1", "qwen"), index_text="shown", reader_text="main")
    _ = li.LitSegNodeParser(rules=RuleSettings(cohesion="embedding"), embed_model=HashEmbedder(), headings=(0, 900))
    _ = li.LitSegNodeParser(id_func=lambda number, document: f"{document.node_id}-{number}", prompts={"lite": "version: 2"})
    _ = IngestionPipeline(transformations=[li.LitSegNodeParser()])


async def llama_index_retrieval(nodes: list[TextNode], index: VectorStoreIndex, llm: LLM) -> None:
    retriever = li.DiachronicRetriever.from_nodes(
        nodes, embed_model=HashEmbedder(), llm=llm, date="filed", annotate="rules", k=5, today="2020-01-01", undated="include"
    )
    assert_type(retriever, li.DiachronicRetriever)
    assert_type(retriever.retrieve("What happened in 1961?"), list[NodeWithScore])
    assert_type(retriever.retrieve(li.TimedQuery("What happened?", times=["1961/1968"])), list[NodeWithScore])
    assert_type(await retriever.aretrieve_with_report("What happened?"), Retrieval)
    assert_type(retriever.index, DiachronicIndex)
    assert_type(retriever.issues, tuple[Issue, ...])
    assert_type(retriever.spent, Spent)
    assert_type(retriever.estimate(nodes), Estimate)
    _ = li.DiachronicRetriever.from_nodes(nodes, llm=llm, annotate="llm", max_calls=10, max_tokens=10_000)
    assert_type(retriever.insert_nodes(nodes) + await retriever.ainsert_nodes(nodes), int)
    assert_type(retriever.delete_ref_doc("a") + retriever.delete_nodes(["b"]), int)
    retriever.save("folder")
    loaded = li.DiachronicRetriever.load("folder", embed_model=HashEmbedder())
    theirs = li.DiachronicRetriever.from_index(index, pushdown=False, llm=ChatEndpoint("http://localhost:8000/v1", "qwen"))
    cut = li.DiachronicRetriever.from_documents(nodes, k=3)
    _ = (loaded, theirs, cut, li.VectorIndexStore(index, pushdown="auto"))
    reading = li.Reading.of("ta_rag", 3, date(2020, 1, 1), has_chat=True)
    assert_type(reading, Asking)


async def llama_index_answers(retriever: li.DiachronicRetriever, found: list[NodeWithScore], llm: LLM) -> None:
    for model in (None, llm, ChatEndpoint("http://localhost:8000/v1", "qwen")):
        synthesizer = li.ChronologicalSynthesizer(model, budget_tokens=2_000, order="events", streaming=True)
        assert_type(synthesizer.synthesize("What happened?", found), RESPONSE_TYPE)
        assert_type(await synthesizer.asynthesize("What happened?", found), RESPONSE_TYPE)
        _ = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer)
    order = li.ChronologicalPostprocessor(order="published", date="filed")
    assert_type(order.postprocess_nodes(found, query_str="When?"), list[NodeWithScore])
    assert_type(li.retriever_tool(retriever, name="history"), RetrieverTool)


async def llama_index_events(documents: list[BaseNode], found: list[NodeWithScore], llm: LLM) -> None:
    parser = li.EventUnitNodeParser(llm=llm, mode="llm", date="filed", second_pass=True, cache_path="replies.db")
    assert_type(parser(documents), list[BaseNode])
    assert_type(parser.extract(documents), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(await parser.aextract(documents, show_progress=True), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(parser.estimate(documents), Estimate)
    assert_type(parser.spent, Spent)
    retriever = li.EventGraphRetriever.from_documents(documents, embed_model=HashEmbedder(), llm=llm, k=20, passages=3, walks=2)
    assert_type(retriever, li.EventGraphRetriever)
    assert_type(retriever.retrieve(li.TimedQuery("What happened?", times=["1961/1968"])), list[NodeWithScore])
    assert_type(retriever.retrieve_with_report("What happened?"), EventRetrieval)
    assert_type(await retriever.aretrieve_with_report("What happened?"), EventRetrieval)
    assert_type(retriever.insert_nodes(documents) + await retriever.ainsert_nodes(documents), int)
    assert_type(retriever.index, EventIndex)
    retriever.save("folder")
    _ = li.EventGraphRetriever.load("folder", embed_model=HashEmbedder(), extract=ExtractSettings(min_score=2))
    _ = li.EventGraphRetriever.from_nodes(parser(documents), graph=GraphSettings(top_k=5), preset="dyg_rag", today="2020-01-01")
    for model in (None, llm, ChatEndpoint("http://localhost:8000/v1", "qwen")):
        synthesizer = li.TimeCoTSynthesizer(model, budget_tokens=2_000, passage_share=0.3, classes="model", streaming=True)
        assert_type(synthesizer.synthesize("What happened?", found), RESPONSE_TYPE)
        _ = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer)
    _ = (IngestionPipeline(transformations=[li.EventUnitNodeParser()]), li.TimeCoTSynthesizer(llm, cot=False))


def llama_index_conversion(nodes: list[BaseNode], found: list[NodeWithScore]) -> None:
    passages = li.to_passages(nodes, keys=MetadataKeys(date="filed"))
    assert_type(passages, Extraction[Passage])
    assert_type(li.to_passage(nodes[0]), tuple[Passage, tuple[Issue, ...]])
    assert_type(li.to_node(passages.items[0]), BaseNode)
    assert_type(li.to_scored_nodes(li.to_hits(found)), list[NodeWithScore])
    assert_type(li.to_hits(found), list[Hit])


async def llama_index_slices(nodes: list[BaseNode], facts: list[Fact], llm: LLM, index: PropertyGraphIndex) -> None:
    extractor = li.StoryFactExtractor(llm=llm, ontology="household", repairs=1, cast=(Entity(name="Ann"),), property_graph=False)
    assert_type(extractor(nodes), list[BaseNode])
    assert_type(extractor.extract(nodes), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(await extractor.aextract(nodes, show_progress=True), tuple[list[BaseNode], tuple[Issue, ...]])
    assert_type(extractor.story, StoryFacts | None)
    _ = IngestionPipeline(transformations=[extractor])
    _ = PropertyGraphIndex(nodes=nodes, kg_extractors=[li.StoryFactExtractor(ontology=Ontology.load("household"))])
    retriever = li.SliceRetriever.from_nodes(
        nodes, embed_model=HashEmbedder(), llm=llm, k=20, passages=3, scope="cut", reader_at=4, extract=FactSettings(repairs=1)
    )
    assert_type(retriever, li.SliceRetriever)
    assert_type(retriever.for_reader(3), li.SliceRetriever)
    assert_type(retriever.retrieve("Who?"), list[NodeWithScore])
    assert_type(retriever.retrieve_with_report(li.StoryQuery("Who?", reader_at=3)), SliceRetrieval)
    assert_type(await retriever.aretrieve_with_report(li.StoryQuery("Who?", scope=StoryScope(question="Who?"))), SliceRetrieval)
    assert_type(retriever.graph, StoryGraph)
    assert_type(retriever.insert_facts(facts, nodes=nodes), int)
    assert_type(await retriever.ainsert_facts("facts.csv"), int)
    assert_type(li.SliceRetriever.from_facts("facts.csv", axis=StoryAxis()), li.SliceRetriever)
    assert_type(li.SliceRetriever.from_property_graph(index.property_graph_store), li.SliceRetriever)
    sub: BasePGRetriever = retriever.as_sub_retriever(index.property_graph_store)
    _ = index.as_query_engine(sub_retrievers=[sub])
    synthesizer = li.GroundedSynthesizer(llm, budget_tokens=2_000, passage_share=0.3, streaming=True)
    assert_type(RetrieverQueryEngine(retriever, response_synthesizer=synthesizer).query("Who?"), RESPONSE_TYPE)


def langchain_models(llm: BaseChatModel, embeddings: Embeddings) -> None:
    chat: ChatModel = lc.LangChainChat(llm.bind(stop=["."]), model_id="bound")
    embedder: Embedder = lc.LangChainEmbedder(embeddings)
    theirs: Embeddings = lc.ChronotopeEmbeddings(HashEmbedder() if embeddings else None)
    reranker: Reranker = lc.LangChainReranker(lc.ChronologicalCompressor())
    _ = (chat, embedder, theirs, reranker)


async def langchain_retrieval(documents: list[Document], store: VectorStore, llm: BaseChatModel) -> None:
    retriever = lc.DiachronicRetriever.from_documents(
        documents, embeddings=HashEmbedder(), llm=llm, date="filed", k=5, today=date(2020, 1, 1), cache=ReplyCache("replies.db")
    )
    assert_type(retriever, lc.DiachronicRetriever)
    assert_type(retriever.invoke("What happened in 1961?", k=3, times="1961"), list[Document])
    assert_type(await retriever.ainvoke("What happened?", times=[TimeInterval.parse("1961"), "1968"]), list[Document])
    assert_type(retriever.retrieve_with_report("What happened?", k=3), Retrieval)
    assert_type(await retriever.aretrieve_with_report("What happened?"), Retrieval)
    assert_type(retriever.add_documents(documents), list[str])
    assert_type(await retriever.aadd_documents(documents), list[str])
    assert_type(retriever.estimate(documents), Estimate)
    assert_type(retriever.spent, Spent)
    _ = lc.DiachronicRetriever.from_documents(
        documents, undated="include", lexical=0.2, time_filter="boost", periods=4, max_calls=9
    )
    assert_type(retriever.issues, tuple[Issue, ...])
    retriever.delete(["a"])
    retriever.save("folder")
    loaded = lc.DiachronicRetriever.load("folder", embeddings=HashEmbedder(), settings=RetrievalSettings(k=2))
    build = lambda low, high: {"$and": [{"start": {"$lte": high}}, {"end": {"$gte": low}}]}
    theirs = lc.DiachronicRetriever.from_vector_store(store, filter_builder=build, pushdown=True, search_kwargs={"namespace": "a"})
    _ = (loaded, theirs, await lc.DiachronicRetriever.afrom_documents(documents))


def langchain_answers(retriever: lc.DiachronicRetriever, llm: BaseChatModel) -> None:
    assert_type(lc.chronological_prompt("papers"), ChatPromptTemplate)
    for model in (None, llm, ChatEndpoint("http://localhost:8000/v1", "qwen")):
        chain = lc.chronological_chain(model, budget_tokens=2_000, order="events", keys=MetadataKeys(date="filed"))
        assert_type(chain, Runnable[dict[str, Any], str])
        told = {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=chain)
        _ = told | RunnablePassthrough.assign(issues=lc.citation_check(budget_tokens=2_000))
    assert_type(lc.citation_check(), Runnable[dict[str, Any], list[Issue]])
    assert_type(lc.retriever_tool(retriever, "history", "Looks things up."), StructuredTool)


async def langchain_events(documents: list[Document], llm: BaseChatModel) -> None:
    transformer = lc.EventUnitTransformer(llm=llm, date="filed", cache=ReplyCache("replies.db"))
    assert_type(transformer.extract(documents), tuple[list[Document], tuple[Issue, ...]])
    assert_type(await transformer.aextract(documents, config={"tags": ["a"]}), tuple[list[Document], tuple[Issue, ...]])
    assert_type(transformer.estimate(documents), Estimate)
    retriever = lc.EventGraphRetriever.from_documents(
        documents, embeddings=HashEmbedder(), graph=GraphSettings(top_k=5), llm=llm, k=20, passages=3, walks=2, today="2020-01-01"
    )
    assert_type(retriever, lc.EventGraphRetriever)
    assert_type(retriever.invoke("What happened?", k=3, times="1961"), list[Document])
    assert_type(retriever.retrieve_with_report("What happened?"), EventRetrieval)
    assert_type(retriever.add_documents(documents), list[str])
    assert_type(await retriever.aadd_documents(documents), list[str])
    assert_type(retriever.spent, Spent)
    _ = lc.EventGraphRetriever.load("folder", embeddings=HashEmbedder(), preset="dyg_rag")
    for model in (None, llm, ChatEndpoint("http://localhost:8000/v1", "qwen")):
        chain = lc.time_cot_chain(model, budget_tokens=2_000, passage_share=0.3, classes="rules", cot=True)
        assert_type(chain, Runnable[dict[str, Any], str])
    assert_type(lc.time_cot_prompt(), ChatPromptTemplate)
    assert_type(lc.time_cot_check(), Runnable[dict[str, Any], list[Issue]])


async def langchain_slices(documents: list[Document], facts: list[Fact], llm: BaseChatModel) -> None:
    transformer = lc.StoryFactTransformer(llm=llm, ontology="household", settings=FactSettings(repairs=1))
    assert_type(transformer.extract(documents), tuple[list[Document], tuple[Issue, ...]])
    assert_type(await transformer.aextract(documents, config={"tags": ["a"]}), tuple[list[Document], tuple[Issue, ...]])
    assert_type(transformer.facts(documents), StoryFacts)
    assert_type(transformer.estimate(documents), Estimate)
    retriever = lc.SliceRetriever.from_documents(
        documents, embeddings=HashEmbedder(), llm=llm, k=20, passages=3, scope="cut", reader_at=4, ontology="household"
    )
    assert_type(retriever, lc.SliceRetriever)
    assert_type(retriever.for_reader(3), lc.SliceRetriever)
    assert_type(retriever.invoke("Who?", k=3, reader_at=2), list[Document])
    assert_type(retriever.retrieve_with_report("Who?", reader_at=2), SliceRetrieval)
    assert_type(await retriever.aretrieve_with_report("Who?", scope=StoryScope(question="Who?")), SliceRetrieval)
    assert_type(retriever.graph, StoryGraph)
    assert_type(retriever.add_facts(facts, documents=documents), list[str])
    assert_type(await retriever.aadd_facts("facts.csv"), list[str])
    _ = (lc.SliceRetriever.load("folder", embeddings=HashEmbedder(), k=3), lc.SliceRetriever.from_facts("facts.csv"))
    for model in (None, llm, ChatEndpoint("http://localhost:8000/v1", "qwen")):
        assert_type(lc.grounded_chain(model, budget_tokens=2_000, passage_share=0.3), Runnable[dict[str, Any], str])
    assert_type(lc.grounded_prompt(), ChatPromptTemplate)
    assert_type(lc.grounded_check(), Runnable[dict[str, Any], list[Issue]])


async def langchain_segments(documents: list[Document], llm: BaseChatModel, embeddings: Embeddings) -> None:
    splitter: TextSplitter = lc.LitSegTextSplitter()
    assert_type(splitter.split_documents(documents), list[Document])
    ours = lc.LitSegTextSplitter(
        llm=llm, mode="full", headings=[0, 900], max_words=2_000, text="shown", cache=ReplyCache("replies.db")
    )
    assert_type(ours.segment(documents, config={"tags": ["a"]}), tuple[list[Document], tuple[Issue, ...]])
    assert_type(await ours.asegment(documents), tuple[list[Document], tuple[Issue, ...]])
    assert_type(await ours.atransform_documents(documents), list[Document])
    assert_type(ours.with_children(documents), tuple[list[tuple[str, Document]], list[Document]])
    assert_type(ours.estimate(documents), Estimate)
    assert_type(ours.spent, Spent)
    _ = lc.LitSegTextSplitter(settings=SegmentSettings(length=20), embeddings=embeddings, children=True, child_tokens=80)
    pieces: TextSplitter = lc.SegmentChildSplitter(max_tokens=80)
    assert_type(lc.reading_documents(documents), list[Document])
    _ = RunnableLambda(lc.reading_documents), pieces


async def langchain_documents(documents: list[Document]) -> None:
    annotator = lc.TimeAnnotator(mode="rules", date="filed", source_key="source")
    assert_type(annotator.annotate(documents), tuple[list[Document], tuple[Issue, ...]])
    assert_type(await annotator.aannotate(documents), tuple[list[Document], tuple[Issue, ...]])
    _ = (annotator.transform_documents(documents), annotator.split_documents(documents))
    order = lc.ChronologicalCompressor(order="source", keys=MetadataKeys(date="filed"), top_n=3)
    assert_type(order.compress_documents(documents, "When?"), list[Document])
