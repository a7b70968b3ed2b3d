"""What programs earn that ignore their input, and whether odd bytes leave an episode ungraded.

Plays the hostile agents of `tmax_gym/proofs/blind_programs.py` on tasks spread over all families,
in native sandboxes.  Goals: no agent earns more than a cheat may, and every episode is graded.

    python benchmarks/blind.py [--sample 1500] [--seed 0] [--jobs 2] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.proofs import blind_programs
from tmax_gym.proofs.validate import CHEAT, sample
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue

Seen = tuple[str, str, float | None, str]
"""Task, agent, reward or None, and why there is none."""


def play(name: str) -> list[Seen]:
    """Return what every agent earned in one task."""
    task = catalogue.load(name)
    rows: list[Seen] = []
    for attempt in blind_programs.attempts(task):
        agent = ScriptedAgent(attempt.commands, name=attempt.name)
        played = rollout(task, agent, backend=backend("native"))
        rows.append((name, attempt.name, played.reward, played.message))
    return rows


def main() -> int:
    """Play, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    runnable, missing = catalogue.runnable(catalogue.select())
    print("\n".join(missing), file=sys.stderr, end="\n" if missing else "")
    chosen = sample([spec.name for spec in runnable], options.sample, options.seed)
    rows: list[Seen] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, played in enumerate(pool.map(play, chosen), start=1):
            rows += played
            for name, agent, reward, message in played:
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
    if not options.json:
        print(f"{len(chosen)} tasks, {len(rows)} episodes")
        print(f"{'agent':32} {'episodes':>8} {'most':>6}")
        for agent, reward in sorted(most.items()):
            print(f"{agent:32} {episodes[agent]:8} {reward:6.3f}")
    seen = {
        "tasks": len(chosen),
        "seed": options.seed,
        "agents": {agent: {"episodes": episodes[agent], "most": most[agent]} for agent in most},
    }
    store("blind", seen, targets, load=load)
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
