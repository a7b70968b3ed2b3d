"""Our own tasks, exported and then loaded like any Harbor dataset."""

from dataclasses import replace
from pathlib import Path

import pytest

from tmax_gym import load_dataset
from tmax_gym.agents.agent import noop, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.harbor.export.export import ExportOptions, export
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import compose

FAMILIES = ("bad-gateway.", "contract-api.", "space-crisis.")


def proven(verifier: str, backend: Backend, tmp_path: Path) -> None:
    chosen = FAMILIES if verifier == "separate" else FAMILIES[:1]
    for family in chosen:
        name = next(n for n in catalogue.names() if n.startswith(family))
        task = compose(replace(catalogue.spec(name), digest=""))
        export(task, tmp_path, options=ExportOptions(verifier=verifier))  # type: ignore[arg-type]
    dataset = load_dataset(tmp_path, name="exported")
    assert dataset.problems == ()
    assert len(dataset.tasks) == len(chosen)
    for trial in dataset.tasks:
        best = rollout(trial, oracle(trial), backend=backend)
        assert best.reward == 1.0, best.message
        assert rollout(trial, noop(), backend=backend).reward == 0.0
        assert len(best.parts) > 1


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def test_exported_tasks_load_back_and_are_proven(any_backend: Backend, tmp_path: Path) -> None:
    proven("separate", any_backend, tmp_path)


def test_a_task_for_old_runners_is_proven_as_well(native_backend: Backend, tmp_path: Path) -> None:
    proven("shared", native_backend, tmp_path)
