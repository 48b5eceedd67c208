"""Sentences of stories: where they end in dialogue, verse, plays and Chinese, and that nothing is lost or takes quadratic time.

In the tables a `|` stands where one sentence ends and the next starts; every border was set by hand.
"""

from __future__ import annotations

import inspect
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.text import sentence_spans
from support_text import ANY_TEXT, BLANK, HUGE, assert_near_linear, assert_partition

QUOTATIONS = [
    # a tag stays with its quotation
    "“Where?” asked Tom. |He ran.",
    "\"Good morning?\" Harry asked. |Mr. J. R. Lee paused . . . then spoke. |'Is it so?' she said. |« Et toi ? » dit-il. "
    '|"Dead." |"Who?"',
    '"Good morning?" Harry asked. |Nobody answered.',
    "'Is it so?' she said. |'It is.'",
    "« Et toi ? » dit-il. |« Moi aussi. » |Il partit.",
    "„Wohin?“ fragte er. |„Nach Hause. |Komm.“ |Er ging.",
    "»Wohin?« fragte er. |»Nach Hause.« |Er ging.",
    "“Is he ill?” Mr. Woodhouse asked anxiously. |“No, sir.”",
    '"What?" I cried. |"You here?"',
    '"Whose is it?" Yü-ts\'un eagerly inquired. |"Is it Pao-yü\'s?" Chia Cheng asked, laughingly.',
    '"Quite so!" Pao Ch\'ai remarked smilingly; "but how? |Tell me!"',
    "“Go!” Mary Ann shouted. |“Now!”",
    "“And then?” Sir William gently inquired. |She laughed.",
    # what follows a quotation is a sentence of its own where no one is said to speak
    "“Go!” |Tom went.",
    "“Why did he stop?” |The horse had fallen.",
    "“I know.” |Tom said nothing.",
    "“Who?” |He said it twice.",
    "“Come back!” |(Nobody heard her.) |She wept.",
    # sentences end inside a quotation
    "“I am old. |I am poor! |Am I not? |Look at me. |Here is my hand. |It shakes.” |He sat down.",
    "“No,” said he. |“I will not go. |You must.”",
    "“What!” said he, “are you mad? |Go home.”",
    "He said: “Run. |Hide.” |They did.",
    "“I am here,” he said; “you see. |Where are you?”",
    "“Come in!”|He came.",  # a lost space
    # speakers
    '"Dead." |"Who?"',
    "“But—” |“No!” he said.",
    '"You never--" |"I did."',
    "“Dead.” |“Who?” |“My uncle.”",
    "'Gone!' |'Gone?' |'Yes.'",
    "‘Gone!’ |‘Where?’ asked Ann.",
    # quotations in quotations
    "“He said, ‘Go!’ and went. |Then he cried, ‘Stay! |Do not go!’”",
    "‘“Go!” he said. |“Run.” |Then he died,’ said Tom.",
    "“‘Why that?’ I asks. |‘Why not?’ says he.”",
    # each paragraph of a long speech opens, only the last closes
    "“It was late. |We went home.\n\n|“It was early. |We went out.”\n\n|Nobody spoke.",
    # apostrophes
    "'Tis the boys' own. |'Twas mine. |The dogs' tails wagged.",
    "He'd gone to the Smiths'. |They'd left.",
    # brackets
    "(He was late.) |She waited (an hour, at least!) and left.",
    "She called (why?) Tom back. |He came.",
    "[He was a fool.] |I was not.",
]
WORDS = [
    "Mr. and Mrs. J. R. Lee met Dr. Wu in St. Ives. |They ate.",
    "Robert Martin, Esq., wrote. |The Hon. Rev. Capt. Brown replied to Messrs. Dodson.",
    "He lives in the U.S. |My aunt does too.",
    "He knocked at 10 Downing St. |He waited at St. Ives.",
    "“OK. |He left.”",
    "(1) Boil it. |(2) Cool it.",
    "The U.S. Army came. |It left.",
    "M. de Rênal rose. |M. Noirtier blinked. |Mme. Danglars left.",
    "See No. 7. |No. |I will not.",
    "It is in vol. ii. of the work, ch. 3, p. 40. |Read Vol. II. |Then rest.",
    "He came at 3 p.m. on Sunday. |He left at 5 p.m. |The sun set.",
    "They sold cups, plates, etc. |Nobody bought them, viz. the poor.",
    "It cost 3.14 pounds. |It rose by .5 a year.",
    "It cost 2s. 6d. |He paid.",
    "It was I. |Tom knows it. |Plan B. |It failed.",
    "Born Jan. 5, 1820. |Died Dec. 7, 1880.",
    "In 1805. |Napoleon won.",
    "MR. DARCY bowed. |She did not.",
    "1) Wash the cup. |2) Dry it.",
    "1) wash ... |2) dry ...",
    "1. Wash the cup. |2. Dry it.",
]
PAUSES = [
    "Mr. Lee paused . . . then spoke. |He sat.",
    "He paused. . . . |Then he spoke.",
    "He paused… |Then he left.",
    "He paused... |Then he left.",
    "Well… I think so… perhaps. |Yes.",
    "“I…” |She stopped. |“I cannot.”",
    "Dorian! ... |Did you get my letter?",
    "“Oh!—he is gone,” she said. |Nobody moved.",
    "“Never!—She shall not have it.” |He rose.",
    "Stop!--Thief! |They ran.",
    "“What?—Are you mad?” |He was.",
    "He was handsome.—|She was not.",
    "“I wish her no evil.”—|She sighed.",
    "Oh! how lovely. |Ah! said he.",
    "What!! |Who?! |Where??",
    "He left.. |Then?? |....What",
]
PAGES = [
    # verse: a line is no sentence
    "Tyger Tyger, burning bright\n  In the forests of the night,\nWhat immortal hand or eye\n"
    "Could frame thy fearful symmetry?\n|In what distant deeps or skies\nBurnt the fire of thine eyes?",
    "The lowing herd wind slowly o'er the lea,\n  The ploughman plods.\n|Now fades the landscape.\n\n|Save that,",
    "  O where are you going? stay and hear;\n    Who is that?\n  |“I am he!\n  |Follow me,” he said,\n  “and see.”",
    # plays: a speaker's name stays with the speech
    "HAMLET. To be, or not to be. |That is it.\n|OPHELIA. Good my lord!\n|[_Exit_]\n|HAMLET. Go.",
    "FIRST WITCH. When shall we three meet again?\n|SECOND WITCH.\nWhen the hurly-burly's done.",
    "HAMLET. (Aside.) A little more than kin. |And less.",
    "OPHELIA. [_Aside._] My lord? |Speak.\n|[_Exit Hamlet._]\n|KING. Ho!",
    "ACT I. SCENE II. A room in the castle.\n\n|Enter the King.",
    # tokenised text, with blanks before stops
    "He moved from the 3 . Bundesliga to the U.S . Senate . |He left in May .",
    "Newton D . Baker met Dr . Watson . |They left . |It is called vitamin C . |It helps .",
    "He was born on the 3. |He left. |She played in the 3. Liga. |She came with 5 . |Then she went .",
    # headings
    "CHAPTER I. Down the Rabbit-Hole\n\n|Alice was tired. |She slept.",
    "Chapter 2.\n\n|It rained.\n\n|* * *\n\n|It stopped.",
    "  Indented. \t \t|Next\r\n   line. \x0c|Last.  \n",
]
CHINESE = [
    "第四句。|第五句！|第六句？|完。",
    "“…？”她问道。",
    "“你去哪儿？”她问道。|他走了。",
    "“走吧！”她说。|他没有动。",
    "“走吧。”他低声说，“快点。”|天黑了。",
    "「行こう。」と彼は言った。|彼は去った。",
    "『好。』|「他呢？」|「走了。」",
    "寶玉道：“好妹妹，你坐。|我去去就來。”|黛玉笑道：“你去罷．”",
    "此開卷第一回也．|作者自云：因曾歷過．",
    '眾人問：“如何可惜？"|寶玉笑道：“罷了．”',
    '連叫"救我！"|那道士歎道：“難．”',
    '他进来了。|"去！"她叫，"快！"|他走了。',
    '他听了這話！|便道："好。"|說罷去了。',
    "“何事？”|他不知道。",
    "“我……我不知道。”",
    "她等了很久……|天黑了。",
    "价钱是３．５元。|他给了。",
    "他看了《谁？》这本书。|他笑了。",
    "（他走了。）|她留下。",
    "王先生说：“Hello. |Come in!”|He came. |她也来了。",
    "Two  spaces.  |And 第六句。|Then he left.",
    "走吧!|她说。|你呢?|我不去。",
    "　　第一段。\n　　|第二段",
]


