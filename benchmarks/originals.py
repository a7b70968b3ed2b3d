"""Our `terminus2` and `openhands` beside the originals: the same scripted replies, compared.

Terminus 2 of the package `harbor` plays in a sandbox of the same kind as ours; the tools of
`openhands-tools` work on the same files in a directory of this host.  What the model is told is
compared reply by reply, and the files that are left byte by byte.  A difference needs a reason in
`original_talks.py`, and a reason a difference.  Both packages need Python 3.12:

    python benchmarks/originals.py --harbor VENV/bin/python --openhands VENV/bin/python [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.original_machines import Player, left_in, opened, run_openhands, run_terminus
from benchmarks.original_talks import OPENHANDS, TERMINUS, Talk
from benchmarks.outcome import Target, last_line, store
from tmax_gym.files import Node
from tmax_gym.harness import elide, is_submit, observation_text
from tmax_gym.harnesses.client import Completion
from tmax_gym.harnesses.dialogue import Rules
from tmax_gym.harnesses.registry import model_agent
from tmax_gym.harnesses.window import Window
from tmax_gym.sandboxes import Backend, Sandbox, backend
from tmax_gym.shell import Shell

Outcome = Mapping[str, Any]


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

    agent = model_agent(harness, model, rules=Rules(Window(1_000_000, notices=False)))
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
    """Return what Terminus 2 and our style make of the same replies."""
    with closing(opened(machines, talk)) as sandbox:
        original = {**run_terminus(player, talk.replies, sandbox), "files": left_in(sandbox)}
    with closing(opened(machines, talk)) as sandbox:
        messages = [{"role": "assistant", "content": text} for text in talk.replies]
        found = ours("terminus2", messages, sandbox)
        return original, {**found, "files": left_in(sandbox)}


def openhands(talk: Talk, machines: Backend, player: Player) -> tuple[Outcome, Outcome]:
    """Return what OpenHands' tools and our style make of the same calls."""
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


_SAME = (
    (re.compile(r"^.*(?=Current Terminal Screen:)", re.S), ""),  # the first message: the rules
    (re.compile(r"Are you sure .*", re.S), "<sure?>"),
    (re.compile(r"\n\[(The command (finished|completed) with exit code (\d+)\.\]).*", re.S),
     r"\n<exit \3>"),
    (re.compile(r"Your thought has been logged\."), "(noted)"),
    (re.compile(r"\(no output\)"), ""),
    (re.compile(r".{0,300}\n\[\.\.\. .*? \.\.\.\]\n.{0,300}", re.S), "<left out>"),
    (re.compile(r"\n+<exit"), "\n<exit"),
)  # fmt: skip
"""Wordings and limits that are no part of what an agent can tell apart."""


def plain(told: str, *, first: bool) -> str:
    """Return what was told without rules, wordings, and blanks at the ends of lines."""
    for index, (pattern, other) in enumerate(_SAME):
        if index or first:
            told = pattern.sub(other, told)
    return "\n".join(line.rstrip() for line in told.split("\n")).strip()


def difference(original: Outcome, mine: Outcome) -> str:
    """Return the first difference, "" where there is none."""
    if original["error"] != mine["error"]:
        return f"the original failed: {original['error'][:100]}"
    one, two = ([plain(t, first=not i) for i, t in enumerate(o["told"])] for o in (original, mine))
    for index, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return f"reply {index}: {a[-300:]!r} is {b[-300:]!r} here"
    if len(one) != len(two):
        return f"{len(one)} replies were asked for, {len(two)} here"
    if original["files"] != mine["files"]:
        return f"other files are left: {sorted(set(original['files'].items()) ^ set(mine['files'].items()))[:2]}"[:300]  # fmt: skip  # noqa: E501
    return ""


def main() -> int:
    """Play, compare, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--harbor", default="", help="a Python with harbor")
    parser.add_argument("--openhands", default="", help="a Python with openhands-tools")
    parser.add_argument("--backend", default="native")
    parser.add_argument("--only", default="", help="talks whose name holds this")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    machines = backend(options.backend)
    rows = []
    sets = ((TERMINUS, terminus, options.harbor), (OPENHANDS, openhands, options.openhands))
    for talks, play, python in sets:
        for talk in talks if python else ():
            if options.only not in talk.name:
                continue
            found = difference(*play(talk, machines, python))
            word = "same" if not found else "differs"
            good = bool(found) == bool(talk.reason)
            row = {"harness": play.__name__, "talk": talk.name, "found": word}
            rows.append({**row, "reason": talk.reason, "difference": found, "explained": good})
            if not options.json:
                print(f"{play.__name__:10} {talk.name:44} {word:8} {talk.reason}", flush=True)
                if not good:
                    print(f"    {found or 'a reason, and no difference'}")
    odd = sum(not row["explained"] for row in rows)
    targets = {
        "conversations without an explained or no difference": Target(odd, 0, at_most=True),
        "conversations": Target(len(rows), 30, at_most=False),
    }
    if not options.only:
        store("originals", {"rows": rows}, targets, load=load)
    print(last_line(targets))
    return int(odd > 0)


if __name__ == "__main__":
    sys.exit(main())
