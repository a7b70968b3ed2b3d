"""gVisor's command lines, and real sandboxes where `runsc` is installed and may mount."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import _usable
from tests.sandboxes.test_hidden import LOOKS
from tests.support.attack_ground import SOLUTION, task
from tests.support.terminals import read_until
from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, ShellError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import Layer, Limits, backend, images
from tmax_gym.sandboxes.gvisor import command
from tmax_gym.sandboxes.gvisor.backend import GvisorBackend
from tmax_gym.sandboxes.gvisor.sandbox import GvisorSandbox
from tmax_gym.shell import Shell

ROOT = Path(__file__).parents[2]
EIGHT = {f"CAP_{name}" for name in ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID",
                                    "SETUID", "NET_BIND_SERVICE")}  # fmt: skip


# Command lines


def test_a_sandbox_has_no_network_no_kvm_and_no_files_that_only_gvisor_knows() -> None:
    words = command.run_argv("/usr/bin/runsc", "/place")
    assert words[0] == "/usr/bin/runsc" and words[-1] == command.NAME
    assert {"--network=none", "--platform=systrap", "--overlay2=none", "--file-access=shared",
            "--root=/place/state", "run"} <= set(words)  # fmt: skip
    assert not any("kvm" in word for word in words)


def test_a_configuration_gives_few_rights_and_the_limits() -> None:
    limits = Limits(memory=123 << 20, pids=77)
    spec = json.loads(command.bundle("/place", limits, shm=4096))
    held = spec["process"]["capabilities"]
    # One more for the first process alone, so that root's programs cannot trace it.
    assert {frozenset(kept) for kept in held.values()} == {frozenset(EIGHT | {"CAP_LEASE"})}
    assert spec["process"]["noNewPrivileges"]
    rlimits = {entry["type"]: entry["hard"] for entry in spec["process"]["rlimits"]}
    assert rlimits == {"RLIMIT_AS": 123 << 20, "RLIMIT_NPROC": 77, "RLIMIT_CORE": 0}
    assert spec["root"]["path"] == "/place/disk/root"


@pytest.mark.parametrize(("user", "number", "held"), [("root", 0, EIGHT), ("nobody", 65534, set())])
def test_a_program_runs_as_its_user(user: str, number: int, held: set[str]) -> None:
    described = json.loads(command.program(["id"], {"A": "b c"}, "/x", user=user))  # type: ignore[arg-type]
    assert described["args"] == ["id"] and described["cwd"] == "/x"
    assert described["env"] == ["A=b c"]
    assert (described["user"]["uid"], described["user"]["gid"]) == (number, number)
    assert set(described["capabilities"]["effective"]) == held


# Choosing the program


def test_an_absent_program_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = GvisorBackend().problem()
    assert problem and "no runsc on PATH" in problem and "install" in problem
    with pytest.raises(BackendUnavailable, match="gvisor"):
        backend("gvisor")


def test_another_program_of_that_name_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "runsc"
    fake.write_text("#!/bin/sh\necho 'runc version 1.1.5'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "gVisor's program" in str(GvisorBackend().problem())


# Real sandboxes

real = pytest.mark.skipif(
    shutil.which("runsc") is None, reason="no runsc on PATH; .ci/engine gvisor unpacks it"
)


@pytest.fixture(scope="module")
def machines() -> Iterator[GvisorBackend]:
    _usable("gvisor")
    try:
        images.resolve("core")
    except ImageError as error:
        pytest.skip(str(error).splitlines()[0])
    opened = GvisorBackend()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def machine(machines: GvisorBackend) -> Iterator[GvisorSandbox]:
    """One machine for tests that leave no trace."""
    sandbox = machines.open("core", limits=Limits(memory=512 << 20))
    yield sandbox
    sandbox.close()


@pytest.fixture
def fresh(machines: GvisorBackend) -> Iterator[Callable[..., GvisorSandbox]]:
    opened: list[GvisorSandbox] = []

    def make(limits: Limits | None = None, layer: Layer | None = None) -> GvisorSandbox:
        opened.append(machines.open("core", limits=limits, layer=layer))
        return opened[-1]

    yield make
    for sandbox in opened:
        sandbox.close()


def sh(sandbox: GvisorSandbox, script: str) -> tuple[int, str]:
    done = sandbox.exec(["bash", "-c", script])
    return done.exit_code, (done.stdout + done.stderr).decode().strip()


@real
def test_programs_see_another_kernel_than_ours(machine: GvisorSandbox) -> None:
    code, release = sh(machine, "uname -r; dmesg | grep -c gVisor")
    assert code == 0 and release.split()[1] == "1"
    assert release.split()[0] != os.uname().release


@real
@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs none /mnt",
        "unshare -m true",
        "mknod /tmp/disk b 254 0",
        "hostname other",
        "date -s 2001-01-01",
        "head -c 1 /proc/1/mem",
        "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) != 0)'",
        "ls /dev/sd* /dev/vd* /dev/mem 2>&1 | grep -v 'No such file'",
    ],
)
def test_root_inside_may_not(machine: GvisorSandbox, attempt: str) -> None:
    code, output = sh(machine, attempt)
    assert code != 0, output


ABSENT = ("cat /proc/sys/kernel/random/uuid", "ls /sys/class/net/lo")
"""Files that gVisor's kernel does not have."""


