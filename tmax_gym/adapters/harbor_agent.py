"""Our harnesses as a Harbor agent, in any Harbor environment (0.25 and 0.26) that allows root.

What a harness needs in the machine is prepared before the agent begins, as in our own rollouts.  A
failure there, and later of the machine or of the model's endpoint, raises: Harbor records an
exception and grades nothing.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment

from tmax_gym import __version__
from tmax_gym.agents.agent import Agent, Prepared
from tmax_gym.agents.chat_agent import Metered
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.agents.harnesses.commands import ARGUMENT
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.episodes.observation import elide, is_submit, observation_text
from tmax_gym.errors import SandboxError, TmaxError
from tmax_gym.nodes import Node

T = TypeVar("T")

_STATE = "/tmp/.tmax-shell"
_LONG = "/tmp/.tmax-command"
_PIECE = ARGUMENT // 5
"""Characters of a script in one argument: quoted, each takes at most five bytes."""
_SECONDS = 60
"""Limit of a command that prepares the machine."""
_LATE = 124
"""The exit status of a command that did not end in time, as for `timeout`."""


class RuntimeRequestError(TmaxError):
    """The machine, the model's endpoint or the harness failed while an agent was at work.

    Harbor 0.26 looks at the name of the class: after an exception of this name it grades nothing,
    after an unknown one it grades the state that the agent left.
    """


class HarborGround:
    """A Harbor environment as the machine that a harness prepares; used outside the event loop."""

    def __init__(self, environment: BaseEnvironment, loop: asyncio.AbstractEventLoop) -> None:
        self._environment = environment
        self._loop = loop

    def put(self, nodes: Sequence[Node]) -> None:
        """Create these entries as root; raise `SandboxError` if that fails."""
        self._wait(self._put(nodes))

    def probe(self, command: str) -> int:
        """Run a command as the agent would; return its status, 124 if it is late."""
        try:
            run = self._environment.exec(command=command, timeout_sec=_SECONDS)
            return int(self._wait(run).return_code)
        except TimeoutError:
            return _LATE

    def _wait(self, call: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    async def _put(self, nodes: Sequence[Node]) -> None:
        directories = [node for node in nodes if node.kind == "dir"]
        files = [node for node in nodes if node.kind == "file"]
        links = [node for node in nodes if node.kind == "link"]
        await self._as_root([f"mkdir -p {shlex.quote(n.path)}" for n in directories])
        await self._as_root(map(_owned, directories))
        with tempfile.TemporaryDirectory() as place:
            for number, node in enumerate(files):
                local = Path(place, str(number))
                local.write_bytes(node.data or b"")
                await self._environment.upload_file(local, node.path)
        await self._as_root(map(_owned, files))
        await self._as_root(f"ln -sfn {shlex.quote(n.target)} {shlex.quote(n.path)}" for n in links)

    async def _as_root(self, commands: Iterable[str]) -> None:
        script = " && ".join(commands)
        if not script:
            return
        done = await self._environment.exec(command=script, user="root", timeout_sec=_SECONDS)
        if done.return_code:
            output = ((done.stdout or "") + (done.stderr or ""))[-300:].strip()
            raise SandboxError(
                f"the files that the harness needs cannot be put into the machine: {output}\n"
                "Use an image whose / can be written, or the harness bash, which needs no files."
            )


def _owned(node: Node) -> str:
    path = shlex.quote(node.path)
    return f"chown {node.uid}:{node.gid} {path} && chmod {node.mode:o} {path}"


class TmaxAgent(BaseAgent):  # type: ignore[misc]
    """One of our harnesses as a Harbor agent, in any Harbor environment.

    Harbor's environments have no persistent shell: each command runs in a new one, which takes over
    the directory and the exported variables of the one before.
    """

    def __init__(
        self,
        logs_dir: Path,
        model_name: str | None = None,
        *args: Any,
        harness: str = "bash",
        endpoint: str = "",
        key_env: str = "OPENAI_API_KEY",
        max_steps: int = 64,
        command_timeout: int = 120,
        window: int = 32_768,
        **kwargs: Any,
    ) -> None:
        """Take Harbor's arguments, and `--ak harness=… --ak endpoint=…` and so on."""
        super().__init__(logs_dir, model_name, *args, **kwargs)
        self._harness = harness
        self._endpoint = endpoint or os.environ.get("OPENAI_BASE_URL", "")
        self._key = os.environ.get(key_env, "")
        self._steps = int(max_steps)
        self._seconds = int(command_timeout)
        self._window = int(window)

    @staticmethod
    def name() -> str:
        """Return its name."""
        return "tmax"

    def version(self) -> str:
        """Return this package's version."""
        return __version__

    async def setup(self, environment: BaseEnvironment) -> None:
        """Check that a model and an endpoint are given, and prepare what the harness needs.

        Raises:
            SandboxError: The machine lacks it, and it cannot be provided.
        """
        if not self._endpoint or not self.model_name:
            raise ValueError("give -m MODEL and --ak endpoint=http://HOST:PORT/v1")
        agent = self._agent()
        if isinstance(agent, Prepared):
            ground = HarborGround(environment, asyncio.get_running_loop())
            await asyncio.to_thread(agent.prepare, ground)

    def _agent(self) -> Agent:
        inputs = AgentInputs(
            Client(Connection(self._endpoint, str(self.model_name), self._key)),
            budget=Budget(Window(tokens=self._window), self._steps),
            options={"command_seconds": self._seconds},
        )
        return make_agent(self._harness, inputs)

    async def run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None:
        """Let the model work until it submits or reaches a limit.

        Raises:
            RuntimeRequestError: Something failed that the model did not cause.
        """
        try:
            await self._run(instruction, environment, context)
        except Exception as error:
            raise RuntimeRequestError(f"{type(error).__name__}: {error}") from error

    async def _run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None:
        agent = self._agent()
        agent.reset(instruction, seed=0)
        observation = ""
        for _ in range(self._steps):
            turn = await asyncio.to_thread(agent.act, observation)
            if isinstance(agent, Metered):
                context.n_input_tokens = agent.spent.input_tokens
                context.n_cache_tokens = agent.spent.cached_tokens
                context.n_output_tokens = agent.spent.output_tokens
            if turn.ending is not None or (turn.command and is_submit(turn.command)):
                return
            observation = ""
            if turn.command is not None:
                observation = await self._step(environment, turn.command)

    async def _step(self, environment: BaseEnvironment, command: str) -> str:
        script = (
            f"[ -f {_STATE} ] && . {_STATE} >/dev/null 2>&1; eval {shlex.quote(command)}; "
            f"code=$?; {{ export -p; printf 'cd %q\\n' \"$PWD\"; }} > {_STATE}; exit $code"
        )
        try:
            if len(script.encode(errors="replace")) >= ARGUMENT:
                script = await _kept(environment, script)
            done = await environment.exec(command=script, timeout_sec=self._seconds)
        except TimeoutError:
            notice = f"No end after {self._seconds} s: the command was stopped."
            return observation_text("", None, notice=notice)
        output = (done.stdout or "") + (done.stderr or "")
        return observation_text(elide(output), done.return_code)


async def _kept(environment: BaseEnvironment, script: str) -> str:
    """Write a script that is too long for an argument into a file; return the command to run it.

    The agent's own user writes it: if the agent has broken /tmp, it sees that as output.
    """
    for at in range(0, len(script), _PIECE):
        write = f"printf %s {shlex.quote(script[at : at + _PIECE])} {'>>' if at else '>'} {_LONG}"
        await environment.exec(command=write, timeout_sec=_SECONDS)
    return f". {_LONG}"
