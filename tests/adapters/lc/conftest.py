"""What the LangChain adapter's tests share: one small corpus, an embedder without a model, and a recorder of runs."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

# Without the framework there is nothing to test here, and nothing below is called.
collect_ignore_glob = [] if find_spec("langchain_core") else ["test_*.py"]

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
    from langchain_core.documents import Document

    return [Document(text, metadata={"filed": filed, "page": page}) for page, (text, filed) in enumerate(CORPUS)]


@pytest.fixture
def embeddings():
    from chronotope.langchain import ChronotopeEmbeddings
    from chronotope.testing import HashEmbedder

    return ChronotopeEmbeddings(HashEmbedder())


@pytest.fixture
def retriever(documents, embeddings):
    from chronotope.langchain import DiachronicRetriever

    return DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed")


@pytest.fixture
def filled_store(documents, embeddings):
    from langchain_core.vectorstores import InMemoryVectorStore

    from chronotope.langchain import TimeAnnotator

    store = InMemoryVectorStore(embeddings)
    store.add_documents(TimeAnnotator(date="filed").transform_documents(documents))
    return store


@pytest.fixture
def recorder():
    """Remembers every run that was started: its kind, its id, its parent's id, and what was told with it."""
    from langchain_core.callbacks import BaseCallbackHandler

    class Recorder(BaseCallbackHandler):
        run_inline = True

        def __init__(self):
            self.runs = []

        def remember(self, kind, run_id, parent_run_id=None, **told):
            self.runs.append((kind, run_id, parent_run_id, told))

        def on_retriever_start(self, serialized, query, **told):
            self.remember("retriever", **told)

        def on_chat_model_start(self, serialized, messages, **told):
            self.remember("chat", **told)

        def on_chain_start(self, serialized, inputs, **told):
            self.remember("chain", **told)

        def of(self, kind):
            return [run for run in self.runs if run[0] == kind]

    return Recorder()


@pytest.fixture
def dates():
    """Reads the `date` of every document."""
    return lambda found: [document.metadata["date"] for document in found]
