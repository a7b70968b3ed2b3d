"""Episodes of a group source in real sandboxes: limits, deadlines, cancellation, and faults."""

import threading
import time

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.staged_rollouts import FAULTS, CoinAgent, Dice, FaultyBackend, staged_task  # noqa: E402
from tests.support.tiny_tasks import by_name, sum_task  # noqa: E402
from tmax_gym.agents.agent import ScriptedAgent, Turn, oracle  # noqa: E402
from tmax_gym.episodes.limits import EpisodeLimits  # noqa: E402
from tmax_gym.errors import ImageError  # noqa: E402
from tmax_gym.trajectory import Ending  # noqa: E402
from tmax_trainers.dppo.trainer import DPPOConfig, DPPOTrainer  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.rollout.groups import GroupSource  # noqa: E402
from tmax_trainers.rollout.play import EpisodePlayer, Gates, PlayLimits  # noqa: E402
from tmax_trainers.rollout.records import Episode, GroupConfig  # noqa: E402
from tmax_trainers.rollout.task_order import Shuffled  # noqa: E402
from tmax_trainers.rollout.worker import GroupRolloutWorker  # noqa: E402

MINUTE = 60.0


def episode(task="sum.plain-1", **kwargs):
    return Episode(**({"task": task, "group": 0, "member": 0, "attempt": 0, "seed": 1, "version": 1}
                      | kwargs))  # fmt: skip


def player(backend, image, *, agent=None, limits=None, tasks=None):
    known = tasks or by_name()
    make = agent or (lambda e: oracle(known[e.task]))
    return EpisodePlayer(
        known.__getitem__, make, limits or PlayLimits(), backend=backend, image=image
    )


def test_an_episode_is_played_and_graded(native_backend, image):
    played = player(native_backend, image)(episode())
    assert (played.ending, played.reward, played.agent) == (Ending.SUBMITTED, 1.0, "oracle")
    assert dict(played.parts) == {"inputs": 1.0, "content": 1.0}
    assert len(played.steps) == 3


def test_a_verifier_that_fails_gives_no_reward(native_backend, image):
    played = player(native_backend, image)(episode("faulty.plain-3"))
    assert (played.ending, played.reward, played.parts) == (Ending.VERIFIER_ERROR, None, ())
    assert "bug" in played.message


def test_the_last_step_is_graded(native_backend, image):
    limits = PlayLimits(episode=EpisodeLimits(max_steps=2))
    played = player(native_backend, image, limits=limits)(episode())
    assert (played.ending, played.reward) == (Ending.STEP_LIMIT, 1.0)


def test_an_agent_that_raises_ends_without_reward(native_backend, image):
    class Broken(ScriptedAgent):
        def act(self, observation):
            raise ConnectionError("no answer")

    played = player(native_backend, image, agent=lambda e: Broken([]))(episode())
    assert (played.ending, played.reward) == (Ending.AGENT_ERROR, None)
    assert "no answer" in played.message


def test_an_image_that_is_absent_is_raised_and_not_tried_again(native_backend):
    with pytest.raises(ImageError):
        player(native_backend, "no-such-image")(episode())


def test_an_episode_beyond_its_deadline_is_lost_and_not_failed(native_backend, image):
    limits = PlayLimits(wall_seconds=-1.0)
    played = player(native_backend, image, limits=limits)(episode())
    assert (played.ending, played.reward) == (Ending.INFRA_ERROR, None)
    assert "raise wall_seconds" in played.message


def test_a_cancelled_episode_ends_before_its_next_turn(native_backend, image):
    wanted = episode()
    turns = []

    class Counting(ScriptedAgent):
        def act(self, observation):
            turns.append(observation)
            wanted.cancelled.set()
            return Turn("true")

    played = player(native_backend, image, agent=lambda e: Counting([]))(wanted)
    assert (played.ending, played.reward, len(turns)) == (Ending.INFRA_ERROR, None, 1)
    assert "cancelled" in played.message


def test_a_gate_admits_as_many_episodes_as_its_limit():
    gates = Gates(PlayLimits(commands=3))
    three, leave, seen = threading.Barrier(4), threading.Event(), []

    def run(waits):
        with gates.through("command"):
            seen.append(gates.inside()["command"])
            if waits:
                three.wait(MINUTE)
                leave.wait(MINUTE)

    first = [threading.Thread(target=run, args=(True,)) for _ in range(3)]
    later = [threading.Thread(target=run, args=(False,)) for _ in range(5)]
    for thread in first:
        thread.start()
    three.wait(MINUTE)
    for thread in later:
        thread.start()
    assert gates.inside()["command"] == 3
    leave.set()
    for thread in first + later:
        thread.join(MINUTE)
    assert len(seen) == 8 and max(seen) == 3
    metrics = gates.metrics()
    assert metrics["concurrent/command_max"] == 3.0
    assert metrics["time/command"][1] == 8
    assert gates.metrics()["time/command"] == (0.0, 0)