@real
@pytest.mark.parametrize("look", [look for look in LOOKS if look not in ABSENT])
def test_a_program_that_looks_at_its_machine_works(machine: GvisorSandbox, look: str) -> None:
    if sh(machine, f"command -v {look.split()[0]}")[0]:
        pytest.skip(f"this image has no {look.split()[0]}")
    done = machine.exec(["bash", "-c", look])
    assert done.exit_code == 0
    assert done.stdout


@real
def test_what_a_program_gets_and_gives_comes_through(machine: GvisorSandbox) -> None:
    done = machine.exec(["bash", "-c", "cat; echo oops >&2; exit 3"], stdin=b"hello")
    assert (done.stdout, done.stderr, done.exit_code) == (b"hello", b"oops\n", 3)
    assert machine.exec(["bash", "-c", "kill -SEGV $$"]).exit_code == 139
    assert machine.exec(["bash", "-c", "exit 128"]).exit_code == 128
    assert machine.exec(["no-such-program"]).exit_code == 127
    assert machine.exec(["true"], cwd="/nowhere").exit_code == 126
    variable = machine.exec(["printenv", "EXTRA"], env={"EXTRA": "w ö $(id)"})
    assert variable.stdout == "w ö $(id)\n".encode()


@real
def test_output_beyond_the_cap_is_read_and_thrown_away(machine: GvisorSandbox) -> None:
    done = machine.exec(["bash", "-c", "head -c 5000000 /dev/zero"], max_output=1000)
    assert (len(done.stdout), done.truncated, done.exit_code) == (1000, True, 0)


@real
def test_nobody_is_not_root_and_a_set_uid_program_gains_nothing(machine: GvisorSandbox) -> None:
    sh(machine, "cp $(command -v id) /tmp/suid; chmod 4755 /tmp/suid")
    script = "id -u; grep CapEff /proc/self/status; /tmp/suid -u; cat /etc/shadow"
    done = machine.exec(["bash", "-c", script], user="nobody")
    assert done.exit_code != 0
    assert done.stdout.split() == [b"65534", b"CapEff:", b"0" * 16, b"65534"]


@real
def test_a_time_out_kills_the_whole_session(machine: GvisorSandbox) -> None:
    script = "echo before; sleep 1234 & (sleep 1234; :) & sleep 1234"
    done = machine.exec(["bash", "-c", script], timeout=0.5)
    assert (done.exit_code, done.timed_out, done.stdout) == (124, True, b"before\n")
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


@real
def test_programs_of_many_threads_do_not_mix(machine: GvisorSandbox) -> None:
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda n: sh(machine, f"echo {n}"), range(8)))
    assert outputs == [(0, str(n)) for n in range(8)]


@real
def test_a_terminal_is_an_interactive_bash_on_a_tty(machine: GvisorSandbox) -> None:
    first, second = machine.open_terminal(cwd="/tmp"), machine.open_terminal(user="nobody")
    os.write(first.fd, b"test -t 0 && pwd; echo $- | grep -o i; stty size; echo en''d\n")
    assert b"/tmp\ni\n24 80\nend\n" in read_until(first, b"end\n")
    os.write(second.fd, b"id -u; echo en''d >/dev/tty\n")
    assert b"65534\n" in read_until(second, b"end\n")
    assert not first.signal_foreground(signal.SIGKILL)
    os.write(first.fd, b"trap '' INT; echo star''ted; sleep 1000; trap - INT; echo en''d\n")
    read_until(first, b"started")
    deadline = time.monotonic() + 10
    while not first.signal_foreground(signal.SIGKILL):
        assert time.monotonic() < deadline
    read_until(first, b"end\n")
    assert first.alive() and second.alive()
    for terminal in (first, first, second):
        terminal.close()
    assert not first.alive()


