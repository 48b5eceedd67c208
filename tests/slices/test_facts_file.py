"""Facts files: what is read, what a bad record costs, and that writing and reading give back the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import FactError
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.facts_file import ReadFacts, read_facts, write_facts
from chronotope.temporal.interval import Interval, TimeInterval
from support_story_facts import SMALL, statements


def read(folder: Path, text: str | bytes, *, name: str = "facts.csv", **options: Any) -> ReadFacts:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_facts(file, ontology=SMALL, **options)


def the_issue(found: ReadFacts) -> str:
    (issue,) = found.issues
    return issue.message


TABLE = """\
subject,relation,object,chapter,story_time,place,quote,source_id,char_start,char_end,confidence,mood
Ann Lee,married_to,Tom Rask,3,3/6,Long Garden,"They were wed, at last.",book,10,33,low,merry
Tom Rask,died,,4,7; 9,,,,,,,
"""


def test_a_table_gives_facts_with_all_their_coordinates(tmp_path: Path) -> None:
    first, second = read(tmp_path, TABLE).items
    assert first == Fact(
        subject="Ann Lee",
        relation="married_to",
        object="Tom Rask",
        chapter=3,
        story=(Interval(3, 7),),
        place="Long Garden",
        quote="They were wed, at last.",
        source_id="book",
        char_start=10,
        char_end=33,
        confidence="low",
        metadata={"mood": "merry"},
    )
    assert (second.object, second.story, second.metadata) == ("", (Interval(7, 8), Interval(9, 10)), {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("facts.csv", "\ufeffhead,predicate,tail,ch\r\n\r\nAnn,serves,Tom,2\r\n"),
        ("facts.csv", "head;predicate;tail;ch\nAnn;serves;Tom;2\n;;;\n"),
        ("facts.tsv", "from\trel\tto\tchap\nAnn\tserves\tTom\t2\n"),
        ("facts.csv", "Source,Relationship,Target,Chapter\nAnn , serves, Tom,2.0\n"),
        ("facts.jsonl", '{"subject": "Ann", "relation": "serves", "object": "Tom", "t_c": "2"}\n\n'),
        ("facts.json", '[{"subject": "Ann", "relation": "serves", "object": "Tom", "chapter": 2, "place": null}]'),
    ],
)
def test_other_forms_and_names_of_columns_give_the_same_fact(tmp_path: Path, name: str, text: str) -> None:
    found = read(tmp_path, text, name=name)
    assert found.items == (Fact(subject="Ann", relation="serves", object="Tom", chapter=2),)
    assert found.issues == ()


def test_a_source_is_the_document_where_the_subject_has_a_column_of_its_own() -> None:
    (fact,) = read_facts([{"subject": "Ann", "relation": "died", "source": "book"}], ontology=SMALL).items
    assert (fact.subject, fact.source_id) == ("Ann", "book")


def test_triples_are_facts() -> None:
    found = read_facts([("Ann", "married_to", "Tom"), ("Tom", "died"), ["Ann", "serves", "Tom"]], ontology=SMALL)
    assert statements(found.items) == ["Ann — married to — Tom", "Tom — died", "Ann — serves — Tom"]


def test_records_with_a_name_and_no_relation_are_entities(tmp_path: Path) -> None:
    lines = [
        {"entity": "Ann Lee", "type": "person", "aliases": ["Annie", "the clerk"], "gender": "female"},
        {"name": "Long Garden", "type": "place"},
        {"subject": "Ann Lee", "relation": "lives_in", "object": "Long Garden"},
    ]
    found = read(tmp_path, "\n".join(map(json.dumps, lines)), name="facts.jsonl")
    assert found.entities == (
        Entity(name="Ann Lee", type="person", aliases=("Annie", "the clerk"), metadata={"gender": "female"}),
        Entity(name="Long Garden", type="place"),
    )
    assert len(found.items) == 1


@pytest.mark.parametrize(
    ("times", "axis"),
    [
        (["3", "3/6", "../2"], "ticks"),
        (["3", "1931"], "ticks"),
        (["1931", "1931/1933"], "dates"),
        (["1931-05", "1931"], "dates"),
        (["-0043-03-15"], "dates"),
        (["-5", "2/.."], "ticks"),
    ],
)
def test_the_axis_is_found_from_all_times(times: list[str], axis: str) -> None:
    rows = [{"subject": "Ann", "relation": "died", "story_time": time} for time in times]
    found = read_facts(rows, ontology=SMALL)
    assert (found.axis, len(found.items)) == (axis, len(times))


def test_a_told_axis_wins() -> None:
    (fact,) = read_facts([{"subject": "Ann", "relation": "died", "story_time": 1931}], ontology=SMALL, axis="ticks").items
    assert fact.story == (Interval(1931, 1932),)


def test_dates_before_the_year_one_run_forward() -> None:
    (fact,) = read_facts([{"subject": "Ann", "relation": "died", "story_time": "-0299/-0249"}], ontology=SMALL).items
    (time,) = fact.story
    assert time == TimeInterval.parse("-0299/-0249")
    assert time.start is not None
    assert time.end is not None
    assert time.start < time.end < 0


def test_times_on_two_axes_name_a_record_of_each(tmp_path: Path) -> None:
    with pytest.raises(FactError, match=r"facts.csv, line 3 \(2/4\) is a tick, facts.csv, line 2 \(1931-05\) is a date"):
        read(tmp_path, "subject,relation,when\nAnn,died,1931-05\nTom,died,2/4\n")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("Ann,died,,6/3,", "line 3, story_time: '6/3' ends before it starts"),
        ("Ann,died,,soon,", "line 3, story_time: 'soon'"),
        ("Ann,weds,Tom,,", "line 3, relation: there is no relation 'weds'"),
        ("Ann,maried_to,Tom,,", "did you mean 'married_to'?"),
        ("Ann,died,,,to", "line 3, chapter: 'to' is no whole number"),
        ("Ann,died,,,1.5", "line 3, chapter: '1.5' is no whole number"),
        (",died,,,", "line 3, subject: is empty"),
        ("Ann,,Tom,,", "line 3, relation: is empty"),
        ("Ann,died,,,,more", "line 3: has 6 cells, the header 5"),
        ('Ann,"died"x,,,', "line 3: is no row of a table"),
    ],
)
def test_a_bad_record_costs_only_itself_and_names_file_line_and_field(tmp_path: Path, row: str, told: str) -> None:
    found = read(tmp_path, f"subject,relation,object,story_time,chapter\nTom,died,,1,1\n{row}\nKate,died,,2,2\n")
    assert statements(found.items) == ["Tom — died", "Kate — died"]
    assert told in the_issue(found)
    assert "facts.csv" in the_issue(found)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"subject": "Ann", "relation": "died", "char_start": 4}, "both char_start and char_end"),
        ({"subject": "Ann", "relation": "died", "char_start": 9, "char_end": 4}, "no span"),
        ({"subject": "Ann", "relation": "died", "char_end": "x"}, "char_end: 'x'"),
        ({"subject": "Ann", "relation": "died", "confidence": "maybe"}, "confidence: 'maybe'"),
        ({"subject": "Ann", "relation": "died", "chapter": True}, "chapter: 'True'"),
        ("Ann died", "is no record"),
    ],
)
def test_a_bad_record_among_records_is_named_by_its_number(record: Any, told: str) -> None:
    found = read_facts([("Tom", "died"), record], ontology=SMALL)
    assert len(found.items) == 1
    assert "record 2" in the_issue(found)
    assert told in the_issue(found)


def test_a_line_that_is_no_json_costs_only_itself(tmp_path: Path) -> None:
    found = read(tmp_path, '{"subject": "Ann", "relation": "died"}\n{"subject": \n7\n["Tom", "died"]\n', name="facts.jsonl")
    assert statements(found.items) == ["Ann — died", "Tom — died"]
    assert [issue.message[:19] for issue in found.issues] == ["facts.jsonl, line 2", "facts.jsonl, line 3"]


def test_numbers_of_other_tools_are_confidences_too() -> None:
    rows = [{"subject": "Ann", "relation": "died", "confidence": told, "n": told} for told in (0.2, "0.9", None, float("nan"))]
    assert [fact.confidence for fact in read_facts(rows, ontology=SMALL).items] == ["low", "high", "high", "high"]


def test_signs_that_nothing_can_carry_are_replaced(tmp_path: Path) -> None:
    found = read(tmp_path, '{"subject": "Ann\\udc97", "relation": "died", "quote": "a\\u0000b"}', name="facts.jsonl")
    (fact,) = found.items
    assert (fact.subject, fact.quote) == ("Ann\ufffd", "a\ufffdb")


@pytest.mark.parametrize("text", ["", "\ufeff\n\n", "subject,relation\n", "subject,relation\nAnn,flies\n"])
def test_a_file_in_which_nothing_is_a_fact_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(FactError, match="nothing here is a fact"):
        read(tmp_path, text)


def test_a_file_of_another_kind_or_encoding_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FactError, match="must end in"):
        read(tmp_path, TABLE, name="facts.xlsx")
    with pytest.raises(FactError, match="not UTF-8 at byte 26"):
        read(tmp_path, b"subject,relation,mood\nAnn,\xff")
    with pytest.raises(FactError, match="must end in"):
        write_facts(tmp_path / "facts.txt", ())


@pytest.mark.parametrize("encoded", ["utf-8", "utf-8-sig", "utf-16"])
def test_chinese_facts_are_read_with_and_without_a_mark_of_byte_order(tmp_path: Path, encoded: str) -> None:
    (fact,) = read(tmp_path, "subject,relation,object,chapter\n贾琏,妻子,王熙凤,3\n".encode(encoded)).items
    assert (fact.subject, fact.relation, fact.object, fact.chapter) == ("贾琏", "妻子", "王熙凤", 3)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map(str.strip).filter(bool)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30).filter(
    lambda text: not text or bool(text.strip("\ufeff \t\r\n"))
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), WORDS)
METADATA = st.dictionaries(NAMES, SCALARS, max_size=3)
NAMES = NAMES.filter(lambda name: bool(name.strip("\ufeff \t\r\n")) and name == name.strip("\ufeff"))
SPANS = st.one_of(st.just((None, None)), st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda pair: (pair[0], sum(pair))))
SIDES = st.one_of(st.none(), st.integers(-5_000, 5_000))
TICKS = st.tuples(SIDES, SIDES).map(lambda pair: Interval(*(sorted(pair) if None not in pair else pair)))  # type: ignore[type-var]
DATES = st.sampled_from(
    [TimeInterval.parse(text) for text in ("1931", "1931-05/1933", "../1920", "-0043-03-15", "196X", "2001-02-03")]
)
STORIES = st.sampled_from([TICKS, DATES])


@st.composite
def facts(draw: st.DrawFn, times: st.SearchStrategy[Interval]) -> Fact:
    start, end = draw(SPANS)
    return Fact(
        subject=draw(NAMES),
        relation=draw(st.sampled_from(["married_to", "child of", "died"])),
        object=draw(st.one_of(st.just(""), NAMES)),
        chapter=draw(st.one_of(st.none(), st.integers(-3, 999))),
        story=tuple(draw(st.lists(times, max_size=3))),
        place=draw(st.one_of(st.just(""), NAMES)),
        quote=draw(WORDS),
        source_id=draw(st.one_of(st.just(""), NAMES)),
        char_start=start,
        char_end=end,
        confidence=draw(st.sampled_from(["high", "low"])),
        metadata=draw(METADATA),
        id=draw(st.one_of(st.just(""), NAMES)),
    )


@st.composite
def entities(draw: st.DrawFn) -> Entity:
    aliases = tuple(draw(st.lists(NAMES, max_size=3)))
    return Entity(name=draw(NAMES), type=draw(st.sampled_from(["", "person"])), aliases=aliases, metadata=draw(METADATA))


@pytest.mark.parametrize("name", ["facts.csv", "facts.tsv", "facts.jsonl"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    file = tmp_path_factory.mktemp("facts") / name
    given_facts = data.draw(STORIES.flatmap(lambda times: st.lists(facts(times), min_size=1, max_size=4)))
    given_entities = data.draw(st.lists(entities(), max_size=2))
    write_facts(file, given_facts, given_entities)
    found = read_facts(file, ontology=SMALL)
    mixed = {fact.chapter is None for fact in given_facts} == {True, False}
    assert [issue.kind for issue in found.issues] == ["without_chapter"] * mixed
    assert list(found.items) == given_facts
    assert list(found.entities) == given_entities


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["facts.csv", "facts.tsv", "facts.jsonl", "facts.json"]))
def test_any_bytes_are_read_or_refused_with_a_reason(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    file = tmp_path_factory.mktemp("bytes") / name
    file.write_bytes(data)
    with pytest.raises(FactError):
        read_facts(file, ontology=SMALL)


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        *(
            ("4", 4),
            ("4.0", 4),
            ("-2", -2),
            ("\u22122", -2),
            ("\uff14", 4),
            ("IV", 4),
            ("\u2163", 4),
            ("chapter 4", 4),
            ("Chapter Four", 4),
        ),
        *(
            ("Ch. IV", 4),
            ("Chapter XII: The Fire", 12),
            ("twenty-one", 21),
            ("第五回", 5),
            ("第十二章 風雪", 12),
            ("四", 4),
            ("第 20 回", 20),
        ),
    ],
)
def test_a_chapter_is_read_as_books_print_it(printed: str, number: int) -> None:
    (fact,) = read_facts([{"subject": "Ann", "relation": "died", "chapter": printed}], ontology=SMALL).items
    assert fact.chapter == number


@pytest.mark.parametrize("printed", ["1-3", "1e3", "soon", "chapter", "第回", "99999999999999999999", "-", "IC", "4 and 5", "4.5"])
def test_what_is_no_chapter_is_told(printed: str) -> None:
    found = read_facts([("Tom", "died"), {"subject": "Ann", "relation": "died", "chapter": printed}], ontology=SMALL)
    assert len(found.items) == 1
    assert f"record 2, chapter: {printed!r} is no whole number" in the_issue(found)


@pytest.mark.parametrize(("told", "sure"), [("0,3", "low"), ("30%", "low"), ("90 %", "high"), ("HIGH", "high"), ("0.5", "high")])
def test_confidences_are_read_as_people_write_them(told: str, sure: str) -> None:
    (fact,) = read_facts([{"subject": "Ann", "relation": "died", "confidence": told}], ontology=SMALL).items
    assert fact.confidence == sure


@pytest.mark.parametrize("told", ["nan", "1.5", "-1", "inf", "medium", "300%"])
def test_a_confidence_outside_its_range_is_told(told: str) -> None:
    found = read_facts([("Tom", "died"), {"subject": "Ann", "relation": "died", "confidence": told}], ontology=SMALL)
    assert (len(found.items), f"confidence: {told!r}" in the_issue(found)) == (1, True)


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nsubject;relation;object\r\nAnn;married_to;Tom\r\n",
        "\ufeffSubject;Relation;Object\r\nAnn;married_to;Tom\r\n",
        "subject|relation|object\nAnn|married_to|Tom\n",
        'subject, relation, object\nAnn, married_to, "Tom"\n',
        "subject,relation,object,,\nAnn,married_to,Tom,,\n",
    ],
)
def test_tables_of_spreadsheets_are_read_as_they_are(tmp_path: Path, text: str) -> None:
    assert statements(read(tmp_path, text).items) == ["Ann — married to — Tom"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Ann,married_to,Tom\nKate,died,\n",
            "needs a first line with the columns 'subject' and 'relation', or 'entity'; it has: Ann",
        ),
        ("who,does,whom\nAnn,married_to,Tom\n", "it has: who, does, whom"),
        ("subject,Subject,relation\nAnn,Tom,died\n", "two columns 'subject'"),
        (b"\x1f\x8b\x08\x00", "is packed"),
        (b"PK\x03\x04rest", "is packed"),
        (b"\xff\xfea", "is not UTF-16"),
    ],
)
def test_a_table_that_cannot_be_one_of_facts_says_what_it_needs(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(FactError, match=r"^'facts\.csv'") as caught:
        read(tmp_path, text)
    assert told in str(caught.value)


def test_one_object_and_an_object_with_lists_are_files_too(tmp_path: Path) -> None:
    one = '{"subject": "Ann",\n "relation": "died"}'
    assert statements(read(tmp_path, one, name="facts.json").items) == ["Ann — died"]
    both = read(tmp_path, f'{{"entities": [{{"entity": "Ann", "type": "woman"}}],\n "facts": [{one}]}}', name="facts.json")
    assert (statements(both.items), [entity.type for entity in both.entities]) == (["Ann — died"], ["person"])


def test_entities_alone_are_kept_whatever_else_is_wrong_and_an_unknown_type_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "entity,type\nAnn,persom\nTom,person\n,person\n")
    assert [(entity.name, entity.type) for entity in found.entities] == [("Ann", "persom"), ("Tom", "person")]
    assert [issue.kind for issue in found.issues] == ["unknown_type", "bad_record"]
    assert "did you mean 'person'?" in found.issues[0].message


@pytest.mark.parametrize("column", ["subject", "relation", "object", "place"])
def test_a_list_where_one_name_is_needed_is_told(column: str) -> None:
    found = read_facts([("Tom", "died"), {"subject": "Ann", "relation": "died", column: ["Ann", "Kate"]}], ontology=SMALL)
    assert len(found.items) == 1
    assert f"{column}: " in the_issue(found)
    assert "is several values" in the_issue(found)


@pytest.mark.parametrize("source", [5, None, b"facts.csv", {"subject": "Ann", "relation": "died"}])
def test_what_is_neither_a_path_nor_records_is_a_mistake_of_the_caller(source: Any) -> None:
    with pytest.raises(TypeError, match="give a path, or an iterable of records"):
        read_facts(source, ontology=SMALL)


def test_a_carriage_return_in_a_cell_is_written_so_that_it_is_read_again(tmp_path: Path) -> None:
    fact = Fact(subject="Ann", relation="died", quote="so\rit was")
    write_facts(tmp_path / "facts.tsv", [fact])
    assert read_facts(tmp_path / "facts.tsv", ontology=SMALL).items == (fact,)


def test_a_file_says_when_chapters_play_and_the_others_play_as_they_are_told(tmp_path: Path) -> None:
    lines = ['{"chapter": 2, "plays": "-365/-355"}', '{"subject": "Ann", "relation": "died", "chapter": "III"}']
    found = read(tmp_path, "\n".join([*lines, '{"subject": "Tom", "relation": "died", "chapter": 1}']), name="facts.jsonl")
    assert len(found.items) == 2
    axis = found.story_axis
    assert axis is not None
    assert axis.now(2) == (Interval(-365, -354),)
    assert axis.now(1)[0].start < axis.now(3)[0].start
    write_facts(tmp_path / "again.csv", found.items, axis=axis)
    assert read_facts(tmp_path / "again.csv", ontology=SMALL).story_axis == axis


def test_a_file_without_such_records_says_nothing_of_when_chapters_play(tmp_path: Path) -> None:
    assert read(tmp_path, '{"subject": "Ann", "relation": "died", "chapter": 1}', name="facts.jsonl").story_axis is None


def test_a_chapter_that_plays_at_no_time_of_the_axis_costs_itself_alone(tmp_path: Path) -> None:
    rows = ['{"chapter": 2, "plays": "soon"}', '{"plays": "5"}', '{"subject": "Ann", "relation": "died", "story_time": "7"}']
    found = read(tmp_path, "\n".join(rows), name="facts.jsonl")
    assert (len(found.items), found.story_axis) == (1, None)
    assert [issue.kind for issue in found.issues] == ["bad_record", "bad_record"]


def test_a_blank_chapter_among_others_is_told_for_every_reader_knows_its_fact(tmp_path: Path) -> None:
    rows = "subject,relation,object,chapter\nAnn,died,,3\nTom,died,,\nKate,died,,\n"
    found = read(tmp_path, rows)
    assert [fact.chapter for fact in found.items] == [3, None, None]
    assert [(issue.kind, issue.source_id) for issue in found.issues] == [("without_chapter", "facts.csv, line 3")]
    assert the_issue(found).startswith("facts.csv, line 3 and 1 more have no chapter, where other records have one")


def test_a_file_without_any_chapter_is_not_asked_for_chapters(tmp_path: Path) -> None:
    assert read(tmp_path, "subject,relation,object\nAnn,died,\nTom,died,\n").issues == ()
