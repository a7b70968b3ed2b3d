"""What the native backend promises, on real sandboxes of this machine.

Each test tries to break one property from inside with root's rights, as an agent would.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.terminals import SLOWNESS, read_until
from tmax_gym import nodes as files
from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, Layer, Limits, backend, images
from tmax_gym.sandboxes.host import cgroups, cleanup, processes
from tmax_gym.sandboxes.native import layers as native_layers
from tmax_gym.sandboxes.native import zygote as native_zygote
from tmax_gym.sandboxes.native.backend import NativeBackend
from tmax_gym.sandboxes.native.sandbox import NativeSandbox

REPOSITORY = Path(__file__).parents[2]
PROBLEM = NativeBackend.shared().problem() if sys.platform == "linux" else "not Linux"
pytestmark = pytest.mark.skipif(PROBLEM is not None, reason=f"native cannot run: {PROBLEM}")
IMAGE = images.default_image()
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="files of other owners need root")


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip if these are not enforced."""
    missing = sorted(set(names) - NativeBackend.shared().capabilities())
    return pytest.mark.skipif(bool(missing), reason=f"not enforced here: {missing}")


@pytest.fixture
def sandbox() -> Iterator[NativeSandbox]:
    machine = NativeBackend.shared().open(IMAGE)
    yield machine
    machine.close()


@contextlib.contextmanager
def opened(limits: Limits | None = None, layer: Layer | None = None) -> Iterator[NativeSandbox]:
    machine = NativeBackend.shared().open(IMAGE, limits=limits, layer=layer)
    try:
        yield machine
    finally:
        machine.close()


def bash(machine: NativeSandbox, script: str, **options: object) -> ExecResult:
    return machine.exec(["bash", "-c", script], **options)  # type: ignore[arg-type]


def python(machine: NativeSandbox, script: str, **options: object) -> ExecResult:
    argv = ["python3", "-c", textwrap.dedent(script)]
    return machine.exec(argv, **options)  # type: ignore[arg-type]


def eventually(condition: object, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


# Programs.


def test_a_program_gets_its_input_and_both_outputs_and_its_exit_code_come_back(
    sandbox: NativeSandbox,
) -> None:
    result = bash(sandbox, "cat; echo oops >&2; exit 3", stdin=b"hello")
    assert (result.stdout, result.stderr, result.exit_code) == (b"hello", b"oops\n", 3)


def test_a_program_that_dies_of_a_signal_counts_from_128(sandbox: NativeSandbox) -> None:
    assert bash(sandbox, "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_an_absent_program_is_a_result_and_not_an_error(sandbox: NativeSandbox) -> None:
    result = sandbox.exec(["no-such-program"])
    assert result.exit_code == 127
    assert b"no-such-program" in result.stderr


def test_an_absent_directory_is_a_result_and_not_an_error(sandbox: NativeSandbox) -> None:
    assert sandbox.exec(["true"], cwd="/nowhere").exit_code == 126


def test_a_timeout_kills_the_whole_session_of_a_program(sandbox: NativeSandbox) -> None:
    script = "echo before; set -m; sleep 1234 & (sleep 1234; :) & sleep 1234"
    began = time.monotonic()
    result = bash(sandbox, script, timeout=0.3 * SLOWNESS)
    assert time.monotonic() - began < 5 * SLOWNESS
    assert (result.exit_code, result.timed_out, result.stdout) == (124, True, b"before\n")
    assert bash(sandbox, "pgrep -c '[s]leep'").stdout.strip() in (b"0", b"")


def test_all_processes_can_be_ended_without_any_program_of_the_machine(
    sandbox: NativeSandbox,
) -> None:
    bash(sandbox, "for i in 1 2 3; do setsid sleep 300 > /dev/null 2>&1 & done; mkdir /gone")
    bash(sandbox, "cp /bin/sleep /bin/cat /gone/; mv /bin/bash /bin/kill /gone/")
    sandbox.end_all()
    processes = sandbox.exec(["/bin/sh", "-c", "for p in /proc/[0-9]*; do echo $p; done"]).stdout
    assert len(processes.split()) == 2  # the first process, and the shell that asks
    sandbox.end_all()  # nothing is left to end


def test_output_beyond_the_cap_is_read_and_thrown_away(sandbox: NativeSandbox) -> None:
    result = bash(sandbox, "head -c 5000000 /dev/zero; echo end >&2", max_output=1000)
    assert (len(result.stdout), result.truncated, result.exit_code) == (1000, True, 0)
    assert result.stderr == b"end\n"


def test_a_background_process_does_not_hold_a_program_open(sandbox: NativeSandbox) -> None:
    began = time.monotonic()
    result = bash(sandbox, "sleep 60 & echo done")
    assert result.stdout == b"done\n"
    assert time.monotonic() - began < 5


def test_two_megabytes_of_input_and_a_long_argument_pass(sandbox: NativeSandbox) -> None:
    assert sandbox.exec(["wc", "-c"], stdin=b"x" * (2 << 20)).stdout.strip() == b"2097152"
    words = ["x" * 100_000] * 8
    result = sandbox.exec(["bash", "-c", "echo $(( $# * ${#1} ))", "-", *words])
    assert result.stdout == b"800000\n"


def test_nobody_has_no_capability_and_may_not_write_what_root_owns(sandbox: NativeSandbox) -> None:
    script = "grep CapEff /proc/self/status; touch /etc/mine"
    result = bash(sandbox, script, user="nobody")
    assert result.stdout.split()[1].strip(b"0") == b""
    if os.getuid() == 0:
        assert b"denied" in result.stderr
        assert bash(sandbox, "id -u; id -G", user="nobody").stdout == b"65534\n65534\n"


def test_the_environment_is_clean_and_additions_arrive(sandbox: NativeSandbox) -> None:
    lines = sandbox.exec(["env"], env={"EXTRA": "wörd"}).stdout.decode().splitlines()
    assert sorted(line.split("=")[0] for line in lines) == [
        "EXTRA", "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
    ]  # fmt: skip
    assert "EXTRA=wörd" in lines


def test_programs_of_many_threads_in_one_sandbox_do_not_mix(sandbox: NativeSandbox) -> None:
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda n: bash(sandbox, f"echo {n}").stdout, range(64)))
    assert results == [f"{n}\n".encode() for n in range(64)]


