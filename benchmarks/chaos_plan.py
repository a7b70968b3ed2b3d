"""Plan the episodes of a chaos run and their faults, from one seed.

An episode has a task, an agent and a known reward; the plan says which fault hits which episode
at which turn.  Faults of one sandbox are in `chaos_faults.py`, those of the host in
`chaos_host.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.tiny_tasks import halves_task, sum_task, tiny_task
from tmax_gym import journal
from tmax_gym.checks.check import Case, Check, Evidence, Program
from tmax_gym.rng import Rng
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Trajectory, from_row

INSIDE = ("shell", "process", "disk")
"""Faults that an agent can cause itself: kill its shell or a program, fill its disk.  Such an
episode is graded as it is; it is neither masked nor repeated."""
OF_MACHINE = ("machine", "pause", "slow")
"""Faults of one sandbox from outside: process 1 is killed; all processes are stopped for a moment;
it has a tenth of its CPU time."""
OF_RUN = ("rollout", "parent", "power")
"""The playing process is killed; its parent; or both, with the processes that clean up for them."""
ENGINE = {
    "native": ("zygote", "zygote hangs", "cache full", "cache slow"),
    "docker": ("daemon", "daemon hangs", "daemon restarts", "store full", "store slow"),
    "podman": ("daemon", "daemon hangs", "daemon restarts", "store full", "store slow"),
}
"""Faults of all sandboxes: the process that starts them is killed, stopped or restarted; the disk
with their files is full, or blocks writes for a while."""
_REAL = 24
"""Catalogued tasks in a run."""
_OFTEN = {"machine": 3.0, "shell": 2.0, "process": 2.0}
"""Kinds that are drawn more often than once."""

NOISE = (
    "ls -la / > /dev/null",
    "for i in 1 2 3 4 5; do echo $i; done",
    "sleep 0.2",
    "seq 20000 | sort -rn | tail -1",
    "mkdir -p /tmp/noise && echo noise > /tmp/noise/file",
    "(sleep 5; echo late) &",
    "yes | head -c 300000 | wc -c",
    "f() { echo function; }; f; export NOISE=1",
    "cd /tmp; pwd; cd - > /dev/null",
    "head -c 200000 /dev/urandom > /tmp/random; wc -c < /tmp/random",
    "cat /proc/loadavg > /dev/null; true",
)
"""Commands that neither solve nor break anything; some take a moment."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A planned fault."""

    kind: str
    turn: int
    """The turn of the agent before which it comes, from 0; the last turn is the submission."""
    delay: float
    """Seconds after the start of the turn, while the command or the grading runs."""
    again: bool
    """Whether it hits every retry as well."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned episode."""

    number: int
    """Its seed; with task and agent, also its key in the journal."""
    task: str
    agent: str
    commands: tuple[str, ...]
    reward: float
    """Its reward without a fault."""
    fault: Fault | None

    @property
    def key(self) -> tuple[str, str, int]:
        """Return its key in the journal."""
        return self.task, self.agent, self.number


def played(path: Path) -> tuple[Trajectory, ...]:
    """Return the episodes of a journal, in the order in which they ended."""
    return journal.read(path, from_row)


def key_of(trajectory: Trajectory) -> tuple[str, str, int]:
    """Return what tells an episode from the others of its run: task, agent, seed."""
    return trajectory.task, trajectory.agent, trajectory.seed


def plan(
    episodes: int, *, every: float, seed: int, backend: str, catalogued: bool
) -> tuple[Planned, ...]:
    """Return a run in which one episode in `every` has a fault, on average.

    `catalogued` says whether some tasks are from the catalogue; they need the base image's tools.
    """
    rng = Rng("chaos", seed, backend)
    known = [spec.name for spec in catalogue.select() if spec.image == "core"]
    real = rng.fork("tasks").sample(known, _REAL) if catalogued else ()
    kinds = (*INSIDE, *OF_MACHINE, *OF_RUN, *ENGINE[backend])
    if backend != "native":  # engines have no quota: it would fill the disk of all
        kinds = tuple(kind for kind in kinds if kind != "disk")
    return tuple(
        _episode(rng.fork("episode", number), number, real, kinds=kinds, chance=1 / every)
        for number in range(episodes)
    )


def _episode(
    rng: Rng, number: int, real: Sequence[str], *, kinds: Sequence[str], chance: float
) -> Planned:
    agent = rng.weighted(("oracle", "noop", "partial", "random"), (5.0, 1.0, 2.0, 2.0))
    tiny = tuple(tiny_tasks())
    name = "halves.plain-2" if agent == "partial" else rng.choice(tiny)
    if real and agent != "partial" and rng.chance(0.4):
        name = rng.choice(real)
    commands, reward = _play(rng.fork("play"), agent, load(name))
    fault = _fault(rng.fork("fault"), kinds, len(commands)) if rng.chance(chance) else None
    return Planned(number, name, agent, commands, reward, fault)


def _play(rng: Rng, agent: str, task: Task) -> tuple[tuple[str, ...], float]:
    if agent == "oracle":
        return task.oracle, 1.0
    if agent == "noop":
        return (), 0.0
    noise = [rng.choice(NOISE) for _ in range(rng.integer(1, 4))]
    if agent == "random":
        return tuple(noise), 0.0
    # The two halves of the task are worth a quarter and three quarters.
    first, second = rng.chance(0.5), rng.chance(0.5)
    halves = ["echo a > /app/one"] * first + ["echo b > /app/two"] * second
    return tuple(rng.shuffled([*noise, *halves])), 0.25 * first + 0.75 * second


def _fault(rng: Rng, kinds: Sequence[str], turns: int) -> Fault:
    kind = rng.weighted(kinds, [_OFTEN.get(kind, 1.0) for kind in kinds])
    longest = rng.weighted((0.0, 0.02, 0.15), (1.0, 2.0, 1.0))
    if kind == "disk":  # filling one takes longer than most commands
        longest = 0.0
    return Fault(kind, rng.integer(0, turns), round(rng.uniform() * longest, 4), rng.chance(0.15))


@cache
def load(name: str) -> Task:
    """Return a hand-written task, or one of the catalogue."""
    tiny = tiny_tasks()
    return tiny[name] if name in tiny else catalogue.load(name)


@cache
def tiny_tasks() -> dict[str, Task]:
    """Return the hand-written tasks by name."""
    return {task.name: task for task in (sum_task(), halves_task(), double_task())}


def double_task() -> Task:
    """Return a task whose program the verifier runs in a sandbox of its own."""

    def score(evidence: Evidence) -> float:
        cases = [Case(stdin=f"{number}\n".encode()) for number in (2, 21, 500)]
        runs = evidence.run(Program("/app/double.py", "python"), cases)
        wanted = [b"4", b"42", b"1000"]
        return sum(run.stdout.strip() == want for run, want in zip(runs, wanted, strict=True)) / 3

    return tiny_task(
        "double.plain-4",
        "Write /app/double.py: it reads a number and prints twice of it.",
        oracle=[
            "echo 'print(2 * int(input()))' > /app/double.py",
            "echo 4 | python3 /app/double.py",
        ],
        checks=[Check("doubles", "fuzz_equivalence", score)],
    )
