"""Signs for and against a border before each block, by kind, each a number that the weights of the settings multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from chronotope.litseg.rules.blocks import Block
from chronotope.litseg.rules.bonds import asked, introduced, letters, spoken, unclosed, versed
from chronotope.litseg.rules.cohesion import Floats
from chronotope.litseg.rules.openings import SHIFTS, concludes, leans, opening, shifts

__all__ = ["TOLD", "SignWeights", "evidence", "printed"]

TOLD: Final = ("scene_divider", *SHIFTS)
_DECIDES = 1_000.0  # more than all other signs and lengths together


@dataclass(frozen=True, kw_only=True)
class SignWeights:
    """What the signs weigh; 1 is the cost of a segment of twice the reference length.

    Args:
        thread_shift: an opening that takes up another thread ("Meanwhile", 且說).
        time_shift: an opening that names another time ("The next morning", 次日).
        place_shift: an opening that arrives or leaves.
        mode_shift: narration begins or ends.
        characters: other names after the border than before it, per standard deviation.
        topic: a valley of cohesion, per standard deviation.
        dialogue: against a border inside a speech or an exchange of speeches.
        answer: against one between a question and what follows.
        leaning: against one before a pronoun or a connective.
        bound: against one inside verse or a letter, or after an announcement of what follows.
        sentence: against one inside a paragraph.
    """

    thread_shift: float = 0.7
    time_shift: float = 0.35
    place_shift: float = 0.2
    mode_shift: float = 0.1
    characters: float = 0.35
    topic: float = 0.2
    dialogue: float = 0.75
    answer: float = 0.35
    leaning: float = 0.35
    bound: float = 1.5
    sentence: float = 0.5


def printed(pieces: Sequence[Block]) -> dict[str, Floats]:
    """What the page shows: 1 where the sign stands, 0 elsewhere, for a border before each block."""
    n = len(pieces)
    signs = {kind: np.zeros(n) for kind in (*TOLD, "mode_shift", "dialogue", "answer", "leaning", "bound", "sentence", "barred")}
    speech = [piece.opens and spoken(piece.text) for piece in pieces]
    verse = [versed(piece.text) for piece in pieces]
    letter = letters([piece.text if piece.opens else "" for piece in pieces])
    told, depth = False, 0
    for place, piece in enumerate(pieces):
        before = pieces[max(place - 1, 0)]
        carried = depth > 0 and (speech[place] or not piece.opens)
        exchange = speech[place] and speech[place - 1] and not carried
        signs["barred"][place] = not told or piece.wordless
        signs["scene_divider"][place] = piece.marked
        signs["sentence"][place] = not piece.opens
        signs["dialogue"][place] = carried or exchange
        signs["mode_shift"][place] = piece.opens and before.opens and speech[place] != speech[place - 1]
        signs["answer"][place] = asked(before.text)
        signs["bound"][place] = introduced(before.text) or letter[place] or (verse[place] and verse[place - 1])
        if carried or not speech[place]:
            _told_by_opening(signs, place, opening(piece.text))
        if concludes(before.text):
            signs["thread_shift"][place] = 1.0
        told = told or not (piece.heading or piece.wordless)
        # Every paragraph of a long speech has a mark at its start; only the last has one at its end.
        depth = unclosed(piece.text, 0 if piece.opens else depth)
    return signs


def _told_by_opening(signs: dict[str, Floats], place: int, text: str) -> None:
    found = shifts(text)
    for kind in found:
        signs[kind][place] = 1.0
    signs["leaning"][place] = leans(text) and not found  # "that evening" leans, and tells of another time


def evidence(signs: dict[str, Floats], weights: SignWeights) -> Floats:
    """All signs in one number for each border: what speaks for it less what speaks against it."""
    pro = ("thread_shift", "time_shift", "place_shift", "mode_shift", "characters", "topic")
    con = ("dialogue", "answer", "leaning", "bound", "sentence")
    total = sum((signs[kind] * getattr(weights, kind) for kind in pro), np.zeros(len(signs["barred"])))
    total -= sum((signs[kind] * getattr(weights, kind) for kind in con), np.zeros(len(total)))
    total += _DECIDES * signs["scene_divider"]
    result: Floats = np.where(signs["barred"] > 0, -_DECIDES, total)
    return result
