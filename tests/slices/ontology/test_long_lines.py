"""Long lines of descent: as cheap a fact as short ones, and a circle of any length is found and told briefly."""

from __future__ import annotations

import pytest

from chronotope.errors import OntologyError
from chronotope.slices.fact import Fact
from chronotope.slices.ontology import KnownFacts, Ontology, check

LINE = Ontology.parse(
    """
[types.person]
[relations.parent_of]
domain = ["person"]
range = ["person"]
kind = "timeless"
[[rules]]
name = "no_cycle"
kind = "acyclic"
relations = ["parent_of"]
""",
    "line",
)
LENGTH = 300


class Counted(KnownFacts):
    """Known facts that count how often a rule looks something up."""

    looked = 0

    def of(self, relation, subject=None, object=None):  # noqa: A002 - as the method it stands for
        self.looked += 1
        return super().of(relation, subject=subject, object=object)


def line(order):
    known = Counted(LINE)
    for number in order:
        fact = Fact(subject=f"P{number}", relation="parent_of", object=f"P{number + 1}")
        assert check(fact, known).outcome == "accepted"
        known.add(fact)
    return known


@pytest.mark.parametrize("order", [range(LENGTH), range(LENGTH, 0, -1)], ids=["down", "up"])
def test_a_line_told_in_order_costs_few_looks_a_fact(order):
    assert line(order).looked <= 6 * LENGTH


def test_a_circle_of_any_length_is_found_and_its_reason_stays_short():
    known = line(range(LENGTH))
    verdict = check(Fact(subject=f"P{LENGTH}", relation="parent_of", object="P0"), known)
    assert verdict.outcome == "rejected"
    assert len(verdict.violations[0].against) == LENGTH
    assert verdict.violations[0].reason.endswith(f"; and {LENGTH - 6} more")


def test_a_threshold_must_be_a_number_and_a_mark_of_byte_order_is_none_of_the_file():
    with pytest.raises(OntologyError, match="threshold"):
        Ontology.parse("threshold = nan", "mine.toml")
    assert list(Ontology.parse("\ufeff[types.person]", "mine.toml").types) == ["person"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('nouns = ["wife"]', "'wife' says what one is to another"),
        ('range = ["person"]\nnouns = ["the wife of {object}"]', "must be a plain noun"),
        ('range = ["person"]\ninverse_nouns = [" "]', "must be a plain noun"),
    ],
)
def test_a_noun_that_is_none_is_told(lines, told):
    with pytest.raises(OntologyError, match=told):
        Ontology.parse(f"[types.person]\n[relations.serves]\n{lines}\n", "mine.toml")
