"""Rollouts in their own process: the same batches whatever is killed, and no process left."""

import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tests.support.policy_server import serving  # noqa: E402
from tests.support.rollout_child import Coins, Solved, Trap, config, doomed, refuse  # noqa: E402
from tmax_gym.errors import NothingToLearn, RecipeError, TrainingError  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.policies.tokenizer import WordTokenizer  # noqa: E402
from tmax_trainers.recipes import files, practice, run  # noqa: E402
from tmax_trainers.rollout import replay  # noqa: E402
from tmax_trainers.rollout.process.rollouts import ProcessRollouts  # noqa: E402

ROOT = Path(__file__).parents[3]
PATIENCE = 280.0
"""Longest wait on a busy machine; an idle one never waits that long."""
STEPS = 4
RESTARTS = "rollouts/restarts_total"


@pytest.fixture(scope="module")
def coins(native_backend, image):
    """Makes the rollouts of the tests, in this process or in another one."""
    return partial(Coins, image)


@pytest.fixture(scope="module")
def expected(coins):
    """The batches of rollouts in this process, by staleness."""
    return {s: taken(coins(config(max_staleness=s)), range(STEPS)) for s in (0, 2)}


def apart(coins, *, trap=None, **options):
    sizes = config(**options)
    return ProcessRollouts(partial(coins, sizes, trap), sizes)


def by_seed(batch):
    """Return the parts of a batch that depend on the seed alone."""
    return [
        (g.number, g.group.task, g.advantages,
         [(t.seed, t.reward, t.tokens.ids, t.tokens.logprobs, [s.action for s in t.steps])
          for t in g.group.trajectories])
        for g in batch.groups
    ]  # fmt: skip


def taken(source, versions, before=lambda version: None):
    """Take a batch under each version, as a trainer does."""
    with source:
        return list(batches(source, versions, before))


def batches(source, versions, before=lambda version: None):
    for version in versions:
        source.update_version(version)
        before(version)
        batch = source.next_batch(PATIENCE)
        assert [len(g.group.rewards) for g in batch.groups] == [4, 4]
        yield batch


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return value


def killed(trap):
    """Kill the rollout process while episodes wait in their sandboxes, then let them go on."""
    victim = until(trap.reached)
    assert victim in {child.pid for child in multiprocessing.active_children()}
    os.kill(victim, signal.SIGKILL)
    trap.go()


def below(pid):
    """Return the living descendants of a process, with their start times."""
    parents = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path("/proc", number, "stat").read_text(errors="replace")
        except OSError:  # it has ended since
            continue
        fields = stat.rpartition(")")[2].split()
        if fields[0] != "Z":
            parents[int(number)] = (int(fields[1]), fields[19])
    family, size = {pid}, 0
    while size < len(family):
        size = len(family)
        family |= {child for child, (parent, _) in parents.items() if parent in family}
    return {(child, parents[child][1]) for child in family - {pid} if child in parents}


def alive(processes):
    now = below(1) | below(0) | below(os.getpid())
    return processes & now


def test_another_process_gives_the_same_batches_and_leaves_no_process(coins, expected):
    source = apart(coins)
    begun = []
    own_batches = taken(source, range(STEPS), lambda v: begun.append(below(os.getpid())))
    assert [by_seed(b) for b in own_batches] == [by_seed(b) for b in expected[0]]
    for own, shared in zip(own_batches, expected[0], strict=True):
        assert own.metrics == shared.metrics | {RESTARTS: 0.0}
    assert source.next_batch(PATIENCE) is None
    assert multiprocessing.active_children() == []
    machines = set.union(*begun)
    until(lambda: not alive(machines - below(os.getpid())))


@pytest.mark.parametrize("staleness", [0, 2])
def test_a_killed_process_is_replaced_and_the_data_stay_the_same(
    coins, expected, tmp_path, staleness
):
    trap = Trap(tmp_path, 3)
    source = apart(coins, trap=trap, max_staleness=staleness)
    own_batches = taken(source, range(STEPS), lambda v: killed(trap) if v == 1 else None)
    assert [by_seed(b) for b in own_batches] == [by_seed(b) for b in expected[staleness]]
    assert sum(b.metrics[RESTARTS] for b in own_batches) == 1


def test_a_state_can_be_restored_after_a_rollout_process_was_killed(coins, expected, tmp_path):
    """The second batch was handed out but not trained, so it alone is handed out again."""
    trap = Trap(tmp_path, 5)
    with apart(coins, trap=trap, max_staleness=2) as source:
        first = list(batches(source, range(2)))
        killed(trap)
        replay.write(tmp_path / "state", source.state())
    state = replay.read(tmp_path / "state")
    assert (state.version, state.base, state.batches) == (1, 0, 1)
    again = apart(coins, max_staleness=2)
    again.restore(state)
    here = coins(config(max_staleness=2))
    here.restore(state)
    for resumed in (again, here):
        rest = taken(resumed, range(1, STEPS))
        assert [by_seed(b) for b in [first[0], *rest]] == [by_seed(b) for b in expected[2]]


