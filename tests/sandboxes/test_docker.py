"""Containers as sandboxes on a real engine: isolation, limits, hostile file trees, and ends."""

import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.terminals import read_until
from tmax_gym.errors import ImageError, SandboxError, ShellError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import Layer, Limits
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.images import build
from tmax_gym.sandboxes.docker.init import Pid
from tmax_gym.sandboxes.docker.ownership import orphan, owner
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.sandboxes.docker.tar_stream import pack
from tmax_gym.sandboxes.docker.terminal.frames import Frames
from tmax_gym.sandboxes.docker.terminal.terminal import DockerTerminal
from tmax_gym.shell import Shell

pytestmark = pytest.mark.docker
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["docker", "podman"])
def backend(request: pytest.FixtureRequest) -> DockerBackend:
    fixture = request.getfixturevalue(f"{request.param}_backend")
    assert isinstance(fixture, DockerBackend)
    return fixture


@pytest.fixture(scope="module")
def machine(backend: DockerBackend, image: str) -> Iterator[DockerSandbox]:
    """One machine for tests that leave no trace."""
    sandbox = backend.open(image)
    yield sandbox
    sandbox.close()


@pytest.fixture
def fresh(backend: DockerBackend, image: str) -> Iterator[Callable[..., DockerSandbox]]:
    """Machines for tests that break them."""
    opened: list[DockerSandbox] = []

    def make(limits: Limits | None = None, layer: Layer | None = None) -> DockerSandbox:
        opened.append(backend.open(image, limits=limits, layer=layer))
        return opened[-1]

    yield make
    for sandbox in opened:
        sandbox.close()


def sh(sandbox: DockerSandbox, script: str, **options: object) -> tuple[int, str]:
    done = sandbox.exec(["bash", "-c", script], **options)  # type: ignore[arg-type]
    return done.exit_code, (done.stdout + done.stderr).decode(errors="replace").strip()


def state(backend: DockerBackend, sandbox: DockerSandbox) -> str | None:
    api = backend.engine.api
    containers = api.containers(all=True, filters={"id": sandbox.id})
    return str(containers[0]["State"]) if containers else None


# Isolation


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs none /mnt",
        "unshare -m true",
        "unshare -U true",
        "unshare -n true",
        "chroot / true",
        "mknod /tmp/disk b 254 0",
        "date -s 2001-01-01",
        "dmesg",
        "echo c >/proc/sysrq-trigger",
        "echo 1 >/proc/sys/kernel/panic",
        "head -c 1 /proc/kcore | grep -q .",
        "readlink /proc/1/root | grep -v '^/$'",
        "mkdir /sys/fs/cgroup/memory/x || mkdir /sys/fs/cgroup/system.slice/x",
        "for f in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do"
        " test -e $f && echo 9000000000 >$f && exit 0; done; exit 1",
        "hostname other",
        "ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem 2>&1 | grep -v 'No such file'",
    ],
)
def test_root_inside_may_not(machine: DockerSandbox, backend: DockerBackend, attempt: str) -> None:
    code, output = sh(machine, attempt)
    assert code != 0, output


def test_only_its_own_processes_are_visible(machine: DockerSandbox) -> None:
    _, output = sh(machine, "ls -d /proc/[0-9]* | wc -l")
    assert int(output) < 10


def test_the_first_process_cannot_be_killed_from_inside(
    fresh: Callable[..., DockerSandbox],
) -> None:
    sandbox = fresh()
    sh(sandbox, "kill -9 1; kill -TERM 1; kill -KILL -1")
    assert sh(sandbox, "echo alive") == (0, "alive")


def test_there_is_no_network_but_the_loopback_works(machine: DockerSandbox) -> None:
    code, output = sh(
        machine,
        """python3 - <<'E'
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname())
print("loop")
try: socket.create_connection(("1.1.1.1", 53), 2)
except OSError as e: print(e.errno)
E""",
    )
    assert (code, output.split()) == (0, ["loop", "101"])


def test_its_own_names_lead_to_the_loopback(machine: DockerSandbox) -> None:
    ask = "import socket; print({a[4][0] for a in socket.getaddrinfo('localhost', 80)})"
    code, output = sh(machine, f'python3 -c "{ask}"')
    assert (code, "127.0.0.1" in output) == (0, True), output


