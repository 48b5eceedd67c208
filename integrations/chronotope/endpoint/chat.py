"""A chat model at an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from chronotope.endpoint.base import Endpoint
from chronotope.endpoint.levels import Level, format_of, with_schema_text
from chronotope.endpoint.retries import speaks_of_format
from chronotope.endpoint.wire import Body, Exchange, adrive, drive
from chronotope.errors import ReplyError
from chronotope.models import Message, Reply, Schema
from chronotope.records import content_id

if TYPE_CHECKING:
    from openai import APIStatusError

__all__ = ["ChatEndpoint"]

_PATH: Final = "/chat/completions"
_UNFIT: Final = frozenset({400, 422})
_REFUSED: Final = frozenset({400, 404, 422, 500, 501})
_SHOWN: Final = 500


@dataclass
class _Memory:
    """What was learnt of the endpoint: the first level worth trying, and whether it has worked; and the last format, made once."""

    level: Level = Level.SCHEMA
    proven: bool = False
    _last: tuple[Level, Schema, dict[str, Any]] | None = None

    def format_of(self, level: Level, schema: Schema) -> dict[str, Any]:
        """The request fields of a level; a run asks for the same schema thousands of times."""
        last = self._last
        if last is None or last[0] is not level or last[1] is not schema:
            last = self._last = (level, schema, format_of(level, schema))
        return last[2]


@dataclass(frozen=True, eq=False, repr=False)
class ChatEndpoint(Endpoint):
    """Chat completions.

    Args:
        base_url: address of the API, such as `http://localhost:8000/v1`.
        model: name of the model.
        temperature: None leaves it to the server, as some reasoning models demand.
        max_tokens: length limit of a reply; None leaves it to the server.
        strictness: `auto` asks for the schema, steps down to JSON mode and to plain text where the endpoint refuses or answers
            blank, and remembers; `schema`, `json` and `text` stay where they are.

    The other arguments and the errors are those of every `Endpoint`; vLLM's own fields go into `extra_body`.

    >>> ChatEndpoint("http://localhost:8000/v1", "qwen", api_key="secret")
    ChatEndpoint('http://localhost:8000/v1', 'qwen')
    """

    temperature: float | None = field(default=0.0, kw_only=True)
    max_tokens: int | None = field(default=None, kw_only=True)
    strictness: Literal["auto", "schema", "json", "text"] = field(default="auto", kw_only=True)
    _memory: _Memory = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        fixed = {"auto": Level.SCHEMA, "schema": Level.SCHEMA, "json": Level.JSON, "text": Level.TEXT}
        if self.strictness not in fixed:
            raise ValueError(f"strictness is one of {', '.join(fixed)}, not {self.strictness!r}")
        object.__setattr__(self, "_memory", _Memory(fixed[self.strictness]))

    @property
    def model_id(self) -> str:
        """The model, and a hash of whatever else shapes its answers; the address is no part of it."""
        return f"{self.model}#{content_id(self.temperature, self.max_tokens, sorted((self.extra_body or {}).items()))}"

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """Answer, as JSON under `schema` when one is given; raises the errors of `Endpoint`."""
        return drive(self._exchange(list(messages), schema), partial(self._wire.post, _PATH))

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The same, awaited."""
        return await adrive(self._exchange(list(messages), schema), partial(self._wire.apost, _PATH))

    def _exchange(self, messages: list[Message], schema: Schema | None) -> Exchange[Reply]:
        """Ask at the strictest level that may work, and a level lower each time that the endpoint cannot."""
        from openai import APIStatusError

        if schema is None:
            return _reply((yield self._body(messages)), self.model)
        levels = [self._memory.level] if self.strictness != "auto" else list(Level)[self._memory.level :]
        for level in levels:
            try:
                reply = _reply((yield self._body(messages, schema, level)), self.model)
            except APIStatusError as refusal:
                if level is levels[-1] or not self._is_about_the_level(refusal, level):
                    raise
                continue
            if reply.text.strip():
                self._memory.level, self._memory.proven = level, True
            if reply.text.strip() or reply.truncated:
                break
        return reply

    def _is_about_the_level(self, refusal: APIStatusError, level: Level) -> bool:
        """True when a lower level may be accepted: the endpoint says so, or it refuses a body at a level that has never worked."""
        if refusal.status_code not in _REFUSED:
            return False
        proven = self._memory.proven and self._memory.level is level
        return speaks_of_format(refusal) or (refusal.status_code in _UNFIT and not proven)

    def _body(self, messages: list[Message], schema: Schema | None = None, level: Level = Level.TEXT) -> Body:
        told = messages if schema is None or level is Level.SCHEMA else with_schema_text(messages, schema)
        body: dict[str, Any] = {"model": self.model, "messages": [{"role": turn.role, "content": turn.content} for turn in told]}
        limits = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        body |= {name: value for name, value in limits.items() if value is not None}
        return body | (self._memory.format_of(level, schema) if schema is not None else {}) | dict(self.extra_body or {})


def _reply(answer: Any, model: str) -> Reply:  # noqa: ANN401 - JSON
    """The first choice of an answer.

    Raises:
        ReplyError: the answer is no chat completion, as when a proxy reports its trouble with status 200.
    """
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not choices:
        raise ReplyError(model, str(answer)[:_SHOWN], "the endpoint's answer is no chat completion")
    usage = answer.get("usage") or {}
    return Reply(
        _text(choices[0].get("message") or {}),
        truncated=choices[0].get("finish_reason") == "length",
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=usage.get("completion_tokens"),
    )


def _text(message: dict[str, Any]) -> str:
    """The content of a message, which some servers give in parts, and as null when the model refuses."""
    content = message.get("content") or message.get("refusal") or ""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
