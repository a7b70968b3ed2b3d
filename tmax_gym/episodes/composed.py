"""An episode of one of our own tasks: a fresh sandbox with the task's world in it.

Covers set-up, and grading what is left.  A machine or verifier that fails is an exception, never
a reward.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Protocol

from tmax_gym.checks.verdict import Verdict
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.shell_episode import ShellEpisode
from tmax_gym.errors import ImageError, SandboxError, VerifierError
from tmax_gym.grading.verifier import Gradable, verify
from tmax_gym.nodes import directory
from tmax_gym.sandboxes import Backend, Layer
from tmax_gym.sandboxes.images import default_image, missing_tools

HOME = "/app"
"""Where every shell starts."""
SETUP_SECONDS = 60.0
"""For each of a task's own set-up commands."""


class Composed(Gradable, Protocol):
    """What an episode needs of its task; `tasks.compose.Task` has it."""

    @property
    def name(self) -> str:
        """Return its name."""
        ...

    @property
    def image(self) -> str:
        """Return which of our images it needs."""
        ...

    @property
    def layer(self) -> Layer:
        """Return the world as a layer that all episodes of this task may share."""
        ...

    @property
    def setup(self) -> tuple[str, ...]:
        """Return the commands that finish the world."""
        ...

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the programs that a solution needs."""
        ...


class ComposedEpisode(ShellEpisode):
    """A running episode; `close` ends it, graded or not."""

    def __init__(
        self,
        task: Composed,
        backend: Backend,
        *,
        limits: EpisodeLimits,
        seed: int,
        image: str | None = None,
    ) -> None:
        """Start the machine, stage the world, start the shell.

        Raises:
            SandboxError: Something could not be started; nothing is left open.
        """
        super().__init__(limits, seed=seed)
        self.task = task
        self._backend = backend
        self._image = image or default_image(task.image, who=f"task {task.name}")
        self._check_tools()
        with ExitStack() as opening:
            self.sandbox = backend.open(self._image, limits=limits.sandbox, layer=task.layer)
            opening.callback(self.sandbox.close)
            self._stage()
            self._start_shell(HOME)
            self._opened_whole(opening)

    def grade(self) -> Verdict:
        """Grade what is left; nothing runs in the sandbox afterwards.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier failed.
        """
        seconds = self.limits.verify_timeout
        try:
            return verify(
                self.task, self.sandbox, self._backend, image=self._image, timeout=seconds
            )
        except SandboxError as error:
            # Also where a backend or an image is gone by now: both were here at the start.
            raise SandboxError(f"task {self.task.name} could not be graded: {error}") from error
        except VerifierError as error:
            raise VerifierError(f"task {self.task.name} was not graded: {error}") from error

    def _check_tools(self) -> None:
        """Refuse a task that the programs of the image in use cannot solve."""
        named = self._image == "host" or self._image != self.task.image != "core"
        lacking = missing_tools(self._image, self.task.tools) if named else ()
        if lacking:
            raise ImageError(
                f"task {self.task.name} needs {', '.join(lacking)}, which the image "
                f"{self._image!r} lacks.\n"
                f"Build the one that has it: tmax images build {self.task.image}"
            )

    def _stage(self) -> None:
        """Finish the world: the home directory, and the task's own commands."""
        if not any(f"{node.path}/".startswith(f"{HOME}/") for node in self.task.nodes):
            self.sandbox.put([directory(HOME)])
        for command in self.task.setup:
            done = self.sandbox.exec(["bash", "-c", command], cwd=HOME, timeout=SETUP_SECONDS)
            if done.exit_code:
                tail = done.stderr[-300:].decode(errors="replace")
                raise SandboxError(
                    f"the set-up of task {self.task.name} failed (exit {done.exit_code}): {tail}"
                )
