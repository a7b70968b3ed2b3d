"""Sample with transformers in this process; one thread decodes for all rollout threads.

Covers any causal language model of transformers, continuous batching, a key-value cache over the
turns of an episode, and weight updates between two tokens.  On a CPU in float32 a result does not
depend on the rest of its batch: attention is computed row by row (`eager`), and rows, columns and
cells are padded to multiples at which matrix products round alike
(`tests/trainers/engines/test_engine_transformers.py` compares bits; other shapes may differ in the
seventh digit).  Does not cover several devices.  Models with recurrent or sliding layers read the
whole input again for every token, which is right but slow.
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
from tmax_trainers.engines.heads import padded, with_whole_rows
from tmax_trainers.engines.sampling import draw
from tmax_trainers.engines.slot_assignment import SlotAssignment

_CELLS = 64
"""The cells that are attended to are padded to multiples of this."""
Weights = Iterable[tuple[str, torch.Tensor]]


@dataclass(slots=True, eq=False)
class _Job:
    """A request in progress."""

    request: Request
    done: Future[Completion]
    ids: list[int]
    uniforms: np.ndarray[Any, np.dtype[np.float64]]
    slot: int = -1
    cached: int = 0
    """Number of tokens of `ids` whose keys and values are in the slot."""
    logprobs: list[float] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)


class TransformersEngine:
    """Samples from its own copy of a model.

    Args:
        model: A causal language model; copied, so training it does not change this engine.
        slots: Number of episodes in the cache, and of turns decoded at once.
        max_length: Longest context; the model's own limit by default.
        fp32_head: Compute logits in float32, as the trainer's head does.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        *,
        slots: int = 64,
        max_length: int | None = None,
        fp32_head: bool = True,
    ) -> None:
        self._model = cast(Any, copy.deepcopy(model).eval().requires_grad_(False))
        self._head = with_whole_rows(self._model, fp32=fp32_head)
        config = self._model.config.get_text_config()
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        self._cache: SlotCache | None = None
        if kinds == {"full_attention"}:
            self._model.set_attn_implementation("eager")
            slots = padded(slots)
            self._cache = SlotCache(layers=config.num_hidden_layers, slots=slots)
        self.max_length: int = max_length or config.max_position_embeddings
        self.version = 0
        self._assignment = SlotAssignment(slots)
        self._waiting: deque[_Job] = deque()
        self._active: list[_Job] = []
        self._updates: deque[tuple[Weights, int, Future[None]]] = deque()
        self._condition = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="tmax-engine", daemon=True)
        self._thread.start()

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Sample every request, in order; block until all are done."""
        jobs = [self._job(r) for r in requests]
        with self._condition:
            if self._closed:
                raise RuntimeError("the engine is closed; make a new one")
            self._waiting.extend(j for j in jobs if not j.done.done())
            self._condition.notify()
        return [j.done.result() for j in jobs]

    def update(self, weights: Weights, version: int) -> None:
        """Replace weights between two tokens; turns in flight continue with the new ones."""
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
        """Decode until closed; errors are raised in the waiting threads."""
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
        """Accept updates and requests, and wait if there are none; return False if closed."""
        with self._condition:
            while not (self._closed or self._updates or self._waiting or self._active):
                self._condition.wait()
            if self._closed:
                return False
            while self._updates:
                self._load(*self._updates.popleft())
            while self._waiting and self._assign(self._waiting[0]):
                self._active.append(self._waiting.popleft())
        return True

    def _load(self, weights: Weights, version: int, done: Future[None]) -> None:
        own = dict(self._model.named_parameters())
        try:
            # Sharded weights are gathered while they are read, which inference mode refuses.
            with torch.inference_mode(False), torch.no_grad():
                for name, tensor in weights:
                    own[name].data.copy_(tensor)
                if self._head is not None:
                    self._head.refresh()
        except (KeyError, RuntimeError) as error:
            done.set_exception(ValueError(f"weights do not fit the engine's model: {error}"))
            return
        self.version = version
        # With keys and values of old weights, log-probabilities would belong to no policy.
        for job in self._active:
            job.cached = 0
        self._assignment.clear()
        done.set_result(None)

    def _assign(self, job: _Job) -> bool:
        """Give the job a slot, if possible that of its episode; return False if all are busy."""
        assigned = self._assignment.take(job.request.episode if self._cache else "", job.ids)
        if assigned is not None:
            job.slot, job.cached = assigned
        return assigned is not None

    def _advance(self) -> None:
        """Sample a token for every active job, except those that wait for another's prompt."""
        if self._cache is None:
            for job in self._active:
                ids = torch.tensor([job.ids], device=self._model.device)
                read = self._model(input_ids=ids, use_cache=False, logits_to_keep=1)
                self._sample([job], read.logits[:, -1])
        else:
            self._cache.reserve(max((len(j.ids) for j in self._active), default=1))
            ready = [j for j in self._active if len(j.ids) - j.cached == 1]
            fresh = self._fresh(self._cache)
            # A row's number of cells depends only on its own length, because matrix products
            # split the sum over cells into blocks by their number.
            alike: defaultdict[int, list[_Job]] = defaultdict(list)
            for job in fresh:
                alike[padded(len(job.ids), _CELLS)].append(job)
            for cells, jobs in sorted(alike.items()):
                self._sample(jobs, self._prefill(jobs, cells))
            if ready:
                self._sample(ready, self._decode(ready))
        finished = [j for j in self._active if self._finish(j)]
        self._active = [j for j in self._active if j not in finished]

    def _fresh(self, cache: SlotCache) -> list[_Job]:
        """Return the jobs with several new tokens; of equal prompts, one job computes for all."""
        fresh: list[_Job] = []
        reading: set[tuple[int, ...]] = set()
        for job in self._active:
            prompt = tuple(job.ids)
            if len(job.ids) - job.cached == 1 or prompt in reading:
                continue
            if job.cached == 0:
                source = self._assignment.slot_of(prompt)
                if source is None:
                    reading.add(prompt)
                    self._assignment.add_prompt(job.slot, prompt)
                elif source != job.slot:
                    # Two tokens are left, so that they round as in the other slot: with one
                    # query, attention takes another code path.
                    job.cached = max(0, len(prompt) - 2)
                    cache.copy(source, job.slot, job.cached)
            fresh.append(job)
        return fresh

    def _prefill(self, jobs: list[_Job], length: int) -> torch.Tensor:
        """Compute the new tokens; return the logits after the last one, [jobs, vocabulary]."""
        longest = max(len(j.ids) - j.cached for j in jobs)
        width = padded(longest)
        ids = torch.zeros(len(jobs), width, dtype=torch.long)
        cells = torch.full((len(jobs), width), self._slots.capacity)
        for row, job in enumerate(jobs):
            new = len(job.ids) - job.cached
            ids[row, width - new :] = torch.tensor(job.ids[job.cached :])
            cells[row, width - new :] = torch.arange(job.cached, len(job.ids))
        rows = torch.tensor([j.slot for j in jobs])
        return self._forward(ids, Plan(rows, cells, length))

    def _decode(self, jobs: list[_Job]) -> torch.Tensor:
        """Compute one token of each job; return the logits after it, [jobs, vocabulary]."""
        count = padded(max(j.slot for j in jobs) + 1)
        ids = torch.zeros(count, 1, dtype=torch.long)
        cells = torch.full((count, 1), self._slots.capacity)
        rows = torch.tensor([j.slot for j in jobs])
        ids[rows, 0] = torch.tensor([j.ids[-1] for j in jobs])
        cells[rows, 0] = torch.tensor([j.cached for j in jobs])
        length = padded(max(len(j.ids) for j in jobs), _CELLS)
        return self._forward(ids, Plan(count, cells, length))[rows]

    @property
    def _slots(self) -> SlotCache:
        if self._cache is None:
            raise TypeError("this model's layers cannot be cached by slot")
        return self._cache

    def _forward(self, ids: torch.Tensor, plan: Plan) -> torch.Tensor:
        capacity = self._slots.capacity
        self._slots.plan = plan
        # Padding attends to cell 0 alone; its result is finite and not used.
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
        tokens, logprobs = draw(logits, uniforms, [j.request.temperature for j in jobs])
        for job, token, logprob in zip(jobs, tokens, logprobs, strict=True):
            job.cached = len(job.ids)
            job.ids.append(token)
            job.logprobs.append(logprob)
            job.versions.append(self.version)

    def _finish(self, job: _Job) -> bool:
        """Answer the job if it is complete; keep its slot for the episode, or free it."""
        stopped = job.ids[-1] in job.request.stop_ids
        if not stopped and len(job.logprobs) < len(job.uniforms):
            return False
        episode = job.request.episode if self._cache else ""
        self._assignment.release(job.slot, episode=episode, read=job.ids[: job.cached])
        sampled = tuple(job.ids[len(job.request.ids) :])
        reason = "stop" if stopped else "length"
        job.done.set_result(
            Completion(sampled, tuple(job.logprobs), tuple(job.versions), reason)  # type: ignore[arg-type]
        )
        return True
