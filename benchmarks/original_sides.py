"""The sandboxes in which both sides of `originals.py` work, and the processes of the originals.

Both sides get the same files and the same tmux, which types and reads the screen only while no
process in the sandbox is busy.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from benchmarks.driver import MARK, Driver, Ended, Hung
from benchmarks.original_conversations import Case
from tmax_gym.nodes import Node, directory, link
from tmax_gym.sandboxes import Backend, Sandbox

PLAYERS = Path(__file__).parent / "original_players"
_ANSWER = 300.0
"""Seconds for one answer, with imports: OpenHands may wait half a minute for each command."""


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


class Player(Driver):
    """An original in a process of its own, for many conversations: its imports take long."""

    def __init__(self, python: str, script: str) -> None:
        """Start a script of `original_players/` with an interpreter that has the package."""
        self._words = (python, str(PLAYERS / script))
        environment = {**os.environ, MARK: f"originals-{os.getpid()}"}
        super().__init__(self._words, environment=environment, directory=PLAYERS)

    def send(self, **request: Any) -> Mapping[str, Any]:
        """Write a line; return the line that answers it."""
        try:
            return self.ask(_ANSWER, **request)
        except (Ended, Hung) as error:
            raise PlayerFailed(
                f"the original gave no answer ({error}); it is: {' '.join(self._words)}\n"
                "Run that by hand to see why; benchmarks/README.md says what to install."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_terminus(player: Player, replies: Sequence[str], sandbox: Sandbox) -> Mapping[str, Any]:
    """Return the messages of Terminus 2 to its model, and its error; it works in a sandbox."""
    row = player.send(replies=replies)
    while "exec" in row:
        if "\0" in row["exec"]:  # no program can take that as an argument
            row = player.send(failure="embedded null byte")
            continue
        done = sandbox.exec(["bash", "-c", row["exec"]], cwd="/app", max_output=1 << 24)
        out, err = (data.decode(errors="replace") for data in (done.stdout, done.stderr))
        row = player.send(code=done.exit_code, out=out, err=err)
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
        messages = player.send(place=place, calls=calls)["told"]
        files = {
            str(path.relative_to(place)): os.readlink(path)
            if path.is_symlink()
            else path.read_bytes().hex()
            for path in Path(place).rglob("*")
            if path.is_symlink() or path.is_file()
        }
    return {"told": [text.replace(place, "/app") for text in messages], "files": files, "error": ""}
