"""Our `terminus2` and `openhands` beside the originals: the same scripted replies, compared.

Terminus 2 of the package `harbor` plays in a sandbox of the same kind as ours; the tools of
`openhands-tools` work on the same files in a directory of this host.  What the model is told is
compared reply by reply, and the files that are left byte by byte.  A difference needs a reason in
`original_talks.py`, and a reason the very difference that it gives the reason for.

    python benchmarks/originals.py --harbor VENV/bin/python --openhands VENV/bin/python [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.original_differences import Outcome, difference, unexplained
from benchmarks.original_machines import Player, left_in, opened, run_openhands, run_terminus
from benchmarks.original_talks import OPENHANDS, TERMINUS, Talk
from benchmarks.outcome import Target, last_line, store
from tmax_gym.agents.client.client import Completion
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.envs.observation import elide, is_submit, observation_text
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend, Sandbox, backend
from tmax_gym.shell import Shell

INSTALL = (
    "Both packages need Python 3.12, each an environment of its own; name their interpreters by "
    "--harbor and --openhands, or $TMAX_HARBOR_PYTHON and $TMAX_OPENHANDS_PYTHON:\n"
    "  pip install harbor==0.26.0\n"
    "  pip install openhands-tools==1.58.2 openhands-sdk==1.58.2"
)


class Ended(Exception):
    """No reply is left."""


class Ground:
    """A sandbox and a shell, for what a harness prepares."""

    def __init__(self, sandbox: Sandbox, shell: Shell) -> None:
        self._sandbox, self._shell = sandbox, shell

    def put(self, nodes: Sequence[Node]) -> None:
        """Create entries."""
        self._sandbox.put(nodes)

    def probe(self, command: str) -> int:
        """Return the status of a command."""
        return self._shell.run(command).exit_code or 0


def ours(harness: str, messages: Sequence[Mapping[str, Any]], sandbox: Sandbox) -> Outcome:
    """Return what our harness tells the model before each reply."""
    told: list[str] = []
    left = list(messages)

    def model(rows: Sequence[Mapping[str, Any]], **_: Any) -> Completion:
        last = max((i for i, row in enumerate(rows) if row["role"] == "assistant"), default=-1)
        told.append("\n".join(str(row["content"]) for row in rows[last + 1 :]))
        if not left:
            raise Ended
        return Completion(left.pop(0), "stop")

    budget = Budget(Window(1_000_000, notices=False))
    agent = make_agent(harness, AgentInputs(model, budget=budget))
    agent.reset("The task.", seed=0)
    with Shell(sandbox, cwd="/app") as shell:
        agent.prepare(Ground(sandbox, shell))  # type: ignore[union-attr]
        observation = ""
        try:
            while True:
                turn = agent.act(observation)
                if turn.ending or is_submit(turn.command or ""):
                    break
                observation = ""
                if turn.command is not None:
                    done = shell.run(turn.command)
                    text = elide(done.output, lost=done.truncated_bytes)
                    observation = observation_text(text, done.exit_code, notice=done.notice)
        except Ended:
            pass
    return {"told": told, "error": ""}


def terminus(talk: Talk, machines: Backend, player: Player) -> tuple[Outcome, Outcome]:
    """Return what Terminus 2 and our harness make of the same replies."""
    with closing(opened(machines, talk)) as sandbox:
        original = {**run_terminus(player, talk.replies, sandbox), "files": left_in(sandbox)}
    with closing(opened(machines, talk)) as sandbox:
        messages = [{"role": "assistant", "content": text} for text in talk.replies]
        found = ours("terminus2", messages, sandbox)
        return original, {**found, "files": left_in(sandbox)}


def openhands(talk: Talk, machines: Backend, player: Player) -> tuple[Outcome, Outcome]:
    """Return what OpenHands' tools and our harness make of the same calls."""
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": f"c{i}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
        ]}
        for i, (name, arguments) in enumerate(talk.calls)
    ]  # fmt: skip
    with closing(opened(machines, talk)) as sandbox:
        found = ours("openhands", messages, sandbox)
        mine = {"told": found["told"][1:], "error": "", "files": left_in(sandbox)}
    return run_openhands(player, talk), mine


def deed(
    play: Callable[[Talk, Backend, Player], tuple[Outcome, Outcome]],
    talk: Talk, machines: Backend, player: Player,
) -> dict[str, Any]:  # fmt: skip
    """Return what is stored of a conversation."""
    found = difference(*play(talk, machines, player))
    return {
        "harness": play.__name__,
        "talk": talk.name,
        "found": "same" if found is None else "differs",
        "reason": talk.reason,
        "difference": str(found or ""),
        "unexplained": unexplained(talk, found),
    }


def version(python: str, package: str) -> str:
    """Return the version of a package that an interpreter has."""
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{python} has no {package}: {done.stderr[-300:]}\n{INSTALL}")
    return done.stdout.strip()


def show(row: Mapping[str, Any]) -> None:
    """Print a conversation."""
    word = "UNEXPLAINED" if row["unexplained"] else row["found"]
    print(f"{row['harness']:10} {row['talk']:44} {word:12} {row['reason']}", flush=True)
    if row["unexplained"]:
        print(f"    {row['unexplained']}\n    {row['difference']}")


def measured(rows: Sequence[Mapping[str, Any]]) -> dict[str, Target]:
    """Return the targets."""
    equal = sum(row["found"] == "same" for row in rows)
    odd = sum(bool(row["unexplained"]) for row in rows)
    purpose = len(rows) - equal - odd
    return {
        "conversations with an unexplained difference": Target(odd, 0, at_most=True),
        "conversations": Target(len(rows), 100, at_most=False),
        "conversations equal to the original's": Target(equal, 90, at_most=False),
        "conversations that differ on purpose": Target(purpose, 30, at_most=True),
    }


def main() -> int:
    """Play, compare, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--harbor", default=os.environ.get("TMAX_HARBOR_PYTHON", ""))
    parser.add_argument("--openhands", default=os.environ.get("TMAX_OPENHANDS_PYTHON", ""))
    parser.add_argument("--backend", default="native")
    parser.add_argument("--only", default="", help="talks whose name holds this")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    if not options.harbor and not options.openhands:
        parser.error(INSTALL)
    load = os.getloadavg()[0]
    machines = backend(options.backend)
    rows: list[dict[str, Any]] = []
    versions: dict[str, str] = {}
    sets = (("harbor", options.harbor, "terminus.py", terminus, TERMINUS),
            ("openhands-tools", options.openhands, "openhands_tools.py", openhands, OPENHANDS))  # fmt: skip  # noqa: E501
    for package, python, script, play, talks in sets:
        if not python:
            continue
        versions[package] = version(python, package)
        with Player(python, script) as player:
            for talk in (t for t in talks if options.only in t.name):
                rows.append(deed(play, talk, machines, player))
                if not options.json:
                    show(rows[-1])
    targets = measured(rows)
    if len(versions) == len(sets) and not options.only:
        store("originals", {"rows": rows, "versions": versions}, targets, load=load)
    print(last_line(targets))
    return int(targets["conversations with an unexplained difference"].value > 0)


if __name__ == "__main__":
    sys.exit(main())
