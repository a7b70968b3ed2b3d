"""Scripted conversations for `originals.py`, each with the reason if ours differs on purpose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation: the model's replies or calls, and the files at its start."""

    name: str
    replies: Sequence[str] = ()
    """The replies of a model in `terminus2`."""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """The tool calls of a model in `openhands`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    """Why ours differs on purpose; "" if it must not differ."""
    original: str = ""
    """A part of the original's text where they differ."""
    here: str = ""
    """A part of our text where they differ."""


def keys(*typed: str, wait: float = 0.2, **more: Any) -> str:
    """Return a reply in the format of Terminus 2 that types these texts."""
    commands = [{"keystrokes": text, "duration": wait} for text in typed]
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


def row(*commands: Mapping[str, Any], **more: Any) -> str:
    """Return a reply in the format of Terminus 2 with these command objects."""
    return json.dumps({"analysis": "a", "plan": "p", "commands": commands, **more})


LOOK = keys("ls\n")
TERMINUS = (
    Case("one command", [keys("echo one\n")]),
    Case("several commands", [keys("echo one\n", "echo two\n", "cd /tmp\n"), keys("pwd\n")]),
    Case("a file by a here-document", [keys("cat > a.c <<'E'\nint f() {\n  return 0;\n}\nE\n"),
                                       keys("cat a.c\n")]),
    Case("find with an escaped semicolon", [keys("find . -exec echo hit {} \\;\n")]),
    Case("keys by name", [keys("sleep 60\n"), keys("C-c"), keys("cat\n"), keys("C-d")]),
    Case("Enter and Up as keys", [keys("echo up", "Enter"), keys("Up", "Enter")]),
    Case("a key's name with a newline is text", [keys("C-c\n")]),
    Case("waiting", [keys("sleep 8; echo done\n"), keys("", wait=10.0)]),
    Case("a full-screen program", [keys("seq 100 > n; vi n\n", wait=1.5), keys(":q\n")]),
    Case("clear", [keys("seq 10\n"), keys("clear\n"), LOOK]),
    Case("more than a screen", [keys("seq 500\n", wait=1.0), keys("echo after\n")]),
    Case("raw newlines typed into a reader", [keys("cat > f\n"), keys("a\nb\n\nc"), keys("\n"),
                                             keys("C-d"), keys("od -c f\n")]),
    Case("20 kB in one reply", [keys("cat > big <<'E'\n" + "0123456789 text\n" * 1_300 + "E\n",
                                     "clear\n"), keys("md5sum big\n")]),
    Case("words and a fence around", [f"Here:\n```json\n{LOOK}\n```\nDone."]),
    Case("no JSON", ["I would rather not.", LOOK]),
    Case("a missing brace", [LOOK[:-1]]),
    Case("missing fields", ['{"commands": []}', LOOK]),
    Case("commands that are no list", ['{"analysis": "", "plan": "", "commands": "ls"}', LOOK]),
    Case("a command that is no object", [row("ls"), LOOK]),  # type: ignore[arg-type]
    Case("no keystrokes", [row({"duration": 1}), LOOK]),
    Case("warnings", [row({"keystrokes": "echo a"},
                          {"keystrokes": "\n", "duration": 0.5, "x": 1})]),
    Case("a duration that is none", [row({"keystrokes": "echo a\n", "duration": "1"})]),
    Case("an object that cannot be read", ['{"analysis": "a", plan: 1}', LOOK]),
    Case("a long object that cannot be read", ['{"analysis": "%s", plan: 1}' % ("a" * 300), LOOK]),
    Case("words around an object without commands", ['See: {"analysis": ""} so.', LOOK]),
    Case("two answers", [LOOK + "\n" + keys("echo no\n")]),
    Case("a list", [f"[{LOOK}]"]),
    Case("an analysis that is a number", [row(analysis=1), row(plan=None)]),
    Case("tab completion", [keys("echo /etc/host\t\t"), keys("name\n")]),
    Case("Escape in an editor", [keys("vi n\n"), keys("ione\ntwo"), keys("Escape"),
                                 keys(":wq\n"), keys("cat n\n")]),
    Case("a pager", [keys("seq 200 > n; less n\n"), keys("Space"), keys("q")]),
    Case("job control", [keys("sleep 60\n"), keys("C-z"), keys("jobs\n"), keys("fg\n"),
                         keys("C-c")]),
    Case("what a shell would expand", [keys("echo '$HOME' \"`echo x`\" \\\\ \"a'b\" $((1+1))\n")]),
    Case("text that begins with dashes", [keys("-l\n"), keys("--\n"), keys("-x"), keys("C-c")]),
    Case("a carriage return", [keys("echo cr\r")]),
    Case("a control character", [keys("sleep 60\n"), keys("\x03"), keys("echo a\x15echo b\n")]),
    Case("names of keys in a text", [keys("echo Up Enter C-c\n")]),
    Case("text like a key's name", [keys("Enterx"), keys("\n"), keys("F99"), keys("Enter")]),
    Case("keys by number and caret", [keys("echo ", "0x41", "Enter"), keys("sleep 60\n"),
                                      keys("^C")]),
    Case("colours", [keys("printf '\\033[31mred\\033[0m\\n'\n")]),
    Case("a line wider than the screen", [keys("printf '%0400d\\n' 7\n"), LOOK]),
    Case("a question without an echo", [keys("read -s -p 'Password: ' p\n"), keys("secret\n"),
                                        keys("echo $p\n")]),
    Case("nothing new", [keys(""), keys(""), keys("\n"), row()]),
    Case("a negative duration", [keys("echo a\n", wait=-5)]),
    Case("fields in another order", ['{"plan": "", "analysis": "", "commands": []}']),
    Case("completion said and withdrawn", [keys(task_complete=True), LOOK,
                                           keys(task_complete="yes")]),
    Case("commands with the second completion",
         [keys(task_complete=True), keys("echo 42 > sum\n", task_complete=True)]),
    Case("bad commands with completion", [row("x", task_complete=True)]),  # type: ignore[arg-type]
    Case("accents", [keys("echo é 日本\n")]),
    Case("a semicolon at the end", [keys("echo 'return 0;", "'\n")],
         reason="tmux takes a final ; for its own separator: the original loses it",
         original="# echo 'return 0'\n", here="# echo 'return 0;'\n"),
    Case("a semicolon alone", [keys("echo a", ";", " echo b\n")],
         reason="tmux takes it for its own separator: the original types nothing",
         original="# echo a echo b\n", here="# echo a; echo b\na\nb\n"),
    Case("NUL", [keys("\0")],
         reason="the original fails, and with it the trial; here the key C-Space is pressed",
         original="ValueError: embedded null byte"),
    Case("half of a character", [keys("echo \ud83d\n"), LOOK],
         reason="the original fails, and with it the trial; here the model is told",
         original="UnicodeEncodeError"),
    Case("the session ends", [keys("exit\n"), LOOK],
         reason="the original ends the trial; here a new session is started and the model is told",
         original="asked 1 times", here="asked 3 times"),
    Case("the server is killed", [keys("tmux kill-server\n"), LOOK],
         reason="the original ends the trial; here a new server is started and the model is told",
         original="asked 1 times", here="asked 3 times"),
    Case("a draft in <think>", [f"<think>\n{keys('echo draft')}\n</think>\n{LOOK}"],
         reason="the original types what the model only thought of",
         original="# echo draft", here="# ls\n"),
    Case("braces in prose", [f"I use {{x}} here.\n{LOOK}"],
         reason="the same is typed; the original's warning speaks of a correction",
         original="AUTO-CORRECTED: Extracted JSON", here="Extra text detected before JSON object"),
    Case("braces in prose and in keystrokes",
         [f"As {{x}}.\n{keys('a() { echo b; }; a' + chr(10))}"],
         reason="the original takes the first braces for the answer",
         original="Invalid JSON", here="# a() { echo b; }; a\nb\n"),
    Case("another object before", [f'It is {{"port": 80}}.\n{LOOK}'],
         reason="the original takes the first object for the answer",
         original="Missing required fields", here="# ls\n"),
    Case("a trailing comma", [LOOK[:-1] + ",}"],
         reason="there is one way to read it: it is typed, with a warning",
         original="Invalid JSON", here="Ignored a trailing comma"),
    Case("a raw newline in a string", [LOOK.replace("\\n", "\n")],
         reason="there is one way to read it: it is typed as it is, with a warning",
         original="Invalid JSON", here="Accepted unescaped control characters"),
    Case("an object that is not closed", ['{"analysis": "a", "plan": ', LOOK],
         reason="here the model is told where its reply breaks off",
         original="No valid JSON found", here="Invalid JSON: Expecting value"),
    Case("3,000 lines", [keys("seq 3000\n")],
         reason="the original's pane keeps 2,000 lines, and shows none where more come",
         original="New Terminal Output:\nroot@", here="# seq 3000\n1\n2\n"),
    Case("a screen that begins with empty lines",
         [keys("PS1=; clear; echo; echo; echo one; echo two\n"), keys("echo three\n")],
         reason="the original counts from the first letter: it shows the end of an older line too",
         original="Output:\nne\ntwo\necho three", here="Output:\n\ntwo\necho three"),
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
    Case("create and view", calls=[edit("create", file_text="one\ntwo\n"), edit("view")]),
    Case("create what is there", calls=[edit("create", file_text="")], files=ABC),
    Case("view a directory", calls=[edit("view", "/app")], files={**ABC, ".h": b"", "a b": b""}),
    Case("view ranges", files=ABC, calls=[
        edit("view", view_range=[low, high])
        for low, high in ((1, 2), (2, -1), (3, 3), (2, 9), (0, 1), (4, 4), (3, 2))]),
    Case("replace", calls=[SWAP, edit("view")], files=ABC),
    Case("replace by several lines", files={"f": b"".join(b"%d\n" % n for n in range(30))},
         calls=[edit("str_replace", old_str="15\n16", new_str="x\ny\nz\nw")]),
    Case("replace what occurs twice", files={"f": b"a\na\n"},
         calls=[edit("str_replace", old_str="a", new_str="b")]),
    Case("replace what is absent", files=ABC,
         calls=[edit("str_replace", old_str="zz", new_str="b")]),
    Case("replace with blanks around", files=ABC,
         calls=[edit("str_replace", old_str="\n b ", new_str="x")]),
    Case("replace by the same", files=ABC, calls=[edit("str_replace", old_str="b", new_str="b")]),
    Case("insert at the top, between, at the end", files=ABC, calls=[
        edit("insert", insert_line=n, new_str="x\ny") for n in (0, 2, 7)]),
    Case("insert beyond the end", files=ABC, calls=[edit("insert", insert_line=9, new_str="x")]),
    Case("undo", files=ABC, calls=[SWAP, edit("undo_edit"), edit("undo_edit")]),
    Case("undo a creation", calls=[edit("create", file_text="a\n"), SWAP, edit("undo_edit")]),
    Case("an empty file", files={"f": b""}, calls=[
        edit("view"), edit("insert", insert_line=0, new_str="x"), edit("view")]),
    Case("no newline at the end", files={"f": b"a\nb"}, calls=[SWAP, edit("view")]),
    Case("tabs", files={"f": b"\ta\tb\n"}, calls=[SWAP, edit("view")]),
    Case("a binary file", files={"f": b"\x7fELF\0\0\1"}, calls=[edit("view")]),
    Case("latin-1", files={"f": b"caf\xe9 b\n" * 5}, calls=[
        edit("str_replace", old_str="b\ncafé b\ncafé b\ncafé b\ncafé b", new_str="ü")]),
    Case("a mark in front", files={"f": b"\xef\xbb\xbfa\nb\n"}, calls=[edit("view"), SWAP]),
    Case("an absent file", calls=[edit("view"), SWAP, edit("undo_edit")]),
    Case("a directory", calls=[edit("str_replace", "/app", old_str="a", new_str="b")]),
    Case("a relative path", calls=[edit("view", "f")]),
    Case("300 kB", calls=[edit("create", file_text="0123456789\n" * 30_000),
                          edit("str_replace", old_str="0123456789\n" * 30_000, new_str="b\n"),
                          edit("view")]),
    Case("odd names", calls=[edit("create", "/app/a 'b\" é", file_text="x\n"),
                             edit("view", "/app")]),
    Case("commands", calls=[run("echo hi"), run("false"), run("x=1; echo $x; exit_code() { :; }")]),
    Case("thinking", calls=[("think", {"thought": "hm"})]),
    Case("a loop of several lines", calls=[run("for i in 1 2; do\n  echo $i\ndone")]),
    Case("letters in an output", calls=[run("echo é 日本 😀")]),
    Case("a here-document", calls=[run("cat > f <<'E'\nx\n  y\nE"), edit("view")]),
    Case("what stays in the shell", calls=[
        run("cd /tmp"), run("pwd"), run("export A=1; b() { echo $A; }"), run("b")]),
    Case("standard error", calls=[run("echo e >&2; (exit 3)")]),
    Case("a program in the background", calls=[run("(sleep 1 &); echo started")]),
    Case("absent arguments", files=ABC, calls=[
        edit("create", "/app/g"), edit("str_replace", new_str="x"), edit("insert", new_str="x"),
        edit("insert", insert_line=1)]),
    Case("odd ranges", files=ABC, calls=[
        edit("view", view_range=r) for r in ([1], [1, 2, 3], [-1, 2], [2, -5])]),
    Case("a range of a directory", files=ABC, calls=[edit("view", "/app", view_range=[1, 2])]),
    Case("a tree", calls=[run("mkdir -p d/e/g .h; touch d/f d/e/h d/.i .h/j"),
                          edit("view", "/app")]),
    Case("signs of patterns", files={"f": b"a.*(b)\na+b\n"}, calls=[
        edit("str_replace", old_str=".*(b)", new_str="\\1\\g<0>"), edit("view")]),
    Case("two edits undone", files=ABC, calls=[
        SWAP, edit("insert", insert_line=0, new_str="top"), edit("undo_edit"), edit("undo_edit"),
        edit("view")]),
    Case("letters of many kinds", files={"f": "é 日本 😀\n".encode()}, calls=[
        edit("view"), edit("str_replace", old_str="日本", new_str="ñ"), edit("view")]),
    Case("blanks at the ends of lines", files={"f": b"a  \n\tb \n"}, calls=[
        edit("str_replace", old_str="a  ", new_str="c  "), edit("view")]),
    Case("a relative path of a file that is there", files=ABC, calls=[edit("view", "f")]),
    Case("utf-16", files={"f": "\ufeffa\nb\n".encode("utf-16-le")}, calls=[edit("view")]),
    Case("a replacement by an empty text", files=ABC,
         calls=[edit("str_replace", old_str="b\n", new_str=""), edit("view")]),
    Case("a replacement by nothing", files=ABC, calls=[edit("str_replace", old_str="b\n")],
         reason="an absent new_str is an empty one here",
         original="Parameter `new_str` is required", here="has been edited"),
    Case("dos line ends", files={"f": b"a\r\nb\r\nc\r\n"}, calls=[SWAP],
         reason="the original writes the whole file with unix line ends",
         original=b"a\nx\nc\n".hex(), here=b"a\r\nx\r\nc\r\n".hex()),
    Case("a carriage return in a line", files={"f": b"a\rb\n\nc"}, calls=[edit("view")],
         reason="the original counts it as the end of a line, which no program of Linux does",
         original="     2\tb\n", here="     1\ta\rb\n"),
    Case("a link", files={"t": b"b\n"}, links={"f": "t"}, calls=[SWAP],
         reason="the original puts a file in the place of the link",
         original=b"x\n".hex(), here='"f": "t"'),
    Case("insert below a line without an end", files={"f": b"a\nb"},
         calls=[edit("insert", insert_line=2, new_str="x")],
         reason="the original joins the two lines", original="\tbx\n", here="\tb\n     3\tx\n"),
    Case("a directory that is absent", calls=[edit("create", "/app/d/f", file_text="x\n")],
         reason="the original does not make it", original="No such file or directory",
         here="File created successfully"),
    Case("a very long line", files={"f": b"x" * 40_000 + b"\n"}, calls=[edit("view")],
         reason="the editor shows at most 9,000 characters here, the original's 16,000",
         original="x" * 5_000, here="<response clipped>"),
    Case("much output", calls=[run("seq 5000")],
         reason="an observation here has at most 10,000 characters, the original's 30,000",
         original="\n2500\n", here="<left out>"),
    Case("more than 10,000 lines", calls=[run("seq 20000")],
         reason="the original's pane keeps 10,000 lines, and shows none where more come",
         original="Previous command outputs are truncated", here="\n19999\n20000\n"),
    Case("tabs in an output", calls=[run("printf 'a\\tb\\n'")],
         reason="the original reads a screen, on which a tab is blanks",
         original="a       b", here="a\tb"),
    Case("several commands", calls=[run("echo a\necho b")],
         reason="the original refuses them; here a command may span lines, as its tool says",
         original="Cannot execute multiple commands at once", here="a\nb\n"),
    Case("an open quote", calls=[run("echo 'open")],
         reason="the original waits half a minute for the rest; here nothing can be typed later",
         original="no new output after 30 seconds", here="unexpected EOF"),
    Case("an end of the shell", calls=[run("exit 3"), run("echo back")],
         reason="a new shell is started by both; here it goes on where the old one stood",
         original="terminal session was reset", here="A new shell was started"),
    Case("an empty command", calls=[run("")],
         reason="in the original it reads on, which is not possible here",
         original="No previous running command", here="The command is empty"),
)  # fmt: skip
