"""What a story index writes to a folder, and how it is read back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.records import Passage
from chronotope.shelves import Shelf
from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Fact
from chronotope.slices.index.held_entities import HeldEntities
from chronotope.slices.index.saved_ontology import saved_ontology
from chronotope.slices.ontology import Ontology
from chronotope.storage import Saved, save_folder

__all__ = ["KIND", "VERSION", "SavedShelves"]

KIND = "story"
VERSION = 1


@dataclass(frozen=True)
class SavedShelves:
    """The contents of an index.

    Args:
        facts: with their vectors.
        passages: with theirs.
        entities: with the sources they were read in.
    """

    facts: Shelf[Fact]
    passages: Shelf[Passage]
    entities: HeldEntities

    def save(self, folder: str | Path, *, embedder_id: str, title_key: str, ontology: Ontology, axis: StoryAxis | None) -> None:
        """Write all of it, atomically.

        Raises:
            StoreError: the folder holds something else.
        """
        tables = {"fact_vectors": self.facts.table, "passage_vectors": self.passages.table}
        widths = [table.width for table in tables.values() if table is not None]
        header = {
            "embedder_id": embedder_id,
            "width": widths[0] if widths else None,
            "title_key": title_key,
            "ontology": saved_ontology(ontology),
            "axis": None if axis is None else axis.to_json(),
            "facts": len(self.facts),
            "passages": len(self.passages),
        }
        held = [*(fact.to_json() for fact in self.facts.items), *(passage.to_json() for passage in self.passages.items)]
        arrays: dict[str, Any] = {name: table.blocks() for name, table in tables.items() if table is not None}
        save_folder(folder, kind=KIND, version=VERSION, header=header, items=[*held, *self.entities.to_json()], arrays=arrays)

    def fill(self, saved: Saved) -> HeldEntities:
        """Fill empty shelves from what was saved; returns the entities."""
        facts, passages = int(saved.header["facts"]), int(saved.header["passages"])
        if facts:
            self.facts.adopt([Fact.from_json(item) for item in saved.items[:facts]], saved.arrays["fact_vectors"])
        if passages:
            shown = [Passage.from_json(item) for item in saved.items[facts : facts + passages]]
            self.passages.adopt(shown, saved.arrays["passage_vectors"])
        return HeldEntities.from_json(saved.items[facts + passages :])
