"""Our groups and engine behind TRL's two protocols: rollout worker and weight transfer.

Covers what `trl.experimental.async_grpo` asks of the two objects, in process.  Does not cover
TRL's trainer, which needs CUDA and refuses hybrid models: `DPPOTrainer` takes the same objects.
Does not import TRL: `tests/trainers/trl/test_trl_seams.py` compares names, signatures and fields.
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
from tmax_gym.trajectory import Trajectory
from tmax_trainers.engines import Engine
from tmax_trainers.rollout.records import Batch, Metrics, ScoredGroup
from tmax_trainers.rollout.source import Source


@dataclass(slots=True)
class Sample:
    """One episode to train on: the fields of TRL's `RolloutSample`, then our own."""

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
    """Samples of this group: when so many have come, it is whole."""
    versions: np.ndarray[Any, np.dtype[np.int64]] | None = None
    """Policy version that sampled each token; -1 where none did."""


class GroupRolloutWorker:
    """A `RolloutWorkerProtocol` that emits the batches of a group source, whole and in order.

    Args:
        source: Where batches come from.
        watch: Called with every batch, before its samples are emitted.
    """

    def __init__(
        self, source: Source, *, watch: Callable[[Batch], None] = lambda batch: None
    ) -> None:
        self.rollout_buffer: queue.Queue[Sample] = queue.Queue()
        self.metrics_queue: queue.Queue[Metrics] = queue.Queue()
        self._source = source
        self._watch = watch
        self._error: BaseException | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None

    @property
    def source(self) -> Source:
        """Return where batches come from: a checkpoint holds its state."""
        return self._source

    def start(self) -> None:
        """Begin producing rollouts."""
        self._source.start()
        self._thread = threading.Thread(target=self._pump, name="tmax-batches", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the running episodes and the threads."""
        self._stopping = True
        self._source.stop()
        if self._thread is not None:
            self._thread.join()

    def update_model_version(self, model_version: int) -> None:
        """Pass on which policy version is live."""
        self._source.update_version(model_version)

    def check_health(self, stale_after_s: float) -> None:
        """Raise what stopped the episodes, if something did.

        Args:
            stale_after_s: Ignored: an episode may be slow, and the trainer has its own limit.
        """
        if isinstance(self._error, TrainingError):
            raise self._error
        if self._error is not None:
            raise TrainingError(f"the rollouts stopped: {self._error}") from self._error

    def _pump(self) -> None:
        try:
            while not self._stopping:
                batch = self._source.next_batch(timeout=1.0)
                if batch is None:
                    continue
                self._watch(batch)
                self.metrics_queue.put(batch.metrics)
                for group in batch.groups:
                    for sample in samples(group):
                        self.rollout_buffer.put(sample)
        except BaseException as error:  # raised again by check_health in the trainer's thread
            self._error = error


def samples(group: ScoredGroup) -> list[Sample]:
    """Return a group as records, one per episode."""
    members = group.group.trajectories
    return [
        _sample(group, trajectory, advantage)
        for trajectory, advantage in zip(members, group.advantages, strict=True)
    ]


def _sample(group: ScoredGroup, episode: Trajectory, advantage: float) -> Sample:
    if episode.tokens is None or episode.reward is None:
        raise ValueError(f"an episode of {episode.task!r} without tokens or reward cannot train")
    turns = [
        {"role": role, "content": text}
        for step in episode.steps
        for role, text in (("assistant", step.reply or step.action), ("tool", step.observation))
    ]
    return Sample(
        prompt=[{"role": "user", "content": episode.task}],
        completion=turns,
        input_ids=np.array(episode.tokens.ids, dtype=np.int64),
        completion_mask=np.array(episode.tokens.mask, dtype=np.int64),
        old_log_probs=np.array(episode.tokens.logprobs, dtype=np.float32),
        advantage=advantage,
        model_version=group.version,
        group_id=group.number,
        metrics={"reward": episode.reward},
        enqueued_at=time.time(),
        group_rows=len(group.group.trajectories),
        versions=np.array(episode.tokens.versions, dtype=np.int64),
    )


class EngineWeightTransfer:
    """A `WeightTransferProtocol` that updates an engine of this process.

    Versions count the transfers since `init_weight_transfer`, as the trainers do.

    Args:
        engine: What is updated.
        sent: Where counting begins: the step that a run is resumed from.
    """

    def __init__(self, engine: Engine, *, sent: int = 0) -> None:
        self._engine = engine
        self._first = sent
        self._sent = sent

    def init_weight_transfer(self) -> None:
        """Count from the beginning."""
        self._sent = self._first

    def pause(self) -> None:
        """Do nothing: an engine takes weights in between two tokens."""

    def send_weights(self, iterator: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Hand the weights over; returns when new tokens are sampled from them."""
        self._sent += 1
        self._engine.update(iterator, self._sent)

    def resume(self) -> None:
        """Do nothing, as `pause`."""

    def destroy(self) -> None:
        """Do nothing: who made the engine closes it."""
