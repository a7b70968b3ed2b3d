"""The harness `mini`: the real mini-swe-agent package, through its own protocols.

Its agent loop runs in a thread of its own; what it executes becomes a command of ours, in a
subshell as it promises its model, and what it asks its model goes to our client.  Prompts and
formats are the package's.  Covers replies that its parser refuses, as turns without a command.
Does not cover its cost limit: nobody tells it prices.  Needs `pip install tmax-gym[mini]`.
"""

from __future__ import annotations

import os
import queue
import re
import threading
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Self

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.client.client import ContextFull, Model, Spent
from tmax_gym.agents.harnesses import window as windows
from tmax_gym.agents.harnesses.dialogue import Log, Rules
from tmax_gym.agents.harnesses.style import in_subshell
from tmax_gym.agents.model_agents import turn_seed
from tmax_gym.envs.observation import SUBMIT, is_submit
from tmax_gym.errors import HarnessError
from tmax_gym.trajectory import Ending

_STATUS = re.compile(r"\n\n\(exit_code=(\w+)\)\Z")
_MARKER = SUBMIT.removeprefix("echo ")
_MACHINE = {"system": "Linux", "release": "6", "version": "#1 SMP", "machine": "x86_64"}


class _Abandoned(BaseException):
    """Nobody waits for this loop any more."""


class _Talk:
    """Two threads that take turns: the package's loop asks, the episode answers."""

    def __init__(self) -> None:
        self.turns: queue.SimpleQueue[Turn | BaseException] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def ask(self, turn: Turn) -> str:
        """Hand a turn over and wait for its observation; in the loop's thread."""
        self.turns.put(turn)
        answer = self._answers.get()
        if answer is None:
            raise _Abandoned
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> bool:
        """Hand what ended the loop over to the episode's thread, where it is raised."""
        if error is not None and not isinstance(error, _Abandoned):
            self.turns.put(error)
        return True

    def answer(self, observation: str | None) -> None:
        """Let the loop go on; None ends it."""
        self._answers.put(observation)


