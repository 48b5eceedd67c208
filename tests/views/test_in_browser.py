"""The segment map in a real browser: drawn, worked by mouse and keyboard, inert against hostile text, silent on the network."""

import re
from html import unescape

from chronotope import Issue
from chronotope.litseg import Segment
from chronotope.text import Unit
from chronotope.views import segment_map
from support_browser import listening, opened, operated

TEXTS = (
    "The ferry left at noon. ",
    "It rained on snow for three days. ",
    "Nobody saw the boat arrive. ",
    "In May the bridge was opened. ",
)


def tale(texts=TEXTS, **values):
    """A segment for each text, two to a unit; the last needs the one before it."""
    starts = [len("".join(texts[:n])) for n in range(len(texts) + 1)]
    segments = []
    for n, text in enumerate(texts):
        low, high = n // 2 * 2, min(n // 2 * 2 + 2, len(texts))
        unit = Unit(start=starts[low], end=starts[high], kind="chapter", title=f"CHAPTER {n // 2 + 1}")
        place = {"source_id": "tale", "char_start": starts[n], "char_end": starts[n + 1], "unit": unit}
        needs = {"context": ((starts[n - 1], starts[n]),), "before": (texts[n - 1].strip(),)} if n == len(texts) - 1 else {}
        segments.append(Segment(text=text, subtitle=f"Part {n}", **place, **needs, **values))
    return segments


def test_every_segment_is_drawn_and_the_console_stays_silent():
    seen = opened(segment_map(tale()).html)

    assert len(re.findall(r'role="option"', seen.dom)) == 4
    assert re.findall(r'data-i="(\d)"[^>]*aria-selected="true"|aria-selected="true"[^>]*data-i="(\d)"', seen.dom) == [("", "0")]
    assert seen.console == ()


def test_the_console_is_heard_when_a_script_fails():
    seen = opened("<!doctype html><script>console.error('boom'); throw new Error('bang')</script>")

    assert [line for line in seen.console if "boom" in line or "bang" in line] != []
    assert len(seen.console) == 2


def test_an_address_can_name_a_segment():
    seen = opened(segment_map(tale()).html, at="3")

    assert re.search(r'<aside id="pane".*?3 of 4 · CHAPTER 2', seen.dom, re.DOTALL)


def test_six_hundred_segments_are_drawn_too():
    texts = tuple(f"Segment number {n} says something. " * (1 + n % 7) for n in range(600))

    seen = opened(segment_map(tale(texts)).html, at="600")

    assert len(re.findall(r'role="option"', seen.dom)) == 600
    assert "600 of 600" in seen.dom
    assert seen.console == ()


def test_a_click_shows_the_reading_text_and_the_exact_place():
    segments = tale()

    told = operated(
        segment_map(segments).html,
        """click('[data-i="3"]');
           const read = (selector) => doc.querySelector(selector).textContent;
           return { title: read("#pane h2"), facts: read(".facts"),
           text: [...doc.querySelectorAll(".reading p")].map((p) => p.textContent) }""",
    )

    last = segments[3]
    assert [told["title"], *told["text"]] == last.shown().split("\n\n")
    assert f"characters {last.char_start}–{last.char_end}" in told["facts"]
    assert "Sentences 1–1" in told["facts"]


def test_the_keyboard_alone_walks_the_book():
    told = operated(
        segment_map(tale()).html,
        """const at = () => +doc.querySelector('[aria-selected="true"]').dataset.i;
           const walk = ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "End", "ArrowRight", "Home", "ArrowLeft"];
           const reachable = [...doc.querySelectorAll('[role="option"]')].filter((block) => block.tabIndex === 0);
           reachable[0].focus();
           const places = walk.map((key) => { press(key); return [at(), +doc.activeElement.dataset.i]; });
           return { reachable: reachable.length, places }""",
    )

    assert told["reachable"] == 1
    assert [chosen for chosen, _ in told["places"]] == [1, 2, 1, 3, 1, 3, 3, 0, 0]
    assert all(chosen == focused for chosen, focused in told["places"])


def test_choosing_a_segment_lights_what_it_needs():
    told = operated(
        segment_map(tale()).html,
        """click('[data-i="3"]'); return { lit: doc.querySelectorAll("path.lit:not(.dot)").length,
           needed: [...doc.querySelectorAll(".block.needed")].map((block) => +block.dataset.i),
           links: [...doc.querySelectorAll("#pane .chips button")].map((button) => button.textContent) }""",
    )

    assert told == {"lit": 1, "needed": [2], "links": ["3. Part 2"]}


def test_the_search_field_lights_the_segments_that_hold_a_word():
    told = operated(
        segment_map(tale()).html,
        """const search = doc.getElementById("search"); search.value = "BOAT"; search.dispatchEvent(new view.Event("input"));
           const hits = [...doc.querySelectorAll(".block.found")].map((block) => +block.dataset.i);
           search.dispatchEvent(new view.KeyboardEvent("keydown", { key: "Enter" }));
           const marked = [...doc.querySelectorAll("mark")].map((mark) => mark.textContent);
           const count = doc.getElementById("found").textContent;
           search.value = ""; search.dispatchEvent(new view.Event("input"));
           return { hits, marked, count, after: doc.querySelectorAll(".found, .dim, mark").length }""",
    )

    assert told == {"hits": [2], "marked": ["boat"], "count": "in 1 of 4", "after": 0}


def test_a_kind_of_turning_point_can_be_lit():
    segments = [*tale(turning_points=("reversal",))[:1], *tale()[1:]]

    told = operated(
        segment_map(segments).html,
        """click('[data-point="reversal"]'); return [...doc.querySelectorAll(".block.found")].map((block) => +block.dataset.i)""",
    )

    assert told == [0]


def test_hostile_text_does_nothing_and_nothing_is_asked_of_the_network():
    with listening() as (address, asked):
        hostile = (
            f"</script><script>document.title='taken';fetch('{address}/script')</script>"
            f"<img src={address}/image onerror=\"document.title='taken'\"><style>@import '{address}/style';</style>"
            f"<iframe src={address}/frame></iframe>{{{{ 7*7 }}}} ${{7*7}} "
        )
        segments = tale((hostile, f"A plain link to {address}/link. ", hostile, hostile), turning_points=(hostile,))
        page = segment_map(segments, issues=[Issue("x", hostile, segments[0].id), Issue("y", hostile)], title=hostile)

        seen = opened(page.html, at="4")
        opened(f"<!doctype html><img src={address}/control>")

    assert asked == ["/control"]
    assert seen.console == ()
    assert unescape(re.search(r"<title>(.*?)</title>", seen.dom, re.DOTALL)[1]) == hostile
    assert "{{ 7*7 }}" in seen.dom
    assert len(re.findall(r"<script", seen.dom)) == 2
    assert not re.search(r"<(img|iframe)\b", seen.dom)


def test_a_page_works_inside_a_notebook_s_frame():
    seen = opened(f"<!doctype html><body>{segment_map(tale())._repr_html_()}</body>")

    assert seen.console == ()


def test_a_narrow_window_has_no_sideways_scrolling():
    told = operated(
        segment_map(tale(tuple(text * 30 for text in TEXTS))).html,
        """return [doc.documentElement.scrollWidth, view.innerWidth]""",
        size=(500, 800),
    )

    assert told[0] <= told[1]
