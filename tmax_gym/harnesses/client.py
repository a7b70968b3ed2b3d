"""A model behind any OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, a cloud.

Standard library alone.  Answers are streamed; a stream that breaks off is asked for again, and so
are 429 and 5xx, as long as tries last.  A conversation that no longer fits is `ContextFull`.
Covers counting tokens and waiting.  Does not cover parsing calls out of text: the server does.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tmax_gym.errors import ModelError, ModelRefused

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({401, 403, 404, 405})
LONGEST_WAIT = 60.0
_SHOWN = 300
_FULL = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,20}(context|tokens)|too long|too many tokens",
    re.IGNORECASE | re.DOTALL,
)
_LIMIT = re.compile(r"(?:maximum|max)\D{0,40}?(\d{3,8})", re.IGNORECASE)
_GIVEN = re.compile(r"(\d{2,8})\D{0,30}(?:in the messages|prompt|input)", re.IGNORECASE)


class ContextFull(ModelError):
    """The conversation and the room for a reply do not fit."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        limit, given = _LIMIT.search(said), _GIVEN.search(said)
        self.window = int(limit[1]) if limit else None
        """Tokens that fit in all, where the endpoint told."""
        self.prompt = int(given[1]) if given else None
        """Tokens of the conversation, where the endpoint told."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a model was asked for."""

    calls: int = 0
    input_tokens: int = 0
    """With those from a cache."""
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
            ModelError: There is no answer, however often it was asked for.
        """


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a model is, and how it is asked."""

    base_url: str
    """Up to and including `/v1`."""
    model: str
    key: str = ""
    temperature: float | None = 0.7
    """TMax's evaluation (0.7, 0.95); None for the server's own, here and below."""
    top_p: float | None = 0.95
    stream: bool = True
    tries: int = 6
    first_wait: float = 1.0
    """Seconds before the second try; doubles."""
    request_seconds: float = 600.0


class Client:
    """Asks one endpoint; for several episodes at once."""

    def __init__(
        self, connection: Connection, *, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self.connection = connection
        self._pause = pause

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
        data = json.dumps({k: v for k, v in body.items() if v is not None}).encode()
        wait, waited = own.first_wait, 0.0
        for attempt in range(own.tries):
            try:
                message, finish, used = self._ask(data)
            except _Busy as busy:
                if attempt == own.tries - 1:
                    raise ModelError(
                        f"the model at {own.base_url} did not answer in {own.tries} tries; the "
                        f"last time: {busy}\nLook at the server's log, or try again later."
                    ) from busy
                pause = min(max(wait, busy.after), LONGEST_WAIT)
                self._pause(pause)
                waited, wait = waited + pause, 2 * wait
            else:
                return Completion(message, finish, _spent(used, attempt, waited))
        raise AssertionError("unreachable")

    def _ask(self, data: bytes) -> tuple[Mapping[str, Any], str, Mapping[str, Any]]:
        url = self.connection.base_url.rstrip("/") + "/chat/completions"
        headers = {"Content-Type": "application/json"}
        if self.connection.key:
            headers["Authorization"] = f"Bearer {self.connection.key}"
        request = urllib.request.Request(url, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.connection.request_seconds) as answer:
                if "event-stream" in (answer.headers.get("Content-Type") or ""):
                    return _assembled(_events(answer))
                return _whole(json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            raise self._fault(error, url) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _Busy(f"{type(error).__name__}: {error}") from error

    def _fault(self, error: urllib.error.HTTPError, url: str) -> Exception:
        try:
            text = error.read(4096).decode(errors="replace").strip()
        except (OSError, http.client.HTTPException):
            text = ""
        said = f"HTTP {error.code}: {text[:_SHOWN]}"
        if error.code in BUSY:
            return _Busy(said, after=_seconds(error.headers.get("Retry-After")))
        if error.code in (400, 413, 422) and _FULL.search(text):
            return ContextFull(said)
        if error.code in REFUSED:
            return ModelRefused(
                f"{url} refuses the model {self.connection.model!r}: {said}\n"
                "Check the address, the model's name and the key."
            )
        return ModelError(f"{url} cannot answer this conversation: {said}")


class _Busy(Exception):
    """Asking again may help."""

    def __init__(self, text: str, *, after: float = 0.0) -> None:
        super().__init__(text)
        self.after = after


def _seconds(header: str | None) -> float:
    try:
        return max(0.0, float(header or 0))
    except ValueError:
        return 0.0


def _spent(used: Mapping[str, Any], retries: int, waited: float) -> Spent:
    details = used.get("prompt_tokens_details") or {}
    return Spent(
        1,
        int(used.get("prompt_tokens") or 0),
        int(details.get("cached_tokens") or 0),
        int(used.get("completion_tokens") or 0),
        retries,
        waited,
    )


def _whole(row: Any) -> tuple[Mapping[str, Any], str, Mapping[str, Any]]:
    try:
        choice = row["choices"][0]
        return dict(choice["message"]), str(choice.get("finish_reason")), row.get("usage") or {}
    except (KeyError, IndexError, TypeError) as error:
        raise _Busy(f"an answer without a message: {json.dumps(row)[:_SHOWN]}") from error


def _events(lines: Iterator[bytes]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a stream; raises where it ends before its end."""
    for line in lines:
        text = line.decode(errors="replace").strip()
        if text == "data: [DONE]":
            return
        if text.startswith("data:"):
            row = json.loads(text[5:])
            if "error" in row:
                raise _Busy(f"the stream told an error: {json.dumps(row['error'])[:_SHOWN]}")
            yield row
    raise _Busy("the stream broke off before its end")


def _assembled(
    rows: Iterator[Mapping[str, Any]],
) -> tuple[Mapping[str, Any], str, Mapping[str, Any]]:
    """Return the message that the pieces of a stream make."""
    texts: dict[str, str] = {}
    tool_calls: dict[int, dict[str, Any]] = {}
    finish = ""
    used: Mapping[str, Any] = {}
    for row in rows:
        used = row.get("usage") or used
        for choice in (row.get("choices") or ())[:1]:
            finish = choice.get("finish_reason") or finish
            delta = choice.get("delta") or {}
            for key in ("content", "reasoning_content"):
                if delta.get(key):
                    texts[key] = texts.get(key, "") + delta[key]
            for piece in delta.get("tool_calls") or ():
                _add_call(tool_calls.setdefault(int(piece.get("index") or 0), {}), piece)
    message: dict[str, Any] = {"role": "assistant", "content": texts.get("content", "")}
    if "reasoning_content" in texts:
        message["reasoning_content"] = texts["reasoning_content"]
    if tool_calls:
        message["tool_calls"] = [tool_calls[index] for index in sorted(tool_calls)]
    return message, finish, used


def _add_call(call: dict[str, Any], piece: Mapping[str, Any]) -> None:
    function = piece.get("function") or {}
    call["id"] = piece.get("id") or call.get("id", "")
    call["type"] = "function"
    whole = call.setdefault("function", {"name": "", "arguments": ""})
    whole["name"] += function.get("name") or ""
    whole["arguments"] += function.get("arguments") or ""