@real
def test_keys_interrupt_and_stop_what_is_in_the_foreground(machine: GvisorSandbox) -> None:
    terminal = machine.open_terminal()
    for key, mark in ((b"\x03", b"130"), (b"\x1a", b"148")):  # 128 + SIGINT, 128 + SIGTSTP
        os.write(terminal.fd, b"bash -c 'echo star''ted; exec sleep 1000'\n")
        read_until(terminal, b"started\n")
        time.sleep(0.1)
        os.write(terminal.fd, key)
        os.write(terminal.fd, b"echo st''atus $?\n")
        seen = read_until(terminal, b"status ")
        while not seen.rpartition(b"status ")[2].count(b"\n"):
            seen += os.read(terminal.fd, 100)
        assert b"status " + mark in seen
    terminal.close()


@real
def test_closing_a_terminal_kills_what_it_left(machine: GvisorSandbox) -> None:
    terminal = machine.open_terminal()
    os.write(terminal.fd, b"trap '' HUP; sleep 4321 & disown; echo rea''dy\n")
    read_until(terminal, b"ready\n")
    terminal.close()
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


@real
def test_a_command_in_the_shell_starts_no_client(
    machine: GvisorSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Shell(machine, cwd="/tmp") as shell, monkeypatch.context() as patch:
        patch.delattr(subprocess, "Popen")
        assert shell.run("x=7; echo one").output == "one\n"
        assert shell.run("echo $x $(uname -r)").output.startswith("7 ")


@real
def test_nodes_come_back_as_they_were_put(fresh: Callable[..., GvisorSandbox]) -> None:
    nodes = (
        directory("/app", mode=0o750),
        Node("/app/bin", data=b"\0\xff" * 3000, mode=0o755, mtime=1_000_000_000),
        text("/app/deep/er/ü\n.txt", "x", mtime=5),
        link("/app/link", "../nowhere"),
    )
    sandbox = fresh(layer=Layer("k", nodes))
    assert sh(sandbox, "stat -c %a /app; cat /app/deep/er/*") == (0, "750\nx")
    later = text("/app/deep/er/ü\n.txt", "longer", mtime=77)
    sandbox.put([later])
    assert sh(sandbox, "cat /app/deep/er/*; echo -n more >>/app/bin; stat -c %s /app/bin") == (
        0, "longer6004",
    )  # fmt: skip
    read = {node.path: node for node in sandbox.get(["/app"])}
    assert read[later.path].data == b"longer" and read[later.path].mtime == 77
    assert read["/app/bin"].data == b"\0\xff" * 3000 + b"more"
    assert (read["/app/link"].kind, read["/app/link"].target) == ("link", "../nowhere")
    assert read["/app"].mode == 0o750


@real
def test_hostile_entries_are_neither_followed_nor_opened(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    script = """mkdir -p /app /secret; echo top >/secret/data; cd /app; ln -s /secret out
ln -s /secret/data leaf; mkfifo fifo; truncate -s 2G sparse; ln -s /proc/1/root/etc/shadow up"""
    assert sh(sandbox, script) == (0, "")
    with pytest.raises(SandboxError, match="out"):
        sandbox.put([text("/app/out/file", "x")])
    sandbox.freeze()
    nodes = {node.path: node for node in sandbox.get(["/app"])}
    # Named pipes are gVisor's own: the host has no such file.
    assert {p: n.kind for p, n in nodes.items()} == {
        "/app": "dir", "/app/out": "link", "/app/leaf": "link", "/app/sparse": "file",
        "/app/up": "link",
    }  # fmt: skip
    assert nodes["/app/sparse"].data is None
    assert sandbox.get(["/app/out/data", "/no"]) == ()


MAPPED = r"""
import mmap, os, time
fd = os.open("/tmp/mapped", os.O_RDWR | os.O_CREAT); os.truncate(fd, 4096)
view = mmap.mmap(fd, 4096); view[:4] = b"seen"
open("/tmp/unsynced", "w").write("too")
print("done", flush=True); time.sleep(1000)
"""


@real
def test_what_was_written_before_a_freeze_is_there_and_nothing_runs_after(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    loop = "while :; do date +%N >/tmp/now; done &"
    os.write(terminal.fd, f"{loop}\npython3 - <<'E'\n{MAPPED}E\n".encode())
    read_until(terminal, b"done")
    sandbox.freeze()
    sandbox.freeze()
    first = sandbox.get(["/tmp/now"])
    time.sleep(0.1)
    assert sandbox.get(["/tmp/now"]) == first != ()
    (mapped,) = sandbox.get(["/tmp/mapped"])
    assert mapped.data and mapped.data[:4] == b"seen"
    assert sandbox.get(["/tmp/unsynced"])[0].data == b"too"
    assert not terminal.alive() and not sandbox.destroyed()
    with pytest.raises(SandboxError, match="frozen"):
        sandbox.exec(["true"])


@real
def test_without_bash_the_old_shell_works_and_a_new_one_is_refused(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"mv /bin/bash /bin/hsab; echo st''ill\n")
    read_until(terminal, b"still")
    with pytest.raises(ShellError, match="bash"):
        sandbox.open_terminal()


@real
def test_a_fork_bomb_is_contained_and_a_new_shell_finds_room(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh(Limits(pids=64))
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"b() { b | b & sleep 1000; b; }; b\n")
    time.sleep(0.5)
    second = sandbox.open_terminal()
    os.write(second.fd, b"echo ali''ve\n")
    read_until(second, b"alive", 30.0)


@real
def test_a_stopped_first_process_is_woken(fresh: Callable[..., GvisorSandbox]) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    sh(sandbox, "kill -STOP 1")
    terminal.close()  # needs its answer
    assert sh(sandbox, "echo alive") == (0, "alive")


@real
def test_root_inside_who_kills_the_first_process_has_ended_the_machine(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    with pytest.raises(SandboxError, match="ended"):
        sandbox.exec(["bash", "-c", "echo kept >/tmp/kept; kill -9 1; sleep 60"])
    assert sandbox.destroyed()
    sandbox.freeze()
    assert sandbox.get(["/tmp/kept"])[0].data == b"kept\n"


@real
def test_a_machine_killed_from_outside_is_an_error_and_no_result(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    os.kill(int((sandbox._files.directory / "pid").read_text()), signal.SIGKILL)
    for attempt in (sandbox.open_terminal, lambda: sandbox.exec(["true"]), sandbox.freeze):
        with pytest.raises(SandboxError):
            attempt()
    assert not sandbox.destroyed()


@real
def test_programs_inside_cannot_fill_the_hosts_disk_by_gvisors_logs(
    fresh: Callable[..., GvisorSandbox],
) -> None:
    sandbox = fresh()
    script = "for n in range(6000): open('/proc/self/cgroup').read()"
    sandbox.exec(["python3", "-c", script], timeout=60)
    boot = os.stat(command.BOOT_LOG, dir_fd=sandbox._logs)
    assert boot.st_size <= command.LOG_BYTES
    assert not (sandbox._files.directory / "logs" / command.BOOT_LOG).exists()
    assert sh(sandbox, "echo alive") == (0, "alive")
    with pytest.raises(SandboxError):
        sandbox.exec(["bash", "-c", "kill -9 1; sleep 60"])
    assert sandbox.destroyed()  # although there was no room to note it


@real
def test_honest_work_is_paid_in_full(machines: GvisorBackend) -> None:
    """A program of it runs on a second machine, as `nobody` and with limits."""
    seen = rollout(task(), ScriptedAgent([*SOLUTION]), backend=machines, image="core")
    assert seen.reward == 1.0, seen


CHILD = """
import time
from tmax_gym.sandboxes.gvisor.backend import GvisorBackend
backend = GvisorBackend()
kept = backend.open("core")
kept.open_terminal()
kept.exec(["bash", "-c", "kill -STOP 1"])
main = (kept._files.directory / "pid").read_text()
print(main, kept._client.pid, kept._files.directory, *kept._files.groups, flush=True)
time.sleep(600)
"""


@real
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_its_owner(machines: GvisorBackend, number: signal.Signals) -> None:
    """Although the first process is stopped, and does not see the end of its input."""
    process = subprocess.Popen([sys.executable, "-c", CHILD], cwd=ROOT, stdout=subprocess.PIPE,
                               text=True)  # fmt: skip
    assert process.stdout is not None
    main, client, *places = process.stdout.readline().split()
    owners = {str(Path(place).parent) for place in places}
    kept = (f"/proc/{main}", f"/proc/{client}", *places, *owners)
    assert all(Path(place).is_dir() for place in kept)
    process.send_signal(number)
    process.wait(30)
    deadline = time.monotonic() + 15
    while left := [place for place in kept if Path(place).exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    lines = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert places[0] not in lines
