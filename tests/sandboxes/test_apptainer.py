"""Apptainer's command lines in full, and real instances where the program is installed."""

import ctypes
import ctypes.util
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sandboxes.test_hidden import ENGINES, HOST, LOOKS, shown
from tests.support.break_it_cases import CASES
from tests.support.terminals import read_until
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, ShellError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import Layer, Limits, backend, images
from tmax_gym.sandboxes.apptainer import seccomp as apptainer_seccomp
from tmax_gym.sandboxes.apptainer.backend import ApptainerBackend
from tmax_gym.sandboxes.apptainer.command import (
    CAPABILITIES,
    Ceilings,
    Program,
    Start,
    client_environment,
    exec_argv,
    explain,
    hosted,
    parse_version,
    split_output,
    start_argv,
    wrapped,
)
from tmax_gym.sandboxes.apptainer.sandbox import ApptainerSandbox
from tmax_gym.sandboxes.native import seccomp as native_filter
from tmax_gym.shell import Shell

ROOT = Path(__file__).parents[2]
Flavour = Literal["apptainer", "singularity"]
FLAVOURS: tuple[Flavour, ...] = ("apptainer", "singularity")
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NAMES = st.from_regex(r"\A[A-Z][A-Z0-9_]{0,9}\Z")
NONE = Ceilings()


def program(flavour: Flavour = "apptainer") -> Program:
    return Program(f"/opt/bin/{flavour}", flavour, (9,))


def start(
    *, rootless: bool = False, limits: Limits | None = None, frozen: tuple[str, ...] = ()
) -> Start:
    return Start("/images/core", "/place/overlay", "name-1", "/place/pid", "/place/empty",
                 "/place/seccomp.json", rootless, frozen, limits)  # fmt: skip


def after(words: list[str], flag: str) -> list[str]:
    """Return what follows each occurrence of a flag."""
    return [words[at + 1] for at, word in enumerate(words) if word == flag]


# Command lines


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("rootless", [False, True])
def test_an_instance_is_walled_in_by_flags(flavour: Flavour, rootless: bool) -> None:
    words = start_argv(program(flavour), start(rootless=rootless))
    assert words[:4] == [f"/opt/bin/{flavour}", "--quiet", "instance", "start"]
    assert words[-2:] == ["/images/core", "name-1"]
    plain = {"--containall", "--no-home", "--cleanenv", "--no-umask", "--no-eval", "--net"}
    assert {*plain, "--no-privs"} <= set(words)
    assert after(words, "--network") == ["none"]
    assert after(words, "--overlay") == ["/place/overlay"]
    assert after(words, "--hostname") == ["sandbox"]
    assert after(words, "--pid-file") == ["/place/pid"]
    assert after(words, "--security") == ["seccomp:/place/seccomp.json"]
    given = after(words, "--add-caps")[0].split(",")
    # One more capability for the first process alone, so that root's programs cannot trace it.
    assert set(given) - set(CAPABILITIES) == (set() if rootless else {"CAP_LEASE"})
    assert "type=bind,source=/dev/null,destination=/proc/1/mem,ro" in after(words, "--mount")
    assert set(after(words, "--no-mount")[0].split(",")) >= {"tmp", "home", "hostfs", "sys"}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_only_a_plain_user_asks_for_fakeroot(flavour: Flavour) -> None:
    assert "--fakeroot" not in start_argv(program(flavour), start())
    words = start_argv(program(flavour), start(rootless=True))
    assert "--fakeroot" in words
    assert ("--ignore-subuid" in words) == (flavour == "apptainer")  # the other has no such flag


def test_an_instance_keeps_its_privileges_few_for_every_program() -> None:
    words = exec_argv(program(), start(), ["true"], user="root")
    assert words[-2:] == ["instance://name-1", "true"]
    assert "--no-privs" in words and after(words, "--add-caps") == [",".join(CAPABILITIES)]
    assert after(words, "--security") == ["seccomp:/place/seccomp.json"]
    words = exec_argv(program(), start(), ["true"], user="nobody")
    assert after(words, "--add-caps") == []
    assert {"uid:65534", "gid:65534"} <= set(after(words, "--security"))


