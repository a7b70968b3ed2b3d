"""verl's agent loop on our tasks, with the exact tokens that its servers sampled (verl 0.9).

    actor_rollout_ref.rollout.agent.agent_loop_config_path=loop.yaml
    # loop.yaml: [{name: tmax, _target_: tmax_gym.adapters.verl.TmaxAgentLoop,
    #              options: {backend: native, limits: {max_steps: 64}}}]

Rows of `tmax export rows` name task and loop.  An episode that our infrastructure fails is
repeated, then raises: verl marks the whole group as failed, and it has no reward at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any, cast
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register

from tmax_gym.agents.async_play import AsyncPlayer, Reply
from tmax_gym.errors import ModelError
from tmax_gym.trajectory import Tokens


@register("tmax")
class TmaxAgentLoop(AgentLoopBase):  # type: ignore[misc]
    """A task as an agent loop; `options` are those of `AsyncPlayer`."""

    def __init__(self, *, options: Mapping[str, Any] | None = None, **verl: Any) -> None:
        super().__init__(**verl)
        lengths = self.rollout_config.prompt_length, self.rollout_config.response_length
        self._player = AsyncPlayer(self.tokenizer, *lengths, **(options or {}))

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Play the task that the row names; raise `TrainingError` if it has no reward."""
        episode, seconds = uuid4().hex, 0.0

        async def sample(ids: list[int], limits: dict[str, Any]) -> Reply:
            nonlocal seconds
            began = monotonic()
            out = await self.server_manager.generate(
                request_id=episode, prompt_ids=ids, sampling_params={**sampling_params, **limits}
            )
            seconds += monotonic() - began
            if out.stop_reason in ("abort", "aborted"):
                raise ModelError("verl's server gave up a turn, as it does to load new weights")
            first, last = (out.extra_fields.get(f"{end}_global_steps") for end in ("min", "max"))
            versions = [first or 0] * len(out.token_ids)
            versions[-1:] = [last or 0] * len(versions[-1:])
            return Reply(out.token_ids, out.log_probs or [0.0] * len(out.token_ids), versions)

        played = await self._player.play(row["extra_info"]["task"], sample)
        stream = cast(Tokens, played.tokens)
        start = stream.mask.index(True)
        logprobs = list(stream.logprobs[start:]) if sampling_params.get("logprobs") else None
        versions = [version for version in stream.versions if version >= 0]
        return AgentLoopOutput(
            prompt_ids=list(stream.ids[:start]),
            response_ids=list(stream.ids[start:]),
            response_mask=[int(sampled) for sampled in stream.mask[start:]],
            response_logprobs=logprobs,
            reward_score=played.reward,
            num_turns=2 * len(played.steps),
            metrics={
                "generate_sequences": seconds,
                "tool_calls": sum(step.seconds for step in played.steps),
            },
            extra_fields={"min_global_steps": min(versions), "max_global_steps": max(versions)},
        )
