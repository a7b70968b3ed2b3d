"""One Harbor task directory: `HarborTask`, with all that a runner needs to know beforehand.

A task with a single step has one step without a name.  A step says its instruction without canary
lines, where its tests, solution and set-up lie, and which verifier grades it in which machine.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.config import (
    AgentConfig,
    Artifact,
    EnvironmentConfig,
    Healthcheck,
    StepConfig,
    TaskConfig,
    VerifierConfig,
    parse,
)
from tmax_gym.harbor.tasks.names import shown_name
from tmax_gym.harbor.tasks.support import unsupported
from tmax_gym.harbor.tasks.trees import Entry

Recipe = Literal["image", "dockerfile", "compose"]
Phase = TypeVar("Phase", AgentConfig, VerifierConfig)
COMPOSE = "docker-compose.yaml"
"""The only name that Harbor looks for; `docker-compose.yml` is a file like others."""
_CANARY = re.compile(r"<!--.*canary.*-->|#.*canary.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Machine:
    """How a container of a task is made."""

    recipe: Recipe
    """What makes it; `compose` wins over `image`, and that over `dockerfile`."""
    config: EnvironmentConfig
    context: Path | None
    """Directory with the Dockerfile; None without one."""
    owns_tests: bool = False
    """Whether its `/tests` come with it, and are not put there after the agent."""

    @property
    def dockerfile(self) -> Path | None:
        """Return the file that builds it, also where it has an image that could be pulled."""
        file = self.context / "Dockerfile" if self.context else None
        return file if file and file.is_file() else None


@dataclass(frozen=True, slots=True)
class HarborStep:
    """One instruction and what grades it."""

    name: str
    """"" for the only step of a task."""
    instruction: str
    agent: AgentConfig
    verifier: VerifierConfig
    verifier_machine: Machine | None
    """Where a separate verifier runs; None for a shared one, which runs beside the agent."""
    tests: tuple[str, ...]
    """Directories of the task whose files become `/tests`, later ones over earlier ones."""
    test_script: str
    """Below `/tests`."""
    solution: str | None
    """Directory of the task that becomes `/solution`, with a solve.sh in it; None for none."""
    workdir: str | None = None
    """Directory of the task whose files are put into the working directory before the step;
    a `setup.sh` in it is run."""
    trajectory: Path | None = None
    """ATIF file with what went before."""
    min_reward: tuple[tuple[str, float], ...] = ()
    healthcheck: Healthcheck | None = None
    artifacts: tuple[Artifact, ...] = ()
    """The task's own ones included."""

    @property
    def mode(self) -> Literal["shared", "separate"]:
        """Return which kind of verifier grades this step."""
        return "separate" if self.verifier_machine else "shared"


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task of a dataset."""

    name: str
    """Its directory's path below the dataset (`names.shown_name`): unique within that."""
    directory: Path
    config: TaskConfig
    machine: Machine
    steps: tuple[HarborStep, ...]
    unsupported: str = ""
    """Why it cannot run on this kind of sandbox; "" where it can."""

    @property
    def title(self) -> str:
        """Return `org/name`, or the directory's name."""
        return self.config.task.name if self.config.task else self.name

    def files(self, below: str) -> tuple[Entry, ...]:
        """Return the files of one of its directories, for example `tests`, links followed."""
        return trees.files(self.directory, below)

    def entries(self, below: str) -> tuple[Entry, ...]:
        """Return what a machine gets of one of its directories: links are links."""
        return trees.entries(self.directory, below)

    def digest(self) -> str:
        """Return the hash of its files by Harbor's rule; reads every file."""
        return trees.digest(self.directory)


def read_task(directory: Path, *, can: Set[str] = frozenset()) -> HarborTask:
    """Return the task of a directory.

    Args:
        directory: It holds a `task.toml`.
        can: What the sandboxes here can do beyond a plain container: see `support.py`.

    Raises:
        HarborError: Something is missing or wrong; the message is one line.
    """
    if not directory.is_dir():
        raise HarborError(f"{directory.name} is no directory")
    config = parse(trees.read_text(directory / "task.toml", "task.toml"))
    real = directory.resolve()
    # All of them: a link that leaves the task may hide in any.
    trees.entries(real, "environment")
    for below in ("tests", "solution", "steps"):
        trees.files(real, below)
    machine = _machine(real, config)
    if config.steps:
        steps = tuple(_step(real, config, step) for step in config.steps)
    else:
        steps = (_only_step(real, config),)
    task = HarborTask(shown_name(directory.name), real, config, machine, steps)
    machines = [machine, *(s.verifier_machine for s in steps if s.verifier_machine)]
    reason = unsupported(config, [(m.config, _compose_file(m)) for m in machines], can=can)
    return replace(task, unsupported=reason)


def strip_canary(text: str) -> str:
    r"""Return an instruction without the canary lines that it begins with.

    >>> strip_canary("<!-- canary GUID 1 -->\n# Canary 2\n\nDo it.\n# canary, later\n")
    'Do it.\n# canary, later\n'
    """
    lines = text.split("\n")
    while lines and _CANARY.fullmatch(lines[0].strip()):
        lines.pop(0)
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


