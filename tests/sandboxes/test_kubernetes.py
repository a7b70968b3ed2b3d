"""Pods as sandboxes: the resource, and real shells behind a server of our own.

Nothing here ran on a cluster.  What a kubelet does is taken from its documentation and imitated.
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("kubernetes", reason="needs the extra `kubernetes`")

from tests.support.attack_ground import task
from tests.support.fake_kubernetes.server import FakeCluster, Faults
from tests.support.terminals import read_until
from tests.support.tiny_tasks import halves_task, sum_task
from tmax_gym.agents.agent import NoopAgent, ScriptedAgent, SolutionAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, ShellError
from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.sandboxes import ELSEWHERE, ORDER, Layer, Limits, backend
from tmax_gym.sandboxes.kubernetes import exit_state, manifest, settings
from tmax_gym.sandboxes.kubernetes.backend import KubernetesBackend
from tmax_gym.sandboxes.kubernetes.sandbox import KubernetesSandbox
from tmax_gym.sandboxes.kubernetes.settings import Settings
from tmax_gym.shell import Shell
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Trajectory

ROOT = Path(__file__).parents[2]
EIGHT = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
         "NET_BIND_SERVICE"}  # fmt: skip


# The resource

PLAIN = Settings(images="r/{name}:1", life_seconds=3600)
FULL = Settings(images="r/{name}:1", runtime="gvisor", pull_secret="p", user_namespace=True)


@pytest.mark.parametrize("chosen", [PLAIN, FULL])
def test_a_pod_is_what_the_official_client_calls_one(chosen: Settings) -> None:
    from kubernetes import client

    spec = manifest.pod("image", Limits(), settings=chosen)
    api = client.ApiClient()
    # Wrong types are refused, and what the client does not know does not come back.
    read = api.deserialize(json.dumps(spec), "V1PodSpec", "application/json")
    assert api.sanitize_for_serialization(read) == spec


def test_a_pod_has_few_rights_and_no_account() -> None:
    spec = manifest.pod("image", Limits(), settings=PLAIN)
    assert not spec["automountServiceAccountToken"]
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in (*spec["containers"], *spec["initContainers"]):
        rights = container["securityContext"]
        assert rights["capabilities"]["drop"] == ["ALL"]
        # One more for the first process alone, so that no program can trace it.
        assert set(rights["capabilities"]["add"]) == EIGHT | {"SETPCAP"}
        assert not rights["allowPrivilegeEscalation"] and not rights["privileged"]
    (tools,) = spec["containers"][0]["volumeMounts"]
    assert tools["readOnly"]


def test_a_pod_has_its_limits_and_asks_its_node_for_all_the_memory() -> None:
    limits = Limits(memory=123 << 20, cpus=2.0, disk=5 << 20)
    (container,) = manifest.pod("image", limits, settings=PLAIN)["containers"]
    most, least = container["resources"]["limits"], container["resources"]["requests"]
    assert most == {"cpu": "2000m", "memory": str(123 << 20), "ephemeral-storage": str(5 << 20)}
    assert least == {**most, "cpu": "500m"}


def test_a_resource_ends_by_itself() -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()
    body = manifest.resource("n", "i", Limits(), owner="o", settings=PLAIN, now=now)
    assert body["spec"]["shutdownTime"] == "2026-01-02T04:04:05Z"  # an hour later
    assert body["spec"]["shutdownPolicy"] == "Delete"
    assert body["spec"]["podTemplate"]["spec"]["activeDeadlineSeconds"] == 3600


def ended(**terminated: object) -> dict[str, object]:
    state = {"name": "main", "state": {"terminated": terminated}}
    return {"status": {"phase": "Failed", "containerStatuses": [state]}}


@pytest.mark.parametrize(
    ("pod", "inside"),
    [
        (ended(exitCode=137, reason="OOMKilled"), True),
        (ended(exitCode=139, reason="Error"), True),  # a fault of its first process
        (ended(exitCode=137, reason="Error"), False),  # killed
        (ended(exitCode=99, reason="Error"), False),  # its owner has gone
        (ended(exitCode=0, reason="Completed"), False),
        ({"status": {"reason": "Evicted", "message": "The node was low on resource: memory."}},
         False),
        ({"status": {"reason": "Evicted", "message": "Pod ephemeral local storage usage exceeds "
                     "the total limit of containers 1Gi."}}, True),
        ({"status": {"reason": "DeadlineExceeded"}}, False),
        ({"metadata": {"deletionTimestamp": "2026"}, **ended(exitCode=137, reason="OOMKilled")},
         False),
        ({"status": {"phase": "Unknown", "reason": "NodeLost"}}, False),
    ],
)  # fmt: skip
def test_who_ended_a_pod_is_told_by_its_status(pod: dict[str, object], inside: bool) -> None:
    assert exit_state.ended_inside(pod) is inside


def test_settings_that_cannot_be_used_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMAX_KUBERNETES_IMAGES", "registry/core:1")
    with pytest.raises(BackendUnavailable, match="one name for every image"):
        settings.from_environment()
    monkeypatch.setenv("TMAX_KUBERNETES_IMAGES", "registry/{name}:1")
    monkeypatch.setenv("TMAX_KUBERNETES_START_SECONDS", "soon")
    with pytest.raises(BackendUnavailable, match="positive number"):
        settings.from_environment()
    monkeypatch.setenv("TMAX_KUBERNETES_START_SECONDS", "60")
    assert settings.from_environment().reference("host") == "registry/core:1"
    assert settings.from_environment().reference("other:2") == "other:2"


def test_it_is_taken_only_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "kubernetes" not in ORDER and "kubernetes" in ELSEWHERE
    monkeypatch.delenv("TMAX_KUBERNETES_IMAGES", raising=False)
    with pytest.raises(BackendUnavailable, match="push the images"):
        backend("kubernetes")


def test_without_a_cluster_it_says_what_to_configure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert "Set KUBECONFIG" in str(KubernetesBackend(PLAIN).problem())


# Real shells


@pytest.fixture
def machines(fake_cluster: FakeCluster) -> Iterator[KubernetesBackend]:
    """A backend of its own, on a cluster without faults."""
    opened = fake_cluster.backend()
    yield opened
    fake_cluster.faults = Faults()
    opened.close()


@pytest.fixture(scope="module")
def machine(fake_cluster: FakeCluster) -> Iterator[KubernetesSandbox]:
    """One machine for tests that leave no trace."""
    opened = fake_cluster.backend()
    yield opened.open("core", limits=Limits(memory=512 << 20))
    opened.close()


def sh(sandbox: KubernetesSandbox, script: str) -> tuple[int, str]:
    done = sandbox.exec(["bash", "-c", script])
    return done.exit_code, (done.stdout + done.stderr).decode().strip()


@pytest.mark.parametrize("played", [sum_task(), halves_task(), task()], ids=lambda t: t.spec.name)
def test_the_solution_is_paid_in_full_and_nothing_else_is(
    played: Task, machines: KubernetesBackend
) -> None:
    """The last one's program runs in a second pod, as `nobody`."""
    solved = rollout(played, SolutionAgent(played), backend=machines, image="core", retries=0)
    idle = rollout(played, NoopAgent(), backend=machines, image="core", retries=0)
    assert (solved.reward, idle.reward) == (1.0, 0.0), (solved, idle)


