"""`DPPOTrainer`: transformers' trainer with the DPPO loss, on TRL's rollout workers.

It changes four methods of `transformers.Trainer`: the source of batches, the loss, the log, and
`train`, which stops the worker after an error (`tests/trainers/dppo/test_trainer.py` pins them).
An optimizer step uses exactly one batch of whole groups, cut into `gradient_accumulation_steps`
micro-batches; the loss is the mean over the trained tokens of the whole batch, however it is cut.

Covers one process, data parallelism, ranks that share sequences, and sharded parameters (FSDP2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import Trainer, TrainerCallback

from tmax_trainers.dppo import packing
from tmax_trainers.dppo.batching import WorkerLike
from tmax_trainers.dppo.loss.dppo import Extras, dppo_loss
from tmax_trainers.dppo.loss.fused import HeadOptions
from tmax_trainers.dppo.loss.head import chosen_tokens, fused_head_loss
from tmax_trainers.dppo.metrics import Metric, reduce_metric
from tmax_trainers.dppo.micro_batches import MicroBatches
from tmax_trainers.dppo.options import DPPOConfig
from tmax_trainers.dppo.sequence_parallel import SequenceParallel
from tmax_trainers.dppo.weights import TransferLike, policy_weights

__all__ = ["DPPOConfig", "DPPOTrainer", "TransferLike", "reduce_metric"]

Sums = dict[str, torch.Tensor]


class DPPOTrainer(Trainer):  # type: ignore[misc]
    """Trains a causal language model on the episodes of a rollout worker.

    The worker is stopped when training ends, by an error or an interrupt as well.

    Args:
        model: The policy.
        args: Options.
        rollout_worker: Any `RolloutWorkerProtocol` of TRL; `GroupRolloutWorker` is ours.
        weight_transfer: Any `WeightTransferProtocol` of TRL; None if the worker samples from
            `model` itself.
        kwargs: Passed to `transformers.Trainer`: `callbacks`, `optimizers`, `processing_class`.
    """

    loss_is_scaled_for_ga = True  # the denominator is that of the whole batch

    def __init__(
        self,
        model: torch.nn.Module,
        args: DPPOConfig,
        *,
        rollout_worker: WorkerLike,
        weight_transfer: TransferLike | None = None,
        **kwargs: Any,
    ) -> None:
        self.rollout_worker = rollout_worker
        self.weight_transfer = weight_transfer
        self.model_version = 0
        self.loss_config = args.loss_config()
        self._metrics: defaultdict[str, list[Metric]] = defaultdict(list)
        super().__init__(model=model, args=args, **kwargs)
        self.sequence = SequenceParallel(model, args.sequence_parallel)
        self._sync = _Sync(self)
        self.add_callback(self._sync)

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """Train as `transformers.Trainer.train` does; stop the worker if that raises."""
        try:
            return super().train(*args, **kwargs)
        except BaseException:
            self._sync.stop_worker()
            raise

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return an endless loader of micro-batches, `gradient_accumulation_steps` for each batch.

        Accelerate does not prepare it, because its loaders read one micro-batch ahead, and in a
        synchronous run the next batch waits for this batch's update.
        """
        return DataLoader(MicroBatches(self), batch_size=None)

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        *,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        """Return this micro-batch's share of the batch's loss."""
        run = self._fused_loss if self.args.fused_head else self._plain_loss
        loss, sums, outputs = run(model, inputs)
        # Data-parallel ranks average gradients, but the loss is divided by the global count.
        loss = loss * self.accelerator.num_processes
        self._note(sums)
        return (loss, outputs) if return_outputs else loss

    def _plain_loss(
        self, model: torch.nn.Module, inputs: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, Sums, Any]:
        """Return loss, sums and outputs, with all logits."""
        outputs = model(**packing.model_inputs(inputs), use_cache=False)
        chosen, tokens = chosen_tokens(inputs)
        logits = outputs.logits[:, : chosen.shape[1]][chosen].float() / self.args.temperature
        logp_all = torch.log_softmax(logits, -1)
        loss, sums = dppo_loss(
            logp_all.gather(-1, tokens.ids[:, None])[:, 0],
            tokens.mu_logp,
            tokens.advantages,
            mask=tokens.mask,
            denominator=inputs["denominator"],
            config=self.loss_config,
            extras=Extras(
                sequence=tokens.sequence, observed=tokens.observed, present=tokens.present
            ),
        )
        with torch.no_grad():
            entropies = -(logp_all.exp() * logp_all).sum(-1)
            sums["entropy"] = entropies[tokens.trained].sum()
        return loss, sums, outputs

    def _fused_loss(
        self, model: torch.nn.Module, inputs: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, Sums, Any]:
        """Return loss and sums without computing logits, and no outputs."""
        loss, sums = fused_head_loss(
            model,
            inputs,
            head=self.accelerator.unwrap_model(model).get_output_embeddings(),
            config=self.loss_config,
            options=HeadOptions(
                temperature=self.args.temperature,
                entropy=True,
                logits=None if self.args.fp32_logits or not self.args.bf16 else torch.bfloat16,
            ),
        )
        return loss, sums, None

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add the metrics of the loss and of the batch to a log line."""
        logs.update({key: reduce_metric(key, values) for key, values in self._metrics.items()})
        self._metrics.clear()
        super().log(logs, start_time)

    def note(self, metrics: Mapping[str, Metric]) -> None:
        """Add metrics to the step's log line, for which all processes wait; `log` would end it."""
        for key, value in metrics.items():
            self._metrics[key].append(value)

    def _note(self, sums: Sums) -> None:
        """Keep a micro-batch's sums until the next log line."""
        sums = self.sequence.total(sums)
        values = {key: float(value) for key, value in sums.items()}
        tokens, present = values.pop("tokens"), values.pop("present_tokens", 0.0)
        self._metrics["policy/tokens_total"].append(tokens)
        if present:
            self._metrics["policy/present_tokens_total"].append(present)
        if "observed" in values:
            observed = values.pop("observed")
            self._metrics["policy/observed_nll"].append((values.pop("observed_nll"), observed))
        for key, value in values.items():
            of_present = key.startswith("present_")
            if of_present and not present:
                continue
            own = value if key.endswith("_max") else (value, present if of_present else tokens)
            self._metrics[f"policy/{key}"].append(own)

    def _send_weights(self) -> None:
        """Send the current weights to the engine, and their version to the worker."""
        self.model_version += 1
        main = self.accelerator.is_main_process
        if self.weight_transfer is not None:
            # Every rank must take part, because sharded weights are gathered from all.
            weights = policy_weights(self.accelerator.unwrap_model(self.model))
            if main:
                self.weight_transfer.pause()
                self.weight_transfer.send_weights(weights)
                self.weight_transfer.resume()
            for _ in weights:
                pass
        if main:
            self.rollout_worker.update_model_version(self.model_version)