def test_a_plain_users_program_takes_over_what_its_instance_has() -> None:
    words = exec_argv(program(), start(rootless=True), ["true"], user="root")
    refused = {"--fakeroot", "--add-caps", "--security", "--no-privs"}  # with "Permission denied"
    assert not refused & set(words)
    assert "--cleanenv" in words


@given(
    st.builds(
        Limits, memory=st.integers(1, 1 << 50), pids=st.integers(1, 1 << 22),
        cpus=st.floats(0.01, 64).map(lambda cpus: round(cpus, 2)),
    )
)  # fmt: skip
def test_limits_by_flag_are_the_limits(limits: Limits) -> None:
    words = start_argv(program(), start(limits=limits))
    assert int(after(words, "--memory")[0]) == int(after(words, "--memory-swap")[0])
    assert int(after(words, "--memory")[0]) == limits.memory
    assert int(after(words, "--pids-limit")[0]) == limits.pids
    assert float(after(words, "--cpus")[0]) == limits.cpus
    assert not {"--memory", "--pids-limit", "--cpus"} & set(start_argv(program(), start()))


def test_what_root_could_write_below_proc_is_bound_read_only() -> None:
    words = start_argv(program(), start(frozen=("/proc/sys", "/proc/bus")))
    mounts = after(words, "--mount")
    assert "type=bind,source=/proc/sys,destination=/proc/sys,ro" in mounts
    assert "type=bind,source=/proc/bus,destination=/proc/bus,ro" in mounts


def test_what_tells_about_the_host_is_covered_after_what_would_bring_it_back() -> None:
    random = "/proc/sys/kernel/random/boot_id"
    given = replace(
        start(frozen=("/proc/sys",)),
        hidden_files=(random,),
        hidden_directories=("/proc/irq",),
        empty_file="/place/nothing",
    )
    mounts = after(start_argv(program(), given), "--mount")
    frozen = mounts.index("type=bind,source=/proc/sys,destination=/proc/sys,ro")
    assert frozen < mounts.index(f"type=bind,source=/place/nothing,destination={random},ro")
    assert "type=bind,source=/place/empty,destination=/proc/irq,ro" in mounts


@given(st.dictionaries(NAMES, WORDS, max_size=4), st.sampled_from(FLAVOURS), st.booleans())
def test_no_value_of_the_environment_becomes_a_word(
    extra: dict[str, str], flavour: Flavour, rootless: bool
) -> None:
    secret = {name: f"s3cret-{value}" for name, value in extra.items()}
    words = wrapped(["true"], user="root", cwd="/", ceilings=NONE)
    words = exec_argv(program(flavour), start(rootless=rootless), words, user="root")
    assert not any("s3cret-" in word for word in hosted(words, groups=["/g"]))
    environment = client_environment(program(flavour), secret, home="/h")
    carried = [v for k, v in environment.items() if k.startswith(f"{flavour.upper()}ENV_")]
    assert sorted(carried) == sorted(f"{k}={v}" for k, v in secret.items())


# The wrapper is a script for bash: bash runs it here as in an instance.