def test_requests_are_answered_by_the_next_process_if_one_dies(coins, tmp_path):
    trap = Trap(tmp_path, 0)
    source = apart(coins, trap=trap)
    source.stamp(7)
    with source:
        source.update_version(0)
        until(trap.reached)
        assert source.inside()["sample"] >= 1
        source.stamp(8)
        killed(trap)
        reward, step, stamped = source.evaluate(5)
    assert reward in (0.0, 1.0)
    assert (step, stamped) == (5.0, 8.0)


def test_everything_ends_with_a_killed_trainer(native_backend, image, tmp_path):
    words = f"from tests.support.rollout_child import hold; hold({str(tmp_path)!r}, {image!r})"
    trainer = subprocess.Popen([sys.executable, "-c", words], cwd=ROOT)
    try:
        player = until(Trap(tmp_path, 0).reached)
        left = below(trainer.pid)
        assert player in {pid for pid, _ in left}
        assert len(left - {one for one in left if one[0] == player}) >= 2, "machines run"
    finally:
        trainer.kill()
        trainer.wait()
    until(lambda: not alive(left))


def test_a_process_that_dies_again_and_again_is_reported(capfd):
    with (
        ProcessRollouts(doomed, config(), restarts=1) as source,
        pytest.raises(TrainingError, match=r"died 2 times without a batch.*signal 9.*dmesg"),
    ):
        source.next_batch(PATIENCE)
    assert capfd.readouterr().err.count("my last words") == 2


def test_an_exception_in_the_process_is_raised_here_and_starts_no_other():
    with (
        ProcessRollouts(refuse, config()) as source,
        pytest.raises(RecipeError, match="choose another one") as raised,
    ):
        source.next_batch(PATIENCE)
    assert "in the rollout process" in raised.value.__notes__[0]


def test_training_still_ends_without_an_error_and_can_be_saved():
    with ProcessRollouts(Solved, config()) as source:
        with pytest.raises(NothingToLearn, match="solved by all"):
            source.next_batch(PATIENCE)
        assert source.state().admitted >= 5


def test_the_transformers_engine_is_refused(coins):
    with pytest.raises(RecipeError, match=r"transformers.*process=shared.*tmax serve"):
        files.read("cpu_tiny", ["rollouts.process=own"])
    policy = build_policy(PolicyConfig(40, layers=1, width=32, heads=2), seed=0)
    with (
        TransformersEngine(policy, slots=16) as engine,
        pytest.raises(TrainingError, match=r"engine of this process.*process=shared"),
    ):
        ProcessRollouts(partial(coins, engine), config()).start()


def test_the_runs_on_vllm_have_a_process_for_their_rollouts():
    for name in files.names():
        recipe = files.read(name)
        assert (recipe.rollouts.process == "own") == (recipe.sampling.engine == "vllm"), name


def test_a_run_goes_on_where_its_rollout_process_is_killed(native_backend, image, tmp_path):
    """Servers, weights, sandboxes and trainer are real; the replies are scripted."""
    with serving(lambda ids: []) as server:
        recipe = files.read("cpu_tiny", [
            "rollouts.process=own", "sampling.engine=vllm", f"sampling.servers=[{server.url}]",
            "warm_start=null", "model.layers=1", "model.width=32", "model.heads=2",
            "rollouts.groups_per_step=2", "rollouts.group_size=4", "rollouts.concurrent=8",
            "rollouts.prompt_tokens=2048", "rollouts.turn_tokens=512",
            "rollouts.response_tokens=512", "rollouts.max_steps=1", "rollouts.backend=native",
            f"rollouts.image={image}", "optimization.micro_batches=2", "optimization.steps=3",
            "optimization.gain_factor=1", "saving.checkpoint_every=3", "saving.evaluate_every=3",
            "tasks.held_out=4",
        ])  # fmt: skip
        server.script = speaker(recipe.seed, 14)
        screen = Console(file=io.StringIO(), force_terminal=False, width=200)
        outcome = run.train(recipe, tmp_path, console=screen)
    assert (outcome.steps, [s.step for s in outcome.scores]) == (3, [0, 3])
    log = json.loads((tmp_path / "checkpoint-3/trainer_state.json").read_text())["log_history"]
    assert sum(row.get(RESTARTS, 0.0) for row in log) == 1
    index = [json.loads(line) for line in (tmp_path / "rollouts.index.jsonl").open()]
    numbers = [row["group"] for row in index]
    assert len(index) in (3 * 2 * 4, 4 * 2 * 4), "the last update lets a batch in that is not used"
    assert all(numbers.count(number) == 4 for number in numbers)
    assert len(server.updates) == 4 and server.version == 4 and not server.paused
    assert server.wrong == []


def speaker(seed, fatal):
    """Solve every second episode; at turn number `fatal`, kill the rollout process."""
    tokenizer = WordTokenizer([])
    known = {
        task.instruction: " && ".join(task.oracle)
        for part, count in (("practice", 60), ("test", 4))
        for task in practice.take(part, count, seed=seed)
    }
    turns, right = iter(range(10**6)), cycle((True, False))

    def say(ids):
        if next(turns) == fatal:
            (player,) = multiprocessing.active_children()
            os.kill(player.pid, signal.SIGKILL)
        text = tokenizer.decode(ids)
        command = next(c for instruction, c in known.items() if instruction in text)
        return tokenizer.encode((command if next(right) else "true") + "\n")

    return say
