"""Places and entities that a question names: a place where it asks what happened there, an entity where it asks about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronotope.records import Issue
from chronotope.slices.question.folding import is_cjk
from chronotope.slices.question.names import Mention, Span, apart
from chronotope.slices.question.wording import blanked

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["Whereabouts", "whereabouts"]

_IN = re.compile(
    r"\b(?P<out>not\s+|outside(?:\s+of)?|out\s+of|anywhere\s+but|except(?:\s+in|\s+at)?|away\s+from|elsewhere\s+than)?\s*"
    r"(?P<in>in|inside|within|at|on|under|upon|near|around|throughout|across|of\s+those\s+in)?\s+(?:the\s+(?:grounds|rooms?|walls|gates?|whole|precincts)\s+of\s+)?(?:the\s+|a\s+|his\s+|her\s+|their\s+)?$",
    re.IGNORECASE,
)
_IN_ZH = re.compile(r"(?P<out>不|没有?|沒有?|除了?)?(?:住|留|站|坐|身)?[在于於](?:那|這|这)?$")
_AFTER_ZH = re.compile(r"(?:之?[內内中]|[裡里裏]|[之以]?外|上|下(?!了)|一[帶带])")
_UNKNOWN = re.compile(
    r"(?<![\w'’])(?:in|inside|within|at)\s+(?:the\s+)?(?P<name>[\u4e00-\u9fff]{2,8}|(?:[A-Z][\w'’-]*)(?:\s+(?:of\s+(?:the\s+)?)?[A-Z][\w'’-]*)*)"
    r"(?!\s+(?:festival|feast|banquet|ball|party|wedding|funeral|war|battle|trial)\b)(?![\w'’-])"
)
_UNKNOWN_ZH = re.compile(r"[在于於](?P<name>[\u4e00-\u9fff]{2,8}?)(?:之?[內内中]|[裡里裏])(?![\u4e00-\u9fff]*(?:之?[前後后]))")
_NO_PLACE = re.compile(
    r"(?:English|French|Chinese|Latin|Greek|German|I|Which|What|Who|Whom|Where|When|How|God|Heaven|Volume|Book|Part|Act|Scene)\b"
)
_NAME = re.compile(r"(?<=[\w,;:'’)] )(?<![\w'’-])[A-ZÀ-Þ][\w-]*(?:['’](?!s\b)[\w-]+)?(?:\s+[A-ZÀ-Þ][\w-]*)*")
_NAME_ZH = re.compile(
    r"^(?P<one>[\u4e00-\u9fff]{2,5}?)(?:到底|究竟)?是(?:[誰谁]|什[麼么]人|何人)|^[誰谁]是(?P<two>[\u4e00-\u9fff]{2,5})[？?]?$"
)
_NO_NAME = re.compile(
    r"I|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|"
    r"English|French|Chinese|Latin|Greek|German|God|Heaven|Chapters?|Volume|Book|Part|BCE?|CE|AD|[IVXLC]+",
)
_ASKED_ZH = ("哪", "什麼", "什么", "何", "誰", "谁", "這", "这", "那", "其", "他", "她", "它", "故事", "書", "书", "文", "家")


@dataclass(frozen=True)
class Whereabouts:
    """What of the graph a question names.

    Args:
        places: ids of places it limits itself to.
        entities: ids of the others that it names, in its order.
        mentions: every name of the graph in it.
        unresolved: words that limit it to a place, and that nothing places.
        issues: names of several, names that were guessed, places that cannot be asked for.
    """

    places: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    unresolved: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()


def whereabouts(
    text: str, mentions: Sequence[Mention], graph: StoryGraph, taken: Sequence[Span], relations: Sequence[str] = ()
) -> Whereabouts:
    """Tell places that limit a question from entities that it is about.

    A place is both where the question names a relation that people have with places: "who lived in the mill?"

    Args:
        text: the question.
        mentions: names of the graph in it, outside what was read already.
        graph: whose names they are.
        taken: spans of times and chapters.
        relations: those that the question names.
    """
    to_places = any(name in graph.ontology.told_in_place for name in relations)
    places: list[str] = []
    entities: list[str] = []
    unresolved: list[str] = []
    issues: list[Issue] = []
    for mention in mentions:
        asked = [name for name in mention.ids if name in graph.places]
        role, begin = _role(text, mention.span) if asked else ("about", 0)
        if role == "in":
            places += asked
            entities += asked if to_places else []
        elif role == "out":
            words = text[begin : mention.span[1]]
            unresolved.append(words)
            issues.append(Issue("unresolved_place", f"{words!r} takes a place out, which a slice cannot; it limits nothing"))
        else:
            entities += mention.ids
        issues += _doubts(mention, asked if role == "in" else list(mention.ids), graph)
    strange = _strange(text, [*taken, *(mention.span for mention in mentions)])
    issues += _unknown(text, [*taken, *(mention.span for mention in mentions)], strange)
    known = (
        "the places of the graph are " + (", ".join(graph.places.ids[:5]) or "none") + (", …" if len(graph.places.ids) > 5 else "")
    )
    issues += [Issue("unresolved_place", f"no place of the graph is called {name!r}; {known}") for name in strange]
    return Whereabouts(
        tuple(dict.fromkeys(places)), tuple(dict.fromkeys(entities)), tuple(mentions), (*unresolved, *strange), tuple(issues)
    )


def _role(text: str, span: Span) -> tuple[str, int]:
    """`in` where the question limits itself to a place, `out` where it takes one out, else `about`; and where these words begin."""
    first = max(0, span[0] - 40)
    lead = _IN.search(text, first, span[0])
    is_led = lead is not None and (lead["in"] or lead["out"])
    if is_cjk(text[span[1] - 1]) and not is_led:
        lead = _IN_ZH.search(text, first, span[0])
        return _role_chinese(lead, _AFTER_ZH.match(text, span[1])), _begin(lead, span)
    if lead is None:
        return "about", span[0]
    begin = _begin(lead, span)
    if lead["out"] and (lead["in"] or lead["out"].strip().lower() != "not"):
        return "out", begin
    return "in" if lead["in"] else "about", begin


def _begin(lead: re.Match[str] | None, span: Span) -> int:
    return span[0] if lead is None else lead.start() + len(lead[0]) - len(lead[0].lstrip())


def _role_chinese(lead: re.Match[str] | None, tail: re.Match[str] | None) -> str:
    if tail is not None and "外" in tail[0]:
        return "out"
    if lead is not None:
        return "out" if lead["out"] else "in"
    return "in" if tail is not None else "about"


def _doubts(mention: Mention, ids: Sequence[str], graph: StoryGraph) -> list[Issue]:
    if len(ids) > 1:
        who = ", ".join(repr(name) for name in ids[:5])
        return [Issue("ambiguous_name", f"{mention.text!r} may be any of {len(ids)}: {who}; all of them are looked for")]
    if not mention.whole and ids:
        return [
            Issue("guessed_name", f"{mention.text!r} was read as {graph.cast.entity(ids[0]).name!r}, of whose name it is a part")
        ]
    return []


def _unknown(text: str, taken: Sequence[Span], places: Sequence[str]) -> list[Issue]:
    """Capitalised words inside a sentence that nothing in the graph is called."""
    found = [match[0] for match in _NAME.finditer(blanked(text, taken, by="x")) if not _NO_NAME.fullmatch(match[0])]
    found += [match["one"] or match["two"] for match in _NAME_ZH.finditer(text) if apart(match.span(), taken)]
    return [
        Issue("unknown_name", f"nobody and nothing in the graph is called {name!r}; it is looked for by its words")
        for name in dict.fromkeys(found)
        if name not in places
    ]


def _strange(text: str, taken: Sequence[Span]) -> list[str]:
    """Names after "in" and "at" that nothing in the graph bears."""
    western = (match for match in _UNKNOWN.finditer(text) if not _NO_PLACE.match(match["name"]))
    chinese = (match for match in _UNKNOWN_ZH.finditer(text) if not match["name"].startswith(_ASKED_ZH))
    return [match["name"] for match in (*western, *chinese) if apart(match.span("name"), taken)]