class _Sync(TrainerCallback):  # type: ignore[misc]
    """Starts and stops the worker and sends weights before the first and after every step."""

    def __init__(self, trainer: DPPOTrainer) -> None:
        self._trainer = trainer
        self._working = False

    def stop_worker(self) -> None:
        """Stop the worker, if it was started here."""
        if self._working:
            self._working = False
            self._trainer.rollout_worker.stop()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Send the first weights, then start the worker."""
        trainer = self._trainer
        trainer.model_version = state.global_step  # more than 0 if a run is resumed
        if args.packing:
            plain = trainer.accelerator.unwrap_model(trainer.model)
            size = plain.get_input_embeddings().num_embeddings
            packing.check_kept_apart(trainer.model_wrapped, vocabulary=size)
        if trainer.accelerator.is_main_process and trainer.weight_transfer is not None:
            trainer.weight_transfer.init_weight_transfer()
        trainer._send_weights()
        if trainer.accelerator.is_main_process:
            self._working = True
            trainer.rollout_worker.start()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Send the new weights."""
        self._trainer._send_weights()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Stop the worker and the transfer."""
        trainer = self._trainer
        self.stop_worker()
        if trainer.accelerator.is_main_process and trainer.weight_transfer is not None:
            trainer.weight_transfer.destroy()
