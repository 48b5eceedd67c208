"""What the adapters share about options: the mode that is meant, values that are refused by name, and a short printed form."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import fields
from typing import Any, Final

from chronotope.litseg.rules import RuleSettings
from chronotope.litseg.settings import DEFAULTS, SegmentMode, SegmentSettings
from chronotope.notes import unknown_option
from chronotope.records import Issue

__all__ = [
    "checked_settings",
    "file_names",
    "meant_mode",
    "no_such_option",
    "type_name",
    "whole_number",
]

_OF_SIZES: Final = frozenset(
    {"chunk_size", "chunk_sizes", "chunk_length", "max_chunk_size", "max_tokens", "length_function", "tokenizer"}
)
_LONGEST_NAME: Final = 1_000  # characters
_SHOWN: Final = 60


def meant_mode(mode: SegmentMode | None, settings: SegmentSettings | None, *, has_model: bool) -> SegmentMode:
    """The mode that was said, or else the one that fits: `full` with a model, `rules` without.

    Args:
        mode: as said beside the settings; it goes before theirs.
        settings: their mode counts unless it is `rules`, which is also what settings have of which no mode was said.
        has_model: a model was given.
    """
    if mode is not None:
        return mode
    if settings is not None and settings.mode != DEFAULTS.mode:
        return settings.mode
    return "full" if has_model else "rules"


def checked_settings(given: Any) -> SegmentSettings | None:  # noqa: ANN401 - whatever a caller gave
    """Settings as they were given.

    Raises:
        TypeError: it is something else, such as the settings of the rules alone.
    """
    if given is None or isinstance(given, SegmentSettings):
        return given
    if isinstance(given, RuleSettings):
        raise TypeError(f"settings must be SegmentSettings; give {given!r} as rules=, or write SegmentSettings(rules=…)")
    raise TypeError(f"settings must be SegmentSettings(…), not {_told(given)}; a mode is given as mode=")


def whole_number(name: str, given: Any) -> int:  # noqa: ANN401 - whatever a caller gave
    """A whole number of at least 1.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is below 1.
    """
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name} must be a whole number of at least 1, not {_told(given)}")
    if given < 1:
        raise ValueError(f"{name} must be at least 1, not {given}")
    return given


def no_such_option(name: str, known: Collection[str]) -> str:
    """What to say about an option that does not exist.

    Args:
        name: as it was written.
        known: the options that there are.

    >>> no_such_option("max_word", ["max_words", "children"])
    "there is no option 'max_word'; did you mean 'max_words'?"
    >>> no_such_option("cohesion", ["rules"])
    "there is no option 'cohesion': write rules=RuleSettings(cohesion=…)"
    """
    follow = "segments follow the story"
    if name in _OF_SIZES:
        return f"there is no {name}: {follow}; rules=RuleSettings(length=…) sets their usual size in characters"
    if name == "chunk_overlap":
        return f"there is no {name}: {follow}, and sentences that help to understand one come as its context"
    for keyword, kind in (("settings", SegmentSettings), ("rules", RuleSettings)):
        if keyword in known and name in {field.name for field in fields(kind)}:
            return f"there is no option {name!r}: write {keyword}={kind.__name__}({name}=…)"
    return unknown_option(name, known)


def file_names(texts: Iterable[str]) -> tuple[Issue, ...]:
    """An issue for each text that is nothing but the name of a file that exists: whoever gave it meant what is in it.

    Args:
        texts: what is to be cut.
    """
    return tuple(
        Issue("file_name", f"{name!r} names a file, which was not read; give its text")
        for name in (text.strip() for text in texts)
        if 0 < len(name) < _LONGEST_NAME and "\n" not in name and os.path.isfile(name)
    )


def type_name(given: object) -> str:
    """The type of a value, with its module where names alone are alike in several libraries.

    >>> type_name("text"), type_name(Issue("blank", "no text"))
    ('str', 'chronotope.records.Issue')
    """
    kind = type(given)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _told(given: object) -> str:
    told = repr(given)
    return told if len(told) <= _SHOWN else type_name(given)
