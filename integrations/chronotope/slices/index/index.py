"""Facts of a story with their vectors, words and graph, and the passages they stand in: incremental, deletable, saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from chronotope.models import Vectors
from chronotope.records import Issue, Passage
from chronotope.shelves import Rows, Shelf, all_of, changed_source, first_of_each, leaving, undone
from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import StoryGraph
from chronotope.slices.index.held_entities import HeldEntities
from chronotope.slices.index.on_demand import OnDemand
from chronotope.slices.index.passage_map import PassageMap
from chronotope.slices.index.saved_index import KIND, VERSION, SavedShelves
from chronotope.slices.index.saved_ontology import ontology_of
from chronotope.slices.ontology import Ontology, Rule
from chronotope.slices.question.reader import QuestionReader
from chronotope.steps import Step, embed
from chronotope.storage import load_folder

__all__ = ["StoryChanged", "StoryIndex", "build_story_index"]

Told: TypeAlias = Fact | Passage


@dataclass(frozen=True)
class StoryChanged:
    """What an update did, in numbers of facts and passages.

    Args:
        added: new ones, and changed ones under their old id.
        removed: those that are gone from their source.
    """

    added: int = 0
    removed: int = 0


class StoryIndex:
    """An embedded index over the facts of stories, and the passages that they were read in.

    The graph is made by the first question after a change. Searches change nothing and may run in several threads at once; `add`,
    `remove`, `update` and `save` need the index for themselves.

    Args:
        embedder_id: name of the model that its vectors come from; a question must be embedded by the same one.
        ontology: what can be so in the story: an `Ontology`, or the name of one that is shipped.
        title_key: metadata key of the title of a source or chapter, which is embedded with its texts.
        axis: when chapters play; None orders them as they are told.

    Raises:
        TypeError: an argument is of another kind.
        OntologyError: no ontology is shipped under this name.

    Source: NS-ST-GraphRAG, figures 1 and 6.
    """

    def __init__(
        self,
        embedder_id: str,
        *,
        ontology: Ontology | str = "general_fiction",
        title_key: str = "title",
        axis: StoryAxis | None = None,
    ) -> None:
        if not isinstance(axis, (StoryAxis, type(None))):
            raise TypeError(f"axis must be a StoryAxis, not {type(axis).__name__}; build_axis makes one")
        self.embedder_id, self.title_key = embedder_id, title_key
        self.ontology = Ontology.load(ontology) if isinstance(ontology, str) else ontology
        if not isinstance(self.ontology, Ontology):
            raise TypeError(f"ontology must be an Ontology or the name of one, not {type(ontology).__name__}")
        self._axis = axis
        self._facts: Shelf[Fact] = Shelf(embedder_id, title_key)
        self._passages: Shelf[Passage] = Shelf(embedder_id, title_key)
        self._entities = HeldEntities()
        self._doubled: tuple[Issue, ...] = ()
        self._forget()

    def _forget(self) -> None:
        """What was made of the contents is made anew by the first search after a change."""
        self._made: OnDemand | None = None

    @property
    def _on_demand(self) -> OnDemand:
        made = self._made
        if made is None:
            self._made = made = OnDemand(
                self._facts, self._passages, self.entities, ontology=self.ontology, axis=self._axis, title_key=self.title_key
            )
        return made

    def __len__(self) -> int:
        """Number of facts."""
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __repr__(self) -> str:
        told = f"{len(self)} facts and {len(self._passages)} passages"
        return f"<StoryIndex of {told}, ontology {self.ontology.name}, {self.embedder_id}>"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the order of adding."""
        return self._facts.items

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages in the order of adding."""
        return self._passages.items

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities that were given, not those that facts alone name."""
        return self._entities.joined

    @property
    def fact_shelf(self) -> Shelf[Fact]:
        """Vectors and words of the facts; to be read, not changed."""
        return self._facts

    @property
    def passage_shelf(self) -> Shelf[Passage]:
        """Vectors and words of the passages; to be read, not changed."""
        return self._passages

    @property
    def axis(self) -> StoryAxis | None:
        """When chapters play, as it was given."""
        return self._axis

    @axis.setter
    def axis(self, axis: StoryAxis | None) -> None:
        self._axis = axis
        self._forget()

    @property
    def graph(self) -> StoryGraph:
        """The story graph of all facts."""
        return self._on_demand.graph

    def reader(self, reader_at: int | None = None) -> QuestionReader:
        """What reads questions by the names of the graph; by those told up to a chapter where one is given."""
        return self._on_demand.reader(reader_at)

    def fact_rows(self, graph: StoryGraph) -> Rows:
        """The row of each fact of a graph of this index, in the graph's order."""
        return self._on_demand.fact_rows(graph)

    @property
    def passage_map(self) -> PassageMap:
        """Chapters and neighbours of the passages."""
        return self._on_demand.passage_map

    @property
    def homes(self) -> Rows:
        """The row of the passage that each fact stands in, -1 where none is known."""
        return self._on_demand.homes

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What a user of the index should know: ids that came twice, and what the graph has to say."""
        return (*self._doubled, *self.graph.issues)

    def add(self, facts: Iterable[Fact], passages: Iterable[Passage] = (), entities: Iterable[Entity] = ()) -> Step[int]:
        """Embed and add facts, the passages they stand in, and entities with their types and other names.

        Known ids and blank texts are passed over; a known id that comes with another text too, told in `issues` as
        `changed_source`. Entities belong to the sources of the facts and passages of the same call and go with the last of them;
        those that come alone stay.

        Returns:
            How many facts were added. Either everything new is, or, when an error is raised, nothing.

        Raises:
            TypeError: these are no facts, passages or entities.
        """
        told, shown, cast = all_of(Fact, facts), all_of(Passage, passages), all_of(Entity, entities)
        fresh, doubled = first_of_each(fact for fact in told if fact.id not in self._facts)
        sources, doubled_sources = first_of_each(passage for passage in shown if passage.id not in self._passages)
        given: list[Told] = [*told, *shown]
        changed = [changed_source(item) for item in given if self._differs(item)]
        vectors = np.empty((0, 0), np.float32)
        if fresh or sources:
            vectors = yield from embed(self._texts(fresh, sources))
        self.insert(fresh, vectors[: len(fresh)], sources, vectors[len(fresh) :])
        if cast:
            self._entities.add(cast, told, shown)
            self._forget()
        self._doubled += tuple(dict.fromkeys(issue for issue in changed if issue not in self._doubled)) + doubled + doubled_sources
        return len(fresh)

    def insert(self, facts: Sequence[Fact], vectors: Vectors, passages: Sequence[Passage], passage_vectors: Vectors) -> None:
        """Add facts and passages whose vectors are known already; all of them or none.

        Raises:
            StoreMismatchError: vectors of another width.
            ValueError: an id that is there.
        """
        if not facts and not passages:
            return
        with undone() as undo:
            self._facts.add(facts, vectors)
            undo.append(lambda: self._facts.remove([fact.id for fact in facts]))
            self._passages.add(passages, passage_vectors)
        self._forget()

    def remove(self, ids: Iterable[str]) -> int:
        """Take facts and passages out, with their vectors and words; unknown ids are passed over.

        A passage takes along the facts that stand in it and in no other passage of the index, for nothing would show any more what
        they rest on. Where places are unknown, the last passage of a source takes its facts along.

        Returns:
            How many facts and passages were taken out.

        Raises:
            TypeError: `ids` is one text instead of several.
        """
        return self._take_out(leaving(ids, self._facts, self._passages, lambda: self.homes))

    def remove_source(self, source_id: str) -> int:
        """Take out every fact and passage of a document, and the entities that were read in it alone."""
        return self._take_out([item.id for item in self._of_sources({source_id})])

    def update(
        self, facts: Iterable[Fact], passages: Iterable[Passage] = (), entities: Iterable[Entity] = ()
    ) -> Step[StoryChanged]:
        """Make the index hold exactly these facts and passages of the sources that they name; other sources stay.

        Nothing is embedded or written for what is there already. When an error is raised, nothing has changed. A source of which
        nothing is left is named by nothing here: `remove_source` takes it out.
        """
        told, doubled = first_of_each(all_of(Fact, facts))
        sources, doubled_sources = first_of_each(all_of(Passage, passages))
        cast = all_of(Entity, entities)
        everything: list[Told] = [*told, *sources]
        wanted = {item.id: item for item in everything}
        known = {name: self._held(name) for name in wanted}
        gone = [item for item in self._of_sources(_sources(wanted.values())) if item.id not in wanted]
        changed = [held for name, held in known.items() if held is not None and held != wanted[name]]
        fresh = [fact for fact in told if known[fact.id] != fact]
        fresh_sources = [passage for passage in sources if known[passage.id] != passage]
        texts = self._texts(fresh, fresh_sources)
        vectors = (yield from embed(texts)) if texts else np.empty((0, 0), np.float32)
        old = [*gone, *changed]
        kept, people, doubts = self._vectors_of(old), self._entities.copy(), self._doubled
        with undone() as undo:
            self._take_out([item.id for item in old])
            undo.append(lambda: self._restore(people, doubts))
            undo.append(lambda: self.insert(*kept))
            self.insert(fresh, vectors[: len(fresh)], fresh_sources, vectors[len(fresh) :])
            self._entities.add(cast, told, sources)
            self._forget()
        self._doubled += doubled + doubled_sources
        return StoryChanged(len(fresh) + len(fresh_sources), len(gone))

    def _restore(self, entities: HeldEntities, issues: tuple[Issue, ...]) -> None:
        self._entities, self._doubled = entities, issues
        self._forget()

    def _take_out(self, names: Sequence[str]) -> int:
        """Just these; returns how many of them there were."""
        sources = {item.source_id for item in map(self._held, names) if item is not None}
        rows, gone = self._facts.remove(names), self._passages.remove(names)
        left = {item.source_id for item in self._everything()}
        lost = sources - left
        self._entities.leave(lost)
        settled = {*names, *lost}
        self._doubled = tuple(issue for issue in self._doubled if issue.source_id not in settled)
        self._forget()
        return int(rows.size + gone.size)

    def _differs(self, item: Told) -> bool:
        held = self._facts.get(item.id) if isinstance(item, Fact) else self._passages.get(item.id)
        return held is not None and held.text != item.text

    def _texts(self, facts: Sequence[Fact], passages: Sequence[Passage]) -> list[str]:
        return [*map(self._facts.titled, facts), *map(self._passages.titled, passages)]

    def _held(self, name: str) -> Told | None:
        return self._facts.get(name) or self._passages.get(name)

    def _of_sources(self, names: set[str]) -> list[Told]:
        return [item for item in self._everything() if item.source_id in names]

    def _everything(self) -> list[Told]:
        return [*self._facts.items, *self._passages.items]

    def _vectors_of(self, items: Sequence[Told]) -> tuple[Sequence[Fact], Vectors, Sequence[Passage], Vectors]:
        facts = [item for item in items if isinstance(item, Fact)]
        passages = [item for item in items if isinstance(item, Passage)]
        return (
            facts,
            self._facts.vectors([fact.id for fact in facts]),
            passages,
            self._passages.vectors([passage.id for passage in passages]),
        )

    def save(self, folder: str | Path) -> None:
        """Write everything to a folder, atomically; an older save there is replaced.

        The ontology is saved by its name where it is shipped, else as its text; rules that are functions by their names.

        Raises:
            StoreError: the folder holds something else.
        """
        shelves = SavedShelves(self._facts, self._passages, self._entities)
        shelves.save(folder, embedder_id=self.embedder_id, title_key=self.title_key, ontology=self.ontology, axis=self._axis)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        embedder_id: str | None = None,
        rules: Iterable[Rule] = (),
    ) -> StoryIndex:
        """Read a folder that `save` wrote.

        Args:
            folder: the folder.
            embedder_id: the model that will embed the questions; None takes the one that the index names.
            rules: rules of the ontology that are functions, which no file holds.

        Raises:
            StoreError: the folder is absent, incomplete or damaged.
            StoreVersionError: it was written by a newer version.
            StoreMismatchError: it is of another kind, or was made with another embedder.
            OntologyError: a rule that is a function was not given.
        """
        saved = load_folder(folder, kind=KIND, version=VERSION, embedder_id=embedder_id)
        header = saved.header
        index = cls(
            str(header["embedder_id"]),
            ontology=ontology_of(header["ontology"], tuple(rules)),
            title_key=str(header["title_key"]),
            axis=None if header["axis"] is None else StoryAxis.from_json(header["axis"]),
        )
        index._entities = SavedShelves(index._facts, index._passages, HeldEntities()).fill(saved)
        return index


def _sources(items: Iterable[Told]) -> set[str]:
    return {item.source_id for item in items}


def build_story_index(
    facts: Iterable[Fact],
    passages: Iterable[Passage] = (),
    *,
    embedder_id: str,
    ontology: Ontology | str = "general_fiction",
    entities: Iterable[Entity] = (),
    axis: StoryAxis | None = None,
    title_key: str = "title",
) -> Step[StoryIndex]:
    """Embed facts and the passages they stand in into a new index.

    Args:
        facts: what `extract_facts` found, or a file told.
        passages: what they were read in, with the same `source_id` and offsets.
        embedder_id: `model_id` of the embedder that the runner uses.
        ontology: what can be so in the story.
        entities: types and other names.
        axis: when chapters play.
        title_key: metadata key of a title that is embedded with its texts.

    Raises:
        TypeError: an argument is of another kind than it must be, such as an extraction instead of its `items`.
    """
    index = StoryIndex(embedder_id, ontology=ontology, axis=axis, title_key=title_key)
    yield from index.add(facts, passages, entities)
    return index
