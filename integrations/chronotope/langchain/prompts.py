"""Chronotope's prompts as LangChain prompts."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Any

from langchain_core.prompts import ChatPromptTemplate

from chronotope.prompts import Prompt

__all__ = ["as_chat_prompt"]


def as_chat_prompt(prompt: Prompt[Any], names: Mapping[str, str]) -> ChatPromptTemplate:
    """The prompt over LangChain's variable names.

    Args:
        prompt: ours.
        names: LangChain's name of each placeholder; others keep theirs.
    """
    variables = {name: f"{{{names.get(name, name)}}}" for name in prompt.variables}
    turns = [(role, _braced(text, variables)) for role, text in (("system", prompt.system), ("human", prompt.user)) if text]
    return ChatPromptTemplate.from_messages(turns)


def _braced(text: str, variables: Mapping[str, str]) -> str:
    """A neutral prompt in LangChain's notation, in which literal braces are doubled."""
    return Template(text.replace("{", "{{").replace("}", "}}")).substitute(variables)
