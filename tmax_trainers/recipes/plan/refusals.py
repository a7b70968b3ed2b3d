"""Refuse a recipe that would fail later, with the reason and what to change.

Covers what the recipe, the model's shape and the installed packages show; `tmax train` asks before
it loads a model, `--dry-run` before it prints.  Does not cover what only a running model shows,
such as one that mixes packed samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

from tmax_gym.errors import RecipeError
from tmax_trainers.recipes.plan.estimate import Plan, longest, plan_of, sharded
from tmax_trainers.recipes.plan.memory import FULL, GIB
from tmax_trainers.recipes.recipe import Recipe

_KERNELS = {"fla": "flash-linear-attention", "causal_conv1d": "causal-conv1d"}
"""Packages that recurrent layers of transformers need for packed samples, and how to install."""
_HEADS = ("lm_head", "embed_out", "output")
"""Names of heads in transformers, as targets of adapters."""


def check(recipe: Recipe) -> Plan:
    """Return the plan of a recipe that can work.

    Raises:
        RecipeError: It cannot; the message has every reason.
    """
    plan = plan_of(recipe)
    reasons = [*_sizes(recipe, plan), *_head(recipe, plan), *_processes(recipe, plan),
               *_packing(recipe, plan), *_card(recipe, plan)]  # fmt: skip
    if reasons:
        listed = "\n".join(f"- {reason}" for reason in reasons)
        raise RecipeError(f"recipe {recipe.name} cannot work:\n{listed}")
    return plan


def check_here(recipe: Recipe, *, processes: int, split: bool, card_gib: float | None) -> None:
    """Refuse a recipe that cannot work as it was started.

    Args:
        recipe: The run.
        processes: Trainer processes that run.
        split: They split the weights among themselves (FSDP).
        card_gib: Memory of the GPU of this process; None on CPUs.

    Raises:
        RecipeError: It cannot work, or no server is named.
    """
    name = "fsdp" if split else "data_parallel" if processes > 1 else ""
    cluster = replace(
        recipe.cluster, trainer_processes=processes, accelerate=name, gpu_gib=card_gib
    )
    check(replace(recipe, cluster=cluster))
    if recipe.sampling.engine == "vllm" and not recipe.sampling.servers:
        raise RecipeError(
            "sampling.engine is vllm and sampling.servers is empty; start servers with "
            "`tmax serve`, then: --set 'sampling.servers=[ADDRESS, ...]'"
        )


def _sizes(recipe: Recipe, plan: Plan) -> Iterator[str]:
    rollouts = recipe.rollouts
    for name in ("prompt_tokens", "turn_tokens", "response_tokens"):
        if getattr(rollouts, name) < 1:
            value = getattr(rollouts, name)
            yield f"rollouts.{name} is {value}: an episode has no room; set it to 1 or more"
    if rollouts.group_size < 2 and rollouts.advantage != "none":
        yield (
            f"rollouts.group_size is {rollouts.group_size}: an episode alone always has an "
            "advantage of 0 against its group; set it to 2 or more"
        )
    limit = plan.shape.positions if plan.shape is not None else None
    if limit is not None and longest(recipe) > limit:
        yield (
            f"rollouts.prompt_tokens + rollouts.response_tokens is {longest(recipe):,} and "
            f"{recipe.model.init} was made for {limit:,} tokens: a server refuses the rest; "
            f"set rollouts.response_tokens to at most {limit - rollouts.prompt_tokens:,}"
        )


def _head(recipe: Recipe, plan: Plan) -> Iterator[str]:
    model = recipe.model
    if not model.fused_head:
        if model.fp32_head and model.dtype != "float32":
            yield (
                f"model.fp32_head is on, model.fused_head off and model.dtype {model.dtype}: only "
                "the fused head has a float32 result there; set model.fp32_head=false as well"
            )
        return
    if plan.shape is not None and plan.shape.head_problem:
        yield (
            f"model.fused_head is on and {model.init} does not fit it: {plan.shape.head_problem}; "
            "set model.fused_head=false"
        )
    targets = model.lora.targets if model.lora is not None else ()
    for head in sorted({name.rpartition(".")[2] for name in targets} & set(_HEADS)):
        yield (
            f"model.lora.targets has {head} and model.fused_head is on: the fused head takes no "
            "adapter; take it out of the targets, or set model.fused_head=false"
        )


def _processes(recipe: Recipe, plan: Plan) -> Iterator[str]:
    processes, ranks = recipe.cluster.trainer_processes, recipe.optimization.sequence_parallel
    if processes % ranks:
        yield (
            f"optimization.sequence_parallel is {ranks} and there are {processes} trainer "
            "processes: every row is shared by as many; set a divisor of the processes"
        )
    if plan.shape is not None and plan.shape.heads % ranks:
        yield (
            f"optimization.sequence_parallel is {ranks} and the numbers of heads of "
            f"{recipe.model.init} have the common divisor {plan.shape.heads}: ranks share heads; "
            "set a divisor of it"
        )
    loss = recipe.loss_options()
    if ranks > 1 and (loss.whole_sequences or loss.mean_over == "sequences"):
        yield (
            f"optimization.sequence_parallel is {ranks} and the loss needs whole sequences "
            f"(objective {loss.objective}, mean over {loss.mean_over}); set it to 1, or choose "
            "another objective"
        )
    if ranks > 1 and recipe.optimization.packing:
        yield (
            f"optimization.sequence_parallel is {ranks} and optimization.packing on: attention "
            "that is divided keeps no samples apart; set one of them off"
        )


def _packing(recipe: Recipe, plan: Plan) -> Iterator[str]:
    hybrid = plan.shape is not None and plan.shape.attention == "hybrid"
    if not (recipe.optimization.packing and hybrid):
        return
    absent = [package for module, package in _KERNELS.items() if find_spec(module) is None]
    if absent:
        yield (
            f"optimization.packing is on, {recipe.model.init} has recurrent layers, and "
            f"{' and '.join(absent)} is not installed: samples would leak into each other; install "
            "it, or set optimization.packing=false"
        )


def _card(recipe: Recipe, plan: Plan) -> Iterator[str]:
    card = recipe.cluster.gpu_gib
    if card is None:
        return
    for what, part, remedy in (
        ("a step", plan.step, _remedy(recipe, plan)),
        ("the warm start", plan.warm_start, "set warm_start=null and start from a model that is "
         "already trained, or lower warm_start.tokens_per_batch"),
    ):  # fmt: skip
        if part is not None and part.total > FULL * card * GIB:
            yield (
                f"{what} needs about {part.total / GIB:.1f} GiB of a trainer GPU, and of "
                f"{card:g} GiB {FULL * card:.1f} can be planned for; {remedy}"
            )


def _remedy(recipe: Recipe, plan: Plan) -> str:
    """Return what makes a step smaller, the most effective change first."""
    options = []
    if not recipe.model.fused_head:
        options.append("set model.fused_head=true")
    if not recipe.model.gradient_checkpointing:
        options.append("set model.gradient_checkpointing=true")
    if not sharded(recipe):
        options.append("split the weights with cluster.accelerate=fsdp")
    if plan.load.rows > 1:
        options.append("raise optimization.micro_batches")
    if plan.load.shards > 1:
        options.append("raise optimization.sequence_parallel or cluster.trainer_processes")
    options.append("lower rollouts.response_tokens")
    return ", or ".join(options)
