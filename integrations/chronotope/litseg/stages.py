"""The prompts of the stages: one system text and one beginning for all, so that an endpoint reads a chapter once.

Every user message starts with the numbered chapter; what earlier stages found comes behind it, the task last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from pydantic import BaseModel

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.replies import EventsReply, LiteReply, SegmentsReply, ThreadReply, ThreadsReply
from chronotope.prompts import Prompt, fence

__all__ = ["EVENTS", "LITE", "SEGMENTS", "SYSTEM", "THREADS", "most_events", "numbered", "told_events", "told_threads"]

M = TypeVar("M", bound=BaseModel)
_PACKAGE: Final = "chronotope.litseg"
_FEWEST_EVENTS, _CHARACTERS_AN_EVENT = 4, 500
_WORKFLOW: Final = Prompt.load(_PACKAGE, "workflow", BaseModel)
SYSTEM: Final = _WORKFLOW.system


def _stage(name: str, reply: type[M]) -> Prompt[M]:
    task = Prompt.load(_PACKAGE, name, reply)
    return Prompt(f"litseg.{name}", task.version, SYSTEM, f"{_WORKFLOW.user}\n{task.user}", reply)


EVENTS: Final = _stage("events", EventsReply)
THREADS: Final = _stage("threads", ThreadsReply)
SEGMENTS: Final = _stage("segments", SegmentsReply)
LITE: Final = _stage("lite", LiteReply)


def numbered(candidate: Candidate) -> str:
    """The sentences of a candidate as a model reads them: fenced, one a line, each behind its number.

    White space inside a sentence becomes one blank, so that nothing but a sentence starts a line: a number in the text, such as
    `[7]` or a year, never stands where a sentence number does. A blank line ends a paragraph.
    """
    sentences = [candidate.sentence(index) for index in range(1, len(candidate) + 1)]
    lines = (f"{index} {' '.join(text.split())}{_paragraph_end(text)}" for index, text in enumerate(sentences, 1))
    return fence("\n".join(lines).rstrip("\n"), "chapter")


def most_events(candidate: Candidate) -> int:
    """How many events a model may list: by the length of the text, since dialogue has many sentences for little that happens."""
    characters = candidate.sentences[-1][1] - candidate.sentences[0][0]
    return min(len(candidate), max(_FEWEST_EVENTS, characters // _CHARACTERS_AN_EVENT))


def told_events(events: Iterable[str]) -> str:
    """What the first stage found, for the next ones."""
    return fence("\n".join(events) or "none", "events")


def told_threads(threads: Iterable[ThreadReply]) -> str:
    """What the second stage found, for the third."""
    lines = (
        "; ".join(part for part in (f"{thread.name} ({thread.level})", thread.sentences, *thread.shifts) if part)
        for thread in threads
    )
    return fence("\n".join(lines) or "none", "threads")


def _paragraph_end(sentence: str) -> str:
    behind = sentence[len(sentence.rstrip()) :]
    return "\n" if behind.count("\n") > 1 else ""
