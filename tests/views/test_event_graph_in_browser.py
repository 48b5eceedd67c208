"""The event graph in a real browser: drawn, worked by mouse and keyboard, inert against hostile text, silent on the network."""

import re
from html import unescape

import pytest

from chronotope import TimeInterval
from chronotope.events import EventGraph, EventUnit
from chronotope.views import event_graph_view
from support_browser import listening, opened, operated


def event(name, time="", *entities):
    return EventUnit(text=f"{name} happened.", id=name, times=(TimeInterval.parse(time),) if time else (), entities=entities)


def graph_of(events):
    graph = EventGraph()
    graph.add(events)
    return graph


def small():
    return graph_of(
        [
            event("fire", "1896-11-09", "Orla", "Bo"),
            event("strike", "1904", "Orla"),
            event("merger", "1905", "Orla", "Hesk"),
            event("flood", "1905-06", "Hesk"),
            event("always", "", "Hesk"),
        ]
    )


def test_every_event_and_edge_is_drawn_and_the_console_stays_silent():
    graph = small()

    seen = opened(event_graph_view(graph, around=["fire"], hops=9).html)

    assert len(re.findall(r'role="option"', seen.dom)) == 5
    assert len(re.findall(r'class="edge', seen.dom)) == len(graph.edges()) == 6
    assert len(re.findall(r'class="ring"', seen.dom)) == 1
    assert seen.console == ()


def test_often_visited_events_are_larger():
    told = operated(
        event_graph_view(small(), around=["fire"], visits={"fire": 9, "strike": 4, "merger": 1}).html,
        """const size = (node) => +node.querySelector(".dot").getAttribute("r");
           const nodes = [...doc.querySelectorAll(".node")];
           return Object.fromEntries(nodes.map((node) => [node.textContent.split(" ")[0], size(node)]))""",
    )

    assert told["fire"] > told["strike"] > told["merger"] > 3


def test_a_click_shows_the_event_and_lights_its_edges():
    told = operated(
        event_graph_view(small()).html,
        """const node = [...doc.querySelectorAll(".node")].find((one) => one.getAttribute("aria-label").includes("strike"));
           node.dispatchEvent(new view.MouseEvent("click", { bubbles: true }));
           const read = (selector) => doc.querySelector(selector).textContent;
           const joined = [...doc.querySelectorAll("#pane .chips:last-of-type button")].map((button) => button.textContent);
           return { when: read("#pane h2"), text: read(".event-text"), lit: doc.querySelectorAll(".edge.lit").length, joined }""",
    )

    assert told["when"] == "in 1904"
    assert told["text"] == "strike happened."
    assert told["lit"] == 2
    assert sorted(told["joined"]) == ["in 1905: merger happened.", "on 9 November 1896: fire happened."]


def test_an_edge_tells_what_it_shares():
    told = operated(
        event_graph_view(graph_of([event("fire", "1896", "Orla", "Bo"), event("strike", "1897", "Orla")])).html,
        """const edge = doc.querySelector("[data-edge]");
           const over = { bubbles: true, pointerType: "mouse", clientX: 200, clientY: 200 };
           edge.dispatchEvent(new view.PointerEvent("pointermove", over));
           return { hidden: doc.getElementById("tip").hidden, text: doc.getElementById("tip").textContent }""",
    )

    assert told["hidden"] is False
    assert told["text"].startswith("share Orla")
    assert "weight 0.3" in told["text"]


def test_the_keyboard_alone_walks_in_time():
    told = operated(
        event_graph_view(small()).html,
        """const at = () => doc.querySelector('[aria-selected="true"]').getAttribute("aria-label").match(/(\\w+) happened/)[1];
           const reachable = [...doc.querySelectorAll('[role="option"]')].filter((node) => node.getAttribute("tabindex") === "0");
           reachable[0].focus();
           const keys = ["Home", "ArrowRight", "ArrowRight", "End", "ArrowRight", "ArrowLeft"];
           const places = keys.map((key) => { press(key); return at(); });
           press("Home");
           const ups = new Set([..."123456"].map(() => { press("ArrowDown"); return at(); }));
           return { reachable: reachable.length, places, moved: ups.size > 1 }""",
    )

    assert told == {"reachable": 1, "places": ["always", "fire", "strike", "flood", "flood", "merger"], "moved": True}


