"""What keeps ordinary words and numbers from being taken for dates: weak readings need a cue, and some cues are not enough."""

from __future__ import annotations

import re

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english.lexicon import MONTHS, UNSURE, words
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.partial.reading import Reading

__all__ = ["COUNTED", "admissible", "continues_list"]

_QUOTES = set("\"“”*_«»'‘’")
_LIST = {",", "and", "or", "&", "/", ";"}
COUNTED = words(
    "people men women children percent per km kilometres kilometers metres meters m cm mm miles feet ft inches tons tonnes "
    "kg pounds lbs words pages copies dollars euros usd eur million billion thousand hundred troops soldiers votes voters "
    "acres hectares members students employees species hp mph rpm points times calories seats inhabitants square cubic "
    "horses units items others mb gb"
)
_NUMBERING = words(
    "page pages pp p line lines verse verses no nos number numbers room rooms item items chapter chapters section sections "
    "flight flights lot lots column folio ff model unit units"
)
_DATED_VERBS = words(
    "elected born died founded established built opened closed published released written completed incorporated printed "
    "cast made taken filmed produced recorded painted signed ratified launched appointed married ordained created chartered "
    "anno dated circa"
)
_FUNCTION_WORDS = words(
    "and or to till until was were is did when the by with under after before as who what which where he she they it at on "
    "in for but bc ad"
)
_NOT_PLURAL = words("was is has does its this as his us plus versus thus perhaps ours hers always")
_SURE = words("in since during until till before after from between by throughout starting beginning as prior")
_COUNTING = words("over about around of approximately roughly near up at for to through more within beyond")
_BEFORE_OF = words("one out hundreds thousands total number height weight length population cost price sum speed")
_NAMES_FOLLOW = words("by of from before after to with for and at about on following preceding")
_MONTH_CUES = {"in", "during", "since", "until", "till", "before", "after", "from", "by"}
_OWNERS = {"his", "her", "their", "my", "your", "our"}
_DOUBTS = {"maybe", "guess", "approx", "approximately", "circa", "uncertain", "or", "so"}
_ABBREVIATED = ("b", "d", "fl", "r", "est")  # "b. 1756"

_MARKERS = 40  # characters before a year that may be markers of its line
_LINE_MARKER = re.compile(r"[ \t]*(?:(?:#+|\d+[.)]|(?P<list>[-*+•]))[ \t]+)?\|?[ \t]*(?P<bold>\*{1,3}|_{1,2})?")
_ENTRY = re.compile(r"[ \t]*\||[ \t]*:(?!\d)|[ \t]*[–—][ \t]|[ \t]+-[ \t]+(?!\d)|[ \t]*\n[ \t]*(?:-{3,}|={3,})[ \t]*(?:\n|$)")
_LINE_ENDS = re.compile(r"[ \t]*#*[ \t]*(?:\n|$)")
_OPENERS = words("nobody everybody everyone someone no we they he she it i the a an was were in there all some both")


def continues_list(scan: Scan, stop: int, i: int) -> bool:
    """True when only commas, "and" and "or" stand between the last time and a token."""
    between = scan.tokens[stop:i]
    return 0 < len(between) <= 3 and all(token.low in _LIST for token in between)


def admissible(scan: Scan, i: int, reading: Reading, cue: str | None) -> bool:
    """True when the reading at a token is a time rather than a name, a title or a count; `cue` is the word before it."""
    tokens, fields = scan.tokens, reading.fields
    if cue is None and reading.weak and _opens_line(scan, i, reading):
        return True
    emphasised = tokens[i - 1].low in ("*", "_") and _range_of_years(reading)
    if (_quoted(tokens, i, reading.stop) and not emphasised) or (i and tokens[i].glued and tokens[i - 1].low == "$"):
        return False
    alone = cue is None and _stands_alone(tokens, i, reading.stop)
    if fields is not None and fields.grain is Grain.MONTH and reading.weak and fields.part is None:
        return alone or _month_ok(tokens, reading, cue)
    if cue is None and _named_day(tokens, reading):
        return False
    if not reading.weak:
        return fields is None or fields.grain is not Grain.DECADE or not i or tokens[i - 1].low not in _OWNERS
    return alone or (not _counts(tokens, i, reading, cue) and _supported(tokens, i, reading, cue))


def _supported(tokens: list[Token], i: int, reading: Reading, cue: str | None) -> bool:
    """True when a cue, brackets, a second year or a verb makes a weak reading a time."""
    if cue is not None:
        return _cue_fits(tokens, i, reading, cue)
    return _bracketed(tokens, i, reading.stop) or _range_of_years(reading) or _dated(tokens, i, reading)


def _opens_line(scan: Scan, i: int, reading: Reading) -> bool:
    """True for the year of an entry or heading: `## 2021`, `2021: …`, `**2021** …`, `| 2021 |`, `- 2021 nobody met`."""
    token, fields, text = scan.tokens[i], reading.fields, scan.text
    if fields is None or fields.grain is not Grain.YEAR or reading.stop != i + 1 or not 1000 <= token.number <= 2100:
        return False
    begin = text.rfind("\n", max(0, token.start - _MARKERS), token.start) + 1
    if (begin == 0 and token.start > _MARKERS) or token.width != 4:
        return False
    marker = _LINE_MARKER.fullmatch(text, begin, token.start)
    if marker is None or _numbered(scan.tokens, i):
        return False
    if marker["bold"] and text.startswith(marker["bold"], token.end):
        return True
    if _ENTRY.match(text, token.end) or (marker["list"] and scan.tokens[i + 1].low in _OPENERS):
        return True
    heads = marker[0].strip() or begin < 2 or text[begin - 2 : begin] == "\n\n"
    return bool(heads) and _LINE_ENDS.match(text, token.end) is not None