def run_wrapped(
    argv: list[str],
    *,
    cwd: str = "/",
    ceilings: Ceilings = NONE,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    words = wrapped(argv, user="root", cwd=cwd, ceilings=ceilings)
    given = {"APPTAINER_NAME": "x", "SINGULARITY_BIND": "", "PROMPT_COMMAND": "x"}
    return subprocess.run(
        words, env={**given, **(environment or {})}, capture_output=True, timeout=20
    )


@settings(max_examples=25)
@given(st.lists(WORDS, max_size=4), st.dictionaries(NAMES, WORDS, max_size=3))
def test_words_and_variables_arrive_as_they_were(words: list[str], extra: dict[str, str]) -> None:
    script = (
        "import os, sys, json\nnames = sys.argv[1].split()\n"
        "values = [os.fsencode(os.environ[name]).hex() for name in names]\n"
        "print(json.dumps([[os.fsencode(word).hex() for word in sys.argv[2:]], values]))"
    )
    fixed = {"PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "PWD", "SHLVL", "LOGNAME", "PS1"}
    extra = {name: value for name, value in extra.items() if name not in fixed}
    carried = {
        f"TMAX_CARRIED_{at}": f"{name}={value}"
        for at, (name, value) in enumerate(sorted(extra.items()))
    }
    argv = [sys.executable, "-c", script, " ".join(sorted(extra)), *words]
    done = run_wrapped(argv, environment=carried)
    seen, values = json.loads(done.stdout)
    assert [bytes.fromhex(word).decode() for word in seen] == words
    assert [bytes.fromhex(v).decode() for v in values] == [v for _, v in sorted(extra.items())]


def test_the_environment_of_a_program_is_that_of_a_login() -> None:
    done = run_wrapped(["env"], environment={"TMAX_CARRIED_0": "EXTRA=one two"})
    names = {line.split("=")[0] for line in done.stdout.decode().splitlines()}
    # bash counts its level for the program that replaces it.
    assert names - {"SHLVL", "_"} == {
        "EXTRA", "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
    }  # fmt: skip
    assert split_output(done.stderr) == (True, b"")


def test_an_absent_directory_ends_with_126_and_an_absent_program_with_127() -> None:
    done = run_wrapped(["true"], cwd="/nowhere")
    assert (done.returncode, b"/nowhere" in split_output(done.stderr)[1]) == (126, True)
    done = run_wrapped(["no-such-program"])
    assert (done.returncode, b"no-such-program" in split_output(done.stderr)[1]) == (127, True)


@pytest.mark.parametrize(
    ("ceilings", "flag", "value"),
    [
        (Ceilings(file=10 << 20), "-f", "10240"),
        (Ceilings(memory=1 << 30), "-v", "1048576"),
        (Ceilings(), "-c", "0"),
    ],
)
def test_ceilings_are_set_for_good(ceilings: Ceilings, flag: str, value: str) -> None:
    done = run_wrapped(["bash", "-c", f"ulimit -H {flag}"], ceilings=ceilings)
    assert done.stdout.decode().strip() == value


def test_a_client_joins_its_groups_before_anything_else(tmp_path: Path) -> None:
    groups = [tmp_path / name for name in ("one", "two words")]
    for group in groups:
        group.mkdir()
    done = subprocess.run(hosted(["echo", "on"], groups=list(map(str, groups))),
                          capture_output=True, timeout=20)  # fmt: skip
    assert done.stdout == b"on\n"
    assert [(group / "cgroup.procs").read_text() for group in groups] == ["0\n", "0\n"]
    done = subprocess.run(hosted(["echo", "on"], groups=[str(tmp_path / "none")]),
                          capture_output=True, timeout=20)  # fmt: skip
    assert (done.returncode, done.stdout) == (125, b"")


def test_a_client_makes_the_terminal_its_own() -> None:
    master, slave = os.openpty()
    words = hosted([sys.executable, "-c", "import os; os.open('/dev/tty', 2); print('mine')"],
                   tty=True)  # fmt: skip
    with subprocess.Popen(words, stdin=slave, stdout=-3, stderr=-3, start_new_session=True):
        os.close(slave)
        seen = b""
        while not seen.endswith(b"\n"):
            assert select.select([master], [], [], 20)[0]
            seen += os.read(master, 100)
        assert seen == b"mine\r\n"
    os.close(master)


# Answers


@pytest.mark.parametrize(
    ("output", "flavour", "version"),
    [
        ("apptainer version 1.4.5\n", "apptainer", (1, 4, 5)),
        ("apptainer version 1.1.9-1.el8\n", "apptainer", (1, 1, 9)),
        ("singularity-ce version 4.1.5+ds4-1\n", "singularity", (4, 1, 5)),
        ("singularity version 3.8.7\n", "singularity", (3, 8, 7)),
        ("singularity-pro version 3.11-2.el9", "singularity", (3, 11)),
    ],
)
def test_versions_are_read(output: str, flavour: str, version: tuple[int, ...]) -> None:
    program = parse_version(output)
    assert program and (program.flavour, program.version) == (flavour, version)


@pytest.mark.parametrize("output", ["", "Endgame: Singularity 1.00\n", "version 1.2", "usage: x"])
def test_another_program_is_not_taken_for_a_container_program(output: str) -> None:
    assert parse_version(output) is None


ANSWERS = [  # what version 1.4.5 wrote
    (
        b"\x1b[31mFATAL:  \x1b[0m Couldn't determine user account information: user: unknown\n",
        "Couldn't determine user account information: user: unknown",
    ),
    (
        b"ERROR:   container cleanup failed: no instance found with name t\n"
        b"FATAL:   container creation failed: while applying cgroups config: cannot use cgroups "
        b"- cannot use systemd cgroups manager, systemd not running as init on this host\n\n"
        b"FATAL:   while executing starter: failed to start instance: exit status 255\n",
        "Delegate cgroups to this user, or unset the limit.",
    ),
    (
        b"FATAL:   could not use fakeroot: no mapping entry found in /etc/subuid for root\n",
        "could not use fakeroot: no mapping entry found in /etc/subuid for root",
    ),
    (b"FATAL:   no instance found with name t\n", "It has ended; open another."),
    (
        b"\x1b[91mERROR  : Failed to enter in user namespace: Permission denied\n\x1b[0m",
        "Allow unprivileged user namespaces",
    ),
    (b"runtime/cgo: pthread_create failed: Operation not permitted\n", "pthread_create failed"),
    (b"", "it printed nothing"),
]


@pytest.mark.parametrize(("output", "part"), ANSWERS)
def test_failures_are_explained_by_their_cause(output: bytes, part: str) -> None:
    assert part in explain(output)
    assert "while executing starter" not in explain(output)
    assert "\x1b" not in explain(output)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_the_output_of_a_program_is_separated_from_that_of_the_client(
    before: bytes, behind: bytes
) -> None:
    before = before.replace(b"tmax-began", b"")
    head = before + b"\n" if before else b""
    assert split_output(head + b"tmax-began\n" + behind) == (True, behind)
    assert split_output(before) == (False, before)


# The profile


def test_the_profile_refuses_what_the_native_filter_refuses() -> None:
    name = ctypes.util.find_library("seccomp")
    if not name or os.uname().machine != "x86_64":
        pytest.skip("no libseccomp that could name the numbers of x86_64")
    resolve = ctypes.CDLL(name).seccomp_syscall_resolve_name
    refused = {resolve(word.encode()) for word in apptainer_seccomp.DENIED}
    program = native_filter.program("x86_64")
    steps = [program[at : at + 8] for at in range(0, len(program), 8)]
    # "equal to K: next; else skip one", then "return EPERM".
    numbers = {
        int.from_bytes(step[4:], "little")
        for step, then in itertools.pairwise(steps)
        if step[:4] == b"\x15\0\0\x01" and then == b"\x06\0\0\0\x01\0\x05\0"
    }
    # create_module is gone since Linux 2.6; 1 is an argument, as no filter refuses `write`.
    assert numbers > {165, 321} and numbers - {174, 1} <= refused


def test_the_profile_is_one_document() -> None:
    profile = json.loads(apptainer_seccomp.profile())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert {rule["action"] for rule in profile["syscalls"]} == {"SCMP_ACT_ERRNO"}


# Choosing the program


def test_an_absent_program_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in FLAVOURS:
        problem = ApptainerBackend(name).problem()
        assert problem and f"no {name} on PATH" in problem and "install" in problem
        with pytest.raises(BackendUnavailable, match=name):
            backend(name)


@pytest.mark.parametrize(
    ("output", "part"),
    [("apptainer version 1.0.3", "1.1 or newer"), ("Endgame: Singularity", "container program")],
)
def test_a_program_that_is_too_old_or_another_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, output: str, part: str
) -> None:
    fake = tmp_path / "apptainer"
    fake.write_text(f"#!/bin/sh\necho '{output}'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert part in str(ApptainerBackend().problem())


# Real instances

PRESENT = shutil.which("apptainer") or shutil.which("singularity")
real = pytest.mark.skipif(
    PRESENT is None, reason="neither apptainer nor singularity is on PATH; .ci/engine apptainer"
)


@pytest.fixture(scope="module")
def instances(image: str) -> Iterator[ApptainerBackend]:
    name = Path(PRESENT or "").name
    opened = ApptainerBackend(name)
    if problem := opened.problem():
        pytest.skip(problem)
    try:
        images.resolve("core")
    except ImageError as error:
        pytest.skip(str(error).splitlines()[0])
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def machine(instances: ApptainerBackend) -> Iterator[ApptainerSandbox]:
    """One machine for tests that leave no trace."""
    sandbox = instances.open("core", limits=Limits(memory=512 << 20))
    yield sandbox
    sandbox.close()


@pytest.fixture
def fresh(instances: ApptainerBackend) -> Iterator[Callable[..., ApptainerSandbox]]:
    """Machines for tests that break them."""
    opened: list[ApptainerSandbox] = []

    def make(limits: Limits | None = None, layer: Layer | None = None) -> ApptainerSandbox:
        opened.append(instances.open("core", limits=limits, layer=layer))
        return opened[-1]

    yield make
    for sandbox in opened:
        sandbox.close()


def sh(sandbox: ApptainerSandbox, script: str, **options: object) -> tuple[int, str]:
    done = sandbox.exec(["bash", "-c", script], **options)  # type: ignore[arg-type]
    return done.exit_code, (done.stdout + done.stderr).decode(errors="replace").strip()


@real
@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs none /mnt",
        "unshare -m true",
        "unshare -n true",
        "chroot / true",
        "mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk",
        "date -s 2001-01-01",
        "dmesg",
        "echo 1 >/proc/sys/kernel/panic",
        "test -e /proc/sysrq-trigger && echo h >/proc/sysrq-trigger",
        "head -c 1 /proc/kcore | grep -q .",
        "ls /sys/fs /sys/kernel",
        "hostname other",
        "ls /proc/1/fd/* || cat /proc/1/environ || head -c 1 /proc/1/maps || ls /proc/1/root/",
        "echo 1000 >/proc/1/oom_score_adj && exit 0; exit 1",
        "prlimit --pid 1 --nofile=1:1",
        "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0 and 0 or 1)'",
        "ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem 2>&1 | grep -v 'No such file'",
    ],
)
def test_root_inside_may_not(machine: ApptainerSandbox, attempt: str) -> None:
    code, output = sh(machine, attempt)
    assert code != 0, output


