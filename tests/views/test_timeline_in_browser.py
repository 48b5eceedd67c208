"""The timeline in a real browser: drawn at every scale, worked by mouse and keyboard, inert against hostile text, silent."""

import re
from html import unescape

import pytest

from chronotope import Passage, TimeInterval
from chronotope.events import EventUnit
from chronotope.views import timeline_view
from support_browser import listening, opened, operated


def event(text, *times, **values):
    return EventUnit(text=text, times=tuple(map(TimeInterval.parse, times)), **values)


def tale():
    works, ann, bo = "Orla Works", "Ann Lee", "Bo Tarn"
    return [
        event("Ann Lee was born.", "1871-05-02", entities=(ann,), source_id="lee", char_start=0, char_end=17),
        event("Ann Lee managed the Orla Works.", "1896/1904", entities=(ann, works)),
        event("Bo Tarn headed the Orla Works.", "../1896", entities=(bo, works)),
        event("The Orla Works burned.", "1899-11-03", entities=(works,)),
        event("The Orla Works lay idle, twice.", "1901", "1903", entities=(works,)),
        event("Bo Tarn lives in Turin.", "1905/..", entities=(bo,)),
        event("Looms are driven by water.", static=True),
        event("Nobody knows when the mill was sold."),
    ]


SEEN = """const options = [...doc.querySelectorAll('[role="option"]')];
const seen = options.filter((item) => !item.hidden).map((item) => +item.dataset.i + 1);
const crowded = [...doc.querySelectorAll(".crowd")].map((crowd) => +crowd.textContent.slice(1)).reduce((a, b) => a + b, 0);
"""


def test_every_dated_event_is_drawn_and_the_console_stays_silent():
    page = timeline_view(tale(), asked=TimeInterval.parse("1899/1901"), cited=[4])

    seen = opened(page.html)
    told = operated(page.html, f"{SEEN} return {{ seen: seen.sort(), crowded, told: doc.querySelector('#pane').textContent }}")

    assert told["seen"] == [1, 2, 3, 4, 5, 6]
    assert told["crowded"] == 0
    assert told["told"].startswith("Event 4 of 8")
    assert seen.console == ()


def test_bars_stand_where_their_time_is_and_open_ends_fade():
    told = operated(
        timeline_view(tale()).html,
        """const rect = (at, inner) => doc.querySelector(`[data-i="${at}"] ${inner}`).getBoundingClientRect();
           const box = (at, inner) => [rect(at, inner).left, rect(at, inner).right];
           const kinds = [...doc.querySelectorAll(".item .bar")].map((bar) => bar.className);
           return { kinds, lee: box(1, ".bar"), fire: box(3, ".no"), until: box(2, ".bar"), since: box(5, ".bar") }""",
        size=(1600, 800),
    )

    (start, end), fire, until, since = told["lee"], told["fire"], told["until"], told["since"]
    per_year = (end - start) / 9
    assert start + 3.84 * per_year == pytest.approx(sum(fire) / 2, abs=3)
    assert until[1] == pytest.approx(start + per_year, abs=3)
    assert since[0] == pytest.approx(start + 9 * per_year, abs=3)
    assert sorted(told["kinds"]) == ["bar from", "bar long", "bar mark", "bar mark", "bar some", "bar some", "bar until"]


def test_a_year_becomes_an_outlined_bar_when_there_is_room():
    told = operated(
        timeline_view(tale()).html,
        """view.requestAnimationFrame = (f) => f();
           const kinds = () => [...doc.querySelectorAll('[data-i="4"] .bar')].map((bar) => bar.className);
           const before = kinds();
           click('[data-i="4"]');
           for (let n = 0; n < 6; n += 1) { press("+"); }
           return { before, after: kinds() }""",
    )

    assert told == {"before": ["bar mark", "bar mark"], "after": ["bar some", "bar some"]}


