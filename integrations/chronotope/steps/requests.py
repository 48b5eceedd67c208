"""What a step may ask for: a reply, vectors, scores, or the results of other steps. Requests are values; nothing here does I/O."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, overload

from pydantic import BaseModel

from chronotope.errors import CutReply
from chronotope.models import EmbedKind, Message, Reply, Schema, Vectors
from chronotope.prompts import Prompt
from chronotope.records import content_id
from chronotope.replies import read_reply
from chronotope.steps.blanks import blank_reply

__all__ = [
    "Ask",
    "Call",
    "Chat",
    "CutReply",
    "Embed",
    "EmbedBatch",
    "Foreign",
    "Gather",
    "Rank",
    "Request",
    "Step",
    "ask",
    "ask_in_halves",
    "call",
    "embed",
    "gather",
    "rank",
]

T = TypeVar("T")
R = TypeVar("R")
P = TypeVar("P")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Ask(Generic[R]):
    """A request for an accepted reply.

    Args:
        prompt: what was filled.
        messages: the filled prompt.
        check: turns the reply model into the result, or raises ValueError with the reason to ask again; None keeps the model.
        attempts: how often the model may answer.
        blank: what a dry run gets instead of a result; None builds one from the reply model.
        expected: size of a usual reply, in tokens, for an estimate; 0 when it is not known.
    """

    prompt: Prompt[Any]
    messages: tuple[Message, ...]
    check: Callable[[Any], R] | None = None
    attempts: int = 3
    blank: R | None = None
    expected: int = 0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts}")

    def key(self, model_id: str) -> str:
        """The name under which an accepted reply is kept."""
        return content_id("reply", model_id, self.prompt.content_hash, *((turn.role, turn.content) for turn in self.messages))

    def read(self, reply: Reply) -> R:
        """The checked value of a reply.

        Raises:
            CutReply: the reply is incomplete; whatever it has is in `.partial`.
            ValueError: the reply is refused, with the reason for the model.
        """
        try:
            reading = read_reply(reply.text, self.prompt.reply, truncated=reply.truncated)
            value = self.checked(reading.value)
        except ValueError as refusal:
            if reply.truncated:
                raise CutReply(self.prompt.name, reply.text, "the reply was cut at the length limit") from refusal
            raise
        if reading.cut:
            raise CutReply(self.prompt.name, reply.text, "the reply ended before its JSON did", value)
        return value

    def checked(self, value: Any) -> R:  # noqa: ANN401 - an instance of the reply model
        """The result that `check` makes of the reply model."""
        return self.check(value) if self.check is not None else value

    def blank_value(self) -> R:
        """What a dry run answers.

        Raises:
            ValueError: `check` refuses the emptiest reply, so the step must give a `blank`.
        """
        if self.blank is not None:
            return self.blank
        try:
            return self.checked(blank_reply(self.prompt.reply))
        except ValueError as refusal:
            raise ValueError(f"prompt {self.prompt.name!r} needs blank= for a dry run: {refusal}") from refusal


@dataclass(frozen=True)
class Embed:
    """A request for the vectors of texts."""

    texts: tuple[str, ...]
    kind: EmbedKind = "passage"


@dataclass(frozen=True)
class Rank:
    """A request for one score a text, higher is better."""

    query: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Gather:
    """A request to run steps side by side and get their results in order."""

    steps: tuple[Step[Any], ...]


@dataclass(frozen=True)
class Foreign:
    """A call of something that is no model, such as a vector store that belongs to the user.

    Args:
        sync: makes the call on a thread.
        awaited: makes it as a task of the caller's loop.
        blank: what a dry run gets.
    """

    sync: Callable[[], Any]
    awaited: Callable[[], Awaitable[Any]]
    blank: Any = ()


@dataclass(frozen=True)
class Chat:
    """One call of a chat model, as the conversation behind an Ask makes it."""

    messages: tuple[Message, ...]
    schema: Schema
    again: bool = False


@dataclass(frozen=True)
class EmbedBatch:
    """One call of an embedder, as an Embed makes it."""

    texts: tuple[str, ...]
    kind: EmbedKind


Call: TypeAlias = Chat | EmbedBatch | Rank | Foreign
Request: TypeAlias = Ask[Any] | Embed | Rank | Gather | Foreign
Step: TypeAlias = Generator[Request, Any, T]


@overload
def ask(
    prompt: Prompt[M], /, *, check: None = None, attempts: int = 3, blank: M | None = None, expected: int = 0, **values: object
) -> Step[M]: ...
@overload
def ask(
    prompt: Prompt[M],
    /,
    *,
    check: Callable[[M], R],
    attempts: int = 3,
    blank: R | None = None,
    expected: int = 0,
    **values: object,
) -> Step[R]: ...
def ask(
    prompt: Prompt[Any],
    /,
    *,
    check: Callable[[Any], Any] | None = None,
    attempts: int = 3,
    blank: Any = None,
    expected: int = 0,
    **values: object,
) -> Step[Any]:
    """Ask a chat model until its reply is acceptable.

    Args:
        prompt: the question; its reply model is validated first.
        check: turns the validated reply into the result; a ValueError it raises (`Rejected` says it well) goes to the model
            as the reason to answer again. None gives the reply model itself.
        attempts: how often the model may answer.
        blank: the result in a dry run (`Runner.estimate`); None builds an empty reply and checks it.
        expected: size of a usual reply, in tokens, for an estimate; 0 when it is not known.
        values: one for each placeholder.

    Raises:
        PromptError: a placeholder has no value.
        ReplyError: no attempt was acceptable.
        CutReply: the reply was cut; not asked again, since the same input would be cut again.
    """
    result = yield Ask(prompt, tuple(prompt.fill(**values)), check, attempts, blank, expected)
    return result


def ask_in_halves(make: Callable[[Sequence[P]], Step[R]], pieces: Sequence[P]) -> Step[list[tuple[Sequence[P], R, bool]]]:
    """Ask about all pieces at once; where the reply is cut, ask about each half instead, down to one piece.

    Args:
        make: a step that asks about some of the pieces, usually an `ask`.
        pieces: what may be divided: sentences, passages, events. Order is kept.

    Returns:
        For each part that was asked: its pieces, the result, and True when even one piece was cut, so that the result holds
        only what was complete.

    Raises:
        CutReply: one piece was cut with nothing usable in the reply.
    """
    try:
        result = yield from make(pieces)
    except CutReply as cut:
        if len(pieces) > 1:
            middle = len(pieces) // 2
            halves = yield from gather([ask_in_halves(make, pieces[:middle]), ask_in_halves(make, pieces[middle:])])
            return [part for half in halves for part in half]
        if cut.partial is None:
            raise
        return [(pieces, cut.partial, True)]
    return [(pieces, result, False)]


def embed(texts: Iterable[str], *, kind: EmbedKind = "passage") -> Step[Vectors]:
    """One unit vector a text, as rows; a blank text gets zeros and is not sent.

    Args:
        texts: what to embed.
        kind: `query` for questions, since some embedders treat them differently.

    Raises:
        StoreMismatchError: two batches, or a batch and the cache, have vectors of different widths.
    """
    vectors: Vectors = yield Embed(tuple(texts), kind)
    return vectors


def rank(query: str, texts: Iterable[str]) -> Step[list[float]]:
    """One score a text, higher is better, in the order of the texts."""
    scores: list[float] = yield Rank(query, tuple(texts))
    return scores


def call(sync: Callable[[], T], awaited: Callable[[], Awaitable[T]], *, blank: Any = ()) -> Step[T]:  # noqa: ANN401 - stands for T
    """Call something that is no model; the runner picks the form that fits its driver and limits how many run at once.

    Args:
        sync: makes the call on a thread.
        awaited: makes it as a task of the caller's loop.
        blank: the result in a dry run.
    """
    result: T = yield Foreign(sync, awaited, blank)
    return result


def gather(steps: Iterable[Step[T]]) -> Step[list[T]]:
    """Run steps side by side and give their results in order; the first failure closes the others and is raised here.

    A step that may fail alone catches its own error and returns something else.
    """
    results: list[T] = yield Gather(tuple(steps))
    return results
