"""The machines in which `originals.py` lets both sides work, and the process of Terminus 2.

Both sides get the same files and the same tmux, which types and looks only while the machine is
at rest.  Does not compare anything.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.original_talks import Talk
from tmax_gym.nodes import Node, directory, link
from tmax_gym.sandboxes import Backend, Sandbox

PLAYERS = Path(__file__).parent / "original_players"
_ANSWER = 300.0
"""Seconds for one answer, imports and all: OpenHands may wait half a minute for each command."""
_END = 10.0
"""Seconds for ending by itself."""


class PlayerFailed(Exception):
    """The process of an original ended, or said what it must not."""


def opened(machines: Backend, talk: Talk) -> Sandbox:
    """Return a machine with a talk's files, and with a tmux that waits for rest."""
    sandbox = machines.open("core")
    tmux = (PLAYERS / "tmux.sh").read_bytes()
    sandbox.put([directory("/app"), Node("/usr/local/bin/tmux", data=tmux, mode=0o755)])
    sandbox.put([Node(f"/app/{name}", data=data) for name, data in talk.files.items()])
    sandbox.put([link(f"/app/{name}", target) for name, target in talk.links.items()])
    return sandbox


def left_in(sandbox: Sandbox) -> Mapping[str, str]:
    """Return the files and links that are left."""
    return {
        node.path.removeprefix("/app/"): node.target or (node.data or b"").hex()
        for node in sandbox.get(["/app"])
        if node.kind != "dir"
    }


class Player(AbstractContextManager["Player"]):
    """An original in a process of its own, for one conversation after another.

    Its imports take as long as five conversations.
    """

    def __init__(self, python: str, script: str) -> None:
        """Start it.

        Args:
            python: An interpreter that has the package.
            script: Of `original_players/`.
        """
        self._process = subprocess.Popen(
            [python, str(PLAYERS / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write a line; return the one that answers it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        limit = threading.Timer(_ANSWER, self._process.kill)
        limit.start()
        try:
            print(json.dumps(said), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            limit.cancel()
        if not line:
            words = " ".join(map(str, self._process.args))  # type: ignore[arg-type]
            raise PlayerFailed(
                f"the original ended, or was ended after {_ANSWER:g} seconds, without an answer; "
                f"it was started as: {words}\n"
                "Run that by hand to see why; benchmarks/README.md says what to install."
            )
        row: Mapping[str, Any] = json.loads(line)
        return row

    def __exit__(self, *_: object) -> None:
        """End it."""
        assert self._process.stdin is not None
        with self._process:
            self._process.stdin.close()
            try:
                self._process.wait(_END)
            except subprocess.TimeoutExpired:
                self._process.kill()


def run_terminus(player: Player, replies: Sequence[str], sandbox: Sandbox) -> Mapping[str, Any]:
    """Return what Terminus 2 told its model, and of what it failed; it works in a sandbox."""
    row = player.ask({"replies": replies})
    while "exec" in row:
        if "\0" in row["exec"]:  # nothing can run that, whatever the sandbox
            row = player.ask({"failure": "embedded null byte"})
            continue
        done = sandbox.exec(["bash", "-c", row["exec"]], cwd="/app", max_output=1 << 24)
        row = player.ask({"code": done.exit_code, "out": done.stdout.decode(errors="replace"),
                          "err": done.stderr.decode(errors="replace")})  # fmt: skip
    return row


def run_openhands(player: Player, talk: Talk) -> Mapping[str, Any]:
    """Return what OpenHands told its model, and the files left; it works on this host.

    Its directory has another name in every run: both it and what is told of it say /app here.
    """
    with tempfile.TemporaryDirectory() as place:
        for name, data in talk.files.items():
            (Path(place) / name).write_bytes(data)
        for name, target in talk.links.items():
            (Path(place) / name).symlink_to(target)
        calls = json.loads(json.dumps(talk.calls).replace("/app", place))
        told = player.ask({"place": place, "calls": calls})["told"]
        files = {
            str(path.relative_to(place)): os.readlink(path)
            if path.is_symlink()
            else path.read_bytes().hex()
            for path in Path(place).rglob("*")
            if path.is_symlink() or path.is_file()
        }
    return {"told": [text.replace(place, "/app") for text in told], "files": files, "error": ""}
