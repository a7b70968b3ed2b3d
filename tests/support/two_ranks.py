"""Two gloo ranks in one command: a fork spares one import of torch, which starts no thread itself.

Does not start the process group: accelerate or `torch.distributed` does, from the environment.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import NoReturn


def fork() -> tuple[int, int]:
    """Become two ranks; return the own rank, and on the first one the process of the other."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    other = os.fork()
    rank = 0 if other else 1
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    return rank, other


def leave(other: int) -> NoReturn:
    """End this rank; the first one waits for the other and ends with its status."""
    # Threads of gloo can end a process that leaves by the ordinary way (torch 2.13).
    sys.stderr.flush()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) if other else 0)
