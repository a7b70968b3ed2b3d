"""Exchange JSON over HTTP with a vLLM server; errors name the request and the answer.

Requests that did not reach the server are sent again; proxies are not used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from tmax_gym.errors import EngineError

TRIES = 5
"""Tries of a call that the server could not accept; the pauses sum up to 7.5 s."""
_PAUSE = 0.5
_BUSY = frozenset({429, 502, 503})
_SHOWN = 500
_OPENER = build_opener(ProxyHandler({}))


class Refused(EngineError):
    """The server answered with an error."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def call(
    url: str,
    body: Mapping[str, Any] | None = None,
    *,
    query: Mapping[str, str] | None = None,
    post: bool = True,
    timeout: float,
    tries: int = TRIES,
) -> Any:
    """Return the decoded answer; None if it is empty.

    Args:
        url: Address without a query.
        body: Sent as JSON.
        query: Appended to the address.
        post: POST, else GET.
        timeout: Seconds for the answer to begin.
        tries: Connections that fail, and answers that say "busy", are tried again.

    Raises:
        Refused: The server answered with an error.
        EngineError: No answer came.
    """
    address = f"{url}?{urlencode(query)}" if query else url
    data = json.dumps(body or {}).encode() if post else None
    request = Request(address, data, {"Content-Type": "application/json"})
    for attempt in range(tries):
        try:
            with _OPENER.open(request, timeout=timeout) as answer:
                text = answer.read()
            return json.loads(text) if text.strip() else None
        except HTTPError as error:
            answer_text = error.read(_SHOWN).decode("utf-8", "replace")
            failure: EngineError = Refused(
                f"{request.get_method()} {url} was answered with {error.code}: {answer_text}",
                status=error.code,
            )
            if error.code not in _BUSY:
                raise failure from error
        except (URLError, HTTPException, OSError) as error:
            failure = EngineError(
                f"{request.get_method()} {url} failed ({error}); is the server still running?"
            )
            if isinstance(error, TimeoutError):  # the server may have accepted it: no retry
                raise failure from error
        except ValueError as error:
            raise EngineError(f"{url} did not answer with JSON: {error}") from error
        if attempt + 1 < tries:
            time.sleep(_PAUSE * 2**attempt)
    raise failure