def test_without_an_engines_network_names_are_those_of_the_native_backend(
    docker_backend: DockerBackend, image: str
) -> None:
    from tmax_gym.sandboxes.images.host import HOSTS

    sandbox = docker_backend.open(image)
    try:
        assert sandbox.exec(["cat", "/etc/hosts"]).stdout.decode() == HOSTS
    finally:
        sandbox.close()


def test_the_name_says_nothing_of_the_host(machine: DockerSandbox) -> None:
    assert sh(machine, "cat /proc/sys/kernel/hostname") == (0, "sandbox")


def test_nobody_is_not_root(machine: DockerSandbox) -> None:
    code, output = sh(machine, "id -u; id -g; touch /x; cat /etc/shadow", user="nobody")
    assert code != 0
    assert output.split()[:2] == ["65534", "65534"]
    assert output.count("ermission denied") == 2


def test_privileges_cannot_be_gained(machine: DockerSandbox) -> None:
    sh(machine, "cp $(command -v id) /tmp/suid; chmod 4755 /tmp/suid")
    assert sh(machine, "/tmp/suid -u", user="nobody") == (0, "65534")


# Limits


def test_too_much_memory_kills_the_process_and_not_the_machine(
    fresh: Callable[..., DockerSandbox],
) -> None:
    sandbox = fresh(Limits(memory=256 << 20))
    code, _ = sh(sandbox, "python3 -c 'x = bytearray(600 << 20)'")
    assert code != 0
    assert sh(sandbox, "echo alive") == (0, "alive")


def test_a_fork_bomb_is_contained_and_a_new_shell_finds_room(
    fresh: Callable[..., DockerSandbox],
) -> None:
    sandbox = fresh(Limits(pids=64))
    terminal = sandbox.open_terminal()
    read_until(terminal, b"# ")
    os.write(terminal.fd, b"b() { b | b & sleep 1000; b; }; b\n")
    time.sleep(1.0)
    terminal.signal_foreground(signal.SIGKILL)
    terminal.close()
    second = sandbox.open_terminal()
    os.write(second.fd, b"echo ali''ve\n")
    read_until(second, b"alive", 30.0)
    second.close()


def test_the_cpu_limit_is_set(fresh: Callable[..., DockerSandbox]) -> None:
    sandbox = fresh(Limits(cpus=0.5))
    _, output = sh(
        sandbox,
        "python3 -c 'import time; a = time.time(); b = time.process_time()\n"
        "while time.time() < a + 1: pass\nprint(time.process_time() - b)'",
    )
    assert float(output) < 0.8


def test_no_single_file_exceeds_the_disk_limit(fresh: Callable[..., DockerSandbox]) -> None:
    sandbox = fresh(Limits(disk=8 << 20))
    code, output = sh(sandbox, "head -c 20M /dev/zero >/big; stat -c %s /big")
    assert str(8 << 20) in output.splitlines()
    assert code == 0


def test_shared_memory_is_limited(machine: DockerSandbox) -> None:
    _, output = sh(machine, "df -B1 --output=size /dev/shm | tail -1")
    assert int(output) == 64 << 20


def test_capabilities_do_not_promise_a_disk_quota(backend: DockerBackend) -> None:
    assert not backend.capabilities() & {"disk", "inodes"}
    assert backend.capabilities() >= {"pid", "net", "memory", "pids", "seccomp", "caps"}


# Programs


def test_exit_codes_and_both_outputs_are_exact(machine: DockerSandbox) -> None:
    done = machine.exec(["bash", "-c", r"printf 'a\0\xff'; printf b >&2; exit 41"])
    assert (done.exit_code, done.stdout, done.stderr) == (41, b"a\0\xff", b"b")


def test_a_signal_is_128_and_its_number(machine: DockerSandbox) -> None:
    assert machine.exec(["bash", "-c", "kill -SEGV $$"]).exit_code == 128 + signal.SIGSEGV
    assert machine.exec(["bash", "-c", "kill -KILL $$"]).exit_code == 128 + signal.SIGKILL


