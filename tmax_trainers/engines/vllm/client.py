"""`VLLMEngine`: the engine's seam on a vLLM server.

Covers exact tokens both ways: vLLM's token endpoint (0.32, `--enable-scale-out`), whose answers
say which weights drew every token, and `/v1/completions` where a server has no such endpoint;
there a turn counts as drawn by the weights that it began with.  Keys and values that old
weights left are never read by a later turn: the cache is salted with the version.  A turn in
flight goes on with what it has read.  Does not cover text, or one result for one seed: the
server's rounding depends on what it batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tmax_gym.errors import EngineError
from tmax_trainers.engines import Completion, Request
from tmax_trainers.engines.vllm.control import Control, number
from tmax_trainers.engines.vllm.files import written
from tmax_trainers.engines.vllm.http import Refused, call

if TYPE_CHECKING:
    import torch

TOKENS = "inference/v1/generate"
COMPLETIONS = "v1/completions"
SEEDS = 1 << 63
"""vLLM takes seeds as 64-bit integers with a sign."""
_EMPTY = Completion((), (), (), "length")


class VLLMEngine:
    """Samples from a server; safe to call from many threads.

    Args:
        url: The server, as `tmax serve` prints it.
        timeout: Seconds for one turn.
        directory: Where weights are handed over; shared memory by default.
        dtype: What weights are handed over as; as they are by default.
        seeded: Send every turn's seed.  Not by default: vLLM 0.32 on a CPU ends with "CPU
            Generator does not use offset" when it pauses a seeded turn.

    Raises:
        EngineError: No server answers there.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 3600.0,
        directory: Path | None = None,
        dtype: torch.dtype | None = None,
        seeded: bool = False,
    ) -> None:
        self.control = Control(url.rstrip("/"))
        self.max_length = self.control.context()
        self.version = self.control.version()
        self._model = self.control.model()
        self._timeout = timeout
        self._directory, self._dtype = directory, dtype
        self._seeded = seeded
        self._tokens: bool | None = None
        """Whether the server has the token endpoint; not known before the first turn."""
        self._closed = False

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Sample every request, in order; blocks until all are done.

        Raises:
            EngineError: The server failed, or the engine is closed.
        """
        if self._closed:
            raise EngineError("the engine is closed; make a new one")
        if len(requests) == 1:
            return [self._one(requests[0])]
        with ThreadPoolExecutor(max_workers=max(len(requests), 1)) as threads:
            return list(threads.map(self._one, requests))

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Replace weights between two tokens; turns in flight go on under the new ones.

        Where it fails, the server stays paused: half-replaced weights draw no token.
        """
        if self._closed:
            raise EngineError("the engine is closed; make a new one")
        with written(weights, directory=self._directory, dtype=self._dtype) as file:
            self.control.pause()
            self.control.replace({"path": str(file)}, version)
        self.version = version
        self.control.resume()

    def close(self) -> None:
        """End the turns in flight; the server goes on."""
        if not self._closed:
            self._closed = True
            self.control.abort()

    def __enter__(self) -> VLLMEngine:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _one(self, request: Request) -> Completion:
        room = min(request.max_tokens, self.max_length - len(request.ids))
        if not request.ids:
            raise ValueError("a request needs at least one token to read")
        if room <= 0:
            return _EMPTY
        if self._tokens is not False:
            try:
                told = self._call(TOKENS, self._token_body(request, room))
                self._tokens = True
                return from_tokens(told["choices"][0], request)
            except Refused as error:
                if error.status != 404 or self._tokens:
                    raise
                self._tokens = False
        began = self.version
        told = self._call(COMPLETIONS, self._completion_body(request, room))
        return from_completion(told["choices"][0], request, began)

    def _call(self, path: str, body: Mapping[str, Any]) -> Any:
        return call(f"{self.control.url}/{path}", body, timeout=self._timeout)

    def _token_body(self, request: Request, room: int) -> dict[str, Any]:
        params = {**self._sampling(request, room), "logprobs": 1, "detokenize": False}
        salt = f"tmax-{self.version}"
        return {"token_ids": request.ids, "sampling_params": params, "cache_salt": salt}

    def _completion_body(self, request: Request, room: int) -> dict[str, Any]:
        more = {"model": self._model, "prompt": request.ids, "logprobs": 1}
        salt = f"tmax-{self.version}"
        return {
            **self._sampling(request, room),
            **more,
            "return_token_ids": True,
            "cache_salt": salt,
        }

    def _sampling(self, request: Request, room: int) -> dict[str, Any]:
        """Return what both endpoints are told; all that changes the distribution is spelt out."""
        seed = {"seed": request.seed % SEEDS} if self._seeded else {}
        return {
            "max_tokens": room,
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
    """Return what the token endpoint answered.

    Raises:
        EngineError: The answer contradicts itself: tokens without log-probabilities or version.
    """
    ids = tuple(int(one) for one in choice["token_ids"])
    content = (choice.get("logprobs") or {}).get("content") or ()
    if tuple(int(one["token_id"]) for one in content) != ids:
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
    said = tuple(0.0 if request.temperature <= 0 else float(o["logprob"]) for o in content)
    return Completion(ids, said, tuple(versions), _finish(choice))


def from_completion(choice: Mapping[str, Any], request: Request, version: int) -> Completion:
    """Return what `/v1/completions` answered, all of it stamped with one version."""
    ids = tuple(int(one) for one in choice.get("token_ids") or ())
    said = tuple(float(one) for one in (choice.get("logprobs") or {}).get("token_logprobs") or ())
    if len(said) != len(ids):
        raise EngineError(
            f"{len(ids)} token ids came with {len(said)} log-probabilities; the server must know"
            " return_token_ids (vLLM 0.10.2 or newer)"
        )
    if request.temperature <= 0:
        said = (0.0,) * len(ids)
    return Completion(ids, said, (version,) * len(ids), _finish(choice))


def _finish(choice: Mapping[str, Any]) -> Literal["stop", "length"]:
    """Return why a turn ended.

    Raises:
        EngineError: It was ended from outside.
    """
    reason = choice.get("finish_reason")
    if reason not in ("stop", "length"):
        raise EngineError(f"a turn was ended by the server: {reason!r}")
    return "stop" if reason == "stop" else "length"
