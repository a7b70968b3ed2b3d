"""A machine's files in a tar file, and programs that run in a verifier's own container."""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tmax_gym
from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.archive import ArchivedSandbox
from tmax_gym.world.archives import tar

TREE = (
    directory("/app"),
    text("/app/a", "one", mode=0o755, mtime=5),
    directory("/app/d"),
    text("/app/d/b", "two"),
    link("/app/l", "/etc/passwd"),
)


def archived(place: Path, data: bytes) -> ArchivedSandbox:
    (place / "remains.tar").write_bytes(data)
    return ArchivedSandbox(place / "remains.tar")


def test_members_are_read_as_they_were(tmp_path: Path) -> None:
    nodes = archived(tmp_path, tar(TREE)).get(["/app"])
    kept = [(n.path, n.kind, n.data, n.mode, n.target, n.mtime) for n in nodes]
    assert kept == [(n.path, n.kind, n.data, n.mode, n.target, n.mtime) for n in TREE]


def test_a_real_tree_reads_as_a_sandbox_would_read_it(
    tmp_path: Path, native_backend: Backend, image: str
) -> None:
    script = """
    mkdir -p /app/x; cd /app; echo 1 > f; ln f hard; ln -s f soft; mkfifo pipe; chmod 4711 f
    truncate -s 5M sparse; chown 7:8 x; touch "new
line"; touch -d @99 x
    tar -C / --numeric-owner --sparse -cf /remains.tar app
    """
    sandbox = native_backend.open(image)
    try:
        assert sandbox.exec(["bash", "-c", script]).exit_code == 0
        (packed,) = sandbox.get(["/remains.tar"])
        theirs = sandbox.get(["/app"])
    finally:
        sandbox.close()
    ours = archived(tmp_path, packed.data or b"").get(["/app"])

    def plain(nodes: tuple[Node, ...]) -> list[tuple[object, ...]]:
        return [(n.path, n.kind, n.data, n.mode, n.uid, n.gid, n.target, n.mtime) for n in nodes
                if n.kind != "link"]  # fmt: skip

    assert plain(ours) == plain(theirs)
    links = {n.path: n.target for n in ours if n.kind == "link"}
    assert links == {"/app/soft": "f"}
    same = {n.path: n.inode for n in ours}
    assert same["/app/f"] == same["/app/hard"] != same["/app/sparse"]


