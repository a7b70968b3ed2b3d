"""Rollouts: an agent and a task become a `Trajectory`, several of them a `Group`.

The one place where a failure becomes data.  A machine that fails is replaced by a fresh one,
and the episode starts over; after the last try the trajectory has no reward.  No failure of
ours is ever reward 0.
Covers threads.  Does not cover asynchronous training: see `tmax_trainers.rollout`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Protocol, TypeVar

from tmax_gym.agents.agent import Agent, Prepared, Turn
from tmax_gym.agents.timed import TimedAgent
from tmax_gym.checks.verdict import Verdict
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.errors import (
    BackendUnavailable,
    ImageError,
    SandboxError,
    Unbuildable,
    Ungraded,
    VerifierError,
)
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Group, Step, Trajectory

T = TypeVar("T")

RETRY_SECONDS = 0.5
"""Before the first retry; doubles.  A killed machine needs none, a busy engine some."""
RECOVERY = 30.0
"""Seconds that a backend has before a retry to answer again: dockerd restarts in 2 to 10."""
_LOOK_SECONDS = 0.5
RETRIED = (Ending.INFRA_ERROR, Ending.UNGRADED)
"""What another machine may put right."""


class _AgentFailure(Exception):
    """The agent's own code raised; the cause is the exception."""


class Playable(Protocol):
    """A task that brings an environment of its own: one of a dataset."""

    @property
    def name(self) -> str:
        """Return what trajectories call it."""

    def environment(
        self, *, backend: Backend, image: str | None, limits: EpisodeLimits | None
    ) -> TerminalEnv:
        """Return a terminal with this task; its own limits where None are given."""


@dataclass(slots=True)
class _Play:
    """An episode in the making."""

    steps: list[Step] = field(default_factory=list)
    ending: Ending = Ending.AGENT_STOPPED
    verdict: Verdict | None = None


def rollout(
    task: Task | Playable,
    agent: Agent,
    *,
    backend: str | Backend = "auto",
    image: str | None = None,
    seed: int = 0,
    limits: EpisodeLimits | None = None,
    retries: int = 2,
) -> Trajectory:
    """Play one episode and return what happened.

    Args:
        task: What to do.
        agent: Who does it; not shared with another episode at the same time.
        backend: Where sandboxes run.
        image: Root file system; the default one if None.
        seed: Of the episode: what looks random to the agent, and its model's sampling.
        limits: What the episode may use.
        retries: Times that a failed machine is replaced.

    Raises:
        BackendUnavailable: No sandbox can run here; trying again would not help.
        ImageError: The root file system is absent; trying again would not help.
    """
    machines = backend_named(backend) if isinstance(backend, str) else backend
    env = environment(task, backend=machines, image=image, limits=limits)
    if env.limits.agent_seconds is not None and not isinstance(agent, TimedAgent):
        agent = TimedAgent(agent)
    faults: list[str] = []
    for attempt in range(retries + 1):
        play = _Play()
        message = ""
        try:
            with closing(env):
                _play(env, agent, seed, play)
        except (BackendUnavailable, ImageError):
            raise
        except Unbuildable as error:
            play.ending, message = Ending.INFRA_ERROR, str(error)
            break
        except (SandboxError, OSError) as error:
            # OSError: what the host refuses us (files, memory, disk) is no fault of an agent.
            play.ending, message = Ending.INFRA_ERROR, str(error) or repr(error)
        except Ungraded as error:
            play.ending, message = Ending.UNGRADED, str(error)
        except VerifierError as error:
            play.ending, message = Ending.VERIFIER_ERROR, str(error)
        except _AgentFailure as error:
            play.ending, message = Ending.AGENT_ERROR, repr(error.__cause__)
        if play.ending not in RETRIED or attempt == retries:
            break
        faults.append(message)
        _recover(machines, attempt)
    return _trajectory(task, agent, seed, play, message=message, faults=faults)


