"""SkyRL itself: its generator plays our environment, and a scripted engine samples.

Runs with the interpreter of `.ci/trainers`; needs no GPU and no server.
"""

import asyncio
import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skyrl", reason="needs SkyRL, in an environment of its own: .ci/trainers")

import skyrl_gym.envs.registration as registration
from skyrl.train.config import GeneratorConfig, SkyRLGymConfig, SkyRLTrainConfig
from skyrl.train.dataset.dataset import PromptDataset

from tests.support.chat_policy import chat_tokenizer, replies
from tests.support.tiny_tasks import sum_task
from tmax_gym.adapters.rows import lines, rows
from tmax_gym.adapters.skyrl import TmaxGenerator
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.tasks import catalogue

ROOT = Path(__file__).parent.parent.parent


class Engine:
    """Says the next reply of a script."""

    weight_version = 0

    def __init__(self, script: Sequence[str], strike: Callable[[int], object]) -> None:
        self.tokenizer = chat_tokenizer()
        self.script = script
        self.strike = strike
        self.asked: list[list[int]] = []
        self.sampled: list[list[int]] = []

    async def generate(self, request: dict[str, Any], *, model: str | None) -> dict[str, Any]:
        (ids,) = request["prompt_token_ids"]
        stop = self.tokenizer.eos_token_id
        self.asked.append(list(ids))
        self.strike(len(self.asked))
        said = (ids.count(stop) - 2) // 2  # after two messages: a reply and what it did
        self.sampled.append([*self.tokenizer.encode(self.script[said]), stop])
        return {
            "responses": [self.script[said]],
            "response_ids": [list(self.sampled[-1])],
            "stop_reasons": ["stop"],
            "response_logprobs": [[-0.25] * len(self.sampled[-1])],
        }

    async def finish_session(self, session: str) -> None:
        """Forget the episode."""


@pytest.fixture
def registered(tiny_catalogue: str, native_backend: Backend) -> Any:
    settings = {"backend": "native", "image": "host"}
    registration.register("tmax", "tmax_gym.adapters.skyrl:TmaxEnv", kwargs=settings)
    yield
    registration.deregister("tmax")


def play(
    script: Sequence[str],
    *,
    turns: int = 5,
    longest: int = 8000,
    strike: Callable[[int], object] = lambda turn: None,
) -> tuple[dict[str, Any], Engine]:
    """Let SkyRL's generator play the task `sum` with a script."""
    engine = Engine(script, strike)
    settings = GeneratorConfig(max_turns=turns, max_input_length=longest)
    generator = TmaxGenerator(settings, SkyRLGymConfig(), engine, engine.tokenizer)
    row = {"task": "tmax/sum.plain-1"}
    batch = {"prompts": [[{"role": "user", "content": "?"}]], "env_classes": ["tmax"]}
    return asyncio.run(generator.generate({**batch, "env_extras": [row]})), engine


@pytest.mark.parametrize(("commands", "reward"), [(sum_task().oracle, 1.0), ((), 0.0)])
def test_the_verdict_is_the_reward_of_the_last_token(
    commands: Sequence[str], reward: float, registered: None
) -> None:
    out, _ = play(replies(commands))
    (rewards,) = out["rewards"]
    assert (sum(rewards), rewards[-1]) == (reward, reward)
    assert out["rollout_metrics"]["environment/turns"] == len(commands) + 1
    assert out["rollout_metrics"]["environment/graded"] == 1.0


def test_sampled_tokens_stay_as_they_were_and_they_alone_are_trained(registered: None) -> None:
    out, engine = play(replies(sum_task().oracle))
    (response,), (mask,) = out["response_ids"], out["loss_masks"]
    own = [token for token, trained in zip(response, mask, strict=True) if trained]
    assert own == [token for turn in engine.sampled for token in turn]
    assert out["prompt_token_ids"][0] + response == engine.asked[-1] + engine.sampled[-1]
    read = engine.tokenizer.decode([t for t, own in zip(response, mask, strict=True) if not own])
    assert read.count("(exit_code=0)") == len(sum_task().oracle)


def prompt() -> list[int]:
    """Return the tokens before the first reply."""
    opening = [dict(row) for row in BashHarness().opening(sum_task().instruction)]
    ids = chat_tokenizer().apply_chat_template(
        opening, add_generation_prompt=True, return_dict=False
    )
    return list(ids)


def test_the_model_reads_the_prompt_of_our_harness(registered: None) -> None:
    _, engine = play(replies(()))
    assert engine.asked == [prompt()]


def test_the_limit_of_turns_is_graded(registered: None) -> None:
    out, engine = play([*replies(sum_task().oracle)[:-1], "never"], turns=2)
    assert len(engine.asked) == 2
    assert sum(out["rewards"][0]) == 1.0


def test_an_episode_that_outgrows_the_input_is_told_apart(registered: None) -> None:
    out, _ = play(replies(sum_task().oracle), longest=len(prompt()) + 50)
    assert out["stop_reasons"] == ["length"]
    assert sum(out["rewards"][0]) == 0.0
    assert out["rollout_metrics"]["environment/graded"] == 0.0


def test_an_episode_whose_machine_fails_is_played_again(
    registered: None, machines: list[Sandbox]
) -> None:
    out, engine = play(
        replies(sum_task().oracle), strike=lambda turn: turn == 2 and machines[-1].close()
    )
    assert len(machines) == 2
    assert engine.asked[0] == engine.asked[2]
    assert sum(out["rewards"][0]) == 1.0


def test_an_episode_whose_machines_all_fail_has_no_reward(
    registered: None, machines: list[Sandbox]
) -> None:
    with pytest.raises(SandboxError):
        play(replies(()), strike=lambda turn: machines[-1].close())
    assert len(machines) == 1 + TmaxGenerator.retries


def test_its_dataset_reads_our_rows(tmp_path: Path) -> None:
    names = [name for name in catalogue.names() if name.startswith("bulk-rename.")][:2]
    file = tmp_path / "tasks.jsonl"
    file.write_text("".join(lines(names)), "utf-8")
    read = PromptDataset(str(file), chat_tokenizer(), max_prompt_length=8000, num_workers=1)
    items = [read[place] for place in range(len(read))]
    tasks = [(name, extra["task"], messages) for messages, name, extra, _ in items]
    assert tasks == [("tmax", row["task"], row["prompt"]) for row in rows(names)]


def test_the_script_of_the_tutorial_gives_it_our_generator() -> None:
    script = runpy.run_path(str(ROOT / "examples" / "train_with_skyrl.py"))
    cfg, tokenizer = SkyRLTrainConfig(), chat_tokenizer()
    experiment = script["Experiment"].__new__(script["Experiment"])
    generator = experiment.get_generator(cfg, tokenizer, Engine((), lambda turn: None))
    assert isinstance(generator, TmaxGenerator)
    assert generator.generator_cfg is cfg.generator
