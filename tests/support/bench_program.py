"""The `tmax` command with a dataset of small tasks, `tiny`, for tests that start processes.

Two sorts of task, and one whose verifier is broken with `TINY_FAULTY`; `TINY_COPIES` of each (4
if it is not set).  `TINY_DIGEST` is mixed into every digest: another one makes all of them other
tasks.  `TINY_SIGNAL=9@15`: the process sends itself signal 9 when the 15th trial begins.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import replace

from tests.support.tiny_tasks import faulty_task, halves_task, sum_task
from tmax_gym.bench.running.datasets import BenchDataset, Item, Selection, register_dataset
from tmax_gym.cli import main
from tmax_gym.tasks.compose import Task

BEGUN = itertools.count(1)


def copied(task: Task, number: int) -> Item:
    """Return a copy of a task with another name."""
    name = f"{task.name.partition('-')[0]}-{number:02}"
    digest = f"{task.digest}-{os.environ.get('TINY_DIGEST', '')}"
    same = replace(task, spec=replace(task.spec, name=name), digest=digest)
    tags = (("category", task.name.partition(".")[0]), ("difficulty", ("easy", "hard")[number % 2]))

    def load() -> Task:
        number, _, place = os.environ.get("TINY_SIGNAL", "0@0").partition("@")
        if next(BEGUN) == int(place):
            os.kill(os.getpid(), int(number))
        return same

    return Item(name, digest, load, tags)


def tiny(selection: Selection) -> BenchDataset:
    """Return every task of the dataset."""
    kinds = [sum_task(), halves_task()]
    if os.environ.get("TINY_FAULTY"):
        kinds.append(faulty_task())
    copies = int(os.environ.get("TINY_COPIES", "4"))
    return BenchDataset("tiny", tuple(copied(task, n) for task in kinds for n in range(copies)))


register_dataset("tiny", tiny)

if __name__ == "__main__":
    main()
