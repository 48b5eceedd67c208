"""Whether an answer's citations say what their evidence says: read from the text and compared letter by letter, without a model.

A citation is the mark of its evidence in square brackets, with words copied from it: `[3 "copied words"]`. Words in quotation
marks right before the bracket count as its words too. Several marks may share a bracket, and an ellipsis inside a quotation leaves
words out. Only letters and digits are compared: case, white space, punctuation and the width of characters are free, as a model
changes them where it copies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args
from unicodedata import category, normalize

from chronotope.records import Answer, Evidence
from chronotope.slices.answer.marks import CitedWords, read_marks

__all__ = ["LEAST_LETTERS", "Citation", "CitationKind", "citation_counts", "verify"]

CitationKind: TypeAlias = Literal["verbatim", "mixed", "non_verbatim", "error"]
LEAST_LETTERS: Final = 6
"""Letters that a quotation needs at one stretch; a Chinese character counts as two. Shorter ones prove nothing ("of the")."""

_LEFT_OUT = re.compile(r"[\[(（【［]?\s*(?:…+|\.{3,}|(?:\.\s){2,}\.|。{3,}|⋯+)\s*[\])）】］]?")
_SENTENCE_END = re.compile(r"(?<=[.!?;。！？；\n])\s*")


@dataclass(frozen=True)
class Citation:
    """One citation of an answer, compared with its evidence.

    Args:
        mark: what it cites, without brackets: `3`, `P1`; as it was written where it is no mark at all.
        quote: the words that it gives for it; several quotations are joined by ` … `. Empty where it gives none.
        kind: `verbatim` when all of the words stand in the evidence in their order, `mixed` when some do, `non_verbatim` when none
            do or none are given, `error` when there is no such evidence or the citation cannot be read.
        why: for a reader, what is wrong; empty when all stands there.
    """

    mark: str
    quote: str
    kind: CitationKind
    why: str = ""


def verify(answer: str | Answer, evidence: Sequence[Evidence] | None = None) -> tuple[Citation, ...]:
    """Compare every citation of an answer with the evidence that it cites.

    Args:
        answer: its text, or the answer itself, which brings its evidence along.
        evidence: what could be cited; not needed with an `Answer`.

    Returns:
        The citations in the order of the text. A text without any gives none.

    Raises:
        ValueError: a text is given without evidence.

    Source: NS-ST-GraphRAG, figure 5.

    >>> from chronotope.records import Passage
    >>> shown = [Evidence(1, Passage("Ann and Tom were wed in the old church."), "", 1.0)]
    >>> [found.kind for found in verify('In spring [1 "were wed … church"], far away [1 "on a ship"] [2 "were wed"].', shown)]
    ['verbatim', 'non_verbatim', 'error']
    """
    if evidence is None:
        if isinstance(answer, str):
            raise ValueError("a text alone cannot be verified: give the evidence that it cites")
        evidence = answer.evidence
    text = answer if isinstance(answer, str) else answer.text
    known = {item.mark.upper(): _letters(item.passage.text) for item in evidence}
    return tuple(_judged(cited, known) for cited in read_marks(text))


def citation_counts(citations: Iterable[Citation]) -> dict[CitationKind, int]:
    """How many citations are of each kind; all four kinds are told, also those with none.

    >>> citation_counts([Citation("1", "", "error")])
    {'verbatim': 0, 'mixed': 0, 'non_verbatim': 0, 'error': 1}
    """
    counts = Counter(citation.kind for citation in citations)
    return {kind: counts[kind] for kind in get_args(CitationKind)}


def _judged(cited: CitedWords, known: Mapping[str, str]) -> Citation:
    quote = " … ".join(cited.quotes)
    if cited.problem:
        return Citation(cited.mark, quote, "error", cited.problem)
    if cited.mark not in known:
        shown = ", ".join(known) if len(known) <= 8 else f"{len(known)} others"
        return Citation(cited.mark, quote, "error", f"there is no evidence [{cited.mark}]; there is {shown or 'none at all'}")
    if not quote:
        return Citation(cited.mark, "", "non_verbatim", "it gives no words of the evidence")
    return Citation(cited.mark, quote, *_compared(cited.quotes, known[cited.mark]))


def _compared(quotes: Sequence[str], text: str) -> tuple[CitationKind, str]:
    """Kind and reason. Every quotation is looked up for itself; the parts of one, left and right of an ellipsis, stand in order."""
    missing, proofs, stand = [], 0, True
    for quote in quotes:
        parts = [quote] if _letters(quote) in text else [part for part in _LEFT_OUT.split(quote) if _letters(part)]
        in_order = _stand_in_order(parts, text)
        stand &= bool(parts) and in_order
        pieces = [piece for part in parts for piece in ([part] if _letters(part) in text else _SENTENCE_END.split(part))]
        proofs += sum(_is_proof(piece, text) for piece in pieces)
        missing += [piece.strip() for piece in pieces if _letters(piece) not in text]
    if stand and proofs:
        return "verbatim", ""
    told = f"the evidence does not hold {'; '.join(map(repr, missing))}" if missing else "its parts stand there in another order"
    if proofs:
        return "mixed", told
    return "non_verbatim", told if missing else f"fewer than {LEAST_LETTERS} letters prove nothing"


def _stand_in_order(parts: Iterable[str], text: str) -> bool:
    place = 0
    for part in map(_letters, parts):
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _is_proof(piece: str, text: str) -> bool:
    """True when enough of the evidence is copied to prove anything; all of it is enough, however short."""
    letters = _letters(piece)
    return bool(letters) and letters in text and (_weight(letters) >= LEAST_LETTERS or letters == text)


def _weight(letters: str) -> int:
    return sum(2 if _is_ideograph(letter) else 1 for letter in letters if letter != " ")


def _letters(text: str) -> str:
    """Letters and digits alone, one blank between words; none beside characters of scripts that have no blanks."""
    kept: list[str] = []
    apart = False
    for letter in normalize("NFKD", text).casefold():
        kind = category(letter)
        if kind[0] in "LNM":
            if apart and kept and not (_is_ideograph(letter) or _is_ideograph(kept[-1])):
                kept.append(" ")
            kept.append(letter)
            apart = False
        elif kind != "Cf":  # a soft hyphen or a joiner parts no words
            apart = True
    return "".join(kept)


def _is_ideograph(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or letter >= "\U00020000"