def test_what_a_program_gets_and_gives_comes_through(machine: KubernetesSandbox) -> None:
    done = machine.exec(["bash", "-c", "cat; echo oops >&2; exit 3"], stdin=b"hello")
    assert (done.stdout, done.stderr, done.exit_code) == (b"hello", b"oops\n", 3)
    assert machine.exec(["bash", "-c", "kill -SEGV $$"]).exit_code == 139
    assert machine.exec(["no-such-program"]).exit_code == 127
    assert machine.exec(["true"], cwd="/nowhere").exit_code == 126
    variable = machine.exec(["printenv", "EXTRA"], env={"EXTRA": "w ö $(id)"})
    assert variable.stdout == "w ö $(id)\n".encode()
    large = machine.exec(["sha256sum"], stdin=bytes(range(256)) * 40_000)
    assert large.stdout.startswith(b"19d6d9fa")


def test_a_program_sees_nothing_of_its_cluster(machine: KubernetesSandbox) -> None:
    with Shell(machine) as shell:
        for seen in (sh(machine, "env")[1], shell.run("env").output):
            assert "KUBERNETES" not in seen and "HOME=/root" in seen


def test_output_beyond_the_cap_is_read_and_thrown_away(machine: KubernetesSandbox) -> None:
    done = machine.exec(["bash", "-c", "head -c 5000000 /dev/zero"], max_output=1000)
    assert (len(done.stdout), done.truncated, done.exit_code) == (1000, True, 0)


