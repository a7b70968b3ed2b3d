"""`Fleet`: an engine over one or more vLLM servers.

Episodes are distributed by load, and all turns of an episode go to the same server.  An update
covers all servers: none samples from new weights before every server has them.  Servers cannot be
added or removed.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from tmax_gym.errors import EngineError
from tmax_trainers.engines import Completion, Request
from tmax_trainers.engines.vllm.client import ServerClient
from tmax_trainers.engines.vllm.control import Control
from tmax_trainers.engines.vllm.files import written

if TYPE_CHECKING:
    import torch

REMEMBERED = 16384
"""Episodes whose server is remembered: sixteen times the 1,024 that are alive in the recipe."""


class Fleet:
    """An engine over servers of one model; can be called from many threads.

    Args:
        urls: Addresses of servers, as `tmax serve` prints them; at least one.
        timeout: Seconds for one turn.
        directory: Directory for new weights, which every server can read; shared memory by default.
        dtype: Type of new weights; their own by default.
        on_version: Called with the version of new weights while every server is still paused,
            because other processes that sample from these servers salt their turns with it.

    Raises:
        EngineError: There is no address, or an address without a server.
    """

    def __init__(
        self,
        urls: Sequence[str],
        *,
        timeout: float = 3600.0,
        directory: Path | None = None,
        dtype: torch.dtype | None = None,
        on_version: Callable[[int], None] = lambda version: None,
    ) -> None:
        if not urls:
            raise EngineError("no server is named; start one with `tmax serve MODEL`")
        self._directory, self._dtype = directory, dtype
        self._on_version = on_version
        self.servers = [ServerClient(url, timeout=timeout) for url in urls]
        self._homes: OrderedDict[str, int] = OrderedDict()
        self._busy: Counter[int] = Counter()
        self._lock = threading.Lock()

    @property
    def version(self) -> int:
        """Return the present policy version."""
        return min(server.version for server in self.servers)

    @property
    def max_length(self) -> int:
        """Return the longest sequence that every server accepts."""
        return min(server.max_length for server in self.servers)

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Sample every request, in order; block until all are done."""
        if len(requests) == 1:
            return [self._sample(requests[0])]
        with ThreadPoolExecutor(max_workers=max(len(requests), 1)) as threads:
            return list(threads.map(self._sample, requests))

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Replace the weights of every server while all of them are paused.

        If that fails, the servers stay paused, so that half-replaced weights sample no token.
        """
        controls = [server.control for server in self.servers]
        with (
            written(weights, directory=self._directory, dtype=self._dtype) as file,
            ThreadPoolExecutor(max_workers=len(controls)) as threads,
        ):
            list(threads.map(Control.pause, controls))
            list(threads.map(lambda c: c.replace({"path": str(file)}, version), controls))
            self.stamp(version)
            self._on_version(version)
            list(threads.map(Control.resume, controls))

    def stamp(self, version: int) -> None:
        """Record the version of weights that this or another process has sent."""
        for server in self.servers:
            server.version = version

    def close(self) -> None:
        """End the turns in flight; the servers keep running."""
        for server in self.servers:
            server.close()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _sample(self, request: Request) -> Completion:
        home = self._home(request.episode)
        try:
            return self.servers[home].sample(request)
        finally:
            with self._lock:
                self._busy[home] -= 1

    def _home(self, episode: str) -> int:
        """Return the server of an episode: the least busy one for a new name."""
        with self._lock:
            home = self._homes.pop(episode, -1) if episode else -1
            if home < 0:
                home = min(range(len(self.servers)), key=lambda index: (self._busy[index], index))
            if episode:
                self._homes[episode] = home
                if len(self._homes) > REMEMBERED:
                    self._homes.popitem(last=False)
            self._busy[home] += 1
            return home
