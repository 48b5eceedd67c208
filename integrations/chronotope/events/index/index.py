"""Events with their vectors, words, times and graph, and the passages they came from; incremental, deletable, saved as a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.events.event import EventUnit
from chronotope.events.graph.closeness import Distance
from chronotope.events.graph.graph import DAY, EventGraph, GraphArrays
from chronotope.events.index.documents import Sources, sources_of
from chronotope.events.index.event_times import EventTimes
from chronotope.models import Vectors
from chronotope.records import Issue, Passage
from chronotope.shelves.batches import all_of, changed_source, first_of_each, undone
from chronotope.shelves.homes import homes_of, leaving
from chronotope.shelves.shelf import Rows, Shelf
from chronotope.steps import Step, embed
from chronotope.storage import load_folder, save_folder
from chronotope.temporal.interval import TimeInterval

__all__ = ["Changed", "EventIndex", "GraphSettings", "build_event_index"]

KIND = "events"
VERSION = 1


@dataclass(frozen=True, kw_only=True)
class GraphSettings:
    """How events are joined; see `EventGraph`.

    Args:
        max_gap: largest distance in days (Δt), None for no limit.
        decay: share of weight lost per day (α).
        top_k: largest number of neighbours of an event (K).
        distance: `start` from beginning to beginning, `gap` between the stretches.
        unit: ticks of the axis in one unit of `max_gap`.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    max_gap: float | None = 3_650
    decay: float = 0.001
    top_k: int = 10
    distance: Distance = "start"
    unit: int = DAY

    def __post_init__(self) -> None:
        self.empty()  # refuses what is out of range now, not at the first event

    def empty(self) -> EventGraph:
        """A graph without events."""
        return EventGraph(**asdict(self))


@dataclass(frozen=True)
class Changed:
    """What an update did, in numbers of events and passages.

    Args:
        added: new ones, and changed ones under their old id.
        removed: those that are gone from their source.
    """

    added: int = 0
    removed: int = 0