def test_a_click_shows_sentence_time_names_and_source():
    text = "Ann Lee was born. It rained."
    told = operated(
        timeline_view(tale(), passages=[Passage(text, source_id="lee", char_start=0, char_end=len(text))]).html,
        """click('[data-i="0"]');
           const read = (selector) => doc.querySelector(`#pane ${selector}`).textContent;
           return { when: read("h2"), text: read(".event-text"), names: read(".chips"), origin: read(".origin .facts"),
           passage: read(".reading"), mark: read(".reading mark") }""",
    )

    assert told == {
        "when": "on 2 May 1871",
        "text": "Ann Lee was born.",
        "names": "Ann Lee",
        "origin": "lee · characters 0–17",
        "passage": text,
        "mark": "Ann Lee was born.",
    }


def test_facts_outside_time_and_undated_events_can_be_chosen_too():
    told = operated(
        timeline_view(tale()).html,
        """click('[data-apart="7"]'); const first = doc.querySelector("#pane h2").textContent;
           click('[data-apart="8"]'); return [first, doc.querySelector("#pane h2").textContent]""",
    )

    assert told == ["outside time", "no time is told"]


def test_the_keyboard_alone_walks_in_time_and_between_lanes():
    told = operated(
        timeline_view(tale()).html,
        """const at = () => +doc.querySelector('[aria-selected="true"]').dataset.i + 1;
           const reachable = [...doc.querySelectorAll('[role="option"]')].filter((item) => item.tabIndex === 0);
           reachable[0].focus();
           const places = ["Home", "ArrowRight", "ArrowRight", "End", "ArrowRight", "Home", "ArrowLeft", "ArrowDown", "ArrowUp"]
             .map((key) => { press(key); return [at(), +doc.activeElement.dataset.i + 1]; });
           return { reachable: reachable.length, places }""",
    )

    assert told["reachable"] == 1
    assert [chosen for chosen, _ in told["places"]] == [1, 2, 3, 6, 6, 1, 1, 3, 2]
    assert all(chosen == focused for chosen, focused in told["places"])


def test_zooming_and_moving_change_what_is_seen_and_zero_brings_all_back():
    told = operated(
        timeline_view(tale()).html,
        f"""view.requestAnimationFrame = (f) => f();
           const look = () => {{ {SEEN} return seen.sort(); }};
           click('[data-i="3"]');
           for (let n = 0; n < 9; n += 1) press("+");
           const near = look();
           const years = [...doc.querySelectorAll("#axis .coarse")].map((year) => year.textContent).join("");
           press("0");
           return {{ near, years, all: look() }}""",
    )

    assert 4 in told["near"]
    assert 1 not in told["near"]
    assert "1899" in told["years"]
    assert told["all"] == [1, 2, 3, 4, 5, 6]


def test_the_wheel_zooms_where_the_pointer_is():
    told = operated(
        timeline_view(tale()).html,
        """view.requestAnimationFrame = (f) => f();
           const mark = doc.querySelector('[data-i="3"] .no'), track = mark.closest(".track");
           const middle = () => { const box = mark.getBoundingClientRect(); return (box.left + box.right) / 2; };
           const before = middle();
           const ruler = () => doc.querySelector('[data-i="1"] .bar').getBoundingClientRect().width;
           const length = ruler();
           const turn = { deltaY: -100, clientX: before, ctrlKey: true, bubbles: true, cancelable: true };
           track.dispatchEvent(new view.WheelEvent("wheel", turn));
           return { moved: Math.abs(middle() - before), grown: ruler() / length }""",
    )

    assert told["moved"] < 2
    assert told["grown"] > 1.2


def test_an_entity_lights_its_events_in_every_lane():
    told = operated(
        timeline_view(tale()).html,
        """click('[data-entity="Orla Works"]');
           return { found: [...doc.querySelectorAll('.item.found[role="option"]')].map((item) => +item.dataset.i + 1).sort(),
           told: doc.getElementById("found").textContent }""",
    )

    assert told == {"found": [2, 3, 4, 5], "told": "in 4 of 8"}


def test_a_chosen_event_is_tied_to_the_lanes_of_its_other_entities():
    told = operated(
        timeline_view(tale()).html,
        """click('[data-i="1"]'); return [...doc.querySelectorAll(".lane.tied")].map((lane) => lane.getAttribute("aria-label"))""",
    )

    assert told == ["Orla Works"]


