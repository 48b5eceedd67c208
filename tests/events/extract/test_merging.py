"""One unit a sentence, and one for neighbours that go on about the same subject at the same time."""

from __future__ import annotations

import pytest

from support_events import by_rules, times


def test_what_one_subject_does_on_one_day_is_one_event() -> None:
    text = "On 3 May 1931 Ann Lee sold the mill. On 3 May 1931 she left Turin. On 4 May 1931 she came to Leeds."
    first, second = by_rules(text).items
    assert first.text == "On 3 May 1931 Ann Lee sold the mill. On 3 May 1931 Ann Lee left Turin."
    assert text[first.char_start : first.char_end] == "On 3 May 1931 Ann Lee sold the mill. On 3 May 1931 she left Turin."
    assert (times(first), times(second)) == (["1931-05-03"], ["1931-05-04"])
    assert first.entities == ("Ann Lee", "Turin")


@pytest.mark.parametrize(
    "text",
    [
        "In May 1931 Ann Lee left. In June 1931 Ann Lee came.",
        "In May 1931 Ann Lee left. In May 1931 Eva Bok came.",
        "In May 1931 Ann Lee left. Ann Lee sold the mill.",
        "In May 1931 Ann Lee left.\n\nIn May 1931 Ann Lee sold the mill.",
        "In May 1931 Ann Lee left. Much remains uncertain here. In May 1931 Ann Lee sold the mill.",
        "Ann Lee left. Ann Lee came.",
    ],
)
def test_other_times_subjects_paragraphs_and_undated_sentences_are_not_merged(text: str) -> None:
    assert all(event.text.count("Ann Lee") + event.text.count("Eva Bok") <= 1 for event in by_rules(text).items)
    assert len(by_rules(text).items) == 2


def test_a_merged_event_stays_short() -> None:
    text = " ".join(f"In May 1931 Ann Lee sold boat {n}." for n in range(9))
    assert [event.text.count("boat") for event in by_rules(text).items] == [3, 3, 3]
    long = " ".join(f"In May 1931 Ann Lee sold boat {n} to somebody {'very ' * 60}rich." for n in range(3))
    assert len(by_rules(long).items) == 3
