"""Contents pages: where they are, and the headings that they announce."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from chronotope.text.structure.english import is_quoted_title
from chronotope.text.structure.lines import Line, is_divider, is_prose, is_speech
from chronotope.text.structure.printed import Printed

__all__ = ["Headed", "announced", "contents_pages"]

Headed = Sequence[Printed | None]

_CAPTION = re.compile(
    r"(?:(?:table\s+of\s+|the\s+)?contents(?:\s+(?:of|to)\s+.{1,40})?|index\s+to\s+chapters|[總总]?目\s*[錄录次])[.:：]?",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"(?:\s{2,}|\s*(?:[.·…‧]\s?){2,}|\t\s*)(?:[pP]\.?\s*)?(?:[0-9]{1,4}|[ivxlcIVXLC]{1,8})$")
_NO_ENTRY = re.compile(r"(?:page|chapter|chap\.?|no\.?|illustrations?)(?:\s+page)?[.:]?", re.IGNORECASE)
_MOST_PAGES, _MOST_LISTED, _LONGEST_LIST = 20, 60, 3_000


def key(text: str) -> str:
    """Letters and digits alone, without a page number behind them, so that a title is found in whatever dress it is printed."""
    return "".join(character for character in _PAGE_NUMBER.sub("", text).casefold() if character.isalnum())


def keys(line: Line, printed: Printed | None) -> set[str]:
    """What the line may be called elsewhere: all of it, its title alone, its kind and number."""
    found = {key(line.text)}
    loose = re.sub(r"\s+[0-9]{1,3}$", "", line.text)
    if loose != line.text and not printed and len(loose) > 3:
        found.add(key(loose))
    if printed:
        if not printed.bare and printed.number is not None:
            found.add(f"{printed.family}#{printed.number}")
        if len(key(printed.rest)) >= 4:
            found.add(key(printed.rest))
    return found - {""}


def contents_pages(lines: Sequence[Line], headed: Headed) -> list[range]:
    """The contents pages as ranges of lines, caption first where there is one; the headings themselves come after."""
    pages: list[range] = []
    captions = [
        index for index, line in enumerate(lines) if line.size <= 8 and line.gap and _CAPTION.fullmatch(line.text.strip("_*=#~[] "))
    ]
    for caption in captions[:_MOST_PAGES]:
        if pages and caption in pages[-1]:
            continue
        end = _list_end(lines, headed, caption + 1)
        if end - caption > 2:
            pages.append(range(caption, end))
    return pages or _unnamed_page(lines, headed)


def _list_end(lines: Sequence[Line], headed: Headed, first: int) -> int:
    """Where a list ends that starts at `first`: where its first entries come again, with text after them."""
    prose = _first_prose(lines, headed, first)
    said = [keys(lines[index], headed[index]) for index in range(first, prose)]
    for entry, wanted in enumerate(said[:6]):
        again = _said_again(said, entry + 2, wanted)
        if again:
            return _with_what_stands_above(lines, headed, first + (again[-1] if prose < len(lines) else again[0]), wanted)
    return _gap_before(lines, headed, first, prose)


def _said_again(said: Sequence[set[str]], first: int, wanted: set[str]) -> list[int]:
    """Where an entry comes again: as a whole or by its kind and number, else by its title, which two chapters can share."""
    again = [index for index in range(first, len(said)) if said[index] & wanted and not _lists_on(said, index)]
    whole = {name for name in wanted if "#" in name or len(name) == max(map(len, wanted))}
    return [index for index in again if said[index] & whole] or again


def _lists_on(said: Sequence[set[str]], index: int) -> bool:
    """Whether the entries after a repeated one still are entries: `CHAPTER I` under the next book."""
    following = said[index + 1 : index + 4]
    return len(following) == 3 and all(any("#" in name for name in names) for names in following)


def _first_prose(lines: Sequence[Line], headed: Headed, first: int) -> int:
    for index in range(first, min(len(lines), first + _LONGEST_LIST)):
        starts = lines[index].gap > 0 or bool(headed[index - 1]) or lines[index].size >= 25
        if starts and (is_prose(lines, index, headed) or (is_speech(lines[index]) and not is_quoted_title(lines[index].text))):
            return index
    return min(len(lines), first + _LONGEST_LIST)


def _with_what_stands_above(lines: Sequence[Line], headed: Headed, index: int, wanted: set[str]) -> int:
    """The heading's own first line, if its title was found, and a book's heading directly above belong to the text too."""
    found, printed = index, headed[index]
    families = {printed.family} if printed else set()
    for above in range(index - 1, max(0, index - 6), -1):
        printed = headed[above]
        if not printed:
            continue
        together = key(f"{lines[above].text} {lines[found].text}")
        alone = above == index - 1 and printed.number is not None and not printed.rest
        own = not families and (alone or together in wanted or bool(keys(lines[above], printed) & wanted))
        if printed.family in families or not (printed.holds or own):
            break
        families.add(printed.family)
        found = above
    return found


def _gap_before(lines: Sequence[Line], headed: Headed, first: int, prose: int) -> int:
    """Where the list ends if nothing in it comes again: at the last wide gap, or the last heading, before running text."""
    for index in range(prose, max(first + 1, prose - 8), -1):
        if index < len(lines) and lines[index].gap >= 2 and index < prose:
            return index
    for index in range(prose - 1, max(first + 1, prose - 4), -1):
        if headed[index] and lines[index].gap:
            return index
    return prose if prose < len(lines) else first


def _unnamed_page(lines: Sequence[Line], headed: Headed) -> list[range]:
    """A contents page without a caption: headings one below the other before the first prose, then the first of them again."""
    prose = _first_prose(lines, headed, 0)
    first = next((index for index in range(prose) if headed[index]), prose)
    said = [keys(lines[index], headed[index]) for index in range(first, prose)]
    again = _said_again(said, 3, said[0]) if said else []
    if not again:
        return []
    size = again[-1] if prose < len(lines) else again[0]
    dense = sum(headed[first + index] is not None for index in range(size)) >= 0.75 * size
    return [range(first, _with_what_stands_above(lines, headed, first + size, said[0]))] if dense else []


def announced(lines: Sequence[Line], headed: Headed, pages: Sequence[range]) -> list[int]:
    """The lines after the contents pages that print an announced title again, in the order announced."""
    entries: dict[str, list[int]] = {}
    listed = [index for page in pages for index in page]
    for place, index in enumerate(listed):
        if (
            not _CAPTION.fullmatch(lines[index].text)
            and not _NO_ENTRY.fullmatch(lines[index].text)
            and not is_divider(lines[index])
        ):
            for name in _names(lines, headed, index):
                entries.setdefault(name, []).append(place)
    outside = [index for index in range(pages[0].start, len(lines)) if not any(index in page for page in pages)] if pages else []
    pairs = []
    for index in outside:
        if lines[index].gap and lines[index].size <= 40:
            places = {place for name in _names(lines, headed, index) for place in entries.get(name, ())[:_MOST_LISTED]}
            pairs += [(index, place) for place in sorted(places, reverse=True)]
    return _longest_rise(pairs)


def _names(lines: Sequence[Line], headed: Headed, index: int) -> Iterator[str]:
    """Names of a line, alone and with the line below it, if it was wrapped."""
    yield from (name for name in keys(lines[index], headed[index]) if len(name) >= 2 or headed[index])
    if lines[index].after == 0 and index + 1 < len(lines):
        yield key(f"{lines[index].text} {lines[index + 1].text}")


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The longest selection of lines whose entries rise: lines come in order, larger entries first for each."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        position = bisect_left(tails, place)
        if tails[position : position + 1] == [place]:
            before.append(-1)  # the first line that prints an entry is its heading
            continue
        before.append(at[position - 1] if position else -1)
        tails[position : position + 1] = [place]
        at[position : position + 1] = [number]
    chosen, number = [], at[-1] if at else -1
    while number >= 0:
        chosen.append(pairs[number][0])
        number = before[number]
    return chosen[::-1]