def test_an_absent_program_is_127_and_an_absent_directory_126(machine: DockerSandbox) -> None:
    assert machine.exec(["no-such-program"]).exit_code == 127
    assert machine.exec(["/no/such"]).exit_code == 127
    assert machine.exec(["true"], cwd="/no/such").exit_code == 126


def test_large_input_and_output_pass_at_the_same_time(machine: DockerSandbox) -> None:
    data = os.urandom(3 << 20)
    done = machine.exec(["cat"], stdin=data, max_output=4 << 20)
    assert (done.exit_code, done.truncated) == (0, False)
    assert done.stdout == data


def test_input_that_is_not_read_does_no_harm(machine: DockerSandbox) -> None:
    assert machine.exec(["true"], stdin=bytes(1 << 20)).exit_code == 0


def test_output_beyond_the_cap_is_thrown_away_while_reading(machine: DockerSandbox) -> None:
    done = machine.exec(["bash", "-c", "head -c 50M /dev/zero; echo end >&2"], max_output=1000)
    assert (len(done.stdout), done.truncated, done.stderr) == (1000, True, b"end\n")


@pytest.mark.parametrize("user", ["root", "nobody"])
def test_the_environment_is_that_of_the_native_backend(
    machine: DockerSandbox, user: Literal["root", "nobody"]
) -> None:
    from tmax_gym.sandboxes.login import environment

    output = machine.exec(["env", "-0"], user=user).stdout.decode()
    variables = dict(line.split("=", 1) for line in output.split("\0") if line)
    del variables["HOSTNAME"]
    variables.pop("container", None)  # Podman's own
    assert variables == environment(user)


def test_environment_and_directory_are_as_asked(machine: DockerSandbox) -> None:
    done = machine.exec(["bash", "-c", "pwd; echo $A"], env={"A": "b c"}, cwd="/usr")
    assert done.stdout == b"/usr\nb c\n"


@pytest.mark.parametrize("near", [True, False])
def test_a_time_out_kills_the_whole_group_and_keeps_the_output(
    fresh: Callable[..., DockerSandbox], near: bool
) -> None:
    sandbox = fresh()
    if not near:
        far_away(sandbox)
    start = time.monotonic()
    done = sandbox.exec(
        ["bash", "-c", "echo early; trap '' TERM INT; (sleep 4321 & sleep 4321); sleep 4321"],
        timeout=1.0,
    )
    assert time.monotonic() - start < 4
    assert (done.exit_code, done.timed_out, done.stdout) == (124, True, b"early\n")
    _, count = sh(sandbox, "grep -l 432[1] /proc/[0-9]*/cmdline | wc -l")
    assert int(count) == 0


def test_a_background_process_does_not_hold_the_result(machine: DockerSandbox) -> None:
    start = time.monotonic()
    code, pid = sh(machine, "sleep 77 & echo $!")
    assert time.monotonic() - start < 5
    assert code == 0
    assert sh(machine, f"kill {pid}") == (0, "")


def far_away(sandbox: DockerSandbox) -> None:
    """Remove what only a host beside the engine's processes has."""
    sandbox._near = False
    sandbox._processes._cgroup = None


# Terminals


@pytest.fixture(params=["host", "init"])
def terminal(request: pytest.FixtureRequest, machine: DockerSandbox) -> Iterator[DockerTerminal]:
    """A terminal whose signals go through the host's /proc, or through process 1."""
    opened = machine.open_terminal()
    if request.param == "init":
        group, machine._processes._cgroup = machine._processes._cgroup, None
        opened._shell = Pid(opened._shell.inside)
    elif not machine._processes.on_host:
        pytest.skip("this process is not root beside the engine")
    yield opened
    opened.close()
    if request.param == "init":
        machine._processes._cgroup = group


def test_a_terminal_is_a_terminal_of_24_lines(machine: DockerSandbox) -> None:
    terminal = machine.open_terminal(cwd="/usr")
    os.write(terminal.fd, b"tty; stty size; pwd; echo $-; echo en''d\n")
    output = read_until(terminal, b"end")
    terminal.close()
    assert b"/dev/pts/" in output
    assert b"24 80" in output
    assert b"/usr" in output
    assert re.search(rb"\b\w*i\w*\b", output)


