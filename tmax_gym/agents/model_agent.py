"""`ModelAgent`: the base class of agents with a model, which turns replies into commands.

It handles several actions in one reply, unreadable replies and tasks of several steps, and logs
every event.  `chat_agent.py` and `token_agent.py` ask the model.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal

from tmax_gym.agents.agent import Ground, Prepared, Turn
from tmax_gym.agents.harness import SETUP, Action, FormatError, Harness, Message
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.trajectory import Ending

Log = Callable[..., object]
"""A function like `EventLog.add`: it takes an event's name, and its facts by keyword."""


def no_log(event: str, **facts: object) -> None:
    """Record nothing."""


def turn_seed(seed: int, turn: int) -> int:
    """Return the sampling seed of one turn: 63 bits, independent between turns and episodes."""
    digest = hashlib.blake2b(f"{seed}/{turn}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class ModelAgent(ABC):
    """A model in a harness; plays one episode at a time.

    `log` gets the events `command`, `submit`, `answer` and `format_error`.
    """

    observed_as: Literal["tool", "user"]
    """The role of an observation that does not answer a tool call."""

    def __init__(self, harness: Harness, *, name: str, log: Log = no_log) -> None:
        self.name = name
        self._harness = harness
        self._log = log
        self.reset("", seed=0)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin with the opening messages."""
        self._messages: list[Message] = list(self._harness.opening(instruction))
        self._seed = seed
        self._asked = 0
        self._steps = 0
        self._errors = 0
        self._running: Action | None = None
        self._queue = self._setup()

    def prepare(self, ground: Ground) -> None:
        """Let the harness prepare the machine, before the first turn."""
        if isinstance(self._harness, Prepared):
            self._harness.prepare(ground)

    def act(self, observation: str) -> Turn:
        """Return the next turn."""
        if self._running is not None:
            running, self._running = self._running, None
            self._hear(running, observation)
        return self._do(self._queue.pop(0)) if self._queue else self._ask()

    @abstractmethod
    def _ask(self) -> Turn:
        """Ask the model for a reply and return its first turn."""

    def _noted(self, text: str) -> str:
        """Return an observation; subclasses may add a notice."""
        return text

    def _read(self, reply: Message, text: str, *, cut: str = "") -> Turn:
        """Return the first turn of a reply, whose `text` trajectories record.

        `cut` is the answer to a reply that was cut off, or "": half a command must not run.
        """
        actions = FormatError(cut) if cut else self._harness.parse(reply)
        if isinstance(actions, FormatError):
            return self._refuse(actions, text)
        self._accept(reply, text, actions)
        return self._do(self._queue.pop(0), reply=text)

    def _accept(self, reply: Message, text: str, actions: Sequence[Action]) -> None:
        self._errors = 0
        self._queue = list(actions)

    def _refuse(self, error: FormatError, text: str) -> Turn:
        self._errors += 1
        self._steps += 1
        self._log("format_error", turn=self._asked - 1, reason=error.reason)
        answer = self._harness.feedback(error)
        self._messages.append({"role": "user", "content": answer})
        last = self._errors >= self._harness.max_format_errors
        return Turn(reply=text, feedback=answer, ending=Ending.FORMAT_ERROR if last else None)

    def _do(self, action: Action, *, reply: str = "") -> Turn:
        if action.command:
            command = SUBMIT if action.submits else action.command
            self._running = action
            self._steps += 1
            event = "submit" if action.submits else "command"
            self._log(event, turn=self._asked - 1, command=command)
            return Turn(command, reply)
        self._tell(action, action.answer)
        if self._queue:
            return self._do(self._queue.pop(0), reply=reply)
        self._steps += 1
        self._log("answer", turn=self._asked - 1, tool=action.tool)
        return Turn(reply=reply or f"({action.tool})", feedback=action.answer)

    def _hear(self, action: Action, observation: str) -> None:
        """Add the result of an action to the messages."""
        if action.submits:  # a task of several steps goes on
            self._tell(action, "(submitted)")
            self._messages.append({"role": "user", "content": f"The next part:\n\n{observation}"})
            self._queue = self._setup()  # the programs of the last part have ended
            return
        text = self._harness.observe(action, observation)
        if action.quiet:
            return
        if action.tool == SETUP:  # joins the last message: some endpoints want roles to alternate
            last = self._messages[-1]
            self._messages[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
            return
        self._tell(action, self._noted(text))

    def _tell(self, action: Action, text: str) -> None:
        call = {"role": "tool", "tool_call_id": action.call_id}
        row = call if action.call_id else {"role": self.observed_as}
        self._messages.append({**row, "content": text})

    def _setup(self) -> list[Action]:
        setup = self._harness.setup
        return [Action(setup, tool=SETUP)] if setup else []