def _counts(tokens: list[Token], i: int, reading: Reading, cue: str | None) -> bool:
    """True for numbers that count or number something: `1,500 soldiers`, `pages 1990-1995`, `in 300 words`."""
    small = tokens[i].width == 3 and tokens[i].kind == "n"
    return _counted(tokens, reading, cue) or _numbered(tokens, i) or (small and not _small_year(tokens, reading, cue))


def _named_day(tokens: list[Token], reading: Reading) -> bool:
    """True for "Friday Night Lights" and "Sunday Times": a bare weekday before another capital."""
    fields, after = reading.fields, tokens[reading.stop]
    bare = fields is not None and fields.grain is Grain.DAY and fields.day is None and fields.number is None
    return bare and tokens[reading.stop - 1].capital and after.capital and after.low not in MONTHS


def _numbered(tokens: list[Token], i: int) -> bool:
    """True after "pages" or "no.", which number things."""
    before = tokens[i - 1].low if i else ""
    return before in _NUMBERING or (before == "." and i > 1 and tokens[i - 2].low in _NUMBERING)


def _small_year(tokens: list[Token], reading: Reading, cue: str | None) -> bool:
    """Three figures are a year after a preposition where nothing follows that they could count."""
    after = tokens[reading.stop]
    return cue in _SURE and (after.kind != "w" or after.low in _FUNCTION_WORDS)


def _dated(tokens: list[Token], i: int, reading: Reading) -> bool:
    """True for a year beside a verb that calls for one: `elected 1990`, `b. 1756`."""
    if reading.fields is None or reading.fields.grain is not Grain.YEAR:
        return False
    if not i:  # a caption or catalogue entry: "1932, printed later"
        return tokens[reading.stop].low in (",", ";")
    before, after = tokens[i - 1].low, tokens[reading.stop]
    if before == ",":  # "Paris, 1921"
        return (
            i > 1
            and tokens[i - 2].capital
            and (after.low in (".", "?", "!", ")", ";", "") or (after.kind == "p" and not after.glued))
        )
    return before in _DATED_VERBS or (before == "." and i > 1 and tokens[i - 2].low in _ABBREVIATED)


def _range_of_years(reading: Reading) -> bool:
    return reading.relation == "between" and reading.interval is not None and reading.interval.length is not None


def _quoted(tokens: list[Token], i: int, stop: int) -> bool:
    if not i or tokens[i - 1].low not in _QUOTES or tokens[stop].low not in _QUOTES:
        return False
    return tokens[i].glued and tokens[stop].glued


def _bracketed(tokens: list[Token], i: int, stop: int) -> bool:
    return i > 0 and tokens[i - 1].low in ("(", "[") and tokens[stop].low in (")", "]", ",", ";")


def _stands_alone(tokens: list[Token], i: int, stop: int) -> bool:
    """True when the text holds nothing else but marks and words of doubt."""
    if i > 7 or len(tokens) - stop > 12:
        return False
    return all(
        token.kind == "p" or token.low in _DOUBTS or (token.width == 4 and token.kind == "n")
        for token in (*tokens[:i], *tokens[stop:-4])
    )


def _counted(tokens: list[Token], reading: Reading, cue: str | None) -> bool:
    after = tokens[reading.stop]
    if after.kind != "w" or after.capital:
        return after.low in ("%", "°")
    if after.low in COUNTED:
        return True
    plural = after.low.endswith("s") and len(after.low) > 3 and after.low not in _NOT_PLURAL
    return plural and cue not in _SURE


def _cue_fits(tokens: list[Token], i: int, reading: Reading, cue: str) -> bool:
    """False for words that count rather than date a bare number: `one of 1500`, `over 2000`, `at 1600`."""
    if reading.fields is None or reading.fields.grain is not Grain.YEAR:
        return True
    if cue in ("at", "over"):
        return False
    if cue == "for":
        return tokens[reading.stop].kind != "w"
    if cue == "of" and (tokens[i - 2].low in _BEFORE_OF or tokens[i - 2].kind == "n"):
        return False
    return cue not in _COUNTING or tokens[reading.stop].low != "-"


def _month_ok(tokens: list[Token], reading: Reading, cue: str | None) -> bool:
    """A bare month needs a preposition, and neither a surname (`April Smith`) nor a possessive (`May's Diner`) after it."""
    after = tokens[reading.stop]
    if cue is None or cue in ("at", "c", "about"):
        return False
    if after.low in ("'", "’") and tokens[reading.stop + 1].low == "s":
        return False
    if after.kind == "w" and after.capital and cue in _NAMES_FOLLOW and after.low not in MONTHS:
        return False
    word = tokens[reading.stop - 1]
    return word.capital or word.low not in UNSURE or cue in _MONTH_CUES