def test_a_directory_that_is_gone_does_not_keep_the_shell_from_starting(
    machine: DockerSandbox,
) -> None:
    terminal = machine.open_terminal(cwd="/gone")
    os.write(terminal.fd, b"echo =$PWD=; echo en''d\n")
    output = read_until(terminal, b"end")
    assert b"=/=" in output
    assert b"gone" not in output
    terminal.close()


def test_the_foreground_is_signalled_and_the_shell_is_not(terminal: DockerTerminal) -> None:
    read_until(terminal, b"# ")
    assert terminal.signal_foreground(signal.SIGKILL) is False
    os.write(terminal.fd, b"trap '' INT; echo sta''rt; bash -c 'sleep 999 | sleep 999'\n")
    read_until(terminal, b"start")
    time.sleep(0.3)
    assert terminal.signal_foreground(signal.SIGKILL) is True
    os.write(terminal.fd, b"echo ba''ck\n")
    read_until(terminal, b"back", 5.0)
    assert terminal.alive()


def test_a_shell_that_ended_is_not_alive(terminal: DockerTerminal) -> None:
    assert terminal.alive()
    os.write(terminal.fd, b"exit\n")
    deadline = time.monotonic() + 5
    while terminal.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not terminal.alive()


def test_closing_kills_the_session_and_spares_daemons(
    terminal: DockerTerminal, machine: DockerSandbox
) -> None:
    os.write(
        terminal.fd, b"sleep 3131 & (sleep 3131 &); setsid sleep 3232 & sleep 0.3; echo o''k\n"
    )
    read_until(terminal, b"ok")
    with select.epoll() as watch:
        watch.register(terminal.fd)
        terminal.close()
        terminal.close()
        with pytest.raises(OSError):  # also if another thread's file has this number by now
            watch.modify(terminal.fd, select.EPOLLIN)
    _, processes = sh(machine, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; pkill -f 'sleep 3232'")
    assert "sleep 3131" not in processes
    assert "sleep 3232" in processes


def test_orphans_are_reaped(machine: DockerSandbox) -> None:
    sh(machine, "for i in $(seq 50); do (sleep 0.1 &) ; done; sleep 0.5")
    _, count = sh(machine, "grep -l '^State:.Z' /proc/[0-9]*/status | wc -l")
    assert int(count) == 0


def test_without_bash_the_old_shell_works_and_a_new_one_is_refused(
    fresh: Callable[..., DockerSandbox],
) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"rm /bin/bash; echo st''ill\n")
    read_until(terminal, b"still")
    with pytest.raises(ShellError, match="bash"):
        sandbox.open_terminal()


# Files


def test_nodes_come_back_as_they_were_put(
    fresh: Callable[..., DockerSandbox], backend: DockerBackend
) -> None:
    nodes = (
        directory("/app", mode=0o750),
        Node("/app/bin", data=b"\0\xff" * 3000, mode=0o4755, uid=7, gid=8, mtime=1_000_000_000),
        text("/app/deep/er/ü\n.txt", "x", mtime=5),
        link("/app/link", "../nowhere"),
        text("/app/" + "n" * 250, "long"),
    )
    sandbox = fresh(layer=Layer("k", nodes))
    later = text("/app/later", "y", mtime=77)
    sh(sandbox, "true")
    sandbox.put([later])
    read = {node.path: node for node in sandbox.get(["/app"])}
    for node in (*nodes, later):
        back = read[node.path]
        data = node.data if node.kind == "file" else None
        assert (back.kind, back.data, back.target) == (node.kind, data, node.target)
        assert back.mode == node.mode
        if backend.name == "docker":  # in Podman's archives root owns everything
            assert (back.uid, back.gid) == (node.uid, node.gid)
        assert back.mtime == node.mtime or node.kind == "dir"
    assert read["/app/deep/er"].kind == "dir"
    assert sh(sandbox, "stat -c '%u %g %a' /app/bin") == (0, "7 8 4755")


