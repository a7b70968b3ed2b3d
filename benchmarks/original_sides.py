"""The sandboxes in which both sides of `originals.py` work, and the processes of the originals.

Both sides get the same files and the same tmux, which types and reads the screen only while no
process in the sandbox is busy.
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

from benchmarks.original_conversations import Case
from tmax_gym.nodes import Node, directory, link
from tmax_gym.sandboxes import Backend, Sandbox

PLAYERS = Path(__file__).parent / "original_players"
_ANSWER = 300.0
"""Seconds for one answer, with imports: OpenHands may wait half a minute for each command."""
_END = 10.0
"""Seconds in which a process may end by itself."""


class PlayerFailed(Exception):
    """The process of an original ended without an answer."""


def opened(backend: Backend, conversation: Case) -> Sandbox:
    """Return a sandbox with a conversation's files, and the tmux that waits for idle processes."""
    sandbox = backend.open("core")
    tmux = (PLAYERS / "tmux.sh").read_bytes()
    sandbox.put([directory("/app"), Node("/usr/local/bin/tmux", data=tmux, mode=0o755)])
    sandbox.put([Node(f"/app/{name}", data=data) for name, data in conversation.files.items()])
    sandbox.put([link(f"/app/{name}", target) for name, target in conversation.links.items()])
    return sandbox


def files_in(sandbox: Sandbox) -> Mapping[str, str]:
    """Return the content of the files, and the targets of the links, in `/app`."""
    return {
        node.path.removeprefix("/app/"): node.target or (node.data or b"").hex()
        for node in sandbox.get(["/app"])
        if node.kind != "dir"
    }


class Player(AbstractContextManager["Player"]):
    """An original in a process of its own, for many conversations: its imports take long."""

    def __init__(self, python: str, script: str) -> None:
        """Start it.

        Args:
            python: An interpreter that has the package.
            script: A file in `original_players/`.
        """
        self._process = subprocess.Popen(
            [python, str(PLAYERS / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write a line; return the line that answers it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        limit = threading.Timer(_ANSWER, self._process.kill)
        limit.start()
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
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
    """Return the messages of Terminus 2 to its model, and its error; it works in a sandbox."""
    row = player.ask({"replies": replies})
    while "exec" in row:
        if "\0" in row["exec"]:  # no program can take that as an argument
            row = player.ask({"failure": "embedded null byte"})
            continue
        done = sandbox.exec(["bash", "-c", row["exec"]], cwd="/app", max_output=1 << 24)
        row = player.ask({"code": done.exit_code, "out": done.stdout.decode(errors="replace"),
                          "err": done.stderr.decode(errors="replace")})  # fmt: skip
    return row


def run_openhands(player: Player, conversation: Case) -> Mapping[str, Any]:
    """Return the messages of OpenHands to its model, and the files; it works on this host.

    Its directory has another name in every run, which calls and messages replace by /app.
    """
    with tempfile.TemporaryDirectory() as place:
        for name, data in conversation.files.items():
            (Path(place) / name).write_bytes(data)
        for name, target in conversation.links.items():
            (Path(place) / name).symlink_to(target)
        calls = json.loads(json.dumps(conversation.calls).replace("/app", place))
        told = player.ask({"place": place, "calls": calls})["told"]
        files = {
            str(path.relative_to(place)): os.readlink(path)
            if path.is_symlink()
            else path.read_bytes().hex()
            for path in Path(place).rglob("*")
            if path.is_symlink() or path.is_file()
        }
    return {"told": [text.replace(place, "/app") for text in told], "files": files, "error": ""}
