"""The harness `mini`: runs the package mini-swe-agent, with its own prompts and formats.

The package's agent loop runs in a thread of its own.  Its commands run in subshells of our shell,
and its requests go to our client; a reply that its parser refuses is a turn without a command.  Its
cost limit has no effect, because it knows no prices.  Needs `pip install tmax-gym[mini]`.
"""

from __future__ import annotations

import os
import queue
import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.chat_agent import MeteredModel
from tmax_gym.agents.client.client import Completion, ContextFull, Model, Spent
from tmax_gym.agents.harness import MAX_FORMAT_ERRORS, Message
from tmax_gym.agents.harnesses import window as windows
from tmax_gym.agents.harnesses.commands import in_subshell
from tmax_gym.agents.harnesses.window import Budget
from tmax_gym.agents.model_agent import Log, no_log
from tmax_gym.episodes.observation import SUBMIT, is_submit
from tmax_gym.errors import HarnessError
from tmax_gym.trajectory import Ending

_STATUS = re.compile(r"\n\n\(exit_code=(\w+)\)\Z")
_MARKER = SUBMIT.removeprefix("echo ")
_MACHINE = {"system": "Linux", "release": "6", "version": "#1 SMP", "machine": "x86_64"}


class _Abandoned(BaseException):
    """The episode of this loop has ended."""


