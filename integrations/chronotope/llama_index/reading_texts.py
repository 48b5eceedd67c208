"""Two texts in one node: what is embedded, and what a reader gets. LlamaIndex makes both from one template and two lists of keys.

A template counts only where some metadata is visible. So a text that is to stand alone gets no visible metadata, and one that has
the subtitle and the context sentences gets them from the template, as a frame around the content. Where nothing of the user's own
metadata is visible in a framed text, the first part of the frame is its visible metadata. One thing cannot be had: metadata that a
later step adds, and does not keep out of the embedded text, brings the frame into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from llama_index.core.schema import TextNode

from chronotope.litseg import Segment
from chronotope.litseg.reading import AFTER, BEFORE, GAP, SUBTITLE, frame
from chronotope.records import Scalar

__all__ = ["dress", "told"]

_LINKS = ("previous_id", "next_id")


def told(segment: Segment) -> dict[str, Scalar]:
    """The metadata of a segment for a node, whose relationships tell its neighbours."""
    kept = {key: value for key, value in segment.metadata.items() if key not in _LINKS}
    return {**kept, **frame(segment)}


def dress(node: TextNode, segment: Segment, *, index: bool, reader: bool) -> None:
    """Set a new node's templates and excluded keys so that its two texts are what they should be.

    Args:
        node: with all its metadata, and the templates and excluded keys of the document that it comes from.
        segment: what it is made from.
        index: the embedded text has subtitle and context; else it is the content alone.
        reader: the text for a language model has them, below what the user shows of his own metadata.
    """
    own, parts = list(told(segment)), frame(segment) if index or reader else {}
    embed = _joined(node.excluded_embed_metadata_keys, own if index else node.metadata)
    llm = _joined(node.excluded_llm_metadata_keys, own if reader or not parts else node.metadata)
    framed = [keys for keys, wanted in ((embed, index), (llm, reader)) if wanted]
    if parts and any(set(node.metadata) <= set(keys) for keys in framed):
        shown = next(iter(parts))
        for keys in framed:
            keys.remove(shown)
        node.metadata_template, node.metadata_separator = "{value}", GAP
        node.text_template = _around(node.text, {**_escaped(parts), shown: "{metadata_str}"})
    elif parts:
        node.text_template = node.text_template.replace("{content}", _around(node.text, _escaped(parts)))
    node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys = embed, llm


def _around(text: str, parts: Mapping[str, str]) -> str:
    """The template of a text in its frame, with a blank line between the parts whatever white space the text has at its ends."""
    above = GAP.join(parts[key] for key in (SUBTITLE, BEFORE) if key in parts)
    below = parts.get(AFTER, "")
    head = text[: len(text) - len(text.lstrip())].count("\n")
    tail = text[len(text.rstrip()) :].count("\n")
    return f"{above}{GAP[head:] if above else ''}{{content}}{GAP[tail:] if below else ''}{below}"


def _escaped(parts: Mapping[str, str]) -> dict[str, str]:
    return {key: text.replace("{", "{{").replace("}", "}}") for key, text in parts.items()}


def _joined(listed: Sequence[str], more: Iterable[str]) -> list[str]:
    return [*listed, *(key for key in more if key not in listed)]
