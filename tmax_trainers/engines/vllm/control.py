"""Control a vLLM server: readiness, pausing, and the steps of a weight update.

The endpoints are those that vLLM 0.32 serves with `VLLM_SERVER_DEV_MODE=1`.
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
"""Seconds for a step that is fast by itself; a busy server answers between two tokens."""
LOADING = 1800.0
"""Seconds for a step whose time depends on the model, as in TRL."""
INITIAL = "default"
"""vLLM's label of a server's first weights."""


@dataclass(frozen=True, slots=True)
class Control:
    """Sends control requests to one server; has no state."""

    url: str
    """Without a trailing slash, as in `http://127.0.0.1:8000`."""

    def wait(self, seconds: float, *, alive: Callable[[], None] = lambda: None) -> None:
        """Return as soon as the server answers.

        Args:
            seconds: How long to wait.
            alive: Raises an error if the server has ended.

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

    def model(self) -> tuple[str, int]:
        """Return the name of the served model, and the length of its context."""
        models = call(f"{self.url}/v1/models", post=False, timeout=QUICK)
        return str(models["data"][0]["id"]), int(models["data"][0]["max_model_len"])

    def version(self) -> int:
        """Return the version of the present weights; 0 for the first ones."""
        info = call(f"{self.url}/weight_info", post=False, timeout=QUICK)
        return number(info["weight_version"])

    def pause(self) -> None:
        """Freeze the turns in flight between two tokens."""
        self._post("pause", query={"mode": "keep"})

    def resume(self) -> None:
        """Continue the paused turns."""
        self._post("resume")

    def replace(self, info: Mapping[str, Any], version: int) -> None:
        """Load the announced weights and label them; turns must be paused."""
        self._post("start_weight_update")
        self._post("update_weights", {"update_info": dict(info)}, timeout=LOADING)
        self._post("finish_weight_update", {"weight_version": str(version)}, timeout=LOADING)

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
    """Return the version of a weight label of vLLM.

    >>> number("default"), number("12")
    (0, 12)
    """
    return 0 if label in (None, "", INITIAL) else int(str(label))
