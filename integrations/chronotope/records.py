"""The values that every method takes and gives: documents, passages, hits, issues, extractions, answers. All frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from chronotope.temporal.interval import TimeInterval

__all__ = ["Answer", "Document", "Evidence", "Extraction", "Hit", "Issue", "Passage", "Scalar", "Spent", "content_id"]

Scalar: TypeAlias = str | int | float | bool | None
Item = TypeVar("Item")
_SHOWN = 40  # characters of a text in a repr


def content_id(*parts: object) -> str:
    """A short id that depends on nothing but the parts: the same input gives the same id on every machine and run.

    >>> content_id("a", 1) == content_id("a", 1), content_id("a", "bc") == content_id("ab", "c")
    (True, False)
    """
    digest = blake2b(digest_size=12)
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _beginning(text: str) -> str:
    """The first words of a text, on one line."""
    words = " ".join(text[: 4 * _SHOWN].split())
    return words if len(words) <= _SHOWN else words[:_SHOWN].rstrip() + "…"


@dataclass(frozen=True)
class Issue:
    """Something that was dropped, repaired or guessed, told to the caller instead of hidden.

    Args:
        kind: a stable word to count by, such as `undated` or `reply_rejected`.
        message: one sentence for a person.
        source_id: the document, passage or record that it is about, when there is one.
    """

    kind: str
    message: str
    source_id: str | None = None

    def __str__(self) -> str:
        return f"[{self.kind}] {self.message}" + (f" ({self.source_id})" if self.source_id else "")


@dataclass(frozen=True)
class Spent:
    """What model work cost; values add up with `+`.

    Args:
        calls: requests that reached a model.
        prompt_tokens: tokens sent, as the endpoint counted them, else estimated.
        completion_tokens: tokens received.
        embedded: texts embedded.
        ranked: texts scored by a reranker.
        cached: replies and vectors that came from the cache.
        rejected: replies that were refused and asked again.
        failed: requests given up.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded: int = 0
    ranked: int = 0
    cached: int = 0
    rejected: int = 0
    failed: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens} tokens in, {self.completion_tokens} out"
        rest = f"{self.embedded} embedded, {self.cached} from cache, {self.rejected} rejected, {self.failed} failed"
        return f"{self.calls} calls ({tokens}), {rest}"


@dataclass(frozen=True)
class Document:
    """A whole source text before it is cut.

    Args:
        text: the text; offsets of passages count its characters.
        id: a stable name; a hash of text and metadata when empty.
        metadata: flat JSON scalars.
        published: when the document was written, if known; never the date of loading.

    Raises:
        TypeError: the text is no `str`, such as a path.

    >>> Document("Call me Ishmael. Some years ago I went to sea, to see the watery part of the world.", id="whale")
    Document('whale', 83 characters: 'Call me Ishmael. Some years ago I went t…')
    """

    text: str
    id: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    published: TimeInterval | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"text must be a str, not {type(self.text).__name__}; read a file first, such as path.read_text()")
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        if not self.id:
            object.__setattr__(self, "id", content_id(self.text, sorted(self.metadata.items())))

    def __repr__(self) -> str:
        return f"Document({self.id!r}, {len(self.text):,} characters: {_beginning(self.text)!r})"

    def __reduce__(self) -> tuple[type[Document], tuple[object, ...]]:
        return type(self), (self.text, self.id, dict(self.metadata), self.published)