def test_a_gate_is_left_by_whatever_raises_inside():
    gates = Gates(PlayLimits(starts=1))
    for _ in range(3):
        with pytest.raises(KeyError), gates.through("start"):
            raise KeyError
    assert gates.inside()["start"] == 0


def test_stopping_ends_running_episodes_between_two_turns(native_backend, image):
    """The agent never ends by itself, so only the cancellation can end it."""
    begun = threading.Event()

    class Endless(ScriptedAgent):
        def act(self, observation):
            begun.set()
            return Turn("true")

    limits = PlayLimits(episode=EpisodeLimits(max_steps=10**9, episode_seconds=10**9))
    run = player(native_backend, image, agent=lambda e: Endless([]), limits=limits)
    source = GroupSource(run, Shuffled(["sum.plain-1"], seed=0), GroupConfig(1, 2, workers=2))
    source.start()
    assert begun.wait(MINUTE)
    stopping = threading.Thread(target=source.stop)
    stopping.start()
    stopping.join(MINUTE)
    assert not stopping.is_alive()


def test_members_of_a_group_that_was_given_up_are_cancelled():
    """Member 0 is lost for good; member 1 of its group waits for the cancellation."""
    cancelled, begun = [], threading.Event()

    def run(wanted):
        if wanted.group > 0:
            return done(wanted, float(wanted.member))
        if wanted.member == 1:
            begun.set()
            cancelled.append(wanted.cancelled.wait(MINUTE))
        assert begun.wait(MINUTE)  # otherwise the group is settled before member 1 is played
        return done(wanted, None)

    def done(wanted, reward):
        agent = CoinAgent(sum_task(), wanted, Dice(0.0), None)
        ending = Ending.INFRA_ERROR if reward is None else Ending.SUBMITTED
        from tmax_gym.trajectory import Trajectory

        return Trajectory(wanted.task, "test", 0, ending, reward, tokens=agent.tokens)

    source = GroupSource(run, Shuffled(["a"], seed=0), GroupConfig(1, 2, workers=2, attempts=1))
    with source:
        batch = source.next_batch(MINUTE)
        assert [g.number for g in batch.groups] == [1]
        deadline = time.monotonic() + MINUTE
        while not cancelled and time.monotonic() < deadline:
            time.sleep(0.01)
    assert cancelled == [True]


def test_training_survives_a_fault_in_every_fifth_episode(native_backend, image, tmp_path):
    """Machines that do not start or are killed, verifiers with bugs, engines that answer 500."""
    dice = Dice(0.2)
    task = staged_task(dice)
    backend = FaultyBackend(native_backend, dice)
    run = EpisodePlayer(
        lambda name: task,
        lambda e: CoinAgent(task, e, dice, backend),
        PlayLimits(starts=2, commands=3, verifiers=2),
        backend=backend,
        image=image,
    )
    batches, inside = [], []

    def keep(batch):
        batches.append(batch)
        inside.append(run.gates.metrics())

    groups = GroupConfig(2, 4, max_staleness=1, workers=4, attempts=6, seed=11)
    worker = GroupRolloutWorker(GroupSource(run, Shuffled(["x"], seed=0), groups), watch=keep)
    args = DPPOConfig(output_dir=str(tmp_path), max_steps=5, use_cpu=True, disable_tqdm=True,
                      gradient_accumulation_steps=2, groups_per_step=2, group_size=4,
                      rollout_timeout=4 * MINUTE, report_to="none")  # fmt: skip
    model = build_policy(PolicyConfig(40, layers=1, width=16, heads=2, max_length=64), seed=0)
    trainer = DPPOTrainer(model, args, rollout_worker=worker)
    trainer.train()
    assert trainer.state.global_step == 5
    trained = [t for batch in batches for g in batch.groups for t in g.group.trajectories]
    assert all([len(g.group.trajectories) for g in b.groups] == [4, 4] for b in batches)
    assert all(t.ending.graded and t.reward is not None and not t.message for t in trained)
    assert sum(dice.struck.values()) >= 4
    log = [row for row in trainer.state.log_history if "episodes/lost" in row]
    assert max(row["episodes/lost"] for row in log) > 0
    assert max(row["concurrent/command_max"] for row in inside) <= 3


def test_every_kind_of_staged_fault_strikes_and_is_no_reward(native_backend, image):
    """Each kind of fault in the test above really happens."""
    dice = Dice(1.0)
    task = staged_task(dice)
    backend = FaultyBackend(native_backend, dice)
    run = player(backend, image, agent=lambda e: CoinAgent(task, e, dice, backend),
                 tasks={"x": task})  # fmt: skip
    seed = 0
    while set(dice.struck) != set(FAULTS):
        assert seed < 40, dice.struck
        played = run(episode("x", seed=seed))
        assert played.reward is None and not played.ending.graded
        seed += 1
