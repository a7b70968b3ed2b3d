"""Corrections for tokens whose sampling policy differs from the one that is trained.

Each returns a constant weight per token from w = π/μ, the present probability over that at
sampling.  A weight of 0 drops the token, which still counts in the mean.

Covers TIS, MIS (by token and by sequence), IcePop and OPSM.  Tokens that are too old are masked
before the loss, by `max_token_age` of the trainer.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.objectives import Tokens, largest

Correction = Callable[[Tokens, DPPOLossConfig], torch.Tensor]
"""Returns the weight of each token."""
_CAP = 2.0
"""TIS with C = 2: Yao et al. 2025, "Your efficient RL framework secretly brings you off-policy RL
training"."""
_ICEPOP = 5.0
"""Upper bound of IcePop: Ring-1T, arXiv 2510.18855."""


def _weight(tokens: Tokens, *, whole: bool = False) -> torch.Tensor:
    """Return w of each token, or the product of w over its sequence."""
    gap = (tokens.logp - tokens.mu_logp).detach()
    if whole:
        gap = tokens.mean(gap) * tokens.lengths[tokens.sequence]
    return gap.clamp(max=largest(gap.dtype)).exp()


def _capped(weight: torch.Tensor, config: DPPOLossConfig) -> torch.Tensor:
    return weight.clamp(max=config.correction_high or _CAP)


def _masked(weight: torch.Tensor, config: DPPOLossConfig) -> torch.Tensor:
    return torch.where(weight <= (config.correction_high or _CAP), weight, 0.0)


def tis(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return min(w, C): truncated importance sampling."""
    return _capped(_weight(tokens), config)


def tis_sequence(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return min(Π w, C), the product over the sequence."""
    return _capped(_weight(tokens, whole=True), config)


def mis(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return w where w ≤ C, else 0: masked importance sampling."""
    return _masked(_weight(tokens), config)


def mis_sequence(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return Π w where it is at most C, else 0, for the whole sequence."""
    return _masked(_weight(tokens, whole=True), config)


def icepop(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return w where correction_low ≤ w ≤ correction_high, else 0 (arXiv 2510.18855)."""
    weight = _weight(tokens)
    inside = (weight >= config.correction_low) & (weight <= (config.correction_high or _ICEPOP))
    return torch.where(inside, weight, 0.0)


def opsm(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return 0 for sequences with A < 0 and a mean of log μ − log π above δ, else 1.

    The off-policy sequence mask of DeepSeek-V3.2 (arXiv 2512.02556, section 3.1).
    """
    mean = tokens.mean((tokens.mu_logp - tokens.logp).detach())
    far = (tokens.advantage < 0) & (mean > config.opsm_delta)
    return torch.where(far, 0.0, 1.0).to(tokens.logp.dtype)


FUNCTIONS: dict[str, Correction] = {
    "icepop": icepop,
    "mis": mis,
    "mis_sequence": mis_sequence,
    "opsm": opsm,
    "tis": tis,
    "tis_sequence": tis_sequence,
}
"""The function of each name of `config.CORRECTIONS`."""


def correction(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return the product of a configuration's weights.

    Where the ratio of the objective is π/μ already, only what the corrections drop is kept of
    them, because the size of w would count twice.
    """
    weight = torch.ones_like(tokens.advantage)
    for name in config.corrections:
        weight = weight * FUNCTIONS[name](tokens, config)
    return (weight > 0).to(weight.dtype) if config.ratio_to == "behaviour" else weight
