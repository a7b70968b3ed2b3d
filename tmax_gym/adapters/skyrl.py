"""Our tasks as an environment of SkyRL-Gym, and SkyRL's generator with retries (SkyRL 0.3).

    register("tmax", "tmax_gym.adapters.skyrl:TmaxEnv", kwargs={"backend": "native"})
    generator.max_turns=64 generator.use_conversation_multi_turn=true environment.env_class=tmax

Rows of `tmax export rows` name the task.  If our infrastructure fails, a step raises, and SkyRL's
run would end; `TmaxGenerator` plays that episode again first.  An episode that outgrows
`generator.max_input_length` ends ungraded inside SkyRL, with reward 0.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from skyrl.train.generators.skyrl_gym_generator import SkyRLGymGenerator
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from tmax_gym.agents.driven import Answer, DrivenEpisode
from tmax_gym.agents.harnesses.bash import BashHarness, Dialect
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, Unbuildable, Ungraded


class TmaxEnv(BaseTextEnv):  # type: ignore[misc]
    """A terminal and a task, in the harness `bash`.

    `kwargs` of `register`: `dialect`, and those of `DrivenEpisode`.  The limit of steps is
    `generator.max_turns`.
    """

    def __init__(
        self,
        env_config: Any,
        extras: Mapping[str, Any],
        *,
        dialect: Dialect = "hermes",
        **options: Any,
    ) -> None:
        super().__init__()
        options.setdefault("max_steps", extras["max_turns"])
        self._episode = DrivenEpisode(extras["task"], BashHarness(dialect), **options)
        self._answer = Answer()

    def init(self, prompt: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Start the machine; return the messages before the first reply."""
        return [dict(message) for message in self._episode.open()], {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Do what a reply asks for; the last step has the verdict as its reward."""
        self._answer = answer = self._episode.reply(action)
        return BaseTextEnvStepOutput(
            observations=[dict(message) for message in answer.messages],
            reward=answer.reward or 0.0,
            done=answer.reward is not None,
            metadata={"ending": str(answer.ending)},
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the number of turns, and whether the episode was graded."""
        return {"turns": self._episode.turns, "graded": self._answer.reward is not None}

    def close(self) -> None:
        """Destroy the machine."""
        self._episode.close()


class TmaxGenerator(SkyRLGymGenerator):  # type: ignore[misc]
    """A generator that plays an episode again if our infrastructure fails; see `get_generator`."""

    retries = 2

    async def agent_loop(self, *args: Any, **kwargs: Any) -> Any:
        """Play one episode; raise what the last attempt raises."""
        for _ in range(self.retries):
            try:
                return await super().agent_loop(*args, **kwargs)
            except (BackendUnavailable, ImageError, Unbuildable):
                raise
            except (SandboxError, Ungraded) as error:
                logging.getLogger(__name__).warning("an episode is played again: %s", error)
        return await super().agent_loop(*args, **kwargs)