class _Episode:
    """The package's loop in a thread of its own, with this object as its `Model` and `Environment`.

    The loop passes a turn to the episode's thread and waits for the observation.
    """

    def __init__(self, model: MeteredModel, *, budget: Budget, log: Log, seed: int) -> None:
        self.config = SimpleNamespace(cwd="", model_name="model")
        self.turns: queue.SimpleQueue[Turn | BaseException] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        """Observations; None ends the loop."""
        self.asked = 0
        self._model, self._budget, self._log, self._seed = model, budget, log, seed
        self._settings = _settings()
        self._text = ""
        """The model's last text, for the trajectory."""

    def run(self, instruction: str) -> None:
        """Run the package's loop; its end, or its error, is the last turn."""
        from minisweagent.agents.default import DefaultAgent

        own = self._settings["agent"]
        with ExitStack() as stack:
            stack.push(self._hand_over)
            agent = DefaultAgent(
                self,
                self,
                system_template=own["system_template"],
                instance_template=own["instance_template"],
                cost_limit=0.0,
                max_consecutive_format_errors=MAX_FORMAT_ERRORS,
            )
            refused = agent.run(instruction).get("exit_status") == "RepeatedFormatError"
            self.turns.put(Turn(ending=Ending.FORMAT_ERROR if refused else Ending.AGENT_STOPPED))

    def _hand_over(self, _: object, error: BaseException | None, __: object) -> bool:
        """Pass the error that ended the loop to the episode's thread, which raises it."""
        if error is not None and not isinstance(error, _Abandoned):
            self.turns.put(error)
        return True

    def execute(self, action: Mapping[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command in a subshell; submitting ends the loop."""
        command = str(action.get("command", ""))
        text, self._text = self._text, ""
        if is_submit(command):
            self._submit(text)
        observation = self._ask(Turn(in_subshell(command), text))
        match = _STATUS.search(observation)
        code = int(match[1]) if match and match[1].isdigit() else -1
        output = _STATUS.sub("", observation)
        if output.lstrip().split("\n", 1)[0].strip() == _MARKER and code == 0:
            self._submit("")
        return {"output": output, "returncode": code, "exception_info": ""}

    def query(self, messages: Sequence[Message], **_: Any) -> dict[str, Any]:
        """Return the next message with its actions; raises the package's `FormatError`."""
        from minisweagent.exceptions import FormatError
        from minisweagent.models.utils.actions_toolcall import parse_toolcall_actions

        completion = self._complete(messages)
        message = {k: v for k, v in completion.message.items() if k != "reasoning_content"}
        message |= {"role": "assistant", "content": message.get("content") or ""}
        text = str(message["content"])
        calls = [
            SimpleNamespace(
                id=str(call.get("id") or f"call-{index}"),
                function=SimpleNamespace(**(call.get("function") or {})),
            )
            for index, call in enumerate(message.get("tool_calls") or ())
        ]
        try:
            actions = parse_toolcall_actions(
                [] if completion.finish == "length" else calls,
                format_error_template=self._settings["model"]["format_error_template"],
                template_kwargs={"finish_reason": completion.finish},
            )
        except FormatError as error:
            answer = str(error.messages[0].get("content"))
            self._log("format_error", turn=self.asked - 1, reason=answer)
            self._ask(Turn(reply=text or "(no command)", feedback=answer))
            raise
        self._text = text
        return {**message, "extra": {"actions": actions, "cost": 0.0}}

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        """Return a message."""
        return kwargs

    def format_observation_messages(
        self, message: Message, outputs: list[dict[str, Any]], template_vars: Mapping[str, Any]
    ) -> Any:
        """Return the observations for the model, in the package's format."""
        from minisweagent.models.utils import actions_toolcall

        return actions_toolcall.format_toolcall_observation_messages(
            actions=message["extra"]["actions"],
            outputs=outputs,
            observation_template=self._settings["model"]["observation_template"],
            template_vars=template_vars,
        )

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Return the variables of the prompts."""
        return {**_MACHINE, "cwd": "", "model_name": "model", **kwargs}

    def serialize(self) -> dict[str, Any]:
        """Return nothing: we record trajectories ourselves."""
        return {}

    def _ask(self, turn: Turn) -> str:
        """Pass a turn to the episode's thread and wait for the observation."""
        self.turns.put(turn)
        answer = self.answers.get()
        if answer is None:
            raise _Abandoned
        return answer

    def _submit(self, text: str) -> None:
        from minisweagent.exceptions import Submitted

        self._ask(Turn(SUBMIT, text))
        extra = {"exit_status": "Submitted", "submission": ""}
        raise Submitted({"role": "exit", "content": "", "extra": extra})

    def _complete(self, messages: Sequence[Message]) -> Completion:
        """Ask the model for a reply that fits into the window."""
        from minisweagent.models.utils.actions_toolcall import BASH_TOOL

        rows = [
            {k: v for k, v in row.items() if k != "extra"}
            for row in messages
            if row.get("role") != "exit"
        ]
        room = self._budget.window.room(windows.total(rows))
        if not room:
            raise ContextFull("the conversation no longer fits")
        turn, seed = self.asked, self._seed
        completion = self._model(rows, tools=[BASH_TOOL], seed=seed, turn=turn, max_tokens=room)
        self.asked += 1
        return completion


class MiniAgent:
    """mini-swe-agent's default agent; plays one episode at a time."""

    name = "mini"
    tokens: None = None

    def __init__(self, model: Model, *, budget: Budget, log: Log = no_log) -> None:
        """Choose a model; raises `HarnessError` if the package is not installed."""
        _settings()
        self._model = MeteredModel(model, log)
        self._budget = budget
        self._log = log
        self._episode: _Episode | None = None

    @property
    def spent(self) -> Spent:
        """Return the calls and tokens since the agent was made."""
        return self._model.spent

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode; end the loop of an earlier one."""
        if self._episode is not None:
            self._episode.answers.put(None)
        self._episode = _Episode(self._model, budget=self._budget, log=self._log, seed=seed)
        self._worker = threading.Thread(
            target=self._episode.run, args=(instruction,), name="mini", daemon=True
        )

    def act(self, observation: str) -> Turn:
        """Return the next turn."""
        episode = self._episode
        if episode is None:
            raise HarnessError("reset the agent before it acts")
        if self._worker.ident is None:
            self._worker.start()
        else:
            episode.answers.put(observation)
        turn = episode.turns.get()
        if isinstance(turn, ContextFull):
            self._log("context_full", turn=episode.asked)
            return Turn(ending=Ending.CONTEXT_LIMIT)
        if isinstance(turn, BaseException):
            raise turn
        if turn.command is not None:
            event = "submit" if is_submit(turn.command) else "command"
            self._log(event, turn=episode.asked - 1, command=turn.command)
        return turn


@lru_cache(maxsize=1)
def _settings() -> Mapping[str, Any]:
    """Return the package's own prompts; raise `HarnessError` if it is not installed."""
    os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
    try:
        import minisweagent
        import yaml
    except ImportError as error:
        raise HarnessError(
            f"the harness mini needs the package mini-swe-agent, which is not here ({error}).\n"
            "Install it with: pip install 'tmax-gym[mini]'"
        ) from error
    text = (minisweagent.package_dir / "config" / "mini.yaml").read_text(encoding="utf-8")
    settings: Mapping[str, Any] = yaml.safe_load(text)
    return settings
