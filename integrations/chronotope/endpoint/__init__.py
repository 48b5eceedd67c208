"""Models at OpenAI-compatible endpoints: vLLM, llama.cpp, hosted services. The openai client is loaded at the first call."""

from chronotope.endpoint.base import Endpoint
from chronotope.endpoint.chat import ChatEndpoint
from chronotope.endpoint.embeddings import EmbeddingEndpoint
from chronotope.endpoint.failures import describe_failure
from chronotope.endpoint.rerank import RerankEndpoint

__all__ = ["ChatEndpoint", "EmbeddingEndpoint", "Endpoint", "RerankEndpoint", "describe_failure"]
