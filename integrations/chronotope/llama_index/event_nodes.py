"""Nodes as sources of events, and events as nodes: exact offsets, the metadata contract, source and neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode

from chronotope.events.event import EventUnit
from chronotope.events.index.event_times import written
from chronotope.events.retrieve.from_passages import EVENT_KEY, stored_event
from chronotope.llama_index.convert import NODE_KEY, dated_copy, to_passage
from chronotope.llama_index.origins import Origin, read_origins
from chronotope.llama_index.relations import IdFunction, link
from chronotope.metadata import MetadataKeys
from chronotope.records import Issue, Passage

__all__ = ["EventSources", "event_node", "read_sources"]

_PUBLISHED = "published"  # under which an event keeps when its source was written, whatever the keys are called
_OWN = (EVENT_KEY, "entities", "score")


@dataclass(frozen=True)
class EventSources:
    """What events are extracted from.

    Args:
        origins: the nodes, in order.
        passages: the same as passages with the offsets of their documents.
        issues: blank nodes and unreadable dates.
    """

    origins: tuple[Origin, ...]
    passages: tuple[Passage, ...]
    issues: tuple[Issue, ...]

    def nodes(
        self,
        events: Iterable[EventUnit],
        *,
        keys: MetadataKeys,
        include_metadata: bool = True,
        linked: bool = True,
        id_func: IdFunction | None = None,
    ) -> list[BaseNode]:
        """The events of all documents as nodes, in source order, each once.

        Args:
            events: what was extracted from the passages.
            keys: where to write their times.
            include_metadata: nodes inherit the metadata of the node that they come from.
            linked: nodes know the one before and the one after in their document.
            id_func: names a node from its number in the document and the node that it comes from; None keeps the event's own id.
        """
        families: dict[str, dict[str, TextNode]] = {}
        for event in events:
            origin = self._origin(event)
            node = event_node(event, origin, keys=keys, include_metadata=include_metadata)
            family = families.setdefault(event.source_id, {})
            if event.id not in family:
                family[event.id] = node
                if id_func is not None and origin is not None:
                    node.id_ = id_func(len(family) - 1, origin.node)
        for family in families.values():
            if linked:
                link(list(family.values()))
        return [node for family in families.values() for node in family.values()]

    def _origin(self, event: EventUnit) -> Origin | None:
        """The node that holds an event: by its place where that is known, else the first of its document."""
        pairs = zip(self.origins, self.passages, strict=True)
        own = [(origin, passage) for origin, passage in pairs if passage.source_id == event.source_id]
        inside = (origin for origin, passage in own if _holds(passage, event))
        return next(inside, own[0][0] if own else None)


def _holds(passage: Passage, event: EventUnit) -> bool:
    if None in (passage.char_start, passage.char_end, event.char_start, event.char_end):
        return False
    return passage.char_start <= event.char_start < passage.char_end  # type: ignore[operator]  # none of them is None


def read_sources(nodes: Sequence[BaseNode], keys: MetadataKeys) -> EventSources:
    """Documents, or chunks that know their place in one, as what events are extracted from.

    Args:
        nodes: never changed; blank ones are left out.
        keys: where their dates are.

    Raises:
        TypeError: something else is among them, such as a text.
    """
    origins, issues = read_origins(nodes)
    passages: list[Passage] = []
    unread: list[Issue] = []
    for origin in origins:
        passage, problems = to_passage(origin.node, keys=keys)
        start = origin.base
        end = None if start is None else start + len(origin.node.get_content(metadata_mode=MetadataMode.NONE))
        told = {key: value for key, value in passage.metadata.items() if key != NODE_KEY}
        passages.append(
            Passage(
                passage.text,
                id=passage.id,
                source_id=origin.source.node_id,
                char_start=start,
                char_end=end,
                published=passage.published,
                metadata=told,
            )
        )
        unread += problems
    return EventSources(tuple(origins), tuple(passages), (*issues, *unread))


def event_node(event: EventUnit, origin: Origin | None = None, *, keys: MetadataKeys, include_metadata: bool = True) -> TextNode:
    """An event as a text node.

    What it tells about itself is metadata and kept out of embedded text; a language model sees its times and what the user shows.

    Args:
        event: the event.
        origin: the node that holds it, whose metadata and excluded keys it inherits.
        keys: where to write its times.
        include_metadata: inherit that metadata.
    """
    passage = replace(stored_event(event), published=written(event))
    given = origin.node if origin is not None else None
    theirs = given.metadata if given is not None else {}
    own = {key: value for key, value in passage.metadata.items() if key in _OWN or (key not in theirs and key not in _dates(keys))}
    inherited = {key: value for key, value in deepcopy(theirs).items() if key not in keys.all} if include_metadata else {}
    source = origin.source if origin is not None else RelatedNodeInfo(node_id=event.source_id) if event.source_id else None
    node = TextNode(
        id_=event.id,
        text=event.text,
        start_char_idx=event.char_start,
        end_char_idx=event.char_end,
        metadata={**inherited, **own},
        excluded_embed_metadata_keys=_joined(given.excluded_embed_metadata_keys if given is not None else [], own),
        excluded_llm_metadata_keys=_joined(given.excluded_llm_metadata_keys if given is not None else [], own),
        relationships={NodeRelationship.SOURCE: source} if source is not None else {},
    )
    dated = dated_copy(node, passage, keys=keys)
    if not isinstance(dated, TextNode):
        raise TypeError(f"a copy of a text node is one, not {type(dated).__name__}")
    return dated


def _dates(keys: MetadataKeys) -> tuple[str, ...]:
    return (*keys.all, _PUBLISHED)


def _joined(listed: Sequence[str], more: Iterable[str]) -> list[str]:
    return [*dict.fromkeys((*listed, *more))]
