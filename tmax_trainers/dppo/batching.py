"""Turn a queue of samples into the micro-batches of one optimizer step.

Covers whole groups, length buckets and the number of trained tokens.  Sequences are padded on the
right, one in each row, or packed: see `packing.py`.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch

from tmax_gym.errors import TrainingError
from tmax_trainers.dppo import packing
from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.metrics import Metric

Mask = np.ndarray[Any, np.dtype[np.bool_]]


class SampleLike(Protocol):
    """The attributes that are read from TRL's `RolloutSample`."""

    input_ids: np.ndarray[Any, Any]
    completion_mask: np.ndarray[Any, Any]
    old_log_probs: np.ndarray[Any, Any]
    advantage: float
    group_id: int


Row = tuple[SampleLike, Mask]
"""A sample, and the mask of its trained tokens."""


class WorkerLike(Protocol):
    """The methods that are used of TRL's `RolloutWorkerProtocol`."""

    rollout_buffer: Any
    metrics_queue: Any

    def start(self) -> None:
        """Start producing rollouts."""

    def stop(self) -> None:
        """Stop the worker."""

    def update_model_version(self, model_version: int) -> None:
        """Set the present policy version."""

    def check_health(self, stale_after_s: float) -> None:
        """Raise if no rollouts can be expected."""


class BatchReader:
    """Collects samples from a worker's queue until enough groups are complete.

    Args:
        worker: Source of samples.
        groups: Number of groups in a batch.
        group_rows: Samples of a group, for workers whose samples do not have `group_rows`.
        timeout: Seconds without a sample after which `take` raises.
    """

    def __init__(self, worker: WorkerLike, *, groups: int, group_rows: int, timeout: float) -> None:
        self._worker = worker
        self._groups = groups
        self._group_rows = group_rows
        self._timeout = timeout
        self._partial: dict[int, list[SampleLike]] = {}
        self._whole: list[list[SampleLike]] = []
        self._reported = 0
        """Batches of the worker whose metrics were returned."""

    def take(self) -> list[SampleLike]:
        """Return the samples of one optimizer batch, group by group."""
        while len(self._whole) < self._groups:
            sample = self._next()
            rows = self._partial.setdefault(sample.group_id, [])
            rows.append(sample)
            if len(rows) >= (getattr(sample, "group_rows", 0) or self._group_rows):
                self._whole.append(self._partial.pop(sample.group_id))
        batch, self._whole = self._whole[: self._groups], self._whole[self._groups :]
        return [sample for group in batch for sample in group]

    def metrics(self, samples: Sequence[SampleLike]) -> Iterator[Mapping[str, Metric]]:
        """Yield what the worker has reported of the batches that these samples are from.

        A worker may be batches ahead of the trainer.  If its samples have no number of a batch, all
        that it has reported is yielded.
        """
        numbers = [getattr(sample, "batch", None) for sample in samples]
        begun = max((number + 1 for number in numbers if number is not None), default=None)
        while begun is None or self._reported < begun:
            try:
                yield self._worker.metrics_queue.get_nowait()
            except queue.Empty:
                return
            self._reported += 1

    def _next(self) -> SampleLike:
        begun = time.monotonic()
        while time.monotonic() - begun < self._timeout:
            try:
                sample: SampleLike = self._worker.rollout_buffer.get(timeout=0.2)
                return sample
            except queue.Empty:
                self._worker.check_health(self._timeout)
        raise TrainingError(
            f"no sample came for {self._timeout:g} s while {len(self._whole)} of {self._groups} "
            "groups were complete; look at the rollouts, or raise rollout_timeout"
        )


def ages(samples: Sequence[SampleLike], version: int) -> dict[str, float | tuple[float, float]]:
    """Return the ages of samples in versions, for samples that have a version."""
    begun = (getattr(sample, "model_version", None) for sample in samples)
    known = [version - int(own) for own in begun if own is not None]
    if not known:
        return {}
    return {"staleness/mean": (sum(known), len(known)), "staleness/max": float(max(known))}


def trained_mask(sample: SampleLike, oldest: int | None) -> Mask:
    """Return the mask of trained tokens: sampled by the policy, in version `oldest` or later."""
    mask = np.asarray(sample.completion_mask).astype(bool)
    versions = getattr(sample, "versions", None)  # TRL's records have none
    if oldest is None or versions is None:
        return mask
    return np.asarray(mask & (np.asarray(versions) >= oldest))


def observed_mask(sample: SampleLike) -> Mask:
    """Return the mask of tokens after the first sampled one that the policy did not sample."""
    sampled = np.asarray(sample.completion_mask).astype(bool)
    return np.asarray(np.logical_or.accumulate(sampled) & ~sampled)


