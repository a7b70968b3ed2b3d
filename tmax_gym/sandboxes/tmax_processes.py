"""Runs `tmax` command lines side by side, each in a process with a hash seed of its own.

Results that must not depend on `PYTHONHASHSEED` are computed again like this.  No isolation.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from tmax_gym.errors import SandboxError

_ENTRY = "from tmax_gym.cli import main; main()"


def run(commands: Sequence[Sequence[str]], *, first_seed: int = 1) -> tuple[str, ...]:
    """Run `tmax` with all these command lines; return outputs or raise `SandboxError`."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _ENTRY, *words],
            env={**os.environ, "PYTHONHASHSEED": str(first_seed + index)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for index, words in enumerate(commands)
    ]
    done = [process.communicate() for process in started]
    for process, words, (_, errors) in zip(started, commands, done, strict=True):
        if process.returncode:
            raise SandboxError(
                f"`tmax {' '.join(words)}` ended with status {process.returncode} in a process of "
                f"its own:\n{errors[-2000:]}"
            )
    return tuple(out for out, _ in done)