class EventIndex:
    """An embedded index over events, and the passages that they were cut from.

    An event is found by the vector of `title. sentence`, by its words, by its times, and over the graph. Searches change nothing
    and may run in several threads at once; `add`, `remove`, `update` and `save` need the index for themselves.

    Args:
        embedder_id: name of the model that its vectors come from; a question must be embedded by the same one.
        graph: how events are joined.
        title_key: metadata key of the title of a source.

    Raises:
        TypeError: `graph` is something else.

    Source: DyG-RAG, section 3.4.
    """

    def __init__(self, embedder_id: str, *, graph: GraphSettings | None = None, title_key: str = "title") -> None:
        if not isinstance(graph, (GraphSettings, type(None))):
            raise TypeError(f"graph must be GraphSettings, not {graph!r}")
        self.embedder_id, self.title_key = embedder_id, title_key
        self.graph_settings = graph if graph is not None else GraphSettings()
        self._graph = self.graph_settings.empty()
        self._events: Shelf[EventUnit] = Shelf(embedder_id, title_key)
        self._passages: Shelf[Passage] = Shelf(embedder_id, title_key)
        self._times = EventTimes()
        self._doubled: tuple[Issue, ...] = ()
        self._homes: Rows | None = None  # this and what follows: found by the first search after a change
        self._sources: Sources | None = None

    def __len__(self) -> int:
        """Number of events that a search can find."""
        return len(self._events)

    def __contains__(self, event_id: object) -> bool:
        return event_id in self._events

    def __repr__(self) -> str:
        return (
            f"<EventIndex of {len(self)} events and {len(self._passages)} passages, {self.span or 'undated'}, {self.embedder_id}>"
        )

    @property
    def events(self) -> tuple[EventUnit, ...]:
        """The events in the order of adding."""
        return self._events.items

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The source passages in the order of adding."""
        return self._passages.items

    @property
    def graph(self) -> Any:  # noqa: ANN401 - a networkx.Graph
        """The event graph as a `networkx.Graph`, a copy."""
        return self._graph.networkx

    @property
    def event_graph(self) -> EventGraph:
        """The graph that searches walk on; to be read, not changed."""
        return self._graph

    @property
    def event_shelf(self) -> Shelf[EventUnit]:
        """Vectors and words of the events; to be read, not changed."""
        return self._events

    @property
    def passage_shelf(self) -> Shelf[Passage]:
        """Vectors and words of the passages; to be read, not changed."""
        return self._passages

    @property
    def span(self) -> TimeInterval | None:
        """From the first to the last known date of any event, None when there is none."""
        return self._times.span

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What a user of the index should know: ids that came twice, how many events nothing dates."""
        undated = sum(event.is_undated for event in self._events.items)
        if not undated:
            return self._doubled
        told = f"{undated} of {len(self)} events have no time; `undated` of the retrieval settings says what becomes of them"
        return (*self._doubled, Issue("undated", told))

    def add(self, events: Iterable[EventUnit], passages: Iterable[Passage] = ()) -> Step[int]:
        """Embed and add events, and the passages they come from; known ids and blank texts are passed over.

        A known id that comes with another text is passed over too, and told in `issues` as `changed_source`.

        Returns:
            How many events were added. Either everything new is, or, when an error is raised, nothing.

        Raises:
            TypeError: these are no event units or passages.
        """
        told, shown = all_of(EventUnit, events), all_of(Passage, passages)
        fresh, doubled = first_of_each(event for event in told if event.id not in self._events)
        sources, doubled_sources = first_of_each(passage for passage in shown if passage.id not in self._passages)
        given: list[EventUnit | Passage] = [*told, *shown]
        changed = [changed_source(item) for item in given if self._differs(item)]
        self._doubled += tuple(dict.fromkeys(issue for issue in changed if issue not in self._doubled))
        if not fresh and not sources:
            return 0
        vectors = yield from embed(self._texts(fresh, sources))
        self.insert(fresh, vectors[: len(fresh)], sources, vectors[len(fresh) :])
        self._doubled += doubled + doubled_sources
        return len(fresh)

    def _differs(self, item: EventUnit | Passage) -> bool:
        held = self._events.get(item.id) if isinstance(item, EventUnit) else self._passages.get(item.id)
        return held is not None and held.text != item.text

    def _texts(self, events: Sequence[EventUnit], passages: Sequence[Passage]) -> list[str]:
        return [*map(self._events.titled, events), *map(self._passages.titled, passages)]

    def insert(self, events: Sequence[EventUnit], vectors: Vectors, passages: Sequence[Passage], passage_vectors: Vectors) -> None:
        """Add events and passages whose vectors are known already; all of them or none.

        Raises:
            StoreMismatchError: vectors of another width.
            ValueError: an id that is there, or a tick too far from 0.
        """
        with undone() as undo:
            self._graph.add(events)
            undo.append(lambda: self._graph.remove([event.id for event in events]))
            rows = self._events.add(events, vectors)
            undo.append(lambda: self._events.remove([event.id for event in events]))
            self._passages.add(passages, passage_vectors)
        self._times.add(rows, events)
        self._homes = self._sources = None

    def remove(self, ids: Iterable[str]) -> int:
        """Take events and passages out, with their vectors, words, times and edges; unknown ids are passed over.

        A passage takes along the events that stand in it and in no other passage of the index, for nothing would show any more what
        they rest on. Where places are unknown, the last passage of a source takes its events along.

        Returns:
            How many events and passages were taken out.

        Raises:
            TypeError: `ids` is one text instead of several.
        """
        return self._take_out(leaving(ids, self._events, self._passages, lambda: self.homes))

    def _take_out(self, names: Sequence[str]) -> int:
        """Just these; returns how many of them there were."""
        sources = {item.source_id for item in map(self._held, names) if item is not None} if self._doubled else set()
        self._graph.remove([name for name in names if name in self._events])
        rows = self._events.remove(names)
        self._times.remove(rows)
        gone = self._passages.remove(names)
        self._homes = self._sources = None
        if sources:
            settled = {*names, *(sources - {item.source_id for item in self._everything()})}
            self._doubled = tuple(issue for issue in self._doubled if issue.source_id not in settled)
        return int(rows.size + gone.size)

    def remove_source(self, source_id: str) -> int:
        """Take out every event and passage of a document. Returns how many there were."""
        return self._take_out([item.id for item in self._of_sources({source_id})])

    def update(self, events: Iterable[EventUnit], passages: Iterable[Passage] = ()) -> Step[Changed]:
        """Make the index hold exactly these events and passages of the sources that they name; other sources stay.

        Nothing is embedded or written for what is there already. When an error is raised, nothing has changed. A source of which
        nothing is left is named by nothing here: `remove_source` takes it out.
        """
        told, doubled = first_of_each(all_of(EventUnit, events))
        sources, doubled_sources = first_of_each(all_of(Passage, passages))
        everything: list[EventUnit | Passage] = [*told, *sources]
        wanted = {item.id: item for item in everything}
        held = self._of_sources({item.source_id for item in wanted.values()})
        known = {name: self._events.get(name) or self._passages.get(name) for name in wanted}
        gone = [item.id for item in held if item.id not in wanted]
        changed = [name for name, item in wanted.items() if known[name] is not None and known[name] != item]
        fresh = [event for event in told if known[event.id] != event]
        fresh_sources = [passage for passage in sources if known[passage.id] != passage]
        texts = self._texts(fresh, fresh_sources)
        vectors = (yield from embed(texts)) if texts else np.empty((0, 0), np.float32)
        old = [item for item in map(self._held, [*gone, *changed]) if item is not None]
        kept = self._vectors_of(old)
        with undone() as undo:
            self._take_out([item.id for item in old])
            undo.append(lambda: self.insert(*kept))
            self.insert(fresh, vectors[: len(fresh)], fresh_sources, vectors[len(fresh) :])
        self._doubled += doubled + doubled_sources
        return Changed(len(fresh) + len(fresh_sources), len(gone))

    def _held(self, name: str) -> EventUnit | Passage | None:
        return self._events.get(name) or self._passages.get(name)

    def _of_sources(self, names: set[str]) -> list[EventUnit | Passage]:
        return [item for item in self._everything() if item.source_id in names]

    def _everything(self) -> list[EventUnit | Passage]:
        return [*self._events.items, *self._passages.items]

    def _vectors_of(self, items: Sequence[EventUnit | Passage]) -> tuple[Sequence[EventUnit], Vectors, Sequence[Passage], Vectors]:
        events = [item for item in items if isinstance(item, EventUnit)]
        passages = [item for item in items if isinstance(item, Passage)]
        return (
            events,
            self._events.vectors([event.id for event in events]),
            passages,
            self._passages.vectors([passage.id for passage in passages]),
        )

    def event(self, row: int) -> EventUnit:
        """The event of a row number that a search gave."""
        return self._events.item(row)

    @property
    def times(self) -> EventTimes:
        """When the events were; to be read, not changed."""
        return self._times

    def time_similarities(self, times: Sequence[TimeInterval]) -> Vectors:
        """Inner products of the code of the asked times with those of all rows, 0 where an event was removed.

        The joined vector of the paper, [text; λ time], has as its inner product with a joined question the cosine of the texts
        plus λ times this. Both have the same length for every event, so ranking by this sum is ranking by the cosine of
        equation 8, and λ can be chosen anew for each question.

        Source: DyG-RAG, equations 2, 7 and 8.
        """
        return self._times.similarities(times, self._events.items)

    @property
    def homes(self) -> Rows:
        """The row of the passage that each event stands in, -1 where none is known."""
        if self._homes is None:
            self._homes = homes_of(self._events, self._passages)
        return self._homes

    @property
    def sources(self) -> Sources:
        """The documents, and which events and passages are of which."""
        if self._sources is None:
            self._sources = sources_of(self._events, self._passages, self.title_key)
        return self._sources

    def save(self, folder: str | Path) -> None:
        """Write everything to a folder, atomically; an older save there is replaced.

        Raises:
            StoreError: the folder holds something else.
        """
        tables = {"event_vectors": self._events.table, "passage_vectors": self._passages.table}
        widths = [table.width for table in tables.values() if table is not None]
        lists = self._graph.arrays()
        arrays: dict[str, Any] = {name: table.blocks() for name, table in tables.items() if table is not None}
        arrays |= {"bounds": lists.bounds, "neighbours": lists.neighbours, "weights": lists.weights}
        header = {
            "embedder_id": self.embedder_id,
            "width": widths[0] if widths else None,
            "title_key": self.title_key,
            "graph": asdict(self.graph_settings),
            "events": len(self),
        }
        items = (item.to_json() for item in self._everything())
        save_folder(folder, kind=KIND, version=VERSION, header=header, items=items, arrays=arrays)

    @classmethod
    def load(cls, folder: str | Path, *, embedder_id: str | None = None) -> EventIndex:
        """Read a folder that `save` wrote.

        Args:
            folder: the folder.
            embedder_id: the model that will embed the questions; None takes the one that the index names.

        Raises:
            StoreError: the folder is absent, incomplete or damaged.
            StoreVersionError: it was written by a newer version.
            StoreMismatchError: it is of another kind, or was made with another embedder.
        """
        saved = load_folder(folder, kind=KIND, version=VERSION, embedder_id=embedder_id)
        header, count = saved.header, int(saved.header["events"])
        index = cls(str(header["embedder_id"]), graph=GraphSettings(**header["graph"]), title_key=str(header["title_key"]))
        events = [EventUnit.from_json(item) for item in saved.items[:count]]
        passages = [Passage.from_json(item) for item in saved.items[count:]]
        if events:
            index._events.adopt(events, saved.arrays["event_vectors"])
            lists = GraphArrays(
                tuple(sorted(event.id for event in events)),
                saved.arrays["bounds"],
                saved.arrays["neighbours"],
                saved.arrays["weights"],
            )
            index._graph = EventGraph.from_arrays(events, lists, **header["graph"])
        if passages:
            index._passages.adopt(passages, saved.arrays["passage_vectors"])
        index._times.add(np.arange(len(events)), events)
        return index


def build_event_index(
    events: Iterable[EventUnit], passages: Iterable[Passage] = (), *, embedder_id: str, graph: GraphSettings | None = None
) -> Step[EventIndex]:
    """Embed events and their source passages into a new index.

    Args:
        events: what `extract_events` found.
        passages: what they were cut from, with the same `source_id` and offsets; they come along with the events that are found.
        embedder_id: `model_id` of the embedder that the runner uses.
        graph: how events are joined.

    Raises:
        TypeError: an argument is of another kind than it must be, such as an `Extraction` instead of its `items`.
    """
    index = EventIndex(embedder_id, graph=graph)
    yield from index.add(events, passages)
    return index
