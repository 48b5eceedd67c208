"""What an import costs, and what the package exports."""

import copy
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import chronotope
from chronotope import errors

SOURCE = Path(chronotope.__file__).parent.parent
HEAVY = ("llama_index", "langchain_core", "pandas", "openai", "faiss", "numpy", "pydantic", "tiktoken")
PUBLIC = (
    "",
    ".temporal",
    ".text",
    ".steps",
    ".dating",
    ".questions",
    ".diachronic",
    ".litseg",
    ".litseg.distill",
    ".naming",
    ".shelves",
    ".slices",
    ".views",
    ".defaults",
)
MODULES = [f"chronotope{name}" for name in (*PUBLIC, ".endpoint")]


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); {statement}; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import chronotope") & set(HEAVY)


def test_parsing_time_loads_no_numeric_library():
    assert not loaded_by("import chronotope; chronotope.parse_scope('Who ruled in 1066?')") & {"numpy", "pandas", "pydantic"}


@pytest.mark.parametrize(
    "module",
    [
        "chronotope.steps",
        "chronotope.diachronic",
        "chronotope.litseg",
        "chronotope.slices",
        "chronotope.views",
        "chronotope.endpoint",
        "chronotope.cache",
    ],
)
def test_the_core_loads_no_framework_and_no_client(module):
    assert not loaded_by(f"import {module}") & {"llama_index", "langchain_core", "pandas", "openai", "faiss", "tiktoken"}


@pytest.mark.parametrize("name", MODULES)
def test_every_exported_name_exists_and_stands_once(name):
    module = importlib.import_module(name)

    assert [hasattr(module, exported) for exported in module.__all__] == [True] * len(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="no attribute 'Chronometer'"):
        _ = chronotope.Chronometer


@pytest.mark.parametrize(
    "error",
    [
        errors.ReplyError("annotate", "{}", "no events"),
        errors.TimeExpressionError("31 Brumaire"),
        errors.MissingExtraError("local", "LocalEmbedder"),
        errors.StoreMismatchError("width 384, not 768"),
        errors.BudgetError("the cap of 3 calls is reached"),
        errors.OntologyError("house.toml: there is no type 'ghost'"),
        errors.FactError("line 3: there is no subject"),
    ],
)
def test_an_error_survives_pickling_and_copying(error):
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_a_missing_extra_says_the_line_that_installs_it():
    assert 'pip install "chronotope[local]"' in str(errors.MissingExtraError("local"))
