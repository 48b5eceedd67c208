"""What transformations share: a form of prompts and models that fits dumps, cache keys and worker processes, and a runner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

from llama_index.core.llms import LLM
from pydantic import BaseModel

from chronotope.cache import ReplyCache
from chronotope.llama_index.models import AnyChat, as_chat
from chronotope.models import Embedder
from chronotope.prompts import Prompt
from chronotope.steps import Runner

__all__ = ["dumped_llm", "prompt_as_text", "prompt_from_text", "runner_for"]

M = TypeVar("M", bound=BaseModel)
_SECRET = ("key", "token", "secret", "password", "header", "credential")


@contextmanager
def runner_for(
    llm: AnyChat | None,
    *,
    cache_path: str | None,
    concurrency: int,
    embedder: Embedder | None = None,
    progress: bool = False,
) -> Iterator[Runner]:
    """A runner for one run, with the cache file open as long as it lasts.

    Args:
        llm: answers questions, if anything does.
        cache_path: a file that keeps accepted replies; None keeps none.
        concurrency: calls under way at once.
        embedder: makes vectors, if any are asked for.
        progress: show a bar on standard error.
    """
    with ReplyCache(cache_path) if cache_path else nullcontext() as cache:
        yield Runner(as_chat(llm), embedder, cache=cache, concurrency=concurrency, progress=progress)


def prompt_as_text(prompt: Prompt[Any]) -> str:
    """A prompt as the text of a prompt file."""
    system = f"# system\n{prompt.system}\n" if prompt.system else ""
    return f"version: {prompt.version}\n{system}# user\n{prompt.user}\n"


def prompt_from_text(text: str, default: Prompt[M]) -> Prompt[M]:
    """The text of a prompt file as a prompt with the name and the reply of another.

    Raises:
        PromptError: the text is no prompt.
    """
    return Prompt.parse(text, default.name, default.reply)


def dumped_llm(llm: AnyChat | None) -> dict[str, Any] | None:
    """What cache keys and dumps tell of a model: all that changes its answers, and no credential."""
    if llm is None:
        return None
    if isinstance(llm, LLM):
        return {name: value for name, value in llm.to_dict().items() if name == "max_tokens" or not _is_secret(name)}
    return {"model_id": llm.model_id}


def _is_secret(name: str) -> bool:
    return any(word in name for word in _SECRET)
