"""Two gloo ranks: a fork spares each the import of torch, which starts no thread by itself.

Does not start the process group: accelerate or `torch.distributed` does, from the environment.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import traceback
from collections.abc import Callable


def run(work: Callable[[int], None]) -> None:
    """Run `work(rank)` in two new processes at once.

    Raises:
        SystemExit: One of them failed; its traceback is on standard error.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    gc.freeze()  # a trainer starts full collections: they need not look at modules
    started = []
    for rank in range(2):
        if process := os.fork():
            started.append(process)
            continue
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2")
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        code = 1
        try:
            work(rank)
            code = 0
        finally:
            # Threads of gloo can end a process that leaves by the ordinary way (torch 2.13).
            if code:
                traceback.print_exc()
            sys.stderr.flush()
            os._exit(code)
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in started]
    if any(codes):
        raise SystemExit(f"{work} ended with {codes}")
