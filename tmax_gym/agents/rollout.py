"""`rollout` plays an episode and returns a `Trajectory`; `rollout_group` plays a `Group` of them.

Failures become data only here.  `play` plays an episode once, for benchmarks and trainers too.
`retrying` replaces a machine that failed and starts the episode over; after the last try the
trajectory has no reward.  A failure of ours is never reward 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from tmax_gym.agents.agent import Agent, Prepared, Turn
from tmax_gym.agents.timed import TimedAgent
from tmax_gym.checks.verdict import Verdict
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.endings import ending_of, ending_of_agent
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.observation import is_submit
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BackendUnavailable, ImageError, ModelError, SandboxError, Unbuildable
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Ending, Group, Step, Trajectory

T = TypeVar("T")

RETRY_SECONDS = 0.5
"""Pause before the first retry, for busy engines; it doubles with each retry."""
RECOVERY = 30.0
"""Seconds in which a backend must answer again before a retry: dockerd restarts in 2 to 10."""
_LOOK_SECONDS = 0.5
PlayPart = Literal["start", "sample", "command", "verifier"]
Through = Callable[[PlayPart], AbstractContextManager[object]]
"""A context around each part of an episode; it may wait, or raise to end the episode."""


class _AgentFailure(Exception):
    """The agent's own code raised an exception, which is the cause."""


@dataclass(frozen=True, slots=True)
class Played:
    """An episode that was played once."""

    trajectory: Trajectory
    failure: BaseException | None = None
    """Why it has no reward; None if it was graded."""


@dataclass(slots=True)
class _Record:
    """The result of an episode so far."""

    steps: list[Step] = field(default_factory=list)
    ending: Ending = Ending.AGENT_STOPPED
    verdict: Verdict | None = None


