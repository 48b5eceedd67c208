"""Segmentation by rules: laws over any text, and what each sign and length does."""

from __future__ import annotations

import pickle
import time
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.litseg import Candidate, RuleSettings, SegmentPlan, candidates, plan_by_rules
from chronotope.litseg.rules.blocks import size
from chronotope.records import Document
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, play
from chronotope.text import Unit

SHORT = RuleSettings(length=60, longest=150)
PIECES = [
    "Emma smiled. ",
    "“Is it you?” ",
    "The next morning it rained. ",
    "He left for London and never wrote. ",
    "次日，黛玉來了。",
    "寶玉道：“好。” ",
    "A" * 90 + ". ",
    "\n\n",
    "\n",
    " ",
    "* * *\n\n",
    "“",
    "\u2028",
    "É",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=60).map("".join)


def planned(candidate: Candidate, rules: RuleSettings = SHORT) -> SegmentPlan:
    return Runner().run(plan_by_rules(candidate, settings=rules))


def segments(text: str, rules: RuleSettings) -> list[str]:
    """The texts of the segments of one unit, without headings."""
    (candidate,) = candidates(Document(text, id="a"), max_words=10**9)
    plan = planned(candidate, rules)
    return [part.strip() for part in plan.render([candidate.sentence(i) for i in range(1, len(candidate) + 1)])]


def marked(*scenes: list[str]) -> Candidate:
    """Scenes of one-sentence paragraphs with a printed divider between them, as `read_structure` tells of it."""
    text, sentences, marks = "", [], []
    for number, scene in enumerate(scenes):
        for place, paragraph in enumerate((["* * *"] if number else []) + scene):
            if number and place == 1:
                marks.append(len(text))
            sentences.append((len(text), len(text) + len(paragraph) + 2))
            text += paragraph + "\n\n"
    return Candidate(text, "a", Unit(start=0, end=len(text), marks=tuple(marks)), 1, tuple(sentences))


@given(TEXTS)
@settings(deadline=None)
def test_every_sentence_is_in_exactly_one_segment_in_order(text: str) -> None:
    for candidate in candidates(Document(text, id="a")):
        plan = planned(candidate)
        assert [i for part in plan.segments for i in range(part.from_idx, part.to_idx + 1)] == list(range(1, len(candidate) + 1))
        assert plan.repaired(len(candidate)) == (plan, ())


@given(TEXTS)
@settings(deadline=None)
def test_a_segment_is_longer_than_the_cap_only_when_it_is_one_sentence(text: str) -> None:
    for candidate in candidates(Document(text, id="a")):
        for part in planned(candidate).segments:
            sentences = [candidate.sentence(i) for i in range(part.from_idx, part.to_idx + 1)]
            assert len(sentences) == 1 or size("".join(sentences)) <= SHORT.longest


@given(TEXTS)
@settings(deadline=None, max_examples=30)
def test_the_same_text_gives_the_same_plan(text: str) -> None:
    for candidate in candidates(Document(text, id="a")):
        assert planned(candidate) == planned(pickle.loads(pickle.dumps(candidate)), pickle.loads(pickle.dumps(SHORT)))


@given(
    st.lists(
        st.lists(st.sampled_from(["Emma came.", "Who is it?", "“I.”", "He wept."]), min_size=1, max_size=9), min_size=1, max_size=6
    )
)
@settings(deadline=None)
def test_a_printed_divider_is_always_a_border(scenes: list[list[str]]) -> None:
    candidate = marked(*scenes)
    plan = planned(candidate, RuleSettings())
    firsts = {candidate.sentences[part.from_idx - 1][0]: part for part in plan.segments}
    for mark in candidate.unit.marks:
        assert "scene_divider" in firsts[mark].turning_points


def test_a_divider_with_nothing_to_read_before_it_leaves_no_empty_segment() -> None:
    text = "* * *\n\nEmma came.\n\n* * *\n\n* * *\n\nShe left."
    spans, place = [], 0
    for paragraph in text.split("\n\n"):
        spans.append((place, min(place + len(paragraph) + 2, len(text))))
        place += len(paragraph) + 2
    candidate = Candidate(text, "a", Unit(start=0, end=len(text), marks=(spans[1][0], spans[3][0], spans[4][0])), 1, tuple(spans))
    assert [(part.from_idx, part.to_idx) for part in planned(candidate, RuleSettings()).segments] == [(1, 4), (5, 5)]


