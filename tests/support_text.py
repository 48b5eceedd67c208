"""Texts of every layout, for tests that cut them."""

from __future__ import annotations

import time
from collections.abc import Callable

from hypothesis import strategies as st

VERSE = (
    "  Tyger Tyger, burning bright,\r\n    In the forests of the night;\r\n\r\n* * *\r\n\r\n"
    "  What immortal hand or eye,\n\tCould frame?\n"
)
CHINESE = "第四句。第五句。“走吧！”她说。\n\n" + "Two  spaces.  And 第六句。"
PIECES = st.sampled_from(
    [
        "Dr. Lee left. ",
        "“Hi?” she said. ",
        "第四句。",
        "\r\n\r\n",
        "\n \n",
        "  ",
        "a" * 30,
        "😀 ",
        "\udc97",
        "\x00",
        "\x0c",
        "\ufeff",
        "... ",
        "e\u0301",
        "1) x ",
    ]
)
ANY_TEXT = (
    st.text(st.characters(codec=None), max_size=60) | st.lists(PIECES, max_size=25).map("".join) | st.sampled_from([VERSE, CHINESE])
)
BLANK = ["", "  \n\t", "\ufeff", "\ufeff \n\n\ufeff", "\x00", "\n\n\n\n", "\u200b \u2060"]
HUGE = {
    "one letter": "a" * 100_000,
    "a sentence of 50,000 characters": "word " * 10_000,
    "blank lines": "\n\n" * 50_000,
    "Chinese in one paragraph": "第四句。" * 25_000,
    "quotation marks": '"' * 100_000,
    "brackets": "([" * 50_000,
    "prose": "Dr. Lee left on Sunday. He ran away.\r\n\r\n" * 2_500,
}

Cut = Callable[[str], list[tuple[int, int]]]


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len(text)


def assert_partition(text: str, spans: list[tuple[int, int]]) -> None:
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


def assert_near_linear(cut: Cut, text: str) -> None:
    """Four times the text takes four times as long; sixteen times if it were quadratic."""

    def seconds(part: str) -> float:
        began = time.process_time()
        assert_partition(part, cut(part))
        return time.process_time() - began

    cut("Warm.")
    quarter = max(min(seconds(text[: len(text) // 4]) for _ in range(2)), 0.02)
    assert seconds(text) < 10 * quarter
