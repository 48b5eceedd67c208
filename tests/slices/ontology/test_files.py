"""Files of ontologies: what they may say, and what is said of those that say nothing sound."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from chronotope.errors import OntologyError
from chronotope.slices.ontology import EntityType, Ontology, Relation, Rule, StateEnd, rule_from
from chronotope.slices.ontology.rules import KINDS
from support_ontology import GENERAL, HOUSEHOLD, TINY

SHIPPED = [GENERAL, HOUSEHOLD]
SHARED = {
    **dict.fromkeys(("parent_of", "father_of", "mother_of", "alias_of", "inside", "gender"), "timeless"),
    **dict.fromkeys(("happens", "takes_part_in", "born", "died", "is_in", "gives", "tells", "meets"), "event"),
    **dict.fromkeys(("married_to", "serves", "lives_in", "owns", "holds_title", "knows"), "state"),
}
HAN = re.compile("[\u4e00-\u9fff]")


RULE = "[[rules]]\nname = 'a'\nkind = 'acyclic'\nrelations = ['likes']\n"


def named(table: str) -> str:
    return TINY + table


def a(keys: str) -> str:
    return f"{TINY}[relations.a]\n{keys}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'x'\nthreshold = = 1", ["no TOML", "line 2"]),
        ("nmae = 'x'", ["top of the file", "'nmae'", "did you mean 'name'"]),
        ("threshold = 'high'", ["'threshold'", "'high'"]),
        ("threshold = -1", ["'threshold'", "at least 0"]),
        ("version = 2", ["'version'", "text in quotes"]),
        ("extends = 'hosehold'", ["'extends'", "did you mean 'household'"]),
        ("extends = 'household'\nwithout = ['one_fathr']", ["'without'", "did you mean 'one_father'"]),
        ("types = 3", ["'types'", "must be a table"]),
        ("rules = 3", ["[rules]", "[[rules]]"]),
        ("[types]\nperson = 'human'", ["[types]", "'person'", "[types.person]"]),
        ("[types.person]\nname = 'human'", ["[types.person]", "'name'"]),
        ("[types.person]\nparnt = 'x'", ["[types.person]", "'parnt'", "did you mean 'parent'"]),
        ("[types.person]\nnames = 'human'", ["[types.person]", "'names'", "list of texts"]),
        ("[types.person]\nparent = 'humn'\n[types.human]", ["[types.person]", "'parent'", "did you mean 'human'"]),
        ("[types.a]\nparent = 'b'\n[types.b]\nparent = 'a'", ["[types.a]", "'parent'", "a → b → a"]),
        ("[types.sex]\nvalues = ['male']\nspellings = {m = 'mal'}", ["[types.sex]", "'spellings'", "did you mean 'male'"]),
        ("[types.sex]\nspellings = ['m']", ["[types.sex]", "'spellings'", "table"]),
        (named("[relations.heads]\ndomian = ['person']"), ["[relations.heads]", "'domian'", "did you mean 'domain'"]),
        (named("[relations.heads]\ndomain = ['persn']"), ["[relations.heads]", "'domain'", "did you mean 'person'"]),
        (named("[relations.heads]\nrange = ['plce']"), ["[relations.heads]", "'range'", "did you mean 'place'"]),
        (named("[relations.heads]\nkind = 'stat'"), ["[relations.heads]", "'kind'", "did you mean 'state'"]),
        (named("[relations.heads]\nacts = 'yes'"), ["[relations.heads]", "'acts'", "true or false"]),
        (named("[relations.heads]\ninverse = 3"), ["[relations.heads]", "'inverse'", "text in quotes"]),
        (a("range = ['person']\ninverse = 'likes'"), ["[relations.a]", "'inverse'", "relation 'likes' already"]),
        (a("range = ['person']\ninverse = 'a'"), ["[relations.a]", "'inverse'", "relation 'a' already"]),
        (a("names = ['Likes']"), ["[relations.a]", "'names'", "relation 'likes' already"]),
        (
            a("range = ['person']\ninverse = 'c'\n[relations.b]\nrange = ['person']\ninverse = 'c'"),
            ["[relations.b]", "'inverse'", "relation 'a' read backwards already"],
        ),
        (
            a("domain = ['person']\nrange = ['place']\nsymmetric = true"),
            ["[relations.a]", "'symmetric'", "same types"],
        ),
        (
            a("domain = ['person']\nrange = ['person']\nsymmetric = true\ninverse = 'b'"),
            ["[relations.a]", "'inverse'", "symmetric"],
        ),
        (a("functional = true"), ["[relations.a]", "'functional'", "'range'"]),
        (a("kind = 'event'\nreplaces = true"), ["[relations.a]", "'replaces'", "'event'"]),
        (a("ends = 'likes'"), ["[relations.a]", "'ends'", "list of tables"]),
        (a("ends = [{match = 'any'}]"), ["[relations.a]", "'ends'", "'relation'", "missing"]),
        (a("ends = [{relation = 'liks', match = 'any'}]"), ["[relations.a]", "'ends'", "did you mean 'likes'"]),
        (a("ends = [{relation = 'likes', match = 'al'}]"), ["[relations.a]", "'match'"]),
        (a("ends = [{relation = 'likes'}]"), ["[relations.a]", "'ends'", "'pair'"]),
        (a("ends = [{relation = 'arrives', match = 'any'}]"), ["[relations.a]", "'ends'", "only states end"]),
        (
            a("kind = 'timeless'\nends = [{relation = 'likes', match = 'any'}]"),
            ["[relations.a]", "'ends'", "timeless"],
        ),
        (a("says = ['{subjct} came']"), ["[relations.a]", "'says'", "did you mean 'subject'"]),
        (a("says = ['somebody came']"), ["[relations.a]", "'says'", "{subject}"]),
        (a("range = ['person']\nsays = ['{subject} came']"), ["[relations.a]", "'says'", "{object}"]),
        (
            a("range = ['person']\nsays = ['{subject}, {object}']"),
            ["[relations.a]", "'says'", "words of its own"],
        ),
        (named("[titles]\nduke = 'male'"), ["[titles]", "'duke'", "'male'"]),
        ("extends = 'household'\n[titles]\narchduke = 'mael'", ["[titles]", "'archduke'", "did you mean 'male'"]),
        (named("[titles]\nduke = 3"), ["[titles]", "'duke'", "gender"]),
        (named("[[rules]]\nkind = 'acyclic'"), ["[[rules]] number 1", "'name'", "missing"]),
        (named("[[rules]]\nname = 'a'"), ["[[rules]] number 1", "'kind'", "missing"]),
        (named("[[rules]]\nname = 'a'\nkind = 'acylic'"), ["[[rules]] number 1 'a'", "'kind'", "did you mean 'acyclic'"]),
        (named("[[rules]]\nname = 'a'\nkind = 'acyclic'"), ["[[rules]] number 1 'a'", "'relations'", "needs it"]),
        (
            named("[[rules]]\nname = 'a'\nkind = 'acyclic'\nrelation = ['likes']"),
            ["[[rules]] number 1 'a'", "'relation'", "did you mean 'relations'"],
        ),
        (named("[[rules]]\nname = 'a'\nkind = 'acyclic'\nrelations = 'likes'"), ["number 1 'a'", "'relations'", "list of texts"]),
        (
            named("[[rules]]\nname = 'a'\nkind = 'acyclic'\nrelations = ['liks']"),
            ["rule 'a'", "'relations'", "did you mean 'likes'"],
        ),
        (
            named(RULE + "above = 'top'"),
            ["number 1 'a'", "'above'", "'top'"],
        ),
        (named("[[rules]]\nname = 'a'\nkind = 'at_most'\nrelations = ['likes']\ncount = -1"), ["number 1 'a'", "'count'", "-1"]),
        (
            named(RULE + "penalty = 0"),
            ["number 1 'a'", "'penalty'", "above 0"],
        ),
        (named(RULE * 2), ["[[rules]] number 2", "'a'", "twice"]),
        (
            named("[[rules]]\nname = 'a'\nkind = 'usual_types'\nrelations = ['likes']\nsubject = ['prson']"),
            ["rule 'a'", "'subject'", "did you mean 'person'"],
        ),
    ],
)
def test_an_error_names_the_file_the_table_the_key_and_the_nearest_known_name(text, words):
    with pytest.raises(OntologyError) as raised:
        Ontology.parse(text, "tiny.toml")

    assert [word for word in ["tiny.toml", *words] if word not in str(raised.value)] == []


def test_an_ontology_made_in_python_is_checked_like_a_file():
    person = EntityType(name="person")
    with pytest.raises(OntologyError, match=r"mine, \[relations.likes\], key 'domain'.*did you mean 'person'"):
        Ontology("mine", types={"person": person}, relations={"likes": Relation(name="likes", domain=("prson",))})
    ends = (StateEnd(relation="liks", match="any"),)
    relations = {"likes": Relation(name="likes"), "a": Relation(name="a", kind="event", ends=ends)}
    with pytest.raises(OntologyError, match="did you mean 'likes'"):
        Ontology("mine", relations=relations)
    with pytest.raises(OntologyError, match=r"rule 'mine'.*did you mean 'meets'"):
        GENERAL.with_rules(Rule(name="mine", judge=lambda fact, known: None, relations=frozenset({"meet"})))


@pytest.mark.parametrize(("hard", "penalty"), [(True, 0.5), (False, 0.0), (False, -1.0)])
def test_a_rule_is_either_hard_or_has_a_penalty(hard, penalty):
    with pytest.raises(OntologyError, match="'odd'"):
        Rule(name="odd", judge=lambda fact, known: None, hard=hard, penalty=penalty)


def test_a_rule_that_is_a_function_cannot_be_written_to_a_file():
    with pytest.raises(OntologyError, match="'mine' is a function"):
        GENERAL.with_rules(Rule(name="mine", judge=lambda fact, known: None)).to_toml()


def test_an_unknown_name_or_an_absent_file_says_what_there_is(tmp_path):
    with pytest.raises(OntologyError, match=r"did you mean 'household'.*\.toml"):
        Ontology.load("houshold")
    with pytest.raises(OntologyError, match=r"no file.*general_fiction, household"):
        Ontology.load(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(OntologyError, match=r"latin\.toml is no UTF-8"):
        Ontology.load(tmp_path / "latin.toml")


def test_an_unknown_relation_names_the_nearest_one():
    with pytest.raises(OntologyError, match="no relation 'mother_off'; did you mean 'mother_of'"):
        GENERAL.relation("mother_off")


def test_a_file_adds_to_a_shipped_ontology_replaces_what_it_names_again_and_leaves_rules_out(tmp_path):
    path = tmp_path / "my_story.toml"
    path.write_text(
        """
        extends = "general_fiction"
        threshold = 0.9
        without = ["one_mother"]
        [types.ship]
        parent = "place"
        [relations.sails_on]
        domain = ["person"]
        range = ["ship"]
        [relations.owns]
        domain = ["person"]
        range = ["ship"]
        [[rules]]
        name = "one_father"
        kind = "at_most"
        relations = ["father_of"]
        count = 2
        """,
        "utf-8",
    )
    mine = Ontology.load(path)

    assert (mine.name, mine.version, mine.threshold) == ("my_story", GENERAL.version, 0.9)
    assert set(mine.relations) == {*GENERAL.relations, "sails_on"}
    assert mine.relations["owns"].range == ("ship",)
    assert mine.is_a("ship", "place")
    assert {rule.name for rule in mine.rules} == {rule.name for rule in GENERAL.rules} - {"one_mother"}
    assert {rule.name: rule.params for rule in mine.rules}["one_father"]["count"] == 2
    assert mine.titles == GENERAL.titles


def test_a_rule_of_a_shipped_ontology_concerns_relations_that_a_file_adds():
    mine = Ontology.parse(
        'extends = "general_fiction"\n[relations.duels]\ndomain = ["person"]\nkind = "event"\nacts = true', "mine"
    )

    assert "the_dead_do_not_act" in {rule.name for rule in mine.rules_for("duels")}


@pytest.mark.parametrize("ontology", SHIPPED, ids=lambda ontology: ontology.name)
def test_a_shipped_ontology_has_what_the_rest_of_the_package_counts_on(ontology):
    assert {name: ontology.relations[name].kind for name in SHARED} == SHARED
    assert {"person", "place", "event", "thing", "title", "group", "gender"} <= set(ontology.types)
    assert ontology.relations["gender"].range == ("gender",)
    assert [name for name in SHARED if ontology.relations[name].symmetric] == ["alias_of", "meets", "married_to"]
    assert [name for name in ontology.relations if ontology.relations[name].replaces] == ["lives_in"]
    assert {ontology.relations[name].acts and ontology.relations[name].places for name in ("meets", "takes_part_in")} == {True}
    assert [ontology.relation(name)[0].name for name in ("child_of", "master_of")] == ["parent_of", "serves"]
    assert (ontology.relations["is_in"].places, ontology.relations["is_in"].acts) == (True, False)


@pytest.mark.parametrize("ontology", SHIPPED, ids=lambda ontology: ontology.name)
def test_relations_and_their_forms_are_in_english_and_chinese(ontology):
    for relation in ontology.relations.values():
        forms = (*relation.says, *relation.nouns, *relation.inverse_nouns)
        for words in (relation.names, forms) if forms else ():
            assert {bool(HAN.search(word)) for word in words} == {True, False} or relation.name == "sibling_of", relation.name
        assert bool(forms) == (relation.name != "gender"), relation.name


@pytest.mark.parametrize("ontology", SHIPPED, ids=lambda ontology: ontology.name)
def test_death_ends_what_the_dead_no_longer_are(ontology):
    ended = {state for state in ontology.relations if any(ender == "died" for ender, _ in ontology.ended_by(state))}

    assert ended == {name for name, relation in ontology.relations.items() if relation.kind == "state"}
    assert ("died", "any") in ontology.ended_by("married_to")
    assert ("divorces", "pair") in ontology.ended_by("married_to")
    assert ontology.ended_by("parent_of") == ()


@pytest.mark.parametrize(
    ("word", "name", "turned"),
    [
        ("Married to", "married_to", False),
        ("丈夫", "married_to", False),
        ("son of", "parent_of", True),
        ("女儿", "parent_of", True),
        ("女兒", "parent_of", True),
        ("child_of", "parent_of", True),
        ("child-of", "parent_of", True),
        ("主人", "serves", True),
        ("belongs to", "owns", True),
    ],
)
def test_a_relation_is_found_by_any_of_its_words_in_the_right_direction(word, name, turned):
    relation, found_turned = HOUSEHOLD.relation(word)

    assert (relation.name, found_turned) == (name, turned)
    assert HOUSEHOLD.has_relation(word)


def test_a_type_is_found_by_its_words_and_is_what_its_wider_types_are():
    assert [HOUSEHOLD.type_name(word) for word in ("Person", "花园", "no such type")] == ["person", "garden", ""]
    assert [HOUSEHOLD.is_a(*pair) for pair in (("garden", "place"), ("garden", "garden"), ("place", "garden"), ("x", "x"))] == [
        True,
        True,
        False,
        False,
    ]


def test_a_rule_from_data_prints_and_compares_by_what_it_says():
    table = {"name": "one", "kind": "at_most", "relations": ["owns"], "per": "subject", "penalty": 0.25}

    assert rule_from(table) == rule_from(dict(table))
    assert repr(rule_from(table)) == "Rule('one', soft 0.25, at_most, relations=('owns',), count=1, per='subject')"
    assert (rule_from(table).kind, rule_from(table).params["count"]) == ("at_most", 1)


def test_the_guide_names_every_kind_of_rule_its_parameters_and_every_key():
    guide = (Path(__file__).parents[3] / "docs" / "ontologies.md").read_text("utf-8")
    told = {line.split("`")[1]: line for line in guide.splitlines() if line.startswith("| `")}

    assert set(KINDS) <= set(told)
    for kind, judge in KINDS.items():
        assert [f.name for f in fields(judge) if f"`{f.name}`" not in told[kind] and "the same" not in told[kind]] == []
    keys = {f.name for kind in (EntityType, Relation, StateEnd) for f in fields(kind)}
    assert [key for key in keys if f"`{key}`" not in guide] == []


@pytest.mark.parametrize(
    ("title", "gender"),
    [
        ("Duke", "male"),
        ("the Queen", "female"),
        ("Grand Duchess of Wendle", "female"),
        ("榮國公", "male"),
        ("老太太", "female"),
        ("Captain", ""),
        ("Queen's Counsel", ""),
        ("prince consort", ""),
        ("lock-keeper", ""),
    ],
)
def test_a_title_tells_a_gender_by_its_last_words(title, gender):
    assert HOUSEHOLD.title_gender(title) == gender
