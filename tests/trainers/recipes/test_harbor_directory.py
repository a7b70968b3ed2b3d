"""One directory of Harbor tasks: trained on, and used in Gymnasium, rollouts and benchmarks."""

import io
import json
import re

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

import gymnasium as gym  # noqa: E402
from rich.console import Console  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from tests.support.trial_tasks import DOCKERFILE, trial_task, wheels  # noqa: E402
from tmax_gym import load_dataset, rollout  # noqa: E402
from tmax_gym.agents.agent import noop, oracle  # noqa: E402
from tmax_gym.cli import app  # noqa: E402
from tmax_gym.episodes.observation import SUBMIT  # noqa: E402
from tmax_gym.errors import (  # noqa: E402
    BenchError,
    RecipeError,
    TrainingError,
)
from tmax_gym.harbor.run.settings import HarborSettings  # noqa: E402
from tmax_gym.trajectory import Ending, from_json  # noqa: E402
from tmax_trainers.policies.tokenizer import WordTokenizer  # noqa: E402
from tmax_trainers.recipes import files, run  # noqa: E402
from tmax_trainers.recipes.tasks import task_book  # noqa: E402
from tmax_trainers.rollout.groups import GroupSource  # noqa: E402
from tmax_trainers.rollout.play import EpisodePlayer, PlayLimits  # noqa: E402
from tmax_trainers.rollout.records import GroupConfig  # noqa: E402
from tmax_trainers.rollout.task_order import Shuffled  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

NAMES = ("one", "three", "two")
GRADED = """\
#!/bin/bash
if grep -q hello /app/hello.txt; then reward=1; else reward=$((RANDOM % 2)); fi
echo $reward > /logs/verifier/reward.txt
"""
"""Rewards the solution and every second guess, so that groups of a new policy have signal."""


@pytest.fixture(autouse=True)
def _needs_our_image(image):
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


@pytest.fixture
def directory(tmp_path):
    place = tmp_path / "guesses"
    for name in NAMES:
        trial_task(place, name, {"tests/test.sh": GRADED})
    return place


def recipe(source, words, *overrides):
    words.write_text(WordTokenizer(["hello", "echo"]).to_json(), encoding="utf-8")
    sizes = (
        f"tasks.source={source}", "tasks.held_out=1", "warm_start=null", f"model.tokenizer={words}",
        "model.layers=1", "model.width=32", "model.heads=2", "rollouts.backend=native",
        "rollouts.groups_per_step=2", "rollouts.group_size=4", "rollouts.concurrent=4",
        "rollouts.prompt_tokens=100", "rollouts.turn_tokens=16", "rollouts.response_tokens=300",
        "optimization.micro_batches=2", "optimization.steps=2", "optimization.gain_factor=1",
        "saving.checkpoint_every=2", "saving.evaluate_every=2",
    )  # fmt: skip
    return files.read("cpu_tiny", [*sizes, *overrides])


def test_a_recipe_trains_on_a_directory_of_harbor_tasks(native_backend, directory, tmp_path):
    out = tmp_path / "run"
    outcome = run.train(
        recipe(directory, tmp_path / "words.json"), out, console=Console(file=io.StringIO())
    )
    assert outcome.steps == 2
    assert [(score.step, score.episodes) for score in outcome.scores] == [(0, 1), (2, 1)]
    played = [from_json(line) for line in (out / "rollouts.jsonl").open(encoding="utf-8")]
    assert len(played) == 2 * 2 * 4
    assert len({each.task for each in played}) == 2  # the third is held out
    assert {each.task for each in played} <= {f"guesses/{name}" for name in NAMES}
    assert {each.reward for each in played} == {0.0, 1.0}
    assert all(each.ending.graded and each.steps for each in played)
    log = json.loads((out / "checkpoint-2/trainer_state.json").read_text())["log_history"]
    assert sum("policy/logp_gap" in row for row in log) == 2


def test_the_same_directory_works_in_gym(native_backend, directory):
    dataset = load_dataset(directory)
    assert dataset.ids == tuple(f"guesses/{name}" for name in NAMES)
    env = gym.make("guesses/two", backend=native_backend)
    env.reset(seed=0)
    env.step("echo hello > hello.txt")
    _, reward, terminated, _, info = env.step(SUBMIT)
    assert (reward, terminated, info["rewards"]) == (1.0, True, {"reward": 1.0})
    env.close()


def test_the_same_directory_works_in_rollouts(native_backend, directory):
    task = load_dataset(directory).task("one")
    seen = rollout(task, oracle(task), backend=native_backend)
    assert (seen.task, seen.reward, seen.ending) == ("guesses/one", 1.0, Ending.SUBMITTED)


