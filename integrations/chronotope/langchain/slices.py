"""Slices of a story as a LangChain retriever: facts by chapter, story time, place and entities (NS-ST-GraphRAG)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Unpack

from langchain_core.documents import Document
from pydantic import model_validator

from chronotope.errors import StoreMismatchError
from chronotope.langchain.held_story import Folder, HeldStory
from chronotope.langchain.models import AnyEmbeddings, as_embedder
from chronotope.langchain.named_options import embeddings_by_name
from chronotope.langchain.slice_options import SliceRetrieverOptions
from chronotope.slices.documents.given import GivenFacts, check_model, extraction_settings
from chronotope.slices.fact import Entity
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.ontology import Ontology, Rule

__all__ = ["SliceRetriever"]


class SliceRetriever(HeldStory):
    """Finds the facts of a story that a question asks for: by chapter, by the story's own time, by place, by who is in them.

    Make one with `from_documents`, `from_facts` or `load`. It is called like every LangChain retriever; `k`, `reader_at`, `scope`
    and `times` may be given with each call. Facts come back as documents of their own words, best first, with `relevance_score` and
    flat coordinates: `chapter`, `story_time`, `place`, `statement`, `confidence`, `entities`, and `coordinates` in words; their
    `date` is the statement with these, so that tools print both. With `reader_at`, nothing that a later chapter tells is used or
    shown.
    `retrieve_with_report` says how a question was understood.

    Args:
        index: the story; given by `from_documents`, `from_facts` and `load`.
        embedder: embeds questions and new documents.
        llm: answers where rules do not suffice: a LangChain model, any runnable from messages to an answer, or a chat model of
            chronotope.
        reranker: a document compressor or a reranker of chronotope, used when the settings ask for it (`rerank=`).
        k: number of facts; None takes that of the settings.
        passages: number of passages of the text that follow the facts.
        reader_at: last chapter that the reader knows, whatever later one a call names; None for all.
        preset: `default`, the only one.
        settings: replaces the defaults.
        scope: as in `SliceSettings`, like the five that follow; where given, it wins over the settings.
        unplaced: what becomes of facts without a place where a place is asked.
        untimed: what becomes of facts that nothing places in time where a time is asked.
        paths: largest number of shortest paths between the entities of the question.
        weights: what each reason counts.
        rerank: number of best passages that the reranker scores again.
        today: the day that "last year" counts from; without it such words are reported, never guessed.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` reads questions without a model, `auto` asks it where rules fail; None is `auto` when there is a model.
        times: asked story time that replaces what a question says, for stories with dates: EDTF text, an interval, or several.
        keys: where times are in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        extract: how documents without facts are read: `rules`, `llm`, or settings.
        axis: when chapters play, whatever the texts say.
        cache: a `ReplyCache`, so that nothing is asked or embedded twice.
        max_concurrency: model calls under way at once.
        max_calls: chat calls allowed in all, for questions and documents together.
        max_tokens: tokens that may be sent and received in all.
        issues: what was reported when documents and facts were added.
        uncertain: facts that rules kept out when documents and facts were added, with all that was said of them.

    Raises:
        pydantic.ValidationError: an argument is unknown or has a value that cannot be.
        StoreMismatchError: the index was made with another embedder.
    """

    @model_validator(mode="after")
    def _consistent(self) -> SliceRetriever:
        self._asking()
        if self.preset != "default":
            raise ValueError(f"preset must be default, not {self.preset!r}")
        if self.embedder is None:
            raise ValueError("an index needs the embedder that it was made with")
        if self.index.embedder_id != self.embedder.model_id:
            raise StoreMismatchError(f"the index was made with {self.index.embedder_id!r}, not with {self.embedder.model_id!r}")
        check_model(self._extraction, has_chat=self.llm is not None)
        self._open_account()
        return self

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[Document],
        *,
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Read documents for facts, and embed both.

        Args:
            documents: passages in the order of telling; what a `StoryFactTransformer` has read is taken as it is.
            embeddings: LangChain embeddings or an embedder of chronotope; None takes the small local model of the extra `local`.
            ontology: what can be so: a shipped one by its name, the path of a file, or an ontology; None takes that of `extract`.
            title_key: metadata key of a title that is embedded with its texts.
            options: fields of the retriever, such as `llm`, `k`, `passages`, `reader_at`, `today`, `extract`.

        Raises:
            MissingExtraError: no embeddings are given and the extra `local` is absent.
            OntologyError: there is no such ontology, or it cannot be read.
        """
        retriever = cls._empty(embeddings, ontology, title_key, options)
        retriever.add_documents(documents)
        return retriever

    @classmethod
    async def afrom_documents(
        cls,
        documents: Sequence[Document],
        *,
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """The same as `from_documents`, awaited."""
        retriever = cls._empty(embeddings, ontology, title_key, options)
        await retriever.aadd_documents(documents)
        return retriever

    @classmethod
    def from_facts(
        cls,
        facts: GivenFacts,
        *,
        documents: Sequence[Document] = (),
        entities: Iterable[Entity] = (),
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Take facts that are known already; they are checked against the ontology, and no model is asked.

        Args:
            facts: the path of a facts file (.csv, .tsv, .jsonl, .json), facts, records of such a file, or `StoryFacts`.
            documents: the text that they were read in; it is not read again.
            entities: what is known of persons and places.
            embeddings: as for `from_documents`.
            ontology: as for `from_documents`.
            title_key: as for `from_documents`.
            options: fields of the retriever.

        Raises:
            FactError: nothing in the file is a fact, or its times lie on two axes.
        """
        retriever = cls._empty(embeddings, ontology, title_key, options)
        retriever.add_facts(facts, documents=documents, entities=entities)
        return retriever

    @classmethod
    def load(
        cls,
        folder: Folder,
        *,
        embeddings: AnyEmbeddings | None = None,
        rules: Iterable[Rule] = (),
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Read what `save` wrote; models and options are given again, since only the story, its ontology and its axis are saved.

        Args:
            folder: where it was saved.
            embeddings: what the index was made with; None takes the small local model.
            rules: rules of the ontology that are functions, which no file holds.
            options: fields of the retriever.

        Raises:
            StoreError: the folder is absent or damaged.
            StoreMismatchError: the index was made with another embedder.
        """
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        index = StoryIndex.load(str(folder), embedder_id=embedder.model_id, rules=rules)
        index.axis = options.get("axis") or index.axis
        return cls(index=index, embedder=embedder, **options)

    @classmethod
    def _empty(
        cls,
        embeddings: AnyEmbeddings | None,
        ontology: str | PathLike[str] | Ontology | None,
        title_key: str,
        options: SliceRetrieverOptions,
    ) -> SliceRetriever:
        """With options checked before anything is embedded."""
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        extraction = extraction_settings(options.get("extract", "rules"), ontology)
        index = StoryIndex(embedder.model_id, ontology=extraction.known, axis=options.get("axis"), title_key=title_key)
        return cls(index=index, embedder=embedder, **options)

    def __repr__(self) -> str:
        story = f"{self.index!r}" if self.reader_at is None else f"{self.graph!r}"
        read = "" if self.reader_at is None else f", reader_at={self.reader_at}"
        return f"<SliceRetriever over {story}, k={self._asking().settings.k}{read}>"

    __str__ = __repr__
