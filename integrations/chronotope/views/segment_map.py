"""The segment map: a book as bars of segments, with what each needs from elsewhere, where the story turns, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from chronotope.litseg import Segment
from chronotope.records import Extraction, Issue
from chronotope.views.page import Page, asset, counted, fill, render
from chronotope.views.segment_layout import ARC_HEIGHT, Row, count_words, counted_as, find_links, lay_out, own_words

__all__ = ["segment_map"]


def segment_map(segments: Iterable[Segment] | Extraction[Segment], *, issues: Iterable[Issue] = (), title: str = "") -> Page:
    """Draw a segmentation: one row for each unit, one block for each segment, as wide as it is long among those on its line.

    Arcs lead from sentences to the segments elsewhere that need them. Choosing a block, with the mouse or the keyboard, shows its
    reading text and its exact place; a search field lights up the segments that hold a word.

    Args:
        segments: of one document or several, in order; or what `segment` found, with its issues.
        issues: what was repaired or guessed, shown at the segment or the unit that it is about, else above the map.
        title: of the page; when empty the id of the document, or the number of documents.

    >>> from chronotope import Document, Runner
    >>> from chronotope.litseg import segment
    >>> found = Runner().run(segment(Document("The ferry left at noon. Nobody saw it arrive.", id="ferry")))
    >>> segment_map(found)
    Page('ferry': 1 segment in 1 unit, 9 words, ... kB; .save(path) writes it, a notebook shows it)
    """
    found = segments if isinstance(segments, Extraction) else Extraction(tuple(segments))
    sources = list(dict.fromkeys(segment.source_id for segment in found.items))
    shown = tuple(sorted(found.items, key=lambda segment: sources.index(segment.source_id)))
    links = find_links(shown)
    rows = lay_out(shown, links)
    told = _Told.of(dict.fromkeys((*found.issues, *issues)), shown)
    summary = _summary(shown, rows, sum(map(len, links)))
    name = title or (counted(len(sources), "document") if len(sources) > 1 else "".join(sources)) or "Segments"
    body = fill(
        "segment_map.html.j2",
        title=name,
        summary=summary,
        rows=rows,
        told=told,
        points=Counter(point for s in shown for point in s.turning_points).most_common(),
        arc_height=ARC_HEIGHT,
    )
    return render(
        name,
        body=body,
        style=asset("reader.css", "segment_map.css"),
        script=asset("reader.js", "segment_map.js"),
        data=[_data(s, needs, told.at(s)) for s, needs in zip(shown, links, strict=True)],
        told=", ".join(summary[:2]),
    )


@dataclass(frozen=True)
class _Told:
    """The issues by what they are about: a segment by its id, a unit by the name that begins the message, or neither."""

    segments: Mapping[str, tuple[Issue, ...]] = field(default_factory=dict)
    units: Mapping[tuple[str, str], tuple[Issue, ...]] = field(default_factory=dict)
    whole: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, issues: Iterable[Issue], shown: Sequence[Segment]) -> _Told:
        ids = {s.id for s in shown}
        names = sorted({(s.source_id, s.unit.name) for s in shown if s.unit.name}, key=lambda key: -len(key[1]))
        segments: dict[str, tuple[Issue, ...]] = {}
        units: dict[tuple[str, str], tuple[Issue, ...]] = {}
        whole: list[Issue] = []
        for issue in issues:
            unit = next(((s, n) for s, n in names if s == issue.source_id and issue.message.startswith(f"{n}: ")), None)
            if issue.source_id in ids:
                segments[str(issue.source_id)] = (*segments.get(str(issue.source_id), ()), issue)
            elif unit:
                bare = replace(issue, message=issue.message.removeprefix(f"{unit[1]}: "))
                units[unit] = (*units.get(unit, ()), bare)
            else:
                whole.append(issue)
        return cls(segments, units, tuple(whole))

    def at(self, segment: Segment) -> tuple[Issue, ...]:
        return self.segments.get(segment.id, ())

    def about(self, row: Row) -> tuple[Issue, ...]:
        first = row.blocks[0].segment
        return self.units.get((first.source_id, first.unit.name), ())


def _summary(segments: Sequence[Segment], rows: Sequence[Row], links: int) -> list[str]:
    """The figures under the title."""
    if not segments:
        return ["no segments"]
    lengths = [block.words for row in rows for block in row.blocks]
    sources = len({segment.source_id for segment in segments})
    told = [
        f"{counted(len(segments), 'segment')} in {counted(len(rows), 'unit')}"
        + (f" of {sources} documents" if sources > 1 else ""),
        counted(sum(lengths), counted_as(segments)),
        f"{median(lengths):,.0f} in the median segment, {min(lengths):,} to {max(lengths):,}",
    ]
    return [*told, counted(links, "context link")] if links else told


def _data(segment: Segment, needs: Iterable[int], issues: Iterable[Issue]) -> dict[str, object]:
    """What the script shows of a segment."""
    return {
        "subtitle": segment.subtitle,
        "unit": segment.unit.name,
        "span": [segment.char_start, segment.char_end],
        "sentences": list(segment.sentences),
        "words": count_words(segment.text),
        "counts": f"{counted_as([segment])}s",
        "points": list(segment.turning_points),
        "before": list(segment.before),
        "text": segment.text.strip(),
        "heading": own_words(segment),
        "after": list(segment.after),
        "needs": list(needs),
        "issues": [issue.message for issue in issues],
    }