def _instruction(root: Path, name: str) -> str:
    text = strip_canary(trees.read_text(root / name, name))
    if not text.strip():
        raise HarborError(f"{name} is empty")
    return text


def _machine(root: Path, config: TaskConfig) -> Machine:
    context = root / "environment"
    recipe = _recipe(context, config.environment)
    if recipe is None:
        lack = "has no Dockerfile" if context.is_dir() else "is missing"
        raise HarborError(f"environment/ {lack}, and task.toml names no docker_image")
    return Machine(recipe, config.environment, context if context.is_dir() else None)


def _recipe(context: Path, config: EnvironmentConfig) -> Recipe | None:
    if (context / COMPOSE).is_file():
        return "compose"
    if config.docker_image:
        return "image"
    return "dockerfile" if (context / "Dockerfile").is_file() else None


def _compose_file(machine: Machine) -> Path | None:
    if machine.recipe != "compose" or machine.context is None:
        return None
    return machine.context / COMPOSE


def _only_step(root: Path, config: TaskConfig) -> HarborStep:
    machine = _verifier_machine(root, config, None)
    return HarborStep(
        name="",
        instruction=_instruction(root, "instruction.md"),
        agent=config.agent,
        verifier=config.verifier,
        verifier_machine=machine,
        tests=("tests",),
        test_script=_test_script(root, ("tests",), machine),
        solution=_solution(root, "solution"),
        trajectory=_existing(root, "trajectory.json"),
        artifacts=config.artifacts,
    )


def _step(root: Path, config: TaskConfig, step: StepConfig) -> HarborStep:
    home = f"steps/{step.name}"
    if not (root / home).is_dir():
        raise HarborError(f"{home}/ is missing")
    machine = _verifier_machine(root, config, step)
    tests = tuple(d for d in ("tests", f"{home}/tests") if (root / d).is_dir())
    return HarborStep(
        name=step.name,
        instruction=_instruction(root, f"{home}/instruction.md"),
        agent=_agent(step.agent, config.agent),
        verifier=_verifier(step.verifier, config.verifier),
        verifier_machine=machine,
        tests=tests,
        test_script=_test_script(root, tests, machine),
        solution=_solution(root, f"{home}/solution"),
        workdir=f"{home}/workdir" if (root / home / "workdir").is_dir() else None,
        trajectory=_existing(root, f"{home}/trajectory.json"),
        min_reward=tuple(step.min_reward.items()),
        healthcheck=step.healthcheck,
        artifacts=(*config.artifacts, *step.artifacts),
    )


def _inherited(step: Phase, task: Phase) -> Phase:
    """Return a step's phase with the task's own user and network where it has none."""
    network = task if step.network_mode is None else step
    return replace(
        step,
        user=task.user if step.user is None else step.user,
        network_mode=network.network_mode,
        allowed_hosts=network.allowed_hosts,
    )


def _agent(step: AgentConfig, task: AgentConfig) -> AgentConfig:
    seconds = task.timeout_sec if step.timeout_sec is None else step.timeout_sec
    return replace(_inherited(step, task), timeout_sec=seconds)


def _verifier(step: VerifierConfig, task: VerifierConfig) -> VerifierConfig:
    # Harbor: a step without a time-out has 600 seconds, not the task's.
    collect = (*task.collect, *step.collect)
    return replace(_inherited(step, task), env={**task.env, **step.env}, collect=collect)


def _existing(root: Path, name: str) -> Path | None:
    return root / name if (root / name).is_file() else None


def _solution(root: Path, directory: str) -> str | None:
    return directory if (root / directory / "solve.sh").is_file() else None


def _verifier_machine(root: Path, config: TaskConfig, step: StepConfig | None) -> Machine | None:
    """Return where a separate verifier runs: the most specific definition wins."""
    levels: list[tuple[VerifierConfig, str]] = [(config.verifier, "tests")]
    if step:
        levels.insert(0, (step.verifier, f"steps/{step.name}/tests"))
    explicit = [v for v, _ in levels if v.environment_mode or v.environment]
    if not explicit or explicit[0].environment_mode == "shared":
        return None
    own = next((v.environment for v, _ in levels if v.environment), config.environment)
    for level, directory in levels:
        context = root / directory
        if level.environment and level.environment.docker_image:
            pulled = replace(own, docker_image=level.environment.docker_image)
            return Machine("image", pulled, None, owns_tests=True)
        bare = replace(own, docker_image=None)
        if (recipe := _recipe(context, bare)) is not None:
            return Machine(recipe, bare, context, owns_tests=True)
    agents = _machine(root, config)
    same = replace(own, docker_image=agents.config.docker_image)
    return Machine(agents.recipe, same, agents.context)


def _test_script(root: Path, tests: tuple[str, ...], machine: Machine | None) -> str:
    """Return the script that grades; later directories win over earlier ones."""
    listed = {
        entry.name.removeprefix(f"{directory}/")
        for directory in tests
        for entry in trees.files(root, directory)
    }
    if "test.sh" in listed or (machine and machine.owns_tests):
        return "test.sh"
    if "test.bat" in listed:
        return "test.bat"
    raise HarborError(f"{'/'.join(tests[-1:]) or 'tests'}/test.sh is missing")