def raw(*members: tuple[str, bytes, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
            else:
                info.linkname = content.decode()
                packed.addfile(info)
    return out.getvalue()


def test_paths_below_a_link_do_not_exist(tmp_path: Path) -> None:
    data = raw(
        ("app", tarfile.DIRTYPE, b""),
        ("app/up", tarfile.SYMTYPE, b"/"),
        ("app/up/etc", tarfile.DIRTYPE, b""),
        ("app/up/etc/passwd", tarfile.REGTYPE, b"x"),
        ("app/../../etc/shadow", tarfile.REGTYPE, b"x"),
        ("app/hard", tarfile.LNKTYPE, b"../etc/passwd"),
    )
    nodes = archived(tmp_path, data).get(["/"])
    assert [(n.path, n.kind) for n in nodes] == [
        ("/app", "dir"),
        ("/app/hard", "other"),
        ("/app/up", "link"),
    ]


def test_a_large_file_comes_without_content(tmp_path: Path) -> None:
    nodes = archived(tmp_path, tar(TREE)).get(["/app/a", "/app/d"], max_bytes=2)
    assert [(n.path, n.data, n.size) for n in nodes if n.kind == "file"] == [
        ("/app/a", None, 3),
        ("/app/d/b", None, 3),
    ]


def test_reading_stops_at_its_caps(tmp_path: Path) -> None:
    assert len(archived(tmp_path, tar(TREE)).get(["/app"], max_nodes=2)) == 2


@given(cut=st.integers(0, 9999), flips=st.lists(st.integers(0, 9999), max_size=3))
def test_a_damaged_archive_yields_what_is_left_of_it(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flips: list[int]
) -> None:
    data = bytearray(tar(TREE))
    for place in flips:
        data[place] ^= 0x41
    file = tmp_path_factory.getbasetemp() / "damaged.tar"
    file.write_bytes(bytes(data[: len(data) - cut]))
    try:
        nodes = ArchivedSandbox(file).get(["/"])
    except SandboxError:
        return
    assert all(n.path.startswith("/") for n in nodes)


def test_nothing_runs_in_an_archive(tmp_path: Path) -> None:
    sandbox = archived(tmp_path, tar(TREE))
    sandbox.freeze()
    with pytest.raises(SandboxError, match="nothing runs"):
        sandbox.exec(["true"])
    with pytest.raises(SandboxError, match="no tar file"):
        ArchivedSandbox(tmp_path / "absent.tar")
    sandbox.close()


IN_PLACE = (
    "__init__", "archive", "host/__init__", "host/processes", "in_place", "login",
    "program_pipes", "shell_activity",
)  # fmt: skip
"""Modules that a machine needs for grading in place."""
PROGRAM = """
import sys
sys.path.insert(0, "/package")
import os, time
from tmax_gym.errors import SandboxError
from tmax_gym.nodes import directory, link, text
from tmax_gym.sandboxes.in_place import InPlaceBackend
backend = InPlaceBackend(("/app",))
machine = backend.open("")
machine.put([directory("/app"), text("/app/a", "x"), link("/app/l", "/etc/passwd")])
ran = machine.exec(["sh", "-c", "id -u; cat; exit 3"], stdin=b"in", user="nobody")
assert (ran.exit_code, ran.stdout) == (3, b"65534\\nin"), ran
start = time.monotonic()
late = machine.exec(["sh", "-c", "sleep 60 & sleep 60"], timeout=0.5)
assert (late.exit_code, late.timed_out) == (124, True) and time.monotonic() - start < 5
many = machine.exec(["head", "-c", "9999", "/dev/zero"], max_output=10)
assert len(many.stdout) == 10 and many.truncated
machine.exec(["sh", "-c", "echo x > /tmp/left; setsid sleep 77 >/dev/null 2>&1 &"], user="nobody")
open("/tmp/mine", "w").close()
machine.close()
assert not os.path.lexists("/app") and not os.path.exists("/tmp/left")
assert os.path.exists("/tmp/mine") and os.path.exists("/etc/passwd")
again = backend.open("")
assert b"sleep" not in again.exec(["sh", "-c", "cat /proc/[0-9]*/comm"]).stdout
for bad in ([text("/etc/x", "")], [text("/app", ""), text("/app/x", "")]):
    try:
        again.put(bad)
    except SandboxError:
        continue
    raise AssertionError(bad)
print("fine")
"""


def test_programs_run_in_place_as_nobody_and_leave_nothing(
    native_backend: Backend, image: str
) -> None:
    """It runs in a sandbox, because grading in place removes files of its own machine."""
    package = Path(tmax_gym.__file__).parent
    sandboxes = [f"sandboxes/{name}" for name in IN_PLACE]
    needed = ["errors", "nodes", *sandboxes]
    sandbox = native_backend.open(image)
    try:
        sandbox.put([
            text("/package/tmax_gym/__init__.py", ""),
            *(text(f"/package/tmax_gym/{n}.py", (package / f"{n}.py").read_text()) for n in needed),
        ])  # fmt: skip
        ran = sandbox.exec(["python3", "-I", "-S", "-c", PROGRAM], timeout=60)
    finally:
        sandbox.close()
    assert ran.stdout == b"fine\n", ran.stderr.decode()


def test_in_place_needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    code = (
        "import os; from tmax_gym.sandboxes.in_place import InPlaceBackend\n"
        "os.setuid(65534); InPlaceBackend(('/app',))"
    )
    root = str(Path(tmax_gym.__file__).parent.parent)
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert "SandboxError: grading in place needs root" in ran.stderr
