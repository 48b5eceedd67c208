"""Shared material: a dozen dated nodes about spaceflight, models without a model, and a server that counts its calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from chronotope.llama_index import ChronotopeEmbedding, DiachronicRetriever
from chronotope.testing import HashEmbedder

FACTS = [
    ("a", "1961-04-13", "Yuri Gagarin orbits the Earth in Vostok 1, launched on 12 April 1961."),
    ("b", "1962-02-21", "John Glenn orbits the Earth three times on 20 February 1962."),
    ("c", "1965-03-19", "Alexei Leonov walks in space for twelve minutes on 18 March 1965."),
    ("d", "1969-07-25", "Apollo 11 lands on the Moon on 20 July 1969."),
    ("e", "1972-12-20", "Apollo 17, the last crewed flight to the Moon, returns on 19 December 1972."),
    ("f", "1981-04-15", "The shuttle Columbia flies for the first time on 12 April 1981."),
    ("g", "1998-11-21", "Zarya, the first module of the space station, is launched on 20 November 1998."),
]


def make_nodes(facts: Sequence[tuple[str, str, str]] = FACTS, *, key: str = "published") -> list[TextNode]:
    """One node a fact, each from a document of its own."""
    return [
        TextNode(
            id_=name,
            text=text,
            metadata={key: date, "title": f"Report {name}"},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{name}")},
        )
        for name, date, text in facts
    ]


@pytest.fixture
def nodes() -> list[TextNode]:
    return make_nodes()


@pytest.fixture
def nodes_with() -> Callable[..., list[TextNode]]:
    return make_nodes


@pytest.fixture
def embedding() -> ChronotopeEmbedding:
    return ChronotopeEmbedding(embedder=HashEmbedder(256))


@pytest.fixture
def retriever(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> DiachronicRetriever:
    return DiachronicRetriever.from_nodes(nodes, embed_model=embedding, k=3)


class RecordingLLM(MockLLM):
    """Echoes, and remembers the messages of its last call and by which methods it was called."""

    last_chat_messages: Any = None
    called: Any = None

    @property
    def metadata(self) -> Any:
        return super().metadata.model_copy(update={"is_chat_model": True})

    def chat(self, messages: Any, **kwargs: Any) -> Any:
        self._remember("chat", messages)
        return super().chat(messages, **kwargs)

    def stream_chat(self, messages: Any, **kwargs: Any) -> Any:
        self._remember("stream_chat", messages)
        return super().stream_chat(messages, **kwargs)

    async def achat(self, messages: Any, **kwargs: Any) -> Any:
        self._remember("achat", messages)
        return await super().achat(messages, **kwargs)

    async def astream_chat(self, messages: Any, **kwargs: Any) -> Any:
        self._remember("astream_chat", messages)
        return await super().astream_chat(messages, **kwargs)

    def _remember(self, method: str, messages: Any) -> None:
        self.last_chat_messages, self.called = list(messages), [*(self.called or []), method]


@pytest.fixture
def chat_llm() -> RecordingLLM:
    return RecordingLLM()


class CountingEndpoint:
    """An OpenAI-compatible chat endpoint with one reply for documents and one for passages, which counts how often it was asked."""

    def __init__(self, server: HTTPServer) -> None:
        self.base_url = server.url_for("/v1")
        self.document: dict[str, Any] = {"published": None, "abstract": "A bridge."}
        self.reply: dict[str, Any] = {"events": []}
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._answer)

    @property
    def calls(self) -> int:
        return len(self.requests)

    def _answer(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request.get_json())
        about_document = '"abstract"' in request.get_json()["messages"][-1]["content"]
        message = {"role": "assistant", "content": json.dumps(self.document if about_document else self.reply)}
        body = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "counting",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
        return Response(json.dumps(body), content_type="application/json")


@pytest.fixture
def endpoint(httpserver: HTTPServer) -> CountingEndpoint:
    return CountingEndpoint(httpserver)


@pytest.fixture
def endpoint_llm(endpoint: CountingEndpoint) -> Callable[..., Any]:
    openai_like = pytest.importorskip("llama_index.llms.openai_like", exc_type=ImportError)

    def make(model: str = "counting", **options: Any) -> Any:
        return openai_like.OpenAILike(
            model=model, api_base=endpoint.base_url, api_key="sk-secret", is_chat_model=True, context_window=32_000, **options
        )

    return make
