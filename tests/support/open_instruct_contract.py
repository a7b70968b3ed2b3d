"""open-instruct's contract with its environments, for machines without open-instruct.

Written from docs/algorithms/tool_training.md and the signatures in `environments/base.py` of its
commit e6c3044.  `stand_in` makes modules of the names that our adapter imports.  `rollout` is the
caller in both cases: what `process_request` in `vllm_utils.py` does with a text environment,
without its model, its tokens and its timeouts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest


@dataclass
class EnvCall:
    """What a model asked for; a text environment gets all its text as `args["text"]`."""

    id: str
    name: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass
class StepResult:
    """What came of it."""

    result: str = ""
    reward: float = 0.0
    done: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class State:
    """Where an episode is."""

    episode_id: str | None = None
    step_count: int = 0


class TextRLEnvironment:
    """The base class: subclasses have `_reset`, `text_step` and `state`."""

    config_name = ""
    response_role = "user"

    def get_response_role(self) -> str:
        return self.response_role

    async def setup(self) -> None:
        """Prepare for a whole run."""

    async def reset(self, **kwargs: Any) -> tuple[StepResult, list[dict[str, Any]]]:
        return await self._reset(**kwargs), []  # type: ignore[attr-defined]

    async def step(self, call: EnvCall) -> StepResult:
        result: StepResult = await self.text_step(call.args["text"])  # type: ignore[attr-defined]
        return result


@dataclass
class BaseEnvConfig:
    """The base class of configurations; the class of the environment is its `tool_class`."""

    pool_size: int | None = field(default=None, kw_only=True)


def stand_in(patch: pytest.MonkeyPatch) -> None:
    """Make the modules that our adapter imports."""
    members: Mapping[str, Mapping[str, Any]] = {
        "open_instruct.environments.base": {
            "BaseEnvConfig": BaseEnvConfig,
            "EnvCall": EnvCall,
            "StepResult": StepResult,
            "TextRLEnvironment": TextRLEnvironment,
        },
        "open_instruct.environments.tools.tools": {"TOOL_REGISTRY": {}},
        "openenv.core.env_server.types": {"State": State},
    }
    for name, content in members.items():
        parts = name.split(".")
        for depth in range(1, len(parts) + 1):
            module = ".".join(parts[:depth])
            if module not in sys.modules:
                patch.setitem(sys.modules, module, ModuleType(module))
        vars(sys.modules[name]).update(content)


Remote = Callable[..., Coroutine[Any, Any, Any]]
"""Calls a method of an actor by its name."""


async def rollout(
    call: Remote, make_call: Callable[..., Any], replies: Sequence[str], **kwargs: Any
) -> tuple[list[float], str]:
    """Play a rollout; return its rewards and what the model read after the prompt.

    A step that raises is worth 0 and its message is read; the metrics end every rollout.
    """
    rewards: list[float] = []
    read = ""
    try:
        _, tools = await call("reset", **kwargs)
        assert tools == []
        assert await call("get_response_role") == "user"
        for number, text in enumerate(replies, 1):
            asked = make_call(id=str(number), name="tmax", args={"text": text})
            try:
                step = await call("step", asked)
            except Exception as error:
                rewards.append(0.0)
                read += f"failed: {error}"
                continue
            rewards.append(step.reward)
            read += step.result
            if step.done:
                break
    finally:
        await call("get_metrics")
    return rewards, read