NEEDS_SYS = ("lscpu", "ls /sys/class/net/lo")
"""Files below /sys, which stays empty in Apptainer."""


@real
@pytest.mark.parametrize("path", [*ENGINES, *HOST])
def test_a_file_about_the_host_shows_nothing(machine: ApptainerSandbox, path: str) -> None:
    assert shown(machine, path) == b""


@real
@pytest.mark.parametrize("command", [look for look in LOOKS if look not in NEEDS_SYS])
def test_a_program_that_looks_at_its_machine_still_works(
    machine: ApptainerSandbox, command: str
) -> None:
    if sh(machine, f"command -v {command.split()[0]}")[0]:
        pytest.skip(f"this image has no {command.split()[0]}")
    done = machine.exec(["bash", "-c", command])
    assert (done.exit_code, done.stderr) == (0, b"")
    assert done.stdout


@real
def test_what_a_program_gets_and_gives_comes_through(machine: ApptainerSandbox) -> None:
    done = machine.exec(["bash", "-c", "cat; echo oops >&2; exit 3"], stdin=b"hello")
    assert (done.stdout, done.stderr, done.exit_code) == (b"hello", b"oops\n", 3)
    assert machine.exec(["bash", "-c", "kill -SEGV $$"]).exit_code == 139
    assert machine.exec(["no-such-program"]).exit_code == 127
    assert machine.exec(["true"], cwd="/nowhere").exit_code == 126
    assert machine.exec(["printenv", "EXTRA"], env={"EXTRA": "w ö $(id)"}).stdout == (
        "w ö $(id)\n".encode()
    )