def test_put_follows_no_link(fresh: Callable[..., DockerSandbox]) -> None:
    sandbox = fresh()
    sh(
        sandbox,
        "mkdir /app /own; ln -s /own /app/out; ln -s /own/kept /app/leaf; echo 1 >/own/kept",
    )
    with pytest.raises(SandboxError, match="/app/out"):
        sandbox.put([text("/app/out/file", "x")])
    sandbox.put([text("/app/leaf", "x")])
    assert sh(sandbox, "ls /own; cat /own/kept") == (0, "kept\n1")


HOSTILE = r"""
mkdir -p /app/real /secret; echo top >/secret/data; cd /app
ln -s /secret out; ln -s /secret/data leaf; ln -s loop loop; ln -s a b; ln -s b a
mkfifo fifo; python3 -c 'import socket; socket.socket(1).bind("/app/sock")'
echo one >real/one; ln real/one real/two; truncate -s 2G sparse
printf x >$'real/\xff\xfe'; mkdir real/locked; echo in >real/locked/in; chmod 0 real/locked real/one
"""


@pytest.fixture(scope="module")
def hostile(backend: DockerBackend, image: str) -> Iterator[DockerSandbox]:
    """A frozen machine whose agent was hostile to readers."""
    sandbox = backend.open(image, limits=Limits(disk=4 << 30))
    assert sh(sandbox, HOSTILE) == (0, "")
    sandbox.freeze()
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(
    "path",
    [
        "/app/out/data",
        "/app/leaf/data",
        "/app/loop/x",
        "/app/a/x",
        "/app/real/one/x",
        "/no",
        "/no/x",
    ],
)
def test_a_path_through_a_link_or_a_file_is_absent(hostile: DockerSandbox, path: str) -> None:
    assert hostile.get([path]) == ()


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/app/out", "link"), ("/app/out/", "link"), ("/app/leaf", "link"), ("/app/loop", "link"),
     ("/app/b", "link"), ("/app/fifo", "other"), ("/app/sock", "other")],
)  # fmt: skip
def test_entries_that_are_not_files_are_named_and_not_opened(
    hostile: DockerSandbox, path: str, kind: str
) -> None:
    assert [node.kind for node in hostile.get([path])] == [kind]


def test_a_tree_is_read_with_its_traps(hostile: DockerSandbox) -> None:
    before = peak_kib()
    nodes = {node.path: node for node in hostile.get(["/app"])}
    assert peak_kib() - before < 100 << 10, "the sparse file was held in memory"
    assert (nodes["/app/out"].kind, nodes["/app/out"].target) == ("link", "/secret")
    assert nodes["/app/fifo"].kind == "other"
    assert not any(path.startswith("/app/out/") for path in nodes)
    sparse = nodes["/app/sparse"]
    assert (sparse.kind, sparse.data, sparse.size) == ("file", None, 2 << 30)
    one, two = nodes["/app/real/one"], nodes["/app/real/two"]
    assert one.inode == two.inode != 0
    assert one.data == two.data == b"one\n"
    assert nodes["/app/real/\udcff\udcfe"].data == b"x"
    assert nodes["/app/real/locked/in"].data == b"in\n"


def peak_kib() -> int:
    return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0])


def test_reading_stops_at_its_caps(hostile: DockerSandbox) -> None:
    assert len(hostile.get(["/etc"], max_nodes=10)) == 10
    files = hostile.get(["/etc"], max_bytes=500)
    assert 0 < sum(len(node.data or b"") for node in files) <= 8 * 500
    assert all(node.data is None or len(node.data) <= 500 for node in files if node.kind == "file")


def test_an_archive_that_is_left_half_read_holds_nothing_up(
    fresh: Callable[..., DockerSandbox],
) -> None:
    sandbox = fresh()
    start = time.monotonic()
    assert [node.path for node in sandbox.get(["/"], max_nodes=1)] == ["/"]
    assert sh(sandbox, "echo on") == (0, "on")
    sandbox.close()
    assert time.monotonic() - start < 10


def test_the_files_of_a_frozen_machine_are_sorted(hostile: DockerSandbox) -> None:
    paths = [node.path for node in hostile.get(["/secret", "/app/real"])]
    assert paths == sorted(paths)
    assert "/secret/data" in paths


