"""Backends for the tests: real ones, or a skip that says what is missing."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gymnasium import registry
from hypothesis import HealthCheck, settings

from tests.support.tiny_tasks import by_name
from tmax_gym import register_tasks
from tmax_gym.errors import ImageError, TaskNotFound, TmaxError
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task

if TYPE_CHECKING:
    from tests.support.fake_kubernetes.server import FakeCluster

gc.disable()  # until all tests are collected: imports make much and leave no garbage

if "PYTEST_XDIST_WORKER" in os.environ:
    # Set before torch is imported: workers side by side gain nothing from threads of their own.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

LONGEST = (
    "benchmarks/test_scale.py",  # its 1,024 environments would disturb tests that wait for a clock
    "trainers/recipes/test_demo.py",
    "docs/test_tutorials.py",
    "sandboxes/test_attacks.py",
    "trainers/dppo/test_trainer.py",
    "bench/test_run.py",
    "trainers/recipes/test_training.py",
    "trainers/recipes/test_sharded_training.py",
    "benchmarks/test_chaos.py",
    "trainers/dppo/test_ranks.py",
    "families/test_deliverables.py",
    "harbor/test_export.py",
    "agents/test_terminus.py",
    "bench/test_time_limits_parts.py",
    "bench/test_time_limits.py",
    "trainers/rollout/test_play_time.py",
    "harbor/test_trial_left.py",
)
"""Files that take longest: begun first, they do not keep one worker busy after all others.  Those
that wait for a clock come last."""

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")  # a busy machine fails no test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest; the order is otherwise as it was."""
    place = {Path(__file__).parent / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collection_finish() -> None:
    """Leave all that stays to the end out of garbage collections: trainers start full ones."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Let children be interrupted, also where a shell started all this in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Let torch compute on one core: tiny products gain nothing from a second one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _usable(name: str) -> Backend:
    from tmax_gym import sandboxes

    try:
        backend = sandboxes.backend(name)
    except TmaxError as error:
        pytest.skip(str(error).splitlines()[0])
    return backend


@pytest.fixture(scope="session")
def image() -> str:
    """The best root file system that is here: `core` where it was built, else the host's."""
    if given := os.environ.get("TMAX_TEST_IMAGE"):
        return given
    from tmax_gym.sandboxes import images

    try:
        images.tar_path("core")
    except ImageError:
        return "host"
    return "core"


@pytest.fixture(scope="session")
def native_backend() -> Iterator[Backend]:
    yield _usable("native")


def _with_image(name: str, image: str) -> Backend:
    backend = _usable(name)
    try:
        backend.open(image).close()
    except ImageError as error:
        pytest.skip(str(error).splitlines()[0])
    return backend


@pytest.fixture(scope="session")
def docker_backend(image: str) -> Backend:
    return _with_image("docker", image)


@pytest.fixture(scope="session")
def podman_backend(image: str) -> Backend:
    return _with_image("podman", image)


@pytest.fixture(scope="session")
def gvisor_backend(image: str) -> Backend:
    return _with_image("gvisor", image)


@pytest.fixture(scope="session")
def fake_cluster() -> Iterator["FakeCluster"]:
    """A server that speaks the API of Kubernetes, whose pods are real shells of this host."""
    pytest.importorskip("kubernetes", reason="needs the extra `kubernetes`")
    from tests.support.fake_kubernetes.server import FakeCluster, obstacle

    if problem := obstacle():
        pytest.skip(problem)
    cluster = FakeCluster()
    yield cluster
    cluster.close()


@pytest.fixture(scope="session")
def kubernetes_backend(fake_cluster: "FakeCluster") -> Iterator[Backend]:
    machines = fake_cluster.backend()
    yield machines
    machines.close()


@pytest.fixture(params=["native", pytest.param("docker", marks=pytest.mark.docker)])
def any_backend(request: pytest.FixtureRequest) -> Backend:
    backend: Backend = request.getfixturevalue(f"{request.param}_backend")
    return backend


@pytest.fixture
def tiny_catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Catalogue the tiny tasks as Gymnasium ids; yields the id of the first."""
    tasks = by_name()

    def load(name: str) -> Task:
        plain = name.removeprefix(catalogue.PREFIX)
        if plain not in tasks:
            raise TaskNotFound(f"no task is called {plain!r}")
        return tasks[plain]

    before = dict(registry)
    monkeypatch.setattr(catalogue, "load", load)
    register_tasks(tasks)
    yield f"tmax/{next(iter(tasks))}"
    registry.clear()
    registry.update(before)
