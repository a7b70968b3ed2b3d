"""The micro-batches that one rank trains, as an endless dataset.

The main rank reads batches of whole groups from the rollout worker and sends them to the others;
each rank cuts them alike and takes its own share.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from accelerate.utils import broadcast_object_list
from torch.utils.data import IterableDataset

from tmax_gym.errors import NothingToLearn
from tmax_trainers.dppo.batching import (
    BatchReader,
    SampleLike,
    ages,
    micro_batches,
    trained_mask,
)

logger = logging.getLogger(__name__)


class MicroBatches(IterableDataset[dict[str, torch.Tensor]]):
    """The micro-batches of a trainer's rank; it ends when the policy has nothing left to learn."""

    def __init__(self, trainer: Any) -> None:  # a `DPPOTrainer`, whose module imports this one
        self._trainer = trainer

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        """Yield this rank's micro-batches.

        Raises:
            TrainingError: No batch came in time, or the rollouts failed.
        """
        trainer = self._trainer
        args, accelerator = trainer.args, trainer.accelerator
        reader = BatchReader(
            trainer.rollout_worker,
            groups=args.groups_per_step,
            group_rows=args.group_size,
            timeout=args.rollout_timeout,
        )
        ranks = accelerator.num_processes // args.sequence_parallel
        own = accelerator.process_index // args.sequence_parallel
        while True:
            samples = [self._take(reader) if accelerator.is_main_process else None]
            if accelerator.num_processes > 1:
                broadcast_object_list(samples)
            if not samples[0]:
                trainer.control.should_training_stop = True
                return
            self._note_ages(samples[0])
            parts = micro_batches(
                samples[0],
                count=args.gradient_accumulation_steps * ranks,
                oldest=self._oldest(samples[0]),
                present=self._present(),
                packed=args.packing,
                config=trainer.loss_config,
            )
            yield from map(trainer.sequence.part, parts[own::ranks])

    def _note_ages(self, samples: Sequence[SampleLike]) -> None:
        """Record the age of a batch when it is trained, which includes its time in the queue."""
        if self._trainer.weight_transfer is not None:
            self._trainer.note(ages(samples, self._trainer.model_version))

    def _oldest(self, samples: Sequence[SampleLike]) -> int | None:
        """Return the oldest version that is trained; record how many tokens are older."""
        trainer, age = self._trainer, self._trainer.args.max_token_age
        if trainer.weight_transfer is None or age is None:
            return None
        oldest: int = trainer.model_version - age
        sampled = sum(int(trained_mask(s, None).sum()) for s in samples)
        kept = sum(int(trained_mask(s, oldest).sum()) for s in samples)
        trainer.note({"staleness/masked_tokens": (sampled - kept, sampled)})
        return oldest

    def _present(self) -> int | None:
        """Return the version of the weights that are trained now, where versions are known."""
        trainer = self._trainer
        return None if trainer.weight_transfer is None else trainer.model_version

    def _take(self, reader: BatchReader) -> list[SampleLike]:
        """Return a batch, and note its metrics; an empty one if there is nothing left to learn."""
        try:
            samples = reader.take()
            for metrics in reader.metrics(samples):
                self._trainer.note(metrics)
            return samples
        except NothingToLearn as done:
            logger.warning("Training ends after step %s: %s", self._trainer.state.global_step, done)
            return []
