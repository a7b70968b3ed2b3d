"""`DPPOConfig`: the options of `DPPOTrainer`.

It adds options to `transformers.TrainingArguments`, and has TMax's values as defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from transformers import TrainingArguments

from tmax_trainers.dppo.loss.config import DPPOLossConfig


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
    """A name of `tmax_trainers.dppo.loss.config.OBJECTIVES`, or `package.module:function`.  This
    and the following options, up to `echo`, are those of `DPPOLossConfig`."""
    divergence: str = "binary_tv"
    """`binary_tv` or `binary_kl`."""
    delta_low: float | None = None
    """Largest divergence at which a token with A < 0 is still pushed down."""
    delta_high: float | None = None
    """Largest divergence at which a token with A > 0 is still pushed up."""
    is_cap: float | None = None
    """Largest importance ratio that enters the gradient; none by default, 5 for `cispo`."""
    clip_low: float | None = None
    """Clipped objectives do not push a token further down if r < 1 − clip_low."""
    clip_high: float | None = None
    """They do not push a token further up if r > 1 + clip_high."""
    tau_low: float | None = None
    """`sapo`: the steepness of its gate where A < 0."""
    tau_high: float | None = None
    """The same for A > 0."""
    ratio_to: str = "behaviour"
    """What the ratio divides π by: `behaviour`, `proximal` or `none`."""
    corrections: list[str] = field(default_factory=list)
    """Of: tis, tis_sequence, mis, mis_sequence, icepop, opsm."""
    correction_low: float = 0.5
    """Lower bound of `icepop`."""
    correction_high: float | None = None
    """Upper bound of `tis`, `mis` and `icepop`."""
    opsm_delta: float = 1e-4
    """Bound of `opsm`."""
    aggregate: str | None = None
    """What the loss is a mean over: `tokens`, `sequences` or `constant`."""
    longest: int | None = None
    """The constant of `aggregate="constant"`: the largest number of sampled tokens."""
    echo: float = 0.0
    """Weight of the mean cross-entropy of tool output; 0 leaves it out."""
    fused_head: bool = False
    """Compute head, loss and gradients in one pass, without logits: the same gradient, and the
    memory of one tile.  Metrics are then over tokens whose advantage is not 0."""
    fp32_logits: bool = True
    """Keep the logits of the fused head in float32; else they are rounded to bfloat16 where that is
    the type of computation, as those of an engine without a float32 head are."""
    packing: bool = False
    """Put the samples of a micro-batch into one row instead of padding them.  Models that mix
    samples are refused; hybrid models need `flash-linear-attention` and `causal-conv1d`."""
    sequence_parallel: int = 1
    """Ranks that hold one micro-batch together, each a part of every sequence: less memory for long
    episodes, the same gradient.  Must divide the model's numbers of heads; not with `packing`,
    DeepSpeed, or objectives and means of whole sequences."""
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

    def __post_init__(self) -> None:
        """Refuse what ranks that share sequences cannot do."""
        super().__post_init__()
        if self.sequence_parallel == 1:
            return
        loss = self.loss_config()
        if loss.needs_sequences:
            raise ValueError(
                f"sequence_parallel was set with objective {loss.objective!r}, corrections "
                f"{loss.corrections} and a mean over {loss.mean_over}, which need whole sequences "
                "on one rank; set sequence_parallel=1, or choose others"
            )
        if self.packing:
            raise ValueError(
                "sequence_parallel and packing were both set, but attention that is divided keeps "
                "no samples apart; set packing=False or sequence_parallel=1"
            )
        if self.deepspeed_plugin is not None:
            raise ValueError(
                "sequence_parallel was set under DeepSpeed, whose ZeRO-3 hides weights that "
                "recurrent layers divide; launch with FSDP2, or set sequence_parallel=1"
            )

    def loss_config(self) -> DPPOLossConfig:
        """Return the loss's own options."""
        values = {option.name: getattr(self, option.name) for option in fields(DPPOLossConfig)}
        return DPPOLossConfig(**values | {"corrections": tuple(self.corrections)})
