"""A time-aware LangChain chain with an agent tool, over a small chronicle of spaceflight.

Runs offline, without a model: questions are read by rules, passages are embedded by the small local model of the extra `local`, and
the chain answers with a timeline. Vectors are kept in `.chronotope/`, so a second run starts at once. With an
OpenAI-compatible endpoint the chain writes its answer with that model:

    python cookbook/time_in_langchain.py
    python cookbook/time_in_langchain.py --base-url http://localhost:8000/v1 --model qwen

Needs: pip install "chronotope[langchain,local]"; the agent at the end needs langchain too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import BaseTool

from chronotope import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.langchain import ChronotopeEmbeddings, DiachronicRetriever, chronological_chain, retriever_tool

CHRONICLE = Path(__file__).parent / "data" / "spaceflight.jsonl"
QUESTIONS = (
    "How did Soviet crewed spaceflight go between 1961 and 1965?",
    "Which space stations were in use in the 1970s?",
    "What was said about reusable rockets before 1980?",
)
TODAY = "1970-01-15"
FOR_THE_AGENT = "Which missions went to the Moon last year?"


def read_chronicle() -> list[Document]:
    """The passages as an app might hold them: the date of filing is under a key of the app's own."""
    entries = [json.loads(line) for line in CHRONICLE.read_text(encoding="utf-8").splitlines()]
    return [
        Document(entry["text"], id=entry["id"], metadata={"title": entry["title"], "filed": entry.get("published", "")})
        for entry in entries
    ]


def ask(retriever: DiachronicRetriever, llm: ChatEndpoint | None) -> None:
    """Questions through a chain, with what the retriever understood and how well it covered the asked time."""
    chain = {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=chronological_chain(llm))
    for question in QUESTIONS:
        report = retriever.retrieve_with_report(question)
        print(f"\n# {question}")
        print(f"  asked time: {', '.join(map(str, report.scope.times))}; coverage: {report.coverage or 'open time'}")
        print(*(f"  {issue}" for issue in report.issues), sep="\n", end="\n" if report.issues else "")
        print(chain.invoke(question)["answer"])


def show_tool(tool: BaseTool) -> None:
    """What an agent gets to read: text with dates, and a sentence where nothing was found."""
    print(f"\n# The tool, asked: {FOR_THE_AGENT}")
    print(tool.invoke(FOR_THE_AGENT))
    print("\n# The tool, asked about a time of which the chronicle says nothing")
    print(tool.invoke("Which missions went to the Moon in 2040?"))


class ScriptedModel(FakeMessagesListChatModel):
    """Stands in for a model that can call tools, so that the recipe runs anywhere."""

    def bind_tools(self, tools: Sequence[object], **kwargs: object) -> ScriptedModel:  # noqa: ARG002 - what create_agent calls
        return self


def run_agent(tool: BaseTool) -> None:
    """The tool inside LangChain's agent; replace the scripted model by any chat model that calls tools."""
    if find_spec("langchain") is None:
        print('\n# The agent was left out: pip install "langchain>=1.0" to run it')
        return
    from langchain.agents import create_agent

    call = {"name": tool.name, "args": {"query": FOR_THE_AGENT}, "id": "call-1"}
    script: list[BaseMessage] = [AIMessage("", tool_calls=[call]), AIMessage("(a scripted model: a real one would answer here)")]
    model = ScriptedModel(responses=script)
    print("\n# The agent's conversation")
    for message in create_agent(model, [tool]).invoke({"messages": [HumanMessage(FOR_THE_AGENT)]})["messages"]:
        print(f"  {message.type}: {str(message.text)[:150] or message.tool_calls}")


def main(arguments: Sequence[str] | None = None, embeddings: ChronotopeEmbeddings | None = None) -> None:
    """Run the recipe; `embeddings` replaces the small local model."""
    parser = argparse.ArgumentParser(description="A time-aware LangChain chain with an agent tool.")
    parser.add_argument("--base-url", help="address of an OpenAI-compatible endpoint; without it no model is used")
    parser.add_argument("--model", help="name of the model there")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"), help="folder in which vectors and replies are kept")
    chosen = parser.parse_args(arguments)
    llm = ChatEndpoint(chosen.base_url, chosen.model) if chosen.base_url and chosen.model else None

    cache = ReplyCache(chosen.cache / "time_in_langchain.sqlite")
    retriever = DiachronicRetriever.from_documents(
        read_chronicle(), embeddings=embeddings, date="filed", llm=llm, k=6, today=TODAY, cache=cache
    )
    print(retriever)
    ask(retriever, llm)
    description = "Looks up the history of spaceflight. Name a time to limit the search."
    tool = retriever_tool(retriever, "spaceflight_chronicle", description)
    show_tool(tool)
    run_agent(tool)


if __name__ == "__main__":
    main()
