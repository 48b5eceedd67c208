"""What the LangChain adapter's tests share: one small corpus, an embedder without a model, and a recorder of runs."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain_core")

from chronotope.langchain import ChronotopeEmbeddings, DiachronicRetriever, TimeAnnotator
from chronotope.testing import HashEmbedder
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

CORPUS = (
    ("The harbour bridge was opened by the mayor.", "1932-05-14"),
    ("A barge struck the harbour bridge and closed it for a week.", "1938-11-02"),
    ("Bombs damaged the harbour bridge during the night.", "1944-03-09"),
    ("The harbour bridge was repaired and opened again.", "1947-08-01"),
    ("A second lane was added to the harbour bridge.", "1961-06-30"),
    ("Tolls on the harbour bridge were abolished.", "1975-01-01"),
    ("The harbour bridge was painted green.", "1988-09-12"),
    ("The harbour bridge became a listed monument.", "1999-10-05"),
)


@pytest.fixture
def documents():
    return [Document(text, metadata={"filed": filed, "page": page}) for page, (text, filed) in enumerate(CORPUS)]


@pytest.fixture
def embeddings():
    return ChronotopeEmbeddings(HashEmbedder())


@pytest.fixture
def retriever(documents, embeddings):
    return DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed")


@pytest.fixture
def filled_store(documents, embeddings):
    store = InMemoryVectorStore(embeddings)
    store.add_documents(TimeAnnotator(date="filed").transform_documents(documents))
    return store


class Recorder(BaseCallbackHandler):
    """Remembers every run that was started: its kind, its id and its parent's id."""

    run_inline = True

    def __init__(self):
        self.runs = []

    def on_retriever_start(self, serialized, query, *, run_id, parent_run_id=None, **kwargs):
        self.runs.append(("retriever", run_id, parent_run_id, kwargs))

    def on_chat_model_start(self, serialized, messages, *, run_id, parent_run_id=None, **kwargs):
        self.runs.append(("chat", run_id, parent_run_id, kwargs))

    def on_llm_start(self, serialized, prompts, *, run_id, parent_run_id=None, **kwargs):
        self.runs.append(("llm", run_id, parent_run_id, kwargs))

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self.runs.append(("chain", run_id, parent_run_id, kwargs))

    def of(self, kind):
        return [run for run in self.runs if run[0] == kind]


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def dates():
    """Reads the `date` of every document."""
    return lambda found: [document.metadata["date"] for document in found]