@pytest.mark.parametrize(
    ("user", "number", "held"), [("root", "0", "4fb"), ("nobody", "65534", "0")]
)
def test_a_program_has_the_rights_of_its_user(
    user: str, number: str, held: str, machine: KubernetesSandbox
) -> None:
    """The eight of `EIGHT` are bits 0, 1, 3, 4, 5, 6, 7 and 10 (linux/capability.h): 0x4fb."""
    script = "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status"
    done = machine.exec(["bash", "-c", script], user=user)  # type: ignore[arg-type]
    assert done.stdout.decode().split() == [
        number, "CapEff:", held.rjust(16, "0"), "NoNewPrivs:", "1"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -t tmpfs none /mnt",
        "mount -o remount,rw /run/tmax",
        "touch /run/tmax/bash",
        "unshare -m true",
        "hostname other",
        "head -c 1 /proc/1/mem",
        "echo x >/proc/1/fd/0",
        "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) != 0)'",
    ],
)
def test_root_inside_may_not(attempt: str, machine: KubernetesSandbox) -> None:
    assert sh(machine, attempt)[0] != 0


def test_a_time_out_kills_the_whole_session(machine: KubernetesSandbox) -> None:
    script = "echo before; sleep 1234 & (sleep 1234; :) & sleep 1234"
    done = machine.exec(["bash", "-c", script], timeout=0.5)
    assert (done.exit_code, done.timed_out, done.stdout) == (124, True, b"before\n")
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


def test_keys_interrupt_and_stop_what_is_in_the_foreground(machine: KubernetesSandbox) -> None:
    terminal = machine.open_terminal()
    os.write(terminal.fd, b"stty -echo -opost; echo si''lent; stty size\n")
    read_until(terminal, b"silent\n24 80\n")
    for key, mark in ((b"\x03", b"130"), (b"\x1a", b"148")):  # 128 + SIGINT, 128 + SIGTSTP
        os.write(terminal.fd, b"bash -c 'echo star''ted; exec sleep 1000'\n")
        read_until(terminal, b"started\n")
        time.sleep(0.1)
        os.write(terminal.fd, key)
        os.write(terminal.fd, b"echo st''atus $?.\n")
        assert b"status " + mark in read_until(terminal, mark + b".")
    terminal.close()
    assert not terminal.alive()
    assert sh(machine, "pgrep -c '[s]leep'")[1] in ("0", "")


def test_nodes_come_back_as_they_were_put(machines: KubernetesBackend) -> None:
    nodes = (
        directory("/app", mode=0o750),
        Node("/app/bin", data=b"\0\xff" * 3000, mode=0o755, mtime=1_000_000_000),
        link("/app/link", "../nowhere"),
        text("/app/ü\n.txt", "x", mtime=5),
    )
    sandbox = machines.open("core", layer=Layer("k", nodes))
    assert sh(sandbox, "stat -c %a /app; truncate -s 1T /app/zparse; mkfifo /app/pipe")[0] == 0
    read = {node.path: node for node in sandbox.get(["/app"])}
    large, pipe = read.pop("/app/zparse"), read.pop("/app/pipe")
    assert (large.data, large.size) == (None, 1 << 40) and pipe.kind == "other"
    for node in nodes:
        seen = read[node.path]
        assert (seen.kind, seen.data, seen.target) == (node.kind, node.data, node.target)
        assert node.kind != "file" or (seen.mode, seen.mtime) == (node.mode, node.mtime)


def test_no_link_is_followed(machines: KubernetesBackend) -> None:
    sandbox = machines.open("core")
    sh(sandbox, "mkdir -p /app /secret; echo top >/secret/data; ln -s /secret /app/out")
    with pytest.raises(SandboxError, match="/app/out"):
        sandbox.put([text("/app/out/file", "x")])
    sandbox.freeze()
    assert sandbox.get(["/app/out/data", "/no"]) == ()
    assert [node.kind for node in sandbox.get(["/app"])] == ["dir", "link"]


