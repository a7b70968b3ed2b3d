"""A recipe's sections as the objects that the parts of a run take."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmax_gym.agents.harness import TokenHarness
from tmax_gym.agents.registry import TOKEN_HARNESSES, with_options
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import RecipeError
from tmax_trainers.engines import Engine
from tmax_trainers.recipes.recipe import Harness, Optimization, Recipe, Rollouts
from tmax_trainers.rollout.play import PlayLimits
from tmax_trainers.rollout.records import GroupConfig

if TYPE_CHECKING:  # a rollout process reads its sections without torch
    import torch

    from tmax_trainers.dppo.options import DPPOConfig


def harness_of(options: Harness) -> TokenHarness:
    """Return how policy and terminal talk."""
    return with_options(TOKEN_HARNESSES[options.name], asdict(options))


def engine_of(
    recipe: Recipe,
    model: torch.nn.Module,
    *,
    on_version: Callable[[int], None] = lambda version: None,
) -> Engine:
    """Return what samples: a copy of the model in this process, or vLLM servers.

    Args:
        recipe: The run.
        model: The policy.
        on_version: Called with the version of new weights before servers draw from them.

    Raises:
        RecipeError: No server is named.
        EngineError: A server does not answer.
    """
    import torch

    options, dtype = recipe.sampling, getattr(torch, recipe.model.dtype)
    length = recipe.rollouts.prompt_tokens + recipe.rollouts.response_tokens
    if options.engine == "vllm":
        if not options.servers:
            raise RecipeError(
                "sampling.engine is vllm and sampling.servers is empty; start servers with "
                "`tmax serve`, then: --set 'sampling.servers=[ADDRESS, ...]'"
            )
        from tmax_trainers.engines.vllm.fleet import Fleet

        shared = Path(options.directory) if options.directory else None
        return Fleet(options.servers, dtype=dtype, directory=shared, on_version=on_version)
    from tmax_trainers.engines.transformers import TransformersEngine

    own = copy.deepcopy(model).to(dtype)
    if torch.cuda.is_available():
        own.to("cuda")
    return TransformersEngine(
        own, slots=options.slots, max_length=length, fp32_head=recipe.model.fp32_head
    )


def optimizer_of(
    model: torch.nn.Module, options: Optimization
) -> tuple[type[torch.optim.Optimizer], dict[str, Any]] | None:
    """Return class and arguments of an optimizer where gains have their own rate, else None.

    The trainer makes the optimizer itself, because it takes no ready one for sharded weights.
    """
    import torch

    if options.gain_factor == 1.0:
        return None
    trained = [p for p in model.parameters() if p.requires_grad]
    rate = options.learning_rate
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "lr": rate},
        {"params": [p for p in trained if p.ndim == 1], "lr": rate * options.gain_factor},
    ]
    return torch.optim.AdamW, {
        "params": groups,
        "betas": (options.beta_1, options.beta_2),
        "eps": options.epsilon,
        "weight_decay": options.weight_decay,
    }


def play_limits(options: Rollouts) -> PlayLimits:
    """Return what may happen at the same time and how long it may take."""
    return PlayLimits(
        starts=options.starts,
        commands=options.commands,
        verifiers=options.verifiers,
        wall_seconds=options.wall_seconds,
        episode=EpisodeLimits(
            max_steps=options.max_steps,
            episode_seconds=options.episode_seconds,
            command_timeout=options.command_seconds,
            verify_timeout=options.verify_seconds,
        ),
    )


def group_config(options: Rollouts, *, seed: int) -> GroupConfig:
    """Return what a batch is made of."""
    return GroupConfig(
        groups_per_step=options.groups_per_step,
        group_size=options.group_size,
        max_staleness=options.max_staleness,
        workers=options.concurrent,
        attempts=options.attempts,
        patience=options.patience,
        advantage=options.advantage,
        seed=seed,
        overtaking=options.overtaking,
    )


def trainer_options(recipe: Recipe, out: Path) -> DPPOConfig:
    """Return the options of the trainer."""
    import torch

    from tmax_trainers.dppo.options import DPPOConfig

    optimization, rollouts = recipe.optimization, recipe.rollouts
    reports: Any = list(recipe.watching.report_to) or "none"
    cuda = torch.cuda.is_available()
    return DPPOConfig(
        output_dir=str(out),
        seed=recipe.seed,
        max_steps=optimization.steps,
        learning_rate=optimization.learning_rate,
        lr_scheduler_type=optimization.schedule,
        warmup_steps=optimization.warmup_steps,
        weight_decay=optimization.weight_decay,
        adam_beta1=optimization.beta_1,
        adam_beta2=optimization.beta_2,
        adam_epsilon=optimization.epsilon,
        max_grad_norm=optimization.max_grad_norm,
        gradient_accumulation_steps=optimization.micro_batches,
        **asdict(recipe.loss_options()) | {"corrections": list(recipe.loss.corrections)},
        fused_head=recipe.model.fused_head,
        fp32_logits=recipe.model.fp32_head,
        packing=optimization.packing,
        sequence_parallel=optimization.sequence_parallel,
        temperature=rollouts.temperature,
        groups_per_step=rollouts.groups_per_step,
        group_size=rollouts.group_size,
        max_token_age=rollouts.max_staleness,
        rollout_timeout=rollouts.wall_seconds * rollouts.attempts,
        bf16=recipe.model.dtype == "bfloat16",
        use_cpu=not cuda,
        accelerator_config=_accelerator(),
        ignore_data_skip=True,
        disable_tqdm=True,
        report_to=reports,
    )


def _accelerator() -> dict[str, Any]:
    """Return the options of accelerate."""
    from tmax_trainers.recipes.processes import sharded_on_cpus, splits_weights

    return {
        # Otherwise the trainer forgets what `processes` has declared.
        "use_configured_state": sharded_on_cpus(),
        # Otherwise each process would keep the gradient of the whole model, in bfloat16, until the
        # last micro-batch (FSDP2); split at once, it is summed in float32.
        "gradient_accumulation_kwargs": {"sync_each_batch": splits_weights()},
    }
