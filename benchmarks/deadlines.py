"""Compute the longest time of each part of an episode from the time-outs inside it.

Every outer limit is the sum of the inner ones, because a watcher with a lower limit would kill
what may still run.  A call that takes longer is a bug, or the kernel hangs; ordinary times are
far below (a native start takes 0.01 s).
Covers `native`, `docker` and `podman`.  Does not cover the time in which an agent thinks, and
disks that never return from a system call.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from tmax_gym import shell
from tmax_gym.agents import rollout
from tmax_gym.episodes.composed import SETUP_SECONDS
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.grading import drivers, evidence
from tmax_gym.sandboxes.docker import engine as docker_engine
from tmax_gym.sandboxes.docker import exit_state as docker_end
from tmax_gym.sandboxes.docker import init as docker_init
from tmax_gym.sandboxes.native import program_io
from tmax_gym.sandboxes.native import sandbox as native
from tmax_gym.sandboxes.native import terminal as native_terminal
from tmax_gym.shell import prompts, session
from tmax_gym.tasks.compose import Task

SLACK = 5.0
"""Seconds for work without a time-out: copying files, a busy host."""
_CALL = docker_engine.TIMEOUT
_ALIVE_SECONDS = 10.0
"""Seconds that `Shell` gives `/bin/true` to tell a dead sandbox from a dead shell."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The time-outs of a backend's own calls, in seconds."""

    start: float
    terminal: float
    """Opening a terminal."""
    hang_up: float
    """Closing a terminal."""
    exec: float
    """Beyond the time-out of the command."""
    look: float
    """Checking whether a shell lives."""
    freeze: float
    close: float
    places: int
    """How many sandboxes may start or end at once; the others queue."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds after which a part of an episode is stuck."""

    reset: float
    step: float
    grade: float
    close: float
    episode: float
    """From `reset` to the last `close`, without the agent's thinking."""
    rollout: float
    """With all retries."""


def patience(backend: str) -> Patience:
    """Return the time-outs of a backend's calls."""
    if backend == "native":
        kill = program_io._KILL_SECONDS
        return Patience(
            start=2 * native._START_SECONDS,  # two messages
            terminal=native._START_SECONDS,
            hang_up=native_terminal.HANG_UP_SECONDS,
            exec=kill,
            look=0.0,
            freeze=kill,
            close=kill + len(shell._PAUSES) * native_terminal.HANG_UP_SECONDS,
            places=2 * (os.cpu_count() or 1),
        )
    raw = 3 * _CALL  # connect, send, the head of the answer
    check = docker_init._PATIENCE + docker_end.REAP + _CALL
    state = docker_end.REAP + _CALL
    return Patience(
        start=4 * _CALL + raw,  # create, attach, start, inspect, the layer
        terminal=2 * (_CALL + raw + _CALL + check + docker_init._PATIENCE) + _CALL + state,
        hang_up=docker_init._PATIENCE,
        exec=_CALL + raw + state + docker_init._PATIENCE + 1.0 + state + check,
        look=docker_init._PATIENCE,
        freeze=_CALL + check,
        close=_CALL,
        places=docker_engine.CREATORS,
    )


def deadlines(
    task: Task,
    limits: EpisodeLimits,
    backend: str,
    *,
    at_once: int = 1,
    retries: int = 0,
) -> Deadlines:
    """Return the limits of an episode's parts if `at_once` episodes run at the same time."""
    wait = patience(backend)
    queue = math.ceil(max(0, at_once - 1) / wait.places) * max(wait.start, wait.close, wait.freeze)
    start = queue + wait.start
    close = queue + wait.close + wait.hang_up
    setup = (1 + len(task.setup)) * (SETUP_SECONDS + wait.exec)
    reset = start + setup + opening(wait) + command(wait, shell.TIMEOUT) + close + SLACK
    step = command(wait, min(limits.command_timeout, limits.episode_seconds)) + SLACK
    drives = evidence.DRIVES * (len(task.checks) + len(task.gates))
    drive = start + wait.exec + evidence.MARGIN + close + SLACK
    grade = queue + wait.freeze + drivers.STRETCH * limits.verify_timeout + drives * drive + SLACK
    # The sum of all commands has a limit too; the last one may begin just before it.
    steps = min(limits.max_steps * step, limits.episode_seconds + step)
    episode = reset + steps + grade + close
    pauses = sum(rollout.pause(attempt) + rollout.RECOVERY for attempt in range(retries))
    return Deadlines(reset, step, grade, close, episode, (retries + 1) * episode + pauses)


def opening(wait: Patience, answer: float = session.OPENING) -> float:
    """Return the limit of starting a shell that has `answer` seconds for its first prompt."""
    return wait.terminal + answer + wait.hang_up


def command(wait: Patience, timeout: float) -> float:
    """Return the limit of one command: its time-out, the recovery after it, two new shells.

    One shell is needed if the old one had ended before, another if the command ends it.
    """
    alive = _ALIVE_SECONDS + wait.exec
    again = opening(wait, shell._REOPENING)
    restart = wait.hang_up + sum(shell._PAUSES) + len(shell._PAUSES) * (again + alive)
    rungs = 4 * 2 * session._RUNG  # each types or signals, and then waits
    ask = (1 + 2) * session._RUNG
    tidy = session._RUNG + session.TIDY
    # One check at the end of each wait.
    looks = 3 * (prompts.GLANCE + prompts.ON_ITS_WAY + 3 * wait.look)
    followed = rungs + ask + tidy + session.ENDED_SECONDS + looks
    leave = followed  # a program that typed keys have started
    return leave + timeout + followed + 2 * restart
