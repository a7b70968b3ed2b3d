"""A published model in miniature: a directory with a tokenizer and a policy that guesses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from tests.support.coin_recipe import ANSWERS, coin
from tmax_gym.agents.harnesses.plain import PlainHarness
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.sft import SFTConfig, train_sft
from tmax_trainers.recipes.policy import PublishedTokenizer
from tmax_trainers.rollout.streams.token_policy import lesson

LESSONS = tuple((coin(a).instruction, f"echo {a} > x") for a in ANSWERS)


def byte_tokenizer(
    texts: Iterable[str] = (),
    *,
    size: int = 320,
    specials: Sequence[str] = ("<pad>", "<eos>"),
) -> transformers.PreTrainedTokenizerFast:
    """Return a byte-level tokenizer of transformers that has merged the words of the texts.

    The first of the special tokens pads and the last one ends.
    """
    made = Tokenizer(BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=size,
        special_tokens=list(specials),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=specials[0], eos_token=specials[-1]
    )


def write_guesser(
    directory: Path, *, lessons: Sequence[tuple[str, str]] = LESSONS, steps: int = 60
) -> Path:
    """Write model and tokenizer; the policy says each reply of the lessons about as often."""
    tokenizer = byte_tokenizer([text for pair in lessons for text in pair] * 4)
    streams = [
        lesson(PublishedTokenizer(tokenizer), PlainHarness(), instruction=text, turns=[(said, "")])
        for text, said in lessons
    ]
    shape = PolicyConfig(len(tokenizer), layers=1, width=32, heads=2, max_length=128)
    model = build_policy(shape, seed=0)
    train_sft(model, streams, SFTConfig(steps=steps, learning_rate=1e-2))
    with torch.no_grad():
        model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
