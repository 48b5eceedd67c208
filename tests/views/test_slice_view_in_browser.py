"""A slice in a real browser: the slider, worked by mouse and keyboard, inert against hostile text, silent on the network."""

import re
from html import unescape

import pytest

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.temporal.interval import Interval
from chronotope.views import slice_view
from support_browser import listening, opened, operated

ONTOLOGY = Ontology.load("household")
PEOPLE = [
    Entity(name=name, type="person", aliases=aliases) for name, aliases in (("Ann", ()), ("Ben", ("the miller",)), ("Cid", ()))
]


def fact(chapter, subject, relation, other="", **more):
    quote = more.pop("quote", f"So {subject} and {other}, in chapter {chapter}.")
    return Fact(subject=subject, relation=relation, object=other, chapter=chapter, quote=quote, source_id="book", **more)


TOLD = [
    fact(1, "attic", "inside", "house"),
    fact(1, "Ann", "serves", "Ben", place="house"),
    fact(2, "Ann", "meets", "Cid", place="attic"),
    fact(3, "Ben", "dismisses", "Ann", place="house"),
    fact(4, "Cid", "married_to", "Ann", place="attic"),
]
LINES = """const lines = () => [...doc.querySelectorAll(".edge")].map((line) => line.dataset.e).sort();
           const told = () => [...doc.querySelectorAll("#pane summary")].map((one) => one.textContent).sort();
           const slide = (to) => { const slider = doc.getElementById("step"); slider.value = to;
             slider.dispatchEvent(new view.Event("input", { bubbles: true })); };
           const node = (name) => [...doc.querySelectorAll(".node")].find((one) => one.textContent === name);"""


def graph_of(facts=TOLD, entities=PEOPLE):
    return build_graph(facts, ontology=ONTOLOGY, entities=entities)


def named(graph, edge):
    ends = [graph.name_of(end) for end in (edge.subject, edge.object) if end]
    return " — ".join([ends[0], edge.relation.replace("_", " "), *ends[1:]])


def test_everybody_every_place_and_every_relation_is_drawn_and_the_console_stays_silent():
    seen = opened(slice_view(graph_of()).html)

    assert len(re.findall(r'role="option"', seen.dom)) == 3
    assert len(re.findall(r'class="box deep', seen.dom)) == 2
    assert len(re.findall(r'class="edge ', seen.dom)) == 4, "containment is drawn by the boxes"
    assert len(re.findall(r"<details", seen.dom)) == 5
    assert seen.console == ()


def test_the_slider_makes_relations_appear_and_vanish_as_the_graph_says():
    graph = graph_of()

    told = operated(
        slice_view(graph).html,
        f"""{LINES}
           const said = () => doc.getElementById("told").textContent;
           const seen = [1, 2, 3, 4].map((step) => {{ slide(step); return [told(), lines().length, said()]; }});
           click("#all");
           return {{ seen, all: lines().length, pressed: doc.getElementById("all").ariaPressed }}""",
    )

    for chapter, (listed, lines, said) in enumerate(told["seen"], start=1):
        edges = graph.slice(chapter=chapter).edges
        assert listed == sorted(named(graph, edge) for edge in edges)
        assert lines == sum(edge.relation != "inside" for edge in edges)
        assert said.startswith(f"Chapter {chapter} · ")
    assert told["all"] == 4
    assert told["pressed"] == "true"


def test_along_the_story_an_edge_vanishes_when_it_ends():
    facts = [
        fact(1, "Ann", "lives_in", "house", story=(Interval(0, 4),)),
        fact(1, "Ben", "lives_in", "house", story=(Interval(2, 9),)),
    ]

    told = operated(
        slice_view(graph_of(facts), axis="story").html,
        f"{LINES} return [1, 2, 3].map((step) => {{ slide(step); return told(); }})",
    )

    assert told == [["Ann — lives in — house"], ["Ann — lives in — house", "Ben — lives in — house"], ["Ben — lives in — house"]]


def test_a_click_on_a_relation_shows_its_quotation():
    told = operated(
        slice_view(graph_of()).html,
        """const at = [...doc.querySelectorAll("#pane summary")].findIndex((one) => one.textContent === "Ann — meets — Cid");
           const number = doc.querySelectorAll("#pane details")[at].dataset.item;
           doc.querySelector(`[data-edge="${number}"]`).dispatchEvent(new view.MouseEvent("click", { bubbles: true }));
           const open = doc.querySelector("#pane details[open]");
           return { open: open.dataset.item === number, quote: open.querySelector("blockquote").textContent,
             where: open.querySelector(".facts").textContent, lit: doc.querySelectorAll(".edge.lit").length }""",
    )

    assert told["open"] is True
    assert told["quote"] == "So Ann and Cid, in chapter 2."
    assert "chapter 2" in told["where"]
    assert "attic" in told["where"]
    assert told["lit"] == 1


