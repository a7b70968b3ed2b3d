"""The file editor of `openhands` on real files: nothing but what was asked for changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.harness_play import call, talk
from tests.support.tiny_tasks import sum_task
from tests.support.trial_tasks import trial_task
from tmax_gym.agents.harness import FormatError
from tmax_gym.agents.harnesses.openhands import OpenHandsHarness
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.observation import elide, observation_text
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.nodes import Node, link
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell
from tmax_gym.trajectory import Ending

FILE = "/app/file"


class Desk:
    """A machine with the editor."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.shell = Shell(sandbox)
        self.harness = OpenHandsHarness()

    def edit(self, command: str, path: str = FILE, **arguments: Any) -> str:
        """Return what the model is told of an edit."""
        row = {"command": command, "path": path, **arguments}
        function = {"name": "file_editor", "arguments": json.dumps(row)}
        actions = self.harness.parse({"tool_calls": [{"id": "1", "function": function}]})
        assert not isinstance(actions, FormatError)
        done = self.shell.run(actions[0].command)
        text = elide(done.output_bytes.decode(), limit=EpisodeLimits().observation_limit)
        return self.harness.observe(actions[0], observation_text(text, done.exit_code))

    def put(self, data: bytes, path: str = FILE, mode: int = 0o644) -> None:
        """Write a file without a history."""
        self.sandbox.exec(["rm", "-rf", "/tmp/.editor", path])
        self.sandbox.put([Node(path, data=data, mode=mode)])

    def read(self, path: str = FILE) -> bytes:
        """Return a file's bytes."""
        (node,) = self.sandbox.get([path])
        assert node.data is not None
        return node.data


@pytest.fixture(scope="module")
def machine(native_backend: Backend, image: str) -> Iterator[Desk]:
    sandbox = native_backend.open(image)
    desk = Desk(sandbox)
    yield desk
    desk.shell.close()
    sandbox.close()


@pytest.fixture
def desk(machine: Desk) -> Desk:
    machine.sandbox.exec(["sh", "-c", "rm -rf /app /tmp/.editor; mkdir /app"])
    return machine


FAILED = "[An error occurred during execution.]\n"

