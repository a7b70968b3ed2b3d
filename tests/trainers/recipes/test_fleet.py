"""Training on a fleet: two node processes here, real sandboxes, the policy in this process."""

import io
import threading

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tests.support.coin_recipe import CoinBook, coin_recipe  # noqa: E402
from tmax_gym.errors import EngineError  # noqa: E402
from tmax_gym.trajectory import from_json  # noqa: E402
from tmax_trainers.engines import Completion, Request  # noqa: E402
from tmax_trainers.recipes import run  # noqa: E402
from tmax_trainers.recipes.practice import named, take  # noqa: E402
from tmax_trainers.rollout.fleet.sampling import EngineDoor, RemoteEngine  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

SIZES = ("optimization.steps=2", "saving.checkpoint_every=2", "rollouts.max_staleness=0")


def trained(out, *overrides):
    console = Console(file=io.StringIO(), width=200)
    return run.train(coin_recipe(*SIZES, *overrides), out, console=console)


def weights(out):
    from safetensors.torch import load_file

    return load_file(out / "checkpoint-2" / "model.safetensors")


def test_a_run_on_two_nodes_has_the_weights_and_episodes_of_a_run_here(
    monkeypatch, native_backend, tmp_path
):
    monkeypatch.setattr(run, "task_book", CoinBook)
    here = trained(tmp_path / "here")
    there = trained(tmp_path / "there", "rollouts.fleet=local:2", "rollouts.fleet_room=4")
    one, other = weights(tmp_path / "here"), weights(tmp_path / "there")
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert there.scores == here.scores
    # Of the two steps: a batch after the last one may be complete before the run stops.
    lines = [
        [from_json(line) for line in (tmp_path / place / "rollouts.jsonl").open()][: 2 * 16]
        for place in ("here", "there")
    ]
    mine, theirs = ([(e.seed, e.reward, e.ending) for e in episodes] for episodes in lines)
    assert len(mine) == 32
    assert mine == theirs
    assert there.log[-1]["fleet/room"] == 8
    assert there.log[-1]["fleet/start_p50"] > 0


class Doubles:
    """An engine that answers with the double of every id; it fails where there is none."""

    version = 7

    def generate(self, requests):
        if not requests:
            raise EngineError("nothing was asked")
        return [
            Completion(tuple(2 * i for i in r.ids), (-0.5,) * len(r.ids), (7,) * len(r.ids), "stop")
            for r in requests
        ]


@pytest.fixture
def door():
    opened = EngineDoor(Doubles(), "127.0.0.1")
    yield opened
    opened.close()


def test_a_remote_engine_samples_what_the_engine_samples(door):
    engine = RemoteEngine(door.address)
    answers = {}

    def ask(number):
        answers[number] = engine.generate([Request((number,), 1, 0), Request((1, 2), 2, 0)])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [[c.ids for c in answers[n]] for n in range(20)] == [
        [(2 * n,), (2, 4)] for n in range(20)
    ]
    assert engine.version == 7


def test_an_error_of_the_engine_is_raised_on_the_node(door):
    with pytest.raises(EngineError, match="nothing was asked"):
        RemoteEngine(door.address).generate([])


def test_a_trainer_that_is_gone_is_an_error_that_says_so(door):
    door.close()
    with pytest.raises(EngineError, match="does not answer"):
        RemoteEngine(door.address).generate([Request((1,), 1, 0)])


def test_a_task_of_the_demo_is_the_same_on_every_machine():
    for task in take("practice", 4, seed=3):
        assert named(task.name).digest == task.digest