@dataclass(frozen=True)
class Passage:
    """A stretch of a document that is retrieved as a whole, with the times it tells of.

    Args:
        text: what is shown to a reader.
        id: a stable name; a hash of source, place and text when empty.
        source_id: id of the document.
        char_start: first character in the source text, or None when unknown.
        char_end: first character after it.
        times: when the told events happened; empty means undated.
        static: True for facts outside time; a passage with `times` is none.
        published: when the source was written.
        metadata: everything else, flat JSON scalars.
    """

    text: str
    id: str = ""
    source_id: str = ""
    char_start: int | None = None
    char_end: int | None = None
    times: tuple[TimeInterval, ...] = ()
    static: bool = False
    published: TimeInterval | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", tuple(self.times))
        object.__setattr__(self, "static", self.static and not self.times)
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        if not self.id:
            object.__setattr__(self, "id", content_id(self.source_id, self.char_start, self.char_end, self.text))

    @property
    def told_times(self) -> tuple[TimeInterval, ...]:
        """The times at which the passage counts: those of its events and its date of writing; none for facts outside time."""
        if self.static or self.published is None or self.published in self.times:
            return self.times
        return (*self.times, self.published)

    @property
    def is_undated(self) -> bool:
        """True when nothing tells when: no event time, no date of writing, and no fact outside time."""
        return not self.told_times and not self.static

    def to_json(self) -> dict[str, object]:
        """The passage as JSON values; `from_json` is the inverse."""
        flat = {name: getattr(self, name) for name in ("text", "id", "source_id", "char_start", "char_end", "static")}
        dates = {"times": [str(time) for time in self.times], "published": self.published and str(self.published)}
        return {**flat, **dates, "metadata": dict(self.metadata)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Passage:
        """Read what `to_json` wrote."""
        times = tuple(TimeInterval.parse(text) for text in saved["times"])
        published = TimeInterval.parse(saved["published"]) if saved["published"] else None
        return cls(**{**saved, "times": times, "published": published})

    def __repr__(self) -> str:
        """Id, times and first words: a list of passages has to fit on a screen."""
        times = ("outside time",) if self.static else tuple(str(time) for time in self.times)
        return f"Passage({', '.join((repr(self.id), *times, f'{len(self.text):,} characters'))}: {_beginning(self.text)!r})"

    def __reduce__(self) -> tuple[type[Passage], tuple[object, ...]]:
        state = (self.text, self.id, self.source_id, self.char_start, self.char_end, self.times, self.static)
        return type(self), (*state, self.published, dict(self.metadata))


@dataclass(frozen=True)
class Hit:
    """A retrieved passage with its score (higher is better).

    Args:
        passage: what was found.
        score: similarity after filter, fusion and boost; comparable within one result only.
        in_scope: True when the passage overlaps the asked time (or none was asked).
    """

    passage: Passage
    score: float
    in_scope: bool = True


@dataclass(frozen=True)
class Extraction(Generic[Item]):
    """What an extractor found, together with what it dropped, repaired or guessed.

    Args:
        items: the results, in source order.
        issues: one for each thing that is not as it should be.
    """

    items: tuple[Item, ...] = ()
    issues: tuple[Issue, ...] = ()

    def __add__(self, other: Extraction[Item]) -> Extraction[Item]:
        return Extraction(self.items + other.items, self.issues + other.issues)


@dataclass(frozen=True)
class Evidence:
    """One line of an answer's support: a number to cite it by, the passage, and its time in words.

    Args:
        number: from 1, in the order shown.
        passage: what was shown.
        when: its time for a reader.
        score: why it is among the evidence.
        series: letter before the number where several lists are numbered apart, such as `P` for passages beside events.
    """

    number: int
    passage: Passage
    when: str
    score: float
    series: str = ""

    @property
    def mark(self) -> str:
        """What an answer cites it by, without the brackets.

        >>> Evidence(2, Passage("…"), "", 1.0, series="P").mark
        'P2'
        """
        return f"{self.series}{self.number}"


@dataclass(frozen=True)
class Answer:
    """An answer with the evidence it rests on.

    Args:
        text: the answer.
        evidence: what was shown to the model or reader, in the order shown.
        by_model: False when no model was used and the text is an extract.
        issues: what a careful reader should know.
    """

    text: str
    evidence: tuple[Evidence, ...] = ()
    by_model: bool = True
    issues: tuple[Issue, ...] = ()
