"""Other sets of terminal tasks, each nearly in Harbor's layout or in Terminal-Bench 1's.

These are Endless Terminals, OpenThoughts-Agent, TermiGen, TerminalTraj and CLI-Gym.  What their
layouts lack for Harbor is added: a Dockerfile, a test.sh.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tmax_gym.errors import HarborError
from tmax_gym.harbor.readers.drafts import Draft, Made
from tmax_gym.harbor.readers.recipes import from_definition, outcome_script, pytest_script
from tmax_gym.harbor.readers.rows import (
    Files,
    archive,
    below,
    by_task,
    directory,
    members,
    rows,
    text_of,
)

_CLI_GYM = (("task.yaml", "task_yaml"), ("run-tests.sh", "run_tests"), ("Dockerfile", "dockerfile"))


def read_directories(path: Path) -> Iterator[Made]:
    """Yield tasks of directories that are nearly Harbor's: Endless Terminals, TermiGen."""
    for name, files in _homes(path, "instruction.md").items():
        yield completed(name, files)


def _homes(path: Path, mark: str) -> dict[str, Files]:
    """Return the tasks of a directory or of an archive by a file that each has."""
    if path.is_file():
        tasks = by_task(members(path), marks=(mark,))
    else:
        homes = sorted(file.parent for file in path.rglob(mark))
        tasks = {home.name: directory(home) for home in homes}
    if not tasks:
        raise HarborError(f"{path} holds no directory with a file {mark}")
    return tasks


def completed(name: str, files: Files) -> Made:
    """Return the draft of a nearly complete directory: what is missing is added."""
    environment = below(files, "environment")
    docker = environment.pop("Dockerfile", b"").decode(errors="replace")
    definition = environment.pop("container.def", b"").decode(errors="replace")
    # What tells the answer or grades must not be built into the image.
    hidden = ("task.json", "test_initial_state.py", "test_final_state.py")
    environment = {n: d for n, d in environment.items() if n not in hidden}
    if not docker and definition:
        docker, beside = from_definition(definition)
        environment |= beside
    elif not docker and any(n.startswith("seeds/") for n in environment):
        docker = "FROM ubuntu:24.04\nCOPY seeds/ /workspace/\nWORKDIR /workspace\n"
    tests = below(files, "tests")
    if "test.sh" not in tests:
        scripts = sorted(n for n in tests if n.startswith("test_") and n.endswith(".py"))
        if not scripts:
            return f"{name}: it has no tests"
        tests["test.sh"] = pytest_script(scripts[0])
    toml = text_of(files, "task.toml")
    if not docker and "docker_image" not in toml:
        return f"{name}: it has neither a Dockerfile nor an image"
    return Draft(
        name,
        text_of(files, "instruction.md"),
        dockerfile=docker,
        environment=environment,
        tests=tests,
        solution=_solution(below(files, "solution")),
        toml=toml,
    )


def _solution(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    return files if "solve.sh" in files else {}


def read_openthoughts(path: Path) -> Iterator[Made]:
    """Yield the tasks of OpenThoughts-Agent: rows of a path and a packed directory."""
    for row in rows(path):
        name = text_of(row, "path").strip("/").rpartition("/")[2]
        try:
            files = archive(bytes(row.get("task_binary") or b""))
        except HarborError as error:
            yield f"{name or 'a row'}: {error}"
            continue
        inner = {n.removeprefix(f"{name}/"): data for n, data in files.items()}
        yield completed(name or "task", inner)


def read_first_bench(path: Path) -> Iterator[Made]:
    """Yield tasks in the layout of Terminal-Bench 1: TerminalTraj."""
    for name, files in _homes(path, "task.yaml").items():
        yield first_bench(name, files)


def read_cli_gym(path: Path) -> Iterator[Made]:
    """Yield the tasks of CLI-Gym: rows with a task.yaml, a Dockerfile and a script each."""
    for number, row in enumerate(rows(path)):
        name = text_of(row, "task_id", "instance_id") or f"cli-gym-{number:05d}"
        files = {file: text_of(row, key).encode() for file, key in _CLI_GYM}
        yield first_bench(name, files)


def first_bench(name: str, files: Files) -> Made:
    """Return the draft of a task in the layout of Terminal-Bench 1."""
    try:
        config = _yaml(text_of(files, "task.yaml"))
    except HarborError as error:
        return f"{name}: {error}"
    docker = text_of(files, "Dockerfile")
    if not docker:
        return f"{name}: it has no Dockerfile"
    if not files.get("run-tests.sh"):
        return f"{name}: it has no run-tests.sh"
    solution = files.get("solution.sh")
    apart = ("task.yaml", "run-tests.sh", "solution.sh", "solution.yaml", "Dockerfile",
             "docker-compose.yaml", "item_info.json")  # fmt: skip
    beside = {n: d for n, d in files.items() if n not in apart and not n.startswith("tests/")}
    tags = config.get("tags")
    return Draft(
        name,
        text_of(config, "instruction"),
        dockerfile=docker,
        environment=beside,
        tests={
            **below(files, "tests"),
            "run-tests.sh": files["run-tests.sh"],
            "test.sh": outcome_script("bash /tests/run-tests.sh"),
        },
        solution={"solve.sh": solution} if solution else {},
        metadata={
            "difficulty": text_of(config, "difficulty"),
            "category": text_of(config, "category"),
            "tags": list(map(str, tags)) if isinstance(tags, list) else [],
        },
        agent_seconds=_seconds(config.get("max_agent_timeout_sec"), 900.0),
        verifier_seconds=_seconds(config.get("max_test_timeout_sec"), 180.0),
    )


def _seconds(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and value > 0 else default


def _yaml(text: str) -> Mapping[str, Any]:
    """Return a task.yaml.

    Raises:
        HarborError: It is none, or PyYAML is missing.
    """
    try:
        import yaml
    except ImportError as error:
        raise HarborError("task.yaml needs PyYAML: pip install pyyaml") from error
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise HarborError(f"task.yaml cannot be read: {json.dumps(str(error))[:200]}") from error
    if not isinstance(config, dict):
        raise HarborError("task.yaml is no mapping")
    return config
