"""Numbers in words: cardinals, ordinals, and years as they are spoken."""

from __future__ import annotations

from chronotope.temporal.english.lexicon import CARDINALS, ENDINGS, ORDINALS, TENS
from chronotope.temporal.english.tokens import Token

__all__ = ["read_cardinal", "read_count", "read_ordinal", "read_spoken_year"]

Found = tuple[int, int] | None  # the number, and the index after it
VAGUE = {"few": 3, "several": 3, "couple": 2, "pair": 2}


def read_cardinal(tokens: list[Token], i: int) -> Found:
    """A whole number below a million, in digits or words: `17`, `twenty-one`, `two thousand and fifteen`."""
    token = tokens[i]
    if token.number >= 0:
        return token.number, i + 1
    if token.low not in CARDINALS and token.low not in TENS:
        return None
    total, part, stop = 0, 0, i
    while True:
        below = _below_hundred(tokens, stop)
        if below:
            part, stop = part + below[0], below[1]
        if tokens[stop].low == "hundred" and 0 < part < 100:
            part, stop = part * 100, stop + 1
        elif tokens[stop].low == "thousand" and part and not total:
            total, part, stop = part * 1000, 0, stop + 1
        else:
            return total + part, stop
        after = stop + (tokens[stop].low == "and")
        if not _below_hundred(tokens, after):
            return total + part, stop
        stop = after


def _below_hundred(tokens: list[Token], i: int) -> Found:
    low = tokens[i].low
    if low in CARDINALS:
        return CARDINALS[low], i + 1
    if low not in TENS:
        return None
    j = i + 1 + (tokens[i + 1].low == "-")
    one = CARDINALS.get(tokens[j].low, 0)
    return (TENS[low] + one, j + 1) if 0 < one < 10 else (TENS[low], i + 1)


def read_count(tokens: list[Token], i: int) -> tuple[int, int, bool] | None:
    """How many: a number, `a`, `an`, `a few`, `a couple of`; the third value is True when the wording is vague."""
    j = i + (tokens[i].low in ("a", "an", "the"))
    if tokens[j].low in VAGUE:
        return VAGUE[tokens[j].low], j + 1 + (tokens[j + 1].low == "of"), True
    if tokens[i].low in ("a", "an"):
        return 1, i + 1, False
    number = read_cardinal(tokens, i)
    return (*number, False) if number else None


def read_ordinal(tokens: list[Token], i: int) -> Found:
    """A rank from first to ninety-ninth: `21st`, `twenty second`, `seventh`."""
    token = tokens[i]
    if token.number >= 0:
        suffix = tokens[i + 1]
        return (token.number, i + 2) if suffix.low in ENDINGS and suffix.glued else None
    if token.low in ORDINALS:
        return ORDINALS[token.low], i + 1
    if token.low in TENS:
        j = i + 1 + (tokens[i + 1].low == "-")
        rank = ORDINALS.get(tokens[j].low, 0)
        return (TENS[token.low] + rank, j + 1) if 0 < rank < 10 else None
    return None


def read_spoken_year(tokens: list[Token], i: int) -> Found:
    """A year in words: `nineteen ninety-six`, `seventeen hundred thirty three`, `two thousand and fifteen`, `nineteen oh five`."""
    if tokens[i].number >= 0:
        return None
    whole = read_cardinal(tokens, i)
    if whole and whole[0] >= 1000:
        return whole
    century = _below_hundred(tokens, i)
    if not century or not 10 <= century[0] <= 21:
        return None
    base, j = century[0] * 100, century[1]
    if whole and whole[0] >= base and tokens[j].low == "hundred":
        return whole
    j += tokens[j].low == "-"
    if tokens[j].low in ("oh", "o", "ought"):
        one = CARDINALS.get(tokens[j + 1].low, 0)
        return (base + one, j + 2) if 0 < one < 10 else None
    rest = _below_hundred(tokens, j)
    if rest is None or rest[0] < 10 or (base <= 1200 and rest[0] < 60):  # "twelve fifteen" is a time of day, "ten sixty-six" is not
        return None
    return base + rest[0], rest[1]