@real
def test_output_beyond_the_cap_is_read_and_thrown_away(machine: ApptainerSandbox) -> None:
    done = machine.exec(["bash", "-c", "head -c 5000000 /dev/zero"], max_output=1000)
    assert (len(done.stdout), done.truncated, done.exit_code) == (1000, True, 0)


@real
def test_nobody_is_not_root(machine: ApptainerSandbox) -> None:
    if os.geteuid():
        with pytest.raises(SandboxError, match="one user id"):
            machine.exec(["true"], user="nobody")
        return
    script = "id -u; id -g; grep CapEff /proc/self/status; cat /etc/shadow"
    code, output = sh(machine, script, user="nobody")
    assert code != 0 and output.split()[:4] == ["65534", "65534", "CapEff:", "0" * 16]


@real
def test_a_set_uid_program_gains_nothing(machine: ApptainerSandbox) -> None:
    if os.geteuid():
        pytest.skip("without root there is no second user")
    sh(machine, "cp $(command -v id) /tmp/suid; chmod 4755 /tmp/suid")
    assert sh(machine, "/tmp/suid -u", user="nobody") == (0, "65534")


@real
def test_a_time_out_kills_the_whole_session(machine: ApptainerSandbox) -> None:
    script = "echo before; sleep 1234 & (sleep 1234; :) & sleep 1234"
    start = time.monotonic()
    done = machine.exec(["bash", "-c", script], timeout=0.5)
    assert time.monotonic() - start < 5
    assert (done.exit_code, done.timed_out, done.stdout) == (124, True, b"before\n")
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


