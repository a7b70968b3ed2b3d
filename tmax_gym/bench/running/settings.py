"""The settings that decide a result, and their hash.

Trials belong to one run if they have the same settings: the harness and its options, the model
and its sampling, the limits with their multipliers, the sandbox and its root file system, the
seed, and the version of this package.  The endpoint's address and the numbers of jobs and retries
are recorded, but not hashed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from typing import Any

from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Regradable, Task
from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import images
from tmax_gym.sandboxes.images import default_image
from tmax_gym.tasks.compose import GENERATOR


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters of a model; None leaves the choice to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    window: int | None = None
    """Tokens of the context window; None for the harness's default, here and below."""
    reply: int | None = None
    """Largest number of tokens of one reply."""
    compact: bool = False
    """Whether old outputs are left out if the window is full."""


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Factors on the limits of each phase, for slow machines and slow models."""

    commands: float = 1.0
    """For each command."""
    agent: float = 1.0
    """For all commands together, and for commands and thinking together."""
    grading: float = 1.0


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """The settings that decide a result, apart from the task."""

    harness: str
    model: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """Options of the harness, sorted by name."""
    sampling: Sampling = field(default_factory=Sampling)
    given: tuple[tuple[str, float], ...] = ()
    """Limits of an episode that replace a task's own, sorted by name; before multiplication."""
    multipliers: Multipliers = field(default_factory=Multipliers)
    agent_seconds: float | None = None
    """Limit of thinking and commands together, without waits for a busy endpoint; None for the
    task's own, which only Harbor tasks have."""
    backend: str = ""
    """Name of the backend that is used, never `auto`."""
    image: str = ""
    """The root file system's name."""
    image_id: str = ""
    """Hash of its content; "" for this host's own root file system, which changes all the time,
    and for tasks with their own image, whose digests cover it."""
    machines: tuple[tuple[str, str], ...] = ()
    """Settings of Harbor tasks (network, image substitutes, ...) that differ from the defaults of
    `HarborSettings`, sorted by name."""
    seed: int = 0
    """Seed of attempt 0; attempt n has `seed + n`."""

    def plain(self) -> dict[str, Any]:
        """Return plain values, with the versions of this package and its generator."""
        row = asdict(self)
        row["options"], row["given"] = dict(self.options), dict(self.given)
        row["machines"] = dict(self.machines)
        if not self.machines:  # so that runs of versions without them can be continued
            del row["machines"]
        row["version"] = _version()
        row["generator"] = GENERATOR
        return row

    def digest(self) -> str:
        """Return the hash of the plain values."""
        text = json.dumps(self.plain(), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def image_id(name: str) -> str:
    """Return a hash of an image's content; "" if it is not here, and for `host`."""
    if name == "host":
        return ""
    try:
        return hashlib.blake2b(images.resolve(name).id.encode(), digest_size=8).hexdigest()
    except ImageError:
        return ""  # an engine may still have it


def root_for(task: Task | Regradable, image: str) -> str:
    """Return the root file system of a trial; a task that needs more than `core` names its own.

    Raises:
        ImageError: The image is not here.
    """
    if task.image not in ("", "core") and image in ("", "core", "host"):
        return default_image(task.image, who=f"task {task.name}")
    return image


def limits_for(task: Task, settings: BenchSettings) -> EpisodeLimits:
    """Return the limits that apply to a task."""
    given: Any = {name: value for name, value in settings.given}
    given |= {name: int(value) for name, value in given.items() if name == "max_steps"}
    own = task.limits(**given)
    if settings.agent_seconds is not None or settings.harness == "human":
        own = replace(own, agent_seconds=settings.agent_seconds)
    return multiplied(own, settings.multipliers)


def multiplied(limits: EpisodeLimits, by: Multipliers) -> EpisodeLimits:
    """Return limits with every phase's own factor.

    >>> multiplied(EpisodeLimits(), Multipliers(commands=2.0)).command_timeout
    60.0
    """
    return replace(
        limits,
        command_timeout=limits.command_timeout * by.commands,
        episode_seconds=limits.episode_seconds * by.agent,
        agent_seconds=None if limits.agent_seconds is None else limits.agent_seconds * by.agent,
        verify_timeout=limits.verify_timeout * by.grading,
    )


def _version() -> str:
    try:
        return metadata.version("tmax-gym")
    except metadata.PackageNotFoundError:
        return "unknown"
