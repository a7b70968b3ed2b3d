"""The whole demo on a small scale: real sandboxes, one family, a very small policy."""

import io
import json
from html import escape

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tmax_gym.trajectory import from_json  # noqa: E402
from tmax_trainers.cli import demo  # noqa: E402
from tmax_trainers.recipes import files, practice, run  # noqa: E402

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]


def small(*overrides):
    """One family, a few seconds of lessons, two steps.

    A policy that solved nothing would cost most: groups without a difference are played again.
    """
    sizes = (
        "tasks.families=[space-crisis]", "tasks.held_out=8", "model.width=64", "model.heads=2",
        "warm_start.lessons=40", "warm_start.tokens_per_batch=256",
        "warm_start.learning_rate=8e-3", "warm_start.steps=260",
        "rollouts.groups_per_step=2", "rollouts.group_size=8", "optimization.micro_batches=1",
        "optimization.steps=2", "saving.checkpoint_every=0",
    )  # fmt: skip
    return files.read("cpu_tiny", [*sizes, *overrides])


def console():
    return Console(file=io.StringIO(), width=200, highlight=False, soft_wrap=True)


def episodes(path):
    return [from_json(line) for line in path.open(encoding="utf-8")]


def actions(played):
    return [[step.action for step in episode.steps] for episode in played]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def screen():
    return console()


@pytest.fixture(scope="module")
def result(out, screen, native_backend):
    return demo.demo(small(), out, screen)


def test_lessons_are_oracle_episodes_that_were_graded(result, out):
    lessons = episodes(out / "lessons.jsonl")
    assert len(lessons) == 40
    assert {(e.agent, e.reward) for e in lessons} == {("oracle", 1.0)}


def test_three_tasks_of_different_families_are_shown_with_their_verdicts(result, screen):
    lines = screen.file.getvalue().splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("tmax/")]
    assert len({practice.family(name) for name in shown}) == 3
    assert sum(line.startswith("  oracle  reward 1.0") for line in lines) == 3
    assert sum(line.startswith("  noop    reward 0.0") for line in lines) == 3


def test_the_table_holds_the_means_of_the_episodes_that_are_written(result, out):
    rows = {row[0]: row for row in demo.table(result).rows}
    assert set(rows) == {"held-out tasks", "space-crisis"}
    for column, step in ((2, 0), (3, 2)):
        rewards = [e.reward for e in episodes(out / f"held_out-{step}.jsonl")]
        assert rows["held-out tasks"][column].startswith(f"{sum(rewards) / len(rewards):.3f}")


def test_the_page_holds_curves_the_verdict_and_instructions(result, out):
    html = (out / "report.html").read_text()
    assert html.count("<svg") == 2
    assert escape(result.verdict) in html
    task = result.before[0].task
    instructions = {t.name: t.instruction for t in practice.take("test", 8, seed=0,
            families=("space-crisis",))}  # fmt: skip
    assert escape(instructions[task]) in html


def test_a_run_from_the_start_keeps_nothing_of_an_earlier_one(result, out):
    (out / "held_out-0.jsonl").write_text("")
    again = demo.demo(small(), out, console())
    assert [e.reward for e in again.before] == [e.reward for e in result.before]
    assert actions(again.after) == actions(result.after)
    assert [row["reward/mean"] for row in again.run.log] == [
        row["reward/mean"] for row in result.run.log
    ]
    assert len((out / "rollouts.jsonl").read_text().splitlines()) == 2 * 2 * 8
    steps = [json.loads(line)["step"] for line in (out / "evaluations.jsonl").open()]
    assert steps == [0, 2]


@pytest.fixture(scope="module")
def still(result, tmp_path_factory):
    """A run that may not learn and whose time is up at once, and where it is."""
    out = tmp_path_factory.mktemp("still")
    recipe = small("optimization.learning_rate=0", "optimization.minutes=0")
    return run.train(recipe, out, console=console()), out


def test_a_learning_rate_of_zero_changes_nothing(still, result):
    outcome, out = still
    first, last = (episodes(out / f"held_out-{step}.jsonl") for step in (0, 1))
    assert outcome.log[0]["grad_norm"] > 0
    assert actions(first) == actions(last)
    assert [e.reward for e in first] == [e.reward for e in result.before]
    assert outcome.scores[0].reward == outcome.scores[1].reward


def test_a_run_whose_time_is_up_still_plays_the_held_out_tasks(still):
    outcome, _ = still
    assert outcome.steps == 1
    assert [score.step for score in outcome.scores] == [0, 1]


def test_no_instruction_is_in_two_parts():
    instructions = {
        part: {t.instruction for t in practice.take(part, 120, seed=3)}
        for part in ("lessons", "practice", "test")
    }
    assert len(instructions["test"]) == 120
    assert not instructions["test"] & (instructions["lessons"] | instructions["practice"])


def test_another_seed_has_other_tasks():
    one, two = ({t.name for t in practice.take("test", 40, seed=s)} for s in (0, 1))
    assert not one & two


def test_an_exhausted_part_is_reported():
    with pytest.raises(ValueError, match="ledger-clean has no more instructions for test"):
        practice.take("test", 4000, seed=0)