HOSTILE = {
    "everything is deleted": "rm -rf --no-preserve-root / 2>/dev/null",
    "tar is replaced": "cp /bin/true /bin/tar; cp /bin/true /usr/bin/find; cp /bin/true /bin/bash",
    "a library is loaded into all": "echo /tmp/evil.so >/etc/ld.so.preload",
    "a pipe in the place of that list": "mkfifo /etc/ld.so.preload",
    "no process may start": "while :; do sleep 1000 & done 2>/dev/null",
    "the first process is killed": "kill -9 1; kill -STOP 1; kill -9 -1",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_are_read_whatever_the_agent_did(name: str, machines: KubernetesBackend) -> None:
    sandbox = machines.open("core")
    sh(sandbox, "mkdir /app; echo kept >/app/kept")
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, f"cd /app; {HOSTILE[name]}; echo do''ne\n".encode())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and select.select([terminal.fd], [], [], 1.0)[0]:
        if not (data := os.read(terminal.fd, 4096)) or b"done" in data:
            break
    sandbox.freeze()
    expected = [] if "deleted" in name else [b"kept\n"]
    assert [node.data for node in sandbox.get(["/app/kept"])] == expected
    assert not sandbox.destroyed()


def test_nothing_runs_after_a_freeze(machines: KubernetesBackend) -> None:
    sandbox = machines.open("core")
    terminal = sandbox.open_terminal()
    os.write(terminal.fd, b"while :; do date +%N >/tmp/now; done & sleep 1000\n")
    sh(sandbox, "until test -s /tmp/now; do sleep 0.01; done")
    sandbox.freeze()
    sandbox.freeze()
    first = sandbox.get(["/tmp/now"])
    time.sleep(0.1)
    assert sandbox.get(["/tmp/now"]) == first != ()
    assert not terminal.alive()
    with pytest.raises(SandboxError, match="frozen"):
        sandbox.exec(["true"])


def test_without_bash_a_new_shell_is_refused(machines: KubernetesBackend) -> None:
    sandbox = machines.open("core")
    sh(sandbox, "rm /bin/bash")
    with pytest.raises(ShellError, match="bash"):
        sandbox.open_terminal()


# Faults of a cluster