# How machines end


def test_nothing_runs_after_a_freeze(fresh: Callable[..., DockerSandbox]) -> None:
    sandbox = fresh()
    clock = "(while :; do date +%N >/tmp/now; done) &"
    sh(sandbox, f"{clock} until test -s /tmp/now; do sleep 0.01; done")
    terminal = sandbox.open_terminal()
    sandbox.freeze()
    sandbox.freeze()
    first = sandbox.get(["/tmp/now"])
    time.sleep(0.1)
    assert sandbox.get(["/tmp/now"]) == first != ()
    assert not terminal.alive()
    terminal.close()
    with pytest.raises(SandboxError, match="frozen"):
        sandbox.exec(["true"])


def test_a_container_killed_from_outside_is_an_error_and_no_result(
    fresh: Callable[..., DockerSandbox], backend: DockerBackend
) -> None:
    sandbox = fresh()
    api = backend.engine.api
    timer = threading.Timer(0.5, api.kill, [sandbox.id])
    timer.start()
    start = time.monotonic()
    with pytest.raises(SandboxError, match="dead"):
        sandbox.exec(["sleep", "60"], timeout=60)
    assert time.monotonic() - start < 8
    timer.join()
    for attempt in (sandbox.open_terminal, sandbox.freeze, lambda: sandbox.exec(["true"])):
        with pytest.raises(SandboxError):
            attempt()


def test_a_terminal_of_a_killed_container_ends(
    fresh: Callable[..., DockerSandbox], backend: DockerBackend
) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    read_until(terminal, b"# ")
    os.write(terminal.fd, b"sleep 60\n")
    backend.engine.api.kill(sandbox.id)
    with pytest.raises((AssertionError, OSError), match=r"ended|reset|Input/output"):
        read_until(terminal, b"never", 8.0)
    assert not terminal.alive()
    start = time.monotonic()
    terminal.close()
    assert time.monotonic() - start < 8


def test_a_command_in_a_killed_container_is_an_error_within_seconds(
    fresh: Callable[..., DockerSandbox], backend: DockerBackend
) -> None:
    sandbox = fresh()
    with Shell(sandbox) as shell:
        assert shell.run("echo before").output == "before\n"
        timer = threading.Timer(0.5, backend.engine.api.kill, [sandbox.id])
        timer.start()
        start = time.monotonic()
        with pytest.raises(SandboxError):
            shell.run("echo partial; sleep 60", timeout=60.0)
        assert time.monotonic() - start < 8
        timer.join()


def test_a_closed_machine_is_gone(backend: DockerBackend, image: str) -> None:
    sandbox = backend.open(image)
    sandbox.close()
    sandbox.close()
    assert state(backend, sandbox) is None
    for attempt in (sandbox.open_terminal, lambda: sandbox.get(["/"])):
        with pytest.raises(SandboxError, match="closed"):
            attempt()


CHILD = """
import sys, time
from tmax_gym.sandboxes.docker.backend import DockerBackend
backend = DockerBackend.shared(sys.argv[1])
kept = [backend.open(sys.argv[2]) for _ in range(2)]
kept[0].open_terminal()
kept[1].freeze()
print(*[s.id for s in kept], backend._watcher._process.pid, flush=True)
time.sleep(600)
"""


