"""The demo from beginning to end, in miniature: real sandboxes, one family, a very small policy."""

import io
import json
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tmax_gym.trajectory import from_json  # noqa: E402
from tmax_trainers.demo import demo, page  # noqa: E402
from tmax_trainers.demo.learning import PractiseConfig, WarmConfig, weights_digest  # noqa: E402
from tmax_trainers.demo.play import Arena, one_thread  # noqa: E402
from tmax_trainers.demo.screen import Screen  # noqa: E402
from tmax_trainers.recipes import practice  # noqa: E402

QUIET = Screen(quiet=True)


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """One family and a probe that is content when one task in ten is solved: seconds."""
    return demo.DemoConfig(
        out=tmp_path_factory.mktemp("demo"),
        families=("space-crisis",),
        lessons=160,
        tests=12,
        held_out=4,
        probes=20,
        warm=WarmConfig(width=64, tokens_per_batch=256, learning_rate=4e-3, steps=700,
                        every=50, target=0.1, probe_accuracy=0.95),
        practise=PractiseConfig(groups=2, group_size=8, micro_batches=1, steps=2),
    )  # fmt: skip


@pytest.fixture(scope="module")
def arena(native_backend, image):
    return Arena(native_backend, image)


@pytest.fixture(scope="module")
def warm(config, arena):
    with one_thread(), demo.prepared(config, arena, QUIET) as prepared:
        yield prepared


@pytest.fixture(scope="module")
def learned(warm, config, arena):
    return demo.learn(warm, config, arena, screen=QUIET)


def test_lessons_are_oracle_episodes_that_were_graded(warm, config):
    lessons = [from_json(line) for line in (config.out / "lessons.jsonl").open()]
    assert len(lessons) == config.lessons
    assert {(e.agent, e.reward) for e in lessons} == {("oracle", 1.0)}


def test_the_warm_start_ends_when_the_probe_is_content(warm, config):
    rewards = [reward for _, reward in warm.probes]
    assert rewards[-1] >= config.warm.target > max(rewards[:-1], default=0.0)


def test_practice_moves_the_weights_and_leaves_the_warm_policy(warm, learned, config):
    assert [p.step for p in learned.points] == [1, 2]
    assert all(0 < p.reward < 1 and p.kept == 2 for p in learned.points)
    assert learned.weights != weights_digest(warm.model)
    size = config.practise.groups * config.practise.group_size
    assert len(learned.practice) >= 2 * size
    assert all(e.tokens is not None and e.reward is not None for e in learned.practice)


def test_the_same_seed_learns_the_same_bits(warm, learned, config, arena):
    again = demo.learn(warm, config, arena, screen=QUIET)
    assert again.weights == learned.weights
    assert [p.reward for p in again.points] == [p.reward for p in learned.points]
    assert [e.tokens for e in again.practice] == [e.tokens for e in learned.practice]
    assert [e.reward for e in again.after.test] == [e.reward for e in learned.after.test]


def test_a_learning_rate_of_zero_changes_nothing(warm, config, arena):
    still = replace(config, practise=replace(config.practise, learning_rate=0.0))
    found = demo.learn(warm, still, arena, screen=QUIET)
    assert found.weights == weights_digest(warm.model)
    assert [e.tokens.ids for e in found.after.test] == [e.tokens.ids for e in warm.before.test]
    assert [e.reward for e in found.after.test] == [e.reward for e in warm.before.test]


def test_the_report_and_the_results_are_written(warm, learned, config):
    outcome = page.Outcome(
        seed=0,
        learning_rate=config.practise.learning_rate,
        lessons=config.lessons,
        probes=warm.probes,
        points=learned.points,
        before=warm.before,
        after=learned.after,
        weights=(weights_digest(warm.model), learned.weights),
        seconds=1.0,
        peak_mb=1,
    )
    told = page.instructions(warm.tests)
    page.write(config.out, outcome, shown=(), practice=learned.practice, instructions=told)
    html = (config.out / "report.html").read_text()
    assert html.count("<svg") == 2
    assert str(outcome.before.reward) in html
    assert warm.tests[0].instruction.replace("'", "&#x27;") in html
    result = json.loads((config.out / "demo.json").read_text())
    assert len(result["points"]) == 2
    rewards = [e.reward for e in outcome.before.test]
    mean = result["evaluated"]["held-out tasks"]["before"]["mean"]
    assert mean == pytest.approx(sum(rewards) / len(rewards))
    for name, episodes in (("before", warm.before), ("after", learned.after)):
        lines = (config.out / f"{name}.jsonl").read_text().splitlines()
        assert [from_json(line) for line in lines] == [*episodes.test, *episodes.held_out]


def test_no_instruction_is_in_two_parts():
    said = {
        part: {t.instruction for t in practice.take(part, 120, seed=3)}
        for part in ("lessons", "practice", "probe", "test")
    }
    assert len(said["test"]) == 120
    assert not said["test"] & (said["lessons"] | said["practice"] | said["probe"])
    assert not said["probe"] & (said["lessons"] | said["practice"])


def test_another_seed_has_other_tasks():
    one, two = ({t.name for t in practice.take("test", 40, seed=s)} for s in (0, 1))
    assert not one & two


def test_a_part_that_is_exhausted_says_so():
    with pytest.raises(ValueError, match="ledger-clean has no more instructions for test"):
        practice.take("test", 4000, seed=0)


def test_three_tasks_of_different_families_are_shown_with_their_verdicts(arena):
    text = io.StringIO()
    with Screen(Console(file=text, width=200)) as screen:
        tasks, episodes = demo.show(arena, screen)
    assert len({practice.family(t.name) for t in tasks}) == 3
    assert [(e.agent, e.reward) for e in episodes] == [("oracle", 1.0), ("noop", 0.0)] * 3
    assert "\x1b" not in text.getvalue()
    assert all(f"tmax/{t.name}" in text.getvalue() for t in tasks)


def test_a_terminal_sees_bars_and_the_time_left():
    text = io.StringIO()
    named = {"TERM": "xterm"}  # whatever the tests run in; a dumb terminal is shown no bars
    screen = Screen(Console(file=text, force_terminal=True, width=120, _environ=named))
    with screen, screen.stage("Lessons", 4) as stage:
        stage.advance("loss 1.0")
        screen.line("a line above")
    shown = text.getvalue()
    assert "Lessons" in shown and "a line above" in shown and "4" in shown