def test_hovering_over_a_relation_tells_it():
    told = operated(
        slice_view(graph_of([fact(1, "Ann", "meets", "Cid", quote="They met at dusk.")])).html,
        """const over = { bubbles: true, pointerType: "mouse", clientX: 200, clientY: 300 };
           doc.querySelector("[data-edge]").dispatchEvent(new view.PointerEvent("pointermove", over));
           return { hidden: doc.getElementById("tip").hidden, text: doc.getElementById("tip").textContent }""",
    )

    assert told["hidden"] is False
    assert told["text"].startswith("Ann — meets — Cid")
    assert "“They met at dusk.”" in told["text"]


def test_whoever_is_chosen_has_a_list_of_their_own():
    told = operated(
        slice_view(graph_of()).html,
        f"""{LINES}
           node("Ben").dispatchEvent(new view.MouseEvent("click", {{ bubbles: true }}));
           const read = (selector) => doc.querySelector(`#pane ${{selector}}`).textContent;
           const chosen = {{ name: read("h2"), also: read(".facts"), told: told() }};
           press("Escape");
           return {{ chosen, after: told().length }}""",
    )

    assert told["chosen"]["name"] == "Ben"
    assert told["chosen"]["also"] == "also the miller"
    assert told["chosen"]["told"] == ["Ann — serves — Ben", "Ben — dismisses — Ann"]
    assert told["after"] == 5


def test_the_keyboard_alone_walks_steps_and_opens_quotations():
    told = operated(
        slice_view(graph_of()).html,
        f"""{LINES}
           const at = () => doc.querySelector('[aria-selected="true"]')?.textContent;
           const reachable = [...doc.querySelectorAll('[role="option"]')].filter((node) => node.getAttribute("tabindex") === "0");
           reachable[0].focus();
           press("Home");
           const first = at();
           press("End");
           const last = at();
           const walked = new Set(["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"].map((key) => {{ press(key); return at(); }}));
           press("]"); press("]");
           const second = doc.getElementById("told").textContent;
           press("["); press("[");
           const slider = doc.getElementById("step");
           return {{ reachable: reachable.length, first, last, walked: walked.size, second,
             all: doc.getElementById("all").ariaPressed, slider: slider.tagName, label: slider.getAttribute("aria-label") }}""",
    )

    assert told["reachable"] == 1
    assert {told["first"], told["last"]} < {"Ann", "Ben", "Cid"}
    assert told["first"] != told["last"]
    assert told["walked"] > 1
    assert told["second"].startswith("Chapter 2")
    assert told["all"] == "true"
    assert (told["slider"], told["label"]) == ("INPUT", "Chapter")


def test_the_search_finds_words_of_quotations_and_other_names():
    told = operated(
        slice_view(graph_of([fact(1, "Ann", "meets", "Cid", quote="They met at dusk."), fact(1, "Ann", "serves", "Ben")])).html,
        f"""{LINES}
           const found = (word) => {{ const field = doc.getElementById("search"); field.value = word;
             field.dispatchEvent(new view.Event("input", {{ bubbles: true }}));
             return [...doc.querySelectorAll(".node.found")].map((one) => one.textContent).sort(); }};
           return {{ dusk: found("dusk"), list: told(), miller: found("the miller"), none: found("") }}""",
    )

    assert told == {"dusk": ["Ann", "Cid"], "list": ["Ann — meets — Cid"], "miller": ["Ben"], "none": []}


def test_a_link_opens_at_a_step():
    assert "Chapter 3 · " in opened(slice_view(graph_of()).html, at="3").dom


def test_thirty_people_have_names_that_do_not_run_into_each_other():
    facts = [fact(1, f"Person {n}", "meets", f"Person {(n * 7 + 3) % 30}", place=f"room {n % 6}") for n in range(30)]

    told = operated(
        slice_view(graph_of(facts, entities=())).html,
        """const names = [...doc.querySelectorAll(".node text")].filter((text) => text.style.display !== "none");
           const boxes = names.map((text) => text.getBoundingClientRect());
           const clash = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4;
           return { shown: boxes.length,
             clashes: boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => clash(a, b))).length }""",
    )

    assert told["shown"] >= 27
    assert told["clashes"] == 0


