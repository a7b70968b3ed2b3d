"""The agent that runs a Harbor task's own solution, step by step, by commands in its shell.

Covers solutions that take longer than a command may: they run in the background and are waited
for.  As with Harbor `solve.sh` is a program: its first line says what runs it.  A solution that
could not be started is a fault of the task and no zero.  One without a network is told so at once,
as test scripts are.  Does not cover tasks without a solution.
"""

from __future__ import annotations

import base64
import io
import os
import re
import shlex
import tarfile
from collections.abc import Mapping

from tmax_gym.agents.agent import Ground, Turn
from tmax_gym.envs.observation import SUBMIT
from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.episode import Trial, TrialEpisode
from tmax_gym.harbor.run.grading import offline
from tmax_gym.harbor.run.grading.doubts import unsolvable
from tmax_gym.harbor.run.opened import Opened
from tmax_gym.harbor.tasks.directory import HarborStep
from tmax_gym.harbor.tasks.scripts import interpreter
from tmax_gym.harbor.tasks.templates import resolve
from tmax_gym.trajectory import Ending

PIECE = 96 << 10
"""Characters of a solution's archive in one command: shells take 400 kB and more."""
_TYPES = {"file": tarfile.REGTYPE, "dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}
_ENDED = "solve.sh ended with status"
_WAIT = (
    'for i in $(seq 200); do kill -0 "$oracle" 2>/dev/null || break; sleep 0.1; done; '
    'if kill -0 "$oracle" 2>/dev/null; then echo still running; else wait "$oracle"; '
    f'echo "{_ENDED} $?"; tail -c 2000 /tmp/.oracle.log; fi'
)
"""Twenty seconds at a time: less than any command's own limit."""
_UNSTARTED = re.compile(
    rf"{_ENDED} 12[67]\b(?:\s*\n(/\S+/env: .*)|.*?^(.*/solution/solve\.sh: (?!line \d).*)$)",
    re.DOTALL | re.MULTILINE,
)
"""What bash, or `#!/usr/bin/env`, says of a program that it cannot start."""


class SolutionAgent:
    """Unpacks a step's solution, runs it, waits for its end, submits; then the next step."""

    name = "oracle"

    def __init__(self, trial: Trial) -> None:
        """Take a task.

        Raises:
            HarborError: One of its steps has no solution, or one that Linux cannot run.
        """
        bare = [s.name or "the task" for s in trial.harbor.steps if s.solution is None]
        if bare:
            raise HarborError(f"task {trial.name} has no solution/solve.sh for {', '.join(bare)}")
        for step in trial.harbor.steps:
            if reason := unsolvable(trial.harbor, step):
                raise HarborError(f"task {trial.name} cannot be solved by its oracle: {reason}")
        self._trial = trial
        self._machine: Opened | None = None
        self._commands(0)  # what cannot be read is told before a machine starts
        self.reset("", seed=0)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Start over."""
        self._step = 0
        self._left: list[str] | None = None
        self._waiting = False
        self._machine = None

    def prepare(self, ground: Ground) -> None:
        """Learn whether the machine has a network."""
        if isinstance(ground, TrialEpisode):
            self._machine = ground.machine

    def act(self, observation: str) -> Turn:
        """Return the next command.

        Raises:
            HarborError: The solution could not be started.
        """
        if self._waiting and _ENDED not in observation:
            return Turn(_WAIT)
        if self._waiting and (failed := _UNSTARTED.search(observation)):
            said = (failed[1] or failed[2]).splitlines()[0].strip()
            raise HarborError(
                f"task {self._trial.name}: its {self._script()} cannot be started in this machine: "
                f"{said}"
            )
        self._waiting = False
        if self._left is None:
            more = self._step < len(self._trial.harbor.steps)
            self._left = self._commands(self._step) if more else []
        if self._left:
            command = self._left.pop(0)
            self._waiting = command == _WAIT
            return Turn(command)
        self._step += 1
        if self._step > len(self._trial.harbor.steps):
            return Turn(ending=Ending.AGENT_STOPPED)
        self._left = None
        return Turn(SUBMIT)

    @property
    def tokens(self) -> None:
        """Return None."""
        return None

    def _commands(self, index: int) -> list[str]:
        step = self._trial.harbor.steps[index]
        packed = base64.b64encode(self._archive(step)).decode()
        commands = ["rm -rf /solution/* /tmp/.solution; mkdir -p /solution"]
        commands += [
            f"cat >> /tmp/.solution <<'END'\n{packed[at : at + PIECE]}\nEND"
            for at in range(0, len(packed), PIECE)
        ]
        env = {
            **self._offline(step),
            **resolve(self._trial.harbor.config.solution_env, os.environ),
        }
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
        commands += [
            "tr -d '\\n' < /tmp/.solution | base64 -d | tar -xpz -C /solution; rm /tmp/.solution; "
            "chmod +x /solution/solve.sh",  # as Harbor does, for this script alone
            f"env {words} DEBIAN_FRONTEND=noninteractive bash -c /solution/solve.sh "
            "> /tmp/.oracle.log 2>&1 < /dev/null & oracle=$!",
            _WAIT,
        ]
        return commands

    def _offline(self, step: HarborStep) -> Mapping[str, str]:
        """Return what tells the programs of a solution that there is no network."""
        if self._machine is None:
            return {}
        script = self._trial.harbor.directory / f"{step.solution}/solve.sh"
        return offline.equip(self._machine, script.read_bytes().decode(errors="replace"))

    def _script(self) -> str:
        """Return what the solution of this step is called, and what runs it."""
        name = f"{self._trial.harbor.steps[self._step].solution}/solve.sh"
        named = interpreter((self._trial.harbor.directory / name).read_bytes())
        return f"{name} (its first line names {named})" if named else name

    def _archive(self, step: HarborStep) -> bytes:
        raw = io.BytesIO()
        below = f"{step.solution}/"
        with tarfile.open(fileobj=raw, mode="w:gz") as out:
            for entry in self._trial.harbor.entries(str(step.solution)):
                member = tarfile.TarInfo(entry.name.removeprefix(below))
                member.type, member.mode = _TYPES[entry.kind], entry.mode
                member.linkname = entry.target
                data = entry.path.read_bytes() if entry.kind == "file" else b""
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
        return raw.getvalue()
