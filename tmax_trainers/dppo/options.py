"""`DPPOConfig`: the options of `DPPOTrainer`.

It adds options to `transformers.TrainingArguments`, and has TMax's values as defaults.
"""

from __future__ import annotations

from dataclasses import dataclass

from transformers import TrainingArguments

from tmax_trainers.dppo.loss.dppo import DPPOLossConfig


@dataclass
class DPPOConfig(TrainingArguments):  # type: ignore[misc]
    """Options of a run; others are those of `TrainingArguments`.

    The defaults are those of TMax: constant 1e-6, no weight decay, gradient norm 1, TV 0.1,
    batches of 8 groups of 32.  `max_steps` must be given.
    """

    learning_rate: float = 1e-6
    """Peak learning rate."""
    lr_scheduler_type: str = "constant"
    """Schedule of the learning rate."""
    gradient_accumulation_steps: int = 8
    """Micro-batches of an optimizer batch; changes memory and speed, never the gradient."""
    logging_steps: float = 1
    """Steps between two log lines."""
    save_strategy: str = "no"
    """When to write checkpoints."""
    objective: str = "dppo"
    """`dppo`, or a baseline: `grpo` (clipped ratios, as in DAPO) or `cispo`."""
    clip_low: float = 0.2
    """`grpo` does not push a token further down if r < 1 − clip_low."""
    clip_high: float = 0.272
    """`grpo` does not push a token further up if r > 1 + clip_high."""
    divergence: str = "binary_tv"
    """`binary_tv` or `binary_kl`."""
    delta_low: float | None = None
    """Largest divergence at which a token with A < 0 is still pushed down."""
    delta_high: float | None = None
    """Largest divergence at which a token with A > 0 is still pushed up."""
    is_cap: float | None = None
    """Largest importance ratio that enters the gradient; none by default, 5 for `cispo`."""
    fused_head: bool = False
    """Compute head, loss and gradients in one pass, without logits: the same gradient, and the
    memory of one tile.  Metrics are then over tokens whose advantage is not 0."""
    packing: bool = False
    """Put the samples of a micro-batch into one row instead of padding them.  Models that mix
    samples are refused; hybrid models need `flash-linear-attention` and `causal-conv1d`."""
    temperature: float = 1.0
    """Sampling temperature of episodes."""
    groups_per_step: int = 8
    """Groups of an optimizer batch."""
    group_size: int = 32
    """Samples of a group, for workers whose samples do not have `group_rows`."""
    max_token_age: int | None = 4
    """Largest age of a trained token in versions; older tokens are masked one by one.  Needs a
    weight transfer, so that versions are known; None for no limit."""
    rollout_timeout: float = 3600.0
    """Seconds to wait for a sample before giving up."""

    def loss_config(self) -> DPPOLossConfig:
        """Return the loss's own options."""
        return DPPOLossConfig(
            divergence=self.divergence,  # type: ignore[arg-type]
            delta_low=self.delta_low,
            delta_high=self.delta_high,
            is_cap=self.is_cap,
            objective=self.objective,  # type: ignore[arg-type]
            clip_low=self.clip_low,
            clip_high=self.clip_high,
        )
