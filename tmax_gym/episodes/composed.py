"""An episode of one of our own tasks: a fresh sandbox with the task's files, then grading.

A machine or a verifier that fails raises an exception; it never becomes a reward.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Protocol

from tmax_gym.checks.verdict import Verdict
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.shell_episode import ShellEpisode
from tmax_gym.episodes.task import Regradable
from tmax_gym.errors import ImageError, SandboxError, VerifierError
from tmax_gym.grading.verifier import verify
from tmax_gym.nodes import directory
from tmax_gym.sandboxes import Backend, Layer
from tmax_gym.sandboxes.images import default_image, missing_tools

HOME = "/app"
"""Where every shell starts."""
SETUP_SECONDS = 60.0
"""Limit of each set-up command of a task."""


class Composed(Regradable, Protocol):
    """What an episode needs from its task; `tasks.compose.Task` implements it."""

    @property
    def layer(self) -> Layer:
        """Return the task's files as a layer that all of its episodes may share."""

    @property
    def setup(self) -> tuple[str, ...]:
        """Return the commands that complete the files."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the programs that a solution needs."""


class ComposedEpisode(ShellEpisode):
    """A running episode; `close` ends it, whether it was graded or not."""

    def __init__(
        self,
        task: Composed,
        backend: Backend,
        *,
        limits: EpisodeLimits,
        seed: int,
        image: str | None = None,
    ) -> None:
        """Start the machine, put the task's files there, start the shell.

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
        """Grade what is left; see `Episode.grade`."""
        seconds = self.limits.verify_timeout
        try:
            return verify(
                self.task, self.sandbox, self._backend, image=self._image, timeout=seconds
            )
        except SandboxError as error:
            # This includes a backend or an image that has disappeared since the start.
            raise SandboxError(f"task {self.task.name} could not be graded: {error}") from error
        except VerifierError as error:
            raise VerifierError(f"task {self.task.name} was not graded: {error}") from error

    def _check_tools(self) -> None:
        """Refuse a task whose solution needs programs that the image lacks."""
        may_lack = self._image == "host" or self._image != self.task.image != "core"
        lacking = missing_tools(self._image, self.task.tools) if may_lack else ()
        if lacking:
            raise ImageError(
                f"task {self.task.name} needs {', '.join(lacking)}, which the image "
                f"{self._image!r} lacks.\n"
                f"Build the one that has it: tmax images build {self.task.image}"
            )

    def _stage(self) -> None:
        """Complete the task's files: the home directory, and the set-up commands."""
        if not any(f"{node.path}/".startswith(f"{HOME}/") for node in self.task.nodes):
            self.sandbox.put([directory(HOME)])
        for command in self.task.setup:
            done = self.sandbox.exec(["bash", "-c", command], cwd=HOME, timeout=SETUP_SECONDS)
            if done.exit_code:
                tail = done.stderr[-300:].decode(errors="replace")
                raise SandboxError(
                    f"the set-up of task {self.task.name} failed (exit {done.exit_code}): {tail}"
                )
