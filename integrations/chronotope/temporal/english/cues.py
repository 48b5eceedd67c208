"""Words around a time that say which side of it is meant: `before`, `since`, `no later than`, `or later`, `> =`."""

from __future__ import annotations

from typing import NamedTuple

from chronotope.temporal.english.lexicon import words
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.partial.reading import chain

__all__ = ["APPROXIMATE", "STARTERS", "Cue", "read_after_cue", "read_cue", "skip_hedge"]


class Cue(NamedTuple):
    """A relation, the index after its words, and its first word."""

    relation: str
    stop: int
    word: str


_CUES: dict[str, str] = {
    "before": "before | prior to | previous to | earlier than | preceding | ahead of | < | not since",
    "after": ("after | later than | following | subsequent to | greater than | newer than | more recent than | > | beyond"),
    "since": (
        "since | ever since | starting | starting on | starting from | starting in | starting with | beginning | beginning on "
        "| beginning in | beginning from | beginning with | commencing | commencing on | as early as | as from | effective | "
        "effective from | no earlier than | not earlier than | not before | on or after | in or after | at or after | > = | ≥ "
        "| from and after"
    ),
    "until": (
        "until | untill | till | til | up to and including | through and including | until and including | up until | up till "
        "| up to | through | thru | no later than | not later than | as late as | ending | ending on | ending in | not after "
        "| on or before | in or before | at or before | < = | ≤ | to the end of"
    ),
    "by": "by",
    "as_of": "as of | as at | as on",
    "between": "between | in between | betwixt",
    "from": "from | during from",
    "excluded": (
        "but not | but not in | but not during | except | except in | except for | excluding | other than | other than in | "
        "apart from | aside from | not in | not during | not | without | outside | outside of | save for"
    ),
    "before_distance": "more than | over | at least",
    "since_distance": "less than | under",
    "during": (
        "in | on | at | during | over | throughout | within | of | for | all through | in the course of | across | sometime "
        "in | sometime on | some time in | around | about | circa | ca | ca . | c | c . | approximately | approx | approx . | "
        "roughly | near | active "
        "| dated | sometime | any time in | = | anno | ~ | back in | as recently as | as far back as | uncertain | maybe | "
        "perhaps | probably | possibly | in the middle of"
    ),
}
_BY_FIRST: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _relation, _names in _CUES.items():
    for _name in _names.split("|"):
        _words = tuple(_name.split())
        _BY_FIRST.setdefault(_words[0], []).append((_words[1:], _relation))
for _choices in _BY_FIRST.values():
    _choices.sort(key=lambda choice: -len(choice[0]))
STARTERS = frozenset(_BY_FIRST)

APPROXIMATE = words("about around circa ca c approximately approx roughly near maybe perhaps probably possibly uncertain ~ guess")
INCLUDING = words("< ≤ no not on in at through thru up to as")  # first words of an "until" that includes its unit
_SIDES = dict.fromkeys(
    ("later", "after", "newer", "greater", "beyond", "above", "onwards", "onward", "afterwards", "thereafter"), "since"
)
_SIDES |= dict.fromkeys(("earlier", "before", "older", "prior", "below"), "until")


def read_cue(tokens: list[Token], i: int) -> Cue | None:
    """The longest cue that begins at a token."""
    first = tokens[i].low
    for rest, relation in _BY_FIRST.get(first, ()):
        stop = chain(tokens, i + 1, *rest) if rest else i + 1
        if stop > 0:
            return Cue(relation, stop, first)
    return None


def skip_hedge(tokens: list[Token], i: int) -> tuple[int, bool]:
    """The index after words such as "about" or "c.", and whether there were any."""
    j = i
    while tokens[j].low in APPROXIMATE and j < i + 2:
        j += 1
        if tokens[j].low in (".", ":") and tokens[j].glued:
            j += 1
    return j, j > i


def read_after_cue(scan: Scan, i: int, *, since: bool) -> Cue | None:
    """A relation told after the time: `or later`, `and before`, `onwards`; `on` only where "from" came before."""
    tokens = scan.tokens
    low, following = tokens[i].low, tokens[i + 1].low
    if low in ("or", "and") and following in _SIDES and tokens[i + 2].low not in ("than", "to") and scan.atom(i + 2) is None:
        return Cue(_SIDES[following], i + 2, following)
    if low == "and" and following == "on":
        return Cue("since", i + 2, low)
    if low in ("onwards", "onward", "forward", "forwards"):
        return Cue("since", i + 1, low)
    if low == "on" and since and tokens[i + 1].kind != "n":
        return Cue("since", i + 1, low)
    return None
