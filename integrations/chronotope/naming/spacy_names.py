"""Names by a trained model of spaCy, for those who have one: `ExtractSettings(entities=SpacyNames("en_core_web_sm"))`."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Any, Final

from chronotope.errors import MissingExtraError
from chronotope.naming.rule_names import Name, plain_name

__all__ = ["SpacyNames"]

_KINDS: Final = frozenset({"PERSON", "PER", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "PRODUCT", "WORK_OF_ART", "LAW", "MISC"})


class SpacyNames:
    """Finds names with a spaCy pipeline.

    Args:
        model: name of an installed pipeline, or a pipeline itself.
        kinds: labels of what counts as a name; dates and numbers do not.

    Raises:
        MissingExtraError: spaCy is not installed.
        OSError: spaCy has no pipeline of that name; its message says how to install one.
    """

    def __init__(self, model: Any = "en_core_web_sm", *, kinds: Collection[str] = _KINDS) -> None:  # noqa: ANN401 - spaCy has no stubs here
        self._kinds = frozenset(kinds)
        self._model = model if isinstance(model, str) else None
        self._pipeline = _loaded(model) if isinstance(model, str) else model

    def __call__(self, text: str, /) -> list[Name]:
        """The names of a text, in order."""
        found = [entity for entity in self._pipeline(text).ents if entity.label_ in self._kinds]
        return [((entity.start_char, entity.end_char), plain_name(entity.text)) for entity in found]

    def __reduce__(self) -> tuple[Any, ...]:
        """By the name of the pipeline, which is loaded again where the copy is used."""
        return _restored, (self._model or self._pipeline, self._kinds)


def _restored(model: Any, kinds: Collection[str]) -> SpacyNames:  # noqa: ANN401 - a pipeline
    return SpacyNames(model, kinds=kinds)


def _loaded(model: str) -> Any:  # noqa: ANN401 - a pipeline
    try:
        spacy = import_module("spacy")
    except ImportError as error:
        raise MissingExtraError("ner", "SpacyNames") from error
    return spacy.load(model)
