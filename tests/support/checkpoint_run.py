"""A run of the tiny bandit with checkpoints, for this process or for one that is killed.

python -m tests.support.checkpoint_run OUT STALENESS...

Starts a run without end in OUT/STALENESS for each, and kills it after its first checkpoint.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import sys
import time
import traceback
from pathlib import Path

import torch

from tests.trainers.dppo.test_trainer import Bandit, config, policy
from tmax_trainers.dppo import checkpoints
from tmax_trainers.dppo.trainer import DPPOTrainer
from tmax_trainers.engines.transformers import TransformersEngine
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.records import GroupConfig
from tmax_trainers.rollout.task_order import Shuffled
from tmax_trainers.rollout.worker import EngineWeightTransfer, GroupRolloutWorker

LONG = 100_000
"""Steps of a run that is killed."""


class Seen(queue.Queue):  # type: ignore[type-arg]
    """The worker's queue, which records the samples that the trainer takes."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple[int, str, tuple[int, ...]]] = []

    def get(self, *args: object, **kwargs: object) -> object:
        """Return the next sample."""
        sample = super().get(*args, **kwargs)  # type: ignore[arg-type]
        ids = tuple(sample.input_ids.tolist())
        self.taken.append((sample.group_id, sample.prompt[0]["content"], ids))
        return sample


def run(out: Path, steps: int, staleness: int, *, resume: bool = False, evaluate=None):
    """Train; return the model and the samples taken.  Resumes from the newest checkpoint."""
    checkpoint = checkpoints.latest(out) if resume else None
    model = policy()
    with TransformersEngine(model, slots=32) as engine:
        source = GroupSource(
            Bandit(engine),
            Shuffled(sorted(Bandit.likes), seed=1),
            GroupConfig(2, 8, max_staleness=staleness, workers=16, seed=5),
        )
        worker = GroupRolloutWorker(source)
        worker.rollout_buffer = Seen()
        if checkpoint is not None:
            checkpoints.restore(source, checkpoint[1])
        trainer = DPPOTrainer(
            model,
            config(out, max_steps=steps, groups_per_step=2, learning_rate=1e-2,
                   ignore_data_skip=True, report_to="none"),
            rollout_worker=worker,
            weight_transfer=EngineWeightTransfer(engine, sent=checkpoint[0] if checkpoint else 0),
        )  # fmt: skip
        trainer.add_callback(
            checkpoints.Checkpoints(
                source, out, every=2, keep=2, evaluate=evaluate,
                evaluate_every=2 if evaluate else 0,
            )
        )  # fmt: skip
        trainer.train(resume_from_checkpoint=str(checkpoint[1]) if checkpoint else None)
    return trainer, worker.rollout_buffer.taken


def kill_after_a_checkpoint(out: Path, staleness: int) -> None:
    """Start a run in a process of its own; kill it with SIGKILL after its first checkpoint."""
    gc.freeze()  # a trainer starts full collections: they need not look at modules
    # A fork spares the process the import of torch, which starts no thread by itself.
    process = os.fork()
    if not process:
        try:
            run(out, LONG, staleness)
        finally:
            traceback.print_exc()
            os._exit(1)
    while not checkpoints.latest(out):
        if os.waitpid(process, os.WNOHANG)[0]:
            raise SystemExit("the run ended before its first checkpoint")
        time.sleep(0.005)
    os.kill(process, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert status == -signal.SIGKILL, status


if __name__ == "__main__":
    torch.set_num_threads(1)
    for given in sys.argv[2:]:
        kill_after_a_checkpoint(Path(sys.argv[1]) / given, int(given))
