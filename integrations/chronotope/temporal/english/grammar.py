"""How a time, its cue and the far end of its range become one expression, read from left to right."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chronotope.errors import TimeExpressionError
from chronotope.temporal.english import cues
from chronotope.temporal.english.judge import admissible, continues_list
from chronotope.temporal.english.lexicon import CARDINALS, TENS, UNITS, WEEKDAYS, words
from chronotope.temporal.english.numeric import inside_number
from chronotope.temporal.english.operands import backward, hedged, is_crumb, operand, ranged, shared
from chronotope.temporal.english.routes import STARTERS, read_atom
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, settled

__all__ = ["Found", "find_english"]

_RANGED = ("between", "from", "during", "since", "excluded")  # cues after which a range may follow
_COUNTS = {*CARDINALS, *TENS, "a", "an"}
_DIFFERS = words("differ differs differed differing different")
_VERBS = words("was is has does plays runs starts begins lives works serves leads his this series")
_DATED_THINGS = words(
    "letter report article news result data figure photo photograph painting film movie song music speech record email "
    "document paper book page version edition copy map entry story event date dates dated dating"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A time in the text: its reading, the tokens it spans and its relation."""

    first: int
    stop: int
    reading: Reading
    relation: str
    included: bool = False  # an "until" whose wording names its last unit: "no later than 2019"


def find_english(text: str, frame: Frame) -> tuple[Scan, list[Found]]:
    """Every time of a text in order, with the scan that holds the tokens."""
    scan = Scan(text, frame, read_atom)
    tokens, found, i = scan.tokens, list[Found](), 0
    last = len(tokens) - 4
    while i < last:
        token = tokens[i]
        if token.kind == "n" or token.low in STARTERS:
            one = _expression(scan, i, found[-1] if found else None)
            if one is not None:
                found.append(one)
                i = one.stop
                continue
        i += 1
    return scan, _neighbours(found)


def _neighbours(found: list[Found]) -> list[Found]:
    """Years carried back along a list: `on 3 and 5 May 2018`, `in May and June 2018`."""
    for place in range(len(found) - 2, -1, -1):
        here, there = found[place].reading.fields, found[place + 1].reading.fields
        if here is None or there is None or here.year is not None or there.year is None or here.weekday is not None:
            continue
        near = found[place + 1].first - found[place].stop <= 2
        if near and here.grain is there.grain and here.order <= there.order:
            reading = replace(found[place].reading, fields=replace(here, year=there.year))
            found[place] = replace(found[place], reading=reading)
    return found


def _expression(scan: Scan, i: int, before: Found | None) -> Found | None:
    """The expression that begins at a token: with its cue if there is one, else a time that needs none."""
    if inside_number(scan.tokens, i):
        return None
    try:
        cue = cues.read_cue(scan.tokens, i)
        if cue is not None:
            found = _cued(scan, i, cue)
            whole = scan.atom(i)
            if found is not None and (whole is None or whole.stop < found.stop + (cue.word != "for")):
                return found
        return _uncued(scan, i, before)
    except TimeExpressionError:  # "twelve thousand years ago" lies beyond the axis
        return None


def _uncued(scan: Scan, i: int, before: Found | None) -> Found | None:
    reading = operand(scan, i)
    if reading is None:
        return None
    far = ranged(scan, reading, between=False)
    if far is not None and far.weak and is_crumb(reading):
        return None  # "555-2020" needs a cue, "264–146 BC" does not
    reading = far or shared(scan, reading)
    if is_crumb(reading):
        return None
    after = cues.read_after_cue(scan, reading.stop, since=False)
    listed = before is not None and continues_list(scan, before.stop, i)
    if not (after or admissible(scan, i, reading, "and" if listed else None) or (listed and admissible(scan, i, reading, None))):
        return None
    if after is None:
        return _made(i, reading, reading.relation, reading.stop)
    return _made(i, reading, after.relation, after.stop, included=True)


def _cued(scan: Scan, i: int, cue: cues.Cue) -> Found | None:
    first = operand(scan, cue.stop)
    if first is None:
        return None
    far = ranged(scan, first, between=cue.relation == "between") if cue.relation in _RANGED else None
    if far is None and cue.relation in ("between", "from"):
        far = backward(scan, first, between=cue.relation == "between")
    if far is None and cue.relation == "between":
        return None
    reading = far or shared(scan, first)
    if is_crumb(reading):
        return None
    if cue.relation.endswith("_distance"):
        far_off = _distance(scan, i, cue, reading)
        if far_off is not None or cue.word != "over":
            return far_off
        cue = cue._replace(relation="during")
    if not admissible(scan, cue.stop, reading, cue.word):
        return None
    reading = _coloured(scan, cue, reading, single=far is None)
    if far is not None:
        return _made(i, reading, reading.relation, reading.stop)
    after = cues.read_after_cue(scan, reading.stop, since=cue.word in ("from", "since"))
    if after is not None:
        return _made(i, reading, after.relation, after.stop, included=True)
    return _made(i, reading, _relation(scan, i, cue), reading.stop, included=cue.word in cues.INCLUDING)


def _coloured(scan: Scan, cue: cues.Cue, reading: Reading, *, single: bool) -> Reading:
    """The reading with what its cue adds: doubt, exclusion, and for "since Monday" the last Monday rather than the next."""
    if cue.word in cues.APPROXIMATE:
        reading = hedged(scan, cue.stop, reading)
    if cue.relation == "excluded":
        reading = reading.with_flags("excluded")
    if cue.word == "since" and single and reading.fields is not None and reading.fields.year is None:
        return _latest(scan, reading)
    return reading


def _latest(scan: Scan, reading: Reading) -> Reading:
    settings = scan.frame.settings
    if settings.prefer is not None:
        return reading
    found = settled(reading, replace(scan.frame, settings=replace(settings, prefer="past")))
    return replace(found, fields=None) if found else reading


def _relation(scan: Scan, i: int, cue: cues.Cue) -> str:
    """The relation of a cue; "from" without an end is "since", but a letter from 1861 was written then."""
    if cue.relation != "from":
        return cue.relation
    before = scan.tokens[i - 1].low if i else ""
    if before in _DIFFERS:
        return "during"
    plural = before.endswith("s") and before not in _VERBS
    return "during" if plural or before in _DATED_THINGS or before in UNITS or before in WEEKDAYS else "since"


def _distance(scan: Scan, i: int, cue: cues.Cue, reading: Reading) -> Found | None:
    """`more than 2 weeks before today` lies before that day, `less than a month ago` since."""
    count = scan.tokens[cue.stop]
    if reading.interval is None or RELATIVE not in reading.flags or (count.kind != "n" and count.low not in _COUNTS):
        return None
    return _made(i, reading, "before" if cue.relation == "before_distance" else "since", reading.stop)


def _made(i: int, reading: Reading, relation: str, stop: int, *, included: bool = False) -> Found | None:
    relation = "during" if relation in ("from", "excluded") else relation
    if reading.interval is not None and reading.interval.is_empty and relation in ("during", "between", "as_of"):
        return None  # "now" alone is no stretch of time
    return Found(i, stop, reading, relation, included)
