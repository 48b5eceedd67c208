"""Segment a story: cut it where it turns, see the cuts beside those of a recursive splitter, and ask through both frameworks.

    python cookbook/segment_a_story.py                                    # our own tale, no model needed
    python cookbook/segment_a_story.py novel.txt --map novel.html --question "Who cut the rope?"
    python cookbook/segment_a_story.py --base-url http://localhost:8000/v1 --model my-model --map tale.html

Needs: pip install "chronotope[all]". With an endpoint a model segments the story in three stages (`--mode lite`: in one), gives
each segment a subtitle, and says which sentences from elsewhere it needs. Accepted replies and vectors are kept in `.chronotope/`,
so that an interrupted run goes on where it stopped. `--map` writes the segments as a page for the browser.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from statistics import median

from langchain_core.documents import Document as LangChainDocument
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core import VectorStoreIndex
from openai import APIError

from chronotope import ChatEndpoint, Document, Extraction, ReplyCache, Runner
from chronotope.defaults import default_embedder
from chronotope.endpoint import describe_failure
from chronotope.errors import ChronotopeError
from chronotope.langchain import ChronotopeEmbeddings, LitSegTextSplitter
from chronotope.litseg import Segment, SegmentSettings, segment
from chronotope.llama_index import ChronotopeEmbedding, LitSegNodeParser
from chronotope.models import Embedder, EmbedKind, Vectors
from chronotope.steps import embed
from chronotope.text import sentence_spans
from chronotope.views import segment_map

TALE = Path(__file__).parent / "data" / "the_ferry_book.txt"
QUESTIONS = {  # with words of the sentence that answers
    "How high did the water stand in the flood of March 1883?": "Water six metres twenty",
    "Who cut the rope of the ferry with the axe?": "He cut it with four strokes",
    "What did the strip of paper on the table of waters hide?": "See ferry book, Ardle",
    "Who looks after the grave of the drowned boy in Kessen?": "My mother has kept his stone clean",
    "When was the bridge opened in the end?": "opened on 6 May 1912",
}
ROWS = 14  # of the comparison: more is no longer read


@dataclass(frozen=True)
class Kept:
    """An embedder whose vectors stay in the cache, so that the second framework and the next run embed no text again."""

    embedder: Embedder
    cache: ReplyCache

    @property
    def model_id(self) -> str:
        return self.embedder.model_id

    @property
    def width(self) -> int | None:
        return self.embedder.width

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        return Runner(embedder=self.embedder, cache=self.cache).run(embed(texts, kind=kind))

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        return await Runner(embedder=self.embedder, cache=self.cache).arun(embed(texts, kind=kind))


def segmented(document: Document, chat: ChatEndpoint | None, settings: SegmentSettings, cache: ReplyCache) -> Extraction[Segment]:
    """The segments; with a model, what they will cost is said before, and what they did cost after."""
    runner = Runner(chat, cache=cache, progress=sys.stderr.isatty())
    if chat is not None:
        print(f"mode {settings.mode}, estimate: {runner.estimate(segment(document, settings=settings))}")
    found = runner.run(segment(document, settings=settings))
    if chat is not None:
        print(f"used: {runner.spent}")
    for issue in found.issues:
        print(f"note: {issue}")
    return found


def show_structure(segments: Sequence[Segment]) -> None:
    print("\n=== Structure and segments: sentences, words, what happens ===")
    for unit, group in groupby(segments, key=lambda item: item.unit):
        print(unit.name or "(no heading)")
        for item in group:
            first, last = item.sentences
            needs = f"  (needs {len(item.context)} of the other sentences)" if item.context else ""
            print(f"  {first:4}-{last:<4} {len(item.text.split()):5}  {opening(item)}{needs}")


def opening(item: Segment) -> str:
    """The subtitle of a segment, else its first words behind the heading."""
    told = item.text[max(item.unit.body_start - item.char_start, 0) :]
    return item.subtitle or shortened(told if told.strip() else item.text, 72)


def compare(text: str, segments: Sequence[Segment], pieces: Sequence[LangChainDocument]) -> None:
    """Where both splitters cut the text."""
    ours = [(item.char_start, item.char_end) for item in segments]
    theirs = [(piece.metadata["start_index"], piece.metadata["start_index"] + len(piece.page_content)) for piece in pieces]
    starts = {start for start, _ in sentence_spans(text)}
    borders = [item.unit.start for item, before in zip(segments[1:], segments, strict=False) if item.unit != before.unit]
    print("\n=== Beside a recursive splitter whose pieces are about as long ===")
    for name, spans in (("LitSeg", ours), ("recursive", theirs)):
        size = median(end - start for start, end in spans)
        inside = sum(start not in starts for start, _ in spans)
        across = sum(any(start < border < end for border in borders) for start, end in spans)
        print(f"{name:9}  {len(spans)} pieces of {size:.0f} characters (median), {inside} start inside a sentence,", end=" ")
        print(f"{across} hold the end of one chapter and the start of the next")
    print(f"\n{'LitSeg: from character':56}recursive: from character")
    for pair in list(zip_longest(ours, theirs))[:ROWS]:
        left, right = (f"{span[0]:7}  {shortened(text[slice(*span)], 44)}" if span else "" for span in pair)
        print(f"{left:56}{right}")
    if len(ours) > ROWS:
        print(f"… and {len(ours) - ROWS} more segments")


def ask(
    questions: Mapping[str, str],
    document: Document,
    pieces: Sequence[LangChainDocument],
    parser: LitSegNodeParser,
    splitter: LitSegTextSplitter,
    embedder: Embedder,
) -> None:
    """Each question through LlamaIndex and LangChain over segments, and over the recursive pieces."""
    nodes = parser.get_nodes_from_documents([LlamaIndexDocument(text=document.text, id_=document.id)])
    in_llama_index = VectorStoreIndex(nodes, embed_model=ChronotopeEmbedding(embedder)).as_retriever(similarity_top_k=1)

    documents = splitter.split_documents([LangChainDocument(document.text, id=document.id)])
    in_langchain = InMemoryVectorStore.from_documents(documents, ChronotopeEmbeddings(embedder))
    before = InMemoryVectorStore.from_documents(list(pieces), ChronotopeEmbeddings(embedder))

    print(f"\n=== Questions: the first passage that each brings ===\n{parser!r}\n{splitter!r}")
    for question, answer in questions.items():
        print(f"\n■ {question}")
        node = in_llama_index.retrieve(question)[0].node
        show_passage("LlamaIndex", node.text, place(node.metadata), answer)
        [found] = in_langchain.similarity_search(question, k=1)
        show_passage("LangChain", found.page_content, place(found.metadata), answer)
        [piece] = before.similarity_search(question, k=1)
        show_passage("recursive", piece.page_content, f"from character {piece.metadata['start_index']}", answer)


def place(metadata: Mapping[str, object]) -> str:
    return ": ".join(str(metadata[key]) for key in ("chapter", "subtitle") if key in metadata) or "no heading"


def show_passage(name: str, text: str, where: str, answer: str) -> None:
    told = "" if not answer else ", holds the answer" if answer in " ".join(text.split()) else ", does not hold the answer"
    print(f"  {name:11} {where}{told}\n              {shortened(text, 100)}")


def shortened(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 2].rstrip()} …"


def run(options: argparse.Namespace) -> None:
    document = Document(options.file.read_text(encoding="utf-8-sig"), id=options.file.stem)
    chat = ChatEndpoint(options.base_url, options.model, api_key=options.api_key) if options.base_url else None
    mode = options.mode if chat else "rules"
    options.cache.mkdir(parents=True, exist_ok=True)
    cache = ReplyCache(options.cache / "segment_a_story.sqlite")

    found = segmented(document, chat, SegmentSettings(mode=mode), cache)
    if not found.items:
        raise ChronotopeError(f"{options.file}: there is no story in it")
    show_structure(found.items)
    size = sum(len(item.text) for item in found.items) // len(found.items)
    recursive = RecursiveCharacterTextSplitter(chunk_size=size * 5 // 4, chunk_overlap=0, add_start_index=True)
    pieces = recursive.create_documents([document.text])  # full pieces are rare: a quarter more gives about the same mean
    compare(document.text, found.items, pieces)

    questions = dict.fromkeys(options.question or (), "") or (QUESTIONS if options.file == TALE else {})
    if questions:  # the model's replies are in the cache by now: the frameworks' own parsers ask nothing again
        parser = LitSegNodeParser(llm=chat, mode=mode, cache_path=cache.path)
        splitter = LitSegTextSplitter(llm=chat, mode=mode, cache=cache)
        ask(questions, document, pieces, parser, splitter, Kept(default_embedder(), cache))
    if options.map:
        page = segment_map(found.items, issues=found.issues, title=options.file.stem.replace("_", " ").title())
        print(f"\nThe segment map is in {page.save(options.map)}: open it in a browser.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=TALE, help="a text in UTF-8; our own tale when absent")
    parser.add_argument("--question", action="append", help="ask this; may be given several times")
    parser.add_argument("--map", type=Path, help="write the segment map to this file")
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument("--api-key", default=os.environ.get("OPENAI_API_KEY"), help="OPENAI_API_KEY when absent")
    parser.add_argument("--mode", choices=("full", "lite"), default="full", help="with an endpoint: three stages or one")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"), help="folder in which replies and vectors are kept")
    options = parser.parse_args()
    for page in (options.map,):
        if page and not page.parent.is_dir():
            parser.error(f"there is no folder {page.parent} for {page.name}")
    if options.base_url and not options.model:
        parser.error("--base-url needs --model: which model shall segment the story?")
    try:
        run(options)
    except UnicodeDecodeError as error:
        print(f"error: {options.file} is no text in UTF-8 ({error.reason} at byte {error.start})", file=sys.stderr)
        return 2
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except APIError as error:
        print(f"error: {describe_failure(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
