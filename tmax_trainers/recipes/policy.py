"""The policy of a recipe: a published checkpoint or a small one from scratch, and its tokenizer.

A policy from scratch is a tiny Llama or Qwen3.5, and its words come from lessons.  A seed fixes
LoRA adapters.  Chat templates are not used: harnesses render, token by token.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmax_gym.errors import RecipeError
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.tokenizer import WordTokenizer
from tmax_trainers.recipes.recipe import Lora, Model

if TYPE_CHECKING:  # a rollout process wants the tokenizer alone
    import torch

SCRATCH = ("tiny_llama", "tiny_qwen3_5")
WORDS = "words.json"
_ALL_LINEAR = "all-linear"


class PublishedTokenizer:
    """A tokenizer of transformers with the four members that token policies use."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __len__(self) -> int:
        return len(self._tokenizer)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; what looks like a special token is plain text."""
        ids = self._tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)
        return [int(i) for i in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids without special tokens."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def special(self, name: str) -> int:
        """Return the id of a special token.  Raises `RecipeError` where it has none."""
        token = self._tokenizer.convert_tokens_to_ids(name)
        if token is None or token == self._tokenizer.unk_token_id:
            raise RecipeError(
                f"the tokenizer has no token {name!r}, which the harness needs; choose "
                "harness.name plain, or a model that speaks ChatML"
            )
        return int(token)


def load_tokenizer(
    model: Model, out: Path, texts: Iterable[str]
) -> WordTokenizer | PublishedTokenizer:
    """Return the tokenizer: published, given, or of the words of `texts`, kept in `out`."""
    if model.init not in SCRATCH:
        from transformers import AutoTokenizer

        name = model.tokenizer or model.init
        try:
            return PublishedTokenizer(AutoTokenizer.from_pretrained(name))
        except (OSError, ValueError) as error:
            raise RecipeError(_absent("tokenizer", name, error)) from error
    file = Path(model.tokenizer or out / WORDS)
    if not file.is_file():
        if model.tokenizer:
            raise RecipeError(f"model.tokenizer {file} is no file: give a words.json, or leave it")
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(WordTokenizer.train(texts).to_json(), encoding="utf-8")
    return WordTokenizer.from_json(file.read_text(encoding="utf-8"))


def load_policy(model: Model, *, vocabulary: int, max_length: int, seed: int) -> torch.nn.Module:
    """Return the policy, in float32 and without adapters.

    Args:
        model: Of the recipe.
        vocabulary: Words of a policy from scratch.
        max_length: Longest stream of a policy from scratch.
        seed: Of weights from scratch.
    """
    policy: Any
    if model.init == "tiny_llama":
        shape = PolicyConfig(vocabulary, layers=model.layers, width=model.width,
                             heads=model.heads, max_length=max_length)  # fmt: skip
        policy = build_policy(shape, seed=seed)
    elif model.init == "tiny_qwen3_5":
        policy = tiny_hybrid(model, vocabulary=vocabulary, max_length=max_length, seed=seed)
    else:
        policy = _published(model)
    if model.gradient_checkpointing:
        policy.gradient_checkpointing_enable()
    loaded: torch.nn.Module = policy
    return loaded


def tiny_hybrid(model: Model, *, vocabulary: int, max_length: int, seed: int) -> torch.nn.Module:
    """Return a Qwen3.5 from scratch: three gated-delta layers, then one of full attention."""
    import torch
    from transformers import Qwen3_5ForCausalLM, Qwen3_5TextConfig

    head = model.width // model.heads
    config = Qwen3_5TextConfig(
        vocab_size=vocabulary,
        hidden_size=model.width,
        intermediate_size=3 * model.width,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=max(1, model.heads // 2),
        head_dim=head,
        linear_num_key_heads=model.heads,
        linear_num_value_heads=model.heads,
        linear_key_head_dim=max(8, head // 2),
        linear_value_head_dim=max(8, head // 2),
        max_position_embeddings=max_length,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy: torch.nn.Module = Qwen3_5ForCausalLM(config).eval()
    return policy


def with_adapters(policy: Any, lora: Lora, *, seed: int) -> torch.nn.Module:
    """Return the policy with LoRA adapters; only they are trained, and the seed fixes them."""
    import torch

    try:
        from peft import LoraConfig, get_peft_model
    except ModuleNotFoundError as error:
        raise RecipeError("model.lora needs the package peft: pip install peft") from error
    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets) or _ALL_LINEAR,
        task_type="CAUSAL_LM",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        adapted: torch.nn.Module = get_peft_model(policy, config)
    return adapted


def _published(model: Model) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    try:
        return AutoModelForCausalLM.from_pretrained(model.init, dtype=torch.float32)
    except (OSError, ValueError) as error:
        raise RecipeError(_absent("model", model.init, error)) from error


def _absent(what: str, name: str, error: Exception) -> str:
    reason = str(error).splitlines()[0] if str(error) else repr(error)
    return (
        f"the {what} {name!r} could not be loaded: {reason}\n"
        "Give a directory that holds it: --set model.init=/path/to/model"
    )
