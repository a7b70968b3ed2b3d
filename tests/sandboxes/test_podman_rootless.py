"""Podman without root: the same machines, and no claim to limits that it cannot enforce."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import Layer
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.capabilities import enforced
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.shell import Shell

STATE = os.environ.get("TMAX_ENGINE_DIR", "/tmp/tmax-engine")
SOCKET = Path(STATE, "rootless/run/podman.sock")
ROOT = Path(__file__).parents[2]
needs_engine = pytest.mark.docker


@pytest.fixture(scope="module")
def backend() -> Iterator[DockerBackend]:
    if not SOCKET.exists():
        pytest.skip(f"no rootless podman at {SOCKET}; .ci/engine podman-rootless starts one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONTAINER_HOST", f"unix://{SOCKET}")
        patch.setenv("TMAX_POOL", "0")
        opened = DockerBackend("podman")
        assert opened.problem() is None
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def machine(backend: DockerBackend, image: str) -> Iterator[DockerSandbox]:
    sandbox = backend.open(image, layer=Layer("k", (directory("/app"), text("/app/one", "1"))))
    yield sandbox
    sandbox.close()


def sh(sandbox: DockerSandbox, script: str) -> tuple[int, str]:
    done = sandbox.exec(["bash", "-c", script])
    return done.exit_code, (done.stdout + done.stderr).decode(errors="replace").strip()


@needs_engine
def test_root_inside_is_a_plain_user_outside(
    backend: DockerBackend, machine: DockerSandbox
) -> None:
    assert "userns" in backend.capabilities()
    inside, outside, _ = sh(machine, "cat /proc/self/uid_map; id -u")[1].split()[:3]
    assert (inside, sh(machine, "id -u")) == ("0", (0, "0"))
    assert int(outside) == SOCKET.stat().st_uid != 0


@needs_engine
def test_a_shell_keeps_its_state_and_outlives_a_killed_command(machine: DockerSandbox) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run("cd /var; export A=7")
        assert shell.run("echo $PWD $A").output == "/var 7\n"
        assert shell.run("sleep 60", timeout=1.0).timed_out
        assert shell.run("echo $PWD $A").output == "/var 7\n"


@needs_engine
def test_the_foreground_is_killed_and_the_shell_is_not(machine: DockerSandbox) -> None:
    terminal = machine.open_terminal()
    os.write(terminal.fd, b"echo star''ted; sleep 999\n")
    seen = b""
    while b"started" not in seen:
        assert select.select([terminal.fd], [], [], 10)[0], seen
        seen += os.read(terminal.fd, 4096)
    deadline = time.monotonic() + 5
    while not terminal.signal_foreground(signal.SIGKILL):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert terminal.alive()
    terminal.close()
    assert not terminal.alive()


@needs_engine
def test_nodes_come_back_as_they_were_put(machine: DockerSandbox) -> None:
    nodes = [
        directory("/app/d", mode=0o750),
        Node("/app/d/b", data=b"\0\xff" * 999, mode=0o755, mtime=9),
    ]
    nodes += [link("/app/d/l", "../one"), text("/app/two", "2", mtime=5)]
    machine.put(nodes)
    read = {node.path: node for node in machine.get(["/app"])}
    assert read["/app/one"].data == b"1"
    for node in nodes:
        back = read[node.path]
        assert (back.kind, back.mode, back.target) == (node.kind, node.mode, node.target)
        assert node.kind != "file" or back.data == node.data


@needs_engine
def test_a_program_is_killed_at_its_time_out_with_its_session(machine: DockerSandbox) -> None:
    start = time.monotonic()
    done = machine.exec(["bash", "-c", "echo on; sleep 77 & sleep 77"], timeout=1.0)
    assert (done.exit_code, done.timed_out, done.stdout) == (124, True, b"on\n")
    assert time.monotonic() - start < 10
    assert sh(machine, "pgrep -fc '[s]leep 77'")[1] == "0"


@needs_engine
def test_there_is_a_loopback_and_no_network(machine: DockerSandbox) -> None:
    script = """python3 - <<'E'
import socket
s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname())
try: socket.create_connection(("1.1.1.1", 53), 2)
except OSError as e: print("loop", e.errno)
E"""
    assert sh(machine, script) == (0, "loop 101")


@needs_engine
def test_what_is_frozen_can_be_read_and_what_is_closed_is_gone(
    backend: DockerBackend, image: str
) -> None:
    sandbox = backend.open(image)
    clock = "(while :; do date +%N >/tmp/now; done) &"
    sh(sandbox, f"{clock} until test -s /tmp/now; do sleep 0.01; done")
    sandbox.freeze()
    first = sandbox.get(["/tmp/now"])
    time.sleep(0.1)
    assert sandbox.get(["/tmp/now"]) == first != ()
    with pytest.raises(SandboxError, match="frozen"):
        sandbox.exec(["true"])
    sandbox.close()
    containers = backend.engine.api.containers(all=True)
    assert sandbox.id not in {container["Id"][:12] for container in containers}


CHILD = """
import sys, time
from tmax_gym.sandboxes.docker.backend import DockerBackend
kept = DockerBackend("podman").open(sys.argv[1])
print(kept.id, flush=True)
time.sleep(600)
"""


@needs_engine
def test_no_container_outlives_a_killed_owner(backend: DockerBackend, image: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, image], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    assert name
    process.kill()
    process.wait(30)
    deadline = time.monotonic() + 20
    while any(c["Id"].startswith(name) for c in backend.engine.api.containers(all=True)):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.1)


# Its claims about itself


@given(st.booleans(), st.sets(st.sampled_from(["memory", "pids", "cpu", "cpuset", "blkio"])))
def test_podmans_own_list_of_controllers_is_believed_before_its_flags(
    flags: bool, controllers: set[str]
) -> None:
    information = dict.fromkeys(("MemoryLimit", "PidsLimit", "CpuCfsQuota"), flags)
    limited = enforced(information, sorted(controllers))
    assert limited & {"memory", "pids", "cpu"} == controllers & {"memory", "pids", "cpu"}


@pytest.mark.parametrize(
    ("driver", "limits"), [("cgroupfs", {"memory", "cpu"}), ("systemd", {"memory", "cpu"}),
                           ("none", set())],
)  # fmt: skip
def test_dockers_flags_count_unless_it_has_no_groups(driver: str, limits: set[str]) -> None:
    information = {"CgroupDriver": driver, "MemoryLimit": True, "CpuCfsQuota": True}
    limited = enforced(information)
    assert limited == {"pid", "mount", "net", "ipc", "uts", "caps"} | limits


@pytest.mark.parametrize("option", ["name=rootless", "name=userns", "name=seccomp,profile=x"])
def test_security_options_are_read(option: str) -> None:
    word = "seccomp" if "seccomp" in option else "userns"
    assert enforced({"SecurityOptions": [option]}) - enforced({}) == {word}
