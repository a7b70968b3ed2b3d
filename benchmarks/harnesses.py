"""The four harnesses with a real small model: five tasks each, and whether the log is true.

SmolLM2-135M solves nothing; it does what tests of good replies do not: it forgets the form, never
stops, repeats itself and fills its window.  Every episode must end graded, and its event log must
tell what its trajectory tells.  Counts go by harness.

    python benchmarks/harnesses.py [--backend native] [--steps 3] [--tokens 48] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chat_model import ChatModel, serving
from benchmarks.outcome import Target, last_line, store
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.errors import HarnessError
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.trajectory import Trajectory

HARNESSES = ("bash", "mini", "openhands", "terminus2")
FAMILIES = ("bad-gateway.", "bulk-rename.", "ledger-clean.", "matryoshka.", "space-crisis.")
Row = tuple[str, Mapping[str, Any]]


def main() -> int:
    """Serve, play, compare, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="native")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=48, help="most of a reply")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    machines = backend(options.backend)
    limits = EpisodeLimits(max_steps=options.steps)
    model = ChatModel()
    seen: dict[str, Counter[str]] = {}
    untrue: list[str] = []
    with serving(model) as address:
        client = Client(Connection(address, "SmolLM2-135M-Instruct", stream=False))
        window = Window(tokens=model.window, reply=options.tokens, least=32)
        for name in HARNESSES:
            try:
                make_agent(name, AgentInputs(client))
            except HarnessError as error:
                print(str(error).splitlines()[0], file=sys.stderr)
                continue
            seen[name] = Counter()
            for task in tasks():
                rows: list[Row] = []
                log = lambda e, rows=rows, **f: rows.append((e, f))  # noqa: E731
                inputs = AgentInputs(client, budget=Budget(window, options.steps), log=log)
                agent = make_agent(name, inputs)
                played = rollout(task, agent, backend=machines, limits=limits)
                seen[name][str(played.ending)] += 1
                faults = differences(played, rows)
                untrue += [f"{name} {task.name}: {fault}" for fault in faults]
                if not options.json:
                    print(f"{name:10} {task.name:36} {played.ending:14} {played.reward} "
                          f"{len(played.steps)} steps, {agent.spent.output_tokens} tokens",
                          flush=True)  # fmt: skip
    episodes = sum(sum(c.values()) for c in seen.values())
    targets = {
        "episodes": Target(episodes, 5 * len(HARNESSES), at_most=False),
        "logs_that_differ": Target(len(untrue), 0),
    }
    store("harnesses", {"endings": seen, "untrue": untrue}, targets, load=load)
    print(*untrue, sep="\n", end="\n" if untrue else "")
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


def tasks() -> list[Task]:
    """Return the first task of five families."""
    names = [next(n for n in catalogue.names() if n.startswith(f)) for f in FAMILIES]
    return [compose(replace(catalogue.spec(name), digest="")) for name in names]


def differences(played: Trajectory, rows: Sequence[Row]) -> list[str]:
    """Return where an event log and a trajectory disagree."""
    found = []
    if played.reward is None:
        found.append(f"it was not graded: {played.ending}: {played.message}")
    typed = [step.action for step in played.steps if step.action]
    logged = [facts["command"] for event, facts in rows if event in ("command", "submit")]
    if typed != logged:
        found.append(f"typed {typed}, logged {logged}")
    empty = sum(not step.action for step in played.steps)
    told = sum(event in ("format_error", "answer") for event, _ in rows)
    if empty != told:
        found.append(f"{empty} replies without a command, {told} in the log")
    return found


if __name__ == "__main__":
    sys.exit(main())
