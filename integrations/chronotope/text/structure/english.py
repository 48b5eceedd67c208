"""Headings in English: a word and a number, a number alone, or the name of a part such as a preface."""

from __future__ import annotations

import re

from chronotope.text.structure.numerals import NUMBER, ORDINAL, SPELLED, read_number
from chronotope.text.structure.printed import Printed
from chronotope.text.units import UnitKind

__all__ = ["is_quoted_title", "is_title", "read_english"]

_WORDS: dict[str, tuple[str, UnitKind]] = {
    **dict.fromkeys(("volume", "vol"), ("volume", "part")),
    **{word: (word, "part") for word in ("book", "part", "phase", "period", "epoch", "division")},
    "act": ("act", "act"),
    **dict.fromkeys(("scene", "sc"), ("scene", "scene")),
    **dict.fromkeys(("chapter", "chap", "chapt"), ("chapter", "chapter")),
    **{word: (word, "chapter") for word in ("stave", "section", "fytte", "fit", "strophe")},
    "canto": ("canto", "canto"),
    **dict.fromkeys(("letter", "epistle"), ("letter", "letter")),
    **{
        word: (word, "episode")
        for word in (
            "episode",
            "adventure",
            "story",
            "tale",
            "legend",
            "narrative",
            "night",
            "evening",
            "day",
            "novel",
            "fable",
            "idyll",
        )
    },
}
_HOLDERS = ("volume", "book", "part", "phase", "period", "epoch", "division", "act")
_NAMES: dict[str, UnitKind] = {
    **dict.fromkeys(
        ("preface", "foreword", "introduction", "introductory", "introductory note", "to the reader", "proem", "advertisement"),
        "preface",
    ),
    **dict.fromkeys(("prologue", "prelude", "induction", "prolog"), "prologue"),
    **dict.fromkeys(("interlude", "intermezzo", "entr'acte", "intermission"), "interlude"),
    **dict.fromkeys(
        ("epilogue", "epilog", "conclusion", "afterword", "postscript", "finale", "l'envoi", "envoi", "coda"), "epilogue"
    ),
    **dict.fromkeys(("appendix", "footnotes", "glossary", "note", "notes"), "appendix"),
}

