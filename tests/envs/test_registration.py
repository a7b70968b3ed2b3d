import importlib.util
import re
import subprocess
import sys
import time

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from tmax_gym import register_tasks
from tmax_gym.tasks import catalogue


def test_importing_registers_every_task_and_loads_no_machinery() -> None:
    probe = (
        "import sys, gymnasium, tmax_gym\n"
        "ours = {i for i in gymnasium.registry if i.startswith('tmax/')}\n"
        "assert ours == {f'tmax/{n}' for n in tmax_gym.catalogue.names()}, len(ours)\n"
        "print(*sorted(m for m in sys.modules if m.startswith(('tmax_gym.', 'pexpect'))))"
    )
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    loaded = set(ended.stdout.split())
    needed = "axes envs envs.registration errors tasks tasks.catalogue tasks.folder tasks.spec"
    assert loaded == {f"tmax_gym.{name}" for name in needed.split()}


def test_ids_are_added_once(tiny_catalogue: str) -> None:
    spec = gym.spec(tiny_catalogue)
    size = len(gym.registry)
    register_tasks(["sum.plain-1"])
    assert len(gym.registry) == size
    assert gym.spec(tiny_catalogue) is spec


def test_a_spec_is_plain_data(tiny_catalogue: str) -> None:
    spec = gym.spec(tiny_catalogue)
    assert EnvSpec.from_json(spec.to_json()) == spec
    assert (spec.namespace, spec.name, spec.version) == ("tmax", "sum.plain-1", None)
    assert spec.kwargs == {"task": "sum.plain-1"}
    # A TimeLimit would end episodes where nothing grades them.
    assert spec.max_episode_steps is None
    for point in (spec.entry_point, spec.vector_entry_point):
        module, _, name = str(point).partition(":")
        assert importlib.util.find_spec(module) is not None
        assert name[0].isupper()


def test_the_size_of_the_full_catalogue_is_registered_in_no_time() -> None:
    before = dict(gym.registry)
    names = [f"speed-family-{i % 300}.skin-{i}" for i in range(14_600)]
    start = time.perf_counter()
    register_tasks(names)
    seconds = time.perf_counter() - start
    registered = sum(f"tmax/{name}" in gym.registry for name in names)
    gym.registry.clear()
    gym.registry.update(before)
    assert registered == 14_600
    # One at a time takes nine seconds; benchmarks/registration.py measures it properly.
    assert seconds < 2.0


def test_no_catalogued_name_is_a_trap() -> None:
    names = catalogue.names()
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z0-9_.-]+", name)
        # Gymnasium would read this as a version, and make another task than the one asked for.
        assert not re.search(r"-v\d+$", name)