def sentences(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, language=language)]


@pytest.mark.parametrize("case", [*QUOTATIONS, *WORDS, *PAUSES, *PAGES, *CHINESE])
def test_sentences_end_where_a_reader_ends_them(case: str) -> None:
    assert sentences(case.replace("|", "")) == case.split("|")


@pytest.mark.parametrize(
    ("language", "case"),
    [
        ("de", "Am 3. Mai kam Hr. Lee. |Er blieb z.B. eine Woche. |Dann ging er."),
        ("fr", "Me Dupont vit Mgr. Myriel. |Il partit."),
        ("es", "¿Dónde está D. Quijote? |¡Aquí! |Él llegó. |«¿Y Ud. Sancho?» dijo."),
        ("it", "Il Sig. Rossi vide il Dott. Bianchi. |Egli partì."),
        ("pt", "O Sr. Silva viu a Sra. Costa. |Ela saiu."),
        ("nl", "Dhr. Jansen kwam. |Hij bleef."),
        ("en-GB", "Mr. Lee left. |He ran."),
        ("xx", "Mr. Lee left. |He ran."),
    ],
)
def test_a_language_adds_its_abbreviations(language: str, case: str) -> None:
    assert sentences(case.replace("|", ""), language) == case.split("|")


def test_no_language_has_to_be_named_for_chinese() -> None:
    assert inspect.signature(sentence_spans).parameters["language"].default is None
    assert sentences("他走了。她也走了。") == sentences("他走了。她也走了。", "en") == sentences("他走了。她也走了。", "zh")


