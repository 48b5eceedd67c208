"""The segment map: every segment once, as wide as it is long; links, turning points and issues where they belong."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope import Extraction, Issue
from chronotope.litseg import Segment
from chronotope.text import Unit
from chronotope.views import segment_map
from chronotope.views.segment_layout import count_words

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }} \"quoted\" 'too' & <b onclick=alert(2)>bold</b>"


class Drawn(HTMLParser):
    """Blocks and arcs as they stand in the file, line by line."""

    def __init__(self, page):
        super().__init__()
        self.lines, self.arcs, self.tags, self.attributes, self.data, self._in_data = [], [], [], set(), "", False
        self.feed(page.html)
        self.data = json.loads(self.data)

    @property
    def blocks(self):
        return [block for line in self.lines for block in line]

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        classes = (values.get("class") or "").split()
        self.tags.append(tag)
        self.attributes |= set(values)
        if "line" in classes:
            self.lines.append([])
        elif "block" in classes:
            width = float(re.fullmatch(r"width:([\d.]+)%", values["style"])[1])
            self.lines[-1].append({"i": int(values["data-i"]), "width": width, "classes": classes, "label": values["aria-label"]})
        elif tag == "path" and "dot" not in classes:
            self.arcs.append((int(values["data-needs"]), int(values["data-gives"]), float(re.match(r"M([\d.]+),", values["d"])[1])))
        self._in_data = tag == "script" and values.get("id") == "page-data"

    def handle_data(self, data):
        if self._in_data:
            self.data += data


def made(lengths, *, unit=None, start=0, context=None, **values):
    """Segments of so many words, one after another; `context` gives spans to some of them."""
    segments = []
    unit = unit or Unit(start=start, end=start + 5 * sum(lengths))
    for place, words in enumerate(lengths):
        span = {"char_start": start, "char_end": start + 5 * words}
        needs = (context or {}).get(place, ())
        segments.append(Segment(text="word " * words, source_id="tale", unit=unit, context=needs, **span, **values))
        start += 5 * words
    return segments


@given(st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=40), min_size=1, max_size=5))
def test_every_segment_is_drawn_once_in_order_the_wider_the_longer_and_never_too_narrow_to_read(units):
    segments, start = [], 0
    for number, lengths in enumerate(units):
        unit = Unit(start=start, end=start + 5 * sum(lengths), kind="chapter", title=f"Chapter {number}")
        segments += made(lengths, unit=unit, start=start)
        start = unit.end

    drawn = Drawn(segment_map(segments))

    words = [length for lengths in units for length in lengths]
    assert [block["i"] for block in drawn.blocks] == list(range(len(segments)))
    assert min(block["width"] for block in drawn.blocks) >= 14.99
    for line in drawn.lines:
        assert line
        assert sum(block["width"] for block in line) <= 100.01
        for one in line:
            for other in line:
                if one["width"] > other["width"] > 15.001:
                    assert one["width"] / other["width"] == pytest.approx(words[one["i"]] / words[other["i"]], rel=0.001)
                assert words[one["i"]] < words[other["i"]] or one["width"] >= other["width"] - 0.001
    assert [row["words"] for row in drawn.data] == words


@given(st.lists(st.integers(1, 400), min_size=7, max_size=40))
def test_a_unit_that_needs_several_lines_fills_each_of_them(lengths):
    drawn = Drawn(segment_map(made(lengths)))

    assert len(drawn.lines) > 1
    assert [sum(block["width"] for block in line) for line in drawn.lines] == pytest.approx([100] * len(drawn.lines), abs=0.01)


def test_units_on_one_line_are_as_wide_as_they_are_long():
    first, second = (Unit(start=n, end=n + 1000, kind="chapter", title=f"Chapter {n}") for n in (0, 1000))

    drawn = Drawn(segment_map([*made([200, 100], unit=first), *made([200, 250], unit=second, start=1000)]))

    assert [sum(block["width"] for block in line) for line in drawn.lines] == pytest.approx([100 * 300 / 450, 100], abs=0.01)


def test_a_short_unit_stays_on_one_line_and_a_long_one_is_broken():
    short = Drawn(segment_map(made([100] * 5)))
    long = Drawn(segment_map(made([100] * 600)))

    assert len(short.lines) == 1
    assert 600 / 6 <= len(long.lines) <= 600 / 4
    assert len(long.blocks) == 600


def test_an_arc_starts_at_the_needed_sentence_and_names_both_segments():
    segments = made([100, 100, 200], context={2: ((250, 300),)})

    drawn = Drawn(segment_map(segments))

    [(needs, gives, start)] = drawn.arcs
    assert (needs, gives) == (2, 0)
    assert start == pytest.approx(100 * 275 / 2000, abs=0.01)


def test_a_link_to_another_unit_is_listed_although_no_arc_can_show_it():
    first = Unit(start=0, end=500, kind="chapter", title="One")
    second = Unit(start=500, end=1000, kind="chapter", title="Two")
    segments = [*made([100], unit=first), *made([100], unit=second, start=500, context={0: ((10, 20),)})]

    drawn = Drawn(segment_map(segments))

    assert drawn.arcs == []
    assert [row["needs"] for row in drawn.data] == [[], [0]]


def test_several_needed_sentences_of_one_segment_are_one_link():
    drawn = Drawn(segment_map(made([50, 50], context={1: ((0, 5), (10, 15), (20, 25))})))

    assert len(drawn.arcs) == 1


@pytest.mark.parametrize("span", [(0, 5), (1260, 1270), (1900, 1910)])
def test_a_needed_sentence_that_no_segment_holds_is_no_link(span):
    unit = Unit(start=0, end=2000)
    segments = [*made([50], unit=unit, start=1000), *made([50], unit=unit, start=1300, context={0: (span,)})]

    drawn = Drawn(segment_map(segments))

    assert drawn.arcs == []
    assert drawn.data[1]["needs"] == []


def test_an_issue_is_marked_on_its_segment_and_the_others_are_listed():
    segments = made([10, 10])
    about_one = Issue("gap_closed", "sentence 3 was added", segments[1].id)
    about_all = Issue("reply_rejected", "the model answered <badly>", "tale")

    page = segment_map(segments, issues=[about_one, about_all])

    drawn = Drawn(page)
    assert ["wrong" in block["classes"] for block in drawn.blocks] == [False, True]
    assert [row["issues"] for row in drawn.data] == [[], ["sentence 3 was added"]]
    assert "the model answered &lt;badly&gt;" in page.html
    assert page.html.count("sentence 3 was added") == 1


def test_an_issue_about_a_chapter_stands_at_that_chapter():
    units = [Unit(start=n, end=n + 1, kind="chapter", title=title) for n, title in enumerate(("ONE", "ONE: MORE"))]
    segments = [Segment(text="x", source_id="tale", char_start=u.start, char_end=u.end, unit=u) for u in units]
    told = Issue("gap_closed", "ONE: MORE: sentence 3 was added", "tale")
    elsewhere = Issue("gap_closed", "ONE: MORE: sentence 4 was added", "another tale")

    page = segment_map(segments, issues=[told, elsewhere])

    rows = page.html.split('<section class="row')[1:]
    assert ["sentence 3 was added" in row for row in rows] == [False, True]
    assert "ONE: MORE: sentence 3" not in page.html
    assert page.html.count("ONE: MORE: sentence 4 was added") == 1
    assert "ONE: MORE: sentence 4" not in "".join(rows)


def test_turning_points_are_counted_over_the_book():
    segments = [*made([10], turning_points=("reversal",)), *made([10], start=50, turning_points=("reversal", "climax"))]

    page = segment_map(segments)

    assert re.findall(r'data-point="(\w+)".*?<small>(\d+)</small>', page.html) == [("reversal", "2"), ("climax", "1")]
    assert ["turns" in block["classes"] for block in Drawn(page).blocks] == [True, True]


def test_a_unit_without_a_heading_is_called_by_its_piece_or_as_what_it_is():
    def names(*units):
        segments = [Segment(text="x", source_id="s", char_start=u.start, char_end=u.end, unit=u) for u in units]
        return re.findall(r'<section class="row" role="group" aria-label="([^"]*)"', segment_map(segments).html)

    assert names(Unit(start=0, end=1)) == ["whole text"]
    assert names(Unit(start=0, end=1), Unit(start=1, end=2, kind="chapter", title="I")) == ["without heading", "I"]
    assert names(Unit(start=0, end=1, piece=1), Unit(start=1, end=2, piece=2)) == ["piece 1", "piece 2"]
    assert names(Unit(start=0, end=1, kind="chapter", title="I", piece=2)) == ["I (2)"]


def test_a_page_without_segments_says_so():
    page = segment_map([], issues=[Issue("blank", "the document is empty", "tale")])

    assert "There are no segments to show." in page.html
    assert "the document is empty" in page.html
    assert "no segments" in repr(page)


def test_segments_of_several_documents_stand_under_the_names_of_those():
    first = made([10, 10])
    second = [Segment(text="Other.", source_id="other & more", char_start=0, char_end=6, unit=Unit(start=0, end=6))]

    page = segment_map([*first, *second])

    assert re.findall(r'<h2 class="above"[^>]*>([^<]*)</h2>', page.html) == ["tale", "other &amp; more"]
    assert repr(page).startswith("Page('2 documents': 3 segments in 2 units of 2 documents, ")


def test_segments_of_a_document_stand_together_in_whatever_order_they_come():
    first, second = made([10, 20])
    other = Segment(text="Other.", source_id="other", char_start=0, char_end=6, unit=Unit(start=0, end=6))

    page = segment_map([first, other, second])

    assert re.findall(r'<h2 class="above"[^>]*>([^<]*)</h2>', page.html) == ["tale", "other"]
    assert [row["words"] for row in Drawn(page).data] == [10, 20, 1]


def test_an_extraction_is_drawn_with_its_issues_and_each_issue_once():
    told = Issue("gap_closed", "sentence 3 was added", "tale")
    found = Extraction(tuple(made([10, 10])), (told,))

    alone, again = segment_map(found), segment_map(found, issues=[told])

    assert alone == again
    assert alone.html.count("sentence 3 was added") == 1
    assert alone.title == "tale"


def test_a_chinese_book_is_measured_in_characters_and_an_english_one_beside_it_in_words():
    unit = Unit(start=0, end=9)
    chinese = Segment(text="宝玉来了，众人都笑。", source_id="zh", char_start=0, char_end=10, unit=unit)

    alone, both = segment_map([chinese]), segment_map([chinese, *made([10])])

    assert "8 characters" in repr(alone)
    assert " words" not in alone.html.split("<main>")[1].split("</main>")[0]
    assert re.findall(r'aria-label="[^"]*, (\d+ \w+)"', both.html) == ["8 characters", "10 words"]
    assert [row["counts"] for row in Drawn(both).data] == ["characters", "words"]


def test_books_and_volumes_are_headings_once_each():
    units = [Unit(start=n, end=n + 1, kind="chapter", title=f"Ch. {n}", parents=(f"VOLUME {n // 2}",)) for n in range(4)]
    segments = [Segment(text="x", source_id="s", char_start=u.start, char_end=u.end, unit=u) for u in units]

    page = segment_map(segments)

    assert re.findall(r'<h2 class="above"[^>]*>([^<]*)</h2>', page.html) == ["VOLUME 0", "VOLUME 1"]


@given(st.text(max_size=40).map(lambda text: text + HOSTILE) | st.text(min_size=1))
def test_no_text_changes_what_the_page_is_made_of(text):
    def page(told):
        unit = Unit(start=0, end=9, kind="chapter", title=told, parents=(told,))
        values = {"subtitle": told, "turning_points": (told,), "before": (told,), "after": (told,), "context": ((0, 1),)}
        segments = [Segment(text=told, source_id=told, char_start=n, char_end=n + 1, unit=unit, **values) for n in range(2)]
        return Drawn(segment_map(segments, issues=[Issue(told, told, told)], title=told))

    hostile, harmless = page(text), page("a")

    assert hostile.tags == harmless.tags
    assert hostile.attributes == harmless.attributes
    assert [row["subtitle"] for row in hostile.data] == [text, text]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("One, two; three.", 3),
        ("It’s a well-kept book.", 4),
        ("a it's o'clock", 3),
        ("第十七回 大觀園", 7),
        ("He said 你好 twice", 5),
        ("naïve Größe", 2),
        ("* * *", 0),
    ],
)
def test_words_are_counted_in_any_script(text, words):
    assert count_words(text) == words
