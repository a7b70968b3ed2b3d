"""The trials of one run as data (`Trial`, `Run`) and as JSONL.

A file has a line for every trial, an object with sorted keys:

    {"attempt": 0, "digest": "sha256:…", "ending": "submitted", "reward": 0.5,
     "tags": {"category": "security", "difficulty": "hard"}, "task": "tblite/x"}

`task`, `attempt` and `ending` are required; older files have `status` for `ending`.  Without
`reward` (or with null) a trial is ungraded; without `digest` a change of the task cannot be
detected.  Other keys are ignored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from tmax_gym.errors import ResultsError
from tmax_gym.trajectory import Ending

Rewards = Mapping[str, Sequence[float]]
"""The rewards of every task, at least one each."""

TRIALS = "trials.jsonl"
"""The name of the file in a run's directory."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt at one task."""

    task: str
    attempt: int
    reward: float | None
    """None if nothing was graded, which is not the same as 0."""
    ending: Ending = Ending.SUBMITTED
    digest: str = ""
    """Digest of everything in the task; "" if unknown."""
    tags: tuple[tuple[str, str], ...] = ()
    """Labels of the task (difficulty, category), sorted by name."""

    def __post_init__(self) -> None:
        """Refuse rewards that contradict the ending."""
        if self.reward is not None and not isfinite(self.reward):
            raise ValueError(f"reward {self.reward} of {self.task} is no number")
        # Other programs do not grade every agent that runs out of time.
        if self.reward is None and self.ending.graded and self.ending is not Ending.TIME_LIMIT:
            raise ValueError(f"a trial of {self.task} ended as {self.ending} and has no reward")
        if self.reward is not None and self.ending.blameless:
            raise ValueError(
                f"a trial of {self.task} ended as {self.ending} and yet has reward {self.reward}"
            )


@dataclass(frozen=True, slots=True)
class Run:
    """The trials of one agent, sorted by task and attempt."""

    name: str
    trials: tuple[Trial, ...]

    def __post_init__(self) -> None:
        """Sort the trials; refuse repeated attempts and contradictory tasks.

        Raises:
            ResultsError: A (task, attempt) occurs twice, or trials of one task disagree about
                its digest or a tag.
        """
        object.__setattr__(
            self, "trials", tuple(sorted(self.trials, key=lambda t: (t.task, t.attempt)))
        )
        for first, second in zip(self.trials, self.trials[1:], strict=False):
            if (first.task, first.attempt) == (second.task, second.attempt):
                raise ResultsError(
                    f"{self.name}: attempt {first.attempt} of {first.task} is there twice; "
                    "keep one line of each attempt"
                )
        self._one_each("digest", ((t.task, t.digest) for t in self.trials if t.digest))
        for tag in {name for trial in self.trials for name, _ in trial.tags}:
            self._one_each(tag, ((t.task, dict(t.tags).get(tag, "")) for t in self.trials))

    def _one_each(self, what: str, pairs: Any) -> None:
        known: dict[str, str] = {}
        for task, value in pairs:
            if known.setdefault(task, value) != value:
                raise ResultsError(
                    f"{self.name}: trials of {task} disagree about its {what} "
                    f"({known[task]!r}, {value!r}): they are not of one task; run them again"
                )

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return the tasks with a trial."""
        return tuple(dict.fromkeys(trial.task for trial in self.trials))

    @property
    def digests(self) -> dict[str, str]:
        """Return the digest of every task that has one."""
        return {trial.task: trial.digest for trial in self.trials if trial.digest}

    @property
    def ungraded(self) -> tuple[Trial, ...]:
        """Return the trials without a reward."""
        return tuple(trial for trial in self.trials if trial.reward is None)

    @property
    def endings(self) -> tuple[tuple[Ending, int], ...]:
        """Return the number of trials for every ending, by name."""
        return tuple(sorted(Counter(trial.ending for trial in self.trials).items()))

    def rewards(self, *, ungraded: float | None = None) -> dict[str, tuple[float, ...]]:
        """Return the rewards of every task, in the order of attempts.

        Trials without a reward count as `ungraded`; if that is None they are left out, and so
        are tasks that have no other.
        """
        rewards: dict[str, list[float]] = {}
        for trial in self.trials:
            reward = ungraded if trial.reward is None else trial.reward
            if reward is not None:
                rewards.setdefault(trial.task, []).append(reward)
        return {task: tuple(own) for task, own in rewards.items()}

    def by_tag(self, tag: str) -> tuple[tuple[str, Run], ...]:
        """Return the parts of this run by the value of a tag; "" holds tasks without it."""
        parts: dict[str, list[Trial]] = {}
        for trial in self.trials:
            parts.setdefault(dict(trial.tags).get(tag, ""), []).append(trial)
        return tuple((value, Run(self.name, tuple(parts[value]))) for value in sorted(parts))


def to_json(trial: Trial) -> str:
    """Return one line of JSON with sorted keys."""
    row = {
        "task": trial.task,
        "attempt": trial.attempt,
        "reward": trial.reward,
        "ending": str(trial.ending),
        "digest": trial.digest,
        "tags": dict(trial.tags),
    }
    return json.dumps(row, sort_keys=True)


def from_json(line: str) -> Trial:
    """Return the trial of one line; other keys are ignored.

    Raises:
        ValueError: It is no such line.

    >>> from_json('{"task": "a", "attempt": 1, "ending": "ungraded", "seconds": 3}').reward
    """
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("it is no object")
    row.setdefault("ending", row.get("status"))
    if missing := {name for name in ("task", "attempt", "ending") if row.get(name) is None}:
        raise ValueError(f"it has no {', '.join(sorted(missing))}")
    reward, tags = row.get("reward"), row.get("tags") or {}
    if not isinstance(row["task"], str) or not row["task"]:
        raise ValueError(f"task is {row['task']!r} and should be a name")
    if type(row["attempt"]) is not int:
        raise ValueError(f"attempt is {row['attempt']!r} and should be an integer")
    # bool is an int to Python: `true` for a reward is a mistake of the writer's.
    if reward is not None and type(reward) not in (int, float):
        raise ValueError(f"reward is {reward!r} and should be a number or null")
    if not isinstance(tags, dict):
        raise ValueError(f"tags are {tags!r} and should be an object")
    return Trial(
        task=row["task"],
        attempt=row["attempt"],
        reward=None if reward is None else float(reward),
        ending=Ending.read(str(row["ending"])),
        digest=str(row.get("digest") or ""),
        tags=tuple(sorted((str(k), str(v)) for k, v in tags.items() if v is not None)),
    )


def read_run(path: str | Path, *, name: str | None = None) -> Run:
    """Return the run of a JSONL file, or of a directory that holds `trials.jsonl`.

    Raises:
        ResultsError: There is no such file, a line is none of a trial, or there is no trial.
    """
    file = Path(path) / TRIALS if Path(path).is_dir() else Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"cannot read trials from {file}: {error}\n"
            f"Give a JSONL file of trials, or a directory with {TRIALS}."
        ) from error
    trials = []
    # Not splitlines(): a line may hold U+2028 and the like.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                trials.append(from_json(line))
            except (ValueError, RecursionError, OverflowError) as error:
                raise ResultsError(f"{file}:{number}: not a trial: {error}") from error
    if not trials:
        raise ResultsError(f"{file} holds no trial; did the run end before its first?")
    return Run(str(path) if name is None else name, tuple(trials))


def write_run(path: str | Path, run: Run) -> None:
    """Write a run's JSONL."""
    lines = "".join(to_json(trial) + "\n" for trial in run.trials)
    Path(path).write_text(lines, encoding="utf-8")