def test_titles_and_initials_end_no_sentence_and_full_width_stops_do() -> None:
    assert sentences("Mr. J. R. Lee paused. Dr. Wu left.") == ["Mr. J. R. Lee paused. ", "Dr. Wu left."]
    assert sentences("第四句。第五句。") == ["第四句。", "第五句。"]


@given(ANY_TEXT)
@settings(max_examples=150, deadline=None)
def test_sentences_partition_any_text(text: str) -> None:
    assert_partition(text, sentence_spans(text))


@given(st.text("aA1.!?…。．“”\"'‘’「」«» —-()[]\n\u3000字道", max_size=60), st.sampled_from([None, "de", "fr", "zh"]))
@settings(max_examples=500, deadline=None)
def test_no_order_of_stops_and_quotation_marks_loses_a_sign_or_leaves_a_blank_sentence(text: str, language: str | None) -> None:
    spans = sentence_spans(text, language=language)
    assert_partition(text, spans)
    assert len(spans) <= 1 or all(text[start:end].strip() for start, end in spans)


@given(ANY_TEXT)
@settings(max_examples=80, deadline=None)
def test_every_sentence_but_the_first_starts_with_its_first_letter(text: str) -> None:
    spans = sentence_spans(text)
    assert not any(text[start].isspace() for start, _ in spans[1:])
    assert len(spans) <= 1 or all(text[start:end].strip() for start, end in spans)


@given(st.lists(st.sampled_from([*QUOTATIONS, *WORDS, *PAUSES, *CHINESE]), min_size=2, max_size=5))
@settings(max_examples=60, deadline=None)
def test_paragraphs_do_not_change_each_other(cases: list[str]) -> None:
    parts = [case.replace("|", "").rstrip() for case in cases]
    expected = [sentence.strip() for case in cases for sentence in case.split("|")]
    assert [sentence.strip() for sentence in sentences("\n\n".join(parts))] == expected


def test_the_sentences_of_a_long_text_are_those_of_its_parts() -> None:
    unit = "Dr. Lee left at 3 p.m. on Sunday. He ran. “Why?” she asked. 第四句。第五句。\n\n"
    alone = [piece.strip() for piece in sentences(unit)]
    assert [piece.strip() for piece in sentences(unit * 400)] == alone * 400


@pytest.mark.parametrize("blank", BLANK)
def test_blank_texts_are_kept_whole(blank: str) -> None:
    assert_partition(blank, sentence_spans(blank))


ENDLESS = {
    **HUGE,
    "no stop": "word and then " * 100_000,
    "one quotation that never closes": "“" + "He ran. Who? " * 10_000,
    "straight marks and Chinese stops": '"。' * 10_000,
    "stops and spaces": ". " * 100_000,
    "stops and brackets": "(?) " * 10_000,
    "closed ellipses": "字…” " * 10_000,
    "titles": "Mr. " * 10_000,
    "initials": "A. " * 10_000,
    "spaces after a stop": "A. " + " " * 500_000 + "B",
    "indented line breaks": "\n   " * 100_000,
    "names behind quotations": "“Go?” Ann Bell Carr Dodd " * 5_000,
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_huge_texts_are_cut_in_near_linear_time(text: str) -> None:
    assert_near_linear(sentence_spans, text)


@pytest.mark.parametrize("text", [*ENDLESS.values(), "字" * 20_000, "\n" * 1_000_000], ids=[*ENDLESS.keys(), "Chinese", "breaks"])
def test_no_sentence_is_longer_than_the_cap(text: str) -> None:
    assert max(end - start for start, end in sentence_spans(text)) <= 4_000


@pytest.mark.parametrize(
    "text", ["word " * 1_000_000, "“" + "word and then " * 350_000, '"' * 1_000_000], ids=["words", "quote", "marks"]
)
def test_five_megabytes_without_a_stop_need_little_more_memory_than_the_text(text: str) -> None:
    tracemalloc.start()
    try:
        assert_partition(text[:0], sentence_spans(text[:0]))
        spans = sentence_spans(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert spans[-1][1] == len(text)
    assert peak < 4 * len(text) + 1_000_000
