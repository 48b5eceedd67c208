"""Titles without a number, and numbers without a word: what editions print, and what only looks like it."""

from __future__ import annotations

import pytest

from chronotope.text import read_structure
from support_layouts import printed

SOME = "¶\n\n¶\n\n¶\n\n¶"  # about 200 words
LONG = "\n\n".join([SOME] * 4)
SPOKEN = "“You are early,” said the miller.\n\n“And you are late,” said she.\n\n"
SIGN = "BEWARE OF THE DOG\n\nHe went in all the same, and nothing happened to him."
TALES = ("The Golden Bird", "Hans in Luck", "Old Sultan", "Briar Rose", "The Pink", "Cat-Skin")


def parts(*titles: str, above: str = "\n\n\n\n\n", text: str = SOME) -> str:
    return "".join(f"{above if place else ''}»{title}\n\n\n{text}" for place, title in enumerate(titles))


FOUND: dict[str, str] = {
    "a quotation is the title of a numbered chapter": parts(
        "X. THE FURTHER ADVENTURES", "XI. “SUMMER TEMPESTS CAME”", "XII. THE RETURN"
    )
    .replace("»X.", "»I.")
    .replace("»XI.", "»II.")
    .replace("»XII.", "»III."),
    "a quotation is printed below the number of a chapter": parts("1\n\nThe Cruise", "2\n\n“Pieces of Eight”", "3\n\nOn Parole"),
    "titles of a tale are a cry, a quotation and a sentence": parts(
        "The Shadow", "The Flight", "Come Away, Come Away!", "“Hook or Me”", "Matthew Cuthbert is surprised", "The Return Home"
    ),
    "one title reads like a counted night": parts("STORY OF THE DOOR", "DR. JEKYLL", "THE LAST NIGHT", "LANYON’S NARRATIVE"),
    "the same diary is kept in many chapters": parts(
        "JONATHAN HARKER’S JOURNAL", "JONATHAN HARKER’S JOURNAL—_continued_", "LETTERS, ETC.", "MINA MURRAY’S JOURNAL—_continued_"
    ),
    "titles are set close and signs in capitals stand between": "\n\n".join(
        f"»{title}\n\n{SOME}\n\n{SIGN}\n\n{SOME}" for title in TALES
    ),
    "speech follows each title": "\n\n".join(f"»{title}\n\n{SPOKEN}{SOME}" for title in TALES),
    "titles stand below parts and their own gaps are narrow": "\n\n\n\n".join(
        f"»PART {number}: The {name}\n\n\n{first}\n\n{LONG}\n\n»{second}\n\n{LONG}\n\n»{third}\n\n{LONG}"
        for number, name, first, second, third in (
            ("ONE", "Mill", "The Door", "The Sea-chest", "The Black Spot"),
            ("TWO", "River", "The Voyage", "The Attack", "The Ebb-tide"),
        )
    ),
    "essays in capitals stand before the first chapter": (
        f"MOBY-DICK\n\nby Herman Melville\n\n\n\n»ETYMOLOGY.\n\n{SOME}\n\n\n\n»EXTRACTS. (Supplied by a Sub-Librarian.)\n\n{SOME}"
        f"\n\nBEWARE OF THE DOG\n\n{SOME}\n\n\n\n»CHAPTER 1. Loomings.\n\n{SOME}\n\n\n\n»CHAPTER 2. The Carpet-Bag.\n\n{SOME}"
    ),
    "a note closes the book and another is only in a letter": (
        f"»CHAPTER I\n\n{SOME}\n\nNOTE\n\n¶\n\n»CHAPTER II\n\n{SOME}\n\n»NOTE\n\n{SOME}"
    ),
    "an epilogue has chapters with bare numbers": (
        f"»PART I\n\nCHAPTER I\n\n{SOME}\n\n»CHAPTER II\n\n{SOME}\n\n»EPILOGUE\n\nI\n\n{SOME}\n\n»II\n\n{SOME}"
    ),
    "bare numbers with dots lead to pages in the contents": (
        "CONTENTS\n\n I .............. 3\n II ............. 15\n III ............ 27\n\n\n\n"
        + parts("I", "II", "III", text=SPOKEN + SOME)
    ),
    "numbers stand in brackets or between dashes": parts("[ 1 ]", "[ 2 ]", "[ 3 ]"),
    "roman numbers stand between dashes": parts("— I —", "— II —", "— III —"),
    "a long title in capitals follows a number without a point": parts(
        "I HOW CANDIDE WAS BROUGHT UP", "II WHAT BECAME OF CANDIDE", "III HOW CANDIDE MADE HIS ESCAPE"
    ),
    "a word in capitals follows a number without a point": parts("1 MARSEILLES", "2 CONSPIRACY", "3 THE CATALANS"),
    "a title comes twice and the contents page lists it twice": (
        "Contents\n\n 1. Father and Son\n 2. Conspiracy\n 3. Father and Son\n\n\n\n"
        + parts("1. Father and Son", "2. Conspiracy", "3. Father and Son", text=SPOKEN + SOME)
    ),
    "a pronoun is alone on its line behind a contents page": (
        "Contents\n\n I\n II\n III\n\n\n\n"
        + parts("I", "II", "III", text=SPOKEN + "I\n\nam not going to tell them, she thought.\n\n" + SOME)
    ),
    "a few lines of verse stand in a text that is not wrapped": parts(
        "I", "II", "III", text=SOME.replace("¶", "The boat went out at break of day.") + "\n\nIt sailed,\nIt sank,\nIt slept.\n\n"
    ),
    "the contents page names titles and the chapters have numbers above them": (
        "CONTENTS\n\n I NO ONE LEFT\n II ACROSS THE MOOR\n III MARTHA\n\n\n\n"
        + parts("CHAPTER I\n\nNO ONE LEFT", "CHAPTER II\n\nACROSS THE MOOR", "CHAPTER III\n\nMARTHA", text=SPOKEN + SOME)
    ),
    "a song is called a chorus below a title": parts("HANS", "OLD SULTAN", "HANSEL\n\n\nCHORUS.", "BRIAR ROSE", "THE PINK"),
    "volumes without a title stand above tales": "\n\n".join(
        f"»{volume}\n\n{first}\n\n{LONG}\n\n»{second}\n\n{LONG}\n\n»{third}\n\n{LONG}"
        for volume, first, second, third in (("PART I", "The Door", "The Mill", "Ice"), ("PART II", "The Weir", "The Key", "Snow"))
    ),
    "a second narrative has chapters of its own": (
        f"»FIRST PERIOD\n\nCHAPTER I\n\n{SOME}\n\n»CHAPTER II\n\n{SOME}\n\n»SECOND NARRATIVE\n\nCHAPTER I\n\n{SOME}"
    ),
    "an author's name is the line above the first number": f"The Ferry\n\nby Somebody\n\n\n\n{parts('I', 'II', 'III')}",
    "couplets without numbers stand above Chinese chapters": "\n\n".join(
        f"»{title}\n\n" + "◎\n\n" * 3
        for title in ("宴桃園豪傑三結義 斬黃巾英雄首立功", "張翼德怒鞭督郵 何國舅謀誅宦豎", "議溫明董卓叱丁原 餽金珠李肅說呂布")
    ),
    "a couplet is joined to its number behind an unfinished line": "".join(
        f"»第{number}回{title}\n◎\n他只說\n"
        for number, title in (
            ("一", "宴桃園豪傑三結義；斬黃巾英雄首立功"),
            ("二", "張翼德怒鞭督郵；何國舅謀誅宦豎"),
            ("三", "議溫明董卓叱丁原；餽金珠李肅說呂布"),
        )
    ),
    "Chinese numbers stand alone": "\n\n".join(f"»{number}\n\n" + "◎\n\n" * 3 for number in "一二三四"),
    "Chinese numbers have titles behind a mark": "\n".join(
        f"»{title}\n" + "◎\n" * 3 for title in ("一、渡口", "二、磨坊", "三、大雪")
    ),
    "Chinese tales have short titles in brackets": "\n\n".join(
        f"»〈{title}〉\n\n" + "◎\n\n" * 3 for title in ("考城隍", "耳中人", "畫壁", "種梨", "勞山道士")
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_units_start_at_headings_although(name: str) -> None:
    text, starts = printed(FOUND[name])
    assert [text[unit.start : unit.start + 24] for unit in read_structure(text).units] == [text[at : at + 24] for at in starts]


NONE: dict[str, str] = {
    "a chapter counts books and chapters of its own": (
        f"»CHAPTER 1. Loomings.\n\n{SOME}\n\n»CHAPTER 2. Cetology.\n\n¶\n\nBOOK I. (_Folio_), CHAPTER I. (_Sperm Whale_).—This"
        f" whale, among the\nEnglish of old known as the Trumpa whale.\n\n¶\n\nBOOK II. (_Octavo_).\n\nOCTAVOES. ¶\n\n"
        f"BOOK III. (_Duodecimo_.)\n\nDUODECIMOES. These are the least. ¶\n\n»CHAPTER 3. The Specksnyder.\n\n{SOME}"
    ),
    "a pronoun is alone in each part": "\n\n".join(f"»PART {number}\n\n{LONG}\n\nI\n\n¶" for number in ("I", "II", "III")),
    "signs hang in the books of a poem": "\n\n\n".join(
        f"»BOOK {number}\n\n{LONG}\n\n{SIGN}\n\n{LONG}" for number in ("I", "II", "III")
    ),
    "each book of a poem has an argument and a letter is in one": "\n\n\n".join(
        f"»BOOK {number}.\n\nARGUMENT.\n\n{LONG}\n\nDEAR SIR,—\n\n{LONG}" for number in ("I", "II", "III", "IV")
    ),
    "speakers are named between long speeches": "\n\n".join(f"{name}\n\n¶" for name in ("HAMLET", "HORATIO") * 20).replace(
        "HAMLET", "»HAMLET", 1
    ),
    "rules are numbered in Chinese": "»第一回 渡口\n\n◎\n\n一、不可飲酒。\n\n二、不可賭錢。\n\n◎\n\n»第二回 磨坊\n\n◎",
    "a Chinese list has short entries": "»◎\n\n一、酒\n\n二、米\n\n三、鹽\n\n◎",
}


@pytest.mark.parametrize("name", NONE)
def test_no_other_unit_starts_when(name: str) -> None:
    text, starts = printed(NONE[name])
    assert [text[unit.start :][:24].strip() for unit in read_structure(text).units] == [text[at:][:24].strip() for at in starts]
