"""Issues on the `chronotope` logger: a line with counts and an example, since a thousand lines would be read by nobody."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from chronotope.records import Issue

__all__ = ["log_issues", "logger"]

logger = logging.getLogger("chronotope")
_USUAL = {"undated", "published_guessed", "unplaced_time"}  # every corpus has some, and nothing was lost


def log_issues(what: str, issues: Iterable[Issue], *, level: int = logging.WARNING) -> None:
    """Log that something came with issues; nothing without any.

    Args:
        what: what was done.
        issues: what a careful user should know about it; kinds that every corpus has are logged as information.
        level: how urgent the others are.
    """
    issues = list(issues)
    _log(what, [issue for issue in issues if issue.kind not in _USUAL], level)
    _log(what, [issue for issue in issues if issue.kind in _USUAL], logging.INFO)


def _log(what: str, issues: list[Issue], level: int) -> None:
    if issues:
        counts = ", ".join(f"{count} {kind}" for kind, count in Counter(issue.kind for issue in issues).items())
        logger.log(level, "%s: %s; the first: %s", what, counts, issues[0])
