"""Tells what a step reported on the `chronotope` logger, where LangChain has no place to return it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from chronotope.records import Issue

__all__ = ["logger", "report"]

logger = logging.getLogger("chronotope.langchain")
_USUAL = {"undated", "published_guessed", "unplaced_time"}  # every corpus has some: nothing was lost


def report(issues: Iterable[Issue]) -> None:
    """One line for each kind of issue, with how often it came and its first message; a warning where something was lost."""
    issues = list(issues)
    first = {issue.kind: issue for issue in reversed(issues)}
    for kind, count in Counter(issue.kind for issue in issues).items():
        logger.log(logging.INFO if kind in _USUAL else logging.WARNING, "%d x %s", count, first[kind])
