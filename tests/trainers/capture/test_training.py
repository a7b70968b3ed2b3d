"""Harnesses as they are, trained through the endpoint."""

import io
import sys
from importlib.util import find_spec

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tests.support.captured_play import replies, spoken, write_caller  # noqa: E402
from tests.support.coin_recipe import CoinBook, coin, coin_recipe  # noqa: E402
from tmax_gym.agents.harnesses import mini  # noqa: E402
from tmax_gym.errors import HarnessError, RecipeError  # noqa: E402
from tmax_gym.trajectory import Ending, from_json  # noqa: E402
from tmax_trainers.policies.tokenizer import WordTokenizer  # noqa: E402
from tmax_trainers.recipes import run  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")
HARNESSES = ("mini", "openhands", "terminus2", "bash")


def needed(harness, image):
    if harness == "mini":
        pytest.importorskip("minisweagent", reason="needs tmax-gym[mini]")
    if harness == "terminus2" and image == "host":
        pytest.skip("needs tmux, which image core has")


@pytest.mark.parametrize("harness", HARNESSES)
def test_an_episode_of_a_harness_is_one_sequence_in_which_the_replies_are_trained(
    harness, native_backend, image
):
    needed(harness, image)
    tokenizer = WordTokenizer([])
    said = replies(harness, "echo yes > x")
    played = spoken(harness, coin("yes"), said, tokenizer=tokenizer, backend=native_backend)
    assert (played.reward, played.ending, played.agent) == (1.0, Ending.SUBMITTED, harness)
    tokens = played.tokens
    assert tokens.starts == (0,)
    mine = [token for token, own in zip(tokens.ids, tokens.mask, strict=True) if own]
    stop = tokenizer.special("<|im_end|>")
    assert mine == [i for text in said for i in (*tokenizer.encode(text), stop)]


def test_a_harness_that_forgets_a_refused_reply_has_a_second_sequence(native_backend, image):
    needed("mini", image)
    said = ("I would rather not.", *replies("mini", "echo yes > x"))
    played = spoken("mini", coin("yes"), said, tokenizer=WordTokenizer([]), backend=native_backend)
    assert played.reward == 1.0
    first, second = played.tokens.sequences()
    text = WordTokenizer([]).decode([i for i, m in zip(first.ids, first.mask, strict=True) if m])
    assert text == "I would rather not."
    assert sum(second.mask) > sum(first.mask) > 0


def test_a_recipe_trains_the_policy_in_a_harness_as_it_is(native_backend, tmp_path, monkeypatch):
    harness = "mini" if find_spec("minisweagent") else "openhands"
    monkeypatch.setattr(run, "task_book", CoinBook)
    write_caller(tmp_path / "model", harness, native_backend, room=4000)
    recipe = coin_recipe(
        f"harness.name={harness}", "harness.dialect=hermes", "warm_start=null",
        f"model.init={tmp_path / 'model'}", "rollouts.prompt_tokens=3000",
        "rollouts.response_tokens=1000", "rollouts.turn_tokens=60", "rollouts.max_steps=4",
        "rollouts.groups_per_step=1", "optimization.steps=1", "saving.evaluate_every=0",
        "saving.checkpoint_every=0",
    )  # fmt: skip
    before = (tmp_path / "model/model.safetensors").read_bytes()
    console = Console(file=io.StringIO(), force_terminal=False, width=200)
    outcome = run.train(recipe, tmp_path / "run", console=console)
    assert outcome.steps == 1
    episodes = [from_json(line) for line in (tmp_path / "run/rollouts.jsonl").open()]
    assert {e.agent for e in episodes} == {harness}
    assert {e.reward for e in episodes} == {0.0, 1.0}
    assert all(e.ending.graded for e in episodes)
    (row,) = outcome.log
    # A synchronous step starts where its tokens were sampled: nothing has drifted.
    assert row["policy/logp_gap"] < 1e-5
    assert row["policy/ratio_max"] == pytest.approx(1, abs=1e-4)
    assert row["grad_norm"] > 0
    assert before == (tmp_path / "model/model.safetensors").read_bytes()


def test_lessons_and_dialects_that_a_harness_has_not_are_refused():
    with pytest.raises(RecipeError, match="warm_start=null"):
        coin_recipe("harness.name=openhands")
    with pytest.raises(RecipeError, match="only bash reads fenced"):
        coin_recipe("harness.name=openhands", "harness.dialect=fenced", "warm_start=null")


def test_a_missing_package_is_told_before_any_episode(monkeypatch, native_backend):
    monkeypatch.setitem(sys.modules, "minisweagent", None)
    mini._settings.cache_clear()
    with pytest.raises(HarnessError, match=r"tmax-gym\[mini\]"):
        spoken("mini", coin("yes"), (), tokenizer=WordTokenizer([]), backend=native_backend)
    mini._settings.cache_clear()
