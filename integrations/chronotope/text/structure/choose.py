"""Which of the lines that read like headings are headings: what is announced, what stands alone, and numbers that rise by one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median

from chronotope.text.structure.chinese import is_chinese_title, read_chinese_heading
from chronotope.text.structure.contents import Headed, announced, contents_pages, key
from chronotope.text.structure.english import is_title, read_english
from chronotope.text.structure.lines import Line, ends_sentence, is_divider
from chronotope.text.structure.printed import Printed
from chronotope.text.structure.titles import recurring_titles

__all__ = ["chosen_headings", "read_line"]

_MARKDOWN = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*", re.DOTALL)
_DECORATION = "_*=~ \t[]\u3000【】"
_LONGEST_HEADING = 70  # words
_SUB_LEVEL_WORDS = 40  # that a numbered part has at least, as a rule


def read_line(line: Line) -> Printed | None:
    """The line as a heading, by its words alone."""
    return None if line.size > _LONGEST_HEADING or is_divider(line) else _read(line.text)


@lru_cache(maxsize=4_096)
def _read(line: str) -> Printed | None:
    markdown = _MARKDOWN.fullmatch(line)
    text = (markdown[2] if markdown else line).strip(_DECORATION)
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
    chosen |= _named(lines, headed, listed)
    chosen |= _marked_down(lines, headed)
    if not _has_units(chosen):
        chosen |= _numbered(lines, headed, chosen)
    if not _has_units(chosen):
        chosen |= _titled(lines, headed, chosen, pages)
    return _without_lone(chosen, listed), pages


def _has_units(chosen: dict[int, Printed]) -> bool:
    """Whether there is more than headings of books and parts, prefaces and epilogues."""
    return any(not printed.holds and printed.family != "named" for printed in chosen.values())


def _titled(lines: Sequence[Line], headed: Headed, chosen: dict[int, Printed], pages: Sequence[range]) -> dict[int, Printed]:
    """Titles by their shape alone; what stands below another heading, or on a contents page, is taken already."""
    taken: list[Printed | None] = list(headed)
    used = [index for page in pages for index in page] + [below for index in chosen for below in (index, index + 1)]
    for index in used:
        if index < len(taken):
            taken[index] = taken[index] or Printed("taken", "text")
    return {index: Printed("title", "episode", rest=lines[index].text) for index in recurring_titles(lines, taken)}


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
        glued_but_clean = (index > 0 and ends_sentence(lines[index - 1])) or not index
        sure = ((_stands_out(lines, headed, index) or _is_chinese(printed)) and not printed.doubtful) or index in listed
        if sure or (expected and glued_but_clean and (not printed.rest or printed.doubtful or is_title(printed.rest))):
            chosen[index] = printed
            last[printed.family] = (index, printed)
            if printed.holds:
                last = {family: seen for family, seen in last.items() if family == printed.family or seen[1].holds}
    return _levels_kept(chosen, listed)


def _is_chinese(printed: Printed) -> bool:
    return not printed.family.isascii()


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


def _levels_kept(chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """Without what is numbered inside the units: letters in a chapter, scenes played in a novel."""
    units = Counter(printed.family for printed in chosen.values() if not printed.holds)
    if len(units) < 2:
        return chosen
    acts = sum(printed.kind == "act" or bool(printed.within) for printed in chosen.values())
    scenes = sum(printed.kind == "scene" for printed in chosen.values())
    main = (
        "scene"
        if acts and "scene" in units and scenes >= sum(units.values()) / 2
        else max(units, key=lambda f: (f in ("chapter", "回"), units[f]))
    )
    places = [(index, printed.number) for index, printed in chosen.items() if printed.family == main]
    nested: set[str] = set()
    indices = sorted((index, printed.family) for index, printed in chosen.items() if not printed.holds and printed.family != main)
    pair = 0
    for index, family in indices:
        while pair + 1 < len(places) and places[pair + 1][0] < index:
            pair += 1
        if pair + 1 < len(places) and places[pair][0] < index and (places[pair][1] or 0) + 1 == places[pair + 1][1]:
            nested.add(family)
    return {i: printed for i, printed in chosen.items() if printed.family not in nested or i in listed}


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


def _named(lines: Sequence[Line], headed: Headed, listed: set[int]) -> dict[int, Printed]:
    """Prefaces, prologues, epilogues: alone on their line and not again and again, as the name of a speaker is."""
    places = [i for i, printed in enumerate(headed) if printed and printed.family == "named"]
    often = Counter(key(lines[index].text) for index in places)
    return {
        index: headed[index] or Printed("named", "preface")
        for index in places
        if index in listed or (_after_a_break(lines, headed, index) and often[key(lines[index].text)] <= 2 and _opens(lines, index))
    }


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


def _numbered(lines: Sequence[Line], headed: Headed, chosen: dict[int, Printed]) -> dict[int, Printed]:
    """Numbers without a word, where they rise by one from 1 and prose stands between them."""
    families: dict[str, list[int]] = {}
    for index, printed in enumerate(headed):
        if printed and printed.bare and _set_apart(lines, index):
            families.setdefault(printed.family, []).append(index)
    holders = sorted(index for index, printed in chosen.items() if printed.holds)
    best: dict[int, Printed] = {}
    for family in families.values():
        runs = _rising(family, headed, holders)
        members = [index for run in runs for index in run]
        if len(members) > len(best) and _are_units(lines, runs, headed):
            best = {index: printed for index in members if (printed := headed[index])}
    return best


def _set_apart(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    if not line.gap or line.size > 20 or index + 1 == len(lines):
        return False
    return line.after > 0 or (is_title(lines[index + 1].text) and lines[index + 1].after > 0)


def _rising(places: Sequence[int], headed: Headed, holders: Sequence[int]) -> list[list[int]]:
    """For each stretch between headings of books or parts the longest run of numbers that rise by one."""
    runs: list[list[int]] = []
    stretches: list[list[int]] = [[]]
    passed = 0
    for index in places:
        reached = bisect_left(holders, index)
        if reached > passed:
            stretches.append([])
        passed = reached
        stretches[-1].append(index)
    reached = 0
    for stretch in stretches:
        run = _longest_run(stretch, headed, reached)
        if run:
            printed = headed[run[-1]]
            reached = printed.number or 0 if printed else 0
            runs.append(run)
    return runs


def _longest_run(places: Sequence[int], headed: Headed, reached: int) -> list[int]:
    """The longest run that starts with 1, or with the number after those of the stretch before."""
    length: dict[int, int] = {}
    ends: dict[int, int] = {}
    before: dict[int, int] = {}
    for index in places:
        printed = headed[index]
        number = (printed.number or 0) if printed else 0
        if number in (1, reached + 1) and number not in ends:
            before[index], grown = -1, 1
        elif number - 1 in ends:
            before[index], grown = ends[number - 1], length[number - 1] + 1
        else:
            continue
        if grown > length.get(number, 0):
            length[number], ends[number] = grown, index
    last = ends[max(length, key=lambda number: length[number])] if length else -1
    run = []
    while last >= 0:
        run.append(last)
        last = before[last]
    return run[::-1]


def _are_units(lines: Sequence[Line], runs: Sequence[Sequence[int]], headed: Headed) -> bool:
    """Whether texts of some length stand below the numbers: no list, no stanzas, no pages."""
    places = [index for run in runs for index in run]
    if len(places) < 2:
        return False
    borders = [*places, len(lines)]
    gaps = [_words_between(lines, before, after) for before, after in pairwise(borders)]
    inner = sum(after - before > 1 for before, after in pairwise(borders)) == len(places)
    breaks = sum(_breaks_sentence(lines, headed, index) for index in places)
    verse = _verse_share(lines, borders) > 0.6
    if verse and median(gaps) < 400:
        return False
    return inner and breaks <= 0.25 * len(places) and median(gaps) >= 3


def _breaks_sentence(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """Whether the line stands in the middle of a sentence, as the number of a page does."""
    if not index or headed[index - 1] or ends_sentence(lines[index - 1]):
        return False
    return not is_title(lines[index - 1].text)


def _words_between(lines: Sequence[Line], before: int, after: int) -> int:
    end = lines[after].words if after < len(lines) else lines[-1].words + lines[-1].size
    return end - lines[before].words - lines[before].size


def _verse_share(lines: Sequence[Line], borders: Sequence[int]) -> float:
    """The share of lines that are set as verse: short, glued to the one before, and starting with a capital all the same."""
    glued = [lines[index] for index in range(borders[0] + 1, borders[-1]) if not lines[index].gap]
    verse = sum(line.end - line.start < 64 and not line.text[0].islower() for line in glued)
    return verse / len(glued) if len(glued) >= 3 else 0.0


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
    if _is_chinese(printed):
        return lines[index].size <= 30 and is_chinese_title(text)
    return lines[index].size <= 24 and is_title(text)
