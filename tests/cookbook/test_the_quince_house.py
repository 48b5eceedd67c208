"""The story of the recipe on slices: each fact stands in its chapter word for word, and the promised turns are there."""

import json
import re
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parents[2] / "cookbook" / "data"
STORY = (DATA / "the_quince_house.txt").read_text(encoding="utf-8")
ROWS = [json.loads(line) for line in (DATA / "the_quince_house.facts.jsonl").read_text(encoding="utf-8").splitlines()]
FACTS = [row for row in ROWS if "relation" in row]
ENTITIES = {row.get("id", row["entity"]): row for row in ROWS if "entity" in row}


def chapters():
    parts = re.split(r"^CHAPTER (\d+)\. .+$", STORY, flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_it_is_of_the_promised_size():
    assert sorted(chapters()) == list(range(1, 11))
    assert 4_000 <= len(STORY.split()) <= 7_000
    assert 60 <= len(FACTS) <= 120
    assert all(len(text.split()) >= 350 for text in chapters().values())


def test_every_quotation_stands_word_for_word_in_its_chapter():
    told = chapters()

    assert [row["quote"] for row in FACTS if row["quote"] not in told[row["chapter"]]] == []
    assert all(row["quote"].strip() for row in FACTS)


def test_every_chapter_plays_at_a_time_that_its_words_tell():
    plays = {row["chapter"]: row for row in ROWS if "plays" in row}

    assert list(plays) == list(range(1, 11))
    assert [row["quote"] for row in plays.values() if row.get("quote", "") not in STORY] == []
    assert [number for number, row in plays.items() if "quote" not in row] == [1]


def test_every_place_and_every_name_of_a_fact_is_listed_or_explained_by_another_name():
    explained = {row["subject"] for row in FACTS if row["relation"] == "alias_of"}
    named = {row[part] for row in FACTS for part in ("subject", "object", "place") if row.get(part)}

    assert named - set(ENTITIES) - explained == set()
    assert {row["place"] for row in FACTS if row.get("place")} <= {name for name, row in ENTITIES.items() if row["type"] == "place"}


def test_two_people_bear_one_name_and_two_names_mean_one_person():
    bearers = Counter(row["entity"] for row in ENTITIES.values() if row["type"] == "person")
    aliases = {(row["subject"], row["object"], row["chapter"]) for row in FACTS if row["relation"] == "alias_of"}

    assert [name for name, count in bearers.items() if count > 1] == ["Martin Oake"]
    assert ("Captain Sand", "Gideon Varley", 6) in aliases
    assert ("the Wren", "Bettine Low", 9) in aliases


def test_the_turns_of_the_story_are_among_the_facts():
    def told(relation, subject=None):
        return [row for row in FACTS if row["relation"] == relation and subject in (None, row["subject"])]

    married = {row["subject"] for row in told("married_to") if row["object"] == "Edmund Varley"}
    married |= {row["object"] for row in told("married_to", "Edmund Varley")}
    assert married == {"Isolde Varley", "Honor Pell"}
    assert {row["subject"]: row["chapter"] for row in told("died")} == {"Isolde Varley": 4, "Agatha Varley": 7}
    assert {row["subject"] for row in told("happens")} == {"the fire", "the inspection", "the wedding"}
    flashback = [row["story_time"] for row in FACTS if row["chapter"] == 4 and "story_time" in row]
    assert len(flashback) > 5
    assert "-3648" in flashback, "the fire is ten years before the fifth day, which is tick 4"


def test_nobody_who_has_not_read_on_could_learn_the_secret_from_the_list_of_entities():
    listed = {name: row.get("aliases", []) for name, row in ENTITIES.items()}

    assert "the Wren" not in listed["Bettine Low"]
    assert "Captain Sand" not in listed["Gideon Varley"]
    assert "Honor Varley" not in ENTITIES
    early = " ".join(text for number, text in chapters().items() if number <= 5)
    assert "Captain Sand was Gideon" not in early
    assert not re.search(r"Bettine(?: Low)? (?:was|is) the Wren", early + chapters()[8])
