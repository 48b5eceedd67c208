"""The answer prompt in LlamaIndex's form and back, so that `get_prompts` and `update_prompts` work on it."""

from __future__ import annotations

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.prompts.base import BasePromptTemplate

from chronotope.diachronic import ANSWER, AnswerText
from chronotope.errors import PromptError
from chronotope.prompts import Prompt

__all__ = ["as_prompt", "as_template"]

# LlamaIndex's usual names for what our prompt calls otherwise, so that templates written for its own synthesizers fit.
_NAMES = {"context": "context_str", "question": "query_str", "time": "time_str"}
_MARKS = {theirs: f"\x00{ours}\x00" for ours, theirs in _NAMES.items()}


def as_template(prompt: Prompt[AnswerText]) -> ChatPromptTemplate:
    """The prompt as a chat template with `{context_str}`, `{query_str}` and `{time_str}`.

    >>> as_template(ANSWER).template_vars
    ['query_str', 'time_str', 'context_str']
    """
    values = {name: f"{{{_NAMES.get(name, name)}}}" for name in prompt.variables}
    turns = prompt.fill(**values)
    return ChatPromptTemplate([ChatMessage(role=MessageRole(turn.role), content=turn.content) for turn in turns])


def as_prompt(template: BasePromptTemplate) -> Prompt[AnswerText]:
    """A LlamaIndex template as the answer prompt; partial values and mapped variables are filled in.

    Args:
        template: uses `{context_str}` and `{query_str}`, and `{time_str}` if it wants the asked time.

    Raises:
        PromptError: it has no place for the passages.
    """
    turns = template.format_messages(None, **_MARKS)
    system = "\n\n".join(_dollars(turn) for turn in turns if turn.role == MessageRole.SYSTEM)
    user = "\n\n".join(_dollars(turn) for turn in turns if turn.role != MessageRole.SYSTEM)
    if "${context}" not in system + user:
        raise PromptError("the answer prompt needs {context_str}, the place for the passages")
    return ANSWER.with_text(system=system, user=user)


def _dollars(turn: ChatMessage) -> str:
    text = (turn.content or "").replace("$", "$$")
    for ours, theirs in _NAMES.items():
        text = text.replace(_MARKS[theirs], f"${{{ours}}}")
    return text
