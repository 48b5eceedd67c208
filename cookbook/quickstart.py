"""First light: ask how things went over time, through LlamaIndex and through LangChain.

    python cookbook/quickstart.py                                  # our chronicle of spaceflight, no model needed
    python cookbook/quickstart.py --input notes/ --question "…"    # your own folder: .txt, .md, .jsonl
    python cookbook/quickstart.py --base-url http://localhost:8000/v1 --model my-model

Everything runs on this machine unless an endpoint is named, by `--base-url` or by OPENAI_BASE_URL or OPENAI_API_KEY together with
a model (`--model` or CHRONOTOPE_MODEL). Vectors are kept in `.chronotope/`, so a second run starts at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openai import APIError

from chronotope import ChatEndpoint, Document, Issue, Passage, ReplyCache, Runner
from chronotope.defaults import default_embedder
from chronotope.diachronic import Retrieval, chronological
from chronotope.endpoint import describe_failure
from chronotope.errors import ChronotopeError, TimeExpressionError
from chronotope.metadata import read_date, read_dated
from chronotope.models import Message, Reply, Schema
from chronotope.steps import embed
from chronotope.text import split_passages

MOST_TOKENS = 800  # of an answer: a small model may not know when to stop
KINDS = (".txt", ".md", ".markdown", ".jsonl")
CHRONICLE = Path(__file__).parent / "data" / "spaceflight.jsonl"
QUESTIONS = (
    "How did the way crews return to Earth change between 1961 and 2020?",
    "What happened with people on and around the Moon in the early 1970s?",
    "Which space stations were launched since 1971?",
    "Who landed rockets for reuse after 2010?",
)


@dataclass
class Corpus:
    """Documents read from files, and what could not be read."""

    documents: list[Document] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)


@dataclass
class Counted:
    """A chat model that counts what it is asked, for both frameworks together."""

    model: ChatEndpoint
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def model_id(self) -> str:
        return self.model.model_id

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        return self._counted(self.model.chat(messages, schema=schema))

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        return self._counted(await self.model.achat(messages, schema=schema))

    def _counted(self, reply: Reply) -> Reply:
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens or 0
        self.completion_tokens += reply.completion_tokens or 0
        return reply

    def __str__(self) -> str:
        return f"{self.calls} calls, {self.prompt_tokens} tokens in, {self.completion_tokens} out"


def read_corpus(place: Path) -> Corpus:
    """A folder or a file of text, Markdown and JSON lines (`text`, and if there is one `title`, `id`, `published` or `date`)."""
    if not place.exists():
        raise ChronotopeError(f"--input {place}: there is no such file or folder")
    files = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    corpus = Corpus()
    others = [path.name for path in files if path.suffix.lower() not in KINDS]
    if others:
        told = f"{len(others)} files of other kinds were passed over: {shortened(', '.join(others), 80)}"
        corpus.issues.append(Issue("other_kind", told))
    for path in files:
        name = str(path.relative_to(place)) if place.is_dir() else path.name
        if path.suffix.lower() == ".jsonl":
            corpus.documents += read_lines(path, name, corpus.issues)
        elif path.suffix.lower() in KINDS:
            corpus.documents.append(Document(read_text(path, name, corpus.issues), id=name))
    blank = [d.id for d in corpus.documents if not d.text.strip()]
    corpus.issues += [Issue("blank_document", "the document is empty and was left out", name) for name in blank]
    corpus.documents = [d for d in corpus.documents if d.text.strip()]
    if not corpus.documents:
        raise ChronotopeError(f"--input {place}: no text in it; it may hold .txt, .md and .jsonl files")
    return corpus


def read_text(path: Path, name: str, issues: list[Issue]) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        issues.append(Issue("not_utf8", f"the file is no UTF-8 from byte {error.start} on; what could not be read is marked", name))
        return data.decode("utf-8", "replace")


def read_lines(path: Path, name: str, issues: list[Issue]) -> Iterator[Document]:
    for number, line in enumerate(read_text(path, name, issues).splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            row = None
        text = row.get("text") if isinstance(row, dict) else None
        if not isinstance(text, str):
            issues.append(Issue("bad_line", "the line is no JSON object with a `text` and was left out", f"{name}:{number}"))
            continue
        published, stored = None, row.get("published", row.get("date"))
        try:
            published, flags = (None, ()) if stored is None else read_dated(stored)
            issues += [Issue(flag, f"{stored!r} was read as {published}", f"{name}:{number}") for flag in flags]
        except TimeExpressionError as error:
            issues.append(Issue("bad_date", f"{error}; the document counts as undated", f"{name}:{number}"))
        text = f"{row['title']}\n\n{text}" if isinstance(row.get("title"), str) else text
        yield Document(text, id=str(row.get("id", f"{name}:{number}")), published=published)


def endpoint(options: argparse.Namespace) -> ChatEndpoint | None:
    """The endpoint that was named, None when there is none."""
    model = options.model or os.environ.get("CHRONOTOPE_MODEL")
    if options.base_url:
        if not model:
            raise ChronotopeError("--base-url needs --model (or CHRONOTOPE_MODEL): which model shall answer?")
        return ChatEndpoint(options.base_url, model, api_key=os.environ.get("OPENAI_API_KEY"), max_tokens=MOST_TOKENS)
    named = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY")
    if named and not model:
        print("An OpenAI endpoint is set in the environment, but no model (--model or CHRONOTOPE_MODEL): no model is used.")
    return ChatEndpoint.from_environment(model=model, max_tokens=MOST_TOKENS) if named and model else None


def metadata(passage: Passage) -> dict[str, str]:
    """What an app would have: where the text comes from, and when it was written if that is known."""
    return {"source_id": passage.source_id} | ({"published": str(passage.published)} if passage.published else {})


def show_understanding(found: Retrieval) -> None:
    times = "; ".join(f"{time} ({time.phrase()})" for time in found.scope.times) or "no limit in time"
    print(f"  understood  core: {found.scope.core}\n              time: {times}")


def shortened(text: str, width: int) -> str:
    return textwrap.shorten(text, width, placeholder=" …")


def show_evidence(found: Retrieval) -> None:
    print("  evidence    in order of time, with scores")
    for hit in chronological(found.hits):
        title = " ".join(hit.passage.text.split("\n", 1)[0].split())
        inside = [t for t in hit.passage.told_times if any(t.overlaps(asked) for asked in found.scope.times)]
        dates = "; ".join(t.phrase() for t in inside or hit.passage.told_times) or "undated"
        print(f"    {hit.score:5.2f}  {shortened(title, 56):56}  {shortened(dates, 64)}")
    print(f"  coverage    {found.coverage or 'no bounded time was asked'}")
    for issue in found.issues:
        print(f"  note        {issue}")


def show_answer(label: str, text: str) -> None:
    print(f"  answer      {label}")
    for line in text.splitlines():
        print(textwrap.indent(textwrap.fill(line, 112, subsequent_indent="    "), "    "))


def run(options: argparse.Namespace) -> None:
    corpus = read_corpus(options.input)
    passages = [passage for document in corpus.documents for passage in split_passages(document)]
    options.cache.mkdir(parents=True, exist_ok=True)
    named, embedder = endpoint(options), default_embedder()
    chat = Counted(named) if named else None
    cache = ReplyCache(options.cache / "quickstart.sqlite")
    print(
        f"{len(corpus.documents)} documents in {len(passages)} passages; embedder {embedder.model_id}; chat model {named or 'none'}"
    )
    for issue in corpus.issues:
        print(f"note: {issue}")
    if len(passages) > 20:
        print("embedding, once for both frameworks (kept for the next run) …")
    warm_up = Runner(embedder=embedder, cache=cache, progress=sys.stderr.isatty(), batch_size=16)
    warm_up.run(embed([passage.text for passage in passages]))

    from llama_index.core.schema import TextNode

    from chronotope.llama_index import ChronologicalSynthesizer, to_scored_nodes
    from chronotope.llama_index import DiachronicRetriever as LlamaIndexRetriever

    asking = {"llm": chat, "cache": cache, "k": options.k, "today": options.today}
    nodes = [TextNode(id_=p.id, text=p.text, metadata=metadata(p)) for p in passages]
    in_llama_index = LlamaIndexRetriever.from_nodes(nodes, embed_model=embedder, **asking)
    synthesizer = ChronologicalSynthesizer(llm=chat)

    from langchain_core.documents import Document as LangChainDocument

    from chronotope.langchain import DiachronicRetriever as LangChainRetriever
    from chronotope.langchain import chronological_chain

    documents = [LangChainDocument(id=p.id, page_content=p.text, metadata=metadata(p)) for p in passages]
    in_langchain = LangChainRetriever.from_documents(documents, embeddings=embedder, **asking)
    chain = chronological_chain(chat)
    print(f"ready: {in_llama_index!r}")

    for question in options.question or QUESTIONS:
        print(f"\n■ {question}")
        found = in_llama_index.retrieve_with_report(question)
        show_understanding(found)
        show_evidence(found)
        nodes_found = to_scored_nodes(found.hits)
        response = synthesizer.synthesize(question, nodes_found)
        show_answer("through LlamaIndex", str(response))
        for issue in ((response.metadata or {}).get("chronotope") or {}).get("issues", ()):
            print(f"  note        {issue}")
        context = in_langchain.invoke(question)
        same = [document.id for document in context] == [node.node.node_id for node in nodes_found]
        text = chain.invoke({"input": question, "context": context})
        told = "the same passages in the same order" if same else f"other passages: {[document.id for document in context]}"
        print(f"  LangChain   found {told}")
        if chat is not None or not same:
            show_answer("through LangChain", text)
    print(f"\nmodel work for the corpus: {warm_up.spent}")
    print(f"model work for the questions: {in_llama_index.spent.embedded} embedded; chat model: {chat or 'not used'}")


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number from 1 up, not {text!r}")
    return int(text)


def day(text: str) -> str:
    try:
        return str(read_date(text))
    except TimeExpressionError as error:
        raise argparse.ArgumentTypeError(f"{error}; give a day such as 2026-11-30") from error


def address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"an address begins with http:// or https://, not {text!r}")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, default=CHRONICLE, help="a file or folder of .txt, .md and .jsonl")
    parser.add_argument("--question", action="append", help="ask this instead; may be given several times")
    parser.add_argument("--base-url", type=address, help="an OpenAI-compatible endpoint for the answers")
    parser.add_argument("--model", help="the endpoint's model")
    parser.add_argument("--today", type=day, help="the day that 'last year' in a question counts from, such as 2026-11-30")
    parser.add_argument("-k", type=positive, default=8, help="passages for each question")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"))
    try:
        run(parser.parse_args())
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except APIError as error:
        print(f"error: {describe_failure(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