def test_the_same_directory_works_in_a_benchmark(native_backend, directory, tmp_path):
    out = tmp_path / "bench"
    options = ["bench", str(directory), "-a", "oracle", "-s", "native", "-o", str(out), "-j", "2"]
    assert CliRunner().invoke(app, options).exit_code == 0
    rows = [json.loads(line) for line in (out / "trials.jsonl").open(encoding="utf-8")]
    assert sorted((row["task"], row["reward"]) for row in rows) == [
        (f"guesses/{name}", 1.0) for name in NAMES
    ]


def test_what_is_held_out_of_a_directory_is_never_practised(native_backend, directory, tmp_path):
    book = task_book(recipe(directory, tmp_path / "words.json"))
    (held_out,) = book.held_out()
    practised = {next(book.practice) for _ in range(9)}
    assert practised == {f"guesses/{name}" for name in NAMES} - {held_out.name}
    assert book.find(held_out.name).digest == held_out.digest


def test_a_directory_that_is_held_out_as_a_whole_is_refused(native_backend, directory, tmp_path):
    with pytest.raises(RecipeError, match=r"Lower tasks\.held_out"):
        task_book(recipe(directory, tmp_path / "words.json", "tasks.held_out=3"))


OFFLINE = """\
#!/bin/bash
pip install pytest
python3 -m pytest /tests/test_outputs.py && reward=1
echo ${reward:-0} > /logs/verifier/reward.txt
"""
OUTPUTS = "def test_it():\n    assert 'hello' in open('/app/hello.txt').read()\n"


def test_a_recipe_says_how_the_machines_of_a_directory_are_made(native_backend, tmp_path):
    place = tmp_path / "foreign"
    changed = {
        "environment/Dockerfile": "FROM example.org/absent:1\nWORKDIR /app\n",
        "tests/test.sh": OFFLINE,
        "tests/test_outputs.py": OUTPUTS,
    }
    for name in ("one", "two"):
        trial_task(place, name, changed)
    words, packed = tmp_path / "words.json", wheels(tmp_path / "wheels")
    with pytest.raises(BenchError, match=r"example\.org/absent:1"):
        task_book(recipe(place, words))
    machines = (
        "tasks.machines.network=none",
        "tasks.machines.build_network=none",
        f"tasks.machines.wheels={packed}",
        "tasks.machines.substitutes={'example.org/absent:1': 'tmax/core:latest'}",
    )
    book = task_book(recipe(place, words, *machines))
    task = book.find(next(book.practice))
    assert task.settings == HarborSettings(
        "none", "none", packed, (("example.org/absent:1", "tmax/core:latest"),)
    )
    seen = rollout(task, oracle(task), backend=native_backend, retries=0)
    assert (seen.reward, seen.ending) == (1.0, Ending.SUBMITTED)


def test_what_a_recipe_says_of_machines_is_as_strict_and_can_be_printed(tmp_path):
    words, place = tmp_path / "words.json", tmp_path / "tasks"
    for wrong, text in (
        ("network=lan", "tasks.machines.network is 'lan', not one of: auto, none, bridge, host"),
        ("wheel=x", "tasks.machines.wheel is unknown. Did you mean wheels?"),
        ("substitutes=[a]", "tasks.machines.substitutes is ['a'], not a table of keys and values"),
    ):
        with pytest.raises(RecipeError, match=re.escape(text)):
            recipe(place, words, f"tasks.machines.{wrong}")
    chosen = recipe(place, words, "tasks.machines.substitutes={a: b}", "tasks.machines.wheels=/w")
    printed = tmp_path / "printed.yaml"
    printed.write_text(files.dump(chosen), encoding="utf-8")
    assert files.read(printed) == chosen


BROKEN = {
    "it cannot be graded": ({"tests/test.sh": "#!/bin/absent\n"}, Ending.UNGRADED),
    "it cannot be built": (
        {"environment/Dockerfile": f"{DOCKERFILE}RUN false\n"},
        Ending.INFRA_ERROR,
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_task_never_gives_a_reward_and_its_group_is_given_up(
    what, native_backend, tmp_path
):
    own, ending = BROKEN[what]
    trial_task(tmp_path, "broken", own)
    (task,) = load_dataset(tmp_path, name="ours").tasks
    known = {task.name: task}
    player = EpisodePlayer(
        known.__getitem__, lambda episode: noop(), PlayLimits(), backend=native_backend
    )
    seen = []

    def one(episode):
        seen.append(player(episode))
        return seen[-1]

    groups = GroupConfig(groups_per_step=1, group_size=2, workers=1, attempts=2, patience=2)
    source = GroupSource(one, Shuffled([task.name], seed=0), groups)
    raises = pytest.raises(TrainingError, match=f"'given_up': 2.*last loss: {ending.value}")
    with source, raises:
        source.next_batch(timeout=120)
    assert {(each.ending, each.reward) for each in seen} == {(ending, None)}
