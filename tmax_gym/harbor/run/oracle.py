"""The reference solution of a Harbor task, step by step, as commands for the agent's shell.

It runs in the background, because it may take longer than one command may.  As in Harbor,
`solve.sh` is a program: its first line names its interpreter.  A solution that cannot be started
is a fault of the task and no zero.  Without a network, its programs fail at once, as those of test
scripts do.
"""

from __future__ import annotations

import base64
import gzip
import os
import re
import shlex
from collections.abc import Mapping
from functools import partial
from typing import Protocol, runtime_checkable

from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.episodes.task import Script, Solution
from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build.context import packed
from tmax_gym.harbor.run.episode import Trial
from tmax_gym.harbor.run.grading import offline
from tmax_gym.harbor.run.grading.doubts import unsolvable
from tmax_gym.harbor.run.opened import Opened
from tmax_gym.harbor.tasks.directory import HarborStep
from tmax_gym.harbor.tasks.scripts import interpreter
from tmax_gym.harbor.tasks.templates import resolve

PIECE = 96 << 10
"""Characters of a solution's archive in one command: shells accept at least 400 kB."""
_ENDED = "solve.sh ended with status"
_WAIT = (
    'for i in $(seq 200); do kill -0 "$oracle" 2>/dev/null || break; sleep 0.1; done; '
    'if kill -0 "$oracle" 2>/dev/null; then echo still running; else wait "$oracle"; '
    f'echo "{_ENDED} $?"; tail -c 2000 /tmp/.oracle.log; fi'
)
"""Waits for twenty seconds, which is less than the limit of a command."""
_UNSTARTED = re.compile(
    rf"{_ENDED} 12[67]\b(?:\s*\n(/\S+/env: .*)|.*?^(.*/solution/solve\.sh: (?!line \d).*)$)",
    re.DOTALL | re.MULTILINE,
)
"""What bash, or `#!/usr/bin/env`, prints about a program that it cannot start."""


@runtime_checkable
class Equipped(Protocol):
    """An episode whose machine can get settings for programs without a network."""

    machine: Opened


def solution(trial: Trial) -> Solution:
    """Return the solution of a task.

    Raises:
        HarborError: One of its steps has none, or one that Linux cannot run.
    """
    steps = trial.harbor.steps
    if bare := [step.name or "the task" for step in steps if step.solution is None]:
        raise HarborError(f"task {trial.name} has no solution/solve.sh for {', '.join(bare)}")
    for step in steps:
        if reason := unsolvable(trial.harbor, step):
            raise HarborError(f"task {trial.name} cannot be solved by its oracle: {reason}")
    _commands(trial, steps[0], {})  # so that a file that cannot be read is reported early
    return partial(_script, trial)


def _script(trial: Trial, ground: object) -> Script:
    """Unpack each step's solution, run it and wait for its end; submit between two steps.

    Raises:
        HarborError: A solution could not be started.
    """
    for place, step in enumerate(trial.harbor.steps):
        if place:
            yield SUBMIT
        script = (trial.harbor.directory / f"{step.solution}/solve.sh").read_bytes()
        env: Mapping[str, str] = {}
        if isinstance(ground, Equipped):
            env = offline.equip(ground.machine, script.decode(errors="replace"))
        printed = ""
        for command in _commands(trial, step, env):
            printed = yield command
        while _ENDED not in printed:
            printed = yield _WAIT
        if failed := _UNSTARTED.search(printed):
            reason = (failed[1] or failed[2]).splitlines()[0].strip()
            program = interpreter(script)
            hint = f" (its first line names {program})" if program else ""
            raise HarborError(
                f"task {trial.name}: its {step.solution}/solve.sh{hint} cannot be started in this "
                f"machine: {reason}"
            )


def _commands(trial: Trial, step: HarborStep, env: Mapping[str, str]) -> list[str]:
    """Return commands that unpack and start a solution, and wait for it once."""
    packed = base64.b64encode(_archive(trial, step)).decode()
    commands = ["rm -rf /solution/* /tmp/.solution; mkdir -p /solution"]
    commands += [
        f"cat >> /tmp/.solution <<'END'\n{packed[at : at + PIECE]}\nEND"
        for at in range(0, len(packed), PIECE)
    ]
    env = {**env, **resolve(trial.harbor.config.solution.env, os.environ)}
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    commands += [
        "tr -d '\\n' < /tmp/.solution | base64 -d | tar -xpz -C /solution; rm /tmp/.solution; "
        "chmod +x /solution/solve.sh",  # as Harbor does, and only for this script
        f"env {words} DEBIAN_FRONTEND=noninteractive bash -c /solution/solve.sh "
        "> /tmp/.oracle.log 2>&1 < /dev/null & oracle=$!",
        _WAIT,
    ]
    return commands


def _archive(trial: Trial, step: HarborStep) -> bytes:
    below = f"{step.solution}/"
    entries = {e.name.removeprefix(below): e for e in trial.harbor.entries(str(step.solution))}
    return gzip.compress(packed(entries))