def test_a_heading_is_never_cut_from_its_chapter() -> None:
    body = "\n\n".join(f"Paragraph {n} tells of the sea and of its moods at some length." for n in range(12))
    text = "CHAPTER I\n\n" + body
    (candidate,) = candidates(Document(text, id="a"), headings=[0])
    rules = RuleSettings(length=80, longest=160)
    assert all("Paragraph" in candidate.text[slice(*_span(candidate, part))] for part in planned(candidate, rules).segments)


def _span(candidate: Candidate, part: object) -> tuple[int, int]:
    return candidate.sentences[part.from_idx - 1][0], candidate.sentences[part.to_idx - 1][1]


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        ("The next morning Anna walked along the harbour wall.", "time_shift"),
        ("A few days later Anna walked along the harbour wall.", "time_shift"),
        ("Meanwhile Anna walked along the harbour wall.", "time_shift"),
        ("On reaching Lisbon, Anna walked along the harbour wall.", "place_shift"),
        ("Let us return to Anna, who walked along the harbour wall.", "thread_shift"),
        ("次日安娜沿著港口的牆走了一回，看見許多船。", "time_shift"),
        ("卻說安娜沿著港口的牆走了一回，看見許多船。", "thread_shift"),
    ],
)
def test_a_shift_draws_the_border_to_itself(opening: str, kind: str) -> None:
    other = (
        "Anna kept walking along the harbour wall, by the boats." if opening.isascii() else "安娜仍沿著港口的牆走，看見許多船和人。"
    )
    paragraphs = [other] * 20
    paragraphs[11] = opening
    (candidate,) = candidates(Document("\n\n".join(paragraphs), id="a"))
    per_half = size(other) * 10
    plan = planned(candidate, RuleSettings(length=per_half, longest=4 * per_half))
    place = next(i for i in range(1, len(candidate) + 1) if candidate.sentence(i).startswith(opening[:6]))
    assert {part.from_idx: part.turning_points for part in plan.segments}[place][0] == kind


def test_an_exchange_of_speeches_is_not_cut_while_narration_can_be() -> None:
    narration = "The road went down to the river and along it for a mile."
    speech = "“I never said so, and I never shall say so to anyone.”"
    found = segments("\n\n".join([narration] * 4 + [speech] * 8 + [narration] * 4), RuleSettings(length=440, longest=2_000))
    assert any(part.count(speech) == 8 for part in found)
    assert len(found) > 1


def test_a_question_stays_with_its_answer() -> None:
    plain = "The wind came up from the harbour and went over the roofs of the town."
    question, answer = (
        "But who had opened the gate of the yard in the night, and why was it done?",
        "Nobody would own to it, then or later.",
    )
    for ahead in range(3, 9):
        found = segments("\n\n".join([plain] * ahead + [question, answer] + [plain] * 6), RuleSettings(length=300, longest=900))
        assert len(found) > 1
        assert any(question in part and answer in part for part in found)


def test_verse_and_letters_stay_whole() -> None:
    prose = "The schoolmaster read it out to the whole of the upper class before noon, and nobody laughed."
    verse = ["The sea is wide,\nThe sea is grey,", "I went aside\nTo let it stay,", "And far away\nThe gulls replied."]
    found = segments("\n\n".join([prose] * 3 + verse + [prose] * 3), RuleSettings(length=250, longest=900))
    assert any(all(stanza in part for stanza in verse) for part in found)
    letter = ["My dear Anna,", "We have had rain for a week now, and the river is over the lower road.", "Yours ever, Ines"]
    found = segments("\n\n".join([prose] * 3 + letter + [prose] * 3), RuleSettings(length=250, longest=900))
    assert any(all(line in part for line in letter) for part in found)


def test_other_people_and_another_topic_draw_the_border() -> None:
    sea = "Then Anna mended the nets while Ines counted herrings in the barrels."
    court = "Then Lord Avery dismissed the witness while Judge Crewe signed the warrants."
    (candidate,) = candidates(Document("\n\n".join([sea] * 9 + [court] * 11), id="a"))
    plan = planned(candidate, RuleSettings(length=700, longest=2_000))
    assert [part.from_idx for part in plan.segments] == [1, 10]
    assert set(plan.segments[1].turning_points) == {"character_shift", "topic_shift"}


