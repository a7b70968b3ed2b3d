"""Learning from terminal tasks: DPPO, warm starts and in-process engines.

Names are imported when first used, so `import tmax_trainers` costs no torch.
"""

from __future__ import annotations

from importlib import import_module

_HOMES = {
    "DPPO_SETTINGS": "tmax_trainers.trl_compat",
    "DPPOConfig": "tmax_trainers.trainer_options",
    "DPPOMixin": "tmax_trainers.trl_compat",
    "DPPOTrainer": "tmax_trainers.trainer",
    "DPPOLossConfig": "tmax_trainers.loss.dppo",
    "SyncDPPOTrainer": "tmax_trainers.trl_trainers",
    "TerminalRollouts": "tmax_trainers.trl_terminal",
    "dppo_loss": "tmax_trainers.loss.dppo",
    "group_advantages": "tmax_trainers.loss.advantages",
}

__all__ = [
    "DPPO_SETTINGS",
    "DPPOConfig",
    "DPPOLossConfig",
    "DPPOMixin",
    "DPPOTrainer",
    "SyncDPPOTrainer",
    "TerminalRollouts",
    "dppo_loss",
    "group_advantages",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
