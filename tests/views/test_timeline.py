"""The timeline: every event once with its number, in the lane of whom it names first; facts apart; hostile text stays text."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope import Passage, TimeInterval
from chronotope.events import EventRetrieval, EventUnit, Timeline
from chronotope.records import Hit
from chronotope.temporal.scope import parse_scope
from chronotope.views import timeline_view
from chronotope.views.timeline_lanes import lanes_of

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }} \"quoted\" 'too' & <b onclick=alert(2)>bold</b>"
NAMES = ("Ann Lee", "Bo Tarn", "Orla Works", "Turin")


def event(text, *times, **values):
    return EventUnit(text=text, times=tuple(map(TimeInterval.parse, times)), **values)


class Made(HTMLParser):
    """What stands in the file before a script runs."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.groups, self.apart, self._data, self._in_data = [], set(), [], [], "", False
        self.feed(page.html)
        self.data = json.loads(self._data)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes |= set(values)
        if values.get("role") == "group":
            self.groups.append(values["aria-label"])
        if "data-apart" in values:
            self.apart.append(int(values["data-apart"]))
        self._in_data = tag == "script" and values.get("id") == "page-data"

    def handle_data(self, data):
        if self._in_data:
            self._data += data


def events_of(kinds):
    times = {
        "day": ("1901-05-06",),
        "long": ("1896/1904",),
        "two": ("1901", "1903-02"),
        "open": ("1905/..",),
        "none": (),
        "static": (),
    }
    return [
        event(f"{'; '.join(names)} did thing {n}.", *times[kind], static=kind == "static", entities=tuple(names))
        for n, (kind, names) in enumerate(kinds)
    ]


KINDS = st.tuples(st.sampled_from(["day", "long", "two", "open", "none", "static"]), st.lists(st.sampled_from(NAMES), max_size=3))


@given(st.lists(KINDS, max_size=40))
def test_every_event_has_its_number_and_stands_in_one_lane_or_apart(kinds):
    events = events_of(kinds)

    made = Made(timeline_view(events))

    in_lanes = [place + 1 for lane in made.data["lanes"] for place in lane["events"]]
    assert [one["n"] for one in made.data["events"]] == list(range(1, len(events) + 1))
    assert sorted(in_lanes + made.apart) == list(range(1, len(events) + 1))
    assert all((event.times != ()) == (number in in_lanes) for number, event in enumerate(events, start=1))


@given(st.lists(KINDS, max_size=40), st.integers(1, 5))
def test_a_lane_belongs_to_an_entity_of_all_its_events(kinds, limit):
    events = events_of(kinds)

    lanes = lanes_of(events, limit=limit)

    assert all(lane.name in events[place].entities for lane in lanes if lane.name for place in lane.events)
    assert sum(1 for lane in lanes if lane.name) <= limit
    assert [lane.name for lane in lanes[:-1]].count("") == 0


def test_an_event_stands_in_the_lane_of_whom_its_sentence_names_first():
    both = ("Ann Lee", "Orla Works")
    events = [
        event("Ann Lee left the Orla Works.", "1902", entities=both),
        event("The Orla Works dismissed Ann Lee.", "1901", entities=both),
        event("Turin was bombed.", "1903", entities=("Turin",)),
    ]

    assert [(lane.label, lane.events) for lane in lanes_of(events)] == [("Orla Works", (1,)), ("Ann Lee", (0,)), ("Others", (2,))]


def test_a_timeline_keeps_the_numbers_of_its_answer():
    late, early = event("Late.", "1935"), event("Early.", "1931")
    fact = event("Always.", static=True)
    timeline = Timeline.of([(late, 1.0), (fact, 0.5), (early, 0.2)])

    made = Made(timeline_view(timeline))

    assert [(one["n"], one["text"]) for one in made.data["events"]] == [(e.number, e.event.text) for e in timeline.entries]
    assert made.data["events"][0]["text"] == "Always."


def test_events_of_a_timeline_keep_its_numbers_when_some_are_left_out():
    timeline = Timeline.of([(event("One.", "1901"), 1.0), (event("Two.", "1902"), 0.5), (event("Bare."), 0.2)])
    part = Timeline(dated=timeline.dated[1:], undated=timeline.undated)

    made = Made(timeline_view(part, cited=[2]))

    assert [(one["n"], one["text"], one["cited"]) for one in made.data["events"]] == [(2, "Two.", True), (3, "Bare.", False)]
    assert made.apart == [3]