def test_vectors_find_another_topic_where_the_words_do() -> None:
    sea = [
        f"The nets, the herrings, the barrels, and {word} by the harbour wall."
        for word in ["tar", "rope", "salt", "foam", "ice", "mast", "gulls", "oars", "sails"]
    ]
    court = [
        f"The witness, the judge, the warrants, and {word} of the high court."
        for word in ["oaths", "ink", "gowns", "seals", "fees", "deeds", "wigs", "pleas", "rolls"]
    ]
    (candidate,) = candidates(Document("\n\n".join(sea + court), id="a"))
    rules = RuleSettings(length=600, longest=2_000, cohesion="embedding")
    played = play(plan_by_rules(candidate, settings=rules), embedder=HashEmbedder(64))
    assert [part.from_idx for part in played.result.segments] == [1, 10]
    assert played.result.segments[1].turning_points == ("topic_shift",)
    assert played.spent.embedded == 18  # each paragraph once


def test_words_ask_no_model() -> None:
    (candidate,) = candidates(Document("Emma came.\n\nShe left.", id="a"))
    with pytest.raises(StopIteration):
        next(plan_by_rules(candidate))


def test_the_reference_length_moves_the_mean_length() -> None:
    text = "\n\n".join(
        f"Day {n} went by with little wind, and the crew of the ship spoke of home and of number {n * 7}." for n in range(300)
    )
    means = [mean(map(len, segments(text, RuleSettings(length=length, longest=3 * length)))) for length in (400, 800, 1_600)]
    for length, found in zip((400, 800, 1_600), means, strict=True):
        assert 0.6 * length <= found <= 1.6 * length


def test_a_paragraph_is_cut_inside_only_when_it_exceeds_the_cap() -> None:
    sentence = "The rain fell on the roof of the long barn all day. "
    within, beyond = sentence * 7, sentence * 40
    rules = RuleSettings(length=200, longest=400)
    assert segments(within.strip(), rules) == [within.strip()]
    assert all(len(part) <= 400 for part in segments(beyond.strip(), rules))
    assert "".join(segments(beyond.strip(), rules)).count("roof") == 40


def test_g19_a_short_piece_beside_a_long_one_is_kept() -> None:
    short = " ".join(["twenty words make a short first sentence here"] * 3)[:100].rstrip() + ". "
    long = "and then " * 333 + "it ended."
    found = segments(short + long, RuleSettings(length=1_000, longest=2_000))
    assert "".join("".join(found).split()) == "".join((short + long).split())


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "a" * n,
        lambda n: "and so it went on " * (n // 18),
        lambda n: "\n" * n,
        lambda n: "a\n" * (n // 2),
        lambda n: "a.\n\n" * (n // 4),
        lambda n: "a" + " " * n + "?",
        lambda n: "“" * n,
    ],
    ids=["one letter", "one sentence", "blank lines", "lines", "tiny paragraphs", "spaces", "quotes"],
)
def test_g22_hostile_texts_cost_linear_time_and_keep_the_cap(make: object) -> None:
    def cost(n: int) -> float:
        start = time.process_time()
        for candidate in candidates(Document(make(n), id="a"), max_words=10**9):
            for part in planned(candidate, RuleSettings()).segments:
                first, last = _span(candidate, part)
                assert part.from_idx == part.to_idx or size(candidate.text[first:last]) <= RuleSettings().most
        return time.process_time() - start

    cost(1_000)
    assert cost(100_000) < 40 * max(cost(10_000), 0.02)


@pytest.mark.parametrize(("name", "value"), [("length", 0), ("longest", 10), ("cohesion", "neural")])
def test_settings_that_cannot_be_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        RuleSettings(**{name: value})


@pytest.mark.parametrize(("length", "most"), [(300, 4_000), (1_800, 4_000), (5_000, 10_000)])
def test_the_length_alone_is_enough(length: int, most: int) -> None:
    assert RuleSettings(length=length).most == most
    assert RuleSettings(length=length, longest=length).most == length


@pytest.mark.parametrize(("name", "value"), [("length", "5"), ("length", None), ("longest", 2_500.5), ("longest", True)])
def test_a_length_that_is_no_whole_number_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a whole number of characters, not {value!r}"):
        RuleSettings(**{name: value})
