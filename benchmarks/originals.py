"""Compare our `terminus2` and `openhands` with the originals, on the same scripted replies.

Terminus 2 of the package `harbor` plays in a sandbox of the same kind as ours; the tools of
`openhands-tools` work on the same files in a directory of this host.  The messages to the model
are compared reply by reply, and the files at the end byte by byte.  A difference needs a reason
in `original_conversations.json`, and a reason must come with exactly the difference that it names.

    python benchmarks/originals.py --harbor VENV/bin/python --openhands VENV/bin/python [--json]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from benchmarks.original_conversations import OPENHANDS, TERMINUS, Case
from benchmarks.original_differences import Outcome, difference, unexplained
from benchmarks.original_sides import Player, files_in, opened, run_openhands, run_terminus
from benchmarks.script import Target, finish, parser
from tmax_gym.agents.client.client import Completion
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.episodes.observation import elide, is_submit, observation_text
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
    """All replies were used."""


class Ground:
    """The sandbox and shell in which a harness installs its files."""

    def __init__(self, sandbox: Sandbox, shell: Shell) -> None:
        self._sandbox, self._shell = sandbox, shell

    def put(self, nodes: Sequence[Node]) -> None:
        """Create entries."""
        self._sandbox.put(nodes)

    def probe(self, command: str) -> int:
        """Return the status of a command."""
        return self._shell.run(command).exit_code or 0


def ours(harness: str, messages: Sequence[Mapping[str, Any]], sandbox: Sandbox) -> Outcome:
    """Return our harness's messages to the model."""
    messages_to_model: list[str] = []
    unused = list(messages)

    def model(rows: Sequence[Mapping[str, Any]], **_: Any) -> Completion:
        last = max((i for i, row in enumerate(rows) if row["role"] == "assistant"), default=-1)
        messages_to_model.append("\n".join(str(row["content"]) for row in rows[last + 1 :]))
        if not unused:
            raise Ended
        return Completion(unused.pop(0), "stop")

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
                    result = shell.run(turn.command)
                    text = elide(result.output, lost=result.truncated_bytes)
                    observation = observation_text(text, result.exit_code, notice=result.notice)
        except Ended:
            pass
    return {"told": messages_to_model, "error": ""}


def terminus(conversation: Case, sandboxes: Backend, player: Player) -> tuple[Outcome, Outcome]:
    """Play the same replies with Terminus 2 and with our harness."""
    with closing(opened(sandboxes, conversation)) as sandbox:
        original = {
            **run_terminus(player, conversation.replies, sandbox),
            "files": files_in(sandbox),
        }
    with closing(opened(sandboxes, conversation)) as sandbox:
        messages = [{"role": "assistant", "content": text} for text in conversation.replies]
        mine = ours("terminus2", messages, sandbox)
        return original, {**mine, "files": files_in(sandbox)}


def openhands(conversation: Case, sandboxes: Backend, player: Player) -> tuple[Outcome, Outcome]:
    """Play the same calls with OpenHands' tools and with our harness."""
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": f"c{i}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
        ]}
        for i, (name, arguments) in enumerate(conversation.calls)
    ]  # fmt: skip
    with closing(opened(sandboxes, conversation)) as sandbox:
        messages_to_model = ours("openhands", messages, sandbox)["told"]
        mine = {"told": messages_to_model[1:], "error": "", "files": files_in(sandbox)}
    return run_openhands(player, conversation), mine


def compare(
    play: Callable[[Case, Backend, Player], tuple[Outcome, Outcome]],
    conversation: Case, sandboxes: Backend, player: Player,
) -> dict[str, Any]:  # fmt: skip
    """Play a conversation on both sides; return its row in the result file."""
    seen = difference(*play(conversation, sandboxes, player))
    return {
        "harness": play.__name__,
        "talk": conversation.name,
        "found": "same" if seen is None else "differs",
        "reason": conversation.reason,
        "difference": str(seen or ""),
        "unexplained": unexplained(conversation, seen),
    }


def version(python: str, package: str) -> str:
    """Return the version of a package in the environment of an interpreter."""
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{python} has no {package}: {done.stderr[-300:]}\n{INSTALL}")
    return done.stdout.strip()


def show(row: Mapping[str, Any]) -> None:
    """Print the row of a conversation."""
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
    """Play, compare, write the results, return 1 if a difference is unexplained."""
    arguments = parser(
        __doc__,
        harbor=os.environ.get("TMAX_HARBOR_PYTHON", ""),
        openhands=os.environ.get("TMAX_OPENHANDS_PYTHON", ""),
        backend="native",
        only=("", "conversations with this in their name"),
    )
    options = arguments.parse_args()
    if not options.harbor and not options.openhands:
        arguments.error(INSTALL)
    sandboxes = backend(options.backend)
    rows: list[dict[str, Any]] = []
    versions: dict[str, str] = {}
    sets = (("harbor", options.harbor, "terminus.py", terminus, TERMINUS),
            ("openhands-tools", options.openhands, "openhands_tools.py", openhands, OPENHANDS))  # fmt: skip  # noqa: E501
    for package, python, script, play, conversations in sets:
        if not python:
            continue
        versions[package] = version(python, package)
        with Player(python, script) as player:
            for conversation in (c for c in conversations if options.only in c.name):
                rows.append(compare(play, conversation, sandboxes, player))
                if not options.json:
                    show(rows[-1])
    targets = measured(rows)
    stored = len(versions) == len(sets) and not options.only
    finish("originals", {"rows": rows, "versions": versions}, targets, options, stored=stored)
    return int(targets["conversations with an unexplained difference"].value > 0)


if __name__ == "__main__":
    sys.exit(main())