# Terminals.


def test_a_terminal_is_an_interactive_bash_on_a_tty(sandbox: NativeSandbox) -> None:
    terminal = sandbox.open_terminal(cwd="/tmp")
    os.write(terminal.fd, b"tty; pwd; echo $- | grep -o i; echo en''d\n")
    seen = read_until(terminal, b"end\n")
    assert b"/dev/pts/0\n/tmp\ni\n" in seen
    assert b"job control" not in seen
    assert terminal.alive()


def test_the_foreground_group_can_be_killed_and_the_shell_cannot(sandbox: NativeSandbox) -> None:
    terminal = sandbox.open_terminal()
    assert not terminal.signal_foreground(signal.SIGKILL)
    os.write(terminal.fd, b"echo star''ted; sleep 1000\n")
    read_until(terminal, b"started\n")
    assert eventually(lambda: terminal.signal_foreground(signal.SIGKILL))
    os.write(terminal.fd, b"echo ali''ve\n")
    read_until(terminal, b"alive\n")
    assert terminal.alive()


def test_a_shell_that_exits_is_no_longer_alive_and_another_can_be_opened(
    sandbox: NativeSandbox,
) -> None:
    first = sandbox.open_terminal()
    os.write(first.fd, b"exit\n")
    assert eventually(lambda: not first.alive())
    assert not first.signal_foreground(signal.SIGKILL)
    second = sandbox.open_terminal()
    os.write(second.fd, b"echo ne''xt\n")
    read_until(second, b"next\n")


def test_closing_a_terminal_kills_what_it_left_in_its_session(sandbox: NativeSandbox) -> None:
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"trap '' HUP; sleep 4321 & disown; echo rea''dy\n")
    read_until(terminal, b"ready\n")
    terminal.close()
    terminal.close()
    assert not terminal.alive()
    assert bash(sandbox, "pgrep -c '[s]leep'").stdout.strip() in (b"0", b"")


# Isolation.


