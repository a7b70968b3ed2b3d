"""Group sources and engines behind two protocols of TRL: rollout worker and weight transfer.

They are the protocols of `trl.experimental.async_grpo`, which `DPPOTrainer` uses too.  TRL is not
imported; `tests/trainers/trl/test_trl_seams.py` compares names, signatures and fields with it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.engines import Engine
from tmax_trainers.rollout.records import Batch, Metrics, ScoredGroup
from tmax_trainers.rollout.source import Source

STOPPED = 0.05
"""Seconds between two questions to a source; one that was stopped answers at once."""


@dataclass(slots=True)
class Sample:
    """A sequence to train on: the fields of TRL's `RolloutSample`, then four more."""

    prompt: list[dict[str, str]]
    completion: list[dict[str, str]]
    input_ids: np.ndarray[Any, np.dtype[np.int64]]
    completion_mask: np.ndarray[Any, np.dtype[np.int64]]
    old_log_probs: np.ndarray[Any, np.dtype[np.float32]]
    advantage: float
    model_version: int
    """Policy version when the group was admitted."""
    group_id: int
    metrics: dict[str, float]
    enqueued_at: float | None = None
    group_rows: int = 0
    """Number of samples in this group."""
    versions: np.ndarray[Any, np.dtype[np.int64]] | None = None
    """Policy version that sampled each token; -1 for tokens that were not sampled."""
    batch: int | None = None
    """Number of its batch, from 0, and so the place of the batch's metrics in `metrics_queue`."""


class GroupRolloutWorker:
    """A `RolloutWorkerProtocol` that emits the batches of a source, complete and in order.

    Args:
        source: Source of batches, whose state a checkpoint holds.
        watch: Called with every batch before its samples are emitted.
    """

    def __init__(
        self, source: Source, *, watch: Callable[[Batch], None] = lambda batch: None
    ) -> None:
        self.rollout_buffer: queue.Queue[Sample] = queue.Queue()
        self.metrics_queue: queue.Queue[Metrics] = queue.Queue()
        self.source = source
        self._watch = watch
        self._error: BaseException | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to produce rollouts."""
        self.source.start()
        self._thread = threading.Thread(target=self._pump, name="tmax-batches", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the running episodes and the threads."""
        self._stopping.set()
        self.source.stop()
        if self._thread is not None:
            self._thread.join()

    def update_model_version(self, model_version: int) -> None:
        """Set the present policy version."""
        self.source.update_version(model_version)

    def check_health(self, stale_after_s: float) -> None:
        """Raise the error that stopped the episodes, if there was one.

        Args:
            stale_after_s: Ignored, because episodes may be slow and the trainer has its own limit.
        """
        if isinstance(self._error, TrainingError):
            raise self._error
        if self._error is not None:
            raise TrainingError(f"the rollouts stopped: {self._error}") from self._error

    def _pump(self) -> None:
        number = 0
        try:
            while not self._stopping.is_set():
                batch = self.source.next_batch(timeout=1.0)
                if batch is None:
                    self._stopping.wait(STOPPED)
                    continue
                self._watch(batch)
                self.metrics_queue.put(batch.metrics)
                for group in batch.groups:
                    for sample in samples_of(group):
                        sample.batch = number
                        self.rollout_buffer.put(sample)
                number += 1
        except BaseException as error:  # raised again by check_health in the trainer's thread
            self._error = error


def samples_of(group: ScoredGroup) -> list[Sample]:
    """Return the samples of a group: one for each sequence in which tokens are trained.

    Every sequence of an episode has the episode's advantage.  An episode in which nothing is
    trained has one sample, so that no group is empty.

    Raises:
        ValueError: An episode has no tokens or no reward.
    """
    rows = []
    for episode, advantage in zip(group.group.trajectories, group.advantages, strict=True):
        if episode.tokens is None or episode.reward is None:
            raise ValueError(
                f"an episode of {episode.task!r} without tokens or reward cannot train"
            )
        every = episode.tokens.sequences()
        trained = [tokens for tokens in every if any(tokens.mask)] or every[:1]
        metrics = {"reward": episode.reward}
        rows += [
            _sample(group, episode, tokens, advantage=advantage, metrics=metrics)
            for tokens in trained
        ]
    for row in rows:
        row.group_rows = len(rows)
    return rows


def _sample(
    group: ScoredGroup,
    episode: Trajectory,
    tokens: Tokens,
    *,
    advantage: float,
    metrics: dict[str, float],
) -> Sample:
    turns = [
        {"role": role, "content": text}
        for step in episode.steps
        for role, text in (("assistant", step.reply or step.action), ("tool", step.observation))
    ]
    return Sample(
        prompt=[{"role": "user", "content": episode.task}],
        completion=turns,
        input_ids=np.array(tokens.ids, dtype=np.int64),
        completion_mask=np.array(tokens.mask, dtype=np.int64),
        old_log_probs=np.array(tokens.logprobs, dtype=np.float32),
        advantage=advantage,
        model_version=group.version,
        group_id=group.number,
        metrics=metrics,
        enqueued_at=time.time(),
        versions=np.array(tokens.versions, dtype=np.int64),
    )


class EngineWeightTransfer:
    """A `WeightTransferProtocol` that updates an engine.

    Versions count the transfers since `init_weight_transfer`, as the trainers do.

    Args:
        engine: The engine.
        sent: Version at which counting begins: the step from which a run is resumed.
    """

    def __init__(self, engine: Engine, *, sent: int = 0) -> None:
        self._engine = engine
        self._first = sent
        self._sent = sent

    def init_weight_transfer(self) -> None:
        """Restart the count of versions."""
        self._sent = self._first

    def pause(self) -> None:
        """Do nothing: an engine updates weights between two tokens by itself."""

    def send_weights(self, iterator: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Update the engine; return when new tokens are sampled from these weights."""
        self._sent += 1
        self._engine.update(iterator, self._sent)

    def resume(self) -> None:
        """Do nothing, like `pause`."""

    def destroy(self) -> None:
        """Do nothing: the owner of the engine closes it."""
