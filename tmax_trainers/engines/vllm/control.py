"""The control plane of a vLLM server: readiness, pausing, and the steps of a weight update.

Covers the endpoints that vLLM serves with `VLLM_SERVER_DEV_MODE=1` (0.32).  Does not cover
sampling (`client.py`) or how weights travel (`files.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tmax_gym.errors import EngineError
from tmax_trainers.engines.vllm.http import call

QUICK = 60.0
"""Seconds for a step that takes no time by itself; a busy server answers between two tokens."""
LOADING = 1800.0
"""Seconds for a step that scales with the model: TRL's own limit."""
INITIAL = "default"
"""vLLM's label of the weights that a server began with."""


@dataclass(frozen=True, slots=True)
class Control:
    """Talks to one server; keeps no state of its own."""

    url: str
    """Without a trailing slash, as in `http://127.0.0.1:8000`."""

    def wait(self, seconds: float, *, alive: Callable[[], None] = lambda: None) -> None:
        """Return as soon as the server answers.

        Args:
            seconds: How long to wait.
            alive: Raises where waiting has become pointless.

        Raises:
            EngineError: It did not answer in time.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            alive()
            with suppress(EngineError):
                call(f"{self.url}/health", post=False, timeout=5, tries=1)
                return
            time.sleep(0.5)
        raise EngineError(
            f"the vLLM server at {self.url} did not answer within {seconds:.0f} s; look at its log,"
            " or allow more time: the first start compiles"
        )

    def context(self) -> int:
        """Return the longest sequence, prompt and completion together."""
        models = call(f"{self.url}/v1/models", post=False, timeout=QUICK)
        return int(models["data"][0]["max_model_len"])

    def model(self) -> str:
        """Return the name that the model is served under."""
        models = call(f"{self.url}/v1/models", post=False, timeout=QUICK)
        return str(models["data"][0]["id"])

    def version(self) -> int:
        """Return the version of the weights that are sampled from now; 0 for the first ones."""
        told = call(f"{self.url}/weight_info", post=False, timeout=QUICK)
        return number(told["weight_version"])

    def pause(self) -> None:
        """Freeze the turns in flight between two tokens."""
        self._post("pause", query={"mode": "keep"})

    def resume(self) -> None:
        """Let them go on."""
        self._post("resume")

    def prepare(self, info: Mapping[str, Any]) -> None:
        """Set up the server's side of the transfer."""
        self._post("init_weight_transfer_engine", {"init_info": dict(info)}, timeout=LOADING)

    def replace(self, info: Mapping[str, Any], version: int) -> None:
        """Load what a transfer announces, and label it; turns must be paused."""
        self._post("start_weight_update")
        self._post("update_weights", {"update_info": dict(info)}, timeout=LOADING)
        self._post("finish_weight_update", {"weight_version": str(version)}, timeout=LOADING)

    def forget(self) -> None:
        """Drop what was kept of earlier prompts; frozen turns keep theirs."""
        self._post("reset_prefix_cache")

    def abort(self) -> None:
        """End every turn in flight."""
        self._post("abort_requests")

    def _post(
        self,
        step: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        timeout: float = QUICK,
    ) -> None:
        call(f"{self.url}/{step}", body, query=query, timeout=timeout, tries=1)


def number(label: str | None) -> int:
    """Return the version that a label of vLLM stands for.

    >>> number("default"), number("12")
    (0, 12)
    """
    return 0 if label in (None, "", INITIAL) else int(str(label))
