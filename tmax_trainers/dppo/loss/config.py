"""The options of the loss: the objective, and the choices that go with any objective.

Covers names, defaults and which options fit together, without torch, so that recipes can be read
and checked anywhere.  `objectives.py` and `corrections.py` hold the equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Divergence = Literal["binary_tv", "binary_kl", "topk_tv", "topk_kl"]
RatioTo = Literal["behaviour", "proximal", "none"]
Aggregate = Literal["tokens", "sequences", "constant"]

_DELTA: dict[str, float] = {"binary_tv": 0.1, "binary_kl": 0.05, "topk_tv": 0.1, "topk_kl": 0.05}
"""TMax trains with TV 0.1; the DPPO paper's KL threshold is 0.05."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What an objective takes where nothing else is given."""

    aggregate: Aggregate = "tokens"
    whole_sequences: bool = False
    """The value of a token depends on other tokens of its sequence.  The fused head then passes
    over the tokens twice."""
    delta: float | None = None
    """Of both directions; None for that of the divergence."""
    clip: tuple[float, float] = (0.2, 0.2)
    """clip_low and clip_high."""
    cap: float | None = None
    tau: tuple[float, float] = (1.0, 1.0)
    """tau_low and tau_high."""


OBJECTIVES: dict[str, Defaults] = {
    "cispo": Defaults(cap=5.0),  # cap: ScaleRL, arXiv 2510.13786
    "dapo": Defaults(clip=(0.2, 0.28)),  # arXiv 2503.14476, section 4.1
    "dppo": Defaults(),
    "dr_grpo": Defaults(aggregate="constant"),  # arXiv 2503.20783, section 3.2
    "drpo": Defaults(delta=12.5),  # arXiv 2606.09821, section 4
    "gmpo": Defaults("sequences", whole_sequences=True, clip=(0.4, 0.4)),  # arXiv 2507.20673
    "grpo": Defaults(aggregate="sequences"),  # arXiv 2402.03300
    "gspo": Defaults("sequences", whole_sequences=True, clip=(3e-4, 4e-4)),  # arXiv 2507.18071, 5.1
    "policy_gradient": Defaults(),
    "ppo": Defaults(),  # arXiv 1707.06347
    "sapo": Defaults(aggregate="sequences", tau=(1.05, 1.0)),  # arXiv 2511.20347
}
"""Every objective by name, with its published values; `objectives.register_objective` adds one."""

CORRECTIONS = ("icepop", "mis", "mis_sequence", "opsm", "tis", "tis_sequence")
"""Names of the corrections in `corrections.py`."""
WEIGHING = ("tis", "tis_sequence")
"""Corrections that only change the size of a weight and drop nothing."""
BY_SEQUENCE = ("mis_sequence", "opsm", "tis_sequence")
"""Corrections that look at whole sequences."""


