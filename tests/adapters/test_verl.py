"""verl itself: its worker finds our agent loop by name, and a scripted server samples.

Runs with the interpreter of `.ci/trainers`; needs no GPU and no server.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verl", reason="needs verl, in an environment of its own: .ci/trainers")

import numpy as np
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf
from transformers import LlamaConfig
from verl.experimental.agent_loop import AgentLoopWorker
from verl.protocol import DataProto
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from tests.support.chat_policy import chat_tokenizer, replies
from tests.support.tiny_tasks import sum_task
from tmax_gym.adapters.rows import lines, rows
from tmax_gym.errors import TrainingError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.tasks import catalogue

PROMPT, RESPONSE = 4000, 3000
"""Longest prompt and response; every byte is a token."""


class Server:
    """Says the next reply of a script in each episode; its weights change with every turn."""

    def __init__(self, script: Sequence[str], strike: Callable[[int], object]) -> None:
        self.tokenizer = chat_tokenizer()
        self.script = script
        self.strike = strike
        self.asked: dict[str, list[list[int]]] = {}
        self.sampled: dict[str, list[list[int]]] = {}

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> TokenOutput:
        asked = self.asked.setdefault(request_id, [])
        self.strike(len(asked) + 1)
        stop = sampling_params["stop_token_ids"]
        said = (prompt_ids.count(*stop) - 2) // 2  # after two messages: a reply and what it did
        ids = [*self.tokenizer.encode(self.script[said]), *stop]
        ids = ids[: sampling_params["max_tokens"]]
        self.sampled.setdefault(request_id, []).append(ids)
        asked.append(prompt_ids)
        step = {"min_global_steps": len(asked), "max_global_steps": len(asked)}
        return TokenOutput(
            token_ids=ids, log_probs=[-0.25] * len(ids), stop_reason="completed", extra_fields=step
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a tokenizer and the configuration of a model without weights."""
    place = tmp_path_factory.mktemp("model")
    tokenizer = chat_tokenizer()
    tokenizer.save_pretrained(place)
    config = LlamaConfig(vocab_size=len(tokenizer), hidden_size=8, num_attention_heads=1)
    config.architectures = ["LlamaForCausalLM"]
    config.save_pretrained(place)
    return place


def play(
    script: Sequence[str],
    model: Path,
    place: Path,
    *,
    response: int = RESPONSE,
    size: int = 1,
    strike: Callable[[int], object] = lambda turn: None,
) -> tuple[DataProto, Server]:
    """Let verl's worker play the task `sum` with a script, `size` times at once."""
    server = Server(script, strike)
    loop = {
        "name": "tmax",
        "_target_": "tmax_gym.adapters.verl.TmaxAgentLoop",
        "options": {"backend": "native", "image": "host", "limits": {"max_steps": 5}},
    }
    OmegaConf.save([loop], place / "loop.yaml")
    rollout = "actor_rollout_ref.rollout"
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose(
            "ppo_trainer",
            [
                f"actor_rollout_ref.model.path={model}",
                f"{rollout}.name=vllm",
                f"{rollout}.prompt_length={PROMPT}",
                f"{rollout}.response_length={response}",
                f"{rollout}.calculate_log_probs=true",
                f"{rollout}.agent.agent_loop_config_path={place / 'loop.yaml'}",
            ],
        )

    def column(value: object) -> Any:
        return np.array([value] * size, dtype=object)

    row = {"agent_name": "tmax", "extra_info": {"task": "tmax/sum.plain-1", "index": 0}}
    row["raw_prompt"] = [{"role": "user", "content": "?"}]
    batch = DataProto(non_tensor_batch={name: column(value) for name, value in row.items()})

    async def go() -> DataProto:
        return await AgentLoopWorker(config, server).generate_sequences(batch)

    return asyncio.run(go()), server


@pytest.fixture
def sums(tiny_catalogue: str, native_backend: Backend) -> str:
    return tiny_catalogue


@pytest.mark.parametrize(("commands", "reward"), [(sum_task().oracle, 1.0), ((), 0.0)])
def test_the_verdict_is_the_reward_of_the_last_token(
    commands: Sequence[str], reward: float, sums: str, model: Path, tmp_path: Path
) -> None:
    out, _ = play(replies(commands), model, tmp_path)
    scores, last = out.batch["rm_scores"][0], int(out.batch["attention_mask"][0, PROMPT:].sum()) - 1
    assert scores[last] == reward
    assert scores.sum() == reward
    assert out.non_tensor_batch["__num_turns__"].tolist() == [2 * (len(commands) + 1)]