def test_the_tip_of_an_arrow_is_not_under_the_name_of_whom_it_points_at():
    facts = [
        fact(1, "怡紅院", "inside", "大觀園"),
        fact(1, "瀟湘館", "inside", "大觀園"),
        fact(1, "襲人", "serves", "賈寶玉", place="怡紅院"),
        fact(1, "紫鵑", "serves", "林黛玉", place="瀟湘館"),
        fact(1, "賈政", "father_of", "賈寶玉"),
        fact(1, "王夫人", "mother_of", "賈寶玉"),
    ]

    told = operated(
        slice_view(graph_of(facts, entities=())).html,
        """const data = JSON.parse(doc.getElementById("page-data").textContent);
           const tips = [...doc.querySelectorAll(".tip-of")]
             .map((tip) => tip.getAttribute("transform").match(/[-0-9.]+/g).map(Number))
             .map(([x, y, turn]) => [x - 6 * Math.cos((turn * Math.PI) / 180), y - 6 * Math.sin((turn * Math.PI) / 180)]);
           const ends = [...doc.querySelectorAll(".edge")].map((line) => data.edges[line.dataset.e].b);
           const at = doc.getElementById("edges").ownerSVGElement.getBoundingClientRect();
           const names = [...doc.querySelectorAll(".node text")].map((text) => text.getBoundingClientRect());
           const inside = ([x, y], box) => at.left + x > box.left && at.left + x < box.right
             && at.top + y > box.top + 2 && at.top + y < box.bottom - 2;
           return { tips: tips.length, covered: tips.filter((tip, i) => inside(tip, names[ends[i]])).length }""",
    )

    assert told == {"tips": 4, "covered": 0}


def test_lines_are_faint_where_there_are_hundreds_and_plain_where_there_are_few():
    facts = [fact(1, f"p{n % 60}", "meets", f"p{(n * 7 + n // 60) % 60}", quote=f"{n}") for n in range(400)]
    dense = """return { dense: doc.getElementById("graph").classList.contains("dense") }"""

    assert operated(slice_view(graph_of(facts, entities=())).html, dense)["dense"]
    assert not operated(slice_view(graph_of()).html, dense)["dense"]


def test_three_hundred_are_drawn_and_the_rest_is_told():
    facts = [fact(n % 9 + 1, f"p{n}", "meets", f"p{n * 7919 % 340}", place=f"room {n % 11}") for n in range(340)]

    seen = opened(slice_view(graph_of(facts, entities=())).html)

    assert len(re.findall(r'role="option"', seen.dom)) == 300
    assert "300 of 340 persons and things are drawn, the most joined; 40 are left out" in seen.dom
    assert seen.console == ()


def test_hostile_text_does_nothing_and_nothing_is_asked_of_the_network():
    with listening() as (address, asked):
        hostile = (
            f"</script><script>document.title='taken';fetch('{address}/script')</script>"
            f"<img src={address}/image onerror=\"document.title='taken'\"><style>@import '{address}/style';</style>{{{{ 7*7 }}}}"
        )
        people = [Entity(name=hostile, type="person", aliases=(f"{hostile} 2",))]
        page = slice_view(graph_of([fact(1, hostile, "meets", "Ben", place=hostile, quote=hostile)], people), title=hostile)

        seen = opened(page.html, at="1")
        opened(f"<!doctype html><img src={address}/control>")

    assert asked == ["/control"]
    assert seen.console == ()
    assert unescape(re.search(r"<title>(.*?)</title>", seen.dom, re.DOTALL)[1]) == hostile
    assert len(re.findall(r"<script", seen.dom)) == 2
    assert not re.search(r"<(img|iframe|image)\b", seen.dom)


@pytest.mark.parametrize(
    "facts", [[], [fact(1, "Ann", "died")], [fact(None, "Ann", "meets", "Ben")], [fact(1, "attic", "inside", "house")]]
)
def test_few_or_no_facts_make_a_silent_page(facts):
    page = slice_view(graph_of(facts))

    assert opened(f"<!doctype html><body>{page._repr_html_()}</body>").console == ()
    assert opened(page.html).console == ()


def test_a_narrow_window_has_no_sideways_scrolling():
    told = operated(slice_view(graph_of()).html, "return [doc.documentElement.scrollWidth, view.innerWidth]", size=(500, 800))

    assert told[0] <= told[1]