REPLACED = {
    "unix": (b"a\nb\nc\n", "a\nb", "x\ny", b"x\ny\nc\n"),
    "dos": (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
    "dos, said as it is": (b"a\r\nb\r\nc\r\n", "a\r\nb", "x", b"x\r\nc\r\n"),
    "dos, from one end to the next": (b"a\r\nb\r\nc\r\n", "\nb\n", "\n", b"a\r\nc\r\n"),
    "dos, without an end": (b"a\r\nb", "b", "c\nd", b"a\r\nc\r\nd"),
    "mostly unix": (b"a\nb\r\nc\nd\n", "b\nc", "x\ny", b"a\nx\ny\nd\n"),
    "untouched ends of both kinds": (b"a\nb\r\nc\r\nd\r\n", "c", "x", b"a\nb\r\nx\r\nd\r\n"),
    "an old Mac's": (b"a\rb\n", "b", "x", b"a\rx\n"),
    "no end": (b"abc", "b", "x", b"axc"),
    "a mark in front": (b"\xef\xbb\xbfabc\n", "abc", "x", b"\xef\xbb\xbfx\n"),
    "accents": ("é ü 日本\n".encode(), "ü", "ö", "é ö 日本\n".encode()),
    "latin-1": (b"caf\xe9 one\n", "one", "tw\xf6", b"caf\xe9 tw\xf6\n"),
    "latin-1 with what it lacks": (b"caf\xe9 one\n", "one", "日", "café 日\n".encode()),
    "windows": (b"\x93quoted\x94\r\n", "quoted", "\u2026", b"\x93\x85\x94\r\n"),
    "utf-16": ("\ufeffa\r\nb\r\n".encode("utf-16-le"), "b", "é",
               "\ufeffa\r\né\r\n".encode("utf-16-le")),
    "utf-16, big": ("\ufeffab\n".encode("utf-16-be"), "b", "c", "\ufeffac\n".encode("utf-16-be")),
    "tabs": (b"if:\n\tpass\n", "\tpass", "\treturn 1", b"if:\n\treturn 1\n"),
    "spaces around": (b"  a = 1\n", "\na = 1\n", "a = 2", b"  a = 2\n"),
    "nothing instead": (b"a b\n", " b", "", b"a\n"),
    "escapes": (b"\x1b[1mbold\x1b[0m;\n", "bold", "thin", b"\x1b[1mthin\x1b[0m;\n"),
    "patterns": (b"x\n", "x", "\\1 \\g<0> $1 %s {}", b"\\1 \\g<0> $1 %s {}\n"),
    "a form feed and a line separator": ("a\x0cb\u2028c\n".encode(), "c", "d",
                                         "a\x0cb\u2028d\n".encode()),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLACED)
def test_a_replacement_changes_nothing_else(name: str, desk: Desk) -> None:
    before, old, new, after = REPLACED[name]
    desk.put(before)
    output = desk.edit("str_replace", old_str=old, new_str=new)
    assert desk.read() == after, output
    assert output.startswith(f"The file {FILE} has been edited. ")
    assert "\r\n" not in output
    desk.edit("undo_edit")
    assert desk.read() == before


INSERTED = {
    "at the top": (b"a\nb\n", 0, "x", b"x\na\nb\n"),
    "in the middle": (b"a\nb\n", 1, "x\ny", b"a\nx\ny\nb\n"),
    "at the end": (b"a\nb\n", 2, "x", b"a\nb\nx\n"),
    "at an end without its newline": (b"a\nb", 2, "x", b"a\nb\nx\n"),
    "into nothing": (b"", 0, "x", b"x\n"),
    "into a dos file": (b"a\r\nb\r\n", 1, "x\ny", b"a\r\nx\r\ny\r\nb\r\n"),
    "at a dos end without its newline": (b"a\r\nb", 2, "x", b"a\r\nb\r\nx\r\n"),
    "below a mark": (b"\xef\xbb\xbfa\n", 0, "x", b"\xef\xbb\xbfx\na\n"),
    "an empty line": (b"a\n", 1, "", b"a\n\n"),
    "a line with its end": (b"a\nb\n", 1, "x\n", b"a\nx\n\nb\n"),
    "tabs": (b"a\n", 1, "\tx\t", b"a\n\tx\t\n"),
    "latin-1": (b"\xe9\n", 1, "\xfc", b"\xe9\n\xfc\n"),
}


@pytest.mark.parametrize("name", INSERTED)
def test_an_insertion_changes_nothing_else(name: str, desk: Desk) -> None:
    before, line, new, after = INSERTED[name]
    desk.put(before)
    output = desk.edit("insert", insert_line=line, new_str=new)
    assert desk.read() == after, output
    desk.edit("undo_edit")
    assert desk.read() == before


@pytest.mark.parametrize("size", [100_000, 1_000_000, 5_000_000])
def test_a_large_file_is_created_edited_and_undone(size: int, desk: Desk) -> None:
    text = "".join(f"line {i} é\n" for i in range(size // 14))
    created = desk.edit("create", file_text=text)
    assert created == f"File created successfully at: {FILE}"
    output = desk.edit("str_replace", old_str="line 777 é", new_str="changed")
    assert "   778\tchanged\n" in output
    assert desk.read().decode() == text.replace("line 777 é", "changed")
    desk.edit("undo_edit")
    assert desk.read().decode() == text


def test_a_replacement_may_be_larger_than_an_argument(desk: Desk) -> None:
    old, new = "a" * 200_000, "b" * 300_000
    desk.put(f"<{old}>".encode())
    desk.edit("str_replace", old_str=old, new_str=new)
    assert desk.read() == f"<{new}>".encode()


VIEWED = {
    "all": (b"a\nb\n", None, "     1\ta\n     2\tb"),
    "dos": (b"a\r\nb\r\n", None, "     1\ta\n     2\tb"),
    "no end": (b"a\nb", None, "     1\ta\n     2\tb"),
    "a range": (b"a\nb\nc\n", [2, 3], "     2\tb\n     3\tc"),
    "to the end": (b"a\nb\nc\n", [2, -1], "     2\tb\n     3\tc"),
    "one line": (b"a\nb\nc\n", [2, 2], "     2\tb"),
    "tabs": (b"\ta\tb\n", None, "     1\t\ta\tb"),
    "latin-1": (b"\xe9\n", None, "     1\té"),
    "utf-16": ("\ufeffa\n".encode("utf-16-le"), None, "     1\ta"),
    "a mark": (b"\xef\xbb\xbfa\n", None, "     1\ta"),
}


@pytest.mark.parametrize("name", VIEWED)
def test_a_file_is_shown_with_the_numbers_of_its_lines(name: str, desk: Desk) -> None:
    data, wanted, shown = VIEWED[name]
    desk.put(data)
    output = desk.edit("view", view_range=wanted)
    assert output == f"Here's the result of running `cat -n` on {FILE}:\n{shown}"
    assert desk.read() == data


def test_a_range_beyond_the_end_is_shown_up_to_it(desk: Desk) -> None:
    desk.put(b"a\nb\n")
    output = desk.edit("view", view_range=[2, 9])
    assert output.startswith("NOTE: We only show up to 2 since there're only 2 lines")
    assert output.endswith("     2\tb")


def test_a_very_long_line_is_clipped_and_its_file_still_edited(desk: Desk) -> None:
    desk.put(b"x" * 300_000 + b"END\n")
    output = desk.edit("view")
    assert "<response clipped>" in output
    assert output.endswith("END")
    desk.edit("str_replace", old_str="END", new_str="FIN")
    assert desk.read() == b"x" * 300_000 + b"FIN\n"


def test_a_listing_goes_two_levels_deep_and_counts_what_is_hidden(desk: Desk) -> None:
    for path in ("/app/d/e/buried", "/app/b c;'\"é", "/app/.hidden", "/app/d/.h"):
        desk.sandbox.put([Node(path)])
    output = desk.edit("view", "/app")
    assert output.splitlines()[1:5] == ["/app/", "/app/b c;'\"é", "/app/d/", "/app/d/e/"]
    assert "1 hidden files/directories" in output
    assert "buried" not in output


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "absent": ("view", {"path": "/app/absent"}, "does not exist"),
    "relative": ("view", {"path": "app"}, "should be an absolute path"),
    "there already": ("create", {"file_text": ""}, "File already exists"),
    "twice": ("str_replace", {"old_str": "a", "new_str": "b"}, "Multiple occurrences"),
    "nowhere": ("str_replace", {"old_str": "zz", "new_str": "b"}, "did not appear verbatim"),
    "empty": ("str_replace", {"old_str": "", "new_str": "b"}, "No replacement was performed"),
    "the same": ("str_replace", {"old_str": "b", "new_str": "b"}, "must be different"),
    "no text": ("create", {"path": "/app/new"}, "`file_text` is required"),
    "a text that is none": ("create", {"path": "/app/new", "file_text": {"a": 1}}, "a string"),
    "beyond": ("insert", {"insert_line": 9, "new_str": "x"}, "within the range"),
    "before": ("insert", {"insert_line": -1, "new_str": "x"}, "within the range"),
    "from zero": ("view", {"view_range": [0, 1]}, "within the range"),
    "backwards": ("view", {"view_range": [3, 2]}, "greater than or equal"),
    "one number": ("view", {"view_range": [1]}, "list of two integers"),
    "a directory": ("str_replace", {"path": "/app", "old_str": "a", "new_str": "b"}, "directory"),
    "a range of a directory": ("view", {"path": "/app", "view_range": [1, 2]}, "not allowed"),
    "no edit": ("undo_edit", {}, "No edit history"),
    "another deed": ("delete", {}, "Unrecognized command"),
    "half a character": ("create", {"path": "/app/n", "file_text": "\ud800"}, "half of a char"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_said_and_changes_nothing(name: str, desk: Desk) -> None:
    command, arguments, message = REFUSED[name]
    desk.put(b"a\nb\na\n")
    text = desk.edit(command, **arguments)
    assert text.startswith(FAILED)
    assert message in text
    assert desk.read() == b"a\nb\na\n"
    assert [n.path for n in desk.sandbox.get(["/app"]) if n.kind == "file"] == [FILE]


@pytest.mark.parametrize("data", [b"\x7fELF\0\0\1\2", b"a\0b\n", bytes(range(256))])
def test_a_binary_file_is_refused_and_kept(data: bytes, desk: Desk) -> None:
    desk.put(data)
    assert "appears to be binary" in desk.edit("view")
    assert "appears to be binary" in desk.edit("str_replace", old_str="a", new_str="b")
    assert desk.read() == data


def test_a_pipe_is_refused_at_once(desk: Desk) -> None:
    desk.sandbox.exec(["mkfifo", FILE])
    assert "no regular file" in desk.edit("view")


def test_a_link_stays_a_link_and_its_target_is_edited(desk: Desk) -> None:
    desk.put(b"a\n", "/app/target", 0o640)
    desk.sandbox.put([link(FILE, "target")])
    desk.edit("str_replace", old_str="a", new_str="b")
    assert desk.read("/app/target") == b"b\n"
    (node,) = desk.sandbox.get([FILE])
    assert (node.kind, node.target) == ("link", "target")


def test_mode_owner_and_hard_links_stay(desk: Desk) -> None:
    desk.put(b"a\n", mode=0o751)
    desk.sandbox.exec(["sh", "-c", f"chown 1000:1000 {FILE}; ln {FILE} /app/other"])
    desk.edit("str_replace", old_str="a", new_str="b")
    (node,) = desk.sandbox.get([FILE])
    assert (node.mode, node.uid, node.gid) == (0o751, 1000, 1000)
    assert desk.read("/app/other") == b"b\n"


@pytest.mark.parametrize("name", ["a b", "a'b\"c", "é日", "-n", "$HOME;`id`", "a\nb", "a\\b"])
def test_any_name_can_be_created_and_edited(name: str, desk: Desk) -> None:
    path = f"/app/new/{name}"
    desk.edit("create", path, file_text="one\n")
    desk.edit("str_replace", path, old_str="one", new_str="two")
    assert desk.read(path) == b"two\n"


def test_edits_are_undone_one_after_the_other(desk: Desk) -> None:
    desk.edit("create", file_text="0\n")
    for n in range(12):
        desk.edit("str_replace", old_str=f"{n}", new_str=f"{n + 1}")
    for n in range(11, 1, -1):
        assert f"     1\t{n}" in desk.edit("undo_edit")
    assert "No edit history" in desk.edit("undo_edit")
    assert desk.read() == b"2\n"


def test_a_read_only_file_is_edited_as_far_as_its_user_may(desk: Desk) -> None:
    desk.put(b"a\n", mode=0o444)
    desk.edit("str_replace", old_str="a", new_str="b")
    (node,) = desk.sandbox.get([FILE])
    assert (node.data, node.mode) == (b"b\n", 0o444)


def test_a_large_file_goes_through_a_whole_episode(native_backend: Backend) -> None:
    text = "x" * 90 + "\n"
    played = talk(
        "openhands",
        [
            call("file_editor", command="create", path="/app/big", file_text=text * 3_000),
            call("terminal", command="wc -c < /app/big; echo 42 > /app/sum.txt"),
            call("finish", message="done"),
        ],
        sum_task(),
        native_backend,
    )
    assert played.seen.reward == 1.0
    assert "273000" in played.told[3]


def test_an_image_without_python_is_no_zero_for_openhands(
    native_backend: Backend, tmp_path: Path, image: str
) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    dockerfile = "FROM tmax/core:latest\nRUN rm -f /usr/bin/python3*\nWORKDIR /app\n"
    task = trial_task(tmp_path, files={"environment/Dockerfile": dockerfile})
    played = talk("openhands", [], TrialTask("trial/own", read_task(task)), native_backend)
    assert (played.seen.ending, played.seen.reward) == (Ending.INFRA_ERROR, None)
    assert "Put python3 into the image" in played.seen.message
    assert not played.asked
