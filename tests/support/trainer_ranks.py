"""Everything that tests want from trainers in two gloo ranks, with one import of torch.

python -m tests.support.trainer_ranks OUT

Writes OUT/copies/RANK-FUSED.pt, a gradient each; OUT/sequences, as `sequence_run` has it; and
OUT/sharded, as `sharded_run` has it.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import torch

from tests.support import sequence_run, sharded_run, two_ranks
from tests.trainers.dppo.test_trainer import gradient, policy, recorded

PARTS = 3
"""Micro-batches of a step."""


def copies(out: Path, rank: int) -> None:
    """Write the gradient of a step that two ranks with the same weights take."""
    for fused in (False, True):
        samples = [] if rank else recorded()
        result, trainer = gradient(policy(1), samples, PARTS, out, fused_head=fused)
        assert trainer.accelerator.num_processes == 2
        assert trainer.accelerator.process_index == rank
        torch.save(result, out / f"{rank}-{fused}.pt")


def main() -> None:
    """Run one after another."""
    torch.set_num_threads(1)
    works = {"copies": copies, "sequences": sequence_run.work, "sharded": sharded_run.work}
    for name, work in works.items():
        out = Path(sys.argv[1]) / name
        out.mkdir()
        two_ranks.run(partial(work, out))


if __name__ == "__main__":
    main()
