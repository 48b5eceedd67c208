"""What users are told in one line: issues on the `chronotope` logger with counts and an example, and what they may have meant."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches

from chronotope.records import Issue

__all__ = ["counted", "log_issues", "log_search", "logger", "shortened", "unknown_option"]

logger = logging.getLogger("chronotope")
_USUAL = {"left_out", "published_guessed", "undated", "unplaced_time"}  # every corpus has some, and nothing asked for was lost
_LOST = {"bad_date", "blank", "reply_cut", "reply_refused"}  # of a search, where everything else is an answer too
_SHOWN = 200  # characters of a question


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


def log_search(question: str, found: int, issues: Iterable[Issue]) -> None:
    """Log that a search came with issues, in one line for what it tells and one for what was lost; nothing without any.

    Args:
        question: as it was asked.
        found: number of passages.
        issues: what was reported; only what could not be read is a warning.
    """
    issues = list(issues)
    what = f"{counted(found, 'passage')} found for {shortened(question)!r}"
    _log(what, [issue for issue in issues if issue.kind in _LOST], logging.WARNING)
    _log(what, [issue for issue in issues if issue.kind not in _LOST], logging.INFO)


def counted(count: int, noun: str) -> str:
    """A number of things and the verb that agrees with it.

    >>> counted(1, "node"), counted(2, "node")
    ('1 node was', '2 nodes were')
    """
    return f"{count} {noun} was" if count == 1 else f"{count} {noun}s were"


def shortened(question: str) -> str:
    """A question for a line of a log, cut where it is very long."""
    return question if len(question) <= _SHOWN else question[:_SHOWN] + "…"


def unknown_option(name: str, known: Iterable[str]) -> str:
    """What to say about a keyword that does not exist.

    >>> unknown_option("undatd", ["k", "undated"])
    "there is no option 'undatd'; did you mean 'undated'?"
    """
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    return f"there is no option {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}")


def _log(what: str, issues: list[Issue], level: int) -> None:
    if issues:
        counts = ", ".join(f"{count} {kind}" for kind, count in Counter(issue.kind for issue in issues).items())
        logger.log(level, "%s: %s; the first: %s", what, counts, issues[0])
