"""Issues on the logger: counted, what every corpus has apart from what was lost."""

from __future__ import annotations

import logging

from chronotope.notes import log_issues
from chronotope.records import Issue

USUAL = [Issue("undated", "no time", "a"), Issue("published_guessed", "read", "b"), Issue("unplaced_time", "no date", "c")]


def test_what_every_corpus_has_is_information_and_losses_are_warnings(caplog):
    with caplog.at_level(logging.INFO, "chronotope"):
        log_issues("3 nodes were added", [*USUAL, Issue("blank", "no text", "d"), Issue("blank", "no text", "e")])
    told = {record.levelno: record.getMessage() for record in caplog.records}
    assert told[logging.WARNING] == "3 nodes were added: 2 blank; the first: [blank] no text (d)"
    assert "1 undated, 1 published_guessed, 1 unplaced_time" in told[logging.INFO]
    assert {record.name for record in caplog.records} == {"chronotope"}


def test_usual_kinds_alone_and_nothing_at_all_warn_of_nothing(caplog):
    with caplog.at_level(logging.WARNING, "chronotope"):
        log_issues("added", USUAL)
        log_issues("added", [])
    assert not caplog.records


def test_the_level_of_losses_can_be_lowered(caplog):
    with caplog.at_level(logging.WARNING, "chronotope"):
        log_issues("found", [Issue("unresolved_time", "?")], level=logging.INFO)
    assert not caplog.records
