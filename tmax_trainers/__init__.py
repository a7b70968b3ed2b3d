"""Learning from terminal tasks: DPPO, warm starts and in-process engines.

Names are imported when first used, so `import tmax_trainers` costs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmax_trainers.dppo.loss.config import DPPOLossConfig
    from tmax_trainers.dppo.loss.dppo import dppo_loss
    from tmax_trainers.dppo.loss.objectives import register_objective
    from tmax_trainers.dppo.options import DPPOConfig
    from tmax_trainers.dppo.trainer import DPPOTrainer
    from tmax_trainers.rollout.advantages import group_advantages
    from tmax_trainers.trl.mixins import DPPO_SETTINGS, DPPOMixin
    from tmax_trainers.trl.terminal_rollouts import TerminalRollouts
    from tmax_trainers.trl.trainers import SyncDPPOTrainer

_HOMES = {
    "DPPO_SETTINGS": "tmax_trainers.trl.mixins",
    "DPPOConfig": "tmax_trainers.dppo.options",
    "DPPOMixin": "tmax_trainers.trl.mixins",
    "DPPOTrainer": "tmax_trainers.dppo.trainer",
    "DPPOLossConfig": "tmax_trainers.dppo.loss.config",
    "SyncDPPOTrainer": "tmax_trainers.trl.trainers",
    "TerminalRollouts": "tmax_trainers.trl.terminal_rollouts",
    "dppo_loss": "tmax_trainers.dppo.loss.dppo",
    "group_advantages": "tmax_trainers.rollout.advantages",
    "register_objective": "tmax_trainers.dppo.loss.objectives",
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
    "register_objective",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
