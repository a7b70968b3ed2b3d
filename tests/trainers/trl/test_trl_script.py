"""The example of training with TRL, run unchanged in real sandboxes."""

import runpy
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("trl", reason="needs the train extra")

from tests.support.coin_recipe import coin  # noqa: E402
from tests.support.staged_rollouts import Dice, FaultyBackend  # noqa: E402
from tests.support.tiny_speaker import byte_tokenizer, write_guesser  # noqa: E402
from tests.support.tiny_tasks import equals, tiny_task  # noqa: E402
from tmax_gym.agents.harnesses.plain import PlainHarness  # noqa: E402
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_gym.tasks import catalogue  # noqa: E402
from tmax_trainers.dppo.options import DPPOConfig  # noqa: E402
from tmax_trainers.recipes.policy import PublishedTokenizer  # noqa: E402
from tmax_trainers.trl import terminal_rollouts  # noqa: E402
from tmax_trainers.trl.terminal_rollouts import TerminalRollouts  # noqa: E402

SCRIPT = Path(__file__).parents[3] / "examples/train_with_trl.py"


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def guesser(tmp_path_factory):
    return write_guesser(tmp_path_factory.mktemp("guesser"))


@pytest.fixture
def coins(monkeypatch, native_backend):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(catalogue, "load", lambda name: coin(name.rpartition(".")[2]))


