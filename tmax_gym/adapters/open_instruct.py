"""Our tasks as a text environment of open-instruct, which makes a Ray actor of it.

    import runpy, tmax_gym.adapters.open_instruct   # with --tools tmax --reward_aggregator last
    runpy.run_module("open_instruct.grpo_fast", run_name="__main__")

Written for its commit e6c3044; tested with its classes and its actors, never with its rollout,
which needs vLLM.  Rows of `tmax export rows` name the task.  There an exception of a step becomes
text for the model and reward 0.  So after a failure of our infrastructure the actor refuses
`get_metrics` too, which ends the episode without a result, and open-instruct's run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from open_instruct.environments.base import BaseEnvConfig, StepResult, TextRLEnvironment
from open_instruct.environments.tools.tools import TOOL_REGISTRY
from openenv.core.env_server.types import State

from tmax_gym.agents.driven import DrivenEpisode
from tmax_gym.agents.harnesses.bash import BashHarness, Dialect
from tmax_gym.errors import TmaxError


class TmaxTextEnv(TextRLEnvironment):  # type: ignore[misc]
    """A terminal and a task, in the harness `bash`.

    An actor plays one episode at a time in a process of its own, so its calls may block.
    """

    config_name = "tmax"

    def __init__(self, *, dialect: Dialect = "hermes", call_name: str = "", **options: Any) -> None:
        self._dialect, self._options = dialect, options
        self._task = ""
        self._episode: DrivenEpisode | None = None
        self._failure: TmaxError | None = None

    async def _reset(self, *, task: str, **_: Any) -> StepResult:
        """Start the machine; the row has the messages before the first reply."""
        await self.close()
        self._task, self._failure = task, None
        self._episode = DrivenEpisode(task, BashHarness(self._dialect), **self._options)
        return StepResult(result=str(self._episode.open()[-1]["content"]))

    async def text_step(self, text: str) -> StepResult:
        """Do what a reply asks for; the last step has the verdict as its reward."""
        if self._failure is not None or self._episode is None:
            raise self._failure or RuntimeError("no episode is running: call reset() first")
        try:
            answer = self._episode.reply(text)
        except TmaxError as error:
            self._failure = error
            raise
        return StepResult(
            result="\n\n".join(str(message["content"]) for message in answer.messages),
            reward=answer.reward or 0.0,
            done=answer.reward is not None,
        )

    def get_metrics(self) -> dict[str, float]:
        """Return the number of turns; raise the failure of an episode that has no reward."""
        if self._failure is not None:
            raise self._failure
        return {"turns": float(self._episode.turns if self._episode else 0)}

    def state(self) -> State:
        """Return the task and the number of turns."""
        return State(episode_id=self._task, step_count=self._episode.turns if self._episode else 0)

    async def close(self) -> None:
        """Destroy the machine."""
        if self._episode is not None:
            self._episode.close()


@dataclass
class TmaxTextEnvConfig(BaseEnvConfig):  # type: ignore[misc]
    """The options of `--tool_configs`; see `DrivenEpisode`."""

    tool_class: ClassVar[type[TextRLEnvironment]] = TmaxTextEnv
    dialect: Dialect = "hermes"
    backend: str = "auto"
    image: str | None = None
    max_steps: int = 64


TOOL_REGISTRY[TmaxTextEnv.config_name] = TmaxTextEnvConfig
