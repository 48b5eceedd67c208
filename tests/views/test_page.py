"""The shell that every page shares: it stands alone, what it prints is escaped, and saving it is all or nothing."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

from chronotope.views import Page, render, segment_map
from chronotope.views.page import fill

HOSTILE = "</script></style></title><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}\"'>&amp;"


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of each element of one kind."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self._open = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            continue

    def handle_data(self, data):
        if self._open:
            self.texts[self._open[-1]][-1] += data


def page(**values):
    return render("A title", body=Markup("<p>Body</p>"), **values)


def test_a_page_refers_to_nothing_outside_itself():
    shown = page(data={"text": "see https://example.org"})

    assert not {name for _, attributes in Elements(shown.html).tags for name in attributes} & {"src", "href", "srcset", "action"}
    assert not re.search(r"url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(", shown.html)


def test_the_policy_allows_the_page_s_one_script_and_no_other():
    elements = Elements(page(script='document.title = "ü";').html)

    policy = next(attributes["content"] for tag, attributes in elements.tags if attributes.get("http-equiv"))
    scripts = [attributes for tag, attributes in elements.tags if tag == "script"]
    assert [attributes.get("type") for attributes in scripts] == ["application/json", None]
    digest = b64encode(sha256(elements.texts["script"][1].encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert re.findall(r"script-src ([^;]+)", policy) == [f"'sha256-{digest}'"]


def test_what_a_text_says_stays_text_in_title_body_and_data():
    shown = segment_map([], title=HOSTILE)

    elements = Elements(shown.html)
    assert elements.texts["title"] == [HOSTILE]
    assert elements.texts["h1"] == [HOSTILE]
    assert len(elements.texts["script"]) == 2
    assert "img" not in elements.texts


@given(st.text())
def test_data_comes_back_as_it_was_and_never_ends_its_element(text):
    import json

    elements = Elements(page(data=[text]).html)

    assert json.loads(elements.texts["script"][0]) == [text]


@pytest.mark.parametrize("values", [{"style": "p {} </STYLE>"}, {"script": "'</script>'"}])
def test_a_style_or_script_that_would_end_its_own_element_is_refused(values):
    with pytest.raises(ValueError, match="closing tag"):
        page(**values)


def test_a_value_that_a_template_names_and_does_not_get_is_an_error():
    with pytest.raises(UndefinedError):
        fill("page.html.j2", title="alone")


def test_saving_writes_the_page_and_returns_the_path(tmp_path):
    shown = render("Schiff, 船", body=Markup("<p>\ud800 and a half</p>"))

    path = shown.save(str(tmp_path / "page.html"))

    assert path == tmp_path / "page.html"
    assert path.read_bytes().decode("utf-8") == shown.html
    assert "Schiff, 船" in shown.html
    assert [item.name for item in path.parent.iterdir()] == ["page.html"]


def test_saving_into_a_folder_or_where_there_is_none_is_refused_and_leaves_nothing_behind(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"is a folder; name a file in it, such as .*page\.html"):
        page().save(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*mistyped; make it first"):
        page().save(tmp_path / "mistyped" / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_saving_replaces_an_earlier_page(tmp_path):
    Page("old", "Old").save(tmp_path / "page.html")
    Page("new", "New").save(tmp_path / "page.html")

    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "new"


def test_a_save_that_fails_leaves_nothing_behind(tmp_path):
    (tmp_path / "page.html").mkdir()

    with pytest.raises(OSError, match=r"page\.html"):
        page().save(tmp_path / "page.html")

    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]


def test_a_notebook_gets_the_whole_page_in_a_frame_that_cannot_reach_out():
    shown = page(data=HOSTILE, height=321)

    [(tag, attributes)] = Elements(shown._repr_html_()).tags
    assert tag == "iframe"
    assert attributes["srcdoc"] == shown.html
    assert attributes["sandbox"] == "allow-scripts"
    assert "height:321px" in attributes["style"]


def test_its_repr_tells_what_is_on_it_and_how_to_see_it():
    assert re.fullmatch(
        r"Page\('A title': 3 tides, \d+ kB; \.save\(path\) writes it, a notebook shows it\)", repr(page(told="3 tides"))
    )
