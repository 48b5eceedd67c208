"""Retrieval from a story: scope, slice, paths before neighbours before words, and nothing that a reader may not know."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chronotope.records import Passage
from chronotope.shelves.shelf import Shelf
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.index.chapter_titles import title_facts
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.passage_map import PassageMap, chapter_of
from chronotope.slices.retrieve.retrieval_settings import SliceSettings, SliceWeights
from chronotope.slices.retrieve.retrieve import retrieve_slice
from chronotope.slices.scope import StoryScope
from chronotope.steps import Runner
from chronotope.temporal.interval import Interval
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat, play
from support_story_index import built, passages
from support_story_questions import ONTOLOGY


def ask(index: StoryIndex, question: str, **options):
    return play(retrieve_slice(index, question, **options)).result


def statements(retrieval) -> list[str]:
    return [one.fact.statement for one in retrieval.trace]


def test_the_example_of_the_paper_finds_its_fact_first() -> None:
    """Figure 6."""
    retrieval = ask(built(), "Who served Wang Xifeng in the Garden before the investigation?")
    assert statements(retrieval)[0] == "Ping'er — serves — Wang Xifeng"
    first = retrieval.trace[0]
    assert (first.role, first.distance, first.in_scope) == ("neighbour", 0, True)
    assert {fact.statement for fact in retrieval.slice.facts} == {
        "Ping'er — serves — Wang Xifeng",
        "the Bower — inside — the Garden",
    }
    assert retrieval.passages[0].passage.id == passages("house")[0].id
    assert retrieval.passages[0].in_scope


def test_paths_between_the_entities_come_first_whole_and_in_order() -> None:
    retrieval = ask(built(), "How is Ping'er connected with Tom Rask?")
    paths = [one for one in retrieval.trace if one.role == "path"]
    assert [one.fact.statement for one in paths] == ["Ping'er — serves — Wang Xifeng", "Wang Xifeng — meets — Tom Rask"]
    assert [one.role for one in retrieval.trace][: len(paths)] == ["path"] * len(paths)
    roles = [one.role for one in retrieval.trace]
    assert roles == sorted(roles, key=["path", "neighbour", "words"].index)
    assert len({one.fact.id for one in retrieval.trace}) == len(retrieval.trace)


def test_a_cut_keeps_only_the_slice_and_a_boost_raises_it() -> None:
    question = "Whom did Wang Xifeng meet in chapter 2?"
    cut = ask(built(), question, settings=SliceSettings(scope="cut"))
    inside = {fact.id for fact in cut.slice.facts}
    assert {one.fact.id for one in cut.trace} == inside
    assert {hit.passage.metadata["chapter"] for hit in cut.passages} == {2}
    boost = ask(built(), question)
    assert boost.trace[0].in_scope
    assert "Wang Xifeng — meets — Ann Lee" in statements(boost)[:2]
    assert {one.fact.id for one in boost.trace} > inside
    assert all(one.in_scope == (one.fact.id in inside) for one in boost.trace)


def test_two_chapters_bring_both_and_nothing_between() -> None:
    """Field report G7."""
    retrieval = ask(built(), "Who met in chapter 2 or chapter 4?", settings=SliceSettings(scope="cut"))
    assert {hit.passage.metadata["chapter"] for hit in retrieval.passages} == {2, 4}


def test_what_relaxing_each_constraint_would_bring_is_told_where_nothing_is_left() -> None:
    retrieval = ask(built(), "Who served Wang Xifeng at the mill before the investigation?")
    (issue,) = [one for one in retrieval.issues if one.kind == "empty_slice"]
    by_name = {one.name: one.without for one in retrieval.slice.trace}
    assert {fact.relation for fact in retrieval.slice.facts} == {"inside"}  # so at all times, wherever
    assert "without place (" in issue.message
    assert f": {by_name['place']}" in issue.message
    assert f": {by_name['story_time']}" in issue.message
    assert retrieval.trace  # nothing is silently dropped: what lies outside is still found, and marked
    assert [one.fact.relation for one in retrieval.trace if one.in_scope] == ["inside"]


def test_what_cannot_be_placed_is_an_issue_and_not_a_cut() -> None:
    retrieval = ask(built(), "Who served Wang Xifeng before the earthquake?")
    assert [issue.kind for issue in retrieval.issues] == ["unresolved_time"]
    assert statements(retrieval)[0] == "Ping'er — serves — Wang Xifeng"
    assert len(retrieval.slice.rows) == len(built())


class Seen(HashEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts, *, kind="passage"):
        self.texts += texts
        return super().embed(texts, kind=kind)


LATER = ("Tom", "Crane", "mill", "seal", "Widow", "fire", "married", "snow", "died", "town")


@pytest.mark.parametrize("question", ["Whom did Wang Xifeng meet?", "Who met Tom Rask at the mill?", "Who was wed after the fire?"])
@pytest.mark.parametrize("options", [{}, {"settings": SliceSettings(scope="cut")}, {"settings": SliceSettings(rerank=3)}])
def test_nothing_that_is_told_later_appears_to_a_reader(question, options) -> None:
    index, embedder = built(), Seen()
    runner = Runner(embedder=embedder, reranker=OverlapReranker())
    retrieval = runner.run(retrieve_slice(index, question, reader_at=2, **options))
    assert retrieval.reader_at == 2
    assert embedder.texts == [retrieval.scope.core]
    shown = [hit.passage.text for hit in (*retrieval.hits, *retrieval.passages)]
    shown += [name for entity in retrieval.slice.graph.cast.entities for name in entity.names]
    shown += [f"{one.name} {one.asked}" for one in retrieval.slice.trace]
    shown += [issue.message for issue in retrieval.issues]
    asked = {word for word in LATER if word in question}
    for text in shown:
        assert not [word for word in LATER if word in text and word not in asked], text
    assert retrieval.passages
    assert all(one.fact.chapter is None or one.fact.chapter <= 2 for one in retrieval.trace)
    assert all(hit.passage.metadata["chapter"] <= 2 for hit in retrieval.passages)


def test_a_reader_who_says_so_in_the_question_is_as_safe_and_the_earlier_chapter_counts() -> None:
    index = built()
    assert ask(index, "Whom did Wang Xifeng meet? No spoilers after chapter 2.").reader_at == 2
    assert ask(index, "Whom did Wang Xifeng meet? No spoilers after chapter 3.", reader_at=2).reader_at == 2
    assert ask(index, "Whom did Wang Xifeng meet? No spoilers after chapter 1.", reader_at=2).reader_at == 1


def test_passages_without_a_chapter_are_left_out_for_a_reader_and_counted() -> None:
    index = built("house")
    loose = Passage("Wang Xifeng met a ghost.", id="loose", source_id="house", char_start=900, char_end=924)
    other = Passage("Wang Xifeng met a poet.", id="other", source_id="preface")
    play(index.add([], [loose, other]))
    retrieval = ask(index, "Whom did Wang Xifeng meet?", reader_at=2)
    ids = {hit.passage.id for hit in retrieval.passages}
    assert "other" in ids
    assert "loose" not in ids
    assert [issue.message.split()[0] for issue in retrieval.issues if issue.kind == "passages_without_chapter"] == ["1"]
    assert "loose" in {hit.passage.id for hit in ask(index, "Whom did Wang Xifeng meet?").passages}


def test_an_index_without_facts_still_finds_passages_by_chapter() -> None:
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add([], [*passages("house"), *passages("town")]))
    retrieval = ask(index, "Whom did Wang Xifeng meet in chapter 4?", settings=SliceSettings(scope="cut"))
    assert [hit.passage.metadata["chapter"] for hit in retrieval.passages] == [4, 4]
    assert retrieval.trace == ()
    assert "unknown_chapter" not in {issue.kind for issue in retrieval.issues}
    assert index.graph.chapters == (1, 2, 3, 4)
    assert ask(index, "Who knew where the silver seal lay?").passages[0].passage.text.startswith("Tom Rask knew")


def test_titles_of_chapters_are_landmarks() -> None:
    told = [
        replace(one, metadata={**one.metadata, "chapter_title": "The Great Frost. A Letter Is Lost"}) for one in passages("town")
    ]
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add(title_facts(told), [*passages("house"), *told]))
    retrieval = ask(index, "Who died during the great frost?")
    assert retrieval.scope.story == index.graph.axis.now(4)
    assert {hit.passage.metadata["chapter"] for hit in retrieval.passages if hit.in_scope} == {4}


def test_a_given_scope_is_used_as_it_is() -> None:
    scope = StoryScope(question="Who?", core="Who met?", chapters=(Interval(4, 5),), entities=("Wang Xifeng",))
    retrieval = ask(built(), "Who?", scope=scope, settings=SliceSettings(scope="cut"))
    assert retrieval.scope == scope
    assert {fact.chapter for fact in retrieval.slice.facts} >= {4}
    assert statements(retrieval)[0].startswith("Wang Xifeng")


def test_a_model_reads_what_rules_cannot_and_only_names_of_the_story_are_taken() -> None:
    question = "Who served Wang Xifeng before the search?"
    wrong = {"picks": [{"phrase": "before the search", "kind": "event", "name": "the flood", "side": "before"}]}
    right = {"picks": [{"phrase": "before the search", "kind": "event", "name": "the investigation", "side": "before"}]}
    chat = ScriptedChat([wrong, right])
    retrieval = Runner(chat=chat, embedder=HashEmbedder()).run(retrieve_slice(built(), question, ask=True))
    assert len(chat.calls) == 2
    assert retrieval.scope.read_by == "model"
    assert [mark.entity for mark in retrieval.scope.landmarks] == ["the investigation"]
    assert retrieval.scope.unresolved == ()
    assert retrieval.scope.core == "Who served Wang Xifeng?"
    assert statements(retrieval)[0] == "Ping'er — serves — Wang Xifeng"


def test_a_model_is_shown_no_name_that_the_reader_does_not_know() -> None:
    chat = ScriptedChat([{"picks": []}])
    question = "Who served Wang Xifeng before the search?"
    Runner(chat=chat, embedder=HashEmbedder()).run(retrieve_slice(built(), question, reader_at=2, ask=True))
    sent = " ".join(message.content for call in chat.calls for message in call.messages)
    assert "the investigation" in sent
    assert not [word for word in LATER if word in sent.replace("phrases", "").split("Chapters:")[1]]


def test_a_model_that_never_answers_well_leaves_what_the_rules_read() -> None:
    chat = ScriptedChat(["no JSON"] * 9)
    retrieval = Runner(chat=chat, embedder=HashEmbedder()).run(
        retrieve_slice(built(), "Who served Wang Xifeng before the search?", ask=True)
    )
    assert retrieval.scope.read_by == "rules"
    assert {issue.kind for issue in retrieval.issues} == {"unresolved_time", "reply_refused"}


def test_the_reranker_has_the_last_word_on_the_best_passages() -> None:
    runner = Runner(embedder=HashEmbedder(), reranker=OverlapReranker())
    question = "Who knew where the silver seal lay?"
    retrieval = runner.run(retrieve_slice(built(), question, settings=SliceSettings(rerank=7)))
    assert retrieval.passages[0].passage.text.startswith("Tom Rask knew")
    scores = [hit.score for hit in retrieval.passages]
    assert scores == sorted(scores, reverse=True)


def test_limits_are_kept() -> None:
    retrieval = ask(built(), "Whom did Wang Xifeng meet?", settings=SliceSettings(k=3, passages=2, paths=0))
    assert (len(retrieval.trace), len(retrieval.passages)) == (3, 2)
    assert ask(built(), "Who?", settings=SliceSettings(passages=0)).passages == ()


def test_searching_changes_nothing_and_gives_the_same_again() -> None:
    index = built()
    first = ask(index, "Whom did Wang Xifeng meet in the Bower?")
    second = ask(index, "Whom did Wang Xifeng meet in the Bower?")
    assert (first.trace, first.passages, first.issues) == (second.trace, second.passages, second.issues)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: ask("Who?", built()), TypeError, "the index comes first"),
        (lambda: ask(built(), 3), TypeError, "question"),
        (lambda: ask(built(), "Who?", settings="boost"), TypeError, "SliceSettings"),
        (lambda: SliceSettings(k=0), ValueError, "k must be"),
        (lambda: SliceSettings(scope="maybe"), ValueError, "scope must be one of"),
        (lambda: SliceSettings(unplaced="maybe"), ValueError, "unplaced must be one of"),
        (lambda: SliceSettings(weights={"moon": 1}), TypeError, "no weight 'moon'"),
        (lambda: SliceSettings(weights=3), TypeError, "weights must be"),
        (lambda: SliceWeights(words=-1), ValueError, "words must be 0 or more"),
    ],
)
def test_what_is_of_another_kind_is_refused_by_name(call, kind, words) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_blank_questions_and_empty_indexes_are_told() -> None:
    assert [issue.kind for issue in ask(built(), "  ").issues] == ["blank_question"]
    empty = StoryIndex("hash-64", ontology=ONTOLOGY)
    assert [issue.kind for issue in ask(empty, "Who came?").issues] == ["empty_index"]


def test_weights_given_as_a_dict_are_weights() -> None:
    assert SliceSettings(weights={"words": 2}).weights == replace(SliceWeights(), words=2)


@pytest.mark.parametrize(
    ("label", "number"),
    [({"chapter": 3}, 3), ({"chapter": "第十七回"}, 17), ({"chapter_number": 4, "chapter": "IV. The Fire"}, 4), ({}, None)],
)
def test_the_chapter_of_a_passage_is_read_from_its_label(label, number) -> None:
    assert chapter_of(Passage("…", metadata=label)) == number


def test_names_are_found_as_whole_words() -> None:
    shelf: Shelf[Passage] = Shelf("hash-64", "title")
    told = [Passage(text, id=text) for text in ("Ann came.", "Annabel came.", "Then “Ann”.", "黛玉來了", "anN came")]
    shelf.add(told, HashEmbedder().embed([passage.text for passage in told]))
    mapped = PassageMap.of(shelf, "title")
    assert mapped.naming(["Ann"], shelf.living).tolist() == [True, False, True, False, True]
    assert mapped.naming(["黛玉"], shelf.living).tolist() == [False, False, False, True, False]


def test_facts_that_stand_in_no_passage_are_found_as_well() -> None:
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add([Fact(subject="Ann Lee", relation="meets", object="Tom Rask", chapter=1)]))
    retrieval = ask(index, "Whom did Ann Lee meet?")
    assert statements(retrieval) == ["Ann Lee — meets — Tom Rask"]
    assert retrieval.hits[0].passage.metadata["chapter"] == 1


NO_VECTORS = SliceSettings(weights=SliceWeights(vectors=0))  # those of the stand-in mean nothing


def lodgers() -> StoryIndex:
    """Two that live at a mill in a village, of whom no fact has a place; a meeting at the mill; a smith elsewhere."""
    told = [
        Fact(subject="the kitchen", relation="inside", object="the mill", chapter=1),
        Fact(subject="Ann Lee", relation="lives_in", object="the mill", chapter=1),
        Fact(subject="Tom Rask", relation="lives_in", object="the kitchen", chapter=2),
        Fact(subject="Crane", relation="lives_in", object="the forge", chapter=2),
        Fact(subject="Ann Lee", relation="meets", object="Crane", chapter=3, place="the mill"),
        Fact(subject="Crane", relation="meets", object="Tom Rask", chapter=3, place="the forge"),
    ]
    places = [Entity(name=name, type="place") for name in ("the mill", "the kitchen", "the forge")]
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add(told, (), places))
    return index


def test_an_asked_place_holds_what_happens_there_and_what_is_about_it_and_nothing_else() -> None:
    lived = ask(lodgers(), "Who lived in the mill?")
    assert {fact.statement for fact in lived.slice.facts} == {
        "the kitchen — inside — the mill",
        "Ann Lee — lives in — the mill",
        "Tom Rask — lives in — the kitchen",
        "Ann Lee — meets — Crane",
    }
    assert {*statements(lived)[:2]} == {"Ann Lee — lives in — the mill", "Tom Rask — lives in — the kitchen"}
    assert lived.slice.trace[0].alone == lived.slice.rows.size
    assert lived.slice.trace[0].without == 6
    assert statements(ask(lodgers(), "Who met in the mill?", settings=NO_VECTORS))[0] == "Ann Lee — meets — Crane"


def test_time_holds_for_what_is_about_a_place_too() -> None:
    asked = ask(lodgers(), "What happened in the mill in chapter 1?")
    assert {fact.statement for fact in asked.slice.facts} == {"the kitchen — inside — the mill", "Ann Lee — lives in — the mill"}
    counts = {one.name: (one.alone, one.without) for one in asked.slice.trace}
    assert counts["place"] == (4, 2)
    assert counts["chapter"][1] == 4


def test_an_unknown_chapter_is_told_once() -> None:
    told = [issue.kind for issue in ask(built(), "Who met in chapter 40?").issues]
    assert told.count("unknown_chapter") == 1
    scope = StoryScope(question="Who met?", chapters=(Interval(40, 41),))
    assert [issue.kind for issue in ask(built(), "Who met?", scope=scope).issues].count("unknown_chapter") == 1


def test_between_two_of_one_name_no_path_is_looked_for() -> None:
    told = [
        Fact(subject="the old Li", relation="meets", object="the young Li", chapter=1),
        Fact(subject="the old Li", relation="meets", object="Ann Lee", chapter=2),
    ]
    both = [Entity(name="Li Wei", id=name, type="person") for name in ("the old Li", "the young Li")]
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add(told, (), both))
    assert "path" not in {one.role for one in ask(index, "Whom did Li Wei meet?").trace}
    assert "path" in {one.role for one in ask(index, "How is Li Wei connected with Ann Lee?").trace}


def test_what_happened_asks_for_events_of_any_relation() -> None:
    asked = ask(lodgers(), "What happened in the forge?", settings=NO_VECTORS)
    assert statements(asked)[0] == "Crane — meets — Tom Rask"


def test_a_fact_of_the_asked_relation_about_whom_is_asked_comes_first() -> None:
    index = built()
    for question, wanted in (
        ("Who served Tom Rask?", "Crane — serves — Tom Rask"),
        ("Who was married to Tom Rask?", "Ann Lee — married to — Tom Rask"),
        ("Whom did Tom Rask meet?", "Wang Xifeng — meets — Tom Rask"),
    ):
        assert statements(ask(index, question))[0] == wanted


def test_a_given_scope_may_name_entities_by_any_name_and_one_that_nobody_tells_of_is_told() -> None:
    scope = StoryScope(question="Whom did she meet?", entities=("wang xifeng", "Nobody At All"))
    retrieval = ask(built(), "Whom did she meet?", scope=scope)
    assert retrieval.scope.entities == ("Wang Xifeng",)
    assert [issue.kind for issue in retrieval.issues] == ["unknown_entity"]
    assert "'Nobody At All'" in retrieval.issues[0].message
    assert retrieval.trace
