"""Play five tasks with each harness and a real small model, and check the event logs.

SmolLM2-135M solves nothing, but it behaves as no test with good replies does: it forgets the
format, never stops, repeats itself and fills its window.  Every episode must be graded, and its
event log must agree with its trajectory.

    python benchmarks/harnesses.py [--backend native] [--steps 3] [--tokens 48] [--json]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.chat_model import ChatModel, serving
from benchmarks.script import Target, finish, options
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import HarnessError
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.trajectory import Trajectory

HARNESSES = ("bash", "mini", "openhands", "terminus2")
FAMILIES = ("bad-gateway.", "bulk-rename.", "ledger-clean.", "matryoshka.", "space-crisis.")
Row = tuple[str, Mapping[str, Any]]


def main() -> int:
    """Serve, play, write the results, return 1 if a target is missed."""
    given = options(__doc__, backend="native", steps=3, tokens=(48, "at most, of a reply"))
    sandboxes = backend(given.backend)
    limits = EpisodeLimits(max_steps=given.steps)
    model = ChatModel()
    endings: dict[str, Counter[str]] = {}
    untrue: list[str] = []
    with serving(model.reply) as address:
        client = Client(Connection(f"{address}/v1", "SmolLM2-135M-Instruct", stream=False))
        window = Window(tokens=model.window, reply=given.tokens, least=32)
        for name in HARNESSES:
            try:
                make_agent(name, AgentInputs(client))
            except HarnessError as error:
                print(str(error).splitlines()[0], file=sys.stderr)
                continue
            endings[name] = Counter()
            for task in tasks():
                rows: list[Row] = []
                log = lambda e, rows=rows, **f: rows.append((e, f))  # noqa: E731
                inputs = AgentInputs(client, budget=Budget(window, given.steps), log=log)
                agent = make_agent(name, inputs)
                trajectory = rollout(task, agent, backend=sandboxes, limits=limits)
                endings[name][str(trajectory.ending)] += 1
                faults = differences(trajectory, rows)
                untrue += [f"{name} {task.name}: {fault}" for fault in faults]
                if not given.json:
                    print(f"{name:10} {task.name:36} {trajectory.ending:14} {trajectory.reward} "
                          f"{len(trajectory.steps)} steps, {agent.spent.output_tokens} tokens",
                          flush=True)  # fmt: skip
    episodes = sum(counts.total() for counts in endings.values())
    targets = {
        "episodes": Target(episodes, 5 * len(HARNESSES), at_most=False),
        "logs_that_differ": Target(len(untrue), 0),
    }
    print(*untrue, sep="\n", end="\n" if untrue else "")
    return finish("harnesses", {"endings": endings, "untrue": untrue}, targets, given)


def tasks() -> list[Task]:
    """Return the first task of five families."""
    names = [next(n for n in catalogue.names() if n.startswith(f)) for f in FAMILIES]
    return [compose(replace(catalogue.spec(name), digest="")) for name in names]


def differences(trajectory: Trajectory, rows: Sequence[Row]) -> list[str]:
    """Return where an event log and a trajectory disagree."""
    faults = []
    if trajectory.reward is None:
        faults.append(f"it was not graded: {trajectory.ending}: {trajectory.message}")
    typed = [step.action for step in trajectory.steps if step.action]
    logged = [facts["command"] for event, facts in rows if event in ("command", "submit")]
    if typed != logged:
        faults.append(f"typed {typed}, logged {logged}")
    empty = sum(not step.action for step in trajectory.steps)
    in_log = sum(event in ("format_error", "answer") for event, _ in rows)
    if empty != in_log:
        faults.append(f"{empty} replies without a command, {in_log} in the log")
    return faults


if __name__ == "__main__":
    sys.exit(main())