@real
def test_programs_of_many_threads_do_not_mix(machine: ApptainerSandbox) -> None:
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda n: sh(machine, f"echo {n}"), range(16)))
    assert outputs == [(0, str(n)) for n in range(16)]


@real
def test_a_terminal_is_an_interactive_bash_on_a_tty(machine: ApptainerSandbox) -> None:
    terminal = machine.open_terminal(cwd="/tmp")
    os.write(terminal.fd, b"tty; pwd; echo $- | grep -o i; stty size; echo en''d\n")
    seen = read_until(terminal, b"end\r\n")
    assert b"/dev/pts/" in seen and b"/tmp\r\ni\r\n24 80\r\n" in seen
    assert b"job control" not in seen
    assert not terminal.signal_foreground(signal.SIGKILL)
    os.write(terminal.fd, b"echo star''ted; sleep 1000\n")
    read_until(terminal, b"started")
    deadline = time.monotonic() + 5
    while not terminal.signal_foreground(signal.SIGKILL):
        assert time.monotonic() < deadline
    os.write(terminal.fd, b"echo ali''ve\n")
    read_until(terminal, b"alive")
    assert terminal.alive()
    terminal.close()
    terminal.close()
    assert not terminal.alive()


@real
def test_closing_a_terminal_kills_what_it_left(machine: ApptainerSandbox) -> None:
    terminal = machine.open_terminal()
    os.write(terminal.fd, b"trap '' HUP; sleep 4321 & disown; echo rea''dy\n")
    read_until(terminal, b"ready\r\n")
    terminal.close()
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


@real
def test_there_is_a_loopback_and_no_network(machine: ApptainerSandbox) -> None:
    script = """python3 - <<'E'
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname())
try: socket.create_connection(("1.1.1.1", 53), 2)
except OSError as e: print("loop", e.errno)
E"""
    assert sh(machine, script) == (0, "loop 101")


@real
def test_nodes_come_back_as_they_were_put(fresh: Callable[..., ApptainerSandbox]) -> None:
    nodes = (
        directory("/app", mode=0o750),
        Node("/app/bin", data=b"\0\xff" * 3000, mode=0o755, mtime=1_000_000_000),
        text("/app/deep/er/ü\n.txt", "x", mtime=5),
        link("/app/link", "../nowhere"),
    )
    sandbox = fresh(layer=Layer("k", nodes))
    sh(sandbox, "true")
    later = text("/app/later", "y", mtime=77)
    sandbox.put([later])
    read = {node.path: node for node in sandbox.get(["/app"])}
    for node in (*nodes, later):
        back = read[node.path]
        data = node.data if node.kind == "file" else None
        assert (back.kind, back.data, back.target) == (node.kind, data, node.target)
        assert back.mode == node.mode
        assert back.mtime == node.mtime or node.kind == "dir"


@real
def test_hostile_entries_are_neither_followed_nor_opened(
    fresh: Callable[..., ApptainerSandbox],
) -> None:
    sandbox = fresh()
    script = """mkdir -p /app /secret; echo top >/secret/data; cd /app; ln -s /secret out
ln -s /secret/data leaf; mkfifo fifo; truncate -s 2G sparse; ln -s /proc/1/root/etc/shadow up"""
    assert sh(sandbox, script) == (0, "")
    with pytest.raises(SandboxError, match="out"):
        sandbox.put([text("/app/out/file", "x")])
    sandbox.freeze()
    nodes = {node.path: node for node in sandbox.get(["/app"])}
    assert {p: n.kind for p, n in nodes.items()} == {
        "/app": "dir", "/app/out": "link", "/app/leaf": "link", "/app/fifo": "other",
        "/app/sparse": "file", "/app/up": "link",
    }  # fmt: skip
    assert nodes["/app/sparse"].data is None
    assert sandbox.get(["/app/out/data", "/no"]) == ()


