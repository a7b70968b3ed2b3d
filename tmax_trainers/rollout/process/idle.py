"""`Idle`: takes the place of rollouts on trainer processes that do not sample.

The main process alone plays episodes and sends weights; the others only gather weights with it.
"""

from __future__ import annotations

import queue
from typing import Any


class Idle:
    """A rollout worker without samples, and a weight transfer that sends nothing."""

    def __init__(self) -> None:
        self.rollout_buffer: queue.Queue[Any] = queue.Queue()
        self.metrics_queue: queue.Queue[Any] = queue.Queue()

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing."""

    start = stop = update_model_version = check_health = _nothing
    init_weight_transfer = pause = send_weights = resume = destroy = _nothing
