"""Every error this package raises on its own account, in one tree.

```
ChronotopeError
├── ReplyError              a model answered, but never acceptably
│   └── CutReply            it stopped at its length limit; what was complete is kept
├── TimeExpressionError     (ValueError) text that is no time
├── PromptError             a prompt file lacks a section or a value
├── BudgetError             the cap on calls or tokens was reached
├── OntologyError           (ValueError) an ontology that says nothing sound
├── FactError               (ValueError) a record that is no fact of its ontology
├── StoreError              a saved index cannot be used
│   ├── StoreVersionError   it was written by a newer format
│   └── StoreMismatchError  another kind, another embedder, another width
└── MissingExtraError       (ImportError) an optional dependency is absent
```

Errors of a provider (a refused key, an unreachable host) pass through unchanged once the retry policy is exhausted.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BudgetError",
    "ChronotopeError",
    "CutReply",
    "FactError",
    "MissingExtraError",
    "OntologyError",
    "PromptError",
    "ReplyError",
    "StoreError",
    "StoreMismatchError",
    "StoreVersionError",
    "TimeExpressionError",
]


class ChronotopeError(Exception):
    """The base of every error that chronotope raises itself."""


class ReplyError(ChronotopeError):
    """A model answered, but no attempt was acceptable.

    Attributes:
        prompt: name of the prompt that was asked.
        reply: text of the last reply, unchanged.
        problem: why the last reply was refused.
    """

    def __init__(self, prompt: str, reply: str, problem: str) -> None:
        super().__init__(f"no acceptable reply to prompt {prompt!r}: {problem}")
        self.prompt, self.reply, self.problem = prompt, reply, problem

    def __reduce__(self) -> tuple[type[ReplyError], tuple[str, str, str]]:
        return type(self), (self.prompt, self.reply, self.problem)


class CutReply(ReplyError):  # noqa: N818 - named for what came
    """A reply stopped at the length limit; what was complete of it is kept, and half the input may well fit.

    Attributes:
        partial: the checked value of the complete list items, None when nothing of the reply could be used.
    """

    def __init__(self, prompt: str, reply: str, problem: str, partial: Any = None) -> None:  # noqa: ANN401 - what check returns
        super().__init__(prompt, reply, problem)
        self.partial = partial

    def __reduce__(self) -> tuple[type[CutReply], tuple[Any, ...]]:
        return type(self), (self.prompt, self.reply, self.problem, self.partial)


class TimeExpressionError(ChronotopeError, ValueError):
    """A text that should be a time is none.

    Attributes:
        text: the text as it was given.
    """

    def __init__(self, text: str, problem: str = "is not a time that chronotope can read") -> None:
        super().__init__(f"{text!r} {problem}")
        self.text, self.problem = text, problem

    def __reduce__(self) -> tuple[type[TimeExpressionError], tuple[str, str]]:
        return type(self), (self.text, self.problem)


class PromptError(ChronotopeError):
    """A prompt file lacks a section, or a value for one of its placeholders."""


class BudgetError(ChronotopeError):
    """The cap on calls or tokens was reached; replies accepted so far are kept in the cache."""


class OntologyError(ChronotopeError, ValueError):
    """An ontology cannot be used; the message names the entry and what is wrong with it."""


class FactError(ChronotopeError, ValueError):
    """A record is no fact of its ontology, or its times and places contradict themselves; the message names the record."""


class StoreError(ChronotopeError):
    """A saved index cannot be used."""


class StoreVersionError(StoreError):
    """A saved index was written in a format newer than this version reads."""


class StoreMismatchError(StoreError):
    """A saved index is of another kind, or its vectors come from another embedder or have another width."""


class MissingExtraError(ChronotopeError, ImportError):
    """An optional dependency is absent; the message is the line that installs it.

    Attributes:
        extra: name of the extra to install.
    """

    def __init__(self, extra: str, need: str = "this feature") -> None:
        super().__init__(f'{need} needs an optional dependency: pip install "chronotope[{extra}]"')
        self.extra, self.need = extra, need

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), (self.extra, self.need)
