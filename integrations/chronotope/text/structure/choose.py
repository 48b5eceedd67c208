"""Which of the lines that read like headings are headings: what is announced, what stands alone, and numbers that rise by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from chronotope.text.structure.chinese import is_chinese_title, read_chinese_heading
from chronotope.text.structure.contents import Headed, announced, contents_pages, key
from chronotope.text.structure.english import is_quoted_title, is_title, read_english
from chronotope.text.structure.front import front_titles
from chronotope.text.structure.levels import levels_kept
from chronotope.text.structure.lines import Line, ends_sentence, is_divider
from chronotope.text.structure.numbers import numbered, numbers_below
from chronotope.text.structure.printed import Printed, is_chinese
from chronotope.text.structure.titles import recurring_titles

__all__ = ["chosen_headings", "read_line"]

_MARKDOWN = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*", re.DOTALL)
_LEADERS = re.compile(r"\s*(?:[.·…‧]\s?){4,}[0-9ivxlc]{1,8}$")  # dots that lead to the number of a page
_RULED = re.compile(r"^[-–—]+\s+(\S.*?)\s+[-–—]+$", re.DOTALL)
_DECORATION = "_*=~ \t[]\u3000【】"
_LONGEST_HEADING = 70  # words


def read_line(line: Line) -> Printed | None:
    """The line as a heading, by its words alone."""
    return None if line.size > _LONGEST_HEADING or is_divider(line) else _read(line.text)


@lru_cache(maxsize=4_096)
def _read(line: str) -> Printed | None:
    markdown = _MARKDOWN.fullmatch(line)
    text = _LEADERS.sub("", (markdown[2] if markdown else line).strip(_DECORATION)).strip(_DECORATION)
    text = _RULED.sub(r"\1", text)
    printed = read_english(text) if text[:1].isascii() or text[:1] in "“‘§" else read_chinese_heading(text)
    if markdown and (loose := re.match(r"([0-9]{1,3})\b[.):]?\s+(.+)", text)):
        return Printed("#+", "chapter", int(loose[1]), rest=loose[2], bare=True)
    if markdown and not printed:
        return Printed("#" * len(markdown[1]), "episode", rest=text)
    return printed


def chosen_headings(lines: Sequence[Line]) -> tuple[dict[int, Printed], list[range]]:
    """Headings by their line, and the contents pages."""
    headed = [read_line(line) for line in lines]
    pages = contents_pages(lines, headed)
    for page in pages:
        headed[page.start : page.stop] = [None] * len(page)
    listed = (
        set(announced(lines, [read_line(lines[i]) if p is None else p for i, p in enumerate(headed)], pages)) if pages else set()
    )
    chosen = _worded(lines, headed, listed)
    chosen |= _announced_titles(lines, headed, listed, chosen)
    chosen |= _named(lines, headed, listed, chosen)
    chosen |= _marked_down(lines, headed)
    if not _has_units(chosen):
        chosen |= numbered(lines, headed, chosen)
    if not _has_units(chosen):
        chosen |= _titled(lines, headed, chosen, pages)
    else:
        chosen |= front_titles(lines, chosen, {index for page in pages for index in page})
        chosen |= numbers_below(lines, headed, chosen)
    return _without_lone(chosen, listed), pages


def _has_units(chosen: dict[int, Printed]) -> bool:
    """Whether there is more than headings of books and parts, prefaces and epilogues."""
    return any(not printed.holds and printed.family != "named" for printed in chosen.values())


def _titled(lines: Sequence[Line], headed: Headed, chosen: dict[int, Printed], pages: Sequence[range]) -> dict[int, Printed]:
    """Titles by their shape alone; what stands below another heading, or on a contents page, is taken already."""
    taken = [printed if printed and printed.kind != "episode" else None for printed in headed]
    used = [index for page in pages for index in page] + list(chosen)
    used += [index + 1 for index, printed in chosen.items() if not printed.rest and _has_title_below(lines, index)]
    for index in used:
        if index < len(taken):
            taken[index] = Printed("taken", "text")
    titles = recurring_titles(lines, taken)
    holders = [index for index, printed in chosen.items() if printed.holds]
    opened = sum(not {index + 1, index + 2}.isdisjoint(titles) for index in holders)
    if 2 * opened < len(holders):
        return {}
    return {index: Printed("title", "episode", rest=lines[index].text) for index in titles}


def _has_title_below(lines: Sequence[Line], index: int) -> bool:
    """Whether the line below a heading is its title: another title follows, not a text."""
    if index + 2 >= len(lines) or not lines[index].after:
        return True
    return lines[index + 2].size <= 12 and not ends_sentence(lines[index + 2])


def _stands_out(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """Whether a blank line, another heading or a rule is above the line."""
    return lines[index].gap > 0 or bool(headed[index - 1]) or is_divider(lines[index - 1])


def _worded(lines: Sequence[Line], headed: Headed, listed: set[int]) -> dict[int, Printed]:
    """Headings with a word and a number: those that stand out, and others where the numbers around them agree."""
    last: dict[str, tuple[int, Printed]] = {}
    chosen: dict[int, Printed] = {}
    candidates = [(i, printed) for i, printed in enumerate(headed) if printed and not printed.bare and printed.family[0] != "#"]
    following = _next_of_family(candidates)
    for index, printed in candidates:
        if printed.family == "named":
            last = {family: seen for family, seen in last.items() if seen[1].holds}
            continue
        before = last.get(printed.family)
        if before and _repeats(before[1], printed, following.get(index)):
            continue
        expected = printed.number == (before[1].number or 0) + 1 if before else printed.number in (1, None)
        clean = not index or ends_sentence(lines[index - 1]) or (is_chinese(printed) and lines[index].alone)
        sure = ((_stands_out(lines, headed, index) or is_chinese(printed)) and not printed.doubtful) or index in listed
        if sure or (expected and clean and (not printed.rest or printed.doubtful or is_title(printed.rest))):
            chosen[index] = printed
            last[printed.family] = (index, printed)
            if printed.holds:
                last = {family: seen for family, seen in last.items() if family == printed.family or seen[1].holds}
    return levels_kept(lines, chosen, listed)


def _next_of_family(candidates: Iterable[tuple[int, Printed]]) -> dict[int, Printed]:
    following: dict[int, Printed] = {}
    ahead: dict[str, Printed] = {}
    for index, printed in reversed(list(candidates)):
        if printed.family in ahead:
            following[index] = ahead[printed.family]
        ahead[printed.family] = printed
    return following


def _repeats(before: Printed, printed: Printed, after: Printed | None) -> bool:
    """Whether it is the heading before it once more, as a half-title or a running head; a misprinted number is none."""
    if printed.number != before.number or printed.within != before.within or printed.number is None:
        return False
    misprint = after is not None and after.number == printed.number + 2
    same = not printed.rest or not before.rest or key(printed.rest) == key(before.rest)
    return same and not misprint


def _announced_titles(lines: Sequence[Line], headed: Headed, listed: set[int], chosen: dict[int, Printed]) -> dict[int, Printed]:
    """Titles that the contents page names, numbered or not; not what is printed below a heading that was found already."""
    found: dict[int, Printed] = {}
    known = dict(chosen)
    for title in sorted(listed):
        number = headed[title - 1] if title else None
        index = title - 1 if number and number.bare and lines[title - 1].gap else title
        near = any(above in known for above in range(index - 3, index)) and index not in chosen
        if near and _same_block(lines, index, known):
            continue
        if index not in chosen and (lines[index].alone or headed[index]):
            printed = headed[index]
            found[index] = known[index] = printed or Printed("listed", "episode", rest=lines[index].text)
    return found


def _same_block(lines: Sequence[Line], index: int, chosen: dict[int, Printed]) -> bool:
    """Whether a heading stands so close above that the line is its title."""
    above = next(place for place in range(index - 1, index - 4, -1) if place in chosen)
    return lines[index].words - lines[above].words - lines[above].size <= 12 and not chosen[above].holds


def _named(lines: Sequence[Line], headed: Headed, listed: set[int], chosen: dict[int, Printed]) -> dict[int, Printed]:
    """Prefaces, prologues, epilogues: alone on their line and not again and again, as the name of a speaker is."""
    places = [i for i, printed in enumerate(headed) if printed and printed.family == "named"]
    often = Counter(key(lines[index].text) for index in places)
    units = [index for index, printed in chosen.items() if not printed.holds]
    return {
        index: headed[index] or Printed("named", "preface")
        for index in places
        if index in listed or (_after_a_break(lines, headed, index) and often[key(lines[index].text)] <= 2 and _opens(lines, index))
        if index in listed or not _is_note(lines[index]) or not min(units, default=0) < index < max(units, default=0)
    }


def _is_note(line: Line) -> bool:
    return key(line.text) in ("note", "notes")


def _after_a_break(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """Whether a new paragraph starts with the line; Chinese is often printed without blank lines."""
    return _stands_out(lines, headed, index) or (not lines[index].text.isascii() and ends_sentence(lines[index - 1]))


def _opens(lines: Sequence[Line], index: int) -> bool:
    """Whether something follows the line that it can be the heading of."""
    return index + 1 < len(lines) and (lines[index].after > 0 or not lines[index].text.isascii() or is_title(lines[index + 1].text))


def _marked_down(lines: Sequence[Line], headed: Headed) -> dict[int, Printed]:
    """Markdown headings of a level that has two or more, each with a text below it."""
    levels: dict[str, list[int]] = {}
    for index, printed in enumerate(headed):
        if printed and printed.family[0] == "#" and _stands_out(lines, headed, index) and lines[index].after:
            levels.setdefault(printed.family, []).append(index)
    found = {index: headed[index] for family in levels.values() if len(family) >= 2 for index in family}
    return {index: printed for index, printed in found.items() if printed}


def _without_lone(chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """A single numbered heading in the middle of a text is none: it has no kin and no place in a row."""
    if len(chosen) != 1 or listed:
        return chosen
    ((index, printed),) = chosen.items()
    first = index <= 6 or printed.number == 1 or printed.family == "named"
    return chosen if first and not (printed.bare and index > 6) else {}


def title_below(lines: Sequence[Line], index: int, printed: Printed) -> bool:
    """Whether the line can be the title of the heading above it."""
    text = lines[index].text.strip(_DECORATION)
    if is_chinese(printed):
        return lines[index].size <= 30 and is_chinese_title(text)
    return lines[index].size <= 24 and (is_title(text) or is_quoted_title(text))