_word = "|".join(sorted(_WORDS, key=len, reverse=True))
_name = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_KEYWORD = re.compile(rf"({_word})\b[.:]?\s+(?:no\.?\s*)?((?:the\s+)?(?:{NUMBER}|last))(?![\w’'])(.*)", re.IGNORECASE | re.DOTALL)
_ORDINAL = re.compile(rf"(?:the\s+)?({ORDINAL})\s+({_word})\b(?![’'])(.*)", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(
    rf"(?:(?:the|author['’]s|an?|translator['’]s|editor['’]s|{ORDINAL})\s+)*({_name})"
    rf"(?:\s+(?:{NUMBER}|[A-Z]|(?:to|by|of)\s+[^.!?]{{1,60}}))?(?:\s*[.:–—-]+\s*([^.!?]{{0,80}}))?[.:]?",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?:§\s*)?\(?([IVXLC]+|[ivxlc]{{1,6}}|[0-9]{{1,3}}|(?i:{SPELLED}))(?![\w’'])[.)\]:]?(.*)", re.DOTALL)
_MOST_BARE = 160  # characters of a line that has a number without a word, and a title
_SEPARATOR = re.compile(r"[\s_*]*([.:;,)\]|–—-]+|\s{2,}|\t|$)?[\s_*]*(.*)", re.DOTALL)
_QUOTED_IN_TITLE = re.compile(r"[\w’'] (?:“[^”]+”|\"[^\"]+\")$")
_OPENS_TITLE = re.compile(
    r"(?:in|of|how|wherein|containing|which|being|showing|what|where|when|treats|concerning|on|to|from|the|a|an)\b"
)
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an the of and or in on at to for from with by as but nor into upon over under is his her its their my who which that"
        " de la le du von van off up out st not",
    )
)


def read_english(text: str) -> Printed | None:
    """The line as a heading; None when it is none. It must hold nothing else, decoration apart."""
    if not (text[:1].isalnum() or text[:1] in "§(“\"'‘"):
        return None
    return _keyword(text) or _ordinal(text) or _named(text) or _number(text)


def _keyword(text: str) -> Printed | None:
    match = _KEYWORD.match(text)
    if not match:
        return None
    family, kind = _WORDS[match[1].lower()]
    printed = _with_rest(text, match[1], family, kind, read_number(match[2]), match[3])
    if not printed or printed.family not in _HOLDERS or not printed.rest:
        return printed
    below = _KEYWORD.match(printed.rest)
    inner = _keyword(printed.rest) if below and _WORDS[below[1].lower()][0] not in _HOLDERS else None
    if not inner:
        return printed
    above = text[: len(text) - len(printed.rest)].rstrip(" .,:;-–—\t")
    return Printed(inner.family, inner.kind, inner.number, inner.rest, doubtful=printed.doubtful, within=above, above=family)


def _ordinal(text: str) -> Printed | None:
    match = _ORDINAL.match(text)
    if not match:
        return None
    family, kind = _WORDS[match[2].lower()]
    printed = _with_rest(text, match[2], family, kind, read_number(match[1]), match[3])
    common = family in ("day", "night", "evening", "story", "tale", "letter", "section") and not match[2].isupper()
    return None if common else printed


def _with_rest(text: str, word: str, family: str, kind: UnitKind, number: int | None, after: str) -> Printed | None:
    """None where the words after the number are the middle of a sentence."""
    separator, rest = _SEPARATOR.match(after).groups()  # type: ignore[union-attr]  # matches nothing as well
    if word.islower() and rest:
        return None
    first = re.sub(r"^[\W_]+", "", rest)[:1]
    if first.islower() and not (separator and _OPENS_TITLE.match(rest.lstrip("_\"“‘'("))):
        return None
    if separator == "," and first and not first.isupper():
        return None
    sentence = bool(rest) and not separator and not text.isupper() and rest.rstrip().endswith((".", ",", ";", "?", "!", "”", '"'))
    return Printed(family, kind, number, rest, holds=family in _HOLDERS, doubtful=sentence or rest.endswith((",", ";")))


def _named(text: str) -> Printed | None:
    match = _NAMED.fullmatch(text)
    if not match or not match[1][:1].isupper() or len(text.split()) > 14:
        return None
    if match[2] and not is_title(match[2]) and not match[2][0].isdigit():
        return None
    return Printed("named", _NAMES[match[1].lower().replace("’", "'")], rest=match[2] or "")


def _number(text: str) -> Printed | None:
    match = _BARE.match(text) if len(text) <= _MOST_BARE else None
    number = read_number(match[1]) if match else None
    if not match or number is None:
        return None
    form = "arabic" if match[1].isdigit() else "roman" if re.fullmatch("[IVXLC]+|[ivxlc]+", match[1]) else "spelled"
    if not match[2].strip():
        return Printed(form, "chapter", number, bare=True)
    shouted = match[2].isupper() and (form == "arabic" or (form == "roman" and len(match[2].split()) > 1))
    separated = shouted or text[match.end(1)] in ".):]" or match[2].startswith(("  ", "\t", " -", " –", " —", "—", "–"))
    rest = match[2].strip(" \t-–—")
    if (
        not separated
        or form == "spelled"
        or (not match[2][0].isspace() and match[2][0] not in "-–—")
        or not (is_title(rest) or is_quoted_title(rest))
    ):
        return None
    return Printed(f"{form}+", "chapter", number, rest, bare=True)


def is_title(text: str) -> bool:
    """Whether the line is set as a title: capitals, or its telling words capitalised, and no end of a sentence.

    >>> [is_title(line) for line in ("A Scandal in Bohemia", "THE END OF IT.", "He left.", "DEAR SIR,—")]
    [True, True, False, False]
    """
    inner = text.strip("_*=~#[]() \t")
    words: list[str] = re.findall(r"[^\W_][\w’'.-]*", inner)
    if (
        not any(word[0].isalpha() for word in words)
        or len(words) > 24
        or inner[0] in "“\"‘'«—-"
        or inner.rstrip("—–-").endswith((",", ";"))
    ):
        return False
    if inner.endswith(("”", '"')) and not _QUOTED_IN_TITLE.search(inner):
        return False
    if inner.isupper():
        return True
    if inner.endswith((".", ":")) or (not inner[0].isupper() and not inner[0].isdigit()):
        return False
    telling = [word for word in words[1:] if word.lower() not in _SMALL]
    return 4 * sum(word[0].isupper() or word[0].isdigit() for word in telling) >= 3 * len(telling)


def is_quoted_title(text: str) -> bool:
    """Whether the line is a quotation that is set as a title, and no speech.

    >>> [is_quoted_title(line) for line in ("“Pieces of Eight”", "“Tiger! Tiger!”", "“He is here”", "“Yes, Mr. Brown.”")]
    [True, True, False, False]
    """
    inner = text.strip("_*=~#[]() \t")
    if len(inner) < 3 or (inner[0], inner[-1]) not in (("“", "”"), ("‘", "’"), ('"', '"')):
        return False
    return inner[-2] not in ".,;:—-" and is_title(inner[1:-1])
