"""TRL's two GRPO trainers with the DPPO gradient: `SyncDPPOTrainer` and `AsyncDPPOTrainer`.

The changes are in `mixins.py`.  Importing this module imports TRL.
"""

from __future__ import annotations

from trl import GRPOTrainer
from trl.experimental.async_grpo import AsyncGRPOTrainer

from tmax_trainers.trl.mixins import AsyncDPPOMixin, DPPOMixin

__all__ = ["AsyncDPPOTrainer", "SyncDPPOTrainer"]


class SyncDPPOTrainer(DPPOMixin, GRPOTrainer):  # type: ignore[misc]
    """`GRPOTrainer` whose loss is DPPO's; pass `**DPPO_SETTINGS` to its `GRPOConfig`."""


class AsyncDPPOTrainer(AsyncDPPOMixin, AsyncGRPOTrainer):  # type: ignore[misc]
    """`AsyncGRPOTrainer` whose loss is DPPO's; like TRL's own, for dense models on CUDA.

    Never run as a whole on such a machine; `compute_loss` is tested with TRL's.
    """
