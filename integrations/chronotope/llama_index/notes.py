"""Issues on the `chronotope` logger: one line with counts and an example, since a thousand lines would be read by nobody."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from chronotope.records import Issue

__all__ = ["log_issues"]

_log = logging.getLogger("chronotope")


def log_issues(what: str, issues: Sequence[Issue], *, level: int = logging.WARNING) -> None:
    """Log that something came with issues; nothing without any.

    Args:
        what: what was done.
        issues: what a careful user should know about it.
        level: how urgent it is.
    """
    if issues:
        counts = ", ".join(f"{count} {kind}" for kind, count in Counter(issue.kind for issue in issues).items())
        _log.log(level, "%s: %s; the first: %s", what, counts, issues[0])
