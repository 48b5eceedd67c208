"""What kind of answer a temporal question wants, by rules, and how one goes about it (DyG-RAG section 3.5, Time-CoT)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from chronotope.temporal.scope import QueryScope, parse_scope

__all__ = ["HEURISTICS", "QuestionClass", "question_class"]

QuestionClass: TypeAlias = Literal["point", "continuity", "boundary", "aggregate", "comparison", "order"]

_TIME = " § "  # what a time leaves behind: it cannot be a cue, and words on either side stay apart
_NAME = "¤"  # and what a name does: "America's Next Top Model" asks for no successor
_SMALL = re.compile(r"\b(?!(?:of|the|a|an|in|to|and|or|for|by|at|on|from)\b)[a-z]{2}")
_CAPITAL = re.compile(r"(?<=[^.?!\s] )[\"'“‘(]*[A-Z][\w'’-]*")
_UNIT = r"(?:year|month|week|day|time|date|decade|century|season|hour|quarter)s?"
_NO_BOUNDARY = (
    r"lady|ladies|minister|ministers|secretary|name|names|nation|nations|world|class|division|aid|lord|sea|baron|earl|duke|"
    r"viscount|marquess|lieutenant|responder|amendment|hand|language|degree|\d+|few|several|two|three|four|five|ten|hundred|thousand"
)
_STATES = (
    r"exist|live|reside|work|own|belong|serve|hold|play|rule|reign|govern|lead|head|run|manage|coach|study|attend|teach|possess|have|"
    r"occupy|control|be|use|operate|employ|represent|sponsor|chair|edit|command|share|lack"
)
_SUCCESSION = (
    r"next|previous|previously|prior|preceding|subsequent|subsequently|afterwards?|beforehand|succeed(?:s|ed|ing)?|successors?|predecessors?|"
    r"preced(?:e|es|ed)|follow(?:ed|s)?|replac(?:e|ed|es)|t(?:ake|akes|ook)\s+over\s+(?:from|as)"
)

_ENGLISH: Final[tuple[tuple[QuestionClass, str], ...]] = (
    (
        "order",
        r"\b(?:in\s+(?:what|which|chronological|the\s+right)\s+order|"
        r"order\s+of\s+(?:the\s+)?events|sequence\s+of|chronolog\w+|timeline)\b",
    ),
    ("order", r"^(?:how|in\s+what\s+ways?)\b.*\b(?:change|evolve|develop|progress|unfold|shift)(?:d|ed|s)?\b"),
    (
        "comparison",
        r"\b(?!other\b|rather\b|whether\b)(?:\w+er|worse)\s+(?:[\w§-]+\s+){0,6}?than\b|\b(?:more|less|fewer)\s+(?:[\w§-]+\s+){1,6}?than\b|"
        r"\b(?:more|less|fewer)\s+than\s+(?:¤|the|his|her|their|its|in|during|at|§)|\bcompar(?:e|es|ed|ison)\b|\b(?:versus|vs)\b|"
        r"\bdifference\s+between\b|\bas\s+(?:long|many|much|often|old|large|big)\s+(?:[\w-]+\s+){0,4}?as\b|\b(?:overlap\w*|simultaneous\w*)\b|"
        r"\bat\s+the\s+same\s+time\s+as\b|\b(?:longest|shortest|fewest|least|oldest|youngest)\b|\bmost\s+(?!recent|of\b|likely|important)\w+",
    ),
    ("comparison", r"\b(?:which|who|what)\b.*\b(?:longer|shorter|earlier|later|sooner|first|more|fewer|older|younger)\b.*\bor\b"),
    ("comparison", r"\b(?:longer|shorter|earlier|later|sooner|first|more|fewer|older|younger)\s*[,:—-].*\bor\b"),
    (
        "aggregate",
        r"\b(?:how\s+(?:many|much|often|frequently)|for\s+how\s+long|in\s+total|altogether|(?:total|combined|overall)\s+(?:number|amount|length|time)|"
        r"number\s+of|count\s+(?:of|the|all)|(?<!in the )duration\s+of|average)\b|\bhow\s+long\b(?!\s+ago)|"
        r"^(?:please\s+)?(?:list|enumerate|count\s+(?:the|all|every|how))\b|"
        r"\b(?:name|list|mention|give|show)\s+(?:me\s+)?(?:all|every|each)\b|\b(?:all|every)\s+(?:of\s+)?the\b",
    ),
    (
        "boundary",
        rf"^(?:since|until|till|by|from)?\s*when\s+(?:did|do|does|was|were|is|are|has|have|had|will|would|can|could|exactly|precisely)\b|"
        rf"\b(?:since|until|till|from)\s+when\b|\b(?:what|which)\s+(?:\w+\s+)?{_UNIT}\b|\bhow\s+long\s+ago\b|\btell\s+me\s+when\b|"
        rf"\bdates?\s+(?:of|on\s+which|when)\b|\b(?:the\s+)?(?:year|date|day|month)\s+(?:in\s+which|when|that)\b",
    ),
    (
        "continuity",
        r"\b(?:still|remain(?:s|ed)?|throughout|continu(?:e|es|ed|ously|ous)|no\s+longer|any\s+longer|uninterrupted(?:ly)?|without\s+(?:a\s+)?"
        r"(?:break|interruption)|the\s+(?:whole|entire)\s+time|all\s+through|as\s+(?:late|early)\s+as|already|keep|kept|yet)\b",
    ),
    (
        "boundary",
        rf"\b(?:first|earliest|initial|original|last|latest|final|most\s+recent)(?:ly)?\b(?!\s+(?:{_UNIT}\b(?!\s+(?:that|when|in|on|of))|"
        rf"(?:and\s+last\s+)?(?:{_NO_BOUNDARY})\b))|"
        rf"\bfor\s+the\s+(?:first|last)\s+time\b",
    ),
    ("order", rf"\b(?:before|(?<!named )(?<!called )after|once|following|{_SUCCESSION})\b(?!\s*§)"),
    ("order", r"\bwhat\s+(?:happened|came|comes|followed)\s+(?:next|then|afterwards?)\b|\bthen\b(?!\s+(?:called|known|named))"),
    ("continuity", r"^(?:is|are|was|were|has|have|had)\b(?:(?!\bor\b).)*§"),
    ("continuity", rf"^(?:did|does|do)\b(?:(?!\bor\b).)*\b(?:{_STATES})\b.*§"),
    ("aggregate", r"^(?:who|which|what)\s+(?:were|are)\s+(?:all\s+)?(?:the|his|her|its|their)\b"),
    (
        "aggregate",
        r"\b(?:which|what)\s+(?:(?!of\b)[a-z-]+\s+){0,2}?(?!was\b|is\b|has\b|does\b|this\b|its\b|his\b)"
        r"[a-z]{2,}(?:[^siu\W]s|ies)\b(?=\s+(?:did|do|does|were|are|have|had|was|[a-z]+ed)\b)",
    ),
)

_CHINESE: Final[tuple[tuple[QuestionClass, str], ...]] = (
    ("order", r"顺序|次序|先后|时间线|如何(?:变化|演变|发展)|怎样(?:变化|演变|发展)|怎么(?:变化|演变)"),
    (
        "comparison",
        r"比[^。？?，]{1,20}?(?:更|早|晚|多|少|长|短|久|大|小|高|低)|相比|比较|[谁哪][^。]*?(?:更|先)|最(?:长|短|久|多|少)的?|"
        r"同时|还是[^。]*?(?:更|早|晚|先)",
    ),
    (
        "boundary",
        r"(?:多久|多长时间)[以之]?前|什么时候|何时|哪一?[年天月日]|几时|几年几月|几月几[日号]|(?:什么|哪个)(?:时间|日期|年份|月份)",
    ),
    ("aggregate", r"多少|多久|多长时间|[几](?:次|个|位|年|天|届|任|场|部|本|名|家|座|项)|哪[些几]|列出|列举|所有|总共|一共|共有"),
    ("continuity", r"仍|还(?:在|是|担任|属于|住)|依[然旧]|一直|继续|始终|已经|不再"),
    ("boundary", r"首[次位任个届]|第一[次位任个届]|最[早初后近]|最终|末[任代]|首先"),
    ("order", r"[之以][前后]|接着|接下来|随后|然后|前任|继任|接[替任]|下一[任位个]|上一[任位个]"),
    ("continuity", r"§.*(?:是否|是不是|有没有|吗)|(?:是否|是不是|有没有).*§"),
)
_CUES = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in (*_ENGLISH, *_CHINESE)]


def question_class(question: str, asked: QueryScope | None = None) -> QuestionClass:
    """What kind of answer a question wants, from cue words in English and Chinese; `point` where there are none.

    Args:
        question: as the user asked it.
        asked: the question taken apart, if that is known; a word inside a time ("last year", "before 1811") is no cue.

    Source: DyG-RAG section 3.5 (3).

    >>> question_class("Who owned the mill before 1811?"), question_class("Who owned the mill before it burned down?")
    ('point', 'order')
    """
    asked = parse_scope(question) if asked is None else asked
    text = _masked(asked).strip()
    return next((kind for kind, cue in _CUES if cue.search(text)), "point")


def _masked(asked: QueryScope) -> str:
    """The question with its times taken out, those included that need a reference day; clauses about events stay."""
    spans = [item.span for item in asked.expressions]
    spans += [item.span for item in asked.unresolved if item.reason != "event"]
    text = asked.question
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + _TIME + text[end:]
    text = " ".join(text.split())
    in_title_case = not _SMALL.search(text)
    return text if in_title_case else _CAPITAL.sub(_NAME, text)


def _heuristics() -> Mapping[QuestionClass, str]:
    text = files("chronotope.events").joinpath("prompts", "time_cot_classes.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (\w+)[ \t]*$", text, flags=re.MULTILINE)
    told = {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}
    return MappingProxyType({kind: told[kind] for kind in get_args(QuestionClass)})


HEURISTICS: Final[Mapping[QuestionClass, str]] = _heuristics()
"""How an answer of each class is found, in the words that a model is told."""