def test_a_retrieval_is_drawn_with_its_question_times_and_passages():
    text = "Ann Lee came."
    came = event(text, "1911", source_id="d", char_start=0, char_end=len(text))
    source = Passage(text, source_id="d", char_start=0, char_end=len(text))
    found = EventRetrieval(parse_scope("Who came in 1911?"), Timeline.of([(came, 1.0)]), (Hit(source, 1.0),))

    made = Made(timeline_view(found))

    assert "<title>Who came in 1911?</title>" in timeline_view(found).html
    year = TimeInterval.parse("1911")
    assert made.data["asked"] == [[year.start, year.end, True]]
    assert made.data["events"][0]["passage"] == ["", text, ""]
    assert Made(timeline_view(found, asked=(), passages=())).data["asked"] == []


def test_an_undated_event_tells_the_date_that_it_is_near():
    page = timeline_view([event("He sold it.", metadata={"context_time": "1926"}), event("He left.")])

    assert page.html.count("near 1926</small>") == 1
    assert [one["when"] for one in Made(page).data["events"]] == ["no time is told; near 1926", "no time is told"]


def test_an_event_shows_the_passage_that_holds_its_whole_sentence():
    text = "It was cold. Ann Lee came. Nobody saw her."
    came = event("Ann Lee came.", "1901", source_id="d", char_start=13, char_end=26)
    cut = Passage("Ann Lee c", source_id="d", char_start=13, char_end=22)
    other = Passage(text, source_id="another", char_start=0, char_end=len(text))
    whole = Passage(text, source_id="d", char_start=0, char_end=len(text))

    [without] = Made(timeline_view([came], passages=[cut, other])).data["events"]
    [shown] = Made(timeline_view([came], passages=[cut, other, whole])).data["events"]

    assert without["passage"] is None
    assert shown["passage"] == ["It was cold. ", "Ann Lee came.", " Nobody saw her."]


def test_of_a_long_passage_what_is_near_the_sentence_is_shown():
    lead, sentence, rest = "Once more. " * 300, "Ann Lee came.", " And so on." * 300
    place = {"source_id": "d", "char_start": len(lead), "char_end": len(lead) + len(sentence)}
    whole = Passage(lead + sentence + rest, source_id="d", char_start=0, char_end=len(lead + sentence + rest))

    [shown] = Made(timeline_view([event(sentence, "1901", **place)], passages=[whole])).data["events"]

    before, marked, after = shown["passage"]
    assert marked == sentence
    assert lead.endswith(before.removeprefix("… "))
    assert rest.startswith(after.removesuffix(" …"))
    assert all(500 < len(part) < 700 for part in (before, after))


def test_cited_events_are_told_by_number_or_id():
    events = [event("One.", "1901"), event("Two.", "1902"), event("Three.", "1903")]

    made = Made(timeline_view(events, cited=[1, events[2].id]))

    assert [one["cited"] for one in made.data["events"]] == [True, False, True]


@pytest.mark.parametrize("asked", ["1911", ["1911"], TimeInterval.parse("1911"), [TimeInterval.parse("1911")]])
def test_one_asked_time_or_several_are_told_and_shaded(asked):
    page = timeline_view([event("One.", "1901")], asked=asked)

    year = TimeInterval.parse("1911")
    assert Made(page).data["asked"] == [[year.start, year.end, True]]
    assert "asked: in 1911" in page.html


@pytest.mark.parametrize(
    ("times", "span"),
    [
        (["1860", "1905-05-03"], "from 1860 to 1905"),
        (["-0043-03-15", "0014"], "from 44 BC to 14"),
        (["1899-11-03"], "on 3 November 1899"),
        (["1904-05-03", "1904-12-28"], "from May 1904 to December 1904"),
        (["../1896"], "until the end of 1896"),
        ([], "1 event,"),
    ],
)
def test_the_summary_tells_the_span_of_the_events(times, span):
    assert span in repr(timeline_view([event("Something.", *times)]))


def test_a_page_without_events_says_so():
    page = timeline_view([])

    assert "There are no events to show." in page.html
    assert "no events" in repr(page)


@given(st.text(max_size=40).map(lambda text: text + HOSTILE) | st.text(min_size=1).filter(str.strip))
def test_no_text_changes_what_the_page_is_made_of(text):
    def page(told):
        values = {"entities": (told,), "source_id": told, "char_start": 0, "char_end": 1, "metadata": {"title": told}}
        dated = [event(told, "1901", id=f"{n}", **values) for n in range(2)]
        apart = [event(told, id="3", static=True, **values), event(told, id="4", **values)]
        passage = Passage(told, source_id=told, char_start=0, char_end=max(len(told), 1))
        return Made(timeline_view([*dated, *apart], title=told, passages=[passage]))

    hostile, harmless = page(text), page("a")

    assert hostile.tags == harmless.tags
    assert hostile.attributes == harmless.attributes
    assert [one["text"] for one in hostile.data["events"]] == [" ".join(text.split())] * 4
