"""Jobs for fleets of the tests: importable by name in a node's process."""

import os
import time
from dataclasses import dataclass

from tmax_gym.errors import HarnessError, SandboxError
from tmax_gym.fleet.contract import Work


@dataclass(frozen=True)
class Echo:
    """Answers with its process and the request; some requests do something else."""

    seconds: float = 0.0
    digest: str = "echo"

    def open(self):
        return self

    def __call__(self, request):
        time.sleep(self.seconds)
        if request == "sandbox fails":
            raise SandboxError("the sandbox failed")
        if request == "cannot be done":
            raise HarnessError("no such harness")
        if request.startswith("once "):  # fails on the first node that gets it
            try:
                with open(request.removeprefix("once "), "x"):
                    raise SandboxError("only now")
            except FileExistsError:
                pass
        return f"{os.getpid()} {request}"

    def warm(self, environments):
        pass

    def close(self):
        pass


def works(count, *, seconds=60.0, environment=str):
    return [Work(f"w{i:03}", environment(i), f"r{i}", seconds) for i in range(count)]