class _Environment:
    """The package's `Environment`."""

    def __init__(self, talk: _Talk) -> None:
        self.config = SimpleNamespace(cwd="")
        self.said = ""
        """What the model said last, for the record."""
        self._talk = talk

    def execute(self, action: Mapping[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command in a subshell; submitting ends the loop."""
        from minisweagent.exceptions import Submitted

        command = str(action.get("command", ""))
        said, self.said = self.said, ""
        if is_submit(command):
            self._talk.ask(Turn(SUBMIT, said))
            raise Submitted(_exit("Submitted"))
        seen = self._talk.ask(Turn(in_subshell(command), said))
        match = _STATUS.search(seen)
        code = int(match[1]) if match and match[1].isdigit() else -1
        output = _STATUS.sub("", seen)
        first = output.lstrip().split("\n", 1)[0].strip()
        if first == _MARKER and code == 0:
            self._talk.ask(Turn(SUBMIT))
            raise Submitted(_exit("Submitted"))
        return {"output": output, "returncode": code, "exception_info": ""}

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Return what prompts may name."""
        return {**_MACHINE, "cwd": "", **kwargs}

    def serialize(self) -> dict[str, Any]:
        """Return nothing: trajectories are ours."""
        return {}


class _Model:
    """The package's `Model`, on our client."""

    def __init__(
        self, model: Model, environment: _Environment, talk: _Talk, *, owner: MiniAgent
    ) -> None:
        self.config = SimpleNamespace(model_name="model")
        self._model = model
        self._environment = environment
        self._talk = talk
        self._owner = owner
        self._templates: Mapping[str, Any] = _settings()["model"]

    def query(self, messages: Sequence[Mapping[str, Any]], **_: Any) -> dict[str, Any]:
        """Return the next message with its actions; raises the package's `FormatError`."""
        from minisweagent.exceptions import FormatError
        from minisweagent.models.utils.actions_toolcall import BASH_TOOL, parse_toolcall_actions

        rows = [
            {k: v for k, v in row.items() if k != "extra"} for row in messages
            if row.get("role") != "exit"
        ]  # fmt: skip
        completion = self._owner.complete(self._model, rows, [BASH_TOOL])
        message = {k: v for k, v in completion.message.items() if k != "reasoning_content"}
        message |= {"role": "assistant", "content": message.get("content") or ""}
        text = str(message["content"])
        found = [
            SimpleNamespace(
                id=str(call.get("id") or f"call-{index}"),
                function=SimpleNamespace(**(call.get("function") or {})),
            )
            for index, call in enumerate(message.get("tool_calls") or ())
        ]
        try:
            actions = parse_toolcall_actions(
                [] if completion.finish == "length" else found,
                format_error_template=self._templates["format_error_template"],
                template_kwargs={"finish_reason": completion.finish},
            )
        except FormatError as error:
            answer = str(error.messages[0].get("content"))
            self._owner.refused(answer)
            self._talk.ask(Turn(reply=text or "(no command)", feedback=answer))
            raise
        self._environment.said = text
        return {**message, "extra": {"actions": actions, "cost": 0.0}}

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        """Return a message."""
        return kwargs

    def format_observation_messages(
        self,
        message: Mapping[str, Any],
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Return what the model is told of its commands, in the package's format."""
        from minisweagent.models.utils.actions_toolcall import (
            format_toolcall_observation_messages,
        )

        rows: list[dict[str, Any]] = format_toolcall_observation_messages(
            actions=message["extra"]["actions"],
            outputs=outputs,
            observation_template=self._templates["observation_template"],
            template_vars=template_vars,
        )
        return rows

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Return what prompts may name."""
        return {"model_name": "model", **kwargs}

    def serialize(self) -> dict[str, Any]:
        """Return nothing: trajectories are ours."""
        return {}


class MiniAgent:
    """mini-swe-agent's default agent; plays one episode at a time."""

    name = "mini"

    def __init__(self, model: Model, *, rules: Rules | None = None, log: Log | None = None) -> None:
        """Choose a model.

        Raises:
            HarnessError: The package is not installed.
        """
        _settings()
        self.spent = Spent()
        self._model = model
        self._rules = rules or Rules()
        self._log: Log = log or (lambda event, **facts: None)
        self._talk: _Talk | None = None
        self._asked = 0
        self._seed = 0

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin; a loop of before is ended."""
        if self._talk is not None:
            self._talk.answer(None)
        self._talk = _Talk()
        self._asked, self._seed, self._begun = 0, seed, False
        self._worker = threading.Thread(
            target=self._work, args=(self._talk, instruction), name="mini", daemon=True
        )

    def act(self, observation: str) -> Turn:
        """Return the next turn."""
        if self._talk is None:
            raise HarnessError("reset the agent before it acts")
        if self._begun:
            self._talk.answer(observation)
        else:
            self._begun = True
            self._worker.start()
        found = self._talk.turns.get()
        if isinstance(found, ContextFull):
            self._log("context_full", turn=self._asked)
            return Turn(ending=Ending.CONTEXT_LIMIT)
        if isinstance(found, BaseException):
            raise found
        if found.command is not None:
            submit = is_submit(found.command)
            self._log("submit" if submit else "command", turn=self._asked - 1,
                      command=found.command)  # fmt: skip
        return found

    @property
    def tokens(self) -> None:
        """Return None: a chat interface hides its tokens."""
        return None

    def complete(
        self,
        model: Model,
        rows: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
    ) -> Any:
        """Ask the model with the room that is left, and count; in the loop's thread."""
        room = self._rules.window.room(windows.total(rows))
        if not room:
            raise ContextFull("the conversation no longer fits")
        found = model(rows, tools=tools, seed=turn_seed(self._seed, self._asked), max_tokens=room)
        self.spent += found.spent
        self._log(
            "model",
            turn=self._asked,
            max_tokens=room,
            finish=found.finish,
            input_tokens=found.spent.input_tokens,
            output_tokens=found.spent.output_tokens,
            retries=found.spent.retries,
        )
        self._asked += 1
        return found

    def refused(self, reason: str) -> None:
        """Record a reply that the package's parser refused."""
        self._log("format_error", turn=self._asked - 1, reason=reason)

    def _work(self, talk: _Talk, instruction: str) -> None:
        """Run the package's loop; what it ends with is the last turn."""
        from minisweagent.agents.default import DefaultAgent

        environment = _Environment(talk)
        model = _Model(self._model, environment, talk, owner=self)
        own = _settings()["agent"]
        with talk:
            agent = DefaultAgent(
                model,
                environment,
                system_template=own["system_template"],
                instance_template=own["instance_template"],
                cost_limit=0.0,
                max_consecutive_format_errors=self._rules.max_format_errors,
            )
            refused = agent.run(instruction).get("exit_status") == "RepeatedFormatError"
            talk.turns.put(Turn(ending=Ending.FORMAT_ERROR if refused else Ending.AGENT_STOPPED))


def _exit(status: str) -> dict[str, Any]:
    return {"role": "exit", "content": "", "extra": {"exit_status": status, "submission": ""}}


def _settings() -> Mapping[str, Any]:
    """Return the package's own prompts.

    Raises:
        HarnessError: It is not installed.
    """
    os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
    try:
        import minisweagent
        import yaml
    except ImportError as error:
        raise HarnessError(
            f"the harness mini is the package mini-swe-agent, which is not here ({error}).\n"
            "Install it with: pip install 'tmax-gym[mini]'"
        ) from error
    text = (minisweagent.package_dir / "config" / "mini.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found