def rollout(
    task: Task,
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
        task: A task of any kind.
        agent: Plays no other episode at the same time.
        backend: Where sandboxes run.
        image: Root file system, for a task without one of its own; the default one if None.
        seed: Seeds bash's `$RANDOM` and the sampling of the agent's model.
        limits: The task's own limits if None.
        retries: Times that a failed machine is replaced.

    Raises:
        BackendUnavailable: No sandbox can run here; trying again would not help.
        ImageError: The root file system is missing; trying again would not help.
    """
    machines = backend_named(backend) if isinstance(backend, str) else backend
    options = limits.options() if limits is not None else {}
    env = TerminalEnv(task, backend=machines, image=image, **options)
    played, faults = retrying(
        partial(play, env, agent, seed=seed),
        retries=retries,
        fault=_put_right,
        recover=partial(recover, machines),
    )
    return replace(played.trajectory, attempts=1 + len(faults), faults=faults)


def rollout_group(
    task: Task,
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
    """Play `size` episodes of one task, `threads` of them (or all) at the same time.

    `make_agent` makes an agent for each episode; episode i has seed `seed + i`.  The other
    arguments are those of `rollout`.
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


def play(
    env: TerminalEnv,
    agent: Agent,
    *,
    seed: int,
    through: Through = lambda part: nullcontext(),
) -> Played:
    """Play one episode once, and close the environment.

    `through` is entered around the start, each turn of the agent, each command and grading.  The
    agent gets a clock if the environment limits its time.  Raises as `rollout` does.
    """
    if env.limits.agent_seconds is not None and not isinstance(agent, TimedAgent):
        agent = TimedAgent(agent)
    record = _Record()
    failure: BaseException | None = None
    message = ""
    try:
        with closing(env):
            _episode(env, agent, seed, record=record, through=through)
    except (BackendUnavailable, ImageError):
        raise
    except _AgentFailure as error:
        failure, message = error.__cause__, repr(error.__cause__)
        record.ending = ending_of_agent(failure)
    except Exception as error:
        if (ending := ending_of(error)) is None:
            raise
        failure, record.ending, message = error, ending, str(error) or repr(error)
    graded = record.verdict if record.ending.graded else None
    trajectory = Trajectory(
        task=env.task.name,
        agent=agent.name,
        seed=seed,
        ending=record.ending,
        reward=graded.reward if graded else None,
        steps=tuple(record.steps),
        parts=tuple((part.id, part.score) for part in graded.parts) if graded else (),
        tokens=agent.tokens,
        message=message,
    )
    return Played(trajectory, failure)


def retrying(
    once: Callable[[], T],
    *,
    retries: int,
    fault: Callable[[T], str | None],
    recover: Callable[[int], object] = lambda attempt: None,
) -> tuple[T, tuple[str, ...]]:
    """Call `once` again while its result has a fault; return the last result and earlier faults.

    `fault` returns None for a result that a retry would not change; `recover` waits before the
    retry after an attempt, counted from 0.
    """
    faults: list[str] = []
    while True:
        result = once()
        if len(faults) == retries or (why := fault(result)) is None:
            return result, tuple(faults)
        faults.append(why)
        recover(len(faults) - 1)


def fault(trajectory: Trajectory) -> str | None:
    """Return why an episode has no reward, or None."""
    return trajectory.message if trajectory.reward is None else None


def pause(attempt: int) -> float:
    """Return the seconds before the retry after an attempt, counted from 0."""
    return RETRY_SECONDS * 2.0**attempt


def recover(
    machines: Backend, attempt: int, *, wait: Callable[[float], bool | None] = time.sleep
) -> None:
    """Wait before the retry after an attempt, counted from 0, until the backend answers again.

    `wait` waits for some seconds, and returns True to stop waiting.
    """
    if wait(pause(attempt)):
        return
    deadline = time.monotonic() + RECOVERY
    while machines.problem() is not None and time.monotonic() < deadline:
        if wait(_LOOK_SECONDS):
            return


def _put_right(played: Played) -> str | None:
    """Return the failure if another machine may prevent it."""
    hopeless = isinstance(played.failure, ModelError | Unbuildable)
    again = played.trajectory.ending.tried_again and not hopeless
    return played.trajectory.message if again else None


def _episode(
    env: TerminalEnv, agent: Agent, seed: int, *, record: _Record, through: Through
) -> None:
    timed = agent if isinstance(agent, TimedAgent) else None
    with through("start"):
        instruction, _ = env.reset(seed=seed)
        if timed is not None:
            timed.time.bind(env.time_left)
        _ask(partial(agent.reset, instruction, seed=seed))
        if isinstance(agent, Prepared):
            _ask(partial(agent.prepare, env.ground), but=(SandboxError, OSError))
    observation = ""
    while True:
        with through("sample"):
            turn = _ask(partial(agent.act, observation))
        if timed is not None:
            env.excuse(timed.excused)
        if turn.command is None:
            observation = ""
            if turn.reply:
                record.steps.append(Step("", turn.feedback, None, 0.0, turn.reply))
            if turn.ending is not None:
                return _graded(env, turn.ending, record, through)
        else:
            last = is_submit(turn.command) or len(record.steps) + 1 >= env.limits.max_steps
            with through("verifier" if last else "command"):
                observation, _, terminated, truncated, info = env.step(turn.command)
            record.steps.append(_step(turn, observation, info))
            if terminated or truncated:
                record.ending, record.verdict = Ending(info["ending"]), env.verdict
                return None
        if len(record.steps) >= env.limits.max_steps:
            return _graded(env, Ending.STEP_LIMIT, record, through)


def _graded(env: TerminalEnv, ending: Ending, record: _Record, through: Through) -> None:
    record.ending = ending
    with through("verifier"):
        record.verdict = env.finish(ending)


def _ask(call: Callable[[], T], *, but: tuple[type[Exception], ...] = (SandboxError,)) -> T:
    """Call the agent; every exception is the agent's failure, except those of a machine (`but`)."""
    try:
        return call()
    except but:
        raise
    except Exception as error:
        raise _AgentFailure from error


def _step(turn: Turn, observation: str, info: dict[str, Any]) -> Step:
    code = info["exit_code"]
    return Step(
        turn.command or "", observation, None if code < 0 else code, info["seconds"], turn.reply
    )
