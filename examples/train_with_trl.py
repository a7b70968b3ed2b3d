"""Train a model on terminal tasks: train_with_trl.py grpo|mixin|dppo MODEL OUT TASK..."""

import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from tmax_gym import BashHarness, EpisodeLimits, PlainHarness
from tmax_trainers import DPPO_SETTINGS, DPPOConfig, DPPOTrainer, SyncDPPOTrainer, TerminalRollouts
from tmax_trainers.rollout.play import PlayLimits

which, name, out, *tasks = sys.argv[1:]
model, tokenizer = AutoModelForCausalLM.from_pretrained(name), AutoTokenizer.from_pretrained(name)
chat = "<tool_call>" in tokenizer.get_vocab()
terminal = TerminalRollouts(
    tasks,
    tokenizer,
    harness=BashHarness("qwen3") if chat else PlainHarness(),
    max_tokens=8192 if chat else 128,
    max_turn_tokens=1024 if chat else 24,
    limits=PlayLimits(episode=EpisodeLimits(max_steps=16 if chat else 1)),
)
common = dict(output_dir=out, max_steps=12, learning_rate=3e-4, report_to="none", logging_steps=1)
common |= dict(gradient_accumulation_steps=2, save_strategy="no", bf16=False)
common |= dict(use_cpu=not torch.cuda.is_available())
with terminal:
    if which == "dppo":
        args = DPPOConfig(groups_per_step=1, group_size=8, **common)
        worker, transfer = terminal.worker(model, args)
        trainer = DPPOTrainer(model, args, rollout_worker=worker, weight_transfer=transfer)
    else:
        Trainer, more = (GRPOTrainer, {}) if which == "grpo" else (SyncDPPOTrainer, DPPO_SETTINGS)
        args = GRPOConfig(per_device_train_batch_size=4, num_generations=8, **common, **more)
        trainer = Trainer(
            model=model, args=args, processing_class=tokenizer, rollout_func=terminal,
            reward_funcs=terminal.reward, train_dataset=terminal.dataset(),
        )  # fmt: skip
    trainer.train()
