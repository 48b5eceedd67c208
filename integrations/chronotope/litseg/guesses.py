"""What a model would say of a unit, in about the right length: a dry run counts with it, nothing else does."""

from __future__ import annotations

from math import ceil

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.replies import EventsReply, ThreadReply, ThreadsReply
from chronotope.litseg.stages import most_events

__all__ = ["guessed_events", "guessed_threads"]

_EVENTS_GIVEN = 0.8  # of those that are allowed
_SENTENCES_A_THREAD = 45
_MOST_THREADS = 6
_EVENT_WORDS, _NAME_WORDS, _SHIFT_WORDS = 9, 6, 5
_CHARACTERS_A_WORD = 6  # a bound for scripts without blanks


def guessed_events(candidate: Candidate) -> EventsReply:
    """The beginnings of sentences in place of events: the same language and size."""
    n = len(candidate)
    count = ceil(_EVENTS_GIVEN * most_events(candidate))
    places = [1 + n * k // count for k in range(count)]
    return EventsReply(events=[f"{place}-{place + 1} {_beginning(candidate, place, _EVENT_WORDS)}" for place in places])


def guessed_threads(candidate: Candidate) -> ThreadsReply:
    """A thread for so many sentences, each with two shifts."""
    n = len(candidate)
    count = min(_MOST_THREADS, 1 + n // _SENTENCES_A_THREAD)
    return ThreadsReply(threads=[_thread(candidate, 1 + n * k // count) for k in range(count)])


def _thread(candidate: Candidate, place: int) -> ThreadReply:
    shift = f"{place} {_beginning(candidate, place, _SHIFT_WORDS)}"
    return ThreadReply(
        name=_beginning(candidate, place, _NAME_WORDS), sentences=f"{place}-{len(candidate)}, {place}", shifts=[shift, shift]
    )


def _beginning(candidate: Candidate, place: int, words: int) -> str:
    return " ".join(candidate.sentence(place).split()[:words])[: words * _CHARACTERS_A_WORD]
