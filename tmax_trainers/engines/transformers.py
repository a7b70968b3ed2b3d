"""An in-process engine: one thread decodes for all rollout threads together.

Covers any causal language model of transformers, continuous batching, kept keys and values over
the turns of an episode, and weight updates between two tokens.  On a CPU in float32 a result
does not depend on what it was batched with: attention is computed row by row (`eager`), and rows,
columns and cells are padded to multiples at which matrix products were seen to round alike
(`tests/trainers/engines/test_engine_transformers.py` compares bits; another shape may differ in the
seventh digit).  Does not cover several devices.  Models with recurrent or sliding layers are read
anew for every token: right, but slow.
"""

from __future__ import annotations

import copy
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch

from tmax_trainers.engines import Completion, Request
from tmax_trainers.engines.cache_slots import Plan, SlotCache
from tmax_trainers.engines.sampling import draw
from tmax_trainers.engines.slot_assignment import Seats

_GRAIN = 16
"""Rows and columns of a batch are padded to multiples of this, ..."""
_CELLS = 64
"""... and the cells that are attended to, to multiples of this."""


@dataclass(slots=True, eq=False)
class _Job:
    """A request on its way."""

    request: Request
    done: Future[Completion]
    ids: list[int]
    uniforms: np.ndarray[Any, np.dtype[np.float64]]
    slot: int = -1
    cached: int = 0
    """Tokens of `ids` whose keys and values lie in the slot."""
    logprobs: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)


