"""Make the agents of a run's trials, by the names of `tmax_gym.agents.registry`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tmax_gym.agents.agent import Agent
from tmax_gym.agents.client.client import Surroundings
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentEntry, AgentInputs
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.settings import BenchSettings, limits_for
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BenchError
from tmax_gym.trajectory import Trajectory


def trial_agent(
    entry: AgentEntry,
    trial: tuple[Task, int],
    settings: BenchSettings,
    *,
    endpoint: Endpoint | None,
    around: Surroundings,
) -> Agent:
    """Return a new agent for one trial.

    Args:
        entry: The agent's entry in the registry.
        trial: The task and the number of the attempt.
        settings: Settings of the run.
        endpoint: Endpoint of the model; None if the agent needs none.
        around: The trial's way to wait, its clock and its log.

    Raises:
        TmaxError: An option is wrong, or something that the agent needs is missing.
    """
    task, attempt = trial
    options = dict(settings.options)
    limits = limits_for(task, settings)
    inputs = AgentInputs(
        model=endpoint.client(around) if endpoint else None,
        task=task,
        recorded=_recorded(options, task.name, attempt) if settings.harness == "replay" else None,
        budget=Budget(endpoint.window if endpoint else Window(), limits.max_steps),
        log=around.log,
        options={"command_seconds": limits.command_timeout, **options},
    )
    return entry.make(inputs)


def _recorded(options: Mapping[str, str], name: str, attempt: int) -> Trajectory:
    """Return the recorded trajectory of an attempt."""
    if not (where := options.get("replay")):
        raise BenchError("the harness replay needs -H replay=PATH: a run, or JSONL of trajectories")
    played = _trajectories(where).get((name, attempt))
    if played is None:
        raise BenchError(f"{where} holds no attempt {attempt} at {name}")
    return played


@lru_cache(maxsize=2)
def _trajectories(where: str) -> Mapping[tuple[str, int], Trajectory]:
    return {record.key: record.trajectory for record in load(Path(where)).records}
