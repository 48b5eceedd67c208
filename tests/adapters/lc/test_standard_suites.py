"""The framework's own suites."""

from __future__ import annotations

from typing import ClassVar

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from chronotope.langchain import ChronotopeEmbeddings, DiachronicRetriever, TimeAnnotator, retriever_tool
from chronotope.testing import HashEmbedder

DOCUMENTS = [Document(f"In {year} the mill ground {year % 7} tons of rye.", metadata={"year": year}) for year in range(1901, 1909)]
EMBEDDINGS = ChronotopeEmbeddings(HashEmbedder())


def made_from_documents(**options):
    return DiachronicRetriever.from_documents(DOCUMENTS, embeddings=EMBEDDINGS, **options)


def made_from_vector_store(**options):
    store = InMemoryVectorStore(EMBEDDINGS)
    store.add_documents(TimeAnnotator().transform_documents(DOCUMENTS))
    return DiachronicRetriever.from_vector_store(store, **options)


class TestRetrieverFromDocuments(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return made_from_documents

    @property
    def retriever_query_example(self):
        return "How much rye did the mill grind from 1902 to 1907?"


class TestRetrieverFromDocumentsAsPublished(TestRetrieverFromDocuments):
    @property
    def retriever_constructor_params(self):
        return {"preset": "ta_rag"}


class TestRetrieverFromVectorStore(TestRetrieverFromDocuments):
    @property
    def retriever_constructor(self):
        return made_from_vector_store


class TestRetrieverFromVectorStoreFilteredHere(TestRetrieverFromVectorStore):
    @property
    def retriever_constructor_params(self):
        return {"pushdown": False}


class _MillTool:
    example: ClassVar = {"query": "How much rye did the mill grind in 1903?"}

    @property
    def tool_constructor(self):
        return retriever_tool(made_from_documents(k=2), "mill_records", "Looks up the records of the mill by subject and time.")

    @property
    def tool_invoke_params_example(self):
        return self.example


class TestToolUnit(_MillTool, ToolsUnitTests):
    pass


class TestToolIntegration(_MillTool, ToolsIntegrationTests):
    pass