def test_sampled_tokens_stay_as_they_were_and_they_alone_are_trained(
    sums: str, model: Path, tmp_path: Path
) -> None:
    out, server = play(replies(sum_task().oracle), model, tmp_path)
    (asked,), (sampled,) = server.asked.values(), server.sampled.values()
    start, end = (int(x.sum()) for x in out.batch["attention_mask"][0].split([PROMPT, RESPONSE]))
    ids = out.batch["input_ids"][0, PROMPT - start : PROMPT + end].tolist()
    assert ids[:start] == asked[0]
    assert [ids[: len(prompt)] for prompt in asked] == asked, "every turn continues the last one"
    assert ids == asked[-1] + sampled[-1]
    mask = out.batch["response_mask"][0, :end].bool()
    response = out.batch["responses"][0, :end]
    assert response[mask].tolist() == [token for turn in sampled for token in turn]
    assert set(out.batch["rollout_log_probs"][0, :end][mask].tolist()) == {-0.25}
    read = server.tokenizer.decode(response[~mask])
    assert read.count("<|im_start|>user\n<tool_response>\n") == len(sum_task().oracle)


def test_the_versions_of_the_weights_are_told(sums: str, model: Path, tmp_path: Path) -> None:
    out, _ = play(replies(sum_task().oracle), model, tmp_path)
    told = [out.non_tensor_batch[f"{end}_global_steps"].tolist() for end in ("min", "max")]
    assert told == [[1], [len(sum_task().oracle) + 1]]


def test_a_full_response_is_graded(sums: str, model: Path, tmp_path: Path) -> None:
    room = sum(len(reply) + 300 for reply in replies(sum_task().oracle)[:-1])
    out, _ = play([*replies(sum_task().oracle)[:-1], "x" * room], model, tmp_path, response=room)
    assert out.batch["attention_mask"][0, PROMPT:].sum() == room
    assert out.batch["rm_scores"].sum() == 1.0


def test_more_episodes_than_asyncio_has_threads_end(sums: str, model: Path, tmp_path: Path) -> None:
    out, server = play(replies(()), model, tmp_path, size=40)
    assert len(server.asked) == 40
    assert out.batch["rm_scores"].sum() == 0.0


def test_an_episode_whose_machine_fails_is_played_again(
    sums: str, model: Path, tmp_path: Path, machines: list[Sandbox]
) -> None:
    out, _ = play(
        replies(sum_task().oracle), model, tmp_path, strike=lambda turn: breaks(machines, turn == 2)
    )
    assert len(machines) == 2
    assert out.batch["rm_scores"].sum() == 1.0
    assert out.non_tensor_batch["min_global_steps"].tolist() == [3], "of the second try alone"


def test_an_episode_whose_machines_all_fail_has_no_reward(
    sums: str, model: Path, tmp_path: Path, machines: list[Sandbox]
) -> None:
    with pytest.raises(TrainingError, match="no reward after 3 tries: infra_error"):
        play(replies(()), model, tmp_path, strike=lambda turn: breaks(machines, True))


def breaks(machines: list[Sandbox], now: bool) -> None:
    if now:
        machines[-1].close()


def test_a_prompt_that_the_trainer_would_cut_is_refused(
    sums: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.adapters.test_verl.PROMPT", 100)
    with pytest.raises(TrainingError, match="raise its longest prompt"):
        play(replies(()), model, tmp_path)


def test_its_dataset_reads_our_rows(model: Path, tmp_path: Path) -> None:
    names = [name for name in catalogue.names() if name.startswith("bulk-rename.")][:2]
    file = tmp_path / "tasks.jsonl"
    file.write_text("".join(lines(names)), "utf-8")
    settings = {"max_prompt_length": PROMPT, "filter_overlong_prompts": False}
    read = RLHFDataset([str(file)], chat_tokenizer(), OmegaConf.create(settings))
    tasks = [(row["agent_name"], row["extra_info"]["task"], row["raw_prompt"]) for row in read]
    assert tasks == [("tmax", row["task"], row["prompt"]) for row in rows(names)]
