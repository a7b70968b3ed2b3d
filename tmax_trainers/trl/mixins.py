"""`DPPOMixin` and `AsyncDPPOMixin`: put the DPPO gradient into TRL's two GRPO trainers.

Covers TRL 1.16.  In the synchronous trainer, with a `rollout_func` that returns the
log-probabilities it sampled with, two private methods are overridden; in the asynchronous one,
`compute_loss` alone.  `tests/trainers/trl/test_trl_seams.py` pins their signatures and compares
gradients with the formula.  Does not cover other objectives, corrections, top-k divergences, or
TRL's vLLM path.
TRL's asynchronous trainer refuses hybrid models and machines without CUDA: use `DPPOTrainer` there.

    class MyTrainer(DPPOMixin, GRPOTrainer): ...
    MyTrainer(..., args=GRPOConfig(**DPPO_SETTINGS, ...), rollout_func=...)
"""

from __future__ import annotations

from typing import Any

import torch

from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.dppo import token_terms

DPPO_SETTINGS: dict[str, Any] = {
    "loss_type": "dapo",
    "epsilon": 1e9,
    "epsilon_high": 1e9,
    "beta": 0.0,
    "scale_rewards": "none",
    "num_iterations": 1,
    "vllm_importance_sampling_correction": False,
}
"""Settings of `GRPOConfig` under which its loss is −Σ r·A over the tokens of the batch."""


class DPPOMixin:
    """A base class to be named before `GRPOTrainer`."""

    dppo = DPPOLossConfig()
    """Thresholds; override in the subclass."""
    _dppo_inputs: dict[str, torch.Tensor] | None = None

    def _compute_loss(self, model: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> Any:
        """Use the sampling probabilities of tokens as denominators of the ratio."""
        args: Any = self.args  # type: ignore[attr-defined]
        wrong = {k: getattr(args, k) for k, v in DPPO_SETTINGS.items() if getattr(args, k) != v}
        if wrong or not _is_plain(self.dppo):
            raise ValueError(
                f"with {wrong or self.dppo} the loss is not DPPO; pass **DPPO_SETTINGS to "
                "GRPOConfig and change thresholds only"
            )
        if "sampling_per_token_logps" not in inputs:
            raise ValueError("rollout_func returned no `logprobs`, which DPPO needs")
        mu_logp = inputs["sampling_per_token_logps"].nan_to_num(0.0, 0.0, 0.0)
        self._dppo_inputs = inputs
        try:
            anchored = {**inputs, "old_per_token_logps": mu_logp}
            return super()._compute_loss(model, anchored)  # type: ignore[misc]
        finally:
            self._dppo_inputs = None

    def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> Any:
        """Replace log π of tokens that the trust region blocks by a constant, their log μ."""
        logp, *rest = super()._get_per_token_logps_and_entropies(  # type: ignore[misc]
            *args, **kwargs
        )
        inputs = self._dppo_inputs
        if inputs is None:
            return (logp, *rest)
        mu_logp, mask = inputs["sampling_per_token_logps"], inputs["completion_mask"].bool()
        if "tool_mask" in inputs:
            mask = mask & inputs["tool_mask"].bool()
        advantages = inputs["advantages"]
        if advantages.dim() == 1:
            advantages = advantages[:, None]
        terms = token_terms(
            logp.detach(),
            mu_logp,
            advantages.expand_as(logp),
            valid=mask & mu_logp.isfinite(),
            config=self.dppo,
        )
        anchor = mu_logp.nan_to_num(0.0, 0.0, 0.0).to(logp.dtype)
        return (torch.where(terms.coefficient != 0, logp, anchor), *rest)


class AsyncDPPOMixin:
    """A base class to be named before `AsyncGRPOTrainer`.

    `epsilon` and `epsilon_high` must be 1e9.  TRL's own loss is then −Σ r·A.  Log-probabilities of
    tokens that the trust region blocks are replaced by a constant, their log μ.
    """

    dppo = DPPOLossConfig()
    """Thresholds; override in the subclass."""

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        *,
        num_items_in_batch: Any = None,
    ) -> Any:
        """Return TRL's loss, with constants for blocked tokens."""
        low: Any = self.epsilon_low  # type: ignore[attr-defined]
        high: Any = self.epsilon_high  # type: ignore[attr-defined]
        if min(low, high) < 1e9 or not _is_plain(self.dppo):
            raise ValueError(
                f"with epsilon {low}, epsilon_high {high} and {self.dppo} the loss is not DPPO; "
                "pass epsilon=1e9 and epsilon_high=1e9, and change thresholds only"
            )
        chosen = inputs["token_index"] >= 0
        # A token of several samples has one index in the row but several advantages, so every
        # use gets its own index.
        own = torch.where(chosen, chosen.flatten().cumsum(0).view_as(chosen) - 1, -1)
        anchored = _Anchored(model, inputs, chosen, self.dppo)
        return super().compute_loss(  # type: ignore[misc]
            anchored, inputs | {"token_index": own}, return_outputs, num_items_in_batch
        )


def _is_plain(config: DPPOLossConfig) -> bool:
    """Return whether only thresholds differ from the defaults."""
    thresholds = DPPOLossConfig(
        divergence=config.divergence, delta_low=config.delta_low, delta_high=config.delta_high
    )
    return config == thresholds


class _Anchored:
    """A model whose log-probabilities are constant for tokens that the trust region blocks."""

    def __init__(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        chosen: torch.Tensor,
        config: DPPOLossConfig,
    ) -> None:
        self._model = model
        self._index = inputs["token_index"][chosen]
        self._mu_logp = inputs["old_log_probs"][chosen]
        self._advantages = inputs["advantages"][chosen]
        self._config = config

    def __call__(self, **kwargs: Any) -> Any:
        """Run the model; return `log_probs` and `entropy` for each use of a token."""
        outputs = self._model(**kwargs)
        logp = outputs.log_probs.flatten()[self._index]
        terms = token_terms(
            logp.detach(),
            self._mu_logp,
            self._advantages,
            valid=self._mu_logp.isfinite(),
            config=self._config,
        )
        anchor = self._mu_logp.to(logp.dtype)
        outputs.log_probs = torch.where(terms.coefficient != 0, logp, anchor)[None]
        outputs.entropy = outputs.entropy.flatten()[self._index][None]
        return outputs
