"""Full stops that belong to a word: titles, numbered things, initials and acronyms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from chronotope.text.sentences.stops import Stop

__all__ = ["Words", "is_abbreviation", "is_number_or_pronoun", "words_of"]

_BEFORE_STOP = re.compile(r"[^\W_]+(?:\.[^\W_]+)*\Z")
_LONGEST = 16  # no abbreviation has more characters
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?(?!\.)")
_ENDS_NAMES = frozenset(("St", "Mt", "Ft", "Bros"))  # 10 Downing St. as well as St. Ives
_AMOUNT = re.compile(r"\d+[a-z]{1,2}")  # 2s. 6d.
_RANKED = re.compile(r"\b(?:the|der|die|das|dem) \d{1,2}\Z")  # in the 3. Bundesliga
_LIST = re.compile(r"\d{1,3}[.)]\s")
_NUMBER = re.compile(r"\d|[IVXLCDM]{2,}\b|[IVXLC](?=[.:)])")


@dataclass(frozen=True)
class Words:
    """What a language writes with a full stop, and how it starts a sentence.

    Args:
        names: stand before a name, with a capital.
        numbers: stand before a number.
        more: stand before anything at all.
        starters: words whose capital tells that a sentence starts.
        ordinals: whether `3.` means third.
    """

    names: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    more: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    ordinals: bool = False

    def __or__(self, other: Words) -> Words:
        return Words(
            self.names | other.names,
            self.numbers | other.numbers,
            self.more | other.more,
            self.starters | other.starters,
            self.ordinals or other.ordinals,
        )


def _words(*, names: str = "", numbers: str = "", more: str = "", starters: str = "", ordinals: bool = False) -> Words:
    names_, numbers_, more_, starters_ = (frozenset(told.split()) for told in (names, numbers, more, starters))
    return Words(names_, numbers_, more_, starters_, ordinals)


# Read in every text: English, and titles that no other word of a story is spelled like.
_COMMON = _words(
    names="""Mr Mrs Ms Mx Messrs Dr Drs Prof Rev Revd Hon Rt St Ste Mt Ft Capt Col Gen Maj Lt Lieut Sergt Sgt Corp Cpl Adm Cmdr
    Gov Sen Rep Pres Supt Insp Msgr Mgr Fr Br Bp Abp Wm Chas Geo Jas Thos Robt Benj Jno Mme Mmes Mlle Mlles MM Mons Hr Frl Sig
    Sra Srta Vve Bros""",
    numbers="""no nos vol vols ch chap chaps p pp fig figs sec sect ver vv bk pt fol lib pl op jan feb mar apr jun jul aug sept sep
    oct nov dec ca nr ft lb lbs oz cwt""",
    more="viz i.e e.g ie eg cf vs sc scil",
    starters="""I He She It We You They My His Her Its Our Your Their The This That These Those There Here Then Now Thus When While
    Where What Who Whom Whose Which Why How If In On At As For From With By Of To And But Or Nor Yet So Not No Yes After Before
    Though Although Because Since Until Once One Some Such All Every Each Both Never Nobody Nothing Everyone Everybody Oh Ah Well
    Is Was Are Were Do Did Does Have Has Had Can Could Will Would Shall Should Let""",
)
_LANGUAGES: Mapping[str, Words] = MappingProxyType(
    {
        "de": _words(
            names="Hrn Fr Hptm Graf",
            numbers="nr s bd kap abs",
            more="z.B d.h u.a bzw ca vgl sog z.T",
            starters="Er Sie Es Wir Ihr Ich Der Die Das Ein Eine Und Aber Da Dann So Als Wie Was Wer Wo Nun Doch Nein Ja In Im",
            ordinals=True,
        ),
        "fr": _words(
            names="Me Mgr Cie",
            numbers="t chap art",
            more="c.-à-d p.ex",
            starters="Il Elle Ils Elles On Je Nous Vous Ce Cela Un Une Et Mais Or Alors Puis Quand Comme Que Qui Non Oui Les Des",
        ),
        "es": _words(
            names="Sr Sres D Dña Da Ud Uds Vd Vds Dra",
            numbers="núm cap pág",
            more="p.ej",
            starters="El La Los Las Un Una Y Pero Ella Ellos Yo Nos No Sí Cuando Como Que En A Ya Entonces",
        ),
        "it": _words(
            names="Dott Prof Avv Ing On Sigg Mons",
            numbers="cap pag n",
            more="ecc",
            starters="Il Lo La I Gli Le Un Una Egli Ella Io E Ma Non Sì Quando Come Che In Allora",
        ),
        "pt": _words(
            names="Sr Srs Exmo D Dra",
            numbers="cap pág n",
            starters="O A Os As Um Uma Ele Ela Eu E Mas Não Sim Quando Como Que Em",
        ),
        "nl": _words(
            names="Dhr Mevr Mej Ds Jhr",
            numbers="nr blz hfst",
            more="bijv d.w.z enz",
            starters="Hij Zij Ze Het De Een Ik Wij En Maar Toen Dan Als Wat Wie Waar Nee Ja In",
        ),
    }
)


def words_of(language: str | None) -> Words:
    """The words of a language beside those that are read in every text."""
    return _COMMON | _LANGUAGES.get((language or "").lower().split("-")[0], Words())


def _starts_afresh(stop: Stop, words: Words) -> bool:
    """True when the next word takes a capital only where a sentence starts."""
    word = _WORD.match(stop.text, stop.next_at)
    return word is not None and word[0].replace("’", "'").split("'")[0] in words.starters


def is_number_or_pronoun(stop: Stop) -> bool:
    """True when the next word would begin the same way inside a sentence: a number that heads no list, or `I`."""
    word = _WORD.match(stop.text, stop.next_at)
    if word is not None:
        return word[0].replace("’", "'").split("'")[0] == "I"
    return stop.first.isdigit() and not _LIST.match(stop.text, stop.next_at)


def is_abbreviation(stop: Stop, words: Words) -> bool:
    """True when the full stop belongs to the word before it and the sentence runs on."""
    if stop.mark != "." or stop.closers or stop.dash:
        return False
    before = stop.text[max(stop.begin, stop.at - _LONGEST) : stop.at].removesuffix(" ")  # tokenised text: "the U.S . Senate"
    found = _BEFORE_STOP.search(before)
    word = found[0] if found else ""
    if word.isdecimal() and _RANKED.search(before):
        return not _starts_afresh(stop, words)
    if word[:1].isupper() and (word in words.names or word.capitalize() in words.names):
        return not (word in _ENDS_NAMES and _starts_afresh(stop, words))
    if word.lower() in words.more or (words.ordinals and word.isdecimal() and len(word) < 3):
        return True
    if (word.lower() in words.numbers or _AMOUNT.fullmatch(word)) and _NUMBER.match(stop.text, stop.next_at):
        return True
    return _is_initial(word) and not (_starts_afresh(stop, words) or (word == "I" and not _is_initial(_next_initial(stop))))


def _is_initial(word: str) -> bool:
    """`J`, `U.S`, `Ph.D`: a capital that stands for a word, alone or behind others."""
    last = word.rpartition(".")[2]
    return len(last) == 1 and last.isupper()


def _next_initial(stop: Stop) -> str:
    following = stop.text[stop.next_at : stop.next_at + 2]
    return following[0] if following[1:] == "." else ""
