"""The screen of a training run: a table that is rewritten on a terminal, one line a step elsewhere.

It has no curves: `report_to` sends every metric to trackio, wandb or tensorboard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
from rich.console import Console
from rich.live import Live
from rich.table import Table
from transformers import TrainerCallback

PEAK = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "B200": 2250e12}
"""Dense bfloat16 operations a second, from the vendor's data sheets."""


def rows(
    log: Mapping[str, float], now: Mapping[str, float], seconds: float, *, flops: float = 0.0
) -> list[tuple[str, str]]:
    """Return the names and values that the screen shows of a step.

    Args:
        log: Its log line.
        now: What happens at this moment: `queue`, and `start`, `command`, `verifier`, `sample`.
        seconds: That the step took.
        flops: Of the model for a trained token over those that the GPU has a second; 0: unknown.
    """
    error = 1.96 * log.get("reward/standard_error", 0.0)
    blocked = log.get("policy/blocked_high", 0.0) + log.get("policy/blocked_low", 0.0)
    speed = log.get("policy/tokens_total", 0.0) / seconds if seconds > 0 else 0.0
    shown = [
        ("reward", f"{log['reward/mean']:.3f} ± {error:.3f}"),
        ("solved", f"{100 * log.get('reward/solved', 0.0):.1f} %"),
        ("groups dropped", f"{100 * log.get('groups/filtered', 0.0):.0f} %"),
        ("episodes lost", f"{100 * log.get('episodes/lost', 0.0):.1f} %"),
        ("outside the trust region", f"{100 * blocked:.2f} %"),
        ("|log π − log μ|", _gap(log, "policy/logp_gap")),
        ("of the present weights", _gap(log, "policy/present_gap")),
        ("KL(μ‖π)", f"{log.get('policy/k1', 0.0):.5f}"),
        ("entropy", f"{log.get('policy/entropy', 0.0):.3f}"),
        ("staleness", f"{log.get('staleness/mean', 0.0):.1f}"),
        ("waiting samples", f"{now.get('queue', 0):.0f}"),
        ("sandboxes", " ".join(f"{part} {now.get(part, 0):.0f}" for part in
                               ("start", "sample", "command", "verifier"))),
        ("trained tokens/s", f"{speed:.0f}"),
    ]  # fmt: skip
    if flops > 0:
        shown.append(("MFU", f"{100 * speed * flops:.1f} %"))
    return shown


def _gap(log: Mapping[str, float], name: str) -> str:
    """Return mean and greatest of a gap in words."""
    if name not in log:
        return "-"
    return f"{log[name]:.5f}, at most {log.get(f'{name}_max', log[name]):.3f}"


def peak_of(name: str) -> float:
    """Return the operations a second of a GPU by its name, or 0."""
    return next((peak for known, peak in PEAK.items() if known in name), 0.0)


class LiveScreen(TrainerCallback):  # type: ignore[misc]
    """Shows every log line of a run.

    Args:
        now: Returns what happens at this moment.
        console: Where; standard output if None.
    """

    def __init__(
        self, now: Callable[[], Mapping[str, float]], console: Console | None = None
    ) -> None:
        self._now = now
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._live: Live | None = None
        self._began = time.monotonic()
        self._flops = 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take over the terminal, where there is one."""
        if not state.is_world_process_zero:
            return
        model = kwargs.get("model")
        if torch.cuda.is_available() and model is not None:
            peak = peak_of(torch.cuda.get_device_name())
            # Six operations a weight and token: forward once, backward twice, two each.
            self._flops = 6 * sum(p.numel() for p in model.parameters()) / peak if peak else 0.0
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False)
            self._live.start()
        self._began = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Show a log line."""
        log = kwargs["logs"]
        if "reward/mean" not in log or not state.is_world_process_zero:
            return
        seconds, self._began = time.monotonic() - self._began, time.monotonic()
        values = rows(log, self._now(), seconds, flops=self._flops)
        title = f"step {state.global_step} of {state.max_steps}, {seconds:.1f} s"
        if self._live is None:
            self._console.print(f"{title}: " + ", ".join(" ".join(row) for row in values))
            return
        table = Table(title=title, show_header=False)
        for row in values:
            table.add_row(*row)
        self._live.update(table, refresh=True)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Give the terminal back."""
        if self._live is not None:
            self._live.stop()
