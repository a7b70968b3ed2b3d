"""`Client`: a model behind any OpenAI-compatible endpoint (vLLM, SGLang, llama.cpp, a cloud).

It acts on the outcomes of `answers.py`: it returns a reply, tries again while tries and time last,
and leaves out a refused parameter from then on.  Every wait has a limit: for the silence in one
try, for one reply with all its tries, and for the episode.  The server must parse tool calls.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

from tmax_gym.agents.client import answers, wire
from tmax_gym.agents.client.answers import Answer, Asking, Drop, Failed, Full, Later, Reply, number
from tmax_gym.agents.client.listening import Pace, listen, open_client
from tmax_gym.agents.client.parameters import Learnt
from tmax_gym.errors import ModelError, ModelLate, ModelRefused

LONGEST_WAIT = 60.0
"""Longest pause between tries, unless the endpoint asks for more."""
_DROPS = 12
"""Most parameters that one request may lose; there are fewer."""
_HOPS = 3
_LIMIT = re.compile(r"(?:maximum|max|limit of)\D{0,40}?(\d{3,8})", re.IGNORECASE)
_GIVEN = re.compile(r"(\d{2,8})\D{0,30}(?:in the messages|prompt|input)", re.IGNORECASE)


class ContextFull(ModelError):
    """The conversation and the room for a reply do not fit."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        limit, given = _LIMIT.search(text), _GIVEN.search(text)
        self.window = int(limit[1]) if limit else None
        """Tokens of the whole window, if the endpoint told."""
        self.prompt = int(given[1]) if given else None
        """Tokens of the conversation, if the endpoint told."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The calls and tokens of a model."""

    calls: int = 0
    input_tokens: int = 0
    """Includes cached tokens."""
    cached_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    waited: float = 0.0
    """Seconds between tries."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(getattr(self, n) + getattr(other, n) for n in Spent.__slots__))


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model."""

    message: Mapping[str, Any]
    """An assistant message."""
    finish: str
    """`stop`, `tool_calls`, `length`, …"""
    spent: Spent = Spent()


class Model(Protocol):
    """A model behind a chat interface."""

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]],
        seed: int,
        max_tokens: int,
    ) -> Completion:
        """Return the next message.

        Raises:
            ContextFull: The conversation no longer fits.
            ModelError: There is no answer after all tries.
        """


@dataclass(frozen=True, slots=True)
class Connection:
    """The address of a model, and how requests are made."""

    base_url: str
    """Up to and including `/v1`."""
    model: str
    key: str = ""
    temperature: float | None = 0.7
    """As in TMax's evaluation, like `top_p`; None for the server's default."""
    top_p: float | None = 0.95
    stream: bool = True
    tries: int = 6
    first_wait: float = 1.0
    """Seconds before the second try; doubles with each try."""
    request_seconds: float = 600.0
    """Longest silence within one try (as in OpenAI's own client)."""
    turn_seconds: float = 1800.0
    """Longest time for one reply: all tries, and the pauses between them."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a client needs from the trial that it works for."""

    pause: Callable[[float], object] = time.sleep
    """Waits between tries; may raise to stop."""
    left: Callable[[], float] = field(default=lambda: math.inf)
    """Returns the seconds that the episode has left; may raise to stop."""
    log: Callable[..., object] = field(default=lambda event, **facts: None)
    """Gets the events `endpoint_waits` and `parameter_left_out`, with their reasons."""