def child(backend: DockerBackend, image: str) -> tuple[subprocess.Popen[str], list[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, backend.name, image],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    *ids, watcher = process.stdout.readline().split()
    assert len(ids) == 2
    return process, ids, int(watcher)


def containers(backend: DockerBackend, ids: list[str]) -> dict[str, str]:
    listed = backend.engine.api.containers(all=True)
    return {c["Id"][:12]: c["State"] for c in listed if c["Id"][:12] in ids}


def wait(done: Callable[[], bool], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_container_outlives_its_owner(
    backend: DockerBackend, image: str, number: signal.Signals
) -> None:
    process, ids, _ = child(backend, image)
    process.send_signal(number)
    process.wait(30)
    wait(lambda: not containers(backend, ids))


def test_without_the_watcher_the_end_of_input_ends_them_and_the_next_backend_removes_them(
    backend: DockerBackend, image: str
) -> None:
    process, ids, watcher = child(backend, image)
    os.kill(watcher, signal.SIGKILL)
    process.kill()
    process.wait(30)
    wait(lambda: "running" not in containers(backend, ids).values())
    assert containers(backend, ids)
    second = DockerBackend(backend.name)
    assert second.engine
    assert not containers(backend, ids)
    second.close()


def test_a_sweep_spares_the_living(backend: DockerBackend, machine: DockerSandbox) -> None:
    second = DockerBackend(backend.name)
    assert second.engine
    second.close()
    assert state(backend, machine) == "running"


def test_an_owner_is_known_by_more_than_its_number() -> None:
    boot, space, pid, started, serial = owner().split(":")
    assert not orphan(owner())
    assert owner() != owner()
    assert orphan(f"{boot}:{space}:{pid}:{int(started) - 1}:{serial}")
    assert orphan(f"another-boot:{space}:{pid}:{started}:{serial}")
    assert not orphan(f"{boot}:1:{pid}:{started}:{serial}"), "this cannot be judged from here"
    assert not orphan("nonsense")


def test_many_machines_open_at_once(backend: DockerBackend, image: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        machines = list(pool.map(lambda _: backend.open(image), range(8)))
        assert len({sandbox.id for sandbox in machines}) == 8
        outputs = list(pool.map(lambda s: s.exec(["echo", s.id]).stdout.decode().strip(), machines))
        assert outputs == [sandbox.id for sandbox in machines]
        list(pool.map(lambda s: s.close(), machines))


# Without an engine


def test_an_unknown_image_says_so(backend: DockerBackend) -> None:
    with pytest.raises(ImageError, match="no-such-image"):
        backend.open("no-such-image:1")


def test_an_absent_engine_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert "start the engine" in str(DockerBackend().problem())
    monkeypatch.setenv("DOCKER_HOST", "ssh://elsewhere")
    assert "unix://" in str(DockerBackend().problem())


def test_an_engine_that_does_not_answer_is_given_up_after_a_second(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/dumb.sock")
        server.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/dumb.sock")
        start = time.monotonic()
        assert "engine" in str(DockerBackend().problem())
        assert time.monotonic() - start < 4


def test_an_absent_sdk_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    assert "pip install 'tmax-gym[docker]'" in str(DockerBackend().problem())


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40))), st.data())
def test_frames_may_come_in_any_pieces(
    pieces: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(bytes([n, 0, 0, 0]) + len(d).to_bytes(4) + d for n, d in pieces)
    frames, seen = Frames(), {1: b"", 2: b""}
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        for number, piece in frames.feed(stream[:size]):
            seen[number] += piece
        stream = stream[size:]
    assert seen == {n: b"".join(d for m, d in pieces if m == n) for n in (1, 2)}


@pytest.mark.parametrize(
    "node", [Node("/a", "other", None), Node("/a", data=None), text("relative", ""),
             Node("/a", "other")],
)  # fmt: skip
def test_a_node_that_cannot_be_put_is_a_mistake(node: Node) -> None:
    with pytest.raises(ValueError, match=re.escape(node.path)):
        pack([node])


def test_images_that_nobody_uses_are_removed_and_no_others(backend: DockerBackend) -> None:
    engine, ours = backend.engine, f"localhost/tmax/pruned-{os.getpid()}"
    references = [f"{ours}:idle", f"{ours}:used", f"{ours}-other:idle"]
    for reference in references:
        recipe = f"FROM tmax/core:latest\nLABEL made={reference}\n".encode()
        packed = pack([Node("/Dockerfile", data=recipe)])
        build.build(engine, build.Build(reference, packed, ("tmax/core:latest",)))
    container = engine.api.create_container(references[1], ["true"])["Id"]
    try:
        assert build.prune(engine, repository=ours) == (references[0],)
        assert [engine.has_image(one) for one in references] == [False, True, True]
    finally:
        engine.api.remove_container(container, force=True)
        assert build.prune(engine, repository=ours) == (references[1],)
        assert build.prune(engine, repository=f"{ours}-other") == (references[2],)