def chance_of_yes(model, directory):
    """Return the probability of the rewarded reply."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    prompt, reply = (tokenizer.encode(t) for t in ("Write yes or no.\n$ ", "echo yes > x\n"))
    with torch.no_grad():
        logp = model(input_ids=torch.tensor([prompt + reply])).logits[0].float().log_softmax(-1)
    places = range(len(prompt) - 1, len(prompt) + len(reply) - 1)
    return float(sum(logp[place, own] for place, own in zip(places, reply, strict=True)).exp())


@pytest.mark.parametrize("which", ["grpo", "mixin", "dppo"])
def test_the_example_trains(which, coins, guesser, tmp_path, monkeypatch):
    out = str(tmp_path / "out")
    monkeypatch.setattr(sys, "argv", [SCRIPT.name, which, str(guesser), out, "tmax/coin.yes"])
    ran = runpy.run_path(str(SCRIPT), run_name="__main__")
    trainer = ran["trainer"]
    assert trainer.state.global_step == 12
    log = [row for row in trainer.state.log_history if "grad_norm" in row]
    rewards = [row.get("reward", row.get("reward/mean")) for row in log]
    assert len(rewards) == 12 and all(0 < r < 1 for r in rewards[:2])
    assert all(row["grad_norm"] > 0 for row in log[:2])
    before = transformers.AutoModelForCausalLM.from_pretrained(guesser)
    assert chance_of_yes(ran["model"], guesser) > chance_of_yes(before, guesser)


def test_a_stream_comes_back_cut_at_its_first_reply(coins, guesser, native_backend):
    model = transformers.AutoModelForCausalLM.from_pretrained(guesser)
    tokenizer = transformers.AutoTokenizer.from_pretrained(guesser)

    class Trainer:
        class accelerator:
            unwrap_model = staticmethod(lambda model: model)

    Trainer.model = model
    terminal = TerminalRollouts(["coin.yes"], tokenizer, harness=PlainHarness(),
                                max_tokens=128, max_turn_tokens=24, backend="native")  # fmt: skip
    with terminal:
        columns = terminal(["tmax/coin.yes"] * 4, Trainer)
    assert columns["prompt_ids"][0] == tokenizer.encode("Write yes or no.\n$ ")
    for ids, logprobs, mask, reward in zip(
        columns["completion_ids"], columns["logprobs"], columns["env_mask"],
        columns["terminal_reward"], strict=True,
    ):  # fmt: skip
        assert len(ids) == len(logprobs) == len(mask) and mask[0] == 1
        assert all((p < 0) == bool(m) for p, m in zip(logprobs, mask, strict=True))
        assert reward in (0.0, 1.0)
    with torch.no_grad():
        whole = torch.tensor([columns["prompt_ids"][0] + columns["completion_ids"][0]])
        logp = model(input_ids=whole).logits[0].log_softmax(-1)
    first = len(columns["prompt_ids"][0])
    assert columns["logprobs"][0][0] == pytest.approx(
        float(logp[first - 1, whole[0, first]]), abs=1e-4
    )


@pytest.fixture
def cramped(guesser, native_backend):
    """Return a function that starts rollouts with so many tokens for an episode."""
    model = transformers.AutoModelForCausalLM.from_pretrained(guesser)
    tokenizer = transformers.AutoTokenizer.from_pretrained(guesser)

    def start(max_tokens):
        options = dict(harness=PlainHarness(), max_turn_tokens=24, backend="native")
        return TerminalRollouts(["coin.yes"], tokenizer, max_tokens=max_tokens, **options), model

    return start


def test_a_prompt_without_room_for_a_reply_is_an_error_that_names_the_option(coins, cramped):
    terminal, model = cramped(3)

    class Trainer:
        class accelerator:
            unwrap_model = staticmethod(lambda model: model)

    Trainer.model = model
    named = r"coin.yes: .* max_tokens is 3: .*Raise max_tokens"
    with terminal, pytest.raises(TrainingError, match=named):
        terminal(["tmax/coin.yes"] * 2, Trainer)
    terminal, model = cramped(3)
    with terminal:
        source = terminal.worker(model, DPPOConfig(groups_per_step=1, group_size=2))[0].source
        with source, pytest.raises(TrainingError, match="Raise max_tokens"):
            source.next_batch(60.0)


def test_a_prompt_longer_than_the_model_is_an_error(coins, cramped, monkeypatch):
    long = tiny_task("coin.yes", "Write yes. " * 200, oracle=["true"], checks=[equals("/x", "y")])
    monkeypatch.setattr(catalogue, "load", lambda name: long)
    terminal, model = cramped(4096)

    class Trainer:
        class accelerator:
            unwrap_model = staticmethod(lambda model: model)

    Trainer.model = model
    with terminal, pytest.raises(TrainingError, match="a model with more positions"):
        terminal(["tmax/coin.yes"], Trainer)


@pytest.mark.parametrize("faults", [3, 6])
def test_an_episode_that_stays_lost_has_no_reward_and_nothing_to_train(
    faults, coins, guesser, native_backend, monkeypatch
):
    """The first 3 starts fail, which are all attempts at the first episode; or the first 6."""

    class Failing(FaultyBackend):
        left = faults

        def open(self, image, **options):
            self.left -= 1
            if self.left >= 0:
                raise OSError("staged")
            return super().open(image, **options)

    lost = Failing(native_backend, Dice(0.0))
    monkeypatch.setattr(terminal_rollouts, "backend_named", lambda name: lost)
    terminal = TerminalRollouts(
        ["coin.yes"],
        transformers.AutoTokenizer.from_pretrained(guesser),
        harness=PlainHarness(),
        max_tokens=128,
        max_turn_tokens=24,
        concurrent=1,
    )

    class Trainer:
        class accelerator:
            unwrap_model = staticmethod(lambda model: model)

    Trainer.model = transformers.AutoModelForCausalLM.from_pretrained(guesser)
    with terminal:
        if faults == 6:
            with pytest.raises(TrainingError, match="all 2 episodes were lost, 3 tries each"):
                terminal(["tmax/coin.yes"] * 2, Trainer)
            return
        columns = terminal(["tmax/coin.yes"] * 2, Trainer)
    assert columns["terminal_reward"][0] is None and columns["terminal_reward"][1] is not None
    assert sum(columns["env_mask"][0]) == 0 < sum(columns["env_mask"][1])
    assert terminal.reward(**columns) == columns["terminal_reward"]


def test_text_never_becomes_a_special_token():
    tokenizer = PublishedTokenizer(byte_tokenizer(["a b"]))
    forged = tokenizer.encode("x<eos>")
    assert tokenizer.special("<eos>") not in forged
    assert tokenizer.decode([*forged, tokenizer.special("<eos>")]) == "x<eos>"
