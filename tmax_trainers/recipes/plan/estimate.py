"""What a recipe asks of one trainer GPU: its memory, in bytes and in words.

Covers the recipe's own numbers; `refusals.py` says which recipes cannot work.  Needs no network.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from tmax_trainers.recipes import files
from tmax_trainers.recipes.plan import memory
from tmax_trainers.recipes.plan.memory import GIB, Memory, Workload
from tmax_trainers.recipes.plan.shapes import ModelShape, shape_of
from tmax_trainers.recipes.recipe import Recipe

SHARDED = "FSDP"
"""`distributed_type` of a configuration of accelerate that splits weights among processes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The memory of the GPU of the main trainer process."""

    shape: ModelShape | None
    """None if the model is not known on this machine; then there is no estimate."""
    load: Workload
    step: Memory | None
    """Of an optimizer step."""
    warm_start: Memory | None
    """Of the warm start, which the main process does alone."""

    @property
    def total(self) -> int:
        """Return the greatest number of bytes at any time; 0 if it is not known."""
        return max((part.total for part in (self.step, self.warm_start) if part), default=0)


def plan_of(recipe: Recipe) -> Plan:
    """Return the memory that a recipe needs.

    Raises:
        RecipeError: `cluster.accelerate` is no configuration.
    """
    shape = shape_of(recipe.model, length=longest(recipe))
    load = workload(recipe, shape)
    if shape is None:
        return Plan(None, load, None, None)
    step = replace(memory.training(shape, load), shared=_engine(recipe, shape))
    warm = None
    if recipe.warm_start is not None:
        warm = memory.warm_start(
            shape,
            tokens=recipe.warm_start.tokens_per_batch,
            checkpointing=recipe.model.gradient_checkpointing,
        )
    return Plan(shape, load, step, warm)


def longest(recipe: Recipe) -> int:
    """Return the tokens of the longest episode."""
    return recipe.rollouts.prompt_tokens + recipe.rollouts.response_tokens


def sharded(recipe: Recipe) -> bool:
    """Return whether the recipe's processes split the weights among themselves."""
    name = recipe.cluster.accelerate
    return bool(name) and files.accelerate(name)["distributed_type"] == SHARDED


def workload(recipe: Recipe, shape: ModelShape | None) -> Workload:
    """Return the largest micro-batch: as many of the longest episodes as can fall into one."""
    # Here, because the module imports torch, which reading a recipe does not need.
    from tmax_trainers.dppo.loss.fused import TILE_BYTES

    rollouts, processes = recipe.rollouts, recipe.cluster.trainer_processes
    split = sharded(recipe)
    ranks = recipe.optimization.sequence_parallel
    parts = max(1, processes // ranks) * recipe.optimization.micro_batches
    lora = recipe.model.lora
    return Workload(
        rows=-(-rollouts.groups_per_step * rollouts.group_size // parts),
        length=-(-longest(recipe) // ranks),
        ranks=ranks,
        shards=processes if split else 1,
        replicas=1 if split else processes,
        half=recipe.model.dtype == "bfloat16",
        checkpointing=recipe.model.gradient_checkpointing,
        fused_head=recipe.model.fused_head,
        tile=TILE_BYTES,
        adapters=memory.adapter_parameters(shape, lora.rank) if lora and shape else None,
        packing=recipe.optimization.packing,
    )


def lines(recipe: Recipe, plan: Plan) -> list[str]:
    """Return the estimate in words, with what it assumes."""
    if plan.shape is None or plan.step is None:
        return [
            "memory of a trainer GPU: unknown, as there is no config.json of "
            f"{recipe.model.init!r} on this machine; give its directory: --set model.init=DIRECTORY"
        ]
    load, card = plan.load, recipe.cluster.gpu_gib
    sizes = {part.name: getattr(plan.step, part.name) / GIB for part in fields(plan.step)}
    parts = ", ".join(f"{name} {size:.2f}" for name, size in sizes.items() if size > 0)
    limit = f" of {card:g}" if card is not None else ""
    split = f"split among {load.shards}" if load.shards > 1 else "whole on each process"
    text = [
        f"memory of a trainer GPU, estimated, in GiB: {parts}",
        f"together {plan.step.total / GIB:.1f}{limit}: {load.rows} x {load.length:,} tokens at "
        f"once, {plan.shape.parameters / 1e9:.2f} billion parameters, {split}",
        f"assumed: float32 weights and AdamW; {_activations(load)}; {_head(load)}; attention block "
        f"by block{_kernels(plan.shape)}; at most {memory.FULL:.0%} of a card planned for",
    ]
    if plan.warm_start is not None:
        text.append(
            f"the warm start, which the main process does alone: "
            f"{plan.warm_start.total / GIB:.1f}{limit}"
        )
    return text


def _activations(load: Workload) -> str:
    if load.checkpointing:
        return f"one hidden state a layer, {load.stream} bytes a value, and one layer again"
    return "all that every layer saves, as model.gradient_checkpointing is off"


def _head(load: Workload) -> str:
    return "head and loss tile by tile" if load.fused_head else "all logits at once"


def _kernels(shape: ModelShape) -> str:
    return ", recurrence by flash-linear-attention" if shape.attention == "hybrid" else ""


def _engine(recipe: Recipe, shape: ModelShape) -> int:
    """Return what the engine takes of the main process's card."""
    shared = round(recipe.cluster.engine_gib * GIB)
    if recipe.sampling.engine == "vllm":
        return shared
    width = 2 if recipe.model.dtype == "bfloat16" else 4
    slots, length = recipe.sampling.slots, longest(recipe)
    return shared + memory.engine_bytes(shape, width=width, slots=slots, length=length)
