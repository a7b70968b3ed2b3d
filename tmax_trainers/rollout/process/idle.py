"""What stands in for rollouts on processes that do not sample: the main one tells them all.

Covers the members that the trainer touches there.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

import torch


class IdleWorker:
    """A rollout worker that is never asked for a sample."""

    def __init__(self) -> None:
        self.rollout_buffer: queue.Queue[Any] = queue.Queue()
        self.metrics_queue: queue.Queue[Any] = queue.Queue()

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def update_model_version(self, model_version: int) -> None:
        """Do nothing."""

    def check_health(self, stale_after_s: float) -> None:
        """Do nothing."""


class IdleTransfer:
    """A weight transfer that sends nothing; its process still takes part in gathering."""

    def init_weight_transfer(self) -> None:
        """Do nothing."""

    def pause(self) -> None:
        """Do nothing."""

    def send_weights(self, iterator: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Do nothing."""

    def resume(self) -> None:
        """Do nothing."""

    def destroy(self) -> None:
        """Do nothing."""
