"""Clauses that place a question by an event: "before the investigation", "while she was away", 抄檢之前, 送殯時."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from chronotope.slices.question.folding import CJK
from chronotope.slices.question.names import Span, apart
from chronotope.temporal.clauses import event_clauses

__all__ = ["LENGTH", "Clause", "Relation", "story_clauses"]

Relation: TypeAlias = Literal["before", "until", "during", "while", "since", "after"]

_I = re.IGNORECASE
_SPLIT = re.compile(
    r"\s*(?:,\s*)?\b(?:and|or|but)\s+(?:not\s+|then\s+)?"
    r"(?=(?:before|after|during|until|till|since|when|while|once|following|prior to|in the|at the time of)\b)",
    _I,
)
_BETWEEN = re.compile(r"\bbetween\s+(?P<one>[^,?!;]+?)\s+and\s+(?P<two>[^,?!;]+?)(?=[,?!;.]|$)", _I)
_EXTRA = re.compile(
    r"\b(?P<cue>(?:at|by|around)\s+the\s+(?:very\s+)?(?:time|moment|hour)\s+of|(?:on|at|in)\s+the\s+(?:day|night|evening|morning|week|month|year|days|time)\s+(?:of|when|that)|in\s+the\s+(?:midst|middle)\s+of|"
    r"in\s+the\s+days\s+(?:before|after)|ahead\s+of|later\s+than|earlier\s+than|up\s+to|upon|amid|amidst)\s+(?P<rest>[^,?!;]+)",
    _I,
)
_LOOSE = re.compile(r"\b(?P<cue>before|after|during|until|till|since)\s+(?P<rest>[^,?!;]+)", _I)
_PARTICLE = re.compile(  # "named after", "knelt before": the word belongs to the verb
    r"\b(?:look\w*|nam(?:e|es|ed|ing)|call(?:s|ed)?|tak(?:e|es|en)|took|ask(?:s|ed)?|inquir\w+|kne(?:el|els|lt|eling)|bow(?:s|ed)?|stand|stands|stood|"
    r"appear(?:s|ed)?|plead(?:s|ed)?|day|night|the)\s+$",
    _I,
)
_EXCLUDED = re.compile(r"\b(?:except(?:\s+for)?|excluding|other\s+than|apart\s+from|but\s+not|not|never)\s+$", _I)
LENGTH = re.compile(
    r"\b(?P<length>(?:about\s+|some\s+|exactly\s+)?(?:an?|\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|a\s+few)"
    r"\s+(?:full\s+|whole\s+)?(?:day|week|fortnight|month|year|decade)s?)\s+$",
    _I,
)
_DEGREE = re.compile(r"\b(?:shortly|soon|right|just|immediately|long|ever|even|only|directly|straight)\s+$", _I)
_RELATIONS: dict[str, Relation] = {
    "before": "before", "until": "until", "by": "until", "during": "during", "since": "since", "after": "after",
}  # fmt: skip
_CUES: dict[str, Relation] = {"ahead of": "before", "earlier than": "before", "later than": "after", "up to": "until"}
_WHILE = re.compile(r"(?:while|whilst|as long as|when|throughout)\b", _I)

_STOP_ZH = '，,。．？?！!；;：:、“”"（）()'
_CUE_ZH = (
    r"(?P<before>(?:之|以)前|前(?!往|去|來|来|面|後|后|頭|头|有|生|夫|妻|日|天|年))|(?P<after>(?:之|以)[後後后]|[後后](?![來来面頭头門门院宮宫妃果人代街世母悔宅堂廳厅樓楼花園园]))|"
    r"(?P<until>[為为]止)|(?P<since>以[來来])|(?P<during>(?:的|之)?(?<![何幾几那這这小同平一麼么])[時时](?:候)?(?![間间常辰代光刻髦運运])|期[間间]|之[際际]|那[天日年夜晚]|[當当][天日晚夜]|的那[天日年夜晚])"
)
_CHINESE = re.compile(_CUE_ZH)
_LEAD_ZH = re.compile(r"(?:在|[當当]|自[從从]?|[從从]|直到|等到|到|除了?)$")
_OUT_ZH = re.compile(r"之?外[，,]?")
_LENGTH_ZH = re.compile(r"[〇零一二三四五六七八九十百兩两0-9数數几幾]+(?:年|個月|个月|月|天|日|周|週)")
_LONGEST_ZH = 16


@dataclass(frozen=True)
class Clause:
    """A clause of a question.

    Args:
        span: its words, the cue among them.
        phrase: the words that name the event.
        relation: what of the axis it asks for.
        start: first character of the phrase, so that a part of it can be pointed at.
        excluded: True when the question takes this time out.
        length: "three days" in "three days before the fire".
        suffix: True where the name of the event ends the phrase and its beginning may belong to the question (Chinese).
        sure: False where the cue may belong to a verb, so that a phrase which names no event is no fault.
    """

    span: Span
    phrase: str
    relation: Relation
    start: int
    excluded: bool = False
    length: str = ""
    suffix: bool = False
    sure: bool = True


def story_clauses(text: str, taken: Sequence[Span] = ()) -> list[Clause]:
    """The clauses of a question that may name an event, in its order.

    >>> [(one.relation, one.phrase) for one in story_clauses("Who served her before the investigation and after the fire?")]
    [('before', 'the investigation'), ('after', 'the fire')]
    >>> [(one.relation, one.phrase) for one in story_clauses("抄檢之前誰伺候王熙鳳？")]
    [('before', '抄檢')]
    """
    found = [*_english(text, taken), *_chinese(text, taken)]
    kept: list[Clause] = []
    for clause in sorted(found, key=lambda one: (one.span[0], -one.span[1])):
        if apart(clause.span, [*taken, *(one.span for one in kept)]):
            kept.append(clause)
    return kept


def _english(text: str, taken: Sequence[Span]) -> list[Clause]:
    breaks = [match.span() for match in _SPLIT.finditer(text)]
    found: list[Clause] = []
    for match in _BETWEEN.finditer(text):
        one, two = match.span("one"), match.span("two")
        if apart(match.span(), taken):
            found.append(Clause((match.start(), one[1]), match["one"], "after", one[0]))
            found.append(Clause((one[1] + 1, two[1]), match["two"], "before", two[0]))
    busy = [*taken, *(clause.span for clause in found), *breaks]
    for match in _EXTRA.finditer(text):
        end = min([match.end("rest"), *(start for start, _ in busy if start > match.start("rest"))])
        cue = match["cue"].lower()
        relation = _extra(cue)
        span = (match.start(), end)
        if apart(span, busy):
            found.append(_clause(text, span, match.start("rest"), relation))
            busy.append(span)
    for clause in event_clauses(text, [*taken, *breaks, *(one.span for one in found)]):
        if clause.relation in _RELATIONS:
            cue = re.match(
                r"(?:ever since|up until|as soon as|as long as|prior to|by the time|in the (?:aftermath|wake|course) of|"
                r"in the run-up to|on the eve of|at the (?:time|outbreak) of|\w+)\s+",
                clause.text,
                _I,
            )
            begin = clause.span[0] + (cue.end() if cue else 0)
            relation = "while" if _WHILE.match(clause.text) else _RELATIONS[clause.relation]
            sure = _PARTICLE.search(text, 0, clause.span[0]) is None
            found.append(replace(_clause(text, clause.span, begin, relation), sure=sure))
    return [*found, *_loose(text, [*taken, *breaks, *(one.span for one in found)])]


def _extra(cue: str) -> Relation:
    """What a cue of several words asks for."""
    if cue in _CUES:
        return _CUES[cue]
    return "before" if cue.endswith("before") else "after" if cue.endswith("after") else "during"


def _loose(text: str, busy: Sequence[Span]) -> list[Clause]:
    """Cues that stand beside a verb: "who came before the fire"."""
    found: list[Clause] = []
    for match in _LOOSE.finditer(text):
        end = min([match.end("rest"), *(start for start, _ in busy if start >= match.end("cue"))])
        if end <= match.start("rest") or not apart((match.start(), end), busy):
            continue
        relation: Relation = {"till": "until"}.get(match["cue"].lower(), match["cue"].lower())  # type: ignore[assignment]
        sure = _PARTICLE.search(text, 0, match.start()) is None
        found.append(replace(_clause(text, (match.start(), end), match.start("rest"), relation), sure=sure))
        busy = [*busy, (match.start(), end)]
    return found


def _clause(text: str, span: Span, begin: int, relation: Relation) -> Clause:
    phrase = text[begin : span[1]].rstrip(" ,.?!;")
    start = span[0]
    length = LENGTH.search(text, 0, start) if relation in ("before", "after") else None
    if length:
        start = length.start("length")
    elif degree := _DEGREE.search(text, 0, start):
        start = degree.start()
    excluded = _EXCLUDED.search(text, 0, start)
    if excluded:
        start = excluded.start()
    return Clause((start, begin + len(phrase)), phrase, relation, begin, bool(excluded), length["length"] if length else "")


def _chinese(text: str, taken: Sequence[Span]) -> list[Clause]:
    found: list[Clause] = []
    for match in _CHINESE.finditer(text):
        if not apart(match.span(), taken):
            continue
        before = found[-1].span[1] if found else 0
        begin = max([match.start() - _LONGEST_ZH, before, *(end for _, end in taken if end <= match.start())])
        stop = max((text.rfind(mark, begin, match.start()) for mark in _STOP_ZH), default=-1)
        begin = max(begin, stop + 1)
        run = re.search(f"[{CJK}A-Za-z0-9·]+$", text[begin : match.start()])
        if run is None:
            continue
        begin += run.start()
        relation: Relation = match.lastgroup  # type: ignore[assignment]
        found.append(_chinese_clause(text, begin, match, relation))
    return found


def _chinese_clause(text: str, begin: int, match: re.Match[str], relation: Relation) -> Clause:
    phrase = text[begin : match.start()].removesuffix("的")
    start = begin
    lead = re.match(r"(?:在|[當当]|自[從从]?|[從从]|直到|等到|除了?)", phrase)
    if lead and len(phrase) > lead.end() + 1:
        start = begin + lead.end()
        if lead[0] in ("從", "从", "自", "自從", "自从") and relation in ("after", "during"):
            relation = "since"
        if lead[0] in ("直到", "等到"):
            relation = "until"
    length = _LENGTH_ZH.match(text, match.end()) if relation in ("before", "after") else None
    end = length.end() if length else match.end()
    outside = _OUT_ZH.match(text, end) if lead and lead[0].startswith("除") else None
    end = outside.end() if outside else end
    told = text[start : match.start()].removesuffix("的")
    return Clause((begin, end), told, relation, start, outside is not None, length[0] if length else "", suffix=True)