CLOCK = b"""while :; do date +%N >/tmp/now; done &
until test -s /tmp/now; do sleep 0.01; done; echo go''ne
"""


@real
def test_nothing_runs_after_a_freeze(fresh: Callable[..., ApptainerSandbox]) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, CLOCK)
    read_until(terminal, b"gone")
    sandbox.freeze()
    sandbox.freeze()
    first = sandbox.get(["/tmp/now"])
    time.sleep(0.1)
    assert sandbox.get(["/tmp/now"]) == first != ()
    assert not terminal.alive()
    with pytest.raises(SandboxError, match="frozen"):
        sandbox.exec(["true"])


@real
def test_killing_everything_inside_leaves_a_machine_that_works(
    fresh: Callable[..., ApptainerSandbox],
) -> None:
    sandbox = fresh()
    sh(sandbox, "kill -9 -1; kill -9 1")
    assert sh(sandbox, "echo alive") == (0, "alive")


@real
def test_without_bash_the_old_shell_works_and_a_new_one_is_refused(
    fresh: Callable[..., ApptainerSandbox],
) -> None:
    sandbox = fresh()
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"mv /bin/bash /bin/hsab; echo st''ill\n")
    read_until(terminal, b"still")
    with pytest.raises(ShellError, match="bash"):
        sandbox.open_terminal()


@real
def test_a_fork_bomb_is_contained_and_a_new_shell_finds_room(
    fresh: Callable[..., ApptainerSandbox], instances: ApptainerBackend
) -> None:
    if "pids" not in instances.capabilities():
        pytest.skip("no limit of processes is enforced here")
    sandbox = fresh(Limits(pids=64))
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"b() { b | b & sleep 1000; b; }; b\n")
    time.sleep(0.5)
    assert machine_says(sandbox)
    second = sandbox.open_terminal()
    os.write(second.fd, b"echo ali''ve\n")
    read_until(second, b"alive", 30.0)


def machine_says(sandbox: ApptainerSandbox) -> bool:
    """Any result of a program in a full machine."""
    return sandbox.exec(["true"], timeout=5).exit_code in (0, 124, 126)


@real
def test_a_machine_killed_from_outside_is_an_error_and_no_result(
    fresh: Callable[..., ApptainerSandbox],
) -> None:
    sandbox = fresh()
    timer = threading.Timer(0.5, os.kill, [sandbox._main, signal.SIGKILL])
    timer.start()
    start = time.monotonic()
    with pytest.raises(SandboxError, match="ended"):
        sandbox.exec(["sleep", "60"], timeout=60)
    assert time.monotonic() - start < 10
    timer.join()
    for attempt in (sandbox.open_terminal, sandbox.freeze, lambda: sandbox.exec(["true"])):
        with pytest.raises(SandboxError):
            attempt()


HARD = ("400 kB command", "unbalanced quote", "sleep 1000 time-out", "rm /bin/bash", "exit code")