def rollout_group(
    task: Task | Playable,
    make_agent: Callable[[], Agent],
    *,
    size: int,
    backend: str | Backend = "auto",
    image: str | None = None,
    seed: int = 0,
    limits: EpisodeLimits | None = None,
    retries: int = 2,
    threads: int | None = None,
) -> Group:
    """Play `size` episodes of one task at the same time; member i has seed `seed + i`.

    Args:
        task: What to do.
        make_agent: Returns a new agent; called once a member.
        size: Members.
        backend: Where sandboxes run.
        image: Root file system; the default one if None.
        seed: Of the first member.
        limits: What each episode may use.
        retries: Times that a failed machine is replaced, for each member.
        threads: Episodes at the same time; all of them if None.
    """
    machines = backend_named(backend) if isinstance(backend, str) else backend

    def member(index: int) -> Trajectory:
        return rollout(
            task,
            make_agent(),
            backend=machines,
            image=image,
            seed=seed + index,
            limits=limits,
            retries=retries,
        )

    with ThreadPoolExecutor(threads or size, thread_name_prefix="rollout") as pool:
        return Group(task.name, tuple(pool.map(member, range(size))))


def environment(
    task: Task | Playable, *, backend: Backend, image: str | None, limits: EpisodeLimits | None
) -> TerminalEnv:
    """Return the terminal in which a task is played."""
    if not isinstance(task, Task):
        return task.environment(backend=backend, image=image, limits=limits)
    limits = limits or EpisodeLimits()
    options: Any = {f.name: getattr(limits, f.name) for f in fields(limits)}
    return TerminalEnv(task, backend=backend, image=image, **options)


def pause(attempt: int) -> float:
    """Return the seconds before the retry that follows an attempt, counted from 0."""
    return RETRY_SECONDS * 2.0**attempt


def _recover(machines: Backend, attempt: int) -> None:
    """Wait before a retry, longer where the engine is away: it may be starting again."""
    time.sleep(pause(attempt))
    deadline = time.monotonic() + RECOVERY
    while machines.problem() is not None and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)


def _play(env: TerminalEnv, agent: Agent, seed: int, play: _Play) -> None:
    instruction, _ = env.reset(seed=seed)
    timed = agent if isinstance(agent, TimedAgent) else None
    if timed is not None:
        timed.time.bind(env.time_left)
    _ask(partial(agent.reset, instruction, seed=seed))
    if isinstance(agent, Prepared):
        _ask(partial(agent.prepare, env.ground))
    observation = ""
    while True:
        turn = _ask(partial(agent.act, observation))
        if timed is not None:
            env.excuse(timed.excused)
        if turn.command is None:
            if turn.reply:
                play.steps.append(Step("", turn.feedback, None, 0.0, turn.reply))
            if turn.ending is None and len(play.steps) < env.limits.max_steps:
                observation = ""
                continue
            play.ending = turn.ending or Ending.STEP_LIMIT
            play.verdict = env.finish(play.ending)
            return
        observation, _, terminated, truncated, info = env.step(turn.command)
        play.steps.append(_step(turn, observation, info))
        if terminated or truncated:
            play.ending, play.verdict = Ending(info["ending"]), env.verdict
            return
        if len(play.steps) >= env.limits.max_steps:
            play.ending, play.verdict = Ending.STEP_LIMIT, env.finish(Ending.STEP_LIMIT)
            return


def _ask(call: Callable[[], T]) -> T:
    """Call the agent; whatever it raises is its own failure, but for what the machine lacks."""
    try:
        return call()
    except SandboxError:
        raise
    except Exception as error:
        raise _AgentFailure from error


def _step(turn: Turn, observation: str, info: dict[str, Any]) -> Step:
    code = info["exit_code"]
    return Step(
        turn.command or "", observation, None if code < 0 else code, info["seconds"], turn.reply
    )


def _trajectory(
    task: Task | Playable,
    agent: Agent,
    seed: int,
    play: _Play,
    *,
    message: str,
    faults: Sequence[str],
) -> Trajectory:
    graded = play.verdict if play.ending.graded else None
    return Trajectory(
        task=task.name,
        agent=agent.name,
        seed=seed,
        ending=play.ending,
        reward=graded.reward if graded else None,
        steps=tuple(play.steps),
        parts=tuple((part.id, part.score) for part in graded.parts) if graded else (),
        tokens=agent.tokens,
        message=message,
        attempts=1 + len(faults),
        faults=tuple(faults),
    )