def test_the_search_field_lights_the_events_that_hold_a_word():
    told = operated(
        timeline_view(tale()).html,
        """const search = doc.getElementById("search"); search.value = "WATER"; search.dispatchEvent(new view.Event("input"));
           search.dispatchEvent(new view.KeyboardEvent("keydown", { key: "Enter" }));
           return { pane: doc.querySelector("#pane mark").textContent, found: doc.querySelectorAll("button.found").length,
           dim: doc.querySelectorAll('.item.dim[role="option"]').length }""",
    )

    assert told == {"pane": "water", "found": 1, "dim": 6}


@pytest.mark.parametrize("size", [(1400, 900), (500, 900)])
def test_eight_hundred_events_are_all_drawn_or_counted_and_nothing_overlaps(size):
    events = [
        event(f"{name} did thing {n} in the town.", f"{1700 + n * 7919 % 300}-{1 + n % 12:02}", entities=(name,))
        for n, name in enumerate(["Ann", "Bo", "Cy", "Di"] * 200)
    ]

    told = operated(
        timeline_view(events).html,
        f"""{SEEN}
           const clashes = [...doc.querySelectorAll(".track")].flatMap((track) => {{
             const marks = [...track.querySelectorAll(".item:not([hidden]) .no, .crowd")];
             const boxes = marks.map((node) => node.getBoundingClientRect());
             const beside = (a, b) => a.left < b.right - 1 && b.left < a.right - 1;
             const clash = (a, b) => beside(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
             return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => clash(a, b)));
           }});
           const wide = doc.documentElement.scrollWidth - view.innerWidth;
           return {{ seen: seen.length, crowded, clashes: clashes.length, wide }}""",
        size=size,
    )

    assert told["seen"] + told["crowded"] in (800, 801)  # the chosen one is drawn though it be counted in a crowd
    assert told["clashes"] <= 1
    assert told["wide"] <= 0


@pytest.mark.parametrize(
    ("times", "years"),
    [
        (["-0322-06-11", "-0043-03-15", "0014"], ["300 BC", "100 BC"]),
        (["1899-11-03"], ["06:00", "3 Nov 1899"]),
        (["1899-11-03", "1899-12-20"], ["1 Dec", "1899"]),
        (["-9998", "9998"], ["5000 BC", "5000"]),
        (["1899-11-03T14:05", "1899-11-03T14:55"], ["14:30", "3 Nov 1899"]),
    ],
)
def test_the_axis_is_readable_at_any_scale(times, years):
    events = [event(f"Event {n}.", time) for n, time in enumerate(times)]

    seen = opened(timeline_view(events).html)

    labels = re.findall(r'<span class="(?:fine|coarse)"[^>]*>([^<]+)</span>', seen.dom)
    assert set(years) <= set(labels)
    assert len(labels) < 30
    assert seen.console == ()


def test_hostile_text_does_nothing_and_nothing_is_asked_of_the_network():
    with listening() as (address, asked):
        hostile = (
            f"</script><script>document.title='taken';fetch('{address}/script')</script>"
            f"<img src={address}/image onerror=\"document.title='taken'\"><style>@import '{address}/style';</style>{{{{ 7*7 }}}}"
        )
        values = {"entities": (hostile,), "source_id": hostile, "char_start": 0, "char_end": 5, "metadata": {"title": hostile}}
        events = [event(hostile, "1901", **values), event(hostile, "1902", **values), event(hostile, static=True, **values)]
        passage = Passage(hostile, source_id=hostile, char_start=0, char_end=len(hostile))
        page = timeline_view(events, title=hostile, passages=[passage], cited=[1])

        seen = opened(page.html, at="3")
        opened(f"<!doctype html><img src={address}/control>")

    assert asked == ["/control"]
    assert seen.console == ()
    assert unescape(re.search(r"<title>(.*?)</title>", seen.dom, re.DOTALL)[1]) == hostile
    assert len(re.findall(r"<script", seen.dom)) == 2
    assert not re.search(r"<(img|iframe)\b", seen.dom)


@pytest.mark.parametrize("events", [[], tale()[6:], tale()[:1]])
def test_few_or_no_dated_events_make_a_silent_page(events):
    assert opened(f"<!doctype html><body>{timeline_view(events)._repr_html_()}</body>").console == ()
    assert opened(timeline_view(events).html).console == ()