class TransformersEngine:
    """Samples from its own copy of a model.

    Args:
        model: A causal language model; copied, so training it does not change this engine.
        slots: Episodes whose keys and values are held, and turns decoded at once.
        max_length: Longest context; the model's own limit by default.
    """

    def __init__(
        self, model: torch.nn.Module, *, slots: int = 64, max_length: int | None = None
    ) -> None:
        self._model = cast(Any, copy.deepcopy(model).eval().requires_grad_(False))
        config = self._model.config.get_text_config()
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        self._cache: SlotCache | None = None
        if kinds == {"full_attention"}:
            self._model.set_attn_implementation("eager")
            slots = _padded(slots)
            self._cache = SlotCache(layers=config.num_hidden_layers, slots=slots)
        self.max_length: int = max_length or config.max_position_embeddings
        self.version = 0
        self._seats = Seats(slots)
        self._waiting: deque[_Job] = deque()
        self._active: list[_Job] = []
        self._updates: deque[tuple[Iterable[tuple[str, torch.Tensor]], int, Future[None]]] = deque()
        self._condition = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="tmax-engine", daemon=True)
        self._thread.start()

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Sample every request, in order; blocks until all are done."""
        jobs = [self._job(r) for r in requests]
        with self._condition:
            if self._closed:
                raise RuntimeError("the engine is closed; make a new one")
            self._waiting.extend(j for j in jobs if not j.done.done())
            self._condition.notify()
        return [j.done.result() for j in jobs]

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Replace weights between two tokens; turns in flight go on under the new ones."""
        done: Future[None] = Future()
        with self._condition:
            if self._closed:
                raise RuntimeError("the engine is closed; make a new one")
            self._updates.append((weights, version, done))
            self._condition.notify()
        done.result()

    def close(self) -> None:
        """Stop the thread; requests in flight fail."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        self._thread.join()

    def __enter__(self) -> TransformersEngine:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _job(self, request: Request) -> _Job:
        room = min(request.max_tokens, self.max_length - len(request.ids))
        if not request.ids:
            raise ValueError("a request needs at least one token to read")
        uniforms = np.random.default_rng(request.seed).random(max(room, 0))
        job = _Job(request, Future(), list(request.ids), uniforms)
        if room <= 0:
            job.done.set_result(Completion((), (), (), "length"))
        return job

    def _loop(self) -> None:
        """Decode until closed; whatever goes wrong is raised where it was waited for."""
        try:
            with torch.inference_mode():
                while self._gather():
                    self._advance()
            error: BaseException = RuntimeError("the engine was closed")
        except BaseException as caught:
            error = caught
        with self._condition:
            self._closed = True
            for job in [*self._active, *self._waiting]:
                job.done.set_exception(error)
            for _, _, done in self._updates:
                done.set_exception(error)

    def _gather(self) -> bool:
        """Take in updates and requests, waiting if there is nothing to do; false when closed."""
        with self._condition:
            while not (self._closed or self._updates or self._waiting or self._active):
                self._condition.wait()
            if self._closed:
                return False
            while self._updates:
                self._load(*self._updates.popleft())
            while self._waiting and self._seat(self._waiting[0]):
                self._active.append(self._waiting.popleft())
        return True

    def _load(
        self, weights: Iterable[tuple[str, torch.Tensor]], version: int, done: Future[None]
    ) -> None:
        own = dict(self._model.named_parameters())
        try:
            for name, tensor in weights:
                own[name].data.copy_(tensor)
        except (KeyError, RuntimeError) as error:
            done.set_exception(ValueError(f"weights do not fit the engine's model: {error}"))
            return
        self.version = version
        # Keys and values of the old weights would make log-probabilities of no policy at all.
        for job in self._active:
            job.cached = 0
        self._seats.clear()
        done.set_result(None)

    def _seat(self, job: _Job) -> bool:
        """Give the job a slot, best the one that its episode left; false if all are busy."""
        taken = self._seats.take(job.request.episode if self._cache else "", job.ids)
        if taken is not None:
            job.slot, job.cached = taken
        return taken is not None

    def _advance(self) -> None:
        """Sample a token for every active job but those that wait to borrow a prompt."""
        if self._cache is None:
            for job in self._active:
                ids = torch.tensor([job.ids], device=self._model.device)
                self._sample([job], self._model(input_ids=ids, use_cache=False).logits[:, -1])
        else:
            self._cache.reserve(max((len(j.ids) for j in self._active), default=1))
            ready = [j for j in self._active if len(j.ids) - j.cached == 1]
            fresh = self._fresh(self._cache)
            # A row's cells are a function of its own length: matrix products cut the sum over
            # cells into blocks by their number.
            alike: defaultdict[int, list[_Job]] = defaultdict(list)
            for job in fresh:
                alike[_padded(len(job.ids), _CELLS)].append(job)
            for cells, jobs in sorted(alike.items()):
                self._sample(jobs, self._prefill(jobs, cells))
            if ready:
                self._sample(ready, self._decode(ready))
        finished = [j for j in self._active if self._finish(j)]
        self._active = [j for j in self._active if j not in finished]

    def _fresh(self, cache: SlotCache) -> list[_Job]:
        """Return the jobs with much to read; of those with one prompt, one reads for the rest."""
        fresh: list[_Job] = []
        reading: set[tuple[int, ...]] = set()
        for job in self._active:
            prompt = tuple(job.ids)
            if len(job.ids) - job.cached == 1 or prompt in reading:
                continue
            if job.cached == 0:
                lender = self._seats.lender(prompt)
                if lender is None:
                    reading.add(prompt)
                    self._seats.has_read(job.slot, prompt)
                elif lender != job.slot:
                    # Two tokens are left to read, so that they round as the lender's did: with
                    # one query, attention takes another code path.
                    job.cached = max(0, len(prompt) - 2)
                    cache.lend(lender, job.slot, job.cached)
            fresh.append(job)
        return fresh

    def _prefill(self, jobs: list[_Job], length: int) -> torch.Tensor:
        """Read the tokens that are new; return logits after the last, [jobs, vocabulary]."""
        longest = max(len(j.ids) - j.cached for j in jobs)
        width = _padded(longest)
        ids = torch.zeros(len(jobs), width, dtype=torch.long)
        cells = torch.full((len(jobs), width), self._slots.capacity)
        for row, job in enumerate(jobs):
            new = len(job.ids) - job.cached
            ids[row, width - new :] = torch.tensor(job.ids[job.cached :])
            cells[row, width - new :] = torch.arange(job.cached, len(job.ids))
        rows = torch.tensor([j.slot for j in jobs])
        return self._forward(ids, Plan(rows, cells, length))

    def _decode(self, jobs: list[_Job]) -> torch.Tensor:
        """Read one token of each job; return logits after it, [jobs, vocabulary]."""
        count = _padded(max(j.slot for j in jobs) + 1)
        ids = torch.zeros(count, 1, dtype=torch.long)
        cells = torch.full((count, 1), self._slots.capacity)
        rows = torch.tensor([j.slot for j in jobs])
        ids[rows, 0] = torch.tensor([j.ids[-1] for j in jobs])
        cells[rows, 0] = torch.tensor([j.cached for j in jobs])
        length = _padded(max(len(j.ids) for j in jobs), _CELLS)
        return self._forward(ids, Plan(count, cells, length))[rows]

    @property
    def _slots(self) -> SlotCache:
        if self._cache is None:
            raise TypeError("this model's layers cannot be cached by slot")
        return self._cache

    def _forward(self, ids: torch.Tensor, plan: Plan) -> torch.Tensor:
        capacity = self._slots.capacity
        self._slots.plan = plan
        # Padding reads cell 0 alone: finite, and thrown away.
        places = plan.positions.masked_fill(plan.positions == capacity, 0)
        hidden = torch.arange(plan.length)[None, None, :] > places[:, :, None]
        dtype = self._model.dtype
        mask = torch.zeros(hidden.shape, dtype=dtype)
        mask.masked_fill_(hidden, torch.finfo(dtype).min)
        device = self._model.device
        output = self._model(
            input_ids=ids.to(device),
            position_ids=places.to(device),
            attention_mask=mask[:, None].to(device),
            past_key_values=self._slots,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: torch.Tensor = output.logits[:, -1]
        return logits

    def _sample(self, jobs: list[_Job], logits: torch.Tensor) -> None:
        uniforms = [j.uniforms[len(j.logprobs)] for j in jobs]
        tokens, said = draw(logits, uniforms, [j.request.temperature for j in jobs])
        for job, token, logprob in zip(jobs, tokens, said, strict=True):
            job.cached = len(job.ids)
            job.ids.append(token)
            job.logprobs.append(logprob)
            job.versions.append(self.version)

    def _finish(self, job: _Job) -> bool:
        """Answer the job if it is complete; its slot is kept for the episode or freed."""
        stopped = job.ids[-1] in job.request.stop_ids
        if not stopped and len(job.logprobs) < len(job.uniforms):
            return False
        episode = job.request.episode if self._cache else ""
        self._seats.leave(job.slot, episode=episode, read=job.ids[: job.cached])
        sampled = tuple(job.ids[len(job.request.ids) :])
        reason = "stop" if stopped else "length"
        job.done.set_result(
            Completion(sampled, tuple(job.logprobs), tuple(job.versions), reason)  # type: ignore[arg-type]
        )
        return True


def _padded(count: int, grain: int = _GRAIN) -> int:
    return -(-count // grain) * grain