def micro_batches(
    samples: Sequence[SampleLike],
    *,
    count: int,
    pad_id: int = 0,
    oldest: int | None = None,
    present: int | None = None,
    packed: bool = False,
    config: DPPOLossConfig | None = None,
) -> list[dict[str, Any]]:
    """Return exactly `count` micro-batches, all with the same denominator.

    Tokens of policy versions before `oldest` are masked one by one; newer tokens of the same
    episode are trained.

    Samples are sorted by length and cut so that the largest rectangle is as small as possible.  If
    there are fewer samples than micro-batches, some have one row without trained tokens.  If
    `packed`, each is one row with all its samples and their boundaries.  Where `present` is given,
    tokens of that version are marked.  `config` says what the loss is a mean over: by default,
    trained tokens.
    """
    config = config or DPPOLossConfig()
    masks = [trained_mask(s, oldest) for s in samples]
    trained = [
        int((mask[1:] & np.isfinite(s.old_log_probs[1:])).sum())
        for s, mask in zip(samples, masks, strict=True)
    ]
    total = config.denominator(tokens=sum(trained), sequences=sum(n > 0 for n in trained))
    observed = sum(int(observed_mask(s)[1:].sum()) for s in samples) if config.echo else 0
    order = sorted(range(len(samples)), key=lambda i: (len(samples[i].input_ids), i))
    lengths = [len(samples[i].input_ids) for i in order]
    if packed:
        parts = packing.bins(lengths, count)
    else:
        parts = [list(range(*part)) for part in _cut(lengths, count)]
    result = []
    for part in parts:
        rows = [(samples[order[i]], masks[order[i]]) for i in part]
        # The weight of an observed token is in units of 1/Z, as all values are.
        echo = config.echo * total / max(observed, 1)
        make = _packed if packed else _padded
        batch = make(rows, pad_id=pad_id, present=present, echo=echo)
        result.append(batch | {"denominator": torch.tensor(total)})
    return result


def _cut(lengths: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Return `count` ranges of ascending lengths, with the smallest bound of rows × longest."""
    low, high = max(lengths), len(lengths) * max(lengths)
    while low < high:
        middle = (low + high) // 2
        if len(_fill(lengths, middle)) <= count:
            high = middle
        else:
            low = middle + 1
    ranges = _fill(lengths, low)
    return ranges + [(len(lengths), len(lengths))] * (count - len(ranges))


def _fill(lengths: Sequence[int], area: int) -> list[tuple[int, int]]:
    """Return ranges, each extended while rows × longest is at most `area`."""
    ranges, start = [], 0
    for end in range(1, len(lengths) + 1):
        if (end - start) * lengths[end - 1] > area:
            ranges.append((start, end - 1))
            start = end - 1
    return [*ranges, (start, len(lengths))]


def _packed(
    rows: Sequence[Row], *, pad_id: int, present: int | None, echo: float
) -> dict[str, Any]:
    """Return the tensors of one packed micro-batch."""
    columns = [
        _padded(row, pad_id=pad_id, present=present, echo=echo)
        for row in [[r] for r in rows] or [[]]
    ]
    for number, column in enumerate(columns):
        # The token before the first one belongs to another sample.
        for name in {"mask", "observed"} & set(column):
            column[name][:, 0] = 0
        column["sequence"] += number
    joined = {key: torch.cat([column[key] for column in columns], 1) for key in columns[0]}
    return joined | packing.boundaries([column["input_ids"].shape[1] for column in columns])


def _padded(
    rows: Sequence[Row], *, pad_id: int, present: int | None, echo: float
) -> dict[str, torch.Tensor]:
    """Return the tensors of one micro-batch with a row per sample; first tokens are not trained."""
    count, length = max(len(rows), 1), max((len(s.input_ids) for s, _ in rows), default=2)
    ids = torch.full((count, length), pad_id, dtype=torch.long)
    mask = torch.zeros(count, length, dtype=torch.bool)
    mu_logp = torch.zeros(count, length)
    advantages = torch.zeros(count, length)
    sequence = torch.arange(count)[:, None].repeat(1, length)
    for row, (sample, own) in enumerate(rows):
        size = len(sample.input_ids)
        ids[row, :size] = torch.as_tensor(np.asarray(sample.input_ids), dtype=torch.long)
        mask[row, :size] = torch.as_tensor(own)
        mu_logp[row, :size] = torch.as_tensor(np.asarray(sample.old_log_probs), dtype=torch.float32)
        advantages[row] = sample.advantage
    batch = {
        "input_ids": ids,
        "mask": mask,
        "mu_logp": mu_logp,
        "advantages": advantages,
        "sequence": sequence,
    }
    if present is not None:
        batch["present"] = _marked([_of_version(s, present) for s, _ in rows], ids.shape)
    if echo:
        batch["observed"] = echo * _marked([observed_mask(s) for s, _ in rows], ids.shape)
    return batch


def _of_version(sample: SampleLike, version: int) -> Mask:
    """Return which tokens this version sampled; none if versions are unknown."""
    versions = getattr(sample, "versions", None)
    return np.asarray(np.asarray([] if versions is None else versions) == version)


def _marked(masks: Sequence[Mask], shape: torch.Size) -> torch.Tensor:
    """Return masks as rows of one tensor, [rows, longest]."""
    marked = torch.zeros(shape, dtype=torch.bool)
    for row, mask in enumerate(masks):
        marked[row, : len(mask)] = torch.as_tensor(mask)
    return marked
