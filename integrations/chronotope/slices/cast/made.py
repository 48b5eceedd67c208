"""Merges as a cast lists them: what was found, and what the user decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chronotope.slices.cast.clusters import Clusters, Join
from chronotope.slices.cast.ids import Key
from chronotope.slices.cast.merge import Merge, Node
from chronotope.slices.cast.told import telling_order
from chronotope.slices.same_name import same_name

__all__ = ["decide", "found_merges", "last_id", "made_order"]


def decide(clusters: Clusters, merge: Merge, keys: dict[Node, Key], gone: dict[str, str]) -> Merge | None:
    """Join what the user says is one; ids of all others stay as they are. None where a rule forbids it or a side is not told."""
    one, other = (clusters.node(side) for side in merge.sides)
    if one is None or other is None or clusters.root(one) == clusters.root(other):
        return None
    kept, lost = keys[clusters.root(one)], keys[clusters.root(other)]
    if clusters.join(Join(other, one, "decision", merge.evidence, "", merge.chapter)) is not None:
        return None
    for root in [root for root in keys if keys[root] in (kept, lost)]:
        del keys[root]
    keys[clusters.root(one)] = kept
    gone[lost[0]] = kept[0]
    return replace(merge, kept=kept[0], merged=lost[0])


def last_id(key: str, gone: Mapping[str, str]) -> str:
    """The id into which one was merged, at any remove."""
    while key in gone:
        key = gone[key]
    return key


def found_merges(clusters: Clusters, ids: Mapping[Node, str]) -> list[Merge]:
    """What was found to be one; the name of a given entity alone is no merge."""
    found = []
    for join in clusters.joins:
        key, one, other = ids[join.other], clusters.spelled(join.one), clusters.spelled(join.other)
        if join.why == "decision" or (join.why == "declared" and same_name(one) in (same_name(other), same_name(key))):
            continue
        merged = other if one == key else one
        sides = (clusters.side(join.one), clusters.side(join.other))
        found.append(
            Merge(kept=key, merged=merged, why=join.why, evidence=join.evidence, fact=join.fact, chapter=join.chapter, sides=sides)
        )
    return found


def made_order(made: Merge) -> tuple[object, ...]:
    """Sorts merges by the chapter that tells them."""
    return telling_order(made.chapter), made.kept, made.merged, made.sides
