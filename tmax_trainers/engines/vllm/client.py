"""`ServerClient`: samples from one vLLM server.

It sends and receives token ids: through vLLM's token endpoint (0.32, `--enable-scale-out`), whose
answers name the weights that sampled every token, or else through `/v1/completions`, where a turn
counts as sampled by the weights at its start.  Later turns never read keys and values of old
weights, because the cache is salted with the version; a turn in flight keeps its own.
Does not cover text, or reproducible results for a seed: the server's rounding depends on batching.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from tmax_gym.errors import EngineError
from tmax_trainers.engines import Completion, Request
from tmax_trainers.engines.vllm.control import Control, number
from tmax_trainers.engines.vllm.http import Refused, call

TOKENS = "inference/v1/generate"
COMPLETIONS = "v1/completions"
SEEDS = 1 << 63
"""vLLM takes seeds as signed 64-bit integers."""
_EMPTY = Completion((), (), (), "length")


class ServerClient:
    """Samples from one server; can be called from many threads.

    Args:
        url: The server's address, as `tmax serve` prints it.
        timeout: Seconds for one turn.
        seeded: Send every turn's seed.  Not by default: vLLM 0.32 on a CPU ends with "CPU
            Generator does not use offset" when it pauses a seeded turn.

    Raises:
        EngineError: No server answers at this address.
    """

    def __init__(self, url: str, *, timeout: float = 3600.0, seeded: bool = False) -> None:
        self.control = Control(url.rstrip("/"))
        self._model, self.max_length = self.control.model()
        self.version = self.control.version()
        self._timeout = timeout
        self._seeded = seeded
        self._tokens: bool | None = None
        """Whether the server has the token endpoint; None before the first turn."""
        self._closed = False

    def close(self) -> None:
        """End the turns in flight; the server keeps running."""
        if not self._closed:
            self._closed = True
            self.control.abort()

    def sample(self, request: Request) -> Completion:
        """Sample one turn.

        Raises:
            EngineError: The server failed, or the client is closed.
        """
        if self._closed:
            raise EngineError("the engine is closed; make a new one")
        room = min(request.max_tokens, self.max_length - len(request.ids))
        if not request.ids:
            raise ValueError("a request needs at least one token to read")
        if room <= 0:
            return _EMPTY
        if self._tokens is not False:
            try:
                answer = self._call(TOKENS, self._token_body(request, room))
                self._tokens = True
                return from_tokens(answer["choices"][0], request)
            except Refused as error:
                if error.status != 404 or self._tokens:
                    raise
                self._tokens = False
        version = self.version
        answer = self._call(COMPLETIONS, self._completion_body(request, room))
        return from_completion(answer["choices"][0], request, version)

    def _call(self, path: str, body: Mapping[str, Any]) -> Any:
        return call(f"{self.control.url}/{path}", body, timeout=self._timeout)

    def _token_body(self, request: Request, room: int) -> dict[str, Any]:
        return {
            "token_ids": request.ids,
            "sampling_params": {**self._sampling(request, room), "detokenize": False},
            "cache_salt": f"tmax-{self.version}",
        }

    def _completion_body(self, request: Request, room: int) -> dict[str, Any]:
        return {
            **self._sampling(request, room),
            "model": self._model,
            "prompt": request.ids,
            "return_token_ids": True,
            "cache_salt": f"tmax-{self.version}",
        }

    def _sampling(self, request: Request, room: int) -> dict[str, Any]:
        """Return the parameters for both endpoints, with all that change the distribution."""
        seed = {"seed": request.seed % SEEDS} if self._seeded else {}
        return {
            "max_tokens": room,
            "logprobs": 1,
            "temperature": request.temperature,
            "stop_token_ids": request.stop_ids,
            "ignore_eos": True,
            "top_p": 1.0,
            "top_k": 0,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            **seed,
        }


def from_tokens(choice: Mapping[str, Any], request: Request) -> Completion:
    """Return the completion in an answer of the token endpoint.

    Raises:
        EngineError: The answer contradicts itself: tokens without log-probabilities or version.
    """
    ids = tuple(map(int, choice["token_ids"]))
    content = (choice.get("logprobs") or {}).get("content") or ()
    if tuple(int(entry["token_id"]) for entry in content) != ids:
        raise EngineError(f"{len(ids)} tokens came with {len(content)} log-probabilities of others")
    versions: list[int] = []
    for span in choice.get("weight_versions") or ():
        if span["start"] != len(versions):
            raise EngineError(f"spans of weight versions have a gap at token {len(versions)}")
        versions += [number(span["version"])] * (span["end"] - span["start"])
    if len(versions) != len(ids):
        raise EngineError(
            f"{len(ids)} tokens came with {len(versions)} weight versions; vLLM 0.32 or newer is"
            " needed for exact ones"
        )
    greedy = request.temperature <= 0
    logprobs = tuple(0.0 if greedy else float(entry["logprob"]) for entry in content)
    return Completion(ids, logprobs, tuple(versions), _finish(choice))


def from_completion(choice: Mapping[str, Any], request: Request, version: int) -> Completion:
    """Return the completion in an answer of `/v1/completions`, with one version for all tokens."""
    ids = tuple(map(int, choice.get("token_ids") or ()))
    logprobs = tuple(map(float, (choice.get("logprobs") or {}).get("token_logprobs") or ()))
    if len(logprobs) != len(ids):
        raise EngineError(
            f"{len(ids)} token ids came with {len(logprobs)} log-probabilities; the server must"
            " know return_token_ids (vLLM 0.10.2 or newer)"
        )
    if request.temperature <= 0:
        logprobs = (0.0,) * len(ids)
    return Completion(ids, logprobs, (version,) * len(ids), _finish(choice))


def _finish(choice: Mapping[str, Any]) -> Literal["stop", "length"]:
    """Return why a turn ended.

    Raises:
        EngineError: It was ended from outside.
    """
    reason = choice.get("finish_reason")
    if reason not in ("stop", "length"):
        raise EngineError(f"a turn was ended by the server: {reason!r}")
    return "stop" if reason == "stop" else "length"