def test_host_files_and_processes_are_out_of_sight(sandbox: NativeSandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("host")
    paths = [str(secret), str(REPOSITORY / "pyproject.toml"), "/proc/1/root/etc", "/proc/1/cwd/etc"]
    for path in paths:
        assert bash(sandbox, f"ls {path}").exit_code != 0, path
    pids = bash(sandbox, "ls -d /proc/[0-9]*").stdout.split()
    assert len(pids) <= 4


def test_nothing_about_the_host_shows_in_the_mount_table_or_the_first_process(
    sandbox: NativeSandbox,
) -> None:
    script = "cat /proc/mounts /proc/self/mountinfo /proc/1/cmdline /proc/self/cgroup"
    seen = bash(sandbox, script).stdout
    assert str(images.cache_root()).encode() not in seen
    assert b"tmax" not in seen


def test_there_is_no_network_but_the_loopback_works(sandbox: NativeSandbox) -> None:
    script = """
        import socket, threading
        server = socket.create_server(("127.0.0.1", 80))
        threading.Thread(target=lambda: server.accept()[0].sendall(b"hi"), daemon=True).start()
        print(socket.create_connection(("localhost", 80), 5).recv(9))
        for address in ("1.1.1.1", "169.254.169.254", "10.0.0.1"):
            try:
                socket.create_connection((address, 53), 3)
            except OSError as error:
                print(error.errno)
    """
    assert python(sandbox, script).stdout == b"b'hi'\n101\n101\n101\n"  # ENETUNREACH


def test_address_families_without_a_namespace_are_refused(sandbox: NativeSandbox) -> None:
    script = """
        import socket
        for family in (40, 38, 17, 31):  # vsock, alg, packet, bluetooth
            try:
                socket.socket(family, socket.SOCK_STREAM)
                print("open")
            except OSError as error:
                print("refused")
    """
    assert python(sandbox, script).stdout == b"refused\n" * 4


FORBIDDEN = {
    "sysrq": "echo b > /proc/sysrq-trigger",
    "sysctl": "echo 1 > /proc/sys/kernel/panic",
    "core pattern": "echo '|/tmp/x' > /proc/sys/kernel/core_pattern",
    "mknod": "mknod /tmp/d b 8 0 && head -c 1 /tmp/d",
    "mount": "mount -t tmpfs none /mnt",
    "remount": "mount -o remount,rw /proc/sys",
    "umount": "umount /proc/kcore || umount /proc/sys",
    "unshare mount": "unshare -m true",
    "unshare user": "unshare -U true",
    "unshare user of nobody": "unshare -Ur true",
    "chroot": "chroot / true",
    "clock": "date -s 2001-01-01",
    "kernel log": "dmesg",
    "host name": "hostname other",
    "first process": "kill -9 1; kill -INT 1; kill -TERM 1; sleep 0.1; ! kill -0 1",
    "kernel memory": "test -s /proc/kcore || head -c 1 /proc/kmem",
    "suid": "cp /bin/bash /tmp/b && chmod u+s /tmp/b && exec setpriv --reuid 1000 --clear-groups"
    " /tmp/b -p -c '[ $(id -u) = 0 ]'",
    "traced first process": "cat /proc/1/environ /proc/1/maps || ls -l /proc/1/fd/0",
    "device of the cgroup": "ls /sys/fs/cgroup/* /sys/kernel/debug/*",
    "raise priority": "nice -n -5 true 2>&1 | grep -qv annot",
}


@pytest.mark.parametrize("name", sorted(FORBIDDEN))
def test_root_inside_may_not(sandbox: NativeSandbox, name: str) -> None:
    result = bash(sandbox, FORBIDDEN[name], timeout=10)
    assert result.exit_code != 0, result
    assert bash(sandbox, "echo still here").stdout == b"still here\n"


SYSCALLS = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
calls = {"setns": (308, 0, 0), "bpf": (321, 0, 0, 0), "perf": (298, 0, 0, -1, -1, 0),
         "keyctl": (250, 0, 0), "uring": (425, 1, 0), "userfault": (323, 0),
         "by handle": (304, -100, 0, 0), "open_tree": (428, -100, b"/", 1),
         "clone user": (56, 0x10000011, 0, 0, 0, 0), "kexec": (246, 0, 0, 0, 0),
         "module": (313, 0, b"", 0), "fsopen": (430, b"tmpfs", 0)}
for name, call in calls.items():
    result = libc.syscall(*call)
    print(name, result, ctypes.get_errno())
print("clone3", libc.syscall(435, 0, 0), ctypes.get_errno())
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are of x86_64")
def test_the_filter_refuses_dangerous_calls_to_everybody(sandbox: NativeSandbox) -> None:
    for user in ("root", "nobody"):
        lines = python(sandbox, SYSCALLS, user=user).stdout.decode().splitlines()
        assert len(lines) == 13
        assert all(line.endswith(" -1 1") for line in lines[:-1]), lines  # EPERM
        assert lines[-1] == "clone3 -1 38"  # ENOSYS: libc falls back


def test_a_program_may_trace_its_own_child(sandbox: NativeSandbox) -> None:
    if images.missing_tools(IMAGE, ["strace"]):
        pytest.skip(f"image {IMAGE} has no strace")
    result = sandbox.exec(["strace", "-e", "trace=exit_group", "true"])
    assert b"exit_group(0)" in result.stderr


def test_files_of_one_sandbox_are_not_in_the_next() -> None:
    with opened() as one:
        bash(one, "echo x > /app/f; echo y > /usr/local/bin/python3; rm -rf /etc/passwd")
    with opened() as two:
        assert bash(two, "ls /app/f /usr/local/bin/python3").stdout == b""
        assert bash(two, "head -c 4 /etc/passwd").stdout == b"root"


# Limits.


def test_a_small_disk_fills_with_an_error_and_no_more() -> None:
    with opened(Limits(disk=64 << 20)) as machine:
        result = bash(machine, "head -c 200000000 /dev/zero > /tmp/big; stat -c %s /tmp/big")
        assert b"No space left" in result.stderr
        assert 60 << 20 <= int(result.stdout) <= 64 << 20


def test_inodes_run_out_with_an_error() -> None:
    with opened(Limits(inodes=2000)) as machine:
        script = """
            import os
            os.mkdir("/app/many")
            try:
                for number in range(5000):
                    open(f"/app/many/{number}", "w").close()
            except OSError as error:
                print(error.errno, 1900 < number < 2100)
        """
        assert python(machine, script).stdout == b"28 True\n"  # ENOSPC


@needs("pids")
def test_a_fork_bomb_is_contained_and_a_shell_still_starts() -> None:
    with opened(Limits(pids=64)) as machine:
        result = bash(machine, "f() { f | f & }; f; sleep 0.5; echo over", timeout=5)
        assert result.exit_code in (0, 1, 2, 124, 126, 254)
        terminal = machine.open_terminal()
        os.write(terminal.fd, b"echo ali''ve\n")
        read_until(terminal, b"alive\n")


FILLER = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(100)
    except OSError: pass
"""


@needs("pids")
def test_a_program_that_cannot_start_for_the_agents_processes_is_a_result() -> None:
    with opened(Limits(pids=16)) as machine:
        machine.exec(["setsid", "-f", "python3", "-c", FILLER])
        assert eventually(lambda: bash(machine, "true", timeout=3).exit_code == 126)
        result = bash(machine, "true", timeout=3)
        assert b"no process could be started" in result.stderr


@needs("memory")
def test_an_allocation_of_three_gigabytes_is_killed_and_the_session_lives() -> None:
    with opened(Limits(memory=256 << 20)) as machine:
        terminal = machine.open_terminal()
        result = python(machine, "x = bytearray(3_000_000_000); print(len(x))")
        assert result.exit_code == 137
        assert result.stdout == b""
        os.write(terminal.fd, b"echo ali''ve\n")
        read_until(terminal, b"alive\n")


@needs("memory")
def test_a_full_disk_leaves_memory_to_work_with() -> None:
    with opened(Limits(memory=64 << 20, disk=1 << 30)) as machine:
        result = bash(machine, "head -c 300000000 /dev/zero > /tmp/big")
        assert b"No space left" in result.stderr  # the disk is smaller, so that others live on
        assert bash(machine, "echo alive").stdout == b"alive\n"


@needs("cpu")
def test_half_a_processor_takes_twice_the_time() -> None:
    script = """
        import time
        began, used = time.time(), time.process_time()
        while time.process_time() < used + 0.4: pass
        print(time.time() - began)
    """
    with opened(Limits(cpus=0.5)) as machine:
        assert float(python(machine, script).stdout) > 0.55


# Files.


def test_what_is_put_comes_back_with_owner_mode_time_and_content(sandbox: NativeSandbox) -> None:
    owner = (1000, 1000) if os.getuid() == 0 else (0, 0)
    nodes = [
        Node(
            "/srv/new/deep/a.txt", data=b"\0\xff", mode=0o640, uid=owner[0], gid=owner[1], mtime=7
        ),
        files.link("/srv/new/link", "deep/a.txt"),
        Node("/srv/new/dir", kind="dir", data=None, mode=0o700, mtime=9),
        Node("/srv/new/tool", data=b"#!/bin/sh\necho ran\n", mode=0o4755, mtime=8),
    ]
    sandbox.put(nodes)
    got = {node.path: node for node in sandbox.get(["/srv/new"])}
    a = got["/srv/new/deep/a.txt"]
    assert (a.data, a.mode, (a.uid, a.gid), a.mtime, a.size) == (b"\0\xff", 0o640, owner, 7, 2)
    assert (got["/srv/new/link"].kind, got["/srv/new/link"].target) == ("link", "deep/a.txt")
    assert (got["/srv/new/dir"].kind, got["/srv/new/dir"].mode) == ("dir", 0o700)
    assert got["/srv/new/dir"].mtime == 9
    assert got["/srv/new/tool"].mode == 0o4755
    assert [node.path for node in sandbox.get(["/srv/new"])] == sorted(got)
    assert bash(sandbox, "/srv/new/tool; stat -c '%a %u %Y' /srv/new/deep/a.txt").stdout == (
        f"ran\n640 {owner[0]} 7\n".encode()
    )


def test_absent_paths_are_left_out(sandbox: NativeSandbox) -> None:
    assert sandbox.get(["/nowhere", "/etc/hostname/below", "/etc/passwd"])[0].path == "/etc/passwd"


def test_files_stay_readable_after_a_freeze_and_nothing_runs(sandbox: NativeSandbox) -> None:
    terminal = sandbox.open_terminal()
    bash(sandbox, "setsid -f bash -c 'while :; do date +%N > /app/clock; done'; echo kept > /app/f")
    sandbox.freeze()
    first = sandbox.get(["/app"])
    time.sleep(0.1)
    assert sandbox.get(["/app"]) == first
    assert next(node.data for node in first if node.path == "/app/f") == b"kept\n"
    assert not terminal.alive()
    with pytest.raises(SandboxError):
        sandbox.exec(["true"])
    with pytest.raises(SandboxError):
        sandbox.open_terminal()


HOSTILE = """
import os, socket
os.chdir("/app")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
os.symlink("/etc/shadow", "link")
os.symlink("/app", "loop")
os.symlink("/proc/1/root/etc", "magic")
os.symlink("../../../../../../etc/shadow", "up")
with open("sparse", "wb") as file: file.truncate(2 << 30)
os.mkdir("directory"); open("directory/inside", "w").close()
open(b"bad\\xff\\nname", "w").close()
os.mkdir("locked", 0); os.chmod("locked", 0)
deep = "/app/deep"
os.mkdir(deep); os.chdir(deep)
for _ in range(3000):
    os.mkdir("d" * 50); os.chdir("d" * 50)
"""


def test_hostile_entries_are_read_without_being_opened_or_followed(sandbox: NativeSandbox) -> None:
    assert python(sandbox, HOSTILE).exit_code == 0
    sandbox.freeze()
    began = time.monotonic()
    got = {node.path: node for node in sandbox.get(["/app"])}
    assert time.monotonic() - began < 5
    kinds = {name: got[f"/app/{name}"].kind for name in ("fifo", "socket", "link", "directory")}
    assert kinds == {"fifo": "other", "socket": "other", "link": "link", "directory": "dir"}
    assert got["/app/link"].target == "/etc/shadow"
    assert (got["/app/sparse"].data, got["/app/sparse"].size) == (None, 2 << 30)
    assert "/app/bad\udcff\nname" in got
    assert max(map(len, got)) <= 4095
    for path in ("/app/link", "/app/up"):
        assert [node.kind for node in sandbox.get([path])] == ["link"]
    assert sandbox.get(["/app/loop/directory", "/app/magic/passwd", "/proc/1/status"]) == ()


def test_files_of_the_host_are_not_reached_by_any_spelling(sandbox: NativeSandbox) -> None:
    here = str(REPOSITORY / "pyproject.toml")
    for path in (here, f"/app/../../..{here}", f"//{here}", f"/proc/self/cwd{here}"):
        assert sandbox.get([path]) == ()
    with pytest.raises(ValueError, match="absolute"):
        sandbox.get(["etc/passwd"])


def test_reading_stops_at_the_caps(sandbox: NativeSandbox) -> None:
    python(sandbox, "for n in range(300): open(f'/app/f{n:03}', 'w').write('x' * 1000)")
    assert len(sandbox.get(["/app"], max_nodes=50)) == 50
    some = sandbox.get(["/app"], max_bytes=2000)
    assert sum(len(node.data or b"") for node in some) <= 8 * 2000
    assert all(node.data is None for node in sandbox.get(["/app/f000"], max_bytes=999))


def test_put_never_follows_a_link_and_replaces_one_in_the_last_place(
    sandbox: NativeSandbox,
) -> None:
    bash(sandbox, "ln -s /etc /app/out; ln -s /etc/passwd /app/last; mkfifo /app/pipe")
    with pytest.raises(SandboxError, match="/app/out/evil"):
        sandbox.put([files.text("/app/out/evil", "x")])
    sandbox.put([files.text("/app/last", "mine"), files.text("/app/pipe", "too")])
    assert [node.data for node in sandbox.get(["/app/last", "/app/pipe"])] == [b"mine", b"too"]
    assert sandbox.get(["/etc/evil"]) == ()
    assert sandbox.get(["/etc/passwd"])[0].data != b"mine"


def test_put_says_what_stands_in_the_way(sandbox: NativeSandbox) -> None:
    with pytest.raises(SandboxError, match="/proc/x"):
        sandbox.put([files.text("/proc/x", "")])
    with pytest.raises(SandboxError, match="'/etc'"):
        sandbox.put([files.text("/etc", "a file for a directory")])


def test_a_layer_is_in_place_at_the_start_and_stays_clean() -> None:
    nodes = (
        files.text("/app/data/in.txt", "task", mtime=1_000_000),
        files.text("/tmp/note", "n"),
        files.link("/app/cur", "data"),
    )
    layer = Layer("layer-one", nodes)
    with opened(layer=layer) as one, opened(layer=layer) as two:
        assert bash(one, "cat /app/cur/in.txt; echo spoilt > /app/data/in.txt").stdout == b"task"
        assert two.get(["/app/data/in.txt"])[0].data == b"task"
        assert two.get(["/app/data/in.txt"])[0].mtime == 1_000_000
        # The layer's own /tmp hides the image's, whose mode must shine through.
        assert bash(two, "stat -c %a /tmp").stdout == b"1777\n"
    with opened(layer=layer) as three:
        assert bash(three, "cat /app/data/in.txt").stdout == b"task"


def test_a_program_of_a_layer_runs_wherever_the_layer_lies() -> None:
    small = (files.text("/app/run", "#!/bin/bash\necho $((6 * 7))\n", mode=0o755),)
    large = (*small, files.text("/app/data", "x" * (2 << 20)))
    for nodes in (small, large):
        with contextlib.closing(
            NativeBackend.shared().open(IMAGE, layer=Layer(files.digest(nodes), nodes))
        ) as machine:
            assert machine.exec(["/app/run"], user="nobody").stdout == b"42\n"


def test_a_layer_through_a_link_of_the_image_is_refused() -> None:
    if (images.resolve(IMAGE).trees[0][1][0]) and not os.path.islink("/bin"):
        pytest.skip("this image has a real /bin")
    with pytest.raises(SandboxError, match="/bin/tool"):
        NativeBackend.shared().open(IMAGE, layer=Layer("bad", (files.text("/bin/tool", ""),)))


@needs_root
def test_a_directory_of_a_layer_can_be_renamed_and_removed() -> None:
    nodes = (files.text("/app/old/f", "x"), files.text("/app/gone/f", "y"))
    with opened(layer=Layer("rename", nodes)) as machine:
        script = "import os, shutil; os.rename('/app/old', '/app/new'); shutil.rmtree('/app/gone')"
        assert python(machine, script).stderr == b""
        got = {node.path: node.data for node in machine.get(["/app"])}
        assert got == {"/app": None, "/app/new": None, "/app/new/f": b"x"}


# How sandboxes begin and end.


def test_killing_everything_inside_leaves_a_sandbox_that_still_works(
    sandbox: NativeSandbox,
) -> None:
    terminal = sandbox.open_terminal()
    assert bash(sandbox, "kill -9 -1").exit_code in (0, 137)
    assert eventually(lambda: not terminal.alive())
    assert bash(sandbox, "echo alive").stdout == b"alive\n"


def test_sixty_four_sandboxes_open_at_once() -> None:
    def work(number: int) -> bytes:
        with opened(Limits(disk=16 << 20)) as machine:
            return bash(machine, f"echo {number} > /app/n; cat /app/n").stdout

    before = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor(64) as pool:
        assert list(pool.map(work, range(64))) == [f"{n}\n".encode() for n in range(64)]
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_sandbox_outlives_the_thread_that_opened_it() -> None:
    opened: list[NativeSandbox] = []
    thread = threading.Thread(target=lambda: opened.append(NativeBackend.shared().open(IMAGE)))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert bash(opened[0], "echo alive").stdout == b"alive\n"
    opened[0].close()


def test_closing_twice_is_harmless_and_use_after_it_is_an_error(sandbox: NativeSandbox) -> None:
    sandbox.close()
    sandbox.close()
    for use in (
        lambda: sandbox.exec(["true"]),
        sandbox.open_terminal,
        lambda: sandbox.get(["/"]),
        lambda: sandbox.put([]),
        sandbox.freeze,
    ):
        with pytest.raises(SandboxError):
            use()


def test_an_unknown_image_is_named_with_the_remedy() -> None:
    with pytest.raises(ImageError, match="docker export"):
        NativeBackend.shared().open("no-such-image")


def test_auto_names_can_choose_native() -> None:
    assert backend("native") is NativeBackend.shared()


def test_no_cgroup_is_left_by_a_closed_sandbox() -> None:
    def groups() -> set[Path]:
        parents = cgroups.layout().directories()
        return {path for parent in parents for path in parent.glob(f"{cleanup.label()}*/*/")}

    before = groups()
    machine = NativeBackend.shared().open(IMAGE)
    machine.close()
    assert eventually(lambda: groups() <= before)


CHILD = """
import os, sys, time
from tmax_gym import nodes as files
from tmax_gym.sandboxes import Layer, images
from tmax_gym.sandboxes.host import cleanup
from tmax_gym.sandboxes.native.backend import NativeBackend
layer = Layer("k", (files.text("/app/x", ""),))
backend, image = NativeBackend.shared(), images.default_image()
machines = [backend.open(image, layer=layer) for _ in range(3)]
machines[0].open_terminal()
machines[1].exec(["bash", "-c", f"setsid -f sleep 98765.{os.getpid()}"])
if sys.argv[1] == "fork" and os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print(cleanup.label(), NativeBackend.shared()._zygote._process.pid, flush=True)
{end}
"""


def start_child(end: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD.replace("{end}", end), *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,
    )


def leftovers(label: str) -> list[str]:
    """Return every process, cgroup and directory that a dead parent has left.

    They are found by name, because numbers are reused: the zygote and its clones have our
    directories among their arguments.
    """
    sleeper = b"sleep\x0098765.%s" % label.split("-")[1].encode()
    names = [
        str(path) for parent in cgroups.layout().directories() for path in parent.glob(label + "*")
    ]
    for place in native_layers.parents(images.cache_root()):
        names += [str(path) for path in place.glob(label + "*")]
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (path / "cmdline").read_bytes()
            if command.startswith(sleeper) or label.encode() in command:
                names.append(str(path))
    return names


@pytest.mark.parametrize("kind", ["plain", "fork"])
def test_a_killed_parent_leaves_no_process_cgroup_or_file(kind: str) -> None:
    with start_child("time.sleep(60)", kind) as child:
        assert child.stdout is not None
        label, _ = child.stdout.readline().split()
        assert leftovers(label)
        child.kill()
        # Not yet collected: its number must not be another's when its group is killed.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        try:
            assert eventually(lambda: not leftovers(label)), leftovers(label)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def test_a_parent_that_forgets_to_close_leaves_nothing_either() -> None:
    with start_child("", "plain") as child:
        assert child.stdout is not None
        label, _ = child.stdout.readline().split()
        assert child.wait(60) == 0
    assert eventually(lambda: not leftovers(label))


def killed_with_its_zygote() -> str:
    """Return the label of a process that could not clean up."""
    with start_child("time.sleep(60)", "plain") as child:
        assert child.stdout is not None
        label, zygote = child.stdout.readline().split()
        os.kill(int(zygote), signal.SIGSTOP)  # it cannot clean up
        child.kill()
        child.wait()
        os.kill(int(zygote), signal.SIGKILL)
    return label


def test_leftovers_of_a_killed_zygote_are_swept_by_the_next_parent() -> None:
    label = killed_with_its_zygote()
    directories = [*cgroups.layout().directories(), *native_layers.parents(images.cache_root())]
    cleanup.sweep(directories)
    assert eventually(lambda: not leftovers(label))


def test_a_process_that_nobody_has_waited_for_counts_as_dead() -> None:
    """A container's first process often waits for no orphan, so that they stay zombies."""
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    own = cleanup.label().split("-")
    label = "-".join((own[0], str(child.pid), processes.start_time(child.pid), own[3]))
    assert cleanup.alive(label)
    child.kill()
    assert eventually(lambda: not cleanup.alive(label))
    assert processes.stat(child.pid)[processes.STATE] == "Z"
    child.wait()


def test_what_was_left_since_the_start_of_a_backend_can_be_swept_later() -> None:
    own = NativeBackend()
    try:
        own.open(IMAGE).close()
        label = killed_with_its_zygote()
        cleanup.sweep_again()
        assert eventually(lambda: not leftovers(label))
        assert bash(own.open(IMAGE), "echo here").stdout == b"here\n"
    finally:
        own.close()


def test_a_killed_zygote_takes_its_sandboxes_along_and_is_replaced() -> None:
    own = NativeBackend()
    try:
        machine = own.open(IMAGE)
        assert own._zygote is not None
        os.kill(own._zygote._process.pid, signal.SIGKILL)
        with pytest.raises(SandboxError):
            for _ in range(100):
                machine.exec(["true"])
                time.sleep(0.02)
        machine.close()
        again = own.open(IMAGE)
        assert bash(again, "echo new").stdout == b"new\n"
    finally:
        own.close()


def test_a_forked_child_opens_its_own_and_does_not_touch_the_parents(
    sandbox: NativeSandbox,
) -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            with contextlib.suppress(SandboxError):
                sandbox.exec(["true"])
                os._exit(3)
            sandbox.close()
            machine = NativeBackend.shared().open(IMAGE)
            os.write(write, bash(machine, "echo child").stdout)
            NativeBackend.shared().close()
            code = 0
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert os.read(read, 100) == b"child\n"
    os.close(read)
    os.close(write)
    assert bash(sandbox, "echo parent").stdout == b"parent\n"


ROOTLESS = """
import os, sys, types
sys.modules["tmax_gym"] = types.ModuleType("tmax_gym")  # its own imports need a venv
sys.modules["tmax_gym"].__path__ = ["tmax_gym"]
from tmax_gym import nodes as files
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits
from tmax_gym.sandboxes.native.backend import NativeBackend
backend = NativeBackend.shared()
if backend.problem():
    print("SKIP", backend.problem()); sys.exit()
print(sorted(backend.capabilities()))
layer = Layer("k", (files.text("/app/task/in", "layer"),))
machine = backend.open("host", limits=Limits(disk=8 << 20), layer=layer)
run = lambda script, **o: machine.exec(["bash", "-c", script], **o)
script = "id -u; cat /app/task/in; echo; touch /home/user/f && rm /etc/hosts && echo written"
print(run(script).stdout)
print(run("head -c 20000000 /dev/zero > /tmp/x; code=$?; rm /tmp/x; exit $code").stderr[-24:])
print(run("mount -t tmpfs x /mnt; unshare -U true; cat /etc/shadow").exit_code)
machine.put([files.text("/app/put", "in")])
run("mkdir /app/locked; echo secret > /app/locked/s; chmod 0 /app/locked /app/locked/s")
terminal = machine.open_terminal(); terminal.close()
machine.freeze()
print([(n.path, n.uid, n.data) for n in machine.get(["/app/locked/s", "/app/put"])])
machine.close()
"""


@needs_root
def test_a_normal_user_gets_the_same_through_a_user_namespace() -> None:
    with contextlib.ExitStack() as stack:
        # Not pytest's directory: that is closed to other users.
        base = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
        stack.callback(subprocess.run, ["rm", "-rf", str(base)])
        (base / "cache").mkdir()
        subprocess.run(["cp", "-r", str(REPOSITORY / "tmax_gym"), str(base)], check=True)
        subprocess.run(["chown", "-R", "4242:4242", str(base)], check=True)
        done = subprocess.run(
            ["/usr/bin/python3", "-c", ROOTLESS],
            user=4242, group=4242, extra_groups=[], cwd=base, capture_output=True, text=True,
            env={"TMAX_CACHE": str(base / "cache"), "PATH": "/usr/bin:/bin"}, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    if lines[0].startswith("SKIP"):
        pytest.skip(lines[0])
    assert "'userns'" in lines[0]
    assert lines[1:] == [
        repr(b"0\nlayer\nwritten\n"),
        repr(b"No space left on device\n"),
        "1",
        repr([("/app/locked/s", 0, b"secret\n"), ("/app/put", 0, b"in")]),
    ]


def test_the_sandbox_side_imports_nothing_heavy() -> None:
    heavy = {"json", "typing", "re", "enum", "hashlib", "contextlib", "dataclasses", "socket"}
    package = REPOSITORY / "tmax_gym"
    boot = native_zygote.BOOT.replace("zygote.main", "print(*sys.modules) or len")
    boot = boot.replace("*map(int, sys.argv[3:5]), sys.argv[5:]", "sys.argv")
    words = [sys.executable, "-I", "-S", "-E", "-c", boot, str(package), str(package / "sandboxes")]
    loaded = set(subprocess.check_output(words, text=True).split())
    assert "tmax_gym.sandboxes.native.init" in loaded
    assert not heavy & loaded


UNIFIED = Path("/sys/fs/cgroup/unified")  # where a host has both versions


@needs_root
@pytest.mark.skipif(not UNIFIED.is_dir(), reason="no second hierarchy is mounted here")
def test_a_sandbox_is_born_into_its_group_of_version_2(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare(cgroups.Layout):
        def _settings(self, controller: str, limits: Limits) -> list[tuple[str, str]]:
            return []

    monkeypatch.setattr(cgroups, "layout", lambda: Bare({"pids": UNIFIED}, unified=True))
    backend = NativeBackend()
    machine = backend.open(IMAGE)
    try:
        fields = Path(f"/proc/self/fdinfo/{machine._pidfd}").read_text().split()
        pid = fields[fields.index("Pid:") + 1]
        group = Path(f"/proc/{pid}/cgroup").read_text().split("0::")[1].split()[0]
        directory = UNIFIED / group.lstrip("/")
        assert directory.parent.name.startswith(cleanup.label())
        assert pid in (directory / "cgroup.procs").read_text().split()
    finally:
        backend.close()
    assert eventually(lambda: not directory.exists())
