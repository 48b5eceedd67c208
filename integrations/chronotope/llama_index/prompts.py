"""Chronotope's prompts in LlamaIndex's form and back, so that `get_prompts` and `update_prompts` work on them."""

from __future__ import annotations

from typing import TypeVar

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.prompts.base import BasePromptTemplate
from pydantic import BaseModel

from chronotope.errors import PromptError
from chronotope.prompts import Prompt

__all__ = ["as_prompt", "as_template"]

M = TypeVar("M", bound=BaseModel)
# LlamaIndex's usual names for what our prompts call otherwise, so that templates written for its own parts fit.
_NAMES = {"context": "context_str", "question": "query_str", "time": "time_str"}


def as_template(prompt: Prompt[M]) -> ChatPromptTemplate:
    """The prompt as a chat template with LlamaIndex's variable names.

    >>> from chronotope.diachronic import ANSWER
    >>> as_template(ANSWER).template_vars
    ['query_str', 'time_str', 'context_str']
    """
    turns = prompt.fill(**{name: f"{{{_theirs(name)}}}" for name in prompt.variables})
    return ChatPromptTemplate([ChatMessage(role=MessageRole(turn.role), content=turn.content) for turn in turns])


def as_prompt(template: BasePromptTemplate, base: Prompt[M], *, needs: str) -> Prompt[M]:
    """A LlamaIndex template as the base prompt in other words; partial values and mapped variables are filled in.

    Args:
        template: uses the variables that `as_template` shows.
        base: the prompt that it replaces; its reply model stays.
        needs: the one variable of the base prompt without which it is useless.

    Raises:
        PromptError: it has no place for that variable.
        TypeError: it is no template.
    """
    if not isinstance(template, BasePromptTemplate):
        raise TypeError(f"a prompt must be a LlamaIndex template, such as PromptTemplate('…'), not {type(template).__name__}")
    marks = {name: f"\x00{name}\x00" for name in base.variables}
    turns = template.format_messages(None, **{_theirs(name): mark for name, mark in marks.items()})
    system = "\n\n".join(_dollars(turn, marks) for turn in turns if turn.role == MessageRole.SYSTEM)
    user = "\n\n".join(_dollars(turn, marks) for turn in turns if turn.role != MessageRole.SYSTEM)
    if f"${{{needs}}}" not in system + user:
        raise PromptError(f"the template for prompt {base.name!r} has no place for {{{_theirs(needs)}}}")
    return base.with_text(system=system, user=user)


def _theirs(name: str) -> str:
    return _NAMES.get(name, name)


def _dollars(turn: ChatMessage, marks: dict[str, str]) -> str:
    text = (turn.content or "").replace("$", "$$")
    for name, mark in marks.items():
        text = text.replace(mark, f"${{{name}}}")
    return text
