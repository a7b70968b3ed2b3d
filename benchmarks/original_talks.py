"""Scripted conversations for `originals.py`, and why ours differ where they do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation."""

    name: str
    replies: Sequence[str] = ()
    """Of a model in `terminus2`."""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """Of a model in `openhands`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    """Why ours differs; "" where it must not."""


def keys(*typed: str, wait: float = 0.2, **more: Any) -> str:
    """Return a reply of Terminus 2."""
    commands = [{"keystrokes": text, "duration": wait} for text in typed]
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


def row(*commands: Mapping[str, Any], **more: Any) -> str:
    """Return a reply with commands as they are."""
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


LOOK = keys("ls\n")
TERMINUS = (
    Talk("one command", [keys("echo one\n")]),
    Talk("several commands", [keys("echo one\n", "echo two\n", "cd /tmp\n"), keys("pwd\n")]),
    Talk("a file by a here-document", [keys("cat > a.c <<'E'\nint f() {\n  return 0;\n}\nE\n"),
                                       keys("cat a.c\n")]),
    Talk("find with an escaped semicolon", [keys("find . -exec echo hit {} \\;\n")]),
    Talk("keys by name", [keys("sleep 60\n"), keys("C-c"), keys("cat\n"), keys("C-d")]),
    Talk("Enter and Up as keys", [keys("echo up", "Enter"), keys("Up", "Enter")]),
    Talk("a key's name with a newline is text", [keys("C-c\n")]),
    Talk("waiting", [keys("sleep 8; echo done\n"), keys("", wait=10.0)]),
    Talk("a full-screen program", [keys("seq 100 > n; vi n\n", wait=1.5), keys(":q\n")]),
    Talk("clear", [keys("seq 10\n"), keys("clear\n"), LOOK]),
    Talk("more than a screen", [keys("seq 500\n", wait=1.0), keys("echo after\n")]),
    Talk("raw newlines typed into a reader", [keys("cat > f\n"), keys("a\nb\n\nc"), keys("\n"),
                                             keys("C-d"), keys("od -c f\n")]),
    Talk("20 kB in one reply", [keys("cat > big <<'E'\n" + "0123456789 text\n" * 1_300 + "E\n",
                                     wait=3.0), keys("clear\n"), keys("md5sum big\n")]),
    Talk("words and a fence around", [f"Here:\n```json\n{LOOK}\n```\nDone."]),
    Talk("no JSON", ["I would rather not.", LOOK]),
    Talk("a missing brace", [LOOK[:-1]]),
    Talk("missing fields", ['{"commands": []}', LOOK]),
    Talk("commands that are no list", ['{"analysis": "", "plan": "", "commands": "ls"}', LOOK]),
    Talk("a command that is no object", [row("ls"), LOOK]),  # type: ignore[arg-type]
    Talk("no keystrokes", [row({"duration": 1}), LOOK]),
    Talk("warnings", [row({"keystrokes": "echo a"},
                          {"keystrokes": "\n", "duration": 0.5, "x": 1})]),
    Talk("a duration that is none", [row({"keystrokes": "echo a\n", "duration": "1"})]),
    Talk("fields in another order", ['{"plan": "", "analysis": "", "commands": []}']),
    Talk("completion said and withdrawn", [keys(task_complete=True), LOOK,
                                           keys(task_complete="yes")]),
    Talk("commands with the second completion",
         [keys(task_complete=True), keys("echo 42 > sum\n", task_complete=True)]),
    Talk("bad commands with completion", [row("x", task_complete=True)]),  # type: ignore[arg-type]
    Talk("accents", [keys("echo é 日本\n")],
         reason="the original's tmux may show other letters as _ without a locale"),
    Talk("a semicolon at the end", [keys("echo 'return 0;", "'\n")],
         reason="the original loses a final ;"),
    Talk("a semicolon alone", [keys("echo a", ";", " echo b\n")],
         reason="the original loses a final ;"),
    Talk("NUL", [keys("\0")], reason="the original fails"),
    Talk("the session ends", [keys("exit\n", wait=1.0), LOOK],
         reason="the original's episode ends; here a new session is started and told"),
    Talk("a draft in <think>", [f"<think>\n{keys('echo draft')}\n</think>\n{LOOK}"],
         reason="the original types the draft"),
    Talk("braces in prose", [f"I use {{x}} here.\n{LOOK}"],
         reason="the original cannot read the reply"),
    Talk("another object before", [f'It is {{"port": 80}}.\n{LOOK}'],
         reason="the original cannot read the reply"),
    Talk("a trailing comma", [LOOK[:-1] + ",}"], reason="the original refuses it"),
    Talk("a raw newline in a string", [LOOK.replace("\\n", "\n")],
         reason="the original refuses it"),
    Talk("3,000 lines", [keys("seq 3000\n", wait=1.5)],
         reason="the original keeps 2,000 lines and shows only the last screen"),
)  # fmt: skip


def edit(command: str, path: str = "/app/f", **arguments: Any) -> tuple[str, Mapping[str, Any]]:
    """Return a call of the file editor."""
    return "file_editor", {"command": command, "path": path, **arguments}


def run(command: str) -> tuple[str, Mapping[str, Any]]:
    """Return a call of the terminal."""
    return "terminal", {"command": command}


ABC = {"f": b"a\nb\nc\n"}
SWAP = edit("str_replace", old_str="b", new_str="x")
OPENHANDS = (
    Talk("create and view", calls=[edit("create", file_text="one\ntwo\n"), edit("view")]),
    Talk("create what is there", calls=[edit("create", file_text="")], files=ABC),
    Talk("view a directory", calls=[edit("view", "/app")], files={**ABC, ".h": b"", "a b": b""}),
    Talk("view ranges", files=ABC, calls=[
        edit("view", view_range=[low, high])
        for low, high in ((1, 2), (2, -1), (3, 3), (2, 9), (0, 1), (4, 4), (3, 2))]),
    Talk("replace", calls=[SWAP, edit("view")], files=ABC),
    Talk("replace by several lines", files={"f": b"".join(b"%d\n" % n for n in range(30))},
         calls=[edit("str_replace", old_str="15\n16", new_str="x\ny\nz\nw")]),
    Talk("replace what occurs twice", files={"f": b"a\na\n"},
         calls=[edit("str_replace", old_str="a", new_str="b")]),
    Talk("replace what is absent", files=ABC,
         calls=[edit("str_replace", old_str="zz", new_str="b")]),
    Talk("replace with blanks around", files=ABC,
         calls=[edit("str_replace", old_str="\n b ", new_str="x")]),
    Talk("replace by the same", files=ABC, calls=[edit("str_replace", old_str="b", new_str="b")]),
    Talk("insert at the top, between, at the end", files=ABC, calls=[
        edit("insert", insert_line=n, new_str="x\ny") for n in (0, 2, 7)]),
    Talk("insert beyond the end", files=ABC, calls=[edit("insert", insert_line=9, new_str="x")]),
    Talk("undo", files=ABC, calls=[SWAP, edit("undo_edit"), edit("undo_edit")]),
    Talk("undo a creation", calls=[edit("create", file_text="a\n"), SWAP, edit("undo_edit")]),
    Talk("an empty file", files={"f": b""}, calls=[
        edit("view"), edit("insert", insert_line=0, new_str="x"), edit("view")]),
    Talk("no newline at the end", files={"f": b"a\nb"}, calls=[SWAP, edit("view")]),
    Talk("tabs", files={"f": b"\ta\tb\n"}, calls=[SWAP, edit("view")]),
    Talk("a binary file", files={"f": b"\x7fELF\0\0\1"}, calls=[edit("view")]),
    Talk("latin-1", files={"f": b"caf\xe9 b\n" * 5}, calls=[
        edit("str_replace", old_str="b\ncafé b\ncafé b\ncafé b\ncafé b", new_str="ü")]),
    Talk("a mark in front", files={"f": b"\xef\xbb\xbfa\nb\n"}, calls=[edit("view"), SWAP]),
    Talk("an absent file", calls=[edit("view"), SWAP, edit("undo_edit")]),
    Talk("a directory", calls=[edit("str_replace", "/app", old_str="a", new_str="b")]),
    Talk("a relative path", calls=[edit("view", "f")]),
    Talk("300 kB", calls=[edit("create", file_text="0123456789\n" * 30_000),
                          edit("str_replace", old_str="0123456789\n" * 30_000, new_str="b\n"),
                          edit("view")]),
    Talk("odd names", calls=[edit("create", "/app/a 'b\" é", file_text="x\n"),
                             edit("view", "/app")]),
    Talk("commands", calls=[run("echo hi"), run("false"), run("x=1; echo $x; exit_code() { :; }")]),
    Talk("thinking", calls=[("think", {"thought": "hm"})]),
    Talk("dos line ends", files={"f": b"a\r\nb\r\nc\r\n"}, calls=[SWAP],
         reason="the original writes the whole file with unix line ends"),
    Talk("utf-16", files={"f": "\ufeffa\nb\n".encode("utf-16-le")}, calls=[edit("view")],
         reason="the original may not know the encoding of a short file"),
    Talk("a link", files={"t": b"b\n"}, links={"f": "t"}, calls=[SWAP],
         reason="the original puts a file in the place of the link"),
    Talk("insert below a line without an end", files={"f": b"a\nb"},
         calls=[edit("insert", insert_line=2, new_str="x")],
         reason="the original joins the two lines"),
    Talk("a directory that is absent", calls=[edit("create", "/app/d/f", file_text="x\n")],
         reason="the original does not make it"),
    Talk("a very long line", files={"f": b"x" * 40_000 + b"\n"}, calls=[edit("view")],
         reason="an observation here has at most 10,000 characters"),
)  # fmt: skip
