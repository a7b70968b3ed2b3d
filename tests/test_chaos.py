"""Faults one by one, and a short run of many: what is graded was verified, nothing is left."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_rollout import Recorded, kill
from tests.tiny_tasks import sum_task
from tmax_gym.env import TerminalEnv
from tmax_gym.errors import SandboxError
from tmax_gym.files import text
from tmax_gym.sandboxes import Backend, Layer
from tmax_gym.sandboxes.native import NativeBackend

ROOT = Path(__file__).parent.parent


def test_a_machine_that_died_after_its_last_command_is_not_graded(native_backend: Backend) -> None:
    # What still ran in the background had no time to end: a reward would count that as failure.
    recorded = Recorded(native_backend)
    env = TerminalEnv(sum_task(), backend=recorded)
    env.reset(seed=1)
    env.step("(sleep 1; echo 42 > /app/sum.txt) &")
    kill(recorded.opened[0], native_backend)
    with pytest.raises(SandboxError, match="from outside"):
        env.step("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    env.close()


def test_freezing_twice_is_no_fault(native_backend: Backend, image: str) -> None:
    sandbox = native_backend.open(image)
    sandbox.freeze()
    sandbox.freeze()
    sandbox.close()


def zygote_of(backend: NativeBackend) -> int:
    assert backend._zygote is not None
    return int(backend._zygote._process.pid)


def test_a_killed_zygote_takes_no_file_from_a_machine_that_is_graded(image: str) -> None:
    backend = NativeBackend()
    layer = Layer("left-by-a-zygote", (text("/app/a", "a\n"),))
    graded = backend.open(image, layer=layer)
    graded.exec(["sh", "-c", "echo b > /app/b"])
    graded.freeze()
    assert backend._zygote is not None
    label = backend._zygote.label
    layers = [place for place in backend._places if "cgroup" not in str(place)]
    groups = [place for place in backend._places if "cgroup" in str(place)]
    assert any(path.is_dir() for path in layers)
    os.kill(zygote_of(backend), signal.SIGKILL)
    backend._zygote._process.wait(10)
    again = backend.open(image, layer=layer)
    assert again.exec(["cat", "/app/a"]).stdout == b"a\n"
    assert backend._zygote.label != label
    assert [place for place in groups if place.exists()] == []
    # The layer below the dead machine is there as long as that is read, and no longer.
    assert [node.data for node in graded.get(["/app/a", "/app/b"])] == [b"a\n", b"b\n"]
    graded.close()
    assert [place for place in layers if place.exists()] == []
    again.close()
    backend.close()


def test_a_full_cache_is_a_fault_of_the_machine(image: str, tmp_path: Path) -> None:
    # A limit on the size of files stops the staging as a full disk does.
    program = f"""
import resource, signal
from tmax_gym.errors import SandboxError
from tmax_gym.files import text
from tmax_gym.sandboxes import Layer
from tmax_gym.sandboxes.native import NativeBackend
backend = NativeBackend()
backend.open({image!r}).close()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
layer = Layer("large", (text("/app/large", "x" * 100_000),))
try:
    backend.open({image!r}, layer=layer)
except SandboxError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sandbox = backend.open({image!r}, layer=layer)
print(sandbox.exec(["wc", "-c", "/app/large"]).stdout.decode())
sandbox.close()
"""
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert "Make room there" in ended.stdout, ended.stderr
    assert "100000 /app/large" in ended.stdout


def test_no_descriptor_left_is_a_fault_of_the_machine(image: str) -> None:
    program = f"""
import os, resource
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.native import NativeBackend
backend = NativeBackend()
backend.open({image!r}).close()
held = len(os.listdir("/proc/self/fd"))
faults = 0
for more in range(0, 30):
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + more, 1024))
    try:
        sandbox = backend.open({image!r})
        try:
            sandbox.exec(["true"])
        finally:
            sandbox.close()
    except SandboxError:
        faults += 1
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
sandbox = backend.open({image!r})
print(faults > 3, sandbox.exec(["echo", "well"]).stdout)
sandbox.close()
print(len(os.listdir("/proc/self/fd")) - held)
"""
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout.splitlines() == ["True b'well\\n'", "0"], ended.stdout + ended.stderr


def test_a_file_that_the_host_cannot_open_is_not_absent(image: str) -> None:
    program = f"""
import os, resource
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.native import NativeBackend
backend = NativeBackend()
sandbox = backend.open({image!r})
sandbox.exec(["sh", "-c", "mkdir /app; echo 42 > /app/sum"])
sandbox.freeze()
held = max(map(int, os.listdir("/proc/self/fd"))) + 1
seen = []
for more in range(4):
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + more, 1024))
    try:
        seen.append(len(sandbox.get(["/app"])))
    except SandboxError:
        seen.append("refused")
print(seen)
"""
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    refused = ended.stdout.count("'refused'")
    assert refused > 0, ended.stdout + ended.stderr
    # All or nothing: never a part of what is there.
    assert ended.stdout.count("2") == 4 - refused, ended.stdout + ended.stderr


def chaos(*words: str) -> dict[str, dict[str, float]]:
    """Run the benchmark; return its targets."""
    script = str(ROOT / "benchmarks" / "chaos.py")
    ended = subprocess.run(
        [sys.executable, script, *words], capture_output=True, text=True, cwd=ROOT, timeout=280
    )
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-4000:]
    found: dict[str, dict[str, float]] = json.loads(ended.stdout.splitlines()[-1])["targets"]
    return found