@real
@pytest.mark.parametrize("name", HARD)
def test_a_shell_survives(fresh: Callable[..., ApptainerSandbox], name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    with Shell(fresh(), cwd="/tmp") as shell:
        for command in case.commands:
            seen = shell.run(command, timeout=case.timeout)
        assert case.verdict(seen) == []
        assert "alive_42\n" in shell.run('\\command echo al""ive_42', timeout=20.0).output


CHILD = """
import sys, time
from tmax_gym.sandboxes.apptainer.backend import ApptainerBackend
backend = ApptainerBackend(sys.argv[1])
kept = backend.open("core")
kept.open_terminal()
print(kept._main, kept._host.directory, *kept._host.groups, flush=True)
time.sleep(600)
"""


@real
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_its_owner(instances: ApptainerBackend, number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", CHILD, instances.name], cwd=ROOT,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout is not None
    main, *places = process.stdout.readline().split()
    assert all(Path(place).is_dir() for place in (f"/proc/{main}", *places))
    process.send_signal(number)
    process.wait(30)
    deadline = time.monotonic() + 15
    while any(Path(place).exists() for place in (f"/proc/{main}", *places)):
        assert time.monotonic() < deadline, "something is left"
        time.sleep(0.05)


ROOTLESS = """
import os, sys, types
sys.modules["tmax_gym"] = types.ModuleType("tmax_gym")  # its own imports need a venv
sys.modules["tmax_gym"].__path__ = ["tmax_gym"]
from tmax_gym.sandboxes import Layer, Limits
from tmax_gym.sandboxes.apptainer.backend import ApptainerBackend
from tmax_gym.nodes import text
backend = ApptainerBackend(sys.argv[1])
ATTACH = "import ctypes; l = ctypes.CDLL(None); print(l.ptrace(16, 1, 0, 0))"
print(sorted(backend.capabilities() & {"userns", "disk", "caps"}))
layer = Layer("k", (text("/app/l", "in"),))
machine = backend.open("core", limits=Limits(disk=1 << 20), layer=layer)
done = machine.exec(["bash", "-c", "id -u; cat /app/l; echo; echo 1 >/etc/x; cat /etc/x"])
print(done.stdout)
done = machine.exec(["bash", "-c", "head -c 3000000 /dev/zero >/tmp/big; stat -c %s /tmp/big"])
print(done.stdout)
done = machine.exec(["bash", "-c", "unshare -m true; mount -t tmpfs none /mnt; kill -9 1; echo on"])
print(done.stdout)
done = machine.exec(["bash", "-c", "ls /proc/1/fd; cat /proc/1/environ; head -c 1 /proc/1/mem"])
print(done.stdout, machine.exec(["python3", "-c", ATTACH]).stdout)
terminal = machine.open_terminal()
script = b"mkdir /app/locked; echo s >/app/locked/s; chmod 0 /app/locked; echo do''ne\\n"
os.write(terminal.fd, script)
seen = b""
while b"done" not in seen: seen += os.read(terminal.fd, 4096)
machine.freeze()
print([(n.path, n.data) for n in machine.get(["/app"]) if n.kind == "file"])
machine.close(); backend.close()
print(os.listdir(os.path.join(os.environ["TMPDIR"], f"tmax-apptainer-{os.getuid()}")))
"""


@real
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_plain_user_gets_the_same_but_for_the_disk(instances: ApptainerBackend) -> None:
    with ExitStack() as stack:
        # Not pytest's directory: that is closed to other users.
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        base.chmod(0o755)
        shutil.copytree(ROOT / "tmax_gym", base / "tmax_gym")
        place = base / "cache/images/core/rootfs"
        place.mkdir(parents=True)
        own = base / "tmp"
        own.mkdir()
        shutil.chown(own, 65534, 65534)
        # The image as that user would have imported it; the copies hold no content.
        lower = images.resolve("core").trees[0][1][0]
        layers = [base / name for name in ("upper", "work")]
        for layer in layers:
            layer.mkdir()
        options = f"lowerdir={lower},upperdir={layers[0]},workdir={layers[1]},metacopy=on"
        mount = ["mount", "-t", "overlay", "overlay", "-o", options, str(place)]
        subprocess.run(mount, check=True)
        stack.callback(subprocess.run, ["umount", str(place)], check=True)
        subprocess.run(["chown", "-R", "nobody:nogroup", str(place)], check=True)
        path = f"{Path(PRESENT or '').parent}:/usr/bin:/bin"
        done = subprocess.run(
            ["/usr/bin/python3", "-c", textwrap.dedent(ROOTLESS), instances.name],
            user=65534, group=65534, extra_groups=[], cwd=base, capture_output=True, text=True,
            env={"TMAX_CACHE": str(base / "cache"), "PATH": path, "TMPDIR": str(own)}, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        repr(["caps", "userns"]),
        repr(b"0\nin\n1\n"),
        repr(b"1048576\n"),
        repr(b"on\n"),
        "b'' b'-1\\n'",
        repr([("/app/l", b"in"), ("/app/locked/s", b"s\n")]),
        "[]",
    ]
