"""A tokenizer that speaks ChatML, and replies that are written before an episode begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.episodes.observation import SUBMIT

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def chat_tokenizer(specials: Sequence[str] = ("<|im_end|>", "<|im_start|>")) -> Any:
    """Return a byte-level tokenizer of transformers without merges: a token for every byte.

    The first special token ends a turn, the other one begins one.
    """
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(BPE({letter: place for place, letter in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token=specials[0],
        pad_token="<|pad|>",
        additional_special_tokens=[specials[1]],
        chat_template=TEMPLATE,
    )


def replies(commands: Sequence[str]) -> list[str]:
    """Return the replies that run these commands and submit."""
    return [BashHarness().say(command) for command in (*commands, SUBMIT)]
