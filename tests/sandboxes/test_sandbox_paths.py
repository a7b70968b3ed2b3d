"""File names that are not UTF-8, and impossible ones: the same on every backend."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import _usable
from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node, directory, link
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.sandboxes.quoting import is_utf8, quoted
from tmax_gym.shell import Shell

PLACE = "/srv/d\udcff"
FILE, LINK = f"{PLACE}/f\udcfe", f"{PLACE}/l"
MARKED = [pytest.param("docker", marks=pytest.mark.docker),
          pytest.param("podman", marks=pytest.mark.docker)]  # fmt: skip


@pytest.fixture(scope="module", params=["native", "apptainer", "gvisor", "kubernetes", *MARKED])
def machine(request: pytest.FixtureRequest, image: str) -> Iterator[Sandbox]:
    """A machine that has run a command, because containers are then read in another way."""
    if request.param == "apptainer":
        if not shutil.which("apptainer"):
            pytest.skip("no apptainer on PATH: .ci/engine apptainer")
        machines: Backend = _usable("apptainer")
    else:
        machines = request.getfixturevalue(f"{request.param}_backend")
    opened = machines.open("core" if request.param == "apptainer" else image)
    prepared = opened.exec(["bash", "-c", "mkdir -p $'/srv/d\\xff'"])
    assert prepared.exit_code == 0
    opened.put([Node(FILE, data=b"x"), link(LINK, "t\udcfd")])
    yield opened
    opened.close()


def listed(machine: Sandbox) -> list[bytes]:
    """Return what a program in the machine sees, as bytes."""
    result = machine.exec(["find", "/srv", "-mindepth", "1", "-printf", "%p %l\\0"])
    return sorted(result.stdout.split(b"\0"))[1:]


def test_what_is_put_has_these_bytes_for_its_name(machine: Sandbox) -> None:
    assert listed(machine)[:3] == [
        b"/srv/d\xff ",
        b"/srv/d\xff/f\xfe ",
        b"/srv/d\xff/l t\xfd",
    ]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("/srv", [PLACE, FILE, LINK]),
        (PLACE, [PLACE, FILE, LINK]),
        (FILE, [FILE]),
        (LINK, [LINK]),
        (f"{PLACE}/../d\udcff//l", [LINK]),
        ("/srv/none\udcff", []),
        (f"{FILE}/below", []),
        (f"{LINK}/below", []),
        ("/srv/" + "\udcff" * 300, []),
        ("/srv/" + "x" * 300, []),
    ],
)
def test_what_is_asked_for_is_found_by_its_bytes(
    asked: str, names: list[str], machine: Sandbox
) -> None:
    nodes = {n.path: n for n in machine.get([asked]) if n.path != "/srv"}
    assert sorted(nodes) == sorted(names)
    if FILE in nodes:
        assert (nodes[FILE].kind, nodes[FILE].data, nodes[FILE].size) == ("file", b"x", 1)
    if LINK in nodes:
        assert (nodes[LINK].kind, nodes[LINK].target) == ("link", "t\udcfd")


@pytest.mark.parametrize("name", ["[", "a*", "?", "a\\", " x ", "!x", "#x", "^", "a\nb", "é", "-"])
def test_a_file_with_a_strange_name_is_read_alone(name: str, machine: Sandbox) -> None:
    machine.put([directory("/opt/s"), Node(f"/opt/s/{name}", data=name.encode()),
                 Node("/opt/s/ab", data=b"other")])  # fmt: skip
    (node,) = machine.get([f"/opt/s/{name}"])
    assert (node.path, node.data) == (f"/opt/s/{name}", name.encode())


def test_caps_hold_for_a_file_whose_name_is_no_utf_8(machine: Sandbox) -> None:
    (node,) = machine.get([FILE], max_bytes=0)
    assert (node.data, node.size) == (None, 1)


IMPOSSIBLE: dict[str, Callable[[Sandbox], object]] = {
    "get, half a character": lambda m: m.get(["/srv/\ud800"]),
    "get, NUL": lambda m: m.get(["/srv/a\0b"]),
    "get, relative": lambda m: m.get(["srv"]),
    "put, half a character": lambda m: m.put([Node("/srv/\ud800")]),
    "put, NUL": lambda m: m.put([Node("/srv/a\0b")]),
    "put, relative": lambda m: m.put([Node("srv/a")]),
    "put, a target that is half a character": lambda m: m.put([link("/srv/x", "\ud800")]),
    "put, a target with NUL": lambda m: m.put([link("/srv/x", "a\0b")]),
    "exec, half a character": lambda m: m.exec(["echo", "\ud800"]),
    "exec, NUL": lambda m: m.exec(["echo", "a\0b"]),
    "exec, nothing": lambda m: m.exec([]),
    "exec, a directory with NUL": lambda m: m.exec(["true"], cwd="/a\0b"),
    "exec, a directory that is half a character": lambda m: m.exec(["true"], cwd="/\ud800"),
    "exec, a variable with NUL": lambda m: m.exec(["true"], env={"X": "a\0b"}),
    "exec, a variable with half a character": lambda m: m.exec(["true"], env={"X": "\ud800"}),
    "terminal, half a character": lambda m: m.open_terminal(cwd="/\ud800"),
    "terminal, NUL": lambda m: m.open_terminal(cwd="/a\0b"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_file_and_no_program_can_be_called_is_refused(name: str, machine: Sandbox) -> None:
    before = listed(machine)
    with pytest.raises(ValueError, match=r"can be called|must be absolute|NUL|no bytes") as caught:
        IMPOSSIBLE[name](machine)
    assert type(caught.value) is ValueError
    str(caught.value).encode()  # it can be printed
    assert listed(machine) == before


def test_a_program_gets_the_bytes_of_its_words(machine: Sandbox) -> None:
    script = 'printf %s\\\\n "$@" | od -An -v -tx1; pwd | od -An -v -tx1; cat'
    words = ["\udcff", "it's é\n", "", "$(id) \\x41 `"]
    done = machine.exec(["bash", "-c", script, "-", *words], cwd=PLACE, stdin=b"in")
    shown, _, rest = done.stdout.rpartition(b"\n")
    expected = b"".join(os.fsencode(w) + b"\n" for w in words) + b"/srv/d\xff\n"
    assert bytes.fromhex(shown.decode()) == expected
    assert (rest, done.stderr, done.exit_code) == (b"in", b"", 0)


def test_a_program_whose_own_name_is_no_utf_8_runs(machine: Sandbox) -> None:
    assert machine.exec(["cp", "/bin/echo", "/opt/p\udcff"]).exit_code == 0
    done = machine.exec(["/opt/p\udcff", "hi"])
    assert (done.exit_code, done.stdout) == (0, b"hi\n")
    assert machine.exec(["/opt/none\udcff"]).exit_code == 127
    assert machine.exec(["true"], cwd="/opt/none\udcff").exit_code == 126


def test_a_variable_arrives_as_it_is_or_is_refused(machine: Sandbox) -> None:
    """On a cluster other users see every argument, so Apptainer gets no value in one."""
    show = ["bash", "-c", 'printf %s "$X" | od -An -tx1']
    try:
        done = machine.exec(show, env={"X": "a\udcff='"})
    except SandboxError as error:
        assert "UTF-8 only" in str(error)
    else:
        assert done.stdout.split() == [b"61", b"ff", b"3d", b"27"]


def test_a_shell_starts_in_a_directory_whose_name_is_no_utf_8(machine: Sandbox) -> None:
    for _ in range(2):
        with Shell(machine, cwd=PLACE) as shell:
            assert shell.run("pwd").output_bytes == b"/srv/d\xff\n"


def test_bash_reads_any_bytes_back_as_they_were() -> None:
    import subprocess

    every = bytes(range(1, 256))
    done = subprocess.run(
        ["bash", "-c", f"printf %s {quoted(os.fsdecode(every))}"], capture_output=True
    )
    assert done.stdout == every
    assert quoted(os.fsdecode(every)).isascii()
    assert is_utf8(["é", ""]) and not is_utf8(["é", "\udcff"])
