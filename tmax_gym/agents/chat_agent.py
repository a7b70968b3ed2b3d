"""`ChatAgent`: a model behind a chat interface as an agent, in any harness.

It keeps the messages within the context window, whose size the endpoint may tell, leaves out old
outputs, and counts tokens.  `client/` talks to the endpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.client.client import Completion, ContextFull, Model, Spent
from tmax_gym.agents.client.pieces import content_text
from tmax_gym.agents.harness import Action, FormatError, Harness, Message
from tmax_gym.agents.harnesses import window as windows
from tmax_gym.agents.harnesses.window import Budget
from tmax_gym.agents.model_agent import Log, ModelAgent, no_log, turn_seed
from tmax_gym.trajectory import Ending

_CUT = "The reply was too long and was cut off: say less, act sooner."


@runtime_checkable
class Metered(Protocol):
    """An agent that counts the calls and tokens of its model."""

    spent: Spent
    """Counted since the agent was made: a repeated episode has its price too."""


class MeteredModel:
    """A model whose calls and tokens are counted and logged."""

    def __init__(self, model: Model, log: Log) -> None:
        self.spent = Spent()
        self._model = model
        self._log = log

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]],
        seed: int,
        turn: int,
        max_tokens: int,
    ) -> Completion:
        """Return the reply of one turn of an episode with this seed; see `Model`."""
        completion = self._model(
            messages, tools=tools, seed=turn_seed(seed, turn), max_tokens=max_tokens
        )
        spent = completion.spent
        self.spent += spent
        self._log(
            "model",
            turn=turn,
            max_tokens=max_tokens,
            finish=completion.finish,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            retries=spent.retries,
        )
        return completion


class ChatAgent(ModelAgent):
    """A model behind a chat interface, in a harness.

    `log` also gets the events `model`, `compacted` and `context_full`.
    """

    observed_as = "user"
    tokens: None = None

    def __init__(
        self, model: Model, harness: Harness, *, budget: Budget | None = None, log: Log = no_log
    ) -> None:
        self._model = MeteredModel(model, log)
        self._budget = budget or Budget()
        super().__init__(harness, name=harness.name, log=log)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin with the opening messages and the whole window."""
        super().reset(instruction, seed=seed)
        self._window = self._budget.window
        self._known = (0, 0)
        """The tokens that the endpoint has counted, and in how many messages."""

    @property
    def spent(self) -> Spent:
        """Return the calls and tokens since the agent was made."""
        return self._model.spent

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return the conversation so far."""
        return tuple(self._messages)

    def _ask(self) -> Turn:
        completion = self._completion()
        if completion is None:
            self._log("context_full", turn=self._asked, tokens=self._used())
            return Turn(ending=Ending.CONTEXT_LIMIT)
        text = content_text(completion.message.get("content"))
        return self._read(completion.message, text, cut=_CUT * (completion.finish == "length"))

    def _completion(self) -> Completion | None:
        """Return the model's next message; None if the window is full."""
        for _ in range(3):
            room = self._window.room(self._used())
            if not room and self._compact():
                room = self._window.room(self._used())
            if not room:
                return None
            try:
                completion = self._model(
                    tuple(self._messages),
                    tools=self._harness.tools,
                    seed=self._seed,
                    turn=self._asked,
                    max_tokens=room,
                )
            except ContextFull as full:
                self._learn(full)
                continue
            counted = completion.spent.input_tokens
            self._known = (counted, len(self._messages)) if counted else (0, 0)
            self._asked += 1
            return completion
        return None

    def _learn(self, full: ContextFull) -> None:
        """Take over the sizes of the window and the conversation that an endpoint has told."""
        self._log("context_full", turn=self._asked, text=str(full)[:200])
        estimate = self._used()
        if full.window is not None and full.window < self._window.tokens:
            self._window = replace(self._window, tokens=full.window)
        if full.prompt is not None and full.prompt > estimate:
            self._known = (full.prompt, len(self._messages))
        elif full.window is None or full.window >= self._window.tokens:
            # The endpoint told nothing new: the estimate is too low by an unknown amount.
            self._window = replace(self._window, tokens=int(self._window.tokens * 0.75))

    def _compact(self) -> bool:
        """Leave out old outputs; return whether that was possible."""
        if not self._window.compact:
            return False
        smaller = windows.compacted(self._messages, goal=self._window.tokens // 2)
        if smaller is None:
            return False
        self._log("compacted", before=self._used(), after=windows.total(smaller))
        self._messages, self._known = list(smaller), (0, 0)
        return True

    def _used(self) -> int:
        known, counted = self._known
        return windows.total(self._messages, known=known, counted=counted)

    def _noted(self, text: str) -> str:
        """Return an observation with a notice if few steps or tokens are left."""
        steps = self._budget.steps
        left = None if steps is None else steps - self._steps
        scarce = windows.notice(self._window, used=self._used() + len(text) // 3, steps_left=left)
        return f"{text}\n\n{scarce}" if scarce else text

    def _accept(self, reply: Message, text: str, actions: Sequence[Action]) -> None:
        """Remember a reply with the calls that will be answered: endpoints want an answer to each.

        Other fields are left out, because servers do not agree on reasoning, for example.
        """
        super()._accept(reply, text, actions)
        answered = {action.call_id for action in actions}
        calls = [
            {**call, "id": name, "type": "function"}
            for index, call in enumerate(reply.get("tool_calls") or ())
            if (name := str(call.get("id") or f"call-{index}")) in answered
        ]
        row: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:  # strict endpoints refuse "" beside calls
            row |= {"content": text or None, "tool_calls": calls}
        self._messages.append(row)

    def _refuse(self, error: FormatError, text: str) -> Turn:
        text = text or "(no command)"
        self._messages.append({"role": "assistant", "content": text})
        return super()._refuse(error, text)
