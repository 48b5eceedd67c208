"""Shorter forms of a name inside one work: "Thomas" and "Mr. Reed" for Thomas Reed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from chronotope.records import Issue
from chronotope.slices.cast.clusters import Clusters, Join
from chronotope.slices.cast.merge import Node
from chronotope.slices.cast.names import Form
from chronotope.slices.cast.told import Told, telling_order
from chronotope.slices.fact import Fact

__all__ = ["join_forms"]

Ends = dict[tuple[str, tuple[str, ...]], list[Node]]  # by work and words: names that begin or end with the words


def join_forms(clusters: Clusters) -> None:
    """Read a shorter form as the longer one where exactly one bearer in the work fits and one chapter names both.

    Args:
        clusters: names; given entities and what texts say are joined already.
    """
    forms = {node: form for node in clusters.told.at if not (form := clusters.told.form(node)).is_description}
    ends = _ends(forms)
    for short in sorted(forms, key=lambda node: (-len(forms[node].words), bool(forms[node].title), node)):
        _join(short, forms, ends, clusters)


def _ends(forms: dict[Node, Form]) -> Ends:
    ends: Ends = defaultdict(list)
    for node, form in sorted(forms.items()):
        sizes = range(1, len(form.words) + 1)
        for words in {form.words[:size] for size in sizes} | {form.words[-size:] for size in sizes}:
            ends[node[0], words].append(node)
    return ends


def _join(short: Node, forms: dict[Node, Form], ends: Ends, clusters: Clusters) -> None:
    form = forms[short]
    longer = [node for node in ends[short[0], form.words] if node != short and form.shortens(forms[node])]
    if not longer or not _is_person(short, clusters):
        return
    fitting = [node for node in longer if _is_person(node, clusters) and _gender_fits(short, node, form, clusters)]
    roots = sorted({clusters.root(node) for node in fitting} - {clusters.root(short)})
    if not roots or clusters.root(short) in {clusters.root(node) for node in fitting}:
        return
    if len(roots) > 1:
        names = " or ".join(sorted({repr(clusters.spelled(node)) for node in fitting}))
        told = f"{clusters.spelled(short)!r} may be short for {names}; it is kept apart"
        clusters.issues.append(Issue("ambiguous_name", told, clusters.source(short)))
        return
    scene = _common_scene(clusters.told, clusters.members(short), clusters.members(roots[0]))
    if scene is not None:
        where = f"chapter {scene.chapter}" if scene.chapter is not None else f"{scene.source_id!r}"
        evidence = f"{where} names both, and it is short for nobody else"
        clusters.join(Join(short, min(fitting), "form", evidence, scene.id, scene.chapter))


def _is_person(node: Node, clusters: Clusters) -> bool:
    ontology, kinds = clusters.told.ontology, clusters.kinds(node)
    return all(ontology.is_a(kind, "person") for kind in kinds) if "person" in ontology.types else "place" not in kinds


def _gender_fits(short: Node, longer: Node, form: Form, clusters: Clusters) -> bool:
    told = clusters.title_gender(short)
    if not told:
        return True
    gender = clusters.told.ontology.gender(told) or told
    known = clusters.genders(longer)
    return gender in known if known or form.needs_gender else True


def _common_scene(told: Told, short: Iterable[Node], longer: Iterable[Node]) -> Fact | None:
    """The first fact of a chapter that names both."""
    one, other = _scenes(told, short), _scenes(told, longer)
    shared = [max(one[scene], other[scene], key=_order) for scene in one.keys() & other.keys()]
    return min(shared, key=_order, default=None)


def _scenes(told: Told, nodes: Iterable[Node]) -> dict[tuple[str, int | None], Fact]:
    found: dict[tuple[str, int | None], Fact] = {}
    for node in nodes:
        for scene, fact in told.scenes(node).items():
            found[scene] = min(fact, found.get(scene, fact), key=_order)
    return found


def _order(fact: Fact) -> tuple[tuple[bool, int], str]:
    return telling_order(fact.chapter), fact.id
