"""Measure what programs earn that ignore their input, and whether odd bytes prevent grading.

Plays the hostile agents of `tmax_gym/proofs/blind_programs.py` on tasks spread over all families,
in native sandboxes.  No agent may earn more than a cheat may, and every episode must be graded.

    python benchmarks/blind.py [--sample 1500] [--seed 0] [--jobs 2] [--json]
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

from benchmarks.script import Target, finish, options, sampled
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.proofs import blind_programs
from tmax_gym.proofs.validate import CHEAT
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue

Row = tuple[str, str, float | None, str]
"""Task, agent, reward or None, and why there is none."""


def play(name: str) -> list[Row]:
    """Return what every agent earned in one task."""
    task = catalogue.load(name)
    rows: list[Row] = []
    for attempt in blind_programs.attempts(task):
        agent = ScriptedAgent(attempt.commands, name=attempt.name)
        trajectory = rollout(task, agent, backend=backend("native"))
        rows.append((name, attempt.name, trajectory.reward, trajectory.message))
    return rows


def main() -> int:
    """Play, write the results, return 1 if a target is missed."""
    given = options(__doc__, sample=1500, seed=0, jobs=2)
    chosen = sampled(given.sample, given.seed)
    rows: list[Row] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for number, of_task in enumerate(pool.map(play, chosen), start=1):
            rows += of_task
            for name, agent, reward, message in of_task:
                if reward is None or reward > CHEAT:
                    print(f"{name}: {agent}: {reward} {message}", file=sys.stderr, flush=True)
            if number % 100 == 0:
                print(f"{number} of {len(chosen)} tasks", file=sys.stderr, flush=True)
    most: dict[str, float] = defaultdict(float)
    for _, agent, reward, _ in rows:
        most[agent] = max(most[agent], reward or 0.0)
    episodes = Counter(agent for _, agent, _, _ in rows)
    targets = {
        "most_that_a_blind_agent_earned": Target(max(most.values()), CHEAT),
        "ungraded_episodes": Target(sum(reward is None for _, _, reward, _ in rows), 0),
    }
    results = {
        "tasks": len(chosen),
        "seed": given.seed,
        "agents": {agent: {"episodes": episodes[agent], "most": most[agent]} for agent in most},
    }
    lines = [f"{len(chosen)} tasks, {len(rows)} episodes"]
    lines += [f"{'agent':32} {'episodes':>8} {'most':>6}"]
    lines += [f"{agent:32} {episodes[agent]:8} {most[agent]:6.3f}" for agent in sorted(most)]
    return finish("blind", results, targets, given, lines)


if __name__ == "__main__":
    sys.exit(main())