@dataclass(frozen=True, slots=True)
class DPPOLossConfig:
    """The objective, and the thresholds of its trust region."""

    divergence: Divergence = "binary_tv"
    """The measure of how far π is from μ; also reported as a metric."""
    delta_low: float | None = None
    """`dppo`: largest divergence at which a token with A < 0 is still pushed down.  `drpo`: the
    scale of its penalty where A < 0.  None for the objective's own value, as below."""
    delta_high: float | None = None
    """The same for A > 0."""
    is_cap: float | None = None
    """Largest r in the gradient of `dppo`, `policy_gradient` and `cispo`; None for no cap, but 5
    for `cispo`."""
    objective: str = "dppo"
    """A name of `OBJECTIVES`, or `package.module:function` for a function like those in
    `objectives.py`."""
    clip_low: float | None = None
    """Clipped objectives push a token no further down if r < 1 − clip_low; `gmpo`: if
    log r < −clip_low."""
    clip_high: float | None = None
    """They push it no further up if r > 1 + clip_high; `gmpo`: if log r > clip_high."""
    tau_low: float | None = None
    """`sapo`: the steepness of its gate where A < 0."""
    tau_high: float | None = None
    """The same for A > 0."""
    ratio_to: RatioTo = "behaviour"
    """What r divides π by: `behaviour`, μ as recorded when the token was sampled; `proximal`, the
    policy at the begin of the optimizer step, which is π itself because a batch has one step;
    `none`, nothing: A·log π, for `policy_gradient` only."""
    corrections: tuple[str, ...] = ()
    """Names of `CORRECTIONS`, which weigh or drop tokens by the policy's distance from μ."""
    correction_low: float = 0.5
    """`icepop` drops tokens with π/μ below (Ring-1T, arXiv 2510.18855: 0.5)."""
    correction_high: float | None = None
    """`tis` caps weights here, `mis` and `icepop` drop what is above; None for 2 (`tis`, `mis`)
    or 5 (`icepop`)."""
    opsm_delta: float = 1e-4
    """`opsm` drops sequences with A < 0 and a mean of log μ − log π above (slime's default)."""
    aggregate: Aggregate | None = None
    """What the loss is a mean over: all tokens; sequences, of the means over their tokens; or
    sequences, of sums divided by the constant `longest`.  None for the objective's own."""
    longest: int | None = None
    """The constant of `aggregate: constant`, the largest number of sampled tokens."""
    echo: float = 0.0
    """Weight of the mean cross-entropy of the tool output in episodes (ECHO, arXiv 2605.24517:
    0.1); 0 leaves it out."""

    def __post_init__(self) -> None:
        """Refuse values that define no trust region, and options that contradict each other."""
        _check_names(self)
        _check_thresholds(self)
        if self.ratio_to == "none" and self.objective != "policy_gradient":
            raise ValueError(f"objective {self.objective!r} needs a ratio: ratio_to is 'none'")
        doubled = sorted(set(self.corrections) & set(WEIGHING))
        if self.ratio_to == "behaviour" and doubled:
            raise ValueError(
                f"corrections {doubled} weigh by π/μ, which the ratio holds already; set "
                "ratio_to='proximal', or is_cap to truncate the ratio itself"
            )
        if self.mean_over == "constant" and self.longest is None:
            raise ValueError(f"objective {self.objective!r} divides by `longest`: give it")

    @property
    def defaults(self) -> Defaults:
        """Return the objective's own values; a function by path may look at whole sequences."""
        return OBJECTIVES.get(self.objective, Defaults(whole_sequences=True))

    @property
    def low(self) -> float:
        """Return delta_low or its default."""
        return self._delta(self.delta_low)

    @property
    def high(self) -> float:
        """Return delta_high or its default."""
        return self._delta(self.delta_high)

    def _delta(self, given: float | None) -> float:
        own = _DELTA[self.divergence] if self.defaults.delta is None else self.defaults.delta
        return own if given is None else given

    @property
    def cap(self) -> float | None:
        """Return is_cap or its default."""
        return self.defaults.cap if self.is_cap is None else self.is_cap

    @property
    def clip(self) -> tuple[float, float]:
        """Return clip_low and clip_high or their defaults."""
        low, high = self.defaults.clip
        return (
            low if self.clip_low is None else self.clip_low,
            high if self.clip_high is None else self.clip_high,
        )

    @property
    def tau(self) -> tuple[float, float]:
        """Return tau_low and tau_high or their defaults."""
        low, high = self.defaults.tau
        return (
            low if self.tau_low is None else self.tau_low,
            high if self.tau_high is None else self.tau_high,
        )

    @property
    def mean_over(self) -> Aggregate:
        """Return aggregate or its default."""
        return self.aggregate or self.defaults.aggregate

    @property
    def whole_sequences(self) -> bool:
        """Return whether a token's terms depend on other tokens of its sequence."""
        return self.defaults.whole_sequences or bool(set(self.corrections) & set(BY_SEQUENCE))

    @property
    def needs_sequences(self) -> bool:
        """Return whether the loss has to know which sequence a token belongs to."""
        return self.whole_sequences or self.mean_over == "sequences"

    def denominator(self, *, tokens: int, sequences: int) -> float:
        """Return Z of an optimizer batch, at least 1.

        Args:
            tokens: Trained tokens in the whole batch, on all ranks.
            sequences: Sequences with a trained token, likewise.
        """
        if self.mean_over == "tokens":
            return float(max(tokens, 1))
        constant = self.longest if self.mean_over == "constant" and self.longest else 1
        return float(max(sequences, 1) * constant)


def _check_names(config: DPPOLossConfig) -> None:
    if config.divergence not in _DELTA:
        raise ValueError(f"divergence {config.divergence!r} is none of {sorted(_DELTA)}")
    if config.objective not in OBJECTIVES and ":" not in config.objective:
        raise ValueError(
            f"objective {config.objective!r} is none of {sorted(OBJECTIVES)}, and no "
            "package.module:function"
        )
    for name, kind in (("ratio_to", RatioTo), ("aggregate", Aggregate)):
        value = getattr(config, name)
        if value is not None and value not in get_args(kind):
            raise ValueError(f"{name} {value!r} is none of {sorted(get_args(kind))}")
    unknown = sorted(set(config.corrections) - set(CORRECTIONS))
    if unknown:
        raise ValueError(f"corrections {unknown} are none of {CORRECTIONS}")


def _check_thresholds(config: DPPOLossConfig) -> None:
    cap, (low, high) = config.is_cap, config.clip
    if not (config.low >= 0 and config.high >= 0 and (cap is None or cap > 0)):
        raise ValueError("delta_low and delta_high must be >= 0 and is_cap must be > 0")
    if config.objective == "drpo" and not (config.low > 0 and config.high > 0):
        raise ValueError("drpo divides by delta_low and delta_high: they must be > 0")
    if not (0 <= low < 1 and high >= 0):
        raise ValueError("clip_low must be in [0, 1) and clip_high must be >= 0")
    if not min(config.tau) > 0:
        raise ValueError("tau_low and tau_high must be > 0")
    most = config.correction_high
    if not (config.correction_low >= 0 and (most is None or most > config.correction_low)):
        raise ValueError("correction_low must be >= 0 and correction_high above it")
    if not config.echo >= 0:
        raise ValueError("echo must be >= 0")
    if config.longest is not None and config.longest < 1:
        raise ValueError("longest must be >= 1")
