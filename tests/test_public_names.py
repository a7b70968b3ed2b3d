"""The public names of both packages: all there, seen by type checkers, and loaded when used."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest


@pytest.mark.parametrize("package", ["tmax_gym", "tmax_trainers"])
def test_every_public_name_can_be_imported(package: str) -> None:
    if package == "tmax_trainers":
        pytest.importorskip("trl", reason="needs the train extra")
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", ["tmax_gym", "tmax_trainers"])
def test_type_checkers_and_the_reference_see_the_public_names(package: str) -> None:
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    imported = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
        for alias in node.names if str(node.module).startswith(package)
    }  # fmt: skip
    assert imported == set(module.__all__)


def test_agents_harnesses_and_rollouts_are_public() -> None:
    import tmax_gym

    wanted = (
        "Agent Turn ScriptedAgent oracle noop make_agent Harness BashHarness PlainHarness rollout"
    )
    assert set(wanted.split()) <= set(tmax_gym.__all__)


def test_playing_an_episode_needs_no_client_of_a_model_and_no_trainer() -> None:
    probe = (
        "import sys\nfrom tmax_gym import Agent, ScriptedAgent, rollout, rollout_group\n"
        "print(*sorted(sys.modules.keys() & {'httpx', 'torch', 'typer', 'docker'}))"
    )
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.strip()) == (0, ""), ended.stderr