class Client:
    """Asks one endpoint; several episodes may share a client."""

    def __init__(
        self,
        connection: Connection,
        *,
        learnt: Learnt | None = None,
        around: Surroundings | None = None,
    ) -> None:
        """Choose an endpoint; `learnt` can be shared by the clients of a run."""
        self.connection = connection
        self._url = connection.base_url.rstrip("/") + "/chat/completions"
        self._learnt = learnt or Learnt()
        self._around = around or Surroundings()

    @cached_property
    def _http(self) -> Any:
        return open_client(self.connection.request_seconds, self.connection.key)

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]],
        seed: int,
        max_tokens: int,
    ) -> Completion:
        """Return the next message; see `Model`."""
        own = self.connection
        body = {
            "model": own.model,
            "messages": list(messages),
            "seed": seed % (1 << 31),
            "temperature": own.temperature,
            "top_p": own.top_p,
            "max_tokens": max_tokens,
            "tools": list(tools) or None,
            "stream": own.stream or None,
            "stream_options": {"include_usage": True} if own.stream else None,
        }
        until = time.monotonic() + own.turn_seconds
        wait, waited, attempt = own.first_wait, 0.0, 0
        while True:
            answer = self._known({k: v for k, v in body.items() if v is not None}, until)
            if not isinstance(answer, Later):
                return self._settled(answer, attempt, waited)
            attempt += 1
            if attempt >= own.tries:
                raise ModelError(
                    f"the model at {own.base_url} did not answer in {own.tries} tries; the "
                    f"last time: {answer.text}\nLook at the server's log, or try again later."
                )
            pause = max(min(wait, LONGEST_WAIT), answer.after)
            self._wait(pause, answer, until)
            waited, wait = waited + pause, 2 * wait

    def _known(self, body: Mapping[str, Any], until: float) -> Answer:
        """Return an answer; leave out refused parameters and follow redirects on the way."""
        hops = 0
        for _ in range(_DROPS):
            sent = self._learnt.applied(body)
            sent["messages"] = wire.messages(sent["messages"])
            answer = self._ask(sent, until)
            if isinstance(answer, Drop):
                if self._learnt.learn(answer.change):
                    self._around.log("parameter_left_out", parameter=answer.change.parameter,
                                     most=answer.change.most, text=answer.text)  # fmt: skip
            elif isinstance(answer, str):
                hops += 1
                self._url = answer
                if hops > _HOPS:
                    return Failed(f"it redirects requests more than {_HOPS} times: {answer}")
            else:
                return answer
        return Failed("it refuses one parameter after another")

    def _ask(self, sent: Mapping[str, Any], until: float) -> Answer | str:
        """Return the answer to one request, or the address that it is redirected to."""
        if (left := self._around.left()) <= 0:
            raise ModelLate(f"no time is left to ask a model ({left:.0f} s)", working=True)
        pace = Pace(time.monotonic(), usual=self._learnt.silence)
        request = self._http.build_request("POST", self._url, content=json.dumps(sent).encode())
        answer = listen(
            *(self._http, request, sent),
            pace=pace,
            left=lambda: min(until - time.monotonic(), self._around.left()),
            silence=self.connection.request_seconds,
        )
        if isinstance(answer, Reply):
            self._learnt.waited(pace.longest)
        if isinstance(answer, str):
            there = urljoin(self._url, answer)
            if urlsplit(there)[:2] == urlsplit(self._url)[:2]:
                return there
            return answers.of_status(308, "", Asking(sent, {"location": there}))
        return answer

    def _wait(self, seconds: float, answer: Later, until: float) -> None:
        """Wait before another try; raise at once if the time would be over meanwhile."""
        why = f" ({answer.reason})" if answer.reason else ""
        left = min(until - time.monotonic(), self._around.left())
        if seconds >= left:
            raise ModelLate(
                f"the next try at {self.connection.base_url} is due in {seconds:.0f} s{why}, but "
                f"the time for its reply is over in {max(0.0, left):.0f} s; the last answer was: "
                f"{answer.text}\nTry again later, or allow more time."
            )
        self._around.log("endpoint_waits", seconds=round(seconds, 3), reason=answer.reason,
                         text=answer.text)  # fmt: skip
        self._around.pause(seconds)

    def _settled(self, answer: Answer, retries: int, waited: float) -> Completion:
        """Return the completion of a reply; raise an error for any other answer."""
        if isinstance(answer, Reply):
            return Completion(answer.message, answer.finish, _spent(answer.used, retries, waited))
        if isinstance(answer, Full):
            raise ContextFull(answer.text)
        if isinstance(answer, Failed) and answer.everywhere:
            raise ModelRefused(
                f"{self._url} refuses the model {self.connection.model!r}: {answer.text}\n"
                "Check the address, the model's name and the key."
            )
        raise ModelError(f"{self._url} cannot answer this conversation: {answer.text}")


def _spent(used: Mapping[str, Any], retries: int, waited: float) -> Spent:
    details = used.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    return Spent(
        1,
        number(used.get("prompt_tokens")),
        number(cached),
        number(used.get("completion_tokens")),
        retries,
        waited,
    )
