"""What ends with a command that takes too long."""

import time
from collections.abc import Iterator

import pytest

from tmax_gym.sandboxes import Backend, Sandbox

HEADLESS = """
import ctypes, platform, threading, time
threading.Thread(target=time.sleep, args=[5150]).start()
print("begun", flush=True)
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)
"""
"""A program whose first thread ends: the kernel shows it as a zombie, and it goes on."""


@pytest.fixture
def machine(any_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = any_backend.open(image)
    yield opened
    opened.close()


def test_a_time_out_ends_a_program_whose_first_thread_has_ended(machine: Sandbox) -> None:
    script = '(python3 -c "$1" &) ; python3 -c "$1"; sleep 5150'
    done = machine.exec(["bash", "-c", script, "-", HEADLESS], timeout=5.0)
    assert (done.timed_out, done.stdout) == (True, b"begun\nbegun\n")
    count = "cat /proc/[0-9]*/stat | grep -c '(python3)'"
    time.sleep(0.2)
    assert machine.exec(["bash", "-c", count]).stdout == b"0\n"