def test_the_older_protocol_works_as_well(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    fake_cluster.faults.protocols = ("v4.channel.k8s.io",)
    sandbox = machines.open("core")
    assert sandbox.exec(["cat"], stdin=b"in").stdout == b"in"


def test_a_busy_server_is_asked_again(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    fake_cluster.faults.answers = [
        ("POST", "sandboxes", 429), ("POST", "sandboxes", 500), ("DELETE", "sandboxes", 503),
        ("GET", "pods$", 410), ("GET", "pods$", 500), ("GET", "attach", 503), ("GET", "exec", 429),
    ]  # fmt: skip
    sandbox = machines.open("core")
    assert sandbox.exec(["echo", "hi"]).stdout == b"hi\n"
    sandbox.close()
    assert fake_cluster.faults.answers == []


def test_a_lost_answer_makes_no_second_machine(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    fake_cluster.faults.lost = [("POST", "sandboxes")]
    before = len(fake_cluster.sandboxes)
    sandbox = machines.open("core")
    assert fake_cluster.faults.lost == [] and len(fake_cluster.sandboxes) == before + 1
    sandbox.close()


def test_an_image_that_is_not_in_the_registry_is_an_error(machines: KubernetesBackend) -> None:
    with pytest.raises(ImageError, match=r"registry.example/tmax/nowhere:1: not found"):
        machines.open("nowhere")


Arrange = Callable[[Faults], None]


def waiting(reason: str, message: str) -> Arrange:
    return lambda faults: setattr(faults, "waiting", (reason, message))


@pytest.mark.parametrize(
    ("arrange", "kind", "told"),
    [
        (lambda f: setattr(f, "pending", True), SandboxError, "3 Insufficient memory"),
        (waiting("ImagePullBackOff", "Back-off pulling image"), ImageError, "Back-off pulling"),
        (waiting("CreateContainerConfigError", "no secret"), SandboxError, "no secret"),
        (lambda f: setattr(f, "invalid", "violates PodSecurity"), SandboxError, "PodSecurity"),
        (lambda f: f.answers.append(("POST", "sandboxes", 409)), SandboxError, "409"),
        (lambda f: f.answers.append(("POST", "sandboxes", 403)), SandboxError, "prints the rights"),
        (lambda f: f.answers.append(("GET", "attach", 500)), SandboxError, "attaching"),
    ],
)
def test_a_pod_that_does_not_start_is_an_error_and_leaves_nothing(
    arrange: Arrange, kind: type[SandboxError], told: str, fake_cluster: FakeCluster
) -> None:
    machines = fake_cluster.backend(start_seconds=1.5)
    before = set(fake_cluster.sandboxes)
    arrange(fake_cluster.faults)
    try:
        with pytest.raises(kind, match=re.escape(told)):
            machines.open("core")
        assert set(fake_cluster.sandboxes) == before
    finally:
        fake_cluster.faults = Faults()
        machines.close()


def disturbed(
    cluster: FakeCluster, machines: KubernetesBackend, act: Callable[[str], object]
) -> Trajectory:
    """Play an episode whose machine is disturbed while its solution is at work."""
    before = set(cluster.sandboxes)
    stop = threading.Event()

    def disturb() -> None:
        while not stop.wait(0.05):
            for name in set(cluster.sandboxes) - before:
                pod = cluster.pods.get(name)
                if pod and pod.streams and pod.streams.open["exec"]:
                    stop.wait(0.3)
                    act(name)
                    return

    thread = threading.Thread(target=disturb)
    thread.start()
    agent = ScriptedAgent(["echo 42 >/app/sum.txt; sleep 2", "true"])
    try:
        return rollout(sum_task(), agent, backend=machines, image="core", retries=0)
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("fault", ["exec", "attach", "killed", "evicted", "deleted"])
def test_a_fault_of_the_cluster_is_never_a_reward(
    fault: str, fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    acts: dict[str, Callable[[str], object]] = {
        "exec": lambda name: fake_cluster.cut(name, "exec"),
        "attach": lambda name: fake_cluster.cut(name, "attach"),
        "killed": fake_cluster.end,
        "evicted": lambda name: fake_cluster.end(
            name, reason="Evicted", message="The node was low on resource: memory."
        ),
        "deleted": lambda name: fake_cluster.call(lambda: fake_cluster._remove(name)),
    }
    played = disturbed(fake_cluster, machines, acts[fault])
    assert played.reward is None, played
    assert "sandbox" in played.message or "pod" in played.message, played


def test_a_machine_that_ran_out_of_memory_is_the_agents_end(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    out_of_memory = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}
    played = disturbed(fake_cluster, machines, lambda name: fake_cluster.end(name, **out_of_memory))
    assert played.reward == 0.0, played


def test_a_slow_deletion_keeps_nobody_waiting(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    sandbox = machines.open("core")
    fake_cluster.faults.deletion = 3.0
    begun = time.monotonic()
    sandbox.close()
    sandbox.close()
    assert time.monotonic() - begun < 2.0 and sandbox.id in fake_cluster.sandboxes


def test_what_could_not_be_deleted_is_deleted_later(
    fake_cluster: FakeCluster, machines: KubernetesBackend
) -> None:
    sandbox = machines.open("core")
    fake_cluster.faults.answers = [("DELETE", sandbox.id, 403)]
    sandbox.close()
    assert sandbox.id in fake_cluster.sandboxes
    machines.open("core").close()
    assert sandbox.id not in fake_cluster.sandboxes


def test_a_resource_whose_time_is_over_is_deleted_by_the_cluster(
    fake_cluster: FakeCluster,
) -> None:
    machines = fake_cluster.backend(life_seconds=2)
    sandbox = machines.open("core")
    deadline = time.monotonic() + 10
    while sandbox.id in fake_cluster.sandboxes:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with pytest.raises(SandboxError):
        sandbox.exec(["true"])
    assert not sandbox.destroyed()
    machines.close()


CHILD = """
import os, time
from tmax_gym.sandboxes.kubernetes.backend import KubernetesBackend
from tmax_gym.sandboxes.kubernetes.settings import Settings
kept = KubernetesBackend(Settings(images="r/{name}:1")).open("core")
kept.open_terminal()
print(kept.id, flush=True)
time.sleep(1000)
"""


def test_a_killed_owner_leaves_no_machine_and_the_next_one_no_resource(
    fake_cluster: FakeCluster,
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "KUBECONFIG": str(fake_cluster.kubeconfig)},
    )  # fmt: skip
    assert child.stdout
    name = child.stdout.readline().strip()
    child.send_signal(signal.SIGKILL)
    child.wait()
    machine = fake_cluster.pods[name].machine
    assert machine and machine.process.wait(10) == 99  # its input has ended
    assert name in fake_cluster.sandboxes
    fake_cluster.backend().close()
    assert name not in fake_cluster.sandboxes