def test_zooming_spreads_the_events_and_zero_brings_all_back():
    told = operated(
        event_graph_view(small()).html,
        """view.requestAnimationFrame = (f) => f();
           const left = (n) => doc.querySelectorAll(".node .dot")[n].getBoundingClientRect().left;
           const apart = () => left(3) - left(1);
           const before = apart();
           doc.querySelector('[tabindex="0"].node').focus();
           press("+"); press("+");
           const near = apart();
           press("0");
           return [before, near, apart()]""",
    )

    before, near, after = told
    assert near == pytest.approx(before * 1.5**2, rel=0.1)
    assert after == pytest.approx(before, abs=1)


def test_four_hundred_events_are_drawn_and_the_rest_is_told():
    events = [event(f"e{n}", f"{1700 + n * 7919 % 300}", f"name {n % 30}", f"place {n % 7}") for n in range(450)]

    seen = opened(event_graph_view(graph_of(events)).html, at="400")

    assert len(re.findall(r'role="option"', seen.dom)) == 400
    assert "400 of 450 events are drawn, the most joined; 50 are left out." in seen.dom
    assert seen.console == ()


def test_names_do_not_run_into_each_other():
    events = [event(f"e{n}", f"{1900 + n % 9}", f"name {n % 6}") for n in range(80)]

    told = operated(
        event_graph_view(graph_of(events)).html,
        """const names = [...doc.querySelectorAll(".node text")].filter((text) => text.style.display !== "none");
           const boxes = names.map((text) => text.getBoundingClientRect());
           const beside = (a, b) => a.left < b.right && b.left < a.right;
           const clash = (a, b) => beside(a, b) && a.top < b.bottom - 4 && b.top < a.bottom - 4;
           return { shown: boxes.length,
             clashes: boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => clash(a, b))).length }""",
    )

    assert told["shown"] > 5
    assert told["clashes"] == 0


def test_hostile_text_does_nothing_and_nothing_is_asked_of_the_network():
    with listening() as (address, asked):
        hostile = (
            f"</script><script>document.title='taken';fetch('{address}/script')</script>"
            f"<img src={address}/image onerror=\"document.title='taken'\"><style>@import '{address}/style';</style>{{{{ 7*7 }}}}"
        )
        units = [
            EventUnit(text=hostile, id=str(n), times=(TimeInterval.parse("1901"),), entities=(hostile,), source_id=hostile)
            for n in range(2)
        ]
        page = event_graph_view((units, [("0", "1", 1.0)]), around=["0"], title=hostile)

        seen = opened(page.html, at="2")
        opened(f"<!doctype html><img src={address}/control>")

    assert asked == ["/control"]
    assert seen.console == ()
    assert unescape(re.search(r"<title>(.*?)</title>", seen.dom, re.DOTALL)[1]) == hostile
    assert len(re.findall(r"<script", seen.dom)) == 2
    assert not re.search(r"<(img|iframe|image)\b", seen.dom)


@pytest.mark.parametrize("events", [[], [event("alone", "1901")], [event("never", "")]])
def test_few_or_no_events_make_a_silent_page(events):
    page = event_graph_view((events, []))

    assert opened(f"<!doctype html><body>{page._repr_html_()}</body>").console == ()
    assert opened(page.html).console == ()


def test_a_narrow_window_has_no_sideways_scrolling():
    told = operated(event_graph_view(small()).html, "return [doc.documentElement.scrollWidth, view.innerWidth]", size=(500, 800))

    assert told[0] <= told[1]
